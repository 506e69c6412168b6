"""Output options of ``trace``: size and motion of pictures, images, frames."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from typing import TYPE_CHECKING

from ...documents import BINARY, FORMATS, export, find_file_format, find_format, get_ending
from ...documents.options import (
    DEFAULT,
    DRAWN,
    GROUPS,
    OPTIONS,
    PICTURES,
    DocumentSubject,
    Motion,
    Options,
)
from ...engine.syntax.errors import (
    abbreviate_names,
    format_names,
    make_printable,
    make_printable_lines,
)
from ...engine.tracing.trace import Trace
from .file_arguments import OutputName
from .streams import CommandError, print_message, report_errors, report_file_errors

if TYPE_CHECKING:
    from pathlib import Path

    from ...documents.media.frames import Frame

_PRINTED = "-"
"""The file name of standard output."""
_MAX_NAMED_CHARS = 8
"""Maximum characters in a warning."""
_MAX_CHECKED_BYTES = 1 << 28
"""Maximum bytes of a file that is checked before overwriting."""
_SLOW = 15_000_000
"""Minimum pixels of a picture that takes more than a second to draw."""
_NOT_MADE = frozenset("jpg jpeg gif webp bmp tif tiff avif heic ico eps ps emf wmf".split())
"""Suffixes of unsupported picture formats."""
_PROSE = ("markdown", "rst", "asciidoc")
"""Formats of any text."""


def choose_format(
    arguments: argparse.Namespace, formats: Collection[str], otherwise: str = "text"
) -> None:
    """Set the format from -f, or else from the file's suffix among ``formats``."""
    if arguments.format is None:
        name = getattr(arguments, "output", None) or getattr(arguments, "frames", None) or ""
        suffix = _find_suffix_format(name) or get_ending(name)
        is_file = getattr(arguments, "output", None) is not None
        is_known = not suffix or suffix in FORMATS or suffix in formats
        if suffix in _NOT_MADE or (is_file and not is_known):
            endings = dict.fromkeys(
                f".{find_format(x).endings[0] if x in FORMATS else x}" for x in formats
            )
            raise CommandError(
                f"error: {make_printable(name)}: .{make_printable(suffix)} is not supported, only "
                f"{format_names([*endings])}; -f FORMAT writes any file"
            )
        if find_file_format(name) and suffix not in formats and suffix not in _PROSE:
            raise CommandError(
                f"error: {make_printable(name)}: {suffix} is not supported here, only "
                f"{format_names(formats)}; "
                f"-f {otherwise} writes {otherwise} there"
            )
        arguments.format = suffix if suffix and suffix in formats else otherwise


def _find_suffix_format(name: str) -> str:
    """Return the name of the format for a file name's extension, or an empty string."""
    format_ = find_file_format(name)
    return format_.name if format_ else ""


def reject_idle_options(arguments: argparse.Namespace, formats: Collection[str] = FORMATS) -> None:
    """Raise CommandError for an option without an effect in the chosen format."""
    for option in OPTIONS:
        if not option.is_given(vars(arguments)):
            continue
        affected = [x for x in option.formats if x in formats] if option.formats else formats
        if arguments.format not in affected:
            raise CommandError(
                f"error: --{option.name} does nothing in {arguments.format}; it is for "
                f"{format_names(affected)}"
            )


def reject_other_subjects(arguments: argparse.Namespace, subject: DocumentSubject) -> None:
    """Raise CommandError for an option that does not exist for a line, or for a block."""
    for option in OPTIONS:
        if option.is_given(vars(arguments)) and subject not in option.subjects:
            allowed = "one instruction, not a block"
            if subject is DocumentSubject.LINE:
                allowed = "a block of several statements"
            raise CommandError(f"error: --{option.name} is for {allowed}")


def add_options(
    parser: argparse.ArgumentParser, subjects: DocumentSubject, *, is_document: bool = False
) -> None:
    """Add the options of documents of some subjects, in the groups of the help.

    Documents in pages lack options of only the command.
    """
    titles = GROUPS if DocumentSubject.LINE in subjects else (DRAWN,)
    groups = {title: parser.add_argument_group(title) for title in titles}
    rivals: dict[str, argparse._ArgumentGroup] = {}
    for option in sorted(OPTIONS, key=lambda x: GROUPS.index(x.group)):
        if option.subjects & subjects and not (is_document and option.is_for_command):
            group = groups.get(option.group, groups[DRAWN])
            if option.rivals:
                group = rivals.get(option.rivals) or group.add_mutually_exclusive_group()
                rivals[option.rivals] = group
            action = group.add_argument(f"--{option.name}", **option.make_arguments())
            vars(action)["about"] = option.about


def add_output(parser: argparse._ActionsContainer) -> None:
    """Add the option ``-o``."""
    parser.add_argument(
        "-o",
        "--output",
        type=_check_file_name,
        metavar="FILE",
        help="output file; - is standard output",
    )


def _check_file_name(name: str) -> OutputName:
    if not name:
        raise argparse.ArgumentTypeError("'' is not a file name")
    return OutputName(name)


def is_printed(output: str | None) -> bool:
    """Return whether the output is standard output."""
    return output in (None, _PRINTED)


def render_document(trace: Trace, format_: str, options: Options) -> str | bytes:
    """Return the trace as a document. Raise CommandError if the format does not allow it."""
    if format_ not in BINARY:
        with report_errors(ValueError):
            return export(trace, format_, options)
    from ...documents.media.frames import render

    still_options = options._replace(format=format_, motion=Motion.STILL)
    with report_errors(ValueError):
        picture = render(trace, still_options)
    return render_picture(picture, format_, options)


def warn_about_suffix(file: str, format_: str) -> None:
    """Warn if a file has another format's suffix and one of the two is a picture."""
    suffix = _find_suffix_format(file)
    if get_ending(file) in _NOT_MADE:
        suffix = get_ending(file)
    pictures = {*PICTURES, *_NOT_MADE}
    if suffix not in ("", format_) and (suffix in pictures or format_ in pictures):
        print_message(
            f"warning: {file} has the suffix of {suffix}, but -f {format_} decides the format"
        )


def render_picture(svg: str, format_: str, options: Options = DEFAULT) -> str | bytes:
    """Convert an SVG to a picture format. Raise CommandError if it cannot be an image."""
    (images,) = _render_pictures([svg], format_, options)
    return images


def _render_pictures(
    drawings: Sequence[str], format_: str, options: Options
) -> Sequence[str | bytes]:
    """Convert SVGs to a picture format, and report characters that all fonts lack."""
    if format_ not in BINARY:
        return drawings
    from ...documents.media import images
    from .streams import ProgressBar

    make = (
        images.render_png_bytes
        if format_ == "png"
        else lambda svg, how: images.render_pdf_bytes([svg], how)
    )
    with report_errors(ValueError, images.NotInstalledError), ProgressBar() as bar:
        bar.begin("drawing", len(drawings), "pictures")
        if len(drawings) == 1 and format_ == "png":  # one call draws it, without progress
            pixel_width, pixel_height = map(
                round, images.compute_size(drawings[0], options, images.SHARP)
            )
            bar.begin(
                f"drawing {pixel_width:,} by {pixel_height:,} px",
                unit="",
                is_slow=pixel_width * pixel_height > _SLOW,
            )
        pictures = [make(svg, options) for svg in bar.track(drawings)]
        bar.hide()
        _warn_about_boxes(drawings, format_)
    return pictures


def _warn_about_boxes(pictures: Sequence[str], format_: str) -> None:
    from ...documents.media import images

    consequence = f"the {format_.upper()} shows a box for each"
    if missing_chars := images.find_missing_glyphs(pictures, format_):
        print_message(
            f"warning: no font here has {_format_chars(missing_chars)}: {consequence}; "
            "install a font that has them"
        )
    if boxed := images.find_boxed_glyphs(pictures, format_):
        print_message(
            f"warning: {_format_chars(boxed)} can't be drawn beside the other letters of the line: "
            f"{consequence}; put them on a line of their own, or use -f svg"
        )


def _format_chars(chars: Sequence[str]) -> str:
    return abbreviate_names([f"{char} (U+{ord(char):04X})" for char in chars], _MAX_NAMED_CHARS)


def output_document(document: str | bytes, format_: str, output: str | None) -> None:
    """Write a document to the file of ``-o``, or print it."""
    if output is None or is_printed(output):
        print_document(document, format_)
    else:
        write(output, document)


def print_document(document: str | bytes, format_: str) -> None:
    """Print a document. Raise CommandError if it is binary and standard output is a terminal.

    A terminal gets printable text.
    """
    if isinstance(document, str):
        sys.stdout.write(make_printable_lines(document) if sys.stdout.isatty() else document)
        return
    sys.stdout.write("")  # a closed stream raises here
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None or sys.stdout.isatty():
        destination = "a terminal" if stream else "text"
        raise CommandError(
            f"error: {format_} is binary, and standard output is {destination}; "
            f"add -o FILE.{format_}"
        )
    stream.write(document)


def write(path: str, document: str | bytes) -> None:
    """Write a document to a file."""
    from pathlib import Path

    from ...files import replace as replace_file

    data = document.encode("utf-8", "replace") if isinstance(document, str) else document
    with report_file_errors(path):
        replace_file(Path(path), data)


def write_frames(
    folder_name: str, trace: Trace, format_: str, options: Options
) -> tuple[Frame, ...]:
    """Write a picture per step, after rendering all of them.

    Frames of an earlier run are removed. Raise CommandError if any other file is in the way.
    """
    if format_ not in PICTURES:
        raise CommandError(f"error: frames are pictures: add -f {', -f '.join(PICTURES)}")
    if options.motion is not Motion.STILL:
        raise CommandError("error: frames do not move: --frames and --stepping can't both be given")
    if options.beside is not None:
        raise CommandError("error: frames show the steps of one trace; --beside draws two")
    if not folder_name:
        raise CommandError("error: '' is not a file name")
    from pathlib import Path

    from ...documents.content.sanitizer import sanitize_text
    from ...documents.media import images
    from ...documents.media.frames import make_frames

    folder = Path(folder_name)
    _require_folder(folder, format_)
    with report_errors(ValueError):
        frames = make_frames(trace, options)
    if not frames:
        raise CommandError("error: --frames has a picture for each step, and no step is shown")
    if format_ == "pdf" and folder_name.lower().endswith(".pdf"):
        title = sanitize_text(trace.annotations.title) or make_printable(str(trace.block))
        pages = [frame.svg for frame in frames]
        with report_errors(ValueError, images.NotInstalledError):
            deck = images.render_pdf_bytes(pages, options, title)
            _warn_about_boxes(pages, format_)
        _require_ours(folder, format_)
        write(folder_name, deck)
        return frames
    pictures = _render_pictures([frame.svg for frame in frames], format_, options)
    files = {
        folder / f"{frame.name}.{format_}": picture
        for frame, picture in zip(frames, pictures, strict=True)
    }
    with _undo_new_folder(folder, files):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for file in files:
                _require_ours(file, format_)
            for file in _list_frames(folder, format_):
                if file not in files:
                    file.unlink()
        except (OSError, ValueError) as error:
            why = make_printable(getattr(error, "strerror", None) or str(error))
            raise CommandError(f"error: {make_printable(folder_name)}: {why}") from None
        for file, data in files.items():
            write(str(file), data)
    _report_other_frames(folder, format_)
    return frames


@contextmanager
def _undo_new_folder(folder: Path, files: Iterable[Path]) -> Iterator[None]:
    """If the block fails, remove the folder that it created, with files and parent folders."""
    new_folders = [*takewhile(lambda x: not os.path.lexists(x), (folder, *folder.parents))]
    try:
        yield
    except BaseException:
        with suppress(OSError):
            for file in files if new_folders else ():
                file.unlink(missing_ok=True)
            for new_folder in new_folders:
                new_folder.rmdir()
        raise


def _list_frames(folder: Path, format_: str) -> list[Path]:
    frames = sorted(folder.glob(f"[0-9][0-9]-*.{format_}"))
    return [file for file in frames if _is_frame(file, format_)]


def _report_other_frames(folder: Path, format_: str) -> None:
    """Report remaining frames of an earlier run, possibly of a talk in two formats."""
    other_formats = [name for name in PICTURES if name != format_ and _list_frames(folder, name)]
    if other_formats:
        names = " and ".join(other_formats)
        print_message(
            f"note: {folder} also has frames in {names} from an earlier run; they are left there"
        )


def _require_folder(folder: Path, format_: str) -> None:
    """Raise CommandError if the folder of frames has a picture's suffix."""
    suffix, shown_name = _find_suffix_format(folder.name), make_printable(str(folder))
    if suffix == format_ == "pdf" or folder.is_dir():
        return
    if folder.exists() and not folder.is_dir():
        why = f"{shown_name} is a file; frames need a folder"
    elif suffix in PICTURES:
        why = f"{shown_name} looks like a file name; frames need a folder"
    else:
        return
    deck = ", or with -f pdf into FILE.pdf, a page for each step"
    raise CommandError(f"error: --frames {why}{deck}")


def _require_ours(file: Path, format_: str) -> None:
    """Raise CommandError before overwriting a file that is not ptxscope's frame."""
    if (file.is_symlink() or file.exists()) and not _is_frame(file, format_):
        raise CommandError(
            f"error: {make_printable(str(file))} is not a frame by ptxscope; "
            "nothing is written: choose another folder"
        )


def _is_frame(file: Path, format_: str) -> bool:
    from ...documents.media.picture_marks import is_frame
    from ...files import read

    try:
        return not file.is_symlink() and is_frame(read(file, _MAX_CHECKED_BYTES), format_)
    except OSError:
        return False
