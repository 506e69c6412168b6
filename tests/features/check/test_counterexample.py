"""Operands for which an assembler deviates from the documentation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from ptxscope import Instruction, evaluate, parse
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.semantics.models import PTXAS_MODELS, Model
from ptxscope.engine.syntax.instruction import Guard, Immediate
from ptxscope.features.check.counterexample import (
    CounterexampleSearch,
    DeviatingOperands,
    OperandBatch,
    find_counterexample,
    iter_arrays,
    iter_single_sets,
    list_possible_errata,
)
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


def _search(
    ins: Instruction, model: Model, batches: Iterable[OperandBatch]
) -> tuple[dict[str, DeviatingOperands], set[str]]:
    search = CounterexampleSearch(ins, model.name)
    for batch in batches:
        if search.is_done_after(batch):
            break
    return search.deviations, search.active_ids


@examples(60)
@given(st.integers(0, 1 << 48), st.sampled_from(PTXAS_MODELS))
def test_one_by_one_and_by_arrays_find_the_same(seed: int, shows: Model) -> None:
    ins = _with_errata(seed)
    found = _search(ins, shows, iter_single_sets(ins, _MOST))
    assert _search(ins, shows, iter_arrays(ins, _MOST)) == found


def test_an_erratum_that_the_first_operands_do_not_show() -> None:
    ins = parse("vshl.u32.u32.u32.sat.wrap d, a.h1, b.b3")
    assert _search(ins, PTXAS_MODELS[0], iter_single_sets(ins, 24))[0] == {}
    found = find_counterexample(ins)
    assert found is not None
    # PTX ISA 9.7.18: shifted by b's lowest five bits, then clamped
    shifted = (found.values["a"] >> 16) << (found.values["b"] >> 24 & 31)
    assert found.isa == min(shifted, 0xFFFF_FFFF) != found.ptxas
    assert found.ptxas == evaluate(ins, found.values, model=found.model)["d"]


def test_the_names_of_registers_do_not_matter_but_literals_do() -> None:
    for a, b in (("%r1", "%r2"), ("%r2", "x"), ("%r5", "%r5")):
        ins = parse(f"vmad.u32.u32.u32.sat %r4, {a}, {b}, %r3")
        found = find_counterexample(ins)
        assert found
        assert list_possible_errata(ins) == found.errata
    literal = parse("vmad.u32.u32.u32.sat %r4, %r1, %r2, 0")
    assert [x.id for x in list_possible_errata(literal)] == ["E10"]
    assert not list_possible_errata(parse("add.u32 d, a, b"))
