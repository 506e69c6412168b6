"""A kernel's statements, and the registers and places of the thread that executes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container

from ....engine.isa.encodings import format_hex
from ....engine.syntax.errors import format_count, make_printable
from ....sources.source_lines import read_source_lines
from ....widgets.base.explorer_app import PostedMessage
from ....widgets.base.pane import Pane, StyledLine, StyledText, wrap_sentence
from ..kernel_report import format_statements

if TYPE_CHECKING:
    from ..step_history import StatementPlace
    from ..thread_memory import ShownBuffer
    from ..thread_run import KernelRow, ShownValue, ThreadRun

_STATEMENTS_TITLE = "Statements"
_VALUES_TITLE = "Registers and memory"
_MAX_EXPLANATIONS = 3
_LATEST_PLACES = 3
"""Number of places above the registers."""
_MARGIN = 8
"""Columns before a statement: its line and its marks."""
_ELEMENT_STYLES = {"≠": "surprise", "•": "strong", "+": "", " ": "quiet"}
"""The styles of a buffer's elements, by their marks."""
_RESULT_COLUMNS = 50
"""Columns of the list from which it shows results; the registers are beside it in any case."""


class KernelPane(Pane, inherit_bindings=False):
    """The statements, with the next one, the cursor and the latest results.

    The screen's keys move the cursor, and it scrolls to that.
    """

    DEFAULT_CSS = """
    KernelPane { width: 1fr; height: 1fr; }
    """

    class StatementChosen(PostedMessage):
        """Posted to move the cursor to a statement."""

        control: KernelPane
        place: StatementPlace

    def __init__(self, run: ThreadRun) -> None:
        super().__init__("kernel", _STATEMENTS_TITLE)
        self._run = run

    def show(self, run: ThreadRun, title: str = "") -> None:
        """Show another position, with the cursor in view."""
        self._run = run
        title = title or " · ".join(filter(None, (_STATEMENTS_TITLE, run.pass_text)))
        self.set_title(make_printable(title))
        self.redraw_lines()
        self.show_cursor()

    def show_cursor(self) -> None:
        """Scroll to the cursor."""
        self.show_target(self._run.cursor, context=3)

    def draw(self, width: int) -> list[StyledLine]:
        """Return each statement below its source, and its result if there is room."""
        has_results, source, lines = width >= _RESULT_COLUMNS, "", list[StyledLine]()
        for row in self._run.rows:
            if row.source != source:
                source = row.source
                names = wrap(make_printable(source), max(width - _MARGIN, 1))
                lines += [[StyledText(" " * _MARGIN), StyledText(x, "quiet")] for x in names]
            lines += _iter_row_lines(row, width, has_results)
        return lines

    def handle_click(self, target: object) -> None:
        """Move the cursor to a statement."""
        if isinstance(target, tuple):
            self.post_message(self.StatementChosen(self, target))


def _iter_row_lines(row: KernelRow, width: int, has_results: bool) -> Iterator[StyledLine]:
    mark = "▸" if row.is_next else "·" if row.has_cursor else " "
    style = "focus" if row.is_next else "strong" if row.has_cursor else ""
    result = make_printable(row.result) if has_results else ""
    result_style = "number" if row.is_next else "quiet"
    if result.startswith("≠"):
        result_style = "surprise"
    text = make_printable(row.text)
    room = max(width - _MARGIN - (len(result) + 1 if result else 0), 1)
    suspect = "≠" if row.is_suspect else " "
    first, *others = wrap(text, room, subsequent_indent="  ") or [""]
    yield [
        StyledText(f"{row.line:>4} ", "quiet", row.place),
        StyledText(suspect, "surprise", row.place),
        StyledText(f"{mark} ", style or "quiet", row.place),
        *_colour_statement(f"{first:<{room}} ", style, row.place),
        StyledText(result, result_style, row.place),
    ]
    for part in others:
        statement = _colour_statement(part, style, row.place, is_continued=True)
        yield [StyledText(" " * _MARGIN), *statement]


_WORDS = re.compile(r"(@!?%?\w+)|([A-Za-z_$]\w*(?:(?:\.|::)\w+)*)|%\w+(?:\.\w+)?|[^\w@%$]+|.")
"""A guard, an opcode with its modifiers or another name, a register, or anything else."""


def _colour_statement(
    text: str, style: str, place: StatementPlace, *, is_continued: bool = False
) -> Iterator[StyledText]:
    """Yield a statement with its guard and opcode in their styles."""
    for match in _WORDS.finditer(text):
        guard, name = match.groups()
        if name and not is_continued:
            is_continued = True
            opcode, dot, modifiers = name.partition(".")
            yield StyledText(opcode, style or "strong", place)
            yield StyledText(dot + modifiers, style, place)
        else:
            yield StyledText(match[0], style or ("quiet" if guard else ""), place)


class RunView(Container):
    """A run of one thread: the statements, and the values beside or below them."""

    DEFAULT_CSS = """
    RunView {
        width: 1fr; height: 1fr; layout: horizontal;
        &.-tall { layout: vertical; & ValuesPane { width: 100%; height: 2fr; } }
        &.-tall KernelPane { height: 3fr; }
    }
    """

    def __init__(self, run: ThreadRun) -> None:
        super().__init__()
        self.kernel, self.values = KernelPane(run), ValuesPane(run)

    def compose(self) -> ComposeResult:
        """Yield the statements and the values."""
        yield self.kernel
        yield self.values

    def show(
        self, run: ThreadRun, note: str = "", buffer: ShownBuffer | None = None, title: str = ""
    ) -> None:
        """Show another position, with a note on a computation, a buffer, a title of its own."""
        self.kernel.show(run, title)
        self.values.show(run, note, buffer)


class ValuesPane(Pane):
    """The thread's values and accesses, and the remarks on a fault."""

    DEFAULT_CSS = """
    ValuesPane { width: 36; height: 1fr; &.-wide { width: 50; } }
    """

    def __init__(self, run: ThreadRun) -> None:
        super().__init__("values", _VALUES_TITLE)
        self._run = run
        self._note = ""

        self._buffer: ShownBuffer | None = None

    def show(self, run: ThreadRun, note: str = "", buffer: ShownBuffer | None = None) -> None:
        """Show another position; ``note`` names the computation in progress.

        With a buffer, its elements are shown instead of the registers, the changed ones in view.
        """
        self._run, self._note, self._buffer = run, note, buffer
        self.set_title(make_printable(buffer.title) if buffer else _VALUES_TITLE)
        self.redraw_lines()
        if buffer and buffer.focus is not None:
            self.show_target(buffer.focus, context=2)

    def draw(self, width: int) -> list[StyledLine]:
        """Return the fault, the last changes, the registers and the places; or a buffer."""
        run, lines = self._run, list[StyledLine]()
        if self._buffer:
            return list(_iter_buffer_lines(self._buffer, width))
        notes = (run.message, ""), (run.limit_text, ""), (self._note, "quiet")
        for text, style in notes:
            if text:
                lines += wrap_sentence(make_printable(text), width, style)
        lines += self._draw_explanations(width)
        changed = [x for x in (*run.registers, *run.places) if x.is_changed]
        registers, places = (
            [x for x in y if not x.is_changed] for y in (run.registers, run.places)
        )
        latest, others = places[:_LATEST_PLACES], places[_LATEST_PLACES:]
        for values in (changed, latest, registers, others):
            if values and lines:
                lines.append([])
            lines += [_draw_value(x, width) for x in values]
        if older := run.older_place_count:
            lines.append([StyledText(f"and {format_count(older, 'earlier place')}", "quiet")])
        return lines

    def _draw_explanations(self, width: int) -> list[StyledLine]:
        diagnosis = self._run.diagnosis
        if diagnosis is None:
            return []
        count, lines = diagnosis.element_count, list[StyledLine]()
        sources = read_source_lines(self._run.launch.code.text)
        explanations = diagnosis.explanations or diagnosis.near_misses
        if not diagnosis.explanations:
            lines += wrap_sentence("No single change gives the expected values.", width, "strong")
        for x in explanations[:_MAX_EXPLANATIONS]:
            place = format_statements(x.statements, sources) if x.statement else "the kernel"
            place = place[0].upper() + place[1:]
            share = "all" if x.match_count == count else f"{x.match_count} of"
            text = f"{place} {x.phrase} explains {share} {count}."
            lines += wrap_sentence(make_printable(text), width, "strong")
        if len(explanations) > _MAX_EXPLANATIONS:
            lines.append([StyledText(f"and {len(explanations) - _MAX_EXPLANATIONS} more", "quiet")])
        if diagnosis.untried:
            text = f"Not tried within the time limit: {diagnosis.untried}."
            lines += wrap_sentence(text, width, "quiet")
        elif diagnosis.has_untried:
            lines += wrap_sentence("x again tries less likely changes.", width, "quiet")
        return lines


def _draw_value(value: ShownValue, width: int) -> StyledLine:
    """Return ``• %r8 = 0x00000072  114``; the mark stands for a change."""
    name = make_printable(value.name)
    if value.bits is None:
        number, decimal = "?", ""
    elif value.width == 1:
        number, decimal = str(bool(value.bits)).lower(), ""
    else:
        number = format_hex(value.bits, value.width)
        decimal = f"  {value.place or value.bits}"
    text = f"{name:<6} = {number}"
    if len(text) + len(decimal) + 2 <= width:
        text += decimal
    elif value.place:
        text = f"{name:<6} = {value.place}"
    style = "strong" if value.is_changed else ""
    return [StyledText("• " if value.is_changed else "  ", style), StyledText(text, style)]


def _iter_buffer_lines(buffer: ShownBuffer, width: int) -> Iterator[StyledLine]:
    """Yield rows of elements: ``  [8]   5 •7 +9``, and their bits below; marks stand for changes.

    The target of a row is the element to have in view, if it is in the row.
    """
    element_width = max((len(y) for x in buffer.elements for y in x[:2]), default=1) + 2
    index_width = len(f"[{buffer.start + len(buffer.elements)}]") + 1
    columns = 1
    while 2 * columns * element_width + index_width <= width and columns < 16:
        columns *= 2
    for first in range(0, len(buffer.elements), columns):
        index = buffer.start + first
        is_focus = buffer.focus is not None and index <= buffer.focus < index + columns
        target = buffer.focus if is_focus else None
        line = [StyledText(f"{f'[{index}]':>{index_width}}", "quiet", target)]
        for x in buffer.elements[first : first + columns]:
            mark = "≠" if x.is_wrong else "•" if x.is_changed else "+" if x.is_written else " "
            style = _ELEMENT_STYLES[mark]
            line.append(StyledText(f"{mark + x.text:>{element_width}}", style))
        yield line
        bits = "".join(
            f"  {element.hex_text:>{element_width - 2}}"
            for element in buffer.elements[first : first + columns]
        )
        yield [StyledText(f"{'0x':>{index_width}}", "quiet"), StyledText(bits, "quiet")]
    if len(buffer.elements) < buffer.element_count:
        yield [StyledText(f"of {buffer.element_count:,} elements", "quiet")]
