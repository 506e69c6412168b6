"""How far an evaluation of a table is, on a terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ptxscope.features.tables import array_results
from tests.driving.progress import Screen, check_progress, terminal

__all__ = ["terminal"]
LINE = "vadd4.u32.u32.u32.sat d, a, b, c"


def csv(folder: Path) -> list[str]:
    rows = "".join(f"{x:#x},{x * 3:#x},7\n" for x in range(20_000))
    (folder / "x.csv").write_text(f"a,b,c\n{rows}")
    return ["eval", LINE, "--csv", str(folder / "x.csv")]


def arrays(folder: Path) -> list[str]:
    given = np.arange(5_000, dtype=np.uint32)
    np.savez(folder / "x.npz", a=given, b=given)
    return ["eval", LINE, "c=0", "--arrays", str(folder / "x.npz"), "-o", str(folder / "d.npy")]


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [(csv, {"evaluating"}), (arrays, {"reading", "evaluating", "writing"})],
)
def test_slow_evaluations_show_their_progress(
    request_: Callable[[Path], list[str]],
    wanted: set[str],
    terminal: Screen,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(array_results, "PIECE_SIZE", 1000)
    check_progress(request_(tmp_path), wanted, terminal, capsys, monkeypatch)
