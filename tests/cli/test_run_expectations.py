"""`ptxscope run --expect` where several registers are not as observed."""

from __future__ import annotations

import pytest

from ptxscope.cli import main

KERNEL = """mov.b32 r, 0;
vadd.u32.u32.u32.sat r.b0, a, b, r;
vadd.u32.u32.u32.sat r.b1, a, b, r;
mov.b32 s, r;
mov.b32 t, 9;
ld.global.u32 w, [a];
setp.lt.s32 p|q, a, b;
"""


def _told(capsys: pytest.CaptureFixture[str], *expected: str) -> list[str]:
    words = [part for text in expected for part in ("--expect", text)]
    assert main(["run", KERNEL, "a=200", "b=100", "--quiet", *words]) == 1
    return capsys.readouterr().out.splitlines()


def test_each_mismatch_is_told_of_with_its_own_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _told(capsys, "t=8", "s=0x2cff", "w=1", "r=0xffff")
    assert [line for line in lines if " at line " in line] == [
        "The bits of s that differ were written at line 3: vadd.u32.u32.u32.sat r.b1, a, b, r",
        "The bits of t that differ were written at line 5: mov.b32 t, 9",
        "w was made unknown at line 6: ld.global.u32 w, [a]",
    ]


def test_what_one_line_wrote_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _told(capsys, "p=1", "q=0")
    assert [line for line in lines if " at line " in line] == [
        "The bits of p and q that differ were written at line 7: setp.lt.s32 p|q, a, b"
    ]


def test_what_nothing_wrote_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert "No line of the run wrote a" in _told(capsys, "a=1", "t=8")


def test_one_mismatch_needs_no_name(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _told(capsys, "s=0x2cff", "t=9")
    assert (
        "The bits that differ were written at line 3: vadd.u32.u32.u32.sat r.b1, a, b, r" in lines
    )
