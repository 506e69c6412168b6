"""Proofs of machine code: the lines that are verified, and the model that an assembler follows.

Machine code agrees with a model for all operands, or differs for some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from random import Random
from typing import NamedTuple

from ...engine.cancellation import IsStopped, never
from ...engine.ir.tape import Node
from ...engine.isa.catalog import (
    CATALOG,
    ENTRIES,
    find_violations,
    get_entry,
    iter_entry_forms,
    pick_entry_form,
    with_c,
)
from ...engine.isa.entry import CORE_GROUPS, Entry
from ...engine.isa.types import WORD_BITS, Form, Type
from ...engine.micro_operations.arithmetic import EXACT, Arithmetic, LaneValues, V
from ...engine.semantics.models import ISA_MODEL, PTXAS_MODELS, Model, parse_model
from ...engine.semantics.plan import Plan, compute_results
from ...engine.semantics.rules import Erratum
from ...engine.syntax.instruction import Signature
from ...engine.tracing.basic_block import BasicBlock
from ...engine.tracing.folding_bugs import describe_folding
from ..prove.differences import Difference, describe_difference, make_difference
from ..prove.equivalence import TIMEOUT
from ..prove.proof import Verdict
from ..prove.proof_question import ProofQuestion, find_simple_operands
from ..prove.solver import Undecided
from .kernel_source import PARAMETER_BYTES, KernelSource
from .machine_instruction import MachineKernel
from .machine_run import MachineRun
from .machine_step import UnknownMachineCodeError


class MachineCounterexample(NamedTuple):
    """Operands for which machine code and model give different results, replayed on numbers."""

    operands: Mapping[str, int]
    """The operands' bits by the names of the kernel's registers."""
    model_results: Mapping[str, int]
    """The results' bits by role, as the model computes them."""
    machine_results: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MachineProof:
    """The answer to the question whether machine code computes a plan."""

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
    make_unknown: Callable[[str, int], V],
    *,
    has_numbers: bool = False,
) -> tuple[MachineRun[V], dict[str, V]]:
    """Run machine code on operands by the names of registers; return the results by role, too.

    ``lift`` returns a constant, ``make_unknown`` any value of a name and a width in bits;
    ``has_numbers`` is as for ``MachineRun``. Raise UnknownMachineCodeError for code without a known
    meaning.
    """
    loads = {x.offset: (operands[x.name], get_access_bits(x.type)) for x in source.inputs}
    run = MachineRun(
        kernel,
        PARAMETER_BYTES,
        source.stride,
        loads,
        ar,
        lift,
        make_unknown,
        source.thread,
        has_numbers=has_numbers,
    )
    results: dict[str, V] = {}
    for x in source.results:
        found = run.stores.get(x.offset)
        if found is None or found[1] != get_access_bits(x.type):
            raise UnknownMachineCodeError(f"no result of {x.type.bits} bits is stored for {x.role}")
        results[x.role] = found[0]
    return run, results


def run_on_numbers(
    source: KernelSource, kernel: MachineKernel, operands: Mapping[str, int]
) -> tuple[MachineRun[LaneValues], dict[str, int]]:
    """Run machine code on numbers; return the bits of the results by role, too.

    ``operands`` are the bits by register, and those of registers that nothing writes.
    """
    values: dict[str, LaneValues] = {x.name: (operands.get(x.name, 0),) for x in source.inputs}
    run, results = run_machine_code(
        source,
        kernel,
        values,
        EXACT,
        lambda x: (x,),
        lambda name, _: (operands.get(name, 0),),
        has_numbers=True,
    )
    return run, {role: value[0] for role, value in results.items()}


def compute_machine_results(
    source: KernelSource, kernel: MachineKernel, operands: Mapping[str, int]
) -> dict[str, int]:
    """Return the bits of the results by role, computed by the machine code on numbers."""
    return run_on_numbers(source, kernel, operands)[1]


def compute_plan_results(ins: Signature, plan: Plan, operands: Mapping[str, int]) -> dict[str, int]:
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
        """Interpret the code; raise UnknownMachineCodeError for code without a known meaning."""
        self.source, self.kernel = source, kernel
        self._place_names = set[str]()
        """The names of the unknown parts of addresses."""
        self.question = ProofQuestion(timeout, is_stopped)
        values = {x.name: self.question.add_input(x.name, x.type) for x in source.inputs}
        self.run, self.results = run_machine_code(
            source,
            kernel,
            values,
            self.question.tape,
            self.question.make_constant,
            self._make_unknown,
        )

    def _make_unknown(self, name: str, bits: int) -> Node:
        """Return an operand that stands for an unknown value, such as a register's contents."""
        if not name.startswith(("R", "P")):
            self._place_names.add(name)
        return self.question.add_input(name, Type.PRED if bits == 1 else Type.B32)

    def add_plan(self, plan: Plan) -> dict[str, Node]:
        """Record a plan of the instruction; return the nodes of operands and rows by key."""
        program = self.source.program
        return self.question.record_plan(plan, program.names, program.constants)

    def pair_results(self, plan: Plan, values: Mapping[str, Node]) -> list[tuple[Node, Node]]:
        """Return each result as computed by a plan and by the machine code."""
        found = self.results
        return [(values[x.key], found[x.role]) for x in plan.results if x.role in found]

    def prove(self, plan: Plan) -> MachineProof:
        """Decide whether the machine code computes a plan."""
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
        if example is not None:
            return MachineProof(Verdict.DIFFERENT, seconds, example)
        if not self._place_names.intersection(operands):
            raise RuntimeError(f"{dict(operands)} is no counterexample of {self.source.program}")
        # it needs other addresses than the kernel that is run
        return MachineProof(Verdict.UNDECIDED, seconds)


def replay(
    source: KernelSource, kernel: MachineKernel, plan: Plan, operands: Mapping[str, int]
) -> MachineCounterexample | None:
    """Compute both sides on numbers; return None if the results are the same."""
    expected = compute_plan_results(source.program, plan, operands)
    found = compute_machine_results(source, kernel, operands)
    return None if expected == found else MachineCounterexample(dict(operands), expected, found)


class MachineDeviation(NamedTuple):
    """Machine code that differs from the documentation."""

    source: KernelSource
    kernel: MachineKernel
    example: MachineCounterexample
    difference: Difference | None
    """The condition under which the results differ, if it is short."""


def find_machine_deviation(
    source: KernelSource, kernel: MachineKernel, timeout: float = TIMEOUT
) -> MachineDeviation | None:
    """Return how machine code differs from the documentation; None if no difference is found.

    Raise UnknownMachineCodeError if it has an instruction without a known meaning.
    """
    machine = MachineQuestion(source, kernel, timeout)
    plan = source.program.make_plan()
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
    """Return a form that still departs, without the modifiers that have no effect on this.

    ``has_departure`` decides several forms at once.
    """
    while True:
        simpler = list(iter_simpler_forms(form))
        decided = has_departure(simpler) if simpler else []
        departing = [x for x, departs in zip(simpler, decided, strict=True) if departs]
        if not departing:
            return form
        form = departing[0]


KNOWN_MODELS: tuple[Model, ...] = (ISA_MODEL, *PTXAS_MODELS)
"""The models that an assembler may follow: the documentation first, then the newest ptxas."""


_OPTIMIZER_RULES = frozenset(("field_folded", "is_fused"))
"""The rules that only an optimizing assembler follows: it is as documented at ``-O0``."""


def drop_optimizer_errata(model: Model) -> Model:
    """Return a model without the errata that do not occur at ``-O0``."""
    errata = tuple(x for x in model.errata if _OPTIMIZER_RULES.isdisjoint(x.rules))
    return Model(model.name, errata)


def list_models(program: BasicBlock) -> tuple[Model, ...]:
    """Return the known models, and models of other releases and of ``-O0`` that differ for a block.

    A line has no others, because no form has two errata that were repaired.
    """
    repairs = sorted({x.repaired_in for x in program.errata if x.repaired_in})
    releases = [parse_model("ptxas-{}.{}".format(*x)) for x in repairs]
    plain = (_list_errata(program, drop_optimizer_errata(x)) for x in (*PTXAS_MODELS, *releases))
    unoptimized = [parse_model("+".join(x.id for x in errata)) for errata in plain if errata]
    models = [*KNOWN_MODELS]
    for model in (*releases, *unoptimized):
        if all(_list_errata(program, x) != _list_errata(program, model) for x in models):
            models.append(model)
    return tuple(models)


def _list_errata(program: BasicBlock, model: Model) -> list[Erratum]:
    """Return the errata of a model that touch a statement of a program."""
    forms = [x.instruction.form for x in program.statements]
    return [x for x in model.errata if any(map(x.touches, forms))]


def find_equal_model(program: BasicBlock, model: Model) -> Model:
    """Return the model that is decided for a program and the same for it as ``isa`` or a ptxas."""
    errata = _list_errata(program, model)
    return next(x for x in list_models(program) if _list_errata(program, x) == errata)


class VerdictOutcome(StrEnum):
    """The outcome of the verification of a line."""

    PROVED = "proved"
    """Its machine code equals a model for all operands."""
    DEPARTED = "departs"
    """It equals no known model: each has a counterexample."""
    UNDECIDED = "undecided"
    UNKNOWN = "not interpreted"
    """An instruction in it has no known meaning here."""
    REFUSED = "refused"
    """The assembler refuses it."""


class FormVerdict(NamedTuple):
    """The models that the machine code of a line equals."""

    line: str
    outcome: VerdictOutcome
    models: tuple[str, ...] = ()
    """The models, of those asked about, that it equals for all operands."""
    errata: tuple[str, ...] = ()
    """The errata of the model that it follows, if it differs from the documentation."""
    is_as_documented: bool | None = None
    """Whether it equals the documentation; None if that is not decided."""
    reason: str = ""
    """The reason why it is not interpreted, or refused; a remark on a deviation of constants."""
    opcode: str = ""
    """The opcode without a known meaning."""
    instruction_count: int = 0
    """The machine instructions that compute from operands."""
    seconds: float = 0.0
    operands: Mapping[str, int] = {}
    """Operands for which it differs from the documentation, by the kernel's registers."""
    documented: Mapping[str, int] = {}
    """The documented results for them, by role; of a block by register."""
    obtained: Mapping[str, int] = {}
    """The results of the machine code."""


class DeviceVerdict(NamedTuple):
    """The models that a GPU follows on a line."""

    line: str
    models: tuple[str, ...]
    """The models that give all its results."""
    errata: tuple[str, ...]
    """The errata of the model that it follows, if some result is not as documented."""
    operands: Mapping[str, int]
    """The first operands for which it differs from the documentation."""
    documented: Mapping[str, int]
    """The results for them, by register."""
    obtained: Mapping[str, int]


def group_models(source: KernelSource, models: Sequence[Model]) -> dict[Plan, list[Model]]:
    """Return the different plans of an instruction, in order, each with its models."""
    plans: dict[Plan, list[Model]] = {}
    for model in models:
        plans.setdefault(source.program.make_plan(model), []).append(model)
    return plans


def make_code_digest(source: KernelSource, kernel: MachineKernel) -> str:
    """Return a digest of machine code, of its operands' places and of the line."""
    program = source.program
    text = "\n".join(
        (
            str(program) if program.is_line else source.format_ptx(""),
            *(f"{x.role} {x.type} {x.offset}" for x in (*source.inputs, *source.results)),
            *(x.text for x in kernel.instructions),
            *(f"{bank} {data.hex()}" for bank, data in sorted(kernel.constants.items())),
        )
    )
    return sha256(text.encode()).hexdigest()


def decide_line(
    line: str,
    source: KernelSource,
    kernel: MachineKernel | str,
    *,
    models: Sequence[Model] | None = None,
    timeout: float = TIMEOUT,
) -> FormVerdict:
    """Return which of some models the machine code of a line or a block equals.

    ``kernel`` is the machine code, or why the assembler refused. The documentation must be the
    first of the models, which are those of ``list_models`` if none are given.
    """
    if isinstance(kernel, str):
        return FormVerdict(line, VerdictOutcome.REFUSED, reason=kernel)
    try:
        machine = MachineQuestion(source, kernel, timeout)
    except UnknownMachineCodeError as error:
        return FormVerdict(line, VerdictOutcome.UNKNOWN, reason=str(error), opcode=error.opcode)
    plans = group_models(source, models or list_models(source.program))
    proofs: dict[Plan, MachineProof] = {}
    for plan in plans:
        try:
            proofs[plan] = machine.prove(plan)
        except Undecided:
            proofs[plan] = MachineProof(Verdict.UNDECIDED, timeout)
    return _judge(line, source, machine, plans, proofs)


def _judge(
    line: str,
    source: KernelSource,
    machine: MachineQuestion,
    plans: Mapping[Plan, list[Model]],
    proofs: Mapping[Plan, MachineProof],
) -> FormVerdict:
    equal = [
        model
        for plan, proof in proofs.items()
        if proof.verdict is Verdict.EQUAL
        for model in plans[plan]
    ]
    documented = next(iter(proofs.values()))
    if equal:
        outcome = VerdictOutcome.PROVED
    elif any(proof.verdict is Verdict.UNDECIDED for proof in proofs.values()):
        outcome = VerdictOutcome.UNDECIDED
    else:
        outcome = VerdictOutcome.DEPARTED
    is_as_documented = {Verdict.EQUAL: True, Verdict.DIFFERENT: False}.get(documented.verdict)
    followed = equal[0].errata if equal and not is_as_documented else ()
    example = documented.counterexample or MachineCounterexample({}, {}, {})
    return FormVerdict(
        line,
        outcome,
        tuple(model.name for model in equal),
        tuple(x.id for x in source.program.errata if x in followed),
        is_as_documented,
        reason="; ".join(
            note for x in source.program.statements for note in describe_folding(x.instruction)
        )
        if outcome is VerdictOutcome.DEPARTED
        else "",
        instruction_count=len(list(machine.run.iter_computations())),
        seconds=machine.question.solver.elapsed,
        operands={
            slot.name: example.operands[slot.name]
            for slot in source.inputs
            if slot.name in example.operands
        },
        documented=_name_results(source.program, example.model_results),
        obtained=_name_results(source.program, example.machine_results),
    )


def _name_results(program: BasicBlock, results: Mapping[str, int]) -> Mapping[str, int]:
    """Return the results of a block by register; a line's results have their roles as names."""
    if program.is_line:
        return results
    return {program.results[role]: bits for role, bits in results.items()}


_SELECTORS = ("asel", "bsel")


def list_verified_opcodes() -> tuple[str, ...]:
    """Return the comparisons, selections and video instructions, which ``--all`` verifies."""
    return tuple(opcode for opcode, entry in CATALOG.items() if entry.group in CORE_GROUPS)


def iter_forms(opcode: str) -> Iterator[Form]:
    """Yield every legal form of an opcode, without an unread c.

    Of a SIMD video instruction, which has billions of selectors, each form is yielded without
    selectors and with drawn ones, always the same.
    """
    rng = Random(opcode)  # noqa: S311 - not for security
    for entry in ENTRIES:
        if entry.opcode == opcode:
            yield from _iter_entry_forms(entry, rng)


def _iter_entry_forms(entry: Entry, rng: Random) -> Iterator[Form]:
    omitted = [x.name for x in entry.slots if entry.lanes > 1 and x.name in _SELECTORS]
    for form in iter_entry_forms(entry, omitted):
        if get_entry(form) is entry and form == with_c(form):
            yield form
            if omitted:
                drawn = pick_entry_form(entry, rng)
                yield form._replace(asel=drawn.asel, bsel=drawn.bsel)
