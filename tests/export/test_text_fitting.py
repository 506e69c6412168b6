"""Texts in pictures: their widths, where lines are broken, and their direction."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from ptxscope import trace
from ptxscope.documents.svg.text_fitting import is_leftwards, measure_text, wrap_text
from ptxscope.engine.isa.catalog import CATALOG
from tests.export.drawings import texts
from tests.tiers import sampled


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
