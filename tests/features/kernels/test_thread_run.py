"""A kernel's run in the explorer: positions in what one thread executes, without widgets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ptxscope.features.kernels.launch_request import load_kernel, parse_launch, suggest_launch
from ptxscope.features.kernels.thread_run import (
    ThreadRun,
    explain_thread_run,
    follow_thread,
    parse_thread_number,
    run_thread,
)
from tests.tiers import ci_only

PTX = """.func (.reg .u32 r) twice(.reg .u32 x)
{
  add.u32 r, x, x;
  ret;
}
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<6>;
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [out];
  ld.param.u32 %r8, [n];
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p1, %r1, %r8;
  @%p1 bra END;
  mul.wide.u32 %d3, %r1, 4;
  add.u64 %d4, %d1, %d3;
  add.u64 %d5, %d2, %d3;
  ld.global.u32 %r2, [%d4];
  call (%r3), twice, (%r2);
  vadd4.u32.u32.u32 %r4, %r3, %r2, %r8;
  st.global.u32 [%d5], %r4;
END:
  ret;
}
"""
VALUES = "in=[1,2,3] out=zeros:u32:3 n=3 --block 4"


def launch(text: str = VALUES, ptx: str = PTX) -> ThreadRun:
    """Run the kernel with arguments as they are typed."""
    code, kernel = load_kernel(ptx, "pasted", "k")
    return run_thread(parse_launch(code, kernel, text))


def line_of(run: ThreadRun) -> int:
    """The line of the next statement."""
    return run.next_step.statement.line if run.next_step else 0


def with_cursor_at(run: ThreadRun, line: int) -> ThreadRun:
    """The run with the cursor at the first statement of a line."""
    return run.move_cursor_to(next(x.place for x in run.rows if x.line == line))


def test_a_thread_goes_through_the_statements_and_back() -> None:
    run = launch()
    assert (run.thread, run.position, line_of(run), run.line) == (0, 0, 9, 9)
    assert run.registers == run.places == ()
    lines = [line_of(run)]
    while run.next_step:
        run = run.move_into()
        lines.append(line_of(run))
    assert lines == [9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 3, 4, 20, 21, 23, 0]
    assert run.move_into() == run
    for line in reversed(lines[:-1]):
        run = run.move_back()
        assert line_of(run) == line
    assert run.move_back() == run == launch()


def test_over_and_into_a_function() -> None:
    run = with_cursor_at(launch(), 19).move_to_cursor()
    assert line_of(run) == 19
    assert line_of(run.move_over()) == 20
    inside = run.move_into()
    assert line_of(inside) == 3
    assert "%r2" not in {x.name for x in inside.registers}  # of the caller
    assert line_of(inside.move_over()) == 4
    back = inside.move_over().move_over()
    assert line_of(back) == 20
    assert {x.name: x.bits for x in back.registers}["%r2"] == 1


def test_registers_that_a_call_and_a_return_write() -> None:
    run = with_cursor_at(launch(), 19).move_to_cursor().move_into()
    assert [(x.name, x.bits, x.is_changed) for x in run.registers] == [("x", 1, True)]
    assert {x.line: x.result for x in run.rows}[19] == ""
    back = run.move_over().move_over()
    assert [(x.name, x.bits) for x in back.registers if x.is_changed] == [("%r3", 2)]
    assert {x.line: x.result for x in back.rows}[4] == "0x00000002"
    assert not any(x.is_changed for x in back.move_back().registers if x.name == "x")


def test_what_a_step_writes_is_marked() -> None:
    run = launch().move_to_explained(1)
    assert line_of(run) == 13
    run = run.move_to_explained(1)
    assert line_of(run) == 20
    run = run.move_over()
    changed = [(x.name, x.bits, x.width) for x in run.registers if x.is_changed]
    assert changed == [("%r4", 3, 32)]
    assert [(x.name, x.bits, x.is_changed) for x in run.places] == [("param0[0]", 1, False)]
    run = run.move_over()
    assert [(x.name, x.bits, x.is_changed) for x in run.places] == [
        ("param1[0]", 3, True),
        ("param0[0]", 1, False),
    ]
    assert not any(x.is_changed for x in run.registers)
    assert [x.width for x in run.places] == [32, 32]
    assert {x.line: x.result for x in run.rows}[20] == "0x00000003"
    assert line_of(run.move_to_explained(-1)) == 20


def test_what_is_stored_is_as_wide_as_the_store_and_a_vector_is_its_elements() -> None:
    ptx = """.visible .entry k(.param .u64 out)
{
  .reg .b32 a, b; .reg .b64 p;
  ld.param.u64 p, [out];
  mov.u32 a, 7; mov.u32 b, 9;
  st.global.u8 [p], a;
  st.global.v2.u32 [p+8], {a, b};
}
"""
    run = launch("out=zeros:u8:16", ptx).move_to_end()
    places = [(x.name, x.bits, x.width, x.is_changed) for x in run.places]
    assert places == [
        ("param0+12", 9, 32, True),
        ("param0+8", 7, 32, True),
        ("param0[0]", 7, 8, False),
    ]
    results = {x.line: x.result for x in run.rows}
    assert (results[6], results[7]) == ("0x07", "0x00000007 0x00000009")


def test_the_cursor_moves_apart_from_the_thread() -> None:
    run = launch()
    run = run.move_cursor(2)
    assert (run.line, line_of(run)) == (11, 9)
    assert [x.line for x in run.rows if x.has_cursor] == [11]
    assert [x.line for x in run.rows if x.is_next] == [9]
    assert line_of(run.move_to_cursor()) == 11
    run = with_cursor_at(run.move_to_end(), 12).move_to_cursor()  # behind the thread
    assert line_of(run) == 12
    assert run.move_cursor(-99).line == 9
    assert run.move_cursor(99).line == 4  # a function comes after the kernel
    never = with_cursor_at(launch("in=[1,2,3] out=zeros:u32:3 n=0"), 21)
    assert never.move_to_cursor().position == 0


_ONE_LINE = """.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .b32 a, b; .reg .b64 o;
  ld.param.u32 a, [n]; ld.param.u64 o, [out];
  add.u32 b, a, 1; add.u32 a, a, b; mul.lo.u32 b, b, 10;
  st.global.u32 [o], b; ret;
}"""


def test_statements_on_one_line_have_their_own_results_and_cursor() -> None:
    run = launch("out=zeros:u32:1 n=4", _ONE_LINE)
    run = run.move_to(3)
    texts = ["add.u32 b, a, 1", "add.u32 a, a, b", "mul.lo.u32 b, b, 10"]
    rows = [x for x in run.rows if x.line == 5]
    assert [x.text for x in rows] == texts
    assert [(x.is_next, x.has_cursor, x.result) for x in rows] == [
        (False, False, "0x00000005"),
        (True, True, ""),
        (False, False, ""),
    ]
    ended = {x.text: x.result for x in run.move_to_end().rows}
    results = [int(ended[x], 16) for x in ("ld.param.u32 a, [n]", *texts)]
    assert results == [4, 4 + 1, 4 + 5, 5 * 10]
    down = run.move_cursor(1)
    assert [x.text for x in down.rows if x.has_cursor] == texts[2:]
    assert down.move_to_cursor().position == 4
    assert down.move_cursor(-1) == run
    evaluation = down.evaluation
    assert evaluation
    assert (str(evaluation.instruction), evaluation.values) == (f"{texts[2]};", {"b": 5})
    expecting = launch("out=zeros:u32:1 n=4 --expect out=[60]", _ONE_LINE)
    explained = expecting.with_diagnosis(explain_thread_run(expecting))
    suspects = [x.text for x in explained.rows if x.is_suspect]
    assert texts[0] in suspects  # 2 rather than 1: 10 * (4 + 2)
    assert texts[1] not in suspects  # its result is not read


def test_another_thread_is_followed_at_the_same_statement() -> None:
    run = launch().move_to_explained(1).move_to_explained(1)
    other = follow_thread(run, 2)
    assert (other.thread, line_of(other)) == (2, 20)
    assert {x.name: x.bits for x in other.registers}["%r2"] == 3
    assert other.title.startswith("thread (2,0,0) of block (0,0,0) · 13 of 16 steps")
    assert follow_thread(run, 3).position == 0  # it never comes there
    assert parse_thread_number(run, "3") == 3
    with pytest.raises(ValueError, match="there is no thread 4,0,0; a block is 4,1,1"):
        parse_thread_number(run, "4")


def test_a_run_begins_at_the_first_wrong_element(tmp_path: Path) -> None:
    np.save(tmp_path / "out.npy", np.array([3, 6, 10], np.uint32))
    run = launch(f"{VALUES} --expect out=@{tmp_path}/out.npy")
    assert run.message == "param1[2] is 0x00000009, not 0x0000000a"
    assert (run.thread, line_of(run)) == (2, 21)
    assert launch(f"{VALUES} --expect out[1]=6").message == "all is as expected"


def test_a_planted_fault_is_found() -> None:
    run = launch(f"{VALUES} --expect out=[3,6,9]", PTX.replace("vadd4.u32", "vsub4.u32"))
    run = run.with_diagnosis(explain_thread_run(run))
    assert run.line == 20
    assert [x.line for x in run.rows if x.is_suspect] == [20]
    with pytest.raises(ValueError, match="nothing is expected"):
        explain_thread_run(launch())
    with pytest.raises(ValueError, match="all is as expected: there is nothing to explain"):
        explain_thread_run(launch(f"{VALUES} --expect out=[3,6,9]"))


def test_a_thread_that_can_not_go_on_is_followed_to_its_end() -> None:
    run = launch("in=[1,2] out=zeros:u32:3 n=3 --block 4")
    assert "thread (2,0,0) of block (0,0,0) reads 4 bytes at param0[2]" in run.message
    assert (run.thread, run.line, run.next_step) == (2, 18, None)
    assert run.last_step
    assert run.last_step.statement.line == 17


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("in=[1,2,3]", "k needs param1=… param2=…"),
        (f"{VALUES} --grid 0", "grid has 0 along x"),
        (f"{VALUES} --save x", "--save is not one of --grid --block --shared --steps"),
        (f"{VALUES} --shared big", "--shared is a whole number, not big"),
        (f"{VALUES} --thread 9", "there is no thread 9,0,0"),
        (f"{VALUES} --expect n=3", "n is not a buffer here"),
        ("--expect out=3", "out is not a buffer here; no argument is one"),
        (f"{VALUES} --expect out[3]=1", "3 elements, none at 3"),
        (f"{VALUES} --expect 'out", "No closing quotation"),
        ("in=@none.npy out=zeros:u32:3 n=3", "none.npy: No such file"),
        ("in=@pyproject.toml out=zeros:u32:3 n=3", "is not a .npy file"),
    ],
)
def test_arguments_that_do_not_fit(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        launch(text)


_DAMAGED = {
    "archive": b"PK\x03\x04 and more",
    "pickle": b"\x80\x04K\x01.",
    "short": b"\x93NUMPY",
    "bracket": b"\x93NUMPY\x01\x00\x10\x00{'descr': ((((((\n",
    "vast": b"\x93NUMPY\x01\x00\x46\x00{'descr': '<u8', 'fortran_order': False,"
    b" 'shape': (1152921504606,), }\n",
    "header": b"\x93NUMPY\x02\x00\x00\x00\x01\x00" + b"{" + b" " * 65535,
}


@pytest.mark.parametrize("name", _DAMAGED)
def test_a_damaged_file_is_refused_with_a_message(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(_DAMAGED[name])
    for text in (f"in=@{path} out=zeros:u32:3 n=3", f"{VALUES} --expect out=@{path}"):
        with pytest.raises(ValueError, match=r"a\.npy is not a \.npy file"):
            launch(text)


@pytest.mark.parametrize("array", [np.array(["a", "b"]), np.zeros(3, "u4,u4"), np.zeros(3, "c16")])
def test_a_file_of_other_elements_is_refused_with_a_message(
    array: np.ndarray, tmp_path: Path
) -> None:
    np.save(tmp_path / "a.npy", array)
    path = tmp_path / "a.npy"
    for text in (f"in=@{path} out=zeros:u32:3 n=3", f"{VALUES} --expect out=@{path}"):
        with pytest.raises(ValueError, match="cannot be buffers"):
            launch(text)


def test_a_variable_of_128_bits_is_two_words_for_each_element() -> None:
    ptx = """.global .b128 g[2] = {1, 2};
.visible .entry k(.param .u64 out)
{
  .reg .b64 %d<3>;
  ld.param.u64 %d1, [out];
  ld.global.u64 %d2, [g+16];
  st.global.u64 [g+24], %d2;
  ret;
}"""
    result = launch("out=zeros:u32:1 --expect g[3]=2", ptx).result
    assert result
    assert result.get_buffer("g").values.tolist() == [1, 0, 2, 2]


_LOOP = """.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %d<6>;
  ld.param.u64 %d1, [out];
  ld.param.u32 %r4, [n];
  mov.u32 %r1, 0;
LOOP:
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d3, %d1, %d2;
  ld.global.u32 %r2, [%d3];
  add.u32 %r2, %r2, %r1;
  st.global.u32 [%d3], %r2;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, %r4;
  @%p1 bra LOOP;
  ret;
}"""


@ci_only
def test_each_position_of_a_long_run_shows_what_the_thread_has_done() -> None:
    """The state is kept at some steps only; here it is computed from the first one."""
    run = launch("out=zeros:u32:700 n=700", _LOOP)
    assert len(run.steps) == 3 + 8 * 700 + 1
    for position in (0, 1, 2047, 2048, 2049, 4096, 4097, 5000, len(run.steps)):
        moved = run.move_to(position)
        registers, places, results = dict[str, int | None](), dict[str, int | None](), {}
        for step in run.steps[:position]:
            registers |= {x.name: x.bits for x in step.writes}
            reads = [(x.name, x.bits) for x in step.reads if x.width]
            for name, bits in (*reads, *((x.name, x.bits) for x in step.places)):
                places.pop(name, None)
                places[name] = bits
            results[step.statement.line] = step.number
        assert {x.name: x.bits for x in moved.registers} == registers
        latest = list(places.items())[::-1]
        assert [(x.name, x.bits) for x in moved.places] == latest[:256]
        assert moved.older_place_count == max(len(latest) - 256, 0)
        assert {x.line for x in moved.rows if x.result} <= set(results)
        here = moved.next_step or moved.steps[-1]
        assert moved.step_at_cursor == here
    assert run.move_to(2048).pass_text == "pass 256 of 700"
    assert run.move_to(2048).move_cursor(1).move_to_cursor().position == 2049


def test_what_is_not_kept_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    run = launch("out=zeros:u32:9 n=9", _LOOP)
    assert (run.limit_text, run.title.endswith("0 of 76 steps")) == ("", True)
    stopped = launch("out=zeros:u32:9 n=9 --steps 40", _LOOP)
    assert "--steps sets a limit" in stopped.limit_text
    monkeypatch.setattr("ptxscope.features.kernels.launches.thread_log.MAX_STEPS", 50)
    cut = launch("out=zeros:u32:9 n=9", _LOOP)
    assert cut.title.endswith("0 of the first 50 steps")
    assert cut.limit_text == "The thread continues, but only 50 of its steps are kept."


def test_of_several_kernels_the_one_under_the_cursor_is_run() -> None:
    text = PTX + PTX[PTX.index(".visible") :].replace("entry k", "entry other")
    with pytest.raises(
        ValueError, match=r"twice is not a kernel; move the cursor into one of the 2"
    ):
        load_kernel(text, "kernels.ptx", "twice")
    _, kernel = load_kernel(text, "kernels.ptx", "other")
    assert kernel.name == "other"


def test_the_suggested_arguments_run_every_kernel() -> None:
    code, kernel = load_kernel(PTX, "kernel.ptx", "not a kernel's name")
    run = run_thread(parse_launch(code, kernel, suggest_launch(code, kernel)))
    assert len(run.steps) == 16
    assert run.thread_count == 64
    ptx = """.visible .entry k(.param .u64 out, .param .f64 x, .param .f32 y)
{
  .reg .b64 %d<3>;
  ld.param.u64 %d1, [out];
  ld.param.u64 %d2, [x];
  st.global.u64 [%d1], %d2;
  ret;
}"""
    code, kernel = load_kernel(ptx, "kernel.ptx", "k")
    result = run_thread(parse_launch(code, kernel, suggest_launch(code, kernel))).result
    assert result
    assert result.get_buffer("out").data[:2].view("f8").tolist() == [64.0]


def test_the_suggested_buffers_have_the_words_that_the_kernel_accesses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # the time of the trial stands still: a busy machine would suggest other words
    monkeypatch.setattr("ptxscope.features.kernels.launch_request.monotonic", lambda: 0.0)
    ptx = """.visible .entry k(.param .u64 table, .param .u64 wide, .param .u64 bytes,
  .param .u64 unused, .param .u32 n)
{
  .reg .b64 %d<9>; .reg .b32 %r<9>; .reg .b16 %h<2>; .reg .pred %p;
  ld.param.u64 %d1, [table];
  ld.param.u64 %d2, [wide];
  ld.param.u64 %d3, [bytes];
  ld.param.u32 %r2, [n];
  mov.u32 %r1, %tid.x;
  ld.global.u32 %r3, [%d1+1020];
  mad.lo.u32 %r4, %r1, %r2, 1;
  mul.wide.u32 %d4, %r4, 8;
  add.u64 %d4, %d2, %d4;
  setp.eq.u32 %p, %r3, 0;
  @%p ret;
  st.global.v2.u32 [%d4], {%r1, %r3};
  mul.wide.u32 %d5, %r1, 1;
  add.u64 %d5, %d3, %d5;
  atom.global.add.u32 %r5, [%d1+2000], 1;
  ld.global.u8 %h1, [%d5];
  ret;
}"""
    code, kernel = load_kernel(ptx, "kernel.ptx", "k")
    text = suggest_launch(code, kernel)
    # 63 * 64 + 1 is the last of the pairs of words; 64 bytes are 16 words
    assert [x.partition("=")[2] for x in text.split()[2:]] == [
        "random:u32:501:1",
        f"random:u32:{2 * (63 * 64 + 2)}:2",
        "random:u32:16:3",
        "random:u32:64:4",
        "64",
    ]
    assert run_thread(parse_launch(code, kernel, text)).result
    huge = ptx.replace("{", "{ .local .b8 x[600000];", 1)  # more than a GPU has
    code, kernel = load_kernel(huge, "kernel.ptx", "k")
    assert "random:u32:64:1" in suggest_launch(code, kernel)


def test_a_statement_in_a_loop_has_the_number_of_its_pass() -> None:
    ptx = """.visible .entry k(.param .u64 out)
{
  .reg .pred %p<2>; .reg .b32 %r<3>;
  mov.u32 %r1, 0;
LOOP:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, 4;
  @%p1 bra LOOP;
  ret;
}"""
    run = launch("out=zeros:u32:1", ptx)
    texts = []
    while run.next_step:
        texts.append(run.pass_text)
        run = run.move_into()
    loop = [f"pass {i} of 4" for i in (1, 2, 3, 4) for _ in range(3)]
    assert texts == ["", *loop, ""]
    assert run.pass_text == ""
