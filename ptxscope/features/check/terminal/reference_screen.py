"""The page of an erratum, or of a section of the PTX ISA, over the explorer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from ....documents.formats.markup import Block, Paragraph, Table, Verbatim
from ....documents.formats.report import write_text
from ....screens.dialogs.dialog import AnswerScreen
from ....widgets.base.form_fields import LINE_END_BINDINGS, fold_line
from ....widgets.base.pane import Pane, StyledLine, StyledText, wrap_sentence
from ....widgets.footer import FooterKey, KeyBar
from ..erratum_report import EXAMPLE, indent_blocks
from ..fault_blocks import REPLACEMENT
from ..known_errata import find_erratum, find_replacement
from ..references import ReferencePage, is_erratum, make_page, step_reference

_MAX_COLUMNS = 100
"""Maximum columns of text: longer lines are hard to read."""


class ReferencePane(Pane):
    """The parts of a page, each below a rule with its title."""

    BINDINGS: ClassVar[list[BindingType]] = LINE_END_BINDINGS
    DEFAULT_CSS = """
    ReferencePane { height: 1fr; border: none; &:focus { border: none; } }
    """

    def __init__(self, can_open: bool) -> None:
        super().__init__("reference", "")
        self._can_open = can_open
        self._page: ReferencePage | None = None

    def show(self, page: ReferencePage) -> None:
        """Show a page from its beginning."""
        self._page = page
        self.redraw_lines()
        self.scroll_to(y=0, animate=False)

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lines of all parts."""
        keys = {EXAMPLE: "Enter opens it" if self._can_open else "", REPLACEMENT: "y copies it"}
        if self._page is None:
            return []
        lines = wrap_sentence(self._page.subject, width, "strong")
        for title, blocks in self._page.parts:
            lines += [[]] if lines else []
            lines.append(_draw_rule(title, keys.get(title, ""), width))
            lines += _draw_blocks(blocks, min(width, _MAX_COLUMNS))
        return lines


def _draw_rule(title: str, key: str, width: int) -> StyledLine:
    rule = "─" * max(width - len(title) - len(key) - 1, 1)
    return [StyledText("─", "quiet"), StyledText(title, "strong"), StyledText(rule + key, "quiet")]


def _draw_blocks(blocks: tuple[Block, ...], width: int) -> Iterator[StyledLine]:
    for index, block in enumerate(indent_blocks(blocks)):
        is_close = getattr(block, "is_close", False) or isinstance(block, Table)
        if index and not is_close:
            yield []
        style_name = "strong" if isinstance(block, Verbatim) and block.language == "ptx" else ""
        text = block._replace(lead="", indent="") if isinstance(block, Paragraph) else block
        for number, line in enumerate(write_text([text], width).splitlines()):
            is_head = isinstance(block, Table) and any(block.head) and not number
            for part in fold_line(line, width):
                yield [StyledText(part, "quiet" if is_head else style_name)]


class ReferenceScreen(AnswerScreen[str]):
    """Shows an erratum or a section; it returns the erratum whose example is to be opened."""

    DEFAULT_CSS = """
    ReferenceScreen {
        & > #reference-head { height: 1; padding: 0 1; background: $panel;
            & > #reference-title { width: 1fr; text-style: bold; }
            & > #reference-number { width: auto; }
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right_square_bracket", "step(1)", "Next erratum", show=False),
        Binding("left_square_bracket", "step(-1)", "Previous erratum", show=False),
        Binding("enter", "open_example", "Open the example", show=False),
        Binding("y", "copy_replacement", "Copy the replacement", show=False),
        Binding("q", "leave", "Leave", show=False),
    ]
    AUTO_FOCUS = "#reference"

    def __init__(self, reference: str, can_open: bool = True) -> None:
        super().__init__()
        self.reference = reference
        """The reference whose page is shown."""
        self._can_open = can_open
        self._title = Static(id="reference-title")
        self._number = Static(id="reference-number")
        self._pane = ReferencePane(can_open)
        self._keys = KeyBar()

    def compose(self) -> ComposeResult:
        """Yield the title, the page and the keys."""
        with Horizontal(id="reference-head"):
            yield self._title
            yield self._number
        yield self._pane
        yield self._keys

    def on_mount(self) -> None:
        """Show the page."""
        super().on_mount()
        self._show()

    def _show(self) -> None:
        page = make_page(self.reference)
        self._title.update(Content(page.title))
        self._number.update(Content(page.number))
        self._pane.show(page)
        self._keys.show(tuple(self._iter_keys()), (FooterKey((("Esc", "leave"),), "back"),))

    def _iter_keys(self) -> Iterator[FooterKey]:
        yield FooterKey((("↑↓", "scroll_down"),), "scroll")
        if is_erratum(self.reference):
            if self._can_open:
                yield FooterKey((("Enter", "open_example"),), "open the example")
            if self._replacement:
                yield FooterKey((("y", "copy_replacement"),), "copy")
            yield FooterKey((("[", "step(-1)"), ("]", "step(1)")), "errata")
        yield FooterKey((("E", "app.do('reference')"),), "more")
        yield FooterKey((("?", "app.do('help')"),), "keys")

    @property
    def _replacement(self) -> tuple[str, ...]:
        is_known = is_erratum(self.reference)
        return find_replacement(find_erratum(self.reference)) if is_known else ()

    async def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        """Run the action of a clicked key."""
        await self.run_action(event.action)

    def action_step(self, delta: int) -> None:
        """Show the next or the previous erratum."""
        if is_erratum(self.reference):
            self.reference = step_reference(self.reference, delta)
            self._show()

    def action_open_example(self) -> None:
        """Close, and open the example in the explorer."""
        if self._can_open and is_erratum(self.reference):
            self.close_with(self.reference)

    def action_copy_replacement(self) -> None:
        """Copy the plain PTX with the documented result."""
        if lines := self._replacement:
            self.copy("\n".join(lines), "the plain PTX")
