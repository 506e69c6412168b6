"""Answers to an editor about the names in a source: definitions, places, new names, an outline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ...engine.syntax.errors import Span
from ...engine.syntax.opcodes import ALL_OPCODES
from ...engine.syntax.operands import SPECIAL
from ...engine.syntax.source import Fragment
from ...sources.embedded_ptx import EmbeddedPtx
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


class PieceSymbols:
    """The names in a piece of PTX of a source; spans are in the source."""

    def __init__(self, piece: EmbeddedPtx) -> None:
        self._piece = piece

    @cached_property
    def _fragment(self) -> Fragment:
        return self._piece.flatten()

    @cached_property
    def table(self) -> SymbolTable:
        """The names in the piece, with spans in its own text."""
        return SymbolTable(self._fragment.ptx)

    def _locate(self, span: Span) -> Span:
        return self._fragment.find_origin(*span)

    @cached_property
    def _spans(self) -> list[Span]:
        return [self._locate(x.span) for x in self.table.occurrences]

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
        places = self.table.list_places(occurrence.symbol)
        declarations = [x for x in places if x.is_declaration]
        return [self._locate(x.span) for x in writes or declarations]

    def list_places(self, offset: int) -> list[Place]:
        """Return all places of the name at an offset."""
        occurrence = self._find(offset)
        places = self.table.list_places(occurrence.symbol) if occurrence else ()
        return [Place(self._locate(x.span), x.is_write, x.is_declaration) for x in places]

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
        places = self.table.list_places(symbol)
        edits = []
        for place in places:
            if place.is_declaration and symbol.is_numbered:
                end = place.symbol.declared_end
                edits.append(RenameEdit(self._locate((end, end)), f", {name}"))
                continue
            span = self._locate(place.span)
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
        for other in {x.symbol for x in self.table.occurrences}:
            is_family = other.is_numbered and other.name.rstrip("0123456789") == base != name
            if is_family or other.name == name:
                raise ValueError(f"`{name}` is already a name here")
        if symbol.name == name:
            raise ValueError("this is its name")

    def list_outline(self) -> Iterator[OutlineEntry]:
        """Yield the functions, with their variables and labels, and the variables of the module."""
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
