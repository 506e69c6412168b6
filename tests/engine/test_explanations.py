"""What people do wrong: the cause that they would name stands first, or among the first."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import diagnose, evaluate, parse, parse_block
from ptxscope.diagnosis.causes import CauseKind
from ptxscope.diagnosis.explanations import Explanation, investigate
from ptxscope.diagnosis.form_causes import find_confusable_opcodes
from ptxscope.diagnosis.line_changes import iter_digit_changes
from ptxscope.diagnosis.observation import Observation, Observed, make_observed
from ptxscope.engine.isa.catalog import CATALOG, list_shapes, pick_form
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.engine.syntax.instruction import Immediate, Instruction
from tests.reference_data import read_lines
from tests.reference_integers import compute
from tests.strategies import INSTRUCTIONS, SOURCE_ROLES, bits, instruction_of
from tests.tiers import examples, whole


def read_values(text: str) -> dict[str, int]:
    """The operands of ``a=5 b=-1``."""
    pairs = (word.split("=") for word in text.split())
    return {name: int(value, 0) for name, value in pairs}


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


@pytest.mark.parametrize(
    ("written", "given_", "got", "meant", "place"),
    [
        *(pytest.param(*x, marks=whole) for x in read_lines("explain/scenarios.txt", 5)),
        *read_lines("explain/causes.txt", 5),
    ],
)
def test_the_cause_that_was_meant_is_among_the_first(
    written: str, given_: str, got: str, meant: str, place: str
) -> None:
    (role,) = parse(written).results
    observed = int(got, 0) & (1 << parse(written).type_of(role).bits) - 1
    findings = diagnose(written, read_values(given_), observed)
    assert findings[0].kind is not CauseKind.DOCUMENTED
    for finding in findings:
        assert finding.get_result() == {role: observed}, finding.sentence
    first = findings[: None if place == "-" else int(place)]
    if meant.startswith('"'):
        said = [x.sentence for x in first if len(x.causes) == 1]
        assert any(meant.strip('"') in x for x in said), [x.sentence for x in findings[:5]]
    else:
        line = meant if " " in meant else f"{meant} {written.partition(' ')[2]}"
        lines = [x.ptx for x in first if x.model.name == "isa"]
        assert f"{line};" in lines, [x.sentence for x in findings[:5]]


def shows_all(opcode: str, values: dict[str, int]) -> bool:
    """Whether every triple of bits stands somewhere in the operands of a truth table."""
    if opcode != "lop3":
        return True
    words = (values["a"], values["b"], values.get("c", 0x000F000F))
    return len({tuple(x >> i & 1 for x in words) for i in range(32)}) == 8


def compute_line(line: str, values: dict[str, int]) -> int:
    mnemonic, _, operands = line.partition(" ")
    bits = [values[x] if x in values else int(x, 0) for x in operands.split(", ")[1:]]
    return compute(mnemonic, *bits)[0]


def draw(written: str, ran: str) -> dict[str, int]:
    """Operands, small where they are positions, with which both lines differ."""
    ins, rng = parse(written), Random(written + ran)
    for _ in range(200):
        values = {}
        for operand in ins.inputs:
            (role, *_), bits = operand.roles, operand.type.bits
            is_small = ins.entry.get_operand(role).literal_range is not None or (
                (ins.opcode, role) in (("shf", "c"), ("szext", "b"), ("bmsk", "a"), ("bmsk", "b"),
                                       ("fns", "b"))
            )  # fmt: skip
            values[operand.name] = rng.randrange(1, 24) if is_small else rng.getrandbits(bits)
            if ins.opcode in ("bfind", "clz", "popc"):
                values[operand.name] |= 1 << bits - 1
            if ins.opcode == "prmt" and role == "c":
                values[operand.name] = 0x3210 if ins.form.permute_mode is None else 1
        is_different = compute_line(written, values) != compute_line(ran, values)
        if is_different and shows_all(ins.opcode, values):
            return values
    raise AssertionError(f"{written} and {ran} give the same")


@pytest.mark.parametrize(("written", "ran", "place"), read_lines("explain/integer_changes.txt", 3))
@whole
def test_a_change_of_an_integer_instruction_is_explained(
    written: str, ran: str, place: str
) -> None:
    """The result is that of `tests/reference_integers.py`; another cause may give the same."""
    values = draw(written, ran)
    found = diagnose(written, values, compute_line(ran, values))
    assert str(parse(ran)) in [x.ptx for x in found[: int(place)]], [x.sentence for x in found[:4]]


def test_a_literal_keeps_the_shape() -> None:
    found = diagnose("min.s32 d, a, 0x20001", {"a": 0x18000}, 0x10001)
    assert all("x2" not in x.ptx for x in found)


def test_several_observations_have_one_table() -> None:
    rows = [{"a": 1, "b": 1, "c": 0}, {"a": 2, "b": 0, "c": 3}, {"a": 0, "b": 4, "c": 4}]
    seen = [compute("lop3.b32", *row.values(), 0x9A)[0] for row in rows]
    found = diagnose("lop3.b32 d, a, b, c, 0x96", rows, seen)
    assert any("with the table" in x.sentence for x in found)
    for x in found:
        assert [x.get_result(i)["d"] for i in range(3)] == seen
    assert not diagnose("lop3.b32 d, a, b, c, 0x96", [rows[0], rows[0]], [1, 2])


def test_two_wrong_literals_are_not_guessed() -> None:
    ran = evaluate("bfe.u32 d, a, 3, 7", {"a": 0x1234D678})
    for finding in diagnose("bfe.u32 d, a, 8, 8", {"a": 0x1234D678}, ran):
        assert len(finding.causes) == 1 or not any(x.literals for x in finding.causes)


def test_a_literal_in_a_block_is_named_with_its_statement() -> None:
    block = parse_block("and.b32 t, a, 0xff; shl.b32 t, t, 8; or.b32 d, t, b;")
    observed = Observation({"s0.a": 0x1234, "s0.b": 1}, {"s3.d": make_observed(0x6801, 32)})
    (first, *_) = investigate(block, [observed]).explanations
    assert (first.statement, first.ptx) == (2, "shl.b32 t, t, 9;")


def test_no_line_is_reported_twice() -> None:
    values = {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0}
    lines = [x.ptx for x in diagnose("vavrg4.s32.s32.s32 d, a, b, c", values, 0x41FF4141)]
    assert "vavrg4.s32.u32.u32 d, a, b, c;" in lines
    assert len(lines) == len(set(lines))


def test_a_type_that_a_line_requires_is_not_left_out() -> None:
    zeros = dict.fromkeys("abc", 0)
    for finding in diagnose("cvt.pack.sat.s2.s32.b32 d, a, b, c", zeros, 0):
        assert parse(finding.ptx) == finding.instruction


def test_digits_of_a_selector_inside_a_block_may_be_exchanged() -> None:
    ins = parse("prmt.b32 d, a, b, 0x5410")
    literals = {x.literals[0][1].bits for x in iter_digit_changes(ins)}
    assert {0x4510, 0x1450, 0x0415, 0x5140, 0x5014, 0x5401, 0x0145} <= literals
    assert 0x5410 not in literals


@pytest.mark.parametrize(("got", "count"), [(0x1C, 2), (0x21C, 2), (0x11C, 0)])
def test_storage_in_a_smaller_type_explains_only_values_that_fit(got: int, count: int) -> None:
    values = {"a": 0xF0102030, "b": 0x40501122, "c": 9}  # 0x21c in all
    said = [x.sentence for x in diagnose("vadd4.u32.u32.u32.add d, a, b, c", values, got)]
    kind = "half-word" if got == 0x21C else "byte"
    stored = [x for x in said if "with d stored in" in x]
    assert len(stored) == count
    assert all(f"stored in a {kind}" in x or f"a signed {kind}" in x for x in stored)


FOLDED = "as ptxas 11.8 to 13.3 at -O1 and above folds it"
"""A constant c of ``slct`` that ptxas takes for a float: docs/semantics.md, 2.1."""


@pytest.mark.parametrize(
    ("ptx", "values", "got", "why", "written"),
    [
        ("slct.s32.s32 d, a, b, 2142016040;", {"a": 1, "b": 12}, 12,
         "a NaN, which is not >= 0", "slct.s32.f32 d, a, b, 0f7FAC9228;"),
        ("slct.s32.s32 d, 7, 12, 0x80000000;", {}, 7,
         "-0.0, which is >= 0", "slct.s32.f32 d, 7, 12, 0f80000000;"),
    ],
)  # fmt: skip
def test_the_folding_of_slct_is_the_first_explanation(
    ptx: str, values: dict[str, int], got: int, why: str, written: str
) -> None:
    first, *others = diagnose(ptx, values, got)
    assert first.kind is CauseKind.PTXAS
    assert first.sentence.startswith(f"The instruction gives this {FOLDED}")
    assert why in first.sentence
    assert first.ptx == written
    assert first.trace.result == {"d": got}
    assert parse(written) == first.instruction  # it can be traced as it is told
    assert not any(FOLDED in other.sentence for other in others)


@pytest.mark.parametrize(
    "ptx",
    [
        "slct.u32.s32 d, a, b, 2142016040;",  # dtype .s32 alone
        "slct.s32.s32 d, a, b, 5;",  # a float that is >= 0 as the integer is
        "slct.s32.s32 d, a, b, -1;",  # a NaN: false as the integer's comparison is
        "slct.u32.s32 d, a, b, c;",
    ],
)
def test_folding_explains_no_other_form(ptx: str) -> None:
    values = {"a": 1, "b": 12} | ({"c": 2142016040} if ", c;" in ptx else {})
    for got in (1, 12, 99):
        assert not any(FOLDED in x.sentence for x in diagnose(ptx, values, got))


@pytest.mark.parametrize(("c", "got"), [(0x7FC00000, 12), (0x80000000, 1)])
def test_folding_explains_a_register_c_that_may_be_a_constant(c: int, got: int) -> None:
    first, *_ = diagnose("slct.s32.s32 d, a, b, c;", {"a": 1, "b": 12, "c": c}, got)
    assert first.kind is CauseKind.PTXAS
    assert f"{FOLDED} if c is a constant" in first.sentence
    for other in (5, 0xFFFFFFFF):  # the float 0x5 is >= 0, the NaN is not: as the integers
        findings = diagnose("slct.s32.s32 d, a, b, c;", {"a": 1, "b": 12, "c": other}, got)
        assert not any(FOLDED in x.sentence for x in findings)


def test_findings_keep_the_literals_of_the_line() -> None:
    for ptx, got in (("slct.s32.s32 d, 7, 12, 0x80000000", 7), ("set.lt.u32.s32 d, 5, -1", 1)):
        literals = {x.bits for x in parse(ptx).roles.values() if isinstance(x, Immediate)}
        for finding in diagnose(ptx, {}, got):
            roles = finding.instruction.roles
            written = {role: x.bits for role, x in roles.items() if isinstance(x, Immediate)}
            if not any(cause.literals for cause in finding.causes):
                assert {*written.values()} == literals
            assert finding.operands[0] == written, finding.sentence
            assert "=" not in finding.sentence.replace(">=", ""), finding.sentence


def test_every_confusable_opcode_is_a_legal_line_with_the_written_slots() -> None:
    rng = Random(1)
    for opcode in CATALOG:
        for _ in range(20):
            ins = instruction_of(pick_form(opcode, rng))
            for twin in find_confusable_opcodes(ins.form):
                assert twin.opcode != opcode
                slots = {slot.name for x in list_shapes(twin.opcode) for slot in x.slots}
                kept = [n for n in ins.form._fields[1:] if n not in ("c", *twin.slots)]
                assert all(n in slots for n in kept if ins.form.get(n))


def test_lanes_of_another_width_do_not_take_selectors_that_are_written() -> None:
    written = parse("vadd4.u32.u32.u32 d.b10, a.b0123, b, c").form
    opcodes = "vsub4 vavrg4 vabsdiff4 vmin4 vmax4".split()
    assert {x.opcode for x in find_confusable_opcodes(written)} == {*opcodes}
    plain = parse("vadd4.u32.u32.u32 d, a, b, c").form
    assert {"vadd", "vadd2"} < {x.opcode for x in find_confusable_opcodes(plain)}


@st.composite
def questions(
    draw: st.DrawFn,
) -> tuple[Instruction, dict[str, int], dict[str, Observed], str]:
    """A line, values for what it reads and for some of what it does not, a result, its source."""
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
        opcode, seed = draw(st.sampled_from(sorted(CATALOG))), draw(st.integers(0, 99))
        other = instruction_of(pick_form(opcode, Random(seed)))
    if source != "random":
        given_ = {x.name: draw(bits(x.type)) for x in other.inputs}
        asked = {x.name: values.get(x.name, 0) for x in other.inputs}
        if source == "exchanged" and {"a", "b"} <= asked.keys():
            asked["a"], asked["b"] = asked["b"], asked["a"]
        fitting = {x.name: asked[x.name] & (1 << x.type.bits) - 1 for x in other.inputs}
        for name, value in evaluate(other, given_ | fitting).items():
            if name in results:
                got[name] = int(value) & (1 << results[name].bits) - 1
    known = draw(st.just(-1) | st.integers(0, (1 << 64) - 1) | st.sampled_from((1, 0x8181)))
    seen = {}
    for name, type_ in results.items():
        field = known & (1 << type_.bits) - 1 or 1
        seen[name] = Observed(got[name] & field, field)
    return ins, values, seen, source


@given(questions())
@examples(180)
def test_every_explanation_reproduces_what_is_known_of_the_result(
    question: tuple[Instruction, dict[str, int], dict[str, Observed], str],
) -> None:
    ins, values, seen, source = question
    if not ins.results:
        return
    findings = diagnose(ins, values, seen)
    if source == "right":
        assert findings[0].kind is CauseKind.DOCUMENTED
    for finding in findings:
        again = computed(finding)
        assert finding.get_result() == again
        for role, name in ins.results.items():
            assert seen[name].matches(again[role]), finding.sentence
        if not any(cause.reading for cause in finding.causes):
            shown = finding.trace.result
            assert {x: shown[y] for x, y in finding.instruction.results.items()} == again
        assert parse(finding.ptx).form == finding.instruction.form


@given(INSTRUCTIONS)
@examples(40)
def test_diagnose_without_a_value_for_an_operand_is_refused(ins: Instruction) -> None:
    if not ins.results or not ins.inputs:
        return
    with pytest.raises((PtxError, ValueError), match="no value for"):
        diagnose(ins, {}, dict.fromkeys(ins.results.values(), 0))
