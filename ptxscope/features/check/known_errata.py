"""The known errata, of models and of constants: their examples, sections and replacements."""

from __future__ import annotations

from ...blocks.block_parser import parse_block
from ...engine.isa.catalog import CATALOG
from ...engine.semantics.models import parse_erratum
from ...engine.semantics.rules import ALL_ERRATA, SEQUENCE_ERRATA, Erratum
from ...engine.syntax.parser import parse
from ...engine.tracing.basic_block import BasicBlock, make_block
from ...engine.tracing.folding_bugs import FOLDING_BUGS, FoldingBug
from ...engine.tracing.trace import Trace, trace_program

KnownErratum = Erratum | FoldingBug
"""A difference between ptxas and the documentation, of a model or of constants."""
KNOWN_ERRATA: tuple[KnownErratum, ...] = (*ALL_ERRATA, *FOLDING_BUGS)


def find_erratum(id_: str) -> KnownErratum:
    """Return an erratum by its id, in either case; raise ValueError for any other text."""
    folding = {x.id: x for x in FOLDING_BUGS}
    return folding.get(id_.upper()) or parse_erratum(id_)


def find_replacement(x: KnownErratum) -> tuple[str, ...]:
    """Return the plain PTX with the documented result of the example; empty if there is none."""
    from .erratum_texts import load_texts

    if lines := load_texts()[x.id].replacement:
        return lines
    return make_block_replacement(read_example(x))


def make_block_replacement(block: BasicBlock) -> tuple[str, ...]:
    """Return the statements of a block, and plain PTX for those that an erratum can change.

    Return none if an erratum changes a statement for which there is no such PTX.
    """
    from .replacement import make_replacement

    lines, is_changed = list[str](), False
    for ins in (x.instruction for x in block.statements):
        made = make_replacement(ins)
        if ins.errata and not made:
            return ()
        is_changed |= bool(made)
        lines += made or (str(ins),)
    return tuple(lines) if is_changed else ()


def list_sections(x: KnownErratum) -> tuple[str, ...]:
    """Return the sections of the PTX ISA on the affected instructions."""
    names = x.opcodes if isinstance(x, Erratum) else ()
    sections = (*read_example(x).sections, *(CATALOG[name].section for name in names))
    return tuple(dict.fromkeys(sections))


def read_example(x: KnownErratum) -> BasicBlock:
    """Return the statements of the example."""
    ptx = x.example[0]
    return parse_block(ptx) if x in SEQUENCE_ERRATA else make_block(parse(ptx))


def trace_example(x: KnownErratum) -> Trace:
    """Return the documented trace of the example."""
    return trace_program(read_example(x), x.example[1])
