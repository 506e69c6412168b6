"""The sweep of the focused lane beside the lanes of a wide screen."""

from __future__ import annotations

import pytest

from ptxscope import trace
from ptxscope.features.sweep.terminal.column import SweepColumnPane, find_focused_sweep
from ptxscope.scene.scene_model import LaneRef
from tests.driving.explorer import explorer

CLAMPS = "vadd4.u32.u32.u32.sat d, a, b, c", {"a": 0xFAC87805, "b": 0x0A0A0A0A, "c": 0}
POINT = "● a.b3 = 250: d.b3 = 255, clamped to 255"  # 250 + 10
WIDE = (200, 60)


def parts_of(line: str, key: str = "", lane: int = 0) -> tuple[str, str] | None:
    values = {"a": 0x12345678, "b": 1, "c": 0x0A0B0C0D}
    sweep = find_focused_sweep(trace(line, values), LaneRef(key, lane) if key else None)
    return None if sweep is None else (sweep.x.text, sweep.result_part.text)


@pytest.mark.parametrize(
    ("line", "place", "parts"),
    [
        ("vadd4.u32.u32.u32 d, a, b, c", ("add.t", 2), ("a.b2", "d.b2")),
        ("vadd4.u32.u32.u32 d, a, b, c", ("", 0), ("a.b0", "d.b0")),
        ("vadd4.u32.u32.u32 d, a, b, c", ("operate.t", 3), ("a.b3", "d.b3")),
        ("vadd4.u32.u32.u32 d, a.b0123, b, c", ("operate.t", 3), ("a.b0", "d.b3")),
        ("vadd4.u32.u32.u32 d, a.b4123, b, c", ("operate.t", 3), ("b.b0", "d.b3")),
        ("vadd4.u32.u32.u32 d, a.b0000, b, c", ("operate.t", 2), ("a.b0", "d.b2")),
        ("vadd4.u32.u32.u32 d, a, b, c", ("b", 1), ("b.b1", "d.b1")),
        ("vadd4.u32.u32.u32 d.b10, a, b, c", ("merge.t", 3), ("c.b3", "d.b3")),
        ("vadd4.u32.u32.u32 d.b10, a, b, c", ("merge.t", 1), ("a.b1", "d.b1")),
        ("vadd2.s32.s32.s32 d, a, b, c", ("operate.t", 1), ("a.h1", "d.h1")),
        ("vadd.u32.u32.u32 d.b0, a.b1, b, c", ("saturate.t", 0), ("a.b1", "d.b0")),
        ("vadd4.u32.u32.u32 d, a, b, c", ("write.d", 0), ("a.b0", "d.b0")),
    ],
)
def test_the_part_is_the_one_that_the_lane_reads_first(
    line: str, place: tuple[str, int], parts: tuple[str, str]
) -> None:
    assert parts_of(line, *place) == parts


def draw(*, is_hidden: bool = False, lane: int = 3) -> list[str]:
    sweep = find_focused_sweep(trace(*CLAMPS), LaneRef("saturate.t", lane))
    assert sweep is not None
    lines = sweep.draw(40, 12, is_result_hidden=is_hidden, has_unicode=False)
    texts = ["".join(piece.text for piece in line) for line in lines]
    assert all(len(text) <= 40 for text in texts)
    return texts


def test_the_plot_has_the_point_and_what_the_sweep_says_of_it() -> None:
    lines = draw()
    ((row, column),) = [(y, line.index("@")) for y, line in enumerate(lines) if "@" in line]
    assert lines[row].startswith("255|")
    start = lines[row].index("|") + 1
    plot = [f"{line:40}"[start:] for line in lines[: row + 9]]
    assert all(set(x) & {*"*|@"} for x in zip(*plot, strict=True))  # a mark in each column
    assert column == start + 250 * (40 - start) // 256
    text = " ".join(" ".join(lines).split())
    assert POINT in text
    assert "a.b3 from 246 to 255: d.b3 is 255" in text  # from 246 + 10 on
    assert "Every known ptxas computes the same." in text


def test_a_hidden_result_leaves_the_axis_alone() -> None:
    lines = draw(is_hidden=True)
    assert len(lines) == 12
    assert lines[-2].strip() == "+" + "-" * 36
    assert lines[-1].split()[0] == "0"
    assert lines[-1].split()[-1] in ("250", "255")
    assert all(line.strip() == "|" for line in lines[:-2])
    one = find_focused_sweep(trace(CLAMPS[0], CLAMPS[1] | {"b": 0x77777777}), LaneRef("t", 3))
    other = find_focused_sweep(trace(CLAMPS[0].replace(".sat", ""), CLAMPS[1]), LaneRef("t", 3))
    assert one is not None
    assert other is not None  # nothing of both depends on what is computed
    pictures = [x.draw(40, 12, is_result_hidden=True) for x in (one, other)]
    assert pictures[0] == pictures[1]


async def test_it_follows_the_cursor_and_hides_the_result() -> None:
    async with explorer(*CLAMPS, size=WIDE) as drive:
        text = await drive.text()
        assert "─Sweep · d.b0 over all of a.b0─" in text
        assert "● a.b0 = 5: d.b0 = 15" in text  # 5 + 10
        pane = drive.screen.query_one(SweepColumnPane)
        await drive.press("l")
        drive.lanes.move_cursor_to(LaneRef("saturate.t", 3))
        assert "─Sweep · d.b3 over all of a.b3─" in await drive.text()
        assert POINT in pane.read_text()
        await drive.press("escape", "N", "N", "N", "l")
        drive.lanes.move_cursor_to(LaneRef("operate.t", 3))
        text = await drive.text()
        assert "─Sweep · d.b3 over all of a.b3─" in text
        assert "clamped" not in pane.read_text()
        assert not set(pane.read_text()) & {chr(x) for x in range(0x2801, 0x2900)} - {"●"}
        await drive.press("escape", "d")
        assert "● a.b0 = 5: d.b0 = 15" in await drive.text()
        await drive.press("d", "P")  # the operand may be the answer
        await drive.text()
        assert not pane.display


async def test_a_line_without_a_result_has_no_sweep() -> None:
    async with explorer("setp.lt.s32 _, 1, 2", {}, size=WIDE) as drive:
        await drive.text()
        assert not drive.screen.query_one(SweepColumnPane).display
