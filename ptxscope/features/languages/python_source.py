"""The strings of a Python source: adjacent strings joined, with gaps for inserted values.

Triton, and llvmlite's ``InlineAsm`` in Numba's intrinsics, take strings of asm with LLVM's
constraints: ``inline_asm_elementwise("…", "=r,r", …)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ...engine.syntax.asm_operands import AsmOperands
from ...engine.syntax.errors import Span
from ...engine.syntax.opcodes import ALL_OPCODES
from ...engine.syntax.partial_ptx import PROSE
from ...engine.syntax.source import (
    GAP,
    Fragment,
    TextFragment,
    decode_escape,
    join_fragments,
    remove_comments,
    replace_copies,
    replace_matches,
)
from ...sources.source_language import Block, Language
from .llvm_source import make_llvm_operands

_PTX_STATEMENT_START = re.compile(
    r"""\s*+(?>[A-Za-z_$%][\w$]*+\s*+:\s*+|)(?>@\s*+!?\s*+[\w$%]++\s++|)
        (?:(?P<directive>\.[a-z]\w*+)|(?P<opcode>[a-z]\w*+)(?P<modifier>\.\w)?)""",
    re.VERBOSE | re.ASCII,
)
_WHOLE_STATEMENT = re.compile(
    r"\s*+(?>[\w$%]++\s*+:\s*+|)(?:ret|exit|trap|brkpt|bra\s++[\w$%]++)\s*+"
)
_LABEL = re.compile(r"\s*+(?>(?:[\w$%]++:\s*+)*)")


def _is_all_ptx(text: str) -> bool:
    """Return whether every statement of a text looks like PTX."""
    code = remove_comments(text)
    *statements, remainder = re.split(r"[;{}]", code)
    return bool(statements) and not remainder.strip() and all(map(_is_ptx_statement, statements))


def _is_ptx_statement(statement: str) -> bool:
    if _WHOLE_STATEMENT.fullmatch(statement) or _LABEL.fullmatch(statement):
        return True
    match = _PTX_STATEMENT_START.match(statement)
    if not match or PROSE.search(statement, match.end()):
        return False
    opcode = match["opcode"]
    if opcode is None:
        return True
    return match["modifier"] is not None and opcode in ALL_OPCODES


_EVENT = re.compile(
    r"""[^\S\n]++ | \#[^\n]*+ | \\\r?\n
      | (?P<newline>\n)
      | (?P<header>(?>async[^\S\n]++|)(?:def|class)\b)
      | (?P<mark>[()\[\]{}:;])
      | (?P<other>\w++|.)""",
    re.VERBOSE,
)
_DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def find_docstrings(text: str, strings: Iterable[tuple[Span, bool]]) -> set[int]:
    """Return the start positions of the docstrings among strings, which are in order.

    Each string has its span and whether its prefix allows a docstring.
    """
    starts = set[int]()
    depth, is_statement_start, is_in_header, position = 0, True, False, 0
    can_start = True
    """Whether a docstring may begin here."""
    for (start, end), is_candidate in strings:
        for event in _EVENT.finditer(text, position, start):
            kind, mark = event.lastgroup, event["mark"]
            if kind == "newline":
                if not depth:
                    is_statement_start, is_in_header = True, False
            elif kind == "header":
                is_in_header, can_start = (is_statement_start and not depth), False
                is_statement_start = False
            elif mark == ":" and is_in_header and not depth:
                is_in_header, can_start, is_statement_start = False, True, True
            elif mark == ";" and not depth:
                is_statement_start, can_start = True, False
            elif kind:
                depth = max(depth + _DEPTH.get(mark, 0), 0)
                is_statement_start = can_start = False
        if can_start and is_candidate and not depth:
            starts.add(start)
        is_statement_start = can_start = False
        position = end
    return starts


_STRING_START = re.compile(
    r"""\#[^\n]*+ | (?<!\w)(?P<prefix>[rRbBuUfF]{0,2})(?P<quote>\"{3}|'{3}|["'])""", re.VERBOSE
)
_BODY = {
    '"""': re.compile(r'(?>(?:[^\\"]++|\\.|"(?!""))*)', re.DOTALL),
    "'''": re.compile(r"(?>(?:[^\\']++|\\.|'(?!''))*)", re.DOTALL),
    '"': re.compile(r'(?>(?:[^\\\n"]++|\\.)*)', re.DOTALL),
    "'": re.compile(r"(?>(?:[^\\\n']++|\\.)*)", re.DOTALL),
}
"""The contents of a string, by its quotes."""
_ESCAPE = re.compile(r"\\(\r?\n|x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPES |= {x: x for x in "\\'\""}
_SPACE = re.compile(r"(?>(?:[\s\\]++|#[^\n]*+)*)")
_FARTHEST = 200
"""Maximum characters between strings that are added to each other."""
_FORMAT_SUFFIX = re.compile(r"[\s)]*+(?P<how>\.\s*+format\b|%|\+)")
"""Text after a string that makes it a template or a part."""
_FIELD = re.compile(r"\{\{|\}\}|\{[^{}]*+\}")
_PERCENT = re.compile(r"%%|%(?>\([^()\s]{0,40}+\)|)[-+#0-9.*]{0,8}+[sdiuxXcr]")


class _Quoted(NamedTuple):
    """A Python string: its prefix, start, contents and end."""

    prefix: str
    start: int
    body: Span
    end: int


def _read_tokens(text: str) -> Iterator[_Quoted]:
    """Yield every closed string.

    ``tokenize`` finds the same in valid files, but takes three to eight times as long, and since
    Python 3.12 it raises an error at the first unclosed string: all later ones would be lost. An
    f-string is one token before 3.12, and several since.
    """
    unclosed = dict.fromkeys(_BODY, 0)
    """For each kind of quotes, the position before which none are closed."""
    position = 0
    while token := _STRING_START.search(text, position):
        position = token.end()
        if token["quote"] is None:
            continue
        start = token.start("quote")
        for quote in dict.fromkeys((token["quote"], token["quote"][0])):
            body_start = start + len(quote)
            if start < unclosed[quote]:
                continue
            body = _BODY[quote].match(text, body_start)
            body_end = body.end() if body else body_start
            if text.startswith(quote, body_end):
                position = body_end + len(quote)
                yield _Quoted(
                    token["prefix"].lower(), token.start(), (body_start, body_end), position
                )
                break
            unclosed[quote] = body_end
        else:
            position = start + 1


_LINE_REST = re.compile(r"[^\S\n]*+(?:[\n;#]|\Z)")


def _is_statement_end(text: str, position: int) -> bool:
    return _LINE_REST.match(text, position) is not None


def _read_strings(text: str) -> Iterator[Fragment]:
    """Yield every string, joined with adjacent ones, except docstrings that are prose."""
    tokens = list(_read_tokens(text))
    docstring_starts = find_docstrings(
        text, (((x.start, x.end), not set(x.prefix) & set("bf")) for x in tokens)
    )
    group: list[TextFragment] = []
    group_start, end = 0, -1

    def finish() -> Iterator[Fragment]:
        fragment = join_fragments(_with_format_gaps(group, text, end))
        if (
            group_start not in docstring_starts
            or not _is_statement_end(text, end)
            or _is_all_ptx(fragment.ptx)
        ):
            yield fragment

    for token in tokens:
        if group and not _SPACE.fullmatch(text, end, token.start):
            separator = text[end : min(token.start, end + _FARTHEST)]
            if end + len(separator) == token.start and (sum_ := _read_sum(separator)):
                if sum_ != "+":
                    group.append((GAP, end, token.start - end))
            else:
                yield from finish()
                group = []
        if not group:
            group_start = token.start
            preceding_text = text[max(token.start - 80, 0) : token.start].rstrip()
            if preceding_text.endswith("+"):
                group.append((GAP, token.start, 1))
        end = token.end
        group += _decode_string(text, token)
    if group:
        yield from finish()


def _read_sum(separator: str) -> str:
    """Return the sum between two strings, with its ``+`` signs, or an empty string."""
    lines = [line.partition("#")[0].strip() for line in separator.split("\n")]
    expression = " ".join(filter(None, lines)).strip(" ()\\")
    if (
        not (expression.startswith("+") and expression.endswith("+"))
        or "=" in expression
        or ";" in expression
    ):
        return ""
    nonblank_lines = [line for line in lines if line]
    return (
        expression
        if all(a[-1] in "+(\\" or b[0] == "+" for a, b in pairwise(nonblank_lines))
        else ""
    )


def _with_format_gaps(group: list[TextFragment], text: str, end: int) -> Iterator[TextFragment]:
    """Yield the pieces of a string, with gaps for values from a following format or sum."""
    match = _FORMAT_SUFFIX.match(text, end)
    operator = match["how"] if match else ""
    fields = {"%": _PERCENT, "+": None, "": None}.get(operator, _FIELD)
    yield from replace_copies(group, fields, _replace_field) if fields else group
    if match and operator == "+":
        yield GAP, match.start("how"), 1


def _replace_field(field: re.Match[str]) -> str:
    """Return a gap for a field; doubled ``{``, ``}`` and ``%`` are literal."""
    return field[0][0] if field[0] in ("{{", "}}", "%%") else GAP


def _decode_string(text: str, token: _Quoted) -> Iterator[TextFragment]:
    start, end = token.body
    if "f" not in token.prefix:
        yield from decode_parts(text, start, end, raw="r" in token.prefix)
        return
    for part_start, part_end, is_field in _split_f_string(text, start, end):
        if is_field:
            yield (
                (
                    GAP
                    if part_end - part_start > 2 or text[part_start] != text[part_end - 1]
                    else text[part_start]
                ),
                part_start,
                part_end - part_start,
            )
        else:
            yield from decode_parts(text, part_start, part_end, raw="r" in token.prefix)


_BRACE = re.compile(r"[{}]")


def _split_f_string(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the ranges of an f-string, and whether each is a field or a doubled brace."""
    copied_end = position = start
    while brace := _BRACE.search(text, position, end):
        position = brace.end()
        if text.startswith(brace[0], position) and position < end:
            brace_end = position + 1
        elif brace[0] == "}":
            continue
        else:
            depth, brace_end = 1, position
            while depth and (inner := _BRACE.search(text, brace_end, end)):
                depth += 1 if inner[0] == "{" else -1
                brace_end = inner.end()
            brace_end = end if depth else brace_end
        if copied_end < brace.start():
            yield copied_end, brace.start(), False
        yield brace.start(), brace_end, True
        copied_end = position = brace_end
    if copied_end < end:
        yield copied_end, end, False


def decode_parts(text: str, start: int, end: int, *, raw: bool = False) -> Iterator[TextFragment]:
    """Yield pieces of a string: text, position, and width in the source of an escape."""
    if raw:
        yield text[start:end], start, 0
    else:
        yield from replace_matches(text, _ESCAPE, _decode_escape, start, end)


def _decode_escape(escape: re.Match[str]) -> str | None:
    """Return the text of an escape, or None if Python keeps it as written."""
    return decode_escape(escape[1], _ESCAPES)


_PLACEHOLDER = re.compile(r"(?<![\w$])\$\d")
_CONSTRAINT = r"(?:=?&?\*?(?:[a-z]|\d{1,3}|\{\w{1,20}\})|~\{\w{1,20}\})"
_CONSTRAINTS = re.compile(rf"\s*+{_CONSTRAINT}(?:\s*,\s*{_CONSTRAINT}){{0,999}}\s*+", re.ASCII)
_BETWEEN = re.compile(
    r"(?:\"{3}|'{3}|[\"'])\s*+(?>\)\s*+|),(?>(?:\s++|\#[^\n]*+\n)*)"
    r"(?>(?P<name>\w++)\s*+=\s*+|)(?>\((?>(?:\s++|\#[^\n]*+\n)*)|)"
    r"[rRbBuU]?+(?:\"{3}|'{3}|[\"'])"
)
"""The source between strings that are separate arguments."""


def read_python_blocks(text: str) -> Iterator[Block]:
    """Yield the strings; a string before or after a string of constraints is asm."""
    strings = list(_read_strings(text))
    for index, fragment in enumerate(strings):
        operands = None
        if _PLACEHOLDER.search(fragment.ptx):
            following = strings[index + 1 : index + 2]
            operands = _read_pair(text, fragment, following, "constraints")
            if operands is None and index:
                operands = _read_pair(text, strings[index - 1], [fragment], "asm", is_second=True)
        yield Block(fragment, Language.PTX if operands else Language.UNKNOWN, operands)


def _read_pair(
    text: str, first: Fragment, following: Sequence[Fragment], name: str, *, is_second: bool = False
) -> AsmOperands | None:
    """Return the operands of constraints if two strings are adjacent arguments.

    The second one may have the keyword ``name``.
    """
    if not following or not first.ptx or not following[0].ptx:
        return None
    (second,) = following
    start, end = first.find_origin(len(first.ptx) - 1, len(first.ptx))[1], second.origins[0]
    constraints = (first if is_second else second).ptx
    match = _BETWEEN.fullmatch(text, start, end) if end - start < _FARTHEST else None
    if match is None or match["name"] not in (None if not is_second else name, name):
        return None
    return make_llvm_operands(constraints) if _CONSTRAINTS.fullmatch(constraints) else None
