"""The arrangements of a wide picture, and the first one that fits.

Columns fill the width. If they are too wide, the picture leaves out words first, then details that
it shows twice. Then the earlier statements of a block become cards, a lone statement goes on in a
second line, and the steps that two answers share become a card.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from math import inf
from typing import NamedTuple

from ...documents.content.document import Document, Section
from ...documents.content.document_builder import build_document
from ...documents.options import Options
from ...documents.svg.page_frame import shorten_names
from ...documents.svg.page_layout import Area, Layout, build_visible_scene, fold_section
from ...documents.svg.picture_panels import Panel, find_differing_lanes, list_groups
from ...engine.micro_operations.properties import Stage
from ...engine.syntax.errors import make_printable
from ...engine.tracing.deviation import find_first_difference
from ...engine.tracing.trace import StepPlace
from ...scene.row_folding import FoldedScene
from ...scene.scene_model import PermutationFigure, RowScene, SpanKind
from .wide_canvas import TurnedCanvas
from .wide_columns import BAND, LANES_END, Columns, place_columns
from .wide_lanes import find_different_lanes, keep_lanes
from .wide_layout import WIDE
from .wide_lines import MAX_LOW_LANES, TwoLines, TwoWays, list_drawn_stages, list_later_stages
from .wide_settings import LayoutError, NoRoomError, change_settings

_MAX_GUTTER = 72
"""Maximum width in px added to each gap between columns."""
_GUTTER_STEP = 3
"""Step in px of the search for the largest gaps."""
_CARD_WIDTHS = (266.0, 320.0)
"""Widths in px of cards if there is room."""
_EXTENSIONS = {SpanKind.SIGN, SpanKind.ZERO}
RIGHT = WIDE.page.right - 6
"""Maximum x of the columns."""
_MAX_STATEMENTS = 4


class _Content(NamedTuple):
    """Optional rows and fields in the columns of a statement."""

    has_digits: bool = True
    """Whether a column before a permutation has the digits that are also beside its bytes."""
    has_fields: bool = True
    """Whether registers show the fields of floats."""
    has_extensions: bool = True
    """Whether extended bits have a column even if it changes nothing."""
    has_write: bool = True
    """Whether the last step has a column even if it changes nothing."""

    def _find_drawn_keys(self, section: Section) -> frozenset[str]:
        """Return the rows to draw although they change nothing, or a register has their numbers."""
        steps = build_visible_scene(section.trace, section.options).steps
        return frozenset(x.key for y in steps for x in y.rows if self._has_row(y.stage, x))

    def _has_row(self, stage: Stage, row: RowScene) -> bool:
        if stage is Stage.WRITE:
            return self.has_write
        kinds = {span.kind for cell in row.cells for span in cell.spans}
        return self.has_extensions and stage is Stage.EXTEND and bool(kinds & _EXTENSIONS)

    def fold_scene(self, section: Section, drawn_keys: frozenset[str] = frozenset()) -> FoldedScene:
        """Return the scene of a statement with this content, and rows that remain in any case."""
        folded = fold_section(section, WIDE, self._find_drawn_keys(section) | drawn_keys)
        scene = folded.scene
        figures = {type(row.figure) for row in scene.rows.values()}
        reads = section.statement.reads.values()
        has_digits = self.has_digits and not any(place.statement for place in reads)
        if not has_digits and PermutationFigure in figures:  # the wires end at the bytes
            steps = (x._replace(rows=()) if x.stage is Stage.SELECT else x for x in scene.steps)
            scene = scene._replace(steps=tuple(steps))
        if not self.has_fields:
            registers = (register._replace(figure=None) for register in scene.registers)
            scene = scene._replace(registers=tuple(registers))
        return folded._replace(scene=scene)


class _DetailLevel(NamedTuple):
    """The amount of detail in a picture: the words of its layout, and its content."""

    layout: Layout
    content: _Content


def _widen(layout: Layout, px: float) -> Layout:
    """Return a layout with larger gaps between columns."""
    return layout._replace(
        drop=layout.drop + px, crossing=layout.crossing + px,
        permutation_drop=layout.permutation_drop + px,
    )  # fmt: skip


_PLAIN = change_settings(WIDE, has_arc_words=False)
_TIGHT = change_settings(_widen(_PLAIN, -8), note_room=100)
_JOINED = change_settings(_TIGHT, has_select_words=False)
_NARROW = change_settings(_JOINED, note_room=0, formula_room=130)
_ALL = _Content()
_NO_DIGITS = _ALL._replace(has_digits=False)
_NO_FIELDS = _NO_DIGITS._replace(has_fields=False)
_DETAIL_LEVELS = (
    _DetailLevel(WIDE, _ALL),
    _DetailLevel(change_settings(WIDE, note_room=150), _ALL),
    _DetailLevel(change_settings(_PLAIN, note_room=150), _ALL),
    _DetailLevel(change_settings(_PLAIN, note_room=100), _ALL),
    _DetailLevel(change_settings(_PLAIN, note_room=100), _NO_DIGITS),
    _DetailLevel(_TIGHT, _NO_DIGITS),
    _DetailLevel(_JOINED, _NO_DIGITS),
    _DetailLevel(change_settings(_JOINED, formula_room=160), _NO_FIELDS),
    _DetailLevel(_NARROW, _NO_FIELDS),
    _DetailLevel(_NARROW, _NO_FIELDS._replace(has_write=False)),
    _DetailLevel(_NARROW, _NO_FIELDS._replace(has_extensions=False)),
    _DetailLevel(_NARROW, _NO_FIELDS._replace(has_extensions=False, has_write=False)),
)
"""The levels to try, from all details to the fewest."""
_CLOSE_LEVELS = tuple(
    level._replace(layout=level.layout._replace(crossing=32, drop=16))
    for level in _DETAIL_LEVELS[-4:]
)
_LOW_LEVELS = tuple(
    level
    for level, _ in groupby(
        _DetailLevel(change_settings(layout, note_room=0), content._replace(has_fields=False))
        for layout, content in (*_DETAIL_LEVELS, *_CLOSE_LEVELS)
    )
)
"""Those of two lines, one above the other, without words and the fields of floats."""


class _Arrangement(NamedTuple):
    """A way to arrange statements, with the levels of detail to try."""

    levels: Sequence[_DetailLevel]
    arrange: Callable[[_DetailLevel], Sequence[Columns]]
    """Returns the alternatives of a level, of which the narrowest is taken."""

    def fit(self, levels: Sequence[_DetailLevel]) -> tuple[Columns, float] | None:
        """Return the columns of the first level at which they fit, and their end."""
        for level in levels:
            alternatives = self.arrange(level)
            ends = [_measure_columns(x) for x in alternatives]
            if ends and min(ends) <= RIGHT:
                return alternatives[ends.index(min(ends))], min(ends)
        return None


_LAST_LEVELS = 4
"""Number of the levels that are tried first, to find out whether any does."""


def fit_columns(doc: Document, top: float) -> tuple[Columns, float] | None:
    """Return the first columns that fit below a height, and their end."""
    for arrangement in _iter_arrangements(doc, top):
        if arrangement.fit(arrangement.levels[-_LAST_LEVELS:]):
            return arrangement.fit(arrangement.levels)
    return None


def _iter_arrangements(doc: Document, top: float) -> Iterator[_Arrangement]:
    """Yield the arrangements of a document, the best first."""
    groups = [*list_groups(doc, WIDE)]
    sections, count = doc.sections, len(doc.trace.parts)
    if count > _MAX_STATEMENTS:
        raise LayoutError(
            f"a wide picture has room for {_MAX_STATEMENTS} statements, not {count}; "
            "choose --layout tall"
        )
    if doc.is_only and len(groups[-1]) > 1:
        *shared, pair = groups
        yield from _iter_ways(shared[0][0] if shared else None, pair, _Surroundings(), top)
        return
    top += BAND * bool(sections[0].heading)
    if doc.other:
        yield from _iter_ways(*_find_ways(groups), top)
        return
    # two statements stand beside each other if they fit; of more, the last one beside cards
    counts = (len(sections), 1) if len(sections) <= 2 else (1,)
    for count, has_cards in [*((x, True) for x in counts), *((1, False),) * (len(sections) > 1)]:
        cards = frozenset(
            index for index, section in enumerate(sections)
            if section.is_folded or index < len(sections) - count
        )  # fmt: skip
        yield _Arrangement(_DETAIL_LEVELS, partial(_arrange, sections, cards, top, has_cards))
    if len(sections) == 1 and not sections[0].is_folded:
        section = shorten_names(sections[0])
        yield _Arrangement(_LOW_LEVELS, partial(_arrange_lines, section, top))


def _arrange(
    sections: Sequence[Section], cards: frozenset[int], top: float, has_cards: bool,
    level: _DetailLevel,
) -> Sequence[Columns]:  # fmt: skip
    """Return the statements beside each other, some of them as cards."""
    drawn, scenes = list[Section](), list[FoldedScene | None]()
    for index, section in enumerate(sections):
        short = section if index in cards else shorten_names(section)
        drawn.append(short)
        scenes.append(None if index in cards else level.content.fold_scene(short))
    layout = place_columns(level.layout, top, LANES_END)
    return [Columns(tuple(drawn), tuple(scenes), layout, has_cards)]


def _arrange_lines(section: Section, top: float, level: _DetailLevel) -> Sequence[Columns]:
    """Return two lines of the steps of a statement, divided behind each step."""
    folded, stages = level.content.fold_scene(section), list(Stage)
    columns = TwoLines((section,), (folded,), place_columns(level.layout, top, LANES_END))
    return [
        replace(columns, later_stages=frozenset(stages[stages.index(first) :]))
        for first in list_later_stages(section, folded)
    ]


class _Surroundings(NamedTuple):
    """The statements of a block around the first one that differs."""

    line: str = ""
    """That statement."""
    cards: tuple[Section, ...] = ()
    """The statements before it."""
    later: tuple[tuple[Section, ...], ...] = ()
    """The last statements that differ, of each way."""


_MAX_LATER = 2
"""Most cards of later statements in a way."""


def _find_ways(
    groups: Sequence[tuple[Panel, ...]],
) -> tuple[Panel | None, tuple[Panel, ...], _Surroundings]:
    """Return what two answers to a block share of the first statement that differs, both, the rest.

    Raise LayoutError if that statement is folded.
    """
    pairs = [sorted((x.section for x in group), key=lambda y: bool(y.trace.model.errata))
             for group in groups if len(group) > 1]  # fmt: skip
    (isa, ptxas), *later = pairs
    if isa.is_folded:
        raise LayoutError(
            f"the answers differ first at statement {isa.statement.number}; unfold it, "
            "or choose --layout tall"
        )
    stages = list(Stage)
    start = stages.index(find_first_difference(isa.trace, ptxas.trace))
    own_section = ptxas if isa.is_other else isa
    shared = Panel(own_section._replace(heading=""), WIDE, frozenset(stages[:start]), False)
    names = ", ".join(erratum.id for erratum in ptxas.trace.changed_by)
    sections = (
        isa._replace(heading="isa, as documented"),
        ptxas._replace(heading=f"{ptxas.model}: {names}" if names else ptxas.model),
    )
    ways = tuple(
        Panel(section, WIDE, frozenset(stages[start:]), rival=rival)
        for section, rival in zip(sections, sections[::-1], strict=True)
    )
    statement = isa.statement
    line = f"{statement.number}. {make_printable(statement.text)}"
    cards = tuple(x.section for (x, *_) in groups if x.section.statement.number < statement.number)
    surroundings = _Surroundings(line, cards, tuple(zip(*later[-_MAX_LATER:], strict=True)))
    has_shared = any(x.stage in shared.stages for x in isa.steps)
    return shared if has_shared else None, ways, surroundings


def _iter_ways(
    shared: Panel | None, pair: tuple[Panel, ...], surroundings: _Surroundings, top: float
) -> Iterator[_Arrangement]:
    """Yield the arrangements of two answers or traces, the best first."""
    ways = [x._replace(section=shorten_names(x.section)) for x in pair]
    if shared:
        shared = shared._replace(section=shorten_names(shared.section))
    bare = surroundings._replace(cards=(), later=())  # the others are named below the picture
    for around in (surroundings, bare)[: 2 if bare != surroundings else 1]:
        for has_card in (False, True)[: 2 if shared else 1]:
            arrange = partial(_arrange_ways, shared, ways, around, top, has_card)
            yield _Arrangement(_LOW_LEVELS, arrange)


def _arrange_ways(
    shared: Panel | None, ways: Sequence[Panel], surroundings: _Surroundings, top: float,
    has_card: bool, level: _DetailLevel,
) -> Sequence[Columns]:  # fmt: skip
    """Return two ways one above the other, behind the steps or the card that they share."""
    sections = [x.section._replace(answers=None) for x in ways]  # rows that do not differ may go
    scenes = [level.content.fold_scene(x) for x in sections]
    keys = frozenset(key for x in scenes for key in x.scene.rows)
    if shared:  # the rows at which the answers part
        stage = find_first_difference(*(x.section.trace for x in ways))
        for way in ways:
            rows = find_differing_lanes(way._replace(stages=(stage,)))
            keys |= {key for key, lanes in rows.items() if lanes}
    scenes = [level.content.fold_scene(x, keys) for x in sections]
    lanes = list[int]()
    if scenes[0].scene.lanes > MAX_LOW_LANES:
        lanes = find_different_lanes(*(x.section.trace for x in ways))
        kept = [keep_lanes(x, lanes) for x in scenes if len(lanes) in range(1, MAX_LOW_LANES + 1)]
        scenes = [x for x in kept if x]
        if len(scenes) < len(ways):
            return []
    titles = []
    for way, folded in zip(ways, scenes, strict=True):
        drawn = list_drawn_stages(way.section, folded)
        titles.append([(x.stage, x.number, x.title) for x in way.section.steps if x.stage in drawn])
    has_own_captions = titles[0] != titles[1]
    layout = place_columns(level.layout, top, LANES_END)
    if has_own_captions:
        layout = layout._replace(figures=Area(top, LANES_END - top))
    return [
        TwoWays(
            (*surroundings.cards, *(x.section for x in ways)),
            (*(None for _ in surroundings.cards), *scenes),
            layout,
            shared=shared,
            ways=tuple(ways),
            has_card=has_card,
            has_own_captions=has_own_captions,
            line=surroundings.line,
            lanes=tuple(lanes),
            later=surroundings.later,
        )
    ]


def _measure_columns(columns: Columns) -> float:
    """Return where columns end; infinity if a figure needs more height than it has."""
    try:
        return columns.draw(TurnedCanvas(""), WIDE.page.x)[1]
    except NoRoomError:
        return inf


def spread_columns(columns: Columns, end: float) -> tuple[Columns, float]:
    """Return columns with gaps between them that fill the width, and their start."""
    low, high, widest = 0, _MAX_GUTTER, columns
    for card_width in _CARD_WIDTHS if columns.cards else ():
        wider = replace(columns, card_width=card_width)
        wider_end = _measure_columns(wider)
        if wider_end <= RIGHT:
            columns, end, widest = wider, wider_end, wider
    while low + _GUTTER_STEP <= high:
        middle = (low + high + _GUTTER_STEP) // 2
        wider = replace(columns, layout=_widen(columns.layout, middle))
        wider_end = _measure_columns(wider)
        if wider_end <= RIGHT:
            low, end, widest = middle, wider_end, wider
        else:
            high = middle - _GUTTER_STEP
    return widest, WIDE.page.x + (RIGHT - end) / 2


def describe_too_wide(doc: Document, options: Options, top: float) -> str:
    """Return the error for a document that does not fit, with the steps that do, if any."""
    problem = "this does not fit in a wide picture"
    if doc.other:
        return f"{problem}; draw the statement at which the answers differ, or choose --layout tall"
    if len(doc.sections) > 1 and doc.steps:
        return f"{problem}, not even the last statement alone; choose --layout tall"
    places = [StepPlace(1, step.stage) for step in doc.steps]
    parts, start = [], 0
    while start < len(places):
        for end in range(len(places), start, -1):
            part = options._replace(steps=frozenset(places[start:end]))
            if fit_columns(build_document(doc.trace, part), top):
                break
        else:
            return f"{problem}; choose --layout tall"
        numbers = sorted({doc.steps[start].number, doc.steps[end - 1].number})
        parts.append(f"--steps {'-'.join(map(str, numbers))}")
        start = end
    if len(parts) < 2:
        return f"{problem}; choose --layout tall"
    return f"{problem}; {' and '.join(parts)} do"
