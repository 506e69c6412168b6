"""The CUDA C++ lines of a compiled listing, by its ``.file`` and ``.loc``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

_DIRECTIVE = re.compile(
    r"^[ \t]*+\.loc[ \t]++(?P<number>\d{1,9}+)[ \t]++(?P<line>\d{1,9}+)"
    r"(?:[ \t]++(?P<column>\d++)(?:[ \t]*+,[ \t]*+function_name[^\n,;]*+,[ \t]*+inlined_at[ \t]++"
    r"(?P<call_number>\d{1,9}+)[ \t]++(?P<call_line>\d{1,9}+)[ \t]++(?P<call_column>\d++))?)?"
    r'|^[ \t]*+\.file[ \t]++(?P<file>\d{1,9}+)[ \t]++"(?P<name>[^"\n]*+)"'
    r"|^[ \t]*+\.(?P<module>version)\b"
    r"|^[^\n;\"]*?\.(?P<header>entry|func)\b",
    re.MULTILINE | re.ASCII,
)
UNSEEN_LISTING = "// The reader has the sources of this listing, not the listing.\n"
"""The first line of a listing whose own lines would mean nothing to the reader."""
_MAX_PLACES = 1 << 18
"""Maximum places kept while a listing is read in parts."""


class SourcePlace(NamedTuple):
    """A place in a source; the listing may name its file later."""

    module: int
    """The number of the module in the listing: each module numbers its files."""
    file: str
    line: str
    call: tuple[str, str] | None = None
    """The file and line of the outermost call that its function was inlined into."""


class SourceLines:
    """The source places of a listing, by its lines."""

    def __init__(self, text: str = "") -> None:
        self._lines, self._places = list[int](), list[SourcePlace | None]()
        """The first lines of places, and the places."""
        self._files: dict[tuple[int, str], str] = {}
        self._calls: dict[tuple[str, str, str], tuple[str, str]] = {}
        """The outermost call for each place in an inlined function, by file, line and column."""
        self._line = 1
        self.module = 0
        """The number of the current module."""
        self.is_unseen = text.startswith(UNSEEN_LISTING)
        """Whether the reader has only the sources."""
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
            self._lines.append(self._line)
            self._places.append(self._read_place(match))
        self._line += text.count("\n", counted_end)

    def _read_place(self, match: re.Match[str]) -> SourcePlace | None:
        """Return the place of a ``.loc``; None for another directive, or line 0."""
        if match["line"] is None:
            self._calls.clear()  # of the previous function
            return None
        call = None
        if match["call_line"] is not None:
            caller = match["call_number"], match["call_line"], match["call_column"]
            call = self._calls.get(caller, caller[:2])
        if match["column"] is not None:
            key = match["number"], match["line"], match["column"]
            if call:
                self._calls[key] = call
            else:
                self._calls.pop(key, None)
        if not match["line"].strip("0"):
            return None
        return SourcePlace(self.module, match["number"], match["line"], call)

    def record_chunks(self, chunks: Iterable[str]) -> Iterator[str]:
        """Record a long listing and yield its text, by whole lines if these are short."""
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
        """Return the place of a line of the listing, or None."""
        index = bisect_right(self._lines, line) - 1
        return self._places[index] if index >= 0 else None

    def format_place(self, place: SourcePlace | None) -> str:
        """Return ``sad.cu:5``; empty if there is no place, or its file has no name yet.

        An inlined function includes its call: ``sad.cu:5, from sad.cu:20``.
        """
        name = self._files.get((place.module, place.file)) if place else None
        if not name or place is None:
            return ""
        caller = self._files.get((place.module, place.call[0])) if place.call else None
        origin = f", from {caller}:{place.call[1]}" if caller and place.call else ""
        return f"{name}:{place.line}{origin}"

    def find(self, line: int) -> str:
        """Return the place of a line of the listing: ``sad.cu:5``; empty if unknown."""
        return self.format_place(self.find_place(line))

    def format_line(self, line: int) -> str:
        """Return ``line 12 (sad.cu:5)``, or ``line 12``; of an unseen listing, ``sad.cu:5``."""
        place = self.find(line)
        if place and self.is_unseen:
            return place
        return f"line {line} ({place})" if place else f"line {line}"

    def find_number(self, line: int) -> int:
        """Return the number of a line; of an unseen listing, the number in its source, or 0."""
        if not self.is_unseen:
            return line
        place = self.find_place(line)
        return int(place.line) if place else 0

    def format_number(self, line: int) -> str:
        """Return a column of lines: `` 12``; of an unseen listing, ``sad.cu:12 ``."""
        if not self.is_unseen:
            return f"{line:>5}"
        file, _, number = self.find(line).partition(":")
        return f"{file}:{number:<4}" if file else " " * 5

    def name_lines(self, data: Any) -> Any:
        """Add a ``source`` after each ``line`` with a known place in JSON."""
        if not self._files:
            return data
        if isinstance(data, Mapping):
            named = dict[str, Any]()
            for key, value in data.items():
                named[key] = self.name_lines(value)
                is_line = key == "line" or key.endswith("_line")
                if is_line and isinstance(value, int) and (place := self.find(value)):
                    named[key.removesuffix("line") + "source"] = place
            return named
        return [*map(self.name_lines, data)] if isinstance(data, list | tuple) else data


@lru_cache(maxsize=4)
def read_source_lines(text: str) -> SourceLines:
    """Return the source places of a listing, cached."""
    return SourceLines(text)
