"""Files named by the user: regular files to read, and files to write as a whole or not at all."""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from errno import EACCES, EBUSY, EFBIG, EINVAL
from pathlib import Path

_DESCRIPTOR = r"/dev/std(?:in|out|err)|/dev/fd/\d+|/proc/self/fd/\d+"
"""Names of files that the process already has open, of any type."""

_OTHERS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
TEMPORARY_NAME = ".ptxscope-{}.new"
"""Name of a file being written; a killed process leaves it behind."""
_PIECE = 1 << 22
"""Bytes per write."""
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class FileChangedError(OSError):
    """A file has changed since it was read, and is not overwritten."""


# --- reading -----------------------------------------------------------------------------


def expand_path(name: str) -> Path:
    """Return the path of a name with ``~`` and ``~user`` expanded.

    Raise OSError for an unknown user.
    """
    try:
        return Path(name).expanduser()
    except RuntimeError:
        user = name.partition("/")[0]
        raise OSError(EINVAL, f"the home folder of {user} is not known", name) from None


def describe_non_regular(mode: int) -> str:
    """Describe a file that is not regular; return an empty string for a regular one."""
    if stat.S_ISREG(mode):
        return ""
    return f"it is {_OTHERS.get(stat.S_IFMT(mode), 'no file')}, not a regular file"


def is_there(path: Path) -> bool:
    """Return whether a regular file exists. Raise OSError if it is not a regular file."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return False
    except ValueError as error:  # a NUL in the name
        raise _make_name_error(error, path) from None
    if why := describe_non_regular(status.st_mode):
        raise OSError(EINVAL, why, str(path))
    return True


def read(path: Path, max_bytes: int) -> bytes:
    """Return a regular file's contents of at most ``max_bytes``. Raise OSError otherwise.

    Only regular files are opened: a FIFO would wait for its writer, a device for its user.
    """
    try:
        _require(path.stat(), path, max_bytes)
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags)
    except ValueError as error:  # a NUL in the name
        raise _make_name_error(error, path) from None
    with os.fdopen(descriptor, "rb") as file:
        _require(os.fstat(file.fileno()), path, max_bytes)  # the file may have been replaced since
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise OSError(EFBIG, f"it has more than {max_bytes:,} bytes", str(path))
    return data


def _require(status: os.stat_result, path: Path, max_bytes: int) -> None:
    if why := describe_non_regular(status.st_mode):
        raise OSError(EINVAL, why, str(path))
    if status.st_size > max_bytes:
        raise OSError(
            EFBIG, f"it has {status.st_size:,} bytes; the limit is {max_bytes:,}", str(path)
        )


def _make_name_error(error: ValueError, path: Path) -> OSError:
    return OSError(EINVAL, f"it is not a file name ({error})", str(path))


def find_encoding(head: bytes) -> str:
    """Return the encoding of a text with this beginning: UTF-16 by its mark, else UTF-8."""
    return "utf-16" if head.startswith(_UTF16) else "utf-8-sig"


def find_writing_encoding(head: bytes) -> str:
    """Return the encoding for writing a text back; it keeps the byte order mark as a character."""
    by_mark = dict(zip(_UTF16, ("utf-16-le", "utf-16-be"), strict=True))
    return by_mark.get(head[:2], "utf-8")


def is_binary(head: bytes) -> bool:
    """Return whether data with this beginning is not text."""
    return b"\0" in head and not head.startswith(_UTF16)


# --- writing -----------------------------------------------------------------------------


def replace(
    path: Path,
    data: bytes,
    *,
    unless_changed_from: bytes | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> None:
    """Replace a file's contents by data, as a whole or not at all.

    The data is written to a temporary file beside it, which replaces the file once it is on the
    disk. Links are followed; mode and owner are preserved. A file with several names is written in
    place, after the temporary file has proved that the disk has room. Files that are not regular (a
    terminal, a FIFO, standard output) are written in place. ``on_progress`` is called with the
    number of bytes written.

    Raise OSError if the file cannot be written, and FileChangedError if it contains neither
    ``unless_changed_from`` nor ``data``; the file is then unchanged and no temporary file remains.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        status = None
    except ValueError as error:  # a NUL in the name
        raise OSError(EACCES, f"not a file name ({error})", str(path)) from None
    if status and (re.fullmatch(_DESCRIPTOR, str(path)) or not stat.S_ISREG(status.st_mode)):
        _append(path, data)
        return
    target = Path(os.path.realpath(path))
    if status and not os.access(target, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), str(path))
    fresh = target.with_name(TEMPORARY_NAME.format(f"{os.getpid()}-{os.urandom(8).hex()}"))
    try:
        try:
            _write(fresh, data, status, on_progress)
        except OSError as error:  # of the requested file, not of the temporary one
            error.filename = str(path)
            raise
        contents = target.read_bytes() if unless_changed_from is not None else None
        if contents not in (unless_changed_from, data):  # another process may have written the same
            raise FileChangedError(
                EBUSY, "it has changed since it was read, and was not written", str(path)
            )
        if status and status.st_nlink > 1:
            _overwrite(target, data)
            fresh.unlink()
        else:
            fresh.replace(target)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise
    _flush_name(target.parent)


def _overwrite(target: Path, data: bytes) -> None:
    """Write a file in place, so that its other names remain valid."""
    former = target.read_bytes()
    try:
        _write_over(target, data)
    except BaseException:
        with suppress(OSError):
            _write_over(target, former)
        raise


def _write_over(target: Path, data: bytes) -> None:
    with target.open("r+b") as file:
        file.write(data)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())


def _append(path: Path, data: bytes) -> None:
    """Write after the existing contents."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND), "wb", buffering=0) as file:
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) or 0 :]


def _write(
    fresh: Path, data: bytes, like: os.stat_result | None, on_progress: Callable[[int], None] | None
) -> None:
    """Write a new file with the mode and the owner of another, and flush it to the disk."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # A new file gets 666 less the umask; a replaced one's mode is copied below.
    with os.fdopen(os.open(fresh, flags, 0o600 if like else 0o666), "wb") as file:
        rest = memoryview(data)
        for start in range(0, len(rest), _PIECE):
            file.write(rest[start : start + _PIECE])
            if on_progress:
                on_progress(min(start + _PIECE, len(rest)))
        file.flush()
        if like:
            _keep_rights(file.fileno(), fresh, like)
        os.fsync(file.fileno())


def _keep_rights(descriptor: int, fresh: Path, like: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        # Only root may change the owner; every user may change the group to one of their own.
        for owner, group in ((like.st_uid, -1), (-1, like.st_gid)):
            with suppress(OSError):
                os.fchown(descriptor, owner, group)
    fresh.chmod(stat.S_IMODE(like.st_mode))


def _flush_name(folder: Path) -> None:
    """Flush the new name to the disk, on systems that support it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
