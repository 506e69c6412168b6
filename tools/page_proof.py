"""Use the page in Chromium: `python3 dev.py page`. It fails with the first false claim."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ptxscope.cli import main as run_command
from ptxscope.engine.syntax.instruction import Instruction
from ptxscope.engine.syntax.parser import parse
from ptxscope.engine.tracing.deviation import find_deviations
from ptxscope.engine.tracing.trace import trace
from ptxscope.features.page.permalink import PageLink, format_permalink, parse_permalink
from ptxscope.features.page.site import CDN, FILES, make_site
from ptxscope.features.page.tool_table import map_tools
from tests.features.page.permalinks import HOSTILE, draw_link
from tools.page_browser import READY_MS, PageDriver, serve_folder, serve_site, start_browser

_FORMS: Final = 200
_KEYS: Final = 40
_NARROW: Final = 380

_SHOW: Final = """async fragment => {
  const picture = document.getElementById("picture").querySelector("svg");
  const changed = new Promise(resolve => addEventListener("hashchange", resolve, {once: true}));
  location.hash = fragment;
  await Promise.race([changed, new Promise(resolve => setTimeout(resolve, 500))]);
  await ptxscopeAnswer();
  for (let tries = 0; tries < 200; tries++) {
    await new Promise(resolve => setTimeout(resolve, 2));
    const now = document.getElementById("picture").querySelector("svg");
    if (now !== picture && location.hash.slice(1) === fragment) break;
  }
  return [...document.querySelectorAll(".figure > svg:first-child")].map(x => x.outerHTML);
}"""
_PARSE: Final = """text => {
  const bare = text.replace(/<style>.*?<\\/style>\\n/s, "");
  const picture = new DOMParser().parseFromString(bare, "image/svg+xml").documentElement;
  return document.adoptNode(picture).outerHTML;
}"""
"""Normalises the command line's output like the browser; a page has its style in a file."""


class CheckError(Exception):
    """A claim is false."""


def require(holds: object, sentence: str) -> None:
    """Raise CheckError with a sentence unless a claim is true."""
    if not holds:
        raise CheckError(sentence)


def list_words(link: PageLink, ins: Instruction) -> list[str]:
    """Return the arguments of the command that draws a permalink's picture."""
    words = ["trace", link.line, *(f"{ins.names[x]}={y}" for x, y in link.values.items())]
    words += ["--model", link.model, "-f", "svg"]
    names = {ins.names[role]: int(text, 16) for role, text in link.values.items()}
    if "both" in link.flags and find_deviations(trace(ins, names, model=link.model)):
        words.append("--both")
    if link.step:
        words += ["--steps", f"1-{link.step}"] if "result" in link.flags else []
        words += ["--until", str(link.step)] if "result" not in link.flags else []
    return words


def print_document(words: Sequence[str]) -> str:
    """Return the command line's output."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        status = run_command([*words])
    require(status == 0, f"ptxscope {' '.join(words)}: status {status}")
    return output.getvalue()


def require_focus(page: Any, selector: str, moment: str) -> None:
    """Raise CheckError unless an element of a selector has the focus."""
    focus = page.evaluate("document.activeElement.outerHTML.slice(0, 80)")
    has_focus = page.evaluate("selector => document.activeElement.matches(selector)", selector)
    require(has_focus, f"{moment}, the focus is not on {selector}, but on {focus}")


def require_accessible(page: Any, state: str) -> int:
    """Raise CheckError if axe-core finds something in a theme; return the number of themes."""
    schemes = ("light", "dark")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        violations = page.evaluate("axe.run()")["violations"]
        reports = [f"{x['id']}: {x['nodes'][0]['html'][:200]}" for x in violations]
        require(not reports, f"{state}, {scheme}: {json.dumps(reports, indent=1)}")
    return len(schemes)


# --- the claims --------------------------------------------------------------------------


def check_opening(driver: PageDriver) -> str:
    """The page opens with its picture, and a key changes it."""
    page = driver.page
    start = time.perf_counter()
    page.goto(driver.url, wait_until="commit")
    page.wait_for_selector("#picture svg")
    first_seconds = time.perf_counter() - start
    page.wait_for_selector("body.ready", timeout=90_000)
    seconds = time.perf_counter() - start
    before = page.inner_html("#picture")
    page.focus("#value-a")
    page.keyboard.press("End")
    page.keyboard.press("Backspace")
    page.keyboard.type("2")
    driver.settle()
    require(page.inner_html("#picture") != before, "a key does not change the picture")
    driver.wait_for("location.hash.includes('a=0x649c0102')")
    strangers = [x for x in driver.requests if not x.startswith((driver.url, "data:", "blob:"))]
    require(not strangers, f"requests to others: {strangers}")
    return f"a first picture after {first_seconds:.1f} s, the engine after {seconds:.1f} s"


def check_pictures(driver: PageDriver) -> str:
    """Pictures are the command line's, and permalinks round-trip."""
    longest = 0
    for number in range(_FORMS):
        link, ins = draw_link(number)
        fragment = format_permalink(link)
        require(fragment and parse_permalink(fragment) == link, f"permalink {fragment}")
        longest = max(longest, len(fragment))
        words = list_words(link, ins)
        printed = driver.page.evaluate(_PARSE, print_document(words))
        drawn = driver.page.evaluate(_SHOW, fragment)
        require(drawn == [printed], f"the picture of #{fragment} is not that of {words}")
        shown = driver.page.evaluate("ptxscopePage.format_copy('link')")
        require(shown == fragment, f"#{fragment} became #{shown}")
        exact = driver.page.evaluate("ptxscopePage.svg()")
        require(exact == print_document(words), f"the text of #{fragment} is not that of {words}")
    return f"{_FORMS} random forms: pictures byte for byte, permalinks ≤ {longest} characters"


_BLOCKS: Final = (
    ("{ popc.b32 t, a; mul.lo.u32 d, t, b; }", {"a": "0x80ff7f01", "b": "0x01010101"}),
    ("__vhaddu4(a, b)", {"a": "0x80ff7f01", "b": "0x01010101"}),
    ("add.cc.u32 %r1, %r2, %r3; addc.u32 %r4, %r5, 0;",
     {"%r2": "0xffffffff", "%r3": "0x00000001", "%r5": "0x00000002"}),
)  # fmt: skip


def check_lines(driver: PageDriver) -> str:
    """The line follows the address: opened, reloaded, changed while the line has the focus."""
    page, count = driver.page, 0

    def require_line(fragment: str, text: str) -> None:
        nonlocal count
        shown = page.input_value("#line")
        require(shown == text, f"the line of #{fragment} is {shown!r}")
        count += 1

    for text in ("vadd4.s32.s32.u32.sat d.b310, a, b, c", _BLOCKS[0][0]):
        fragment = format_permalink(PageLink(text))
        page.goto("about:blank")
        driver.open(fragment)
        require_line(fragment, text)
        page.reload()
        page.wait_for_selector("body.ready", timeout=READY_MS)
        require_line(fragment, text)
        page.focus("#line")
        page.evaluate(_SHOW, "popc.b32+d,+a&v=1")
        require_line("popc.b32", "popc.b32 d, a")
    page.goto("about:blank")
    driver.open()
    return f"the line is that of the address, {count} times"


def check_blocks(driver: PageDriver) -> str:
    """Pictures of blocks, whole and up to each step, are the command line's."""
    count = 0
    for text, values in _BLOCKS:
        link = PageLink(text, {f"${name}": value for name, value in values.items()})
        words = ["trace", text, *(f"{x}={y}" for x, y in values.items()), "-f", "svg"]
        driver.page.evaluate(_SHOW, format_permalink(link))
        steps = driver.page.locator("#steps li").count()
        for step in (0, *range(1, steps)):
            fragment = format_permalink(link._replace(step=step))
            until = ["--until", str(step)] if step else []
            printed = driver.page.evaluate(_PARSE, print_document([*words, *until]))
            drawn = driver.page.evaluate(_SHOW, fragment)
            require(drawn == [printed], f"the picture of #{fragment} is another")
            count += 1
    return f"{count} pictures of {len(_BLOCKS)} blocks, step by step, are the command line's"


def check_loading(driver: PageDriver) -> str:
    """Actions while Python loads take effect; a bad permalink at the start is reported."""
    page = driver.page
    page.goto("about:blank")
    page.goto(driver.url, wait_until="commit")
    page.fill("#line", "vmin4.u32.u32.u32 d, a, b, c")
    page.fill("#value-a", "0x01020304")
    page.click("[data-do=step][data-number='2']")
    page.wait_for_selector("body.ready", timeout=READY_MS)
    driver.wait_for(
        "location.hash.startsWith('#vmin4.u32.u32.u32+d,+a,+b,+c&a=0x01020304&')", READY_MS
    )
    driver.wait_for("location.hash.includes('&step=2')")
    page.goto("about:blank")
    page.goto(f"{driver.url}#vsub4.s32.s32.s32+d,+a,+b,+c&step=3&v=1", wait_until="commit")
    page.wait_for_selector("body.waiting")
    shown = page.input_value("#line")
    require(shown == "vsub4.s32.s32.s32 d, a, b, c", f"while Python loads, the line is {shown!r}")
    require(
        not page.is_visible("#picture svg"), "another picture than that of the address is shown"
    )
    page.wait_for_selector("body.ready", timeout=READY_MS)
    page.click("[data-do=predict]")
    driver.settle()
    fields = page.locator("#guesses input")
    for index in range(2):
        fields.nth(index).fill(f"{index + 5}")
    page.locator("#guesses button[type=submit]").first.click()
    driver.settle()
    kept = fields.nth(1).input_value()
    require(kept == "6", f"the other prediction became {kept!r}")
    page.goto("about:blank")
    page.goto(f"{driver.url}#vadd4&v=7")
    page.wait_for_selector("body.ready", timeout=READY_MS)
    driver.wait_for("document.getElementById('message').innerText.includes('its version is')")
    require(page.url.endswith("#vadd4&v=7"), f"the bad address became {page.url}")
    return "typing while Python loads, and a bad permalink at the start"


def check_takeover(driver: PageDriver) -> str:
    """When Python is there, nothing moves: no part of the page, no focus, no caret."""
    page = driver.page
    page.goto("about:blank")
    page.goto(driver.url, wait_until="commit")
    page.focus("#line")
    page.fill("#line", "vadd4.s32.s32.s32.sat d, a, b")
    page.evaluate("document.getElementById('line').setSelectionRange(4, 4)")
    page.wait_for_selector("body.ready", timeout=READY_MS)
    kept = page.evaluate("[document.activeElement.id, document.activeElement.selectionStart]")
    require(kept == ["line", 4], f"the caret is at {kept}")
    for move in ("", "[data-do='step.next']", "[data-do='gallery']"):
        page.goto("about:blank")
        page.goto(driver.url, wait_until="commit")
        page.wait_for_selector("#steps")
        if move:
            page.click(move)
        page.wait_for_selector("body.ready", timeout=READY_MS)
        shifts = page.evaluate(_SHIFTS)
        require(shifts < 0.001, f"after {move or 'nothing'}, the layout jumps by {shifts}")
    page.click("#places [data-do=explore]")
    driver.settle()
    return "the live page takes over, and neither a part of it nor the caret moves"


_SHIFTS: Final = """() => new Promise(resolve => {
  let sum = 0;
  new PerformanceObserver(list => {
    for (const {value, hadRecentInput} of list.getEntries()) sum += hadRecentInput ? 0 : value;
  }).observe({type: "layout-shift", buffered: true});
  setTimeout(() => resolve(sum), 200);
})"""


def check_typing(driver: PageDriver) -> str:
    """After each key, which redraws only a part, the picture is the command line's."""
    page = driver.page
    page.evaluate(_SHOW, "vadd4.s32.s32.u32.sat+d.b310,+a,+b,+c&a=0x00000000&b=0x01ff0180&v=1")
    for number in range(_KEYS):
        bits = number * 0x9E3779B1 & 0xFFFFFFFF
        page.fill("#value-a", f"{bits:#010x}")
        driver.settle()
        ins = parse("vadd4.s32.s32.u32.sat d.b310, a, b, c;")
        values = {"a": f"{bits:#x}", "b": "0x01ff0180", "c": "0xcccccccc"}
        printed = page.evaluate(_PARSE, print_document(list_words(PageLink(str(ins), values), ins)))
        drawn = page.evaluate("document.querySelector('#picture svg').outerHTML")
        require(drawn == printed, f"after a key, the picture of a = {bits:#x} is another")
    return f"after each of {_KEYS} edits in place, the picture is the command line's"


def check_hostile(driver: PageDriver) -> str:
    """Hostile permalinks do nothing."""
    page = driver.page
    driver.requests.clear()
    for fragment in HOSTILE:
        page.evaluate("fragment => { location.hash = fragment; }", fragment)
        page.wait_for_timeout(40)
        require(page.evaluate("window.hacked === undefined"), f"#{fragment} ran a script")
        found = page.query_selector(
            "main script:not([src='address.js']), main img:not(#gallery img), "
            "#problems *:not(p, pre, div, code)"
        )
        require(found is None or found.evaluate("x => x.nodeName") == "BUTTON", fragment)
        page.fill("#value-a", "0x1")
        page.fill("#line", "vadd4.s32.s32.s32 d, a, b, c")
    outside = [x for x in driver.requests if not x.startswith("blob:")]
    require(not outside, f"hostile permalinks made requests: {outside}")
    refusal = page.evaluate("() => { try { localStorage } catch (error) { return error.name } }")
    require(refusal == "SecurityError", "the browser has a storage that the page could use")
    page.evaluate("() => { location.hash = ''; }")
    return f"{len(HOSTILE)} hostile permalinks do nothing, and nothing needs a storage"


def check_offline(driver: PageDriver) -> str:
    """Once loaded, the page works without a network."""
    driver.context.set_offline(True)
    try:
        driver.page.fill("#line", "prmt.b32 d, a, b, 0x5410;")
        driver.settle()
        before = driver.page.inner_html("#picture")
        driver.page.fill("#value-b", "0x12345678")
        driver.settle()
        require(driver.page.inner_html("#picture") != before, "offline, nothing is drawn")
        for name in map_tools().values():
            driver.page.click("#places [data-do=explore]")
            driver.page.click(f":is(#tools, #places) [data-do={name}]")
            driver.settle()
            require(driver.page.inner_text("#panel"), f"offline, {name} shows nothing")
        driver.page.click("#places [data-do=explore]")
    finally:
        driver.context.set_offline(False)
    return "offline, the picture and all tools work"


def check_runtime(browser: Any, url: str, folder: Path, packages: Path) -> str:
    """Pyodide from jsDelivr, played by this machine, starts; a file that is another does not."""
    kept = {name: (folder / name).read_bytes() for name in ("engine.json", "index.html")}
    for name, data in make_site(None).items():
        if name in kept:
            (folder / name).write_bytes(data)
    changed = ""

    def answer(route: Any) -> None:
        name = route.request.url.removeprefix(CDN)
        data = (packages / "pyodide" / name).read_bytes()
        kind = {"mjs": "text/javascript", "wasm": "application/wasm"}.get(name.rpartition(".")[2])
        headers = {"Access-Control-Allow-Origin": "*", "Content-Type": kind or "text/plain"}
        route.fulfill(body=data + b" " * (name == changed), headers=headers)

    for changed in ("", *FILES):
        driver = PageDriver(browser, url)
        driver.context.route(f"{CDN}**", answer)
        if changed:
            driver.page.goto(url)
            driver.wait_for(
                "document.getElementById('message').innerText.startsWith('Python did not start')",
                READY_MS,
            )
            require(driver.page.query_selector("#picture svg"), "no still picture is left")
        else:
            driver.open()
            require(not driver.complaints, f"from jsDelivr: {driver.complaints}")
        driver.close()
    for name, data in kept.items():
        (folder / name).write_bytes(data)
    return f"the runtime of jsDelivr starts; none of its {len(FILES)} files may be another"


_LIVE: Final = (
    ("vadd4.s32.s32.s32.sat d, a, b, c", "a=0x7f", "b=1", "--title", "Saturation <b>"),
    ("prmt.b32 d, a, b, c", "a=0x11223344", "b=0x55667788", "c=0x3210"),
)
"""The first contents of a page's live figures."""


def check_live(browser: Any, url: str, folder: Path) -> str:
    """Live figures are still pictures until one is touched; then each follows typing."""
    figures = [print_document(["page", "--figure", *words]) for words in _LIVE]
    head = '<!DOCTYPE html><link rel="icon" href="data:,">'
    (folder / "figures.html").write_text(head + "".join(figures), encoding="utf-8")
    still = browser.new_context(java_script_enabled=False).new_page()
    still.goto(f"{url}figures.html")
    require(still.locator(".px-live svg").count() >= len(_LIVE), "without JavaScript: no picture")
    require(still.locator(".px-live form:visible").count() == 0, "without JavaScript: fields")
    driver = PageDriver(browser, f"{url}figures.html")
    page = driver.page
    page.goto(driver.url)
    require(not [x for x in driver.requests if "runtime" in x], "it loads before it is touched")
    for number, words in enumerate(_LIVE):
        loaded = len(driver.requests)
        figure = page.locator(".px-live").nth(number)
        figure.locator("input[name=a]").fill("0x01020304")
        wanted = ["trace", words[0], "a=0x01020304", *words[2:], "-f", "html"]
        printed = page.evaluate(_MARKUP, print_document(wanted))
        driver.wait_for(
            f"document.querySelectorAll('.px-document')[{number}].innerHTML.trim() === "
            f"{json.dumps(printed.strip())}",
            READY_MS,
        )
        require(number == 0 or len(driver.requests) == loaded, "the runtime is not shared")
    complaints = driver.complaints
    driver.close()
    require(not complaints, f"{complaints}")
    return f"{len(_LIVE)} live figures share one engine, and draw what the command line does"


_MARKUP: Final = """text => {
  const box = document.createElement("div");
  box.innerHTML = text;
  return box.innerHTML;
}"""
_STATES: Final = (
    "vadd4.s32.s32.u32.sat+d.b310,+a,+b,+c&a=0x80ff7f01&b=0x01ff0180&v=1",
    "vadd.u32.s32.s32.sat+d.b0,+a,+b,+c&a=0xffffffff&b=0x00000000&c=0x11223344&both=1&v=1",
    "vmad.s32.s32.s32.sat.shr15+d,+a,+b,+c&a=0x7fffffff&b=0x7fffffff&c=0x1&step=2&predict=1&v=1",
    "lop3.b32+d,+a,+b,+c,+0x96&a=0x80ff7f01&step=1&v=1",
    "vadd4.s32.s32.s33+d,+a,+b,+c&v=1",
    "%7B+popc.b32+t,+a;+mul.lo.u32+d,+t,+b;+%7D&$a=0x80ff7f01&$b=0x01010101&v=1",
    "vadd4.s32.s32.s32+d,+a,+b,+c&explain=0x1&v=1",
    "vadd4.s32.s32.s32+d,+a,+b,+c&check=vadd4.s32.s32+d,+a,+b,+c;&v=1",
    "vadd4.s32.s32.s32+d,+a,+b,+c&sweep=a.b0&v=1",
    "vadd4.s32.s32.s32+d,+a,+b,+c&lesson=lanes.2&v=1",
    "vadd4.s32.s32.s32+d,+a,+b,+c&lesson=&v=1",
)
"""The possible states of a page."""


def _visit_states(driver: PageDriver) -> Iterator[str]:
    for fragment in _STATES:
        driver.page.evaluate("fragment => { location.hash = fragment; }", fragment)
        driver.page.wait_for_timeout(250)
        yield fragment
    driver.page.evaluate(_SHOW, "vadd4.s32.s32.s32+d,+a,+b,+c&lesson=brighten.9&v=1")
    for key in ("7", "Enter", "?"):  # a wrong answer, a hint
        driver.page.keyboard.press(key)
        driver.page.wait_for_timeout(150)
        yield f"lesson, {key}"
    driver.page.keyboard.press("PageDown")
    driver.page.wait_for_timeout(150)
    yield "the end of a lesson"
    driver.page.click("#places [data-do=explore]")
    for place in ("gallery", "explore"):
        driver.page.click(f"#places [data-do={place}]")
        driver.page.wait_for_timeout(150)
        yield place
    driver.page.fill("#line", "")
    driver.page.wait_for_timeout(150)
    yield "an empty line"
    driver.page.fill("#search", "average four bytes")
    driver.page.fill("#line", "vadd4.s32.")
    driver.page.wait_for_timeout(150)
    yield "completions"


def check_width(driver: PageDriver) -> str:
    """Nothing is wider than a phone."""
    for state in _visit_states(driver):
        width = driver.page.evaluate("document.documentElement.scrollWidth")
        require(width <= _NARROW, f"{state}: {width} px wide on {_NARROW}")
    return f"no overflow at {_NARROW} px in {len(_STATES) + 1} states"


def check_columns(driver: PageDriver) -> str:
    """On a wide screen, no column is empty, and all begin at the picture."""
    driver.page.evaluate(_SHOW, _STATES[0])
    tops = driver.page.evaluate(_TOPS)
    require(abs(tops["walk"] - tops["picture"]) < 40, f"the columns begin at {tops}")
    require(tops["right"] >= 0.9 * tops["width"], f"nothing is in the last third: {tops}")
    require(tops["bottom"] >= 0.4 * tops["high"], f"the right column ends too early: {tops}")
    return "two columns, both with something in them"


def check_lesson(driver: PageDriver) -> str:
    """A question, its picture and its field are on one screen, and keys alone play the lesson."""
    page, (width, height) = driver.page, (driver.page.viewport_size[x] for x in ("width", "height"))
    page.set_viewport_size({"width": width, "height": _SCREENS[width]})
    page.evaluate(_SHOW, "vadd4.s32.s32.s32+d,+a,+b,+c&lesson=brighten.1&v=1")
    for number in range(1, 10):
        driver.wait_for(f"location.hash.includes('lesson=brighten.{number}')")
        page.wait_for_timeout(150)  # the picture is measured again
        seen = page.evaluate(_CARD)
        require(seen["high"] <= _SCREENS[width], f"card {number} is {seen['high']} px high")
        require(seen["picture"] <= _SCREENS[width], f"the picture of card {number} is cut off")
        require(seen["focus"].startswith(("answer", "next")), f"card {number}: {seen['focus']}")
        if seen["focus"].startswith("answer"):
            page.keyboard.type("?")
            driver.wait_for("document.querySelector('.feedback').innerText.startsWith('?')")
            page.keyboard.type("7s")
            driver.wait_for("document.activeElement.id.startsWith('next')")
        page.keyboard.press("Enter")
    driver.wait_for("document.activeElement.id.startsWith('end')")
    require("5 questions to look at again" in page.inner_text("#panel"), "the end has no questions")
    page.keyboard.press("Escape")
    driver.wait_for("document.querySelector('#panel h2').innerText === 'Lessons'")
    page.evaluate(_SHOW, _STATES[0])
    for size in _SHORT_SCREENS:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate(_SHOW, "vadd4.s32.s32.s32+d,+a,+b,+c&lesson=lanes.10&v=1")
        driver.wait_for("document.activeElement.id === 'answer-lanes-9'")
        page.wait_for_timeout(300)
        require(page.evaluate(_IS_SEEN), f"on {size}, the field of an answer is not seen")
        page.keyboard.type("77")
        page.click(".answer [type=submit]")
        driver.settle()
        selected = page.evaluate("document.activeElement.selectionEnd")
        require(selected == 2, "after a click on Check, the answer is not selected")
    page.set_viewport_size({"width": width, "height": height})
    page.click("[data-do=lesson_go][data-delta='-1']")
    driver.wait_for("location.hash.includes('lesson=lanes.9')")
    page.go_back()
    driver.wait_for("document.querySelector('.head').innerText.includes('10 of 11')")
    page.evaluate(_SHOW, _STATES[0])
    return f"a lesson is played by keys alone, each card on one screen of {width} px"


def check_frame(driver: PageDriver) -> str:
    """The frame of the place that a card is about is drawn around its texts, not through them."""
    driver.page.evaluate(_SHOW, "vadd4.s32.s32.s32+d,+a,+b,+c&lesson=register.1&v=1")
    driver.wait_for("document.querySelector('.zones .pointed')")
    cut = driver.page.evaluate(_CUT)
    require(cut == [], f"the frame is drawn through {cut}")
    driver.page.evaluate(_SHOW, _STATES[0])
    return "the frame of a place is drawn around its texts"


_CUT: Final = """() => {
  const frame = document.querySelector(".zones .pointed"), box = frame.getBoundingClientRect();
  const scale = box.width / frame.width.baseVal.value;
  const stroke = scale * parseFloat(getComputedStyle(frame).strokeWidth) / 2;
  const texts = [...document.querySelectorAll("#picture .figure > svg:first-child text")];
  return texts.filter(text => {
    const {left, right, top, bottom} = text.getBoundingClientRect(), middle = (top + bottom) / 2;
    const isBeside = middle > box.top && middle < box.bottom;
    const isInside = left >= box.left + stroke - 0.5 && right <= box.right - stroke + 0.5;
    return isBeside && left < box.right && right > box.left && !isInside;
  }).map(text => text.textContent);
}"""
_SCREENS: Final = {1280: 720, _NARROW: 800}
"""The heights of screens by their widths."""
_SHORT_SCREENS: Final = ((_NARROW, 460), (800, 380))
"""A phone with its keyboard, and one on its side."""
_IS_SEEN: Final = """() => {
  const {left, right, top, bottom} = document.activeElement.getBoundingClientRect();
  return [top + 2, bottom - 2].every(y =>
    document.elementFromPoint((left + right) / 2, y) === document.activeElement);
}"""
"""Whether the field with the focus is on the screen, and nothing covers it."""
_CARD: Final = """() => ({high: document.documentElement.scrollHeight,
  picture: document.getElementById("picture").getBoundingClientRect().bottom,
  focus: document.activeElement.id})"""
_TOPS: Final = """() => {
  const box = id => document.getElementById(id).getBoundingClientRect();
  return {walk: box("spoken").top, picture: box("picture").top, right: box("spoken").right,
    width: document.querySelector("main").getBoundingClientRect().right,
    bottom: box("more").bottom - box("spoken").top, high: box("picture").height};
}"""


def check_accessibility(driver: PageDriver, axe: str) -> str:
    """axe-core finds nothing, in both themes."""
    driver.page.evaluate(axe)
    count = sum(require_accessible(driver.page, state) for state in _visit_states(driver))
    return f"axe-core finds nothing in {count} states of both themes"


def check_opening_accessibility(browser: Any, folder: Path, axe: str) -> str:
    """axe-core finds nothing before Python is loaded, which never happens here."""
    count = 0
    with serve_folder(folder, never="engine.json") as url:
        for width in (1280, _NARROW):
            driver = PageDriver(browser, url, width)
            for state in ("", "[data-do='step.next']", "[data-do='gallery']", "#popc.b32+d,+a"):
                driver.page.goto("about:blank")
                driver.page.goto(f"{url}{state if state.startswith('#') else ''}")
                if state and not state.startswith("#"):
                    driver.page.click(state)
                driver.page.evaluate(axe)
                count += require_accessible(driver.page, f"{width} px, {state}")
            driver.close()
    return f"before Python, axe-core finds nothing in {count} states"


def check_copies(driver: PageDriver) -> str:
    """Copies equal the command line's output; a PNG is valid."""
    page = driver.page
    driver.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate(_SHOW, "vadd4.s32.s32.s32+d,+a,+b,+c&a=0x00000001&b=0x00000002&v=1")
    words = ["trace", "vadd4.s32.s32.s32 d, a, b, c", "a=1", "b=2"]
    wanted = {
        "link": page.url,
        "markdown": print_document([*words, "-f", "markdown"]),
        "svg": print_document([*words, "-f", "svg"]),
        "c": print_document([*words, "-f", "c"]),
    }
    for name in (*wanted, "command", "png"):
        page.click("[popovertarget=copies]")
        page.click(f"[data-copy={name}]")
        driver.wait_for(
            f"document.getElementById('message').textContent === 'Copied: {name}'", READY_MS
        )
        if name in wanted:
            copied = page.evaluate("navigator.clipboard.readText()")
            require(copied == wanted[name], f"copied as {name}: {copied[:200]}")
        elif name == "command":
            command = shlex.split(page.evaluate("navigator.clipboard.readText()"))
            require(print_document(command[1:]) == wanted["svg"], f"the command is {command}")
        else:
            read = "x => x[0].getType('image/png').then(y => y.size)"
            size = page.evaluate(f"navigator.clipboard.read().then({read})")
            require(size > 10_000, f"a PNG of {size} bytes")
    return "copies as link, Markdown, SVG, C, command line and PNG"


def check_theme(driver: PageDriver) -> str:
    """The button turns the page and its picture dark, and light again."""
    page = driver.page
    read = """() => [getComputedStyle(document.querySelector('header')).backgroundColor,
      getComputedStyle(document.querySelector("#picture rect")).fill]"""
    light = page.evaluate(read)
    page.click("#theme")
    dark = page.evaluate(read)
    require(dark[0] == dark[1] != light[0], f"dark is {dark}, light {light}")
    page.click("#theme")
    require(page.evaluate(read) == light, "light is not what it was")
    return "a button for dark and light"


def check_keyboard(driver: PageDriver) -> str:
    """Keys alone complete a line, type over a chip, step, and switch the mask."""
    page = driver.page
    page.evaluate(_SHOW, "vavrg4.u32.u32.u32+d,+a,+b,+c&a=0x00000001&b=0x00000002&v=1")
    page.focus("#line")
    for key in ("Control+A", "Backspace"):
        page.keyboard.press(key)
    page.keyboard.type("vsu")
    first = "document.querySelector('#completions:not([hidden]) li code')?.textContent"
    driver.wait_for(f"{first}?.startsWith('vsu')")  # completions for every key
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    require(page.input_value("#line").startswith("vsub"), "a completion is not taken")
    page.fill("#line", "vadd4.s32.s32.s32.sat d, a, b, c")
    page.wait_for_timeout(150)
    driver.context.grant_permissions(["clipboard-read", "clipboard-write"])
    lines = "popc.b32 t, a; // ones\nmul.lo.u32 d, t, b;\n"
    page.evaluate("text => navigator.clipboard.writeText(text)", lines)
    page.focus("#line")
    for key in ("Control+A", "Control+V"):
        page.keyboard.press(key)
    pasted = page.input_value("#line")
    require(pasted == "popc.b32 t, a; mul.lo.u32 d, t, b;", f"pasted: {pasted}")
    driver.wait_for("document.querySelectorAll('#steps li').length === 5")
    page.fill("#line", "vadd4.s32.s32.s32.sat d, a, b, c")
    page.wait_for_timeout(150)
    page.focus("#picture")
    page.keyboard.press("ArrowDown")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    require(label and "types over" in label, f"the first value says {label}")
    page.keyboard.type("-7")
    page.keyboard.press("Enter")
    driver.wait_for("document.getElementById('value-a').value.startsWith('0xf9')")
    driver.wait_for("document.querySelectorAll('.zones .lit').length > 5")
    spoken = page.inner_text("#spoken")
    page.focus("[data-do='step.back']")
    page.keyboard.press("Enter")
    driver.wait_for(f"document.getElementById('spoken').innerText !== {json.dumps(spoken)}")
    driver.wait_for("location.hash.includes('step=')")
    shown = page.url
    page.keyboard.press("N")
    driver.wait_for(f"location.href !== {json.dumps(shown)}")
    page.keyboard.press("n")
    driver.wait_for(f"location.href === {json.dumps(shown)}")
    page.click("#places [data-do=gallery]")
    driver.settle()
    page.focus("#search")
    page.keyboard.type("average four")
    driver.settle()
    require(page.input_value("#search") == "average four", "keys leave the search")
    require(page.locator("#found button:visible").count() > 1, "a search shows nothing")
    page.click("#places [data-do=explore]")
    return "keys alone: completion, pasted lines, chip, step, search"


def check_tools(driver: PageDriver) -> str:
    """A tool takes the focus and keeps it, Escape closes it, and no action loses the focus."""
    page = driver.page
    page.evaluate(_SHOW, _STATES[0])
    page.wait_for_timeout(200)
    for name, field in (("explain", "#field-explain"), ("check", "#field-check")):
        page.click(f"#tools [data-do={name}]")
        driver.settle()
        require_focus(page, field, f"after {name} is opened")
    page.click("#tools [data-do=explain]")
    driver.settle()
    page.keyboard.type("0x1")
    page.keyboard.press("Enter")
    driver.settle()
    require(page.query_selector("#panel .report"), "nothing is explained")
    require_focus(page, "#field-explain", "after an explanation")
    inner = page.evaluate(
        "[...document.querySelectorAll('.report, .report pre')].filter(x => "
        "x.scrollHeight > x.clientHeight + 1 || x.scrollWidth > x.clientWidth + 1).length"
    )
    require(not inner, "a part of the explanation is out of sight in its box")
    page.keyboard.press("Escape")
    driver.settle()
    require_focus(page, "#tools [data-do=explain]", "after Escape")
    require(not page.inner_text("#panel"), "Escape leaves the tool open")
    page.click("#more [data-do=gallery]")
    driver.settle()
    page.wait_for_timeout(100)
    require_focus(page, "#places [data-do=gallery]", "in the gallery")
    page.click("#gallery .cards a >> nth=5")
    driver.wait_for("document.body.dataset.layout === ''")
    page.wait_for_timeout(100)
    require_focus(page, "#picture", "after a card of the gallery")
    if page.viewport_size["width"] <= _NARROW:
        small = page.evaluate(
            "[...document.querySelectorAll('input, select, textarea')]"
            ".filter(x => parseFloat(getComputedStyle(x).fontSize) < 16).length"
        )
        require(not small, f"a phone zooms in on {small} fields")
    return "tools take and keep the focus, Escape closes them, nothing loses it"


def check_predicting(driver: PageDriver) -> str:
    """While a step is predicted, the last values that are drawn and the field are both in sight."""
    page, (width, height) = driver.page, (driver.page.viewport_size[x] for x in ("width", "height"))
    page.set_viewport_size({"width": width, "height": _SCREENS[width]})
    page.evaluate(
        _SHOW, "vadd4.s32.s32.s32.sat+d,+a,+b,+c&a=0x00007f01&b=0x00007f02&predict=1&step=3&v=1"
    )
    page.focus("#guesses input")
    for text in ("0", "0", "254", "3", "0", "0", "127", "3"):  # 127 + 127, clamped to 127
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        driver.settle()
        page.wait_for_timeout(100)
        seen = page.evaluate(_SEEN)
        require(seen["picture"] <= 1, f"{seen['picture']} px of the picture are not seen: {seen}")
        require(seen["field"], f"the field is out of sight: {seen}")
    page.click("[data-do='predict.another']")
    driver.settle()
    moved = page.evaluate("document.activeElement.matches('.guess input')")
    require(moved, "after Another one, no field has the focus")
    page.click("[data-do='predict']")
    driver.settle()
    page.set_viewport_size({"width": width, "height": height})
    return f"a step is predicted with its picture in sight on {width} px"


_SEEN: Final = """() => {
  const picture = document.getElementById("picture"), box = picture.getBoundingClientRect();
  const field = document.activeElement.getBoundingClientRect();
  const end = picture.lastElementChild.getBoundingClientRect().bottom;
  return {picture: Math.max(0, end - box.bottom, box.bottom - innerHeight),
    top: box.top, field: field.top >= 0 && field.bottom <= innerHeight};
}"""


def check_answering(driver: PageDriver) -> str:
    """Enter in a right answer moves to the next field, also of the next step."""
    page = driver.page
    page.evaluate(_SHOW, "vsub.s32.s32.s32.sat+d,+a.b0,+b.b1&a=0x80&b=0x0100&step=1&v=1")
    page.click("[data-do='predict']")
    driver.settle()
    # byte 0 of a is 0x80, byte 1 of b 0x01: -128 and 1; -128 - 1 is -129, within s32
    answers = ["-128", "1", "-129", "-129", "-129"]
    for number, text in enumerate(answers, 1):
        require_focus(page, ".guess input:not([readonly])", f"before answer {number}")
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        driver.settle()
    require_focus(page, "#steps [aria-current]", "after the last answer")
    page.evaluate(_SHOW, "vadd4&lesson=extension.8&v=1")
    driver.wait_for("document.querySelector('[data-do=lesson_reveal]')")
    page.focus("[data-do='lesson_reveal']")
    page.keyboard.press("Enter")
    driver.settle()
    require_focus(page, "[data-do='lesson_go'][data-delta='1']", "after the answer of a lesson")
    return "right answers move the focus on"


def main() -> None:
    """Check everything; print a line for each."""
    chromium, packages = sys.argv[1], Path(sys.argv[2])
    axe = (packages / "axe-core" / "axe.min.js").read_text("utf-8")
    checks: tuple[tuple[int, str, Callable[[PageDriver], str]], ...] = (
        (1280, "light", check_opening),
        (1280, "light", check_pictures),
        (1280, "light", check_lines),
        (1280, "light", check_blocks),
        (1280, "light", check_typing),
        (1280, "light", check_keyboard),
        (1280, "light", check_answering),
        (1280, "light", check_tools),
        (1280, "light", check_predicting),
        (1280, "light", check_copies),
        (1280, "light", check_theme),
        (1280, "light", check_hostile),
        (1280, "light", check_loading),
        (1280, "light", check_takeover),
        (1280, "light", check_offline),
        (1280, "light", check_columns),
        (1280, "light", check_lesson),
        (1280, "light", lambda x: check_accessibility(x, axe)),
        (_NARROW, "dark", check_takeover),
        (_NARROW, "dark", check_width),
        (_NARROW, "dark", check_tools),
        (_NARROW, "dark", check_predicting),
        (_NARROW, "dark", check_lesson),
        (_NARROW, "dark", check_frame),
        (_NARROW, "dark", lambda x: check_accessibility(x, axe)),
    )
    with serve_site(packages) as (url, folder), start_browser(chromium) as browser:
        drivers: dict[tuple[int, str], PageDriver] = {}
        for width, scheme, check in checks:
            if (width, scheme) not in drivers:
                drivers[width, scheme] = PageDriver(browser, url, width, scheme)
                if check is not check_opening:
                    drivers[width, scheme].open()
            driver = drivers[width, scheme]
            try:
                print(f"{width} px, {scheme}: {check(driver)}", flush=True)
            except CheckError as failure:
                sys.exit(f"{width} px, {scheme}: {failure}")
            complaints = [x for x in driver.complaints if not _is_expected(x)]
            if complaints:
                sys.exit(f"the browser complained: {complaints}")
        for driver in drivers.values():
            driver.close()
        try:
            print(check_opening_accessibility(browser, folder, axe), flush=True)
            print(check_live(browser, url, folder), flush=True)
            print(check_runtime(browser, url, folder, packages), flush=True)
        except (CheckError, TimeoutError) as failure:
            sys.exit(str(failure))


def _is_expected(complaint: str) -> bool:
    return "net::ERR_INTERNET_DISCONNECTED" in complaint


if __name__ == "__main__":
    main()
