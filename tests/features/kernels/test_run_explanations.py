"""Explanations of runs: one fault is planted in a kernel, and the run must name its line first.

What is expected is what the kernel without the fault gives; `test_compiled_kernels` compares that
with NumPy.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

import ptxscope
from ptxscope.engine.semantics.models import ISA_MODEL
from ptxscope.features.kernels.launches.device_code import DeviceCode, load_device_code
from ptxscope.features.kernels.launches.instruction_changes import ChangeKind
from ptxscope.features.kernels.launches.kernel_run import (
    DEFAULT_MAX_STEPS,
    Launch,
    make_launch,
    run_kernel,
)
from ptxscope.features.kernels.launches.replicas import (
    ReplicaResults,
    ThreadSelection,
    run_replicas,
)
from ptxscope.features.kernels.launches.run_diagnosis import RunDiagnosis
from ptxscope.features.kernels.launches.run_explanations import explain_run
from ptxscope.features.kernels.launches.statement_changes import iter_changes
from ptxscope.features.kernels.launches.thread_state import LaunchError
from tests.driving.kernel_texts import is_like, read_kernels, replace_words
from tests.features.kernels.test_launches import KERNEL_DATA, make_kernel
from tests.reference_data import DATA, read_lines
from tests.tiers import ci_only, sampled, whole

Array = npt.NDArray[Any]
_COUNT = 64
_KERNELS = read_kernels(KERNEL_DATA / "faults.ptx")


class Case(NamedTuple):
    """The arguments of a kernel of ``tests/data``, and its launch."""

    arguments: tuple[Any, ...]
    options: Mapping[str, Any]


def case(*arguments: Any, grid: Any = 1, block: Any = 32) -> Case:
    return Case(arguments, {"grid": grid, "block": block})


def _draw(kind: str, *shape: int, low: int = 0, high: int = 0) -> Array:
    draw = np.random.default_rng(7)
    dtype = np.dtype(kind)
    if dtype.kind == "f":
        return draw.normal(size=shape).astype(dtype)
    info = np.iinfo(dtype)
    return draw.integers(low or info.min, high or info.max, shape, dtype=dtype)


def _room(kind: str, *shape: int) -> Array:
    return np.zeros(shape, kind)


_WORDS, _MORE_WORDS, _THIRD_WORDS = (_draw("u4", x, 80)[x - 1] for x in (1, 2, 3))
_NUMBERS = _draw("i4", 128, low=-1000, high=1000)
_OUT = _room("u4", _COUNT)
_FIXED = (_draw("i4", x, 64, low=-(2**22), high=2**22)[x - 1] for x in (1, 2))
_POINTS = np.stack([_NUMBERS[:64], _NUMBERS[64:], np.arange(64, dtype=np.int32) % 3], axis=1)
_OFFSET = np.frombuffer(np.array([5, -7], np.int32).tobytes() + bytes([1, 0, 0, 0]), np.uint8)
_BELOW = (_draw("u4", x, 64, high=5000)[x - 1] for x in (1, 2))
_CASES: dict[str, Case] = {
    "sad_stereo": case(_WORDS, _MORE_WORDS, _OUT, _COUNT, grid=2),
    "smith_waterman_cell": case(
        _WORDS, _MORE_WORDS, _THIRD_WORDS, _OUT, 0x03030303, _COUNT, grid=2
    ),
    "dp4a_by_vmad": case(_WORDS, _MORE_WORDS, _OUT, _COUNT, grid=2),
    "pack_clamp": case(_draw("i4", 4 * _COUNT, low=-300, high=600), _OUT, 300, _COUNT, grid=2),
    "gf256_double": case(_WORDS, _OUT, _COUNT, grid=2),
    "byte_funnel": case(_WORDS, _OUT, _COUNT, grid=2),
    "words_of_bytes": case(_draw("u4", 16, 4), _room("u4", 16, 4), 16),
    "saturate": case(_draw("i2", 64), _draw("i2", 2, 64)[1], _room("i2", 64), 64, grid=2),
    "fixed_point": case(*_FIXED, _OUT, 64, grid=2),
    "ackermann_like": case(_NUMBERS, _OUT, 64, grid=2),
    "points": case(_POINTS, _OFFSET, _room("i8", 64), 60, block=64),
    "prefix_codes": case(_draw("u8", 64), _room("u8", 64), 64, block=64),
    "crc32": case(_draw("u1", 8, 5), _room("u4", 8), 5, 8),
    "digits": case(_draw("u4", 7), _room("u1", 70), 7),
    "blur": case(_draw("u1", 8, 8), _room("u1", 8, 8), 8, 8, grid=(2, 2), block=(4, 4)),
    "collatz": case(np.arange(1, 65, dtype=np.uint64), _room("i4", 64), 64, grid=2),
    "gcds": case(*_BELOW, _OUT, 64, grid=2),
    "longest_run": case((_draw("u1", 16, 20) < 180).astype(np.uint8), _room("i4", 16), 20, 16),
    "scan_block": case(_draw("u4", 64), _OUT, block=64),
    "warp_sums": case(_NUMBERS, _room("i4", 4), grid=2, block=64),
    "counts": case(_NUMBERS, _room("i4", 4, 4), grid=2, block=64),
    "compact": case(_NUMBERS[:64], _room("i4", 64), _room("i4", 1), 64, grid=2),
    "transpose": case(_draw("u2", 7, 9), _room("u2", 9, 7), 9, 7, block=(16, 16)),
    "extremes": case(_draw("i8", 64), _room("i8", 2), 64),
}

_FAULTS = tuple(map(tuple, read_lines(KERNEL_DATA / "faults.txt", 3)))


_COMPILED, _VIDEO = ((DATA / x).read_text() for x in ("kernels.ptx", "video.ptx"))


def _read(name: str) -> str:
    """The file that has a kernel."""
    return next(x for x in (_COMPILED, _VIDEO) if f".entry {name}(" in x)


class PlantedFault(NamedTuple):
    """A kernel with one changed statement."""

    name: str
    line: int
    """The line of the statement."""
    code: DeviceCode


def plant(name: str, statement: str, fault: str) -> PlantedFault:
    """Replace a statement that a kernel has once by another one."""
    text = _read(name)
    start = text.index(f".entry {name}(")
    end = text.index("\n}\n", start)
    assert text.count(statement, start, end) == 1
    place = text.index(statement, start)
    changed = text[:place] + fault + text[place + len(statement) :]
    line = text.count("\n", 0, place) + 1
    return PlantedFault(name, line, load_device_code(changed, kernel=name))


def make(name: str, code: DeviceCode | None = None, **options: Any) -> Launch:
    """The launch of a kernel, or of changed code, with its arguments."""
    arguments, shape = _CASES[name]
    return make_own(_read(name) if code is None else code, name, arguments, **shape, **options)


def make_own(
    code: str | DeviceCode,
    name: str | None,
    arguments: Sequence[Any],
    *,
    grid: Any = 1,
    block: Any = 1,
    model: str = "isa",
    max_steps: int = DEFAULT_MAX_STEPS,
) -> Launch:
    """A launch with arguments in order."""
    given = {f"param{i}": x for i, x in enumerate(arguments)}
    return make_launch(code, given, name, grid, block, 0, model, max_steps)


@cache
def find_expected(name: str) -> Mapping[str, Mapping[int, int]]:
    """What a kernel without a fault gives."""
    result = make(name).run()
    assert result.is_exact or result.fidelity.decisions == ()
    return {
        x.name: dict(enumerate(x.values.reshape(-1).view(f"u{x.values.dtype.itemsize}").tolist()))
        for x in result.buffers.values()
        if x.is_changed
    }


def names_line_first(fault: PlantedFault, diagnosis: RunDiagnosis) -> bool:
    """Whether the likeliest explanation is of the line with the fault."""
    first = diagnosis.explanations[0] if diagnosis.explanations else None
    return bool(first and first.statement and first.statement.line == fault.line)


def test_the_planted_faults_number_forty() -> None:
    assert len(_FAULTS) == len(set(_FAULTS)) == 40


@cache
def diagnose(case: tuple[str, str, str]) -> tuple[PlantedFault, RunDiagnosis]:
    """Plant a fault, and explain the results of the kernel."""
    fault = plant(*case)
    launch, result = make(fault.name, fault.code), None
    with suppress(LaunchError):
        result = launch.run()
    return fault, explain_run(launch, result, find_expected(fault.name))


@pytest.mark.parametrize("case", _FAULTS, ids=lambda x: f"{x[0]}: {x[2]}")
@whole
def test_a_planted_fault_is_explained(case: tuple[str, str, str]) -> None:
    fault, diagnosis = diagnose(case)
    lines = [x.statement and x.statement.line for x in diagnosis.explanations]
    assert fault.line in lines
    assert all(x.match_count == diagnosis.element_count for x in diagnosis.explanations)


@ci_only
def test_the_line_of_a_planted_fault_is_named_first() -> None:
    count = sum(names_line_first(*diagnose(case)) for case in _FAULTS)
    assert count >= 32


def test_a_kernel_with_the_expected_result_has_no_explanation() -> None:
    launch = make("sad_stereo")
    diagnosis = explain_run(launch, launch.run(), find_expected("sad_stereo"))
    assert diagnosis == RunDiagnosis((), (), _COUNT, 0)


def test_an_incomplete_run_has_no_explanation() -> None:
    """A run that would give what was expected, had it gone on, has no explanation."""
    launch = make("collatz", max_steps=3000)
    result = launch.run()
    assert not result.is_complete
    diagnosis = explain_run(launch, result, find_expected("collatz"))
    assert not diagnosis.explanations


def test_a_fault_in_a_function_is_located_in_the_function() -> None:
    """Functions that the kernel can't call are not tried."""
    text = _COMPILED.replace("xor.b64  \t%rd6, %rd5", "and.b64  \t%rd6, %rd5")
    assert text != _COMPILED
    arguments = (_draw("u8", 8), _room("u8", 8), 8)
    right = make_own(_COMPILED, "hashes", arguments, block=32)
    launch = make_own(text, "hashes", arguments, block=32)
    expected = {"param1": right.run().get_buffer("param1").values}
    diagnosis = explain_run(launch, launch.run(), expected)
    first = diagnosis.explanations[0]
    assert first.statement
    assert first.statement.text.startswith("and.b64 %rd6, %rd5")


def test_a_bound_that_is_one_too_high_is_located() -> None:
    """The bound of a clamp is n rather than n - 1; another thread's element would be read."""
    body = """.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .b32 %r<9>; .reg .b64 %d<9>;
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  add.s32 %r3, %r2, 1;
  min.s32 %r4, %r3, %r1;
  mul.wide.s32 %d3, %r4, 4;
  add.s64 %d4, %d1, %d3;
  ld.global.u32 %r5, [%d4];
  mul.wide.s32 %d5, %r2, 4;
  add.s64 %d6, %d2, %d5;
  st.global.u32 [%d6], %r5;
  ret;
}
"""
    given = _draw("u4", 12)
    expected = {"param1": given[np.minimum(np.arange(12) + 1, 11)]}
    launch = make_own(body, "k", (given, _room("u4", 12), 12), block=12)
    with pytest.raises(LaunchError, match=r"reads 4 bytes at param0\[12\]"):
        launch.run()
    found = [(x.statement and x.statement.opcode, x.phrase)
             for x in explain_run(launch, None, expected).explanations]  # fmt: skip
    assert ("min", "with %r1 - 1 rather than %r1") in found


def test_a_shift_without_its_rounding_is_located() -> None:
    """Half the weight of the last bit is missing before the shift."""
    body = """.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<9>; .reg .b64 %d<9>;
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [out];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %d3, %r1, 4, %d1;
  mad.wide.u32 %d4, %r1, 4, %d2;
  ld.global.u32 %r2, [%d3];
  ld.global.u32 %r3, [%d3];
  mad.lo.s32 %r4, %r2, 5, %r3;
  shr.s32 %r5, %r4, 3;
  st.global.u32 [%d4], %r5;
  ret;
}
"""
    given = _draw("i4", 64, low=-5000, high=5000)
    launch = make_own(body, "k", (given, _room("i4", 64)), block=64)
    found = explain_run(launch, launch.run(), {"param1": (6 * given + 4) >> 3})
    assert [(x.statement and x.statement.opcode, x.phrase) for x in found.explanations] == [
        ("shr", "with %r4 + 4 rather than %r4")
    ]


@pytest.mark.parametrize(
    ("opcode", "phrase", "meant"),
    [
        ("and", "with ~%r3 rather than %r3", lambda a, b: a & ~b),
        ("or", "with ~%r2 rather than %r2", lambda a, b: ~a | b),
        ("xor", "with ~%r2 rather than %r2", lambda a, b: ~a ^ b),
        ("xor", "with -%r3 rather than %r3", lambda a, b: a ^ -b),
    ],
)
def test_an_operand_that_lacks_its_sign_is_located(
    opcode: str, phrase: str, meant: Callable[[Array, Array], Array]
) -> None:
    """No other operation of the same operands gives the values."""
    body = f"""
mov.u32 %r1, %tid.x; ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
mad.wide.u32 %d3, %r1, 8, %d1; mad.wide.u32 %d4, %r1, 4, %d2;
ld.global.v2.u32 {{%r2, %r3}}, [%d3];
{opcode}.b32 %r4, %r2, %r3; mad.lo.u32 %r5, %r2, %r3, %r4; st.global.u32 [%d4], %r5; ret;"""
    given = _draw("u4", 2 * _COUNT)
    a, b = given.reshape(-1, 2).T
    arguments = {"in": given, "out": _OUT}
    expected = {"out": a * b + meant(a, b)}
    found = ptxscope.explain_kernel(make_kernel(body), arguments, expected, block=_COUNT)
    first = found.explanations[0]
    assert (first.statement and first.statement.opcode, first.phrase) == (opcode, phrase)


_RACE = """.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .shared .align 4 .b8 s[32];
  .reg .b32 %r<9>; .reg .b64 %d<9>;
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [out];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %d3, %r1, 4, %d1;
  mad.wide.u32 %d4, %r1, 4, %d2;
  mov.u32 %r2, s;
  mad.lo.u32 %r3, %r1, 4, %r2;
  xor.b32 %r4, %r3, 4;
  ld.global.u32 %r5, [%d3];
  st.shared.u32 [%r3], %r5;
  bar.sync 0;
  ld.shared.u32 %r6, [%r4];
  add.u32 %r6, %r6, 1;
  st.shared.u32 [%r3], %r6;
  bar.sync 0;
  ld.shared.u32 %r7, [%r4];
  st.global.u32 [%d4], %r7;
  ret;
}
"""


def test_a_missing_barrier_is_found_though_every_element_is_right() -> None:
    """In lock-step, the neighbour reads before the second store; on a GPU it may read after it."""
    given = _draw("u4", 8)
    right = {"param1": given + np.uint32(1)}  # the neighbour's neighbour is the thread itself
    launch = make_own(_RACE, "k", (given, _room("u4", 8)), block=8)
    result = launch.run()
    assert result.conflicts
    (found,) = explain_run(launch, result, right).explanations
    assert found.statement
    assert found.statement.text == "st.shared.u32 [%r3], %r6"
    assert found.changed_text == "bar.sync 0"
    repaired = _RACE.replace("add.u32 %r6", "bar.sync 0;\n  add.u32 %r6")
    launch = make_own(repaired, "k", (given, _room("u4", 8)), block=8)
    assert not launch.run().conflicts
    assert not explain_run(launch, launch.run(), right).explanations


def test_one_expected_value_is_enough() -> None:
    fault = plant(*_FAULTS[0])
    launch = make(fault.name, fault.code)
    result = launch.run()
    values = result.get_buffer("param2").values
    ((name, expected),) = find_expected(fault.name).items()
    index = next(i for i, bits in expected.items() if bits != values[i])
    diagnosis = explain_run(launch, result, {name: {index: expected[index]}})
    assert names_line_first(fault, diagnosis)


def test_the_function_of_the_library_runs_and_explains() -> None:
    fault = plant(*_FAULTS[0])
    ((name, expected),) = find_expected(fault.name).items()
    launch = make(fault.name, fault.code)
    room = launch.run().get_buffer(name).values
    wanted = np.array(list(expected.values()), f"u{room.dtype.itemsize}").view(room.dtype)
    options = {"kernel": fault.name, **_CASES[fault.name].options}
    diagnosis = ptxscope.explain_kernel(fault.code, launch.arguments, {name: wanted}, **options)
    assert names_line_first(fault, diagnosis)
    assert diagnosis.element_count == len(expected)


def test_the_function_of_the_library_explains_a_kernel_that_fails() -> None:
    room, wanted = np.zeros(4, np.uint32), np.arange(4, dtype=np.uint32)
    diagnosis = ptxscope.explain_kernel(_KERNELS["beside"], {"out": room}, {"out": wanted}, block=4)
    assert [x.phrase for x in diagnosis.explanations] == ["with `4` rather than `8`"]


def test_an_expected_element_outside_the_buffer_is_refused() -> None:
    launch = make("sad_stereo")
    for expected, message in (
        ({"param2": {64: 1}}, "param2 has 64 elements, none at 64"),
        ({"param3": {0: 1}}, "param3 is not a buffer of this run"),
    ):
        with pytest.raises(ValueError, match=message):
            explain_run(launch, launch.run(), expected)


def test_an_assembler_that_deviates_explains_the_whole_kernel() -> None:
    launch = make("pack_clamp")
    documented = launch.run()
    values = make("pack_clamp", model="ptxas").run().get_buffer("param1").values
    assert not np.array_equal(documented.get_buffer("param1").values, values)
    diagnosis = explain_run(launch, documented, {"param1": values})
    assert diagnosis.explanations[0].statement is None
    assert "ptxas" in diagnosis.explanations[0].phrase


def test_two_faults_leave_near_misses() -> None:
    """No single change gives all; one that repairs the second half is the nearest."""
    launch = make_own(_KERNELS["halves"], None, (_room("u4", 16),), block=16)
    # three times the number for the first eight, the number less 100 for the others
    expected = [3 * x if x < 8 else (x - 100) & 0xFFFFFFFF for x in range(16)]
    diagnosis = explain_run(launch, launch.run(), {"out": dict(enumerate(expected))})
    assert not diagnosis.explanations
    assert next(x.statement and x.statement.line for x in diagnosis.near_misses) == 7
    assert diagnosis.near_misses[0].match_count == 8 + 2  # 0 and 3 are right in either way


def _read_memory(results: ReplicaResults, replica: int) -> Array:
    """The global memory of a replica."""
    return results.space.read_row(replica, 0, results.space.size)[0]


@pytest.mark.parametrize("name", [*_CASES][::3])
@sampled
def test_replicas_do_not_affect_each_other(name: str) -> None:
    """A change among many others gives what it gives alone."""
    launch = make(name)
    memory, draw = launch.make_memory(), random.Random(name)
    trials = [y for x in ChangeKind for y in iter_changes(launch.kernel, ISA_MODEL, x)]
    changes = [x.pick(i) for x in trials for i in range(x.replica_count)]
    changes = sorted(draw.sample(changes, min(len(changes), 90)), key=lambda x: x.original.span)
    threads = ThreadSelection(range(launch.shape.block_count))
    together = run_replicas(memory, changes, threads, ISA_MODEL, 1 << 12)
    for i in draw.sample(range(len(changes)), 3):
        alone = run_replicas(memory, changes[i : i + 1], threads, ISA_MODEL, 1 << 12)
        assert alone.is_complete[0] == together.is_complete[i]
        if alone.is_complete[0]:
            assert np.array_equal(_read_memory(alone, 0), _read_memory(together, i))


@pytest.mark.parametrize("name", ["pack_clamp", "byte_funnel", "crc32"])
def test_values_tried_at_once_give_what_each_gives_alone(name: str) -> None:
    launch = make(name)
    memory, draw = launch.make_memory(), random.Random(name)
    threads = ThreadSelection(range(launch.shape.block_count))
    trials = [
        x for x in iter_changes(launch.kernel, ISA_MODEL, ChangeKind.LIKELY) if x.replica_count > 1
    ]
    for trial in draw.sample(trials, 2):
        together = run_replicas(memory, [trial], threads, ISA_MODEL, 1 << 12)
        for i in draw.sample(range(trial.replica_count), 2):
            alone = run_replicas(memory, [trial.pick(i)], threads, ISA_MODEL, 1 << 12)
            assert alone.is_complete[0] == together.is_complete[i]
            if alone.is_complete[0]:
                assert np.array_equal(_read_memory(alone, 0), _read_memory(together, i))


def test_a_missing_conversion_is_explained_by_other_values() -> None:
    """The kernel adds words of another byte order than was meant: no single line is wrong."""
    x, y = _draw("u4", _COUNT), _draw("u4", 2, _COUNT)[1]
    arguments = (x, y, _OUT, 77, _COUNT)
    launch = make_own(_COMPILED, "saxpy_words", arguments, block=_COUNT)
    expected = x.byteswap() * np.uint32(77) + y
    diagnosis = explain_run(launch, launch.run(), {"param2": expected})
    first = diagnosis.explanations[0]
    assert first.statement
    assert first.statement.opcode == "mad"
    assert first.phrase == f"with the bytes of {first.statement.text.split()[2][:-1]} reversed"


@pytest.mark.parametrize("name", [x for x in _CASES if x != "collatz"][::8])
@ci_only
def test_an_unexplained_run_has_at_most_near_misses(name: str) -> None:
    launch = make(name)
    expected = {
        buffer: {i: bits * 7 + i + 1 & 0xFF for i, bits in elements.items()}
        for buffer, elements in find_expected(name).items()
    }
    diagnosis = explain_run(launch, launch.run(), expected)
    assert not diagnosis.explanations
    assert all(0 < x.match_count < diagnosis.element_count for x in diagnosis.near_misses)


@pytest.mark.parametrize(
    ("room", "expected", "message"),
    [
        (np.uint8, [300, 1], "out: 300 is not an integer of 8 bits"),
        (np.uint8, [-129, 1], "out: -129 is not an integer of 8 bits"),
        (np.int32, [1.5, 1], "out: 1.5 is not an integer of 32 bits"),
        (np.uint8, [-1, 255], ""),
        (np.int32, [-1, 2**32 - 1], ""),
        (np.float32, [0.1, 3], ""),
    ],
)
def test_expected_numbers_are_converted_to_the_type_of_the_buffer(
    room: type, expected: list[float], message: str
) -> None:
    ptx = ".visible .entry k(.param .u64 out) { ret; }"
    numbers: npt.NDArray[Any] = np.array(expected, room if room is np.float32 else np.int64)
    given: dict[str, Any] = {"out": numbers.astype(room)}
    wanted = {"out": np.array(expected)}
    if message:
        with pytest.raises(ValueError, match=message):
            ptxscope.explain_kernel(ptx, given, wanted)
    else:  # what the buffer has
        assert ptxscope.explain_kernel(ptx, given, wanted) == RunDiagnosis((), (), 2, 0)


def test_changes_skipped_for_lack_of_time_are_reported() -> None:
    given, wanted = {"out": np.zeros(1, "u4")}, {"out": np.array([0x01030204], "u4")}
    assert not ptxscope.explain_kernel(_KERNELS["bytes"], given, wanted).untried
    late = ptxscope.explain_kernel(_KERNELS["bytes"], given, wanted, timeout=0)
    assert (late.explanations, late.try_count) == ((), 0)
    assert late.untried == (
        "likely changes, other literals, missing statements, other registers, constants and labels,"
        " other values"
    )


@pytest.mark.parametrize(
    ("name", "right", "wrong", "block", "expected"), read_lines(KERNEL_DATA / "run_faults.txt", 5)
)
def test_a_fault_is_explained_by_line_statement_and_phrase(
    name: str, right: str, wrong: str, block: str, expected: str
) -> None:
    arguments: dict[str, Any] = {"out": np.full(128, 9, np.uint32)}
    if ".param .u64 in" in _KERNELS[name]:
        arguments["in"] = _draw("u4", 256)
        arguments["in"][:64] |= 0xFFFF0000  # whose sums carry
    if ".param .u32 n" in _KERNELS[name]:
        arguments["n"] = 0
    code = replace_words(_KERNELS[name], right)
    wanted = run_kernel(code, arguments, block=int(block)).get_buffer("out").values
    code = replace_words(_KERNELS[name], wrong)
    diagnosis = ptxscope.explain_kernel(code, arguments, {"out": wanted}, block=int(block))
    found = [
        f"{x.statement and x.statement.line}: {x.changed_text}: {x.phrase}"
        for x in diagnosis.explanations
    ]
    assert is_like("; ".join(found), expected), found
