"""The code in Markdown fences, in ``<pre>`` of HTML and in the cells of Jupyter notebooks.

Each block is a range of the file with decoded characters.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from ...engine.syntax.source import Fragment, TextFragment, join_fragments, replace_matches
from ...sources.source_language import (
    LANGUAGES_BY_SUFFIX,
    Block,
    Language,
    find_language,
    find_text_language,
)

_BY_WORD = {
    **LANGUAGES_BY_SUFFIX,
    **dict.fromkeys(("cuda", "c++11", "c++17", "objc", "opencl"), Language.C),
    **dict.fromkeys(("python", "python3", "ipython", "cython"), Language.PYTHON),
    **dict.fromkeys(("nvptx",), Language.PTX),
    **dict.fromkeys(("rust",), Language.RUST),
    **dict.fromkeys(("llvm",), Language.LLVM),
    **dict.fromkeys(("julia",), Language.JULIA),
}
"""The language of a code block, by the info string of its fence."""
_UNSPECIFIC_WORDS = frozenset(
    ("", "text", "txt", "plain", "plaintext", "asm", "assembly", "nasm", "gas", "s")
)
"""Info strings that do not name a language."""


def _find_block_language(word: str, text: str) -> Language:
    """Return the language of a code block, by its info string or its beginning."""
    language = _BY_WORD.get(word.lower())
    if language is None and word.lower() in _UNSPECIFIC_WORDS:
        language = find_text_language(text, is_file=True)
    nested = (Language.MARKDOWN, Language.HTML, Language.NOTEBOOK)
    return Language.UNKNOWN if language is None or language in nested else language


def _find_named_language(word: str) -> Language:
    """Return the language with a name: ``c++``, ``julia``."""
    return _BY_WORD.get(word.lower(), Language.UNKNOWN)


# --- Markdown -----------------------------------------------------------------------------

_FENCE_LINE = re.compile(
    r"^[^\S\n]*+(?>(?:>[ \t]*+)*)(?P<mark>`{3,}+|~{3,}+)[ \t]*+\{?+\.?+(?P<word>[^\s`{},]*+)"
    r"(?P<rest>[^\n]*+)\n?+",
    re.MULTILINE,
)


def read_markdown_blocks(text: str) -> Iterator[Block]:
    """Yield the fenced code of a Markdown text; an unclosed fence extends to the end."""
    opening: re.Match[str] | None = None
    for fence in _FENCE_LINE.finditer(text):
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
    language = _find_block_language(word, code)
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
            language = _find_block_language("", fragment.ptx)
            if language is not Language.UNKNOWN and fragment.ptx.strip():
                yield Block(fragment, language)
            start = None
        elif not tag["close"] and start is None:
            start = tag.end()


def _decode_markup(mark: re.Match[str]) -> str:
    return html.unescape(mark[0]) if mark[0][0] == "&" else ""


# --- notebooks (nbformat 3 and 4) ---------------------------------------------------------

_JSON_TOKEN = re.compile(r'"(?P<string>(?>(?:[^"\\]++|\\.)*))"?+|(?P<mark>[\[\]{}:,])', re.DOTALL)
_JSON_ESCAPE = re.compile(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<char>.))", re.DOTALL)
_JSON_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_KERNEL = re.compile(r'"language"\s*+:\s*+"(?P<name>[^"\\]*+)"')
_MAGIC = re.compile(r"\s*+%%(?P<name>\w++)[^\S\n]*+(?P<arguments>[^\n]*+)")
_SOURCE_KEYS = ("source", "input")
_MAX_CELL_DEPTH = 6
"""Maximum depth of a cell's source in a notebook; outputs are deeper."""


class _Cell:
    """A cell being read."""

    def __init__(self) -> None:
        self.kind = ""
        self.parts = list[TextFragment]()


def read_notebook_blocks(text: str) -> Iterator[Block]:
    """Yield the code of a notebook's cells, and its Markdown cells."""
    match = _KERNEL.search(text)
    kernel = _find_named_language(match["name"]) if match else Language.PYTHON
    keys = list[str]()
    """The key at each level; empty in an array."""
    cells = list[_Cell]()
    """The object at each level."""
    last_string, is_value = "", False
    for token in _JSON_TOKEN.finditer(text):
        mark = token["mark"]
        if mark in ("{", "["):
            keys.append("")
            cells.append(_Cell())
        elif mark in ("}", "]"):
            if keys:
                keys.pop()
                cell = cells.pop()
                if cell.parts:
                    yield from _make_cell_block(cell, kernel)
        elif mark == ":":
            if keys:
                keys[-1] = last_string
        elif mark == ",":
            if keys:
                keys[-1] = ""
        elif keys and len(keys) <= _MAX_CELL_DEPTH:
            last_string, is_value = token["string"][:40], bool(keys[-1])
            owner = len(keys) - 1 if is_value else len(keys) - 2
            is_cell = owner > 1 and not keys[owner - 1] and keys[owner - 2] == "cells"
            key = keys[owner] if is_cell else ""
            if is_value and key == "cell_type":
                cells[owner].kind = last_string
            elif key in _SOURCE_KEYS:
                span = token.span("string")
                cells[owner].parts += replace_matches(
                    text, _JSON_ESCAPE, _decode_json_escape, *span
                )


def _decode_json_escape(escape: re.Match[str]) -> str:
    code, char = escape["code"], escape["char"]
    return chr(int(code, 16)) if code else _JSON_ESCAPES.get(char, char)


def _make_cell_block(cell: _Cell, kernel: Language) -> Iterator[Block]:
    fragment = join_fragments(cell.parts)
    language = kernel
    if cell.kind == "markdown":
        language = Language.MARKDOWN
    elif cell.kind != "code":
        return
    elif magic := _MAGIC.match(fragment.ptx):
        name, arguments = magic["name"], magic["arguments"].split()
        if name == "writefile":
            language = find_language(arguments[-1] if arguments else "", fragment.ptx)
        elif name.startswith("cu"):
            language = Language.C
        else:
            language = _find_named_language(name) if name != "time" else kernel
    if language not in (Language.UNKNOWN, Language.NOTEBOOK) and fragment.ptx.strip():
        yield Block(fragment, language)
