"""Markdown, reStructuredText and AsciiDoc, each read by a reader: nothing lost, no markup."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import NamedTuple

import pytest
from docutils import nodes
from markdown import markdown as python_markdown
from markdown_it import MarkdownIt

from ptxscope import Trace, export
from ptxscope.documents.formats.markdown import escape_text
from ptxscope.documents.options import Options
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.tracing.step_text import format_title
from tests.driving.asciidoc_reader import blocks
from tests.driving.every import rst_tree
from tests.driving.samples import E2, E3, HOSTILE, annotated, example, kept, register
from tests.tiers import sampled


class Seen(NamedTuple):
    """What a reader sees of a document."""

    headings: list[str]
    tables: list[list[list[str]]]
    paragraphs: list[str]
    notes: list[str]
    code: list[str]


def in_rst(text: str) -> Seen:
    tree = rst_tree(text)
    assert not [x for x in tree.findall(nodes.system_message) if x["level"] > 1]
    assert not [*tree.findall(nodes.reference)]
    paragraphs = [x for x in tree.findall(nodes.paragraph) if not isinstance(x.parent, nodes.note)]
    return Seen(
        [x.astext() for x in tree.findall() if isinstance(x, nodes.rubric | nodes.title)],
        [
            [[cell.astext() for cell in row] for row in table.findall(nodes.row)]
            for table in tree.findall(nodes.table)
        ],
        [x.astext() for x in paragraphs],
        [x.astext() for x in tree.findall(nodes.note)],
        [x.astext() for x in tree.findall(nodes.literal_block)],
    )


def in_asciidoc(text: str) -> Seen:
    found = blocks(text)

    def of(*kinds: str) -> list[str]:
        return [x.text for x in found if x.kind in kinds]

    tables = [[list(row) for row in x.rows] for x in found if x.kind == "table"]
    return Seen(of("heading"), tables, of("paragraph", "item"), of("note"), of("code"))


MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
INLINE = {"text", "code_inline", "strong_open", "strong_close", "em_open", "em_close", "softbreak"}


def in_markdown(text: str) -> Seen:
    seen = Seen([], [], [], [], [])
    kinds = {"heading": seen.headings, "blockquote": seen.notes}
    opened: list[str] = []
    for token in MARKDOWN.parse(text):
        if token.nesting:
            kind = token.type.rpartition("_")[0]
            opened = [*opened, kind] if token.nesting > 0 else opened[:-1]
            if token.type == "table_open":
                seen.tables.append([])
            elif token.type == "tr_open":
                seen.tables[-1].append([])
        elif token.type == "fence":
            seen.code.append(token.content.rstrip("\n"))
        elif token.type == "inline":
            children = token.children or ()
            assert {child.type for child in children} <= INLINE, children
            said = "".join("\n" * (x.type == "softbreak") + x.content for x in children)
            place = next((kinds[kind] for kind in opened if kind in kinds), seen.paragraphs)
            (seen.tables[-1][-1] if "table" in opened else place).append(said)
    return seen


READERS = {"markdown": in_markdown, "rst": in_rst, "asciidoc": in_asciidoc}


@pytest.fixture(params=READERS)
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def seen(form: str) -> Callable[..., Seen]:
    return lambda trace, options=Options(): READERS[form](export(trace, form, options))  # noqa: B008


@sampled
def test_every_value_is_found(sample: Trace, form: str, seen: Callable[..., Seen]) -> None:
    found = seen(sample)
    types = {x.role: x.type.bits for x in sample.plan.sources}
    assert [row[2] for row in found.tables[0][1:]] == [
        format_hex(sample.operands[role], types[role]) for role in sorted(types)
    ]
    said = "\n".join(found.paragraphs)
    assert all(len({len(row) for row in table}) == 1 for table in found.tables)
    for role, name in sample.instruction.results.items():
        bits = format_hex(sample.result[name], sample.instruction.type_of(role).bits)
        assert f"{name} = {bits}, " in said
    steps = [f"{step.number}. {format_title(step)}" for step in sample.steps]
    titled = seen(annotated(sample, "T")).headings
    assert titled[: len(steps) + 2] == ["T", *steps, "Result"]
    # without a title, no heading is above Markdown's, which are then bold
    assert found.headings == ([] if form == "markdown" else titled[1:])
    assert found.code[0] == str(sample.instruction)


def test_a_lane_is_a_column(seen: Callable[..., Seen]) -> None:
    found = seen(example("vadd4"))
    assert any(x[0] == ["", "lane 3", "lane 2", "lane 1", "lane 0"] for x in found.tables)


WRITTEN = Path(__file__).with_name("author_texts.txt").read_text("utf-8").splitlines()
TEXTS = [
    *(" ".join(text.split()) for text in HOSTILE if text.isprintable() and len(text) < 5000),
    *(text.replace(r"\u00a0", "\u00a0").replace(r"\u00ad", "\u00ad") for text in WRITTEN),
]
"""What an author may write; in one of these formats, each begins or contains markup."""


@sampled
@pytest.mark.parametrize("page", [False, True])
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_writers_text_is_text(text: str, page: bool, seen: Callable[..., Seen]) -> None:
    found = seen(annotated(E3, text), Options(standalone=page))
    assert found.headings[0] == text
    assert found.notes == [text, f"lane 0: {text}", f"lane 0: {text}"]
    assert text in found.paragraphs


@pytest.mark.parametrize(
    ("shown", "erratum", "isa", "ptxas"),
    [(E3, "E3", "0x11223300", "0x112233ff"), (E2, "E2", "0xffffffff", "0x00000000")],
    ids=["E3", "E2"],
)
def test_marked_up_documents_contain_both_answers(
    shown: Trace, erratum: str, isa: str, ptxas: str, seen: Callable[..., Seen]
) -> None:
    found = seen(shown, Options(both=True))
    models = next(table for table in found.tables if table[0][0] == "model")
    assert models[1][1:] == [isa, ""]
    assert models[2][1:] == [ptxas, erratum]
    assert "The steps of ptxas-13.5 from there" in (*found.headings, *found.paragraphs)


def test_registers_may_have_any_name_that_ptx_allows(seen: Callable[..., Seen]) -> None:
    assert any("%d$_ = " in said for said in seen(register("%d$_")).paragraphs)


@pytest.mark.parametrize("level", [None, 0, 2])
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text_in_markdown(text: str, level: int | None) -> None:
    found = in_markdown(export(annotated(E3, text), "markdown", Options(heading_level=level)))
    said = "\n".join([*found.headings, *found.paragraphs, *found.notes])
    assert said.count(" ".join(kept(text).split())) >= 5
    assert not any("\x00" <= char < " " and char != "\n" for char in said)


@pytest.mark.parametrize(("level", "tags"), [(1, "h1 h2 h3"), (2, "h2 h3 h4"), (5, "h5 h6 h6")])
def test_the_headings_of_markdown_start_at_the_requested_level(level: int, tags: str) -> None:
    options = Options(both=True, heading_level=level)
    tokens = MARKDOWN.parse(export(annotated(E3, "T"), "markdown", options))
    found = [at for at, token in enumerate(tokens) if token.type == "heading_open"]
    assert {tokens[at].tag for at in found} == {*tags.split()}
    assert (tokens[found[0]].tag, tokens[found[0] + 1].content) == (f"h{level}", "T")


def test_headings_of_level_0_are_bold_text() -> None:
    headed, bold = (
        export(annotated(E3, "T *x* 1."), "markdown", Options(both=True, heading_level=level))
        for level in (None, 0)
    )
    assert in_markdown(bold).headings == []
    headings = re.findall(r"^#+ (.*)$", headed, re.MULTILINE)
    assert re.findall(r"^\*\*(.*)\*\*$", bold, re.MULTILINE) == headings
    made = bold.replace(" --heading-level 0", "")
    assert re.sub(r"(?m)^\*\*(.*)\*\*$", r"# \1", made) == re.sub("(?m)^#+ ", "# ", headed)


def test_only_a_standalone_page_has_sections() -> None:
    for options, count in ((Options(), 0), (Options(standalone=True), 1)):
        tree = rst_tree(export(E3, "rst", options))
        assert len([*tree.findall(nodes.document)]) == 1
        assert bool([*tree.findall(nodes.section)]) == bool(count) or tree["title"]
        text = export(E3, "asciidoc", options)
        assert ("[discrete]" in text) == (not count)
        assert text.startswith("= vadd\n") == bool(count)


def seen_in(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html)).strip()


def with_tables(text: str) -> str:
    return python_markdown(text, extensions=["tables"])


COMMON = MarkdownIt("commonmark").enable("table").enable("strikethrough")


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_both_markdown_readers_show_the_original_text(text: str) -> None:
    escaped = escape_text(text)
    assert "$" not in escaped
    for read in (COMMON.render, python_markdown, with_tables):
        for page in (escaped, f"**{escaped}**", f"> {escaped}", f"- {escaped}"):
            html = read(page)
            assert seen_in(html) == text
            assert "<ol" not in html
    for read in (COMMON.render, with_tables):
        html = read(f"| a | b |\n| --- | --- |\n| {escaped} | 1 |\n")
        assert [seen_in(x) for x in re.findall(r"<td>(.*?)</td>", html)] == [text, "1"]
