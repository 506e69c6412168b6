"""The modules that only POSIX has are imported only where they exist. A process without them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.driving import command_lines
from tests.driving.feature_tables import extend_table
from tests.tiers import ci_only

_BLOCKED = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in ("termios", "tty", "fcntl", "pwd", "grp", "resource"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
assert not {"termios", "fcntl", "grp", "resource"} & {*sys.modules}
"""
# Python's `site` may have imported `pwd`, which no module of ours or Textual's names
_COMMANDS = """
import io, json
from ptxscope.cli import main
line = "vadd4.u32.u32.u32.sat d, a, b, c"
for words, given in json.load(sys.stdin):
    sys.stdin = io.TextIOWrapper(io.BytesIO(given.encode()))
    assert main(words) == 0, words
for words in (
    ("run", "kernel.ptx", "%1=1", "%2=2"), ("open", line),
    ("trace", line, "a=1", "b=2", "c=3", "-o", "figure.svg"),
):
    assert main(words) == (2 if words[0] == "open" else 0), words  # there is no terminal
"""
_PYTHON = """
import numpy as np, ptxscope
line = "vadd.u32.u32.u32.sat d, a, b"
assert ptxscope.trace(line, {"a": 1, "b": 2}).result == {"d": 3}
assert ptxscope.evaluate(line, {"a": np.uint32([1]), "b": np.uint32([2])})["d"].tolist() == [3]
"""
_EXPLORER = """
import asyncio
from ptxscope import parse
from ptxscope.app import lifecycle
from ptxscope.app.app import Explorer
from tests.driving import command_lines
from tests.driving.feature_tables import extend_table
from tests.tiers import ci_only
async def use():
    app = Explorer(parse("vadd.u32.u32.u32 d, a, b"), {"a": 1, "b": 2})
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("o", "9", "enter", "ctrl+z", "question_mark", "escape")
        await pilot.press("ctrl+p", "escape")
        await pilot.pause()
        assert app.state.session.trace.result == {"d": 11}
        await pilot.press("q")
asyncio.run(use())
"""


@pytest.mark.parametrize("code", [_COMMANDS, _PYTHON, _EXPLORER], ids=["cli", "python", "explorer"])
@ci_only
def test_commands_work_without_the_modules_of_posix(code: str, tmp_path: Path) -> None:
    lines = extend_table(command_lines.COMMAND_LINES, "command_lines", "COMMAND_LINES")
    inputs = extend_table(command_lines.INPUTS, "command_lines", "INPUTS")
    files = extend_table(command_lines.FILES, "command_lines", "FILES")
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "kernel.ptx").write_text("vadd.u32.u32.u32 %0, %1, %2;\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _BLOCKED + code],
        input=json.dumps([(lines[x], inputs.get(x, b"").decode()) for x in lines]),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "HOME": str(tmp_path),
            "TEXTUAL_DRIVER": "textual.drivers.headless_driver:HeadlessDriver",
        },
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
