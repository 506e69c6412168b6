"""Register names of 40 characters: told in full once, and what stands for each of them is said."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from ptxscope import export, parse, trace
from ptxscope.documents.media import form_figure
from ptxscope.documents.options import Options
from tests.export.drawings import NS, drawn, texts
from tests.tiers import sampled

LONG = "%" + "n" * 38
LINES = {
    "vadd4.s32.s32.u32.sat {0}d.b310, {0}a, {0}b.b4567, {0}c": "abcd",
    "vadd.u32.s32.s32.sat {0}d.b0, {0}a.h1, {0}b, {0}c": "abcd",
    "setp.lt.and.s32 {0}p|{0}q, {0}a, {0}b, !{0}c": "abcpq",
    "selp.b32 {0}d, {0}a, {0}b, {0}c": "abcd",
}


def letters_below(svg: str, name: str) -> list[str]:
    """What stands right below a name wherever it is in full, within its width."""
    placed = [
        (x.text or "", *(float(x.get(name, "0")) for name in ("x", "y", "font-size")))
        for x in ET.fromstring(svg).iter(f"{NS}text")
    ]
    found = []
    for text, x, y, size in placed:
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            left, right = (x + at * size * 0.602 for at in match.span())
            found += [t for t, at, base, _ in placed if left < at < right and y < base < y + 20]
    return found


@sampled
@pytest.mark.parametrize("options", [Options(), Options(both=True)], ids=["page", "both"])
@pytest.mark.parametrize("line", LINES)
def test_the_letter_for_a_long_name_is_explained(line: str, options: Options) -> None:
    ptx = line.format(LONG)
    values = {f"{LONG}{x}": 1 for x in "abc" if f"{{0}}{x}" in line}
    svg = export(trace(ptx, values), "svg", options)
    for letter in LINES[line]:
        assert letters_below(svg, f"{LONG}{letter}") == [letter]
    assert not any("…" in text for text in texts(ET.fromstring(svg)))


def test_one_register_in_two_places_has_both_letters() -> None:
    shown = trace(f"vadd4.s32.s32.s32 d, {LONG}, {LONG}, c", {LONG: 1, "c": 0})
    assert letters_below(export(shown, "svg"), LONG) == ["a, b"] * 2


@pytest.mark.parametrize("line", LINES)
def test_the_figure_of_a_form_explains_the_letter_for_a_long_name(line: str) -> None:
    svg = form_figure.render(parse(line.format(LONG)))
    for letter in LINES[line]:
        assert letters_below(svg, f"{LONG}{letter}") == [letter]


SUM = "%accumulator"


@pytest.mark.parametrize("guard", ["", "@{guard} ", "@!{guard} "])
@pytest.mark.parametrize("line", [
    "vadd4.s32.s32.s32.sat {d}, {a}, {b}, {c}", "vset2.s32.s32.lt.add {d}, {a}, {b}, {c}",
    "vmad.s32.s32.s32 {d}, {a}, {b}, {c}", "slct.s32.s32 {d}, {a}, {b}, {c}",
    "setp.lt.and.s32 {p}|{q}, {a}, {b}, !{p}",
])  # fmt: skip
def test_figures_with_one_repeated_register_equal_those_with_distinct_ones(
    line: str, guard: str
) -> None:
    roles = ("a", "b", "c", "d", "p", "q", "guard")
    one = dict.fromkeys("abcd", SUM) | {x: f"%predicate_{x}" for x in ("p", "q", "guard")}
    own = {role: role for role in roles}
    found = []
    for names in (one, own):
        ptx = (guard + line).format(**names)
        values = {x.name: int("pred" in x.type) for x in parse(ptx).inputs}
        said = texts(drawn(trace(ptx, values)))
        found.append(said[said.index("model isa") :])
    p_is_c = "!{p}" in line  # there its own name is p, in the place of c
    assert p_is_c or found[0] == found[1]
    assert not [x for x in found[0] if "%" in x]


def test_no_letter_is_the_name_of_the_other_destination() -> None:
    shown = trace("setp.lt.s32 %predicate_q|p, a, b", {"a": 1, "b": 2})
    assert {"p =", "%predicate_q ="} <= {*texts(drawn(shown))}


HUGE = {x: f"%{x * 144}" for x in "wxyz"}
ENDLESS = trace("vadd4.s32.s32.s32.sat {w}.b310, {x}, {y}.b7310, {z}".format(**HUGE),
                dict.fromkeys((HUGE[x] for x in "xyz"), 1))  # fmt: skip


@pytest.mark.parametrize("compact", [False, True])
def test_each_part_of_a_split_name_has_its_letter(compact: bool) -> None:
    svg = export(ENDLESS, "svg", Options(compact=compact))
    lines = texts(ET.fromstring(svg))
    for name, letter in zip("wxyz", "dabc", strict=True):
        parts = [match[0] for x in lines for match in re.finditer(rf"%?{name}{{20,}}", x)]
        assert "".join(parts) == HUGE[name]
        assert len(parts) > 1
        assert all(letters_below(svg, part.removeprefix("%")) for part in parts[1:])
        assert lines.count(letter) >= len(parts)
