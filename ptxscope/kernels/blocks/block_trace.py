"""Blocks from text, traced and evaluated; provenance across their statements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...engine.micro_operations.properties import MAX_LANE_BITS
from ...engine.semantics.models import Model
from ...engine.tracing.basic_block import BasicBlock
from ...engine.tracing.evaluation import Scalar, evaluate_plan
from ...engine.tracing.provenance import find_provenance, format_origins
from ...engine.tracing.trace import Trace, trace_program
from .block_parser import parse_block

if TYPE_CHECKING:
    from ...engine.tracing.evaluation import Given, Outputs, Value


def trace_block(
    block: str | BasicBlock, values: Mapping[str, Scalar], *, model: str | Model = "isa"
) -> Trace:
    """Trace a block on values by register name, as ``trace`` does one instruction.

    The values are those of the registers that the block reads before it writes them. Raise PtxError
    if the block is invalid, and ValueError if a value is; the message names the register.
    """
    return trace_program(read_block(block), values, model=model)


def evaluate_block(
    block: str | BasicBlock,
    values: Mapping[str, Given],
    *,
    model: str | Model = "isa",
    out: Outputs | None = None,
) -> dict[str, Value]:
    """Return the bits of a block's results by name, for integers or arrays, as ``evaluate`` does.

    All statements are one plan, so arrays pass once. Raise PtxError if the block is invalid, and
    ValueError if a value is.
    """
    block = read_block(block)
    return evaluate_plan(block, block.make_plan, values, model=model, out=out)


def describe_origins(
    trace: Trace, key: str, lane: int, low: int = 0, high: int = MAX_LANE_BITS
) -> str:
    """Return the bits of the given registers behind bits of a row: ``a bits 15:8 and b bit 0``.

    ``key`` is the row's in the joined plan, such as ``s2.write.d``.
    """
    origins = find_provenance(trace, key, lane, low, high)
    return format_origins(origins, trace.block.names) or "no register"


def read_block(block: str | BasicBlock) -> BasicBlock:
    """Return the block, or parse a text; raise PtxError if it is invalid."""
    return block if isinstance(block, BasicBlock) else parse_block(block).without_braces()
