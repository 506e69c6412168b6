"""The uses of CUDA's intrinsics in a C source, and what the compiler makes of each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache

from ..isa.intrinsics import map_intrinsics
from ..syntax.errors import Span
from .c_source import blank_literals
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
    pattern = _compile_pattern()
    if not pattern.search(text):
        return
    code, lines = blank_literals(text), LineIndex(text)
    starts = [start for start, _ in disabled_spans]
    for match in pattern.finditer(code):
        index = bisect_right(starts, match.start()) - 1
        is_disabled = index >= 0 and match.start() < disabled_spans[index][1]
        if is_disabled or _is_declared(code, match.start()):
            continue
        intrinsic, location = map_intrinsics()[match[0]], lines.locate(*match.span())
        mnemonic = "" if intrinsic.block else f" (`{intrinsic.ptx.partition(' ')[0]}`)"
        remark = f"`{match[0]}`{mnemonic} {intrinsic.compilation}"
        message = "; ".join((remark, *intrinsic.remarks[1:]))
        diagnostic = Diagnostic("intrinsic", message, location, is_minor=intrinsic.is_native)
        yield CheckedInstruction(name, location, match[0], (diagnostic,))


def _is_declared(text: str, position: int) -> bool:
    """Return whether a name is part of a longer one, or declared rather than used."""
    if position and (text[position - 1].isalnum() or text[position - 1] == "_"):
        return True
    match = _TYPE.search(text, max(position - _CONTEXT_CHARS, 0), position)
    return match is not None and match[1] not in _KEYWORDS and not match[0].endswith(("*", "&"))
