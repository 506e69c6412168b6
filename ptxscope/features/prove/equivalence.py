"""Whether two computations give the same results: for all operands, or not for these.

``prove`` takes them as text: instructions, blocks, and sequences of a listing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, reduce
from typing import Any, NamedTuple

from ...blocks.block_parser import find_block, parse_block
from ...blocks.intrinsic_sequences import IntrinsicSequence, write_ptx
from ...engine.cancellation import IsStopped, never
from ...engine.ir.tape import Node
from ...engine.isa.encodings import format_registers
from ...engine.isa.types import CARRY_REGISTER, Type
from ...engine.records import FrozenDict, FrozenRecord
from ...engine.semantics.models import ISA_MODEL, Model
from ...engine.syntax.asm_bindings import parse_pasted, read_bindings_of
from ...engine.syntax.errors import PtxError, quote_word
from ...engine.syntax.instruction import Instruction
from ...engine.tracing.basic_block import BasicBlock, make_block
from ...engine.tracing.evaluation import resolve_model
from ...engine.tracing.operand_bits import check_argument
from ...engine.tracing.trace import Trace
from .differences import Difference, describe_difference, make_difference
from .operand_conditions import make_scope, read_condition
from .proof_question import NO_RENAMING, ProofQuestion, Renaming, Side, find_simple_operands
from .sequence_dataflow import extract_dataflow
from .solver import Term, Undecided, get_solver_name, load_bitwuzla

TIMEOUT = 60.0
"""The default time for a proof in seconds."""
MAX_PROVED_STATEMENTS = 1024
"""Maximum statements of a block: nobody has to read it."""


class Verdict(StrEnum):
    """The answer to the question whether two computations are the same."""

    EQUAL = "equal"
    DIFFERENT = "different"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Proof(FrozenRecord):
    """The answer to a question about two computations."""

    programs: tuple[BasicBlock, BasicBlock]
    models: tuple[Model, Model]
    where: str
    """The condition on the operands; empty for all."""
    value_verdict: Verdict
    """The answer if what ``uncompared`` lists is the same on both sides."""
    inputs: Mapping[str, Type]
    """The operands by the names that both have in the question."""
    names: tuple[Mapping[str, str], Mapping[str, str]]
    """For each program, the name in the question of each register that it reads."""
    pairs: tuple[tuple[str, str], ...]
    """The results that are compared, by their names in the two programs; "" for an old value."""
    has_same_plan: bool
    """Whether both compute the results by the same operations, which needs no solver."""
    seconds: float
    solver: str
    operands: Mapping[str, int] = field(default_factory=dict)
    """Operands for which the results differ, by their names in the question."""
    difference: Difference | None = None
    """When the results differ, if that is short."""
    uncompared: tuple[str, ...] = ()
    """The statements whose effect on the answer is not known, as those that load and store."""

    def __repr__(self) -> str:
        condition = f" with {self.restriction}" if self.restriction else ""
        if self.verdict is Verdict.DIFFERENT:
            bits = ((name, value, self.inputs[name]) for name, value in self.operands.items())
            return f"<Proof: different for {format_registers(bits) or 'all operands'}{condition}>"
        names = f" for all values of {', '.join(self.inputs)}{condition}" if self.inputs else ""
        return f"<Proof: {self.verdict}{names}>"

    @property
    def verdict(self) -> Verdict:
        """The answer; undecided if it depends on memory, which is not compared."""
        return Verdict.UNDECIDED if self.uncompared else self.value_verdict

    @property
    def restriction(self) -> str:
        """The condition on the operands, with that of the guards of a block; empty for all."""
        passages = [x for x in map(_format_passage, self.programs) if x]
        return " and ".join(filter(None, [self.where, *passages[:1]]))

    def get_values(self, index: int) -> dict[str, int]:
        """Return the counterexample by the names of program 0 or 1."""
        return {own: self.operands[name] for own, name in self.names[index].items()}

    @cached_property
    def traces(self) -> tuple[Trace, Trace]:
        """The two evaluations of the counterexample."""
        return self._make_trace(0), self._make_trace(1)

    def _make_trace(self, index: int) -> Trace:
        program, model = self.programs[index], self.models[index]
        operands = bind_names(program, self.get_values(index))
        return Trace(program, model, operands)

    @cached_property
    def results(self) -> tuple[tuple[int, int], ...]:
        """The results of the counterexample: the two values of each pair."""
        return tuple((self._get_result(x, 0), self._get_result(x, 1)) for x in self.pairs)

    def _get_result(self, pair: tuple[str, str], index: int) -> int:
        """Return what program 0 or 1 leaves in a result, be it the old value."""
        if self.is_passage(pair):
            values = {**self.operands, **self.get_values(index), **self.traces[index].result}
            return int(all(values[x.name] == x.stays_with for x in self.programs[index].guards))
        if pair[index]:
            return self.traces[index].result[pair[index]]
        own = pair[1 - index]
        return self.operands[self.names[1 - index].get(own, own)]

    def is_passage(self, pair: tuple[str, str]) -> bool:
        """Whether a pair is not of results but of whether a thread stays in each block."""
        return all(pair) and pair == tuple(map(_format_passage, self.programs))

    @property
    def bits(self) -> int:
        """The number of bits of all operands."""
        return sum(type_.bits for type_ in self.inputs.values())


def bind_names(program: BasicBlock, values: Mapping[str, int]) -> dict[str, int]:
    """Return operand bits by role, for the registers that have values and the constants."""
    roles = program.names.items()
    return {**{role: values[name] for role, name in roles if name in values}, **program.constants}


class _Pair(NamedTuple):
    """A result of each computation, by name; "" if it keeps the register's old value."""

    names: tuple[str, str]
    nodes: tuple[Node, Node]
    bits: int


def with_guard_results(block: BasicBlock) -> BasicBlock:
    """Return a block with the predicates of its guards that it computes among its results."""
    if not block.guards:
        return block
    guards = {x.name: x.place for x in block.guards if x.place.statement}
    outputs = {**block.outputs, **guards}.items()
    return replace(block, outputs=dict(sorted(outputs, key=lambda x: x[1].statement)))


def check_seconds(name: str, value: object) -> None:
    """Raise TypeError for an argument that is not a number, and ValueError for a negative one."""
    check_argument(name, value, (int, float), "a number of seconds")
    if not value >= 0:  # type: ignore[operator]
        raise ValueError(f"{name} is {value}; it is a number of seconds from 0 on")


def prove_equal(
    a: BasicBlock,
    b: BasicBlock,
    *,
    same: Renaming = NO_RENAMING,
    models: tuple[Model, Model] = (ISA_MODEL, ISA_MODEL),
    where: str = "",
    has_carry: bool = False,
    timeout: float = TIMEOUT,
    is_stopped: IsStopped = never,
) -> Proof:
    """Decide whether two computations give equal results for all operands.

    ``same`` maps registers that ``a`` reads to those of ``b``; others with equal names are the
    same. Results are compared by name, the others by position; CC.CF only with ``has_carry``, or if
    it is the only one. Raise ValueError if they can't be matched or ``where`` never holds, PtxError
    if it is invalid, ImportError without the solver, and Stopped once ``is_stopped`` says so.
    """
    question = ProofQuestion(timeout, is_stopped)
    a, b = _with_same_results(a, b, has_carry), _with_same_results(b, a, has_carry)
    a, b = with_guard_results(a), with_guard_results(b)
    first = question.add_side(a, models[0], _map_variables(a, b, is_output=False))
    second = question.add_side(b, models[1], _match_inputs(first, b, same))
    passages = [x for x in map(question.read_guards, (first, second)) if x is not None]
    compared = [_drop_other_results(x, has_carry) for x in (first, second)]
    pairs = tuple(_pair_results(question, compared[0], compared[1]))
    if len(passages) == 2:
        names = _format_passage(a), _format_passage(b)
        pairs = (_Pair(names, (passages[0], passages[1]), 1), *pairs)
    scope = make_scope(question)._replace(side=first)
    conditions = [read_condition(question, where, scope)] if where else []
    if passages:  # those who leave one block alone are a difference
        conditions.append(reduce(question.tape.maximum, passages))
    condition = reduce(question.tape.minimum, conditions) if conditions else None
    unequal = [pair for pair in pairs if pair.nodes[0] is not pair.nodes[1]]

    def answer(verdict: Verdict, **more: Any) -> Proof:
        return Proof(
            programs=(a, b),
            models=models,
            where=where,
            value_verdict=verdict,
            inputs=dict(question.inputs),
            names=(FrozenDict(first.inputs), FrozenDict(second.inputs)),
            pairs=tuple(pair.names for pair in pairs),
            has_same_plan=not unequal,
            seconds=question.solver.elapsed,
            solver=get_solver_name(),
            uncompared=tuple(_list_uncompared((a, b), same)),
            **more,
        )

    try:
        if condition is not None:
            question.add_condition(condition)
            if not question.solver.is_possible():
                reason = where or "the guards of the blocks"
                raise ValueError(f"no operands satisfy {reason}")
            question.fix_zeros()
        if not unequal:
            return answer(Verdict.EQUAL)
        differs = make_difference(question, [x.nodes for x in unequal])
        truth = question.make_truth(differs)
        holds = question.make_test(differs, *filter(None, [condition]))
        wishes = [list(_wish_one_part(question, unequal))]
        operands = find_simple_operands(question, [truth], holds, wishes)
    except Undecided:
        return answer(Verdict.UNDECIDED)
    if operands is None:
        return answer(Verdict.EQUAL)
    proof = answer(
        Verdict.DIFFERENT,
        operands=operands,
        difference=describe_difference(
            question,
            [x.nodes for x in unequal],
            operands,
            _find_shared_rows(first, second),
            condition,
        ),
    )
    _check_counterexample(proof)
    return proof


def _list_uncompared(programs: tuple[BasicBlock, BasicBlock], same: Renaming) -> Iterator[str]:
    """Yield the statements whose effect is not compared.

    These are stores, if both programs have some, and statements that give a register which is read
    a value from outside, unless ``same`` says which register of the other program has that value.
    """
    has_stores = all(any(not x.kind for x in program.outer_accesses) for program in programs)
    for letter, program, paired in zip("AB", programs, ([*same], [*same.values()]), strict=True):
        unpaired = {x.name for x in program.inputs} - set(paired)
        for access in program.outer_accesses:
            if has_stores if not access.kind else not unpaired.isdisjoint(access.names):
                yield f"{quote_word(access.text)} ({letter}, line {access.line})"


def _format_passage(program: BasicBlock) -> str:
    """Return when a thread stays in a block to its end: ``not p and q``."""
    return " and ".join(x.condition for x in program.guards)


def _drop_other_results(side: Side, has_carry: bool) -> Side:
    """Return a side without the predicates of its guards, and without the flag that it leaves.

    What guards decide is compared. The flag is kept if it is asked for, or the only result.
    """
    dropped = {x.name for x in side.program.guards}
    if not has_carry and side.results.keys() - dropped != {CARRY_REGISTER}:
        dropped.add(CARRY_REGISTER)
    results = {name: x for name, x in side.results.items() if name not in dropped}
    return side._replace(results=results)


def _find_shared_rows(first: Side, second: Side) -> dict[str, Node]:
    """Return the rows that both compute by the same operations."""
    keys = (row.key for row in first.plan.rows)
    return {key: first.values[key] for key in keys if first.values[key] is second.values.get(key)}


def _match_inputs(first: Side, b: BasicBlock, same: Renaming) -> dict[str, str]:
    """Return the name in the question for each register of ``b`` that has another there."""
    read_by_b = {x.name for x in b.inputs}
    names_of_a = {*first.inputs.values()}
    variables = _map_variables(b, first.program, is_output=False)
    renaming: dict[str, str] = {}
    for x, y in same.items():
        if x not in first.inputs:
            raise ValueError(f"{x} is not read by A, which reads {_list_names(first.inputs)}")
        if y not in read_by_b:
            raise ValueError(f"{y} is not read by B, which reads {_list_names(read_by_b)}")
        if y in renaming:
            raise ValueError(f"{y} of B cannot be both {renaming[y]} and {x} of A")
        renaming[y] = first.inputs[x]
    taken = set(renaming.values())
    for name in sorted(read_by_b - renaming.keys()):
        other = name.removeprefix("%") if name.startswith("%") else f"%{name}"
        if name in variables:
            renaming[name] = variables[name]
        elif name in taken:
            renaming[name] = f"{name}'"
        elif name not in names_of_a and other in names_of_a and other not in read_by_b | taken:
            renaming[name] = other
    shared = {renaming.get(name, name) for name in read_by_b} & names_of_a
    if first.inputs and read_by_b and not shared:
        names = _list_names(first.inputs), _list_names(x.name for x in b.inputs)
        raise ValueError("A reads {}, and B reads {}; say which are the same".format(*names))
    return renaming


def _map_variables(program: BasicBlock, other: BasicBlock, *, is_output: bool) -> dict[str, str]:
    """Return the operands of an asm statement that are a variable which the other program names.

    There are none if that is an asm statement, too, whose operands have numbers of its own.
    """
    own, others = read_bindings_of(program), read_bindings_of(other)
    if others.inputs or others.outputs:
        return {}
    names = other.results.values() if is_output else {x.name for x in other.inputs}
    variables = own.outputs if is_output else own.inputs
    return {x: name for name, operands in variables.items() if name in names for x in operands}


def _list_names(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"


def _with_same_results(program: BasicBlock, other: BasicBlock, has_carry: bool) -> BasicBlock:
    """Return a block with the results of another computation that it writes, and reads later.

    Results that are paired by position need no more.
    """
    names, others = (
        [y for y in x.results.values() if has_carry or y != CARRY_REGISTER]
        for x in (program, other)
    )
    if len(names) != len(others) and {*names} & {*others}:
        return program.with_results(others)
    return program


def _pair_results(question: ProofQuestion, first: Side, second: Side) -> Iterator[_Pair]:
    """Yield the results to compare: by name, and the others by position."""
    x, y = first.results, second.results
    variables = {
        **_map_variables(first.program, second.program, is_output=True),
        **_invert(_map_variables(second.program, first.program, is_output=True)),
    }
    shared = {name: variables.get(name, name) for name in x if variables.get(name, name) in y}
    others = [
        [name for name in side if name not in paired]
        for side, paired in ((x, shared.keys()), (y, shared.values()))
    ]
    names = [*shared.items()]
    if len(x) == len(y):
        names += zip(*others, strict=True)
    elif shared:
        names += [(name, "") for name in others[0]]
        names += [("", name) for name in others[1]]
    else:
        counts = f"A writes {_list_names(x)} and B writes {_list_names(y)}"
        raise ValueError(f"{counts}: the numbers differ")
    for pair in names:
        types = [side[name][1] for side, name in zip((x, y), pair, strict=True) if name]
        if len({type_.bits for type_ in types}) > 1:
            sizes = " and ".join(str(type_.bits) for type_ in types)
            raise ValueError(f"{pair[0]} and {pair[1]} have different widths: {sizes} bits")
        nodes = [
            side.results[name][0] if name else _add_old_value(question, other, own, types[0])
            for side, name, other, own in zip(
                (first, second), pair, (second, first), reversed(pair), strict=True
            )
        ]
        yield _Pair(pair, (nodes[0], nodes[1]), types[0].bits)


def _invert(names: Mapping[str, str]) -> dict[str, str]:
    return {y: x for x, y in names.items()}


def _add_old_value(question: ProofQuestion, side: Side, name: str, type_: Type) -> Node:
    """Return the value that a register had, which only ``side`` writes, under its name there."""
    return question.add_input(side.inputs.get(name, name), type_)


def _wish_one_part(question: ProofQuestion, pairs: list[_Pair]) -> Iterator[Term]:
    """Yield the wishes that the results agree but for one byte, or one result."""
    make, cut = question.solver.terms.make, question.solver.terms.cut
    parts = []
    for pair in pairs:
        terms = [question.vectors.resize(x, 0, pair.bits) for x in pair.nodes]
        unit = min(8, pair.bits)
        parts += [
            make("EQUAL", *(cut(term, low, low + unit) for term in terms))
            for low in range(0, pair.bits, unit)
        ]
    if len(parts) > 1:
        for index in range(len(parts)):
            others = parts[:index] + parts[index + 1 :]
            yield question.solver.terms.join("AND", others)


def _check_counterexample(proof: Proof) -> None:
    """Raise RuntimeError unless the exact engine gives two results for the counterexample."""
    if all(x == y for x, y in proof.results):
        raise RuntimeError(f"the counterexample {dict(proof.operands)} does not hold")


def read_program(text: str | Instruction | BasicBlock) -> BasicBlock:
    """Return the instruction or the block in a text; raise PtxError if it is neither."""
    if isinstance(text, BasicBlock):
        return text
    if isinstance(text, Instruction):
        return make_block(text)
    block, problem = None, None
    try:
        block = parse_block(text, max_statements=MAX_PROVED_STATEMENTS)
        if len(block.lines) > 1 or block.guards:
            return block
    except PtxError as error:
        problem = error
    try:
        ins = parse_pasted(text)
        return (find_block(text) if problem else None) or make_block(ins)
    except PtxError:
        if block:
            return block
        if problem and ("{" in text or ";" in text.strip().rstrip(";")):
            raise problem from None
        raise


def prove(
    a: str | Instruction | BasicBlock,
    b: str | Instruction | BasicBlock | None = None,
    *,
    same: Mapping[str, str] | None = None,
    model: str | Model = "isa",
    model_a: str | Model | None = None,
    model_b: str | Model | None = None,
    where: str = "",
    carry: bool = False,
    timeout: float = TIMEOUT,
) -> Proof:
    """Decide whether two instructions or blocks give equal results for all operands.

    ``b`` is ``a`` if it is omitted: then two models are compared. Registers of one name are one
    operand; ``same`` maps others of ``a`` to those of ``b``. Results are compared by name, or by
    position if they have other names. ``model`` is that of both, ``model_a`` or ``model_b`` of one.
    ``where`` restricts the operands: ``"b <= 255 and a.signed < 0"``. ``carry`` compares CC.CF at
    the end, too. ``timeout`` is in seconds.

    Raise PtxError if a text is invalid, ValueError if operands or results can't be matched or no
    operands satisfy ``where``, and ImportError, with installation advice, if bitwuzla is missing.
    """
    check_argument("same", same or {}, Mapping, "registers of b by those of a: {'d': 'r'}")
    check_argument("where", where, str, "a condition as text: 'a < 5'")
    check_seconds("timeout", timeout)
    program = read_program(a)
    models = tuple(resolve_model(model if x is None else x) for x in (model_a, model_b))
    return prove_equal(
        program,
        program if b is None else read_program(b),
        same=same or {},
        models=(models[0], models[1]),
        where=where,
        has_carry=carry,
        timeout=timeout,
    )


def load_prover() -> Callable[[IntrinsicSequence], bool]:
    """Return ``prove_sequence``; raise ImportError, with installation advice, without bitwuzla."""
    load_bitwuzla()
    return prove_sequence


def prove_sequence(sequence: IntrinsicSequence, timeout: float = TIMEOUT) -> bool:
    """Return whether the solver proves, in time, that a sequence computes its intrinsic.

    What is proved is the dataflow of the sequence's own statements.
    """
    pattern, call = extract_dataflow(sequence)
    a, b = read_program(write_ptx(pattern)), read_program(call)
    return prove_equal(a, b, timeout=timeout).verdict is Verdict.EQUAL
