"""What Chromium draws, where it is: many pictures in one go."""

from __future__ import annotations

import base64
import html
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tests.export.browser import CHROMIUM
from tests.export.inked import CELL, DARK, WIDTH, Grid

_PAGE = """<!DOCTYPE html><pre id="out"></pre><script>
(async () => {
  const found = [];
  for (const [source, fragment] of SOURCES) {
    const image = new Image();
    image.src = "data:image/svg+xml;base64," + source + fragment;
    await image.decode();
    const wide = WIDTH, high = Math.round(image.naturalHeight * wide / image.naturalWidth);
    const canvas = Object.assign(document.createElement("canvas"), {width: wide, height: high});
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, wide, high);
    const data = context.getImageData(0, 0, wide, high).data;
    const rows = Math.ceil(high / CELL), columns = Math.ceil(wide / CELL);
    const cells = Array.from({length: rows}, () => Array(columns).fill(0));
    for (let y = 0; y < high; y++) for (let x = 0; x < wide; x++) {
      const at = 4 * (y * wide + x), alpha = data[at + 3] / 255;
      const bright = 0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2];
      if (bright * alpha + 255 * (1 - alpha) < DARK)
        cells[Math.floor(y / CELL)][Math.floor(x / CELL)] += 1 / (CELL * CELL);
    }
    found.push(cells);
  }
  document.getElementById("out").textContent = JSON.stringify(found);
})();
</script>"""


class Source(NamedTuple):
    """A picture, and what of it is drawn."""

    svg: str
    fragment: str = ""


def run(*words: str, folder: Path) -> str:
    """Start Chromium without a window; skips the test where there is none."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not here")
    return subprocess.run(
        [
            *(CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
            *("--force-device-scale-factor=1", f"--user-data-dir={folder / 'profile'}"),
            *words,
        ],
        capture_output=True,
        encoding="utf-8",
        timeout=180,
        check=True,
    ).stdout


def inked(sources: Sequence[Source], folder: Path, *, still: bool = True) -> list[Grid]:
    """What it inks of pictures in a page; where motion is welcome, as they begin."""
    data = [(base64.b64encode(x.svg.encode()).decode(), x.fragment) for x in sources]
    page = _PAGE.replace("SOURCES", json.dumps(data))
    for word, value in (("CELL", CELL), ("WIDTH", WIDTH), ("DARK", DARK)):
        page = re.sub(rf"\b{word}\b", str(value), page)
    (folder / "page.html").write_text(page, encoding="utf-8")
    motion = ["--force-prefers-reduced-motion"] * still
    words = ("--virtual-time-budget=60000", *motion, "--dump-dom", (folder / "page.html").as_uri())
    dom = run(*words, folder=folder)
    told = re.search(r'<pre id="out">(.*?)</pre>', dom, re.S)
    assert told, dom[:2000]
    assert told[1], dom[:2000]
    return [np.array(cells) for cells in json.loads(html.unescape(told[1]))]
