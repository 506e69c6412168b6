"""A message about a part of what is no longer shown does nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from ptxscope.engine.tracing.provenance import LaneBits
from ptxscope.scene.scene_model import LaneRef
from ptxscope.state.edit_transitions import (
    ask_value,
    choose_option,
    edit,
    offer_values,
    set_slot,
    set_value,
)
from ptxscope.state.edits import with_line, with_model
from ptxscope.state.figure_edits import flip_mask, nudge_lane, select_part
from ptxscope.state.listing_transitions import go_to, open_text
from ptxscope.state.step_transitions import ask_guess, go_to_step
from ptxscope.widgets.base.explorer_app import Do, PostedMessage
from ptxscope.widgets.footer import HintBar
from ptxscope.widgets.form_pane import FormPane
from ptxscope.widgets.lanes.lanes_pane import LanesPane
from ptxscope.widgets.listing_pane import ListingPane
from ptxscope.widgets.operand_table import OperandField, OperandTable
from tests.driving.explorer import Driver, explorer
from tests.tiers import ci_only, sampled

pytestmark = [sampled, ci_only]

BEFORE = ("vadd4.s32.s32.s32.sat d.b310, a, b.b4567, c", {"a": 0x807F7FA6, "b": 0x7F017F80})
AFTER = "setp.lt.f32 p|q, a, b"

MESSAGES: dict[str, Callable[[Driver], PostedMessage]] = {
    "a cell": lambda drive: LanesPane.CursorMoved(
        drive.lanes, LaneBits("merge.d", 3, 0, 8), "said"
    ),
    "an operand": lambda drive: LanesPane.CursorMoved(
        drive.lanes, LaneBits("c", 0, 24, 32), "said"
    ),
    "a step": lambda drive: Do(drive.lanes, go_to_step, 5),
    "a chip": lambda drive: Do(drive.lanes, ask_value, OperandField("c", "lane", 3), "1"),
    "a nudge": lambda drive: Do(drive.lanes, nudge_lane, "c", 24, 8, 1),
    "a mask": lambda drive: Do(drive.lanes, flip_mask, 1),
    "a selector": lambda drive: Do(drive.lanes, select_part, "bsel", 3, 1),
    "a choice": lambda drive: Do(drive.lanes, choose_option, print, "", (), 0, 0),
    "a prediction": lambda drive: Do(drive.lanes, ask_guess, LaneRef("add.t", 3), "1"),
    "a field": lambda drive: Do(operands(drive), ask_value, OperandField("c", "lane", 3), "1"),
    "a value": lambda drive: Do(operands(drive), set_value, "c", 1),
    "presets": lambda drive: Do(operands(drive), offer_values, "c"),
    "a modifier": lambda drive: Do(drive.screen.query(FormPane).first(), set_slot, "sat", True),
}


def post(message: PostedMessage) -> None:
    assert message.control is not None
    message.control.post_message(message)


def operands(drive: Driver) -> OperandTable:
    return drive.screen.query_one(OperandTable)


@pytest.mark.parametrize("name", MESSAGES)
async def test_a_message_about_an_instruction_that_was_replaced_is_dropped(name: str) -> None:
    async with explorer(*BEFORE) as drive:
        post(MESSAGES[name](drive))
        await drive.screen.perform(edit, with_line(drive.session.setup, AFTER))
        setup = drive.session.setup
        await drive.text()
        assert drive.session.setup == setup
        assert drive.app.screen is drive.screen
        assert drive.screen.view.value_field is None or not drive.field.is_open


async def test_a_message_about_another_model_is_dropped() -> None:
    """The rows of a model that clamps otherwise may be others."""
    async with explorer("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 1}) as drive:
        message = Do(drive.lanes, go_to_step, 1)
        await drive.screen.perform(edit, with_model(drive.session.setup, "ptxas"))
        assert message.no_dispatch


@pytest.mark.parametrize(
    "keys", [("l", "up", "up", "up", "greater_than_sign"), ("o", "greater_than_sign")]
)
async def test_other_values_of_the_same_form_drop_nothing(keys: Sequence[str]) -> None:
    async with explorer("vadd.s32.s32.s32 d, a, b", {"a": 5, "b": 0}) as drive:
        await drive.press("home")
        await drive.mash(*keys, *["greater_than_sign"] * 9, pace=0)
        assert drive.operands["a"] == 15


async def test_a_row_of_a_listing_that_was_replaced_is_dropped() -> None:
    one = "vadd4.u32.u32.u32 d, a, b, c;\nvadd2.u32.u32.u32 e, d, b, c;"
    async with explorer(*BEFORE) as drive:
        await drive.paste(one)
        listing = drive.screen.query_one(ListingPane)
        assert listing.place is not None
        post(Do(listing, go_to, listing.place.move_by(1)))
        await drive.screen.perform(open_text, one.replace("vadd", "vsub"), "another")
        await drive.text()
        assert drive.opcode == "vsub4"


@pytest.mark.parametrize("focus", [LanesPane, None])
async def test_the_lights_follow_the_line(focus: type[LanesPane] | None) -> None:
    """The cell under the cursor is missing in the next line: no operand stays lit."""
    async with explorer(*BEFORE) as drive:
        if focus:
            await drive.press("l")
        drive.lanes.move_cursor_to(LaneRef("merge.d", 3))
        await drive.text()
        await drive.paste(AFTER)
        await drive.text()
        if not focus:
            shown = [piece for line in operands(drive).visible_lines for piece in line]
            assert not [piece for piece in shown if piece.style_name == "origin"]
        drive.agree()


async def test_a_message_that_an_edit_follows_at_once_does_not_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(HintBar, "FIRM", 1.2)
    async with explorer() as drive:
        await drive.press("y", "r")
        assert "Copied" in drive.hint
        await drive.pilot.pause(1.5)
        assert not drive.hint
