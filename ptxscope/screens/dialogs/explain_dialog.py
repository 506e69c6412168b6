"""The dialog of the explanations of a result."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Static

from ...blocks.block_explanations import explain_block
from ...diagnosis.explanations import Diagnosis, Explanation
from ...diagnosis.observation import Observation, parse_got
from ...documents.formats.diagnosis_report import (
    format_causes,
    iter_explanation_blocks,
    iter_observation_lines,
    iter_unexplained_blocks,
)
from ...documents.formats.markup import Block
from ...documents.formats.report import write_text
from ...documents.formats.text import WIDTH
from ...engine.syntax.asm_bindings import find_reading_type
from ...engine.syntax.errors import PtxError, make_printable
from ...engine.tracing.trace import Trace
from ...feature import Service, find_services
from ...state.requests import MenuItem
from ...widgets.base.explorer_app import get_explorer_app
from ...widgets.base.form_fields import LabelledInput, Menu, Page
from ..thread_search import ThreadSearch
from .dialog import Dialog, DialogFrame

_LABEL = 12
"""Columns of the label before a value, as in the report."""
_PAUSE = 0.15
"""Seconds without a key before the typed value is explained."""


_NEXT = MenuItem("Which of these? The operands to try next")


class ExplainDialog(Dialog[tuple[str, Explanation | Mapping[str, int] | None]]):
    """Asks for the observed result; returns it with the chosen explanation, or operands to try."""

    DEFAULT_CSS = """
    ExplainDialog {
        & LabelledInput > Static { width: 12; }
        & #seen { height: auto; color: $quiet; }
        & #findings { height: auto; max-height: 35vh; }
        & #why { height: auto; max-height: 45vh; scrollbar-gutter: stable; }
        &.-unexplained #why { max-height: 65vh; }
    }
    """
    BINDING_GROUP_TITLE = "Why?"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+y", "copy", "Copy", show=False)]

    def __init__(
        self,
        trace: Trace,
        operands: Mapping[str, int],
        got: str,
        is_of_another: bool = False,
        other_writers: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        self._title = f"Why did I get that?{' · of the last legal line' if is_of_another else ''}"
        """The title. If the current line is not legal, the last legal line is explained."""
        self._trace, self._initial_text = trace, got
        self._operands = operands
        """The operands of the trace, and the values of registers that the line does not read."""
        self._other_writers = other_writers
        """The other statements of the listing by the registers that they write."""
        self._diagnosis: Diagnosis | None = None
        self._next: Mapping[str, int] = {}
        """The operands to try next, once found."""
        self._write_next: Callable[[int], str] | None = None
        """Writes the table of these operands for a width in columns; None until the search ends."""
        self._search = ThreadSearch(self)
        self._wait: Timer | None = None
        self._messages: list[str] = []
        self._observation_line = Static(id="seen")
        self._explanation_menu = Menu("Explanations", [], "findings")
        self._causes_page = Page("why", "Why")

    def compose(self) -> ComposeResult:
        """Yield the observed result, the explanations and the steps of one of them."""
        names = list(self._trace.instruction.results.values())
        hint = "0x11223344, -1, 0x??01??00, [?,1,?,0]"
        if len(names) > 1:
            hint = " ".join(f"{name}=1" for name in names)
        keys = "Enter explain, again: compare · ^y copy · Esc leave"
        with DialogFrame(self._title, keys):
            yield LabelledInput("got", "got", self._initial_text, hint)
            yield self._observation_line
            yield self._explanation_menu
            yield self._causes_page

    def on_mount(self) -> None:
        """Explain the value typed earlier."""
        self._explain()

    @property
    def _observed_text(self) -> str:
        return self.query_one("#got", Input).value

    @on(Input.Changed)
    def _handle_input_changed(self) -> None:
        if self._wait is not None:
            self._wait.stop()
        self._wait = self.set_timer(_PAUSE, self._explain)

    @on(Input.Submitted)
    def _handle_input_submitted(self) -> None:
        self._explain()
        if self._diagnosis and self._diagnosis.explanations:
            self._explanation_menu.focus()

    def _explain(self) -> None:
        if self._wait is not None:
            self._wait.stop()
        self._search.stop()
        self._diagnosis, self._next, self._write_next = None, {}, None
        text = self._observed_text.strip()
        if not text:
            self._show(["Which result did you get? Write ? for unknown digits."], [])
            return
        ins = self._trace.instruction
        parts = text.split() if len(ins.results) > 1 else [text]
        try:
            observed = dict(parse_got(ins, part, find_reading_type) for part in parts)
        except PtxError as error:
            self._show([self._describe_other_writer(parts) or error.summary], [])
            return
        self._diagnosis = explain_block(self._trace.block, [Observation(self._operands, observed)])
        lines = [line.strip() for line in iter_observation_lines(self._diagnosis)]
        self._show(lines[1:], self._diagnosis.explanations)

    def _describe_other_writer(self, parts: Sequence[str]) -> str:
        """Return the other statement that writes an observed register, and how to go there."""
        for name in (part.partition("=")[0].strip() for part in parts):
            if name in self._other_writers:
                keys = " or ".join(get_explorer_app(self).key_names["listing.move"][0].split())
                return (
                    f"`{name}` is a result of `{self._other_writers[name]}`: "
                    f"press Esc, go there with {keys}, and explain it there"
                )
        return ""

    def _show(
        self, lines: list[str], explanations: tuple[Explanation, ...] | list[Explanation]
    ) -> None:
        self._messages = lines
        self._show_observation()
        ins = self._trace.instruction
        items = [
            MenuItem(
                format_causes(explanation),
                explanation.ptx if explanation.instruction != ins else "",
            )
            for explanation in explanations
        ]
        is_open = self._diagnosis is not None and len(self._diagnosis.likeliest) > 1
        can_ask = is_open and find_services(Service.SEPARATE_EXPLANATIONS)
        self._explanation_menu.show([*items, _NEXT] if can_ask else items)
        self.set_class(not explanations, "-unexplained")
        self._explanation_menu.border_title = f"Explanations · {len(explanations)}"
        self._show_why()

    def _show_observation(self) -> None:
        """Show the documented result with its value below the typed one."""
        width = self._observation_line.content_size.width or WIDTH
        lines: list[str] = []
        for text in self._messages:
            label, _, value = make_printable(text).partition("  ")
            lead = label.ljust(_LABEL) if value else ""
            lines += textwrap.wrap(
                value.strip() or label,
                max(width, _LABEL + 8),
                initial_indent=lead,
                subsequent_indent=" " * len(lead),
                break_on_hyphens=False,
            )
        self._observation_line.update(Content("\n".join(lines)))

    def _show_why(self) -> None:
        diagnosis, index = self._diagnosis, self._explanation_menu.index
        width = min(self._causes_page.scrollable_content_region.width or WIDTH, WIDTH)
        if diagnosis is None:
            self._causes_page.show("")
        elif self._is_question(index):
            self._causes_page.show(self._write_next(width) if self._write_next else "searching…")
            if not self._write_next and not self._search.is_running:
                self.call_later(self._find_next, diagnosis)
        else:
            blocks = (
                iter_explanation_blocks(diagnosis, diagnosis.explanations[index], width)
                if diagnosis.explanations
                else iter_unexplained_blocks(diagnosis)
            )
            self._causes_page.show(write_text(blocks, width).rstrip("\n"))

    def _is_question(self, index: int) -> bool:
        """Whether an item of the menu is the question about the right explanation."""
        return self._diagnosis is not None and index >= len(self._diagnosis.explanations) > 0

    async def _find_next(self, diagnosis: Diagnosis) -> None:
        """Find the operands to try next, and show the meaning of each result."""
        (find, *_) = find_services(Service.SEPARATE_EXPLANATIONS)

        def take(answer: tuple[Mapping[str, int], Iterable[Block]]) -> None:
            self._next, blocks = answer
            show(partial(write_text, blocks))

        def refuse(error: Exception) -> None:
            show(lambda _: make_printable(str(error)))

        def show(write: Callable[[int], str]) -> None:
            self._write_next = write
            self._show_why()

        await self._search.start(partial(find, diagnosis), take, refuse)

    def on_resize(self) -> None:
        """Fold the text for the new width."""
        self.call_after_refresh(self._show_observation)
        self.call_after_refresh(self._show_why)

    @on(Menu.ItemHighlighted)
    def _handle_item_highlighted(self) -> None:
        self._show_why()

    @on(Menu.ItemChosen)
    def _handle_item_chosen(self, event: Menu.ItemChosen) -> None:
        if self._is_question(event.index):
            if self._next:
                self.close_with((self._observed_text, self._next))
        elif self._diagnosis:
            self.close_with((self._observed_text, self._diagnosis.explanations[event.index]))

    def action_copy(self) -> None:
        """Copy the explanation."""
        self.copy(self._causes_page.read_text(), "the explanation")

    def action_leave(self) -> None:
        """Return to the explorer, which is unchanged."""
        self.close_with((self._observed_text, None))
