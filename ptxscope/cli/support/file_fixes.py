"""Fixes of ``check`` in files: shown as a diff, or written."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple

from ...engine.syntax.errors import format_count, make_printable
from ...files import is_binary, read, replace, written_as
from ...sources.conditions import Definitions
from ...sources.diagnostic import CheckedInstruction
from ...sources.fixes import FixedText, apply_edits, format_diff, list_edits
from ...sources.lint import check_source, check_text
from ...sources.source_language import Language, language_of
from .check_settings import CheckSettings
from .inputs import format_input_name, open_text
from .streams import CommandError

_MAX_BYTES = 1 << 28
_MARK = "\ufeff"
_UNDECODABLE = "surrogateescape"


class _FileFix(NamedTuple):
    """A file with its edits made."""

    data: bytes
    """What it holds now."""
    fixed: FixedText
    fixed_data: bytes
    failing_count: int
    """The instructions left that make the exit status 1."""


def fix_files(
    names: Sequence[str], settings: CheckSettings, read_errors: Sequence[str], *, writes: bool
) -> int:
    """Show the fixes of files as a diff, or write them; return the exit status.

    A file is written as a whole or not at all. Raise CommandError for those that cannot be, and for
    earlier errors.
    """
    if writes and "-" in names:
        raise CommandError("error: standard input cannot be written: omit --write")
    edit_count = file_count = failing_count = 0
    errors = [*read_errors]
    for name in names:
        try:
            fix = _fix_file(name, settings)
            if writes and fix.fixed.edit_count:
                replace(Path(name), fix.fixed_data, unless_changed_from=fix.data)
        except CommandError as error:
            errors.append(str(error))
            continue
        except OSError as error:
            errors.append(f"error: {format_input_name(name)}: {error.strerror or error}")
            continue
        edit_count += fix.fixed.edit_count
        file_count += bool(fix.fixed.edit_count)
        failing_count += fix.failing_count
        if not writes:
            _print_diff(fix.fixed, name)
    files_text = f" in {format_count(file_count, 'file')}" if file_count else ""
    remark = "" if writes or not edit_count else "; --write applies them"
    summary = f"{format_count(edit_count, 'change')}{files_text}{remark}"
    print(summary, file=sys.stdout if writes else sys.stderr)
    if errors:
        sys.stdout.flush()
        raise CommandError("\n".join(errors))
    return int(failing_count > 0)


def _print_diff(fixed: FixedText, name: str) -> None:
    is_terminal = sys.stdout.isatty()
    if isinstance(sys.stdout, TextIOWrapper) and not is_terminal:
        sys.stdout.reconfigure(errors=_UNDECODABLE)  # `patch` needs the bytes of the file
    for line in format_diff(fixed, make_printable(name)):
        print(make_printable(line) if is_terminal else line)


def _fix_file(name: str, settings: CheckSettings) -> _FileFix:
    data, text = _read(name)
    mark, body = (_MARK, text[1:]) if text.startswith(_MARK) else ("", text)
    items = _check(body, name, settings)
    edits = list_edits(items)
    fixed = apply_edits(body, edits)
    if fixed.edit_count:
        former_count = _count_illegal(items)
        items = _check(fixed.text, name, settings)
        if _count_illegal(items) > former_count or len(list_edits(items)) >= len(edits):
            reason = "its fixes would not improve it; it is unchanged"
            raise CommandError(f"error: {format_input_name(name)}: {reason}")
    fixed_data = data
    if fixed.edit_count:
        fixed = fixed.add_mark(mark)
        fixed_data = fixed.text.encode(*_choose_encoding(data))
    return _FileFix(data, fixed, fixed_data, sum(map(settings.is_failure, items)))


def _read(name: str) -> tuple[bytes, str]:
    """Return the bytes and the text of a file, or of standard input."""
    if name == "-":
        with open_text(name) as file:
            return b"", file.read()
    data = read(Path(name), _MAX_BYTES)
    if is_binary(data[:4096]):
        raise CommandError(f"error: {format_input_name(name)} is not a text file")
    try:
        text = data.decode(*_choose_encoding(data))
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-16; it is not fixed"
        raise CommandError(f"error: {format_input_name(name)}: {message}") from None
    if text.count("\r") != text.count("\r\n"):
        message = "it has lines that end with a carriage return alone; it is not fixed"
        raise CommandError(f"error: {format_input_name(name)}: {message}")
    return data, text


def _choose_encoding(data: bytes) -> tuple[str, str]:
    """Return the encoding of a file, and what becomes of bytes that are not in it.

    Those of another encoding, as Latin-1 in comments, are written back as they are.
    """
    encoding = written_as(data)
    return encoding, _UNDECODABLE if encoding == "utf-8" else "strict"


def _check(text: str, name: str, settings: CheckSettings) -> list[CheckedInstruction]:
    text = text.replace("\r\n", "\n")
    definitions: Definitions = settings.definitions
    language = language_of(name, text)
    if language is Language.PTX:
        items = check_text(text, name)
    else:
        items = check_source(text, name, language, definitions)
    return list(settings.filter_items(items))


def _count_illegal(items: Sequence[CheckedInstruction]) -> int:
    return sum(not x.is_legal for x in items)
