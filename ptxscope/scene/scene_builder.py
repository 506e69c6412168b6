"""The construction of a trace's scene."""

from __future__ import annotations

from collections.abc import Iterator

from ..engine.isa.encodings import format_hex, format_lane, format_value
from ..engine.isa.types import DESTINATIONS, Role, Type
from ..engine.micro_operations.base import RowTrace
from ..engine.micro_operations.properties import MAX_LANE_BITS
from ..engine.tracing.step_text import format_operand_name, format_title, get_row_name
from ..engine.tracing.trace import Step, Trace
from .bit_rulers import format_binary, make_float_ruler
from .scene_cells import build_cells, find_tint, find_top_byte
from .scene_figures import build_figure
from .scene_model import (
    BitRulers,
    Cell,
    CellSpan,
    LaneRef,
    Link,
    RegisterFigure,
    RowScene,
    Scene,
    SpanKind,
    StepScene,
    Tint,
)


def build_scene(trace: Trace) -> Scene:
    """Return the whole scene of a trace."""
    read_roles = {source.role for source in trace.plan.sources}
    roles = [role for role in Role if role in read_roles and role in trace.operands]
    lanes = trace.instruction.entry.lanes
    ends = {result.role: LaneRef(result.key, 0) for result in trace.plan.results}
    kept_roles = [role for role in trace.instruction.results if role in ends]
    return Scene(
        lanes,
        tuple(_build_register_figure(trace, role, lanes) for role in roles),
        tuple(_build_step_scene(trace, step) for step in trace.steps),
        tuple(ends[role] for role in kept_roles),
        tuple(place for role, place in ends.items() if role not in kept_roles),
    )


def choose_part_width(trace: Trace, role: str) -> int:
    """Return the width in bits of an operand's drawn parts: 8, 16, or its full width."""
    for row in trace.rows.values():
        if role in row.input_keys and row.micro.part_bits:
            return row.micro.part_bits
    return trace.instruction.type_of(role).bits


def locate_bits(trace: Trace, key: str, lane: int, low: int) -> LaneRef:
    """Return the place that shows the bits of an operand or lane from bit `low`."""
    if key in trace.rows:
        return LaneRef(key, lane)
    return LaneRef(key, low // choose_part_width(trace, key))


def _build_step_scene(trace: Trace, step: Step) -> StepScene:
    rows = tuple(build_row_scene(trace, row) for row in step.rows)
    return StepScene(step.number, step.stage, format_title(step), rows)


def build_row_scene(trace: Trace, row: RowTrace) -> RowScene:
    """Return the scene of a row."""
    return RowScene(
        row.key,
        get_row_name(row),
        build_cells(row),
        build_figure(row),
        tuple(dict.fromkeys(_iter_links(trace, row))),
        format_operand_name(trace, row.name) if row.name in DESTINATIONS else "",
    )


def _iter_links(trace: Trace, row: RowTrace) -> Iterator[Link]:
    """Yield the links into a row: the sources of its lanes, and rejected sources."""
    for lane in range(len(row.values)):
        target = LaneRef(row.key, lane)
        for part in row.micro.find_origins(lane, 0, MAX_LANE_BITS, row.input_values):
            if part.low < part.high:
                key = row.inputs[part.input].key
                for source in iter_parts(trace, key, part.lane, part.low, part.high):
                    yield Link(source, target, _choose_tint(trace, source))
        for part in row.micro.find_rejected_bits(lane, row.input_values):
            source = locate_bits(trace, row.inputs[part.input].key, part.lane, part.low)
            yield Link(source, target, _choose_tint(trace, source), is_taken=False)


def iter_possible_links(trace: Trace, row: RowTrace) -> Iterator[Link]:
    """Yield the links into a row from every part that its lanes may take."""
    for lane in range(len(row.values)):
        for x in row.inputs:
            source_lane = lane if len(x.values) > 1 else 0
            for source in iter_parts(trace, x.key, source_lane, 0, MAX_LANE_BITS):
                yield Link(source, LaneRef(row.key, lane), _choose_tint(trace, source))


def _choose_tint(trace: Trace, source: LaneRef) -> Tint:
    """Return the tint of the bits at a place."""
    if source.key in trace.rows:
        return find_tint(trace.rows[source.key], source.lane)
    return Tint(source.key, find_top_byte(choose_part_width(trace, source.key), source.lane))


def iter_parts(trace: Trace, key: str, lane: int, low: int, high: int) -> Iterator[LaneRef]:
    """Yield the places that show bits low..high-1 of an operand or of a lane of a row."""
    if key in trace.rows:
        yield LaneRef(key, lane)
        return
    width = choose_part_width(trace, key)
    high = min(high, trace.instruction.type_of(key).bits)
    for part in range(low // width, -(-high // width)):
        yield LaneRef(key, part)


def _build_register_figure(trace: Trace, role: Role, lanes: int) -> RegisterFigure:
    ins, bits = trace.instruction, trace.operands[role]
    type_, unit = ins.type_of(role), choose_part_width(trace, role)
    by_lane = lanes > 1 and unit * lanes == 32
    used_parts = _find_used_parts(trace, role)
    signs = map_part_signs(trace, role) if by_lane else {}
    cells = []
    for part in reversed(range(max(type_.bits // unit, 1))):
        value = bits >> unit * part & (1 << unit) - 1
        text = str(value) if type_ is Type.PRED else format_hex(value, unit)[2:]
        kind = SpanKind.CHIP if part in used_parts else SpanKind.UNUSED
        digits = format_binary(value, 0, unit) if by_lane else ""
        spans = [CellSpan(text, kind, Tint(role, find_top_byte(unit, part)), digits)]
        if by_lane:
            readings = signs.get(part, (type_.signed,))
            numbers = (format_lane(value, unit, type_, signed=x) for x in readings)
            spans.append(CellSpan(f" {', '.join(dict.fromkeys(numbers))}", SpanKind.TEXT))
        cells.append(Cell(LaneRef(role, part), tuple(spans)))
    meant = format_value(bits, type_)
    place = LaneRef(role, 0)
    fields = make_float_ruler(place, role, bits, type_, Tint(role)) if type_.is_float else None
    name = format_operand_name(trace, role)
    return RegisterFigure(
        role,
        role.label,
        "" if name == role.label else name,
        unit,
        tuple(cells),
        by_lane,
        meant,
        BitRulers((fields,)) if fields else None,
        str(bits) if type_ is Type.PRED else format_hex(bits, type_.bits)[2:],
    )


def map_part_signs(trace: Trace, role: str) -> dict[int, tuple[bool, ...]]:
    """Map each part of an operand to whether it is read as signed, in the order of its readings."""
    readings: dict[int, dict[bool, None]] = {}
    for row in trace.rows.values():
        if (reading := row.micro.reading) and not (source := row.inputs[0]).is_operand:
            for part in filter(None, map(source.micro.find_part, range(len(source.values)))):
                if source.inputs[part.input].key == role:
                    readings.setdefault(part.number, {})[reading.signed] = None
    return {part: tuple(signs) for part, signs in readings.items()}


def _find_used_parts(trace: Trace, role: str) -> set[int]:
    """Return the parts of an operand that can affect a result, whatever the values."""
    parts: set[int] = set()
    whole = trace.instruction.type_of(Role(role)).bits
    for row in trace.rows.values():
        if role not in row.input_keys:
            continue
        if row.micro.part_bits is None or row.micro.has_chosen_bits:
            parts |= {place.lane for place in iter_parts(trace, role, 0, 0, whole)}
            continue
        for lane in range(len(row.values)):
            for part in row.micro.find_origins(lane, 0, MAX_LANE_BITS, row.input_values):
                if row.inputs[part.input].key == role and part.low < part.high:
                    places = iter_parts(trace, role, part.lane, part.low, part.high)
                    parts |= {place.lane for place in places}
    return parts
