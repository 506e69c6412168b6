"""The NumPy calls of a program for the solver: a function on bit vectors for each NumPy function.

It is written from NumPy's documentation, and reads scratch memory as the program does, so a place
that is overwritten too early shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ptxscope.engine.arrays.array_program import ArrayProgram, CallOperand
from ptxscope.engine.arrays.call_sequence import (
    Buffer,
    BufferKind,
    CallConstant,
    Dtype,
    Function,
    clip,
    copy,
)
from ptxscope.features.prove.proof_question import ProofQuestion
from ptxscope.features.prove.solver import Term, TermFactory


class _Lane(NamedTuple):
    """One element of an array."""

    term: Term
    dtype: Dtype

    @property
    def sign(self) -> str:
        """The letter of the solver's comparisons."""
        return "S" if self.dtype.kind == "i" else "U"


def run_calls(question: ProofQuestion, program: ArrayProgram) -> dict[str, Term]:
    """Return the final contents of a program's result arrays, for one element, by role."""
    terms = question.solver.terms
    memory: dict[Buffer, Term] = {}
    for name, type_ in question.inputs.items():
        bits = question.get_bits(name)
        width = max(type_.bits, 8)
        memory[Buffer(BufferKind.OPERAND, name)] = terms.resize(bits, type_.bits, width, False)
    for function, inputs, out in program.calls:
        slot = program.slots[out]
        arguments = [_read(terms, memory, program.slots[index], slot.lanes) for index in inputs]
        lanes = [
            CALLS[function](terms, slot.dtype, *values) for values in zip(*arguments, strict=True)
        ]
        assert isinstance(slot.place, Buffer)
        memory[slot.place] = lanes[0] if len(lanes) == 1 else terms.make("BV_CONCAT", *lanes[::-1])
    return {
        str(place.name): term for place, term in memory.items() if place.kind is BufferKind.RESULT
    }


def _read(
    terms: TermFactory, memory: Mapping[Buffer, Term], slot: CallOperand, lanes: int
) -> list[_Lane]:
    """Return the lanes of an input; one lane stands for all."""
    bits = 8 * slot.dtype.itemsize
    if isinstance(slot.place, CallConstant):
        return [_Lane(terms.make_value(slot.place.value, bits), slot.dtype)] * lanes
    word = memory[slot.place]
    if word.sort().bv_size() != bits * slot.lanes or slot.lanes != lanes:
        raise AssertionError(f"{slot} is read for {lanes} lanes of {word.sort().bv_size()} bits")
    parts = (terms.cut(word, bits * lane, bits * (lane + 1)) for lane in range(lanes))
    return [_Lane(part, slot.dtype) for part in parts]


_CallEncoder = Callable[..., Term]


def _encode_ring(kind: str) -> _CallEncoder:
    """Encode a function that wraps: all types are the output's, except for their signs."""

    def encode(terms: TermFactory, out: Dtype, *lanes: _Lane) -> Term:
        assert {x.dtype.itemsize for x in lanes} == {out.itemsize}
        values = [x.term for x in lanes]
        return terms.multiply(*values) if kind == "BV_MUL" else terms.make(kind, *values)

    return encode


def _encode_right_shift(terms: TermFactory, out: Dtype, x: _Lane, amount: _Lane) -> Term:
    """Encode a shift; in NumPy, an excessive distance leaves 0 or the sign."""
    assert x.dtype == amount.dtype == out
    return terms.make("BV_ASHR" if x.sign == "S" else "BV_SHR", x.term, amount.term)


def _encode_quotient(terms: TermFactory, out: Dtype, x: _Lane, y: _Lane) -> Term:
    """Encode a quotient of numbers that are not negative."""
    assert x.dtype == y.dtype == out
    return terms.make("BV_UDIV", x.term, y.term)


def _encode_comparison(kind: str, *, negate: bool = False) -> _CallEncoder:
    def encode(terms: TermFactory, out: Dtype, x: _Lane, y: _Lane) -> Term:
        assert x.dtype == y.dtype
        assert out == np.bool_
        truth = terms.make(kind if kind == "EQUAL" else f"BV_{x.sign}{kind}", x.term, y.term)
        values = [terms.make_value(value, 8) for value in ((0, 1) if negate else (1, 0))]
        return terms.make("ITE", truth, *values)

    return encode


def _choose(terms: TermFactory, kind: str, x: _Lane, y: _Lane) -> _Lane:
    """Return x if a comparison of x and y is true, else y."""
    assert x.dtype == y.dtype
    truth = terms.make(f"BV_{x.sign}{kind}", x.term, y.term)
    return x._replace(term=terms.make("ITE", truth, x.term, y.term))


def _encode_clip(terms: TermFactory, out: Dtype, x: _Lane, low: _Lane, high: _Lane) -> Term:
    assert x.dtype == out
    return _choose(terms, "LT", _choose(terms, "GT", x, low), high).term


def _encode_absolute(terms: TermFactory, out: Dtype, x: _Lane) -> Term:
    assert x.dtype == out
    if x.sign == "U":
        return x.term
    is_negative = terms.make("BV_SLT", x.term, terms.make_value(0, 8 * out.itemsize))
    return terms.make("ITE", is_negative, terms.make("BV_NEG", x.term), x.term)


def _encode_copy(terms: TermFactory, out: Dtype, x: _Lane) -> Term:
    return terms.resize(x.term, 8 * x.dtype.itemsize, 8 * out.itemsize, x.sign == "S")


CALLS: Mapping[Function, _CallEncoder] = {
    np.add: _encode_ring("BV_ADD"),
    np.subtract: _encode_ring("BV_SUB"),
    np.multiply: _encode_ring("BV_MUL"),
    np.floor_divide: _encode_quotient,
    np.negative: _encode_ring("BV_NEG"),
    np.bitwise_and: _encode_ring("BV_AND"),
    np.bitwise_or: _encode_ring("BV_OR"),
    np.bitwise_xor: _encode_ring("BV_XOR"),
    np.left_shift: _encode_ring("BV_SHL"),
    np.right_shift: _encode_right_shift,
    np.absolute: _encode_absolute,
    np.minimum: lambda terms, _, x, y: _choose(terms, "LT", x, y).term,
    np.maximum: lambda terms, _, x, y: _choose(terms, "GT", x, y).term,
    clip: _encode_clip,
    np.less: _encode_comparison("LT"),
    np.less_equal: _encode_comparison("LE"),
    np.greater: _encode_comparison("GT"),
    np.greater_equal: _encode_comparison("GE"),
    np.equal: _encode_comparison("EQUAL"),
    np.not_equal: _encode_comparison("EQUAL", negate=True),
    copy: _encode_copy,
}
"""The functions that programs call; a bool is a byte that is 0 or 1."""
