"""The names in PTX: where each is declared, written and read (PTX ISA 4.2, 4.3, 5.4).

A name belongs to the innermost braces that declare it. What no brace declares, such as an asm
operand, belongs to the whole text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from typing import NamedTuple

from ...engine.syntax.errors import Span
from ...engine.syntax.opcodes import ALL_OPCODES, BRANCHES, NEVER_FALLS_THROUGH
from ...engine.syntax.operands import SPECIAL
from ...engine.syntax.register_accesses import find_destinations
from ...engine.syntax.scopes import parse_registers
from ...engine.syntax.tokens import (
    RawInstruction,
    Token,
    TokenGroupKind,
    TokenKind,
    group_tokens,
    read_raw_instruction,
    tokenize,
)

_SPACES = frozenset((".global", ".shared", ".const", ".local", ".param"))
_FUNCTIONS = {".entry", ".func"}
_SINK = "_"


class SymbolKind(Enum):
    """The kind of a name."""

    REGISTER = auto()
    LABEL = auto()
    KERNEL = auto()
    FUNCTION = auto()
    VARIABLE = auto()


class Symbol(NamedTuple):
    """A name in the braces that declare it."""

    name: str
    scope: int
    """The number of the braces, in the order of their starts; 0 is the whole text."""
    kind: SymbolKind
    type: str = ""
    """The type of a register, ``b32``; the space of a variable, ``shared``."""
    is_numbered: bool = False
    """Whether one declaration has many of its kind: ``%r<9>``."""
    declared_end: int = -1
    """The end of its declaration, before the ``;``; -1 if nothing declares it."""


class Occurrence(NamedTuple):
    """A place at which a name is declared, written or read."""

    span: Span
    symbol: Symbol
    statement: int
    """The number of its statement, from 0; -1 in a declaration or at a label."""
    is_write: bool = False
    is_declaration: bool = False


class FunctionExtent(NamedTuple):
    """A function: its symbol, its name's place and its whole extent."""

    symbol: Symbol
    name_span: Span
    span: Span


class _Scope:
    def __init__(self, number: int, outer: _Scope | None) -> None:
        self.number, self.outer = number, outer
        self.symbols: dict[str, Symbol] = {}
        self.numbered: dict[str, Symbol] = {}

    def add(self, symbol: Symbol) -> None:
        """Declare a symbol."""
        (self.numbered if symbol.is_numbered else self.symbols)[symbol.name] = symbol

    def find(self, name: str) -> Symbol | None:
        scope: _Scope | None = self
        while scope:
            if found := scope.symbols.get(name):
                return found
            base = name.rstrip("0123456789")
            if base != name and (declared := scope.numbered.get(base)):
                return declared._replace(name=name)
            scope = scope.outer
        return None


class _Statement(NamedTuple):
    instruction: RawInstruction
    scope: _Scope
    function: int
    """The number of its function, -1 outside of any."""


class SymbolTable:
    """The names of a text of PTX, and every place of each."""

    def __init__(self, text: str, others: Iterable[Symbol] = ()) -> None:
        """Read a text; ``others`` are the symbols that its module declares elsewhere."""
        self._words = tokenize(text)
        self._scope_count = 0
        self._root = self._make_scope(None)
        for other in others:
            self._root.add(other)
        self._statements: list[_Statement] = []
        self._labels: dict[Symbol, int] = {}
        """The number of the statement after each label."""
        self.functions: list[FunctionExtent] = []
        self._declarations: list[Occurrence] = []
        self._read(text)
        places = [*self._declarations, *self._iter_uses()]
        self.occurrences = sorted(places, key=lambda x: x.span)

    def _make_scope(self, outer: _Scope | None) -> _Scope:
        self._scope_count += 1
        return _Scope(self._scope_count - 1, outer)

    # --- declarations --------------------------------------------------------------------

    def _read(self, text: str) -> None:
        stack, parameter_scope = [self._root], None
        function, function_depth = -1, 0
        for group in group_tokens(text, self._words, ALL_OPCODES):
            words = self._words[group.start : group.end]
            if group.kind is TokenGroupKind.BLOCK_START:
                if parameter_scope:  # the body of the header before
                    function, function_depth = len(self.functions) - 1, len(stack)
                stack.append(parameter_scope or self._make_scope(stack[-1]))
                parameter_scope = None
            elif group.kind is TokenGroupKind.BLOCK_END:
                if len(stack) > 1:
                    stack.pop()
                if function >= 0 and len(stack) == function_depth:
                    extent = self.functions[function]
                    end = words[-1].end
                    self.functions[function] = extent._replace(span=(extent.span[0], end))
                    function = -1
            elif group.kind is TokenGroupKind.DIRECTIVE:
                if any(x.text in _FUNCTIONS for x in words):
                    parameter_scope = self._declare_function(words)
                else:
                    self._declare(words, stack[-1])
            elif group.kind is TokenGroupKind.LABEL:
                label = Symbol(words[0].text, stack[-1].number, SymbolKind.LABEL, "", False, 0)
                self._add(stack[-1], label, words[0])
                self._labels[label] = len(self._statements)
            elif group.kind is TokenGroupKind.STATEMENT:
                raw = read_raw_instruction(text, self._words, group)
                self._statements.append(_Statement(raw, stack[-1], function))

    def _declare_function(self, words: Sequence[Token]) -> _Scope:
        """Declare a function; return the scope of its parameters, for the body that may follow."""
        is_kernel = any(x.text == ".entry" for x in words)
        kind = SymbolKind.KERNEL if is_kernel else SymbolKind.FUNCTION
        scope, depth = self._make_scope(self._root), 0
        name: Token | None = None
        for i, word in enumerate(words):
            depth += (word.text == "(") - (word.text == ")")
            if not depth and name is None and word.kind is TokenKind.NAME:
                name = word
            elif depth and word.text in _SPACES:
                self._declare_variables(words[i:], scope)
            elif depth and word.text == ".reg":
                self._declare_registers(words, i + 1, scope)
        if name:
            symbol = Symbol(name.text, 0, kind, "", False, words[-1].end)
            symbol = self._root.symbols.get(name.text, symbol)
            self._add(self._root, symbol, name)
            self.functions.append(
                FunctionExtent(symbol, name.span, (words[0].start, words[-1].end))
            )
        return scope

    def _declare(self, words: Sequence[Token], scope: _Scope) -> None:
        for i, word in enumerate(words):
            if word.text == ".reg":
                self._declare_registers(words, i + 1, scope)
                return
            if word.text in _SPACES:
                self._declare_variables(words[i:], scope)
                return

    def _declare_registers(self, words: Sequence[Token], i: int, scope: _Scope) -> None:
        registers, end = parse_registers(words, i)
        names = iter(x for x in words[i:end] if x.kind is TokenKind.NAME)
        declared_end = words[min(end, len(words)) - 1].end
        for register in registers:
            word = next((x for x in names if x.text == register.name), None)
            if word is None:
                continue
            symbol = Symbol(
                register.name,
                scope.number,
                SymbolKind.REGISTER,
                register.declaration.type,
                register.register_count is not None,
                declared_end,
            )
            self._add(scope, symbol, word)

    def _declare_variables(self, words: Sequence[Token], scope: _Scope) -> None:
        """Declare the variables after a space: the names before ``[``, ``=`` or the end."""
        space, is_value = words[0].text[1:], False
        for word, following in zip(words, [*words[1:], None], strict=True):
            if word.text in (")", ";") or (word.text in _SPACES and word is not words[0]):
                return
            is_value = word.text == "=" or (is_value and word.text != ",")
            ends = following is None or following.text in ("[", "=", ",", ";", ")")
            if word.kind is TokenKind.NAME and ends and not is_value:
                symbol = Symbol(
                    word.text, scope.number, SymbolKind.VARIABLE, space, False, word.end
                )
                self._add(scope, symbol, word)

    def _add(self, scope: _Scope, symbol: Symbol, word: Token) -> None:
        scope.add(symbol)
        self._declarations.append(Occurrence(word.span, symbol, -1, False, True))

    def list_module_symbols(self) -> list[Symbol]:
        """Return the symbols that the text declares outside of its functions."""
        return [*self._root.symbols.values(), *self._root.numbered.values()]

    # --- uses ----------------------------------------------------------------------------

    def _iter_uses(self) -> Iterator[Occurrence]:
        for number, statement in enumerate(self._statements):
            raw = statement.instruction
            written = {id(x) for words in find_destinations(raw) for x in words}
            words = [x for operand in raw.operands for x in operand]
            for word in [raw.guard, *words] if raw.guard else words:
                if word.kind is TokenKind.NAME and not SPECIAL.fullmatch(word.text):
                    symbol = statement.scope.find(word.text) or Symbol(
                        word.text, 0, SymbolKind.REGISTER
                    )
                    if word.text != _SINK:
                        yield Occurrence(word.span, symbol, number, id(word) in written)

    def list_places(self, symbol: Symbol) -> list[Occurrence]:
        """Return all places of a symbol, in order, with the declaration of many such names."""
        base = symbol._replace(name=symbol.name.rstrip("0123456789"))
        return [
            x
            for x in self.occurrences
            if x.symbol == symbol
            or (x.is_declaration and x.symbol.is_numbered and x.symbol == base)
        ]

    def list_registers(self, offset: int) -> list[Symbol]:
        """Return the registers that the function around an offset names, in their first order."""
        extent = next((x.span for x in self.functions if x.span[0] <= offset <= x.span[1]), None)
        return [
            *dict.fromkeys(
                x.symbol
                for x in self.occurrences
                if (extent is None or extent[0] <= x.span[0] < extent[1])
                and x.symbol.kind is SymbolKind.REGISTER
                and not (x.is_declaration and x.symbol.is_numbered)
            )
        ]

    # --- flow ----------------------------------------------------------------------------

    def find_reaching_writes(self, read: Occurrence) -> list[Occurrence]:
        """Return the writes whose value a read may see, in order; none for a value from outside."""
        writes = dict[int, list[Occurrence]]()
        for place in self.list_places(read.symbol):
            if place.is_write:
                writes.setdefault(place.statement, []).append(place)
        predecessors = self._map_predecessors(self._statements[read.statement].function)
        found, seen = list[Occurrence](), set[int]()
        open_statements = [*predecessors.get(read.statement, ())]
        while open_statements:
            number = open_statements.pop()
            if number in seen:
                continue
            seen.add(number)
            found += writes.get(number, ())
            if number not in writes or self._statements[number].instruction.guard:
                open_statements += predecessors.get(number, ())
        return sorted(found)

    def _map_predecessors(self, function: int) -> dict[int, list[int]]:
        """Return the statements before each statement of a function."""
        predecessors = dict[int, list[int]]()
        numbers = [i for i, x in enumerate(self._statements) if x.function == function]
        targets = {*self._labels.values()}
        for number in numbers:
            raw = self._statements[number].instruction
            successors = list[int]()
            if raw.opcode.text not in NEVER_FALLS_THROUGH or raw.guard:
                successors.append(number + 1)
            if raw.opcode.text in BRANCHES:
                named = self._find_targets(number)
                # a list of labels may be declared anywhere: any label may be meant
                successors += named or targets
            for successor in successors:
                predecessors.setdefault(successor, []).append(number)
        return predecessors

    def _find_targets(self, number: int) -> list[int]:
        statement = self._statements[number]
        names = (x.text for x in (statement.instruction.operands or [()])[-1])
        symbols = (statement.scope.find(x) for x in names)
        return [self._labels[x] for x in symbols if x in self._labels]
