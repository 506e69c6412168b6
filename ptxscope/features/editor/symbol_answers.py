"""Answers to an editor about the names in a source: definitions, places, new names, an outline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

from ...engine.syntax.errors import Span
from ...engine.syntax.opcodes import ALL_OPCODES
from ...engine.syntax.operands import SPECIAL
from ...engine.syntax.source import Fragment
from ..check.listing_parts import split_functions
from .symbols import Occurrence, Symbol, SymbolKind, SymbolTable

_NAME = re.compile(r"[A-Za-z][\w$]*|[_$%][\w$]+", re.ASCII)


class Place(NamedTuple):
    """A place of a name in a source."""

    span: Span
    is_write: bool
    is_declaration: bool


class RenameEdit(NamedTuple):
    """A text that replaces a span, so that a name is another one."""

    span: Span
    text: str


class OutlineEntry(NamedTuple):
    """A function, a variable or a label of a source, and its contents."""

    name: str
    kind: SymbolKind
    span: Span
    name_span: Span
    children: tuple[OutlineEntry, ...] = ()

    def move(self, distance: int) -> OutlineEntry:
        """Return the same entry, some characters further on."""
        spans = [(start + distance, end + distance) for start, end in (self.span, self.name_span)]
        children = tuple([x.move(distance) for x in self.children])
        return self._replace(span=spans[0], name_span=spans[1], children=children)


@lru_cache(maxsize=1 << 8)
def _read_table(text: str, others: tuple[Symbol, ...]) -> SymbolTable:
    return SymbolTable(text, others)


@lru_cache(maxsize=1 << 13)
def _read_declarations(text: str) -> tuple[tuple[Symbol, ...], tuple[OutlineEntry, ...]]:
    """Return the symbols of the module that a part of a listing declares, and its outline."""
    symbols = PieceSymbols(Fragment(text))
    return tuple(symbols.table.list_module_symbols()), tuple(symbols.read_outline())


class ListingSymbols:
    """The names of a listing; each function is read once, until it changes."""

    def __init__(self, text: str) -> None:
        self.parts = [
            PieceSymbols(Fragment(part, origins=(start,)), self)
            for part, start in split_functions(text)
        ]

    @cached_property
    def module_symbols(self) -> tuple[Symbol, ...]:
        """The names that are declared outside of functions."""
        symbols = dict[tuple[str, bool], Symbol]()
        for part in self.parts:
            for symbol in _read_declarations(part.fragment.ptx)[0]:
                key = symbol.name, symbol.is_numbered
                is_function = symbol.kind in (SymbolKind.KERNEL, SymbolKind.FUNCTION)
                symbols[key] = symbols.get(key, symbol) if is_function else symbol
        return tuple(symbols.values())


class PieceSymbols:
    """The names in a piece of PTX of a source; spans are in the source.

    ``listing`` has the other parts, if the piece is a part of a listing.
    """

    def __init__(self, fragment: Fragment, listing: ListingSymbols | None = None) -> None:
        self.fragment, self._listing = fragment, listing

    @cached_property
    def table(self) -> SymbolTable:
        """The names in the piece, with spans in its own text."""
        others = self._listing.module_symbols if self._listing else ()
        return _read_table(self.fragment.ptx, others)

    @property
    def span(self) -> Span:
        """The place of the piece in the source."""
        return self._locate((0, len(self.fragment.ptx)))

    def _locate(self, span: Span) -> Span:
        return self.fragment.find_origin(*span)

    @cached_property
    def _spans(self) -> list[Span]:
        return [self._locate(x.span) for x in self.table.occurrences]

    def _list_parts(self, symbol: Symbol) -> list[PieceSymbols]:
        """Return the parts that may name a symbol."""
        if self._listing is None or symbol.scope:
            return [self]
        stem = symbol.name.rstrip("0123456789")
        return [x for x in self._listing.parts if stem in x.fragment.ptx]

    def _iter_occurrences(self, symbol: Symbol) -> Iterator[tuple[PieceSymbols, Occurrence]]:
        for part in self._list_parts(symbol):
            yield from ((part, x) for x in part.table.list_places(symbol))

    def _find(self, offset: int) -> Occurrence | None:
        for span, occurrence in zip(self._spans, self.table.occurrences, strict=True):
            if span[0] <= offset <= span[1]:
                return occurrence
        return None

    def find_definitions(self, offset: int) -> list[Span]:
        """Return the writes that a read may see, or the declaration of the name at an offset."""
        occurrence = self._find(offset)
        if not occurrence:
            return []
        is_read = not (occurrence.is_write or occurrence.is_declaration)
        is_register = occurrence.symbol.kind is SymbolKind.REGISTER
        writes = self.table.find_reaching_writes(occurrence) if is_read and is_register else ()
        if writes:
            return [self._locate(x.span) for x in writes]
        places = self._iter_occurrences(occurrence.symbol)
        return [part._locate(x.span) for part, x in places if x.is_declaration]

    def list_places(self, offset: int) -> list[Place]:
        """Return all places of the name at an offset."""
        occurrence = self._find(offset)
        places = self._iter_occurrences(occurrence.symbol) if occurrence else ()
        return [Place(part._locate(x.span), x.is_write, x.is_declaration) for part, x in places]

    def find_name(self, offset: int) -> Span | None:
        """Return the span of the name at an offset; raise ValueError if it can have no other."""
        occurrence = self._find(offset)
        if not occurrence:
            return None
        symbol = occurrence.symbol
        if symbol.declared_end < 0:
            raise ValueError(f"`{symbol.name}` is not declared here")
        if occurrence.is_declaration and symbol.is_numbered:
            raise ValueError(f"`{symbol.name}` declares many registers: choose one of them")
        return self._locate(occurrence.span)

    def rename(self, offset: int, name: str, text: str) -> list[RenameEdit]:
        """Return the edits of a source's text that give the name at an offset another one.

        A register of many that one declaration has gets a declaration of its own. Raise ValueError
        if that is not possible.
        """
        if self.find_name(offset) is None:
            raise ValueError("no name of PTX is here")
        occurrence = self._find(offset)
        assert occurrence
        symbol = occurrence.symbol
        self._check_name(symbol, name)
        edits = []
        for part, place in self._iter_occurrences(symbol):
            if place.is_declaration and symbol.is_numbered:
                end = place.symbol.declared_end
                edits.append(RenameEdit(part._locate((end, end)), f", {name}"))
                continue
            span = part._locate(place.span)
            if text[slice(*span)] != symbol.name:
                raise ValueError(f"a macro or an escape writes `{symbol.name}` here")
            edits.append(RenameEdit(span, name))
        if len({x.span for x in edits}) < len(edits):
            raise ValueError(f"a macro writes `{symbol.name}` more than once")
        return sorted(edits)

    def _check_name(self, symbol: Symbol, name: str) -> None:
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"`{name}` is not a name of PTX, which has letters, digits, _ and $, "
                "and begins with a letter, %, _ or $"
            )
        if SPECIAL.fullmatch(name) or name in ALL_OPCODES:
            raise ValueError(f"`{name}` has a meaning in PTX")
        base = name.rstrip("0123456789")
        parts = self._listing.parts if self._listing and not symbol.scope else [self]
        for other in {x.symbol for part in parts for x in part.table.occurrences}:
            is_family = other.is_numbered and other.name.rstrip("0123456789") == base != name
            if is_family or other.name == name:
                raise ValueError(f"`{name}` is already a name here")
        if symbol.name == name:
            raise ValueError("this is its name")

    def list_outline(self) -> Iterator[OutlineEntry]:
        """Yield the functions, with their variables and labels, and the variables of the module."""
        if self._listing is None:
            return self.read_outline()
        start = self.span[0]
        return (x.move(start) for x in _read_declarations(self.fragment.ptx)[1])

    def read_outline(self) -> Iterator[OutlineEntry]:
        """Yield the same entries, read from the piece's own table."""
        declared = [
            x
            for x in self.table.occurrences
            if x.is_declaration and x.symbol.kind in (SymbolKind.VARIABLE, SymbolKind.LABEL)
        ]
        for function in self.table.functions:
            inner = [x for x in declared if function.span[0] <= x.span[0] < function.span[1]]
            declared = [x for x in declared if x not in inner]
            yield OutlineEntry(
                function.symbol.name,
                function.symbol.kind,
                self._locate(function.span),
                self._locate(function.name_span),
                tuple(map(self._make_entry, inner)),
            )
        yield from map(self._make_entry, declared)

    def _make_entry(self, place: Occurrence) -> OutlineEntry:
        span = self._locate(place.span)
        return OutlineEntry(place.symbol.name, place.symbol.kind, span, span)

    def list_registers(self, offset: int) -> list[str]:
        """Return the names of the registers that may be meant at an offset of the source."""
        before = [
            x.span[0]
            for span, x in zip(self._spans, self.table.occurrences, strict=True)
            if span[0] <= offset
        ]
        return [x.name for x in self.table.list_registers(before[-1] if before else 0)]
