"""Values as people type them, against IEEE 754 as ``struct`` has it."""

from __future__ import annotations

import struct
from contextlib import suppress

import pytest

from ptxscope.engine.isa.encodings import step_float
from ptxscope.engine.isa.types import Type
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.engine.syntax.values import list_first_characters, parse_value
from tests.reference_data import read_lines

LARGEST = {
    # bits, and the number half-way to the next pattern after the largest: the first invalid one
    Type.F32: (0x7F7FFFFF, (2**24 - 1) * 2**104 + 2**103),
    Type.F64: (0x7FEFFFFFFFFFFFFF, (2**53 - 1) * 2**971 + 2**970),
}


@pytest.mark.parametrize("sign", ["", "-", "+"])
@pytest.mark.parametrize("type_", LARGEST)
def test_a_float_that_would_round_to_infinity_is_refused(type_: Type, sign: str) -> None:
    bits, first = LARGEST[type_]
    letter, width = ("f", 4) if type_ is Type.F32 else ("d", 8)
    (largest,) = struct.unpack(f">{letter}", bits.to_bytes(width, "big"))
    below = first - 2**76  # which binary64 can hold where it lies beside binary32's largest
    assert int(largest) < below < first
    negative = 1 << type_.bits - 1 if sign == "-" else 0
    assert parse_value(f"{sign}{below}.0", type_) == bits | negative
    for text in (f"{first}.0", "1e999", "1e99999999999999999999", "9" * 400):
        with pytest.raises(PtxError) as error:
            parse_value(f" {sign}{text}", type_)
        assert "is too large for `.f" in error.value.message
        assert "inf" in error.value.hint
        assert error.value.span == (1, len(sign + text) + 1)


@pytest.mark.parametrize(("text", "type_", "bits"), read_lines("values.txt", 3))
def test_a_value_is_parsed_by_its_type(text: str, type_: str, bits: str) -> None:
    assert parse_value(text, Type(type_)) == int(bits, 0)


@pytest.mark.parametrize("text", ["1__0", "_1", "1_", "1 000", "0x_1", "0b1000  0000", "0b1_"])
def test_other_groups_are_refused(text: str) -> None:
    with pytest.raises(PtxError):
        parse_value(text, Type.U32)


_PREFIX = "is not a value: hexadecimal digits need a 0x in front"


@pytest.mark.parametrize(
    ("text", "type_", "message", "hint"),
    [
        ("1 000", "s32", "`1 000` is not a value: `_` groups decimal digits", "1_000"),
        ("12 34", "s32", f"`12 34` {_PREFIX}", "0x12 34"),
        *(("80ff7f01", x, f"`80ff7f01` {_PREFIX}", "0x80ff7f01") for x in ("u32", "f32", "b64")),
        ("0b102", "s32", "`0b102` has a digit that does not belong in base 2", "0 and 1: 0b1010"),
        ("08", "s32", "`08` has a digit that does not belong in base 8",
         "0o17 or 017 is octal, 17 decimal"),
        ("\u0663", "s32", "`\u0663` has a digit that does not belong in base 10", "0 to 9"),
        ("65520", "f16", "`65520` is too large for `.f16`", "-65504.0 to 65504.0, inf, -inf"),
        ("[1,,2,3]", "s32", "an integer is missing", "0x7f, -5, 0b1010, 255"),
        ("[h:1]", "s32", "1 lane does not make 32 bits", "4 bytes or 2 half-words"),
        ("[1,2,3]", "s32", "3 lanes do not make 32 bits", "4 bytes or 2 half-words"),
    ],
)  # fmt: skip
def test_the_error_on_a_refused_value_names_the_allowed_values(
    text: str, type_: str, message: str, hint: str
) -> None:
    with pytest.raises(PtxError) as error:
        parse_value(text, Type(type_))
    assert (error.value.message, error.value.hint) == (message, hint)


@pytest.mark.parametrize("type_", list(Type))
def test_a_value_begins_with_one_of_the_first_characters(type_: Type) -> None:
    texts = ("7", "-1", "+1", ".5", "[0,0]", "nan", "Inf", "true", "False", "0x1", "yes", "z", "a")
    for text in texts:
        with suppress(PtxError):
            parse_value(text, type_)
            assert text[0] in list_first_characters(type_)


@pytest.mark.parametrize(
    ("bits", "steps", "then"),
    [
        (0x3F800000, 1, 0x3F800001),
        (0xBF800000, 1, 0xBF7FFFFF),  # -1 goes up, to -0.99999994
        (0xBF800000, -1, 0xBF800001),
        (0x80000001, 1, 0x80000000),
        (0x80000000, 1, 0x00000000),
        (0x00000000, -1, 0x80000000),
        (0x7F7FFFFF, 1, 0x7F800000),
        (0xFF800000, 1, 0xFF7FFFFF),  # -inf goes to the lowest number
        (0x7F800000, 1, None),
        (0xFF800000, -1, None),
        (0x7FC00000, 1, None),
    ],
)
def test_a_float_steps_to_the_next(bits: int, steps: int, then: int | None) -> None:
    assert step_float(bits, Type.F32, steps) == then
