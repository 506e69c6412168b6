"""The language of a file, from its name or the beginning of its text."""

from __future__ import annotations

import re
from enum import StrEnum

from ..engine.syntax.asm_text import find_asm_openings
from ..engine.syntax.opcodes import ALL_OPCODES
from ..engine.syntax.partial_ptx import PROSE, PTX_STATEMENT
from ..engine.syntax.source import remove_comments


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
    """None of these: no PTX is looked for."""


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
"""The language of a code block, by the word after its fence."""
_UNSPECIFIC_WORDS = frozenset(
    ("", "text", "txt", "plain", "plaintext", "asm", "assembly", "nasm", "gas", "s")
)
"""Words after a fence that do not name a language."""
_WHOLE_FILE_SUFFIXES = frozenset(
    ("py", "cu", "c", "cc", "cpp", "cxx", "c++", "cl", "hip", "m", "mm", "ii")
)
_STRING = re.compile(r"\s*+(?:u8|[uUL])?R?\"")
_SOURCE = re.compile(r"\s*+(?:(?:u8|[uUL])?R?\"|//|/\*)")
"""Text after the parenthesis of an asm statement."""
_MACRO_SOURCE = re.compile(r"\s*+[\w#][^\";]{0,200}+\"")
"""Such text with a macro before the first string."""
_PYTHON = re.compile(r"^[^\S\n]*+(?:import|from|def)\s++\w", re.MULTILINE)
_LINE_MARKER = re.compile(r'\s*+#(?:[ \t]*+line)?[ \t]++\d++[ \t]++"')
"""The first line of a preprocessor's output."""
_FENCE = re.compile(r"^[^\S\n]*+(?:`{3}|~{3})", re.MULTILINE)
_MODULE = re.compile(
    r"^[^\S\n]*+\.version[^\S\n]++[0-9]++\.[0-9]++[^\n]*+(?>(?:\n[^\S\n]*+(?>//[^\n]*+|))*)\.target\b",
    re.MULTILINE,
)
_NEAR = 80
"""Characters before an instruction in which a quotation mark is looked for."""
_DUMP = re.compile(r"\s*+Fatbin (?:elf|ptx) code:")
"""The beginning of cuobjdump output."""


def has_known_suffix(name: str) -> bool:
    """Return whether the name alone says the language of a file."""
    return _suffix(name) in _BY_SUFFIX


def is_whole(name: str) -> bool:
    """Return whether a source with that name is complete: no header, and not pasted."""
    return _suffix(name) in _WHOLE_FILE_SUFFIXES


def _suffix(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def language_of(name: str, head: str) -> Language:
    """Return the language of a file, by its name or, if that is not enough, by its beginning."""
    return _BY_SUFFIX.get(_suffix(name)) or _language_of_text(head, is_file="." in name)


def language_of_block(word: str, text: str) -> Language:
    """Return the language of a code block, by the word after its fence or by its beginning."""
    language = _BY_WORD.get(word.lower())
    if language is None and word.lower() in _UNSPECIFIC_WORDS:
        language = _language_of_text(text, is_file=True)
    nested = (Language.MARKDOWN, Language.HTML, Language.NOTEBOOK)
    return Language.UNKNOWN if language is None or language in nested else language


def language_of_word(word: str) -> Language:
    """Return the language that a word names: ``c++``, ``julia``."""
    return _BY_WORD.get(word.lower(), Language.UNKNOWN)


def _language_of_text(text: str, *, is_file: bool) -> Language:
    if not text.strip() or _begins_ptx(text) or _DUMP.match(text):
        return Language.PTX
    if _LINE_MARKER.match(text):
        return Language.C
    if _FENCE.search(text):
        return Language.MARKDOWN
    if has_asm(text):
        return Language.PYTHON if _PYTHON.search(text) else Language.C
    if _STRING.match(text) and (not is_file or PTX_STATEMENT.search(text)):
        return Language.TEXT
    if _MODULE.search(text) or (not is_file and _holds_ptx(text)):
        return Language.PTX
    match = None if is_file else PTX_STATEMENT.search(text)
    preceding_text = text[max(match.start() - _NEAR, 0) : match.start()] if match else ""
    return Language.PYTHON if preceding_text.rstrip().endswith(('"', "'")) else Language.UNKNOWN


def has_asm(text: str, *, macros: bool = False) -> bool:
    """Return whether there is an asm statement that begins with a string, or with a macro."""
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


def _begins_ptx(text: str) -> bool:
    prefix = _PREFIX.match(text)
    statement = _FIRST_STATEMENT.match(text, prefix.end() if prefix else 0)
    if statement is None or statement["opcode"] is None:
        return statement is not None
    return _is_opcode(statement["opcode"]) or _is_ptx(statement)


def _holds_ptx(text: str) -> bool:
    """Return whether a line of a text begins with a declaration or an instruction of PTX."""
    return any(line["opcode"] is None or _is_ptx(line) for line in _LINE.finditer(text))


def _is_ptx(line: re.Match[str]) -> bool:
    """Return whether a likely instruction is one, by its opcode and its types."""
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
