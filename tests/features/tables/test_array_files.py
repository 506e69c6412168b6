"""``eval --arrays``: NumPy's files in and out."""

from __future__ import annotations

import os
import re
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

from ptxscope import evaluate
from ptxscope.features.tables import array_results
from tests.driving.command_line import run

LINE = "vadd4.s32.s32.u32.sat d, a, b, c"
SETP = "setp.lt.u32 p|q, %r1, %r2"
A = np.arange(0, 60_000, 7, dtype=np.uint32)[:8000].reshape(-1, 2)
B = np.array([0x7F80FF01, 3], np.uint32)


def answer(*words: str, status: int = 0) -> str:
    done = run("eval", *words)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.stderr


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_arrays_by_name() -> None:
    np.savez("x.npz", a=A, b=B, other=np.zeros(3))
    answer(LINE, "--arrays", "x.npz", "-o", "d.npz", "--model", "ptxas")
    expected: Any = evaluate(LINE, {"a": A, "b": B}, model="ptxas")["d"]
    with np.load("d.npz") as found:
        assert found.files == ["d"]
        assert found["d"].dtype == np.uint32
        assert np.array_equal(found["d"], expected)


def test_one_array_and_a_value() -> None:
    np.save("a.npy", A.astype(">i8"))
    answer(LINE, "b=[1,2,3,4]", "--arrays", "a.npy", "--output", "d.npy")
    expected: Any = evaluate(LINE, {"a": A, "b": 0x01020304})["d"]
    assert np.array_equal(np.load("d.npy"), expected)


def test_records_are_an_array_for_each_field() -> None:
    records = np.zeros(5, [("a", "u4"), ("note", "u1"), ("b", "<i2")])
    records["a"], records["b"] = range(5), -1
    np.save("x.npy", records)
    answer("vadd.s32.s32.s32 d, a, b", "--arrays", "x.npy", "-o", "d.npy")
    assert np.load("d.npy").tolist() == [(x - 1) % (1 << 32) for x in range(5)]


def test_two_destinations_and_names_with_a_sign() -> None:
    arrays: dict[str, Any] = {"r1": np.array([1, 2, 3]), "%r2": np.array([2, 2, 2])}
    np.savez("x.npz", **arrays)
    answer(SETP, "--arrays", "x.npz", "-o", "out.npz")
    with np.load("out.npz") as found:
        assert {name: found[name].tolist() for name in found.files} == {
            "p": [True, False, False],
            "q": [False, True, True],
        }


def test_a_register_may_have_the_name_of_a_parameter() -> None:
    np.savez("x.npz", a=A)
    answer("vadd.u32.u32.u32 file, a, 1", "--arrays", "x.npz", "-o", "out.npz")
    with np.load("out.npz") as found:
        assert np.array_equal(found["file"], A + 1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--arrays", "fifo.npz", "-o", "d.npy"), "fifo.npz: it is a FIFO"),
        (("--arrays", "text.npz", "-o", "d.npy"), "text.npz is not a file of arrays"),
        (("--arrays", "text.npy", "-o", "d.npy"), "text.npy is not a file of arrays"),
        (("--arrays", "empty.npz", "-o", "d.npy"), "empty.npz is not a file of arrays"),
        (("--arrays", "objects.npy", "-o", "d.npy"), "objects.npy is not a file of arrays"),
        (("--arrays", "a.npy", "-o", "d.npy"), "a.npy has one array, the instruction needs a, b"),
        (("--arrays", "a.npz", "-o", "d.npy"), "a.npz has no array b; it has a"),
        (("--arrays", "x.npz", "-o", "no/d.npz"), "no/d.npz: No such file or directory"),
        (("b=1", "--arrays", "x.npz", "-o", "d.npz"), "b has a value and is in x.npz"),
        (("b=1", "--arrays", "wide.npz", "-o", "d.npz"), "a has 0x100000000, which does not fit"),
        (("--arrays", "shapes.npz", "-o", "d.npz"), "do not broadcast"),
        (("--arrays", "twice.npz", "-o", "d.npz"), "twice.npz has two arrays for %r1"),
    ],
)
def test_wrong_array_files_and_options_are_reported(words: tuple[str, ...], said: str) -> None:
    np.savez("x.npz", a=A, b=B)
    np.savez("a.npz", a=A)
    np.savez("wide.npz", a=np.array([1 << 32]))
    np.savez("shapes.npz", a=np.zeros(2, int), b=np.zeros(3, int))
    twice: dict[str, Any] = {"r1": A, "%r1": A}
    np.savez("twice.npz", **twice)
    np.save("a.npy", A)
    np.save("objects.npy", np.array([None]), allow_pickle=True)
    for name, text in (("text.npz", "hello"), ("text.npy", "hello"), ("empty.npz", "")):
        Path(name).write_text(text)
    os.mkfifo("fifo.npz")
    line = SETP.replace("|q", "") if "twice" in words[1] else LINE
    answered = answer(line, *words, status=2)
    assert said in answered
    assert answered.count("error: ") == 1
    assert not Path("d.npy").exists()
    assert not Path("d.npz").exists()


def _npy(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    """Return a .npy file with a header written by hand."""
    size = len(header).to_bytes(2 if version[0] == 1 else 4, "little")
    return b"\x93NUMPY" + version + size + header.encode("latin1") + data


def _header(shape: str = "(1,)", descr: str = "'<u4'") -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"


HOSTILE = {
    "braces": _npy("{" * 5000),
    "braces that fit": _npy("{" * 3000),
    "a long second version": _npy("{" * 100_000, version=b"\x02\x00"),
    "no version": _npy(_header(), b"0000", b"\x09\x00"),
    "a shape of truth": _npy(_header("(True,)"), b"0000"),
    "a shape of text": _npy(_header("('a',)"), b"0000"),
    "a negative shape": _npy(_header("(-1,)"), b"0000"),
    "huge": _npy(_header("(4611686018427387904, 4)"), b"0000"),
    "more than it has": _npy(_header("(1000000000,)"), b"0000"),
    "objects": _npy(_header(descr="'|O'"), b"0000"),
    "an unknown type": _npy(_header(descr="'<q99'"), b"0000"),
    "cut": _npy(_header())[:20],
    "a name only": b"\x93NUMPY",
    "a pickle": b"\x80\x04K\x01.",
    "nothing": b"",
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_a_malformed_array_is_an_error(data: bytes) -> None:
    Path("x.npy").write_bytes(data)
    said = answer(LINE, "b=1", "--arrays", "x.npy", "-o", "d.npy", status=2)
    assert said.startswith("error: x.npy is not a file of arrays: ")
    with ZipFile("x.npz", "w") as archive:
        archive.writestr("a.npy", data)
        archive.writestr("other.npy", b"it is never read")
    said = answer(LINE, "b=1", "--arrays", "x.npz", "-o", "d.npz", status=2)
    assert said.startswith("error: x.npz is not a file of arrays: a.npy: ")
    assert len(said) < 400


def test_unused_members_of_an_archive_are_not_read() -> None:
    np.savez("x.npz", a=A)
    with ZipFile("x.npz", "a") as archive:
        archive.writestr("other.npy", HOSTILE["huge"])
        archive.writestr("note.txt", "hello")
    answer(LINE, "b=1", "--arrays", "x.npz", "-o", "d.npz")


def _change_archive(change: Callable[[bytearray], object]) -> None:
    np.savez("x.npz", a=A)
    data = bytearray(Path("x.npz").read_bytes())
    change(data)
    Path("x.npz").write_bytes(data)


def _encrypt(data: bytearray) -> None:
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1


def _compress_unknown(data: bytearray) -> None:
    for mark, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.index(mark) + at] = 99


def _break_sum(data: bytearray) -> None:
    data[5000] ^= 255


def _cut(data: bytearray) -> None:
    del data[-30:]


@pytest.mark.parametrize("change", [_encrypt, _compress_unknown, _break_sum, _cut])
def test_a_broken_archive_is_an_error(change: Callable[[bytearray], object]) -> None:
    _change_archive(change)
    said = answer(LINE, "b=1", "--arrays", "x.npz", "-o", "d.npz", status=2)
    assert said.startswith("error: x.npz is not a file of arrays: ")


def test_a_false_claim_of_a_huge_array_takes_no_memory() -> None:
    header = _npy(_header("(100000000,)"), b"0000")
    Path("x.npy").write_bytes(header)
    tracemalloc.start()
    answer(LINE, "b=1", "--arrays", "x.npy", "-o", "d.npy", status=2)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000


def test_operands_that_broadcast_beyond_memory_are_an_error() -> None:
    np.savez("x.npz", a=np.zeros((1 << 20, 1), np.uint32), b=np.zeros((1, 1 << 20), np.uint32))
    said = answer(LINE, "--arrays", "x.npz", "-o", "d.npy", status=2)
    assert "x.npz: the operands broadcast to 1,099,511,627,776 results, " in said
    assert "need 4,096.0 GiB" in said


def test_a_line_without_a_result_is_an_error() -> None:
    np.savez("x.npz", a=A, b=A)
    Path("x.csv").write_text("a,b\n1,2\n")
    for words in (("a=1", "b=2"), ("--csv", "x.csv"), ("--arrays", "x.npz", "-o", "d.npz")):
        said = answer("setp.ne.s16 _, a, b", *words, status=2)
        assert said.endswith("has no result to print: its destination is `_`\n")


def test_one_array_cannot_have_two_results() -> None:
    np.savez("x.npz", a=A, b=B)
    said = answer("setp.lt.u32 p|q, a, b", "--arrays", "x.npz", "-o", "d.npy", status=2)
    assert "a .npy file has one array" in said


def test_large_arrays_are_computed_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_results, "PIECE_SIZE", 7)
    a, b = A.astype(np.int64)[:50], A.astype(">u4")[50:100]
    np.savez("x.npz", r1=a, r2=b)
    answer(SETP, "--arrays", "x.npz", "-o", "p.npz")
    with np.load("p.npz") as found:
        assert np.array_equal(found["p"], a < b)
        assert np.array_equal(found["q"], a >= b)
    a[20, 1], a[40, 0] = 1 << 32, 1 << 40
    np.savez("x.npz", r1=a, r2=b)
    said = answer(SETP, "--arrays", "x.npz", "-o", "p.npz", status=2)
    assert "%r1 has 0x10000000000, which does not fit in 32 bits" in said


HEADER = "{{'descr': '<u4', 'fortran_order': False, 'shape': {}, }}"


@pytest.mark.parametrize(
    "header",
    [
        "(",
        "'''",
        *map(
            HEADER.format, ("True", "(1jor 2,)", "(3037000500, 3037000500)", "(-1,)", "(1 << 9,)")
        ),
    ],
)
@pytest.mark.parametrize("command", ["run", "eval", "member"])
def test_a_wrong_header_is_one_error_and_no_warning(header: str, command: str) -> None:
    text = header.encode().ljust(117) + b"\n"
    data = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text
    Path("a.npy").write_bytes(data)
    with ZipFile("a.npz", "w") as archive:
        archive.writestr("a.npy", data)
    file = "a.npz" if command == "member" else "a.npy"
    words = ["eval", "not.b32 d, a", "--arrays", file, "-o", "d.npy"]
    if command == "run":
        pytest.importorskip("ptxscope.features.kernels")
        Path("k.ptx").write_text(".entry k(.param .u64 a) { ret; }")
        words = ["run", "k.ptx", "a=@a.npy"]
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        done = run(*words)
    assert not found
    assert done.returncode == 2, done.stderr
    assert re.fullmatch(rf"error: {file}.*: .*\n", done.stderr)


def test_a_file_of_operands_is_not_replaced_by_the_results() -> None:
    np.save("a.npy", A)
    before = Path("a.npy").read_bytes()
    said = answer("not.b32 d, a", "--arrays", "a.npy", "-o", "a.npy", status=2)
    assert said == "error: a.npy is an input: name another output\n"
    assert Path("a.npy").read_bytes() == before
