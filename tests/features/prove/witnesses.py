"""A plugin of pytest: the solver's answers may be any valid ones, whatever its version.

`python3 dev.py test -p tests.features.prove.witnesses` shows tests that compare the digits of a
counterexample instead of checking it. PTXSCOPE_WITNESSES is the seed of other answers.
"""

from __future__ import annotations

import os
from random import Random
from weakref import WeakKeyDictionary

from ptxscope.features.prove.solver import Solver, Term, TermFactory, Undecided

_SHARES = (1, 2, 4, 16)
"""Of the bytes of all variables, one in so many is drawn, if that leaves an answer."""
_VARIABLES = 6
"""Newest variables that are drawn."""


def pytest_configure() -> None:
    _draw_witnesses(Random(int(os.environ.get("PTXSCOPE_WITNESSES", "51"))))


def _draw_witnesses(draw: Random) -> None:
    """Let every question that has an answer be asked again with random bytes of its variables."""
    variables = WeakKeyDictionary[TermFactory, list[Term]]()
    make_variable, is_possible = TermFactory.make_variable, Solver.is_possible

    def make_and_note_variable(terms: TermFactory, bits: int, name: str) -> Term:
        variable = make_variable(terms, bits, name)
        variables.setdefault(terms, []).append(variable)
        return variable

    def is_possible_at_random(
        solver: Solver, *conditions: Term, seconds: float | None = None
    ) -> bool:
        if not is_possible(solver, *conditions, seconds=seconds):
            return False
        drawn, terms = list[Term](), solver.terms
        for variable in variables.get(terms, [])[-_VARIABLES:]:
            width = variable.sort().bv_size()
            for low in range(0, width, 8):
                high = min(low + 8, width)
                value = terms.make_value(draw.getrandbits(high - low), high - low)
                drawn.append(terms.make("EQUAL", terms.cut(variable, low, high), value))
        draw.shuffle(drawn)
        try:
            for share in _SHARES:
                some = drawn[: len(drawn) // share]
                if some and is_possible(solver, *conditions, *some, seconds=seconds):
                    return True
        except Undecided:
            pass
        return is_possible(solver, *conditions, seconds=seconds)  # its values are read next

    TermFactory.make_variable = make_and_note_variable  # type: ignore[method-assign,assignment]
    Solver.is_possible = is_possible_at_random  # type: ignore[method-assign,assignment]
