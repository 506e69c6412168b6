"""A deviation from the documentation: its smallest form, and when it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..engine.isa.catalog import get_entry
from ..engine.isa.form import Form
from ..engine.isa.legality import find_violations, with_c
from ..engine.semantics.models import ISA_MODEL
from ..engine.tracing.evaluation import make_model_plan
from ..proof.differences import Difference, describe_difference
from ..proof.equivalence import TIMEOUT
from ..proof.solver import Undecided
from .disassembly import MachineKernel
from .kernel_source import KernelSource
from .machine_proof import MachineCounterexample, MachineQuestion


class MachineDeviation(NamedTuple):
    """Machine code that differs from the documentation."""

    source: KernelSource
    kernel: MachineKernel
    example: MachineCounterexample
    difference: Difference | None
    """When the results differ, if that is short."""


def find_machine_deviation(
    source: KernelSource, kernel: MachineKernel, timeout: float = TIMEOUT
) -> MachineDeviation | None:
    """Return how machine code differs from the documentation; None if no difference is found.

    Raise UnknownMachineCodeError if it has an instruction without a known meaning.
    """
    machine = MachineQuestion(source, kernel, timeout)
    plan = make_model_plan(source.ins, ISA_MODEL)
    example = machine.prove(plan).counterexample
    if example is None:
        return None
    values = machine.add_plan(plan)
    pairs = [
        (values[x.key], machine.results[x.role]) for x in plan.results if x.role in machine.results
    ]
    rows = {row.key: values[row.key] for row in plan.rows}
    try:
        difference = describe_difference(machine.question, pairs, example.operands, rows)
    except Undecided:
        difference = None
    return MachineDeviation(source, kernel, example, difference)


def iter_simpler_forms(form: Form) -> Iterator[Form]:
    """Yield the legal forms with one modifier or selector fewer."""
    for slot in get_entry(form).slots:
        if slot.is_optional and form.get(slot.name) != slot.absent:
            simpler = with_c(form._replace(**{slot.name: slot.absent}))  # type: ignore[arg-type]
            if simpler != form and not find_violations(simpler):
                yield simpler


def find_smallest_form(form: Form, has_departure: Callable[[list[Form]], list[bool]]) -> Form:
    """Return a form that still departs after every modifier without effect on this is dropped.

    ``has_departure`` decides several forms at once.
    """
    while True:
        simpler = list(iter_simpler_forms(form))
        decided = has_departure(simpler) if simpler else []
        departing = [x for x, departs in zip(simpler, decided, strict=True) if departs]
        if not departing:
            return form
        form = departing[0]
