"""Arrays of every kind as operands: right, or refused by the operand's name."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import diagnose, evaluate, parse, trace
from ptxscope.engine.isa.types import Type
from ptxscope.engine.syntax.instruction import Instruction
from tests.reference import reference
from tests.strategies import INSTRUCTIONS, bits

Array = npt.NDArray[Any]
SHAPES: tuple[tuple[int, ...], ...] = ((), (1,), (3,), (2, 1), (2, 3), (0, 3), (2, 1, 1))
LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "as it is, read-only": lambda x: x,
    "C": lambda x: x.copy(),
    "Fortran": lambda x: np.array(x, order="F"),
    "every second": lambda x: np.stack([x, x], axis=-1)[..., 0],
    "backwards": lambda x: x if x.ndim == 0 else np.array(x[..., ::-1])[..., ::-1],
    "stride 0": lambda x: np.broadcast_to(x, (2, 3)) if x.shape in ((), (1,), (2, 1)) else x,
    "unaligned": lambda x: (
        np.frombuffer(b"x" + x.tobytes(), x.dtype, offset=1).reshape(x.shape) if x.size else x
    ),
}


def dtypes(type_: Type) -> list[str]:
    """Every type whose arrays hold an operand's bits."""
    if type_ is Type.PRED:
        return ["?", "<u1", ">u4", "<i8"]
    size = type_.bits // 8
    kinds = "uif" if type_.is_float else "ui"
    wider = [f"{order}u8" for order in "<>"]
    return [f"{order}{kind}{size}" for order in "<>" for kind in kinds] + wider


def holding(patterns: list[int], type_: Type, dtype: str) -> Array:
    """Bit patterns as an array of a type, byte by byte."""
    size = np.dtype(dtype).itemsize
    order: Any = "big" if dtype[0] == ">" else "little"
    fill = 1 if dtype == "?" or type_ is Type.PRED else 1 << type_.bits
    raw = b"".join((x % fill if fill > 1 else x).to_bytes(size, order) for x in patterns)
    return np.frombuffer(raw, dtype)


@given(st.data(), INSTRUCTIONS)
def test_arrays_of_any_type_and_layout_equal_the_reference_by_element(
    data: st.DataObject, ins: Instruction
) -> None:
    given_: dict[str, Array] = {}
    plain: dict[str, Array] = {}
    for needed in ins.inputs:
        shape = data.draw(st.sampled_from(SHAPES))
        count = math.prod(shape)
        patterns = data.draw(st.lists(bits(needed.type), min_size=count, max_size=count))
        dtype = data.draw(st.sampled_from(dtypes(needed.type)))
        layout = LAYOUTS[data.draw(st.sampled_from(sorted(LAYOUTS)))]
        given_[needed.name] = layout(holding(patterns, needed.type, dtype).reshape(shape))
        expected = np.empty(count, object)
        expected[:] = patterns
        plain[needed.name] = np.broadcast_to(expected.reshape(shape), given_[needed.name].shape)
    try:
        shape = np.broadcast_shapes(*(x.shape for x in given_.values()))
    except ValueError:
        with pytest.raises(ValueError, match="do not broadcast"):
            evaluate(ins, given_)
        return
    found = evaluate(ins, given_)
    assert {np.shape(x) for x in found.values()} <= {shape}
    every = {name: np.broadcast_to(x, shape) for name, x in plain.items()}
    unread: dict[str, Any] = dict.fromkeys("abc", 0)
    for at in np.ndindex(shape):
        one = unread | {name: x[at] for name, x in every.items()}
        result: dict[str, Any] = dict(found)
        assert {name: int(x[at]) for name, x in result.items()} == reference(str(ins), one, "isa")


FLOATS = [1.5, -2.0, math.nan, math.inf, -0.0, 1e-40, 2.0]


@pytest.mark.parametrize(("letter", "width"), [("f", 32), ("d", 64)])
@pytest.mark.parametrize("order", "<>")
def test_floats_in_either_byte_order_are_compared_as_floats(
    letter: str, width: int, order: str
) -> None:
    raw = struct.pack(f"{order}7{letter}", *FLOATS)
    a = np.frombuffer(raw, f"{order}f{width // 8}")
    found: Any = evaluate(f"set.lt.u32.f{width} d, a, b", {"a": a[:, None], "b": a})["d"]
    assert found.tolist() == [[0xFFFFFFFF if x < y else 0 for y in FLOATS] for x in FLOATS]


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<u4", ">i4"])
def test_operands_without_dimensions_give_a_result_without_dimensions(dtype: str) -> None:
    a = np.frombuffer(bytes.fromhex("00400040"), dtype).reshape(())
    found: Any = evaluate("set.eq.u32.f32 d, a, a", {"a": a})["d"]
    assert (found.shape, int(found)) == ((), 0xFFFFFFFF)


def test_numpy_scalars_are_integers() -> None:
    given_: dict[str, Any] = {"a": np.uint32(5), "b": np.int64(-1), "p": np.bool_(True)}
    assert evaluate("@p vadd.u32.u32.u32 d, a, b", {**given_, "d": np.uint8(7)}) == {"d": 4}
    values: dict[str, Any] = {**given_, "d": np.array(7, ">u2")}
    shown = trace("@p vadd.u32.u32.u32 d, a, b", values)
    assert shown.operands == {"guard": 1, "a": 5, "b": 0xFFFFFFFF, "d": 7}
    assert {type(x) for x in shown.operands.values()} == {int}
    assert {type(x) for x in shown.result.values()} == {int}


LINE = "vadd.s32.u32.u32.sat d.b0, a, b, c"
VALUES: dict[str, Any] = {"a": np.uint32(200), "b": np.int16(100), "c": np.int64(0)}


@pytest.mark.parametrize("seen", [127, np.uint32(127), np.int64(127), np.array(127)], ids=repr)
def test_an_observation_may_be_a_numpy_value(seen: Any) -> None:
    plain = diagnose(LINE, {"a": 200, "b": 100, "c": 0}, 127)
    assert plain[0].causes == ()
    for got in (seen, {"d": seen}):
        assert [x.sentence for x in diagnose(LINE, VALUES, got)] == [x.sentence for x in plain]
    several = diagnose(LINE, [VALUES, VALUES], [seen, seen])
    assert several[0].causes == ()


def test_a_predicate_of_numpy_may_be_observed() -> None:
    got: Any = np.bool_(True)
    assert diagnose("setp.lt.s32 p, a, b", {"a": 1, "b": 2}, got)[0].causes == ()


MASKED = np.ma.array([1, 2], mask=[False, True])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (MASKED, "a is a masked array"),
        (MASKED[0:0], "a is a masked array"),
        (np.ma.masked, "a is a masked array"),
        ([np.ma.masked, 1], "a is a masked array"),
        (np.zeros(2, np.float32), "a is an array of float32, not an integer"),
        (np.zeros(2, object), "a is an array of object, not an integer"),
        (np.zeros(2, [("x", "u4")]), "a is an array of .*, not an integer"),
        (np.zeros(2, complex), "a is an array of complex128, not an integer"),
        (np.zeros(2, "M8[s]"), "a is an array of datetime64"),
        (np.array(["1"]), "a is an array of <U1, not an integer"),
        ([[1, 2], [3]], "a is .*, not an array"),
        ([1, 1 << 70], "a = 0x400000000000000000 does not fit in 32 bits"),
        ([-1, 1 << 63], "a = 0x8000000000000000 does not fit in 32 bits"),
        ([1, None], "a is an array of object, not an integer"),
        ([1 << 63, 0.5], "a is an array of float64, not an integer"),
        ([1] * 1000 + [0.5], "a is an array of float64, not an integer"),
        (1.5, "a is 1.5, not an integer"),
        ("5", "a is '5', not an integer"),
        (None, "a is None, not an integer"),
        (np.array([1, 1 << 33]), "a has 0x200000000, which does not fit in 32 bits"),
        (np.array([-1 - (1 << 31)], ">i8"), "a has -0x80000001, which does not fit"),
        (1 << 40, "a .*0x10000000000,? .*not fit in 32 bits"),
    ],
    ids=lambda x: ascii(x)[:30],
)
def test_an_error_on_a_wrong_array_names_the_operand(value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        evaluate("vadd.u32.u32.u32 d, a, b", {"a": value, "b": np.array([1])})


@pytest.mark.parametrize(
    "value", [[1, 1 << 63], [[1 << 64 - 1], [-1]], (-(1 << 63), (1 << 64) - 1), [(1 << 53) + 1, -1]]
)
def test_a_list_of_integers_keeps_every_bit(value: Any) -> None:
    ones = (1 << 64) - 1
    d: Any = evaluate("not.b64 d, a", {"a": value})["d"]
    assert d.dtype == np.uint64
    expected = [
        [ones - y % (1 << 64) for y in x] if isinstance(x, list) else ones - x % (1 << 64)
        for x in value
    ]
    assert d.tolist() == expected


def test_a_list_of_floats_is_rounded_as_each_float_is() -> None:
    numbers = [0.1, -2.5, 3e38, float("inf")]
    d: Any = evaluate("selp.f32 d, a, b, p", {"a": [numbers, numbers], "b": 0.0, "p": True})["d"]
    assert d.tolist() == [list(struct.unpack("<4I", struct.pack("<4f", *numbers)))] * 2
    with pytest.raises(ValueError, match=r"a is float64, but the operand is \.f32"):
        evaluate("set.lt.u32.f32 d, a, b", {"a": [1, 2.5], "b": 0})  # 1: a number, or bits?


@pytest.mark.parametrize("dtype", ["<f2", ">f2", "<f8", "longdouble"])
def test_floats_of_another_width_are_refused(dtype: str) -> None:
    with pytest.raises(ValueError, match=r"a is .*float\d+, but the operand is \.f32"):
        evaluate("set.lt.u32.f32 d, a, b", {"a": np.zeros(2, dtype), "b": 1})


@pytest.mark.parametrize(
    "value", [1.5, "5", None, np.array([1]), np.float32(1), np.ma.masked, MASKED[1:]],
    ids=lambda x: ascii(x)[:20],
)  # fmt: skip
def test_a_trace_and_an_observation_are_of_integers(value: Any) -> None:
    ins = parse("vadd.u32.u32.u32 d, a, b")
    with pytest.raises(ValueError, match=r"^a is .*, not an integer"):
        trace(ins, {"a": value, "b": 1})
    with pytest.raises(ValueError, match=r"^d is .*, not an integer"):
        diagnose(ins, {"a": 1, "b": 1}, value)


FLOAT_OPERANDS = [
    ("set.lt.u32.f32 d, a, b", 1, 1),
    ("set.lt.u32.f32 d, a, b", 1.5, 0x3FC0_0000),
    ("set.lt.u32.f32 d, a, b", -0.0, 0x8000_0000),
    ("set.lt.u32.f32 d, a, b", 0.1, 0x3DCC_CCCD),
    ("set.lt.u32.f32 d, a, b", float("nan"), 0x7FC0_0000),
    ("set.lt.u32.f32 d, a, b", float("-inf"), 0xFF80_0000),
    ("set.lt.u32.f32 d, a, b", np.float32(1.5), 0x3FC0_0000),
    ("set.lt.u32.f32 d, a, b", np.uint32(0x7FA0_0001).view(np.float32), 0x7FA0_0001),
    ("set.lt.u32.f32 d, a, b", np.float16(1.5), 0x3FC0_0000),
    ("set.lt.u32.f32 d, a, b", np.float64(0.1), 0x3DCC_CCCD),
    ("set.lt.u32.f64 d, a, b", 0.1, 0x3FB9_9999_9999_999A),
    ("set.lt.u32.f64 d, a, b", np.float32(1.5), 0x3FF8_0000_0000_0000),
]


@pytest.mark.parametrize(("line", "value", "bits"), FLOAT_OPERANDS, ids=lambda x: ascii(x)[:24])
def test_a_float_value_of_a_float_operand_is_its_number(line: str, value: Any, bits: int) -> None:
    assert trace(line, {"a": value, "b": 0}).operands["a"] == bits
    for other in (0, 0x3F80_0000):
        assert evaluate(line, {"a": value, "b": other}) == evaluate(line, {"a": bits, "b": other})
        assert evaluate(line, {"a": value, "b": np.array([other])}) == evaluate(
            line, {"a": bits, "b": other}
        )


@pytest.mark.parametrize("value", [3.5e38, -1e300, np.float64(1e39)])
def test_a_float_that_is_too_large_is_refused(value: float) -> None:
    said = r"a = .*e\+\d+ is too large for \.f32: -3.4028235e\+38 to 3.4028235e\+38, inf, -inf"
    for b in (0, np.array([1])):
        with pytest.raises(ValueError, match=said):
            evaluate("set.lt.u32.f32 d, a, b", {"a": value, "b": b})


@pytest.mark.parametrize("value", ["1.5", None, [1.5]])
def test_a_value_that_is_not_a_number_is_refused_for_a_float_operand(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^a is .*, neither an integer nor a float"):
        trace("set.lt.u32.f32 d, a, b", {"a": value, "b": 0})


def test_diagnose_refuses_an_instruction_without_a_result() -> None:
    with pytest.raises(ValueError, match="writes nothing that could be observed"):
        diagnose("setp.ne.u32 _, a, b", {"a": 1, "b": 2}, 1)


def test_any_nonzero_byte_of_a_boolean_array_is_true() -> None:
    c = np.frombuffer(bytes([0, 1, 2, 255]), bool)
    for given_ in (c, np.stack([c, c], axis=-1)[:, 0]):
        found: Any = evaluate("selp.b32 d, 7, 9, c", {"c": given_})["d"]
        assert found.tolist() == [9, 7, 7, 7]


def test_unread_operands_broadcast_with_the_others() -> None:
    line = "vsub.s32.u32.s32 d, a, b, c"
    unread = np.zeros(3, np.uint32)
    assert np.array_equal(evaluate(line, {"a": 5, "b": 1, "c": unread})["d"], [4, 4, 4])
    with pytest.raises(ValueError, match=r"do not broadcast: a \(2,\), .*c \(3,\)"):
        evaluate(line, {"a": np.zeros(2, np.uint32), "b": 1, "c": unread})
