"""The diagnostic, which is found where `ptxscope check` is there to ask for it."""

from __future__ import annotations

from collections.abc import Iterator

from ptxscope import Instruction
from ptxscope.features.check.check_rules import AddedRule, Fault, Severity


def list_rules() -> tuple[AddedRule, ...]:
    """Return the rule."""
    about = "A function of CUDA counts the ones, too."
    return (AddedRule("ones", Severity.NOTE, about, find_counts),)


def find_counts(instruction: Instruction) -> Iterator[Fault]:
    """Yield a fault for a `popc`."""
    if instruction.opcode == "popc":
        yield Fault("`__popc` of CUDA counts the ones, too")
