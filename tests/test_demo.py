"""The animation in the README: read back, it is what the screen showed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, pairwise
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest

from ptxscope.state.setup import Setup, evaluate_setup
from tests.reference import reference
from tests.tiers import ci_only, some
from tools.demo import HEIGHT, PATH, SCRIPT, SIZE, WIDTH, Frame, draw_animation, make_outline, play

SVG = "{http://www.w3.org/2000/svg}"
ALL = len(SCRIPT)


class Film(NamedTuple):
    """An animated SVG, read back."""

    text: str
    root: ET.Element

    @classmethod
    def of(cls, text: str) -> Film:
        return cls(text, ET.fromstring(text))

    @property
    def frames(self) -> list[ET.Element]:
        return [group for group in self.root.iter(f"{SVG}g") if group.get("class") == "f"]

    def screens(self) -> list[list[str]]:
        """What stands in the cells of each frame."""
        rows = {group.get("id"): group for group in self.root.iterfind(f"{SVG}defs/{SVG}g")}
        found = []
        for frame in self.frames:
            cells = [[" "] * SIZE[0] for _ in range(SIZE[1])]
            (screen,) = (group for group in frame if group.get("class") == "s")
            for use in screen:
                y, extra = divmod(int(use.get("y", "")), HEIGHT)
                assert not extra
                for x, char in _written(rows[use.get("href", "").removeprefix("#")]):
                    assert cells[y][x] == " ", "two characters in a cell"
                    cells[y][x] = char
            found.append(["".join(row).rstrip() for row in cells])
        return found

    def seen(self) -> list[tuple[float, float]]:
        """From when to when each frame is visible, as parts of the whole."""
        found = []
        for frame in self.frames:
            id_ = frame.get("id", "")
            name = re.search(rf"#{id_}{{animation-name:(\w+)}}", self.text)
            assert name
            keyframes = re.search(rf"@keyframes {name[1]}{{((?:[\d.]+%{{[^}}]*}})+)}}", self.text)
            assert keyframes
            turns = re.findall(r"([\d.]+)%{visibility:(\w+)}", keyframes[1])
            shown = [float(at) / 100 for at, how in turns if how == "visible"]
            hidden = [float(at) / 100 for at, how in turns if how == "hidden"]
            assert len(shown) == 1
            found.append((shown[0], next((at for at in hidden if at > shown[0]), 1.0)))
        return found


def _written(row: ET.Element) -> Iterator[tuple[int, str]]:
    for element in row:
        x = int(element.get("x", "")) // WIDTH
        if element.tag == f"{SVG}text":
            text = element.text or ""
            assert int(element.get("textLength", "")) == len(text) * WIDTH
        elif element.tag == f"{SVG}use":
            shape = re.fullmatch(r"#u([0-9a-f]+)x(\d+)", element.get("href", ""))
            assert shape
            text = chr(int(shape[1], 16)) * int(shape[2])
        else:
            continue
        yield from enumerate(text, x)


@cache
def kept() -> Film:
    return Film.of(PATH.read_text(encoding="utf-8"))


def result(setup: Setup) -> str:
    """What is computed at the end, by the second formulation."""
    ins = setup.instruction
    operands = {**setup.values, **evaluate_setup(setup).operands}
    values = {ins.names[role]: bits for role, bits in operands.items() if role in ins.names}
    (bits,) = reference(setup.line, values, "isa").values()
    return f"{bits:#010x}"


@ci_only
async def test_the_demo_is_drawn_from_its_script_and_ends_with_the_result() -> None:
    assert PATH.stat().st_size < 1_000_000
    assert len(kept().frames) == ALL, "run `python3 dev.py demo`"
    _, setup = await play()
    assert any(result(setup) in row for row in kept().screens()[-1]), "run `python3 dev.py demo`"


@pytest.mark.parametrize("beats", some((4, ALL)))
@ci_only
async def test_each_frame_holds_the_text_of_the_screen(beats: int) -> None:
    frames, _ = await play(SCRIPT[:beats])
    shown = [[row.text.rstrip() for row in frame.rows] for frame in frames]
    drawn = Film.of(draw_animation(frames))
    assert len(drawn.frames) == beats
    assert all(len(screen) == SIZE[1] for screen in shown)
    assert drawn.screens() == shown
    pictures = [ET.tostring(frame[-1]) for frame in drawn.frames]
    assert all(before != after for before, after in pairwise(pictures)), "a key does nothing"


@ci_only
@pytest.mark.parametrize("beats", [3, ALL])
async def test_the_demo_has_the_same_bytes_each_time(beats: int) -> None:
    once, again = [draw_animation((await play(SCRIPT[:beats]))[0]) for _ in range(2)]
    assert once == again


def test_one_frame_is_visible_at_a_time_and_the_last_without_animation() -> None:
    seen = kept().seen()
    assert seen[0][0] == 0
    assert seen[-1][1] == 1
    assert all(before[1] == after[0] for before, after in pairwise(seen))
    total = sum(beat.seconds for beat in SCRIPT)
    ends = accumulate(beat.seconds / total for beat in SCRIPT)
    assert [end for _, end in seen] == pytest.approx(list(ends), abs=1e-5)
    assert f"animation:{total:g}s step-end infinite" in kept().text
    shown = [frame.get("visibility") for frame in kept().frames]
    assert shown == ["hidden"] * (ALL - 1) + ["visible"]
    before, _, moving = kept().text.partition("@media (prefers-reduced-motion:no-preference){")
    assert "animation" not in before
    assert "keyframes" in moving


def test_the_demo_has_no_script_and_loads_nothing() -> None:
    tags = {element.tag.removeprefix(SVG) for element in kept().root.iter()}
    assert tags <= {"svg", "style", "defs", "g", "path", "rect", "circle", "text", "use"}
    hrefs = [element.get("href") for element in kept().root.iter(f"{SVG}use")]
    ids = {element.get("id") for element in kept().root.iter()}
    assert all(href and href[0] == "#" and href[1:] in ids for href in hrefs)
    assert not re.search(r"url\(|@import|//(?!www\.w3\.org/2000/svg\")", kept().text)


@pytest.mark.parametrize(
    "shape", "─lr │ud ┼lrud ╭rd ╯lu ┤lud ┡rud ╶r █lrud ▌lud ▁lrd ▀lru".split(" ")
)
def test_box_and_block_characters_reach_the_edges_of_their_cell(shape: str) -> None:
    char, sides = shape[0], shape[1:]
    x = y = 0.0
    found: set[str] = set()
    path = make_outline(char, 1)
    assert path
    for command, numbers in re.findall(r"([MhvHVQz])([^MhvHVQz]*)", path):
        at = [float(number) for number in numbers.split()]
        match command:
            case "M" | "Q":
                x, y = at[-2:]
            case "h" | "H":
                x = at[0] + x * (command == "h")
            case "v" | "V":
                y = at[0] + y * (command == "v")
        assert 0 <= x <= WIDTH
        assert 0 <= y <= HEIGHT
        reached = {"l": x == 0, "r": x == WIDTH, "u": y == 0, "d": y == HEIGHT}
        found |= {side for side, is_so in reached.items() if is_so}
    assert found == set(sides)


def test_letters_are_drawn_by_a_font() -> None:
    assert [char for char in "a7·■◂●⬤⊕✓╳═" if make_outline(char, 1)] == []


def test_a_frame_is_drawn_in_its_colours() -> None:
    from rich.segment import Segment
    from rich.style import Style
    from textual.strip import Strip

    chip = Strip([Segment("a<b", Style.parse("bold #112233 on #79c0ff"))])
    other = Strip([Segment("c", Style.parse("#010203 on #040506 reverse"))])
    drawn = draw_animation([Frame([chip], SCRIPT[0]), Frame([other], SCRIPT[1])])
    assert "color:#112233;font-weight:bold" in drawn
    assert re.search(r'<rect class="\w+" x="0" width="24" height="16"/>', drawn)
    assert "a&lt;b" in drawn
    classes = dict(re.findall(r"^\.(c\d+){color:(#\w+)", drawn, re.MULTILINE))
    papers = re.findall(r'<rect class="(\w+)"', drawn)
    assert [classes[name] for name in papers] == ["#79c0ff", "#010203"]
