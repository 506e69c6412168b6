"""Why did I get that? The question in the explorer, its answers, and what comes of them."""

from __future__ import annotations

import pytest

from ptxscope.screens.dialogs.report_dialogs import ExplainDialog
from ptxscope.state.edit_transitions import edit
from ptxscope.state.edits import with_line
from ptxscope.widgets.base.form_fields import Menu, Page
from tests.app.driving import Driver, explorer
from tests.app.test_dialogs import framed
from tests.tiers import ci_only, sampled

pytestmark = [sampled, ci_only]

E3 = ("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344})
VALUES = {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0xCCCCCCCC}


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
        assert "≠pin" in shown
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
        ("vadd4.s32.s32.s32 d.b310, a, b, c", VALUES, "0x81cc8181"),
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


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("0x1x", "is not a value"),
        ("[a]", "`a` is not a value"),
        ("q=1", "is not a destination"),
        ("0x????????", "no digit of it is known"),
        ("0xdeadbeef", "Nothing within two changes explains it"),
    ],
)
async def test_what_can_not_be_explained_is_said(typed: str, said: str) -> None:
    async with explorer("vadd.u32.u32.u32 d, a, b", {"a": 1, "b": 2}) as drive:
        await drive.press("x")
        await drive.type(typed)
        shown = await drive.see("enter", "enter", "tab", "enter", "down")
        assert said in shown
        screen = drive.app.screen
        assert isinstance(screen, ExplainDialog)
        assert not screen.query_one("#findings", Menu).items


async def test_an_illegal_line_is_not_what_is_explained() -> None:
    async with explorer(*E3, size=(80, 24)) as drive:
        assert "last legal line" not in await drive.see("x")
        await drive.press("escape")
        wrong = "vabsdiff4.u32.u32.u32.sta d, a, b, c"
        await drive.screen.perform(edit, with_line(drive.session.setup, wrong))
        assert "Why did I get that? · of the last legal line" in await drive.see("x")
