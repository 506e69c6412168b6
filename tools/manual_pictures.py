"""The tutorial's pictures of the explorer, drawn by the running app."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from .screenshots import Shot, draw

FOLDER: Final = Path(__file__).resolve().parent.parent / "docs" / "figures"
_SIZE: Final = (104, 36)
_QUAD: Final = "vadd4.s32.s32.u32.sat d.b310, a, b.b4567, c"
_QUAD_VALUES: Final = {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0xCCCCCCCC}

SHOTS: Final = (
    Shot("opened", _QUAD, _QUAD_VALUES, size=_SIZE),
    Shot("saturate", _QUAD, _QUAD_VALUES, ("home", "n", "n", "n"), size=_SIZE),
    Shot("cursor", _QUAD, _QUAD_VALUES, ("4", "l", "right", "right"), size=_SIZE),
    Shot(
        "two-answers",
        "vadd.u32.s32.s32.sat %0.b0, %1, %2, %3",
        {"%1": 0xFFFFFFFF, "%2": 0, "%3": 0x11223344},
        size=_SIZE,
    ),
)


def renew_pictures() -> None:
    """Draw those that are stale."""
    for shot in SHOTS:
        path, svg = FOLDER / f"{shot.name}.svg", asyncio.run(draw(shot))
        if not path.exists() or path.read_text(encoding="utf-8") != svg:
            path.write_text(svg, encoding="utf-8")
            print(f"drew {path.name}")
