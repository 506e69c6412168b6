"""The line markers of a preprocessor's output: ``# 12 "x.cu" 1 3`` and ``#line 12 "x.cu"``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...sources.source_location import SourceLocation
from .diagnostic import CheckedInstruction

_MARKER = re.compile(
    r"^[ \t]*+#[ \t]*+(?:line[ \t]++)?(?P<line>\d{1,9}+)"
    r'(?>[ \t]++"(?P<file>(?>(?:[^"\\\n]++|\\.)*))"'
    r"(?P<flags>[ \t\d]*+)|)[ \t\r]*+$",
    re.MULTILINE | re.ASCII,
)
_ESCAPE = re.compile(r"\\(.)")
_TOOLKIT_HEADER = "/cuda_runtime.h"
"""A header that nvcc includes on its own, from the directory of the toolkit's headers."""
_SYSTEM_FLAG = "3"


class _Marker(NamedTuple):
    """The origin of the lines after a marker."""

    line: int
    """The line of the text after the marker, from 1."""
    origin: int
    """The number of that line in its file."""
    file: str
    """Empty for the text's own name."""
    is_system: bool
    """Whether the file belongs to the system or to the toolkit."""


class LineMarkers:
    """The line markers of a text."""

    def __init__(self, text: str) -> None:
        self.markers = list(_read_markers(text)) if "#" in text else []
        self.lines = [x.line for x in self.markers]

    def restore_places(self, items: Iterable[CheckedInstruction]) -> Iterator[CheckedInstruction]:
        """Yield the instructions at their places before preprocessing.

        Instructions from headers of the system and of the CUDA toolkit are left out.
        """
        for item in items:
            marker = self._find_marker(item.location)
            if marker is None:
                yield item
            elif not marker.is_system:
                yield item._replace(
                    file=marker.file or item.file,
                    location=self._restore(item.location),
                    diagnostics=tuple(
                        diagnostic._replace(location=self._restore(diagnostic.location), fix=None)
                        for diagnostic in item.diagnostics
                    ),
                )

    def _restore(self, location: SourceLocation) -> SourceLocation:
        marker = self._find_marker(location)
        if marker is None:
            return location
        return location._replace(line=max(marker.origin + location.line - marker.line, 1))

    def _find_marker(self, location: SourceLocation) -> _Marker | None:
        index = bisect_right(self.lines, location.line) - 1
        return self.markers[index] if index >= 0 else None


def _read_markers(text: str) -> Iterator[_Marker]:
    line, counted_end, toolkit = 1, 0, "\0"
    file, is_system = "", False
    for match in _MARKER.finditer(text):
        line += text.count("\n", counted_end, match.end())
        counted_end = match.end()
        if match["file"] is not None:
            file = _ESCAPE.sub(r"\1", match["file"])
            if file.endswith(_TOOLKIT_HEADER) and toolkit == "\0":
                toolkit = file.removesuffix(_TOOLKIT_HEADER[1:])
            is_system = _SYSTEM_FLAG in match["flags"].split() or file.startswith(toolkit)
        yield _Marker(line + 1, int(match["line"]), file, is_system)
