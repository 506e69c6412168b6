"""What is wrong with the instructions of a listing or a source, and what is worth knowing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import chain, islice, pairwise
from typing import Protocol

from ..records import NamedTuple
from ..semantics.errata import ERRATA, TARGETS
from ..syntax.errors import Problem, Span, limit_problems, quote_word
from ..syntax.instruction import Instruction
from ..syntax.opcodes import OPCODES
from ..syntax.operands import BY_NAME, NUMBERS
from ..syntax.parser import CRASHES, NOT_LITERAL, Parsed, resolve, scan
from ..syntax.register_checks import check_register
from ..syntax.scopes import Scopes, collect_registers
from ..syntax.source import GAP, Fragment
from ..syntax.tokens import EMPTY, MISSING_END, find_boundary_problems
from ..syntax.tokens import find_statements as written_statements
from ..tracing.folding_bugs import FOLDING_BUGS, LOSING_TARGETS
from .asm_operands import AsmOperands
from .counterexample import Counterexample
from .embedded_ptx import EmbeddedPtx, PieceKind, find_ptx
from .moved_constants import MovedConstants
from .partial_ptx import STATEMENT_WITHOUT_OPCODE, is_prose, is_template
from .source_language import Language, is_whole, language_of
from .statement_scanner import WINDOW, Candidate, SourceLocation, scan_statements
from .verdict_cache import CachedVerdict, fill_template, get_cached_verdict, make_verdict


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
    "unseen": (
        Severity.WARNING,
        "A register is declared nowhere in this file; it assembles only where another declares it.",
    ),
    "component": (
        Severity.WARNING,
        "A component that its vector register does not have; it assembles and holds nothing.",
    ),
    "version": (Severity.ERROR, "The .version or .target is below what the instruction needs."),
    "crash": (Severity.WARNING, "The instruction is legal and crashes ptxas."),
    "note": (Severity.NOTE, "Legal, but worth a word."),
    "unread": (
        Severity.NOTE,
        "It is not checked: half-precision, a sum, another kind of file, code in `#if 0`, or text "
        "that is put together from what is not known.",
    ),
    "F2": (Severity.WARNING, FOLDING_BUGS[1].sentence),
    **{x.id: (Severity.WARNING, x.sentence) for x in ERRATA},
}
"""Every rule by id: how bad its diagnostics are, and what it is about."""


class Diagnostic(NamedTuple):
    """One thing to say about an instruction."""

    rule: str
    """A key of ``RULES``."""
    message: str
    place: SourceLocation
    hint: str = ""
    """What is allowed there."""

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return RULES[self.rule][0]


class CheckedInstruction(NamedTuple):
    """One instruction of a file, or what was meant to be one."""

    file: str
    place: SourceLocation
    """Where it begins; where it is illegal, what is wrong first."""
    ptx: str
    """The instruction in canonical text; as written, where it is illegal."""
    diagnostics: tuple[Diagnostic, ...] = ()
    notes: tuple[str, ...] = ()
    example: Counterexample | None = None
    """Operands for which an erratum shows; its register names are those of the file."""
    replacement: tuple[str, ...] | None = None
    """Lines of plain PTX that compute what is documented, where an erratum shows."""

    @property
    def is_legal(self) -> bool:
        """It will assemble."""
        return all(finding.severity is not Severity.ERROR for finding in self.diagnostics)

    @property
    def message(self) -> str:
        """What is wrong; empty where nothing is."""
        errors = (x.message for x in self.diagnostics if x.severity is Severity.ERROR)
        return "; ".join(errors)

    @property
    def errata(self) -> tuple[str, ...]:
        """Ids of the errata that can change its result on sm_70 and later."""
        return tuple(x.id for x in self.example.errata) if self.example else ()

    @property
    def is_unreadable(self) -> bool:
        """It is only told that something could not be read."""
        return self.is_legal and any(finding.rule == "unread" for finding in self.diagnostics)


class _Placed(Protocol):
    """Where a statement's characters stand in the file."""

    def place(self, start: int, end: int) -> SourceLocation:
        """Where a range of the text stands."""


def check_listing(chunks: Iterable[str], name: str) -> Iterator[CheckedInstruction]:
    """Every one of the 27 in a PTX listing, in order; the chunks may end anywhere."""
    moved = MovedConstants()
    for statement in scan_statements(moved.record_chunks(chunks)):
        if odd := _find_oddity(statement, statement):
            yield CheckedInstruction(name, odd.place, " ".join(statement.text.split()), (odd,))
            continue
        constants = _find_constants(statement, moved, {})
        facts, registers = get_cached_verdict(statement.text, constants)
        is_usual = statement.text[-1] == ";" and not statement.after
        if facts and is_usual and not statement.before.strip():
            yield _make_legal_instruction(statement, facts, registers, statement, name)
        else:
            for found in _check_statement(statement, statement, name, constants, is_doubled=False):
                said = (*_begun(statement, statement), *_check_statement_end(statement, statement))
                yield _with_diagnostics(found, said)


_GUARDED_BLOCK = "a guard stands before an instruction: no block takes one"
_BEFORE = re.compile(r"(?:\A|[;{}:]|\*/)\s*+([A-Za-z][\w$]*+)[ \t]++\Z", re.ASCII)
"""A word in front of a statement, in its line."""


def _find_oddity(statement: Candidate, at: _Placed) -> Diagnostic | None:
    """What is wrong between statements."""
    text, place = statement.text, statement.opcode
    if text[0] == ".":
        found = _NAME.match(text, place)
        name = found[0] if found else text
        where = at.place(place, place + len(name))
        return Diagnostic("illegal", f"{quote_word(name)} is declared already in this block", where)
    if text[place] in "{;":
        message = EMPTY.message if text[place] == ";" else _GUARDED_BLOCK
        return Diagnostic("illegal", message, at.place(0, len(text)))
    return None


def _begun(statement: Candidate, at: _Placed) -> Iterator[Diagnostic]:
    """What is said of what stands in front of a statement."""
    if found := _BEFORE.search(statement.before):
        start = found.start(1) - len(statement.before)
        message = (
            f"{quote_word(found[1])} is no part of this statement: it begins with a guard or opcode"
        )
        place = at.place(start, start + len(found[1]))
        yield Diagnostic("illegal", message, place, "a `;` or a `:` behind it")


def _with_diagnostics(item: CheckedInstruction, more: Iterable[Diagnostic]) -> CheckedInstruction:
    return item._replace(diagnostics=(*item.diagnostics, *more))


_ANOTHER_END = re.compile(r"(?:\s++|//[^\n]*+|/\*.*?(?:\*/|\Z))*+;", re.DOTALL)


def _check_statement_end(statement: Candidate, at: _Placed) -> Iterator[Diagnostic]:
    """What is said of how a statement ends; a text that is no module may end without a ``;``."""
    end = len(statement.text)
    if statement.text[-1] != ";":
        if not statement.cut_off or statement.scopes.version is not None:
            for problem in find_boundary_problems(statement.text, OPCODES):
                yield _make_illegal_diagnostic(problem, at)
    elif empty := _ANOTHER_END.match(statement.after):
        yield Diagnostic("illegal", EMPTY.message, at.place(end, end + empty.end()))


def _make_illegal_diagnostic(problem: Problem, at: _Placed) -> Diagnostic:
    return Diagnostic("illegal", problem.message, at.place(*problem.span), problem.hint)


def check_text(text: str, name: str) -> Iterator[CheckedInstruction]:
    """Every one of the 27 in a text, in order, whatever it is written in."""
    language = language_of(name, text)
    if language is Language.PTX:
        return check_listing([text], name)
    return check_source(text, name, language)


def check_source(text: str, name: str, language: Language) -> Iterator[CheckedInstruction]:
    """Every one of the 27 in the ``asm`` statements and PTX strings of a source, in order."""
    if language is Language.UNKNOWN:
        message = (
            "this is neither PTX nor a source of a known language; nothing was recognised in it"
        )
        place = SourceLocation(
            1, 1, text[: text.find("\n") if "\n" in text else None][:WINDOW], (0, 0)
        )
        yield CheckedInstruction(
            name,
            place,
            "",
            (Diagnostic("unread", message, place, ".ptx .cu .h .py .rs .ll .md .html …"),),
        )
        return
    elsewhere = collect_registers(text)
    elsewhere.complete &= is_whole(name)
    left_out = _find_left_out(text) if language is Language.C else []
    firsts = [first for first, _ in left_out]
    is_ended, before = False, None
    for piece, following in pairwise(chain(find_ptx(text, language), [None])):
        assert piece
        was_ended, is_ended = is_ended, following is not None and _ends(piece, following, text)
        start = piece.fragments[-1].origins[0]
        nearest = bisect_right(firsts, start) - 1
        if nearest >= 0 and start < left_out[nearest][1]:
            yield from _left_out(piece, name, elsewhere)
            continue
        for problem, place in piece.find_problems():
            finding = Diagnostic("illegal", problem.message, place, problem.hint)
            yield CheckedInstruction(name, place, place.excerpt.strip(), (finding,))
        if not was_ended and _is_empty_statement(piece, before):
            at = piece.ptx.index(";")
            place = piece.map_places(at).place(0, 1)
            finding = Diagnostic("illegal", EMPTY.message, place)
            yield CheckedInstruction(name, place, ";", (finding,))
        before = piece
        yield from _check_piece(piece, name, elsewhere, is_ended=is_ended, was_ended=was_ended)


def _is_empty_statement(piece: EmbeddedPtx, before: EmbeddedPtx | None) -> bool:
    """Whether an asm statement is a ``;`` alone, and the statement before it has one."""
    if piece.kind is not PieceKind.ASM or piece.ptx.strip() != ";":
        return False
    return before is None or (
        before.kind is PieceKind.ASM and before.ptx.rstrip().endswith((";", "}"))
    )


def _ends(piece: EmbeddedPtx, following: EmbeddedPtx, text: str) -> bool:
    """Whether the next asm statement begins with the ``;`` that ends the last of this one."""
    both = piece.kind is following.kind is PieceKind.ASM
    if not (both and following.ptx.lstrip().startswith(";")):
        return False
    last = piece.fragments[-1]
    start = last.find_origin(len(last.ptx) - 1, len(last.ptx))[1]
    end = following.fragments[-1].origins[0]
    between = text[start:end] if end - start < _MAX_GAP_CHARS else "}"
    return not set(between) & {"{", "}"} and not piece.ptx.rstrip().endswith(";")


_MAX_GAP_CHARS = 1 << 12
"""How far apart two asm statements may stand of which the second ends the first."""
_CONDITION = re.compile(r"^[^\S\n]*+#[^\S\n]*+(if|el|endif)(\w*+)([^\n]*+)", re.MULTILINE)
_NEVER = re.compile(r"[^\S\n]*+\(?[^\S\n]*+0[^\S\n]*+\)?[^\S\n]*+(?:/[/*][^\n]*+)?", re.ASCII)


def _find_left_out(text: str) -> list[Span]:
    """What stands between ``#if 0`` and its ``#else`` or ``#endif``."""
    found, depth, start, outer = list[Span](), 0, -1, 0
    for line in _CONDITION.finditer(text):
        word, more, condition = line.groups()
        if word == "if":
            depth += 1
            if start < 0 and not more and _NEVER.fullmatch(condition):
                start, outer = line.end(), depth
        elif start >= 0 and depth == outer:
            found.append((start, line.start()))
            start = -1
        depth -= word == "endif"
    return [*found, (start, len(text))] if start >= 0 else found


def _left_out(piece: EmbeddedPtx, name: str, elsewhere: Scopes) -> Iterator[CheckedInstruction]:
    """A note on what stands in ``#if 0``."""
    for item in islice(_check_piece(piece, name, elsewhere), 1):
        message = "this stands in `#if 0`: nothing compiles it, and it is not checked"
        yield CheckedInstruction(
            name, item.place, item.ptx, (Diagnostic("unread", message, item.place),)
        )


def _check_piece(
    piece: EmbeddedPtx,
    name: str,
    elsewhere: Scopes,
    *,
    is_ended: bool = False,
    was_ended: bool = False,
) -> Iterator[CheckedInstruction]:
    """What is said of the statements of a piece.

    ``is_ended`` says that the next piece begins with the ``;`` of this one's last statement, and
    ``was_ended`` the same of this one and the piece before.
    """
    found = list(_check_statements(piece, name, elsewhere))
    if piece.gaps or piece.named:
        literal = [span for span, _ in found]
        found = sorted([*found, *_check_partial(piece, name, literal)], key=_span)
    starts = [start for (start, _), _ in found]
    items = [item for _, item in found]
    beside = defaultdict[int, list[Problem]](list)
    first = len(piece.ptx) - len(piece.ptx.lstrip())
    for problem in (
        find_boundary_problems(piece.ptx, OPCODES, piece.gaps) if items and piece.operands else ()
    ):
        if is_ended and problem.message == MISSING_END.message:
            continue
        if was_ended and problem.message == EMPTY.message and problem.span[0] == first:
            continue
        beside[max(bisect_right(starts, problem.span[0]) - 1, 0)].append(problem)
    for index, problems in beside.items():
        told = [
            _make_illegal_diagnostic(problem, piece.map_places(0))
            for problem in limit_problems(problems)
        ]
        items[index] = _with_diagnostics(items[index], told)
    if piece.operands and piece.operands.is_braced:
        items = [_restore_braces(item, piece.operands) for item in items]
    return iter(items)


def _restore_braces(item: CheckedInstruction, operands: AsmOperands) -> CheckedInstruction:
    """What is said of an instruction, with the operands as the source writes them."""
    restore = operands.restore_braces
    example, lines = item.example, item.replacement
    if example:
        values = {restore(name): bits for name, bits in example.values.items()}
        example = example._replace(values=values)
    return item._replace(
        ptx=restore(item.ptx),
        diagnostics=tuple(
            x._replace(message=restore(x.message), hint=restore(x.hint)) for x in item.diagnostics
        ),
        notes=tuple(map(restore, item.notes)),
        example=example,
        replacement=lines and tuple(restore(line, is_code=True) for line in lines),
    )


_PlacedItem = tuple[Span, CheckedInstruction]
"""What is said of a statement, and where that stands in its piece."""


def _span(found: _PlacedItem) -> Span:
    return found[0]


def _check_partial(piece: EmbeddedPtx, name: str, literal: Iterable[Span]) -> Iterator[_PlacedItem]:
    """The statements of which a part is no literal text; ``literal`` are the others."""
    fragment, in_asm = Fragment(piece.ptx, gaps=piece.gaps), piece.kind is PieceKind.ASM
    named = piece.named
    if in_asm and not piece.ptx.replace(GAP, "").strip():
        named = (piece.gaps[0], piece.gaps[0] + 1)
    if named and any(start <= named[0] < end for start, end in literal):
        named = None
    for written in written_statements(piece.ptx, OPCODES, piece.gaps):
        opcode = written.opcode.span
        is_named = opcode[0] == named[0] if named else False
        if fragment.find_gap(*written.span) is None or resolve("", fragment, written) is None:
            continue
        behind = piece.ptx[opcode[0] : written.span[1]]
        is_known = is_named or in_asm or opcode[0] not in piece.gaps
        if not (is_known or STATEMENT_WITHOUT_OPCODE.match(f"{behind.rstrip(';')};")):
            continue
        if is_named or in_asm or not is_prose(behind):
            yield written.span, _make_unread(piece, opcode, name)
            named = None if is_named else named
    if named:
        yield named, _make_unread(piece, named, name)


def _make_unread(piece: EmbeddedPtx, span: Span, name: str) -> CheckedInstruction:
    place = piece.map_places(0).place(*span)
    ptx = place.excerpt[slice(*place.span)]
    return CheckedInstruction(name, place, ptx, (Diagnostic("unread", NOT_LITERAL, place),))


def _check_statements(piece: EmbeddedPtx, name: str, elsewhere: Scopes) -> Iterator[_PlacedItem]:
    """What is said of each statement that is literal text."""
    may_be_template, may_be_prose = piece.may_be_template, piece.may_be_prose
    operands, inner = piece.operands, piece.fragments[0]
    closed = operands is not None and operands.number is not None
    is_asm, literals = piece.kind is PieceKind.ASM, operands.constant_literals if operands else {}
    partial, moved = bool(piece.gaps), MovedConstants()
    scopes = Scopes(piece.registers, elsewhere, closed=closed, is_partial=partial)
    for statement in scan_statements(moved.record_chunks([piece.ptx]), scopes):
        span = (statement.start, statement.start + len(statement.text))
        if piece.gaps and inner.find_gap(*span) is not None:
            continue
        constants = _find_constants(statement, moved, literals)
        at = piece.map_places(statement.start)
        if odd := _find_oddity(statement, at):
            # `ends` tells of a `;`; of two declarations under #if, one is compiled
            if is_asm and not partial and statement.text != ";":
                item = CheckedInstruction(name, odd.place, " ".join(statement.text.split()), (odd,))
                yield span, item
            continue
        if may_be_template and is_template(statement.text, statement.scopes):
            yield span, _check_filled(statement, at, name)
        elif not (may_be_prose and is_prose(statement.text[statement.opcode :])):
            for item in _check_statement(statement, at, name, constants, is_doubled=is_asm):
                if operands:
                    more = _check_placeholders(piece, operands, statement)
                else:
                    more = _check_statement_end(statement, at)
                if is_asm:
                    more = chain(_begun(statement, at), more)
                yield span, _with_diagnostics(item, more)


_NAME = re.compile(r"[%\w$]++")
_FOLDED = ("slct.s32.s32", "vabsdiff2.", "vabsdiff4.")
"""How the instructions begin of which ptxas may fold constants wrongly."""


def _find_constants(
    statement: Candidate, moved: MovedConstants, literals: Mapping[str, int]
) -> Mapping[str, int]:
    """The bits of a statement's registers that are constants.

    ``literals`` are those of its asm statement. What a ``mov`` gives is looked for only where
    folding may change the result.
    """
    text, opcode, target = statement.text, statement.opcode, statement.scopes.target
    known = [literals] if literals else []
    is_likely = text[opcode] == "s" or target in (None, *LOSING_TARGETS)
    if is_likely and text.startswith(_FOLDED, opcode):
        known.append(moved.find_constants(statement.start))
    names = _NAME.findall(text) if known else ()
    return {name: bits[name] for bits in known for name in names if name in bits}


def _check_placeholders(
    piece: EmbeddedPtx, operands: AsmOperands, statement: Candidate
) -> Iterator[Diagnostic]:
    """What is said of what stands behind a ``%`` in a statement of an asm statement."""
    inner, at, scopes = piece.fragments[0], piece.map_places(0), statement.scopes
    stretch = statement.start, statement.start + len(statement.text)
    for name, message, span in operands.find_unmatched_placeholders(inner, *stretch):
        if piece.registers or not scopes.find_declaration(name):
            yield Diagnostic("undeclared", message, at.place(*span))
    for name, span in () if piece.gaps else operands.find_escaped_registers(inner, *stretch):
        declared = scopes.find_declaration(name)
        if not declared or declared.operand:
            message = (
                f"no declaration of {quote_word(name)} is in sight: `%%` makes no operand of it"
            )
            yield Diagnostic("undeclared", message, at.place(*span), quote_word(name))
    for message, span in operands.find_refused_literals(inner, *stretch):
        yield Diagnostic("note", message, at.place(*span))
    if named := operands.find_name(inner, *stretch):
        yield Diagnostic("note", BY_NAME, at.place(*named), NUMBERS)
    if twice := operands.find_doubled_percent(inner, *stretch):
        right = quote_word(piece.ptx[slice(*twice)])
        message = f"`%%` stays as it is in an asm statement without operands: write {right}"
        yield Diagnostic("illegal", message, at.place(*twice), right)


def _check_filled(statement: Candidate, at: _Placed, name: str) -> CheckedInstruction:
    place = at.place(statement.opcode, len(statement.text))
    message = "part of this statement is filled in elsewhere; it is not checked"
    ptx = " ".join(statement.text.split())
    return CheckedInstruction(name, place, ptx, (Diagnostic("unread", message, place),))


def _check_statement(
    statement: Candidate, at: _Placed, name: str, constants: Mapping[str, int], *, is_doubled: bool
) -> Iterator[CheckedInstruction]:
    facts, registers = get_cached_verdict(statement.text, constants)
    if facts:
        yield _make_legal_instruction(statement, facts, registers, at, name, is_doubled)
    else:
        yield from _check_scanned(statement, at, name, constants, is_doubled=is_doubled)


def _check_scanned(
    statement: Candidate, at: _Placed, name: str, constants: Mapping[str, int], *, is_doubled: bool
) -> Iterator[CheckedInstruction]:
    """What is found of a statement that is not legal, or that is several."""
    for item in scan(statement.text):
        yield (
            _make_illegal_instruction(statement, item, at, name)
            if item.problems
            else _check_parsed(statement, item, at, name, constants, is_doubled=is_doubled)
        )


def _check_parsed(
    statement: Candidate,
    item: Parsed,
    at: _Placed,
    name: str,
    constants: Mapping[str, int],
    *,
    is_doubled: bool,
) -> CheckedInstruction:
    """One of several legal instructions of a statement."""
    assert item.instruction
    facts = make_verdict(item.instruction.with_constants(constants))
    return _make_legal_instruction(statement, facts, (), at, name, is_doubled)


def _make_illegal_instruction(
    statement: Candidate, item: Parsed, at: _Placed, name: str
) -> CheckedInstruction:
    problems = sorted(item.problems, key=lambda problem: problem.span)
    diagnostics = tuple(
        Diagnostic(
            "unread" if problem.unread else "illegal",
            problem.message,
            at.place(*problem.span),
            problem.hint,
        )
        for problem in problems
    )
    ptx = " ".join(statement.text[slice(*item.span)].split())
    return CheckedInstruction(name, diagnostics[0].place, ptx, diagnostics)


def _make_legal_instruction(
    statement: Candidate,
    facts: CachedVerdict,
    registers: Sequence[str],
    at: _Placed,
    name: str,
    is_doubled: bool = False,
) -> CheckedInstruction:
    ins, diagnostics = facts.instruction, list[Diagnostic]()
    start, end = ins.spans["opcode"]
    if registers:  # theirs may be longer names than the stand-ins
        start, end = statement.opcode, statement.opcode + end - start
    place = at.place(start, end)
    scopes = statement.scopes
    if scopes.version is not None and scopes.version < facts.version:
        have, want = ("{}.{}".format(*x) for x in (scopes.version, facts.version))
        diagnostics.append(_make_too_old_diagnostic(ins, ".version", have, want, place))
    if scopes.target is not None and scopes.target < facts.target:
        have, want = f"sm_{scopes.target}", f"sm_{facts.target}"
        diagnostics.append(_make_too_old_diagnostic(ins, ".target", have, want, place))
    if not _are_registers_accepted(scopes, facts, registers):
        diagnostics += _check_registers(statement, facts, registers, at)
    text = facts.text.fill_registers(registers)
    if not (facts.notes or facts.loss or facts.example):
        return CheckedInstruction(name, place, text, tuple(diagnostics))
    notes = tuple(fill_template(note, registers) for note in facts.notes)
    diagnostics += [
        Diagnostic("crash" if note in CRASHES else "note", note, place) for note in notes
    ]
    if facts.loss:
        diagnostics.append(Diagnostic("F2", f"F2: {fill_template(facts.loss, registers)}", place))
    example = facts.example
    if example:
        diagnostics += [Diagnostic(x.id, _format_warning(x.id), place) for x in example.errata]
        values = {fill_template(name, registers): bits for name, bits in example.values.items()}
        example = example._replace(values=values)
    lines = tuple(facts.replacement.fill_registers(registers).splitlines())
    if is_doubled:
        lines = tuple(map(_format_for_asm, lines))
    return CheckedInstruction(name, place, text, tuple(diagnostics), notes, example, lines or None)


_MOST_FITTING = 1 << 6


def _are_registers_accepted(scopes: Scopes, facts: CachedVerdict, registers: Sequence[str]) -> bool:
    """Whether it is known that nothing is to be said of the registers by their declarations."""
    if facts.used is None or not registers:
        return False
    used = facts.used(registers)
    types = scopes.list_types(used)
    if types is None:
        return False
    if types in facts.accepted_types:
        return True
    fit = all(
        check_register(scopes, facts.instruction, role, register, type_) is None
        for register, (role, _, type_) in zip(used, facts.uses, strict=True)
    )
    if fit and len(facts.accepted_types) < _MOST_FITTING:
        facts.accepted_types.add(types)
    return fit


def _check_registers(
    statement: Candidate, facts: CachedVerdict, registers: Sequence[str], at: _Placed
) -> Iterator[Diagnostic]:
    """What is said of the registers by their declarations."""
    spans: Mapping[str, Span] | None = None
    for role, used, type_ in facts.uses:
        name = fill_template(used, registers)
        told = check_register(statement.scopes, facts.instruction, role, name, type_)
        if told is None:
            continue
        if spans is None:
            parsed = (x.instruction for x in scan(statement.text))
            spans = next((ins.spans for ins in parsed if ins), {})
        span = spans.get(role) or spans.get("opcode") or (0, len(statement.text))
        yield Diagnostic(told.why.value, told.message, at.place(*span), told.hint)


def _format_for_asm(line: str) -> str:
    """A line as it is written in an asm statement: ``%`` is doubled but for its operands."""
    return re.sub(r"%(?!\d)", "%%", line)


@cache
def _format_warning(id_: str) -> str:
    erratum = next(x for x in ERRATA if x.id == id_)
    return f"{id_}: with ptxas {erratum.versions} on {TARGETS}: {erratum.sentence}"


def _make_too_old_diagnostic(
    ins: Instruction, what: str, have: str, want: str, place: SourceLocation
) -> Diagnostic:
    name = f"{ins.opcode}.ftz" if ins.form.ftz and what == ".version" else ins.opcode
    return Diagnostic("version", f"`{name}` needs {what} {want} or higher; this is {have}", place)
