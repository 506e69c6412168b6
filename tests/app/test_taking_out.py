"""Notes and the export screen."""

from __future__ import annotations

import json
import re
import struct
import sys
from pathlib import Path

import pytest
from textual.widgets import Input

from ptxscope.documents import FORMATS, export
from ptxscope.documents.options import Options
from ptxscope.engine.micro_operations.properties import Stage
from ptxscope.engine.tracing.annotations import Note
from ptxscope.screens.dialogs.export_dialog import ExportDialog
from ptxscope.state.state_store import StateStore
from ptxscope.widgets.base.form_fields import ChoiceRow, Page
from tests.driving.every import TEXTS
from tests.driving.explorer import Driver, explorer
from tests.tiers import ci_only, sampled, some

pytestmark = [sampled, ci_only]

E3 = ("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344})


async def test_a_note_is_written_shown_and_kept(tmp_path: Path) -> None:
    async with explorer(*E3, store=StateStore(tmp_path, tmp_path)) as drive:
        await drive.press("N", "N", "@note")
        await drive.type("[a] is clamped")
        shown = await drive.see("enter")
        assert "✎ [a] is clamped" in shown
        assert drive.session.trace.annotations.notes == (Note("[a] is clamped", Stage.SATURATE),)
        drive.app.save_state()
        await drive.press("@note", "end", "ctrl+u", "enter")
        assert not drive.session.trace.annotations.notes
    async with explorer(None, store=StateStore(tmp_path, tmp_path)) as drive:
        assert "✎ [a] is clamped" in await drive.text()


async def _format(drive: Driver, name: str) -> None:
    choices = drive.app.screen.query_one(ChoiceRow).choices
    await drive.press(*["right"] * choices.index(name))


WRITTEN = "\u05d0\u05d1 \u0645 no\u00a0break \u2067\u05d0\u2069 \U0001f469\u200d\U0001f52c"


@pytest.mark.parametrize("name", some(TEXTS, 0, 1))
async def test_every_format_is_previewed_and_moves_nothing_on_the_terminal(name: str) -> None:
    async with explorer(*E3) as drive:
        await drive.press("e")
        await _format(drive, name)
        screen = drive.app.screen
        assert isinstance(screen, ExportDialog)
        assert f"of {name}" in await drive.text()
        for title in ("", WRITTEN):
            screen.query_one("#title", Input).value = title
            await drive.press()
            made, preview = screen.make_document(), screen.query_one("#preview", Page).read_text()
            assert isinstance(made, str)
            assert (title in made) == (not title or name not in ("c", "python"))
            assert title or made.splitlines()[0][:60] in preview
            assert all(char.isprintable() for char in preview.replace("\n", ""))
            assert not {"\u05d0", "\u0645"} & {*preview}


async def test_what_is_included_changes_the_preview() -> None:
    async with explorer(*E3) as drive:
        await drive.press("e", "down", "right", "right", "space")
        screen = drive.app.screen
        assert isinstance(screen, ExportDialog)
        assert screen.make_document() == export(drive.session.trace, "svg", Options(compact=True))
        await drive.press("left", "left", "space")
        both = Options(compact=True, both=True)
        assert screen.make_document() == export(drive.session.trace, "svg", both)
        await drive.press("space", "up")
        await _format(drive, "text")
        preview = screen.query_one("#preview", Page)
        assert "The steps of ptxas" not in preview.read_text()
        await drive.press("down", "space")
        assert "The steps of ptxas" in preview.read_text()
        await drive.press("tab")
        await drive.type("4")
        assert "4 saturate" in preview.read_text()
        assert "\n3 add" not in preview.read_text()
        shown = await drive.read_after(drive.type("4"))
        assert "'44' is not a step of this instruction" in shown
        await drive.press("backspace", "tab", *"Title", "escape")
        assert drive.session.trace.annotations.title == "Title"


async def test_saving_asks_before_it_overwrites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with explorer(*E3) as drive:
        await drive.press("e")
        await _format(drive, "json")
        assert "copied" in await drive.see("ctrl+y")
        shown = await drive.see("ctrl+s")
        assert "saved as vadd.json in /" in shown
        assert tmp_path.name in shown
        saved = (tmp_path / "vadd.json").read_text(encoding="utf-8")
        assert drive.app.clipboard == saved
        assert json.loads(saved)["results"][0]["hex"] == "0x11223300"
        (tmp_path / "vadd.json").write_text("mine")
        assert "vadd.json exists" in await drive.see("ctrl+s")
        assert "is unchanged" in await drive.see("enter")
        assert (tmp_path / "vadd.json").read_text() == "mine"
        await drive.press("ctrl+s")
        await drive.press("down", "enter")
        assert (tmp_path / "vadd.json").read_text(encoding="utf-8") == saved


async def test_a_command_that_is_copied_is_told_harmlessly_in_one_row() -> None:
    async with explorer(*E3, size=(400, 40)) as drive:
        await drive.press("e")
        drive.app.screen.query_one("#title", Input).value = WRITTEN
        await drive.press("escape")
        assert drive.session.trace.annotations.title == WRITTEN
        await drive.press("y")
        assert WRITTEN in drive.app.clipboard
        assert drive.hint.startswith("Copied: ptxscope trace")
        assert "--title" in drive.hint
        assert not {"\u05d0", "\u0645", "\u200d"} & {*drive.hint}
        await drive.press("end")
        await drive.pilot.resize_terminal(80, 24)
        before = (await drive.text()).splitlines()
        after = (await drive.see("y")).splitlines()
        differing = [new for old, new in zip(before, after, strict=True) if old != new]
        assert [line.split()[:2] for line in differing] == [["Copied:", "ptxscope"]]
        assert differing[0].rstrip().endswith("…")


@pytest.mark.parametrize(("name", "begin"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
async def test_a_picture_is_told_in_words_and_saved(
    name: str, begin: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("resvg_py")
    pytest.importorskip("typst")
    monkeypatch.chdir(tmp_path)
    async with explorer(*E3) as drive:
        await drive.press("e")
        await _format(drive, name)
        preview = " ".join(drive.app.screen.query_one("#preview", Page).read_text().split())
        assert "Description: vadd.u32.s32.s32.sat d.b0, a, b, c, model isa." in preview
        if name == "png":
            data = export(drive.session.trace, "png")
            wide, high = struct.unpack(">2I", data[16:24])
            told = re.search("a picture of about ([0-9,]+) by ([0-9,]+) px", preview)
            assert told
            assert [int(x.replace(",", "")) for x in told.groups()] == pytest.approx(
                [wide, high], abs=1
            )
        assert f"saved as vadd.{name}" in await drive.see("ctrl+s")
        assert (tmp_path / f"vadd.{name}").read_bytes().startswith(begin)
        assert "can't be copied as text" in await drive.see("ctrl+y")


async def test_what_a_picture_lacks_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    async with explorer(*E3) as drive:
        await drive.press("e")
        await _format(drive, "png")
        said = " ".join((await drive.text()).split())
        assert "png needs resvg-py, which is not installed" in said
        assert "not written, png needs resvg-py" in " ".join((await drive.see("ctrl+s")).split())


@pytest.mark.parametrize("width", [40, 60, 80])
async def test_every_format_and_why_steps_are_refused_are_seen_in_full(width: int) -> None:
    async with explorer(*E3, size=(width, 24)) as drive:
        shown = await drive.see("e")
        for name in FORMATS:
            assert re.search(rf"[ \[]{name}[ \]]", shown), name
        if width < 60:
            return
        shown = await drive.see("tab", *"bogus")
        rows = ("".join(line.split("│")[1:2]) for line in shown.splitlines())
        _, _, steps = " ".join(" ".join(rows).split()).partition("not a step of this instruction; ")
        assert steps.startswith("its steps are 1 select, 2 extend, 3 add,")
        assert "6 write" in steps
