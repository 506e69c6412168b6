"""All values of an operand lane, or of two, in a panel: the current point moves through them."""

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

from ..engine.syntax.errors import printable
from ..engine.syntax.instruction import Instruction
from ..engine.tracing.trace import Trace
from ..export.sweeps.colour_ramp import RAMP, SHADES
from ..export.sweeps.sweep_text import command
from ..export.sweeps.terminal_plot import RAMP as SIGNS
from ..export.sweeps.terminal_plot import Cell, Kind, Size, drawn, pointed
from ..sweep.computation import Axis, Sweep, sweep
from ..sweep.register_parts import Lane, results, sweepable, usual, usual_result
from ..sweep.sweep_words import here, words
from .base.pane import Line, Pane, Piece
from .base.posted_message import PartMessage, Posted
from .base.step_lines import told

_INKS = {
    Kind.EMPTY: "",
    Kind.PLAIN: "number",
    Kind.CLAMPED: "clamped",
    Kind.WRAPPED: "pattern",
    Kind.OTHER: "changed",
    Kind.HERE: "current",
    Kind.AXIS: "axis",
    Kind.CURRENT: "current",
    Kind.MAP: "",
}
_SHADED = frozenset((Kind.MAP, Kind.OTHER, Kind.HERE))
"""What stands on the shades of a map."""
_PARTS = ("plot", "x", "y", "of")
"""What the arrows act on, in the order of Tab."""
_LESS = ("Fixed: ", "Not all ")
"""Words that go first where there is little room."""
_GRAIN = 8
"""Shades that are shown as one: each pair of them is a style."""
_LEAST = 6
"""Lines that a plot takes before words do."""
_WIDE_MAP = 3
"""A map is at most so many cells wide as it has lines."""


class SweepPane(Pane):
    """A plot or a map of a trace's instruction, its lanes above it, words below."""

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

    class Moved(PartMessage):
        """The current point is to be another one."""

        control: SweepPane
        role: str
        bits: int

    class Turned(Posted):
        """The arrows do something else from now on."""

        control: SweepPane

    def __init__(self, trace: Trace) -> None:
        super().__init__("sweep", "")
        self._trace = trace
        self._x, self._of = _first(trace)
        self._y: Lane | None = None
        self._part = "plot"
        self._all_words = False
        self._cells: list[list[Cell]] = []
        """The plot as it stands below the first line."""
        self._said: tuple[Sweep, int | None, list[str]] | None = None
        """What was told last: of which sweep, at which value of y."""
        self.found = self._computed()

    # --- what is shown ---------------------------------------------------------------

    @property
    def subject(self) -> object:
        """The form: it decides which operands there are."""
        return self._trace.instruction.form

    def show(self, trace: Trace) -> None:
        """Show another evaluation, of this instruction or of another one."""
        before, self._trace = self._trace, trace
        same = before.instruction == trace.instruction
        if not same:
            self._x, self._of = _first(trace)
            self._y = None
        same = same and before.model == trace.model
        same = same and self._rest(before.operands) == self._rest(trace.operands)
        if same:
            self.found.operands = trace.operands
        at_x, at_y = self.found.here
        if not same or at_x is None or (self._y and at_y is None):
            self.found = self._computed()
        self.redraw()

    def _computed(self) -> Sweep:
        trace = self._trace
        return sweep(
            trace.instruction, trace.operands, self._x, self._y, of=self._of, model=trace.model
        )

    def _rest(self, operands: Mapping[str, int]) -> dict[str, int]:
        """The operands without what is swept."""
        names, found = self._trace.instruction.names, dict(operands)
        for lane in filter(None, (self._x, self._y)):
            for role in found:
                if names.get(role) == lane.name:
                    found[role] = lane.put(found[role], 0)
        return found

    def draw(self, width: int) -> list[Line]:
        """The lanes, the plot, the current point, and as many words as there is room for."""
        height = max(self.scrollable_content_region.height, 4)
        lines = [self._lanes()]
        if self._all_words:
            every = map(printable, words(self.found))
            return lines + [line for text in every for line in told(text, width, "")]
        point = told(printable(here(self.found)), width, "strong")
        if scale := self._scale():
            used = sum(len(piece.text) for piece in point[-1]) if point else width
            if used + len(scale) > width:
                point.append([Piece(scale.strip(), "dim")])
            else:
                point[-1].append(Piece(scale, "dim"))
        texts = self._texts()[1 : -1 if point else None]  # the last is the current point
        texts.sort(key=lambda text: text.startswith(_LESS))  # first what it does
        said = [line for text in texts for line in told(printable(text), width, "dim")]
        room = min(len(said), max((height - _LEAST - len(point) - 1) // 3, 0))
        unicode, colours = self._means()
        size = Size(width, max(height - 1 - len(point) - room, 1), unicode, colours)
        if self._y:
            size = size._replace(width=min(width, size.height * _WIDE_MAP))
        shaded = colours and self._y is not None
        self._cells = drawn(self.found, size)
        lines += [_inked_line(line, shaded=shaded) for line in self._cells]
        lines += point
        return lines + (said[:room] if room == len(said) else self._cut(said[:room]))

    def _cut(self, said: list[Line]) -> list[Line]:
        if said:
            said[-1] = [Piece("… w: all of it in words", "dim")]
        return said

    def _means(self) -> tuple[bool, bool]:
        """Whether there are more characters than ASCII, and whether there are colours."""
        unicode = not getattr(self.app, "is_ascii", False)
        return unicode, not (self.app.no_color or self.app.current_theme.ansi)

    def _texts(self) -> list[str]:
        """Its words, made anew where more than x's current value is another."""
        y = self._y and self._y.of(self._trace.operands[self._y.role])
        if self._said is None or self._said[:2] != (self.found, y):
            self._said = self.found, y, words(self.found)
        return self._said[2]

    def _lanes(self) -> Line:
        """What is swept, and what is looked at."""
        chosen = {"x": self._x, "y": self._y, "of": self._of}
        line: Line = []
        for part, name in (("x", "x"), ("y", "y"), ("of", "shows")):
            lane = chosen[part]
            on = part == self._part
            line.append(Piece(f"{name} ", "label"))
            text = printable(lane.label) if lane else "none"
            line.append(Piece(f"◀ {text} ▶" if on else f" {text} ", "chosen", part))
            line.append(Piece("  "))
        line.append(Piece(f"model {', '.join([self.found.model.name, *self._marks()])}", "dim"))
        return line

    def _marks(self) -> Iterator[str]:
        """What the marks mean that are drawn."""
        found = self.found
        if not self._y:
            masks = (found.clamped, found.wrapped)
            for name, mask in zip(("clamped", "wrapped"), masks, strict=True):
                if mask.any():
                    yield f"{name[0]} {name}"
        if found.other and found.apart.any():
            sign = "hatched" if self._y and all(self._means()) else "x"
            yield f"{sign} where {found.other.name} parts"

    def _scale(self) -> str:
        """Which shades are which results."""
        found = self.found
        if not self._y:
            return ""
        low, high = (found.of.said(found.of.at(int(x))) for x in
                     (found.places.min(), found.places.max()))  # fmt: skip
        if all(self._means()):
            return f"   dark {low} … light {high}"
        return f"   `{SIGNS[0]}` {low} … `{SIGNS[-1]}` {high}"

    def _inked(self, names: str) -> Style:
        kind, dash, rest = names.partition("-")
        if dash and kind in _SHADED:
            above, _, below = rest.partition("-")
            return _shaded(kind, int(above), int(below))
        return super()._inked(names)

    # --- moving ----------------------------------------------------------------------

    def action_go(self, x: int, y: int) -> None:
        """Move the point by so many values; or choose another lane."""
        if self._all_words:
            self.scroll_relative(y=-y, animate=False)
        elif self._part != "plot":
            self._next(self._part, x - y)
        else:
            self._move(x, y)

    def action_leap(self, x: int, y: int) -> None:
        """Move the point by sixteenths of the way."""
        if self._all_words:
            page = self.scrollable_content_region.height
            self.scroll_relative(y=(x - y) * page, animate=False)
        elif self._part == "plot":
            rows = self.found.y.size if self.found.y else 0
            self._move(x * max(self.found.x.size // 16, 1), y * max(rows // 16, 1))

    def _move(self, x: int, y: int) -> None:
        at_x, at_y = self.found.here
        axis, at = (self.found.x, at_x) if x else (self.found.y, at_y)
        if axis is None or at is None:
            return
        to = min(max(at + (x or y), 0), axis.size - 1)
        if to != at:
            self._post(axis, to)

    def _post(self, axis: Axis, at: int) -> None:
        lane = axis.lane
        bits = lane.put(self._trace.operands[lane.role], axis.value(at))
        self.Moved(self, lane.role, bits).tell()

    def action_part(self, by: int) -> None:
        """Go to the next of what can be chosen; by 0 back to the plot."""
        at = (_PARTS.index(self._part) + by) % len(_PARTS) if by else 0
        self._part, self._all_words = _PARTS[at], False
        self._turned()

    def action_words(self) -> None:
        """Tell all of it in words, or draw it again."""
        self._all_words = not self._all_words
        self.scroll_to(y=0, animate=False)
        self._turned()

    def _turned(self) -> None:
        self.redraw()
        self.Turned(self).tell()

    async def on_click(self, event: events.Click) -> None:
        """Move the point to where was clicked."""
        column, row = event.x - self.gutter.left, event.y - self.gutter.top - 1
        found = None if self._all_words else pointed(self.found, self._cells, column, row)
        if found is None:
            await super().on_click(event)
            return
        at_x, at_y = found
        lane = self._x
        bits = lane.put(self._trace.operands[lane.role], self.found.x.value(at_x))
        if self._y and self.found.y and at_y is not None:
            value = self.found.y.value(at_y)
            if self._y.name == lane.name:
                bits = self._y.put(bits, value)
            else:
                self._post(self.found.y, at_y)
        self.Moved(self, lane.role, bits).tell()

    def clicked(self, target: object) -> None:
        """Choose the next lane."""
        self._next(str(target), 1)

    def _next(self, part: str, by: int) -> None:
        """Another lane for x, for y, or of the result."""
        ins = self._trace.instruction
        if part == "x":
            self._x = _after(self._x, list(sweepable(ins)), by)
            of = usual_result(ins, self._x)
            self._of = of or self._of
            if self._y and _overlap(self._x, self._y):
                self._y = None
        elif part == "y":
            first = usual(ins)[1]
            lanes = sorted(sweepable(ins), key=lambda lane: lane != first)
            apart = [lane for lane in lanes if not _overlap(self._x, lane)]
            self._y = _after(self._y, [None, *apart], by)
        else:
            self._of = _after(self._of, list(results(ins)), by)
        self.found = self._computed()
        self._turned()

    @property
    def moved(self) -> tuple[str, ...]:
        """The registers that the arrows change now; none while they do something else."""
        if self._all_words or self._part != "plot":
            return ()
        lanes = (self._x, self._y) if self._y else (self._x,)
        return tuple(dict.fromkeys(lane.register for lane in lanes))

    @property
    def arrows(self) -> str:
        """What the arrows do while they move nothing."""
        return "scroll" if self._all_words else "choose"

    @property
    def command(self) -> str:
        """The command that shows the same."""
        return shlex.join(command(self.found))


Chosen = TypeVar("Chosen", bound=Lane | None)


def can_sweep(ins: Instruction) -> bool:
    """Whether it has an operand to sweep, and a result to look at."""
    x, _ = usual(ins)
    return x is not None and usual_result(ins, x) is not None


def _first(trace: Trace) -> tuple[Lane, Lane]:
    """What is swept and looked at first, of what can be swept."""
    x, _ = usual(trace.instruction)
    of = x and usual_result(trace.instruction, x)
    assert x and of  # noqa: PT018
    return x, of


def _after(now: Chosen, lanes: list[Chosen], by: int) -> Chosen:
    at = lanes.index(now) if now in lanes else 0
    return lanes[(at + by) % len(lanes)]


def _overlap(x: Lane, y: Lane) -> bool:
    return x.name == y.name and bool(x.put(0, x.mask) & y.put(0, y.mask))


def _inked_line(line: list[Cell], *, shaded: bool) -> Line:
    """Cells as pieces, those of one look in one."""
    found: Line = []
    for ink, cells in groupby(line, _shade if shaded else _ink):
        found.append(Piece("".join([cell.text for cell in cells]), ink))
    return found


def _ink(cell: Cell) -> str:
    return _INKS[cell.kind]


def _shade(cell: Cell) -> str:
    if cell.kind in _SHADED:
        return f"{cell.kind}-{cell.above // _GRAIN}-{cell.below // _GRAIN}"
    return _INKS[cell.kind]


@lru_cache(2048)
def _shaded(kind: str, above: int, below: int) -> Style:
    """A cell of two shades; what is drawn in it is dark on light, or light on dark."""
    upper, lower = (RAMP[min(x * _GRAIN + _GRAIN // 2, SHADES - 1)] for x in (above, below))
    ground = Color.from_rgb(*lower)
    if kind == Kind.MAP:
        return Style(color=Color.from_rgb(*upper), bgcolor=ground)
    light = above + below > SHADES // _GRAIN
    ink = (0, 0, 0) if light else (255, 255, 255)
    return Style(color=Color.from_rgb(*ink), bgcolor=ground, bold=kind == Kind.HERE)
