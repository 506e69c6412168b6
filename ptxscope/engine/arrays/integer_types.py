"""The machine's integer types: the narrowest one for a range or a number of bits."""

from __future__ import annotations

from ..isa.integers import Range
from ..records import NamedTuple


class MachineInt(NamedTuple):
    """An integer type of the machine."""

    bits: int
    """The width: 8, 16, 32 or 64."""
    signed: bool


def get_unsigned_type(bits: int) -> MachineInt:
    """Return the unsigned type of a width."""
    return MachineInt(bits, signed=False)


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


def round_up_width(bits: int) -> int:
    """Return the smallest width of a type that is at least ``bits``."""
    return next(width for width in WIDTHS if width >= bits)
