"""What the screen looks like: without colours, and in pictures of the manual."""

from __future__ import annotations

import pytest

from tests.driving.explorer import explorer
from tests.tiers import ci_only
from tools.screenshots import draw, list_shots

CLAMP = ("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0x112233})


@pytest.fixture(autouse=True)
def _frames() -> None:
    """Every frame is drawn, as a picture is one."""


async def test_without_colour_the_same_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    async with explorer(*CLAMP) as drive:
        coloured = await drive.see("N")
    monkeypatch.setenv("NO_COLOR", "1")
    async with explorer(*CLAMP) as drive:
        plain = await drive.see("N")
        inks = {
            (segment.style.color, segment.style.bgcolor)
            for strip in drive.app.screen._compositor.render_strips()
            for segment in strip
            if segment.style is not None
        }
    assert plain == coloured
    assert all(
        color is None or color.triplet is None or len({*color.triplet}) == 1
        for pair in inks
        for color in pair
    )


@ci_only
@pytest.mark.parametrize("shot", list_shots(), ids=lambda shot: shot.name)
async def test_screenshots_are_not_stale(shot: object) -> None:
    from tools.screenshots import FOLDER, Shot

    assert isinstance(shot, Shot)
    kept = (FOLDER / f"{shot.name}.svg").read_text(encoding="utf-8")
    assert kept == await draw(shot), "run `python3 dev.py screenshots`"
