"""The output of commands in pages: `python -m tools.manual_shown` renews all pages."""

from __future__ import annotations

import io
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Final, NamedTuple
from unittest.mock import patch

from ptxscope.cli import main as ptxscope
from ptxscope.feature import list_features
from ptxscope.state.actions import GROUPS, Action, map_key_names, map_keys

from .manual_text import format_text, make_table

ROOT: Final = Path(__file__).resolve().parent.parent
DOCS: Final = ROOT / "docs"
README: Final = ROOT / "README.md"
ELIDED: Final = "  ...\n"
"""A line of the README for any number of printed lines."""
DEVELOPMENT_PAGES: Final = frozenset({"architecture.md", "releasing.md"})
"""Pages of docs/ that are not part of the manual."""


class Command(NamedTuple):
    """A command of a block, and its output in the block, which may be empty."""

    text: str
    """The command with its continuation lines."""
    output: str

    @property
    def words(self) -> list[str]:
        """The words of the command, the program first, without a redirection."""
        words = shlex.split(self.text[2:].replace("\\\n", " "))
        return words[: words.index(">")] if ">" in words else words


def find_written_pages() -> list[Path]:
    """Return the pages of the manual that are written by hand."""
    pages = [path for name in ("", "families", "dev") for path in (DOCS / name).glob("*.md")]
    return sorted(path for path in pages if path.name not in DEVELOPMENT_PAGES)


_LABEL = re.compile(r"^<!-- feature: (.+) -->\n", re.MULTILINE)
"""Names the features that a page belongs to in its first line, or above a block of it."""
_BLOCK = re.compile(r"```.*\n(?:(?!```).*\n)*```\n|(?:.+\n)+")
"""A fence, or the lines up to an empty one."""


def find_labels(text: str) -> set[str]:
    """Return the names of the features that a page, or any of its blocks, belongs to."""
    return {name for match in _LABEL.finditer(text) for name in match[1].split(", ")}


def list_missing_features() -> set[str]:
    """Return the missing features that pages name."""
    paths = (README, *find_written_pages())
    named = set().union(*(find_labels(path.read_text(encoding="utf-8")) for path in paths))
    return named - {feature.name for feature in list_features()}


def read_page(path: Path) -> str:
    """Return a page without the names of features and without parts of missing features.

    A page of a missing feature is empty.
    """
    text, present = path.read_text(encoding="utf-8"), {x.name for x in list_features()}
    while match := _LABEL.search(text):
        end = match.end()
        if not {*match[1].split(", ")} <= present:
            if match.start() == 0:
                return ""
            if block := _BLOCK.match(text, end):
                end = block.end()
        text = text[: match.start()] + text[end:]
    return text


def find_blocks(text: str, language: str) -> Iterator[str]:
    """Yield the content of each fenced block of a language."""
    for match in _find_fences(text, language):
        yield match[1]


def _find_fences(text: str, language: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"^```{language}\n((?:(?!```).*\n)*?)```$", text, re.MULTILINE)


def find_files(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and content of each file in a page: a name, a colon, a block."""
    for match in re.finditer(r"^`(\S+\.\w+)`:\n\n```\w+\n((?:.*\n)*?)```$", text, re.MULTILINE):
        yield match[1], match[2]


def split_commands(block: str) -> list[Command]:
    """Return the commands of a block. Only the last can show its output."""
    lines, commands = block.splitlines(), list[Command]()
    while lines:
        text = lines.pop(0)
        if not text.startswith("$ "):
            raise ValueError(f"{text!r} is no command")
        while text.endswith("\\"):
            text += "\n" + lines.pop(0)
        if lines and not lines[0].startswith("$ "):
            return [*commands, Command(text, "\n".join(lines) + "\n")]
        commands.append(Command(text, ""))
    return commands


def write_files(folder: Path) -> None:
    """Write the files in pages under their names."""
    for path in find_written_pages():
        for name, content in find_files(path.read_text(encoding="utf-8")):
            (folder / name).write_text(content, encoding="utf-8")


def renew_output(text: str) -> str:
    """Renew the output of a page's commands, which run in a folder with its files."""
    renewed, end = "", 0
    for match in _find_fences(text, "console"):
        *_, last = split_commands(match[1])
        if last.output and ELIDED not in last.output:
            renewed += text[end : match.end(1) - len(last.output)] + _run_command(last.words)
            end = match.end(1)
    return renewed + text[end:]


def renew_key_tables(text: str) -> str:
    """Renew the keys of the explorer's actions in a page, by group."""

    def renew(match: re.Match[str]) -> str:
        rows = (
            (format_keys(action), format_text(action.tooltip))
            for group in match[1].split(", ")
            for action in GROUPS[group]
        )
        lines = (f"<!-- keys: {match[1]} -->", "", *make_table(("keys", "action"), rows), match[2])
        return "\n".join(lines)

    return re.sub(
        r"^<!-- keys: (.*) -->\n(?:.*\n)*?(<!-- end of keys -->)$", renew, text, flags=re.MULTILINE
    )


def format_keys(action: Action) -> str:
    """Return the keys of an action; without a key, the filter's and the words to type."""
    names = map_key_names(map_keys({}))
    if not action.keys:
        return f"<kbd>{names['palette'][0]}</kbd> `{action.label}`"
    words = " ".join(names[action.id]).split()
    return " ".join(word if word == "…" else f"<kbd>{word}</kbd>" for word in words)


def find_pictures(path: Path) -> Iterator[tuple[list[str], Path]]:
    """Yield the words and the file of each command that draws a picture of its page."""
    text = path.read_text(encoding="utf-8")
    blocks = find_blocks(text, "console")
    for words in (command.words for block in blocks for command in split_commands(block)):
        if "-o" in words:
            name = words[words.index("-o") + 1]
            if f"]({name})" in text:
                yield words, path.parent / name


def _run_command(words: list[str]) -> str:
    output = io.StringIO()
    with redirect_stdout(output):
        ptxscope(words[1:])
    return output.getvalue()


def main() -> None:
    """Renew every page, and name the stale ones."""
    with tempfile.TemporaryDirectory() as name, patch.dict(os.environ, NO_COLOR="1"):
        write_files(Path(name))
        for path in (README, *find_written_pages()):
            _renew_page(path, Path(name))
    ptxscope(["export", "--update", *map(str, find_written_pages())])


def _renew_page(path: Path, folder: Path) -> None:
    """Renew the output and the pictures of a page; its commands run in a folder."""
    old = path.read_text(encoding="utf-8")
    with chdir(folder):
        new = renew_key_tables(renew_output(old))
    if new != old:
        path.write_text(new, encoding="utf-8")
        print(f"renewed {path.relative_to(ROOT)}")
    for words, picture in find_pictures(path):
        old_picture = picture.read_bytes() if picture.exists() else b""
        with chdir(path.parent):
            ptxscope(words[1:])
        if picture.read_bytes() != old_picture:
            print(f"drew {picture.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
