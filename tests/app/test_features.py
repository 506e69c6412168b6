"""What the explorer can do beyond showing a trace, each through its keys."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from textual.widgets import Input

from ptxscope import parse
from ptxscope.app.command_palette import ActionCommands, draw_example
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.entry import CORE_GROUPS, Group
from ptxscope.engine.isa.intrinsics import map_intrinsics
from ptxscope.engine.micro_operations.properties import Flag, Stage
from ptxscope.engine.tracing.evaluation import make_plan
from ptxscope.engine.tracing.step_text import format_stage_title
from ptxscope.scene.scene_cells import GLYPHS
from ptxscope.screens.dialogs.help_dialog import STAGES
from ptxscope.screens.main.main_screen import make_bindings
from ptxscope.state.actions import ACTIONS, FIXED_FOOTER_ACTIONS, FOOTER, GROUPS
from ptxscope.state.state_store import StateStore
from ptxscope.widgets.instruction_browser import InstructionList
from tests.app.driving import LINE, explorer
from tests.strategies import random_instruction
from tests.tiers import ci_only, sampled, some

pytestmark = [sampled, ci_only]

E1 = "vset.s32.u32.lt d.h1, a, b, c"
E3 = ("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344})
THE_27 = [name for name, entry in CATALOG.items() if entry.group in CORE_GROUPS]
VADD4 = ("vadd4.s32.s32.u32.sat d.b310, a, b, c", {"a": 0x80FF7F01, "b": 0x01FF0180, "c": 1})


# --- the browser -------------------------------------------------------------------------


async def test_esc_clears_the_filter_and_then_leaves_it() -> None:
    async with explorer(size=(120, 40)) as drive:
        field = drive.screen.query_one("#filter", Input)
        assert "Esc leave" in await drive.see("slash")
        shown = await drive.see(*"vavrg4")
        assert "Esc clear" in shown
        assert "vshr" not in drive.pane("instructions").read_text()
        shown = await drive.see("escape")
        assert "Esc leave" in shown
        assert field.value == ""
        assert drive.focus is field
        assert "vshr" in drive.pane("instructions").read_text()
        await drive.press("escape")
        assert drive.focus is None
        await drive.press("slash", *"vm", "escape", *"vsub4", "enter")
        assert drive.line.startswith("vsub4.")


async def test_intrinsics_are_found_and_say_what_differs() -> None:
    async with explorer() as drive:
        shown = await drive.see("slash", *"vcmpgts4")
        assert "__vcmpgts4" in shown
        assert "≈" in shown
        shown = await drive.see("enter")
        assert drive.session.setup.instruction == parse(map_intrinsics()["__vcmpgts4"].ptx)
        assert "all ones" in shown
        await drive.press("slash", *"vadd4", "underscore")
        assert "nothing matches" in await drive.see("slash", *"zzz")
        await drive.press("enter", "r")  # the field is not left: r is text, no action
        assert drive.focus is drive.screen.view.browser.filter
        assert drive.screen.view.browser.filter.value.endswith("zzzr")


async def test_words_that_nothing_fits_are_named_above_what_is_found() -> None:
    async with explorer(size=(120, 40)) as drive:
        await drive.press("slash", *"average", "space", *"zebra")
        first, *_ = drive.pane("instructions").read_text().splitlines()
        assert first.split() == ["nothing", "fits", "zebra;", "without:"]
        await drive.press(*["backspace"] * 6)
        assert "nothing fits" not in drive.pane("instructions").read_text()


def test_recently_used_instructions_are_on_top() -> None:
    browser = InstructionList()
    browser.show("selp", ("selp", "vmad"))
    lines = ["".join(piece.text for piece in line) for line in browser.draw(40)]
    assert lines[0].startswith("Recently used")
    assert [line.split()[0].lstrip("▸") for line in lines[1:3]] == ["selp", "vmad"]
    names = [line.split()[0].lstrip("▸") for line in lines]
    assert [name for name in names if name in CATALOG] == ["selp", "vmad", *THE_27]


async def test_the_browser_moves_through_both_places_of_an_instruction() -> None:
    async with explorer("set.eq.u32.u32 d, a, b", {}, size=(120, 40)) as drive:
        await drive.press("slash", *"selp", "enter", "slash", *"down,down,down,enter".split(","))
        assert drive.opcode == "selp"  # set and setp stand above it
        to_the_end = ["down"] * (len(CATALOG) + 5)
        await drive.press("slash", *to_the_end, "enter", *to_the_end, "enter")  # unfolds a family
        assert drive.opcode == list(CATALOG)[-1]


def test_instructions_of_two_and_four_lanes_are_described_alike() -> None:
    families: dict[str, set[str]] = {}
    for opcode, entry in CATALOG.items():
        if entry.lanes > 1:
            families.setdefault(opcode[:-1], set()).add(entry.brief.rpartition(", ")[0])
    assert all(len(told) == 1 for told in families.values())
    assert all(CATALOG[name].brief in told for name, told in families.items() if name in CATALOG)


# --- the line ----------------------------------------------------------------------------


async def test_tab_completes_and_the_arrows_choose() -> None:
    async with explorer() as drive:
        await drive.press("i", "home", "ctrl+k")
        shown = await drive.see(*"vav")
        assert "Tab: vavrg2  vavrg4" in shown
        await drive.press("down", "tab")
        assert drive.line == "vavrg4"
        shown = await drive.read_after(drive.type("."))
        assert "Tab: u32  s32" in shown
        await drive.press("tab")
        assert drive.line == "vavrg4.u32"


async def test_pasting_an_asm_statement_opens_it() -> None:
    async with explorer() as drive:
        await drive.paste('asm("vmin4.s32.s32.s32.add" "%0, %1.b3210,\\n\\t %2, %3;" : "=r"(x));')
        assert drive.line == "vmin4.s32.s32.s32.add %0, %1.b3210, %2, %3;"
        await drive.press("i")
        await drive.paste("vadd.u32.u32.u32 x, y, z")
        assert drive.line == "vadd.u32.u32.u32 x, y, z;"
        await drive.press("end", "left")
        await drive.paste("z")
        assert drive.line == "vadd.u32.u32.u32 x, y, zz;"


async def test_a_pasted_text_that_is_wrong_is_kept_to_be_mended() -> None:
    async with explorer() as drive:
        shown = await drive.read_after(
            drive.paste('asm volatile("vadd4.u32.u32 %0,\n %1, %2, %3;" : )')
        )
        assert 'asm volatile("vadd4.u32.u32 %0, %1, %2, %3;" : )' in shown
        assert "missing its type of b" in shown
        assert "%r1 = 0x00000007" in shown
        assert drive.focus is drive.screen.query_one("#line")


# --- operands ----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_a_float_is_told_once_and_in_the_pictures_words(size: tuple[int, int]) -> None:
    """0x01ffffff has the biased exponent 3, so 2^(3 - 127); the operand and the picture say so."""
    values = {"a": 0x01FFFFFF, "b": 0x7FC00000}
    async with explorer("setp.lt.f32 p|q, a, b", values, size=size) as drive:
        assert drive.pane("lanes").read_text().count("exponent 2^-124") == 1
        await drive.press("o")
        rows = drive.pane("operands").read_text().splitlines()
        assert [row.strip()[:3].strip() for row in rows if row.strip()[0] in "ab"] == ["a", "b"]
        assert len(rows) == 4
        assert rows[0].endswith("exponent 2^-124")
        assert "exp 0x" not in "".join(rows)
        assert "".join(rows).count("NaN") == 1


async def test_an_edge_case_is_chosen_from_the_list() -> None:
    async with explorer() as drive:
        assert "each lane 0x80" in await drive.see("o", "v")
        await drive.press("down", "down", "down", "enter")
        assert drive.operands["a"] == 0x80808080


# --- two answers, the pin ----------------------------------------------------------------


async def test_another_answer_and_a_pin_are_drawn_beside_the_trace() -> None:
    async with explorer(*E3, size=(80, 24)) as drive:
        assert "ptxas-13.5 (E3)" in drive.pane("lanes").read_text()
        await drive.press("equals_sign", "o", "greater_than_sign")
        assert "≠pin" in drive.pane("lanes").read_text()
    async with explorer(size=(120, 60)) as drive:
        await drive.press("equals_sign", "o", "down", "down", "greater_than_sign")
        pinned = [line for line in drive.pane("lanes").read_text().splitlines() if "≠pin" in line]
        assert len(pinned) >= 2  # the accumulator, and the sum that it begins
        assert "00000005" in "".join(pinned)
        assert "5 + 1 = 6" in "".join(pinned)
        *_, result, pinned_result = [
            line.split() for line in drive.pane("lanes").read_text().splitlines() if "▐0000" in line
        ]
        assert result[-1] == "d▐00000008▌"  # -128 < 1, -1 < 1, and c is 6
        assert pinned_result == ["≠pin", "▐00000007▌"]


async def test_an_older_assembler_is_an_answer_of_its_own() -> None:
    async with explorer(E1, {"a": 0xFFFFFFFF, "b": 0, "c": 1}) as drive:
        assert "≠ ptxas-13.0 0x00000001 (E1)" in await drive.text()
        await drive.press("t")
        assert drive.session.setup.model == "ptxas-13.5"
        shown = await drive.see("t")
        assert drive.session.setup.model == "ptxas-13.0"
        assert "d = 0x00000001" in shown
        await drive.press("t")
        assert drive.session.setup.model == "isa"


# --- steps -------------------------------------------------------------------------------


async def test_the_current_step_has_its_section_and_flags() -> None:
    async with explorer(*VADD4) as drive:
        shown = await drive.see("N", "N")
        assert "PTX ISA 9.7.18.2.3" in shown
        assert "254 ▸ 127" in shown
        assert ".sat clamps" in shown


# --- copying, help, keys, palette ---------------------------------------------------------


async def test_the_copied_command_prints_the_result_on_the_screen() -> None:
    async with explorer(*E3, model="ptxas") as drive:
        await drive.press("y")
        copied = drive.app.clipboard
        assert copied.startswith("ptxscope trace")
        words = shlex.split(copied)[1:]
        done = subprocess.run(
            [sys.executable, "-m", "ptxscope", *words], capture_output=True, text=True, check=True
        )
        assert "d = 0x112233ff" in done.stdout
        assert "d = 0x112233ff" in await drive.text()
        await drive.press("@copy.result")
        assert drive.app.clipboard == "0x112233ff"


async def test_help_explains_every_key_stage_and_glyph() -> None:
    async with explorer(size=(120, 200)) as drive:
        shown = " ".join((await drive.see("question_mark", "question_mark")).split())
        for action in ACTIONS.values():
            assert action.tooltip in shown
        for stage in Stage:
            assert STAGES[stage]
        for flag, glyph in GLYPHS.items():
            assert f"{glyph} {flag}:" in shown
        assert set(GLYPHS) | {Flag.SIGN_EXTENDED, Flag.ZERO_EXTENDED} == set(Flag)
        assert "Help" not in await drive.see("escape")


async def test_help_shows_what_the_explorer_draws() -> None:
    # 0x80 is -128 as s8 and 128 as u8; 127 + 127 is 254; lane 2 is not in the mask
    line = "vadd4.s32.s32.u32.sat d.b310, a, b, c"
    values = {"a": 0x80227F01, "b": 0x80807F02, "c": 0x22222222}
    drawn = ""
    async with explorer(line, values, size=(120, 60)) as drive:
        for step in "12345":
            drawn += await drive.see(step)
    drawn = drawn.replace("▐22▌ 34", "")  # c as it is
    shown = [
        quoted
        for stage in (Stage.SELECT, Stage.EXTEND, Stage.SATURATE, Stage.MERGE)
        for quoted in re.findall("`(.*?)`", STAGES[stage])
    ]
    assert len(shown) == 7
    assert [x for x in shown if x not in drawn] == []


async def test_help_calls_steps_as_they_are_called() -> None:
    async with explorer(size=(120, 400)) as drive:
        shown = await drive.see("question_mark", "question_mark")
    _, _, stages = shown.partition("The stages")
    stages = " ".join(stages.split())
    for opcode in CATALOG:
        for seed in range(6):
            ins = random_instruction(opcode, seed)
            for stage, rows in make_plan(ins).stages.items():
                title = format_stage_title(stage, rows)
                assert re.search(rf"(^|[ ,]){re.escape(title)}[ .,]", stages), title


def test_every_action_exists_and_has_an_id_a_tooltip_and_a_group() -> None:
    assert len(ACTIONS) == sum(map(len, GROUPS.values()))
    assert {*FOOTER, *FIXED_FOOTER_ACTIONS} <= {*ACTIONS}
    for action in ACTIONS.values():
        assert action.tooltip
    keys = [key for action in ACTIONS.values() for key in action.keys.split(",") if key]
    assert len(set(keys)) == len(keys)
    several = [len(action.keys.split(",")) - 1 for action in ACTIONS.values() if action.is_numbered]
    assert len(make_bindings()) == len(ACTIONS) + sum(several)
    assert all(GROUPS.values())


async def test_the_palette_opens_instructions_and_runs_actions() -> None:
    async with explorer() as drive:
        await drive.press("ctrl+p", *"vavrg4")
        await drive.pilot.pause(0.3)
        await drive.press("enter")
        await drive.pilot.pause(0.1)
        assert drive.opcode == "vavrg4"
        await drive.press("ctrl+p", *"swap the", "space")
        await drive.pilot.pause(0.3)
        before = drive.operands["a"]
        await drive.press("enter")
        await drive.pilot.pause(0.1)
        assert drive.operands["b"] == before


async def test_gallery_finds_all_instructions_as_pictures() -> None:
    async with explorer() as drive:
        await drive.press("ctrl+p", *"gallery")
        await drive.pilot.pause(0.3)
        shown = await drive.text()
        assert all(name in shown for name in list(CATALOG)[:3])
        assert draw_example(next(iter(CATALOG))) in shown


async def test_the_list_of_themes_marks_the_current_one() -> None:
    async with explorer() as drive:
        drive.app.theme = "nord"
        drive.app.search_themes()
        await drive.pilot.pause(0.3)
        marked = [x for x in (await drive.text()).splitlines() if "current" in x]
        assert [x.split()[0] for x in marked] == ["nord"]


async def test_the_users_keymap_is_obeyed_and_shown(tmp_path: Path) -> None:
    (tmp_path / "keys.toml").write_text('"step.back" = "j"\n[go]\nline = "e"\n')
    async with explorer(store=StateStore(tmp_path, tmp_path)) as drive:
        assert "▸4" in await drive.see("j")
        assert "▸4" in await drive.see("N")
        assert "j back" in await drive.text()
        await drive.press("e")
        assert drive.focus is drive.screen.query_one("#line")


# --- letters and fields, mouse -----------------------------------------------------------


async def test_everything_can_be_done_with_the_mouse() -> None:
    async with explorer(*VADD4) as drive:
        assert "▸3 add" in await drive.read_after(drive.click("lanes", "3 add"))
        await drive.click("modifiers", "u32")
        assert drive.line.startswith("vadd4.u32.")
        await drive.click("operands", "1000 0000")
        assert drive.operands["a"] == 0x00FF7F01
        await drive.click("keys", "Esc leave")
        await drive.click("keys", "n next")
        assert drive.state.step == 4
        await drive.click("lanes", " a.b1")
        assert drive.lanes.place is not None
        await drive.pilot.click("#filter")
        assert drive.focus is drive.screen.query_one("#filter", Input)


# --- what is kept ------------------------------------------------------------------------


@ci_only
async def test_the_theme_and_the_recent_instructions_are_kept(tmp_path: Path) -> None:
    async with explorer(*VADD4, store=StateStore(tmp_path, tmp_path)) as drive:
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


@pytest.mark.parametrize(
    "text", some(["[a]", "[/x]", "[red]x[/red]", "\\[b]", "😀", "\u05d0\u05d1", "é"], 1, 4)
)
async def test_odd_text_is_shown_as_text_everywhere(text: str) -> None:
    async with explorer() as drive:
        shown = await drive.read_after(drive.paste(f"vadd.u32.u32.u32 d, {text}, b"))
        if text.isascii():
            assert text in shown
        await drive.press("escape", "slash")
        await drive.paste(text)
        await drive.press("escape", "o", "enter")
        shown = await drive.read_after(drive.paste(text))
        assert "is not a" in shown
        drive.agree()


async def test_ten_thousand_characters_and_escape_bytes() -> None:
    async with explorer() as drive:
        await drive.paste("x" * 10_000)
        assert "is not an instruction" in await drive.text()
        shown = await drive.read_after(drive.paste("vadd\x1b[31m.u32 d, a, b"))
        assert "\x1b" not in shown
        drive.agree()


async def test_a_pin_of_another_instruction_is_said_to_wait() -> None:
    async with explorer("vadd4.u32.u32.u32 d, a, b, c", {"a": 1, "b": 2}, size=(80, 24)) as drive:
        await drive.press("equals_sign", "slash")
        await drive.type("vmad")
        shown = await drive.see("enter")
        assert drive.opcode == "vmad"
        assert "The pin waits for vadd4: it is not compared with vmad · = unpins it" in shown
        assert "waits" not in await drive.see("r")
        shown = await drive.see("u", "u")
        assert drive.opcode == "vadd4"
        assert "waits" not in shown
        assert "pin" in drive.pane("result").read_text()


@pytest.mark.parametrize(
    ("query", "labels"),
    [
        ("run", ["Listings: run"]),
        ("copy", ["Documents: copy", "Documents: copy result"]),
        ("sass", ["Answers: SASS"]),
        ("note", ["Documents: note"]),
        ("line", ["Go to: line"]),
        ("motion", ["Steps: motion"]),
    ],
)
async def test_the_palette_has_the_best_match_first(query: str, labels: list[str]) -> None:
    async with explorer() as drive:
        provider = ActionCommands(drive.screen)
        hits = sorted([hit async for hit in provider.search(query)], key=lambda x: -x.score)
        assert [(hit.text or "").split("  ")[0] for hit in hits][: len(labels)] == labels


@pytest.mark.parametrize(
    ("opcode", "picture"),
    [
        # 100 + 100 and -100 + -100 are clamped, 1 + 2 = 3, 5 - 7 = -2
        ("vadd4", "a ▐64▌▐9c▌▐01▌▐05▌  b ▐64▌▐9c▌▐02▌▐f9▌  →  d ▐7f▌▐80▌▐03▌▐fe▌"),
        # two lanes are less than, and c is 5; a sum has no lanes
        ("vset4", "a ▐80▌▐ff▌▐7f▌▐01▌  b ▐01▌▐01▌▐01▌▐01▌  c ▐00000005▌  →  d ▐00000007▌"),
        # NaN is not less than 0: t and c is false, not t and c is true
        ("setp", "a ▐7fc00000▌  b ▐00000000▌  c ▐1▌  →  p ▐0▌  q ▐1▌"),
    ],
)
def test_the_palette_draws_the_example_of_an_instruction(opcode: str, picture: str) -> None:
    assert draw_example(opcode) == picture


# --- families of the browser ---------------------------------------------------------------


OTHERS = [x for x in Group if x not in CORE_GROUPS]


async def test_families_beside_the_27_are_folded() -> None:
    async with explorer(None, {}, size=(120, 40)) as drive:
        browser = drive.screen.view.browser
        rows = browser.list.rows()
        assert [group for group, name in rows if not name] == OTHERS
        assert [name for _, name in rows if name] == [*CATALOG][:27]
        shown = drive.pane("instructions").read_text().splitlines()
        assert f"{Group.FIELDS} …" in shown
        assert " ".join(Group.SIMD.split()) in await drive.text()  # the heading of vadd4's family

        await drive.press("slash", *["down"] * 12, "enter")  # to the last family
        assert drive.opcode == "vadd4"
        rows = browser.list.rows()
        assert [group for group, name in rows if not name] == OTHERS[:-1]
        assert CATALOG[browser.list.cursor or ""].group == Group.COMMON
        await drive.press("enter")
        assert CATALOG[drive.opcode].group == Group.COMMON


async def test_a_filter_searches_folded_families_and_opens_one() -> None:
    async with explorer(None, {}, size=(120, 24)) as drive:
        await drive.press("slash", *"popc", "enter")
        rows = drive.screen.view.browser.list.rows()
        assert (Group.FIELDS, "popc") in rows
        assert (Group.PERMUTE, "") in rows


async def test_the_list_begins_at_the_open_family() -> None:
    async with explorer("popc.b32 d, a", {}, size=(120, 24)) as drive:
        shown = await drive.text()
        assert f" {Group.FIELDS}\n" in shown  # its heading
        assert "▸popc" in shown
        assert Group.SIMD not in shown
