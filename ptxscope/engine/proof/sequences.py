"""Proofs that sequences of a listing compute the intrinsics that they are named after."""

from __future__ import annotations

from ..sequences.intrinsic_sequences import IntrinsicSequence
from ..sequences.pattern import write_ptx
from .equivalence import TIMEOUT, Verdict, prove_equal
from .proof_programs import read_program


def prove_sequence(sequence: IntrinsicSequence, timeout: float = TIMEOUT) -> bool:
    """Return whether the solver proves, in time, that a sequence computes its intrinsic.

    What is proved is the dataflow of the sequence's own statements. Raise ImportError, with
    installation advice, if bitwuzla is missing.
    """
    pattern, call = sequence.extract_dataflow()
    a, b = read_program(write_ptx(pattern)), read_program(call)
    return prove_equal(a, b, timeout=timeout).verdict is Verdict.EQUAL
