"""A second formulation of the 27 instructions, to be held beside SEMANTICS.md line by line.

Plain Python integers and floats, `if` by `if`; nothing is shared with the package. Lines are
canonical or free in their modifiers' order, with register operands and no guard.
"""

from __future__ import annotations

import math
import struct
from typing import NamedTuple

_WORDS32 = 2**32


class Line(NamedTuple):
    """A line cut into words."""

    opcode: str
    modifiers: list[str]
    types: list[str]
    destinations: list[str]
    dsel: str
    a: str
    asel: str
    minus_a: bool
    b: str
    bsel: str
    minus_b: bool
    c: str
    sign_c: str
    """``-``, ``!`` or nothing."""


def reference(line: str, values: dict[str, int], model: str) -> dict[str, int]:
    """The destinations' bits by name; ``values`` are bits by register name."""
    text = _read(line)
    ptxas = model != "isa"
    a, b, c = values[text.a], values[text.b], values.get(text.c, 0)
    if text.opcode == "setp":
        return _setp(text, a, b, c)
    if text.opcode == "set":
        result = _set(text, a, b, c)
    elif text.opcode == "selp":
        chosen = bool(c) != (text.sign_c == "!")
        result = a if chosen else b
    elif text.opcode == "slct":
        result = a if _not_negative(text, c) else b
    elif text.opcode == "vmad":
        result = _vmad_ptxas(text, a, b, c) if ptxas else _vmad(text, a, b, c)
    elif text.opcode[-1] in "24":
        result = _simd(text, a, b, c)
    elif ptxas:
        result = _scalar_ptxas(text, a, b, c, repaired=model == "ptxas-13.5")
    else:
        result = _scalar(text, a, b, c)
    return {text.destinations[0]: result}


def _read(line: str) -> Line:
    mnemonic, _, rest = line.strip().rstrip(";").partition(" ")
    opcode, *modifiers = mnemonic.split(".")
    operands = [word.strip() for word in rest.split(",")]
    d, _, dsel = operands[0].partition(".")
    a, _, asel = operands[1].lstrip("-").partition(".")
    b, _, bsel = operands[2].lstrip("-").partition(".")
    c = operands[3] if len(operands) > 3 else ""
    types = [word for word in modifiers if word[0] in "usbf" and word[1:].isdigit()]
    return Line(
        opcode,
        modifiers,
        types,
        d.split("|"),
        dsel,
        a,
        asel,
        operands[1].startswith("-"),
        b,
        bsel,
        operands[2].startswith("-"),
        c.lstrip("-!"),
        c[:1] if c[:1] in ("-", "!") else "",
    )


def _signed(value: int, bits: int) -> int:
    """The low bits of a number as a signed one."""
    value %= 2**bits
    return value - 2**bits if value >= 2 ** (bits - 1) else value


def _clamp(value: int, bits: int, signed: bool) -> int:
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return low if value < low else high if value > high else value


# --- set, setp, slct ---------------------------------------------------------------------


def _flushed(bits: int) -> int:
    exponent, fraction = bits // 2**23 % 256, bits % 2**23
    return bits - fraction if exponent == 0 and fraction else bits


def _number(bits: int, type_: str) -> float | int:
    """What a bit pattern is worth."""
    width = int(type_[1:])
    if type_[0] == "s":
        return _signed(bits, width)
    if type_[0] == "f":
        packed = bits.to_bytes(width // 8, "little")
        number: float = struct.unpack("<f" if width == 32 else "<d", packed)[0]
        return number
    return bits


def _holds(cmp: str, x: float | int, y: float | int) -> bool:
    nan = math.isnan(x) or math.isnan(y)
    if cmp == "num":
        return not nan
    if cmp == "nan":
        return nan
    unordered = cmp in ("equ", "neu", "ltu", "leu", "gtu", "geu")
    if nan:
        return unordered
    plain = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}.get(cmp, cmp)[:2]
    if plain == "eq":
        return x == y
    if plain == "ne":
        return x != y
    if plain == "lt":
        return x < y
    if plain == "le":
        return x <= y
    return x > y if plain == "gt" else x >= y


def _compared(text: Line, a: int, b: int) -> bool:
    type_ = text.types[-1]
    if "ftz" in text.modifiers:
        a, b = _flushed(a), _flushed(b)
    return _holds(_cmp(text), _number(a, type_), _number(b, type_))


_CMP = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan".split()


def _cmp(text: Line) -> str:
    return next(word for word in text.modifiers if word in _CMP)


def _combined(text: Line, t: bool, c: int) -> bool:
    p = bool(c) != (text.sign_c == "!")
    if "and" in text.modifiers:
        return t and p
    if "or" in text.modifiers:
        return t or p
    if "xor" in text.modifiers:
        return t != p
    return t


def _set(text: Line, a: int, b: int, c: int) -> int:
    if not _combined(text, _compared(text, a, b), c):
        return 0
    return 0x3F800000 if text.types[0] == "f32" else 0xFFFFFFFF


def _setp(text: Line, a: int, b: int, c: int) -> dict[str, int]:
    t = _compared(text, a, b)
    results = {}
    if len(text.destinations) == 2:
        results[text.destinations[1]] = int(_combined(text, not t, c))
    results[text.destinations[0]] = int(_combined(text, t, c))
    results.pop("_", None)
    return results


def _not_negative(text: Line, c: int) -> bool:
    if text.types[1] == "s32":
        return _signed(c, 32) >= 0
    number = _number(_flushed(c) if "ftz" in text.modifiers else c, "f32")
    return number >= 0  # false for NaN, true for -0.0


# --- scalar video ------------------------------------------------------------------------


def _part(word: int, selector: str) -> tuple[int, int]:
    """The selected byte, half-word or word, and its width."""
    if not selector:
        return word, 32
    width = 8 if selector[0] == "b" else 16
    return word // 2 ** (width * int(selector[1])) % 2**width, width


def _operand(word: int, selector: str, type_: str) -> int:
    part, width = _part(word, selector)
    return _signed(part, width) if type_ == "s32" else part


def _dtype(text: Line) -> str:
    return "u32" if text.opcode.startswith("vset") else text.types[0]


def _primary(text: Line, a: int, b: int) -> int:
    """Steps 1 to 3: select, extend, operate."""
    atype, btype = text.types[-2:]
    x, y = _operand(a, text.asel, atype), _operand(b, text.bsel, btype)
    if text.opcode in ("vshl", "vshr"):
        y = min(y, 32) if "clamp" in text.modifiers else y % 32
        return int(x * 2**y if text.opcode == "vshl" else x // 2**y)
    return _arithmetic(text, text.opcode, x, y)


def _arithmetic(text: Line, opcode: str, x: int, y: int) -> int:
    if opcode == "vadd":
        return x + y
    if opcode == "vsub":
        return x - y
    if opcode == "vabsdiff":
        return abs(x - y)
    if opcode == "vmin":
        return min(x, y)
    if opcode == "vmax":
        return max(x, y)
    if opcode == "vavrg":
        total = x + y
        return (total + 1) // 2 if total >= 0 else total // 2
    return int(_holds(_cmp(text), x, y))


def _secondary_name(text: Line) -> str:
    return next((word for word in text.modifiers if word in ("add", "min", "max")), "")


def _second(name: str, t: int, c: int) -> int:
    return t + c if name == "add" else min(t, c) if name == "min" else max(t, c)


def _merged(t: int, c: int, dsel: str) -> int:
    """Steps 6 and 7: the low bits of t at the selected position, all other bits from c."""
    if not dsel:
        return t % _WORDS32
    old, width = _part(c, dsel)
    place = 2 ** (width * int(dsel[1]))
    return int(c + (t % 2**width - old) * place)


def _scalar(text: Line, a: int, b: int, c: int) -> int:
    t = _primary(text, a, b)
    signed = _dtype(text) == "s32"
    if "sat" in text.modifiers:
        width = _part(0, text.dsel)[1]
        t = _clamp(t, width, signed)
    if name := _secondary_name(text):
        t = _second(name, t, _signed(c, 32) if signed else c)
    return _merged(t, c, text.dsel)


def _scalar_ptxas(text: Line, a: int, b: int, c: int, *, repaired: bool) -> int:
    """Section 3: operate; E5, E2/E3/E4; the cut; secondary operation (E6-E9); merge (E1)."""
    opcode, sat, name = text.opcode, "sat" in text.modifiers, _secondary_name(text)
    signed = _dtype(text) == "s32"
    t = _primary(text, a, b)
    if sat:
        t = _saturated_ptxas(text, t, signed)
    if name:
        c_signed = text.types[0] == "s32" if opcode == "vset" and name != "add" else signed  # E9
        other = _signed(c, 32) if c_signed else c
        if name in ("min", "max") and opcode not in ("vset", "vabsdiff"):
            if opcode in ("vadd", "vsub") or (opcode in ("vshl", "vshr") and sat):
                t = _signed(t, 32)  # E6, E8
            if opcode in ("vadd", "vsub", "vshl", "vshr") or not sat:
                t = _signed(t, 64) if signed else t % 2**64  # E6, E7, E8, E13
                other = _signed(other, 64) if signed else other % 2**64
        t = _second(name, t, other)
    if text.dsel == "h1" and not repaired:
        return t // 2**16 % 2**16 * 2**16 + c % 2**16  # E1
    return _merged(t, c, text.dsel)


def _saturated_ptxas(text: Line, t: int, signed: bool) -> int:
    if text.opcode == "vshl":
        t = _signed(t, 34)  # E5
    if text.opcode in ("vshl", "vshr"):
        return _clamp(t, 32, signed)  # E4: also where d is a lane
    if text.dsel:
        width = _part(0, text.dsel)[1]
        if text.opcode == "vabsdiff":
            return _clamp(t, width, signed)
        top = 2 ** (width - 1) - 1 if signed else 2**width - 1
        return top if t < 0 or t > top else t  # E3
    if text.opcode in ("vadd", "vsub", "vabsdiff") and not signed:
        return max(t, 0)  # E2
    return _clamp(t, 32, signed)


def _signed_final(text: Line) -> bool:
    one_negated = text.minus_a != text.minus_b
    return "s32" in text.types[1:3] or one_negated or text.sign_c == "-"


def _scale(text: Line) -> int:
    return 7 if "shr7" in text.modifiers else 15 if "shr15" in text.modifiers else 0


def _vmad(text: Line, a: int, b: int, c: int) -> int:
    final_signed = _signed_final(text)
    t = _operand(a, text.asel, text.types[1]) * _operand(b, text.bsel, text.types[2])
    return _vmad_end(text, t, c, final_signed, c_signed=final_signed)


def _vmad_end(text: Line, t: int, c: int, final_signed: bool, *, c_signed: bool) -> int:
    """From the exact product on, as the manual's pseudo-code goes."""
    lsb = 0
    if "po" in text.modifiers:
        lsb = 1
    if text.minus_a != text.minus_b:
        t, lsb = ~t, 1
    if text.sign_c == "-":
        c, lsb = 0xFFFFFFFF - c, 1
    t += (_signed(c, 32) if c_signed else c) + lsb
    t //= 2 ** _scale(text)
    t = _signed(t, 64) if final_signed else t % 2**64
    if "sat" in text.modifiers:
        t = _clamp(t, 32, final_signed)
    return t % _WORDS32


def _vmad_ptxas(text: Line, a: int, b: int, c: int) -> int:
    if "sat" not in text.modifiers and not _scale(text):
        return _vmad(text, a, b, c)
    final_signed = _signed_final(text)
    x, y = (
        _signed(word, 32) if not selector else _operand(word, selector, type_)  # E10
        for word, selector, type_ in (
            (a, text.asel, text.types[1]),
            (b, text.bsel, text.types[2]),
        )
    )
    t = x * y + ("po" in text.modifiers)
    if text.minus_a != text.minus_b:
        t = -x * y
    t += -_signed(c, 32) if text.sign_c == "-" else _signed(c, 32)  # E11
    if final_signed:
        t = _signed(t, 64) // 2 ** _scale(text)  # E12
        return (_clamp(t, 32, signed=True) if "sat" in text.modifiers else t) % _WORDS32
    t = t % 2**64 // 2 ** _scale(text)  # E12: a logical shift of 64 bits
    if "sat" in text.modifiers:
        t = 0 if t >= 2**63 else min(t, 2**32 - 1)
    return t % _WORDS32


# --- SIMD video --------------------------------------------------------------------------


def _simd(text: Line, a: int, b: int, c: int) -> int:
    lanes = int(text.opcode[-1])
    width = 32 // lanes
    asel = text.asel or {2: "h10", 4: "b3210"}[lanes]
    bsel = text.bsel or {2: "h32", 4: "b7654"}[lanes]
    mask = text.dsel or {2: "h10", 4: "b3210"}[lanes]
    atype, btype = text.types[-2:]
    signed = _dtype(text) == "s32"
    accumulate = "add" in text.modifiers
    pair = b * _WORDS32 + a
    total, word = c, 0
    for lane in range(lanes):
        x = pair // 2 ** (width * int(asel[-1 - lane])) % 2**width
        y = pair // 2 ** (width * int(bsel[-1 - lane])) % 2**width
        t = _arithmetic(
            text,
            text.opcode[:-1],
            _signed(x, width) if atype == "s32" else x,
            _signed(y, width) if btype == "s32" else y,
        )
        chosen = str(lane) in mask[1:]
        if accumulate:
            total += t if chosen else 0
            continue
        if "sat" in text.modifiers:
            t = _clamp(t, width, signed)
        kept = t if chosen else c // 2 ** (width * lane)
        word += kept % 2**width * 2 ** (width * lane)
    return total % _WORDS32 if accumulate else word
