"""The figures of the lanes in characters: axes, numbers to the bit, sums, gates, choices.

Each returns lines of at most a width, and says everything at any width.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard

from ...engine.records import NamedTuple
from ...scene.scene_model import (
    Axis,
    Choice,
    Figure,
    Gate,
    Look,
    Place,
    Point,
    Running,
    Span,
    Strip,
    Strips,
    Term,
    Truth,
)
from ..base.pane import Line, Piece
from .lane_axes import axis_lines
from .lane_cells import Lights, drawn, filled, length, wire, wrapped

_WIDEST = 49
"""Columns of an axis."""
_NARROWEST = 5
_OFF = "◆"
_INDENT = 2
"""Columns before a strip that goes on in another line."""
_RAIL = "━"


def figure_lines(
    figure: Figure, width: int, lanes: int, lights: Lights, progress: float = 1
) -> list[Line]:
    """A figure in so many columns; below 1, ``progress`` is how far its motion is."""
    return _DRAW[type(figure)](figure, width, lanes, lights, progress)


def tells_all(figure: Figure | None) -> bool:
    """Whether a figure says what the row's cells say, so that they are left out."""
    return isinstance(figure, Gate | Choice | Running)


# --- axes ---------------------------------------------------------------------------------


def _axis(axis: Axis, width: int, lanes: int, lights: Lights, progress: float) -> list[Line]:
    if axis.off or any(point.names for point in axis.points):
        return _compared(axis, width, lights)
    return axis_lines(axis, width, lanes, lights, progress)


def _compared(axis: Axis, width: int, lights: Lights) -> list[Line]:
    """The operands of a comparison on one line, and those that are off it."""
    beside = width - len(axis.low) - len(axis.high) - 4
    together = beside >= _NARROWEST
    inner = min(beside if together else width - 2, _WIDEST)
    marks = dict(zip(_places(axis.points, inner), axis.points, strict=True))
    line: Line = [Piece("├", "axis")]
    for x in range(inner):
        mark = marks.get(x)
        if mark:
            line.append(Piece("●", "value" + lights.on(mark.place), mark.place))
        else:
            line.append(Piece("─", "axis"))
    line.append(Piece("┤", "axis"))
    start = len(axis.low) + 1 if together else 0
    low, high = Piece(axis.low, "strong"), Piece(axis.high, "strong")
    if together:
        lines = [[low, Piece(" "), *line, Piece(" "), high]]
    else:
        lines = [line, *wrapped([low, Piece("  ╌  ", "axis"), high], width)]
    lines += _under(axis.points, start + 1, inner, width, lights)
    if axis.off:
        names = " and ".join(axis.off)
        are = "are" if len(axis.off) > 1 else "is"
        said = f"{names} {are} NaN: off the line, unordered"
        lines += wrapped([Piece(f"{_OFF} ", "changed"), Piece(said, "changed")], width, 2)
    return lines


def _places(points: Sequence[Point], inner: int) -> list[int]:
    """The columns of numbers on a line; two that differ never share one."""
    found = [round(point.at * (inner - 1)) for point in points]
    if len(points) == 2 and found[0] == found[1] and points[0].at != points[1].at:
        upper = int(points[1].at > points[0].at)
        moved, by = (upper, 1) if found[0] + 1 < inner else (1 - upper, -1)
        found[moved] += by
    return found


def _under(
    points: Sequence[Point], start: int, inner: int, width: int, lights: Lights
) -> list[Line]:
    """The names of numbers under their marks; where they don't fit, in a line."""
    places = _places(points, inner)
    labels = [(at + start, _label(x), x) for at, x in zip(places, points, strict=True)]
    placed: Line = []
    used = 0
    for at, text, point in sorted(labels, key=lambda label: label[0]):
        x = max(min(at - len(text) // 2, width - len(text)), 0)
        if x < used + (1 if used else 0):
            break
        placed.append(Piece(" " * (x - used)))
        placed.append(Piece(text, "number" + lights.on(point.place), point.place))
        used = x + len(text)
    else:
        return [placed] if placed else []
    line: Line = [Piece("● ", "value")]
    for _, text, point in labels:
        line += [Piece(text, "number" + lights.on(point.place), point.place), Piece("   ")]
    return wrapped(line[:-1], width, 2)


def _label(point: Point) -> str:
    return " ".join((*point.names, point.text))


# --- numbers to the bit ---------------------------------------------------------------------


def _strips(strips: Strips, width: int, lanes: int, lights: Lights, progress: float) -> list[Line]:  # noqa: ARG001
    lines: list[Line] = []
    for strip in strips.strips:
        is_repeated = lanes == 1 and strip.said.startswith("= ")  # the row's own line ends with it
        shown = strip._replace(said="") if is_repeated else strip
        lines += strip_lines(shown, width, lights)
    return lines


class _Segment(NamedTuple):
    """A part of a stretch that stands in one line."""

    stretch: int
    start: int
    """Its first column, behind its bar."""
    text: str
    has_bar: bool
    """Whether it begins its stretch, behind another one."""


def strip_lines(strip: Strip, width: int, lights: Lights) -> list[Line]:
    """A number's stretches side by side, under each its caption; beside them what it means."""
    lines = _segments(strip, width)
    captions = _caption_segments(strip, lines, width)
    digits = [
        _segment_line(strip, segments, lights, is_first=at == 0)
        for at, segments in enumerate(lines)
    ]
    said = [Piece(f"  {strip.said}", "value")] if strip.said else []
    beside = next((x for x in digits if length(x) + length(said) <= width), None)
    if beside is not None:
        beside += said
    drawn_lines: list[Line] = []
    for line, segments in zip(digits, lines, strict=True):
        drawn_lines.append(line)
        if captions is not None and (under := _caption_line(strip, segments, captions)):
            drawn_lines.append(under)
    if captions is None:
        listed: Line = []
        for _, _, label in strip.stretches:
            if label:
                listed += [Piece(" │ ", "axis")] if listed else []
                listed.append(Piece(label, "dim"))
        drawn_lines += wrapped(listed, width, 2)
    if said and beside is None:
        drawn_lines += wrapped([Piece(strip.said, "value")], width, 2)
    return drawn_lines


def _segments(strip: Strip, width: int) -> list[list[_Segment]]:
    """The stretches in lines, broken between them and then between groups of digits."""
    lines: list[list[_Segment]] = [[]]
    x = len(strip.name) + 1 if strip.name else 0
    for at, (text, look, _) in enumerate(strip.stretches):
        whole = drawn(Span(text, look), tight=True)[0].text
        bar = int(at > 0)
        if x + bar + len(whole) > width >= _INDENT + bar + len(whole) and lines[-1]:
            lines.append([])
            x = _INDENT
        fits = x + bar + len(whole) <= width
        words = [whole] if fits else _short_words(whole, width - _INDENT - 1)
        start, part = x + bar, ""
        for word in words:
            grown = f"{part} {word}" if part else word
            if start + len(grown) > width and x > _INDENT:
                if part:
                    lines[-1].append(_Segment(at, start, part, bool(bar)))
                    bar = 0
                lines.append([])
                start, grown = _INDENT + bar, word
            part, x = grown, start + len(grown)
        lines[-1].append(_Segment(at, start, part, bool(bar)))
    return lines


def _short_words(text: str, longest: int) -> list[str]:
    """The words of a text, broken where one is longer than a line."""
    return [word[i : i + longest] for word in text.split(" ") for i in range(0, len(word), longest)]


def _caption_segments(
    strip: Strip, lines: Sequence[Sequence[_Segment]], width: int
) -> set[_Segment] | None:
    """The segments under which captions stand; None where one has no room under its stretch."""
    found: set[_Segment] = set()
    for at, (_, _, label) in enumerate(strip.stretches):
        if not label:
            continue
        candidates = [
            segment
            for line in lines
            for segment in line
            if segment.stretch == at
            and len(label) <= (width - segment.start if segment is line[-1] else len(segment.text))
        ]
        if not candidates:
            return None
        found.add(candidates[-1])
    return found


def _segment_line(
    strip: Strip, segments: Sequence[_Segment], lights: Lights, *, is_first: bool
) -> Line:
    ink = lights.on(strip.place)
    line: Line = [Piece(f"{strip.name} ", "label", strip.place)] if strip.name and is_first else []
    for segment in segments:
        look = strip.stretches[segment.stretch].look
        line.append(Piece(" " * (segment.start - segment.has_bar - length(line))))
        line += [Piece("│", "axis", strip.place)] if segment.has_bar else []
        look_ink = drawn(Span("", look), tight=True)[0].ink
        line.append(Piece(segment.text, look_ink + ink, strip.place))
    return [piece for piece in line if piece.text]


def _caption_line(strip: Strip, segments: Sequence[_Segment], captions: set[_Segment]) -> Line:
    """The captions under a line; empty where none stands there."""
    line: Line = []
    was_captioned = False
    for segment in segments:
        is_captioned = segment in captions
        if segment.has_bar and (is_captioned or was_captioned):
            line.append(Piece(" " * (segment.start - 1 - length(line))))
            line.append(Piece("│", "axis"))
        if is_captioned:
            label = strip.stretches[segment.stretch].label
            line.append(Piece(" " * (segment.start - length(line))))
            line.append(Piece(f"{label:^{len(segment.text)}}", "dim"))
        was_captioned = is_captioned
    return [piece for piece in line if piece.text]


# --- sums -----------------------------------------------------------------------------------


def _running(sum_: Running, width: int, lanes: int, lights: Lights, progress: float) -> list[Line]:
    """A sum that comes from the left and takes every lane's number from above."""
    each = width // lanes
    shown = max(round(progress * len(sum_.terms)), 1)
    above: list[Line] = []
    rail: list[Line] = []
    for at, term in enumerate(sum_.terms):
        top, bottom = _term(term, sum_.place, lights)
        if length(bottom) > each or length(top) > each:
            return []
        if at >= shown:
            top, bottom = [], []
        fill = "━" if at + 1 < shown and at + 1 < len(sum_.terms) else " "
        above.append(filled(top, each))
        rail.append([*bottom, Piece(fill * (each - length(bottom)), "axis")])
    return [[piece for cell in line for piece in cell] for line in (above, rail)]


def is_rail(figure: Figure | None, lines: Sequence[Line]) -> TypeGuard[Running]:
    """Whether lines of a row are a running sum, which needs its start before it."""
    return isinstance(figure, Running) and bool(lines) and lines[-1][0].text == _RAIL


def draw_rail_start(sum_: Running, lights: Lights) -> Line:
    """What stands before a running sum: c and its number."""
    start, ink = sum_.start, lights.on(sum_.start.place)
    return [
        Piece(f"{start.name} ", "label", start.place),
        Piece(f"{start.text} ", "number" + ink, start.place),
        Piece(_RAIL, "axis"),
    ]


def _term(term: Term, whole: Place, lights: Lights) -> tuple[Line, Line]:
    """What comes down, and the rail beneath it with the sum so far."""
    ink = lights.on(term.place)
    stem = "│" if term.added else "┊"
    said = term.text if term.added else "left out"
    look = "number" if term.added else "dim"
    top = [Piece(" "), Piece(f"{stem} ", "axis"), Piece(said, look + ink, term.place)]
    node = "⊕" if term.added else "╌"
    bottom = [
        Piece(_RAIL, "axis"),
        Piece(node, "strong"),
        Piece(f" {term.total} ", "value" + lights.on(whole), whole),
    ]
    return top, bottom


# --- truths and choices ---------------------------------------------------------------------


def _truth(truth: Truth, lights: Lights) -> Line:
    ink = lights.on(truth.place)
    look = "good" if truth.value else "bad"
    return [
        Piece(f"{truth.name} ", "label" + ink, truth.place),
        Piece(str(truth.value), look + ink, truth.place),
    ]


def _gate(gate: Gate, width: int, lanes: int, lights: Lights, progress: float) -> list[Line]:  # noqa: ARG001
    inputs = [_truth(truth, lights) for truth in gate.inputs]
    out = [Piece(f" {gate.word} ── ", "strong"), *_truth(gate.output, lights)]
    room = max(map(length, inputs)) + 1
    if len(inputs) == 1:
        return wrapped([*filled(inputs[0], room), Piece("──", "axis"), *out], width, 2)
    first, second = (filled(x, room) for x in inputs)
    if room + 4 + length(out) > width:
        return wrapped([*first, Piece("  "), *second, Piece("  "), *out], width, 2)
    return [
        [*first, Piece("──┐", "axis")],
        [Piece(" " * (room + 2)), Piece("├─", "axis"), *out],
        [*second, Piece("──┘", "axis")],
    ]


def _choice(choice: Choice, width: int, lanes: int, lights: Lights, progress: float) -> list[Line]:  # noqa: ARG001
    truth = "true" if choice.condition.value else "false"
    why = f"{choice.condition.name} is {truth}"
    room = max(len(option.name) for option in choice.options)
    lines: list[Line] = []
    for option in choice.options:
        ink = lights.on(option.place)
        name = Piece(f"{option.name:<{room}} ", ("strong" if option.taken else "dim") + ink)
        look = Look.CHIP if option.taken else Look.UNUSED
        bits = drawn(Span(option.bits, look, option.tint))
        shown = [Piece(x.text, x.ink + ink, option.place) for x in bits]
        if option.taken:
            way = [Piece(" ━━▶ ", wire(option.tint))]
            verdict = "good" if choice.condition.value else "bad"
            way.append(Piece(why, verdict + lights.on(choice.place), choice.place))
        else:
            way = [Piece(" ╌╌╳", "dim")]
        mark = Piece("▶ " if option.taken else "  ", "strong")
        lines += wrapped([mark, name, *shown, *way], width, 4)
    return lines


_DRAW: dict[type, Callable[..., list[Line]]] = {
    Axis: _axis,
    Strips: _strips,
    Running: _running,
    Gate: _gate,
    Choice: _choice,
}
