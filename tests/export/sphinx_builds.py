"""Builds of Sphinx, each in a fork of a process that has imported it: half of a build's time."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from importlib import import_module
from io import StringIO
from pathlib import Path
from tempfile import TemporaryFile

_MODULES = ("sphinx.application", "sphinx.builders.html", "sphinx.cmd.build", "ptxscope.sphinx")


def build(folder: Path, builder: str, *more: str) -> str:
    """Build ``folder`` into ``folder/out``; return what was warned of."""
    for name in _MODULES:
        import_module(name)
    arguments = ["-q", "-b", builder, *more, str(folder), str(folder / "out")]
    with TemporaryFile("w+", encoding="utf-8") as said:
        child = os.fork()
        if not child:
            _build_and_exit(arguments, said.fileno())
        _, status = os.waitpid(child, 0)
        said.seek(0)
        warned = said.read()
    assert not status, warned
    return warned


def _build_and_exit(arguments: list[str], said: int) -> None:
    status = 1
    try:
        warnings.resetwarnings()
        warnings.simplefilter("ignore")
        os.dup2(said, 2)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
        sys.stdout = StringIO()
        status = import_module("sphinx.cmd.build").main(arguments)
        sys.stderr.flush()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)
