"""Syntax on several lines: no modifier is broken."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ptxscope.documents.svg.text_fitting import measure_text, wrap_text
from ptxscope.engine.isa.catalog import CATALOG
from tests.tiers import sampled


def ends(lines: list[str], written: str) -> list[tuple[str, str]]:
    """What stands on both sides of where a word is broken."""
    return [(x, y) for x, y in pairwise(lines) if x.split()[-1] + y.split()[0] in written]


@sampled
@pytest.mark.parametrize("opcode", CATALOG)
@pytest.mark.parametrize("wide", [100, 150, 196])
def test_a_syntax_is_broken_between_modifiers(opcode: str, wide: int) -> None:
    written = f"{CATALOG[opcode].syntax};"
    lines = wrap_text(written, wide, 9, is_monospaced=True)
    assert "".join(lines).replace(" ", "") == written.replace(" ", "")
    assert max(measure_text(line, 9, is_monospaced=True) for line in lines) <= wide
    for before, after in ends(lines, written):
        assert before[-1] in "|}" or after[0] == ".", lines
        assert before[-1] != "{", lines
