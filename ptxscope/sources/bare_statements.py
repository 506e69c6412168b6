"""PTX in a C source that is in no asm statement and no string: nothing compiles it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from ..engine.syntax.errors import Span
from ..engine.syntax.partial_ptx import PTX_STATEMENT
from .c_source import blank_literals
from .diagnostic import CheckedInstruction, Diagnostic
from .embedded_ptx import LineIndex

_LINE_START = re.compile(r"(?:^|[;{}])[ \t]*(?:@!?%?\w++[ \t]++)?\Z", re.ASCII)
_CONTEXT_CHARS = 80
"""Characters before a statement in which the start of its line is recognised."""
_MESSAGE = "this PTX is in no asm statement and no string, so it is not checked"


def find_bare_statements(
    text: str, name: str, disabled_spans: Sequence[Span]
) -> Iterator[CheckedInstruction]:
    """Yield a note on each statement of PTX that stands in a C source as in a listing.

    ``disabled_spans`` are the parts of the text that are not compiled.
    """
    if not PTX_STATEMENT.search(text):
        return
    code, lines = blank_literals(text), LineIndex(text)
    starts = [start for start, _ in disabled_spans]
    for match in PTX_STATEMENT.finditer(code):
        index = bisect_right(starts, match.start()) - 1
        is_disabled = index >= 0 and match.start() < disabled_spans[index][1]
        line_start = max(code.rfind("\n", 0, match.start()) + 1, match.start() - _CONTEXT_CHARS)
        if is_disabled or not _LINE_START.search(code[line_start : match.start()]):
            continue
        location = lines.locate(match.start(), match.start() + match[0].index("."))
        diagnostic = Diagnostic("unread", _MESSAGE, location)
        yield CheckedInstruction(name, location, " ".join(match[0].split()), (diagnostic,))
