"""``ptxscope run`` of a kernel: its files, and Ctrl-C. Its answers are in ``requests``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.driving.command_line import Done, run
from tests.driving.kernel_texts import read_kernels

_KERNELS = read_kernels(Path(__file__).parent / "requests" / "launches.ptx")
HALVED = _KERNELS["halved"]
SHIFT = "shr.u32 %r4, %r3, 1"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("halved.ptx").write_text(HALVED)


def launch(*words: str, shift: str = SHIFT, type_: str = "u32") -> Done:
    """Run with the input 10, 21, 30, 41 and room for four results."""
    Path("halved.ptx").write_text(HALVED.replace(SHIFT, shift))
    given = ("param0=[10,21,30,41]", f"halves_out=zeros:{type_}:4", "param2=4")
    return run("run", "halved.ptx", "--block", "4", *given, *words)


def test_buffers_are_read_from_files_and_saved() -> None:
    words = np.random.default_rng(2).integers(0, 2**32, 100, dtype=np.uint32)
    np.save("in.npy", words)
    words[:50].tofile("in.bin")
    for source, count in (("in.npy", 100), ("in.bin:u32", 50)):
        for target in ("out.npy", "out.bin"):
            values = (f"param0=@{source}", f"halves_out=zeros:u32:{count}", f"param2={count}")
            named = ("--kernel", "halves", "--block", "128", "--save", f"param1={target}")
            done = run("run", "halved.ptx", *named, *values)
            assert (done.returncode, done.stderr) == (0, "")
        assert np.array_equal(np.load("out.npy"), words[:count] // 2)
        assert np.array_equal(np.fromfile("out.bin", np.uint32), words[:count] // 2)
    names = ("first.npy", "second.npy")
    assert launch(*(f"--save=param1={name}" for name in names)).returncode == 0
    assert [np.load(name).tolist() for name in names] == [[5, 10, 15, 20]] * 2
    done = launch("--save", "param1=out.npy", shift=f"@%p2 {SHIFT}")
    assert "out.npy has 4 unknown values" in done.stderr


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float64])
def test_expected_files_of_another_type_have_the_same_numbers(dtype: type) -> None:
    np.save("expected.npy", np.array([5, 10, 15, 20], dtype))
    words = ("--expect", "param1=@expected.npy")
    assert launch(*words).returncode == 0
    floats = f"{SHIFT}; cvt.rn.f32.u32 %f1, %r4; mov.b32 %r4, %f1"
    assert launch(*words, shift=floats, type_="f32").returncode == 0
    done = launch(*words, shift="mad.lo.u32 %r4, %r3, 256, 5")
    assert "param1: 4 of 4 are not as expected" in done.stdout  # not only their low bytes


def test_a_wrong_element_is_reported_with_all_its_origins() -> None:
    done = launch("--expect", "param1=[5,10,16,20]")
    lines = done.stdout.partition("param1[2] was written by thread (2,0,0) of block (0,0,0):\n")[2]
    numbers = [int(line.split()[0]) for line in lines.splitlines()]
    assert sorted(numbers) == [7, 8, 10, 11, 14, 15, 16, 17, 18, 19, 20]
    assert numbers[:3] == [20, 19, 18]


def test_more_changes_are_tried_on_request() -> None:
    counts = []
    for option in ("--explain", "--explain-all"):
        done = launch("--expect", "param1=[5,10,15,20]", option, shift="shr.u32 %r4, %r3, 2")
        said = done.stdout.partition(" changes tried")[0].rpartition("\n")[2]
        counts.append(int(said.replace(",", "")))
    assert counts[0] < counts[1]


def test_a_run_counts_its_progress_until_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[tuple[object, ...]] = []

    def begin(_: object, *activity: object, **__: object) -> None:
        begun.append(activity)

    def run_in_two_waves(_: object, on_progress: Callable[..., None], __: object) -> None:
        for count, total in ((10, None), (20, 40), (12_345, 40)):  # no total before a block ends
            on_progress(count, total)
        raise KeyboardInterrupt

    def explain_until_interrupted(*arguments: object, **_: object) -> None:
        advance = arguments[-1]
        assert callable(advance)
        advance(12, 345)
        raise KeyboardInterrupt

    launches = "ptxscope.features.kernels.launches"
    monkeypatch.setattr(f"{launches}.run_explanations.explain_run", explain_until_interrupted)
    done = launch("--expect", "param1[0]=1", "--explain")
    assert done.returncode == 130
    assert "interrupted after 12 of 345 changes" in done.stderr
    monkeypatch.setattr(f"{launches}.kernel_run.Launch.run", run_in_two_waves)
    monkeypatch.setattr("ptxscope.features.kernels.command.ProgressBar.begin", begin)
    done = launch("--steps", "1e6")
    assert done.returncode == 130
    assert "interrupted after 12,345 thread instructions" in done.stderr
    assert begun[-2:] == [
        ("running", 1_000_000, "thread instructions at most"),
        ("running", 40, "thread instructions"),
    ]


def test_wide_elements_take_fewer_columns() -> None:
    Path("wide.ptx").write_text(_KERNELS["wide"])
    done = run("run", "wide.ptx", "--block", "16", "out=zeros:u64:16")
    rows = [x for x in done.stdout.splitlines() if x.startswith("  [")]
    assert [x.split()[0] for x in rows] == ["[0]", "[4]", "[8]", "[12]"]
    assert len({len(x) for x in rows}) == 1
    assert max(map(len, rows)) <= 100
    assert "unused" not in done.stdout


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--save", "param1=halved.ptx"), "halved.ptx is an input: name another output"),
        (("--save", "param1=./in.npy"), "./in.npy is an input: name another output"),
        (("--save", "param1=e.bin"), "e.bin is an input: name another output"),
        (
            ("--save", "param0=x.npy", "--save", "param1=./x.npy"),
            "./x.npy is given for two outputs",
        ),
    ],
)
def test_an_output_replaces_neither_an_input_nor_an_output(
    words: tuple[str, ...], reason: str
) -> None:
    np.save("in.npy", np.arange(4, dtype=np.uint32))
    Path("e.bin").write_bytes(bytes(16))
    values = ("param0=@in.npy", "param1=zeros:u32:4", "param2=4", "--expect", "param1=@e.bin:u32")
    before = {x: x.read_bytes() for x in Path().iterdir()}
    done = run("run", "halved.ptx", *values, *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {reason}\n")
    assert {x: x.read_bytes() for x in Path().iterdir()} == before


def test_a_buffer_of_bits_is_saved_as_integers() -> None:
    given = ("param0=[10,21]:b32", "halves_out=zeros:b32:2", "param2=2")
    done = run("run", "halved.ptx", "--block", "2", *given, "--save", "param1=out.npy")
    assert (done.returncode, done.stderr) == (0, "")
    assert np.load("out.npy").tolist() == [5, 10]
