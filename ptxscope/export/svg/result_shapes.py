"""What stands below the steps: results, a writer's remarks, the grounds of the columns."""

from __future__ import annotations

from ...scene.scene_model import Place
from ..content.document import Document, ResultView, StepView
from .cell_shapes import plain
from .page_layout import Area, Sketch, meet
from .svg_canvas import Ground, Pen
from .svg_colours import Ink
from .symbols import underline
from .text_fitting import text_width

_LARGE = 26
"""The size of a result's bits."""
_NAME = 14
_LOW = 42
"""Height of a result of a compact figure."""
_WORD = 74
"""Room for the word beside it, where words stand above."""


def columns(sketch: Sketch, top: float, end: float, since: str = "") -> float:
    """A light ground behind each lane column from its name to its last row.

    ``since`` is the mark with which it is seen.
    """
    sketch.pen.grounds += [Ground(x.x, x.width, top, end + 8, since) for x in sketch.columns]
    return end


def results(
    doc: Document, found: tuple[ResultView, ...], sketch: Sketch, y: float,
    beside: tuple[ResultView, ...] | None = None,
) -> float:  # fmt: skip
    """Every destination with its bits in one piece; returns the end.

    Beside another answer the digits that differ are marked, and names stand above the bits.
    """
    pen, forked = sketch.pen, beside is not None
    top = y + 34
    pen.open("px-result")
    room, above = sketch.figures, sketch.layout.above
    if not forked:
        x = room.x + 8 if above else sketch.layout.words.x
        pen.text(x, top + 26, "Result", 14, Ink.INK, bold=True)
    if above:
        room = Area(room.x + _WORD, room.width - _WORD)
    if not found:
        end = _nowhere(doc, sketch, room, top)
        pen.close()
        return end
    areas = room.columns(len(found), 20)
    if len(found) == 1 and not forked:  # the name stands beside the word in the middle
        name, bits, _ = found[0]
        side = text_width(f"{name} =", _NAME, mono=True) + 26
        areas = [room.middle(max(440, text_width(bits, _LARGE, mono=True) + 2 * side))]
    others, high = beside or found, 84 if forked else 66
    for shown, other, places, area in zip(found, others, sketch.ends, areas, strict=True):
        for place in places:
            _end(sketch, place, area, top, shown.name)
        _result(sketch, shown, other.bits, area, top, stacked=forked)
        sketch.add_result(shown.name, area, top, top + high)
    pen.close()
    return top + high


def compact_results(doc: Document, sketch: Sketch, y: float) -> float:
    """Every destination with its bits, and what they mean below, in a low box; returns the end."""
    pen, room, top = sketch.pen, sketch.figures, y + 16
    pen.open("px-result")
    if not doc.results:
        end = _nowhere(doc, sketch, room, top - 4)
        pen.close()
        return end
    areas = room.columns(len(doc.results), 8)
    for shown, places, area in zip(doc.results, sketch.ends, areas, strict=True):
        for place in places:
            _end(sketch, place, area, top, shown.name)
        sketch.add_result(shown.name, area, top, top + _LOW)
        pen.rect(area.x, top, area.width, _LOW, Ink.SOFT, Ink.INK, radius=5, line=1.6)
        pen.text(area.center, top + 21, f"{shown.name} = {shown.bits}", 17, Ink.INK,
                 anchor="middle", mono=True, bold=True, width=area.width - 8)  # fmt: skip
        pen.text(area.center, top + 36, shown.meant, 11, Ink.DIM, anchor="middle", mono=True,
                 width=area.width - 8)  # fmt: skip
    pen.close()
    return top + _LOW


def _result(
    sketch: Sketch, shown: ResultView, other: str, area: Area, top: float, *, stacked: bool
) -> None:
    pen, (name, bits, meant) = sketch.pen, shown
    height = 84 if stacked else 66
    pen.rect(area.x, top, area.width, height, Ink.SOFT, Ink.INK, radius=8, line=1.8)
    label = f"{name} ="
    down = 18 if stacked else 0
    if stacked:
        pen.text(area.center, top + 18, label, _NAME, Ink.DIM, anchor="middle", mono=True,
                 width=area.width - 12)  # fmt: skip
    wide = text_width(bits, _LARGE, mono=True)
    size = min(_LARGE, int((area.width - 12) / wide * _LARGE))
    pen.text(area.center, top + 36 + down, bits, size, Ink.INK, anchor="middle", mono=True,
             bold=True)  # fmt: skip
    if bits != other:
        underline(pen, area.center, top + 43 + down, bits, other, size)
    pen.text(area.center, top + 58 + down, meant, 12, Ink.DIM, anchor="middle", mono=True,
             width=area.width - 24)  # fmt: skip
    if not stacked:
        pen.text(area.center - wide / 2 - 10, top + 35, label, _NAME, Ink.DIM, anchor="end",
                 mono=True, width=(area.width - wide) / 2 - 16)  # fmt: skip


def _end(sketch: Sketch, place: Place, area: Area, y: float, result: str = "") -> None:
    """The line to where a result stands, by its name, or would stand."""
    port = sketch.ports.get(place)
    if port:
        start, end = meet(port.area, area)
        at = len(sketch.pen.flows)
        sketch.pen.flow((start, port.y), (end, y), Ink.DIM, strong=bool(result))
        if result:
            sketch.add_result_link(result, place, sketch.pen.flows[at])


def _nowhere(doc: Document, sketch: Sketch, room: Area, top: float) -> float:
    """An empty place where a result would stand, and a faint way there."""
    pen, area = sketch.pen, room.middle(440)
    for place in sketch.scene.thrown:
        _end(sketch, place, area, top)
    pen.rect(area.x, top, area.width, 36, Ink.PAGE, Ink.LINE, radius=8, dash="4 3")
    pen.text(area.center, top + 22, doc.no_result, 12, Ink.DIM, anchor="middle",
             width=area.width - 24)  # fmt: skip
    return top + 36


def step_notes(pen: Pen, step: StepView, y: float, area: Area) -> float:
    """A writer's remarks on a step; returns their end."""
    for text in step.notes:
        y = note(pen, text, y + 10, area)
    return y


def note(pen: Pen, text: str, y: float, area: Area) -> float:
    """A writer's remark behind a bar; returns its end."""
    lines = pen.wrapped(text, area.width - 28, 12)
    height = 14 + 17 * len(lines)
    pen.rect(area.x, y, area.width, height, Ink.MARK_SOFT, None, radius=4)
    pen.rect(area.x, y, 4, height, Ink.MARK, None, radius=0)
    pen.lines(area.x + 16, y + 19, lines, 12, Ink.INK, step=17, italic=True)
    return y + height


def remark(pen: Pen, text: str, y: float, area: Area) -> float:
    """A sentence of ours; returns its end."""
    return pen.lines(area.x, y, pen.wrapped(plain(text), area.width, 12), 12, Ink.INK, step=16)
