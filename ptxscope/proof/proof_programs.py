"""Proofs about PTX as text: instructions, blocks, and sequences of a listing."""

from __future__ import annotations

from collections.abc import Mapping

from ..engine.semantics.models import Model
from ..engine.syntax.asm_bindings import parse_pasted
from ..engine.syntax.errors import PtxError
from ..engine.syntax.instruction import Instruction
from ..engine.tracing.basic_block import BasicBlock, make_block
from ..engine.tracing.evaluation import check_argument, check_seconds, resolve_model
from ..kernels.blocks.block_parser import MAX_PROOF_STATEMENTS, find_block, parse_block
from ..kernels.sequences.intrinsic_sequences import IntrinsicSequence
from ..kernels.sequences.pattern import write_ptx
from .equivalence import TIMEOUT, Proof, Verdict, prove_equal


def read_program(text: str | Instruction | BasicBlock) -> BasicBlock:
    """Return the instruction or the block in a text; raise PtxError if it is neither."""
    if isinstance(text, BasicBlock):
        return text
    if isinstance(text, Instruction):
        return make_block(text)
    block, problem = None, None
    try:
        block = parse_block(text, max_statements=MAX_PROOF_STATEMENTS)
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
    timeout: float = TIMEOUT,
) -> Proof:
    """Decide whether two instructions or blocks give equal results for all operands.

    ``b`` is ``a`` if it is omitted: then two models are compared. Registers of one name are one
    operand; ``same`` maps others of ``a`` to those of ``b``. Results are compared by name, or by
    position if they have other names. ``model`` is that of both, ``model_a`` or ``model_b`` of one.
    ``where`` restricts the operands: ``"b <= 255 and a.signed < 0"``. ``timeout`` is in seconds.

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
        timeout=timeout,
    )


def prove_sequence(sequence: IntrinsicSequence, timeout: float = TIMEOUT) -> bool:
    """Return whether the solver proves, in time, that a sequence computes its intrinsic.

    What is proved is the dataflow of the sequence's own statements. Raise ImportError, with
    installation advice, if bitwuzla is missing.
    """
    pattern, call = sequence.extract_dataflow()
    a, b = read_program(write_ptx(pattern)), read_program(call)
    return prove_equal(a, b, timeout=timeout).verdict is Verdict.EQUAL
