"""Hands on operands and modifiers: what is typed, clicked and turned does what it looks like."""

from __future__ import annotations

import pytest
from textual import events

from ptxscope import parse
from ptxscope.engine.isa.catalog import (
    CATALOG,
    find_violations,
    get_entry,
    pick_form,
)
from ptxscope.engine.isa.types import SecOp, parse_selector
from ptxscope.state.actions import format_key
from ptxscope.state.edit_transitions import edit
from ptxscope.state.edits import make_instruction
from ptxscope.state.setup import Setup, evaluate_setup, make_setup
from ptxscope.widgets.base.pane import Pane
from ptxscope.widgets.footer import HintBar
from ptxscope.widgets.form_pane import FormPane
from ptxscope.widgets.modifier_panes import ModifierRow
from ptxscope.widgets.operand_table import OperandTable
from tests.driving.explorer import Driver, explorer
from tests.tiers import ci_only, sampled

pytestmark = [sampled, ci_only]

VADD4 = ("vadd4.s32.s32.u32 d, a, b, c", {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0xCCCCCCCC})
VSET4 = ("vset4.s32.u32.lt.add d, a, b, c", {"a": 0, "b": 0, "c": 5})
SETP = ("setp.lt.and.f32 p|q, a, b, c", {"a": 0x3F800000, "b": 0, "c": 1})
SET64 = ("set.lt.u32.f64 d, a, b", {"a": 0, "b": 0})
SMALL = (80, 24)


async def on_word(
    drive: Driver, pane: str, text: str, *, button: int = 1, wheel: int = 0, part: int = 0
) -> str:
    """Press a button, or turn the wheel, on the first place where a panel shows a text."""
    widget = drive.screen.query_one(f"#{pane}", Pane)
    y, line = next((y, x) for y, x in enumerate(widget.read_text().splitlines()) if text in x)
    at = (
        line.index(text) + part + widget.gutter.left - widget.scroll_offset.x,
        y + widget.gutter.top - widget.scroll_offset.y,
    )
    kinds: list[type[events.MouseEvent]] = [events.MouseDown, events.MouseUp, events.Click]
    if wheel:
        kinds = [events.MouseScrollUp if wheel > 0 else events.MouseScrollDown] * abs(wheel)
    await drive.pilot._post_mouse_events(kinds, widget=widget, offset=at, button=button)
    return await drive.text()


# --- 4.1: a sign starts a number -----------------------------------------------------------


async def test_nudging_has_keys_of_its_own() -> None:
    async with explorer(*VADD4) as drive:
        await drive.press("o", *["right"] * 3)
        for key, a in (
            *(("greater_than_sign", 0x81FF7F01), ("ctrl+down", 0x80FF7F01)),
            *(("less_than_sign", 0x7FFF7F01), ("ctrl+up", 0x80FF7F01)),
        ):
            await drive.press(key)
            assert drive.operands["a"] == a
        assert "lane 3 of a: type a value, < or > nudges it" in drive.hint
        shown = {
            (format_key(key.binding.key), key.binding.description)
            for key in drive.app.screen.active_bindings.values()
            if key.binding.show
        }
        assert {(">", "nudge up"), ("<", "nudge down"), ("v", "edge cases")} <= shown


# --- 4.2: any literal can be typed ---------------------------------------------------------


@pytest.mark.parametrize("size", [(60, 20), SMALL, (120, 40)])
async def test_what_is_typed_stays_with_carets_and_the_reason_until_it_is_a_value(
    size: tuple[int, int],
) -> None:
    async with explorer(*VADD4, size=size) as drive:
        calm = (await drive.see("o")).replace("━", "─").splitlines()
        shown = (await drive.see(*"12x", "enter")).splitlines()
        row = next(y for y, line in enumerate(shown) if "a = 12x" in line)
        column = shown[row].index("12x")
        assert shown[row + 1].index("^^^") == column
        assert not shown[row + 2][:column].strip()
        said = " ".join(" ".join(shown[row + 1 :]).split())
        assert "`12x` is not a value; allowed: 0x7f, -5, 0b1010, 0o17, 4294967295" in said
        assert "[0x80,0xff,0x7f,1] (highest lane first), [h:-1,32767]" in said
        assert drive.operands["a"] == 0x80FF7F01
        fine = (await drive.see("backspace")).splitlines()
        assert "a = 12 " in fine[row]  # neither the field nor what is above it has moved
        assert "= 0x0000000c" in fine[row]
        assert fine[:row] == shown[:row] == calm[:row]
        await drive.press("enter")
        assert drive.operands["a"] == 12


@pytest.mark.parametrize("width", [38, 58, 78, 118])
@pytest.mark.parametrize("setup", [VADD4, SETP, SET64, VSET4])
def test_no_reading_of_an_operand_is_cut(setup: tuple[str, dict[str, int]], width: int) -> None:
    trace = evaluate_setup(make_setup(parse(setup[0]), setup[1]))
    pane = OperandTable(trace)
    rows = ["".join(piece.text for piece in line) for line in pane.draw(width)]
    assert all(len(row.rstrip()) <= width for row in rows)
    said = " ".join(" ".join(rows).split())
    for role in "ab":
        bits, width_ = trace.operands[role], trace.instruction.type_of(role).bits
        groups = f"{bits:0{width_}b}"
        assert " ".join(groups[at : at + 4] for at in range(0, width_, 4)) in said
        assert f"0x{bits:0{width_ // 4}x} {bits}" in said
    if setup is SETP:
        assert ("1.0 1.fraction × 2^0" if width >= 78 else "1.0 ") in said
    if setup is VADD4:
        assert "2164227841 -2130739455 [-128, -1, 127, 1]" in said
        assert "[1, 255, 2, 128]" in said


# --- the row of modifiers ------------------------------------------------------------------


async def test_a_small_screen_has_the_modifiers_in_one_row_and_a_large_one_the_pane() -> None:
    line = "vadd4.s32.s32.u32.sat d.b310, a, b.b4567, c"
    async with explorer(line, VADD4[1], size=SMALL) as drive:
        row = drive.pane("modifier-row")
        said = "dtype s32 atype s32 btype u32 sat ■ secop –   mask ■□■■ asel 3210 bsel 4567"
        assert said in await drive.text()
        assert row.size.height == 1
        assert not drive.pane("modifiers").is_on_screen
        await drive.press("m")
        assert drive.focus is row
        assert not drive.screen.query_one("#side").is_on_screen
        assert "vabsdiff" in await drive.see("escape", "slash")
        await drive.press("escape")
        await drive.pilot.resize_terminal(109, 30)
        assert row.is_on_screen
        await drive.pilot.resize_terminal(110, 30)
        assert not row.is_on_screen
        await drive.press("m")
        assert drive.focus is drive.pane("modifiers")


@pytest.mark.parametrize("opcode", CATALOG)
def test_nothing_of_the_row_is_cut_at_any_width(opcode: str) -> None:
    from random import Random

    rng = Random(opcode)
    for width in (20, 38, 40, 60, 78, 80, 100, 109):
        row = ModifierRow(pick_form(opcode, rng))
        heights = set()
        for _ in range(30):
            form = pick_form(opcode, rng)
            row.show(form)
            lines = ["".join(piece.text for piece in line) for line in row.draw(width)]
            heights.add(tuple(len(line.rstrip(" ")) <= width for line in lines))
            words = " ".join(lines).split()
            for slot in get_entry(form).slots:
                value = form.get(slot.name)
                if slot.name in ("mask", "c") or slot.word or value is None:
                    continue
                text = str(value).lstrip("bh") if len(slot.values) in (16, 4096) else str(value)
                text = f"{value:#04x}" if slot.name == "lut" else text
                assert words[words.index(slot.name) + 1] == text
        assert len(heights) == 1  # it is as high whatever the values are
        assert all(heights.pop())
        if width >= 60:
            assert len(lines) <= 2
        if width >= 80:
            assert len(lines) == 1


async def test_a_list_of_values_stands_beneath_the_token() -> None:
    async with explorer("vset4.s32.u32.lt d, a, b, c", VADD4[1], size=SMALL) as drive:
        shown = (await drive.see("m", "right", "right", "enter")).splitlines()
        row = next(y for y, line in enumerate(shown) if "cmp lt" in line)
        titled = shown[row + 1]
        assert "le" in shown[row + 5]
        assert abs(titled.index("comparison") - shown[row].index("cmp")) < 5
        await drive.press("down", "enter")
        assert drive.form.cmp == "le"
        assert drive.focus is drive.pane("modifier-row")
        await drive.press("up", "escape")
        assert drive.form.cmp == "le"


# --- hints have a row of their own ----------------------------------------------------------


@pytest.mark.parametrize("size", [(60, 20), SMALL, (120, 40), (200, 60)])
async def test_nothing_moves_when_the_cursor_does(size: tuple[int, int]) -> None:
    async with explorer(*VADD4, size=size) as drive:
        await drive.press("m")
        regions = {widget: widget.region for widget in drive.screen.query("*")}
        panes = drive.screen.query(FormPane)
        texts = [pane.read_text() for pane in panes]
        for key in ("right", "down", "right", "left", "up", "right", "right"):
            await drive.press(key, "escape" if key in ("up", "down") and size < (110, 0) else key)
            await drive.press("m")
            assert {widget: widget.region for widget in drive.screen.query("*")} == regions
            assert [pane.read_text() for pane in panes] == texts
            assert drive.hint


# --- 4.8: the mouse -------------------------------------------------------------------------


@pytest.mark.parametrize(("pane", "size"), [("modifier-row", SMALL), ("modifiers", (120, 40))])
async def test_left_takes_a_step_on_right_back_the_wheel_both_ways(
    pane: str, size: tuple[int, int]
) -> None:
    before, gap = ("bsel ", "") if pane == "modifier-row" else ("bsel    [–] ", "  ")
    async with explorer(*VADD4, size=size) as drive:

        async def on_lane_0(**how: int) -> str:
            """Acts on the digit of lane 0; the selector is then."""
            form = drive.form
            digits = str(form.bsel or "b7654")[1:]
            lead = before if form.bsel is None else before.replace("[–]", " – ")
            shown = lead + gap.join(digits)
            await on_word(drive, pane, shown, part=len(shown) - 1, **how)
            return str(drive.form.bsel)

        assert await on_lane_0() == "b7655"
        assert await on_lane_0(button=3) == "b7654"
        assert await on_lane_0(wheel=2) == "b7656"
        assert drive.edit_count == 4
        assert await on_lane_0(wheel=-1) == "b7655"
        assert await on_lane_0(wheel=-2) == "b7653"


async def test_a_click_acts_at_once_with_no_focus_before() -> None:
    async with explorer(*VADD4, size=SMALL) as drive:
        await on_word(drive, "modifier-row", "■■■■", part=1)
        assert drive.form.mask == parse_selector("b310")
        await on_word(drive, "modifier-row", "■□■■", part=1)
        assert "mask ■■■■" in await drive.text()
        await on_word(drive, "modifier-row", "sat")
        assert drive.form.sat
        await on_word(drive, "modifier-row", "sat", button=3)
        assert not drive.form.sat
    async with explorer(*VADD4) as drive:
        await on_word(drive, "modifiers", " ■  ■  ■  ■", part=4)
        assert drive.form.mask == parse_selector("b310")
        await on_word(drive, "modifiers", "[–] sat", part=5)
        assert drive.form.sat
        await on_word(drive, "modifiers", "[sat]", button=3)
        assert drive.form.sat


async def test_a_choice_of_the_row_takes_its_next_legal_value_and_the_one_before() -> None:
    async with explorer("vadd.s32.s32.s32 d, a, b, c", {}, size=SMALL) as drive:
        seen = []
        for _ in range(4):
            await on_word(drive, "modifier-row", "secop")
            seen.append(drive.form.secop)
        assert seen == [SecOp.ADD, SecOp.MIN, SecOp.MAX, None]
        await on_word(drive, "modifier-row", "secop", button=3)
        assert drive.form.secop is SecOp.MAX
        assert drive.edit_count == 5
        await on_word(drive, "modifier-row", "dsel", button=1)
        assert drive.form.dsel is None
        assert "exclude each other" in drive.hint
        await on_word(drive, "modifier-row", "secop", wheel=-1)
        assert drive.form.secop is None
    async with explorer("setp.lt.s32 p, a, b", {}, size=SMALL) as drive:
        await on_word(drive, "modifier-row", "cmp lt", wheel=1)
        assert drive.form.cmp == "ne"


async def test_elsewhere_the_wheel_scrolls() -> None:
    async with explorer("setp.lt.s32 p, a, b", {}, size=(120, 18)) as drive:
        pane = drive.pane("modifiers")
        before = drive.session.setup
        assert pane.max_scroll_y > 0
        await on_word(drive, "modifiers", "cmp", wheel=-1)
        assert pane.scroll_offset.y > 0
        assert drive.session.setup == before


@ci_only
async def test_edits_of_the_row_are_those_of_the_line() -> None:
    """What the row makes by random keys is legal, and what the line says."""
    from random import Random

    rng = Random(7)
    keys = ["left", "right", "space", "delete", "less_than_sign", *"0123456789"]
    async with explorer(*VADD4, size=SMALL) as drive:
        await drive.press("m")
        for opcode in list(CATALOG)[::3]:
            form = pick_form(opcode, rng)
            entry = get_entry(form)
            named = tuple("pq")[: len(entry.destinations)] if "p" in entry.destinations[0] else ()
            ins = make_instruction(form, named or ("d",), {}, None)
            await drive.screen.perform(edit, Setup(ins, str(ins), {}))
            await drive.press(*rng.choices(keys, k=25))
            assert not find_violations(drive.form)
            drive.agree()


# --- what is typed is not lost -------------------------------------------------------------


async def test_what_is_no_value_is_said_when_the_focus_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with explorer(*VADD4, size=(60, 20)) as drive:
        await drive.press("o", *["right"] * 3)
        await drive.type("55x")
        await drive.pilot.click("#line")
        shown = " ".join((await drive.text()).split())
        assert "× a lane 3 was left at 0x80: `55x`" in shown
        assert drive.operands["a"] == 0x80FF7F01
        assert drive.edit_count == 0
        monkeypatch.setattr(HintBar, "READING_SECONDS", 0)
        await drive.press("escape", "r")
        assert "was left" not in drive.hint
