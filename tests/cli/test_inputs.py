"""What is read: UTF-8 with a mark and without, UTF-16, and what is neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ptxscope.documents.formats.json_text import format_json
from tests.driving.command_line import run
from tests.driving.input_files import ASM, ENCODINGS, call, encoded, ways

LINE = "vadd.u32.u32.u32 d, a, b"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@ways
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_reader_takes_utf_8_and_utf_16(encoding: str, by_name: bool) -> None:
    raw = encoded(ASM, encoding)
    assert "%0 = 0x00000003" in call(raw, by_name, "run", "FILE", "%1=1", "%2=2").stdout
    seen = encoded("a,b,got\n1,2,3\n", encoding)
    out = call(seen, by_name, "explain", LINE, "--observations", "FILE").stdout
    assert "documented" in out


def test_a_binary_file_is_refused() -> None:
    for words in (("run", "FILE"), ("explain", LINE, "--observations", "FILE")):
        assert "FILE is not a text file" in call(b"\x7fELF\0\0", True, *words, status=2).stderr


# --- half a surrogate pair ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\ud800b", "a\ufffdb"),
        ("\udcff", "\ufffd"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\U0001f600", "\U0001f600"),
        ("\\ud800", "\\ud800"),
        ("\\\ud800\\\\ud800\u0085\x00", "\\\ufffd\\\\ud800\u0085\x00"),
        ("\ud83d\\ude00", "\ufffd\\ude00"),
    ],
)
def test_json_is_ascii_and_unicode(text: str, shown: str) -> None:
    made = format_json({text: [text]})
    assert made.isascii()
    assert json.loads(made) == {shown: [shown]}
    json.loads(made)[shown][0].encode()


def test_a_folder_in_place_of_a_file_is_an_error(tmp_path: Path) -> None:
    done = run("run", str(tmp_path))
    assert done.returncode == 2
    assert f"{tmp_path} is a directory; name its files" in done.stderr


# --- outputs that are inputs -------------------------------------------------------------


@pytest.mark.parametrize("output", ["k.cu", "./k.cu", "link.cu", "other.cu"])
def test_an_output_that_is_an_input_is_refused(output: str) -> None:
    Path("k.cu").write_text('asm("not.b32 %0, %1;" : "=r"(d) : "r"(a));\n')
    Path("link.cu").symlink_to("k.cu")
    Path("other.cu").hardlink_to("k.cu")
    before = Path("k.cu").read_text()
    done = run("trace", "k.cu:1", "a=1", "-f", "text", "-o", output)
    assert (done.returncode, done.stderr) == (
        2,
        f"error: {output} is an input: name another output\n",
    )
    assert Path("k.cu").read_text() == before


def test_an_output_may_be_what_a_title_names() -> None:
    Path("d.svg").write_text("old")
    assert run("trace", LINE, "a=1", "b=2", "--title", "d.svg", "-o", "d.svg").returncode == 0


def test_an_output_may_have_the_name_of_an_opcode() -> None:
    Path("vadd4").write_text("old")
    assert run("show", "vadd4", "-f", "markdown", "-o", "vadd4").returncode == 0
    assert "vadd4" in Path("vadd4").read_text()
