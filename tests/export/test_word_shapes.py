"""Bars of bytes, truth tables and windows in SVG and HTML, read by an XML parser."""

from __future__ import annotations

import re

import pytest

from ptxscope import Trace, export, trace
from ptxscope.documents.options import DEFAULT, Options
from ptxscope.documents.theme import Theme
from tests.export.drawings import drawn, hidden

PRMT = trace("prmt.b32 d, a, b, c", {"a": 0x03020180, "b": 0x77F65504, "c": 0x8AE4})
MODE = trace("prmt.b32.b4e d, a, b, c", {"a": 0x33221100, "b": 0x77665544, "c": 1})
LOP3 = trace("lop3.b32 d, a, b, c, 0xca", {"a": 0xFF00FF00, "b": 0x12345678, "c": 0x9ABCDEF0})
BFE = trace("bfe.s32 d, a, b, c", {"a": 0x90000F00, "b": 28, "c": 8})
BFI = trace("bfi.b64 d, a, b, c, e", {"a": 0xFF, "b": 0x0123456789ABCDEF, "c": 40, "e": 12})
DP2A = trace("dp2a.hi.s32.u32 d, a, b, c", {"a": 0xFFFF0002, "b": 0x050403FF, "c": 7})
ALL = {"prmt": PRMT, "mode": MODE, "lop3": LOP3, "bfe": BFE, "bfi": BFI, "dp2a": DP2A}
STYLES = {"wide": DEFAULT, "compact": Options(compact=True), "dark": Options(theme=Theme.DARK)}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", ALL)
def test_no_line_crosses_a_box(name: str, style: str) -> None:
    assert not hidden(drawn(ALL[name], STYLES[style]))


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


def test_the_text_has_the_truth_table_the_selector_and_the_window() -> None:
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
