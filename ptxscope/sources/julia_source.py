"""The PTX of a Julia source: the asm of ``@asmcall``, and strings that hold PTX or LLVM's asm."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..engine.syntax.source import GAP, TextFragment, decode_escape, join_fragments, replace_matches
from ..engine.syntax.text_fragments import replace_copies
from .asm_arguments import read_llvm_operands
from .source_language import Language
from .text_blocks import Block

_TOKEN = re.compile(
    r"""(?P<comment>\#=.*?(?:=\#|\Z)|\#[^\n]*+)
      | (?P<char>(?<![\w)\]}'])'(?:\\[^\n']{1,10}+|[^\\'\n])')
      | (?>(?P<asm>@asmcall\b\s*+\(?+\s*+)|)(?>(?P<prefix>\b[A-Za-z_]\w*+)|)
        (?:\"{3}(?P<long>(?>(?:[^\\"]++|\\.|"(?!""))*))(?>\"{3}|)
          |"(?P<short>(?>(?:[^\\"]++|\\.)*))"?+)""",
    re.VERBOSE | re.DOTALL,
)
_PART = re.compile(
    r"\\(?P<escape>x[0-9a-fA-F]{1,2}|[0-7]{1,3}|\r?\n|.)"
    r"|\$(?P<field>[A-Za-z_]\w*+|\((?>(?:[^()]{1,99}+|\([^()]{0,99}+\)){0,9})\))|(?P<dollar>\$\$)",
    re.DOTALL,
)
"""An escape, or an interpolated value."""
_ASM_MARK = re.compile(r"\$(?P<dollar>\$)|\$\{(?P<number>\d{1,9}+)(?>:\w++|)\}")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f"}


def read_julia_blocks(text: str) -> Iterator[Block]:
    """Yield the PTX of each ``@asmcall``, and other strings as text of an unknown kind."""
    tokens = [x for x in _TOKEN.finditer(text) if x["long"] is not None or x["short"] is not None]
    following_start = len(text)
    limits = list[int]()
    for token in reversed(tokens):
        limits.append(following_start)
        following_start = token.start() if token["asm"] is not None else following_start
    for token, limit in zip(tokens, reversed(limits), strict=True):
        kind = "long" if token["long"] is not None else "short"
        start, end = token.span(kind)
        is_raw = token["prefix"] == "raw"
        if token["asm"] is not None:
            parts = _decode(text, start, end, is_raw=is_raw)
            fragment = join_fragments(_decode_marks(parts))
            operands = read_llvm_operands(text, token.end(), limit)
            yield Block(fragment, Language.PTX, operands)
        else:
            yield Block(join_fragments(_decode(text, start, end, is_raw=is_raw)), Language.UNKNOWN)


def _decode(text: str, start: int, end: int, *, is_raw: bool) -> Iterator[TextFragment]:
    """Yield the pieces of a string, with gaps for interpolated values."""
    if is_raw:
        yield text[start:end], start, 0
    else:
        yield from replace_matches(text, _PART, _decode_part, start, end)


def _decode_part(part: re.Match[str]) -> str | None:
    code = part["escape"]
    if code is None:
        return GAP if part["field"] else None
    decoded = decode_escape(code, _ESCAPES)
    return code if decoded is None else decoded


def _decode_marks(parts: Iterator[TextFragment]) -> Iterator[TextFragment]:
    """Yield the pieces with LLVM's ``$$`` and ``${0:x}`` decoded."""
    waiting: TextFragment | None = None
    for part in parts:
        text, origin, width = part
        if waiting and text[:1] == "$" and width:
            yield "$", waiting[1], origin + width - waiting[1]
            waiting = None
            continue
        if waiting:
            yield _without_backslash(waiting)
        waiting = part if text == "$" and width else None
        if not waiting:
            yield from replace_copies([part], _ASM_MARK, lambda x: f"${x['number'] or ''}")
    if waiting:
        yield _without_backslash(waiting)


def _without_backslash(dollar: TextFragment) -> TextFragment:
    """Return the piece of an escaped ``$`` as a copy of that character."""
    text, origin, width = dollar
    return text, origin + width - 1, 0
