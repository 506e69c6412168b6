"""Sweeps of what is written, and of what is drawn at random."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from types import MappingProxyType

from ptxscope import Instruction, parse, parse_block
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.syntax.instruction import Guard
from ptxscope.engine.tracing.basic_block import BasicBlock, make_block
from ptxscope.engine.tracing.operand_bits import bind_values
from ptxscope.features.sweep.computation import Sweep, compute_sweep
from ptxscope.features.sweep.register_parts import (
    RegisterPart,
    choose_default_result,
    parse_result_part,
    parse_swept_part,
)
from tests.strategies import random_instruction


def read_block(text: str) -> BasicBlock:
    """An instruction, or statements that end with semicolons."""
    return parse_block(text) if ";" in text else make_block(parse(text))


def sweep_line(
    text: str,
    x: str,
    y: str = "",
    of: str = "",
    model: str = "isa",
    bounds: tuple[int, int] | None = None,
    values: Mapping[str, int] = MappingProxyType({}),
    **more: int,
) -> Sweep:
    """A sweep of named parts; registers without a value are 0."""
    block = read_block(text)
    swept = parse_swept_part(block, x)
    result = parse_result_part(block, of) if of else choose_default_result(block, swept)
    assert result
    operands = bind_values(
        block, dict.fromkeys((x.name for x in block.inputs), 0) | {**values, **more}
    )
    second = parse_swept_part(block, y) if y else None
    return compute_sweep(
        block, operands, swept, second, result_part=result, model=model, bounds=bounds
    )


def draw_form(seed: int) -> tuple[Instruction, dict[str, int], Random]:
    """A form, the bits of its operands by role; every opcode in turn, some under a guard."""
    rng = Random(seed)
    ins = random_instruction([*CATALOG][seed % len(CATALOG)], seed)
    if rng.random() < 0.3 and ins.results:
        ins = replace(ins, guard=Guard("g", negated=rng.random() < 0.5))
    values = {needed.name: rng.getrandbits(needed.type.bits) for needed in ins.inputs}
    return ins, bind_values(ins, values), rng


def narrow_part(lanes: tuple[RegisterPart, ...], rng: Random) -> RegisterPart:
    """One of the narrowest lanes, or a byte of a wider one."""
    lane = rng.choice(lanes)
    return lane._replace(unit=8, number=0, is_signed=False) if lane.unit > 8 else lane
