"""Wrong answers about an instruction that is added to the engine are explained."""

from __future__ import annotations

from tests.driving.added_instructions import ask_process


def test_a_mistake_in_the_added_instruction_is_explained() -> None:
    assert "You left the bits in order: reverse(128) is 1." in " ".join(ask_process({})["wrong"])
