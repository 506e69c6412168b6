"""Stepping, and what the bars say: where one is, what can be pressed, what is held back."""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.timer import Timer

from ptxscope import parse
from ptxscope.app.app import Explorer
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.tracing.deviation import find_deviations
from ptxscope.engine.tracing.step_text import format_result
from ptxscope.screens.dialogs.key_menu import KeyList
from ptxscope.screens.main.main_screen import MainScreen
from ptxscope.state.actions import ACTIONS, format_key
from ptxscope.state.setup import evaluate_setup, make_example, make_setup
from ptxscope.state.state_store import StateStore
from ptxscope.state.step_transitions import compute_reading_seconds
from ptxscope.widgets.footer import HintBar
from ptxscope.widgets.result_bar import HIDDEN_DIGIT, ResultBar
from tests.driving.dialogs import ADDED_SCREENS
from tests.driving.explorer import Driver, explorer
from tests.tiers import ci_only, sampled, some

pytestmark = [sampled, ci_only]

DATA = Path(__file__).parents[1] / "data"
E3 = ("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344})


def footer(drive: Driver) -> str:
    return drive.pane("keys").read_text().strip()


def row_of(drive: Driver, id_: str) -> int:
    return drive.pane(id_).region.y


# --- the first launch ----------------------------------------------------------------------


@pytest.mark.parametrize(("key", "said"), [("n", "n next step"), ("end", "Home first step")])
async def test_what_was_left_goes_on_as_it_was(key: str, said: str, tmp_path: Path) -> None:
    async with explorer(None, {}, store=StateStore(tmp_path, tmp_path)) as drive:
        await drive.press("n", key)
        step = drive.state.step
        drive.app.save_state()
    async with explorer(None, {}, store=StateStore(tmp_path, tmp_path)) as drive:
        assert ("0x7f8003fe" in await drive.text()) == (key == "end")
        assert drive.state.step == step
        assert drive.hint.startswith(f"As you left it · {said}")


async def test_a_line_without_values_opens_at_its_first_step() -> None:
    app = Explorer(parse("vadd4.s32.s32.s32 d, a, b, c"), {}, from_start=True)
    async with app.run_test(size=(80, 24)) as pilot:
        drive = Driver(app, pilot)
        assert "▸1 select" in await drive.text()
        assert drive.hint.startswith("These values are an example · r draws others · o types yours")
        assert all(drive.operands[x] for x in "ab")  # edge cases, no zeros


# --- what is held back ---------------------------------------------------------------------


async def test_neither_pin_nor_badge_tells_what_is_held_back() -> None:
    # docs/semantics.md, E3: -1 clamps to 0, or to the maximum
    results = "0x11223300", "0x112233ff"
    async with explorer(*E3) as drive:
        shown = await drive.see("equals_sign", "home")
        bar = drive.pane("result").read_text()
        for result in results:
            assert result[2:] not in shown
        assert bar.count(HIDDEN_DIGIT * len(results[0])) == 3
        assert "isa ≠ ptxas-13.5" in bar
        shown = await drive.see("d")
        assert f"d = {results[0]}" in shown
        assert f"pin {results[0]}" in shown
        assert f"{results[1]} (E3)" in shown


# --- the footer ----------------------------------------------------------------------------


KEYS = (
    *("up", "down", "left", "right", "enter", "tab", "escape", "plus", "minus", "space"),
    *("less_than_sign", "greater_than_sign", "delete", "ctrl+p", "b", "v"),
    *(action.keys for action in ACTIONS.values()),
)
FOCUS = {
    "nothing": ((), "n"),
    "line": (("i",), "Tab complete"),
    "lanes": (("3", "l"), "↑↓←→ move"),
    "operands": (("o",), "Enter "),
    "modifiers": (("m",), "Enter "),
    "filter": (("slash",), "Enter open"),
    "value": (("o", "enter"), "Enter done"),
}
TYPED = ("line", "filter", "value")
"""Where keys are letters."""


@pytest.mark.parametrize("width", some([60, 80, 100, 120, 200], 0, 1, 3))
async def test_the_footer_has_the_keys_of_the_focus_and_those_that_act_anywhere(width: int) -> None:
    async with explorer(size=(width, 30)) as drive:
        for name, (keys, first) in FOCUS.items():
            shown = (await drive.see(*keys)).splitlines()[-1]
            assert shown.strip().startswith(first)
            labels = ["Esc leave"] if keys else []
            labels += ["^p keys"] if name in TYPED else ["? keys", "q quit"]  # as text there
            assert " ".join(shown.split()).endswith(f" {' '.join(labels)}")
            assert ("^p" in shown) == (name in TYPED)
            assert len(shown) == width - 1
            assert ("Esc leave" in shown) == bool(keys)
            assert ("q" in shown.split()) == (name not in TYPED)
            await drive.press("escape", "escape")


def _keys_here(drive: Driver) -> list[tuple[str, tuple[str, object]]]:
    """How each key of the footer is called, with what a click on it means."""
    return [
        (piece.text, piece.target)
        for piece in drive.pane("keys").visible_lines[0]
        if piece.style_name == "focus" and isinstance(piece.target, tuple)
    ]


@pytest.mark.parametrize("name", FOCUS)
async def test_a_key_of_the_footer_and_a_click_on_it_do_the_same(name: str) -> None:
    keys = (*["home", "n"], *FOCUS[name][0])
    called = {format_key(key): key for ids in KEYS for key in ids.split(",")}
    async with explorer(*E3, size=(120, 40)) as drive:
        await drive.press(*keys)
        # the last ones are always there, except keys that a field would take
        here = _keys_here(drive)[: -1 if name in TYPED else -3]
        own = [text for text, (_, node) in here if node is not None]
        offered = own + [text for text, (_, node) in here if node is None][:1]
    assert own or name == "nothing"
    for key in offered[::2]:
        states = []
        for is_clicked in (False, True):
            async with explorer(*E3, size=(120, 40)) as drive:
                await drive.press(*keys)
                if is_clicked:
                    bar = drive.pane("keys")
                    texts = [piece.text for piece in bar.visible_lines[0]]
                    at = sum(map(len, texts[: texts.index(key)])) + bar.gutter.left
                    await drive.pilot.click(bar, offset=(at, 0))
                else:
                    await drive.press(called.get(key, key.lower()))  # a panel's own key is its name
                shown = await drive.text()
                names = [type(screen).__name__ for screen in drive.app.screen_stack]
                shown = shown if len(names) == 1 else ""  # frames under a dialog are not drawn
                states.append((shown, drive.session.setup, names, drive.focus))
        pressed, clicked = states
        assert pressed[:3] == clicked[:3], key
        assert getattr(pressed[3], "id", None) == getattr(clicked[3], "id", None), key


# --- the hint's row ------------------------------------------------------------------------


@pytest.mark.parametrize("size", some([(80, 24), (120, 40), (60, 20)], 0, 1))
async def test_nothing_jumps_when_a_hint_comes(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:

        async def list_changes(key: str) -> list[int]:
            before = (await drive.text()).splitlines()
            pairs = zip(before, (await drive.see(key)).splitlines(), strict=True)
            return [y for y, pair in enumerate(pairs) if len({*pair}) > 1]

        assert not (await drive.see("N", "end")).splitlines()[-2].strip()
        assert await list_changes("n") == [row_of(drive, "hint")] == [size[1] - 2]
        assert await list_changes("equals_sign") == [row_of(drive, x) for x in ("result", "hint")]
        assert drive.hint == "Pinned: later edits are compared with it · = unpins it"
        await drive.press("equals_sign")
        assert "Unpinned" in drive.hint


async def test_a_hint_that_does_not_fit_loses_whole_parts() -> None:
    async with explorer(size=(60, 20)) as drive:
        hint = drive.screen.query_one(HintBar)
        hint.show_message(" · ".join(["x" * 20] * 4))
        assert drive.hint == " · ".join(["x" * 20] * 2)


# --- the result ----------------------------------------------------------------------------


@pytest.mark.parametrize("width", some([58, 78, 100, 142, 198], 0, 1))
def test_the_bar_cuts_nothing_of_the_examples_and_of_answers_that_part(width: int) -> None:
    cases = [(entry.example[0], entry.example[1]) for entry in CATALOG.values()]
    text = (DATA / "errata.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        names = parse(row["ptx"]).names
        values = {name: int(row[role], 16) for role, name in names.items() if row.get(role)}
        cases.append((row["ptx"], values))
    bar, parted = ResultBar(evaluate_setup(make_example("vadd4"))), 0
    for ptx, values in cases:
        trace = evaluate_setup(make_setup(parse(ptx), values))
        found = find_deviations(trace)
        bar.show(trace, found, trace)
        drawn = ["".join(piece.text for piece in line) for line in bar.draw(width)]
        assert all(len(text) <= width for text in drawn), drawn
        text = " ".join(" ".join(drawn).split())
        assert "…" not in text
        assert f"pin {format_result(trace)}" in text
        for name, value in trace.result.items():
            assert text.startswith(f"{name} = ") or f" {name} = " in text
            assert text.count(f"{value:x}") >= 2
        if found:
            parted += 1
            assert f"≠ {found[0].other.model.name} {format_result(found[0].other)} (E" in text
        else:
            assert "isa and ptxas agree" in text
        bar.show(trace, (), None)
        assert len(bar.draw(width)) == len(drawn)
    assert parted > 100


# --- playing -------------------------------------------------------------------------------


async def test_the_steps_are_played_at_that_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    stays: list[tuple[int, float]] = []
    timer: Callable[..., Timer] = MainScreen.set_timer

    def hurried(self: MainScreen, delay: float, callback: Callable[[], None]) -> Timer:
        if self.state.is_playing:
            stays.append((self.state.step, delay))
        return timer(self, delay / 1000, callback)

    monkeypatch.setattr(MainScreen, "set_timer", hurried)
    async with explorer() as drive:
        shown = await drive.see("space")
        assert "▸1 select" in shown or drive.state.step > 1
        while drive.state.step < 5:
            await asyncio.sleep(0.01)
        assert "playing" not in await drive.text()
        trace = drive.session.trace
        # each step but the last, which then stays
        assert stays == [
            (step.number, compute_reading_seconds(trace, step)) for step in trace.steps[:-1]
        ]
        await drive.press("space", "space")
        assert "playing" not in await drive.text()


# --- what a stranger stumbled over ---------------------------------------------------------


MASKED = "vadd4.s32.s32.s32.sat d.b310, a, b.b4576, c"


async def test_pages_of_the_lanes_are_turned_from_anywhere() -> None:
    async with explorer(MASKED, {}, size=(60, 20)) as drive:
        lanes = drive.pane("lanes")
        await drive.press("end")
        assert lanes.max_scroll_y > 0
        await drive.press("pageup")
        assert (top := lanes.scroll_offset.y) < lanes.max_scroll_y
        await drive.press("pagedown")
        assert lanes.scroll_offset.y > top
        assert drive.focus is None
        await drive.press("i", "pageup")
        assert lanes.scroll_offset.y < lanes.max_scroll_y
        await drive.press("escape", "question_mark")
        lines = drive.app.screen.query_one(KeyList).read_text().splitlines()
        assert any("PgDn" in line and "page" in line for line in lines)


async def test_under_a_panel_the_footer_offers_nothing() -> None:
    """Its keys are on its frame; the keys of the screen below have no effect."""
    async with explorer(size=(80, 24)) as drive:
        before = footer(drive)
        assert "q quit" in before
        own = (("question_mark",), ("e",), ("x",), ("@note",))
        for keys in (*own, *ADDED_SCREENS.values()):
            await drive.press(*keys)
            assert drive.app.screen is not drive.screen
            assert footer(drive) == ""
            await drive.press("escape")
            assert drive.app.screen is drive.screen
            assert footer(drive) == before


@pytest.mark.parametrize("width", [80, 96, 100, 120, 200])
async def test_the_footer_names_where_to_edit_the_models_and_why(width: int) -> None:
    async with explorer(size=(width, 24)) as drive:
        named = {text for text, _ in _keys_here(drive)}
        assert {"n", "N", "d", "/", "i", "o", "m", "t", "x"} <= named
        labels = footer(drive)
        assert ("i o m edit" in labels) != ("o operands  m modifiers" in labels)
        await drive.click("keys", "o ")
        assert drive.focus is drive.screen.query_one("#operands")


async def test_the_result_says_whether_it_is_that_of_the_pin() -> None:
    async with explorer(*E3) as drive:
        assert "= pin 0x11223300" in await drive.see("equals_sign")
        assert "≠ pin 0x11223300" in await drive.see("t")
        shown = await drive.see("home")
        assert " pin " in shown
        assert not {"= pin", "≠ pin"} & {shown[at - 2 : at + 3] for at in range(len(shown))}
