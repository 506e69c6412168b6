"""The panel of a page that checks a pasted listing."""

from __future__ import annotations

from ptxscope.features.check.page_panel import MAX_LISTING_CHARS, make_panel
from tests.driving.element_texts import text_of
from tests.driving.states import make_state


def test_a_pasted_listing_is_checked() -> None:
    assert "1 illegal" in text_of(make_panel(make_state(), "vadd4.s32.s32 d, a, b, c;"))


def test_an_overlong_listing_is_refused() -> None:
    told = text_of(make_panel(make_state(), "/" * (MAX_LISTING_CHARS + 1)))
    assert "error: more than 200,000 characters" in told


def test_a_check_begins_with_its_summary() -> None:
    text = "vadd4.s32.s32 d, a, b, c;\nvadd4.s32.s32.s32 d, a, b, c;"
    _, summary, report = make_panel(make_state(), text)
    assert text_of([summary]) == "2 instructions, 1 illegal, 0 that an erratum can change"
    assert "is missing its type of b" in text_of([report])
    assert "instructions, " not in text_of([report])


def test_the_panel_has_the_warnings_about_two_statements() -> None:
    shown = text_of(make_panel(make_state(), "neg.s16 t, a; cvt.s32.s16 d, t;"))
    assert "E19: with ptxas 11.8 to 13.2" in shown
    assert "combined with" in shown
