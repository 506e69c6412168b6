"""Selectors of SIMD instructions that sum their lanes (``.add``), found by meeting in the middle.

d is c plus what each lane adds, and what a lane adds depends on its own digits alone. So the
lanes are cut into two halves, and the sums of each half are listed once: 4,096 of four lanes'
16.7 million. Two choices of digits fit together where their sums make what d needs, and that
is looked up: what one half yields, taken from what is needed, is what the other has to yield.

With several observations a sum is a vector, a number for each of them, and all have to fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod

from ..records import NamedTuple
from ..semantics.lowering import lower
from ..semantics.micro_operations import Accumulate
from ..semantics.plan_execution import result
from .selector_problem import Case, Digits, Fits, Problem

Vector = tuple[int, ...]
"""A number for each observation that is solved for."""

_JOINT = 6
"""Observations whose sums are solved together; the others only sift what they leave."""
_LOOKED_AT = 32
"""Observations of which those are chosen."""
_MOST = 5000
"""Pairs of selectors that are sifted one by one."""
_LEAST_CHANGED = 40
"""Choices of a half that are put together where there are more pairs than that."""
_WIDEST = 8192
"""Sums that are tried where low bits of d are unknown."""


class Choice(NamedTuple):
    """Digits for some neighbouring lanes, or for all."""

    changed: int
    """How many of them differ from what is written: the fewest come first."""
    digits: tuple[Digits, ...]


Sums = dict[Vector, list[Choice]]
"""What some lanes may add together: each sum with all the digits that give it."""


class Weighed(NamedTuple):
    """A case, what each lane can add in it, and what their sum may be."""

    case: Case
    adds: list[dict[Digits, int]]
    """For each lane, what its digits add."""
    sums: list[int]
    """Every sum of the lanes that gives what was observed."""

    @property
    def order(self) -> tuple[int, int]:
        """The fewest sums first, then the most different lanes."""
        return len(self.sums), -sum(len(set(lane.values())) for lane in self.adds)


def accumulated(problem: Problem, cases: Sequence[Case]) -> Fits | None:
    """The selectors of a form that sums its lanes; None where none fit.

    A few cases that tell much are solved; what fits them is tried on the others.
    """
    joint = _telling(problem, cases)
    if not joint:
        return None
    middle = problem.lanes // 2
    low = _sums(problem, joint, range(middle))
    high = _sums(problem, joint, range(middle, problem.lanes))
    meetings = list(_meetings(low, high, joint))
    ways = sum(len(below) * len(above) for below, above in meetings)
    found = _joined(meetings, None if ways <= _MOST else _LEAST_CHANGED)
    solved = [x.case for x in joint]
    others = [case for case in cases if case not in solved]
    more = bool(others) and ways > _MOST
    if others:
        found = [x for x in found[:_MOST] if _holds(problem, x.digits, others)]
        ways = len(found)
    if not found:
        return None
    least = found[0].digits
    shown = problem.shown(least, lambda digits: _fits(problem, digits, joint, others), ways)
    return problem.fits(shown, ways, more=more)


# --- the two halves, and where they meet -------------------------------------------------


def _sums(problem: Problem, joint: Sequence[Weighed], lanes: range) -> Sums:
    """What some of the lanes add together for each choice of digits, the least changed first."""
    sums: Sums = {(0,) * len(joint): [Choice(0, ())]}
    for lane in lanes:
        wider: Sums = {}
        for digits in joint[0].adds[lane]:
            adds = [x.adds[lane][digits] for x in joint]
            changed = problem.changed(lane, digits)
            for vector, choices in sums.items():
                sum_ = tuple(x + y for x, y in zip(vector, adds, strict=True))
                wider.setdefault(sum_, []).extend(
                    Choice(x.changed + changed, (*x.digits, digits)) for x in choices
                )
        sums = wider
    for choices in sums.values():
        choices.sort()
    return sums


def _meetings(
    low: Sums, high: Sums, joint: Sequence[Weighed]
) -> Iterator[tuple[list[Choice], list[Choice]]]:
    """The choices of the two halves whose sums make one that every case needs.

    Any choice of the first fits with any of the second.
    """
    for needed in product(*(x.sums for x in joint)):
        for sum_, below in low.items():
            missing = tuple(x - y for x, y in zip(needed, sum_, strict=True))
            if above := high.get(missing):
                yield below, above


def _joined(
    meetings: Iterable[tuple[list[Choice], list[Choice]]], most: int | None
) -> list[Choice]:
    """Digits for all lanes, the least changed first, of at most so many choices of each half."""
    return sorted(
        Choice(x.changed + y.changed, x.digits + y.digits)
        for below, above in meetings
        for x, y in product(below[:most], above[:most])
    )


def _fits(
    problem: Problem, digits: Sequence[Digits], joint: Iterable[Weighed], others: Iterable[Case]
) -> bool:
    """Whether digits for all lanes fit the cases that were solved, and the others."""
    for x in joint:
        masked = zip(x.adds, digits, problem.written, strict=True)
        if sum(lane.get(own, lane.get(kept, 0)) for lane, own, kept in masked) not in x.sums:
            return False
    return _holds(problem, digits, others)


def _holds(problem: Problem, digits: Sequence[Digits], cases: Iterable[Case]) -> bool:
    """Whether digits for all lanes give what each case observed."""
    asel, bsel = problem.selectors(digits)
    form = problem.form._replace(asel=asel, bsel=bsel)
    plan = lower(form, problem.rules, problem.guard)
    return all(observed.fits(result(plan, operands)["d"]) for operands, observed in cases)


# --- what each case needs ----------------------------------------------------------------


def _telling(problem: Problem, cases: Sequence[Case]) -> list[Weighed]:
    """The cases whose sums are solved together, those first that tell most.

    None where one can't be given at all, or where so many low bits are unknown that there
    are too many sums to try.
    """
    weighed: list[Weighed] = []
    for case in cases[:_LOOKED_AT]:
        adds = _adds(problem, case)
        sums = _needed(adds, case)
        if sums is None:
            continue
        if not sums:
            return []
        weighed.append(Weighed(case, adds, sums))
    weighed.sort(key=lambda x: x.order)
    joint: list[Weighed] = []
    for x in weighed[:_JOINT]:
        if prod(len(other.sums) for other in (*joint, x)) <= _WIDEST:
            joint.append(x)
    return joint


def _adds(problem: Problem, case: Case) -> list[dict[Digits, int]]:
    """For each lane, what its digits add; a lane outside the mask adds nothing."""
    operands, _ = case
    (row,) = (row for row in problem.plan.rows if isinstance(row.micro, Accumulate))
    adds: list[dict[Digits, int]] = [{} for _ in range(problem.lanes)]
    for digits, values in problem.runs(operands, problem.every()):
        for lane, own in enumerate(digits):
            adds[lane][own] = values[row.inputs[0]][lane]
    for lane, own in enumerate(problem.written):
        if lane not in problem.mask:
            adds[lane] = {own: 0}
    return adds


def _needed(adds: Sequence[Mapping[Digits, int]], case: Case) -> list[int] | None:
    """Every sum that gives what one case observed; None where they are too many to try."""
    operands, observed = case
    if len(adds) == 2:  # few enough to add up
        sums = {x + y for x in adds[0].values() for y in adds[1].values()}
        return sorted(x for x in sums if observed.fits(operands["c"] + x))
    low = sum(min(lane.values()) for lane in adds)
    high = sum(max(lane.values()) for lane in adds)
    # below its lowest unknown bit d is known, so the sums that give it are so far apart
    period = ~observed.known & (observed.known + 1)
    if (high - low + 1) // period > _WIDEST:
        return None
    first = low + (observed.bits - operands["c"] - low) % period
    return [x for x in range(first, high + 1, period) if observed.fits(operands["c"] + x)]
