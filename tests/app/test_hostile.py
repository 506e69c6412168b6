"""What ended the explorer, or let it hang: files that are none, states that are junk, no room."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ptxscope.cli import main
from ptxscope.state.setup import make_example
from ptxscope.state.state_store import StateStore
from tests.driving.dialogs import ADDED_SCREENS
from tests.driving.explorer import VALUES, Driver, explorer
from tests.tiers import ci_only, some

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")


@POSIX
@pytest.mark.parametrize(("name", "why"), [("fifo", "it is a FIFO"), (".", "a directory")])
def test_opening_a_fifo_from_the_command_line_says_so(
    name: str,
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    assert main(["open", name]) == 2
    assert why in capsys.readouterr().err


# --- a file that can't be written ---------------------------------------------------------


def messages(drive: Driver) -> list[str]:
    return [notification.message for notification in drive.app._notifications]


@POSIX
@ci_only
async def test_a_document_that_can_not_be_saved_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    Path("file").write_text("", encoding="utf-8")
    cases = {
        "~nosuchuser/x": "the home folder of ~nosuchuser is not known",
        "x" * 256: "File name too long",
        "file/x": "Not a directory",
        "/proc/nothing": "No such file",  # where nobody may make one
        "fifo": "it is a FIFO",
        "/dev/full": "it is a device",
        "none/x": "No such file",
    }
    async with explorer() as drive:
        await drive.press("e")
        for name, why in cases.items():
            field = drive.app.screen.query_one("#path")
            field.value = name  # type: ignore[attr-defined]
            shown = await drive.see("ctrl+s")
            assert f"not written, {why}" in shown
        field.value = "good.txt"  # type: ignore[attr-defined]
        assert "saved as good.txt" in await drive.see("ctrl+s")
    assert Path("good.txt").stat().st_size


@pytest.mark.parametrize(
    "text", some(['{"recent": ["nosuch"]', "1e400", "[" * 500_000, "9" * 9_999], 0, 2)
)
async def test_an_explorer_opens_on_the_example_then(text: str, tmp_path: Path) -> None:
    (tmp_path / "explorer.json").write_text(text, encoding="utf-8")
    async with explorer(None, {}, store=StateStore(tmp_path, tmp_path)) as drive:
        assert drive.session.setup == make_example("vadd4")
        assert any("could not be read" in said for said in messages(drive))


# --- no room ------------------------------------------------------------------------------

SCREENS = (
    *(("o", "minus", "tab", "v"), ("ctrl+p",), ("question_mark",), ("e",), ("x",)),
    *(("@note",), ("@listing.open",)),
    *ADDED_SCREENS.values(),
)


@ci_only
async def test_there_may_be_no_room() -> None:
    async with explorer("vset4.s32.u32.lt.add %r1, %r2, %r3, %r0", VALUES, size=(80, 4)) as drive:
        for keys in SCREENS:
            await drive.press(*keys)
            for size in ((1, 1), (80, 4)):
                await drive.mash("pagedown", "pageup", "end", "down", "tab", "right", pace=0.01)
                assert drive.app.is_running
                await drive.pilot.resize_terminal(*size)
            await drive.mash("escape", "escape", "escape", pace=0.01)
            assert len(drive.app.screen_stack) == 1
        drive.agree()
