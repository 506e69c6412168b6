"""The manual in the explorer: the page about the focus, its links, and the way back."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import ptxscope
from ptxscope.features.manual import transitions
from ptxscope.features.manual.terminal.manual_screen import ManualPane, ManualScreen
from ptxscope.screens.dialogs.key_menu import KeyMenu
from ptxscope.widgets.base.pane import Pane
from tests.driving.explorer import Driver, explorer
from tests.driving.states import do, make_state, said
from tests.tiers import ci_only

ROOT = Path(ptxscope.__file__).parents[1]


def test_without_pages_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transitions, "find_folder", lambda: None)
    assert said(do(make_state(), "manual")) == "× this installation has no manual"


def get_screen(drive: Driver) -> ManualScreen:
    screen = drive.app.screen
    assert isinstance(screen, ManualScreen)
    return screen


@ci_only
@pytest.mark.parametrize(
    ("keys", "page"),
    [
        ((), "explorer"),
        (("l",), "pictures"),
        (("o",), "explorer"),
        (("i",), "explorer"),
        (("x",), "explain"),
        (("e",), "formats"),
        (("e", "question_mark"), "formats"),
        (("l", "ctrl+p", "u"), "pictures"),
        (("1", "P"), "practise"),
    ],
)
async def test_the_page_is_about_the_focus(keys: tuple[str, ...], page: str) -> None:
    async with explorer(size=(80, 24)) as drive:
        await drive.press(*keys)
        below = [x for x in drive.app.screen_stack if not isinstance(x, KeyMenu)]
        await drive.press("f1")
        assert get_screen(drive).place.page == page
        await drive.press("escape")
        assert drive.app.screen is below[-1]


@ci_only
@pytest.mark.parametrize("size", [(80, 24), (40, 12), (120, 40), (24, 8)])
async def test_the_page_is_read_from_its_beginning_to_its_end(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:
        shown = await drive.see("f1")
        assert "Find the" in shown
        pane = drive.app.screen.query_one(ManualPane)
        await drive.press("end")
        assert pane.scroll_offset.y == pane.max_scroll_y > 0
        await drive.press("pageup", "up", "home", "pagedown", "down")
        assert 0 < pane.scroll_offset.y <= size[1]
        await drive.press("f1")
        assert drive.app.screen is drive.screen


@ci_only
async def test_links_lead_to_pages_and_back() -> None:
    async with explorer(size=(80, 24)) as drive:
        await drive.press("f1", "tab", "enter")
        assert get_screen(drive).place.page == "tutorial"
        await drive.press("p", "home", "enter")
        assert get_screen(drive).place.page == "index"
        await drive.press("backspace")
        assert get_screen(drive).place.page == "tutorial"
        await drive.press("backspace", "pagedown", "pagedown", "tab", "tab", "shift+tab")
        pane = drive.app.screen.query_one(ManualPane)
        cursors = [x for line in pane.visible_lines for x in line if "cursor" in x.style_name]
        rows = [y for y, line in enumerate(pane.visible_lines) if cursors[0] in line]
        assert pane.scroll_offset.y <= rows[0] < pane.scroll_offset.y + pane.size.height
        await drive.press("backspace")
        assert drive.app.screen is drive.screen


@ci_only
async def test_an_address_that_is_not_here_is_copied() -> None:
    async with explorer(size=(80, 24)) as drive:
        await drive.press("f1", "p", "home", "enter", "tab", "enter")
        assert drive.app.clipboard == "families/permute.md"
        assert get_screen(drive).place.page == "index"


@ci_only
async def test_a_heading_is_at_the_top() -> None:
    async with explorer(size=(80, 24)) as drive:
        lines = (await drive.see("l", "f1")).splitlines()
        assert re.search("The marks", lines[1])
        assert len(drive.app.screen.query(Pane)) == 1


@ci_only
def test_the_wheel_has_the_pages(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    pages = {Path(x).stem for x in names if x.startswith("ptxscope/features/manual/pages/")}
    assert pages == {x.stem for x in (ROOT / "docs").glob("*.md")}
    assert {Path(x).parts[0] for x in names} <= {"ptxscope", names[-1].partition("/")[0]}
    assert "ptxscope/__init__.pyi" in names
