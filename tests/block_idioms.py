"""Blocks as people write them, each with what it computes in plain Python arithmetic.

The functions take and return unsigned integers of 32 bits, predicates as 0 or 1; they know nothing
of ptxscope. A block without ``.reg`` names its registers as an excerpt of a kernel does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

WORD = (1 << 32) - 1


class Idiom(NamedTuple):
    """A block, and a function from its registers to its results, both by name."""

    name: str
    ptx: str
    compute: Callable[..., dict[str, int]]


def signed(x: int, bits: int = 32) -> int:
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> bits - 1 else x


def lanes(x: int, bits: int = 8) -> list[int]:
    return [x >> low & (1 << bits) - 1 for low in range(0, 32, bits)]


def signed_lanes(x: int, bits: int = 8) -> list[int]:
    return [signed(lane, bits) for lane in lanes(x, bits)]


def join(values: list[int], bits: int = 8) -> int:
    return sum((x & (1 << bits) - 1) << bits * lane for lane, x in enumerate(values))


def clamp(x: int, low: int, high: int) -> int:
    return max(low, min(high, x))


def zip_map(f: Callable[..., int], *words: int) -> int:
    return join([f(*x) for x in zip(*map(lanes, words), strict=True)])


def swap(x: int) -> int:
    return int.from_bytes(x.to_bytes(4, "little"), "big")


def reverse(x: int, bits: int = 32) -> int:
    return int(f"{x:0{bits}b}"[::-1], 2)


def dot(a: list[int], b: list[int]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def spread(x: int) -> int:
    return sum((x >> i & 1) << 2 * i for i in range(16))


def rgb(x: int) -> dict[str, int]:
    r, g, b = x >> 11 & 31, x >> 5 & 63, x & 31
    return {"d": (r << 3 | r >> 2) << 16 | (g << 2 | g >> 4) << 8 | (b << 3 | b >> 2)}


def xorshift(x: int) -> dict[str, int]:
    x ^= x << 13 & WORD
    x ^= x >> 17
    return {"x": x ^ x << 5 & WORD}


def smallest_power(x: int) -> dict[str, int]:
    x = (x - 1) & WORD
    return {"x": ((1 << x.bit_length()) - 1 + 1) & WORD}


def gray_decode(x: int) -> dict[str, int]:
    bits, result = 0, 0
    for index in reversed(range(32)):
        bits ^= x >> index & 1
        result |= bits << index
    return {"x": result}


def median(a: int, b: int, c: int) -> int:
    return sorted((a, b, c))[1]


IDIOMS = (
    Idiom(
        "average of bytes, rounded down",
        "{ .reg .b32 t, u; and.b32 t, a, b; xor.b32 u, a, b; shr.u32 u, u, 1;"
        " and.b32 u, u, 0x7f7f7f7f; add.u32 d, t, u; }",
        lambda a, b: {"d": zip_map(lambda x, y: (x + y) // 2, a, b)},
    ),
    Idiom(
        "average of bytes, rounded up",
        "{ .reg .b32 t, u; or.b32 t, a, b; xor.b32 u, a, b; shr.u32 u, u, 1;"
        " and.b32 u, u, 0x7f7f7f7f; sub.u32 d, t, u; }",
        lambda a, b: {"d": zip_map(lambda x, y: (x + y + 1) // 2, a, b)},
    ),
    Idiom(
        "sum with its bytes reversed",
        "vadd.u32.u32.u32 t, a, b; prmt.b32 d, t, 0, 0x0123;",
        lambda a, b: {"d": swap(a + b & WORD)},
    ),
    Idiom(
        "byte swap of 64 bits",
        "prmt.b32 hi, a, 0, 0x0123; prmt.b32 lo, b, 0, 0x0123;",
        lambda a, b: {"hi": swap(a), "lo": swap(b)},
    ),
    Idiom(
        "rotation and key",
        "shf.l.wrap.b32 t, a, a, 7; lop3.b32 d, t, b, c, 0x96;",
        lambda a, b, c: {"d": (a << 7 & WORD | a >> 25) ^ b ^ c},
    ),
    Idiom(
        "word at a byte offset",
        "{ .reg .b32 n8; shl.b32 n8, n, 3; shf.r.wrap.b32 d, lo, hi, n8; }",
        lambda n, lo, hi: {"d": (hi << 32 | lo) >> (n * 8 & 31) & WORD},
    ),
    Idiom(
        "four-bit weights at even nibbles to numbers",
        "mov.b32 k, 0x64006400; lop3.b32 t, q, 0x000f000f, k, 0xea; vsub2.u32.u32.u32 d, t, k, k;",
        lambda q: {"d": join([x & 15 for x in lanes(q, 16)], 16)},
    ),
    Idiom(
        "four-bit weights at odd nibbles, centred",
        "{ .reg .b32 t, k; mov.b32 k, 0x64086408; shf.r.clamp.b32 t, q, 0, 4;"
        " lop3.b32 t, t, 0x000f000f, 0x64006400, 0xea; vsub2.s32.u32.u32 d, t, k, k; }",
        lambda q: {"d": join([(x >> 4 & 15) - 8 for x in lanes(q, 16)], 16)},
    ),
    Idiom(
        "signed four-bit weights to bytes",
        "{ .reg .b32 lo, hi, k; mov.b32 k, 0x08080808; lop3.b32 lo, q, 0x0f0f0f0f, k, 0x6a;"
        " shr.u32 hi, q, 4; lop3.b32 hi, hi, 0x0f0f0f0f, k, 0x6a;"
        " vsub4.s32.u32.u32 even, lo, k, k; vsub4.s32.u32.u32 odd, hi, k, k; }",
        lambda q: {
            "even": join([signed(x, 4) for x in lanes(q)]),
            "odd": join([signed(x >> 4, 4) for x in lanes(q)]),
        },
    ),
    Idiom(
        "byte to the bits of a float",
        "prmt.b32 t, q, 0x4b000000, 0x7650; prmt.b32 u, q, 0x4b000000, 0x7653; xor.b32 d, t, u;",
        lambda q: {"d": (0x4B000000 | q & 0xFF) ^ (0x4B000000 | q >> 24)},
    ),
    Idiom(
        "dot product of twelve bytes",
        "dp4a.s32.s32 s, a, x, s; dp4a.s32.s32 s, b, y, s; dp4a.s32.s32 s, c, z, s;",
        lambda a, b, c, x, y, z, s: {
            "s": (
                s
                + dot(signed_lanes(a), signed_lanes(x))
                + dot(signed_lanes(b), signed_lanes(y))
                + dot(signed_lanes(c), signed_lanes(z))
            )
            & WORD
        },
    ),
    Idiom(
        "half-words times bytes",
        "dp2a.lo.s32.u32 t, a, w, 0; dp2a.hi.s32.u32 d, b, w, t;",
        lambda a, b, w: {"d": dot(signed_lanes(a, 16) + signed_lanes(b, 16), lanes(w)) & WORD},
    ),
    Idiom(
        "sum of absolute differences of eight bytes",
        "vabsdiff4.u32.u32.u32.add t, a, b, s; vabsdiff4.u32.u32.u32.add d, x, y, t;",
        lambda a, b, x, y, s: {
            "d": (
                s
                + sum(
                    abs(p - q)
                    for p, q in zip(lanes(a) + lanes(x), lanes(b) + lanes(y), strict=True)
                )
            )
            & WORD
        },
    ),
    Idiom(
        "sum of absolute differences by a dot product",
        "{ .reg .b32 t, k; mov.u32 k, 0x01010101; vabsdiff4.u32.u32.u32 t, a, b, a;"
        " dp4a.u32.u32 d, t, k, s; }",
        lambda a, b, s: {
            "d": (s + sum(abs(p - q) for p, q in zip(lanes(a), lanes(b), strict=True))) & WORD
        },
    ),
    Idiom(
        "distance along three axes",
        "sad.s32 t, a, x, 0; sad.s32 t, b, y, t; sad.s32 d, c, z, t;",
        lambda a, b, c, x, y, z: {
            "d": sum(abs(signed(p) - signed(q)) for p, q in ((a, x), (b, y), (c, z))) & WORD
        },
    ),
    Idiom(
        "RGB565 to RGB888",
        """{
            .reg .b32 r, g, b, t;
            bfe.u32 r, p, 11, 5;  bfe.u32 g, p, 5, 6;  bfe.u32 b, p, 0, 5;
            bfe.u32 t, r, 2, 3;   bfi.b32 r, r, t, 3, 5;
            bfe.u32 t, g, 4, 2;   bfi.b32 g, g, t, 2, 6;
            bfe.u32 t, b, 2, 3;   bfi.b32 b, b, t, 3, 5;
            bfi.b32 t, g, b, 8, 8;  bfi.b32 d, r, t, 16, 8;
        }""",
        lambda p: rgb(p),
    ),
    Idiom(
        "three fields packed",
        "bfi.b32 t, g, r, 8, 8; bfi.b32 t, b, t, 16, 8; bfi.b32 d, 0xff, t, 24, 8;",
        lambda r, g, b: {"d": 0xFF << 24 | (b & 255) << 16 | (g & 255) << 8 | r & 255},
    ),
    Idiom(
        "signed field plus a bias",
        "bfe.s32 t, a, 20, 7; vadd.s32.s32.s32 d, t, bias;",
        lambda a, bias: {"d": signed(a >> 20, 7) + bias & WORD},
    ),
    Idiom(
        "bits reversed within each byte",
        "brev.b32 t, a; prmt.b32 d, t, 0, 0x0123;",
        lambda a: {"d": join([reverse(x, 8) for x in lanes(a)])},
    ),
    Idiom(
        "parity",
        "lop3.b32 t, a, b, c, 0x96; popc.b32 t, t; and.b32 d, t, 1;",
        lambda a, b, c: {"d": (a.bit_count() + b.bit_count() + c.bit_count()) % 2},
    ),
    Idiom(
        "lowest set bit and its position",
        "sub.u32 n, 0, a; and.b32 bit, a, n; brev.b32 r, a; clz.b32 at, r;",
        lambda a: {"bit": a & -a, "at": (a & -a).bit_length() - 1 if a else 32},
    ),
    Idiom(
        "lowest set bit cleared twice",
        "sub.u32 t, a, 1; and.b32 t, a, t; sub.u32 u, t, 1; and.b32 d, t, u;",
        lambda a: {"d": (b := a & a - 1 if a else 0) and b & b - 1},
    ),
    Idiom(
        "bytes added, clamped, and rectified",
        "mov.b32 z, 0; vadd4.s32.s32.s32.sat t, a, b, z; vmax4.s32.s32.s32 d, t, z, z;",
        lambda a, b: {
            "d": join(
                [
                    max(clamp(x + y, -128, 127), 0)
                    for x, y in zip(signed_lanes(a), signed_lanes(b), strict=True)
                ]
            )
        },
    ),
    Idiom(
        "scaled and clamped to a byte",
        "vmad.s32.s32.s32.shr7 t, x, m, 64; vmax.s32.s32.s32 t, t, 0; vmin.s32.s32.s32 d, t, 255;",
        lambda x, m: {"d": clamp(signed((signed(x) * signed(m) + 64) >> 7), 0, 255)},
    ),
    Idiom(
        "four half-words packed to bytes",
        "mov.b32 z, 0; mov.b32 k, 0x00ff00ff;"
        " vmin2.s32.s32.s32 t, a, k, k; vmax2.s32.s32.s32 t, t, z, z;"
        " vmin2.s32.s32.s32 u, b, k, k; vmax2.s32.s32.s32 u, u, z, z; prmt.b32 d, t, u, 0x6420;",
        lambda a, b: {
            "d": join([clamp(x, 0, 255) for x in signed_lanes(a, 16) + signed_lanes(b, 16)])
        },
    ),
    Idiom(
        "largest byte",
        "{ .reg .b32 t, u; prmt.b32 t, a, 0, 0x1032; vmax4.u32.u32.u32 t, t, a, a;"
        " prmt.b32 u, t, 0, 0x2301; vmax4.u32.u32.u32 t, t, u, u; bfe.u32 d, t, 0, 8; }",
        lambda a: {"d": max(lanes(a))},
    ),
    Idiom(
        "bytes above a threshold, counted",
        "{ .reg .b32 k, m; prmt.b32 k, t, 0, 0x0000; vset4.u32.u32.gt m, a, k, k;"
        " dp4a.u32.u32 d, m, 0x01010101, 0; }",
        lambda a, t: {"d": sum(x > (t & 255) for x in lanes(a))},
    ),
    Idiom(
        "larger and smaller by predicates",
        "{ .reg .pred p, q; setp.lt.s32 p|q, a, b; selp.b32 hi, b, a, p; selp.b32 lo, b, a, q; }",
        lambda a, b: {
            "hi": max(signed(a), signed(b)) & WORD,
            "lo": min(signed(a), signed(b)) & WORD,
        },
    ),
    Idiom(
        "conditional step",
        "setp.ge.u32 p, x, y; @p vsub.u32.u32.u32 x, x, y; @!p vadd.u32.u32.u32 x, x, x;",
        lambda x, y: {"x": x - y if x >= y else 2 * x & WORD},
    ),
    Idiom(
        "comparison whose second result is discarded",
        "setp.eq.u32 p|_, a, 0; selp.b32 d, k, a, p;",
        lambda a, k: {"d": a or k},
    ),
    Idiom(
        "absolute value by the sign",
        "shr.s32 m, a, 31; xor.b32 t, a, m; sub.s32 d, t, m;",
        lambda a: {"d": abs(signed(a)) & WORD},
    ),
    Idiom(
        "median of three images",
        "vmin4.u32.u32.u32 lo, a, b, a; vmax4.u32.u32.u32 hi, a, b, a;"
        " vmin4.u32.u32.u32 t, hi, c, c; vmax4.u32.u32.u32 d, lo, t, t;",
        lambda a, b, c: {"d": zip_map(median, a, b, c)},
    ),
    Idiom(
        "bits of two coordinates interleaved",
        """{
            .reg .b32 t;
            and.b32 x, x, 0xffff;
            shl.b32 t, x, 8;  lop3.b32 x, x, t, 0x00ff00ff, 0xa8;
            shl.b32 t, x, 4;  lop3.b32 x, x, t, 0x0f0f0f0f, 0xa8;
            shl.b32 t, x, 2;  lop3.b32 x, x, t, 0x33333333, 0xa8;
            shl.b32 t, x, 1;  lop3.b32 d, x, t, 0x55555555, 0xa8;
        }""",
        lambda x: {"d": spread(x & 0xFFFF)},
    ),
    Idiom(
        "random number by shifts",
        "shl.b32 t, x, 13; xor.b32 x, x, t; shr.u32 t, x, 17; xor.b32 x, x, t;"
        " shl.b32 t, x, 5; xor.b32 x, x, t;",
        xorshift,
    ),
    Idiom(
        "smallest power of two",
        "sub.u32 x, x, 1; bfind.u32 n, x; add.u32 n, n, 1; bmsk.clamp.b32 t, 0, n;"
        " add.u32 x, t, 1;",
        smallest_power,
    ),
    Idiom(
        "Gray code decoded",
        "shr.u32 t, x, 16; xor.b32 x, x, t; shr.u32 t, x, 8; xor.b32 x, x, t; shr.u32 t, x, 4;"
        " xor.b32 x, x, t; shr.u32 t, x, 2; xor.b32 x, x, t; shr.u32 t, x, 1; xor.b32 x, x, t;",
        gray_decode,
    ),
    Idiom(
        "first zero byte marked",
        "sub.u32 t, a, 0x01010101; lop3.b32 t, t, a, 0x80808080, 0x20; setp.ne.u32 p, t, 0;",
        lambda a: {"p": int(0 in lanes(a))},
    ),
    Idiom(
        "polynomial in fixed point",
        "vmad.s32.s32.s32.shr15 t, x.h0, k3.h0, k2; vmad.s32.s32.s32.shr15 d, x.h0, t.h0, k1;",
        lambda x, k1, k2, k3: {
            "d": (
                signed(x, 16) * signed((signed(x, 16) * signed(k3, 16) + signed(k2)) >> 15, 16)
                + signed(k1)
            )
            >> 15
            & WORD
        },
    ),
    Idiom(
        "sum of 128 bits by carries",
        "add.cc.u32 r0, a0, b0; addc.cc.u32 r1, a1, b1; addc.cc.u32 r2, a2, b2;"
        " addc.u32 r3, a3, b3;",
        lambda **v: {
            f"r{word}": (
                sum(v[f"a{i}"] << 32 * i for i in range(4))
                + sum(v[f"b{i}"] << 32 * i for i in range(4))
            )
            >> 32 * word
            & WORD
            for word in range(4)
        },
    ),
    Idiom(
        "difference clamped to a range",
        "sub.s32 t, a, b; max.s32 t, t, -100; min.s32 d, t, 100;",
        lambda a, b: {"d": clamp(signed(a - b), -100, 100) & WORD},
    ),
    Idiom(
        "asm statement with operands of C",
        'asm("{ .reg .b32 t; prmt.b32 t, %1, %2, 0x5140; dp4a.u32.u32 %0, t, %3, 7; }"'
        ' : "=r"(sum) : "r"(x), "r"(y), "r"(w));',
        lambda **v: {
            "%0": (
                dot(
                    [lanes(v["%1"])[0], lanes(v["%2"])[0], lanes(v["%1"])[1], lanes(v["%2"])[1]],
                    lanes(v["%3"]),
                )
                + 7
            )
            & WORD
        },
    ),
)
