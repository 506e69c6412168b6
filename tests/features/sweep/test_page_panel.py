"""The sweep of a page, which has no NumPy, against that of the command line."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest

from ptxscope import parse, trace, trace_block
from ptxscope.documents.elements import format_html
from ptxscope.engine.tracing.basic_block import make_block
from ptxscope.features.sweep.computation import compute_sweep
from ptxscope.features.sweep.page_panel import (
    list_runs,
    list_samples,
    make_panel,
    sweep,
    sweep_part,
)
from ptxscope.features.sweep.register_parts import choose_default_result, parse_swept_part
from tests.driving.element_texts import text_of
from tests.driving.states import make_state

BLOCK = "{ lop3.b32 t, q, 0x000f000f, k, 0xea; vsub2.u32.u32.u32 d, t, k, k; }"

LINES = [
    ("vadd4.s32.s32.s32.sat d, a, b, c", "a.b0"),
    ("vavrg2.u32.u32.s32 d, a, b, c", "b.h1"),
    ("vset4.u32.s32.lt.add d, a, b, c", "a.b2"),
    ("vmad.s32.s32.s32.sat.shr15 d, a.h0, b.h1, c", "a.h0"),
    ("shf.l.wrap.b32 d, a, b, c", "c"),
    ("setp.lt.f32 p, a, b", "a"),
    ("prmt.b32 d, a, b, c", "c"),
]


def find(children: list[Any], tag: str) -> Any:
    """Return the first element of a tag among children."""
    return next(x for x in children if x[0] == tag)


@pytest.mark.parametrize(("line", "part"), LINES)
@pytest.mark.parametrize("model", ["isa", "ptxas"])
def test_results_of_the_sweep_panel_equal_the_command_line(
    line: str, part: str, model: str
) -> None:
    ins = parse(line)
    values = {"a": 0x3F80FF01, "b": 0x40007F80, "c": 0x11}
    traced = trace(ins, {x.name: values[x.name] for x in ins.inputs}, model=model)
    swept = parse_swept_part(make_block(ins), part)
    result = choose_default_result(make_block(ins), swept)
    assert result
    mine = list_samples(sweep_part(traced, swept, result))
    other = compute_sweep(make_block(ins), traced.operands, swept, result_part=result, model=model)
    theirs = dict(zip(other.x.ranks, map(int, other.bits), strict=True))
    common = [x for x in mine if x.rank in theirs]
    assert len(common) >= (len(mine) if swept.unit <= 16 else 8)  # its ends and special values
    assert all(theirs[x.rank] == x.result for x in common)
    assert [x for run in list_runs(mine) for x in run] == mine


@pytest.mark.parametrize(
    ("line", "part", "columns", "rows"),
    [
        # -127 + -128 is clamped to -128, 127 + 1 to 127: the ends, the current value, zero
        ("vadd4.s32.s32.s32.sat d, a, b, c", "a.b0", {"-128", "127", "5"}, {"-128", "0", "127"}),
        ("setp.lt.f32 p, a, b", "a", {"-NaN", "NaN"}, {"true", "false"}),
    ],
)
def test_both_axes_have_labels(line: str, part: str, columns: set[str], rows: set[str]) -> None:
    ins = parse(line)
    traced = trace(ins, {x.name: 5 for x in ins.inputs})
    plot = format_html(find(sweep(traced, part), "figure"))
    texts = re.findall(r'<text x="[^>]*text-anchor="(\w+)"[^>]*>([^<]+)</text>', plot)
    assert {text for anchor, text in texts if anchor == "middle"} >= {*columns, part}
    assert {text for anchor, text in texts if anchor == "end"} >= rows
    result = next(iter(ins.results.values()))
    assert re.search(rf">{result}[^<]*</text>", plot)
    marks = re.findall(r'd="M([-.\d]+) ([-.\d]+)L([-.\d]+) ([-.\d]+)"[^>]*px-s-dim', plot)
    assert len(marks) == len(texts) - 1  # one for each label but the name of the axis


def test_a_result_that_jumps_at_every_value_is_drawn() -> None:
    plot = format_html(sweep(trace("shl.b32 d, a, b", {"a": 3, "b": 7}), "a.b1")[2])
    path = max(re.findall(r' d="([^"]*)"', plot), key=len)
    assert path.count("M") == 256
    assert not re.findall(r"M([-.0-9]+ [-.0-9]+)L\1(?![.0-9])", path)  # nothing has no length


def test_samples_are_dots_and_say_nothing_of_the_values_between_them() -> None:
    # 2 ** 32 / 240 is 17,895,697.07: odd, at least that
    line, values = "vadd4.u32.u32.s32.sat d, a, b, c", {"a": 0xFAC87805, "b": 0x0AF670F6}
    children = sweep(trace(line, values), "a")
    assert "Not all values are computed, but one of every 17,895,699 values of a," in text_of(
        children
    )
    plot = format_html(find(children, "figure"))
    dots = [float(x) for x in re.findall(r'<circle cx="[^"]*" cy="([^"]*)"', plot)]
    assert sum(x < y for x, y in pairwise(dots)) > 15  # a sawtooth doesn't look like a line
    assert len(dots) >= 240
    assert f"d.b0 over {len(dots)} of the 4,294,967,296 values of a" in plot
    assert not re.findall(r' d="[^"]*"[^>]*px-s-a\b', plot)  # no line joins them
    rows = [text_of(row).split() for row in find(children, "table")[4][2:]]
    # byte 0 of b is 0xf6, as a part of an s32 -10; a byte of a u32 is clamped to 0 to 255
    assert {str(x) for x in (0, 0xFAC87805, 0xFAC87804, 2**31, 2**32 - 1)} <= {a for a, _ in rows}
    assert rows == [[a, str(min(max((int(a) & 0xFF) - 10, 0), 255))] for a, _ in rows]


def test_an_unknown_part_is_reported_in_the_sweep_panel() -> None:
    told = text_of(sweep(trace("vadd4.s32.s32.s32 d, a, b, c", {"a": 1, "b": 2}), "z.b0"))
    assert "z.b0" in told
    assert "allowed" in told


def test_a_sweep_is_that_of_the_command_line() -> None:
    state = make_state("vadd4.s32.s32.s32.sat d, a, b, c", {"b": 0x64})
    rows = find(make_panel(state, "a.b0"), "table")[3][2:]
    assert [text_of(row).split() for row in rows] == [
        ["-128", "to", "27", "-28", "to", "127", "156"],
        ["28", "to", "127", "127", "100"],
    ]


def test_a_part_is_chosen_if_none_is_typed() -> None:
    state = make_state("vadd4.s32.s32.s32.sat d, a, b, c", {"a": 0x80FF7F01, "b": 0x01010101})
    assert "over all 256 values" in text_of(make_panel(state, ""))


def test_the_panel_sweeps_a_block() -> None:
    traced = trace_block(BLOCK, {"q": 0x12345678, "k": 0x64006400})
    told = text_of(sweep(traced, "q.b0"))
    assert "d over all 256 values of q.b0" in told
    assert f"0 to 15 {0x00040000} to {0x0004000F} 16" in told  # q & 0x000f000f
