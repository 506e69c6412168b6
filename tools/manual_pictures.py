"""The tutorial's pictures of the explorer, drawn by the running app."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from .screenshots import Shot, draw

FOLDER: Final = Path(__file__).resolve().parent.parent / "docs" / "figures"
_SIZE: Final = (104, 36)
_PIXEL: Final = "vadd4.u32.u32.u32.sat d.b210, a, b.b4444, a"
_PIXEL_VALUES: Final = {"a": 0xFF1078C8, "b": 100}

SHOTS: Final = (
    Shot("opened", _PIXEL, _PIXEL_VALUES, size=_SIZE),
    Shot("saturate", _PIXEL, _PIXEL_VALUES, ("home", "n", "n", "n"), size=_SIZE),
    Shot("cursor", _PIXEL, _PIXEL_VALUES, ("4", "l", "right", "right", "right"), size=_SIZE),
    Shot(
        "two-answers",
        "vsub.u32.u32.u32.sat d.b0, a.b0, b, a",
        {"a": 0xFF107832, "b": 100},
        size=_SIZE,
    ),
)


def renew_pictures() -> None:
    """Draw stale pictures."""
    for shot in SHOTS:
        path, svg = FOLDER / f"{shot.name}.svg", asyncio.run(draw(shot))
        if not path.exists() or path.read_text(encoding="utf-8") != svg:
            path.write_text(svg, encoding="utf-8")
            print(f"drew {path.name}")
