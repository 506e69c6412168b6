"""The operands above the steps: their parts, what they mean, and sentences on a part."""

from __future__ import annotations

from functools import partial

from ...engine.isa.value_text import format_bit_range
from ...engine.micro_operations.stage import Stage
from ...engine.tracing.lane_text import format_lane_sentence
from ...engine.tracing.provenance import LaneBits, find_descendants
from ...engine.tracing.trace import Trace
from ...scene.scene_model import (
    BitRulers,
    Cell,
    CellSpan,
    LaneRef,
    RegisterFigure,
    RowScene,
    Scene,
    SpanKind,
)
from ...state.figure_edits import find_control
from ..base.pane import StyledLine, StyledText
from .lane_cells import Highlights, draw_cell_pieces, lay_out_cells, widen_cell, wrap_line
from .lane_labels import Whole


def widen_scene(scene: Scene) -> Scene:
    """Return a scene whose chips show bits, and hexadecimal in the first and last rows of bytes."""

    def wide(row: RowScene, stage: Stage) -> RowScene:
        with_hex = stage in (Stage.MERGE, Stage.WRITE)
        return row._replace(cells=tuple(widen_cell(x, with_hex=with_hex) for x in row.cells))

    registers = tuple(map(widen_register, scene.registers))
    steps = (
        step._replace(rows=tuple(wide(row, step.stage) for row in step.rows))
        for step in scene.steps
    )
    return scene._replace(registers=registers, steps=tuple(steps))


def widen_register(register: RegisterFigure) -> RegisterFigure:
    """Return a register whose chips show bits and hexadecimal."""
    return register._replace(cells=tuple(widen_cell(x, with_hex=True) for x in register.cells))


def draw_register_lines(
    register: RegisterFigure, width: int, highlights: Highlights
) -> list[StyledLine]:
    """Return a register's parts, in the columns of the lanes or before its meaning."""
    draw_cell = partial(draw_cell_pieces, highlights=highlights)
    if register.is_by_lane:
        return lay_out_cells(register.cells, width, draw_cell)
    parts = [piece for cell in register.cells for piece in draw_cell(cell, False)]
    return wrap_line([*parts, StyledText(f"   {register.meaning}", "dim")], width, 2)


def make_whole_register(register: RegisterFigure, highlights: Highlights) -> Whole:
    """Return a register without lanes: its name, its bits and their meaning."""
    bits = [
        piece for cell in register.cells for piece in draw_cell_pieces(cell, highlights=highlights)
    ]
    meant = [[StyledText(register.meaning, "dim")]] if register.meaning else []
    return Whole(([StyledText(f"{register.label} ", "label"), *bits], *meant))


def separate_value(cell: Cell) -> Cell:
    """Return a cell with one more blank after its bits."""
    bits, *other_spans = cell.spans
    return (
        cell._replace(spans=(bits, CellSpan(" ", SpanKind.TEXT), *other_spans))
        if other_spans
        else cell
    )


def without_value(figure: BitRulers, value: str) -> BitRulers:
    """Return a register's figure without the value at the end of the line above."""
    rulers = (x._replace(summary=x.summary.removeprefix(f"{value}: ")) for x in figure.rulers)
    return BitRulers(tuple(rulers))


def find_unread_places(scene: Scene) -> frozenset[LaneRef]:
    """Return the parts of operands that cannot change a result, whatever the values are."""
    return frozenset(
        cell.place
        for register in scene.registers
        for cell in register.cells
        if cell.spans[0].kind is SpanKind.UNUSED
    )


def describe_operand_part(trace: Trace, scene: Scene, bits: LaneBits, step: int) -> str:
    """Return a sentence on bits of an operand, from the first ``step`` steps.

    Of the values computed from them, it is on the one that they alone decide, such as the byte that
    a digit of ``prmt`` picks; otherwise on the first. Empty if the steps don't read them yet.
    """
    places = find_descendants(trace, bits)
    if not places:
        part = format_bit_range(bits.low, bits.high - bits.low)
        return f"nothing reads {part} of {bits.key}"
    readers = [
        LaneRef(row.key, lane)
        for shown_step in trace.steps[:step]
        for row in shown_step.rows
        for lane in range(len(row.lanes))
        if (row.key, lane) in places
    ]
    for place in reversed(readers):
        control = find_control(trace, scene, place)
        if control and control[:3] == (bits.key, bits.low, bits.high - bits.low):
            return format_lane_sentence(trace, trace.rows[place.key], place.lane)
    return (
        format_lane_sentence(trace, trace.rows[readers[0].key], readers[0].lane) if readers else ""
    )
