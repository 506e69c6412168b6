"""Sweeps of blocks: the results are those of the statements one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from ptxscope import parse_block, trace_block
from ptxscope.cli import main
from ptxscope.sweep.computation import get_axis_bits
from ptxscope.sweep.register_parts import (
    choose_default_parts,
    choose_default_result,
    list_sweepable_parts,
)
from ptxscope.sweep.sweep_words import describe_sweep
from tests.block_idioms import Idiom
from tests.engine.test_blocks import EVERY_IDIOM
from tests.sweep.sweeps import sweep_line
from tests.tiers import sampled

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


@pytest.mark.parametrize("format_", ["text", "words", "csv", "svg"])
def test_the_sweep_command_takes_a_block(format_: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sweep", LANES, "--x", "a.b0", "--range=-4:4", "a=0", "b=1", "c=1", "--of", "d.b0"]
    assert main([*words, "-f", format_]) == 0
    assert "a.b0" in capsys.readouterr().out
    assert main([*words, "-f", format_, "--of", "x"]) == 2
    assert "is not a register that the block writes" in capsys.readouterr().err
