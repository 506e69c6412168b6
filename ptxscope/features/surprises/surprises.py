"""The lanes of a trace with unexpected values, and the changes that would give others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...engine.isa.encodings import cast, format_hex
from ...engine.isa.entry import Slot
from ...engine.isa.types import Type
from ...engine.micro_operations.base import RowTrace
from ...engine.micro_operations.properties import Flag, Stage
from ...engine.tracing.deviation import Deviation
from ...engine.tracing.step_text import format_lane_sentence, format_title, get_part_name
from ...engine.tracing.trace import Trace
from ...scene.scene_model import LaneRef
from ...state import edits
from ...state.setup import Setup, evaluate_setup
from ...state.slot_choices import SlotCell, explain_refusal, format_value, is_flag, list_slots
from ...state.step_transitions import select_notable_flags

_MAX_COUNTERFACTUALS = 3
_KINDS = {Flag.MASKED_OUT: "kept"}
"""Words for flags that have another name."""
_SLOTS = tuple("sat mask dtype atype btype ctype stype mode asel bsel secop".split())
"""The slots that are changed, in this order."""
_NOUNS = {"mask": "the mask", "asel": "a's selector", "bsel": "b's selector"}
"""Names of slots whose values are not clear alone."""


class Counterfactual(NamedTuple):
    """The value of a lane if one modifier, or the model, were another."""

    label: str
    """``without .sat``, ``with dtype .u32``."""
    value: str


class Surprise(NamedTuple):
    """A lane with an unexpected value."""

    place: LaneRef
    kind: str
    """The event: ``clamped low``."""
    sentence: str
    errata: tuple[str, ...] = ()
    """The errata that give another model another value there."""
    other_answer: Counterfactual | None = None
    """That model and its value."""


def list_surprises(trace: Trace, deviation: Deviation | None = None) -> tuple[Surprise, ...]:
    """Return the lanes that are clamped, wrapped, kept, not a number, taken from elsewhere, or
    changed by an erratum, in reading order: step by step, the highest lane first.
    """
    return tuple(_iter_surprises(trace, deviation))


def _iter_surprises(trace: Trace, deviation: Deviation | None) -> Iterator[Surprise]:
    for key, row in trace.rows.items():
        for lane in reversed(range(len(row.values))):
            kinds, errata = [_find_kind(row, lane)], tuple[str, ...]()
            other_answer = _find_other_answer(trace, deviation, row, lane)
            if deviation is not None and other_answer is not None:
                errata = tuple(x.id for x in deviation.errata)
                kinds.append(f"another value by {', '.join(errata)}")
            if kind := "; ".join(filter(None, kinds)):
                sentence = format_lane_sentence(row, lane)
                yield Surprise(LaneRef(key, lane), kind, sentence, errata, other_answer)


def _find_other_answer(
    trace: Trace, deviation: Deviation | None, row: RowTrace, lane: int
) -> Counterfactual | None:
    """Return another model's value of a lane at the step where the models first differ."""
    if deviation is None or row.stage is not deviation.stage:
        return None
    other = deviation.isa if trace.model.errata else deviation.other
    others = other.rows.get(row.key)
    if others is None or others.values[lane] == row.values[lane]:
        return None
    return Counterfactual(other.model.name, _format_lane_value(others, lane))


def _find_kind(row: RowTrace, lane: int) -> str:
    if flags := select_notable_flags(row, lane):
        return " and ".join(_KINDS.get(flag, flag) for flag in flags)
    part = row.micro.find_part(lane)
    if row.stage is Stage.SELECT and part is not None and len(row.values) > 1:
        is_elsewhere = part.number != lane or row.inputs[part.input].key != row.role
        return "taken from elsewhere" if is_elsewhere else ""
    return ""


def find_surprise(surprises: tuple[Surprise, ...], place: object, delta: int) -> Surprise | None:
    """Return the next surprise after a place, or the previous one, wrapping around."""
    if not surprises:
        return None
    places = [x.place for x in surprises]
    if place in places:
        return surprises[(places.index(place) + delta) % len(places)]
    return surprises[0 if delta > 0 else -1]


def format_name(trace: Trace, place: LaneRef) -> str:
    """Return the name of a place: ``saturate, lane 2``."""
    row = trace.rows[place.key]
    stage = format_title(next(x for x in trace.steps if x.stage is row.stage))
    return f"{stage}, {get_part_name(row)} {place.lane}" if len(row.values) > 1 else stage


# --- other modifiers ---------------------------------------------------------------------


def list_counterfactuals(setup: Setup, place: LaneRef) -> tuple[Counterfactual, ...]:
    """Return the values of a lane under other modifiers, one changed at a time.

    Each is computed: the instruction with that modifier is evaluated. Repeated values are left out.
    """
    trace = evaluate_setup(setup)
    counterfactuals: dict[str, Counterfactual] = {}
    for label, other in _iter_changes(setup):
        if value := _find_other_value(trace, other, place):
            counterfactuals.setdefault(value, Counterfactual(label, value))
    return tuple(counterfactuals.values())[:_MAX_COUNTERFACTUALS]


def _iter_changes(setup: Setup) -> Iterator[tuple[str, Trace]]:
    """Yield each other modifier, and the evaluation with it."""
    form = setup.instruction.form
    slots = {slot.name: slot for slot in list_slots(form)}
    for name in _SLOTS:
        slot = slots.get(name)
        if slot is None:
            continue
        for value in _list_values(slot, form.get(name)):
            if explain_refusal(form, SlotCell(name, value)) is None:
                changed = edits.with_choice(setup, name, value)
                if changed.instruction.opcode == form.opcode:
                    yield _format_change(slot, form.get(name), value), evaluate_setup(changed)


def _list_values(slot: Slot, value: object) -> list[object]:
    """Return the values that a slot could have instead."""
    if slot.is_optional and value != slot.absent:
        return [slot.absent]
    if is_flag(slot) or slot.name in (*_NOUNS, "secop"):
        return []
    return [x for x in slot.values if x != value]


def _format_change(slot: Slot, old: object, new: object) -> str:
    if new == slot.absent and slot.is_optional:
        modifier = slot.name if old is True else format_value(slot, old)
        return f"without {_NOUNS.get(slot.name, f'.{modifier}')}"
    noun = f"{slot.name} " if isinstance(new, Type) else ""
    return f"with {noun}.{format_value(slot, new)}"


def _find_other_value(trace: Trace, other: Trace, place: LaneRef) -> str:
    """Return the value, in another trace, of the first common row from a place on.

    Empty if it is the same.
    """
    keys = [*trace.rows]
    for key in keys[keys.index(place.key) :]:
        row, other_row = trace.rows[key], other.rows.get(key)
        if other_row is None or len(other_row.values) != len(row.values):
            continue
        if place.lane >= len(row.values):
            return ""
        if row.values[place.lane] == other_row.values[place.lane]:
            return ""
        return _format_lane_value(other_row, place.lane)
    return ""


def _format_lane_value(row: RowTrace, lane: int) -> str:
    value = row.values[lane]
    if row.stage not in (Stage.MERGE, Stage.WRITE):
        return str(value)
    bits, dtype = row.range.high.bit_length(), row.instruction.form.dtype
    number = f" ({cast(value, bits, signed=True)})" if dtype and dtype.signed else ""
    return f"{format_hex(value, bits)}{number}"
