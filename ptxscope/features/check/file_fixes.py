"""Fixes of ``check``: edits of a text, applied as a whole, shown as a diff, or written to files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...cli.support.inputs import format_input_name, open_text
from ...cli.support.streams import CommandError
from ...files import find_writing_encoding, is_binary, read
from .check_settings import CheckSettings
from .diagnostic import CheckedInstruction, TextEdit
from .lint import check_text

_CONTEXT_LINES = 3


class FixedText(NamedTuple):
    """A text after edits."""

    lines: Sequence[str]
    """The lines, with their ends."""
    changed_lines: dict[int, str]
    """The former text of each line that has changed, by its number from 1."""
    edit_count: int
    """The number of edits that were made."""

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.lines)

    def add_mark(self, mark: str) -> FixedText:
        """Return the text with a byte order mark at its start, before and after the edits."""
        changed_lines = {n: mark * (n == 1) + line for n, line in self.changed_lines.items()}
        return self._replace(
            lines=[mark + self.lines[0], *self.lines[1:]], changed_lines=changed_lines
        )


def list_edits(items: Iterable[CheckedInstruction]) -> list[TextEdit]:
    """Return the edits that the diagnostics of instructions propose, without repetitions."""
    return list(dict.fromkeys(x.fix for item in items for x in item.diagnostics if x.fix))


def apply_edits(text: str, edits: Iterable[TextEdit]) -> FixedText:
    """Apply edits to a text whose lines end with ``\\n``.

    An edit is skipped if the text at its place differs from the checked text, or if it overlaps
    another.
    """
    lines = _split_lines(text)
    edits_by_line = defaultdict[int, list[TextEdit]](list)
    for edit in edits:
        edits_by_line[edit.location.line].append(edit)
    changed_lines, count = dict[int, str](), 0
    for number, line_edits in edits_by_line.items():
        if not 1 <= number <= len(lines):
            continue
        line = lines[number - 1]
        end = len(line)
        for edit in sorted(line_edits, key=_get_start, reverse=True):
            start = edit.location.column - 1
            edit_end = start + edit.location.width
            checked_text = edit.location.excerpt[slice(*edit.location.span)]
            if edit_end <= end and line[start:edit_end] == checked_text:
                line, end = line[:start] + edit.text + line[edit_end:], start
                count += 1
        if line != lines[number - 1]:
            changed_lines[number] = lines[number - 1]
            lines[number - 1] = line
    return FixedText(lines, changed_lines, count)


def _split_lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _get_start(edit: TextEdit) -> tuple[int, int]:
    return edit.location.column, edit.location.width


def format_diff(fixed: FixedText, name: str) -> Iterator[str]:
    """Yield the lines of a unified diff, without line ends."""
    if not fixed.changed_lines:
        return
    yield f"--- {name}"
    yield f"+++ {name}"
    numbers, total = sorted(fixed.changed_lines), len(fixed.lines)
    index = 0
    while index < len(numbers):
        last = index
        while last + 1 < len(numbers) and numbers[last + 1] - numbers[last] <= 2 * _CONTEXT_LINES:
            last += 1
        start = max(numbers[index] - _CONTEXT_LINES, 1)
        end = min(numbers[last] + _CONTEXT_LINES, total)
        extent = f"{start},{end - start + 1}"
        yield f"@@ -{extent} +{extent} @@"
        yield from _format_hunk(fixed, range(start, end + 1))
        index = last + 1


def _format_hunk(fixed: FixedText, numbers: range) -> Iterator[str]:
    removed, added = list[str](), list[str]()
    for number in numbers:
        line = fixed.lines[number - 1]
        former_line = fixed.changed_lines.get(number)
        if former_line is None:
            yield from (*removed, *added, *_format_line(" ", line))
            removed, added = [], []
        else:
            removed += _format_line("-", former_line)
            added += _format_line("+", line)
    yield from (*removed, *added)


def _format_line(sign: str, line: str) -> Iterator[str]:
    yield f"{sign}{line.rstrip(chr(10))}"
    if not line.endswith("\n"):
        yield "\\ No newline at end of file"


_MAX_BYTES = 1 << 28
_MARK = "\ufeff"
UNDECODABLE = "surrogateescape"
"""The handling of bytes of another encoding."""


class FileFix(NamedTuple):
    """A file before and after its fixes."""

    data: bytes
    """Its current content."""
    fixed: FixedText
    fixed_data: bytes
    failing_count: int
    """The remaining instructions that make the exit status 1."""


def fix_file(name: str, settings: CheckSettings) -> FileFix:
    """Return the fixes of a file; raise CommandError if it cannot be read or fixed."""
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
    return FileFix(data, fixed, fixed_data, sum(map(settings.is_failure, items)))


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
    """Return the encoding of a file, and the handling of bytes that it does not have.

    Bytes of another encoding, such as Latin-1 in comments, are written back as they are.
    """
    encoding = find_writing_encoding(data)
    return encoding, UNDECODABLE if encoding == "utf-8" else "strict"


def _check(text: str, name: str, settings: CheckSettings) -> list[CheckedInstruction]:
    items = check_text(text.replace("\r\n", "\n"), name, settings.definitions)
    return list(settings.filter_items(items))


def _count_illegal(items: Sequence[CheckedInstruction]) -> int:
    return sum(not x.is_legal for x in items)
