"""The lanes in which two traces differ, alone, if all of them have no room."""

from __future__ import annotations

from collections.abc import Collection
from types import NoneType

from ...engine.micro_operations.properties import Stage
from ...engine.tracing.trace import Trace
from ...scene.row_folding import FoldedScene
from ...scene.row_pairs import iter_pairs
from ...scene.scene_model import Cell, NumberLine, RowScene


def find_different_lanes(trace: Trace, other_trace: Trace) -> list[int]:
    """Return the lanes in which rows of two traces differ, the highest first."""
    count = trace.instruction.entry.lanes
    pairs = (pair for stage in Stage for pair in iter_pairs(trace, other_trace, stage))
    own_pairs = (pair for pair in pairs if pair.isa and len(pair.isa.values) == count)
    return sorted({lane for pair in own_pairs for lane in pair.lanes}, reverse=True)


def describe_equal_lanes(count: int, lanes: Collection[int]) -> str:
    """Return a sentence with the lanes that are not drawn; empty if all are."""
    equal = [str(lane) for lane in range(count - 1, -1, -1) if lane not in lanes]
    if not equal or not lanes:
        return ""
    word = "lane" if len(equal) == 1 else "lanes"
    return f"Not drawn, because both are the same: {word} {', '.join(equal)}."


def keep_lanes(folded: FoldedScene, lanes: Collection[int]) -> FoldedScene | None:
    """Return a scene with some lanes alone; None if a lane reads another one."""
    scene = folded.scene
    if any(_reads_other_lane(row, scene.lanes) for row in scene.rows.values()):
        return None
    if not all(register.is_by_lane for register in scene.registers):
        return None
    registers = tuple(x._replace(cells=_choose_cells(x.cells, lanes)) for x in scene.registers)
    steps = (
        step._replace(rows=tuple(_choose_lanes(row, lanes) for row in step.rows))
        for step in scene.steps
    )
    scene = scene._replace(registers=registers, steps=tuple(steps), lanes=len(lanes))
    return folded._replace(scene=scene)


def _reads_other_lane(row: RowScene, count: int) -> bool:
    """Whether a row reads another lane, or has one value for all."""
    if len(row.cells) != count or not isinstance(row.figure, NumberLine | NoneType):
        return True
    is_packed = len({cell.place for cell in row.cells}) < count
    return not is_packed and any(link.source.lane != link.target.lane for link in row.links)


def _choose_lanes(row: RowScene, lanes: Collection[int]) -> RowScene:
    figure = row.figure
    if isinstance(figure, NumberLine):
        points = (point for point in figure.points if point.place.lane in lanes)
        figure = figure._replace(points=tuple(points))
    return row._replace(cells=_choose_cells(row.cells, lanes), figure=figure)


def _choose_cells(cells: tuple[Cell, ...], lanes: Collection[int]) -> tuple[Cell, ...]:
    return tuple(cells[len(cells) - 1 - lane] for lane in lanes)
