"""The menu of keys: its order by focus, its filter, and what Enter and keys run in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.app import App
from textual.widgets import Input

from ptxscope.screens.dialogs.key_menu import (
    KeyItem,
    KeyList,
    KeyMenu,
    Legend,
    filter_items,
    find_best,
    list_items,
)
from ptxscope.state.actions import ACTIONS, GROUPS
from ptxscope.state.state_store import StateStore
from tests.driving.dialogs import ADDED_SCREENS
from tests.driving.explorer import Driver, explorer, find_in_menu
from tests.tiers import ci_only, sampled, some

NODE = App[None]()


def make_item(label: str, sentence: str = "") -> KeyItem:
    return KeyItem("Steps", "", label, sentence, "", NODE)


# --- without an app -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "labels"),
    [
        ("", ["copy result", "result", "why?"]),
        ("result", ["copy result", "result", "why?"]),
        ("RESULT copy", ["copy result"]),
        ("unexp", ["why?"]),
        ("resultcopy", []),
    ],
)
def test_the_filter_finds_words_of_the_name_and_the_sentence(query: str, labels: list[str]) -> None:
    items = [
        make_item("copy result", "Copy it"),
        make_item("result", "Show it"),
        make_item("why?", "Explain an unexpected result"),
    ]
    assert [x.label for x in filter_items(items, query)] == labels


@pytest.mark.parametrize(
    ("query", "label"),
    [
        ("", "a copy"),
        ("copy", "copy"),
        (" Copy  ", "copy"),
        ("copy r", "copy result"),
        ("cop", "copy result"),
        ("opy", "a copy"),
        ("a sentence", "a copy"),
    ],
)
def test_the_cursor_is_on_the_name_that_is_most_like_the_query(query: str, label: str) -> None:
    items = [make_item(x) for x in ("a copy", "copy result", "copy")]
    assert items[find_best(items, query)].label == label
    assert find_best([], query) == 0


# --- in the app ---------------------------------------------------------------------------


def get_list(drive: Driver) -> KeyList:
    return drive.app.screen.query_one(KeyList)


def read_labels(drive: Driver) -> list[tuple[str, str]]:
    return [(x.group, x.label) for x in get_list(drive).key_items]


pytestmark = [sampled]


@ci_only
@pytest.mark.parametrize(
    ("keys", "key", "group"),
    [
        ((), "question_mark", "Steps"),
        (("l",), "question_mark", "Lanes"),
        (("o",), "question_mark", "Operands"),
        (("m",), "question_mark", "Modifiers"),
        (("i",), "ctrl+p", "Line"),
        (("slash",), "ctrl+p", "Instructions"),
    ],
)
async def test_the_keys_of_the_focus_come_first_and_then_the_groups(
    keys: tuple[str, ...], key: str, group: str
) -> None:
    async with explorer() as drive:
        await drive.press(*keys, key)
        groups = [*dict.fromkeys(group for group, _ in read_labels(drive))]
        assert groups[0] == group
        own = [x for x in groups if x not in GROUPS]
        assert [*own, *GROUPS] == groups
        assert [*GROUPS][:5] == ["Steps", "See", "Edit", "Learn", "Share"]
        await drive.press("escape")
        assert drive.app.screen is drive.screen
        assert (drive.focus is None) == (not keys)


@ci_only
async def test_every_action_is_listed_once_with_the_user_s_key(tmp_path: Path) -> None:
    (tmp_path / "keys.toml").write_text('"step.back" = "j"\n"explain" = "ctrl+w"\n')
    async with explorer(store=StateStore(tmp_path, tmp_path)) as drive:
        items = list_items(drive.screen, drive.state)
        opener = {"help", "palette"}
        expected = [x.tooltip for x in ACTIONS.values() if x.id not in opener]
        assert [x.sentence for x in items] == expected
        keys = {x.label: x.keys for x in items}
        assert (keys["back"], keys["why?"], keys["next"]) == ("j", "^w", "n →")
        assert (keys["note"], keys["step"], keys["page"]) == ("", "1 … 9", "PgDn PgUp")


@ci_only
async def test_an_action_without_a_key_is_found_by_its_name() -> None:
    async with explorer() as drive:
        for group, actions in GROUPS.items():
            for action in actions:
                if not action.keys:
                    assert find_in_menu(drive, action.label) == f"{group}: {action.label}"


@ci_only
@pytest.mark.parametrize("key", ["question_mark", "ctrl+p"])
async def test_enter_runs_the_action_at_the_cursor(key: str) -> None:
    async with explorer(size=(80, 24)) as drive:
        a = drive.operands["a"]
        await drive.press(key, *"swap")
        assert len(read_labels(drive)) == 1
        await drive.press("enter")
        assert drive.app.screen is drive.screen
        assert drive.operands["b"] == a
        await drive.press("3", key, "down", "enter")  # the second item goes back
        assert drive.state.step == 2
        await drive.press(key, *"that step", "enter")  # a numbered one
        assert drive.state.step == 1
        await drive.press("o", key, *"edge cases", "enter")  # of the panel
        assert type(drive.app.screen).__name__ == "MenuDialog"


@ci_only
@pytest.mark.parametrize("key", ["question_mark", "ctrl+p"])
async def test_what_is_typed_filters_and_runs_nothing(key: str) -> None:
    """An edit stays, whatever word is typed: `u` undoes it and `n` steps elsewhere."""
    async with explorer(size=(80, 24)) as drive:
        await drive.press("r", "2")
        before = (drive.operands, drive.state.step, drive.edit_count)
        await drive.press(key, *"undo", "k", "j", "question_mark", "1")
        menu = drive.app.screen
        assert isinstance(menu, KeyMenu)
        assert menu.query_one(Input).value == "undokj?1"
        assert (drive.operands, drive.state.step, drive.edit_count) == before
        assert "Esc clear" in await drive.see(*["backspace"] * 4)
        assert read_labels(drive)[0] == ("Edit", "undo")
        shown = await drive.see("escape")
        assert "Esc leave" in shown
        assert len(read_labels(drive)) > 20
        assert menu.query_one(Input).has_focus
        await drive.press("escape")
        assert drive.screen.is_current
        assert (drive.operands, drive.state.step, drive.edit_count) == before


@ci_only
async def test_an_action_that_is_impossible_says_why_and_is_not_run() -> None:
    async with explorer(size=(80, 24)) as drive:
        shown = await drive.see("ctrl+p", *"undo")
        assert "×undo" in shown
        assert "There is no edit to undo" in " ".join(shown.split())
        await drive.press("enter")
        assert isinstance(drive.app.screen, KeyMenu)
        await drive.press("escape", "escape", "r", "question_mark", *"undo")
        assert "×undo" not in await drive.text()
        await drive.press("enter")
        assert drive.edit_count == 0


@ci_only
async def test_what_reveals_a_hidden_result_is_refused_while_one_predicts() -> None:
    async with explorer() as drive:
        await drive.press("1", "P", "ctrl+p", *"why")
        assert "reveal the answer" in await drive.text()
        await drive.press("enter")
        assert isinstance(drive.app.screen, KeyMenu)


@ci_only
@pytest.mark.parametrize("keys", some([("e",), ("x",), ("@note",), *ADDED_SCREENS.values()]))
@pytest.mark.parametrize("key", ["question_mark", "ctrl+p", "f1"])
async def test_on_every_screen_the_menu_has_its_keys_first(keys: tuple[str, ...], key: str) -> None:
    async with explorer(size=(80, 24)) as drive:
        await drive.press(*keys)
        screen = drive.app.screen
        assert screen is not drive.screen
        await drive.press(key)
        if key == "f1":  # of a feature, if it is there
            assert (drive.app.screen is screen) == ("manual" not in ACTIONS)
            return
        if drive.app.screen is screen:  # where it is typed
            assert key == "question_mark"
            return
        assert isinstance(drive.app.screen, KeyMenu)
        first = get_list(drive).key_items[0]
        assert screen in first.node.ancestors_with_self
        assert "quit" in [x.label for x in get_list(drive).key_items]
        await drive.press("escape")
        assert drive.app.screen is screen


@ci_only
async def test_the_menu_leaves_by_its_own_key_and_may_be_empty() -> None:
    async with explorer() as drive:
        await drive.press("ctrl+p", "z", "ctrl+p")
        assert drive.app.screen is drive.screen
        await drive.press("question_mark", *"zz")
        assert "nothing fits" in await drive.text()
        await drive.press("enter", "down", "backspace", "backspace")
        assert len(read_labels(drive)) > 20
        await drive.press("end", "pagedown", "escape")
        assert drive.app.screen is drive.screen


@ci_only
@pytest.mark.parametrize("size", [(80, 24), (40, 12), (120, 40), (24, 8), (2, 60)])
async def test_the_menu_is_whole_at_every_size(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:
        await drive.press("question_mark")
        pane = get_list(drive)
        width = pane.scrollable_content_region.width
        if width >= 30:
            assert [x for x in pane.read_text().splitlines() if len(x) > width] == []
            for item in pane.key_items:
                assert item.sentence.split()[0] in pane.read_text()
        for _ in range(60):
            await drive.pilot.press("down")
        if width >= 30:
            assert "Leave the explorer" in await drive.text()
        legend = drive.app.screen.query_one(Legend)
        assert legend.is_on_screen == (size in ((80, 24), (120, 40)))
        if legend.is_on_screen:
            assert (legend.region.x > pane.region.x) == (size[0] >= 110)
            assert all(
                x in legend.read_text() for x in ("focus", "surprise", "pin", "≠", "▲", "▒ff")
            )
            assert legend.region.height >= len(legend.visible_lines)


@ci_only
async def test_the_menu_is_drawn_in_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.setenv(name, "en_US.ISO-8859-1")
    async with explorer(size=(120, 40)) as drive:
        assert (await drive.see("l", "question_mark")).isascii()
        shown = await drive.see("escape", "ctrl+p", *"redo")
        assert shown.isascii()
        assert "^r" in shown


@ci_only
async def test_a_key_in_the_filter_moves_nothing() -> None:
    async with explorer() as drive:
        await drive.press("ctrl+p")
        areas = [x.region for x in drive.app.screen.query("*")]
        for key in ("s", "t", "down", "backspace", "z", "z"):
            await drive.press(key)
            assert [x.region for x in drive.app.screen.query("*")] == areas


@ci_only
async def test_a_double_click_on_an_item_runs_it_once() -> None:
    async with explorer(size=(80, 24)) as drive:
        await drive.press("ctrl+p", *"random")
        region = get_list(drive).region
        for cls in (events.MouseDown, events.MouseUp) * 2:
            place = (region.x + 8, region.y + 1)
            event = cls(None, *place, 0, 0, 1, False, False, False, *place)
            event.set_sender(drive.app)
            drive.app.post_message(event)
        await drive.pilot.pause(0.3)
        assert drive.app.screen is drive.screen
        assert drive.edit_count == 1


@ci_only
async def test_a_theme_is_chosen() -> None:
    async with explorer(size=(80, 24)) as drive:
        before = drive.app.theme
        shown = await drive.see("ctrl+p", *"theme", "enter")
        assert before in shown
        await drive.press("down", "enter")
        assert drive.app.theme != before
        await drive.press("@theme", "escape")
        assert drive.app.screen is drive.screen
