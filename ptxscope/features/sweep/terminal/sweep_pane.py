"""A pane of the results over all values of one or two operand lanes, with a movable point."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from typing import ClassVar, TypeVar

from rich.color import Color
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType

from ....engine.syntax.errors import make_printable
from ....engine.tracing.trace import Trace
from ....widgets.base.explorer_app import PartMessage, PostedMessage, get_explorer_app
from ....widgets.base.pane import Pane, StyledLine, StyledText, measure_line, wrap_sentence
from ..axis import SweepAxis
from ..computation import Sweep, compute_sweep
from ..register_parts import (
    RegisterPart,
    choose_default_parts,
    choose_default_result,
    list_result_parts,
    list_sweepable_parts,
)
from ..sweep_text import list_command_words
from ..sweep_words import describe_point, describe_sweep
from ..terminal_plot import (
    COLOUR_RAMP,
    RAMP,
    SHADES,
    STRIPS,
    PlotCell,
    PlotCellKind,
    PlotSize,
    draw_plot_lines,
    find_values_at,
)

_INKS = {
    PlotCellKind.EMPTY: "",
    PlotCellKind.PLAIN: "number",
    PlotCellKind.CLAMPED: "surprise",
    PlotCellKind.WRAPPED: "surprise",
    PlotCellKind.OTHER: "quiet",
    PlotCellKind.STRIP: "surprise",
    PlotCellKind.HERE: "focus",
    PlotCellKind.AXIS: "quiet",
    PlotCellKind.CURRENT: "focus",
    PlotCellKind.MAP: "",
}
_SHADED = frozenset((PlotCellKind.MAP, PlotCellKind.OTHER, PlotCellKind.HERE))
"""The marks on the shades of a map."""
_PARTS = ("plot", "x", "y", "of")
"""The targets of the arrows, in the order of Tab."""
_LESS = ("Fixed: ", "Not all ")
"""The starts of sentences that are dropped first if there is little room."""
_GRAIN = 8
"""Shades that are drawn as one, because each pair of them needs a style."""
_MIN_HEIGHT = 6
"""Lines reserved for the plot before sentences get any."""
_WIDE_MAP = 3
"""Maximum width of a map, in cells per line of its height."""


class SweepPane(Pane):
    """A plot or a map of a trace's instruction, with its lanes above and sentences below."""

    BINDING_GROUP_TITLE = "Plot"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "go(-1, 0)", "Left", show=False),
        Binding("right", "go(1, 0)", "Right", show=False),
        Binding("up", "go(0, 1)", "Up", show=False),
        Binding("down", "go(0, -1)", "Down", show=False),
        Binding("shift+left,ctrl+left,pageup", "leap(-1, 0)", "Far left", show=False),
        Binding("shift+right,ctrl+right,pagedown", "leap(1, 0)", "Far right", show=False),
        Binding("shift+up,ctrl+up", "leap(0, 1)", "Far up", show=False),
        Binding("shift+down,ctrl+down", "leap(0, -1)", "Far down", show=False),
        Binding("home", "leap(-99, 0)", "To the first value", show=False),
        Binding("end", "leap(99, 0)", "To the last value", show=False),
        Binding("tab", "part(1)", "Choose lanes", show=False),
        Binding("shift+tab", "part(-1)", "Choose lanes", show=False),
        Binding("enter", "part(0)", "Back to the plot", show=False),
        Binding("w", "words", "All words", show=False),
    ]
    DEFAULT_CSS = """
    SweepPane { height: 1fr; border: none; padding: 0; &:focus { border: none; } }
    """

    class PointMoved(PartMessage):
        """Posted to move the current point."""

        control: SweepPane
        role: str
        bits: int

    class Turned(PostedMessage):
        """Posted when the arrows change their effect."""

        control: SweepPane

    def __init__(self, trace: Trace) -> None:
        super().__init__("sweep", "")
        self._trace = trace
        self._x, self._result_part = _choose_first_parts(trace)
        self._y: RegisterPart | None = None
        self._part = "plot"
        self._all_words = False
        self._cells: list[list[PlotCell]] = []
        """The drawn plot below the first line."""
        self._cached_sentences: tuple[Sweep, int | None, list[str]] | None = None
        """The latest sentences, with their sweep and their value of y."""
        self.sweep = self._compute_sweep()

    # --- contents ---------------------------------------------------------------------

    @property
    def subject(self) -> object:
        """The form, which decides the operands."""
        return self._trace.instruction.form

    def show(self, trace: Trace) -> None:
        """Show another evaluation, of this instruction or of another one."""
        old_trace, self._trace = self._trace, trace
        is_other = old_trace.instruction != trace.instruction
        if is_other:
            self._x, self._result_part = _choose_first_parts(trace)
            self._y = None
        old_operands, operands = map(
            self._list_other_operands, (old_trace.operands, trace.operands)
        )
        if is_other or (old_trace.model, old_operands) != (trace.model, operands):
            self.sweep = self._compute_sweep()
        else:
            self.sweep.operands = trace.operands
            at_x, at_y = self.sweep.current_point
            if at_x is None or (self._y and at_y is None):
                self.sweep = self._compute_sweep()
        self.redraw_lines()

    def _compute_sweep(self) -> Sweep:
        trace = self._trace
        return compute_sweep(
            trace.block,
            trace.operands,
            self._x,
            self._y,
            result_part=self._result_part,
            model=trace.model,
        )

    def _list_other_operands(self, operands: Mapping[str, int]) -> dict[str, int]:
        """Return the operands without the swept parts."""
        names, other_operands = self._trace.instruction.names, dict(operands)
        for lane in filter(None, (self._x, self._y)):
            for role in other_operands:
                if names.get(role) == lane.name:
                    other_operands[role] = lane.insert(other_operands[role], 0)
        return other_operands

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lanes, the plot, the current point, and as many sentences as fit."""
        height = max(self.scrollable_content_region.height, 4)
        lines = [self._parts_line()]
        if self._all_words:
            sentences = map(make_printable, describe_sweep(self.sweep))
            return lines + [line for text in sentences for line in wrap_sentence(text, width, "")]
        point = wrap_sentence(make_printable(describe_point(self.sweep)), width, "strong")
        if scale := self._scale():
            column = measure_line(point[-1]) if point else width
            if column + len(scale) > width:
                point.append([StyledText(scale.strip(), "quiet")])
            else:
                point[-1].append(StyledText(scale, "quiet"))
        texts = self._describe_sweep()[1 : -1 if point else None]  # the last is the current point
        texts.sort(key=lambda text: text.startswith(_LESS))  # its effect comes first
        description_lines = [
            line for text in texts for line in wrap_sentence(make_printable(text), width, "quiet")
        ]
        room = min(len(description_lines), max((height - _MIN_HEIGHT - len(point) - 1) // 3, 0))
        unicode, colours = self._detect_characters()
        size = PlotSize(width, max(height - 1 - len(point) - room, 1), unicode, colours)
        if self._y:
            size = size._replace(width=min(width, size.height * _WIDE_MAP))
        shaded = colours and self._y is not None
        self._cells = draw_plot_lines(self.sweep, size)
        lines += [style_line(line, is_shaded=shaded) for line in self._cells]
        lines += point
        return lines + (
            description_lines[:room]
            if room == len(description_lines)
            else self._cut(description_lines[:room])
        )

    def _cut(self, texts: list[StyledLine]) -> list[StyledLine]:
        if texts:
            texts[-1] = [StyledText("… w: describe it in words", "quiet")]
        return texts

    def _detect_characters(self) -> tuple[bool, bool]:
        """Return whether the terminal has characters beyond ASCII, and colours."""
        unicode = not get_explorer_app(self).is_ascii
        return unicode, not (self.app.no_color or self.app.current_theme.ansi)

    def _describe_sweep(self) -> list[str]:
        """Return the sentences, renewed unless only x's current value has changed."""
        y = self._y and self._y.extract(self._trace.operands[self._y.role])
        if self._cached_sentences is None or self._cached_sentences[:2] != (self.sweep, y):
            self._cached_sentences = self.sweep, y, describe_sweep(self.sweep)
        return self._cached_sentences[2]

    def _parts_line(self) -> StyledLine:
        """Return the swept parts and the part of the result."""
        parts_by_axis = {"x": self._x, "y": self._y, "of": self._result_part}
        line: StyledLine = []
        for part, name in (("x", "x"), ("y", "y"), ("of", "shows")):
            lane = parts_by_axis[part]
            is_current = part == self._part
            line.append(StyledText(f"{name} ", "quiet"))
            text = make_printable(lane.label) if lane else "none"
            line.append(StyledText(f"◀ {text} ▶" if is_current else f" {text} ", "strong", part))
            line.append(StyledText("  "))
        line.append(
            StyledText(f"model {', '.join([self.sweep.model.name, *self._iter_legend()])}", "quiet")
        )
        return line

    def _iter_legend(self) -> Iterator[str]:
        """Yield the meaning of the drawn marks."""
        sweep = self.sweep
        if not self._y:
            yield from (f"{STRIPS[name]} {name}" for name in sweep.masks if name != "other")
        if sweep.other_model and sweep.divergence_mask.any():
            sign = "hatched" if self._y and all(self._detect_characters()) else "x"
            yield f"{sign} where {sweep.other_model.name} differs"

    def _scale(self) -> str:
        """Return the results that the shades represent."""
        sweep = self.sweep
        if not self._y:
            return ""
        low, high = sweep.result_axis.format_ends()
        if all(self._detect_characters()):
            return f"   dark {low} … light {high}"
        return f"   `{RAMP[0]}` {low} … `{RAMP[-1]}` {high}"

    def _resolve_style(self, names: str) -> Style:
        kind, dash, shades = names.partition("-")
        if dash and kind in _SHADED:
            above, _, below = shades.partition("-")
            return _make_shaded_style(kind, int(above), int(below))
        return super()._resolve_style(names)

    # --- moving ----------------------------------------------------------------------

    def action_go(self, x: int, y: int) -> None:
        """Move the point by a number of values, or choose another lane."""
        if self._all_words:
            self.scroll_relative(y=-y, animate=False)
        elif self._part != "plot":
            self._choose_next_part(self._part, x - y)
        else:
            self._move(x, y)

    def action_leap(self, x: int, y: int) -> None:
        """Move the point by sixteenths of the range."""
        if self._all_words:
            page = self.scrollable_content_region.height
            self.scroll_relative(y=(x - y) * page, animate=False)
        elif self._part == "plot":
            rows = self.sweep.y.size if self.sweep.y else 0
            self._move(x * max(self.sweep.x.size // 16, 1), y * max(rows // 16, 1))

    def _move(self, x: int, y: int) -> None:
        at_x, at_y = self.sweep.current_point
        axis, position = (self.sweep.x, at_x) if x else (self.sweep.y, at_y)
        if axis is None or position is None:
            return
        new_index = min(max(position + (x or y), 0), axis.size - 1)
        if new_index != position:
            self._post(axis, new_index)

    def _post(self, axis: SweepAxis, point: int) -> None:
        lane = axis.part
        bits = lane.insert(self._trace.operands[lane.role], axis.get_value(point))
        self.post_message(self.PointMoved(self, lane.role, bits))

    def action_part(self, delta: int) -> None:
        """Go to the next item that can be changed; with 0, return to the plot."""
        index = (_PARTS.index(self._part) + delta) % len(_PARTS) if delta else 0
        self._part, self._all_words = _PARTS[index], False
        self._handle_part_changed()

    def action_words(self) -> None:
        """Show all sentences, or the plot again."""
        self._all_words = not self._all_words
        self.scroll_to(y=0, animate=False)
        self._handle_part_changed()

    def _handle_part_changed(self) -> None:
        self.redraw_lines()
        self.post_message(self.Turned(self))

    async def on_click(self, event: events.Click) -> None:
        """Move the point to the click."""
        column, row = event.x - self.gutter.left, event.y - self.gutter.top - 1
        cell = None if self._all_words else find_values_at(self.sweep, self._cells, column, row)
        if cell is None:
            await super().on_click(event)
            return
        at_x, at_y = cell
        lane = self._x
        bits = lane.insert(self._trace.operands[lane.role], self.sweep.x.get_value(at_x))
        if self._y and self.sweep.y and at_y is not None:
            value = self.sweep.y.get_value(at_y)
            if self._y.name == lane.name:
                bits = self._y.insert(bits, value)
            else:
                self._post(self.sweep.y, at_y)
        self.post_message(self.PointMoved(self, lane.role, bits))

    def handle_click(self, target: object) -> None:
        """Choose the next lane."""
        self._choose_next_part(str(target), 1)

    def _choose_next_part(self, part: str, delta: int) -> None:
        """Choose another lane for x, for y or for the result."""
        block = self._trace.block
        if part == "x":
            self._x = _find_next(self._x, list(list_sweepable_parts(block)), delta)
            result = choose_default_result(block, self._x)
            self._result_part = result or self._result_part
            if self._y and _is_overlapping(self._x, self._y):
                self._y = None
        elif part == "y":
            first = choose_default_parts(block)[1]
            lanes = sorted(list_sweepable_parts(block), key=lambda lane: lane != first)
            separate_parts = [lane for lane in lanes if not _is_overlapping(self._x, lane)]
            self._y = _find_next(self._y, [None, *separate_parts], delta)
        else:
            self._result_part = _find_next(self._result_part, list(list_result_parts(block)), delta)
        self.sweep = self._compute_sweep()
        self._handle_part_changed()

    @property
    def moving_registers(self) -> tuple[str, ...]:
        """The registers that the arrows change now; none while they have another effect."""
        if self._all_words or self._part != "plot":
            return ()
        lanes = (self._x, self._y) if self._y else (self._x,)
        return tuple(dict.fromkeys(lane.register for lane in lanes))

    @property
    def arrows(self) -> str:
        """The arrows' effect while they move no point."""
        return "scroll" if self._all_words else "choose"

    @property
    def command(self) -> str:
        """The command that prints the same sweep."""
        return shlex.join(list_command_words(self.sweep))


PartT = TypeVar("PartT", bound=RegisterPart | None)


def _choose_first_parts(trace: Trace) -> tuple[RegisterPart, RegisterPart]:
    """Return the first swept part and the first part of the result."""
    x, _ = choose_default_parts(trace.block)
    result = x and choose_default_result(trace.block, x)
    assert x and result  # noqa: PT018
    return x, result


def _find_next(current_part: PartT, lanes: list[PartT], delta: int) -> PartT:
    index = lanes.index(current_part) if current_part in lanes else 0
    return lanes[(index + delta) % len(lanes)]


def _is_overlapping(x: RegisterPart, y: RegisterPart) -> bool:
    return x.name == y.name and bool(x.insert(0, x.mask) & y.insert(0, y.mask))


def style_line(line: list[PlotCell], *, is_shaded: bool) -> StyledLine:
    """Return cells as pieces, joined if they look the same."""
    pieces: StyledLine = []
    for style_name, cells in groupby(line, _format_shade if is_shaded else _choose_style):
        pieces.append(StyledText("".join([cell.text for cell in cells]), style_name))
    return pieces


def _choose_style(cell: PlotCell) -> str:
    return _INKS[cell.kind]


def _format_shade(cell: PlotCell) -> str:
    if cell.kind in _SHADED:
        return f"{cell.kind}-{cell.upper_shade // _GRAIN}-{cell.lower_shade // _GRAIN}"
    return _INKS[cell.kind]


@lru_cache(2048)
def _make_shaded_style(kind: str, above: int, below: int) -> Style:
    """Return the style of a cell of two shades, with a contrasting mark."""
    upper, lower = (COLOUR_RAMP[min(x * _GRAIN + _GRAIN // 2, SHADES - 1)] for x in (above, below))
    ground = Color.from_rgb(*lower)
    if kind == PlotCellKind.MAP:
        return Style(color=Color.from_rgb(*upper), bgcolor=ground)
    light = above + below > SHADES // _GRAIN
    style_name = (0, 0, 0) if light else (255, 255, 255)
    return Style(color=Color.from_rgb(*style_name), bgcolor=ground, bold=kind == PlotCellKind.HERE)
