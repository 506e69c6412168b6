"""Selectors of SIMD instructions that fit observations, found lane by lane.

What a lane yields depends on its own two digits alone. So the plan is run once for each
digit, repeated in every lane, instead of once for each of 16.7 million pairs of selectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from ..isa.catalog import CATALOG
from ..isa.form import Form
from ..isa.types import Selector
from ..semantics.lowering import lower
from ..semantics.micro import Accumulate
from ..semantics.plan import Plan
from ..semantics.rules import Rules
from ..semantics.run import run
from .observation import Observed

Digits = tuple[int, int]
"""The digits of asel and bsel for one lane."""
Vector = tuple[int, ...]
"""A number for each observation."""
Case = tuple[Mapping[str, int], Observed]
"""Operands by role, and d as it was observed."""

_JOINT = 6
"""Observations whose sums are solved together; the others only sift what they leave."""
_LOOKED_AT = 32
"""Observations of which those are chosen."""
_MOST = 5000
"""Pairs of selectors that are sifted one by one."""
_WIDEST = 8192
"""Sums that are tried where low bits of d are unknown."""


class Fits(NamedTuple):
    """The selectors that fit; the pair shown differs in the fewest digits from what is written."""

    asel: Selector | None
    bsel: Selector | None
    ways: int
    """How many pairs fit. Digits of lanes that nothing reads are kept as they are."""
    lanes: tuple[tuple[Digits, ...], ...]
    """For each lane the digits that fit, where any choice in one goes with any in the others;
    else empty."""
    changed: int
    """How many digits differ."""


class _Problem(NamedTuple):
    """What is asked: a form, the rules it runs by, and which of its selectors are free."""

    form: Form
    rules: Rules
    guard: bool | None
    free: str

    @property
    def lanes(self) -> int:
        return CATALOG[self.form.opcode].lanes

    @property
    def unit(self) -> int:
        return 32 // self.lanes

    @property
    def plan(self) -> Plan:
        """The plan with default selectors: lane i of a and of b are given as they are."""
        return lower(self.form._replace(asel=None, bsel=None), self.rules, self.guard)

    @property
    def written(self) -> tuple[Digits, ...]:
        """The digits of each lane as they are written."""
        n = self.lanes
        a = self.form.asel.lanes if self.form.asel else tuple(range(n))
        b = self.form.bsel.lanes if self.form.bsel else tuple(range(n, 2 * n))
        return tuple(zip(a, b, strict=True))

    @property
    def mask(self) -> tuple[int, ...]:
        """The lanes that are written or accumulated."""
        return self.form.mask.lanes if self.form.mask else tuple(range(self.lanes))

    def cost(self, lane: int, digits: Digits) -> int:
        """How many of a lane's digits are changed."""
        return sum(x != y for x, y in zip(digits, self.written[lane], strict=True))


def solve(
    form: Form, rules: Rules, guard: bool | None, cases: Sequence[Case], free: str
) -> Fits | None:
    """The selectors by which a SIMD form gives what was observed; None where none do.

    ``free`` names what may change: ``a``, ``b`` or ``ab``. The masked-out lanes must not
    come from b, and no clamp may follow an accumulation.
    """
    problem = _Problem(form, rules, guard, free)
    acting: list[Case] = []
    for operands, observed in cases:
        if guard is None or bool(operands["guard"]) is not guard:
            acting.append((operands, observed))
        elif not observed.fits(operands["d"]):
            return None
    if not acting:
        return None
    solution = _accumulated(problem, acting) if form.secop else _merged(problem, acting)
    return solution if solution and solution.changed else None


def _runs(
    problem: _Problem, operands: Mapping[str, int], wanted: set[Digits]
) -> Iterator[tuple[tuple[Digits, ...], dict[str, tuple[int, ...]]]]:
    """The plan run with wanted digits in every lane: the lanes' digits, and the rows' values."""
    n, unit = problem.lanes, problem.unit
    field, ones = (1 << unit) - 1, sum(1 << unit * lane for lane in range(n))
    pair = operands["a"] | operands["b"] << 32
    parts = [pair >> unit * digit & field for digit in range(2 * n)]
    choices: list[list[tuple[tuple[int, ...], int]]] = []
    for index, role in enumerate("ab"):
        if role in problem.free:
            digits = sorted({pair_[index] for pair_ in wanted})
            choices.append([((digit,) * n, parts[digit] * ones) for digit in digits])
        else:
            own = tuple(pair_[index] for pair_ in problem.written)
            word = sum(parts[digit] << unit * lane for lane, digit in enumerate(own))
            choices.append([(own, word)])
    for (a, a_word), (b, b_word) in product(*choices):
        yield (
            tuple(zip(a, b, strict=True)),
            run(problem.plan, {**operands, "a": a_word, "b": b_word}),
        )


def _every(problem: _Problem) -> set[Digits]:
    digits = range(2 * problem.lanes)
    return {(a, b) for a in digits for b in digits}


# --- merged lanes: each decides for itself -----------------------------------------------


def _merged(problem: _Problem, cases: Sequence[Case]) -> Fits | None:
    key = next(result.key for result in problem.plan.results)
    unit, mask = problem.unit, problem.mask
    fitting: list[set[Digits] | None] = [None] * problem.lanes
    wanted = _every(problem)
    for operands, observed in cases:
        now: list[set[Digits]] = [set() for _ in fitting]
        for digits, values in _runs(problem, operands, wanted):
            wrong = observed.difference(values[key][0])
            for lane, own in enumerate(digits):
                if not wrong >> unit * lane & ((1 << unit) - 1):
                    now[lane].add(own)
        for lane, (old, new) in enumerate(zip(fitting, now, strict=True)):
            kept = new if old is None else old & new
            if not kept:
                return None
            fitting[lane] = kept
        wanted = set().union(*(x for x in fitting if x))
    lanes = tuple(
        tuple(sorted(fitting[lane] or ())) if lane in mask else (own,)
        for lane, own in enumerate(problem.written)
    )
    best = [min(x, key=lambda d, i=i: (problem.cost(i, d), d)) for i, x in enumerate(lanes)]  # type: ignore[misc]
    return _fits(problem, best, prod(map(len, lanes)), lanes)


def _fits(
    problem: _Problem,
    digits: Sequence[Digits],
    ways: int,
    lanes: tuple[tuple[Digits, ...], ...] = (),
) -> Fits:
    form = problem.form
    asel, bsel = (
        Selector(problem.unit, tuple(pair[index] for pair in digits)) for index in range(2)
    )
    changed = sum(problem.cost(lane, own) for lane, own in enumerate(digits))
    return Fits(
        asel if "a" in problem.free else form.asel,
        bsel if "b" in problem.free else form.bsel,
        ways,
        lanes,
        changed,
    )


# --- accumulated lanes: their sum decides ------------------------------------------------


def _accumulated(problem: _Problem, cases: Sequence[Case]) -> Fits | None:
    joint = _joint(problem, cases)
    if not joint:
        return None
    tables = [
        {own: tuple(x.tables[lane][own] for x in joint) for own in joint[0].tables[lane]}
        for lane in range(problem.lanes)
    ]
    half = problem.lanes // 2
    left, right = _sums(problem, tables, 0, half), _sums(problem, tables, half, problem.lanes)
    pairs = [
        (before, behind)
        for need in product(*(x.sums for x in joint))
        for vector, before in left.items()
        if (behind := right.get(tuple(x - y for x, y in zip(need, vector, strict=True))))
    ]
    ways = sum(len(before) * len(behind) for before, behind in pairs)
    most = None if ways <= _MOST else 40  # the least changed of each half, where they are many
    found = sorted(
        (x[0] + y[0], x[1] + y[1])
        for before, behind in pairs
        for x, y in product(before[:most], behind[:most])
    )
    solved = [x.case for x in joint]
    rest = [x for x in cases if x not in solved]
    if rest:
        found = [x for x in found[:_MOST] if _holds(problem, x[1], rest)]
        ways = len(found)
    return _fits(problem, found[0][1], ways) if found else None


class _Weighed(NamedTuple):
    """A case, and what its sum may be."""

    case: Case
    tables: list[dict[Digits, int]]
    """For each lane, what its digits add."""
    sums: list[int]
    """Every sum that gives what was observed."""

    @property
    def order(self) -> tuple[int, int]:
        """The fewest sums first, then the most different lanes."""
        return len(self.sums), -sum(len(set(table.values())) for table in self.tables)


def _joint(problem: _Problem, cases: Sequence[Case]) -> list[_Weighed]:
    """The cases whose sums are solved together, those first that tell most.

    None where one can't be given at all, or where so many low bits are unknown that there
    are too many sums to try.
    """
    weighed: list[_Weighed] = []
    for case in cases[:_LOOKED_AT]:
        tables = _contributions(problem, case[0])
        sums = _possible(tables, case)
        if sums is not None:
            weighed.append(_Weighed(case, tables, sums))
            if not sums:
                return []
    joint: list[_Weighed] = []
    for x in sorted(weighed, key=lambda x: x.order)[:_JOINT]:
        if prod(len(other.sums) for other in (*joint, x)) <= _WIDEST:
            joint.append(x)
    return joint


def _contributions(problem: _Problem, operands: Mapping[str, int]) -> list[dict[Digits, int]]:
    """For each lane, what its digits add."""
    row = next(row for row in problem.plan.rows if isinstance(row.micro, Accumulate))
    tables: list[dict[Digits, int]] = [{} for _ in range(problem.lanes)]
    for digits, values in _runs(problem, operands, _every(problem)):
        for lane, own in enumerate(digits):
            tables[lane][own] = values[row.inputs[0]][lane]
    for lane, own in enumerate(problem.written):
        if lane not in problem.mask:
            tables[lane] = {own: 0}
    return tables


def _possible(tables: Sequence[Mapping[Digits, int]], case: Case) -> list[int] | None:
    """Every sum that gives what one case observed; None where they are too many to try."""
    operands, observed = case
    if len(tables) == 2:  # few enough to add up
        sums = {x + y for x in tables[0].values() for y in tables[1].values()}
        return sorted(x for x in sums if observed.fits(operands["c"] + x))
    low, high = (sum(end(table.values()) for table in tables) for end in (min, max))
    period = 1 << (~observed.known & (observed.known + 1)).bit_length() - 1
    if (high - low + 1) // period > _WIDEST:
        return None
    start = low + ((observed.bits - operands["c"] - low) % period)
    return [x for x in range(start, high + 1, period) if observed.fits(operands["c"] + x)]


def _sums(
    problem: _Problem, tables: Sequence[Mapping[Digits, Vector]], first: int, last: int
) -> dict[Vector, list[tuple[int, tuple[Digits, ...]]]]:
    """Every sum of some lanes, with the digits that give it, the least changed first."""
    sums: dict[Vector, list[tuple[int, tuple[Digits, ...]]]] = {}
    lanes = range(first, last)
    for chosen in product(*(tables[lane].items() for lane in lanes)):
        vector = tuple(map(sum, zip(*(vector for _, vector in chosen), strict=True)))
        digits = tuple(own for own, _ in chosen)
        cost = sum(problem.cost(lane, own) for lane, own in zip(lanes, digits, strict=True))
        sums.setdefault(vector, []).append((cost, digits))
    for found in sums.values():
        found.sort()
    return sums


def _holds(problem: _Problem, digits: Sequence[Digits], cases: Iterable[Case]) -> bool:
    fits = _fits(problem, digits, 1)
    form = problem.form._replace(asel=fits.asel, bsel=fits.bsel)
    plan = lower(form, problem.rules, problem.guard)
    key = plan.results[0].key
    return all(observed.fits(run(plan, operands)[key][0]) for operands, observed in cases)
