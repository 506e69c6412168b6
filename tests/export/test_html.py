"""HTML, read by an HTML5 parser that forgives nothing."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import html5lib
import pytest

from ptxscope import export
from ptxscope.engine.text.values import hex_text
from ptxscope.export.options import Options
from tests.export.samples import E3, EXAMPLES, HOSTILE, annotated, example, kept

PAGE = Options(standalone=True)


def page(document: str) -> ET.Element:
    parser = html5lib.HTMLParser(
        html5lib.getTreeBuilder("etree"), strict=True, namespaceHTMLElements=False
    )
    tree: ET.Element = parser.parse(document)
    return tree


def texts(tree: ET.Element, tag: str) -> list[str]:
    return ["".join(found.itertext()) for found in tree.iter(tag)]


@pytest.mark.parametrize(("opcode", "model"), EXAMPLES)
def test_every_value_is_found(opcode: str, model: str) -> None:
    shown = example(opcode, model)
    tree = page(export(shown, "html", PAGE))
    bits = [hex_text(shown.result[n], shown.instruction.type_of(r).bits)
            for r, n in shown.instruction.results.items()]  # fmt: skip
    assert texts(tree, "output") == bits
    sections = [x for x in tree.iter("section") if "px-step" in x.get("class", "")]
    assert len(sections) == len(shown.steps)
    for section, step in zip(sections, shown.steps, strict=True):
        cells = list(section.iter("td"))
        assert len(cells) == sum(len(row.lanes) for row in step.rows)
        assert all(cell.get("tabindex") == "0" for cell in cells)


def test_a_cell_tells_where_its_bits_came_from() -> None:
    tree = page(export(E3, "html", PAGE))
    told = [x for x in texts(tree, "span") if "From" in x]
    assert any(re.search(r"From %1 bits 31:0\.", x) for x in told)
    assert any(re.search(r"From %3 bits 31:24\.", x) for x in told)


def test_a_fragment_is_one_article_with_its_style_and_no_script() -> None:
    document = export(E3, "html")
    assert document.startswith("<article")
    assert document.rstrip().endswith("</article>")
    assert "<script" not in document
    assert "http" not in document
    assert "prefers-color-scheme: dark" in document
    assert "@media print" in document


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text(text: str) -> None:
    tree = page(export(annotated(E3, text), "html", PAGE))
    assert not list(tree.iter("script"))
    said = kept(text)
    assert sorted(texts(tree, "aside")) == sorted([said, f"lane 0: {said}", f"lane 0: {said}"])
    assert texts(tree, "title") == [kept(text)]


def test_both_answers_stand_in_one_page() -> None:
    tree = page(export(E3, "html", Options(both=True, standalone=True)))
    said = "".join(tree.itertext())
    assert "0x112233ff" in said
    assert "E3" in texts(tree, "dt")
