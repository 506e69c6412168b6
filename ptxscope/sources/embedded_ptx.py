"""The PTX in a file of any supported language, for all commands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from ..engine.syntax.asm_operands import AsmOperands, find_doubled_percent, find_escaped_registers
from ..engine.syntax.errors import Span
from ..engine.syntax.intrinsic_calls import find_call_blocks
from ..engine.syntax.opcodes import (
    ALL_OPCODES,
    DISTINCT_OPCODES,
    TYPES,
    WITHOUT_MODIFIERS,
    make_alternation,
)
from ..engine.syntax.partial_ptx import (
    OPCODE_WITH_HOLES,
    PTX_STATEMENT,
    PTX_WITH_HOLES,
    STATEMENT_WITHOUT_OPCODE,
    find_instruction,
)
from ..engine.syntax.source import GAP, Fragment, compose_fragments, remove_comments
from ..feature import Service, find_services
from .c_source import read_c_source
from .preprocessor import Definitions
from .source_language import LLVM_ASM, Block, Language, has_asm
from .source_location import LineIndex, SourceLocation

_TYPE = re.compile(rf"\.(?:{make_alternation(TYPES)})(?!\w)")
_OPERAND_TYPE = re.compile(rf"{_TYPE.pattern}(?!\.)")
_STATEMENT = re.compile(
    r"(?:\A|[;\n{}])[ \t]*(?:[\w$%]+:[ \t]*)?(?:@[ \t]*(?:![ \t]*)?[\w$%]+[ \t]+)?"
    r"(?P<opcode>[A-Za-z_]\w*)(?P<modifiers>(?:\.[\w:]+)*)(?P<operands>[^;\n{}]*)"
)
"""The beginning of a line or of a statement."""
_DECLARATION = re.compile(r"(?<![\w.$%])\.reg\s")
_ARM_OPERAND = re.compile(r"(?<![\w.$%])[qds]\d{1,2}(?![\w$])|#-?\w", re.IGNORECASE)
_OPERAND_MODIFIER = re.compile(r"%[a-z]\d")
_MODIFIER = re.compile(r"\.(?:[a-z0-9:_]{3,}|cc|lo|hi|r[nzmp]|[dfx]\d|eq|ne|[lg][te])(?![\w:])")
"""A modifier that may be PTX's: other machines' modifiers are often shorter."""
_LETTERS = frozenset("hrlqfdnCibcN")
"""The constraints of nvcc and of LLVM's NVPTX."""
_CLOBBERS = frozenset(("memory", "cc"))
"""The clobbers that nvcc accepts."""


def is_foreign(ptx: str, operands: AsmOperands) -> bool:
    """Return whether an asm statement is for another machine."""
    likely, unlikely = _count_statements(ptx)
    if likely is None:
        return False
    if has_foreign_operands(operands):
        return True
    return unlikely > likely or (unlikely > 0 and ";" not in ptx)


def is_certain(ptx: str, operands: AsmOperands) -> bool:
    """Return whether an asm statement can only be PTX."""
    likely, unlikely = _count_statements(ptx)
    return likely is None or (not has_foreign_operands(operands) and likely > unlikely)


@lru_cache(maxsize=1 << 8)
def _count_statements(ptx: str) -> tuple[int | None, int]:
    """Count the statements that may be PTX, and the others; None if there is a ``.reg``."""
    text = remove_comments(ptx)
    if _DECLARATION.search(text):
        return None, 0
    likely = unlikely = 0
    for match in _STATEMENT.finditer(text):
        opcode, modifiers, operand_text = match.group("opcode", "modifiers", "operands")
        has_arm_operand = _ARM_OPERAND.search(operand_text)
        if not modifiers and (opcode in WITHOUT_MODIFIERS or opcode in DISTINCT_OPCODES):
            unlikely += bool(has_arm_operand or _OPERAND_MODIFIER.search(operand_text))
            continue
        if GAP in match[0]:
            continue
        has_type = _TYPE.search(modifiers) or _OPERAND_TYPE.search(operand_text)
        has_name = opcode in ALL_OPCODES and _MODIFIER.search(modifiers)
        is_likely = (has_name or has_type) and not has_arm_operand
        likely, unlikely = likely + bool(is_likely), unlikely + (not is_likely)
    return likely, unlikely


def has_foreign_operands(operands: AsmOperands) -> bool:
    """Return whether a constraint or a clobber of an asm statement is foreign to PTX."""
    kinds = (x.constraint.strip("=+&%* ") for x in operands.expressions)
    return not _CLOBBERS.issuperset(operands.clobbers) or any(
        not kind.isdecimal() and not _LETTERS.issuperset(kind) for kind in kinds
    )


_MACHINE_CODE = re.compile(
    r"\bc\[(?:0x)?[0-9a-f]++\]\s*+\[|^[ \t]*+/\*[0-9a-f]{4,}+\*/[ \t]", re.MULTILINE | re.IGNORECASE
)
"""A constant bank or an address in a disassembly."""
_MODULE = re.compile(r"\.(?:(?:version|entry|func)\s|reg\b)")


class PieceKind(Enum):
    """The kind of text around a piece of PTX."""

    LISTING = 1
    """A PTX file, or a block of PTX."""
    ASM = 2
    """An asm statement, or pasted string literals."""
    STRING = 3
    """A string literal, possibly prose."""


class EmbeddedPtx(NamedTuple):
    """A piece of PTX in a file."""

    fragments: tuple[Fragment, ...]
    """The PTX and its enclosing texts; the last one is in the file itself."""
    lines: LineIndex
    kind: PieceKind
    operands: AsmOperands | None = None
    """The operands of the asm statement."""
    opcode_span: Span | None = None
    """Span of the opcode of an instruction that is only partly literal text."""
    is_expanded: bool = False
    """Whether the PTX comes from an asm statement with expanded macros."""
    is_quoted: bool = False
    """Whether it is an asm statement in a source that is a string literal."""

    @property
    def ptx(self) -> str:
        """The decoded text."""
        return self.fragments[0].ptx

    @property
    def gaps(self) -> tuple[int, ...]:
        """Positions in the PTX of parts that are not literal text."""
        return self.fragments[0].gaps

    @property
    def is_foreign(self) -> bool:
        """Whether it is assembly for another machine."""
        return self.operands is not None and is_foreign(self.ptx, self.operands)

    @property
    def is_excerpt(self) -> bool:
        """Whether it is not complete PTX, or only text about code.

        Examples are a disassembly, and a quoted asm statement that is a part or will be expanded.
        """
        if self.is_quoted and (self._is_cut_off or self._has_doubled_percent):
            return True
        return self.kind is not PieceKind.ASM and _MACHINE_CODE.search(self.ptx) is not None

    @property
    def _is_cut_off(self) -> bool:
        """Whether the quotation ends within a string of the asm statement."""
        end = len(self.fragments[1].ptx)
        return any(problem.span[1] >= end for problem in self.fragments[0].problems)

    @property
    def _has_doubled_percent(self) -> bool:
        """Whether ``%`` is doubled although no asm statement requires it."""
        operands, inner = self.operands, self.fragments[0]
        if operands is None or "%" not in inner.ptx:
            return False
        return (
            "%%" in inner.ptx
            or next(find_escaped_registers(operands, inner), None) is not None
            or find_doubled_percent(operands, inner, 0, len(inner.ptx)) is not None
        )

    @property
    def is_certain(self) -> bool:
        """Whether it is an asm statement that can only be PTX, and must be legal."""
        return self.operands is not None and is_certain(self.ptx, self.operands)

    @property
    def registers(self) -> Mapping[str, str] | None:
        """The types of the asm statement's operands: ``%0`` to ``b32``."""
        return self.operands.types if self.operands else None

    @property
    def line_starts(self) -> Sequence[int]:
        """The positions of the lines of the text."""
        return self.lines.starts

    @property
    def may_be_template(self) -> bool:
        """Whether a formatting function may fill in a part of it."""
        return self.kind is PieceKind.STRING or len(self.fragments) > 1 + self.is_expanded

    @property
    def may_be_prose(self) -> bool:
        """Whether it may be a sentence with an opcode."""
        return self.kind is PieceKind.STRING and not _MODULE.search(self.ptx)

    def make_locator(self, start: int) -> _OffsetLocator:
        """Return a locator for a text that starts at ``start`` of the piece."""
        return _OffsetLocator(self, start)

    def flatten(self) -> Fragment:
        """Return the PTX with its positions in the file."""
        inner, *outer = self.fragments
        for fragment in outer:
            inner = compose_fragments(inner, fragment)
        return inner


class _OffsetLocator(NamedTuple):
    piece: EmbeddedPtx
    start: int

    def locate(self, start: int, end: int) -> SourceLocation:
        """Return the location in the file of a range of the text."""
        span = (self.start + start, self.start + end)
        for fragment in self.piece.fragments:
            span = fragment.find_origin(*span)
        return self.piece.lines.locate(*span)


def find_ptx(text: str, language: Language) -> Iterator[EmbeddedPtx]:
    """Yield every piece of PTX in a text, in order."""
    return (
        piece
        for piece in find_assembly(text, language)
        if not (piece.is_foreign or piece.is_excerpt)
    )


def find_assembly(
    text: str, language: Language, definitions: Definitions | None = None
) -> Iterator[EmbeddedPtx]:
    """Yield the PTX of a text, and asm statements for other machines, in order.

    ``definitions`` are macros of C.
    """
    if language is Language.C:
        return _find_ptx_in_c(Fragment(text), LineIndex(text), definitions)
    return _iter_pieces(Fragment(text), language, LineIndex(text))


def _iter_pieces(source: Fragment, language: Language, lines: LineIndex) -> Iterator[EmbeddedPtx]:
    """Yield every piece of PTX in a text, which may have gaps, with positions in that text."""
    text = source.ptx
    if language is Language.PTX:
        yield EmbeddedPtx((Fragment(text, gaps=source.gaps),), lines, PieceKind.LISTING)
    elif language is Language.TEXT:
        for fragment in find_call_blocks(text):
            yield EmbeddedPtx((fragment,), lines, PieceKind.ASM)
    elif language is Language.C:
        yield from _find_ptx_in_c(source, lines)
    else:
        yield from _read_blocks(source, language, lines)


def _read_blocks(source: Fragment, language: Language, lines: LineIndex) -> Iterator[EmbeddedPtx]:
    """Yield the PTX of a language that a feature reads."""
    for read in find_services(Service.READ_BLOCKS):
        for block in read(source.ptx, language, frozenset(source.gaps)):
            yield from _find_in_block(block, lines)


def _find_in_block(block: Block, lines: LineIndex) -> Iterator[EmbeddedPtx]:
    fragment, language, operands = block
    if not fragment.ptx:
        return
    if language is Language.UNKNOWN:
        yield from _find_in_string(fragment, lines)
    elif language is Language.PTX:
        yield EmbeddedPtx((fragment,), lines, PieceKind.LISTING, operands)
    else:
        for piece in _iter_pieces(fragment, language, lines):
            yield piece._replace(fragments=(*piece.fragments, fragment))


def _find_ptx_in_c(
    source: Fragment, lines: LineIndex, definitions: Definitions | None = None
) -> Iterator[EmbeddedPtx]:
    pieces = list[EmbeddedPtx]()
    for x in read_c_source(source.ptx, frozenset(source.gaps), definitions):
        if x.operands is None and has_asm(x.fragment.ptx, macros=True):
            pieces += _find_in_string(x.fragment, lines)
            continue
        pieces.append(
            EmbeddedPtx(
                (x.fragment, x.expansion) if x.expansion else (x.fragment,),
                lines,
                PieceKind.STRING if x.operands is None else PieceKind.ASM,
                x.operands,
                x.opcode_span,
                is_expanded=x.expansion is not None,
            )
        )
    yield from sorted(pieces, key=lambda piece: piece.fragments[-1].origins[:1])


def _find_in_string(fragment: Fragment, lines: LineIndex) -> Iterator[EmbeddedPtx]:
    """Yield the PTX of a string literal, which may itself be C or LLVM source."""
    text = fragment.ptx
    opcode_span = (
        find_instruction(text) if fragment.gaps or OPCODE_WITH_HOLES.search(text) else None
    )
    if has_asm(text, macros=True):
        pieces = _find_ptx_in_c(fragment, lines)
    elif LLVM_ASM.search(text):
        pieces = _read_blocks(fragment, Language.LLVM, lines)
    elif opcode_span or PTX_STATEMENT.search(text) or (fragment.gaps and _has_partial_ptx(text)):
        yield EmbeddedPtx((fragment,), lines, PieceKind.STRING, opcode_span=opcode_span)
        return
    else:
        return
    for piece in pieces:
        yield piece._replace(fragments=(*piece.fragments, fragment), is_quoted=True)


def _has_partial_ptx(text: str) -> bool:
    """Whether a text with gaps has a statement with parts that are filled in."""
    return bool(PTX_WITH_HOLES.search(text) or STATEMENT_WITHOUT_OPCODE.search(text))
