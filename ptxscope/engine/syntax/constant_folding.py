"""Constant folding of ``slct`` by ptxas, F1, which differs from its result on registers.

See docs/semantics.md, 2.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..isa.floats import decode_float
from ..isa.form import Form
from ..isa.integers import cast
from ..isa.types import Type
from .instruction import Immediate, Register

FOLDING = "ptxas 11.8 to 13.3 at -O1 and above"
"""The versions and options that misfold a constant c of ``slct``."""


class Folding(NamedTuple):
    """A ``slct`` whose constant c is misfolded."""

    folded_choice: Register | Immediate
    documented_choice: Register | Immediate
    mistaken_value: str
    """The value that c is mistaken for."""


def find_folding(form: Form, operands: Sequence[Register | Immediate], c: int) -> Folding | None:
    """Return how a ``slct`` with a constant c is misfolded; None if its result is right.

    ``operands`` are a and b as written, ``c`` the bits of the constant.
    """
    if (form.opcode, form.dtype, form.ctype) != ("slct", Type.S32, Type.S32):
        return None
    a, b, *_ = operands
    if a == b or (a.bits is not None and a.bits == b.bits):
        return None
    documented, folded = cast(c, 32, signed=True) >= 0, decode_float(c, Type.F32) >= 0
    if documented == folded:
        return None
    folded_choice, documented_choice = (a, b) if folded else (b, a)
    mistaken_value = "-0.0, which is >= 0" if folded else "a NaN, which is not >= 0"
    return Folding(folded_choice, documented_choice, mistaken_value)


def format_folding_note(form: Form, operands: Sequence[Register | Immediate], c: int) -> str:
    """Return the note on a misfolded ``slct``; empty if its result is right."""
    folding = find_folding(form, operands, c)
    if folding is None:
        return ""
    return (
        f"with this constant c {FOLDING} takes {folding.folded_choice}, not "
        f"{folding.documented_choice} as documented: it folds c as if it were an f32, "
        f"{folding.mistaken_value}; -O0, ptxas 13.5 and a c that is not a constant are right"
    )
