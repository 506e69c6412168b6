"""Operands of asm statements: literals (``"r"(0)``), and outputs that are read.

Expected: arithmetic by hand, and PTX as nvcc 13.0 writes it (``mov.u32 %r3, 0``). What the commands
answer is in ``tests/data/requests/asm_operands.txt``.
"""

from __future__ import annotations

import pytest

from ptxscope.engine.syntax.asm_operands import read_operands
from tests.cli.test_completion import offered

KEPT = 'asm("vadd.u32.s32.s32.sat %0.b0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(0x11223344));'


@pytest.mark.parametrize(
    ("operand", "bits"),
    [
        ('"r"(0)', 0),
        ('"r"( 0x11223344u )', 0x11223344),
        ('"r"(-1)', 0xFFFFFFFF),
        ('"r"((07))', 7),
        ('"r"(1\'000)', 1000),
        ('"r"(5uu)', None),
        ('"h"(-2)', 0xFFFE),
        ('"l"(-1LL)', (1 << 64) - 1),
        ('"f"(1.5f)', 0x3FC00000),
        ('"f"(-.5f)', 0xBF000000),
        ('"d"(1e0)', 0x3FF0000000000000),
        ('"r"(x)', None),
        ('"r"(0 + x)', None),
        ('"r"(f(0))', None),
        ('"+r"(0)', None),
        ('"=r"(0)', None),
        ('"f"(1)', None),  # nvcc refuses it
        ('"r"(1.5f)', None),
        ('"l"(0xffffffff)', 0xFFFFFFFF),  # refused too; C extends unsigned values with zeros
        ('"d"(16777217.0f)', 0x4170000000000000),  # 2**24 as a float
        ('"r"(0x1ffffffff)', 0xFFFFFFFF),
        ('"r"((int)3)', 3),
        ('"r"(-(1))', 0xFFFFFFFF),
        ('"r"(~0)', 0xFFFFFFFF),
        ('"r"(- -1)', 1),
        ('"h"((short)70000)', 70000 - 65536),
        ('"r"((int)(unsigned char)-1)', 255),
        ('"l"(~0u)', 0xFFFFFFFF),
        ('"r"(--1)', None),
        ('"r"((int)x)', None),
        ('"r"((T)3)', None),
        ('"r"(08)', None),
        (f'"r"({"9" * 100})', None),
    ],
)
def test_a_literal_operand_has_its_bits(operand: str, bits: int | None) -> None:
    text = f': "=r"(d) : {operand});'
    found = read_operands(text, 0, len(text)).literals
    assert found == ({} if bits is None else {"%1": bits})


def test_a_literal_is_not_completed() -> None:
    words = offered("trace", KEPT, "a=1", "")
    assert "%2=" in words
    assert "%3=" not in words
