"""Operands that satisfy conditions and are easy to read: many zeros, few bits, small numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from .proof_question import ProofQuestion
from .solver import Term, Undecided

_QUERY_SECONDS = 0.3
"""The time for one wish; a wish that takes longer is dropped."""
_SECONDS = 1.0
_UNIT = 8


def find_simple_operands(
    question: ProofQuestion,
    conditions: Sequence[Term],
    holds: Callable[[Mapping[str, int]], bool],
    wishes: Sequence[Sequence[Term]] = (),
) -> dict[str, int] | None:
    """Return operands by name for which conditions hold, or None if there are none.

    ``holds`` says exactly whether operands are such. ``wishes`` are lists of alternatives: the
    first one that can hold with all before it is kept. Then come the wishes that operands and bytes
    are 0, as long as the time for this lasts; last, bits are cleared one by one. Raise Undecided if
    the time of the question passes before the first operands are found.
    """
    solver = question.solver
    for name in question.inputs:
        question.get_bits(name)
    if not solver.is_possible(*conditions):
        return None
    kept, operands = [*conditions], question.get_operands()
    end = solver.elapsed + _SECONDS

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
        for name, low, high in _iter_parts(question, _UNIT):
            part = solver.terms.cut(question.get_bits(name), low, high)
            wish = solver.terms.make("EQUAL", part, solver.terms.make_value(0, high - low))
            if operands[name] & (1 << high) - (1 << low) == 0:
                kept.append(wish)
            else:
                grant(wish)
    except Undecided:
        pass  # operands that are harder to read are an answer too
    return clear_bits(question, operands, holds)


def clear_bits(
    question: ProofQuestion, operands: dict[str, int], holds: Callable[[Mapping[str, int]], bool]
) -> dict[str, int]:
    """Return operands with each bit cleared that need not be set, the highest bits first."""
    for name, low, high in _iter_parts(question, 1):
        cleared = operands[name] & ~((1 << high) - (1 << low))
        if cleared != operands[name] and holds({**operands, name: cleared}):
            operands = {**operands, name: cleared}
    return operands


def _iter_parts(question: ProofQuestion, unit: int) -> Iterator[tuple[str, int, int]]:
    """Yield the operands, then their parts of some bits; the last operand and part first."""
    inputs = [(name, type_.bits) for name, type_ in question.inputs.items()][::-1]
    yield from ((name, 0, bits) for name, bits in inputs)
    for name, bits in inputs:
        if bits > unit:
            yield from ((name, low, low + unit) for low in range(bits - unit, -1, -unit))
