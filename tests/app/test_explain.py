"""Why did I get that? The question in the explorer, its answers, and what comes of them."""

from __future__ import annotations

import pytest
from textual.widgets._toast import Toast

from ptxscope.screens.dialogs.explain_dialog import ExplainDialog
from ptxscope.state.edit_transitions import edit
from ptxscope.state.edits import with_line
from ptxscope.widgets.base.form_fields import Menu, Page
from tests.app.driving import Driver, explorer
from tests.tiers import ci_only, sampled

pytestmark = [sampled, ci_only]

E3 = ("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344})


def why(drive: Driver) -> str:
    return drive.app.screen.query_one("#why", Page).read_text()


async def test_an_erratum_is_found_and_compared_with_the_documentation() -> None:
    async with explorer(*E3) as drive:
        await drive.press("x")
        await drive.type("0x112233ff")
        shown = await drive.see("enter")
        assert "as ptxas 11.8 to 13.5 compiles it for sm_70 and later" in shown
        assert "byte 0 is not" in shown
        assert "E3: The clamp's lower bound is missing" in why(drive)
        assert "min(18446744073709551615, 255) = 255" in why(drive)
        shown = await drive.see("enter")
        assert drive.session.trace.model.name == "ptxas-13.5"
        assert drive.result == {"d": 0x112233FF}
        assert "≠pin" in shown
        await drive.press("u")
        assert drive.session.trace.model.name == "isa"


async def test_the_cursor_shows_each_explanation_and_one_opens() -> None:
    async with explorer(*E3) as drive:
        await drive.press("x")
        await drive.type("0x112233ff")
        await drive.press("enter", "down")
        assert "without `.sat`" in why(drive)
        await drive.press("enter")
        assert drive.line == "vadd.u32.s32.s32 d.b0, a, b, c;"
        assert drive.state.pin is not None
        assert drive.state.pin.line == E3[0] + ";"


async def test_what_was_typed_is_there_again() -> None:
    async with explorer(*E3) as drive:
        await drive.press("x")
        await drive.type("0x11??33??")
        await drive.press("escape")
        shown = await drive.see("x")
        assert "0x11??33??" in shown
        assert "documented result" in why(drive)
        assert drive.line == E3[0] + ";"


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


async def test_two_predicates_are_asked_for_by_name() -> None:
    async with explorer("setp.lt.s32 p|q, a, b", {"a": 1, "b": 2}) as drive:
        await drive.press("x")
        await drive.type("p=0 q=1")
        assert "p and q exchanged" in await drive.see("enter")


async def test_explanations_are_listed_as_soon_as_a_value_is_typed() -> None:
    async with explorer(*E3, size=(80, 24)) as drive:
        await drive.press("x")
        await drive.type("0x112233ff")
        await drive.pilot.pause(0.4)
        shown = await drive.text()
        explanations, _, steps = shown.partition("Explanations")[2].partition("─Why")
        assert "without `.sat`" in explanations
        assert "E3: The clamp's lower bound is missing" in steps


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_an_illegal_line_is_not_what_is_explained(size: tuple[int, int]) -> None:
    async with explorer(*E3, size=size) as drive:
        assert "last legal line" not in await drive.see("x")
        await drive.press("escape")
        wrong = "vabsdiff4.u32.u32.u32.sta d, a, b, c"
        await drive.screen.perform(edit, with_line(drive.session.setup, wrong))
        assert "Why did I get that? · of the last legal line" in await drive.see("x")


@pytest.mark.parametrize("size", [(80, 24), (80, 16)])
async def test_what_was_pinned_is_said_where_it_covers_nothing(size: tuple[int, int]) -> None:
    async with explorer(*E3, size=size) as drive:
        await drive.press("x")
        await drive.type("0x112233ff")
        await drive.press("enter")
        shown = await drive.see("enter")
        assert shown.count("Pinned") == 1
        assert "the explanation" in shown
        assert bool(drive.app.screen.query(Toast)) is (size[1] < 18)  # hints have no row there


async def test_a_sentence_about_near_results_is_never_cut() -> None:
    values = {"a": 0x80FF7F01, "b": 0x01FF0280}
    async with explorer("vavrg4.s32.s32.u32.sat d, a, b, c", values, size=(80, 24)) as drive:
        await drive.press("x")
        await drive.type("[1,2,3,4]")
        assert "rather than `vavrg4`" in await drive.see("enter")
