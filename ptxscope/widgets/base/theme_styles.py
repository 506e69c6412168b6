"""The styles of text: the roles of colours, the fills of cells, and both in each theme.

Widgets use names of styles, never colours; ``ThemeStyles.resolve_style`` turns one or several names
into a Rich style. Each role in ``COLOUR_ROLES`` has only one meaning. Every role also has a sign,
so that colour is never the only difference. In themes of full colours, hues move towards black or
white until they are readable on every ground of the panes. Themes of ANSI colours use a table: the
terminal's colours are unknown, so pairs are far apart in the usual palettes.

Later styles win, but a chip keeps its colours under all styles but the cursor and the shade.
Underlines and slants show that it is an origin or a destination of bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from rich.color import Color, ColorSystem, blend_rgb
from rich.color_triplet import ColorTriplet
from rich.style import Style
from textual.app import App
from textual.theme import Theme

from .contrast import BLACK, WHITE, compute_luminance, make_readable, parse_colour

HIGH_CONTRAST = Theme(
    name="ptxscope-high-contrast",
    primary="#7cc4ff",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#121212",
    dark=True,
    variables={"input-selection-background": "#005f87"},
)
"""The explorer's theme with more contrast."""

RATIO = 4.5
"""Minimum contrast of text on its ground: AA of WCAG 2."""
HIGH_RATIO = 7.0
"""Minimum contrast in the theme of high contrast: AAA."""
RULE_RATIO = 2.0
"""Minimum contrast of the rules between panes."""
_RULE = "border-blurred"
"""The theme variable for rules."""


class _Ink(NamedTuple):
    """The colour of text."""

    dark: str = ""
    """A hue for dark themes; "" is the foreground."""
    light: str = ""
    ansi: tuple[str, str] = ("default", "default")
    """ANSI colours on dark and on light terminals."""
    attributes: str = ""


class ColourRole(NamedTuple):
    """The unique meaning of a colour of text."""

    name: str
    """The name of its style."""
    signs: tuple[str, ...]
    """Signs with the same meaning; the legend shows the first."""
    meaning: str
    ink: _Ink


_SURPRISE = _Ink("#ff8fa3", "#a00f36", ("bright_red", "red"), "bold")
_QUIET = _Ink("#a2acba", "#444c58", ("white", "default"))
COLOUR_ROLES = (
    ColourRole(
        "focus",
        ("▸", "━", "┃"),
        "the current place, keys, and the next step",
        _Ink("#ffc53d", "#6b4500", ("bright_yellow", "default"), "bold"),
    ),
    ColourRole(
        "surprise",
        ("▲", "▼", "↻", "□", "≈", "✗"),
        "clamped, wrapped, kept, from elsewhere, not a number, changed by an erratum, or wrong",
        _SURPRISE,
    ),
    ColourRole(
        "pin",
        ("≠",),
        "another value than the pinned one",
        _Ink("#5fd4de", "#064f5a", ("bright_cyan", "default"), "underline"),
    ),
    ColourRole(
        "right",
        ("✓", "■"),
        "right, true, agreed, or in the mask",
        _Ink("#7ee0a8", "#0a5334", ("bright_green", "default")),
    ),
    ColourRole(
        "number",
        (),
        "a number that was read from bits",
        _Ink("#7cc4ff", "#084a8c", ("cyan", "blue")),
    ),
    ColourRole("quiet", (), "labels, and parts not reached yet", _QUIET),
)
"""The roles of colours with their meanings, for widgets and for the legend."""


class _Chip(NamedTuple):
    """A filled cell: its ground under dark text on dark themes, under light text on light ones."""

    dark: str
    light: str
    ansi: tuple[str, str]
    """Text and ground in 16 colours, on dark and on light terminals: ``text on ground``."""
    attributes: str = ""


_TEXTS = {
    **{role.name: role.ink for role in COLOUR_ROLES},
    "strong": _Ink(attributes="bold"),
    "lost": _SURPRISE._replace(attributes="strike"),
    "off": _QUIET._replace(attributes="strike"),
    "data-a": _Ink("#58a6ff", "#0550ae", ("cyan", "blue")),
    "data-b": _Ink("#56d364", "#116329", ("green", "default")),
    **dict.fromkeys(
        ("data-c", "wire-c"), _Ink("#bc8cff", "#6639ba", ("bright_magenta", "magenta"))
    ),
    **dict.fromkeys(("data-t", "data-d", "wire-t", "wire-d"), _Ink()),
}
_SHADES = {
    "a": ("#79c0ff #58a6ff #388bfd #1f6feb", "#0a3069 #0a4a9e #0a61cc #2474dc"),
    "b": ("#7ee787 #56d364 #3fb950 #2ea043", "#044f1e #0b6428 #137a34 #1a833d"),
}
"""The colours of bytes 3 to 0 on dark and on light themes."""
_ANSI = {"a": "bright_white on {}blue", "b": "black on {}green"}
_CHIPS = {
    **{
        f"chip-{operand}{byte}": _Chip(dark, light, (ansi, ansi))
        for operand, shades in _SHADES.items()
        for byte, dark, light in zip("3210", *map(str.split, shades), strict=True)
        for ansi in (_ANSI[operand].format("" if byte in "31" else "bright_"),)
    },
    "chip-c": _Chip("#bc8cff", "#6639ba", ("bright_white on magenta", "bright_white on magenta")),
    "chip-d": _Chip(
        "#f0f6fc", "#1f2328", ("black on bright_white", "bright_white on black"), "bold"
    ),
    "chip-t": _Chip("#9ea7b3", "#57606a", ("black on white", "black on white")),
}
"""Half-words use the styles of bytes: h0 byte 1's, h1 byte 3's."""
_ANSI_WIRES = {"a": ("cyan", "bright_cyan", "blue"), "b": ("green", "bright_green", "default")}
"""Link colours in 16 colours: two alternating on dark terminals, one on light ones."""
_TEXTS |= {
    f"wire-{operand}{byte}": _Ink(chip.dark, chip.light, (ansi[byte % 2], ansi[2]))
    for operand, ansi in _ANSI_WIRES.items()
    for byte in range(4)
    for chip in (_CHIPS[f"chip-{operand}{byte}"],)
}

_HIGHLIGHTS = {
    "origin": (_Chip("#46515f", "#bac4d1", ("bright_white on blue",) * 2), "underline"),
    "reached": (_Chip("#6b4a00", "#f5d78e", ("black on bright_yellow",) * 2), "italic"),
}
"""The highlights of the cursor: upstream and downstream."""

_WIDGETS = {
    **{role.name: role.name for role in COLOUR_ROLES},
    "foreground": "strong",
    **dict.fromkeys(("accent", "text-accent"), "focus"),
    **dict.fromkeys(("text-warning", "text-error"), "surprise"),
    **dict.fromkeys(("text-primary", "text-secondary"), "number"),
    **dict.fromkeys(("text-muted", "text-disabled"), "quiet"),
    "text-success": "right",
}
"""Variables of style sheets, ptxscope's and Textual's, with the styles of their colours."""
_ROW = ("block-cursor-background", "block-cursor-blurred-background")
_ON_ROW = ("block-cursor-foreground", "block-cursor-blurred-foreground")
WIDGETS_CSS = """
ThemedModal > * { border-title-color: $focus; border-subtitle-color: $focus; }
Toast, Toast.-information, Toast.-warning, Toast.-error {
    border-left: outer $border-blurred; & .toast--title { color: $foreground; }
}
Input:ansi > .input--placeholder, Input:ansi > .input--suggestion { text-style: italic; }
"""
"""Rules that undim other parts of Textual's widgets."""
WITHOUT_COLOURS = {
    "block-cursor-text-style": "reverse",
    "block-cursor-blurred-text-style": "reverse",
    "input-cursor-text-style": "reverse",
}
"""Variables of Textual's own widgets that make cursors visible without colours."""

_EDGES = {f"edge-{name.removeprefix('chip-')}": name for name in _CHIPS}
"""The half cells at a chip's ends, in the colour of its ground: no text."""

OVERLAYS = (*_HIGHLIGHTS, "cursor", "shade")
"""Styles drawn over others."""
INKS = (*_TEXTS, *_CHIPS, *_EDGES, *OVERLAYS)
"""The names of all styles."""


class ThemeStyles:
    """The styles of a theme."""

    def __init__(
        self,
        theme: Theme,
        variables: Mapping[str, str] | None = None,
        system: ColorSystem = ColorSystem.TRUECOLOR,
    ) -> None:
        self._system = system
        self._is_dark, self._is_ansi = theme.dark, theme.ansi
        self._ratio = HIGH_RATIO if theme.name == HIGH_CONTRAST.name else RATIO
        if theme.ansi:
            variables = {}
        elif variables is None:
            variables = theme.to_color_system().generate() | theme.variables
        self._colours = {
            name: parse_colour(variables[name]) for name in _COLOUR_NAMES if name in variables
        }
        self._styles: dict[str, Style] = {}

    def resolve_style(self, names: str) -> Style:
        """Return a style by one or several names separated by blanks; "" is plain text."""
        style = self._styles.get(names)
        if style is None:
            style = self._styles[names] = self._make_style(names.split())
        return style

    @property
    def variables(self) -> dict[str, str]:
        """Return variables that make Textual's own widgets readable."""
        style_names = {
            name: self.resolve_style(style_name).color for name, style_name in _WIDGETS.items()
        }
        if self._is_ansi:
            ansi = {name: f"ansi_{color.name}" for name, color in style_names.items() if color}
            return ansi | {_RULE: "ansi_bright_black"}
        cursor = self._cursor
        style_names |= dict.fromkeys(_ROW, cursor.color)
        style_names |= dict.fromkeys(_ON_ROW, cursor.bgcolor)
        colours = {
            name: color.triplet.hex
            for name, color in style_names.items()
            if color and color.triplet
        }
        quiet = blend_rgb(self._foreground, self._colours["background"], 0.6)
        return colours | {
            _RULE: make_readable(quiet, self._grounds[:1], RULE_RATIO, self._system).hex
        }

    def _make_style(self, names: list[str]) -> Style:
        if names and names[0] in _EDGES:
            return self._make_chip_edge_style(_EDGES[names[0]], names[1:])
        style = self._base_style
        is_chip = False
        for name in names:
            if name == "cursor":
                style += self._cursor
            elif name == "shade":
                style = self._make_dim_style(style)
            elif is_chip and name not in _CHIPS:
                style += self._make_single_style(name).without_color
                if name in _HIGHLIGHTS and not self._is_ansi:
                    style += Style(bold=True)  # where bold brightens, black would turn grey
            else:
                style += self._make_single_style(name)
            is_chip = is_chip or name in _CHIPS
        return style

    def _make_single_style(self, name: str) -> Style:
        if name in _TEXTS:
            return self._make_text_style(_TEXTS[name])
        if name in _CHIPS:
            return self._make_chip_style(_CHIPS[name])
        chip, attribute = _HIGHLIGHTS[name]
        return self._make_filled_style(chip, self._foreground) + Style.parse(attribute)

    # --- styles from the tables ----------------------------------------------------------

    @cached_property
    def _grounds(self) -> list[ColorTriplet]:
        ground_colours = [self._colours[name] for name in _GROUNDS]
        return ground_colours + [
            blend_rgb(ground, self._foreground, _TINT) for ground in ground_colours[-2:]
        ]

    @cached_property
    def _foreground(self) -> ColorTriplet:
        return BLACK if self._is_ansi else self._colours["foreground"]

    @cached_property
    def _base_style(self) -> Style:
        if self._is_ansi:
            return Style()
        return _make_style(self._make_readable(self._foreground, self._grounds))

    @cached_property
    def _cursor(self) -> Style:
        if self._is_ansi:
            return Style(color="default", bgcolor="default", reverse=True)
        ground = self._make_readable(self._foreground, self._grounds)
        text = self._make_readable(self._colours["background"], [ground])
        return _make_style(ground, text) + Style(reverse=True)

    def _make_readable(self, hue: ColorTriplet, grounds: Iterable[ColorTriplet]) -> ColorTriplet:
        return make_readable(hue, grounds, self._ratio, self._system)

    def _make_text_style(self, ink: _Ink) -> Style:
        attributes = Style.parse(ink.attributes)
        if self._is_ansi:
            return Style(color=ink.ansi[not self._is_dark]) + attributes
        name = ink.dark if self._is_dark else ink.light
        hue = parse_colour(name) if name else self._foreground
        return _make_style(self._make_readable(hue, self._grounds)) + attributes

    def _make_chip_style(self, chip: _Chip) -> Style:
        return self._make_filled_style(chip, BLACK if self._is_dark else WHITE) + Style.parse(
            chip.attributes
        )

    def _make_chip_edge_style(self, chip: str, names: list[str]) -> Style:
        """Return the style of half a cell of a chip, also under the cursor."""
        if "cursor" in names:
            return self._base_style
        ground = self._make_style([chip, *names]).bgcolor
        return self._base_style if ground is None or ground.is_default else Style.from_color(ground)

    def _make_filled_style(self, chip: _Chip, text: ColorTriplet) -> Style:
        """Return a ground and text with enough contrast; the text changes only if necessary."""
        if self._is_ansi:
            return Style.parse(chip.ansi[not self._is_dark])
        hue = parse_colour(chip.dark if self._is_dark else chip.light)
        if self._ratio > RATIO:  # all by the same amount, so that bytes remain distinct
            hue = blend_rgb(
                hue, WHITE if compute_luminance(text) < compute_luminance(hue) else BLACK, 0.25
            )
        ground = self._make_readable(hue, [text])
        return _make_style(self._make_readable(text, [ground]), ground)

    def _make_dim_style(self, style: Style) -> Style:
        """Return a faint version of a style."""
        attributes = style.without_color + Style(bold=False, dim=False, reverse=False)
        if self._is_ansi:
            return (
                Style(color="white" if self._is_dark else "default", bgcolor="default") + attributes
            )
        away, grounds = self._colours["background"], self._grounds
        ground = None
        if style.bgcolor is not None and style.bgcolor.triplet is not None:
            ground = blend_rgb(style.bgcolor.triplet, away, 0.75)
            grounds = [ground]
        elif style.color is None or style.color.triplet is None:
            return style
        text = blend_rgb(self._foreground, away, 0.6)
        return _make_style(self._make_readable(text, grounds), ground) + attributes


_GROUNDS = ("background", "panel", "surface", "surface-lighten-1")
"""Grounds of text; the last two also under a focused input."""
_TINT = 0.05
"""The part of the foreground that Textual mixes into the ground of such an input."""
_COLOUR_NAMES = (*_GROUNDS, "foreground")
"""The theme variables that determine its styles."""


def _make_style(color: ColorTriplet, ground: ColorTriplet | None = None) -> Style:
    return Style.from_color(
        Color.from_triplet(color), None if ground is None else Color.from_triplet(ground)
    )


_PALETTES: dict[tuple[str, ColorSystem], tuple[Theme, ThemeStyles]] = {}


def get_theme_styles(app: App[Any], variables: Mapping[str, str] | None = None) -> ThemeStyles:
    """Return the styles of an app's theme; pass its variables if already computed."""
    theme = app.current_theme
    has_256 = app.console.color_system == "256"
    system = ColorSystem.EIGHT_BIT if has_256 else ColorSystem.TRUECOLOR
    key = theme.name, system
    cached_theme, palette = _PALETTES.get(key, (None, None))
    if palette is None or cached_theme is not theme:
        palette = ThemeStyles(theme, variables, system)
        _PALETTES[key] = theme, palette
    return palette
