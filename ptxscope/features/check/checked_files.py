"""The files to check: the contents of folders, sizes, and the number of processes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from ...cli.support.inputs import format_input_name
from ...cli.support.streams import CommandError
from ...sources.source_language import LANGUAGES_BY_SUFFIX, get_suffix
from .check_settings import CheckSettings

_CHUNK_BYTES = 4_000_000
"""Bytes of files per process: with fewer, its start takes longer than it saves."""


class FileList(NamedTuple):
    """The files to check."""

    files: list[str]
    read_errors: list[str]
    """A line for each folder that cannot be read, or has nothing to check, with the reason."""


def list_files(names: Iterable[str], settings: CheckSettings) -> FileList:
    """Return files, and for each folder its listings and sources at any depth, in order.

    Hidden folders and excluded files are left out, and so is anything in a folder that is not a
    regular file: a FIFO would wait for its writer, and an editor's lock is a link to nothing. Raise
    CommandError if there is nothing to check.
    """
    found = FileList([], [])
    for name in names:
        if name in ("", "-") or not Path(name).is_dir():
            is_forced = settings.forces_exclude and name not in ("", "-")
            if not (is_forced and settings.is_excluded(Path(name))):
                found.files.append(name)
            continue
        errors = list[OSError]()
        sources = [x for x in _iter_sources(name, errors) if not settings.is_excluded(Path(x))]
        errors = [x for x in errors if not settings.is_excluded(Path(x.filename, "_"))]
        if not (sources or errors or settings.forces_exclude):
            found.read_errors.append(f"error: {format_input_name(name)} has no listing or source")
        found.files.extend(sources)
        found.read_errors.extend(
            f"error: {format_input_name(error.filename)}: {error.strerror or error}"
            for error in errors
        )
    if found.read_errors and not found.files:
        raise CommandError("\n".join(found.read_errors))
    return found


def _iter_sources(folder: str, errors: list[OSError]) -> Iterator[str]:
    """Yield the listings and sources in a folder; record the errors of unreadable folders."""
    for place, folders, names in os.walk(folder, onerror=errors.append):
        folders[:] = sorted(x for x in folders if not x.startswith("."))
        for name in sorted(names):
            is_known = get_suffix(name) in LANGUAGES_BY_SUFFIX
            if is_known and _may_be_regular(path := Path(place, name)):
                yield str(path)


def _may_be_regular(path: Path) -> bool:
    """Return whether a file is regular, or cannot be examined: reading it then reports why."""
    try:
        return path.is_file()
    except OSError:
        return True


def count_processes(limit: int | None, sizes: Sequence[int]) -> int:
    """Return the number of processes for files of these sizes in bytes, at most a limit."""
    if limit is not None:
        return min(limit, len(sizes))
    return min(len(sizes), sum(sizes) // _CHUNK_BYTES, _count_cores()) if len(sizes) > 1 else 1


def _count_cores() -> int:
    processors: set[int] = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    return len(processors) or os.cpu_count() or 1


def find_size(name: str) -> int | None:
    """Return the bytes of a regular file; None for a stream, which other processes cannot read."""
    path = Path(name)
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    is_special = name == "-" or str(path.absolute()).startswith(("/dev/", "/proc/"))
    return status.st_size if S_ISREG(status.st_mode) and not is_special else None
