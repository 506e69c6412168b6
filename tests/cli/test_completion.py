"""Shell completion: what is offered, and that the shells accept the scripts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib import import_module

import pytest

from ptxscope.cli import main
from ptxscope.cli.commands.complete import _find_candidates
from ptxscope.cli.support.command_table import COMMANDS
from ptxscope.documents import FORMATS
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.syntax.completions import find_completions
from ptxscope.learn.lesson import list_files
from tests.cli.test_commands import ptxscope


def offered(*words: str) -> list[str]:
    return [word for word, _ in _find_candidates(list(words))]


def test_commands_options_and_values() -> None:
    assert offered("") == list(COMMANDS)
    assert offered("tr") == ["trace"]
    assert offered("trace", "--m") == ["--model"]
    assert offered("trace", "x", "--model", "p") == ["ptxas"]
    assert offered("show", "vavrg") == ["vavrg2", "vavrg4"]
    assert offered("errata", "E1") == ["E1", *(f"E1{digit}" for digit in range(9))]
    assert offered("trace", "vadd.u32.u32.u32 %r0, %r1, %r2", "") == ["%r1=", "%r2="]
    assert offered("trace", "vadd.u32.u32.u32 %r0, %r1, %r2", "%r1=5", "") == ["%r2="]


def test_instructions_grow_slot_by_slot() -> None:
    assert offered("trace", "vm") == [opcode for opcode in CATALOG if opcode.startswith("vm")]
    assert offered("trace", "vshl.u32.s32.") == [
        "vshl.u32.s32.u32",
        "vshl.u32.s32.sat",
        "vshl.u32.s32.clamp",
        "vshl.u32.s32.wrap",
        "vshl.u32.s32.add",
        "vshl.u32.s32.min",
        "vshl.u32.s32.max",
    ]
    assert [x.text for x in find_completions("vadd4.u32.u32.u32.sat.")] == []
    assert [x.text for x in find_completions("setp.lt.b")] == ["bf16x2", "bf16"]
    assert [x.text for x in find_completions("setp.eq.b16.")] == ["and", "or", "xor"]
    assert [x.text for x in find_completions("vadd.u32.u32.u32 d, a.h")] == ["h0", "h1"]
    assert [x.text for x in find_completions("vadd4.u32.u32.u32 d, a, b.")] == ["b7654"]
    assert find_completions("mov.u32 a, b") == ()


def test_every_completion_leads_on() -> None:
    for opcode in CATALOG:
        text = opcode + "."
        for _ in range(12):
            found = find_completions(text)
            if not found:
                break
            text = text[: found[0].start] + found[0].text + "."
        assert text.count(".") >= 2, text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shells_accept_their_scripts(shell: str) -> None:
    script = ptxscope("completion", shell).stdout
    assert "ptxscope complete" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_bash_completes() -> None:
    script = ptxscope("completion", "bash").stdout
    program = (
        f'ptxscope() {{ "{sys.executable}" -m ptxscope "$@"; }}\n{script}\n'
        "COMP_WORDS=(ptxscope show vav); COMP_CWORD=2; _ptxscope; echo ${COMPREPLY[@]}"
    )
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["vavrg2", "vavrg4"]


# --- every command and every option --------------------------------------------------------

_ADD = "vadd.u32.u32.u32 %r0, %r1, %r2"


def shown(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The help of a command, on lines so long that none is wrapped."""
    assert main([command, "--help"]) == 0
    return capsys.readouterr().out


def options_of(help_: str) -> dict[str, bool]:
    """Every option that a help names, and whether a value follows it."""
    found: dict[str, bool] = {}
    for line in re.findall(r"^  (-.*)$", help_, re.MULTILINE):
        written = re.split(r"  +", line)[0]
        names = re.findall(r"(?<!\S)--?[A-Za-z]+(?:-[a-z]+)*", written)
        takes = not {*re.split("[, ]+", written)} <= {*names}
        found.update(dict.fromkeys(names, takes))
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_every_command(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    help_ = shown(command, capsys)
    options = options_of(help_)
    assert {"-h", "--help"} <= options.keys()
    assert (
        set(re.findall(r"--[a-z]+(?:-[a-z]+)*", help_.partition("options:")[0])) <= options.keys()
    )
    assert offered(command, "-") == list(options)
    assert offered(command, "--") == [name for name in options if name.startswith("--")]
    described = dict(_find_candidates([command, "-"]))
    for name, takes in options.items():
        assert described[name]
        assert f"  {described[name]}\n" in help_
        assert offered(command, name) == [x for x in options if x.startswith(name)]
        # what comes after a flag is what came before it
        if not takes:
            assert offered(command, name, "") == offered(command, "")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_value_of_every_option(command: str) -> None:
    to = import_module(f"ptxscope.cli.commands.{command}").make_parser()
    first = offered(command, "")
    for name, action in to.options.items():
        if action.nargs == 0:
            continue
        values = offered(command, name, "")
        if action.choices:
            assert values == [str(x) for x in action.choices]
        else:
            models = ["isa", "ptxas"] if name.startswith("--model") else []
            opcodes = offered("show", "") if action.metavar == "OPCODE" else models
            assert values == {"--lesson": [*list_files()]}.get(name, opcodes)
        if name.startswith("--"):
            assert offered(command, f"{name}=") == [f"{name}={value}" for value in values]
        assert offered(command, name, "=") == values  # bash takes `=` for a word
        if action.nargs is None:
            assert offered(command, name, "any", "") == first
            assert offered(command, f"{name}=any", "") == first
            assert offered(command, name, "=", "any", "") == first


def test_the_formats_are_those_there_are() -> None:
    assert offered("trace", "-f", "") == list(FORMATS)
    assert offered("trace", "x", "--format", "m") == ["markdown"]
    assert offered("check", "x.ptx", "-f", "") == ["text", "json", "sarif"]


def test_values_stand_where_the_parser_takes_them() -> None:
    for command in ("open", "trace", "eval", "explain"):
        assert offered(command, _ADD, "") == ["%r1=", "%r2="]
    assert offered("explain", "--brief", "--got", "7", _ADD, "%r1=5", "") == ["%r2="]
    assert offered("trace", f"'{_ADD}'", "%r1", "=", "5", "") == ["%r2="]  # as bash splits it
    assert offered("run", "kernel.ptx", "") == []
    assert offered("show", "vadd", "") == []
    assert offered("export", "--update", "a.md", "--c") == ["--check"]
    assert offered("trace", _ADD, "--", "--m") == []
    errata = ["E1", *(f"E{number}" for number in range(10, 19))]
    assert offered("trace", _ADD, "--model", "E1") == errata


def test_an_instruction_in_place_of_a_command_is_opened() -> None:
    assert offered("s") == ["sweep", "show", *(x for x in CATALOG if x.startswith("s"))]
    assert "vadd4.u32" in offered("vadd4.u")
    assert offered(_ADD, "%r1=5", "") == ["%r2="]
    assert offered(_ADD, "--m") == ["--model"]
    assert offered("--v") == ["--version"]


def test_completing_stays_light() -> None:
    words = [[command, "x", "-"] for command in COMMANDS]
    program = (
        "import sys, json\n"
        "from ptxscope.cli import main\n"
        f"for words in {words!r}: main(['complete', *words])\n"
        "print(json.dumps([*{'textual', 'rich', 'numpy', 'sphinx'} & {*sys.modules}]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    *options, loaded = done.stdout.splitlines()
    assert len(options) > 3 * len(COMMANDS)
    assert json.loads(loaded) == []
