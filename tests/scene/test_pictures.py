"""A picture of every micro-operation in characters, to be read as it is, each at one size."""

from __future__ import annotations

from itertools import cycle

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual.app import App

from ptxscope.engine.tracing.deviation import find_deviation, find_deviations
from ptxscope.engine.tracing.trace import Trace, trace
from ptxscope.widgets.base.theme_styles import INKS, ThemeStyles
from ptxscope.widgets.lanes.lane_layout import LanesState, draw
from tests.strategies import KINDS

SIZES = {"80x24": (78, 15), "120x40": (87, 26), "200x60": (92, 54)}
"""Of the terminal, and what the lanes have of it."""
THEMES = ("textual-dark", "textual-light", "ansi-dark", "ptxscope-high-contrast")
CASES: dict[str, tuple[str, dict[str, int], str]] = {
    "a running sum": (
        "vset4.s32.u32.lt.add d, a, b, c",
        {"a": 0x80FF7F01, "b": 0x01010101, "c": 5},
        "isa",
    ),
    "halves that round": (
        "vavrg2.s32.s32.s32 d.h10, a, b, c",
        {"a": 0x80007FFF, "b": 0x0000FFFE, "c": 0},
        "isa",
    ),
    "a carry in and out": (
        "addc.cc.u32 d, a, b",
        {"a": 0xFFFFFFFF, "b": 0, "CC.CF": 1},
        "isa",
    ),
    "negated": ("vmad.s32.s32.s32 d, a.b0, b.b0, -c", {"a": 0xFF, "b": 2, "c": 7}, "isa"),
    "plus one": ("vmad.u32.u32.u32.po.shr7 d, a, b, c", {"a": 255, "b": 2, "c": 0}, "isa"),
    "shifted left, wrapped": (
        "vshl.u32.u32.u32.wrap.min d, a, b, c",
        {"a": 0x80000001, "b": 33, "c": 9},
        "isa",
    ),
    "shifted right, clamped amount": (
        "vshr.s32.s32.u32.clamp.max d, a, b, c",
        {"a": 0x80000005, "b": 3, "c": 9},
        "isa",
    ),
    "a difference": (
        "vabsdiff.s32.u32.s32.add d, a.b3, b.h0, c",
        {"a": 0x80FFFFFF, "b": 0x8000, "c": 0xFFFFFFFF},
        "isa",
    ),
    "a difference that wraps": (
        "vsub2.u32.u32.u32 d, a, b, c",
        {"a": 0x00010001, "b": 0x00020000, "c": 0},
        "isa",
    ),
    "a false guard over half-words": (
        "@p set.lt.u32.s16 d, a, b",
        {"a": 1, "b": 2, "p": 0, "d": 0x12348003},
        "ptxas",
    ),
    "two halves": (
        "setp.ltu.xor.ftz.f16x2 p|q, a, b, !c",
        {"a": 0x3C000001, "b": 0x40008001, "c": 1},
        "isa",
    ),
    "a false guard over a half": (
        "@p set.lt.f16.f16 d, a, b",
        {"a": 0x3C00, "b": 0x4000, "p": 0, "d": 0x8803},
        "ptxas",
    ),
    "a folded field": ("bfe.s32 d, a, 40, 3", {"a": 0x7FFFFFFF}, "ptxas-13.0"),
    "bits combined": ("xor.b32 d, a, b", {"a": 0x12345678, "b": 0x80FF8000}, "isa"),
    "bits inverted": ("not.b16 d, a", {"a": 0x00F1}, "isa"),
    "a quotient": ("div.s32 d, a, b", {"a": 0xFFFFFFF9, "b": 2}, "isa"),
    "a remainder": ("rem.u16 d, a, b", {"a": 0xFFF9, "b": 0}, "isa"),
    "permuted bytes": (
        "prmt.b32 d, a, b, c",
        {"a": 0x03020180, "b": 0x77F65504, "c": 0x8AE4},
        "isa",
    ),
    "permuted by a mode": (
        "prmt.b32.b4e d, a, b, c",
        {"a": 0x33221100, "b": 0x77665544, "c": 1},
        "isa",
    ),
    "a truth table": (
        "lop3.b32 d, a, b, c, 0xca",
        {"a": 0xFF00FF00, "b": 0x12345678, "c": 0x9ABCDEF0},
        "isa",
    ),
    "a field above the word": ("bfe.s32 d, a, b, c", {"a": 0x90000F00, "b": 28, "c": 8}, "isa"),
    "a field inserted": (
        "bfi.b32 d, a, b, c, e",
        {"a": 0xFF, "b": 0x12345678, "c": 8, "e": 4},
        "isa",
    ),
    "a word of a pair": (
        "shf.l.wrap.b32 d, a, b, c",
        {"a": 0x89ABCDEF, "b": 0x01234567, "c": 8},
        "isa",
    ),
    "a field extended": ("szext.clamp.s32 d, a, b", {"a": 0x8F, "b": 8}, "isa"),
    "a mask": ("bmsk.wrap.b32 d, a, b", {"a": 28, "b": 40}, "isa"),
    "reversed": ("brev.b32 d, a", {"a": 0x80000005}, "isa"),
    "ones": ("popc.b64 d, a", {"a": 0xFF0180FF}, "isa"),
    "the highest bit": ("bfind.s32 d, a", {"a": 0xFFFFFFF0}, "isa"),
    "its shift": ("bfind.shiftamt.u32 d, a", {"a": 0x00012345}, "isa"),
    "the n-th one": ("fns.b32 d, a, b, c", {"a": 0xAAAAAAAA, "b": 3, "c": 1}, "isa"),
    "a dot product": (
        "dp2a.lo.s32.u32 d, a, b, c",
        {"a": 0xFFFF0002, "b": 0x050403FF, "c": 7},
        "isa",
    ),
    "packed values": (
        "cvt.pack.sat.s8.s32.b32 d, a, b, c",
        {"a": 0x12C, "b": 0xFFFFFFF6, "c": 0x11112233},
        "isa",
    ),
    "halves written": (
        "set.lt.and.bf16x2.bf16x2 d, a, b, c",
        {"a": 0x3F800001, "b": 0x7FC00002, "c": 1},
        "isa",
    ),
    "two answers": (
        "vadd.u32.s32.s32.sat d.b0, a, b, c",
        {"a": 0xFFFFFFFF, "b": 0, "c": 0x112233},
        "ptxas",
    ),
}


class TextFile(SingleFileSnapshotExtension):
    """A snapshot a file, to be read as it is."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.fixture
def text(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(TextFile)


def traced(case: str) -> Trace:
    ptx, values, model = CASES[case]
    return trace(ptx, values, model=model)


def test_every_kind_is_in_a_picture() -> None:
    found = {type(row.micro) for case in CASES for row in traced(case).rows.values()}
    assert found == KINDS


@pytest.mark.parametrize(("size", "case"), [*zip(cycle(SIZES), CASES, strict=False)])
def test_a_trace_is_drawn_as_it_was(case: str, size: str, text: SnapshotAssertion) -> None:
    one = traced(case)
    parting = find_deviation(one, find_deviations(one))
    parts = [f"{one.instruction}  {one.model.name}"]
    for step in one.steps:
        lines = draw(LanesState(one, step.number, deviation=parting), *SIZES[size]).lines
        shown = ("".join(piece.text for piece in line).rstrip() for line in lines)
        parts.append("\n".join(shown))
    assert "\n\n".join(parts) + "\n" == text


@pytest.mark.parametrize("theme", THEMES)
def test_the_inks_of_a_theme_are_as_they_were(theme: str, text: SnapshotAssertion) -> None:
    from ptxscope.app.app import Explorer

    app: App[None] = Explorer()
    palette = ThemeStyles(app.get_theme(theme) or app.available_themes[theme])
    assert "".join(f"{ink:10} {palette.resolve_style(ink)}\n" for ink in INKS) == text
