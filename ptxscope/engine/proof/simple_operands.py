"""Operands that satisfy conditions and are easy to read: many zeros, few bits, small numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .question import Question
from .solver import Term, Undecided

_QUERY_SECONDS = 0.5
"""The time for one wish; a wish that takes longer is dropped."""
_UNIT = 8


def find_simple_operands(
    question: Question,
    conditions: Sequence[Term],
    wishes: Sequence[Sequence[Term]] = (),
    seconds: float = 2.0,
) -> dict[str, int] | None:
    """Return operands by name for which conditions hold, or None if there are none.

    ``wishes`` are lists of alternatives: the first one that can hold with all before it is kept.
    Then come the wishes that operands, bytes and bits are 0, as long as ``seconds`` last. Raise
    Undecided if the time of the question passes before the first operands are found.
    """
    solver = question.solver
    for name in question.inputs:
        question.get_bits(name)
    if not solver.is_possible(*conditions):
        return None
    kept, operands = [*conditions], question.get_operands()
    end = solver.elapsed + seconds

    def grant(wish: Term) -> bool:
        """Keep a wish if it can hold."""
        nonlocal operands
        left = end - solver.elapsed
        if left <= 0 or not solver.is_possible(*kept, wish, seconds=min(left, _QUERY_SECONDS)):
            return False
        kept.append(wish)
        operands = question.get_operands()
        return True

    try:
        for alternatives in wishes:
            any(map(grant, alternatives))
        for name, low, high in _iter_parts(question):
            mask = (1 << high) - (1 << low)
            part = question.solver.terms.cut(question.get_bits(name), low, high)
            wish = solver.terms.make("EQUAL", part, solver.terms.make_value(0, high - low))
            if operands[name] & mask == 0:
                kept.append(wish)
            elif not grant(wish) and high - low == 1:
                kept.append(solver.terms.make("NOT", wish))
    except Undecided:
        pass  # operands that are harder to read are an answer too
    return operands


def _iter_parts(question: Question) -> Iterator[tuple[str, int, int]]:
    """Yield the operands, then their bytes, then their bits; the last operand and bit first."""
    inputs = [(name, type_.bits) for name, type_ in question.inputs.items()][::-1]
    yield from ((name, 0, bits) for name, bits in inputs)
    for unit in (_UNIT, 1):
        for name, bits in inputs:
            if bits > unit:
                yield from ((name, low, low + unit) for low in range(bits - unit, -1, -unit))
