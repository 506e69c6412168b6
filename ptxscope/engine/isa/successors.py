"""The packed instructions that do what a SIMD video instruction does, and where the two differ."""

from __future__ import annotations

from typing import NamedTuple

from .catalog import find_entry
from .form import Form
from .types import Type


class Successor(NamedTuple):
    """A packed instruction of newer versions of PTX (9.7.1) in place of a SIMD video instruction.

    Both compute the same lanes if d, a and b of the video instruction have the type of the lanes.
    """

    opcode: str
    """The video instruction: ``vadd4``."""
    mnemonic: str
    """The opcode and type of the packed instruction: ``add.s8x4``; ``.u8x4`` is legal, too."""
    flag: str
    """The modifier that it may have: ``sat``, ``relu``."""
    differences: tuple[str, ...]

    @property
    def summary(self) -> str:
        """The instruction as a pattern, and its lowest versions."""
        opcode, _, type_ = self.mnemonic.partition(".")
        entry = find_entry(opcode, [type_])
        assert entry
        minimum = entry.compute_minimum(Form(opcode, stype=Type(type_)))
        types = f"u{type_[1:]},{type_}"
        return f"{opcode}{{.{self.flag}}}.{{{types}}} d, a, b does the same ({minimum})"


_SAT = "`.sat` clamps to the type of the lanes, which is that of d, a and b"
_RELU = (
    "`.relu` with signed lanes makes negative results 0, as `.u32.s32.s32.sat` does; `.sat` has no "
    "other counterpart"
)


def _make_successor(opcode: str, mnemonic: str, flag: str) -> Successor:
    total = "`dp4a` with b = 0x01010101" if opcode[-1] == "4" else "`dp2a.lo` with b = 0x0101"
    return Successor(
        opcode,
        mnemonic,
        flag,
        (
            "d, a and b have one type; `.s32.s32.u32`, say, has no counterpart",
            _SAT if flag == "sat" else _RELU,
            "there are no selectors and no mask: each lane of d takes the same lane of a and of b; "
            "`prmt` arranges bytes",
            f"there is no c, and no `.add`: {total} adds the lanes of a register to c",
        ),
    )


_SUCCESSORS = {
    successor.opcode: successor
    for successor in (
        _make_successor("vadd4", "add.s8x4", "sat"),
        _make_successor("vsub4", "sub.s8x4", "sat"),
        _make_successor("vmin4", "min.s8x4", "relu"),
        _make_successor("vmax4", "max.s8x4", "relu"),
        _make_successor("vadd2", "add.s16x2", "sat"),
        _make_successor("vmin2", "min.s16x2", "relu"),
        _make_successor("vmax2", "max.s16x2", "relu"),
    )
}


def find_successor(opcode: str) -> Successor | None:
    """Return the successor of a SIMD video instruction; None if it has none, as ``vavrg4``."""
    return _SUCCESSORS.get(opcode)
