"""A real browser, led over a pipe: pages of any width, dark or light, and what is seen of them."""

from __future__ import annotations

import base64
import io
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

import pytest
from PIL import Image

from tests.driving.inked import WIDTH, Grid, decoded, grid

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))),
    None,
)
Rgb = tuple[int, int, int]
# it reads commands from descriptor 3 and writes answers to 4
_START = """
import os, sys
from fcntl import F_DUPFD, fcntl
ends = [fcntl(int(end), F_DUPFD, 10) for end in sys.argv[1:3]]
for end, wanted in zip(ends, (3, 4)):
    os.dup2(end, wanted)
os.execv(sys.argv[3], sys.argv[3:])
"""

_READABLE = """
(() => {
  const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, a = 1] = parse(getComputedStyle(at).backgroundColor);
      if (a === 1) return [r, g, b];
      if (a) return [-1, -1, -1];  // no one colour
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("style, script, svg")) continue;
    if (element.closest("details:not([open]) > :not(summary)")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const {left, right, top, bottom} = range.getBoundingClientRect();
    const style = getComputedStyle(element);
    found.push({
      text: node.data.trim(), ink: parse(style.color).slice(0, 3), ground: ground(element),
      size: parseFloat(style.fontSize), left, right, top, bottom,
      hidden: !!element.closest(".px-from") && style.clipPath !== "none",
      boxed: !!element.closest(".px-scroll"),
    });
  }
  return found;
})()
"""
_DRAW = """async (sources, wide) => {
  const found = [];
  for (const source of sources) {
    const image = new Image();
    image.src = source;
    await image.decode();
    const high = Math.round(image.naturalHeight * wide / image.naturalWidth);
    const canvas = Object.assign(document.createElement("canvas"), {width: wide, height: high});
    canvas.getContext("2d").drawImage(image, 0, 0, wide, high);
    found.push(canvas.toDataURL());
  }
  return found;
}"""


class Words(NamedTuple):
    text: str
    ink: Rgb
    ground: Rgb
    size: float
    left: float
    right: float
    boxed: bool
    """Whether it stands in a box that scrolls."""


class Browser:
    """One page in a browser without a window."""

    def __init__(self, folder: Path) -> None:
        assert CHROMIUM
        self._folder = folder
        self._profile = tempfile.mkdtemp(dir=folder)
        to_read, self._out = os.pipe()
        self._in, to_write = os.pipe()
        command = [
            CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--remote-debugging-pipe", "--no-first-run", f"--user-data-dir={self._profile}",
            "--disable-dev-shm-usage", "--force-color-profile=srgb", "about:blank",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, str(to_read), str(to_write), *command],
            pass_fds=(to_read, to_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._said = 0
        self._session = ""
        targets = self._ask("Target.getTargets")["targetInfos"]
        page = next(x["targetId"] for x in targets if x["type"] == "page")
        attached = self._ask("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        self._ask("Page.enable")

    @classmethod
    @contextmanager
    def start(cls, folder: Path) -> Iterator[Self]:
        """A browser that ends with the block; skips the test without one."""
        if CHROMIUM is None:
            pytest.skip("there is no Chromium here")
        browser = cls(folder)
        try:
            yield browser
        finally:
            browser.close()

    def close(self) -> None:
        self._session = ""
        self._ask("Browser.close")
        os.close(self._out)
        os.close(self._in)
        self._process.wait(30)

    def open(
        self, html: str, width: int = 760, *, dark: bool = False, name: str = "page.html"
    ) -> None:
        """Show a page to a reader whose system is dark or light."""
        path = self._folder / name
        path.write_text(html, encoding="utf-8")
        self.visit(path, width, dark=dark)

    def visit(self, path: Path | str, width: int = 760, *, dark: bool = False) -> None:
        """Show a file, or an address."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._ask("Emulation.setEmulatedMedia", media="screen", features=[scheme])
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=1200,
                  deviceScaleFactor=1, mobile=False)  # fmt: skip
        self._ask("Page.navigate", url=path if isinstance(path, str) else path.as_uri())
        self._await("Page.loadEventFired")

    def ink_pictures(self, pictures: Sequence[tuple[str, str]]) -> list[Grid]:
        """What is inked of pictures, each with the fragment of its address."""
        sources = [
            f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}{fragment}"
            for svg, fragment in pictures
        ]
        self.open("<p>")
        # the browser sends an image as PNG, which is read as that of any renderer
        found = self.value(f"({_DRAW})({json.dumps(sources)}, {WIDTH})")
        return [grid(decoded(base64.b64decode(x.partition(",")[2]))) for x in found]

    def unfold(self) -> None:
        self.each("details", "x.open = true")

    def print(self) -> None:
        """Show the page as it is on paper, to a reader whose system is dark."""
        scheme = {"name": "prefers-color-scheme", "value": "dark"}
        self._ask("Emulation.setEmulatedMedia", media="print", features=[scheme])

    def make_pdf(self) -> bytes:
        """What a reader prints, on A4 with margins of 15 mm."""
        self.print()
        inches = dict.fromkeys(("marginTop", "marginBottom", "marginLeft", "marginRight"), 0.59)
        answer = self._ask("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, **inches)
        return base64.b64decode(answer["data"])

    def value(self, expression: str) -> Any:
        answer = self._ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def each(self, css: str, expression: str) -> list[Any]:
        """What an expression of ``x`` yields for each element that a selector selects."""
        found = self.value(f"[...document.querySelectorAll('{css}')].map(x => {expression})")
        assert isinstance(found, list)
        return found

    def press(self, key: str) -> None:
        codes = {"Tab": 9, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38,
                 "ArrowRight": 39, "ArrowDown": 40, "Escape": 27, " ": 32}  # fmt: skip
        said: dict[str, Any] = {"key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
        typed = {"text": key} if key == " " else {}
        self._ask("Input.dispatchKeyEvent", type="keyDown", **said, **typed)
        self._ask("Input.dispatchKeyEvent", type="keyUp", **said)

    def type(self, text: str) -> None:
        self._ask("Input.insertText", text=text)

    def point(self, x: float, y: float) -> None:
        self._ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def words(self) -> list[Words]:
        found = self.value(_READABLE)
        return [
            Words(x["text"], tuple(x["ink"]), tuple(x["ground"]), x["size"], x["left"],
                  x["right"], x["boxed"])
            for x in found if not x["hidden"]
        ]  # fmt: skip

    def pixel(self, x: float, y: float) -> Rgb:
        """The colour that is seen at a place of the page."""
        clip = {"x": round(x), "y": round(y), "width": 1, "height": 1, "scale": 1}
        shot = base64.b64decode(self._ask("Page.captureScreenshot", clip=clip)["data"])
        red, green, blue = Image.open(io.BytesIO(shot)).convert("RGB").tobytes()
        return red, green, blue

    def shoot(self, css: str) -> Image.Image:
        """The picture of the first visible element that a selector selects, in grey."""
        find = "getBoundingClientRect().toJSON()"
        box = next(x for x in self.each(css, f"x.checkVisibility() && x.{find}") if x)
        clip = {"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]}
        answer = self._ask(
            "Page.captureScreenshot", clip={**clip, "scale": 1}, captureBeyondViewport=True
        )
        return Image.open(io.BytesIO(base64.b64decode(answer["data"]))).convert("L")

    def _ask(self, method: str, **params: Any) -> Any:
        self._said += 1
        message: dict[str, Any] = {"id": self._said, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._said:
                assert "error" not in answer, (method, answer)
                return answer.get("result", {})

    def _await(self, event: str) -> None:
        while self._next().get("method") != event:
            pass

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            assert select.select([self._in], [], [], 60)[0], "the browser says nothing"
            read = os.read(self._in, 1 << 16)
            assert read, "the browser has ended"
            self._buffer += read
        message, _, self._buffer = self._buffer.partition(b"\0")
        decoded: dict[str, Any] = json.loads(message)
        return decoded
