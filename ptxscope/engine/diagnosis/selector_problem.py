"""The selectors of a SIMD instruction as a problem: what may be chosen, and what it yields.

What a lane yields depends on its own two digits alone: which lane of a or b it reads as its
first operand, and which as its second. So the plan is run once for each pair of digits,
repeated in every lane, instead of once for each of 16.7 million pairs of selectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod

from ..isa.catalog import CATALOG
from ..isa.form import Form
from ..isa.types import Selector
from ..records import NamedTuple
from ..semantics.lowering import lower
from ..semantics.plan import Plan
from ..semantics.plan_execution import run_plan
from ..semantics.rules import Rules
from .observation import Observed
from .selector_simplicity import (
    FEW,
    MANY,
    SelectorSimplicity,
    Word,
    iter_simple_selectors,
    make_default_word,
)

LaneDigits = tuple[int, int]
"""The digits of asel and bsel for one lane."""
Case = tuple[Mapping[str, int], Observed]
"""Operands by role, and d as it was observed."""
Rows = Mapping[str, tuple[int, ...]]
"""The values of a plan's rows, by key: a number for each lane."""


class SelectorMatches(NamedTuple):
    """The selectors that fit, of which the plainest is shown; None where that is the default."""

    asel: Selector | None
    bsel: Selector | None
    match_count: int
    """How many pairs fit."""
    lanes: tuple[tuple[LaneDigits, ...], ...]
    """For each lane the digits that fit, where any choice in one goes with any in the others;
    else empty."""
    changed: int
    """How many digits differ."""
    plainness: SelectorSimplicity
    """Of the one shown; of the less plain of two."""
    redundancy: int = 1
    """How many of the pairs are one but for digits that nothing reads, where the mask leaves a
    lane out."""
    is_truncated: bool = False
    """Not all were tried, so there may be more."""


class SelectorProblem(NamedTuple):
    """What is asked: a form, the rules it runs by, and which of its selectors are free."""

    form: Form
    rules: Rules
    guard: bool | None
    free: str

    @property
    def lanes(self) -> int:
        """How many there are: 2 or 4."""
        return CATALOG[self.form.opcode].lanes

    @property
    def unit(self) -> int:
        """The width of a lane in bits."""
        return 32 // self.lanes

    @property
    def plan(self) -> Plan:
        """The plan with default selectors: lane i of a and of b are given as they are."""
        return lower(self.form._replace(asel=None, bsel=None), self.rules, self.guard)

    @property
    def written(self) -> tuple[LaneDigits, ...]:
        """The digits of each lane as they are written."""
        form, n = self.form, self.lanes
        a = form.asel.lanes if form.asel else make_default_word(n, "a")
        b = form.bsel.lanes if form.bsel else make_default_word(n, "b")
        return tuple(zip(a, b, strict=True))

    @property
    def mask(self) -> tuple[int, ...]:
        """The lanes that are written or accumulated."""
        return self.form.mask.lanes if self.form.mask else tuple(range(self.lanes))

    def list_all_digits(self) -> set[LaneDigits]:
        """All that a lane may have, were both selectors free."""
        digits = range(2 * self.lanes)
        return set(product(digits, digits))

    def list_free_digits(self, lane: int) -> tuple[LaneDigits, ...]:
        """What a lane may have that nothing reads."""
        every = range(2 * self.lanes)
        a, b = self.written[lane]
        return tuple(
            product(every if "a" in self.free else (a,), every if "b" in self.free else (b,))
        )

    def count_changes(self, lane: int, digits: LaneDigits) -> int:
        """How many of a lane's digits differ from what is written."""
        return sum(x != y for x, y in zip(digits, self.written[lane], strict=True))

    def iter_simple_digits(self) -> Iterator[tuple[SelectorSimplicity, tuple[LaneDigits, ...]]]:
        """Selectors that somebody may have had in mind, the plainest first."""
        words = zip("ab", zip(*self.written, strict=True), strict=True)
        a_words, b_words = (
            iter_simple_selectors(word, role).items()
            if role in self.free
            else ((word, SelectorSimplicity.DEFAULT),)
            for role, word in words
        )
        pairs = product(a_words, b_words)
        for (a, x), (b, y) in sorted(pairs, key=lambda pair: max(pair[0][1], pair[1][1])):
            yield max(x, y), tuple(zip(a, b, strict=True))

    def choose_simplest(
        self, least: Sequence[LaneDigits], holds: Callable[[Sequence[LaneDigits]], bool], ways: int
    ) -> tuple[SelectorSimplicity, Sequence[LaneDigits]]:
        """The plainest digits that hold; else those that differ least from what is written.

        Where many fit, any that are no chance come first.
        """
        as_written = tuple(least) == self.written
        plain = self.iter_simple_digits()
        if ways >= MANY:
            plain = iter(sorted(plain, key=lambda x: x[0] not in FEW))
        found = (x for x in plain if not as_written and holds(x[1]))
        return next(found, (SelectorSimplicity.OTHER, least))

    def make_matches(
        self,
        shown: tuple[SelectorSimplicity, Sequence[LaneDigits]],
        ways: int,
        lanes: tuple[tuple[LaneDigits, ...], ...] = (),
        *,
        is_truncated: bool = False,
    ) -> SelectorMatches:
        """The answer that shows these digits, one pair a lane; ``ways`` are those that are read."""
        plainness, digits = shown
        masked = (lane for lane in range(self.lanes) if lane not in self.mask)
        idle = prod(len(self.list_free_digits(lane)) for lane in masked)
        return SelectorMatches(
            *self.make_selectors(digits),
            ways * idle,
            lanes,
            sum(self.count_changes(lane, own) for lane, own in enumerate(digits)),
            plainness,
            idle,
            is_truncated,
        )

    def make_selectors(
        self, digits: Sequence[LaneDigits]
    ) -> tuple[Selector | None, Selector | None]:
        """Those of a and b that pick these digits; a default is left out, unless it is written."""
        a_word, b_word = zip(*digits, strict=True)
        return (
            self._make_selector("a", a_word) if "a" in self.free else self.form.asel,
            self._make_selector("b", b_word) if "b" in self.free else self.form.bsel,
        )

    def _make_selector(self, role: str, word: Word) -> Selector | None:
        return None if word == make_default_word(self.lanes, role) else Selector(self.unit, word)

    def iter_runs(
        self, operands: Mapping[str, int], wanted: Iterable[LaneDigits]
    ) -> Iterator[tuple[tuple[LaneDigits, ...], Rows]]:
        """The plan run on a case's operands until every lane has had every wanted digits.

        Each run is told by the digits that its lanes had. A selector that is not free keeps
        the digits that are written, whatever is wanted of it.
        """
        plan, pairs = self.plan, tuple(wanted)
        a_choices = self._list_words(operands, "a", {a for a, _ in pairs})
        b_choices = self._list_words(operands, "b", {b for _, b in pairs})
        for (a_digits, a), (b_digits, b) in product(a_choices, b_choices):
            values = run_plan(plan, {**operands, "a": a, "b": b})
            yield tuple(zip(a_digits, b_digits, strict=True)), values

    def _list_words(
        self, operands: Mapping[str, int], role: str, wanted: set[int]
    ) -> list[tuple[tuple[int, ...], int]]:
        """What stands for a or for b: the digits of its lanes, and the word they select."""
        index = "ab".index(role)
        if role in self.free:
            choices = [(digit,) * self.lanes for digit in sorted(wanted)]
        else:
            choices = [tuple(pair[index] for pair in self.written)]
        return [(digits, self._select_lanes(operands, digits)) for digits in choices]

    def _select_lanes(self, operands: Mapping[str, int], digits: Sequence[int]) -> int:
        """The word whose lanes are those that the digits name: first come a's, then b's."""
        both = operands["a"] | operands["b"] << 32
        field = (1 << self.unit) - 1
        word = 0
        for lane, digit in enumerate(digits):
            part = both >> self.unit * digit & field
            word |= part << self.unit * lane
        return word
