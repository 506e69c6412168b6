"""Text traces: complete, narrow, plain."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ptxscope import Instruction, export, parse, trace, trace_block
from ptxscope.documents.content.document import StepView
from ptxscope.documents.content.document_builder import build_document, make_cells
from ptxscope.documents.formats.text import iter_step_lines
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.semantics.rules import ERRATA, Erratum
from tests.driving.samples import E3, HOSTILE, annotated, kept
from tests.strategies import evaluations


@given(evaluations())
def test_every_text_trace_fits_and_contains_its_values(
    evaluation: tuple[Instruction, dict[str, int]],
) -> None:
    ins, values = evaluation
    found = trace(ins, values)
    text = export(found)
    body, _, shell = text.partition("\n$ ")
    assert max(map(len, body.splitlines())) <= 80
    for role, name in ins.results.items():
        bits = format_hex(found.result[name], ins.type_of(role).bits)
        assert re.search(rf"^{name} = {bits}\b", text, re.MULTILINE)
    for needed in ins.inputs:
        assert f"{needed.name}={format_hex(values[needed.name], needed.type.bits)}" in shell
    for step in found.steps:
        assert re.search(rf"^{step.number} ", text, re.MULTILINE)


def words_of_cells(step: StepView) -> Counter[str]:
    """The words of what each lane is shown as: numbers, names and signs."""
    texts = (
        cell.text if len(make_cells(row)) > 1 else str(cell.formula)
        for row in step.rows
        for cell in make_cells(row)
    )
    return Counter(word for text in texts for word in text.split())


@given(evaluations(), st.sampled_from(("isa", "ptxas")), st.sampled_from((80, 60, 40)))
@example(
    (
        parse("vshl.u32.s32.u32.clamp d.b0, a, b.b2, c"),
        {"a": 0xFF80FFFF, "b": 0x7F40FFFF, "c": 0xD60B232C},
    ),
    "isa",
    80,
)
def test_no_number_is_split_between_lines(
    evaluation: tuple[Instruction, dict[str, int]], model: str, width: int
) -> None:
    for step in build_document(trace(*evaluation, model=model)).steps:
        words = Counter(" ".join(iter_step_lines(step, width)).split())
        broken = {word: n for word, n in (words_of_cells(step) - words).items() if len(word) <= 26}
        assert not broken  # longer words have no room in a line of 40 columns


@pytest.mark.parametrize("opcode", CATALOG)
def test_examples_are_ascii(opcode: str) -> None:
    text = export(trace(*CATALOG[opcode].example))
    assert text.isascii()


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda x: x.id)
def test_two_answers_are_listed_together(erratum: Erratum) -> None:
    ptx, values, isa, ptxas = erratum.example
    digits = parse(ptx).type_of("d").bits // 4
    for model in ("isa", "ptxas-13.0"):
        answers = export(trace(ptx, values, model=model)).partition("Two answers")[2]
        assert f"0x{isa:0{digits}x}" in answers
        assert f"0x{ptxas:0{digits}x}" in answers
        assert erratum.id in answers


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text_in_80_columns(text: str) -> None:
    shown = export(annotated(E3, text))
    assert not any(unicodedata.category(char) == "Cc" and char != "\n" for char in shown)
    assert "\u202e" not in shown
    body = shown[: shown.index("PTX ISA 9")]
    assert max(len(line) for line in body.splitlines()) <= 80
    assert "".join(kept(text).split()) in "".join(body.split())


def test_the_edition_of_the_manual_is_not_read_as_a_section() -> None:
    """The section on vmin4 and its like; two statements cite two."""
    lines = {
        "vmin4.s32.s32.s32 d, a, b, c": "9.7.18.2.3 (PTX 3.0, sm_30 and later)",
        "{ add.u32 t, a, b; vmin4.s32.s32.s32 d, t, b, c; }": "9.7.1.1, {}9.7.18.2.3",
    }
    for line, sections in lines.items():
        shown = trace_block(line, {"a": 1, "b": 2, "c": 3})
        for format_, sign in {"text": "section ", "markdown": "§", "svg": "§"}.items():
            assert f"PTX ISA 9.2, {sign}{sections.format(sign)}" in export(shown, format_)


def test_comparisons_are_bracketed_before_their_result() -> None:
    """128 is not below 0, and 1 is below 2; of one lane and of four."""
    four = trace("vset4.u32.s32.lt d, a, b, c", {"a": 0x80000001, "b": 2, "c": 0})
    one = trace("setp.lt.u32 p, a, b", {"a": 128, "b": 0})
    for format_ in ("text", "markdown", "rst", "asciidoc"):
        for shown in (four, one):
            said = re.sub(r"\\|&#x?\w+;|`|\++", "", export(shown, format_))
            assert "(128 < 0) = 0" in said
            assert not re.search(r"[^(]128 < 0 =", said)


@given(evaluations(), st.sampled_from(("isa", "ptxas")))
def test_no_line_ends_with_an_equals_sign(
    evaluation: tuple[Instruction, dict[str, int]], model: str
) -> None:
    for step in build_document(trace(*evaluation, model=model)).steps:
        assert not [line for line in iter_step_lines(step) if line.rstrip().endswith("=")]


def test_lanes_side_by_side_do_not_read_as_one_equation() -> None:
    """The bytes 0x99, which are -103, are added to themselves: three blanks between lanes."""
    text = export(trace("vadd4.s32.s32.s32 d, a, b, c", {"a": 0x99999999, "b": 0x99999999, "c": 0}))
    for cell in (r"-103 \+ \(-103\)", "= -206"):
        assert re.search(rf"{cell}( {{3,}}{cell}){{3}}$", text, re.MULTILINE)
