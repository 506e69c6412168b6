"""The lines that are verified, and the model that an assembler follows for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from random import Random
from typing import NamedTuple

from ..engine.isa.catalog import (
    CATALOG,
    ENTRIES,
    get_entry,
    iter_entry_forms,
    pick_entry_form,
    with_c,
)
from ..engine.isa.entry import CORE_GROUPS, Entry
from ..engine.isa.types import Form
from ..engine.semantics.models import ISA_MODEL, PTXAS_MODELS, Model
from ..engine.semantics.plan import Plan
from ..engine.syntax.instruction import Instruction, Register
from ..engine.tracing.evaluation import make_model_plan
from ..engine.tracing.folding_bugs import describe_folding
from ..proof.equivalence import TIMEOUT, Verdict
from ..proof.solver import Undecided
from .kernel_source import KernelSource
from .machine_instruction import MachineKernel
from .machine_proof import MachineCounterexample, MachineProof, MachineQuestion
from .machine_step import UnknownMachineCodeError

KNOWN_MODELS: tuple[Model, ...] = (ISA_MODEL, *PTXAS_MODELS)
"""The models that an assembler may follow: the documentation first, then the newest ptxas."""


def find_equal_model(form: Form, model: Model) -> Model:
    """Return the known model that has the same errata for a form as ``isa`` or a ptxas.

    There is one: no form has two errata that were repaired.
    """
    errata = [x for x in model.errata if x.touches(form)]
    return next(
        known for known in KNOWN_MODELS if [x for x in known.errata if x.touches(form)] == errata
    )


class VerdictOutcome(StrEnum):
    """What became of a line."""

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
    """Which models the machine code of a line equals."""

    line: str
    outcome: VerdictOutcome
    models: tuple[str, ...] = ()
    """The models, of those asked about, that it equals for all operands."""
    errata: tuple[str, ...] = ()
    """The errata of the model that it follows, if it differs from the documentation."""
    is_as_documented: bool | None = None
    """Whether it equals the documentation; None if that is not decided."""
    reason: str = ""
    """Why it is not interpreted, or refused; what is known of a deviation of constants."""
    opcode: str = ""
    """The opcode without a known meaning."""
    instruction_count: int = 0
    """The machine instructions that compute from operands."""
    seconds: float = 0.0
    operands: Mapping[str, int] = {}
    """Operands for which it differs from the documentation, by the kernel's registers."""
    documented: Mapping[str, int] = {}
    """The documented results for them, by role."""
    obtained: Mapping[str, int] = {}
    """The results of the machine code, by role."""


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
        plans.setdefault(make_model_plan(source.ins, model), []).append(model)
    return plans


def make_code_digest(source: KernelSource, kernel: MachineKernel) -> str:
    """Return a digest of machine code, of its operands' places and of the line."""
    text = "\n".join(
        (
            str(source.ins),
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
    models: Sequence[Model] = KNOWN_MODELS,
    timeout: float = TIMEOUT,
) -> FormVerdict:
    """Return which of some models the machine code of a line equals.

    ``kernel`` is the machine code, or why the assembler refused. The documentation must be the
    first of the models.
    """
    if isinstance(kernel, str):
        return FormVerdict(line, VerdictOutcome.REFUSED, reason=kernel)
    try:
        machine = MachineQuestion(source, kernel, timeout)
    except UnknownMachineCodeError as error:
        return FormVerdict(line, VerdictOutcome.UNKNOWN, reason=str(error), opcode=error.opcode)
    plans = group_models(source, models)
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
        tuple(x.id for x in source.ins.errata if x in followed),
        is_as_documented,
        reason="; ".join(describe_folding(source.ins))
        if outcome is VerdictOutcome.DEPARTED
        else "",
        instruction_count=len(list(machine.run.iter_computations())),
        seconds=machine.question.solver.elapsed,
        operands={
            slot.name: example.operands[slot.name]
            for slot in source.inputs
            if slot.name in example.operands
        },
        documented=example.model_results,
        obtained=example.machine_results,
    )


_SELECTORS = ("asel", "bsel")


def list_verified_opcodes() -> tuple[str, ...]:
    """Return the comparisons, selections and video instructions, which ``--all`` verifies."""
    return tuple(opcode for opcode, entry in CATALOG.items() if entry.group in CORE_GROUPS)


def iter_forms(opcode: str) -> Iterator[Form]:
    """Yield every legal form of an opcode, without a c that nothing reads.

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


def make_instruction(form: Form) -> Instruction:
    """Return a form with registers that are named by their roles: d, or p and q; a, b, c, e."""
    entry = get_entry(form)
    roles = (x.role for x in entry.sources if not x.is_implicit and (x.role != "c" or form.c))
    destinations = form.dst.names if form.dst else ("d",)
    return Instruction(form, destinations, tuple(map(Register, roles)))
