"""The instruction browser: the instructions in their groups, with a search by words."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from ..engine.isa.catalog import CATALOG
from ..engine.isa.entry import CORE_GROUPS, Group
from ..engine.syntax.errors import make_printable
from ..state.edit_transitions import open_choice
from .base.explorer_app import Do, PostedMessage
from .base.form_fields import PlainInput
from .base.pane import Pane, StyledLine, StyledText

_NAMES = 11
"""Columns of an instruction's mark and name, and a blank."""


class InstructionBrowser(Vertical):
    """A filter over a list of instructions."""

    DEFAULT_CSS = """
    InstructionBrowser {
        & > Input { border: none; height: 1; padding: 0 1; }
        & > Input:focus { border: none; height: 1; }
        & > InstructionList { height: 1fr; }
    }
    """
    BINDING_GROUP_TITLE = "Instructions"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Previous", show=False),
        Binding("down", "move(1)", "Next", show=False),
        Binding("enter", "choose", "Open", show=False),
        Binding("escape", "back", "Leave", show=False),
    ]

    class Emptied(PostedMessage):
        """Posted when the filter becomes empty, or no longer is: Esc then has another effect."""

        control: InstructionBrowser

    def __init__(self) -> None:
        super().__init__(id="browser")
        self.filter = PlainInput(
            placeholder="/ filter, or words", id="filter", select_on_focus=True
        )
        self.list = InstructionList()

    def compose(self) -> ComposeResult:
        """Yield the filter and the list below it."""
        yield self.filter
        yield self.list

    def clear(self) -> None:
        """Show all instructions again."""
        self.filter.value = ""

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while typing."""
        event.stop()
        was_empty = not self.list.is_filtered
        self.list.filter_items(event.value)
        if was_empty != (not event.value):
            self.post_message(self.Emptied(self))

    def on_descendant_focus(self) -> None:
        """Show the list's cursor also while the filter has the focus."""
        self.list.redraw_lines()

    def on_descendant_blur(self) -> None:
        """Hide the list's cursor when the focus leaves."""
        self.list.redraw_lines()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open the best match."""
        event.stop()
        self.action_choose()

    def format_key_label(self, action: str, label: str) -> str:
        """Return the current label of a key."""
        return "Clear" if action == "back" and self.filter.value else label

    async def action_back(self) -> None:
        """Clear the filter or, if it is empty, release the focus."""
        if self.filter.value:
            self.clear()
        else:
            await self.run_action("screen.do('go.picture')")

    def action_move(self, delta: int) -> None:
        """Move the cursor of the list."""
        self.list.move(delta)

    def action_choose(self) -> None:
        """Open the instruction under the cursor."""
        name = self.list.cursor
        if name is None:  # nothing matches: the next letters are text still
            return
        if not name:
            self.list.unfold()
        elif name in CATALOG:
            self.post_message(Do(self, open_choice, name))
        else:
            from ..engine.isa.intrinsics import map_intrinsics
            from ..state.instruction_search import find_opcode

            intrinsic = map_intrinsics()[name]
            self.post_message(Do(self, open_choice, find_opcode(intrinsic), intrinsic))


class InstructionList(Pane):
    """The matching instructions and intrinsics, by group or best first."""

    def __init__(self) -> None:
        super().__init__("instructions", "Instructions")
        self._open_opcode = ""
        self._recent: tuple[str, ...] = ()
        self._typed_text = self._query = ""
        self._cursor = 0
        """The index of the cursor in ``rows``."""
        self._unfolded = {*CORE_GROUPS}
        """The families with listed instructions; others have only a heading."""

    def show(self, opcode: str, recent: tuple[str, ...]) -> None:
        """Mark the open instruction and put the cursor on it."""
        if (opcode, recent) != (self._open_opcode, self._recent):
            self._open_opcode, self._recent = opcode, recent
            if opcode:
                self._unfolded.add(Group(CATALOG[opcode].group))
            self._cursor = self._find_first_row()
            self.redraw_lines()
            self._show_family()

    def unfold(self) -> None:
        """List the instructions of the family under the cursor, and move to the first."""
        self._unfolded.add(Group(self.rows()[self._cursor][0]))
        self.redraw_lines()
        self._show_family()

    def filter_items(self, query: str) -> None:
        """Show only the matches of a query."""
        self._typed_text = query
        self._query = query.strip()
        self._cursor = 0 if self._query else self._find_first_row()
        self.redraw_lines()
        if self._query:
            self.scroll_to(y=0, animate=False)
        else:
            self._show_family()

    def _find_first_row(self) -> int:
        """Return the first row of the open instruction."""
        names = [name for _, name in self.rows()]
        return names.index(self._open_opcode) if self._open_opcode in names else 0

    @property
    def cursor(self) -> str | None:
        """The opcode or intrinsic under the cursor; None without matches.

        It is empty on the heading of a folded family.
        """
        rows = self.rows()
        return rows[self._cursor][1] if rows else None

    @property
    def is_filtered(self) -> bool:
        """Whether there is a query."""
        return bool(self._typed_text)

    @property
    def lanes(self) -> int:
        """The lane count of the open instruction."""
        return CATALOG[self._open_opcode].lanes if self._open_opcode else 1

    def rows(self) -> Sequence[tuple[str, str]]:
        """The heading and the name of each row: matches, best first, or all without a query.

        Recent instructions are at the top and in their families. A folded family has one row,
        without a name.
        """
        if not self._query:
            rows = [("Recently used", name) for name in self._recent]
            unfolded = self._unfolded
            rows += [(x.group, n if x.group in unfolded else "") for n, x in CATALOG.items()]
            return [*dict.fromkeys(rows)]
        from ..state.instruction_search import search_instructions

        return [("", name) for name in search_instructions(self._query, self.lanes)]

    def move(self, delta: int) -> None:
        """Move the cursor among the rows."""
        self._cursor = min(max(self._cursor + delta, 0), max(len(self.rows()) - 1, 0))
        self.redraw_lines()
        self.show_target(self._cursor, context=1)

    def draw(self, width: int) -> list[StyledLine]:
        """Return headings and a line for each instruction; best matches first while filtering."""
        lines: list[StyledLine] = list(self._draw_unmatched_lines(width))
        heading, rows = "", self.rows()
        open_rows = [i for i, (_, name) in enumerate(rows) if name == self._open_opcode]
        for index, (group, name) in enumerate(rows):
            if not name:
                style_name = f"quiet{self._get_cursor_style(index)}"
                lines.append([StyledText(f"{group} …", style_name, index)])
                continue
            if group != heading:
                heading = group
                lines.append([StyledText(group, "quiet")])
            is_open = index in open_rows[-1:]  # the row in its family, even if it is also recent
            lines += self._draw_entry(index, name, is_open, width)
        return lines or [[StyledText("nothing matches", "quiet")]]

    def _describe_name(self, name: str) -> str:
        """Return a short description of an instruction or an intrinsic."""
        if name in CATALOG:
            return CATALOG[name].brief
        from ..engine.isa.intrinsics import map_intrinsics

        intrinsic = map_intrinsics()[name]
        return f"{'≈' if intrinsic.differs else '='} {intrinsic.ptx.partition(' ')[0]}"

    def _draw_unmatched_lines(self, width: int) -> Iterator[StyledLine]:
        """Yield the words of the query that no row matches."""
        if self._query:
            from ..state.instruction_search import find_unmatched_words

            if words := find_unmatched_words(self._query, self.lanes):
                text = f"nothing fits {', '.join(map(make_printable, words))}; without:"
                yield from ([StyledText(x, "quiet")] for x in textwrap.wrap(text, max(width, 1)))

    def _draw_entry(self, index: int, name: str, is_open: bool, width: int) -> list[StyledLine]:
        """Return a line, and more if its description does not fit beside the name."""
        mark, style_name = ("▸", "focus") if is_open else (" ", "")
        about = self._describe_name(name)
        cursor_style = self._get_cursor_style(index)
        lead = f"{mark}{name}".ljust(_NAMES - 1) + " "
        if len(about) <= width - len(lead):
            return [
                [
                    StyledText(lead, style_name + cursor_style, index),
                    StyledText(about, "quiet", index),
                ]
            ]
        folded = textwrap.wrap(about, max(width - 2, 1), break_on_hyphens=False)
        return [
            [StyledText(lead[:width], style_name + cursor_style, index)],
            *([StyledText("  "[:width]), StyledText(part, "quiet", index)] for part in folded),
        ]

    def _get_cursor_style(self, index: int) -> str:
        has_focus = isinstance(self.parent, InstructionBrowser) and self.parent.has_focus_within
        return " cursor" if has_focus and index == self._cursor else ""

    def _show_family(self) -> None:
        """Scroll to the heading above the cursor, if both fit."""
        heading = 0
        for y, line in enumerate(self.visible_lines):
            if all(piece.target is None for piece in line):
                heading = y
            elif any(piece.target == self._cursor for piece in line):
                if y - heading < self.size.height:
                    self.scroll_to(y=heading, animate=False)
                else:
                    self.show_line(y, context=1)
                return

    def on_resize(self) -> None:
        """Keep the cursor visible: the wrapped lines depend on the width."""
        super().on_resize()
        self._show_family()

    def handle_click(self, target: object) -> None:
        """Open the clicked instruction."""
        if isinstance(target, int) and isinstance(self.parent, InstructionBrowser):
            self._cursor = target
            self.parent.action_choose()
