"""The uses of CUDA's intrinsics in a C source, with the instructions that each compiles to."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from ..engine.isa.intrinsics import map_intrinsics
from ..engine.syntax.errors import Span
from ..engine.syntax.intrinsic_calls import CALL
from .c_source import blank_literals
from .diagnostic import CheckedInstruction, Diagnostic
from .embedded_ptx import LineIndex

_CONTEXT_CHARS = 80
"""Characters before a name in which a declaration is recognised."""
_TYPE = re.compile(r"(?<!\w)([A-Za-z_]\w*+)[\s*&]*+\Z", re.ASCII)
_KEYWORDS = frozenset(("return", "else", "do", "case", "throw", "co_return", "co_yield"))
"""Words before an expression; any other word before a name is a type."""


def find_intrinsic_uses(
    text: str, name: str, disabled_spans: Sequence[Span]
) -> Iterator[CheckedInstruction]:
    """Yield a note on each call of an intrinsic in a C source.

    ``disabled_spans`` are the parts of the text that are not compiled.
    """
    intrinsics = map_intrinsics()
    if not any(match["name"] in intrinsics for match in CALL.finditer(text)):
        return
    code, lines = blank_literals(text), LineIndex(text)
    starts = [start for start, _ in disabled_spans]
    for match in CALL.finditer(code):
        intrinsic = intrinsics.get(match["name"])
        index = bisect_right(starts, match.start()) - 1
        is_disabled = index >= 0 and match.start() < disabled_spans[index][1]
        if intrinsic is None or is_disabled or _is_declared(code, match.start()):
            continue
        location = lines.locate(*match.span("name"))
        mnemonic = "" if intrinsic.block else f" (`{intrinsic.ptx.partition(' ')[0]}`)"
        remark = f"`{intrinsic.name}`{mnemonic} {intrinsic.compilation}"
        message = "; ".join((remark, *intrinsic.remarks[1:]))
        diagnostic = Diagnostic("intrinsic", message, location, is_minor=intrinsic.is_native)
        yield CheckedInstruction(name, location, intrinsic.name, (diagnostic,))


def _is_declared(text: str, position: int) -> bool:
    """Return whether a name is declared instead of used."""
    match = _TYPE.search(text, max(position - _CONTEXT_CHARS, 0), position)
    return match is not None and match[1] not in _KEYWORDS and not match[0].endswith(("*", "&"))
