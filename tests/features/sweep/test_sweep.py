"""Sweeps: the engine's own answer in every cell, and words that arithmetic by hand confirms."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from ptxscope import evaluate, parse_block, trace_block
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.micro_operations.properties import Flag
from ptxscope.engine.semantics.models import parse_model
from ptxscope.engine.tracing.basic_block import make_block
from ptxscope.engine.tracing.provenance import LaneBits, find_ancestors
from ptxscope.engine.tracing.trace import make_trace
from ptxscope.features.sweep.computation import (
    MAX_LINE_VALUES,
    MAX_SIDE_VALUES,
    Sweep,
    compute_sweep,
    get_axis_bits,
)
from ptxscope.features.sweep.register_parts import (
    choose_default_parts,
    choose_default_result,
    list_result_parts,
    list_sweepable_parts,
)
from ptxscope.features.sweep.sweep_words import describe_sweep
from tests.driving.block_idioms import Idiom
from tests.engine.test_blocks import EVERY_IDIOM
from tests.features.sweep.sweeps import draw_form, narrow_part, read_block, sweep_line
from tests.reference import reference
from tests.tiers import sampled, some

MODELS = ("isa", "ptxas-13.0", "ptxas-13.5")
QUIET = {Flag.SIGN_EXTENDED, Flag.ZERO_EXTENDED, Flag.MASKED_OUT}


def there(found: Sweep, **at: int) -> dict[str, int]:
    """The operands by role with other bits for the lanes that are swept."""
    operands = dict(found.operands)
    for axis, place in ((found.x, at["x"]), (found.y, at.get("y", 0))):
        if axis:
            names = found.instruction.names
            for role in [r for r in operands if names.get(r) == axis.part.name]:
                operands[role] = axis.part.insert(operands[role], axis.get_value(place))
    return operands


@pytest.mark.parametrize("seed", some(range(0, 216, 4), *range(0, 54, 9)))
def test_every_point_of_a_line_equals_a_trace(seed: int) -> None:
    ins, operands, rng = draw_form(seed)
    block = make_block(ins)
    if not list_result_parts(block):
        return
    x, of = narrow_part(list_sweepable_parts(block), rng), rng.choice(list_result_parts(block))
    name = rng.choice(MODELS)
    found = compute_sweep(block, operands, x, result_part=of, model=name)
    for at in range(found.x.size):
        bits = there(found, x=at)
        trace = make_trace(ins, parse_model(name), bits)
        assert of.extract(trace.result[of.name]) == found.bits[at]
        by_name = dict.fromkeys("abcdpqg", 0)
        by_name |= {name: bits[role] for role, name in ins.names.items() if role in bits}
        assert of.extract(reference(str(ins), by_name, name)[of.name]) == found.bits[at]
        key = next(x.key for x in trace.plan.results if x.role == of.role)
        cells = find_ancestors(trace, LaneBits(key, 0, of.shift, of.shift + of.unit))
        expected = {
            (flag, cell.key, cell.lane)
            for cell in cells
            if cell.key in trace.rows
            for flag in trace.rows[cell.key].flags[cell.lane]
            if flag not in QUIET
        }
        assert {(x.flag, x.row.key, x.lane) for x in found.events if x.mask[at]} == expected


@pytest.mark.parametrize("seed", some(range(200), *range(0, 200, 20)))
def test_every_cell_of_a_map_equals_the_engine(seed: int) -> None:
    ins, operands, rng = draw_form(seed + 1000)
    block = make_block(ins)
    lanes = [narrow_part((lane,), rng) for lane in list_sweepable_parts(block)]
    pairs = [
        (x, y)
        for x in lanes
        for y in lanes
        if x.name != y.name or not x.insert(0, x.mask) & y.insert(0, y.mask)
    ]
    if not pairs or not list_result_parts(block):
        return
    (x, y), of = rng.choice(pairs), rng.choice(list_result_parts(block))
    found = compute_sweep(block, operands, x, y, result_part=of)
    assert found.bits.shape == (y.values, x.values)
    columns, rows = np.meshgrid(get_axis_bits(found.x), get_axis_bits(found.y or found.x))
    for name, bits in (("isa", found.bits), ("ptxas-13.5", None), ("ptxas-13.0", None)):
        if bits is None:
            if not (
                found.other_model
                and found.other_model.name == name
                and found.other_bits is not None
            ):
                continue
            bits = found.other_bits
        values: dict[str, np.ndarray] = {}
        for role, register in ins.names.items():
            if role in operands and register not in values:
                whole = np.full(columns.shape, operands[role], np.uint64)
                for lane, part in ((x, columns), (y, rows)):
                    if lane.name == register:
                        hole = np.uint64(~(lane.mask << lane.shift) & (2**64 - 1))
                        whole = (whole & hole) | (part << np.uint64(lane.shift))
                values[register] = whole
        out = evaluate(ins, values, model=name)[of.name]
        cut = (np.asarray(out).astype(np.uint64) >> np.uint64(of.shift)) & np.uint64(of.mask)
        assert (cut == bits).all()
    if found.other_bits is not None:
        assert (found.divergence_mask == (found.bits != found.other_bits)).all()
    else:
        assert not found.divergence_mask.any()


def test_swept_values_have_the_order_of_their_type() -> None:
    found = sweep_line("vadd4.s32.u32.s32 d, a, b, c", "a.b1")
    assert [found.x.format_value_at(at) for at in (0, 255)] == ["0", "255"]
    found = sweep_line("vadd4.s32.u32.s32 d, a, b, c", "b.b1")
    assert [found.x.format_value_at(at) for at in (0, 127, 128, 255)] == ["-128", "-1", "0", "127"]
    assert found.result_part.text == "d.b1"


def test_swept_floats_range_from_nan_over_both_zeros_to_nan() -> None:
    found = sweep_line("setp.lt.f32 p, a, b", "a")
    numbers = [
        struct.unpack("<f", struct.pack("<I", int(bits)))[0] for bits in get_axis_bits(found.x)
    ]
    ordered = [x for x in numbers if x == x]
    assert ordered == sorted(ordered)
    assert found.x.format_value_at(0) == "-NaN"
    assert found.x.format_value_at(found.x.size - 1) == "NaN"
    zero = found.x.find_index(0)
    assert zero is not None
    assert [found.x.format_value_at(zero + by) for by in (-2, -1, 0, 1)] == [
        "-1e-45",
        "-0.0",
        "0.0",
        "1e-45",
    ]
    patterns = set(get_axis_bits(found.x).tolist())
    for landmark in (0x7F800000, 0xFF800000, 0x3F800000, 0xBF800000, 0x7F800001, 0x7F7FFFFF):
        assert landmark in patterns


def test_a_large_range_is_sampled_evenly() -> None:
    found = sweep_line("vadd.s32.s32.s32 d, a, b", "a", b=77)
    assert MAX_LINE_VALUES - 10 <= found.x.size <= MAX_LINE_VALUES + 200
    assert found.x.stride == -(-(2**32) // MAX_LINE_VALUES) | 1
    places = {*found.x.ranks}
    assert places >= set(range(0, 2**32, found.x.stride)) | {2**32 - 1}
    assert found.x.part.compute_rank(77) in places
    both = sweep_line("vadd.s32.s32.s32 d, a, b", "a", "b")
    assert both.y
    assert max(both.bits.shape) < MAX_SIDE_VALUES + 60


def test_a_register_is_swept_in_all_its_roles_and_a_guard_too() -> None:
    found = sweep_line("vadd4.u32.u32.u32 d, a, a, c", "a.b0")
    assert found.bits.tolist() == [2 * x % 256 for x in range(256)]
    found = sweep_line("@g vadd4.u32.u32.u32 d, a, b, c", "g", of="d.b0", a=3, b=4, d=9)
    assert found.bits.tolist() == [9, 7]


def test_limits_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ValueError, match="0 is above -1"):
        sweep_line("vadd4.s32.s32.s32 d, a, b, c", "a.b0", of="d", bounds=(0, 0xFF))


def test_the_default_parts_belong_to_the_first_lane_of_the_mask() -> None:
    block = read_block("vadd4.s32.s32.s32 d.b2, a.b4321, b.b0123, c")
    x, y = choose_default_parts(block)
    assert x
    assert y
    assert (x.text, y.text) == ("a.b3", "a.b1")  # digits below 4 are a's
    result = choose_default_result(block, x)
    assert result
    assert result.text == "d.b2"
    for opcode in CATALOG:
        example = read_block(CATALOG[opcode].example[0])
        first, _ = choose_default_parts(example)
        assert first is not None
        assert choose_default_result(example, first) is not None


BOTH = "vadd4.s32.s32.u32.sat d.b310, a.b1472, b.b4567, c"
"""b.b3 is the s8 that lane 1 takes for a, by the digit 7, and the u8 that lane 0 takes for b."""
OPERANDS = {"a": 0x7F80FF01, "b": 0x01FF0280, "c": 0x11223344}


@pytest.mark.parametrize("guard", ["", "@%p "])
def test_a_swept_operand_has_the_sign_that_the_result_part_reads(guard: str) -> None:
    values = OPERANDS | ({"%p": 1} if guard else {})
    # lane 0: a.b2 is 0x80, so -128 and 0 to 255; lane 1: -128 to 127, and b.b2, which is 255
    for of, low, sums in (
        ("d.b0", 0, [-128 + b for b in range(256)]),
        ("d.b1", -128, [min(a + 255, 127) for a in range(-128, 128)]),
    ):
        found = sweep_line(f"{guard}{BOTH}", "b.b3", "a.b1", of, values=values)
        assert [found.x.format_value_at(at) for at in range(256)] == [
            str(low + at) for at in range(256)
        ]
        assert [found.result_part.format_value(int(bits)) for bits in found.bits[0]] == list(
            map(str, sums)
        )
        assert not any("is read as" in said for said in describe_sweep(found))


def test_an_operand_with_both_signs_is_swept_by_its_bits() -> None:
    found = sweep_line(BOTH, "b.b3", of="d", values=OPERANDS)
    assert found.x.format_value_at(255) == "255"
    assert (
        "b.b3 is read as u8 and as s8 there: as s8, 128 to 255 are -128 to -1."
        in describe_sweep(found)
    )
    # 200 is -56 as s8, so in d lane 0 is 200 - 128 = 72, lane 1 min(-56 + 255, 127)
    assert int(found.bits[200]) & 0xFFFF == 127 << 8 | 72
    twice = sweep_line("vadd.s32.s32.u32 d, a.b0, a.b0", "a.b0", of="d")
    assert twice.x.format_value_at(128) == "128"
    assert int(twice.bits[128]) == 0  # -128 + 128


@pytest.mark.parametrize("opcode", some(CATALOG, 0, 9, 18))
def test_the_sweep_of_every_example_contains_its_result(opcode: str) -> None:
    ptx, values = CATALOG[opcode].example
    x, y = choose_default_parts(read_block(ptx))
    assert x
    for second in ("", y.text if y else ""):
        found = sweep_line(ptx, x.text, second, values=values)
        told = describe_sweep(found)
        assert all(line.endswith((".", ":")) for line in told)
        assert "At the current point" in told[-1]
        at = tuple(reversed([x for x in found.current_point if x is not None]))
        of = found.result_part
        whole = evaluate(ptx, values)[of.name]
        assert int(found.bits[at]) == of.extract(int(whole))


LANES = "{ vadd4.s32.s32.s32.sat t, a, b, b; vsub4.s32.s32.s32.sat d, t, c, c; }"


@sampled
@EVERY_IDIOM
def test_every_idiom_is_swept(idiom: Idiom) -> None:
    block = parse_block(idiom.ptx)
    name = block.inputs[0].name
    values = {x.name: 0x01020304 + i for i, x in enumerate(block.inputs)}
    bits = {x.name: x.type.bits for x in block.inputs}
    if bits[name] < 32:
        return
    sweep = sweep_line(idiom.ptx, f"{name}.b1", values=values)
    role = sweep.result_part.role
    for rank in range(0, 256, 15):
        byte = sweep.x.get_value(rank)
        changed = {**values, name: values[name] & ~0xFF00 | byte << 8}
        expected = trace_block(block, changed).result_by_role[role]
        assert int(sweep.bits[rank]) == expected
        assert expected == idiom.compute(**changed)[block.results[role]]


def test_lanes_and_flags_of_both_statements() -> None:
    sweep = sweep_line(LANES, "a.b0", of="d.b0", b=0x40404040, c=0x10101010)
    a = np.arange(-128, 128)
    expected = np.clip(np.clip(a + 0x40, -128, 127) - 0x10, -128, 127)
    assert (sweep.bits.astype(np.uint8).view(np.int8) == expected).all()
    (event,) = sweep.events
    assert (event.mask == (a + 0x40 > 127)).all()
    assert "clamped to 127 in statement 1" in " ".join(describe_sweep(sweep))
    sweep = sweep_line(LANES, "a.b0", "b.b0", "d.b0", c=0x10101010)
    expected = np.clip(np.clip(a + a[:, None], -128, 127) - 0x10, -128, 127)
    assert (sweep.bits.astype(np.uint8).view(np.int8) == expected).all()


def test_flags_of_sixty_statements_take_linear_time() -> None:
    block = " ".join(["vadd4.s32.s32.s32.sat t, t, t, t;"] * 60)
    sweep = sweep_line(block, "t.b0", of="t.b0")
    assert {x.statement for x in sweep.events} == {*range(1, 61)}


def test_models_that_differ() -> None:
    ptx = "vadd.u32.s32.s32.sat t.b0, a, b, c; prmt.b32 d, t, 0, 0x0123;"
    sweep = sweep_line(ptx, "a", model="ptxas")
    assert sweep.other_model
    negative = get_axis_bits(sweep.x).astype(np.uint32).view(np.int32) < 0
    assert (sweep.divergence_mask == negative).all()


def test_the_sweepable_parts_of_a_block_are_read_by_its_statements() -> None:
    block = parse_block(LANES)
    texts = [x.text for x in list_sweepable_parts(block) if x.name == "a"]
    assert texts == ["a.b0", "a.b1", "a.b2", "a.b3", "a"]
    x, _ = choose_default_parts(block)
    assert x
    assert x.text == "a.b0"
    result = choose_default_result(block, x)
    assert result
    assert result.text == "d"
