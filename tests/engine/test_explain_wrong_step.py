"""Results of an instruction that was understood wrongly: the first explanation says how."""

from __future__ import annotations

import pytest

from ptxscope import diagnose


def explain(line: str, given: str, observed: int) -> list[str]:
    """Return the causes of every explanation, in order, as text."""
    values = {x: int(y, 0) for x, y in (word.split("=") for word in given.split())}
    findings = diagnose(line, values, observed)
    return [" and ".join(cause.phrase for cause in x.causes) for x in findings]


@pytest.mark.parametrize(
    ("line", "given", "observed", "cause"),
    [
        ("addc.u32 d, a, b", "a=1 b=2 CC.CF=1", 3, "without the carry: with CC.CF = 0"),
        ("addc.u32 d, a, b", "a=0x100 b=0x20 CC.CF=1", 0x120, "without the carry: with CC.CF = 0"),
        ("addc.u32 d, a, b", "a=0x100 b=0x20 CC.CF=0", 0x121, "with CC.CF inverted"),
        ("subc.u32 d, a, b", "a=0x100 b=0x20 CC.CF=1", 0xE0, "without the borrow: with CC.CF = 0"),
        ("subc.u32 d, a, b", "a=0x100 b=0x20 CC.CF=0", 0xDF, "with CC.CF inverted"),
        ("madc.lo.u32 d, a, b, c", "a=9 b=7 c=1 CC.CF=1", 64, "without the carry: with CC.CF = 0"),
        ("bfi.b32 d, a, b, c, e", "a=0xff b=0xffffffff c=8 e=8", 0x0000FF00, "with b = 0"),
        ("bfi.b32 d, a, b, 8, 8", "a=0xff b=0x12345678", 0x0000FF00, "with b = 0"),
        ("shf.l.wrap.b32 d, a, b, 8", "a=0x12345678 b=0x9abcdef1", 0x00000012, "with b = 0"),
    ],
)
def test_a_wrong_carry_or_unwritten_operand_is_explained_first(
    line: str, given: str, observed: int, cause: str
) -> None:
    assert explain(line, given, observed)[0] == cause
