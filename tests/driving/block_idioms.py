"""Blocks as people write them, each with what it computes in plain Python arithmetic.

The functions take and return unsigned integers of 32 bits, predicates as 0 or 1; they know nothing
of ptxscope. A block without ``.reg`` names its registers as an excerpt of a kernel does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tests.driving.kernel_texts import read_kernels
from tests.reference_data import DATA

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


def sum_distances(a: int, b: int) -> int:
    return sum(abs(x - y) for x, y in zip(lanes(a), lanes(b), strict=True))


def spread(x: int) -> int:
    return sum((x >> i & 1) << 2 * i for i in range(16))


def rgb(p: int) -> int:
    r, g, b = p >> 11 & 31, p >> 5 & 63, p & 31
    return (r << 3 | r >> 2) << 16 | (g << 2 | g >> 4) << 8 | (b << 3 | b >> 2)


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


_COMPUTE: dict[str, Callable[..., int | dict[str, int]]] = {
    "average of bytes, rounded down": lambda a, b: zip_map(lambda x, y: (x + y) // 2, a, b),
    "average of bytes, rounded up": lambda a, b: zip_map(lambda x, y: (x + y + 1) // 2, a, b),
    "sum with its bytes reversed": lambda a, b: swap(a + b & WORD),
    "byte swap of 64 bits": lambda a, b: {"hi": swap(a), "lo": swap(b)},
    "rotation and key": lambda a, b, c: (a << 7 & WORD | a >> 25) ^ b ^ c,
    "word at a byte offset": lambda n, lo, hi: (hi << 32 | lo) >> (n * 8 & 31),
    "four-bit weights at even nibbles to numbers": lambda q: join(
        [x & 15 for x in lanes(q, 16)], 16
    ),
    "four-bit weights at odd nibbles, centred": lambda q: join(
        [(x >> 4 & 15) - 8 for x in lanes(q, 16)], 16
    ),
    "signed four-bit weights to bytes": lambda q: {
        "even": join([signed(x, 4) for x in lanes(q)]),
        "odd": join([signed(x >> 4, 4) for x in lanes(q)]),
    },
    "byte to the bits of a float": lambda q: (0x4B000000 | q & 0xFF) ^ (0x4B000000 | q >> 24),
    "dot product of twelve bytes": lambda a, b, c, x, y, z, s: {
        "s": (
            s
            + dot(signed_lanes(a), signed_lanes(x))
            + dot(signed_lanes(b), signed_lanes(y))
            + dot(signed_lanes(c), signed_lanes(z))
        )
        & WORD
    },
    "half-words times bytes": lambda a, b, w: dot(
        signed_lanes(a, 16) + signed_lanes(b, 16), lanes(w)
    ),
    "sum of absolute differences of eight bytes": lambda a, b, x, y, s: (
        s + sum_distances(a, b) + sum_distances(x, y)
    ),
    "sum of absolute differences by a dot product": lambda a, b, s: s + sum_distances(a, b),
    "distance along three axes": lambda a, b, c, x, y, z: sum(
        abs(signed(p) - signed(q)) for p, q in ((a, x), (b, y), (c, z))
    ),
    "RGB565 to RGB888": rgb,
    "three fields packed": lambda r, g, b: 0xFF << 24 | (b & 255) << 16 | (g & 255) << 8 | r & 255,
    "signed field plus a bias": lambda a, bias: signed(a >> 20, 7) + bias,
    "bits reversed within each byte": lambda a: join([reverse(x, 8) for x in lanes(a)]),
    "parity": lambda a, b, c: (a.bit_count() + b.bit_count() + c.bit_count()) % 2,
    "lowest set bit and its position": lambda a: {
        "bit": a & -a,
        "at": (a & -a).bit_length() - 1 if a else 32,
    },
    "lowest set bit cleared twice": lambda a: (b := (a & a - 1 if a else 0)) and b & b - 1,
    "bytes added, clamped, and rectified": lambda a, b: join(
        [
            max(clamp(x + y, -128, 127), 0)
            for x, y in zip(signed_lanes(a), signed_lanes(b), strict=True)
        ]
    ),
    "scaled and clamped to a byte": lambda x, m: clamp(
        signed((signed(x) * signed(m) + 64) >> 7), 0, 255
    ),
    "four half-words packed to bytes": lambda a, b: join(
        [clamp(x, 0, 255) for x in signed_lanes(a, 16) + signed_lanes(b, 16)]
    ),
    "largest byte": lambda a: max(lanes(a)),
    "bytes above a threshold, counted": lambda a, t: sum(x > (t & 255) for x in lanes(a)),
    "larger and smaller by predicates": lambda a, b: {
        "hi": max(signed(a), signed(b)) & WORD,
        "lo": min(signed(a), signed(b)) & WORD,
    },
    "conditional step": lambda x, y: {"x": x - y if x >= y else 2 * x & WORD},
    "comparison whose second result is discarded": lambda a, k: a or k,
    "absolute value by the sign": lambda a: abs(signed(a)),
    "median of three images": lambda a, b, c: zip_map(median, a, b, c),
    "bits of two coordinates interleaved": lambda x: spread(x & 0xFFFF),
    "random number by shifts": xorshift,
    "smallest power of two": smallest_power,
    "Gray code decoded": gray_decode,
    "first zero byte marked": lambda a: {"p": int(0 in lanes(a))},
    "polynomial in fixed point": lambda x, k1, k2, k3: (
        (
            signed(x, 16) * signed((signed(x, 16) * signed(k3, 16) + signed(k2)) >> 15, 16)
            + signed(k1)
        )
        >> 15
    ),
    "sum of 128 bits by carries": lambda **v: {
        f"r{word}": (
            sum(v[f"a{i}"] << 32 * i for i in range(4))
            + sum(v[f"b{i}"] << 32 * i for i in range(4))
        )
        >> 32 * word
        & WORD
        for word in range(4)
    },
    "difference clamped to a range": lambda a, b: clamp(signed(a - b), -100, 100),
    "asm statement with operands of C": lambda **v: {
        "%0": (
            dot(
                [lanes(v["%1"])[0], lanes(v["%2"])[0], lanes(v["%1"])[1], lanes(v["%2"])[1]],
                lanes(v["%3"]),
            )
            + 7
        )
        & WORD
    },
}
"""What each block of ``idioms.ptx`` computes; a number is d, of which the low word counts."""


def _make_idiom(name: str, ptx: str) -> Idiom:
    def compute(**values: int) -> dict[str, int]:
        result = _COMPUTE[name](**values)
        return result if isinstance(result, dict) else {"d": result & WORD}

    return Idiom(name, ptx.strip(), compute)


IDIOMS = tuple(_make_idiom(name, ptx) for name, ptx in read_kernels(DATA / "idioms.ptx").items())
