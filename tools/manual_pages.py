"""The pages of the manual that are made of the catalog, the errata and what readers expect."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ptxscope import PtxError, parse
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.contradictions import CONTRADICTIONS
from ptxscope.engine.isa.entry import (
    Entry,
    Group,
    Slot,
    SlotPlace,
    VersionRequirement,
    format_targets,
)
from ptxscope.engine.isa.grammar import (
    SLOT_NAMES,
    find_undocumented_values,
    format_slot_choices,
    format_syntax,
)
from ptxscope.engine.isa.intrinsics import map_intrinsics
from ptxscope.engine.isa.legality import count_forms
from ptxscope.engine.isa.types import Type
from ptxscope.engine.listings.replacement import make_replacement
from ptxscope.engine.semantics.errata import ERRATA, TARGETS
from ptxscope.engine.semantics.erratum import Erratum
from ptxscope.engine.semantics.misconceptions import BELIEFS, MISCONCEPTIONS
from ptxscope.engine.semantics.models import ISA_MODEL, PTXAS_MODELS, Model
from ptxscope.engine.syntax.instruction import Instruction
from ptxscope.engine.tracing.divergence import find_divergences
from ptxscope.engine.tracing.lane_text import format_result
from ptxscope.engine.tracing.operand_bits import bind_values
from ptxscope.engine.tracing.trace import Trace
from ptxscope.export.content.document import build_document, format_command
from ptxscope.export.options import DEFAULT

from .manual_text import (
    block,
    code,
    heading,
    hidden_contents,
    points,
    said,
    sentence,
    table,
    trace_block,
)
from .manual_worked import Worked, happenings, worked

ROOT = Path(__file__).resolve().parent.parent
DAGGER = "\u2020"
_COLUMNS = 84
"""Of a line of code beside the contents."""
_CONSTANTS = {"slct": "slct.s32.s32 d, 1, 2, 0x80000000"}
"""Lines that the engine has a note on because an operand is a constant, by opcode."""
_BITING = {
    "a": 0x80FF7F01,
    "b": 0x01FF0280,
    "c": 0x11223344,
    "guard": 1,
    **dict.fromkeys("dpq", 0x55AA55AA),
}
"""Values by role for the PTX ISA's own lines, which have none."""


class Published(NamedTuple):
    """A line that the PTX ISA prints."""

    text: str
    legal: bool

    @property
    def opcode(self) -> str:
        """The opcode of the line."""
        return next(x for x in self.text.split() if not x.startswith("@")).partition(".")[0]


_CORRECTIONS = {
    "vmin4": (
        "A mask names each lane once, most significant first: ``b00`` is none. With lane 0 alone:",
        "vmin4.s32.u32.u32.add  r1.b0, r2.b0000, r3.b2222, r1;",
    ),
    "vset4": (
        "The SIMD instructions have no secondary operation but ``.add``:",
        "vset4.u32.u32.ne.add  r1, r2, r3, r0;",
    ),
}
"""What the two lines that are not legal may have meant, by opcode."""


def pages() -> dict[str, str]:
    """Every page by its path under docs/."""
    found = {"instructions/index": _index()}
    for opcode, entry in CATALOG.items():
        found[f"instructions/{opcode}"] = instruction_page(entry)
    found["errata/index"] = _errata_index()
    for erratum in ERRATA:
        found[f"errata/{erratum.id.lower()}"] = erratum_page(erratum)
    found["expectations"] = _expectations()
    found["published"] = _published_page()
    return {path: "\n".join(lines).rstrip() + "\n" for path, lines in found.items()}


# --- the instructions ----------------------------------------------------------------------


def _index() -> list[str]:
    lines = heading("The instructions", "=")
    total = sum(map(count_forms, CATALOG))
    lines += [
        f"{len(CATALOG)} instructions, {total:,} legal forms. Each page has the syntax, every "
        "choice there is, three worked examples with a picture each, what is easily taken for "
        "something else, and the errata. The :doc:`families </families/index>` tell what "
        "instructions have in common.",
        "",
    ]
    for group in Group:
        entries = [entry for entry in CATALOG.values() if entry.group is group]
        lines += heading(str(group), "-")
        lines += table(
            ("instruction", "computes", "legal forms"),
            ((_link(x.opcode), said(x.summary), f"{count_forms(x.opcode):,}") for x in entries),
            widths="22 56 22",
        )
    return lines + hidden_contents(CATALOG)


def _link(opcode: str) -> str:
    return f":doc:`{opcode} </instructions/{opcode}>`"


def instruction_page(entry: Entry) -> list[str]:
    """One instruction."""
    opcode = entry.opcode
    lines = [f".. meta::\n   :description: PTX {opcode}: {entry.summary}", ""]
    lines += heading(opcode, "=")
    lines += [sentence(entry.summary), ""]
    lines += block("none", [format_syntax(entry)])
    lines += _glance(entry)
    lines += heading("What can be chosen", "-")
    lines += _slots(entry)
    lines += _operands(entry)
    lines += heading("Worked examples", "-")
    for number, example in enumerate(_worked(opcode), 1):
        lines += _example(number, example)
    lines += _traps(entry)
    lines += _errata(entry)
    return lines + _elsewhere(entry)


@cache
def _worked(opcode: str) -> tuple[Worked, ...]:
    return worked(CATALOG[opcode])


def _glance(entry: Entry) -> list[str]:
    every, written = count_forms(entry.opcode), count_forms(entry.opcode, is_documented=True)
    taken = count_forms(entry.opcode, is_in_ptxas=True)
    needs = [
        f"PTX {entry.ptx_isa}, {format_targets(entry.target)}",
        *map(_need, entry.requirements),
    ]
    rows = [
        ("Group", str(entry.group)),
        ("Described in", f"PTX ISA {entry.section}"),
        ("Needs", "; ".join(needs)),
        ("Legal forms", f"{every:,}"),
    ]
    if written != every:
        rows.append(("Documented", f"{written:,}"))
    if taken != every:
        rows.append(("Taken by ptxas 13.0", f"{taken:,}"))
    return table((), rows, widths="28 72", css="glance")


def _need(need: VersionRequirement) -> str:
    parts = [f"PTX {need.ptx_isa}"] * bool(need.ptx_isa)
    parts += [format_targets(need.target)] * bool(need.target)
    return f"``{need.feature}``: {', '.join(parts)}"


def _slots(entry: Entry) -> list[str]:
    rows = [_slot(entry, slot) for slot in entry.slots]
    marked = any(find_undocumented_values(entry, slot) for slot in entry.slots)
    lines = table(("slot", "what it is", "values", "written"), rows, widths="13 27 44 16")
    return lines + [f"{DAGGER} undocumented; ptxas accepts it.", ""] * marked


def _slot(entry: Entry, slot: Slot) -> tuple[str, str, str, str]:
    marked = find_undocumented_values(entry, slot)
    choices = format_slot_choices(slot, marked, DAGGER)
    if slot.name == "c":
        values = "``, c``"
    elif slot.word and slot.place is not SlotPlace.MODIFIER:
        values = f"{_choice(slot.word + DAGGER * bool(marked))} before the operand"
    elif len(slot.values) > 20:
        values = said(choices)
    else:
        values = " ".join(map(_choice, choices.split()))
    needed = "may be" if slot.is_optional else "must be"
    return code(slot.name), sentence(SLOT_NAMES[slot.name]).removesuffix("."), values, needed


def _choice(text: str) -> str:
    plain = text.removesuffix(DAGGER)
    return code(plain) + (f"\\ {DAGGER}" if plain != text else "")


_FINAL = f"that of the sum: {code('.s32')} where a or b is, or one of a, b, c is negated"
"""The type of c of ``vmad``."""


def _operands(entry: Entry) -> list[str]:
    rows = []
    for operand in entry.operands:
        type_ = operand.type if isinstance(operand.type, Type) else None
        shown = code(f".{type_ or operand.type}") if operand.type != "final" else _FINAL
        lanes = f"{entry.lanes} lanes" if operand.has_lanes else "one value"
        if operand.can_keep_lanes:
            lanes = f"{entry.lanes} lanes where some are kept, else one number"
        read = "written" if operand in entry.destinations else "read"
        rows.append((code(operand.role), read, shown, lanes))
    return table(("operand", "is", "type", "as"), rows, widths="16 16 24 44")


def _given(trace: Trace) -> dict[str, str]:
    """The operands' bits by the names that they have in the line; literals have none."""
    names = trace.instruction.names
    told = build_document(trace, DEFAULT).operands
    return {names[x.role]: x.bits for x in told if x.role in names}


def _example(number: int, example: Worked) -> list[str]:
    trace = example.trace
    lines = heading(f"{number}. {example.title}", "~")
    options = ["format: svg"] + ["both"] * example.parts
    lines += trace_block(str(trace.instruction), _given(trace), *options)
    lines += points(map(sentence, happenings(trace)))
    lines += [f"The result is {_result(trace)}. {_parting(trace)}".rstrip(), ""]
    return lines + block("console", _folded(format_command(trace)))


def _folded(text: str) -> list[str]:
    """A command, its values on a line of their own where it is long."""
    if len(text) <= _COLUMNS:
        return [f"$ {text}"]
    words = shlex.split(text)
    return [f"$ {shlex.join(words[:3])} \\", f"    {shlex.join(words[3:])}"]


def _result(trace: Trace) -> str:
    shown = (
        f"``{x.name} = {x.bits}``, {said(x.meant)}" for x in build_document(trace, DEFAULT).results
    )
    return "; ".join(shown)


def _parting(trace: Trace) -> str:
    """What another assembler makes of it, where that differs."""
    texts = []
    for found in find_divergences(trace):
        ids = " and ".join(_erratum_link(x) for x in found.errata)
        texts.append(f"{said(found.other.model.name)} gives {_result(found.other)} ({ids}).")
    return " ".join(texts)


def _erratum_link(erratum: Erratum) -> str:
    return f":doc:`{erratum.id} </errata/{erratum.id.lower()}>`"


def _traps(entry: Entry) -> list[str]:
    """What goes wrong with it, in the sentences of the catalog and the engine."""
    lines = heading("Traps", "-")
    rules = dict.fromkeys(x.rule for x in entry.constraints)
    expected = [x for x in MISCONCEPTIONS if entry.opcode in x.opcodes]
    lines += _listed("What must hold:", map(sentence, rules))
    lines += _listed("Legal, but:", (sentence(x.text) for x in entry.remarks))
    lines += _listed(
        "What is often expected (:doc:`all of it </expectations>`):",
        (sentence(x.sentence) for x in expected),
    )
    lines += _listed(
        "Where the PTX ISA contradicts itself:", (sentence(x.text) for x in entry.contradictions)
    )
    if entry.opcode in _CONSTANTS:
        line = parse(_CONSTANTS[entry.opcode])
        lines += _listed(f"With constants, as in ``{line}``:", map(sentence, line.notes))
    if len(lines) == len(heading("", "-")):
        lines += ["None is known.", ""]
    return lines


def _listed(lead: str, texts: Iterable[str]) -> list[str]:
    listed = points(texts)
    return [lead, "", *listed] if listed else []


def _errata(entry: Entry) -> list[str]:
    lines = heading("Errata", "-")
    touching = [x for x in ERRATA if entry.opcode in x.opcodes]
    if not touching:
        return [*lines, "None is known.", ""]
    rows = ((_erratum_link(x), said(x.forms), said(x.sentence), x.versions) for x in touching)
    return lines + table(("", "forms", "what ptxas does", "ptxas"), rows, widths="8 28 46 18")


def _elsewhere(entry: Entry) -> list[str]:
    """CUDA's names for it, the manual's own examples, its like on other lanes."""
    lines = heading("Elsewhere", "-")
    like = [x.opcode for x in CATALOG.values() if x.base_opcode == entry.base_opcode and x != entry]
    if like:
        lines += [f"The same on other lanes: {', '.join(map(_link, like))}.", ""]
    printed = [x for x in published() if x.opcode == entry.opcode]
    if printed:
        lines += ["In the PTX ISA (:doc:`with values and results </published>`):", ""]
        lines += block("none", (" ".join(x.text.split()) for x in printed))
    named = [x for x in map_intrinsics().values() if x.ptx.partition(".")[0] == entry.opcode]
    if named:
        lines += ["CUDA's intrinsics that compute it:", ""]
        rows = ((code(x.name), code(x.ptx), said(x.differs)) for x in named)
        lines += table(("intrinsic", "PTX", "what differs"), rows, widths="22 40 38")
    if len(lines) == len(heading("", "-")):
        return []
    return lines


# --- where answers part --------------------------------------------------------------------


def _errata_index() -> list[str]:
    lines = heading("Where ptxas and the documentation part", "=")
    lines += [
        f"On {TARGETS} NVIDIA's assembler emulates the scalar video instructions, and under a "
        "guard it guards only a part of some ``set``. In these ways the code it emits does not "
        "compute what the PTX ISA documents. ``ptxscope trace … --model ptxas`` computes what "
        "ptxas does, ``--both`` shows both, ``ptxscope check`` finds what is touched in your "
        "sources.",
        "",
    ]
    for x in ERRATA:
        lines += [
            f"{_erratum_link(x)}, ptxas {x.versions}: {said(x.forms)}",
            f"   {sentence(x.sentence)} Example: {code(_documented(x))} as documented, "
            f"{code(_ptxas(x))} with ptxas.",
            "",
        ]
    return lines + hidden_contents(f"{x.id} <{x.id.lower()}>" for x in ERRATA)


def _shown(x: Erratum, model_: Model = ISA_MODEL) -> Trace:
    """The example of an erratum, or of what is expected."""
    ptx, values, *_ = x.example
    ins = parse(ptx)
    return Trace(ins, model_, bind_values(ins, values))


def _documented(x: Erratum) -> str:
    return format_result(_shown(x))


def _ptxas(x: Erratum) -> str:
    """What the newest assembler that has an erratum makes of its example."""
    having = next(found for found in PTXAS_MODELS if x in found.errata)
    return format_result(_shown(x, having))


def erratum_page(erratum: Erratum) -> list[str]:
    """One erratum: a table that fits a screen, then the picture of both answers."""
    trace = _shown(erratum)
    lines = heading(f"{erratum.id}: {erratum.forms}", "=")
    links = ", ".join(map(_link, erratum.opcodes))
    given = " ".join(f"{name}={bits}" for name, bits in _given(trace).items())
    rows = [
        ("What ptxas does", said(erratum.sentence)),
        ("Forms", said(erratum.forms)),
        ("Instructions", links),
        ("Versions", f"ptxas {erratum.versions}; {TARGETS}"),
        ("Shown by", code(str(trace.instruction))),
        ("with", code(given)),
        ("Documented", code(format_result(trace))),
        ("ptxas", code(_ptxas(erratum))),
    ]
    if erratum.remark:
        rows.append(("Remark", said(erratum.remark)))
    lines += table((), rows, widths="24 76", css="glance")
    lines += heading("Both answers", "-")
    lines += trace_block(str(trace.instruction), _given(trace), "format: svg", "both")
    plain = make_replacement(trace.instruction)
    if plain:
        lines += heading("Plain PTX instead", "-")
        lines += ["This computes what is documented, whatever the assembler:", ""]
        lines += block("none", plain)
    return lines


# --- what is expected ----------------------------------------------------------------------


def _expectations() -> list[str]:
    lines = heading("What is expected, and what is documented", "=")
    lines += [
        "``ptxscope explain`` asks whether a result is what one of these beliefs gives. Each "
        "result here was computed, the one as documented, the other as if the belief were true.",
        "",
    ]
    for x in MISCONCEPTIONS:
        trace = _shown(x)
        given = " ".join(f"{name}={bits}" for name, bits in _given(trace).items())
        lines += heading(f"{x.id}: if {BELIEFS[x.id].replace('`', '')}", "-")
        lines += [said(x.sentence), ""]
        rows = [
            ("Forms", said(x.forms)),
            ("Shown by", code(str(trace.instruction))),
            ("with", code(given)),
            ("Documented", code(format_result(trace))),
            ("If it were so", code(format_result(_shown(x, Model(x.id, (x,)))))),
        ]
        lines += table((), rows, widths="24 76", css="glance")
    lines += heading("Where the PTX ISA contradicts itself", "-")
    lines += ["A note on a trace says so wherever it matters.", ""]
    rows_ = ((", ".join(map(_link, x.opcodes)), sentence(x.text)) for x in CONTRADICTIONS)
    return lines + table(("instructions", "what it says, and how it is read here"), rows_,
                         widths="30 70")  # fmt: skip


# --- the manual's own examples ---------------------------------------------------------------


@cache
def published() -> tuple[Published, ...]:
    """Every line that the PTX ISA prints for these instructions."""
    listed = (ROOT / "tests/data/published.txt").read_text(encoding="utf-8").splitlines()
    told = (line.partition("\t") for line in listed if not line.startswith("#"))
    return tuple(Published(text, verdict == "legal") for verdict, _, text in told)


def _published_page() -> list[str]:
    lines = heading("The published examples", "=")
    lines += [
        "Every example that the PTX ISA prints for these instructions, on values of ours. Two of "
        "them are not legal.",
        "",
    ]
    legal = [x for x in published() if x.legal]
    rows = []
    for x in legal:
        trace = _on_biting(parse(x.text))
        given = " ".join(f"{name}={bits}" for name, bits in _given(trace).items())
        rows.append((code(str(trace.instruction)), code(given), code(_both(trace))))
    lines += table(("line", "values", "result"), rows, widths="38 40 22")
    lines += ["A result of ptxas stands behind that of the documentation where it differs.", ""]
    for x in published():
        if not x.legal:
            why, corrected = _CORRECTIONS[x.opcode]
            lines += heading(" ".join(x.text.split()), "-")
            lines += ["**As published it is not legal:**", ""]
            lines += block("none", _refusal(x.text).splitlines())
            trace = _on_biting(parse(corrected))
            lines += [why, ""]
            lines += trace_block(str(trace.instruction), _given(trace), "format: svg")
    return lines


def _both(trace: Trace) -> str:
    others = (format_result(x.other) for x in find_divergences(trace))
    return ", ".join((format_result(trace), *others))


def _refusal(text: str) -> str:
    try:
        parse(text)
    except PtxError as error:
        return str(error)
    raise AssertionError(f"{text} is legal after all")


def _on_biting(ins: Instruction) -> Trace:
    found = {}
    for needed in ins.inputs:
        bits = _BITING[needed.roles[0]]
        found[needed.name] = bits & ((1 << needed.type.bits) - 1)
    return Trace(ins, ISA_MODEL, bind_values(ins, found))
