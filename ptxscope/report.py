"""What is written down of an error that should not be, for whoever mends it."""

from __future__ import annotations

import os
import platform
import tempfile
import traceback
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from . import __version__

if TYPE_CHECKING:
    from .app import Explorer
    from .store import Store


def reported(failure: BaseException, app: Explorer | None, store: Store | None) -> list[str]:
    """Write a report; what is to be said."""
    said = [f"an error that should not be ended the explorer ({_named(failure)[:200]})"]
    text = _report(failure, app)
    for folder in (store.state.parent if store else None, Path(tempfile.gettempdir())):
        if folder is None:
            continue
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(".txt", "failure-", folder)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
            return [*said, f"a report is in {name}; please send it to whoever keeps ptxscope"]
    return [*said, *text.splitlines()]


def _report(failure: BaseException, app: Explorer | None) -> str:
    """What is needed to find the reason."""
    parts = [
        f"ptxscope {__version__}, Python {platform.python_version()}, {platform.platform()}",
        ", ".join(f"{name} {_version(name)}" for name in ("textual", "rich", "platformdirs")),
        f"TERM={os.environ.get('TERM', '')}",
        "",
        "".join(traceback.format_exception(failure)),
    ]
    if app is not None:
        try:
            parts += app.described()
        except Exception as error:  # the rest of the report is worth having
            parts.append(f"the state can't be told: {_named(error)}")
    return "\n".join(parts) + "\n"


def _version(name: str) -> str:
    try:
        return version(name)
    except Exception:  # not installed as a package
        return "?"


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")
