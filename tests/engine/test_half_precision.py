"""Half-precision `set` and `setp`: legal forms, a second formulation, values."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import PtxError, diagnose, evaluate, parse
from ptxscope.blocks.execution import execute
from ptxscope.blocks.program_run import StopReason
from ptxscope.engine.isa.catalog import pick_entry_form
from ptxscope.engine.isa.comparison_entries import HALF_ENTRIES
from ptxscope.engine.isa.encodings import decode_float, encode_float, format_value
from ptxscope.engine.isa.types import Destinations, Type
from ptxscope.engine.syntax.values import parse_value
from ptxscope.sources.source_programs import load
from tests.reference_halves import (
    COMPARISONS,
    compute,
    convert_old_value,
    decode,
    is_legal,
    list_types,
    round_half,
)
from tests.strategies import bits, instruction_of
from tests.tiers import ci_only, examples, some

_HALVES: tuple[int, ...] = (0, 1, 0x7F, 0x80, 0x3FF, 0x400, 0x3C00, 0x3F80, 0x4000, 0x8000, 0x8001)
_HALVES += (0xBC00, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0x7F80, 0xFF80, 0x7FC0, 0x7F81, 0xFFFF)
"""Numbers, zeros, subnormals, infinities and NaNs of both formats."""


def _half_bits(type_: Type) -> st.SearchStrategy[int]:
    """Bits of an operand, halves such as bite among them."""
    one = st.sampled_from(_HALVES) | st.integers(0, 0xFFFF)
    if type_.bits == 16:
        return one
    pair = st.builds(lambda low, high: low | high << 16, one, one)
    return pair | bits(type_) if type_.bits == 32 else bits(type_)


@given(st.sampled_from(HALF_ENTRIES), st.integers(0, 2**32), st.data())
@examples(1000)
def test_a_second_formulation_agrees(entry: object, seed: int, data: st.DataObject) -> None:
    ins = instruction_of(pick_entry_form(entry, Random(seed)))  # type: ignore[arg-type]
    a, b = (data.draw(_half_bits(ins.type_of(role))) for role in "ab")
    b = data.draw(st.sampled_from((a, b)))
    c = data.draw(st.integers(0, 1)) if ins.form.c else None
    values = {"a": a, "b": b} | ({} if c is None else {"c": c})
    expected = compute(ins.mnemonic, a, b, None if c is None else c ^ ins.form.negc)
    if ins.opcode == "setp":
        kept = {Destinations.P_Q: "pq", Destinations.SINK_Q: "q", Destinations.SINK: ""}
        roles = kept.get(ins.form.dst or Destinations.P, "p")
        expected = tuple(expected["pq".index(role)] for role in roles)
    assert parse(str(ins)) == ins
    for model in ("isa", "ptxas-13.0", "ptxas"):
        assert tuple(evaluate(ins, values, model=model).values()) == expected
    arrays = {name: np.array([x], np.uint64) for name, x in values.items()}
    found = evaluate(ins, arrays)
    assert tuple(int(np.asarray(x)[0]) for x in found.values()) == expected


@given(st.sampled_from(HALF_ENTRIES[:2]), st.integers(0, 2**32), st.data())
@examples(300)
def test_conversion_under_a_false_guard_equals_the_second_formulation(
    entry: object, seed: int, data: st.DataObject
) -> None:
    """E14: `set` with halves."""
    form = pick_entry_form(entry, Random(seed))._replace(boolop=None, c=False, negc=False)  # type: ignore[arg-type]
    ins = parse(f"@g {instruction_of(form)}")
    a, b = (data.draw(_half_bits(ins.type_of(role))) for role in "ab")
    old = data.draw(_half_bits(ins.type_of("d")))
    values = {"a": a, "b": b, "d": old, "g": 0}
    assert evaluate(ins, values) == {"d": old}
    converted = convert_old_value(ins.mnemonic, old)
    assert evaluate(ins, values, model="ptxas") == {"d": converted}
    assert "E14" in [x.id for x in ins.errata] or converted == old
    written = {**values, "g": 1}
    assert evaluate(ins, written, model="ptxas") == evaluate(ins, written)


def test_the_executed_example_of_a_false_guard() -> None:
    """PLAIN.md, P4."""
    ptx, values = "@g set.lt.u32.f16 d, a, b;", {"a": 0, "b": 0, "d": 0x3729C619, "g": 0}
    assert evaluate(ptx, values, model="ptxas") == {"d": 0xFFFFC619}
    for unaffected in ("set.lt.u16.f16", "set.lt.f16x2.f16x2", "set.lt.u32.bf16x2"):
        assert parse(f"@g {unaffected} d, a, b").errata == ()


@ci_only
def test_an_integer_becomes_the_nearest_half() -> None:
    """The whole domain of E14's conversion, against fractions."""
    numbers = np.arange(0x10000)
    for target in ("f16", "bf16"):
        found = evaluate(
            f"@g set.eq.{target}.u32 d, a, b;",
            {"a": 0, "b": 0, "d": numbers.astype(np.uint16), "g": False},
            model="ptxas",
        )["d"]
        expected = [round_half(Fraction(x), target) for x in range(0x10000)]
        assert np.asarray(found).tolist() == expected


def _is_accepted(line: str) -> bool:
    try:
        parse(line)
    except PtxError:
        return False
    return True


@ci_only
def test_exactly_the_forms_of_the_table_are_legal() -> None:
    """2,616 without `!c`: 2,112 of `set`, 504 of `setp` with p, or p|q for pairs."""
    comparisons = sorted({x for found in COMPARISONS.values() for x in found})
    types = [str(x) for x in Type if x is not Type.PRED]
    pairs = [x for x in product(types, repeat=2) if any("f16" in y for y in x)]
    counts = {}
    for opcode, all_types in (("set", pairs), ("setp", list_types("setp"))):
        legal = 0
        for cmp, ftz, words in product(comparisons, (".ftz", ""), all_types):
            is_expected = is_legal(opcode, cmp, bool(ftz), words)
            mnemonic = f"{opcode}.{cmp}{ftz}.{'.'.join(words)}"
            destinations = ["d"] if opcode == "set" else ["p"]
            if opcode == "setp" and words[0].endswith("x2"):
                destinations.append("p|q")
            for d in destinations:
                assert _is_accepted(f"{mnemonic} {d}, a, b;") == is_expected, mnemonic
                legal += is_expected
            if is_expected:
                with_boolop = mnemonic.replace(f".{cmp}", f".{cmp}.xor", 1)
                assert _is_accepted(f"{with_boolop} {d}, a, b, !c;")
                assert not _is_accepted(f"{with_boolop} {d}, a, b;")
                assert not _is_accepted(f"{mnemonic} {d}, a, b, c;")
        counts[opcode] = legal * 4
    assert counts == {"set": 2112, "setp": 504}


@pytest.mark.parametrize("step", some([31, 3]))
def test_every_half_is_written_and_read(step: int) -> None:
    for bits_ in range(0, 0x10000, step):
        for type_ in (Type.F16, Type.BF16):
            text, number = format_value(bits_, type_), decode(bits_, str(type_))
            if number is None:
                assert text == ("-NaN" if bits_ >> 15 else "NaN")
                continue
            assert parse_value(text, type_) == bits_
            if "inf" not in text:
                assert Fraction(decode_float(bits_, type_)) == number


@given(st.floats(0, 1e39), st.sampled_from(("f16", "bf16")))
@examples(500)
def test_a_number_is_rounded_to_the_nearest_half(number: float, type_: str) -> None:
    expected = round_half(Fraction(number), type_)
    assert encode_float(number, Type(type_)) == expected
    assert encode_float(-number, Type(type_)) == expected | 0x8000


def test_a_pair_is_shown_by_its_halves() -> None:
    assert format_value(0x3E008000, Type.F16X2) == "[1.5, -0.0]"
    assert evaluate("setp.lt.f16 p, a, b;", {"a": 1.5, "b": np.float16(2)}) == {"p": 1}
    found = evaluate("setp.lt.f16 p, a, b;", {"a": np.array([1, 3], np.float16), "b": 2.0})["p"]
    assert np.asarray(found).tolist() == [True, False]


def test_a_run_computes_half_precision_comparisons() -> None:
    (program,) = load(""".version 8.0
        .target sm_90
        .entry h() { .reg .b32 %r<9>; .reg .b16 %h<3>; .reg .pred %p<3>;
        setp.lt.f16 %p1, %h1, %h2;
        setp.ge.f16x2 %p1|%p2, %r1, %r2;
        set.lt.bf16x2.bf16x2 %r4, %r1, %r2; ret; }""")
    assert program.problems == ()
    values = {"%r1": 0x01020304, "%r2": 0x01010404, "%h1": 0x3C00, "%h2": 0x4000}
    run = execute(program, values)
    assert run.ending is StopReason.BRANCH_TAKEN  # ret
    assert run.steps[0].writes == {"%p1": 1}
    assert (run.registers["%p1"].bits, run.registers["%p2"].bits) == (0, 1)
    assert run.registers["%r4"].bits == 0x0000_3F80


@pytest.mark.parametrize(
    ("ptx", "a", "b", "got", "phrase"),
    [
        ("setp.lt.f16x2 p|q, a, b;", 0x3C003C00, 0x4000, {"p": 0, "q": 1}, "p and q exchanged"),
        (
            "set.lt.f16x2.f16x2 d, a, b;",
            0x3C003800,
            0x3A004000,
            0x3C003C00,
            "half-words of a swapped",
        ),
        ("set.lt.u32.bf16x2 d, a, b;", 0x3F803F80, 0x40000000, 0xFFFF, "half-words of d swapped"),
        ("set.lt.f16.f16 d, a, b;", 0xBC00, 0xBC01, 0x3C00, ".s16"),
        ("set.lt.f16.f16 d, a, b;", 0xFC01, 0, 0x3C00, "`.ltu`"),
        ("set.eq.u32.f16 d, a, b;", 1, 0, 0xFFFFFFFF, "`.ftz`"),
    ],
)
def test_a_mistake_with_halves_is_explained(
    ptx: str, a: int, b: int, got: int | dict[str, int], phrase: str
) -> None:
    found = diagnose(ptx, {"a": a, "b": b}, got)
    texts = [cause.phrase for explanation in found for cause in explanation.causes]
    assert any(phrase in text for text in texts), texts
