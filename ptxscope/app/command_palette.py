"""The command palette's providers: every action, every instruction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

from textual import events
from textual.command import CommandList, CommandPalette, Hit, Hits, Provider
from textual.content import Content
from textual.theme import ThemeProvider
from textual.types import IgnoreReturnCallbackType
from textual.widgets import Button, Input

from ..engine.isa.catalog import CATALOG
from ..engine.isa.intrinsics import map_intrinsics
from ..engine.syntax.instruction import Instruction
from ..engine.tracing.trace import trace
from ..screens.dialogs.dialog import DismissedOnce
from ..screens.main.main_screen import MainScreen
from ..state.actions import GROUPS, format_key
from ..state.edit_transitions import open_choice
from ..state.instruction_search import find_opcode, search_instructions
from ..widgets.base.explorer_app import Do, get_explorer_app
from ..widgets.instruction_browser import InstructionBrowser


class ActionPalette(CommandPalette, DismissedOnce[None]):
    """Textual's palette, which fails on keys of a list that has no cell (Textual 8.2.8).

    It also fails on clicks that close it twice, or that are beyond a screen which has shrunk.
    """

    def on_click(self, event: events.Click) -> None:
        """Ignore a click that would leave the palette again, or that is beyond the screen."""
        if not self.is_current or not self.region.contains_point(event.screen_offset):
            event.prevent_default()

    def _select_or_command(self, event: Input.Submitted | Button.Pressed | None = None) -> None:
        """Run the chosen action, once. Overrides Textual."""
        if self.is_current:
            super()._select_or_command(event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Return whether an action is possible: those on the list need room. Overrides Textual."""
        if action != "command_list":
            return True
        return any(x.scrollable_content_region.area for x in self.query(CommandList))


_FIRST, _SECOND = 2e6, 1e6
"""Top scores of actions and of instructions, above those that Textual computes itself."""


class ActionCommands(Provider):
    """The table of actions, each with its keys."""

    async def discover(self) -> Hits:
        """Yield all actions, above everything else."""
        for index, (name, about, run) in enumerate(self._iter_commands()):
            yield Hit(_FIRST - index, name, run, text=str(name), help=about)

    async def search(self, query: str) -> Hits:
        """Yield actions by name, then by description, then by the letters of the query."""
        matcher, words = self.matcher(query), query.casefold().split()
        for index, (name, about, run) in enumerate(self._iter_commands()):
            title, text = str(name).casefold(), f"{name} {about}".casefold()
            label = title.partition(": ")[2].partition("  ")[0]
            score = _FIRST - index if all(x in text for x in words) else matcher.match(text)
            score += _FIRST if all(x in title for x in words) else 0
            score += _FIRST if label.startswith(" ".join(words)) else 0
            score += _FIRST if label.split() == words else 0
            if score:
                yield Hit(score, name, run, text=str(name), help=about)

    def _iter_commands(self) -> Iterator[tuple[Content, str, IgnoreReturnCallbackType]]:
        main = self.app.screen_stack[0]
        keys = get_explorer_app(main).action_keys
        for group, actions in GROUPS.items():
            for action in actions:
                if action.is_command:
                    label = f"{group}: {action.label}  "
                    name = Content.assemble(
                        label, (" ".join(map(format_key, keys[action.id])), "bold")
                    )
                    yield name, action.tooltip, partial(main.run_action, action.format_call())


class ThemeCommands(ThemeProvider):
    """The themes, the current one marked."""

    @property
    def commands(self) -> list[tuple[str, Callable[[], None]]]:
        """The names of the themes, and what chooses each. Overrides Textual."""
        current = self.app.theme
        return [(f"{x}  ✓ current" if x == current else x, run) for x, run in super().commands]


class InstructionCommands(Provider):
    """The instructions of the catalog, and CUDA's intrinsics."""

    async def discover(self) -> Hits:
        """Yield all of them."""
        for index, name in enumerate((*CATALOG, *map_intrinsics())):
            yield self._make_hit(name, _SECOND - index)

    async def search(self, query: str) -> Hits:
        """Yield the matches of the query, ranked as in the browser; `gallery` finds all."""
        is_gallery = len(query) > 2 and "gallery".startswith(query.casefold())
        names = CATALOG if is_gallery else search_instructions(query, self._browser.list.lanes)
        for index, name in enumerate(names):
            yield self._make_hit(name, _SECOND - index)

    @property
    def _browser(self) -> InstructionBrowser:
        main = self.app.screen_stack[0]
        assert isinstance(main, MainScreen)
        return main.query_one(InstructionBrowser)

    def _make_hit(self, name: str, score: float) -> Hit:
        browser, intrinsic = self._browser, map_intrinsics().get(name)
        opcode = find_opcode(intrinsic) if intrinsic else name
        if intrinsic:
            about = f"{intrinsic.ptx.partition(' ')[0]} {intrinsic.differs}".strip()
        else:
            about = f"{CATALOG[name].summary}\n{draw_example(name)}"
        message = Do(browser, open_choice, opcode, intrinsic)
        return Hit(
            score, Content(name), partial(browser.post_message, message), text=name, help=about
        )


@cache
def draw_example(opcode: str) -> str:
    """Return a small picture of an instruction's example: the parts of its operands and results."""
    result = trace(*CATALOG[opcode].example)
    ins = result.block.instruction
    operands = {x.roles[0]: result.operands[x.roles[0]] for x in ins.inputs}
    left, right = (
        "  ".join(f"{role} {_draw_parts(ins, role, bits)}" for role, bits in values.items())
        for values in (operands, result.result_by_role)
    )
    return f"{left}  →  {right}"


def _draw_parts(ins: Instruction, role: str, bits: int) -> str:
    count = ins.entry.lanes if ins.has_lanes(role) else 1
    width = ins.type_of(role).bits // count
    parts = (bits >> width * lane & (1 << width) - 1 for lane in reversed(range(count)))
    return "".join(f"▐{x:0{-(-width // 4)}x}▌" for x in parts)
