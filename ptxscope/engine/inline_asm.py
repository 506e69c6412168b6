"""The PTX in C and Python sources: ``asm`` statements and PTX in strings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from .catalog import CATALOG
from .errors import Problem
from .listing import WINDOW, Place
from .parser import is_other_opcode
from .source import ASM, BETWEEN, Fragment, fragments, skip


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
_STRING = re.compile(r"\s*(?:u8|[uUL])?R?\"")
_SOURCE = re.compile(rf"{ASM}\s*(?:(?:u8|[uUL])?R?\"|//|/\*)")


def language_of(name: str, head: str) -> Language:
    """What a file is written in, by its name or, where that does not tell, by how it begins."""
    known = _BY_SUFFIX.get(name.rpartition(".")[2].lower()) if "." in name else None
    if known:
        return known
    if re.search(r"^[ \t]*\.(?:version|target|entry|visible|func)\b", head, re.MULTILINE):
        return Language.PTX
    if _SOURCE.search(head):
        python = re.search(r"^[ \t]*(?:import|from|def)[ \t]+\w", head, re.MULTILINE)
        return Language.PYTHON if python else Language.C
    if _STRING.match(head) and ("." not in name or _LIKELY.search(head)):
        return Language.TEXT
    return Language.PTX if not head.strip() or _looks_like_ptx(head) else Language.UNKNOWN


_BEGINNING = re.compile(
    r"""^[ \t]*+(?:[\w$%]++:[ \t]*+)?(?:\{[ \t]*+)?
        (?:\.reg[ \t]++\.(?P<reg>[a-z])|(?:@!?[ \t]*+[\w$%]++[ \t]++)?(?P<opcode>[a-z]\w*+)
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
    registers: dict[str, str] | None = None
    """The types of the asm statement's operands: ``%0`` to ``b32``."""

    @property
    def ptx(self) -> str:
        """The decoded text."""
        return self.fragments[0].ptx

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
        stop = self.text.find("\n", start, end + WINDOW)
        excerpt = self.text[near : stop if stop >= 0 else end + WINDOW]
        span = (start - near, max(min(end - near, len(excerpt)), start - near))
        return Place(index + 1, start - first + 1, excerpt, span)


def asm_only(text: str, name: str) -> str:
    """A C source with its comments and other strings blanked; any other text as it is.

    Every character that is left stands where it stood.
    """
    return _masked(text)[0] if language_of(name, text) is Language.C else text


def pieces(text: str, language: Language) -> Iterator[Piece]:
    """Every stretch of PTX in a source, in order."""
    lines = Lines(text)
    if language is Language.PYTHON:
        for fragment, plain in _python_strings(text):
            if _SOURCE.search(fragment.ptx):
                for piece in _of_c(fragment.ptx, lines):
                    yield piece._replace(
                        fragments=(*piece.fragments, fragment), complete=piece.complete and plain
                    )
            elif _LIKELY.search(fragment.ptx) or (not plain and _PARTLY.search(fragment.ptx)):
                yield Piece((fragment,), lines, plain, asm=False)
    elif language is Language.TEXT and not _SOURCE.search(text):
        for fragment in fragments(text):
            yield Piece((fragment,), lines, asm=True)
    else:
        yield from _of_c(text, lines)


# --- C ------------------------------------------------------------------------------------

_C_TOKEN = re.compile(
    rf"""(?P<comment>//(?:[^\n\\]|\\.)*|/\*.*?(?:\*/|\Z))
      | (?P<string>(?:u8|[uUL])?(?:R"(?P<delimiter>[^\s()\\]{{0,16}})\(.*?(?:\)(?P=delimiter)"|\Z)
                   |"(?:[^"\\\n]|\\.)*"?))
      | (?P<char>'(?:[^'\\\n]|\\.)*')
      | (?P<asm>{ASM})""",
    re.VERBOSE | re.DOTALL,
)
_NOT_LINE_END = re.compile(r"[^\n]")
_CLOSING = re.compile(r'(?:\\\r?\n|\)[^\s()"\\]{0,16})*"')
_OPCODES = "|".join(CATALOG)
_LIKELY = re.compile(
    rf"(?<![\w.$%])(?:{_OPCODES})(?:\.\w+)*\.(?:[bsu](?:16|32|64)|f32|f64)\b[^;\"]{{0,500}};",
    re.ASCII,
)
"""What a string holds where it is taken for PTX."""
_PARTLY = re.compile(
    rf"(?<![\w.$%])(?:{_OPCODES})(?:\.\w+|\.?\{{[^{{}}]*\}})+\s[^;\"]{{0,500}};",
    re.ASCII,
)
"""The same where some of it is an expression in braces."""


def _of_c(text: str, lines: Lines) -> Iterator[Piece]:
    masked, groups = _masked(text)
    found = []
    if _SOURCE.search(masked):
        for fragment in fragments(masked):
            if fragment.ptx:
                end = _end_of(masked, fragment)
                complete = masked[end : end + 1] in (":", ")", "")
                operands = _operands(text, end)
                found.append(Piece((fragment,), lines, complete, registers=operands))
    for start, end in groups:
        part = text[start:end]
        for fragment in fragments(part):
            if _LIKELY.search(fragment.ptx):
                moved = fragment._replace(origins=tuple(x + start for x in fragment.origins))
                found.append(Piece((moved,), lines, asm=False))
    yield from sorted(found, key=lambda piece: piece.fragments[0].origins[:1])


def _masked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text with its comments and strings blanked, but for those of asm statements.

    Also where the other strings stand, neighbours taken together.
    """
    parts: list[str] = []
    groups: list[tuple[int, int]] = []
    done = kept = 0
    for token in _C_TOKEN.finditer(text):
        start, end = token.span()
        parts.append(text[done:start])
        done = end
        own = token[0]
        follows = bool(kept) and BETWEEN.fullmatch(text, kept, start) is not None
        if token.lastgroup == "asm":
            kept = end
        elif token["string"]:
            if follows:
                kept = end
            else:
                if groups and BETWEEN.fullmatch(text, groups[-1][1], start):
                    groups[-1] = (groups[-1][0], end)
                else:
                    groups.append((start, end))
                own = _NOT_LINE_END.sub(" ", own)
        else:
            own = _NOT_LINE_END.sub(" ", own)
        parts.append(own)
    return "".join(parts) + text[done:], groups


def _end_of(masked: str, fragment: Fragment) -> int:
    """Where what follows a glued string stands."""
    end = fragment.origin(len(fragment.ptx) - 1, len(fragment.ptx))[1]
    while True:
        closing = _CLOSING.match(masked, end)
        end = skip(masked, closing.end() if closing else end)
        if not masked.startswith('""', end):
            return end
        end += 1


_CONSTRAINT = re.compile(r'"(?P<letters>[^"\n]*)"|(?P<mark>[():])|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LONGEST = 1 << 14
"""How far an asm statement's operands are read."""
_LETTERS = {"h": "b16", "r": "b32", "l": "b64", "f": "f32", "d": "f64"}


def _operands(text: str, start: int) -> dict[str, str]:
    """The types of an asm statement's operands by what the PTX calls them."""
    found: dict[str, str] = {}
    depth = section = count = 0
    if not text.startswith(":", start):
        return found
    for token in _CONSTRAINT.finditer(text, start, start + _LONGEST):
        mark = token["mark"]
        if mark == ":" and not depth:
            section += 1
        elif mark:
            depth += (mark == "(") - (mark == ")")
        elif token["letters"] is not None and not depth and section in (1, 2):
            type_ = _LETTERS.get(token["letters"].strip("=+&% "))
            if type_:
                found[f"%{count}"] = type_
            count += 1
        if depth < 0 or section > 2:
            break
    return found


# --- Python -------------------------------------------------------------------------------

_PYTHON_TOKEN = re.compile(
    r"""\#[^\n]*
      | (?<![\w])(?P<prefix>[rRbBuUfF]{0,2})
        (?:(?P<triple>\"{3}|'{3})(?P<long>(?:[^\\]|\\.)*?)(?P=triple)
          |(?P<quote>["'])(?P<short>(?:[^\\\n]|\\.)*?)(?P=quote))""",
    re.VERBOSE | re.DOTALL,
)
_PYTHON_ESCAPE = re.compile(r"\\(\r?\n|x[0-9a-fA-F]{2}|[0-7]{1,3}|.)|[^\\]+", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_GAP = re.compile(r"(?:[\s\\]|#[^\n]*)*")
_FIELD = re.compile(r"\{\{|\}\}|\{")


def _python_strings(text: str) -> Iterator[tuple[Fragment, bool]]:
    """Every string, neighbours glued, and whether all of it is literal."""
    group: list[tuple[str, int, int]] = []
    plain, end = True, -1
    for token in _PYTHON_TOKEN.finditer(text):
        if token["prefix"] is None:
            continue
        if group and not _GAP.fullmatch(text, end, token.start()):
            yield _joined(group), plain and not _FILLED.match(text, end)
            group, plain = [], True
        if not group:
            plain = not text[max(token.start() - 80, 0) : token.start()].rstrip().endswith("+")
        end = token.end()
        name = "long" if token["triple"] else "short"
        prefix = token["prefix"].lower()
        if "f" in prefix and any(x[0] == "{" for x in _FIELD.finditer(token[name])):
            plain = False
        if "r" in prefix:
            group.append((token[name], token.start(name), 0))
        else:
            group += _decoded(token[name], token.start(name))
    if group:
        yield _joined(group), plain and not _FILLED.match(text, end)


_FILLED = re.compile(r"[\s)]*(?:\.\s*format\b|%|\+)")
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


def _joined(group: list[tuple[str, int, int]]) -> Fragment:
    starts, at = [], 0
    for part, _, _ in group:
        starts.append(at)
        at += len(part)
    texts, origins, widths = zip(*group, strict=True) if group else ((), (), ())
    return Fragment("".join(texts), tuple(starts), tuple(origins), tuple(widths))
