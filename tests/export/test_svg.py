"""The picture, read by an XML parser: its values, its texts, and where they stand."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from ptxscope import Trace, trace
from ptxscope.documents.options import Options
from ptxscope.documents.svg.svg_colours import PALETTE
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.isa.types import Type
from ptxscope.engine.micro_operations.comparison import Compare
from ptxscope.engine.micro_operations.logic import Combine, Not
from ptxscope.engine.micro_operations.properties import Stage
from ptxscope.engine.tracing.annotations import Annotations, Note
from tests.export.drawings import (
    NS,
    assert_within,
    drawn,
    group,
    steps,
    texts,
    wires,
)
from tests.export.samples import E3, HOSTILE, annotated, kept, register
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
    assert_within(tree)


@pytest.mark.parametrize("name", ["%r$_", "%twelve_wide", "%" + "x" * 39, "_" + "x" * 10_000])
def test_names_of_any_length_fit_in_the_picture(name: str) -> None:
    tree = drawn(register(name))
    assert name in "".join("".join(tree.itertext()).split())
    assert_within(tree)


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
