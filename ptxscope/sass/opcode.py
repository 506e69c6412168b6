"""An opcode: the spellings that have a meaning, the outputs, and the meaning."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from .machine_step import MachineStep

Meaning = Callable[[MachineStep[Any], "re.Match[str]"], None]
"""Reads the sources of a step and writes its outputs; the match has the modifiers by name."""
ONE_REGISTER = "[RU]"
"""The layout of a single register as the output."""


class Opcode(NamedTuple):
    """Spellings of an opcode with one meaning."""

    spelling: re.Pattern[str]
    """The opcode and the modifiers that are understood; no other spelling is."""
    outputs: re.Pattern[str]
    """The letters of the operands, from the first, that are written."""
    meaning: Meaning


def make_opcode(spelling: str, meaning: Meaning, outputs: str = ONE_REGISTER) -> Opcode:
    """Return an opcode from the patterns of its spellings and outputs."""
    return Opcode(re.compile(spelling), re.compile(outputs), meaning)
