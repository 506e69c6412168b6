"""The statement of a run behind a wrong value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...diagnosis.observation import Observed
from ...engine.micro_operations.merge import Merge
from ...engine.syntax.instruction import Register
from .program_run import Run, RunStep


def find_origins(run: Run, step: RunStep) -> Iterator[RunStep]:
    """Yield the steps that a step's values come from, last first."""
    numbers = {value.step for value in step.reads.values()}
    for earlier in reversed(run.steps[: step.number - 1]):
        if earlier.number in numbers:
            yield earlier
            numbers |= {value.step for value in earlier.reads.values()}


def find_culprits(run: Run, expected_results: Mapping[str, Observed]) -> dict[str, RunStep]:
    """Return, for each register that differs from the observation, the step that is to blame.

    That is the last write of the register. If that step only copied a register or kept the wrong
    bits, it is the step that they came from. Registers that nothing wrote are omitted.
    """
    culprits: dict[str, RunStep] = {}
    for name, observed in expected_results.items():
        steps, value = run.find_writes(name), run.registers.get(name)
        if not steps or value is None:
            continue
        wrong_bits = (
            observed.known_mask if value.bits is None else observed.compute_difference(value.bits)
        )
        if wrong_bits:
            culprits[name] = _find_bit_source(run, steps[-1], wrong_bits)
    return culprits


def find_first_culprit(run: Run, expected_results: Mapping[str, Observed]) -> RunStep | None:
    """Return the earliest culprit, or None if no written register differs."""
    return min(
        find_culprits(run, expected_results).values(), key=lambda step: step.number, default=None
    )


def _find_bit_source(run: Run, step: RunStep, bits: int) -> RunStep:
    """Return the step from which some bits of a step's result come unchanged."""
    while True:
        value = step.reads.get(_find_kept_register(step, bits))
        if value is None or not value.step:
            return step
        step = run.steps[value.step - 1]


def _find_kept_register(step: RunStep, bits: int) -> str:
    """Return the register from which a step copied some bits, or an empty string."""
    statement, trace = step.statement, step.trace
    if statement.is_copy:
        return next((name for name, _ in statement.iter_plain_sources()), "")
    if trace is None:
        return ""
    merges = [row.micro for row in trace.rows.values() if isinstance(row.micro, Merge)]
    c = trace.instruction.roles.get("c")
    if not merges or not isinstance(c, Register):
        return ""
    masks = (
        ((1 << merge.unit) - 1) << merge.unit * lane for merge in merges for lane in merge.lanes
    )
    return "" if any(mask & bits for mask in masks) else c.name
