"""A sweep as text: a plot in characters with a description, or a table of its values."""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Iterator

import numpy as np

from ...engine.isa.encodings import format_hex
from ...engine.syntax.errors import make_printable
from .computation import Sweep
from .sweep_words import describe_event, describe_sweep
from .terminal_plot import RAMP, STRIPS, PlotSize, draw_plot_lines, format_lines

_HIGH = 18
_MAP = (64, 34)
"""Columns and rows of a map; a cell is twice as high as wide, which makes it square."""


def render(sweep: Sweep, *, width: int = 80, is_unicode: bool = True) -> str:
    """Render the plot or the map, with a description."""
    sentences = describe_sweep(sweep)
    size = PlotSize(width, _HIGH, is_unicode)
    if sweep.y:
        margin = max(len(sweep.y.format_value_at(index)) for index in (0, sweep.y.size - 1))
        size = PlotSize(min(width, _MAP[0] + margin + 1), _MAP[1], is_unicode)
    parts = [
        *_wrap_paragraphs(sentences[:1], width),
        "",
        format_lines(draw_plot_lines(sweep, size)),
    ]
    parts += [
        *_wrap_paragraphs(iter_key_sentences(sweep), width),
        "",
        *_wrap_paragraphs(sentences[1:], width),
        "",
    ]
    return "\n".join(parts)


def render_words(sweep: Sweep, *, width: int = 80) -> str:
    """Render the description alone."""
    return "\n".join([*_wrap_paragraphs(describe_sweep(sweep), width), ""])


def render_csv(sweep: Sweep) -> str:
    """Render every value with its result as CSV."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    axes = [axis for axis in (sweep.x, sweep.y) if axis]
    heads = [axis.part.text for axis in axes]
    heads.append(f"{sweep.result_part.text} under {sweep.model.name}")
    if sweep.other_model:
        heads.append(f"{sweep.result_part.text} under {sweep.other_model.name}")
    rows.writerow([head for name in heads for head in (name, f"{name}, bits")] + ["what happens"])
    columns = [
        (axis.format_value_at(index), axis.part.format_hex(axis.get_value(index)))
        for axis in axes[:1]
        for index in range(axis.size)
    ]
    event_texts = [(event.mask, describe_event(event, sweep.result_part)) for event in sweep.events]
    lane = sweep.result_part
    answers = [sweep.bits] + ([sweep.other_bits] if sweep.other_bits is not None else [])
    for index in np.ndindex(sweep.bits.shape):
        line = [*columns[index[-1]]]
        if sweep.y:
            line += [
                sweep.y.format_value_at(index[0]),
                sweep.y.part.format_hex(sweep.y.get_value(index[0])),
            ]
        for answer in answers:
            bits = int(answer[index])
            line += [lane.format_value(bits), lane.format_hex(bits)]
        rows.writerow([*line, "; ".join(text for mask, text in event_texts if mask[index])])
    return out.getvalue()


def list_command_words(sweep: Sweep) -> tuple[str, ...]:
    """Return the words of the command that shows a sweep."""
    ins = sweep.instruction
    words = ["ptxscope", "sweep", str(ins), "--x", sweep.x.part.text]
    if sweep.y:
        words += ["--y", sweep.y.part.text]
    words += ["--of", sweep.result_part.text]
    for needed in ins.inputs:
        bits = format_hex(sweep.operands[needed.roles[0]], needed.type.bits)
        words.append(f"{needed.name}={bits}")
    if sweep.model.errata:
        words += ["--model", sweep.model.name]
    if (sweep.x.low, sweep.x.high) != (
        sweep.x.part.get_value_at(0),
        sweep.x.part.get_value_at(sweep.x.part.values - 1),
    ):
        words.append(
            f"--range={sweep.x.part.format_value(sweep.x.low)}:{sweep.x.part.format_value(sweep.x.high)}"
        )
    return tuple(words)


def iter_key_sentences(sweep: Sweep) -> Iterator[str]:
    """Yield the meaning of the marks."""
    if sweep.y:
        minimum, maximum = sweep.result_axis.format_ends()
        shades = f"`{RAMP[0]}` is {sweep.result_part.label} = {minimum}, `{RAMP[-1]}` {maximum}"
        yield f"{shades}; up is {sweep.y.part.label}."
        if sweep.divergence_mask.any() and sweep.other_model:
            yield f"x: {sweep.other_model.name} differs."
        return
    names = {"other": f"{sweep.other_model.name if sweep.other_model else ''} differs"}
    if sweep.masks:
        yield f"{', '.join(f'{STRIPS[x]}: {names.get(x, x)}' for x in sweep.masks)}."


def _wrap_paragraphs(paragraphs: Iterator[str] | list[str], width: int) -> Iterator[str]:
    for paragraph in paragraphs:
        lines = textwrap.wrap(
            make_printable(paragraph), width, subsequent_indent="  ", break_on_hyphens=False
        )
        yield from lines
