"""Colours: readable in both themes; HTML's also with each kind of cone missing."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import combinations, product

import pytest

from ptxscope.documents.svg.svg_colours import PALETTE
from ptxscope.documents.theme import HTML, MARKS, Theme, format_rules
from tests.driving.colours import EYES, contrast, lightness, linear, seen

THEMES = {Theme.LIGHT: 0, Theme.DARK: 1}
CSS = files("ptxscope.documents").joinpath("trace.css").read_text(encoding="utf-8")
TEXT = [("ink", "page"), ("dim", "page"), ("mark", "page"), ("ink", "soft"), ("tip-ink", "tip")]
GRAPHICS = [*product(("key", "focus"), ("page", "soft")), ("mark", "page")]
MEANT = ("ink", "dim", "key", "mark", "focus")
"""What is drawn in colours that mean something: text, asides, code, what happened, the focus."""
# Where lightness does not part two of them: what else does, and the rule that says so.
SHAPES = {
    frozenset(pair): rule
    for pair, rule in {
        # what happened is bold behind a triangle, asides are neither
        ("dim", "mark"): r".px-flag::before { content: ",
        # what happened is text, code has a bar
        ("key", "mark"): r".px-flag { color: var(--px-mark); font-style: normal; font-weight: 600",
        # the focus is a frame around what has it
        **dict.fromkeys(
            ((other, "focus") for other in ("ink", "dim", "key", "mark")),
            r".px-zones rect:is(:hover, :focus) { stroke-width: 4px; }",
        ),
        # no text is in the colour of bars and outlines
        ("dim", "key"): r"pre { background: var(--px-soft); border-left: 3px solid var(--px-key)",
        ("ink", "key"): r"outline: 2px solid var(--px-key)",
        ("ink", "mark"): r".px-flag { color: var(--px-mark); font-style: normal; font-weight: 600",
    }.items()
}


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("theme", THEMES)
def test_all_is_read_by_all_eyes(theme: Theme, eyes: str) -> None:
    def colour(name: str) -> tuple[float, float, float]:
        return seen(linear(HTML[name][THEMES[theme]]), EYES[eyes])

    for ink, ground in TEXT:
        assert contrast(colour(ink), colour(ground)) >= 4.5, (ink, ground)
    for ink, ground in GRAPHICS:
        assert contrast(colour(ink), colour(ground)) >= 3, (ink, ground)


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("theme", THEMES)
def test_colours_of_different_meaning_differ_in_lightness_or_shape(theme: Theme, eyes: str) -> None:
    for one, other in combinations(MEANT, 2):
        light, dark = (lightness(seen(linear(HTML[x][THEMES[theme]]), EYES[eyes]))
                       for x in (one, other))  # fmt: skip
        shape = SHAPES.get(frozenset((one, other)))
        assert abs(light - dark) >= 20 or (shape and shape in CSS), (one, other)


def test_every_colour_is_used_and_every_one_used_is_known() -> None:
    assert set(re.findall(r"var\(--px-([a-z-]+)\)", CSS)) == {*HTML, "scheme"}


def test_a_chosen_theme_follows_nothing() -> None:
    for theme, at in THEMES.items():
        said = format_rules(".x", HTML, theme)
        assert "@media" not in said
        assert "[" not in said
        assert set(re.findall("#[0-9a-f]{6}", said)) == {pair[at] for pair in HTML.values()}
    said = format_rules(".x", HTML)
    assert all(mark in said for marks in MARKS for mark in marks)


@pytest.mark.parametrize("theme", THEMES)
def test_words_of_pictures_have_enough_contrast_with_their_background(theme: Theme) -> None:
    """WCAG 2 asks for a contrast of 4.5 to 1, and for 3 to 1 of lines."""
    light = {str(ink): linear(colours[THEMES[theme]]) for ink, colours in PALETTE.items()}
    pairs = [(ink, f"{ink}-soft") for ink in ("true", "mark")]
    pairs += [("on", str(ink)) for ink in PALETTE if ink.endswith("-chip")]
    pairs += [*product(("ink", "dim", "a", "b", "c", "mark"), ("page", "soft"))]
    pairs += [("ink", "mark-soft"), ("dim", "mark-soft")]
    lines = [f"{role}{byte}" for role in "ab" for byte in range(4)]
    for ink, ground in (*pairs, *product(lines, ("page", "soft"))):
        asked = 3 if ink in lines else 4.5
        assert contrast(light[ink], light[ground]) >= asked, (ink, ground)
