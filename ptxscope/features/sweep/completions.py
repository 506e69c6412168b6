"""Completions of parts of registers in a shell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...engine.syntax.asm_bindings import parse_pasted
from ...engine.syntax.errors import PtxError
from ...engine.tracing.basic_block import make_block
from .register_parts import RegisterPart, list_result_parts, list_sweepable_parts


def complete_part(_: str, ptx: str, __: object) -> Mapping[str, str]:
    """Return the parts that can be swept."""
    try:
        return _describe(list_sweepable_parts(make_block(parse_pasted(ptx))))
    except PtxError:
        return {}


def complete_result(_: str, ptx: str, __: object) -> Mapping[str, str]:
    """Return the parts of the results."""
    try:
        return _describe(list_result_parts(make_block(parse_pasted(ptx))))
    except PtxError:
        return {}


def _describe(parts: Iterable[RegisterPart]) -> Mapping[str, str]:
    return {x.text: f"operand {x.role}" for x in parts}
