"""Wires in characters: an eye that follows one from its byte arrives at the lanes that take it."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from ptxscope.engine.tracing.trace import trace
from ptxscope.scene.scene_builder import build_scene
from ptxscope.scene.scene_model import PermutationFigure
from ptxscope.widgets.lanes.lane_links import draw_permutation
from tests.driving.lanes import text_of

_UP, _DOWN, _LEFT, _RIGHT = (0, -1), (0, 1), (-1, 0), (1, 0)
_EXITS = {
    "│": {_UP, _DOWN},
    "─": {_LEFT, _RIGHT},
    "╭": {_DOWN, _RIGHT},
    "╮": {_DOWN, _LEFT},
    "╯": {_UP, _LEFT},
    "╰": {_UP, _RIGHT},
    "├": {_UP, _DOWN, _RIGHT},
    "┤": {_UP, _DOWN, _LEFT},
    "┬": {_LEFT, _RIGHT, _DOWN},
    "┴": {_LEFT, _RIGHT, _UP},
    "┼": {_UP, _DOWN, _LEFT, _RIGHT},
}


def follow_wire(lines: list[str], x: int) -> set[int]:
    """The columns below all lines to which a wire leads that enters at a column from above.

    A wire that meets another's vertical line passes behind it.
    """
    ends, seen, open_ways = set[int](), set[tuple[int, int, int, int]](), [(x, 0, *_DOWN)]
    while open_ways:
        x, y, across, down = way = open_ways.pop()
        if way in seen:
            continue
        seen.add(way)
        if y == len(lines):
            ends.add(x)
            continue
        glyph = lines[y][x : x + 1]
        if glyph == "│" and across:
            open_ways.append((x + across, y, across, 0))
            continue
        exits = _EXITS.get(glyph, set())
        assert (-across, -down) in exits, (lines, x, y)
        open_ways += [(x + i, y + j, i, j) for i, j in exits - {(-across, -down)}]
    return ends


@given(st.integers(0, 0xFFFF), st.integers(40, 134))
@example(0x0123, 58)
@example(0x4140, 58)
def test_a_wire_leads_from_its_byte_to_the_lanes_that_take_it(selector: int, width: int) -> None:
    one = trace("prmt.b32 d, a, b, c", {"a": 0x33221100, "b": 0x77665544, "c": selector})
    figure = build_scene(one).rows["operate.t"].figure
    assert isinstance(figure, PermutationFigure)
    _, bar, *lines, heads, _, _ = text_of(draw_permutation(figure, width, 4))
    digits = [selector >> 4 * lane & 15 for lane in (3, 2, 1, 0)]
    lane_columns = width // 4
    assert [heads[lane_columns * x + 1] for x in range(4)] == [f"{digit:x}" for digit in digits]
    for number in range(8):
        chip = (7 - number) * (width // 8)
        assert bar[chip : chip + 4].strip(" ▐▌") == f"{number:x}" * 2
        taking = {lane for lane in range(4) if digits[lane] % 8 == number}
        starts = range(chip, chip + 4)
        if taking:
            (start,) = [x for x in starts if _UP in _EXITS.get(lines[0][x : x + 1], ())]
            assert follow_wire(lines, start) == {lane_columns * x + 1 for x in taking}
