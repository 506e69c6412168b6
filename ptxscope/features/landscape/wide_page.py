"""A wide picture for slides, 1280 by 720 px, with letters of at least 18 px.

Its columns fill the width. If they are too wide, the picture first leaves out words, then details
that it shows twice; the earlier statements of a block become cards.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from ...documents.content.document import Document, Section
from ...documents.content.document_builder import build_document
from ...documents.options import Motion, Options
from ...documents.svg.page_frame import (
    IdleStep,
    describe_idle_steps,
    draw_instruction,
    find_long_names,
    format_head,
    format_model,
    list_idle_steps,
    make_idle_step,
    shorten_names,
)
from ...documents.svg.page_layout import Area, Layout, build_visible_scene, fold_section
from ...documents.svg.svg_canvas import SvgCanvas
from ...documents.svg.svg_colours import SvgColour
from ...documents.svg.text_styles import TextStyle
from ...engine.micro_operations.properties import Stage
from ...engine.tracing.trace import StepPlace
from ...scene.row_folding import FoldedScene
from ...scene.scene_model import PermutationFigure, RowScene, SpanKind
from .wide_canvas import TurnedCanvas
from .wide_columns import BAND, Columns
from .wide_layout import WIDE
from .wide_parts import CAPTION_HEIGHT, TITLE_HEIGHT, draw_results
from .wide_settings import LayoutError, change_settings, get_settings
from .wide_shapes import NOTE

_HEIGHT = 720.0
_END = 628.0
"""Y of the end of the lanes."""
_TITLE = TextStyle(26, is_bold=True)
_INSTRUCTION = TextStyle(23, is_monospaced=True, is_bold=True)
_MAX_GUTTER = 72
"""Maximum width in px added to each gap between columns."""
_GUTTER_STEP = 3
"""Step in px of the search for the largest gaps."""
_EXTENSIONS = {SpanKind.SIGN, SpanKind.ZERO}
_FOOT_LINE = 24.0
"""Distance in px of the lines at the foot."""
_MAX_FOOT_LINES = 3
_RIGHT = WIDE.page.right - 6
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

    def find_drawn_keys(self, section: Section) -> frozenset[str]:
        """Return the rows to draw although they change nothing, or a register has their numbers."""
        steps = build_visible_scene(section.trace, section.options).steps
        return frozenset(x.key for y in steps for x in y.rows if self._has_row(y.stage, x))

    def _has_row(self, stage: Stage, row: RowScene) -> bool:
        if stage is Stage.WRITE:
            return self.has_write
        kinds = {span.kind for cell in row.cells for span in cell.spans}
        return self.has_extensions and stage is Stage.EXTEND and bool(kinds & _EXTENSIONS)

    def fold_scene(self, section: Section) -> FoldedScene:
        """Return the scene of a statement with this content."""
        folded = fold_section(section, WIDE, self.find_drawn_keys(section))
        scene = folded.scene
        figures = {type(row.figure) for row in scene.rows.values()}
        if not self.has_digits and PermutationFigure in figures:
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


def draw(doc: Document, prefix: str, options: Options) -> tuple[SvgCanvas, Layout, float]:
    """Draw a document; return canvas, layout and height. Raise LayoutError if it does not fit."""
    canvas = TurnedCanvas(prefix)
    layout = _draw_document(doc, canvas, options)
    return canvas, layout, _HEIGHT


def _draw_document(doc: Document, canvas: TurnedCanvas, options: Options) -> Layout:
    """Draw a document and return its layout."""
    if doc.other or (doc.answers and doc.answers.other_trace) or options.beside:
        raise LayoutError(
            "a wide picture shows one answer; draw one for each model, or choose --layout tall"
        )
    head_end = _draw_head(doc, canvas)
    canvas.add_mark("operands", 0)
    fitting_columns = _fit_columns(doc, head_end)
    if fitting_columns is None:
        raise LayoutError(_describe_too_wide(doc, options, head_end))
    columns, start = _spread_columns(*fitting_columns)
    sketch, _ = columns.draw(canvas, start)
    last, left = doc.sections[-1], WIDE.page.right
    canvas.add_mark(last.name_part("result"), WIDE.page.right - 1)
    texts = [*_list_texts(doc, options, columns)]
    room = _MAX_FOOT_LINES - (options.motion is Motion.STEPPING)  # one line explains a click
    for has_meanings in (True, False):
        marks = len(canvas.parts), len(canvas.flows), len(canvas.zones)
        if sketch and not last.is_folded:  # a card has its result
            left = draw_results(last, sketch, has_meanings=has_meanings)
        lines = _choose_lines(texts, left - 24 - WIDE.page.x, room)
        if lines is not None or not sketch:
            break
        del canvas.parts[marks[0] :], canvas.flows[marks[1] :], canvas.zones[marks[2] :]
    if lines is None:
        raise LayoutError(
            f"the words below a wide picture have room for {room} lines; shorten them, "
            "or choose --layout tall"
        )
    canvas.add_mark("foot", WIDE.page.right)
    canvas.open_group("px-foot")
    y = _HEIGHT + 8 - _FOOT_LINE * len(lines)
    for index, line in enumerate(lines):
        canvas.draw_text(WIDE.page.x, y + _FOOT_LINE * index, line, NOTE)
    canvas.close_group()
    return columns.layout


def _draw_head(doc: Document, canvas: SvgCanvas) -> float:
    """Draw title, instruction and the text of the badge; return the end."""
    page, model, y = WIDE.page, format_model(doc), 20.0
    canvas.open_group("px-head")
    for line in _TITLE.wrap(doc.title, page.width) if doc.title else ():
        canvas.draw_text(page.x, y + 24, line, _TITLE)
        y += 38
    badge, index = NOTE.measure(model) + 26, len(canvas.parts)
    names = [] if doc.sections[0].heading else find_long_names(doc.trace)
    ptx, width = format_head(doc), page.width - badge - 48
    style = _INSTRUCTION if _INSTRUCTION.measure(ptx) <= width else _INSTRUCTION.with_size(19)
    end = draw_instruction(canvas, ptx, page.x + 18, y + 34, width, style, names, NOTE) + 18
    with canvas.insert_below(index):
        canvas.draw_rect(page.x, y, page.width, end - y, radius=10)
    x = page.right - badge - 12
    canvas.draw_rect(x, y + 10, badge, 32, SvgColour.PAGE, SvgColour.DIM, radius=16)
    canvas.draw_text(x + badge / 2, y + 32, model, NOTE, SvgColour.INK, anchor="middle")
    canvas.close_group()
    return end


def _fit_columns(doc: Document, head_end: float) -> tuple[Columns, float] | None:
    """Return the first columns that fit, and their end."""
    sections, top = doc.sections, head_end + 12 + BAND * bool(doc.sections[0].heading)
    if len(sections) > _MAX_STATEMENTS:
        raise LayoutError(
            f"a wide picture has room for {_MAX_STATEMENTS} statements, not {len(sections)}; "
            "choose --layout tall"
        )
    short_sections = [x if x.is_folded else shorten_names(x) for x in sections]

    @cache
    def fold_scene(index: int, content: _Content) -> FoldedScene:
        return content.fold_scene(short_sections[index])

    # two statements stand beside each other if they fit; of more, the last stands beside cards
    counts = (len(sections), 1) if len(sections) <= 2 else (1,)
    choices = [(count, True) for count in counts] + [(1, False)] * (len(sections) > 1)
    for (count, has_cards), level in product(choices, _DETAIL_LEVELS):
        has_words = get_settings(level.layout).note_room > 0
        start = top + (CAPTION_HEIGHT if has_words else TITLE_HEIGHT) + 12
        layout = change_settings(level.layout, caption_y=top)._replace(
            figures=Area(start, _END - start), words=Area(start, 0), accent=start - 9
        )
        drawn, scenes = list[Section](), list[FoldedScene | None]()
        for index, section in enumerate(sections):
            is_card = section.is_folded or index < len(sections) - count
            drawn.append(section if is_card else short_sections[index])
            scenes.append(None if is_card else fold_scene(index, level.content))
        columns = Columns(tuple(drawn), tuple(scenes), layout, has_cards)
        end = _measure_columns(columns)
        if end <= _RIGHT:
            return columns, end
    return None


def _measure_columns(columns: Columns) -> float:
    """Return the end of the columns."""
    return columns.draw(TurnedCanvas(""), WIDE.page.x)[1]


def _spread_columns(columns: Columns, end: float) -> tuple[Columns, float]:
    """Return columns with gaps between them that fill the width, and where they start."""
    low, high, widest = 0, _MAX_GUTTER, columns
    while low + _GUTTER_STEP <= high:
        middle = (low + high + _GUTTER_STEP) // 2
        wider = columns._replace(layout=_widen(columns.layout, middle))
        wider_end = _measure_columns(wider)
        if wider_end <= _RIGHT:
            low, end, widest = middle, wider_end, wider
        else:
            high = middle - _GUTTER_STEP
    start = WIDE.page.x + (_RIGHT - end) / 2 * (len(columns.scenes) == 1)
    return widest, start


def _describe_too_wide(doc: Document, options: Options, head_end: float) -> str:
    """Return the error for a document that does not fit, with the steps that fit, if any do."""
    problem = "this does not fit in a wide picture"
    if len(doc.sections) > 1:
        return f"{problem}, not even the last statement alone; choose --layout tall"
    places = [StepPlace(1, step.stage) for step in doc.steps]
    parts, start = [], 0
    while start < len(places):
        for end in range(len(places), start, -1):
            part = options._replace(steps=frozenset(places[start:end]))
            if _fit_columns(build_document(doc.trace, part), head_end):
                break
        else:
            return f"{problem}; choose --layout tall"
        numbers = sorted({doc.steps[start].number, doc.steps[end - 1].number})
        parts.append(f"--steps {'-'.join(map(str, numbers))}")
        start = end
    if len(parts) < 2:
        return f"{problem}; choose --layout tall"
    return f"{problem}; {' and '.join(parts)} do"


def _list_texts(doc: Document, options: Options, columns: Columns) -> Iterator[tuple[int, str]]:
    """Yield the words at the foot, each with its rank: words above 0 may be left out."""
    for section in doc.sections:
        yield 0, section.omission
        for step in section.steps:
            yield from ((0, f"{step.number} {step.title}: {text}") for text in step.notes)
        has_lanes = section.trace.instruction.entry.lanes > 1
        for number, text in enumerate(section.lane_notes, 1):
            yield 0, f"note {number}: {text}" if has_lanes else text
    yield 0, doc.caption
    if not columns.has_cards:
        results = (", ".join(f"{x.name} = {x.bits}" for x in y.results) for y in columns.cards)
        cards = [f"{x.heading}: {y}" for x, y in zip(columns.cards, results, strict=True)]
        yield 0, f"Not drawn: {'; '.join(cards)}."
    if doc.answers:
        answers = (
            f"{x.label}: {x.result}" + (f" ({x.reason})" if x.reason else "")
            for x in doc.answers.all
        )
        yield 0, f"Two answers. {'; '.join(answers)}"
    yield 0, doc.agreement
    if options.sentences:
        yield 0, describe_idle_steps(_list_undrawn_steps(columns))
    yield 1, doc.source
    for text in dict.fromkeys((*(x for y in doc.sections for x in y.notes), *doc.notes)):
        yield 2, f"Note: {text}."


def _list_undrawn_steps(columns: Columns) -> list[IdleStep]:
    """Return the steps without columns of their own."""
    idle = list[IdleStep]()
    for section, folded in zip(columns.sections, columns.scenes, strict=True):
        if not folded:
            continue
        figures = {type(row.figure) for row in folded.scene.rows.values()}
        steps = (x for x in section.steps if x.stage is Stage.SELECT)
        # the digits that a selection picks are beside the bytes of a permutation
        names = {make_idle_step(x).name for x in steps if PermutationFigure in figures}
        idle += [
            x._replace(is_beside=x.is_beside or x.name in names)
            for x in list_idle_steps(folded.scene, section.steps)
        ]
    return idle


def _choose_lines(texts: list[tuple[int, str]], width: float, room: int) -> list[str] | None:
    """Return the lines at the foot, if necessary without the least important ones."""
    for limit in (2, 1, 0):
        shown = [text for rank, text in texts if text and rank <= limit]
        for parts in (shown, [" · ".join(shown)] if shown else []):
            lines = [line for text in parts for line in NOTE.wrap(text, width)]
            if len(lines) <= room:
                return lines
    return None
