"""Operands of an asm statement that are literals, as ``check`` judges them."""

from __future__ import annotations

import pytest

from ptxscope.features.check.lint import check_text


@pytest.mark.parametrize(
    ("operand", "said"),
    [  # each as nvcc 13.0 refuses or takes it
        ('"l"(0xffffffff)', "the literal is unsigned, and the operand b64"),
        ('"l"(-1)', "the literal is int, and the operand b64"),
        ('"d"(16777217.0f)', "the literal is float, and the operand f64"),
        ('"f"(0.1)', "the literal is double, and the operand f32"),
        ('"f"(1)', "the literal is int, and the operand f32"),
        ('"h"(70000)', "the literal is int, and the operand b16"),
        ('"r"(0x1ffffffff)', "the literal is long long, and the operand b32"),
        ('"r"(1.0f)', "the literal is float, and the operand b32"),
        ('"r"((short)2)', "the literal is short, and the operand b32"),
        ('"r"(-1)', ""),
        ('"h"((short)5)', ""),
        ('"l"(0xffffffffffull)', ""),
        ('"f"(0.1f)', ""),
        ('"n"(5)', ""),
        ('"r"(x)', ""),
    ],
)
def test_a_literal_that_nvcc_refuses_is_noted(operand: str, said: str) -> None:
    types = {"l": "u64", "d": "f64", "f": "f32", "h": "u16"}
    type_ = types.get(operand[1], "u32")
    text = f'asm("slct.{type_}.s32 %0, %1, %1, %2;" : "=r"(d) : {operand}, "r"(c));'
    (item,) = check_text(text, "k.cu")
    found = [x for x in item.diagnostics if "nvcc 13.0 refuses" in x.message]
    assert [x.severity for x in found] == ["note"] * bool(said)
    assert all(x.message == f"nvcc 13.0 refuses `{operand}`: {said}" for x in found)


def test_a_tied_output_is_not_a_constant() -> None:
    text = "mov.u32 %0, 9; vadd.u32.s32.s32.sat %0.b0, %2, %2, %0;"
    (item,) = check_text(f'asm("{text}" : "=r"(q) : "0"(7), "r"(b));', "k.cu")
    assert item.example
    assert "%0" in item.example.values
    tied = 'asm("vadd4.u32.u32.u32 %0, %1, %2, %1;" : "=r"(q) : "0"(7), "r"(9));'
    (item,) = check_text(tied, "k.cu")
    assert any('refuses `"0"(7)`' in x.message for x in item.diagnostics)
