"""What is wrong with the instructions of a listing or a source, and what is worth knowing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import NamedTuple, Protocol

from ..isa.types import Type
from ..semantics.errata import ERRATA, TARGETS
from ..text.errors import Span
from ..text.instruction import Instruction
from ..text.parser import Parsed, scan
from ..text.registers import misfit
from ..text.scopes import Scopes, anywhere
from .counterexample import Counterexample, counterexample
from .inline_asm import Language, Piece, language_of, pieces
from .reading import WINDOW, Candidate, Place, statements
from .replacement import replacement


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    """It will not assemble."""
    WARNING = "warning"
    NOTE = "note"


RULES: dict[str, tuple[Severity, str]] = {
    "illegal": (Severity.ERROR, "The instruction is not legal PTX."),
    "register-type": (Severity.ERROR, "A register's declared type does not fit its operand."),
    "undeclared": (Severity.ERROR, "An operand is not the register that it must be."),
    "version": (Severity.ERROR, "The .version or .target is below what the instruction needs."),
    "note": (Severity.NOTE, "Legal, but worth a word."),
    "unread": (
        Severity.NOTE,
        "It is not checked: half-precision, a sum, a file of another kind, or text that is "
        "put together from what is not known.",
    ),
    **{x.id: (Severity.WARNING, x.sentence) for x in ERRATA},
}
"""Every rule by id: how bad its findings are, and what it is about."""


class Finding(NamedTuple):
    """One thing to say about an instruction."""

    rule: str
    """A key of ``RULES``."""
    message: str
    place: Place
    hint: str = ""
    """What is allowed there."""

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return RULES[self.rule][0]


class Found(NamedTuple):
    """One instruction of a file, or what was meant to be one."""

    file: str
    place: Place
    """Where it begins; where it is illegal, what is wrong first."""
    ptx: str
    """The instruction in canonical text; as written, where it is illegal."""
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    example: Counterexample | None = None
    """Operands for which an erratum shows; its register names are those of the file."""
    replacement: tuple[str, ...] | None = None
    """Lines of plain PTX that compute what is documented, where an erratum shows."""

    @property
    def legal(self) -> bool:
        """It will assemble."""
        return all(finding.severity is not Severity.ERROR for finding in self.findings)

    @property
    def message(self) -> str:
        """What is wrong; empty where nothing is."""
        errors = (x.message for x in self.findings if x.severity is Severity.ERROR)
        return "; ".join(errors)

    @property
    def errata(self) -> tuple[str, ...]:
        """Ids of the errata that can change its result on sm_70 and later."""
        return tuple(x.id for x in self.example.errata) if self.example else ()

    @property
    def unread(self) -> bool:
        """It is only told that something could not be read."""
        return self.legal and any(finding.rule == "unread" for finding in self.findings)


class _Placed(Protocol):
    """Where a statement's characters stand in the file."""

    def place(self, start: int, end: int) -> Place:
        """Where a range of the text stands."""


def check_listing(chunks: Iterable[str], name: str) -> Iterator[Found]:
    """Every one of the 27 in a PTX listing, in order; the chunks may end anywhere."""
    for statement in statements(chunks):
        yield from _checked(statement, statement, name, doubled=False)


def check_text(text: str, name: str) -> Iterator[Found]:
    """Every one of the 27 in a text, in order, whatever it is written in."""
    language = language_of(name, text)
    if language is Language.PTX:
        return check_listing([text], name)
    return check_source(text, name, language)


def check_source(text: str, name: str, language: Language) -> Iterator[Found]:
    """Every one of the 27 in the ``asm`` statements and PTX strings of a source, in order."""
    if language is Language.UNKNOWN:
        message = "this is neither PTX nor a source of C or Python; nothing was recognised in it"
        place = Place(1, 1, text[: text.find("\n") if "\n" in text else None][:WINDOW], (0, 0))
        yield Found(name, place, "", (Finding("unread", message, place, ".ptx .cu .h .py …"),))
        return
    elsewhere = anywhere(text)
    for piece in pieces(text, language):
        for problem, place in piece.problems():
            finding = Finding("illegal", problem.message, place, problem.hint)
            yield Found(name, place, place.excerpt.strip(), (finding,))
        found = list(_in_piece(piece, name, elsewhere))
        if piece.complete:
            yield from found
        elif found:
            message = "this text is glued with a macro or expression; it is not checked"
            place = found[0].place
            yield Found(name, place, found[0].ptx, (Finding("unread", message, place),))


_FILLED_IN = re.compile(r"\{[^{},;]*\}|\.%")
"""What a formatting function fills in: ``{name}``, ``.%s``."""
_MODULE = re.compile(r"\.(?:version|entry|func|reg)\s")
_PROSE = re.compile(r"(?<![\w.%$])[A-Za-z]{2,}+\s++[A-Za-z]")
"""Two words with nothing in between."""


def _in_piece(piece: Piece, name: str, elsewhere: Scopes) -> Iterator[Found]:
    in_string = not piece.asm or len(piece.fragments) > 1
    may_be_prose = not piece.asm and not _MODULE.search(piece.ptx)
    for statement in statements([piece.ptx], Scopes(piece.registers, elsewhere)):
        at = piece.at(statement.start)
        if in_string and _FILLED_IN.search(statement.text):
            yield _filled_in(statement, at, name)
        elif not (may_be_prose and _is_prose(statement)):
            yield from _checked(statement, at, name, doubled=piece.asm)


def _is_prose(statement: Candidate) -> bool:
    """Whether a string names an opcode in a sentence: words in a row, no commas."""
    behind = statement.text[statement.opcode :]
    return "," not in behind or _PROSE.search(_COMMENT.sub(" ", behind)) is not None


_COMMENT = re.compile(r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/")


def _filled_in(statement: Candidate, at: _Placed, name: str) -> Found:
    place = at.place(statement.opcode, len(statement.text))
    message = "part of this statement is filled in elsewhere; it is not checked"
    ptx = " ".join(statement.text.split())
    return Found(name, place, ptx, (Finding("unread", message, place),))


class Verdict(NamedTuple):
    """What holds of a legal instruction wherever it stands.

    Its numbered registers are called by stand-ins: ``%z0`` for the first that is written,
    ``%z1`` for the next. So it is one for all statements that differ in such names only.
    """

    instruction: Instruction
    text: str
    uses: tuple[tuple[str, str, Type], ...]
    """Role, name and type of every register."""
    version: tuple[int, int]
    target: int
    notes: tuple[str, ...]
    example: Counterexample | None
    replacement: tuple[str, ...]
    """The lines; none where none is known, or no erratum shows."""


Names = Mapping[str, str]
"""What the stand-ins of a verdict are called in a statement."""


def _renamed(text: str, names: Names) -> str:
    """A text of a verdict with a statement's names."""
    return _STAND_IN.sub(lambda found: names[found[0]], text) if names and "%z" in text else text


_NUMBERED = re.compile(r"%(?:r|rd|rs|rc|rl|rh|f|fd|fl|p|h|hh|b|q)?\d+", re.ASCII)
_STAND_IN = re.compile(r"%z\d++", re.ASCII)
_HALF = re.compile(r"setp?(?:\s*+\.\s*+\w++)*?\s*+\.\s*+b?f16(?:x2)?\b", re.ASCII)
"""The half-precision ``set`` and ``setp`` (PTX ISA 9.7.7): other instructions of that name."""
_MOST_VERDICTS = 1 << 14
_VERDICTS: dict[str, Verdict | None] = {}
"""Verdicts by the statement's text with its stand-ins; None: look again each time."""


def _checked(statement: Candidate, at: _Placed, name: str, *, doubled: bool) -> Iterator[Found]:
    key, names = _with_stand_ins(statement.text)
    try:
        verdict = _VERDICTS[key]
    except KeyError:
        if len(_VERDICTS) >= _MOST_VERDICTS:
            _VERDICTS.clear()
        verdict = _VERDICTS[key] = _verdict(key)
    if verdict is None:
        if _HALF.match(statement.text, statement.opcode):
            place = at.place(statement.opcode, len(statement.text))
            message = "half-precision `set` and `setp` are not known here; this is not checked"
            ptx = " ".join(statement.text.split())
            yield Found(name, place, ptx, (Finding("unread", message, place),))
            return
        for item in scan(statement.text):
            yield (
                _illegal(statement, item, at, name)
                if item.problems
                else _parsed(statement, item, at, name, doubled=doubled)
            )
    else:
        yield _legal(statement, verdict, names, at, name, doubled=doubled)


def _with_stand_ins(text: str) -> tuple[str, Names]:
    """The text with stand-ins for its numbered registers, and what they stand for.

    Where somebody calls a register so, the text stays as it is.
    """
    if "%z" in text or "%" not in text:
        return text, {}
    known: dict[str, str] = {}

    def stand_in(found: re.Match[str]) -> str:
        return known.setdefault(found[0], f"%z{len(known)}")

    key = _NUMBERED.sub(stand_in, text)
    return key, {name: register for register, name in known.items()}


def _verdict(text: str) -> Verdict | None:
    items = list(scan(text))
    if len(items) != 1 or items[0].instruction is None:
        return None
    return _of(items[0].instruction)


def _of(ins: Instruction) -> Verdict:
    example = counterexample(ins)
    version, target = _needs(ins)
    lines = (example and replacement(ins)) or ()
    return Verdict(
        ins,
        str(ins),
        tuple((role, name, ins.type_of(role)) for role, name in ins.names.items()),
        version,
        target,
        ins.notes,
        example,
        lines,
    )


def _needs(ins: Instruction) -> tuple[tuple[int, int], int]:
    """The lowest ``.version`` and ``sm_`` number that an instruction assembles with."""
    least = ins.entry.minimum(ins.form)
    major, _, minor = least.ptx_isa.partition(".")
    target = re.search(r"sm_(\d+)", least.target)
    return (int(major), int(minor)), int(target[1]) if target else 0


def _parsed(statement: Candidate, item: Parsed, at: _Placed, name: str, *, doubled: bool) -> Found:
    """One of several legal instructions of a statement."""
    assert item.instruction
    return _legal(statement, _of(item.instruction), {}, at, name, doubled=doubled)


def _illegal(statement: Candidate, item: Parsed, at: _Placed, name: str) -> Found:
    problems = sorted(item.problems, key=lambda problem: problem.span)
    findings = tuple(
        Finding(
            "unread" if problem.unread else "illegal",
            problem.message,
            at.place(*problem.span),
            problem.hint,
        )
        for problem in problems
    )
    ptx = " ".join(statement.text[slice(*item.span)].split())
    return Found(name, findings[0].place, ptx, findings)


def _legal(
    statement: Candidate,
    verdict: Verdict,
    names: Names,
    at: _Placed,
    name: str,
    *,
    doubled: bool,
) -> Found:
    ins, findings = verdict.instruction, list[Finding]()
    start, end = statement.opcode, statement.opcode + len(ins.opcode)
    if not names:
        start, end = ins.spans["opcode"]
    place = at.place(start, end)
    scopes = statement.scopes
    if scopes.version is not None and scopes.version < verdict.version:
        have, want = ("{}.{}".format(*x) for x in (scopes.version, verdict.version))
        findings.append(_too_old(ins, ".version", have, want, place))
    if scopes.target is not None and scopes.target < verdict.target:
        have, want = f"sm_{scopes.target}", f"sm_{verdict.target}"
        findings.append(_too_old(ins, ".target", have, want, place))
    findings += _misfits(statement, verdict, names, at)
    notes = tuple(_renamed(note, names) for note in verdict.notes)
    findings += [Finding("note", note, place) for note in notes]
    example = verdict.example
    if example:
        findings += [Finding(x.id, _warning(x.id), place) for x in example.errata]
        values = {_renamed(name, names): bits for name, bits in example.values.items()}
        example = example._replace(values=values)
    lines = tuple(_renamed(line, names) for line in verdict.replacement)
    if doubled:
        lines = tuple(map(_in_asm, lines))
    text = _renamed(verdict.text, names)
    return Found(name, place, text, tuple(findings), notes, example, lines or None)


def _misfits(
    statement: Candidate, verdict: Verdict, names: Names, at: _Placed
) -> Iterator[Finding]:
    """What is said of the registers by their declarations."""
    spans: Mapping[str, Span] | None = None
    for role, used, type_ in verdict.uses:
        register = names.get(used) or _renamed(used, names)
        told = misfit(statement.scopes, role, register, type_)
        if told is None:
            continue
        if spans is None:
            parsed = (x.instruction for x in scan(statement.text))
            spans = next((ins.spans for ins in parsed if ins), {})
        span = spans.get(role) or spans.get("opcode") or (0, len(statement.text))
        yield Finding(told.why.value, told.message, at.place(*span), told.hint)


def _in_asm(line: str) -> str:
    """A line as it is written in an asm statement: ``%`` is doubled but for its operands."""
    return re.sub(r"%(?!\d)", "%%", line)


@cache
def _warning(id_: str) -> str:
    erratum = next(x for x in ERRATA if x.id == id_)
    return f"{id_}: with ptxas {erratum.versions} on {TARGETS}: {erratum.sentence}"


def _too_old(ins: Instruction, what: str, have: str, want: str, place: Place) -> Finding:
    name = f"{ins.opcode}.ftz" if ins.form.ftz and what == ".version" else ins.opcode
    return Finding("version", f"`{name}` needs {what} {want} or higher; this is {have}", place)
