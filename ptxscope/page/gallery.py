"""The gallery: a small picture of an example of each instruction, and a link that opens it."""

from __future__ import annotations

from itertools import groupby

from ..documents import export
from ..documents.options import Options
from ..engine.isa.catalog import CATALOG
from ..engine.isa.encodings import format_hex
from ..engine.isa.entry import Entry
from ..engine.syntax.parser import parse
from ..engine.tracing.trace import trace
from .elements import Element, make_element
from .permalink import PageLink, format_permalink

FOLDER = "gallery"
_OPTIONS = Options(compact=True, sentences=False, footer=False)


def make_gallery() -> list[Element]:
    """Return the groups of the catalog, each with a link and a picture for an instruction."""
    elements = list[Element]()
    for group, entries in groupby(CATALOG.values(), lambda x: x.group):
        cards = (_make_card(entry) for entry in entries)
        elements.append(make_element("h2", group))
        elements.append(make_element("div", *cards, class_="cards"))
    return elements


def draw_gallery() -> dict[str, bytes]:
    """Return the picture of each instruction's example as SVG, by the name of its file."""
    return {
        _name_file(entry): export(trace(*entry.example), "svg", _OPTIONS).encode()
        for entry in CATALOG.values()
    }


def _name_file(entry: Entry) -> str:
    return f"{FOLDER}/{entry.opcode}.svg"


def _make_card(entry: Entry) -> Element:
    ptx, values = entry.example
    ins = parse(ptx)
    texts = {
        x.roles[0]: format_hex(values[x.roles[0]], x.type.bits)
        for x in ins.inputs
        if x.roles[0] in values
    }
    picture = make_element("img", src=_name_file(entry), alt="", loading="lazy", width="200")
    label = make_element("span", make_element("b", entry.opcode), f" {entry.summary}")
    return make_element("a", picture, label, href=f"#{format_permalink(PageLink(str(ins), texts))}")
