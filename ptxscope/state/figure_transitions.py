"""Transitions that change what the picture shows: parts, masks, digits, truth tables, wires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..engine.isa.encodings import format_float
from ..engine.isa.types import Role
from ..scene.scene_builder import choose_part_width
from ..scene.scene_model import BitRef, LaneRef, Place
from . import edits
from .answer_transitions import ask_computed
from .edit_transitions import edit, set_slot
from .explorer_state import ExplorerState
from .figure_edits import (
    PartChoice,
    count_part_choices,
    find_control,
    find_link,
    find_part_choice,
    with_nudge,
)
from .requests import REFUSED, AskText, Requests, ShowHint, refuse

if TYPE_CHECKING:
    from ..scene.scene_model import Scene


def nudge_place(state: ExplorerState, scene: Scene, place: Place, delta: int) -> Requests:
    """Change what a place of a scene shows to its next or previous value."""
    trace = state.trace
    if isinstance(place, LaneRef) and place.key in trace.operands:
        width = choose_part_width(trace, place.key)
        yield from nudge_lane(state, place.key, width * place.lane, width, delta)
    elif choice := find_part_choice(trace, place):
        number = (choice.number + delta) % count_part_choices(trace, place)
        yield from select_part(state, *choice._replace(number=number))
    elif place.key == Role.TABLE:
        table = state.setup.instruction.form.lut or 0
        changed = table ^ 1 << place.bit if isinstance(place, BitRef) else (table + delta) % 256
        yield from set_slot(state, "lut", changed)
    elif bits := find_control(trace, scene, place):
        yield from nudge_lane(state, bits.role, bits.low, bits.width, delta)
    elif isinstance(place, BitRef):
        row = trace.rows.get(place.key)
        bit = row.values[place.lane] >> place.bit & 1 if row else 0
        yield from ask_computed(state, place, str(1 - bit))


def link_places(state: ExplorerState, scene: Scene, start: Place, end: Place) -> Requests:
    """Lay a wire from a register's part to a lane, or from the lane to the part."""
    try:
        link = find_link(state.trace, scene, start, end)
    except ValueError as error:
        yield refuse(error)
        return
    if isinstance(link, PartChoice):
        yield from select_part(state, *link)
    elif link is not None:
        bits, value = link
        yield from nudge_lane(state, bits.role, bits.low, bits.width, value - bits.value)


def nudge_lane(state: ExplorerState, role: str, low: int, width: int, delta: int) -> Requests:
    """Add a number to a part of an operand, from bit ``low`` on; a float goes to a neighbour."""
    changed = with_nudge(state.setup, role, low, width, delta)
    if changed is not None:
        yield from edit(state, changed)
    else:
        bits, type_ = state.trace.operands[role], state.setup.instruction.type_of(role)
        yield ShowHint(
            f"{REFUSED} there is no float next to {format_float(bits, type_)}", "changed"
        )


def ask_formula(state: ExplorerState) -> Requests:
    """Ask for the formula of a truth table."""
    from ..engine.isa.truth_tables import find_formulas, parse_formula

    table = state.setup.instruction.form.lut
    if table is None:
        return
    text = yield AskText(
        *("The function of a, b and c", "d =", str(find_formulas()[table])),
        *("& | ^ ~ and parentheses", "use it", "lanes"),
        check=lambda text, _: parse_formula(text),
        is_suggestion=True,
    )
    if text is not None and text.strip():
        yield from set_slot(state, "lut", parse_formula(text))


def flip_mask(state: ExplorerState, lane: int) -> Requests:
    """Toggle a lane of the mask."""
    yield from edit(state, edits.with_mask_lane(state.setup, lane))


def select_part(state: ExplorerState, slot: str, lane: int, digit: int, unit: int = 0) -> Requests:
    """Select another byte or half-word: from 0, those of a first, then those of b.

    ``unit`` is the width of the part, if it may change.
    """
    changed = edits.with_digit(state.setup, slot, lane, digit, unit)
    if changed is None:
        yield ShowHint(f"{REFUSED} {slot} cannot take that part", "changed")
    else:
        yield from edit(state, changed)
