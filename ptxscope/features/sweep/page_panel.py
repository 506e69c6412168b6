"""The panel of a page in the browser: a plot and a table of the results over a part's values."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple
from xml.etree import ElementTree as ET

from ...documents.elements import Child, Element, make_button, make_element, make_error, make_field
from ...documents.svg.svg_canvas import Area, SvgCanvas, format_length
from ...documents.svg.svg_colours import SvgColour
from ...documents.svg.svg_figures import PlacedAxis
from ...documents.svg.text_styles import DATUM, LABEL
from ...engine.syntax.errors import PtxError
from ...engine.tracing.trace import Trace
from ...state.explorer_state import ExplorerState
from .axis import IntegerSweep, ResultAxis, iter_landmarks, make_axis
from .plot_ticks import draw_x_label, draw_x_ticks, draw_y_ticks
from .register_parts import (
    RegisterPart,
    choose_default_parts,
    choose_default_result,
    list_sweepable_parts,
    parse_swept_part,
    with_read_order,
)
from .tick_choice import choose_ticks

_MAX_VALUES = 256
"""Maximum values of the part; of more, as many evenly spaced ones are computed."""
_WIDTH, _MARGIN = 440, 4
_PLOT = Area(118, 300)
_TOP, _BOTTOM = 24, 184
_X_AXIS, _Y_AXIS = PlacedAxis(_PLOT.x, _PLOT.right), PlacedAxis(_BOTTOM, _TOP)
_MAX_RUNS = 64
"""Maximum rows of the table."""


class Sample(NamedTuple):
    """A value of the part and the result there."""

    rank: int
    bits: int
    result: int
    """Bits of the result's part."""
    result_rank: int


def list_samples(swept: IntegerSweep) -> list[Sample]:
    """Return the results over the values of a part."""
    result = swept.result_part
    return [
        Sample(rank, swept.x.part.get_value_at(rank), bits, result.compute_rank(bits))
        for rank, bits in zip(swept.x.ranks, swept.compute_line(), strict=True)
    ]


def sweep_part(trace: Trace, part: RegisterPart, result: RegisterPart) -> IntegerSweep:
    """Return the sweep of a part, the other operands being those of a trace."""
    ins = trace.block
    axis = make_axis(with_read_order(ins, part, result), _MAX_VALUES, trace.operands)
    return IntegerSweep(ins, trace.model, trace.operands, axis, None, result)


def list_runs(samples: Iterable[Sample]) -> list[list[Sample]]:
    """Return stretches of samples in which the result stays, or moves as far as the value does."""
    runs: list[list[Sample]] = []
    for sample in samples:
        slope = _get_slope(runs[-1][-1], sample) if runs else None
        is_first = bool(runs) and len(runs[-1]) == 1 and slope in (-1, 0, 1)
        if is_first or (runs and len(runs[-1]) > 1 and _get_slope(*runs[-1][:2]) == slope):
            runs[-1].append(sample)
        else:
            runs.append([sample])
    return runs


def _get_slope(x: Sample, y: Sample) -> float:
    return (y.result_rank - x.result_rank) / (y.rank - x.rank)


def make_panel(state: ExplorerState, text: str) -> list[Child]:
    """Return what the panel shows."""
    return sweep(state.shown_trace, text)


def sweep(trace: Trace, text: str) -> list[Child]:
    """Return a table of the results over all values of a part, and the parts to choose from."""
    ins = trace.block
    parts = list_sweepable_parts(ins)
    form = make_element(
        "form",
        make_field("Part of an operand", "text", text, hint="a.b0"),
        make_element("button", "Sweep", type="submit"),
        data_do="tool_text",
    )
    buttons = (make_button(x.text, "tool_text", data_text=x.text) for x in parts if x.text != text)
    head = [form, make_element("p", *buttons, class_="choices")]
    try:
        part = parse_swept_part(ins, text) if text.strip() else choose_default_parts(ins)[0]
    except PtxError as error:
        return [*head, make_error(error)]
    result = choose_default_result(ins, part) if part else None
    if part is None or result is None:
        return [make_element("p", "This instruction reads no operand, or keeps no result.")]
    swept = sweep_part(trace, part, result)
    runs = list_runs(list_samples(swept))
    count = "all" if swept.x.stride == 1 else f"{swept.x.size} of the"
    about = f"{result.label} over {count} {part.values:,} values of {part.label}"
    return [*head, _make_plot(swept, runs, about), *_make_table(swept, runs)]


def _make_plot(swept: IntegerSweep, runs: list[list[Sample]], about: str) -> Element:
    """Return a plot of the results by rank, with the current value marked."""
    axis, result = swept.x, swept.result_part
    results = ResultAxis(result, 0, result.values - 1)

    def compute_x(rank: int) -> float:
        return float(_X_AXIS.compute_place(axis.compute_start(rank) + 0.5 / axis.span))

    def place(sample: Sample) -> str:
        y = _Y_AXIS.compute_place(results.compute_part(sample.result_rank))
        return f"{format_length(compute_x(sample.rank))} {format_length(y)}"

    canvas = SvgCanvas("")
    canvas.draw_text(_MARGIN, _TOP - 8, result.label, LABEL)
    canvas.draw_box(_PLOT, _TOP, _BOTTOM - _TOP, SvgColour.SOFT, radius=0)
    point, _ = swept.current_point
    x = compute_x(axis.ranks[point or 0])
    canvas.draw_line(x, _TOP, x, _BOTTOM, SvgColour.FOCUS, dash="4 3")
    # a line to its own start would not be drawn
    path = "".join(
        f"M{place(run[0])}" + (f"L{place(run[-1])}" if len(run) > 1 else "h1") for run in runs
    )
    canvas.draw_path(path, SvgColour.A, line=2.5)
    starts = [run[0] for run in runs] if axis.stride == 1 else []
    ticks = axis.list_ticks(point, is_by_rank=True, breaks=[x.rank for x in starts])
    ticks = choose_ticks(ticks, _PLOT.width, DATUM.measure("0"))
    draw_x_ticks(canvas, ticks, _X_AXIS, Area(0, _WIDTH), _BOTTOM, _BOTTOM + 18)
    draw_x_label(canvas, _PLOT.center, _BOTTOM + 36, axis.part.label)
    landmarks = map(result.compute_rank, iter_landmarks(result))
    ranks = [*(x.result_rank for x in starts), *landmarks]
    draw_y_ticks(canvas, results.list_ticks(None, ranks), _PLOT.x, _Y_AXIS)
    plot = _parse_svg(f'<svg class="px-svg px-auto">{"".join(canvas.parts)}</svg>')
    plot[1] |= {"viewBox": f"0 0 {_WIDTH} {_BOTTOM + 44}", "role": "img", "aria-label": about}
    axes = f"To the right, {axis.part.label}; upwards, {result.label}; dashed, the current value."
    return make_element(
        "figure", make_element("figcaption", f"{about}. {axes}"), plot, class_="plot"
    )


def _make_table(swept: IntegerSweep, runs: list[list[Sample]]) -> list[Child]:
    part, result = swept.x.part, swept.result_part
    rows = [
        make_element(
            "tr",
            make_element("th", _format_run(part, [x.bits for x in run]), scope="row"),
            make_element("td", _format_run(result, [x.result for x in run])),
            make_element("td", str(len(run))),
        )
        for run in runs[:_MAX_RUNS]
    ]
    head = make_element(
        "tr", *(make_element("th", x, scope="col") for x in (part.label, result.label, "values"))
    )
    table = make_element("table", make_element("thead", head), make_element("tbody", *rows))
    children: list[Child] = [table]
    if len(runs) > _MAX_RUNS:
        children.append(make_element("p", f"{len(runs) - _MAX_RUNS} more rows are left out."))
    return children


def _format_run(part: RegisterPart, values: list[int]) -> str:
    """Return the first and the last of values: ``-128 to -29``."""
    texts = [text for text, _ in groupby(map(part.format_value, (values[0], values[-1])))]
    return " to ".join(texts)


def _parse_svg(text: str) -> Element:
    """Return the elements of an SVG of ptxscope's own."""

    def convert(node: ET.Element) -> Element:
        return [node.tag, dict(node.attrib), *filter(None, [node.text]), *map(convert, node)]

    return convert(ET.fromstring(text))  # noqa: S314
