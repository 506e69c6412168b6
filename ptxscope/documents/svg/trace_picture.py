"""A trace as a vector picture: the path of the bits from the registers to the result.

The scene has the content, the document the words; this package determines positions and sizes. A
picture is a file or part of an HTML page, follows a light or dark theme, and never relies on colour
alone. Bits in a box have a ``0x``, unless copies of their sign are in the adjacent box.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from ...engine.tracing.trace import Trace
from ..content.alt_text import format_alt_text
from ..content.document import Document, Section
from ..content.document_builder import build_document
from ..content.id_prefix import make_id_prefix
from ..options import DEFAULT, TALL, Options, load_layout
from ..theme import Theme
from .page_frame import (
    IdleStep,
    describe_idle_steps,
    draw_agreement,
    draw_answers,
    draw_compact_head,
    draw_document_head,
    draw_foot,
    draw_lane_notes,
    draw_notes,
    find_long_names,
    format_model,
    list_idle_steps,
    make_idle_step,
    shorten_names,
)
from .page_layout import COMPACT, PAGE, Area, Layout, fold_section
from .picture_panels import (
    BAND,
    Panel,
    Wires,
    align_parts,
    describe_differences,
    draw_wires,
    list_groups,
)
from .step_layout import draw_body, start_sketch
from .svg_canvas import Sheet, SvgCanvas, Zone, list_elements, write_sheet
from .svg_colours import SvgColour
from .text_styles import BODY, HEADING, LABEL, MIN_LETTER_PX, NOTE

_GAP = 34.0
"""Height in px for wires above a statement's line."""
_HEAD_GAP = 30.0
"""Height in px that the first line omits."""
_BAND_LINE = 17.0
"""Distance in px of the lines of a statement too long for one."""
_FORK = 50.0
"""Height in px of the words above two answers."""


class SvgDrawing(NamedTuple):
    """The drawing of a trace; the marks of the canvas are possible cuts."""

    doc: Document
    canvas: SvgCanvas
    height: float
    about: str
    """Description in words."""
    model: str
    """The models in words."""
    theme: Theme = Theme.AUTO
    layout: Layout = PAGE
    owners: Mapping[str, str] = {}
    """By the mark of a part, the mark of the first step that shows it, if not the last one."""


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Render the picture as a scalable ``<svg>``: 800 px wide, or 400 if compact."""
    return render_drawing(draw_trace(trace, options))


def draw_trace(trace: Trace, options: Options = DEFAULT, part: str = "") -> SvgDrawing:
    """Draw a trace, each statement below the previous one, with wires in between.

    Two answers or traces are side by side in two compact columns; in a compact picture one below
    the other. The marks are ``operands``, ``step-saturate`` …, ``result`` …, ``foot``; in a block,
    marks and nodes include the statement. ``part`` distinguishes the ids of several pictures.
    """
    doc, layout = build_document(trace, options), COMPACT if options.compact else PAGE
    about, has_lines = format_alt_text(doc), bool(doc.sections[0].heading)
    if not options.sentences:
        doc = doc.without_sentences()
    prefix = make_id_prefix(doc, options, "svg") + part
    if options.layout != TALL:
        canvas, layout, height = load_layout(options.layout)(doc, prefix, options)
        return _finish(doc, canvas, height, about, options, layout)
    canvas, page = SvgCanvas(prefix), layout.page
    picture = _Picture(canvas, page.x)  # wires have as much room as the left margin
    long_names = [] if has_lines else find_long_names(trace)
    y = (draw_compact_head if layout.is_compact else draw_document_head)(doc, canvas, long_names)
    canvas.add_mark("operands", y)
    groups = [*list_groups(doc, layout)]
    y -= _HEAD_GAP if groups[0][0].section.heading else 0
    for above, panels in pairwise(((), *groups)):
        if above and panels[0].section.heading and not above[0].section.heading:
            y = _draw_fork(canvas, page, y)
        y = _draw_group(panels, picture, y)
    canvas.add_mark("notes", y)
    for text in describe_differences(groups[-1][-1]):
        y = canvas.draw_paragraph(page, y + 22, text, BODY) - 6
    y = draw_notes(doc, canvas, y - 8 * layout.is_compact, page, picture.has_lanes)
    if doc.answers:
        canvas.add_mark("answers", y)
        y = draw_answers(doc.answers, canvas, y, page)
    elif doc.agreement:
        canvas.add_mark("answers", y)
        y = draw_agreement(doc.agreement, canvas, y, page)
    canvas.add_mark("foot", y)
    idle_steps = [step for step, is_idle in picture.idle_steps.items() if is_idle]
    idle_text = describe_idle_steps(idle_steps) if options.sentences else ""
    height = draw_foot(doc, canvas, y, page, idle_text)
    return _finish(doc, canvas, height, about, options, layout)


def _finish(
    doc: Document, canvas: SvgCanvas, height: float, about: str, options: Options, layout: Layout
) -> SvgDrawing:
    """Return the drawing of a document on a canvas."""
    panels = chain(*list_groups(doc, layout))
    owners = _list_owners(doc, panels, {x.name for x in canvas.marks})
    return SvgDrawing(doc, canvas, height, about, format_model(doc), options.theme, layout, owners)


class _Picture(Wires):
    """The common state of a picture's statements."""

    def __init__(self, canvas: SvgCanvas, margin: float) -> None:
        super().__init__(canvas, margin)
        self.idle_steps: dict[IdleStep, bool] = {}
        """The steps of compact layouts, each with whether no panel draws it."""
        self.has_lanes = False
        """Whether the last drawn statement has lanes."""


def _draw_group(panels: Sequence[Panel], picture: _Picture, y: float) -> float:
    """Draw parts of a picture side by side; return the end."""
    canvas, top = picture.canvas, y + _GAP
    if len(panels) > 1:
        tops = align_parts([_measure_parts(x, picture, top) for x in panels])
        panels = [x._replace(tops=tops) for x in panels]
    y = max([_draw_panel(x, picture, top if x.section.heading else y) for x in panels])
    picture.branches_above = frozenset(x.section.branch for x in panels)
    if len(panels) > 1:  # no cut between the steps of one answer
        *marks, last = canvas.marks
        canvas.marks = [*(x._replace(y=min(x.y, top)) for x in marks), last._replace(y=y)]
    return y


def _measure_parts(panel: Panel, picture: _Picture, y: float) -> dict[str, float]:
    """Return y of the steps and the result of a statement drawn alone."""
    trial = _Picture(SvgCanvas(""), picture.margin)
    _draw_panel(panel, trial, y)
    marks, section = {mark.name: mark.y for mark in trial.canvas.marks}, panel.section
    names = {str(x.stage): x.mark for x in section.steps} | {"result": section.name_part("result")}
    return {part: marks[name] for part, name in names.items() if name in marks}


def _draw_panel(panel: Panel, picture: _Picture, y: float) -> float:
    """Draw a statement, including any line, and its wires; return its end."""
    (section, layout), canvas, band = panel[:2], picture.canvas, y
    if section.heading:
        canvas.add_mark(section.name_part("line"), y)
        y = _draw_band(canvas, section, layout.page, y) + (0 if section.is_folded else 22)
    if not section.is_folded:
        section = shorten_names(section)
        folded = fold_section(section, layout)
        picture.has_lanes = folded.scene.lanes > 1
        steps = tuple(step for step in section.steps if step.stage in panel.stages)
        panel = panel._replace(section=section)
        y = draw_body(start_sketch(canvas, panel, steps, folded), panel, steps, y)
        idle_steps = list_idle_steps(folded.scene, steps) if layout.is_compact else []
        for step in map(make_idle_step, steps):  # under both models, one of them may draw it
            own_step = step._replace(side=panel.side)
            was_idle = picture.idle_steps.get(own_step, True)
            picture.idle_steps[own_step] = was_idle and step in idle_steps
    if section.heading:
        if section.lane_notes and not panel.is_answer:  # an answer's results are below both
            notes, page = section.lane_notes, layout.page
            y = draw_lane_notes(notes, canvas, y + 8, page, picture.has_lanes) - 8
        canvas.add_mark(section.name_part("wires"), y)
        draw_wires(section, picture, band, layout.page.right)
        picture.add_results(section, layout, y)
    return y


def _draw_band(canvas: SvgCanvas, section: Section, page: Area, y: float) -> float:
    """Draw the line of a statement, with results if it is folded; return the end."""
    right, style = page.right - 10, LABEL.with_weight(not section.is_folded)
    width = right - page.x - 14
    small = style.with_size(MIN_LETTER_PX)
    if not section.is_folded and small.measure(section.heading) > width:
        lines = style.wrap(section.heading, width)
        height = BAND + _BAND_LINE * (len(lines) - 1)
        canvas.draw_box(page, y, height, SvgColour.SOFT, SvgColour.LINE, radius=6)
        for index, line in enumerate(lines):
            canvas.draw_text(page.x + 10, y + 20 + _BAND_LINE * index, line, style, width=width)
        return y + height
    canvas.draw_box(page, y, BAND, SvgColour.SOFT, SvgColour.LINE, radius=6)
    if section.is_folded:
        for view in reversed(section.results):
            text = f"{view.name} = {view.bits}"
            width = LABEL.measure(text)
            canvas.draw_text(right - width, y + 20, text, LABEL)
            box = (right - width, y, width, BAND)
            canvas.zones.append(Zone((section.branch, f"{view.name} =", 0), box))
            right -= width + 16
    canvas.draw_text(page.x + 10, y + 20, section.heading, style, width=right - page.x - 14)
    return y + BAND


def _draw_fork(canvas: SvgCanvas, page: Area, y: float) -> float:
    """Draw the words above two answers; return the end."""
    canvas.add_mark("fork", y)
    title, about = "The answers differ from here", "The steps above are the same for both."
    canvas.draw_text(page.x, y + 24, title, HEADING)
    canvas.draw_text(page.x, y + 41, about, NOTE)
    return y + _FORK - _GAP


def _list_owners(
    doc: Document, panels: Iterable[Panel], drawn_marks: Collection[str]
) -> dict[str, str]:
    """Return the marks of the steps that show the other parts of the statements.

    The line of a statement appears with its first or the next step, its result with its last or the
    previous step.
    """
    owners: dict[str, str] = {}
    steps = [step for step in doc.steps if step.mark in drawn_marks]
    marks = [step.mark for step in steps]
    for panel in panels if marks else ():
        section = panel.section
        earlier_count = sum(step.number <= section.step_count for step in steps)
        own = [x.mark for x in section.steps if x.stage in panel.stages and x.mark in marks]
        first = own[0] if own else marks[min(earlier_count, len(marks) - 1)]
        if section.heading:
            owners.setdefault("fork", first)
            owners[section.name_part("line")] = owners[section.name_part("wires")] = first
            owners[section.name_part("result")] = (
                own[-1] if own else marks[max(earlier_count - 1, 0)]
            )
    return owners


def render_drawing(drawing: SvgDrawing, overlay: Sequence[str] = ()) -> str:
    """Render a drawing as an ``<svg>``, with elements over it."""
    canvas = drawing.canvas
    elements = [*draw_page(drawing), *list_elements(canvas)]
    return write_sheet(make_sheet(drawing), elements, drawing.theme, overlay=overlay)


def make_sheet(drawing: SvgDrawing) -> Sheet:
    """Return the page of a drawing."""
    width, height = drawing.layout.width, drawing.height
    return Sheet(drawing.canvas.prefix, width, height, drawing.doc.name, drawing.about)


def draw_page(drawing: SvgDrawing) -> list[str]:
    """Return the page below a picture; compact pictures, in a column, have no frame."""
    canvas, width, height = SvgCanvas(drawing.canvas.prefix), drawing.layout.width, drawing.height
    if drawing.layout.is_compact or drawing.layout.is_turned:
        canvas.draw_rect(0, 0, width, height, SvgColour.PAGE, None, radius=0)
    else:
        canvas.draw_rect(0.5, 0.5, width - 1, height - 1, SvgColour.PAGE, SvgColour.LINE, radius=12)
    return canvas.parts
