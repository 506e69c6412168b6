"""Programs: the statements of a kernel, or of a block of inline assembly."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from ..isa.roles import CARRY_REGISTER, Role
from ..isa.types import Type
from ..syntax.asm_bindings import NO_BINDINGS, AsmBindings, format_name_clash
from ..syntax.errors import Problem
from ..syntax.scopes import Scope
from .statement import Statement, StatementKind
from .variables import Variable


class Program(NamedTuple):
    """A kernel, a function or a block of inline assembly."""

    name: str
    """The name of the kernel or function, ``asm:12``, ``asm:12#2`` or ``block``.

    ``asm:12`` is the inline assembly at line 12, and ``asm:12#2`` the second there.
    """
    statements: tuple[Statement, ...]
    types: Mapping[str, Type]
    """Every register that the statements name, with the type to show its values as."""
    text: str
    """All of the loaded text."""
    problems: tuple[Problem, ...] = ()
    """All problems of it and of its statements, at positions in the text."""
    declared: Mapping[str, Type] = {}
    """Declared types of those registers, if a run can hold values of the type."""
    bound: AsmBindings = NO_BINDINGS
    """The bindings of the asm statement."""
    scopes: tuple[Scope, ...] = ()
    """The scopes of its registers, including registers that no statement names."""
    notes: tuple[str, ...] = ()
    """Remarks on the text that its PTX was read from."""
    is_function: bool = False
    """Whether it is a kernel or function, not a block."""
    is_kernel: bool = False
    has_body: bool = True
    """Whether it is more than the prototype of a function."""
    parameters: tuple[Variable, ...] = ()
    results: tuple[Variable, ...] = ()
    registers: Mapping[str, str] = {}
    """The types of its declared registers, ``b32``, by their unique names."""
    variables: Mapping[str, Variable] = {}
    """The variables that it declares, by their unique names; also parameters and results."""

    @property
    def unread(self) -> tuple[Statement, ...]:
        """The statements that a run cannot compute."""
        return tuple(statement for statement in self.statements if statement.unread)

    @property
    def constants(self) -> dict[str, int]:
        """The bits of the registers that its asm statement sets to a literal."""
        bits = self.bound.literals
        return {x: bits[x] & ((1 << t.bits) - 1) for x, t in self.types.items() if x in bits}

    def compute_depths(self, name: str) -> list[int]:
        """Return the number of blocks around each statement that declare a register."""
        flags: list[bool] = []
        depths: list[int] = []
        for statement in self.statements:
            if statement.kind is StatementKind.BLOCK_START:
                flags.append(name in statement.writes)
            elif statement.kind is StatementKind.BLOCK_END:
                flags.pop()
            depths.append(sum(flags))
        return depths

    def find_value_type(self, name: str, statement: Statement | None = None) -> Type:
        """Return the type for parsing an input for a register.

        It is the declared type at ``statement``, if any, or else the type of its uses.
        """
        if statement and (local_type := parse_declared_type(dict(statement.declared).get(name))):
            return local_type
        used_type, declared_type = self.types[name], self.declared.get(name)
        return (
            declared_type if declared_type and declared_type.bits == used_type.bits else used_type
        )

    def is_declared(self, name: str) -> bool:
        """Return whether a name, or the name after a ``%``, is a declared register."""
        declarations = (scope.look_up(x) for scope in self.scopes for x in (name, f"%{name}"))
        return any(declaration and declaration.is_register for declaration in declarations)

    def register(self, name: str) -> str | None:
        """Return the register with a name, or with the name after a ``%``; ``cc`` is the carry."""
        names = (name, f"%{name}", *((CARRY_REGISTER,) if name == Role.CARRY else ()))
        return next((x for x in names if x in self.types), None)

    def find_registers(self, name: str, *, is_at_end: bool = False) -> tuple[str, ...]:
        """Return the registers for a name, with or without ``%``, or for a C variable.

        For a variable these are the registers that take its value or, at the end, that assign it.
        Raise PtxError if a register and a variable of other operands share the name.
        """
        assigned_operands = self.bound.outputs.get(name, ()) if is_at_end else ()
        operands = assigned_operands[-1:] or self.bound.find_operands_of_variable(name)
        variable = tuple(x for x in operands if x in self.types)
        register = self.register(name)
        registers = (register,) if register else ()
        if registers and variable and registers != variable:
            raise format_name_clash(name, operands)
        return registers or variable


_DECLARED = {"b8": "b16", "u8": "b16", "s8": "b16", "f16": "b16", "f16x2": "b32"}


@cache
def parse_declared_type(text: str | None) -> Type | None:
    """Return the type of a declaration, or None if a run cannot hold its values."""
    text = _DECLARED.get(text or "", text)
    return Type(text) if text in list(Type) else None
