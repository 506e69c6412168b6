"""What the README says is done, and what it shows is what is printed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ptxscope.engine.syntax.errors import INSTALL_COMMAND
from tests.driving.command_line import run
from tools.manual_shown import ELIDED, find_written_pages, read_page, renew_output

ROOT = Path(__file__).parent.parent
README = read_page(ROOT / "README.md")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


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
    done = run(*words)
    pattern = re.escape(shown).replace(re.escape(ELIDED), "(?s:.*)")
    assert re.fullmatch(pattern, done.stdout)
    if made is not None:
        assert made.stat().st_size
        assert not kept.exists() or made.read_bytes() == kept.read_bytes()


def test_every_output_in_the_readme_is_checked() -> None:
    assert not blocks("text")


def test_the_two_commands_are_tasks() -> None:
    (block,) = blocks("sh")
    tasks = re.findall(r"^python3 dev.py (\w+)", block, re.MULTILINE)
    assert tasks == ["explore", "test"]
    listing = subprocess.run(
        [sys.executable, "dev.py", "--help"], capture_output=True, text=True, check=False
    ).stderr
    assert all(f"dev.py {task}" in listing for task in tasks)


def test_the_readme_is_short_and_its_pictures_are_few() -> None:
    assert len(README.split()) <= 550
    assert 1 <= README.count("![") <= 3


def test_every_screenshot_is_shown_on_a_page() -> None:
    pages = (ROOT / "README.md", *find_written_pages())
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    for picture in (ROOT / "screenshots").iterdir():
        assert f"screenshots/{picture.name}" in text, picture.name


def test_a_stale_block_is_renewed_and_one_with_a_gap_is_not() -> None:
    command = "$ ptxscope eval 'add.u32 d, a, b' a=1 b=2"
    stale, elided = (f"```console\n{command}\n{x}```\n" for x in ("4\n", "4\n  ...\n"))
    renewed = renew_output(stale)
    assert "0x00000003" in renewed
    assert renew_output(elided) == elided


def test_every_page_installs_the_extras_as_the_messages_say() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    commands = {INSTALL_COMMAND.format(extra=extra) for extra in extras}
    # what Sphinx imports has to be in its environment, where pipx installs nothing
    commands |= {command.replace("pipx install --force", "pip install") for command in commands}
    commands |= {"pipx install .", "pip install ."}
    pages = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs").glob("*.md"),
    ]
    for path in (*pages, *(ROOT / "ptxscope").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        shown = re.findall(r"pipx? install [^`\n\"]*[^`\n\" ]", text)
        assert "ptxscope[" not in text or path.suffix == ".py", path
        for command in shown:
            command = re.sub(r"\s+#.*", "", command)
            assert command in commands or command in INSTALL_COMMAND, (path, command)
