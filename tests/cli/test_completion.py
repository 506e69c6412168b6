"""Shell completion: what is offered, and that the shells accept the scripts."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from ptxscope.cli import COMMANDS
from ptxscope.cli.complete import _candidates
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.text.complete import completions
from tests.cli.test_commands import ptxscope


def offered(*words: str) -> list[str]:
    return [word for word, _ in _candidates(list(words))]


def test_commands_options_and_values() -> None:
    assert offered("") == list(COMMANDS)
    assert offered("tr") == ["trace"]
    assert offered("trace", "--m") == ["--model"]
    assert offered("trace", "x", "--model", "p") == ["ptxas"]
    assert offered("show", "vavrg") == ["vavrg2", "vavrg4"]
    assert offered("errata", "E1") == ["E1", "E10", "E11", "E12", "E13", "E14"]
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
    assert [x.text for x in completions("vadd4.u32.u32.u32.sat.")] == []
    assert [x.text for x in completions("setp.lt.b")] == []
    assert [x.text for x in completions("setp.eq.b")] == ["b16", "b32", "b64"]
    assert [x.text for x in completions("vadd.u32.u32.u32 d, a.h")] == ["h0", "h1"]
    assert [x.text for x in completions("vadd4.u32.u32.u32 d, a, b.")] == ["b7654"]
    assert completions("mov.u32 a, b") == ()


def test_every_completion_leads_on() -> None:
    for opcode in CATALOG:
        text = opcode + "."
        for _ in range(12):
            found = completions(text)
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
