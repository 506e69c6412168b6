"""The line as a field, the browser, the palette, dialogs and messages, as they stand there."""

from __future__ import annotations

from pathlib import Path
from string import ascii_letters

import pytest
from textual import events
from textual.command import CommandList
from textual.widgets import Input
from textual.widgets._toast import Toast

from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.intrinsics import map_intrinsics
from ptxscope.feature import list_features
from ptxscope.screens.dialogs.dialog import DialogFrame
from ptxscope.screens.dialogs.export_dialog import ExportDialog
from ptxscope.screens.dialogs.help_dialog import PANES, HelpText
from ptxscope.screens.main.action_runner import HELP_SECTIONS
from ptxscope.state.actions import ACTIONS
from ptxscope.state.state_store import StateStore
from ptxscope.widgets.base.form_fields import Menu, Page
from ptxscope.widgets.base.pane import Pane
from tests.driving.dialogs import ADDED_DIALOGS
from tests.driving.explorer import Driver, explorer
from tests.driving.feature_tables import extend_table
from tests.tiers import ci_only, sampled, some

pytestmark = [sampled, ci_only]

E3 = ("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344})


# --- the palette --------------------------------------------------------------------------


async def _listed(drive: Driver, query: str = "") -> list[str]:
    await drive.press("ctrl+p")
    await drive.type(query)
    for _ in range(50):
        await drive.pilot.pause(0.02)
        options = drive.app.screen.query_one(CommandList).options
        if options:
            break
    await drive.pilot.pause(0.3)
    options = drive.app.screen.query_one(CommandList).options
    return [str(option.prompt) for option in options]


async def double_click(drive: Driver, x: int, y: int) -> None:
    """Send both clicks before the first has had an effect, as a terminal may."""
    for cls in (events.MouseDown, events.MouseUp) * 2:
        event = cls(None, x, y, 0, 0, 1, False, False, False, x, y)
        event.set_sender(drive.app)
        drive.app.post_message(event)
    await drive.pilot.pause(0.3)


async def test_a_double_click_beside_the_palette_or_beyond_the_screen_leaves_it_once() -> None:
    async with explorer(size=(80, 24)) as drive:
        await _listed(drive)
        palette = drive.app.screen
        assert palette is not drive.screen
        palette.post_message(events.Click(None, 99, 40, 0, 0, 1, False, False, False, 99, 40))
        await drive.pilot.pause()
        assert drive.app.screen is palette  # the terminal was larger at the click
        await double_click(drive, 2, 19)
        assert drive.app.screen is drive.screen


async def test_a_double_click_on_a_command_runs_it_once() -> None:
    async with explorer(size=(80, 24)) as drive:
        assert "random" in (await _listed(drive, "random"))[0]
        region = drive.app.screen.query_one(CommandList).region
        await double_click(drive, region.x + 4, region.y + 1)
        assert drive.app.screen is drive.screen
        assert drive.edit_count == 1


async def test_the_palette_takes_keys_on_a_screen_of_two_columns() -> None:
    async with explorer() as drive:
        await drive.press("ctrl+p", "down")
        await drive.pilot.resize_terminal(2, 60)
        await drive.press("pagedown", "pageup", "end", "down", "up", "home")
        await drive.pilot.resize_terminal(120, 40)
        await drive.press("pagedown", "escape")
        assert drive.app.screen is drive.screen


async def test_the_palette_lists_actions_first_each_with_its_key(tmp_path: Path) -> None:
    (tmp_path / "keys.toml").write_text('"step.back" = "j"\n"explain" = "ctrl+w"\n')
    async with explorer(store=StateStore(tmp_path, tmp_path)) as drive:
        listed = await _listed(drive)
    actions = [x for x in ACTIONS.values() if not x.is_numbered and x.id != "palette"]
    assert len(listed) >= len(actions) + len(CATALOG) + len(map_intrinsics())
    for said, action in zip(listed, actions, strict=False):
        name, about = said.split("\n")
        before, _, key = name.partition("  ")
        assert before.endswith(f": {action.label}")
        assert bool(key) == bool(action.keys), name
        assert about == action.tooltip
    names = [said.split("\n")[0] for said in listed]
    for name in ("Steps: next  n →", "Steps: back  j", "Answers: why?  ^w", "Program: quit  q"):
        assert name in names
    after = listed[len(actions) :]
    assert [said.split("\n")[0] for said in after[: len(CATALOG)]] == list(CATALOG)
    assert sum(said.startswith("Quit") or ": quit" in said for said in listed) == 1


# --- dialogs ------------------------------------------------------------------------------

SIZES = [(60, 20), (80, 24), (120, 40), (250, 70)]
OWN_DIALOGS = {
    "help": ("question_mark",),
    "explain": ("x", *"7", "enter"),
    "export": ("e",),
    "menu": ("o", "v"),
    "ask": ("@note",),
    "open": ("@listing.open",),
}
OPENED = extend_table(OWN_DIALOGS, "dialogs", "DIALOGS")


@pytest.mark.parametrize("size", some(SIZES))
@pytest.mark.parametrize("name", OPENED)
async def test_dialogs_have_one_frame_that_fits(name: str, size: tuple[int, int]) -> None:
    async with explorer(*E3, size=size) as drive:
        shown = (await drive.see(*OPENED[name])).splitlines()
        (frame,) = drive.app.screen.query(DialogFrame)
        x, y, width, height = frame.region
        assert x >= 0
        assert y >= 0
        assert x + width <= size[0]
        assert y + height <= size[1]
        above, below = shown[y][x : x + width], shown[y + height - 1][x : x + width]
        assert above.startswith("╭─ ")
        assert above.endswith("─╮")
        assert below.startswith("╰─")
        assert below.endswith("Esc leave ─╯")
        assert "…" not in above + below
        styles = frame.styles
        assert styles.border_top[0] == "round"
        assert styles.padding == (0, 1, 0, 1)
        assert "PTX" not in await drive.see("escape") or not drive.app.screen.query(DialogFrame)


async def framed(drive: Driver) -> list[str]:
    """What stands in the frame of a dialog."""
    lines = (await drive.text()).splitlines()
    x, y, width, height = drive.app.screen.query_one(DialogFrame).region
    return [line[x + 1 : x + width - 1] for line in lines[y + 1 : y + height - 1]]


@pytest.mark.parametrize("size", [(24, 10), (40, 12), *SIZES[:3]])
async def test_help_is_whole_and_home_end_and_pages_act_in_it(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:
        await drive.press("question_mark", "question_mark")
        page = drive.app.screen.query_one("#help", Pane)
        width, lines = page.scrollable_content_region.width, page.read_text().splitlines()
        assert [line for line in lines if len(line) > width] == []
        assert "Play the steps at a reader's pace, or pause" in " ".join(" ".join(lines).split())
        if size[0] < 60:
            return  # its first line is none alone
        shown = await drive.see("end")
        assert lines[-1] in shown
        assert lines[0] not in shown
        shown = await drive.see("home")
        assert lines[0] in shown
        assert lines[-1] not in shown
        await drive.press("pagedown")
        assert 1 < page.scroll_offset.y <= page.size.height
        await drive.press("pageup")
        assert page.scroll_offset.y == 0


@pytest.mark.parametrize("size", SIZES)
async def test_the_preview_shows_every_character(size: tuple[int, int]) -> None:
    async with explorer(*E3, size=size) as drive:
        await drive.press("e", "tab", "tab")
        screen = drive.app.screen
        assert isinstance(screen, ExportDialog)
        for pasted in ("", "x" * 100_000):
            await drive.paste(pasted)
            made = screen.make_document()
            assert isinstance(made, str)
            shown = screen.query_one("#preview", Page).read_text()
            assert "".join(shown.split()) == "".join(made.split())


# --- messages -----------------------------------------------------------------------------

EDITED = {
    "the line": ("i",),
    "an operand": ("o",),
    "a value": ("o", "enter"),
    "the filter": ("slash",),
    "a note": ("@note",),
    "a file": ("@listing.open",),
    "what came out": ("x",),
    "the format": ("e",),
    "the steps": ("e", "tab"),
    "the caption": ("e", "tab", "tab", "tab"),
    "the path": ("e", "tab", "tab", "tab", "tab"),
}


@pytest.mark.parametrize("size", some([(60, 20), (80, 24)], 1))
@pytest.mark.parametrize("place", EDITED)
async def test_messages_cover_nothing_that_is_edited(place: str, size: tuple[int, int]) -> None:
    async with explorer(*E3, size=size) as drive:
        await drive.press(*EDITED[place])
        for at in range(4):  # messages that stay, however long drawing them takes
            words = f"{at} " + "some words to read " * 8
            drive.app.notify(words, title="A message", timeout=600)
        await drive.text()
        await drive.pilot.pause()
        await drive.text()
        edited = drive.focus
        assert edited is not None
        toasts = list(drive.app.screen.query(Toast))
        assert len(toasts) == 4
        seen = [toast for toast in toasts if toast.region]
        assert toasts[-1] in seen
        for toast in seen:
            assert not toast.region.overlaps(edited.region)
            assert drive.app.screen.region.contains_region(toast.region)


@pytest.mark.parametrize("width", some([60, 80, 120], 1))
async def test_the_last_words_of_a_message_are_seen(width: int) -> None:
    async with explorer(size=(width, 24)) as drive:
        for length in range(width // 2 - 12, width // 2):  # about where it takes a second line
            drive.app.notify(f"{'word ' * 40:.{length}} END", timeout=600)
            await drive.pilot.pause(0.02)
            assert "END" in await drive.text(), length
            drive.app.clear_notifications()
            await drive.pilot.pause(0.02)


async def test_messages_go_where_the_focus_is_not() -> None:
    async with explorer(size=(80, 24)) as drive:
        drive.app.notify("words", title="A message")
        await drive.press("i")
        below = (await drive.text()).splitlines()
        assert any("A message" in line for line in below[13:])
        above = (await drive.see("escape", "o")).splitlines()
        assert any("A message" in line for line in above[:10])


# --- help -----------------------------------------------------------------------------------

OWN_HELP = {
    "steps": ((), "f1"),  # no panel has the focus
    "lanes": (("l",), "question_mark"),
    "predict": (("P",), "f1"),
    "operands": (("o",), "question_mark"),
    "modifiers": (("m",), "question_mark"),
    "line": (("i",), "f1"),
    "find": (("slash",), "f1"),
    "listing": (("@listing.open",), "f1"),
    "why?": (("x",), "f1"),
    "export": (("e",), "question_mark"),
}
HELP = extend_table(OWN_HELP, "dialogs", "HELP")


@pytest.mark.parametrize("section", HELP)
async def test_help_opens_at_the_panel_with_the_focus(section: str) -> None:
    keys, key = HELP[section]
    async with explorer(*E3, size=(80, 24)) as drive:
        await drive.press(*keys, key)
        first, *_ = (line.split("  ") for line in await framed(drive))
        assert f"Keys: {section}" in first[0] + "".join(first)
        await drive.press("escape")
        assert "Help" not in await drive.text()


def test_help_has_a_section_for_every_panel() -> None:
    assert set(HELP_SECTIONS.values()) <= set(PANES)
    panels = [x for feature in list_features() for x in feature.help_panels]
    added = {x.name for x in panels if x.after}
    assert set(OWN_HELP) - {"steps"} == set(PANES) - added


async def test_help_in_a_dialog_has_its_keys_and_not_those_of_the_screen_below() -> None:
    async with explorer(*E3) as drive:
        await drive.press("e", "question_mark")
        page = drive.app.screen.query_one("#help", Pane).read_text()
        assert "^s" in page
        assert "Edit the PTX line" not in page
        assert "a lane that is in the mask" not in page  # □ and ■ are switches here


@pytest.mark.parametrize(
    "keys",
    [("x",), ("question_mark",), ("e", "right", "enter"), *ADDED_DIALOGS.values()],
    ids=" ".join,
)
async def test_a_dialog_is_as_high_as_what_it_shows(keys: tuple[str, ...]) -> None:
    async with explorer(size=(120, 60)) as drive:
        await drive.press(*keys)  # of a PNG, the export dialog shows the size alone
        frame = drive.app.screen.query_one(DialogFrame)
        last = max(frame.children, key=lambda child: child.region.bottom)
        assert frame.region.bottom == last.region.bottom + 1
        assert frame.region.height < 42
        await drive.press("end")
        if "question_mark" in keys:
            await drive.press("question_mark")  # all of help is longer than the screen
            assert frame.region.height == 56
            assert frame.query_one(HelpText).max_scroll_y > 0


@pytest.mark.parametrize(("width", "columns"), [(80, 1), (120, 2)])
async def test_help_has_first_the_panels_keys_and_the_glyphs_on_the_screen(
    width: int, columns: int
) -> None:
    # 127 + 2 is 129, above the range of s8; nothing is NaN, and there is no mask
    line, values = "vadd4.s32.s32.s32.sat d, a, b, c", {"a": 0x7F, "b": 2}
    async with explorer(line, values, size=(width, 60)) as drive:
        await drive.press("l", "question_mark")
        page = drive.app.screen.query_one("#help", Pane).read_text()
        assert "Keys: lanes" in page.splitlines()[0]
        assert ("On the screen" in page.splitlines()[0]) == (columns == 2)
        assert "a range, and the position" in page
        assert "NaN: an input" not in page
        assert "a running sum" not in page
        assert "keys.toml" not in page
        await drive.press("question_mark")
        page = drive.app.screen.query_one("#help", Pane).read_text()
        assert "NaN: an input" in page
        assert "keys.toml" in page
        await drive.press("question_mark")
        assert drive.app.screen is drive.screen


FIELDS = {
    "line": ("i",),
    "filter": ("slash",),
    "value": ("o", "1"),
    "prediction": ("1", "P", "home", "enter"),
    "explain": ("x",),
    "export": ("e", "tab"),
    "file": ("@listing.open",),
    "note": ("@note",),
    "palette": ("ctrl+p",),
}


@pytest.mark.parametrize("name", FIELDS)
async def test_a_field_takes_every_letter(name: str) -> None:
    async with explorer("setp.lt.f32 p, a, b", {"a": 0, "b": 0}) as drive:
        await drive.press(*FIELDS[name])
        focus = drive.focus
        assert isinstance(focus, Input), focus
        for letters in (ascii_letters, "nan", "no", "h", "q"):
            focus.value = ""
            await drive.press(*letters)
            assert drive.focus is focus
            assert focus.value == letters


def why(drive: Driver) -> str:
    return drive.app.screen.query_one("#why", Page).read_text()


async def test_an_explanation_is_compared_with_the_documentation() -> None:
    async with explorer(*E3) as drive:
        await drive.press("x")
        await drive.type("0x112233ff")
        await drive.pilot.pause(0.4)
        shown = await drive.text()  # before Enter
        assert "without `.sat`" in shown.partition("Explanations")[2].partition("─Why")[0]
        assert "as ptxas 11.8 to 13.5 compiles it for sm_70 and later" in shown
        assert "E3: The clamp's lower bound is missing" in why(drive)
        assert "min(18446744073709551615, 255) = 255" in why(drive)
        shown = await drive.see("enter", "enter")
        assert drive.session.trace.model.name == "ptxas-13.5"
        assert drive.result == {"d": 0x112233FF}
        assert "≠ pin" in shown
        assert drive.hint.startswith("Pinned: the documented evaluation; you see the explanation")
        await drive.press("u")
        assert drive.session.trace.model.name == "isa"
        assert "0x112233ff" in await drive.see("x")  # what was typed is there again
        await drive.press("enter", "down")
        assert "without `.sat`" in why(drive)
        await drive.press("enter")
        assert drive.line == "vadd.u32.s32.s32 d.b0, a, b, c;"
        assert drive.state.pin is not None
        assert drive.state.pin.line == E3[0] + ";"


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
@pytest.mark.parametrize(
    ("line", "values", "got"),
    [
        (*E3, "0x112233ff"),
        (
            "vmad.s32.s32.s32.sat.shr15 %result, %first.h1, -%second.h1, %third",
            {"%first": 0x80000000, "%second": 0x80000000, "%third": 0x7FFFFFFF},
            "0x12345678",
        ),
        (
            "vadd4.s32.s32.s32 d.b310, a, b, c",
            {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0xCCCCCCCC},
            "0x81cc8181",
        ),
    ],
)
async def test_explain_elides_nothing(
    line: str, values: dict[str, int], got: str, size: tuple[int, int]
) -> None:
    async with explorer(line, values, size=size) as drive:
        await drive.press("x")
        await drive.type(got)
        await drive.press("enter")
        lines = await framed(drive)
        if line == E3[0]:
            said = " ".join(" ".join(lines).split())
            assert "bytes 3, 2, 1 right, byte 0 is not" in said
            row = next(line for line in lines if "got  " in line)
            documented = next(line for line in lines if "documented  0x" in line)
            assert row.index("0x112233ff") == documented.index("0x11223300")
            assert row.index("got") == documented.index("documented")
        screen = drive.app.screen
        menu, page = screen.query_one("#findings", Menu), screen.query_one("#why", Page)
        for at, item in enumerate(menu.items):
            text = " ".join(menu.read_text().split())
            assert " ".join(f"{item.label} {item.about}".split()) in text
            width = page.scrollable_content_region.width
            assert all(len(text) <= width for text in page.read_text().splitlines())
            assert page.draw(width) == page.draw(10_000)  # folded once
            assert menu.index == at
            await drive.press("down")
        assert "…" not in menu.read_text() + page.read_text()


async def test_help_offers_everything_until_it_is_there() -> None:
    async with explorer() as drive:
        assert "? everything" in await drive.see("question_mark")
        assert "? everything" not in await drive.see("question_mark")
        await drive.press("question_mark")
        assert drive.app.screen is drive.screen


def test_help_says_which_key_shows_the_step_of_a_prediction() -> None:
    """At a comparison, n is the answer no."""
    assert "n shows the step, except where it means no" in PANES["predict"].text
