"""Bars of bytes, truth tables and windows in SVG and HTML, read by an XML parser."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from ptxscope import Trace, export, trace
from ptxscope.documents.options import DEFAULT, Options
from ptxscope.documents.theme import Theme
from tests.export.test_svg import NS, drawn, group, hidden, texts

PRMT = trace("prmt.b32 d, a, b, c", {"a": 0x03020180, "b": 0x77F65504, "c": 0x8AE4})
MODE = trace("prmt.b32.b4e d, a, b, c", {"a": 0x33221100, "b": 0x77665544, "c": 1})
LOP3 = trace("lop3.b32 d, a, b, c, 0xca", {"a": 0xFF00FF00, "b": 0x12345678, "c": 0x9ABCDEF0})
BFE = trace("bfe.s32 d, a, b, c", {"a": 0x90000F00, "b": 28, "c": 8})
BFI = trace("bfi.b64 d, a, b, c, e", {"a": 0xFF, "b": 0x0123456789ABCDEF, "c": 40, "e": 12})
DP2A = trace("dp2a.hi.s32.u32 d, a, b, c", {"a": 0xFFFF0002, "b": 0x050403FF, "c": 7})
ALL = {"prmt": PRMT, "mode": MODE, "lop3": LOP3, "bfe": BFE, "bfi": BFI, "dp2a": DP2A}
STYLES = {"wide": DEFAULT, "compact": Options(compact=True), "dark": Options(theme=Theme.DARK)}


def paths(tree: ET.Element) -> list[str]:
    return [x.get("d", "") for x in tree.iter(f"{NS}path")]


def box_of(tree: ET.Element, text: str) -> float:
    """The x of the middle of the first text in the middle of a box that says so."""
    return next(
        float(x.get("x", ""))
        for x in tree.iter(f"{NS}text")
        if x.text == text and x.get("text-anchor") == "middle"
    )


@pytest.mark.parametrize("style", STYLES)
def test_a_line_leads_from_each_byte_to_the_lane_that_takes_it(style: str) -> None:
    tree = drawn(PRMT, STYLES[style])
    flows = [d for d in paths(tree) if "C" in d]
    band = group(tree, "px-operate")
    # digits 8 a e 4: a.b0, a.b2 and b.b2 by their signs, b.b0
    for byte, digit in (("0x80", "8"), ("0x02", "a"), ("0xf6", "e"), ("0x04", "4")):
        start, end = box_of(band, byte), box_of(band, digit)
        numbers = [re.findall(r"-?[\d.]+", d) for d in flows]
        ends = [(float(x[0]), float(x[-2])) for x in numbers]
        near = [x for x in ends if abs(x[0] - start) < 30 and abs(x[1] - end) < 1]
        assert len(near) == 1, (byte, digit, ends)


def test_a_repeated_sign_is_hatched_and_said() -> None:
    band = group(drawn(PRMT), "px-operate")
    said = texts(band)
    assert [x for x in said if x.startswith("8 ×")] == [
        f"8 × top bit of {name}" for name in ("a.b0", "a.b2", "b.b2")
    ]
    hatches = [d for d in paths(band) if d.count("M") > 5]
    assert len(hatches) == 3
    assert "selector: c = 0x8ae4" in said
    assert "selector: without a mode, c = 0x6701" in texts(group(drawn(MODE), "px-operate"))


@pytest.mark.parametrize("style", STYLES)
def test_a_table_has_its_columns_and_every_bit(style: str) -> None:
    band = group(drawn(LOP3, STYLES[style]), "px-operate")
    said = texts(band)
    strips = [x for x in said if re.fullmatch("[0-7]{4}", x)]
    operands = [LOP3.operands[role] for role in "abc"] + [LOP3.result["d"]]
    joined = "".join(strips)
    for word in operands:
        assert f"{word:032b}" in joined
    assert joined[:32] == "".join(
        str(4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1))
        for a, b, c in [operands[:3]] for i in reversed(range(32))
    )  # fmt: skip
    assert any(x.startswith("0xca = ((b ^ c) & a) ^ c") for x in said)


def test_what_a_table_ignores_is_said() -> None:
    shown = trace("lop3.b32 d, a, b, c, 0xf0", {"a": 1, "b": 2, "c": 3})
    assert "ignores b and c" in texts(group(drawn(shown), "px-operate"))


def test_bits_outside_of_a_window_are_hatched() -> None:
    band = group(drawn(BFE), "px-operate")
    said = texts(band)
    assert "1001" in said  # bits 31:28 of a
    assert "copies of the sign" in said
    assert "1111 1001" in said  # the field: 0xf9
    hatched = [d for d in paths(band) if d.count("M") > 5]
    assert len(hatched) >= 2  # outside of the window, and the signs


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", ALL)
def test_no_line_passes_behind_a_box(name: str, style: str) -> None:
    assert not hidden(drawn(ALL[name], STYLES[style]))


@pytest.mark.parametrize("name", ALL)
def test_a_page_has_the_picture(name: str) -> None:
    page = export(ALL[name], "html")
    assert page.count("<svg") == 2  # wide and narrow
    for _, svg in re.findall(r"(<figure[^>]*>)(<svg.*?</svg>)", page, re.DOTALL):
        ET.fromstring(svg)


def test_products_stand_side_by_side_above_their_sum() -> None:
    """-1 * 5 and 2 * 4 (the high bytes of b), then 7 - 5 + 8."""
    tree = drawn(DP2A)
    products = texts(group(tree, "px-operate"))
    assert [x for x in products if x.startswith("= ")] == ["= -5", "= 8"]
    said = texts(group(tree, "px-accumulate"))
    assert [x for x in said if x in ("-5", "+8", "2", "10")] == ["-5", "2", "+8", "10"]


@pytest.mark.parametrize("is_wide", [True, False])
def test_a_bit_and_its_entry_light_each_other_in_a_page(is_wide: bool) -> None:
    page = export(LOP3, "html")
    picture = page.split("<figure")[1 if is_wide else 2]
    rects = [
        (title, set(related.split()), number)
        for number, related, title in re.findall(
            r'data-v="(\d+)" data-r="([\d ]+)"><title>([^<]*)</title>', picture
        )
    ]
    entries = {title: number for title, _, number in rects if title.startswith("a = ")}
    assert len(entries) == 8
    a, b, c = (LOP3.operands[role] for role in "abc")
    for bit in range(32):
        given = f"a = {a >> bit & 1}, b = {b >> bit & 1}, c = {c >> bit & 1}: "
        ((related, number),) = [(r, n) for t, r, n in rects if t.startswith(f"bit {bit}: {given}")]
        (entry,) = [n for title, n in entries.items() if title.startswith(given)]
        assert related == {number, entry}


def test_plain_text_has_the_table_the_selector_and_the_window() -> None:
    def lines(shown: Trace) -> list[str]:
        return [line.strip() for line in export(shown).splitlines()]

    table = lines(LOP3)
    start = table.index("7 6 5 4 3 2 1 0")
    assert table[start + 1 : start + 5] == [
        "a 1 1 1 1 0 0 0 0",
        "b 1 1 0 0 1 1 0 0",
        "c 1 0 1 0 1 0 1 0",
        "t 1 1 0 0 1 0 1 0  = 0xca",
    ]
    assert "without a mode, c = 0x6701" in lines(MODE)
    window = f"{0x90000F00:032b}"[4:]
    groups = " ".join(window[i : i + 4] for i in range(0, 28, 4))
    assert f"a (1111) [1001] {groups}" in lines(BFE)
    hidden_ = export(LOP3, "text", Options(result=False))
    assert "7 6 5 4 3 2 1 0" not in hidden_


@pytest.mark.parametrize(
    ("ptx", "a", "numbers"),
    [
        ("neg.s8x4 d, a", 0x7F80FF01, ["127", "-128", "-1", "1"]),
        ("add.u8x4 d, a, a", 0x7F80FF01, ["127", "128", "255", "1"]),
        ("min.s16x2 d, a, a", 0x80007FFF, ["-32768", "32767"]),
    ],
)
def test_a_part_of_a_packed_register_is_one_number(ptx: str, a: int, numbers: list[str]) -> None:
    tree = ET.fromstring(export(trace(ptx, {"a": a}), "svg"))
    texts = [x.text for x in tree.iter(f"{NS}text")]
    first = next(i for i, text in enumerate(texts) if text == numbers[0])
    assert [text for text in texts[first:] if text in numbers][: len(numbers)] == numbers
    assert not any("…" in (text or "") for text in texts)


@pytest.mark.parametrize("style", STYLES)
def test_a_table_counts_the_bits_of_each_entry_and_its_boxes_touch_nothing(style: str) -> None:
    band = group(drawn(LOP3, STYLES[style]), "px-operate")
    counts = [int(x[1:]) for x in texts(band) if re.fullmatch(r"×\d+", x)]
    words = [LOP3.operands[x] for x in "abc"]
    used = [sum((word >> bit & 1) << 2 - i for i, word in enumerate(words)) for bit in range(32)]
    assert counts == [used.count(entry) for entry in reversed(range(8))]
    boxes = [tuple(float(x.get(name, "0")) for name in ("x", "y", "width"))
             for x in band.iter(f"{NS}rect") if x.get("height") in ("15", "18")]  # fmt: skip
    assert len(boxes) == 8
    assert all(x[0] + x[2] + 2 <= y[0] for x, y in pairwise(boxes))
    above = max(float(x.get("y", "0")) for x in band.iter(f"{NS}text")
                if x.text in ("0", "1") and float(x.get("y", "0")) < boxes[0][1] + 4)  # fmt: skip
    assert above < boxes[0][1]
