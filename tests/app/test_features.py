"""What the explorer can do beyond showing a trace, each through its keys."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

from ptxscope import parse
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.entry import CORE_GROUPS, Group
from ptxscope.engine.isa.intrinsics import map_intrinsics
from ptxscope.screens.main.main_screen import make_bindings
from ptxscope.state.actions import ACTIONS, FIXED_FOOTER_ACTIONS, FOOTER, GROUPS
from ptxscope.state.state_store import StateStore
from ptxscope.widgets.instruction_browser import InstructionList
from tests.driving.explorer import LINE, explorer
from tests.tiers import ci_only, sampled, some

pytestmark = [sampled, ci_only]

E3 = ("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344})
THE_27 = [name for name, entry in CATALOG.items() if entry.group in CORE_GROUPS]


# --- the browser -------------------------------------------------------------------------


def draw_list(browser: InstructionList, width: int) -> list[str]:
    return ["".join(piece.text for piece in line) for line in browser.draw(width)]


async def test_recently_used_instructions_are_on_top_and_in_their_families() -> None:
    async with explorer(size=(120, 40)) as drive:
        browser = drive.screen.view.browser.list
        browser.show("selp", ("selp", "vmad"))
        assert [line[:11].strip() for line in draw_list(browser, 40)[:2]] == [
            "Recently us",
            "selp",
        ]
        marked = [line for line in draw_list(browser, 40) if line.startswith("▸")]
        assert [line[:11].strip() for line in marked] == ["▸selp"]  # that of its family
        names = [name for _, name in browser.rows()]
        assert [name for name in names if name] == ["selp", "vmad", *THE_27]
        for name in ("selp", "vmad", *THE_27[:2]):  # the cursor goes through both places
            assert browser.cursor == name
            browser.move(1)
        browser.move(len(CATALOG))
        assert browser.cursor == ""
        browser.unfold()
        browser.move(len(CATALOG))
        assert browser.cursor == list(CATALOG)[-1]


async def test_no_word_in_the_browser_is_cut() -> None:
    async with explorer(size=(120, 40)) as drive:
        browser = drive.screen.view.browser.list
        for query in ("", "clamp", "absolute difference", "vabsdiff"):
            browser.filter_items(query)
            for width in (28, 41, 60):
                lines = draw_list(browser, width)
                assert all(len(line) <= width for line in lines)
                said = " ".join(" ".join(lines).split())
                for _, name in browser.rows():
                    entry, intrinsic = CATALOG.get(name), map_intrinsics().get(name)
                    about = [entry.brief] if entry else []
                    if intrinsic:
                        about += [f"{x} {intrinsic.ptx.partition(' ')[0]}" for x in "=≈"]
                    assert not name or any(f"{name} {x}" in said for x in about)  # none: folded
        browser.filter_items("average zebra")
        assert draw_list(browser, 40)[0] == "nothing fits zebra; without:"
        browser.filter_items("average")
        assert "nothing fits" not in "".join(draw_list(browser, 40))


async def test_families_beside_the_27_are_folded_until_one_of_them_is_open() -> None:
    others = [group for group in Group if group not in CORE_GROUPS]
    async with explorer(None, {}, size=(120, 40)) as drive:
        browser = drive.screen.view.browser
        assert [group for group, name in browser.list.rows() if not name] == others
        assert f"{Group.FIELDS} …" in drive.pane("instructions").read_text().splitlines()
        assert " ".join(Group.SIMD.split()) in await drive.text()  # the heading of vadd4's family
        await drive.press("slash", *["down"] * 12, "enter")  # to the last family
        assert drive.opcode == "vadd4"
        assert [group for group, name in browser.list.rows() if not name] == others[:-1]
        assert CATALOG[browser.list.cursor or ""].group == Group.COMMON
        await drive.press("enter")
        assert CATALOG[drive.opcode].group == Group.COMMON
        await drive.press("slash", *"popc", "enter")  # the filter searches folded families too
        assert (Group.FIELDS, "popc") in browser.list.rows()
        assert (Group.PERMUTE, "") in browser.list.rows()


@pytest.mark.parametrize("opcode", ["setp", "vadd", "vset4"])
async def test_the_instruction_that_is_open_is_in_sight_in_the_browser(opcode: str) -> None:
    async with explorer(CATALOG[opcode].example[0], {}, size=(120, 40)) as drive:
        list_ = drive.pane("instructions")
        assert f"▸{opcode} " in await drive.text()
        assert list_.vertical_scrollbar.position == list_.scroll_y
        await drive.pilot.resize_terminal(200, 50)
        assert f"▸{opcode} " in await drive.text()


def test_instructions_of_two_and_four_lanes_are_described_alike() -> None:
    families: dict[str, set[str]] = {}
    for opcode, entry in CATALOG.items():
        if entry.lanes > 1:
            families.setdefault(opcode[:-1], set()).add(entry.brief.rpartition(", ")[0])
    assert all(len(told) == 1 for told in families.values())
    assert all(CATALOG[name].brief in told for name, told in families.items() if name in CATALOG)


# --- keys ---------------------------------------------------------


def test_every_action_exists_and_has_an_id_a_tooltip_and_a_group() -> None:
    assert len(ACTIONS) == sum(map(len, GROUPS.values()))
    assert {*FOOTER, *chain(*FIXED_FOOTER_ACTIONS)} <= {*ACTIONS}
    for action in ACTIONS.values():
        assert action.tooltip
    keys = [key for action in ACTIONS.values() for key in action.keys.split(",") if key]
    assert len(set(keys)) == len(keys)
    several = [len(action.keys.split(",")) - 1 for action in ACTIONS.values() if action.is_numbered]
    assert len(make_bindings()) == len(ACTIONS) + sum(several)
    assert all(GROUPS.values())


async def test_the_users_keymap_is_obeyed_and_shown(tmp_path: Path) -> None:
    keymap = '"step.back" = "j"\n[go]\nline = "e"\n[step]\nnumber = "f5,f6"\n'
    (tmp_path / "keys.toml").write_text(keymap)
    async with explorer(store=StateStore(tmp_path, tmp_path)) as drive:
        assert "▸4" in await drive.see("j")
        assert "▸4" in await drive.see("N")
        assert "j back" in await drive.text()
        await drive.press("e")
        assert drive.focus is drive.screen.query_one("#line")
        assert "▸2 extend" in await drive.see("escape", "f6")
        assert "▸1 select" in await drive.see("f5")
        assert "▸3 compare" in await drive.see("3")  # which got no other
        shown = (await drive.see("question_mark")).splitlines()
        (line,) = (line for line in shown if "Go to that step" in line)
        assert "F5 … F6" in line
        (line,) = (line for line in shown if "Go back a step" in line)
        assert re.search(r"  j +back", line)


# --- what is kept ------------------------------------------------------------------------


async def test_the_theme_and_the_recent_instructions_are_kept(tmp_path: Path) -> None:
    async with explorer(store=StateStore(tmp_path, tmp_path)) as drive:
        await drive.press("slash", *"vsub4", "enter")
        drive.app.theme = "textual-light"
        drive.app.save_state()
    async with explorer(None, store=StateStore(tmp_path, tmp_path)) as drive:
        assert drive.opcode == "vsub4"
        assert drive.app.theme == "textual-light"
    async with explorer(store=StateStore(tmp_path, tmp_path)) as drive:
        assert drive.session.setup.instruction == parse(LINE)
        assert "vsub4" in drive.state.recent


# --- looks -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "theme", some(["textual-light", "textual-dark", "ansi-dark", "ansi-light", "nord"], 0, 2)
)
async def test_themes_change_colours_only(theme: str) -> None:
    async with explorer(*E3) as drive:
        before = await drive.text()
        drive.app.theme = theme
        assert await drive.text() == before


@pytest.mark.parametrize(
    "size", some([(80, 24), (60, 18), (40, 12), (20, 6), (200, 60), (300, 100)], 0, 2, 3)
)
@pytest.mark.parametrize(
    "line",
    some([LINE, E3[0], "setp.lt.and.f64 p|q, a, b, !c", "vmad.u32.u32.u32.sat d, a, b, c"], 0, 2),
)
async def test_any_size_keeps_the_result_in_sight(size: tuple[int, int], line: str) -> None:
    async with explorer(line, {}, size=size) as drive:
        shown = await drive.text()
        if size >= (40, 12):
            for name in drive.result:
                assert f"{name} = " in shown
        drive.agree()


ODD_TEXTS = [
    "[a]",
    "[/x]",
    "[red]x[/red]",
    "\\[b]",
    "😀",
    "\u05d0\u05d1",
    "é",
    "\x1b[31m",
    "x" * 9999,
]


@pytest.mark.parametrize("text", some(ODD_TEXTS, 1, 4, 7))
async def test_odd_text_is_shown_as_text_everywhere(text: str) -> None:
    async with explorer() as drive:
        shown = await drive.read_after(drive.paste(f"vadd.u32.u32.u32 d, {text}, b"))
        assert "\x1b" not in shown
        if text.isascii() and text.isprintable() and len(text) < 99:
            assert text in shown
        await drive.press("escape", "slash")
        await drive.paste(text)
        await drive.press("escape", "o", "enter")
        shown = await drive.read_after(drive.paste(text))
        assert "is not a" in shown
        drive.agree()
