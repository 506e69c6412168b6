"""Register names of 40 characters: told in full once, and what stands for each of them is said."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from ptxscope import export, parse, trace
from ptxscope.export import form
from ptxscope.export.options import Options
from ptxscope.export.picture.lettering import text_width, wrapped

NS = "{http://www.w3.org/2000/svg}"
LONG = "%" + "n" * 38
LINES = {
    "vadd4.s32.s32.u32.sat {0}d.b310, {0}a, {0}b.b4567, {0}c": "abcd",
    "vadd.u32.s32.s32.sat {0}d.b0, {0}a.h1, {0}b, {0}c": "abcd",
    "setp.lt.and.s32 {0}p|{0}q, {0}a, {0}b, !{0}c": "abcpq",
    "selp.b32 {0}d, {0}a, {0}b, {0}c": "abcd",
}


def said(svg: str) -> str:
    return " ".join(x.text or "" for x in ET.fromstring(svg).iter(f"{NS}text"))


def letters_below(svg: str, name: str) -> list[str]:
    """What stands right below a name wherever it is in full, within its width."""
    texts = [
        (
            x.text or "",
            float(x.get("x", "0")),
            float(x.get("y", "0")),
            float(x.get("font-size", "0")),
        )
        for x in ET.fromstring(svg).iter(f"{NS}text")
    ]
    found = []
    for text, x, y, size in texts:
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            left, right = (x + at * size * 0.602 for at in match.span())
            found += [t for t, at, base, _ in texts if left < at < right and y < base < y + 20]
    return found


@pytest.mark.parametrize("options", [Options(), Options(slide=True), Options(both=True)],
                         ids=["page", "slide", "both"])  # fmt: skip
@pytest.mark.parametrize("line", LINES)
def test_what_stands_for_a_long_name_is_said(line: str, options: Options) -> None:
    ptx = line.format(LONG)
    values = {f"{LONG}{x}": 1 for x in "abc" if f"{{0}}{x}" in line}
    svg = export(trace(ptx, values), "svg", options)
    for letter in LINES[line]:
        assert letters_below(svg, f"{LONG}{letter}") == [letter]
    assert "…" not in said(svg)


def test_one_register_in_two_places_has_both_letters() -> None:
    shown = trace(f"vadd4.s32.s32.s32 d, {LONG}, {LONG}, c", {LONG: 1, "c": 0})
    assert letters_below(export(shown, "svg"), LONG) == ["a, b"] * 2


@pytest.mark.parametrize("line", LINES)
def test_the_figure_of_a_form_says_it_too(line: str) -> None:
    svg = form.render(parse(line.format(LONG)))
    for letter in LINES[line]:
        assert letters_below(svg, f"{LONG}{letter}") == [letter]


def test_the_bits_of_a_form_do_not_run_together() -> None:
    for opcode in ("vadd2", "vadd4"):
        texts = [x.text or "" for x in ET.fromstring(
            form.render(parse(f"{opcode}.s32.s32.s32 d, a, b, c"))).iter(f"{NS}text")]  # fmt: skip
        assert "a31 … a0" in texts
        assert not [x for x in texts if re.search(r"[ab]\.?h?\d[ab]", x)]


@pytest.mark.parametrize("part", ["a..", "a|", "|", "..", "a..|"])
def test_a_long_word_with_many_places_to_break(part: str) -> None:
    """It is broken at each where it must be, however many there are."""
    lines = wrapped(part * 4000, 300, 12)
    assert "".join(lines) == part * 4000
    assert max(text_width(line, 12) for line in lines) <= 300
