"""Search for explanations of observations: every cause, and every pair of causes.

``explanations`` ranks the results and puts them into words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import isnan
from typing import NamedTuple

from ..engine.isa.catalog import get_entry
from ..engine.isa.encodings import decode_float
from ..engine.semantics.models import PTXAS_MODELS, Model
from ..engine.semantics.plan import Plan, compute_results
from ..engine.syntax.instruction import Instruction
from ..feature import Service, find_services
from .causes import Bits, Cause, CauseKind, ObservedCase, Variant, Variants
from .form_causes import find_folded_selections, find_lost_differences, iter_form_causes
from .line_changes import (
    find_byte_selector,
    find_literals,
    iter_digit_changes,
    iter_literal_changes,
    make_lane_selector_cause,
)
from .selector_matches import DISTINCTIVE_KINDS, MIN_COINCIDENCE_COUNT, SelectorMatches
from .value_causes import find_float_operands, iter_value_causes

_PROBE_COUNT = 8
"""Number of observations to try one by one before the rest."""
_MIN_ARRAY_CASES = 64
"""Minimum number of observations that justifies importing NumPy."""
_MAX_NEAR_MISSES = 64
"""Maximum near misses kept before the nearest are selected."""


class CauseCombination(NamedTuple):
    """Causes that together explain the observations, or nearly do."""

    causes: tuple[Cause, ...]
    matches: SelectorMatches | None = None
    """The solved selectors, if any."""
    explained_count: int = 0
    """Number of observations explained before the first failure, if there is one."""
    distance: int = 0
    """Wrong bits in the first unexplained observation."""

    @property
    def cost(self) -> int:
        """Cost: how unlikely the causes are, plus a penalty for a likely coincidence."""
        return sum(cause.cost for cause in self.causes) + compute_coincidence_cost(self.matches)


class Search:
    """Combinations of up to two causes, each tried once.

    In a pair, neither cause is sufficient alone, both change something, and they affect different
    aspects of the instruction.
    """

    def __init__(
        self, ins: Instruction, cases: Sequence[ObservedCase], max_causes: int = 2
    ) -> None:
        """``max_causes`` is 1 for single causes only."""
        self.ins, self.cases, self.try_count = ins, cases, 0
        self.max_causes = max_causes
        self.roles = frozenset.intersection(*(frozenset(x.observation.operands) for x in cases))
        self.near_misses: list[CauseCombination] = []
        self._variants = Variants(ins, self.roles)

    def run(self) -> Iterator[CauseCombination]:
        """Yield the combinations that explain every observation."""
        documented = self._try_causes(())
        if documented:
            yield CauseCombination(())
        insufficient: list[Cause] = []
        variants: set[Variant | None] = set()
        for cause in self._iter_causes():
            if self._variants.is_redundant((cause,)) or not self._try_causes((cause,)):
                insufficient.append(cause)
            elif documented and cause.kind is CauseKind.PTXAS:
                continue  # this ptxas also has the documented result
            elif not self._is_explained_by_newest((cause,)):
                yield CauseCombination((cause,))
                variants.update(self._make_line_variants((cause,)))
        for cause in () if documented else iter_literal_changes(self.ins):
            if self._try_causes((cause,)):
                yield CauseCombination((cause,))
        roles = ["a", "b"] if self._is_solvable else []
        has_chance = False
        for role in tuple(roles):
            if combination := self._solve_selectors((), role):
                roles.remove(role)
                has_chance |= is_coincidence(combination.matches)
                yield combination
        if not documented and self.max_causes > 1:
            for combination in self._iter_pairs(insufficient, roles, has_chance=has_chance):
                if variants.isdisjoint(self._make_line_variants(combination.causes)):
                    yield combination

    def _make_line_variants(self, causes: tuple[Cause, ...]) -> Iterator[Variant | None]:
        """Yield the variants of causes that only change the line."""
        if not any(x.operands or x.reading or x.errata for x in causes):
            yield self.make_variant(causes)

    def _iter_causes(self) -> Iterator[Cause]:
        """Yield every single cause except solved selectors."""
        yield from iter_form_causes(self.ins, self._has_nan_comparison)
        operands = [x.observation.operands for x in self.cases]
        yield from find_folded_selections(self.ins, operands)
        yield from find_lost_differences(self.ins, operands)
        if self._is_result_observed:
            yield from find_literals(self.ins, self.cases, self.roles)
        else:
            yield from iter_digit_changes(self.ins)
            yield from find_byte_selector(self.ins, self.cases)
        yield from iter_value_causes(self.ins, self.roles)
        yield from find_float_operands(self.ins, operands)

    def _iter_pairs(
        self, insufficient: Sequence[Cause], roles: Sequence[str], *, has_chance: bool
    ) -> Iterator[CauseCombination]:
        """Yield pairs of causes, and of causes and selectors, if neither is sufficient alone.

        ``has_chance`` is whether one selector fits, but probably by coincidence; two simple
        selectors are then also a pair.
        """
        for pair in combinations(insufficient, 2):
            if pair[0].changed_aspects & pair[1].changed_aspects or self._variants.is_redundant(
                pair
            ):
                continue
            if self._try_causes(pair) and not self._is_explained_by_newest(pair):
                yield CauseCombination(pair)
        for role in roles:
            for cause in insufficient:
                if combination := self._solve_selectors((cause,), role):
                    yield combination
        if len(roles) == 2 or has_chance:
            combination = self._solve_selectors((), "ab")
            if (
                combination
                and combination.matches
                and (not has_chance or combination.matches.simplicity in DISTINCTIVE_KINDS)
            ):
                yield combination

    def _try_causes(self, causes: tuple[Cause, ...]) -> bool:
        self.try_count += 1
        return self.explains_all(causes)

    @property
    def _has_nan_comparison(self) -> bool:
        """Whether a NaN was compared in an observation that contradicts the documentation."""
        stype = self.ins.form.stype
        if not (stype and stype.is_float and self.ins.form.cmp):
            return False
        return any(
            isnan(decode_float(case.observation.operands[role], stype))
            for case in self.cases
            if not case.observation.matches(case.documented)
            for role in "ab"
        )

    @property
    def _is_solvable(self) -> bool:
        """Whether the instruction has lane selectors that can be solved from the result."""
        has_operands = self.ins.entry.has_lane_selectors and {"a", "b"} <= self.roles
        return has_operands and self._is_result_observed

    @property
    def _is_result_observed(self) -> bool:
        """Whether the result of this instruction is observed, not only the result of its block."""
        return all(x.observation.compute_rest is None for x in self.cases)

    def make_variant(self, causes: Iterable[Cause]) -> Variant | None:
        """Return the instruction with the changes of the causes, or None if they are impossible."""
        return self._variants.make_variant(causes)

    def _is_explained_by_newest(self, causes: tuple[Cause, ...]) -> bool:
        """Return whether the newest ptxas explains the observations as well as an older one.

        The search finds the combination for the newest ptxas, and its phrase names both versions.
        """
        newest = with_model(causes, PTXAS_MODELS[0])
        return newest != causes and self.explains_all(newest)

    def explains_all(self, causes: tuple[Cause, ...]) -> bool:
        """Return whether the causes explain every observation; record a near miss if not.

        The first few observations are tried one by one, because most combinations fail there.
        """
        variant = self.make_variant(causes)
        if variant is None:
            return False
        plan = variant.plan
        for index, x in enumerate(self.cases[:_PROBE_COUNT]):
            result = apply_readings(causes, compute_results(plan, apply_to_operands(causes, x)))
            if not x.observation.matches(result):
                self._note_near_miss(
                    CauseCombination(causes, None, index, x.observation.compute_distance(result))
                )
                return False
        if all(_check_cases(plan, causes, self.cases[_PROBE_COUNT:])):
            return True
        self._note_near_miss(CauseCombination(causes, None, _PROBE_COUNT))
        return False

    def compute_result(self, causes: tuple[Cause, ...], case: ObservedCase) -> Bits | None:
        """Return the causes' result for one observation, by role."""
        variant = self.make_variant(causes)
        return variant and apply_readings(
            causes, compute_results(variant.plan, apply_to_operands(causes, case))
        )

    def count_matches(self, causes: tuple[Cause, ...]) -> int:
        """Return the number of observations that the causes explain."""
        variant = self.make_variant(causes)
        return sum(_check_cases(variant.plan, causes, self.cases)) if variant else 0

    def _note_near_miss(self, combination: CauseCombination) -> None:
        """Record a near miss; keep only the nearest if the list grows too long.

        Another literal is always near.
        """
        if any(cause.literals for cause in combination.causes):
            return
        self.near_misses.append(combination)
        if len(self.near_misses) > _MAX_NEAR_MISSES:
            self.near_misses = self.find_nearest_misses(_MAX_NEAR_MISSES // 2)

    def find_nearest_misses(self, count: int) -> list[CauseCombination]:
        """Return the combinations that explain the most observations and miss the fewest bits.

        The documented result is always included.
        """
        combinations = sorted(
            self.near_misses, key=lambda x: (-x.explained_count, x.distance, len(x.causes), x.cost)
        )
        return combinations[:count] + [x for x in combinations[count:] if not x.causes]

    def _solve_selectors(self, causes: tuple[Cause, ...], roles: str) -> CauseCombination | None:
        """Return the causes with selectors of a, b or both that explain every observation.

        Return None if no selector fits, or if a lane of d depends on more than its own digits.
        """
        aspects = {f"{role}sel" for role in roles}
        if any(
            cause.changed_aspects & aspects
            or cause.reading
            or _get_rules(cause) & _LANE_MIXING_RULES
            for cause in causes
        ):
            return None
        if self._variants.is_redundant(causes):
            return None
        variant = self.make_variant(causes)
        if variant is None or not get_entry(variant.form).has_lane_selectors:
            return None
        self.try_count += 1
        cases = [(apply_to_operands(causes, x), x.observation.observed["d"]) for x in self.cases]
        solvers = find_services(Service.SOLVE_SELECTORS)
        matches = next((solve(*variant, cases, roles) for solve in solvers), None)
        if matches is None:
            return None
        selector_causes = [_make_selector_cause(self.ins, role, matches) for role in roles]
        return CauseCombination((*causes, *selector_causes), matches)


def compute_coincidence_cost(matches: SelectorMatches | None) -> int:
    """Return the penalty for a match that, because many selectors fit, may be a coincidence."""
    if matches is None or matches.simplicity in DISTINCTIVE_KINDS:
        return 0
    choice_count = matches.match_count // matches.redundancy
    return next((cost for limit, cost in _COINCIDENCE_COSTS if choice_count >= limit), 0)


def is_coincidence(matches: SelectorMatches | None) -> bool:
    """Return whether the match, because many selectors fit, is probably a coincidence."""
    return compute_coincidence_cost(matches) == _MAX_COINCIDENCE_COST


_MAX_COINCIDENCE_COST = 4
"""The largest penalty; it exceeds the cost of any simple cause beyond a selector's."""
_COINCIDENCE_COSTS = ((MIN_COINCIDENCE_COUNT, _MAX_COINCIDENCE_COST), (10, 1))
"""Minimum numbers of fitting selectors, and their penalties."""
_LANE_MIXING_RULES = frozenset(("masked_from_b", "add_clamps"))
"""Rules that make a lane of d depend on more than its own two digits."""


def with_model(causes: tuple[Cause, ...], model: Model) -> tuple[Cause, ...]:
    """Replace the ptxas among the causes, if there is one."""
    return tuple(x._replace(errata=model.errata, model=model) if x.model else x for x in causes)


def _get_rules(cause: Cause) -> set[str]:
    """Return the names of the rules that a cause sets."""
    return {name for erratum in cause.errata for name in erratum.rules}


def apply_to_operands(causes: Iterable[Cause], case: ObservedCase) -> Bits:
    """Apply the causes to an observation's operands by role."""
    operands = case.observation.operands
    for cause in causes:
        if cause.operands:
            operands = cause.operands(operands, case)
    return operands


def apply_readings(causes: Iterable[Cause], result: Bits) -> Bits:
    """Apply the causes' misreadings to a result by role."""
    for cause in causes:
        if cause.reading:
            result = cause.reading(result)
    return result


def _check_cases(
    plan: Plan, causes: tuple[Cause, ...], cases: Sequence[ObservedCase]
) -> Iterator[bool]:
    """Yield, for each observation, whether the causes explain it."""
    operands = [apply_to_operands(causes, case) for case in cases]
    if len(cases) < _MIN_ARRAY_CASES:
        results: Iterable[Bits] = (compute_results(plan, case) for case in operands)
    else:
        from ..engine.arrays.block_runner import compute_batch

        results = compute_batch(plan, operands)
    for case, result in zip(cases, results, strict=True):
        yield case.observation.matches(apply_readings(causes, result))


def _make_selector_cause(ins: Instruction, role: str, matches: SelectorMatches) -> Cause:
    """Return the cause for a solved selector of a or b."""
    return make_lane_selector_cause(
        ins, f"{role}sel", matches.asel if role == "a" else matches.bsel
    )
