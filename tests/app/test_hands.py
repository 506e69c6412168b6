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
from ptxscope.state.edit_transitions import edit
from ptxscope.state.edits import make_instruction
from ptxscope.state.setup import Setup, make_setup, trace_of
from ptxscope.widgets.base.hint_bar import HintBar
from ptxscope.widgets.base.pane import Pane
from ptxscope.widgets.form_pane import FormPane
from ptxscope.widgets.modifier_panes import ModifierRow
from ptxscope.widgets.operand_table import OperandTable
from tests.app.driving import KEYS, Driver, explorer
from tests.tiers import ci_only, sampled

pytestmark = [sampled, ci_only]

VADD4 = ("vadd4.s32.s32.u32 d, a, b, c", {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0xCCCCCCCC})
VSET4 = ("vset4.s32.u32.lt.add d, a, b, c", {"a": 0, "b": 0, "c": 5})
SETP = ("setp.lt.and.f32 p|q, a, b, c", {"a": 0x3F800000, "b": 0, "c": 1})
SET64 = ("set.lt.u32.f64 d, a, b", {"a": 0, "b": 0})
SMALL = (80, 24)
LANE3 = ("right", "right", "right")


async def typed(drive: Driver, text: str) -> str:
    names = {"+": "plus", ":": "colon", "|": "vertical_line", **KEYS}
    return await drive.see(*(names.get(char, char) for char in text))


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


async def test_a_sign_on_a_lane_starts_a_number() -> None:
    async with explorer(*VADD4) as drive:
        assert "a lane 3 = -7" in await drive.see("o", *LANE3, "minus", "7")
        assert drive.operands["a"] == 0x80FF7F01
        await drive.press("enter", "right", "plus", "3", "enter")
        assert drive.operands["a"] == 0xF9037F01
        assert drive.edit_count == 2


async def test_nudging_has_keys_of_its_own() -> None:
    async with explorer(*VADD4) as drive:
        await drive.press("o", *LANE3)
        for key, a in (
            *(("greater_than_sign", 0x81FF7F01), ("ctrl+down", 0x80FF7F01)),
            *(("less_than_sign", 0x7FFF7F01), ("ctrl+up", 0x80FF7F01)),
        ):
            await drive.press(key)
            assert drive.operands["a"] == a
        assert "lane 3 of a: type a value, < or > nudges it" in drive.hint
        shown = {
            (key.binding.key_display, key.binding.description)
            for key in drive.app.screen.active_bindings.values()
            if key.binding.show
        }
        assert {(">", "one more"), ("<", "one less"), ("v", "edge cases")} <= shown


# --- 4.2: any literal can be typed ---------------------------------------------------------


@pytest.mark.parametrize(
    ("setup", "role", "text", "bits"),
    [
        (SETP, "a", "inf", 0x7F800000),
        (SETP, "a", ".5", 0x3F000000),
        (SETP, "c", "false", 0),
        (SET64, "a", "0d4000000000000000", 0x4000000000000000),
        (VADD4, "a", "[-1,2,3,4]", 0xFF020304),
    ],
)
async def test_any_literal_goes_into_the_operand(
    setup: tuple[str, dict[str, int]], role: str, text: str, bits: int
) -> None:
    async with explorer(*setup) as drive:
        before, step = drive.session.setup, drive.state.step
        await drive.press("o", *["down"] * "abc".index(role))
        assert f" = {text}" in await typed(drive, text)
        assert drive.session.setup == before
        await drive.press("enter")
        assert drive.operands[role] == bits
        assert drive.focus is drive.screen.query_one("#operands")
        assert (drive.line, drive.state.step) == (before.line, step)
        if role == "c":
            await drive.press("space")
            assert drive.operands["c"] == 1


async def test_a_literal_that_is_typed_on_a_bit_is_of_the_whole_operand() -> None:
    async with explorer(*VADD4) as drive:
        await drive.press("o", *["right"] * 7, "space")
        assert drive.operands["a"] == 0x00FF7F01
        assert "bit 31 of a: space flips it" in drive.hint
        await drive.press("enter")
        assert drive.operands["a"] == 0x80FF7F01
        await drive.press(*"0x7", "enter")
        assert drive.operands["a"] == 7


async def test_a_letter_that_begins_no_value_does_what_it_does_elsewhere() -> None:
    async with explorer(*VADD4) as drive:
        operands, field = drive.screen.query_one("#operands"), drive.field
        await drive.press("o", "home")
        for letter, step in (("n", 2), ("N", 1), ("a", len(drive.session.trace.steps))):
            await drive.press(letter)
            assert drive.state.step == step, letter
            assert drive.focus is operands
        await drive.press("t")
        assert drive.session.setup.model != "isa"
        for letter in "oursyYbz":
            await drive.press(letter)
            assert drive.focus is operands
        assert not field.is_open
        assert "each lane 0x80" in await drive.see("v")
    async with explorer(*SETP) as drive:
        for keys, text in ((("o", "n"), "a = n"), (("escape", "o", "down", "down", "t"), "c = t")):
            assert text in await drive.see(*keys)


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


async def test_a_pasted_value_goes_into_the_operand_an_instruction_opens() -> None:
    async with explorer(*VADD4) as drive:
        await drive.press("o")
        assert "a = [1,2,3,4]" in await drive.read_after(drive.paste("[1,2,3,4]\n"))
        await drive.press("enter")
        assert drive.operands["a"] == 0x01020304
        await drive.paste("vmin4.u32.u32.u32 d, a, b, c")
        assert drive.opcode == "vmin4"


@pytest.mark.parametrize("width", [38, 58, 78, 118])
@pytest.mark.parametrize("setup", [VADD4, SETP, SET64, VSET4])
def test_no_reading_of_an_operand_is_cut(setup: tuple[str, dict[str, int]], width: int) -> None:
    trace = trace_of(make_setup(parse(setup[0]), setup[1]))
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
        assert ("1.0 exponent 2^0" if width >= 78 else "1.0 ") in said
    if setup is VADD4:
        assert "2164227841 -2130739455 [-128, -1, 127, 1]" in said
        assert "[1, 255, 2, 128]" in said


async def test_a_constant_of_an_asm_statement_is_shown_as_such_and_not_edited() -> None:
    async with explorer() as drive:
        await drive.paste('asm("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(7));')
        assert "%2  0x00000007  constant" in await drive.text()


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


async def test_the_cursor_goes_from_token_to_token_and_space_switches() -> None:
    async with explorer(*VADD4, size=SMALL) as drive:
        await drive.press("m", "right", "right", "right", "space")
        assert drive.line == "vadd4.s32.s32.u32.sat d, a, b, c;"
        assert "sat ■" in await drive.text()
        await drive.press("right", "right", "right", "space")  # secop, lane 3, lane 2
        assert "d.b310," in drive.line
        assert "mask ■□■■" in await drive.text()
        assert "lane 2 of the mask" in drive.hint
        await drive.press("delete")
        assert "mask ■■■■" in await drive.text()
        assert drive.line == "vadd4.s32.s32.u32.sat d, a, b, c;"
        await drive.press("left", "left", "space")
        assert "`.sat` and `.add` exclude each other" in drive.hint
        assert drive.line == "vadd4.s32.s32.u32.sat d, a, b, c;"
        await drive.press("right", *["space", "right"] * 4, "left", "space")
        assert "a mask has at least one lane" in drive.hint
        assert "d.b0," in drive.line


async def test_every_token_is_few_keys_away() -> None:
    async with explorer(*VADD4, size=SMALL) as drive:
        await drive.press("m", "end", *"4567", "ctrl+left", "ctrl+left", "right", "space")
        assert drive.line == "vadd4.s32.s32.u32 d.b310, a, b.b4567, c;"
        await drive.press("home", "left")
        assert "lane 0 of b takes b.b3" in drive.hint
        await drive.press("ctrl+right", "space")
        assert drive.line.startswith("vadd4.u32.")
    async with explorer(*VADD4) as drive:
        await drive.press("m", "up", "right", *"4567")
        assert drive.line == "vadd4.s32.s32.u32 d, a, b.b4567, c;"


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


@pytest.mark.parametrize("size", [(60, 20), SMALL])
async def test_what_is_illegal_is_in_the_list_with_the_reason(size: tuple[int, int]) -> None:
    async with explorer("vadd4.s32.s32.u32.sat d, a, b, c", VADD4[1], size=size) as drive:
        shown = await drive.see("m", *["right"] * 4, "down", "down")
        assert "× add" in shown
        said = " ".join(shown.replace("│", " ").split())
        assert "`.sat` and `.add` exclude each other on dual" in said
        await drive.press("enter")
        assert drive.form.secop is None
        await drive.press("up", "enter")
        assert drive.app.screen is drive.screen
        assert drive.form.secop is None


@pytest.mark.parametrize("size", [SMALL, (120, 40)])
async def test_a_digit_out_of_range_says_what_there_is(size: tuple[int, int]) -> None:
    async with explorer("vadd2.s32.s32.u32 d, a, b, c", VADD4[1], size=size) as drive:
        await drive.press("m", *(["right"] * 7 if size == SMALL else ["down"] * 6 + ["right"]))
        shown = await drive.see("4")
        assert "4 is none: a lane of a takes 0 to 1, parts of a, or 2 to 3, of b" in shown
        assert drive.line == "vadd2.s32.s32.u32 d, a, b, c;"
        await drive.press("3")
        assert "a.h30," in drive.line
        assert "lane 0 of a takes a.h0" in drive.hint


async def test_a_click_on_what_is_illegal_says_why() -> None:
    async with explorer("setp.lt.f32 p, a, b", {"a": 0, "b": 0}, size=SMALL) as drive:
        shown = await on_word(drive, "modifier-row", "!c")
        assert "`!` stands before a c that is not there" in shown


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


async def test_a_hint_goes_with_the_focus() -> None:
    async with explorer(*VADD4) as drive:
        await drive.press("m")
        assert "destination type" in drive.hint
        await drive.press("escape", "o")
        assert "a: type a value" in drive.hint
        await drive.press("escape")
        assert drive.hint == ""


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


@pytest.mark.parametrize("way", ["tab", "shift+tab", "line", "modifiers"])
async def test_a_value_is_entered_by_going_on(way: str) -> None:
    async with explorer(*VADD4) as drive:
        await drive.press("o", *LANE3)
        await typed(drive, "55")
        if way == "line":
            await drive.pilot.click("#line")
            assert drive.focus is drive.screen.query_one("#line")
        elif way == "modifiers":
            await on_word(drive, "modifiers", "atype")
        else:
            await drive.press(way)
        assert drive.operands["a"] == 0x37FF7F01
        assert not drive.field.is_open
        assert drive.edit_count == 1


async def test_what_is_no_value_is_said_when_the_focus_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with explorer(*VADD4, size=(60, 20)) as drive:
        await drive.press("o", *LANE3)
        await typed(drive, "55x")
        await drive.pilot.click("#line")
        shown = " ".join((await drive.text()).split())
        assert "× a lane 3 was left at 0x80: `55x`" in shown
        assert drive.operands["a"] == 0x80FF7F01
        assert drive.edit_count == 0
        monkeypatch.setattr(HintBar, "READING_SECONDS", 0)
        await drive.press("escape", "r")
        assert "was left" not in drive.hint


@pytest.mark.parametrize(("text", "lane"), [("55", 55), ("55x", 0x80)])
async def test_a_click_on_another_chip_goes_there(text: str, lane: int) -> None:
    """The cell's sentence does not displace at once what is wrong with the value."""
    async with explorer(*VADD4) as drive:
        await drive.press("o", *LANE3)
        await typed(drive, text)
        await on_word(drive, "lanes", "-128 + 1", part=1)
        assert drive.operands["a"] >> 24 == lane
        assert drive.focus is drive.screen.query_one("#lanes")
        assert ("a lane 3 was left at 0x80: `55x`" in drive.hint) == (lane == 0x80)
        assert drive.edit_count == (lane == 55)


async def test_escape_drops_what_is_typed_and_what_is_edited_meanwhile_stays() -> None:
    async with explorer(*VADD4) as drive:
        for keys in (("1", "l", *["up"] * 9, "5"), ("o", *LANE3, "5", "5")):
            await drive.press(*keys)
            assert drive.field.is_open
            await drive.press("escape")
            assert "was left" not in drive.hint
            await drive.press("escape")
        assert drive.operands["a"] == VADD4[1]["a"]
        assert drive.edit_count == 0
        await drive.press("o")
        await typed(drive, "55")
        await drive.screen.action_do("edit.swap")  # the palette acts while a lane is typed
        assert drive.operands["a"] == VADD4[1]["b"]
        await drive.press("enter")
        assert drive.operands["a"] == 0x37FF0280


# --- shapes of an opcode ---------------------------------------------------------------------


async def test_a_type_of_another_shape_is_chosen_in_the_list() -> None:
    async with explorer("set.lt.u32.s32 d, a, b", {"a": 3, "b": 9}, size=SMALL) as drive:
        await drive.press("m", "right", "right", "right")
        assert "f16     a CMP b of halves" in await drive.see("enter")
        await drive.press("end", "up", "enter")
        assert drive.line == "set.lt.f16.s32 d, a, b;"
