"""Light and dark: colours as custom properties that follow the page a document stands in.

A page says which of the two it is by a mark on one of its elements, or by ``color-scheme``. A page
that says neither is a light one, whatever its reader's system is: those that follow the system
declare it. Where a writer chose a theme, nothing is followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Theme(StrEnum):
    """What a document follows."""

    AUTO = "auto"
    LIGHT = "light"
    DARK = "dark"


THEMES = tuple(map(str, Theme))
Pair = tuple[str, str]
"""A colour on a light page, and on a dark one."""

MARKS: tuple[Pair, ...] = (
    ("[data-theme=light]", "[data-theme=dark]"),  # furo, pydata, Docusaurus
    ("[data-bs-theme=light]", "[data-bs-theme=dark]"),  # Bootstrap
    ("[data-md-color-scheme=default]", "[data-md-color-scheme=slate]"),  # MkDocs Material
    ("[data-jp-theme-light=true]", "[data-jp-theme-light=false]"),  # JupyterLab, nbconvert
    (".quarto-light", ".quarto-dark"),
    (".vscode-light", ".vscode-dark"),
    (".theme-light", ".theme-dark"),  # Obsidian
    ("html[theme=light]", "html[theme=dark]"),  # Colab
    ("html.light", "html.dark"),  # Tailwind, VitePress
)
"""Selectors of elements by which a page says that it is light, or dark."""

FOLLOWS_SYSTEM = "[data-theme=auto]"  # furo
"""Elements by which a page says that it is as its reader's system."""

HTML: dict[str, Pair] = {
    "page": ("#ffffff", "#12161c"),
    "ink": ("#1a2029", "#e6eaf0"),
    "dim": ("#596270", "#9ba6b4"),
    "line": ("#c3cad4", "#3c4653"),
    "soft": ("#f3f5f8", "#1b212a"),
    "key": ("#0a56a3", "#7cbaff"),
    "mark": ("#a03a00", "#ffb27d"),
    "tip": ("#1a2029", "#e6eaf0"),
    "tip-ink": ("#ffffff", "#12161c"),
}
"""The colours of an HTML document."""


def declarations(inks: Mapping[str, Pair], theme: Theme) -> str:
    """Custom properties for the inks of a light page, or a dark one; of whichever a page is."""
    return "".join(f"--px-{ink}:{_value(pair, theme)};" for ink, pair in inks.items())


def _value(pair: Pair, theme: Theme) -> str:
    light, dark = pair
    if theme is not Theme.AUTO:
        return dark if theme is Theme.DARK else light
    return f"light-dark({light},{dark})" if light.startswith("#") else "initial"


def rules(scope: str, inks: Mapping[str, Pair], theme: Theme = Theme.AUTO) -> str:
    """The rules that give ``--px-…`` their colours in what a selector picks.

    What is no colour has no value where the page's ``color-scheme`` decides. Paper is light,
    unless dark was chosen: a browser prints no backgrounds.
    """
    if theme is not Theme.AUTO:
        return f"{scope}{{{declarations(inks, theme)}}}"
    either, light, dark = (declarations(inks, x) for x in (Theme.AUTO, Theme.LIGHT, Theme.DARK))
    is_light, is_dark = (",".join(marks) for marks in zip(*MARKS, strict=True))
    return (
        f"{scope}{{{light}}}"
        f"@media screen{{@supports (color:light-dark(#000,#fff)){{{scope}{{{either}}}}}}}"
        f"@media screen and (prefers-color-scheme:dark){{{FOLLOWS_SYSTEM} {scope}{{{dark}}}}}"
        f":is({is_light}) {scope}{{{light}}}"
        f"@media screen{{:is({is_dark}) {scope}{{{dark}}}}}"
    )
