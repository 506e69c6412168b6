"""What ``trace`` takes and does for pictures: their size and motion, images, a frame a step."""

from __future__ import annotations

import argparse
import sys

from ..engine.text.errors import printable, printable_lines
from ..engine.tracing.trace import Trace
from ..export import BINARY, export
from ..export.options import DEFAULT, Motion, Options
from . import CommandError

PICTURES = ("svg", *sorted(BINARY))
"""Formats of pictures."""


def add_picture(to: argparse.ArgumentParser) -> None:
    """The options of a picture."""
    to.add_argument(
        "--slide", action="store_true", help="pictures: in columns on a page of 16:9, for a slide"
    )
    size = to.add_mutually_exclusive_group()
    size.add_argument(
        "--scale",
        type=float,
        metavar="N",
        help="PNG and PDF: times the SVG's size; a PNG has 2 else, a PDF 1",
    )
    size.add_argument("--width", type=int, metavar="PX", help="PNG and PDF: how wide, in px")
    motion = to.add_mutually_exclusive_group()
    motion.add_argument(
        "--stepping",
        action="store_true",
        help="SVG: FILE.svg#step-saturate shows the steps up to that one; a click the next",
    )
    motion.add_argument("--animate", action="store_true", help="SVG: the steps come one by one")


def add_frames(to: argparse.ArgumentParser) -> None:
    """The option ``--frames``."""
    to.add_argument(
        "--frames",
        metavar="DIR",
        help="write a picture for each step into a folder (-f svg, png or pdf), all of one size; "
        "with -f pdf and a name that ends in .pdf, a page for each step",
    )


def picture_options(chosen: argparse.Namespace, options: Options) -> Options:
    """The options with what is asked for of a picture."""
    motion = Motion.PLAYING if chosen.animate else Motion.STILL
    return options._replace(
        slide=chosen.slide,
        motion=Motion.STEPPING if chosen.stepping else motion,
        scale=chosen.scale,
        width=chosen.width,
    )


def made_of(trace: Trace, format_: str, options: Options) -> str | bytes:
    """The trace as a document; raises CommandError where an image can't be made of it."""
    try:
        return export(trace, format_, options)
    except (ValueError, ImportError) as error:
        raise _refusal(error, format_) from None


def picture_of(svg: str, format_: str, options: Options = DEFAULT) -> str | bytes:
    """An SVG in a format of pictures; raises CommandError where an image can't be made of it."""
    if format_ not in BINARY:
        return svg
    from ..export import images

    try:
        return images.png(svg, options) if format_ == "png" else images.pdf([svg], options)
    except (ValueError, ImportError) as error:
        raise _refusal(error, format_) from None


def put(made: str | bytes, format_: str) -> None:
    """Print a document; raises CommandError where it is binary and would go to a terminal.

    Text is made printable there.
    """
    if isinstance(made, str):
        sys.stdout.write(printable_lines(made) if sys.stdout.isatty() else made)
        return
    sys.stdout.write("")  # a closed stream says so
    out = getattr(sys.stdout, "buffer", None)
    if out is None or sys.stdout.isatty():
        where = "a terminal" if out else "text"
        raise CommandError(
            f"error: {format_} is binary, and standard output is {where}; add -o FILE.{format_}"
        )
    out.write(made)


def write(path: str, made: str | bytes) -> None:
    """Write a document to a file."""
    from pathlib import Path

    from ..files import replace as replace_file

    data = made.encode("utf-8", "replace") if isinstance(made, str) else made
    try:
        replace_file(Path(path), data)
    except OSError as error:
        raise CommandError(f"error: {printable(path)}: {error.strerror}") from None


def write_frames(where: str, trace: Trace, format_: str, options: Options) -> None:
    """Write a picture a step; all are made before the first is written."""
    if format_ not in PICTURES:
        raise CommandError(f"error: frames are pictures: add -f {', -f '.join(PICTURES)}")
    from pathlib import Path

    from ..export import images
    from ..export.frames import frames

    found = frames(trace, options)
    try:
        if format_ == "pdf" and where.lower().endswith(".pdf"):
            write(where, images.pdf([frame.svg for frame in found], options))
            return
        made: list[str | bytes]
        match format_:
            case "svg":
                made = [frame.svg for frame in found]
            case "png":
                made = [images.png(frame.svg, options) for frame in found]
            case _:
                made = [images.pdf([frame.svg], options) for frame in found]
    except (ValueError, ImportError) as error:
        raise _refusal(error, format_) from None
    try:
        Path(where).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise CommandError(f"error: {printable(where)}: {printable(why)}") from None
    for frame, each in zip(found, made, strict=True):
        write(str(Path(where) / f"{frame.name}.{format_}"), each)


def _refusal(error: Exception, format_: str) -> CommandError:
    """What is said of it; what is none of an image's refusals goes on as it is."""
    from ..export.images import NotInstalledError

    if format_ in BINARY and isinstance(error, ValueError | NotInstalledError):
        return CommandError(f"error: {printable(str(error))}")
    raise error
