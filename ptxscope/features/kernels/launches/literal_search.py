"""Literals, selectors and tables that explain a run, solved from the bits that are expected.

Each literal is tried with the values of likely typing errors. Then its digits are
solved: all at once if each brings bits of the results nearer, as under bitwise operations, or from
the lowest on if each decides the lowest bits that are wrong, as under sums and products.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import NamedTuple

from ....engine.program.program import Program
from ....engine.semantics.models import Model
from .change_trials import ChangeTrials, Score
from .instruction_changes import TABLE, StatementChange
from .literal_changes import LiteralPlace, iter_bounds, iter_places, iter_typed_values
from .statement_copies import Copies

_MAX_ROUNDS = 6
"""Rounds in which the digits are solved all at once."""
_MAX_CANDIDATES = 8
"""Values that are kept while digits are solved from the lowest on."""
_MAX_PARTS = 32
"""Parts in which all selectors are tried."""
_MAX_PLANS = 1 << 8
"""Number of tables or selectors of lanes that are all tried: each has a plan."""
_MAX_SOLUTIONS = 4
"""Solutions of a literal that are tried on all threads, the nearest first."""

Places = Sequence[LiteralPlace]
"""The places of one literal in the copies of a statement, which share its value."""
_Scores = Mapping[int, Score]
_Solver = Generator[Sequence[int], _Scores, Sequence[int]]
"""Yields values to try, takes their scores, and returns the right ones."""


class SolvedLiterals(NamedTuple):
    """Literals with which the first threads are right, each solved alone."""

    changes: list[StatementChange]
    try_count: int
    """Values that were tried."""
    unsolved_count: int
    """Literals for which the time was over."""


def list_places(
    function: Program, copies: Sequence[Copies], model: Model
) -> tuple[list[Places], list[Places]]:
    """Return the literals of a function to solve first, and the ones to solve if these fail.

    The first are of all copies of a statement, or of statements without copies, as far as is known;
    the second are of one copy each.
    """
    by_statement = {id(x): list(iter_places(x, model)) for x in function.statements}
    united, copied = list[Places](), set[int]()
    for x in copies:
        if x.has_equal_numbers:
            rows = (by_statement[id(y)] for y in x.statements)
            united += zip(*rows, strict=False)
        if x.has_place:
            copied |= {id(y) for y in x.statements}
    alone = list[Places]()
    for identity, places in by_statement.items():
        (alone if identity in copied else united).extend([x] for x in places)
    return united, alone


def solve_literals(trials: ChangeTrials, literals: Sequence[Places], end: float) -> SolvedLiterals:
    """Return the values that explain a run for some literals, each alone, if found until a time."""
    trials = trials._replace(end=min(trials.end, end))
    found, try_count = list[StatementChange](), 0
    solvers = {
        i: _solve(x[0], trials.part_size) for i, x in enumerate(literals) if not x[0].is_amount
    }  # all values of an amount were tried
    asked = {i: next(x) for i, x in solvers.items()}
    while asked:
        if trials.on_progress:
            trials.on_progress(len(literals) - len(asked), len(literals))
        pairs = [(i, value) for i, values in asked.items() for value in values]
        changes = [y for i, values in asked.items() for y in _make_trials(literals[i], values)]
        scores = [x for _, part in trials.score(changes) for x in part]
        try_count += len(scores)
        if len(scores) < len(pairs):  # the time is over
            break
        results: dict[int, dict[int, Score]] = {}
        for (i, value), score in zip(pairs, scores, strict=True):
            results.setdefault(i, {})[value] = score
        for i, own_scores in results.items():
            try:
                asked[i] = solvers[i].send(own_scores)
            except StopIteration as stop:
                del asked[i]
                values: Sequence[int] = stop.value or ()
                nearest = sorted(values, key=literals[i][0].measure)[:_MAX_SOLUTIONS]
                trial = _make_trials(literals[i], nearest)
                found += [x.pick(j) for x in trial for j in range(x.replica_count)]
    return SolvedLiterals(found, try_count, len(asked))


def _make_trials(places: Places, values: Sequence[int]) -> Iterable[StatementChange]:
    """Return the change that tries some values in all copies at once."""
    for first, *others in zip(*(x.make_trial(tuple(values)) for x in places), strict=True):
        yield first._replace(copies=tuple(others))


def _solve(place: LiteralPlace, part_size: int) -> _Solver:
    """Solve a literal: yield values to try, the written one among the first."""
    is_selector, is_table = place.digit_bits > 1, place.role == TABLE
    base = place.written
    typed = () if is_selector or is_table else (
        *iter_typed_values(base, place.width), *iter_bounds(place.width)
    )  # fmt: skip
    scores = yield [base, *dict.fromkeys((*_list_neighbours(place, base), *typed))]
    if right := _list_right(scores):
        return right
    if not all(x.is_complete for x in scores.values()):  # of an address, or the end of a loop
        return ()
    for _ in range(_MAX_ROUNDS):
        combined = _combine_digits(place, base, scores)
        if combined == base:
            break
        new_scores = yield [combined, *_list_neighbours(place, combined)]
        if right := _list_right(new_scores):
            return right
        if new_scores[combined].wrong_bit_count >= scores[base].wrong_bit_count:
            break
        base, scores = combined, new_scores
    right = list((yield from _solve_from_lowest(place)))
    max_count = part_size * _MAX_PARTS if is_selector and not place.is_slot else _MAX_PLANS
    if not right and (is_table or is_selector) and 1 << place.width <= max_count:
        right = _list_right((yield range(1 << place.width)))
    return right


def _solve_from_lowest(place: LiteralPlace) -> _Solver:
    """Solve each digit by the lowest bits of the results, which later digits do not change."""
    result_bits = 1 if place.digit_bits == 1 else 32 * place.digit_bits // place.width
    candidates = [place.written]
    for shift in range(0, place.width, place.digit_bits):
        digits = range(1 << place.digit_bits)
        mask = len(digits) - 1 << shift
        values = dict.fromkeys(x & ~mask | y << shift for x in candidates for y in digits)
        scores = yield list(values)
        if right := _list_right(scores):
            return right
        least = result_bits * (shift // place.digit_bits + 1)
        fitting = [x for x, y in scores.items() if y.is_complete and y.lowest_wrong_bit >= least]
        fitting.sort(key=lambda x: scores[x].wrong_bit_count)
        candidates = fitting[:_MAX_CANDIDATES]
        if not candidates:
            return ()
    return ()


def _list_neighbours(place: LiteralPlace, value: int) -> list[int]:
    """Return the values with one other digit."""
    digits = range(1, 1 << place.digit_bits)
    return [value ^ x << shift for shift in range(0, place.width, place.digit_bits) for x in digits]


def _combine_digits(place: LiteralPlace, base: int, scores: _Scores) -> int:
    """Return the value with each digit that alone comes nearest."""
    combined = base
    for shift in range(0, place.width, place.digit_bits):
        others = [base ^ x << shift for x in range(1 << place.digit_bits)]
        best = min(others, key=lambda x: (scores[x].wrong_bit_count, x != base))
        combined ^= best ^ base
    return combined


def _list_right(scores: _Scores) -> list[int]:
    return [x for x, y in scores.items() if y.is_right]
