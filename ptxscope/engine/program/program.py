"""Programs: the statements of a kernel, or of a block of inline assembly, and their registers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from functools import cache
from typing import NamedTuple

from ..isa.types import CARRY_REGISTER, Role, Type
from ..syntax.asm_bindings import NO_BINDINGS, AsmBindings, format_name_clash
from ..syntax.errors import Problem
from ..syntax.register_checks import with_register_widths
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
    """Every register in the statements, with the type for displaying its values."""
    text: str
    """All of the loaded text."""
    problems: tuple[Problem, ...] = ()
    """All problems of it and of its statements, at positions in the text."""
    declared: Mapping[str, Type] = {}
    """Declared types of the registers, if a run supports them."""
    bound: AsmBindings = NO_BINDINGS
    """The bindings of the asm statement."""
    scopes: tuple[Scope, ...] = ()
    """The scopes of its registers, including unused ones."""
    notes: tuple[str, ...] = ()
    """Remarks on the source text of its PTX."""
    is_function: bool = False
    """Whether it is a kernel or function, not a block."""
    is_kernel: bool = False
    has_body: bool = True
    """Whether it is not just the prototype of a function."""
    parameters: tuple[Variable, ...] = ()
    results: tuple[Variable, ...] = ()
    registers: Mapping[str, str] = {}
    """The types of its declared registers, ``b32``, by their unique names."""
    variables: Mapping[str, Variable] = {}
    """Its variables, parameters and results, by their unique names."""
    labels: Mapping[int, str] = {}
    """The names of labels that are not statements, by the index of the next statement."""

    @property
    def omitted_statements(self) -> tuple[Statement, ...]:
        """The statements that a run cannot compute."""
        return tuple(statement for statement in self.statements if statement.omission)

    @property
    def constants(self) -> dict[str, int]:
        """The bits of the registers that its asm statement sets to a literal."""
        bits = self.bound.literals
        return {x: bits[x] & ((1 << t.bits) - 1) for x, t in self.types.items() if x in bits}

    def compute_depths(self, name: str) -> list[int]:
        """Return, for each statement, the number of enclosing blocks that declare a register."""
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

        It is the declared type at ``statement`` or, without one, the type of its uses.
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

        The registers of a variable are its inputs or, at the end, its outputs.
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
    """Return the type of a declaration, or None if a run does not support it."""
    text = _DECLARED.get(text or "", text)
    return Type(text) if text in list(Type) else None


# --- the types of registers, and each statement's writes


def complete_writes(statements: list[Statement], read_only: Set[str]) -> list[Statement]:
    """Return the statements with complete writes of opaque statements.

    An opaque statement writes the registers named in it and since the last opaque statement.
    """
    if not any(x.is_opaque for x in statements):
        return statements
    used_names: dict[str, None] = {}
    completed = list[Statement]()
    for x in statements:
        if x.is_opaque:
            used_names |= dict.fromkeys(x.writes)
            writes = tuple(name for name in used_names if name not in read_only)
            completed.append(x._replace(writes=writes))
            used_names.clear()
        else:
            completed.append(x)
            used_names |= dict.fromkeys(iter_names(x))
    return completed


def map_declared_types(statements: list[Statement]) -> dict[str, Type]:
    """Return the declared types of the statements' registers; the last of several wins."""
    pairs = ((name, parse_declared_type(text)) for x in statements for name, text in x.declared)
    return {name: type_ for name, type_ in pairs if type_}


def fit_undeclared_registers(statements: list[Statement]) -> None:
    """Give each undeclared register of a ``cvt`` the width of its other uses."""
    converting = [i for i, x in enumerate(statements) if x.instruction and _may_be_wider(x)]
    if not converting:
        return
    declared_types, widths = map_declared_types(statements), dict[str, int]()
    for x in statements:
        if x.instruction and not _may_be_wider(x):
            for role, name in x.instruction.names.items():
                bits = x.instruction.type_of(role).bits
                widths[name] = max(bits, widths.get(name, 0))
    for i in converting:
        ins = statements[i].instruction
        assert ins
        undeclared = {x: y for x, y in ins.names.items() if y not in declared_types and y in widths}
        if undeclared:
            fitted = with_register_widths(ins, {x: widths[y] for x, y in undeclared.items()})
            statements[i] = statements[i]._replace(instruction=fitted)


def _may_be_wider(x: Statement) -> bool:
    return bool(x.instruction and x.instruction.entry.can_have_wider_registers)


def map_types(statements: list[Statement]) -> dict[str, Type]:
    """Return the type of every register: of its first explained use, declared, or of other uses.

    The declared type also wins if some declaration or use is a float and another an integer.
    """
    types: dict[str, Type] = {}
    uses: dict[str, set[Type]] = {}
    declared_types = map_declared_types(statements)
    for x in statements:
        if x.explained_instruction:
            for source in x.explained_instruction.inputs:
                types.setdefault(source.name, source.type)
    for x in statements:
        if x.explained_instruction:
            for role, name in x.explained_instruction.names.items():
                type_ = x.explained_instruction.type_of(role)
                types.setdefault(name, type_)
                uses.setdefault(name, set()).add(type_)
    for name, use_types in uses.items():
        declared_type = declared_types.get(name)
        if (
            declared_type
            and declared_type.bits == types[name].bits
            and _is_mixed(declared_type, use_types)
        ):
            types[name] = declared_type
    for x in statements:
        for name, suggested_type in _iter_uses(x):
            if name not in types:
                types[name] = declared_types.get(name) or suggested_type
    return types


def _is_mixed(declared_type: Type, use_types: set[Type]) -> bool:
    """Return whether a register is both a float and an integer; `.b` types are neither."""
    float_flags = {x.is_float for x in {declared_type, *use_types} if not x.startswith("b")}
    return len(float_flags) > 1


def _iter_uses(x: Statement) -> Iterator[tuple[str, Type]]:
    """Yield the registers of an unexplained statement, with the types that it suggests."""
    if x.guard:
        yield x.guard.name, Type.PRED
    yield from x.iter_plain_sources()
    yield from x.iter_plain_targets()
    if x.kind is StatementKind.UNKNOWN:
        for name in x.writes:
            yield name, Type.B32


def order_writes(statements: list[Statement], types: Mapping[str, Type]) -> tuple[Statement, ...]:
    """Number the statements, and order and complete their writes.

    Braces list registers in the order of the types, and vectors include their components.
    """
    parts = _map_components(types)
    order = {name: index for index, name in enumerate(types)}
    ordered = list[Statement]()
    for number, statement in enumerate(statements):
        writes = statement.writes
        if statement.is_brace:
            writes = tuple(sorted(writes, key=order.__getitem__))
        else:
            writes = (*writes, *(part for name in writes for part in parts.get(name, ())))
        ordered.append(statement._replace(number=number, writes=writes))
    return tuple(ordered)


def iter_names(x: Statement) -> Iterator[str]:
    """Yield every register of a statement."""
    if x.explained_instruction:
        yield from x.explained_instruction.names.values()
    for name, _ in _iter_uses(x):
        yield name


def _map_components(types: Mapping[str, Type]) -> dict[str, list[str]]:
    components: dict[str, list[str]] = {}
    for name in types:
        vector, dot, _ = name.partition(".")
        if dot:
            components.setdefault(vector, []).append(name)
    return components
