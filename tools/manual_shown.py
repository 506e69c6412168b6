"""What commands print, as pages show it: `python -m tools.manual_shown` renews all pages."""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Final, NamedTuple

from ptxscope.cli import main as ptxscope

ROOT: Final = Path(__file__).resolve().parent.parent
DOCS: Final = ROOT / "docs"
README: Final = ROOT / "README.md"
ELIDED: Final = "  ...\n"
"""A line of the README that stands for any number of printed lines."""
_FENCED = re.compile(r"^```(console)\n((?:.*\n)*?)```$", re.MULTILINE)


class Command(NamedTuple):
    """A command of a block, and what the block shows that it prints: empty for nothing."""

    text: str
    """With its continuation lines."""
    shown: str

    @property
    def words(self) -> list[str]:
        """What is typed, the program first; where its output goes is left out."""
        return shlex.split(self.text[2:].replace("\\\n", " ").partition(" > ")[0])


def written() -> list[Path]:
    """The pages that somebody wrote."""
    from .manual import FILES

    found = sorted(DOCS.glob("*.rst")) + sorted(DOCS.glob("families/*.rst"))
    return [path for path in found if path.stem not in FILES]


def blocks(text: str, language: str, option: str = "()") -> Iterator[tuple[str, str]]:
    """Blocks of code, each with what a pattern finds below its head."""
    for found in _blocks(text, language, option):
        yield found[1], textwrap.dedent(found[2]).strip("\n") + "\n"


def _blocks(text: str, language: str, option: str) -> Iterator[re.Match[str]]:
    pattern = rf"^\.\. code-block:: {language}\n{option}\n((?:   .*\n|\n)+)"
    return re.finditer(pattern, text + "\n", re.MULTILINE)


def commands(block: str) -> list[Command]:
    """The commands of a block. Only the last can show what it prints."""
    lines, found = block.splitlines(), list[Command]()
    while lines:
        text = lines.pop(0)
        if not text.startswith("$ "):
            raise ValueError(f"{text!r} is no command")
        while text.endswith("\\"):
            text += "\n" + lines.pop(0)
        if lines and not lines[0].startswith("$ "):
            return [*found, Command(text, "\n".join(lines) + "\n")]
        found.append(Command(text, ""))
    return found


def put_files(folder: Path) -> None:
    """Write the files that pages show, each under its name."""
    for path in written():
        text = path.read_text(encoding="utf-8")
        for name, content in blocks(text, "none", r"   :caption: (\S+)\n"):
            (folder / name).write_text(content, encoding="utf-8")


def renewed(text: str) -> str:
    """A page with what its commands print now; run where the files are that it names."""

    def block(found: re.Match[str], indent: str) -> str:
        told = textwrap.dedent(found[2]).strip("\n") + "\n"
        *_, last = commands(told)
        if not last.shown or ELIDED in last.shown:
            return found[0]
        fresh = textwrap.indent(told.removesuffix(last.shown) + _printed(last.words), indent)
        return found[0].replace(found[2].rstrip("\n"), fresh.rstrip("\n"))

    for found in _blocks(text, "console", "()"):
        text = text.replace(found[0].rstrip("\n"), block(found, "   ").rstrip("\n"))
    return _FENCED.sub(lambda found: block(found, ""), text)


def pictures(path: Path) -> Iterator[tuple[list[str], Path]]:
    """Yield the words and the file of each command that draws a picture which its page shows."""
    text = path.read_text(encoding="utf-8")
    found = [block for _, block in blocks(text, "console")]
    found += [match[2] for match in _FENCED.finditer(text)]
    for words in (command.words for block in found for command in commands(block)):
        if "-o" in words:
            name = words[words.index("-o") + 1]
            if f".. image:: {name}\n" in text or f"]({name})" in text:
                yield words, path.parent / name


def _printed(words: list[str]) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        ptxscope(words[1:])
    return out.getvalue()


def main() -> None:
    """Make every page current; say which were not."""
    os.environ.setdefault("NO_COLOR", "1")
    with tempfile.TemporaryDirectory() as name:
        put_files(Path(name))
        with chdir(name):
            for path in (README, *written()):
                old = path.read_text(encoding="utf-8")
                new = renewed(old)
                if new != old:
                    path.write_text(new, encoding="utf-8")
                    sys.stdout.write(f"renewed {path.relative_to(ROOT)}\n")
                for words, picture in pictures(path):
                    with chdir(path.parent):
                        ptxscope(words[1:])
                    sys.stdout.write(f"drew {picture.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
