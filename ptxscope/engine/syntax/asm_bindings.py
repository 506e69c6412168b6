"""Bindings of a pasted ``asm`` statement: the C variables and types of its operands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..isa.types import Type
from .errors import Problem, PtxError
from .instruction import Immediate, Instruction
from .operands import NAMED_OPERAND_MESSAGE
from .parser import parse, parse_fragments
from .source import Fragment

if TYPE_CHECKING:
    from .asm_operands import AsmOperands
    from .asm_text import AsmText
    from .instruction import Signature

_VARIABLE = re.compile(r"[A-Za-z_]\w*+", re.ASCII)


class AsmBindings(NamedTuple):
    """The bindings of an asm statement."""

    types: Mapping[str, str] = {}
    """Operand types from the constraints: ``%0`` to ``b32``."""
    inputs: Mapping[str, tuple[str, ...]] = {}
    """For each C variable, the operands that take its value: ``x`` to ``%1``, ``%2``."""
    outputs: Mapping[str, tuple[str, ...]] = {}
    """For each C variable, the operands that assign it."""
    constants: Mapping[str, str] = {}
    """Operands that nvcc replaces with an integer, and its text as nvcc writes it."""
    literals: Mapping[str, int] = {}
    """The bits of registers whose C expression is a literal."""

    def find_operands_of_variable(self, name: str) -> tuple[str, ...]:
        """Return the input operands of a C variable, or its outputs if it has no input."""
        return self.inputs.get(name) or self.outputs.get(name) or ()

    def find_variable_of_operand(self, operand: str) -> tuple[str, ...]:
        """Return the C variables bound to an operand."""
        bindings = (*self.inputs.items(), *self.outputs.items())
        return tuple(dict.fromkeys(name for name, operands in bindings if operand in operands))

    def map_float_types(self) -> dict[str, Type]:
        """Return the types of the operands that are floats by their constraints."""
        return {name: Type(text) for name, text in self.types.items() if text in ("f32", "f64")}


NO_BINDINGS = AsmBindings()


def read_bindings(text: str, start: int, end: int) -> AsmBindings:
    """Read the bindings after the text of an asm statement, up to the next statement."""
    from .asm_operands import read_operands  # loaded late: few lines are pasted with their asm

    return bind_operands(read_operands(text, start, end))


def bind_operands(operands: AsmOperands) -> AsmBindings:
    """Return the bindings for the operands of an asm statement."""
    read_names, written_names = dict[str, tuple[str, ...]](), dict[str, tuple[str, ...]]()
    for operand, letters, expression, _ in operands.expressions:
        name = expression.strip()
        if _VARIABLE.fullmatch(name):
            for bindings, is_bound in (
                (written_names, set(letters) & {"=", "+"}),
                (read_names, "=" not in letters),
            ):
                if is_bound:
                    bindings[name] = (*bindings.get(name, ()), operand)
    constants = {name: value for name, value in operands.constants.items() if value}
    return AsmBindings(operands.types, read_names, written_names, constants, operands.literals)


def find_asm_ranges(text: str) -> Iterator[tuple[AsmText, int]]:
    """Return the text of each ``asm`` statement, with the limit of its operands."""
    from .asm_text import find_asm_texts

    statements = list(find_asm_texts(text))
    limits = [*(statement.start for statement in statements[1:]), len(text)]
    return zip(statements, limits, strict=False)


def format_name_clash(name: str, operands: Sequence[str]) -> PtxError:
    """Return the error for a name that is both a register and a C variable of other operands."""
    message = f"`{name}` is a register here, and the C variable in {' and '.join(operands)}"
    return PtxError(name, (Problem(message, (0, len(name)), f"{operands[0]}=… for C's variable"),))


@lru_cache(maxsize=4)
def read_bindings_at(text: str, position: int) -> AsmBindings:
    """Return the bindings of the asm statement around a position; empty outside of any."""
    for statement, limit in find_asm_ranges(text) if "asm" in text else ():
        if statement.start <= position < statement.end:
            return read_bindings(text, statement.end, limit)
    return NO_BINDINGS


def read_bindings_of(ins: Signature) -> AsmBindings:
    """Return the bindings of the asm statement that an instruction or a block was read from."""
    return read_bindings_at(ins.text, ins.spans["line"][0]) if "line" in ins.spans else NO_BINDINGS


def find_reading_type(ins: Signature, role: str) -> Type:
    """Return the type for reading a register's value: a float's if its constraint is."""
    type_ = ins.type_of(role)
    name = ins.results[role] if role in ins.results else ins.names[role]
    float_type = read_bindings_of(ins).map_float_types().get(name, type_)
    return float_type if float_type.bits == type_.bits else type_


def parse_pasted(text: str) -> Instruction:
    """Parse the one instruction in a text, with the constraints of its asm statement.

    A ``cvt`` reads registers as wide as the text declares them. Raise PtxError if it is invalid or
    violates a constraint.
    """
    ins = (
        parse_fragments(text, _find_numbered_fragments)
        if _NAMED_OPERAND.search(text)
        else parse(text)
    )
    bindings = read_bindings_of(ins)
    if bindings.types:
        from .register_checks import find_register_problems, fit_registers
        from .scopes import Scopes

        scopes = Scopes(dict(bindings.types))
        ins = fit_registers(ins, scopes)
        problems = tuple(find_register_problems(ins, scopes))
        if problems:
            raise PtxError(text, problems)
    if ins.entry.can_have_wider_registers and ".reg" in text:
        from .register_checks import fit_registers
        from .scopes import collect_registers

        ins = fit_registers(ins, collect_registers(text))
    if bindings.constants or bindings.literals:
        ins = _fill_immediates(ins, bindings.constants).with_constants(bindings.literals)
    if any("%[" in text[slice(*span)] for span in ins.spans.values()):
        ins = replace(ins, notes=(*ins.notes, NAMED_OPERAND_MESSAGE))
    return ins


_NAMED_OPERAND = re.compile(r"%\[|\"\s*+(?:\d++|[ni])\s*+\"", re.ASCII)
"""A named operand, or a constraint: a number or an integer's."""


def _find_numbered_fragments(text: str) -> Iterator[Fragment]:
    """Yield the PTX of asm statements, with numbers for named and tied operands."""
    from .asm_operands import fill_constants, number_placeholders, read_operands
    from .asm_text import find_fragments

    ranges = list(find_asm_ranges(text))
    for statement, limit in ranges:
        operands = read_operands(text, statement.end, limit)
        fragment, operands = number_placeholders(statement.fragment, operands)
        fragment = fill_constants(fragment, operands.constants)
        unknown = tuple(
            Problem(message, fragment.find_origin(*span))
            for name, message, span in operands.find_unmatched_placeholders(
                fragment, 0, len(fragment.ptx)
            )
            if name in operands.unknown
        )
        yield fragment._replace(problems=(*fragment.problems, *unknown))
    if not ranges:
        yield from find_fragments(text)


def _fill_immediates(ins: Instruction, constants: Mapping[str, str]) -> Instruction:
    """Return the instruction with literals for operands that are integer constants."""
    sources = list(ins.sources)
    for index, (role, source) in enumerate(ins.roles.items()):
        if text := constants.get(str(source)):
            mask = (1 << ins.type_of(role).bits) - 1
            sources[index] = Immediate(int(text) & mask, text)
    return replace(ins, sources=tuple(sources))
