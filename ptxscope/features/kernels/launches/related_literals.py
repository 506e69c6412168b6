"""Several literals of a listing that are one expression of the source, changed at once.

Compilers that unroll ``c = c >> 1 ^ (c & 1 ? K : 0)`` test several bits of c before they shift it,
so the listing has K, K >> 1 and K >> 2. Those that unroll a loop over ``t > d`` compare t with
2, 3, 5 and 9; with ``t >= d`` all would be 1 less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ....engine.program.program import Program
from ....engine.semantics.models import Model
from ....sources.source_lines import SourcePlace, read_source_lines
from .instruction_changes import LiteralValues, StatementChange, make_statement_plan
from .literal_changes import LiteralPlace, iter_places, iter_typed_values
from .statement_copies import Copies

_LEAST_NUMBER = 1 << 8
"""The least number that is a right shift of another one hardly by chance."""


def iter_shifted_changes(function: Program, text: str, model: Model) -> Iterator[StatementChange]:
    """Yield typing errors of the constants of a listing whose right shifts stand at their place."""
    sources = read_source_lines(text)
    literals_by_place: dict[SourcePlace, dict[int, LiteralPlace]] = {}
    for index, statement in enumerate(function.statements):
        if place := sources.find_place(statement.line):
            literals = literals_by_place.setdefault(place._replace(call=None), {})
            for x in iter_places(statement, model):
                if not x.is_slot and not x.is_amount and x.written >= _LEAST_NUMBER:
                    literals.setdefault(index, x)
    for literals in literals_by_place.values():
        if literals:
            yield from _iter_changes([*literals.values()])


def _iter_changes(literals: Sequence[LiteralPlace]) -> Iterator[StatementChange]:
    """Yield the change of the greatest literal of some, together with that of its right shifts."""
    first = max(literals, key=lambda x: x.written)
    shifts = {first.written >> x: x for x in reversed(range(first.width))}
    others = [x for x in literals if x is not first and x.written in shifts]
    if all(x.written == first.written for x in others):
        return
    typed = iter_typed_values(first.written, first.width)
    values = tuple(dict.fromkeys((*first.near_values, *typed)))
    copies = tuple(_make_change(x, values, shifts[x.written]) for x in others)
    change = _make_change(first, values, 0, lambda _: ", and so its right shifts,")
    yield change._replace(copies=copies)


def iter_moved_changes(copies: Sequence[Copies], model: Model) -> Iterator[StatementChange]:
    """Yield changes of the literals in which copies of a statement differ: by 1, or inverted."""
    for group in copies:
        if group.has_equal_numbers or not group.has_place:
            continue
        literals = [{x.role: x for x in iter_places(y, model)} for y in group.statements]
        for role in literals[0]:
            places = [x[role] for x in literals if role in x]
            is_constant = not any(x.is_slot or x.is_amount or x.digit_bits > 1 for x in places)
            if (
                is_constant
                and len(places) == len(literals)
                and len({x.written for x in places}) > 1
            ):
                first, *others = (_make_move(x) for x in places)
                yield first._replace(copies=tuple(others))


def _make_move(place: LiteralPlace) -> StatementChange:
    mask = (1 << place.width) - 1
    low, high = (place.written + x & mask for x in (-1, 1))
    phrases = {place.written ^ mask: "inverted", high: "1 more", low: "1 less"}
    return _make_change(
        place, (low, high, place.written ^ mask), 0, lambda x: f", {phrases[x]} in each,"
    )


def _make_change(
    place: LiteralPlace,
    values: Sequence[int],
    shift: int,
    describe: Callable[[int], str] = lambda _: "",
) -> StatementChange:
    """Return a change that stands for several: of a literal to some values, shifted right.

    Its phrase ends with what is said of the copies for a value.
    """
    statement = place.statement
    assert statement.instruction

    def make(value: int) -> StatementChange:
        change = place.make(value)
        return change._replace(phrase=change.phrase + describe(value))

    literal = LiteralValues(place.role, tuple(x >> shift for x in values), make)
    plan = make_statement_plan(statement.instruction, place.model)
    return StatementChange(statement, statement, plan, "", 0, literal=literal)
