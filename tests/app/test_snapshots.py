"""What the screen looks like, as text, at three sizes; and a few pictures."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from tests.app.driving import explorer
from tests.tiers import ci_only, some
from tools.screenshots import SHOTS, draw

SIZES = [(80, 24), (120, 40), (200, 60)]
CASES = {
    "accumulate": ("vset4.s32.u32.lt.add d, a, b, c", {"a": 0x80FF7F01, "b": 0x01010101, "c": 5}),
    "lane-clamp": ("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0x112233}),
    "float": ("setp.ltu.and.ftz.f32 p|q, a, b, !c", {"a": 0x7FC00000, "b": 0x80000001, "c": 1}),
}


class TextFile(SingleFileSnapshotExtension):
    """A snapshot a file, to be read as it is."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.fixture(autouse=True)
def _frames() -> None:
    """Every frame is drawn, as a picture is one."""


@pytest.fixture
def screen(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(TextFile)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("size", some(SIZES), ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_screen_is_as_it_was(
    case: str, size: tuple[int, int], screen: SnapshotAssertion
) -> None:
    async with explorer(*CASES[case], size=size) as drive:
        assert await drive.read_after(drive.press("N", "N")) + "\n" == screen


async def test_without_colour_the_same_is_said(
    monkeypatch: pytest.MonkeyPatch, screen: SnapshotAssertion
) -> None:
    async with explorer(*CASES["lane-clamp"]) as drive:
        coloured = await drive.read_after(drive.press("N"))
    monkeypatch.setenv("NO_COLOR", "1")
    async with explorer(*CASES["lane-clamp"]) as drive:
        plain = await drive.read_after(drive.press("N"))
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
    assert plain + "\n" == screen


@ci_only
@pytest.mark.parametrize("shot", SHOTS, ids=lambda shot: shot.name)
async def test_screenshots_are_not_stale(shot: object) -> None:
    from tools.screenshots import FOLDER, Shot

    assert isinstance(shot, Shot)
    kept = (FOLDER / f"{shot.name}.svg").read_text(encoding="utf-8")
    assert kept == await draw(shot), "run `python3 dev.py screenshots`"
