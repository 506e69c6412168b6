"""``ptxscope run`` on kernels with parameters."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.cli.running import Done, run
from tests.kernel_texts import read_kernels
from tests.reference_data import read_lines

_KERNELS = read_kernels("run.ptx")
MakeFile = Callable[..., str]


@pytest.fixture
def make_file(tmp_path: Path) -> MakeFile:
    """Returns the file of a kernel, in which a text is another one."""

    def make(name: str = "halved", old: str = "", new: str = "") -> str:
        file, text = tmp_path / f"{name}.ptx", _KERNELS[name]
        assert old in text
        file.write_text(text.replace(old, new) if old else text)
        return str(file)

    return make


@pytest.fixture
def kernel(make_file: MakeFile) -> str:
    """The file of a kernel that halves numbers."""
    return make_file()


def change(file: str, old: str, new: str) -> None:
    """Replace text of a file that has it."""
    text = Path(file).read_text()
    assert old in text
    Path(file).write_text(text.replace(old, new))


def launch(kernel: str, *words: str, block: int = 4) -> Done:
    """Run with the input 10, 21, 30, 41 and room for four results."""
    values = ["param0=[10,21,30,41]", "halves_out=zeros:u32:4", "param2=4"]
    names = {word.partition("=")[0] for word in words}
    given = [x for x in values if x.partition("=")[0] not in names]
    return run("run", kernel, "--block", str(block), *given, *words)


def test_buffers_are_read_from_files_and_saved(kernel: str, tmp_path: Path) -> None:
    words = np.random.default_rng(2).integers(0, 2**32, 100, dtype=np.uint32)
    np.save(tmp_path / "in.npy", words)
    words[:50].tofile(tmp_path / "in.bin")
    for source, count in (("in.npy", 100), ("in.bin:u32", 50)):
        for target in ("out.npy", "out.bin"):
            done = run(
                *("run", kernel, "--kernel", "halves", "--block", "128"),
                f"param0=@{tmp_path}/{source}",
                f"halves_out=zeros:u32:{count}",
                f"param2={count}",
                *("--save", f"param1={tmp_path}/{target}"),
            )
            assert (done.returncode, done.stderr) == (0, "")
        assert np.array_equal(np.load(tmp_path / "out.npy"), words[:count] // 2)
        assert np.array_equal(np.fromfile(tmp_path / "out.bin", np.uint32), words[:count] // 2)
    twice = (f"--save=param1={tmp_path}/first.npy", f"--save=param1={tmp_path}/second.npy")
    assert launch(kernel, *twice).returncode == 0
    for name in ("first.npy", "second.npy"):
        assert np.load(tmp_path / name).tolist() == [5, 10, 15, 20]


def test_a_launch_reports_changed_buffers(kernel: str) -> None:
    done = launch(kernel)
    assert done.returncode == 0
    assert done.stdout == (
        "halves, grid 1,1,1, block 4,1,1, model isa\n"
        "4 threads executed 60 instructions\n"
        "\n"
        "param1 halves_out (u32 × 4): exact\n"
        "  [0]  5 10 15 20\n"
        "\n"
        "unchanged: param0\n"
    )


def test_unknown_values_are_reported_with_their_lines(kernel: str, tmp_path: Path) -> None:
    change(kernel, "shr.u32 %r4, %r3, 1;", "@%p2 shr.u32 %r4, %r3, 1; tanh.approx.f32 %f1, %f2;")
    change(kernel, "st.global.u32 [%d5], %r4;", "st.global.f32 [%d5], %f1;")
    done = launch(kernel, "--save", f"param1={tmp_path}/out.npy")
    assert "halves_out (u32 × 4): 4 of 4 unknown because of line 19" in done.stdout
    assert "  [0] ? ? ? ?\n" in done.stdout
    assert "line 19: tanh.approx.f32 %f1, %f2: tanh.approx.f32 is not modelled" in done.stdout
    assert "out.npy has 4 unknown values" in done.stderr
    change(kernel, "setp.ge.u32 %p1, %r1, %r8;", "setp.gt.f32 %p1, %f1, %f2;")
    done = launch(kernel)
    assert "line 13: @%p1 bra END: an unknown value decided the branch, 4 times; no result" in (
        done.stdout
    )


def test_mismatches_are_reported_with_the_writing_lines(kernel: str, tmp_path: Path) -> None:
    np.save(tmp_path / "expected.npy", np.array([5, 10, 15, 20], np.uint32))
    for expected in (f"param1=@{tmp_path}/expected.npy", "param1=[5,10,15,20]", "param1[2]=0xf"):
        done = launch(kernel, "--expect", expected)
        assert done.returncode == 0
        assert " as expected" in done.stdout
    done = launch(kernel, "--expect", "halves_out[2]=16", "--expect", "param1[0]=5")
    assert done.returncode == 1
    assert "param1: 1 of 2 are not as expected" in done.stdout
    assert "  param1[2] is 15, not 16: written at line 20\n" in done.stdout
    done = launch(kernel, "param2=3", "--expect", "param1=[5,10,15,20]")
    assert "param1[3] is 0, not 20: never written" in done.stdout


@pytest.mark.parametrize(
    ("expected", "verdict"),
    [
        ("param1[2]=0x????000f", "1 element as expected"),
        ("param1[2]=0b1?11", "1 element as expected"),
        ("param1=[5,?,15,?]", "4 elements as expected"),
        ("param1=[5,?,16,?]", "param1[2] is 15, not 16: written at line 20"),
        ("param1[2]=0x??????1?", "param1[2] is 0x0000000f, not 0x??????1?: written at line 20"),
        ("param1[0]=0x?", "1 element as expected"),
        ("param1=[5,10,?,20]:u8", "4 elements as expected"),
    ],
)
def test_digits_and_elements_that_are_not_known(kernel: str, expected: str, verdict: str) -> None:
    done = launch(kernel, "--expect", expected)
    assert verdict in done.stdout
    assert done.returncode == int("written" in verdict)


def test_a_change_explains_the_digits_that_are_known(kernel: str) -> None:
    change(kernel, "shr.u32 %r4, %r3, 1", "shr.u32 %r4, %r3, 2")
    done = launch(kernel, "--expect", "param1=[?,0x??????0a,15,?]", "--explain")
    assert "line 19 with `1` rather than `2` explains all 2 values" in done.stdout


def test_floats_are_expected_as_numbers(kernel: str, tmp_path: Path) -> None:
    change(kernel, "shr.u32 %r4, %r3, 1", "mov.b32 %f1, %r3; add.f32 %f1, %f1, %f1")
    change(kernel, "st.global.u32 [%d5], %r4", "st.global.f32 [%d5], %f1")
    values = ["param0=[0.5,1.5]", "halves_out=zeros:f32:2"]
    np.save(tmp_path / "wide.npy", np.array([1.0, 3.0]))
    for expected in ("param1[1]=3", "param1=[1.0,3]", f"param1=@{tmp_path}/wide.npy"):
        done = launch(kernel, *values, "--expect", expected, block=2)
        assert done.returncode == 0, expected
    done = launch(kernel, *values, "--expect", "param1[1]=2.5", block=2)
    assert "param1[1] is 3.0, not 2.5" in done.stdout


@pytest.mark.parametrize(("words", "status", "message"), read_lines("run_errors.txt", 3))
def test_wrong_requests_for_a_launch_are_reported(
    kernel: str, words: str, status: str, message: str
) -> None:
    done = launch(kernel, *words.split())
    assert (done.returncode, message in done.stderr) == (int(status), True)


def test_all_missing_arguments_are_named_at_once(kernel: str) -> None:
    done = run("run", kernel, "--block", "4")
    assert done.returncode == 2
    assert done.stderr == (
        "error: halves needs param0=… param1=… param2=…: param0 = halves_in (.u64), "
        "param1 = halves_out (.u64), param2 = halves_n (.u32)\n"
    )


def test_a_launch_can_be_stopped_by_a_limit(kernel: str) -> None:
    change(kernel, "END:", "bra END; END: bra END;")
    done = launch(kernel, "--steps", "1e3")
    assert done.returncode == 1
    assert "stopped by --steps: 4 threads at line 21" in done.stdout


def test_one_thread_is_followed(kernel: str) -> None:
    done = launch(kernel, "--thread", "2", "--watch", "r3", "--watch", "%r4", "--quiet")
    assert done.stdout.partition("thread (2,0,0)")[2] == (
        " of block (0,0,0)\n"
        "   18 ld.global.u32 %r3, [%d4]                     %r3 = 0x0000001e  30, "
        "from param0[2] (as given)\n"
        "   19 shr.u32 %r4, %r3, 1                          %r4 = 0x0000000f  15\n"
        "\n"
    )
    done = launch(kernel, "--thread", "3", "param2=3")
    assert "   13 @%p1 bra END\n   22 ret\n" in done.stdout
    done = launch(kernel, "--thread", "3", "--break", "14")
    assert "(its guard is false)\nstopped before line 14\n" in done.stdout


def test_a_wrong_element_is_reported_with_all_its_origins(kernel: str) -> None:
    done = launch(kernel, "--expect", "param1=[5,10,16,20]")
    lines = done.stdout.partition("param1[2] was written by thread (2,0,0) of block (0,0,0):\n")[2]
    numbers = [int(line.split()[0]) for line in lines.splitlines()]
    assert sorted(numbers) == [7, 8, 10, 11, 14, 15, 16, 17, 18, 19, 20]
    assert numbers[:3] == [20, 19, 18]


def test_explain_names_a_change_with_the_expected_result(kernel: str) -> None:
    change(kernel, "shr.u32 %r4, %r3, 1", "shr.s32 %r4, %r3, 2")
    done = launch(kernel, "--expect", "param1=[5,10,15,20]", "--explain")
    assert done.returncode == 1
    assert (
        "tried: 2 give all 4 expected values\n"
        "  line 19 with `1` rather than `2` explains all 4 values\n"
        "    shr.s32 %r4, %r3, 1\n"
    ) in done.stdout
    done = launch(kernel, "--expect", "param1=[5,10,15,20]", "--explain", "-f", "json")
    explained = json.loads(done.stdout)["explained"]
    assert explained["expected"] == 4
    assert [x["line"] for x in explained["explanations"]] == [19, 19]
    done = launch(kernel, "--expect", "param1[3]=77", "--explain")
    assert done.stdout.endswith("tried: none gives the expected value\n")
    done = launch(kernel, "--expect", "param1=[2,5,7,10]", "--explain")
    assert done.returncode == 0
    assert "tried" not in done.stdout
    done = launch(kernel, "--explain")
    assert done.returncode == 2
    assert "--explain needs --expect" in done.stderr


def test_a_kernel_that_fails_is_explained(kernel: str) -> None:
    change(kernel, "shl.b64 %d3, %d3, 2", "shl.b64 %d3, %d3, 4")
    done = launch(kernel, "--expect", "param1=[5,10,15,20]", "--explain")
    assert done.returncode == 1
    assert "outside its 4 elements" in done.stderr
    assert "  line 15 with `2` rather than `4` explains all 4 values\n" in done.stdout
    done = launch(kernel, "--expect", "param1=[5,10,15,20]", "--explain", "-f", "json")
    assert done.returncode == 1
    data = json.loads(done.stdout)
    assert (data["kernel"], data["block"], data["complete"]) == ("halves", [4, 1, 1], False)
    assert "outside its 4 elements" in data["error"]
    assert [x["line"] for x in data["explained"]["explanations"]] == [15]
    assert json.loads(launch(kernel, "-f", "json").stdout)["explained"] is None


def test_explaining_can_be_interrupted(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def explain_until_interrupted(*arguments: object, **_: object) -> None:
        advance = arguments[-1]
        assert callable(advance)
        advance(12, 345)
        raise KeyboardInterrupt

    monkeypatch.setattr(
        "ptxscope.kernels.launches.run_explanations.explain_run", explain_until_interrupted
    )
    done = launch(kernel, "--expect", "param1[0]=1", "--explain")
    assert done.returncode == 130
    assert "interrupted after 12 of 345 changes" in done.stderr


def test_the_message_after_ctrl_c_counts_the_executed_instructions(
    kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_until_interrupted(_: object, on_progress: Callable[[int], None], __: object) -> None:
        on_progress(12345)
        raise KeyboardInterrupt

    monkeypatch.setattr("ptxscope.kernels.launches.kernel_run.Launch.run", run_until_interrupted)
    done = launch(kernel)
    assert done.returncode == 130
    assert "interrupted after 12,345 thread instructions" in done.stderr


def test_a_kernel_in_a_string_of_a_program_can_be_run(kernel: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(f'import gpu\n\nPTX = """{_KERNELS["halved"]}"""\n')
    done = launch(str(program))
    assert "  [0]  5 10 15 20\n" in done.stdout
    program.write_text(program.read_text().replace("zeros", "").replace("shr.u32", "vshr.u32"))
    done = launch(str(program))
    assert done.returncode == 1
    assert done.stderr.startswith("line 21:\n")
    program.write_text(program.read_text().replace("vshr.u32 %r4, %r3, 1", "trap"))
    assert "error: line 21: trap: thread (0,0,0)" in launch(str(program)).stderr


def test_the_json_of_a_launch_has_buffers_and_expectations(kernel: str) -> None:
    done = launch(kernel, "-f", "json", "--expect", "param1[1]=11")
    assert done.returncode == 1
    data = json.loads(done.stdout)
    assert data["exact"] is True
    assert data["block"] == [4, 1, 1]
    assert data["buffers"][1]["bits"] == [f"0x{x:08x}" for x in (5, 10, 15, 20)]
    assert data["expected"] == {"param1": {"holds": False, "different": [{"index": 1, "line": 20}]}}


def test_the_output_of_threads_follows_the_run(kernel: str) -> None:
    head = ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);"
    change(kernel, ".visible", f"{head}\n.global .b8 text[4] = {{104, 105, 10}};\n.visible")
    call = "mov.u64 %d5, text; cvta.global.u64 %d5, %d5; { .param .b64 a, b; .param .b32 r; "
    call += "st.param.b64 [a], %d5; st.param.b64 [b], 0; call (r), vprintf, (a, b); }"
    change(kernel, "  ret;", f"{call}\n  ret;")
    done = launch(kernel, block=2)
    assert done.stdout.endswith("\nprinted, in the order of the threads:\n  hi\n  hi\n")
    printed = json.loads(launch(kernel, "-f", "json", block=2).stdout)["printed"]
    threads = [f"thread ({x},0,0) of block (0,0,0)" for x in (0, 1)]
    assert printed == [{"thread": x, "line": 24, "text": "hi\n"} for x in threads]
    change(kernel, "  ret;", "trap;\n  ret;")
    failed = launch(kernel, block=2)
    assert (failed.returncode, "  hi\n  hi\n" in failed.stdout) == (1, True)


def test_a_kernel_can_be_run_from_register_values(kernel: str) -> None:
    done = run("run", kernel, "%r3=9", "%d4=0", "%r1=1", "%r8=2")
    assert "shr.u32 %r4, %r3, 1" in done.stdout
    done = run("run", "vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;", "--grid", "2")
    assert "there is no kernel (.entry) here" in done.stderr


def test_nothing_is_certain_after_an_unmodelled_store(kernel: str) -> None:
    store = "wmma.store.d.sync.aligned.row.m8n8k32.global.s32 [%d2], {%r1, %r2};"
    change(kernel, "  ret;", f"  {store}\n  ret;")
    done = launch(kernel)
    assert "halves_out (u32 × 4): not certain" in done.stdout
    assert "unchanged as far as is known: param0" in done.stdout
    assert (
        "wmma.store.d.sync.aligned.row.m8n8k32.global.s32 is not modelled, so what it writes to "
        "memory is unknown; no result is certain" in done.stdout
    )


def test_progress_is_towards_the_limit_until_a_block_has_ended(
    kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[str, int | None, str]] = []

    def begin(
        _: object, activity: str, total: int | None = None, unit: str = "", **__: object
    ) -> None:
        begun.append((activity, total, unit))

    def run_in_two_waves(_: object, on_progress: Callable[..., None], __: object) -> None:
        for count, total in ((10, None), (20, 40), (30, 40)):
            on_progress(count, total)
        raise KeyboardInterrupt

    monkeypatch.setattr("ptxscope.cli.support.kernel_launch.ProgressBar.begin", begin)
    monkeypatch.setattr("ptxscope.kernels.launches.kernel_run.Launch.run", run_in_two_waves)
    launch(kernel, "--steps", "1e6")
    assert begun[-2:] == [
        ("running", 1_000_000, "thread instructions at most"),
        ("running", 40, "thread instructions"),
    ]


def test_the_steps_of_a_thread_can_be_folded(make_file: MakeFile) -> None:
    words = ("run", make_file("folded"), "out=zeros:u32:1", "--thread", "0")
    whole, folded = run(*words), run(*words, "--fold")
    assert "   15 and.b32 %r4, %r4, 0x80808080 " in whole.stdout
    assert "      lines 11–16 compute `__vadd4(0x7f010203, 0x01010101)` → %r5\n" in whole.stdout
    assert "   16 __vadd4(0x7f010203, 0x01010101)  [11–16]" in folded.stdout
    assert "%r5 = 0x80020304" in folded.stdout
    assert "0x80808080" not in folded.stdout
    assert "writes param0[0] = 0x80020304  2147615492" in folded.stdout


def test_a_breakpoint_stops_a_thread_before_the_next_statement(
    make_file: MakeFile,
) -> None:
    file = make_file("folded", "xor.b32 %r5, %r3, %r4;", "\n  xor.b32 %r5, %r3, %r4;")
    for line in (16, 17):  # a blank line, and the next
        lines = run("run", file, "out=zeros:u32:1", "--break", str(line)).stdout.splitlines()
        assert lines[-2:] == ["stopped before line 17", ""]
        assert lines[-3].startswith("   15 and.b32 %r4")


def test_unlikely_changes_are_tried_on_request(kernel: str) -> None:
    """Twice a shift by 1 explains two elements, and so does another register."""
    change(kernel, "shr.u32 %r4, %r3, 1", "shr.u32 %r4, %r3, 2")
    words = ("--expect", "param1=[5,10,15,20]")
    first, all_ = launch(kernel, *words, "--explain"), launch(kernel, *words, "--explain-all")
    sentence = "less likely changes were not tried; --explain-all tries them"
    assert (sentence in first.stdout, sentence in all_.stdout) == (True, False)
    counts = [
        int(x.stdout.partition(" changes tried")[0].rpartition("\n")[2].replace(",", ""))
        for x in (first, all_)
    ]
    assert counts[0] < counts[1]
    assert "line 19 with `1` rather than `2` explains all 4 values" in all_.stdout


def test_a_truncated_kernel_is_refused(kernel: str) -> None:
    change(kernel, "END:\n  ret;\n}\n", "")
    done = launch(kernel)
    assert done.returncode == 1
    assert "halves is not closed after this" in done.stderr


def test_a_cuda_source_needs_nvcc_first(tmp_path: Path) -> None:
    file = tmp_path / "kernel.cu"
    file.write_text("__global__ void k(int *a) { a[0] = 1; }\n")
    done = run("run", str(file), "--kernel", "k")
    assert "`nvcc -ptx` makes a listing with the kernels of a CUDA source" in done.stderr


def test_wide_elements_take_fewer_columns(make_file: MakeFile) -> None:
    done = run("run", make_file("wide"), "--block", "16", "out=zeros:u64:16")
    rows = [x for x in done.stdout.splitlines() if x.startswith("  [")]
    assert [x.split()[0] for x in rows] == ["[0]", "[4]", "[8]", "[12]"]
    assert len({len(x) for x in rows}) == 1
    assert max(map(len, rows)) <= 100
    assert "unused" not in done.stdout


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float64])
def test_expected_files_of_another_type_have_the_same_numbers(
    kernel: str, tmp_path: Path, dtype: type
) -> None:
    np.save(tmp_path / "expected.npy", np.array([5, 10, 15, 20], dtype))
    assert launch(kernel, "--expect", f"param1=@{tmp_path}/expected.npy").returncode == 0
    change(kernel, "shr.u32 %r4, %r3, 1", "mad.lo.u32 %r4, %r3, 256, 5")
    done = launch(kernel, "--expect", f"param1=@{tmp_path}/expected.npy")
    assert "param1: 4 of 4 are not as expected" in done.stdout  # not only their low bytes
