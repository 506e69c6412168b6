"""The scene of a form has nothing of any value; two answers are paired by arithmetic."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import parse, trace
from ptxscope.engine.isa.catalog import CATALOG, pick_form
from ptxscope.engine.isa.types import Type
from ptxscope.engine.semantics.models import ISA_MODEL
from ptxscope.engine.syntax.instruction import Instruction
from ptxscope.engine.tracing.deviation import (
    Deviation,
    find_deviation,
    find_deviations,
    has_one_answer,
)
from ptxscope.engine.tracing.trace import make_trace
from ptxscope.scene.row_pairs import find_differing_bits, iter_pairs, mark_differences
from ptxscope.scene.scene_builder import build_scene
from ptxscope.scene.scene_model import LaneRef, NumberLine, RunningSum, Scene, SpanKind
from ptxscope.scene.symbolic_scene import (
    build_form_scene,
    make_placeholder_trace,
)
from tests.strategies import instruction_of
from tests.tiers import examples, sampled, thorough


def forms(opcode: str, count: int) -> list[Instruction]:
    """The example's form, and some that are drawn."""
    rng = Random(opcode)
    drawn = [instruction_of(pick_form(opcode, rng)) for _ in range(count)]
    return [parse(CATALOG[opcode].example[0]), *drawn]


@sampled
@pytest.mark.parametrize("count", [3, pytest.param(6, marks=thorough)])
@pytest.mark.parametrize("opcode", CATALOG)
def test_the_scene_of_a_form_is_independent_of_values(opcode: str, count: int) -> None:
    for ins in forms(opcode, count):
        rng, expected = Random(str(ins)), build_form_scene(make_placeholder_trace(ins))
        for _ in range(4):
            bits = {
                role: rng.choice((rng.getrandbits(x.type.bits), (1 << x.type.bits) - 1))
                for x in ins.inputs for role in x.roles
            }  # fmt: skip
            assert build_form_scene(make_trace(ins, ISA_MODEL, bits)) == expected, ins


@pytest.mark.parametrize("opcode", CATALOG)
@sampled
def test_the_scene_of_a_form_has_the_rows_and_links_of_a_trace(opcode: str) -> None:
    for ins in forms(opcode, 4):
        shown = make_placeholder_trace(ins)
        mine, theirs = build_form_scene(shown), build_scene(shown)
        assert list(mine.rows) == list(theirs.rows)
        for key, row in mine.rows.items():
            assert [x.place for x in row.cells] == [x.place for x in theirs.rows[key].cells]
            ways = {(x.source, x.target) for x in row.links}
            taken = {(x.source, x.target) for x in theirs.rows[key].links}
            # where values decide which bits are taken, a form has every way
            assert ways >= taken if shown.rows[key].micro.has_chosen_bits else ways == taken


def chips(shown: Scene, key: str) -> list[str]:
    """The bits of a row's cells by their letters, the highest lane first."""
    looks = (SpanKind.CHIP,)
    return [x.text for cell in shown.rows[key].cells for x in cell.spans if x.kind in looks]


def form_scene(line: str) -> Scene:
    return build_form_scene(make_placeholder_trace(parse(line)))


def test_bytes_and_sums_name_their_lanes_and_operands() -> None:
    """.b4567 picks, for lanes 3 to 0, bytes 0 to 3 of b, of the pair b, a."""
    shown = form_scene("vadd4.s32.s32.u32.sat d.b310, a, b.b4567, c")
    assert chips(shown, "select.a") == ["a.b3", "a.b2", "a.b1", "a.b0"]
    assert chips(shown, "select.b") == ["b.b0", "b.b1", "b.b2", "b.b3"]
    assert chips(shown, "merge.t") == ["t3", "c.b2", "t1", "t0"]
    (axis,) = (x.figure for x in shown.rows.values() if isinstance(x.figure, NumberLine))
    # -128 + 0 does not lie below -128, 127 + 255 lies above 127
    assert {x.position for x in axis.points} == {0.5, 2.0}
    assert (axis.low, axis.high) == ("-128", "127")
    # .b7310: lane 3 takes byte 7 of the pair, b's byte 3; lane 2 takes a's byte 3
    shown = form_scene("vadd4.s32.s32.u32.sat d.b310, a.b7310, b, c")
    cells = [str(cell) for cell in shown.rows["select.a"].cells]
    assert cells == ["b.b3 a3", "a.b3 a2", "a.b1 a1", "a.b0 a0"]
    rows = form_scene("vset4.s32.u32.lt.add d.b31, a, b, c").rows.values()
    (running,) = (x.figure for x in rows if isinstance(x.figure, RunningSum))
    assert [x.text for x in running.terms] == ["+ t3", "", "+ t1", ""]
    shown = form_scene("slct.u32.f32 d, a, b, c")
    assert all(link.is_taken for link in shown.rows["choose.t"].links)
    assert {cell.spans[0].kind for x in shown.registers for cell in x.cells} == {SpanKind.CHIP}


@pytest.mark.parametrize("opcode", CATALOG)
@sampled
def test_names_of_register_parts_differ_from_names_in_formulas(opcode: str) -> None:
    """Byte 3 of b may be lane 2 of a: `b3` in a formula is lane 3 of the second operand."""
    rng = Random(opcode)
    for _ in range(8):
        drawn = make_placeholder_trace(instruction_of(pick_form(opcode, rng)))
        shown = build_form_scene(drawn)
        formulas = {word for row in shown.rows.values() for cell in row.cells
                    for x in cell.spans if x.kind is SpanKind.NUMBER
                    for word in re.findall(r"[\w.]+", x.text)}  # fmt: skip
        cells = [cell for x in shown.registers if x.unit > 1 for cell in x.cells]
        bits = {x.text for cell in cells for x in cell.spans if x.kind is not SpanKind.TEXT}
        assert bits or drawn.instruction.form.stype is Type.PRED
        assert not bits & formulas


@examples(200)
@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_the_bits_that_differ(x: int, y: int) -> None:
    ranges = find_differing_bits(x, y)
    found = {bit for high, low in ranges for bit in range(low, high + 1)}
    assert found == {bit for bit in range(64) if x >> bit & 1 != y >> bit & 1}
    # each as long as may be, the highest first
    assert all(low > high + 1 for (_, low), (high, _) in pairwise(ranges))


def parted() -> Deviation:
    shown = trace("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 2**32 - 1, "b": 0, "c": 0x11223344})
    found = find_deviation(shown, find_deviations(shown))
    assert found
    return found


def test_rows_of_two_answers_are_paired_and_marked() -> None:
    """E3: -1 becomes 0 as documented; ptxas reads it as unsigned first, and makes 255 of it."""
    found = parted()
    saturate = list(iter_pairs(found.isa, found.other, found.stage))
    assert [(pair.isa is None, pair.other is None) for pair in saturate] == [
        (True, False), (False, False)
    ]  # fmt: skip
    merge = next(x for x in iter_pairs(found.isa, found.other, list(found.isa.steps)[4].stage))
    assert merge.lanes == {0}
    mine, theirs = (build_scene(x).rows["merge.t"].cells for x in (found.isa, found.other))
    cells = [mark_differences(x, y) for x, y in zip(mine, theirs, strict=True)]
    differing = ["".join(x.text for x in c.spans if x.kind is SpanKind.DIFFERS) for c in cells]
    assert differing == ["", "", "", "00"]


def test_answers_that_agree() -> None:
    assert not has_one_answer(parted().isa)
    assert not has_one_answer(parted().other)
    assert has_one_answer(trace("vadd.u32.u32.u32 d, a, b", {"a": 1, "b": 2}))
    assert has_one_answer(trace("vadd.u32.u32.u32 d, a, b", {"a": 1, "b": 2}, model="ptxas"))


def test_the_bits_around_a_selected_upper_half_word_are_lost() -> None:
    """E1 takes bits 31:16 of 0xffffffff + 2, which is 0x1_0000_0001."""
    operands = {"a": 2**32 - 1, "b": 2, "c": 0}
    scene = build_scene(trace("vadd.u32.u32.u32 d.h1, a, b, c", operands, model="E1"))
    (cell,) = (x for x in scene.rows["merge.t"].cells if x.place == LaneRef("merge.t", 1))
    lost, kept = SpanKind.LOST, SpanKind.CHIP
    spans = [(x.text, x.kind) for x in cell.spans]
    assert spans[-3:] == [("1", lost), ("0000", kept), ("0001", lost)]


def test_a_flush_is_named_before_and_after() -> None:
    shown = build_scene(trace("setp.lt.ftz.f32 p, a, b", {"a": 1, "b": 0x3F800000}))
    figure = shown.rows["flush.a"].figure
    assert figure
    assert [x.name for x in figure.rulers] == ["a before", "a after"]  # type: ignore[union-attr]
