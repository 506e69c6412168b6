"""Pasted text to Instructions, or to errors that point into the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from ..isa.catalog import CATALOG, find_entry, get_entry
from ..isa.entry import Entry
from ..isa.form import Form
from ..isa.legality import find_remarks, find_violations
from ..isa.types import Destinations, Type
from ..records import NamedTuple, replace
from . import modifiers, operands
from . import tokens as syntax
from .errors import (
    NotOneError,
    Problem,
    PtxError,
    Span,
    find_closest_spelling,
    limit_problems,
    quote_word,
)
from .instruction import Guard, Immediate, Instruction, Register
from .opcodes import OPCODES, is_meant, is_misspelt, is_other_opcode
from .source import Fragment, find_fragments, find_text_outside_asm, is_condition
from .tokens import RawInstruction, Token, TokenGroupKind, TokenKind, find_statements


class Parsed(NamedTuple):
    """A statement that means to be one of the 27: an instruction, or what is wrong with it."""

    instruction: Instruction | None
    problems: tuple[Problem, ...]
    span: Span


def parse(text: str) -> Instruction:
    """The one instruction in a text.

    Guards, comments, labels, declarations and other instructions may stand around it; the
    text may be an ``asm`` statement or glued string literals. Which statements are left out is
    one of its notes. Raises PtxError where there is not exactly one, or where it is not legal.
    """
    return parse_fragments(text, find_fragments)


FragmentReader = Callable[[str], Iterable[Fragment]]
"""Finds the PTX in a text."""


def parse_fragments(text: str, reader: FragmentReader) -> Instruction:
    """The one instruction in the PTX that a reader finds; the same as ``parse``."""
    (first, *more) = parse_all(text, reader)
    start, end = first.spans["line"]
    if not (text[:start] + text[end:]).strip(_BLANK):
        return first
    others = [*(ins.spans["line"] for ins in more), *_find_instructions_outside_asm(text)]
    if others:
        message = f"there are {len(others) + 1} instructions here; one is wanted"
        raise NotOneError(text, (Problem(message, min(others)),))
    return replace(first, notes=(*first.notes, *_iter_omission_notes(text)))


def read(instruction: str | Instruction) -> Instruction:
    """An instruction, or the one in a text. Raises PtxError, and TypeError for anything else."""
    return instruction if isinstance(instruction, Instruction) else parse(instruction)


_BLANK = " \t\r\n\f\v;"
OMISSION_PREFIX = "what stands beside it is left out: "
"""How the note begins that names what was not read as the instruction."""


def _find_instructions_outside_asm(text: str) -> Iterator[Span]:
    """Instructions in a text that are in none of its ``asm`` statements."""
    for start, end in find_text_outside_asm(text):
        part = text[start:end]
        for found in find_statements(part, OPCODES):
            parsed = resolve(part, Fragment(part), found)
            if parsed and parsed.instruction:
                yield parsed.span[0] + start, parsed.span[1] + start


def _iter_omission_notes(text: str) -> Iterator[str]:
    """The statements that are none of the 27, and are not computed; and what is no literal."""
    others = [other for fragment in find_fragments(text) for other in _list_others(text, fragment)]
    if others:
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        yield f"{OMISSION_PREFIX}{quote_word(' '.join(others[0].split()))}{more}"


def _list_others(text: str, fragment: Fragment) -> Iterator[str]:
    words = syntax.tokenize(fragment.ptx)
    for item in syntax.group_tokens(fragment.ptx, words, OPCODES, fragment.gaps):
        if item.part is TokenGroupKind.GAP:
            start, end = words[item.start].span
            if not is_condition(text[slice(*fragment.find_origin(start, end))]):
                yield fragment.describe(start, end, text)
        elif item.part is TokenGroupKind.STATEMENT:
            found = syntax.read_raw_instruction(fragment.ptx, words, item)
            if found.opcode.text not in OPCODES or _is_half(found):
                yield fragment.describe(*found.span, text)


def parse_all(text: str, reader: FragmentReader = find_fragments) -> tuple[Instruction, ...]:
    """Every one of the 27 in a text, in order; at least one. Raises PtxError."""
    if not isinstance(text, str):
        raise TypeError(f"PTX is given as text, not as {type(text).__name__}")
    parsed = list(scan(text, reader))
    if not parsed:
        raise _make_empty_error(text)
    problems = tuple(problem for item in parsed for problem in item.problems)
    if problems:
        raise PtxError(text, problems)
    return tuple(item.instruction for item in parsed if item.instruction)


def scan(text: str, reader: FragmentReader = find_fragments) -> Iterator[Parsed]:
    """Every statement of a text that is, or was likely meant to be, one of the 27."""
    for fragment in reader(text):
        if fragment.problems:
            yield Parsed(None, fragment.problems, fragment.problems[0].span)
        for written in find_statements(fragment.ptx, OPCODES, fragment.gaps):
            found = resolve(text, fragment, written)
            if found:
                yield found


def resolve(text: str, fragment: Fragment, written: RawInstruction) -> Parsed | None:
    """What a statement of a text says; None where it does not mean to be one of the 27."""
    gap = fragment.find_gap(*written.span) if fragment.gaps else None
    if gap is not None:
        return _resolve_partial(fragment, written, gap)
    if _is_half(written):
        return _parse_half_statement(fragment, written)
    if written.opcode.text in OPCODES:
        return _resolve(text, fragment, written)
    if (
        written.opcode.kind is TokenKind.NAME
        and written.modifiers
        and is_misspelt(written.opcode.text)
    ):
        problem = _make_opcode_problem(written, fragment)
        return Parsed(None, (problem,), fragment.find_origin(*written.span))
    return _parse_bad_guard(fragment, written)


NOT_LITERAL = (
    "part of this statement is a macro, an expression or a preprocessor line; it is not checked"
)


def _resolve_partial(fragment: Fragment, written: RawInstruction, gap: int) -> Parsed | None:
    """A statement with a gap, where it is or may be one of the 27."""
    opcode = written.opcode
    name = opcode.text
    if opcode.end in fragment.gaps and not written.modifiers:
        if not any(known.startswith(name) for known in OPCODES):
            return None
    elif opcode.start != gap and not is_meant(name):
        return None
    problem = Problem(NOT_LITERAL, fragment.find_origin(*opcode.span), unread=True)
    return Parsed(None, (problem,), fragment.find_origin(*written.span))


def _parse_bad_guard(fragment: Fragment, written: RawInstruction) -> Parsed | None:
    """One of the 27 behind an ``@`` and more than a predicate."""
    start = written.span[0]
    if not fragment.ptx.startswith("@", start) or is_other_opcode(written.opcode.text):
        return None
    for operand in written.operands:
        for word, behind in pairwise(operand):
            if _is_opcode(word, behind):
                before = " ".join(fragment.ptx[start : word.start].split())
                span = fragment.find_origin(
                    start, start + len(fragment.ptx[start : word.start].rstrip())
                )
                problem = Problem(f"{quote_word(before)} is no guard", span, "@p or @!p")
                return Parsed(None, (problem,), fragment.find_origin(*written.span))
    return None


def _is_opcode(word: Token, behind: Token) -> bool:
    if word.text in OPCODES:
        return behind.kind in (TokenKind.DOTTED, TokenKind.NAME)
    return (
        word.kind is TokenKind.NAME and behind.kind is TokenKind.DOTTED and is_misspelt(word.text)
    )


_HALVES = frozenset((".f16", ".f16x2", ".bf16", ".bf16x2"))


def _is_half(statement: RawInstruction) -> bool:
    """Whether it is a ``set`` or ``setp`` of PTX ISA 9.7.7: other instructions of those names."""
    return statement.opcode.text in ("set", "setp") and any(
        word.text in _HALVES for word in statement.modifiers
    )


def _parse_half_statement(fragment: Fragment, statement: RawInstruction) -> Parsed:
    message = "half-precision `set` and `setp` are not known here; this is not checked"
    whole = Problem(message, (statement.opcode.start, statement.span[1]), unread=True)
    told = limit_problems(statement.problems) or (whole,)
    line = fragment.find_origin(*statement.span)
    return Parsed(None, tuple(p._replace(span=fragment.find_origin(*p.span)) for p in told), line)


def _make_empty_error(text: str) -> PtxError:
    """What is wrong with a text that holds none of the 27."""
    for fragment in find_fragments(text):
        for written in find_statements(fragment.ptx, OPCODES, fragment.gaps):
            return PtxError(text, (_make_opcode_problem(written, fragment),))
    span = (0, len(text.rstrip()))
    problem = Problem("there is no instruction here", span, "one of " + " ".join(CATALOG))
    return NotOneError(text, (problem,))


def _make_opcode_problem(written: RawInstruction, fragment: Fragment) -> Problem:
    opcode = written.opcode
    at = fragment.find_origin(*opcode.span)
    if not opcode.text:
        return Problem("an instruction is missing behind the guard", at, " ".join(CATALOG))
    if is_other_opcode(opcode.text):
        message = f"`{opcode.text}` is a PTX instruction, but none of the 27 that ptxscope explains"
        return Problem(message, at, " ".join(CATALOG), unread=True)
    close = find_closest_spelling(opcode.text, list(CATALOG))
    message = f"{quote_word(opcode.text)} is not an instruction" + (
        f"; did you mean `{close}`?" if close else ""
    )
    if opcode.text in ("varvg2", "varvg4"):
        message += " (the PTX ISA's target notes misspell it)"
    return Problem(message, at, " ".join(CATALOG), close)


def _resolve(text: str, fragment: Fragment, written: RawInstruction) -> Parsed:
    entry = find_entry(written.opcode.text, [word.text[1:] for word in written.modifiers])
    assert entry
    end = (written.modifiers[-1] if written.modifiers else written.opcode).end
    mods = modifiers.resolve(entry, written.modifiers, end)
    partial = Form(entry.opcode, **mods.values)  # type: ignore[arg-type]
    ops = operands.resolve(entry, written, partial)
    problems = [*written.problems, *mods.problems, *ops.problems]
    form = partial._replace(**ops.values)  # type: ignore[arg-type]
    spans = {"opcode": written.opcode.span, **mods.spans, **ops.spans, "line": written.span}
    if written.guard:
        spans["guard"] = written.guard.span
    unsure = _find_unsure_slots(entry, mods, ops)
    for constraint in find_violations(form):
        if not unsure & set(constraint.slots):
            at = spans.get(constraint.blamed_slot, (written.span[1], written.span[1]))
            message = constraint.message.format(f=form)
            problems.append(Problem(message, at, constraint.allowed(form)))
    line = fragment.find_origin(*written.span)
    if not problems:
        guard = None
        if written.guard:
            guard = Guard(written.guard.text, written.guard_negated)
        instruction = Instruction(
            form,
            ops.destinations,
            tuple(ops.sources),
            guard,
            text,
            {part: fragment.find_origin(*span) for part, span in spans.items()},
            (*mods.notes, *ops.notes, *_iter_notes(form, guard, ops)),
        )
        problems = list(_register_conflicts(instruction, spans))
        if not problems:
            return Parsed(instruction, (), line)
    told = limit_problems(problems, mods.more)
    return Parsed(None, tuple(p._replace(span=fragment.find_origin(*p.span)) for p in told), line)


def _find_unsure_slots(
    entry: Entry, mods: modifiers.ParsedModifiers, ops: operands.ParsedOperands
) -> set[str]:
    """The slots whose value is not known, because something is wrong with them."""
    seen = mods.spans.keys() | ops.spans.keys()
    values = mods.values.keys() | ops.values.keys()
    unsure = {slot.name for slot in entry.slots if not slot.is_optional} | set(seen)
    if any(problem.span[0] == problem.span[1] for problem in ops.problems):
        unsure.add("c")
    return unsure - values


def _iter_notes(form: Form, guard: Guard | None, ops: operands.ParsedOperands) -> Iterator[str]:
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
        from .constant_folding import format_folding_note  # few lines have a constant c

        if said := format_folding_note(form, ops.sources, c.bits):
            yield said
    if guard and form.dst is Destinations.SINK_Q:
        yield CRASHES[0]
    if guard and form.dst is Destinations.SINK:
        yield CRASHES[1]


CRASHES = (
    "a guarded `setp` with `_|q` crashes ptxas 11.8 to 13.5; it is legal all the same",
    "a guarded `setp` with a lone `_` crashes ptxas 11.8 to 13.5",
)
"""The notes on legal instructions that crash the assembler."""


def _register_conflicts(instruction: Instruction, spans: dict[str, Span]) -> Iterator[Problem]:
    """One name used for registers of different widths."""
    widths: dict[str, Type] = {}
    uses = [(name, role) for role, name in instruction.results.items()]
    uses += [(x.name, role) for role, x in instruction.roles.items() if isinstance(x, Register)]
    if instruction.guard:
        uses.append((instruction.guard.name, "guard"))
    for name, role in uses:
        type_ = instruction.type_of(role)
        first = widths.setdefault(name, type_)
        if first.bits != type_.bits:
            kinds = [
                "a predicate" if t is Type.PRED else f"a {t.bits}-bit register"
                for t in (first, type_)
            ]
            yield Problem(
                f"{quote_word(name)} can't be both {kinds[0]} and {kinds[1]}", spans[role]
            )
