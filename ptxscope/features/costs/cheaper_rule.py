"""The rules of ``check`` on lines that have a cheaper equal form."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ...engine.syntax.instruction import Instruction
from ..check.check_rules import AddedRule, Fault, Severity
from .cost_table import MANY
from .saving import find_saving

RULE, SMALL_RULE = "costly", "cheaper"
_SENTENCE = "Another form of the instruction gives the same bits for all operands, and becomes "


def list_rules() -> tuple[AddedRule, ...]:
    """Return the rules: on savings that are worth an edit, and on small ones."""
    large, small = (partial(find_faults, is_large=x) for x in (True, False))
    return (
        AddedRule(RULE, Severity.NOTE, f"{_SENTENCE}fewer machine instructions.", large),
        AddedRule(
            SMALL_RULE,
            Severity.REMARK,
            f"{_SENTENCE}1 to {MANY - 1} machine instructions fewer.",
            small,
        ),
    )


def find_faults(ins: Instruction, *, is_large: bool) -> Iterator[Fault]:
    """Yield the cheaper form of an instruction, if its saving is of a size."""
    saving = find_saving(ins)
    if saving and saving.is_large == is_large:
        yield Fault(str(saving))
