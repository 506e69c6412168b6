"""Bytes, truth tables and windows under a person's hands: what is typed or dragged is computed."""

from __future__ import annotations

import pytest
from textual.widgets import Input, Static

from ptxscope import trace
from ptxscope.scene.scene_builder import build_scene
from ptxscope.scene.scene_model import BitRef, Place
from ptxscope.screens.dialogs.prompts import TextPrompt
from ptxscope.state.figure_edits import FORMULA_PLACE
from ptxscope.widgets.lanes.lane_highlights import find_highlights
from ptxscope.widgets.lanes.lanes_pane import LanesPane
from tests.app.driving import Driver, explorer
from tests.tiers import ci_only, sampled

pytestmark = [sampled, ci_only]

A, B = 0x03020180, 0x77F65504
PRMT = ("prmt.b32 d, a, b, c", {"a": A, "b": B, "c": 0xABCD8AE4})
LOP3 = ("lop3.b32 d, a, b, c, 0xca", {"a": 0xFF00FF00, "b": 0x12345678, "c": 0x9ABCDEF0})
SIZE = (120, 40)


async def put(drive: Driver, place: Place) -> LanesPane:
    """Put the cursor on a place."""
    lanes = drive.lanes
    await drive.hit(place)
    assert lanes.place == place
    return lanes


def test_bits_and_entries_of_a_table_light_each_other() -> None:
    one = trace(*LOP3)

    def find_origins(place: Place) -> frozenset[Place]:
        return find_highlights(one, build_scene(one), place).origins

    lit = find_origins(BitRef("b", 0, 31))  # a, b, c: 1, 0, 1
    assert {BitRef(key, 0, 31) for key in ("a", "c", "operate.t")} <= lit
    assert [x for x in range(8) if BitRef("lut", 0, x) in lit] == [5]
    a, b, c = LOP3[1].values()
    lit = find_origins(BitRef("lut", 0, 7))
    bits = {x.bit for x in lit if isinstance(x, BitRef) and x.key == "a"}
    assert bits == {x for x in range(32) if (a & b & c) >> x & 1}


async def test_a_formula_gives_the_table() -> None:
    async with explorer(*LOP3, size=SIZE) as drive:
        await drive.press("home", "n")
        await put(drive, FORMULA_PLACE)
        await drive.press("enter")
        await drive.type("b")  # it replaces the old one
        await drive.press("enter")
        assert drive.form.lut == 0xCC
        assert "[0xcc]" in drive.pane("modifiers").read_text()
        assert "0xcb" not in drive.pane("modifiers").read_text()
        await drive.click("modifiers", "0xcc")
        prompt = drive.app.screen
        assert isinstance(prompt, TextPrompt)
        prompt.query_one(Input).value = "a & e"
        await drive.press("enter")
        assert drive.form.lut == 0xCC  # what was typed is kept, and the reason below it
        assert prompt.query_one(Input).value == "a & e"
        assert "`e` is not part of a formula" in str(prompt.query_one("#refusal", Static).content)
        await drive.press("end", "backspace", "c", "enter")
        assert drive.form.lut == 0xA0
        assert "= a & c" in drive.pane("lanes").read_text()
        await drive.press("i", "ctrl+u")
        await drive.paste("lop3.b32 d, a, b, c, (a ^ b) & ~c")
        await drive.press("f2")  # the fix of a formula in the line
        assert drive.form.lut == (0xF0 ^ 0xCC) & ~0xAA & 0xFF


@pytest.mark.parametrize(
    ("line", "values"),
    [PRMT, LOP3, ("bfe.u32 d, a, b, c", {"a": 0x12345678, "b": 8, "c": 4})],
    ids=["prmt", "lop3", "bfe"],
)
async def test_a_predicted_step_shows_no_figure(line: str, values: dict[str, int]) -> None:
    async with explorer(line, values, size=SIZE) as drive:
        await drive.press("home", "P")
        for _ in drive.session.trace.steps:
            await drive.press("down", "up")
            step = drive.session.trace.steps[drive.state.step - 1]
            if "operate.t" in [row.key for row in step.rows]:
                shown = drive.pane("lanes").read_text()
                assert not any(x in shown for x in ("for this arrangement", "= ((b", "bits 11:8"))
            await drive.press("n")
        drive.agree()
