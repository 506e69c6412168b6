"""Pictures in parts: frames, alone and in a folder, and pictures that are stepped through."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from errno import ENOSPC
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from ptxscope import Trace, export, files, trace
from ptxscope.cli.commands.trace import parse_request
from ptxscope.documents.content.command_words import format_command
from ptxscope.documents.media.frames import add_min_width, compute_min_width, make_frames
from ptxscope.documents.media.picture_marks import is_frame, is_ours
from ptxscope.documents.options import DEFAULT, Motion, Options
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.tracing.step_text import format_title
from tests.driving.browser import Browser
from tests.driving.command_line import run
from tests.driving.drawings import COMPACT, NS, Box, boxes, texts
from tests.driving.inked import differences, resvg
from tests.driving.samples import (
    BLOCK,
    E2,
    E3,
    EXAMPLES,
    HOSTILE,
    QUAD,
    SCALED,
    SCALED_WORDS,
    annotated,
    example,
    register,
)
from tests.tiers import ci_only, sampled, some

NAMES = ["01-select", "02-extend", "03-multiply", "04-add-c", "05-scale", "06-saturate", "07-write"]
MASKED = trace(
    "vadd4.s32.s32.s32.sat d.b310, a.b7310, b, c",
    {"a": 0x01FF7F80, "b": 0x800102FF, "c": 0x11223344},
)
BOTH, STEPPING = Options(both=True), Options(motion=Motion.STEPPING)


def stages(svg: str) -> list[str]:
    return re.findall(r'class="px-step px-([a-z]+)"', svg)


GATED = trace("setp.ge.or.s64 p|q, a, b, !c", {"a": -1, "b": 1 << 63, "c": 1})
SOME = Options(steps=frozenset(step.place for step in QUAD.steps[1:4]))


@pytest.mark.parametrize(
    ("shown", "options", "names"),
    [
        (SCALED, DEFAULT, NAMES),
        (QUAD, SOME, ["02-extend", "03-add", "04-saturate"]),
        (MASKED, COMPACT, ["02-extend", "03-add", "04-saturate", "05-merge"]),
        (GATED, DEFAULT, ["01-compare", "02-boolean", "03-write"]),
    ],
    ids=[
        "all", "those that are shown", "but those that a compact picture omits", "of truth values",
    ],
)  # fmt: skip
def test_each_step_has_a_frame(shown: Trace, options: Options, names: list[str]) -> None:
    frames = make_frames(shown, options)
    assert [frame.name for frame in frames] == names
    drawn = [stages(frame.svg) for frame in frames]
    assert all(later[: len(early)] == early for early, later in pairwise(drawn))
    assert [len(x) for x in drawn] == [*range(len(drawn[0]), len(drawn[0]) + len(drawn))]
    results = [any(x.startswith("d = 0x") for x in texts(ET.fromstring(f.svg))) for f in frames]
    assert options is not COMPACT or results == [False] * 3 + [True]


@sampled
@pytest.mark.parametrize("options", [DEFAULT, BOTH], ids=["page", "both"])
@pytest.mark.parametrize("shown", [SCALED, QUAD, E3, E2, BLOCK, example("setp"), example("selp")],
                         ids=["vmad", "quad", "E3", "E2", "block", "setp", "selp"])  # fmt: skip
def test_the_boxes_of_a_frame_have_the_positions_of_the_full_picture(
    shown: Trace, options: Options
) -> None:
    whole = export(shown, "svg", options)
    before: Counter[Box] = Counter()
    for frame in make_frames(shown, options):
        assert ET.fromstring(frame.svg).get("viewBox") == ET.fromstring(whole).get("viewBox")
        found = Counter(boxes(ET.fromstring(frame.svg)))
        assert before < found
        before = found
    assert before == Counter(boxes(ET.fromstring(whole)))


@sampled
@pytest.mark.parametrize("options", [DEFAULT, BOTH], ids=["page", "both"])
@pytest.mark.parametrize("shown", [SCALED, QUAD, E3, BLOCK])
def test_a_frame_hides_later_steps(shown: Trace, options: Options) -> None:
    """Neither the result nor that two models part; not in the words for readers either."""
    (name,) = shown.result
    word = format_hex(shown.result[name], 32)
    *early, last = make_frames(shown, options)
    assert word in last.svg
    assert word in last.alt
    numbers = [int(frame.name[:2]) for frame in (*early, last)]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == len(shown.steps) or options.both
    for at, frame in enumerate(early, 1):
        assert word.removeprefix("0x") not in frame.svg + frame.alt + frame.short_alt
        if shown is BLOCK:
            continue
        assert "Two answers" not in frame.svg
        assert "Result" not in frame.svg
        (about,) = re.findall("<desc[^>]*>([^<]*)</desc>", frame.svg)
        told = re.findall(r"\bStep (\d+), ", about)
        assert told == [str(number) for number in range(1, at + 1)]


GROUND = 'class="px-f-soft" fill='


@pytest.mark.parametrize(("shown", "parted"), [(E3, 4), (E2, 4)], ids=["E3", "E2"])
def test_frames_before_the_difference_have_no_empty_branch(shown: Trace, parted: int) -> None:
    """Before the step at which they do, a frame shows what one of a single answer does."""
    both, one = make_frames(shown, BOTH), make_frames(shown)
    for at, (frame, alone) in enumerate(zip(both, one, strict=False), 1):
        branches = frame.svg.count(GROUND) - alone.svg.count(GROUND)
        assert branches == (0 if at < parted else 2)
    tree = ET.fromstring(export(shown, "svg", BOTH._replace(motion=Motion.STEPPING)))
    (body,) = (x for x in tree if x.get("class") == "px-body")
    css = [x.get("class") for x in body if GROUND in ET.tostring(x, "unicode")]
    hidden = [x for x in css if x and f"px-k{parted}" in x.split()]
    assert len(hidden) >= 2, css


@ci_only
@pytest.mark.parametrize("options", [DEFAULT, Options(id="mine"), Options(id="x" * 100)])
def test_frames_on_one_page_have_distinct_ids(options: Options) -> None:
    made = [export(QUAD, "svg", options), *(frame.svg for frame in make_frames(QUAD, options))]
    ids = [{x.get("id") for x in ET.fromstring(svg).iter() if x.get("id")} for svg in made]
    assert not any(one & other for one, other in combinations(ids, 2))


@pytest.mark.parametrize("options", [Options(scale=0.125), Options(width=640), STEPPING])
def test_the_command_reproduces_its_options(options: Options) -> None:
    format_ = "png" if options.scale or options.width else "svg"  # where a size acts
    words = shlex.split(format_command(SCALED, options._replace(format=format_)))
    _, made, _ = parse_request(words[2:])
    assert made._replace(format="") == options


@sampled
def test_a_stepping_picture_is_valid_and_has_no_script(sample: Trace) -> None:
    document = export(sample, "svg", STEPPING._replace(both=True))
    tree = ET.fromstring(document)
    ids = [x.get("id") for x in tree.iter() if x.get("id")]
    assert len(ids) == len(set(ids))
    assert {
        *re.findall(r"url\(#([^)]*)\)", document),
        *re.findall(r'href="#([^"]*)"', document),
        *str(tree.get("aria-labelledby")).split(),
    } <= {*ids}
    assert "<script" not in document
    assert not any(key.startswith("on") for x in tree.iter() for key in x.attrib)


@sampled
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text(text: str) -> None:
    tree = ET.fromstring(export(annotated(E3, text), "svg", STEPPING))
    assert {x.tag.removeprefix(NS) for x in tree.iter()} <= {
        *("svg", "title", "desc", "style", "path", "g", "rect", "circle", "text", "a"),
    }
    for frame in make_frames(annotated(E3, text)):
        ET.fromstring(frame.svg)
    assert export(register("%" + "x" * 39), "svg", STEPPING)


@pytest.mark.parametrize("shown", [SCALED, QUAD, example("setp")], ids=["vmad", "quad", "setp"])
def test_a_step_has_an_address_by_its_names_and_its_number(shown: Trace) -> None:
    tree = ET.fromstring(export(shown, "svg", STEPPING))
    where = {x.get("id"): x.get("class") for x in tree}
    for step in shown.steps:
        for name in (step.stage, format_title(step).lower().replace(" ", "-"), step.number):
            assert where[f"step-{name}"] == f"px-at{step.number}"


@ci_only
def test_chromium_shows_the_steps_up_to_the_one_in_the_address(tmp_path: Path) -> None:
    stepping, still = export(QUAD, "svg", STEPPING), make_frames(QUAD)
    names = [f"#step-{step.stage}" for step in QUAD.steps] + ["#step-add", "#step-4", ""]
    plain = stepping.replace('class="px-hint"', 'display="none"')  # says that it can be clicked
    pictures = [*((plain, name) for name in names), (stepping, names[0]), (stepping, "")]
    with Browser.start(tmp_path) as browser:
        *found, hinted, whole = browser.ink_pictures(pictures)
    assert (hinted > found[0]).any()
    assert (whole > found[-1]).any()
    shown = [*still, still[2], still[3], still[-1]]
    for name, inked, frame in zip(names, found, shown, strict=True):
        assert not differences(inked, resvg(remove_bar(frame.svg))), name


def remove_bar(svg: str) -> str:
    """A frame without the bar beside its step, which a picture that steps does not have."""
    return re.sub(r'<rect [^>]* width="5" [^>]* class="px-f-ink"[^>]*/>\n?', "", svg)


@ci_only
def test_a_click_shows_the_next_step_and_after_the_last_the_first(tmp_path: Path) -> None:
    seen = []
    with Browser.start(tmp_path) as browser:
        browser.open(export(SCALED, "svg", STEPPING), 800)
        for _ in range(9):
            browser.value(
                "document.elementFromPoint(300, 300).closest('a')"
                ".dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))"
            )
            shown = browser.each(".px-step", "getComputedStyle(x).visibility === 'visible'")
            number = shown.index(False) if False in shown else 7
            seen.append((browser.value("location.hash"), number))
    stages_ = [f"#step-{step.stage}" for step in SCALED.steps]
    assert seen == [*zip(stages_, range(1, 8), strict=True), (stages_[0], 1), (stages_[1], 2)]


def list_bars(svg: str) -> list[ET.Element]:
    return [x for x in ET.fromstring(svg).iter(f"{NS}rect")
            if x.get("width") == "5" and "px-f-ink" in x.get("class", "").split()]  # fmt: skip


@pytest.mark.parametrize("options", [DEFAULT, COMPACT])
def test_a_frame_marks_its_own_step(options: Options) -> None:
    """A bar 5 px wide stands beside the newest step, above which nothing of that step is."""
    tops = []
    frames = make_frames(MASKED, options)
    for frame in frames:
        bars = list_bars(frame.svg)
        assert len(bars) == 1 + (frame is frames[-1])  # the result appears with the last step
        tops.append(float(bars[0].get("y", "0")))
    assert tops == sorted(set(tops))
    assert not list_bars(export(MASKED, "svg", options))


def test_the_columns_of_frames_grow_from_frame_to_frame() -> None:
    found = [ET.fromstring(x.svg) for x in make_frames(MASKED)]
    heights = [max(float(x.get("height", "0")) for x in tree.iter(f"{NS}rect")
                   if "px-f-soft" in x.get("class", "")) for tree in found]  # fmt: skip
    assert all(x < y for x, y in pairwise(heights))


@pytest.mark.parametrize("shown", EXAMPLES[::18])
@pytest.mark.parametrize("options", [Options(), Options(both=True)], ids=["page", "both"])
def test_how_wide_a_picture_must_be(shown: tuple[str, str], options: Options) -> None:
    svg = export(example(*shown), "svg", options)
    wide = float(str(ET.fromstring(svg).get("width")))
    smallest = min(box.size for box in boxes(ET.fromstring(svg)))
    assert compute_min_width(svg) == pytest.approx(9 / smallest * wide, abs=2)
    assert compute_min_width(svg) <= 720
    assert ET.fromstring(add_min_width(svg)).get("style") == f"min-width:{compute_min_width(svg)}px"


def made(folder: Path, *words: str) -> list[str]:
    done = run("trace", *SCALED_WORDS, *words, "--frames", str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("format_", some(["svg", "png", "pdf"]))
def test_a_new_run_removes_only_the_frames_of_earlier_runs(tmp_path: Path, format_: str) -> None:
    folder = tmp_path / "deck"
    width = ["--width", "160"] if format_ == "png" else []
    assert made(folder, "-f", format_, *width) == [f"{name}.{format_}" for name in NAMES]
    if format_ == "svg":
        frames = make_frames(SCALED)
        written = {path.stem: path.read_text("utf-8") for path in folder.iterdir()}
        assert written == {frame.name: frame.svg for frame in frames}
    own = folder / f"09-own.{format_}"
    own.write_bytes(b"<svg/>")
    alone = folder / f"08-alone.{format_}"
    assert run("trace", *SCALED_WORDS, "-f", format_, *width, "-o", str(alone)).returncode == 0
    (folder / f"06-link.{format_}").symlink_to(folder / f"01-select.{format_}")
    (folder / "notes.txt").write_text("mine")
    found = made(folder, "-f", format_, *width, "--steps", "1-3")
    assert found == [
        f"01-select.{format_}", f"02-extend.{format_}", f"03-multiply.{format_}",
        f"06-link.{format_}", f"08-alone.{format_}", f"09-own.{format_}", "notes.txt",
    ]  # fmt: skip
    assert own.read_bytes() == b"<svg/>"


def test_frames_for_which_the_disk_has_no_room_leave_no_new_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_file = files.replace

    def replace(path: Path, data: bytes) -> None:
        if path.name == f"{NAMES[1]}.svg":
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        replace_file(path, data)

    monkeypatch.setattr(files, "replace", replace)
    (tmp_path / "old").mkdir()
    for name in ("deep/new", "old"):
        done = run("trace", *SCALED_WORDS, "-f", "svg", "--frames", str(tmp_path / name))
        assert done.returncode == 2
        assert done.stderr.endswith(f"{NAMES[1]}.svg: {os.strerror(ENOSPC)}\n")
        assert [x.name for x in tmp_path.iterdir()] == ["old"]


def test_old_frames_in_another_format_are_reported(tmp_path: Path) -> None:
    folder = tmp_path / "deck"
    made(folder, "-f", "svg")
    (folder / "01-own.pdf").write_bytes(b"%PDF-1.7 of somebody else")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    words = ("-f", "png", "--width", "160", "--until", "2", "--frames", str(folder))
    done = run("trace", *SCALED_WORDS, *words)
    assert done.returncode == 0
    assert done.stderr == (
        f"note: {folder} also has frames in svg from an earlier run; they are left there\n"
    )
    kept = {path: path.read_bytes() for path in folder.iterdir() if path.suffix != ".png"}
    assert kept == before


@pytest.mark.parametrize(
    "there", ["<svg xmlns='http://www.w3.org/2000/svg'/>", "", "link", "folder", "picture"]
)
def test_a_file_that_is_not_a_frame_is_never_overwritten(tmp_path: Path, there: str) -> None:
    """And then nothing is written at all."""
    folder = tmp_path / "deck"
    folder.mkdir()
    file = folder / "05-scale.svg"
    if there == "link":
        file.symlink_to(tmp_path / "elsewhere")
    elif there == "folder":
        file.mkdir()
    elif there == "picture":
        assert run("trace", *SCALED_WORDS, "-f", "svg", "-o", str(file)).returncode == 0
    else:
        file.write_text(there)
    done = run("trace", *SCALED_WORDS, "-f", "svg", "--frames", str(folder))
    assert done.returncode == 2
    said = f"error: {file} is not a frame by ptxscope; nothing is"
    assert done.stderr.startswith(said)
    assert [path.name for path in folder.iterdir()] == ["05-scale.svg"]
    assert not (tmp_path / "elsewhere").exists()


def test_a_deck_replaces_only_another_deck(tmp_path: Path) -> None:
    pytest.importorskip("typst")
    deck = tmp_path / "deck.pdf"
    words = ("-f", "pdf", "--steps", "1-2", "--frames", str(deck))
    deck.write_bytes(b"%PDF-1.7 of somebody else")
    assert run("trace", *SCALED_WORDS, *words).returncode == 2
    assert deck.read_bytes() == b"%PDF-1.7 of somebody else"
    deck.unlink()
    for _ in range(2):
        assert run("trace", *SCALED_WORDS, *words).returncode == 0
    assert is_frame(deck.read_bytes(), "pdf")


def test_each_frame_has_an_alternative_text(tmp_path: Path) -> None:
    done = run("trace", *SCALED_WORDS, "-f", "svg", "--alt", "--frames", str(tmp_path / "x"))
    said = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    assert [*said] == NAMES
    titles = []
    for at, frame in enumerate(make_frames(SCALED), 1):
        (title,) = re.findall("<title[^>]*>([^<]*)<", frame.svg)
        titles.append(title)
        assert said[frame.name].startswith(f"Step {at} of 7, {frame.name[3:].replace('-', ' ')}. ")
        assert re.findall(r"\bStep (\d), ", said[frame.name]) == [str(x) for x in range(1, at + 1)]
    assert titles[2] == "Step 3 of 7, multiply"
    assert len({*said.values()}) == len({*titles}) == 7


@ci_only
@pytest.mark.parametrize("format_", some(["png", "pdf"]))
def test_an_image_contains_its_title_and_description(tmp_path: Path, format_: str) -> None:
    """By a real process: bytes don't pass through captured streams."""
    pytest.importorskip("typst" if format_ == "pdf" else "resvg_py")
    file = tmp_path / f"x.{format_}"
    words = ["trace", *SCALED_WORDS, "-f", format_, "--title", "Größe", "-o", str(file)]
    subprocess.run([sys.executable, "-m", "ptxscope", *words], check=True, timeout=60)
    data = file.read_bytes()
    assert is_ours(data, format_)
    assert not is_frame(data, format_)
    assert not is_ours(data.replace(b"ptxscope", b"somebody"), format_)
    if format_ == "png":
        assert "iTXtTitle\0\0\0\0\0Größe".encode() in data
        assert b"iTXtDescription\0\0\0\0\0" in data
