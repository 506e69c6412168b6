"""The picture, read by an XML parser: its values, its texts, and where they stand."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations, pairwise, product
from typing import NamedTuple

import pytest

from ptxscope import Trace, export, parse, trace
from ptxscope.documents.options import DEFAULT, Options
from ptxscope.documents.svg.svg_colours import PALETTE
from ptxscope.documents.svg.text_fitting import measure_text, wrap_text
from ptxscope.documents.theme import Theme
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.isa.types import Type
from ptxscope.engine.micro_operations.comparison import Compare
from ptxscope.engine.micro_operations.logic import Combine, Not
from ptxscope.engine.micro_operations.properties import Stage
from ptxscope.engine.tracing.annotations import Annotations, Note
from ptxscope.engine.tracing.trace import StepPlace
from tests.export.samples import E2, E3, EXAMPLES, HOSTILE, annotated, example, kept, register
from tests.tiers import sampled

NS = "{http://www.w3.org/2000/svg}"
QUAD = trace("vadd4.s32.s32.u32.sat %0, %1, %2, %3", {"%1": 0x7F80FF01, "%2": 0x01FF0280, "%3": 0})
MORE = [
    QUAD,
    E2,
    E3,
    trace("vset4.s32.u32.lt.add d.b31, a, b, c", {"a": 0x80FF7F01, "b": 0x01010181, "c": 5}),
    trace("vabsdiff4.u32.u32.u32.add d, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0xFFFFFFFF}),
    trace("vavrg4.s32.s32.s32 d.b20, a.b7531, b, c", {"a": 0x80808080, "b": 0x80, "c": 0xFFFFFFFF}),
    trace("vmad.s32.s32.s32.sat.shr15 d, a, -b, c", {"a": 0x80000000, "b": 0x80000000, "c": 1}),
    trace("vmad.u32.u32.u32.po.sat d, a, b, c", dict.fromkeys("abc", 0xFFFFFFFF)),
    trace("vshr.s32.s32.u32.wrap.min d, a, b, c", {"a": 0x80000000, "b": 99, "c": 0x80000000}),
    trace("vshl.u32.u32.u32.clamp.sat d.h1, a, b, c", dict.fromkeys("abc", 0xFFFFFFFF)),
    trace("@!g set.gtu.xor.ftz.f32.f32 d, a, b, !c", {"a": 1, "b": 2, "c": 1, "g": 0, "d": 7}),
    trace("@g setp.num.or.f64 p|q, a, b, !c",
          {"a": 0x7FF8 << 48, "b": 1, "c": 1, "g": 0, "p": 1, "q": 0}),
    trace("selp.b64 d, a, b, !c", {"a": 0x1122334455667788, "b": 1 << 63, "c": 1}),
    trace("slct.ftz.f64.f32 d, a, b, c", {"a": 1, "b": 0xFFEFFFFFFFFFFFFF, "c": 0x80000001}),
]  # fmt: skip
WHOLE = [
    ("bfe.u64 d, a, b, c", {"a": 0x123456789ABCDEF0, "b": 260, "c": 8}),
    ("bfe.s64 d, a, b, c", {"a": 0x923456789ABCDEF0, "b": 4, "c": 264}),
    ("bfi.b64 d, a, b, c, e", {"a": 0xFF, "b": 0, "c": 260, "e": 8}),
]
"""Lines that take whole registers as numbers (E16)."""


def drawn(shown: Trace, options: Options = DEFAULT) -> ET.Element:
    return ET.fromstring(export(shown, "svg", options))


def texts(tree: ET.Element) -> list[str]:
    return ["".join(found.itertext()) for found in tree.iter(f"{NS}text")]


def group(tree: ET.Element, css: str) -> ET.Element:
    return next(x for x in tree.iter(f"{NS}g") if css in x.get("class", "").split())


def steps(tree: ET.Element) -> list[str]:
    """The stages that are drawn, in order."""
    found = (x.get("class", "").split() for x in tree.iter(f"{NS}g"))
    return [css[1].removeprefix("px-") for css in found if css[0] == "px-step"]


def digits(tree: ET.Element) -> str:
    """The digits in the boxes of registers, from left to right."""
    found = (
        (x.text or "").removeprefix("0x")
        for x in tree.iter(f"{NS}text")
        if "px-mono" in x.get("class", "") and x.get("text-anchor") == "middle"
    )
    return "".join(found)


@sampled
@pytest.mark.parametrize(("opcode", "model"), EXAMPLES)
def test_every_value_is_found(opcode: str, model: str) -> None:
    shown = example(opcode, model)
    tree = drawn(shown)
    roles = [role for role in "ab" if role in shown.instruction.names]
    types = {role: shown.instruction.type_of(role) for role in roles}
    read = "".join(format_hex(shown.operands[role], types[role].bits)[2:] for role in roles)
    # the registers of prmt are in its step, as one bar: test_word_shapes
    assert opcode == "prmt" or digits(group(tree, "px-operands")) == read
    assert steps(tree) == [str(step.stage) for step in shown.steps]
    for step in shown.steps:
        band = group(tree, f"px-{step.stage}")
        said = [*texts(band), digits(band)]
        for row in step.rows:
            for lane, value in enumerate(row.values):
                is_written = step.stage is Stage.WRITE
                if isinstance(row.micro, Compare | Not | Combine) or (
                    is_written and shown.instruction.type_of(row.name) is Type.PRED
                ):
                    assert ("true" if value else "false") in said
                    continue
                ways = (str(value), f"{value & (1 << 64) - 1:x}")
                assert any(way in text for way in ways for text in said), (row.key, lane)


@sampled
@pytest.mark.parametrize(("opcode", "model"), EXAMPLES)
def test_the_result_stands_in_it_once_as_one_word(opcode: str, model: str) -> None:
    shown = example(opcode, model)
    tree = drawn(shown)
    for role, name in shown.instruction.results.items():
        bits = shown.instruction.type_of(role).bits
        word = format_hex(shown.result[name], bits)
        said = texts(group(tree, "px-result"))
        assert said.count(word) == 1 or bits == 1


def test_the_name_of_a_result_stands_in_its_box_however_long_its_bits_are() -> None:
    shown = trace("add.cc.u64 lo, a, b", {"a": 1 << 63, "b": 1 << 63})
    boxed = texts(group(drawn(shown), "px-result"))
    assert sorted(boxed) == ["0", "0x0000000000000000", "1", "CC.CF =", "Result", "lo =", "true"]


@sampled
@pytest.mark.parametrize(("opcode", "model"), EXAMPLES)
def test_words_have_a_prefix_everywhere(opcode: str, model: str) -> None:
    """Eight digits and more are drawn alone only beside "…", the digits that are cut off."""
    for options in (DEFAULT, Options(compact=True)):
        said = texts(drawn(example(opcode, model), options))
        for text, before in zip(said, ["", *said], strict=False):
            assert before.startswith("…") or not re.search(
                r"(?<![\w.])(?=\d*[a-f])[0-9a-f]{8,}", text
            ), text


def test_no_literal_and_no_word_of_the_author_loses_its_prefix() -> None:
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


def test_a_fraction_of_zeros_does_not_look_like_the_result() -> None:
    shown = trace("set.lt.u32.f64 d, a, b", {"a": 0, "b": 0x3FF << 52})
    assert texts(drawn(shown)).count("0xffffffff") == 2  # written, and the result
    shown = trace("set.lt.u32.f64 d, a, b", {"a": 0, "b": 0})
    assert texts(drawn(shown)).count("0x00000000") == 2


def test_a_clamp_shows_where_the_number_fell_and_where_it_went() -> None:
    """127 + 1 and 1 + 128 lie above 127; -128 + 255 and -1 + 2 lie in the range."""
    band = group(drawn(QUAD), "px-saturate")
    dots = [x for x in band.iter(f"{NS}circle") if float(x.get("r", "0")) < 5]
    hollow = [x for x in dots if "px-f-page" in x.get("class", "")]
    assert len(dots) == 6
    assert len(hollow) == 2
    assert texts(band).count("clamped high") == 2
    assert {"128", "129", "1", "127", "-128"} <= set(texts(band))
    for fell in hollow:
        went = [float(x.get("cx", "0")) for x in dots if x not in hollow]
        x = float(fell.get("cx", "0"))
        assert any(0 < x - to < 40 for to in went)


def test_sums_run_from_c_through_the_lanes_of_the_mask() -> None:
    """5, then lane 3: -128 < 1 holds; lane 2 is left out; lane 1: 127 < 1 does not; lane 0 out."""
    shown = trace("vset4.s32.u32.lt.add d.b31, a, b, c", {"a": 0x80FF7F01, "b": 0x01010181, "c": 5})
    said = texts(group(drawn(shown), "px-accumulate"))
    assert said[said.index("5") - 1 :][:3] == ["c", "5", "0x00000005"]
    after = said[said.index("5") + 2 :]
    assert [text for text in after if re.fullmatch(r"\d+", text)] == list("6666")
    assert [text for text in after if text[0] in "+-"] == ["+1", "+0"]
    assert said.count("left out") == 2


def test_the_way_not_taken_is_dashed() -> None:
    shown = trace("slct.u32.f32 d, a, b, c", {"a": 17, "b": 0xDEADBEEF, "c": 0xBF800000})
    boxes = [
        x for x in group(drawn(shown), "px-choose").iter(f"{NS}rect") if x.get("height") == "46"
    ]
    assert [x.get("stroke-dasharray") is not None for x in boxes] == [True, False]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text(text: str) -> None:
    tree = drawn(annotated(E3, text))
    assert {x.tag.removeprefix(NS) for x in tree.iter()} <= {
        *("svg", "title", "desc", "style", "defs", "pattern", "path", "g", "rect", "circle"), "text"
    }  # fmt: skip
    said = "".join("".join(tree.itertext()).split())
    assert said.count("".join(kept(text).split())) >= 4
    assert_within(tree)


@pytest.mark.parametrize("name", ["%r$_", "%twelve_wide", "%" + "x" * 39, "_" + "x" * 10_000])
def test_names_of_any_length_stay_within(name: str) -> None:
    tree = drawn(register(name))
    assert name in "".join("".join(tree.itertext()).split())
    assert_within(tree)


def test_what_xml_cannot_hold_becomes_a_mark() -> None:
    shown = replace(E3, annotations=Annotations("a\0b\ud800c\ufffed"))
    assert "d" in "".join(texts(drawn(shown)))


def test_the_same_input_gives_the_same_bytes() -> None:
    first, second = (export(example("vadd4"), "svg", Options(both=True)) for _ in range(2))
    assert first == second


def test_pictures_on_one_page_do_not_share_ids() -> None:
    ids = [
        {x.get("id") for x in drawn(shown).iter() if x.get("id")}
        for shown in (QUAD, E3, example("vadd4"))
    ]
    assert all(not x & y for x, y in combinations(ids, 2))


@pytest.mark.parametrize("shown", [QUAD, E2, E3], ids=["quad", "E2", "E3"])
def test_ids_are_unique_and_every_reference_has_its_target(shown: Trace) -> None:
    document = export(shown, "svg", Options(both=True))
    ids = re.findall(r'\bid="([^"]*)"', document)
    assert len(ids) == len(set(ids))
    labels = re.findall(r'aria-labelledby="([^"]*)"', document)[0].split()
    assert {*re.findall(r"url\(#([^)]*)\)", document), *labels} <= set(ids)


def test_only_the_chosen_steps_are_drawn() -> None:
    chosen = frozenset(StepPlace(1, x) for x in (Stage.SELECT, Stage.SATURATE))
    tree = drawn(QUAD, Options(steps=chosen))
    assert steps(tree) == ["select", "saturate"]
    assert "clamped high" in texts(tree)
    assert "0x7f7f017f" in texts(tree)
    assert_within(tree)


@pytest.mark.parametrize("both", [False, True])
def test_a_note_on_the_only_lane_has_no_number(both: bool) -> None:
    """No lane has a head there, so nothing would bear the number."""
    noted = replace(E3, annotations=Annotations(notes=(Note("the sign", None, 0),)))
    said = texts(drawn(noted, Options(both=both)))
    assert "lane 0: the sign" in said
    assert not [text for text in said if "note 1" in text]


def test_notes_stand_at_their_step_or_below_with_a_number() -> None:
    notes = (Note("why 127", Stage.SATURATE), Note("the sign", None, 2), Note("top", None, 3))
    tree = drawn(replace(QUAD, annotations=Annotations("Title", "Caption", notes)))
    assert "why 127" in texts(group(tree, "px-saturate"))
    assert texts(group(tree, "px-lanes")) == [
        "lane 3 · note 2", "lane 2 · note 1", "lane 1", "lane 0"
    ]  # fmt: skip
    said = texts(tree)
    assert said[0] == "Title"
    assert said.index("note 1: lane 2: the sign") < said.index("note 2: lane 3: top")
    assert said[-2] == "Caption"


def test_both_answers_are_drawn_with_the_erratum() -> None:
    tree = drawn(E3, Options(both=True))
    said = texts(tree)
    results = [texts(x) for x in tree.iter(f"{NS}g") if "px-result" in x.get("class", "").split()]
    assert [found[0] for found in results] == ["%0 = 0x11223300", "%0 = 0x112233ff"]
    assert steps(tree) == ["select", "extend", "operate", *("saturate", "merge") * 2]
    assert any(text.startswith("E3: ") for text in said)
    assert steps(drawn(E3)) == [str(step.stage) for step in E3.steps]


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


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_words_can_be_read_on_what_is_behind_them(scheme: int) -> None:
    """WCAG 2 asks for a contrast of 4.5 to 1."""

    def luminance(colour: str) -> float:
        parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
        red, green, blue = (
            x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light = {str(ink): luminance(colours[scheme]) for ink, colours in PALETTE.items()}
    pairs = [(ink, f"{ink}-soft") for ink in ("true", "mark")]
    pairs += [("on", str(ink)) for ink in PALETTE if ink.endswith("-chip")]
    pairs += [("on", ground) for ground in ("sign", "exponent", "fraction")]
    pairs += [
        (ink, ground)
        for ink in ("ink", "dim", "a", "b", "c", "mark")
        for ground in ("page", "soft")
    ]
    pairs += [("ink", "mark-soft"), ("dim", "mark-soft")]
    lines = [f"{role}{byte}" for role in "ab" for byte in range(4)]  # these ask for 3 to 1
    for ink, ground in pairs + list(product((*lines, "dim"), ("page", "soft"))):
        low, high = sorted((light[ink], light[ground]))
        assert (high + 0.05) / (low + 0.05) >= (3 if ink in lines else 4.5), (ink, ground)


class Box(NamedTuple):
    """The room a text takes."""

    text: str
    left: float
    right: float
    top: float
    bottom: float


def boxes(tree: ET.Element) -> list[Box]:
    found = []
    for x in tree.iter(f"{NS}text"):
        text, size = x.text or "", float(x.get("font-size", "0"))
        wide = measure_text(text, size, "px-mono" in x.get("class", ""))
        left = float(x.get("x", "0"))
        left -= {"middle": wide / 2, "end": wide}.get(x.get("text-anchor", ""), 0)
        y = float(x.get("y", "0"))
        found.append(Box(text, left, left + wide, y - size * 0.72, y + size * 0.05))
    return found


def assert_within(tree: ET.Element) -> None:
    """Every text stands in the page."""
    _, _, width, height = map(float, tree.get("viewBox", "").split())
    for box in boxes(tree):
        assert 0 <= box.left <= box.right <= width, box
        assert 0 <= box.top <= box.bottom <= height, box


def overlaps(tree: ET.Element) -> list[tuple[Box, Box]]:
    return [
        (x, y)
        for x, y in combinations(boxes(tree), 2)
        if x.left < y.right and y.left < x.right and x.top < y.bottom and y.top < x.bottom
    ]


@pytest.mark.parametrize("shown", MORE, ids=map(str, range(len(MORE))))
def test_long_numbers_cover_no_text_and_no_line(shown: Trace) -> None:
    notes = (Note("a note", shown.steps[-1].stage), Note("a note", None, 0))
    tree = drawn(replace(shown, annotations=Annotations("T", "C", notes)), Options(both=True))
    assert not overlaps(tree)
    assert_within(tree)
    assert not hidden(drawn(shown, Options(both=True)))


Dot = tuple[float, float]
_WORDS = re.compile(r"([MLCQ])([^MLCQZ]*)")


def along(d: str) -> list[Dot]:
    """Points on a path of lines and curves, close to each other."""
    found: list[Dot] = []
    for _, text in _WORDS.findall(d):
        numbers = [float(x) for x in re.findall(r"-?[\d.]+", text)]
        ends = list(zip(numbers[::2], numbers[1::2], strict=True))
        corners = [found[-1], *ends] if found else ends
        for at in range(41):
            points, t = corners, at / 40
            while len(points) > 1:  # de Casteljau
                points = [
                    (x + (x2 - x) * t, y + (y2 - y) * t) for (x, y), (x2, y2) in pairwise(points)
                ]
            found.append(points[0])
    return found


def wires(tree: ET.Element) -> list[list[Dot]]:
    """The lines between rows, without their heads."""
    paths = group(tree, "px-flows").iter(f"{NS}path")
    return [along(x.get("d", "")) for x in paths if x.get("fill") == "none"]


def hidden(tree: ET.Element) -> list[tuple[Dot, Dot]]:
    """Starts of lines that pass behind a box, and where."""
    _, _, page, _ = map(float, tree.get("viewBox", "").split())
    drawn_over = [rect for x in tree.iter(f"{NS}g") if x.get("class") != "px-flows"
                  for rect in x.iter(f"{NS}rect") if rect.get("class") != "px-f-page"]  # fmt: skip
    rects = [
        (float(x.get("x", "0")), float(x.get("y", "0")), float(x.get("width", "0")),
         float(x.get("height", "0"))) for x in drawn_over
    ]  # fmt: skip
    return [
        (line[0], (x, y))
        for line in wires(tree)
        for x, y in line
        for left, top, wide, high in rects
        if left + 1 < x < left + wide - 1 and top + 1 < y < top + high - 1 and wide < page - 60
    ]


@pytest.mark.parametrize(("line", "values"), WHOLE)
@pytest.mark.parametrize("model", ["isa", "ptxas"])
def test_no_line_passes_behind_a_number(line: str, values: dict[str, int], model: str) -> None:
    tree = drawn(trace(line, values, model=model))
    numbers = boxes(tree)
    assert not [
        (box.text, wire[0])
        for wire in wires(tree)
        for x, y in wire
        for box in numbers
        if box.left < x < box.right and box.top < y < box.bottom
    ]


def test_the_steps_of_two_answers_are_level() -> None:
    tree = drawn(E3, Options(both=True))
    for name in ("4 Saturate", "5 Merge", "%0 = "):
        tops = [x.get("y") for x in tree.iter(f"{NS}text") if (x.text or "").startswith(name)]
        assert len(tops) == 2
        assert tops[0] == tops[1]


def test_lines_are_broken_between_words_and_never_lose_a_letter() -> None:
    text = "clamps to -2147483648..2147483647, " + "y" * 100
    lines = wrap_text(text, 120, 11)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(measure_text(line, 11) <= 120 for line in lines)
    assert "-2147483648.." in lines[1]


def test_operands_may_be_literals() -> None:
    shown = trace(parse("vadd.s32.s32.s32 d, -5, 0x12345678"), {})
    said = texts(drawn(shown))
    assert "-5" in said
    assert "0x12345673" in said


def test_parts_of_a_register_that_nothing_reads_are_pale() -> None:
    shown = trace("vabsdiff.u32.u32.u32 d, a.b0, b.b3", {"a": 0x11223344, "b": 0x55667788})
    read = {
        x.text
        for x in group(drawn(shown), "px-operands").iter(f"{NS}text")
        if x.get("text-anchor") == "middle" and x.get("font-weight") == "700"
    }
    assert read == {"0x44", "0x55"}


@pytest.mark.parametrize("is_compact", [False, True])
def test_bits_have_their_prefix_but_where_two_boxes_have_one_number(is_compact: bool) -> None:
    values = {"a": 0x7F80FF0A, "b": 0x01FF0B80, "c": 0xCCCCCCCC}
    tree = drawn(
        trace("vsub4.s32.s32.s32 d.b210, a.b7531, b, c", values), Options(compact=is_compact)
    )
    bare, extended = (
        [x for x in texts(part) if re.fullmatch("(?=.*[a-f])[0-9a-f]{2,}", x)]
        for part in (tree, group(tree, "px-extend"))
    )
    assert bare == extended
    assert {"0x7f", "0xcc", "0xff"} <= {*texts(tree)}


def test_lines_lead_from_the_bytes_that_are_selected() -> None:
    """.b7531 of the pair b, a: b3, b1 of b and b3, b1 of a, for lanes 3 to 0."""
    shown = trace(
        "vsub4.u32.u32.u32 d, a.b7531, b.b7531, c", {"a": 0x11223344, "b": 0x55667788, "c": 0}
    )
    tree = drawn(shown, Options(steps=frozenset((StepPlace(1, Stage.SELECT),))))
    names = ("0x11", "0x33", "0x55", "0x77")
    parts = [x for x in group(tree, "px-operands").iter() if x.tag in (f"{NS}rect", f"{NS}text")]
    where = {  # the middle of the box that has the text
        text.text: f"{float(box.get('x', '0')) + float(box.get('width', '0')) / 2:.1f}"
        for box, text in pairwise(parts)
        if text.text in names
    }
    paths = [x.get("d", "") for x in group(tree, "px-flows").iter(f"{NS}path")]
    # straight down to where it bends, if it is far
    starts = [match[1] for d in paths if (match := re.match(r"M(\S+) \S+?(?:L\1 \S+)?C", d))]
    assert starts == [where[name] for name in ("0x55", "0x77", "0x11", "0x33")] * 2


@pytest.mark.parametrize("theme", ["auto", "dark"])
def test_bits_are_monospaced_without_a_style_sheet(theme: str) -> None:
    """Inkscape passes over a sheet in which an ``@supports`` is nested."""
    svg = export(E3, "svg", Options(theme=Theme(theme)))
    mono = [x for x in ET.fromstring(svg).iter(f"{NS}text") if "px-mono" in x.get("class", "")]
    assert len(mono) > 20
    assert {x.get("font-family") for x in mono} == {"DejaVu Sans Mono, monospace"}


@pytest.mark.parametrize("count", range(1, 40))
def test_widths_are_rounded_once_on_every_python(count: int) -> None:
    """``sum`` of floats rounds otherwise before Python 3.12 than from then on."""
    assert measure_text("0" * count, 1, is_monospaced=True) == 605 * count / 1000
    assert measure_text("A" * count, 1) == 700 * count / 1000
