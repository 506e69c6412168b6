"""Wide pictures, for slides: 1280 by 720 px, letters of 18 px, nothing over another."""

from __future__ import annotations

import re
import shlex
import struct
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from ptxscope import Trace, export, trace, trace_block
from ptxscope.cli.commands.trace import parse_request
from ptxscope.documents.media.frames import make_frames
from ptxscope.documents.options import DEFAULT, LAYOUTS, TALL, Motion, Options
from ptxscope.documents.svg import cell_shapes, step_layout
from ptxscope.documents.theme import Theme
from ptxscope.engine.isa.catalog import CATALOG, pick_form
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.semantics.models import ISA_MODEL
from ptxscope.engine.semantics.rules import ALL_ERRATA
from ptxscope.engine.tracing.annotations import Annotations, Note
from ptxscope.engine.tracing.trace import make_trace
from ptxscope.features.landscape import wide_shapes
from ptxscope.features.landscape.wide_layout import WIDE_SHAPES
from ptxscope.features.landscape.wide_settings import LayoutError
from ptxscope.screens.dialogs.export_dialog import ExportDialog
from tests.driving.command_line import run
from tests.driving.drawings import (
    NS,
    Box,
    assert_tree_drawn_well,
    boxes,
    drawn,
    measure_page,
    steps,
    texts,
    wires,
)
from tests.driving.explorer import explorer
from tests.driving.samples import BLOCK, E3, HOSTILE, LANES, QUAD, SCALED
from tests.reference_data import golden_rows
from tests.strategies import instruction_of
from tests.tiers import ci_only, sampled, thorough, whole

WIDE = Options(layout="wide")
MOCKS = (
    trace("vadd4.s32.s32.u32.sat d.b310, a, b.b4567, c",
          {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0xCCCCCCCC}),
    trace("vset.s32.u32.lt.add d, a.b3, b.h0, c", {"a": 0xFF7F0180, "b": 0x12349C40, "c": 41}),
)  # fmt: skip
TWO_LINES = trace("mad24.hi.s32 d, a, b, c", {"a": 1182959968, "b": 2169116099, "c": 2763558116})
TOO_WIDE = trace("@!g set.gtu.xor.ftz.f32.f32 d, a, b, !c",
                 {"a": 1, "b": 2, "c": 1, "g": 0, "d": 7})  # fmt: skip


def assert_wide(shown: Trace, options: Options = WIDE) -> ET.Element:
    tree = drawn(shown, options)
    assert_tree_drawn_well(tree, shown)
    assert measure_page(tree) == (1280, 720)
    assert not [box for box in boxes(tree) if box.size < 18]
    return tree


def assert_wide_or_in_parts(shown: Trace) -> ET.Element | None:
    """A trace that does not fit says which of its steps do, each in one picture."""
    try:
        return assert_wide(shown)
    except LayoutError as error:
        for numbers in re.findall(r"--steps ([\d-]+)", str(error)):
            low, _, high = numbers.partition("-")
            part = frozenset(
                x.place for x in shown.steps if int(low) <= x.number <= int(high or low)
            )
            assert_wide(shown, WIDE._replace(steps=part))
        return None


def find_results(shown: Trace) -> dict[str, str]:
    ins = shown.instruction
    return {
        name: format_hex(shown.result[name], ins.type_of(role).bits)
        for role, name in ins.results.items()
    }


@sampled
@pytest.mark.parametrize("count", [2, pytest.param(16, marks=thorough)])
@pytest.mark.parametrize("opcode", CATALOG)
def test_forms_are_drawn_well_with_their_results(opcode: str, count: int) -> None:
    rng = Random(f"wide {opcode}")
    for _ in range(count):
        ins = instruction_of(pick_form(opcode, rng))
        bits = {
            role: rng.choice((rng.getrandbits(x.type.bits), (1 << x.type.bits) - 1, 1, 0))
            for x in ins.inputs for role in x.roles
        }  # fmt: skip
        shown = make_trace(ins, ISA_MODEL, bits)
        tree = assert_wide_or_in_parts(shown)
        if tree is not None:
            assert {*find_results(shown).values()} <= {*texts(tree)}


@sampled
@pytest.mark.parametrize("step", [900, pytest.param(90, marks=thorough)])
def test_the_values_are_those_of_the_golden_rows(step: int) -> None:
    for row in golden_rows()[::step]:
        shown = trace(row.instruction, row.operands)
        tree = assert_wide_or_in_parts(shown)
        if tree is None:
            continue
        said = texts(tree)
        kinds = (row.instruction.type_of(role).bits for role in row.instruction.results)
        for bits, value in zip(kinds, row.results["isa"], strict=True):
            assert format_hex(value, bits) in said
        for role, register in (("a", row.values.get("a")), ("b", row.values.get("b"))):
            whole = f"{role} = 0x{register or 0:08x}"
            assert not [x for x in said if x.startswith(f"{role} = 0x") and x != whole]


@pytest.mark.parametrize("shown", MOCKS)
def test_the_mocks_are_drawn(shown: Trace) -> None:
    tree = assert_wide(shown)
    assert steps(tree) == [str(x.stage) for x in shown.steps if x.stage != "select"]
    assert {"1", "Select", "2", "Extend", "Registers"} <= {*texts(tree)}


def test_lanes_are_rows_the_highest_above_and_steps_run_to_the_right() -> None:
    places = {box.text: box for box in boxes(assert_wide(MOCKS[0]))}
    lanes = [places[f"lane {lane}"] for lane in (3, 2, 1, 0)]
    assert lanes == sorted(lanes, key=lambda box: box.top)
    titles = [places[x] for x in ("Registers", "Select", "Extend", "Add", "Saturate", "Merge")]
    assert titles == sorted(titles, key=lambda box: box.left)
    assert len({box.top for box in titles}) == 1
    # 127 + 255 = 382 is clamped in lane 1; lane 2 keeps the byte of c
    for text, lane in (("-128 + 128", 3), ("127 + 255", 1), ("382", 1), ("c.b2", 2)):
        distance = {x: abs(places[f"lane {x}"].top - places[text].top) for x in range(4)}
        assert min(distance, key=distance.__getitem__) == lane


def test_steps_that_change_nothing_are_left_out_and_named() -> None:
    shown = trace("vadd2.s32.s32.s32.sat d, a, b, c", {"a": 0x7FFF8000, "b": 0x00018000, "c": 0})
    tree = assert_wide(shown)
    assert "merge" not in steps(tree)
    assert "Not drawn, because it changes nothing: 5 merge." in texts(tree)


def test_a_hidden_result_is_not_drawn() -> None:
    tree = assert_wide(QUAD, WIDE._replace(result=False))
    said = " ".join(texts(tree))
    assert "0x7f7f017f" not in said
    assert "the result is not shown here" in said


@pytest.mark.parametrize("shown", [E3, SCALED, QUAD])
def test_words_of_the_author_are_in_the_picture(shown: Trace) -> None:
    notes = (Note("see here", shown.steps[-1].stage), Note("and here", None, 0))
    noted = replace(shown, annotations=Annotations("A title", "A caption", notes))
    tree = assert_wide(noted, WIDE._replace(footer=False))
    said = " ".join(texts(tree))
    assert all(x in said for x in ("A title", "A caption", "see here", "and here"))


def test_words_without_room_are_refused_and_never_cut() -> None:
    noted = replace(QUAD, annotations=Annotations(caption="word " * 200))
    with pytest.raises(LayoutError, match="room for 3 lines"):
        export(noted, "svg", WIDE)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_the_author_is_data(text: str) -> None:
    noted = replace(QUAD, annotations=Annotations(title=text[:40]))
    ET.fromstring(export(noted, "svg", WIDE))


@pytest.mark.parametrize("shown", [LANES, BLOCK])
def test_a_block_has_columns_for_its_last_statements(shown: Trace) -> None:
    tree = drawn(shown, WIDE)
    assert measure_page(tree) == (1280, 720)
    assert not [box for box in boxes(tree) if box.size < 18]
    assert_tree_drawn_well(tree, shown.parts[-1])
    said = " ".join(texts(tree))
    assert all(f"{number}. " in said for number in range(1, len(shown.parts) + 1))
    last = shown.parts[-1]
    assert {*find_results(last).values()} <= {*texts(tree)}


@pytest.mark.parametrize("folded", [{1}, {2}, {1, 2}])
def test_folded_statements_are_cards_with_their_results(folded: set[int]) -> None:
    tree = assert_wide(LANES, WIDE._replace(folded=frozenset(folded)))
    said = " ".join(texts(tree))
    for number, part in enumerate(LANES.parts, 1):
        if number in folded:
            assert all(f"{x} = {bits}" in said for x, bits in find_results(part).items())


def test_two_statements_are_side_by_side_with_wires_between() -> None:
    shown = trace_block(
        "{ prmt.b32 t, a, b, 0x5410; vadd2.s32.s32.s32.sat d, t, c, c; }",
        {"a": 0x11227F00, "b": 0x8899AABB, "c": 0x80000200},
    )
    tree = assert_wide(shown)
    said = texts(tree)
    assert steps(tree).count("operate") == 2  # permute and add
    assert {"t.h1", "t.h0", "c.h1", "0xaabb", "0x7f00", "0x80007fff"} <= {*said}


def test_each_part_of_a_register_has_a_wire_from_the_result_with_its_bits() -> None:
    shown = trace_block(
        "{ vadd2.s32.s32.s32 t, a, b, c; vadd4.s32.s32.s32.sat d, t, b, c; }",
        {"a": 0x7FFF8000, "b": 0x00018000, "c": 0},
    )
    tree = assert_wide(shown)
    left = {box.text: box.left for box in boxes(tree)}["t.b3"]
    ends = {line[-1] for line in wires(tree) if line[-1][0] < left and line[0][0] > left - 160}
    places = {box.text: box for box in boxes(tree)}
    for part in ("t.b3", "t.b2", "t.b1", "t.b0"):
        box = places[part]
        assert [y for _, y in ends if box.top - 20 < y < box.bottom + 20], part


def test_statements_without_room_for_cards_are_named_with_their_results() -> None:
    shown = trace_block(
        "{ add.s32 t, a, b; vadd2.u32.s32.s32.sat d.h0, a.h11, b.h01, t; }",
        {"a": 0x9ABC5678, "b": 0x7FFF8000},
    )
    said = " ".join(texts(assert_wide(shown)))
    first, _ = shown.parts
    assert "1. add.s32 t, a, b" in said
    assert f"t = {find_results(first)['t']}" in said


def test_blocks_of_more_than_four_statements_are_refused() -> None:
    lines = "; ".join(f"add.s32 r{i + 1}, r{i}, r{i}" for i in range(5))
    with pytest.raises(LayoutError, match="4 statements"):
        export(trace_block(f"{{ {lines}; }}", {"r0": 1}), "svg", WIDE)


# --- two lines ------------------------------------------------------------------------------


def find_halves(tree: ET.Element) -> tuple[list[Box], list[Box]]:
    """The words of the upper and of the lower half of the lanes."""
    lines = sorted(box.top for box in boxes(tree) if re.fullmatch(r"\d", box.text))
    middle = (lines[0] + 628) / 2
    found = boxes(tree)
    return [x for x in found if x.bottom < middle], [x for x in found if x.bottom > middle]


def test_a_statement_with_many_steps_goes_on_in_a_second_line() -> None:
    tree = assert_wide(TWO_LINES)
    assert steps(tree) == ["extend", "operate", "sum", "write"]
    upper, lower = ({x.text for x in half} for half in find_halves(tree))
    assert {"Extend", "Multiply", "= 0xdbb10b73"} <= upper
    assert {"Add c", "Write", "word", "0xdbb10b73"} <= lower  # the value goes on below
    # -8222368 * 4855235 has 0xdbb10b73 as bits 47:16; with c it is 0x80699857
    product = (-8222368 * 4855235 >> 16) & 0xFFFFFFFF
    assert f"0x{product:08x}" in lower
    total = f"0x{(product + 2763558116) & 0xFFFFFFFF:08x}"
    assert total in texts(tree)
    assert find_results(TWO_LINES)["d"] == total


def test_a_line_leads_from_the_first_line_of_steps_to_the_second() -> None:
    tree = assert_wide(TWO_LINES)
    places = {box.text: box for box in boxes(tree)}
    chip = min((x for x in boxes(tree) if x.text == "0xdbb10b73"), key=lambda box: box.left)
    above = places["= 0xdbb10b73"]
    rails = [line for line in wires(tree) if line[0][0] > above.right and line[-1][0] < chip.left]
    assert len(rails) == 1
    (_, start), (_, end) = rails[0][0], rails[0][-1]
    assert abs(start - above.top) < 30
    assert chip.top - 12 < end < chip.bottom + 12


# --- two answers ----------------------------------------------------------------------------


E3_SHORT = trace("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344})
FITTING = ("E1", "E2", "E3", "E4", "E5", "E9", "E17")
"""The errata whose examples have room; the numbers of others have 20 digits."""
ERRATA = tuple(
    pytest.param(trace(ptx, values), isa, other, erratum.id in FITTING, id=erratum.id)
    for erratum in ALL_ERRATA for ptx, values, isa, other in (erratum.example,) if "{" not in ptx
)  # fmt: skip
TWO = WIDE._replace(both=True)


def list_ways(tree: ET.Element) -> list[Box]:
    """The results of two ways, the upper one first."""
    found = [
        x for x in boxes(tree) if re.fullmatch(r"\w+ = (0x)?[0-9a-f]+", x.text) and x.size == 21
    ]
    return sorted(found, key=lambda box: box.top)


@pytest.mark.parametrize(("shown", "isa", "other", "has_room"), ERRATA)
@whole
def test_two_answers_of_each_erratum_are_one_above_the_other(
    shown: Trace, isa: int, other: int, has_room: bool
) -> None:
    if not has_room:
        with pytest.raises(LayoutError, match="does not fit"):
            drawn(shown, TWO)
        return
    tree = assert_wide(shown, TWO)
    upper, lower = list_ways(tree)
    assert upper.text.endswith(f"0x{isa:08x}")
    assert lower.text.endswith(f"0x{other:08x}")
    assert upper.bottom < lower.top - 100
    said = " ".join(texts(tree))
    assert "isa, as documented" in said
    assert "ptxas" in said


def test_steps_before_the_difference_are_drawn_once() -> None:
    tree = assert_wide(E3_SHORT, TWO)
    assert steps(tree) == ["operate", "saturate", "merge", "saturate", "merge"]
    said = texts(tree)
    assert said.count("Saturate") == said.count("Merge") == said.count("Add") == 1
    assert said.count("-1 + 0") == 1
    # E3: a negative sum becomes the maximum of its byte instead of 0
    upper, lower = ({x.text for x in half} for half in find_halves(tree))
    assert {"0x00", "d = 0x11223300"} <= upper
    assert {"0xff", "d = 0x112233ff"} <= lower
    assert {"0x11", "0x22", "0x33"} <= upper & lower


FRAME = re.compile(r"M([\d.]+) ([\d.]+)L([\d.]+) \2L\3 ([\d.]+)L\1 \4Z")


def list_framed(tree: ET.Element) -> list[set[str]]:
    """The words in each frame around values that differ."""
    found = filter(None, (FRAME.fullmatch(x.get("d", "")) for x in tree.iter(f"{NS}path")))
    frames = [tuple(map(float, x.groups())) for x in found]
    return [
        {x.text for x in boxes(tree) if left < x.left and x.right < right
         and top < x.top and x.bottom < end}
        for left, top, right, end in frames
    ]  # fmt: skip


def test_values_that_differ_are_framed_in_both_ways() -> None:
    framed = list_framed(assert_wide(E3_SHORT, TWO))
    assert framed == [
        {"-1", "0", "255"}, {"0x00"}, {"0", "18446744073709551615", "255"}, {"0xff"},
    ]  # fmt: skip


def test_shared_steps_without_room_are_a_card_with_their_values() -> None:
    shown = trace("vset.s32.u32.lt.min d, a, b, c", {"a": 1, "b": 2, "c": 0xFFFFFFFF})
    tree = assert_wide(shown, TWO)
    said = texts(tree)
    assert {"a = 0x00000001", "b = 0x00000002", "3 Compare", "t = true"} <= {*said}
    assert [x.text for x in list_ways(tree)] == ["d = 0x00000001", "d = 0xffffffff"]


def test_a_block_has_the_statement_at_which_answers_part_and_cards_around_it() -> None:
    shown = trace_block("{ vadd.s32.s32.s32 t.h1, a, b, c; add.s32 d, t, b; }",
                        {"a": 0x15678, "b": 1, "c": 0x11223344})  # fmt: skip
    tree = drawn(shown, TWO)
    assert_tree_drawn_well(tree, shown.parts[0])
    assert not [box for box in boxes(tree) if box.size < 18]
    said = texts(tree)
    assert "1. vadd.s32.s32.s32 t.h1, a, b, c" in said
    # E1: the upper half-word takes bits 31:16 of 0x15679; then 1 is added
    assert [x.text for x in list_ways(tree)] == ["d = 0x56793345", "d = 0x00013345"]
    assert {"0x56793344", "0x00013344"} <= {*said}


def test_a_folded_statement_where_answers_part_is_refused() -> None:
    shown = trace_block("{ vadd.s32.s32.s32 t.h1, a, b, c; add.s32 d, t, b; }",
                        {"a": 0x15678, "b": 1, "c": 0x11223344})  # fmt: skip
    with pytest.raises(LayoutError, match="statement 1; unfold it"):
        drawn(shown, TWO._replace(folded=frozenset({1})))


def test_a_block_of_two_answers_without_room_says_so() -> None:
    with pytest.raises(LayoutError, match="draw the statement at which the answers differ"):
        drawn(BLOCK, TWO)


@sampled
@pytest.mark.parametrize(
    "step", [450, pytest.param(50, marks=thorough), pytest.param(25, marks=pytest.mark.soak)]
)
def test_two_answers_are_drawn_well_or_refused(step: int) -> None:
    rows = [row for row in golden_rows() if len({*row.results.values()}) > 1]
    count = 0
    for row in rows[::step]:
        try:
            tree = assert_wide(trace(row.instruction, row.operands), TWO)
        except LayoutError:
            continue
        count += 1
        kinds = [row.instruction.type_of(role).bits for role in row.instruction.results]
        isa = [format_hex(x, y) for x, y in zip(row.results["isa"], kinds, strict=True)]
        said = " ".join(texts(tree))
        assert all(bits in said for bits in isa)
        others = {bits for model, bits in row.results.items() if model != "isa"}
        drawn_others = [all(format_hex(x, y) in said for x, y in zip(each, kinds, strict=True))
                        for each in others]  # fmt: skip
        assert any(drawn_others)
    assert count > len(rows[::step]) / 3


@ci_only
def test_frames_show_two_answers_step_by_step() -> None:
    frames = make_frames(E3_SHORT, TWO)
    assert [x.name for x in frames] == ["03-add", "04-saturate", "05-merge"]
    results = {"d = 0x11223300", "d = 0x112233ff"}
    for frame in frames[:-1]:
        assert not re.search("0x112233(00|ff)", " ".join(x.text for x in place_texts(frame.svg)))
    assert results <= {x.text for x in place_texts(frames[-1].svg)}
    assert place_texts(frames[-1].svg) == place_texts(export(E3_SHORT, "svg", TWO))
    assert "255" not in {x.text for x in place_texts(frames[0].svg)}


# --- two traces -----------------------------------------------------------------------------


def test_two_traces_are_one_above_the_other_with_the_lane_that_differs() -> None:
    other = trace(str(QUAD.instruction), {"a": 0x7F80FF01, "b": 0x01FF0380, "c": 0})
    tree = assert_wide(QUAD, WIDE._replace(beside=other))
    said = texts(tree)
    assert {"b = 0x01ff0280", "b = 0x01ff0380"} <= {*said}
    assert [x.text for x in list_ways(tree)] == ["d = 0x7f7f017f", "d = 0x7f7f027f"]
    assert {"-1 + 2", "-1 + 3"} <= {*said}
    assert "127 + 1" not in said  # lane 3
    assert "Not drawn, because both are the same: lanes 3, 2, 0." in said


def test_two_lines_have_their_own_titles_if_these_differ() -> None:
    shown = trace("vadd.s32.s32.s32.sat d, a.b0, b.b0", {"a": 0x80, "b": 0x81})
    other = trace("vsub.s32.s32.s32.sat d, a.b0, b.b0", {"a": 0x80, "b": 0x81})
    tree = assert_wide(shown, WIDE._replace(beside=other))
    said = texts(tree)
    assert said.count("Extend") == 2
    assert said.count("Add") == said.count("Subtract") == 1
    assert [x.text for x in list_ways(tree)] == ["d = 0xffffff01", "d = 0xffffffff"]


@sampled
@pytest.mark.parametrize("count", [1, pytest.param(4, marks=thorough)])
@pytest.mark.parametrize("opcode", CATALOG)
def test_two_traces_are_drawn_well_or_refused(opcode: str, count: int) -> None:
    rng = Random(f"beside {opcode}")
    for _ in range(count):
        ins = instruction_of(pick_form(opcode, rng))
        values = [{role: rng.choice((rng.getrandbits(x.type.bits), (1 << x.type.bits) - 1, 1, 0))
                   for x in ins.inputs for role in x.roles} for _ in range(2)]  # fmt: skip
        first, second = (make_trace(ins, ISA_MODEL, bits) for bits in values)
        try:
            tree = assert_wide(first, WIDE._replace(beside=second))
        except LayoutError:
            continue
        said = " ".join(texts(tree))
        for shown in (first, second):
            assert all(bits in said for bits in find_results(shown).values())


# --- parts ----------------------------------------------------------------------------------


def place_texts(svg: str) -> set[Box]:
    return {*boxes(ET.fromstring(svg))}


def test_frames_of_a_block_have_the_wires_between_its_statements() -> None:
    shown = trace_block(
        "{ prmt.b32 t, a, b, 0x5410; vadd2.s32.s32.s32.sat d, t, c, c; }",
        {"a": 0x11227F00, "b": 0x8899AABB, "c": 0x80000200},
    )
    counts = []
    for frame in make_frames(shown, WIDE):
        tree = ET.fromstring(frame.svg)
        places = {box.text: box for box in boxes(tree)}
        part = places.get("t.h1")
        ends = [line[-1] for line in wires(tree)]
        counts.append(sum(part.left - 130 < x < part.left for x, _ in ends) if part else 0)
    assert counts == [0, 0, 2, 2, 2]  # the parts t.h1 and t.h0, from the first step that reads them


@pytest.mark.parametrize("shown", [MOCKS[0], QUAD, SCALED, LANES, TWO_LINES])
@whole
def test_frames_show_what_the_last_one_has_in_the_same_place(shown: Trace) -> None:
    frames = make_frames(shown, WIDE)
    whole = place_texts(frames[-1].svg)
    assert whole == place_texts(export(shown, "svg", WIDE))
    for frame, later in pairwise(frames):
        assert measure_page(ET.fromstring(frame.svg)) == (1280, 720)
        assert place_texts(frame.svg) < place_texts(later.svg)
        assert not {*find_results(shown.parts[-1]).values()} & {
            x.text for x in place_texts(frame.svg) if x.size > 30
        }


def test_a_picture_that_steps_says_what_a_click_does() -> None:
    svg = export(MOCKS[0], "svg", WIDE._replace(motion=Motion.STEPPING))
    tree = ET.fromstring(svg)
    (hint,) = {x for x in boxes(tree) if x.text.startswith("click for the next")}
    still = boxes(ET.fromstring(export(MOCKS[0], "svg", WIDE)))
    assert hint.size >= 18
    assert not [
        x for x in still
        if x.left < hint.right and hint.left < x.right
        and x.top < hint.bottom and hint.top < x.bottom
    ]  # fmt: skip


@pytest.mark.parametrize("theme", [Theme.LIGHT, Theme.DARK])
def test_themes_change_colours_only(theme: Theme) -> None:
    svg = export(MOCKS[0], "svg", WIDE._replace(theme=theme))
    assert place_texts(svg) == place_texts(export(MOCKS[0], "svg", WIDE))


# --- options --------------------------------------------------------------------------------


@pytest.mark.parametrize(("fields", "why"), [
    ({"compact": True}, "compact and the layout wide"),
    ({"layout": "high"}, "layout: 'high' is not one of tall, wide"),
])  # fmt: skip
def test_options_that_exclude_each_other_are_refused(fields: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        export(QUAD, "svg", WIDE._replace(**fields))  # type: ignore[arg-type]


def test_one_answer_says_what_the_other_is() -> None:
    said = " ".join(texts(drawn(E3, WIDE)))
    assert "Two answers." in said
    assert "0x112233ff (E3)" in said
    assert "One answer" in " ".join(texts(drawn(QUAD, WIDE._replace(both=True))))


def test_a_trace_that_does_not_fit_names_steps_that_do() -> None:
    values = ("a=0f00000001", "b=0f00000002", "c=1", "g=0", "d=0f00000007")
    words = [str(TOO_WIDE.instruction), *values]
    code, out, err = run("trace", *words, "-f", "svg", "--layout", "wide")
    assert (out, code) == ("", 2)
    assert re.fullmatch(
        r"error: this does not fit in a wide picture; --steps [\d-]+( and --steps [\d-]+)+ do\n",
        err,
    )
    assert assert_wide_or_in_parts(TOO_WIDE) is None


def test_the_help_says_what_each_layout_is_for() -> None:
    said = " ".join(run("trace", "--help").stdout.split())
    assert "tall, with steps from top to bottom, for a page (default)" in said
    assert "wide, with steps from left to right, for a slide" in said


def test_the_default_layout_is_tall() -> None:
    assert DEFAULT.layout == TALL == next(iter(LAYOUTS))
    words = shlex.split("'vadd.s32.s32.s32 d, a, b' a=1 b=2 -f svg --layout tall")
    shown, options, _ = parse_request(words)
    assert export(shown, "svg", options) == export(shown, "svg")


def test_a_wide_png_has_the_size_of_a_slide_and_a_pdf_a_page_for_each_step(tmp_path: Path) -> None:
    words = ["trace", str(QUAD.instruction), "a=0x7f80ff01", "b=0x01ff0280", "c=0"]
    image, deck = tmp_path / "x.png", tmp_path / "deck.pdf"
    wide = ["--layout", "wide"]
    assert run(*words, *wide, "--width", "1280", "-o", str(image)).returncode == 0
    assert struct.unpack(">II", image.read_bytes()[16:24]) == (1280, 720)
    assert run(*words, *wide, "-f", "pdf", "--frames", str(deck)).returncode == 0
    pages = len(make_frames(QUAD, WIDE))
    assert re.search(rb"/Count (\d+)", deck.read_bytes())[1] == str(pages).encode()  # type: ignore[index]


# --- the explorer and the tables of functions ----------------------------------------------------


async def test_the_export_dialog_has_a_switch_for_it() -> None:
    async with explorer("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": -1, "b": 0, "c": 5}) as drive:
        await drive.press("e", "down", "right", "right", "right", "space")
        screen = drive.app.screen
        assert isinstance(screen, ExportDialog)
        assert screen.make_document() == export(drive.session.trace, "svg", WIDE)


def test_every_figure_and_every_shape_of_a_tall_picture_can_be_drawn() -> None:
    assert WIDE_SHAPES.figures.keys() == step_layout.TALL_SHAPES.figures.keys()
    assert wide_shapes.SHAPES.keys() == cell_shapes.SHAPES.keys()
