"""The pages of the manual: their places and their subjects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .page_text import make_anchor


class ManualPlace(NamedTuple):
    """A page, and a heading in it."""

    page: str
    """The file name without its ending."""
    heading: str = ""
    """The anchor of the heading; empty for the beginning."""


FIRST_PAGE = ManualPlace("explorer")
PLACES: Mapping[str, ManualPlace] = {
    "LanesPane": ManualPlace("pictures", "the-marks"),
    "InstructionBrowser": ManualPlace("explorer", "edit"),
    "OperandTable": ManualPlace("explorer", "edit"),
    "ModifierTable": ManualPlace("explorer", "edit"),
    "ModifierRow": ManualPlace("explorer", "edit"),
    "ValueField": ManualPlace("explorer", "edit"),
    "PtxLine": ManualPlace("explorer", "edit"),
    "ListingPane": ManualPlace("explorer", "listings-and-the-rest"),
    "ExplainDialog": ManualPlace("explain"),
    "ExportDialog": ManualPlace("formats"),
}
"""The place about each widget and screen of the core, by the name of its class."""
PREDICTION = ManualPlace("practise", "in-the-explorer")
"""The place about the lanes during a prediction."""
_FEATURE = re.compile(r"\.features\.(\w+)\.")
_LABEL = re.compile(r"^<!-- feature: (.+) -->$", re.MULTILINE)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@cache
def find_folder() -> Path | None:
    """Return the folder of the pages: in the package, or in a checkout."""
    own = Path(__file__).parent
    folders = (own / "pages", own.parents[2] / "docs")
    return next((x for x in folders if (x / f"{FIRST_PAGE.page}.md").is_file()), None)


@cache
def list_pages() -> Mapping[str, str]:
    """Return the title of each page by its name, in the order of the index."""
    folder = find_folder()
    assert folder
    names = sorted(x.stem for x in folder.glob("*.md"))
    order = ["index", *re.findall(r"\]\((\w+)\.md", read_page("index"))]
    names.sort(key=lambda name: order.index(name) if name in order else len(order))
    titles = {name: _HEADING.search(read_page(name)) for name in names}
    return {name: title[1] for name, title in titles.items() if title}


@cache
def read_page(name: str) -> str:
    """Return the Markdown of a page."""
    folder = find_folder()
    assert folder
    return (folder / f"{name}.md").read_text(encoding="utf-8")


@cache
def find_feature(name: str) -> ManualPlace | None:
    """Return the place about a feature: a page that begins with its label, or a heading above."""
    inner = None
    for page in list_pages():
        text = read_page(page)
        for label in _LABEL.finditer(text):
            if name in label[1].split(", "):
                headings = _HEADING.findall(text, 0, label.start())
                if not headings:
                    return ManualPlace(page)
                anchor = make_anchor(headings[-1]) if len(headings) > 1 else ""
                inner = inner or ManualPlace(page, anchor)
    return inner


def find_place(classes: Iterable[type], *, is_predicting: bool) -> ManualPlace:
    """Return the place about the first class, of some widgets and screens, that has one."""
    for class_ in classes:
        feature = _FEATURE.search(f"{class_.__module__}.")
        place = find_feature(feature[1]) if feature else PLACES.get(class_.__name__)
        if place is not None:
            return PREDICTION if is_predicting and class_.__name__ == "LanesPane" else place
    return PREDICTION if is_predicting else FIRST_PAGE


def find_link(page: str, href: str) -> ManualPlace | None:
    """Return the place to which a link of a page leads, if that page is here."""
    name, _, heading = href.partition("#")
    name = name.removesuffix(".md") if name else page
    return ManualPlace(name, heading) if name in list_pages() else None
