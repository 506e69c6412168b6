"""What `check` reads once, from a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.driving.command_lines import ASM


@pytest.mark.skipif(os.name != "posix", reason="a pipe with a name")
def test_a_fifo_is_read_only_once(tmp_path: Path) -> None:
    # as of `check <(cuobjdump …)`: opening it again would find it empty
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = subprocess.Popen(["sh", "-c", 'printf %s "$1" > "$2"', "sh", ASM, str(fifo)])
    command = [sys.executable, "-m", "ptxscope", "check", str(fifo)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    writer.wait(30)
    assert done.stdout.startswith(f"{fifo}:1:6: ok: vadd.u32.u32.u32")
