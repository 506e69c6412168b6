"""Diagnostics for one statement, in any context."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from typing import Protocol

from ...engine.isa.catalog import list_shapes
from ...engine.isa.entry import FAMILIES
from ...engine.semantics.rules import ERRATA, FLAG_ERRATUM
from ...engine.syntax.errors import Problem, Span, quote_word
from ...engine.syntax.instruction import Instruction
from ...engine.syntax.opcodes import ALL_OPCODES, OPCODES
from ...engine.syntax.parser import CRASHES, Parsed, parse_common_statement, scan
from ...engine.syntax.register_checks import check_register
from ...engine.syntax.scopes import Scope
from ...engine.syntax.source import Fragment
from ...engine.syntax.tokens import find_statements
from ...engine.tracing.folding_bugs import LOSING_TARGETS
from ...sources.source_location import SourceLocation
from .candidate_reader import Candidate
from .check_rules import list_added_rules
from .checked_scopes import CheckedScopes
from .diagnostic import CheckedInstruction, Diagnostic, TextEdit, make_item
from .moved_constants import MovedConstants
from .statement_templates import fill_template
from .text_problems import EMPTY_STATEMENT, find_boundary_problems, find_common_problems
from .verdict_cache import CachedVerdict, get_cached_verdict, make_verdict

_GUARDED_BLOCK = "a guard belongs to an instruction: a block takes none"
_PRECEDING_WORD = re.compile(r"(?:\A|[;{}:]|\*/)\s*+([A-Za-z][\w$]*+)[ \t]++\Z", re.ASCII)
"""A word before a statement, in its line."""


class Locator(Protocol):
    """The mapping from a statement's characters to locations in the file."""

    def locate(self, start: int, end: int) -> SourceLocation:
        """Return the location of a range of the text."""


def check_between_statements(statement: Candidate, locator: Locator) -> Diagnostic | None:
    """Return the diagnostic for a problem between statements, if it is one."""
    text, position = statement.text, statement.opcode
    if text[0] == ".":
        match = _NAME.match(text, position)
        name = match[0] if match else text
        location = locator.locate(position, position + len(name))
        return Diagnostic(
            "illegal", f"{quote_word(name)} is already declared in this block", location
        )
    if text[position] in "{;":
        message = EMPTY_STATEMENT.message if text[position] == ";" else _GUARDED_BLOCK
        return Diagnostic("illegal", message, locator.locate(0, len(text)))
    return None


def check_statement_start(statement: Candidate, locator: Locator) -> Iterator[Diagnostic]:
    """Yield a diagnostic about a stray word before a statement."""
    if match := _PRECEDING_WORD.search(statement.preceding_text):
        start = match.start(1) - len(statement.preceding_text)
        reason = "is not part of this statement: it begins with a guard or opcode"
        message = f"{quote_word(match[1])} {reason}"
        location = locator.locate(start, start + len(match[1]))
        yield Diagnostic("illegal", message, location, "a `;` or a `:` after it")


class UndeclaredNames:
    """The names without a declaration that are reported already, each once in its function."""

    def __init__(self) -> None:
        self._scope: Scope | None = None
        self._problems = set[tuple[str, str]]()

    def drop_repeated(
        self, item: CheckedInstruction, scope: Scope | None = None
    ) -> CheckedInstruction:
        """Return an instruction of a function, given by its scope, without repeated problems."""
        if scope is not self._scope:
            self._scope, self._problems = scope, set()
        return item._replace(diagnostics=tuple(x for x in item.diagnostics if self._is_new(x)))

    def _is_new(self, diagnostic: Diagnostic) -> bool:
        if diagnostic.rule not in ("undeclared", "unseen"):
            return True
        location = diagnostic.location
        problem = location.excerpt[slice(*location.span)], diagnostic.message
        is_new = problem not in self._problems
        self._problems.add(problem)
        return is_new


def add_diagnostics(
    item: CheckedInstruction, diagnostics: Iterable[Diagnostic]
) -> CheckedInstruction:
    """Return a checked instruction with more diagnostics."""
    return item._replace(diagnostics=(*item.diagnostics, *diagnostics))


_ANOTHER_END = re.compile(r"(?>(?:\s++|//[^\n]*+|/\*.*?(?:\*/|\Z))*);", re.DOTALL)


def check_statement_end(
    statement: Candidate, locator: Locator, opcodes: Set[str] = OPCODES
) -> Iterator[Diagnostic]:
    """Yield diagnostics about the end of a statement.

    A text that is not a module may end without a ``;``.
    """
    end = len(statement.text)
    if statement.text[-1] != ";":
        if not statement.cut_off or statement.scopes.version is not None:
            for problem in find_boundary_problems(statement.text, opcodes):
                yield make_illegal_diagnostic(problem, locator)
    elif match := _ANOTHER_END.match(statement.following_text):
        yield Diagnostic("illegal", EMPTY_STATEMENT.message, locator.locate(end, end + match.end()))


def make_illegal_diagnostic(problem: Problem, locator: Locator) -> Diagnostic:
    """Return the diagnostic for a problem of the syntax."""
    return Diagnostic("illegal", problem.message, locator.locate(*problem.span), problem.hint)


_NAME = re.compile(r"[%\w$]++")
_FOLDED = (
    *("slct.s32.s32", "vabsdiff2.", "vabsdiff4."),
    *("bfe.u64", "bfe.s64", "bfi.b64", "fns."),
)
"""The beginnings of instructions whose errata depend on constants."""


def find_constants(
    statement: Candidate, moved_constants: MovedConstants, literals: Mapping[str, int]
) -> Mapping[str, int]:
    """Return the bits of a statement's registers that are constants.

    ``literals`` are its asm statement's. ``mov`` instructions are considered only if folding
    may change the result.
    """
    text, opcode, target = statement.text, statement.opcode, statement.scopes.target
    sources = [literals] if literals else []
    is_likely = text[opcode] in "sbf" or target in (None, *LOSING_TARGETS)
    if is_likely and text.startswith(_FOLDED, opcode):
        sources.append(moved_constants.find_constants(statement.start))
    names = _NAME.findall(text) if sources else ()
    return {name: bits[name] for bits in sources for name in names if name in bits}


def check_statement(
    statement: Candidate, locator: Locator, name: str, constants: Mapping[str, int], *, is_asm: bool
) -> Iterator[CheckedInstruction]:
    """Yield the instructions of a statement, with the diagnostics about its text.

    ``constants`` are the bits of registers that are constants. ``is_asm``: the statement is of
    an asm statement, where a replacement doubles ``%``.
    """
    verdict, registers = get_cached_verdict(statement.text, constants)
    if verdict and not list_added_rules():
        yield make_legal_instruction(statement, verdict, registers, locator, name, is_asm)
        return
    for item in scan(statement.text):  # it is illegal, or holds several, or rules are added
        if item.instruction and not item.problems:
            ins = item.instruction.with_constants(constants)
            own_verdict, names = (verdict, registers) if verdict else (make_verdict(ins), ())
            legal = make_legal_instruction(statement, own_verdict, names, locator, name, is_asm)
            yield add_diagnostics(legal, _find_faults(ins, locator))
        else:
            yield _make_illegal_instruction(statement, item, locator, name)


def _find_faults(ins: Instruction, locator: Locator) -> Iterator[Diagnostic]:
    """Yield the diagnostics of rules that other features add."""
    for rule in list_added_rules():
        for fault in rule.find_faults(ins):
            span = ins.spans.get(fault.part) or ins.spans["opcode"]
            yield Diagnostic(rule.id, fault.message, locator.locate(*span), fault.hint)


def check_plain_statement(
    statement: Candidate, locator: Locator, name: str
) -> Iterator[CheckedInstruction]:
    """Yield a statement that the catalog does not explain, if it is illegal."""
    problems = find_common_problems(statement.text)
    span = (statement.opcode, len(statement.text))
    diagnostics = tuple(check_statement_end(statement, locator, ALL_OPCODES))
    if problems and not any(x.unread for x in problems):
        item = _make_illegal_instruction(statement, Parsed(None, problems, span), locator, name)
        yield add_diagnostics(item, diagnostics)._replace(is_common=True)
        return
    for ins in _iter_common_instructions(statement.text):
        minimum = ins.entry.compute_minimum(ins.form)
        if minimum.family:  # the others are older than any module
            location = locator.locate(*ins.spans["opcode"])
            requirement = minimum.version, minimum.sm_number, minimum.family
            diagnostics += tuple(
                _find_version_problems(ins, *requirement, statement.scopes, location)
            )
    if diagnostics:
        yield make_item(name, statement.text, *diagnostics)._replace(is_common=True)


def _iter_common_instructions(text: str) -> Iterator[Instruction]:
    """Yield the common instructions of a text, which all code contains, if they are legal."""
    fragment = Fragment(text)
    for statement in find_statements(text, ALL_OPCODES):
        if ins := parse_common_statement("", fragment, statement):
            yield ins


def _make_illegal_instruction(
    statement: Candidate, item: Parsed, locator: Locator, name: str
) -> CheckedInstruction:
    problems = sorted(item.problems, key=lambda problem: problem.span)
    diagnostics = tuple(
        make_illegal_diagnostic(problem, locator)._replace(
            rule="unread" if problem.unread else "illegal"
        )
        for problem in problems
    )
    return make_item(name, statement.text[slice(*item.span)], *diagnostics)


def _explain_wrong_carry(opcode: str, scopes: CheckedScopes, guard: str) -> str:
    """Explain which wrong carry an opcode reads; empty if it reads the right one."""
    writer = scopes.find_carry_opcode(guard)
    written, read = map(_find_carry_noun, (writer, opcode))
    if not writer or written == read:
        return ""
    verb = "subtracts" if read == "borrow" else "adds"
    return (
        f"`{opcode}` reads the {written} that `{writer}.cc` wrote: by the manual it {verb} it, "
        f"but ptxas {FLAG_ERRATUM.versions} {verb} its inverse ({FLAG_ERRATUM.id})"
    )


def make_legal_instruction(
    statement: Candidate,
    verdict: CachedVerdict,
    registers: Sequence[str],
    locator: Locator,
    name: str,
    is_asm: bool = False,
) -> CheckedInstruction:
    """Return a legal instruction with the diagnostics of its verdict and of its declarations."""
    ins, diagnostics = verdict.instruction, list[Diagnostic]()
    start, end = ins.spans["opcode"]
    if registers:  # their names may be longer than the stand-ins
        start, end = statement.opcode, statement.opcode + end - start
    location = locator.locate(start, end)
    scopes = statement.scopes
    minimum = verdict.version, verdict.target, verdict.family
    diagnostics += _find_version_problems(ins, *minimum, scopes, location)
    if not _are_registers_accepted(scopes, verdict, registers):
        diagnostics += _check_registers(statement, verdict, registers, locator)
    text = fill_template(verdict.text, registers)
    if verdict.reads_carry or verdict.writes_carry:
        guard = fill_template(str(ins.guard or ""), registers)
        rule, message = "carry", ""
        if verdict.reads_carry:
            if scopes.is_asm and not (scopes.has_carry or scopes.has_label):
                rule, message = "asm-carry", _FOREIGN_CARRY.format(ins.opcode)
            else:
                message = _describe_lost_carry(ins, scopes, guard)
            message = message or _explain_wrong_carry(ins.opcode, scopes, guard)
            message = message or _describe_lost_sum_carry(ins, scopes, guard)
            scopes.read_carry(ins.opcode if _ends_sum(ins, verdict) else "")
        elif not guard:
            message = _describe_overwritten_carry(ins, scopes)
        if message:
            diagnostics.append(Diagnostic(rule, message, location))
        if verdict.writes_carry:
            scopes.write_carry(ins.opcode, guard)
    for x in verdict.redundancies:
        fix = _make_statement_edit(statement, locator, fill_template(x.line, registers), is_asm)
        message = fill_template(x.message, registers)
        diagnostics.append(Diagnostic(x.rule, message, location, fix=fix))
    if not (verdict.notes or verdict.loss or verdict.example):
        return CheckedInstruction(name, location, text, tuple(diagnostics))
    notes = tuple(fill_template(note, registers) for note in verdict.notes)
    diagnostics += [
        Diagnostic("crash" if note in CRASHES else "note", note, location) for note in notes
    ]
    if verdict.loss:
        diagnostics.append(
            Diagnostic("F2", f"F2: {fill_template(verdict.loss, registers)}", location)
        )
    example = verdict.example
    if example:
        fix = _make_replacement_edit(statement, locator, verdict, registers, is_asm)
        diagnostics += [
            Diagnostic(erratum.id, _format_warning(erratum.id), location, fix=fix)
            for erratum in example.errata
        ]
        values = {fill_template(name, registers): bits for name, bits in example.values.items()}
        example = example._replace(values=values)
    lines = tuple(fill_template(verdict.replacement, registers).splitlines())
    if is_asm:
        lines = tuple(map(format_for_asm, lines))
    return CheckedInstruction(
        name, location, text, tuple(diagnostics), notes, example, lines or None
    )


def _make_replacement_edit(
    statement: Candidate,
    locator: Locator,
    verdict: CachedVerdict,
    registers: Sequence[str],
    is_asm: bool,
) -> TextEdit | None:
    """Return the edit for a replacement that is one line without registers of its own."""
    lines = fill_template(verdict.replacement, registers).splitlines()
    if len(lines) == 3 and (lines[0], lines[-1]) == ("{", "}") and ".reg" not in lines[1]:
        lines = lines[1:-1]
    if len(lines) != 1:
        return None
    return _make_statement_edit(statement, locator, lines[0].strip(), is_asm)


def _make_statement_edit(
    statement: Candidate, locator: Locator, line: str, is_asm: bool
) -> TextEdit | None:
    """Return the edit that replaces a statement, if the source has it literally, in one line."""
    location = locator.locate(0, len(statement.text))
    source = location.excerpt[slice(*location.span)]
    is_doubled = is_asm and "%%" in source
    decoded = source.replace("%%", "%") if is_doubled else source
    if decoded != statement.text or statement.text[-1] != ";" or len(source) != location.width:
        return None
    # without `%%` in the source, `%` stands before operands only, or is not an escape
    return TextEdit(location, format_for_asm(line) if is_doubled else line)


def _describe_overwritten_carry(ins: Instruction, scopes: CheckedScopes) -> str:
    """Describe the unread carry that an instruction overwrites; empty if none matters.

    Compilers write the carry of a sum's last word, too, and begin the next sum with a low word.
    """
    opcode = scopes.unread_carry_opcode
    begins_sum = not opcode.endswith("c")
    if not opcode or not (begins_sum or ".hi" in ins.mnemonic):
        return ""
    return f"`{ins.opcode}.cc` overwrites the carry of `{opcode}.cc`, which nothing has read"


def _describe_lost_sum_carry(ins: Instruction, scopes: CheckedScopes, guard: str) -> str:
    """Describe the carry that the word before an instruction's does not pass on; often empty."""
    ending, writer = scopes.ending_carry_opcode, scopes.find_carry_opcode(guard)
    if guard or not ending or not writer:
        return ""
    return (
        f"`{ins.opcode}` reads the carry of `{writer}.cc`, as the `{ending}` before it did: "
        f"without `.cc` that `{ending}` passes no carry on"
    )


def _ends_sum(ins: Instruction, verdict: CachedVerdict) -> bool:
    """Whether an instruction that reads a carry adds two words, and writes no carry.

    One that adds a constant, or a register to itself, may only keep the carry for later.
    """
    words = [x for role, x in ins.roles.items() if role in ("a", "b", "c")]
    is_sum = not ins.constants and len(set(map(str, words))) == len(words)
    return is_sum and not verdict.writes_carry and ins.guard is None


_FOREIGN_CARRY = (
    "this asm statement does not write the carry that `{}` reads: ptxas 13.0 keeps the carry "
    "of an `asm volatile` before it, but nothing guarantees this"
)


def _describe_lost_carry(ins: Instruction, scopes: CheckedScopes, guard: str) -> str:
    """Explain why the carry that an instruction reads is unwritten; empty if it may be written.

    A label may be reached from a statement that writes it, and a branch may let only threads
    pass for which the guard of the write holds.
    """
    if scopes.has_label:
        return ""
    if scopes.has_carry:
        if scopes.carry_guard in ("", guard) or scopes.has_branch:
            return ""
        return f"the carry that `{ins.opcode}` reads is written only under `{scopes.carry_guard}`"
    return f"no statement before this one writes the carry that `{ins.opcode}` reads"


_MAX_ACCEPTED_TYPES = 1 << 6


def _are_registers_accepted(
    scopes: CheckedScopes, verdict: CachedVerdict, registers: Sequence[str]
) -> bool:
    """Return whether the declarations of the registers are known to need no diagnostic."""
    if verdict.pick_registers is None or not registers:
        return False
    names = verdict.pick_registers(registers)
    types = scopes.list_types(names)
    if types is None:
        return False
    if types in verdict.accepted_types:
        return True
    fit = all(
        check_register(scopes, verdict.instruction, role, register, type_) is None
        for register, (role, _, type_) in zip(names, verdict.uses, strict=True)
    )
    if fit and len(verdict.accepted_types) < _MAX_ACCEPTED_TYPES:
        verdict.accepted_types.add(types)
    return fit


def _check_registers(
    statement: Candidate, verdict: CachedVerdict, registers: Sequence[str], locator: Locator
) -> Iterator[Diagnostic]:
    """Yield diagnostics about registers whose declarations do not fit."""
    spans: Mapping[str, Span] | None = None
    for role, name_template, type_ in verdict.uses:
        name = fill_template(name_template, registers)
        problem = check_register(statement.scopes, verdict.instruction, role, name, type_)
        if problem is None:
            continue
        if spans is None:
            instructions = (x.instruction for x in scan(statement.text))
            spans = next((ins.spans for ins in instructions if ins), {})
        span = spans.get(role) or spans.get("opcode") or (0, len(statement.text))
        yield Diagnostic(problem.kind.value, problem.message, locator.locate(*span), problem.hint)


def format_for_asm(line: str) -> str:
    """Return a line for an asm statement: ``%`` is doubled except before its operands."""
    return re.sub(r"%(?!\d)", "%%", line)


@cache
def _format_warning(id_: str) -> str:
    erratum = next(x for x in ERRATA if x.id == id_)
    return f"{id_}: with ptxas {erratum.versions} on {erratum.targets}: {erratum.sentence}"


def _find_version_problems(
    ins: Instruction,
    version: tuple[int, int],
    target: int,
    family: str,
    scopes: CheckedScopes,
    location: SourceLocation,
) -> Iterator[Diagnostic]:
    """Yield the reasons why a module's version or target lacks an instruction."""
    if family:
        version = max(version, FAMILIES[family].get(scopes.target or 0, version))
    if scopes.version is not None and scopes.version < version:
        present_text, required_text = ("{}.{}".format(*x) for x in (scopes.version, version))
        yield _make_too_old_diagnostic(ins, ".version", present_text, required_text, location)
    if family:
        if message := _find_family_problem(ins, family, scopes):
            yield Diagnostic("version", message, location)
    elif scopes.target is not None and scopes.target < target:
        present_text, required_text = f"sm_{scopes.target}", f"sm_{target}"
        yield _make_too_old_diagnostic(ins, ".target", present_text, required_text, location)


def _find_family_problem(ins: Instruction, family: str, scopes: CheckedScopes) -> str:
    """Explain why the target lacks an instruction of a family; empty if it has it."""
    number, suffix = scopes.target, scopes.target_suffix
    numbers = FAMILIES[family]
    if number is None or number > max(numbers) or (number in numbers and suffix):
        return ""
    return (
        f"`{_name_form(ins)}` needs .target {family} or another one of its family, with `a` or "
        f"`f`; this is sm_{number}{suffix}"
    )


def _name_form(ins: Instruction) -> str:
    """Return the opcode, with its modifiers if only some forms have the requirement."""
    has_own = any(x.applies_to(ins.form) for x in ins.entry.requirements)
    return ins.mnemonic if has_own else ins.opcode


def _find_carry_noun(opcode: str) -> str:
    """Return the meaning of the carry flag for an opcode: ``carry``, ``borrow``; empty for none."""
    return next((x.carry_noun for x in list_shapes(opcode) if x.carry_noun), "")


def _make_too_old_diagnostic(
    ins: Instruction,
    directive: str,
    present_text: str,
    required_text: str,
    location: SourceLocation,
) -> Diagnostic:
    name = f"{ins.opcode}.ftz" if ins.form.ftz and directive == ".version" else _name_form(ins)
    return Diagnostic(
        "version",
        f"`{name}` needs {directive} {required_text} or higher; this is {present_text}",
        location,
    )
