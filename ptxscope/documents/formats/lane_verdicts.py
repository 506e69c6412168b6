"""The lanes of an observed result that match the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...diagnosis.explanations import Diagnosis


class LaneVerdicts(NamedTuple):
    """Lanes of the only result by whether every observation matches the documentation."""

    unit: int
    """The width of a lane in bits."""
    documented_lanes: tuple[int, ...]
    deviating_lanes: tuple[int, ...] = ()
    """Lanes with a known bit that differs."""
    uncertain_lanes: tuple[int, ...] = ()
    """The other lanes with unknown bits."""


def find_lane_verdicts(diagnosis: Diagnosis) -> LaneVerdicts:
    """Return the verdicts on the lanes of a diagnosis; they are empty if a lane has 32 bits.

    The lanes are the instruction's, or the bytes or half-words that ``dsel`` writes.
    """
    (place, *others), difference, known_mask = diagnosis.block.outputs.values(), 0, (1 << 32) - 1
    ins = diagnosis.block.get_statement(place.statement).instruction
    width = 32 // ins.entry.lanes if place.role == "d" and ins.has_lanes("d") else 32
    unit = ins.form.dsel.unit if ins.form.dsel else width
    if others or place.role != "d" or unit == 32:
        return LaneVerdicts(32, ())
    for observation, documented in diagnosis.cases:
        observed = observation.observed[place.key]
        difference |= observed.compute_difference(documented[place.key])
        known_mask &= observed.known_mask
    field, lanes = (1 << unit) - 1, range(32 // unit)
    deviating_lanes = [lane for lane in lanes if difference >> unit * lane & field]
    documented_lanes = [
        lane
        for lane in lanes
        if lane not in deviating_lanes and known_mask >> unit * lane & field == field
    ]
    uncertain_lanes = [x for x in lanes if x not in deviating_lanes and x not in documented_lanes]
    return LaneVerdicts(
        unit, tuple(documented_lanes), tuple(deviating_lanes), tuple(uncertain_lanes)
    )


def format_right_lanes(diagnosis: Diagnosis) -> str:
    """Format the lanes that match the documentation; empty if no lane is known to differ."""
    unit, *verdicts = find_lane_verdicts(diagnosis)
    right_lanes, wrong_lanes, unknown_lanes = (lanes[::-1] for lanes in verdicts)
    if not wrong_lanes:
        return ""
    (place,) = diagnosis.block.outputs.values()
    ins = diagnosis.block.get_statement(place.statement).instruction
    name = "lane" if ins.entry.lanes > 1 else {8: "byte", 16: "half-word"}[unit]

    def format_lanes(lanes: Sequence[int]) -> str:
        return f"{name}{'s' if len(lanes) > 1 else ''} {', '.join(map(str, lanes))}"

    wrong_text = format_lanes(wrong_lanes)
    if right_lanes:
        verb = "is" if len(wrong_lanes) == 1 else "are"
        verdict_text = f"{format_lanes(right_lanes)} right, {wrong_text} {verb} not"
    elif unknown_lanes:
        verdict_text = f"{wrong_text} {'differs' if len(wrong_lanes) == 1 else 'differ'}"
    else:
        verdict_text = f"every {name} differs"
    if unknown_lanes:
        *other_lanes, last_lane = map(str, unknown_lanes)
        subject = (
            f"{', '.join(other_lanes)} and {last_lane} are" if other_lanes else f"{last_lane} is"
        )
        verdict_text += f"; {subject} not known"
    return verdict_text
