"""Blocks of code in other texts: the fences of Markdown, ``<pre>`` of HTML, strings of Rust, LLVM.

Each is a stretch of the file, with the characters of it that stand for others decoded.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Set
from itertools import pairwise

from ..records import NamedTuple
from ..syntax.source import GAP, Fragment
from .asm_arguments import read_llvm_operands, read_rust_operands
from .asm_operands import AsmOperands
from .partial_ptx import PTX_STATEMENT, TextFragment, join_fragments, with_gaps
from .python_source import decode_parts
from .source_language import Language, language_of_block


class Block(NamedTuple):
    """A stretch of a file in a language of its own."""

    fragment: Fragment
    language: Language
    operands: AsmOperands | None = None
    """Those of an asm statement, where they are known."""


# --- Markdown -----------------------------------------------------------------------------

_FENCE = re.compile(
    r"^[^\S\n]*+(?:>[ \t]*+)*+(?P<mark>`{3,}+|~{3,}+)[ \t]*+\{?+\.?+(?P<word>[^\s`{},]*+)"
    r"(?P<rest>[^\n]*+)\n?+",
    re.MULTILINE,
)


def read_markdown_blocks(text: str) -> Iterator[Block]:
    """The fenced code of a Markdown text; a fence that is not closed goes to the end."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            if "`" not in fence["rest"]:
                opened = fence
        elif fence["mark"].startswith(opened["mark"]) and not (
            fence["word"] or fence["rest"].strip()
        ):
            yield from _make_block(text, opened.end(), fence.start(), opened["word"])
            opened = None
    if opened is not None:
        yield from _make_block(text, opened.end(), len(text), opened["word"])


def _make_block(text: str, start: int, end: int, word: str) -> Iterator[Block]:
    code = text[start:end]
    language = language_of_block(word, code)
    if language is not Language.UNKNOWN and code.strip():
        yield Block(Fragment(code, origins=(start,)), language)


# --- HTML ---------------------------------------------------------------------------------

_PRE = re.compile(r"<(?P<close>/)?+(?:pre|xmp|listing)\b[^<>]*+>", re.IGNORECASE)
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|</?+[A-Za-z][^<>]*+>|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|\w{1,31});",
    re.DOTALL,
)


def read_html_blocks(text: str) -> Iterator[Block]:
    """The text of each ``<pre>`` of an HTML page."""
    start = None
    for tag in _PRE.finditer(text):
        if tag["close"] and start is not None:
            fragment = join_fragments(_decode_html(text, start, tag.start()))
            language = language_of_block("", fragment.ptx)
            if language is not Language.UNKNOWN and fragment.ptx.strip():
                yield Block(fragment, language)
            start = None
        elif not tag["close"] and start is None:
            start = tag.end()


def _decode_html(text: str, start: int, end: int) -> Iterator[TextFragment]:
    done = start
    for mark in _MARKUP.finditer(text, start, end):
        if done < mark.start():
            yield text[done : mark.start()], done, 0
        if mark[0][0] == "&":
            yield html.unescape(mark[0]), mark.start(), len(mark[0])
        done = mark.end()
    if done < end:
        yield text[done:end], done, 0


# --- Rust ---------------------------------------------------------------------------------

_RUST = re.compile(
    r"""(?P<comment>//[^\n]*+|/\*.*?(?:\*/|\Z))
      | (?P<raw>\b(?:br|cr|r)(?P<hashes>\#{0,16})")
      | (?P<string>(?:\bb|\bc)?+"(?P<body>(?:[^"\\]++|\\.)*+)"?+)
      | '(?:\\[^\n']{1,12}'|[^\\'\n]')
      | (?P<asm>\basm!\s*+[({\[])
      | (?P<stop>[;)}\]=])""",
    re.VERBOSE | re.DOTALL,
)
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(?P<name>\w*+)(?::[^{}]*+)?+\}", re.ASCII)


def read_rust_blocks(text: str) -> Iterator[Block]:
    """The strings of a Rust source that hold PTX, and the lines of each ``asm!``."""
    unclosed = set[str]()
    lines: list[TextFragment] | None = None
    """Of the ``asm!`` that is open."""
    at = end_of_lines = 0
    while token := _RUST.search(text, at):
        at = token.end()
        kind = token.lastgroup
        if kind == "asm":
            lines = []
        elif kind == "stop" and lines is not None:
            if lines:
                operands, constants = read_rust_operands(text, end_of_lines)
                fragment = join_fragments(_name_operands(lines, constants))
                yield Block(fragment, Language.PTX, operands)
            lines = None
        found = list[TextFragment]()
        if kind in ("raw", "hashes") and token["hashes"] not in unclosed:
            end = text.find(f'"{token["hashes"]}', at)
            if end < 0:
                unclosed.add(token["hashes"])
                continue
            found = [(text[at:end], at, 0)]
            at = end + 1 + len(token["hashes"])
        elif token["body"] is not None:
            found = list(decode_parts(text, *token.span("body")))
        if lines is not None and found:
            lines += [*found, ("\n", token.start(), 1)]
            end_of_lines = at
        elif found and PTX_STATEMENT.search((fragment := join_fragments(found)).ptx):
            yield Block(fragment, Language.UNKNOWN)


def _name_operands(
    lines: list[TextFragment], constants: Mapping[str, str]
) -> Iterator[TextFragment]:
    """The lines of an ``asm!`` with a register for each placeholder, as ``%a`` for ``{a}``.

    Constants stand for themselves; one that is not known is a gap.
    """
    count = 0
    for text, origin, width in lines:
        done = 0
        for mark in _PLACEHOLDER.finditer(text) if not width else ():
            if done < mark.start():
                yield text[done : mark.start()], origin + done, 0
            name = mark["name"]
            if name == "":
                name, count = str(count), count + 1
            stands_for = mark[0][0] if name is None else f"%{name}"
            if name in constants:
                stands_for = constants[name] or GAP
            yield stands_for, origin + mark.start(), len(mark[0])
            done = mark.end()
        yield text[done:], origin + done, width


# --- LLVM ---------------------------------------------------------------------------------

_LLVM = re.compile(
    r"\basm(?:\s++(?:sideeffect|alignstack|inteldialect|unwind|volatile))*+\s++"
    r"\"(?P<body>[^\"]*+)\""
)
_LLVM_ESCAPE = re.compile(
    r"\\(?P<code>[0-9a-fA-F]{2})|\\\\|\$(?P<dollar>\$)|\$\{(?P<number>\d{1,9}+)(?::\w++)?+\}"
)
"""``\\0A`` for a character, ``$$`` for ``$``, ``${0:x}`` for the operand ``$0``."""


def has_llvm_asm(text: str) -> bool:
    """Whether there is an ``asm`` of LLVM's language in a text."""
    return _LLVM.search(text) is not None


def read_llvm_blocks(text: str, gaps: Set[int] = frozenset()) -> Iterator[Block]:
    """The PTX of each ``asm "…"`` of LLVM's language; ``gaps`` are those of the text."""
    for found, following in pairwise([*_LLVM.finditer(text), None]):
        assert found
        fragment = join_fragments(_decode_llvm(text, *found.span("body")))
        end = following.start() if following else len(text)
        operands = read_llvm_operands(text, found.end(), end)
        yield Block(with_gaps(fragment, gaps), Language.PTX, operands)


def _decode_llvm(text: str, start: int, end: int) -> Iterator[TextFragment]:
    done = start
    for mark in _LLVM_ESCAPE.finditer(text, start, end):
        if done < mark.start():
            yield text[done : mark.start()], done, 0
        if mark["code"]:
            char = chr(int(mark["code"], 16))
        elif mark["number"]:
            char = f"${mark['number']}"
        else:
            char = mark[0][-1]
        yield char, mark.start(), len(mark[0])
        done = mark.end()
    if done < end:
        yield text[done:end], done, 0
