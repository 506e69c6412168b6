"""Differences between models: one instruction and its values under two of them."""

from __future__ import annotations

from typing import NamedTuple

from ..micro_operations.properties import Stage
from ..semantics.models import ISA_MODEL, PTXAS_MODELS
from ..semantics.rules import Erratum
from .trace import Trace


class Deviation(NamedTuple):
    """The documented answer and a different one."""

    isa: Trace
    other: Trace
    errata: tuple[Erratum, ...]
    """The errata behind the difference."""
    stage: Stage
    """The first step at which the answers differ."""


def find_deviations(trace: Trace) -> tuple[Deviation, ...]:
    """Return the known answers that differ from ``isa`` for these values, newest first."""
    isa = trace.with_model(ISA_MODEL)
    deviations: list[Deviation] = []
    for candidate in map(trace.with_model, PTXAS_MODELS):
        if candidate.result != isa.result and all(
            candidate.errata != deviation.other.errata for deviation in deviations
        ):
            deviations.append(
                Deviation(
                    isa, candidate, candidate.changed_by, find_first_difference(isa, candidate)
                )
            )
    return tuple(deviations)


def find_agreeing_traces(trace: Trace) -> tuple[Trace, ...]:
    """Return the answers of known assemblers that equal ``isa``'s, newest first."""
    isa = trace.with_model(ISA_MODEL)
    candidates = map(trace.with_model, PTXAS_MODELS)
    return tuple(candidate for candidate in candidates if candidate.result == isa.result)


def find_deviation(trace: Trace, deviations: tuple[Deviation, ...]) -> Deviation | None:
    """Return the pair of answers to show for a trace; None if all agree."""
    if not trace.model.errata:
        return deviations[0] if deviations else None
    isa = trace.with_model(ISA_MODEL)
    if isa.result == trace.result:
        return None
    return Deviation(isa, trace, trace.changed_by, find_first_difference(isa, trace))


def find_first_difference(x: Trace, y: Trace) -> Stage:
    """Return the first stage at which two traces differ, or the last if none does.

    The traces are of the same instruction. A row in only one of them counts as a difference if it
    changed its value.
    """
    order = list(Stage)
    stages = sorted({step.stage for step in (*x.steps, *y.steps)}, key=order.index)
    for stage in stages:
        if _get_stage_values(x, stage) != _get_stage_values(y, stage):
            return stage
    return stages[-1]


def _get_stage_values(trace: Trace, stage: Stage) -> dict[str, tuple[int, ...]]:
    return {
        key: row.values
        for key, row in trace.rows.items()
        if row.stage is stage and not (len(row.inputs) == 1 and row.inputs[0].values == row.values)
    }


def has_one_answer(trace: Trace) -> bool:
    """Return whether every known answer for these values equals the trace's own."""
    deviations = find_deviations(trace)
    return not deviations and find_deviation(trace, deviations) is None
