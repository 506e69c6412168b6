"""The picture, read by an XML parser: its values, its texts, and where they stand."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise

import pytest

from ptxscope import Trace, export, parse, trace
from ptxscope.documents.media import form_figure
from ptxscope.documents.options import Options
from ptxscope.documents.svg.svg_colours import PALETTE
from ptxscope.documents.svg.text_styles import is_leftwards, measure_text, wrap_text
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.isa.types import Type
from ptxscope.engine.micro_operations.comparison import Compare
from ptxscope.engine.micro_operations.logic import Combine, Not
from ptxscope.engine.micro_operations.properties import Stage
from ptxscope.engine.tracing.annotations import Annotations, Note
from tests.driving.drawings import NS, assert_no_overlap, drawn, group, steps, texts, wires
from tests.driving.samples import E3, HOSTILE, annotated, kept, register
from tests.tiers import sampled

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


def digits(tree: ET.Element) -> str:
    """The digits in the boxes of registers, from left to right."""
    found = (
        (x.text or "").removeprefix("0x")
        for x in tree.iter(f"{NS}text")
        if "px-mono" in x.get("class", "") and x.get("text-anchor") == "middle"
    )
    return "".join(found)


@sampled
def test_every_value_is_found(sample: Trace) -> None:
    tree = drawn(sample)
    roles = [role for role in "ab" if role in sample.instruction.names]
    types = {role: sample.instruction.type_of(role) for role in roles}
    read = "".join(format_hex(sample.operands[role], types[role].bits)[2:] for role in roles)
    # the registers of prmt are in its step, as one bar
    assert sample.instruction.opcode == "prmt" or digits(group(tree, "px-operands")) == read
    assert steps(tree) == [str(step.stage) for step in sample.steps]
    for step in sample.steps:
        band = group(tree, f"px-{step.stage}")
        said = [*texts(band), digits(band)]
        for row in step.rows:
            for lane, value in enumerate(row.values):
                is_written = step.stage is Stage.WRITE
                if isinstance(row.micro, Compare | Not | Combine) or (
                    is_written and sample.instruction.type_of(row.name) is Type.PRED
                ):
                    assert ("true" if value else "false") in said
                    continue
                ways = (str(value), f"{value & (1 << 64) - 1:x}")
                assert any(way in text for way in ways for text in said), (row.key, lane)


@sampled
def test_a_result_appears_once_and_words_have_a_prefix(sample: Trace) -> None:
    """Eight digits and more are drawn alone only beside "…", the digits that are cut off."""
    tree = drawn(sample)
    for role, name in sample.instruction.results.items():
        bits = sample.instruction.type_of(role).bits
        said = texts(group(tree, "px-result"))
        assert said.count(format_hex(sample.result[name], bits)) == 1 or bits == 1
    for said in (texts(tree), texts(drawn(sample, Options(compact=True)))):
        for text, before in zip(said, ["", *said], strict=False):
            is_alone = re.search(r"(?<![\w.])(?=\d*[a-f])[0-9a-f]{8,}", text)
            assert before.startswith("…") or not is_alone, text


def test_literals_and_words_of_the_author_keep_their_prefix() -> None:
    notes = (Note("at 0xcafe0000", Stage.SELECT), Note("to 0xcafe0001", None, 0))
    shown = trace("prmt.b32 d, a, b, 0x5410", {"a": 0x01020304, "b": 0x05060708})
    said = Annotations("Title 0xcafe0002", "Caption 0xcafe0003", notes)
    tree = drawn(replace(shown, annotations=said))
    assert "digits of 0x5410, one" in texts(tree)
    described = tree.findtext(f"{NS}desc") or ""
    for words in (f"0xcafe000{digit}" for digit in range(4)):
        assert words in "\n".join(texts(tree))
        assert words in described
    assert "prmt.b32 d, a, b, 0x5410, model isa. Operands: a = 0x01020304, " in described
    assert "Result: d = 0x07080304" in described


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text(text: str) -> None:
    tree = drawn(annotated(E3, text))
    assert {x.tag.removeprefix(NS) for x in tree.iter()} <= {
        *("svg", "title", "desc", "style", "defs", "pattern", "path", "g", "rect", "circle"), "text"
    }  # fmt: skip
    said = "".join("".join(tree.itertext()).split())
    assert said.count("".join(kept(text).split())) >= 4
    assert_no_overlap(tree)


@pytest.mark.parametrize("name", ["%r$_", "%twelve_wide", "%" + "x" * 39, "_" + "x" * 10_000])
def test_names_of_any_length_fit_in_the_picture(name: str) -> None:
    tree = drawn(register(name))
    assert name in "".join("".join(tree.itertext()).split())
    assert_no_overlap(tree)


def test_every_colour_follows_the_dark_scheme() -> None:
    tree = drawn(E3, Options(both=True))
    inks: dict[str, set[str]] = {}
    for ink, (light, _) in PALETTE.items():
        inks.setdefault(light, set()).add(ink)
    for found in tree.iter():
        for kind, letter in (("fill", "f"), ("stroke", "s")):
            colour = found.get(kind, "none")
            if colour.startswith("#"):
                css = {f"px-{letter}-{ink}" for ink in inks[colour]}
                assert len(css & set(found.get("class", "").split())) == 1


@pytest.mark.parametrize("shown", LANES, ids=[str(x.instruction.opcode) for x in LANES])
def test_only_links_of_selected_parts_cross_columns(shown: Trace) -> None:
    tree = drawn(shown)
    chosen = min(float(x.get("y", "0")) for x in group(tree, "px-select").iter(f"{NS}rect"))
    guards = [x for x in tree.iter(f"{NS}g") if "px-guard" in x.get("class", "").split()]
    whole = [float(x.get("y", "0")) for guard in guards for x in guard.iter(f"{NS}rect")]
    for line in wires(tree):
        (x, y), (to_x, to_y) = line[0], line[-1]
        if y > chosen and to_y < min(whole, default=to_y + 1):  # a guard has no lanes
            assert x == to_x


# the smaller one, and the larger: neighbours, and such whose difference a double does not have
NEAR = [
    ("s32", -1, 1), ("s32", -(2**31), -(2**31) + 1), ("s32", 2**31 - 2, 2**31 - 1),
    ("u32", 2**32 - 2, 2**32 - 1), ("u32", 0, 1), ("s64", -1, 1), ("u64", 2**63, 2**63 + 1),
    ("u64", 2**64 - 2, 2**64 - 1), ("s16", -1, 0),
    ("f32", 0x8000_0001, 0x0000_0001), ("f64", 0x3FF0_0000_0000_0000, 0x3FF0_0000_0000_0001),
]  # fmt: skip
EQUAL = [("s32", -1, 0xFFFFFFFF), ("f32", 0x8000_0000, 0), ("u64", 5, 5)]


def compared(type_: str, a: int, b: int) -> Trace:
    mask = (1 << int(type_[1:])) - 1
    return trace(f"setp.lt.{type_} p, a, b", {"a": a & mask, "b": b & mask})


def dots(shown: Trace, options: Options) -> list[float]:
    """Where the points of the comparison are drawn."""
    svg = export(shown, "svg", options)
    steps = re.search(r'class="px-step px-compare">(.*?)</g>\n<g id', svg, re.S)
    assert steps
    return [float(x) for x in re.findall(r'<circle cx="([\d.]+)" cy="[\d.]+" r="4"', steps[1])]


@pytest.mark.parametrize(("type_", "low", "high"), NEAR)
def test_numbers_that_differ_are_two_points(type_: str, low: int, high: int) -> None:
    for turned in (False, True):
        values = (high, low) if turned else (low, high)
        a, b = dots(compared(type_, *values), Options())[:: -1 if turned else 1]
        assert b - a >= 15


@pytest.mark.parametrize(("type_", "a", "b"), EQUAL)
def test_equal_numbers_are_one_point(type_: str, a: int, b: int) -> None:
    one, other = dots(compared(type_, a, b), Options())
    assert one == other


def test_two_assemblers_are_named_in_one_order() -> None:
    """A set of two names has an order that changes with each process."""
    values = {"a": 1, "b": 56151187, "c": 25198208}
    shown = trace("vmin.s32.s32.u32 d.h1, a, b, c", values, model="ptxas")
    assert "models ptxas-13.5 and ptxas-13.0" in export(shown, "svg", Options(both=True))


def ways(svg: str) -> list[tuple[float, float]]:
    """The way of each number to the end of its range, beside the length of the range, in px."""
    found = re.findall(
        r'd="M([\d.]+) [\d.]+C\1 [\d.]+ ([\d.]+) [\d.]+ \2 [\d.]+" class="px-s-mark"', svg
    )
    ranges = re.findall(r'<rect x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="6"', svg)
    assert len(set(ranges)) == 1
    return [(float(x) - float(end), float(ranges[0])) for x, end in found]


@pytest.mark.parametrize("compact", [False, True])
def test_numbers_outside_a_range_are_drawn_to_scale(compact: bool) -> None:
    """127 + 112 is 112 above the range of 255, -128 - 96 is 96 below; as u32, 0x80 is 128."""
    values = {"a": 0x7F7F8000, "b": 0x7080A000}
    for ptx, over in (
        ("vadd4.s32.s32.s32.sat d, a, b, c", [112, -96]),  # 127 + -128 is inside
        ("vadd4.s32.s32.u32.sat d, a, b, c", [112, 128]),  # b is 112, 128, 160, 0
    ):
        shown = trace(ptx, {**values, "c": 0})
        found = ways(export(shown, "svg", Options(compact=compact)))
        assert [round(way / wide * 255) for way, wide in found] == pytest.approx(over, abs=1)


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
        (x.text or "", float(x.get("x", "0")), float(x.get("y", "0")))
        for x in ET.fromstring(svg).iter(f"{NS}text")
    ]
    sizes = [float(x.get("font-size", "0")) for x in ET.fromstring(svg).iter(f"{NS}text")]
    found = []
    for (text, x, y), size in zip(placed, sizes, strict=True):
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            left, right = (x + at * size * 0.602 for at in match.span())
            found += [t for t, at, base in placed if left < at < right and y < base < y + 20]
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


@pytest.mark.parametrize("count", range(1, 40))
def test_widths_are_rounded_once_on_every_python(count: int) -> None:
    """``sum`` of floats rounds otherwise before Python 3.12 than from then on."""
    assert measure_text("0" * count, 1, is_monospaced=True) == 605 * count / 1000
    assert measure_text("A" * count, 1) == 700 * count / 1000


def test_lines_are_broken_between_words_and_never_lose_a_letter() -> None:
    text = "clamps to -2147483648..2147483647, " + "y" * 100
    lines = wrap_text(text, 120, 11)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(measure_text(line, 11) <= 120 for line in lines)
    assert "-2147483648.." in lines[1]


@pytest.mark.parametrize("part", ["a..", "a|", "|", "..", "a..|"])
def test_a_long_word_with_many_places_to_break(part: str) -> None:
    """It is broken at each where it must be, however many there are."""
    lines = wrap_text(part * 4000, 300, 12)
    assert "".join(lines) == part * 4000
    assert max(measure_text(line, 12) for line in lines) <= 300


@sampled
@pytest.mark.parametrize("opcode", CATALOG)
@pytest.mark.parametrize("wide", [100, 150, 196])
def test_a_syntax_is_broken_between_modifiers(opcode: str, wide: int) -> None:
    written = f"{CATALOG[opcode].syntax};"
    lines = wrap_text(written, wide, 9, is_monospaced=True)
    assert "".join(lines).replace(" ", "") == written.replace(" ", "")
    assert max(measure_text(line, 9, is_monospaced=True) for line in lines) <= wide
    for before, after in pairwise(lines):
        if before.split()[-1] + after.split()[0] in written:  # a word is broken here
            assert before[-1] in "|}" or after[0] == ".", lines
            assert before[-1] != "{", lines


HEBREW, ARABIC = "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627"


@pytest.mark.parametrize(("text", "leftwards"), [
    (HEBREW, True), (f"(1) {ARABIC} vadd", True), (f"vadd {HEBREW}", False), ("12 + 3", False),
    ("\u00e9", False), ("", False),
])  # fmt: skip
def test_the_first_directional_character_decides_the_direction(text: str, leftwards: bool) -> None:
    assert is_leftwards(text) is leftwards


def test_texts_of_the_author_are_drawn_in_their_direction() -> None:
    written = f"{HEBREW} vadd (1).", f"{ARABIC} d = 3!", f"{HEBREW}: a + b."
    shown = trace("vadd.s32.s32.s32 d, a, b, c", {"a": 1, "b": 2, "c": 0})
    figure = shown.figure(title=written[0], caption=written[1], notes={"add": written[2]})
    assert {f"\u2067{text}\u2069" for text in written} <= {*texts(ET.fromstring(figure.svg))}


@pytest.mark.parametrize("compact", [False, True])
def test_a_constant_is_named_once(compact: bool) -> None:
    svg = export(trace("and.b32 d, a, 255", {"a": 1}), "svg", Options(compact=compact))
    assert svg.count(">255</text>") == 1
