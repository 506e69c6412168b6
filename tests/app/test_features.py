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
from ptxscope.engine.isa.entry import CORE_GROUPS
from ptxscope.engine.isa.intrinsics import map_intrinsics
from ptxscope.engine.micro_operations.properties import Flag, Stage
from ptxscope.engine.tracing.evaluation import make_plan
from ptxscope.engine.tracing.step_text import format_stage_title
from ptxscope.scene.scene_cells import GLYPHS
from ptxscope.screens.dialogs.help_dialog import STAGES
from ptxscope.screens.main.main_screen import make_bindings
from ptxscope.state.actions import ACTIONS, FIXED_FOOTER_ACTIONS, FOOTER, GROUPS
from ptxscope.state.state_store import StateStore
from ptxscope.widgets.lanes.lanes_pane import LanesPane
from tests.app.driving import KEYS, LINE, explorer, focused
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
        assert "Esc leave" in await drive.read_after(drive.press("slash"))
        shown = await drive.read_after(drive.press(*"vavrg4"))
        assert "Esc clear" in shown
        assert "vshr" not in drive.pane("instructions").read_text()
        shown = await drive.read_after(drive.press("escape"))
        assert "Esc leave" in shown
        assert field.value == ""
        assert focused(drive) is field
        assert "vshr" in drive.pane("instructions").read_text()
        await drive.press("escape")
        assert focused(drive) is None
        await drive.press("slash", *"vm", "escape", *"vsub4", "enter")
        assert drive.session.setup.line.startswith("vsub4.")


async def test_intrinsics_are_found_and_say_what_differs() -> None:
    async with explorer() as drive:
        shown = await drive.read_after(drive.press("slash", *"vcmpgts4"))
        assert "__vcmpgts4" in shown
        assert "≈" in shown
        shown = await drive.read_after(drive.press("enter"))
        assert drive.session.setup.instruction == parse(map_intrinsics()["__vcmpgts4"].ptx)
        assert "all ones" in shown
        await drive.press("slash", *"vadd4", "underscore")
        assert "nothing matches" in await drive.read_after(drive.press("slash", *"zzz"))


async def test_words_that_nothing_fits_are_named_above_what_is_found() -> None:
    async with explorer(size=(120, 40)) as drive:
        await drive.press("slash", *"average", "space", *"zebra")
        first, *_ = drive.pane("instructions").read_text().splitlines()
        assert first.split() == ["nothing", "fits", "zebra;", "without:"]
        await drive.press(*["backspace"] * 6)
        assert "nothing fits" not in drive.pane("instructions").read_text()


async def test_recently_used_instructions_are_on_top() -> None:
    async with explorer(size=(120, 40)) as drive:
        await drive.press("slash", *"vmad", "enter", "slash", *"selp", "enter")
        first = drive.pane("instructions").read_text().splitlines()[:3]
        assert first[0].startswith("Recently used")
        assert "selp" in first[1]
        assert "vmad" in first[2]
        names = [
            line.split()[0].lstrip("▸")
            for line in drive.pane("instructions").read_text().split("\n")
        ]
        assert [name for name in names if name in CATALOG] == ["selp", "vmad", *THE_27]


async def test_the_browser_moves_through_both_places_of_an_instruction() -> None:
    async with explorer("set.eq.u32.u32 d, a, b", {}, size=(120, 40)) as drive:
        await drive.press("slash", *"selp", "enter", "slash", *"down,down,down,enter".split(","))
        assert drive.session.setup.instruction.opcode == "selp"  # set and setp stand above it
        to_the_end = ["down"] * (len(CATALOG) + 5)
        await drive.press("slash", *to_the_end, "enter", *to_the_end, "enter")  # unfolds a family
        assert drive.session.setup.instruction.opcode == list(CATALOG)[-1]


async def test_the_browser_has_one_line_for_each_instruction() -> None:
    async with explorer(size=(120, 40)) as drive:
        lines = drive.pane("instructions").read_text().splitlines()
        groups = {entry.group for entry in CATALOG.values()}
        assert len(lines) == len(THE_27) + len(groups)
    families: dict[str, set[str]] = {}
    for opcode, entry in CATALOG.items():
        if entry.lanes > 1:
            families.setdefault(opcode[:-1], set()).add(entry.brief.rpartition(", ")[0])
    assert all(len(told) == 1 for told in families.values())  # two and four lanes alike
    assert all(CATALOG[name].brief in told for name, told in families.items() if name in CATALOG)


# --- the line ----------------------------------------------------------------------------


async def test_tab_completes_and_the_arrows_choose() -> None:
    async with explorer() as drive:
        await drive.press("i", "home", "ctrl+k")
        shown = await drive.read_after(drive.press(*"vav"))
        assert "Tab: vavrg2  vavrg4" in shown
        await drive.press("down", "tab")
        assert drive.session.setup.line == "vavrg4"
        shown = await drive.read_after(drive.type("."))
        assert "Tab: u32  s32" in shown
        await drive.press("tab")
        assert drive.session.setup.line == "vavrg4.u32"


async def test_fast_typing_loses_nothing() -> None:
    line = "vavrg4.s32.s32.s32 d.b31, a, b, c"
    async with explorer() as drive:
        await drive.press("i", "home", "ctrl+k")
        await drive.mash(*(KEYS.get(char, char) for char in line))
        await drive.mash(*["backspace"] * 3, "comma", "space", "c")
        assert line in await drive.text()
        assert drive.session.setup.line == line
        assert drive.session.setup.error is None


async def test_a_fix_is_one_key() -> None:
    async with explorer() as drive:
        shown = await drive.read_after(drive.paste("varvg2.s32.s32.s32 d, a, b, c"))
        assert "did you mean `vavrg2`" in shown
        assert "F2: vavrg2" in shown
        await drive.press("@edit.fix")
        assert drive.session.setup.error is None
        assert drive.session.setup.instruction.opcode == "vavrg2"


async def test_pasting_an_asm_statement_opens_it() -> None:
    async with explorer() as drive:
        await drive.paste('asm("vmin4.s32.s32.s32.add" "%0, %1.b3210,\\n\\t %2, %3;" : "=r"(x));')
        assert drive.session.setup.line == "vmin4.s32.s32.s32.add %0, %1.b3210, %2, %3;"
        await drive.press("i")
        await drive.paste("vadd.u32.u32.u32 x, y, z")
        assert drive.session.setup.line == "vadd.u32.u32.u32 x, y, z;"
        await drive.press("end", "left")
        await drive.paste("z")
        assert drive.session.setup.line == "vadd.u32.u32.u32 x, y, zz;"


async def test_a_pasted_text_that_is_wrong_is_kept_to_be_mended() -> None:
    async with explorer() as drive:
        shown = await drive.read_after(
            drive.paste('asm volatile("vadd4.u32.u32 %0,\n %1, %2, %3;" : )')
        )
        assert 'asm volatile("vadd4.u32.u32 %0, %1, %2, %3;" : )' in shown
        assert "missing its type of b" in shown
        assert "%r1 = 0x00000007" in shown
        assert focused(drive) is drive.screen.query_one("#line")


# --- operands ----------------------------------------------------------------------------


async def test_floats_show_their_parts_and_class() -> None:
    line = "setp.lt.and.f32 p|q, a, b, c"
    async with explorer(line, {"a": 1, "b": 0x7FC00000, "c": 1}) as drive:
        shown = " ".join(drive.pane("operands").read_text().split())
        assert "1e-45 exponent 0, so subnormal" in shown
        assert "NaN exponent all 1, fraction not 0" in shown
        assert "1 true" in shown


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


async def test_presets_that_bite() -> None:
    async with explorer() as drive:
        shown = await drive.read_after(drive.press("o", "v"))
        assert "each lane 0x80" in shown
        await drive.press("down", "down", "down", "enter")
        assert drive.session.trace.operands["a"] == 0x80808080
    async with explorer("set.lt.u32.f32 d, a, b", {}) as drive:
        shown = await drive.read_after(drive.press("o", "v"))
        assert "smallest subnormal" in shown
        assert "signalling NaN" in shown
        await drive.press("down", "enter")
        assert drive.session.trace.operands["a"] == 0x80000000


async def test_one_register_in_two_roles_has_one_value() -> None:
    async with explorer("vadd4.u32.u32.u32 x, x, y, x", {"x": 1, "y": 2}) as drive:
        await drive.press("o", "greater_than_sign")
        assert drive.session.trace.result == {"x": 4}


# --- two answers, the pin ----------------------------------------------------------------


async def test_two_answers_stand_side_by_side_from_where_they_part() -> None:
    async with explorer(*E3, size=(80, 24)) as drive:
        lanes = drive.pane("lanes").read_text()
        above, _, below = lanes.partition("ptxas-13.5 (E3)")
        assert "3 add" in above
        assert "≠" not in above
        assert re.search(r"0x11223300.*≠ 112233ff", " ".join(below.split()))
        assert "≠ ptxas-13.5 0x112233ff (E3)" in await drive.text()
        shown = " ".join((await drive.read_after(drive.press("4"))).split())
        assert "≠ E3: The clamp's lower bound is missing" in shown


async def test_an_older_assembler_is_an_answer_of_its_own() -> None:
    async with explorer(E1, {"a": 0xFFFFFFFF, "b": 0, "c": 1}) as drive:
        assert "≠ ptxas-13.0 0x00000001 (E1)" in await drive.text()
        await drive.press("t")
        assert drive.session.setup.model == "ptxas-13.5"
        shown = await drive.read_after(drive.press("t"))
        assert drive.session.setup.model == "ptxas-13.0"
        assert "d = 0x00000001" in shown
        await drive.press("t")
        assert drive.session.setup.model == "isa"


async def test_a_pin_is_compared_row_by_row() -> None:
    async with explorer(*VADD4) as drive:
        await drive.press("equals_sign")
        assert "≠pin" not in await drive.text()
        shown = await drive.read_after(drive.press("m", *["down"] * 2, "right", "enter", "escape"))
        assert drive.session.setup.line.startswith("vadd4.s32.s32.s32")
        lanes = drive.pane("lanes").read_text()
        assert "≠pin" in lanes
        extended = next(line for line in lanes.splitlines() if "░00▐80▌ = 128" in line)
        assert "░00▐ff▌ = 255" in extended
        assert "▐01▌" not in extended
        assert "pin 0x" in shown
        assert "≠pin" not in await drive.read_after(drive.press("equals_sign"))


# --- steps -------------------------------------------------------------------------------


async def test_the_current_step_has_its_section_and_flags() -> None:
    async with explorer(*VADD4) as drive:
        shown = await drive.read_after(drive.press("N", "N"))
        assert "PTX ISA 9.7.18.2.3" in shown
        assert "254 ▸ 127" in shown
        assert ".sat clamps" in shown


async def test_a_tall_panel_shows_every_revealed_step() -> None:
    async with explorer(size=(200, 60)) as drive:
        words = drive.pane("lanes").read_text()
        assert "1 select" in words
        assert "= -128" in words
        assert "-128 < 1 ✓" in words
        assert "⊕ 7" in words


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
        shown = " ".join(
            (await drive.read_after(drive.press("question_mark", "question_mark"))).split()
        )
        for action in ACTIONS.values():
            assert action.tooltip in shown
        for stage in Stage:
            assert STAGES[stage]
        for flag, glyph in GLYPHS.items():
            assert f"{glyph} {flag}:" in shown
        assert set(GLYPHS) | {Flag.SIGN_EXTENDED, Flag.ZERO_EXTENDED} == set(Flag)
        assert "Help" not in await drive.read_after(drive.press("escape"))


async def test_help_shows_what_the_explorer_draws() -> None:
    # 0x80 is -128 as s8 and 128 as u8; 127 + 127 is 254; lane 2 is not in the mask
    line = "vadd4.s32.s32.u32.sat d.b310, a, b, c"
    values = {"a": 0x80227F01, "b": 0x80807F02, "c": 0x22222222}
    drawn = ""
    async with explorer(line, values, size=(120, 60)) as drive:
        for step in "12345":
            drawn += await drive.read_after(drive.press(step))
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
        shown = await drive.read_after(drive.press("question_mark", "question_mark"))
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
        assert drive.session.setup.instruction.opcode == "vavrg4"
        await drive.press("ctrl+p", *"swap the", "space")
        await drive.pilot.pause(0.3)
        before = drive.session.trace.operands["a"]
        await drive.press("enter")
        await drive.pilot.pause(0.1)
        assert drive.session.trace.operands["b"] == before


async def test_the_users_keymap_is_obeyed_and_shown(tmp_path: Path) -> None:
    (tmp_path / "keys.toml").write_text('"step.back" = "j"\n[go]\nline = "e"\n')
    async with explorer(store=StateStore(tmp_path, tmp_path)) as drive:
        assert "▸4" in await drive.read_after(drive.press("j"))
        assert "▸4" in await drive.read_after(drive.press("N"))
        assert "j back" in await drive.text()
        await drive.press("e")
        assert focused(drive) is drive.screen.query_one("#line")


async def test_a_keymap_that_is_wrong_is_named_and_ignored(tmp_path: Path) -> None:
    (tmp_path / "keys.toml").write_text("step.next = \n")
    async with explorer(store=StateStore(tmp_path, tmp_path), size=(120, 40)) as drive:
        said = [notification.message for notification in drive.app._notifications]
        assert any("keys.toml is not used" in message for message in said)
        assert "▸4" in await drive.read_after(drive.press("N"))


# --- letters and fields, mouse -----------------------------------------------------------


async def test_letters_act_unless_a_field_has_the_focus() -> None:
    async with explorer() as drive:
        assert focused(drive) is None
        await drive.press("i", "end", *"npq")
        assert drive.session.setup.line.endswith("npq")
        await drive.press("escape")
        assert focused(drive) is None
        await drive.press("l", "down", "N")
        assert drive.state.step == 4


async def test_everything_can_be_done_with_the_mouse() -> None:
    async with explorer(*VADD4) as drive:
        assert "▸3 add" in await drive.read_after(drive.click("lanes", "3 add"))
        await drive.click("modifiers", "u32")
        assert drive.session.setup.line.startswith("vadd4.u32.")
        await drive.click("operands", "1000 0000")
        assert drive.session.trace.operands["a"] == 0x00FF7F01
        await drive.click("keys", "Esc leave")
        await drive.click("keys", "n next")
        assert drive.state.step == 4
        await drive.click("lanes", " a.b1")
        assert drive.screen.query_one(LanesPane).place is not None
        await drive.pilot.click("#filter")
        assert focused(drive) is drive.screen.query_one("#filter", Input)


async def test_the_lanes_give_up_their_text_to_a_mouse_selection() -> None:
    async with explorer() as drive:
        lanes = drive.pane("lanes")
        line = next(y for y, text in enumerate(lanes.read_text().splitlines()) if "▒ff" in text)
        start = lanes.read_text().splitlines()[line].index("▒ff") + lanes.gutter.left
        y = line + lanes.gutter.top - lanes.scroll_offset.y
        await drive.pilot.mouse_down(lanes, offset=(start, y))
        await drive.pilot.hover(lanes, offset=(start + 11, y))
        await drive.pilot.mouse_up(lanes, offset=(start + 11, y))
        selected = drive.app.screen.get_selected_text()
        assert selected is not None
        assert selected.startswith(("▒ff▐80▌ = -128"[:11], "▒ff80=-128 "[:11]))


# --- what is kept ------------------------------------------------------------------------


@ci_only
async def test_what_was_open_is_there_again(tmp_path: Path) -> None:
    store = StateStore(tmp_path, tmp_path)
    async with explorer(*VADD4, store=store) as drive:
        await drive.press("equals_sign", "@edit.swap", "N", "N", "slash", *"vsub4", "enter", "N")
        drive.app.theme = "textual-light"
        line, step = drive.session.setup.line, drive.state.step
        values = drive.session.trace.operands
        drive.app.save_state()
    async with explorer(None, store=StateStore(tmp_path, tmp_path)) as drive:
        assert drive.session.setup.line == line
        assert drive.session.trace.operands == values
        assert drive.state.step == step
        assert drive.state.pin is not None
        assert drive.app.theme == "textual-light"
        assert "vsub4" in drive.state.recent
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
            for name in drive.session.trace.result:
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


async def test_register_names_with_dollars_and_percent_signs() -> None:
    async with explorer("vadd.u32.u32.u32 $x, %y_1, _z", {"%y_1": 1, "_z": 2}) as drive:
        shown = await drive.text()
        assert "$x = 0x00000003" in shown
        assert "%y_1" in drive.pane("operands").read_text()


async def test_a_pin_of_another_instruction_is_said_to_wait() -> None:
    async with explorer("vadd4.u32.u32.u32 d, a, b, c", {"a": 1, "b": 2}, size=(80, 24)) as drive:
        await drive.press("equals_sign", "slash")
        await drive.type("vmad")
        shown = await drive.read_after(drive.press("enter"))
        assert drive.session.setup.instruction.opcode == "vmad"
        assert "The pin waits for vadd4: it is not compared with vmad · = unpins it" in shown
        assert "waits" not in await drive.read_after(drive.press("r"))
        shown = await drive.read_after(drive.press("u", "u"))
        assert drive.session.setup.instruction.opcode == "vadd4"
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
