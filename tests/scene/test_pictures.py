"""A picture of every micro-operation in characters, to be read as it is, each at one size."""

from __future__ import annotations

import shlex
from itertools import cycle
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.app import App

from ptxscope.cli.commands.trace import parse_request
from ptxscope.engine.tracing.deviation import find_deviation, find_deviations
from ptxscope.engine.tracing.trace import Trace, trace
from ptxscope.widgets.base.theme_styles import INKS, ThemeStyles
from ptxscope.widgets.lanes.lane_layout import LanesState, draw
from tests.driving.samples import is_as_it_was
from tests.strategies import KINDS

SIZES = {"80x24": (78, 15), "120x40": (87, 26), "200x60": (92, 54)}
"""Of the terminal, and what the lanes have of it."""
THEMES = ("textual-dark", "textual-light", "ansi-dark", "ptxscope-high-contrast")
CASES = dict(
    line.split(": ", 1)
    for line in Path(__file__).with_name("pictures.txt").read_text("utf-8").splitlines()
)


def traced(case: str) -> Trace:
    """The trace of a line, or of the last statement of a block on operands of 32 ones."""
    one = parse_request(shlex.split(CASES[case]))[0]
    *others, last = one.block.statements
    if not others:
        return one
    ones = {x.name: 0xFFFFFFFF for x in last.instruction.inputs}
    return trace(last.instruction, ones, model=one.model)


def test_every_kind_is_in_a_picture() -> None:
    found = {type(row.micro) for case in CASES for row in traced(case).rows.values()}
    assert found == KINDS


@pytest.mark.parametrize(("size", "case"), [*zip(cycle(SIZES), CASES, strict=False)])
def test_the_drawing_of_a_trace_equals_its_golden_file(
    case: str, size: str, snapshot: SnapshotAssertion
) -> None:
    one = traced(case)
    parting = find_deviation(one, find_deviations(one))
    parts = [f"{one.instruction}  {one.model.name}"]
    for step in one.steps:
        lines = draw(LanesState(one, step.number, deviation=parting), *SIZES[size]).lines
        shown = ("".join(piece.text for piece in line).rstrip() for line in lines)
        parts.append("\n".join(shown))
    assert is_as_it_was("\n\n".join(parts) + "\n", snapshot, "txt")


@pytest.mark.parametrize("theme", THEMES)
def test_the_styles_of_a_theme_equal_their_golden_file(
    theme: str, snapshot: SnapshotAssertion
) -> None:
    from ptxscope.app.app import Explorer

    app: App[None] = Explorer()
    palette = ThemeStyles(app.get_theme(theme) or app.available_themes[theme])
    styles = "".join(f"{ink:10} {palette.resolve_style(ink)}\n" for ink in INKS)
    assert is_as_it_was(styles, snapshot, "txt")
