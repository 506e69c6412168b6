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
_MAX_COINCIDENCE = 0xFF


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
        common_values = {*map(_find_value, first)} & {*map(_find_value, second)} - {None}
        for i, (a, b) in enumerate(self.pairs):
            before = self.counts[-1]
            self.counts.append((before[0] + (a is not None), before[1] + (b is not None)))
            pair = None if a is None else first[a], None if b is None else second[b]
            if _is_different(*pair, common_values):
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

    Loads of the same bits, or of other widths, and addresses that both threads compute, in another
    order, are no difference.
    """
    if a is None or b is None:
        return any(x is not None and x.places for x in (a, b))
    if find_effect(a) == find_effect(b):
        return False
    if _find_access(a) is _find_access(b) is False and a.is_active is b.is_active:
        first, second = ([(x.width, x.name, x.bits) for x in y.reads if x.width] for y in (a, b))
        return first != second and sum(x[0] for x in first) == sum(x[0] for x in second)
    return not {_find_value(a), _find_value(b)} <= common_values


def pair_steps(first: Sequence[ThreadStep], second: Sequence[ThreadStep]) -> tuple[StepPair, ...]:
    """Return the pairs in the order of both threads.

    Accesses to one place are paired first, then other accesses of one kind, equal results of one
    opcode, and equal large results; then steps whose results a pair reads, and equal opcodes.
    """
    ends = len(first), len(second)
    pairs = [*_match(first, second, (0, ends[0]), (0, ends[1]), _KEYS)]
    pairs = _add_producers(first, second, pairs)
    opcodes = (_match(first, second, *gap, (_find_opcode,)) for gap in _iter_gaps(pairs, ends))
    pairs = _add_producers(first, second, sorted([*pairs, *chain.from_iterable(opcodes)]))
    all_pairs: list[StepPair] = []
    for (a, b), pair in zip(_iter_gaps(pairs, ends), [*pairs, None], strict=True):
        all_pairs += [(x, None) for x in range(*a)]
        all_pairs += [(None, x) for x in range(*b)]
        all_pairs += [pair] if pair else []
    return tuple(all_pairs)


def _iter_gaps(
    pairs: Sequence[tuple[int, int]], ends: tuple[int, int]
) -> Iterator[tuple[_Span, _Span]]:
    """Yield the spans of both threads before each pair, and after the last one."""
    for (a, b), (next_a, next_b) in pairwise([(-1, -1), *pairs, ends]):
        yield (a + 1, next_a), (b + 1, next_b)


def _add_producers(
    first: Sequence[ThreadStep], second: Sequence[ThreadStep], pairs: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the pairs, with the steps between them whose results both steps of a pair read."""
    partners, readers = dict(pairs), dict[int, list[int]]()

    def note(position: int) -> None:
        for read in first[position].reads:
            readers.setdefault(read.step - 1, []).append(position)

    for position in partners:
        note(position)
    gaps = [*_iter_gaps(pairs, (len(first), len(second)))]
    for a, (start, end) in reversed(gaps):  # a step is read after it
        for position in reversed(range(*a)):
            found = [
                read.step - 1
                for reader in readers.get(position, ())
                for read in second[partners[reader]].reads
                if start < read.step <= end
            ]
            if found:
                partners[position] = end = max(found)
                note(position)
    return sorted(partners.items())


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
    _find_value,
)
