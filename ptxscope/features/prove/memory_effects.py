"""The statements of two programs that exchange values with memory, and the compared ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from ...engine.isa.types import CARRY_REGISTER
from ...engine.syntax.errors import quote_word
from ...engine.tracing.basic_block import STORED, BasicBlock, OuterAccess
from .proof_question import Renaming


def list_unknown_effects(a: BasicBlock, b: BasicBlock) -> tuple[str, ...]:
    """Return the statements that may write memory in a way that no result shows.

    A result stands for a store only if it is plain, without a guard, and of known values. If both
    programs store, their stores pair one to one. If one does, each stored value is one result of
    the other, and no store replaces another.
    """
    effects = [[x for x in program.outer_accesses if not x.kind] for program in (a, b)]
    if not any(effects):
        first, second = _list_stores(a), _list_stores(b)
        if first and second:
            effects = _list_unpaired_stores(first, second)
        else:
            effects = [_list_lone_stores(first, b), _list_lone_stores(second, a)]
    return tuple(_format_accesses(*effects))


def list_uncompared(a: BasicBlock, b: BasicBlock, same: Renaming) -> tuple[str, ...]:
    """Return the statements whose effect is not compared.

    These are stores, if both programs have some, and statements that give a value from
    outside to a register that is read, unless ``same`` names the register of the other program with
    that value.
    """
    has_stores = bool(_list_stores(a) and _list_stores(b))
    accesses = []
    for program, paired in ((a, same.keys()), (b, same.values())):
        unpaired = {x.name for x in program.inputs} - {*paired}
        accesses.append(
            [
                x
                for x in program.outer_accesses
                if (has_stores if x.kind == STORED else not unpaired.isdisjoint(x.names))
            ]
        )
    return tuple(_format_accesses(*accesses))


def map_stored_results(a: BasicBlock, b: BasicBlock) -> dict[str, str]:
    """Return the results of ``b`` that its stores write where those of ``a`` write its results."""
    pairs = zip(_list_stores(a), _list_stores(b), strict=False)
    values = (pair for x, y in pairs for pair in zip(x.names, y.names, strict=True))
    return {x: y for x, y in values if x in a.outputs and y in b.outputs}


def _list_stores(program: BasicBlock) -> list[OuterAccess]:
    return [x for x in program.outer_accesses if x.kind == STORED]


def _list_unpaired_stores(a: list[OuterAccess], b: list[OuterAccess]) -> list[list[OuterAccess]]:
    """Return the first store of each program that has no pair, if there is one."""
    names: dict[str, str] = {}
    for x, y in zip_longest(a, b):
        is_pair = x and y and x.form == y.form and _pair_values(x, y, names)
        if not is_pair:
            return [[x] if x else [], [y] if y else []]
    return [[], []] if names else [a, b]


def _pair_values(a: OuterAccess, b: OuterAccess, names: dict[str, str]) -> bool:
    """Whether two stores have the same given values, or results that pair; add these."""
    for x, y in zip(a.names, b.names, strict=True):
        if x[0] == "=" or y[0] == "=":
            if x != y:
                return False
        elif names.setdefault(x, y) != y:
            return False
    return len({*names.values()}) == len(names)


def _list_lone_stores(stores: list[OuterAccess], other: BasicBlock) -> list[OuterAccess]:
    """Return the stores of one program that are not results comparable with those of another."""
    values = [name for x in stores for name in x.names]
    results = {*other.results.values()} - {CARRY_REGISTER, *(x.name for x in other.guards)}
    if len({*values}) < len(values) or len(values) > max(len(results), 1):
        return stores
    return [x for x in stores if not x.is_apart or any(name[0] == "=" for name in x.names)]


def _format_accesses(*programs: list[OuterAccess]) -> Iterator[str]:
    for letter, accesses in zip("AB", programs, strict=True):
        for x in accesses:
            yield f"{quote_word(x.text)} ({letter}, line {x.line})"
