"""What people do wrong: the cause they would name stands first, or among the first three."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import diagnose, evaluate, parse
from ptxscope.diagnosis.causes import CauseKind
from ptxscope.diagnosis.explanations import Explanation
from ptxscope.diagnosis.form_causes import find_confusable_opcodes
from ptxscope.engine.isa.catalog import CATALOG, list_shapes, pick_form
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.engine.syntax.instruction import Instruction
from tests.strategies import INSTRUCTIONS, SOURCE_ROLES, bits, instruction_of
from tests.tiers import examples, sampled

# what was written | values | what came out | what was meant, where its operands are the same
# without them | its place at most; the third column is arithmetic by hand, lane by lane
_TABLE = """
vmin4.s32.s32.s32 d, a, b, c | a=0x1820304 b=0x4030281 c=0 | 0x4030304 | vmax4.s32.s32.s32 | 1
vmax4.u32.u32.u32 d, a, b, c | a=0x1020304 b=0x4030201 | 0x1020201 | vmin4.u32.u32.u32 | 1
vsub4.s32.s32.s32 d, a, b, c | a=0x1020304 b=0x4030201 c=0 | 0x5050505 | vadd4.s32.s32.s32 | 1
vadd4.u32.u32.u32 d, a, b, c | a=0x10203040 b=0x1020304 | 0xf1e2d3c | vsub4.u32.u32.u32 | 1
vsub4.s32.s32.s32 d, a, b, c| a=0x1020304 b=0x4030201| 0x301fffd| vsub4.s32.s32.s32 d, b, a, c| 1
vadd2.u32.u32.u32 d, a, b, c | a=0x100020 b=0x20004 | 0x90012 | vavrg2.u32.u32.u32 | 1
vavrg4.u32.u32.u32 d, a, b, c | a=0x10203040 b=0x2040608 | 0x12243648 | vadd4.u32.u32.u32 | 1
vsub.s32.s32.s32 d, a, b | a=3 b=10 | 13 | vadd.s32.s32.s32 | 1
vmin.s32.s32.s32 d, a, b | a=3 b=10 | 10 | vmax.s32.s32.s32 | 1
vshl.u32.u32.u32.clamp d, a, b | a=0x1230 b=4 | 0x123 | vshr.u32.u32.u32.clamp | 1
vshr.u32.u32.u32.wrap d, a, b | a=0x1230 b=4 | 0x12300 | vshl.u32.u32.u32.wrap | 1
vsub4.u32.u32.u32 d, a, b, c | a=0x1200340 b=0x10023004 | 0xf1e2d3c | vabsdiff4.u32.u32.u32 | 1
vabsdiff4.u32.u32.u32 d, a, b, c | a=0x1200340 b=0x10023004 | 0xf11ed33c | vsub4.u32.u32.u32 | 1
vabsdiff2.s32.s32.s32.add d, a, b, c | a=0x10002 b=0x50001 c=100 | 97 | vsub2.s32.s32.s32.add | 1
vadd4.u32.u32.u32 d, a, b, c | a=0xff00ff b=0x10001 | 0x1000100 | vadd2.u32.u32.u32 | 2
vadd2.u32.u32.u32 d, a, b, c | a=0xff00ff b=0x10001 | 0 | vadd4.u32.u32.u32 | 1
vmin.u32.u32.u32 d, a, b | a=0x27a2c65c b=0x328073a9 | 0x2780735c | vmin4.u32.u32.u32 d, a, b, b | 1
vmin4.s32.s32.s32 d, a, b, c | a=0x1820304 b=0x4030281 | 0x1030204 | vmin4.u32.u32.u32 | 1
vset4.s32.s32.lt d, a, b, c | a=0x80ff7f01 b=0x1020304 c=0 | 0x1 | vset4.u32.u32.lt | 1
vset.s32.s32.lt d, a, b | a=-1 b=1 | 0 | vset.u32.u32.lt | 1
setp.lt.s32 p, a, b | a=-1 b=1 | 0 | setp.lt.u32 | 1
setp.ne.f32 p, a, b | a=0x7fc00000 b=0x3f800000 | 1 | setp.neu.f32 | 1
setp.ltu.f64 p, a, b | a=0x7ff8000000000000 b=0 | 0 | setp.lt.f64 | 1
set.ge.u32.f32 d, a, b | a=0 b=0x7fc00000 | 0xffffffff | set.geu.u32.f32 | 1
set.lt.u32.s32 d, a, b | a=1 b=2 | 1 | vset.s32.s32.lt | 3
vset.s32.s32.lt d, a, b | a=1 b=2 | 0xffffffff | set.lt.u32.s32 | 3
vadd4.s32.s32.s32 d, a, b, c | a=0x7f7f0102 b=0x1020304 | 0x7f7f0406 | vadd4.s32.s32.s32.sat | 1
vadd.s32.s32.s32.sat d, a, b | a=0x7fffffff b=1 | 0x80000000 | vadd.s32.s32.s32 | 2
vadd4.u32.u32.u32 d.b10, a, b, c| a=0x20003 b=0x10001 c=0| 0x30004| vadd4.u32.u32.u32 d, a, b, c| 2
vadd4.u32.u32.u32 d, a, b, c | a=0x1020304 b=0x10203040 c=5 | 0xaf | vadd4.u32.u32.u32.add | 1
vadd.u32.u32.u32 d, a.b0, b.b0 | a=0x12345678 b=1 | 0x57 | vadd.u32.u32.u32 d, a.b1, b.b0 | 1
vshl.u32.u32.u32.clamp d, a, b | a=3 b=33 | 6 | vshl.u32.u32.u32.wrap | 1
selp.b32 d, a, b, c | a=1 b=2 c=1 | 2 | selp.b32 d, b, a, c | 2
setp.lt.s32 p, a, b | a=1 b=2 | 0 | setp.gt.s32 | 3
"""


def scenarios() -> list[tuple[str, dict[str, int], int, str, int]]:
    found = []
    for line in _TABLE.strip().splitlines():
        written, given_, got, meant, place = (part.strip() for part in line.split("|"))
        meant = meant if " " in meant else f"{meant} {written.partition(' ')[2]}"
        values = dict(word.split("=") for word in given_.split())
        bits_ = {name: int(value, 0) for name, value in values.items()}
        found.append((written, bits_, int(got, 0), f"{meant};", int(place)))
    return found


def computed(finding: Explanation) -> dict[str, int]:
    """What a finding's line gives for its operands, run again and read as it says."""
    ins, operands = finding.instruction, finding.operands[finding.shown_index]
    values = {x.name: operands[x.roles[0]] for x in ins.inputs}
    names = {name: role for role, name in ins.results.items()}
    found: dict[str, int] = {
        names[name]: int(value)
        for name, value in evaluate(ins, values, model=finding.model).items()
    }
    for cause in finding.causes:
        if cause.reading:
            found = dict(cause.reading(found))
    return found


@sampled
@pytest.mark.parametrize(("written", "values", "got", "meant", "place"), scenarios())
def test_what_was_meant_is_among_the_first(
    written: str, values: dict[str, int], got: int, meant: str, place: int
) -> None:
    findings = diagnose(written, values, got)
    assert meant in [x.ptx for x in findings if x.model.name == "isa"]
    assert meant in [x.ptx for x in findings[:place]], [x.sentence for x in findings[:5]]


def test_another_opcode_is_told_of_in_words_and_as_a_kind() -> None:
    values = {"a": 0x01820304, "b": 0x04030281, "c": 0}
    first = diagnose("vmin4.s32.s32.s32 d, a, b, c", values, 0x04030304)[0]
    assert first.kind is CauseKind.OPCODE
    assert "with `vmax4` rather than `vmin4`" in first.sentence


def test_selectors_of_which_hundreds_fit_stand_behind_every_plain_cause() -> None:
    values = {"a": 0x80FF7F01, "b": 0x01020304, "c": 0}
    findings = diagnose("vset4.s32.s32.lt d, a, b, c", values, 1)
    alone = [x for x in findings if len(x.causes) == 1]
    many = [i for i, x in enumerate(alone) if x.matches and x.matches.match_count >= 100]
    assert many
    plain = [i for i, x in enumerate(alone) if not x.matches]
    assert max(plain) < min(many)
    matches = alone[many[0]].matches
    assert matches is not None
    assert f"the simplest of {matches.match_count:,} selectors that fit" in alone[many[0]].sentence


def test_unsigned_throughout_precedes_exchanged_and_greater() -> None:
    values = {"a": 0xFF, "b": 0x01, "c": 0}  # -1 < 1, but not 255 < 1
    said = [x.sentence for x in diagnose("vset4.s32.s32.lt d, a, b, c", values, 0)]
    at = [
        next(i for i, text in enumerate(said) if part in text)
        for part in ("every type `.u32`", "`.gt` rather", "a and b exchanged")
    ]
    assert at[0] == 0
    assert at[1] > 0 < at[2]


def test_every_twin_is_a_legal_line_that_takes_what_is_written() -> None:
    rng = Random(1)
    for opcode in CATALOG:
        for _ in range(20):
            ins = instruction_of(pick_form(opcode, rng))
            for twin in find_confusable_opcodes(ins.form):
                assert twin.opcode != opcode
                entries = list_shapes(twin.opcode)
                slots = {slot.name for entry in entries for slot in entry.slots}
                kept = [n for n in ins.form._fields[1:] if n not in ("c", *twin.slots)]
                assert all(n in slots for n in kept if ins.form.get(n))


def test_lanes_of_another_width_do_not_take_selectors_that_are_written() -> None:
    written = parse("vadd4.u32.u32.u32 d.b10, a.b0123, b, c").form
    assert {x.opcode for x in find_confusable_opcodes(written)} == {
        "vsub4",
        "vavrg4",
        "vabsdiff4",
        "vmin4",
        "vmax4",
    }
    plain = parse("vadd4.u32.u32.u32 d, a, b, c").form
    assert {"vadd", "vadd2"} < {x.opcode for x in find_confusable_opcodes(plain)}


def test_literals_are_not_given_to_an_opcode_that_takes_none() -> None:
    for ptx in ("vadd.u32.u32.u32 d, a, 0x00010001", "vsub.s32.s32.s32 d, a.b0, 1"):
        for got in (0x00FF0100, 0xFFFFFF02, 0xFF, 2):
            for finding in diagnose(ptx, {"a": 0x00FF00FF}, got):
                assert parse(finding.ptx).form == finding.instruction.form


def test_c_that_is_not_read_may_be_left_out() -> None:
    """`explain` of a SIMD line whose c is written, not read and not given."""
    findings = diagnose(
        "vsub4.s32.s32.s32 d, a, b, c", {"a": 0x01020304, "b": 0x04030201}, 0x0301FFFD
    )
    assert findings[0].ptx == "vsub4.s32.s32.s32 d, b, a, c;"
    assert computed(findings[0]) == {"d": 0x0301FFFD}


@st.composite
def _asked(draw: st.DrawFn) -> tuple[Instruction, dict[str, int], dict[str, int]]:
    """A line, values for what it reads and for some of what it does not, and a result."""
    ins = draw(INSTRUCTIONS)
    read = {x.name for x in ins.inputs}
    values = {
        name: draw(bits(ins.type_of(role)))
        for role, name in ins.names.items()
        if role in SOURCE_ROLES and (name in read or draw(st.booleans()))
    }
    results = {name: ins.type_of(role) for role, name in ins.results.items()}
    source = draw(st.sampled_from(("right", "another form", "exchanged", "random")))
    got = {name: draw(bits(type_)) for name, type_ in results.items()}
    other = ins
    if source == "another form":
        other = instruction_of(
            pick_form(draw(st.sampled_from(sorted(CATALOG))), Random(draw(st.integers(0, 99))))
        )
    if source != "random":
        given_ = {x.name: draw(bits(x.type)) for x in other.inputs}
        asked = {x.name: values.get(x.name, 0) for x in other.inputs}
        if source == "exchanged" and {"a", "b"} <= asked.keys():
            asked["a"], asked["b"] = asked["b"], asked["a"]
        fitting = {x.name: asked[x.name] & (1 << x.type.bits) - 1 for x in other.inputs}
        for name, value in evaluate(other, given_ | fitting).items():
            if name in results:
                got[name] = int(value) & (1 << results[name].bits) - 1
    return ins, values, got


@given(_asked())
@examples(60)
def test_any_question_has_findings_or_none(
    asked: tuple[Instruction, dict[str, int], dict[str, int]],
) -> None:
    ins, values, got = asked
    if not ins.results:
        return
    for finding in diagnose(ins, values, got):
        again = computed(finding)
        assert {name: again[role] for role, name in ins.results.items()} == got, finding.sentence
        assert parse(finding.ptx).form == finding.instruction.form


@given(INSTRUCTIONS)
@examples(40)
def test_an_operand_that_is_read_and_missing_is_named(ins: Instruction) -> None:
    if not ins.results or not ins.inputs:
        return
    with pytest.raises((PtxError, ValueError), match="no value for"):
        diagnose(ins, {}, dict.fromkeys(ins.results.values(), 0))
