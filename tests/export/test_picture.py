"""Drawings of scenes: lane columns, chips, truncated bits, points off the number line."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from ptxscope import Trace, export, parse, trace
from ptxscope.documents.options import Options
from tests.export.samples import EXAMPLES, example
from tests.export.test_every_line import accepted, traced
from tests.export.test_svg import (
    NS,
    assert_within,
    boxes,
    drawn,
    group,
    hidden,
    overlaps,
    texts,
    wires,
)
from tests.tiers import sampled, thorough

MASKED = trace(
    "vadd4.s32.s32.u32.sat %0.b310, %1, %2.b4567, %3",
    {"%1": 0x80FF7F01, "%2": 0x01FF0280, "%3": 0xCCCCCCCC},
)
LANES = [
    MASKED,
    trace("vset4.s32.u32.lt.add d.b31, a, b, c", {"a": 0x80FF7F01, "b": 0x01010181, "c": 5}),
    trace("vavrg2.s32.s32.s32 d.h10, a.h32, b, c", {"b": 0x80FF7F01, "c": 0}),
    trace("vmax4.s32.s32.s32 d, a, b, c", {"a": 0x05FE0A80, "b": 0, "c": 0}),
    trace("@g vsub2.s32.s32.s32.sat d.h0, a, b, c",
          {"a": 0x7FFF8000, "b": 0xFFFF0001, "c": 1, "g": 0, "d": 9}),
    trace("vadd4.s32.s32.s32.add d, a, b, c", {"a": 1, "b": 2, "c": 0x80000000}),
]  # fmt: skip


BOTH = Options(both=True)


def rects(tree: ET.Element, ink: str) -> list[tuple[float, float]]:
    """Where the boxes that are filled with an ink stand: left edge and top."""
    return [
        (float(x.get("x", "0")), float(x.get("y", "0")))
        for x in tree.iter(f"{NS}rect")
        if f"px-f-{ink}" in x.get("class", "").split()
    ]


@pytest.mark.parametrize("shown", LANES, ids=[str(x.instruction.opcode) for x in LANES])
def test_only_what_is_selected_crosses_columns(shown: Trace) -> None:
    tree = drawn(shown)
    chosen = min(float(x.get("y", "0")) for x in group(tree, "px-select").iter(f"{NS}rect"))
    guards = [x for x in tree.iter(f"{NS}g") if "px-guard" in x.get("class", "").split()]
    whole = [float(x.get("y", "0")) for guard in guards for x in guard.iter(f"{NS}rect")]
    for line in wires(tree):
        (x, y), (to_x, to_y) = line[0], line[-1]
        if y > chosen and to_y < min(whole, default=to_y + 1):  # a guard has no lanes
            assert x == to_x


def test_each_byte_stands_in_the_column_of_its_lane_and_keeps_its_colour() -> None:
    """.b4567 of the pair b, a reverses b: lane 3 takes b0, lane 0 takes b3."""
    tree = drawn(MASKED)
    grounds = rects(tree, "soft")[:4]
    left = [x for x, _ in grounds]
    wide = left[1] - left[0]
    assert texts(group(tree, "px-lanes")) == ["lane 3", "lane 2", "lane 1", "lane 0"]

    def columns(step: str, role: str) -> list[int]:
        """The column of each byte's chip, b3 first."""
        found = [rects(group(tree, step), f"{role}{byte}-chip") for byte in (3, 2, 1, 0)]
        return [int((x - left[0]) // wide) for at in found for x, _ in at]

    assert columns("px-operands", "a") == columns("px-operands", "b") == [0, 1, 2, 3]
    for step in ("px-select", "px-extend"):
        assert columns(step, "a") == [0, 1, 2, 3]
        assert columns(step, "b") == [3, 2, 1, 0]
    assert not any(rects(group(tree, "px-operate"), f"{x}{y}-chip") for x in "ab" for y in range(4))
    assert columns("px-merge", "c")[:1] == [] == rects(group(tree, "px-saturate"), "c-chip")
    (kept,) = rects(group(tree, "px-merge"), "c-chip")  # lane 2 alone is not in .b310
    assert int((kept[0] - left[0]) // wide) == 1
    assert "kept: c.b2" in texts(group(tree, "px-merge"))


def where(tree: ET.Element, css: str, text: str) -> float:
    """The middle of a text in a step."""
    return next(
        float(x.get("x", "0")) for x in group(tree, css).iter(f"{NS}text") if x.text == text
    )


def test_bits_fall_off_on_the_side_where_they_stood() -> None:
    """0xff000001 << 5 has 0x1f above bit 31; 0x123 >> 3 loses the lowest three bits, 011."""
    tree = drawn(trace("vshl.u32.u32.u32.wrap d, a, b", {"a": 0xFF000001, "b": 37}))
    assert where(tree, "px-write", "1f") < where(tree, "px-write", "e0000020")
    assert where(tree, "px-write", "above bit 31: cut off") < where(tree, "px-write", "bits 31:0")
    tree = drawn(trace("vshr.u32.u32.u32.wrap d, a, b", {"a": 0x123, "b": 3}))
    assert where(tree, "px-operate", "1 0010 0") < where(tree, "px-operate", "011")
    assert "3 bits cut off" in texts(group(tree, "px-operate"))
    tree = drawn(trace("vadd.u32.u32.u32 d.b1, a, b, c", {"a": 0x1FF, "b": 1, "c": 0x11223344}))
    assert where(tree, "px-merge", "2") < where(tree, "px-merge", "0x00")


def test_the_fields_of_floats_are_shown_in_place() -> None:
    """-1.5 = -1.1b x 2**0: sign 1, exponent 127, fraction 1000...; b is subnormal."""
    shown = trace("setp.ltu.ftz.f32 p, a, b", {"a": 0xBFC00000, "b": 1})
    tree = drawn(shown)
    fields = texts(group(tree, "px-fields"))
    assert fields[:3] == ["1", "01111111", "1" + "0" * 22]
    flushed = group(tree, "px-flush")
    assert "flushed" in texts(flushed)
    assert len(rects(flushed, "mark-soft")) == 1  # the fraction that is lost


def test_a_nan_stands_off_the_line() -> None:
    shown = trace("setp.lt.f32 p, a, b", {"a": 0x7FC00000, "b": 0x7F800000})
    band = group(drawn(shown), "px-compare")
    (dot,) = (float(x.get("cx", "0")) for x in band.iter(f"{NS}circle") if x.get("r") == "4")
    (diamond,) = (
        float(re.findall(r"-?[\d.]+", x.get("d", ""))[2])
        for x in band.iter(f"{NS}path")
        if "px-f-mark-soft" in x.get("class", "").split()
    )
    assert diamond > dot + 20  # inf stands at the upper end
    assert "a: NaN, off the line" in texts(band)


def test_long_names_are_told_once() -> None:
    name = "%" + "n" * 39
    ins = parse(f"vadd4.u32.u32.u32 {name}d.b0, {name}a, {name}b, {name}c")
    shown = trace(ins, {f"{name}{role}": 7 for role in "abc"})
    tree = drawn(shown)
    below = [text for text in texts(tree) if "nnnn" in text]
    assert "".join(below).replace(" ", "") == str(ins).replace(" ", "")
    assert "byte of a and of b." in " ".join(texts(group(tree, "px-select")))


def test_renderers_that_take_rules_for_attributes_see_no_height() -> None:
    """CairoSVG and svglib read ``height:auto`` of the root as a length, wherever it stands."""
    document = export(MASKED, "svg")
    assert not re.search(r'<svg[^>]*style="', document)
    sheet = document[: document.index("</style>")]
    assert "height:auto" in sheet[sheet.index("@supports") :]
    assert "height" not in sheet[sheet.index("<style>") : sheet.index("@supports")]
    assert "url(#" not in document  # patterns are not known everywhere


_WHOLE = re.compile(r"of (t|-?\d+)(\[\d+:\d+\])?( ?: …?[0-9a-f]+( and …?[0-9a-f]+)? cut off)?")


def split(tree: ET.Element) -> list[str]:
    """What a merge cuts, where a line ends within a number, or a label leaves its box."""
    found = []
    for step in tree.iter(f"{NS}g"):
        if "px-merge" not in step.get("class", "").split():
            continue
        said: dict[str, list[str]] = {}
        for x in step.iter(f"{NS}text"):
            if float(x.get("font-size", "0")) <= 10.5 and x.get("text-anchor") == "middle":
                said.setdefault(x.get("x", ""), []).append(x.text or "")
        lines = (" ".join(x) for x in said.values())
        found += [x for x in lines if x.startswith("of ") and not _WHOLE.fullmatch(x)]
    return found


@pytest.mark.parametrize("a", [0xFFFFFFFF, 0x80000001, 1])
@pytest.mark.parametrize("to", ["b0", "b3", "h1"])
def test_a_number_that_is_cut_is_told_in_one_piece(to: str, a: int) -> None:
    shown = trace(f"vshl.s32.u32.u32.sat.clamp d.{to}, a, b, c", {"a": a, "b": 31, "c": 0})
    tree = drawn(shown, BOTH)
    assert_tree_drawn_well(tree, shown)
    frames = [x for x in tree.iter(f"{NS}rect") if x.get("height") == "34"]
    for x in tree.iter(f"{NS}text"):
        if x.text == "wrapped":  # bold, as wide as its letters in DejaVu Sans Bold
            left = float(x.get("x", "0"))
            right = left + float(x.get("font-size", "0")) * 4.93
            below = [
                (start, start + float(f.get("width", "0")))
                for f in frames
                for start in [float(f.get("x", "0"))]
                if 34 < float(x.get("y", "0")) - float(f.get("y", "0")) < 120
            ]
            mine = [(a, b) for a, b in below if a < right and left < b]
            assert all(a <= left and right <= b for a, b in mine), (left, right, mine)


def assert_drawn_well(shown: Trace, options: Options = BOTH) -> None:
    """Nothing covers another, nothing leaves the page, nothing is cut or hidden or tiny."""
    assert_tree_drawn_well(drawn(shown, options), shown)


def assert_tree_drawn_well(tree: ET.Element, shown: Trace) -> None:
    """The same of any picture."""
    assert_within(tree)
    assert not overlaps(tree), shown.instruction
    assert not hidden(tree), shown.instruction
    assert not split(tree), shown.instruction
    for box in boxes(tree):
        assert not box.text.endswith("…"), (shown.instruction, box)
    sizes = {float(x.get("font-size", "0")) for x in tree.iter(f"{NS}text")}
    assert min(sizes) >= 9, (shown.instruction, min(sizes))


@sampled
@pytest.mark.parametrize(("opcode", "model"), EXAMPLES)
def test_examples_are_drawn_well(opcode: str, model: str) -> None:
    assert_drawn_well(example(opcode, model))


@pytest.mark.parametrize("model", ["isa", "ptxas-13.0", "ptxas-13.5"])
@pytest.mark.parametrize("step", [60, pytest.param(17, marks=thorough)])
def test_accepted_lines_are_drawn_well(step: int, model: str) -> None:
    for line in accepted()[::step]:
        assert_drawn_well(traced(line, model))


@pytest.mark.parametrize(("amount", "said"), [(31, "bit 31"), (30, "bits 31:30"), (1, "bits 31:1")])
def test_one_bit_of_a_shift_is_called_a_bit(amount: int, said: str) -> None:
    shown = trace("vshl.u32.u32.u32.clamp d, a, b, c", {"a": 1, "b": amount, "c": 0})
    assert {x for x in texts(drawn(shown, Options())) if re.match("bits? 31", x)} == {said}


@pytest.mark.parametrize(("b", "is_broken"), [(-7, True), (0x7000_0000, False)])
def test_a_line_of_compared_numbers_that_is_not_to_scale_has_a_break(
    b: int, is_broken: bool
) -> None:
    """5 and -7 would be one point on a line of 4 billion numbers."""
    tree = drawn(trace("setp.lt.s32 p, a, b", {"a": 5, "b": b}))
    thin = (x for x in group(tree, "px-compare").iter(f"{NS}path")
            if x.get("stroke-width") == "1.4")  # fmt: skip
    lines = [re.findall(r"[\d.]+", x.get("d", "")) for x in thin]
    slanted = [x for x in lines if len(x) == 4 and x[0] != x[2] and x[1] != x[3]]
    assert len(slanted) == 2 * is_broken
