"""Sweeps of what is written."""

from __future__ import annotations

from ptxscope import parse, parse_block
from ptxscope.engine.tracing.basic_block import BasicBlock, make_block
from ptxscope.engine.tracing.operand_bits import bind_values
from ptxscope.sweep.computation import Sweep, compute_sweep
from ptxscope.sweep.register_parts import (
    choose_default_result,
    parse_result_part,
    parse_swept_part,
)


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
    **values: int,
) -> Sweep:
    """A sweep of named parts; registers without a value are 0."""
    block = read_block(text)
    swept = parse_swept_part(block, x)
    result = parse_result_part(block, of) if of else choose_default_result(block, swept)
    assert result
    operands = bind_values(block, dict.fromkeys((x.name for x in block.inputs), 0) | values)
    second = parse_swept_part(block, y) if y else None
    return compute_sweep(
        block, operands, swept, second, result_part=result, model=model, bounds=bounds
    )
