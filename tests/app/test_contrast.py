"""Every ink can be read on what it is drawn on, in every theme, and without colours."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.filter import Monochrome, NoColor
from textual.theme import BUILTIN_THEMES, Theme
from textual.widget import Widget
from textual.widgets._toast import ToastRack

import ptxscope
from ptxscope.app.app import Explorer
from ptxscope.widgets.base.ascii_glyphs import convert_to_ascii
from ptxscope.widgets.base.theme_styles import (
    COLOUR_ROLES,
    HIGH_CONTRAST,
    INKS,
    OVERLAYS,
    ColourRole,
    ThemeStyles,
    get_theme_styles,
)
from tests.driving.dialogs import ADDED_SCREENS
from tests.tiers import ci_only, sampled, some, whole

pytestmark = ci_only

THEMES = {**BUILTIN_THEMES, HIGH_CONTRAST.name: HIGH_CONTRAST}
FIRST = (HIGH_CONTRAST.name, "textual-light", "textual-dark", "nord")
FULL = sorted((name for name in THEMES if not THEMES[name].ansi), key=lambda x: x not in FIRST)
ANSI = [name for name, theme in THEMES.items() if theme.ansi]
OVERS = ("", *OVERLAYS, "focus")
Rgb = tuple[int, int, int]

# xterm(1), XTerm-col.ad, and the palette of the VGA's text modes
PALETTES: dict[str, list[str]] = {
    "xterm": [
        "000000", "cd0000", "00cd00", "cdcd00", "0000ee", "cd00cd", "00cdcd", "e5e5e5",
        "7f7f7f", "ff0000", "00ff00", "ffff00", "5c5cff", "ff00ff", "00ffff", "ffffff",
    ],
    "vga": [
        "000000", "aa0000", "00aa00", "aa5500", "0000aa", "aa00aa", "00aaaa", "aaaaaa",
        "555555", "ff5555", "55ff55", "ffff55", "5555ff", "ff55ff", "55ffff", "ffffff",
    ],
}  # fmt: skip


def luminance(color: Rgb) -> float:
    """Relative luminance of WCAG 2.2."""
    parts = [x / 255 for x in color]
    parts = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return sum(x * weight for x, weight in zip(parts, (0.2126, 0.7152, 0.0722), strict=True))


def ratio(one: Rgb, other: Rgb) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def hexed(text: str) -> Rgb:
    red, green, blue = bytes.fromhex(text.lstrip("#")[:6])
    return red, green, blue


def get_rgb(color: Color | None) -> Rgb:
    assert color is not None
    red, green, blue = color.get_truecolor()
    return red, green, blue


def needed(theme: Theme, names: str) -> float:
    if "shade" in names:
        return 3.0
    return 7.0 if theme is HIGH_CONTRAST else 4.5


def combinations() -> Iterator[str]:
    for ink, over in itertools.product(("", *INKS), OVERS):
        if not ink.startswith("edge-") and (ink not in OVERLAYS or not over):
            yield f"{ink} {over}".strip()


def test_the_contrast_of_black_and_white_is_21() -> None:
    assert ratio((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert ratio((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.005)  # of WCAG


def grounds(theme: Theme) -> dict[str, Rgb]:
    colors = theme.to_color_system().generate() | theme.variables
    return {name: hexed(colors[name]) for name in ("background", "surface", "panel")}


def find_poor(
    theme: Theme,
    read: Callable[[Style], Iterable[tuple[Rgb, Rgb]]],
    system: ColorSystem = ColorSystem.TRUECOLOR,
) -> list[object]:
    """The inks that are hard to read; ``read`` gives colours and grounds as a terminal has them."""
    palette, poor = ThemeStyles(theme, system=system), list[object]()
    for names in combinations():
        style = palette.resolve_style(names)
        assert not style.dim, names
        for color, ground in read(style):
            if (contrast := ratio(color, ground)) < needed(theme, names):
                poor.append((names, ground, round(contrast, 2)))
    return poor


@whole
@pytest.mark.parametrize("system", [ColorSystem.TRUECOLOR, ColorSystem.EIGHT_BIT])
@pytest.mark.parametrize("name", some(FULL, 0, 1, 2, 3))
def test_inks_in_full_and_in_256_colours(name: str, system: ColorSystem) -> None:
    def convert(color: Color | None, ground: Rgb) -> Rgb:
        full = color or Color.from_rgb(*ground)
        return get_rgb(full.downgrade(system))

    def read(style: Style) -> Iterator[tuple[Rgb, Rgb]]:
        assert style.color is not None
        for ground in grounds(THEMES[name]).values():
            yield convert(style.color, ground), convert(style.bgcolor, ground)

    assert not find_poor(THEMES[name], read, system)


def test_terminals_of_256_and_of_full_colours_have_their_own_styles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable in ("", "truecolor", ""):
        monkeypatch.setenv("COLORTERM", variable)
        app, system = Explorer(), ColorSystem.TRUECOLOR if variable else ColorSystem.EIGHT_BIT
        expected = ThemeStyles(app.current_theme, system=system)
        for names in combinations():
            style = get_theme_styles(app).resolve_style(names)
            assert style == expected.resolve_style(names), names


@pytest.mark.parametrize("name", some(FULL, 0, 1, 2, 3))
def test_inks_in_greys(name: str) -> None:
    """What NO_COLOR makes of a theme of full colours."""
    page = Style(bgcolor=Color.from_rgb(*grounds(THEMES[name])["background"]))

    def read(style: Style) -> Iterator[tuple[Rgb, Rgb]]:
        segments = Monochrome().apply([Segment("x", page + style)], None)  # type: ignore[arg-type]
        ((_, grey, _),) = segments
        assert grey is not None
        yield get_rgb(grey.color), get_rgb(grey.bgcolor)

    assert not find_poor(THEMES[name], read)


def ansi_rgb(color: Color | None, default: int, palette: list[str]) -> Rgb:
    number = default if color is None or color.is_default else color.number
    assert number is not None
    return hexed(palette[number])


@pytest.mark.parametrize("colours", PALETTES)
@pytest.mark.parametrize("name", ANSI)
def test_inks_in_16_colours(name: str, colours: str) -> None:
    theme, palette = THEMES[name], PALETTES[colours]
    text, page = (7, 0) if theme.dark else (0, 15)

    def read(style: Style) -> Iterator[tuple[Rgb, Rgb]]:
        yield ansi_rgb(style.color, text, palette), ansi_rgb(style.bgcolor, page, palette)

    assert not find_poor(theme, read)


@pytest.mark.parametrize("name", THEMES)
def test_what_the_cursor_lights_and_some_inks_show_without_colours(name: str) -> None:
    palette = ThemeStyles(THEMES[name])
    for ink in ("", "chip-a3", "strong", "number"):
        bare = []
        for over in ("", "cursor", "origin", "reached"):
            segments = [Segment("x", palette.resolve_style(f"{ink} {over}".strip()))]
            ((_, style, _),) = NoColor().apply(segments, None)  # type: ignore[arg-type]
            bare.append(str(style))
        assert len(set(bare)) == len(bare), bare
    for ink in ("lost", "off"):
        assert palette.resolve_style(ink).strike
    assert palette.resolve_style("pin").underline
    for ink in ("strong", "focus", "surprise", "chip-d"):
        assert palette.resolve_style(ink).bold
    assert palette.resolve_style("chip-a3 cursor").reverse


@pytest.mark.parametrize("name", THEMES)
def test_bytes_beside_each_other_are_told_apart(name: str) -> None:
    """Chips of one operand differ from their neighbours', and operands from each other."""
    palette = ThemeStyles(THEMES[name])
    for operand in "ab":
        grounds = [palette.resolve_style(f"chip-{operand}{byte}").bgcolor for byte in range(4)]
        assert all(one != other for one, other in itertools.pairwise(grounds))
    each = [
        palette.resolve_style(f"chip-{operand}").bgcolor for operand in ("a3", "b3", "c", "d", "t")
    ]
    assert len(set(each)) == len(each)
    assert (
        palette.resolve_style("chip-a3 origin").bgcolor == palette.resolve_style("chip-a3").bgcolor
    )


MEASURED = {
    "focus": (8.6, 5.5),
    "surprise": (6.3, 5.2),
    "pin": (7.8, 6.0),
    "right": (8.5, 5.9),
    "number": (7.3, 5.7),
    "quiet": (5.9, 5.6),
}
"""The lowest contrasts of each role on dark and on light grounds, of `../shared/mocks/learn`."""


@pytest.mark.parametrize("role", COLOUR_ROLES, ids=lambda role: role.name)
def test_a_role_has_the_contrast_that_was_asked_for(role: ColourRole) -> None:
    dark = [hexed(x) for x in ("121212", "1e1e1e", "242f38")]
    light = [hexed(x) for x in ("e0e0e0", "d8d8d8", "d0d0d0")]
    for name, pages, least in zip(
        ("textual-dark", "textual-light"), (dark, light), MEASURED[role.name], strict=True
    ):
        color = get_rgb(ThemeStyles(THEMES[name]).resolve_style(role.name).color)
        assert min(ratio(color, page) for page in pages) == pytest.approx(least, abs=0.06)


@pytest.mark.parametrize("name", FULL)
def test_no_colour_has_two_meanings(name: str) -> None:
    """Roles differ from each other, and all but number and quiet from data's roles."""
    palette = ThemeStyles(THEMES[name])
    roles = {role.name: palette.resolve_style(role.name).color for role in COLOUR_ROLES}
    assert len(set(roles.values())) == len(roles)
    data = [
        color
        for ink in INKS
        if ink.startswith(("chip-", "wire-", "data-", "edge-"))
        for color in (palette.resolve_style(ink).color, palette.resolve_style(ink).bgcolor)
    ]
    for role in ("focus", "surprise", "pin", "right"):
        assert roles[role] not in data


@pytest.mark.parametrize("name", ANSI)
def test_roles_are_told_apart_in_16_colours(name: str) -> None:
    palette = ThemeStyles(THEMES[name])
    styles = [str(palette.resolve_style(role)) for role in ("", "focus", "surprise", "pin")]
    assert len(set(styles)) == len(styles)


def test_a_role_that_stands_out_has_a_sign() -> None:
    """No sign stands for two roles, in ASCII either."""
    signs = [sign for role in COLOUR_ROLES for sign in role.signs]
    assert [role.name for role in COLOUR_ROLES if not role.signs] == ["number", "quiet"]
    assert len(set(signs)) == len(signs)
    shown = [
        {convert_to_ascii((f"{sign}  ",))[0].strip() for sign in role.signs}
        for role in COLOUR_ROLES
    ]
    assert all(x.isascii() for ascii_signs in shown for x in ascii_signs)
    assert not any(one & other for one, other in itertools.combinations(shown, 2))


STYLED = {"StyledText": 1, "ShowHint": 1, "wrap_sentence": 2, "wrap_text": 2, "label_lines": 2}
"""Functions that take a style, and its position."""


def test_widgets_ask_for_styles_that_there_are() -> None:
    asked = {
        (path.name, word)
        for path in Path(ptxscope.__file__).parent.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        for argument in call.args[STYLED.get(call.func.id, 9) :][:1]
        for node in list_outcomes(argument)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for word in node.value.split()
    }
    assert len(asked) > 50
    assert not [one for one in asked if one[1] not in INKS]


def list_outcomes(node: ast.expr) -> list[ast.expr]:
    """What an expression may be, of those in its branches."""
    if isinstance(node, ast.IfExp):
        return [*list_outcomes(node.body), *list_outcomes(node.orelse)]
    return [node]


@sampled
@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("over", ["", "origin", "reached", "shade"])
def test_edges_have_the_colour_of_their_chips(name: str, over: str) -> None:
    palette = ThemeStyles(THEMES[name])
    for chip in (ink for ink in INKS if ink.startswith("chip-")):
        style = palette.resolve_style(f"edge-{chip.removeprefix('chip-')} {over}")
        ground = palette.resolve_style(f"{chip} {over}").bgcolor
        plain = palette.resolve_style("").color
        assert style.color == (plain if ground is None or ground.is_default else ground), chip
        assert style.bgcolor is None


def test_the_app_offers_all_themes() -> None:
    assert set(THEMES) <= set(Explorer().available_themes)


# --- the whole screen ---------------------------------------------------------------------

DIALOGS = (
    *("", "m", "i", "slash", "o", "l", "x", "e", "question_mark", "ctrl+p"),
    *(keys for keys, *_ in ADDED_SCREENS.values()),
)
"""Keys that focus, or open, everything there is."""


def is_text(text: str) -> bool:
    """Frames and scrollbars are none."""
    return any("!" <= x < "\u2500" or x >= "\u25a0" for x in text)


def drawn(app: Explorer) -> Iterator[Segment]:
    """What the screen, or the dialog over it, draws; what is under a dialog is veiled."""
    area = app.screen.region
    if len(app.screen_stack) > 1:
        inside = [x for x in app.screen.walk_children(Widget) if not isinstance(x, ToastRack)]
        area = max((x.region for x in inside), key=lambda region: region.area)
    strips = app.screen._compositor.render_strips()
    for strip in strips[area.y : area.bottom]:
        yield from strip.crop(area.x, area.right)


@sampled
@pytest.mark.parametrize("name", [*ANSI, *FULL][:8])
async def test_all_that_the_app_draws_can_be_read(name: str) -> None:
    app, theme = Explorer(), THEMES[name]
    text, page = (7, 0) if theme.dark else (0, 15)
    poor = set()

    def shown(color: Color | None, default: int) -> Rgb:
        if color is not None and color.triplet is not None:
            return get_rgb(color)
        return ansi_rgb(color, default, PALETTES["xterm"])

    async with app.run_test(size=(120, 40)) as pilot:
        app.theme = name
        app.notify("a toast", timeout=1000)
        for key in DIALOGS:
            await pilot.press("escape", *filter(None, [key]))
            await pilot.pause()
            for segment in drawn(app):
                style = segment.style
                if style is None or not is_text(segment.text):
                    continue
                assert not style.dim or not theme.ansi, segment
                found = ratio(shown(style.color, text), shown(style.bgcolor, page))
                if found < needed(theme, ""):
                    poor.add((key, segment.text[:30], round(found, 2), str(style)))
    assert not poor


async def test_panes_take_over_another_theme() -> None:
    """Both have the same grounds, so that nothing else says that inks are others."""
    app = Explorer()
    async with app.run_test(size=(80, 24)) as pilot:
        for name in ("ansi-dark", "ansi-light", "ansi-dark"):
            app.theme = name
            await pilot.pause()
            colors = {segment.style.color for segment in drawn(app) if segment.style}
            numbers = [
                palette.resolve_style("number").color
                for palette in map(ThemeStyles, THEMES.values())
            ]
            mine = ThemeStyles(THEMES[name]).resolve_style("number").color
            assert mine in colors
            inks = (*INKS, *(x.replace("chip", "edge") for x in INKS if x.startswith("chip")))
            own = {ThemeStyles(THEMES[name]).resolve_style(ink).color for ink in inks}
            assert not colors & {x for x in numbers if x and x.triplet is None} - own


@pytest.mark.parametrize("name", FULL)
def test_the_rules_between_panels_are_seen(name: str) -> None:
    theme = THEMES[name]
    rule = hexed(ThemeStyles(theme).variables["border-blurred"])
    ground = theme.to_color_system().generate()["background"]
    assert ratio(rule, hexed(ground)) >= 2
