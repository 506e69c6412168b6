"""Selectors of SIMD instructions that fit what was observed, found lane by lane."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import contains

from ..isa.form import Form
from ..semantics.rules import Rules
from .selector_problem import Case, Digits, Fits, Problem
from .sum_solver import accumulated


def solve(
    form: Form, rules: Rules, guard: bool | None, cases: Sequence[Case], free: str
) -> Fits | None:
    """The selectors by which a SIMD form gives what was observed; None where none do.

    ``free`` names what may change: ``a``, ``b`` or ``ab``. The masked-out lanes must not
    come from b, and no clamp may follow an accumulation.
    """
    problem = Problem(form, rules, guard, free)
    acting: list[Case] = []
    for operands, observed in cases:
        if guard is None or bool(operands["guard"]) is not guard:
            acting.append((operands, observed))
        elif not observed.fits(operands["d"]):
            return None  # the guard forbids, so d keeps its value whatever is selected
    if not acting:
        return None
    fits = accumulated(problem, acting) if form.secop else _merged(problem, acting)
    return fits if fits and fits.changed else None


def _merged(problem: Problem, cases: Sequence[Case]) -> Fits | None:
    """The selectors of a form whose lanes go into d side by side: each decides for itself.

    What holds after each case: ``fitting[lane]`` are the digits by which that lane of d is as
    observed in all the cases so far. Digits that fit no lane any more are not run again.
    """
    fitting = [problem.every() for _ in range(problem.lanes)]
    for case in cases:
        right = _right(problem, case, set().union(*fitting))
        fitting = [before & now for before, now in zip(fitting, right, strict=True)]
        if not all(fitting):
            return None
    lanes = tuple(
        tuple(sorted(fitting[lane])) if lane in problem.mask else problem.free_digits(lane)
        for lane in range(problem.lanes)
    )
    best = [_least_changed(problem, lane, choices) for lane, choices in enumerate(lanes)]
    ways = prod(len(lanes[lane]) for lane in problem.mask)
    shown = problem.shown(best, lambda digits: all(map(contains, lanes, digits)), ways)
    return problem.fits(shown, ways, lanes)


def _right(problem: Problem, case: Case, wanted: set[Digits]) -> list[set[Digits]]:
    """For each lane, the digits by which it is as one case observed it."""
    operands, observed = case
    (result,) = problem.plan.results
    field = (1 << problem.unit) - 1
    right: list[set[Digits]] = [set() for _ in range(problem.lanes)]
    for digits, values in problem.runs(operands, wanted):
        wrong = observed.difference(values[result.key][0])
        for lane, own in enumerate(digits):
            if not wrong >> problem.unit * lane & field:
                right[lane].add(own)
    return right


def _least_changed(problem: Problem, lane: int, choices: Sequence[Digits]) -> Digits:
    return min(choices, key=lambda digits: (problem.changed(lane, digits), digits))
