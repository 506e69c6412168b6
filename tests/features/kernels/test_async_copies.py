"""``cp.async`` in runs: groups, waits, and what is unknown until then (PTX ISA 9.7.9.25)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptxscope.features.kernels.launches.kernel_run import KernelRun
from ptxscope.features.kernels.launches.thread_state import LaunchError
from tests.features.kernels.test_launches import make_kernel, random_words, run

_HEAD = """
.shared .align 16 .b8 s[2048];
mov.u32 %r1, %tid.x;
ld.param.u64 %d1, [in];
ld.param.u64 %d2, [out];
mad.wide.u32 %d3, %r1, 16, %d1;
mad.wide.u32 %d4, %r1, 16, %d2;
mov.u32 %r2, s;
mad.lo.u32 %r3, %r1, 16, %r2;
st.shared.v4.u32 [%r3], {%r1, %r1, %r1, %r1};
"""
_TAIL = """
ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r3];
st.global.v4.u32 [%d4], {%r10, %r11, %r12, %r13};
ret;
"""
WORDS = random_words(4 * 8)
ROWS = WORDS.reshape(8, 4).tolist()
COMMIT = "cp.async.commit_group;\n"


def copy(lines: str) -> KernelRun:
    return run(make_kernel(_HEAD + lines + _TAIL), WORDS, "zeros:u32:32", block=8)


def read(result: KernelRun) -> list[list[Any]]:
    """The four words that each thread has read; None for unknown ones."""
    rows: list[list[Any]] = result.get_buffer("out").values.reshape(8, 4).tolist()
    return rows


@pytest.mark.parametrize(
    "wait", ["cp.async.wait_all;", f"{COMMIT}cp.async.wait_group 0;", f"{COMMIT}cp.async.wait_all;"]
)
@pytest.mark.parametrize("line", ["cg.shared.global", "cg.shared::cta.global.L2::128B"])
def test_a_copy_is_there_after_a_wait(line: str, wait: str) -> None:
    result = copy(f"cp.async.{line} [%r3], [%d3], 16;\n{wait}")
    assert result.is_exact
    assert read(result) == ROWS


@pytest.mark.parametrize(
    "wait", ["", COMMIT, f"{COMMIT}cp.async.wait_group 1;", "cp.async.wait_group 0;"]
)
def test_a_copy_without_its_wait_is_unknown(wait: str) -> None:
    """A wait for groups does not wait for a copy that is in none."""
    result = copy(f"cp.async.ca.shared.global [%r3+8], [%d3], 8;\n{wait}")
    assert read(result) == [[thread, thread, None, None] for thread in range(8)]
    (cause,) = result.fidelity.causes
    assert cause.reason == "the thread has not waited for the copy here"


def test_groups_complete_in_their_order() -> None:
    lines = "".join(
        f"cp.async.ca.shared.global [%r3+{4 * i}], [%d3+{4 * i}], 4;\n{COMMIT}" for i in range(4)
    )
    result = copy(f"{lines}cp.async.wait_group 2;")
    assert read(result) == [[a, b, None, None] for a, b, _, _ in ROWS]


def test_threads_have_groups_of_their_own() -> None:
    """Even threads commit twice: their newest group is empty."""
    lines = f"""
and.b32 %r4, %r1, 1;
setp.eq.u32 %p1, %r4, 0;
cp.async.cg.shared.global [%r3], [%d3], 16;
{COMMIT}@%p1 {COMMIT}cp.async.wait_group 1;
"""
    for thread, row in enumerate(read(copy(lines))):
        assert row == (ROWS[thread] if thread % 2 == 0 else [None] * 4)


@pytest.mark.parametrize(("operand", "kept"), [("0", 0), ("5", 5), ("16", 16), ("%r4", 7)])
def test_bytes_past_the_source_are_zero(operand: str, kept: int) -> None:
    line = f"cp.async.cg.shared.global [%r3], [%d3], 16, {operand};"
    expected = WORDS.view(np.uint8).reshape(8, 16).copy()
    expected[:, kept:] = 0
    result = copy(f"mov.u32 %r4, 7;\n{line}\ncp.async.wait_all;")
    assert read(result) == expected.view(np.uint32).tolist()


def test_a_predicate_ignores_the_source() -> None:
    lines = """
setp.lt.u32 %p1, %r1, 3;
cp.async.cg.shared.global [%r3], [%d3], 16, %p1;
cp.async.wait_all;
"""
    assert read(copy(lines)) == [[0] * 4] * 3 + ROWS[3:]


def test_what_is_written_before_the_wait_stays_unknown() -> None:
    lines = """
cp.async.cg.shared.global [%r3], [%d3], 16;
st.shared.u32 [%r3+8], %r1;
cp.async.wait_all;
"""
    assert read(copy(lines)) == [[a, b, None, d] for a, b, _, d in ROWS]


def test_other_threads_need_a_barrier_too() -> None:
    """They read the words of the next thread."""
    shift = "add.u32 %r4, %r1, 1;\nand.b32 %r4, %r4, 7;\nmad.lo.u32 %r3, %r4, 16, %r2;\n"
    begin = "cp.async.cg.shared.global [%r3], [%d3], 16;\ncp.async.wait_all;\n"
    result = copy(f"{begin}bar.sync 0;\n{shift}")
    assert read(result) == ROWS[1:] + ROWS[:1]
    assert not result.conflicts
    assert copy(f"{begin}{shift}").conflicts


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cp.async.cg.shared.global [%r3], [%d1+4], 16;", "reads 16 bytes at .*, misaligned"),
        ("cp.async.ca.shared.global [%r3+2], [%d3], 4;", "writes 4 bytes at .*, misaligned"),
        ("cp.async.ca.shared.global [%r3], [%d3+128], 4;", "reads 4 bytes at .*, outside"),
        ("mov.u32 %r4, 9;\ncp.async.ca.shared.global [%r3], [%d3], 8, %r4;", "more than 8 bytes"),
    ],
)
def test_an_illegal_copy_ends_the_run(line: str, message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        copy(line)
