"""Whether machine code computes what a model says: for all operands, or not for these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from ..engine.ir.tape import Node
from ..engine.isa.catalog import find_violations, get_entry, with_c
from ..engine.isa.types import WORD_BITS, Form, Type
from ..engine.micro_operations.arithmetic import EXACT, Arithmetic, LaneValues, V
from ..engine.semantics.models import ISA_MODEL
from ..engine.semantics.plan import Plan, compute_results
from ..engine.syntax.instruction import Instruction
from ..engine.tracing.evaluation import make_model_plan
from ..proof.differences import Difference, describe_difference, make_difference
from ..proof.equivalence import TIMEOUT, Verdict
from ..proof.proof_question import ProofQuestion, find_simple_operands
from ..proof.solver import IsStopped, Undecided, never
from .kernel_source import PARAMETER_BYTES, STRIDE, KernelSource
from .machine_instruction import MachineKernel
from .machine_run import MachineRun
from .machine_step import UnknownMachineCodeError

_UNKNOWN = "unwritten{}"


class MachineCounterexample(NamedTuple):
    """Operands for which machine code and model give different results, replayed on numbers."""

    operands: Mapping[str, int]
    """The operands' bits by the names of the kernel's registers."""
    model_results: Mapping[str, int]
    """The results' bits by role, as the model computes them."""
    machine_results: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MachineProof:
    """The answer to the question whether machine code computes what a plan says."""

    verdict: Verdict
    seconds: float
    """The time of the solver and of the interpretation."""
    counterexample: MachineCounterexample | None = None


def get_access_bits(type_: Type) -> int:
    """Return the width in which a kernel loads or stores a type: a predicate is a word."""
    return WORD_BITS if type_ is Type.PRED else type_.bits


def run_machine_code(
    source: KernelSource,
    kernel: MachineKernel,
    operands: Mapping[str, V],
    ar: Arithmetic[V],
    lift: Callable[[int], V],
    make_unknown: Callable[[int], V],
) -> tuple[MachineRun[V], dict[str, V]]:
    """Run machine code on operands by the names of registers; return the results by role, too.

    ``lift`` returns a constant, ``make_unknown`` any value of a width in bits.
    Raise UnknownMachineCodeError for what has no known meaning.
    """
    loads = {x.offset: (operands[x.name], get_access_bits(x.type)) for x in source.inputs}
    run = MachineRun(kernel, PARAMETER_BYTES, STRIDE, loads, ar, lift, make_unknown)
    results: dict[str, V] = {}
    for x in source.results:
        found = run.stores.get(x.offset)
        if found is None or found[1] != get_access_bits(x.type):
            raise UnknownMachineCodeError(f"no result of {x.type.bits} bits is stored for {x.role}")
        results[x.role] = found[0]
    return run, results


def compute_machine_results(
    source: KernelSource, kernel: MachineKernel, operands: Mapping[str, int]
) -> dict[str, int]:
    """Return the bits of the results by role, computed by the machine code on numbers."""
    values: dict[str, LaneValues] = {x.name: (operands.get(x.name, 0),) for x in source.inputs}
    unknowns = count()
    _, results = run_machine_code(
        source,
        kernel,
        values,
        EXACT,
        lambda x: (x,),
        lambda _: (operands.get(_UNKNOWN.format(next(unknowns)), 0),),
    )
    return {role: value[0] for role, value in results.items()}


def compute_plan_results(
    ins: Instruction, plan: Plan, operands: Mapping[str, int]
) -> dict[str, int]:
    """Return the bits of the results by role, by a plan, for operands by register."""
    bits = {role: operands.get(name, 0) for role, name in ins.names.items()}
    results = compute_results(plan, {**bits, **ins.constants})
    return {role: results[role] for role in ins.results}


class MachineQuestion:
    """Machine code on a tape, to be compared with plans."""

    def __init__(
        self,
        source: KernelSource,
        kernel: MachineKernel,
        timeout: float = TIMEOUT,
        is_stopped: IsStopped = never,
    ) -> None:
        """Interpret the code; raise UnknownMachineCodeError for what has no known meaning."""
        self.source, self.kernel = source, kernel
        self.question = ProofQuestion(timeout, is_stopped, has_wide_sums=True)
        values = {x.name: self.question.add_input(x.name, x.type) for x in source.inputs}
        self._unknowns = count()
        self.run, self.results = run_machine_code(
            source,
            kernel,
            values,
            self.question.tape,
            self.question.make_constant,
            self._make_unknown,
        )

    def _make_unknown(self, bits: int) -> Node:
        """Return an operand that stands for the contents of a register before it is written."""
        name = _UNKNOWN.format(next(self._unknowns))
        return self.question.add_input(name, Type.PRED if bits == 1 else Type.B32)

    def add_plan(self, plan: Plan) -> dict[str, Node]:
        """Record a plan of the instruction; return the nodes of operands and rows by key."""
        ins = self.source.ins
        return self.question.record_plan(plan, ins.names, ins.constants)

    def pair_results(self, plan: Plan, values: Mapping[str, Node]) -> list[tuple[Node, Node]]:
        """Return each result as a plan and as the machine code compute it."""
        found = self.results
        return [(values[x.key], found[x.role]) for x in plan.results if x.role in found]

    def prove(self, plan: Plan) -> MachineProof:
        """Decide whether the machine code computes what a plan says."""
        question = self.question
        start = question.solver.elapsed
        pairs = [(x, y) for x, y in self.pair_results(plan, self.add_plan(plan)) if x is not y]
        if not pairs:
            return MachineProof(Verdict.EQUAL, question.solver.elapsed - start)
        try:
            differs = make_difference(question, pairs)
            truth = question.make_truth(differs)
            operands = find_simple_operands(question, [truth], question.make_test(differs))
        except Undecided:
            return MachineProof(Verdict.UNDECIDED, question.solver.elapsed - start)
        seconds = question.solver.elapsed - start
        if operands is None:
            return MachineProof(Verdict.EQUAL, seconds)
        example = replay(self.source, self.kernel, plan, operands)
        return MachineProof(Verdict.DIFFERENT, seconds, example)


def replay(
    source: KernelSource, kernel: MachineKernel, plan: Plan, operands: Mapping[str, int]
) -> MachineCounterexample:
    """Compute both sides on numbers; raise RuntimeError if the results are the same."""
    expected = compute_plan_results(source.ins, plan, operands)
    found = compute_machine_results(source, kernel, operands)
    if expected == found:
        raise RuntimeError(f"the counterexample {dict(operands)} of {source.ins} does not hold")
    return MachineCounterexample(dict(operands), expected, found)


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
    pairs = machine.pair_results(plan, values)
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
