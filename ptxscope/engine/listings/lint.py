"""What is wrong with the instructions of a listing or a source, and what is worth knowing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple, Protocol

from ..isa.types import Type
from ..semantics.errata import ERRATA, TARGETS
from ..text.errors import quoted
from ..text.instruction import Instruction
from ..text.parser import Parsed, scan
from .counterexample import Counterexample, counterexample
from .inline_asm import Language, Piece, language_of, pieces
from .reading import FUNCTION, WINDOW, Context, Declared, Place, Statement, statements
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
    elsewhere = _declarations(text)
    for piece in pieces(text, language):
        for problem, place in piece.problems():
            finding = Finding("illegal", problem.message, place, problem.hint)
            yield Found(name, place, place.excerpt.strip(), (finding,))
        found = list(_in_piece(piece, name, elsewhere))
        if piece.complete:
            yield from found
        elif found or piece.named:
            message = "this text is glued with a macro or expression; it is not checked"
            named = piece.named
            place = piece.at(0).place(*named) if named else found[0].place
            ptx = found[0].ptx if found else piece.ptx[slice(*named)] if named else ""
            yield Found(name, place, ptx, (Finding("unread", message, place),))


_REG = re.compile(r"\.reg\s([^;\"]*+)")


def _declarations(text: str) -> Context:
    """All registers that a source declares anywhere, whatever their scopes."""
    found = Context()
    for match in _REG.finditer(text):
        found.declare(match[1][:_LONGEST_DECLARATION].replace("%%", "%"))
    return found


_LONGEST_DECLARATION = 1 << 12
_FILLED_IN = re.compile(r"\{[^{},;]*\}|\.%|[\w$]%\w")
"""What a formatting function fills in: ``{name}``, ``.%s``, ``%r%d``."""
_FORMATTED = re.compile(r"(?<![\w$])%[sdiuxX](?![\w$])")
"""The same, unless a register is called so."""
_MODULE = re.compile(r"\.(?:version|entry|func|reg)\s")
_PROSE = re.compile(r"(?<![\w.%$])[A-Za-z]{2,}+\s++[A-Za-z]")
"""Two words with nothing in between."""


def _in_piece(piece: Piece, name: str, elsewhere: Context) -> Iterator[Found]:
    in_string = not piece.asm or len(piece.fragments) > 1
    may_be_prose = not piece.asm and not _MODULE.search(piece.ptx)
    for statement in statements([piece.ptx], Context(piece.registers, elsewhere)):
        at = piece.at(statement.start)
        if in_string and _is_template(statement):
            yield _filled_in(statement, at, name)
        elif not (may_be_prose and _is_prose(statement)):
            for found in _checked(statement, at, name, doubled=piece.asm):
                yield found._replace(findings=(*found.findings, *_past(piece, statement)))


def _past(piece: Piece, statement: Statement) -> Iterator[Finding]:
    """What is said of placeholders that are no operands of an asm statement."""
    start = statement.start
    for name, message, span in piece.past(start, start + len(statement.text)):
        if piece.registers or not statement.context.declared(name):
            yield Finding("undeclared", message, piece.at(0).place(*span))


def _is_template(statement: Statement) -> bool:
    """Whether a formatting function fills in a part of a statement."""
    if _FILLED_IN.search(statement.text):
        return True
    names = set(_FORMATTED.findall(statement.text))
    return any(not statement.context.declared(name) for name in names)


def _is_prose(statement: Statement) -> bool:
    """Whether a string names an opcode in a sentence: words in a row, no commas."""
    behind = statement.text[statement.opcode :]
    return "," not in behind or _PROSE.search(_COMMENT.sub(" ", behind)) is not None


_COMMENT = re.compile(r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/")


def _filled_in(statement: Statement, at: _Placed, name: str) -> Found:
    place = at.place(statement.opcode, len(statement.text))
    message = "part of this statement is filled in elsewhere; it is not checked"
    ptx = " ".join(statement.text.split())
    return Found(name, place, ptx, (Finding("unread", message, place),))


class Verdict(NamedTuple):
    """What holds of a legal instruction wherever it stands; registers may be placeholders."""

    instruction: Instruction
    text: _Template
    uses: tuple[tuple[str, _Template, Type], ...]
    """Role, name and type of every register."""
    version: tuple[int, int]
    target: int
    notes: tuple[_Template, ...]
    example: Counterexample | None
    replacement: tuple[_Template, ...]
    """The lines; none where none is known, or no erratum shows."""


class _Template(NamedTuple):
    """A text with placeholders for the names of registers."""

    text: str
    format: str = ""
    """The same for ``str.format``; empty where there are no placeholders."""

    def of(self, names: list[str]) -> str:
        """The text with the names."""
        return self.format.format(*names) if names and self.format else self.text


def _template(text: str) -> _Template:
    if "%z" not in text:
        return _Template(text)
    braced = text.replace("{", "{{").replace("}", "}}")
    return _Template(text, _PLACEHOLDER.sub(r"{\1}", braced))


_NUMBERED = re.compile(r"%(?:r|rd|rs|rc|rl|rh|f|fd|fl|p|h|hh|b|q)?\d+", re.ASCII)
_PLACEHOLDER = re.compile(r"%z(\d++)\b", re.ASCII)
_HALF = re.compile(r"setp?(?:\s*+\.\s*+\w++)*?\s*+\.\s*+b?f16(?:x2)?\b", re.ASCII)
"""The half-precision ``set`` and ``setp`` (PTX ISA 9.7.7): other instructions of that name."""
_MOST_VERDICTS = 1 << 14
_VERDICTS: dict[str, Verdict | None] = {}
"""Verdicts by the statement's text, registers numbered in order; None: look again each time."""


def _checked(statement: Statement, at: _Placed, name: str, *, doubled: bool) -> Iterator[Found]:
    names: list[str] = []
    key = _normal(statement.text, names)
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


def _normal(text: str, names: list[str]) -> str:
    """The text with placeholders for its registers, which are collected; blanks made one."""
    if "%z" in text or "%" not in text:
        return text
    known: dict[str, str] = {}

    def numbered(match: re.Match[str]) -> str:
        return known.setdefault(match[0], f"%z{len(known)}")

    key = _NUMBERED.sub(numbered, text)
    names.extend(known)
    return key


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
        _template(str(ins)),
        tuple((role, _template(name), ins.type_of(role)) for role, name in ins.names.items()),
        version,
        target,
        tuple(map(_template, ins.notes)),
        example,
        tuple(map(_template, lines)),
    )


def _needs(ins: Instruction) -> tuple[tuple[int, int], int]:
    """The lowest ``.version`` and ``sm_`` number that an instruction assembles with."""
    least = ins.entry.minimum(ins.form)
    major, _, minor = least.ptx_isa.partition(".")
    target = re.search(r"sm_(\d+)", least.target)
    return (int(major), int(minor)), int(target[1]) if target else 0


def _parsed(statement: Statement, item: Parsed, at: _Placed, name: str, *, doubled: bool) -> Found:
    """One of several legal instructions of a statement."""
    assert item.instruction
    return _legal(statement, _of(item.instruction), [], at, name, doubled=doubled)


def _illegal(statement: Statement, item: Parsed, at: _Placed, name: str) -> Found:
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
    statement: Statement,
    verdict: Verdict,
    names: list[str],
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
    context = statement.context
    if context.version is not None and context.version < verdict.version:
        have, want = ("{}.{}".format(*x) for x in (context.version, verdict.version))
        findings.append(_too_old(ins, ".version", have, want, place))
    if context.target is not None and context.target < verdict.target:
        have, want = f"sm_{context.target}", f"sm_{verdict.target}"
        findings.append(_too_old(ins, ".target", have, want, place))
    for role, template, type_ in verdict.uses:
        register = template.of(names)
        declared = context.declared(register.partition(".")[0])
        if (finding := _misfit(statement, role, register, declared, type_, at)) is not None:
            findings.append(finding)
    notes = tuple(note.of(names) for note in verdict.notes)
    findings += [Finding("note", note, place) for note in notes]
    example = verdict.example
    if example:
        findings += [Finding(x.id, _warning(x.id), place) for x in example.errata]
        values = {_template(name).of(names): bits for name, bits in example.values.items()}
        example = example._replace(values=values)
    lines = tuple(line.of(names) for line in verdict.replacement)
    if doubled:
        lines = tuple(map(_in_asm, lines))
    text = verdict.text.of(names)
    return Found(name, place, text, tuple(findings), notes, example, lines or None)


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


# --- register types (PTX ISA, operand type checking) --------------------------------------

_TYPE = re.compile(r"([bsuf])(\d+)")


@lru_cache(maxsize=1 << 10)
def agrees(declared: str, type_: Type) -> bool:
    """Whether a register of a declared type may stand where an instruction type is wanted.

    Sizes must be equal; signed and unsigned agree, and bits agree with all. A declared type
    that is not known here, ``f16x2`` say, is taken to agree.
    """
    if "pred" in (declared, str(type_)):
        return declared == str(type_)
    match = _TYPE.fullmatch(declared)
    if not match:
        return True
    kind, wanted = match[1], str(type_)[0]
    if int(match[2]) != type_.bits:
        return False
    return "b" in (kind, wanted) or (kind == "f") == (wanted == "f")


_PLACEHOLDER_NAME = re.compile(r"[%$]\d+", re.ASCII)
"""An operand of an asm statement; a register only where a module says so."""


def _misfit(
    statement: Statement,
    role: str,
    register: str,
    declared: Declared | None,
    type_: Type,
    at: _Placed,
) -> Finding | None:
    """What is said of a register that was declared so, or was not; None where it may stand."""
    name, component, _ = register.partition(".")
    rule, hint = "undeclared", ""
    if declared is None:
        context = statement.context
        elsewhere = context.elsewhere
        bare = context.version is None and _PLACEHOLDER_NAME.fullmatch(name)
        if not context.declares or bare or (elsewhere and elsewhere.declared(name)):
            return None
        message, hint = f"no declaration of {quoted(name)} is in sight", f".reg .{type_} {name};"
    elif declared.type == FUNCTION:
        rule, message = "unread", f"{quoted(name)} is a function; this is not checked"
    elif not declared.register:
        message = f"{quoted(name)} is a {declared.type} variable: its address is no register"
        hint = "a register"
    elif declared.vector != bool(component):
        message = f"{quoted(name)} is declared as a vector; one of its components is wanted"
        if not declared.vector:
            message = f"{quoted(name)} is not declared as a vector; it has no components"
        hint = f"{name}.x" if declared.vector else name
    elif not agrees(declared.type, type_):
        kind = "a predicate" if type_ is Type.PRED else f".{type_}"
        what = "the guard" if role == "guard" else f"operand {role}"
        rule, hint = "register-type", _fitting(type_)
        message = f"{quoted(register)} is declared .{declared.type}, but {what} is {kind}"
    else:
        return None
    spans = next((x.instruction.spans for x in scan(statement.text) if x.instruction), {})
    span = spans.get(role) or spans.get("opcode") or (0, len(statement.text))
    return Finding(rule, message, at.place(*span), hint)


def _fitting(type_: Type) -> str:
    if type_ is Type.PRED:
        return ".pred"
    kinds = {"f": "bf", "b": "bsuf"}.get(str(type_)[0], "bsu")
    return " ".join(f".{kind}{type_.bits}" for kind in kinds if (kind, type_.bits) != ("f", 16))
