"""The report on an erratum: what ptxas does, an example, and the parts of a report of its fault.

The command ``errata``, the explorer and the manual show the same parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...documents.formats.markup import (
    Block,
    Paragraph,
    Table,
    Verbatim,
    make_code,
    make_paragraph,
    make_text,
    make_verbatim,
)
from ...engine.isa.entry import format_citation
from ...engine.tracing.step_text import describe_lane
from .compiler_fault import CompilerFault, find_recorded_code, make_example_fault
from .example_text import format_example
from .fault_blocks import (
    VERDICT,
    ReportPart,
    find_first_pair,
    iter_verdict_blocks,
    list_fault_parts,
)
from .known_errata import KnownErratum, list_sections

_INDENT = "  "
_CHANGES = "What ptxas does"
EXAMPLE = "For example"


def list_parts(x: KnownErratum) -> tuple[ReportPart, ...]:
    """Return the parts of the report on an erratum."""
    fault = make_example_fault(x)
    code = find_recorded_code(fault)
    parts = (
        ReportPart(_CHANGES, tuple(_iter_change_blocks(x))),
        ReportPart(EXAMPLE, tuple(_iter_example_blocks(x, fault))),
        ReportPart(VERDICT, tuple(iter_verdict_blocks(fault, code))),
        *list_fault_parts(fault, code),
    )
    return tuple(part for part in parts if part.blocks)


def indent_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks for a report as text; all but headings are indented like tables and lists."""
    for block in blocks:
        match block:
            case Verbatim(text):
                lines = (f"{_INDENT}{line}" for line in text.split("\n"))
                yield block._replace(text="\n".join(lines))
            case Paragraph():
                yield block._replace(lead=_INDENT, indent=_INDENT)
            case _:
                yield block


# --- the blocks ------------------------------------------------------------------------------


def _iter_change_blocks(x: KnownErratum) -> Iterator[Block]:
    for sentence in filter(None, (x.sentence, x.remark)):
        yield make_paragraph(sentence, is_close=True)
    versions = f"ptxas {x.versions}, for {x.targets}"
    yield make_paragraph(
        f"{versions}. {format_citation(list_sections(x), is_ascii=True)}.", is_close=True
    )


def _iter_example_blocks(x: KnownErratum, fault: CompilerFault) -> Iterator[Block]:
    """Yield the line of the example, its operands, and the results of both models."""
    texts = format_example(*x.example)
    operands = " ".join(f"{name}={bits}" for name, bits in texts.values.items())
    yield make_verbatim([x.example[0]], "ptx", is_close=True)
    yield make_verbatim([operands], is_close=True)
    step, reasons = "", ("", "")
    if pair := find_first_pair(fault):  # none for constants
        row, other, lane = pair
        step = str(row.stage)
        reasons = (str(describe_lane(row, lane).formula), str(describe_lane(other, lane).formula))
    rows = (("isa", texts.isa, reasons[0]), ("ptxas", texts.ptxas, reasons[1]))
    columns = 3 if step else 2
    yield Table(
        tuple(map(make_text, ("model", "d", step)[:columns])),
        tuple(
            (make_text(model), make_code(bits), make_text(reason))[:columns]
            for model, bits, reason in rows
        ),
    )
