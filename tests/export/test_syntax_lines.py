"""Syntax on several lines: no modifier is broken."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.grammar import format_syntax
from ptxscope.export.media import poster_sheet
from ptxscope.export.svg.text_fitting import measure_text, wrap_text
from tests.tiers import sampled

NS = "{http://www.w3.org/2000/svg}"


def ends(lines: list[str], written: str) -> list[tuple[str, str]]:
    """What stands on both sides of where a word is broken."""
    return [(x, y) for x, y in pairwise(lines) if x.split()[-1] + y.split()[0] in written]


@sampled
@pytest.mark.parametrize("opcode", CATALOG)
@pytest.mark.parametrize("wide", [100, 150, 196])
def test_a_syntax_is_broken_between_modifiers(opcode: str, wide: int) -> None:
    written = format_syntax(CATALOG[opcode])
    lines = wrap_text(written, wide, 9, is_monospaced=True)
    assert "".join(lines).replace(" ", "") == written.replace(" ", "")
    assert max(measure_text(line, 9, is_monospaced=True) for line in lines) <= wide
    for before, after in ends(lines, written):
        assert before[-1] in "|}" or after[0] == ".", lines
        assert before[-1] != "{", lines


@pytest.mark.parametrize("number", poster_sheet.SHEETS)
def test_the_poster_breaks_none(number: int) -> None:
    for card in ET.fromstring(poster_sheet.render(number=number)).iter(f"{NS}g"):
        if card.get("class") != "px-card":
            continue
        lines = [x.text or "" for x in card.iter(f"{NS}text") if x.get("font-size") == "9"]
        opcode = card.get("id", "").removeprefix("px-poster-")
        starts = [
            at for at, line in enumerate(lines) if line.startswith((f"{opcode}.", f"{opcode}{{"))
        ]
        assert starts, opcode
        stop = next(at for at, line in enumerate(lines) if at >= starts[0] and line.endswith(";"))
        for before, after in ends(lines[starts[0] : stop + 1], format_syntax(CATALOG[opcode])):
            assert before[-1] in "|}" or after[0] == ".", (before, after)
