"""The uses of CUDA's intrinsics in a C source, and what the compiler makes of each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache

from ..isa.intrinsics import map_intrinsics
from ..syntax.errors import Span
from .c_source import find_inert_text
from .diagnostic import CheckedInstruction, Diagnostic
from .embedded_ptx import LineIndex

_CONTEXT_CHARS = 80
"""Characters before a name in which a declaration is recognised."""
_TYPE = re.compile(r"(?<!\w)([A-Za-z_]\w*+)[\s*&]*+\Z", re.ASCII)
_KEYWORDS = frozenset(("return", "else", "do", "case", "throw", "co_return", "co_yield"))
"""Words before an expression; any other word before a name is a type."""


@cache
def _compile_pattern() -> re.Pattern[str]:
    names = "|".join(sorted((x[2:] for x in map_intrinsics()), reverse=True))
    return re.compile(rf"__(?:{names})(?=\s*\()")


def find_intrinsic_uses(
    text: str, name: str, disabled_spans: Sequence[Span]
) -> Iterator[CheckedInstruction]:
    """Yield a note on each call of an intrinsic in a C source.

    ``disabled_spans`` are the parts of the text that are not compiled.
    """
    matches = [x for x in _compile_pattern().finditer(text) if not _is_declared(text, x.start())]
    if not matches:
        return
    inert_spans = sorted((*find_inert_text(text), *disabled_spans))
    starts, lines = [start for start, _ in inert_spans], LineIndex(text)
    for match in matches:
        index = bisect_right(starts, match.start()) - 1
        if index >= 0 and match.start() < inert_spans[index][1]:
            continue
        intrinsic, location = map_intrinsics()[match[0]], lines.locate(*match.span())
        mnemonic = "" if intrinsic.block else f" (`{intrinsic.ptx.partition(' ')[0]}`)"
        message = f"`{match[0]}`{mnemonic} {intrinsic.compilation}"
        diagnostic = Diagnostic("intrinsic", message, location)
        yield CheckedInstruction(name, location, match[0], (diagnostic,))


def _is_declared(text: str, position: int) -> bool:
    """Return whether a name is part of a longer one, or declared rather than used."""
    if position and (text[position - 1].isalnum() or text[position - 1] == "_"):
        return True
    match = _TYPE.search(text, max(position - _CONTEXT_CHARS, 0), position)
    return match is not None and match[1] not in _KEYWORDS and not match[0].endswith(("*", "&"))
