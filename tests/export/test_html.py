"""HTML, read by an HTML5 parser that forgives nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.resources import files

import html5lib
import pytest

from ptxscope import Trace, export, trace
from ptxscope.cli.commands.trace import render_request
from ptxscope.documents.content.document_builder import build_document
from ptxscope.documents.content.id_prefix import make_id_prefix
from ptxscope.documents.options import DEFAULT, Options
from ptxscope.documents.svg import trace_picture
from ptxscope.documents.svg.zones import find_relations
from ptxscope.documents.theme import Theme
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.micro_operations.merge import Pack
from ptxscope.engine.micro_operations.properties import MAX_LANE_BITS, Stage
from ptxscope.engine.tracing.annotations import Annotations, Note
from ptxscope.engine.tracing.provenance import LaneBits, find_ancestors, find_descendants
from ptxscope.engine.tracing.trace import StepPlace
from tests.driving.samples import BLOCK, E3, HOSTILE, annotated, kept
from tests.export.test_marked import in_markdown
from tests.tiers import ci_only, sampled, some

PAGE = Options(standalone=True)
SVG = "{http://www.w3.org/2000/svg}"
PAGE_SCRIPT = files("ptxscope.documents").joinpath("page.js").read_text(encoding="utf-8")


def page(document: str) -> ET.Element:
    parser = html5lib.HTMLParser(
        html5lib.getTreeBuilder("etree"), strict=True, namespaceHTMLElements=False
    )
    tree: ET.Element = parser.parse(document)
    return tree


def fragment(document: str) -> ET.Element:
    return page(f"<!DOCTYPE html><title>x</title>{document}")


def texts(tree: ET.Element, tag: str) -> list[str]:
    return ["".join(found.itertext()) for found in tree.iter(tag)]


@sampled
def test_every_value_is_found(sample: Trace) -> None:
    tree = page(export(sample, "html", PAGE))
    bits = [format_hex(sample.result[n], sample.instruction.type_of(r).bits)
            for r, n in sample.instruction.results.items()]  # fmt: skip
    assert texts(tree, "output") == bits
    sections = [x for x in tree.iter("div") if "px-step" in x.get("class", "")]
    assert len(sections) == len(sample.steps)
    for section, step in zip(sections, sample.steps, strict=True):
        cells = list(section.iter("td"))
        assert len(cells) == sum(len(row.values) for row in step.rows)
        assert not any(cell.get("tabindex") for cell in cells)
        assert section.get("id", "").endswith(f"-step-{step.stage}")


@sampled
def test_a_value_names_its_origins_and_its_descendants(sample: Trace) -> None:
    """As the provenance of the engine has it, row for row and lane for lane."""
    canvas = trace_picture.draw_trace(sample).canvas
    relations = find_relations(canvas)
    packed = {key for key, row in sample.rows.items() if isinstance(row.micro, Pack)}
    values = {(key, lane) for key, row in sample.rows.items() for lane in range(len(row.values))
              if key not in packed}  # fmt: skip
    for key, lane in values:
        node = ("", key, lane)
        back = {
            (x.key, x.lane) for x in find_ancestors(sample, LaneBits(key, lane, 0, MAX_LANE_BITS))
        }
        on = find_descendants(sample, LaneBits(key, lane, 0, MAX_LANE_BITS))
        assert {x[1:] for x in relations.ancestors[node]} & values == back & values
        assert {x[1:] for x in relations.descendants[node]} & values == (on & values) | {node[1:]}


@pytest.mark.parametrize("shown", [E3, BLOCK], ids=["line", "block"])
def test_a_fragment_suits_strict_readers_and_slides(shown: Trace) -> None:
    """An EPUB is XML; a slide of reveal.js takes a ``section`` for another slide."""
    document = export(shown, "html", Options(both=True))
    tree = ET.fromstring(document)
    assert not [*tree.iter("section")]
    assert (tree.get("aria-label"), tree.find("header")) != (None, None)
    titled = ET.fromstring(export(annotated(shown, "T"), "html"))
    assert titled.findtext("header/h3") == "T"
    operands = next(x for x in tree.iter("table") if x.get("class") == "px-operands")
    (head,) = {
        tuple(x[0]) for x in in_markdown(export(shown, "markdown")).tables if "operand" in x[0]
    }
    assert tuple(x.text for x in operands.iter("th") if x.get("scope") == "col") == head


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text(text: str) -> None:
    tree = page(export(annotated(E3, text), "html", PAGE))
    (script,) = texts(tree, "script")
    assert script.strip() == PAGE_SCRIPT.strip()
    said = kept(text)
    assert sorted(texts(tree, "aside")) == sorted([said, f"lane 0: {said}", f"lane 0: {said}"])
    assert texts(tree, "title") == [said]


def ids(tree: ET.Element) -> list[str]:
    return [found.get("id", "") for found in tree.iter() if found.get("id")]


@pytest.mark.parametrize("step", some([4, 1]))
def test_ids_of_two_exports_never_meet(step: int) -> None:
    """Whatever is asked of one and not of the other."""
    line, values = "vadd4.s32.s32.s32.sat d, a, b, c", {"a": 1, "b": 2, "c": 3}
    shown = trace(line, values)
    select, write = (StepPlace(1, x) for x in (Stage.SELECT, Stage.WRITE))
    steps = [{select}, {write}, {select, write}]
    notes = [Note("x", Stage.WRITE), Note("x", None, 1)]
    said = [Annotations("x"), Annotations("", "x"), Annotations("\u202e"), Annotations("\u200e")]
    said += [Annotations("", "", (note,)) for note in notes]
    others = [
        *(shown.with_annotations(x) for x in said),
        trace(line, values, model="ptxas"),
        trace(line, values | {"c": 4}),
        trace(line.replace("d,", "e,"), values),
        trace(line.replace(".sat", ""), values),
    ]
    asked = [Options(), Options(both=True), Options(theme=Theme.DARK)]
    asked += [Options(steps=frozenset(places)) for places in steps]
    made = [*((shown, options) for options in asked), *((other, DEFAULT) for other in others)]
    made = made[::step]
    prefixes = [make_id_prefix(build_document(*x), x[1], kind) for x in made for kind in KINDS]
    assert len(set(prefixes)) == len(prefixes)
    several = [x for shown, options in made for x in ids(fragment(export(shown, "html", options)))]
    assert len(set(several)) == len(several)


KINDS = ("html", "svg")


@ci_only
def test_ids_are_the_same_each_time() -> None:
    """In another process the stages of a set come in another order."""
    command = [sys.executable, "-m", "ptxscope", "trace", "vadd4.s32.s32.s32.sat d, a, b, c",
               "a=1", "b=2", "c=3", "--format=html", "--steps=1-5"]  # fmt: skip
    made = [
        subprocess.run(
            command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "123"
    ]
    assert made[0]
    assert len(set(made)) == 1


def test_a_writer_chooses_the_id() -> None:
    words = ["vadd.u32.s32.s32.sat %0.b0, %1, %2, %3", "%1=-1", "%2=0", "%3=5", "--both"]
    found = ids(page(render_request([*words, "-f", "html", "--standalone", "--id", "fig-1.a"])))
    assert {"fig-1.a", "fig-1.a-step-saturate", "fig-1.a-other-saturate", "fig-1.a-result"} <= {
        *found
    }
    assert len(set(found)) == len(found)
    assert all(x.startswith("fig-1.a") for x in found)


def test_the_words_of_a_page_are_separate_without_a_style_sheet() -> None:
    """Every cell's remark is a block of its own, and nothing is told by the style alone."""
    tree = page(export(E3, "html", PAGE))
    for cell in (x for x in tree.iter("td") if x.find("div") is not None):
        tags = [x.tag for x in cell]
        assert (tags[0], tags[-1]) == ("code", "div")
        assert all((x.tail or " ") == " " for x in cell)
    assert not [x for x in tree.iter() if x.get("style")]
    assert all(x.get("aria-label") for x in tree.iter("table"))


def test_a_long_name_is_written_once_and_then_replaced_by_its_role() -> None:
    names = [f"%{letter * 40}" for letter in "dabc"]
    shown = trace(f"vadd4.s32.s32.s32.sat {', '.join(names)}", dict.fromkeys(names[1:], 1))
    tree = page(export(shown, "html", PAGE))
    steps = [x for x in tree.iter("div") if "px-step" in x.get("class", "")]
    assert len(steps) == len(shown.steps)
    said = " ".join("".join(x.itertext()) for x in steps)
    assert "a" * 40 not in said
    assert "b" * 40 not in said
    assert "From a bits 31:24 and b bits 31:24." in said


LOP3 = trace("lop3.b32 d, a, b, c, 0xca", {"a": 0xFF00FF00, "b": 0x12345678, "c": 0x9ABCDEF0})


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
