"""Which statement of a run made a value what it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..diagnosis.observation import Observed
from ..semantics.micro_operations import Merge
from ..syntax.instruction import Register
from .execution import Run, RunStep


def find_origins(run: Run, step: RunStep) -> Iterator[RunStep]:
    """The steps that what a step read comes from, the last one first."""
    wanted = {value.step for value in step.reads.values()}
    for earlier in reversed(run.steps[: step.number - 1]):
        if earlier.number in wanted:
            yield earlier
            wanted |= {value.step for value in earlier.reads.values()}


def find_culprits(run: Run, expected: Mapping[str, Observed]) -> dict[str, RunStep]:
    """For each register that is not as observed, the instruction that wrote the bits that differ.

    That is its last write; or, where that only copied the register or kept the bits that
    differ, the one it got them from. What nothing wrote is left out.
    """
    found: dict[str, RunStep] = {}
    for name, seen in expected.items():
        steps, held = run.find_writes(name), run.registers.get(name)
        if not steps or held is None:
            continue
        differing = seen.known if held.bits is None else seen.compute_difference(held.bits)
        if differing:
            found[name] = _find_bit_source(run, steps[-1], differing)
    return found


def find_first_culprit(run: Run, expected: Mapping[str, Observed]) -> RunStep | None:
    """The earliest of the culprits; None where all agree, or nothing wrote what does not."""
    return min(find_culprits(run, expected).values(), key=lambda step: step.number, default=None)


def _find_bit_source(run: Run, step: RunStep, differing: int) -> RunStep:
    """The step that some bits of what a step wrote come from unchanged."""
    while True:
        value = step.reads.get(_find_kept_register(step, differing))
        if value is None or not value.step:
            return step
        step = run.steps[value.step - 1]


def _find_kept_register(step: RunStep, bits: int) -> str:
    """The register that a step has taken some bits from as they were; empty where it has not."""
    statement, trace = step.statement, step.trace
    if statement.opcode.startswith("mov.") and len(statement.reads) == 1:
        names = statement.reads[0].names
        return names[0] if len(names) == len(statement.writes) == 1 else ""
    if trace is None:
        return ""
    written = [row.micro for row in trace.rows.values() if isinstance(row.micro, Merge)]
    c = trace.instruction.roles.get("c")
    if not written or not isinstance(c, Register):
        return ""
    masks = (((1 << merge.unit) - 1) << merge.unit * at for merge in written for at in merge.lanes)
    return "" if any(mask & bits for mask in masks) else c.name
