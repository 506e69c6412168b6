"""The steps of two threads, paired: the steps of each kernel that do the same work."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from difflib import SequenceMatcher
from itertools import chain, pairwise

from ...engine.syntax.opcodes import STORES
from ..kernels.launches.thread_log import ACCESSES, ThreadStep

StepPair = tuple[int | None, int | None]
"""A position among the steps of each thread; None if one thread has no such step."""
_Key = Callable[[ThreadStep], Hashable]
"""Two steps with the same key are a pair; a step without one, None, has no partner."""
_Span = tuple[int, int]
_MAX_COINCIDENCE = 0xFFFF


class PairedSteps:
    """The steps of two threads, in pairs."""

    def __init__(self, first: Sequence[ThreadStep], second: Sequence[ThreadStep]) -> None:
        self.pairs = pair_steps(first, second)
        """In the order of both threads."""
        self.counts: list[tuple[int, int]] = [(0, 0)]
        """The steps of each thread before each pair, and at the end."""
        self.differences: list[int] = []
        """The pairs that write other values, and the stores of one thread only."""
        self.different_steps: tuple[set[int], set[int]] = (set(), set())
        """The numbers of the steps of each thread in these pairs."""
        values = [{*map(_find_value, steps)} - {None} for steps in (first, second)]
        for i, (a, b) in enumerate(self.pairs):
            before = self.counts[-1]
            self.counts.append((before[0] + (a is not None), before[1] + (b is not None)))
            pair = None if a is None else first[a], None if b is None else second[b]
            if _is_different(*pair, values[0] & values[1]):
                self.differences.append(i)
                for step, numbers in zip(pair, self.different_steps, strict=True):
                    numbers |= {step.number} if step else set()

    def find_position(self, side: int, step: int) -> int:
        """Return the position of the pair with a step of a thread, or the end."""
        return bisect_right(self.counts, step, key=lambda x: x[side]) - 1

    def find_end(self, side: int) -> int:
        """Return the position after the last step of a thread."""
        return bisect_left(self.counts, self.counts[-1][side], key=lambda x: x[side])


def _is_different(a: ThreadStep | None, b: ThreadStep | None, common_values: Set[Hashable]) -> bool:
    """Return whether a pair writes other values; ``common_values`` are large ones of both threads.

    Loads of other widths, and two addresses that both threads compute in another order, are no
    difference.
    """
    if a is None or b is None:
        return any(x is not None and x.places for x in (a, b))
    if find_effect(a) == find_effect(b):
        return False
    widths = [sum(read.width for read in x.reads) for x in (a, b)]
    is_wider = _find_access(a) is _find_access(b) is False and widths[0] != widths[1]
    return not is_wider and not {_find_value(a), _find_value(b)} <= common_values


def pair_steps(first: Sequence[ThreadStep], second: Sequence[ThreadStep]) -> tuple[StepPair, ...]:
    """Return the pairs in the order of both threads.

    Accesses to one place are paired first, then other accesses of one kind, equal results of one
    opcode, equal opcodes, and equal results. Of the steps between two pairs, the last ones, which
    compute what follows, are a pair too.
    """
    pairs = [*_match(first, second, (0, len(first)), (0, len(second)), _KEYS)]
    ends = [(-1, -1), *pairs, (len(first), len(second))]
    return tuple(
        chain.from_iterable(
            _fill(range(a + 1, next_a), range(b + 1, next_b), (next_a, next_b))
            for (a, b), (next_a, next_b) in pairwise(ends)
        )
    )[:-1]


def _fill(first: range, second: range, end: tuple[int, int]) -> Iterator[StepPair]:
    """Yield the steps before a pair, the last of both together, and that pair."""
    last: list[StepPair] = []
    if first and second:
        last = [(first[-1], second[-1])]
        first, second = first[:-1], second[:-1]
    yield from ((x, None) for x in first)
    yield from ((None, x) for x in second)
    yield from last
    yield end


def _match(
    first: Sequence[ThreadStep],
    second: Sequence[ThreadStep],
    a: _Span,
    b: _Span,
    keys: tuple[_Key, ...],
) -> Iterator[tuple[int, int]]:
    """Yield pairs of two spans by the first key, and between them by the others."""
    if not keys or a[0] == a[1] or b[0] == b[1]:
        return
    key, *others = keys
    rows, columns = (
        [(i, x) for i in range(*span) if (x := key(steps[i])) is not None]
        for steps, span in ((first, a), (second, b))
    )
    matcher = SequenceMatcher(None, [x for _, x in rows], [x for _, x in columns])
    start = a[0], b[0]
    for block in matcher.get_matching_blocks():
        for i in range(block.size):
            pair = rows[block.a + i][0], columns[block.b + i][0]
            yield from _match(first, second, (start[0], pair[0]), (start[1], pair[1]), (*others,))
            yield pair
            start = pair[0] + 1, pair[1] + 1
    yield from _match(first, second, (start[0], a[1]), (start[1], b[1]), (*others,))


# --- keys ------------------------------------------------------------------------------------


def _find_access(step: ThreadStep) -> Hashable:
    """Return whether a step stores or loads, except parameters."""
    statement = step.statement
    is_access = statement.opcode in ACCESSES and "param" not in statement.modifiers
    return statement.opcode in STORES if is_access else None


def _find_place(step: ThreadStep) -> Hashable:
    """Return an access with the first place that it accesses."""
    names = [x.name for x in step.places] or [x.name for x in step.reads if x.width]
    is_store = _find_access(step)
    return None if is_store is None or not names else (is_store, names[0])


def find_effect(step: ThreadStep) -> tuple[Hashable, ...]:
    """Return the values that a step writes to registers and to places, and whether it acts."""
    registers = tuple((x.bits, x.width) for x in step.writes)
    return (step.is_active, *registers, *((x.name, x.bits) for x in step.places))


def _find_value(step: ThreadStep) -> Hashable:
    """Return the large values that a step writes; small ones are often equal by coincidence."""
    values = tuple(x.bits for x in step.writes)
    return values if any((x or 0) > _MAX_COINCIDENCE for x in values) else None


def _find_opcode(step: ThreadStep) -> Hashable:
    return step.statement.opcode


_KEYS: tuple[_Key, ...] = (
    _find_place,
    _find_access,
    lambda x: (_find_opcode(x), find_effect(x)),
    _find_opcode,
    _find_value,
)
