"""Operands that meet a condition, or a proof that no operands meet it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ...engine.cancellation import IsStopped, never
from ...engine.isa.encodings import format_registers
from ...engine.isa.types import Type
from ...engine.records import FrozenRecord
from ...engine.semantics.models import ISA_MODEL, Model
from ...engine.syntax.instruction import Instruction
from ...engine.tracing.basic_block import BasicBlock
from ...engine.tracing.evaluation import resolve_model
from ...engine.tracing.operand_bits import check_argument, check_count, convert_to_bits
from ...engine.tracing.trace import Trace
from .equivalence import TIMEOUT, check_seconds, read_program
from .operand_conditions import make_scope, read_condition
from .proof import bind_names
from .proof_question import ProofQuestion, find_simple_operands
from .result_pairs import with_guard_results
from .solver import Term, Undecided, get_solver_name

MAX_ANSWERS = 1000
_NO_MASKS: Mapping[str, int] = {}


@dataclass(frozen=True, slots=True)
class OperandSearch(FrozenRecord):
    """The answer to the question for which operands a condition holds."""

    program: BasicBlock
    model: Model
    where: str
    given: Mapping[str, int]
    """Registers with a fixed value."""
    inputs: Mapping[str, Type]
    """All registers that are read."""
    answers: tuple[Mapping[str, int], ...]
    """Bits by register, the most readable first."""
    is_complete: bool
    """Whether it is proved that there are no others."""
    is_undecided: bool
    """Whether the time was up before the last answer was found."""
    seconds: float
    solver: str

    def __repr__(self) -> str:
        answers = "; ".join(
            format_registers((name, bits, self.inputs[name]) for name, bits in answer.items())
            for answer in self.answers
        )
        nothing = "undecided" if self.is_undecided else "no operands"
        return f"<OperandSearch: {self.where} for {answers or nothing}>"

    def make_trace(self, operands: Mapping[str, int]) -> Trace:
        """Return the evaluation of an answer."""
        bits = bind_names(self.program, operands)
        return Trace(self.program, self.model, bits)


def find(
    program: str | Instruction | BasicBlock,
    where: str,
    *,
    given: Mapping[str, object] | None = None,
    model: str | Model = "isa",
    count: int = 1,
    timeout: float = TIMEOUT,
) -> OperandSearch:
    """Find operands for which a condition holds: ``"d == 0x7f7f7f7f and c == 0"``.

    A condition has registers and their parts (``a``, ``d.b0``, ``a.signed``), rows by key
    (``operate.t[0]``), flags of rows (``clamped(saturate.t[2])``), numbers, and Python's operators.
    ``given`` fixes registers. No answer is a proof that there are none, unless ``is_undecided``.
    ``timeout`` is in seconds.

    Raise PtxError if a text is invalid, ValueError if a value is, and ImportError, with
    installation advice, if bitwuzla is missing.
    """
    read = read_program(program)
    check_argument("where", where, str, "a condition as text: 'd == 5'")
    check_argument("given", given or {}, Mapping, "values by name: {'a': 1}")
    check_count("count", count)
    check_seconds("timeout", timeout)
    if not 1 <= count <= MAX_ANSWERS:
        raise ValueError(f"{count} answers: 1 to {MAX_ANSWERS} can be found")
    types = {x.name: x.type for x in read.inputs}
    values: dict[str, int] = {}
    for name, value in (given or {}).items():
        if name not in types:
            raise ValueError(f"{name} is not read; {', '.join(types) or 'nothing'} is")
        values[name] = convert_to_bits(value, types[name], name)
    return find_operands(
        read, where, fixed_values=values, model=resolve_model(model), count=count, timeout=timeout
    )


def find_operands(
    program: BasicBlock,
    where: str,
    *,
    fixed_values: Mapping[str, int],
    masks: Mapping[str, int] = _NO_MASKS,
    model: Model = ISA_MODEL,
    count: int = 1,
    timeout: float = TIMEOUT,
    is_stopped: IsStopped = never,
) -> OperandSearch:
    """Find up to ``count`` sets of operands.

    ``masks`` has the fixed bits of registers that are fixed in part. Raise PtxError if
    the condition is invalid, and Stopped when ``is_stopped`` returns true.
    """
    question = ProofQuestion(timeout, is_stopped)
    program = with_guard_results(_with_condition_results(program, where))
    side = question.add_side(program, model)
    condition = read_condition(question, where, make_scope(question, side))
    passage = question.read_guards(side)
    if passage is not None:
        condition = question.tape.minimum(condition, passage)
    fixed_values = {name: bits for name, bits in fixed_values.items() if name in question.inputs}
    fixed_bits = {name: (bits, masks.get(name, -1)) for name, bits in fixed_values.items()}
    fix_operands(question, fixed_values, masks)
    answers: list[Mapping[str, int]] = []
    is_complete = is_undecided = False
    excluded: list[Term] = []
    wishes: list[list[Term]] = []
    holds = question.make_test(condition)

    def is_new(operands: Mapping[str, int]) -> bool:
        if any((operands[name] ^ bits) & mask for name, (bits, mask) in fixed_bits.items()):
            return False
        return operands not in answers and holds(operands)

    try:
        question.add_condition(condition)
        while len(answers) < count and not is_complete:
            operands = find_simple_operands(question, excluded, is_new, wishes)
            if operands is None:
                is_complete = True
            else:
                answers.append(operands)
                unequal = [
                    _is_different(question, name, bits)
                    for name, bits in operands.items()
                    if name not in fixed_values or name in masks
                ]
                is_complete = not unequal
                if unequal:
                    excluded.append(question.solver.terms.join("OR", unequal))
                    wishes += [[x] for x in unequal]
    except Undecided:
        is_undecided = True
    if not all(map(holds, answers)):
        raise RuntimeError(f"{where} does not hold for {answers}")
    return OperandSearch(
        program,
        model,
        where,
        fixed_values,
        dict(question.inputs),
        tuple(answers),
        is_complete,
        is_undecided,
        question.solver.elapsed,
        get_solver_name(),
    )


def _with_condition_results(program: BasicBlock, condition: str) -> BasicBlock:
    input_names = {x.name for x in program.inputs}
    names = (x for x in program.read_values if x not in input_names)
    return program.with_results(x for x in names if _has_name(condition, x))


def _has_name(condition: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}\b", condition) is not None


def fix_operands(
    question: ProofQuestion, values: Mapping[str, int], masks: Mapping[str, int] = _NO_MASKS
) -> None:
    """Fix operands to values, or only the bits that are set in a mask."""
    for name, bits in values.items():
        node, mask = question.add_input(name, question.inputs[name]), masks.get(name, -1)
        if mask == 0:
            continue
        if mask > 0:
            node = question.tape.bitand(node, question.make_constant(mask))
        question.add_condition(question.tape.equal(node, bits & mask))


def _is_different(question: ProofQuestion, name: str, bits: int) -> Term:
    value = question.solver.terms.make_value(bits, question.inputs[name].bits)
    return question.solver.terms.make("DISTINCT", question.get_bits(name), value)
