"""Draw screenshots/ from the running app: `python3 dev.py screenshots [--check]`."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from textual import events

from ptxscope import parse
from ptxscope.app.app import Explorer
from ptxscope.feature import list_features

FOLDER = Path(__file__).resolve().parent.parent / "screenshots"


class Shot(NamedTuple):
    """A picture: its file or line, its pasted text, and its keys."""

    name: str
    ptx: str
    values: dict[str, int]
    keys: tuple[str, ...] = ()
    model: str = "isa"
    size: tuple[int, int] = (120, 40)
    paste: str = ""
    feature: str = ""
    """The necessary feature."""


LISTING = """\
.reg .u32 %r<9>; .reg .pred %p<2>;
vset4.s32.u32.lt %r1, %r5, %r6, %r6;
prmt.b32 %r2, %r1, 0, 0x8888;
not.b32 %r3, %r1;
vadd.u32.s32.s32.sat %r4.b0, %r5, %r6, %r3;
setp.ne.u32 %p1, %r4, 0;
@%p1 vabsdiff4.u32.u32.u32.add %r7, %r5, %r6, %r4;
selp.b32 %r8, %r7, %r1, %p1;
"""

SHOTS = (
    Shot(
        "explain",
        "vadd.u32.s32.s32.sat %0.b0, %1, %2, %3",
        {"%1": 0xFFFFFFFF, "%2": 0, "%3": 0x11223344},
        ("x", *"0x112233ff", "enter"),
    ),
    Shot(
        "listing",
        "vset4.s32.u32.lt d, a, b, c",
        {},
        (
            "o",
            *"0x80ff7f01",
            "enter",
            "down",
            *"0x01010101",
            "enter",
            "right_square_bracket",
        ),
        paste=LISTING,
    ),
    Shot(
        "compare",
        "vadd4.s32.s32.s32 d, a, b, c",
        {"a": 0x7F80FF01, "b": 0x01FF0280, "c": 0},
        ("equals_sign", "m", "down", "down", "down", "right", "enter", "escape", "p"),
    ),
    Shot(
        "lesson",
        "vset4.s32.u32.lt.add d, a, b, c",
        {"a": 0x80FF7F01, "b": 0x01010101, "c": 5},
        ("L", "down", "down", "enter", "n", "n", "n"),
        feature="lessons",
    ),
    Shot(
        "predict",
        "vadd4.s32.s32.u32.sat d.b310, a.b3210, b.b4567, c",
        {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0xCCCCCCCC},
        ("4", "P", *"255", "enter"),
    ),
    Shot(
        "sweep",
        "vadd4.s32.s32.s32.sat d, a, b, c",
        {"a": 0x80FF7F01, "b": 0x01FF0264, "c": 0},
        ("v",),
        feature="sweep",
    ),
)


_SETTLE_SECONDS = 0.1
TERMINAL = {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "COLORTERM": "truecolor"}
"""The terminal of the pictures: it reads UTF-8 and has full colours."""


def list_shots() -> list[Shot]:
    """Return the pictures, except of missing features."""
    names = {feature.name for feature in list_features()}
    return [shot for shot in SHOTS if not shot.feature or shot.feature in names]


async def draw(shot: Shot) -> str:
    """Return the picture as SVG, the same in every terminal."""
    with patch.dict(os.environ, TERMINAL):
        os.environ.pop("NO_COLOR", None)
        app = Explorer(parse(shot.ptx), shot.values, shot.model)
    app.animation_level = "none"
    async with app.run_test(size=shot.size) as pilot:
        await pilot.pause()
        if shot.paste:
            app.post_message(events.Paste(shot.paste))
            await pilot.pause()
        await pilot.press(*shot.keys)
        title, svg, earlier_svg = f"ptxscope · {shot.name}", "", None
        while svg != earlier_svg:  # until the effects of the keys are drawn
            await pilot.pause(_SETTLE_SECONDS)
            svg, earlier_svg = app.export_screenshot(title=title), svg
    # the class names contain a hash of the process; a picture is the same in every run
    return re.sub(r"terminal-\d+-", "terminal-", svg)


def main() -> None:
    """Write every picture; with --check, list the stale ones instead."""
    stale = []
    for shot in list_shots():
        path = FOLDER / f"{shot.name}.svg"
        svg = asyncio.run(draw(shot))
        if not path.exists() or path.read_text(encoding="utf-8") != svg:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(svg, encoding="utf-8")
    print("stale:" if "--check" in sys.argv else "drawn:", *stale or ["none"])
    if "--check" in sys.argv and stale:
        sys.exit(1)


if __name__ == "__main__":
    main()
