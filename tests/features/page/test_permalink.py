"""Permalinks: they round-trip, are short and readable, and are data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope.features.page.permalink import (
    MAX_PERMALINK_CHARS,
    PageLink,
    format_permalink,
    parse_permalink,
)
from tests.features.page.permalinks import HOSTILE, draw_link

TEXTS = st.text(st.characters(blacklist_categories=("Cc", "Cs")), max_size=80)


def test_a_permalink_is_readable() -> None:
    link = PageLink("vadd4.s32.s32.s32.sat d, a, b, c", {"a": "0x80ff7f01"}, "ptxas", 3)
    fragment = "vadd4.s32.s32.s32.sat+d,+a,+b,+c&a=0x80ff7f01&model=ptxas&step=3&v=1"
    assert format_permalink(link) == fragment
    assert parse_permalink(fragment) == link


def test_a_permalink_without_a_version_is_of_the_first() -> None:
    assert parse_permalink("vadd4.s32&a=1") == PageLink("vadd4.s32", {"a": "1"})


@pytest.mark.parametrize("number", range(0, 400, 7))
def test_drawn_permalinks_round_trip(number: int) -> None:
    link, _ = draw_link(number)
    assert parse_permalink(format_permalink(link)) == link


@given(TEXTS, TEXTS, st.integers(0, 999))
def test_any_text_round_trips(line: str, text: str, step: int) -> None:
    link = PageLink(line, {"a": text}, step=step, tool="explain", text=text)
    fragment = format_permalink(link)
    assert len(fragment) <= MAX_PERMALINK_CHARS
    assert fragment.isascii()
    if fragment:
        assert parse_permalink(fragment) == link


def test_the_name_of_a_tool_may_be_any_word() -> None:
    """A page that lacks it opens the rest."""
    assert parse_permalink("x&unknown=1") == PageLink("x", tool="unknown", text="1")


def test_an_overlong_line_has_no_permalink() -> None:
    assert format_permalink(PageLink("x" * MAX_PERMALINK_CHARS)) == ""


@pytest.mark.parametrize("fragment", HOSTILE)
def test_hostile_permalinks_are_data_or_refused(fragment: str) -> None:
    try:
        link = parse_permalink(fragment)
    except ValueError as error:
        assert str(error)
    else:
        assert 0 <= link.step <= 999


def test_at_least_forty_hostile_permalinks_are_tested() -> None:
    assert len({*HOSTILE}) >= 40


@pytest.mark.parametrize(
    "fragment",
    ["x&step=-1", "x&step=1e9", "x&step=\u0661", "x&a=1&a=2", "x&v=2", "x&both=2", "x&Unknown=1",
     "x&a", "x&a=%00", "%FF", "x&lesson=1&explain=2", "a" * 2001],
)  # fmt: skip
def test_a_meaningless_permalink_is_refused(fragment: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_permalink(fragment)
