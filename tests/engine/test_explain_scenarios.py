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
from tests.reference_data import read_lines
from tests.strategies import INSTRUCTIONS, SOURCE_ROLES, bits, instruction_of
from tests.tiers import examples, sampled


def scenarios() -> list[tuple[str, dict[str, int], int, str, int]]:
    found = []
    for written, given_, got, meant, place in read_lines("explain/scenarios.txt", 5):
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
def test_the_intended_line_is_among_the_first_findings(
    written: str, values: dict[str, int], got: int, meant: str, place: int
) -> None:
    findings = diagnose(written, values, got)
    assert meant in [x.ptx for x in findings if x.model.name == "isa"]
    assert meant in [x.ptx for x in findings[:place]], [x.sentence for x in findings[:5]]


def test_a_wrong_opcode_is_explained_by_sentence_and_kind() -> None:
    values = {"a": 0x01820304, "b": 0x04030281, "c": 0}
    first = diagnose("vmin4.s32.s32.s32 d, a, b, c", values, 0x04030304)[0]
    assert first.kind is CauseKind.OPCODE
    assert "with `vmax4` rather than `vmin4`" in first.sentence


def test_ambiguous_selectors_rank_behind_every_simple_cause() -> None:
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


def test_every_confusable_opcode_is_a_legal_line_with_the_written_slots() -> None:
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


def test_no_finding_gives_a_literal_to_an_opcode_without_literals() -> None:
    for ptx in ("vadd.u32.u32.u32 d, a, 0x00010001", "vsub.s32.s32.s32 d, a.b0, 1"):
        for got in (0x00FF0100, 0xFFFFFF02, 0xFF, 2):
            for finding in diagnose(ptx, {"a": 0x00FF00FF}, got):
                assert parse(finding.ptx).form == finding.instruction.form


def test_an_unread_c_needs_no_value() -> None:
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
def test_findings_on_random_questions_reproduce_the_result(
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
def test_diagnose_without_a_value_for_an_operand_is_refused(ins: Instruction) -> None:
    if not ins.results or not ins.inputs:
        return
    with pytest.raises((PtxError, ValueError), match="no value for"):
        diagnose(ins, {}, dict.fromkeys(ins.results.values(), 0))
