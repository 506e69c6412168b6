"""Pictures in parts: slides, frames, pictures that are stepped through or played."""

from __future__ import annotations

import re
import shlex
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pytest

from ptxscope import Trace, export, trace
from ptxscope.cli.trace import asked
from ptxscope.engine.text.values import hex_text
from ptxscope.engine.tracing.stages import title
from ptxscope.export.document import command
from ptxscope.export.frames import frames
from ptxscope.export.options import DEFAULT, Motion, Options
from ptxscope.export.picture.drawing import text_width
from tests.export import chromium
from tests.export.browser import CHROMIUM, Browser
from tests.export.inked import differences, resvg
from tests.export.samples import E2, E3, EXAMPLES, HOSTILE, annotated, example, register
from tests.tiers import some

NS = "{http://www.w3.org/2000/svg}"
VMAD = trace("vmad.s32.s32.s32.sat.shr15 d, a, b, c", {"a": 0x12345678, "b": 0x600, "c": 77})
QUAD = trace(
    "vadd4.s32.s32.u32.sat d.b310, a, b.b4567, c",
    {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0xCCCCCCCC},
)
SLIDE, BOTH, STEPPING, PLAYING = (
    Options(slide=True),
    Options(both=True),
    Options(motion=Motion.STEPPING),
    Options(motion=Motion.PLAYING),
)


class Box(NamedTuple):
    """Where a text stands in the page, and how large it is there."""

    text: str
    left: float
    right: float
    top: float
    bottom: float
    size: float


def boxes(svg: str) -> list[Box]:
    return list(_boxes(ET.fromstring(svg), (0, 0, 1)))


def _boxes(element: ET.Element, place: tuple[float, float, float]) -> list[Box]:
    dx, dy, scale = place
    found = re.match(r"translate\((\S+) (\S+)\)(?: scale\((\S+)\))?", element.get("transform", ""))
    if found:
        dx, dy = dx + float(found[1]) * scale, dy + float(found[2]) * scale
        scale *= float(found[3] or 1)
    boxes = [box for child in element for box in _boxes(child, (dx, dy, scale))]
    if element.tag == f"{NS}text":
        size = float(element.get("font-size", "0"))
        wide = text_width(element.text or "", size, "px-mono" in element.get("class", ""))
        x, y = float(element.get("x", "0")), float(element.get("y", "0"))
        x -= {"middle": wide / 2, "end": wide}.get(element.get("text-anchor", ""), 0)
        sides = (dx + x * scale, dx + (x + wide) * scale)
        ends = (dy + (y - size * 0.72) * scale, dy + (y + size * 0.05) * scale)
        boxes.append(Box(element.text or "", *sides, *ends, size * scale))
    return boxes


def stages(svg: str) -> list[str]:
    return re.findall(r'class="px-step px-([a-z]+)"', svg)


def overlaps(found: list[Box]) -> list[tuple[Box, Box]]:
    return [
        (x, y)
        for x, y in combinations(found, 2)
        if x.left < y.right and y.left < x.right and x.top < y.bottom and y.top < x.bottom
    ]


# --- frames ------------------------------------------------------------------------------


def test_there_is_a_frame_for_each_step() -> None:
    names = ["select", "extend", "operate", "sum", "scale", "saturate", "write"]
    found = frames(VMAD)
    assert [frame.name for frame in found] == [f"0{n}-{x}" for n, x in enumerate(names, 1)]
    for at, frame in enumerate(found, 1):
        assert stages(frame.svg) == names[:at]


@pytest.mark.parametrize("options", [DEFAULT, SLIDE, BOTH], ids=["page", "slide", "both"])
@pytest.mark.parametrize("shown", [VMAD, QUAD, E3, E2, example("setp"), example("selp")],
                         ids=["vmad", "quad", "E3", "E2", "setp", "selp"])  # fmt: skip
def test_what_is_in_a_frame_stands_where_it_stands_in_the_whole(
    shown: Trace, options: Options
) -> None:
    whole = export(shown, "svg", options)
    before: Counter[Box] = Counter()
    for frame in frames(shown, options):
        assert ET.fromstring(frame.svg).get("viewBox") == ET.fromstring(whole).get("viewBox")
        found = Counter(boxes(frame.svg))
        assert before < found
        before = found
    assert before == Counter(boxes(whole))


@pytest.mark.parametrize("options", [DEFAULT, SLIDE, BOTH], ids=["page", "slide", "both"])
@pytest.mark.parametrize("shown", [VMAD, QUAD, E3])
def test_a_frame_does_not_tell_what_comes_later(shown: Trace, options: Options) -> None:
    """Neither the result nor that two models part; not in the words for readers either."""
    (name,) = shown.result
    word = hex_text(shown.result[name], 32)
    *early, last = frames(shown, options)
    assert word in last.svg
    for at, frame in enumerate(early, 1):
        assert word not in frame.svg
        assert "Two answers" not in frame.svg
        assert "Result" not in frame.svg
        (about,) = re.findall("<desc[^>]*>([^<]*)</desc>", frame.svg)
        told = re.findall(r"\bStep (\d+), ", about)
        assert told == [str(number) for number in range(1, at + 1)]
        assert word.removeprefix("0x") not in about


def test_frames_are_of_the_steps_that_are_shown() -> None:
    chosen = frozenset(step.stage for step in QUAD.steps[1:4])
    found = frames(QUAD, Options(stages=chosen))
    assert [frame.name for frame in found] == ["01-extend", "02-operate", "03-saturate"]


@pytest.mark.parametrize("options", [SLIDE, Options(id="mine"), Options(id="x" * 100)])
def test_frames_may_stand_on_one_page(options: Options) -> None:
    made = [export(QUAD, "svg", options), *(frame.svg for frame in frames(QUAD, options))]
    ids = [{x.get("id") for x in ET.fromstring(svg).iter() if x.get("id")} for svg in made]
    assert not any(one & other for one, other in combinations(ids, 2))


@pytest.mark.parametrize("options", [Options(slide=True, scale=0.125), Options(width=640),
                                     STEPPING, PLAYING._replace(slide=True)])  # fmt: skip
def test_the_command_makes_it_again(options: Options) -> None:
    format_ = "png" if options.scale or options.width else "svg"  # where a size acts
    words = shlex.split(command(VMAD, options._replace(format=format_)))
    _, made, _ = asked(words[2:])
    assert made._replace(format="") == options


# --- slides ------------------------------------------------------------------------------


@pytest.mark.parametrize(("opcode", "model"), EXAMPLES)
def test_a_slide_shows_all_that_the_picture_shows(opcode: str, model: str) -> None:
    shown = example(opcode, model)
    slide = export(shown, "svg", SLIDE)
    assert ET.fromstring(slide).get("viewBox") == "0 0 1280 720"
    found = boxes(slide)
    said = "".join(sorted("".join("".join(box.text for box in found).split())))
    page = boxes(export(shown, "svg"))
    assert said == "".join(sorted("".join("".join(box.text for box in page).split())))
    assert not overlaps(found)
    for box in found:
        assert 0 <= box.left <= box.right <= 1280, box
        assert 0 <= box.top <= box.bottom <= 720, box


@pytest.mark.parametrize("shown", [VMAD, QUAD, E2, E3, example("vset4"), example("vadd2")])
def test_a_slide_can_be_read(shown: Trace) -> None:
    """The line in 20 px and more, sentences in 11; nothing is smaller than 6.5."""
    found = boxes(export(shown, "svg", SLIDE))
    sizes = {box.text: box.size for box in found}
    assert sizes[str(shown.instruction)] >= 20
    assert min(sizes.values()) >= 6.5
    sentences = [box.size for box in found if box.text.startswith(("The ", "All of ", "a + b"))]
    assert sentences
    assert min(sentences) >= 11


def test_nothing_of_a_slide_is_cut_off_but_lines() -> None:
    """Each column is clipped; what is written in it stands within."""
    for shown in (VMAD, QUAD, E3):
        tree = ET.fromstring(export(shown, "svg", Options(slide=True, both=True)))
        clips = {x.get("id"): x[0] for x in tree.iter(f"{NS}clipPath")}
        assert len(clips) > 1
        for group in tree.iter(f"{NS}g"):
            if group.get("clip-path"):
                name = str(group.get("clip-path"))[5:-1]
                x, y, wide, high = (
                    float(clips[name].get(key, "")) for key in ("x", "y", "width", "height")
                )
                for box in _boxes(group, (0, 0, 1)):
                    assert x <= box.left <= box.right <= x + wide, box
                    assert y <= box.top <= box.bottom <= y + high, box


# --- what moves --------------------------------------------------------------------------


@pytest.mark.parametrize(("opcode", "model"), EXAMPLES)
@pytest.mark.parametrize("options", [STEPPING, PLAYING, SLIDE], ids=["stepping", "played", "slide"])
def test_it_is_valid_and_has_no_script(opcode: str, model: str, options: Options) -> None:
    document = export(example(opcode, model), "svg", options._replace(both=True))
    tree = ET.fromstring(document)
    ids = [x.get("id") for x in tree.iter() if x.get("id")]
    assert len(ids) == len(set(ids))
    assert {
        *re.findall(r"url\(#([^)]*)\)", document),
        *re.findall(r'href="#([^"]*)"', document),
    } <= {*ids}
    assert "<script" not in document
    assert not any(key.startswith("on") for x in tree.iter() for key in x.attrib)


@pytest.mark.parametrize("options", [SLIDE, STEPPING, PLAYING], ids=["slide", "stepping", "played"])
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text(text: str, options: Options) -> None:
    tree = ET.fromstring(export(annotated(E3, text), "svg", options))
    assert {x.tag.removeprefix(NS) for x in tree.iter()} <= {
        *("svg", "title", "desc", "style", "path", "g", "rect", "circle", "text"),
        *("clipPath", "a"),
    }
    for frame in frames(annotated(E3, text), options):
        ET.fromstring(frame.svg)
    assert export(register("%" + "x" * 39), "svg", options)


@pytest.mark.parametrize("shown", [VMAD, QUAD, example("setp")], ids=["vmad", "quad", "setp"])
def test_a_step_has_an_address_by_its_names_and_its_number(shown: Trace) -> None:
    tree = ET.fromstring(export(shown, "svg", STEPPING))
    where = {x.get("id"): x.get("class") for x in tree}
    for step in shown.steps:
        for name in (step.stage, title(step).lower().replace(" ", "-"), step.number):
            assert where[f"step-{name}"] == f"px-at{step.number}"


def test_it_is_played_step_by_step_where_motion_is_welcome() -> None:
    """Seven steps of 2.5 s, and 5 s for the whole: the fourth comes after 7.5 of 22.5 s."""
    document = export(VMAD, "svg", PLAYING)
    (motion,) = re.findall(
        r"@media \(prefers-reduced-motion:no-preference\)\{(.*)\}</style>", document
    )
    assert "opacity" not in document.replace(motion, "")
    begins = re.findall(r"0%,([\d.]+)%\{opacity:0\}", motion)
    assert begins == [f"{100 * 2.5 * n / 22.5:.2f}" for n in range(1, 7)]
    assert re.findall(r"\.px-k(\d)\{animation:\S+ (\S+) linear infinite", motion) == [
        (str(n), "22.5s") for n in range(2, 8)
    ]


@pytest.mark.parametrize("slide", some([False, True]), ids=["page", "slide"])
def test_chromium_shows_the_steps_up_to_the_one_in_the_address(slide: bool, tmp_path: Path) -> None:
    stepping = export(QUAD, "svg", Options(slide=slide, motion=Motion.STEPPING))
    still = frames(QUAD, Options(slide=slide))
    names = [f"#step-{step.stage}" for step in QUAD.steps] + ["#step-add", "#step-4", ""]
    found = chromium.inked([chromium.Source(stepping, name) for name in names], tmp_path)
    shown = [*still, still[2], still[3], still[-1]]
    for name, inked, frame in zip(names, found, shown, strict=True):
        assert not differences(inked, resvg(frame.svg)), name


@pytest.mark.parametrize("moves", [True, False], ids=["moving", "still"])
def test_chromium_begins_with_the_first_step_where_it_may_move(moves: bool, tmp_path: Path) -> None:
    played = export(QUAD, "svg", PLAYING)
    (inked,) = chromium.inked([chromium.Source(played)], tmp_path, still=not moves)
    assert not differences(inked, resvg(frames(QUAD)[0 if moves else -1].svg))


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not here")
def test_a_click_shows_the_next_step_and_after_the_last_the_first(tmp_path: Path) -> None:
    browser = Browser(tmp_path)
    try:
        browser.open(export(VMAD, "svg", STEPPING), 800)
        seen = []
        for _ in range(9):
            browser.value(
                "document.elementFromPoint(300, 300).closest('a')"
                ".dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))"
            )
            shown = browser.value(
                "[...document.querySelectorAll('.px-step')].map(step => "
                "getComputedStyle(step).visibility === 'visible')"
            )
            seen.append(
                (browser.value("location.hash"), shown.index(False) if False in shown else 7)
            )
    finally:
        browser.close()
    stages_ = [f"#step-{step.stage}" for step in VMAD.steps]
    assert seen == [*zip(stages_, range(1, 8), strict=True), (stages_[0], 1), (stages_[1], 2)]
