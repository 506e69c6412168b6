"""One slip in one line, made here: the cause that is told first is that slip."""

from __future__ import annotations

import pytest

from ptxscope import diagnose, evaluate, parse, parse_block
from ptxscope.diagnosis.explanations import investigate
from ptxscope.diagnosis.line_changes import iter_digit_changes
from ptxscope.diagnosis.observation import Observation, make_observed
from ptxscope.diagnosis.selector_problem import SelectorSimplicity, iter_simple_selectors
from ptxscope.engine.isa.types import parse_selector
from tests.tiers import sampled

_A, _B = "a=0x80ff7f01", "b=0x01ff0280"
# the line as it was written | as it ran | the operands
_TABLE = f"""
vadd4.u32.u32.u32 d, a, b.b4567, c | vadd4.u32.u32.u32 d, a, b, c | a=0x01020304 b=0x10203040
vadd4.u32.u32.u32 d, a, b.b4567, c | vadd4.u32.u32.u32 d, a, b, c | {_A} {_B}
vadd4.u32.u32.u32 d, a, b.b0123, c | vadd4.u32.u32.u32 d, a, b, c | a=0x01020304 b=0x10203040
vadd4.u32.u32.u32 d, a, b.b0123, c | vadd4.u32.u32.u32 d, a, b.b4567, c | {_A} {_B}
vadd4.u32.u32.u32 d, a, b, c | vadd4.u32.u32.u32 d, a, b.b3210, c | {_A} {_B}
vsub4.s32.s32.s32 d, a.b0123, b, c | vsub4.s32.s32.s32 d, a, b, c | {_A} {_B}
vadd4.s32.s32.s32 d, a, b, c | vadd4.s32.s32.s32 d, a.b7654, b, c | {_A} {_B}
vsub4.s32.s32.s32 d, a, b.b7654, c | vsub4.s32.s32.s32 d, a, b.b7655, c | a=0x11 b=0x5060708
vmax4.s32.s32.s32 d, a, b.b4455, c | vmax4.s32.s32.s32 d, a, b, c | {_A} b=0x7e6d5c4b
vmin4.u32.u32.u32 d, a.b2222, b, c | vmin4.u32.u32.u32 d, a, b, c | {_A} b=0xfefefefe
vmin4.u32.u32.u32 d, a.b2301, b, c | vmin4.u32.u32.u32 d, a.b0123, b, c | {_A} b=0xfefefefe
vavrg4.u32.u32.u32 d, a, b, c | vavrg4.u32.u32.u32 d, a.b0321, b, c | a=0x10203141 b=0x5161718
vavrg4.u32.u32.u32 d, a, b, c | vavrg4.u32.u32.u32 d, a.b1111, b, c | a=0x10203141 b=0x5161718
vadd2.u32.u32.u32 d, a, b.h01, c | vadd2.u32.u32.u32 d, a, b, c | a=0x10002 b=0x30005
vadd2.u32.u32.u32 d, a, b.h01, c | vadd2.u32.u32.u32 d, a, b.h23, c | a=0x10002 b=0x30005
vabsdiff4.u32.u32.u32.add d, a, b.b4567, c | vabsdiff4.u32.u32.u32.add d, a, b, c | {_A} {_B} c=9
vabsdiff4.u32.u32.u32.add d.b210, a.b3110, b, c | vabsdiff4.u32.u32.u32.add d.b210, a, b, c \
| {_A} b=0x5060708 c=9
vset4.s32.s32.lt d, a.b0123, b, c | vset4.s32.s32.lt d, a, b, c | {_A} {_B}
vadd4.u32.u32.u32 d.b310, a, b, c | vadd4.u32.u32.u32 d.b320, a, b, c | {_A} {_B} c=0x5a6b7c8d
vadd4.s32.s32.s32.sat d, a, b, c | vadd4.s32.s32.s32 d, a, b, c | a=0x7f018033 b=0x1027f12
vadd4.s32.s32.s32 d, a, b, c | vadd4.s32.s32.s32.sat d, a, b, c | a=0x7f018033 b=0x102ff12
vmad.s32.s32.s32 d, a.h0, -b.h0, c | vmad.s32.s32.s32 d, a.h0, b.h0, -c | a=3 b=5 c=100
vmad.s32.s32.s32 d, -a.h0, b.h0, c | vmad.s32.s32.s32 d, a.h0, b.h0, -c | a=3 b=5 c=100
vmad.s32.s32.s32 d, a.h0, -b.h0, c | vmad.s32.s32.s32 d, a.h0, b.h0, c | a=3 b=5 c=100
vsub.s32.s32.s32 d, a.b1, b | vsub.s32.s32.s32 d, a, b | {_A} {_B}
vmin.s32.s32.u32 d, a.b0, b | vmin.s32.u32.u32 d, a.b0, b | a=0xff b=1
vmax4.s32.s32.u32 d, a, b, c | vmax4.s32.s32.s32 d, a, b, c | {_A} {_B}
"""


# the literal that was meant stands second
_LITERALS = """
shl.b32 d, a, 4 | shl.b32 d, a, 5 | a=0x1234567
shr.u32 d, a, 16 | shr.u32 d, a, 24 | a=0x81234567
and.b32 d, a, 0xff | and.b32 d, a, 0xffffff00 | a=0x12345678
and.b32 d, a, 0xff | and.b32 d, a, 0xffff | a=0x12345678
and.b32 d, a, 0x7f | and.b32 d, a, 0xff | a=0x12345688
and.b32 d, a, 10 | and.b32 d, a, 0x10 | a=0x12345678
and.b32 d, a, 0x80 | and.b32 d, a, 0x80808080 | a=0x9a8b7c6d
add.s32 d, a, -128 | add.s32 d, a, -127 | a=0x1000
bfe.u32 d, a, 8, 8 | bfe.u32 d, a, 8, 7 | a=0x1234d678
bfi.b32 d, a, b, 8, 4 | bfi.b32 d, a, b, 9, 4 | a=0x5 b=0x12345678
sub.u32 d, a, 8 | sub.u32 d, a, 3 | a=0x1000
mad.lo.u32 d, a, 10, b | mad.lo.u32 d, a, 9, b | a=1234567 b=76543
min.s32 d, a, 127 | min.s32 d, a, 128 | a=1000
"""


def slips(table: str = _TABLE) -> list[tuple[str, ...]]:
    lines = table.strip().splitlines()
    return [tuple(part.strip() for part in line.split("|")) for line in lines]


@sampled
@pytest.mark.parametrize(("written", "ran", "given"), slips())
def test_the_planted_mutation_is_the_first_finding(written: str, ran: str, given: str) -> None:
    values = {x: int(y, 0) for x, y in (word.split("=") for word in given.split())}
    values.setdefault("c", 0)
    values = {name: values[name] for name in parse(written).names if name in values}
    read = {name: values[name] for name in parse(ran).names if name in values}
    findings = diagnose(written, values, evaluate(ran, read))
    first = findings[0]
    assert first.ptx == str(parse(ran)), [x.sentence for x in findings[:5]]
    assert {cause.kind for cause in first.causes} <= {"selector", "modifier"}


@pytest.mark.parametrize(("written", "ran", "given"), slips(_LITERALS))
def test_a_changed_literal_is_the_first_finding(written: str, ran: str, given: str) -> None:
    values = {x: int(y, 0) for x, y in (word.split("=") for word in given.split())}
    findings = diagnose(written, values, evaluate(ran, values))
    assert findings[0].ptx == str(parse(ran)), [x.sentence for x in findings[:5]]
    (cause,) = findings[0].causes
    ((_, literal),) = cause.literals
    assert cause.phrase.startswith(f"with `{literal}` rather than `")


def test_two_wrong_literals_are_not_guessed() -> None:
    ran = evaluate("bfe.u32 d, a, 3, 7", {"a": 0x1234D678})
    assert not any(
        sum(bool(cause.literals) for cause in x.causes) > 1
        or (x.causes[1:] and x.causes[0].literals)
        for x in diagnose("bfe.u32 d, a, 8, 8", {"a": 0x1234D678}, ran)
    )


def test_a_literal_in_a_block_is_named_with_its_statement() -> None:
    block = parse_block("and.b32 t, a, 0xff; shl.b32 t, t, 8; or.b32 d, t, b;")
    observed = Observation({"s0.a": 0x1234, "s0.b": 1}, {"s3.d": make_observed(0x6801, 32)})
    (first, *_) = investigate(block, [observed]).explanations
    assert (first.statement, first.ptx) == (2, "shl.b32 t, t, 9;")


def test_a_forgotten_selector_is_explained_with_its_digits() -> None:
    values = {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0}  # bytes added: 80+01 ff+ff 7f+02 01+80
    said = diagnose("vadd4.u32.u32.u32 d, a, b.b4567, c", values, 0x81FE8181)[0].sentence
    assert "with `b`, which is `b.b7654`, rather than `b.b4567`" in said
    assert "the simplest of 8 selectors that fit" in said


def test_no_line_is_reported_twice() -> None:
    values = {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0}
    found = diagnose("vavrg4.s32.s32.s32 d, a, b, c", values, 0x41FF4141)
    lines = [x.ptx for x in found]
    assert "vavrg4.s32.u32.u32 d, a, b, c;" in lines
    assert len(lines) == len(set(lines))


def test_a_misconception_precedes_another_opcode() -> None:
    values = {"a": 0x7FFFFFFF, "b": 1, "c": 1}
    said = [x.sentence for x in diagnose("vadd.s32.s32.s32.sat.add d, a, b, c", values, 0x7FFFFFFF)]
    assert "`.add` clamped" in said[0]
    assert any("with `vsub` rather than `vadd`" in x for x in said)


@pytest.mark.parametrize(
    ("written", "role", "word", "plainness"),
    [
        ("b4567", "b", "b7654", SelectorSimplicity.DEFAULT),
        ("b7654", "b", "b3210", SelectorSimplicity.RENUMBERED),
        ("b0123", "b", "b4567", SelectorSimplicity.RENUMBERED),
        ("b0123", "b", "b3210", SelectorSimplicity.RENUMBERED),
        ("h10", "a", "h30", SelectorSimplicity.ONE_DIGIT),
        ("h10", "a", "h32", SelectorSimplicity.REVERSED),
        ("b3210", "a", "b3200", SelectorSimplicity.ONE_DIGIT),
        ("b3011", "a", "b1103", SelectorSimplicity.REVERSED),
        ("b3011", "a", "b0123", SelectorSimplicity.REVERSED),
        ("b3210", "a", "b0321", SelectorSimplicity.ROTATED),
        ("b3210", "a", "b2222", SelectorSimplicity.REPEATED),
    ],
)
def test_simple_selectors_are_ranked_by_simplicity(
    written: str, role: str, word: str, plainness: SelectorSimplicity
) -> None:
    found = iter_simple_selectors(parse_selector(written).lanes, role)
    assert found[parse_selector(word).lanes] is plainness
    assert [*found.values()] == sorted(found.values())
    assert parse_selector(written).lanes not in found


@pytest.mark.parametrize(
    ("line", "a", "got", "told"),
    [
        # bit 16 is the highest 1: 15 zeros are above it
        ("clz.b32 d, a", 0x00010000, 16, "bfind.u32 d, a;"),
        ("clz.b64 d, a", 0x00010000, 16, "bfind.u64 d, a;"),
        ("bfe.u32 d, a, 4, 8", 0x12345678, 0x45, "bfe.u32 d, a, 12, 8;"),
        ("bfe.s32 d, a, 8, 8", 0x1234F678, 0xFFFFFFCF, "bfe.s32 d, a, 3, 8;"),
    ],
)
def test_the_highest_bit_and_a_field_have_simple_sentences(
    line: str, a: int, got: int, told: str
) -> None:
    assert diagnose(line, {"a": a}, got)[0].ptx == told


def test_digits_of_a_selector_inside_a_block_may_be_exchanged() -> None:
    ins = parse("prmt.b32 d, a, b, 0x5410")
    literals = {x.literals[0][1].bits for x in iter_digit_changes(ins)}
    assert {0x4510, 0x1450, 0x0415, 0x5140, 0x5014, 0x5401, 0x0145} <= literals
    assert 0x5410 not in literals
