"""Another instruction takes an entry and a lowering, another micro-operation a class: no more.

``added_instructions`` has the made-up ``vrev4``. Its results are from strings of digits.
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from random import Random
from typing import Any

import pytest

from tests.driving import every
from tests.tiers import ci_only

Values = tuple[int, ...]


def _reverse_bytes(a: int) -> int:
    return int("".join(f"{byte:08b}"[::-1] for byte in a.to_bytes(4)), 2)


_RNG = Random(0)
_REVERSED = [0x06010380, 0, 0xFFFFFFFF, *(_RNG.getrandbits(32) for _ in range(20))]
LINE = "vrev4.u32 d, a"
RESULT = _reverse_bytes(_REVERSED[0])
FORMATS = ("text", "markdown", "json", "html", "svg", "rst", "asciidoc", "c", "python")
_STANDALONE = {"html": ("--standalone",)}


Answers = dict[str, Any]


@pytest.fixture(scope="module")
def answers() -> Answers:
    """What a process that adds the instruction first answers about it."""
    value = f"a={_REVERSED[0]:#x}"
    commands = {
        "csv": (["eval", LINE, "--csv", "-"], "\n".join(["a", *map(hex, _REVERSED), ""])),
        "sweep": (["sweep", LINE, value, "--x", "a.b1", "--of", "d", "-f", "csv"], ""),
        "words": (["sweep", LINE, value, "-f", "words"], ""),
        "explain": (["explain", LINE, value, "--got", hex(_REVERSED[0])], ""),
        "check": (["check", "-"], f"{LINE};\n{LINE.replace('.', '.q')};\n"),
        **{
            name: (["trace", LINE, value, "-f", name, *_STANDALONE.get(name, ())], "")
            for name in FORMATS
        },
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.added_instructions"],
        input=json.dumps({"commands": [*commands.values()], "line": LINE, "a": _REVERSED[0]}),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    return {**dict(zip(commands, found["commands"], strict=True)), **found["views"]}


@ci_only
def test_the_added_instruction_is_traced_in_every_format(answers: Answers) -> None:
    d = f"0x{RESULT:08x}"
    for name in FORMATS:
        status, text, messages = answers[name]
        assert (status, messages) == (0, ""), name
        every.READERS[name](text)
        assert d in text or name in ("c", "python")
    assert "The bits of a in reverse order." in " ".join(answers["text"][1].split())
    svg = " ".join(ET.fromstring(answers["svg"][1]).itertext())
    assert d[2:] in svg.replace(" ", "")


def test_arrays_and_the_python_function_compute_the_added_instruction(answers: Answers) -> None:
    status, text, messages = answers["csv"]
    assert (status, messages) == (0, "")
    expected = [_reverse_bytes(a) for a in _REVERSED]
    assert [int(row["d"], 16) for row in csv.DictReader(io.StringIO(text))] == expected
    names: dict[str, Any] = {}
    exec(answers["python"][1], names)
    function = next(x for name, x in names.items() if name.startswith("vrev"))
    assert [function(a) for a in _REVERSED] == expected


def test_the_added_instruction_is_swept(answers: Answers) -> None:
    rows = list(csv.reader(io.StringIO(answers["sweep"][1])))[1:]
    assert len(rows) == 256
    assert int(rows[_REVERSED[0] >> 8 & 0xFF][3], 16) == RESULT
    assert "goes through" in answers["words"][1]


def test_a_surprise_is_explained_and_a_listing_checked(answers: Answers) -> None:
    status, text, _ = answers["explain"]
    assert status == 0
    assert "with a holding the result already, as if run twice" in " ".join(text.split())
    status, text, _ = answers["check"]
    assert status == 1
    assert "2 instructions, 1 illegal" in text


def test_exercises_grade_the_added_instruction_and_explain_mistakes(answers: Answers) -> None:
    assert answers["right"]
    assert answers["hints"][-1] == "Lane 0: reverse(128) is 1."
    assert "You left the bits in order: reverse(128) is 1." in " ".join(answers["wrong"])


def test_the_explorer_and_a_form_draw_the_added_instruction(answers: Answers) -> None:
    assert f"{RESULT:08x}"[-2:] in " ".join(answers["lanes"])
    assert "reverse(a0) in 0..255" in answers["form"]
    assert answers["provenance"] == [["a", 2, 3]]
