"""What a pasted ``asm`` statement says of its operands: their C variables, and their types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from ..isa.types import Type
from ..patterns import pattern
from ..records import NamedTuple, replace
from ..text.errors import PtxError
from ..text.instruction import Instruction, Literal
from ..text.parser import parse
from ..text.source import asm_texts

_TOKEN = pattern(
    r"""(?:\s++|\\\r?\n|//[^\n]*+|/\*.*?(?:\*/|\Z))++
      | "(?P<letters>(?:[^"\\\n]++|\\.)*+)"?
      | '(?:[^'\\\n]++|\\.)*+'?
      | (?P<mark>[:()\[\]{}])
      | (?P<word>\w++|.)""",
    re.VERBOSE | re.DOTALL,
)
_VARIABLE = pattern(r"[A-Za-z_]\w*+", re.ASCII)
_LONGEST = 1 << 14
"""How far an asm statement's operands are read."""


class Bound(NamedTuple):
    """What stands behind the text of an asm statement."""

    types: Mapping[str, str] = {}
    """``%0`` to ``b32``, by the constraints."""
    read: Mapping[str, tuple[str, ...]] = {}
    """For each C variable the operands that take its value: ``x`` to ``%1``, ``%2``."""
    written: Mapping[str, tuple[str, ...]] = {}
    """For each C variable the operands that give it one."""
    constants: Mapping[str, str] = {}
    """The operands for which an integer is filled in, as nvcc writes it."""

    def variable(self, name: str) -> tuple[str, ...]:
        """The operands that a C variable's value is of, or else that it is given by."""
        return self.read.get(name) or self.written.get(name) or ()

    def variables(self, operand: str) -> tuple[str, ...]:
        """The C variable of an operand, if it is one."""
        every = (*self.read.items(), *self.written.items())
        return tuple(dict.fromkeys(name for name, here in every if operand in here))

    def floats(self) -> dict[str, Type]:
        """The types of the operands that are floats by their constraints."""
        return {name: Type(text) for name, text in self.types.items() if text in ("f32", "f64")}


NOTHING = Bound()


def bound(text: str, start: int, end: int) -> Bound:
    """What stands in a text behind that of an asm statement, up to the next."""
    from .asm_operands import read_operands  # few lines are pasted with their asm

    read, written = dict[str, tuple[str, ...]](), dict[str, tuple[str, ...]]()
    for number, (letters, expression) in enumerate(_operands(text, start, end)):
        name = expression.strip()
        if _VARIABLE.fullmatch(name):
            for held, takes in ((written, set(letters) & {"=", "+"}), (read, "=" not in letters)):
                if takes:
                    held[name] = (*held.get(name, ()), f"%{number}")
    operands = read_operands(text, start, end)
    constants = {name: value for name, value in operands.constants.items() if value}
    return Bound(operands.types, read, written, constants)


def _operands(text: str, start: int, end: int) -> Iterator[tuple[str, str]]:
    """The constraint of each operand, and what stands in its parentheses."""
    depth, sections, opened = 0, 0, 0
    letters: str | None = None
    for token in _TOKEN.finditer(text, start, min(end, start + _LONGEST)):
        mark, word = token["mark"], token["word"]
        if depth:
            depth += (mark in ("(", "[", "{")) - (mark in (")", "]", "}")) if mark else 0
            if not depth and letters is not None:
                yield letters, text[opened : token.start()]
                letters = None
        elif mark in ("(", "["):
            depth, opened = 1, token.end()
        elif mark == ":" and sections < 2:
            sections += 1
        elif token["letters"] is not None and sections:
            letters = (letters or "") + token["letters"]
        elif mark or word not in (None, ","):
            return


@lru_cache(maxsize=4)
def bound_at(text: str, position: int) -> Bound:
    """What the asm statement says in whose text a position stands; nothing where it is in none."""
    found = list(asm_texts(text))
    limits = [*(statement.start for statement in found[1:]), len(text)]
    for statement, limit in zip(found, limits, strict=False):
        if statement.start <= position < statement.end:
            return bound(text, statement.end, limit)
    return NOTHING


def bound_to(ins: Instruction) -> Bound:
    """What the asm statement says that an instruction was read from."""
    return bound_at(ins.text, ins.spans["line"][0]) if "line" in ins.spans else NOTHING


def pasted(text: str) -> Instruction:
    """The one instruction in a text, as its asm statement's constraints have it.

    Raises PtxError, also where it does not fit them.
    """
    ins = parse(text)
    said = bound_to(ins)
    if said.types:
        from ..text.registers import misfits
        from ..text.scopes import Scopes

        problems = tuple(misfits(ins, Scopes(dict(said.types))))
        if problems:
            raise PtxError(text, problems)
    return _filled(ins, said.constants) if said.constants else ins


def _filled(ins: Instruction, constants: Mapping[str, str]) -> Instruction:
    """The instruction with literals in place of operands for which an integer is filled in."""
    sources = list(ins.sources)
    for at, (role, source) in enumerate(ins.roles.items()):
        if text := constants.get(str(source)):
            mask = (1 << ins.type_of(role).bits) - 1
            sources[at] = Literal(int(text) & mask, text)
    return replace(ins, sources=tuple(sources))
