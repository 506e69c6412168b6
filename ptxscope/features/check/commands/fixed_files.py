"""The files that ``check --fix`` changes, shown as a diff or written."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

from ....cli.support.inputs import format_input_name
from ....cli.support.streams import CommandError
from ....engine.syntax.errors import format_count, make_printable
from ....files import replace
from ..check_settings import CheckSettings
from ..file_fixes import UNDECODABLE, FixedText, fix_file, format_diff


def fix_files(
    names: Sequence[str], settings: CheckSettings, read_errors: Sequence[str], *, writes: bool
) -> int:
    """Show the fixes of files as a diff, or write them; return the exit status.

    A file is written as a whole or not at all. Raise CommandError for a file that cannot be
    written, and for earlier errors.
    """
    if writes and "-" in names:
        raise CommandError("error: standard input cannot be written: omit --write")
    edit_count = file_count = failing_count = 0
    errors = [*read_errors]
    for name in names:
        try:
            fix = fix_file(name, settings)
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
        sys.stdout.reconfigure(errors=UNDECODABLE)  # `patch` needs the bytes of the file
    for line in format_diff(fixed, make_printable(name)):
        print(make_printable(line) if is_terminal else line)
