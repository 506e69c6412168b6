"""Shell completion: what is offered, and that bash completes by it."""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from unittest.mock import patch

import pytest
from argcomplete.completers import FilesCompleter
from argcomplete.finders import CompletionFinder

from ptxscope.cli.commands.completion import complete_line
from ptxscope.cli.support.arguments import find_command_module, map_commands
from ptxscope.documents import FORMATS
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.syntax.completions import find_completions
from ptxscope.feature import load
from tests.cli.test_commands import ptxscope
from tests.tiers import whole

FILE = "a file"


def described(*words: str) -> dict[str, str]:
    """The completions of the last word, as fish gets them, with their meanings."""
    *before, last = words
    line = " ".join(["ptxscope", *map(quote, before), last])
    variables = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_SHELL": "fish",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_DFS": "\t",
        "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    output = io.StringIO()
    with (
        patch.dict(os.environ, variables),
        patch.object(FilesCompleter, "__call__", lambda *_, **__: [FILE]),
        patch.object(CompletionFinder, "_init_debug_stream", lambda _: None),
    ):
        complete_line(output, lambda status: status)
    return dict(x.split("\t") for x in output.getvalue().splitlines())


def offered(*words: str) -> list[str]:
    return [*described(*words)]


def test_commands_options_and_values() -> None:
    assert offered("") == list(map_commands())
    assert offered("tr") == ["trace"]
    assert offered("trace", "--m") == ["--model"]
    assert offered("trace", "x", "--model", "p") == ["ptxas"]
    assert offered("show", "vavrg") == ["vavrg2", "vavrg4"]
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
    assert {x.text for x in find_completions("vavrg4.s32.u32.")} == {"s32", "u32", "sat", "add"}
    assert {x.text for x in find_completions("vavrg4.s32.u32.s32.")} == {"sat", "add"}
    assert [x.text for x in find_completions("vadd4.u32.u32.u32.sat.")] == []
    assert [x.text for x in find_completions("setp.lt.b")] == ["bf16x2", "bf16"]
    assert [x.text for x in find_completions("setp.eq.b16.")] == ["and", "or", "xor"]
    assert [x.text for x in find_completions("vadd.u32.u32.u32 d, a.h")] == ["h0", "h1"]
    assert [x.text for x in find_completions("vadd4.u32.u32.u32 d, a, b.")] == ["b7654"]
    assert find_completions("mov.u32 a, b") == ()


def test_every_completion_has_a_continuation() -> None:
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
    assert "_ARGCOMPLETE" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_bash_completes(tmp_path: Path) -> None:
    command = tmp_path / "ptxscope"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ptxscope "$@"\n')
    command.chmod(0o755)
    for line, words in (
        ("ptxscope show vav", ["vavrg2", "vavrg4"]),
        (f"ptxscope trace '{_ADD}' %r1=5 %r", ["%r2="]),
        ("ptxscope trace --model=p", ["ptxas"]),
        ("ptxscope trace 'vadd4.u32.u32.u32 d, a, b.", ["vadd4.u32.u32.u32 d, a, b.b7654"]),
    ):
        program = (
            f"PATH={quote(str(tmp_path))}:$PATH; {ptxscope('completion', 'bash').stdout}\n"
            f"COMP_LINE={quote(line)}; COMP_POINT=${{#COMP_LINE}}; compopt() {{ :; }}\n"
            "_python_argcomplete ptxscope; printf '%s\\n' \"${COMPREPLY[@]}\""
        )
        done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines() == words


def test_the_modules_have_the_marker_of_argcomplete() -> None:
    for name in ("ptxscope.cli", "ptxscope.__main__"):
        (origin,) = filter(None, [find_spec(name).origin])  # type: ignore[union-attr]
        assert "PYTHON_ARGCOMPLETE_OK" in Path(origin).read_text()[:1024]


# --- every command and every option --------------------------------------------------------

_ADD = "vadd.u32.u32.u32 %r0, %r1, %r2"


def options_of(help_: str) -> dict[str, bool]:
    """Every option that a help names, and whether a value follows it."""
    found: dict[str, bool] = {}
    for line in re.findall(r"^  (-.*)$", help_, re.MULTILINE):
        written = re.split(r"  +", line)[0]
        names = re.findall(r"(?<!\S)--?[A-Za-z]+(?:-[a-z]+)*", written)
        takes = not {*re.split("[, ]+", written)} <= {*names}
        found.update(dict.fromkeys(names, takes))
    return found


@pytest.mark.parametrize("command", map_commands())
@whole
def test_every_option_of_every_command(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "1000")  # none is wrapped
    help_ = ptxscope(command, "--help").stdout
    options = options_of(help_)
    assert {"-h", "--help"} <= options.keys()
    assert (
        set(re.findall(r"--[a-z]+(?:-[a-z]+)*", help_.partition("options:")[0])) <= options.keys()
    )
    assert offered(command, "-") == list(options)
    assert offered(command, "--") == [name for name in options if name.startswith("--")]
    meanings = described(command, "-")
    for name, takes in options.items():
        assert meanings[name]
        assert f"  {meanings[name]}\n" in help_
        assert offered(command, name) == [x for x in options if x.startswith(name)]
        # what comes after a flag is what came before it
        if not takes:
            assert offered(command, name, "") == offered(command, "")


@pytest.mark.parametrize("command", map_commands())
@whole
def test_every_value_of_every_option(command: str) -> None:
    to = load(find_command_module(command)).make_parser()
    first = offered(command, "")
    for name, action in to.options.items():
        if action.nargs in (0, argparse.REMAINDER):  # the words of another command
            continue
        values = offered(command, name, "")
        if action.choices:
            more = first if action.nargs == "?" else []
            assert values == [*map(str, action.choices), *more]
        else:
            models = ["isa", "ptxas"] if name.startswith("--model") else []
            opcodes = offered("show", "") if action.metavar == "OPCODE" else models
            files = [] if action.metavar in ("PART", "RESULT") else [FILE]
            files += [x for x in first if action.nargs == "?"]
            assert values == (opcodes or files)
        if name.startswith("--") and action.nargs != "?":
            assert offered(command, f"{name}=") == [f"{name}={value}" for value in values]
        if action.nargs is None:
            value = values[0] if action.choices else "1"
            assert offered(command, name, value, "") == first
            assert offered(command, f"{name}={value}", "") == first


def test_completion_offers_the_formats_of_each_command() -> None:
    assert offered("trace", "-f", "") == list(FORMATS)
    assert offered("trace", "x", "--format", "m") == ["markdown"]


def test_completion_offers_values_at_their_positions() -> None:
    for command in ("open", "trace", "eval", "explain"):
        assert offered(command, _ADD, "") == ["%r1=", "%r2="]
    assert offered("explain", "--brief", "--got", "7", _ADD, "%r1=5", "") == ["%r2="]
    assert offered("trace", _ADD, "--model", "isa", "") == ["%r1=", "%r2="]  # not before it alone
    assert offered("trace", _ADD, "%r1=5", "--model", "isa", "") == ["%r2="]
    assert offered("run", "kernel.ptx", "") == []
    assert offered("show", "vadd", "") == []
    errata = ["E1", *(f"E{number}" for number in range(10, 20))]
    assert offered("trace", _ADD, "--model", "E1") == errata


def test_completion_offers_instructions_as_the_first_word() -> None:
    commands = [x for x in map_commands() if x[0] == "s"]
    assert offered("s") == [*commands, *(x for x in CATALOG if x[0] == "s")]
    assert "vadd4.u32" in offered("vadd4.u")
    assert offered(_ADD, "%r1=5", "") == ["%r2="]
    assert offered(_ADD, "--m") == ["--model"]
    assert offered("--v") == ["--version"]


def test_completion_loads_no_heavy_packages() -> None:
    program = (
        "import os, sys\n"
        "from ptxscope.cli import main\n"
        "print('argcomplete' in sys.modules)\n"
        "os._exit = sys.exit\n"
        "os.environ |= {'_ARGCOMPLETE': '1', 'COMP_POINT': '18'}\n"
        "os.environ['COMP_LINE'] = 'ptxscope trace --m'\n"
        "os.environ['_ARGCOMPLETE_STDOUT_FILENAME'] = os.devnull\n"
        "try: main()\n"
        "except SystemExit as end: print(end.code)\n"
        "print({'textual', 'rich', 'numpy', 'sphinx'} & {*sys.modules})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "0", "set()"]
