"""Solver for selectors of SIMD instructions, lane by lane.

With ``.add``, d is c plus a term for each lane, which depends only on the lane's own digits. The
solver is a meet-in-the-middle search: it splits the lanes into two halves and lists the sums of
each half, 4,096 instead of the 16.7 million of four lanes. Digits of both halves fit together if
their sums add up to d - c, so each sum of one half determines the sum to look up in the other. With
several observations, a sum is a vector with one number for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from operator import contains
from typing import NamedTuple

from ...diagnosis.selector_matches import LaneDigits, SelectorMatches
from ...engine.isa.types import Form
from ...engine.micro_operations.numbers import Accumulate
from ...engine.semantics.lowering import lower
from ...engine.semantics.plan import compute_results
from ...engine.semantics.rules import Rules
from .selector_problem import Case, SelectorProblem

Vector = tuple[int, ...]
"""A number for each observation being solved."""

_JOINT = 6
"""Number of observations that are solved together; the others only filter the solutions."""
_LOOKED_AT = 32
"""Number of observations among which ``_JOINT`` are chosen."""
_MAX_COMBINATIONS = 5000
"""Maximum pairs of selectors that are filtered one by one."""
_MIN_COMBINED_CHOICES = 40
"""Choices of a half that are combined if there are more than ``_MAX_COMBINATIONS`` pairs."""
_MAX_SUMS = 8192
"""Maximum sums to try if low bits of d are unknown."""


class DigitCombination(NamedTuple):
    """Digits for some neighbouring lanes, or for all."""

    changed_digit_count: int
    """Number of digits that differ from the line; the fewest come first."""
    digits: tuple[LaneDigits, ...]


Sums = dict[Vector, list[DigitCombination]]
"""The possible sums of some lanes, each with all digits that produce it."""


class LaneSumCase(NamedTuple):
    """A case with the terms of each lane and the sums that fit."""

    case: Case
    adds: list[dict[LaneDigits, int]]
    """For each lane, the term by digits."""
    sums: list[int]
    """Every sum of the lanes that fits the observed result."""

    @property
    def order(self) -> tuple[int, int]:
        """Sort key: few sums first, then many distinct terms."""
        return len(self.sums), -sum(len(set(lane.values())) for lane in self.adds)


def solve_lane_sum(problem: SelectorProblem, cases: Sequence[Case]) -> SelectorMatches | None:
    """Return the selectors of a form that sums its lanes, or None if no selectors fit.

    It solves a few informative cases, then tries the solutions on the others.
    """
    joint_cases = _choose_informative_cases(problem, cases)
    if not joint_cases:
        return None
    middle = problem.lanes // 2
    low = _list_partial_sums(problem, joint_cases, range(middle))
    high = _list_partial_sums(problem, joint_cases, range(middle, problem.lanes))
    meetings = list(_iter_meetings(low, high, joint_cases))
    choice_count = sum(
        len(low_choices) * len(high_choices) for low_choices, high_choices in meetings
    )
    combinations = _join_meetings(
        meetings, None if choice_count <= _MAX_COMBINATIONS else _MIN_COMBINED_CHOICES
    )
    solved_cases = [x.case for x in joint_cases]
    other_cases = [case for case in cases if case not in solved_cases]
    is_truncated = bool(other_cases) and choice_count > _MAX_COMBINATIONS
    if other_cases:
        combinations = [
            combination
            for combination in combinations[:_MAX_COMBINATIONS]
            if _holds_for_all(problem, combination.digits, other_cases)
        ]
        choice_count = len(combinations)
    if not combinations:
        return None
    fallback = combinations[0].digits
    solution = problem.choose_simplest(
        fallback, lambda digits: _fits_all(problem, digits, joint_cases, other_cases), choice_count
    )
    return problem.make_matches(solution, choice_count, is_truncated=is_truncated)


# --- combining the two halves ------------------------------------------------------------


def _list_partial_sums(
    problem: SelectorProblem, joint_cases: Sequence[LaneSumCase], lanes: range
) -> Sums:
    """Return the sums of some lanes for each choice of digits, the least changed first."""
    sums: Sums = {(0,) * len(joint_cases): [DigitCombination(0, ())]}
    for lane in lanes:
        extended_sums: Sums = {}
        for digits in joint_cases[0].adds[lane]:
            adds = [x.adds[lane][digits] for x in joint_cases]
            change_count = problem.count_changes(lane, digits)
            for vector, choices in sums.items():
                sum_ = tuple(x + y for x, y in zip(vector, adds, strict=True))
                extended_sums.setdefault(sum_, []).extend(
                    DigitCombination(
                        choice.changed_digit_count + change_count, (*choice.digits, digits)
                    )
                    for choice in choices
                )
        sums = extended_sums
    for choices in sums.values():
        choices.sort()
    return sums


def _iter_meetings(
    low: Sums, high: Sums, joint_cases: Sequence[LaneSumCase]
) -> Iterator[tuple[list[DigitCombination], list[DigitCombination]]]:
    """Yield choices of the two halves whose sums add up to a fitting sum in every case.

    Any choice of the first half fits with any of the second.
    """
    for needed_sums in product(*(x.sums for x in joint_cases)):
        for sum_, low_choices in low.items():
            remainder = tuple(x - y for x, y in zip(needed_sums, sum_, strict=True))
            if high_choices := high.get(remainder):
                yield low_choices, high_choices


def _join_meetings(
    meetings: Iterable[tuple[list[DigitCombination], list[DigitCombination]]], limit: int | None
) -> list[DigitCombination]:
    """Return digits for all lanes, the least changed first.

    At most ``limit`` choices of each half are combined.
    """
    return sorted(
        DigitCombination(x.changed_digit_count + y.changed_digit_count, x.digits + y.digits)
        for low_choices, high_choices in meetings
        for x, y in product(low_choices[:limit], high_choices[:limit])
    )


def _fits_all(
    problem: SelectorProblem,
    digits: Sequence[LaneDigits],
    joint_cases: Iterable[LaneSumCase],
    other_cases: Iterable[Case],
) -> bool:
    """Return whether digits for all lanes fit the solved cases and the others."""
    for x in joint_cases:
        lane_terms = zip(x.adds, digits, problem.written_digits, strict=True)
        if (
            sum(
                lane.get(lane_digits, lane.get(written_digits, 0))
                for lane, lane_digits, written_digits in lane_terms
            )
            not in x.sums
        ):
            return False
    return _holds_for_all(problem, digits, other_cases)


def _holds_for_all(
    problem: SelectorProblem, digits: Sequence[LaneDigits], cases: Iterable[Case]
) -> bool:
    """Return whether digits for all lanes produce each case's observed result."""
    asel, bsel = problem.make_selectors(digits)
    form = problem.form._replace(asel=asel, bsel=bsel)
    plan = lower(form, problem.rules, problem.guard)
    return all(
        observed.matches(compute_results(plan, operands)["d"]) for operands, observed in cases
    )


# --- the sums of each case ---------------------------------------------------------------


def _choose_informative_cases(problem: SelectorProblem, cases: Sequence[Case]) -> list[LaneSumCase]:
    """Return the cases to solve together, most informative first.

    Return an empty list if a case has no explanation, or, because of unknown low bits, too many
    sums.
    """
    candidates: list[LaneSumCase] = []
    for case in cases[:_LOOKED_AT]:
        adds = _list_lane_terms(problem, case)
        sums = _list_needed_sums(adds, case)
        if sums is None:
            continue
        if not sums:
            return []
        candidates.append(LaneSumCase(case, adds, sums))
    candidates.sort(key=lambda x: x.order)
    joint_cases: list[LaneSumCase] = []
    for x in candidates[:_JOINT]:
        if prod(len(chosen_case.sums) for chosen_case in (*joint_cases, x)) <= _MAX_SUMS:
            joint_cases.append(x)
    return joint_cases


def _list_lane_terms(problem: SelectorProblem, case: Case) -> list[dict[LaneDigits, int]]:
    """Return the terms of each lane by digits; a lane outside the mask adds nothing."""
    operands, _ = case
    (row,) = (row for row in problem.plan.rows if isinstance(row.micro, Accumulate))
    adds: list[dict[LaneDigits, int]] = [{} for _ in range(problem.lanes)]
    for digits, values in problem.iter_runs(operands, problem.list_all_digits()):
        for lane, lane_digits in enumerate(digits):
            adds[lane][lane_digits] = values[row.inputs[0]][lane]
    for lane, lane_digits in enumerate(problem.written_digits):
        if lane not in problem.mask:
            adds[lane] = {lane_digits: 0}
    return adds


def _list_needed_sums(adds: Sequence[Mapping[LaneDigits, int]], case: Case) -> list[int] | None:
    """Return every sum that explains one case, or None if there are too many to try."""
    operands, observed = case
    if len(adds) == 2:  # few enough to list them all
        sums = {x + y for x in adds[0].values() for y in adds[1].values()}
        return sorted(x for x in sums if observed.matches(operands["c"] + x))
    low = sum(min(lane.values()) for lane in adds)
    high = sum(max(lane.values()) for lane in adds)
    # d is known below its lowest unknown bit: the distance between fitting sums
    period = ~observed.known_mask & (observed.known_mask + 1)
    if (high - low + 1) // period > _MAX_SUMS:
        return None
    first_sum = low + (observed.bits - operands["c"] - low) % period
    return [x for x in range(first_sum, high + 1, period) if observed.matches(operands["c"] + x)]


def solve_selectors(
    form: Form, rules: Rules, guard: bool | None, cases: Sequence[Case], roles: str
) -> SelectorMatches | None:
    """Return the selectors with which a SIMD form produces the observed results, or None.

    ``roles`` names the selectors to change: ``a``, ``b`` or ``ab``. Masked-out lanes must not come
    from b, and no clamp may follow an accumulation.
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

    Each lane is solved separately. Invariant: ``fitting[lane]`` has the digits with which that lane
    of d matches all cases so far. Digits that fit no lane are not run again.
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
