"""CUDA's SIMD intrinsics (`__vadd4`, `__vcmpgts2`, …) and the PTX that computes the same.

Each pair was checked against the code that nvcc 13.0 emits for the intrinsic; if the results
differ, ``differs`` says how.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from ..records import NamedTuple


class Intrinsic(NamedTuple):
    """A CUDA intrinsic over the bytes or half-words of 32-bit words."""

    name: str
    ptx: str
    """A line in d, a, b and c; ``c`` is not read, or is 0."""
    differs: str = ""
    """Difference between the PTX result and the intrinsic's; empty if there is none."""


_ALL_ONES = "if the comparison is true, the intrinsic gives all ones and vset gives 1"
_ROUNDS_DOWN = "the intrinsic rounds halves down, vavrg away from zero"
_B_IS_ZERO = "the operand b is 0 here"


def _iter_intrinsics(lanes: int) -> Iterator[Intrinsic]:
    """Yield the intrinsics over 2 half-words or 4 bytes."""

    def pair(
        name: str, opcode: str, modifiers: str, differs: str = "", operands: str = "d, a, b, c"
    ) -> Intrinsic:
        return Intrinsic(f"__{name}{lanes}", f"{opcode}{lanes}.{modifiers} {operands}", differs)

    for name in ("vadd", "vsub"):
        yield pair(name, name, "u32.u32.u32")
        yield pair(f"{name}ss", name, "s32.s32.s32.sat")
        yield pair(f"{name}us", name, "u32.u32.u32.sat")
    for sign in "su":
        types = f"{sign}32.{sign}32.{sign}32"
        yield pair(f"vavg{sign}", "vavrg", types)
        yield pair(f"vabsdiff{sign}", "vabsdiff", types)
        yield pair(f"vmax{sign}", "vmax", types)
        yield pair(f"vmin{sign}", "vmin", types)
        yield pair(f"vsad{sign}", "vabsdiff", f"{types}.add")
    yield pair("vhaddu", "vavrg", "u32.u32.u32", _ROUNDS_DOWN)
    yield pair("vabs", "vabsdiff", "s32.s32.s32", _B_IS_ZERO)
    yield pair("vabsss", "vabsdiff", "s32.s32.s32.sat", _B_IS_ZERO)
    yield pair("vneg", "vsub", "s32.s32.s32", _B_IS_ZERO, "d, b, a, c")
    yield pair("vnegss", "vsub", "s32.s32.s32.sat", _B_IS_ZERO, "d, b, a, c")
    for name, differs in (("vset", ""), ("vcmp", _ALL_ONES)):
        for cmp in ("eq", "ne"):
            yield pair(f"{name}{cmp}", "vset", f"u32.u32.{cmp}", differs)
        for cmp in ("ge", "gt", "le", "lt"):
            for sign in "su":
                types = f"{sign}32.{sign}32"
                yield pair(f"{name}{cmp}{sign}", "vset", f"{types}.{cmp}", differs)


@cache
def map_intrinsics() -> dict[str, Intrinsic]:
    """Map the name of every intrinsic to its record."""
    return {intrinsic.name: intrinsic for lanes in (2, 4) for intrinsic in _iter_intrinsics(lanes)}
