"""Notes of ``check`` on a C source outside of its asm: calls of intrinsics, and bare PTX.

Nothing compiles PTX that is in no asm statement and no string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...engine.isa.intrinsics import map_intrinsics
from ...engine.syntax.errors import Span
from ...engine.syntax.intrinsic_calls import CALL
from ...engine.syntax.partial_ptx import PTX_STATEMENT
from ...sources.c_source import blank_literals
from ...sources.source_location import LineIndex, find_span
from .diagnostic import CheckedInstruction, Diagnostic, make_item

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
    for match in CALL.finditer(code):
        intrinsic = intrinsics.get(match["name"])
        is_disabled = find_span(disabled_spans, match.start()) >= 0
        if intrinsic is None or is_disabled or _is_declared(code, match.start()):
            continue
        location = lines.locate(*match.span("name"))
        mnemonic = "" if intrinsic.block else f" (`{intrinsic.ptx.partition(' ')[0]}`)"
        remark = f"`{intrinsic.name}`{mnemonic} {intrinsic.compilation}"
        message = "; ".join((remark, *intrinsic.remarks[1:]))
        diagnostic = Diagnostic("intrinsic", message, location, is_minor=intrinsic.is_native)
        yield make_item(name, intrinsic.name, diagnostic)


def _is_declared(text: str, position: int) -> bool:
    match = _TYPE.search(text, max(position - _CONTEXT_CHARS, 0), position)
    return match is not None and match[1] not in _KEYWORDS and not match[0].endswith(("*", "&"))


_LINE_START = re.compile(r"(?:^|[;{}])[ \t]*(?:@!?%?\w++[ \t]++)?\Z", re.ASCII)
_MESSAGE = "this PTX is outside asm statements and strings, so it is not checked"


def find_bare_statements(
    text: str, name: str, disabled_spans: Sequence[Span]
) -> Iterator[CheckedInstruction]:
    """Yield a note on each statement of PTX that stands in a C source as in a listing.

    ``disabled_spans`` are the parts of the text that are not compiled.
    """
    if not PTX_STATEMENT.search(text):
        return
    code, lines = blank_literals(text), LineIndex(text)
    for match in PTX_STATEMENT.finditer(code):
        is_disabled = find_span(disabled_spans, match.start()) >= 0
        line_start = max(code.rfind("\n", 0, match.start()) + 1, match.start() - _CONTEXT_CHARS)
        if is_disabled or not _LINE_START.search(code[line_start : match.start()]):
            continue
        location = lines.locate(match.start(), match.start() + match[0].index("."))
        yield make_item(name, match[0], Diagnostic("unread", _MESSAGE, location))
