"""Sequences that compute an intrinsic, as ``check`` notes them."""

from __future__ import annotations

from pathlib import Path

from tests.driving.command_line import run
from tests.features.sequences.test_sequences import ADD, kernel

TEXT = kernel(*ADD[:3], "vadd4.u32.u32.u32 %r20, %r21, %r22, %r23;", *ADD[3:])


def test_notes_of_many_functions_are_in_their_places(tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(TEXT.partition(".entry")[0] + (".entry" + TEXT.partition(".entry")[2]) * 9)
    places = [
        tuple(map(int, line.removeprefix(f"{path}:").split(":")[:2]))
        for line in run("check", "--ignore", "unwritten", str(path)).stdout.splitlines()
        if line.startswith(str(path))
    ]
    assert len(places) == 18
    assert places == sorted(places)
