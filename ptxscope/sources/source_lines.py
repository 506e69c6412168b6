"""The lines of CUDA C++ from which a listing was compiled: its ``.file`` and ``.loc``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

_DIRECTIVE = re.compile(
    r"^[ \t]*+\.loc[ \t]++(?P<number>\d{1,9}+)[ \t]++(?P<line>\d{1,9}+)"
    r'|^[ \t]*+\.file[ \t]++(?P<file>\d{1,9}+)[ \t]++"(?P<name>[^"\n]*+)"'
    r"|^[ \t]*+\.(?P<module>version)\b"
    r"|^[^\n;\"]*?\.(?P<header>entry|func)\b",
    re.MULTILINE | re.ASCII,
)
_MAX_PLACES = 1 << 18
"""The places that are kept while a listing is read in parts."""


class SourcePlace(NamedTuple):
    """A place in a source, whose file a listing may name later."""

    module: int
    """The number of the module in the listing: files are numbered in each."""
    file: str
    line: str


class SourceLines:
    """The places in the sources of a listing, by its lines."""

    def __init__(self, text: str = "") -> None:
        self._lines, self._places = list[int](), list[SourcePlace | None]()
        """The lines from which places hold, and the places."""
        self._files: dict[tuple[int, str], str] = {}
        self._line = 1
        self.module = 0
        """The number of the last module so far."""
        self.record(text)

    def record(self, text: str) -> None:
        """Read more of the listing: whole lines."""
        counted_end = 0
        is_likely = self._lines or self._files or ".loc" in text or ".file" in text
        for match in _DIRECTIVE.finditer(text) if is_likely else ():
            if match["file"]:
                name = re.split(r"[/\\]", match["name"])[-1]
                self._files[self.module, match["file"]] = name
                continue
            self._line += text.count("\n", counted_end, match.start())
            counted_end = match.start()
            self.module += match["module"] is not None
            has_place = match["line"] is not None and match["line"].strip("0")
            self._lines.append(self._line)
            self._places.append(
                SourcePlace(self.module, match["number"], match["line"]) if has_place else None
            )
        self._line += text.count("\n", counted_end)

    def record_chunks(self, chunks: Iterable[str]) -> Iterator[str]:
        """Yield the text of a long listing, by whole lines if these are short, after reading it."""
        held_text = ""
        for chunk in chunks:
            text = held_text + chunk
            end = text.rfind("\n") + 1 or len(text)
            held_text = text[end:]
            self.record(text[:end])
            if len(self._lines) > _MAX_PLACES:
                del self._lines[: _MAX_PLACES // 2], self._places[: _MAX_PLACES // 2]
            yield text[:end]
        self.record(held_text)
        yield held_text

    def find_place(self, line: int) -> SourcePlace | None:
        """Return the place of a line of the listing; None if there is none."""
        index = bisect_right(self._lines, line) - 1
        return self._places[index] if index >= 0 else None

    def format_place(self, place: SourcePlace | None) -> str:
        """Return ``sad.cu:5``; empty if there is no place, or its file has no name so far."""
        name = self._files.get((place.module, place.file)) if place else None
        return f"{name}:{place.line}" if name and place else ""

    def find(self, line: int) -> str:
        """Return the place of a line of the listing: ``sad.cu:5``; empty if none is known."""
        return self.format_place(self.find_place(line))

    def format_line(self, line: int) -> str:
        """Return ``line 12 (sad.cu:5)``, or ``line 12``."""
        place = self.find(line)
        return f"line {line} ({place})" if place else f"line {line}"


@lru_cache(maxsize=4)
def read_source_lines(text: str) -> SourceLines:
    """Return the places in the sources of a listing, cached."""
    return SourceLines(text)
