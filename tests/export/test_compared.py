"""Numbers that are compared: two that differ are two points, in their order; equal ones are one."""

from __future__ import annotations

import re

import pytest

from ptxscope import Trace, export, trace
from ptxscope.documents.options import Options

# the smaller one, and the larger: neighbours, and such whose difference a double does not have
NEAR = [
    ("s32", -1, 1), ("s32", -(2**31), -(2**31) + 1), ("s32", 2**31 - 2, 2**31 - 1),
    ("u32", 2**32 - 2, 2**32 - 1), ("u32", 0, 1), ("s64", -1, 1), ("u64", 2**63, 2**63 + 1),
    ("u64", 2**64 - 2, 2**64 - 1), ("s16", -1, 0),
    ("f32", 0x8000_0001, 0x0000_0001), ("f64", 0x3FF0_0000_0000_0000, 0x3FF0_0000_0000_0001),
]  # fmt: skip
EQUAL = [("s32", -1, 0xFFFFFFFF), ("f32", 0x8000_0000, 0), ("u64", 5, 5)]


def compared(type_: str, a: int, b: int) -> Trace:
    mask = (1 << int(type_[1:])) - 1
    return trace(f"setp.lt.{type_} p, a, b", {"a": a & mask, "b": b & mask})


def dots(shown: Trace, options: Options) -> list[float]:
    """Where the points of the comparison are drawn."""
    svg = export(shown, "svg", options)
    steps = re.search(r'class="px-step px-compare">(.*?)</g>\n<g id', svg, re.S)
    assert steps
    return [float(x) for x in re.findall(r'<circle cx="([\d.]+)" cy="[\d.]+" r="4"', steps[1])]


@pytest.mark.parametrize(("type_", "low", "high"), NEAR)
def test_numbers_that_differ_are_two_points(type_: str, low: int, high: int) -> None:
    for turned in (False, True):
        values = (high, low) if turned else (low, high)
        a, b = dots(compared(type_, *values), Options())[:: -1 if turned else 1]
        assert b - a >= 15


@pytest.mark.parametrize(("type_", "a", "b"), EQUAL)
def test_equal_numbers_are_one_point(type_: str, a: int, b: int) -> None:
    one, other = dots(compared(type_, a, b), Options())
    assert one == other


def test_two_assemblers_are_named_in_one_order() -> None:
    """A set of two names has an order that changes with each process."""
    values = {"a": 1, "b": 56151187, "c": 25198208}
    shown = trace("vmin.s32.s32.u32 d.h1, a, b, c", values, model="ptxas")
    assert "models ptxas-13.5 and ptxas-13.0" in export(shown, "svg", Options(both=True))


def ways(svg: str) -> list[tuple[float, float]]:
    """The way of each number to the end of its range, beside the length of the range, in px."""
    found = re.findall(
        r'd="M([\d.]+) [\d.]+C\1 [\d.]+ ([\d.]+) [\d.]+ \2 [\d.]+" class="px-s-mark"', svg
    )
    ranges = re.findall(r'<rect x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="6"', svg)
    assert len(set(ranges)) == 1
    return [(float(x) - float(end), float(ranges[0])) for x, end in found]


@pytest.mark.parametrize("compact", [False, True])
def test_numbers_outside_a_range_are_drawn_to_scale(compact: bool) -> None:
    """127 + 112 is 112 above the range of 255, -128 - 96 is 96 below; as u32, 0x80 is 128."""
    values = {"a": 0x7F7F8000, "b": 0x7080A000}
    for ptx, over in (
        ("vadd4.s32.s32.s32.sat d, a, b, c", [112, -96]),  # 127 + -128 is inside
        ("vadd4.s32.s32.u32.sat d, a, b, c", [112, 128]),  # b is 112, 128, 160, 0
    ):
        shown = trace(ptx, {**values, "c": 0})
        found = ways(export(shown, "svg", Options(compact=compact)))
        assert [round(way / wide * 255) for way, wide in found] == pytest.approx(over, abs=1)
