"""PTX with unknown parts: its patterns, and the opcodes in it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .errors import Span
from .opcodes import make_opcode_pattern
from .scopes import Scopes
from .source import GAP, Fragment, remove_comments, replace_in_fragment

OPCODES = make_opcode_pattern()
_TYPE_NAME = r"(?:[bsu](?:16|32|64)|[su](?:16x2|8x4)|f32|f64)"
_HOLE = (
    rf"(?:{GAP}|\$?\{{\{{[^{{}}]*+\}}\}}|\$?\{{[^{{}}]*+\}}"
    r"|%(?>\([^()\s]{0,40}+\)|)[-+#0-9.*lhz]{0,8}+[sdiuxXc])"
)
"""A part that a formatting function fills in."""
_MODIFIERS = rf"(?:\.\w++|\.?{_HOLE})"
PTX_STATEMENT = re.compile(
    rf"(?<![\w.$%])(?:{OPCODES})(?=(?:\.\w++)*?\.{_TYPE_NAME}\b)"
    r"(?>(?:\.\w++)+)[^;\"]{0,500}+;",
    re.ASCII,
)
"""A statement that makes a string count as PTX."""
PTX_WITH_HOLES = re.compile(
    rf"(?<![\w.$%])(?:{OPCODES})(?>{_MODIFIERS}+)\s[^;\"]{{0,500}}+;", re.ASCII
)
"""A ``PTX_STATEMENT`` with parts that are filled in elsewhere."""
OPCODE_WITH_HOLES = re.compile(
    rf"(?<![\w.$%])(?:{OPCODES})(?>(?:\.\w++)*)\.?{_HOLE}(?>{_MODIFIERS}*)\s[^;\"]{{0,500}}+;",
    re.ASCII,
)
"""A ``PTX_STATEMENT`` with parts of the opcode and modifiers that are filled in elsewhere."""
STATEMENT_WITHOUT_OPCODE = re.compile(
    rf"(?<![\w.$%]){GAP}(?:\.\w++)*?\.{_TYPE_NAME}(?>(?:\.\w++)*)\s++"
    r"[^\s,;\"]++\s*+(?>(?:,\s*+[^\s,;\"]++\s*+){2,8});",
    re.ASCII,
)
"""A statement with modifiers and operands of the catalog whose opcode is filled in elsewhere."""
_HEAD = re.compile(
    rf"(?<![\w.$%])(?P<opcode>{OPCODES})(?P<modifiers>(?>{_MODIFIERS}*)\.?+)(?!\w)", re.ASCII
)
_TYPE = re.compile(rf"\.{_TYPE_NAME}\b")
_HOLE_PATTERN = re.compile(_HOLE)
_STATEMENT_END = re.compile(r"[;}\n]")
_OPERANDS = re.compile(
    r"(?=[^,]++,)\s++(?>(?:[^\s,:\"'`]++\s*+(?>\|\s*+[^\s,:\"'`]++\s*+|)(?:,\s*+|\Z))+)"
)
PROSE = re.compile(r"(?<![\w.%$])[A-Za-z]{2,}+\s++[A-Za-z]")
"""Two words with only a blank between them."""
_TEMPLATE_FIELD = re.compile(r"\{[^{},;]*\}|\.%|[\w$]%\w")
"""A part that a formatting function fills in: ``{name}``, ``.%s``, ``%r%d``."""
_PRINTF_FIELD = re.compile(r"(?<![\w$])%[sdiuxX](?![\w$])")
"""A conversion such as ``%d``, unless a register has that name."""
_REPLACED_NAME = re.compile(r"(?<![\w$%])__[A-Z][A-Z0-9_]*+(?<=__)(?![\w$])")
"""A name such as ``__MASK__``, which ``replace`` fills in, unless a register has it."""
_GUARD = re.compile(r"@\s{0,9}+!?\s{0,9}+[\w$%]++\s++\Z")
_CONTEXT_CHARS = 80
_MAX_STATEMENT_CHARS = 500
"""Maximum characters examined of a statement."""


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
    r"(?:(?<=[\w.$+\-*/~])|[-+*/~(]\s++)(?P<second>%\d++)"
    r"|(?P<first>%\d++)(?=[\w$]|\s*+[-+*/()?<>&^])",
    re.ASCII,
)
"""A placeholder that is part of a word or an expression."""


def hide_spliced(fragment: Fragment, placeholders: Iterable[str]) -> Fragment:
    """Replace each of these placeholders with a gap if it is part of a word or expression."""
    names = frozenset(placeholders)
    if not names:
        return fragment
    return replace_in_fragment(
        fragment, _BESIDE, lambda x: GAP if x[x.lastgroup or 0] in names else None
    )


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
    return "," not in statement or PROSE.search(remove_comments(statement)) is not None


def is_template(statement: str, scopes: Scopes) -> bool:
    """Return whether a formatting function fills in a part of a statement of a string."""
    if _TEMPLATE_FIELD.search(statement):
        return True
    names = {*_PRINTF_FIELD.findall(statement), *_REPLACED_NAME.findall(statement)}
    return any(not scopes.find_declaration(name) for name in names)
