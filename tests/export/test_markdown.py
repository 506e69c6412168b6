"""Markdown, read by a Markdown parser with tables."""

from __future__ import annotations

import re
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ptxscope import Trace, export
from ptxscope.documents.options import Options
from ptxscope.engine.isa.encodings import format_hex
from tests.export.samples import E2, E3, EXAMPLES, HOSTILE, annotated, example, kept, register
from tests.tiers import sampled

PARSER = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")


def parsed(document: str) -> list[Token]:
    return PARSER.parse(document)


def plain(document: str) -> str:
    """What a reader sees: text and code of all inline content and code blocks."""
    parts = []
    for token in parsed(document):
        if token.type == "fence":
            parts.append(token.content)
        for child in token.children or ():
            assert child.type in {"text", "code_inline", "strong_open", "strong_close", "em_open",
                                  "em_close", "softbreak"}, child  # fmt: skip
            parts.append(child.content)
    return "".join(parts)


def tables(document: str) -> list[list[list[str]]]:
    """Every table as rows of cells."""
    found: list[list[list[str]]] = []
    for token in parsed(document):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type == "inline" and token.level >= 4:
            found[-1][-1].append("".join(child.content for child in token.children or ()))
    return found


@sampled
@pytest.mark.parametrize(("opcode", "model"), EXAMPLES)
def test_every_value_is_found(opcode: str, model: str) -> None:
    shown = example(opcode, model)
    document = export(shown, "markdown")
    operands, *rest = tables(document)
    types = {needed.role: needed.type.bits for needed in shown.plan.sources}
    assert [row[2] for row in operands[1:]] == [
        format_hex(shown.operands[role], types[role]) for role in sorted(types)
    ]
    for table in rest:
        assert len({len(row) for row in table}) == 1, table
    results = [f"{name} = {bits:#x}" for name, bits in shown.result.items() if bits > 0xFFFFFFF]
    assert all(result in plain(document) for result in results)
    for title, count in (("", 0), ("T", len(shown.steps) + 2)):  # without a title, nothing is above
        tokens = parsed(export(annotated(shown, title), "markdown"))
        headings = [t for t in tokens if t.type == "heading_open"]
        assert min(len(headings), count) == count
        assert bool(headings) == bool(title)


def test_a_lane_is_a_column() -> None:
    document = export(example("vadd4"), "markdown")
    assert any(
        table[0] == ["", "lane 3", "lane 2", "lane 1", "lane 0"] for table in tables(document)
    )


@pytest.mark.parametrize(("level", "tags"), [(1, "h1 h2 h3"), (2, "h2 h3 h4"), (5, "h5 h6 h6")])
def test_the_headings_begin_at_a_level(level: int, tags: str) -> None:
    options = Options(both=True, heading_level=level)
    tokens = parsed(export(annotated(E3, "T"), "markdown", options))
    found = {token.tag for token in tokens if token.type == "heading_open"}
    assert sorted(found) == sorted({*tags.split()})
    first = next(at for at, token in enumerate(tokens) if token.type == "heading_open")
    assert (tokens[first].tag, tokens[first + 1].content) == (f"h{level}", "T")


def test_headings_of_level_0_are_bold_text() -> None:
    plain_, bold = (
        export(annotated(E3, "T *x* 1."), "markdown", Options(both=True, heading_level=level))
        for level in (None, 0)
    )
    headings = re.findall(r"^#+ (.*)$", plain_, re.MULTILINE)
    assert not [token for token in parsed(bold) if token.type == "heading_open"]
    strong = re.findall(r"^\*\*(.*)\*\*$", bold, re.MULTILINE)
    assert strong == headings
    assert plain(bold).replace(" --heading-level 0", "") == plain(plain_)


@pytest.mark.parametrize("level", [-1, 7, 2.0, True, "2"])
def test_a_level_that_headings_cannot_have_is_refused(level: Any) -> None:
    with pytest.raises(ValueError, match=r"heading_level is .*; it is 1 to 6, or 0 for bold text"):
        export(E3, "markdown", Options(heading_level=level))


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text(text: str, level: int) -> None:
    seen = plain(export(annotated(E3, text), "markdown", Options(heading_level=level)))
    wanted = " ".join(kept(text).split())
    assert seen.count(wanted) >= 5
    assert not any("\x00" <= char < " " and char != "\n" for char in seen)


def test_registers_may_be_called_what_ptx_allows() -> None:
    assert "%d$_" in plain(export(register("%d$_"), "markdown"))


@pytest.mark.parametrize(
    ("shown", "erratum", "isa", "ptxas"),
    [(E3, "E3", "0x11223300", "0x112233ff"), (E2, "E2", "0xffffffff", "0x00000000")],
    ids=["E3", "E2"],
)
def test_a_report_of_both_answers_has_both_results_and_the_erratum(
    shown: Trace, erratum: str, isa: str, ptxas: str
) -> None:
    document = export(shown, "markdown", Options(both=True))
    models = next(table for table in tables(document) if table[0][0] == "model")
    assert models[1][1:] == [isa, ""]
    assert models[2][1] == ptxas
    assert models[2][2] == erratum
    assert "The steps of ptxas-13.5 from there" in plain(document)
