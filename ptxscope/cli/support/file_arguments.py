"""Arguments with file names, and the check that no output replaces an input."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from stat import S_ISREG
from typing import TYPE_CHECKING

from ...engine.syntax.errors import make_printable
from .streams import CommandError

if TYPE_CHECKING:
    from argparse import Namespace


class InputName(str):
    """An argument that may name a file to read: ``FILE``, ``FILE:12``, ``name=@FILE:u32``."""

    __slots__ = ()


class OutputName(str):
    """An argument that names a file to write: ``FILE`` or ``NAME=FILE``."""

    __slots__ = ()


def refuse_overwriting(arguments: Namespace) -> None:
    """Raise CommandError for an output that is also an input or another output."""
    values = vars(arguments).values()
    texts = [x for value in values for x in (value if isinstance(value, list) else [value])]
    outputs = [x for x in texts if isinstance(x, OutputName)]
    if not outputs:
        return
    names = (name for x in texts if isinstance(x, InputName) for name in _iter_names(x))
    input_keys = {input_key for name in names if (input_key := _find_key(name))}
    output_keys = set[object]()
    for text in outputs:
        name = text.partition("=")[2] or text
        key: object = _find_key(name) or os.path.realpath(name)
        if key in input_keys:
            raise CommandError(f"error: {make_printable(name)} is an input: name another output")
        if key in output_keys:
            raise CommandError(f"error: {make_printable(name)} is given for two outputs")
        if not name.startswith("/dev/"):
            output_keys.add(key)


def _iter_names(text: str) -> Iterator[str]:
    """Yield possible files in a text: ``FILE``, ``FILE:12``, ``name=@FILE``, ``name=@FILE:u32``."""
    value = text.partition("=")[2].strip()
    for x in (text, value, *value.strip("{}").split(",")):
        for name in (x, x.strip().removeprefix("@")):
            yield from (name, name.rpartition(":")[0])


def _find_key(name: str) -> tuple[int, int] | None:
    """Return the identity of a regular file; None if it does not exist."""
    from ...files import (
        expand_path,
    )  # imports pathlib, which a trace without an output does not need

    with suppress(OSError, ValueError):
        status = expand_path(name).stat() if name else None
        if status and S_ISREG(status.st_mode):
            return status.st_dev, status.st_ino
    return None
