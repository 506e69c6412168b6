"""Requests of ``tests/data/requests`` and of features: exit statuses, and parts of the answers.

A line `# …` begins a section, which may end with `(needs MODULE, …)`, `$ …` a request, `$ [FOLDER]
…` one there; `< …` is its input. Below it stand the exit status and the parts, one a line: of
standard output if the status is 0 or followed by >, else of standard error; behind `>` or `2>` they
are of the stream that this names. After `~` a part must be missing, after `&` lines may break at
its blanks. A stream without parts stays empty, no file is made, and no control character is
printed. \\n is the end of a line, or the beginning of an answer, \\e the escape character.

`NAME = …` is a text that the requests below have as {NAME}; {DATA} is the folder `tests/data`.
`=== FILE` begins a file, up to a line `===`; `=== FILE from OTHER` a copy of a file above, or of a
kernel of the `.ptx` file beside the requests, in which what stands before each ` => ` is replaced.
A section has its own texts and files, and those before the first section.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.driving.command_line import run
from tests.driving.feature_tables import FOLDER
from tests.driving.kernel_texts import read_kernels
from tests.reference_data import DATA

_BLOCK = re.compile(
    r"^\# (?P<title>.*)"
    r"|^(?P<name>[A-Z0-9]+) = (?P<text>.*)"
    r"|^=== (?P<file>\S+)(?: from (?P<source>\S+))?\n(?P<body>(?:(?!===$).*\n)*)===$"
    r"|^\$ (?:\[(?P<folder>.*?)\] )?(?P<words>.*)\n"
    r"(?:< (?P<given>.*)\n)?(?P<answer>\d.*(?:\n  .*)*)",
    re.MULTILINE,
)


class Request(NamedTuple):
    """What is typed, and what must come of it."""

    words: list[str]
    folder: str
    given: str
    answer: str
    files: dict[str, str]


def _unescape(text: str) -> str:
    escapes = {"n": "\n", "e": "\x1b"}
    return re.sub(
        r"\\(n|e|u[0-9a-f]{4})", lambda x: escapes.get(x[1]) or chr(int(x[1][1:], 16)), text
    )


def _copy(text: str, edits: str) -> str:
    """Return a file with the text after each arrow instead of the text before it."""
    for old, new in (_unescape(edit).split(" => ") for edit in edits.splitlines()):
        assert old in text
        text = text.replace(old, new)
    return text


def read_requests(path: Path) -> Iterator[tuple[str, Request]]:
    """Yield the requests of a file, each with the title of its section."""
    title, common = "", ({"DATA": str(DATA)}, dict[str, str]())
    texts, files = common

    def insert_texts(text: str) -> str:
        return re.sub(r"\{([A-Z0-9]+)\}", lambda x: texts[x[1]], text)

    for block in _BLOCK.finditer(path.read_text("utf-8")):
        if block["title"]:
            title, texts, files = block["title"], {**common[0]}, {**common[1]}
        elif block["name"]:
            texts[block["name"]] = insert_texts(block["text"])
        elif source := block["source"]:
            copied = files.get(source) or read_kernels(path.with_suffix(".ptx"))[source]
            files[block["file"]] = _copy(copied, block["body"])
        elif block["file"]:
            files[block["file"]] = block["body"]
        else:
            words = shlex.split(_unescape(insert_texts(block["words"])))
            yield (
                title,
                Request(
                    words,
                    block["folder"] or "",
                    _unescape(block["given"] or ""),
                    block["answer"],
                    {**files},
                ),
            )


_PATHS = [*(DATA / "requests").glob("*.txt"), *FOLDER.glob("*/requests/*.txt")]
SECTIONS = [
    pytest.param(title, [x for _, x in requests], id=f"{path.parts[-3]} {path.stem}: {title}")
    for path in sorted(_PATHS)
    for title, requests in groupby(read_requests(path), lambda x: x[0])
]


def has_part(printed: str, part: str) -> bool:
    if part.startswith("& "):
        return " ".join(part[2:].split()) in " ".join(printed.split())
    return _unescape(part) in f"\n{printed}"


@pytest.mark.parametrize(("title", "requests"), SECTIONS)
def test_requests_have_their_status_and_answer_and_create_no_file(
    title: str, requests: list[Request], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs = re.search(r"\(needs ([\w., ]+)\)$", title)
    for name in needs[1].split(", ") if needs else []:
        pytest.importorskip(name)
    for at, request in enumerate(requests):
        try:
            check_request(request, tmp_path / str(at), monkeypatch)
        except Exception as error:
            error.add_note(f"the request: $ {shlex.join(request.words)}")
            raise


def check_request(request: Request, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in request.files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text, "utf-8")
    folder = top / request.folder
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(folder)
    done = run(*request.words, given=request.given)
    status, *parts = request.answer.split("\n  ")
    usual = ">" if status[0] == "0" or status[1:2] == ">" else "2>"
    parts.insert(0, status[1:].removeprefix(">").removeprefix(" "))
    assert done.returncode == int(status[0]), done
    assert not {"\x1b", "\x9b", "\u202e"} & {*done.stdout, *done.stderr}
    pairs = [re.findall(r"\A(?:(2?>)(?: |\Z))?(.*)", part)[0] for part in parts]
    for mark, printed in ((">", done.stdout), ("2>", done.stderr)):
        own_parts = [part for stream, part in pairs if (stream or usual) == mark]
        assert own_parts or not printed, printed
        for part in own_parts:
            is_missing = part.startswith("~ ")
            assert has_part(printed, part.removeprefix("~ ")) != is_missing, (part, printed)
    files = {x: x.read_text("utf-8") for x in top.rglob("*") if not x.is_dir()}
    assert files == {top / name: text for name, text in request.files.items()}
