"""Calls of CUDA's intrinsics as the instruction of a command."""

from __future__ import annotations

import pytest

from tests.cli.running import run

CALL = "unsigned d = __vabsdiffu4(x, y);"
VALUES = ("x=[1,2,3,4]", "y=[4,3,2,1]")


def test_a_call_is_traced_and_the_note_says_what_becomes_of_it() -> None:
    done = run("trace", CALL, *VALUES)
    assert done.stdout.startswith("vabsdiff4.u32.u32.u32 d, x, y, zero;")
    assert "d = 0x03010103  [3, 1, 1, 3]" in done.stdout
    assert "is still compiled to a video instruction by nvcc 13.0" in done.stdout


def test_a_call_is_evaluated() -> None:
    assert run("eval", CALL, *VALUES).stdout == "d=0x03010103\n"
    assert run("eval", "__vsadu4(x, 0x01010101u)", "x=[1,2,3,4]").stdout == "d=0x00000006\n"
    assert run("eval", "r = __vhaddu4(x, y);", "x=[1,2,3,4]", "y=[4,4,4,4]").stdout == (
        "r=0x02030304\n"
    )


def test_a_call_is_explained() -> None:
    done = run("explain", "__dp4a(x, y, c)", "x=-1", "y=1", "c=0", "--got", "255", "--brief")
    assert done.returncode == 0
    assert "dp4a.u32.s32 d, x, y, c;" in done.stdout


@pytest.mark.parametrize("command", ["trace", "eval", "explain"])
def test_a_wrong_call_ends_the_command(command: str) -> None:
    done = run(command, "__vadd4(x)", *(("--got", "1") if command == "explain" else ()))
    assert done.returncode == 1
    assert "`__vadd4` takes 2 arguments, not 1" in done.stderr
