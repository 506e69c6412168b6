"""Operands and two results in hexadecimal, as errata and diagnostics show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...blocks.block_parser import parse_block
from ...engine.isa.encodings import format_hex
from ...engine.syntax.parser import parse
from .counterexample import Counterexample


class FormattedExample(NamedTuple):
    """Operands and two results in hexadecimal, padded to their widths."""

    values: dict[str, str]
    """The operands by register name."""
    isa: str
    ptxas: str


def format_example(ptx: str, values: Mapping[str, int], isa: int, ptxas: int) -> FormattedExample:
    """Format operands and results of statements, the last of which writes d."""
    is_block = ptx.startswith("{")
    statements = parse_block(ptx).statements if is_block else ()
    widths: dict[str, int] = {}
    for ins in [x.instruction for x in statements] or [parse(ptx)]:
        widths |= {name: ins.type_of(role).bits for role, name in ins.names.items()}
    results = (widths[name] for name in (*values, "d"))
    return _format_values(values, isa, ptxas, tuple(results))


def format_counterexample(example: Counterexample) -> FormattedExample:
    """Format the operands and results of a counterexample."""
    return _format_values(example.values, example.isa, example.ptxas, example.widths)


def _format_values(
    values: Mapping[str, int], isa: int, ptxas: int, widths: tuple[int, ...]
) -> FormattedExample:
    *input_widths, width = widths
    pairs = zip(values.items(), input_widths, strict=True)
    return FormattedExample(
        {name: format_hex(bits, input_width) for (name, bits), input_width in pairs},
        format_hex(isa, width),
        format_hex(ptxas, width),
    )
