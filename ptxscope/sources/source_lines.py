"""The lines of CUDA C++ from which a listing was compiled: its ``.file`` and ``.loc``."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

_DIRECTIVE = re.compile(
    r"^[ \t]*+\.loc[ \t]++(?P<number>\d{1,9}+)[ \t]++(?P<line>\d{1,9}+)"
    r'|^[ \t]*+\.file[ \t]++(?P<file>\d{1,9}+)[ \t]++"(?P<name>[^"\n]*+)"'
    r"|^[^\n;\"]*?\.(?P<header>entry|func)\b",
    re.MULTILINE | re.ASCII,
)


class SourceLines:
    """The places in the sources of a listing, by its lines."""

    def __init__(self, text: str) -> None:
        self._lines, self._places = list[int](), list[tuple[str, str] | None]()
        """The lines from which places hold, and the number of the file with its line."""
        self._files: dict[str, str] = {}
        line, counted_end = 1, 0
        for match in _DIRECTIVE.finditer(text) if ".loc" in text else ():
            if match["file"]:
                name = re.split(r"[/\\]", match["name"])[-1]
                self._files[match["file"]] = name
                continue
            line += text.count("\n", counted_end, match.start())
            counted_end = match.start()
            self._lines.append(line)
            self._places.append(None if match["header"] else (match["number"], match["line"]))

    def find(self, line: int) -> str:
        """Return the place of a line of the listing: ``sad.cu:5``; empty if none is known."""
        index = bisect_right(self._lines, line) - 1
        place = self._places[index] if index >= 0 else None
        name = self._files.get(place[0]) if place else None
        return f"{name}:{place[1]}" if name and place else ""

    def format_line(self, line: int) -> str:
        """Return ``line 12 (sad.cu:5)``, or ``line 12``."""
        place = self.find(line)
        return f"line {line} ({place})" if place else f"line {line}"


@lru_cache(maxsize=4)
def read_source_lines(text: str) -> SourceLines:
    """Return the places in the sources of a listing, cached."""
    return SourceLines(text)
