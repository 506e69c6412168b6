"""The listing of the explorer marks the errata that can change a line."""

from __future__ import annotations

import pytest

from ptxscope.state.open_listing import open_listing


@pytest.mark.parametrize(("c", "can_change"), [("%r3", True), ("0", False)])
def test_the_list_marks_the_errata_that_can_change_a_line(c: str, can_change: bool) -> None:
    """E11 extends the sign of c (SEMANTICS.md, section 4): that of a literal 0 changes nothing."""
    text = f"vmad.u32.u32.u32.sat %r4, %r1, %r2, {c};\nvmax.u32.u32.u32 %r5, %r4, %r1;"
    cursor = open_listing(text, "x.ptx")
    assert cursor
    assert ("E11" in cursor.rows[0].possible_errata) == can_change
