"""Parts of a block's trace in every format: two answers, some steps, no result, notes, frames."""

from __future__ import annotations

import json
import re
import shlex
from importlib.resources import files
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import ptxscope
from ptxscope import trace_block
from ptxscope.cli import main
from ptxscope.documents.content.annotated_trace import annotate_trace
from ptxscope.documents.media.frames import make_frames
from ptxscope.documents.options import Motion, Options
from ptxscope.documents.svg.page_layout import COMPACT
from ptxscope.documents.svg.trace_picture import draw_trace
from tests.tiers import sampled

# E3: the assembler's .sat wraps a negative number, so the byte is 255 instead of 0
PTX = "{ brev.b32 r, a; vadd.u32.s32.s32.sat t.b0, a, b, c; prmt.b32 d, t, r, 0x0123; }"
VALUES = {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344}
DOCUMENTED, ASSEMBLED = "00332211", "ff332211"
TEXTS = ("text", "markdown", "rst", "asciidoc", "html", "json", "svg")
TRACE = trace_block(PTX, VALUES)


@pytest.mark.parametrize("format_", TEXTS)
def test_both_answers_of_the_statements_that_differ(format_: str) -> None:
    text = ptxscope.export(TRACE, format_, Options(both=True))
    assert DOCUMENTED in text
    assert ASSEMBLED in text
    for number, count in ((1, 1), (2, 2), (3, 2)):
        if format_ in ("text", "svg"):
            opcode = ("brev", "vadd", "prmt")[number - 1]
            assert len(re.findall(rf"(?m)^{number}\. {opcode}|>{number}\. {opcode}", text)) == count
    if format_ == "json":
        data = json.loads(text)
        assert [x["number"] for x in data["others"]] == [2, 3]
        assert {x["trace"]["model"]["name"] for x in data["others"]} == {"ptxas-13.5"}
        schemas = [
            Resource.from_contents(
                json.loads(files("ptxscope.documents").joinpath(name).read_text())
            )
            for name in ("block.schema.json", "trace.schema.json")
        ]
        registry = Registry().with_resources([(str(x.id()), x) for x in schemas])
        Draft202012Validator(schemas[0].contents, registry=registry).validate(data)


def test_one_answer_is_said_to_be_one() -> None:
    trace = trace_block(PTX, {**VALUES, "b": 1})
    text = ptxscope.export(trace, "text", Options(both=True))
    assert "One answer: on these values isa and every known ptxas agree." in text
    assert "(isa)" not in text


def test_the_other_answer_of_an_assembler_is_the_documented_one() -> None:
    trace = trace_block(PTX, VALUES, model="ptxas-13.0")
    text = ptxscope.export(trace, "text", Options(both=True))
    assert text.index("(ptxas-13.0)") < text.index("(isa)")


def test_wires_of_two_answers_stay_apart() -> None:
    drawing = draw_trace(TRACE, Options(both=True))
    links = drawing.canvas.links
    sources = {target: source for source, target in links if target[1] in ("a", "b")}
    assert sources["s3.", "a", 0][0] == "s2."
    assert sources["s3-other.", "a", 0][0] == "s2-other."
    # what is alike in both is drawn once
    assert {x[0] for x in (a for a, b in links if b[0] == "s3-other." and b[1] == "b")} == {"s1."}
    ids = [x.attrib["id"] for x in ET.fromstring(
        ptxscope.export(TRACE, "svg", Options(both=True))).iter() if "id" in x.attrib]  # fmt: skip
    assert len(ids) == len({*ids})


def test_wires_of_two_answers_below_each_other_go_around_the_statements_between() -> None:
    drawing = draw_trace(TRACE, Options(both=True, compact=True))
    for target in ("s3.", "a", 0), ("s3-other.", "a", 0):
        (source,) = (a for a, b in drawing.canvas.links if b == target)
        (line,) = drawing.canvas.links[source, target]
        points = re.findall(r"[ML]([\d.]+) ([\d.]+)", line)  # to the right, down, and back
        assert len(points) == 4
        assert COMPACT.page.right < float(points[1][0]) == float(points[2][0]) < 400


LANES = trace_block(
    "{ prmt.b32 t, a, b, 0x5410; vadd2.s32.s32.s32.sat d, t, c, c; }",
    {"a": 0x11223344, "b": 0x8899AABB, "c": 0x7FFF},
)


def test_notes_on_lanes_stand_below_their_statement() -> None:
    trace, options = annotate_trace(LANES, notes=["s2.lane 1=the sign"])
    text = ptxscope.export(trace, "text", options)
    assert text.index("[-21829, 32767]\n  * lane 1: the sign\n\nd = ") > text.index("2. vadd2")
    assert "> lane 1: the sign" in ptxscope.export(trace, "markdown", options)
    svg = ET.fromstring(ptxscope.export(trace, "svg", options))
    said = ["".join(x.itertext()) for x in svg.iter() if x.tag.endswith("}text")]
    assert "lane 1 · note 1" in said
    assert "note 1: lane 1: the sign" in said
    assert '<aside class="px-note" dir="auto">lane 1: the sign</aside>' in ptxscope.export(
        trace, "html", options
    )


def test_the_steps_that_are_left_out_of_a_statement_are_named() -> None:
    trace, options = annotate_trace(LANES, steps="s2.select, 9")
    for format_ in ("text", "markdown", "rst", "asciidoc", "html"):
        text = " ".join(ptxscope.export(trace, format_, options).split())
        assert "Steps not shown: 5 extend, 6 add, 7 saturate, 8 merge." in text.replace("  ", " ")


@pytest.mark.parametrize("format_", ["text", "markdown", "rst", "asciidoc", "html"])
def test_a_result_of_lanes_is_not_read_as_one_number(format_: str) -> None:
    text = ptxscope.export(LANES, format_)
    assert str(0xAABB7FFF - (1 << 32)) not in text
    for bracket, code in (("[", "&#91;"), ("]", "&#93;")):
        text = text.replace(f"\\{bracket}", bracket).replace(code, bracket)
    assert text.count("[-21829, 32767]") >= 2


def test_a_note_on_several_statements_stands_in_a_picture_once() -> None:
    saturated = "vadd.u32.s32.s32.sat d.b0, a, b, c"
    block = trace_block(
        f"{{ {saturated}; {saturated.replace('d.b0', 'e.b0')}; }}", {"a": 1, "b": 0, "c": 0}
    )
    svg = ET.fromstring(ptxscope.export(block, "svg"))
    said = ["".join(x.itertext()) for x in svg.iter() if x.tag.endswith("}text")]
    assert sum(x.startswith("Note: the manual says") for x in said) == 1


@pytest.mark.parametrize("format_", TEXTS)
def test_a_hidden_result_is_in_no_format(format_: str) -> None:
    trace, options = annotate_trace(TRACE, result=False)
    text = ptxscope.export(trace, format_, options._replace(both=True))
    for bits in (DOCUMENTED, ASSEMBLED, str(0x00332211), str(0xFF332211)):
        assert bits not in text
    assert "11223300" in text  # statement 2 is shown


@pytest.mark.parametrize("format_", TEXTS)
def test_a_result_that_is_only_carried_is_hidden_where_it_is_computed(format_: str) -> None:
    ptx = "{ popc.b32 t, a; min.u32 u, t, 99; lop3.b32 d, u, 0, 0, 0xf0; }"
    trace, options = annotate_trace(trace_block(ptx, {"a": 0xFFF00000}), result=False)
    text = ptxscope.export(trace, format_, options)
    assert "d = 0x0000000c" not in text


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
    trace, options = annotate_trace(TRACE, steps=words)
    assert {x.number for x in trace.steps if options.shows(x.place)} == numbers
    text = ptxscope.export(trace, "text", options)
    shown = {int(x) for x in re.findall(r"(?m)^(\d+) [a-z]", text)}
    assert shown - {3} == numbers - {3}  # "3 statements" is the first line
    command = text[text.index("\n$ ptxscope") + 3 :].replace("\\\n", " ")
    assert annotate_trace(TRACE, steps=shlex.split(command)[-1])[1].steps == options.steps


@pytest.mark.parametrize("words", ["0", "99", "s4", "s1.saturate", "saturate", "5-2", "s0", "x"])
def test_steps_that_a_block_lacks(words: str) -> None:
    with pytest.raises(ValueError, match=r"step|wrong way round"):
        annotate_trace(TRACE, steps=words)


@pytest.mark.parametrize("format_", TEXTS)
def test_until_shows_no_later_value(format_: str) -> None:
    trace, options = annotate_trace(TRACE, until="s2.saturate")
    text = ptxscope.export(trace, format_, options)
    assert DOCUMENTED not in text
    assert "11223300" not in text  # the result of statement 2
    assert "ffffffff" in text


def test_notes_name_their_statement(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["trace", PTX, "a=-1", "b=0", "c=0x11223344", "--note", "s2.saturate=the clamp",
             "--note", "9=the order", "--note", "s2.merge lane 1=kept"]  # fmt: skip
    assert main(words) == 0
    text = capsys.readouterr().out
    lines = text.splitlines()
    for note, after in (("the clamp", "6 saturate"), ("the order", "9 "), ("kept", "7 merge")):
        place = next(i for i, line in enumerate(lines) if note in line and "$" not in line)
        heading = next(x for x in reversed(lines[:place]) if re.match(r"\d+ [a-z]", x))
        assert heading.startswith(after)
    command = text[text.index("\n$ ptxscope") + 3 :].replace("\\\n", " ")
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out == text
    for wrong in ("saturate=x", "s2=x", "s9.1=x", "s2.lane 7=x", "s2.saturate"):
        assert main([*words, "--note", wrong]) == 2


@sampled
@pytest.mark.parametrize("both", [False, True])
def test_frames_go_through_all_statements(both: bool) -> None:
    frames = make_frames(TRACE, Options(both=both))
    *early, last = frames
    assert [int(x.name[:2]) for x in frames] == sorted({int(x.name[:2]) for x in frames})
    if not both:
        assert len(frames) == len(TRACE.steps)
    for frame in early:
        assert DOCUMENTED not in frame.svg + frame.alt + frame.short_alt
    assert DOCUMENTED in last.svg
    assert DOCUMENTED in last.alt
    assert len({ET.fromstring(x.svg).attrib["viewBox"] for x in frames}) == 1


def test_motion_goes_through_all_statements() -> None:
    svg = ptxscope.export(TRACE, "svg", Options(motion=Motion.STEPPING))
    classes = {int(x) for x in re.findall(r"px-k(\d+)", svg)}
    assert classes == {*range(1, len(TRACE.steps) + 1)}
    assert 'id="step-s2.saturate"' in svg


def test_the_description_of_a_picture(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["trace", PTX, "a=-1", "b=0", "c=0x11223344", "--alt"]
    assert main([*words, "short"]) == 0
    assert capsys.readouterr().out == (
        "brev.b32 r, a; vadd.u32.s32.s32.sat t.b0, a, b, c; prmt.b32 d, t, r, 0x0123 on "
        "a = 0xffffffff, b = 0x00000000, c = 0x11223344 gives d = 0x00332211, 3351057.\n"
    )
    assert main(words) == 0
    assert "2. vadd.u32.s32.s32.sat t.b0, a, b, c gives t = 0x11223300." in capsys.readouterr().out


@pytest.mark.parametrize("motion", Motion)
def test_a_block_whose_statements_are_all_folded_does_not_move(motion: Motion) -> None:
    options = Options(folded=frozenset({1, 2, 3}), motion=motion)
    assert DOCUMENTED in ptxscope.export(TRACE, "svg", options)
    assert make_frames(TRACE, options) == ()
