"""Generated pages about the instructions, the errata, misconceptions and published examples."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ptxscope import PtxError, export, parse
from ptxscope.documents.content.alt_text import format_short_alt
from ptxscope.documents.content.command_words import format_command
from ptxscope.documents.content.document_builder import build_document
from ptxscope.documents.formats.report import write_report
from ptxscope.documents.media.frames import compute_min_width
from ptxscope.documents.options import DEFAULT, Options
from ptxscope.engine.isa.catalog import (
    CATALOG,
    count_forms,
    find_undocumented_values,
    list_shapes,
)
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.isa.entry import (
    CORE_GROUPS,
    Entry,
    Group,
    Slot,
    SlotPlace,
    format_citation,
)
from ptxscope.engine.isa.grammar import format_slot_choices
from ptxscope.engine.isa.intrinsics import find_successor, map_intrinsics
from ptxscope.engine.isa.types import Type
from ptxscope.engine.isa.video_entries import CONTRADICTIONS
from ptxscope.engine.semantics.models import BELIEFS, ISA_MODEL, MISCONCEPTIONS, Model
from ptxscope.engine.semantics.rules import ALL_ERRATA, ERRATA, SEQUENCE_ERRATA, TARGETS, Erratum
from ptxscope.engine.syntax.instruction import Instruction
from ptxscope.engine.tracing.deviation import find_deviations
from ptxscope.engine.tracing.folding_bugs import FOLDING_BUGS, FoldingBug
from ptxscope.engine.tracing.operand_bits import bind_values
from ptxscope.engine.tracing.step_text import format_result
from ptxscope.engine.tracing.trace import Trace, make_trace

from .manual_modifiers import (
    Effect,
    describe_operand,
    format_shape_title,
    iter_described_slots,
)
from .manual_pitfalls import PITFALLS, Pitfall
from .manual_text import (
    format_cell_code,
    format_link,
    format_sentence,
    format_text,
    list_assignments,
    make_code_block,
    make_heading,
    make_list,
    make_picture,
    make_table,
)
from .manual_worked import WorkedExample, describe_events, find_examples

ROOT = Path(__file__).resolve().parent.parent
DAGGER = "\u2020"
COLUMN_PX = 736
"""Width of the text of the theme, which a picture must not exceed: the rest would be cut off."""
_LANE_FORMULA = re.compile(r"^ +t\[i\] = (.+?)(?:  +#.*)?$")
_LANE_OF_D = re.compile(r"\b(byte|half-word) i of d\b")
_KNOWN: tuple[Erratum | FoldingBug, ...] = (*ALL_ERRATA, *FOLDING_BUGS)
"""All errata, also of two statements and of constants."""
_OPCODES = {
    "E18": ("addc", "subc", "madc"),
    "F1": ("slct",),
    "F2": ("vabsdiff2", "vabsdiff4"),
}
"""The opcodes with wrong results, where an erratum names others, or none."""
_ARTICLE = re.compile(r"^a (?=(?:field|function|mask|word|copy)\b)")
"""The article at the beginning of a summary, which is not the operand a."""
_COLUMNS = 84
"""Maximum characters of a line of code."""
_CONSTANTS = {"slct": "slct.s32.s32 d, 1, 2, 0x80000000"}
"""Lines on which the engine has a note because an operand is a constant, by opcode."""
_EXAMPLE_BITS = {
    "a": 0x80FF7F01,
    "b": 0x01FF0280,
    "c": 0x11223344,
    "guard": 1,
    **dict.fromkeys("dpq", 0x55AA55AA),
}
"""Values by role for the lines of the PTX ISA, which have none."""


class Published(NamedTuple):
    """An example in the PTX ISA."""

    text: str
    legal: bool

    @property
    def opcode(self) -> str:
        """The opcode of the line."""
        return next(x for x in self.text.split() if not x.startswith("@")).partition(".")[0]


_CORRECTIONS = {
    "vmin4": (
        "A mask names each lane at most once, most significant first, so `b00` is no mask. With "
        "lane 0 alone:",
        "vmin4.s32.u32.u32.add  r1.b0, r2.b0000, r3.b2222, r1;",
    ),
    "vset4": (
        "The SIMD instructions have no secondary operation but `.add`:",
        "vset4.u32.u32.ne.add  r1, r2, r3, r0;",
    ),
}
"""Possible corrections of the two illegal lines, by opcode."""


def make_files() -> dict[str, str]:
    """Return pages and pictures by their paths under docs/reference/."""
    files = {
        "instructions.md": _make_index(),
        "errata.md": _make_errata_page(),
        "expectations.md": _make_misconception_page(),
        "published.md": _make_published_page(),
    }
    for opcode, entry in CATALOG.items():
        files[f"instructions/{opcode}.md"] = make_instruction_page(entry)
    for known in _KNOWN:
        files[f"errata/{known.id.lower()}.md"] = make_erratum_page(known)
    made = {path: "\n".join(lines).rstrip() + "\n" for path, lines in files.items()}
    for opcode in CATALOG:
        made[f"instructions/{opcode}.svg"] = export(_examples(CATALOG[opcode])[0].trace, "svg")
    for known in _KNOWN:
        options = Options(both=isinstance(known, Erratum))
        picture = export(_trace_known(known), "svg", options)
        if compute_min_width(picture) > COLUMN_PX:
            picture = export(_trace_known(known), "svg", options._replace(compact=True))
        made[f"errata/{known.id.lower()}.svg"] = picture
    for trace in _trace_corrections():
        made[f"published/{trace.instruction.opcode}.svg"] = export(trace, "svg")
    return made


# --- the instructions ----------------------------------------------------------------------


def _make_index() -> list[str]:
    form_count = sum(map(count_forms, CATALOG))
    core_count = sum(entry.group in CORE_GROUPS for entry in CATALOG.values())
    lines = make_heading("The instructions")
    lines += [
        "Look up an instruction: what it computes, in pseudocode; the effect of every modifier; "
        "worked examples, common mistakes, intrinsics; the machine instructions that it becomes, "
        f"and the errata that affect it. ptxscope covers {core_count} instructions in "
        f"full and {len(CATALOG) - core_count} integer instructions beside them, with "
        f"{form_count:,} legal forms in all. The [families](../families.md) describe what several "
        "instructions have in common.",
        "",
    ]
    for group in Group:
        entries = [entry for entry in CATALOG.values() if entry.group is group]
        lines += make_heading(str(group), 2)
        lines += make_table(
            ("instruction", "computes", "legal forms"),
            (
                (
                    format_link(f"`{entry.opcode}`", f"instructions/{entry.opcode}.md"),
                    format_text(entry.summary),
                    f"{count_forms(entry.opcode):,}",
                )
                for entry in entries
            ),
        )
    return lines


def _link_opcode(opcode: str) -> str:
    """Return a link from the page of another instruction."""
    return format_link(f"`{opcode}`", f"{opcode}.md")


def make_instruction_page(entry: Entry) -> list[str]:
    """Return the lines of an opcode's page, given its first shape."""
    from .manual_costs import make_cost_lines  # the page has all features

    shapes = (entry, *list_shapes(entry.opcode)[1:])
    lines = make_heading(entry.opcode) + _format_shape(entry, 2)
    for shape in shapes[1:]:
        lines += make_heading(format_shape_title(shape), 2) + _format_shape(shape, 3)
    lines += _format_pitfalls(entry)
    lines += _format_related(entry)
    lines += make_cost_lines(shapes)
    lines += _format_errata(entry)
    return lines + _count_lines(shapes)


def _format_shape(entry: Entry, level: int) -> list[str]:
    """Return a shape's summary, syntax, operation and examples, in sections of a level."""
    from ptxscope.features.operation.pseudocode import make_pseudocode  # as above

    pseudocode = make_pseudocode(entry)
    lines = [_describe_entry(entry, pseudocode.lines if pseudocode else ()), ""]
    lines += make_code_block("ptx", [f"{entry.syntax};"])
    lines += [f"{format_citation([entry.section])}; {entry.minimum}.", ""]
    if pseudocode:
        lines += make_heading("Operation", level) + make_code_block("text", pseudocode.lines)
        lines += make_list(map(format_sentence, pseudocode.notes))
    lines += make_heading("Operands", level) + _format_operands(entry)
    lines += make_heading("Modifiers", level) + _format_slots(entry)
    lines += make_heading("Examples", level)
    for number, example in enumerate(_examples(entry), 1):
        lines += _format_example(number, example, level + 1)
    return lines


def _describe_entry(entry: Entry, lines: Sequence[str]) -> str:
    """Describe an instruction, with the formula of a lane if its pseudocode has lanes."""
    formula = next((x[1] for x in map(_LANE_FORMULA.search, lines) if x), "")
    part = next((x[1] for x in map(_LANE_OF_D.search, lines) if x), "")
    if not (formula and part) or "CMP" in entry.summary:
        return format_sentence(_ARTICLE.sub("A ", entry.summary))
    named = re.sub(r"\b([xy])\b", lambda x: {"x": "a", "y": "b"}[x[1]], formula).replace(
        "cmp", "CMP"
    )
    return f"{format_sentence(entry.summary).removesuffix('.')}: `{named}` in each {part}."


_examples = cache(find_examples)


def _count_lines(shapes: Sequence[Entry]) -> list[str]:
    """Return the numbers of legal forms of the shapes of an opcode."""
    lines = make_heading("Forms", 2)
    opcode = shapes[0].opcode
    form_count = count_forms(opcode)
    documented_count = count_forms(opcode, is_documented=True)
    accepted_count = count_forms(opcode, is_in_ptxas=True)
    text = f"{form_count:,} legal form{'s' * (form_count != 1)}"
    if documented_count != form_count:
        text += f"; {documented_count:,} of them are documented"
    if accepted_count != form_count:
        text += f"; ptxas 13.0 accepts {accepted_count:,}"
    return [*lines, f"{text}.", ""]


def _format_slots(entry: Entry) -> list[str]:
    slots = list(iter_described_slots(entry))
    rows = [_format_slot(entry, slot, effect) for slot, effect in slots]
    has_undocumented = any(find_undocumented_values(entry, slot) for slot, _ in slots)
    lines = make_table(("modifier", "effect", "without it"), rows)
    return lines + [f"{DAGGER} Undocumented, but ptxas accepts it.", ""] * has_undocumented


def _format_slot(entry: Entry, slot: Slot, effect: Effect) -> tuple[str, str, str]:
    without = format_text(effect.without) if slot.is_optional else "required"
    return _format_modifier(entry, slot), format_text(effect.text), without


def _format_modifier(entry: Entry, slot: Slot) -> str:
    """Return the name of a slot, if used in the syntax or the operation, and its values."""
    undocumented = find_undocumented_values(entry, slot)
    choices = format_slot_choices(slot, undocumented, DAGGER)
    if slot.word and slot.place is not SlotPlace.MODIFIER:
        word = format_cell_code(slot.word) + DAGGER * bool(undocumented)
        return f"{word} before {slot.place}"
    if len(slot.values) > 20:
        values = format_text(choices)
    else:
        values = " ".join(map(_format_choice, choices.split()))
    name = _NAMES.get(slot.name, slot.name)
    if slot.word:
        return values
    if f".{name}" in entry.syntax or f" {name}" in entry.syntax or name == "boolop":
        return f"`{name}`: {values}"
    return values


def _format_choice(text: str) -> str:
    value = text.removesuffix(DAGGER)
    return format_cell_code(value) + DAGGER * (value != text)


_NAMES = {"permute_mode": "mode"}
"""The names of slots in the syntax, if they have others."""
_TYPES = {
    "final_type": "that of the sum: `.s32` if a or b is `.s32`, or c or one of a and b is negated",
    "dot_type": "`.u32` if atype and btype are, otherwise `.s32`",
    "product_type": "`.stype`, with `.wide` twice as wide",
    "converted_type": "`.dtype`, at least 16 bits wide",
    "unconverted_type": "`.atype`, at least 16 bits wide",
}
"""The types of operands that follow from several slots."""


def _format_operands(entry: Entry) -> list[str]:
    rows = []
    for operand in entry.operands:
        type_ = operand.type if isinstance(operand.type, Type) else None
        type_text = _TYPES.get(operand.type, f"`.{type_ or operand.type}`")
        access = "written" if operand in entry.destinations else "read"
        rows.append((f"`{operand.role}`", access, type_text, describe_operand(entry, operand)))
    return make_table(("operand", "access", "type", "holds"), rows)


def _format_operand_bits(trace: Trace) -> dict[str, str]:
    """Return the operands' bits by their names in the line; literals have none."""
    names = trace.instruction.names
    operands = build_document(trace, DEFAULT).operands
    return {names[x.role]: x.bits for x in operands if x.role in names}


def _format_example(number: int, example: WorkedExample, level: int) -> list[str]:
    trace = example.trace
    lines = make_heading(f"{number}. {example.title}", level)
    lines += make_code_block("console", _format_command(format_command(trace)))
    if number == 1 and trace.instruction.entry == CATALOG[trace.instruction.opcode]:
        lines += _format_picture(trace, f"{trace.instruction.opcode}.svg")
    lines += make_list(map(format_sentence, describe_events(trace)))
    result = f"The result is {_format_results(trace)}. {_describe_other(trace)}"
    return [*lines, result.rstrip(), ""]


def _format_picture(trace: Trace, path: str) -> list[str]:
    return make_picture(format_short_alt(build_document(trace, DEFAULT)), path)


def _format_command(text: str) -> list[str]:
    """Return a command, with its values on a second line if it is long."""
    if len(text) <= _COLUMNS:
        return [f"$ {text}"]
    words = shlex.split(text)
    return [f"$ {shlex.join(words[:3])} \\", f"    {shlex.join(words[3:])}"]


def _format_results(trace: Trace) -> str:
    results = build_document(trace, DEFAULT).results
    return "; ".join(f"`{x.name} = {x.bits}`, {format_text(x.meant)}" for x in results)


def _describe_other(trace: Trace) -> str:
    """Describe another assembler's result, if it differs."""
    texts = []
    for deviation in find_deviations(trace):
        ids = " and ".join(_link_erratum(x, "../errata/") for x in deviation.errata)
        name = format_text(deviation.other.model.name)
        texts.append(f"{name} gives {_format_results(deviation.other)} ({ids}).")
    return " ".join(texts)


def _list_opcodes(x: Erratum | FoldingBug) -> tuple[str, ...]:
    """Return the opcodes that an erratum is about."""
    return _OPCODES.get(x.id) or (x.opcodes if isinstance(x, Erratum) else ())


def _link_erratum(erratum: Erratum | FoldingBug, folder: str) -> str:
    return format_link(erratum.id, f"{folder}{erratum.id.lower()}.md")


def _format_pitfalls(entry: Entry) -> list[str]:
    """Return the pitfalls of an instruction, in sentences of the catalog and engine."""
    lines = make_heading("Pitfalls", 2)
    shapes = list_shapes(entry.opcode)
    rules = dict.fromkeys(x.rule for shape in shapes for x in shape.constraints)
    remarks = dict.fromkeys(x.text for shape in shapes for x in shape.remarks)
    misconceptions = [x for x in MISCONCEPTIONS if entry.opcode in x.opcodes]
    lines += _format_list("Rules for the operands and modifiers:", map(format_sentence, rules))
    lines += _format_list("Legal, but seldom intended:", map(format_sentence, remarks))
    lines += _format_list(
        "Unlike what [is often expected](../expectations.md):",
        (format_sentence(x.sentence) for x in misconceptions),
    )
    lines += _format_list(
        "Where the PTX ISA contradicts itself:",
        (format_sentence(x.text) for x in entry.contradictions),
    )
    if entry.opcode in _CONSTANTS:
        line = parse(_CONSTANTS[entry.opcode])
        lines += _format_list(f"With constants, as in `{line}`:", map(format_sentence, line.notes))
    lines += _format_list(
        "Easily overlooked:", map(_format_pitfall, PITFALLS.get(entry.opcode, ()))
    )
    return lines if len(lines) > len(make_heading("")) else []


def _format_pitfall(x: Pitfall) -> str:
    """Return a sentence with its example."""
    ins = parse(x.ptx)
    widths = {name: ins.type_of(role).bits for role, name in ins.names.items()}
    words = (f"{name}={format_hex(bits, widths[name])}" for name, bits in x.values.items())
    result = format_hex(
        make_trace(ins, ISA_MODEL, bind_values(ins, x.values)).result["d"], widths["d"]
    )
    return f"{format_sentence(x.sentence)} `{x.ptx}` of `{' '.join(words)}` gives `{result}`."


def _format_list(title: str, texts: Iterable[str]) -> list[str]:
    lines = make_list(texts)
    return [title, "", *lines] if lines else []


def _format_errata(entry: Entry) -> list[str]:
    lines = make_heading("Errata", 2)
    errata = [x for x in _KNOWN if entry.opcode in _list_opcodes(x)]
    if not errata:
        return [*lines, "None are known.", ""]
    rows = (
        (
            _link_erratum(x, "../errata/"),
            format_text(x.forms),
            format_text(x.sentence),
            x.versions,
        )
        for x in errata
    )
    return lines + make_table(("erratum", "forms", "what ptxas does", "ptxas"), rows)


def _format_related(entry: Entry) -> list[str]:
    """Return the same operation on other lanes, the PTX ISA's examples and CUDA's intrinsics."""
    lines = make_heading("Intrinsics and relatives", 2)
    related = [
        x.opcode for x in CATALOG.values() if x.base_opcode == entry.base_opcode and x != entry
    ]
    if related:
        lines += [
            f"The same operation on other lanes: {', '.join(map(_link_opcode, related))}.",
            "",
        ]
    examples = [x for x in load_published() if x.opcode == entry.opcode]
    if examples:
        lines += ["In the PTX ISA ([with values and results](../published.md)):", ""]
        lines += make_code_block("ptx", (" ".join(x.text.split()) for x in examples))
    intrinsics = [x for x in map_intrinsics().values() if x.ptx.partition(".")[0] == entry.opcode]
    if intrinsics:
        lines += ["CUDA intrinsics that compute it:", ""]
        rows = (
            (f"`{x.name}`", format_cell_code(x.ptx), format_text(x.differs)) for x in intrinsics
        )
        lines += make_table(("intrinsic", "PTX", "difference"), rows)
    if successor := find_successor(entry.opcode):
        title = f"`{successor.summary}".replace(" does", "` does")
        lines += _format_list(f"{title}; but:", map(format_sentence, successor.differences))
    return lines if len(lines) > len(make_heading("")) else []


# --- the errata ------------------------------------------------------------------------------


def _make_errata_page() -> list[str]:
    lines = make_heading("Errata: where ptxas and the documentation differ")
    lines += [
        f"Find out whether NVIDIA's assembler computes your line as documented. On {TARGETS} "
        "`ptxas` emulates the scalar video instructions, and it guards only a part of some `set`. "
        f"The code that it emits differs from the PTX ISA in {len(ALL_ERRATA)} ways. The "
        "[specification](../semantics.md#4-evidence) says how each was established.",
        "",
    ]
    commands = (
        ("ptxscope trace … --model ptxas", "computes what ptxas does"),
        ("ptxscope trace … --both", "shows both answers"),
        ("ptxscope check FILE", "finds the lines of your sources that an erratum can change"),
    )
    lines += make_list(f"`{command}` {about}." for command, about in commands)
    head = ("erratum", "forms", "what ptxas does", "ptxas")
    lines += make_table(head, map(_make_erratum_row, ERRATA))
    lines += make_heading("Several instructions", 2)
    lines += [
        "The results of these instructions are wrong only after another instruction, whose result "
        "they read. `ptxscope check` finds both, with any others between them, and a run under a "
        "model of ptxas computes what the machine code does.",
        "",
    ]
    lines += make_table(head, map(_make_erratum_row, SEQUENCE_ERRATA))
    lines += make_heading("Constant folding", 2)
    lines += [
        "These results are wrong only if operands are constants, so no model has them. "
        "`ptxscope check` warns of them, and a trace has a note.",
        "",
    ]
    for bug in FOLDING_BUGS:
        lines += _format_folding_bug(bug)
    return lines


def _make_erratum_row(x: Erratum) -> tuple[str, ...]:
    link = _link_erratum(x, "errata/")
    return link, format_text(x.forms), format_text(x.sentence), x.versions


def _format_folding_bug(bug: FoldingBug) -> list[str]:
    ptx, values, documented, folded = bug.example
    operands = " ".join(f"{name}={bits:#010x}" for name, bits in values.items())
    rows = [
        ("Forms", format_text(bug.forms)),
        ("Versions", f"ptxas {bug.versions}; {bug.targets}"),
        ("Example", format_cell_code(ptx)),
        ("Constants", f"`{operands}`"),
        ("Documented", f"`{documented:#010x}`"),
        ("ptxas", f"`{folded:#010x}`"),
        ("Remark", format_text(bug.remark)),
        ("Report", _link_erratum(bug, "errata/")),
    ]
    return [*make_heading(bug.id, 3), format_sentence(bug.sentence), "", *make_table((), rows)]


def _trace_example(rule: Erratum, model: Model = ISA_MODEL) -> Trace:
    """Return a trace of the example of an erratum or a misconception."""
    ptx, values, *_ = rule.example
    ins = parse(ptx)
    return make_trace(ins, model, bind_values(ins, values))


def _trace_known(x: Erratum | FoldingBug) -> Trace:
    """Return the documented trace of the example of an erratum."""
    from ptxscope.features.check.known_errata import trace_example  # all features are here

    return trace_example(x)


def make_erratum_page(erratum: Erratum | FoldingBug) -> list[str]:
    """Return the lines of a page: the parts of the report, with the picture of both answers.

    No model has the results of constants: the picture is of the documented answer.
    """
    from ptxscope.features.check.erratum_report import EXAMPLE, list_parts  # as above

    links = (format_link(f"`{x}`", f"../instructions/{x}.md") for x in _list_opcodes(erratum))
    lines = make_heading(f"{erratum.id}: {format_text(erratum.forms)}")
    for index, (title, blocks) in enumerate(list_parts(erratum)):
        lines += make_heading(title, 2) if index else []
        lines += [write_report(blocks, "markdown").rstrip(), ""]
        lines += [] if index else [f"Instructions: {', '.join(links)}.", ""]
        if title == EXAMPLE:
            lines += _format_picture(_trace_known(erratum), f"{erratum.id.lower()}.svg")
    return lines


# --- misconceptions --------------------------------------------------------------------------


def _make_misconception_page() -> list[str]:
    lines = make_heading("Common misconceptions")
    lines += [
        "Check what you believe about these instructions. `ptxscope explain` tests whether an "
        "observed result follows from one of these beliefs. Both results of each example are "
        "computed: the documented one, and the one if the belief were true.",
        "",
    ]
    for x in MISCONCEPTIONS:
        trace = _trace_example(x)
        lines += make_heading(f"{x.id}: if {BELIEFS[x.id].replace('`', '')}", 2)
        lines += [format_text(x.sentence), ""]
        rows = [
            ("Forms", format_text(x.forms)),
            ("Example", format_cell_code(str(trace.instruction))),
            ("Operands", f"`{' '.join(list_assignments(_format_operand_bits(trace)))}`"),
            ("Documented", f"`{format_result(trace)}`"),
            ("If it were true", f"`{format_result(_trace_example(x, Model(x.id, (x,))))}`"),
        ]
        lines += make_table((), rows)
    lines += make_heading("Where the PTX ISA contradicts itself", 2)
    lines += ["A trace has a note on each of these if it matters.", ""]
    contradictions = (
        (
            ", ".join(format_link(f"`{name}`", f"instructions/{name}.md") for name in x.opcodes),
            format_sentence(x.text),
        )
        for x in CONTRADICTIONS
    )
    head = ("instructions", "what the PTX ISA says, and how ptxscope reads it")
    return lines + make_table(head, contradictions)


# --- the PTX ISA's own examples ----------------------------------------------------------------


@cache
def load_published() -> tuple[Published, ...]:
    """Return every line of the PTX ISA with these instructions."""
    text = (ROOT / "tests/data/published.txt").read_text(encoding="utf-8")
    lines = (line.partition("\t") for line in text.splitlines() if not line.startswith("#"))
    return tuple(Published(text, verdict == "legal") for verdict, _, text in lines)


def _trace_corrections() -> list[Trace]:
    """Evaluate the possible corrections of the two illegal lines."""
    return [_trace_with_bits(parse(corrected)) for _, corrected in _CORRECTIONS.values()]


def _make_published_page() -> list[str]:
    lines = make_heading("The examples of the PTX ISA")
    lines += [
        "Compare your reading of the PTX ISA with results: every example that it prints for these "
        "instructions, on values chosen here. Two of them are not legal.",
        "",
    ]
    rows = []
    for line in load_published():
        if line.legal:
            trace = _trace_with_bits(parse(line.text))
            bits = f"`{' '.join(list_assignments(_format_operand_bits(trace)))}`"
            rows.append((format_cell_code(str(trace.instruction)), bits, f"`{_both(trace)}`"))
    lines += make_table(("line", "operands", "result"), rows)
    lines += ["If ptxas gives another result, it follows the documented one.", ""]
    for line in load_published():
        if not line.legal:
            reason, corrected = _CORRECTIONS[line.opcode]
            lines += make_heading(f"`{' '.join(line.text.split())}`", 2)
            lines += ["**This line is illegal as published:**", ""]
            lines += make_code_block("none", _find_refusal(line.text).splitlines())
            trace = _trace_with_bits(parse(corrected))
            lines += [reason, "", *make_code_block("ptx", [str(trace.instruction)])]
            lines += _format_picture(trace, f"published/{line.opcode}.svg")
    return lines


def _both(trace: Trace) -> str:
    others = (format_result(x.other) for x in find_deviations(trace))
    return ", ".join((format_result(trace), *others))


def _find_refusal(text: str) -> str:
    try:
        parse(text)
    except PtxError as error:
        return str(error)
    raise AssertionError(f"{text} is legal after all")


def _trace_with_bits(ins: Instruction) -> Trace:
    values = {}
    for needed in ins.inputs:
        bits = _EXAMPLE_BITS[needed.roles[0]]
        values[needed.name] = bits & ((1 << needed.type.bits) - 1)
    return make_trace(ins, ISA_MODEL, bind_values(ins, values))
