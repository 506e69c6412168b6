"""The search for selectors of a SIMD instruction as a problem: free choices and their results.

The result of a lane depends only on its own two digits: the lanes of a or b that are its first and
its second operand. The plan therefore runs once for each pair of digits, repeated in every lane,
instead of once for each of 16.7 million pairs of selectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from typing import NamedTuple

from ...diagnosis.observation import Observed
from ...diagnosis.selector_matches import (
    DISTINCTIVE_KINDS,
    MIN_COINCIDENCE_COUNT,
    LaneDigits,
    SelectorMatches,
    SelectorSimplicity,
    Word,
    make_default_word,
)
from ...engine.isa.catalog import get_entry
from ...engine.isa.types import Form, Selector
from ...engine.semantics.lowering import lower
from ...engine.semantics.plan import Plan, run_plan
from ...engine.semantics.rules import Rules


@lru_cache(maxsize=64)
def iter_simple_selectors(written_word: Word, role: str) -> Mapping[Word, SelectorSimplicity]:
    """Return every selector of a or b that is simpler than ``OTHER``, simplest first."""
    words: dict[Word, SelectorSimplicity] = {}
    for word, simplicity in _iter_simple_words(written_word, role):
        if word != written_word:
            words[word] = min(simplicity, words.get(word, simplicity))
    return dict(sorted(words.items(), key=lambda x: x[1]))


def _iter_simple_words(written_word: Word, role: str) -> Iterator[tuple[Word, SelectorSimplicity]]:
    lanes = len(written_word)
    default = make_default_word(lanes, role)
    yield default, SelectorSimplicity.DEFAULT
    # with two lanes, one changed digit is the simpler explanation
    renumbered = SelectorSimplicity.RENUMBERED if lanes > 2 else SelectorSimplicity.REVERSED
    for word in (written_word, default):
        yield tuple(digit ^ lanes for digit in word), renumbered
    for word in _list_one_digit_changes(written_word):
        yield word, SelectorSimplicity.ONE_DIGIT
    for word in (written_word, default):
        yield word[::-1], SelectorSimplicity.REVERSED
    yield tuple(digit ^ lanes - 1 for digit in written_word), SelectorSimplicity.MIRRORED
    for shift in range(1, lanes):
        yield written_word[shift:] + written_word[:shift], SelectorSimplicity.ROTATED
    for digit in range(2 * lanes):
        yield (digit,) * lanes, SelectorSimplicity.REPEATED


def _list_one_digit_changes(written_word: Word) -> list[Word]:
    """Return the written selector with one digit changed, smallest digits first."""
    lanes = len(written_word)
    changes = product(range(lanes), range(2 * lanes))
    return sorted(
        (*written_word[:lane], digit, *written_word[lane + 1 :]) for lane, digit in changes
    )


Case = tuple[Mapping[str, int], Observed]
"""Operands by role, and the observed d."""
Rows = Mapping[str, tuple[int, ...]]
"""The values of a plan's rows, by key, with a number for each lane."""


class SelectorProblem(NamedTuple):
    """A form, its rules, and the roles whose selectors may change."""

    form: Form
    rules: Rules
    guard: bool | None
    roles: str

    @property
    def lanes(self) -> int:
        """Number of lanes: 2 or 4."""
        return get_entry(self.form).lanes

    @property
    def unit(self) -> int:
        """Width of a lane in bits."""
        return 32 // self.lanes

    @property
    def plan(self) -> Plan:
        """The plan with default selectors: lane i reads lane i of a and of b."""
        return lower(self.form._replace(asel=None, bsel=None), self.rules, self.guard)

    @property
    def written_digits(self) -> tuple[LaneDigits, ...]:
        """The digits of each lane in the line."""
        form, n = self.form, self.lanes
        a = form.asel.lanes if form.asel else make_default_word(n, "a")
        b = form.bsel.lanes if form.bsel else make_default_word(n, "b")
        return tuple(zip(a, b, strict=True))

    @property
    def mask(self) -> tuple[int, ...]:
        """The lanes that are written or accumulated."""
        return self.form.mask.lanes if self.form.mask else tuple(range(self.lanes))

    def list_all_digits(self) -> set[LaneDigits]:
        """Return all digits of a lane if both selectors are free."""
        digits = range(2 * self.lanes)
        return set(product(digits, digits))

    def list_free_digits(self, lane: int) -> tuple[LaneDigits, ...]:
        """Return the digits of an unread lane."""
        digits = range(2 * self.lanes)
        a, b = self.written_digits[lane]
        return tuple(
            product(digits if "a" in self.roles else (a,), digits if "b" in self.roles else (b,))
        )

    def count_changes(self, lane: int, digits: LaneDigits) -> int:
        """Return the number of a lane's digits that differ from the line."""
        return sum(x != y for x, y in zip(digits, self.written_digits[lane], strict=True))

    def iter_simple_digits(self) -> Iterator[tuple[SelectorSimplicity, tuple[LaneDigits, ...]]]:
        """Yield selectors that an author may have meant, simplest first."""
        words = zip("ab", zip(*self.written_digits, strict=True), strict=True)
        a_words, b_words = (
            iter_simple_selectors(word, role).items()
            if role in self.roles
            else ((word, SelectorSimplicity.DEFAULT),)
            for role, word in words
        )
        pairs = product(a_words, b_words)
        for (a, x), (b, y) in sorted(pairs, key=lambda pair: max(pair[0][1], pair[1][1])):
            yield max(x, y), tuple(zip(a, b, strict=True))

    def choose_simplest(
        self,
        fallback: Sequence[LaneDigits],
        is_solution: Callable[[Sequence[LaneDigits]], bool],
        choice_count: int,
    ) -> tuple[SelectorSimplicity, Sequence[LaneDigits]]:
        """Return the simplest fitting digits, or else the nearest to the line.

        If many fit, selectors that rarely fit by coincidence come first.
        """
        as_written = tuple(fallback) == self.written_digits
        candidates = self.iter_simple_digits()
        if choice_count >= MIN_COINCIDENCE_COUNT:
            candidates = iter(sorted(candidates, key=lambda x: x[0] not in DISTINCTIVE_KINDS))
        solutions = (x for x in candidates if not as_written and is_solution(x[1]))
        return next(solutions, (SelectorSimplicity.OTHER, fallback))

    def make_matches(
        self,
        solution: tuple[SelectorSimplicity, Sequence[LaneDigits]],
        choice_count: int,
        lanes: tuple[tuple[LaneDigits, ...], ...] = (),
        *,
        is_truncated: bool = False,
    ) -> SelectorMatches:
        """Return the solution with these digits, one pair for each lane.

        ``choice_count`` counts the choices in lanes that are read.
        """
        simplicity, digits = solution
        unread_lanes = (lane for lane in range(self.lanes) if lane not in self.mask)
        redundancy = prod(len(self.list_free_digits(lane)) for lane in unread_lanes)
        return SelectorMatches(
            *self.make_selectors(digits),
            choice_count * redundancy,
            lanes,
            sum(self.count_changes(lane, lane_digits) for lane, lane_digits in enumerate(digits)),
            simplicity,
            redundancy,
            is_truncated,
        )

    def make_selectors(
        self, digits: Sequence[LaneDigits]
    ) -> tuple[Selector | None, Selector | None]:
        """Return the selectors of a and b for these digits, None for a default.

        A selector that is not free stays as written.
        """
        a_word, b_word = zip(*digits, strict=True)
        return (
            self._make_selector("a", a_word) if "a" in self.roles else self.form.asel,
            self._make_selector("b", b_word) if "b" in self.roles else self.form.bsel,
        )

    def _make_selector(self, role: str, word: Word) -> Selector | None:
        return None if word == make_default_word(self.lanes, role) else Selector(self.unit, word)

    def iter_runs(
        self, operands: Mapping[str, int], candidates: Iterable[LaneDigits]
    ) -> Iterator[tuple[tuple[LaneDigits, ...], Rows]]:
        """Run the plan on a case's operands until every lane has had all its candidates.

        Yield the digits of each lane and the rows of the run. A selector that is not free keeps the
        digits of the line.
        """
        plan, pairs = self.plan, tuple(candidates)
        a_choices = self._list_words(operands, "a", {a for a, _ in pairs})
        b_choices = self._list_words(operands, "b", {b for _, b in pairs})
        for (a_digits, a), (b_digits, b) in product(a_choices, b_choices):
            values = run_plan(plan, {**operands, "a": a, "b": b})
            yield tuple(zip(a_digits, b_digits, strict=True)), values

    def _list_words(
        self, operands: Mapping[str, int], role: str, candidates: set[int]
    ) -> list[tuple[tuple[int, ...], int]]:
        """Return the choices for a or b: the digits of its lanes, and the word that they select."""
        index = "ab".index(role)
        if role in self.roles:
            choices = [(digit,) * self.lanes for digit in sorted(candidates)]
        else:
            choices = [tuple(pair[index] for pair in self.written_digits)]
        return [(digits, self._select_lanes(operands, digits)) for digits in choices]

    def _select_lanes(self, operands: Mapping[str, int], digits: Sequence[int]) -> int:
        """Return the word with the lanes that the digits select: a's lanes are first, then b's."""
        lane_pool = operands["a"] | operands["b"] << 32
        field = (1 << self.unit) - 1
        word = 0
        for lane, digit in enumerate(digits):
            part = lane_pool >> self.unit * digit & field
            word |= part << self.unit * lane
        return word
