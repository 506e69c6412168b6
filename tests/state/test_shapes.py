"""Choices that lead from one shape of an opcode to another."""

from __future__ import annotations

from random import Random

import pytest

from ptxscope import parse
from ptxscope.engine.isa.catalog import (
    CATALOG,
    ENTRIES,
    explain_illegal_choice,
    find_violations,
    get_entry,
    list_shapes,
    list_shared_slots,
    pick_entry_form,
)
from ptxscope.engine.isa.types import BoolOp, Destinations, Selector, Type
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.state.edits import make_instruction, with_choice
from ptxscope.state.setup import evaluate_setup, make_setup
from tests.tiers import ci_only, whole

MOVES = [
    ("set.lt.u32.s32 d, a, b", [("dtype", Type.F16)], "set.lt.f16.s32 d, a, b"),
    ("set.lt.u32.s32 d, a, b", [("stype", Type.F16)], "set.lt.u32.f16 d, a, b"),
    (
        "set.lt.u32.s32 d, a, b",
        [("stype", Type.F16), ("dtype", Type.F16)],
        "set.lt.f16.f16 d, a, b",
    ),
    ("set.lt.u32.s32 d, a, b", [("dtype", Type.BF16X2)], "set.lt.bf16x2.bf16x2 d, a, b"),
    ("set.geu.and.u32.f16x2 d, a, b, !c", [("stype", Type.F64)], "set.geu.and.u32.f64 d, a, b, !c"),
    ("set.lt.f16.s64 d, a, b", [("dtype", Type.U16)], "set.lt.u16.f16 d, a, b"),
    ("set.lo.u32.u32 d, a, b", [("stype", Type.F16X2)], "set.lt.u32.f16x2 d, a, b"),
    ("setp.lt.s32 x|y, a, b", [("stype", Type.F16)], "setp.lt.f16 x, a, b"),
    ("setp.lt.f16x2 x|y, a, b", [("stype", Type.S32)], "setp.lt.s32 x|y, a, b"),
    ("addc.u32 x, y, 5", [("cc", True)], "addc.cc.u32 x, y, 5"),
    ("addc.cc.s64 x, y, z", [("cc", False)], "addc.s64 x, y, z"),
    ("add.s32 x, y, z", [("stype", Type.U8X4)], "add.u8x4 x, y, z"),
    ("add.sat.s32 x, y, 5", [("stype", Type.S8X4)], "add.sat.s8x4 x, y, b"),
    ("add.sat.u16x2 x, y, z", [("stype", Type.U64)], "add.u64 x, y, z"),
    ("add.u8x4 x, y, z", [("cc", True)], "add.cc.u32 x, y, z"),
    ("add.cc.u32 x, y, z", [("stype", Type.U16X2)], "add.u16x2 x, y, z"),
    ("min.s32 d, a, b", [("relu", True), ("stype", Type.S16X2)], "min.relu.s16x2 d, a, b"),
    ("lop3.b32 x, y, z, w, 0x80", [("boolop", BoolOp.AND)], "lop3.and.b32 x|p, y, z, w, 0x80, e"),
    ("lop3.or.b32 x|p, y, z, w, 0x80, !e", [("boolop", None)], "lop3.b32 x, y, z, w, 0x80"),
    ("lop3.or.b32 _|x, a, b, c, 5, e", [("dst", Destinations.D_P)], "lop3.or.b32 d|x, a, b, c,5,e"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "choices", "expected"), MOVES)
def test_a_value_of_another_shape_leads_there_and_keeps_what_fits(
    line: str, choices: list[tuple[str, object]], expected: str
) -> None:
    setup = make_setup(parse(line), {"a": 3, "b": 4, "y": 6, "z": 7, "w": 8})
    for slot, value in choices:
        setup = with_choice(setup, slot, value)
    assert setup.instruction == parse(expected)


@pytest.mark.parametrize(
    ("line", "choice", "expected", "value"),
    [
        ("setp.lt.s32 p, x, 2", ("stype", Type.F32), "setp.lt.f32 p, x, b", 0x40000000),
        ("setp.lt.s32 p, b, -2", ("stype", Type.F64), "setp.lt.f64 p, b, b1", 0xC0 << 56),
        ("setp.lt.f32 p, x, 0f3F800000", ("stype", Type.U16), "setp.lt.u16 p, x, b", 0),
        ("mov.b32 x, 1", ("stype", Type.F32), "mov.f32 x, a", 0x3F800000),
        ("vset.s32.u32.lt x, y, 7", ("bsel", Selector(8, (0,))), "vset.s32.u32.lt x, y, b.b0", 7),
    ],
)
def test_a_register_replaces_a_literal_that_does_not_fit(
    line: str, choice: tuple[str, object], expected: str, value: int
) -> None:
    setup = with_choice(make_setup(parse(line), {}), *choice)
    assert setup.instruction == parse(expected)
    assert setup.values[setup.instruction.sources[-1].name[0]] == value  # type: ignore[union-attr]


@pytest.mark.parametrize("literal", ["2", "0f3F800000"])
@pytest.mark.parametrize("opcode", CATALOG)
@whole
def test_every_legal_choice_can_be_made_beside_a_literal(opcode: str, literal: str) -> None:
    for shape in list_shapes(opcode):
        head, _, operands = shape.example[0].partition(" ")
        *others, _ = operands.split(",")
        try:
            setup = make_setup(parse(f"{head} {','.join([*others, literal])}"), {})
        except PtxError:
            continue  # it takes no such literal
        form = setup.instruction.form
        for slot in list_shared_slots(shape):
            for value in slot.iter_choices():
                if not explain_illegal_choice(form, slot.name, value):
                    changed = with_choice(setup, slot.name, value)
                    assert changed.instruction.form.get(slot.name) == value


def test_values_stay_unless_they_are_an_example_or_no_longer_fit() -> None:
    setup = make_setup(parse("add.s32 d, a, b"), {"a": 0x01020304, "b": 9})
    assert with_choice(setup, "stype", Type.U8X4).values == {"a": 0x01020304, "b": 9}
    setup = make_setup(parse("set.lt.u32.s32 d, a, b"), {"a": 7, "b": 9})
    halves = with_choice(setup, "stype", Type.F16)
    assert halves.values == {"a": 0x3C00, "b": 0x4000}  # 1.0 and 2.0
    ptx, values = list_shapes("add")[0].example
    packed = with_choice(make_setup(parse(ptx), values), "stype", Type.U8X4)
    assert packed.values == {"a": 0x7F80FF01, "b": 0x01FF0101}


def test_an_opcode_of_one_shape_has_its_own_slots() -> None:
    """To look for others would list the 4,096 selectors of vset4 before the first paint."""
    for entry in ENTRIES:
        assert (list_shared_slots(entry) is entry.slots) == (len(list_shapes(entry.opcode)) == 1)


@ci_only
def test_every_value_that_is_shown_is_refused_with_a_reason_or_taken() -> None:
    rng = Random(25)
    for entry in ENTRIES:
        for _ in range(2):
            form = pick_entry_form(entry, rng)
            setup = make_setup(make_instruction(form, (), {}, None), {})
            for slot in list_shared_slots(entry):
                if slot.name == "c":
                    continue
                for value in list(slot.iter_choices())[:40]:
                    if explain_illegal_choice(form, slot.name, value) is not None:
                        continue
                    new_form = with_choice(setup, slot.name, value).instruction.form
                    assert new_form.get(slot.name) == value
                    assert not find_violations(new_form)
                    assert parse(str(make_instruction(new_form, (), {}, None))).form == new_form


@ci_only
def test_every_shape_is_reached_from_every_other() -> None:
    for entry in ENTRIES:
        ptx, values = entry.example
        setup = make_setup(parse(ptx), values)
        reached = {entry}
        for slot in list_shared_slots(entry):
            for value in list(slot.iter_choices())[:40]:
                if explain_illegal_choice(setup.instruction.form, slot.name, value) is None:
                    changed = with_choice(setup, slot.name, value)
                    reached.add(get_entry(changed.instruction.form))
                    assert evaluate_setup(changed).steps
        assert reached == set(list_shapes(entry.opcode))
