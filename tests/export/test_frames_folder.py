"""Frames in a folder: their names, what they say, what they replace, and what they leave."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ptxscope import trace
from ptxscope.documents.media.frames import make_frames
from ptxscope.documents.media.picture_marks import is_frame, is_ours
from tests.cli.running import run
from tests.tiers import ci_only, some

LINE = ("vmad.s32.s32.s32.sat.shr15 d, a, b, c", "a=-9", "b=7", "c=1")
NAMES = ["01-select", "02-extend", "03-multiply", "04-add-c", "05-scale", "06-saturate", "07-write"]


def made(folder: Path, *words: str) -> list[str]:
    done = run("trace", *LINE, *words, "--frames", str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("format_", some(["svg", "png", "pdf"]))
def test_a_new_run_removes_only_the_frames_of_earlier_runs(tmp_path: Path, format_: str) -> None:
    folder = tmp_path / "deck"
    width = ["--width", "160"] if format_ == "png" else []
    assert made(folder, "-f", format_, *width) == [f"{name}.{format_}" for name in NAMES]
    own = folder / f"09-own.{format_}"
    own.write_bytes(b"<svg/>")
    alone = folder / f"08-alone.{format_}"
    assert run("trace", *LINE, "-f", format_, *width, "-o", str(alone)).returncode == 0
    (folder / f"06-link.{format_}").symlink_to(folder / f"01-select.{format_}")
    (folder / "notes.txt").write_text("mine")
    found = made(folder, "-f", format_, *width, "--steps", "1-3")
    assert found == [
        f"01-select.{format_}", f"02-extend.{format_}", f"03-multiply.{format_}",
        f"06-link.{format_}", f"08-alone.{format_}", f"09-own.{format_}", "notes.txt",
    ]  # fmt: skip
    assert own.read_bytes() == b"<svg/>"


def test_old_frames_in_another_format_are_reported(tmp_path: Path) -> None:
    folder = tmp_path / "deck"
    made(folder, "-f", "svg")
    (folder / "01-own.pdf").write_bytes(b"%PDF-1.7 of somebody else")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    words = ("-f", "png", "--width", "160", "--until", "2", "--frames", str(folder))
    done = run("trace", *LINE, *words)
    assert done.returncode == 0
    assert done.stderr == (
        f"note: {folder} also has frames in svg from an earlier run; they are left there\n"
    )
    kept = {path: path.read_bytes() for path in folder.iterdir() if path.suffix != ".png"}
    assert kept == before


@pytest.mark.parametrize(
    "there", ["<svg xmlns='http://www.w3.org/2000/svg'/>", "", "link", "folder", "picture"]
)
def test_a_file_that_is_not_a_frame_is_never_overwritten(tmp_path: Path, there: str) -> None:
    """And then nothing is written at all."""
    folder = tmp_path / "deck"
    folder.mkdir()
    file = folder / "05-scale.svg"
    if there == "link":
        file.symlink_to(tmp_path / "elsewhere")
    elif there == "folder":
        file.mkdir()
    elif there == "picture":
        assert run("trace", *LINE, "-f", "svg", "-o", str(file)).returncode == 0
    else:
        file.write_text(there)
    done = run("trace", *LINE, "-f", "svg", "--frames", str(folder))
    assert done.returncode == 2
    said = f"error: {file} is not a frame by ptxscope; nothing is"
    assert done.stderr.startswith(said)
    assert [path.name for path in folder.iterdir()] == ["05-scale.svg"]
    assert not (tmp_path / "elsewhere").exists()


def test_a_deck_replaces_only_another_deck(tmp_path: Path) -> None:
    pytest.importorskip("typst")
    deck = tmp_path / "deck.pdf"
    words = ("-f", "pdf", "--steps", "1-2", "--frames", str(deck))
    deck.write_bytes(b"%PDF-1.7 of somebody else")
    assert run("trace", *LINE, *words).returncode == 2
    assert deck.read_bytes() == b"%PDF-1.7 of somebody else"
    deck.unlink()
    for _ in range(2):
        assert run("trace", *LINE, *words).returncode == 0
    assert is_frame(deck.read_bytes(), "pdf")


def test_frames_refuse_the_option_for_motion(tmp_path: Path) -> None:
    done = run("trace", *LINE, "-f", "svg", "--stepping", "--frames", str(tmp_path / "x"))
    assert done.returncode == 2
    assert done.stderr == (
        "error: frames do not move: --frames and --stepping can't both be given\n"
    )
    assert not list(tmp_path.iterdir())


def test_each_frame_has_an_alternative_text(tmp_path: Path) -> None:
    done = run("trace", *LINE, "-f", "svg", "--alt", "--frames", str(tmp_path / "x"))
    said = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    assert [*said] == NAMES
    titles = []
    for at, frame in enumerate(make_frames(trace(LINE[0], {"a": 0xFFFFFFF7, "b": 7, "c": 1})), 1):
        (title,) = re.findall("<title[^>]*>([^<]*)<", frame.svg)
        titles.append(title)
        assert said[frame.name].startswith(f"Step {at} of 7, {frame.name[3:].replace('-', ' ')}. ")
        assert re.findall(r"\bStep (\d), ", said[frame.name]) == [str(x) for x in range(1, at + 1)]
    assert titles[2] == "Step 3 of 7, multiply"
    assert len({*said.values()}) == len({*titles}) == 7


@ci_only
@pytest.mark.parametrize("format_", some(["png", "pdf"]))
def test_an_image_contains_its_title_and_description(tmp_path: Path, format_: str) -> None:
    """By a real process: bytes don't pass through captured streams."""
    pytest.importorskip("typst" if format_ == "pdf" else "resvg_py")
    file = tmp_path / f"x.{format_}"
    words = ["trace", *LINE, "-f", format_, "--title", "Größe", "-o", str(file)]
    subprocess.run([sys.executable, "-m", "ptxscope", *words], check=True, timeout=60)
    data = file.read_bytes()
    assert is_ours(data, format_)
    assert not is_frame(data, format_)
    assert not is_ours(data.replace(b"ptxscope", b"somebody"), format_)
    if format_ == "png":
        assert "iTXtTitle\0\0\0\0\0Größe".encode() in data
        assert b"iTXtDescription\0\0\0\0\0" in data
