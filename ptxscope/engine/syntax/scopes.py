"""The declarations visible at a position: registers, variables, functions, version, target.

Readers of PTX look names up here while they stream a file or load a program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from .constants import BASES, INTEGER
from .tokens import Token, TokenKind, tokenize

_REG = re.compile(r"\.reg\b[^;\"]*+")
_MAX_DECLARATION_CHARS = 1 << 12
"""Maximum characters read of each declaration."""
_MAX_DEPTH = 200
"""Maximum depth of nested braces with separate scopes."""
_MAX_LOOKUPS = 1 << 14
_VERSION = re.compile(r"([0-9]+)\.([0-9]+)")
_TARGET = re.compile(r"(?:sm|compute)_([0-9]+)([af]?)")
_PLACEHOLDER = re.compile(r"[%$]\d+", re.ASCII)
"""An asm operand; it is a register only if a module declares it."""
_COMPILER_REGISTER = re.compile(r"%(p|rs?|rd|rq|f|fd|hh?|SPL?)[0-9]*+")
"""A register name that nvcc generates, and that an asm statement may use."""
_COMPILER_TYPES: dict[str, str] = {
    "p": "pred",
    **dict.fromkeys(("rs", "h"), "b16"),
    **dict.fromkeys(("r", "f", "hh"), "b32"),
    **dict.fromkeys(("rd", "fd", "SP", "SPL"), "b64"),
    "rq": "b128",
}
_INCLUDE = re.compile(r"#[^\S\n]*+include[^\S\n]*+\"")
_SPACES = (".global", ".shared", ".const", ".local", ".param")
_FUNCTIONS = (".entry", ".func")
_HEADER_ENDS = frozenset(["{", ";", *_FUNCTIONS])
_DECLARATION_ENDS = frozenset([";", ")", "{", "}", "=", ".reg"])


def find_bodies(words: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """Yield the start of each body of ``.entry`` or ``.func``, after its brace, and its name."""
    i = 0
    while i < len(words):
        i += 1
        if words[i - 1].text not in _FUNCTIONS:
            continue
        name, i = _read_header(words, i)
        if i < len(words) and words[i].text == "{":
            yield words[i].end, name
            i = _find_closing_brace(words, i)


def _read_header(words: Sequence[Token], i: int) -> tuple[str, int]:
    """Return the name in a function's header, and the index of the header's end."""
    depth, name = 0, ""
    while i < len(words) and words[i].text not in _HEADER_ENDS:
        depth += (words[i].text == "(") - (words[i].text == ")")
        if not depth and not name and words[i].kind is TokenKind.NAME:
            name = words[i].text
        i += 1
    return name, i


def _find_closing_brace(words: Sequence[Token], i: int) -> int:
    """Return the index of the brace that closes the one at ``i``, or of the end."""
    depth = 0
    while i < len(words):
        depth += (words[i].text == "{") - (words[i].text == "}")
        if not depth:
            return i
        i += 1
    return i


FUNCTION = ".func"
"""The declared type of a kernel or function."""


CONSTANT = "constant"
"""The declared type of an asm operand that is an integer."""


class Declaration(NamedTuple):
    """The declaration of a name."""

    type: str
    """The type of a register, as ``b32``; the space of a variable, as ``.shared``."""
    vector: int = 0
    """The number of components of a vector register; 0 for other names."""
    is_register: bool = True
    is_operand: bool = False
    """Whether the name is an asm operand whose type is given by its constraint."""


_FUNCTION_DECLARATION = Declaration(FUNCTION, is_register=False)


class RegisterDeclaration(NamedTuple):
    """The declaration of one register, or of ``register_count`` numbered ones."""

    name: str
    register_count: int | None
    declaration: Declaration


def parse_registers(words: Sequence[Token], i: int) -> tuple[list[RegisterDeclaration], int]:
    """Parse the words after ``.reg``: ``.b32 %r<22>, x``; also return the index of their end."""
    registers, type_, vector = list[RegisterDeclaration](), "", 0
    while i < len(words) and words[i].text not in _DECLARATION_ENDS:
        word = words[i]
        if word.text in (".v2", ".v4"):
            vector = int(word.text[2:])
        elif word.kind is TokenKind.DOTTED:
            type_ = word.text[1:]
        elif word.kind is TokenKind.NAME and type_:
            bracket, count_text = (x.text for x in (*words[i + 1 : i + 3], word, word)[:2])
            count_match = bracket == "<" and INTEGER.fullmatch(count_text)
            number = _parse_count(count_match) if count_match else None
            registers.append(RegisterDeclaration(word.text, number, Declaration(type_, vector)))
        i += 1
    return registers, i


def _parse_count(match: re.Match[str]) -> int:
    """Return the number of declared registers, at most nine digits of it."""
    kind = next(kind for kind in BASES if match[kind])
    return int(match[kind][:9], BASES[kind])


class Scope:
    """The declarations within one pair of braces."""

    def __init__(self, operand_types: Mapping[str, str] | None = None) -> None:
        operands = (operand_types or {}).items()
        self.names = {name: Declaration(type_, is_operand=True) for name, type_ in operands}
        self.numbered: dict[str, tuple[int, Declaration]] = {}
        """Numbered registers such as ``%r<9>``: count and type, by the name without its number."""
        self.has_registers = False
        """Whether the scope contains a ``.reg``."""
        self.parameters: frozenset[str] = frozenset()
        """The names in the function's header, if this is the scope of its body."""

    def add_register(self, name: str, count: int | None, declaration: Declaration) -> None:
        """Declare a register, or ``count`` numbered ones."""
        self.has_registers = True
        if count is None:
            self.names[name] = declaration
        else:
            self.numbered[name] = (count, declaration)

    def has_register(self, name: str, count: int | None) -> bool:
        """Whether this scope declares a register, or numbered ones with this name."""
        if count is not None:
            return name in self.numbered
        declaration = self.look_up(name)
        return declaration is not None and declaration.is_register and not declaration.is_operand

    def look_up(self, name: str) -> Declaration | None:
        """Return the declaration of a name in this scope, or None."""
        declaration = self.names.get(name)
        if declaration is not None or not self.numbered:
            return declaration
        stem, number = split_number(name)
        count, declaration = self.numbered.get(stem, NO_REGISTERS)
        return declaration if -1 < number < count else None


NO_REGISTERS = (0, None)
"""The numbered registers of a name that has none."""


@lru_cache(maxsize=1 << 14)
def split_number(name: str) -> tuple[str, int]:
    """Return a name without its final number, and the number; -1 if there is none."""
    stem = name.rstrip("0123456789")
    digits = name[len(stem) :]
    return stem, int(digits.lstrip("0")[:10] or 0) if digits else -1


class Scopes:
    """The declarations at a reader's position; the reader reports braces and directives."""

    def __init__(
        self,
        operand_types: Mapping[str, str] | None = None,
        file_scopes: Scopes | None = None,
        *,
        is_closed: bool = False,
        is_partial: bool = False,
    ) -> None:
        self.version: tuple[int, int] | None = None
        self.target: int | None = None
        """The lowest ``sm_`` number of the ``.target``."""
        self.target_suffix = ""
        """Its ``a`` or ``f``."""
        self.address_bits = 64
        """The module's width of addresses; asm statements are in modules of 64 bits."""
        self.functions: dict[str, Declaration] = {}
        self._scopes = [Scope(operand_types)]
        self.is_asm = operand_types is not None
        """Whether the text is that of an asm statement."""
        self._extra_depth = 0
        """The number of open braces beyond the deepest scope."""
        self.file_scopes = file_scopes
        """The declarations of other texts of the same file, from all scopes."""
        self.is_closed = is_closed
        """Whether an assembler sees only these declarations and ``file_scopes``."""
        self.has_all_declarations = True
        """Whether all declarations of a file are known."""
        self.is_partial = is_partial
        """Whether unknown text, which may declare anything, is among these declarations."""
        self._header: Scope | None = None
        """The scope of a function's header; it becomes the scope of the body."""
        self._lookups: dict[str, tuple[Scope | None, Declaration | None]] = {}
        """The names looked up since the last declaration or brace."""

    # --- updates by the reader

    def open_scope(self) -> None:
        """Enter a scope at ``{``."""
        self._lookups.clear()
        if len(self._scopes) > _MAX_DEPTH:
            self._extra_depth += 1
            return
        scope, self._header = self._header or Scope(), None
        scope.parameters = frozenset(scope.names)
        self._scopes.append(scope)

    def close_scope(self) -> None:
        """Leave a scope at ``}``."""
        self._lookups.clear()
        if self._extra_depth:
            self._extra_depth -= 1
        elif len(self._scopes) > 1:
            self._scopes.pop()

    def read_directives(self, words: Sequence[Token]) -> None:
        """Read the words of one or more directives."""
        self._lookups.clear()
        i = 0
        while i < len(words):
            directive = _DIRECTIVES.get(words[i].text)
            if words[i].text == ";":
                self._header = None  # the header was a prototype
            i = directive(self, words, i + 1) if directive else i + 1

    def add_directive(self, registers: Iterable[RegisterDeclaration]) -> None:
        """Declare the registers of a lone ``.reg`` directive, as ``read_directives`` would."""
        self._lookups.clear()
        self._add_declaration(registers)
        self._header = None

    def _add_declaration(self, registers: Iterable[RegisterDeclaration]) -> None:
        scope = self._header or self._scopes[-1]
        for name, count, declaration in registers:
            scope.add_register(name, count, declaration)

    def _enter_module(self, words: Sequence[Token], i: int) -> int:
        """Start a new module at ``.version``; the previous one is discarded."""
        match = _VERSION.match(words[i].text[:9]) if i < len(words) else None
        if match:
            self.version = (int(match[1]), int(match[2]))
            self.target = self._header = None
            self._extra_depth, self.address_bits = 0, 32
            self.functions = {}
            self._scopes = [Scope()]
        return i

    def _set_address_size(self, words: Sequence[Token], i: int) -> int:
        self.address_bits = 64 if i < len(words) and words[i].text == "64" else 32
        return i

    def _set_target(self, words: Sequence[Token], i: int) -> int:
        numbers = []
        while i < len(words) and words[i].kind is not TokenKind.DOTTED:
            if match := _TARGET.match(words[i].text[:20]):
                numbers.append((int(match[1]), match[2]))
            i += 1
        self.target, self.target_suffix = min(numbers, default=(None, ""))
        return i

    def _enter_function(self, words: Sequence[Token], i: int) -> int:
        if name := _read_header(words, i)[0]:
            self.functions[name] = _FUNCTION_DECLARATION
        if len(self._scopes) == 1:
            self._header = Scope()
        return i

    def _read_registers(self, words: Sequence[Token], i: int) -> int:
        registers, i = parse_registers(words, i)
        self._add_declaration(registers)
        return i

    def _read_variables(self, words: Sequence[Token], i: int) -> int:
        """Read the words after ``.shared`` and the like: ``.align 4 .b32 x[4]``."""
        scope, space = self._header or self._scopes[-1], words[i - 1].text
        while i < len(words) and words[i].text not in _DECLARATION_ENDS:
            if words[i].kind is TokenKind.NAME:
                scope.names.setdefault(words[i].text, Declaration(space, is_register=False))
            i += 1
        return i

    # --- queries

    @property
    def scope(self) -> Scope:
        """The innermost scope."""
        return self._scopes[-1]

    @property
    def stack(self) -> tuple[Scope, ...]:
        """The visible scopes, the outermost first."""
        return tuple(self._scopes)

    @property
    def outermost_scope(self) -> Scope:
        """The scope outside of all braces."""
        return self._scopes[0]

    def find_scope(self, name: str) -> Scope | None:
        """Return the scope that declares a name, or None."""
        return self._find_scoped(name)[0]

    def find_declaration(self, name: str) -> Declaration | None:
        """Return the visible declaration of a name, or None."""
        return self._find_scoped(name)[1]

    def _find_scoped(self, name: str) -> tuple[Scope | None, Declaration | None]:
        lookup = self._lookups.get(name)
        if lookup is None:
            lookup = self._lookups[name] = self._look_up(name)
        return lookup

    def _look_up(self, name: str) -> tuple[Scope | None, Declaration | None]:
        if len(self._lookups) > _MAX_LOOKUPS:
            self._lookups.clear()
        for scope in reversed(self._scopes):
            if (scope.names or scope.numbered) and (declaration := scope.look_up(name)):
                return scope, declaration
        declaration = self.functions.get(name)
        if (
            self.is_closed
            and not declaration
            and not (self.file_scopes and self.file_scopes.find_declaration(name))
        ):
            match = _COMPILER_REGISTER.fullmatch(name)
            declaration = Declaration(_COMPILER_TYPES[match[1]]) if match else None
        return None, declaration

    def find_type(self, name: str) -> str | None:
        """Return the declared type of a register, as ``b32``; None if it is undeclared."""
        declaration = self.find_declaration(name)
        return declaration.type if declaration and declaration.is_register else None

    @property
    def has_declarations(self) -> bool:
        """Whether registers are declared here, so that an undeclared one is an error.

        In a module with a ``.version``, kernels and functions always count as declaring registers.
        """
        if self.version is not None and len(self._scopes) > 1:
            return True
        return self.is_closed or any(scope.has_registers for scope in self._scopes)

    @property
    def is_complete(self) -> bool:
        """Whether a name that is not declared here cannot be declared in another file either."""
        return not self.file_scopes or self.file_scopes.has_all_declarations

    def is_undeclared(self, name: str) -> bool:
        """Whether a name needs a declaration and has none."""
        if self.is_partial or not self.has_declarations or self.find_declaration(name):
            return False
        if self.version is None and _PLACEHOLDER.fullmatch(name):
            return False
        return not (self.file_scopes and self.file_scopes.find_declaration(name))


_DIRECTIVES: dict[str, Callable[[Scopes, Sequence[Token], int], int]] = {
    ".version": Scopes._enter_module,
    ".target": Scopes._set_target,
    ".address_size": Scopes._set_address_size,
    **dict.fromkeys(_FUNCTIONS, Scopes._enter_function),
    ".reg": Scopes._read_registers,
    **dict.fromkeys(_SPACES, Scopes._read_variables),
}


def collect_registers(text: str, local_positions: Set[int] = frozenset()) -> Scopes:
    """Collect all registers that a source in another language declares, ignoring scopes.

    Declarations at ``local_positions`` are visible only there.
    """
    scopes = Scopes()
    scopes.has_all_declarations = _INCLUDE.search(text) is None
    for declaration in _REG.finditer(text):
        if declaration.start() in local_positions:
            continue
        scopes.read_directives(tokenize(declaration[0][:_MAX_DECLARATION_CHARS].replace("%%", "%")))
        if not text.startswith(";", declaration.end()):  # built from several texts
            scopes.has_all_declarations = False
    return scopes
