"""A second formulation of all 27 instructions, to compare with the engine.

Written from SEMANTICS.md alone, on plain Python integers and floats, and importing nothing of the
project: where the two agree, they agree for different reasons. "Step 4" and "E7" in comments are
the steps of its section 1 and the errata of its section 3. Only legal forms are expected.
"""

import math
import struct
from dataclasses import dataclass

MODELS = ("isa", "ptxas-13.0", "ptxas-13.5")
TYPES = ("b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64").split()
BOOLS = ("and", "or", "xor")
SCALAR = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset")
SIMD = ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset")
SMALLEST_NORMAL = 2.0**-126  # of f32


@dataclass(frozen=True)
class Operand:
    """One operand: its bits, the selector behind its name ("" if none), and a `-` or `!`."""

    bits: int
    selector: str
    negated: bool


@dataclass(frozen=True)
class Line:
    """An instruction split up, with the bits of its source operands filled in."""

    opcode: str
    modifiers: list[str]
    types: list[str]
    destinations: list[str]
    mask: str
    sources: list[Operand]

    def one_of(self, *names: str) -> str:
        """Return the first modifier that is one of these names, or ""."""
        return next((modifier for modifier in self.modifiers if modifier in names), "")


def reference(line: str, values: dict[str, int], model: str) -> dict[str, int]:
    """Execute one line on register values, all of them unsigned bits; see MODELS."""
    if model not in MODELS:
        raise ValueError(f"no model {model!r}")
    ins = parse(line, values)
    if ins.opcode == "setp":
        return run_setp(ins)
    if ins.opcode == "set":
        result = run_set(ins)
    elif ins.opcode == "selp":
        result = ins.sources[0].bits if predicate(ins.sources[2]) else ins.sources[1].bits
    elif ins.opcode == "slct":
        result = run_slct(ins)
    elif ins.opcode == "vmad":
        result = run_vmad(ins, model)
    elif ins.opcode in SCALAR:
        result = run_scalar(ins, model)
    elif ins.opcode[:-1] in SIMD and ins.opcode[-1] in "24":
        result = run_simd(ins)
    else:
        raise ValueError(f"no instruction {ins.opcode!r}")
    return {ins.destinations[0]: result}


# ---------------------------------------------------------------- reading a line


def parse(line: str, values: dict[str, int]) -> Line:
    """Split at the first blank, then at `.`, `,` and `|`; operands go by position."""
    head, tail = line.strip().rstrip(";").split(None, 1)
    opcode, *modifiers = head.split(".")
    first, *rest = tail.split(",")
    names, _, mask = first.strip().partition(".")
    return Line(
        opcode,
        modifiers,
        [modifier for modifier in modifiers if modifier in TYPES],
        [name.strip() for name in names.split("|")],
        mask,
        [parse_source(text.strip(), values) for text in rest],
    )


def parse_source(text: str, values: dict[str, int]) -> Operand:
    """Read one source operand, such as `a`, `-a.h0`, `b.b7654` or `!c`."""
    name, _, selector = text.lstrip("-! ").partition(".")
    return Operand(values[name.strip()], selector, text[0] in "-!")


# ---------------------------------------------------------------- numbers


def signed(value: int, bits: int) -> int:
    """Read the low bits as a two's complement number."""
    value = value % 2**bits
    return value - 2**bits if value >= 2 ** (bits - 1) else value


def extend(value: int, bits: int, kind: str) -> int:
    """Read the low bits as signed if the type is one of .s16 .s32 .s64, else as unsigned."""
    return signed(value, bits) if kind[0] == "s" else value % 2**bits


def highest(bits: int, kind: str) -> int:
    """Return the largest number of this width and signedness."""
    return 2 ** (bits - 1) - 1 if kind[0] == "s" else 2**bits - 1


def clamp(value: int, bits: int, kind: str) -> int:
    """Bring a number into the range of this width and signedness."""
    lowest = -(2 ** (bits - 1)) if kind[0] == "s" else 0
    return max(lowest, min(value, highest(bits, kind)))


def relation(name: str, x: float, y: float) -> bool:
    """Compare two numbers, mathematically."""
    if name == "eq":
        return x == y
    if name == "ne":
        return x != y
    if name in ("lt", "lo"):
        return x < y
    if name in ("le", "ls"):
        return x <= y
    if name in ("gt", "hi"):
        return x > y
    if name in ("ge", "hs"):
        return x >= y
    raise ValueError(f"no comparison {name!r}")


def select(operand: Operand, kind: str) -> int:
    """Scalar video, steps 1 and 2: the chosen byte, half-word or word, extended by its type."""
    if not operand.selector:
        return extend(operand.bits, 32, kind)
    width = 8 if operand.selector[0] == "b" else 16
    index = int(operand.selector[1])
    return extend(operand.bits // 2 ** (width * index), width, kind)


# ---------------------------------------------------------------- scalar video


def run_scalar(ins: Line, model: str) -> int:
    """`vadd vsub vabsdiff vmin vmax vshl vshr vset`."""
    dtype, atype, btype = ins.types if ins.opcode != "vset" else ["u32", *ins.types]
    c = ins.sources[3 - 1].bits if len(ins.sources) == 3 else 0
    secondary = ins.one_of("add", "min", "max")
    lane = {"": 32, "b": 8, "h": 16}[ins.mask[:1]]

    t = operate(ins, select(ins.sources[0], atype), select(ins.sources[1], btype))
    if model == "isa":
        if "sat" in ins.modifiers:  # step 4
            t = clamp(t, lane, dtype)
        if secondary:  # step 5
            t = combine(secondary, t, extend(c, 32, dtype))
    else:
        if "sat" in ins.modifiers:
            t = saturate_ptxas(ins.opcode, t, lane, dtype)
        if secondary:
            t = combine_ptxas(ins, secondary, t, c, dtype, atype)
    if not ins.mask:  # step 7
        return t % 2**32

    if ins.mask == "h1" and model == "ptxas-13.0":  # E1
        t = t // 2**16
    position = 2 ** (lane * int(ins.mask[1]))  # step 6
    old = c // position % 2**lane
    return c + (t % 2**lane - old) * position


def operate(ins: Line, a: int, b: int) -> int:
    """Step 3, exactly."""
    if ins.opcode in ("vshl", "vshr"):
        b = min(b, 32) if "clamp" in ins.modifiers else b % 32
        return a * 2**b if ins.opcode == "vshl" else a // 2**b
    if ins.opcode == "vset":
        return 1 if relation(ins.one_of("eq", "ne", "lt", "le", "gt", "ge"), a, b) else 0
    return arithmetic(ins.opcode, a, b)


def arithmetic(opcode: str, a: int, b: int) -> int:
    """Return the result of what the scalar and the SIMD instructions have in common."""
    if opcode == "vadd":
        return a + b
    if opcode == "vsub":
        return a - b
    if opcode == "vabsdiff":
        return abs(a - b)
    return min(a, b) if opcode == "vmin" else max(a, b)


def combine(secondary: str, t: int, c: int) -> int:
    """Step 5, exactly."""
    if secondary == "add":
        return t + c
    return min(t, c) if secondary == "min" else max(t, c)


def saturate_ptxas(opcode: str, t: int, lane: int, dtype: str) -> int:
    """Step 4 as ptxas has it; for the shifts the merge cuts to the lane."""
    if opcode == "vshl":
        t = signed(t, 34)  # E5
    if opcode in ("vshl", "vshr"):
        return clamp(t, 32, dtype)  # E4
    if lane == 32:
        if dtype == "u32" and opcode in ("vadd", "vsub", "vabsdiff"):
            return max(t, 0) % 2**32  # E2
        return clamp(t, 32, dtype)
    if opcode == "vabsdiff":
        return clamp(t, lane, dtype)
    return highest(lane, dtype) if t < 0 else min(t, highest(lane, dtype))  # E3


def combine_ptxas(ins: Line, secondary: str, t: int, c: int, dtype: str, atype: str) -> int:
    """Step 5 as ptxas has it: the numbers compared are 64 bits wide."""
    shift = ins.opcode in ("vshl", "vshr")
    if ins.opcode == "vset":
        return combine(secondary, t, extend(c, 32, atype))  # E9
    if ins.opcode in ("vadd", "vsub"):
        t = signed(t, 32)  # E6
    if shift and "sat" in ins.modifiers and dtype == "u32":
        t = signed(t, 32)  # E8
    # dtype u32: E6, E7 and E8, a negative t counts as very large; dtype s32: E13
    return combine(secondary, extend(t, 64, dtype), extend(c, 32, dtype))


def run_vmad(ins: Line, model: str) -> int:
    """`vmad`; dtype, the first type, plays no part."""
    _, atype, btype = ins.types
    a, b, c = ins.sources
    one_negated = a.negated != b.negated
    signed_final = "s32" in (atype, btype) or one_negated or c.negated
    final = "s32" if signed_final else "u32"
    shift = int(ins.one_of("shr7", "shr15").removeprefix("shr") or "0")
    saturate = "sat" in ins.modifiers
    emulated = model != "isa" and (saturate or shift > 0)

    x, y = select(a, atype), select(b, btype)
    if emulated:
        x, y = signed(x, 32), signed(y, 32)  # E10
    t = x * y
    if "po" in ins.modifiers:
        t = t + 1
    if one_negated:
        t = -t  # ~t, and 1 added
    addend = ~c.bits if c.negated else c.bits
    t = t + extend(addend, 32, "s32" if emulated else final)  # E11
    if c.negated:
        t = t + 1
    if emulated:
        t = extend(t, 64, final)  # E12: before the shift; bit 63 alone decides what follows
        below = signed(t, 64) < 0 and not signed_final and shift == 0
        t = 0 if saturate and below else t
    t = extend(t // 2**shift, 64, final)
    if saturate:
        t = clamp(t, 32, final)
    return t % 2**32


# ---------------------------------------------------------------- SIMD video


def run_simd(ins: Line) -> int:
    """The dual and the quad instructions; both answers are equal."""
    opcode, count = ins.opcode[:-1], int(ins.opcode[-1])
    bits = 32 // count
    dtype, atype, btype = ins.types if opcode != "vset" else ["u32", *ins.types]
    a, b, c = ins.sources
    pool = lanes(a.bits, count) + lanes(b.bits, count)
    default_a, default_b, everything = (
        ("10", "32", "10") if count == 2 else ("3210", "7654", "3210")
    )
    # step 1: the rightmost digit is lane 0
    picks_a = [pool[int(digit)] for digit in reversed(a.selector[1:] or default_a)]
    picks_b = [pool[int(digit)] for digit in reversed(b.selector[1:] or default_b)]
    mask = [int(digit) for digit in ins.mask[1:] or everything]

    old = lanes(c.bits, count)
    new = list(old)
    total = extend(c.bits, 32, "u32")
    for lane in mask:
        x, y = extend(picks_a[lane], bits, atype), extend(picks_b[lane], bits, btype)  # step 2
        if opcode == "vset":  # step 3
            t = 1 if relation(ins.one_of("eq", "ne", "lt", "le", "gt", "ge"), x, y) else 0
        elif opcode == "vavrg":
            t = (x + y + 1) // 2 if x + y >= 0 else (x + y) // 2
        else:
            t = arithmetic(opcode, x, y)
        if "sat" in ins.modifiers:  # step 4
            t = clamp(t, bits, dtype)
        new[lane] = t % 2**bits  # step 5
        total = total + t
    if "add" in ins.modifiers:
        return total % 2**32
    return sum(value * 2 ** (bits * lane) for lane, value in enumerate(new))


def lanes(word: int, count: int) -> list[int]:
    """Cut a word into lanes, the least significant first."""
    bits = 32 // count
    return [word // 2 ** (bits * lane) % 2**bits for lane in range(count)]


# ---------------------------------------------------------------- comparison and selection


def predicate(operand: Operand) -> bool:
    """Read `c` or `!c`."""
    return (operand.bits != 0) != operand.negated


def number(bits: int, kind: str, ftz: bool) -> float:
    """Read bits as a number of this type; `.bN` counts as unsigned."""
    if kind == "f64":
        (double,) = struct.unpack("<d", struct.pack("<Q", bits))
        return float(double)
    if kind == "f32":
        (single,) = struct.unpack("<f", struct.pack("<I", bits))
        return math.copysign(0.0, single) if ftz and abs(single) < SMALLEST_NORMAL else single
    return extend(bits, int(kind[1:]), kind)


def compare(ins: Line) -> bool:
    """t of `set` and `setp`, before the BoolOp."""
    kind = ins.types[-1]
    x, y = (number(source.bits, kind, "ftz" in ins.modifiers) for source in ins.sources[:2])
    name = ins.one_of(*"eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan".split())
    if kind[0] != "f":
        return relation(name, x, y)
    unordered = math.isnan(x) or math.isnan(y)
    if name in ("num", "nan"):
        return unordered == (name == "nan")
    if unordered:
        return name.endswith("u")
    return relation(name.removesuffix("u"), x, y)


def boolean(ins: Line, t: bool) -> bool:
    """BoolOp(t, c), or t where there is none."""
    name = ins.one_of(*BOOLS)
    if not name:
        return t
    c = predicate(ins.sources[2])
    if name == "and":
        return t and c
    return t or c if name == "or" else t != c


def run_set(ins: Line) -> int:
    """`set`: all ones, or 1.0 for a dtype of .f32, or 0."""
    if not boolean(ins, compare(ins)):
        return 0
    return 0x3F800000 if ins.types[0] == "f32" else 0xFFFFFFFF


def run_setp(ins: Line) -> dict[str, int]:
    """`setp`: p from t, q from its opposite; p is written last, and wins where p is q."""
    t = compare(ins)
    results: dict[str, int] = {}
    if len(ins.destinations) == 2:
        results[ins.destinations[1]] = int(boolean(ins, not t))
    results[ins.destinations[0]] = int(boolean(ins, t))
    results.pop("_", None)
    return results


def run_slct(ins: Line) -> int:
    """`slct`: a if c >= 0, else b; a NaN is not."""
    a, b, c = ins.sources
    return a.bits if number(c.bits, ins.types[1], "ftz" in ins.modifiers) >= 0 else b.bits
