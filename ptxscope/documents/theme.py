"""Themes: colours as custom properties that follow the surrounding page.

A page declares its theme by a mark on one of its elements, or by ``color-scheme``. A page without a
declaration is light, whatever the system setting, because pages that follow the system declare it.
A theme chosen by the author is fixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Theme(StrEnum):
    """The theme of a document."""

    AUTO = "auto"
    LIGHT = "light"
    DARK = "dark"


THEMES = tuple(map(str, Theme))
Pair = tuple[str, str]
"""Colour on a light page, and on a dark one."""

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
"""Selectors of elements that declare a page light, and dark."""

FOLLOWS_SYSTEM = "[data-theme=auto]"  # furo
"""Selector of elements of pages that follow the system."""

HTML: dict[str, Pair] = {
    "page": ("#ffffff", "#12161c"),
    "ink": ("#1a2029", "#e6eaf0"),
    "dim": ("#596270", "#9ba6b4"),
    "line": ("#c3cad4", "#3c4653"),
    "soft": ("#f3f5f8", "#1b212a"),
    "key": ("#0a56a3", "#7cbaff"),
    "mark": ("#b3123f", "#ff8fa3"),
    "focus": ("#8a5a00", "#ffc53d"),
    "tip": ("#1a2029", "#e6eaf0"),
    "tip-ink": ("#ffffff", "#12161c"),
}
"""Colours of an HTML document."""


def format_declarations(colours: Mapping[str, Pair], theme: Theme) -> str:
    """Return the custom properties of colours: light, dark, or following the page."""
    return "".join(f"--px-{name}:{_format_colour(pair, theme)};" for name, pair in colours.items())


def _format_colour(pair: Pair, theme: Theme) -> str:
    light, dark = pair
    if theme is not Theme.AUTO:
        return dark if theme is Theme.DARK else light
    return f"light-dark({light},{dark})" if light.startswith("#") else "initial"


def format_rules(scope: str, colours: Mapping[str, Pair], theme: Theme = Theme.AUTO) -> str:
    """Return the rules that set the colours ``--px-…`` within a selector.

    Properties that are not colours stay unset under ``color-scheme``. Print is light unless the
    theme is dark, because browsers do not print backgrounds.
    """
    if theme is not Theme.AUTO:
        return f"{scope}{{{format_declarations(colours, theme)}}}"
    either, light, dark = (
        format_declarations(colours, theme) for theme in (Theme.AUTO, Theme.LIGHT, Theme.DARK)
    )
    is_light, is_dark = (",".join(marks) for marks in zip(*MARKS, strict=True))
    return (
        f"{scope}{{{light}}}"
        f"@media screen{{@supports (color:light-dark(#000,#fff)){{{scope}{{{either}}}}}}}"
        f"@media screen and (prefers-color-scheme:dark){{{FOLLOWS_SYSTEM} {scope}{{{dark}}}}}"
        f":is({is_light}) {scope}{{{light}}}"
        f"@media screen{{:is({is_dark}) {scope}{{{dark}}}}}"
    )
