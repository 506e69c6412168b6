"""The machine code of a line: each instruction beside the value of the plan that it computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..engine.semantics.models import ISA_MODEL, Model, parse_model
from ..engine.semantics.plan import Plan
from ..engine.tracing.step_text import format_stage_title
from ..proof.equivalence import TIMEOUT
from .form_verdict import KNOWN_MODELS, FormVerdict, VerdictOutcome, decide_line, group_models
from .kernel_source import KernelSource
from .machine_instruction import MachineKernel
from .machine_proof import MachineQuestion
from .machine_step import UnknownMachineCodeError
from .row_matches import MatchedInstruction, Purpose, match_rows


class MachineListing(NamedTuple):
    """The machine code of a line for one target."""

    arch: str
    verdict: FormVerdict
    model: Model
    """The model whose values the instructions are compared with: the one that the code follows."""
    instructions: Sequence[MatchedInstruction]
    """Every instruction, in order; all are ``UNKNOWN`` if the code is not interpreted."""
    missing_rows: Sequence[str]
    """The keys of the documentation's rows that the code does not compute as documented."""
    names: Mapping[str, str] = {}
    """The registers as they were written, by role."""
    row_names: Mapping[str, str] = {}
    """The rows' names in a trace, by key: ``add t``."""

    @property
    def instruction_count(self) -> int:
        """The instructions that compute from operands: no loads, stores, addresses, constants.

        In code that is not interpreted, all are counted.
        """
        return _count(self.instructions)

    @property
    def is_interpreted(self) -> bool:
        """Whether it is known what the instructions compute."""
        return self.verdict.outcome is not VerdictOutcome.UNKNOWN


def count_instructions(source: KernelSource, kernel: MachineKernel) -> int | None:
    """Return the number of a line's instructions; None if the code is not interpreted.

    It is that of ``MachineListing``, without proofs.
    """
    try:
        machine = MachineQuestion(source, kernel)
    except UnknownMachineCodeError:
        return None
    plan = next(iter(group_models(source, KNOWN_MODELS)))
    return _count(match_rows(machine, plan, has_proofs=False))


def _count(instructions: Sequence[MatchedInstruction]) -> int:
    counted = (Purpose.ROW, Purpose.PART, Purpose.NOTHING, Purpose.UNKNOWN)
    return sum(x.purpose in counted for x in instructions)


def list_machine_code(
    line: str, source: KernelSource, kernel: MachineKernel, arch: str, *, timeout: float = TIMEOUT
) -> MachineListing:
    """Return the machine code of a line, compared with the model that it follows."""
    verdict = decide_line(line, source, kernel, timeout=timeout)
    model = parse_model(verdict.models[0]) if verdict.models else ISA_MODEL
    try:
        machine = MachineQuestion(source, kernel, timeout)
    except UnknownMachineCodeError:
        plain = [MatchedInstruction(x.offset, x.text, Purpose.UNKNOWN) for x in kernel.instructions]
        return MachineListing(arch, verdict, model, plain, (), source.names)
    plans = group_models(source, KNOWN_MODELS)
    plan = next(plan for plan, models in plans.items() if model in models)
    row_names = _name_rows(next(iter(plans))) | _name_rows(plan)
    matches = match_rows(machine, plan)
    documented = next(iter(plans))
    missing: list[str] = []
    if verdict.outcome is VerdictOutcome.PROVED and documented is not plan:
        followed_values, values = machine.add_plan(plan), machine.add_plan(documented)
        missing = [
            row.key
            for row in documented.rows
            if values[row.key] is not followed_values.get(row.key)
        ]
    return MachineListing(arch, verdict, model, matches, missing, source.names, row_names)


def _name_rows(plan: Plan) -> dict[str, str]:
    """Return the name of each row of a plan, with the title of its step in a trace."""
    stages = {row.stage: [x for x in plan.rows if x.stage is row.stage] for row in plan.rows}
    titles = {stage: format_stage_title(stage, tuple(rows)) for stage, rows in stages.items()}
    return {row.key: f"{titles[row.stage]} {row.name}" for row in plan.rows}
