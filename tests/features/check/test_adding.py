"""An instruction that is added to the engine is checked in listings."""

from __future__ import annotations

from tests.driving.added_instructions import LINE, ask_process


def test_a_listing_with_the_added_instruction_is_checked() -> None:
    listing = f"{LINE};\n{LINE.replace('.', '.q')};\n"
    status, text, _ = ask_process({"check": (["check", "-"], listing)})["check"]
    assert status == 1
    assert "2 instructions, 1 illegal" in text
