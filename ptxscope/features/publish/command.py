"""``ptxscope export --update``: keeps the traces, sweeps and forms in a Markdown file current.

A text that Markdown would change is fenced; a picture is a file beside the page.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import quote

from ...cli.commands.trace import parse_request
from ...cli.support.arguments import (
    Parser,
    find_command_module,
    make_command_parser,
    parse_words,
    split_words,
)
from ...cli.support.picture_output import render_document
from ...cli.support.streams import CommandError, print_message, report_errors, report_file_errors
from ...documents.content.alt_text import format_alt_text, format_short_alt
from ...documents.content.document_builder import build_document
from ...documents.formats.markdown import escape_text, fence_text
from ...documents.media.picture_marks import is_ours, read_description
from ...documents.options import Options
from ...engine.syntax.errors import make_printable
from ...engine.tracing.trace import Trace
from ...feature import load
from ...files import find_writing_encoding, read, replace
from .markdown_markers import (
    Marker,
    find_doubtful,
    find_indent,
    find_markers,
    find_subject,
)
from .trace_changes import describe_change
from .unique_ids import with_unique_ids

_PICTURE_FORMATS = ("svg", "png")
"""Formats that are files beside a page, which displays them."""
_MAX_BYTES = 1 << 28
"""Maximum bytes of a page or a picture."""
_EPILOG = """\
In a file, a trace stands between two markers, and only the text between them is rewritten:

  <!-- ptxscope trace 'vadd4.s32.s32.s32.sat d, a, b, c' a=0x7f b=1 c=0 -->
  <!-- /ptxscope -->

The first marker holds the arguments of `ptxscope trace`, `ptxscope sweep` or `ptxscope show`. The
default format of a trace is markdown, which becomes part of the page, as html does; text, json, c
and other formats are fenced. A picture is written to a file beside the page (-o FILE.svg or
FILE.png), and the page shows it with its description as the alternative text. In a list or a quote,
the trace becomes part of it; in a line of text or a cell of a table, a picture does. Markers in
code (between fences or backquotes, or indented) are ignored.

A file is written completely or not at all, and never if it has changed since it was read. A picture
never overwrites a file that ptxscope did not write.

Exit status: 0 for success; 1 if a file is stale (with --check); 2 if a file cannot be read or
written, or a marker in it is wrong. The other files are still updated.
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    parser = make_command_parser(
        "export", "Renew, or check, the traces in Markdown files.", _EPILOG
    )
    parser.add_argument("files", metavar="FILE.md", nargs="+", help="Markdown file to rewrite")
    parser.add_argument("--update", action="store_true", help="rewrite the traces")
    parser.add_argument(
        "--check",
        action="store_true",
        help="list what is stale, exit with 1 if anything is, and write nothing",
    )
    return parser


def run(words: Sequence[str]) -> int:
    """Rewrite the traces of files; with ``--check``, only report stale ones."""
    arguments = parse_words(make_parser(), words)
    if not (arguments.update or arguments.check):
        raise CommandError("error: add --update to rewrite the traces, or --check to compare them")
    failed: list[str] = []
    stale: list[str] = []
    for name in arguments.files:
        try:
            changes = _update_file(name, is_check=arguments.check)
        except CommandError as error:
            failed.append(str(error))
            continue
        if changes and arguments.check:
            for line, change in changes:
                print(f"{make_printable(name)}:{line}: stale: {change}")
            stale.append(name)
        elif changes:
            print(f"{make_printable(name)}: updated")
    sys.stdout.flush()
    if stale:
        print_message(f"to renew: {shlex.join(['ptxscope', 'export', '--update', *stale])}")
    if failed:
        raise CommandError("\n".join(failed))
    return int(bool(stale))


class _PictureFile(NamedTuple):
    """A file beside the page."""

    path: Path
    data: bytes
    current_data: bytes | None
    """Its current contents."""


class _Rendering(NamedTuple):
    """The text of a marker, and its picture."""

    text: str
    """The text of the page between the markers."""
    names: tuple[str, ...] = ()
    """The destinations of a trace."""
    picture: _PictureFile | None = None


class _Page(NamedTuple):
    """A page with its traces rendered again."""

    text: str
    pictures: dict[Path, _PictureFile]
    changes: list[tuple[int, str]]
    """The line of each stale marker, and the change."""


def _update_file(name: str, *, is_check: bool) -> list[tuple[int, str]]:
    """Update a file and its pictures, or only compute the changes; return these."""
    path = Path(name)
    old_data = _read_page(path)
    encoding = find_writing_encoding(old_data)
    try:
        text = old_data.decode(encoding)
    except UnicodeDecodeError as error:
        line = old_data[: error.start].decode(encoding, "replace").count("\n") + 1
        stored_name = "UTF-8" if encoding == "utf-8" else "UTF-16"
        raise CommandError(f"{make_printable(name)}:{line}: this is not {stored_name}") from None
    if not find_markers(text) and not find_doubtful(text):
        print_message(f"warning: {make_printable(name)} has no marker <!-- ptxscope trace … -->")
    page = renew_traces(text, name)
    stale = [x for x in page.pictures.values() if x.data != x.current_data]
    new_data = page.text.encode(encoding, "replace")
    if not is_check:
        for picture in stale:
            _write(picture.path, picture.data, picture.current_data)
        if new_data != old_data:
            _write(path, new_data, old_data)
    return page.changes


def _write(path: Path, data: bytes, current_data: bytes | None) -> None:
    name, folder = make_printable(str(path)), make_printable(str(path.parent))
    with report_file_errors(str(path)):
        try:
            replace(path, data, unless_changed_from=current_data)
        except FileNotFoundError as error:
            message = f"error: {name}: {error.strerror}; make the folder {folder} first"
            raise CommandError(message) from None


def _read_page(path: Path) -> bytes:
    with report_file_errors(str(path)):
        return read(path, _MAX_BYTES)


def renew_traces(text: str, name: str) -> _Page:
    """Return a Markdown text with every trace between markers rendered again.

    The rest is unchanged. Pictures are not written. Raise CommandError, which names the line of
    every faulty marker.
    """
    parts: list[str] = []
    failed = [f"{make_printable(name)}:{x.line}: {x.reason}" for x in find_doubtful(text)]
    pictures: dict[Path, _PictureFile] = {}
    changes: list[tuple[int, str]] = []
    ids: set[str] = set()
    position = 0
    markers = find_markers(text)
    for start_marker, end_marker in _pair_markers(markers):
        try:
            if end_marker is None:
                raise CommandError("this trace has no <!-- /ptxscope -->")
            rendering = _render_marker(start_marker, Path(name).parent, pictures, ids)
            new_text = _place_trace(text, start_marker, end_marker, rendering)
            parts += [text[position : start_marker.end], new_text]
            position = end_marker.start
            old_text = text[start_marker.end : position]
            if change := _describe_change(old_text, new_text, rendering):
                changes.append((start_marker.line, change))
        except (CommandError, ValueError) as error:
            failed.append(f"{make_printable(name)}:{start_marker.line}: {error}")
    if failed:
        raise CommandError("\n".join(failed))
    page_text = "".join([*parts, text[position:]])
    if page_text != text and len(find_markers(page_text)) != len(markers):
        raise CommandError(
            f"{make_printable(name)}: these traces would make its markers unreadable"
        )
    return _Page(page_text, pictures, changes)


def _describe_change(old_text: str, new_text: str, rendering: _Rendering) -> str:
    """Return the changes of a rendering, in the page or in its picture; empty for none."""
    if picture := rendering.picture:
        if picture.current_data is None:
            return f"{make_printable(picture.path.name)} is missing"
        if picture.current_data != picture.data:
            old_text += f"\n{read_description(picture.current_data).description}"
            new_text += f"\n{read_description(picture.data).description}"
            return describe_change(old_text, new_text, rendering.names)
    return describe_change(old_text, new_text, rendering.names) if new_text != old_text else ""


def _pair_markers(markers: list[Marker]) -> Iterator[tuple[Marker, Marker | None]]:
    """Yield the start of each trace, and its end if there is one."""
    for marker, following in zip_longest(markers, markers[1:]):
        if marker.opens:
            yield marker, None if following is None or following.opens else following


def _place_trace(text: str, start_marker: Marker, end_marker: Marker, new: _Rendering) -> str:
    """Return the text between two markers: in their line of text, or in their list or quote.

    Raise CommandError if it has several lines, and the markers are in one line of text.
    """
    if start_marker.is_inline and "\n" not in text[start_marker.end : end_marker.start]:
        if new.picture is None:
            raise CommandError(
                "in a line of text or a cell of a table, only a picture can stand: add "
                "-o FILE.svg, or put the markers on lines of their own"
            )
        return f" {new.text} "
    lead = find_indent(text, start_marker)
    lines = [lead + line if line else lead.rstrip() for line in new.text.split("\n")]
    start = text.rfind("\n", start_marker.end, end_marker.start) + 1
    old_text = text[start : end_marker.start]
    last = old_text if start and not old_text.strip(" \t>") else lead
    block = "\n".join(["", lead.rstrip(), *lines, lead.rstrip(), last])
    return block.replace("\n", _find_line_end(text, start_marker.end))


def _find_line_end(text: str, position: int) -> str:
    """Return the end of the line at a position of a text."""
    end = text.find("\n", position)
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def _render_marker(
    marker: Marker, folder: Path, pictures: dict[Path, _PictureFile], ids: set[str]
) -> _Rendering:
    """Return the replacement of a marker, and add its picture or its id to the others."""
    words = _split_marker(marker.words)
    if marker.command != "trace":
        command = load(find_command_module(marker.command))
        document, arguments = command.render_request(words)
        _check_format(arguments)
        if arguments.format in _PICTURE_FORMATS:
            alt = (
                f"{find_subject(marker.command)} of {read_description(document).title.rstrip(';')}."
            )
            return _add_picture(arguments, folder, document, alt, pictures)
        language = "csv" if arguments.format == "csv" else "text"
        return _Rendering(fence_text(document.rstrip("\n"), language))
    trace, options, arguments = parse_request(words, "markdown", strict=True)
    # no page goes stale with every release
    options = options._replace(has_version=False)
    format_, names = arguments.format, tuple(trace.block.results.values())
    _check_format(arguments)
    if format_ == "html":
        with report_errors(ValueError):
            options = with_unique_ids(trace, options, "html", ids)
    document = render_document(trace, format_, options)
    if format_ in _PICTURE_FORMATS:
        alt = _describe(trace, options)
        rendering = _add_picture(arguments, folder, document, alt, pictures)
        return rendering._replace(names=names)
    assert isinstance(document, str)
    if format_ == "html":
        # A blank line would end the HTML.
        text = "\n".join(line for line in document.split("\n") if line.strip())
    else:
        text = document.rstrip("\n")
    is_own = format_ in ("html", "markdown")
    return _Rendering(text if is_own else fence_text(text, format_), names)


def _check_format(arguments: argparse.Namespace) -> None:
    """Raise CommandError if a page cannot have a format, or a picture has no file."""
    format_, file = arguments.format, arguments.output
    is_picture = format_ in _PICTURE_FORMATS
    if format_ == "pdf":
        raise CommandError("error: -f pdf: a page cannot show a PDF as a picture; use svg or png")
    if file is not None and not is_picture:
        raise CommandError(
            f"error: -o or --output is for pictures, as in -o FILE.svg; {format_} is part of the "
            "page"
        )
    if is_picture and file is None:
        raise CommandError(
            f"error: -f {format_} needs -o FILE.{format_}: a picture is a file of its own, which "
            "the page shows"
        )


def _add_picture(
    arguments: argparse.Namespace,
    folder: Path,
    document: str | bytes,
    alt: str,
    pictures: dict[Path, _PictureFile],
) -> _Rendering:
    """Add a picture to the others, and return the text of the page that shows it."""
    file = arguments.output
    picture = _make_picture(file, folder, arguments.format, document)
    if pictures.setdefault(picture.path, picture).data != picture.data:
        name = make_printable(picture.path.name)
        raise CommandError(f"error: {name} is already used by another picture of this page")
    text = f"![{escape_text(alt)}]({quote(PurePosixPath(file).as_posix())})"
    return _Rendering(text, picture=picture)


def _describe(trace: Trace, options: Options) -> str:
    document = build_document(trace, options)
    return format_alt_text(document) if document.sections[0].heading else format_short_alt(document)


def _split_marker(marker: str) -> list[str]:
    try:
        return split_words(marker)
    except ValueError as error:
        if "quot" not in str(error):
            raise
        raise CommandError(
            "a quote is opened and not closed before the first -->, where the comment ends; "
            "if it belongs to a text, split it with quotes: 'a --''> b'"
        ) from None


def _make_picture(file: str, folder: Path, format_: str, document: str | bytes) -> _PictureFile:
    """Return the file of a picture. Raise CommandError if it must not be written."""
    path = folder / file
    formats = make_printable(file)
    parts = PurePosixPath(file).parts
    if "\\" in file or ":" in file or PurePosixPath(file).is_absolute() or ".." in parts:
        raise CommandError(
            f"error: -o {formats}: a picture must be in the folder of the page or below it"
        )
    if not file.endswith(f".{format_}"):
        raise CommandError(f"error: -o {formats}: the name of a picture must end in .{format_}")
    data = document.encode("utf-8", "replace") if isinstance(document, str) else document
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            raise CommandError(f"error: -o {formats}: this is outside the page's folder")
        old_data = _read_page(path) if path.exists() or path.is_symlink() else None
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, or a NUL in the name
        raise CommandError(f"error: -o {formats}: {error}") from None
    if old_data is not None and old_data != data and not is_ours(old_data, format_):
        raise CommandError(
            f"error: -o {formats}: that file is not a picture by ptxscope, so it is left unchanged"
        )
    return _PictureFile(path, data, old_data)
