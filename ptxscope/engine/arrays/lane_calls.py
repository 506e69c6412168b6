"""Lanes of words: picked, kept, packed and summed, all of a word at once."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import numpy as np

from .call_sequence import Function, View, constant
from .demand import total_bits
from .integer_types import Int, unsigned
from .selector_state import Selection
from .tape import Node

_WORD = unsigned(32)
_ONES = 0xFFFF_FFFF


def _mask(unit: int, lanes: Iterable[int]) -> int:
    """Ones in some lanes of so many bits."""
    return sum(((1 << unit) - 1) << (unit * lane) for lane in lanes)


def _word(s: Selection, function: Function, x: View, y: View | int) -> View:
    """A call on words."""
    return s.call(function, _WORD, 1, x, constant(y, _WORD) if isinstance(y, int) else y)


def _moved(s: Selection, word: View, distance: int) -> View:
    """A word shifted left, or right where the distance is negative."""
    if not distance:
        return word
    return _word(s, np.left_shift if distance > 0 else np.right_shift, word, abs(distance))


def gathered(s: Selection, x: Node) -> View:
    """Lanes of words: those that move equally far are shifted and masked together."""
    unit, picks = x.fixed
    if x.lanes == 1:
        return _one(s, x)
    counted = [(word, i - index, i) for i, (word, index) in enumerate(picks) if i in s.lanes(x)]
    every = _mask(unit, (i for *_, i in counted))
    found: View | None = None
    for (word, lanes), group in groupby(sorted(counted), key=lambda move: move[:2]):
        ours, distance = _mask(unit, (i for *_, i in group)), unit * lanes
        moved = _moved(s, s.read(x.nodes[word], _WORD), distance)
        reached = _ONES << distance & _ONES if distance > 0 else _ONES >> -distance
        if reached & every & ~ours:  # it would fall on other lanes
            moved = _word(s, np.bitwise_and, moved, ours)
        found = moved if found is None else _word(s, np.bitwise_or, found, moved)
    assert found
    return found.of(unsigned(unit))


def _one(s: Selection, x: Node) -> View:
    """One byte or half-word; what stands above it does not matter unless it counts."""
    unit, ((word, index),) = x.fixed
    if s.needs(x) > unit:
        return part(s, x, signed=False)
    return _moved(s, s.read(x.nodes[word], _WORD), -unit * index)


def part(s: Selection, x: Node, signed: bool) -> View:
    """One byte or half-word of a word, extended to a word."""
    unit, ((word, index),) = x.fixed
    type_ = Int(32, signed)
    view, above = s.read(x.nodes[word], type_), 32 - unit * (index + 1)
    if not signed and index == 0:
        return _word(s, np.bitwise_and, view, _mask(unit, (0,)))
    if above:
        view = s.call(np.left_shift, type_, 1, view, constant(above, type_))
    return s.call(np.right_shift, type_, 1, view, constant(32 - unit, type_))


def kept(s: Selection, x: Node) -> View:
    """Some lanes from one vector, or one number in the place of one; the others from another."""
    ours, theirs = x.nodes
    lanes, unit = x.fixed
    if ours.lanes == 1:
        (lane,) = lanes
        new, reached = _moved(s, s.read(ours, _WORD), unit * lane), _ONES << unit * lane & _ONES
    else:
        new, reached = s.read(ours, unsigned(unit)).of(_WORD), _ONES
    mask = _mask(unit, lanes)
    if reached & ~mask:
        new = _word(s, np.bitwise_and, new, mask)
    old = _word(s, np.bitwise_and, s.read(theirs, unsigned(unit)).of(_WORD), ~mask)
    return _word(s, np.bitwise_or, new, old).of(unsigned(unit))


def packed(s: Selection, x: Node) -> View:
    """Lanes as the word that they are in memory."""
    return s.read(x.nodes[0], unsigned(x.fixed[0])).of(_WORD)


def summed(s: Selection, x: Node) -> View:
    """Lanes as one word times 1 in each lane: its top lane is their sum.

    Lanes that may be negative are counted from the least they can be.
    """
    (y,), (lanes, count) = x.nodes, x.fixed
    bits, low = total_bits(x), min(y.range.low, 0)
    lane, word = unsigned(bits), unsigned(bits * count)
    view = s.read(y, lane)
    if low:
        view = s.call(np.subtract, lane, count, view, constant(low, lane))
    view = view.of(word)

    def then(function: Function, value: int) -> View:
        return s.call(function, word, 1, view, constant(value, word))

    if len(lanes) < count:
        view = then(np.bitwise_and, _mask(bits, lanes))
    view = then(np.multiply, sum(1 << (bits * i) for i in range(count)))
    view = then(np.right_shift, bits * (count - 1))
    return then(np.add, len(lanes) * low) if low else view
