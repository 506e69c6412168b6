"""Light and dark: colours as custom properties that follow the page a document stands in.

A page says by a mark on one of its elements which of the two it is. Where none does, a reader's
system decides; where a writer chose one, neither does.
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
)
"""Selectors of elements by which a page says that it is light, or dark."""

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
    """Custom properties for the inks of a light page, or of a dark one."""
    dark = theme is Theme.DARK
    return "".join(f"--px-{ink}:{pair[dark]};" for ink, pair in inks.items())


def rules(scope: str, inks: Mapping[str, Pair], theme: Theme = Theme.AUTO) -> str:
    """The rules that give ``--px-…`` their colours in what a selector picks.

    Paper is light, unless dark was chosen: a browser prints no backgrounds.
    """
    if theme is not Theme.AUTO:
        return f"{scope}{{{declarations(inks, theme)}}}"
    light, dark = (declarations(inks, x) for x in (Theme.LIGHT, Theme.DARK))
    is_light, is_dark = (",".join(marks) for marks in zip(*MARKS, strict=True))
    return (
        f"{scope}{{{light}}}"
        f"@media screen and (prefers-color-scheme:dark){{{scope}{{{dark}}}}}"
        f":is({is_light}) {scope}{{{light}}}"
        f"@media screen{{:is({is_dark}) {scope}{{{dark}}}}}"
    )
