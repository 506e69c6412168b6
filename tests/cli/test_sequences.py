"""Sequences that compute an intrinsic, as the explorer's listing shows them."""

from __future__ import annotations

from ptxscope.state.open_listing import open_listing
from tools.nvcc_intrinsics import map_kernels, read_stored_ptx


def test_the_listing_of_the_explorer_folds_sequences() -> None:
    name = "__vaddss4"
    place = open_listing(map_kernels(read_stored_ptx("sm_90"))[name], "k.ptx")
    assert place
    rows = [row for row in place.rows if row.sequence]
    assert {row.sequence for row in rows} == {(0, 0)}
    assert [row.call for row in rows if row.call] == [
        "__vaddss4(%r3, %r5) → %r18  lines 19–24, 26, 28, 30, 32–38"
    ]
    assert rows[-1].call
