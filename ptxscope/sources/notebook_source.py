"""The cells of a Jupyter notebook (nbformat 3 and 4), each as a text in a language of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..engine.syntax.source import TextFragment, join_fragments, replace_matches
from .source_language import Language, language_of, language_of_word
from .text_blocks import Block

_TOKEN = re.compile(r'"(?P<string>(?>(?:[^"\\]++|\\.)*))"?+|(?P<mark>[\[\]{}:,])', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<char>.))", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_KERNEL = re.compile(r'"language"\s*+:\s*+"(?P<name>[^"\\]*+)"')
_MAGIC = re.compile(r"\s*+%%(?P<name>\w++)[^\S\n]*+(?P<arguments>[^\n]*+)")
_SOURCES = ("source", "input")
_MAX_DEPTH = 6
"""Depth of a cell's source in a notebook; what is deeper is an output."""


class _Cell:
    """A cell while it is read."""

    def __init__(self) -> None:
        self.kind = ""
        self.parts = list[TextFragment]()


def read_notebook_blocks(text: str) -> Iterator[Block]:
    """Yield the code of a notebook's cells, and its Markdown cells."""
    match = _KERNEL.search(text)
    kernel = language_of_word(match["name"]) if match else Language.PYTHON
    keys = list[str]()
    """The key at each level; empty in an array."""
    cells = list[_Cell]()
    """The object at each level."""
    last_string, is_value = "", False
    for token in _TOKEN.finditer(text):
        mark = token["mark"]
        if mark in ("{", "["):
            keys.append("")
            cells.append(_Cell())
        elif mark in ("}", "]"):
            if keys:
                keys.pop()
                cell = cells.pop()
                if cell.parts:
                    yield from _make_block(cell, kernel)
        elif mark == ":":
            if keys:
                keys[-1] = last_string
        elif mark == ",":
            if keys:
                keys[-1] = ""
        elif keys and len(keys) <= _MAX_DEPTH:
            last_string, is_value = token["string"][:40], bool(keys[-1])
            owner = len(keys) - 1 if is_value else len(keys) - 2
            is_cell = owner > 1 and not keys[owner - 1] and keys[owner - 2] == "cells"
            key = keys[owner] if is_cell else ""
            if is_value and key == "cell_type":
                cells[owner].kind = last_string
            elif key in _SOURCES:
                span = token.span("string")
                cells[owner].parts += replace_matches(text, _ESCAPE, _decode_escape, *span)


def _decode_escape(escape: re.Match[str]) -> str:
    code, char = escape["code"], escape["char"]
    return chr(int(code, 16)) if code else _ESCAPES.get(char, char)


def _make_block(cell: _Cell, kernel: Language) -> Iterator[Block]:
    fragment = join_fragments(cell.parts)
    language = kernel
    if cell.kind == "markdown":
        language = Language.MARKDOWN
    elif cell.kind != "code":
        return
    elif magic := _MAGIC.match(fragment.ptx):
        name, arguments = magic["name"], magic["arguments"].split()
        if name == "writefile":
            language = language_of(arguments[-1] if arguments else "", fragment.ptx)
        elif name.startswith("cu"):
            language = Language.C
        else:
            language = language_of_word(name) if name != "time" else kernel
    if language not in (Language.UNKNOWN, Language.NOTEBOOK) and fragment.ptx.strip():
        yield Block(fragment, language)
