"""The dataflow of the statements of a sequence, as a pattern of its own."""

from __future__ import annotations

from collections.abc import Mapping

from .dataflow import CONSTANT, INPUT, DataFlow, FlowNode
from .patterns import Match, Pattern, write_ptx


def extract_pattern(
    flow: DataFlow, root: int, intrinsic: str, arguments: Mapping[int, str]
) -> Pattern:
    """Return the computation of a node from others; ``arguments`` has their letters by number."""
    parameters = "".join(sorted(arguments.values()))
    needed, stack = {root}, [root]
    while stack:
        number = stack.pop()
        if number in arguments or flow.nodes[number].operation == CONSTANT:
            continue
        if flow.nodes[number].operation == INPUT:
            raise ValueError(f"{intrinsic} depends on {flow.registers[number]}")
        new = set(flow.nodes[number].arguments) - needed
        needed |= new
        stack.extend(new)
    pattern = DataFlow()
    letters = {letter: pattern.add_input(letter) for letter in parameters}
    numbers: dict[int, int] = {}
    for number in sorted(needed):
        operation, inputs = flow.nodes[number]
        if number in arguments:
            numbers[number] = letters[arguments[number]]
        elif operation == CONSTANT:
            numbers[number] = pattern.add(flow.nodes[number])
        else:
            numbers[number] = pattern.add(FlowNode(operation, tuple(numbers[x] for x in inputs)))
    return Pattern(intrinsic, parameters, tuple(pattern.nodes))


def write_claim(flow: DataFlow, match: Match) -> tuple[str, str]:
    """Return PTX that computes a match's result from a, b and c, and the intrinsic's call in C."""
    letters: dict[int, str] = {}
    numbers = match.numbers[: len(match.pattern.parameters)]
    for number in numbers:
        letters.setdefault(number, "abc"[len(letters)])
    root, name = match.numbers[-1], match.pattern.intrinsic
    pattern = extract_pattern(flow, root, name, letters)
    return write_ptx(pattern), f"d = {name}({', '.join(letters[x] for x in numbers)});"
