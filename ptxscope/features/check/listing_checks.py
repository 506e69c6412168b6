"""Diagnostics for the statements of a listing, read chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import NamedTuple

from ...engine.syntax.tokens import tokenize
from .asm_checks import mark_minor_errata
from .candidate_reader import Candidate, CandidateReader
from .check_cache import CheckCache, list_declarations
from .checked_scopes import CheckedScopes
from .diagnostic import CheckedInstruction, Diagnostic, make_item
from .listing_flow import find_undefined_registers
from .listing_parts import read_outline, split_functions
from .moved_constants import MovedConstants
from .register_uses import ListingRegisters, Templates
from .statement_checks import (
    UndeclaredNames,
    add_diagnostics,
    check_between_statements,
    check_plain_statement,
    check_statement,
    check_statement_end,
    check_statement_start,
    find_constants,
)
from .suppressions import IgnoreComments


def check_listing(
    chunks: Iterable[str], name: str, cache: CheckCache | None = None
) -> Iterator[CheckedInstruction]:
    """Yield each instruction of the catalog in a PTX listing; the chunks may end anywhere."""
    comments = IgnoreComments()
    chunks = comments.record_chunks(chunks)
    items = (
        _check_parts("".join(chunks), name, cache)
        if cache
        else _ListingChecker(chunks, name).check_statements()
    )
    return comments.report_items(items, name)


class _CheckedPart(NamedTuple):
    """A function of a listing with the text before it, and its items at lines from 1 on."""

    items: list[CheckedInstruction]
    state: bytes
    """A digest of the declarations after it."""
    scopes: CheckedScopes | None
    """The declarations after it, if its outline has others."""


def _check_parts(text: str, name: str, cache: CheckCache) -> Iterator[CheckedInstruction]:
    """Yield the items of a listing; only changed functions are checked."""
    undefined_registers, lines_before = frozenset(find_undefined_registers(text)), 0
    scopes, outlines, state = CheckedScopes(), list[str](), b""
    for part, _ in split_functions(text):
        key = part, name, undefined_registers, state
        outline = read_outline(part) or ""
        checked: _CheckedPart | None = cache.find(key)
        if checked is None:
            while outlines:
                _read_outline(scopes, outlines.pop(0))
            part_scopes = scopes.copy_module()
            checker = _ListingChecker([part], name, part_scopes, cache.templates)
            checker.undefined_registers.update(undefined_registers)
            items = [*checker.check_statements()]
            _read_outline(scopes, outline)
            declarations = list_declarations(part_scopes)
            state = blake2b(repr(declarations).encode("utf-8", "surrogatepass")).digest()
            is_outlined = list_declarations(scopes) == declarations
            checked = _CheckedPart(items, state, None if is_outlined else part_scopes)
            cache.keep(key, checked)
        else:
            outlines.append(outline)
        if checked.scopes:
            scopes, outlines = checked.scopes.copy_module(), []
        yield from (x.move(lines_before) for x in checked.items)
        lines_before += part.count("\n")
        state = checked.state


def _read_outline(scopes: CheckedScopes, outline: str) -> None:
    scopes.read_directives(tokenize(outline))
    scopes.open_scope()  # the last function's, which has the parameters
    scopes.close_scope()


class _ListingChecker:
    """Checks the statements of a listing in order."""

    def __init__(
        self,
        chunks: Iterable[str],
        name: str,
        scopes: CheckedScopes | None = None,
        templates: Templates | None = None,
    ) -> None:
        self._name = name
        self._registers = ListingRegisters(name, templates)
        self.undefined_registers = self._registers.flow.undefined_registers
        """The registers that comments of LLVM declare to have no value."""
        chunks = self._registers.flow.record_chunks(chunks)
        self._reader = CandidateReader(chunks, scopes, reads_all=True)
        self._moved_constants = MovedConstants(self._reader)
        self._undeclared_names = UndeclaredNames()

    def check_statements(self) -> Iterator[CheckedInstruction]:
        """Yield the items by their places.

        The end of a function decides whether a register has a value, so the items wait for it from
        the first doubtful register on.
        """
        flow, held_items = self._registers.flow, list[CheckedInstruction]()
        for statement in self._reader:
            if statement.scopes.function_scope is not flow.scope:
                yield from _merge_items(held_items, flow.enter_function(statement.scopes))
                held_items = []
            items = self._check_statement(statement)
            if flow.has_suspects:
                held_items += items
            else:
                yield from items
        yield from _merge_items(held_items, flow.enter_function(None))

    def _check_statement(self, statement: Candidate) -> Iterable[CheckedInstruction]:
        """Return the items of a statement, and follow its registers."""
        if statement.is_sound:
            problems = self._registers.check(statement)
            return [self._make_item(statement, problems)] if problems else ()
        if statement.is_plain:
            problems = self._registers.check(statement)
            items = [*check_plain_statement(statement, statement, self._name)]
            return items or ([self._make_item(statement, problems)] if problems else ())
        if diagnostic := check_between_statements(statement, statement):
            return [make_item(self._name, statement.text, diagnostic)]
        self._registers.follow(statement)
        return self._check_known_statement(statement)

    def _make_item(
        self, statement: Candidate, diagnostics: Iterable[Diagnostic]
    ) -> CheckedInstruction:
        item = make_item(self._name, statement.text, *diagnostics)._replace(is_common=True)
        return self._undeclared_names.drop_repeated(item, statement.scopes.function_scope)

    def _check_known_statement(self, statement: Candidate) -> Iterator[CheckedInstruction]:
        """Yield the instructions of a statement of the catalog."""
        constants = find_constants(statement, self._moved_constants, {})
        ends = (
            *check_statement_start(statement, statement),
            *check_statement_end(statement, statement),
        )
        for item in check_statement(statement, statement, self._name, constants, is_asm=False):
            item = add_diagnostics(item, ends) if ends else item
            if item.diagnostics:
                item = mark_minor_errata(item, None, self._moved_constants.small_registers)
                scope = statement.scopes.function_scope
                item = self._undeclared_names.drop_repeated(item, scope)
            yield item


def _merge_items(
    items: Iterable[CheckedInstruction], others: Iterable[CheckedInstruction]
) -> Iterable[CheckedInstruction]:
    """Return the items by their places, each with the diagnostics of others at its place."""
    merged = list(items)
    indexes = {_get_place(x): i for i, x in enumerate(merged)}
    for other in others:
        index = indexes.setdefault(_get_place(other), len(merged))
        if index < len(merged):
            merged[index] = add_diagnostics(merged[index], other.diagnostics)
        else:
            merged.append(other)
    return sorted(merged, key=_get_place)


def _get_place(item: CheckedInstruction) -> tuple[int, int]:
    return item.location.line, item.location.column
