"""Other answers: both of an instruction, from the step where they differ, and rows of a pin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import zip_longest

from ...engine.micro_operations.base import RowTrace
from ...engine.micro_operations.stage import Stage
from ...engine.tracing.deviation import Deviation
from ...engine.tracing.trace import Trace
from ...scene.row_pairs import hide_equal_cells, iter_pairs, mark_differences
from ...scene.scene_builder import build_row_scene
from ...scene.scene_cells import build_cells
from ...scene.scene_model import Cell
from ..base.pane import StyledLine, StyledText
from .lane_cells import (
    NO_HIGHLIGHTS,
    Highlights,
    NamedLine,
    Whole,
    draw_cell_pieces,
    measure_line,
    name_lines,
    pad_line,
    shorten_name,
    widen_cell,
    wrap_line,
)
from .lane_levels import Level
from .lane_rows import draw_in_columns, draw_row_lines, step_of

MIN_WIDTH = 17
"""Minimum columns of lanes: those of a screen of 40, less a scrollbar."""
_BESIDE = {1: 26, 2: 36, 4: 60}
"""Minimum columns of the lanes for two answers side by side, by the number of lanes."""
_ORDER = {stage: order for order, stage in enumerate(Stage)}


class AnswersPainter:
    """The rows of both answers; ``trace`` is the one whose steps are shown."""

    def __init__(
        self,
        deviation: Deviation,
        trace: Trace,
        lights: Highlights,
        width: int,
        stages: Sequence[Stage],
    ) -> None:
        self.deviation, self.trace, self.lights = deviation, trace, lights
        self.width, self.lanes = width, trace.instruction.entry.lanes
        self.stages = stages

    def has_stage(self, stage: Stage) -> bool:
        """Whether the answers may differ at a stage: from the first different one on."""
        return _ORDER[stage] >= _ORDER[self.deviation.stage]

    def draw_rows(self, stage: Stage, level: Level) -> Iterator[NamedLine]:
        """Yield both answers' rows of a stage, side by side or one below the other."""
        deviation = self.deviation
        beside = self.width // 2 - 2 >= _BESIDE[self.lanes]
        left = self._left_width if beside else 0
        widths = (left - 1, self.width - left - 3) if beside else (self.width, self.width)
        sides = (self._choose_side(deviation.isa), self._choose_side(deviation.other))
        if stage is deviation.stage:
            names = self._draw_names(left)
            yield from (("", line) for line in wrap_line(names, self.width))
        for pair in iter_pairs(deviation.isa, deviation.other, stage):
            rows, differs = pair.rows, pair.is_different
            branches = [
                self._draw_row(trace, row, other if pair.lanes else None, highlights, level, width)
                for (trace, highlights), row, (other, _), width in zip(
                    sides, rows, sides[::-1], widths, strict=True
                )
            ]
            name = next(row.name for row in rows if row)
            if beside:
                for index, (first, second) in enumerate(
                    zip_longest(*branches, fillvalue=StyledLine())
                ):
                    sign = StyledText("≠ " if differs and index == 0 else "  ", "clamped")
                    yield name if index == 0 else "", [*pad_line(first, left), sign, *second]
            elif not differs:
                yield from name_lines(name, branches[0])
            else:
                for mark, own_row, lines in zip(("isa", "≠ptx"), rows, branches, strict=True):
                    if own_row is not None:
                        yield from name_lines(mark, lines)

    @cached_property
    def _left_width(self) -> int:
        """The columns of the answer on the left: half, or as many as break the fewest lines."""
        half, traces = self.width // 2 - 2, (self.deviation.isa, self.deviation.other)
        if self.lanes > 1:
            return half
        pairs = [
            [_draw_whole_line(row) for row in pair.rows]
            for stage in self.stages
            if self.has_stage(stage)
            for pair in iter_pairs(*traces, stage)
        ]

        def count_lines(left: int) -> int:
            widths = left - 1, self.width - left - 3
            return sum(
                max(len(wrap_line(line, w, 2)) for line, w in zip(pair, widths, strict=True))
                for pair in pairs
            )

        candidate_widths = {measure_line(first) + 1 for first, _ in pairs}
        candidate_widths |= {self.width - 3 - measure_line(second) for _, second in pairs}
        fit = (x for x in candidate_widths if MIN_WIDTH < x < self.width - 3 - MIN_WIDTH)
        return min((half, *sorted(fit, key=lambda x: abs(x - half))), key=count_lines)

    def _choose_side(self, trace: Trace) -> tuple[Trace, Highlights | None]:
        """Return a branch's trace; only the stepped branch has lights and a cursor."""
        is_own_model = trace.model == self.trace.model
        return (self.trace, self.lights) if is_own_model else (trace, None)

    def _draw_names(self, half: int) -> StyledLine:
        """Return the names of the two answers, with a mark on the stepped one."""
        names: list[StyledLine] = []
        for trace in (self.deviation.isa, self.deviation.other):
            is_own_model = trace.model == self.trace.model
            ids = ", ".join(x.id for x in self.deviation.errata)
            tail = "" if trace is self.deviation.isa else f" ({ids})"
            text = f"{'▸ ' if is_own_model else '  '}{trace.model.name}{tail}"
            names.append([StyledText(text, "current" if is_own_model else "strong")])
        gap = max(half, measure_line(names[0]) + 2)
        return [*pad_line(names[0], gap + (2 if half else 0)), *names[1]]

    def _draw_row(
        self,
        trace: Trace,
        row: RowTrace | None,
        other: Trace | None,
        highlights: Highlights | None,
        level: Level,
        width: int,
    ) -> list[StyledLine]:
        if row is None:
            return []
        row_scene = build_row_scene(trace, row)
        if other is not None:
            cells = zip(row_scene.cells, build_cells(other.rows[row.key]), strict=True)
            row_scene = row_scene._replace(cells=tuple(mark_differences(x, y) for x, y in cells))
        lines = draw_row_lines(
            row_scene, width, highlights or NO_HIGHLIGHTS, min(level, Level.OPEN), 1
        )
        if highlights is not None:
            return lines
        return [[StyledText(text, style_name) for text, style_name, _ in line] for line in lines]


def _draw_whole_line(row: RowTrace | None) -> StyledLine:
    """Return the cells of a row in one line."""
    cells = build_cells(row) if row else ()
    return [piece for cell in cells for piece in draw_cell_pieces(cell)]


def draw_pinned_rows(
    trace: Trace, pin: Trace, stage: Stage, width: int, *, is_wide: bool, is_tight: bool
) -> Iterator[NamedLine]:
    """Yield the pinned evaluation's rows of a stage that differ, with equal lanes blank.

    Each has its name if the step has several rows.
    """
    step = step_of(trace, stage)
    has_several = step is not None and len(step.rows) > 1
    for name, cells in iter_pinned_rows(trace, pin, stage, is_wide=is_wide):
        lines = [
            [make_pinned_piece(x) for x in line]
            for line in draw_in_columns(cells, width, NO_HIGHLIGHTS, is_tight)
        ]
        if trace.instruction.entry.lanes > 1 and len(cells) == 1:
            yield Whole(([StyledText("≠pin ", "label")], *lines)), []
            continue
        short_name = shorten_name(name) if has_several else ""
        yield from ((short_name, line) for line in lines)


def iter_pinned_rows(
    trace: Trace, pin: Trace, stage: Stage, *, is_wide: bool
) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    """Yield names and cells of the pinned evaluation's rows that differ."""
    for pair in iter_pairs(trace, pin, stage):
        if pair.other and pair.is_different:
            own_cells = build_cells(trace.rows[pair.key]) if pair.isa else ()
            cells = hide_equal_cells(build_cells(pin.rows[pair.key]), own_cells)
            yield pair.other.name, tuple(map(widen_cell, cells)) if is_wide else cells


def make_pinned_piece(piece: StyledText) -> StyledText:
    """Return a piece of the pinned evaluation: it has no target."""
    return StyledText(piece.text, "changed" if piece.text.strip() else "")
