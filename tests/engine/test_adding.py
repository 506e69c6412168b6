"""Another instruction takes an entry and a lowering, another micro-operation a class: no more.

``added_instructions`` has the instructions. The results of dp4a and prmt are from the team's
reference, those of the made-up vrev4 from strings of digits.
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from ptxscope.diagnosis.explanations import investigate
from ptxscope.diagnosis.observation import Observation, make_observed
from ptxscope.documents import export
from ptxscope.documents.formats.diagnosis_report import find_lane_verdicts
from ptxscope.documents.options import Options
from ptxscope.engine.isa import catalog
from ptxscope.engine.isa.catalog import find_entry
from ptxscope.engine.isa.form import Form
from ptxscope.engine.isa.types import Type
from ptxscope.engine.semantics import video_lowering
from ptxscope.engine.semantics.models import parse_model
from ptxscope.engine.syntax.instruction import Guard, Immediate, Instruction, Register
from ptxscope.engine.syntax.modifiers import ParsedModifiers
from ptxscope.engine.syntax.tokens import find_statements
from ptxscope.engine.tracing.basic_block import make_block
from ptxscope.engine.tracing.evaluation import evaluate
from ptxscope.engine.tracing.trace import make_trace, trace
from ptxscope.scene.scene_builder import build_scene
from tests.engine.added_instructions import ADDED, DP4A
from tests.export import every
from tests.tiers import ci_only, some

Values = tuple[int, ...]


def _reverse_bytes(a: int) -> int:
    return int("".join(f"{byte:08b}"[::-1] for byte in a.to_bytes(4)), 2)


_RNG = Random(0)
_REVERSED = [0x06010380, 0, 0xFFFFFFFF, *(_RNG.getrandbits(32) for _ in range(20))]


class _Case(NamedTuple):
    """An instruction, its values and results, and what its views say."""

    line: str
    rows: tuple[tuple[Values, int], ...]
    """Values of the sources in order, and of d."""
    said: str
    """A sentence of the trace of the first row."""
    hint: str
    """The last hint on lane 0 of the main row."""
    mistake: tuple[str, str]
    """A wrong answer there, and its explanation."""
    letters: str
    """A cell of the form's picture."""
    provenance: list[list[object]]
    """The operand bits behind bit 5 of the first result."""
    observed: str
    """A wrong result of the first row, as someone may have it."""
    explanation: str


CASES = {
    "dp4a": _Case(
        "dp4a.u32.u32 d, a, b, c",
        (
            ((0xFA78B316, 0x10020, 0xB9798A11), 0xB9798D49),
            ((0xBA622661, 0xB35650E7, 0x1DE3CA7E), 0x1DE4D0DF),
            ((0x27638FC, 0x27638FC, 0x8100027F), 0x81013D37),
            ((0x27E7E7F, 0x27E7E7F, 0xFF), 0xBC0C),
            ((0x4A3805F8, 0x4DFB2169, 0xFF0002FE), 0xFF00B685),
            ((0x2FEFE80, 0x3F808000, 0xFDF79AD3), 0xFDF89951),
            ((0xEF90B5BD, 0x7E00FF80, 0xFF7FFF), 0x101086C),
            ((0x5D004D97, 0x5D004D97, 0x318E2830), 0x318EBA33),
            ((0xFE8102FF, 0xC8, 0x7FFFFFFF), 0x8000C737),
            ((0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF), 0x3F803),
        ),
        "a times b, exactly.",
        "Lane 0: 22 * 32 is 704.",
        ("54", "You added: 22 * 32 is 704."),
        "a0 * b0 in 0..65025",
        [["a", 0, 32], ["b", 0, 32], ["c", 0, 32]],
        "0x338",
        "with c = 0",
    ),
    "prmt": _Case(
        "prmt.b32 d, a, b, c",
        (
            ((0x7E00, 0x1BBC58DD, 0x3439D61D), 0xBC7E00),
            ((0x3612CB0C, 0x10001, 0x8579), 0xFF),
            ((0x7C29F299, 0x1, 0x8888), 0xFFFFFFFF),
            ((0x7E000180, 0xD44BB0AF, 0xC4A8), 0xFFAF00FF),
            ((0x80000001, 0x80000001, 0xA6BF), 0xFFFF),
            ((0xB6DF7043, 0xFE64EEE7, 0xE279), 0xDFFE00),
            ((0xE0A0EAAD, 0xFF, 0xFEDC), 0xFF),
            ((0xEE59BAEC, 0xEE59BAEC, 0x897), 0xECFFFFEE),
            ((0xFF0101, 0x1, 0xFFFFFFFF), 0),
            ((0x7FFEFF81, 0x7C007FFF, 0x12CC), 0xFFFEFFFF),
            ((0x6A219DCD, 0xD5503198, 0xAD3E195), 0x9DFF31),
            ((0x2028750C, 0x222B64E7, 0x1375), 0x75202264),
            ((0x3984A529, 0x11F, 0xE2AC), 0x84FF00),
        ),
        "Each nibble of c picks a byte of {b, a}",
        "Lane 0: nibble 0 of c is d: the sign of b.b1, 0x00.",
        ("0x7e", "That is lane 1's value."),
        "permute(a, b, c) in 0..255",
        [["b", 15, 16], ["c", 0, 4]],
        "0x00005800",
        "with a and b exchanged",
    ),
    "vrev4": _Case(
        "vrev4.u32 d, a",
        tuple(((a,), _reverse_bytes(a)) for a in _REVERSED),
        "The bits of a in reverse order.",
        "Lane 0: reverse(128) is 1.",
        ("128", "You left the bits in order: reverse(128) is 1."),
        "reverse(a0) in 0..255",
        [["a", 2, 3]],
        "0x06010380",
        "with a holding the result already, as if run twice",
    ),
}
FORMATS = ("text", "markdown", "json", "html", "svg", "rst", "asciidoc", "c", "python")
_STANDALONE = {"html": ("--standalone",)}


def _assign(case: _Case) -> list[str]:
    return [f"{name}={x:#x}" for name, x in zip("abc", case.rows[0][0], strict=False)]


def _format_csv(case: _Case) -> str:
    names = "abc"[: len(case.rows[0][0])]
    lines = (",".join(map(hex, values)) for values, _ in case.rows)
    return "\n".join([",".join(names), *lines, ""])


@pytest.fixture(scope="module", params=some(CASES))
def answers(request: pytest.FixtureRequest) -> tuple[_Case, dict[str, Any]]:
    """What a process that adds the instructions first answers about one of them."""
    case = CASES[request.param]
    values = _assign(case)
    commands = {
        "csv": (["eval", case.line, "--csv", "-"], _format_csv(case)),
        "sweep": (["sweep", case.line, *values, "--x", "a.b1", "--of", "d", "-f", "csv"], ""),
        "words": (["sweep", case.line, *values, "-f", "words"], ""),
        "explain": (["explain", case.line, *values, "--got", case.observed], ""),
        "check": (["check", "-"], f"{case.line};\n{case.line.replace('.', '.q')};\n"),
        **{
            name: (["trace", case.line, *values, "-f", name, *_STANDALONE.get(name, ())], "")
            for name in FORMATS
        },
    }
    views = [(case.line, dict(zip("abc", case.rows[0][0], strict=False)), case.mistake[0])]
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.added_instructions"],
        input=json.dumps({"commands": [*commands.values()], "views": views}),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    return case, dict(zip(commands, found["commands"], strict=True)) | found["views"][0]


Answers = tuple[_Case, dict[str, Any]]


@ci_only
def test_it_is_traced_in_every_format(answers: Answers) -> None:
    case, found = answers
    d = f"0x{case.rows[0][1]:08x}"
    for name in FORMATS:
        status, text, messages = found[name]
        assert (status, messages) == (0, ""), name
        every.READERS[name](text)
        assert d in text or name in ("c", "python")
    assert case.said in " ".join(found["text"][1].split())
    svg = " ".join(ET.fromstring(found["svg"][1]).itertext())
    assert d[2:] in svg.replace(" ", "")


def test_arrays_and_the_python_function_compute_it(answers: Answers) -> None:
    case, found = answers
    status, text, messages = found["csv"]
    assert (status, messages) == (0, "")
    assert [int(row["d"], 16) for row in csv.DictReader(io.StringIO(text))] == [
        d for _, d in case.rows
    ]
    names: dict[str, Any] = {}
    exec(found["python"][1], names)
    function = next(x for name, x in names.items() if name.startswith(case.line[:4]))
    assert [function(*values) for values, _ in case.rows] == [d for _, d in case.rows]


def test_it_is_swept(answers: Answers) -> None:
    case, found = answers
    values, d = case.rows[0]
    rows = list(csv.reader(io.StringIO(found["sweep"][1])))[1:]
    assert len(rows) == 256
    assert int(rows[values[0] >> 8 & 0xFF][3], 16) == d
    assert "goes through" in found["words"][1]


def test_a_surprise_is_explained_and_a_listing_checked(answers: Answers) -> None:
    case, found = answers
    status, text, _ = found["explain"]
    assert status == 0
    assert case.explanation in " ".join(text.split())
    status, text, _ = found["check"]
    assert status == 1
    assert "2 instructions, 1 illegal" in text


def test_lessons_ask_about_it_and_explain_mistakes(answers: Answers) -> None:
    case, found = answers
    assert found["right"]
    assert found["hints"][-1] == case.hint
    assert case.mistake[1] in " ".join(found["wrong"])


def test_the_explorer_and_a_form_draw_it(answers: Answers) -> None:
    case, found = answers
    lanes = " ".join(found["lanes"])
    assert f"{case.rows[0][1]:08x}"[-2:] in lanes
    assert case.letters in found["form"]
    assert found["provenance"] == case.provenance


# --- dp4a in this process ----------------------------------------------------------------

KNOWN = (
    (Type.U32, Type.U32, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x3F803),
    (Type.S32, Type.U32, 0xFF0180FF, 0x102FFFF, 0, 0xFFFF7F82),
    (Type.S32, Type.S32, 0x80808080, 0x80808080, 0x7FFFFFFF, 0x8000FFFF),
)


@pytest.fixture
def _added(monkeypatch: pytest.MonkeyPatch) -> None:
    for entry, lower in ADDED:
        monkeypatch.setitem(catalog.CATALOG, entry.opcode, entry)
        monkeypatch.setitem(catalog.SHAPES, entry.opcode, (entry,))
        monkeypatch.setitem(video_lowering.LOWERINGS, entry.opcode, lower)


def _dp4a(atype: Type, btype: Type) -> Instruction:
    form = Form("dp4a", atype=atype, btype=btype, c=True)
    return Instruction(form, ("d",), (Register("a"), Register("b"), Register("c")))


@pytest.mark.parametrize(("atype", "btype", "a", "b", "c", "d"), KNOWN)
@pytest.mark.usefixtures("_added")
def test_it_computes(atype: Type, btype: Type, a: int, b: int, c: int, d: int) -> None:
    ins = _dp4a(atype, btype)
    assert str(ins) == f"dp4a.{atype}.{btype} d, a, b, c;"
    values = {"a": a, "b": b, "c": c}
    assert evaluate(ins, values) == trace(ins, values).result == {"d": d}
    every.check(trace(ins, values), Options(standalone=True))


@pytest.mark.parametrize(("atype", "btype"), [case[:2] for case in KNOWN])
@pytest.mark.usefixtures("_added")
def test_it_computes_arrays(atype: Type, btype: Type) -> None:
    ins = _dp4a(atype, btype)
    rng = np.random.default_rng(4)
    values = {name: rng.integers(0, 1 << 32, 300, np.uint32) for name in "abc"}
    (known,) = (case for case in KNOWN if case[:2] == (atype, btype))
    for name, bits in zip("abc", known[2:], strict=False):
        values[name][0] = bits
    found: Any = evaluate(ins, values)["d"]
    assert found[0] == known[5]
    assert found.tolist() == [
        evaluate(ins, {name: int(values[name][at]) for name in "abc"})["d"] for at in range(300)
    ]


@pytest.mark.usefixtures("_added")
def test_it_is_found_and_its_modifiers_are_read() -> None:
    (statement,) = find_statements("dp4a.s32.u32 d, a, b, c;", frozenset(("dp4a",)))
    entry = find_entry("dp4a", [word.text[1:] for word in statement.modifiers])
    assert entry is DP4A
    found = ParsedModifiers(entry)
    found.parse_modifiers(statement.modifiers, 0)
    assert (found.values, found.problems) == ({"atype": Type.S32, "btype": Type.U32}, [])


@pytest.mark.usefixtures("_added")
def test_its_operands_are_lanes_where_the_catalog_says_so() -> None:
    ins = _dp4a(Type.S32, Type.U32)
    assert [role for role in "abcd" if ins.has_lanes(role)] == ["a", "b"]
    assert [ins.count_lanes(role) for role in "abcd"] == [4, 4, 1, 1]
    tr = trace(ins, {"a": 0xFF0180FF, "b": 0x102FFFF, "c": 7})
    text = export(tr)
    assert "[-1, 1, -128, -1]" in text
    assert "[1, 2, 255, 255]" in text
    assert "0x00000007  7\n" in text
    assert "0xffff7f89  -32887\n" in text
    parts = {x.role: [str(cell) for cell in x.cells] for x in build_scene(tr).registers}
    assert [text.split()[0] for text in parts["a"]] == ["ff", "01", "80", "ff"]
    assert parts["c"] == ["00000007"]


@pytest.mark.usefixtures("_added")
def test_no_sentence_names_a_modifier_that_it_does_not_have() -> None:
    ins = replace(_dp4a(Type.S32, Type.S32), guard=Guard("p", negated=True))
    tr = make_trace(ins, parse_model("isa"), {"a": 1, "b": 2, "c": 3, "guard": 0, "d": 4})
    assert tr.result == {"d": 5}
    for format_ in ("text", "markdown", "svg", "html"):
        assert ".add" not in export(tr, format_)
        assert "mask" not in export(tr, format_)


@pytest.mark.usefixtures("_added")
def test_a_literal_may_stand_for_lanes() -> None:
    ins = _dp4a(Type.U32, Type.U32)
    ins = replace(ins, sources=(Register("a"), Immediate(0x01010101, "0x01010101"), Register("c")))
    assert trace(ins, {"a": 0x01020304, "c": 0}).result == {"d": 10}


@pytest.mark.usefixtures("_added")
def test_a_surprise_is_explained_though_there_is_no_selector_to_solve() -> None:
    ins = _dp4a(Type.S32, Type.U32)
    operands = {"a": 0xFF0180FF, "b": 0x102FFFF, "c": 0}
    wrong = evaluate(_dp4a(Type.U32, Type.U32), operands)["d"]
    seen = Observation(operands, {"d": make_observed(int(wrong), 32)})
    diagnosis = investigate(make_block(ins), (seen,))
    assert diagnosis.explanations
    assert find_lane_verdicts(diagnosis)[:2] == (32, ())
