"""Patterns of dataflow that compute a CUDA intrinsic, and their occurrences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import product
from typing import NamedTuple

from ...engine.isa.catalog import find_entry
from .dataflow import CONSTANT, INPUT, DataFlow, FlowNode

_PART = re.compile(r"(mov\.b\d+)\.([01])")
"""The operation that extracts one of two parts of a word."""
_ANY = "*"
_MAX_STEPS = 400
"""Maximum comparisons for one pattern at one node, which keeps the search linear."""


class Pattern(NamedTuple):
    """Dataflow that computes an intrinsic."""

    intrinsic: str
    """The intrinsic: ``__vaddss4``."""
    parameters: str
    """A letter for each of its parameters, in C's order."""
    nodes: tuple[FlowNode, ...]
    """An input for each parameter, then the operations; the last one is the result."""

    @property
    def operation_count(self) -> int:
        """The number of operations."""
        return sum(x.operation not in (INPUT, CONSTANT) for x in self.nodes)

    def __str__(self) -> str:
        """Return a line of the table."""
        return f"{self.intrinsic}({self.parameters}) {'; '.join(self._iter_texts())}"

    def _iter_texts(self) -> Iterator[str]:
        texts: list[str] = list(self.parameters)
        step_count = 0
        for operation, arguments in self.nodes[len(self.parameters) :]:
            if operation == CONSTANT:
                texts.append(f"{arguments[0]:#x}")
                continue
            yield " ".join((operation, *(texts[x] for x in arguments)))
            texts.append(f"{step_count}")
            step_count += 1


def write_ptx(pattern: Pattern, result: str = "d") -> str:
    """Return PTX that computes a pattern's result from registers a, b and c."""
    texts = list(pattern.parameters)
    lines: list[str] = []
    for number in range(len(texts), len(pattern.nodes)):
        operation, arguments = pattern.nodes[number]
        if operation == CONSTANT:
            texts.append(f"{arguments[0]:#x}")
            continue
        target = result if number == len(pattern.nodes) - 1 else f"t{number}"
        texts.append(target)
        sources = [texts[x] for x in arguments]
        if part := _PART.fullmatch(operation):
            targets = ", ".join(target if x == int(part[2]) else "_" for x in range(2))
            lines.append(f"{part[1]} {{{targets}}}, {sources[0]};")
        elif operation.startswith("mov."):
            lines.append(f"{operation} {target}, {{{', '.join(sources)}}};")
        else:
            if operation.startswith("v") or "x2" in operation:  # these take registers only
                for index, source in enumerate(sources):
                    if source.startswith("0x"):
                        sources[index] = f"c{number}{index}"
                        lines.append(f"mov.b32 c{number}{index}, {source};")
            lines.append(f"{operation} {', '.join((target, *sources))};")
    return "\n".join(lines)


def read_pattern(line: str) -> Pattern:
    """Return the pattern of a line of the table."""
    head, _, steps = line.partition(" ")
    intrinsic, _, parameters = head.rstrip(")").partition("(")
    flow, step_nodes = DataFlow(), list[int]()
    letters = {letter: flow.add_input(letter) for letter in parameters}
    for step in steps.split(";"):
        operation, *words = step.split()
        arguments: list[int] = []
        for word in words:
            if word in letters:
                arguments.append(letters[word])
            elif word.startswith("0x"):
                arguments.append(flow.add_constant(int(word, 16)))
            else:
                arguments.append(step_nodes[int(word)])
        step_nodes.append(flow.add(FlowNode(operation, tuple(arguments))))
    return Pattern(intrinsic, parameters, tuple(flow.nodes))


class Match(NamedTuple):
    """An occurrence of a pattern in dataflow."""

    pattern: Pattern
    numbers: tuple[int, ...]
    """The number of the node for each node of the pattern."""


_Key = tuple[str, ...]


class PatternIndex:
    """Patterns by their last operations."""

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self._patterns: dict[_Key, list[Pattern]] = {}
        for pattern in sorted(patterns, key=lambda x: -x.operation_count):
            root = len(pattern.nodes) - 1
            self._patterns.setdefault(_make_key(pattern.nodes, root), []).append(pattern)
        self._operations = {key[0] for key in self._patterns}

    def find_match(self, flow: DataFlow, root: int) -> Match | None:
        """Return the largest match that ends at a node."""
        nodes = flow.nodes
        if nodes[root].operation not in self._operations:
            return None
        best: Match | None = None
        for key in _iter_keys(_make_key(nodes, root)):
            for pattern in self._patterns.get(key, ()):
                if best and pattern.operation_count <= best.pattern.operation_count:
                    break
                if numbers := _match(pattern.nodes, nodes, root):
                    best = Match(pattern, numbers)
                    break
        return best


@cache
def _is_commutative(operation: str) -> bool:
    """Whether the order of the two arguments of an operation does not matter."""
    opcode, *modifiers = operation.split(".")
    entry = find_entry(opcode, modifiers)
    return entry is not None and entry.is_commutative and len(entry.sources) == 2


def _get_label(node: FlowNode) -> str:
    """Return the label that a matching node has; ``_ANY`` for a pattern's input."""
    if node.operation == CONSTANT:
        return str(node.arguments[0])
    return node.operation or _ANY


def _make_key(nodes: Sequence[FlowNode], number: int) -> _Key:
    operation, arguments = nodes[number]
    labels = [_get_label(nodes[x]) for x in arguments]
    return (operation, *(sorted(labels) if _is_commutative(operation) else labels))


@lru_cache(4096)
def _iter_keys(key: _Key) -> tuple[_Key, ...]:
    """Return the keys of patterns that may match: any argument may be a pattern's input."""
    operation, *labels = key
    choices = product(*((label, _ANY) for label in labels))
    is_sorted = _is_commutative(operation)
    keys = ((operation, *(sorted(x) if is_sorted else x)) for x in choices)
    return tuple(dict.fromkeys(keys))


def _match(
    pattern: Sequence[FlowNode], nodes: Sequence[FlowNode], root: int
) -> tuple[int, ...] | None:
    """Return the node for each node of a pattern; None if it does not match at ``root``."""
    last, steps = len(pattern) - 1, 0
    # the open comparisons and the matched nodes, for each alternative not yet tried
    alternatives: list[tuple[list[tuple[int, int]], dict[int, int]]] = [([(last, root)], {})]
    while alternatives:
        pending, matched = alternatives.pop()
        while pending:
            steps += 1
            if steps > _MAX_STEPS:
                return None
            number, other = pending.pop()
            if number in matched:
                if matched[number] != other:
                    break
                continue
            matched[number] = other
            operation, arguments = pattern[number]
            if operation == INPUT:
                continue
            other_operation, others = nodes[other]
            if operation != other_operation or len(arguments) != len(others):
                break
            if operation == CONSTANT:
                if arguments != others:
                    break
                continue
            if _is_commutative(operation):
                both = (others, others[::-1])
                orders = [x for x in both if _may_match(pattern, arguments, nodes, x)]
                if not orders:
                    break
                others = orders[0]
                if len(orders) > 1 and others != orders[1]:
                    alternative = [*pending, *zip(arguments, orders[1], strict=True)]
                    alternatives.append((alternative, dict(matched)))
            pending.extend(zip(arguments, others, strict=True))
        else:
            return tuple(matched[x] for x in range(len(pattern)))
    return None


def _may_match(
    pattern: Sequence[FlowNode],
    arguments: Sequence[int],
    nodes: Sequence[FlowNode],
    others: Sequence[int],
) -> bool:
    """Return whether arguments have the operations or constants of a pattern."""
    return all(
        pattern[argument].operation == INPUT
        or _get_label(pattern[argument]) == _get_label(nodes[other])
        for argument, other in zip(arguments, others, strict=True)
    )


@cache
def get_patterns() -> tuple[Pattern, ...]:
    """Return the patterns of the table."""
    table = files(__package__).joinpath("patterns.txt").read_text("utf-8").splitlines()
    return tuple(read_pattern(line) for line in table if not line.startswith("#"))


@cache
def get_index() -> PatternIndex:
    """Return the patterns of the table by their last operations."""
    return PatternIndex(get_patterns())
