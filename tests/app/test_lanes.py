"""The lanes under a person's hands: light, editing in place, wires, motion, seven sizes."""

from __future__ import annotations

import re

import pytest
from textual import events
from textual.widgets import Input, Static

from ptxscope import trace
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.scene.scene_builder import build_scene
from ptxscope.scene.scene_model import BitRef, LaneRef, Place
from ptxscope.screens.dialogs.prompts import TextPrompt
from ptxscope.state.figure_edits import FORMULA_PLACE
from ptxscope.widgets.base.pane import StyledText
from ptxscope.widgets.lanes.lane_cells import wrap_line
from ptxscope.widgets.lanes.lane_highlights import Highlights, find_highlights
from ptxscope.widgets.lanes.lane_layout import LanesState, draw
from tests.driving.explorer import Driver, explorer
from tests.driving.lanes import is_in_binary, text_of
from tests.reference_data import golden_rows
from tests.tiers import ci_only, sampled, some

pytestmark = [sampled, ci_only]

SIZES = [(60, 20), (80, 24), (100, 30), (120, 40), (160, 45), (200, 60), (250, 70)]
MOCK = (
    "vadd4.s32.s32.u32.sat d.b310, a, b.b4567, c",
    {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0xCCCCCCCC},
)


# --- seven sizes ---------------------------------------------------------------------------


def told(drive: Driver) -> str:
    """What the picture says, on the part of it that is seen."""
    shown = []
    for id_ in ("lanes", "result"):
        pane = drive.pane(id_)
        if pane.display and pane.size:
            height = pane.scrollable_content_region.height
            start = pane.scroll_offset.y
            lines = pane.read_text().splitlines()[start : start + height]
            wide = pane.scrollable_content_region.width
            assert not [line for line in lines if len(line) > wide], (id_, wide, lines)
            shown += lines
    return "\n".join(shown)


@pytest.mark.parametrize("size", [(40, 12), (30, 12)])
async def test_what_is_cut_on_a_small_screen_has_a_mark(size: tuple[int, int]) -> None:
    """At 40 columns sentences break; where a line goes on beyond the edge, `›` says so."""
    line = "vadd2.s32.s32.u32 d, a, b.h01, c"
    values = {"a": 0x80FF7F01, "b": 0x7F80FF02, "c": 0x11223344}
    async with explorer(line, values, size=size) as drive:
        lanes = drive.lanes
        for number in range(1, len(drive.session.trace.steps) + 1):
            await drive.press(str(number))
            for y in range(lanes.virtual_size.height):
                lanes.scroll_to(y=y, animate=False, force=True)
                await drive.pilot.pause()
                row = y - lanes.scroll_offset.y
                full = lanes.read_text().splitlines()[y]
                seen = lanes.render_line(row).text.rstrip()
                wide = lanes.scrollable_content_region.width
                assert seen == full if len(full) <= wide else seen[:wide][-1] == "›", (full, seen)
                assert size[0] < 40 or len(full) <= wide


_ROWS = golden_rows()
CASES = [
    *(entry.example for entry in list(CATALOG.values())[::3]),
    *((x.ptx, x.operands) for x in _ROWS[:: len(_ROWS) // 5]),
]
"""The lanes alone are tested at every size with many more."""


@pytest.mark.parametrize("case", some(range(0, len(CASES), 4)))
async def test_a_larger_screen_shows_whatever_a_smaller_one_does(case: int) -> None:
    async with explorer(*CASES[case], size=SIZES[0]) as drive:
        for step in ("end", "2"):
            before = set[str]()
            for size in SIZES:
                await drive.pilot.resize_terminal(*size)
                await drive.press(step)
                await drive.pilot.pause()
                seen = told(drive)
                assert not re.search(r"…(?![01f])", seen), seen
                said = re.sub(r"[\s▐▌]", "", seen)
                missing = {x for x in before if x not in said and not is_in_binary(x, said)}
                assert not missing, (size, missing, seen)
                before = set(re.findall(r"[\w.]+", seen))
            await drive.pilot.resize_terminal(*SIZES[0])


@pytest.mark.parametrize("size", SIZES[::2])
async def test_nothing_moves_when_the_focus_does(size: tuple[int, int]) -> None:
    async with explorer(*MOCK, size=size) as drive:
        await drive.press("3")
        seen = ""
        for key in ("", "l", "m", "escape"):
            shown = (await drive.see(*[key] * bool(key))).replace("━", "─").splitlines()[:-2]
            edge = drive.lanes.region.right  # the column follows the cursor; below: hint and keys
            shown_text = "\n".join(f"{line:{edge}}"[:edge] for line in shown)
            seen = seen or shown_text
            assert shown_text == seen, key


# --- light -----------------------------------------------------------------------------------


def draw_lit(line: str, values: dict[str, int], place: LaneRef | None = None) -> list[StyledText]:
    """The pieces of a whole trace while the cursor is on a place."""
    one = trace(line, values)
    lights = find_highlights(one, build_scene(one), place) if place else Highlights()
    lines = draw(LanesState(one, len(one.steps), lights), 87, 46).lines
    return [piece for drawn in lines for piece in drawn]


def test_a_register_lights_what_it_feeds_and_the_rest_goes_into_the_shade() -> None:
    pieces = draw_lit(*MOCK, LaneRef("b", 3))
    inks = {piece.target: piece.style_name for piece in pieces if piece.target}
    assert "cursor" in inks[LaneRef("b", 3)]
    for place in (("select.b", 0), ("extend.b", 0), ("operate.t", 0), ("write.d", 0)):
        assert "reached" in inks[LaneRef(*place)], place
    for place in (("select.b", 3), ("operate.t", 1), ("a", 0), ("merge.t", 2)):
        assert "shade" in inks[LaneRef(*place)], place


def test_the_wires_of_what_led_to_a_lane_are_lit() -> None:
    """Lane 3 takes byte 0 of a, over three columns; the other lanes have wires of their own."""
    line, values = "vadd4.u32.u32.u32 d, a.b0123, b, c", {"a": 0x44332211, "b": 0}
    pieces = draw_lit(line, values, LaneRef("operate.t", 3))
    assert [x.text for x in pieces] == [x.text for x in draw_lit(line, values)]
    styles = {
        piece.style_name
        for piece in pieces
        if piece.style_name.startswith("wire-a") and piece.text in "│╭╮╯╰" + "─" * 80
    }
    assert "wire-a0 origin" in styles
    assert {x for x in styles if x != "wire-a0 origin"} == {f"wire-a{x} shade" for x in "123"}


def test_only_the_byte_that_follows_from_a_lane_is_lit() -> None:
    """vadd4 writes lane 3 to bits 31:24 of d, and to no others."""
    values = {"a": 0x7F80FF01, "b": 0x01FF0280}
    chips = [
        (piece.text, "reached" in piece.style_name)
        for piece in draw_lit("vadd4.s32.s32.s32.sat d, a, b, c", values, LaneRef("operate.t", 3))
        if piece.target == LaneRef("write.d", 0) and piece.text.isalnum()
    ]
    assert chips == [("7f", True), ("80", False), ("01", False), ("81", False)]


@pytest.mark.parametrize("c", [0, 0xFFFFFFFF])
def test_the_veil_does_not_tell_what_values_choose(c: int) -> None:
    one = trace("slct.u32.s32 d, a, b, c", {"a": 1, "b": 2, "c": c})
    lines = text_of(draw(LanesState(one, 1), 87, 26).lines)
    registers = [line for line in lines if re.match(r" +[ab] ", line)]
    assert [("▐" in line) for line in registers] == [True, True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("u64(-1) = 18446744073709551615", ["u64(-1)", "= 18446744073709551615"]),
        ("-18446744073709551616 ▸ 0", ["-18446744073709551616 ▸ 0"[:21], "▸ 0"]),
        ("-128 + (-1) = -129", ["-128 + (-1) = -129"]),
    ],
)
def test_equations_break_before_their_sign(text: str, expected: list[str]) -> None:
    lines = wrap_line([StyledText(text)], 23)
    assert ["".join(piece.text for piece in line).rstrip() for line in lines] == expected


# --- editing in place ------------------------------------------------------------------------


async def test_a_drag_lays_a_wire_either_way() -> None:
    async with explorer("vadd4.s32.s32.u32 d, a, b, c", MOCK[1]) as drive:
        lanes = drive.lanes
        for start, end in (
            (LaneRef("b", 0), LaneRef("select.b", 3)),
            (LaneRef("select.b", 2), LaneRef("b", 1)),
        ):
            await drive.pilot.mouse_down(lanes, offset=drive.locate(start))
            await drive.pilot.hover(lanes, offset=drive.locate(end))
            await drive.pilot.mouse_up(lanes, offset=drive.locate(end))
        assert str(drive.form.bsel) == "b4554"


async def test_a_wire_is_drawn_while_it_is_dragged() -> None:
    async with explorer("vadd4.s32.s32.u32 d, a, b, c", MOCK[1], size=(120, 40)) as drive:
        lanes, before = drive.lanes, drive.lanes.read_text()
        start, end = (drive.locate(x) for x in (LaneRef("b", 0), LaneRef("select.b", 3)))
        await drive.pilot.mouse_down(lanes, offset=start)
        await drive.pilot._post_mouse_events([events.MouseMove], lanes, end, button=1)
        drawn = lanes.read_text()
        changed = [(x, y) for x, y in zip(before, drawn, strict=False) if x != y]
        assert changed
        assert all(x in " \n" for x, _ in changed[:3])  # it passes behind what is shown
        assert {"│", "─", "╯"} & {y for _, y in changed}
        await drive.pilot.mouse_up(lanes, offset=start)
        assert lanes.read_text() == before


# --- motion ----------------------------------------------------------------------------------


async def test_a_step_is_drawn_bit_by_bit_or_at_once_and_a_key_does_not_wait() -> None:
    async with explorer(*MOCK, size=(100, 40)) as drive:
        drive.app.animation_level = "full"
        await drive.pilot.press("home", "n", "n", "n")
        lanes = drive.lanes
        early = lanes.read_text()
        assert "▸4 saturate" in early
        assert "is above 127" not in early  # comes last, as number lines do
        assert "├" not in early
        await drive.pilot.press("n")
        assert "▸5 merge" in lanes.read_text()
        assert "382 ▸ 127" in lanes.read_text()  # the step before is whole at once
        for _ in range(40):
            await drive.pilot.pause(0.02)
        assert "■ ▐7f▌" in lanes.read_text()
        assert "at once" in await drive.see("@step.motion")
        await drive.pilot.press("home", "n", "n", "n")
        assert "├" in lanes.read_text()
        assert "bit by bit" in await drive.see("@step.motion")
        assert drive.app.animation_level == "full"


# --- the cursor and what is veiled ----------------------------------------------------------


@pytest.mark.parametrize("way", ["home", "N", "click"])
async def test_going_back_takes_the_cursor_along_to_a_row_that_is_drawn(way: str) -> None:
    """What stood under it is veiled then: nothing is told of it."""
    line = "vadd4.s32.s32.s32.sat d.b10, a, b, c"
    values = {"a": 0x12345678, "b": 0x00030000, "c": 10}
    async with explorer(line, values, size=(80, 24)) as drive:
        lanes = drive.lanes
        text = await drive.see("l", *["down"] * 9)
        assert lanes.place is not None
        assert lanes.place.key == "write.d"
        assert "0x00005678" in text
        text = await drive.read_after(
            drive.click("lanes", "2 extend") if way == "click" else drive.press(way)
        )
        assert "0x00005678" not in text
        trace = drive.session.trace
        assert trace.rows[lanes.place.key] in trace.steps[drive.state.step - 1].rows
        pieces = [piece for drawn in lanes.visible_lines for piece in drawn]
        assert lanes.place in [piece.target for piece in pieces]
        assert any("cursor" in piece.style_name for piece in pieces)
        if way != "N":
            before = lanes.place  # this row is still drawn then
            await drive.press("n", "N")
            assert lanes.place == before


PRMT = ("prmt.b32 d, a, b, c", {"a": 0x03020180, "b": 0x77F65504, "c": 0xABCD8AE4})
LOP3 = ("lop3.b32 d, a, b, c, 0xca", {"a": 0xFF00FF00, "b": 0x12345678, "c": 0x9ABCDEF0})


def test_bits_and_entries_of_a_table_light_each_other() -> None:
    one = trace(*LOP3)

    def find_origins(place: Place) -> frozenset[Place]:
        return find_highlights(one, build_scene(one), place).origins

    lit = find_origins(BitRef("b", 0, 31))  # a, b, c: 1, 0, 1
    assert {BitRef(key, 0, 31) for key in ("a", "c", "operate.t")} <= lit
    assert [x for x in range(8) if BitRef("lut", 0, x) in lit] == [5]
    a, b, c = LOP3[1].values()
    lit = find_origins(BitRef("lut", 0, 7))
    bits = {x.bit for x in lit if isinstance(x, BitRef) and x.key == "a"}
    assert bits == {x for x in range(32) if (a & b & c) >> x & 1}


async def test_a_formula_gives_the_table() -> None:
    async with explorer(*LOP3, size=(120, 40)) as drive:
        await drive.press("home", "n")
        await drive.hit(FORMULA_PLACE)
        await drive.press("enter")
        await drive.type("b")  # it replaces the old one
        await drive.press("enter")
        assert drive.form.lut == 0xCC
        assert "[0xcc]" in drive.pane("modifiers").read_text()
        assert "0xcb" not in drive.pane("modifiers").read_text()
        await drive.click("modifiers", "0xcc")
        prompt = drive.app.screen
        assert isinstance(prompt, TextPrompt)
        prompt.query_one(Input).value = "a & e"
        await drive.press("enter")
        assert drive.form.lut == 0xCC  # what was typed is kept, and the reason below it
        assert prompt.query_one(Input).value == "a & e"
        assert "`e` is not part of a formula" in str(prompt.query_one("#refusal", Static).content)
        await drive.press("end", "backspace", "c", "enter")
        assert drive.form.lut == 0xA0
        assert "= a & c" in drive.pane("lanes").read_text()
        await drive.press("i", "ctrl+u")
        await drive.paste("lop3.b32 d, a, b, c, (a ^ b) & ~c")
        await drive.press("f2")  # the fix of a formula in the line
        assert drive.form.lut == (0xF0 ^ 0xCC) & ~0xAA & 0xFF


@pytest.mark.parametrize(
    ("line", "values"),
    [PRMT, LOP3, ("bfe.u32 d, a, b, c", {"a": 0x12345678, "b": 8, "c": 4})],
    ids=["prmt", "lop3", "bfe"],
)
async def test_a_predicted_step_shows_no_figure(line: str, values: dict[str, int]) -> None:
    async with explorer(line, values, size=(120, 40)) as drive:
        await drive.press("home", "P")
        for _ in drive.session.trace.steps:
            await drive.press("down", "up")
            step = drive.session.trace.steps[drive.state.step - 1]
            if "operate.t" in [row.key for row in step.rows]:
                shown = drive.pane("lanes").read_text()
                assert not any(x in shown for x in ("for this arrangement", "= ((b", "bits 11:8"))
            await drive.press("n")
        drive.agree()


async def test_the_old_trace_is_dimmed_while_the_line_is_illegal() -> None:
    async with explorer(size=(80, 24)) as drive:
        before = drive.lanes.styles.text_opacity
        await drive.press("i", "home", "x")
        assert "last legal line" in str(drive.lanes.border_title)
        assert drive.lanes.styles.text_opacity < before
        await drive.press("backspace")
        assert drive.lanes.styles.text_opacity == before
