"""``ptxscope show``: what one instruction is and how it may be written."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from ...engine.isa.catalog import CATALOG
from ...engine.isa.entry import Entry, Need, targets
from ...engine.isa.grammar import SLOT_NAMES, slot_choices, syntax, undocumented
from ...engine.isa.legality import count
from ...engine.semantics.errata import ERRATA
from ...engine.semantics.lowering import lower
from ...engine.syntax.errors import nearest, printable
from ...engine.syntax.parser import parse
from ...engine.tracing.lane_text import result_text
from ...engine.tracing.step_text import title
from ...engine.tracing.trace import trace
from ...export.content.document import command
from .. import CommandError
from ..support.arguments import Parser, instruction, parser
from ..support.picture_output import PICTURES, add_output, choose_format, hand_out, picture_of

_EPILOG = """\
examples:
  ptxscope show vabsdiff4
  ptxscope show vadd4 -f svg -o vadd4.svg
  ptxscope show 'vmad.s32.s32.s32.shr15.sat d, a.h0, b.h1, c' -f pdf -o vmad.pdf

A figure is of a form: it has letters where a trace has bits, and ranges where it has numbers. Of
an opcode alone it is the form of the example that is described.
"""
DAGGER = "\u2020"


def arguments() -> Parser:
    """What it takes."""
    to = parser(
        "show", "Describe one of the 27 instructions, or draw the figure of a form.", _EPILOG
    )
    to.add_argument(
        "opcode", metavar="OPCODE", help="vadd, vset4, setp, …; for a figure also a line of PTX"
    )
    to.add_argument(
        "-f", "--format", choices=("text", *PICTURES),
        help="text, or the figure of a form: svg, png, pdf; default: what FILE ends in, or text",
    )  # fmt: skip
    add_output(to)
    return to


def run(words: Sequence[str]) -> int:
    """Print the description of an opcode, or draw a form of it."""
    chosen = arguments().parse_args(words)
    choose_format(chosen, ("text", *PICTURES))
    if chosen.format == "text":
        made: str | bytes = "\n".join(_lines(CATALOG[_opcode(chosen.opcode)])) + "\n"
    else:
        made = picture_of(_figure(chosen.opcode), chosen.format)
    hand_out(made, chosen.format, chosen.output)
    return 0


def _figure(text: str) -> str:
    """The figure of a line, or of an opcode's example."""
    from ...export.media.form_figure import render

    if text in CATALOG or text.replace("_", "a").isalnum():
        text = CATALOG[_opcode(text)].example[0]
    return render(instruction(text))


def _opcode(opcode: str) -> str:
    """An opcode that is one of the catalog's; raises CommandError."""
    if opcode not in CATALOG:
        close = nearest(opcode, list(CATALOG))
        hint = f"did you mean `{close}`?" if close else "`ptxscope list` names all 27"
        raise CommandError(f"error: `{printable(opcode)}` is not one of the 27; {hint}", 1)
    return opcode


def _need(need: Need) -> str:
    """``.ftz: PTX 1.4``, ``.f64: sm_13 and later``."""
    parts = [f"PTX {need.ptx_isa}"] * bool(need.ptx_isa)
    return f"{need.what}: {', '.join(parts + [targets(need.target)] * bool(need.target))}"


def _counts(entry: Entry) -> str:
    """How many forms there are, and where the answers differ, by whom."""
    every = count(entry.opcode)
    documented = count(entry.opcode, documented=True)
    taken = count(entry.opcode, ptxas=True)
    said = f"{every:,} legal forms"
    if documented != every:
        said += f", {documented:,} of them documented"
    return said if taken == every else f"{said}, {taken:,} of them accepted by ptxas 13.0"


def _listed(heading: str, texts: Iterable[str]) -> Iterator[str]:
    """A blank line, a heading where there is one, and a point a text; nothing for no text."""
    for at, text in enumerate(texts):
        if at == 0:
            yield from ("", heading) if heading else ("",)
        yield from textwrap.wrap(
            text, 78, initial_indent="  - ", subsequent_indent="    ", break_on_hyphens=False
        )


def _lines(entry: Entry) -> Iterator[str]:
    yield f"{entry.opcode}: {entry.summary}"
    least = f"PTX {entry.ptx_isa}, {targets(entry.target)}"
    yield f"{entry.group}, PTX ISA {entry.section}; {least}"
    if entry.needs:
        yield "; ".join(map(_need, entry.needs))
    yield _counts(entry)
    yield ""
    yield from textwrap.wrap(
        syntax(entry), 78, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False
    )
    yield ""
    for slot in entry.slots:
        if slot.name != "c":
            choices = slot_choices(slot, undocumented(entry, slot), DAGGER)
            lead = f"  {slot.name:<8}{'' if slot.optional else '* '}"
            yield from textwrap.wrap(
                f"{SLOT_NAMES[slot.name]}: {choices}",
                78,
                initial_indent=lead,
                subsequent_indent=" " * 10,
            )
    marked = any(undocumented(entry, slot) for slot in entry.slots)
    yield "  (* must be written" + (f"; {DAGGER} undocumented)" if marked else ")")
    yield from _listed("", dict.fromkeys(x.rule for x in entry.constraints))
    yield from _listed("legal, but:", (x.text for x in entry.remarks))
    yield from _listed(
        "where the manual contradicts itself:", (x.text for x in entry.contradictions)
    )
    touched = [x for x in ERRATA if entry.opcode in x.opcodes]
    ptx, values = entry.example
    ins = parse(ptx)
    yield ""
    yield "steps of the example: " + ", ".join(title(step) for step in lower(ins.form).steps)
    example = trace(ins, values)
    yield f"example: {ins} gives {result_text(example)}"
    yield f"  $ {command(example)}"
    if touched:
        yield f"errata: {', '.join(x.id for x in touched)} (ptxscope errata ID)"
