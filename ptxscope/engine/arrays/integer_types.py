"""The machine's integer types: the narrowest one for a range or a number of bits."""

from __future__ import annotations

from typing import NamedTuple

from ..isa.integers import Range


class MachineInt(NamedTuple):
    """An integer type of the machine."""

    bits: int
    """The width: 8, 16, 32 or 64."""
    signed: bool


def get_unsigned_type(bits: int) -> MachineInt:
    """Return the unsigned type of a width."""
    return MachineInt(bits, signed=False)


class WidthError(Exception):
    """No machine type holds a node; the message names it."""


WIDTHS = (8, 16, 32, 64)
WIDEST = WIDTHS[-1]


def unite_ranges(*ranges: Range) -> Range:
    """Return the smallest range that contains all of them."""
    return Range(min(r.low for r in ranges), max(r.high for r in ranges))


def find_narrowest_type(*ranges: Range) -> MachineInt | None:
    """Return the narrowest type that holds every value of some ranges, or None."""
    values = unite_ranges(*ranges)
    signed = values.low < 0
    return next((MachineInt(bits, signed) for bits in WIDTHS if values.fits_in(bits, signed)), None)


def find_common_type(*ranges: Range) -> MachineInt:
    """Return the narrowest type that holds every value of some ranges; raise WidthError if none."""
    if type_ := find_narrowest_type(*ranges):
        return type_
    raise WidthError(f"values of {ranges}")


def round_up_width(bits: int) -> int:
    """Return the smallest width of at least ``bits``; raise WidthError if no type has one."""
    for width in WIDTHS:
        if width >= bits:
            return width
    raise WidthError(f"{bits} bits")
