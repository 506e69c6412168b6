"""Selectors with one other digit, or two exchanged, and tables with one other entry.

They are tried where nothing solves them.

The result of a statement inside of a block is not observed, only what the others make of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from ..engine.isa.types import Selector
from ..engine.syntax.instruction import Immediate, Instruction
from .causes import Cause, CauseKind
from .form_causes import DEFAULT_SELECTOR_COST, SLOT_COSTS, format_slot_change
from .literal_solver import make_digits_cause, make_table_cause


def iter_digit_changes(ins: Instruction) -> Iterator[Cause]:
    """Yield selectors with one other digit or another order, tables with one other entry."""
    if ins.form.lut is not None:
        yield from (make_table_cause(ins, ins.form.lut ^ 1 << entry) for entry in range(8))
    selector = ins.roles.get("c")
    if ins.entry.find_slot("permute_mode") and isinstance(selector, Immediate):
        digit_count = 4 if ins.form.permute_mode is None else 1
        for place in range(digit_count):
            for change in range(1, 16 if digit_count > 1 else 4):
                yield make_digits_cause(ins, (selector.bits ^ change << 4 * place) & 0xFFFF)
        if digit_count > 1:
            yield from (make_digits_cause(ins, x) for x in _list_exchanges(selector.bits))
    if ins.entry.has_lane_selectors:
        for name in ("asel", "bsel"):
            yield from _iter_lane_selectors(ins, name)


def _list_exchanges(selector: int) -> list[int]:
    """Return the selectors with two digits exchanged, and that with all in the other order."""
    digits = f"{selector & 0xFFFF:04x}"
    orders = [list(range(4))[::-1]]
    for x, y in combinations(range(4), 2):
        orders.append([{x: y, y: x}.get(i, i) for i in range(4)])
    texts = dict.fromkeys("".join(digits[i] for i in order) for order in orders)
    # one with a single other digit is among the others
    return [int(x, 16) for x in texts if sum(map(str.__ne__, x, digits)) > 1]


def _iter_lane_selectors(ins: Instruction, name: str) -> Iterator[Cause]:
    """Yield the lane selectors of an operand with one other digit."""
    count, written = ins.entry.lanes, ins.form.get(name)
    first = count if name == "bsel" else 0
    default = tuple(range(first, first + count))
    digits = written.lanes if isinstance(written, Selector) else default
    for lane, digit in enumerate(digits):
        for other in range(2 * count):
            lanes = (*digits[:lane], other, *digits[lane + 1 :])
            if other != digit:
                selector = None if lanes == default else Selector(32 // count, lanes)
                yield make_lane_selector_cause(ins, name, selector)


def make_lane_selector_cause(ins: Instruction, name: str, selector: Selector | None) -> Cause:
    """Return the cause that gives ``asel`` or ``bsel`` another value."""
    slot = ins.entry.find_slot(name)
    assert slot
    phrase = format_slot_change(ins, slot, ins.form.get(name), selector)
    cost = SLOT_COSTS[name] if selector else DEFAULT_SELECTOR_COST
    return Cause(CauseKind.SELECTOR, frozenset((name,)), phrase, cost, slots=((name, selector),))
