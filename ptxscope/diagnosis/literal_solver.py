"""Other truth tables and selectors, solved from the observed bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..engine.isa.value_text import format_hex
from ..engine.micro_operations.permutation import EvaluateTable
from ..engine.semantics.lowering import lower
from ..engine.semantics.plan import compute_results
from ..engine.syntax.instruction import Immediate, Instruction
from .causes import Bits, Cause, CauseKind, ObservedCase

_TABLE_COST = 3
_SELECTOR_COST = 2
_NUMBER_COST = 3
"""Cost of another number as the selector of a mode."""
_DIGITS = 4


def find_literals(
    ins: Instruction, cases: Sequence[ObservedCase], known_roles: frozenset[str]
) -> Iterator[Cause]:
    """Yield the truth table, or the selector of a permutation, that fits every observation.

    ``known_roles`` are the roles with a value in each of them.
    """
    if "d" not in ins.results or not {"a", "b", "c"} <= known_roles:
        return
    if not all("d" in x.observation.observed for x in cases):
        return
    if ins.form.lut is not None:
        yield from _find_table(ins, cases)
    elif ins.entry.find_slot("permute_mode"):
        yield from _find_selector(ins, cases)


def _find_table(ins: Instruction, cases: Sequence[ObservedCase]) -> Iterator[Cause]:
    """Yield the table that fits; its bits that nothing shows are those of the written table."""
    assert ins.form.lut is not None
    table, shown_mask = ins.form.lut, 0
    for x in cases:
        observed, operands = x.observation.observed["d"], x.observation.operands
        for bit in range(32):
            if not observed.known_mask >> bit & 1:
                continue
            a, b, c = (operands[role] >> bit & 1 for role in "abc")
            index_mask = 1 << (4 * a + 2 * b + c)
            wanted_bit = index_mask * (observed.bits >> bit & 1)
            if shown_mask & index_mask and table & index_mask != wanted_bit:
                return  # no table gives both
            shown_mask |= index_mask
            table = table & ~index_mask | wanted_bit
    if table != ins.form.lut:
        yield make_table_cause(ins, table)


def make_table_cause(ins: Instruction, table: int) -> Cause:
    """Return the cause that gives ``lop3`` another table."""
    formula = EvaluateTable(table).fill_formula(*map(ins.format_operand, "abc"))
    phrase = f"with the table `{table:#04x}`, {formula}, rather than `{ins.form.lut:#04x}`"
    return Cause(
        CauseKind.MODIFIER, frozenset(("lut",)), phrase, _TABLE_COST, slots=(("lut", table),)
    )


def _find_selector(ins: Instruction, cases: Sequence[ObservedCase]) -> Iterator[Cause]:
    """Yield the selectors that fit, if the written selector is the same in every observation."""
    written_selectors = {x.observation.operands["c"] for x in cases}
    if len(written_selectors) > 1:
        return
    (written_selector,) = written_selectors
    if ins.form.permute_mode is None:
        selector = _solve_digits(ins, cases, written_selector)
        if selector is not None and selector != written_selector & 0xFFFF:
            yield make_digits_cause(ins, selector)
        return
    for number in range(_DIGITS):
        if number != written_selector % _DIGITS and all(
            x.observation.matches(_permute(ins, x, number)) for x in cases
        ):
            yield make_digits_cause(ins, number)


def _solve_digits(
    ins: Instruction, cases: Sequence[ObservedCase], written_selector: int
) -> int | None:
    """Return the selector that fits and whose digits differ least from the written ones.

    A digit that copies a byte is first replaced by another such digit, and one that repeats a sign
    by one that does so, too.
    """
    selector = 0
    results = [[_permute(ins, x, 0x1111 * digit)["d"] for digit in range(16)] for x in cases]
    for lane in range(_DIGITS):
        digit, mask = written_selector >> 4 * lane & 15, 0xFF << 8 * lane
        fitting_digits = [
            other
            for other in range(16)
            if not any(
                x.observation.observed["d"].compute_difference(result[other]) & mask
                for x, result in zip(cases, results, strict=True)
            )
        ]
        if not fitting_digits:
            return None
        nearest_digit = min(
            fitting_digits, key=lambda x: ((x ^ digit) >> 3, (x ^ digit).bit_count(), x)
        )
        selector |= nearest_digit << 4 * lane
    return selector


def _permute(ins: Instruction, case: ObservedCase, selector: int) -> Bits:
    """Return the results of an observation with another selector."""
    return compute_results(lower(ins.form), {**case.observation.operands, "c": selector})


def make_digits_cause(ins: Instruction, selector: int) -> Cause:
    """Return the cause that gives ``prmt`` another selector: a literal, or a register's value."""
    cost = _SELECTOR_COST if ins.form.permute_mode is None else _NUMBER_COST
    source, aspects = ins.roles["c"], frozenset(("value of c",))

    def change_selector(operands: Bits, _: ObservedCase) -> Bits:
        return {**operands, "c": selector}

    if not isinstance(source, Immediate):
        phrase = f"with {source} = {format_hex(selector, 32)}"
        return Cause(CauseKind.OPERAND, aspects, phrase, cost, operands=change_selector)
    text = f"{selector:#06x}" if ins.form.permute_mode is None else str(selector)
    return Cause(
        CauseKind.SELECTOR,
        aspects,
        f"with the selector `{text}` rather than `{source}`",
        cost,
        literals=(("c", Immediate(selector, text)),),
        operands=change_selector,
    )
