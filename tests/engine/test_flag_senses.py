"""E18: the carry flag between additions and subtractions, as ptxas 11.8 to 13.5 compile it.

The machine code of ptxas 11.8.89, 12.0.76, 12.2.140, 12.4.131, 12.6.85, 12.8.93, 12.9.86, 13.0.88
and 13.5.37 for sm_75 and sm_90 is one: a subtraction is IADD3 of a and -b, or IADD3.X of a and ~b,
each with the carry of that sum in P0. ``run_hardware`` computes this.
"""

from __future__ import annotations

from random import Random

import pytest

from ptxscope.blocks.block_parser import parse_block
from ptxscope.blocks.execution import execute
from ptxscope.diagnosis.explanations import investigate
from ptxscope.diagnosis.observation import Observation, Observed
from ptxscope.engine.semantics.models import find_errata, parse_model
from ptxscope.engine.semantics.plan import compute_results
from ptxscope.sources.source_programs import load
from tests.driving.carry_chains import (
    CHAINS,
    draw_words,
    make_lines,
    run_hardware,
)
from tests.tiers import whole


@pytest.mark.parametrize("model", ["isa", "ptxas", "ptxas-11.8"])
@pytest.mark.parametrize("chain", CHAINS)
@whole
def test_a_block_has_the_flag_of_the_manual_or_of_the_machine(chain: str, model: str) -> None:
    rng, lines = Random(chain), make_lines(chain)
    text = "{ " + " ".join(lines) + " }"
    block = parse_block(text)
    plan = block.make_plan(parse_model(model))
    names = [f"%r{20 + i}" for i in range(len(lines))]
    (program,) = load(text)
    for _ in range(6):
        words = draw_words(rng)
        expected = run_hardware(chain, words, model == "isa")
        values = {f"%r{10 + i}": x for i, x in enumerate(words)}
        operands = {f"s0.{name}": x for name, x in values.items()}
        found = compute_results(plan, {x.role: operands[x.role] for x in plan.sources})
        assert [found[block.outputs[x].key] for x in names] == expected
        inputs = {name: x for name, x in values.items() if name in program.types}
        run = execute(program, inputs, parse_model(model))
        assert [run.registers[x].bits for x in names] == expected


def test_chains_of_one_kind_in_one_function_have_no_erratum() -> None:
    lines = make_lines("add.cc addc") + make_lines("sub.cc subc")
    (program,) = load("{ " + " ".join(lines) + " }")
    assert [find_errata(x.instruction.form) for x in program.statements if x.instruction] == [
        ()
    ] * 4


def test_an_explanation_of_a_block_names_the_erratum() -> None:
    block = parse_block("{ sub.cc.u32 x, a, b; addc.u32 d, c, 0; }")
    values = {"s0.a": 0, "s0.b": 1, "s0.c": 0, **block.constants}
    observed = Observation(values, {block.outputs["d"].key: Observed(0, (1 << 32) - 1)})
    first = investigate(block, [observed]).explanations[0]
    assert first.statement == 1
    assert [x.id for x in first.errata] == ["E18"]
