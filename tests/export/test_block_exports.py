"""What only blocks have: statements that are numbered, folded, linked, and told apart."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from random import Random

import pytest

import ptxscope
from ptxscope import parse_block, trace_block
from ptxscope.documents.content.annotated_trace import annotate_trace
from ptxscope.documents.content.command_words import format_folded, parse_folded
from ptxscope.documents.media.frames import make_frames
from ptxscope.documents.options import Motion, Options
from ptxscope.documents.svg.page_layout import COMPACT
from ptxscope.documents.svg.trace_picture import draw_trace
from ptxscope.documents.svg.zones import find_relations
from tests.driving.block_idioms import Idiom
from tests.driving.drawings import drawn, texts
from tests.driving.samples import BLOCK, BLOCK_PTX, BLOCK_VALUES, LANES
from tests.engine.test_blocks import EVERY_IDIOM, draw_values
from tests.tiers import ci_only, sampled

MARKED = ("text", "markdown", "rst", "asciidoc", "html")
# prmt takes the low halves, and and keeps their low bytes; vadd2 doubles c, and clamps
DEQUANT = trace_block(
    "{ .reg .b32 t; prmt.b32 t, a, b, 0x5410; and.b32 t, t, 0xff00ff;"
    " vadd2.s32.s32.s32.sat d, t, c, c; }",
    {"a": 0x11223344, "b": 0x8899AABB, "c": 0x7FFF},
)


@pytest.mark.parametrize("format_", MARKED)
def test_folded_statements_show_their_results_only(format_: str) -> None:
    whole, folded = (
        ptxscope.export(DEQUANT, format_, Options(folded=frozenset(x))) for x in ((), (1, 2))
    )
    assert "Each digit picks a byte" in whole
    assert "Each digit picks a byte" not in folded
    for bits in ("0xaabb3344", "0x00bb0044", "0x00bb7fff"):
        assert bits in folded
    assert "--fold=but-last" in folded


@pytest.mark.parametrize("format_", ["text", "html", "svg"])
@pytest.mark.parametrize("line", ["vadd4.s32.s32.s32.sat d, a, b, c", "@!%p sub.u32 d, a, 7"])
def test_a_line_in_braces_is_a_line(line: str, format_: str) -> None:
    values = {x.name: 5 % (1 << x.type.bits) for x in ptxscope.parse(line).inputs}
    alone, block = ptxscope.trace(line, values), trace_block(f"{{ {line}; }}", values)
    assert ptxscope.export(block, format_) == ptxscope.export(alone, format_)


def test_links_run_from_a_result_to_its_readers() -> None:
    drawing = draw_trace(DEQUANT)
    links = drawing.canvas.links
    assert links[("s1.", "t =", 0), ("s2.", "a", 0)]
    for lane in (0, 1):
        assert links[("s2.", "t =", 0), ("s3.", "a", lane)]
    sources = find_relations(drawing.canvas).ancestors["s3.", "d =", 0]
    assert {("s1.", "a", 0), ("s1.", "b", 0), ("s3.", "b", 0), ("s3.", "b", 1)} <= sources
    heights = [
        draw_trace(DEQUANT, Options(folded=frozenset(folded))).height
        for folded in ((), (1,), (1, 2), (1, 2, 3))
    ]
    assert heights == sorted(heights, reverse=True)


@ci_only
def test_a_folded_block_of_eight_is_wider_than_high() -> None:
    lines = " ".join(f"shf.l.wrap.b32 t, t, t, {x};" for x in range(1, 9))
    trace = trace_block(lines, {"t": 1})
    drawing = draw_trace(trace, Options(folded=frozenset(range(1, 9))))
    assert drawing.height / drawing.layout.width < 0.8
    for format_ in ("svg", "html", "png", "pdf"):
        assert ptxscope.export(trace, format_)


@sampled
@EVERY_IDIOM
def test_every_idiom_is_drawn(idiom: Idiom) -> None:
    trace = trace_block(idiom.ptx, draw_values(idiom, Random(1)))
    for options in (Options(), Options(compact=True)):
        root = drawn(trace, options)
        words = " ".join(texts(root))
        for name in trace.block.outputs:
            assert f"{name} =" in words
        ids = [x.attrib["id"] for x in root.iter() if "id" in x.attrib]
        assert len(ids) == len({*ids})


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("2-4,6", {2, 3, 4, 6}), ("all", {*range(1, 9)}), ("but-last", {*range(1, 8)}), ("3", {3})],
)
def test_folded_numbers(text: str, numbers: set[int]) -> None:
    assert parse_folded(text, 8) == numbers
    assert parse_folded(format_folded(frozenset(numbers), 8), 8) == numbers


@pytest.mark.parametrize("text", ["0", "9", "4-2", "x", "", "1,,2", "2-9"])
def test_wrong_folded_numbers(text: str) -> None:
    with pytest.raises(ValueError, match="is not a statement; there are 1 to 8"):
        parse_folded(text, 8)


def test_export_refuses_a_block_without_a_trace() -> None:
    with pytest.raises(TypeError, match="is not a Trace"):
        ptxscope.export(parse_block(DEQUANT.block.text))  # type: ignore[call-overload]


def test_the_other_answer_of_an_assembler_is_the_documented_one() -> None:
    trace = trace_block(BLOCK_PTX, BLOCK_VALUES, model="ptxas-13.0")
    text = ptxscope.export(trace, "text", Options(both=True))
    assert text.index("(ptxas-13.0)") < text.index("(isa)")


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ("{ setp.lt.s32 p, a, b; selp.s32 d, a, b, p; }", ("s2.", "c", 0)),
        ("{ setp.lt.s32 p, a, b; @!p add.s32 d, a, b; }", ("s2.", "guard", 0)),
    ],
)
def test_a_predicate_has_a_wire_to_its_reader(line: str, target: tuple[str, str, int]) -> None:
    shown = trace_block(line, {x.name: 1 for x in parse_block(line).inputs})
    assert draw_trace(shown).canvas.links[("s1.", "p =", 0), target]


def test_a_wire_passes_behind_no_value_that_it_does_not_feed() -> None:
    line = (
        "{ vadd4.s32.s32.s32.sat t, a, b, c; vset4.s32.s32.lt u, t, b, c; "
        "vmax4.s32.s32.s32.add d, t, u, a; }"
    )
    canvas = draw_trace(trace_block(line, {"a": 1, "b": 2, "c": 0})).canvas
    boxes = {x.node: x.box for x in canvas.zones}
    for lane in range(4):
        (rail,) = canvas.links[("s1.", "t =", 0), ("s3.", "a", lane)]
        points = [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", rail)]
        for (x, y), (to_x, to_y) in pairwise(points):
            left, right, middle = min(x, to_x) + 1, max(x, to_x) - 1, (y + to_y) / 2
            for node, box in boxes.items():
                if node[1] in ("a", "b") and node[0] == "s3." and y == to_y:
                    is_behind = box[0] < right and left < box[0] + box[2]
                    assert not (is_behind and box[1] < middle < box[1] + box[3])


@pytest.mark.parametrize("between", ["", "brev.b32 u, x; "])
def test_only_bytes_that_are_read_have_a_wire(between: str) -> None:
    block = f"vadd.u32.s32.s32.sat t, a, b; {between}vmin.u32.s32.u32.sat d.h0, t.b2, b.h1, c;"
    values = {"a": -5, "b": 3, "c": 0xCAFEBABE} | ({"x": 1} if between else {})
    links = draw_trace(trace_block(block, values)).canvas.links
    reader = "s3." if between else "s2."
    assert [target for source, target in links if source == ("s1.", "t =", 0)] == [(reader, "a", 2)]


def test_links_of_two_answers_are_separate() -> None:
    links = draw_trace(BLOCK, Options(both=True)).canvas.links
    sources = {target: source for source, target in links if target[1] in ("a", "b")}
    assert sources["s3.", "a", 0][0] == "s2."
    assert sources["s3-other.", "a", 0][0] == "s2-other."
    # what is alike in both is drawn once
    assert {x[0] for x in (a for a, b in links if b[0] == "s3-other." and b[1] == "b")} == {"s1."}
    ids = [x.attrib["id"] for x in drawn(BLOCK, Options(both=True)).iter() if "id" in x.attrib]
    assert len(ids) == len({*ids})


def test_links_of_two_stacked_answers_bypass_the_statements_in_between() -> None:
    links = draw_trace(BLOCK, Options(both=True, compact=True)).canvas.links
    for target in ("s3.", "a", 0), ("s3-other.", "a", 0):
        (source,) = (a for a, b in links if b == target)
        (line,) = links[source, target]
        points = re.findall(r"[ML]([\d.]+) ([\d.]+)", line)  # to the right, down, and back
        assert len(points) == 4
        assert COMPACT.page.right < float(points[1][0]) == float(points[2][0]) < 400


def test_notes_on_lanes_follow_their_statement() -> None:
    trace, options = annotate_trace(LANES, notes=["s2.lane 1=the sign"])
    text = ptxscope.export(trace, "text", options)
    assert text.index("[-21829, 32767]\n  * lane 1: the sign\n\nd = ") > text.index("2. vadd2")
    assert "> lane 1: the sign" in ptxscope.export(trace, "markdown", options)
    said = texts(drawn(trace, options))
    assert "lane 1 · note 1" in said
    assert "note 1: lane 1: the sign" in said
    assert '<aside class="px-note" dir="auto">lane 1: the sign</aside>' in ptxscope.export(
        trace, "html", options
    )


def test_a_note_on_several_statements_appears_once_in_a_picture() -> None:
    saturated = "vadd.u32.s32.s32.sat d.b0, a, b, c"
    ptx = f"{{ {saturated}; {saturated.replace('d.b0', 'e.b0')}; }}"
    said = texts(drawn(trace_block(ptx, {"a": 1, "b": 0, "c": 0})))
    assert sum(x.startswith("Note: the manual says") for x in said) == 1


def test_notes_name_their_statement() -> None:
    notes = ["s2.saturate=the clamp", "9=the order", "s2.merge lane 1=kept"]
    trace, options = annotate_trace(BLOCK, notes=notes)
    lines = ptxscope.export(trace, "text", options).splitlines()
    for note, after in (("the clamp", "6 saturate"), ("the order", "9 "), ("kept", "7 merge")):
        place = next(i for i, line in enumerate(lines) if note in line and "$" not in line)
        heading = next(x for x in reversed(lines[:place]) if re.match(r"\d+ [a-z]", x))
        assert heading.startswith(after)
    for wrong in ("saturate=x", "s2=x", "s9.1=x", "s2.lane 7=x", "s2.saturate"):
        with pytest.raises(ValueError, match=r"step|statement|lane|STEP=TEXT"):
            annotate_trace(BLOCK, notes=[wrong])


@pytest.mark.parametrize("format_", MARKED)
def test_a_result_of_lanes_is_not_read_as_one_number(format_: str) -> None:
    text = ptxscope.export(LANES, format_)
    assert str(0xAABB7FFF - (1 << 32)) not in text
    for bracket, code in (("[", "&#91;"), ("]", "&#93;")):
        text = text.replace(f"\\{bracket}", bracket).replace(code, bracket)
    assert text.count("[-21829, 32767]") >= 2


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("1-2,5", {1, 2, 5}),
        ("s2", {3, 4, 5, 6, 7, 8}),
        ("s2.saturate", {6}),
        ("s2.4-s3.1", {6, 7, 8, 9}),
        ("-2", {1, 2}),
        ("10-", {10, 11}),
    ],
)
def test_steps_are_numbered_through(words: str, numbers: set[int]) -> None:
    trace, options = annotate_trace(BLOCK, steps=words)
    assert {x.number for x in trace.steps if options.shows(x.place)} == numbers
    text = ptxscope.export(trace, "text", options)
    shown = {int(x) for x in re.findall(r"(?m)^(\d+) [a-z]", text)}
    assert shown - {3} == numbers - {3}  # "3 statements" is the first line
    command = text[text.index("\n$ ptxscope") + 3 :].replace("\\\n", " ")
    assert annotate_trace(BLOCK, steps=shlex.split(command)[-1])[1].steps == options.steps


@pytest.mark.parametrize("words", ["0", "99", "s4", "s1.saturate", "saturate", "5-2", "s0", "x"])
def test_steps_that_a_block_lacks(words: str) -> None:
    with pytest.raises(ValueError, match=r"step|wrong way round"):
        annotate_trace(BLOCK, steps=words)


@pytest.mark.parametrize("motion", Motion)
def test_a_fully_folded_block_has_no_frames(motion: Motion) -> None:
    options = Options(folded=frozenset({1, 2, 3}), motion=motion)
    assert "00332211" in ptxscope.export(BLOCK, "svg", options)
    assert make_frames(BLOCK, options) == ()


def test_motion_covers_the_steps_of_all_statements() -> None:
    svg = ptxscope.export(BLOCK, "svg", Options(motion=Motion.STEPPING))
    classes = {int(x) for x in re.findall(r"px-k(\d+)", svg)}
    assert classes == {*range(1, len(BLOCK.steps) + 1)}
    assert 'id="step-s2.saturate"' in svg
