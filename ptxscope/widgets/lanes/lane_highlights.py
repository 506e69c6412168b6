"""Highlights of the cursor: its cell, the origins of its bits, and their uses."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple

from ...engine.isa.types import Role
from ...engine.micro_operations.properties import MAX_LANE_BITS
from ...engine.tracing.provenance import LaneBits, find_ancestors, find_descendants, is_descendant
from ...engine.tracing.trace import Trace
from ...scene.scene_builder import choose_part_width, iter_parts
from ...scene.scene_model import BitRef, LaneRef, Place, Scene
from ...state.figure_edits import find_table_column
from ..base.pane import StyledText


class PlaceMark(NamedTuple):
    """The target of a piece painted with the emphasis of its place."""

    place: Place
    part: int | None = None
    """The part of the place in this column, if other columns show other parts."""


class LinkMark(NamedTuple):
    """The target of a piece of a link, painted with the emphasis of its ends."""

    source: Place
    targets: tuple[Place, ...]


class Highlights(NamedTuple):
    """The highlights of the cursor."""

    cursor: Place | None = None
    origins: frozenset[Place] = frozenset()
    """The places that the cursor's cell came from."""
    uses: frozenset[Place] = frozenset()
    """The places that depend on it."""
    is_alone: bool = False
    """Whether to hide the places that the cursor's cell came from."""
    unused_parts: frozenset[tuple[Place, int | None]] = frozenset()
    """The parts of the places in ``uses`` that do not depend on it."""

    def paint(self, piece: StyledText) -> StyledText:
        """Return a piece with the emphasis of its mark, and the place as its target."""
        text, style_name, mark = piece
        if isinstance(mark, PlaceMark):
            return StyledText(text, style_name + self._get_emphasis(*mark), mark.place)
        if isinstance(mark, LinkMark):
            emphases = [self._get_link_emphasis(mark.source, x) for x in mark.targets]
            lit = (x for x in emphases if x != " shade")
            return StyledText(text, style_name + next(lit, " shade"))
        return piece

    def _get_emphasis(self, place: Place, part: int | None = None) -> str:
        """Return the additional style of a cell."""
        if self.cursor is None:
            return ""
        if (place, part) in self.unused_parts:
            return " shade"
        if place == self.cursor:
            return " cursor"
        if self.is_alone:
            return ""
        if place in self.origins:
            return " origin"
        return " reached" if place in self.uses else " shade"

    def _get_link_emphasis(self, source: Place, target: Place) -> str:
        """Return the additional style of a link: its ends' if both are highlighted."""
        styles = [self._get_emphasis(target), self._get_emphasis(source)]
        if " shade" in styles:
            return " shade"
        return next((x for x in styles if x != " cursor"), "")


def find_highlights(trace: Trace, scene: Scene, place: Place) -> Highlights:
    """Return the highlights of a place: its origins and its uses."""
    lit: frozenset[Place] = frozenset()
    if isinstance(place, BitRef) and (column := find_table_column(scene, place)):
        lit = column[1]
    bits = make_lane_bits(trace, place)
    if bits is None:
        return Highlights(place, lit)
    origins = frozenset(x for y in find_ancestors(trace, bits) for x in iter_parts(trace, *y))
    uses = frozenset(LaneRef(*x) for x in find_descendants(trace, bits)) - {place}
    unused_parts = frozenset(_find_unused_parts(trace, scene, bits, uses))
    return Highlights(place, (origins | lit) - {place}, uses, unused_parts=unused_parts)


def _find_unused_parts(
    trace: Trace, scene: Scene, bits: LaneBits, uses: Container[Place]
) -> Iterator[tuple[Place, int | None]]:
    """Yield the parts of written registers, in columns, that do not depend on bits."""
    for step in scene.steps:
        for row in step.rows:
            unit = 32 // len(row.cells)
            for place, _, part in row.cells:
                if part is not None and place in uses:
                    part_bits = LaneBits(*place, unit * part, unit * (part + 1))
                    if not is_descendant(trace, bits, part_bits):
                        yield place, part


def make_lane_bits(trace: Trace, place: Place) -> LaneBits | None:
    """Return the bits of a place: of an operand's part, one bit, or the whole lane."""
    if place.key == Role.TABLE:
        return None
    if isinstance(place, BitRef):
        return LaneBits(*place, place.bit + 1)
    key, lane = place
    if key not in trace.operands:
        return LaneBits(key, lane, 0, MAX_LANE_BITS)
    width = choose_part_width(trace, key)
    return LaneBits(key, 0, width * lane, width * (lane + 1))
