"""A second formulation of what the instructions compute, to hold against the engine.

Written from the specification alone (docs/semantics.md): exact Python integers, plain `if`
arithmetic, nothing of ptxscope. It takes legal lines with register operands, with a guard or
without; it does not judge whether a line is legal.
"""

import struct
from dataclasses import dataclass

from tests import reference_halves, reference_integers

TYPES = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64".split()
COMPARISONS = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan".split()
WORDS = "and or xor ftz sat add min max clamp wrap po shr7 shr15".split()
SCALAR = "vadd vsub vabsdiff vmin vmax vshl vshr vset".split()
LANEWISE = "vadd vsub vavrg vabsdiff vmin vmax vset".split()
MODELS = "isa ptxas-13.0 ptxas-13.5".split()


# The line


@dataclass(frozen=True)
class Operand:
    """`name`, `name.selector`, and whether a `-` or `!` stood before it."""

    name: str
    selector: str
    negated: bool


@dataclass(frozen=True)
class Line:
    """An instruction taken apart; `words` are all modifiers but types and comparison."""

    op: str
    types: list[str]
    comparison: str
    words: set[str]
    targets: list[Operand]
    sources: list[Operand]


def parse_operand(text: str) -> Operand:
    """Read one operand, such as `-a.h0`, `d.b310`, `!c`."""
    text = text.strip()
    name, _, selector = text.lstrip("-!").strip().partition(".")
    return Operand(name.strip(), selector, text[0] in "-!")


def parse(text: str) -> Line:
    """Read one line; types keep their order among themselves, other modifiers have none."""
    head, _, tail = text.strip().removesuffix(";").partition(" ")
    op, *modifiers = head.split(".")
    types, comparison, words = [], "", set()
    for word in modifiers:
        if word in TYPES:
            types.append(word)
        elif word in COMPARISONS:
            comparison = word
        elif word in WORDS:
            words.add(word)
        else:
            raise ValueError(f"no such modifier: .{word}")
    target, *sources = tail.split(",")
    targets = [parse_operand(part) for part in target.split("|")]
    return Line(op, types, comparison, words, targets, [parse_operand(part) for part in sources])


# Numbers


def two_to(exponent: int) -> int:
    """2 to a power that is not negative."""
    return 1 << exponent


def unsigned(value: int, width: int) -> int:
    """Read the low `width` bits as unsigned."""
    return value % two_to(width)


def signed(value: int, width: int) -> int:
    """Read the low `width` bits as signed."""
    low = value % two_to(width)
    return low - two_to(width) if low >= two_to(width - 1) else low


def extend(value: int, width: int, kind: str) -> int:
    """Read the low `width` bits as signed for a type `.s…`, else as unsigned."""
    return signed(value, width) if kind.startswith("s") else unsigned(value, width)


def clamp(value: int, width: int, kind: str) -> int:
    """`.sat`: the nearest number of `width` bits, signed for a type `.s…`."""
    if kind.startswith("s"):
        return min(max(value, -(two_to(width - 1))), two_to(width - 1) - 1)
    return min(max(value, 0), two_to(width) - 1)


def as_float(value: int, width: int, ftz: bool) -> float:
    """Read a bit pattern as f32 or f64; `.ftz` makes f32 subnormals zero, keeping the sign."""
    if width == 64:
        number: float = struct.unpack("<d", struct.pack("<Q", value % 2**64))[0]
        return number
    number = struct.unpack("<f", struct.pack("<I", value % 2**32))[0]
    if ftz and abs(number) < 2.0**-126:
        number = number * 0.0
    return number


def compare(comparison: str, x: float, y: float) -> bool:
    """Compare ordered numbers (integers stay exact: they are never turned into floats)."""
    if comparison in ("eq", "ne"):
        return (x == y) == (comparison == "eq")
    if comparison in ("lt", "lo"):
        return x < y
    if comparison in ("le", "ls"):
        return x <= y
    if comparison in ("gt", "hi"):
        return x > y
    if comparison in ("ge", "hs"):
        return x >= y
    raise ValueError(f"no such comparison: {comparison}")


def compare_floats(comparison: str, x: float, y: float) -> bool:
    """With a NaN only `nan` and the unordered six (`equ` … `geu`) are true."""
    either_is_nan = x != x or y != y
    if comparison == "num":
        return not either_is_nan
    if comparison == "nan":
        return either_is_nan
    if either_is_nan:
        return comparison.endswith("u")
    return compare(comparison.removesuffix("u"), x, y)


# Comparison and selection


def compare_operands(line: Line, a: int, b: int) -> bool:
    """`set`, `setp`: t = a CMP b, by the source type, the last one of the name."""
    kind = line.types[-1]
    width = int(kind[1:])
    if kind.startswith("f"):
        ftz = "ftz" in line.words
        return compare_floats(line.comparison, as_float(a, width, ftz), as_float(b, width, ftz))
    return compare(line.comparison, extend(a, width, kind), extend(b, width, kind))


def combine(line: Line, t: bool, c: bool) -> bool:
    """BoolOp(t, c); t alone where the name has no BoolOp."""
    if "and" in line.words:
        return t and c
    if "or" in line.words:
        return t or c
    if "xor" in line.words:
        return t != c
    return t


def do_slct(line: Line, a: int, b: int, c: int) -> int:
    """c >= 0 takes a, else b; false for a NaN, true for -0."""
    if line.types[1] == "f32":
        take_a = as_float(c, 32, "ftz" in line.words) >= 0.0
    else:
        take_a = signed(c, 32) >= 0
    return unsigned(a if take_a else b, int(line.types[0][1:]))


# Scalar video


def part_of_word(selector: str) -> tuple[int, int]:
    """Width and position of what a scalar selector names: byte, half-word, or the whole word."""
    if selector == "":
        return 32, 0
    return (8 if selector[0] == "b" else 16), int(selector[1])


def select(value: int, width: int, position: int, kind: str) -> int:
    """Take a byte, half-word or word out of a value and extend it."""
    return extend(value // two_to(width * position), width, kind)


def operate(line: Line, op: str, x: int, y: int) -> int:
    """The primary operation on exact integers, of scalars and lanes alike."""
    if op == "vadd":
        return x + y
    if op == "vsub":
        return x - y
    if op == "vabsdiff":
        return abs(x - y)
    if op == "vmin":
        return min(x, y)
    if op == "vmax":
        return max(x, y)
    if op == "vavrg":
        return (x + y + 1) // 2 if x + y >= 0 else (x + y) // 2
    if op == "vset":
        return 1 if compare(line.comparison, x, y) else 0
    amount = y % 32 if "wrap" in line.words else min(y, 32)
    if op == "vshl":
        return x * two_to(amount)
    if op == "vshr":
        return x // two_to(amount)
    raise ValueError(f"no such operation: {op}")


def saturate_ptxas(op: str, t: int, lane: int, kind: str) -> int:
    """Scalar `.sat` as ptxas has it; `lane` is 8 or 16 with a selector on d, else 32."""
    if op == "vshl":
        t = signed(t, 34)  # E5
    if lane == 32:
        if op in ("vadd", "vsub", "vabsdiff") and kind == "u32":
            return max(t, 0)  # E2: it wraps when d is written, behind the secondary operation
        return clamp(t, 32, kind)
    if op in ("vshl", "vshr"):
        return clamp(t, 32, kind)  # E4: the merge cuts it to the lane
    if op in ("vadd", "vsub", "vmin", "vmax"):
        largest = clamp(2**32, lane, kind)
        return largest if t < 0 else min(t, largest)  # E3
    return clamp(t, lane, kind)


def secondary_isa(line: Line, t: int, c: int, kind: str) -> int:
    """`.add`, `.min`, `.max` with c, on exact integers."""
    if "add" in line.words:
        return t + extend(c, 32, kind)
    if "min" in line.words:
        return min(t, extend(c, 32, kind))
    if "max" in line.words:
        return max(t, extend(c, 32, kind))
    return t


def secondary_ptxas(line: Line, t: int, c: int, kind: str) -> int:
    """The same in the 64-bit registers of ptxas: signed for `.s32`, unsigned for `.u32`."""
    if line.op in ("vadd", "vsub"):
        t = signed(t, 32)  # E6
    if line.op in ("vshl", "vshr") and "sat" in line.words:
        t = signed(t, 32)  # E8; an s32 has this value already
    return secondary_isa(line, extend(t, 64, kind), c, kind)  # E7, E13


def merge(t: int, c: int, width: int, position: int) -> int:
    """The low bits of t go to their place, all other bits come from c."""
    place = two_to(width * position)
    return unsigned(c, 32) - select(c, width, position, "u") * place + unsigned(t, width) * place


def do_scalar(line: Line, a: int, b: int, c: int, model: str) -> int:
    """`vadd vsub vabsdiff vmin vmax vshl vshr vset`."""
    selector = line.targets[0].selector
    lane, position = part_of_word(selector)
    *dtype, atype, btype = line.types
    x = select(a, *part_of_word(line.sources[0].selector), atype)
    y = select(b, *part_of_word(line.sources[1].selector), btype)
    t = operate(line, line.op, x, y)
    if model == "isa":
        kind = dtype[0] if dtype else "u32"  # vset has no dtype: c is unsigned
        if "sat" in line.words:
            t = clamp(t, lane, kind)
        t = secondary_isa(line, t, c, kind)
    else:
        kind = line.types[0]  # E9: vset takes its atype for the dtype
        if "sat" in line.words:
            t = saturate_ptxas(line.op, t, lane, kind)
        t = secondary_ptxas(line, t, c, kind)
    if model == "ptxas-13.0" and selector == "h1":
        t = t // 2**16  # E1
    return merge(t, c, lane, position)


def do_vmad(line: Line, a: int, b: int, c: int, model: str) -> int:
    """`vmad`; without `.sat` and `.shr…` both answers are the low 32 bits of the same sum."""
    _, atype, btype = line.types
    minus_a, minus_b, minus_c = [source.negated for source in line.sources]
    minus_product = minus_a != minus_b
    signed_final = atype == "s32" or btype == "s32" or minus_product or minus_c
    x = select(a, *part_of_word(line.sources[0].selector), atype)
    y = select(b, *part_of_word(line.sources[1].selector), btype)
    if model != "isa":
        x, y = signed(x, 32), signed(y, 32)  # E10
    t = x * y
    if minus_product:
        t = -t
    addend = -1 - c if minus_c else c  # ~c
    t = t + extend(addend, 32, "s32" if signed_final or model != "isa" else "u32")  # E11
    if "po" in line.words or minus_c:
        t = t + 1
    final = "s64" if signed_final else "u64"
    if model != "isa":
        t = extend(t, 64, final)  # E12
    if "shr7" in line.words:
        t = t // 2**7
    if "shr15" in line.words:
        t = t // 2**15
    if "sat" in line.words:
        if model != "isa" and not signed_final and t >= 2**63:
            t = 0  # E12
        t = clamp(t, 32, final)
    return unsigned(t, 32)


# Dual and quad video


def do_lanes(line: Line, a: int, b: int, c: int) -> int:
    """The 14 SIMD instructions; both answers are the same."""
    count = int(line.op[-1])
    width = 32 // count
    *dtype, atype, btype = line.types
    mask, pick_a, pick_b = ("10", "10", "32") if count == 2 else ("3210", "3210", "7654")
    mask = line.targets[0].selector[1:] or mask
    pick_a = line.sources[0].selector[1:] or pick_a
    pick_b = line.sources[1].selector[1:] or pick_b
    pair = unsigned(b, 32) * 2**32 + unsigned(a, 32)
    result = total = c
    for lane in range(count):
        x = select(pair, width, int(pick_a[-1 - lane]), atype)
        y = select(pair, width, int(pick_b[-1 - lane]), btype)
        t = operate(line, line.op[:-1], x, y)
        if "sat" in line.words:
            t = clamp(t, width, dtype[0])
        if str(lane) in mask:
            result = merge(t, result, width, lane)
            total = total + t
    return unsigned(total if "add" in line.words else result, 32)


# All of them


def forbidden(text: str, old: int, model: str) -> int:
    """What is in a destination register behind an instruction whose guard was false."""
    if model == "isa" or not text.startswith("set."):
        return old
    if "f16" in text.partition(" ")[0]:
        return reference_halves.convert_old_value(text.partition(" ")[0], old)
    types = parse(text).types
    width = 16 if types[1].endswith("16") else 32
    if types[0] == "f32":  # E14
        number = signed(old, width)
        if number > -(two_to(width - 1)):
            number = abs(number)
        packed: int = struct.unpack("<I", struct.pack("<f", number))[0]
        return packed
    return unsigned(signed(old, width), 32)  # E14; 32 bits are what they were


def reference(line: str, values: dict[str, int], model: str) -> dict[str, int]:
    """The bits behind the instruction in each destination register, from the bits before it.

    `model` is `isa`, `ptxas-13.0` or `ptxas-13.5`. Predicates are 0 or 1; a sink `_` is left out.
    """
    if model not in MODELS:
        raise ValueError(f"no such model: {model}")
    if line.startswith("@"):
        guard, _, line = line.removeprefix("@").partition(" ")
        found = reference(line, values, model)
        if bool(values[guard.removeprefix("!")] % 2) == guard.startswith("!"):
            found = {name: forbidden(line, values[name], model) for name in found}
        return found
    if "f16" in line.partition(" ")[0]:
        return reference_halves.compute_line(line, values)
    if line.partition(".")[0] in reference_integers.OPCODES:
        return reference_integers.compute_line(line, values, model)
    parsed = parse(line)
    a, b, *third = [values[source.name] for source in parsed.sources]
    c = third[0] if third else 0
    c_true = bool(c % 2) != parsed.sources[-1].negated  # where c is a predicate
    if parsed.op == "setp":
        t = compare_operands(parsed, a, b)
        outcomes = [combine(parsed, t, c_true), combine(parsed, not t, c_true)]
        written = list(zip(parsed.targets, outcomes, strict=False))
        # the second first, so that p wins in p|p
        return {target.name: int(won) for target, won in reversed(written) if target.name != "_"}
    if parsed.op == "set":
        true_bits = 0x3F800000 if parsed.types[0] == "f32" else 0xFFFFFFFF
        d = true_bits if combine(parsed, compare_operands(parsed, a, b), c_true) else 0
    elif parsed.op == "selp":
        d = unsigned(a if c_true else b, int(parsed.types[0][1:]))
    elif parsed.op == "slct":
        d = do_slct(parsed, a, b, c)
    elif parsed.op == "vmad":
        d = do_vmad(parsed, a, b, c, model)
    elif parsed.op in SCALAR:
        d = do_scalar(parsed, a, b, c, model)
    elif parsed.op[-1] in "24" and parsed.op[:-1] in LANEWISE:
        d = do_lanes(parsed, a, b, c)
    else:
        raise ValueError(f"no such instruction: {parsed.op}")
    return {parsed.targets[0].name: d}
