"""``mma`` on integers and ``ldmatrix`` in runs, against the layouts that the PTX ISA lists."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

import ptxscope
from ptxscope.features.kernels.launches.kernel_run import KernelRun
from tests.features.kernels.test_launches import make_kernel, random_words, run

Layout = Callable[[int, int], tuple[int, int]]
"""The row and the column of element i in lane l, as the PTX ISA writes them."""

# PTX ISA 9.7.14.5: a and b of each shape, by the bits of an element
LAYOUTS: dict[tuple[str, int], tuple[Layout, Layout]] = {
    ("m8n8k16", 8): (
        lambda lane, i: (lane >> 2, lane % 4 * 4 + i),
        lambda lane, i: (lane % 4 * 4 + i, lane >> 2),
    ),
    ("m16n8k16", 8): (
        lambda lane, i: (lane >> 2 if i < 4 else (lane >> 2) + 8, lane % 4 * 4 + (i & 3)),
        lambda lane, i: (lane % 4 * 4 + i, lane >> 2),
    ),
    ("m16n8k32", 8): (
        lambda lane, i: (
            lane >> 2 if i < 4 or 8 <= i < 12 else (lane >> 2) + 8,
            lane % 4 * 4 + (i & 3) + (16 if i >= 8 else 0),
        ),
        lambda lane, i: (lane % 4 * 4 + (i & 3) + (16 if i >= 4 else 0), lane >> 2),
    ),
    ("m8n8k32", 4): (
        lambda lane, i: (lane >> 2, lane % 4 * 8 + i),
        lambda lane, i: (lane % 4 * 8 + i, lane >> 2),
    ),
    ("m16n8k32", 4): (
        lambda lane, i: (lane >> 2 if i < 8 else (lane >> 2) + 8, lane % 4 * 8 + (i & 7)),
        lambda lane, i: (lane % 4 * 8 + i, lane >> 2),
    ),
    ("m16n8k64", 4): (
        lambda lane, i: (
            lane >> 2 if i < 8 or 16 <= i < 24 else (lane >> 2) + 8,
            lane % 4 * 8 + (i & 7) + (32 if i >= 16 else 0),
        ),
        lambda lane, i: (lane % 4 * 8 + (i & 7) + (32 if i >= 8 else 0), lane >> 2),
    ),
}


def lay_out_sum(lane: int, i: int) -> tuple[int, int]:
    """The row and the column of a number of c and d."""
    return (lane >> 2) + (0 if i < 2 else 8), lane % 4 * 2 + (i & 1)


def read_matrix(
    words: np.ndarray, layout: Layout, bits: int, is_signed: bool
) -> dict[tuple[int, int], int]:
    """The elements of a matrix by row and column; ``words`` has a row for each lane."""
    matrix = {}
    for lane, row in enumerate(words.tolist()):
        whole = sum(word << 32 * i for i, word in enumerate(row))
        for i in range(32 * len(row) // bits):
            number = whole >> bits * i & (1 << bits) - 1
            number -= (number >> bits - 1 << bits) if is_signed else 0
            matrix[layout(lane, i)] = number
    return matrix


_HEAD = """
mov.u32 %r1, %tid.x;
ld.param.u64 %d1, [in];
ld.param.u64 %d2, [out];
mad.wide.u32 %d3, %r1, 64, %d1;
mad.wide.u32 %d4, %r1, 16, %d2;
"""
_A, _B, _C, _D = ([f"%r{first + i}" for i in range(4)] for first in (10, 20, 30, 34))


def multiply(
    name: str, words: np.ndarray, counts: tuple[int, int, int], head: str = ""
) -> KernelRun:
    """Run ``mma`` on the first words of each lane: four for a, four for b, four for c."""
    loads = "".join(
        f"ld.global.v4.u32 {{{', '.join(x)}}}, [%d3+{16 * i}];\n"
        for i, x in enumerate((_A, _B, _C))
    )
    vectors = ", ".join(
        f"{{{', '.join(x[:count])}}}"
        for x, count in zip((_D, _A, _B, _C), (counts[2], *counts), strict=True)
    )
    stores = "".join(f"st.global.u32 [%d4+{4 * i}], {_D[i]};\n" for i in range(counts[2]))
    body = f"{_HEAD}{loads}{head}mma.sync.aligned.{name} {vectors};\n{stores}ret;"
    out = f"zeros:u32:{4 * len(words)}"
    return run(make_kernel(body), words, out, block=len(words))


def draw_words(seed: str) -> np.ndarray:
    words = random_words(32 * 16, Random(seed).getrandbits(30)).reshape(32, 16)
    words[:, 8:12] >>= 2  # sums that mostly fit
    return words


@pytest.mark.parametrize("clamp", ["", ".satfinite"])
@pytest.mark.parametrize(("shape", "bits"), LAYOUTS)
@pytest.mark.parametrize("signs", ["ss", "su", "us", "uu"])
def test_a_product_has_every_element(shape: str, bits: int, signs: str, clamp: str) -> None:
    height, depth = (int(x) for x in shape[1:].replace("n8k", " ").split())
    counts = (height * depth * bits // 1024, 8 * depth * bits // 1024, height // 4)
    name = f"{shape}.row.col{clamp}.s32.{signs[0]}{bits}.{signs[1]}{bits}.s32"
    words = draw_words(name)
    words[:, 8] = 0x7FFFFFF0  # some that do not
    result = multiply(name, words, counts)
    assert result.is_exact
    first, second = LAYOUTS[shape, bits]
    a = read_matrix(words[:, : counts[0]], first, bits, signs[0] == "s")
    b = read_matrix(words[:, 4 : 4 + counts[1]], second, bits, signs[1] == "s")
    c = read_matrix(words[:, 8 : 8 + counts[2]], lay_out_sum, 32, is_signed=True)
    assert (len(a), len(b), len(c)) == (height * depth, 8 * depth, 8 * height)
    found = result.get_buffer("out").values.reshape(32, 4)
    for lane in range(32):
        for i in range(counts[2]):
            row, column = lay_out_sum(lane, i)
            total = c[row, column] + sum(a[row, k] * b[k, column] for k in range(depth))
            if clamp:
                total = max(-(2**31), min(total, 2**31 - 1))
            assert int(found[lane, i]) == total & 0xFFFFFFFF, (lane, i)


def test_a_product_of_a_part_of_a_warp_is_unknown() -> None:
    """The PTX ISA leaves it undefined."""
    name = "m8n8k16.row.col.s32.s8.s8.s32"
    result = multiply(name, draw_words("part")[:31], (1, 1, 2))
    assert {x.reason for x in result.fidelity.causes} == {"not all threads of the warp execute it"}
    assert np.ma.getmaskarray(result.get_buffer("out").values).reshape(-1, 4)[:, :2].all()


def test_one_unknown_factor_makes_the_product_of_its_warp_unknown() -> None:
    name, words = "m8n8k16.row.col.s32.s8.s8.s32", np.tile(draw_words("two"), (2, 1))
    head = "setp.eq.u32 %p1, %r1, 40;\n@%p1 mov.u32 %r10, %clock;\n"
    values = multiply(name, words, (1, 1, 2), head).get_buffer("out").values.reshape(64, 4)
    is_unknown = np.ma.getmaskarray(values)[:, :2]
    assert not is_unknown[:32].any()
    assert is_unknown[32:].all()


_LOAD = """
.shared .align 16 .b8 s[1024];
mov.u32 %r1, %tid.x;
ld.param.u64 %d1, [in];
ld.param.u64 %d2, [out];
mad.wide.u32 %d3, %r1, 16, %d1;
mad.wide.u32 %d4, %r1, 16, %d2;
mov.u32 %r2, s;
mad.lo.u32 %r3, %r1, 16, %r2;
ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d3];
st.shared.v4.u32 [%r3], {%r10, %r11, %r12, %r13};
bar.sync 0;
"""


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("trans", ["", ".trans"])
def test_matrices_are_loaded_from_the_rows_of_eight_threads(count: int, trans: str) -> None:
    """The addresses are in reverse; those of threads that give no row are not read."""
    registers = [f"%r{20 + i}" for i in range(count)]
    stores = "".join(f"st.global.u32 [%d4+{4 * i}], {x};\n" for i, x in enumerate(registers))
    line = (
        f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{', '.join(registers)}}}, [%r4];"
    )
    body = f"""{_LOAD}
xor.b32 %r4, %r1, 31;
mad.lo.u32 %r4, %r4, 16, %r2;
setp.ge.u32 %p1, %r1, {8 * count};
@%p1 mov.u32 %r4, 0xfff0;
{line}
{stores}ret;"""
    words = random_words(32 * 4, count)
    result = run(make_kernel(body), words, "zeros:u32:128", block=32)
    assert result.is_exact
    halves = words.view(np.uint16).reshape(32, 8)
    found = result.get_buffer("out").values.reshape(32, 4)
    for lane in range(32):
        for matrix in range(count):
            rows = [halves[31 - (8 * matrix + i)].tolist() for i in range(8)]
            row, column = lane // 4, lane % 4 * 2
            low, high = rows[row][column], rows[row][column + 1]
            if trans:
                low, high = rows[column][row], rows[column + 1][row]
            assert int(found[lane, matrix]) == low | high << 16, (lane, matrix)


def test_a_missing_or_needless_transposition_explains_what_was_loaded() -> None:
    """Expected are the elements of the other orientation, taken from the rows as NumPy has them."""
    words = random_words(32 * 4, 5)
    rows = words.view(np.uint16).reshape(32, 8)[:8]
    for trans, matrix, phrase in (
        ("", rows.T, "with `.trans`"),
        (".trans", rows, "without `.trans`"),
    ):
        line = f"ldmatrix.sync.aligned.m8n8.x1{trans}.shared.b16 {{%r20}}, [%r3];"
        body = f"{_LOAD}\n{line}\nst.global.u32 [%d4], %r20;\nret;"
        wanted = np.zeros((32, 4), np.uint32)
        wanted[:, 0] = np.ascontiguousarray(matrix).view(np.uint32).reshape(-1)
        given = {"in": words, "out": np.zeros(128, np.uint32)}
        found = ptxscope.explain_kernel(
            make_kernel(body), given, {"out": wanted.reshape(-1)}, block=32
        )
        assert found.explanations[0].phrase == phrase


def test_a_factor_read_at_half_its_offset_is_located() -> None:
    """Changes are tried on whole warps; the second factor is 128 bytes after the first."""
    body = """
mov.u32 %r1, %tid.x; ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
mad.wide.u32 %d3, %r1, 4, %d1; mad.wide.u32 %d4, %r1, 8, %d2;
ld.global.u32 %r2, [%d3]; ld.global.u32 %r3, [%d3+64]; mov.u32 %r4, 0;
mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r5, %r6}, {%r2}, {%r3}, {%r4, %r4};
st.global.u32 [%d4], %r5; st.global.u32 [%d4+4], %r6; ret;"""
    words = random_words(64)
    first, second = words.view(np.int8).reshape(2, 8, 16).astype(np.int32)
    found = ptxscope.explain_kernel(
        make_kernel(body),
        {"in": words, "out": np.zeros(64, np.int32)},
        {"out": (first @ second.T).ravel()},
        block=32,
    )
    assert [x.changed_text for x in found.explanations] == ["ld.global.u32 %r3, [%d3+128]"]
