"""The integer types of a machine: which one holds a range, or so many bits."""

from __future__ import annotations

from ..isa.integers import Range
from ..records import NamedTuple


class MachineInt(NamedTuple):
    """A machine's integer type."""

    bits: int
    """8, 16, 32 or 64."""
    signed: bool


def get_unsigned_type(bits: int) -> MachineInt:
    """The type of so many bits that begins at 0."""
    return MachineInt(bits, signed=False)


WIDTHS = (8, 16, 32, 64)
WIDEST = WIDTHS[-1]


def unite_ranges(*ranges: Range) -> Range:
    """The smallest range that holds all of them."""
    return Range(min(r.low for r in ranges), max(r.high for r in ranges))


def find_narrowest_type(*ranges: Range) -> MachineInt | None:
    """The narrowest type that holds every value of some ranges, or None."""
    values = unite_ranges(*ranges)
    signed = values.low < 0
    return next((MachineInt(bits, signed) for bits in WIDTHS if values.fits_in(bits, signed)), None)


def round_up_width(bits: int) -> int:
    """The least width of a type that has so many bits."""
    return next(width for width in WIDTHS if width >= bits)
