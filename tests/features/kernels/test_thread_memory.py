"""The contents of buffers at each step of a thread."""

from __future__ import annotations

import numpy as np
import pytest

from ptxscope.features.kernels.launch_request import load_kernel, parse_launch
from ptxscope.features.kernels.thread_memory import ShownBuffer, list_buffer_names, show_buffer
from ptxscope.features.kernels.thread_run import ThreadRun, run_thread
from tests.features.kernels.test_thread_run import with_cursor_at

_ROTATION = """.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<9>; .reg .b64 %d<6>;
  .shared .align 4 .b8 tile[32];
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r7, %ctaid.x;
  mad.lo.u32 %r8, %r7, 8, %r1;
  mul.wide.u32 %d3, %r8, 2;
  add.u64 %d4, %d1, %d3;
  add.u64 %d5, %d2, %d3;
  ld.global.u16 %r2, [%d4];
  mov.u32 %r3, tile;
  mad.lo.u32 %r4, %r1, 4, %r3;
  st.shared.u32 [%r4], %r2;
  bar.sync 0;
  add.u32 %r5, %r1, 1;
  and.b32 %r5, %r5, 7;
  mad.lo.u32 %r5, %r5, 4, %r3;
  ld.shared.u32 %r6, [%r5];
  st.global.u16 [%d5], %r6;
  ret;
}"""
_INPUT = ",".join(str(10 * i) for i in range(24))
_VALUES = f"--grid 3 --block 8 in=[{_INPUT}]:u16 out=zeros:s16:24"


def follow(thread: str = "2@1", more: str = "") -> ThreadRun:
    """Run the kernel, and follow a thread."""
    code, kernel = load_kernel(_ROTATION, "pasted", "k")
    return run_thread(parse_launch(code, kernel, f"{_VALUES} --thread {thread} {more}"))


def texts(buffer: ShownBuffer) -> list[str]:
    return [x.text for x in buffer.elements]


def at_line(run: ThreadRun, line: int) -> ThreadRun:
    """The run before a line."""
    return with_cursor_at(run, line).move_to_cursor()


def test_a_buffer_is_shown_as_all_threads_have_left_it() -> None:
    run = follow()
    assert list_buffer_names(run) == ("param0", "param1", "tile")
    before, after = at_line(run, 22), at_line(run, 23)
    assert texts(show_buffer(before, "param1")) == ["0"] * 24
    shown = show_buffer(after, "param1")
    rotated = np.roll(np.arange(0, 240, 10).reshape(3, 8), -1, axis=1).reshape(-1)
    assert texts(shown) == [str(x) for x in rotated]
    assert shown.title == "param1 out (s16 × 24)"
    assert [i for i, x in enumerate(shown.elements) if x.is_changed] == [8 + 2] == [shown.focus]
    assert all(x.is_written for x in shown.elements)
    assert texts(show_buffer(after, "param0")) == _INPUT.split(",")
    assert texts(show_buffer(after.move_back(), "param1")) == ["0"] * 24


def test_shared_memory_is_that_of_the_block_in_the_width_of_its_stores() -> None:
    run = follow()
    assert texts(show_buffer(at_line(run, 16), "tile")) == ["?"] * 8
    shown = show_buffer(at_line(run, 17), "tile")
    assert shown.title == "tile (u32 × 8)"
    assert texts(shown) == [str(10 * i) for i in range(8, 16)]
    assert [i for i, x in enumerate(shown.elements) if x.is_changed] == [2]


def test_what_is_not_as_expected_is_marked_at_the_end() -> None:
    run = follow("0", "--expect out[3]=41 --expect out[4]=50").move_to_end()
    shown = show_buffer(run, "param1")
    assert [i for i, x in enumerate(shown.elements) if x.is_wrong] == [3]
    assert shown.focus == 3
    assert not any(x.is_wrong for x in show_buffer(run.move_back(), "param1").elements)


def test_a_run_that_fails_has_its_contents_until_then() -> None:
    code, kernel = load_kernel(_ROTATION, "pasted", "k")
    values = _VALUES.replace("out=zeros:s16:24", "out=zeros:s16:5")
    run = run_thread(parse_launch(code, kernel, values))
    assert run.result is None
    assert texts(show_buffer(run, "param1")) == ["0"] * 5
    assert texts(show_buffer(run, "tile")) != ["?"] * 8


@pytest.mark.parametrize("count", [1, 40000])
def test_a_long_buffer_is_shown_around_what_changes(count: int) -> None:
    code, kernel = load_kernel(_ROTATION, "pasted", "k")
    values = _VALUES.replace("zeros:s16:24", f"zeros:s16:{count + 24}")
    shown = show_buffer(run_thread(parse_launch(code, kernel, values)), "param1")
    assert shown.element_count == count + 24
    assert len(shown.elements) == min(count + 24, 1 << 14)
