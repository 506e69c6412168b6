"""reStructuredText read by docutils, AsciiDoc by a reader of its own: nothing lost, no markup."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from docutils import nodes

from ptxscope import Trace, export
from ptxscope.documents.options import Options
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.tracing.step_text import format_title
from tests.export.asciidoc_reader import blocks
from tests.export.every import rst_tree
from tests.export.samples import E2, E3, EXAMPLES, HOSTILE, annotated, example
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


READERS = {"rst": in_rst, "asciidoc": in_asciidoc}


@pytest.fixture(params=READERS)
def seen(request: pytest.FixtureRequest) -> Callable[..., Seen]:
    name = request.param
    return lambda trace, options=Options(): READERS[name](export(trace, name, options))  # noqa: B008


@sampled
@pytest.mark.parametrize(("opcode", "model"), EXAMPLES)
def test_every_value_is_found(opcode: str, model: str, seen: Callable[..., Seen]) -> None:
    shown = example(opcode, model)
    found = seen(shown)
    types = {x.role: x.type.bits for x in shown.plan.sources}
    assert [row[2] for row in found.tables[0][1:]] == [
        format_hex(shown.operands[role], types[role]) for role in sorted(types)
    ]
    said = "\n".join(found.paragraphs)
    for role, name in shown.instruction.results.items():
        bits = format_hex(shown.result[name], shown.instruction.type_of(role).bits)
        assert f"{name} = {bits}, " in said
    steps = [f"{step.number}. {format_title(step)}" for step in shown.steps]
    assert found.headings[: len(steps) + 1] == [*steps, "Result"]
    assert found.code[0] == str(shown.instruction)


def test_a_lane_is_a_column(seen: Callable[..., Seen]) -> None:
    found = seen(example("vadd4"))
    assert any(x[0] == ["", "lane 3", "lane 2", "lane 1", "lane 0"] for x in found.tables)


TEXTS = [
    *(" ".join(text.split()) for text in HOSTILE if text.isprintable() and len(text) < 5000),
    "1. one",
    "a) one",
    "- one",
    "* one",
    "-x --long option",
    ":field: value",
    "foo::",
    "a:: b",
    "q'; x ;;; y",
    "NOTE: x",
    ".. note:: x",
    ".title",
    "__ x_ y__ `z`_ [1]_ |s|",
    "include::x[] image::a[] {nbsp} pass:[<b>] +++<b>+++ $$x$$ ((t)) [[i]] <<i>>",
    "http://x.y/z",
    "javascript:alert(1)//x",
    "(JavaScript:alert(1)) data:text/html,x <file:///x> mailto:x@y.z x@y.z x://y::z",
    "RFC 822 and rfc-822, PEP 8, (pep-8) RFC822",
    "...-- (C) -> => it's \"`x`\" `'",
    "====",
    "::",
    "+",
    "\\{x} \\*b* \\",
    "\\\\",
    ">>> x",
    "no\u00a0break, so\u00adft, \U0001f3f3\ufe0f\u200d\U0001f308, עברית, العربية",
]


@sampled
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
def test_both_answers_are_told(
    shown: Trace, erratum: str, isa: str, ptxas: str, seen: Callable[..., Seen]
) -> None:
    found = seen(shown, Options(both=True))
    models = next(table for table in found.tables if table[0][0] == "model")
    assert models[1][1:] == [isa, ""]
    assert models[2][1:] == [ptxas, erratum]
    assert "The steps of ptxas-13.5 from there" in found.headings


def test_a_page_has_sections_and_a_fragment_none() -> None:
    for options, count in ((Options(), 0), (Options(standalone=True), 1)):
        tree = rst_tree(export(E3, "rst", options))
        assert len([*tree.findall(nodes.document)]) == 1
        assert bool([*tree.findall(nodes.section)]) == bool(count) or tree["title"]
        text = export(E3, "asciidoc", options)
        assert ("[discrete]" in text) == (not count)
        assert text.startswith("= vadd\n") == bool(count)
