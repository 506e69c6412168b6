"""Dialogs, their fields, and messages, as they stand there."""

from __future__ import annotations

from string import ascii_letters

import pytest
from textual.widgets import Input
from textual.widgets._toast import Toast

from ptxscope.screens.dialogs.dialog import DialogFrame
from ptxscope.screens.dialogs.export_dialog import ExportDialog
from ptxscope.widgets.base.form_fields import Menu, Page
from tests.driving.dialogs import ADDED_DIALOGS
from tests.driving.explorer import Driver, explorer
from tests.driving.feature_tables import extend_table
from tests.tiers import ci_only, sampled, some

pytestmark = [sampled, ci_only]

E3 = ("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344})


# --- dialogs ------------------------------------------------------------------------------

SIZES = [(60, 20), (80, 24), (120, 40), (250, 70)]
OWN_DIALOGS = {
    "keys": ("question_mark",),
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


# --- sizes, and fields ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "keys",
    [("x",), ("e", "right", "enter"), *ADDED_DIALOGS.values()],
    ids=" ".join,
)
async def test_a_dialog_is_as_high_as_what_it_shows(keys: tuple[str, ...]) -> None:
    async with explorer(size=(120, 60)) as drive:
        await drive.press(*keys)  # of a PNG, the export dialog shows the size alone
        frame = drive.app.screen.query_one(DialogFrame)
        last = max(frame.children, key=lambda child: child.region.bottom)
        assert frame.region.bottom == last.region.bottom + 1
        assert frame.region.height < 42


FIELDS = {
    "line": ("i",),
    "filter": ("slash",),
    "value": ("o", "1"),
    "prediction": ("1", "P", "home", "enter"),
    "explain": ("x",),
    "export": ("e", "tab"),
    "file": ("@listing.open",),
    "note": ("@note",),
    "keys": ("ctrl+p",),
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
