"""CSV files of operands: their encodings, and rows that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.driving.command_line import run
from tests.driving.input_files import ENCODINGS, call, encoded, ways
from tests.tiers import sampled

LINE = "vadd.u32.u32.u32 d, a, b"
TABLE = "name,a,b\nü,1,2\r\nx,3,4\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@sampled
@pytest.mark.parametrize("bad", ["x,5", '"1', "1,2,3", "4", "1,\\udc80"])
@pytest.mark.parametrize("before", [0, 1, 40_000])
def test_rows_before_a_wrong_one_are_printed(bad: str, before: int) -> None:
    # 40,000 rows are more than are evaluated at once
    path = Path("x.csv")
    text = "a,b\n" + "".join(f"{i},7\n" for i in range(before)) + bad.replace("\\udc80", "\udc80")
    path.write_bytes(f"{text}\n6,7\n".encode(errors="surrogateescape"))
    done = run("eval", LINE, "--csv", str(path))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    printed = [f"{i},7,{i + 7:#010x}" for i in range(before)]
    assert done.stdout.splitlines() == ["a,b,d", *printed]
    assert done.stderr.count("error: ") == 1
    assert f"line {before + 2}" in done.stderr or bad == '"1'  # quotes that no line closes


@ways
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_table_is_utf_8_or_utf_16(encoding: str, by_name: bool) -> None:
    out = call(encoded(TABLE, encoding), by_name, "eval", LINE, "--csv", "FILE").stdout
    assert out == "name,a,b,d\nü,1,2,0x00000003\nx,3,4,0x00000007\n"


def test_a_binary_file_is_refused() -> None:
    words = ("eval", LINE, "--csv", "FILE")
    assert "FILE is not a text file" in call(b"\x7fELF\0\0", True, *words, status=2).stderr


@ways
@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"name,a,b\nx,1,2\ny,1,\xff2\n", "line 3, column b: the byte 0xff"),
        (b"name,a,b\n\xe9t\xe9,1,2\n", "line 2, column name: the byte 0xe9"),
        (b"a,b,\xe9\n1,2,3\n", "line 1, column 3: the byte 0xe9"),
        (b"a,b\n1,2,\xe9\n", "line 2, column 3: the byte 0xe9"),
        (b'name,a,b\n"x\ny",1,\xc3\n', "line 3, column b: the byte 0xc3"),
        (b"\xff\xfe" + "a,b\n1,".encode("utf-16-le") + b"\x00\xd8,\x00", "line 2, column b"),
        (b"\xff\xfe" + "a,b\n1,2".encode("utf-16-le") + b"\x33", "line 2, column b"),
    ],
)
def test_invalid_bytes_are_reported_by_line_and_column(
    raw: bytes, said: str, by_name: bool
) -> None:
    assert said in call(raw, by_name, "eval", LINE, "--csv", "FILE", status=2).stderr


def test_the_first_screen_of_the_help_has_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    screen = "\n".join(run("eval", "--help").stdout.splitlines()[:24])
    for text in ("usage: ptxscope eval ", "PTX", "name=value", "--model", "--csv", "--arrays"):
        assert text in screen
