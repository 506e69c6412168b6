"""E18: the carry flag between additions and subtractions, as ptxas 11.8 to 13.5 compile it.

The machine code of ptxas 11.8.89, 12.0.76, 12.2.140, 12.4.131, 12.6.85, 12.8.93, 12.9.86, 13.0.88
and 13.5.37 for sm_75 and sm_90 is one: a subtraction is IADD3 of a and -b, or IADD3.X of a and ~b,
each with the carry of that sum in P0. ``_run_hardware`` computes this.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ptxscope import explain_kernel, prove
from ptxscope.diagnosis.explanations import investigate
from ptxscope.diagnosis.observation import Observation, Observed
from ptxscope.engine.semantics.models import find_errata, parse_model
from ptxscope.engine.semantics.plan import compute_results
from ptxscope.features.kernels.launches.kernel_run import run_kernel
from ptxscope.features.kernels.launches.launch_text import Argument
from ptxscope.kernels.blocks.block_parser import parse_block
from ptxscope.kernels.program_runs.execution import execute
from ptxscope.sources.source_programs import load
from tests.engine.test_launches import make_kernel
from tests.tiers import some, whole

_WORD = (1 << 32) - 1
_CHAINS = (
    "sub.cc addc",
    "sub.cc madc",
    "add.cc subc",
    "mad.cc subc",
    "sub.cc subc",
    "sub.cc subc.cc addc.cc subc.cc subc",
    "add.cc addc.cc subc.cc addc",
    "sub.cc madc.cc addc.cc subc",
)
_MIXED = [x for x in _CHAINS if x != "sub.cc subc"]


def _make_lines(chain: str) -> list[str]:
    lines = []
    for i, name in enumerate(chain.split()):
        opcode, dot, carry = name.partition(".")
        is_product = opcode.startswith("mad")
        head = f"{opcode}{'.lo' * is_product}{dot}{carry}.u32"
        lines.append(f"{head} %r{20 + i}, %r{10 + i}, %r{11 + i}{', %r19' * is_product};")
    return lines


def _run_hardware(chain: str, words: list[int], is_manual: bool = False) -> list[int]:
    """The results with the machine's flag, or with that of the manual."""
    flag, results = 0, []
    for i, name in enumerate(chain.split()):
        opcode = name.removesuffix(".cc")
        a, b, c = words[i], words[i + 1], words[9]
        is_first = not opcode.endswith("c")
        if opcode.startswith("sub"):
            if is_manual:
                total = a - b - (0 if is_first else flag)
                flag = int(total < 0)
            else:
                total = a + (_WORD - b) + (1 if is_first else flag)
                flag = total >> 32
        else:
            x, y = (a * b & _WORD, c) if opcode.startswith("mad") else (a, b)
            total = x + y + (0 if is_first else flag)
            flag = total >> 32
        results.append(total & _WORD)
    return results


def _draw_words(rng: Random) -> list[int]:
    return [rng.choice((0, 1, _WORD, rng.getrandbits(32))) for _ in range(10)]


@pytest.mark.parametrize("model", ["isa", "ptxas", "ptxas-11.8"])
@pytest.mark.parametrize("chain", _CHAINS)
@whole
def test_a_block_has_the_flag_of_the_manual_or_of_the_machine(chain: str, model: str) -> None:
    rng, lines = Random(chain), _make_lines(chain)
    text = "{ " + " ".join(lines) + " }"
    block = parse_block(text)
    plan = block.make_plan(parse_model(model))
    names = [f"%r{20 + i}" for i in range(len(lines))]
    (program,) = load(text)
    for _ in range(6):
        words = _draw_words(rng)
        expected = _run_hardware(chain, words, model == "isa")
        values = {f"%r{10 + i}": x for i, x in enumerate(words)}
        operands = {f"s0.{name}": x for name, x in values.items()}
        found = compute_results(plan, {x.role: operands[x.role] for x in plan.sources})
        assert [found[block.outputs[x].key] for x in names] == expected
        inputs = {name: x for name, x in values.items() if name in program.types}
        run = execute(program, inputs, parse_model(model))
        assert [run.registers[x].bits for x in names] == expected


@pytest.mark.parametrize("model", ["isa", "ptxas"])
@pytest.mark.parametrize("chain", _CHAINS)
def test_a_run_has_the_flag_of_the_manual_or_of_the_machine(chain: str, model: str) -> None:
    lines, words = _make_lines(chain), _draw_words(Random(chain))
    loads = [f"ld.global.u32 %r{10 + i}, [%d1+{4 * i}];" for i in range(10)]
    stores = [f"st.global.u32 [%d2+{4 * i}], %r{20 + i};" for i in range(len(lines))]
    head = ["ld.param.u64 %d1, [in];", "ld.param.u64 %d2, [out];"]
    kernel = make_kernel("\n".join([*head, *loads, *lines, *stores, "ret;"]))
    out = f"zeros:u32:{len(lines)}"
    buffers: dict[str, Argument] = {"in": np.array(words, np.uint32), "out": out}
    result = run_kernel(kernel, buffers, model=model)
    assert result.is_exact
    expected = _run_hardware(chain, words, model == "isa")
    assert result.get_buffer("out").values.tolist() == expected


def test_a_flag_of_two_kinds_after_a_branch_is_that_of_the_machine() -> None:
    # on one path `addc` reads a borrow, on the other a carry; ptxas keeps one flag for both
    kernel = make_kernel("""
        mov.u32 %r1, %tid.x; ld.param.u64 %d2, [out]; setp.eq.u32 %p1, %r1, 0;
        mul.wide.u32 %d3, %r1, 4; add.u64 %d2, %d2, %d3; mov.u32 %r2, 0;
        @%p1 bra SUBTRACT;
        add.cc.u32 %r3, %r2, 0;
        bra JOIN;
        SUBTRACT: sub.cc.u32 %r3, %r2, 0;
        JOIN: addc.u32 %r4, %r2, 0;
        st.global.u32 [%d2], %r4;
        ret;""")
    for model, expected in (("isa", [0, 0]), ("ptxas", [1, 0])):
        buffers: dict[str, Argument] = {"in": "zeros:u32:1", "out": "zeros:u32:2"}
        result = run_kernel(kernel, buffers, block=2, model=model)
        assert result.get_buffer("out").values.tolist() == expected


def test_chains_of_one_kind_in_one_function_have_no_erratum() -> None:
    lines = _make_lines("add.cc addc") + _make_lines("sub.cc subc")
    (program,) = load("{ " + " ".join(lines) + " }")
    assert [find_errata(x.instruction.form) for x in program.statements if x.instruction] == [
        ()
    ] * 4


@pytest.mark.parametrize("chain", [*some(_MIXED), "sub.cc subc"])
def test_a_proof_distinguishes_isa_from_ptxas_on_a_mixed_chain(chain: str) -> None:
    text = "{ " + " ".join(_make_lines(chain)) + " }"
    assert prove(text, model_b="ptxas").verdict == ("different" if chain in _MIXED else "equal")
    assert prove(text, model_a="ptxas", model_b="ptxas-11.8").verdict == "equal"


def test_an_explanation_of_a_block_names_the_erratum() -> None:
    block = parse_block("{ sub.cc.u32 x, a, b; addc.u32 d, c, 0; }")
    values = {"s0.a": 0, "s0.b": 1, "s0.c": 0, **block.constants}
    observed = Observation(values, {block.outputs["d"].key: Observed(0, (1 << 32) - 1)})
    first = investigate(block, [observed]).explanations[0]
    assert first.statement == 1
    assert [x.id for x in first.errata] == ["E18"]


def test_an_explanation_of_a_run_names_the_assembler() -> None:
    kernel = make_kernel("""
        ld.param.u64 %d2, [out]; mov.u32 %r2, 0;
        sub.cc.u32 %r3, %r2, %r2;
        addc.u32 %r4, %r2, 0;
        st.global.u32 [%d2], %r4;
        ret;""")
    buffers: dict[str, Argument] = {"in": "zeros:u32:1", "out": "zeros:u32:1"}
    found = explain_kernel(kernel, buffers, {"out": np.array([1], np.uint32)})
    assert found.explanations[0].phrase == "under the model ptxas-13.5"
