"""Pictures read by an XML parser: what is drawn, where it is, and whether it covers anything."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise
from typing import NamedTuple

from ptxscope import Trace, export
from ptxscope.documents.options import DEFAULT, Options
from ptxscope.documents.svg.text_styles import measure_text

NS = "{http://www.w3.org/2000/svg}"


def drawn(shown: Trace, options: Options = DEFAULT) -> ET.Element:
    return ET.fromstring(export(shown, "svg", options))


def texts(tree: ET.Element) -> list[str]:
    return ["".join(found.itertext()) for found in tree.iter(f"{NS}text")]


def group(tree: ET.Element, css: str) -> ET.Element:
    return next(x for x in tree.iter(f"{NS}g") if css in x.get("class", "").split())


def steps(tree: ET.Element) -> list[str]:
    """The stages that are drawn, in order."""
    found = (x.get("class", "").split() for x in tree.iter(f"{NS}g"))
    return [css[1].removeprefix("px-") for css in found if css[0] == "px-step"]


class Box(NamedTuple):
    text: str
    left: float
    right: float
    top: float
    bottom: float
    size: float


def boxes(tree: ET.Element) -> list[Box]:
    found = []
    for x in tree.iter(f"{NS}text"):
        text, size = x.text or "", float(x.get("font-size", "0"))
        wide = measure_text(text, size, "px-mono" in x.get("class", ""))
        left = float(x.get("x", "0"))
        left -= {"middle": wide / 2, "end": wide}.get(x.get("text-anchor", ""), 0)
        y = float(x.get("y", "0"))
        found.append(Box(text, left, left + wide, y - size * 0.72, y + size * 0.05, size))
    return found


def measure_page(tree: ET.Element) -> tuple[float, float]:
    _, _, width, height = map(float, tree.get("viewBox", "").split())
    return width, height


def assert_no_overlap(tree: ET.Element) -> None:
    """Every text stands in the page, and none over another."""
    width, height = measure_page(tree)
    for box in boxes(tree):
        assert 0 <= box.left <= box.right <= width, box
        assert 0 <= box.top <= box.bottom <= height, box
    for x, y in combinations(boxes(tree), 2):
        is_beside = x.left >= y.right or y.left >= x.right
        assert is_beside or x.top >= y.bottom or y.top >= x.bottom, (x, y)


Dot = tuple[float, float]
_WORDS = re.compile(r"([MLCQ])([^MLCQZ]*)")


def along(d: str) -> list[Dot]:
    """Points on a path of lines and curves, close to each other."""
    found: list[Dot] = []
    for _, text in _WORDS.findall(d):
        numbers = [float(x) for x in re.findall(r"-?[\d.]+", text)]
        ends = list(zip(numbers[::2], numbers[1::2], strict=True))
        corners = [found[-1], *ends] if found else ends
        for at in range(41):
            points, t = corners, at / 40
            while len(points) > 1:  # de Casteljau
                points = [
                    (x + (x2 - x) * t, y + (y2 - y) * t) for (x, y), (x2, y2) in pairwise(points)
                ]
            found.append(points[0])
    return found


def wires(tree: ET.Element) -> list[list[Dot]]:
    """The lines between rows, without their heads."""
    paths = group(tree, "px-flows").iter(f"{NS}path")
    return [along(x.get("d", "")) for x in paths if x.get("fill") == "none"]


def hidden(tree: ET.Element) -> list[tuple[Dot, Dot]]:
    """Starts of lines that pass behind a box, and where."""
    _, _, page, _ = map(float, tree.get("viewBox", "").split())
    drawn_over = [rect for x in tree.iter(f"{NS}g") if x.get("class") != "px-flows"
                  for rect in x.iter(f"{NS}rect") if rect.get("class") != "px-f-page"]  # fmt: skip
    rects = [
        (float(x.get("x", "0")), float(x.get("y", "0")), float(x.get("width", "0")),
         float(x.get("height", "0"))) for x in drawn_over
    ]  # fmt: skip
    return [
        (line[0], (x, y))
        for line in wires(tree)
        for x, y in line
        for left, top, wide, high in rects
        if left + 1 < x < left + wide - 1 and top + 1 < y < top + high - 1 and wide < page - 60
    ]


_FRAME = re.compile(r"M([\d.]+) ([\d.]+)L([\d.]+) \2L\3 ([\d.]+)L\1 \4Z")


def crossed(tree: ET.Element) -> list[str]:
    """Texts that a line of a frame around a value crosses."""
    found = []
    for path in tree.iter(f"{NS}path"):
        if frame := _FRAME.fullmatch(path.get("d", "")):
            left, top, right, bottom = map(float, frame.groups())
            for box in boxes(tree):
                is_in_reach = box.left < right and box.right > left
                is_in_reach &= box.top < bottom and box.bottom > top
                is_inside = left <= box.left and box.right <= right
                is_inside &= top <= box.top and box.bottom <= bottom
                found += [box.text] * (is_in_reach and not is_inside)
    return found


_BRIGHT = re.compile("px-f-([abc][0-3]?-chip|sign|exponent|fraction)")


def unreadable(tree: ET.Element) -> list[str]:
    """Letters in the colour for bright grounds, over none: in a dark picture they are invisible."""
    grounds = [
        (float(x.get("x", "0")), float(x.get("y", "0")), float(x.get("width", "0")),
         float(x.get("height", "0")))
        for x in tree.iter(f"{NS}rect") if _BRIGHT.match(x.get("class", ""))
    ]  # fmt: skip
    letters = (x for x in tree.iter(f"{NS}text") if "px-f-on" in x.get("class", "").split())
    places = ((x.text or "", float(x.get("x", "0")), float(x.get("y", "0"))) for x in letters)
    return [
        text
        for text, x, y in places
        if not any(
            left <= x <= left + wide and top <= y <= top + high for left, top, wide, high in grounds
        )
    ]


BOTH, COMPACT = Options(both=True), Options(compact=True)


_WHOLE = re.compile(r"of (t|-?\d+)(\[\d+:\d+\])?( ?: …?[0-9a-f]+( and …?[0-9a-f]+)? cut off)?")


def split(tree: ET.Element) -> list[str]:
    """What a merge cuts, where a line ends within a number, or a label leaves its box."""
    found = []
    for step in tree.iter(f"{NS}g"):
        if "px-merge" not in step.get("class", "").split():
            continue
        said: dict[str, list[str]] = {}
        for x in step.iter(f"{NS}text"):
            if float(x.get("font-size", "0")) <= 10.5 and x.get("text-anchor") == "middle":
                said.setdefault(x.get("x", ""), []).append(x.text or "")
        lines = (" ".join(x) for x in said.values())
        found += [x for x in lines if x.startswith("of ") and not _WHOLE.fullmatch(x)]
    return found


def assert_drawn_well(shown: Trace, options: Options = BOTH) -> None:
    """Nothing covers another, nothing leaves the page, nothing is cut or hidden or tiny."""
    assert_tree_drawn_well(drawn(shown, options), shown)


def assert_tree_drawn_well(tree: ET.Element, shown: Trace) -> None:
    """The same of any picture."""
    assert_no_overlap(tree)
    assert not hidden(tree), shown.instruction
    assert not split(tree), shown.instruction
    assert not crossed(tree), shown.instruction
    assert not unreadable(tree), shown.instruction
    for box in boxes(tree):
        assert not box.text.endswith("…"), (shown.instruction, box)
        assert box.size >= 9, (shown.instruction, box)
