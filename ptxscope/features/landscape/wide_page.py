"""A wide picture for slides, 1280 by 720 px, with letters of at least 18 px.

Its columns fill the width. Where they need more, words go first, then what is drawn twice; of a
block, the statements before the last become cards.
"""

from __future__ import annotations

from collections.abc import Iterator
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
from ...scene.scene_model import PermutationFigure, SpanKind
from .wide_canvas import TurnedCanvas
from .wide_columns import BAND, Columns
from .wide_layout import WIDE
from .wide_parts import CAPTION, TITLE_ONLY, draw_results
from .wide_settings import LayoutError, change_settings, get_settings
from .wide_shapes import NOTE

HEIGHT = 720.0
_END = 628.0
"""Y of the end of the lanes."""
_TITLE = TextStyle(26, is_bold=True)
_INSTRUCTION = TextStyle(23, is_monospaced=True, is_bold=True)
_MAX_GUTTER = 72
"""Most px by which the gaps between columns grow."""
_STEP = 3
"""Px to which these gaps are as large as possible."""
_EXTENSIONS = {SpanKind.SIGN, SpanKind.ZERO}
_FOOT = 24.0
"""Distance in px of the lines at the foot."""
FOOT_LINES = 3
_RIGHT = WIDE.page.right - 6
"""Greatest end of the columns."""
_MAX_STATEMENTS = 4


class _Degree(NamedTuple):
    """How much a picture shows: the first degree has all."""

    layout: Layout = WIDE
    has_digits: bool = True
    """Whether a column before a permutation has the digits that are also beside its bytes."""
    has_fields: bool = True
    """Whether registers show the fields of floats."""
    has_extensions: bool = True
    has_write: bool = True

    def find_drawn_keys(self, section: Section) -> frozenset[str]:
        """Return the rows to draw although they change nothing, or a register has their numbers."""
        scene = build_visible_scene(section.trace, section.options)
        keys = set[str]()
        for step in scene.steps:
            for row in step.rows:
                kinds = {span.kind for cell in row.cells for span in cell.spans}
                is_extension = step.stage is Stage.EXTEND and kinds & _EXTENSIONS
                if (self.has_extensions and is_extension) or (
                    self.has_write and step.stage is Stage.WRITE
                ):
                    keys.add(row.key)
        return frozenset(keys)


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
_DEGREES = (
    _Degree(),
    _Degree(change_settings(WIDE, note_room=150)),
    _Degree(change_settings(_PLAIN, note_room=150)),
    _Degree(change_settings(_PLAIN, note_room=100)),
    _Degree(change_settings(_PLAIN, note_room=100), has_digits=False),
    _Degree(_TIGHT, has_digits=False),
    _Degree(_JOINED, has_digits=False),
    _Degree(change_settings(_JOINED, formula_room=160), has_digits=False, has_fields=False),
    _Degree(_NARROW, has_digits=False, has_fields=False),
    _Degree(_NARROW, has_digits=False, has_fields=False, has_write=False),
    _Degree(_NARROW, has_digits=False, has_fields=False, has_extensions=False),
    _Degree(_NARROW, False, False, False, False),
)


def draw(doc: Document, prefix: str, options: Options) -> tuple[SvgCanvas, Layout, float]:
    """Draw a document; return canvas, layout and height. Raise LayoutError if it does not fit."""
    canvas = TurnedCanvas(prefix)
    layout = _draw_document(doc, canvas, options)
    return canvas, layout, HEIGHT


def _draw_document(doc: Document, canvas: TurnedCanvas, options: Options) -> Layout:
    """Draw a document and return its layout."""
    if doc.other or (doc.answers and doc.answers.other_trace) or options.beside:
        raise LayoutError(
            "a wide picture shows one answer; draw one for each model, or choose --layout tall"
        )
    head_end = _draw_head(doc, canvas)
    canvas.add_mark("operands", 0)
    found = _fit(doc, head_end)
    if found is None:
        raise LayoutError(_describe_too_wide(doc, options, head_end))
    columns, start = found
    sketch, _ = columns.draw(canvas, start)
    last, left = doc.sections[-1], WIDE.page.right
    canvas.add_mark(last.name_part("result"), WIDE.page.right - 1)
    texts = [*_list_texts(doc, options, columns)]
    room = FOOT_LINES - (options.motion is Motion.STEPPING)  # a line says what a click does
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
    y = HEIGHT + 8 - _FOOT * len(lines)
    for index, line in enumerate(lines):
        canvas.draw_text(WIDE.page.x, y + _FOOT * index, line, NOTE)
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


def _fit(doc: Document, head_end: float) -> tuple[Columns, float] | None:
    """Return the first columns that fit, as far apart as possible, and where they start."""
    sections, top = doc.sections, head_end + 12 + BAND * bool(doc.sections[0].heading)
    if len(sections) > _MAX_STATEMENTS:
        raise LayoutError(
            f"a wide picture has room for {_MAX_STATEMENTS} statements, not {len(sections)}; "
            "choose --layout tall"
        )
    # two statements stand beside each other if they fit; of more, the last one beside cards
    counts = (len(sections), 1) if len(sections) <= 2 else (1,)
    ways = [(count, True) for count in counts] + [(1, False)] * (len(sections) > 1)
    for (count, has_cards), degree in product(ways, _DEGREES):
        start = top + (CAPTION if get_settings(degree.layout).note_room else TITLE_ONLY) + 12
        layout = change_settings(degree.layout, captions=Area(top, start - top))._replace(
            figures=Area(start, _END - start), words=Area(start, 0), accent=start - 9
        )
        columns = _make_columns(sections, degree, layout, count)._replace(has_cards=has_cards)
        if _measure(columns) <= _RIGHT:
            return _spread(columns)
    return None


def _make_columns(
    sections: tuple[Section, ...], degree: _Degree, layout: Layout, count: int
) -> Columns:
    """Return the columns of the last statements, and cards for the others."""
    drawn, scenes = [], list[FoldedScene | None]()
    for index, section in enumerate(sections):
        is_card = section.is_folded or index < len(sections) - count
        drawn.append(section if is_card else shorten_names(section))
        scenes.append(None if is_card else _fold(drawn[-1], degree, layout))
    return Columns(tuple(drawn), tuple(scenes), layout)


def _fold(section: Section, degree: _Degree, layout: Layout) -> FoldedScene:
    """Return the scene of a statement with what a degree shows."""
    folded = fold_section(section, layout, degree.find_drawn_keys(section))
    scene = folded.scene
    figures = {type(row.figure) for row in scene.rows.values()}
    if not degree.has_digits and PermutationFigure in figures:
        steps = (x._replace(rows=()) if x.stage is Stage.SELECT else x for x in scene.steps)
        scene = scene._replace(steps=tuple(steps))
    if not degree.has_fields:
        registers = (register._replace(figure=None) for register in scene.registers)
        scene = scene._replace(registers=tuple(registers))
    return folded._replace(scene=scene)


def _measure(columns: Columns, gutter: float = 0) -> float:
    """Return where columns end, with larger gaps between them."""
    layout = _widen(columns.layout, gutter)
    return columns._replace(layout=layout).draw(TurnedCanvas(""), WIDE.page.x)[1]


def _spread(columns: Columns) -> tuple[Columns, float]:
    """Return columns with gaps between them that fill the width, and where they start."""
    low, high = 0, _MAX_GUTTER
    end = _measure(columns)
    while low + _STEP <= high:
        middle = (low + high + _STEP) // 2
        middle_end = _measure(columns, middle)
        if middle_end <= _RIGHT:
            low, end = middle, middle_end
        else:
            high = middle - _STEP
    start = WIDE.page.x + (_RIGHT - end) / 2 * (len(columns.scenes) == 1)
    return columns._replace(layout=_widen(columns.layout, low)), start


def _describe_too_wide(doc: Document, options: Options, head_end: float) -> str:
    """Return what to do with a document that does not fit: draw some of its steps."""
    what = "this does not fit in a wide picture"
    if len(doc.sections) > 1:
        return f"{what}, not even the last statement alone; choose --layout tall"
    places = [StepPlace(1, step.stage) for step in doc.steps]
    parts, start = [], 0
    while start < len(places):
        for end in range(len(places), start, -1):
            part = options._replace(steps=frozenset(places[start:end]))
            if _fit(build_document(doc.trace, part), head_end):
                break
        else:
            return f"{what}; choose --layout tall"
        numbers = sorted({doc.steps[start].number, doc.steps[end - 1].number})
        parts.append(f"--steps {'-'.join(map(str, numbers))}")
        start = end
    return (
        f"{what}; {' and '.join(parts)} do" if len(parts) > 1 else f"{what}; choose --layout tall"
    )


def _list_texts(doc: Document, options: Options, columns: Columns) -> Iterator[tuple[int, str]]:
    """Yield the words at the foot, each with its rank: those above 0 may be left out."""
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
        yield 0, describe_idle_steps(_list_idle(columns))
    yield 1, doc.source
    for text in dict.fromkeys((*(x for y in doc.sections for x in y.notes), *doc.notes)):
        yield 2, f"Note: {text}."


def _list_idle(columns: Columns) -> list[IdleStep]:
    """Return the steps without columns of their own."""
    idle = []
    for section, folded in zip(columns.sections, columns.scenes, strict=True):
        for step in list_idle_steps(folded.scene, section.steps) if folded else ():
            names = [make_idle_step(x).name for x in section.steps if x.stage is Stage.SELECT]
            figures = {type(row.figure) for row in folded.scene.rows.values()} if folded else ()
            has_digits = step.name in names and PermutationFigure in figures
            idle.append(step._replace(is_beside=step.is_beside or has_digits))
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
