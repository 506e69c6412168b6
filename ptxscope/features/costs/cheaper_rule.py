"""The rule of ``check`` on forms that have a cheaper equal one."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.syntax.instruction import Instruction, Register
from ..check.check_rules import AddedRule, Fault, Severity
from .cost_table import find_cheaper, find_cost, format_saving, read_table

RULE = "costly"


def list_rules() -> tuple[AddedRule, ...]:
    """Return the rule."""
    about = (
        "Another form of the instruction gives the same bits for all operands, and becomes fewer "
        "machine instructions."
    )
    return (AddedRule(RULE, Severity.NOTE, about, find_faults),)


def find_faults(ins: Instruction) -> Iterator[Fault]:
    """Yield the cheaper form of an instruction whose operands are registers, all different."""
    cost = find_cost(ins.form)
    other = find_cheaper(cost) if cost else None
    if cost is None or other is None:
        return
    names = [str(x) for x in ins.sources]
    if len({*names}) < len(names) or not all(isinstance(x, Register) for x in ins.sources):
        return  # the counts are for different operands
    yield Fault(
        f"`{other.mnemonic}` gives the same bits for all operands, in fewer machine instructions: "
        f"{format_saving(cost, other)} ({read_table().ptxas})"
    )
