"""Kernels from their parameters to their stores, against NumPy and arithmetic done another way."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from ptxscope import PtxError
from ptxscope.features.kernels.launches import memory
from ptxscope.features.kernels.launches.kernel_run import KernelRun, run_kernel
from ptxscope.features.kernels.launches.thread_log import ThreadLog
from ptxscope.features.kernels.launches.thread_state import LaunchError
from tests.driving.kernel_texts import is_like, read_kernels, replace_words
from tests.reference_data import read_lines
from tests.tiers import ci_only, some

KERNEL_DATA = Path(__file__).parent / "data"
_KERNELS = read_kernels(KERNEL_DATA / "launches.ptx")
_HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
_REGISTERS = """
.reg .pred %p<9>;
.reg .b16 %h<9>;
.reg .b32 %r<40>;
.reg .b64 %d<40>;
.reg .f32 %f<9>;
"""
_ADDRESSES = """
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, 0;
ld.param.u64 %d1, [in];
ld.param.u64 %d2, [out];
"""
"""What most kernels begin with: the thread, the block, 0, the two buffers."""
_OWN = "mad.wide.u32 %d4, %r1, 4, %d2;\n"
"""The address of the thread's word of the second buffer."""

Array = npt.NDArray[Any]


def make_kernel(
    body: str, parameters: str = ".param .u64 in, .param .u64 out", head: str = ""
) -> str:
    """A module with one kernel ``k``."""
    return f"{_HEAD}{head}\n.visible .entry k({parameters})\n{{{_REGISTERS}{body}\n}}\n"


def read_kernel(name: str, functions: str = "") -> str:
    """A kernel of the file, with the functions below another name."""
    text = _KERNELS[name]
    if ".entry" in text:
        return text
    head, _, body = text.rpartition("// body\n")
    return make_kernel(_ADDRESSES + body, head=_KERNELS[functions] if functions else head)


def run(ptx: str, in_: Array | str, out: Array | str, **options: Any) -> KernelRun:
    """Run a kernel of two buffers."""
    return run_kernel(ptx, {"in": in_, "out": out}, **options)


def run_one(ptx: str, **options: Any) -> KernelRun:
    """Run a kernel of two buffers that have a word each."""
    return run(ptx, "zeros:u32:1", "zeros:u32:1", **options)


def random_words(count: int, seed: int = 1) -> npt.NDArray[np.uint32]:
    """The same words for the same seed."""
    return np.random.default_rng(seed).integers(0, 2**32, count, dtype=np.uint32)


class Case(NamedTuple):
    """A launch of a kernel, and what its second buffer is then."""

    in_: Array
    expected: Array | list[Any]
    options: Mapping[str, Any]
    functions: str = ""
    """Where the functions are that the kernel calls."""


_NOTHING = np.zeros(1, np.uint32)


def _accumulate(count: int, word: int) -> int:
    total = 0
    for step in range(count):
        total = (total + word & 0xFFFFFFFF) ^ step
    return total


def _extract_sub_words(data: npt.NDArray[np.uint8]) -> Array:
    """Bytes and half-words of rows of 8 bytes, as the kernel stores them in four words."""
    rows = data.reshape(-1, 8)
    halves = rows.view(np.uint16).astype(np.uint32)
    columns = [
        rows[:, 1].view(np.int8).astype(np.int32).view(np.uint32),
        rows[:, 2].astype(np.uint32),
        rows.view(np.int16)[:, 2].astype(np.int32).view(np.uint32),
        (halves[:, 3] | halves[:, 2] << 16) & 0xFFFFFF | rows[:, 1].astype(np.uint32) << 24,
    ]
    return np.stack(columns, 1)


def _exchange(words: npt.NDArray[np.uint32]) -> list[list[int]]:
    """A vote on the two low bits, their matches, the minimum and the exclusive or of each warp."""
    rows = []
    for i in range(len(words)):
        warp = words[i // 32 * 32 :][:32]
        low = warp & 3
        rows.append(
            [
                sum(1 << j for j in range(32) if low[j]),
                sum(1 << j for j in range(32) if low[j] == low[i % 32]),
                int(warp.view(np.int32).min().view(np.uint32)),
                int(np.bitwise_xor.reduce(warp)),
            ]
        )
    return rows


def _list_argument_sums(thread: int) -> tuple[int, int]:
    if thread & 1:
        return 0x12345678 + thread, 0xFFFFFFFF + 2 & 0xFFFFFFFF
    return 0x9ABCDEF0 + 8 * thread ^ thread, 0xFFFFFFFE ^ 1


_WORDS = random_words(100)
_THREADS = np.arange(64)
_BYTES = np.random.default_rng(5).integers(0, 256, 8 * 40, dtype=np.uint8)
_PAIRS = random_words(4 * 50)
_LOW_VOTES, _HIGH_VOTES = [0xFFFF, 1, sum(range(16)), 0], [0xFFEF0000, 0, sum(range(16, 32)), 16]
_FLOATS = np.array([0x00000001, 0x80000001, 0x3F800001, 0xFF800000, 0x7F7FFFFF], np.uint32)
_FLUSHED = np.where(_FLOATS << 1 < 0x01000000, _FLOATS & 0x80000000, _FLOATS).astype(np.uint32)
_CASES: dict[str, Case] = {
    # branches and calls; after the branches of `meeting` all threads vote: nobody is left behind
    "loop": Case(_WORDS, [_accumulate(*x) for x in enumerate(_WORDS.tolist())], {"block": 100}),
    "meeting": Case(_NOTHING, np.choose(np.minimum(_THREADS & 3, 2), [0, 1, 6]), {"block": 64}),
    "indexed_branch": Case(_NOTHING, [100, 200] * 4, {"block": 8}),
    "recursion": Case(_NOTHING, [5 << x for x in range(12)], {"block": 12}, "shifted"),
    "vector_registers": Case(_NOTHING, [11, 11, 6, 5], {}),
    # PTX ISA 9.7.12.5: a formal parameter of either state space takes registers, constants, memory
    "argument_kinds": Case(
        _NOTHING, [_list_argument_sums(x) for x in range(6)], {"block": 6}, "halves"
    ),
    "structure_argument": Case(_NOTHING, [10], {}),
    "inner_names": Case(_NOTHING, [11], {}),
    "early_end": Case(_NOTHING, np.where(_THREADS > 20, 0, _THREADS), {"block": 64}),
    # memory; nvcc 13.0 has the end of an array, less the thread, in 32 bits for sm_120
    "offset_width": Case(_NOTHING, _THREADS[::-1].astype(np.uint8), {"block": 64}),
    "sub_words": Case(_BYTES, _extract_sub_words(_BYTES), {"block": 40}),
    # exchanges
    "votes": Case(_WORDS[:64], _exchange(_WORDS[:64]), {"block": 64}),
    "half_votes": Case(_NOTHING, [*[_LOW_VOTES] * 16, *[_HIGH_VOTES] * 16], {"block": 32}),
    "barrier_reductions": Case(_NOTHING, [138] * 75, {"block": 75}),
    "producers": Case(_NOTHING, list(range(100, 132)), {"block": 64}),  # who arrives goes on
    "lock_free_sum": Case(_NOTHING, [sum(range(40))], {"block": 40}),
    # arithmetic
    "carry": Case(
        _PAIRS, _PAIRS.view(np.uint64).reshape(50, 2).sum(axis=1, dtype=np.uint64), {"block": 50}
    ),
    "widened": Case(_FLOATS, _FLOATS.view("f4").astype("f8").view("u8"), {"block": 5}),
    "flushed": Case(_FLOATS, _FLUSHED.view("f4").astype("f8").view("u8"), {"block": 5}),
    # nvcc extends a half with a register that nothing writes, and masks it
    "surviving_bits": Case(_NOTHING, [5], {}),
}


@pytest.mark.parametrize("name", _CASES)
def test_a_kernel_agrees_with_an_independent_computation(name: str) -> None:
    in_, expected, options, functions = _CASES[name]
    wanted = expected if isinstance(expected, np.ndarray) else np.array(expected, np.uint32)
    wanted = wanted.astype(np.uint32) if wanted.dtype == np.int64 else wanted
    result = run(read_kernel(name, functions), in_, np.zeros_like(wanted), **options)
    assert np.array_equal(result.get_buffer("out").values, wanted)
    assert result.is_exact
    assert not result.conflicts


def test_each_statement_is_counted_for_each_thread() -> None:
    count = run(read_kernel("loop"), _WORDS, "zeros:u32:100", block=100).step_count
    assert count == 10 * 100 + sum(6 * t + 2 for t in range(100)) + 2 * 100


@ci_only
def test_double_recursion_needs_one_frame_for_each_depth() -> None:
    """``fib`` has 2**14 paths of calls at depth 15; threads in different calls share it."""
    result = run(read_kernel("fibonacci"), "zeros:u32:1", "zeros:u32:16", block=16)
    numbers = [0, 1]
    while len(numbers) < 16:
        numbers.append(numbers[-1] + numbers[-2])
    assert result.get_buffer("out").values.tolist() == numbers
    assert result.is_exact


def test_a_reduction_of_a_barrier_writes_its_first_operand() -> None:
    log = ThreadLog(2)
    run_one(read_kernel("barrier_count"), block=5, log=log)
    (step,) = (x for x in log.steps if x.statement.opcode == "bar")
    assert [(x.name, x.bits) for x in step.reads] == [("%p1", 1)]
    assert [(x.name, x.bits) for x in step.writes] == [("%r4", 3)]


def test_a_log_does_not_list_a_function_as_a_register() -> None:
    """It is read like that of a variable; calls take it back to the function."""
    log = ThreadLog(0)
    result = run_one(read_kernel("function_address"), log=log)
    assert result.get_buffer("out").values.tolist() == [7]
    (step,) = (x for x in log.steps if x.statement.text.endswith("seven"))
    assert not step.reads
    assert not step.statement.instruction


def test_registers_of_eight_bits_hold_bytes() -> None:
    log = ThreadLog(0)
    result = run(read_kernel("bytes"), np.array([200, 190], np.uint8), "zeros:u32:5", log=log)
    expected = [200, 2**32 - 66, 200 - 66, 200 << 24 | 190 << 16 | 190 << 8 | 200, 190]
    assert result.get_buffer("out").values.tolist() == expected
    assert result.is_exact
    widths = [y.width for x in log.steps for y in x.writes if y.name in ("%b1", "%s", "%b2")]
    assert widths == [8, 8, 8]


@ci_only
def test_untouched_memory_occupies_no_memory() -> None:
    """A process of its own, whose memory may grow by 400 MB, reads and writes 64 places of 2 GB."""
    code = f"""
import resource
from ptxscope.features.kernels.launches.kernel_run import run_kernel
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in KiB
run_kernel({make_kernel("ret;")!r}, {{"in": "zeros:u32:1", "out": "zeros:u32:1"}})
before = peak()
arguments = {{"in": "zeros:u32:1", "out": "zeros:u64:125000000"}}
result = run_kernel({read_kernel("untouched")!r}, arguments, block=64)
large, out = result.get_buffer("large"), result.get_buffer("out")
assert large.data[15_000_000 * 63 : 15_000_000 * 63 + 4].tolist() == [63, 0, 0, 0]
assert int(out.data[15_000_000 // 8 * 5]) & 0xffffffff == 5
assert out.causes[15_000_000 // 8 * 5] and not out.causes[1]
assert (large.find_first_written(), out.find_first_written()) == (0, 0)
assert large.find_line(15_000_000 * 2) and not large.find_line(15_000_000 * 2 + 8)
assert large.find_thread(15_000_000 * 2) == 2 and large.find_thread(9) == -1
assert large.is_changed and not result.get_buffer("small").is_changed
assert result.get_buffer("small").data.tolist() == [7]
print(peak() - before)
"""
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert not process.stderr
    assert int(process.stdout) < 400_000


def test_buffers_beyond_the_memory_of_the_machine_are_refused_before_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "get_physical_memory", lambda: 1 << 20)
    empty = make_kernel("ret;")
    for kernel, in_ in (
        (empty, "random:u8:131073"),
        (empty, np.zeros(131073, np.uint8)),
        (read_kernel("untouched"), "[1]"),
    ):
        with pytest.raises(ValueError, match=r"bytes can need 8 times as much .* 1,048,576 bytes"):
            run(kernel, in_, "zeros:u8:8")
    assert run(empty, "zeros:u8:100000", "zeros:u8:8").is_exact


def test_variables_of_all_spaces_have_their_initial_values() -> None:
    ptx = read_kernel("variables")
    result = run(ptx, "zeros:u32:1", "zeros:u32:40", block=40, dynamic_shared_bytes=176)
    assert result.get_buffer("out").values.tolist() == [26 + 2 * x for x in range(40)]
    assert result.is_exact
    with pytest.raises(LaunchError, match=r"dynamic\+172, outside its 172 bytes"):
        run(ptx, "zeros:u32:1", "zeros:u32:40", block=40, dynamic_shared_bytes=172)


@pytest.mark.parametrize(("line", "message"), read_lines(KERNEL_DATA / "launch_errors.txt", 2))
def test_an_illegal_access_is_reported_with_its_line(line: str, message: str) -> None:
    with pytest.raises(LaunchError) as caught:
        run(make_kernel(f"{_ADDRESSES}{line}\nret;"), "zeros:u32:8", "zeros:u32:8", block=8)
    assert caught.value.statement
    head = f"line {caught.value.statement.line}: "
    assert is_like(str(caught.value), f"{head}…{message}"), str(caught.value)


@pytest.mark.parametrize(
    ("name", "words", "launch", "expected"), read_lines(KERNEL_DATA / "conflicts.txt", 4)
)
def test_two_threads_conflict_without_a_barrier_between_them(
    name: str, words: str, launch: str, expected: str
) -> None:
    ptx = replace_words(read_kernel(name), words)
    options: dict[str, Any] = {k: int(v) for k, v in (x.split("=") for x in launch.split())}

    def describe(text: str, thread: str) -> str:
        match = re.fullmatch(r"thread \((\d+),0,0\) of block \((\d+),0,0\)", thread)
        assert match
        block = f" of block {match[2]}" if "grid" in options else ""
        return f"{text.removeprefix('@%p1 ').removeprefix('@%p2 ').split()[0]} by {match[1]}{block}"

    found = []
    for x in run(ptx, random_words(64), np.zeros(64, np.uint32), **options).conflicts:
        assert x.text in ptx.split("\n")[x.line - 1]
        other = ptx.split("\n")[x.other_line - 1].strip()
        accesses = (describe(x.text, x.thread), describe(other, x.other_thread))
        found.append(f"{x.kind.name} {x.place}: {' after '.join(accesses)}")
    assert is_like(", ".join(found), expected), found


def test_special_registers_hold_the_numbers_of_the_thread() -> None:
    z, y, x = np.meshgrid(np.arange(4), np.arange(3), np.arange(5), indexing="ij")
    number = x + 5 * y + 15 * z
    same = 0 * number
    expected = {
        "%tid.x": x,
        "%tid.y": y,
        "%tid.z": z,
        "%ntid.y": same + 3,
        "%nctaid.x": same + 2,
        "%laneid": number % 32,
        "%warpid": number // 32,
        "%nwarpid": same + 2,
        "%lanemask_lt": (1 << number % 32) - 1,
        "%lanemask_ge": 2**32 - (1 << number % 32),
    }
    for name, numbers in (*expected.items(), ("%ctaid.y", None)):
        ptx = read_kernel("special").replace("SPECIAL", name)
        result = run(ptx, "zeros:u32:1", "zeros:u32:256", block=(5, 3, 4), grid=(2, 2))
        blocks = result.get_buffer("out").values.reshape(4, 64)
        for block, words in enumerate(blocks):
            wanted = same + block // 2 if numbers is None else numbers
            assert np.array_equal(words[:60], wanted.reshape(-1)), name
        assert not blocks[:, 60:].any()
        assert result.is_exact


@pytest.mark.parametrize(
    ("mode", "distance", "control", "source"),
    [
        ("up", "3", "0x0", lambda i: i - 3 if i >= 3 else i),
        ("down", "5", "0x1f", lambda i: i + 5 if i + 5 < 32 else i),
        ("bfly", "9", "0x1f", lambda i: i ^ 9),
        ("idx", "6", "0x181f", lambda i: i & ~7 | 6),
        ("down", "2", "0x1807", lambda i: i + 2 if i % 8 + 2 < 8 else i),
    ],
)
def test_a_shuffle_takes_the_word_of_its_source(
    mode: str, distance: str, control: str, source: Callable[[int], int]
) -> None:
    ptx = read_kernel("shuffle").replace("MODE", mode).replace("DISTANCE", distance)
    words = random_words(64)
    result = run(ptx.replace("CONTROL", control), words, "zeros:u32:64", block=64)
    places = [i // 32 * 32 + source(i % 32) for i in range(64)]
    is_inside = [
        int(place != i or (mode == "idx" and i % 8 == 6)) for i, place in enumerate(places)
    ]
    expected = words[places] ^ np.array(is_inside, np.uint32)
    assert np.array_equal(result.get_buffer("out").values, expected)


def test_threads_wait_for_their_warp_before_an_exchange() -> None:
    """The halves of a warp come to the same exchange one after the other."""
    result = run(read_kernel("late_exchange"), "zeros:u32:1", "zeros:u32:32", block=32)
    assert result.get_buffer("out").values.tolist() == [131] * 32
    ptx = read_kernel("late_exchange")
    never = ptx.replace("bra.uni ALL;", "shfl.sync.idx.b32 %r5, %r4, 31, 0x1f, -1; bra ALL;")
    with pytest.raises(LaunchError, match="waits for threads of its warp"):
        run(never, "zeros:u32:1", "zeros:u32:32", block=32)


@pytest.mark.parametrize("mask", [7, 0])
@pytest.mark.parametrize(
    ("operation", "type_", "function"),
    [
        ("add", "u32", lambda x, y: x + y),
        ("and", "b32", lambda x, y: x & y),
        ("or", "b32", lambda x, y: x | y),
        ("xor", "b32", lambda x, y: x ^ y),
        ("min", "u32", min),
        ("max", "u32", max),
        ("exch", "b32", lambda _, y: y),
        ("inc", "u32", lambda x, y: 0 if x >= y else x + 1),
        ("dec", "u32", lambda x, y: y if x == 0 or x > y else x - 1),
        ("max", "s32", lambda x, y: max(x, y, key=lambda v: v - (v >> 31 << 32))),
    ],
)
def test_atomic_operations_run_one_thread_after_the_other(
    operation: str, type_: str, function: Any, mask: int
) -> None:
    """Of fifty threads, at eight places or at one."""
    ptx = read_kernel("atomic").replace("OPERATION", f"{operation}.{type_}")
    words = random_words(8 + 50)
    result = run(ptx.replace("MASK", str(mask)), words, "zeros:u32:50", block=50)
    places, old = words[:8].tolist(), []
    for thread, word in enumerate(words[8:].tolist()):
        place = thread & mask
        old.append(places[place])
        places[place] = function(places[place], word) & 0xFFFFFFFF
    assert result.get_buffer("out").values.tolist() == old
    assert result.get_buffer("in").values[:8].tolist() == places
    assert not result.conflicts


@pytest.mark.parametrize(
    ("lines", "is_ordered"),
    [
        ("red.global.add.u32 [%d2], 1;", False),
        ("atom.global.add.u32 %r4, [%d2], 1;", False),
        ("atom.global.add.u32 %r4, [%d2], 1; add.u32 %r5, %r4, 1;", True),
        ("atom.global.add.u32 %r4, [%d2], 1; st.global.u32 [%d1], %r4;", True),
        ("atom.shared.add.u32 %r4, [%r9], 4; ld.shared.u32 %r5, [%r4];", True),
        ("atom.global.exch.b32 %r4, [%d2], %r1;", True),
        ("atom.global.cas.b32 %r4, [%d2], 0, %r1;", True),
    ],
)
def test_a_result_that_depends_on_the_order_is_noted(lines: str, is_ordered: bool) -> None:
    """Those of a sum do not matter if nothing reads them; nvcc writes them all the same."""
    body = (
        f"{_ADDRESSES}.shared .u32 x[9];\nmov.u32 %r9, x;\nst.shared.u32 [%r9], %r9;\n{lines}\nret;"
    )
    result = run_one(make_kernel(body), block=4)
    assert bool(result.fidelity.ordered_statements) is is_ordered
    result = run_one(make_kernel(body), block=1)
    assert not result.fidelity.ordered_statements


@ci_only
def test_a_waiting_thread_does_not_block_the_owner_of_the_lock() -> None:
    result = run_one(read_kernel("lock"), block=12)
    assert result.get_buffer("out").values.tolist() == [sum(range(12))]
    assert not result.conflicts


def _round(value: Fraction) -> int:
    """The bits of the nearest binary32 number to a fraction, ties to even, by its definition."""
    sign = 0x80000000 if value < 0 else 0
    value = abs(value)
    if not value:
        return sign
    exponent = max(value.numerator.bit_length() - value.denominator.bit_length(), -126)
    while value >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while exponent > -126 and value < Fraction(2) ** exponent:
        exponent -= 1
    scaled = value / Fraction(2) ** (exponent - 23)
    low = scaled.numerator // scaled.denominator
    rest = scaled - low
    low += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1)
    bits = low + (exponent + 126 << 23)
    return sign | min(bits, 0x7F800000)


def test_fused_multiplication_rounds_once() -> None:
    draw = Random(4)
    edges = [0x3F800001, 0x3F7FFFFF, 0x00800000, 0x00000001, 0x33800000, 0xBF800001, 0x7F7FFFFF]
    rows = []
    for _ in range(4000):
        row = [
            draw.choice(edges)
            if draw.random() < 0.3
            else draw.getrandbits(1) << 31 | draw.randint(90, 165) << 23 | draw.getrandbits(23)
            for _ in range(3)
        ]
        product = np.float64(np.uint32(row[0]).view("f4")) * np.uint32(row[1]).view("f4")
        if draw.random() < 0.4 and abs(product) < 1e38:  # the sum is near a tie
            row[2] = int((-product).astype("f4").view("u4")) ^ draw.getrandbits(2)
        rows.append(row)
    data = np.array(rows, np.uint32)
    padded = np.concatenate([data, np.zeros((4000, 1), np.uint32)], axis=1)
    result = run(read_kernel("fma"), padded, "zeros:u32:4000", block=256, grid=16)
    for row, bits in zip(data, result.get_buffer("out").values.tolist(), strict=True):
        a, b, c = (Fraction(float(x)) for x in row.view(np.float32))
        total = a * b + c
        if total:
            assert bits == _round(total), row


@pytest.mark.parametrize(
    ("line", "words", "expected"), read_lines(KERNEL_DATA / "float_results.txt", 3)
)
def test_floats_and_halves_are_computed_bit_by_bit(line: str, words: str, expected: str) -> None:
    load, store = "ld.global.v2.f32 {%f1, %f2}, [%d1];", "st.global.f32 [%d2], %f3;"
    body = f"{_ADDRESSES}{load}\n{line}\n{store}\nret;"
    operands = np.array([int(x, 16) for x in words.split()], np.uint32)
    result = run(make_kernel(body), operands, "zeros:u32:1")
    assert result.is_exact
    assert int(result.get_buffer("out").values[0]) == int(expected, 16)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("lines", "is_fusible"),
    [
        ("mul.f32 %f4, %f1, %f2; {}.f32 %f5, %f4, %f3;", True),
        ("mul.f32 %f4, %f1, %f2; mov.f32 %f1, %f3; {}.f32 %f5, %f4, %f1;", True),
        ("mul.f32 %f1, %f1, %f2; {}.f32 %f5, %f1, %f3;", True),
        ("mul.rn.f32 %f4, %f1, %f2; {}.f32 %f5, %f4, %f3;", False),
        ("mul.f32 %f4, %f1, %f2; {}.rn.f32 %f5, %f4, %f3;", False),
        ("mul.ftz.f32 %f4, %f1, %f2; {}.f32 %f5, %f4, %f3;", False),
        ("mul.f32 %f4, %f1, %f2; mov.f32 %f4, 0f3F800000; {}.f32 %f5, %f4, %f3;", False),
    ],
)
def test_a_fusible_sum_is_exact_only_if_fusion_changes_nothing(
    lines: str, is_fusible: bool, sign: int
) -> None:
    draw = Random(7)
    rows = np.array(
        [[draw.randint(124, 130) << 23 | draw.getrandbits(23) for _ in range(4)] for _ in range(64)]
    ).astype(np.uint32)
    rows[::2, :2] &= 0xFFFFF000  # these products are exact
    opcode = "add" if sign > 0 else "sub"
    ptx = read_kernel("fusible").replace("LINES", lines.format(opcode))
    result = run(ptx, rows, "zeros:u32:64", block=64)
    causes = result.get_buffer("out").causes
    unknown = np.zeros(64, bool) if causes is None else causes != 0
    expected = []
    for a, b, c in rows[:, :3].view(np.float32):
        once = _round(Fraction(float(a)) * Fraction(float(b)) + sign * Fraction(float(c)))
        product = Fraction(float(np.float32(np.float64(a) * np.float64(b))))
        expected.append(is_fusible and once != _round(product + sign * Fraction(float(c))))
    assert unknown.tolist() == expected
    assert not is_fusible or 8 < sum(expected) < 40


def test_a_failed_assertion_names_its_condition() -> None:
    with pytest.raises(LaunchError, match=r"an assertion fails: i < 3$"):
        run_one(read_kernel("assertion_text"))


def test_unknown_elements_are_masked() -> None:
    result = run(read_kernel("masked"), "zeros:u32:1", np.zeros((2, 2), np.uint32), block=4)
    buffer = result.get_buffer("out")
    assert np.ma.getmaskarray(buffer.values).tolist() == [[False, False], [True, False]]
    assert buffer.values.tolist() == [[0, 1], [None, 3]]
    assert int(buffer.values.sum()) == 4
    assert not np.ma.isMaskedArray(buffer.data)


def test_a_failed_assertion_ends_the_kernel() -> None:
    kernel = read_kernel("assertion")
    assert run(kernel, np.array([1, 2, 3], np.uint32), "zeros:u32:1", block=3).is_exact
    message = r"thread \(1,0,0\) of block \(0,0,0\) calls __assertfail: an assertion fails"
    with pytest.raises(LaunchError, match=message):
        run(kernel, np.array([1, 0, 3], np.uint32), "zeros:u32:1", block=3)
    unknown = kernel.replace("ld.global.u32 %r4, [%d3]", "mov.u32 %r4, %clock")
    assert not run(unknown, "zeros:u32:3", "zeros:u32:1").is_exact


@pytest.mark.parametrize(
    ("name", "type_", "block", "expected"),
    [
        ("unknown_vector", "u32", 1, "? ?"),
        ("unmodelled", "u32", 8, "? ? 8 3 4 5 6 7"),
        ("unwritten", "u32", 4, "5 6 ? ? ? ? ? ?"),
        ("one_bit", "u8", 1, "? ? ? ? ? ? ? ?"),
        ("unknown_sum", "f32", 4, "0 ? 0 0"),
        ("padding", "u8", 1, "0 0 0 0 0 0 0 0 ? ? ? ? 0 0 0 0 3 ? ? ? 7 0 0 0 0 0 0 0 ? ? ? ?"),
        ("absent_thread", "u32", 32, "4 5 6 7 8 9 ? ? ? ?"),
    ],
)
def test_only_what_depends_on_the_unknown_is_unknown(
    name: str, type_: str, block: int, expected: str
) -> None:
    wanted = [None if x == "?" else int(x) for x in expected.split()]
    out = f"zeros:{type_}:{len(wanted)}"
    result = run(read_kernel(name), "zeros:u32:1", out, block=block)
    assert result.get_buffer("out").values.tolist() == wanted
    assert not result.fidelity.decisions
    assert not result.is_exact


@pytest.mark.parametrize(("lines", "target"), read_lines(KERNEL_DATA / "unmodelled.txt", 2))
def test_no_result_of_an_unmodelled_instruction_is_exact(lines: str, target: str) -> None:
    body = f"{_ADDRESSES}mov.u32 %r5, 3;\n{lines}\nst.global.u32 [%d2], %r5; ret;"
    result = run(make_kernel(body), "zeros:u32:64", "zeros:u32:1")
    opcode = lines.partition(".")[0]
    assert [x.statement.opcode for x in result.fidelity.decisions] == [opcode] * (
        target == "memory"
    )
    causes = result.get_buffer("out").causes
    found = result.fidelity.iter_causes(0 if causes is None else int(causes[0]))
    reasons = [x and (x.statement.text, x.reason) for x in found]
    if target == "register":
        name = "%clock" if "%clock" in lines else lines.split()[0]
        assert reasons == [(lines.strip(";"), f"{name} is not modelled")]
    assert result.is_exact is (target == "nothing")


def test_an_unknown_value_that_decides_something_leaves_nothing_certain() -> None:
    start = f"{_ADDRESSES}{_OWN}ex2.approx.f32 %f1, %f2;\n"
    for lines, effect in (
        ("setp.lt.f32 %p1, %f1, 0f00000000; @%p1 bra E; E:", "the branch"),
        ("mov.b32 %r4, %f1; mov.b64 %d5, {%r4, %r3}; st.u32 [%d5], 1;", "the address of a store"),
        ("setp.lt.f32 %p1, %f1, 0f00000000; @%p1 st.global.u32 [%d4], 1;", "whether it acts"),
        ("cp.async.ca.shared.global [%r4], [%d4], 4;", "the destination of a copy"),
    ):
        result = run(make_kernel(f"{start}{lines}\nret;"), "zeros:u32:1", "zeros:u32:8", block=8)
        assert [x.effect for x in result.fidelity.decisions] == [effect]
        assert not result.is_exact


_BITS = "".join(
    f"shr.b32 %r6, %r5, {i}; and.b32 %r6, %r6, 1; st.global.u8 [%d4+{i}], %r6;\n" for i in range(32)
)
"""Lines that store each bit of a word as a byte."""


@pytest.mark.parametrize(
    "lines", some([x for (x,) in read_lines(KERNEL_DATA / "unknown_bits.txt", 1)], 0, 13)
)
def test_a_bit_is_unknown_exactly_if_it_depends_on_an_unknown_bit(lines: str) -> None:
    """The upper half of %r4 is a register that nothing writes, or all possible bits."""
    start = f"""{_ADDRESSES}
mad.wide.u32 %d3, %r1, 8, %d1; mad.wide.u32 %d4, %r1, 32, %d2;
ld.global.v2.u32 {{%r7, %r8}}, [%d3];
shr.u32 %r9, %r8, 27;
setp.lt.s32 %p1, %r8, 0;
cvt.u16.u32 %h1, %r8;
"""
    end = f"mov.b32 %r4, {{%h1, %h2}};\n{lines}\n{_BITS}ret;"
    words, out = random_words(64), np.zeros(32 * 32, np.uint8)
    buffer = run(make_kernel(start + end), words, out, block=32).get_buffer("out")
    is_unknown = np.zeros(len(out), bool) if buffer.causes is None else buffer.causes != 0
    results = [
        run(make_kernel(f"{start}mov.b16 %h2, {half};{end}"), words, out, block=32)
        .get_buffer("out")
        .values
        for half in (0, 0xFFFF, *range(0x1234, 0xFFFF, 0x2345))
    ]
    differs = np.any([x != results[0] for x in results], axis=0)
    assert is_unknown.tolist() == differs.tolist()
    assert np.array_equal(buffer.values[~differs], results[0][~differs])


@pytest.mark.parametrize(
    ("line", "isa", "ptxas"),
    [
        # the first row of tests/data/errata.csv (E1), and the example of E14 in docs/semantics.md
        ("vadd.u32.s32.s32.sat %r7.h1, %r4.b0, %r5.h1, %r6;", 0x10007F, 0x7F),
        ("mov.u32 %r7, 5; setp.ne.u32 %p1, %r1, %r1; @%p1 set.lt.f32.s32 %r7, %r4, %r5;", 5, None),
    ],
)
def test_a_model_is_that_of_every_instruction(line: str, isa: int, ptxas: int | None) -> None:
    body = f"""{_ADDRESSES}{_OWN}mov.u32 %r4, 0xf; mov.u32 %r5, 0x17fff; mov.u32 %r6, 0x7f;
{line}
st.global.u32 [%d4], %r7;
ret;"""
    other = 0x40A00000 if ptxas is None else ptxas
    for model, expected in (("isa", isa), ("ptxas-13.0", other)):
        result = run(make_kernel(body), "zeros:u32:1", "zeros:u32:2", block=2, model=model)
        assert result.get_buffer("out").values.tolist() == [expected] * 2


def test_a_run_ends_at_its_limit_of_steps() -> None:
    ptx = make_kernel("L: add.u32 %r1, 1, 1; bra L;", ".param .u32 n")
    result = run_kernel(ptx, {"n": 1}, block=4, max_steps=1000)
    assert not result.is_complete
    assert 1000 < result.step_count < 1020
    line = ptx[: ptx.index("L: add")].count("\n") + 1
    assert result.positions == ((line, 4),)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, r"k needs param0=… param1=… param2=…: param0 = a \(.u64\)"),
        ({"a": "zeros:u32:4", "x": 1}, "x is not a parameter of k"),
        ({"a": 1, "param0": 2}, "given twice"),
        ({"n": 70000}, r"n: 70000 does not fit in .u16"),
        ({"n": "zeros:u32:4"}, "for a pointer of 64 bits"),
        ({"a": "zeros:u33:4"}, "is not a type of buffers"),
        ({"a": "zeros:u32"}, "zeros:TYPE:COUNT"),
        ({"a": "[1,x]"}, "is not a value"),
        ({"a": "[]"}, "empty list"),
        ({"a": np.zeros(3, complex)}, "arrays of complex128 cannot be buffers"),
        ({"a": np.zeros(0)}, "the array is empty"),
        ({"n": 1.5}, "does not fit"),
    ],
)
def test_arguments_that_fit_no_parameter_are_refused(
    arguments: dict[str, Any], message: str
) -> None:
    ptx = make_kernel("ret;", ".param .u64 a, .param .f32 x0, .param .u16 n")
    with pytest.raises(ValueError, match=message):
        run_kernel(ptx, arguments)


def test_scalars_and_structures_reach_the_kernel() -> None:
    parameters = ".param .u64 out, .param .f32 x, .param .s8 small, .param .align 4 .b8 struct[8]"
    arguments: dict[str, Any] = {"param0": "zeros:u32:4", "x": 1.5, "small": -3, "struct": "[7,8]"}
    result = run_kernel(make_kernel(_KERNELS["scalars"], parameters), arguments)
    assert result.get_buffer("out").values.tolist() == [2**32 - 3, 8, 0x3FC00000, 0x3FC00000]
    assert result.is_exact


def test_the_arguments_stay_unchanged() -> None:
    data = np.zeros((2, 3), np.int32)
    body = f"{_ADDRESSES}st.global.u32 [%d2+8], 5;\nret;"
    ptx = make_kernel(body)
    result = run(ptx, np.zeros(1, np.uint8), data)
    assert not data.any()
    assert result.get_buffer("param1").values.tolist() == [[0, 0, 5], [0, 0, 0]]
    line = ptx[: ptx.index("st.global")].count("\n") + 1
    assert result.get_buffer("out").lines.tolist() == [0, 0, line, 0, 0, 0]


def test_a_log_has_the_origins_of_a_value_through_calls_and_memory() -> None:
    log = ThreadLog(37)
    ptx = read_kernel("log_of_calls", "shifted")
    words = random_words(64)
    result = run(ptx, words, "zeros:u32:64", block=64, log=log)
    assert result.get_buffer("out").values[37] == int(words[36]) << 1 & 0xFFFFFFFF
    store = log.find_store("param1", 37)
    assert store
    texts = [step.statement.text for _, step in log.find_origins(store)]
    assert texts[0] == "st.global.u32 [%d4], %r10"
    assert {"shl.b32 %r1, %r1, 1", "ld.shared.u32 %r8, [%r7]", "xor.b32 %r9, %r1, 1"} <= {*texts}
    assert "mov.u32 %r11, 99" not in texts
    assert "ld.global.u32 %r4, [%d3]" not in texts  # that of another thread is read
    (load,) = (x for x in log.steps if x.statement.text == "ld.shared.u32 %r8, [%r7]")
    (read,) = (x for x in load.reads if x.name == "x[36]")
    assert read.writer.endswith("thread (36,0,0) of block (0,0,0)")
    values = {name: bits for step in log.steps for name, bits, *_ in step.writes}
    assert values["%r10"] == int(words[36]) << 1 & 0xFFFFFFFF


def test_a_log_follows_values_through_registers_of_a_call() -> None:
    log = ThreadLog(2)
    run(read_kernel("log_of_registers", "halves"), "[0,0,256]", "zeros:u32:3", block=3, log=log)
    store = log.find_store("param1", 2)
    assert store
    texts = [step.statement.text for _, step in log.find_origins(store)]
    assert texts[:3] == [
        "st.global.u32 [%d4], %r5",
        "xor.b32 result, result, word",
        "cvt.u32.u64 result, pair",
    ]
    assert {"ld.global.u32 %r4, [%d3]", "call (%r5), lower, (pair, 12)"} <= {*texts}
    assert "mov.u32 %r5, 77" not in texts
    writes = {x.statement.text: [tuple(y) for y in x.writes] for x in log.steps}
    assert writes["call (%r5), lower, (pair, 12)"] == [("pair", 256, 64, 1), ("word", 12, 32, 1)]
    assert writes["xor.b32 result, result, word"] == [("result", 268, 32, 1), ("%r5", 268, 32, 0)]


@pytest.mark.parametrize("seed", some(range(20)))
def test_broken_ptx_never_causes_an_internal_error(seed: int) -> None:
    draw = Random(seed)
    lines = [
        *("ld.global.v2.u32 {%r4, %r5}, [%d1+8];", "shfl.sync.up.b32 %r4|%p1, %r1, 1, 0, -1;"),
        *("bar.red.popc.u32 %r4, 0, %p1;", "atom.global.cas.b32 %r4, [%d1], 0, 1;", "L:"),
        *("@!%p1 bra L;", "call (c), shifted, (a, b);", "mov.b64 {%r4, _}, %d1;", "{", "}"),
        *(".shared .u32 x[4] ;", "st.shared.u8 [x], %r4;", "cvt.rzi.s32.f32 %r4, %f1;"),
        *("vadd4.u32.u32.u32 %r4, %r1, %r1, %r1;", "vote.sync.all.pred %p1, !%p2, -1;"),
    ]
    for _ in range(20):
        words = re.findall(r"[%.\w$]+|\S", " ".join(draw.choices(lines, k=8)))
        for _ in range(draw.randint(1, 4)):
            words[draw.randrange(len(words))] = draw.choice(words)
        ptx = make_kernel(f"{_ADDRESSES}{' '.join(words)}", head=_KERNELS["shifted"])
        with suppress(PtxError, ValueError, LaunchError):
            run(ptx, "zeros:u32:9", "zeros:u32:9", block=3, max_steps=2000)


def test_the_progress_has_a_total_once_some_blocks_have_ended() -> None:
    body = f"{_ADDRESSES}st.global.u32 [%d1], %r1;\nret;"
    reports: list[tuple[int, int | None]] = []
    result = run_kernel(
        make_kernel(body),
        {"in": np.zeros(1024, np.uint32), "out": "zeros:u32:1"},
        grid=20,
        block=1024,
        on_progress=lambda *report: reports.append(report),
    )
    assert reports[0][1] is None
    assert reports[-1] == (result.step_count, result.step_count)


def test_a_run_is_short_in_a_notebook() -> None:
    body = f"{_ADDRESSES}st.global.u32 [%d1], 5;\nret;"
    result = run(make_kernel(body), "zeros:u32:64", "zeros:u32:1", block=4)
    assert repr(result) == "<KernelRun of k, grid 1,1,1, block 4,1,1: changed in; exact>"


def test_a_store_of_a_vector_is_found_by_each_of_its_elements() -> None:
    store = "mad.wide.u32 %d3, %r1, 8, %d2; st.global.v2.u32 [%d3], {%r1, %r2}; ret;"
    log = ThreadLog(1)
    run(make_kernel(_ADDRESSES + store), "zeros:u32:1", "zeros:u32:8", block=4, log=log)
    stores = [log.find_store("param1", i) for i in range(8)]
    assert [x is not None for x in stores] == [i in (2, 3) for i in range(8)]
    parts = [([y.name for y in x.reads], [tuple(y) for y in x.places]) for x in stores if x]
    assert [(names, place[0][:2]) for names, place in parts] == [
        (["%r1", "%d3"], ("param1[2]", 1)),
        (["%r2", "%d3"], ("param1[3]", 0)),
    ]
    assert log.find_store("param0", 0) is log.find_store("nothing", 0) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"block": (1, 1, 1, 1)}, r"block is one to three integers, not \(1, 1, 1, 1\)"),
        ({"block": ()}, r"block is one to three integers, not \(\)"),
        ({"grid": 1.5}, r"grid is one to three integers, not 1\.5"),
        ({"dynamic_shared_bytes": -1}, "dynamic shared memory can't have -1 bytes"),
    ],
)
def test_impossible_launch_shapes_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run_one(make_kernel("ret;"), **options)
    kernel = make_kernel(f"{_ADDRESSES}mov.u32 %r4, %ntid.y; st.global.u32 [%d2], %r4; ret;")
    shape: Any = [np.int64(1), np.int64(3)]
    assert run_one(kernel, block=shape).get_buffer("out").values[0] == 3


@pytest.mark.parametrize(
    "line",
    [
        "st.global.u32 [%d2], %r99;",
        "ld.global.u32 %r4, [%d99+4];",
        "ld.global.v2.u32 {%r4, %r99}, [%d1];",
        "mov.u32 %r99, %tid.x;",
        "mul.rn.f32 %f1, %f2, %f99;",
        "shfl.sync.idx.b32 %r4|%p99, %r1, 0, 31, -1;",
        "@%p99 bra L; L:",
        "vadd4.u32.u32 %r1, %r2, %r3, %r4;",
    ],
)
def test_illegal_ptx_is_an_error(line: str) -> None:
    with pytest.raises(PtxError, match=r"`%[a-z]99` is not declared here|`vadd4` is missing"):
        run_one(make_kernel(f"{_ADDRESSES}{line}\nret;"))


def test_a_kernel_packs() -> None:
    body = """ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d1];
cvt.pack.sat.s8.s32.b32 %r8, %r4, %r5, 0;
cvt.pack.sat.s8.s32.b32 %r8, %r6, %r7, %r8;
st.global.u32 [%d2], %r8; ret;"""
    result = run(make_kernel(body), np.array([1, -200, 3, 200], np.int32), "zeros:u32:1")
    assert result.is_exact
    assert result.get_buffer("out").values.tolist() == [0x0180037F]


_DIVERGENCE = """.entry k(.param .u64 p) {{
.reg .u32 %r<8>; .reg .u64 %d<3>; .reg .pred %q;
ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0;
mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;
{}
st.global.u32 [%d1], %r2;
END: ret; }}"""
_LOOP = """L: {}
add.u32 %r2, %r2, 1;
setp.le.u32 %q, %r2, {};
@%q bra L;
{}"""
_BRANCH = "setp.gt.u32 %q, %r1, 5;\n@%q bra M;\n{}"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (_LOOP.format("bar.sync 0;", "%r1", ""), "line 5: bar.sync 0: thread (1,0,0)"),
        (_LOOP.format("bar.sync 0;", "%r1", "bar.sync 0;"), "line 9: bar.sync 0: thread (0,0,0)"),
        (
            _LOOP.format("barrier.sync.aligned 0;", "%r1", ""),
            "line 5: barrier.sync.aligned 0: thread (1,0,0)",
        ),
        (_BRANCH.format("bar.sync 0;\nbra END;\nM: bar.sync 0;"), "line 7: bar.sync 0: thread"),
        (_LOOP.format("bar.sync 0;", "7", "bar.sync 0;"), ""),
        (_LOOP.format("barrier.sync 0;", "%r1", ""), ""),
        ("shr.u32 %r1, %r1, 5;\n" + _LOOP.format("bar.sync 0;", "%r1", ""), ""),
        ("setp.gt.u32 %q, %r1, 5;\n@%q bra END;\nbar.sync 0;", ""),
        (_BRANCH.format("B: bar.sync 0;\nbra END;\nM: mov.u32 %r2, 1;\nbra B;"), ""),
    ],
    ids=[
        *("loop left", "loop left for a barrier", "aligned", "branches"),
        *("uniform", "not aligned", "whole warps", "early return", "code elsewhere"),
    ],
)
def test_a_barrier_needs_all_threads_of_a_warp(code: str, error: str) -> None:
    for block in (8, 40, 64):
        arguments = {"p": np.zeros(block, np.uint32)}
        text = _DIVERGENCE.format(code)
        if not error:
            assert run_kernel(text, arguments, block=block, grid=2).is_exact
            continue
        with pytest.raises(LaunchError, match="all threads of a warp must execute") as raised:
            run_kernel(text, arguments, block=block, grid=2)
        assert str(raised.value).startswith(error)
