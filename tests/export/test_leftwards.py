"""Titles, notes and captions in Hebrew or Arabic are read from right to left."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from ptxscope import trace
from ptxscope.documents.svg.text_fitting import is_leftwards

NS = "{http://www.w3.org/2000/svg}"
SHOWN = trace("vadd.s32.s32.s32 d, a, b, c", {"a": 1, "b": 2, "c": 0})
HEBREW, ARABIC = "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627"


@pytest.mark.parametrize(("text", "leftwards"), [
    (HEBREW, True), (f"(1) {ARABIC} vadd", True), (f"vadd {HEBREW}", False), ("12 + 3", False),
    ("\u00e9", False), ("", False),
])  # fmt: skip
def test_the_first_character_with_a_direction_says(text: str, leftwards: bool) -> None:
    assert is_leftwards(text) is leftwards


def test_writers_texts_stand_in_their_direction() -> None:
    svg = SHOWN.figure(title=f"{HEBREW} vadd (1).", caption=f"{ARABIC} d = 3!",
                       notes={"add": f"{HEBREW}: a + b."}).svg  # fmt: skip
    texts = [x.text or "" for x in ET.fromstring(svg).iter(f"{NS}text")]
    for text in (f"{HEBREW} vadd (1).", f"{ARABIC} d = 3!", f"{HEBREW}: a + b."):
        assert f"\u2067{text}\u2069" in texts
