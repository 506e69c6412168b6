"""The PTX of a C source: its asm statements, and the strings that hold PTX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from ..records import NamedTuple
from ..syntax.errors import Span
from ..syntax.source import COMMENT, COMMENTED_ASM, GAP, AsmText, Fragment, find_fragments, read_asm
from .asm_operands import AsmOperands, fill_constants, number_placeholders, read_operands
from .partial_ptx import (
    OPCODE_WITH_HOLES,
    PTX_STATEMENT,
    TextFragment,
    find_instruction,
    hide_spliced,
    iter_parts,
    join_fragments,
    with_gaps,
)

_TOKEN = re.compile(
    rf"""(?P<comment>{COMMENT})
      | (?P<string>(?:u8|[uUL])?(?:R"(?P<delimiter>[^\s()\\]{{0,16}})\(.*?(?:\)(?P=delimiter)"|\Z)
                   |"(?:[^"\\\n]++|\\.)*+"?))
      | (?P<char>')
      | (?P<asm>{COMMENTED_ASM}\()""",
    re.VERBOSE | re.DOTALL,
)
_IN_CHAR = re.compile(r"(?:[^'\\\n]++|\\.)*+", re.DOTALL)
_BLANK = re.compile(r"(?:\s++|\\\n)*+")
_NOT_LINE_END = re.compile(r"[^\n]")
_AROUND = 200
"""Characters between two strings, or next to one, that are examined."""
_GLUE_BEFORE = ("+", "<<")
_GLUE_BEHIND = re.compile(
    r"(?:\s++|\\\r?\n)*+(?:\)\s*+)?+(?:\+(?!\+)|<<)|(?:[ \t]++|\\\r?\n)*+(?:#|[A-Za-z_]\w*+)"
)
_DIRECTIVE = re.compile(r"(?<!\\)\n[^\S\n]*+#")
_MACROS = re.compile(r"(?:\s++|\\\r?\n|[\w#(),])*+")
_STOPS = re.compile(r"[;={}]")


class CText(NamedTuple):
    """PTX of a C source."""

    fragment: Fragment
    operands: AsmOperands | None
    """The operands of an asm statement; None for a string."""
    named: Span | None = None
    """Span of the opcode, if the instruction is assembled from parts of a string."""


def read_c_source(text: str, gaps: Set[int] = frozenset()) -> Iterator[CText]:
    """Yield the PTX of a C source; ``gaps`` are positions of gaps in the source itself."""
    masked, strings, statements = _split_source(text)
    limits = [*(x.start for x in statements[1:]), len(text)]
    for (fragment, _, end), limit in zip(statements, limits, strict=False):
        if fragment.ptx:
            operands = read_operands(text, end, limit)
            fragment, operands = number_placeholders(with_gaps(fragment, gaps), operands)
            fragment = fill_constants(fragment, operands.constants)
            unknown = (x for x, value in operands.constants.items() if not value)
            yield CText(hide_spliced(fragment, (*operands.texts, *unknown)), operands)
    for run in _read_runs(text, masked, strings):
        fragment = with_gaps(join_fragments(run), gaps)
        is_partial = fragment.gaps or OPCODE_WITH_HOLES.search(fragment.ptx)
        named = find_instruction(fragment.ptx) if is_partial else None
        if named or PTX_STATEMENT.search(fragment.ptx):
            yield CText(fragment, None, named)


def _read_runs(text: str, masked: str, strings: list[Span]) -> Iterator[list[TextFragment]]:
    """Yield the strings that an expression or a macro joins, with gaps around and between them."""
    run, last = list[TextFragment](), 0
    for start, end in strings:
        fragment = next(find_fragments(text[start:end]))
        if not fragment.ptx:
            continue
        if run and _joins(masked[last:start]):
            run.append((GAP, last, start - last))
        else:
            if run:
                yield _end_run(run, masked, last)
            run = []
            if masked[max(start - _AROUND, 0) : start].rstrip().endswith(_GLUE_BEFORE):
                run.append((GAP, start, 1))
        run += ((part, origin + start, width) for part, origin, width in iter_parts(fragment))
        last = end
    if run:
        yield _end_run(run, masked, last)


def _end_run(run: list[TextFragment], masked: str, end: int) -> list[TextFragment]:
    """Return the strings, with a gap at the end if the expression continues."""
    behind = _GLUE_BEHIND.match(masked, end, end + _AROUND)
    return [*run, (GAP, end, 1)] if behind else run


def _joins(between: str) -> bool:
    """Return whether an expression or a macro joins two C strings."""
    if len(between) > _AROUND or _DIRECTIVE.search(between):
        return False
    shown = between.strip().removeprefix(")").lstrip()
    if shown[:1] == "+" or shown[:2] == "<<":
        return shown.endswith(("+", "<<")) and not _STOPS.search(shown)
    return _MACROS.fullmatch(between) is not None and shown[:1] not in ("", "(", ")", ",")


def _split_source(text: str) -> tuple[str, list[Span], list[AsmText]]:
    """Return the text with comments, strings and asm statements blanked.

    Also return the spans of the strings, with adjacent ones merged, and the asm statements.
    """
    kept, strings, statements = list[str](), list[Span](), list[AsmText]()
    done, is_behind_string = 0, False
    for kind, start, end, statement in _read_tokens(text):
        kept.append(text[done:start])
        is_behind_string = is_behind_string and bool(_BLANK.fullmatch(text, done, start))
        own = _NOT_LINE_END.sub(" ", text[start:end])
        if statement:
            statements.append(statement)
            own = ";" + own[1:]  # so that the strings around it are not joined
        elif kind == "string" and is_behind_string:
            strings[-1] = (strings[-1][0], end)
        elif kind == "string":
            strings.append((start, end))
        if kind != "comment":
            is_behind_string = kind == "string"
        kept.append(own)
        done = end
    return "".join(kept) + text[done:], strings, statements


def _read_tokens(text: str) -> Iterator[tuple[str, int, int, AsmText | None]]:
    """Yield comments, strings, characters, and asm statements up to their operands."""
    at = unclosed = 0
    while token := _TOKEN.search(text, at):
        kind, start, at = token.lastgroup or "", token.start(), token.end()
        statement = None
        if kind == "char":
            if start < unclosed:
                continue
            inner = _IN_CHAR.match(text, at)
            end = inner.end() if inner else at
            if not text.startswith("'", end):
                unclosed = end  # no other quote before this begins a character
                continue
            at = end + 1
        elif kind == "asm":
            statement = read_asm(text, start, at)
            at = max(at, statement.end)
        yield kind, start, at, statement
