"""``ptxscope errata``: the differences between ptxas and the documentation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....cli.support.arguments import Parser, add_report_format, make_command_parser, print_report
from ....cli.support.streams import CommandError
from ....documents.formats.json_text import convert_to_json
from ....documents.formats.markup import Block, make_heading, make_paragraph, make_verbatim
from ....engine.semantics.models import parse_erratum
from ....engine.semantics.rules import ALL_ERRATA, FLAG_ERRATUM, Erratum
from ....engine.syntax.errors import quote_value
from ....engine.syntax.parser import parse
from ....engine.tracing.folding_bugs import FOLDING_BUGS, FoldingBug
from ..example_text import format_example

_IDS = f"E1 to E{len(ALL_ERRATA)}, or F1 to F{len(FOLDING_BUGS)}"

_WIDTH = 76


def make_parser() -> Parser:
    """Return the command's parser."""
    parser = make_command_parser(
        "errata", "List the differences between ptxas, on sm_70 and later, and the PTX ISA."
    )
    parser.add_argument(
        "id", metavar="ID", nargs="?", help=f"{_IDS} for wrong results of constants (default: all)"
    )
    add_report_format(parser)
    return parser


def run(words: Sequence[str]) -> int:
    """Print one erratum, or all."""
    arguments = make_parser().parse_args(words)
    folding = {x.id: x for x in FOLDING_BUGS}
    try:
        if arguments.id is None:
            errata: Sequence[Erratum | FoldingBug] = (*ALL_ERRATA, *FOLDING_BUGS)
        else:
            errata = (folding.get(arguments.id.upper()) or parse_erratum(arguments.id),)
    except ValueError:
        raise CommandError(f"error: unknown erratum {quote_value(arguments.id)}: {_IDS}") from None
    blocks = [block for x in errata for block in _iter_blocks(x)]
    if arguments.id is not None:
        blocks += _iter_replacement_blocks(errata[0])
    print_report(arguments.format, blocks, lambda: [*map(describe, errata)], _WIDTH)
    return 0


def complete_id(*_: object) -> dict[str, str]:
    """Return the ids of all errata, and what each is about, for a shell."""
    return {x.id: x.forms for x in ALL_ERRATA} | {x.id: x.forms for x in FOLDING_BUGS}


def describe(x: Erratum | FoldingBug) -> dict[str, object]:
    """Return an erratum, or a wrong result for constants, as JSON."""
    fields = "id forms versions targets sentence remark"
    return {
        **convert_to_json(x, {Erratum: fields, FoldingBug: fields}),
        "example": {"ptx": x.example[0], **format_example(*x.example)._asdict()},
        "replacement": [*(_find_replacement(x) or ())],
    }


def _find_replacement(x: Erratum | FoldingBug) -> tuple[str, ...] | None:
    """Return the plain PTX with the documented result of the example; None if there is none."""
    from ..replacement import make_replacement

    has_example = isinstance(x, Erratum) and x is not FLAG_ERRATUM
    return make_replacement(parse(x.example[0])) if has_example else None


def _iter_blocks(x: Erratum | FoldingBug) -> Iterator[Block]:
    texts = format_example(*x.example)
    yield make_heading(f"{x.id}  {x.forms}")
    for sentence in filter(None, (x.sentence, x.remark)):
        yield make_paragraph(sentence, "    ", "    ", is_close=True)
    lines = [
        f"ptxas {x.versions}; {x.targets}",
        x.example[0],
        f"  {' '.join(f'{name}={bits}' for name, bits in texts.values.items())}",
        f"  isa {texts.isa}   ptxas {texts.ptxas}",
    ]
    yield make_verbatim((f"    {line}" for line in lines), is_close=True)


def _iter_replacement_blocks(x: Erratum | FoldingBug) -> Iterator[Block]:
    if lines := _find_replacement(x):
        heading = "plain PTX with the documented result:"
        yield make_paragraph(heading, "    ", "    ", is_close=True)
        yield make_verbatim((f"      {line}" for line in lines), "ptx", is_close=True)
