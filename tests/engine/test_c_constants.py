"""Constant expressions of C, with the values that C11 gives them."""

from __future__ import annotations

import pytest

from ptxscope.engine.syntax.c_expression import find_c_constants, parse_c_literal


@pytest.mark.parametrize(
    ("text", "value", "type_"),
    [
        ("(0xf0 & 0xcc) | 0xaa", 0xEA, "s32"),
        ("1u << 31", 1 << 31, "u32"),
        ("-1 > 0u", 1, "s32"),
        ("(uint8_t)300", 44, "u8"),
        ("(uint8_t)255 + (uint8_t)1", 256, "s32"),
        ("static_cast<uint8_t>(0x1ff)", 255, "u8"),
        ("sizeof(int) * 2", 8, "u64"),
        ("5 > 3 ? 7 : 9u", 7, "u32"),
        ("-7 / 2", -3, "s32"),
        ("-7 % 2", -1, "s32"),
        ("-8 >> 1", -4, "s32"),
        ("0xffffffffu + 1", 0, "u32"),
        ("0xffffffffu + 1ll", 1 << 32, "s64"),
        ("(unsigned)-1 / 2", (1 << 31) - 1, "u32"),
        ("1 + 2 << 3 & 0x1c", 24, "s32"),
    ],
)
def test_a_constant_expression_has_its_value_and_type(text: str, value: int, type_: str) -> None:
    literal = parse_c_literal(text)
    assert literal is not None
    assert (literal.value, literal.type) == (value, type_)


@pytest.mark.parametrize(
    "text",
    ["1 / 0", "1 % 0", "1 << 32", "1 << -1", "2147483647 + 1", "x", "1.0f + 2", "(" * 60 + "1"],
)
def test_what_is_undefined_or_unknown_has_no_value(text: str) -> None:
    assert parse_c_literal(text) is None


def test_only_names_with_one_declaration_are_constants() -> None:
    source = """
        constexpr int K = 5; static constexpr unsigned M = (1u << K) - 1; const float F = 1.0f;
        const int twice = 1; void f(int twice) {}
        template <int P> void g(); constexpr int P = 7;
        const int variable = f(); // const int comment = 3;
        constexpr unsigned char small{300};
        const int argument = 2;
        #define F(x, argument) asm("" :: "n"(argument))
        int h() { return K + M; }
    """
    values = {name: x.value for name, x in find_c_constants(source).items()}
    assert values == {"K": 5, "M": 31, "small": 44}
