"""Reports in every format: a reader sees the words of the text, in their order, and no markup."""

from __future__ import annotations

import re
from html import unescape

import pytest
from docutils import nodes
from markdown_it import MarkdownIt

from ptxscope import feature
from ptxscope.documents.formats.markup import (
    Block,
    NoteBlock,
    Table,
    make_code,
    make_heading,
    make_paragraph,
    make_points,
    make_text,
)
from ptxscope.documents.formats.report import REPORT_FORMATS, write_report
from tests.driving.asciidoc_reader import blocks
from tests.driving.command_line import run
from tests.driving.every import rst_tree
from tests.driving.feature_tables import extend_table
from tests.tiers import whole

E3 = "vadd.u32.s32.s32.sat d.b0, a, b, c"
BLOCK = "{ vadd4.u32.u32.u32 t, a, b, b; prmt.b32 d, t, c, 0x5410; }"
_OWN_COMMANDS = {
    "an explanation": ("explain", E3, "a=-1", "b=0", "c=0x11223344", "--got", "0x??????ff"),
    "none": ("explain", "vadd.u32.u32.u32 d, a, b", "a=1", "b=2", "--got", "0xdeadbeef"),
    "a statement": ("explain", BLOCK, "a=1", "b=2", "c=3", "--got", "0x01000003"),
    "an instruction": ("show", "vadd4"),
}
COMMANDS = extend_table(_OWN_COMMANDS, "command_lines", "REPORTS")


def seen_in_html(text: str) -> str:
    assert text.count("<p>") == text.count("</p>")
    return unescape(re.sub(r"<[^>]*>", lambda x: "" if "code" in x[0] else " ", text))


def seen_in_rst(text: str) -> str:
    tree = rst_tree(text)
    assert not [x for x in tree.findall(nodes.system_message) if x["level"] > 1]
    return tree.astext()


def seen_in_asciidoc(text: str) -> str:
    found = blocks(re.sub(r" \+\n *", " ", text))
    return "\n".join(" ".join((x.text, *(cell for row in x.rows for cell in row))) for x in found)


READERS = {
    "markdown": lambda text: seen_in_html(MarkdownIt().enable("table").render(text)),
    "rst": seen_in_rst,
    "asciidoc": seen_in_asciidoc,
    "html": seen_in_html,
}


def words(text: str) -> list[str]:
    """Return the words without marks of lists."""
    return [x for x in text.replace("`", "").split() if not re.fullmatch(r"[-*]|\d\.", x)]


@pytest.mark.parametrize("command", COMMANDS)
@whole
def test_every_format_has_the_words_of_the_text(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feature, "find_services", lambda _: ())  # what follows it is not its own
    given = COMMANDS[command]
    said = words(run(*given).stdout)
    for format_, read in READERS.items():
        assert words(read(run(*given, "-f", format_).stdout)) == said, format_


def test_a_table_and_a_note() -> None:
    rows = ((make_code("a"), make_text("one")), (make_code("bc"), make_text("")))
    report: list[Block] = [Table((make_text("x"), make_text("y")), rows), NoteBlock(make_text("n"))]
    assert write_report(report) == "  x   y\n  a   one\n  bc\n\nn\n"
    assert seen_in_html(write_report(report, "html")).split() == "x y a one bc n".split()


def test_a_list_is_numbered_and_code_is_marked() -> None:
    points = [["with `.sat`", "`vadd a`"], ["2 * 3 < 7"]]
    report: list[Block] = [
        make_heading("A `b`"),
        make_paragraph("c"),
        make_points(points, is_close=True, is_numbered=True),
    ]
    assert {name: write_report(report, name) for name in REPORT_FORMATS} == {
        "text": "A `b`\n\nc\n  1. with `.sat`\n    vadd a\n  2. 2 * 3 < 7\n",
        "markdown": "## A `b`\n\nc\n\n1. with `.sat`\\\n   `vadd a`\n2. 2 \\* 3 &lt; 7\n",
        "rst": ".. rubric:: A ``b``\n\nc\n\n#. with ``.sat``\n\n   ``vadd a``\n#. 2 \\* 3 < 7\n",
        "asciidoc": "[discrete]\n== A `+b+`\n\nc\n\n"
        ". with `+.sat+` +\n  `+vadd a+`\n. 2 &#42; 3 &#60; 7\n",
        "html": "<h3>A <code>b</code></h3>\n<p>c</p>\n"
        "<ol><li>with <code>.sat</code><br><code>vadd a</code></li><li>2 * 3 &lt; 7</li></ol>\n",
    }
