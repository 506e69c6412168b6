"""Text with unknown parts: its pieces, and the opcodes in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Set

from ..isa.catalog import CATALOG
from ..syntax.errors import Span
from ..syntax.scopes import Scopes
from ..syntax.source import GAP, Fragment, find_gaps

TextFragment = tuple[str, int, int]
"""A piece of text, its position, and its width in the source; 0 if that is its length."""

OPCODES = "|".join(CATALOG)
_HOLE = (
    rf"(?:{GAP}|\$?\{{\{{[^{{}}]*+\}}\}}|\$?\{{[^{{}}]*+\}}"
    r"|%(?:\([^()\s]{0,40}+\))?+[-+#0-9.*lhz]{0,8}+[sdiuxXc])"
)
"""A part that a formatting function fills in."""
_MODIFIERS = rf"(?:\.\w++|\.?{_HOLE})"
PTX_STATEMENT = re.compile(
    rf"(?<![\w.$%])(?:{OPCODES})(?=(?:\.\w++)*?\.(?:[bsu](?:16|32|64)|f32|f64)\b)"
    r"(?:\.\w++)++[^;\"]{0,500}+;",
    re.ASCII,
)
"""A statement that makes a string count as PTX."""
PTX_WITH_HOLES = re.compile(
    rf"(?<![\w.$%])(?:{OPCODES}){_MODIFIERS}++\s[^;\"]{{0,500}}+;",
    re.ASCII,
)
"""Such a statement with parts filled in elsewhere."""
OPCODE_WITH_HOLES = re.compile(
    rf"(?<![\w.$%])(?:{OPCODES})(?:\.\w++)*+\.?{_HOLE}{_MODIFIERS}*+\s[^;\"]{{0,500}}+;",
    re.ASCII,
)
"""Such a statement with parts of the opcode and modifiers filled in elsewhere."""
STATEMENT_WITHOUT_OPCODE = re.compile(
    rf"(?<![\w.$%]){GAP}(?:\.\w++)*?\.(?:[bsu](?:16|32|64)|f32|f64)(?:\.\w++)*+\s++"
    r"[^\s,;\"]++\s*+(?:,\s*+[^\s,;\"]++\s*+){2,8}+;",
    re.ASCII,
)
"""A statement whose opcode is filled in, with modifiers and operands as the 27 have them."""
_HEAD = re.compile(
    rf"(?<![\w.$%])(?P<opcode>{OPCODES})(?P<modifiers>{_MODIFIERS}*+\.?+)(?!\w)", re.ASCII
)
_TYPE = re.compile(r"\.(?:[bsu](?:16|32|64)|f32|f64)\b")
_HOLE_PATTERN = re.compile(_HOLE)
_STATEMENT_END = re.compile(r"[;}\n]")
_OPERANDS = re.compile(
    r"(?=[^,]++,)\s++(?:[^\s,:\"'`]++\s*+(?:\|\s*+[^\s,:\"'`]++\s*+)?+(?:,\s*+|\Z))++"
)
PROSE = re.compile(r"(?<![\w.%$])[A-Za-z]{2,}+\s++[A-Za-z]")
"""Two words with only a blank between them."""
_COMMENT = re.compile(r"//[^\n]*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TEMPLATE_FIELD = re.compile(r"\{[^{},;]*\}|\.%|[\w$]%\w")
"""A part that a formatting function fills in: ``{name}``, ``.%s``, ``%r%d``."""
_PRINTF_FIELD = re.compile(r"(?<![\w$])%[sdiuxX](?![\w$])")
"""A conversion such as ``%d``, unless a register has that name."""
_GUARD = re.compile(r"@\s{0,9}+!?\s{0,9}+[\w$%]++\s++\Z")
_CONTEXT_CHARS = 80
_MAX_STATEMENT_CHARS = 500
"""Characters of a statement that are examined."""


def is_statement_start(text: str, position: int) -> bool:
    """Return whether a statement seems to begin at a position."""
    preceding_text = text[max(position - _CONTEXT_CHARS, 0) : position]
    if guard := _GUARD.search(preceding_text[max(preceding_text.rfind("@"), 0) :]):
        preceding_text = preceding_text[: len(preceding_text) - len(guard[0])]
    stripped_text = preceding_text.rstrip()
    return (
        not stripped_text
        or stripped_text[-1] in f";{{}}:/{GAP}"
        or "\n" in preceding_text[len(stripped_text) :]
    )


_BESIDE = re.compile(
    r"(?<=[\w.$+\-*/~])%\d++|[-+*/~(]\s++%\d++|%\d++(?=[\w$]|\s*+[-+*/()?<>&^])", re.ASCII
)
"""A placeholder that is part of a word or an expression."""
_PLACEHOLDER = re.compile(r"%\d++", re.ASCII)


def hide_spliced(fragment: Fragment, placeholders: Iterable[str]) -> Fragment:
    """Replace each of these placeholders with a gap if it is part of a word or expression."""
    names, parts, copied_end = frozenset(placeholders), list[TextFragment](), 0
    for match in _BESIDE.finditer(fragment.ptx) if names else ():
        offset = match[0].index("%")
        name = _PLACEHOLDER.match(match[0], offset)
        if name and name[0] in names:
            start, end = match.start() + offset, match.start() + name.end()
            parts += iter_parts(fragment, copied_end, start)
            source_start, source_end = fragment.find_origin(start, end)
            parts.append((GAP, source_start, source_end - source_start))
            copied_end = end
    if not copied_end:
        return fragment
    parts += iter_parts(fragment, copied_end)
    return join_fragments(parts)._replace(problems=fragment.problems)


def find_instruction(text: str) -> Span | None:
    """Return the span of the first opcode in an assembled string, or None if it is prose."""
    for head in _HEAD.finditer(text):
        modifiers = head["modifiers"]
        if not modifiers or not is_statement_start(text, head.start()):
            continue
        operands_text = _HOLE_PATTERN.sub(
            "%h", text[head.end() : head.end() + _MAX_STATEMENT_CHARS]
        )
        operands_text = _STATEMENT_END.split(operands_text, 1)[0]
        is_certain = head["opcode"][0] == "v" or _TYPE.search(modifiers)
        if (is_certain and operands_text.strip() in ("", "%h", "%h,")) or (
            _OPERANDS.fullmatch(operands_text) and not PROSE.search(operands_text)
        ):
            return head.span("opcode")
    return None


def is_prose(statement: str) -> bool:
    """Return whether a string mentions an opcode in a sentence: words in a row, no commas.

    ``statement`` begins with the opcode.
    """
    return "," not in statement or PROSE.search(_COMMENT.sub(" ", statement)) is not None


def is_template(statement: str, scopes: Scopes) -> bool:
    """Return whether a formatting function fills in a part of a statement of a string."""
    if _TEMPLATE_FIELD.search(statement):
        return True
    return any(not scopes.find_declaration(name) for name in set(_PRINTF_FIELD.findall(statement)))


def iter_parts(
    fragment: Fragment, start: int = 0, end: int | None = None
) -> Iterator[TextFragment]:
    """Yield the pieces of a range of a fragment."""
    ptx, starts = fragment.ptx, fragment.starts
    end = len(ptx) if end is None else end
    index = max(bisect_right(starts, start) - 1, 0)
    while start < end:
        part_end = min(starts[index + 1] if index + 1 < len(starts) else len(ptx), end)
        width = fragment.widths[index]
        origin = fragment.origins[index]
        if part_end > start:
            yield ptx[start:part_end], origin if width else origin + start - starts[index], width
        start, index = max(start, part_end), index + 1


def join_fragments(parts: Iterable[TextFragment]) -> Fragment:
    """Join pieces into a fragment."""
    texts, origins, widths = list[str](), list[int](), list[int]()
    starts, position = list[int](), 0
    for text, origin, width in parts:
        starts.append(position)
        texts.append(text)
        origins.append(origin)
        widths.append(width)
        position += len(text)
    gaps = find_gaps(texts, starts, widths)
    return Fragment("".join(texts), tuple(starts), tuple(origins), tuple(widths), gaps=gaps)


def with_gaps(fragment: Fragment, gaps: Set[int]) -> Fragment:
    """Return the PTX with the gaps of the text that it was read from."""
    if not gaps or GAP not in fragment.ptx:
        return fragment
    parts = list[TextFragment]()
    for text, origin, width in iter_parts(fragment):
        if width or GAP not in text:
            parts.append((text, origin, width))
            continue
        position = origin
        for index, piece in enumerate(text.split(GAP)):
            if index:
                parts.append((GAP, position, int(position in gaps)))
                position += 1
            if piece:
                parts.append((piece, position, 0))
                position += len(piece)
    return join_fragments(parts)._replace(problems=fragment.problems)


def compose_fragments(inner: Fragment, outer: Fragment) -> Fragment:
    """Return a fragment of another fragment's PTX with the other's positions."""

    def iter_composed_parts() -> Iterator[TextFragment]:
        for text, origin, width in iter_parts(inner):
            if width:
                start, end = outer.find_origin(origin, origin + width)
                yield text, start, end - start
            else:
                yield from iter_parts(outer, origin, origin + len(text))

    problems = tuple(x._replace(span=outer.find_origin(*x.span)) for x in inner.problems)
    return join_fragments(iter_composed_parts())._replace(problems=problems)
