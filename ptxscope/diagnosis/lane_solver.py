"""Solver for selectors of SIMD instructions that fit the observations, lane by lane."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import contains

from ..engine.isa.form import Form
from ..engine.semantics.rules import Rules
from .selector_problem import Case, LaneDigits, SelectorMatches, SelectorProblem
from .sum_solver import solve_lane_sum


def solve_selectors(
    form: Form, rules: Rules, guard: bool | None, cases: Sequence[Case], roles: str
) -> SelectorMatches | None:
    """Return the selectors with which a SIMD form gives the observed results, or None.

    ``roles`` names the selectors that may change: ``a``, ``b`` or ``ab``. Masked-out lanes must not
    come from b, and no clamp may follow an accumulation.
    """
    problem = SelectorProblem(form, rules, guard, roles)
    active_cases: list[Case] = []
    for operands, observed in cases:
        if guard is None or bool(operands["guard"]) is not guard:
            active_cases.append((operands, observed))
        elif not observed.matches(operands["d"]):
            return None  # the guard is false, so d keeps its value with any selector
    if not active_cases:
        return None
    matches = (
        solve_lane_sum(problem, active_cases)
        if form.secop
        else _solve_merged_lanes(problem, active_cases)
    )
    return matches if matches and matches.changed_digit_count else None


def _solve_merged_lanes(problem: SelectorProblem, cases: Sequence[Case]) -> SelectorMatches | None:
    """Return the selectors of a form that writes its lanes into d side by side.

    Each lane is solved on its own. Invariant: ``fitting[lane]`` holds the digits with which that
    lane of d matches all the cases so far. Digits that fit no lane any more are not run again.
    """
    fitting = [problem.list_all_digits() for _ in range(problem.lanes)]
    for case in cases:
        matching_digits = _find_right_digits(problem, case, set().union(*fitting))
        fitting = [
            old_digits & new_digits
            for old_digits, new_digits in zip(fitting, matching_digits, strict=True)
        ]
        if not all(fitting):
            return None
    lanes = tuple(
        tuple(sorted(fitting[lane])) if lane in problem.mask else problem.list_free_digits(lane)
        for lane in range(problem.lanes)
    )
    least_changed_digits = [
        _choose_least_changed(problem, lane, choices) for lane, choices in enumerate(lanes)
    ]
    choice_count = prod(len(lanes[lane]) for lane in problem.mask)
    solution = problem.choose_simplest(
        least_changed_digits, lambda digits: all(map(contains, lanes, digits)), choice_count
    )
    return problem.make_matches(solution, choice_count, lanes)


def _find_right_digits(
    problem: SelectorProblem, case: Case, candidates: set[LaneDigits]
) -> list[set[LaneDigits]]:
    """Return, for each lane, the digits with which it matches one case."""
    operands, observed = case
    (result,) = problem.plan.results
    field = (1 << problem.unit) - 1
    matching_digits: list[set[LaneDigits]] = [set() for _ in range(problem.lanes)]
    for digits, values in problem.iter_runs(operands, candidates):
        difference = observed.compute_difference(values[result.key][0])
        for lane, lane_digits in enumerate(digits):
            if not difference >> problem.unit * lane & field:
                matching_digits[lane].add(lane_digits)
    return matching_digits


def _choose_least_changed(
    problem: SelectorProblem, lane: int, choices: Sequence[LaneDigits]
) -> LaneDigits:
    return min(choices, key=lambda digits: (problem.count_changes(lane, digits), digits))
