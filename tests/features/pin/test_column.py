"""What a pin differs in, as lines: the values come from arithmetic."""

from __future__ import annotations

from ptxscope import trace
from ptxscope.engine.isa.encodings import cast
from ptxscope.features.pin.terminal.column import PinColumnPane, draw_pin
from tests.driving.explorer import explorer

SUMS = {"a": 0xFAC87805, "b": 0x0A0A0A0A, "c": 0}  # 260, 210, 130 and 15
WRAPS = "vadd4.u32.u32.u32 d, a, b, c"
CLAMPS = "vadd4.u32.u32.u32.sat d, a, b, c"


def said(
    line: str,
    pinned_line: str,
    step: int,
    values: dict[str, int] = SUMS,
    other: dict[str, int] = SUMS,
    *,
    is_hidden: bool = False,
) -> list[list[str]]:
    lines = draw_pin(
        trace(line, values), trace(pinned_line, other), step, 40, is_result_hidden=is_hidden
    )
    texts = ["".join(piece.text for piece in x) for x in lines]
    assert all(len(text.rstrip()) <= 40 for text in texts)
    return [text.split() for text in texts]


def test_the_lanes_that_differ_are_listed_and_no_others() -> None:
    assert said(CLAMPS, WRAPS, 6) == [
        ["pinned", *f"{WRAPS};".split()],
        ["now", *f"{CLAMPS};".split()[:-1]],
        ["c;"],
        ["merge", "lane", "3", f"▐{min(260, 255):02x}▌", "≠", f"▐{260 % 256:02x}▌"],
        ["write", "lane", "3", f"▐{min(260, 255):02x}▌", "≠", f"▐{260 % 256:02x}▌"],
        ["d", "0xff" + f"{210:02x}{130:02x}{15:02x}", "≠", "0x04" + f"{210:02x}{130:02x}{15:02x}"],
    ]


def test_nothing_is_said_of_a_step_that_is_hidden() -> None:
    assert said(CLAMPS, WRAPS, 4, is_hidden=True)[3:] == ["no value differs so far".split()]
    assert len(said(CLAMPS, WRAPS, 5, is_hidden=True)) == 4
    assert not any("d" in x for x in said(CLAMPS, WRAPS, 5, is_hidden=True))


def test_many_differences_are_those_of_the_present_step() -> None:
    other = {"a": 0, "b": 0x01020304, "c": 0}
    lines = said(WRAPS, WRAPS, 3, SUMS, other, is_hidden=True)[2:]
    assert lines[:2] == [
        ["a", "0xfac87805", "≠", "0x00000000"],
        ["b", "0x0a0a0a0a", "≠", "0x01020304"],
    ]
    for lane, line in zip((3, 2, 1, 0), lines[2:], strict=False):
        a, b = SUMS["a"] >> 8 * lane & 255, other["b"] >> 8 * lane & 255
        assert line == ["add", "lane", f"{lane}", f"{a + 10}", "≠", f"{b}"]
    assert lines[6:] == [["≠", "in", "select,", "extend,", "too"]]


def test_registers_are_compared_by_their_role_and_long_ones_have_two_lines() -> None:
    values, other = {"%r2": 1, "%r3": 1 << 63}, {"b": 1, "x": 5}
    lines = said("add.s64 %r1, %r2, %r3", "add.s64 a, b, x", 1, values, other)[2:]
    assert ["b", "0x8000000000000000"] in lines
    assert ["≠", "0x0000000000000005"] in lines
    assert ["d", "0x8000000000000001"] in lines
    assert ["≠", "0x0000000000000006"] in lines
    assert not [x for x in lines if x[0] == "a"]
    assert ["extend", "b", f"{cast(1 << 63, 64, True)}", "≠", "5"] in lines


def test_models_are_named_if_they_differ() -> None:
    line, values = "vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344}
    one, pin = trace(line, values, model="ptxas"), trace(line, values)
    texts = ["".join(x.text for x in y) for y in draw_pin(one, pin, len(one.steps), 60)]
    assert texts[0].endswith(" · isa")
    assert texts[1].endswith(" · ptxas-13.5")
    assert texts[-1].split() == ["d", "0x112233ff", "≠", "0x11223300"]  # E3: no lower bound


async def test_a_pin_says_only_what_differs_and_takes_no_room_otherwise() -> None:
    async with explorer(WRAPS, SUMS, size=(200, 60)) as drive:
        pane = drive.screen.query_one(PinColumnPane)
        assert not pane.display
        await drive.press("equals_sign")
        assert "no value differs so far" in pane.read_text()
        drive.screen.view.line.value = "vadd4.u32.u32.u32.sat d, a, b, c"
        text = await drive.text()
        assert "merge lane 3  ▐ff▌        ≠ ▐04▌" in text
        assert "d             0xffd2820f  ≠ 0x04d2820f" in text
        await drive.press("home", "n")
        assert "lane 3  ▐ff▌" not in await drive.text()
        assert "0x04d2820f" not in pane.read_text()
        await drive.press("P")  # it could be an answer
        assert not pane.display
        await drive.press("escape", "a", "equals_sign")
        assert not pane.display
