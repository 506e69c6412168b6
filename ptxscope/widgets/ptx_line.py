"""The PTX line: highlighted by part, with completion, and with its errors below."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len
from rich.highlighter import Highlighter
from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Input

from ..engine.isa.catalog import CATALOG
from ..engine.isa.entry import format_citation
from ..engine.syntax.errors import NotOneError, PtxError, Span, make_printable
from ..engine.syntax.instruction import Instruction
from ..engine.syntax.parser import parse_all
from ..state.listing_transitions import open_typed_text, paste_text
from .base.explorer_app import Do, PostedMessage, get_explorer_app
from .base.form_fields import PlainInput
from .base.pane import GOES_ON, Pane, StyledLine, StyledText
from .base.theme_styles import get_theme_styles
from .footer import HintBar

if TYPE_CHECKING:
    from ..engine.syntax.completions import Completion

_NARROW_WIDTH = 24
"""Minimum columns for a message after its carets instead of below them."""
_INKS = {"opcode": "strong", "guard": "quiet", **{role: f"data-{role}" for role in "abc"}}
"""The styles of the parts of an instruction."""


class _PartHighlighter(Highlighter):
    """Colours the parts of the instruction and underlines errors."""

    def __init__(self, line: PtxLine) -> None:
        self.line = line

    def highlight(self, text: Text) -> None:
        style = self.line.screen.get_component_rich_style
        for part, (start, end) in self.line.parts.items():
            if part in _INKS:
                text.stylize(style(f"ink--{_INKS[part]}", partial=True), start, end)
        for start, end in self.line.problem_spans:
            text.stylize(style("ink--surprise", partial=True), start, max(end, start + 1))
            text.stylize("underline", start, max(end, start + 1))


class PtxLine(PlainInput):
    """The editable instruction."""

    BINDING_GROUP_TITLE = "Line"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", "Complete", show=False),
        Binding("up", "move_candidate(-1)", "Previous completion", show=False),
        Binding("down", "move_candidate(1)", "Next completion", show=False),
        Binding("enter", "leave", "Done", show=False),
        Binding("f2", "screen.do('edit.fix')", "fix", show=False),
    ]
    DEFAULT_CSS = """
    PtxLine { border: none; height: 1; padding: 0 1; }
    PtxLine:focus { border: none; height: 1; }
    """

    class Edited(PostedMessage):
        """Posted when the user has changed the text."""

        control: PtxLine
        text: str
        is_pasted: bool = False
        """Whether by a paste, which is a separate edit."""

    class CandidateMoved(PostedMessage):
        """Posted when another candidate is the one for Tab."""

        control: PtxLine

    class Scrolled(PostedMessage):
        """Posted when another part of the text becomes visible."""

        control: PtxLine

    def __init__(self, id: str = "line") -> None:  # noqa: A002
        self.parts: Mapping[str, Span] = {}
        self.problem_spans: tuple[Span, ...] = ()
        self._has_fix = False
        super().__init__(
            id=id,
            placeholder="an instruction, or paste an asm statement",
            highlighter=_PartHighlighter(self),
            select_on_focus=False,
        )
        self._shown_text = ""
        self._candidates: tuple[Completion, ...] | None = None
        """The candidates; None after a change of the text."""
        self.candidate = 0
        """The index of the candidate for Tab and, unless it is the first, for Enter."""
        self._pasted = False

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the line, with signs at the edges where it continues. Overrides Textual."""
        width, first = self.scrollable_content_region.width, self.scroll_offset.x
        edge = GOES_ON[0] if first > 0 else ""
        right = GOES_ON[1] if cell_len(self.value) - first > width else ""
        return [
            self._add_edges(
                strip, edge if crop.x == 0 else "", right, self.outer_size.width - crop.x
            )
            for strip in super().render_lines(crop)
        ]

    def _add_edges(self, strip: Strip, left_edge: str, right_edge: str, width: int) -> Strip:
        """Return a strip with signs in its first column and in the widget's last."""
        parts = [strip]
        if left_edge:
            parts = [self._make_sign(left_edge), strip.crop(1)]
        if right_edge and strip.cell_length == width:
            parts = [
                *parts[:-1],
                parts[-1].crop(0, parts[-1].cell_length - 1),
                self._make_sign(right_edge),
            ]
        return Strip.join(parts)

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Move the marks that point into the text. Overrides Textual."""
        super().watch_scroll_x(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.Scrolled(self))

    def _make_sign(self, text: str) -> Strip:
        strip = Strip(
            [Segment(text, self.rich_style + get_theme_styles(self.app).resolve_style("focus"))]
        )
        for line_filter in self.get_line_filters():
            strip = strip.apply_filter(line_filter, self.background_colors[1])
        return strip

    def show(self, text: str, ins: Instruction, error: PtxError | None) -> None:
        """Show a line without posting an edit."""
        # spans belong to the parsed text, which may differ from a pasted line in blanks
        self._has_fix = error is not None and error.fix is not None
        parts = ins.spans if error is None and ins.text == text else {}
        problem_spans = tuple(problem.span for problem in error.errors) if error else ()
        typing = self.value != self._shown_text  # an event with more typed text is still queued
        if text == self.value or not typing:
            self._shown_text = text
        if text != self.value and not typing:
            self.value = text
            self.cursor_position = len(text)
        self._forget_candidates()
        if (parts, problem_spans) != (self.parts, self.problem_spans):
            self.parts, self.problem_spans = parts, problem_spans
            self.refresh()

    def format_key_label(self, action: str, label: str) -> str:
        """Return a key's label; empty without an effect: no error has a single fix."""
        return "" if action == "screen.do('edit.fix')" and not self._has_fix else label

    @property
    def candidates(self) -> tuple[Completion, ...]:
        """The completions at the end of the text."""
        text, completions = self.value, self._candidates
        if completions is None:
            from ..engine.syntax.completions import find_completions

            all_completions = find_completions(text)
            completions = tuple(x for x in all_completions if text[: x.start] + x.text != text)
            self._candidates = completions
        return completions

    def _forget_candidates(self) -> None:
        self._candidates, self.candidate = None, 0

    def on_input_changed(self, event: Input.Changed) -> None:
        """Distinguish typed text from shown text."""
        event.stop()
        if event.value != self._shown_text:
            self._forget_candidates()
            self.post_message(self.Edited(self, event.value, self._pasted))
            self._pasted = False

    def _on_paste(self, event: events.Paste) -> None:
        """Replace the line by a pasted instruction; insert other text."""
        try:
            parse_all(event.text)
            whole = True
        except PtxError:
            whole = len(event.text.strip().splitlines()) > 1
        if whole:
            event.stop()
            event.prevent_default()
            self.post_message(Do(self, paste_text, event.text))
        else:
            event.stop()  # PlainInput and Input, whose handlers run next, insert it
            self._pasted = True

    def action_move_candidate(self, delta: int) -> None:
        """Choose another completion."""
        if self.candidates:
            self.candidate = (self.candidate + delta) % len(self.candidates)
            self.post_message(self.CandidateMoved(self))

    def action_complete(self) -> None:
        """Insert the completion, or go to the next widget."""
        if self._can_complete:
            self._take_completion()
        else:
            self.screen.focus_next()

    def action_leave(self) -> None:
        """Release the focus, after inserting a completion chosen explicitly."""
        if self._can_complete and self.candidate:
            self._take_completion()
        else:
            self.screen.set_focus(None)
            self.post_message(Do(self, open_typed_text, self.value))

    @property
    def _can_complete(self) -> bool:
        return bool(self.candidates) and self.cursor_position == len(self.value)

    def _take_completion(self) -> None:
        completion = self.candidates[self.candidate]
        self.value = self.value[: completion.start] + completion.text
        self.cursor_position = len(self.value)


class LineState(NamedTuple):
    """The instruction of the line, and the messages about it."""

    instruction: Instruction
    error: PtxError | None = None
    notes: tuple[str, ...] = ()
    candidates: tuple[Completion, ...] = ()
    candidate: int = 0
    """The index of the candidate for Tab."""
    first_column: int = 0
    """The column that is leftmost on the screen."""


class LineStatus(Pane, can_focus=False):
    """Two lines below the PTX line: carets and errors; allowed words or completions."""

    DEFAULT_CSS = """
    LineStatus { height: 2; border: none; padding: 0 1; overflow: hidden; }
    """

    def __init__(self, instruction: Instruction) -> None:
        super().__init__("status", "")
        self._line = LineState(instruction)
        self.completion_rest = ""
        """The part that did not fit at the last drawing."""

    def show(self, line: LineState) -> None:
        """Show the status of a line."""
        self._line = line
        self.redraw_lines()

    def draw(self, width: int) -> list[StyledLine]:
        """Return carets and a message, or notes; then allowed words, or completions."""
        self.completion_rest, error = "", self._line.error
        if error is None:
            completion_text = self._draw_completion(width)
            about = self._draw_note(width)
            return [*about[:1], completion_text] if completion_text else about[:2]
        problem, first_column = error.errors[0], self._line.first_column
        start, end = (x - first_column for x in problem.span)
        is_before = end <= 0 < first_column
        edge_mark = GOES_ON[0] if is_before else GOES_ON[1] if start >= width else ""
        start = min(max(start, 0), max(width - 1, 0))
        carets = edge_mark or "^" * max(min(end, width) - start, 1)
        message = make_printable(problem.message)
        if problem.fix is not None:
            message += (
                f" · F2: {make_printable(problem.fix)}" if problem.fix else " · F2 removes it"
            )
        if isinstance(error, NotOneError):
            message += "".join(f" · {note}" for note in self._line.notes[:1])
        room = width - start - len(carets) - 1
        hint = self._format_allowed(problem.hint) if problem.hint else ""
        lead: StyledLine = [StyledText(" " * start), StyledText(carets, "surprise")]
        if len(message) <= room:
            return [
                [*lead, StyledText(f" {message}", "surprise")],
                self._make_second_line(hint, width),
            ]
        if len(message) <= start - 1:
            first = [StyledText(message.ljust(start), "surprise"), StyledText(carets, "surprise")]
            return [first, self._make_second_line(hint, width)]
        rest_text = f"{message}; {hint}" if hint else message
        if len(rest_text) <= width:
            return [lead, [StyledText(rest_text, "surprise")]]
        if len(message) <= width:
            self.completion_rest = hint
            return [lead, [StyledText(message, "surprise")]]
        first_row, *other_rows = _fold_text(" " * len(carets) + f" {message}", width - start) or [
            ""
        ]
        below = _fold_text(message[len(first_row.strip()) :].strip(), width) if other_rows else []
        if room >= _NARROW_WIDTH and len(below) == 1:
            self.completion_rest = hint
            return [
                [*lead, StyledText(f" {first_row.strip()}", "surprise")],
                [StyledText(below[0], "surprise")],
            ]
        self.completion_rest = rest_text.replace(HintBar.SEPARATOR, "; ")
        return [lead, [StyledText(message[: max(width - 1, 0)] + "…", "surprise")]]

    def _format_allowed(self, hint: str) -> str:
        """Return the allowed words, without the long list of all instructions."""
        if set(hint.split()) >= set(CATALOG):
            key = get_explorer_app(self).key_names["go.find"][0]
            return f"allowed: one of {len(CATALOG)} instructions; {key} finds one by words"
        return f"allowed: {make_printable(hint)}"

    def _make_second_line(self, hint: str, width: int) -> StyledLine:
        """Return completions, or the allowed words, which become a hint if they do not fit."""
        if line := self._draw_completion(width):
            return line
        if len(hint) > width:
            self.completion_rest, hint = hint, ""
        return [StyledText(hint, "quiet")]

    def redraw_lines(self) -> None:
        """Redraw; text that does not fit becomes a hint."""
        super().redraw_lines()
        self.show_hint()

    def show_hint(self) -> None:
        """Show text that does not fit as a hint, unless there is another hint."""
        if self.is_mounted and self.size:
            focus = self.screen.focused
            is_shown = bool(self.visible_lines) and (focus is None or isinstance(focus, PtxLine))
            self.post_hint(self.completion_rest if is_shown else "")

    def _draw_note(self, width: int) -> list[StyledLine]:
        """Return notes on a legal line, or a description of the instruction."""
        if self._line.notes:
            return [
                [StyledText(text)]
                for text in _fold_text(make_printable(" · ".join(self._line.notes)), width)
            ]
        entry = self._line.instruction.entry
        minimum = entry.compute_minimum(self._line.instruction.form)
        source = format_citation([entry.section], is_ascii=get_explorer_app(self).is_ascii)
        text = f"{entry.summary} · {source}; {minimum}"
        return [[StyledText(x, "quiet")] for x in _fold_text(text, width)]

    def _draw_completion(self, width: int) -> StyledLine:
        """Return the completions, with a mark on the candidate for Tab."""
        chosen, candidates = self._line.candidate, self._line.candidates
        if not candidates:
            return []
        lead = "Tab, Enter: " if chosen else "Tab: "
        line: StyledLine = [StyledText(lead, "quiet")]
        column = len(lead)
        for index, candidate in enumerate((*candidates[chosen:], *candidates[:chosen])):
            is_last = index == len(candidates) - 1
            if column + len(candidate.text) + (0 if is_last else 3) > width:
                line.append(StyledText("…"[: max(width - column, 0)], "quiet"))
                break
            line.append(StyledText(candidate.text, "quiet" if index else "focus"))
            line.append(StyledText("  "))
            column += len(candidate.text) + 2
        about = candidates[chosen].about
        room = width - column - 2
        if len(about) > room:
            about = f"{about[: room - 1]}…" if room >= _NARROW_WIDTH else ""
        line.append(StyledText(f"  {about}" if about else "", "quiet"))
        return line


def _fold_text(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False)
