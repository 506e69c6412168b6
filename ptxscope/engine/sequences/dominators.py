"""The stretches of a program, and for each the one that always runs before it.

A stretch is straight-line code: statements that run one after the other. In code such as compilers
write, a register that one statement alone writes has the same value in all stretches that this
statement dominates, so that a sequence may begin before a loop and end in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..program.statement import Statement, StatementKind

_MAX_PASSES = 12
"""Passes in which the dominators of usual code are found; others are not looked for."""
_MAX_STEPS = 200
"""Steps for each stretch in which they are found."""
_NEVER_FALLS_THROUGH = frozenset(("bra", "ret", "exit", "trap"))


class Stretch(NamedTuple):
    """The statements of straight-line code."""

    statements: tuple[Statement, ...]
    dominated: range | None
    """Numbers of the stretches that it dominates, its own first; None if they are not known.

    They are numbered so that those that a stretch dominates follow it.
    """

    def dominates(self, other: Stretch) -> bool:
        """Return whether it has always run before another one does, or is the same."""
        if self.dominated is None or other.dominated is None:
            return self is other
        return other.dominated.start in self.dominated


def find_stretches(
    statements: Sequence[Statement], *, is_whole: bool = True
) -> tuple[Stretch, ...]:
    """Return the stretches in the order of the text; labels and branches are in none.

    Nothing is known of what dominates another one if a branch may come from or go to elsewhere.
    """
    blocks: list[list[Statement]] = [[]]
    labels: dict[str, int] = {}
    branches: dict[int, Statement] = {}
    is_known = is_whole
    for statement in statements:
        if statement.is_opaque:
            is_known = False  # it may write any register, and go anywhere
            blocks.append([])
        elif statement.kind is StatementKind.LABEL:
            blocks.append([])
            is_known &= labels.setdefault(statement.opcode, len(blocks) - 1) == len(blocks) - 1
        elif statement.kind is StatementKind.BRANCH:
            branches[len(blocks) - 1] = statement
            blocks.append([])
        else:
            blocks[-1].append(statement)
    successors = _find_successors(len(blocks), branches, labels) if is_known else None
    dominators = _find_dominators(successors) if successors else None
    dominated = _number_dominated(dominators) if dominators else [None] * len(blocks)
    return tuple(Stretch(tuple(x), y) for x, y in zip(blocks, dominated, strict=True))


def _number_dominated(dominators: Sequence[int | None]) -> list[range | None]:
    """Return the new numbers of the nodes that each one dominates; None for one never reached."""
    children: list[list[int]] = [[] for _ in dominators]
    for number, dominator in enumerate(dominators):
        if dominator is not None:
            children[dominator].append(number)
    found: list[range | None] = [None] * len(dominators)
    count, stack = 0, [(0, False)]
    while stack:
        number, is_done = stack.pop()
        if is_done:
            start = found[number]
            assert start
            found[number] = range(start.start, count)
        else:
            found[number] = range(count, count + 1)
            count += 1
            stack.append((number, True))
            stack.extend((x, False) for x in children[number])
    return found


def _find_successors(
    count: int, branches: Mapping[int, Statement], labels: Mapping[str, int]
) -> list[list[int]] | None:
    """Return the stretches that may come next; None if a branch may lead anywhere."""
    successors: list[list[int]] = []
    for number in range(count):
        branch = branches.get(number)
        opcode = branch.opcode if branch else ""
        found = [number + 1] if opcode not in _NEVER_FALLS_THROUGH or _is_guarded(branch) else []
        if opcode == "bra":
            assert branch
            target = labels.get(branch.text.split()[-1])
            if target is None:
                return None
            found.append(target)
        elif branch and opcode not in _NEVER_FALLS_THROUGH:
            return None
        successors.append([x for x in found if x < count])
    return successors


def _is_guarded(branch: Statement | None) -> bool:
    return branch is not None and branch.guard is not None


def _find_dominators(successors: Sequence[Sequence[int]]) -> list[int | None] | None:
    """Return the immediate dominator of each node, of which the first is the entry.

    None stands for that of the entry, and of nodes that are never reached; None for all if there
    are too many loops in loops. (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm.)
    """
    order = _sort_reversed_postorder(successors)
    rank = {number: index for index, number in enumerate(order)}
    predecessors: list[list[int]] = [[] for _ in successors]
    for number in order:
        for following in successors[number]:
            predecessors[following].append(number)
    found: list[int | None] = [None] * len(successors)
    found[0] = 0
    steps = 0

    def intersect(a: int, b: int) -> int:
        nonlocal steps
        while a != b:
            steps += 1
            if rank[a] < rank[b]:
                a, b = b, a
            above = found[a]
            assert above is not None
            a = above
        return a

    for _ in range(_MAX_PASSES):
        has_changed = False
        for number in order[1:]:
            known = [x for x in predecessors[number] if found[x] is not None]
            dominator = known[0]
            for other in known[1:]:
                dominator = intersect(dominator, other)
            if steps > _MAX_STEPS * len(successors):
                return None
            if found[number] != dominator:
                found[number], has_changed = dominator, True
        if not has_changed:
            found[0] = None
            return found
    return None


def _sort_reversed_postorder(successors: Sequence[Sequence[int]]) -> list[int]:
    """Return the nodes that the first one reaches, each before those that follow it."""
    finished: list[int] = []
    seen = {0}
    stack = [(0, iter(successors[0]))]
    while stack:
        number, following = stack[-1]
        for other in following:
            if other not in seen:
                seen.add(other)
                stack.append((other, iter(successors[other])))
                break
        else:
            finished.append(number)
            stack.pop()
    return finished[::-1]
