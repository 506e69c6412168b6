"""What the README says is done, and what it shows is what is printed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_python_examples_run() -> None:
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), {})


def test_console_examples_print_what_is_shown(tmp_path: Path) -> None:
    for block in blocks("console"):
        command, _, shown = block.partition("\n")
        words = shlex.split(command.removeprefix("$ ptxscope "))
        if "-o" in words:
            at = words.index("-o") + 1
            kept, words[at] = ROOT / words[at], str(tmp_path / "written")
        done = subprocess.run(
            [sys.executable, "-m", "ptxscope", *words], capture_output=True, text=True, check=True
        )
        assert done.stdout == shown
        if "-o" in words:
            assert (tmp_path / "written").read_bytes() == kept.read_bytes()


def test_the_two_commands_are_tasks() -> None:
    (block,) = blocks("sh")
    tasks = re.findall(r"^python3 dev.py (\w+)", block, re.MULTILINE)
    assert tasks == ["explore", "test"]
    listing = subprocess.run(
        [sys.executable, "dev.py", "--help"], capture_output=True, text=True, check=False
    ).stderr
    assert all(f"dev.py {task}" in listing for task in tasks)


def test_pictures_exist() -> None:
    assert all((ROOT / path).exists() for path in re.findall(r"!\[[^]]*]\(([^)]+)\)", README))
