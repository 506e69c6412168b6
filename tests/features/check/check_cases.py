"""Texts in the folder cases, each file with the items of `check` beside it.

A line `%%` begins another text, which is checked alone; after a line `%%%`, each line is one. The
mark may be followed by the name of the text's file, macros as `-DN=3` or `-UN`, and a title. A text
before the first mark is around all others, in the place of its line `CASE`.

The JSON lists every item of `check`, in order: its line in the file, the beginning of its `ptx` and
its findings. A finding has its rule and the text at its place, or the text behind an empty place.
It may have a part of its message, its hint, the text of its fix, the line after that, and its
severity.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

CHECK_DATA = Path(__file__).parent / "data"
"""Tables of the tests of `check`."""
FOLDER = Path(__file__).parent / "cases"
_SEPARATOR = re.compile(
    r"(?P<mark>%%%?)(?: (?P<name>-|[\w+-]+\.\w+)(?!\S))?(?P<macros>(?: -[DU]\S+)*)(?: .*)?"
)


class Case(NamedTuple):
    """A text, and what `check` says of it."""

    name: str
    definitions: dict[str, str | None]
    text: str
    start: int
    """What is to be added to a line of the text for that of the file."""
    items: list[dict[str, Any]]


def read_cases(path: Path) -> Iterator[tuple[str, Case]]:
    """Yield the cases of a file, each with its name in the test run."""
    items = json.loads((FOLDER / f"{path.name.partition('.')[0]}.json").read_text("utf-8"))
    lines = path.read_text("utf-8").removesuffix("\n").split("\n")
    matches = [(i, x) for i, line in enumerate(lines) if (x := _SEPARATOR.fullmatch(line))]
    frame = lines[: matches[0][0]] or ["CASE"]
    head = frame.index("CASE")
    ends = [*(i for i, _ in matches[1:]), len(lines)]
    for (start, separator), end in zip(matches, ends, strict=True):
        spans = [(start + 1, end)]
        if separator["mark"] == "%%%":
            spans = [(i, i + 1) for i in range(start + 1, end)]
        macros = ((*x[2:].partition("="), x[1]) for x in separator["macros"].split())
        definitions = {name: None if way == "U" else value for name, _, value, way in macros}
        for first, last in spans:
            text = "\n".join([*frame[:head], *lines[first:last], *frame[head + 1 :]])
            known = [x for x in items if first < x["line"] <= last]
            name = separator["name"] or f"x{path.suffixes[0]}"
            yield f"{path.name}:{first + 1}", Case(name, definitions, text, first - head, known)


CASES = dict(
    case for path in sorted(FOLDER.iterdir()) if path.suffix != ".json" for case in read_cases(path)
)
