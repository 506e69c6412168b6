"""The rows of a pinned evaluation that differ, below those of the current one."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.micro_operations.stage import Stage
from ...engine.tracing.trace import Trace
from ...scene.row_pairs import hide_equal_cells, iter_pairs
from ...scene.scene_cells import build_cells
from ...scene.scene_model import Cell
from ..base.pane import StyledText
from .lane_cells import NO_HIGHLIGHTS, widen_cell
from .lane_labels import NamedLine, Whole, shorten_name
from .lane_rows import draw_in_columns, step_of


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
            own_cells = build_cells(trace.views[pair.key]) if pair.isa else ()
            cells = hide_equal_cells(build_cells(pin.views[pair.key]), own_cells)
            yield pair.other.name, tuple(map(widen_cell, cells)) if is_wide else cells


def make_pinned_piece(piece: StyledText) -> StyledText:
    """Return a piece of the pinned evaluation: it has no target."""
    return StyledText(piece.text, "changed" if piece.text.strip() else "")
