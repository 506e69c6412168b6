"""Operands that Python fills in: ``f"vadd4.u32.u32.u32 {d}, %r{a}, {b}, {c};"``.

Each field that stands for an operand, or for a part of a register's name, becomes a register, so
that the rest is checked. As it may stand for something else, a constant or several operands, only
faults of the opcode and its modifiers are then errors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from ...engine.syntax.parser import scan
from ...engine.syntax.source import GAP, TextFragment, iter_parts, join_fragments
from ...sources.embedded_ptx import EmbeddedPtx, PieceKind
from ...sources.source_location import SourceLocation
from .check_rules import Severity
from .diagnostic import CheckedInstruction, Diagnostic
from .suppressions import remove_diagnostics

_WORD = rf"(?>[%$A-Za-z_][\w$]*+|){GAP}[\w$]*+"
"""A field, maybe within a name."""
_OPERAND = re.compile(
    rf"(?:(?<=[,|\[{{(!-])|(?<=\s))(?P<hole>{_WORD})"
    r"(?=(?>\.[bhxyzw]\d{0,4}+|)\s*+[,;|\]})])"
    rf"|(?<=@)(?>\s*+!|)\s*+(?P<guard>{_WORD})(?=\s)",
    re.ASCII,
)
_ANONYMOUS = re.compile(r"\{\}|%(?!\()[^()]*+")
"""A field whose value may differ each time: ``{}``, ``%s``."""
_CONTEXT = re.compile(r"[\w,|\[{(!@-]\s*+\Z")
"""Text before an operand."""
_CONTEXT_CHARS = 80
_FIRST_NUMBER = 90_000
"""The number of the first register that stands for a field; no text has that many registers."""
_MAX_OPERANDS = 5
_DECLARATION_RULES = frozenset(("undeclared", "unseen", "register-type"))
_NAME = re.compile(r"%rl9\d{4,}+")


class FilledPiece(NamedTuple):
    """A piece with a register for each field that is an operand."""

    piece: EmbeddedPtx
    fields: Mapping[str, str]
    """The source text of each such register."""

    def restore_fields(self, text: str, *, is_code: bool = False) -> str:
        """Return a text with the fields as the source has them; in code, braces are doubled."""
        text = text.replace("{", "{{").replace("}", "}}") if is_code else text
        return _NAME.sub(lambda match: self.fields.get(match[0], match[0]), text)

    def drop_declarations(self, item: CheckedInstruction) -> CheckedInstruction:
        """Return an instruction without the diagnostics about declarations of such registers."""
        words = frozenset(self.fields.values())

        def is_about_field(x: Diagnostic) -> bool:
            word = x.location.excerpt[slice(*x.location.span)]
            return x.rule in _DECLARATION_RULES and word in words

        return remove_diagnostics(item, is_about_field)

    def holds_field(self, start: int, end: int) -> bool:
        """Return whether a range of the PTX has such a register."""
        match = _NAME.search(self.piece.ptx, start, end) if self.fields else None
        return match is not None and match[0] in self.fields


def fill_operand_fields(piece: EmbeddedPtx) -> FilledPiece:
    """Return a piece with registers for its fields in the places of operands."""
    inner, gaps, text = piece.fragments[0], frozenset(piece.gaps), piece.lines.text
    names, opcode_shift = dict[str, str](), 0
    """The registers by the source text that they stand for, with its position if it matters."""
    fields = dict[str, str]()
    parts, copied_end = list[TextFragment](), 0
    is_source = len(piece.fragments) == 1 and piece.kind is PieceKind.STRING
    for match in _OPERAND.finditer(inner.ptx) if gaps and is_source else ():
        position, word_end = match.span(match.lastgroup or 0)
        gap = inner.ptx.index(GAP, position)
        field = text[slice(*inner.find_origin(gap, gap + 1))]
        before = inner.ptx[max(position - _CONTEXT_CHARS, 0) : position]
        is_field = gap in gaps and (field[0], field[-1]) in (("{", "}"), ("%", field[-1]))
        if not is_field or not _CONTEXT.search(before):
            continue
        start, end = inner.find_origin(position, word_end)
        word = text[start:end]
        key = f"{word} {position}" if _ANONYMOUS.fullmatch(field) else word
        name = names.setdefault(key, f"%rl{_FIRST_NUMBER + len(names)}")
        fields[name] = word
        parts += iter_parts(inner, copied_end, position)
        parts.append((name, start, end - start))
        copied_end = word_end
        if piece.opcode_span and position < piece.opcode_span[0]:
            opcode_shift += len(name) - (word_end - position)
    if not names:
        return FilledPiece(piece, {})
    parts += iter_parts(inner, copied_end)
    filled = join_fragments(parts)._replace(problems=inner.problems)
    opcode_span = piece.opcode_span
    if opcode_span:
        opcode_span = (opcode_span[0] + opcode_shift, opcode_span[1] + opcode_shift)
    filled_piece = piece._replace(fragments=(filled,), opcode_span=opcode_span)
    return FilledPiece(filled_piece, fields)


def is_certain(item: CheckedInstruction, statement: str, operands: SourceLocation) -> bool:
    """Return whether an instruction with fields is wrong for any text in the fields.

    ``operands`` is the location at which its operands begin.
    """
    if item.is_legal:
        return True
    start = operands.line, operands.column
    return all(
        diagnostic.severity is not Severity.ERROR
        or (diagnostic.location.line, diagnostic.location.column + diagnostic.location.width)
        <= start
        for diagnostic in item.diagnostics
    ) and not any(_is_legal(statement, count) for count in range(1, _MAX_OPERANDS))


def _is_legal(statement: str, count: int) -> bool:
    """Return whether a statement is legal with this many more operands, which a field may hold."""
    longer_statement = f"{statement.rstrip(';')}{f', %rl{_FIRST_NUMBER - 1}' * count};"
    return any(x.instruction and not x.problems for x in scan(longer_statement))
