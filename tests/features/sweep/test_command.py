"""``ptxscope sweep``: what it prints, writes and refuses."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from ptxscope.features.sweep.terminal_plot import RAMP
from tests.cli.test_completion import offered
from tests.driving.command_line import run, run_in_terminal

SAT = "vadd4.s32.s32.s32.sat d, a, b, c"
SVG = "{http://www.w3.org/2000/svg}"


def test_a_sweep_picture_is_written_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "map.svg"
    done = run("sweep", SAT, "--x", "a.b0", "--y", "b.b0", "c=0", "-f", "svg", "-o", str(file))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    root = ET.parse(file).getroot()
    assert root.tag == f"{SVG}svg"
    assert "Clamped to 127: 8,128 of 65,536 values" in (root.findtext(f"{SVG}desc") or "")


def test_a_plot_shows_the_current_point_and_fits() -> None:
    shown = run("sweep", SAT, "--x", "a.b0", "a=0", "b=100", "c=0").stdout.splitlines()
    assert all(len(line) <= 80 for line in shown)
    (at,) = [line for line in shown if "\u25cf" in line]
    assert at.startswith("100\u2502")
    assert any(line.strip() == "=" * len(line.strip()) and line.strip() for line in shown)


def test_a_text_map_starts_at_the_lowest_value() -> None:
    shown = run("sweep", "vadd4.u32.u32.u32 d, a, b, c", "--x", "a.b0", "--y", "b.b0", "c=0")
    rows = [line.partition("\u2502")[2] for line in shown.stdout.splitlines() if "\u2502" in line]
    assert len(rows) == 32
    field = [row.ljust(64) for row in rows]
    for down, row in enumerate(field):
        for across, mark in enumerate(row):
            a, b = across * 4 + 2, (31 - down) * 8 + 4
            assert mark == RAMP[(a + b) % 256 * len(RAMP) // 256]


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
def test_the_suffix_of_a_sweep_file_decides_the_format(
    name: str, given: tuple[str, ...], begins: bytes, tmp_path: Path
) -> None:
    file = tmp_path / name
    done = run("sweep", SAT, "--x", "a.b0", "b=1", "c=0", "-o", str(file), *given)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert file.read_bytes().startswith(begins)


def test_a_huge_range_limit_has_a_short_error() -> None:
    done = run("sweep", "vadd.s32.s32.s32 d, a, b", "--x", "a", f"--range=0:{'9' * 9999}", "b=0")
    assert (done.returncode, done.stdout) == (2, "")
    assert "is too large for s32\n" in done.stderr
    assert done.stderr.endswith("\n  allowed: -2147483648 to 2147483647\n")
    assert max(map(len, done.stderr.splitlines())) <= 100


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
