"""A trace in words: a formula and a sentence for each lane.

Every text uses only the values recorded in the trace. ``describe_step`` in ``step_text`` describes
a step whatever the values.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..isa.integers import cast
from ..isa.types import Type
from ..isa.value_text import UNIT_NAMES, format_hex, format_value
from ..micro_operations.base import LaneView, RowTrace
from ..micro_operations.instruction_view import InstructionView
from ..micro_operations.properties import LaneText
from ..micro_operations.stage import Stage
from ..syntax.instruction import Instruction
from .trace import Trace


def format_operand_name(trace: Trace, role: str) -> str:
    """Return the register or the literal of an operand."""
    return trace.instruction.format_operand(role)


def interpret_bits(ins: InstructionView, role: str, bits: int) -> str:
    """Return an operand's bits as a number, or as a list of its lanes, highest first."""
    type_ = ins.type_of(role)
    if not ins.has_lanes(role) or type_.lanes > 1:
        return format_value(bits, type_)
    unit = 32 // ins.entry.lanes
    lanes = (cast(bits >> shift, unit, type_ is Type.S32) for shift in range(32 - unit, -1, -unit))
    return f"[{', '.join(map(str, lanes))}]"


def format_result(trace: Trace) -> str:
    """Return the destinations' bits: ``0x00000007``, or ``p = 0, q = 1`` for several."""
    ins = trace.instruction
    return format_result_bits(ins, {role: trace.result[name] for role, name in ins.results.items()})


def format_result_bits(ins: Instruction, bits: Mapping[str, int]) -> str:
    """Format a result by role like ``format_result``."""
    return join_by_destination(
        ins, {role: format_hex(x, ins.type_of(role).bits) for role, x in bits.items()}
    )


def join_by_destination(ins: Instruction, texts: Mapping[str, str]) -> str:
    """Join one text for each destination, with their names if there are several."""
    if len(ins.results) == 1:
        return next(iter(texts.values()))
    return ", ".join(
        f"{name} = {texts[role]}" for role, name in ins.results.items() if role in texts
    )


def describe_lane(row: RowTrace, lane: int) -> LaneText:
    """Return the formula and the sentence of one lane of a row."""
    return row.micro.describe_lane(LaneView(row, lane))


def format_lane_sentence(row: RowTrace, lane: int) -> str:
    """Return the sentence of a lane, prefixed with its number if there are several."""
    sentence = describe_lane(row, lane).sentence
    return f"{get_part_name(row)} {lane}: {sentence}" if len(row.values) > 1 else sentence


def get_part_name(row: RowTrace) -> str:
    """Return the noun for a row's values: ``lane``, or ``byte`` in a scalar merge."""
    if row.instruction.entry.lanes > 1:
        return "lane"
    return UNIT_NAMES[32 // len(row.values)] if len(row.values) > 1 else "value"


def get_row_name(row: RowTrace) -> str:
    """Return the name of a row: ``t``, ``a``, or ``_`` for a discarded destination."""
    is_discarded = row.stage is Stage.WRITE and row.instruction.format_operand(row.role) == "_"
    return "_" if is_discarded else row.role
