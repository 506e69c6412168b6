"""``export --update``: only what is between markers, whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ptxscope.cli import CommandError, main
from ptxscope.cli.export import updated
from ptxscope.cli.markers import markers
from ptxscope.cli.trace import rendered

OPEN = "<!-- ptxscope trace 'vadd.u32.u32.u32 d, a, b' a=1 b=2 -f text -->"
WRONG = "<!-- ptxscope trace 'vadd.u32.u32 d, a, b' a=1 b=2 -->"
CLOSE = "<!-- /ptxscope -->"


def update(*words: object, status: int = 0) -> None:
    assert main(["export", "--update", *map(str, words)]) == status


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n\r\n  \n", b"\x00\xc2\xa0", b"\rx", b"\x0c"])
def test_bytes_outside_the_markers_stay(
    mark: bytes, line_end: bytes, end: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "x.md"
    before = mark + b"# x  \r\none\ntwo\n\r\n" + OPEN.encode()
    after = CLOSE.encode() + end
    path.write_bytes(before + line_end + b"old" + line_end + after)
    update(path)
    written = path.read_bytes()
    assert written.startswith(before + line_end)
    assert written.endswith(line_end + after)
    inner = written[len(before) : -len(after)]
    assert b"0x00000003" in inner
    assert inner.count(b"\n") == inner.count(line_end)
    update(path, "--check")


CODE = {
    "fence": "```\n{}\n```\n",
    "tildes": "~~~ md\n{}\n~~~\n",
    "longer": "````\n```\n{}\n```\n````\n",
    "unclosed": "```\n{}\n",
    "indented": "text\n\n    {}\n",
    "tab": "\t{}\n",
    "list": "- item\n\n  ```\n  {}\n  ```\n",
    "quote": "> ```\n> {}\n> ```\n",
    "span": "as `{}` and\n",
    "long span": "as `` ` {} ` `` and\n",
    "escaped": "as \\{} and\n",
    "comment": "<!-- as {}\n",
}
TEXT = {
    "plain": "{}\n",
    "paragraph": "text\n{}\n",
    "within": "text {} text\n",
    "not indented": "   {}\n",
    "in a list": "1. item\n\n   {}\n",
    "after a fence": "```\nx\n```\n{}\n",
    "after a wrong end": "``` a\n``` b\n```\n{}\n",
    "no fence": "``` a`b\n{}\n",
    "after a span": "`x` {}\n",
    "no span": "`` x ` {}\n",
    "continued": "text\n    {}\n",
    "after a comment": "<!-- `` -->\n{}\n",
    "in html": "<details>\n{}\n",
    "heading": "# {}\n",
    "mark": "\ufeff{}\n",
}


@pytest.mark.parametrize("name", CODE)
def test_markers_in_code_are_not_run(name: str) -> None:
    page = CODE[name].replace("{}", WRONG)
    assert updated(page) == page


@pytest.mark.parametrize("name", TEXT)
def test_markers_in_text_are(name: str) -> None:
    page = TEXT[name].replace("{}", OPEN) + "\n" + CLOSE + "\n"
    assert "0x00000003" in updated(page)


PARTS = [OPEN, "`", "``", "```\n", "~~~\n", "\n", "    ", "- ", "> ", "a", "\\", "-->", " ", "\n\n"]
HTML = ["<div>", "</div>", "<pre>", "\r\n", "\t", "1. ", "***\n", "# ", "\n===\n", "  ", "<"]


@given(st.lists(st.sampled_from(PARTS + HTML), max_size=24))
def test_a_marker_is_what_markdown_takes_for_a_comment(parts: list[str]) -> None:
    page = "".join(parts)
    # what is code, or text, is escaped
    assert len(markers(page)) == MarkdownIt("commonmark").render(page).count(OPEN)


@pytest.mark.parametrize("option", ["--help", "-h", "-o x", "--output=x", "--nonsense", "-f pdf"])
def test_an_option_that_a_marker_cannot_have_is_an_error_there(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = f"\n{OPEN}\n{CLOSE}\n\n{OPEN.replace('-f text', option)}\n{CLOSE}\n"
    Path("x.md").write_text(page)
    Path("y.md").write_text(f"{OPEN}\n{CLOSE}\n")
    update("x.md", "y.md", status=2)
    said = capsys.readouterr()
    assert said.out == "y.md: updated\n"
    assert said.err.startswith("x.md:5: ")
    assert option.partition("=")[0].split()[0] in said.err
    assert Path("x.md").read_text() == page
    assert "0x00000003" in Path("y.md").read_text()
    assert sorted(x.name for x in tmp_path.iterdir()) == ["x.md", "y.md"]


def test_every_marker_that_is_wrong_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    page = f"{WRONG}\n{CLOSE}\n{OPEN}\n{CLOSE}\n\n{OPEN}\n{WRONG}\n{CLOSE}\n"
    with pytest.raises(CommandError) as caught:
        updated(page, "x.md")
    lines = [x for x in str(caught.value).splitlines() if x.startswith("x.md:")]
    assert [x.split(":")[1] for x in lines] == ["1", "6", "7"]


@pytest.mark.parametrize("format_", ["-f svg", "--format=svg", "--format svg", "-fsvg"])
def test_the_format_is_the_marker_s(format_: str) -> None:
    assert "<svg" in updated(f"{OPEN.replace('-f text', format_)}\n{CLOSE}\n")


def test_what_fails_is_one_file_s_affair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, latin, folder = tmp_path / "good.md", tmp_path / "latin.md", tmp_path / "folder"
    good.write_text(f"{OPEN}\n{CLOSE}")
    latin.write_bytes(b"one\n\xe9\n")
    folder.mkdir()
    update(tmp_path / "none.md", latin, folder, "a\0b", good, status=2)
    said = capsys.readouterr()
    assert said.out == f"{good}: updated\n"
    assert "none.md: No such file" in said.err
    assert "latin.md:2: this is not UTF-8" in said.err
    assert "folder is not a regular file" in said.err
    assert "not a file name" in said.err
    assert latin.read_bytes() == b"one\n\xe9\n"


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    page = f"{OPEN}\n{CLOSE}\n" + "x" * 500
    path.write_text(page)
    program = (
        "import resource, signal, sys; from ptxscope.cli import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))\n"
        "sys.exit(main(['export', '--update', sys.argv[1]]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {path}: File too large\n"
    assert path.read_text() == page
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_changed_meanwhile_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.md"
    path.write_text(f"{OPEN}\n{CLOSE}\n")

    def slowly(words: list[str]) -> str:
        path.write_text("theirs")
        return rendered(words)

    monkeypatch.setattr("ptxscope.cli.export.rendered", slowly)
    update(path, status=2)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"error: {path}: it was changed meanwhile, and is left as it is\n"
    assert path.read_text() == "theirs"


def test_a_trace_that_would_hide_its_end_is_not_written(tmp_path: Path) -> None:
    words = OPEN.replace("-f text", "-f text --title '```'")
    page = f"{words}\n{CLOSE}\n\n{OPEN}\n{CLOSE}\n"
    with pytest.raises(CommandError, match="could not be found"):
        updated(page)
