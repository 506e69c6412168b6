"""References in texts to errata and to sections of the PTX ISA, and the page of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...cli.commands.show import iter_entry_blocks
from ...documents.formats.markup import Block, make_paragraph
from ...engine.isa.catalog import CATALOG
from ...engine.isa.entry import ISA_EDITION, Entry, format_citation
from .erratum_report import list_parts
from .fault_blocks import ReportPart
from .known_errata import KNOWN_ERRATA, find_erratum

MANUAL = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
"""The address of NVIDIA's manual of the PTX ISA."""
_REFERENCE = re.compile(r"(?<![\w%$.])(?:[EF]\d{1,2}(?!\w)|9\.7(?:\.\d{1,2}){1,3}(?![.\w]*\w))")
_IDS = tuple(x.id for x in KNOWN_ERRATA)


class ReferencePage(NamedTuple):
    """The page of an erratum or of a section."""

    title: str
    subject: str
    """The affected forms; empty for a section."""
    number: str
    """``3 of 20``; empty for a section."""
    parts: tuple[ReportPart, ...]


def is_erratum(reference: str) -> bool:
    """Whether a reference is to an erratum instead of a section."""
    return reference in _IDS


def find_references(text: str) -> tuple[str, ...]:
    """Return the errata that a text names, then the sections, each in the order of the text."""
    known = dict.fromkeys(x for x in _REFERENCE.findall(text) if _is_known(x))
    return tuple(sorted(known, key=lambda x: not is_erratum(x)))


def _is_known(reference: str) -> bool:
    return is_erratum(reference) or any(_list_entries(reference))


def _list_entries(section: str) -> list[Entry]:
    """Return the instructions of a section, and of the sections in it."""
    return [x for x in CATALOG.values() if f"{x.section}.".startswith(f"{section}.")]


def describe_reference(reference: str) -> tuple[str, str]:
    """Return the name and the subject of a reference, for a menu."""
    if is_erratum(reference):
        return reference, find_erratum(reference).forms
    names = [x.opcode for x in _list_entries(reference)]
    return f"section {reference}", ", ".join(names)


def step_reference(reference: str, delta: int) -> str:
    """Return the next or the previous erratum of the list, which wraps around."""
    return _IDS[(_IDS.index(reference) + delta) % len(_IDS)]


def make_page(reference: str) -> ReferencePage:
    """Return the page of a reference."""
    if is_erratum(reference):
        x = find_erratum(reference)
        number = f"{_IDS.index(reference) + 1} of {len(_IDS)}"
        return ReferencePage(f"Erratum {x.id}", x.forms, number, list_parts(x))
    entries = _list_entries(reference)
    parts = [ReportPart("NVIDIA's manual", tuple(_iter_manual_blocks(reference)))]
    parts += (
        ReportPart(f"{x.opcode}: {x.summary}", tuple(iter_entry_blocks(x))[1:]) for x in entries
    )
    return ReferencePage(format_citation([reference], is_ascii=True), "", "", tuple(parts))


def _iter_manual_blocks(section: str) -> Iterator[Block]:
    yield make_paragraph(
        f"Section {section} of the PTX ISA, edition {ISA_EDITION}; another edition may number it "
        f"differently: {MANUAL}",
        is_close=True,
    )
    yield make_paragraph("Below is ptxscope's own description.", is_close=True)
