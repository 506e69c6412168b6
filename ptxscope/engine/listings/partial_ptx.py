"""Text that is put together from what is not known: its pieces, and the opcodes it names."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Set

from ..isa.catalog import CATALOG
from ..syntax.errors import Span
from ..syntax.scopes import Scopes
from ..syntax.source import GAP, Fragment, find_gaps

TextFragment = tuple[str, int, int]
"""A piece of text, where it stood, and how wide it was; 0 where it was as wide as it is."""

OPCODES = "|".join(CATALOG)
_HOLE = (
    rf"(?:{GAP}|\$?\{{\{{[^{{}}]*+\}}\}}|\$?\{{[^{{}}]*+\}}"
    r"|%(?:\([^()\s]{0,40}+\))?+[-+#0-9.*lhz]{0,8}+[sdiuxXc])"
)
"""What a formatting function fills in."""
_MODIFIERS = rf"(?:\.\w++|\.?{_HOLE})"
PTX_STATEMENT = re.compile(
    rf"(?<![\w.$%])(?:{OPCODES})(?=(?:\.\w++)*?\.(?:[bsu](?:16|32|64)|f32|f64)\b)"
    r"(?:\.\w++)++[^;\"]{0,500}+;",
    re.ASCII,
)
"""What a string holds where it is taken for PTX."""
PTX_WITH_HOLES = re.compile(
    rf"(?<![\w.$%])(?:{OPCODES}){_MODIFIERS}++\s[^;\"]{{0,500}}+;",
    re.ASCII,
)
"""The same where some of it is filled in."""
OPCODE_WITH_HOLES = re.compile(
    rf"(?<![\w.$%])(?:{OPCODES})(?:\.\w++)*+\.?{_HOLE}{_MODIFIERS}*+\s[^;\"]{{0,500}}+;",
    re.ASCII,
)
"""The same where some of its opcode and modifiers is filled in."""
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
_FILLED = re.compile(_HOLE)
_END = re.compile(r"[;}\n]")
_OPERANDS = re.compile(
    r"(?=[^,]++,)\s++(?:[^\s,:\"'`]++\s*+(?:\|\s*+[^\s,:\"'`]++\s*+)?+(?:,\s*+|\Z))++"
)
PROSE = re.compile(r"(?<![\w.%$])[A-Za-z]{2,}+\s++[A-Za-z]")
"""Two words with nothing in between."""
_COMMENT = re.compile(r"//[^\n]*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_FILLED_IN = re.compile(r"\{[^{},;]*\}|\.%|[\w$]%\w")
"""What a formatting function fills in: ``{name}``, ``.%s``, ``%r%d``."""
_FORMATTED = re.compile(r"(?<![\w$])%[sdiuxX](?![\w$])")
"""The same, unless a register is called so."""
_GUARD = re.compile(r"@\s{0,9}+!?\s{0,9}+[\w$%]++\s++\Z")
_NEAR = 80
_LONGEST = 500
"""How far a statement is looked at."""


def is_statement_start(text: str, at: int) -> bool:
    """Whether a statement begins there, as far as that is to be seen."""
    before = text[max(at - _NEAR, 0) : at]
    if guard := _GUARD.search(before[max(before.rfind("@"), 0) :]):
        before = before[: len(before) - len(guard[0])]
    shown = before.rstrip()
    return not shown or shown[-1] in f";{{}}:/{GAP}" or "\n" in before[len(shown) :]


_BESIDE = re.compile(
    r"(?<=[\w.$+\-*/~])%\d++|[-+*/~(]\s++%\d++|%\d++(?=[\w$]|\s*+[-+*/()?<>&^])", re.ASCII
)
"""A placeholder that is a part of a word or an expression."""
_PLACEHOLDER = re.compile(r"%\d++", re.ASCII)


def hide_spliced(fragment: Fragment, placeholders: Iterable[str]) -> Fragment:
    """The PTX with a gap for each of these placeholders that is a part of a word or expression."""
    wanted, group, done = frozenset(placeholders), list[TextFragment](), 0
    for found in _BESIDE.finditer(fragment.ptx) if wanted else ():
        at = found[0].index("%")
        name = _PLACEHOLDER.match(found[0], at)
        if name and name[0] in wanted:
            start, end = found.start() + at, found.start() + name.end()
            group += iter_parts(fragment, done, start)
            first, last = fragment.find_origin(start, end)
            group.append((GAP, first, last - first))
            done = end
    if not done:
        return fragment
    group += iter_parts(fragment, done)
    return join_fragments(group)._replace(problems=fragment.problems)


def find_instruction(text: str) -> Span | None:
    """The first opcode of a string that is put together, unless it is prose."""
    for head in _HEAD.finditer(text):
        modifiers = head["modifiers"]
        if not modifiers or not is_statement_start(text, head.start()):
            continue
        rest = _FILLED.sub("%h", text[head.end() : head.end() + _LONGEST])
        rest = _END.split(rest, 1)[0]
        plain = head["opcode"][0] == "v" or _TYPE.search(modifiers)
        if (plain and rest.strip() in ("", "%h", "%h,")) or (
            _OPERANDS.fullmatch(rest) and not PROSE.search(rest)
        ):
            return head.span("opcode")
    return None


def is_prose(behind: str) -> bool:
    """Whether a string names an opcode in a sentence: words in a row, no commas.

    ``behind`` begins with the opcode.
    """
    return "," not in behind or PROSE.search(_COMMENT.sub(" ", behind)) is not None


def is_template(statement: str, scopes: Scopes) -> bool:
    """Whether a formatting function fills in a part of a statement of a string."""
    if _FILLED_IN.search(statement):
        return True
    return any(not scopes.find_declaration(name) for name in set(_FORMATTED.findall(statement)))


def iter_parts(
    fragment: Fragment, start: int = 0, end: int | None = None
) -> Iterator[TextFragment]:
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


def join_fragments(group: Iterable[TextFragment]) -> Fragment:
    """A fragment of pieces."""
    texts, origins, widths = list[str](), list[int](), list[int]()
    starts, at = list[int](), 0
    for text, origin, width in group:
        starts.append(at)
        texts.append(text)
        origins.append(origin)
        widths.append(width)
        at += len(text)
    gaps = find_gaps(texts, starts, widths)
    return Fragment("".join(texts), tuple(starts), tuple(origins), tuple(widths), gaps=gaps)


def with_gaps(fragment: Fragment, gaps: Set[int]) -> Fragment:
    """The PTX with the gaps of the text that it was read from."""
    if not gaps or GAP not in fragment.ptx:
        return fragment
    found = list[TextFragment]()
    for text, origin, width in iter_parts(fragment):
        if width or GAP not in text:
            found.append((text, origin, width))
            continue
        at = origin
        for index, piece in enumerate(text.split(GAP)):
            if index:
                found.append((GAP, at, int(at in gaps)))
                at += 1
            if piece:
                found.append((piece, at, 0))
                at += len(piece)
    return join_fragments(found)._replace(problems=fragment.problems)


def compose_fragments(inner: Fragment, outer: Fragment) -> Fragment:
    """A fragment of a fragment's PTX, at the places where that stood."""

    def found() -> Iterator[TextFragment]:
        for text, origin, width in iter_parts(inner):
            if width:
                start, end = outer.find_origin(origin, origin + width)
                yield text, start, end - start
            else:
                yield from iter_parts(outer, origin, origin + len(text))

    problems = tuple(x._replace(span=outer.find_origin(*x.span)) for x in inner.problems)
    return join_fragments(found())._replace(problems=problems)
