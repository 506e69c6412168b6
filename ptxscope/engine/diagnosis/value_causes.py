"""What may have been in the registers, or read from them: causes that change values alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from ..isa.entry import Group
from ..isa.integers import cast
from ..isa.types import Type
from ..syntax.constants import bits_float, float_bits
from ..syntax.instruction import Instruction, Literal, Register
from ..syntax.values import hex_text
from ..tracing.lane_text import UNIT_NAMES
from .causes import Bits, Cause, Kind, Seen


def value_causes(ins: Instruction, known: frozenset[str]) -> Iterator[Cause]:
    """Every other value of an operand or of the result; ``known`` are the roles with a value."""
    yield from _operands(ins, known)
    yield from _readings(ins)


# --- the operands ------------------------------------------------------------------------

_Value = Callable[[str, Bits, Seen], int]
"""The value that a role takes instead, given all operands and what was seen."""


def _change(roles: str, phrase: str, weight: int, to: _Value, *, swap: bool = False) -> Cause:
    """A cause that gives operands other values."""

    def changed(operands: Bits, seen: Seen) -> Bits:
        return {**operands, **{role: to(role, operands, seen) for role in roles}}

    axes = frozenset(f"value of {role}" for role in roles)
    return Cause(Kind.OPERAND, axes, phrase, weight, operands=changed, swap=swap)


def _exchanged(ins: Instruction, x: str, y: str, weight: int, *, swap: bool = False) -> Cause:
    """Two operands, each with the other's value; each is given by its roles."""
    other = dict.fromkeys(x, y[0]) | dict.fromkeys(y, x[0])
    phrase = f"with {ins.called(x[0])} and {ins.called(y[0])} exchanged"
    return _change(x + y, phrase, weight, lambda role, bits, _: bits[other[role]], swap=swap)


_AT_OPERANDS = ("asel", "bsel", "nega", "negb")


def _swapped(ins: Instruction) -> Iterator[Cause]:
    """a and b exchanged; a literal can't stand where a selector or a sign does."""
    cause = _exchanged(ins, "a", "b", 2, swap=True)
    if not any(isinstance(ins.roles[role], Literal) for role in "ab"):
        yield cause
    elif not any(ins.form.get(name) for name in _AT_OPERANDS):
        yield cause._replace(axes=cause.axes.union(_AT_OPERANDS))


def _operands(ins: Instruction, known: frozenset[str]) -> Iterator[Cause]:
    """Operands that were other than given: registers, each in all of its roles; no constants."""
    types = {role: ins.type_of(role) for role in "abc" if role in known}
    registers = _roles_by_register(ins, types)
    if {"a", "b"} <= known and ins.roles["a"] != ins.roles["b"]:
        yield from _swapped(ins)
    if registers.get(ins.called("c")) == "c":
        yield from _another_c(ins, types, registers.values())
    for name, roles in registers.items():
        yield from _overwritten(ins, name, roles)
        yield from _misread(ins, name, roles, types[roles[0]])
    wide = "".join(roles for roles in registers.values() if types[roles[0]].bits > 8)
    if len(registers) > 1 and wide:
        yield _change(wide, "with the bytes of every register reversed", 4, _reversed_bytes(types))


def _roles_by_register(ins: Instruction, read: Iterable[str]) -> dict[str, str]:
    """The roles of each register that is read and is no constant: ``{"%1": "ab", "%3": "c"}``."""
    found: dict[str, str] = {}
    for role in read:
        if isinstance(source := ins.roles[role], Register) and source.bits is None:
            found[source.name] = found.get(source.name, "") + role
    return found


def _another_c(
    ins: Instruction, types: Mapping[str, Type], registers: Iterable[str]
) -> Iterator[Cause]:
    """c exchanged, 0 or unknown; it is no register that a or b is read from."""
    name = ins.called("c")
    if types["c"] is not Type.PRED:
        others = [x for x in registers if x != "c" and types[x[0]].bits == types["c"].bits]
        yield from (_exchanged(ins, x, "c", 5) for x in others)
    yield _change("c", f"with {name} = 0", 3, lambda *_: 0)
    if (ins.form.dsel or ins.form.mask) and not ins.form.secop:
        phrase = f"with another {name}, which the unwritten lanes show"
        yield _change("c", phrase, 5, _kept_lanes(ins))


def _overwritten(ins: Instruction, name: str, roles: str) -> Iterator[Cause]:
    """A register that had received the result before it was read."""
    if "d" in ins.results and ins.type_of(roles[0]).bits == ins.type_of("d").bits:
        phrase = f"with {name} holding the result already, as if run twice"
        weight = 3 if roles == "c" else 4
        yield _change(roles, phrase, weight, lambda _, __, seen: seen.documented["d"])


def _kept_lanes(ins: Instruction) -> _Value:
    """c as the lanes show it that the instruction does not write."""
    chosen = ins.form.dsel or ins.form.mask
    assert chosen
    field = (1 << chosen.unit) - 1
    written = sum(field << chosen.unit * lane for lane in chosen.lanes)

    def c(_: str, operands: Bits, seen: Seen) -> int:
        observed = seen.observation.observed["d"]
        shown = observed.known & ~written
        return operands["c"] & ~shown | observed.bits & shown

    return c


def _reversed_bytes(types: Mapping[str, Type]) -> _Value:
    return lambda role, bits, _: _reverse(bits[role], types[role].bits)


def _reverse(bits: int, width: int) -> int:
    return int.from_bytes(bits.to_bytes(width // 8, "big"), "little")


def _misread(ins: Instruction, name: str, roles: str, type_: Type) -> Iterator[Cause]:
    if type_.bits > 8:
        types = dict.fromkeys(roles, type_)
        yield _change(roles, f"with the bytes of {name} reversed", 3, _reversed_bytes(types))
    if type_.bits == 32:
        for unit, part in ((8, "byte"), (16, "half-word")):
            phrase = f"with {name} sign-extended from its low {part}"
            yield _change(roles, phrase, 4, _sign_extended(unit))
    if ins.entry.group is Group.COMPARE and type_.bits >= 32:
        yield _change(roles, f"with {name}'s integer made a float", 4, _to_float(type_.bits))
        yield _change(roles, f"with {name}'s float made an integer", 4, _to_integer(type_.bits))


def _sign_extended(unit: int) -> _Value:
    return lambda role, bits, _: cast(bits[role], unit, signed=True) & 0xFFFF_FFFF


def _to_float(width: int) -> _Value:
    return lambda role, bits, _: float_bits(cast(bits[role], width, signed=True), width)


def _to_integer(width: int) -> _Value:
    return lambda role, bits, _: _rounded(bits[role], width)


def _rounded(bits: int, width: int) -> int:
    """The integer of a float; the bits as they are where it has none, or none but 0."""
    number = bits_float(bits, width)
    in_range = -(1 << (width - 1)) <= number < 1 << width  # a NaN is not
    return int(number) & ((1 << width) - 1) if in_range and abs(number) >= 1 else bits


# --- the result --------------------------------------------------------------------------


_READ = frozenset(("reading",))


def _readings(ins: Instruction) -> Iterator[Cause]:
    """Other ways in which the result may have been read."""
    if {"p", "q"} <= ins.results.keys():
        phrase = f"with {ins.called('p')} and {ins.called('q')} exchanged"
        yield Cause(Kind.READING, _READ, phrase, 1, reading=_p_and_q_exchanged)
    if "d" not in ins.results:
        return
    name, width = ins.called("d"), ins.type_of("d").bits
    yield _d_read(
        f"with the bytes of {name} reversed",
        3,
        lambda bits: _reverse(bits, width),
    )
    if width == 32 and not ins.type_of("d").is_float:
        yield from _stored(name)
    if width >= 32 and ins.entry.group is Group.COMPARE:
        yield _d_read(
            f"with {name}'s float read as a number",
            3,
            lambda bits: _rounded(bits, width),
        )
        yield _d_read(
            f"with {name}'s number shown as a float's bits",
            4,
            lambda bits: float_bits(cast(bits, width, signed=True), width),
        )


def _stored(name: str) -> Iterator[Cause]:
    """A word that was stored in less, or by halves."""
    phrase = f"with the half-words of {name} swapped"
    yield _d_read(phrase, 3, lambda bits: bits >> 16 | (bits & 0xFFFF) << 16)
    for unit, weight in ((8, 4), (16, 3)):
        for signed, kind in ((False, ""), (True, "signed ")):
            yield _d_read(
                f"with {name} stored in a {kind}{UNIT_NAMES[unit]}",
                weight,
                partial(_cut, unit=unit, signed=signed),
            )


def _cut(bits: int, unit: int, signed: bool) -> int:
    """The low part of a word, extended; a positive one is the unsigned part's to explain."""
    number = cast(bits, unit, signed)
    return bits if signed and number >= 0 else number & 0xFFFF_FFFF


def _p_and_q_exchanged(result: Bits) -> Bits:
    return {"p": result["q"], "q": result["p"]}


def _d_read(phrase: str, weight: int, to: Callable[[int], int]) -> Cause:
    def reading(result: Bits) -> Bits:
        return {"d": to(result["d"])}

    return Cause(Kind.READING, _READ, phrase, weight, reading=reading)


def shown_operands(ins: Instruction, before: Bits, after: Bits) -> str:
    """``%1 = 0x00000001, %3 = 0x00000000``: the operands that a cause has changed."""
    return ", ".join(
        f"{ins.called(role)} = {hex_text(bits, ins.type_of(role).bits)}"
        for role, bits in after.items()
        if bits != before[role]
    )
