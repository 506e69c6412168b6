"""Operands that Python fills in: ``f"vadd4.u32.u32.u32 {d}, {a}, {b}, {c};"``.

Each field that stands for a whole operand becomes a register, so that the rest is checked. As it
may stand for something else, a constant or several operands, only what is wrong with the opcode
and its modifiers is then an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..records import NamedTuple
from ..syntax.parser import scan
from ..syntax.source import GAP
from .diagnostic import CheckedInstruction, Severity
from .embedded_ptx import EmbeddedPtx, PieceKind
from .statement_scanner import SourceLocation
from .text_fragments import TextFragment, iter_parts, join_fragments

_OPERAND = re.compile(
    rf"(?:(?<=[,|\[{{(!-])|(?<=\s))(?P<hole>{GAP})"
    r"(?=(?:\.[bhxyzw]\d{0,4}+)?+\s*+[,;|\]})])"
    rf"|(?<=@)(?:\s*+!)?+\s*+(?P<guard>{GAP})(?=\s)"
)
_CONTEXT = re.compile(r"[\w,|\[{(!@-]\s*+\Z")
"""Text before an operand."""
_CONTEXT_CHARS = 80
_FIRST_NUMBER = 90_000
"""The number of the first register that stands for a field; no text has as many."""
_MOST_OPERANDS = 5
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

    def holds_field(self, start: int, end: int) -> bool:
        """Return whether a range of the PTX has such a register."""
        match = _NAME.search(self.piece.ptx, start, end) if self.fields else None
        return match is not None and match[0] in self.fields


def fill_operand_fields(piece: EmbeddedPtx) -> FilledPiece:
    """Return a piece with registers for its fields in the places of operands."""
    inner, gaps, text = piece.fragments[0], frozenset(piece.gaps), piece.lines.text
    names, opcode_shift = dict[str, str](), 0
    parts, copied_end = list[TextFragment](), 0
    is_source = len(piece.fragments) == 1 and piece.kind is PieceKind.STRING
    for match in _OPERAND.finditer(inner.ptx) if gaps and is_source else ():
        position = match.start(match.lastgroup or 0)
        start, end = inner.find_origin(position, position + 1)
        field = text[start:end]
        before = inner.ptx[max(position - _CONTEXT_CHARS, 0) : position]
        is_field = position in gaps and field[0] == "{" and field[-1] == "}" and len(field) > 2
        if not is_field or not _CONTEXT.search(before):
            continue
        name = names.setdefault(field, f"%rl{_FIRST_NUMBER + len(names)}")
        parts += iter_parts(inner, copied_end, position)
        parts.append((name, start, end - start))
        copied_end = position + 1
        if piece.opcode_span and position < piece.opcode_span[0]:
            opcode_shift += len(name) - 1
    if not names:
        return FilledPiece(piece, {})
    parts += iter_parts(inner, copied_end)
    filled = join_fragments(parts)._replace(problems=inner.problems)
    opcode_span = piece.opcode_span
    if opcode_span:
        opcode_span = (opcode_span[0] + opcode_shift, opcode_span[1] + opcode_shift)
    filled_piece = piece._replace(fragments=(filled,), opcode_span=opcode_span)
    return FilledPiece(filled_piece, {name: field for field, name in names.items()})


def is_certain(item: CheckedInstruction, statement: str, operands: SourceLocation) -> bool:
    """Return whether what is wrong with an instruction with fields is so whatever they stand for.

    ``operands`` is the location at which its operands begin.
    """
    if item.is_legal:
        return True
    start = operands.line, operands.column
    return all(
        x.severity is not Severity.ERROR
        or (x.location.line, x.location.column + x.location.width) <= start
        for x in item.diagnostics
    ) and not any(_is_legal(statement, count) for count in range(1, _MOST_OPERANDS))


def _is_legal(statement: str, count: int) -> bool:
    """Return whether a statement is legal with so many more operands, which a field may hold."""
    longer_statement = f"{statement.rstrip(';')}{f', %rl{_FIRST_NUMBER - 1}' * count};"
    return any(x.instruction and not x.problems for x in scan(longer_statement))
