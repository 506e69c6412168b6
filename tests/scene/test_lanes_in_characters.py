"""The lanes in characters: labels before the columns, steps that keep their places, and clamps
with their overshoots on the true side, to scale, in the columns of their lanes."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.tracing.trace import Trace, trace
from ptxscope.scene.scene_builder import build_scene
from ptxscope.scene.scene_model import NumberLine
from ptxscope.widgets.base.ascii_glyphs import convert_to_ascii
from ptxscope.widgets.lanes.lane_axes import draw_axis
from ptxscope.widgets.lanes.lane_cells import LABEL, NUMBER
from ptxscope.widgets.lanes.lane_layout import LanesDrawing, LanesState, draw
from tests.driving.lanes import SIZES, random_trace, text_of
from tests.tiers import examples, sampled, some

VADD4 = trace(
    "vadd4.s32.s32.s32.sat d.b310, a, b.b4567, c",
    {"a": 0x807F7FA6, "b": 0x7F017F80, "c": 0xCCCCCCCC},
)
"""Lanes 3 to 0 come to -256, 254, 128 and 37."""


def drawings(one: Trace, size: tuple[int, int]) -> list[LanesDrawing]:
    return [draw(LanesState(one, step.number), *size) for step in one.steps]


def heights(drawing: LanesDrawing) -> dict[int, int]:
    return {step: end - start for step, (start, end) in drawing.steps.items()}


@pytest.mark.parametrize("size", some(SIZES))
def test_the_next_step_keeps_the_height_of_other_steps(size: tuple[int, int]) -> None:
    """Of any form; but that of the step which was open, where not all can be open."""
    rng = Random(22)
    for opcode in CATALOG:
        for _ in range(examples(10).max_examples):
            one = random_trace(opcode, rng)
            drawn = drawings(one, size)
            assert len({drawing.levels for drawing in drawn}) == 1
            for number, (before, after) in enumerate(pairwise(drawn), 1):
                was, now = heights(before), heights(after)
                kept = range(1, number + before.levels.is_steady)
                assert all(was[step] == now[step] for step in kept), (one.instruction, number)
            if drawn[0].levels.is_steady:
                assert_that_lines_are_only_added(one, drawn)


def assert_that_lines_are_only_added(one: Trace, drawn: list[LanesDrawing]) -> None:
    """Up to the sentences, which stand below."""
    end = drawn[-1].steps[len(one.steps)][1]
    for before, after in pairwise(drawn):
        for was, now in zip(text_of(before.lines)[:end], text_of(after.lines)[:end], strict=True):
            same = was.replace("▸", " ", was[:1] == "▸").rstrip()
            assert now[1:].startswith(same[1:]) or "╮" in now or "╭" in now, one.instruction


@pytest.mark.parametrize("size", SIZES[1:])
def test_wires_stay_with_the_next_step_which_adds_one_sentence_at_most(
    size: tuple[int, int],
) -> None:
    for drawing in drawings(VADD4, size):
        lines = text_of(drawing.lines)
        if size in SIZES[2:]:
            assert drawing.levels.is_steady
            assert sum("╰──" in line for line in lines) >= 2
        text = "\n".join(lines[1:])
        assert "lane 3:" not in text
        assert text.count(".sat clamps") <= 1


FLUSHED = ("setp.lt.ftz.or.f32 p|q, a, b, !c", {"a": 0x7FC00000, "b": 1, "c": 1})


@pytest.mark.parametrize("size", [(87, 26), (154, 46)])  # of terminals of 120x40 and 200x60
def test_float_fields_are_drawn_at_the_register_and_at_the_step(
    size: tuple[int, int],
) -> None:
    drawn = drawings(trace(*FLUSHED), size)
    seen = [heights(drawing) for drawing in drawn]
    for number, (now, later) in enumerate(pairwise(seen), 1):  # the sentences are the last step's
        assert [later[step] for step in range(1, number)] == [now[x] for x in range(1, number)]
    last = "\n".join(text_of(drawn[-1].lines))
    assert "┤ inf" in last
    assert last.count("├─ or ── ") == 2
    assert last.count("10000000000000000000000") == 1  # a's fraction; a is not flushed
    assert last.count("00000000000000000000001") == 2  # b's, and what b loses
    assert len(re.findall("sign│exponent│ *fraction", last)) == 2  # of registers, and of the step
    assert last.count("so subnormal") == 1
    for drawing in drawings(trace(*FLUSHED), (78, 15)):
        assert len(drawing.lines) <= 15  # all registers are in sight at 80 columns


@pytest.mark.parametrize("width", [87, 110, 130, 154, 240])
@pytest.mark.parametrize("is_screen_wide", [False, True])
@given(st.integers(0, 0xFFFFFFFF), st.sampled_from(["vadd4.u32.s32.u32", "vadd2.s32.s32.s32"]))
def test_the_added_bits_are_written_as_those_of_the_lane(
    width: int, is_screen_wide: bool, a: int, opcode: str
) -> None:
    """Both binary, as many as are read, or both hexadecimal, in all lanes of the row."""
    one = trace(f"{opcode} d, a, b, c", {"a": a, "b": 0x12345678, "c": 0})
    unit = 8 if "4" in opcode else 16
    state = LanesState(one, len(one.steps), is_screen_wide=is_screen_wide)
    (line,) = (x for x in text_of(draw(state, width, 60).lines) if " 2 extend " in x)
    cells = re.findall("▒([0-9a-f ]+)▐([0-9a-f ]+)▌", line)
    lengths = {len(digits.replace(" ", "")) for cell in cells for digits in cell}
    assert lengths in ({unit}, {unit // 4}), line
    base = 2 if lengths == {unit} else 16
    for lane, (added, own) in enumerate(reversed(cells)):
        bits = a >> unit * lane & (1 << unit) - 1
        assert int(own.replace(" ", ""), base) == bits
        copies = (1 << unit) - 1 if bits >> unit - 1 else 0
        assert int(added.replace(" ", ""), base) == copies
    assert lengths == {unit} or width < 154


@pytest.mark.parametrize("width", [78, 87, 154])
@pytest.mark.parametrize(
    ("line", "values", "step", "captions"),
    [
        ("vadd.u32.u32.u32 d, a, b, c", {"a": 2**32 - 1, "b": 1, "c": 0}, 4,
         {"above bit 31: cut off": "1╳", "bits 31:0": "00000000"}),
        ("setp.lt.f32 p, a, b", {"a": 0x3F800000, "b": 0x40000000}, 1,
         {"sign": "0", "exponent": "10000000", "fraction": "0" * 23}),
        ("vshr.s32.s32.u32.clamp d, a, b, c", {"a": 2**32 - 16, "b": 2, "c": 0}, 3,
         {"30 bits kept": "1111 " * 7 + "00", "2 bits cut off": "00╳"}),
        ("vshr.s32.s32.u32.clamp d, a, b, c", {"a": 2**30 + 100, "b": 30, "c": 0}, 3,
         {"2 bits kept": "01", "30 bits cut off": "00 0000 0000 0000 0000 0000 0110 0100╳"}),
    ],
)  # fmt: skip
def test_a_caption_stands_below_its_bits(
    line: str, values: dict[str, int], step: int, captions: dict[str, str], width: int
) -> None:
    lines = text_of(draw(LanesState(trace(line, values), step), width, 40).lines)
    below = next(y for y, text in enumerate(lines) if all(x in text for x in captions))
    for caption, digits in captions.items():
        start = lines[below].index(caption)
        bits = re.finditer("[^│]+", lines[below - 1])
        first = next(
            x.start() + x[0].index(digits)
            for x in bits
            if digits in (part.strip() for part in x[0].split("  "))
        )
        assert first < start + len(caption)
        assert start < first + len(digits)


SIMD = [entry.opcode for entry in CATALOG.values() if entry.lanes > 1]


@pytest.mark.parametrize("size", SIZES)
def test_c_enters_the_running_sum_from_the_left(size: tuple[int, int]) -> None:
    one = trace("vset4.s32.u32.lt.add d, a, b, c", {"a": 0x80FF7F01, "b": 0x01010101, "c": 5})
    lines = text_of(draw(LanesState(one, 4), *size).lines)
    assert lines[0].rstrip() == f"{'':{NUMBER}}c    ▐00000005▌   5"
    if size in SIZES[1:]:
        (rail,) = [line for line in lines if "⊕" in line]
        assert rail[:LABEL] == f"{'':{NUMBER}}c    "
        numbers = [number.strip("━ ") for number in rail[LABEL:].split("⊕")]
        assert numbers == ["5", "6", "7", "7", "7"]


def test_a_sum_whose_start_has_no_room_begins_below_it() -> None:
    ptx, a, b = "dp4a.s32.u32 d, a, b, c", 0x01020304, 0x05060708
    lines = text_of(draw(LanesState(trace(ptx, {"a": a, "b": b, "c": 1 << 29}), 4), 78, 40).lines)
    rail = next(at for at, line in enumerate(lines) if "⊕" in line)
    assert lines[rail - 2].split() == ["▸4", "accumulate", "c", "▐20000000▌", "=", f"{2**29}"]
    totals = [total.strip("━ ") for total in lines[rail][LABEL:].split("⊕")]
    products = (1 * 5, 2 * 6, 3 * 7, 4 * 8)
    assert totals == ["", *(str(2**29 + sum(products[: n + 1])) for n in range(4))]


def test_whole_registers_are_above_the_lanes_and_nothing_is_left_of_the_names() -> None:
    """Of any form with lanes, with every operand a register, at every size and step."""
    rng = Random(4)
    for opcode in SIMD:
        for _ in range(examples(20).max_examples):
            one = random_trace(opcode, rng)
            by_lane = {x.label: x.is_by_lane for x in build_scene(one).registers}
            for size in SIZES:
                lines = text_of(draw(LanesState(one, len(one.steps)), *size).lines)
                head = next(at for at, line in enumerate(lines) if line.split()[-1] == "0")
                labels = [line[NUMBER:LABEL].strip() for line in lines[: head + len(by_lane)]]
                assert {x for x in labels[:head] if x} == {x for x in by_lane if not by_lane[x]}
                for line in lines:
                    assert not re.search("[▐▌]", line[:LABEL]), line


@pytest.mark.parametrize("opcode", CATALOG)
@sampled
def test_a_blank_separates_the_name_of_a_row_from_its_values(opcode: str) -> None:
    rng = Random(opcode)
    for _ in range(examples(8).max_examples):
        one = random_trace(opcode, rng)
        for size in SIZES:
            for line in draw(LanesState(one, len(one.steps)), *size).lines:
                if len(line) > 1 and len(line[0].text) == NUMBER and line[1].style_name == "quiet":
                    name = line[1].text
                    assert name.endswith(" "), name
                    assert len(name) <= LABEL - NUMBER, name


EACH = {"80x24": 14, "120x40": 16, "200x60": 32}
SIGNED, UNSIGNED = (-128, 127), (0, 255)


def clamp_of(one: Trace) -> NumberLine:
    figure = build_scene(one).rows["saturate.t"].figure
    assert isinstance(figure, NumberLine)
    return figure


def columns_of(lines: list[str], each: int) -> list[list[str]]:
    """For each lane, the highest first, its lines."""
    return [[line[each * at : each * (at + 1)].rstrip() for line in lines] for at in range(4)]


@pytest.mark.parametrize("size", EACH)
def test_each_lane_has_an_axis_with_its_overshoot_on_the_right_side(size: str) -> None:
    each = EACH[size]
    lanes = columns_of(text_of(draw_axis(clamp_of(VADD4), 4 * each, 4)), each)
    shapes = [re.sub("[─┼╌]", "", line.strip()) for line, _ in lanes]
    assert shapes == ["○▸●┤", "├●◂○", "├●◂○", "├●┤"]
    for line, numbers in lanes:
        left, right = (re.search(end, line) for end in ("├|(?<=▸)●", "┤|●(?=◂)"))
        assert left
        assert right
        assert numbers.split()[0] == "-128"
        assert numbers.split()[-1] == "127"
        assert abs(numbers.index("-128") + 2 - left.start()) <= 2  # below its end
        assert abs(numbers.index(" 127") + 2 - right.start()) <= 2


@pytest.mark.parametrize(
    ("line", "values", "each"),
    [
        ("vadd4.s32.u32.u32.sat d, a, b, c", {"a": 0xFF, "b": 0xFF, "c": 0}, 16),
        ("vsub4.s32.s32.u32.sat d, a, b, c", {"a": 0x80, "b": 0xFF, "c": 0}, 14),
    ],
)
def test_the_numbers_of_the_ends_of_a_short_axis_are_apart(
    line: str, values: dict[str, int], each: int
) -> None:
    numbers = text_of(draw_axis(clamp_of(trace(line, values)), 4 * each, 4))[-1]
    assert numbers.split() == ["-128", "127"] * 4


values = st.lists(st.integers(0, 0xFFFFFFFF), min_size=2, max_size=2)


@given(values, st.sampled_from(["s32", "u32"]), st.sampled_from(list(EACH.values())))
def test_all_overshoots_of_a_step_have_one_scale(ab: list[int], dtype: str, each: int) -> None:
    one = trace(f"vsub4.{dtype}.s32.s32.sat d, a, b, c", {"a": ab[0], "b": ab[1], "c": 0})
    low, high = SIGNED if dtype == "s32" else UNSIGNED
    line, _ = text_of(draw_axis(clamp_of(one), 4 * each, 4))
    lengths = set()
    for lane, value in enumerate(one.rows["saturate.t"].inputs[0].values):
        own = line[(3 - lane) * each : (4 - lane) * each]
        axis = re.sub("^.*▸|◂.*$", "", own).strip()
        lengths.add(len(axis))
        way = re.sub("[^○╌▸◂]", "", own)
        if low <= value <= high:
            assert way == ""
            place = (value - low) / (high - low) * (len(axis) - 1)
            assert abs(axis.index("●") - place) <= 0.5
        elif value < low:
            assert re.fullmatch("○╌*▸", way)
            beyond = (low - value) / (high - low)
        else:
            assert re.fullmatch("◂╌*○", way)
            beyond = (value - high) / (high - low)
        if way:
            assert abs(len(way) - max(beyond * (len(axis) - 1), 2)) <= 0.5
    assert len(lengths) == 1


@given(values)
def test_narrow_columns_show_lanes_above_their_marks(ab: list[int]) -> None:
    one = trace("vadd4.s32.s32.s32.sat d, a, b, c", {"a": ab[0], "b": ab[1], "c": 0})
    before = one.rows["saturate.t"].inputs[0].values
    head, line, numbers = text_of(draw_axis(clamp_of(one), 44, 4))
    lanes = [int(x) for x in head.split()]
    assert sorted(lanes) == [0, 1, 2, 3]
    assert [before[lane] for lane in lanes] == sorted(before)
    assert line.count("○") <= sum(not -128 <= x <= 127 for x in before)
    assert numbers.split()[0] == "-128"
    assert numbers.split()[-1] == "127"


def test_an_overlong_overshoot_is_drawn_broken() -> None:
    one = trace("vadd.s32.s32.s32.sat d.b0, a, b, c", {"a": 0x7FFFFFFF, "b": 1, "c": 0})
    for width in (24, 58, 128):
        line, _ = text_of(draw_axis(clamp_of(one), width, 1))
        assert line.strip().endswith("●◂╱╌╌○")
        assert len(line) <= width


@pytest.mark.parametrize(("width", "height"), [(78, 15), (87, 26), (155, 46)])
def test_a_clamp_is_written_from_left_to_right(width: int, height: int) -> None:
    lines = draw(LanesState(VADD4, 4), width, height).lines
    said = "\n".join(text_of(lines))
    for change in ("-256 ▸ -128", "254 ▸ 127", "128 ▸ 127"):
        assert change in said
    plain = "\n".join(
        "".join(convert_to_ascii(tuple(piece.text for piece in line))) for line in lines
    )
    assert re.search("254 ?-> 127", plain)
    assert not re.search(r"\d ?[<>v] ?-?\d", plain)  # no comparison
