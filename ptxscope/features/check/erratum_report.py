"""The report on an erratum: what ptxas does, an example, a replacement, the evidence.

The command ``errata``, the explorer and the manual show the same parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...blocks.block_parser import parse_block
from ...documents.formats.markup import (
    Block,
    Paragraph,
    Table,
    Verbatim,
    make_code,
    make_paragraph,
    make_points,
    make_text,
    make_verbatim,
)
from ...engine.isa.catalog import CATALOG
from ...engine.isa.entry import format_citation
from ...engine.semantics.models import parse_erratum
from ...engine.semantics.rules import ALL_ERRATA, FLAG_ERRATUM, Erratum
from ...engine.syntax.parser import parse
from ...engine.tracing.basic_block import make_block
from ...engine.tracing.deviation import find_deviations
from ...engine.tracing.folding_bugs import FOLDING_BUGS, FoldingBug
from ...engine.tracing.step_text import describe_lane
from ...engine.tracing.trace import Trace, trace_program
from .erratum_evidence import iter_findings
from .example_text import format_example

KnownErratum = Erratum | FoldingBug
"""A difference between ptxas and the documentation, of a model or of constants."""
KNOWN_ERRATA: tuple[KnownErratum, ...] = (*ALL_ERRATA, *FOLDING_BUGS)
_INDENT = "  "
_CHANGES = "What ptxas does"
EXAMPLE = "For example"
REPLACEMENT = "In plain PTX, with the documented result"
_EVIDENCE = "Evidence"


class ReportPart(NamedTuple):
    """A part of a report, below its heading."""

    title: str
    blocks: tuple[Block, ...]


def find_erratum(id_: str) -> KnownErratum:
    """Return an erratum by its id, in either case; raise ValueError for any other text."""
    folding = {x.id: x for x in FOLDING_BUGS}
    return folding.get(id_.upper()) or parse_erratum(id_)


def list_parts(x: KnownErratum) -> tuple[ReportPart, ...]:
    """Return the parts of the report on an erratum."""
    parts = (
        ReportPart(_CHANGES, tuple(_iter_change_blocks(x))),
        ReportPart(EXAMPLE, tuple(iter_example_blocks(x))),
        ReportPart(REPLACEMENT, tuple(_iter_replacement_blocks(x))),
        ReportPart(_EVIDENCE, tuple(_iter_evidence_blocks(x))),
    )
    return tuple(part for part in parts if part.blocks)


def indent_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks for a report as text, all but headings with the indent of tables and points."""
    for block in blocks:
        match block:
            case Verbatim(text):
                lines = (f"{_INDENT}{line}" for line in text.split("\n"))
                yield block._replace(text="\n".join(lines))
            case Paragraph():
                yield block._replace(lead=_INDENT, indent=_INDENT)
            case _:
                yield block


def find_replacement(x: KnownErratum) -> tuple[str, ...]:
    """Return the plain PTX with the documented result of the example; empty if there is none."""
    from .replacement import make_replacement

    has_example = isinstance(x, Erratum) and x is not FLAG_ERRATUM
    return (make_replacement(parse(x.example[0])) or ()) if has_example else ()


def list_sections(x: KnownErratum) -> tuple[str, ...]:
    """Return the sections of the PTX ISA on the affected instructions."""
    names = x.opcodes if isinstance(x, Erratum) else (parse(x.example[0]).opcode,)
    return tuple(dict.fromkeys(CATALOG[name].section for name in names))


def trace_example(x: KnownErratum) -> Trace:
    """Return the documented trace of the example."""
    ptx, values, *_ = x.example
    block = parse_block(ptx) if x is FLAG_ERRATUM else make_block(parse(ptx))
    return trace_program(block, values)


# --- the blocks ------------------------------------------------------------------------------


def _iter_change_blocks(x: KnownErratum) -> Iterator[Block]:
    for sentence in filter(None, (x.sentence, x.remark)):
        yield make_paragraph(sentence, is_close=True)
    versions = f"ptxas {x.versions}, for {x.targets}"
    yield make_paragraph(
        f"{versions}. {format_citation(list_sections(x), is_ascii=True)}.", is_close=True
    )


def iter_example_blocks(x: KnownErratum) -> Iterator[Block]:
    """Yield the line of the example, its operands, and the results of both models."""
    texts = format_example(*x.example)
    operands = " ".join(f"{name}={bits}" for name, bits in texts.values.items())
    yield make_verbatim([x.example[0]], "ptx", is_close=True)
    yield make_verbatim([operands], is_close=True)
    step, reasons = _explain_answers(x)
    rows = (("isa", texts.isa, reasons[0]), ("ptxas", texts.ptxas, reasons[1]))
    columns = 3 if step else 2
    yield Table(
        tuple(map(make_text, ("model", "d", step)[:columns])),
        tuple(
            (make_text(model), make_code(bits), make_text(reason))[:columns]
            for model, bits, reason in rows
        ),
    )


def _explain_answers(x: KnownErratum) -> tuple[str, tuple[str, str]]:
    """Return the first step at which the answers differ, and its formula in each.

    Nothing for constants: no model has those.
    """
    deviations = find_deviations(trace_example(x)) if isinstance(x, Erratum) else ()
    if not deviations:
        return "", ("", "")
    isa, other, _, stage = deviations[0]
    pairs = (
        (row, other.rows[key])
        for key, row in isa.rows.items()
        if row.stage is stage and key in other.rows and row.values != other.rows[key].values
    )
    *_, (row, other_row) = pairs  # the last has the effect of the others
    lane = next(i for i, bits in enumerate(row.values) if bits != other_row.values[i])
    first, second = (str(describe_lane(y, lane).formula) for y in (row, other_row))
    return str(stage), (first, second)


def _iter_replacement_blocks(x: KnownErratum) -> Iterator[Block]:
    if lines := find_replacement(x):
        yield make_verbatim(lines, "ptx", is_close=True)


def _iter_evidence_blocks(x: KnownErratum) -> Iterator[Block]:
    yield make_points(iter_findings(x.id), is_close=True)
