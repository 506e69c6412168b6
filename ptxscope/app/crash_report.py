"""Reports of internal errors, written to a file for the maintainers."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from .. import __version__

if TYPE_CHECKING:
    from ..state.state_store import StateStore
    from .app import Explorer

_MAX_ARGUMENT_CHARS = 4000
"""Maximum characters of the command line in a report."""


def write_crash_report(
    failure: Exception | str, app: Explorer | None = None, store: StateStore | None = None
) -> list[str]:
    """Write a report of an error, or of Textual's text about it.

    Return the lines to print, with the name of the file.
    """
    if isinstance(failure, str):
        name, details = " ".join(failure.rpartition("╯")[2].split()), failure
    else:
        name, details = _format_error(failure), "".join(traceback.format_exception(failure))
    lines = [f"internal error ({name[:200]})"]
    text = _report(details, app)
    for folder in (store.state.parent if store else None, Path(tempfile.gettempdir())):
        if folder is None:
            continue
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(".txt", "failure-", folder)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
            lines[0] += f"; please report it: {name} has the details"
            return lines
    return [*lines, *text.splitlines()]


def _report(error_details: str, app: Explorer | None) -> str:
    """Return details for finding the cause."""
    parts = [
        f"ptxscope {__version__}, Python {platform.python_version()}, {platform.platform()}",
        ", ".join(f"{name} {_find_version(name)}" for name in ("textual", "rich", "platformdirs")),
        f"TERM={os.environ.get('TERM', '')}",
        f"arguments: {' '.join(map(repr, sys.argv[1:]))[:_MAX_ARGUMENT_CHARS]}",
        "",
        error_details,
    ]
    if app is not None:
        try:
            parts += app.describe_state()
        except Exception as error:  # a failure here must not lose the rest of the report
            parts.append(f"the state cannot be described: {_format_error(error)}")
    return "\n".join(parts) + "\n"


def _find_version(name: str) -> str:
    try:
        return version(name)
    except Exception:  # ptxscope is not installed as a package
        return "?"


def _format_error(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")
