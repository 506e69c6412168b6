"""The errata of two statements: the model against machine code that was run, and the pairs."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import islice

import pytest

from ptxscope import evaluate_block, export, parse_block, trace_block
from ptxscope.documents.options import Options
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.semantics.models import parse_model
from ptxscope.engine.semantics.rules import FUSION_ERRATA, Erratum
from ptxscope.engine.tracing.probe_operands import draw_operands
from ptxscope.sources.source_programs import load
from tests.reference_data import DATA
from tests.tiers import whole

MASK = (1 << 32) - 1


def signed(x: int, bits: int = 32) -> int:
    return (x & (1 << bits) - 1) - ((x >> bits - 1 & 1) << bits)


def clamp(x: int, low: int = -(1 << 31), high: int = (1 << 31) - 1) -> int:
    return max(low, min(x, high))


@cache
def read_rows() -> Sequence[Mapping[str, str]]:
    """Results of machine code of ptxas for sm_90, by an interpreter on numbers."""
    with (DATA / "pairs.csv").open(encoding="utf-8", newline="") as stream:
        return tuple(csv.DictReader(stream))


def read_values(text: str) -> dict[str, int]:
    return {x: int(y, 16) for x, _, y in (pair.partition("=") for pair in text.split())}


@pytest.mark.parametrize("release", ["13.0", "13.5"])
def test_the_model_gives_the_results_of_machine_code(release: str) -> None:
    rows = [row for row in read_rows() if row["ptxas"] == release]
    assert len(rows) > 800
    blocks = {x: parse_block(f"{x};") for x in {row["ptx"] for row in rows}}
    for row in rows:
        block, values = blocks[row["ptx"]], read_values(row["operands"])
        found = evaluate_block(block, values, model=f"ptxas-{release}")
        assert found == read_values(row["results"]), row


def test_the_results_of_the_record_are_not_as_documented_where_an_erratum_shows() -> None:
    seen = set[str]()
    for row in read_rows():
        block = parse_block(f"{row['ptx']};")
        documented = evaluate_block(block, read_values(row["operands"]))
        if documented != read_values(row["results"]):
            seen |= {x.id for x in block.errata}
    assert seen == {x.id for x in FUSION_ERRATA}


# what the machine code computes, by its instructions; each operand is 32 or 16 bits
COMPILED: Mapping[str, Callable[..., int]] = {
    "E19": lambda a: -signed(a, 16) & MASK,  # PRMT 0x9910, IADD3 -R0
    "E20": lambda **_: 0,  # PRMT RZ, 0x8
    "E21": lambda a, **_: a,  # no instruction
    "E22": lambda a: clamp(-signed(a), 0, 255),  # a compared with 0 and -255
    "E23": lambda a: clamp(signed(a) + 10) & MASK,
    "E24": lambda b, **_: b,
    "E25": lambda a, b, c: b if signed(a) <= 0 else c,
}
DOCUMENTED: Mapping[str, Callable[..., int]] = {
    "E19": lambda a: signed(-a, 16) & MASK,
    "E20": lambda a, **_: 0xFF * (a >> 7 & 1),
    "E21": lambda a, b: clamp(signed(a + b) - signed(b)) & MASK,
    "E22": lambda a: clamp(signed(-a), 0, 255),
    "E23": lambda a: clamp(signed(a + 5) + 5) & MASK,
    "E24": lambda a, b, c: b if a != 1 << 31 else c,
    "E25": lambda a, b, c: b if signed(-a) >= 0 else c,
}


@pytest.mark.parametrize("x", FUSION_ERRATA, ids=lambda x: x.id)
@whole
def test_an_example_computes_both_formulas(x: Erratum) -> None:
    block = parse_block(x.example[0])
    assert [y.id for y in block.errata] == [x.id]
    last = "13.0" if x.repaired_in else "13.5"
    repaired = x.repaired_in and parse_model("ptxas-{}.{}".format(*x.repaired_in))
    types = {y.name: y.type for y in block.inputs}
    for values in (x.example[1], *islice(draw_operands(types), 1500)):
        documented, compiled = DOCUMENTED[x.id](**values), COMPILED[x.id](**values)
        assert evaluate_block(block, values) == {"d": documented}
        assert evaluate_block(block, values, model=f"ptxas-{last}") == {"d": compiled}
        if repaired:
            assert evaluate_block(block, values, model=repaired) == {"d": documented}


@pytest.mark.parametrize("x", FUSION_ERRATA, ids=lambda x: x.id)
def test_both_answers_can_be_exported(x: Erratum) -> None:
    both = trace_block(parse_block(x.example[0]), x.example[1])
    documented, compiled = (format_hex(y, 16 if x.id == "E22" else 32) for y in x.example[2:])
    for name in ("svg", "text", "html", "markdown", "json"):
        text = str(export(both, name, Options(both=True)))
        assert documented in text
        assert compiled in text
        assert x.id in text


NOT_COMBINED = """
neg.s16 t, a; neg.s16 u, t; cvt.s32.s16 d, u
abs.s16 t, a; neg.s16 u, t; cvt.s32.s16 d, u
@p neg.s16 t, a; cvt.s32.s16 d, t
sub.u16 t, 0, a; cvt.s32.s16 d, t
neg.s16 t, a; cvt.u32.u16 d, t
neg.s16 t, a; min.s16 d, t, b
neg.s32 t, a; cvt.s64.s32 d, t
neg.s32 t, a; setp.lt.s32 d, t, 0
abs.s32 t, a; setp.lt.and.s32 d, t, 0, c
abs.s32 t, a; setp.gt.s32 d, t, -1
abs.s32 t, a; slct.s32.s32 d, b, c, t
add.s32 t, a, b; add.sat.s32 d, t, b
@p add.s32 t, a, b; sub.sat.s32 d, t, b
add.s32 t, a, 5; add.sat.s32 d, t, b
add.s32 t, a, 5; sub.sat.s32 d, 7, t
add.s32 t, a, 5; add.sat.s32 d, t, 5; xor.b32 e, t, c
prmt.b32 t, a, 5, 0x8888; and.b32 d, t, 255
prmt.b32 t, a, b, 0xcccc; and.b32 d, t, 255
prmt.b32 t, a, b, 0x8108; and.b32 d, t, 0xffff
prmt.b32 t, a, b, 0x8888; and.b32 d, t, 0xff00
prmt.b32 t, a, b, 0x8888; and.b32 d, t, 0x7f
prmt.b32 t, a, b, 0x8888; @p and.b32 d, t, 255
prmt.b32 t, a, b, c; and.b32 d, t, 255
prmt.b32 t, a, b, 0x8888; shr.u16 d, c, t
prmt.b32 t, a, b, 0x8888; cvt.u16.u16 d, t
prmt.b32 t, a, b, 0x8888; cvt.u16.u32 d, t
prmt.b32 t, a, b, 0x8888; cvt.u16.u32 h, t; and.b16 d, h, 0xff00
prmt.b32 t, a, b, 0x8888; cvt.u16.u32 h, t; @p cvt.u32.u16 d, h
prmt.b32 t, a, b, 0x8888; @p cvt.u16.u32 h, t; shr.u16 d, h, 3
prmt.b32 t, a, b, 0x8888; prmt.b32 u, t, 0, 0x3210; and.b32 d, u, 255
add.s32 t, a, 5; mov.b32 u, t; add.sat.s32 d, u, 5; xor.b32 e, u, c
neg.s16 t, a; and.b16 u, t, -1; cvt.s32.s16 d, u
""".strip().splitlines()
"""Pairs whose machine code by ptxas 13.0 for sm_90 was proved to be as documented."""


@pytest.mark.parametrize("text", NOT_COMBINED)
def test_these_pairs_are_not_combined(text: str) -> None:
    assert not {*parse_block(f"{text};").errata} & {*FUSION_ERRATA}


KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{{
  .reg .pred p; .reg .b16 a, b, t, u; .reg .b32 d, n, x, y, s; .reg .b64 to, from;
  ld.param.u64 to, [out]; ld.param.u64 from, [in];
  ld.global.u16 a, [from]; ld.global.u32 n, [from+4]; ld.global.u32 x, [from+8];
  ld.global.u32 y, [from+12]; setp.eq.u32 p, n, 0;
  {}
  ret;
}}
"""


def list_errata(body: str) -> list[str]:
    (program,) = load(KERNEL.format(body), "k.ptx")
    assert not program.problems
    instructions = (x.instruction for x in program.statements)
    return [x.id for ins in instructions if ins and ins.form.fusions for x in ins.errata]


# read from the machine code of ptxas 13.0 for sm_90
FLOWS = {
    "neg.s16 t, a; @p bra L; cvt.s32.s16 d, t; st.global.u32 [to], d; L: bar.sync 0;": ["E19"],
    # on one path, t has another value
    "neg.s16 t, a; @p bra L; ld.global.u16 t, [from+2]; L: cvt.s32.s16 d, t;": [],
    "neg.s16 t, a; L: cvt.s32.s16 d, t; add.u32 n, n, -1; setp.ne.u32 p, n, 0; @p bra L;": ["E19"],
    "add.s32 s, x, y; @p bra L; sub.sat.s32 d, s, y; L: bar.sync 0;": ["E21"],
    "add.s32 s, x, y; ld.global.u32 y, [from+16]; sub.sat.s32 d, s, y;": [],
    "add.s32 s, x, y; mov.u32 n, y; ld.global.u32 y, [from+16]; sub.sat.s32 d, s, n;": ["E21"],
    "neg.s16 t, a; mov.b16 u, t; ld.global.u16 t, [from+2]; cvt.s32.s16 d, u;": ["E19"],
    "neg.s16 t, a; ld.global.u16 a, [from+2]; cvt.s32.s16 d, t;": ["E19"],
    "neg.s16 t, a; ld.global.u16 t, [from+2]; cvt.s32.s16 d, t;": [],
}


@pytest.mark.parametrize(("body", "ids"), FLOWS.items())
def test_a_value_is_followed_through_registers_and_branches(body: str, ids: list[str]) -> None:
    assert list_errata(body) == ids
