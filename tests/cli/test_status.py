"""The exit status where a text is no one instruction that can be traced: 1 is for illegal ones."""

from __future__ import annotations

import pytest

from ptxscope.cli import main

LEGAL = "vadd4.u32.u32.u32 d, a, b, c"
COMMANDS = ("trace", "eval", "explain", "open")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "// vadd4",
        f"{LEGAL}; {LEGAL}",
        "mov.b32 d, a",  # PTX, but none of the 27
        "setp.lt.f16 p, a, b",
        "setp.lt.s32 p, %r1+1, b",  # ptxas takes the sum
    ],
)
def test_a_wrong_request_is_2(command: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, text]) == 2
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "text", ["vadd4.u32 d, a, b, c", "vadd4;", f"{LEGAL}; vadd4", "nonsense a"]
)
def test_an_illegal_instruction_is_1(
    command: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, text]) == 1
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_empty_text_is_not_taken_for_a_file(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main([command, ""])
    assert "there is no instruction here" in capsys.readouterr().err
