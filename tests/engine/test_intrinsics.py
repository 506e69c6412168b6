"""CUDA's intrinsics: read as PTX, and found in C sources.

The expected values are computed here from CUDA's documentation (CUDA Math API, "Integer
Intrinsics" and "SIMD Intrinsics"; CUDA C++ Programming Guide, "DPX"), with plain integers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

import pytest

from ptxscope.blocks.block_parser import parse_block, trace_block
from ptxscope.engine.isa.intrinsics import map_intrinsics
from ptxscope.engine.syntax.asm_bindings import parse_pasted
from ptxscope.engine.syntax.errors import NotOneError, PtxError
from ptxscope.engine.syntax.parser import parse, parse_all
from ptxscope.engine.tracing.evaluation import evaluate
from ptxscope.sources.source_programs import load
from tests.driving.block_idioms import join, lanes, signed
from tests.reference_data import DATA, read_lines
from tests.tiers import whole

WORD = 0xFFFFFFFF
BITING = (0, 1, 0x80808080, 0x7F7F7F7F, 0x80008000, 0x7FFF7FFF, WORD, 0x80000000, 0x00FF8001)


def byte(x: int, index: int) -> int:
    return x >> 8 * index & 0xFF


def byte_perm(x: int, y: int, s: int) -> int:
    return sum(byte(y << 32 | x, s >> 4 * i & 7) << 8 * i for i in range(4))


def dot(x: list[int], y: list[int], c: int) -> int:
    return c + sum(i * j for i, j in zip(x, y, strict=True))


def signed_parts(x: int, width: int, count: int, first: int = 0) -> list[int]:
    return [signed(x >> width * i, width) for i in range(first, first + count)]


def funnel(low: int, high: int, n: int, left: bool) -> int:
    pair = high << 32 | low
    return pair << n >> 32 if left else pair >> n


def nth_set(mask: int, base: int, offset: int) -> int:
    base, offset = base & 31, signed(offset)
    step = 1 if offset >= 0 else -1
    left, place = abs(offset) or 1, base
    while 0 <= place <= 31:
        left -= mask >> place & 1
        if not left:
            return place
        if offset == 0:
            break
        place += step
    return -1


def first_one(x: int) -> int:
    return (x & -x).bit_length()


WORDS: dict[str, Callable[..., int]] = {
    "byte_perm": byte_perm,
    "dp4a": lambda a, b, c: dot(signed_parts(a, 8, 4), signed_parts(b, 8, 4), c),
    "dp2a_lo": lambda a, b, c: dot(signed_parts(a, 16, 2), signed_parts(b, 8, 2), c),
    "dp2a_hi": lambda a, b, c: dot(signed_parts(a, 16, 2), signed_parts(b, 8, 2, 2), c),
    "funnelshift_l": lambda lo, hi, n: funnel(lo, hi, n & 31, True),
    "funnelshift_lc": lambda lo, hi, n: funnel(lo, hi, min(n, 32), True),
    "funnelshift_r": lambda lo, hi, n: funnel(lo, hi, n & 31, False),
    "funnelshift_rc": lambda lo, hi, n: funnel(lo, hi, min(n, 32), False),
    "brev": lambda x: int(f"{x:032b}"[::-1], 2),
    "brevll": lambda x: int(f"{x:064b}"[::-1], 2),
    "clz": lambda x: 32 - x.bit_length(),
    "clzll": lambda x: 64 - x.bit_length(),
    "popc": int.bit_count,
    "popcll": int.bit_count,
    "ffs": first_one,
    "ffsll": first_one,
    "fns": nth_set,
    "sad": lambda x, y, z: abs(signed(x) - signed(y)) + z,
    "usad": lambda x, y, z: abs(x - y) + z,
    "mulhi": lambda x, y: signed(x) * signed(y) >> 32,
    "umulhi": lambda x, y: x * y >> 32,
    "mul64hi": lambda x, y: signed(x, 64) * signed(y, 64) >> 64,
    "umul64hi": lambda x, y: x * y >> 64,
    "mul24": lambda x, y: signed(x & 0xFFFFFF, 24) * signed(y & 0xFFFFFF, 24),
    "umul24": lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF),
}


Lanewise = Callable[[int, int], int]


def _away(total: int) -> int:
    """Half of it, halves away from zero."""
    return (abs(total) + 1) // 2 * (1 if total >= 0 else -1)


# The CUDA Math API's SIMD intrinsics: for numbers x and y of a lane, read as signed or not.
UNSIGNED: dict[str, Lanewise] = {
    "vadd": lambda x, y: x + y,
    "vsub": lambda x, y: x - y,
    "vavgu": lambda x, y: (x + y + 1) // 2,
    "vhaddu": lambda x, y: (x + y) // 2,
    "vabsdiffu": lambda x, y: abs(x - y),
    "vmaxu": max,
    "vminu": min,
}
SIGNED: dict[str, Lanewise] = {
    "vabs": lambda x, _: abs(x),
    "vneg": lambda x, _: -x,
    "vavgs": lambda x, y: _away(x + y),
    "vabsdiffs": lambda x, y: abs(x - y),
    "vmaxs": max,
    "vmins": min,
}
CLAMPED: dict[str, Lanewise] = {
    "vaddss": lambda x, y: x + y,
    "vsubss": lambda x, y: x - y,
    "vabsss": lambda x, _: abs(x),
    "vnegss": lambda x, _: -x,
}
COMPARISONS: dict[str, Lanewise] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "ge": lambda x, y: x >= y,
    "gt": lambda x, y: x > y,
    "le": lambda x, y: x <= y,
    "lt": lambda x, y: x < y,
}


def documented(name: str, a: int, b: int) -> int:
    """What the CUDA Math API says an intrinsic (``vadd4``) gives."""
    base, width = name[:-1], 32 // int(name[-1])
    unsigned = list(zip(lanes(a, width), lanes(b, width), strict=True))
    both = [(signed(x, width), signed(y, width)) for x, y in unsigned]
    low, high = -(2 ** (width - 1)), 2 ** (width - 1) - 1
    if base in ("vsads", "vsadu"):
        return sum(abs(x - y) for x, y in (both if base == "vsads" else unsigned))
    if base in ("vaddus", "vsubus"):
        sign = 1 if base == "vaddus" else -1
        values = [sorted((0, x + sign * y, 2**width - 1))[1] for x, y in unsigned]
    elif base in UNSIGNED:
        values = [UNSIGNED[base](x, y) for x, y in unsigned]
    elif base in SIGNED:
        values = [SIGNED[base](x, y) for x, y in both]
    elif base in CLAMPED:
        values = [sorted((low, CLAMPED[base](x, y), high))[1] for x, y in both]
    else:
        kind, compare = base[:4], COMPARISONS[base[4:6]]
        pairs = both if base[6:] == "s" else unsigned
        true = 1 if kind == "vset" else 2**width - 1
        values = [true * compare(x, y) for x, y in pairs]
    return join(values, width)


def dpx(name: str, *operands: int) -> int:
    """A DPX function: the extreme of three words, or of a sum that wraps and a word."""
    operation, type_, *relu = name.split("_")
    if type_.endswith("16x2"):
        return sum(_dpx_half(operation, type_, bool(relu), [x >> i & 0xFFFF for x in operands]) << i
                   for i in (0, 16))  # fmt: skip
    number = signed if type_ == "s32" else int
    if operation.startswith("viadd"):
        first, second, third = operands
        operands = ((first + second) & WORD, third)
    result = (max if "max" in operation else min)(map(number, operands))
    return max(result, 0) if relu else result


def _dpx_half(operation: str, type_: str, has_floor: bool, halves: list[int]) -> int:
    """One half-word of a packed DPX function."""
    if "add" in operation:
        halves = [(halves[0] + halves[1]) % 0x10000, halves[2]]
    numbers = [x - 0x10000 if type_[0] == "s" and x > 0x7FFF else x for x in halves]
    found = sorted(numbers)[-1 if "max" in operation else 0]
    return 0 if has_floor and found < 0 else found % 0x10000


def expected(name: str, *operands: int) -> int:
    base = name.strip("_")
    if base in WORDS:
        return WORDS[base](*operands)
    if "_" in base:
        return dpx(base, *operands)
    return documented(base, operands[0], operands[-1])


def result_of(name: str, operands: tuple[int, ...]) -> int:
    """The result of the lines that an intrinsic's call stands for, run one after the other."""
    roles = "abc"[: len(operands)]
    held: dict[str, int] = dict(zip(roles, operands, strict=True))
    for ins in parse_all(f"{name}({', '.join(roles)})"):
        needed = {x.name: held[x.name] for x in ins.inputs}
        (value,) = evaluate(ins, needed).values()
        (target,) = ins.results.values()
        held[target] = int(value)
    return held["d"]


@whole
@pytest.mark.parametrize("name", sorted(map_intrinsics()))
def test_a_call_returns_the_result_that_cuda_documents(name: str) -> None:
    rng, count = Random(name), len(map_intrinsics()[name].parameters)
    width = 64 if name.endswith(("ll", "64hi")) else 32
    rows = [tuple(rng.choice(BITING) for _ in range(count)) for _ in range(24)]
    rows += [tuple(rng.getrandbits(width) for _ in range(count)) for _ in range(12)]
    if name.startswith("__funnelshift"):
        rows += [(a, b, c & 63) for a, b, c in rows]
    if name == "__fns":  # a base above 31 is undefined
        rows = [(a, b & 31, (c % 9 - 4) & WORD) for a, b, c in rows]
    for row in rows:
        assert result_of(name, row) == expected(name, *row) & (1 << width) - 1, row


@pytest.mark.parametrize("name", sorted(x.name for x in map_intrinsics().values() if x.block))
def test_an_intrinsic_of_several_instructions_is_a_block(name: str) -> None:
    rng, parameters = Random(name), map_intrinsics()[name].parameters
    block = parse_block(f"r = {name}({', '.join(parameters)});")
    assert len(block.statements) == len(map_intrinsics()[name].block)
    assert block.notes[0] == (
        f"`{name}` {map_intrinsics()[name].compilation}; "
        "the lines here are not the compiler's, but give the same result"
    )
    width = 64 if name.endswith(("ll", "64hi")) else 32
    for _ in range(6):
        row = [rng.choice(BITING) if rng.random() < 0.5 else rng.getrandbits(width)
               for _ in parameters]  # fmt: skip
        result = trace_block(block, dict(zip(parameters, row, strict=True))).result["r"]
        assert result == expected(name, *row) & (1 << width) - 1, row


def test_calls_one_after_the_other_are_a_block() -> None:
    block = parse_block("t = __vneg4(b);\nunsigned d = __vaddus4(t, 0x01010101);")
    traced = trace_block(block, {"b": 0x01020300})
    assert traced.result["d"] == 0xFFFFFE01
    assert [x.line for x in block.statements] == [1, 2]
    assert len(block.notes) == 2


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("d = __vadd4(__mulhi(a, b), c);", 0x00000000),  # bytes of -1 plus 1
        ("d = __mulhi(__vadd4(a, b), c);", 0xFFFFFFFE),  # -256 * 0x01010101 >> 32
        ("d = __vadd4((unsigned)__mulhi((int) a, b), (uint32_t)(int)c);", 0x00000000),
    ],
)
def test_products_and_casts_may_be_arguments_of_calls(text: str, result: int) -> None:
    values = {"a": WORD, "b": 1, "c": 0x01010101}
    assert trace_block(parse_block(text), values).result == {"d": result}


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("a & 0x7f7f7f7f", "a & 0x7F7F7F7F"),
        ("(1 << 3) | 7", "15"),
        ("sizeof(int) * 2 - 1", "7"),
        ("0x80 ^ a", "a ^ 0x80"),
        ("a | b & 0xff", "a | (b & 0xFF)"),
        ("(a | b) & 0xff", "(a | b) & 0xFF"),
        ("a - b - 1", "a - b - 1"),
        ("a - (b - 1)", "a - (b - 1)"),
        ("a * 3 + b", "a * 3 + b"),
        ("-a", "-a"),
        ("~a & ~(b << 8)", "~a & ~(b << 8)"),
        ("(unsigned)a >> 4", "a >> 4"),
        ("(int)a >> 4", "(a - (a >> 31 << 32)) >> 4"),
        ("((int)a & 0xf0f0f0f0u) >> 4", "(a & 0xF0F0F0F0) >> 4"),
        ("(a & 0xf0f0f0f0) >> 4", "(a & 0xF0F0F0F0) >> 4"),
        ("0xff00 << (b & 7)", "0xFF00 << (b & 7)"),
        ("(uint8_t)a", "a & 0xFF"),
        ("(unsigned short)(a + b)", "(a + b) & 0xFFFF"),
        ("sizeof(int) == 8 ? 5 : a", "a"),
        ("__brev(a + 1) ^ b", "int(f'{(a + 1) & WORD:032b}'[::-1], 2) ^ b"),
        ("+a", "a"),
        ("(int)(a)", "a"),
    ],
)
def test_expressions_may_be_arguments_of_calls(argument: str, expected: str) -> None:
    block = parse_block(f"d = __brev({argument});")
    for a, b in ((0, 0), (0xDEADBEEF, 0x12345678), (0x7FFFFFFF, 0xFFFFFFFF), (0x80000001, 5)):
        number = eval(expected, {"a": a, "b": b, "WORD": WORD})
        result = int(f"{number & WORD:032b}"[::-1], 2)
        values = {"a": a, "b": b}
        values = {x: values[x] for x in values if re.search(rf"\b{x}\b", argument)}
        assert trace_block(block, values).result["d"] == result


def test_an_expression_has_the_width_of_the_parameter() -> None:
    block = parse_block("d = __popcll(a & 0xff00000000ull | b << 60);")
    values = {"a": 0xFFFF_FFFF_FFFF, "b": 0xF0F}
    assert trace_block(block, values).result == {"d": 12}


@pytest.mark.parametrize("argument", ["(char)a", "(int)", "(intx)a", "(int a"])
def test_other_casts_are_expressions(argument: str) -> None:
    with pytest.raises(PtxError):
        parse_pasted(f"d = __dp4a({argument}, b, c);")


def test_the_examples_of_the_programming_guide() -> None:
    for name, operands, result in (
        ("__vimax3_s32_relu", (-15, 8, 5), 8),
        ("__vimax3_s32_relu", (-15, -2, -4), 0),
        ("__viaddmin_s32_relu", (-5, 6, -2), 0),
        ("__vimax3_s16x2_relu", (0x0005FFFF, 0x0007FFFE, 0x0006FFFD), 0x00070000),
        ("__viaddmax_u16x2", (0xFFFF0001, 0x00020002, 0x00050002), 0x00050003),
        ("__vimin_s16x2_relu", (0x0005FFFF, 0x00070001), 0x00050000),
    ):
        assert result_of(name, tuple(x & WORD for x in operands)) == result


def test_spans_of_a_call_cover_its_names_and_numbers() -> None:
    text = "  unsigned sum = __vadd4(x,\n 0x01010101u);"
    ins = parse_pasted(text)
    assert str(ins) == "vadd4.u32.u32.u32 sum, x, b, zero;"
    assert ins.constants == {"b": 0x01010101, "c": 0}
    parts = {role: text[slice(*span)] for role, span in ins.spans.items()}
    assert parts["line"] == "unsigned sum = __vadd4(x,\n 0x01010101u)"
    assert (parts["opcode"], parts["d"], parts["a"], parts["b"]) == (
        "__vadd4", "sum", "x", "0x01010101u",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("__vneg4(b)", "vsub4.s32.s32.s32 d, zero, b, zero;"),
        ("__vabs2(zero)", "vabsdiff2.s32.s32.s32 d, zero, zero0, zero0;"),
        ("d2 = __vsadu4(d, a);", "vabsdiff4.u32.u32.u32.add d2, d, a, zero;"),
        ("__usad(d, 3, -1)", "sad.u32 d0, d, 3, -1;"),
        ("return __byte_perm(x, y, 0x5410);", "prmt.b32 d, x, y, 0x5410;"),
        ("/* ( */ __usad(x /* , */, y, // )\n z);", "sad.u32 d, x, y, z;"),
        ("__byte_perm(x, y, 0xba98)", "prmt.b32 d, x, y, 0x3210;"),
        ("__vimin3_u32(a, b, c)", "vmin.u32.u32.u32.min d, a, b, c;"),
        ("__vimax_s16x2_relu(a, 7)", "max.relu.s16x2 d, a, b;"),
    ],
)
def test_a_call_is_a_line(text: str, line: str) -> None:
    assert str(parse(text)) == line


@pytest.mark.parametrize(("text", "message", "place"), read_lines("call_errors.txt", 3))
def test_an_error_on_a_wrong_call_marks_the_wrong_part(text: str, message: str, place: str) -> None:
    with pytest.raises(PtxError) as caught:
        parse(text)
    (problem,) = caught.value.errors
    assert message in problem.message
    assert text[slice(*problem.span)] == place


def test_an_error_lists_the_instructions_of_a_compound_intrinsic() -> None:
    with pytest.raises(NotOneError, match="needs several instructions: lop3, lop3, vavrg4, lop3"):
        parse("x = __vhaddu4(a, b);")
    with pytest.raises(NotOneError, match="there are 2 instructions here"):
        parse("x = __vadd4(a, b); y = __vsub4(x, b);")


@pytest.mark.parametrize(
    ("number", "value"),
    [("0", 0), ("017u", 15), ("0x10UL", 16), ("+9", 9), ("-1", -1), ("-010", -8), ("0b11", 3)],
)
def test_numbers_in_calls_have_the_value_of_c(number: str, value: int) -> None:
    assert parse(f"__vadd4(_a, {number})").constants["b"] == value & WORD
    assert parse(f"__usad(_a, b, {number})").constants["c"] == value & WORD


def test_a_literal_of_64_bits_is_not_truncated() -> None:
    (source,) = parse("__popcll(0xFFFFFFFFF)").sources
    assert str(source) == "0xFFFFFFFFF"


def test_a_difference_is_a_note() -> None:
    assert len(parse("__vneg4(a)").notes) == 1
    note = parse("__dp4a(a, b, c)").notes[-1]
    assert note == "of unsigned operands, the intrinsic is dp4a.u32.u32"


def test_instruction_counts_equal_the_code_of_nvcc() -> None:
    seen = set()
    for program in load((DATA / "intrinsics.ptx").read_text(encoding="utf-8")):
        name = f"__{program.name.removeprefix('k_')}"
        made = map_intrinsics()[name].compilation
        seen.add(name)
        opcodes = [x.opcode.partition(".")[0] for x in program.statements]
        left = [x for x in opcodes if x not in ("", "ld", "st", "mov", "cvta", "ret")]
        if any(re.fullmatch(r"v\w+[24]", x) for x in left):
            assert made == "is still compiled to a video instruction by nvcc 13.0", name
        else:
            assert (
                made == f"is emulated by nvcc 13.0 for sm_75 with {len(left)} other instructions"
            ), name
    kept = [x for x in seen if "still" in map_intrinsics()[x].compilation]
    assert (len(seen), len(kept)) == (82, 7)
