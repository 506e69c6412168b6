"""A value of a trace by the author's name for it: ``saturate lane 2``, ``a``, ``q``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...engine.isa.encodings import format_hex
from ...engine.isa.types import Role
from ...engine.micro_operations.base import RowTrace
from ...engine.syntax.errors import quote_word
from ...engine.tracing.note_targets import parse_stage
from ...engine.tracing.step_text import describe_lane, format_result
from ...engine.tracing.trace import Trace

_STATEMENT = re.compile(r"s(\d{1,3})\.(.++)", re.DOTALL)
_LANE = re.compile(r"(?:\A|\s)lane\s++(\d{1,9})\Z", re.I)


def format_destinations(trace: Trace, name: str = "") -> str:
    """Format the bits of a destination, or of all; raise ValueError if it is not written."""
    if not name:
        return format_result(trace)
    roles = {destination: role for role, destination in trace.instruction.results.items()}
    if name not in roles:
        raise ValueError(f"{quote_word(name)} is not written; {_format_names(roles)} is")
    return format_hex(trace.result[name], trace.instruction.type_of(roles[name]).bits)


def format_block_value(trace: Trace, target: str = "") -> str:
    """Format the bits of a register of a block, or a value of a statement: ``d``, ``s2.saturate``.

    Without a target, format the results. Raise ValueError if there is no such value.
    """
    block = trace.block
    results = {
        name: format_hex(trace.result_by_role[role], block.type_of(role).bits)
        for role, name in block.results.items()
    }
    if not target:
        (first, *others) = results.values()
        return ", ".join(f"{x} = {y}" for x, y in results.items()) if others else first
    operands = {
        name: format_hex(trace.operands[role], block.type_of(role).bits)
        for role, name in block.names.items()
    }
    if value := (results.get(target) or operands.get(target)):
        return value
    match = _STATEMENT.fullmatch(target)
    if match and 0 < int(match[1]) <= len(trace.parts):
        return format_value(trace.parts[int(match[1]) - 1], match[2])
    names = _format_names([*results, *operands])
    raise ValueError(
        f"{quote_word(target)} is not one of {names}; a statement's value is named as in s1.write.d"
    )


def format_value(trace: Trace, target: str) -> str:
    """Format the bits of an operand, or the value of a step: ``a``, ``select.b lane 3``.

    A step of several rows needs the name of the row after a dot. Raise ValueError with the known
    names if there is no such value.
    """
    ins = trace.instruction
    for role in trace.operands:
        if target in (ins.format_operand(role), Role(role).label):
            return format_hex(trace.operands[role], ins.type_of(role).bits)
    lane_match = _LANE.search(target)
    row = _find_row(trace, target[: lane_match.start()].strip() if lane_match else target.strip())
    if not lane_match:
        lanes = [_format_lane(row, lane) for lane in reversed(range(len(row.values)))]
        return f"[{', '.join(lanes)}]" if len(lanes) > 1 else lanes[0]
    lane, last_lane = int(lane_match[1]), len(row.values) - 1
    if lane > last_lane:
        range_text = f"they are numbered 0 to {last_lane}" if last_lane else "it has one value"
        raise ValueError(f"{row.key} has no lane {lane}: {range_text}")
    return _format_lane(row, lane)


def _find_row(trace: Trace, name: str) -> RowTrace:
    if name in trace.rows:
        return trace.rows[name]
    step, _, part = name.partition(".")
    stage = parse_stage(step, trace)
    rows = {row.name: row for row in trace.rows.values() if row.stage is stage}
    if part in rows:
        return rows[part]
    if part or len(rows) > 1:
        keys = [row.key for row in rows.values()]
        raise ValueError(f"{quote_word(name)} is not one of {_format_names(keys)}")
    return next(iter(rows.values()))


def _format_lane(row: RowTrace, lane: int) -> str:
    """Format a lane in the notation of its formula, decimal or hexadecimal."""
    number, text = row.values[lane], describe_lane(row, lane).formula.right
    return text if text == str(number) or text.startswith("0x") else str(number)


def _format_names(names: Iterable[str]) -> str:
    return ", ".join(names)
