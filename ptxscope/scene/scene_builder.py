"""The scene of a trace."""

from __future__ import annotations

from collections.abc import Iterator

from ..engine.isa.integers import cast
from ..engine.isa.roles import DESTINATIONS, Role
from ..engine.isa.types import Type
from ..engine.semantics.micro_operation import WHOLE
from ..engine.semantics.micro_operations import Merge, Select
from ..engine.syntax.values import hex_text, value_text
from ..engine.tracing.lane_text import operand_name, row_name
from ..engine.tracing.step_text import title
from ..engine.tracing.trace import RowTrace, Step, Trace
from .bit_rulers import digits, float_fields
from .scene_cells import cells_of, tint_of, top_byte
from .scene_figures import figure_of
from .scene_model import (
    Cell,
    Link,
    Look,
    Place,
    Register,
    RowScene,
    Scene,
    Span,
    StepScene,
    Strips,
    Tint,
)


def scene(trace: Trace) -> Scene:
    """Everything that is drawn of a trace."""
    read = {source.role for source in trace.plan.sources}
    roles = [role for role in Role if role in read and role in trace.operands]
    lanes = trace.instruction.entry.lanes
    ends = {result.role: Place(result.key, 0) for result in trace.plan.results}
    kept = [role for role in trace.instruction.results if role in ends]
    return Scene(
        lanes,
        tuple(_register(trace, role, lanes) for role in roles),
        tuple(_step(trace, step) for step in trace.steps),
        tuple(ends[role] for role in kept),
        tuple(place for role, place in ends.items() if role not in kept),
    )


def part_width(trace: Trace, role: str) -> int:
    """The width in bits of the parts that an operand is drawn in: 8, 16, or all of it."""
    for row in trace.rows.values():
        if role in row.input_keys and isinstance(row.micro, Select | Merge):
            return row.micro.unit
    return trace.instruction.type_of(role).bits


def place_of(trace: Trace, key: str, lane: int, low: int) -> Place:
    """Where bits that begin at a bit are drawn."""
    if key in trace.rows:
        return Place(key, lane)
    return Place(key, low // part_width(trace, key))


def _step(trace: Trace, step: Step) -> StepScene:
    rows = tuple(row_scene(trace, row) for row in step.rows)
    return StepScene(step.number, step.stage, title(step), rows)


def row_scene(trace: Trace, row: RowTrace) -> RowScene:
    """What is drawn of a row."""
    return RowScene(
        row.key,
        row_name(trace, row.row),
        cells_of(trace, row),
        figure_of(trace, row),
        tuple(dict.fromkeys(_links(trace, row))),
        operand_name(trace, row.name) if row.name in DESTINATIONS else "",
    )


def _links(trace: Trace, row: RowTrace) -> Iterator[Link]:
    """The ways into a row: what its lanes came from, and what they could have taken."""
    for lane in range(len(row.lanes)):
        target = Place(row.key, lane)
        gone: set[int] = set()
        for part in row.micro.origins(lane, 0, WHOLE, row.inputs):
            if part.low >= part.high:
                continue
            gone.add(part.input)
            key = row.input_keys[part.input]
            for source in parts(trace, key, part.lane, part.low, part.high):
                yield Link(source, target, _tint(trace, source))
        for source in _passed_over(trace, row, lane, gone):
            yield Link(source, target, _tint(trace, source), taken=False)


def _passed_over(trace: Trace, row: RowTrace, lane: int, gone: set[int]) -> Iterator[Place]:
    """What a lane could have taken and did not."""
    if isinstance(row.micro, Select):
        return
    for index, key in enumerate(row.input_keys):
        if index in gone:
            continue
        if isinstance(row.micro, Merge):
            if index == 0 and len(row.inputs[0]) > 1:
                yield Place(key, lane)
            elif index == 1:  # its own part of c; a scalar's t goes only where it is sent
                yield place_of(trace, key, lane, row.micro.unit * lane)
        else:
            yield place_of(trace, key, lane if len(row.inputs[index]) > 1 else 0, 0)


def _tint(trace: Trace, source: Place) -> Tint:
    """Whose bits a place holds."""
    if source.key in trace.rows:
        return tint_of(trace, source.key, source.lane)
    return Tint(source.key, top_byte(part_width(trace, source.key), source.lane))


def parts(trace: Trace, key: str, lane: int, low: int, high: int) -> Iterator[Place]:
    """The places where bits low..high-1 of an operand, or of a row's lane, are drawn."""
    if key in trace.rows:
        yield Place(key, lane)
        return
    width = part_width(trace, key)
    high = min(high, trace.instruction.type_of(key).bits)
    for part in range(low // width, -(-high // width)):
        yield Place(key, part)


def _register(trace: Trace, role: Role, lanes: int) -> Register:
    ins, bits = trace.instruction, trace.operands[role]
    type_, unit = ins.type_of(role), part_width(trace, role)
    by_lane = lanes > 1 and unit * lanes == 32
    read = _read(trace, role)
    cells = []
    for part in reversed(range(max(type_.bits // unit, 1))):
        value = bits >> unit * part & (1 << unit) - 1
        text = str(value) if type_ is Type.PRED else hex_text(value, unit)[2:]
        look = Look.CHIP if part in read else Look.UNUSED
        shown = digits(value, 0, unit) if by_lane else ""
        spans = [Span(text, look, Tint(role, top_byte(unit, part)), shown)]
        if by_lane:
            number = cast(value, unit, type_ is Type.S32)
            spans.append(Span(f" {number}", Look.TEXT))
        cells.append(Cell(Place(role, part), tuple(spans)))
    meant = value_text(bits, type_)
    fields = float_fields(Place(role, 0), role, bits, type_) if type_.is_float else None
    name = operand_name(trace, role)
    return Register(
        role,
        role.label,
        "" if name == role.label else name,
        unit,
        tuple(cells),
        by_lane,
        meant,
        Strips((fields,)) if fields else None,
        str(bits) if type_ is Type.PRED else hex_text(bits, type_.bits)[2:],
    )


def _read(trace: Trace, role: str) -> set[int]:
    """The parts of an operand that may come to something: what values decide does not count."""
    found: set[int] = set()
    whole = trace.instruction.type_of(Role(role)).bits
    for row in trace.rows.values():
        if role not in row.input_keys:
            continue
        if not isinstance(row.micro, Select | Merge):
            found |= {place.lane for place in parts(trace, role, 0, 0, whole)}
            continue
        for lane in range(len(row.lanes)):
            for part in row.micro.origins(lane, 0, WHOLE, row.inputs):
                if row.input_keys[part.input] == role and part.low < part.high:
                    places = parts(trace, role, part.lane, part.low, part.high)
                    found |= {place.lane for place in places}
    return found
