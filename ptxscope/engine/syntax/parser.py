"""Parsing of pasted text to Instructions, or to errors that point into the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from ..isa.catalog import CATALOG, find_entry, find_remarks, find_violations, get_entry, list_shapes
from ..isa.entry import Entry
from ..isa.types import Destinations, Form, Type
from . import tokens as syntax
from .errors import NotOneError, Problem, PtxError, Span, limit_problems, quote_word
from .instruction import Guard, Immediate, Instruction, Register
from .modifiers import ParsedModifiers
from .opcodes import (
    DISTINCT_OPCODES,
    OPCODES,
    OTHER_OPCODES,
    format_opcode_question,
    is_computing,
    is_misspelt,
    is_unchecked,
    looks_like_opcode,
    suggest_opcodes,
)
from .operands import ParsedOperands
from .source import Fragment
from .tokens import RawInstruction, Token, TokenGroupKind, TokenKind, find_statements


class Parsed(NamedTuple):
    """A statement that should be in the catalog: the instruction, or its problems."""

    instruction: Instruction | None
    problems: tuple[Problem, ...]
    span: Span


def find_pasted_fragments(text: str) -> Iterator[Fragment]:
    """Yield the PTX in a text, as ``find_fragments`` does, or of its calls of intrinsics."""
    if "__" not in text:
        if '"' not in text and "asm" not in text:
            return iter((Fragment(text),))
        from .asm_text import find_fragments  # loaded late: few texts are C

        return find_fragments(text)
    from .intrinsic_calls import find_call_fragments  # few texts have any

    return find_call_fragments(text)


def parse(text: str) -> Instruction:
    """Parse the one instruction in a text.

    Guards, comments, labels, declarations and other instructions may surround it; the text may be
    an ``asm`` statement or adjacent string literals. A note lists the ignored statements. Raise
    PtxError if there is not exactly one instruction, or if it is illegal.
    """
    return parse_fragments(text, find_pasted_fragments)


FragmentReader = Callable[[str], Iterable[Fragment]]
"""Finds the PTX in a text."""


def parse_fragments(text: str, reader: FragmentReader) -> Instruction:
    """Parse the one instruction in the PTX that a reader finds, as ``parse`` does."""
    (instruction, *other_instructions) = parse_all(text, reader)
    start, end = instruction.spans["line"]
    if any(x.spans["line"] == (start, end) for x in other_instructions):
        opcodes = ", ".join(x.opcode for x in (instruction, *other_instructions))
        problem = Problem(f"this call needs several instructions: {opcodes}", (start, end))
        raise NotOneError(text, (problem,))
    if not (text[:start] + text[end:]).strip(_BLANK):
        return instruction
    other_spans = [
        *(ins.spans["line"] for ins in other_instructions),
        *_find_instructions_outside_asm(text),
    ]
    if other_spans:
        message = f"there are {len(other_spans) + 1} instructions here, not one"
        raise NotOneError(text, (Problem(message, min(other_spans)),))
    ignored = [
        statement
        for fragment in find_pasted_fragments(text)
        for statement in _iter_ignored_statements(text, fragment, instruction.spans["line"])
    ]
    if computing := next((x for x in ignored if x.is_computing), None):
        message = f"{quote_word(computing.text)} would be ignored, but it computes a register"
        hint = "one instruction alone, or several as a block"
        raise NotOneError(text, (Problem(message, computing.span, hint),))
    if not ignored:
        return instruction
    suffix = f" and {len(ignored) - 1} more" if len(ignored) > 1 else ""
    note = f"{OMISSION_PREFIX}{quote_word(ignored[0].text)}{suffix}"
    return replace(instruction, notes=(*instruction.notes, note))


def read_instruction(instruction: str | Instruction) -> Instruction:
    """Return the instruction, or parse a text. Raise PtxError, or TypeError for anything else."""
    return instruction if isinstance(instruction, Instruction) else parse(instruction)


_BLANK = " \t\r\n\f\v;"
OMISSION_PREFIX = "ignored text: "
"""The prefix of the note that names the ignored statements."""


def _find_instructions_outside_asm(text: str) -> Iterator[Span]:
    """Yield the spans of instructions outside the ``asm`` statements of a text."""
    from .asm_text import find_text_outside_asm

    for start, end in find_text_outside_asm(text):
        part = text[start:end]
        for statement in find_statements(part, OPCODES):
            parsed_statement = parse_statement(part, Fragment(part), statement)
            if parsed_statement and parsed_statement.instruction:
                yield parsed_statement.span[0] + start, parsed_statement.span[1] + start


class _IgnoredStatement(NamedTuple):
    """A statement next to the one instruction, or text that is not literal."""

    text: str
    span: Span
    is_computing: bool = False
    """Whether it computes a register, whose value the instruction may read."""


def _iter_ignored_statements(
    text: str, fragment: Fragment, instruction_span: Span
) -> Iterator[_IgnoredStatement]:
    words = syntax.tokenize(fragment.ptx)
    for item in syntax.group_tokens(fragment.ptx, words, OPCODES, fragment.gaps):
        if item.kind is TokenGroupKind.GAP:
            start, end = words[item.start].span
            span = fragment.find_origin(start, end)
            from .asm_text import is_condition

            if not is_condition(text[slice(*span)]):
                yield _IgnoredStatement(_join_words(fragment.describe(start, end, text)), span)
        elif item.kind is TokenGroupKind.STATEMENT:
            statement = syntax.read_raw_instruction(fragment.ptx, words, item)
            opcode, modifiers = statement.opcode.text, statement.modifier_names
            is_read = opcode in OPCODES and not is_unchecked(opcode, modifiers)
            span = fragment.find_origin(*statement.span)
            if not is_read and span != instruction_span:
                written = _join_words(fragment.describe(*statement.span, text))
                yield _IgnoredStatement(written, span, is_computing(opcode, modifiers))


def _join_words(text: str) -> str:
    return " ".join(text.split())


def parse_all(text: str, reader: FragmentReader = find_pasted_fragments) -> tuple[Instruction, ...]:
    """Parse every instruction of the catalog in a text, in order.

    Raise PtxError if none exists, or if one is illegal.
    """
    if not isinstance(text, str):
        raise TypeError(f"PTX must be text, not {type(text).__name__}")
    parsed_statements = list(scan(text, reader))
    if not parsed_statements:
        raise _make_empty_error(text)
    problems = tuple(problem for item in parsed_statements for problem in item.problems)
    if problems:
        raise PtxError(text, problems)
    return tuple(item.instruction for item in parsed_statements if item.instruction)


def scan(text: str, reader: FragmentReader = find_pasted_fragments) -> Iterator[Parsed]:
    """Yield every statement of a text that is, or likely should be, an instruction of the catalog.

    Common instructions, such as ``add.u32``, count only if there are no others, or if they come
    from the call of an intrinsic.
    """
    common, is_found = list[tuple[Fragment, RawInstruction]](), False
    for fragment in reader(text):
        if fragment.problems:
            is_found = True
            yield Parsed(None, fragment.problems, fragment.problems[0].span)
        for statement in find_statements(fragment.ptx, OPCODES, fragment.gaps):
            parsed_statement = (
                parse_known_statement(text, fragment, statement)
                if fragment.call_span
                else parse_statement(text, fragment, statement)
            )
            if parsed_statement:
                is_found = True
                yield parsed_statement
            elif not is_found and find_statement_entry(statement):
                common.append((fragment, statement))
    for fragment, statement in () if is_found else common:
        if fragment.find_gap(*statement.span) is None:
            yield parse_known_statement(text, fragment, statement)


def find_statement_entry(statement: RawInstruction) -> Entry | None:
    """Return the catalog entry of a statement, or None."""
    return find_entry(statement.opcode.text, statement.modifier_names)


def parse_statement(text: str, fragment: Fragment, statement: RawInstruction) -> Parsed | None:
    """Parse a statement of a text; return None if it is not an instruction of the catalog."""
    gap = fragment.find_gap(*statement.span) if fragment.gaps else None
    if gap is not None:
        return _parse_partial_statement(fragment, statement, gap)
    if is_unchecked(statement.opcode.text, statement.modifier_names):
        return None
    if statement.opcode.text in OPCODES:
        return parse_known_statement(text, fragment, statement)
    if (
        statement.opcode.kind is TokenKind.NAME
        and statement.modifiers
        and is_misspelt(statement.opcode.text)
    ):
        problem = _make_opcode_problem(statement, fragment)
        return Parsed(None, (problem,), fragment.find_origin(*statement.span))
    return _parse_bad_guard(fragment, statement)


def parse_common_statement(
    text: str, fragment: Fragment, statement: RawInstruction
) -> Instruction | None:
    """Parse an instruction that ``parse_statement`` skips as common; None if it is illegal."""
    entry = find_statement_entry(statement)
    if entry is None or not entry.is_common:
        return None
    return parse_known_statement(text, fragment, statement, entry).instruction


NOT_LITERAL = (
    "part of this statement is a macro, an expression or a preprocessor line; it is not checked"
)


def _parse_partial_statement(
    fragment: Fragment, statement: RawInstruction, gap: int
) -> Parsed | None:
    """Report a statement with a gap as unread if it may be an instruction of the catalog."""
    opcode = statement.opcode
    name = opcode.text
    if opcode.end in fragment.gaps and not statement.modifiers:
        if not any(spelling.startswith(name) for spelling in DISTINCT_OPCODES):
            return None
    elif opcode.start != gap and not looks_like_opcode(name):
        return None
    if is_unchecked(name, statement.modifier_names):
        return None
    problem = Problem(NOT_LITERAL, fragment.find_origin(*opcode.span), unread=True)
    return Parsed(None, (problem,), fragment.find_origin(*statement.span))


def _parse_bad_guard(fragment: Fragment, statement: RawInstruction) -> Parsed | None:
    """Report an instruction of the catalog after an ``@`` with more than a predicate."""
    start = statement.span[0]
    if not fragment.ptx.startswith("@", start) or statement.opcode.text in OTHER_OPCODES:
        return None
    for operand in statement.operands:
        for word, next_word in pairwise(operand):
            if _is_opcode(word, next_word):
                prefix = " ".join(fragment.ptx[start : word.start].split())
                span = fragment.find_origin(
                    start, start + len(fragment.ptx[start : word.start].rstrip())
                )
                problem = Problem(f"{quote_word(prefix)} is not a guard", span, "@p or @!p")
                return Parsed(None, (problem,), fragment.find_origin(*statement.span))
    return None


def _is_opcode(word: Token, next_word: Token) -> bool:
    if word.text in DISTINCT_OPCODES:
        return next_word.kind in (TokenKind.DOTTED, TokenKind.NAME)
    return (
        word.kind is TokenKind.NAME
        and next_word.kind is TokenKind.DOTTED
        and is_misspelt(word.text)
    )


def _make_empty_error(text: str) -> PtxError:
    """Return the error for a text without an instruction of the catalog."""
    if "__" in text:
        from .intrinsic_calls import find_problem_around_call  # as in find_pasted_fragments

        if call_problem := find_problem_around_call(text):
            return PtxError(text, (call_problem,))
    for fragment in find_pasted_fragments(text):
        for statement in find_statements(fragment.ptx, OPCODES, fragment.gaps):
            return PtxError(text, (_make_opcode_problem(statement, fragment),))
    span = (0, len(text.rstrip()))
    problem = Problem("there is no instruction here", span, "one of " + " ".join(CATALOG))
    return NotOneError(text, (problem,))


def _list_types(opcode: str) -> str:
    """Return the types that an opcode has in the catalog: ``.u16 .u32 .u64``."""
    shapes = sorted(list_shapes(opcode), key=lambda x: bool(x.distinguishing_modifiers))
    slots = (slot for entry in shapes for slot in entry.slots)
    types = (value for slot in slots for value in slot.values if isinstance(value, Type))
    return " ".join(f".{type_}" for type_ in dict.fromkeys(types))


def _make_opcode_problem(statement: RawInstruction, fragment: Fragment) -> Problem:
    opcode = statement.opcode
    span = fragment.find_origin(*opcode.span)
    if not opcode.text:
        return Problem("an instruction is missing after the guard", span, " ".join(CATALOG))
    if opcode.text in CATALOG:
        types = "".join(word.text for word in statement.modifiers)
        message = f"`{opcode.text}{types}` is a PTX instruction that ptxscope does not explain"
        hint = f"`{opcode.text}` with {_list_types(opcode.text)}"
        return Problem(message, span, hint, unread=True)
    if opcode.text in OTHER_OPCODES:
        message = f"`{opcode.text}` is a PTX instruction that ptxscope does not explain"
        return Problem(message, span, " ".join(CATALOG), unread=True)
    suggestions = suggest_opcodes(opcode.text)
    suggestions = tuple(x for x in suggestions if _fits(x, statement, fragment)) or suggestions
    message = f"{quote_word(opcode.text)} is not an instruction"
    if suggestions:
        message += f"; {format_opcode_question(suggestions)}"
    if opcode.text in ("varvg2", "varvg4"):
        message += " (the PTX ISA's target notes misspell it)"
    return Problem(message, span, " ".join(suggestions or CATALOG), next(iter(suggestions), None))


def _fits(name: str, statement: RawInstruction, fragment: Fragment) -> bool:
    """Whether a statement would be legal with another opcode."""
    named = statement._replace(opcode=statement.opcode._replace(text=name))
    entry = find_statement_entry(named)
    return entry is not None and not parse_known_statement("", fragment, named, entry).problems


def parse_known_statement(
    text: str, fragment: Fragment, statement: RawInstruction, entry: Entry | None = None
) -> Parsed:
    """Parse a statement with the opcode of an entry, which by default its modifiers determine."""
    entry = entry or find_statement_entry(statement)
    assert entry
    end = (statement.modifiers[-1] if statement.modifiers else statement.opcode).end
    mods = ParsedModifiers(entry)
    mods.parse_modifiers(statement.modifiers, end)
    partial = Form(entry.opcode, **mods.values)  # type: ignore[arg-type]
    ops = ParsedOperands(entry, partial)
    ops.parse_operands(statement)
    problems = [*statement.problems, *mods.problems, *ops.problems]
    form = partial._replace(**ops.values)  # type: ignore[arg-type]
    if _is_field_outside(entry, form, ops):
        form = form._replace(is_field_outside=True)
    form = _with_one_width(form, ops)
    spans = {"opcode": statement.opcode.span, **mods.spans, **ops.spans, "line": statement.span}
    if statement.guard:
        spans["guard"] = statement.guard.span
    violations = find_violations(form)
    unsure_slots = _find_unsure_slots(entry, mods, ops) if violations else set[str]()
    for constraint in violations:
        if not unsure_slots & set(constraint.slots):
            problem_span = spans.get(constraint.blamed_slot, (statement.span[1], statement.span[1]))
            message = constraint.message.format(f=form)
            problems.append(Problem(message, problem_span, constraint.allowed(form)))
    line = fragment.call_span or fragment.find_origin(*statement.span)
    if not problems:
        guard = None
        if statement.guard:
            guard = Guard(statement.guard.text, statement.is_guard_negated)
        call_notes = fragment.notes if fragment.call_span else ()
        instruction = Instruction(
            form,
            ops.destinations,
            tuple(ops.sources),
            guard,
            text,
            {part: fragment.find_origin(*span) for part, span in spans.items()} | {"line": line},
            (*call_notes, *mods.notes, *ops.notes, *_iter_notes(form, guard, ops)),
        )
        if fragment.constants:
            instruction = instruction.with_constants(fragment.constants)
        problems = list(_find_register_conflicts(instruction, spans))
        if not problems:
            return Parsed(instruction, (), line)
    shown_problems = limit_problems(problems, mods.unknown_count)
    return Parsed(
        None, tuple(p._replace(span=fragment.find_origin(*p.span)) for p in shown_problems), line
    )


def _is_field_outside(entry: Entry, form: Form, ops: ParsedOperands) -> bool:
    """Whether ``bfe`` reads a register's field whose literals begin above its top bit."""
    match ops.sources:
        case [Register(), Immediate(position), Immediate(length)]:
            if form.stype and entry.get_operand("b").literal_range:
                return position >= form.stype.bits and length > 0
    return False


def _with_one_width(form: Form, ops: ParsedOperands) -> Form:
    """Return a ``cvt``; a register that is both source and destination is as wide as both types."""
    written, read = form.converted_type, form.unconverted_type
    match ops.destinations, ops.sources:
        case [name], [Register(other)] if name == other and written and read:
            if written.bits < read.bits:
                return form._replace(written_bits=read.bits)
            if read.bits < written.bits:
                return form._replace(read_bits=written.bits)
    return form


def _find_unsure_slots(entry: Entry, mods: ParsedModifiers, ops: ParsedOperands) -> set[str]:
    """Return the slots whose value is unknown because of an error."""
    written_slots = mods.spans.keys() | ops.spans.keys()
    values = mods.values.keys() | ops.values.keys()
    unsure_slots = {slot.name for slot in entry.slots if not slot.is_optional} | set(written_slots)
    if any(problem.span[0] == problem.span[1] for problem in ops.problems):
        unsure_slots.add("c")
    return unsure_slots - values


def _iter_notes(form: Form, guard: Guard | None, ops: ParsedOperands) -> Iterator[str]:
    for remark in find_remarks(form):
        yield remark.text
    c = ops.sources[2] if len(ops.sources) > 2 else None
    if isinstance(c, Immediate) and get_entry(form).get_operand("c").type is Type.PRED:
        yield "a literal as the predicate c is not documented; ptxas accepts it"
    if form.dst is Destinations.P_Q and len(set(ops.destinations)) == 1:
        yield (
            "both destinations are one register: ptxas (11.8 to 13.5) writes the first, p, and "
            "drops the second, q; the manual does not say which is kept"
        )
    if isinstance(c, Immediate):
        # imported late: few lines have a constant c
        from .constants import format_folding_note

        if note := format_folding_note(form, ops.sources, c.bits):
            yield note
    if guard and form.dst is Destinations.SINK_Q:
        yield CRASHES[0]
    if guard and form.dst is Destinations.SINK:
        yield CRASHES[1]


CRASHES = (
    "a guarded `setp` with `_|q` crashes ptxas 11.8 to 13.5; it is legal nevertheless",
    "a guarded `setp` with a lone `_` crashes ptxas 11.8 to 13.5",
)
"""The notes on legal instructions that crash the assembler."""


def _repeats_register(instruction: Instruction) -> bool:
    """Return whether an instruction names a register twice."""
    names = [x for x in instruction.destinations if x is not None]
    names += [x.name for x in instruction.sources if isinstance(x, Register)]
    names += [instruction.guard.name] if instruction.guard else []
    return len(set(names)) < len(names)


def _find_register_conflicts(instruction: Instruction, spans: dict[str, Span]) -> Iterator[Problem]:
    """Yield a problem for each name used for registers of different widths."""
    if not _repeats_register(instruction):
        return
    widths: dict[str, Type] = {}
    uses = [(name, role) for role, name in instruction.results.items()]
    uses += [(x.name, role) for role, x in instruction.roles.items() if isinstance(x, Register)]
    if instruction.guard:
        uses.append((instruction.guard.name, "guard"))
    for name, role in uses:
        type_ = instruction.type_of(role)
        first_type = widths.setdefault(name, type_)
        if first_type.bits != type_.bits:
            kinds = [
                "a predicate" if t is Type.PRED else f"a {t.bits}-bit register"
                for t in (first_type, type_)
            ]
            yield Problem(
                f"{quote_word(name)} can't be both {kinds[0]} and {kinds[1]}", spans[role]
            )
