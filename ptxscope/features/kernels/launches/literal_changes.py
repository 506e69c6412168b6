"""Other literals of instructions: constants, amounts, selectors and tables, many values at once.

The values that a programmer may have meant are listed here; ``literal_search`` solves for others.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

from ....diagnosis.causes import Cause, Variants
from ....diagnosis.line_changes import (
    iter_digit_changes,
    make_digits_cause,
    make_lane_selector_cause,
    make_table_cause,
)
from ....engine.isa.types import Selector, Type
from ....engine.program.statement import Statement
from ....engine.semantics.models import Model
from ....engine.syntax.instruction import Immediate, Instruction, Register
from .instruction_changes import (
    ALL_ROLES,
    CONSTANT_COSTS,
    TABLE,
    ChangeKind,
    LiteralValues,
    StatementChange,
    change_sources,
    make_cause_change,
    make_change,
    make_statement_plan,
    permute_table,
)

_TABLE_COST = 2
"""Cost of another table, which is one word of the line."""
SOLVED_COST = 6
"""Cost of a constant that is not a typing error: its many bits may fit few results by chance."""
_HEX_DIGIT_BITS = 4
_LEAST_LONG = 1 << 16
"""The least decimal number that is shown in hexadecimal, too."""
_LANE_SELECTORS = ("asel", "bsel")


class LiteralPlace(NamedTuple):
    """A literal of an instruction that may be wrong."""

    statement: Statement
    role: str
    """Its role, or ``TABLE``."""
    written: int
    width: int
    digit_bits: int
    """The bits that are one digit: of a selector, or 1."""
    near_values: tuple[int, ...]
    """Other values to try first: for an amount, all values."""
    is_amount: bool
    """Whether it is a position, a length or a distance, which have few values."""
    model: Model

    def make(self, value: int) -> StatementChange:
        """Return the change to a value."""
        statement, ins = self.statement, self.statement.instruction
        assert ins
        if cause := self._make_cause(ins, value):
            change = make_cause_change(statement, cause, Variants(ins, ALL_ROLES), self.model)
            assert change
            change = change._replace(cost=_TABLE_COST) if self.role == TABLE else change
        else:
            index = [*ins.roles].index(self.role)
            source, type_ = ins.sources[index], ins.type_of(self.role)
            immediate = Immediate(value, _format_like(str(source), value, type_))
            sources = (*ins.sources[:index], immediate, *ins.sources[index + 1 :])
            phrase = f"with {_show(immediate)} rather than {_show(source)}"
            plan = make_statement_plan(ins, self.model)
            cost = self._find_cost(value)
            change = make_change(statement, change_sources(ins, sources), plan, phrase, cost)
        return change._replace(literal_role=self.role, distance=self.measure(value))

    def _make_cause(self, ins: Instruction, value: int) -> Cause | None:
        """Return the cause that gives a selector or a table a value; None for another literal."""
        if self.role == TABLE:
            return make_table_cause(ins, value)
        if self.role in _LANE_SELECTORS:
            default, count = _find_default_lanes(ins, self.role)
            mask = (1 << self.digit_bits) - 1
            lanes = tuple(value >> self.digit_bits * i & mask for i in range(count))
            selector = None if lanes == default else Selector(32 // count, lanes)
            return make_lane_selector_cause(ins, self.role, selector)
        return make_digits_cause(ins, value) if self.digit_bits > 1 else None

    @property
    def is_slot(self) -> bool:
        """Whether it is a table or a selector of lanes, each of which has its own plan."""
        return self.role == TABLE or self.role in _LANE_SELECTORS

    def _find_cost(self, value: int) -> int:
        if value in self.near_values:
            return CONSTANT_COSTS[ChangeKind.LIKELY]
        is_slip = value in iter_typed_values(self.written, self.width)
        return CONSTANT_COSTS[ChangeKind.LITERALS] if is_slip else SOLVED_COST

    def measure(self, value: int) -> tuple[int, int]:
        """Return the distance of a value from the written one: other digits, and the difference."""
        bits = self.digit_bits if self.is_slot else _HEX_DIGIT_BITS
        other = value ^ self.written
        digits = sum(other >> x & (1 << bits) - 1 != 0 for x in range(0, self.width, bits))
        return digits, abs(value - self.written)

    def make_trial(self, values: tuple[int, ...]) -> Iterator[StatementChange]:
        """Yield changes that try some values: all at once, or one by one if their plans differ."""
        assert self.statement.instruction
        if self.is_slot:
            yield from map(self.make, values)
        else:
            phrase = f"{self.role} {values}"  # equal for copies with equal values
            plan = make_statement_plan(self.statement.instruction, self.model)
            literal = LiteralValues(self.role, values, self.make)
            yield StatementChange(self.statement, self.statement, plan, phrase, 0, literal=literal)


def iter_near_literals(statement: Statement, model: Model) -> Iterator[StatementChange]:
    """Yield literals near those of an instruction, one of which may be intended."""
    for place in iter_places(statement, model):
        yield from place.make_trial(place.near_values)


def iter_places(statement: Statement, model: Model) -> Iterator[LiteralPlace]:
    """Yield the literals of an instruction: integers, selectors and tables."""
    ins = statement.instruction
    if ins is None or ins.form.is_field_outside:  # the number decides what an assembler makes
        return
    if ins.form.lut is not None:
        near = tuple(_iter_near_tables(ins.form.lut))
        yield LiteralPlace(statement, TABLE, ins.form.lut, 8, 1, near, False, model)
    for name in _LANE_SELECTORS if ins.entry.has_lane_selectors else ():
        yield _make_selector_place(statement, name, model)
    is_permutation = ins.entry.find_slot("permute_mode") is not None
    for role, source in ins.roles.items():
        type_ = ins.type_of(role)
        if not isinstance(source, Immediate) or type_ is Type.PRED or type_.lane_type.is_float:
            continue
        written, width = source.bits, type_.bits
        if role == "c" and is_permutation:
            causes = (x.literals for x in iter_digit_changes(ins) if x.literals)
            near = tuple(x[0][1].bits for x in causes)
            bits = 4 if ins.form.permute_mode is None else 1
            is_mode = bits == 1
            yield LiteralPlace(statement, role, written, 16, bits, near, is_mode, model)
            continue
        operand = ins.entry.get_operand(role)
        is_amount = bool(operand.typical_values) or operand.literal_range is not None
        if is_amount:
            limit = max(ins.type_of("d").bits if "d" in ins.results else width, 1)
            near = tuple(x for x in range(limit + 1) if x != written)
        else:
            near = tuple(iter_constants(written, width, ChangeKind.LIKELY))
        yield LiteralPlace(statement, role, written, width, 1, near, is_amount, model)


def _make_selector_place(statement: Statement, name: str, model: Model) -> LiteralPlace:
    """Return the place of a selector of lanes, whose digits are of two or three bits."""
    ins = statement.instruction
    assert ins
    default, count = _find_default_lanes(ins, name)
    selector, bits = ins.form.get(name), count // 2 + 1
    lanes = selector.lanes if isinstance(selector, Selector) else default
    others = [(*lanes[:i], x, *lanes[i + 1 :]) for i in range(count) for x in range(2 * count)]
    near = {sum(x << bits * i for i, x in enumerate(y)): None
            for y in (*others, *permutations(lanes))}  # fmt: skip
    selector_bits = sum(x << bits * i for i, x in enumerate(lanes))
    values = tuple(x for x in near if x != selector_bits)
    return LiteralPlace(statement, name, selector_bits, bits * count, bits, values, False, model)


def _find_default_lanes(ins: Instruction, name: str) -> tuple[tuple[int, ...], int]:
    """Return the lanes of a selector that is not written, and their number."""
    count = ins.entry.lanes
    start = 0 if name == "asel" else count
    return tuple(range(start, start + count)), count


def _iter_near_tables(table: int) -> Iterator[int]:
    """Yield the tables of the operands in another order, and those with one other entry."""
    orders = (permute_table(table, x) for x in permutations(range(3)))
    yield from dict.fromkeys(
        x for x in (*orders, *(table ^ 1 << y for y in range(8))) if x != table
    )


def _show(number: Immediate | Register) -> str:
    """Return a number as written; a long decimal one also in hexadecimal, as in most sources."""
    text, digits = str(number), str(number).removeprefix("-")
    if not digits.isdecimal() or digits.startswith("0") or int(digits) < _LEAST_LONG:
        return f"`{text}`"
    return f"`{text}` ({number.bits or 0:#x})"


def _format_like(text: str, bits: int, type_: Type) -> str:
    if text.lower().startswith("0x"):
        return f"{bits:#0{len(text)}x}"
    is_negative = (type_.signed or text.startswith("-")) and bits >> type_.bits - 1
    return str(bits - (1 << type_.bits) if is_negative else bits)


def iter_constants(bits: int, width: int, kind: ChangeKind) -> Iterator[int]:
    """Yield other constants of a width: near ones, or those with one other bit."""
    mask = (1 << width) - 1
    near = [bits + 1, bits - 1, 2 * bits, bits // 2, -bits, ~bits]
    if bits & (bits + 1) == 0:  # a mask of low bits
        count = bits.bit_length()
        near += [(1 << x) - 1 for x in (count + 1, count - 1, 2 * count, count // 2) if x >= 0]
    elif bits & (bits - 1):  # between two powers of two
        near += [1 << bits.bit_length(), 1 << bits.bit_length() - 1]
    near_bits = {x & mask: None for x in near}
    if kind is ChangeKind.LIKELY:
        yield from (x for x in near_bits if x != bits)
        return
    for place in range(width):
        if bits ^ 1 << place not in near_bits:
            yield bits ^ 1 << place


def iter_bounds(width: int) -> Iterator[int]:
    """Yield the bounds of integer types, which clamps have: 0, 127, -128, 255, …"""
    mask, sizes = (1 << width) - 1, [x for x in (8, 16, 32) if x <= width]
    highest = [end for x in sizes for end in (mask >> width - x, mask >> width - x + 1)]
    yield from dict.fromkeys((0, *highest, *(~x & mask for x in highest)))


def iter_typed_values(number: int, width: int) -> Iterator[int]:
    """Yield the numbers that a typing error makes of one: another digit, or two exchanged."""
    mask, values = (1 << width) - 1, dict[int, None]()
    for base, text in ((16, f"{number:0{width // 4}x}"), (10, str(number))):
        for i, digit in enumerate(text):
            for other in "0123456789abcdef"[:base]:
                if other != digit:
                    values[int(text[:i] + other + text[i + 1 :], base)] = None
            for j in range(i + 1, len(text)):
                exchanged = [*text]
                exchanged[i], exchanged[j] = exchanged[j], exchanged[i]
                values[int("".join(exchanged), base)] = None
    values |= dict.fromkeys(number ^ 1 << x for x in range(width))
    yield from (x for x in values if x != number and x <= mask)
