"""``export --update``, killed while it writes: each file is the old or the new one, whole."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.driving.command_line import run
from tests.driving.killed import PLACES, run_and_kill
from tests.tiers import ci_only, some

TRACE = (
    "<!-- ptxscope trace 'vadd4.u32.u32.u32 d, a, b, c' a={number} b=2 c=3 -f svg"
    " -o {number}.svg -->\n![]({number}.svg)\n<!-- /ptxscope -->\n"
)


def write_page(folder: Path, count: int) -> Path:
    """Write a page with figures of another kind, all of them by ptxscope."""
    path = folder / "page.md"
    path.write_text("".join(TRACE.format(number=number) for number in range(count)), "utf-8")
    return path


def require_whole(folder: Path, count: int) -> None:
    """Every figure is there or not, and the next run completes them."""
    old_page = (folder / "page.md").read_text("utf-8")
    for number in range(count):
        assert TRACE.format(number=number)[:80] in old_page
        figure = folder / f"{number}.svg"
        assert not figure.exists() or figure.read_bytes().rstrip().endswith(b"</svg>")
    done = run("export", "--update", str(folder / "page.md"))
    assert (done.returncode, done.stderr) == (0, "")
    assert run("export", "--check", str(folder / "page.md")).returncode == 0
    assert len([*folder.glob("*.svg")]) == count


@pytest.mark.parametrize("place", some(PLACES))
def test_a_run_that_is_killed_leaves_whole_figures(place: str, tmp_path: Path) -> None:
    write_page(tmp_path, 4)
    code = 'from ptxscope.cli import main; main(["export", "--update", "page.md"])'
    run_and_kill(code, place, count=3, folder=tmp_path)
    assert len([*tmp_path.glob("*.svg")]) == 2 + (place == "replaced")
    require_whole(tmp_path, 4)


@ci_only
@pytest.mark.parametrize(("name", "count"), [("SIGKILL", 100), ("SIGTERM", 40), ("SIGINT", 40)])
def test_a_signal_among_many_figures_leaves_whole_figures(
    name: str, count: int, tmp_path: Path
) -> None:
    path = write_page(tmp_path, count)
    words = [sys.executable, "-m", "ptxscope", "export", "--update", str(path)]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as process:
        while len([*tmp_path.glob("*.svg")]) < count // 3:
            assert process.poll() is None
            time.sleep(0.001)
        process.send_signal(getattr(signal, name))
        _, errors = process.communicate(timeout=60)
    assert errors == b""
    assert process.returncode == (130 if name == "SIGINT" else -getattr(signal, name))
    assert len([*tmp_path.glob("*.svg")]) < count
    require_whole(tmp_path, count)
