"""The bootstrap: what it says where a machine lacks something."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def _fresh(tmp_path: Path) -> Path:
    """A checkout's dev.py and locks, with no .venv."""
    shutil.copy(ROOT / "dev.py", tmp_path)
    shutil.copytree(ROOT / "locks", tmp_path / "locks")
    return tmp_path / "dev.py"


@pytest.mark.parametrize("task", ["explore", "test"])
def test_a_missing_venv_package_is_named(task: str, tmp_path: Path) -> None:
    dev = _fresh(tmp_path)
    (tmp_path / "ensurepip.py").write_text("raise ImportError('as Debian without python3-venv')")
    done = subprocess.run(
        [sys.executable, str(dev), task], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "python3-venv" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_an_unknown_task_names_those_there_are(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(_fresh(tmp_path)), "tset"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "explore, test, check" in done.stderr
