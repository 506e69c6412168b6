"""Operands on which an erratum shows are the same, looked for one by one and by arrays."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from ptxscope import evaluate, parse
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.semantics.models import PTXAS_MODELS, Model
from ptxscope.engine.syntax.instruction import Guard, Immediate, Instruction
from ptxscope.sources import counterexample as one
from ptxscope.sources.counterexample import find_counterexample
from ptxscope.sources.counterexample_search import search_arrays
from tests.strategies import random_instruction
from tests.tiers import examples

_MOST = 400


def _with_errata(seed: int) -> Instruction:
    """A random instruction that an erratum touches, some guarded or with a literal."""
    rng = Random(seed)
    while True:
        ins = random_instruction(rng.choice(sorted(CATALOG)), rng.getrandbits(40))
        if rng.random() < 0.2:
            ins = replace(ins, guard=Guard("g", negated=rng.random() < 0.5))
        if rng.random() < 0.2:
            ins = replace(ins, sources=(ins.sources[0], Immediate(5, "5"), *ins.sources[2:]))
        if ins.errata:
            return ins


@examples(60)
@given(st.integers(0, 1 << 48), st.sampled_from(PTXAS_MODELS))
def test_one_by_one_and_by_arrays_find_the_same(seed: int, shows: Model) -> None:
    ins = _with_errata(seed)
    count = len(ins.errata)
    with patch.object(one, "MAX_SINGLE_EXAMPLES", _MOST):
        found, seen, _ = one.search_one_by_one(ins, count, shows.name)
    assert search_arrays(ins, count, shows.name, one.iter_examples(ins), _MOST) == (found, seen)


def test_an_erratum_that_the_first_operands_do_not_show() -> None:
    ins = parse("vshl.u32.u32.u32.sat.wrap d, a.h1, b.b3")
    assert one.search_one_by_one(ins, len(ins.errata), PTXAS_MODELS[0].name)[0] == {}
    found = find_counterexample(ins)
    assert found is not None
    # PTX ISA 9.7.18: shifted by b's lowest five bits, then clamped
    shifted = (found.values["a"] >> 16) << (found.values["b"] >> 24 & 31)
    assert found.isa == min(shifted, 0xFFFF_FFFF) != found.ptxas
    assert found.ptxas == evaluate(ins, found.values, model=found.model)["d"]
