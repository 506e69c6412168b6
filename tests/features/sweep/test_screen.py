"""All values of an operand in the explorer: the point moves, and the operands with it."""

from __future__ import annotations

import re

import pytest

from ptxscope.cli.support.arguments import split_words
from ptxscope.features.sweep.terminal.sweep_pane import SweepPane
from ptxscope.features.sweep.terminal.sweep_screen import format_key_help
from tests.driving.command_line import run
from tests.driving.explorer import Driver, explorer
from tests.tiers import ci_only, sampled, some

pytestmark = [sampled, ci_only]

SAT = ("vadd4.s32.s32.s32.sat d, a, b, c", {"a": 0x20, "b": 100, "c": 0})
E3 = ("vadd.u32.s32.s32.sat d.b0, a.b0, b.b0, c", {"a": 0xFD, "b": 1, "c": 0x11223344})


def pane(drive: Driver) -> SweepPane:
    return drive.app.screen.query_one(SweepPane)


async def test_tab_goes_to_the_lanes_and_arrows_choose_others() -> None:
    async with explorer(*SAT) as drive:
        shown = await drive.see("v", "tab")
        assert "◀ a.b0 ▶" in shown
        shown = await drive.see("right")
        assert "◀ a.b1 ▶" in shown
        assert "d.b1" in shown  # what it goes to
        assert pane(drive).sweep.x.part.text == "a.b1"
        shown = await drive.see("tab", "right")
        assert "◀ b.b0 ▶" in shown
        assert pane(drive).sweep.bits.shape == (256, 256)
        await drive.press("tab", "left")
        assert pane(drive).sweep.result_part.text == "d.b0"
        await drive.press("enter", "up", "up", "right")
        assert (drive.operands["a"], drive.operands["b"]) == (0x0120, 102)
        assert drive.edit_count == 1
        await drive.press("tab", "tab", "left")
        assert pane(drive).sweep.y is None
        await drive.press("escape", "v", "tab", "tab")
        for _ in range(12):  # a lane is never swept along both axes
            await drive.press("right")
            y, x = pane(drive).sweep.y, pane(drive).sweep.x.part
            if y and y.part.name == x.name:
                assert not y.part.insert(0, y.part.mask) & x.insert(0, x.mask)
        await drive.press("right", "tab", "tab", "tab")
        for _ in range(12):
            await drive.press("right")


async def test_all_of_it_is_told_in_words() -> None:
    async with explorer(*E3, size=(80, 24)) as drive:
        shown = await drive.see("v", "tab", "tab", "right", "w")
        said = " ".join(" ".join(x.strip("│ ") for x in shown.split("\n")).split())
        assert "Clamped to 0: 32,896 of 65,536 values." in said
        assert "Where b.b0 is 1:" in said
        await drive.press("down", "up", "pagedown", "w")
        assert "dark 0 … light 254" in await drive.text()


async def test_the_command_that_is_copied_shows_the_same() -> None:
    async with explorer(*E3) as drive:
        await drive.press("v", "tab", "tab", "right", "y")
        words = split_words(drive.app.clipboard)
        assert words[:2] == ["ptxscope", "sweep"]
        said = run(*words[1:], "-f", "words").stdout
        assert "At the current point a.b0 = -3, b.b0 = 1: d.b0 = 0" in " ".join(said.split())


async def test_a_click_moves_the_point() -> None:
    async with explorer(*SAT, size=(80, 24)) as drive:
        await drive.press("v")
        plot = pane(drive)
        await drive.pilot.click(plot, offset=(4, 5))
        assert 0x80 <= drive.operands["a"] <= 0x83  # one of those in the cell
        await drive.press("tab", "tab", "right")
        await drive.pilot.click(plot, offset=(6, 1))
        assert re.search(r"a\.b0 = -12\d, b\.b0 = 1[12]\d", await drive.text())
        await drive.pilot.click(plot, offset=(6, 0))  # y, in the first line
        await drive.pilot.click(plot, offset=(60, 20))  # words
        assert drive.edit_count == 1


async def test_the_menu_of_keys_may_change_what_is_swept() -> None:
    async with explorer(*SAT) as drive:
        before = drive.operands
        await drive.press("v", "question_mark")
        menu = await drive.text()
        await drive.type("swap")
        shown = await drive.see("enter")
        assert re.search(r"▸Plot +←→↑↓", menu)
        assert "All values" in shown
        assert (drive.operands["a"], drive.operands["b"]) == (before["b"], before["a"])
        await drive.press("ctrl+p", *"find", "enter")
        assert drive.app.screen is drive.screen
        assert drive.focus is drive.screen.query_one("#filter")
        drive.agree()


@pytest.mark.parametrize(
    "size", some([(80, 24), (40, 12), (60, 20), (120, 40), (200, 60), (20, 8)])
)
@pytest.mark.parametrize("variable", some([None, "NO_COLOR", "LC_ALL"]))
async def test_it_is_drawn_at_any_size(
    size: tuple[int, int], variable: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without colours too, and on a terminal that reads no UTF-8."""
    if variable:
        monkeypatch.setenv(variable, {"NO_COLOR": "1", "LC_ALL": "C"}[variable])
    async with explorer(*E3, size=size) as drive:
        await drive.press("v")
        for keys in ((), ("tab", "tab", "right", "enter"), ("end",)):
            shown = await drive.see(*keys)
            lines = shown.split("\n")
            assert len(lines) == size[1]
            assert all(len(line) <= size[0] for line in lines)
            assert shown.isascii() == (variable == "LC_ALL")
            assert variable == "LC_ALL" or shown.count("●") == 1
        grounds = {
            segment.style.bgcolor.name
            for strip in drive.app.screen._compositor.render_strips()
            for segment in strip
            if segment.style and segment.style.bgcolor
        }
        if size[0] >= 40:
            assert (len(grounds) > 8) == (variable != "NO_COLOR")
        assert (await drive.see("w")).isascii() == (variable == "LC_ALL")


async def test_the_legend_of_a_map_without_colours_has_its_signs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with explorer(*E3, size=(120, 40)) as drive:
        await drive.press("v", "tab", "tab", "right", "enter")
        shown = await drive.text()
        assert re.search(r"` ` -?\d+ … `@` -?\d+", shown), shown


def test_the_bottom_line_names_both_operands_and_fits_where_there_is_room() -> None:
    for room in range(10, 200):
        said = format_key_help(("%r1", "%r2"), "", ("U", "F1"), room)
        assert len(said) <= max(room, len("arrows set %r1 and %r2"))
        assert "%r1 and %r2" in said
        assert ("U " in said) == (room >= len("arrows set %r1 and %r2 · U undo"))
    assert said.startswith("arrows move, and change %r1 and %r2 · U undoes it · ")
    assert "F1 keys" in said


@pytest.mark.parametrize("width", some([80, 40, 20, 60, 120, 200], 0, 1, 2))
async def test_the_bottom_line_says_that_the_arrows_change_an_operand(width: int) -> None:
    async with explorer(*SAT, size=(width, 24)) as drive:
        bottom = (await drive.see("v")).split("\n")[-1]
        assert re.search(r"arrows (move, and )?(change|set) a( |$)", bottom)
        assert "…" not in bottom
        if width >= 40:
            assert re.search(r"\bu (undo|undoes it) ", bottom)
            assert "Esc leave" in bottom
        if width >= 80:
            assert "? keys" in bottom
            assert "w words" in bottom
        if width >= 40:
            bottom = (await drive.see("tab", "tab", "right")).split("\n")[-1]
            assert "arrows choose" in bottom
            assert "change" not in bottom
            bottom = (await drive.see("enter")).split("\n")[-1]
            assert "change a and b " in bottom
            assert "arrows scroll" in (await drive.see("w")).split("\n")[-1]
