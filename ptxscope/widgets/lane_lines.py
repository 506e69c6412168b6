"""The lines of the lanes: registers, then every step; two answers and a pin beside it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import NamedTuple

from ..engine.isa.roles import Role
from ..engine.semantics.plan import Stage
from ..engine.tracing.divergence import Divergence
from ..engine.tracing.stages import title
from ..engine.tracing.trace import RowTrace, Step, Trace
from ..engine.tracing.words import operand_name, row_name
from .lane_rows import DARK, Lights, Painter, fitted
from .pane import Line, Piece

LABEL = 19
"""Columns in front of the lanes: step number and title (14), row name (5)."""

_NAMES = {"negated": "neg", "amount": "by", "not": "!t", "guard": "@"}
"""Rows whose name is too long for its column."""

_ORDER = {stage: order for order, stage in enumerate(Stage)}


class View(NamedTuple):
    """What the lanes show."""

    trace: Trace
    step: int
    """Steps up to this number are revealed."""
    lights: Lights = DARK
    divergence: Divergence | None = None
    """Another answer, shown beside the trace from where they part."""
    pin: Trace | None = None
    """An evaluation to compare with, row by row."""


class Drawing(NamedTuple):
    """The lines, and where each step begins."""

    lines: list[Line]
    steps: dict[int, int]


def draw(view: View, width: int) -> Drawing:
    """Every register and step of a trace in so many columns."""
    composer = _Composer(view, max(width - LABEL, 20))
    lines = list(composer.header())
    starts: dict[int, int] = {}
    for stage in composer.stages():
        step = composer.step_of(view.trace, stage)
        if step:
            starts[step.number] = len(lines)
        lines += composer.step(stage)
    lines += composer.footer()
    return Drawing(lines, starts)


class _Composer:
    def __init__(self, view: View, width: int) -> None:
        self.view, self.trace, self.width = view, view.trace, width
        self.painter = Painter(view.trace, width, view.lights)
        current = view.trace.steps[min(view.step, len(view.trace.steps)) - 1]
        self.current = current.stage
        self.divergence = view.divergence if view.pin is None else None

    @staticmethod
    def step_of(trace: Trace, stage: Stage) -> Step | None:
        return next((step for step in trace.steps if step.stage is stage), None)

    def stages(self) -> list[Stage]:
        """The stages that any of the traces shown has."""
        traces: list[Trace] = [self.trace]
        if self.divergence:
            traces += [self.divergence.isa, self.divergence.other]
        if self.view.pin:
            traces.append(self.view.pin)
        used = {step.stage for trace in traces for step in trace.steps}
        return [stage for stage in Stage if stage in used]

    def header(self) -> Iterator[Line]:
        """The operands; above the lanes of a dual or quad form, their numbers."""
        painter = self.painter
        if self.trace.instruction.entry.lanes > 1:
            heads = [[Piece(f"lane {lane}", "dim")] for lane in painter.order()]
            yield self.labelled("", "", "", painter.columns(heads))
        for role in Role:
            if role in self.trace.operands and any(
                source.role == role for source in self.trace.plan.sources
            ):
                name = operand_name(self.trace, role)
                label = role.label
                shown = "" if name == label else f" {name}"
                yield self.labelled(shown, label, "dim", painter.register(role))
                yield from self.pinned_register(role, label)

    def labelled(self, label: str, name: str, ink: str, body: Line) -> Line:
        """A line behind its label: the step's number and title, the row's name."""
        name = _NAMES.get(name, name)
        return [Piece(f"{label:<14}"[:14], ink), Piece(f"{name:<5}"[:5], "label"), *body]

    # --- steps ---------------------------------------------------------------------

    def step(self, stage: Stage) -> Iterator[Line]:
        """The lines of a step, veiled where its time has not come."""
        step = self.step_of(self.trace, stage)
        veiled = _ORDER[stage] > _ORDER[self.current]
        current = stage is self.current
        shown = step or self._elsewhere(stage)
        number = str(step.number) if step else " "
        label = f"{'▸' if current else ' '}{number} {title(shown)}"
        ink = "veil" if veiled else "current" if current else "strong"
        for name, body in self.bodies(stage, step):
            pieces = [_veiled(piece) for piece in body] if veiled else body
            yield self.labelled(label, name, ink, pieces)
            label = ""

    def _elsewhere(self, stage: Stage) -> Step:
        """A step that only the other answer or the pin has."""
        others = [self.view.pin] if self.view.pin else []
        others += [self.divergence.isa, self.divergence.other] if self.divergence else []
        return next(step for other in others if (step := self.step_of(other, stage)))

    def bodies(self, stage: Stage, step: Step | None) -> Iterator[tuple[str, Line]]:
        """Row names and lines of a step."""
        divergence = self.divergence
        if divergence and _ORDER[stage] >= _ORDER[divergence.stage]:
            if stage is divergence.stage:
                yield "", self.halves_header(divergence)
            yield from self.halves(divergence, stage)
            return
        for row in step.rows if step else ():
            yield from _named(row_name(self.trace, row.row), self.painter.row(row))
            yield from self.pinned(row)
        if self.view.pin:
            yield from self.pinned_only(stage)

    # --- two answers ---------------------------------------------------------------

    def halves_header(self, divergence: Divergence) -> Line:
        """The names of the two answers, the one that is stepped through marked."""
        half = self.width // 2
        names = []
        for trace in (divergence.isa, divergence.other):
            mine = trace.model == self.trace.model
            ids = (
                "" if trace is divergence.isa else " " + ", ".join(x.id for x in divergence.errata)
            )
            mark = "▸ " if mine else "  "
            text = f"{mark}{trace.model.name}{ids}"
            names += fitted([Piece(text, "current" if mine else "strong")], half)
        return names

    def halves(self, divergence: Divergence, stage: Stage) -> Iterator[tuple[str, Line]]:
        """Both answers' rows of a stage side by side, ≠ where they differ."""
        half = self.width // 2 - 2
        sides = []
        for trace in (divergence.isa, divergence.other):
            mine = trace.model == self.trace.model
            painter = Painter(self.trace if mine else trace, half, self.view.lights)
            step = self.step_of(trace, stage)
            rows = {row.key: row for row in step.rows} if step else {}
            sides.append((painter, rows, mine))
        (left, left_rows, left_mine), (right, right_rows, right_mine) = sides
        keys = [*left_rows, *(key for key in right_rows if key not in left_rows)]
        keys.sort(key=lambda key: _position(key, left_rows, right_rows))
        for key in keys:
            x, y = left_rows.get(key), right_rows.get(key)
            differs = x is None or y is None or x.values != y.values
            name = (x or y).name  # type: ignore[union-attr]
            ours, theirs = _side(left, x, mine=left_mine), _side(right, y, mine=right_mine)
            for i, (first, second) in enumerate(zip_longest(ours, theirs, fillvalue=Line())):
                mark = Piece("≠ " if differs and i == 0 else "  ", "clamped")
                line = [*fitted(first, half), mark, *fitted(second, half)]
                yield name if i == 0 else "", line

    def footer(self) -> Iterator[Line]:
        """The sentences of the errata that make the answers part, once that step is revealed."""
        if self.divergence and _ORDER[self.divergence.stage] <= _ORDER[self.current]:
            for erratum in self.divergence.errata:
                said = f"≠ {erratum.id}: {erratum.sentence}"
                for text in textwrap.wrap(said, self.width + LABEL - 2, subsequent_indent="  "):
                    yield [Piece(f" {text}", "clamped")]

    # --- a pin ---------------------------------------------------------------------

    def pinned(self, row: RowTrace) -> Iterator[tuple[str, Line]]:
        """The pinned evaluation's row where it differs, equal lanes left blank."""
        pin = self.view.pin
        other = pin.rows.get(row.key) if pin else None
        if pin is None or other is None or other.values == row.values:
            return
        same: set[int] = set()
        if len(other.values) == len(row.values):
            pairs = zip(other.values, row.values, strict=True)
            same = {lane for lane, (x, y) in enumerate(pairs) if x == y}
        for line in Painter(pin, self.width).row(other):
            yield "≠pin", [_pin_ink(piece, same) for piece in line]

    def pinned_only(self, stage: Stage) -> Iterator[tuple[str, Line]]:
        """Rows that only the pinned evaluation has."""
        pin = self.view.pin
        step = self.step_of(pin, stage) if pin else None
        for row in step.rows if pin and step else ():
            if row.key not in self.trace.rows:
                assert pin
                for line in Painter(pin, self.width).row(row):
                    yield "≠pin", [_pin_ink(piece, set()) for piece in line]

    def pinned_register(self, role: str, label: str) -> Iterator[Line]:
        """An operand's value in the pinned evaluation, where it is another."""
        pin = self.view.pin
        if pin and role in pin.operands and pin.operands[role] != self.trace.operands[role]:
            line = Painter(pin, self.width).register(role)
            yield self.labelled("", "≠pin", "", [_pin_ink(piece, set()) for piece in line])


def _named(name: str, lines: Iterable[Line]) -> Iterator[tuple[str, Line]]:
    for i, line in enumerate(lines):
        yield name if i == 0 else "", line


def _position(key: str, left: dict[str, RowTrace], right: dict[str, RowTrace]) -> float:
    """Where a row belongs among those of both sides: the other side's own rows come first."""
    keys, others = list(left), list(right)
    if key in left:
        return keys.index(key)
    following = (other for other in others[others.index(key) :] if other in left)
    before = next(following, None)
    return (keys.index(before) if before else len(keys)) - 0.5


def _side(painter: Painter, row: RowTrace | None, *, mine: bool) -> list[Line]:
    """The lines of one answer; only the one that is stepped through has cells for the cursor."""
    if row is None:
        return []
    lines = painter.row(row)
    if mine:
        return lines
    return [[Piece(text, ink) for text, ink, _ in line] for line in lines]


def _pin_ink(piece: Piece, same: set[int]) -> Piece:
    """A piece of the pinned evaluation: what is equal is blank, nothing takes the cursor."""
    if isinstance(piece.target, tuple) and piece.target[1] in same:
        return Piece(" " * len(piece.text))
    return Piece(piece.text, "changed" if piece.text.strip() else "")


def _veiled(piece: Piece) -> Piece:
    """A piece whose time has not come: its place is seen, its value is not."""
    return Piece("".join("·" if char != " " else " " for char in piece.text), "veil")
