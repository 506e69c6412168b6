"""Whether two computations give the same results for all operands, or operands that show otherwise.

``prove`` takes them as text: instructions, blocks, and sequences of a listing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import Any

from ...blocks.block_parser import find_block, parse_block
from ...engine.cancellation import IsStopped, never
from ...engine.ir.tape import Node
from ...engine.records import FrozenDict
from ...engine.semantics.models import ISA_MODEL, Model
from ...engine.syntax.asm_bindings import parse_pasted
from ...engine.syntax.errors import PtxError
from ...engine.syntax.instruction import Instruction
from ...engine.tracing.basic_block import BasicBlock, make_block
from ...engine.tracing.evaluation import resolve_model
from ...engine.tracing.operand_bits import check_argument
from .differences import describe_difference, make_difference
from .memory_effects import list_uncompared, list_unknown_effects
from .operand_conditions import make_scope, read_condition
from .proof import Proof, Verdict, format_passage
from .proof_question import NO_RENAMING, ProofQuestion, Renaming, Side, find_simple_operands
from .result_pairs import (
    ResultPair,
    drop_other_results,
    map_variables,
    match_inputs,
    pair_results,
    with_guard_results,
    with_same_results,
)
from .solver import Term, Undecided, get_solver_name, load_bitwuzla

TIMEOUT = 60.0
"""The default time for a proof in seconds."""
MAX_PROVED_STATEMENTS = 1024
"""Maximum statements of a block, which need not be readable."""


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
    if it is invalid, ImportError without the solver, and Stopped when ``is_stopped`` returns true.
    """
    question = ProofQuestion(timeout, is_stopped)
    a, b = with_same_results(a, b, has_carry), with_same_results(b, a, has_carry)
    a, b = with_guard_results(a), with_guard_results(b)
    first = question.add_side(a, models[0], map_variables(a, b, is_output=False))
    second = question.add_side(b, models[1], match_inputs(first, b, same))
    passages = [x for x in map(question.read_guards, (first, second)) if x is not None]
    compared = [drop_other_results(x, has_carry) for x in (first, second)]
    effects = list_unknown_effects(a, b)
    pairs = () if effects else tuple(pair_results(question, compared[0], compared[1]))
    if len(passages) == 2 and not effects:
        names = format_passage(a), format_passage(b)
        pairs = (ResultPair(names, (passages[0], passages[1]), 1), *pairs)
    scope = make_scope(question)._replace(side=first)
    conditions = [read_condition(question, where, scope)] if where else []
    if passages:  # threads that leave only one of the blocks are a difference
        conditions.append(reduce(question.tape.maximum, passages))
    condition = reduce(question.tape.minimum, conditions) if conditions else None
    unequal = [pair for pair in pairs if pair.nodes[0] is not pair.nodes[1]]

    def answer(verdict: Verdict | None, **more: Any) -> Proof:
        return Proof(
            programs=(a, b),
            models=models,
            where=where,
            value_verdict=verdict,
            inputs=dict(question.inputs),
            names=(FrozenDict(first.inputs), FrozenDict(second.inputs)),
            pairs=tuple(pair.names for pair in pairs),
            has_same_plan=not (effects or unequal),
            seconds=question.solver.elapsed,
            solver=get_solver_name(),
            uncompared=effects or list_uncompared(a, b, same),
            **more,
        )

    if effects:
        return answer(None)
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


def _find_shared_rows(first: Side, second: Side) -> dict[str, Node]:
    """Return the rows that both compute by the same operations."""
    keys = (row.key for row in first.plan.rows)
    return {key: first.values[key] for key in keys if first.values[key] is second.values.get(key)}


def _wish_one_part(question: ProofQuestion, pairs: list[ResultPair]) -> Iterator[Term]:
    """Yield the wishes that all results but one byte, or one result, agree."""
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
        if len(block.lines) > 1 or block.guards or block.outer_accesses:
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
    position if they have other names. ``model`` is for both, ``model_a`` or ``model_b`` for one.
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


def load_prover() -> Callable[[str, str], bool]:
    """Return ``is_proved_equal``; raise ImportError, with installation advice, without bitwuzla."""
    load_bitwuzla()
    return is_proved_equal


def is_proved_equal(a: str, b: str) -> bool:
    """Return whether the solver proves, in time, that the results of two texts are equal."""
    return prove_equal(read_program(a), read_program(b)).verdict is Verdict.EQUAL
