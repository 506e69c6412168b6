"""A scene without the rows that change nothing on the values of its trace.

Their links go on: what read such a row is linked to what that row was made of.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from ..engine.records import NamedTuple
from ..engine.semantics import micro_operations as m
from ..engine.semantics.micro_operation import Flag
from ..engine.semantics.plan import Stage
from ..engine.tracing.trace import RowTrace, Trace
from .scene_model import BitRulers, LaneRef, Link, RowFigure, RowScene, Scene, StepScene

_SIGNS = {Flag.SIGN_EXTENDED, Flag.ZERO_EXTENDED}


class Folded(NamedTuple):
    """A scene with fewer rows; a step of which none is left has no rows."""

    scene: Scene
    ends: tuple[tuple[LaneRef, ...], ...]
    """What the bits of each destination that is kept come from: one place, or several parts."""


def fold(drawn: Scene, trace: Trace, kept: Container[str], shown: Container[Stage]) -> Folded:
    """The scene of a trace without what changes nothing.

    Rows that are ``kept`` stay: a reader is not to know what they do, or is told of them. Bits that
    are selected from elsewhere go straight to where they are extended, where both steps are
    ``shown``.
    """
    folding = _Folding(drawn, trace, kept, shown)
    steps = tuple(step._replace(rows=tuple(folding.rows_left(step))) for step in drawn.steps)
    scene = drawn._replace(steps=steps, thrown=tuple(map(folding.moved, drawn.thrown)))
    return Folded(scene, tuple(map(folding.sources, drawn.results)))


class _Folding:
    """Goes through the rows in order and remembers what those that are gone were made of."""

    def __init__(
        self, drawn: Scene, trace: Trace, kept: Container[str], shown: Container[Stage]
    ) -> None:
        self._trace = trace
        self._kept = kept
        self._shown = shown
        self._registers = {register.role: register for register in drawn.registers}
        self._links: dict[LaneRef, tuple[Link, ...]] = {}
        """The links to each place that is gone."""
        self._gone: set[str] = set()

    def rows_left(self, step: StepScene) -> Iterator[RowScene]:
        """The rows of a step that change something, linked to what is left."""
        for row in step.rows:
            links = tuple(dict.fromkeys(x for link in row.links for x in self._through(link)))
            if row.key not in self._kept and self._is_idle(self._trace.rows[row.key]):
                self._gone.add(row.key)
                for place in dict.fromkeys(link.target for link in links):
                    taken = (x for x in links if x.target == place and x.taken)
                    self._links[place] = tuple(taken)
            else:
                figure = self._with_places(self._without_fields(row))
                yield row._replace(links=links, figure=figure)

    def _without_fields(self, row: RowScene) -> RowFigure | None:
        """The figure of a row, without a float's fields where its register has them."""
        key = self._trace.rows[row.key].input_keys[0]
        register = self._registers.get(key)
        figure = row.figure
        if isinstance(figure, BitRulers) and register and register.figure and key in ("a", "b"):
            return BitRulers(figure.strips[1:] or figure.strips)
        return figure

    def sources(self, place: LaneRef) -> tuple[LaneRef, ...]:
        """Where the bits of a place are drawn."""
        links = self._links.get(place)
        return (place,) if links is None else tuple(dict.fromkeys(x.source for x in links))

    def moved(self, place: LaneRef) -> LaneRef:
        """Where the bits of a place are drawn, if that is one other place."""
        found = self.sources(place)
        return found[0] if len(found) == 1 else place

    def _through(self, link: Link) -> Iterator[Link]:
        for known in self._links.get(link.source, (link,)):
            yield known._replace(target=link.target, taken=link.taken and known.taken)

    def _with_places(self, figure: Any) -> Any:
        """A figure, or a part of one, in which every place is one that is drawn."""
        if isinstance(figure, LaneRef):
            return self.moved(figure)
        if not isinstance(figure, tuple):
            return figure
        parts = map(self._with_places, figure)
        return figure._make(parts) if hasattr(figure, "_make") else tuple(parts)

    # --- what changes nothing -----------------------------------------------------------

    def _is_idle(self, row: RowTrace) -> bool:
        """Whether a row passes on what it gets, or what another one shows as well."""
        match row.micro:
            case m.Select():
                return self._is_in_place(row) or {Stage.SELECT, Stage.EXTEND} <= self._shown_both()
            case m.Extend():
                return self._is_said(row)
            case m.Clamp() | m.LimitAmount() | m.Flush():
                return row.values == row.inputs[0]
            case m.Merge(lanes=lanes, high=high):
                return 1 < len(lanes) == len(row.lanes) and not high and not self._flags(row)
            case m.Pack():
                return row.input_keys[0] not in self._gone
            case m.Truncate() | m.Encode():
                return row.stage is Stage.WRITE and not self._flags(row)
        return False

    def _shown_both(self) -> set[Stage]:
        return {stage for stage in (Stage.SELECT, Stage.EXTEND) if stage in self._shown}

    @staticmethod
    def _flags(row: RowTrace) -> set[Flag]:
        return {flag for lane in row.lanes for flag in lane.flags} - _SIGNS

    @staticmethod
    def _is_in_place(row: RowTrace) -> bool:
        """Whether every lane takes its own part, or the only one the whole."""
        micro = row.micro
        assert isinstance(micro, m.Select)
        whole = len(row.lanes) == 1 and micro.unit >= 32
        own = all(index == lane and row.input_keys[word] == row.name
                  for lane, (word, index) in enumerate(micro.picks))  # fmt: skip
        return whole or (len(row.lanes) > 1 and own)

    def _is_said(self, row: RowTrace) -> bool:
        """Whether the register that is read has the same numbers beside its bits."""
        key = row.input_keys[0]
        before = self._trace.rows.get(key)
        if before is not None:
            if not isinstance(before.micro, m.Select) or not self._is_in_place(before):
                return False
            key = before.input_keys[0]
        register = self._registers.get(key)
        if register is None:
            return False
        if not register.by_lane:
            return len(row.lanes) == 1 and [str(row.values[0])] == [register.meant]
        said = [cell.spans[1].text.strip() for cell in reversed(register.cells)]
        return said == [str(lane.value) for lane in row.lanes]
