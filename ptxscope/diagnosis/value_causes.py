"""Causes that change values only: other register contents, or a misread result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import combinations

from ..engine.isa.encodings import UNIT_NAMES, cast, decode_float, encode_float, format_hex
from ..engine.isa.entry import Group
from ..engine.isa.types import Type
from ..engine.syntax.instruction import Immediate, Instruction, Register
from .causes import Bits, Cause, CauseKind, ObservedCase
from .observation import Observed


def iter_value_causes(ins: Instruction, known_roles: frozenset[str]) -> Iterator[Cause]:
    """Yield other values of operands and results; ``known_roles`` are the roles with a value."""
    yield from _iter_operand_causes(ins, known_roles)
    yield from _iter_result_misreadings(ins)


# --- the operands ------------------------------------------------------------------------

_Value = Callable[[str, Bits, ObservedCase], int]
"""Function that returns a role's new value from all operands and the observation."""


def make_operand_cause(roles: str, phrase: str, cost: int, make_value: _Value) -> Cause:
    """Return a cause of other operand values."""

    def change_operands(operands: Bits, case: ObservedCase) -> Bits:
        return {**operands, **{role: make_value(role, operands, case) for role in roles}}

    aspects = frozenset(f"value of {role}" for role in roles)
    return Cause(CauseKind.OPERAND, aspects, phrase, cost, operands=change_operands)


def _make_exchange(ins: Instruction, x: str, y: str, cost: int) -> Cause:
    """Return the exchange of two operands' values; each operand is identified by its roles."""
    partners = dict.fromkeys(x, y[0]) | dict.fromkeys(y, x[0])
    phrase = f"with {ins.format_operand(x[0])} and {ins.format_operand(y[0])} exchanged"
    return make_operand_cause(x + y, phrase, cost, lambda role, bits, _: bits[partners[role]])


def _make_swap(ins: Instruction, x: str, y: str, cost: int) -> Cause:
    """Return the exchange of two operands in the line."""
    return _make_exchange(ins, x, y, cost)._replace(exchanged_roles=(x, y))


_SWAP_COST = 2
"""Cost of the exchange of two operands of the same declared type."""
_OPERAND_SLOTS = ("asel", "bsel", "nega", "negb")


def _iter_swaps(ins: Instruction) -> Iterator[Cause]:
    """Yield the exchange of a and b; a literal takes neither a selector nor a sign."""
    cause = _make_swap(ins, "a", "b", _SWAP_COST)
    if not any(isinstance(ins.roles[role], Immediate) for role in "ab"):
        yield cause
    elif not any(ins.form.get(name) for name in _OPERAND_SLOTS):
        yield cause._replace(changed_aspects=cause.changed_aspects.union(_OPERAND_SLOTS))


def _iter_similar_swaps(ins: Instruction, roles: Iterable[str]) -> Iterator[Cause]:
    """Yield the exchange of two operands with the same reading, other than a and b."""
    for x, y in combinations(roles, 2):
        first, second = ins.entry.get_operand(x), ins.entry.get_operand(y)
        if first.is_like(second) and ins.roles[x] != ins.roles[y] and (x, y) != ("a", "b"):
            yield _make_swap(ins, x, y, _SWAP_COST)


def _iter_operand_causes(ins: Instruction, known_roles: frozenset[str]) -> Iterator[Cause]:
    """Yield other values of registers, in all their roles; constants keep theirs."""
    types = {role: ins.type_of(role) for role in "abce" if role in known_roles & ins.roles.keys()}
    registers = _map_roles(ins, types)
    has_pair = {"a", "b"} <= types.keys() and types["a"].bits == types["b"].bits
    if has_pair and ins.roles["a"] != ins.roles["b"]:
        yield from _iter_swaps(ins)
    yield from _iter_similar_swaps(ins, types)
    if "cc" in known_roles:
        yield from _iter_carry_causes(ins)
    if registers.get(ins.format_operand("c")) == "c":
        yield from _iter_c_causes(ins, types, registers.values())
    yield from _iter_wrapped(ins, registers.values())
    if {"a", "b"} <= types.keys():
        yield from _iter_lane_arithmetic(ins, registers.values())
    for name, roles in registers.items():
        cost = 3 if roles == "c" else 4
        yield make_operand_cause(roles, f"with {name} = 0", cost, lambda *_: 0)
        yield from _iter_overwrites(ins, name, roles)
        yield from _iter_misreadings(ins, name, roles, types[roles[0]])
    wide_roles = "".join(roles for roles in registers.values() if types[roles[0]].bits > 8)
    if len(registers) > 1 and wide_roles:
        yield make_operand_cause(
            wide_roles, "with the bytes of every register reversed", 4, _make_byte_reversal(types)
        )


def _map_roles(ins: Instruction, read_roles: Iterable[str]) -> dict[str, str]:
    """Return the roles of each register that is not a constant: ``{"%1": "ab", "%3": "c"}``."""
    roles_by_name: dict[str, str] = {}
    for role in read_roles:
        if isinstance(source := ins.roles[role], Register) and source.bits is None:
            roles_by_name[source.name] = roles_by_name.get(source.name, "") + role
    return roles_by_name


def _iter_carry_causes(ins: Instruction) -> Iterator[Cause]:
    """Yield other values of the CC.CF that the instruction reads."""
    noun = ins.entry.carry_noun
    aspects = frozenset(("value of CC.CF",))
    changes: tuple[tuple[str, int, Callable[[int], int]], ...] = (
        (f"without the {noun}: with CC.CF = 0", 2, lambda _: 0),
        ("with CC.CF inverted", 3, lambda bit: bit ^ 1),
    )
    for phrase, cost, change in changes:
        operands = partial(_change_carry, change)
        yield Cause(CauseKind.OPERAND, aspects, phrase, cost, operands=operands)


def _change_carry(change: Callable[[int], int], operands: Bits, _: ObservedCase) -> Bits:
    return {**operands, "cc": change(operands["cc"])}


def _iter_c_causes(
    ins: Instruction, types: Mapping[str, Type], registers: Iterable[str]
) -> Iterator[Cause]:
    """Yield c exchanged or unknown; its register is neither a's nor b's."""
    name = ins.format_operand("c")
    if types["c"] is not Type.PRED:
        operand = ins.entry.get_operand("c")
        partners = [
            register
            for register in registers
            if register != "c"
            and types[register[0]].bits == types["c"].bits
            and not ins.entry.get_operand(register[0]).is_like(operand)
        ]
        yield from (_make_exchange(ins, x, "c", 5) for x in partners)
    if (ins.form.dsel or ins.form.mask) and not ins.form.secop:
        phrase = f"with another {name}, which the unwritten lanes show"
        yield make_operand_cause("c", phrase, 5, _make_kept_lanes(ins))


def _iter_overwrites(ins: Instruction, name: str, roles: str) -> Iterator[Cause]:
    """Yield a register that received the result before it was read."""
    if "d" in ins.results and ins.type_of(roles[0]).bits == ins.type_of("d").bits:
        phrase = f"if {name} already held the result, as after a second run"
        cost = 3 if roles == "c" else 5
        yield make_operand_cause(roles, phrase, cost, lambda _, __, case: case.documented["d"])


def _make_kept_lanes(ins: Instruction) -> _Value:
    """Return c with the unwritten lanes of the result."""
    selector = ins.form.dsel or ins.form.mask
    assert selector
    field = (1 << selector.unit) - 1
    written_mask = sum(field << selector.unit * lane for lane in selector.lanes)

    def show_c(_: str, operands: Bits, case: ObservedCase) -> int:
        observed = case.observation.observed.get("d", Observed(0, 0))
        visible_mask = observed.known_mask & ~written_mask
        return operands["c"] & ~visible_mask | observed.bits & visible_mask

    return show_c


def _make_byte_reversal(types: Mapping[str, Type]) -> _Value:
    return lambda role, bits, _: _reverse_bytes(bits[role], types[role].bits)


def _swap_halves(bits: int) -> int:
    return bits >> 16 | (bits & 0xFFFF) << 16


def _reverse_bytes(bits: int, width: int) -> int:
    return int.from_bytes(bits.to_bytes(width // 8, "big"), "little")


def _iter_misreadings(ins: Instruction, name: str, roles: str, type_: Type) -> Iterator[Cause]:
    if type_.bits > 8:
        types = dict.fromkeys(roles, type_)
        yield make_operand_cause(
            roles, f"with the bytes of {name} reversed", 3, _make_byte_reversal(types)
        )
    if type_.bits == 32:
        for unit, part in ((8, "byte"), (16, "half-word")):
            phrase = f"with {name} sign-extended from its low {part}"
            yield make_operand_cause(roles, phrase, 4, _make_sign_extension(unit))
    if type_.bits == 32 and any(
        ins.count_lanes(role) > 1 and ins.entry.find_slot(f"{role}sel") is None for role in roles
    ):
        phrase = f"with the half-words of {name} swapped"
        yield make_operand_cause(roles, phrase, 2, lambda role, bits, _: _swap_halves(bits[role]))
    if ins.entry.group is Group.COMPARE and type_.bits >= 32 and type_.lanes == 1:
        yield make_operand_cause(
            roles, f"with {name}'s integer converted to a float", 4, _to_float(type_.bits)
        )
        yield make_operand_cause(
            roles, f"with {name}'s float converted to an integer", 4, _to_integer(type_.bits)
        )


def _iter_wrapped(ins: Instruction, registers: Iterable[str]) -> Iterator[Cause]:
    """Yield operands that ``cvt.pack`` wraps instead of clamping."""
    roles = "".join(x for x in registers if x in ("a", "b", "ab"))
    type_ = ins.form.dtype
    if ins.form.pack and roles and type_:
        names = " and ".join(dict.fromkeys(ins.format_operand(x) for x in roles))
        phrase = f"with {names} wrapped rather than clamped to `.{type_}`"
        yield make_operand_cause(
            roles,
            phrase,
            2,
            lambda role, bits, _: cast(bits[role], type_.bits, type_.signed) & 0xFFFF_FFFF,
        )


_MAX_EXPONENT = 40
"""Maximum exponent of floats that are more likely than integers with the same bits."""
_PLAIN_SLOTS = ("sat", "secop", "dsel", "asel", "bsel")


def find_float_operands(ins: Instruction, operands: Iterable[Bits]) -> Iterator[Cause]:
    """Yield the minimum or maximum of operands read as floats.

    It differs from the integers' only if one is negative.
    """
    types = {ins.form.stype} if ins.form.stype else {ins.form.atype, ins.form.btype}
    opcode = ins.form.opcode.removeprefix("v")
    if opcode not in ("min", "max") or len(types) > 1 or any(map(ins.form.get, _PLAIN_SLOTS)):
        return
    (type_,) = types
    values = [x[role] for x in operands for role in "ab" if role in x]
    if type_ not in (Type.S32, Type.U32) or not all(map(_may_be_float, values)):
        return
    if not any(x >> 31 for x in values):
        return
    choose = min if opcode == "min" else max

    def choose_float(_: str, bits: Bits, __: ObservedCase) -> int:
        return choose((bits[role] for role in "ab"), key=_order_floats)

    names = " and ".join(ins.format_operand(x) for x in "ab")
    phrase = f"with {names} read as floats, whose bits they are: that is `{opcode}.f32`"
    yield make_operand_cause("ab", phrase, 1, choose_float)._replace(is_other_computation=True)


def _iter_lane_arithmetic(ins: Instruction, registers: Iterable[str]) -> Iterator[Cause]:
    """Yield sums and differences whose carries and borrows stop at bytes or half-words."""
    type_, opcode = ins.form.stype, ins.form.opcode
    is_plain = opcode in ("add", "sub") and not (ins.form.sat or ins.form.cc)
    if not is_plain or type_ is None or type_.bits != 32 or type_.lanes > 1:
        return
    role = next((x for x in registers if x in ("a", "b")), "")
    for unit, name in ((8, "byte"), (16, "half-word")) if role else ():
        phrase = f"with every {name} on its own, as `v{opcode}{32 // unit}` computes it"
        cause = make_operand_cause(role, phrase, 3, _make_lane_operand(opcode, unit))
        yield cause._replace(is_other_computation=True)


def _make_lane_operand(opcode: str, unit: int) -> _Value:
    """Return an operand with which a whole sum or difference equals that of the lanes."""
    sign, field = (1 if opcode == "add" else -1), (1 << unit) - 1

    def make_operand(role: str, bits: Bits, _: ObservedCase) -> int:
        lanes = (
            ((bits["a"] >> low & field) + sign * (bits["b"] >> low & field) & field) << low
            for low in range(0, 32, unit)
        )
        result = sum(lanes)
        missing = result - sign * bits["b"] if role == "a" else sign * (result - bits["a"])
        return missing & 0xFFFF_FFFF

    return make_operand


def _may_be_float(bits: int) -> bool:
    return not bits or abs((bits >> 23 & 0xFF) - 127) <= _MAX_EXPONENT


def _order_floats(bits: int) -> int:
    """Return a number with the order of floats, from their bits."""
    return -(bits & 0x7FFF_FFFF) if bits >> 31 else bits


def _make_sign_extension(unit: int) -> _Value:
    return lambda role, bits, _: cast(bits[role], unit, signed=True) & 0xFFFF_FFFF


def _to_float(width: int) -> _Value:
    return lambda role, bits, _: _convert_integer(bits[role], width)


def _to_integer(width: int) -> _Value:
    return lambda role, bits, _: _convert_float(bits[role], width)


def _convert_integer(bits: int, width: int) -> int:
    return encode_float(cast(bits, width, signed=True), Type(f"f{width}"))


def _convert_float(bits: int, width: int) -> int:
    """Return a float as an integer, or its bits if it rounds to 0 or does not fit."""
    number = decode_float(bits, Type(f"f{width}"))
    in_range = -(1 << (width - 1)) <= number < 1 << width  # false for a NaN
    return int(number) & ((1 << width) - 1) if in_range and abs(number) >= 1 else bits


# --- the result --------------------------------------------------------------------------


_READING_ASPECT = frozenset(("reading",))


def _iter_result_misreadings(ins: Instruction) -> Iterator[Cause]:
    """Yield other ways of reading the result."""
    if {"p", "q"} <= ins.results.keys():
        phrase = f"with {ins.format_operand('p')} and {ins.format_operand('q')} exchanged"
        yield Cause(CauseKind.READING, _READING_ASPECT, phrase, 1, reading=_exchange_p_and_q)
    if "d" not in ins.results:
        return
    name, width = ins.format_operand("d"), ins.type_of("d").bits
    if width > 8:
        yield _make_d_misreading(
            f"with the bytes of {name} reversed", 3, lambda bits: _reverse_bytes(bits, width)
        )
    if width == 32 and not ins.type_of("d").is_float:
        yield from _iter_storage_misreadings(name)
    if width >= 32 and ins.entry.group is Group.COMPARE:
        yield _make_d_misreading(
            f"with {name}'s float read as a number", 3, lambda bits: _convert_float(bits, width)
        )
        yield _make_d_misreading(
            f"with {name}'s number shown as a float's bits",
            4,
            lambda bits: _convert_integer(bits, width),
        )


def _iter_storage_misreadings(name: str) -> Iterator[Cause]:
    """Yield a word that was stored in a smaller type, or with its halves swapped.

    Swapped halves cost more than a selector.
    """
    phrase = f"with the half-words of {name} swapped"
    yield _make_d_misreading(phrase, 4, _swap_halves)
    for unit, cost in ((8, 4), (16, 3)):
        for signed, kind in ((False, ""), (True, "signed ")):
            yield _make_d_misreading(
                f"with {name} stored in a {kind}{UNIT_NAMES[unit]}",
                cost,
                partial(_truncate, unit=unit, signed=signed),
            )


def _truncate(bits: int, unit: int, signed: bool) -> int:
    """Return the low part of a word, extended."""
    return cast(bits, unit, signed) & 0xFFFF_FFFF


def _exchange_p_and_q(result: Bits) -> Bits:
    return {"p": result["q"], "q": result["p"]}


def _make_d_misreading(phrase: str, cost: int, change: Callable[[int], int]) -> Cause:
    def misread(result: Bits) -> Bits:
        return {**result, "d": change(result["d"])}

    return Cause(CauseKind.READING, _READING_ASPECT, phrase, cost, reading=misread)


def format_changed_operands(ins: Instruction, old_bits: Bits, new_bits: Bits) -> str:
    """Return the registers that a cause changed: ``%1 = 0x00000001, %3 = 0x00000000``."""
    return ", ".join(
        f"{ins.format_operand(role)} = {format_hex(bits, ins.type_of(role).bits)}"
        for role, bits in new_bits.items()
        if bits != old_bits.get(role, bits) and not isinstance(ins.roles.get(role), Immediate)
    )
