"""Operands in plain CSV lines, read and answered as arrays of bytes.

Plain is what most files are: ASCII without quotes, each line with every column, values in decimal
or hexadecimal. What is not is left to the reader of ``table``, which also says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..engine.isa.integers import limits
from ..engine.isa.types import Type

Bytes = npt.NDArray[np.uint8]
Integers = npt.NDArray[Any]

_COMMA, _NEWLINE, _MINUS, _ZERO = b",\n-0"
_NONE = 99
_DIGITS = np.full(256, _NONE, np.uint8)
"""What a character is as a digit, up to base 16."""
for _digits in (b"0123456789abcdef", b"0123456789ABCDEF"):
    _DIGITS[np.frombuffer(_digits, np.uint8)] = range(16)
_HEX = np.frombuffer(b"0123456789abcdef", np.uint8)
_LONGEST = {16: 16, 10: 19}
"""As many digits in a base as 64 bits always hold."""


class _Cells(NamedTuple):
    """One column: where its cells begin and end."""

    text: Bytes
    start: npt.NDArray[np.intp]
    end: npt.NDArray[np.intp]

    def some(self, chosen: npt.NDArray[np.bool_]) -> _Cells:
        """Those of some lines."""
        return _Cells(self.text, self.start[chosen], self.end[chosen])


def answered(
    lines: bytes,
    width: int,
    columns: Mapping[str, tuple[int, Type]],
    results: Sequence[tuple[str, int]],
    evaluate: Callable[[Mapping[str, Integers]], Mapping[str, Any]],
) -> bytes | None:
    """Lines of so many columns with results added; None where they are not plain.

    ``columns`` says where each register's values stand, ``results`` which are added, and how many
    bits they have.
    """
    text = np.frombuffer(lines, np.uint8)
    ends = _line_ends(text, width)
    if ends is None:
        return None
    values = dict[str, Integers]()
    for name, (at, type_) in columns.items():
        start = np.concatenate(([0], ends[:-1, -1] + 1)) if at == 0 else ends[:, at - 1] + 1
        found = _values(_Cells(text, start, ends[:, at]), type_)
        if found is None:
            return None
        values[name] = found
    found_ = evaluate(values)
    added = [_written(np.broadcast_to(found_[name], len(ends)), bits) for name, bits in results]
    return _joined(text, ends[:, -1], np.concatenate(added, axis=1)).tobytes()


def _line_ends(text: Bytes, width: int) -> npt.NDArray[np.intp] | None:
    """Where each cell ends, a row a line; None unless all lines have so many."""
    ends = np.flatnonzero((text == _COMMA) | (text == _NEWLINE))
    if ends.size % width:
        return None
    table = ends.reshape(-1, width)
    found = text[table]
    whole = np.all(found[:, :-1] == _COMMA) and np.all(found[:, -1] == _NEWLINE)
    # a line without a character is none, and one of a single empty cell would be written in quotes
    return table if whole and (width > 1 or not np.any(np.diff(ends, prepend=-1) == 1)) else None


def _values(cells: _Cells, type_: Type) -> Integers | None:
    """What the cells of a column hold; None where one is no plain integer that fits."""
    text, start, end = cells
    if not np.all(end > start):
        return None
    # behind a cell there is at least the newline
    prefixed = (text[start] == _ZERO) & ((text[start + 1] | 0x20) == ord("x"))
    if prefixed.all():
        return _hexadecimal(cells, type_)
    if type_.is_float:  # a plain number is a float there
        return None
    if not prefixed.any():
        return _decimal(cells, type_)
    parts = _hexadecimal(cells.some(prefixed), type_), _decimal(cells.some(~prefixed), type_)
    if parts[0] is None or parts[1] is None:
        return None
    found = np.empty(len(start), parts[1].dtype)
    found[prefixed], found[~prefixed] = parts[0].astype(found.dtype), parts[1]
    return found


def _hexadecimal(cells: _Cells, type_: Type) -> Integers | None:
    found = _number(_Cells(cells.text, cells.start + 2, cells.end), 16)
    high = limits(type_.bits, signed=False).high
    return None if found is None or np.any(found > np.uint64(high)) else found


def _decimal(cells: _Cells, type_: Type) -> Integers | None:
    text, start, end = cells
    negative = text[start] == _MINUS
    start = start + negative
    if np.any((text[start] == _ZERO) & (end - start > 1)):  # that is octal
        return None
    found = _number(_Cells(text, start, end), 10)
    low, high = limits(type_.bits, signed=True).low, limits(type_.bits, signed=False).high
    if found is None or np.any(found > np.where(negative, np.uint64(-low), np.uint64(high))):
        return None
    return np.where(negative, -found, found) & np.uint64(high)


def _number(cells: _Cells, base: int) -> npt.NDArray[np.uint64] | None:
    """Digits as a number; None where a cell has others, none, or too many."""
    text, start, end = cells
    counts = end - start
    if not counts.size or counts.min() < 1 or (most := int(counts.max())) > _LONGEST[base]:
        return None
    found = np.zeros(counts.size, np.uint64)
    for place in range(most):
        here = counts > place
        digit = _DIGITS[text[end - 1 - place]]
        if place >= counts.min():
            digit = np.where(here, digit, 0)
        if np.any(digit >= base):
            return None
        found += digit.astype(np.uint64) * np.uint64(base**place)
    return found


def _written(values: Integers, bits: int) -> Bytes:
    """A comma and every digit of the width in hexadecimal; a predicate is 0 or 1."""
    if bits == 1:
        digits = values.astype(np.uint8)[:, None]
        head = b","
    else:
        shifts = np.arange(bits - 4, -1, -4, dtype=np.uint8).astype(values.dtype)
        digits = (values[:, None] >> shifts & 15).astype(np.uint8)
        head = b",0x"
    found = np.empty((len(values), len(head) + digits.shape[1]), np.uint8)
    found[:, : len(head)] = np.frombuffer(head, np.uint8)
    found[:, len(head) :] = _HEX[digits]
    return found


def _joined(text: Bytes, ends: npt.NDArray[np.intp], added: Bytes) -> Bytes:
    """The lines, each with what is added to it before its end."""
    count, width = added.shape
    first = ends + np.arange(count) * width
    places = first[:, None] + np.arange(width)
    joined = np.empty(text.size + added.size, np.uint8)
    ours = np.zeros(joined.size, bool)
    ours[places] = True
    joined[places] = added
    joined[~ours] = text
    return joined
