"""Kernels that nvcc 13.0 compiled (``tests/data/kernels.cu``), against NumPy and Python.

``nvcc -ptx -arch=sm_80 kernels.cu`` writes ``tests/data/kernels.ptx``, which the tests read.
"""

from __future__ import annotations

import math
import zlib
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ptxscope.features.kernels.launches.device_code import DeviceCode, load_device_code
from ptxscope.features.kernels.launches.kernel_run import KernelRun, run_kernel
from tests.reference_data import DATA

Array = npt.NDArray[Any]
_WORD, _LONG = (1 << 32) - 1, (1 << 64) - 1


@cache
def _code() -> DeviceCode:
    return load_device_code((DATA / "kernels.ptx").read_text())


def launch(name: str, *arguments: Any, **options: Any) -> KernelRun:
    return run_kernel(
        _code(), {f"param{i}": x for i, x in enumerate(arguments)}, kernel=name, **options
    )


def check(result: KernelRun, position: int, expected: Any) -> None:
    """A buffer is as expected, and the run says that it is exact."""
    values = result.get_buffer(f"param{position}").values
    assert np.array_equal(values, np.asarray(expected).astype(values.dtype))
    assert result.is_exact
    assert not result.conflicts


def room(*shape: int, dtype: Any = np.uint32) -> Array:
    return np.zeros(shape, dtype)


@pytest.fixture
def draw() -> np.random.Generator:
    return np.random.default_rng(7)


def words(draw: np.random.Generator, count: int) -> npt.NDArray[np.uint32]:
    return draw.integers(0, 2**32, count, dtype=np.uint32)


def numbers(draw: np.random.Generator, count: int, limit: int = 1000) -> npt.NDArray[np.int32]:
    """Random signed numbers below a limit."""
    return draw.integers(-limit, limit, count).astype(np.int32)


def test_every_kernel_is_run() -> None:
    """Each has a test here of its name."""
    names = {x.removeprefix("test_") for x in globals() if x.startswith("test_")}
    assert {x.name for x in _code().kernels} == names - {"every_kernel_is_run"}
    assert len(_code().kernels) == 32


def test_saxpy_words(draw: np.random.Generator) -> None:
    a, b = words(draw, 1000), words(draw, 1000)
    result = launch("saxpy_words", a, b, room(1000), 77, 1000, grid=4, block=256)
    check(result, 2, a * np.uint32(77) + b)


def test_block_sums(draw: np.random.Generator) -> None:
    x = numbers(draw, 5000)
    result = launch("block_sums", x, room(6, dtype=np.int32), 5000, grid=6, block=128)
    blocks = np.arange(5000) // 128 % 6
    check(result, 1, [x[blocks == block].sum() for block in range(6)])


def test_warp_sums(draw: np.random.Generator) -> None:
    x = numbers(draw, 256)
    result = launch("warp_sums", x, room(8, dtype=np.int32), grid=2, block=128)
    check(result, 1, x.reshape(8, 32).sum(axis=1))


def test_histogram(draw: np.random.Generator) -> None:
    x = draw.integers(0, 256, 10000, dtype=np.uint8)
    check(
        launch("histogram", x, room(256), 10000, grid=3, block=256),
        1,
        np.bincount(x, minlength=256),
    )


def test_transpose(draw: np.random.Generator) -> None:
    x = draw.integers(0, 2**16, (37, 50)).astype(np.uint16)
    out = room(50, 37, dtype=np.uint16)
    check(launch("transpose", x, out, 50, 37, grid=(4, 3), block=(16, 16)), 1, x.T)


def test_matmul(draw: np.random.Generator) -> None:
    a, b = numbers(draw, 576).reshape(24, 24), numbers(draw, 576).reshape(24, 24)
    out = room(24, 24, dtype=np.int32)
    check(launch("matmul", a, b, out, 24, grid=(3, 3), block=(8, 8)), 2, a @ b)


def test_sort_block(draw: np.random.Generator) -> None:
    x = words(draw, 512)
    result = launch("sort_block", x, grid=2, block=256, dynamic_shared_bytes=1024)
    check(result, 0, np.sort(x.reshape(2, 256), axis=1).reshape(-1))


def test_scan_block(draw: np.random.Generator) -> None:
    x = words(draw, 768)
    result = launch("scan_block", x, room(768), grid=3, block=256)
    check(result, 1, np.cumsum(x.reshape(3, 256), axis=1, dtype=np.uint32).reshape(-1))


def test_compact(draw: np.random.Generator) -> None:
    x = numbers(draw, 300)
    counter = room(1, dtype=np.int32)
    result = launch("compact", x, room(300, dtype=np.int32), counter, 300, grid=3, block=128)
    kept = x[x > 0]
    check(result, 1, [*kept, *[0] * (300 - len(kept))])
    check(result, 2, [len(kept)])


def test_counts(draw: np.random.Generator) -> None:
    x = numbers(draw, 256)
    result = launch("counts", x, room(8, 4, dtype=np.int32), grid=2, block=128)
    blocks, warps = x.reshape(2, 128), x.reshape(8, 32)
    columns = [
        np.repeat((blocks > 0).sum(axis=1), 4),
        np.repeat((blocks > -999).all(axis=1), 4),
        (warps > 990).any(axis=1),
        (warps < 995).all(axis=1),
    ]
    check(result, 1, np.stack(columns, axis=1))


def test_collatz() -> None:
    def count(x: int) -> int:
        return 0 if x == 1 else 1 + count(3 * x + 1 if x & 1 else x // 2)

    x = np.arange(1, 301, dtype=np.uint64)
    result = launch("collatz", x, room(300), 300, grid=3, block=128)
    check(result, 1, [count(n) for n in range(1, 301)])


def test_gcds(draw: np.random.Generator) -> None:
    a, b = words(draw, 500), words(draw, 500)
    check(launch("gcds", a, b, room(500), 500, grid=2, block=256), 2, np.gcd(a, b))


def test_longest_run(draw: np.random.Generator) -> None:
    x = (draw.random((60, 30)) < 0.7).astype(np.uint8)
    runs = [max(map(len, "".join(map(str, row)).split("0"))) for row in x]
    result = launch("longest_run", x, room(60, dtype=np.int32), 30, 60, block=64)
    check(result, 1, np.minimum(runs, 5))


def test_ackermann_like(draw: np.random.Generator) -> None:
    """A switch: each thread takes one of eight ways."""

    def compute(x: int) -> int:
        word, sign = x & _WORD, -1 if x < 0 else 1
        return [
            x * 3,
            abs(x) // 3 * sign,
            abs(x) % 7 * sign,
            -x,
            abs(x) >> 2,
            int(f"{word:032b}"[::-1], 2),
            32 - word.bit_length(),
            ~x,
        ][x & 7]

    x = numbers(draw, 200)
    result = launch("ackermann_like", x, room(200), 200, grid=2, block=128)
    check(result, 1, [compute(n) & _WORD for n in x.tolist()])


def test_digits(draw: np.random.Generator) -> None:
    """An array in local memory."""
    x = np.concatenate([words(draw, 30), np.arange(5, dtype=np.uint32)])
    text = "".join(f"{n:<10}" for n in x.tolist())
    result = launch("digits", x, room(350, dtype=np.uint8), 35, block=64)
    check(result, 1, np.frombuffer(text.encode(), np.uint8))


def _mix(x: int) -> int:
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCD & _LONG
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53 & _LONG
    return x ^ x >> 33


def test_hashes(draw: np.random.Generator) -> None:
    x = draw.integers(0, 2**63, 200).astype(np.uint64)
    result = launch("hashes", x, room(200, dtype=np.uint64), 200, grid=2, block=128)
    expected = [_mix(n) + _mix(n + 1) & _LONG for n in x.tolist()]
    check(result, 1, np.array(expected, np.uint64))


def test_by_pointer(draw: np.random.Generator) -> None:
    x = numbers(draw, 100)
    result = launch("by_pointer", x, room(100, dtype=np.int32), 100, block=128)
    check(result, 1, np.where(x & 1, 2 * x, x * x))
    counters = result.get_buffer("counters").values.view(np.int32)  # declared as bytes
    assert counters.tolist() == np.bincount(x & 3, minlength=4).tolist()


def test_binomials() -> None:
    result = launch("binomials", room(9, dtype=np.int32), block=9)
    check(result, 0, [math.comb(8, k) for k in range(9)])


def test_saturate(draw: np.random.Generator) -> None:
    a, b = (draw.integers(-(2**15), 2**15, 500).astype(np.int16) for _ in range(2))
    result = launch("saturate", a, b, room(500, dtype=np.int16), 500, grid=4, block=128)
    check(result, 2, np.clip(a.astype(int) + b, -(2**15), 2**15 - 1))


def test_sad4(draw: np.random.Generator) -> None:
    a, b = words(draw, 1000), words(draw, 1000)
    differences = np.abs(a.view(np.uint8).astype(int) - b.view(np.uint8))
    result = launch("sad4", a, b, room(1000), 1000, grid=4, block=256)
    check(result, 2, differences.reshape(-1, 4).sum(axis=1))


def test_crc32(draw: np.random.Generator) -> None:
    x = draw.integers(0, 256, (40, 13), dtype=np.uint8)
    result = launch("crc32", x, room(40), 13, 40, block=64)
    check(result, 1, np.array([zlib.crc32(row.tobytes()) for row in x], np.uint32))


def test_blur(draw: np.random.Generator) -> None:
    image = draw.integers(0, 256, (20, 31), dtype=np.uint8)
    padded = np.pad(image.astype(int), 1, mode="edge")
    weights = (1, 2, 1)
    total = sum(
        weights[j] * weights[i] * padded[j : j + 20, i : i + 31] for j in range(3) for i in range(3)
    )
    result = launch("blur", image, room(20, 31, dtype=np.uint8), 31, 20, grid=(4, 3), block=(8, 8))
    check(result, 1, np.asarray(total) // 16)


def test_words_of_bytes(draw: np.random.Generator) -> None:
    def compute(x: int, y: int, z: int, w: int) -> list[int]:
        parts = (x | y << 32).to_bytes(8, "little")
        return [
            int.from_bytes(bytes([parts[6], parts[4], parts[2], parts[0]]), "little"),
            (y << 32 | x) << (z & 31) >> 32 & _WORD,
            x * y >> 32,
            z.bit_count() + (w & -w).bit_length(),
        ]

    x = words(draw, 400).reshape(100, 4)
    result = launch("words_of_bytes", x, room(100, 4), 100, block=128)
    check(result, 1, [compute(*row) for row in x.tolist()])


def test_extremes(draw: np.random.Generator) -> None:
    x = draw.integers(-(2**62), 2**62, 500)
    result = launch("extremes", x, room(2, dtype=np.int64), 500, block=64)
    check(result, 1, [x.min(), x.max()])


def test_fixed_point(draw: np.random.Generator) -> None:
    def compute(a: int, b: int) -> int:
        divisor = b | 1
        quotient = abs(a) // abs(divisor) * (1 if (a < 0) == (divisor < 0) else -1)
        return (a * b + 0x8000 >> 16) + a * b + quotient & _WORD

    a, b = numbers(draw, 300, 2**22), numbers(draw, 300, 2**22)
    result = launch("fixed_point", a, b, room(300), 300, grid=3, block=128)
    check(result, 2, [compute(*x) for x in zip(a.tolist(), b.tolist(), strict=True)])


def test_prefix_codes(draw: np.random.Generator) -> None:
    x = draw.integers(0, 2**62, 100).astype(np.uint64)
    expected = [
        sum((n >> bit & 1) << 3 * bit for bit in range(21)) + n // 1000000007 + n % 97
        for n in x.tolist()
    ]
    result = launch("prefix_codes", x, room(100, dtype=np.uint64), 100, block=128)
    check(result, 1, np.array(expected, np.uint64))


def test_points(draw: np.random.Generator) -> None:
    """Structures: in a buffer, and as a parameter."""
    points = np.zeros(60, [("x", "i4"), ("y", "i4"), ("tag", "u1"), ("unused", "u1", 3)])
    points["x"], points["y"] = numbers(draw, 60), numbers(draw, 60)
    points["tag"] = draw.integers(0, 3, 60)
    offset = np.frombuffer(np.array([5, -7], np.int32).tobytes() + bytes([1, 0, 0, 0]), np.uint8)
    result = launch("points", points.view(np.uint8), offset, room(60, dtype=np.int64), 60, block=64)
    x, y = points["x"].astype(np.int64) + 5, points["y"].astype(np.int64) - 7
    check(result, 2, np.where(points["tag"] == 1, x * x + y * y, -1))


def test_average_f32(draw: np.random.Generator) -> None:
    x, scale = draw.normal(size=(100, 8)).astype(np.float32), np.float32(0.37)
    expected = []
    for row in x:
        total = np.float32(0)
        for value in row:  # in fractions: exact; the sum of two binary64 numbers is close enough
            exact = Fraction(float(value)) * Fraction(float(scale)) + Fraction(float(total))
            total = np.float32(float(exact))
        expected.append(total)
    result = launch("average_f32", x, room(100, dtype=np.float32), float(scale), 100, block=128)
    check(result, 1, np.clip(np.array(expected), -1, 1))


def test_quantize(draw: np.random.Generator) -> None:
    x = draw.normal(size=800).astype(np.float32)
    result = launch("quantize", x, room(800, dtype=np.int8), 50.0, 800, grid=7, block=128)
    check(result, 1, np.clip(np.rint(x * np.float32(50)), -128, 127))


def test_relu_rows(draw: np.random.Generator) -> None:
    x = draw.normal(size=(7, 40)).astype(np.float32)
    columns = np.arange(40, dtype=np.float32)
    out = room(7, 40, dtype=np.float32)
    result = launch("relu_rows", x, out, 40, 7, grid=(1, 2), block=(16, 4))
    check(result, 1, np.where(x > 0, x * np.float32(0.5) + columns, -np.abs(x)))


def test_floats_added() -> None:
    x = np.arange(100, dtype=np.float32)
    check(launch("floats_added", x, room(1, dtype=np.float32), 100, block=128), 1, [x.sum()])


def test_waves(draw: np.random.Generator) -> None:
    """Half of the results need a sine, which is not modelled; the other half is exact."""
    x = draw.normal(size=64).astype(np.float32)
    buffer = launch("waves", x, room(64, dtype=np.float32), 64, block=64).get_buffer("param1")
    assert buffer.causes is not None
    assert np.array_equal(buffer.causes != 0, np.arange(64) >= 32)
    assert np.array_equal(buffer.values[:32], x[:32] + np.float32(1))
