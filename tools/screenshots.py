"""Draw screenshots/ from the running app: `python3 dev.py screenshots [--check]`."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import NamedTuple

from ptxscope import parse
from ptxscope.app import Explorer

FOLDER = Path(__file__).resolve().parent.parent / "screenshots"


class Shot(NamedTuple):
    """A picture: what is open, and the keys that lead to it."""

    name: str
    ptx: str
    values: dict[str, int]
    keys: tuple[str, ...] = ()
    model: str = "isa"
    size: tuple[int, int] = (120, 40)


SHOTS = (
    Shot(
        "explorer",
        "vset4.s32.u32.lt.add %r1, %r2, %r3, %r0",
        {"%r2": 0x80FF7F01, "%r3": 0x01010101, "%r0": 5},
        ("p", "p"),
    ),
)


async def draw(shot: Shot) -> str:
    """The picture as SVG."""
    app = Explorer(parse(shot.ptx), shot.values, shot.model)
    async with app.run_test(size=shot.size) as pilot:
        await pilot.pause()
        await pilot.press(*shot.keys)
        await pilot.pause()
        svg = app.export_screenshot(title=f"ptxscope · {shot.name}")
    # the class names hold a hash of the process; a picture is the same in every run
    return re.sub(r"terminal-\d+-", "terminal-", svg)


def main() -> None:
    """Write every picture; with --check say which ones are stale instead."""
    stale = []
    for shot in SHOTS:
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
