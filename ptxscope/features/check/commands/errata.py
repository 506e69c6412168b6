"""``ptxscope errata``: the differences between ptxas and the documentation."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

from ....cli.support.arguments import Parser, add_format, make_command_parser, print_report
from ....cli.support.streams import CommandError
from ....documents.formats.json_text import convert_to_json
from ....documents.formats.markup import Block, make_heading
from ....documents.formats.report import REPORT_FORMATS
from ....engine.semantics.rules import ALL_ERRATA, Erratum
from ....engine.syntax.errors import quote_value
from ....engine.tracing.folding_bugs import FOLDING_BUGS, FoldingBug
from ..erratum_evidence import EvidenceRow, list_evidence
from ..erratum_report import indent_blocks, list_parts
from ..erratum_texts import load_texts
from ..example_text import format_example
from ..known_errata import KNOWN_ERRATA, KnownErratum, find_erratum, find_replacement
from ..recorded_code import CodeRow, load_code

ISSUE = "issue"
"""The format of a report for a tracker."""
_IDS = f"E1 to E{len(ALL_ERRATA)}, or F1 to F{len(FOLDING_BUGS)}"

_WIDTH = 76
_LIST_PARTS = 2
"""The parts of each erratum in the list of all: what ptxas does, and the example."""


def make_parser() -> Parser:
    """Return the command's parser."""
    parser = make_command_parser(
        "errata", "List the differences between ptxas, on sm_70 and later, and the PTX ISA."
    )
    parser.add_argument(
        "id", metavar="ID", nargs="?", help=f"{_IDS} for wrong results of constants (default: all)"
    )
    add_format(parser, (*REPORT_FORMATS, "json", ISSUE), "text", has_file=False)
    return parser


def run(words: Sequence[str]) -> int:
    """Print one erratum, or all."""
    arguments = make_parser().parse_args(words)
    try:
        errata = KNOWN_ERRATA if arguments.id is None else (find_erratum(arguments.id),)
    except ValueError:
        raise CommandError(f"error: unknown erratum {quote_value(arguments.id)}: {_IDS}") from None
    if arguments.format == ISSUE:
        if arguments.id is None:
            raise CommandError(f"error: -f {ISSUE} is about one erratum: {_IDS}")
        from ..fault_report import render_erratum

        sys.stdout.write(render_erratum(errata[0]))
        return 0
    blocks: Iterable[Block] = _iter_blocks(errata, is_whole=arguments.id is not None)
    if arguments.format == "text":
        blocks = indent_blocks(blocks)
    print_report(arguments.format, blocks, lambda: [*map(describe, errata)], _WIDTH)
    return 0


def complete_id(*_: object) -> dict[str, str]:
    """Return the ids of all errata with their subjects, for a shell."""
    return {x.id: x.forms for x in KNOWN_ERRATA}


def describe(x: KnownErratum) -> dict[str, object]:
    """Return an erratum, or a wrong result for constants, as JSON."""
    fields = "id forms versions targets sentence remark"
    return {
        **convert_to_json(x, {Erratum: fields, FoldingBug: fields}),
        "example": {"ptx": x.example[0], **format_example(*x.example)._asdict()},
        "replacement": [*find_replacement(x)],
        "report": load_texts()[x.id]._asdict(),
        "machine_code": [_describe_code(row) for row in load_code()[x.id]],
        "evidence": [_describe_evidence(row) for row in list_evidence(x.id)],
    }


def _describe_evidence(row: EvidenceRow) -> dict[str, object]:
    fields = row._asdict()
    del fields["erratum"]
    return {**fields, "targets": row.targets.split()}


def _describe_code(row: CodeRow) -> dict[str, object]:
    fields: dict[str, object] = row._asdict()
    del fields["erratum"]
    return {**fields, "mark": bool(row.mark)}


def _iter_blocks(errata: Iterable[KnownErratum], *, is_whole: bool) -> Iterator[Block]:
    """Yield errata with all parts and headings, or with the parts of a list."""
    for x in errata:
        yield make_heading(f"{x.id}  {x.forms}")
        for part in list_parts(x)[: None if is_whole else _LIST_PARTS]:
            if is_whole:
                yield make_heading(part.title, 1)
            yield from part.blocks
