"""Other literals and carries: numbers, truth tables and selectors that an author may have meant.

A number may be off by one, inverted, a digit longer, or in another base. Each is tried alone: there
are so many that pairs would explain anything. Tables and selectors are solved from the observed
bits. In a block they cannot be solved: one other entry or digit, or two exchanged digits, are
tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, product
from typing import NamedTuple

from ..engine.isa.catalog import list_shapes
from ..engine.isa.encodings import format_hex
from ..engine.isa.types import CARRY_REGISTER, Role, Selector, Type
from ..engine.micro_operations.permutation import EvaluateTable
from ..engine.semantics.lowering import lower
from ..engine.semantics.models import ISA_MODEL
from ..engine.semantics.plan import compute_results
from ..engine.syntax.errors import PtxError
from ..engine.syntax.instruction import Immediate, Instruction
from ..engine.syntax.parser import parse
from ..engine.tracing.basic_block import BasicBlock, BlockStatement, ValuePlace
from ..engine.tracing.trace import Trace
from .causes import Bits, Cause, CauseKind, ObservedCase
from .form_causes import DEFAULT_SELECTOR_COST, SLOT_COSTS, format_slot_change
from .observation import Observation

_NEAR_COST = 3
"""Cost of a neighbour of the written number, of its inverse, and of another base."""
_FAR_COST = 4
_MAX_SLIP = 8
"""The largest distance of near positions and lengths."""
_MAX_DECIMAL = 0xFFFF
"""The largest number shown in decimal beside a decimal literal."""
_DECIMAL = re.compile(r"\d+", re.ASCII)
_HEXADECIMAL = re.compile(r"0[xX]([0-9a-fA-F]+)", re.ASCII)
_TABLE_COST = 3
_SELECTOR_COST = 2
_NUMBER_COST = 3
"""Cost of another number as the selector of a mode."""
_DIGITS = 4


def iter_literal_changes(ins: Instruction) -> Iterator[Cause]:
    """Yield other numbers that a programmer may have meant by each integer literal.

    The selector of ``prmt`` is left to ``find_literals``.
    """
    if ins.form.is_field_outside:
        return  # the number determines the assembler's code
    for role, source in ins.roles.items():
        type_ = ins.type_of(role)
        is_selector = role == "c" and ins.entry.find_slot("permute_mode") is not None
        is_number = type_ is not Type.PRED and not type_.lane_type.is_float
        if not isinstance(source, Immediate) or is_selector or not is_number:
            continue
        field_range = ins.entry.get_operand(role).literal_range
        mask = field_range.high if field_range else (1 << type_.bits) - 1
        literals = dict[int, tuple[str, int]]()
        if text := _find_other_base(source.text):
            literals[int(text, 0)] = text, _NEAR_COST
        numbers = _iter_numbers(source.bits, type_, _find_width(ins, type_))
        if field_range:  # a position or a length
            numbers = chain(numbers, _iter_field_numbers(source.bits, ins.type_of("d").bits))
        for number, cost in numbers:
            literals.setdefault(number, (_format_like(source.text, number, type_.bits), cost))
        for number, (text, cost) in literals.items():
            if 0 <= number <= mask and number != source.bits:
                yield _make_literal_cause(role, source, Immediate(number, text), cost)


def _find_width(ins: Instruction, type_: Type) -> int:
    """Return the width of the result, which amounts relate to."""
    return ins.type_of("d").bits if "d" in ins.results else type_.bits


def _find_other_base(text: str) -> str:
    """Return the same digits in the other base, or "" if they are not a number there."""
    if _DECIMAL.fullmatch(text):
        return f"0x{text}"
    match = _HEXADECIMAL.fullmatch(text)
    return match[1].lstrip("0") if match and _DECIMAL.fullmatch(match[1]) else ""


def _iter_numbers(number: int, type_: Type, width: int) -> Iterator[tuple[int, int]]:
    """Yield other numbers for a literal, with their costs, the most likely first.

    ``width`` is the result's.
    """
    mask = (1 << type_.bits) - 1
    for other in (number - 1, number + 1, ~number & mask):
        yield other, _NEAR_COST
    if 0 < number < width:
        yield width - number, _NEAR_COST
        yield 1 << number & mask, _FAR_COST
    if type_.signed:
        yield -number & mask, _FAR_COST
    is_ones = number & (number + 1) == 0
    for shift in (1, 4, 8):
        fill = (1 << shift) - 1 if is_ones else 0
        yield (number << shift | fill) & mask, _FAR_COST
        yield number >> shift, _FAR_COST
    if number % 8 == 0:
        yield number - 8, _FAR_COST
        yield number + 8, _FAR_COST
    if number & (number - 1) == 0:
        yield number.bit_length() - 1, _FAR_COST
    yield number * 8, _FAR_COST
    yield number // 8, _FAR_COST
    for unit in (8, 16):
        if number < 1 << unit < 1 << type_.bits:
            yield number * (mask // ((1 << unit) - 1)), _FAR_COST


def _iter_field_numbers(number: int, width: int) -> Iterator[tuple[int, int]]:
    """Yield other positions or lengths of a field, the nearest first."""
    for distance in range(2, width):
        cost = _NEAR_COST if distance <= _MAX_SLIP else _FAR_COST
        yield from ((x, cost) for x in (number - distance, number + distance) if 0 <= x <= width)


def _make_literal_cause(role: str, source: Immediate, literal: Immediate, cost: int) -> Cause:

    def change_literal(operands: Bits, _: ObservedCase) -> Bits:
        return {**operands, role: literal.bits}

    return Cause(
        CauseKind.OPERAND,
        frozenset((f"value of {role}",)),
        f"with `{literal}` rather than `{source}`",
        cost,
        literals=((role, literal),),
        operands=change_literal,
    )


def _format_like(literal: str, number: int, bits: int) -> str:
    """Format a number of ``bits`` bits like a literal: in its base, with as many digits."""
    if _HEXADECIMAL.fullmatch(literal):
        return f"{number:#0{len(literal)}x}"
    signed = number - (number >> bits - 1 << bits)
    return str(signed) if abs(signed) <= _MAX_DECIMAL else f"{number:#x}"


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
    """Yield the table that fits; unobserved bits are the written table's."""
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
                return  # no table has both results
            shown_mask |= index_mask
            table = table & ~index_mask | wanted_bit
    if table != ins.form.lut:
        yield make_table_cause(ins, table)


def make_table_cause(ins: Instruction, table: int) -> Cause:
    """Return the cause of another table of ``lop3``."""
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
            case.observation.matches(_permute(ins, case, number)) for case in cases
        ):
            yield make_digits_cause(ins, number)


def _solve_digits(
    ins: Instruction, cases: Sequence[ObservedCase], written_selector: int
) -> int | None:
    """Return the fitting selector whose digits differ least from the written ones.

    Digits that copy a byte are first replaced by other such digits, digits that repeat a sign
    likewise.
    """
    selector = 0
    results = [[_permute(ins, x, 0x1111 * digit)["d"] for digit in range(16)] for x in cases]
    for lane in range(_DIGITS):
        digit, mask = written_selector >> 4 * lane & 15, 0xFF << 8 * lane
        fitting_digits = [
            other
            for other in range(16)
            if not any(
                case.observation.observed["d"].compute_difference(result[other]) & mask
                for case, result in zip(cases, results, strict=True)
            )
        ]
        if not fitting_digits:
            return None
        nearest_digit = min(
            fitting_digits, key=lambda x: ((x ^ digit) >> 3, (x ^ digit).bit_count(), x)
        )
        selector |= nearest_digit << 4 * lane
    return selector


def find_byte_selector(ins: Instruction, cases: Sequence[ObservedCase]) -> Iterator[Cause]:
    """Yield the selector of ``prmt`` with which its block has the observed result.

    It is solved byte by byte, as if the block kept bytes apart.
    """
    selectors = {x.observation.operands.get("c") for x in cases}
    is_prmt = ins.entry.find_slot("permute_mode") and ins.form.permute_mode is None
    if not is_prmt or len(selectors) > 1 or not isinstance(ins.roles["c"], Immediate):
        return
    written, selector = ins.roles["c"].bits, 0
    results = [[_compute_rest(ins, x, 0x1111 * digit) for digit in range(16)] for x in cases]
    for lane in range(_DIGITS):
        mask = 0xFF << 8 * lane
        fitting = [
            digit
            for digit in range(16)
            if not any(
                observed.compute_difference(own[digit][role]) & mask
                for x, own in zip(cases, results, strict=True)
                for role, observed in x.observation.observed.items()
            )
        ]
        if not fitting:
            return
        digit = written >> 4 * lane & 15
        nearest = min(fitting, key=lambda x: (x != digit, (x ^ digit) >> 3, x))
        selector |= nearest << 4 * lane
    if sum((selector ^ written) >> 4 * lane & 15 != 0 for lane in range(_DIGITS)) > 1:
        yield make_digits_cause(ins, selector)


def _compute_rest(ins: Instruction, case: ObservedCase, selector: int) -> Mapping[str, int]:
    result, rest = _permute(ins, case, selector), case.observation.compute_rest
    return rest(result) if rest else result


def _permute(ins: Instruction, case: ObservedCase, selector: int) -> Bits:
    return compute_results(lower(ins.form), {**case.observation.operands, "c": selector})


def make_digits_cause(ins: Instruction, selector: int) -> Cause:
    """Return the cause of another selector of ``prmt``: a literal, or a register's value."""
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
    """Return the selectors with two exchanged digits, and the one in reverse order."""
    digits = f"{selector & 0xFFFF:04x}"
    orders = [list(range(4))[::-1]]
    for x, y in combinations(range(4), 2):
        orders.append([{x: y, y: x}.get(i, i) for i in range(4)])
    texts = dict.fromkeys("".join(digits[i] for i in order) for order in orders)
    # those with a single other digit are among the others
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
    """Return the cause of another value of ``asel`` or ``bsel``."""
    slot = ins.entry.find_slot(name)
    assert slot
    phrase = format_slot_change(ins, slot, ins.form.get(name), selector)
    cost = SLOT_COSTS[name] if selector else DEFAULT_SELECTOR_COST
    return Cause(CauseKind.SELECTOR, frozenset((name,)), phrase, cost, slots=((name, selector),))


_OPCODE_COST = 2
_CARRY_OUT_COST = 3
_CARRY_ROLES = (Role.CARRY, Role.CARRY_OUT)


class CarryChange(NamedTuple):
    """A variant of an instruction that reads or writes the carry differently."""

    instruction: Instruction
    phrase: str
    """``with `addc` rather than `add` and with `.cc```."""
    cost: int
    """Unlikelihood, from 0 to 6."""

    @property
    def cause(self) -> Cause:
        """The change as a cause of a result."""
        return Cause(CauseKind.OPCODE, frozenset(("opcode", "cc")), self.phrase, self.cost)


def iter_carry_changes(ins: Instruction) -> Iterator[CarryChange]:
    """Yield the variants of an instruction with and without reading and writing a carry."""
    base = ins.opcode.removesuffix("c")
    if not any(x.reads_carry for x in list_shapes(f"{base}c")):
        return
    mnemonic, _, operands = str(replace(ins, guard=None, text="", spans={})).partition(" ")
    *modifiers, type_ = (x for x in mnemonic.split(".")[1:] if x != "cc")
    for opcode, has_carry_out in product((base, f"{base}c"), (False, True)):
        if (opcode, has_carry_out) == (ins.opcode, ins.form.cc):
            continue
        words = (opcode, *modifiers, *("cc",) * has_carry_out, type_)
        try:
            changed = parse(f"{'.'.join(words)} {operands}")
        except PtxError:  # half-words and lanes have no carry
            continue
        phrases = [f"with `{opcode}` rather than `{ins.opcode}`"] * (opcode != ins.opcode)
        if has_carry_out != ins.form.cc:
            phrases.append("with `.cc`" if has_carry_out else "without `.cc`")
        cost = _CARRY_OUT_COST if has_carry_out != ins.form.cc else _OPCODE_COST
        changed = replace(changed, guard=ins.guard, text="", spans={})
        yield CarryChange(changed, " and ".join(phrases), cost)


def iter_carry_trials(
    block: BasicBlock, statement: BlockStatement, observations: Sequence[Observation]
) -> Iterator[tuple[CarryChange, tuple[Bits, ...]] | None]:
    """Yield the changes of a statement's carry, with its operands; None if they are unknown."""
    for change in iter_carry_changes(statement.instruction):
        changed = replace_instruction(block, statement.number, change.instruction)
        operand_sets = [{**changed.constants, **x.operands} for x in observations]
        roles = {x.role for x in changed.plan.sources}
        observed = {role for x in observations for role in x.observed}
        if any(roles - x.keys() for x in operand_sets) or observed - changed.results.keys():
            continue  # a carry that the block does not write, or an observed one
        results = [compute_results(changed.plan, x) for x in operand_sets]
        if not all(x.matches(y) for x, y in zip(observations, results, strict=True)):
            yield None
            continue
        traces = (Trace(changed, ISA_MODEL, x) for x in operand_sets)
        operands = tuple(x.parts[statement.number - 1].operands for x in traces)
        yield change, operands


def replace_instruction(block: BasicBlock, number: int, ins: Instruction) -> BasicBlock:
    """Replace the instruction of one statement of a block; it may read or write CC.CF."""
    statements, carry = list[BlockStatement](), ValuePlace(0, CARRY_REGISTER)
    for x in block.statements:
        changed = x._replace(instruction=ins) if x.number == number else x
        carries = {role for role, y in changed.instruction.names.items() if y == CARRY_REGISTER}
        reads = {role: place for role, place in x.reads.items() if role not in _CARRY_ROLES}
        if changed.instruction.guard is None:
            carries.discard(Role.CARRY_OUT)
        statements.append(changed._replace(reads={**reads, **dict.fromkeys(carries, carry)}))
        carry = changed.places.get(Role.CARRY_OUT, carry)
    places = {y for x in statements for y in x.places.values()}
    outputs = {name: x for name, x in block.outputs.items() if x in places}
    return replace(block, statements=tuple(statements), outputs=outputs)
