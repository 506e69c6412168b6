"""A picture in a page: where the page is too narrow for its letters, it scrolls in its own box."""

from __future__ import annotations

import re
from math import ceil

from ..svg.text_fitting import LEAST

_WIDE = re.compile(r'viewBox="0 0 ([\d.]++)')
_SIZE = re.compile(r'font-size="([\d.]++)"')
_SCALE = re.compile(r"\) scale\(([\d.]++)\)")
BOX = "overflow-x:auto"
"""The style of what is around it."""


def compute_min_width(svg: str) -> int:
    """How wide a picture is drawn at least, in px, so that its smallest letters have 9."""
    wide = _WIDE.search(svg)
    scales = list(_SCALE.finditer(svg))
    start = scales[0].start() if scales else len(svg)  # what stands before is as it is
    least = min((float(x[1]) for x in scales), default=1.0)
    sizes = [float(x) for x in _SIZE.findall(svg, 0, start)]
    sizes += [float(x) * least for x in _SIZE.findall(svg, start)]
    smallest = min(sizes, default=LEAST)
    return ceil(float(wide[1]) * LEAST / smallest) if wide else 0


def add_min_width(svg: str) -> str:
    """A picture for a page: never narrower than it can be read, whatever is around it."""
    style = f"min-width:{compute_min_width(svg)}px"
    return svg.replace("<svg ", f'<svg style="{style}" ', 1)
