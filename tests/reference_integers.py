"""A second formulation of the integer instructions, bit by bit, from PLAIN.md of the team alone.

It shares no code with ptxscope: texts are split here, and numbers are computed with plain integers.
"""

from __future__ import annotations

from collections.abc import Callable


def _signed(x: int, bits: int) -> int:
    return x - (1 << bits) if x >> (bits - 1) & 1 else x


def _bits(x: int, count: int) -> list[int]:
    return [x >> n & 1 for n in range(count)]


def _number(bits: list[int]) -> int:
    return sum(bit << n for n, bit in enumerate(bits))


def _width(mods: list[str]) -> int:
    return 1 if mods[-1] == "pred" else int(mods[-1][1:])


def _prmt(mods: list[str], a: int, b: int, c: int) -> int:
    source = list(a.to_bytes(4, "little") + b.to_bytes(4, "little"))
    modes = [x for x in mods if x != "b32"]
    if not modes:
        found = []
        for lane in range(4):
            digit = c >> 4 * lane & 15
            byte = source[digit & 7]
            found.append((255 if byte & 128 else 0) if digit & 8 else byte)
        return int.from_bytes(bytes(found), "little")
    n = c & 3
    order = {
        "f4e": [n, n + 1, n + 2, n + 3],
        "b4e": [n, (n + 7) % 8, (n + 6) % 8, (n + 5) % 8],
        "rc8": [n, n, n, n],
        "ecl": [max(i, n) for i in (0, 1, 2, 3)],
        "ecr": [min(i, n) for i in (0, 1, 2, 3)],
        "rc16": [0, 1, 0, 1] if n in (0, 2) else [2, 3, 2, 3],
    }[modes[0]]
    return int.from_bytes(bytes(source[i] for i in order), "little")


def _lop3(mods: list[str], a: int, b: int, c: int, table: int, e: int = 0) -> tuple[int, ...]:
    triples = zip(_bits(a, 32), _bits(b, 32), _bits(c, 32), strict=True)
    d = _number([table >> int(f"{x}{y}{z}", 2) & 1 for x, y, z in triples])
    if "and" in mods:
        return d, int(d != 0 and e != 0)
    return (d, int(d != 0 or e != 0)) if "or" in mods else (d,)


def _bfe(mods: list[str], a: int, b: int, c: int, cut: bool = True) -> int:
    width, source = _width(mods), _bits(a, _width(mods))
    position, length = (b & 255, c & 255) if cut else (b, c)
    sign = 0
    if mods[-1][0] == "s" and length:
        sign = source[min(position + length - 1, width - 1)]
    return _number(
        [
            source[position + i] if i < length and position + i < width else sign
            for i in range(width)
        ]
    )


def _bfi(mods: list[str], a: int, b: int, c: int, e: int, cut: bool = True) -> int:
    width = _width(mods)
    position, length = (c & 255, e & 255) if cut else (c, e)
    field, found = _bits(a, width), _bits(b, width)
    for i in range(width):
        if position <= i < position + length:
            found[i] = field[i - position]
    return _number(found)


def _shf(mods: list[str], a: int, b: int, c: int) -> int:
    count = c % 32 if "wrap" in mods else min(c, 32)
    pair = b << 32 | a
    return (pair << count >> 32 if "l" in mods else pair >> count) & 0xFFFFFFFF


def _szext(mods: list[str], a: int, b: int) -> int:
    count = b % 32 if "wrap" in mods else min(b, 32)
    low = a % (1 << count)
    return (_signed(low, count) if count and "s32" in mods else low) & 0xFFFFFFFF


def _bmsk(mods: list[str], a: int, b: int) -> int:
    wraps = "wrap" in mods
    start, count = (a % 32, b % 32) if wraps else (a, min(b, 32))
    return _number([int(start <= i < start + count) for i in range(32)])


def _brev(mods: list[str], a: int) -> int:
    return _number(_bits(a, _width(mods))[::-1])


def _clz(mods: list[str], a: int) -> int:
    return _width(mods) - a.bit_length()


def _popc(_: list[str], a: int) -> int:
    return a.bit_count()


def _bfind(mods: list[str], a: int) -> int:
    width = _width(mods)
    number = _signed(a, width) if mods[-1][0] == "s" else a
    position = (number if number >= 0 else ~number).bit_length() - 1
    if position < 0:
        return 0xFFFFFFFF
    return width - 1 - position if "shiftamt" in mods else position


def _fns(_: list[str], mask: int, base: int, offset: int, overflows: bool = False) -> int:
    offset = _signed(offset, 32)
    if overflows and offset == -(1 << 31):
        return 0
    up = offset >= 0
    if base > 31:
        return 0xFFFFFFFF  # undefined in the manual
    places = [i for i in range(32) if mask >> i & 1 and (i >= base if up else i <= base)]
    places = places if up else places[::-1]
    if offset == 0:
        return base if base < 32 and mask >> base & 1 else 0xFFFFFFFF
    return places[abs(offset) - 1] if abs(offset) <= len(places) else 0xFFFFFFFF


def _lanes(x: int, unit: int, type_: str) -> list[int]:
    parts = [x >> start & ((1 << unit) - 1) for start in range(0, 32, unit)]
    return [_signed(part, unit) for part in parts] if type_ == "s32" else parts


def _dp4a(mods: list[str], a: int, b: int, c: int) -> int:
    pairs = zip(_lanes(a, 8, mods[0]), _lanes(b, 8, mods[1]), strict=True)
    return (c + sum(x * y for x, y in pairs)) & 0xFFFFFFFF


def _dp2a(mods: list[str], a: int, b: int, c: int) -> int:
    half, a_type, b_type = mods
    chosen = _lanes(b, 8, b_type)[slice(0, 2) if half == "lo" else slice(2, 4)]
    pairs = zip(_lanes(a, 16, a_type), chosen, strict=True)
    return (c + sum(x * y for x, y in pairs)) & 0xFFFFFFFF


def _sad(mods: list[str], a: int, b: int, c: int) -> int:
    width = _width(mods)
    if mods[-1][0] == "s":
        a, b = _signed(a, width), _signed(b, width)
    return (c + abs(a - b)) % (1 << width)


def _packed(
    operation: Callable[[int, int], int],
) -> Callable[..., int]:
    """An operation on numbers, or lane by lane, clamped with .sat or at 0 with .relu."""

    def compute_lanes(mods: list[str], a: int, b: int = 0) -> int:
        kind, (size, _, count) = mods[-1][0], mods[-1][1:].partition("x")
        unit, found = int(size), 0
        low, high = (-(1 << unit - 1), (1 << unit - 1) - 1) if kind == "s" else (0, (1 << unit) - 1)
        for place in range(0, unit * int(count or 1), unit):
            x, y = (value >> place & ((1 << unit) - 1) for value in (a, b))
            if kind == "s":
                x, y = _signed(x, unit), _signed(y, unit)
            exact = operation(x, y)
            if "sat" in mods:
                exact = low if exact < low else high if exact > high else exact
            if "relu" in mods and exact < 0:
                exact = 0
            found |= exact % (1 << unit) << place
        return found

    return compute_lanes


def _add_bits(a: int, b: int, carry: int, width: int) -> tuple[int, int]:
    """Add bit by bit, as a row of full adders does."""
    found = []
    for x, y in zip(_bits(a, width), _bits(b, width), strict=True):
        found.append(x ^ y ^ carry)
        carry = x & y | carry & (x ^ y)
    return _number(found), carry


def _addc(mods: list[str], a: int, b: int, carry: int = 0) -> tuple[int, ...]:
    found = _add_bits(a, b, carry, _width(mods))
    return found if "cc" in mods else found[:1]


def _subc(mods: list[str], a: int, b: int, borrow: int = 0) -> tuple[int, ...]:
    """Add the complement of b: a borrow is a carry that is missing."""
    width = _width(mods)
    d, carry = _add_bits(a, ~b % (1 << width), 1 - borrow, width)
    return (d, 1 - carry) if "cc" in mods else (d,)


def _mul(mods: list[str], a: int, b: int) -> int:
    """Multiply by adding shifted words; sign bits' words are subtracted."""
    width = _width(mods)
    product = sum(a << place for place, bit in enumerate(_bits(b, width)) if bit)
    if mods[-1][0] == "s":
        product -= ((a >> (width - 1)) * b + (b >> (width - 1)) * a) << width
    if mods[0] == "wide":
        return product % (1 << 2 * width)
    return (product >> width if mods[0] == "hi" else product) % (1 << width)


def _low_24(mods: list[str], x: int) -> int:
    """The low 24 bits of a word, sign- or zero-extended to 64 bits."""
    low = x % (1 << 24)
    return (_signed(low, 24) if mods[-1] == "s32" else low) % (1 << 64)


def _mul24(mods: list[str], a: int, b: int) -> int:
    product = _mul(["lo", "u64"], _low_24(mods, a), _low_24(mods, b))
    return (product >> (16 if mods[0] == "hi" else 0)) % (1 << 32)


def _mad24(mods: list[str], a: int, b: int, c: int) -> int:
    word = _mul24(mods, a, b)
    if "sat" in mods:
        return min(max(_signed(word, 32) + _signed(c, 32), -(2**31)), 2**31 - 1) % (1 << 32)
    return (word + c) % (1 << 32)


def _mad(mods: list[str], a: int, b: int, c: int) -> int:
    width = _width(mods)
    word = _mul(mods, a, b)
    if "sat" in mods:
        total = _signed(word, width) + _signed(c, width)
        limit = 1 << (width - 1)
        return min(max(total, -limit), limit - 1) % (1 << width)
    return (word + c) % (1 << (2 * width if mods[0] == "wide" else width))


def _divide(mods: list[str], a: int, b: int) -> tuple[int, int]:
    """Divide bit by bit, as on paper; by 0, both results are all ones."""
    width = _width(mods)
    if b == 0:
        return (1 << width) - 1, (1 << width) - 1
    x, y = a, b
    if mods[-1][0] == "s":
        x, y = abs(_signed(a, width)), abs(_signed(b, width))
    quotient = rest = 0
    for bit in reversed(_bits(x, width)):
        rest = 2 * rest + bit
        quotient = 2 * quotient + (rest >= y)
        rest -= y if rest >= y else 0
    if mods[-1][0] == "s":
        quotient = -quotient if a >> (width - 1) != b >> (width - 1) else quotient
        rest = -rest if a >> (width - 1) else rest
    return quotient % (1 << width), rest % (1 << width)


def _pack(type_: str, a: int, b: int, c: int = 0) -> int:
    """The manual's loops of `cvt.pack`: td is tb, then the bits of ta, then the bits of c."""
    size = int(type_[1:])
    low, high = (-(1 << size - 1), (1 << size - 1) - 1) if type_[0] == "s" else (0, (1 << size) - 1)
    ta, tb = (_bits(min(max(_signed(x, 32), low), high), 32) for x in (a, b))
    d = [0] * 32
    for i in range(size):
        d[i] = tb[i]
    for i in range(size, 2 * size):
        d[i] = ta[i - size]
    for i in range(2 * size, 32):
        d[i] = c >> i - 2 * size & 1
    return _number(d)


def _cvt(mods: list[str], a: int, *others: int) -> int:
    """Convert a number, which for 8 bits stands in the low half of a register of 16."""
    if mods[0] == "pack":
        return _pack(mods[2], a, *others)
    d, source = mods[-2:]
    bits, source_bits = int(d[1:]), int(source[1:])
    number = a % (1 << source_bits)
    number = _signed(number, source_bits) if source[0] == "s" else number
    if "sat" in mods:
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if d[0] == "s" else (0, (1 << bits) - 1)
        number = min(max(number, low), high)
    number %= 1 << bits
    number = _signed(number, bits) if d[0] == "s" else number
    return number % (1 << max(bits, 16))


def _abs(mods: list[str], a: int) -> int:
    return abs(_signed(a, _width(mods))) % (1 << _width(mods))


def _madc(mods: list[str], a: int, b: int, c: int, carry: int = 0) -> tuple[int, ...]:
    width = _width(mods)
    if mods[-1][0] == "s":
        a, b = _signed(a, width), _signed(b, width)
    product = a * b % (1 << 2 * width)
    word = product >> width if "hi" in mods else product % (1 << width)
    return _addc(mods, word, c, carry)


def _add(mods: list[str], a: int, b: int) -> int | tuple[int, ...]:
    return _addc(mods, a, b) if "cc" in mods else _packed(lambda x, y: x + y)(mods, a, b)


def _sub(mods: list[str], a: int, b: int) -> int | tuple[int, ...]:
    return _subc(mods, a, b) if "cc" in mods else _packed(lambda x, y: x - y)(mods, a, b)


def _bit_by_bit(table: str) -> Callable[..., int]:
    """A function of two bits: the results for 00, 01, 10 and 11."""

    def compute_bits(mods: list[str], a: int, b: int) -> int:
        pairs = zip(_bits(a, _width(mods)), _bits(b, _width(mods)), strict=True)
        return _number([int(table[2 * x + y]) for x, y in pairs])

    return compute_bits


def _not(mods: list[str], a: int) -> int:
    return (1 << _width(mods)) - 1 - a


def _shl(mods: list[str], a: int, b: int) -> int:
    """Zeros come in below, as many as there is room for."""
    width = _width(mods)
    return _number(([0] * min(b, width) + _bits(a, width))[:width])


def _shr(mods: list[str], a: int, b: int) -> int:
    """Copies of the sign, or zeros, come in above; an amount above the width takes no more."""
    width = _width(mods)
    filling = a >> (width - 1) if mods[-1][0] == "s" else 0
    return _number((_bits(a, width) + [filling] * width)[min(b, width) :][:width])


_FUNCTIONS: dict[str, Callable[..., int | tuple[int, ...]]] = {
    "prmt": _prmt,
    "lop3": _lop3,
    "bfe": _bfe,
    "bfi": _bfi,
    "shf": _shf,
    "szext": _szext,
    "bmsk": _bmsk,
    "brev": _brev,
    "clz": _clz,
    "popc": _popc,
    "bfind": _bfind,
    "fns": _fns,
    "dp4a": _dp4a,
    "dp2a": _dp2a,
    "sad": _sad,
    "add": _add,
    "sub": _sub,
    "min": _packed(lambda x, y: x if x < y else y),
    "max": _packed(lambda x, y: y if x < y else x),
    "neg": _packed(lambda x, _: -x),
    "addc": _addc,
    "subc": _subc,
    "mad": lambda mods, *values: (_madc if "cc" in mods else _mad)(mods, *values),
    "madc": _madc,
    "cvt": _cvt,
    "mov": lambda _, a: a,
    "and": _bit_by_bit("0001"),
    "or": _bit_by_bit("0111"),
    "xor": _bit_by_bit("0110"),
    "not": _not,
    "shl": _shl,
    "shr": _shr,
    "mul": _mul,
    "mul24": _mul24,
    "mad24": _mad24,
    "div": lambda mods, a, b: _divide(mods, a, b)[0],
    "rem": lambda mods, a, b: _divide(mods, a, b)[1],
    "abs": _abs,
    "cnot": lambda _, a: int(a == 0),
}
OPCODES = tuple(_FUNCTIONS)


def compute(mnemonic: str, *operands: int, ptxas: bool = False) -> tuple[int, ...]:
    """The results of a mnemonic on operands in written order."""
    opcode, *mods = mnemonic.split(".")
    options = {}
    if ptxas and opcode in ("bfe", "bfi") and mods[-1].endswith("64"):
        options["cut"] = False
    if ptxas and opcode == "fns":
        options["overflows"] = True
    found = _FUNCTIONS[opcode](mods, *operands, **options)
    return found if isinstance(found, tuple) else (found,)


def compute_line(line: str, values: dict[str, int], model: str) -> dict[str, int]:
    """The results of a line by the names of its destinations; a sink `_` is left out."""
    mnemonic, _, rest = line.strip().removesuffix(";").partition(" ")
    targets, *sources = (x.strip() for x in rest.split(","))
    operands = [_read(x, values) for x in sources]
    if mnemonic.startswith(("addc", "subc", "madc")):
        operands.append(values.get("CC.CF", 0))
    if ".cc" in mnemonic:
        targets += "|CC.CF"
    found = compute(mnemonic, *operands, ptxas=model != "isa")
    if mnemonic == "bfe.s32" and model == "ptxas-13.0" and _is_folded(sources):
        found = (2**32 - 1,)
    return {
        x.strip(): y for x, y in zip(targets.split("|"), found, strict=True) if x.strip() != "_"
    }


def _is_folded(sources: list[str]) -> bool:
    """Whether ptxas folds `bfe.s32` wrongly (E15): a register, and literals above the top."""
    a, *field = sources
    is_literal = all(x[0].isdecimal() for x in field)
    return not a[0].isdecimal() and is_literal and int(field[0], 0) > 31 and int(field[1], 0) > 0


def _read(text: str, values: dict[str, int]) -> int:
    if text[0].isdecimal():
        return int(text, 0)
    return 1 - values[text[1:].strip()] % 2 if text[0] == "!" else values[text]
