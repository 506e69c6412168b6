"""Figures in plain text: bits, truth tables and selectors, below their row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...engine.micro_operations.base import RowTrace
from ...scene.scene_figures import build_figure
from ...scene.scene_model import BitRulers, PermutationFigure, SpanKind, TableFigure

_BRACKETS = {SpanKind.CHIP: "[{}]", SpanKind.LOST: "/{}/", SpanKind.SIGN: "({})"}
_MEANINGS = {SpanKind.CHIP: "kept", SpanKind.LOST: "lost", SpanKind.SIGN: "copies of the sign"}
"""Marks around bits, and their meanings."""


def iter_figure_lines(row: RowTrace) -> Iterator[str]:
    """Yield the lines of the figure of a row, if text shows it."""
    figure = build_figure(row)
    draw = _FIGURES.get(type(figure))
    return draw(figure) if draw else iter(())


def _iter_ruler_lines(figure: BitRulers) -> Iterator[str]:
    room = max(len(ruler.name) for ruler in figure.rulers)
    for ruler in figure.rulers:
        runs = (_BRACKETS.get(run.kind, "{}").format(run.text) for run in ruler.runs)
        yield f"{ruler.name:<{room}} {' '.join(runs)}"
    kinds = {run.kind for ruler in figure.rulers for run in ruler.runs}
    if legend := [_BRACKETS[x].format(_MEANINGS[x]) for x in _BRACKETS if x in kinds]:
        yield f"{'':<{room}} {', '.join(legend)}"


def _iter_permutation_lines(figure: PermutationFigure) -> Iterator[str]:
    if figure.selector:
        yield f"{figure.selector_name or 'without a mode, c'} = {figure.selector}"


def _iter_table(figure: TableFigure) -> Iterator[str]:
    names = [word.name for word in (*figure.words, figure.result)]
    room = max(map(len, names))
    rows = [[x.bits[index] for x in figure.entries] for index in range(len(figure.words))]
    rows.append([x.value for x in figure.entries])
    yield f"{'':<{room}} {' '.join(str(x.number) for x in figure.entries)}"
    for name, row in zip(names, rows, strict=True):
        end = f"  = {figure.text}" if row is rows[-1] else ""
        yield f"{name:<{room}} {' '.join(map(str, row))}{end}"


_FIGURES: dict[type, Callable[[Any], Iterator[str]]] = {
    BitRulers: _iter_ruler_lines,
    PermutationFigure: _iter_permutation_lines,
    TableFigure: _iter_table,
}
