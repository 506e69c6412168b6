"""Lanes drawn in characters, and traces to draw."""

from __future__ import annotations

import re
from random import Random

from ptxscope.engine.isa.catalog import CATALOG, pick_form
from ptxscope.engine.semantics.models import ISA_MODEL
from ptxscope.engine.tracing.trace import Trace, make_trace, trace
from ptxscope.widgets.base.pane import StyledLine
from tests.reference_data import golden_rows
from tests.strategies import instruction_of

SIZES = [(58, 12), (78, 15), (87, 26), (155, 46)]
"""What is left to the lanes at four sizes of the terminal."""


def text_of(lines: list[StyledLine]) -> list[str]:
    return ["".join(piece.text for piece in line) for line in lines]


def random_trace(opcode: str, rng: Random) -> Trace:
    """A form on random values, each operand a register."""
    ins = instruction_of(pick_form(opcode, rng))
    bits = {role: rng.getrandbits(x.type.bits) for x in ins.inputs for role in x.roles}
    return make_trace(ins, ISA_MODEL, bits)


def some_traces(count: int, *models: str) -> list[Trace]:
    """Golden rows spread over the file, and the catalog's examples."""
    rows = golden_rows()
    drawn = rows[:: max(len(rows) // count, 1)]
    found = [trace(x.instruction, x.operands, model=m) for x in drawn for m in ("isa", *models)]
    return [trace(*entry.example) for entry in CATALOG.values()] + found


def is_in_binary(word: str, said: str) -> bool:
    """Whether a chip's hexadecimal digits are told by their bits."""
    is_hex = re.fullmatch("[0-9a-f]{2}|[0-9a-f]{4}", word)
    return bool(is_hex) and f"{int(word, 16):0{4 * len(word)}b}" in said
