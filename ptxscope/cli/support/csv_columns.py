"""Plain CSV lines of operands, read and answered as arrays of bytes.

Most files are plain: ASCII without quotes, every column in each line, values in decimal or
hexadecimal. Other files are left to the reader of ``csv_rows``, which also reports errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from csv import field_size_limit
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.arrays.call_sequence import get_storage_dtype
from ...engine.isa.integers import get_limits
from ...engine.isa.types import Type
from ...engine.records import NamedTuple

Bytes = npt.NDArray[np.uint8]
IndexArray = npt.NDArray[np.intp]
Integers = npt.NDArray[Any]
EightByteWords = npt.NDArray[np.uint64]

_COMMA, _NEWLINE, _MINUS, _ZERO = b",\n-0"
_MAX_DIGITS = {16: 16, 10: 19}
"""The number of digits in a base that 64 bits always hold."""
_MARGIN = 24
"""Bytes before the lines, so that each number has some before its digits."""
_PAIRS = np.frombuffer("".join(f"{x:02x}" for x in range(256)).encode(), np.uint16)
"""The two digits of each byte."""


class _Cells(NamedTuple):
    """One column: the start and the end of its cells."""

    text: Bytes
    start: IndexArray
    end: IndexArray

    def take_lines(self, mask: npt.NDArray[np.bool_]) -> _Cells:
        """Return the cells of the chosen lines."""
        return _Cells(self.text, self.start[mask], self.end[mask])


def evaluate_lines(
    lines: bytes,
    width: int,
    columns: Mapping[str, tuple[int, Type]],
    results: Sequence[tuple[str, int]],
    evaluate: Callable[[Mapping[str, Integers]], Mapping[str, Any]],
) -> bytes | None:
    """Return lines of ``width`` columns with results added, or None if they are not plain.

    ``columns`` gives the position and type of each register's values, ``results`` the added results
    with their bits.
    """
    text = np.frombuffer(bytes(_MARGIN) + lines, np.uint8)
    cell_ends = _find_cell_ends(text, width)
    if cell_ends is None:
        return None
    values = dict[str, Integers]()
    for name, (index, type_) in columns.items():
        start = cell_ends[:, index - 1] + 1 if index else np.append(_MARGIN, cell_ends[:-1, -1] + 1)
        column_values = _parse_column(_Cells(text, start, cell_ends[:, index]), type_)
        if column_values is None:
            return None
        values[name] = column_values.astype(get_storage_dtype(type_))
    results_by_name = evaluate(values)
    additions = [
        _format_results(np.broadcast_to(results_by_name[name], len(cell_ends)), bits)
        for name, bits in results
    ]
    result_text = additions[0] if len(additions) == 1 else np.concatenate(additions, axis=1)
    return _join_lines(text, cell_ends[:, -1], result_text)[_MARGIN:].tobytes()


def _find_cell_ends(text: Bytes, width: int) -> IndexArray | None:
    """Return cell ends, a row per line; None unless every line has ``width`` short cells."""
    cell_ends = np.flatnonzero((text == _COMMA) | (text == _NEWLINE))
    sizes = np.diff(cell_ends, prepend=_MARGIN - 1) - 1
    if cell_ends.size % width or sizes.max() > field_size_limit():
        return None
    table = cell_ends.reshape(-1, width)
    separators = text[table]
    is_complete = np.all(separators[:, :-1] == _COMMA) and np.all(separators[:, -1] == _NEWLINE)
    # a line without characters is not a row, and a single empty cell would be written in quotes
    return table if is_complete and (width > 1 or sizes.min() > 0) else None


def _parse_column(cells: _Cells, type_: Type) -> Integers | None:
    """Return the values of a column, or None if one is not a plain integer that fits."""
    text, start, end = cells
    if not np.all(end > start):
        return None
    # at least the newline follows a cell
    prefixed = (text[start] == _ZERO) & ((text[start + 1] | 0x20) == ord("x"))
    if prefixed.all():
        return _parse_hexadecimal(cells, type_)
    if type_.is_float:  # a plain number is a float there
        return None
    if not prefixed.any():
        return _parse_decimal(cells, type_)
    parts = (
        _parse_hexadecimal(cells.take_lines(prefixed), type_),
        _parse_decimal(cells.take_lines(~prefixed), type_),
    )
    if parts[0] is None or parts[1] is None:
        return None
    values = np.empty(len(start), parts[1].dtype)
    values[prefixed], values[~prefixed] = parts[0].astype(values.dtype), parts[1]
    return values


def _parse_hexadecimal(cells: _Cells, type_: Type) -> Integers | None:
    values = _parse_digits(_Cells(cells.text, cells.start + 2, cells.end), 16)
    high = get_limits(type_.bits, signed=False).high
    return None if values is None or np.any(values > np.uint64(high)) else values


def _parse_decimal(cells: _Cells, type_: Type) -> Integers | None:
    text, start, end = cells
    negative = text[start] == _MINUS
    start = start + negative
    if np.any((text[start] == _ZERO) & (end - start > 1)):  # a leading zero is octal
        return None
    values = _parse_digits(_Cells(text, start, end), 10)
    low, high = get_limits(type_.bits, signed=True).low, get_limits(type_.bits, signed=False).high
    if values is None or np.any(values > np.where(negative, np.uint64(-low), np.uint64(high))):
        return None
    return np.where(negative, -values, values) & np.uint64(high)


def _parse_digits(cells: _Cells, base: int) -> EightByteWords | None:
    """Return digits as a number, or None if a cell has other characters, none, or too many."""
    text, start, end = cells
    counts = end - start
    if not counts.size or counts.min() < 1 or counts.max() > _MAX_DIGITS[base]:
        return None
    # eight characters from any position, as one word
    eights = np.ndarray((text.size - 7,), np.dtype("<u8"), text, strides=(1,))
    total = np.zeros(counts.size, np.uint64)
    for digit_count in range(0, int(counts.max()), 8):
        word = eights[end - 8 - digit_count]
        if counts.min() < digit_count + 8:
            digit_mask = _LAST_CHARS[np.clip(counts - digit_count, 0, 8)]
            word = word & digit_mask | _ZEROS & ~digit_mask
        number = _parse_eight_digits(word, base)
        if number is None:
            return None
        total += number * np.uint64(base**digit_count)
    return total


def _repeat_byte(byte: int) -> np.uint64:
    """Return a word of eight equal bytes."""
    return np.uint64(byte * 0x0101_0101_0101_0101)


_ZEROS = _repeat_byte(_ZERO)
_LAST_CHARS = np.array([((1 << 64) - 1) >> 8 * x << 8 * x for x in range(8, -1, -1)], np.uint64)
"""Masks of the last 0 to 8 characters of a word, whose first character is its low byte."""
_LOW = {8: 0x00FF_00FF_00FF_00FF, 16: 0x0000_FFFF_0000_FFFF, 32: 0x0000_0000_FFFF_FFFF}
"""Masks of every second part of so many bits."""


def _parse_eight_digits(word: EightByteWords, base: int) -> EightByteWords | None:
    """Return the number that eight ASCII digits are, or None if one is not a digit.

    The first digit is in the low byte.
    """
    # no sum of bytes reaches 256, so all eight are tested together
    digits = word ^ _ZEROS
    letter_bits = digits + _repeat_byte(0x80 - 10) & _repeat_byte(0x80)
    if base == 10:
        if letter_bits.any():
            return None
    elif letter_bits.any():
        letter = letter_bits >> np.uint64(7)
        digits = digits & ~(letter * np.uint64(0x20))  # now a to f are 0x51 to 0x56, as A to F
        if (
            letter_bits
            & (~(digits + _repeat_byte(0x80 - 0x51)) | digits + _repeat_byte(0x80 - 0x57))
        ).any():
            return None
        digits = digits - letter * np.uint64(0x51 - 10)
    for bits in (8, 16, 32):  # neighbours are joined; the first one has the higher weight
        factor = np.uint64(base ** (bits // 8))
        digits = digits * factor + (digits >> np.uint64(bits)) & np.uint64(_LOW[bits])
    return digits


def _format_results(values: Integers, bits: int) -> Bytes:
    """Return a comma and every hexadecimal digit of the width; a predicate is 0 or 1."""
    if bits == 1:
        head, digits = b",", values.astype(np.uint8)[:, None] + np.uint8(_ZERO)
    else:
        parts = values.astype(f">u{bits // 8}").view(np.uint8).reshape(len(values), -1)
        head, digits = b",0x", _PAIRS[parts].view(np.uint8)
    result_text = np.empty((len(values), len(head) + digits.shape[1]), np.uint8)
    result_text[:, : len(head)] = np.frombuffer(head, np.uint8)
    result_text[:, len(head) :] = digits
    return result_text


def _join_lines(text: Bytes, cell_ends: IndexArray, additions: Bytes) -> Bytes:
    """Return the lines with their additions before the line ends."""
    count, width = additions.shape
    piece = np.dtype((np.void, width))
    joined_text, is_addition = np.empty((2, text.size + additions.size), np.uint8)
    is_addition[:] = 0
    positions = cell_ends + np.arange(count) * width
    for array, pieces in ((joined_text, additions), (is_addition, np.ones_like(additions))):
        windows = np.ndarray((array.size - width + 1,), piece, array, strides=(1,))
        windows[positions] = pieces.view(piece)[:, 0]
    joined_text[is_addition == 0] = text
    return joined_text
