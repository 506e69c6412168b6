"""The registers of a program's statements: their types, and what each statement writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from ..isa.types import Type
from .program import parse_declared_type
from .statement import Statement, StatementKind


def complete_writes(statements: list[Statement], read_only: Set[str]) -> list[Statement]:
    """Return the statements, with the writes of opaque ones completed.

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
    """Return the declared types of the statements' registers, the last of several."""
    pairs = ((name, parse_declared_type(text)) for x in statements for name, text in x.declared)
    return {name: type_ for name, type_ in pairs if type_}


def map_types(statements: list[Statement]) -> dict[str, Type]:
    """Return the type of every register: of its first explained use, declared, or used.

    The declared type also wins if some declaration or use is a float and another an integer.
    """
    types: dict[str, Type] = {}
    uses: dict[str, set[Type]] = {}
    declared_types = map_declared_types(statements)
    for x in statements:
        if x.explained:
            for source in x.explained.inputs:
                types.setdefault(source.name, source.type)
    for x in statements:
        if x.explained:
            for role, name in x.explained.names.items():
                type_ = x.explained.type_of(role)
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
    """Yield the registers of an unexplained statement, with the types they suggest."""
    if x.guard:
        yield x.guard.name, Type.PRED
    yield from x.iter_plain_sources()
    yield from x.iter_plain_targets()
    if x.kind is StatementKind.UNKNOWN:
        for name in x.writes:
            yield name, Type.B32


def order_writes(statements: list[Statement], types: Mapping[str, Type]) -> tuple[Statement, ...]:
    """Return the statements with numbers, and with ordered and complete writes.

    Braces list registers in the order of the types, and vectors include their components.
    """
    parts = _map_components(types)
    order = {name: index for index, name in enumerate(types)}
    return tuple(
        x._replace(
            number=number,
            writes=tuple(sorted(x.writes, key=order.__getitem__))
            if x.is_brace
            else (*x.writes, *(part for name in x.writes for part in parts.get(name, ()))),
        )
        for number, x in enumerate(statements)
    )


def iter_names(x: Statement) -> Iterator[str]:
    """Yield every register of a statement."""
    if x.explained:
        yield from x.explained.names.values()
    for name, _ in _iter_uses(x):
        yield name


def _map_components(types: Mapping[str, Type]) -> dict[str, list[str]]:
    """Return the named components of each vector register."""
    components: dict[str, list[str]] = {}
    for name in types:
        vector, dot, _ = name.partition(".")
        if dot:
            components.setdefault(vector, []).append(name)
    return components
