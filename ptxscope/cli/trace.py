"""``ptxscope trace``: an annotated trace of one evaluation."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from ..engine.text.errors import printable
from ..engine.tracing.annotations import Annotations
from ..engine.tracing.notes import parse_note, stages_between
from ..export import FORMATS, export
from ..export.options import Options, checked_id
from ..export.theme import THEMES, Theme
from . import CommandError
from .arguments import (
    Parser,
    add_instruction,
    add_model,
    chosen_model,
    instruction,
    parsed,
    parser,
    traced,
)

_EPILOG = """\
examples:
  ptxscope trace 'vset4.s32.u32.lt.add %r1, %r2, %r3, %r0' %r2=0x80ff7f01 %r3=0x01010101 %r0=5
  ptxscope trace 'vadd.u32.s32.s32.sat %0.b0, %1, %2, %3' %1=-1 %2=0 %3=0x11223344 --both
  ptxscope trace 'asm("vmin4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(d) : ...)' %1=[1,2,3,4] %2=0 %3=0
  ptxscope trace 'vadd4.s32.s32.s32.sat d, a, b, c' a=0x7f b=1 c=0 -f svg -o t.svg \\
      --title 'Saturation' --note 'saturate=the clamp is why 128 becomes 127'
"""


def arguments() -> Parser:
    """What it takes."""
    return _arguments(document=False)


def run(words: Sequence[str]) -> int:
    """Print the trace, or write it to a file."""
    chosen = parsed(arguments(), words)
    text = _document(chosen)
    if chosen.output is None:
        sys.stdout.write(text)
    else:
        _write(chosen.output, text)
    return 0


def rendered(words: Sequence[str]) -> str:
    """The document that ``ptxscope trace WORDS`` prints; raises CommandError.

    Options that ask for something else than a document are none here.
    """
    return _document(parsed(_arguments(document=True), words))


def _arguments(*, document: bool) -> Parser:
    about = "Print an annotated trace of one evaluation."
    to = parser("trace", about, _EPILOG, add_help=not document)
    add_instruction(to)
    add_model(to)
    _add_options(to)
    if not document:
        to.add_argument("-o", "--output", metavar="FILE", help="write to a file")
    return to


def _add_options(to: argparse.ArgumentParser) -> None:
    to.add_argument("-f", "--format", choices=FORMATS, default="text", help="default: text")
    to.add_argument("--title", default="", metavar="TEXT", help="what stands above it")
    to.add_argument("--caption", default="", metavar="TEXT", help="what stands below it")
    to.add_argument(
        "--note",
        action="append",
        default=[],
        metavar="STEP=TEXT",
        help="a note on a step, by its name or number, or on a lane: 'lane 2=…'; repeatable",
    )
    to.add_argument(
        "--both", action="store_true", help="where isa and ptxas part, show both ways to the end"
    )
    to.add_argument(
        "--standalone", action="store_true", help="a whole HTML page rather than a fragment"
    )
    to.add_argument(
        "--theme",
        choices=THEMES,
        default="auto",
        help="HTML and SVG: light, dark, or as the page is that they stand in (auto, default)",
    )
    to.add_argument("--id", default="", metavar="NAME", help="HTML and SVG: what ids begin with")
    part = to.add_mutually_exclusive_group()
    part.add_argument("--steps", metavar="1-4", help="only these steps, by number or name")
    part.add_argument("--until", metavar="STEP", help="only the steps up to this one")


def _document(chosen: argparse.Namespace) -> str:
    trace = traced(instruction(chosen.ptx), chosen.values, chosen_model(chosen.model))
    try:
        notes = tuple(parse_note(text, trace) for text in chosen.note)
        part = f"-{chosen.until}" if chosen.until else chosen.steps
        stages = stages_between(part, trace) if part else None
        id_ = checked_id(chosen.id) if chosen.id else ""
    except ValueError as error:
        raise CommandError(f"error: {printable(str(error))}") from None
    annotated = replace(trace, annotations=Annotations(chosen.title, chosen.caption, notes))
    options = Options(chosen.both, chosen.standalone, stages, Theme(chosen.theme), id_)
    return export(annotated, chosen.format, options)


def _write(path: str, text: str) -> None:
    from pathlib import Path

    from ..files import replace as put

    try:
        put(Path(path), text.encode("utf-8", "replace"))
    except OSError as error:
        raise CommandError(f"error: {printable(path)}: {error.strerror}") from None
