"""A result that is kept back can't be read off anything that is shown."""

from __future__ import annotations

import re
from html import unescape

import pytest

from ptxscope import Trace, export, trace, trace_block
from ptxscope.cli.commands.trace import render_request
from ptxscope.documents.content.alt_text import format_alt_text
from ptxscope.documents.content.annotated_trace import annotate_trace
from ptxscope.documents.content.document_builder import build_document
from ptxscope.documents.options import Options
from ptxscope.engine.tracing.trace import make_trace
from tests.driving.samples import BLOCK, BLOCK_PTX, BLOCK_VALUES, E2, E3
from tests.tiers import sampled

NO_RESULT = Options(result=False)
TOLD = ("text", "markdown", "rst", "asciidoc", "html", "svg", "json")
# what each computes was done by hand: 127 + 255 is above 127; 7f02 + 1 is 7f03; 901 * 7 + 1 is
# 6308; 0xfff00000 has 12 ones, which the last block only carries from there
SHOWN: dict[tuple[str, tuple[int, ...]], tuple[str, ...]] = {
    ("vadd4.s32.s32.u32.sat d.b310, a, b.b4567, c", (0x80FF7F01, 0x01FF0280, 0xCCCCCCCC)): (
        "00cc7f02", "clamped high"),
    ("vadd.s32.s32.s32 d.h1, a.h0, b, c", (0x7F02, 1, 0x22221111)): ("7f031111", "32515"),
    ("vmad.s32.s32.s32 d, a, b, c", (901, 7, 1)): ("000018a4", "6308"),
    (BLOCK_PTX, tuple(BLOCK_VALUES.values())): ("00332211", str(0x00332211)),
    ("popc.b32 t, a; min.u32 u, t, 99; lop3.b32 d, u, b, c, 0xf0;", (0xFFF00000, 0, 0)): (
        "d = 0x0000000c",),
}  # fmt: skip


@pytest.mark.parametrize("format_", TOLD)
@pytest.mark.parametrize("line", SHOWN, ids=lambda x: x[0].split()[0])
def test_no_format_reveals_a_hidden_result(line: tuple[str, tuple[int, ...]], format_: str) -> None:
    ptx, values = line
    shown = trace_block(ptx, dict(zip("abc", values, strict=True)))
    whole = export(shown, format_) + format_alt_text(build_document(shown))
    made = export(shown, format_, NO_RESULT) + format_alt_text(build_document(shown, NO_RESULT))
    assert any(word in whole for word in SHOWN[line])
    for word in SHOWN[line]:
        assert not re.search(rf"(?<![\w.-]){re.escape(word)}(?!\w)", made), word


def last_steps(svg: str) -> str:
    """From the second last step on, without numbers of ids and places."""
    steps = re.split(r'(?=<g id="[^"]*" class="px-step px-)', svg)
    return "".join(re.findall(r">([^<]+)</text>", "".join(steps[-2:])))


@sampled
def test_the_write_step_of_a_hidden_result_is_independent_of_values(sample: Trace) -> None:
    """Nothing but c is read there, and c is the same."""
    one = sample
    inputs = [role for x in one.instruction.inputs for role in x.roles]
    other = make_trace(one.instruction, one.model,
                  {x: one.operands[x] if x == "c" else 5 for x in inputs})  # fmt: skip
    drawn = [last_steps(export(x, "svg", NO_RESULT)).partition("Write")[2] for x in (one, other)]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("format_", TOLD)
def test_both_answers_are_hidden(format_: str) -> None:
    """Documented is 0 in byte 0, and what ptxas makes of -1 is ff."""
    for shown, words in (
        (E3, ("11223300", "112233ff")),
        (BLOCK, ("00332211", "ff332211", str(0xFF332211))),
    ):
        whole, made = (export(shown, format_, Options(both=True, result=x)) for x in (True, False))
        for word in words:
            assert word in whole or word.isdigit()
            assert word not in made
    assert "11223300" in made  # statement 2 is shown


def told_words(text: str) -> str:
    """A document's words, whatever lines and elements they stand in."""
    return " ".join(re.findall(r"\w+", unescape(re.sub(r"<[^>]+>", " ", text))))


@pytest.mark.parametrize("format_", TOLD)
@pytest.mark.parametrize("shown", [E2, E3], ids=["E2", "E3"])
def test_no_word_of_an_erratum_reveals_the_result(shown: Trace, format_: str) -> None:
    answers = build_document(shown, Options(both=True)).answers
    assert answers
    whole, made = (
        told_words(export(shown, format_, Options(both=True, result=x))) for x in (True, False)
    )
    for erratum in answers.errata:
        words = told_words(erratum.sentence).split()
        parts = [" ".join(words[at : at + 5]) for at in range(len(words) - 4)]
        assert all(part in whole for part in parts)
        assert not any(part in made for part in parts)


def test_an_early_part_without_result_is_shown() -> None:
    shown = trace("vmad.s32.s32.s32 d, a, b, c", {"a": 901, "b": 7, "c": 1})
    early = frozenset(step.place for step in shown.steps[:-1])
    until = Options(steps=early, result=False, is_early=True)
    assert "6307 + 1 = 6308" in export(shown, "text", until)
    for hidden in (NO_RESULT, NO_RESULT._replace(steps=early)):
        assert "6308" not in export(shown, "text", hidden)


@sampled
def test_the_same_rows_are_hidden_whichever_steps_are_shown(sample: Trace) -> None:
    rows = {step.stage: step.rows for step in build_document(sample, NO_RESULT).steps}
    for at in range(1, len(sample.steps) + 1):
        for part in ({"steps": str(at)}, {"until": str(at)}, {"steps": f"{at}-"}):
            _, options = annotate_trace(sample, result=False, **part)  # type: ignore[arg-type]
            steps = build_document(sample, options).steps
            assert steps
            assert all(step.rows == rows[step.stage] for step in steps)


# 0x80 + 0x80 is -256, clamped to 80; 7f + 2 is 129, clamped to 7f; lane 2 keeps c's 22; 1 - 1 is 0
MERGED = ("vadd4.s32.s32.s32.sat d.b310, a.b7310, b, c", "80ff7f01", "800102ff", "11223344")


@pytest.mark.parametrize("part", [["--until", "merge"]])
@pytest.mark.parametrize("format_", TOLD)
def test_a_partial_document_hides_the_bytes_of_the_result(format_: str, part: list[str]) -> None:
    ptx, *values = MERGED
    words = [ptx, *(f"{x}=0x{bits}" for x, bits in zip("abc", values, strict=True)), *part]
    made = render_request([*words, "-f", format_])
    seen = re.sub(r"(?s)<(style|desc).*?</\1>|ptxscope trace.*?-f", "", made)
    assert "-127" in seen  # what saturate yields is in the part
    assert not re.search(r"80\W+22\W+7f\W+00", told_words(seen))
    assert not re.search(r"(?:->|→|&gt;) (?:80|7f)\b", seen)
    # HTML holds two pictures, and the compact one begins with the registers again
    merges = [part.partition("</svg>")[0] for part in seen.split("Mask .b310")[1:]]
    assert merges
    for merge in merges:
        assert "masked out" not in merge
        assert ">7f<" not in merge
