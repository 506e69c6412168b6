"""Text that is put together from what is not known: its pieces, and the opcodes it names."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from ..isa.catalog import CATALOG
from ..text.errors import Span
from ..text.source import Fragment

Part = tuple[str, int, int]
"""A piece of text, where it stood, and how wide it was; 0 where it was as wide as it is."""

OPCODES = "|".join(CATALOG)
_HOLE = r"(?:\{[^{}]*+\}|%(?:\([^()\s]{0,40}+\))?+[-+#0-9.*lhz]{0,8}+[sdiuxXc])"
"""What a formatting function fills in."""
_MODIFIERS = rf"(?:\.\w++|\.?{_HOLE})"
LIKELY = re.compile(
    rf"(?<![\w.$%])(?:{OPCODES})(?=(?:\.\w++)*?\.(?:[bsu](?:16|32|64)|f32|f64)\b)"
    r"(?:\.\w++)++[^;\"]{0,500}+;",
    re.ASCII,
)
"""What a string holds where it is taken for PTX."""
PARTLY = re.compile(
    rf"(?<![\w.$%])(?:{OPCODES}){_MODIFIERS}++\s[^;\"]{{0,500}}+;",
    re.ASCII,
)
"""The same where some of it is filled in."""
HOLED = re.compile(
    rf"(?<![\w.$%])(?:{OPCODES})(?:\.\w++)*+\.?{_HOLE}{_MODIFIERS}*+\s[^;\"]{{0,500}}+;",
    re.ASCII,
)
"""The same where some of its opcode and modifiers is filled in."""
_HEAD = re.compile(
    rf"(?<![\w.$%])(?P<opcode>{OPCODES})(?P<modifiers>{_MODIFIERS}*+\.?+)(?!\w)", re.ASCII
)
_NAME = re.compile(rf"(?<![\w.$%])(?:{OPCODES})(?![\w$])", re.ASCII)
_TYPE = re.compile(r"\.(?:[bsu](?:16|32|64)|f32|f64)\b")
_FILLED = re.compile(_HOLE)
_END = re.compile(r"[;}\n]")
_OPERANDS = re.compile(
    r"(?=[^,]++,)\s++(?:[^\s,:\"'`]++\s*+(?:\|\s*+[^\s,:\"'`]++\s*+)?+(?:,\s*+|\Z))++"
)
PROSE = re.compile(r"(?<![\w.%$])[A-Za-z]{2,}+\s++[A-Za-z]")
"""Two words with nothing in between."""
_GUARD = re.compile(r"@\s{0,9}+!?\s{0,9}+[\w$%]++\s++\Z")
_NEAR = 80
_LONGEST = 500
"""How far a statement is looked at."""


def begins(text: str, at: int) -> bool:
    """Whether a statement begins there, as far as that is to be seen."""
    before = text[max(at - _NEAR, 0) : at]
    if guard := _GUARD.search(before[max(before.rfind("@"), 0) :]):
        before = before[: len(before) - len(guard[0])]
    shown = before.rstrip()
    return not shown or shown[-1] in ";{}:/" or "\n" in before[len(shown) :]


def opcode_in(text: str) -> Span | None:
    """The first opcode at the beginning of a statement of PTX."""
    for found in _NAME.finditer(text):
        if begins(text, found.start()):
            return found.span()
    return None


_BESIDE = re.compile(
    r"(?<=[\w.$+\-*/~])%\d++|[-+*/~(]\s++%\d++|%\d++(?=[\w$]|\s*+[-+*/()?<>&^])", re.ASCII
)
"""A placeholder that is a part of a word or an expression."""


def spliced(text: str, placeholders: Iterable[str]) -> Span | None:
    """The first opcode of a statement with a placeholder that is a part of a word or expression."""
    last, wanted = 0, frozenset(placeholders)
    for found in _BESIDE.finditer(text) if wanted else ():
        name = found[0][found[0].index("%") :]
        if name not in wanted:
            continue
        start = max(text.rfind(";", last, found.start()) + 1, last)
        last = found.end()
        if opcode := _NAME.search(text, start, found.start()):
            return opcode.span()
    return None


def instruction_in(text: str) -> Span | None:
    """The first opcode of a string that is put together, unless it is prose."""
    for head in _HEAD.finditer(text):
        modifiers = head["modifiers"]
        if not modifiers or not begins(text, head.start()):
            continue
        rest = _FILLED.sub("%h", text[head.end() : head.end() + _LONGEST])
        rest = _END.split(rest, 1)[0]
        plain = head["opcode"][0] == "v" or _TYPE.search(modifiers)
        if (plain and rest.strip() in ("", "%h", "%h,")) or (
            _OPERANDS.fullmatch(rest) and not PROSE.search(rest)
        ):
            return head.span("opcode")
    return None


def parts(fragment: Fragment, start: int = 0, end: int | None = None) -> Iterator[Part]:
    """The pieces of a stretch of a fragment."""
    ptx, starts = fragment.ptx, fragment.starts
    end = len(ptx) if end is None else end
    index = max(bisect_right(starts, start) - 1, 0)
    while start < end:
        stop = min(starts[index + 1] if index + 1 < len(starts) else len(ptx), end)
        width = fragment.widths[index]
        origin = fragment.origins[index]
        if stop > start:
            yield ptx[start:stop], origin if width else origin + start - starts[index], width
        start, index = max(start, stop), index + 1


def joined(group: Iterable[Part]) -> Fragment:
    """A fragment of pieces."""
    texts, origins, widths = list[str](), list[int](), list[int]()
    starts, at = list[int](), 0
    for text, origin, width in group:
        starts.append(at)
        texts.append(text)
        origins.append(origin)
        widths.append(width)
        at += len(text)
    return Fragment("".join(texts), tuple(starts), tuple(origins), tuple(widths))
