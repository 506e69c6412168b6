"""A cache of the items of a text, for the check of the next version.

An editor checks a file at every change. The items of each part are cached with everything that they
depend on; their lines are counted from the part's first line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple, TypeVar

from ...engine.syntax.errors import Span
from ...engine.syntax.scopes import Scopes
from ...sources.embedded_ptx import EmbeddedPtx
from ...sources.source_location import LineIndex
from .diagnostic import CheckedInstruction
from .register_uses import Templates

_MAX_ENTRIES = 1 << 13
_NO_LINES = LineIndex("")
EntryT = TypeVar("EntryT")


class _Part(NamedTuple):
    """A piece of PTX and its lines, without the text around them."""

    text: str
    """The lines."""
    piece: EmbeddedPtx
    """The piece without lines; its positions are counted from the start of `text`."""
    lines_before: int


class CheckCache:
    """The items of the parts of a text that were checked or found last."""

    def __init__(self) -> None:
        self._entries: dict[Hashable, Any] = {}
        self.templates: Templates = {}

    def find(self, key: Hashable) -> Any:
        """Return the entry of a key, or None."""
        entry = self._entries.pop(key, None)
        return entry if entry is None else self.keep(key, entry)

    def keep(self, key: Hashable, entry: EntryT) -> EntryT:
        """Keep an entry, and return it."""
        self._entries[key] = entry
        if len(self._entries) > _MAX_ENTRIES:
            del self._entries[next(iter(self._entries))]
        return entry

    def check_piece(
        self,
        piece: EmbeddedPtx,
        context: Hashable,
        check: Callable[[EmbeddedPtx], Iterable[CheckedInstruction]],
    ) -> Iterable[CheckedInstruction]:
        """Return the items of a piece; ``context`` is everything else on which they depend."""
        part = _cut_out(piece)
        if part is None:
            return check(piece)
        key = part.text, context
        former_piece, items = self.find(key) or (None, [])
        if former_piece != part.piece:
            items = [*check(part.piece._replace(lines=LineIndex(part.text)))]
            self.keep(key, (part.piece, items))
        return [x.move(part.lines_before) for x in items]


def list_declarations(scopes: Scopes) -> Hashable:
    """Return the module's declarations as a value that can be compared."""
    scope = scopes.outermost_scope
    return (
        *(scopes.version, scopes.target, scopes.target_suffix, scopes.address_bits),
        *(scopes.has_all_declarations, tuple(scopes.functions), scope.has_registers),
        *(tuple(scope.names.items()), tuple(scope.numbered.items())),
    )


def _cut_out(piece: EmbeddedPtx) -> _Part | None:
    """Return a piece with only the lines that contain it; None if it is empty."""
    *inner, outer = piece.fragments
    if not outer.ptx:
        return None
    spans: list[Span] = [outer.find_origin(i, i + 1) for i in (0, len(outer.ptx) - 1)]
    spans += [x.span for x in outer.problems]
    if piece.operands and not inner:
        position = piece.operands.position
        spans += [
            (x.constraint_start + position, x.constraint_start + len(x.constraint) + position)
            for x in piece.operands.expressions
            if x.constraint_start >= 0
        ]
    starts, text = piece.lines.starts, piece.lines.text
    first = bisect_right(starts, min([x for x, _ in spans])) - 1
    last = bisect_right(starts, max([x for _, x in spans]))
    start, end = starts[first], starts[last] if last < len(starts) else len(text)
    operands = piece.operands
    if operands and not inner:
        operands = operands._replace(position=operands.position - start)
    fragments = (*inner, outer.move(-start))
    piece = piece._replace(fragments=fragments, lines=_NO_LINES, operands=operands)
    return _Part(text[start:end], piece, first)
