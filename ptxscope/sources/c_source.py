"""The PTX of a C source: its asm statements, and strings with PTX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from typing import NamedTuple, Protocol

from ..engine.syntax.asm_bindings import find_asm_ranges
from ..engine.syntax.asm_operands import (
    MAX_OPERANDS_CHARS,
    UNKNOWN_OPERANDS,
    AsmOperands,
    fill_constants,
    number_placeholders,
    read_operands,
)
from ..engine.syntax.asm_text import AsmText, find_asm_texts, join_literals, read_asm
from ..engine.syntax.c_expression import CLiteral, find_c_constants
from ..engine.syntax.c_lexer import (
    STRING_KINDS,
    CTokenKind,
    LandmarkScanner,
    blank_spans,
    read_parts,
    skip_blanks,
)
from ..engine.syntax.errors import Span
from ..engine.syntax.partial_ptx import (
    OPCODE_WITH_HOLES,
    PTX_STATEMENT,
    find_instruction,
    hide_spliced,
)
from ..engine.syntax.source import (
    GAP,
    Fragment,
    TextFragment,
    iter_parts,
    join_fragments,
    with_gaps,
)
from ..feature import Service, find_services
from .preprocessor import Definitions
from .source_language import has_asm

_CONTEXT_CHARS = 200
"""Maximum characters to examine between two strings, or next to one."""
_GLUE_BEFORE = ("+", "<<")
_GLUE_BEHIND = re.compile(
    r"(?>(?:\s++|\\\r?\n)*)(?>\)\s*+|)(?:\+(?!\+)|<<)|(?>(?:[ \t]++|\\\r?\n)*)(?:#|[A-Za-z_]\w*+)"
)
_DIRECTIVE = re.compile(r"(?<!\\)\n[^\S\n]*+#")
_MACROS = re.compile(r"(?>(?:\s++|\\\r?\n|[\w#(),])*)")
_STOPS = re.compile(r"[;={}]")


_Constants = tuple[tuple[str, CLiteral], ...]
"""The integers that a source names, by name."""


class MacroExpander(Protocol):
    """The macros of a source."""

    def expand_statement(self, start: int, limit: int) -> Fragment | None:
        """Return the asm statement at ``start`` with its macros expanded, if it has any."""

    def find_definition(self, position: int) -> str:
        """Return the name of the macro whose definition contains a position; may be empty."""

    def expand_calls(
        self, names: Iterable[str], code: str
    ) -> Iterator[tuple[frozenset[str], Fragment]]:
        """Yield the expansion of each call of some macros, with the names of what it uses."""


def _load_macros(text: str, definitions: Definitions) -> MacroExpander | None:
    return next((load(text, definitions) for load in find_services(Service.READ_MACROS)), None)


class CText(NamedTuple):
    """PTX of a C source."""

    fragment: Fragment
    operands: AsmOperands | None
    """The operands of an asm statement; None for a string."""
    opcode_span: Span | None = None
    """Span of the opcode of an instruction that is assembled from parts."""
    expansion: Fragment | None = None
    """The asm statement with expanded macros, the source of ``fragment``."""


def read_c_source(
    text: str, gaps: Set[int] = frozenset(), definitions: Definitions | None = None
) -> Iterator[CText]:
    """Yield the PTX of a C source; ``gaps`` are positions of gaps in the source itself.

    Macros of the source, if it has no gaps, and ``definitions`` are expanded in asm statements.
    """
    blanked_text, strings, statements = _split_source(text)
    has_macros = not gaps and statements and (definitions or "define" in blanked_text)
    macros = _load_macros(text, definitions or {}) if has_macros else None
    constants = tuple(find_c_constants(text).items()) if statements else ()
    read_texts = list[tuple[str, CText]]()
    """The statements, each with the name of its macro."""
    limits = [*(x.start for x in statements[1:]), len(text)]
    for statement, limit in zip(statements, limits, strict=False):
        expansion = macros.expand_statement(statement.start, limit) if macros else None
        definition = macros.find_definition(statement.start) if macros else ""
        source = text
        if _is_label(text, statement):
            continue
        if expansion:
            source = expansion.ptx
            statement, limit = next(find_asm_texts(source)), len(source)
        if statement.fragment.ptx:
            read_text = _read_statement(source, statement, limit, gaps, constants)
            read_texts.append((definition, read_text._replace(expansion=expansion)))
    expanded_names = frozenset[str]()
    if macros and (names := {name for name, x in read_texts if name and x.fragment.gaps}):
        for used_names, expansion in macros.expand_calls(names, blanked_text):
            expanded_names |= used_names
            for statement, limit in find_asm_ranges(expansion.ptx):
                if statement.fragment.ptx:
                    read_text = _read_statement(
                        expansion.ptx, statement, limit, frozenset(), constants
                    )
                    yield read_text._replace(expansion=expansion)
    yield from (x for name, x in read_texts if name not in expanded_names)
    for fragments in _read_runs(text, blanked_text, strings):
        fragment = with_gaps(join_fragments(fragments), gaps)
        is_partial = fragment.gaps or OPCODE_WITH_HOLES.search(fragment.ptx)
        opcode_span = find_instruction(fragment.ptx) if is_partial else None
        holds_c = "asm" in fragment.ptx and has_asm(fragment.ptx, macros=True)
        if opcode_span or holds_c or PTX_STATEMENT.search(fragment.ptx):
            yield CText(fragment, None, opcode_span)


_LABEL = re.compile(r"[\w.$]+")
_LABEL_END = re.compile(r"\s*+\)\s*+(?:[;,={]|__attribute)")
_STATEMENT_WORD = re.compile(
    r"\s*+(?:if|else|for|while|do|switch|case|default|return|goto)\b|\s*+\Z"
)
_DECLARATOR_END = re.compile(r"[\w)\]]\s*+\Z")


def _is_label(text: str, statement: AsmText) -> bool:
    """Return whether an ``asm`` names the symbol of a declaration: ``int f(int) asm("name");``."""
    if not _LABEL.fullmatch(statement.fragment.ptx) or not _LABEL_END.match(text, statement.end):
        return False
    head = text[max(statement.start - _CONTEXT_CHARS, 0) : statement.start]
    head = re.split(r"[;{}]", head)[-1]
    return (
        _DECLARATOR_END.search(head) is not None
        and not _STATEMENT_WORD.match(head)
        and head.count("(") == head.count(")")
    )


def _read_statement(
    text: str, statement: AsmText, limit: int, gaps: Set[int], constants: _Constants
) -> CText:
    """Return the PTX and the operands of an asm statement, up to a position."""
    start, end = statement.start, min(limit, statement.end + MAX_OPERANDS_CHARS)
    gaps = frozenset(x - start for x in gaps if start <= x < end)
    read_text = _read_first_statement(text[start:end], gaps, constants)
    return read_text._replace(
        fragment=read_text.fragment.move(start),
        operands=read_text.operands and read_text.operands._replace(position=start),
    )


@lru_cache(maxsize=1 << 12)
def _read_first_statement(text: str, gaps: Set[int], constants: _Constants) -> CText:
    statement, limit = next(find_asm_texts(text)), len(text)
    is_closed = not statement.fragment.problems  # otherwise, operands may be in a string
    operands = (
        read_operands(text, statement.end, limit, dict(constants))
        if is_closed
        else UNKNOWN_OPERANDS
    )
    fragment, operands = number_placeholders(with_gaps(statement.fragment, gaps), operands)
    fragment = fill_constants(fragment, operands.constants)
    unknown_names = (x for x, value in operands.constants.items() if not value)
    return CText(hide_spliced(fragment, (*operands.texts, *unknown_names)), operands)


def _read_runs(text: str, blanked_text: str, strings: list[Span]) -> Iterator[list[TextFragment]]:
    """Yield the strings that an expression or a macro joins, with gaps around and between them."""
    fragments, run_end = list[TextFragment](), 0
    for start, end in strings:
        fragment = _join_literals(text[start:end])
        if not fragment.ptx:
            continue
        if fragments and _is_join(blanked_text[run_end:start]):
            fragments.append((GAP, run_end, start - run_end))
        else:
            if fragments:
                yield _end_run(fragments, blanked_text, run_end)
            fragments = []
            if blanked_text[max(start - _CONTEXT_CHARS, 0) : start].rstrip().endswith(_GLUE_BEFORE):
                fragments.append((GAP, start, 1))
        fragments += ((part, origin + start, width) for part, origin, width in iter_parts(fragment))
        run_end = end
    if fragments:
        yield _end_run(fragments, blanked_text, run_end)


@lru_cache(maxsize=1 << 12)
def _join_literals(text: str) -> Fragment:
    return join_literals(text, 0)[0]


def _end_run(fragments: list[TextFragment], blanked_text: str, end: int) -> list[TextFragment]:
    """Return the strings, with a gap at the end if the expression continues."""
    continuation = _GLUE_BEHIND.match(blanked_text, end, end + _CONTEXT_CHARS)
    return [*fragments, (GAP, end, 1)] if continuation else fragments


def _is_join(separator: str) -> bool:
    """Return whether an expression or a macro joins two C strings."""
    if len(separator) > _CONTEXT_CHARS or _DIRECTIVE.search(separator):
        return False
    joint = separator.strip().removeprefix(")").lstrip()
    if joint[:1] == "+" or joint[:2] == "<<":
        return joint.endswith(("+", "<<")) and not _STOPS.search(joint)
    return _MACROS.fullmatch(separator) is not None and joint[:1] not in ("", "(", ")", ",")


def blank_literals(text: str) -> str:
    """Replace comments, strings and asm statements of a C source with blanks."""
    return _split_source(text)[0]


@lru_cache(maxsize=1)
def _split_source(text: str) -> tuple[str, list[Span], list[AsmText]]:
    """Return the text with blanked comments, strings and asm statements.

    Also return the spans of the strings, merged if adjacent, and the asm statements.
    """
    codes, strings, statements = list[str](), list[Span](), list[AsmText]()
    for (code, part_strings, part_statements), position in read_parts(text, _split_part):
        codes.append(code)
        strings += [(start + position, end + position) for start, end in part_strings]
        statements += [
            AsmText(fragment.move(position), start + position, end + position)
            for fragment, start, end in part_statements
        ]
    return "".join(codes), strings, statements


@lru_cache(maxsize=1 << 12)
def _split_part(text: str) -> tuple[tuple[str, list[Span], list[AsmText]], int]:
    spans, strings, statements = list[Span](), list[Span](), list[AsmText]()
    copied_end, is_behind_string = 0, False
    scanner = LandmarkScanner(text)
    for kind, _, start, end in scanner:
        is_behind_string = is_behind_string and skip_blanks(text, copied_end) >= start
        if kind is CTokenKind.ASM:
            statements.append(read_asm(text, start, end))
            scanner.position = end = max(end, statements[-1].end)
        elif kind in STRING_KINDS and is_behind_string:
            strings[-1] = (strings[-1][0], end)
        elif kind in STRING_KINDS:
            strings.append((start, end))
        if kind is not CTokenKind.COMMENT:
            is_behind_string = kind in STRING_KINDS
        spans.append((start, end))
        copied_end = end
    code = blank_spans(text, spans)
    starts = [x.start for x in statements]
    ranges = zip([0, *(x + 1 for x in starts)], [*starts, len(code)], strict=True)
    # a mark at each statement, so that the surrounding strings are not joined
    code = ";".join(code[first:last] for first, last in ranges)
    return (code, strings, statements), scanner.read_end
