"""Commands on files of any encoding, by name or as standard input."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.driving.command_line import Done, run

ASM = 'asm("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); // ü\n'
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-mark", "utf-16-be-mark"]
ways = pytest.mark.parametrize("by_name", [True, False])


def encoded(text: str, encoding: str) -> bytes:
    name = encoding.removesuffix("-mark")
    return (("\ufeff" if name != encoding else "") + text).encode(name)


def call(raw: bytes, by_name: bool, *words: str, status: int = 0) -> Done:
    """Run a command on FILE, or on its bytes as standard input."""
    Path("FILE").write_bytes(raw)
    name, given = ("FILE", b"") if by_name else ("-", raw)
    done = run(*(name if word == "FILE" else word for word in words), given=given)
    assert done.returncode == status, done
    return done
