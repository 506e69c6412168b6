"""The language of a file, by its name or the beginning of its text, and code in other texts.

A block of a Markdown fence, an HTML ``<pre>`` or a Jupyter cell is a range of the file with decoded
characters.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from ..engine.syntax.asm_operands import AsmOperands
from ..engine.syntax.asm_text import find_asm_openings
from ..engine.syntax.opcodes import ALL_OPCODES
from ..engine.syntax.partial_ptx import PROSE, PTX_STATEMENT
from ..engine.syntax.source import (
    Fragment,
    TextFragment,
    join_fragments,
    remove_comments,
    replace_matches,
)


class Language(StrEnum):
    """The language of a file."""

    PTX = "ptx"
    C = "c"
    PYTHON = "python"
    RUST = "rust"
    MARKDOWN = "markdown"
    HTML = "html"
    LLVM = "llvm"
    MLIR = "mlir"
    JULIA = "julia"
    NOTEBOOK = "notebook"
    TEXT = "text"
    """A pasted line or two: adjacent string literals."""
    UNKNOWN = "unknown"
    """Any other: it is not searched for PTX."""


_SUFFIXES = {
    Language.PTX: "ptx",
    Language.PYTHON: "py pyi pyx",
    Language.C: "cu cuh c h cc cpp cxx hpp hh hxx inl inc c++ h++ ipp tpp tcc txx ixx cppm ii cl "
    "hip m mm",
    Language.RUST: "rs",
    Language.MARKDOWN: "md markdown mdx mkd",
    Language.HTML: "html htm xhtml",
    Language.LLVM: "ll",
    Language.MLIR: "mlir ttir ttgir",
    Language.JULIA: "jl",
    Language.NOTEBOOK: "ipynb",
}
_BY_SUFFIX = {x: language for language, every in _SUFFIXES.items() for x in every.split()}
_BY_WORD = {
    **_BY_SUFFIX,
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
_WHOLE_FILE_SUFFIXES = frozenset(
    ("py", "cu", "c", "cc", "cpp", "cxx", "c++", "cl", "hip", "m", "mm", "ii")
)
_STRING = re.compile(r"\s*+(?:u8|[uUL])?R?\"")
_SOURCE = re.compile(r"\s*+(?:(?:u8|[uUL])?R?\"|//|/\*)")
"""Text after the parenthesis of an asm statement."""
_MACRO_SOURCE = re.compile(r"\s*+[\w#][^\";]{0,200}+\"")
"""``_SOURCE`` with a macro before the first string."""
_PYTHON = re.compile(r"^[^\S\n]*+(?:import|from|def)\s++\w", re.MULTILINE)
_LINE_MARKER = re.compile(r'\s*+#(?:[ \t]*+line)?[ \t]++\d++[ \t]++"')
"""The first line of a preprocessor's output."""
_FENCE = re.compile(r"^[^\S\n]*+(?:`{3}|~{3})", re.MULTILINE)
_MODULE = re.compile(
    r"^[^\S\n]*+\.version[^\S\n]++[0-9]++\.[0-9]++[^\n]*+(?>(?:\n[^\S\n]*+(?>//[^\n]*+|))*)\.target\b",
    re.MULTILINE,
)
_NEAR = 80
"""Maximum characters between a quotation mark and an instruction."""
_DUMP = re.compile(r"\s*+Fatbin (?:elf|ptx) code:")
"""The beginning of cuobjdump output."""


def has_known_suffix(name: str) -> bool:
    """Return whether the name alone determines the language of a file."""
    return _get_suffix(name) in _BY_SUFFIX


def is_whole(name: str) -> bool:
    """Return whether a source with this name is complete: not a header, and not pasted."""
    return _get_suffix(name) in _WHOLE_FILE_SUFFIXES


def _get_suffix(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def find_language(name: str, head: str) -> Language:
    """Return the language of a file, by its name or, if necessary, by its beginning."""
    return _BY_SUFFIX.get(_get_suffix(name)) or _find_text_language(head, is_file="." in name)


def find_block_language(word: str, text: str) -> Language:
    """Return the language of a code block, by its info string or its beginning."""
    language = _BY_WORD.get(word.lower())
    if language is None and word.lower() in _UNSPECIFIC_WORDS:
        language = _find_text_language(text, is_file=True)
    nested = (Language.MARKDOWN, Language.HTML, Language.NOTEBOOK)
    return Language.UNKNOWN if language is None or language in nested else language


def find_named_language(word: str) -> Language:
    """Return the language with a name: ``c++``, ``julia``."""
    return _BY_WORD.get(word.lower(), Language.UNKNOWN)


def _find_text_language(text: str, *, is_file: bool) -> Language:
    if not text.strip() or _is_ptx_start(text) or _DUMP.match(text):
        return Language.PTX
    if _LINE_MARKER.match(text):
        return Language.C
    if _FENCE.search(text):
        return Language.MARKDOWN
    if has_asm(text):
        return Language.PYTHON if _PYTHON.search(text) else Language.C
    if _STRING.match(text) and (not is_file or PTX_STATEMENT.search(text)):
        return Language.TEXT
    if _MODULE.search(text) or (not is_file and _has_ptx_line(text)):
        return Language.PTX
    match = None if is_file else PTX_STATEMENT.search(text)
    preceding_text = text[max(match.start() - _NEAR, 0) : match.start()] if match else ""
    return Language.PYTHON if preceding_text.rstrip().endswith(('"', "'")) else Language.UNKNOWN


def has_asm(text: str, *, macros: bool = False) -> bool:
    """Return whether an asm statement begins with a string or a macro."""
    for position in find_asm_openings(text):
        if _SOURCE.match(text, position) or (macros and _MACRO_SOURCE.match(text, position)):
            return True
    return False


_PREFIX = re.compile(
    r"""(?>(?:\s++|//[^\n]*+|/\*(?>(?:[^*]|\*(?!/))*)\*/|[{}]|[\w$%]++[ \t]*+:(?!:)
        |@[ \t]*+(?>![ \t]*+|)[\w$%]++\s++)*)""",
    re.VERBOSE | re.ASCII,
)
"""Comments, braces, labels and guards."""
_INSTRUCTION = r"""(?P<opcode>[a-z]\w*+)
    (?:(?P<rest>(?>(?:\.\w++)+))(?=[ \t]*+(?:;|$)|[ \t]++[^(=\s])
      |(?=[ \t]++[\w$%]++[ \t]*+,[^;\n]++;))"""
_FIRST_STATEMENT = re.compile(
    rf"""\.(?:version|target|address_size|visible|extern|weak|common|entry|func|reg|global|const
           |shared|local|param|file|section|pragma|loc)\b
      | (?:ret|exit|trap|brkpt)[ \t]*+; | bra[ \t]++[\w$%]++[ \t]*+; | {_INSTRUCTION}""",
    re.VERBOSE | re.MULTILINE | re.ASCII,
)
"""The first directive or instruction of a text."""
_LINE = re.compile(
    rf"""^[ \t]*+(?:[\w$%]++:[ \t]*+)?(?:\{{[ \t]*+)?(?>@!?[ \t]*+[\w$%]++[ \t]++|)
        (?:\.reg[ \t]*+\.[a-z]|{_INSTRUCTION})""",
    re.VERBOSE | re.MULTILINE | re.ASCII,
)
"""A line that begins with a declaration or an instruction."""
_TYPES = frozenset(
    f".{kind}{bits}" for kind in "bsuf" for bits in (8, 16, 32, 64) if (kind, bits) != ("f", 8)
) | {".pred"}


def _is_ptx_start(text: str) -> bool:
    prefix = _PREFIX.match(text)
    statement = _FIRST_STATEMENT.match(text, prefix.end() if prefix else 0)
    if statement is None or statement["opcode"] is None:
        return statement is not None
    return _is_opcode(statement["opcode"]) or _is_ptx(statement)


def _has_ptx_line(text: str) -> bool:
    """Return whether a line of a text begins with a PTX declaration or instruction."""
    return any(line["opcode"] is None or _is_ptx(line) for line in _LINE.finditer(text))


def _is_ptx(line: re.Match[str]) -> bool:
    """Return whether a likely instruction is PTX, by its opcode and its types."""
    types = sum(f".{word}" in _TYPES for word in (line["rest"] or "").split("."))
    return types > 1 or (types > 0 and _is_opcode(line["opcode"]))


def _is_opcode(word: str) -> bool:
    return word in ALL_OPCODES


_PTX_STATEMENT_START = re.compile(
    r"""\s*+(?>[A-Za-z_$%][\w$]*+\s*+:\s*+|)(?>@\s*+!?\s*+[\w$%]++\s++|)
        (?:(?P<directive>\.[a-z]\w*+)|(?P<opcode>[a-z]\w*+)(?P<modifier>\.\w)?)""",
    re.VERBOSE | re.ASCII,
)
_WHOLE_STATEMENT = re.compile(
    r"\s*+(?>[\w$%]++\s*+:\s*+|)(?:ret|exit|trap|brkpt|bra\s++[\w$%]++)\s*+"
)
_LABEL = re.compile(r"\s*+(?>(?:[\w$%]++:\s*+)*)")


def is_all_ptx(text: str) -> bool:
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
    return match["modifier"] is not None and _is_opcode(opcode)


class Block(NamedTuple):
    """A range of a file in another language."""

    fragment: Fragment
    language: Language
    operands: AsmOperands | None = None
    """The operands of an asm statement, if known."""


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
    language = find_block_language(word, code)
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
            language = find_block_language("", fragment.ptx)
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
    kernel = find_named_language(match["name"]) if match else Language.PYTHON
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
            language = find_named_language(name) if name != "time" else kernel
    if language not in (Language.UNKNOWN, Language.NOTEBOOK) and fragment.ptx.strip():
        yield Block(fragment, language)
