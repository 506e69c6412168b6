"""Pages that ``ptxscope export --update`` keeps: how they are encoded, where pictures go."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from tests.cli.running import run

LINE = "ptxscope trace 'vadd4.s32.s32.s32.sat d, a, b, c' a=0x7f b=1 c=0"
PAGE = f"# Größe\r\n\r\n<!-- {LINE} -->\r\n<!-- /ptxscope -->\r\n\r\nEnde ✓\r\n"


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
    ],
)
def test_a_page_stays_encoded_as_it_is(tmp_path: Path, encoding: str, mark: bytes) -> None:
    page = tmp_path / "page.md"
    page.write_bytes(mark + PAGE.encode(encoding))
    assert run("export", "--update", str(page)) == (0, f"{page}: updated\n", "")
    made = page.read_bytes()
    assert made.startswith(mark)
    text = made[len(mark) :].decode(encoding)
    assert text.startswith("# Größe\r\n")
    assert text.endswith("Ende ✓\r\n")
    assert "`0x0000007f`" in text
    assert run("export", "--update", "--check", str(page)) == (0, "", "")


def test_one_of_its_two_tasks_is_named(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_bytes(PAGE.encode())
    said = "error: add --update to rewrite the traces, or --check to compare them\n"
    assert run("export", str(page)) == (2, "", said)
    assert run("export", "--check", str(page)) == (1, f"{page}: stale\n", "")
    assert page.read_bytes() == PAGE.encode()


def test_half_a_character_is_told_with_its_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_bytes(codecs.BOM_UTF16_LE + "a\nb\n".encode("utf-16-le") + b"\x00")
    done = run("export", "--update", str(page))
    assert done.returncode == 2
    assert "page.md:3: this is not UTF-16" in done.stderr


def test_the_folder_of_a_picture_is_to_be_made_first(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"<!-- {LINE} -o pics/all/t.svg -->\n<!-- /ptxscope -->\n")
    done = run("export", "--update", str(page))
    assert done.returncode == 2
    folder = tmp_path / "pics" / "all"
    assert f"make the folder {folder} first" in done.stderr
    folder.mkdir(parents=True)
    assert run("export", "--update", str(page)).returncode == 0
    assert (folder / "t.svg").read_text().startswith("<svg")


def test_a_file_where_the_folder_of_a_picture_would_be(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"<!-- {LINE} -o pics/t.svg -->\n<!-- /ptxscope -->\n")
    (tmp_path / "pics").write_text("mine")
    done = run("export", "--update", str(page))
    assert done.returncode == 2
    assert "pics" in done.stderr
    assert (tmp_path / "pics").read_text() == "mine"


def test_the_end_of_a_comment_within_a_title(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"<!-- {LINE} --title 'a --> b' -->\n<!-- /ptxscope -->\n")
    done = run("export", "--update", str(page))
    assert done.returncode == 2
    assert "page.md:1: a quote is opened and not closed before the first -->" in done.stderr
    page.write_text(f"<!-- {LINE} --title 'a --''> b' -->\n<!-- /ptxscope -->\n")
    assert run("export", "--update", str(page)).returncode == 0
    assert "## a --&gt; b" in page.read_text()
