"""The tutorial's pictures of the explorer, drawn by the running app when the manual is built."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from typing import Final

from .screenshots import Shot, draw

FOLDER: Final = "_pictures"
SIZE: Final = (104, 36)
QUAD: Final = "vadd4.s32.s32.u32.sat d.b310, a, b.b4567, c"
QUAD_VALUES: Final = {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0xCCCCCCCC}
AVERAGE: Final = "vavrg4.s32.s32.s32 d, a, b, c"
AVERAGE_VALUES: Final = {"a": 0x07020304, "b": 0}
PARTED: Final = "vadd.u32.s32.s32.sat %0.b0, %1, %2, %3"
PARTED_VALUES: Final = {"%1": 0xFFFFFFFF, "%2": 0, "%3": 0x11223344}

SHOTS: Final = (
    Shot("opened", QUAD, QUAD_VALUES, size=SIZE),
    Shot("select", QUAD, QUAD_VALUES, ("home",), size=SIZE),
    Shot("saturate", QUAD, QUAD_VALUES, ("home", "n", "n", "n"), size=SIZE),
    Shot("cursor", QUAD, QUAD_VALUES, ("4", "l", "right", "right"), size=SIZE),
    Shot(
        "edited",
        QUAD,
        QUAD_VALUES,
        ("o", "right", "right", "right", "enter", "minus", "7", "enter"),
        size=SIZE,
    ),
    Shot(
        "why",
        AVERAGE,
        AVERAGE_VALUES,
        ("x", *"[3,1,1,2]", "enter"),
        size=SIZE,
    ),
    Shot("two-answers", PARTED, PARTED_VALUES, size=SIZE),
    Shot("export", QUAD, QUAD_VALUES, ("e", "right", "right", "right", "space"), size=SIZE),
)


def make(folder: Path) -> None:
    """Draw them, where they are not there as this version draws them."""
    stamp, now = folder / "stamp", _digest()
    if stamp.exists() and stamp.read_text(encoding="utf-8") == now:
        return
    folder.mkdir(exist_ok=True)
    for shot in SHOTS:
        (folder / f"{shot.name}.svg").write_text(asyncio.run(draw(shot)), encoding="utf-8")
    stamp.write_text(now, encoding="utf-8")


def _digest() -> str:
    """Of all that they are drawn by."""
    here = Path(__file__).resolve()
    found = hashlib.sha256(here.read_bytes())
    for path in sorted((here.parent.parent / "ptxscope").rglob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()
