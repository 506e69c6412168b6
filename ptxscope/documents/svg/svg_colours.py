"""Colours of a picture, and its style sheet: light, dark, or following the surrounding page.

Every colour occurs as a plain attribute, for readers without custom properties, and as a class that
a page or a dark theme may override.
"""

from __future__ import annotations

import re
from enum import StrEnum

from ..theme import Theme, format_declarations, format_rules

MONO = '"DejaVu Sans Mono", ui-monospace, Menlo, Consolas, monospace'
SANS = 'system-ui, "DejaVu Sans", "Segoe UI", Helvetica, Arial, sans-serif'
_USED_COLOUR = re.compile("px-[fs]-([a-z0-9-]+)")
_CLASSES = re.compile('class="([^"]*+)"')
_INKS = re.compile("px-([fs])-([a-z0-9-]+)")
_COLOUR = re.compile('(fill|stroke)="#[0-9a-f]{6}"')


class SvgColour(StrEnum):
    """The colours of a picture, by purpose."""

    PAGE = "page"
    INK = "ink"
    DIM = "dim"
    LINE = "line"
    SOFT = "soft"
    BAR = "bar"
    ON = "on"
    """Text on a chip."""
    A = "a"
    A3 = "a3"
    A2 = "a2"
    A1 = "a1"
    A0 = "a0"
    A3_CHIP = "a3-chip"
    A2_CHIP = "a2-chip"
    A1_CHIP = "a1-chip"
    A0_CHIP = "a0-chip"
    B = "b"
    B3 = "b3"
    B2 = "b2"
    B1 = "b1"
    B0 = "b0"
    B3_CHIP = "b3-chip"
    B2_CHIP = "b2-chip"
    B1_CHIP = "b1-chip"
    B0_CHIP = "b0-chip"
    C = "c"
    C_CHIP = "c-chip"
    TRUE = "true"
    TRUE_SOFT = "true-soft"
    MARK = "mark"
    """A surprise: clamped, wrapped, cut off, not a number, or by an erratum."""
    MARK_SOFT = "mark-soft"
    FOCUS = "focus"
    """The current place."""


PALETTE: dict[SvgColour, tuple[str, str]] = {
    SvgColour.PAGE: ("#ffffff", "#12161c"),
    SvgColour.INK: ("#1a2029", "#e6eaf0"),
    SvgColour.DIM: ("#596270", "#9ba6b4"),
    SvgColour.LINE: ("#c3cad4", "#3c4653"),
    SvgColour.SOFT: ("#f3f5f8", "#1b212a"),
    SvgColour.BAR: ("#9aa7b8", "#66758a"),
    SvgColour.ON: ("#10161f", "#0a0d12"),
    SvgColour.A: ("#0a56a3", "#7cbaff"),
    SvgColour.A3: ("#083b73", "#79c0ff"),
    SvgColour.A2: ("#0a56a3", "#58a6ff"),
    SvgColour.A1: ("#1f70c4", "#388bfd"),
    SvgColour.A0: ("#3b86d4", "#2f7bf0"),
    SvgColour.A3_CHIP: ("#8cc2ff", "#79c0ff"),
    SvgColour.A2_CHIP: ("#a8d2ff", "#58a6ff"),
    SvgColour.A1_CHIP: ("#c2e0ff", "#388bfd"),
    SvgColour.A0_CHIP: ("#dceeff", "#2f7bf0"),
    SvgColour.B: ("#0b6650", "#66d1b0"),
    SvgColour.B3: ("#08492f", "#7ee787"),
    SvgColour.B2: ("#0b6340", "#56d364"),
    SvgColour.B1: ("#1a7f45", "#3fb950"),
    SvgColour.B0: ("#35964f", "#2ea043"),
    SvgColour.B3_CHIP: ("#84dca0", "#7ee787"),
    SvgColour.B2_CHIP: ("#a3e8b8", "#56d364"),
    SvgColour.B1_CHIP: ("#c0f1ce", "#3fb950"),
    SvgColour.B0_CHIP: ("#dcf8e4", "#2ea043"),
    SvgColour.C: ("#663a9c", "#c6a8f5"),
    SvgColour.C_CHIP: ("#e2d2f8", "#bc8cff"),
    SvgColour.TRUE: ("#0b6650", "#66d1b0"),
    SvgColour.TRUE_SOFT: ("#dff3ec", "#11332b"),
    SvgColour.MARK: ("#b3123f", "#ff8fa3"),
    SvgColour.MARK_SOFT: ("#fdecf0", "#321820"),
    SvgColour.FOCUS: ("#8a5a00", "#ffc53d"),
}
"""Colour on a light page, and on a dark one."""

_LETTERS = (
    "font-style:normal;font-weight:400;font-variant:normal;letter-spacing:normal;"
    "word-spacing:normal;text-transform:none;text-shadow:none;"
    "writing-mode:horizontal-tb"
)


def make_style_sheet(svg: str, theme: Theme = Theme.AUTO) -> str:
    """Return the style sheet of the drawn elements, with the colours that they use.

    The custom properties are inside ``@supports``, which readers without support skip; so is the
    rule of the size, which some renderers take for an attribute. A picture in a page follows the
    page, a picture in a separate file the system. A style sheet applies to the whole surrounding
    page, so its colours apply only to pictures of one theme. It resets
    what the page sets for letters, as in the head of a table.
    """
    used_colours = set(_USED_COLOUR.findall(svg))
    inks = {str(colour): pair for colour, pair in PALETTE.items() if colour in used_colours}
    class_rules = "".join(
        f".px-f-{colour}{{fill:var(--px-{colour})}}.px-s-{colour}{{stroke:var(--px-{colour})}}"
        for colour in inks
    )
    standalone_rules, scope = "", f".px-svg.px-{theme}"
    if theme is Theme.AUTO:
        dark = format_declarations(inks, Theme.DARK)
        standalone_rules = (
            f"@media screen and (prefers-color-scheme:dark){{{scope}:root{{{dark}}}}}"
        )
    style = (
        f".px-svg{{font-family:{SANS}}}.px-svg .px-mono{{font-family:{MONO}}}"
        f"@supports (color:var(--px-ink)){{.px-svg{{max-width:100%;height:auto;{_LETTERS}}}"
        f"{format_rules(scope, inks, theme)}{standalone_rules}{class_rules}}}"
    )
    return f"<style>{style}</style>"


def apply_theme(elements: list[str], theme: Theme) -> list[str]:
    """Convert elements to the plain colours of a theme, for readers without style sheets."""
    return [_make_dark(element) for element in elements] if theme is Theme.DARK else elements


def _make_dark(element: str) -> str:
    css = _CLASSES.search(element)
    if not css:
        return element
    inks = dict(_INKS.findall(css[1]))

    def replace_colour(match: re.Match[str]) -> str:
        kind = match[1]
        return f'{kind}="{PALETTE[SvgColour(inks[kind[0]])][1]}"'

    return _COLOUR.sub(replace_colour, element)
