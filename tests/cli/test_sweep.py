"""``ptxscope sweep``: what it prints, writes and refuses."""

from __future__ import annotations

import csv
import io
import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from ptxscope.documents.sweeps.terminal_plot import RAMP
from tests.cli.running import run, run_in_terminal
from tests.cli.test_completion import offered

SAT = "vadd4.s32.s32.s32.sat d, a, b, c"
SVG = "{http://www.w3.org/2000/svg}"


def test_words_say_where_it_clamps() -> None:
    done = run("sweep", SAT, "--x", "a.b0", "b=100", "c=0", "-f", "words")
    assert (done.returncode, done.stderr) == (0, "")
    assert "a.b0 from 28 to 127: d.b0 is 127; clamped to 127.\n" in done.stdout
    assert "current point" not in done.stdout


def test_a_picture_goes_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "map.svg"
    done = run("sweep", SAT, "--x", "a.b0", "--y", "b.b0", "c=0", "-f", "svg", "-o", str(file))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    root = ET.parse(file).getroot()
    assert root.tag == f"{SVG}svg"
    assert "Clamped to 127: 8,128 of 65,536 values" in (root.findtext(f"{SVG}desc") or "")


def test_a_range_is_of_values_as_the_part_that_is_looked_at_reads_them() -> None:
    # b.b3 is read as s32's byte in lane 1, by the digit 7 of a's selector, as u32's in lane 0
    words = ["vadd4.s32.s32.u32 d, a.b0070, b.b0007, c", "--x", "b.b3", "--range", "200:255"]
    assert run("sweep", *words, "--of", "d.b0", "a=0", "c=0").returncode == 0
    refused = run("sweep", *words, "--of", "d.b1", "a=0", "c=0")
    assert refused.returncode == 2
    assert "`200` is too large for s8" in refused.stderr


def test_a_table_has_every_value() -> None:
    done = run("sweep", "vadd.u32.s32.s32.sat d.b0, a, b, c", "--x", "a", "--range", "-2:3",
               "b=0", "c=0", "-f", "csv")  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["a"] for row in rows] == ["-2", "-1", "0", "1", "2", "3"]
    assert [row["d.b0 under isa"] for row in rows] == ["0", "0", "0", "1", "2", "3"]
    assert [row["d.b0 under ptxas-13.5"] for row in rows] == ["255", "255", "0", "1", "2", "3"]
    assert [row["what happens"] for row in rows] == ["clamped to 0"] * 2 + [""] * 4
    assert rows[0]["a, bits"] == "0xfffffffe"


def test_a_plot_shows_the_current_point_and_fits() -> None:
    shown = run("sweep", SAT, "--x", "a.b0", "a=0", "b=100", "c=0").stdout.splitlines()
    assert all(len(line) <= 80 for line in shown)
    (at,) = [line for line in shown if "\u25cf" in line]
    assert at.startswith("100\u2502")
    assert any(line.strip() == "=" * len(line.strip()) and line.strip() for line in shown)


def test_a_map_goes_from_the_least_to_the_greatest() -> None:
    shown = run("sweep", "vadd4.u32.u32.u32 d, a, b, c", "--x", "a.b0", "--y", "b.b0", "c=0")
    rows = [line.partition("\u2502")[2] for line in shown.stdout.splitlines() if "\u2502" in line]
    assert len(rows) == 32
    field = [row.ljust(64) for row in rows]
    for down, row in enumerate(field):
        for across, mark in enumerate(row):
            a, b = across * 4 + 2, (31 - down) * 8 + 4
            assert mark == RAMP[(a + b) % 256 * len(RAMP) // 256]


@pytest.mark.parametrize(
    ("type_", "range_", "column", "said", "ends"),
    [
        ("s32", "2147483600:2147483700", 11, "`2147483700` is too large", (-(2**31), 2**31 - 1)),
        ("s32", "2147483700:2147483800", 0, "`2147483700` is too large", (-(2**31), 2**31 - 1)),
        ("s32", f"0:{'9' * 9999}", 2, "is too large", (-(2**31), 2**31 - 1)),
        ("u32", "-1:5", 0, "`-1` is too small", (0, 2**32 - 1)),
        ("u32", "0: 4294967296", 3, "`4294967296` is too large", (0, 2**32 - 1)),
    ],
)
def test_an_end_of_a_range_is_a_value_of_its_type(
    type_: str, range_: str, column: int, said: str, ends: tuple[int, int]
) -> None:
    words = (f"vadd.{type_}.{type_}.{type_} d, a, b", "--x", "a", f"--range={range_}", "b=0")
    done = run("sweep", *words)
    assert (done.returncode, done.stdout) == (2, "")
    error, shown, caret, allowed = done.stderr.splitlines()
    assert error.endswith(f"{said} for {type_}")
    if len(range_) < 99:
        assert shown == f"  --range {range_}"
        assert caret.index("^") == len("  --range ") + column
        assert shown[caret.index("^") : caret.rindex("^") + 1] in said
    assert allowed == f"  allowed: {ends[0]} to {ends[1]}"


def test_the_ends_of_a_type_and_patterns_of_bits_are_ends_of_a_range() -> None:
    for range_ in ("2147483600:2147483647", "0x7fffffd0:0x7fffffff", "0:+47"):
        words = ("vadd.s32.s32.s32 d, a, b", "--x", "a", f"--range={range_}", "b=0", "-f", "words")
        assert "goes through 48 values" in run("sweep", *words).stdout
    words = ("vadd4.s32.s32.s32 d, a, b, c", "--x", "a.b0", "--range", "0x80:-1", "b=0", "c=0")
    assert "goes through 128 values" in run("sweep", *words, "-f", "words").stdout


@pytest.mark.parametrize(
    ("name", "given", "begins"),
    [
        ("x.svg", (), b"<svg"),
        ("x.PNG", (), b"\x89PNG"),
        ("x.pdf", (), b"%PDF"),
        ("x.csv", (), b"a.b0,"),
        ("x.md", (), b"d.b0 of `vadd4"),
        ("x.svg", ("-f", "csv"), b"a.b0,"),
    ],
)
def test_the_end_of_a_file_name_is_its_format(
    name: str, given: tuple[str, ...], begins: bytes, tmp_path: Path
) -> None:
    file = tmp_path / name
    done = run("sweep", SAT, "--x", "a.b0", "b=1", "c=0", "-o", str(file), *given)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert file.read_bytes().startswith(begins)


def test_what_is_not_swept_needs_a_value() -> None:
    assert "no value for operand b" in run("sweep", SAT, "--x", "a", "c=0").stderr
    assert run("sweep", "vadd4.s32 d, a", "--x", "a").returncode == 1
    assert "is the literal" in run("sweep", "setp.lt.u16 p, a, 7", "--x", "b").stderr
    assert "has no result" in run("sweep", "setp.lt.u16 _, a, 7", "--x", "a").stderr


def test_what_only_a_model_reads_needs_a_value_too() -> None:
    words = ("sweep", "vadd4.s32.s32.s32 d.b0, a.b3210, b.b3210, c", "c=1", "--model", "H7")
    assert run(*words).stderr == "error: no value for b, which H7 reads\n"
    said = run(*words, "--of", "d.b1", "b=0x0500", "-f", "words").stdout
    assert "d.b1 is 5 throughout." in said


def test_lanes_are_completed() -> None:
    assert offered("sweep", SAT, "--x", "a") == ["a.b0", "a.b1", "a.b2", "a.b3", "a"]
    assert offered("sweep", SAT, "--of", "") == ["d.b0", "d.b1", "d.b2", "d.b3", "d"]
    assert offered("sweep", "--x", "") == []
    assert offered("sweep", "no such line", "--x", "") == []


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals")
def test_a_terminal_without_utf_8_gets_ascii() -> None:
    words = ("sweep", SAT, "--x", "a.b0", "b=1", "c=0")
    status, shown = run_in_terminal(*words, PYTHONIOENCODING="ascii", COLUMNS="60", LINES="24")
    assert status == 0
    assert shown.isascii()
    assert b"?" not in shown
    assert b"+---" in shown
    assert max(map(len, shown.decode().split("\r\n"))) <= 60
