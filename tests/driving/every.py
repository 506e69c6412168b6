"""Every format read back by a reader of its own: what any document must stand."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from importlib.resources import files

import html5lib
from docutils import nodes
from docutils.core import publish_doctree
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt

from ptxscope import Trace, export, trace
from ptxscope.documents import BINARY, FORMATS
from ptxscope.documents.options import Options
from ptxscope.engine.isa.encodings import format_hex
from tests.driving import asciidoc_reader
from tests.driving.feature_tables import extend_table

_SCHEMA = json.loads(files("ptxscope.documents").joinpath("trace.schema.json").read_text("utf-8"))
_VALIDATOR = Draft202012Validator(_SCHEMA)
_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


def _svg(text: str) -> None:
    assert ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"


def _html(text: str) -> None:
    html5lib.HTMLParser(strict=True).parse(text)


def _json(text: str) -> None:
    _VALIDATOR.validate(json.loads(text))


def _markdown(text: str) -> None:
    """Every row of a table has as many cells as its head, as a reader counts them."""
    tokens = _MARKDOWN.parse(text)
    assert not [token for token in tokens if token.type == "html_block"]
    tables = [token.map for token in tokens if token.type == "table_open"]
    lines = text.split("\n")
    for at in tables:
        assert at
        counts = {_bars(line) for line in lines[at[0] : at[1]]}
        assert len(counts) == 1, lines[at[0] : at[1]]
    # no row fell out of its table
    rows = sum(end - start - 1 for start, end in filter(None, tables))
    assert sum(token.type == "tr_open" for token in tokens) == rows
    fenced = {n for t in tokens if t.type == "fence" and t.map for n in range(*t.map)}
    barred = [n for n, line in enumerate(lines) if line.startswith("| ") and n not in fenced]
    assert len(barred) == rows + len(tables)


def _bars(line: str) -> int:
    """The bars between cells: GFM knows no other way to write one in a cell than ``\\|``."""
    return line.count("|") - line.count("\\|")


def _rst(text: str) -> None:
    """Nothing is wrong with it, and no row fell out of its table."""
    if max(map(len, text.split("\n"))) > 9_000:
        return  # docutils takes no longer lines
    tree = rst_tree(text)
    # of two equal headings docutils remarks, at its lowest level, that neither is a target
    wrong = [x.astext() for x in tree.findall(nodes.system_message) if x["level"] > 1]
    assert not wrong, wrong
    for table in tree.findall(nodes.tgroup):
        assert {len(row) for row in table.findall(nodes.row)} == {table["cols"]}


def rst_tree(text: str) -> nodes.document:
    """What docutils makes of it, with the settings of Sphinx that make links of numbers."""
    settings = {"report_level": 5, "warning_stream": False, "halt_level": 5,
                "pep_references": True, "rfc_references": True}  # fmt: skip
    return publish_doctree(text, settings_overrides=settings)


def _asciidoc(text: str) -> None:
    assert asciidoc_reader.blocks(text)


def _writes_any_trace(name: str) -> bool:
    """A format may be for some traces alone, such as those with a fault."""
    try:
        export(trace("vadd.u32.u32.u32 d, a, b", {"a": 1, "b": 2}), name)
    except ValueError:
        return False
    return True


TEXTS = tuple(name for name in FORMATS if name not in BINARY and _writes_any_trace(name))
"""Formats whose documents are text, of any trace."""
OWN_TEXTS: dict[str, Callable[[str], object]] = {
    "svg": _svg,
    "html": _html,
    "json": _json,
    "markdown": _markdown,
    "rst": _rst,
    "asciidoc": _asciidoc,
    "text": str,
}
READERS: dict[str, Callable[[str], object]] = extend_table(OWN_TEXTS, "readers", "READERS")
"""What reads a document of a format."""


def check(shown: Trace, options: Options, formats: tuple[str, ...] = TEXTS) -> None:
    """Write a trace in every format of text, encode it, and read it back."""
    for name in formats:
        document = export(shown, name, options)
        try:
            assert document.encode("utf-8")
            READERS[name](document)
        except Exception as error:
            error.add_note(ascii(f"{name}: {shown.instruction} {shown.operands} {options}"))
            raise
        told = [
            format_hex(shown.result[name], shown.instruction.type_of(role).bits)
            for role, name in shown.instruction.results.items()
        ]
        assert name not in OWN_TEXTS or all(bits in document for bits in told)
