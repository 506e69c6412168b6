"""Another instruction takes an entry and a lowering, another micro-operation a class: no more.

``added_instructions`` has the made-up ``vrev4``.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from tests.driving import every
from tests.driving.added_instructions import (
    LINE,
    OPERANDS,
    RESULT,
    ask_process,
)
from tests.tiers import ci_only

FORMATS = ("text", "markdown", "json", "html", "svg", "rst", "asciidoc")
_STANDALONE = {"html": ("--standalone",)}


Answers = dict[str, Any]


@pytest.fixture(scope="module")
def answers() -> Answers:
    """What a process that adds the instruction first answers about it."""
    value = f"a={OPERANDS[0]:#x}"
    return ask_process(
        {
            "explain": (["explain", LINE, value, "--got", hex(OPERANDS[0])], ""),
            **{
                name: (["trace", LINE, value, "-f", name, *_STANDALONE.get(name, ())], "")
                for name in FORMATS
            },
        }
    )


@ci_only
def test_the_added_instruction_is_traced_in_every_format(answers: Answers) -> None:
    d = f"0x{RESULT:08x}"
    for name in FORMATS:
        status, text, messages = answers[name]
        assert (status, messages) == (0, ""), name
        every.READERS[name](text)
        assert d in text
    assert "The bits of a in reverse order." in " ".join(answers["text"][1].split())
    svg = " ".join(ET.fromstring(answers["svg"][1]).itertext())
    assert d[2:] in svg.replace(" ", "")


def test_a_surprise_is_explained(answers: Answers) -> None:
    status, text, _ = answers["explain"]
    assert status == 0
    assert "if a already held the result, as after a second run" in " ".join(text.split())


def test_exercises_grade_the_added_instruction(answers: Answers) -> None:
    assert answers["right"]
    assert answers["hints"][-1] == "Lane 0: reverse(128) is 1."


def test_the_explorer_and_a_form_draw_the_added_instruction(answers: Answers) -> None:
    assert f"{RESULT:08x}"[-2:] in " ".join(answers["lanes"])
    assert "reverse(a0) in 0..255" in answers["form"]
    assert answers["provenance"] == [["a", 2, 3]]
