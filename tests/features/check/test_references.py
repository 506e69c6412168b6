"""References to errata and to sections of the PTX ISA: in texts, and from screens that name one."""

from __future__ import annotations

import pytest

from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.semantics.rules import ALL_ERRATA
from ptxscope.features.check.references import (
    MANUAL,
    find_references,
    make_page,
    step_reference,
)
from ptxscope.features.check.terminal.reference_screen import ReferenceScreen
from ptxscope.scene.scene_model import LaneRef
from ptxscope.screens.dialogs.prompts import MenuDialog
from tests.driving.explorer import Driver, explorer
from tests.tiers import some

E3 = ("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344})
SIZES = some([(80, 24), (120, 40), (40, 16)], 0, 1)


@pytest.mark.parametrize(
    ("text", "references"),
    [
        ("≠ E3: The clamp's lower bound is missing", ("E3",)),
        ("§9.7.18.1.1 (E12), E3", ("E12", "E3", "9.7.18.1.1")),
        ("PTX ISA 9.2, §9.7.6.1, §9.7.18.1; PTX 2.0, sm_20", ("9.7.6.1", "9.7.18.1")),
        ("0xE3 1.5E5 %E4 $E4 E99 E3x F9 9.7 9.7.99 19.7.6.1", ()),
    ],
)
def test_references_are_found_in_text(text: str, references: tuple[str, ...]) -> None:
    assert find_references(text) == references


def test_the_errata_follow_each_other_in_a_circle() -> None:
    ids = ["E1"]
    while (id_ := step_reference(ids[-1], 1)) != "E1":
        ids.append(id_)
    assert ids == [*(f"E{n}" for n in range(1, len(ALL_ERRATA) + 1)), "F1", "F2"]
    assert [step_reference(x, -1) for x in ids] == [ids[-1], *ids[:-1]]


@pytest.mark.parametrize("opcode", some(CATALOG))
def test_every_section_has_a_page_with_its_instructions_and_the_address(opcode: str) -> None:
    entry = CATALOG[opcode]
    page = make_page(entry.section)
    assert entry.section in page.title
    assert MANUAL in str(page.parts[0].blocks)
    assert f"{entry.opcode}: {entry.summary}" in [part.title for part in page.parts]


# --- in the explorer -------------------------------------------------------------------------


def shown_reference(drive: Driver) -> str:
    """The reference whose page is on top; may be empty."""
    screen = drive.app.screen
    return screen.reference if isinstance(screen, ReferenceScreen) else ""


@pytest.mark.parametrize("size", SIZES)
async def test_a_page_opens_and_returns_to_the_same_cell(size: tuple[int, int]) -> None:
    async with explorer(*E3, size=size) as drive:
        await drive.press("a", "l")
        place, line = drive.lanes.place, drive.line
        assert place == LaneRef("saturate.t", 0)
        shown = await drive.see("E")
        assert shown_reference(drive) == "E3"
        assert "Erratum E3" in shown
        assert "3 of 27" in shown
        for key, title in (("right_square_bracket", "E4"), ("left_square_bracket", "E3")):
            assert f"Erratum {title}" in await drive.see(key)
        await drive.press("left_square_bracket", "left_square_bracket", "left_square_bracket")
        assert shown_reference(drive) == "F2"  # before the first is the last
        await drive.press("escape")
        assert not shown_reference(drive)
        assert (drive.lanes.place, drive.line) == (place, line)
        assert drive.focus is drive.lanes


@pytest.mark.parametrize("size", SIZES)
async def test_enter_opens_the_example_and_y_copies_the_replacement(size: tuple[int, int]) -> None:
    async with explorer(*E3, size=size) as drive:
        await drive.press("E", "right_square_bracket", "y")
        lines = drive.app.clipboard.splitlines()
        assert (lines[0], lines[-1]) == ("{", "}")
        assert "    bfi.b32 d, w2, c, 0, 8;" in lines
        await drive.press("enter")
        assert drive.line.startswith("vshr.u32.u32.u32.sat.clamp d.b0, a, b, c")
        assert [*drive.result.values()] == [0x112233FF]
        drive.agree()
        await drive.press("u")
        assert drive.line.startswith("vadd.u32.s32.s32.sat")


async def test_the_example_of_two_statements_opens_as_a_block() -> None:
    async with explorer(*E3, size=(80, 24)) as drive:
        await drive.press("E", *["right_square_bracket"] * 15)
        assert shown_reference(drive) == "E18"
        await drive.press("enter")
        block = drive.state.block_trace
        assert block
        assert len(block.parts) == 2
        assert block.result["d"] == 6


async def test_all_of_a_page_can_be_read_by_keys() -> None:
    async with explorer(*E3, size=(80, 24)) as drive:
        assert "No GPU" not in await drive.see("E")
        shown = await drive.see("end")
        assert "No GPU has run it" in shown
        assert "Proved for all operands" in shown


async def test_of_several_errata_one_is_asked_for() -> None:
    line = "vmad.u32.u32.u32.sat.shr7 d, a, b, c"
    async with explorer(line, {"a": 1, "b": 1, "c": 0xFFFFFF7F}, size=(80, 24)) as drive:
        shown = await drive.see("E")
        assert isinstance(drive.app.screen, MenuDialog)
        assert "E12" in shown
        assert "section 9.7.18.1.3" in shown
        await drive.press("enter")
        assert shown_reference(drive) == "E11"


async def test_a_line_without_errata_opens_its_section_and_a_page_leads_to_others() -> None:
    line = "vadd4.u32.u32.u32 d, a, b, c"
    async with explorer(line, {"a": 1, "b": 2, "c": 0}, size=(80, 24)) as drive:
        shown = await drive.see("E")
        assert shown_reference(drive) == "9.7.18.2.3"
        assert MANUAL in shown
        assert "vadd4: add four pairs of bytes" in shown
        await drive.press("enter", "right_square_bracket")  # a section has neither
        assert shown_reference(drive) == "9.7.18.2.3"
        await drive.press("escape")
        assert drive.line.startswith(line)


async def test_a_page_opens_over_a_dialog_and_returns_to_it() -> None:
    async with explorer(*E3, size=(80, 24)) as drive:
        await drive.press("@check")
        dialog = drive.app.screen
        assert "Enter opens it" not in await drive.see("E")
        assert shown_reference(drive) == "E3"
        await drive.press("enter")  # the example would open below the dialog
        assert shown_reference(drive) == "E3"
        shown = await drive.see("f4")
        assert "section 9.7.18.1.1" in shown
        await drive.press("escape", "escape")
        assert drive.app.screen is dialog


async def test_a_field_takes_the_letter_and_not_the_function_key() -> None:
    async with explorer(*E3, size=(80, 24)) as drive:
        await drive.press("x", *"0x112233ff")
        await drive.press("enter")
        assert "E3" in await drive.text()
        await drive.press("f4")
        assert shown_reference(drive) == "E3"


@pytest.mark.parametrize(
    ("pane", "text", "reference"),
    [("result", "E3)", "E3"), ("lanes", "E3)", "E3"), ("status", "9.7.18.1.1", "9.7.18.1.1")],
)
async def test_a_click_on_a_reference_opens_it(pane: str, text: str, reference: str) -> None:
    async with explorer(*E3, size=(120, 40)) as drive:
        await drive.press("a")
        await drive.click(pane, text)
        assert shown_reference(drive) == reference
        await drive.press("escape")
        await drive.click("result", "ptxas-13.5")
        assert not shown_reference(drive)
