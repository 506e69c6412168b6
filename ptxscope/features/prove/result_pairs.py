"""The registers of two computations that are the same operand, and the results to compare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from ...engine.ir.tape import Node
from ...engine.isa.types import CARRY_REGISTER, Type
from ...engine.syntax.asm_bindings import read_bindings_of
from ...engine.tracing.basic_block import BasicBlock
from .memory_effects import map_stored_results
from .proof_question import ProofQuestion, Renaming, Side


class ResultPair(NamedTuple):
    """A result of each computation, by name; "" if it keeps the register's old value."""

    names: tuple[str, str]
    nodes: tuple[Node, Node]
    bits: int


def with_guard_results(block: BasicBlock) -> BasicBlock:
    """Return a block with the predicates of its guards that it computes among its results."""
    if not block.guards:
        return block
    guards = {x.name: x.place for x in block.guards if x.place.statement}
    outputs = {**block.outputs, **guards}.items()
    return replace(block, outputs=dict(sorted(outputs, key=lambda x: x[1].statement)))


def drop_other_results(side: Side, has_carry: bool) -> Side:
    """Return a side without the predicates of its guards, and without the flag that it leaves.

    The decisions of guards are compared. The flag is kept if it is requested, or the only result.
    """
    dropped = {x.name for x in side.program.guards}
    if not has_carry and side.results.keys() - dropped != {CARRY_REGISTER}:
        dropped.add(CARRY_REGISTER)
    results = {name: x for name, x in side.results.items() if name not in dropped}
    return side._replace(results=results)


def match_inputs(first: Side, b: BasicBlock, same: Renaming) -> dict[str, str]:
    """Return the name in the question of each register of ``b`` that has a different one there."""
    read_by_b = {x.name for x in b.inputs}
    names_of_a = {*first.inputs.values()}
    variables = map_variables(b, first.program, is_output=False)
    renaming: dict[str, str] = {}
    for x, y in same.items():
        if x not in first.inputs:
            raise ValueError(f"{x} is not read by A, which reads {_list_names(first.inputs)}")
        if y not in read_by_b:
            raise ValueError(f"{y} is not read by B, which reads {_list_names(read_by_b)}")
        if y in renaming:
            raise ValueError(f"{y} of B cannot be both {renaming[y]} and {x} of A")
        renaming[y] = first.inputs[x]
    other_names = set(renaming.values())
    for name in sorted(read_by_b - renaming.keys()):
        other = name.removeprefix("%") if name.startswith("%") else f"%{name}"
        if name in variables:
            renaming[name] = variables[name]
        elif name in other_names:
            renaming[name] = f"{name}'"
        elif (
            name not in names_of_a and other in names_of_a and other not in read_by_b | other_names
        ):
            renaming[name] = other
    shared = {renaming.get(name, name) for name in read_by_b} & names_of_a
    if first.inputs and read_by_b and not shared:
        names = _list_names(first.inputs), _list_names(x.name for x in b.inputs)
        raise ValueError("A reads {}, and B reads {}; say which are the same".format(*names))
    return renaming


def map_variables(program: BasicBlock, other: BasicBlock, *, is_output: bool) -> dict[str, str]:
    """Return the operands of an asm statement that are variables named in the other program.

    There are none if that is an asm statement, too, whose operands have their own numbers.
    """
    own, others = read_bindings_of(program), read_bindings_of(other)
    if others.inputs or others.outputs:
        return {}
    names = other.results.values() if is_output else {x.name for x in other.inputs}
    variables = own.outputs if is_output else own.inputs
    return {x: name for name, operands in variables.items() if name in names for x in operands}


def _list_names(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"


def with_same_results(program: BasicBlock, other: BasicBlock, has_carry: bool) -> BasicBlock:
    """Return a block with the results of another computation that it writes, and reads later.

    Results that are paired by position need no more.
    """
    names, others = (
        [y for y in x.results.values() if has_carry or y != CARRY_REGISTER]
        for x in (program, other)
    )
    if len(names) != len(others) and {*names} & {*others}:
        return program.with_results(others)
    return program


def pair_results(question: ProofQuestion, first: Side, second: Side) -> Iterator[ResultPair]:
    """Yield the results to compare: by name, and the others by position."""
    x, y = first.results, second.results
    variables = {
        **map_variables(first.program, second.program, is_output=True),
        **_invert(map_variables(second.program, first.program, is_output=True)),
    }
    variables |= map_stored_results(first.program, second.program)
    shared = {name: variables.get(name, name) for name in x if variables.get(name, name) in y}
    others = [
        [name for name in side if name not in paired]
        for side, paired in ((x, shared.keys()), (y, shared.values()))
    ]
    names = [*shared.items()]
    if len(x) == len(y):
        names += zip(*others, strict=True)
    elif shared:
        names += [(name, "") for name in others[0]]
        names += [("", name) for name in others[1]]
    else:
        counts = f"A writes {_list_names(x)} and B writes {_list_names(y)}"
        raise ValueError(f"{counts}: the numbers differ")
    for pair in names:
        types = [side[name][1] for side, name in zip((x, y), pair, strict=True) if name]
        if len({type_.bits for type_ in types}) > 1:
            sizes = " and ".join(str(type_.bits) for type_ in types)
            raise ValueError(f"{pair[0]} and {pair[1]} have different widths: {sizes} bits")
        nodes = [
            side.results[name][0] if name else _add_old_value(question, other, own, types[0])
            for side, name, other, own in zip(
                (first, second), pair, (second, first), reversed(pair), strict=True
            )
        ]
        yield ResultPair(pair, (nodes[0], nodes[1]), types[0].bits)


def _invert(names: Mapping[str, str]) -> dict[str, str]:
    return {y: x for x, y in names.items()}


def _add_old_value(question: ProofQuestion, side: Side, name: str, type_: Type) -> Node:
    """Return the former value of a register that only ``side`` writes, under its name there."""
    return question.add_input(side.inputs.get(name, name), type_)
