"""Code blocks in other texts: Markdown fences, HTML ``<pre>``, Rust strings, LLVM.

Each block is a range of the file with its escaped characters decoded.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Set
from itertools import count, pairwise
from typing import NamedTuple

from ..engine.syntax.asm_operands import AsmOperands, fill_constants
from ..engine.syntax.partial_ptx import PTX_STATEMENT
from ..engine.syntax.source import GAP, Fragment, TextFragment, join_fragments, replace_matches
from ..engine.syntax.text_fragments import replace_copies, with_gaps
from .asm_arguments import read_llvm_operands, read_rust_operands
from .python_source import decode_parts
from .source_language import Language, language_of_block


class Block(NamedTuple):
    """A range of a file in a language of its own."""

    fragment: Fragment
    language: Language
    operands: AsmOperands | None = None
    """The operands of an asm statement, if they are known."""


# --- Markdown -----------------------------------------------------------------------------

_FENCE = re.compile(
    r"^[^\S\n]*+(?>(?:>[ \t]*+)*)(?P<mark>`{3,}+|~{3,}+)[ \t]*+\{?+\.?+(?P<word>[^\s`{},]*+)"
    r"(?P<rest>[^\n]*+)\n?+",
    re.MULTILINE,
)


def read_markdown_blocks(text: str) -> Iterator[Block]:
    """Yield the fenced code of a Markdown text; an unclosed fence extends to the end."""
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            if "`" not in fence["rest"]:
                opening = fence
        elif fence["mark"].startswith(opening["mark"]) and not (
            fence["word"] or fence["rest"].strip()
        ):
            yield from _make_block(text, opening.end(), fence.start(), opening["word"])
            opening = None
    if opening is not None:
        yield from _make_block(text, opening.end(), len(text), opening["word"])


def _make_block(text: str, start: int, end: int, word: str) -> Iterator[Block]:
    code = text[start:end]
    language = language_of_block(word, code)
    if language is not Language.UNKNOWN and code.strip():
        yield Block(Fragment(code, origins=(start,)), language)


# --- HTML ---------------------------------------------------------------------------------

_PRE = re.compile(r"<(?>(?P<close>/)|)(?:pre|xmp|listing)\b[^<>]*+>", re.IGNORECASE)
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|</?+[A-Za-z][^<>]*+>|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|\w{1,31});",
    re.DOTALL,
)


def read_html_blocks(text: str) -> Iterator[Block]:
    """Yield the text of each ``<pre>`` of an HTML page."""
    start = None
    for tag in _PRE.finditer(text):
        if tag["close"] and start is not None:
            parts = replace_matches(text, _MARKUP, _decode_markup, start, tag.start())
            fragment = join_fragments(parts)
            language = language_of_block("", fragment.ptx)
            if language is not Language.UNKNOWN and fragment.ptx.strip():
                yield Block(fragment, language)
            start = None
        elif not tag["close"] and start is None:
            start = tag.end()


def _decode_markup(mark: re.Match[str]) -> str:
    return html.unescape(mark[0]) if mark[0][0] == "&" else ""


# --- Rust ---------------------------------------------------------------------------------

_RUST = re.compile(
    r"""(?P<comment>//[^\n]*+|/\*.*?(?:\*/|\Z))
      | (?P<raw>\b(?:br|cr|r)(?P<hashes>\#{0,16})")
      | (?P<string>(?>\bb|\bc|)"(?P<body>(?>(?:[^"\\]++|\\.)*))"?+)
      | '(?:\\[^\n']{1,12}'|[^\\'\n]')
      | (?P<asm>\basm!\s*+[({\[])
      | (?P<concat>\bconcat!\s*+[({\[])
      | (?P<repeat>\$\()
      | (?P<open>[({\[])
      | (?P<stop>[;)}\]=])""",
    re.VERBOSE | re.DOTALL,
)
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(?P<name>\w*+)(?>:[^{}]*+|)\}", re.ASCII)


def read_rust_blocks(text: str) -> Iterator[Block]:
    """Yield the strings of a Rust source that hold PTX, and the lines of each ``asm!``."""
    unclosed = set[str]()
    lines: list[TextFragment] | None = None
    """Lines of the open ``asm!``, or None outside of one."""
    position = end_of_lines = 0
    depth = 0
    """The open brackets of a ``concat!`` or of a repetition of a macro in it."""
    glue_start = line_count = 0
    """The start of the text that is no string and not yet in the lines."""
    while token := _RUST.search(text, position):
        position = token.end()
        kind = token.lastgroup
        if kind == "asm":
            lines, depth = [], 0
        elif kind in ("concat", "repeat", "open"):
            if lines is not None and (depth or kind != "open"):
                if not depth:
                    glue_start = position if kind == "concat" else token.start()
                    line_count = len(lines)
                depth += 1
        elif kind == "stop" and lines is not None and depth:
            depth -= token[0] in ")]}"
            if not depth and len(lines) > line_count:  # else it repeats operands
                end_of_lines = position
                lines += _make_glue(text, glue_start, token.start())
                lines.append(("\n", token.start(), 1))
        elif kind == "stop" and lines is not None:
            if lines:
                operands, constants = read_rust_operands(text, end_of_lines)
                fragment = join_fragments(_name_operands(lines, constants))
                yield Block(fragment, Language.PTX, operands)
            lines = None
        parts = list[TextFragment]()
        if kind in ("raw", "hashes") and token["hashes"] not in unclosed:
            end = text.find(f'"{token["hashes"]}', position)
            if end < 0:
                unclosed.add(token["hashes"])
                continue
            parts = [(text[position:end], position, 0)]
            position = end + 1 + len(token["hashes"])
        elif token["body"] is not None:
            parts = list(decode_parts(text, *token.span("body")))
        if lines is not None and parts and depth:
            lines += [*_make_glue(text, glue_start, token.start()), *parts]
            glue_start = position
        elif lines is not None and parts:
            lines += [*parts, ("\n", token.start(), 1)]
            end_of_lines = position
        elif parts and PTX_STATEMENT.search((fragment := join_fragments(parts)).ptx):
            yield Block(fragment, Language.UNKNOWN)


def _make_glue(text: str, start: int, end: int) -> Iterator[TextFragment]:
    """Yield a gap for the text between two strings of a ``concat!``, if it is not a comma."""
    if text[start:end].strip(", \t\r\n"):
        yield GAP, start, end - start


def _name_operands(
    lines: list[TextFragment], constants: Mapping[str, str]
) -> Iterator[TextFragment]:
    """Yield the lines of an ``asm!`` with a register for each placeholder: ``%a`` for ``{a}``.

    Known constants replace their placeholders; an unknown constant is a gap.
    """
    numbers = count()

    def replace(mark: re.Match[str]) -> str:
        name = mark["name"]
        if name is None:
            return mark[0][0]
        name = name or str(next(numbers))
        return constants[name] or GAP if name in constants else f"%{name}"

    return replace_copies(lines, _PLACEHOLDER, replace)


# --- LLVM ---------------------------------------------------------------------------------

_LLVM = re.compile(
    r"\basm(?>(?:\s++(?:sideeffect|alignstack|inteldialect|unwind|volatile))*)\s++"
    r"\"(?P<body>[^\"]*+)\""
)
_LLVM_ESCAPE = re.compile(
    r"\\(?P<code>[0-9a-fA-F]{2})|\\\\|\$(?P<dollar>\$)|\$\{(?P<number>\d{1,9}+)(?>:\w++|)\}"
)
"""``\\0A`` for a character, ``$$`` for ``$``, ``${0:x}`` for the operand ``$0``."""


def has_llvm_asm(text: str) -> bool:
    """Return whether a text has an LLVM ``asm``."""
    return _LLVM.search(text) is not None


def read_llvm_blocks(text: str, gaps: Set[int] = frozenset()) -> Iterator[Block]:
    """Yield the PTX of each LLVM ``asm "…"``; ``gaps`` are those of the text."""
    for match, following in pairwise([*_LLVM.finditer(text), None]):
        assert match
        span = match.span("body")
        fragment = join_fragments(replace_matches(text, _LLVM_ESCAPE, _decode_llvm_mark, *span))
        end = following.start() if following else len(text)
        operands = read_llvm_operands(text, match.end(), end)
        fragment = with_gaps(fragment, gaps)
        if operands:
            fragment = fill_constants(fragment, operands.constants)
        yield Block(fragment, Language.PTX, operands)


def _decode_llvm_mark(mark: re.Match[str]) -> str:
    if mark["code"]:
        return chr(int(mark["code"], 16))
    return f"${mark['number']}" if mark["number"] else mark[0][-1]
