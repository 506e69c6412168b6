"""The command line in this process: its output and exit status, without another Python."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple
from unittest.mock import patch

from ptxscope.cli import main


class Done(NamedTuple):
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def _stream(given: str | bytes = "", encoding: str = "utf-8") -> io.TextIOWrapper:
    data = given.encode() if isinstance(given, str) else given
    return io.TextIOWrapper(io.BytesIO(data), encoding=encoding)


def run(*words: str, given: str | bytes = "") -> Done:
    """Run a command; that it does the same as a process is tested in test_streams."""
    out, err, stdin = _stream(), _stream(), _stream(given, "ascii")  # commands read its bytes
    with redirect_stdout(out), redirect_stderr(err), patch.object(sys, "stdin", stdin):
        status = main(words)
    said = []
    for stream in (out, err):
        stream.flush()
        said.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    return Done(status, *said)


def list_loaded_modules(*words: str) -> set[str]:
    """The modules that a process has loaded when a command has ended."""
    program = (
        "import sys\nfrom ptxscope.cli import main\n"
        f"try: main({words!r})\nfinally: print('\\n', *sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    return {*done.stderr.splitlines()[-1].split()}


def run_in_terminal(*words: str, **env: str) -> tuple[int, bytes]:
    """The status of a process whose outputs are a terminal, and what the terminal gets."""
    import pty  # not on Windows

    master, slave = pty.openpty()
    command = [sys.executable, "-m", "ptxscope", *words]
    with subprocess.Popen(command, stdout=slave, stderr=slave, env={**os.environ, **env}) as child:
        os.close(slave)
        shown = b""
        try:
            while part := os.read(master, 1 << 16):
                shown += part
        except OSError:  # the end, as Linux has it
            pass
    os.close(master)
    return child.returncode, shown
