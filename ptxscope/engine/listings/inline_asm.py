"""The PTX in C and Python sources: ``asm`` statements and PTX in strings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise

from ..isa.catalog import CATALOG
from ..records import NamedTuple
from ..text.errors import Problem, Span
from ..text.opcodes import is_other_opcode
from ..text.source import (
    ASM,
    COMMENT,
    COMMENTED_ASM,
    Fragment,
    asm_openings,
    asm_texts,
    fragments,
    skip,
)
from .asm_operands import Operands, filled, numbered, read_operands
from .docstrings import docstrings, ends_statement, is_all_ptx
from .gluing import HOLED, LIKELY, PARTLY, Part, instruction_in, joined, opcode_in, parts, spliced
from .reading import LONGEST, WINDOW, Place


class Language(StrEnum):
    """What a file is written in."""

    PTX = "ptx"
    C = "c"
    PYTHON = "python"
    TEXT = "text"
    """A pasted line or two: PTX, or glued string literals."""
    UNKNOWN = "unknown"
    """Nothing that is known here: there is no PTX to be read in it."""


_SUFFIXES = {
    Language.PTX: ("ptx",),
    Language.PYTHON: ("py", "pyi", "pyx"),
    Language.C: (
        *(
            "cu",
            "cuh",
            "c",
            "h",
            "cc",
            "cpp",
            "cxx",
            "hpp",
            "hh",
            "hxx",
            "inl",
            "inc",
            "c++",
            "h++",
        ),
        *("ipp", "tpp", "tcc", "txx", "ixx", "cppm", "ii", "cl", "hip", "m", "mm"),
    ),
}
_BY_SUFFIX = {suffix: language for language, every in _SUFFIXES.items() for suffix in every}
_WHOLE = frozenset(("py", "cu", "c", "cc", "cpp", "cxx", "c++", "cl", "hip", "m", "mm", "ii"))
_STRING = re.compile(r"\s*+(?:u8|[uUL])?R?\"")
_SOURCE = re.compile(r"\s*+(?:(?:u8|[uUL])?R?\"|//|/\*)")
"""What stands behind the parenthesis of an asm statement."""
_MACRO_SOURCE = re.compile(r"\s*+[\w#][^\";]{0,200}+\"")
"""The same where a macro stands in front of the first string."""


def is_whole(name: str) -> bool:
    """Whether a source of that name is no part of another: no header, and not pasted."""
    return _suffix(name) in _WHOLE


def _suffix(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def language_of(name: str, head: str) -> Language:
    """What a file is written in, by its name or, where that does not tell, by how it begins."""
    known = _BY_SUFFIX.get(_suffix(name))
    if known:
        return known
    if re.search(r"^[^\S\n]*+\.(?:version|target|entry|visible|func)\b", head, re.MULTILINE):
        return Language.PTX
    if _has_asm(head):
        python = re.search(r"^[^\S\n]*+(?:import|from|def)\s++\w", head, re.MULTILINE)
        return Language.PYTHON if python else Language.C
    if _STRING.match(head) and ("." not in name or LIKELY.search(head)):
        return Language.TEXT
    return Language.PTX if not head.strip() or _looks_like_ptx(head) else Language.UNKNOWN


_BEGINNING = re.compile(
    r"""^[ \t]*+(?:[\w$%]++:[ \t]*+)?(?:\{[ \t]*+)?
        (?:\.reg[ \t]*+\.(?P<reg>[a-z])|(?:@!?[ \t]*+[\w$%]++[ \t]++)?(?P<opcode>[a-z]\w*+)
           (?P<rest>(?:\.\w++)++)(?=[ \t]*+(?:;|$)|[ \t]++[^(=\s]))""",
    re.VERBOSE | re.MULTILINE | re.ASCII,
)
_TYPES = frozenset(
    f".{kind}{bits}" for kind in "bsuf" for bits in (8, 16, 32, 64) if (kind, bits) != ("f", 8)
) | {".pred"}


def _looks_like_ptx(text: str) -> bool:
    """Whether a line of a text begins as a declaration or an instruction of PTX does."""
    for line in _BEGINNING.finditer(text):
        if line["reg"]:
            return True
        types = sum(f".{word}" in _TYPES for word in line["rest"].split("."))
        if types > 1 or (types and (line["opcode"] in CATALOG or is_other_opcode(line["opcode"]))):
            return True
    return False


class Piece(NamedTuple):
    """PTX of a source: of one asm statement, or of one string."""

    fragments: tuple[Fragment, ...]
    """The PTX, and the texts it was in; the last stands in the file itself."""
    lines: Lines
    complete: bool = True
    """All of it is literal text."""
    asm: bool = True
    """It is an asm statement's."""
    operands: Operands | None = None
    """The asm statement's."""
    named: Span | None = None
    """Where it names an instruction that is put together from what is not known."""

    @property
    def ptx(self) -> str:
        """The decoded text."""
        return self.fragments[0].ptx

    @property
    def registers(self) -> dict[str, str] | None:
        """The types of the asm statement's operands: ``%0`` to ``b32``."""
        return self.operands.types if self.operands else None

    def at(self, start: int) -> _Mapped:
        """Places of a text that starts there in the piece."""
        return _Mapped(self, start)

    def problems(self) -> Iterator[tuple[Problem, Place]]:
        """What is wrong with the text around the PTX."""
        inner, *outer = self.fragments
        for problem in inner.problems:
            yield problem, _Mapped(self._replace(fragments=tuple(outer)), 0).place(*problem.span)


class _Mapped(NamedTuple):
    piece: Piece
    start: int

    def place(self, start: int, end: int) -> Place:
        """Where a range of the text stands in the file."""
        span = (self.start + start, self.start + end)
        for fragment in self.piece.fragments:
            span = fragment.origin(*span)
        return self.piece.lines.place(*span)


class Lines:
    """A file's text and where its lines start."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(self, start: int, end: int) -> Place:
        """Where a range of the text stands."""
        index = bisect_right(self.starts, start) - 1
        first = self.starts[index]
        near = max(first, start - WINDOW)
        stop = self.starts[index + 1] - 1 if index + 1 < len(self.starts) else len(self.text)
        excerpt = self.text[near : min(stop, end + WINDOW, start + LONGEST)]
        span = (start - near, max(min(end - near, len(excerpt)), start - near))
        return Place(index + 1, start - first + 1, excerpt, span, max(min(end, stop) - start, 0))


def asm_only(text: str, name: str) -> str:
    """A C source with its comments and other strings blanked; any other text as it is.

    The strings of asm statements are left, their constraints too. Every character that is left
    stands where it stood.
    """
    if language_of(name, text) is not Language.C:
        return text
    masked, groups = _masked(text)
    found = list(asm_texts(masked))
    ends = [statement.end for statement in found]
    limits = [*(statement.start for statement in found[1:]), len(text)]
    closes = [_closing_of(masked, *at) for at in zip(ends, limits, strict=False)]
    parts, done = list[str](), 0
    for start, end in groups:
        if _covers(ends, closes, start):
            parts += [masked[done:start], text[start:end]]
            done = end
    return "".join(parts) + masked[done:]


def pieces(text: str, language: Language) -> Iterator[Piece]:
    """Every stretch of PTX in a source, in order."""
    lines = Lines(text)
    if language is Language.PYTHON:
        for fragment, plain in _python_strings(text):
            named = None if plain else instruction_in(fragment.ptx)
            if _has_asm(fragment.ptx, macros=True):
                for piece in _of_c(fragment.ptx, lines):
                    yield piece._replace(
                        fragments=(*piece.fragments, fragment), complete=piece.complete and plain
                    )
            elif (
                named or LIKELY.search(fragment.ptx) or (not plain and PARTLY.search(fragment.ptx))
            ):
                yield Piece((fragment,), lines, plain, asm=False, named=named)
    elif language is Language.TEXT and not _has_asm(text):
        for fragment in fragments(text):
            yield Piece((fragment,), lines, asm=True)
    else:
        yield from _of_c(text, lines)


def _has_asm(text: str, *, macros: bool = False) -> bool:
    """Whether there is an asm statement that begins with a string, or with a macro."""
    for at in asm_openings(text):
        if _SOURCE.match(text, at) or (macros and _MACRO_SOURCE.match(text, at)):
            return True
    return False


# --- C ------------------------------------------------------------------------------------

_C_TOKEN = re.compile(
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
_COMMENT = re.compile(COMMENT, re.DOTALL)
_CLOSING = re.compile(r'(?:\\\r?\n|\)[^\s()"\\]{0,16}+)*+"')


def _of_c(text: str, lines: Lines) -> Iterator[Piece]:
    masked, groups = _masked(text)
    found = list[Piece]()
    templates = list[_Template]()
    every = list[Fragment]()
    if _has_asm(masked):
        every = [fragment for fragment in fragments(masked) if fragment.ptx]
    starts = [fragment.origins[0] for fragment in every]
    ends = [_end_of(masked, fragment) for fragment in every]
    macros = [
        match.span("first")
        for match in _MACRO_FIRST.finditer(masked)
        if not _covers(starts, ends, match.start("first"))
    ]
    limits = sorted([*starts, *(start for start, _ in macros), len(text)])
    for fragment, end in zip(every, ends, strict=True):
        limit = limits[bisect_right(limits, fragment.origins[0])]
        complete = masked[end : end + 1] in (":", ")", "")
        operands = read_operands(text, end, limit)
        fragment, operands, known = numbered(fragment, operands)
        fragment = filled(fragment, operands.constants)
        unknown = (*operands.texts, *(x for x, value in operands.constants.items() if not value))
        named = None if complete and known else opcode_in(fragment.ptx)
        if (constant := spliced(fragment.ptx, unknown)) is not None:
            named, complete = constant, False
        elif not complete:
            close = _close(masked, end, limit)
            templates.append(_Template(end, close, named is not None, fragment.ptx))
        found.append(Piece((fragment,), lines, complete and known, operands=operands, named=named))
    for start, end in macros:
        limit = limits[bisect_right(limits, start)]
        fragment = Fragment(text[start:end], (0,), (start,), (0,))
        found.append(Piece((fragment,), lines, complete=False, named=(0, end - start)))
        templates.append(_Template(end, _close(masked, end, limit), named=True, before=""))
    found += _of_strings(text, masked, groups, sorted(templates), lines)
    yield from sorted(found, key=lambda piece: piece.fragments[0].origins[:1])


class _Template(NamedTuple):
    """The rest of an asm statement's text, behind what is not literal."""

    start: int
    end: int
    named: bool
    """It is said that it is put together."""
    before: str
    """The PTX in front of it."""


_MACRO_FIRST = re.compile(
    rf"{ASM}(?:\s++|\\\r?\n)*+(?!(?:u8|[uUL])?R?\"|(?:__)?asm)(?P<first>[\w#]++)", re.ASCII
)
"""An asm statement that does not begin with a string."""
_MARK = re.compile(r"[():]")
_AROUND = 200
"""How far what stands between strings is looked at."""
_GLUE_BEFORE = ("+", "<<")
_GLUE_BEHIND = re.compile(
    r"(?:\s++|\\\r?\n)*+(?:\+(?!\+)|<<)|(?:[ \t]++|\\\r?\n)*+(?:#|[A-Za-z_]\w*+)"
)
_DIRECTIVE = re.compile(r"(?<!\\)\n[^\S\n]*+#")
_MACROS = re.compile(r"(?:\s++|\\\r?\n|[\w#(),])*+")


def _covers(starts: list[int], ends: list[int], at: int) -> bool:
    index = bisect_right(starts, at) - 1
    return index >= 0 and at < ends[index]


def _closing_of(masked: str, start: int, limit: int) -> int:
    """Where the parenthesis of an asm statement is closed whose text ends at ``start``."""
    depth = 0
    for mark in _MARK.finditer(masked, start, limit):
        depth += (mark[0] == "(") - (mark[0] == ")")
        if depth < 0:
            return mark.start()
    return limit


def _close(masked: str, start: int, limit: int) -> int:
    """Where the text of an asm statement ends."""
    depth = 0
    for mark in _MARK.finditer(masked, start, limit):
        depth += (mark[0] == "(") - (mark[0] == ")")
        if depth < 0 or (not depth and mark[0] == ":"):
            return mark.start()
    return limit


def _of_strings(
    text: str,
    masked: str,
    groups: list[Span],
    templates: list[_Template],
    lines: Lines,
) -> Iterator[Piece]:
    """The PTX of the strings of a C source but for those at the beginning of an asm statement."""
    starts, ends = [x.start for x in templates], [x.end for x in templates]
    said = {x.start for x in templates if x.named}
    run, holes, last, before = list[Part](), False, -1, ""
    for start, end in groups:
        template = None
        if _covers(starts, ends, start):
            template = templates[bisect_right(starts, start) - 1]
        glued = masked[max(start - _AROUND, 0) : start].rstrip().endswith(_GLUE_BEFORE)
        behind = _GLUE_BEHIND.match(masked, end, end + _AROUND) is not None
        fragment = joined(
            (part, origin + start, width)
            for found in fragments(text[start:end])
            for part, origin, width in parts(found)
        )
        if not fragment.ptx:
            continue
        cut = behind and not fragment.ptx.rstrip().endswith((";", "}"))
        checked = not cut and LIKELY.search(fragment.ptx) is not None
        if run and not (template is None and _joins(masked[last:start])):
            yield from _of_run(joined(run), lines, glued=holes)
            run, holes = [], False
        if template is not None:
            if last < template.start:
                before = template.before
            named = None
            if _lacks_opcode(before, fragment.ptx):
                named = (0, len(fragment.ptx.split(None, 1)[0]))
            elif not checked:
                named = opcode_in(fragment.ptx)
            if named is not None and template.start not in said:
                said.add(template.start)
                yield Piece((fragment,), lines, complete=False, named=named)
            if checked:
                yield Piece((fragment,), lines, asm=False)
            before = fragment.ptx
        elif checked:
            if run:
                yield from _of_run(joined(run), lines, glued=True)
            run, holes = [], False
            yield Piece((fragment,), lines, asm=False)
        else:
            if run:
                run.append(("{}", last, start - last))
            run += parts(fragment)
            holes = holes or glued or behind
        last = end
    if run:
        yield from _of_run(joined(run), lines, glued=holes)


def _joins(between: str) -> bool:
    """Whether an expression or a macro joins two strings of C."""
    if len(between) > _AROUND or _DIRECTIVE.search(between):
        return False
    shown = between.strip()
    if shown[:1] == "+" or shown[:2] == "<<":
        return shown.endswith(("+", "<<")) and not _STOPS.search(shown)
    return _MACROS.fullmatch(between) is not None and shown[:1] not in ("", "(", ")", ",")


_STOPS = re.compile(r"[;={}]")


def _lacks_opcode(before: str, ptx: str) -> bool:
    """Whether what is missing between two texts is an opcode."""
    modifier = ptx[:1] == "." and ptx[1:2].isalnum()
    return modifier and before.rstrip(" \t")[-1:] in ("", ";", "{", "}", "\n")


def _of_run(fragment: Fragment, lines: Lines, *, glued: bool) -> Iterator[Piece]:
    """Strings and what stands between them, if one of the 27 is put together so."""
    if glued or HOLED.search(fragment.ptx):
        named = instruction_in(fragment.ptx)
        if named is not None:
            yield Piece((fragment,), lines, complete=False, asm=False, named=named)


def _masked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text with its comments and strings blanked, but for those of asm statements.

    Also where the other strings stand, neighbours taken together.
    """
    parts: list[str] = []
    groups: list[tuple[int, int]] = []
    done = 0
    before = ""
    """What stands before it, comments aside: ``asm`` also where that is an asm's own string."""
    for kind, start, end in _c_tokens(text):
        parts.append(text[done:start])
        if before and not _BLANK.fullmatch(text, done, start):
            before = ""
        done = end
        own = text[start:end]
        if kind == "asm":
            own, before = _COMMENT.sub(_blanked, own), "asm"
        elif kind == "string" and before == "asm":
            before = "asm"
        else:
            if kind == "string" and before == "string":
                groups[-1] = (groups[-1][0], end)
            elif kind == "string":
                groups.append((start, end))
            if kind != "comment":
                before = kind
            own = _NOT_LINE_END.sub(" ", own)
        parts.append(own)
    return "".join(parts) + text[done:], groups


def _blanked(found: re.Match[str]) -> str:
    return _NOT_LINE_END.sub(" ", found[0])


def _c_tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """What the comments, strings, characters and beginnings of asm statements are, and where."""
    at = unclosed = 0
    while token := _C_TOKEN.search(text, at):
        kind, start, at = token.lastgroup or "", token.start(), token.end()
        if kind == "char":
            if start < unclosed:
                continue
            inner = _IN_CHAR.match(text, at)
            end = inner.end() if inner else at
            if not text.startswith("'", end):
                unclosed = end  # nor does any other quote up to there begin a character
                continue
            at = end + 1
        yield kind, start, at


def _end_of(masked: str, fragment: Fragment) -> int:
    """Where what follows a glued string stands."""
    end = fragment.origin(len(fragment.ptx) - 1, len(fragment.ptx))[1]
    while True:
        closing = _CLOSING.match(masked, end)
        end = skip(masked, closing.end() if closing else end)
        if not masked.startswith('""', end):
            return end
        end += 1


# --- Python -------------------------------------------------------------------------------

_PYTHON_START = re.compile(
    r"""\#[^\n]*+ | (?<!\w)(?P<prefix>[rRbBuUfF]{0,2})(?P<quote>\"{3}|'{3}|["'])""", re.VERBOSE
)
_PYTHON_BODY = {
    '"""': re.compile(r'(?:[^\\"]++|\\.|"(?!""))*+', re.DOTALL),
    "'''": re.compile(r"(?:[^\\']++|\\.|'(?!''))*+", re.DOTALL),
    '"': re.compile(r'(?:[^\\\n"]++|\\.)*+', re.DOTALL),
    "'": re.compile(r"(?:[^\\\n']++|\\.)*+", re.DOTALL),
}
"""What stands in a string, by its quotes."""
_PYTHON_ESCAPE = re.compile(r"\\(\r?\n|x[0-9a-fA-F]{2}|[0-7]{1,3}|.)|[^\\]++", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_GAP = re.compile(r"(?:[\s\\]++|#[^\n]*+)*+")
_FIELD = re.compile(r"\{\{|\}\}|\{")


class _Quoted(NamedTuple):
    """A string of Python: where it begins with its prefix and ends, and what is in it."""

    prefix: str
    start: int
    body: Span
    end: int


def _python_tokens(text: str) -> Iterator[_Quoted]:
    """Every string that is closed."""
    unclosed = dict.fromkeys(_PYTHON_BODY, 0)
    """Up to where no such quotes are closed."""
    at = 0
    while token := _PYTHON_START.search(text, at):
        at = token.end()
        if token["quote"] is None:
            continue
        start = token.start("quote")
        for quote in dict.fromkeys((token["quote"], token["quote"][0])):
            first = start + len(quote)
            if start < unclosed[quote]:
                continue
            body = _PYTHON_BODY[quote].match(text, first)
            last = body.end() if body else first
            if text.startswith(quote, last):
                at = last + len(quote)
                yield _Quoted(token["prefix"].lower(), token.start(), (first, last), at)
                break
            unclosed[quote] = last
        else:
            at = start + 1


def _python_strings(text: str) -> Iterator[tuple[Fragment, bool]]:
    """Every string, neighbours glued, and whether all of it is literal; no prose of docstrings."""
    tokens = list(_python_tokens(text))
    documented = docstrings(
        text, (((x.start, x.end), not set(x.prefix) & set("bf")) for x in tokens)
    )
    group: list[Part] = []
    plain, first, end = True, 0, -1

    def done() -> Iterator[tuple[Fragment, bool]]:
        fragment = joined(group)
        if first not in documented or not ends_statement(text, end) or is_all_ptx(fragment.ptx):
            yield fragment, plain and not _FILLED.match(text, end)

    for token in tokens:
        if group and not _GAP.fullmatch(text, end, token.start):
            between = text[end : min(token.start, end + _FARTHEST)]
            if end + len(between) == token.start and (sum_ := _sum(between)):
                if sum_ != "+":
                    group.append(("{}", end, token.start - end))
                    plain = False
            else:
                yield from done()
                group, plain = [], True
        if not group:
            first = token.start
            plain = not text[max(token.start - 80, 0) : token.start].rstrip().endswith("+")
        end = token.end
        body = text[slice(*token.body)]
        if "f" in token.prefix and any(x[0] == "{" for x in _FIELD.finditer(body)):
            plain = False
        if "r" in token.prefix:
            group.append((body, token.body[0], 0))
        else:
            group += _decoded(body, token.body[0])
    if group:
        yield from done()


_FARTHEST = 200
"""How far strings that are added to each other may stand apart."""


def _sum(between: str) -> str:
    """What is added between two strings, with its ``+`` signs; empty where it is no sum."""
    lines = [line.partition("#")[0].strip() for line in between.split("\n")]
    whole = " ".join(filter(None, lines)).strip(" ()\\")
    if not (whole.startswith("+") and whole.endswith("+")) or "=" in whole or ";" in whole:
        return ""
    shown = [line for line in lines if line]
    return whole if all(a[-1] in "+(\\" or b[0] == "+" for a, b in pairwise(shown)) else ""


_FILLED = re.compile(r"[\s)]*+(?:\.\s*+format\b|%|\+)")
"""What stands behind a string that is a template, or only part of one."""


def _decoded(text: str, origin: int) -> Iterator[tuple[str, int, int]]:
    """Pieces of a string: text, where it stood, and its width where it was an escape."""
    for match in _PYTHON_ESCAPE.finditer(text):
        code, at = match[1], origin + match.start()
        char = None if code is None else _escaped(code)
        if char is None:
            yield match[0], at, 0
        elif char:
            yield char, at, len(match[0])


def _escaped(code: str) -> str | None:
    """What an escape stands for; None where Python leaves it as it is written."""
    if code.endswith("\n"):
        return ""
    if code[0] == "x" and len(code) == 3:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8))
    return _NAMED.get(code, code if code in "\\'\"" else None)
