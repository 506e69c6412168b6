"""The language of a file, by its name or the beginning of its text, and of blocks in it."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from ..engine.syntax.asm_operands import AsmOperands
from ..engine.syntax.asm_text import find_asm_openings
from ..engine.syntax.opcodes import ALL_OPCODES
from ..engine.syntax.partial_ptx import PTX_STATEMENT
from ..engine.syntax.source import Fragment


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
LANGUAGES_BY_SUFFIX = {x: language for language, every in _SUFFIXES.items() for x in every.split()}
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


def is_whole(name: str) -> bool:
    """Return whether a source with this name is complete: not a header, and not pasted."""
    return get_suffix(name) in _WHOLE_FILE_SUFFIXES


def get_suffix(name: str) -> str:
    """Return the suffix of a file name in lower case, without its dot, or an empty string."""
    return name.rpartition(".")[2].lower() if "." in name else ""


def find_language(name: str, head: str) -> Language:
    """Return the language of a file, by its name or, if necessary, by its beginning."""
    return LANGUAGES_BY_SUFFIX.get(get_suffix(name)) or find_text_language(
        head, is_file="." in name
    )


def find_text_language(text: str, *, is_file: bool) -> Language:
    """Return the language of a file or of a pasted text, by its beginning."""
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


LLVM_ASM = re.compile(
    r"\basm(?>(?:\s++(?:sideeffect|alignstack|inteldialect|unwind|volatile))*)\s++"
    r"\"(?P<body>[^\"]*+)\""
)
"""An assembly statement in LLVM's language, with its text."""


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


class Block(NamedTuple):
    """A range of a file in another language."""

    fragment: Fragment
    language: Language
    operands: AsmOperands | None = None
    """The operands of an asm statement, if known."""
