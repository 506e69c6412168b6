"""Reading a file that somebody named: a regular file of a bounded size, or a reason why not."""

from __future__ import annotations

import os
import stat
from errno import EFBIG, EINVAL
from pathlib import Path

_OTHERS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def named(name: str) -> Path:
    """The file that is meant, ``~`` and ``~user`` read; raises OSError for no such user."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        user = name.partition("/")[0]
        raise OSError(EINVAL, f"the home folder of {user} is not known", name) from None


def reason_not(mode: int) -> str:
    """What a file is that is no regular one; empty for a regular one."""
    if stat.S_ISREG(mode):
        return ""
    return f"it is {_OTHERS.get(stat.S_IFMT(mode), 'no file')}, not a regular file"


def is_there(path: Path) -> bool:
    """Whether there is a regular file; raises OSError where there is anything else."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    except ValueError as error:  # a NUL in the name
        raise _no_name(error, path) from None
    if why := reason_not(found.st_mode):
        raise OSError(EINVAL, why, str(path))
    return True


def read(path: Path, most: int) -> bytes:
    """The contents of a regular file of at most so many bytes; raises OSError otherwise.

    Nothing else is opened: a FIFO would wait for its writer, a device for its user.
    """
    try:
        _require(path.stat(), path, most)
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags)
    except ValueError as error:  # a NUL in the name
        raise _no_name(error, path) from None
    with os.fdopen(descriptor, "rb") as file:
        _require(os.fstat(file.fileno()), path, most)  # another may have taken its place
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(EFBIG, f"it has more than {most:,} bytes", str(path))
    return data


def _require(found: os.stat_result, path: Path, most: int) -> None:
    if why := reason_not(found.st_mode):
        raise OSError(EINVAL, why, str(path))
    if found.st_size > most:
        raise OSError(EFBIG, f"it has {found.st_size:,} bytes; the most is {most:,}", str(path))


def _no_name(error: ValueError, path: Path) -> OSError:
    return OSError(EINVAL, f"it is no name of a file ({error})", str(path))
