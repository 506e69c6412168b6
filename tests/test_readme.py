"""What the README says is done, and what it shows is what is printed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ptxscope.learn.lesson import lesson
from tests.cli.running import run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_python_examples_run() -> None:
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), {})


_ELIDED = "  ...\n"
_ANSWERED = re.compile(r"^[a-z][a-z0-9, ]* = (.*)$", re.MULTILINE)


def typed(words: list[str], shown: str) -> str:
    """What somebody typed who saw this: answers, and Enter up to a lesson's first question."""
    enters = 0
    if words[0] == "lesson":
        enters = next(at for at, card in enumerate(lesson(words[1]).cards) if card.ask)
    asks = words[0] in ("lesson", "challenge")
    return "\n" * enters + "".join(f"{x}\n" for x in _ANSWERED.findall(shown) if asks)


@pytest.mark.parametrize("block", blocks("console"), ids=lambda x: " ".join(x.split()[2:4]))
def test_console_examples_print_what_is_shown(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    command, _, shown = block.partition("\n")
    words = shlex.split(command.removeprefix("$ ptxscope "))
    made = None
    for option in {"-o", "--frames"} & {*words}:
        at = words.index(option) + 1
        kept = ROOT / words[at]
        made = tmp_path / kept.name
        words[at] = str(made)
    done = run(*words, given=typed(words, shown))
    pattern = re.escape(shown).replace(re.escape(_ELIDED), "(?s:.*)")
    assert re.fullmatch(pattern, done.stdout)
    if made is not None:
        assert made.stat().st_size
        assert not kept.exists() or made.read_bytes() == kept.read_bytes()


def test_nothing_that_is_printed_is_shown_unchecked() -> None:
    assert not blocks("text")


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
