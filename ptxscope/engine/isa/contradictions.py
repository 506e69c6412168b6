"""The contradictions in the PTX ISA manual and how ptxscope resolves them, as data."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .form import Form
from .types import SecOp, Type


class Contradiction(NamedTuple):
    """Two statements of the manual that cannot both be true."""

    opcodes: tuple[str, ...]
    applies_to: Callable[[Form], bool]
    """Whether a form of these opcodes is affected."""
    text: str


_ARITHMETIC = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr")


def _can_be_negative(f: Form) -> bool:
    return f.opcode == "vsub" or Type.S32 in (f.atype, f.btype)


def _is_product_minus_c(f: Form) -> bool:
    return f.negc and f.atype is f.btype is Type.U32


CONTRADICTIONS = (
    Contradiction(
        ("vset2", "vset4"),
        lambda f: f.mask is not None and len(f.mask.lanes) * f.mask.unit < 32 and not f.secop,
        "the manual's prose keeps the lanes of b outside the mask, its pseudo-code those of c; "
        "ptxscope follows the pseudo-code",
    ),
    Contradiction(
        ("vmad",),
        _is_product_minus_c,
        "the manual's list has an unsigned c in (u32 * u32) - u32, its pseudo-code sign-extends "
        "it; ptxscope follows the pseudo-code",
    ),
    Contradiction(
        ("vmad",),
        lambda f: f.scale is None,
        "the manual's pseudo-code assigns a result only if it is scaled; otherwise ptxscope takes "
        "the sum",
    ),
    Contradiction(
        (*_ARITHMETIC, "vset"),
        lambda f: f.secop is not None,
        "the manual's pseudo-code assigns d twice from the same tmp, which would undo the "
        "secondary operation; ptxscope performs one after the other",
    ),
    Contradiction(
        tuple(opcode for opcode in _ARITHMETIC if opcode != "vabsdiff"),
        lambda f: (
            f.dtype is Type.U32
            and (f.sat or f.secop in (SecOp.MIN, SecOp.MAX))
            and _can_be_negative(f)
        ),
        "the manual says that the sign of the intermediate result depends on dtype, and declares "
        "it .s34, signed whatever dtype is; ptxscope uses the exact number, which may be negative",
    ),
)


def find_contradictions(opcode: str) -> tuple[Contradiction, ...]:
    """Return the contradictions that concern an opcode."""
    return tuple(x for x in CONTRADICTIONS if opcode in x.opcodes)
