"""The scene says of every chip, wire and cut what the trace and plain arithmetic say."""

from __future__ import annotations

import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ptxscope.engine.isa.types import Type
from ptxscope.engine.syntax.parser import parse
from ptxscope.engine.tracing.provenance import find_provenance
from ptxscope.engine.tracing.trace import Trace, trace
from ptxscope.scene import bit_rulers
from ptxscope.scene.scene_builder import build_scene, choose_part_width
from ptxscope.scene.scene_model import BitRuler, LaneRef, Link, NumberLine, RunningSum, SpanKind
from tests.driving.lanes import some_traces
from tests.tiers import examples

HERE = LaneRef("t", 0)
TRACES = some_traces(120, "ptxas")


def _reached(links: dict[LaneRef, list[Link]], place: LaneRef) -> set[LaneRef]:
    """Every register's part that ways lead from to a place."""
    if place not in links:
        return {place}
    return {
        found for link in links[place] if link.is_taken for found in _reached(links, link.source)
    }


def test_links_lead_back_to_the_origins_of_the_bits() -> None:
    for one in TRACES:
        links: dict[LaneRef, list[Link]] = {place: [] for place in _places(one)}
        for drawn in build_scene(one).rows.values():
            for link in drawn.links:
                links[link.target].append(link)
        for key, row in one.rows.items():
            for lane in range(len(row.values)):
                expected = set()
                for role, low, high in find_provenance(one, key, lane):
                    unit = choose_part_width(one, role)
                    expected |= {
                        LaneRef(role, part) for part in range(low // unit, -(-high // unit))
                    }
                assert _reached(links, LaneRef(key, lane)) == expected, (one.instruction, key, lane)


def _places(one: Trace) -> list[LaneRef]:
    return [LaneRef(key, lane) for key, row in one.rows.items() for lane in range(len(row.values))]


def test_a_chip_has_the_bits_and_the_colour_of_its_part() -> None:
    for one in TRACES:
        for register in build_scene(one).registers:
            whole = one.operands[register.role]
            for cell in register.cells:
                (chip, *_) = cell.spans
                part = whole >> register.unit * cell.place.lane & (1 << register.unit) - 1
                assert int(chip.text, 16) == part
                assert chip.tint.role == register.role
        for key in one.rows:
            if not one.rows[key].micro.find_part(0):
                continue
            for cell in build_scene(one).rows[key].cells:
                (chip, name) = cell.spans
                (origin,) = find_provenance(one, key, cell.place.lane)
                bits_ = one.operands[origin.role] >> origin.low
                assert int(chip.text, 16) == bits_ & (1 << origin.high - origin.low) - 1
                assert chip.tint == (origin.role, origin.high // 8 - 1)
                unit = origin.high - origin.low
                at = {8: ".b", 16: ".h", 32: ""}[unit]
                index = str(origin.low // unit) if at else ""
                assert name.text.strip() == f"{origin.role}{at}{index}"


@pytest.mark.parametrize(
    ("ptx", "width", "signed"),
    [
        ("mul24.lo.s32 d, a, b", 24, True),
        ("mad24.hi.u32 d, a, b, c", 24, False),
        ("cvt.s32.s8 d, a", 8, True),
        ("cvt.u16.u8 d, a", 8, False),
    ],
)
@given(st.data())
def test_an_extension_and_its_digits_are_the_number_and_other_bits_are_lost(
    ptx: str, width: int, signed: bool, data: st.DataObject
) -> None:
    """Two's complement, read from the digits."""
    ins = parse(ptx)
    bits = data.draw(st.integers(0, (1 << ins.type_of("a").bits) - 1))
    one = trace(ins, {source.name: bits for source in ins.inputs})
    row = next(x for x in one.rows.values() if x.micro.reading and x.role == "a")
    (cell,) = build_scene(one).rows[row.key].cells
    by_kind = {span.kind: span.text for span in cell.spans}
    chip = by_kind[SpanKind.CHIP]
    number = int(by_kind[SpanKind.SIGN if signed else SpanKind.ZERO] + chip, 16)
    number -= (signed and number >> 2 * width - 1) << 2 * width
    assert len(chip) * 4 == width
    assert number == int(by_kind[SpanKind.VALUE]) == row.values[0]
    above = bits - (number & (1 << ins.type_of("a").bits) - 1)
    lost = int(by_kind.get(SpanKind.LOST, "0"), 16)
    assert (lost << width) + int(chip, 16) == bits if above else SpanKind.LOST not in by_kind


def _number(strip: BitRuler, *looks: SpanKind) -> str:
    return "".join(x.text.replace(" ", "") for x in strip.runs if x.kind in looks)


@examples(200)
@given(st.integers(-(2**66), 2**66), st.integers(0, 40))
def test_a_shift_right_keeps_and_drops_the_right_bits(value: int, amount: int) -> None:
    strip = bit_rulers.make_right_shift_ruler(HERE, value, amount)
    kept, lost = _number(strip, SpanKind.CHIP), _number(strip, SpanKind.LOST)
    assert len(lost) == amount
    assert int("0" + lost, 2) == value % 2**amount
    assert int("0" + kept, 2) == (value // 2**amount) % 2 ** len(kept)
    assert strip.runs[0].text == ("…1" if value < 0 else "…0")
    assert strip.summary == f"= {value // 2**amount}"
    assert [x.label for x in strip.runs if x.kind is not SpanKind.LOST].count("kept") == 1
    whole = bit_rulers.make_right_shift_ruler(HERE, value % 2**32, amount % 33, 32)
    assert int(_number(whole, SpanKind.CHIP, SpanKind.LOST), 2) == value % 2**32
    labels = {x.label for x in whole.runs if x.kind is SpanKind.CHIP}
    kept_count = 32 - amount % 33
    assert labels == ({f"{kept_count} bit{'s' * (kept_count > 1)} kept"} if kept_count else set())


@examples(200)
@given(st.integers(-(2**31), 2**32 - 1), st.integers(0, 32))
@example(1, 31)
def test_a_left_shift_shows_the_window_and_the_bits_above(value: int, amount: int) -> None:
    strip = bit_rulers.make_left_shift_ruler(HERE, value, amount)
    made = value * 2**amount
    window = _number(strip, SpanKind.CHIP) + _number(
        strip._replace(runs=strip.runs[1:]), SpanKind.ZERO
    )
    assert len(window) == 32
    assert int(window, 2) == made % 2**32
    beyond = _number(strip, SpanKind.BEYOND)
    whole = int(beyond + window, 2)
    assert made == (whole - 2 ** len(beyond + window) if made < 0 else whole)
    looks = [x.kind for x in strip.runs]
    assert looks.index(SpanKind.BEYOND) == 1 if beyond else SpanKind.BEYOND not in looks
    labels = [x.label for x in strip.runs if x.kind is SpanKind.CHIP]
    assert labels == [{31: "bit 31"}.get(amount, f"bits 31:{amount}")] * (amount < 32)


@examples(200)
@given(st.integers(-(2**66), 2**66), st.sampled_from((1, 5, 8, 16, 32, 64)))
def test_truncated_bits_are_drawn_left_of_the_remaining_bits(value: int, width: int) -> None:
    strip = bit_rulers.make_truncation_ruler(HERE, value, width, "")
    *_, lost, kept = strip.runs
    assert (lost.kind, kept.kind) == (SpanKind.LOST, SpanKind.CHIP)
    base = 16 if width in (16, 32, 64) else 2
    assert int(kept.text.replace(" ", ""), base) == value % 2**width


@pytest.mark.parametrize(
    ("value", "width", "shown"),
    [(382, 8, "1"), (-300, 8, "…fe"), (1 << 40, 32, "100"), (-1, 8, "…ff")],
)
def test_the_digits_above_a_width(value: int, width: int, shown: str) -> None:
    found = bit_rulers.format_high_digits(value, width)
    assert found.lstrip("…f") == shown.lstrip("…f")
    assert found.startswith("…f") == (value < 0)


@examples(100)
@given(st.integers(0, 2**32 - 1))
def test_the_fields_of_a_float_are_its_bits(pattern: int) -> None:
    sign, exponent, fraction = bit_rulers.make_float_ruler(HERE, "", pattern, Type.F32).runs
    assert int(sign.text + exponent.text + fraction.text, 2) == pattern
    (number,) = struct.unpack("f", struct.pack("I", pattern))
    assert (exponent.text == "1" * 8) == (
        number != number or number in (float("inf"), -float("inf"))
    )


def test_numbers_are_drawn_at_their_position_in_a_range() -> None:
    one = trace("vadd4.s32.s32.s32.sat d, a, b, c", {"a": 0x807F0001, "b": 0x807F00FF, "c": 0})
    axis = build_scene(one).rows["saturate.t"].figure
    assert isinstance(axis, NumberLine)
    assert (axis.low, axis.high) == ("-128", "127")
    found = {point.text: point for point in axis.points}
    assert found["-256"].position < 0
    assert found["-256"].target == "-128"
    assert found["254"].position > 1
    assert found["254"].target == "127"
    assert found["0"].position == pytest.approx(128 / 255)
    assert found["0"].target == ""


def test_floats_are_in_order_on_the_line_and_a_nan_is_off_the_line() -> None:
    ptx = "setp.lt.f32 p, a, b"
    one = trace(ptx, {"a": 0x7FC00000, "b": 0xBF800000})
    axis = build_scene(one).rows["compare.t"].figure
    assert isinstance(axis, NumberLine)
    assert axis.nan_names == ("a",)
    assert [point.text for point in axis.points] == ["-1.0"]
    patterns = [0xFF800000, 0xC0000000, 0xBF800000, 0x80000001, 0, 1, 0x3F800000, 0x7F800000]
    places = []
    for pattern in patterns:
        drawn = build_scene(trace(ptx, {"a": pattern, "b": 0})).rows["compare.t"].figure
        assert isinstance(drawn, NumberLine)
        places.append(drawn.points[0].position)
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, 1)


def test_a_running_sum_adds_up() -> None:
    for one in TRACES:
        for key, row in build_scene(one).rows.items():
            if isinstance(row.figure, RunningSum):
                total = int(row.figure.start.total)
                for term in row.figure.terms:
                    total += int(term.text) if term.is_added else 0
                    assert int(term.total) == total
                assert total == one.rows[key].values[0]


def test_a_gate_agrees_with_logic() -> None:
    for p in (0, 1):
        one = trace("setp.lt.xor.u32 p|q, a, b, !c", {"a": 1, "b": 2, "c": p})
        rows = build_scene(one).rows
        for key in ("boolean.p", "boolean.q"):
            gate = rows[key].figure
            x, y = (truth.value for truth in gate.inputs)  # type: ignore[union-attr]
            assert gate.output.value == (x != y)  # type: ignore[union-attr]
            assert gate.word == "xor"  # type: ignore[union-attr]
        names = {truth.name for truth in rows["boolean.q"].figure.inputs}  # type: ignore[union-attr]
        assert names == {"!t", "!c"}


@pytest.mark.parametrize(
    ("ptx", "values", "key", "said"),
    [
        ("slct.ftz.s32.f32 d, a, b, c", {"a": 1, "b": 2, "c": 0x80000001}, "flush.c",
         "0x80000001 ▸ 80000000 ≈0"),
        # 5.0 is 0x40a00000: exponent 129, fraction 0.25
        ("@p set.eq.f32.s32 d, a, b", {"a": 1, "b": 2, "p": 0, "d": 5}, "guard.old",
         "5 ▸ 40a00000"),
    ],
)  # fmt: skip
def test_a_change_is_drawn_from_left_to_right(
    ptx: str, values: dict[str, int], key: str, said: str
) -> None:
    (cell,) = build_scene(trace(ptx, values, model="ptxas")).rows[key].cells  # E14 converts d
    assert str(cell) == said


def test_a_merged_lane_replaces_only_its_own_part_of_c() -> None:
    values = {"a": 0x01020304, "b": 0, "c": 0x11223344}
    row = build_scene(trace("vadd4.u32.u32.u32 d.b1, a, b, c", values)).rows["merge.t"]
    assert {(x.source, x.target.lane) for x in row.links if not x.is_taken} == {
        (LaneRef("c", 1), 1),  # lane 1 takes t
        *((LaneRef("operate.t", lane), lane) for lane in (0, 2, 3)),
    }
    assert {x.source for x in row.links if x.is_taken} == {
        LaneRef("operate.t", 1), LaneRef("c", 0), LaneRef("c", 2), LaneRef("c", 3)
    }  # fmt: skip


def test_a_merged_scalar_has_one_possible_target_lane() -> None:
    row = build_scene(trace("vadd.u32.u32.u32 d.b2, a, b, c", dict.fromkeys("abc", 1))).rows[
        "merge.t"
    ]
    assert [x.target.lane for x in row.links if x.source.key == "operate.t"] == [2]
    assert [x.source for x in row.links if not x.is_taken] == [LaneRef("c", 2)]


def test_the_results_of_a_scene_are_the_last_rows() -> None:
    shown = build_scene(trace("setp.lt.u32 p|_, a, b", {"a": 1, "b": 2}))
    assert (shown.results, shown.discarded_results) == ((LaneRef("write.p", 0),), ())
    assert shown.rows["write.p"].destination_name == "p"
    assert build_scene(trace("setp.lt.u32 _, a, b", {"a": 1, "b": 2})).results == ()
    shown = build_scene(trace("@g selp.b32 %d, a, b, c", {"a": 1, "b": 2, "c": 1, "g": 0, "%d": 7}))
    assert shown.results == (LaneRef("guard.d", 0),)
    assert shown.rows["guard.d"].destination_name == shown.rows["write.d"].destination_name == "%d"


def test_the_old_predicate_under_a_false_guard_is_shown() -> None:
    values = {"a": 1, "b": 2, "g": 0, "p": 1, "q": 0}
    rows = build_scene(trace("@g setp.lt.u32 p|q, a, b", values)).rows
    assert str(rows["guard.p"].cells[0]).startswith("old p 1 ")
    assert str(rows["guard.q"].cells[0]).startswith("old q 0 ")


@pytest.mark.parametrize(
    ("bits", "number"), [(0xFF, "-1, 255"), (0x80, "-128, 128"), (0x7F, "127")]
)
def test_a_byte_that_both_operands_read_shows_each_reading(bits: int, number: str) -> None:
    traced = trace("vadd4.s32.s32.u32 d, a, b.b3210, c", {"a": bits, "b": 0, "c": 0})
    assert (
        "".join(x.text for x in build_scene(traced).registers[0].cells[-1].spans[1:])
        == f" {number}"
    )
