"""Blocks: several statements as one evaluation, against plain Python arithmetic."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from ptxscope import evaluate
from ptxscope.blocks.block_parser import (
    evaluate_block,
    find_block,
    parse_block,
    trace_block,
)
from ptxscope.diagnosis.explanations import investigate
from ptxscope.diagnosis.observation import Observation, make_observed
from ptxscope.engine.isa.types import Type
from ptxscope.engine.semantics.models import parse_model
from ptxscope.engine.semantics.plan import compute_results
from ptxscope.engine.syntax.errors import NotOneError, PtxError
from ptxscope.engine.tracing.basic_block import ValuePlace
from ptxscope.engine.tracing.operand_bits import bind_values
from ptxscope.engine.tracing.provenance import find_provenance
from ptxscope.engine.tracing.trace import replay
from ptxscope.state.open_block import open_block
from tests.driving.block_idioms import IDIOMS, WORD, Idiom
from tests.reference_data import parse_values, read_lines
from tests.tiers import ci_only, sampled, whole

EDGES = (0, 1, 0x7F, 0x80, 0x7FFFFFFF, 0x80000000, WORD, 0x80FF7F01, 0x01010101, 0xFF00FF00)
EVERY_IDIOM = pytest.mark.parametrize("idiom", IDIOMS, ids=[x.name for x in IDIOMS])


def draw_values(idiom: Idiom, rng: Random) -> dict[str, int]:
    block = parse_block(idiom.ptx)
    return {
        x.name: rng.getrandbits(1)
        if x.type is Type.PRED
        else rng.choice((rng.getrandbits(32), rng.choice(EDGES), rng.getrandbits(8)))
        for x in block.inputs
    }


@whole
@EVERY_IDIOM
def test_idiom(idiom: Idiom) -> None:
    rng = Random(idiom.name)
    for _ in range(12):
        values = draw_values(idiom, rng)
        trace = trace_block(idiom.ptx, values)
        assert trace.result == idiom.compute(**values), values
        operands = bind_values(trace.block, values)
        by_role = compute_results(trace.plan, operands)
        assert {trace.block.results[x]: y for x, y in by_role.items()} == trace.result
        for part in trace.parts:
            assert replay(part) == part.result


@ci_only
@whole
@EVERY_IDIOM
def test_idiom_on_arrays(idiom: Idiom) -> None:
    rng = Random(idiom.name)
    rows = [draw_values(idiom, rng) for _ in range(30)]
    arrays = {name: np.array([row[name] for row in rows], np.uint32) for name in rows[0]}
    results: dict[str, Any] = {**evaluate_block(idiom.ptx, arrays)}
    for index, row in enumerate(rows):
        assert {name: int(x[index]) for name, x in results.items()} == idiom.compute(**row)


@EVERY_IDIOM
def test_origins_of_a_result(idiom: Idiom) -> None:
    """A bit of a given register that changes a result is among the origins of the result."""
    rng = Random(idiom.name)
    for _ in range(3):
        values = draw_values(idiom, rng)
        trace = trace_block(idiom.ptx, values)
        for role, type_, key in trace.plan.results:
            name = trace.block.results[role]
            bit = rng.randrange(type_.bits)
            origins = find_provenance(trace, key, 0, bit, bit + 1)
            for source in trace.block.inputs:
                place = rng.randrange(source.type.bits)
                changed = {**values, source.name: values[source.name] ^ 1 << place}
                other = idiom.compute(**changed)[name] ^ trace.result[name]
                if other >> bit & 1:
                    assert any(
                        x.role == source.roles[0] and x.low <= place < x.high for x in origins
                    ), (source.name, place, bit)


def test_registers_connect_the_statements_of_a_block() -> None:
    block = parse_block("{ .reg .b32 t; prmt.b32 t, a, b, 0x5410; vadd2.u32.u32.u32 d, t, t, c; }")
    assert [x.name for x in block.inputs] == ["a", "b"]  # all lanes are written: c is not read
    first, second = block.statements
    assert second.reads["a"] == second.reads["b"] == ValuePlace(1, "d")
    assert first.reads["a"] == ValuePlace(0, "a")
    assert block.constants == {"s1.c": 0x5410}
    assert list(block.outputs) == ["d"]
    trace = trace_block(block, {"a": 0x11223344, "b": 0x55667788})
    assert [x.statement for x in trace.steps] == [1] * len(trace.parts[0].steps) + [2] * len(
        trace.parts[1].steps
    )
    assert [x.number for x in trace.steps] == [*range(1, len(trace.steps) + 1)]
    # lane 1 of the sum leads back through the two bytes that prmt chose for it
    assert find_provenance(trace, "s2.operate.t", 1) == (("s0.b", 0, 16), ("s1.c", 8, 16))


def test_a_note_reports_that_a_missing_carry_counts_as_0() -> None:
    for ptx in ("addc.u32 d, a, b;", "{ addc.u32 t, a, b; popc.b32 d, t; }"):
        found = trace_block(ptx, {"a": 1, "b": 2})
        assert "it is 0 here" in found.notes[0]
        assert not trace_block(ptx, {"a": 1, "b": 2, "CC.CF": 1}).block.notes


def test_lines_of_an_inner_block() -> None:
    text = (
        ".reg .b32 a, d, u, x; brev.b32 x, a;\n{ .reg .b32 t;\nclz.b32 t, x;\npopc.b32 u, t;\n}\n"
        "{ .reg .b32 t;\nbrev.b32 t, u;\nclz.b32 d, t; }"
    )
    block = parse_block(text, "x.ptx", range(3, 5))
    assert block.lines == ("clz.b32 t, x;", "popc.b32 u, t;")
    assert evaluate_block(block, {"x": 1}) == {"u": 5}
    assert parse_block(str(block)) != parse_block(text)


def test_moves_name_values() -> None:
    block = parse_block("mov.b32 t, a; prmt.b32 u, t, 0, 0x0123; mov.b32 d, u;")
    assert len(block.statements) == 1
    assert str(block) == "{ mov.b32 t, a; prmt.b32 u, t, 0, 0x0123; mov.b32 d, u; }"
    assert evaluate_block(block, {"a": 0x01020304}) == {"d": 0x04030201}
    # of a result that ends with its block, the value counts if there is no other
    assert evaluate_block("{ .reg .b32 t; add.u32 t, a, a; }", {"a": 1}) == {"t": 2}


def test_models_differ() -> None:
    ptx = "vadd.u32.s32.s32.sat t.b0, a, b, c; prmt.b32 d, t, 0, 0x0123;"
    values = {"a": -1, "b": 0, "c": 0x11223344}
    isa, ptxas = (trace_block(ptx, values, model=x) for x in ("isa", "ptxas"))
    assert isa.result == {"d": 0x00332211}
    assert ptxas.result == {"d": 0xFF332211}  # E3: the lower bound is missing
    assert isa.with_model(parse_model("ptxas")).result == ptxas.result


def test_listing_lines() -> None:
    text = (
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        "  .reg .b32 %r<9>;\n  ld.param.u32 %r1, [p];\n  prmt.b32 %r2, %r1, 0, 0x0123;\n"
        "  vadd4.u32.u32.u32 %r3, %r2, %r1, %r2;\n  st.global.u32 [%rd1], %r3;\n  ret;\n}\n"
    )
    block = parse_block(text, "k.ptx", range(8, 12))
    assert [x.name for x in block.inputs] == ["%r1"]
    assert block.notes == ("ignored text: `st.global.u32 [%rd1], %r3`",)
    assert evaluate_block(block, {"%r1": 0x01020304}) == {"%r3": 0x05050505}
    with pytest.raises(PtxError, match=r"`ld\.param\.u32` is not computed here"):
        parse_block(text, "k.ptx")


@pytest.mark.parametrize(("ptx", "message", "blamed"), read_lines("wrong_blocks.txt", 3))
def test_wrong_blocks(ptx: str, message: str, blamed: str) -> None:
    with pytest.raises(PtxError) as raised:
        parse_block(ptx)
    assert message in raised.value.message
    if blamed:
        start, end = raised.value.span
        assert blamed.startswith(ptx[start:end])


def test_two_asm_statements_are_not_one_block() -> None:
    operands = ': "=r"(x) : "r"(y));'
    two = f'asm("prmt.b32 %0, %1, 0, 1;" {operands} asm("brev.b32 %0, %1;" {operands}'
    with pytest.raises(NotOneError, match="2 blocks of PTX are here"):
        parse_block(two)


def test_values_are_checked() -> None:
    with pytest.raises(ValueError, match="no value for b"):
        trace_block("prmt.b32 t, a, b, 0x5410; brev.b32 d, t;", {"a": 1})
    with pytest.raises(ValueError, match="t is not an operand"):
        trace_block("prmt.b32 t, a, b, 0x5410; brev.b32 d, t;", {"a": 1, "b": 2, "t": 3})


@pytest.mark.parametrize(("ptx", "culprit"), read_lines("no_blocks.txt", 2))
def test_a_single_statement_is_no_block_and_an_unexplained_one_is_an_error(
    ptx: str, culprit: str
) -> None:
    if not culprit:
        assert find_block(ptx) is None
        return
    with pytest.raises(PtxError) as raised:
        find_block(ptx)
    assert ptx[slice(*raised.value.span)] == culprit


@pytest.mark.parametrize(("ptx", "operands", "expected"), read_lines("blocks.txt", 3))
def test_a_block_has_its_results_alone_as_text_and_in_a_run(
    ptx: str, operands: str, expected: str
) -> None:
    values, results = parse_values(operands), parse_values(expected)
    block = find_block(ptx)
    assert block
    assert evaluate_block(block, values) == results
    assert evaluate_block(str(block), values) == results
    cursor = open_block(block, values=values)
    texts = [x.text for x in block.statements]
    assert [
        x.text for x in cursor.listing.programs[0].statements if x.explained_instruction
    ] == texts
    registers = cursor.listing.run_program(0).registers
    assert {name: registers[name].bits for name in results} == results


@pytest.mark.parametrize(
    ("store", "bits", "stored"),
    [
        ("u32", 64, 0x9ABCDEF0),
        ("b16", 64, 0xDEF0),
        ("s8", 64, 0xF0),
        ("u64", 64, 0x123456789ABCDEF0),
    ],
)
def test_a_narrow_store_takes_the_low_bits(store: str, bits: int, stored: int) -> None:
    text = f"{{ not.b{bits} d, a; st.global.{store} [x], d; st.global.{store} [x+8], d; }}"
    block = parse_block(text, with_memory=True)
    assert evaluate_block(block, {"a": 0x123456789ABCDEF0 ^ (1 << 64) - 1}) == {"d": stored}
    twice = text.replace("[x+8], d", "[x+8], d; st.global.u32 [x], d") if store != "u32" else ""
    if twice:
        with pytest.raises(PtxError, match="stored twice"):
            parse_block(twice, with_memory=True)


def test_addresses_and_special_registers_are_inputs_of_a_block() -> None:
    text = "{ cvta.to.global.u64 x, y; ld.global.u32 a, [x]; not.b32 d, a; st.global.u32 [x], d; }"
    block = parse_block(text, with_memory=True)
    assert [x.name for x in block.inputs] == ["a"]
    assert block.notes == ("loaded, so treated as input: a", "stored, at any address: d")
    used = parse_block(text.replace("not.b32 d, a", "cvt.u32.u64 d, x"), with_memory=True)
    assert used.notes == ("an address, so treated as input: x", "stored, at any address: d")
    index = (
        "{ mov.u32 i, %tid.x; mov.u32 j, %laneid; mad.lo.u32 d, i, 4, j; st.global.u32 [x], d; }"
    )
    assert parse_block(index, with_memory=True).notes == (
        "a special register, so treated as input: i, j", "stored, at any address: d",
    )  # fmt: skip
    with pytest.raises(PtxError, match="is not computed here: i would be unknown"):
        parse_block(index)


@sampled
@pytest.mark.parametrize(
    "line",
    [
        "vabsdiff4.s32.u32.s32.add t, t, a, t;",
        "vmad.s32.s32.s32.sat.shr7 t, t, a, t;",
        "vset4.s32.u32.lt.add t, t, a, t;",
        "dp4a.s32.s32 t, t, a, t;",
        "prmt.b32 t, t, a, t;",
    ],
)
def test_the_longest_block_is_computed_on_arrays(line: str) -> None:
    block = parse_block(line * 64)
    t = np.array([0, 1, 0x7FFF8001, 0xDEADBEEF, 0x76543210], np.uint32)
    results = evaluate_block(block, {"t": t, "a": 0x01FF8003})
    expected = t
    for _ in range(64):
        expected = np.array(
            [evaluate(line, {"t": int(x), "a": 0x01FF8003})["t"] for x in expected], np.uint32
        )
    assert (np.asarray(results["t"]) == expected).all()


@pytest.mark.parametrize(
    "ptx",
    [
        "@p mov.u32 d, a; @p mov.u32 d, b;",
        "@p mov.u32 d, a; not.b32 e, d; @!p mov.u32 d, b;",
        "@p mov.u32 d, a; setp.eq.u32 p, a, 9; @!p mov.u32 d, b;",
        "@p add.u32 d, d, a; @!p mov.u32 d, b;",
        "@p mov.u32 d, a; @!p add.u32 d, d, b;",
        "@p mov.u32 d, a; @!q mov.u32 d, b;",
    ],
)
def test_other_guards_need_the_value_before(ptx: str) -> None:
    assert "d" in {x.name for x in parse_block(ptx).inputs}


@pytest.mark.parametrize(
    ("right", "wrong", "number", "phrase"),
    [
        ("add.cc.u32 d", "add.u32 d", 1, "with `.cc`"),
        ("addc.cc.u32 e", "add.cc.u32 e", 2, "with `addc` rather than `add`"),
        ("addc.cc.u32 e", "addc.u32 e", 2, "with `.cc`"),
        ("addc.cc.u32 e", "add.u32 e", 2, "with `addc` rather than `add` and with `.cc`"),
        ("madc.hi.u32 f", "mad.hi.u32 f", 3, "with `madc` rather than `mad`"),
    ],
)
def test_a_forgotten_carry_in_a_block_is_explained(
    right: str, wrong: str, number: int, phrase: str
) -> None:
    lines = "{ add.cc.u32 d, a, b; addc.cc.u32 e, c, b; madc.hi.u32 f, a, b, c; }"
    fault, observations = parse_block(lines.replace(right, wrong)), []
    for a, b, c in ((WORD, 1, 7), (5, WORD - 9, 20), (0x80000000, 0x80000001, 0)):
        e = c + b + (a + b >> 32)
        f = (a * b >> 32) + c + (e >> 32) & WORD
        expected = {"d": a + b & WORD, "e": e & WORD, "f": f}
        roles = {name: role for role, name in fault.results.items()}
        observed = {roles[x]: make_observed(y, 32) for x, y in expected.items()}
        operands = {f"s0.{x}": y for x, y in {"a": a, "b": b, "c": c}.items()}
        if "s0.CC.CF" in fault.names:
            operands["s0.CC.CF"] = 0
        observations.append(Observation(operands, observed))
    first = investigate(fault, observations).explanations[0]
    assert first.statement == number
    assert right in first.ptx
    assert first.causes[0].phrase == phrase
