"""The help of the commands: what its first screen has, its headings, and its wording."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest

from ptxscope.cli import main
from ptxscope.cli.support.arguments import Parser, find_command_module, map_commands
from ptxscope.feature import load
from tests.driving.command_line import run
from tests.driving.feature_tables import extend_table

ROOT = Path(__file__).resolve().parents[2]
SCREEN_LINES = 24
FIRST_SCREENS = {
    "open": ("PTX", "name=value", "--model", "--predict"),
    "trace": ("PTX", "name=value", "--model", "-f", "-o"),
    "eval": ("PTX", "name=value", "--model"),
    "explain": ("PTX", "name=value", "--got", "--observations", "--all"),
    "run": ("FILE", "name=value", "--kernel", "--model", "--break", "--watch", "--expect"),
    "show": ("OPCODE", "-f", "-o", "ptxscope show vabsdiff4"),
    "completion": ("bash", "zsh", "fish", "~/.bashrc"),
}
"""What the first screen of the help of each of the core's commands must have."""


def parser_of(command: str) -> Parser:
    parser: Parser = load(find_command_module(command)).make_parser()
    return parser


@pytest.mark.parametrize("command", map_commands())
def test_the_first_screen_of_help_has_the_main_parts(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = run(command, "--help")
    assert done.returncode == 0
    screen = "\n".join(done.stdout.splitlines()[:SCREEN_LINES])
    assert screen.startswith(f"usage: ptxscope {command} ")
    for text in extend_table(FIRST_SCREENS, "command_lines", "FIRST_SCREENS")[command]:
        assert text in screen


def test_the_first_screen_has_all_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("--help").stdout.splitlines()
    named = [
        command for command in map_commands() if any(x.split()[:1] == [command] for x in lines[:34])
    ]
    assert named == [*map_commands()]


def test_the_commands_stand_in_the_groups_of_the_manual() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    parts = [title.lower() for title in re.findall(r"^## (.+)$", index, re.MULTILINE)]
    shown = re.findall(r"^([a-z ]+):$", run("--help").stdout, re.MULTILINE)
    groups = shown[: shown.index("options")]
    assert groups == [part for part in parts if part in groups]
    assert {"learn", "debug", "look up"} <= {*groups}


def test_options_of_trace_are_grouped_under_headings() -> None:
    groups = {
        group.title: [action.option_strings[-1] for action in group._group_actions]
        for group in parser_of("trace")._action_groups[1:]
    }
    assert groups == {
        "options": ["--help", "--model", "--format", "--output"],
        "what to show": [
            *("--title", "--caption", "--note", "--both", "--steps", "--until", "--no-result"),
        ],
        "pictures": [
            *("--no-text", "--compact", "--layout", "--stepping", "--beside", "--scale", "--width"),
            "--frames",
        ],
        "output": [
            *("--standalone", "--theme", "--id", "--heading-level", "--no-footer"),
            "--alt",
        ],
        "blocks": ["--fold"],
    }


@pytest.mark.parametrize("command", map_commands())
def test_help_of_an_argument_is_a_phrase(command: str) -> None:
    parser = parser_of(command)
    for action in parser._actions:
        assert action.help
        assert not action.help.endswith(".")
        assert action.help.split()[0] not in ("what", "where", "whose", "how", "which")
    assert parser.description
    assert parser.description.endswith(".")
    assert parser.description[0].isupper()


def test_an_option_reads_the_same_in_every_command() -> None:
    several = {
        "--quiet": "the report in check, the registers in run",
        "--output": "arrays in eval, a folder in page",
        "--format": "the formats of the command",
        "--steps": "a limit in run",
        "--fold": "sequences in run",
        "--brief": "also what follows the explanations in explain",
        "--all": "explanations in explain, forms in verify",
        "--jobs": "files in check, processes in verify",
        "--model": "what is expected in verify",
        "--timeout": "of --explain in run",
    }
    texts: dict[str, set[str]] = {}
    for command in map_commands():
        for name, action in parser_of(command).options.items():
            if name.startswith("--"):
                texts.setdefault(name, set()).add(action.help or "")
    assert {name for name, found in texts.items() if len(found) > 1} <= {*several}
    assert texts["--output"] <= {
        "output file; - is standard output",
        "output file of --arrays: .npy or .npz",
        "folder of the web explorer's files",
    }
    assert all(text.startswith("output format") for text in texts["--format"])


@pytest.mark.parametrize("columns", [40, 60, 80])
@pytest.mark.parametrize("words", [(), ("trace",), ("open",)])
def test_the_prose_of_a_help_is_wrapped_between_words(
    words: tuple[str, ...],
    columns: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    with suppress(SystemExit):
        main([*words, "--help"])
    whole = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", str(columns))
    with suppress(SystemExit):
        main([*words, "--help"])
    shown = capsys.readouterr().out
    assert whole.split()[-20:] == shown.split()[-20:]
    assert all(len(line) <= columns for line in shown.splitlines()[1:] if line[:1] not in ("", " "))
