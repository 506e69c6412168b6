"""The smallest values of terms for which conditions hold: of the first term, then of the next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from ..prove.solver import Solver, Term, Undecided

_SECONDS = 0.5
"""The time for one question."""


class SmallestValues:
    """Conditions, to which the smallest values of terms are added one after another."""

    def __init__(self, solver: Solver, conditions: Sequence[Term], terms: Sequence[Term]) -> None:
        """Take conditions that can hold, and the terms that become small, in any order."""
        self._solver, self._make, self._all = solver, solver.terms.make, terms
        self.conditions = [*conditions]
        """Conditions that can hold together."""
        self._values: dict[Term, int] = {}
        """Values for which the conditions hold."""
        self._is_possible(solver.terms.manager.mk_true(), 2 * _SECONDS)

    def fix_product(self, counts: Sequence[Term], seconds: float) -> None:
        """Give numbers above 0 the smallest product, as far as the time for it allows."""
        if not counts:
            return
        ones = [self._make("EQUAL", x, self._make_value(x, 1)) for x in counts]
        all_ones = self._solver.terms.join("AND", ones)
        if self._is_possible(all_ones, _SECONDS):
            self.conditions.append(all_ones)
            return
        wide = [self._solver.terms.resize(x, x.sort().bv_size(), 64, signed=False) for x in counts]
        if len(wide) > 1:
            self.fix(reduce(self._solver.terms.multiply, wide), seconds, lowest=1, factors=wide)
        for x in counts:
            self.fix(x, seconds, lowest=1)

    def fix(
        self, term: Term, seconds: float, *, lowest: int = 0, factors: Sequence[Term] = ()
    ) -> None:
        """Give a term its smallest value, as far as the time for it allows.

        ``factors`` are terms that are not larger, which the solver does not see at once.
        """
        low, high = lowest, self._values.get(term)
        end, step, largest = self._solver.elapsed + seconds, 0, (1 << term.sort().bv_size()) - 1
        while (high is None or low < high) and low <= largest and self._solver.elapsed < end:
            limit = min(low + step, largest if high is None else (low + high) // 2)
            bounds = [self._make("BV_ULE", x, self._make_value(x, limit)) for x in (*factors, term)]
            bound = self._solver.terms.join("AND", bounds)
            if self._is_possible(bound, end - self._solver.elapsed):
                high = self._solver.get_value(term)
            else:
                low, step = limit + 1, max(2 * step, 1)
        if high is not None:
            self.conditions.append(self._make("EQUAL", term, self._make_value(term, high)))

    def keep_one(self, alternatives: Sequence[Term]) -> None:
        """Keep the first of some conditions that can hold."""
        kept = next((x for x in alternatives if self._is_possible(x, _SECONDS)), None)
        self.conditions += [] if kept is None else [kept]

    def fix_near_zero(self, term: Term, seconds: float) -> None:
        """Give a term its smallest value; if that has a sign, the one that is nearest to 0."""
        end = self._solver.elapsed + seconds
        middle = 1 << term.sort().bv_size() - 1
        is_low = self._make("BV_ULT", term, self._make_value(term, middle))
        if self._values.get(term, middle) < middle or self._is_possible(is_low, seconds):
            self.fix(term, end - self._solver.elapsed)
        else:
            self.fix(self._make("BV_NEG", term), end - self._solver.elapsed)

    def _is_possible(self, condition: Term, seconds: float) -> bool:
        """Whether a condition can hold with those before; note the values for which all hold."""
        seconds = min(seconds, _SECONDS, self._solver.remaining)
        try:
            is_possible = seconds > 0 and self._solver.is_possible(
                *self.conditions, condition, seconds=seconds
            )
        except Undecided:
            return False
        if is_possible:
            self._values = {x: self._solver.get_value(x) for x in self._all}
        return is_possible

    def _make_value(self, term: Term, value: int) -> Term:
        return self._solver.terms.make_value(value, term.sort().bv_size())
