"""The parts of the report of a fault, for readers without any knowledge of this program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...documents.formats.markup import (
    Block,
    Table,
    make_inline,
    make_paragraph,
    make_points,
    make_text,
    make_verbatim,
)
from ...engine.isa.encodings import format_hex
from ...engine.isa.entry import format_citation
from ...engine.micro_operations.base import RowTrace
from ...engine.semantics.rules import ERRATA, NEWEST, OLDEST, Erratum
from ...engine.syntax.errors import format_names
from ...engine.tracing.step_text import describe_lane, format_title, get_row_name
from ...engine.tracing.trace import Step
from .compiler_fault import CompilerFault, FaultListing, LineProof
from .erratum_evidence import NO_GPU, EvidenceRow, iter_findings, join_targets, list_evidence
from .erratum_texts import ErratumTexts, load_texts
from .known_errata import KnownErratum
from .recorded_code import CodeRow
from .repro_kernel import KERNEL, format_negative

VERDICT = "Verdict"
REPRODUCE = "Reproduce"
CODE = "Machine code"
ARGUMENT = "Why the documented result holds"
IMPACT = "Impact"
REPLACEMENT = "Other PTX with the documented result"
EVIDENCE = "Evidence and its limits"
STEPS = "The documented steps, and those of the compiled code"
DOCUMENTED_STEPS = "The documented steps"
_MAX_TEXT = 44
_ERRATUM_IDS = re.compile(r" \([EF]\d+(?:, [EF]\d+)*\)")


class ReportPart(NamedTuple):
    """A part of a report, below its heading."""

    title: str
    blocks: tuple[Block, ...]


def list_fault_parts(fault: CompilerFault, listing: FaultListing) -> tuple[ReportPart, ...]:
    """Return the parts after the verdict that have any blocks."""
    parts = (
        ReportPart(REPRODUCE, tuple(_iter_kernel_blocks(fault, listing))),
        ReportPart(CODE, tuple(_iter_code_blocks(fault, listing))),
        ReportPart(ARGUMENT, tuple(_iter_argument_blocks(fault))),
        ReportPart(IMPACT, tuple(_iter_paragraphs(x.impact for x in _list_texts(fault)))),
        ReportPart(REPLACEMENT, tuple(_iter_replacement_blocks(fault))),
        ReportPart(EVIDENCE, tuple(_iter_evidence_blocks(fault))),
    )
    return tuple(part for part in parts if part.blocks)


def make_title(fault: CompilerFault) -> str:
    """Return the title of a report."""
    texts = _list_texts(fault)
    if len(texts) == 1:
        return f"ptxas: {texts[0].title}"
    if not texts:
        return f"ptxas: `{fault.line}` does not compute what the PTX ISA documents"
    return f"ptxas: {len(texts)} faults in `{fault.line}`"


def iter_summary_blocks(fault: CompilerFault) -> Iterator[Block]:
    """Yield a summary of a fault, in two sentences or three."""
    documented, compiled = (_format_results(fault, x) for x in (fault.documented, fault.compiled))
    yield make_paragraph(
        f"For {format_operands(fault)}, `{fault.line}` compiles to code that gives `{compiled}`; "
        f"the PTX ISA documents `{documented}`."
    )
    for x in fault.errata:
        sentences = (x.sentence, x.remark if isinstance(x, Erratum) else "")
        yield make_paragraph(_ERRATUM_IDS.sub("", " ".join(filter(None, sentences))))


def format_operands(fault: CompilerFault) -> str:
    """Return the operands: ``a = 0xffffffff, b = 0x00000000``."""
    types = {name: fault.block.type_of(role) for role, name in fault.block.names.items()}
    texts = []
    for name, bits in fault.values.items():
        number = format_negative(bits, types[name])
        texts.append(f"`{name} = {format_hex(bits, types[name].bits)}`{number and f' ({number})'}")
    return ", ".join(texts)


def _format_results(fault: CompilerFault, results: Mapping[str, int]) -> str:
    roles = {name: role for role, name in fault.block.results.items()}
    return ", ".join(
        f"{name} = {format_hex(bits, fault.block.type_of(roles[name]).bits)}"
        for name, bits in results.items()
    )


def _list_texts(fault: CompilerFault) -> tuple[ErratumTexts, ...]:
    return tuple(load_texts()[x.id] for x in fault.errata)


def _iter_paragraphs(texts: Iterable[str]) -> Iterator[Block]:
    return (make_paragraph(text, is_close=True) for text in texts if text)


# --- the verdict -----------------------------------------------------------------------------


def iter_verdict_blocks(fault: CompilerFault, listing: FaultListing) -> Iterator[Block]:
    """Yield the table of the verdict."""
    rows = (*_iter_result_rows(fault, listing), *_iter_history_rows(fault, listing))
    yield Table(((), ()), tuple((make_text(name), make_inline(text)) for name, text in rows))


def _iter_result_rows(fault: CompilerFault, listing: FaultListing) -> Iterator[tuple[str, str]]:
    sections = dict.fromkeys(x.instruction.entry.section for x in fault.block.statements)
    citation = format_citation(sections, is_ascii=True)
    yield "Documented", f"`{_format_results(fault, fault.documented)}` ({citation})"
    source = "not compiled here; by the known behaviour of ptxas"
    if fault.proof:
        source = f"ptxas {fault.proof.ptxas}, {fault.arch}"
    elif listing.rows:
        source = f"ptxas {listing.rows[0].ptxas}, {listing.rows[0].arch}"
    yield "Compiled", f"`{_format_results(fault, fault.compiled)}` ({source})"
    yield "Operands", format_operands(fault)
    is_same_line = all(x.example[0] == fault.line for x in fault.errata)
    wrong = fault.proof.condition if fault.proof else ""
    if is_same_line and len(fault.errata) == 1:
        wrong = _list_texts(fault)[0].wrong
    yield "Wrong", wrong or "for these operands; for others unknown"
    forms = _join_texts(load_texts()[x.id].forms or x.forms for x in fault.errata)
    yield "Affected forms", forms or "this line; whether others are is unknown"


def _iter_history_rows(fault: CompilerFault, listing: FaultListing) -> Iterator[tuple[str, str]]:
    if fault.errata:
        yield from _iter_known_rows(fault)
    elif fault.proof:
        yield "First wrong release", "unknown: only one release was tried"
        yield "Fixed in", "unknown"
        yield "Releases tried", fault.proof.ptxas
        yield "Targets tried", fault.arch
        yield "Optimization", fault.level
        yield "Not tried", "other releases, targets and levels"
    yield "Found by", _format_manner(fault, listing)
    yield "Severity", "silent wrong result; no warning"


def _format_manner(fault: CompilerFault, listing: FaultListing) -> str:
    """Return the methods by which the fault was found."""
    if fault.is_example:
        return _History(fault.errata[0]).manner
    if fault.proof:
        return f"a proof by an SMT solver, and {_RUN}; not run on a GPU"
    has_values = any(x.value for x in listing.rows)
    return f"{_RUN if has_values else 'the results of other lines'}; not run on a GPU"


_RUN = "interpretation of the machine code on these operands"


def _iter_known_rows(fault: CompilerFault) -> Iterator[tuple[str, str]]:
    """Yield the records on the errata of a fault."""
    histories = [_History(x) for x in fault.errata]
    yield "First wrong release", _join_texts(x.first_wrong for x in histories)
    yield "Fixed in", _join_texts(x.fixed_in for x in histories)
    yield "Releases tried", _join_texts(x.releases for x in histories)
    yield "Targets tried", _join_texts(x.targets for x in histories)
    if not fault.is_example:
        lines = dict.fromkeys(f"`{x.example[0]}`" for x in fault.errata)
        yield "Tried with", f"{format_names([*lines])}, as the evidence below says"
    yield "Optimization", _join_texts(x.levels for x in _list_texts(fault))
    yield "Not tried", "releases between these; sm_70 and older targets"


def _join_texts(texts: Iterable[str]) -> str:
    """Join the texts on the faults of a line, without repetitions."""
    texts = list(texts)
    if len({*texts}) < 2:
        return texts[0] if texts else ""
    return "; ".join(f"fault {number}: {text}" for number, text in enumerate(texts, 1))


class _History:
    """The releases and targets with a fault, by the evidence."""

    def __init__(self, x: KnownErratum) -> None:
        self.erratum = x
        rows = list_evidence(x.id)
        self.methods = {row.method for row in rows}
        machine_rows = [row for row in rows if row.method in ("proved", "computed")]
        self.wrong_rows = [row for row in machine_rows if row.result == "ptxas"]
        self.wrong_releases = _list_releases(self.wrong_rows)
        self.affected_targets = _list_targets(self.wrong_rows)
        self.other_rows = [
            row for row in machine_rows if not {*row.targets.split()} & {*self.affected_targets}
        ]
        """Rows of targets without the fault."""
        self.tried_releases = _list_releases(x for x in machine_rows if x not in self.other_rows)

    @property
    def first_wrong(self) -> str:
        """The first release with the fault, or a remark that it is unknown."""
        if not self.wrong_rows:
            return "unknown: {}.{}, the oldest one tried, is wrong".format(*OLDEST)
        first = self.wrong_releases[0]
        if older := self.tried_releases[: self.tried_releases.index(first)]:
            return f"{first} ({older[-1]}, the newest one tried before it, is right)"
        place = f" for {', '.join(self.affected_targets)}" if self.other_rows else ""
        return f"unknown: {first}, the oldest one tried{place}, is wrong"

    @property
    def fixed_in(self) -> str:
        """The first release without the fault."""
        if not self.wrong_rows:
            return "no release: {}.{}, the newest one tried, is wrong".format(*NEWEST)
        last = self.wrong_releases[-1]
        if newer := self.tried_releases[self.tried_releases.index(last) + 1 :]:
            return f"{newer[0]} ({last}, the newest one tried before it, is wrong)"
        return f"no release: {last}, the newest one tried, is wrong"

    @property
    def releases(self) -> str:
        """The releases that were tried, in order."""
        if not self.wrong_rows:
            return load_texts()[self.erratum.id].tried or "unknown"
        return ", ".join(self.tried_releases)

    @property
    def targets(self) -> str:
        """The targets that were tried."""
        if not self.wrong_rows:
            return load_texts()[self.erratum.id].targets or "unknown"
        text = join_targets(self.affected_targets)
        if self.other_rows:
            text += f" are wrong, {join_targets(_list_targets(self.other_rows))} are right"
        return f"{text}; the evidence below says which with which release"

    @property
    def manner(self) -> str:
        """The methods by which the fault was found."""
        ways = []
        if self.wrong_rows:
            ways.append("interpretation of the machine code")
        elif "executed" in self.methods:
            ways.append("execution of the machine code in an interpreter")
        if "proved" in self.methods:
            ways.append("a proof for all operands by an SMT solver")
        is_on_device = "device" in self.methods
        ways.append("a published result of a GPU" if is_on_device else "not run on a GPU")
        return "; ".join(ways)


def _list_targets(rows: Iterable[EvidenceRow]) -> list[str]:
    names = {target for row in rows for target in row.targets.split()}
    return sorted(names, key=lambda x: int(x.removeprefix("sm_")))


def _list_releases(rows: Iterable[EvidenceRow]) -> list[str]:
    names = {row.ptxas for row in rows}
    return sorted(names, key=lambda x: tuple(map(int, x.split("."))))


# --- the parts after the verdict ---------------------------------------------------------------


def _iter_kernel_blocks(fault: CompilerFault, listing: FaultListing) -> Iterator[Block]:
    arch = listing.rows[0].arch if listing.rows else fault.arch
    yield make_paragraph(f"`{KERNEL}.ptx`:", is_close=True)
    yield make_verbatim(fault.kernel.ptx.splitlines(), "ptx", is_close=True)
    options = " ".join((f"-arch={arch}", *fault.options))
    commands = (f"ptxas {options} {KERNEL}.ptx -o {KERNEL}.cubin", f"nvdisasm -c {KERNEL}.cubin")
    yield make_paragraph("These commands show the machine code:")
    yield make_verbatim(commands, "sh", is_close=True)
    bits = fault.kernel.word_bits
    words = ", ".join(format_hex(fault.values.get(x.name, 0), bits) for x in fault.kernel.inputs)
    text = f" and `in = {{{words}}}`, {bits} bits each" if words else ""
    yield make_paragraph(
        f"Or launch `{KERNEL}` with one thread{text}; `out[0]` then shows the answer."
    )
    formulas = _find_formulas(fault)
    documented, compiled = (_format_results(fault, x) for x in (fault.documented, fault.compiled))
    has_values = any(x.value for x in listing.rows)
    ground = ", by the meaning of the instructions below" if has_values else ""
    yield make_points(
        (
            (f"Expected: `{documented}`{formulas[0]}.",),
            (f"Actual: `{compiled}`{formulas[1]}{ground}.",),
        ),
        is_close=True,
    )


def _find_formulas(fault: CompilerFault) -> tuple[str, str]:
    """Return the reasons for both results: the formulas of the first step that differs."""
    pair = find_first_pair(fault)
    if pair is None:
        return "", ""
    row, other, lane = pair
    formulas = [str(describe_lane(x, lane).formula) for x in (row, other)]
    if formulas[0].startswith(f"{get_row_name(row)} = "):  # the value alone
        return "", ""
    of_name = "" if row.key.endswith(".t") else f" for {row.name}"
    first, second = (f", because `{x}`{of_name}" for x in formulas)
    return first, second


def find_first_pair(fault: CompilerFault) -> tuple[RowTrace, RowTrace, int] | None:
    """Return both models' rows of the first step that differs, and a lane in which they differ."""
    if fault.deviation is None:
        return None
    isa, other, _, stage = fault.deviation
    pairs = [
        (row, other.rows[key])
        for key, row in isa.rows.items()
        if row.stage is stage and key in other.rows and row.values != other.rows[key].values
    ]
    if not pairs:
        return None
    row, other_row = pairs[-1]  # the last has the effect of all others
    lane = next(i for i, bits in enumerate(row.values) if bits != other_row.values[i])
    return row, other_row, lane


def _iter_code_blocks(fault: CompilerFault, listing: FaultListing) -> Iterator[Block]:
    if not listing.rows:
        yield make_paragraph(f"There is no machine code: {listing.remark}.", is_close=True)
        return
    first = listing.rows[0]
    source = "Recorded code of" if listing.is_recorded else "Of"
    if listing.remark:
        yield make_paragraph(f"The code was not assembled again: {listing.remark}.", is_close=True)
    yield make_paragraph(
        f"{source} ptxas {first.ptxas}, `-arch={first.arch}`, {fault.level}, by nvdisasm "
        f"{first.nvdisasm}, without the computation of addresses and without `.reuse`.",
        is_close=True,
    )
    yield make_paragraph(_describe_values(listing), is_close=True)
    yield make_verbatim(_iter_code_lines(listing.rows), is_close=True)
    yield from (make_paragraph(x.cause) for x in _list_texts(fault) if fault.is_example and x.cause)


def _describe_values(listing: FaultListing) -> str:
    """Return the meaning of the columns beside the code."""
    if not any(x.value for x in listing.rows):
        return "The code has branches and was not interpreted, so no values are known."
    mark = (
        "`>` marks the first one that departs from the documented steps, and `not` stands before "
        "the documented value."
        if any(x.mark for x in listing.rows)
        else "no instruction is marked, because none was matched to a documented step."
    )
    return f"On the right is the value that each instruction writes for these operands; {mark}"


def _iter_code_lines(rows: Iterable[CodeRow]) -> Iterator[str]:
    rows = list(rows)
    text_width = min(max(len(x.text) for x in rows), _MAX_TEXT)
    value_width = max(len(x.value) for x in rows)
    for x in rows:
        documented = f"not {x.documented}" if x.documented else ""
        remark = ", ".join(filter(None, (x.meaning, documented)))
        start = f"{'>' if x.mark else ' '}{x.offset}  {x.text:<{text_width}}"
        yield f"{start}  {x.value:<{value_width}}  {remark}".rstrip()


def _iter_argument_blocks(fault: CompilerFault) -> Iterator[Block]:
    for x in fault.errata:
        texts = load_texts()[x.id]
        if not fault.is_example:
            values = " ".join(f"{name}={bits:#x}" for name, bits in x.example[1].items())
            yield make_paragraph(
                f"Of another line with this fault, `{x.example[0]}` for `{values}`:"
            )
        points = [(text,) for text in texts.argument]
        if texts.siblings:
            lines = format_names([f"`{x}`" for x in texts.siblings])
            points.append(
                (f"Proved as documented for all operands (ptxas 13.0.88, sm_90): {lines}.",)
            )
        yield make_points(points, is_close=True, is_numbered=True)
        if texts.counter:
            yield make_paragraph(f"Another reading is possible. {texts.counter}")


def _iter_replacement_blocks(fault: CompilerFault) -> Iterator[Block]:
    if fault.replacement:
        yield make_verbatim(fault.replacement, "ptx", is_close=True)
        if fault.is_example:
            yield make_paragraph(
                "By the PTX ISA, it is proved to give the documented result for all operands."
            )


def _iter_evidence_blocks(fault: CompilerFault) -> Iterator[Block]:
    if fault.proof and not _is_recorded(fault, fault.proof):
        yield make_points(_iter_proof_lines(fault, fault.proof), is_close=True)
    for x in fault.errata:
        if not fault.is_example:
            yield make_paragraph(f"Known of another line, `{x.example[0]}`:", is_close=True)
        yield make_points((*iter_findings(x.id), *_iter_other_faults(fault, x)), is_close=True)


def _iter_other_faults(fault: CompilerFault, x: KnownErratum) -> Iterator[tuple[str, ...]]:
    """Yield which other faults the line of an example has: the proofs are of all of them."""
    forms = [statement.instruction.form for statement in fault.block.statements]
    others = [y for y in ERRATA if y is not x and any(map(y.touches, forms))]
    if fault.is_example and isinstance(x, Erratum) and others:
        titles = "; ".join(load_texts()[y.id].title for y in others)
        yield (
            f"The line has other faults, too, and the proof is of all of them together: {titles}.",
        )


def _is_recorded(fault: CompilerFault, proof: LineProof) -> bool:
    """Return whether the evidence has the release and the target of the machine code."""
    return fault.is_example and any(
        (x.ptxas, x.result) == (proof.ptxas, "ptxas") and fault.arch in x.targets.split()
        for x in list_evidence(fault.errata[0].id)
    )


def _iter_proof_lines(fault: CompilerFault, proof: LineProof) -> Iterator[tuple[str, ...]]:
    """Yield the proof about the line itself."""
    finding = (
        "Proved for all operands, by a solver: the machine code of this line computes what is "
        "described here, and not the documented result."
        if proof.model
        else "Found by a solver, and computed on these operands: the machine code of this line "
        "does not give the documented result."
    )
    yield finding, f"ptxas {proof.ptxas} for {fault.arch}"
    if not fault.errata:
        yield ("No known fault of ptxas explains it.",)
        yield (NO_GPU,)


# --- the steps -----------------------------------------------------------------------------------


def iter_step_blocks(fault: CompilerFault) -> Iterator[Block]:
    """Yield a table of the steps of both answers, or of the documented one alone."""
    other_steps = fault.deviation.other.steps if fault.deviation else ()
    others = {x.place: x for x in other_steps}
    head = ("step", "documented", "compiled")[: 3 if fault.deviation else 2]
    rows, statement = [], 0
    for step in fault.documented_trace.steps:
        if step.statement != statement and not fault.block.is_line:
            statement = step.statement
            ins = fault.block.statements[statement - 1].instruction
            rows.append((make_inline(f"`{ins}`"), (), ())[: len(head)])
        formulas = _list_formulas(step)
        other_formulas = _list_formulas(others[step.place]) if step.place in others else []
        texts = ("same",) if formulas == other_formulas else tuple(other_formulas)
        cells = (f"{step.number} {format_title(step)}", ", ".join(formulas), ", ".join(texts))
        rows.append(tuple(map(make_inline, cells[: len(head)])))
    yield Table(tuple(map(make_text, head)), tuple(rows))


def _list_formulas(step: Step) -> list[str]:
    """Return the formulas of each value of a step, the highest lane first."""
    texts = []
    for row in step.rows:
        name = get_row_name(row)
        lanes = reversed(range(len(row.values)))
        text = ", ".join(str(describe_lane(row, lane).formula) for lane in lanes)
        texts.append(f"`{text}`" if text.startswith(f"{name} = ") else f"`{name}: {text}`")
    return texts
