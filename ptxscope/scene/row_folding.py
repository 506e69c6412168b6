"""A scene without the rows that change nothing for the values of its trace.

Links bypass such a row: whatever reads it is linked to the inputs of that row.
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


class FoldedScene(NamedTuple):
    """A scene with fewer rows; a step without rows remains, empty."""

    scene: Scene
    ends: tuple[tuple[LaneRef, ...], ...]
    """Source places of the bits of each kept destination: one place, or several parts."""


def fold_scene(
    scene: Scene, trace: Trace, hidden_keys: Container[str], shown_stages: Container[Stage]
) -> FoldedScene:
    """Return the scene of a trace without the rows that change nothing.

    Rows in `hidden_keys` remain, so that a reader cannot infer their effect. If both steps are in
    `shown_stages`, bits selected from another position go straight to the row that extends them.
    """
    folding = _Folding(scene, trace, hidden_keys, shown_stages)
    steps = tuple(
        step._replace(rows=tuple(folding.iter_remaining_rows(step))) for step in scene.steps
    )
    folded_scene = scene._replace(
        steps=steps, discarded_results=tuple(map(folding.resolve_place, scene.discarded_results))
    )
    return FoldedScene(folded_scene, tuple(map(folding.find_sources, scene.results)))


class _Folding:
    """Folds rows in order and remembers the inputs of the removed ones."""

    def __init__(
        self,
        scene: Scene,
        trace: Trace,
        hidden_keys: Container[str],
        shown_stages: Container[Stage],
    ) -> None:
        self._trace = trace
        self._hidden = hidden_keys
        self._shown = shown_stages
        self._registers = {register.role: register for register in scene.registers}
        self._links: dict[LaneRef, tuple[Link, ...]] = {}
        """Links into each removed place."""
        self._gone: set[str] = set()

    def iter_remaining_rows(self, step: StepScene) -> Iterator[RowScene]:
        """Yield the rows of a step that change something, linked to rows that remain."""
        for row in step.rows:
            links = tuple(
                dict.fromkeys(x for link in row.links for x in self._bypass_removed_rows(link))
            )
            if row.key not in self._hidden and self._is_idle(self._trace.rows[row.key]):
                self._gone.add(row.key)
                for place in dict.fromkeys(link.target for link in links):
                    taken_links = (x for x in links if x.target == place and x.is_taken)
                    self._links[place] = tuple(taken_links)
            else:
                figure = self._with_places(self._without_fields(row))
                yield row._replace(links=links, figure=figure)

    def _without_fields(self, row: RowScene) -> RowFigure | None:
        """Return the figure of a row, without the float fields that its register already shows."""
        key = self._trace.rows[row.key].input_keys[0]
        register = self._registers.get(key)
        figure = row.figure
        if isinstance(figure, BitRulers) and register and register.figure and key in ("a", "b"):
            return BitRulers(figure.rulers[1:] or figure.rulers)
        return figure

    def find_sources(self, place: LaneRef) -> tuple[LaneRef, ...]:
        """Return the remaining places that hold the bits of a place."""
        links = self._links.get(place)
        return (place,) if links is None else tuple(dict.fromkeys(x.source for x in links))

    def resolve_place(self, place: LaneRef) -> LaneRef:
        """Return the one remaining place that holds the bits of a place, or the place itself."""
        sources = self.find_sources(place)
        return sources[0] if len(sources) == 1 else place

    def _bypass_removed_rows(self, link: Link) -> Iterator[Link]:
        for bypass in self._links.get(link.source, (link,)):
            yield bypass._replace(target=link.target, is_taken=link.is_taken and bypass.is_taken)

    def _with_places(self, figure: Any) -> Any:
        """Return a figure, or a part of one, with every place replaced by one that remains."""
        if isinstance(figure, LaneRef):
            return self.resolve_place(figure)
        if not isinstance(figure, tuple):
            return figure
        parts = map(self._with_places, figure)
        return figure._make(parts) if hasattr(figure, "_make") else tuple(parts)

    # --- rows that change nothing -------------------------------------------------------

    def _is_idle(self, row: RowTrace) -> bool:
        """Whether a row passes on its input unchanged, or repeats another row."""
        match row.micro:
            case m.Select():
                return (
                    self._is_in_place(row)
                    or {Stage.SELECT, Stage.EXTEND} <= self._list_shown_stages()
                )
            case m.Extend():
                return self._is_shown_by_register(row)
            case m.Clamp() | m.LimitAmount() | m.Flush():
                return row.values == row.inputs[0]
            case m.Merge(lanes=lanes, high=high):
                return 1 < len(lanes) == len(row.lanes) and not high and not self._flags(row)
            case m.Pack():
                return row.input_keys[0] not in self._gone
            case m.Truncate() | m.Encode():
                return row.stage is Stage.WRITE and not self._flags(row)
        return False

    def _list_shown_stages(self) -> set[Stage]:
        return {stage for stage in (Stage.SELECT, Stage.EXTEND) if stage in self._shown}

    @staticmethod
    def _flags(row: RowTrace) -> set[Flag]:
        return {flag for lane in row.lanes for flag in lane.flags} - _SIGNS

    @staticmethod
    def _is_in_place(row: RowTrace) -> bool:
        """Whether every lane selects its own part, or the only lane selects the whole operand."""
        micro = row.micro
        assert isinstance(micro, m.Select)
        is_whole = len(row.lanes) == 1 and micro.unit >= 32
        has_own_parts = all(index == lane and row.input_keys[word] == row.name
                  for lane, (word, index) in enumerate(micro.picks))  # fmt: skip
        return is_whole or (len(row.lanes) > 1 and has_own_parts)

    def _is_shown_by_register(self, row: RowTrace) -> bool:
        """Whether the register that is read already shows these numbers beside its bits."""
        key = row.input_keys[0]
        source_row = self._trace.rows.get(key)
        if source_row is not None:
            if not isinstance(source_row.micro, m.Select) or not self._is_in_place(source_row):
                return False
            key = source_row.input_keys[0]
        register = self._registers.get(key)
        if register is None:
            return False
        if not register.is_by_lane:
            return len(row.lanes) == 1 and [str(row.values[0])] == [register.meaning]
        numbers = [cell.spans[1].text.strip() for cell in reversed(register.cells)]
        return numbers == [str(lane.value) for lane in row.lanes]
