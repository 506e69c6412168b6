"""Diagnostics about the operands of an asm statement, for all of its instructions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from ...engine.isa.types import Type
from ...engine.syntax.asm_operands import AsmOperands, find_doubled_percent, find_escaped_registers
from ...engine.syntax.errors import Span, quote_word
from ...engine.syntax.opcodes import ALL_OPCODES, OPCODES
from ...engine.syntax.operands import NAMED_OPERAND_MESSAGE, NUMBERED_OPERANDS
from ...engine.syntax.scopes import Scopes
from ...engine.syntax.tokens import (
    RawInstruction,
    Token,
    TokenGroup,
    TokenGroupKind,
    group_tokens,
    read_raw_instruction,
    tokenize,
)
from ...sources.embedded_ptx import EmbeddedPtx
from ...sources.source_location import SourceLocation
from .asm_flow import find_flow_problems
from .check_rules import Severity
from .checked_scopes import CheckedScopes
from .diagnostic import CheckedInstruction, Diagnostic, make_edit
from .placeholders import (
    find_named_operand,
    find_refused_literals,
    find_special_registers,
    format_constraint,
    has_unknown_value,
    is_modified,
)
from .register_uses import check_uses
from .statement_checks import Locator


def make_outer_locator(piece: EmbeddedPtx) -> Locator:
    """Return a locator for the text that encloses a piece of PTX."""
    return piece._replace(fragments=piece.fragments[1:]).make_locator(0)


def find_local_declarations(pieces: Iterable[EmbeddedPtx]) -> Set[int]:
    """Return the positions of each ``.reg`` in a block that its own asm statement ends.

    A name that it declares is unknown after the block, and in other asm statements.
    """
    local_positions, other_positions = set[int](), set[int]()
    for piece in pieces:
        if piece.operands is None or piece.gaps or ".reg" not in piece.ptx:
            continue
        fragment, open_blocks = piece.flatten(), [set[int]()]
        for word in tokenize(piece.ptx):
            if word.text == ".reg":
                open_blocks[-1].add(fragment.find_origin(word.start, word.end)[0])
            elif word.text == "{":
                open_blocks.append(set())
            elif word.text == "}" and len(open_blocks) > 1:
                local_positions |= open_blocks.pop()
        other_positions.update(*open_blocks)
    return local_positions - other_positions


class AsmFinding(NamedTuple):
    """A diagnostic about a statement of an asm statement."""

    statement: RawInstruction
    diagnostic: Diagnostic


def check_asm(
    piece: EmbeddedPtx, elsewhere: Scopes, checked_starts: Set[int]
) -> Iterator[AsmFinding]:
    """Yield diagnostics about the operands of an asm statement without gaps.

    ``elsewhere`` has the registers that the file declares, ``checked_starts`` the positions of the
    statements that are checked already, except for the order of their accesses. There are no
    diagnostics about the assembly of another processor.
    """
    operands, text = piece.operands, piece.ptx
    if operands is None:
        return
    words = tokenize(text)
    groups = list(group_tokens(text, words, OPCODES))
    statements = [
        read_raw_instruction(text, words, group)
        for group in groups
        if group.kind is TokenGroupKind.STATEMENT
    ]
    if not _is_ptx(statements):
        return
    locator = piece.make_locator(0)
    for statement, scopes, former_names in _iter_scoped(piece, elsewhere, words, groups):
        if statement.span[0] not in checked_starts:
            for diagnostic in (
                *check_placeholders(piece, operands, statement.span, scopes),
                *check_uses(statement, scopes, locator, former_names),
            ):
                yield AsmFinding(statement, diagnostic)
    if next(find_escaped_registers(operands, piece.fragments[0]), None):
        return  # operands have these names
    for finding in find_flow_problems(text, words, groups, operands):
        constraint = finding.constraint
        place, former = _find_constraint(piece, operands, finding.operand)
        fix = make_edit(place, former, constraint) if place else None
        has_hint = constraint and (fix or operands.is_braced)
        hint = format_constraint(operands, finding.operand, constraint) if has_hint else ""
        location = locator.locate(*finding.register.span)
        lines = (place.line,) if place else ()
        diagnostic = Diagnostic(
            finding.rule, finding.message, location, hint, fix, constraint_lines=lines
        )
        yield AsmFinding(finding.statement, diagnostic)


def _iter_scoped(
    piece: EmbeddedPtx, elsewhere: Scopes, words: list[Token], groups: Iterable[TokenGroup]
) -> Iterator[tuple[RawInstruction, CheckedScopes, Set[str]]]:
    """Yield the statements, the declarations up to each, and the names of blocks before it."""
    former_names = set[str]()
    is_closed = piece.operands is not None and piece.operands.number is not None
    scopes = CheckedScopes(piece.registers, elsewhere, is_closed=is_closed)
    scopes.address_bits = elsewhere.address_bits
    for group in groups:
        match group.kind:
            case TokenGroupKind.STATEMENT:
                yield read_raw_instruction(piece.ptx, words, group), scopes, former_names
            case TokenGroupKind.DIRECTIVE:
                scopes.read_directives(words[group.start : group.end])
            case TokenGroupKind.BLOCK_START:
                scopes.open_scope()
            case TokenGroupKind.BLOCK_END:
                former_names |= scopes.scope.names.keys() - (piece.registers or {}).keys()
                scopes.close_scope()


def check_placeholders(
    piece: EmbeddedPtx, operands: AsmOperands, statement: Span, scopes: CheckedScopes
) -> Iterator[Diagnostic]:
    """Yield diagnostics about the placeholders and registers of a statement, given by its range."""
    inner, locator = piece.fragments[0], piece.make_locator(0)
    for name, message, span in operands.find_unmatched_placeholders(inner, *statement):
        if piece.registers or not scopes.find_declaration(name):
            location = locator.locate(*span)
            fix = make_edit(location, name, f"%{name}") if is_modified(name) else None
            yield Diagnostic("undeclared", message, location, fix=fix)
    for name, span in () if piece.gaps else find_escaped_registers(operands, inner, *statement):
        declaration = scopes.find_declaration(name)
        if not declaration or declaration.is_operand:
            message = f"{quote_word(name)} is not declared, and `%%` does not make it an operand"
            yield Diagnostic("undeclared", message, locator.locate(*span), quote_word(name))
    for name, span in find_special_registers(operands, inner, *statement):
        message = (
            f"nvcc 13.0 accepts {quote_word(name)} in an asm statement with operands, clang does "
            "not; double its `%`"
        )
        location = locator.locate(*span)
        fix = make_edit(location, name, f"%{name}")
        yield Diagnostic("note", message, location, f"%{name}", fix)
    if doubled_span := find_doubled_percent(operands, inner, *statement):
        name = piece.ptx[slice(*doubled_span)]
        register = quote_word(name)
        message = f"`%%` is not an escape in an asm statement without operands: write {register}"
        location = locator.locate(*doubled_span)
        fix = make_edit(location, f"%{name}", name)
        yield Diagnostic("illegal", message, location, register, fix)


def find_operand_notes(
    piece: EmbeddedPtx, operands: AsmOperands, statement: Span
) -> Iterator[Diagnostic]:
    """Yield notes on operands of a statement that nvcc refuses and other compilers accept."""
    inner, locator = piece.fragments[0], piece.make_locator(0)
    for message, span in find_refused_literals(operands, inner, *statement):
        yield Diagnostic("note", message, locator.locate(*span))
    if name_span := find_named_operand(operands, inner, *statement):
        yield Diagnostic(
            "note", NAMED_OPERAND_MESSAGE, locator.locate(*name_span), NUMBERED_OPERANDS
        )


def pass_over_unknown_values(item: CheckedInstruction, operands: AsmOperands) -> CheckedInstruction:
    """Return an instruction with notes in place of its errors if only values are unknown.

    This is the case if each of their places needs a literal, and the operand is an integer.
    """
    errors = [x for x in item.diagnostics if x.severity is Severity.ERROR]
    if not errors or not all(
        error.rule == "illegal"
        and has_unknown_value(operands, error.location.excerpt[slice(*error.location.span)])
        for error in errors
    ):
        return item
    message = "this must be a literal, but the value of the operand is not known: not checked"
    return item._replace(
        diagnostics=tuple(
            Diagnostic("unread", message, diagnostic.location)
            if diagnostic.severity is Severity.ERROR
            else diagnostic
            for diagnostic in item.diagnostics
        )
    )


def _is_ptx(statements: list[RawInstruction]) -> bool:
    """Return whether statements are PTX: all opcodes are known, and one has a type."""
    opcodes = (x.opcode.text for x in statements)
    return all(x in ALL_OPCODES for x in opcodes) and any(
        name in _TYPES for statement in statements for name in statement.modifier_names
    )


_TYPES = frozenset(
    ["pred", *(f"{kind}{bits}" for kind in "bsuf" for bits in (8, 16, 32, 64, 128)), *Type]
)


def _find_constraint(
    piece: EmbeddedPtx, operands: AsmOperands, name: str
) -> tuple[SourceLocation | None, str]:
    """Return the location of an operand's constraint, if it is one literal, and its text."""
    for expression in operands.expressions if name else ():
        start = expression.constraint_start
        if expression.name == name and start >= 0:
            locator = make_outer_locator(piece)
            start += operands.position
            place = locator.locate(start, start + len(expression.constraint))
            return place, expression.constraint
    return None, ""


_MINOR_OPERANDS = {"E16": 2, "E17": 1}
"""The errata that only large operands show, and the number of these, the last operands."""
_SMALL = re.compile(
    r"(?:\d++|sizeof\b.*|[A-Z][A-Z\d_]*+|k[A-Z]\w*+"  # a constant
    r"|.*[^*]\*\s*+\d{1,2}|\d{1,2}\s*+\*[^*]*+|.*<<\s*+[0-6]"
    r"|.*[^&][%&]\s*+(?:\d{1,3}|0x[\da-fA-F]{1,2}))[uU]?",
    re.ASCII,
)
"""An expression of C that is a constant, a product of a small number, or a remainder."""
_CALL = re.compile(r"(?<!sizeof)(?<=\w)\s*+\(", re.ASCII)
_MAX_EXPRESSION_CHARS = 200


def mark_minor_errata(
    item: CheckedInstruction, operands: AsmOperands | None, small_registers: Set[str]
) -> CheckedInstruction:
    """Return an instruction whose errata are minor if the operands concerned are small."""
    if not any(x.rule in _MINOR_OPERANDS for x in item.diagnostics):
        return item
    texts = {x.name: x.text for x in operands.expressions} if operands else {}
    texts |= dict.fromkeys(small_registers, "0")
    words = [x.strip() for x in item.ptx.rstrip(";").split(",")]

    def is_minor(rule: str) -> bool:
        count = _MINOR_OPERANDS.get(rule, 0)
        return count > 0 and all(_is_small(texts.get(x, x)) for x in words[-count:])

    return item._replace(
        diagnostics=tuple(x._replace(is_minor=is_minor(x.rule)) for x in item.diagnostics)
    )


def _is_small(expression: str) -> bool:
    """Return whether an expression is a sum of small terms, by its text."""
    if len(expression) > _MAX_EXPRESSION_CHARS or _CALL.search(expression):
        return False
    return all(_SMALL.fullmatch(x.strip("() \t\n")) for x in expression.split("+"))
