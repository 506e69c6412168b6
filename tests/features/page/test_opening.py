"""The page before Python is there: what the written site shows, and where its elements lead."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ptxscope.features.page.explorer_page import ExplorerPage
from ptxscope.features.page.opening import make_opening
from ptxscope.features.page.permalink import parse_permalink
from ptxscope.features.page.site import make_site, write_files
from tests.driving.browser import Browser
from tests.features.page.default_site import make_default_site
from tests.features.page.test_site import FILES_FOLDER
from tests.tiers import ci_only
from tools.page_browser import serve_folder

A, B = 0x649C0105, 0x649C02F9


def split(word: int) -> list[int]:
    """The signed bytes of a word, the highest first."""
    return [*memoryview(word.to_bytes(4, "big")).cast("b")]


SUMS = [x + y for x, y in zip(split(A), split(B), strict=True)]
CLAMPED = [max(-128, min(127, x)) for x in SUMS]
RESULT = f"0x{bytes(x & 0xFF for x in CLAMPED).hex()}"
"""By the PTX ISA, 9.7.18.2: ``.sat`` clamps the exact sum to the range of s8."""


@pytest.fixture(scope="module")
def opening() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(make_default_site()["opening.json"])
    return read


class Walker:
    """A reader of the frames, as ``opening.js`` is one."""

    def __init__(self, opening: dict[str, Any], number: int = 0) -> None:
        self.opening, self.number = opening, number

    def go(self, *moves: str) -> Walker:
        number = self.number
        for move in moves:
            number = self.opening["frames"][number]["moves"][move]
        return Walker(self.opening, number)

    def __getitem__(self, name: str) -> Any:
        place = self.opening["names"].index(name)
        return self.opening["parts"][self.opening["frames"][self.number]["parts"][place]]

    def draw(self, *, is_compact: bool = False) -> str:
        picture = self.opening["frames"][self.number]["pictures"][is_compact]
        return "\n".join(self.opening["lines"][x] for x in self.opening["pictures"][picture])

    def list_texts(self, *, is_compact: bool = False) -> list[str]:
        return re.findall("<text[^>]*>([^<]+)</text>", self.draw(is_compact=is_compact))


def test_each_step_has_a_picture_with_its_values(opening: dict[str, Any]) -> None:
    example = parse_permalink(Walker(opening)["link"])
    assert example.line.startswith("vadd4.s32.s32.s32.sat ")
    assert example.values == {"a": f"{A:#010x}", "b": f"{B:#010x}"}
    titles = ["select", "extend", "add", "saturate", "merge", "write"]
    frames = [Walker(opening).go(f"step {number}") for number in range(1, len(titles) + 1)]
    for is_compact in (False, True):
        texts = [[*map(unescape, x.list_texts(is_compact=is_compact))] for x in frames]
        for before, after in pairwise(texts):
            assert before != after
        assert {f"= {x}" for x in SUMS} <= {*texts[2]}
        assert not {f"= {x}" for x in SUMS} & {*texts[1]}
        assert {*map(str, CLAMPED)} <= {*texts[3]}
        assert [any(RESULT in x for x in shown) for shown in texts] == [False] * 5 + [True]
    assert [x["spoken"].partition(":")[0] for x in frames] == [
        f"Step {number}, {title}" for number, title in enumerate(titles, 1)
    ]
    shown = [Walker(opening).go(*["step.next"] * number).number for number in range(6)]
    assert shown == [x.number for x in frames]
    assert frames[5].go("step.back", "step.first").number == 0


def test_the_result_is_shown_before_its_step_on_demand_only(opening: dict[str, Any]) -> None:
    frame = Walker(opening)
    assert RESULT not in frame.draw() + frame["spoken"]
    shown = frame.go("result true")
    assert RESULT in shown.draw() and RESULT in shown["spoken"]  # noqa: PT018
    assert shown.go("result false").number == 0
    told = json.dumps(frame.go("predict")["#guesses"])
    assert "What will step 2, extend, give?" in told
    assert RESULT not in json.dumps(frame.go("predict")["#steps"]) + told


def test_a_frame_is_what_its_address_opens(opening: dict[str, Any]) -> None:
    links = [Walker(opening, number)["link"] for number in range(len(opening["frames"]))]
    for number, link in enumerate(links):
        if links.index(link) != number:
            continue  # the same under a gallery
        frame, page = Walker(opening, number), ExplorerPage(link)
        changes = json.loads(page.format_changes())
        assert changes["pictures"] == [frame.draw()]
        for name in ("link", "line", "layout", "#steps", "#guesses", "#operands", "#panel"):
            assert changes[name] == frame[name], (link, name)


def test_every_move_leads_to_a_frame_of_its_own_action() -> None:
    opening = make_opening()
    assert {x for frame in opening.frames for x in frame.moves.values()} == {
        *range(len(opening.frames))
    }
    assert not [x for frame in opening.frames for x in frame.moves if x.startswith("line")]


def test_the_written_page_has_the_first_frame(opening: dict[str, Any]) -> None:
    index, frame = make_default_site()["index.html"].decode(), Walker(opening)
    for is_compact in (False, True):
        assert frame.draw(is_compact=is_compact) in index
    assert frame["spoken"] in unescape(index)
    # nothing of an address's line may be drawn before its own: the script precedes the picture
    assert index.index('src="address.js"') < index.index('id="picture"')


def test_motion_is_for_those_who_did_not_reduce_it() -> None:
    style = (FILES_FOLDER / "page.css").read_text("utf-8")
    reduced = re.sub(
        r"@media \(prefers-reduced-motion: no-preference\) \{.*?\n\}", "", style, flags=re.S
    )
    assert "transition" in style
    assert not re.search("transition|animation|smooth", reduced)


# --- in a browser without Python -------------------------------------------------------------

STATE = """(() => {
  const get = id => document.getElementById(id), shown = get("picture").querySelector("svg");
  return {step: document.querySelector("#steps [aria-current]")?.textContent,
    picture: [...get("picture").querySelectorAll("svg")].filter(x => x.getClientRects().length)
      .map(x => x.textContent).join(),
    line: get("line").value, focus: document.activeElement.id, message: get("message").textContent,
    spoken: get("spoken").textContent, hash: location.hash, caret: get("line").selectionStart,
    width: document.documentElement.scrollWidth, loading: get("progress").getClientRects().length};
})()"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser.start(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a page whose engine never comes."""
    folder = tmp_path_factory.mktemp("site")
    write_files(folder, make_site(None))
    with serve_folder(folder, never="engine.json") as address:
        yield address


def wait(browser: Browser, condition: str) -> dict[str, Any]:
    """What is shown once something holds of it."""
    tries = f"""(async () => {{
      for (let tries = 0; tries < 500; tries++) {{
        const state = {STATE};
        if ({condition}) break;
        await new Promise(resolve => setTimeout(resolve, 10));
      }}
      return {STATE};
    }})()"""
    state: dict[str, Any] = browser.value(tries)
    return state


@ci_only
@pytest.mark.parametrize("width", [1280, 380])
def test_the_steps_work_without_python(browser: Browser, address: str, width: int) -> None:
    browser.visit(address, width)
    state = wait(browser, "state.loading")
    assert "100" in state["picture"]
    assert f"= {SUMS[0]}" not in state["picture"]
    browser.value("document.querySelector(\"[data-do='step.next']\").focus()")
    for _ in range(2):
        browser.press(" ")
    state = wait(browser, "state.step === 'add'")
    assert f"= {SUMS[0]}" in state["picture"]
    assert state["spoken"].startswith("Step 3, add: ")
    assert wait(browser, "state.hash.includes('step=3')")["hash"].endswith("&step=3&v=1")
    assert state["message"] == ""
    browser.value("document.querySelector('[data-do=predict]').click()")
    state = wait(browser, "state.focus.startsWith('guess')")
    assert state["focus"] == "guess-saturate.t-3"
    assert state["width"] <= width


@ci_only
def test_what_is_typed_before_python_is_kept_and_said(browser: Browser, address: str) -> None:
    browser.visit(address, 1280)
    wait(browser, "state.loading")
    browser.value("document.getElementById('line').select()")
    browser.type("vmin4.u32")
    state = wait(browser, "state.message")
    assert (state["line"], state["focus"], state["caret"]) == ("vmin4.u32", "line", 9)
    assert state["message"] == "Python is still loading. This takes effect as soon as it is ready."
    browser.value("document.querySelector(\"[data-do='step.next']\").click()")
    assert wait(browser, "true")["step"] == "select"  # of another line, no step is known


@ci_only
def test_an_address_shows_its_frame_or_its_line_only(browser: Browser, address: str) -> None:
    link = Walker(json.loads(make_default_site()["opening.json"])).go("step 3")["link"]
    browser.visit(f"{address}?step#{link}", 1280)
    state = wait(browser, "state.step === 'add'")
    assert f"= {SUMS[0]}" in state["picture"]
    browser.visit(f"{address}?other#popc.b32+d,+a&a=0x80ff7f01&v=1")
    state = wait(browser, "state.loading")
    assert (state["line"], state["picture"]) == ("popc.b32 d, a", "")
    assert state["loading"]


@ci_only
def test_the_steps_stay_where_python_does_not_start(browser: Browser, tmp_path: Path) -> None:
    files = make_site(None)
    del files["engine.json"]
    write_files(tmp_path, files)
    with serve_folder(tmp_path) as address:
        browser.visit(address, 1280)
        state = wait(browser, "state.message")
        assert state["message"].startswith("Python did not start: engine.json could not be loaded.")
        assert not state["loading"]
        browser.value("document.querySelector(\"[data-do='step.last']\").click()")
        assert RESULT in wait(browser, "state.step === 'write'")["picture"]
        browser.value("document.getElementById('line').select()")
        browser.type("vmin4.u32")
        state = wait(browser, "state.message")
        assert (state["line"], state["step"]) == ("vmin4.u32", "write")
        assert state["message"].startswith("Python did not start")
        browser.visit(f"{address}?other#popc.b32+d,+a&v=1", 1280)
        state = wait(browser, "state.message.startsWith('Python did')")
        assert state["message"].endswith("This line can't be drawn.")
        assert (state["line"], state["picture"]) == ("popc.b32 d, a", "")
