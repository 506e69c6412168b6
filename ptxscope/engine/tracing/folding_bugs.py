"""Undocumented results of constant folding in ptxas (docs/semantics.md, 2.1).

No model includes these bugs: they depend on which operands are constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ..isa.types import Form, Role, Type
from ..semantics.lowering import lower
from ..semantics.models import Model
from ..semantics.plan import compute_results
from ..syntax.constants import FOLDING, format_folding_note
from ..syntax.instruction import Instruction

LOSING = "ptxas 12.8 to 13.5 at -O1 and above"
"""The assemblers that drop the absolute value in ``vabsdiff2`` and ``vabsdiff4`` of constants."""
LOSING_TARGETS = (120, 121)
_DIFFERENCES = {"vabsdiff2": "vsub2", "vabsdiff4": "vsub4"}
_NO_MODEL = "It depends on constants, so no model includes it."


class FoldingBug(NamedTuple):
    """A wrong result for constants, with the same fields as an erratum."""

    id: str
    forms: str
    versions: str
    targets: str
    sentence: str
    example: tuple[str, dict[str, int], int, int]
    """A line, its constants by name, and the results of ``isa`` and ``ptxas``."""
    remark: str = _NO_MODEL


FOLDING_BUGS = (
    FoldingBug(
        "F1",
        "slct.s32.s32 with a constant c",
        FOLDING.removeprefix("ptxas "),
        "sm_75 and later",
        "c is read as an f32: 0x80000000 is -0.0 and chooses a, the bits of a NaN choose b.",
        ("slct.s32.s32 d, a, b, 2142016040", {"a": 1, "b": 12}, 1, 12),
    ),
    FoldingBug(
        "F2",
        "vabsdiff2 and vabsdiff4 .u32.u32.u32.sat with constants a, b and c",
        LOSING.removeprefix("ptxas "),
        "sm_120 and sm_121",
        "The absolute value is lost: each lane is a - b, and a negative difference becomes 0.",
        (
            "vabsdiff4.u32.u32.u32.sat d, a, b, c",
            {"a": 0x8001, "b": 0x7F800002, "c": 0x12345678},
            0x7F808001,
            0x00008000,
        ),
        f"It occurs if c is neither 0 nor equal to a or b. {_NO_MODEL}",
    ),
)


def find_difference_form(form: Form) -> Form | None:
    """Return the form that ptxas computes instead of a constant absolute difference.

    Return None if the form is not affected.
    """
    types = {form.dtype, form.atype, form.btype}
    if form.opcode not in _DIFFERENCES or not form.sat or types != {Type.U32}:
        return None
    return form._replace(opcode=_DIFFERENCES[form.opcode])


def is_difference_lost(constants: Mapping[str, int]) -> bool:
    """Return whether ptxas drops the absolute value if these operands are constants.

    ``constants`` maps roles to bits.
    """
    if not {"a", "b", "c"} <= constants.keys():
        return False
    return constants["c"] not in (0, constants["a"], constants["b"])


def describe_lost_difference(ins: Instruction) -> str:
    """Return a warning about a lost absolute difference, or an empty string."""
    difference_form, constants = find_difference_form(ins.form), ins.constants
    if difference_form is None or not is_difference_lost(constants):
        return ""
    documented_bits, folded_bits = (
        compute_results(lower(form), constants)[Role.D] for form in (ins.form, difference_form)
    )
    if documented_bits == folded_bits:
        return ""
    verb = "can lose" if ins.guard else "loses"
    return (
        f"with these constants {LOSING} {verb} the absolute value for sm_120 and sm_121: "
        f"{ins.format_operand(Role.D)} becomes {folded_bits:#010x}, "
        f"not {documented_bits:#010x} as documented; "
        "-O0 and other targets are correct"
    )


def describe_folded_slct(ins: Instruction) -> Iterator[str]:
    """Yield a warning if ptxas folds a constant c of ``slct`` incorrectly."""
    c = ins.constants.get(Role.C)
    if c is not None and (note := format_folding_note(ins.form, ins.sources, c)):
        yield note


def describe_folding(ins: Instruction) -> Iterator[str]:
    """Yield the warnings about an instruction's constant operands."""
    yield from describe_folded_slct(ins)
    if note := describe_lost_difference(ins):
        yield note


def list_folding_notes(instructions: Iterable[Instruction], model: Model) -> tuple[str, ...]:
    """Return the warnings about constant operands for results under a model.

    The documentation has none: its results are not folded.
    """
    if not model.errata:
        return ()
    notes = (note for ins in instructions if ins.constants for note in describe_folding(ins))
    return tuple(dict.fromkeys(notes))
