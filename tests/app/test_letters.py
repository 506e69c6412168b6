"""Every field that takes text takes every letter: none of them is a key there."""

from __future__ import annotations

from string import ascii_letters

import pytest
from textual.widgets import Input

from tests.app.driving import explorer
from tests.tiers import ci_only, sampled

pytestmark = [sampled, ci_only]

LINE = "setp.lt.f32 p, a, b"
FIELDS = {
    "line": ("i",),
    "filter": ("slash",),
    "value": ("o", "1"),
    "prediction": ("1", "P", "home", "enter"),
    "lesson": ("@lessons", *["down"] * 9, "enter", *["n"] * 7),
    "explain": ("x",),
    "export": ("e", "tab"),
    "file": ("@listing.open",),
    "note": ("@note",),
    "palette": ("ctrl+p",),
}


@pytest.mark.parametrize("name", FIELDS)
async def test_a_field_takes_every_letter(name: str) -> None:
    async with explorer(LINE, {"a": 0, "b": 0}) as drive:
        await drive.press(*FIELDS[name])
        focus = drive.focus
        assert isinstance(focus, Input), focus
        for letters in (ascii_letters, "nan", "no", "h", "q"):
            focus.value = ""
            await drive.press(*letters)
            assert drive.focus is focus
            assert focus.value == letters
