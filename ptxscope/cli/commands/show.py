"""``ptxscope show``: an instruction with its modifiers and forms, or all instructions."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from ...documents.content.command_words import format_command
from ...documents.formats.markup import (
    Block,
    make_heading,
    make_paragraph,
    make_points,
    make_verbatim,
)
from ...documents.formats.report import REPORT_FORMATS, write_report
from ...documents.options import PICTURES
from ...engine.isa.catalog import (
    CATALOG,
    count_entry_forms,
    count_forms,
    find_undocumented_values,
    list_shapes,
)
from ...engine.isa.entry import (
    CORE_GROUPS,
    Entry,
    VersionRequirement,
    format_citation,
    format_targets,
)
from ...engine.isa.grammar import SLOT_NAMES, format_slot_choices
from ...engine.isa.intrinsics import find_successor
from ...engine.semantics.rules import ERRATA
from ...engine.syntax.errors import format_names, make_printable
from ...engine.syntax.opcodes import format_opcode_question, suggest_opcodes
from ...engine.syntax.parser import parse
from ...engine.tracing.step_text import format_result, format_title
from ...engine.tracing.trace import trace
from ...feature import Service, find_services
from ..support.arguments import (
    Parser,
    add_format,
    find_command_module,
    make_command_parser,
    parse_words,
)
from ..support.picture_output import add_output, choose_format, output_document, render_picture
from ..support.ptx_arguments import parse_instruction
from ..support.streams import CommandError

_EPILOG = """\
examples:
  ptxscope show
  ptxscope show vabsdiff4
  ptxscope show vadd4 -f svg -o vadd4.svg
  ptxscope show 'vmad.s32.s32.s32.shr15.sat d, a.h0, b.h1, c' -f pdf -o vmad.pdf

A figure shows a form, with letters instead of a trace's bits and ranges instead of its numbers. For
an opcode alone, it is the form of the example. The list of all instructions is text or json.
"""
DAGGER = "\u2020"
_FORMATS = (*REPORT_FORMATS, *PICTURES)
_LIST_FORMATS = ("text", "json")
_WIDTH = 78


def make_parser() -> Parser:
    """Return the command's parser."""
    about = (
        "List the instructions that ptxscope explains, describe one, or draw the figure of a form."
    )
    parser = make_command_parser("show", about, _EPILOG)
    parser.add_argument(
        "opcode",
        metavar="OPCODE",
        nargs="?",
        help="opcode: vadd, vset4, setp, …; for a figure also a line of PTX (default: list all)",
    )
    add_format(parser, (*_FORMATS, "json"), "text")
    add_output(parser)
    return parser


def run(words: Sequence[str]) -> int:
    """Print the list of instructions, describe one, or draw one of its forms."""
    document, arguments = render_request(words)
    output_document(document, arguments.format, arguments.output)
    return 0


def render_request(words: Sequence[str]) -> tuple[str | bytes, argparse.Namespace]:
    """Return the document of the arguments, and the arguments. Raise CommandError if invalid."""
    arguments = parse_words(make_parser(), words)
    is_line = bool(arguments.opcode) and not _is_opcode(arguments.opcode)
    formats = PICTURES if is_line else _FORMATS if arguments.opcode else _LIST_FORMATS
    choose_format(arguments, formats)
    if is_line and arguments.format not in formats:
        parse_instruction(arguments.opcode)
        raise CommandError("error: the form of a line is a picture: add -o FILE.svg, or -f svg")
    if arguments.format not in formats:
        subject = "one instruction" if arguments.opcode else "the list of all instructions"
        raise CommandError(f"error: -f {arguments.format}: {subject} is {format_names(formats)}")
    document: str | bytes
    if not arguments.opcode:
        document = _list_as_json() if arguments.format == "json" else _list_as_text()
    elif arguments.format in REPORT_FORMATS:
        shapes = list_shapes(_check_opcode(arguments.opcode))
        blocks = (block for entry in shapes for block in iter_entry_blocks(entry))
        document = write_report(blocks, arguments.format, _WIDTH)
    else:
        document = render_picture(_render_figure(arguments.opcode), arguments.format)
    return document, arguments


def _render_figure(text: str) -> str:
    """Return the figure of a line, or of an opcode's example."""
    from ...documents.media.form_figure import render

    if _is_opcode(text):
        text = CATALOG[_check_opcode(text)].example[0]
    return render(parse_instruction(text))


def _is_opcode(text: str) -> bool:
    """Whether a text is a single word, a possibly wrong opcode, instead of a line of PTX."""
    return text in CATALOG or text.replace("_", "a").isalnum()


def _check_opcode(opcode: str) -> str:
    """Return an opcode of the catalog. Raise CommandError for any other."""
    if opcode not in CATALOG:
        question = format_opcode_question(suggest_opcodes(opcode))
        hint = question or "`ptxscope show` names them all"
        message = f"`{make_printable(opcode)}` is not an instruction that ptxscope explains"
        raise CommandError(f"error: {message}; {hint}", 1)
    return opcode


def _format_requirement(need: VersionRequirement) -> str:
    """``.ftz: PTX 1.4``, ``.f64: sm_13 and later``."""
    parts = [f"PTX {need.ptx_isa}"] * bool(need.ptx_isa)
    return f"{need.feature}: {', '.join(parts + [format_targets(need.target)] * bool(need.target))}"


def _format_counts(entry: Entry) -> str:
    """Return the counts of all, documented and accepted forms."""
    form_count = count_entry_forms(entry)
    documented = count_entry_forms(entry, is_documented=True)
    counts = count_entry_forms(entry, is_in_ptxas=True)
    texts = f"{form_count:,} legal form{'s' * (form_count != 1)}"
    if documented != form_count:
        texts += f", {documented:,} of them documented"
    return texts if counts == form_count else f"{texts}, {counts:,} of them accepted by ptxas 13.0"


def iter_entry_blocks(entry: Entry) -> Iterator[Block]:
    """Yield the description of an instruction."""
    yield make_heading(f"{entry.opcode}: {entry.summary}")
    facts = [f"{entry.group}, {format_citation([entry.section], is_ascii=True)}; {entry.minimum}"]
    facts += ["; ".join(map(_format_requirement, entry.requirements))] * bool(entry.requirements)
    yield make_verbatim([*facts, _format_counts(entry)], is_close=True)
    yield make_paragraph(f"`{entry.syntax};`", "  ", "      ")
    yield make_verbatim(_iter_slot_lines(entry))
    yield from _iter_list_blocks("", dict.fromkeys(x.rule for x in entry.constraints))
    yield from _iter_list_blocks("legal, but:", (x.text for x in entry.remarks))
    contradictions = (x.text for x in entry.contradictions)
    yield from _iter_list_blocks("contradictions in the manual:", contradictions)
    if successor := find_successor(entry.opcode):
        yield from _iter_list_blocks(f"{successor.summary}; but:", successor.differences)
    for describe in find_services(Service.DESCRIBE_ENTRY):
        yield from describe(entry)
    ptx, values = entry.example
    ins = parse(ptx)
    example = trace(ins, values)
    lines = [
        f"steps of the example: {', '.join(map(format_title, example.steps))}",
        f"example: {ins} gives {format_result(example)}",
        f"  $ {format_command(example)}",
    ]
    if errata := [x.id for x in ERRATA if entry.opcode in x.opcodes]:
        hint = " (ptxscope errata ID)" if find_command_module("errata") else ""
        lines.append(f"errata: {', '.join(errata)}{hint}")
    yield make_verbatim(lines)


def _iter_slot_lines(entry: Entry) -> Iterator[str]:
    width = max(7, *(len(slot.name) for slot in entry.slots))
    for slot in entry.slots:
        if slot.name != "c":
            choices = format_slot_choices(slot, find_undocumented_values(entry, slot), DAGGER)
            lead = f"  {slot.name:<{width}} {'' if slot.is_optional else '* '}"
            text = f"{SLOT_NAMES[slot.name]}: {choices}"
            yield from textwrap.wrap(
                text, _WIDTH, initial_indent=lead, subsequent_indent=" " * (width + 3)
            )
    has_undocumented_values = any(find_undocumented_values(entry, slot) for slot in entry.slots)
    yield "  (* required" + (f"; {DAGGER} undocumented)" if has_undocumented_values else ")")


def _iter_list_blocks(heading: str, texts: Iterable[str]) -> Iterator[Block]:
    """Yield a heading, if any, and a point for each text; nothing for no texts."""
    if points := [[text] for text in texts]:
        if heading:
            yield make_heading(heading, 1)
        yield make_points(points, is_close=bool(heading))


# --- all instructions --------------------------------------------------------------------


def _list_as_text() -> str:
    """Return the instructions by group, with the number of legal forms of each."""
    lines, group, counts, totals = [], None, [0, 0], [0, 0]
    for opcode, entry in CATALOG.items():
        if entry.group is not group:
            group = entry.group
            lines.append(f"{group}:")
        forms = count_forms(opcode)
        counts[entry.group in CORE_GROUPS] += 1
        totals[entry.group in CORE_GROUPS] += forms
        lines.append(f"  {opcode:<10}{forms:>15,}  {entry.summary}")
    for label, is_core in (("in full", True), ("other integer instructions", False)):
        lines.append(f"{counts[is_core]} {label}: {totals[is_core]:,} legal forms")
    return "\n".join(lines) + "\n"


def _list_as_json() -> str:
    import json

    return json.dumps([_describe_entry(opcode) for opcode in CATALOG], indent=2) + "\n"


def _describe_entry(opcode: str) -> dict[str, object]:
    """Return a catalog entry as JSON."""
    entry = CATALOG[opcode]
    return {
        "opcode": opcode,
        "group": entry.group,
        "forms": count_forms(opcode),
        "documented_forms": count_forms(opcode, is_documented=True),
        "summary": entry.summary,
        "syntax": f"{entry.syntax};",
        "section": entry.section,
        "ptx_isa": entry.minimum.ptx_isa,
        "target": entry.minimum.target,
        "lanes": entry.lanes,
        "example": entry.example[0],
    }
