"""Sentences on a part of an operand: the value that it decides, or that no step reads it."""

from __future__ import annotations

from ...engine.isa.value_text import format_bit_range
from ...engine.tracing.lane_text import format_lane_sentence
from ...engine.tracing.provenance import LaneBits, find_descendants
from ...engine.tracing.trace import Trace
from ...scene.scene_model import LaneRef, Scene, SpanKind
from ...state.figure_edits import find_control


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
