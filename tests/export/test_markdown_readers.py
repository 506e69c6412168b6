"""Titles and notes in Markdown, as CommonMark and as Python-Markdown (MkDocs) read them."""

from __future__ import annotations

import re
from html import unescape

import pytest
from markdown import markdown as python_markdown
from markdown_it import MarkdownIt

from ptxscope import export, trace
from ptxscope.documents.content.annotated_trace import annotate_trace
from ptxscope.documents.formats.markdown import escape_text

LINE = "vadd4.s32.s32.s32 d, a, b, c"
TEXTS = [
    "R&D: a < b | c ~ d",
    "x > 1 ~~no~~ &amp; <b>",
    "= y",
    "costs $x^2$ or $$3$$",
    "*a* _b_ `c` [d](e) #f {g} \\h ![i](j)",
    "| a | b |",
    "The intrinsic __vadd4__ and __shared__, __CUDA_ARCH__ >= 700",
    "(__a__) ___b___ _c_ __d e__ f__g__h _i__ \u00e9__j__ k_",
]


def _texts(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html)).strip()


@pytest.mark.parametrize("text", TEXTS)
def test_both_markdown_readers_show_the_original_text(text: str) -> None:
    common = MarkdownIt("commonmark").enable("table").enable("strikethrough")
    for read in (
        common.render,
        python_markdown,
        lambda x: python_markdown(x, extensions=["tables"]),
    ):
        assert _texts(read(escape_text(text))) == text
        assert _texts(read(f"**{escape_text(text)}**")) == text


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_stays_within_its_table_cell(text: str) -> None:
    page = f"| a | b |\n| --- | --- |\n| {escape_text(text)} | 1 |\n"
    for html in (
        MarkdownIt("commonmark").enable("table").enable("strikethrough").render(page),
        python_markdown(page, extensions=["tables"]),
    ):
        assert [_texts(x) for x in re.findall(r"<td>(.*?)</td>", html)] == [text, "1"]


@pytest.mark.parametrize(
    "text",
    [
        "255) is the bound",
        "10. of them wrap",
        "2026. x",
        "1. x",
        "7)",
        "12.",
        "1234567890. x",
        "\u0663. x",
    ],
)
def test_a_number_at_the_start_does_not_begin_a_list(text: str) -> None:
    for read in (MarkdownIt("commonmark").render, python_markdown):
        for page in (escape_text(text), f"> {escape_text(text)}", f"- {escape_text(text)}"):
            assert "<ol" not in (html := read(page))
            assert _texts(html) == text


def test_dollar_signs_are_escaped() -> None:
    assert "$" not in escape_text("$x^2$")


def test_a_title_in_a_document() -> None:
    shown, _ = annotate_trace(trace(LINE, {"a": 1, "b": 2, "c": 3}), title=TEXTS[0])
    page = python_markdown(export(shown, "markdown"), extensions=["tables", "fenced_code"])
    assert TEXTS[0] in _texts(page)
