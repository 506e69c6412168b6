"""Machine code and verdicts on it, as reports and as JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...documents.formats.json_text import Fields, convert_to_json
from ...documents.formats.markup import (
    Block,
    make_heading,
    make_paragraph,
    make_points,
    make_verbatim,
)
from ...engine.isa.encodings import format_hex
from ...engine.semantics.models import get_erratum
from ...engine.syntax.errors import format_count, make_printable
from ...engine.tracing.step_text import format_stage_title
from ..prove.proof_report import format_seconds
from .form_verdict import DeviceVerdict, FormVerdict, MachineDeviation, VerdictOutcome
from .intrinsic_call import CallCode
from .row_matches import MachineListing, MatchedInstruction, Purpose

_MAX_CODE_COLUMNS = 46
_SHOWN = 10
"""The lines of one kind that are listed."""


class CodeLine(NamedTuple):
    """A machine instruction in words."""

    offset: str
    text: str
    purpose: str
    """The value that it computes; indented if it is only part of the computation."""
    key: str
    """The key of that value's row; empty for loads, stores and constants."""
    is_counted: bool
    value: str = ""
    """The values that it writes for some operands."""


def iter_listing_blocks(
    line: str, listings: Sequence[MachineListing], tools: str
) -> Iterator[Block]:
    """Yield the machine code of a line for one or several targets."""
    yield make_verbatim([line, tools])
    if len(listings) > 1:
        width = max(len(x.arch) for x in listings)
        yield make_verbatim(f"{x.arch:<{width}}  {format_instruction_count(x)}" for x in listings)
    for listing in listings:
        yield make_heading(f"{listing.arch}: {format_instruction_count(listing)}")
        for sentence in iter_sentences(listing):
            yield make_paragraph(sentence, "  ", "  ", is_close=True)
        yield make_verbatim(_format_code(make_code_lines(listing)))


def iter_call_blocks(call: CallCode, tools: str) -> Iterator[Block]:
    """Yield the machine code of the call of an intrinsic, by an assembler and a disassembler."""
    if call.problem:
        yield make_verbatim([call.call])
        yield make_paragraph(f"The machine code of the call is not known; {call.problem}")
        yield make_paragraph(f"{call.remark}.")
    else:
        yield from iter_listing_blocks(call.call, call.listings, f"nvcc {call.nvcc}, {tools}")


def _format_code(code_lines: Sequence[CodeLine]) -> Iterator[str]:
    """Yield machine instructions in columns."""
    width = min(max((len(x.text) for x in code_lines), default=0), _MAX_CODE_COLUMNS)
    value_width = max((len(x.value) for x in code_lines), default=0)
    for x in code_lines:
        value = f"{x.value:<{value_width}}  " if value_width else ""
        yield f"  {x.offset}  {x.text:<{width}}  {value}{x.purpose}"


def format_instruction_count(listing: MachineListing) -> str:
    """Return the count of a listing's instructions: ``12 instructions``."""
    count = format_count(listing.instruction_count, "instruction")
    return count if listing.is_interpreted else f"{count}, loads and stores included"


def iter_sentences(listing: MachineListing, *, with_time: bool = True) -> Iterator[str]:
    """Yield sentences on the code as a whole; ``with_time`` includes the time of proofs."""
    verdict = _rename_registers(listing.verdict, listing.names)
    yield make_printable(format_verdict(verdict, with_time=with_time))
    for key in listing.missing_rows[:1]:
        name = listing.row_names.get(key, key)
        yield f"The documented value of {name} is computed by no instruction."
    for id_ in listing.verdict.errata:
        yield f"{id_}: {get_erratum(id_).sentence}"


def _rename_registers(verdict: FormVerdict, names: Mapping[str, str]) -> FormVerdict:
    """Return a verdict with the registers as written, not those of the kernel."""
    operands, documented, obtained = (
        {names.get(role, role): x for role, x in values.items()}
        for values in (verdict.operands, verdict.documented, verdict.obtained)
    )
    return verdict._replace(operands=operands, documented=documented, obtained=obtained)


def make_code_lines(listing: MachineListing) -> list[CodeLine]:
    """Return the instructions that do not compute addresses."""
    return [
        CodeLine(
            f"{instruction.offset:04x}",
            make_printable(instruction.text),
            _format_purpose(instruction, listing),
            instruction.key if instruction.purpose in (Purpose.ROW, Purpose.PART) else "",
            instruction.purpose in (Purpose.ROW, Purpose.PART, Purpose.UNKNOWN),
            listing.values.get(instruction.offset, ""),
        )
        for instruction in listing.instructions
        if instruction.purpose is not Purpose.ADDRESS
    ]


def _format_purpose(x: MatchedInstruction, listing: MachineListing) -> str:
    row = listing.row_names.get(x.key, x.key) + ("" if x.lane is None else f"[{x.lane}]")
    match x.purpose:
        case Purpose.LOAD | Purpose.STORE:
            return f"{x.purpose} {make_printable(listing.names.get(x.key, x.key))}"
        case Purpose.ROW:
            reading = f", {x.reading}" if x.reading else ""
            return f"{row}{reading}{'' if x.is_proved else ' (on random operands)'}"
        case Purpose.PART:
            return f"  part of {row}"
        case Purpose.CONSTANT:
            return "constant"
        case Purpose.NOTHING:
            return "unused"
        case _:
            return ""


def format_verdict(verdict: FormVerdict, *, with_time: bool = True) -> str:
    """Return a sentence on a verdict: ``Equal to isa for all operands, proved in 5 ms.``

    ``with_time`` includes the time of the proof.
    """
    seconds = format_seconds(verdict.seconds)
    match verdict.outcome:
        case VerdictOutcome.PROVED:
            names = " and ".join(filter(None, (", ".join(verdict.models[:-1]), verdict.models[-1])))
            sentence = f"Equal to {names} for all operands, proved"
            sentence += f" in {seconds}" if with_time else ""
            if verdict.is_as_documented is False:
                return f"{sentence}; not to isa: {_format_example(verdict)}."
            return f"{sentence}."
        case VerdictOutcome.DEPARTED:
            remark = (
                f" It is a known result of constant folding: {verdict.reason}."
                if verdict.reason
                else ""
            )
            return f"Equal to no known model: {_format_example(verdict)}.{remark}"
        case VerdictOutcome.UNDECIDED:
            if verdict.is_as_documented is False:
                example = f"Not equal to isa: {_format_example(verdict)}"
                return f"{example}. Whether it equals another model is undecided."
            if not with_time:
                return "Undecided within the time limit of a proof."
            return f"Undecided after {seconds}; --timeout gives more time."
        case VerdictOutcome.UNKNOWN:
            return f"Not interpreted: {verdict.reason}."
        case _:
            return f"Refused: {verdict.reason}."


def _format_example(verdict: FormVerdict) -> str:
    return _format_difference(verdict.operands, verdict.documented, verdict.obtained)


def _format_difference(
    operands: Mapping[str, int], documented: Mapping[str, int], obtained: Mapping[str, int]
) -> str:
    texts = [
        ", ".join(f"{name} = {_format_bits(x)}" for name, x in values.items())
        for values in (operands, obtained, documented)
    ]
    return "for {} it gives {}; the documentation gives {}".format(
        texts[0] or "any operands", *texts[1:]
    )


def _format_bits(bits: int) -> str:
    return format_hex(bits, 64 if bits >> 32 else 32) if bits > 1 else str(bits)


_FIELDS: Fields = {
    MachineListing: "arch count=instruction_count verdict missing_rows instructions",
    MatchedInstruction: "offset sass=text purpose key lane reading proved=is_proved",
    FormVerdict: "ptx=line outcome models errata as_documented=is_as_documented reason "
    "instructions=instruction_count seconds operands documented obtained",
    float: lambda x: round(x, 4),
}


def call_to_json(call: CallCode) -> dict[str, object]:
    """Return the machine code of the call of an intrinsic as JSON."""
    return {
        "text": call.call,
        "nvcc": call.nvcc,
        "problem": call.problem,
        "targets": [code_to_json(x) for x in call.listings],
    }


def code_to_json(x: MachineListing | FormVerdict) -> dict[str, object]:
    """Return a listing, or a verdict, as JSON."""
    data: dict[str, Any] = convert_to_json(x, _FIELDS)
    if isinstance(x, MachineListing) and x.values:
        for ins in data["instructions"]:
            ins["value"] = x.values.get(ins["offset"], "")
    return data


# --- verdicts on many lines -----------------------------------------------------------------------


class ExpectedModel(NamedTuple):
    """The model that an assembler is expected to follow."""

    name: str
    known_names: Mapping[str, str]
    """The equivalent model among the verdicts', by the line."""

    def is_followed(self, verdict: FormVerdict) -> bool:
        """Return whether the machine code of a line equals the model."""
        return self.known_names[verdict.line] in verdict.models


class VerdictCounts:
    """The verdicts on some lines, counted."""

    def __init__(self, verdicts: Sequence[FormVerdict]) -> None:
        self.verdicts = verdicts
        self.outcomes = Counter(x.outcome for x in verdicts)
        self.errata = Counter(x.errata for x in verdicts if x.errata)
        self.opcodes = Counter(x.opcode for x in verdicts if x.opcode)
        self.documented_count = sum(x.is_as_documented is True for x in verdicts)
        self.seconds = sum(x.seconds for x in verdicts)

    def to_json(self) -> dict[str, object]:
        """Return the counts as JSON."""
        return {
            "lines": len(self.verdicts),
            "as_documented": self.documented_count,
            "errata": {"+".join(ids): count for ids, count in sorted(self.errata.items())},
            "outcomes": {x.value: self.outcomes[x] for x in VerdictOutcome},
            "unknown_opcodes": dict(self.opcodes.most_common()),
            "seconds": round(self.seconds, 2),
        }


def iter_verdict_blocks(
    verdicts: Sequence[FormVerdict], title: str, expected: ExpectedModel
) -> Iterator[Block]:
    """Yield verdicts on lines of one target: counts, and every line that is not as expected."""
    if len(verdicts) == 1:
        yield from _iter_single_blocks(verdicts[0], title, expected)
        return
    yield make_heading(title)
    yield make_verbatim(iter_count_lines(VerdictCounts(verdicts)), is_close=True)
    yield from _iter_exception_blocks(verdicts, expected)


def iter_count_lines(counts: VerdictCounts) -> Iterator[str]:
    """Yield the number of verdicts of each kind, and the opcodes that are not interpreted."""
    rows = [(counts.documented_count, "as documented, for all operands")]
    rows += [
        (count, f"{_format_errata(ids)}, for all operands")
        for ids, count in sorted(counts.errata.items(), key=_get_erratum_order)
    ]
    rows += [
        (counts.outcomes[outcome], _OUTCOMES[outcome])
        for outcome in VerdictOutcome
        if outcome is not VerdictOutcome.PROVED
        and (counts.outcomes[outcome] or outcome is VerdictOutcome.DEPARTED)
    ]
    number = max(len(f"{count:,}") for count, _ in rows)
    yield from (f"  {count:>{number},}  {text}" for count, text in rows)
    for opcode, count in counts.opcodes.most_common():
        yield f"  {'':>{number}}    {opcode}: {count}"


def _iter_single_blocks(
    verdict: FormVerdict, title: str, expected: ExpectedModel
) -> Iterator[Block]:
    yield make_verbatim([verdict.line], "ptx")
    sentences = [title, format_verdict(verdict)]
    sentences += (f"{id_}: {get_erratum(id_).sentence}" for id_ in verdict.errata)
    if verdict.models:
        manner = "follows" if expected.is_followed(verdict) else "does not follow"
        sentences.append(f"Expected model: {expected.name}, which it {manner}.")
    for sentence in sentences:
        yield make_paragraph(sentence, "  ", "  ", is_close=True)


_OUTCOMES: Mapping[VerdictOutcome, str] = {
    VerdictOutcome.DEPARTED: "equal to no known model",
    VerdictOutcome.UNDECIDED: "undecided",
    VerdictOutcome.UNKNOWN: "not interpreted: an opcode has no known meaning here",
    VerdictOutcome.REFUSED: "refused by the assembler",
}


def format_outcome(verdict: FormVerdict) -> str:
    """Return a verdict in few words: ``as documented``, ``as erratum E3 says``."""
    if verdict.outcome is VerdictOutcome.DEPARTED:
        return _OUTCOMES[verdict.outcome]
    if verdict.outcome is not VerdictOutcome.PROVED:
        return f"{verdict.outcome}{f': {verdict.opcode}' if verdict.opcode else ''}"
    return _format_errata(verdict.errata) if verdict.errata else "as documented"


def _format_errata(ids: Sequence[str]) -> str:
    return f"as erratum {ids[0]} says" if len(ids) == 1 else f"as errata {', '.join(ids)} say"


def _get_erratum_order(item: tuple[tuple[str, ...], int]) -> list[int]:
    """Return the key by which counts of errata are sorted: E2 before E10."""
    return [int(id_[1:]) for id_ in item[0]]


def _iter_exception_blocks(
    verdicts: Sequence[FormVerdict], expected: ExpectedModel
) -> Iterator[Block]:
    """Yield lines that do not follow a model: an example of each erratum, and all others."""
    groups: dict[tuple[VerdictOutcome, tuple[str, ...]], list[FormVerdict]] = {}
    for verdict in verdicts:
        if not expected.is_followed(verdict):
            groups.setdefault((verdict.outcome, verdict.errata), []).append(verdict)
    for (outcome, ids), group in groups.items():
        is_known = outcome is VerdictOutcome.PROVED
        names = ", ".join(ids) or "as documented"
        heading = f"not as {expected.name}: {names}" if is_known else _OUTCOMES[outcome]
        yield make_heading(f"{len(group):,} {heading}")
        shown = sorted(group, key=lambda x: len(x.line))[: 1 if is_known else _SHOWN]
        points = ([x.line, format_verdict(x)] for x in shown)
        yield make_points(points, ("  ", "    ", "    "), is_close=True)
        if len(group) > len(shown):
            more = f"{len(group) - len(shown):,} more"
            yield make_paragraph(more, "  ", "  ", is_close=True)


# --- results of a GPU -------------------------------------------------------------------------


def iter_device_blocks(
    verdicts: Sequence[DeviceVerdict], device: str, sets: int
) -> Iterator[Block]:
    """Yield a report on a GPU's results: the models that they follow."""
    kinds = Counter(
        "equal to no known model"
        if not verdict.models
        else _format_errata(verdict.errata)
        if verdict.errata
        else "as documented"
        for verdict in verdicts
    )
    lines = [device, f"  {len(verdicts):,} lines on {sets:,} operand sets each:"]
    yield make_verbatim([*lines, *(f"  {n:>6,} {kind}" for kind, n in kinds.most_common())])
    listed_kinds: set[tuple[str, ...]] = set()
    for x in sorted(verdicts, key=lambda x: len(x.line)):
        kind = (*x.errata, "" if x.models else x.line)
        if x.operands and kind not in listed_kinds:
            listed_kinds.add(kind)
            name = ", ".join(x.errata) or "no known model"
            example = _format_difference(x.operands, x.documented, x.obtained)
            yield make_paragraph(f"{name}: {x.line}", "  ", "  ")
            yield make_paragraph(example, "    ", "    ", is_close=True)


def describe_condition(deviation: MachineDeviation) -> str:
    """Return when machine code differs from the documentation, in Markdown; may be empty."""
    difference = deviation.difference
    if difference is None:
        return ""
    byte = f"; this is about byte {difference.part[1:]} of the result" if difference.part else ""
    if difference.condition:
        manner = "exactly" if difference.is_exact else "only"
        condition, meanings = _name_terms(difference.condition, deviation)
        remark = f" ({'; '.join(meanings)})" if meanings else ""
        return f"{manner} when `{condition}`{remark}{byte}"
    if difference.number:
        names = " and ".join(difference.parts)
        return f"for {difference.number:,} of the {difference.total:,} values of {names}{byte}"
    return ""


def _name_terms(condition: str, deviation: MachineDeviation) -> tuple[str, list[str]]:
    """Return a condition with names instead of keys, and a clause on the meaning of each name."""
    plan = deviation.source.program.make_plan()
    meanings = []
    for number, (stage, rows) in enumerate(plan.stages.items(), 1):
        for row in rows:
            text = re.sub(rf"\b{re.escape(row.key)}(?![\w.])", f"{row.name}{number}", condition)
            if text != condition:
                title = format_stage_title(stage, rows)
                meanings.append(f"`{row.name}{number}` is {row.name} of step {number}, {title}")
                condition = text
    for suffix, clause in _SUFFIXES.items():
        if re.search(rf"\b[a-e]\.{suffix}(?:\d|\b)", condition):
            meanings.append(clause)
    if re.search(r"\bguard\b", condition):
        meanings.append("`guard` is the predicate of the guard")
    return condition, meanings


_SUFFIXES = {
    "signed": "`.signed` is the operand as a signed number",
    "b": "`.b0`, `.b1` … are the bytes of the operand, the least significant first",
    "h": "`.h0`, `.h1` … are the half-words of the operand, the least significant first",
}
"""Clauses on the suffixes of operands."""
