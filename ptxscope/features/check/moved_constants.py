"""Registers that a ``mov`` sets to a constant, and registers with small numbers, at each read."""

from __future__ import annotations

from collections.abc import Mapping

from ...engine.isa.catalog import MOVES
from ...engine.isa.types import Type
from ...engine.syntax.constants import convert_words
from ...engine.syntax.opcodes import OPCODES
from ...engine.syntax.tokens import (
    RawInstruction,
    Token,
    TokenGroup,
    TokenGroupKind,
    TokenKind,
    group_tokens,
    is_constant,
    read_raw_instruction,
    tokenize,
)
from .candidate_reader import KEPT_CHARS, CandidateReader

_TYPES = {f".{x}": x for x in (Type.B32, Type.U32, Type.S32)}
_MAX_LITERALS = {"and": 255, "shl": 6, "mul": 99, "mul24": 99}
"""The largest literal for which the result of an opcode counts as a small number."""


def _is_small(statement: RawInstruction) -> bool:
    """Return whether a statement writes a byte, a remainder or a product of a small number."""
    opcode, modifiers = statement.opcode.text, statement.modifier_names
    largest = _MAX_LITERALS.get(opcode)
    if largest is None or "hi" in modifiers:
        return opcode == "cvt" and [*modifiers][-1:] == ["u8"]
    source = (statement.operands or ((),))[-1]
    bits = convert_words(source, Type.U32) if is_constant(source) else None
    return bits is not None and bits <= largest


class MovedConstants:
    """Reads a listing up to each statement in question, in order.

    A register is a constant from its ``mov`` until another write, a label, or the end of its block,
    so that no branch can come between.
    """

    def __init__(self, reader: CandidateReader) -> None:
        self._reader = reader
        self._read_end = 0
        self._bits: dict[str, int | None] = {}
        """Constants by register; None for a small number, such as a product of one."""

    @property
    def small_registers(self) -> frozenset[str]:
        """The registers with small numbers at the last query of ``find_constants``."""
        return frozenset(name for name, bits in self._bits.items() if bits is None)

    def find_constants(self, start: int) -> Mapping[str, int]:
        """Return the bits of the registers that are constants at the start of a statement."""
        read_start = max(self._read_end, start - KEPT_CHARS)
        is_gap = read_start > self._read_end
        self._read_end = start
        text = self._reader.copy_text(read_start, start)
        if is_gap:
            self._bits.clear()
            text = text.partition(";")[2]
        words = tokenize(text)
        for item in group_tokens(text, words, OPCODES):
            self._read_statement(text, words, item)
        return {name: bits for name, bits in self._bits.items() if bits is not None}

    def _read_statement(self, text: str, words: list[Token], item: TokenGroup) -> None:
        if item.kind is TokenGroupKind.STATEMENT:
            statement = read_raw_instruction(text, words, item)
            destination, *sources = statement.operands or ((),)
            for word in destination:
                self._bits.pop(word.text, None)
            modifiers = [word.text for word in statement.modifiers]
            type_ = _TYPES.get(modifiers[0]) if len(modifiers) == 1 else None
            is_move = statement.opcode.text in MOVES and type_ and not statement.guard
            if is_move and type_ and len(destination) == len(sources) == 1:
                bits = convert_words(sources[0], type_) if is_constant(sources[0]) else None
                if bits is not None:
                    self._bits[destination[0].text] = bits
            elif len(destination) == 1 and not statement.guard and _is_small(statement):
                self._bits[destination[0].text] = None
        elif item.kind is TokenGroupKind.DIRECTIVE and words[item.start].text == ".reg":
            self._forget(words[item.start : item.end])
        elif item.kind is not TokenGroupKind.BLOCK_START and words[item.start].text != ".loc":
            self._bits.clear()

    def _forget(self, declaration: list[Token]) -> None:
        for word in declaration:
            if word.kind is TokenKind.NAME:
                self._bits.pop(word.text, None)
        if any(word.text == "<" for word in declaration):
            self._bits.clear()
