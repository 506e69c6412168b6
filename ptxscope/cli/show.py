"""``ptxscope show``: what one instruction is and how it may be written."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from ..engine.catalog import CATALOG
from ..engine.entry import Entry
from ..engine.errata import ERRATA
from ..engine.errors import nearest, printable
from ..engine.grammar import SLOT_NAMES, slot_choices, syntax
from ..engine.legality import count
from ..engine.lowering import lower
from ..engine.parser import parse
from ..engine.stages import title
from ..engine.trace import trace
from ..engine.words import result_text
from ..export.document import command
from . import CommandError
from .arguments import parser


def run(words: Sequence[str]) -> int:
    """Print the description of an opcode."""
    arguments = parser("show", "Describe one of the 27 instructions.")
    arguments.add_argument("opcode", metavar="OPCODE", help="vadd, vset4, setp, …")
    opcode = arguments.parse_args(words).opcode
    if opcode not in CATALOG:
        close = nearest(opcode, list(CATALOG))
        hint = f"did you mean `{close}`?" if close else "`ptxscope list` names all 27"
        raise CommandError(f"error: `{printable(opcode)}` is not one of the 27; {hint}", 1)
    print("\n".join(_lines(CATALOG[opcode])))
    return 0


def _lines(entry: Entry) -> Iterator[str]:
    yield f"{entry.opcode}: {entry.summary}"
    target = "any target" if entry.target == "any" else f"{entry.target} and later"
    yield f"{entry.group}, PTX ISA {entry.section}; PTX {entry.ptx_isa}, {target}"
    yield f"{count(entry.opcode):,} legal forms"
    yield ""
    yield from textwrap.wrap(
        syntax(entry), 78, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False
    )
    yield ""
    for slot in entry.slots:
        if slot.name != "c":
            choices = slot_choices(slot)
            lead = f"  {slot.name:<8}{'' if slot.optional else '* '}"
            yield from textwrap.wrap(
                f"{SLOT_NAMES[slot.name]}: {choices}",
                78,
                initial_indent=lead,
                subsequent_indent=" " * 10,
            )
    yield "  (* must be written)"
    if entry.constraints:
        yield ""
        for hint in dict.fromkeys(x.rule for x in entry.constraints):
            yield from textwrap.wrap(hint, 78, initial_indent="  - ", subsequent_indent="    ")
    touched = [x for x in ERRATA if entry.opcode in x.opcodes]
    ptx, values = entry.example
    ins = parse(ptx)
    yield ""
    yield "steps: " + ", ".join(title(step) for step in lower(ins.form).steps)
    example = trace(ins, values)
    yield f"example: {ins} gives {result_text(example)}"
    yield f"  $ {command(example)}"
    if touched:
        yield f"errata: {', '.join(x.id for x in touched)} (ptxscope errata ID)"
