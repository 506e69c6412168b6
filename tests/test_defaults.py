"""Values that nobody chose: kept bits of c look like c's, never like a result."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ptxscope import parse
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.types import SecOp, parse_selector
from ptxscope.state.edits import with_choice, with_instruction, with_line, with_opcode, with_value
from ptxscope.state.setup import Setup, evaluate_setup, make_example, make_setup

MASKED = "vadd4.u32.u32.u32 d.b310, a, b, c"


def make_bare(opcode: str, slot: str) -> Setup:
    """An example without a secondary operation and what the slot holds."""
    return with_choice(with_choice(make_example(opcode), "secop", None), slot, None)


def c_of(setup: Setup) -> int:
    return evaluate_setup(setup).operands["c"]


@pytest.mark.parametrize("opcode", CATALOG)
def test_examples_show_every_kept_byte_of_c(opcode: str) -> None:
    ptx, values = CATALOG[opcode].example
    form = parse(ptx).form
    if form.secop is None and (form.mask or form.dsel):
        assert values["c"] in (0xCCCCCCCC, 0x11223344)
    elif "c" in values:
        assert "c" in [x.name for x in parse(ptx).inputs]  # it is read
        assert values["c"] != 0


@pytest.mark.parametrize("opcode", [x for x in CATALOG if CATALOG[x].find_slot("mask")])
def test_adding_a_mask_to_an_example_shows_c(opcode: str) -> None:
    entry = CATALOG[opcode]
    mask = parse_selector("b0" if entry.lanes == 4 else "h0")
    setup = with_choice(make_bare(opcode, "mask"), "mask", mask)
    unit = 32 // entry.lanes
    c = c_of(setup)
    assert all(c >> unit * lane & (1 << unit) - 1 for lane in range(entry.lanes))
    assert evaluate_setup(setup).result["d"] >> unit == c >> unit


@pytest.mark.parametrize("opcode", [x for x in CATALOG if CATALOG[x].find_slot("dsel")])
def test_adding_a_selector_of_d_to_an_example_shows_c(opcode: str) -> None:
    setup = with_choice(make_bare(opcode, "dsel"), "dsel", parse_selector("b2"))
    assert c_of(setup) in (0xCCCCCCCC, 0x11223344)


def test_an_added_operand_without_a_value_is_0() -> None:
    bare = make_setup(parse("vadd.u32.u32.u32 d, a, b"), {"a": 1, "b": 2})
    assert c_of(with_choice(bare, "secop", SecOp.ADD)) == 0
    assert (
        evaluate_setup(make_setup(parse("vadd4.u32.u32.u32.add d, a, b, c"), {})).result["d"] == 0
    )
    assert evaluate_setup(make_setup(parse("set.lt.and.u32.s32 d, a, b, c"), {})).operands["c"] == 0
    assert evaluate_setup(
        make_setup(parse("vmad.u32.u32.u32 d, a, b, c"), {"a": 2, "b": 3})
    ).result == {"d": 6}


@pytest.mark.parametrize("c", [0, 1, 0xFFFFFFFF])
def test_a_value_that_the_user_typed_is_kept(c: int) -> None:
    assert c_of(make_setup(parse(MASKED), {"c": c})) == c
    setup = with_value(make_setup(parse(MASKED), {"a": 1}), "c", c)
    assert c_of(setup) == c
    assert c_of(with_choice(setup, "mask", parse_selector("b2"))) == c
    assert c_of(with_line(setup, MASKED.replace("b310", "b1"))) == c


def test_a_typed_value_of_c_is_kept_when_a_mask_is_added_and_removed() -> None:
    setup = with_value(make_setup(parse(MASKED), {}), "c", 0xDEADBEEF)
    for mask in (None, parse_selector("b20")):
        setup = with_choice(setup, "mask", mask)
    assert c_of(setup) == 0xDEADBEEF


def test_the_addend_of_an_example_is_replaced_where_a_mask_keeps_c() -> None:
    touched = with_value(make_example("vset4"), "a", 1)
    setup = with_opcode(touched, "vavrg4")
    assert setup.instruction.form.secop is SecOp.ADD
    assert c_of(setup) == 5
    setup = with_choice(with_choice(setup, "secop", None), "mask", parse_selector("b310"))
    assert c_of(setup) == 0xCCCCCCCC


def test_an_unedited_example_is_replaced_by_the_next_one() -> None:
    fresh = with_opcode(replace(make_example("vset4"), model="ptxas-13.0"), "vavrg4")
    assert fresh == replace(make_example("vavrg4"), model="ptxas-13.0")
    kept = with_opcode(with_value(make_example("vset4"), "a", 1), "vavrg4")
    assert kept.values["a"] == 1


def test_a_masked_line_without_a_value_of_c_shows_c_if_made_typed_or_pasted() -> None:
    before = with_opcode(make_example("vset4"), "vadd4")
    assert c_of(make_setup(parse(MASKED), {"a": 1, "b": 2})) == 0xCCCCCCCC
    assert c_of(with_line(before, MASKED)) == 0xCCCCCCCC
    assert c_of(with_instruction(before, parse(MASKED))) == 0xCCCCCCCC


def test_a_register_of_a_listing_is_0_and_one_that_is_also_an_operand_has_its_value() -> None:
    assert c_of(replace(make_setup(parse(MASKED), {}), place=(0, 0))) == 0
    setup = make_setup(parse("vadd4.u32.u32.u32 d.b310, x, y, x"), {"x": 0x01020304, "y": 0})
    assert c_of(setup) == 0x01020304


GROUP = ("set", "setp", "selp", "slct")


@pytest.mark.parametrize("before", GROUP)
@pytest.mark.parametrize("after", GROUP)
def test_a_destination_keeps_its_name_if_its_type_has_the_same_kind(
    before: str, after: str
) -> None:
    """A predicate is not called d, nor a word p."""
    setup = with_opcode(with_value(make_example(before), "b", 7), after)
    named = setup.instruction.destinations
    assert named == (("p", "q") if after == "setp" else ("d",))


def test_a_typed_register_name_is_kept_for_an_operand_of_the_same_kind() -> None:
    setup = make_setup(parse("set.lt.u32.s32 %r9, %r1, %r2"), {"%r1": 1, "%r2": 2})
    setup = with_opcode(setup, "selp")
    assert setup.line == "selp.s32 %r9, %r1, %r2, c;"
    assert with_opcode(setup, "setp").instruction.destinations == ("p", "q")


@pytest.mark.parametrize(
    ("line", "opcode", "expected"),
    [
        # b was chosen and means the same; a predicate becomes a number, and the other way round
        ("set.lt.and.u32.s32 d, a, b, c", "selp", {"a": 5, "b": 7, "c": 1}),
        ("slct.u32.f32 d, a, b, c", "selp", {"a": 5, "b": 7, "c": 1}),
        ("slct.u32.s32 d, a, b, c", "set", {"a": 5, "b": 7}),
        ("selp.b32 d, a, b, c", "slct", {"a": 5, "b": 7, "c": 0x80000000}),
        # integers become floats: 1.0 and 2.0, as slct's example has 1 and 2
        ("set.lt.f32.s32 d, a, b", "slct", {"a": 0x3F800000, "b": 0x40000000, "c": 0x80000000}),
        # integers become setp's example: NaN and 0.0
        ("selp.b32 d, a, b, c", "setp", {"a": 0x7FC00000, "b": 0}),
        # set's example: -1 < 1
        ("slct.f32.s32 d, a, b, c", "set", {"a": 0xFFFFFFFF, "b": 1}),
    ],
)
def test_an_operand_of_another_kind_takes_the_value_of_the_example(
    line: str, opcode: str, expected: dict[str, int]
) -> None:
    setup = with_opcode(make_setup(parse(line), {"a": 5, "b": 7, "c": 1}), opcode)
    operands = evaluate_setup(setup).operands
    assert {role: operands[role] for role in expected} == expected


def test_an_operand_without_a_value_takes_the_value_of_the_example() -> None:
    setup = with_opcode(make_setup(parse("setp.lt.u32 p, a, b"), {}), "selp")
    operands = evaluate_setup(setup).operands
    assert [operands[role] for role in "abc"] == [0x11111111, 0x22222222, 1]
    wide = make_setup(parse("setp.lt.f64 p, a, b"), {"a": 0x3FF0000000000000, "b": 0})
    narrow = evaluate_setup(with_opcode(wide, "slct")).operands
    assert (narrow["a"], narrow["b"]) == (1, 2)


def test_a_register_of_the_wrong_kind_is_replaced_by_that_of_the_example() -> None:
    """c guards as a predicate, and slct reads it as a number."""
    setup = make_setup(parse("@c set.lt.u32.s32 d, a, b"), {"a": 1, "b": 2})
    assert with_opcode(setup, "slct") == make_example("slct")
