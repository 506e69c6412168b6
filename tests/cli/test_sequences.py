"""Sequences that compute an intrinsic, as the commands and the explorer's listing show them."""

from __future__ import annotations

from pathlib import Path

from ptxscope.state.open_listing import open_listing
from tests.driving.command_line import run
from tests.engine.test_sequences import ADD, kernel
from tools.nvcc_intrinsics import map_kernels, read_stored_ptx

TEXT = kernel(*ADD[:3], "vadd4.u32.u32.u32 %r20, %r21, %r22, %r23;", *ADD[3:])


def test_notes_of_many_functions_are_in_their_places(tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(TEXT.partition(".entry")[0] + (".entry" + TEXT.partition(".entry")[2]) * 9)
    places = [
        tuple(map(int, line.removeprefix(f"{path}:").split(":")[:2]))
        for line in run("check", str(path)).stdout.splitlines()
        if line.startswith(str(path))
    ]
    assert len(places) == 18
    assert places == sorted(places)


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
