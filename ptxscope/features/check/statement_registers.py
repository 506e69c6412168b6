"""The registers that a statement of PTX reads and writes, and the types that they must have.

The catalog need not have its instruction, but an opcode of the catalog has the same operands with
types that it lacks: ``add.f32``. Operands of other instructions, and those that are not one
register, have no type here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...engine.isa.catalog import ENTRIES, MOVES, list_shapes
from ...engine.isa.grammar import is_type_slot
from ...engine.isa.types import Form, ProductWord, Role, Type
from ...engine.syntax.constants import convert_words
from ...engine.syntax.errors import Span
from ...engine.syntax.opcodes import (
    ADDRESS_CONVERSIONS,
    ADDRESS_PLACES,
    ALL_OPCODES,
    BRANCHES,
    ONE_TYPE,
    TYPES,
    VALUE_PLACES,
)
from ...engine.syntax.register_accesses import find_destinations
from ...engine.syntax.register_checks import is_compatible
from ...engine.syntax.tokens import RawInstruction, Token, TokenKind, is_constant

_ZEROING = frozenset(x.opcode for x in ENTRIES if x.is_zero_of_equals)
"""Opcodes whose result is 0 if both sources are one register."""


class RegisterAccesses(NamedTuple):
    """The names that a statement reads, and the names that it writes."""

    reads: tuple[Token, ...] = ()
    writes: tuple[Token, ...] = ()


def find_accesses(statement: RawInstruction) -> RegisterAccesses | None:
    """Return the reads and writes of a statement; None if its opcode is unknown.

    The names include those of variables, labels and functions. The guard is one of the reads.
    """
    opcode = statement.opcode.text
    if opcode not in ALL_OPCODES:
        return None
    guard = (statement.guard,) if statement.guard else ()
    destinations = find_destinations(statement)
    sources = statement.operands[len(destinations) :]
    if opcode in _ZEROING and len(sources) == 2 and _format(sources[0]) == _format(sources[1]):
        sources = ()
    return RegisterAccesses((*guard, *_list_names(sources)), _list_names(destinations))


def _list_names(operands: Iterable[tuple[Token, ...]]) -> tuple[Token, ...]:
    return tuple(word for words in operands for word in words if word.kind is TokenKind.NAME)


def list_names(statement: RawInstruction) -> tuple[Token, ...]:
    """Return the names in the operands of a statement that may be registers."""
    if statement.opcode.text in BRANCHES:
        return ()
    return tuple(word for word in _list_names(statement.operands) if word.text != "_")


def is_padding(statement: RawInstruction, register: Token) -> bool:
    """Return whether the bits of a register that is read may not matter.

    This is the case if a ``mov`` packs it into a wider one, or a ``prmt`` with a literal selector
    takes no byte of it.
    """
    opcode, operands = statement.opcode.text, statement.operands
    if opcode in MOVES and len(operands) == 2:
        words = operands[1]
        return words[0].text == "{" and words[0].start < register.start < words[-1].end
    if opcode != "prmt" or len(operands) != 4 or not is_constant(operands[3]):
        return False
    selector = convert_words(operands[3], Type.B32) or 0
    chosen = {(selector >> 4 * lane & 7) >> 2 for lane in range(4)}
    return not any(register in operands[1 + x] for x in chosen)


def _format(operand: tuple[Token, ...]) -> str:
    return " ".join(word.text for word in operand)


# --- types (PTX ISA 9.4.1) ---------------------------------------------------------------

_NARROW_ADDRESS_SPACES = frozenset(("shared", "const", "local", "param"))
ANY_INTEGER = "u8"
"""The type of a register that may have any width if it can be wider."""
_VECTORS = frozenset(("v2", "v4", "v8"))
_TYPES = frozenset(str(x) for x in Type if x.bits >= 8) | {"b8", "b128", "pred"}
_STORAGE_TYPES = {"tf32": "b32"} | {x: "b16" for x in TYPES if re.fullmatch(r"\w+m\d+x2", x)}
"""The types of the registers for floats that only ``cvt`` has; ``e2m1x2`` needs a byte."""
del _STORAGE_TYPES["e2m1x2"]
_OPERAND_TYPES = {
    "activemask": ("T",),
    "elect": ("u32", "u32"),
    "isspacep": ("pred",),
    "match": ("u32", "T", "u32"),
    "nanosleep": ("u32",),
    "redux": ("T", "T", "u32"),
    "shfl": ("T", "T", "b32", "b32", "u32"),
    "testp": ("pred", "T"),
    "vote": ("T", "pred", "u32"),
}
"""The types of the operands of opcodes that the catalog lacks; ``T`` is the instruction's."""


class OperandWidth(NamedTuple):
    """The width that a register must have, as one operand of a statement."""

    register: Token
    type: str
    """An instruction type: ``u32``."""
    can_be_wider: bool = False
    """Whether a wider register is accepted: by ``ld``, ``st`` and ``cvt``."""
    can_be_address: bool = False
    """Whether the name of a variable, a function or a label may stand there."""
    is_pointer: bool = False
    """Whether it is the address of an access to memory that is as wide as any."""

    @property
    def declared_type(self) -> str:
        """A type with which the register may be declared: ``b32``."""
        return self.type if self.type == "pred" else f"b{_count_bits(self.type)}"

    def accepts(self, declared_type: str) -> bool:
        """Return whether a register of a declared type is accepted, as ptxas 13.0 does."""
        type_ = self.type
        if declared_type == type_:
            return True
        if "pred" in (type_, declared_type) or (type_ == "b128" and not self.can_be_wider):
            return False
        if not self.can_be_wider:
            return is_compatible(declared_type, Type(type_))
        declared_type = "u32" if declared_type == "f16x2" else declared_type
        bits, declared_bits = _count_bits(type_), _count_bits(declared_type)
        if "f" in type_:
            is_float = declared_type[0] == "f" and "x" not in type_
            is_word = declared_type[0] == "b" and declared_bits >= bits
            return is_word or (is_float and declared_bits == bits)
        return declared_bits >= bits and (type_[0] == "b" or declared_type[0] != "f")


_BITS = re.compile(r"[bsuf]++(\d{1,3})(?:x(\d))?", re.ASCII)


def _count_bits(type_: str) -> int:
    match = _BITS.fullmatch(type_)  # a declaration may have any word
    return int(match[1]) * int(match[2] or 1) if match else 0


def find_widths(statement: RawInstruction) -> Iterator[OperandWidth]:
    """Yield the known requirements on the registers of a statement."""
    if statement.guard:
        yield OperandWidth(statement.guard, "pred")
    opcode, modifiers = statement.opcode.text, statement.modifier_names
    types = [x for x in modifiers if x in _TYPES]
    operands = statement.operands
    has_vectors = not _VECTORS.isdisjoint(modifiers)
    if opcode in _OPERAND_TYPES:
        for words, type_ in zip(operands, _OPERAND_TYPES[opcode], strict=False):
            is_pair = len(words) > 1 and words[1].text == "|"
            if type_ != "T" or types:
                type_ = types[-1] if type_ == "T" else type_
                yield from _list_registers([words[:1] if is_pair else words], type_)
            yield from _list_registers([words[2:]] * is_pair, "pred")
    elif not types or not operands:
        return
    elif list_shapes(opcode):
        yield from () if has_vectors else _find_catalog_widths(statement, types)
    elif len(types) > 1:
        return
    elif opcode in VALUE_PLACES:
        place = VALUE_PLACES[opcode]
        value, address = operands[place : place + 1], operands[1 - place : 2 - place]
        type_ = types[0]
        if has_vectors:  # ptxas lets integers hold the floats of a vector
            value, type_ = tuple(_split_vector(value[0])) if value else (), type_.replace("f", "b")
        yield from _list_registers(value, type_, can_be_wider=True)
        yield from _list_addresses(address, modifiers)
    elif has_vectors:
        return
    elif opcode in ONE_TYPE:
        can_be_address = opcode in ADDRESS_CONVERSIONS
        yield from _list_registers(operands, types[0], can_be_address=can_be_address)
    elif opcode in ADDRESS_PLACES:
        place = ADDRESS_PLACES[opcode]
        yield from _list_registers((*operands[:place], *operands[place + 1 :]), types[0])
        yield from _list_addresses(operands[place : place + 1], modifiers)


class OperandProblem(NamedTuple):
    """The reason why an operand is illegal, whatever its registers are."""

    span: Span
    message: str
    hint: str


_BARRIERS = frozenset(("bar", "barrier"))
_LAST_BARRIER = 15


def find_operand_problem(statement: RawInstruction) -> OperandProblem | None:
    """Describe the fault of an access's elements or of a barrier's number; empty for none."""
    opcode, operands = statement.opcode.text, statement.operands
    vector = next((x for x in statement.modifier_names if x in _VECTORS), "")
    place = VALUE_PLACES.get(opcode, 0)
    if opcode in _BARRIERS and operands and is_constant(operands[0]):
        number = convert_words(operands[0], Type.U32)
        if number is not None and number > _LAST_BARRIER:
            message = f"barrier {number} does not exist: a block has {_LAST_BARRIER + 1}"
            return OperandProblem(_find_span(operands[0]), message, f"0 to {_LAST_BARRIER}")
    elif opcode in VALUE_PLACES and vector and place < len(operands):
        count = len(_split_vector(operands[place]))
        if count and count != int(vector[1:]):
            message = f"`.{vector}` takes {vector[1:]} elements, not {count}"
            return OperandProblem(_find_span(operands[place]), message, f"{vector[1:]} elements")
    return None


def _find_span(words: tuple[Token, ...]) -> Span:
    return words[0].start, words[-1].end


def _find_catalog_widths(statement: RawInstruction, types: list[str]) -> Iterator[OperandWidth]:
    """Yield the requirements on the registers if the opcode has the operands of the catalog."""
    operands, opcode = statement.operands, statement.opcode.text
    entry = max(list_shapes(opcode), key=lambda x: x.is_common)
    names = [slot.name for slot in entry.slots if is_type_slot(slot)]
    parts = [x for words in operands for x in _split_vector(words)]
    if entry.can_have_wider_registers and not _EXACT.isdisjoint(statement.modifier_names):
        written = [_STORAGE_TYPES.get(x, x) for x in statement.modifier_names if x in TYPES]
        if len(written) == 2 and all(x in _TYPES for x in written):
            to, *sources = operands
            yield from _list_registers([to], written[0])
            yield from _list_registers(sources[:2], written[1])
        return
    if len(names) != len(types) or any(x.type is Type.PRED for x in entry.written_sources):
        return
    if parts:  # `mov.b64 {low, high}, word`
        bits, remainder = divmod(_count_bits(types[0]), len(parts))
        if types[0] in ("b32", "b64", "b128") and bits >= 16 and not remainder:
            yield from _list_registers(parts, f"b{bits}")
            yield from _list_registers(operands, types[0])
        return
    if "b8" in types or "b128" in types:
        yield from _list_registers(operands, types[0]) if "b128" in types else ()
        return
    word = ProductWord.WIDE if "wide" in statement.modifier_names else None
    form = Form(entry.opcode, product_word=word)._replace(
        **dict(zip(names, map(Type, types), strict=True))  # type: ignore[arg-type]
    )
    roles = (*(x for x in entry.destinations if not x.is_implicit), *entry.written_sources)
    for operand, words in zip((*roles, roles[-1]), operands, strict=False):  # `min.f32 d, a, b, c`
        type_: Type | None = operand.get_written_type(form)
        if operand.can_be_wider:
            type_ = form.dtype if operand.role is Role.D else form.atype
        yield from _list_registers(
            [words],
            str(type_),
            can_be_wider=operand.can_be_wider,
            can_be_address=entry.is_move and operand.role is not Role.D,
        )


_EXACT = (TYPES - _TYPES) | {"bf16", "bf16x2"}
"""Types with which ``cvt`` takes no wider registers."""


def _list_registers(
    operands: Sequence[tuple[Token, ...]],
    type_: str,
    *,
    can_be_wider: bool = False,
    can_be_address: bool = False,
) -> Iterator[OperandWidth]:
    """Yield the operands that are one register, perhaps with a ``!``, and nothing else."""
    for words in operands if can_be_wider or type_ not in ("b8", "s8", "u8") else ():
        if len(words) == 2 and words[0].text == "!":
            words = words[1:]
        is_name = len(words) == 1 and words[0].kind is TokenKind.NAME
        if is_name and words[0].text not in ("_", "WARP_SZ"):
            yield OperandWidth(words[0], type_, can_be_wider, can_be_address)


def _split_vector(words: tuple[Token, ...]) -> list[tuple[Token, ...]]:
    """Return the elements of a list of registers in braces; none for another operand."""
    is_list = len(words) > 2 and words[0].text == "{" and all(x.text == "," for x in words[2:-1:2])
    return [(x,) for x in words[1:-1:2]] if is_list and words[-1].text == "}" else []


def _list_addresses(
    operands: Sequence[tuple[Token, ...]], modifiers: Sequence[str]
) -> Iterator[OperandWidth]:
    """Yield the register of an address; any integer suits some state spaces."""
    is_narrow = not _NARROW_ADDRESS_SPACES.isdisjoint(x.partition("::")[0] for x in modifiers)
    for words in operands:
        if len(words) > 2 and words[0].text == "[" and words[1].kind is TokenKind.NAME:
            type_ = ANY_INTEGER if is_narrow else "u64"
            yield OperandWidth(
                words[1], type_, can_be_wider=is_narrow, can_be_address=True, is_pointer=True
            )
