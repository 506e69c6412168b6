"""Builds of Sphinx, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def build(folder: Path, builder: str, *more: str) -> str:
    """Build ``folder`` into ``folder/out``; return the warnings."""
    arguments = ["-q", "-b", builder, *more, str(folder), str(folder / "out")]
    command = [sys.executable, "-m", "sphinx", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stderr
