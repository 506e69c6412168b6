"""A scene without the rows that change nothing for the values of its trace.

Links bypass such a row: its readers are linked to its inputs.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any, NamedTuple

from ..engine.micro_operations.base import RowTrace
from ..engine.micro_operations.properties import Flag, Idleness, Stage
from ..engine.tracing.trace import Trace
from .scene_model import BitRulers, LaneRef, Link, RowFigure, RowScene, Scene, StepScene

_SIGNS = {Flag.SIGN_EXTENDED, Flag.ZERO_EXTENDED}


class FoldedScene(NamedTuple):
    """A scene with fewer rows; a step without rows remains, empty."""

    scene: Scene
    ends: tuple[tuple[LaneRef, ...], ...] = ()
    """Source places of the bits of each kept destination: one place, or several parts."""


def fold_scene(
    scene: Scene, trace: Trace, kept_keys: Container[str], shown_stages: Container[Stage]
) -> FoldedScene:
    """Return the scene of a trace without the rows that change nothing.

    Rows in ``kept_keys`` remain: a reader must not infer their effect, or reads about them. If both
    steps are in ``shown_stages``, bits selected from another position lead directly to the row that
    extends them.
    """
    folding = _Folding(scene, trace, kept_keys, shown_stages)
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
        self, scene: Scene, trace: Trace, kept_keys: Container[str], shown_stages: Container[Stage]
    ) -> None:
        self._trace = trace
        self._kept = kept_keys
        self._shown = shown_stages
        self._registers = {register.role: register for register in scene.registers}
        self._links: dict[LaneRef, tuple[Link, ...]] = {}
        """Links into each removed place."""
        self._gone: set[str] = set()

    def iter_remaining_rows(self, step: StepScene) -> Iterator[RowScene]:
        """Yield the rows of a step that change something, with links to remaining rows."""
        for row in step.rows:
            links = tuple(
                dict.fromkeys(x for link in row.links for x in self._bypass_removed_rows(link))
            )
            if row.key not in self._kept and self._is_idle(self._trace.rows[row.key]):
                self._gone.add(row.key)
                for place in dict.fromkeys(link.target for link in links):
                    taken_links = (x for x in links if x.target == place and x.is_taken)
                    self._links[place] = tuple(taken_links)
            else:
                figure = self._with_places(self._without_fields(row))
                yield row._replace(links=links, figure=figure)

    def _without_fields(self, row: RowScene) -> RowFigure | None:
        """Return the figure of a row, without the float fields that its register already shows."""
        key = self._trace.rows[row.key].inputs[0].key
        register = self._registers.get(key)
        figure = row.figure
        if isinstance(figure, BitRulers) and register and register.figure and key in ("a", "b"):
            return BitRulers(figure.rulers[1:] or figure.rulers)
        return figure

    def find_sources(self, place: LaneRef) -> tuple[LaneRef, ...]:
        """Return the remaining places with the bits of a place."""
        links = self._links.get(place)
        return (place,) if links is None else tuple(dict.fromkeys(x.source for x in links))

    def resolve_place(self, place: LaneRef) -> LaneRef:
        """Return the one remaining place with the bits of a place, or the place itself."""
        sources = self.find_sources(place)
        return sources[0] if len(sources) == 1 else place

    def _bypass_removed_rows(self, link: Link) -> Iterator[Link]:
        for bypass in self._links.get(link.source, (link,)):
            yield bypass._replace(target=link.target, is_taken=link.is_taken and bypass.is_taken)

    def _with_places(self, figure: Any) -> Any:
        """Replace every place in a figure, or a part of one, with a remaining one."""
        if isinstance(figure, LaneRef):
            return self.resolve_place(figure)
        if not isinstance(figure, tuple):
            return figure
        parts = map(self._with_places, figure)
        return figure._make(parts) if hasattr(figure, "_make") else tuple(parts)

    # --- rows that change nothing -------------------------------------------------------

    def _is_idle(self, row: RowTrace) -> bool:
        """Whether a row passes on its input unchanged, or repeats another row."""
        match row.micro.find_idleness(row):
            case Idleness.NEVER:
                return False
            case Idleness.UNCHANGED:
                return row.values == row.inputs[0].values
            case Idleness.WITHOUT_FLAGS:
                return not {flag for flags in row.flags for flag in flags} - _SIGNS
            case Idleness.WITH_INPUT:
                return row.inputs[0].key not in self._gone
            case Idleness.IN_PLACE:
                has_reading = all(x in self._shown for x in (Stage.SELECT, Stage.EXTEND))
                return has_reading or _is_in_place(row)
            case Idleness.READ_BESIDE:
                return self._is_shown_by_register(row)

    def _is_shown_by_register(self, row: RowTrace) -> bool:
        """Whether the register already shows these numbers beside its bits."""
        source = row.inputs[0]
        if not source.is_operand:
            if not _is_in_place(source):
                return False
            source = source.inputs[0]
        register = self._registers.get(source.key)
        if register is None:
            return False
        if not register.is_by_lane:
            return len(row.values) == 1 and [str(row.values[0])] == [register.meaning]
        texts = [[x.text.strip() for x in cell.spans[1:2]] for cell in reversed(register.cells)]
        return texts == [[str(x)] for x in row.values]


def _is_in_place(row: RowTrace) -> bool:
    """Whether every lane selects its own part, or the only lane selects the whole operand."""
    part = row.micro.find_part(0)
    return row.has_own_parts or bool(part and len(row.values) == 1 and part.unit >= 32)
