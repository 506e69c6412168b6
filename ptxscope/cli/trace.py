"""``ptxscope trace``: an annotated trace of one evaluation."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from ..engine.text.errors import printable
from ..engine.tracing.annotations import Annotations
from ..engine.tracing.notes import parse_note, stages_between
from ..engine.tracing.trace import Trace
from ..export import FORMATS, TEXTS, export
from ..export.options import Options
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
from .pictures import add_frames, add_picture, made_of, picture_options, put, write, write_frames

_EPILOG = """\
examples:
  ptxscope trace 'vset4.s32.u32.lt.add %r1, %r2, %r3, %r0' %r2=0x80ff7f01 %r3=0x01010101 %r0=5
  ptxscope trace 'vadd.u32.s32.s32.sat %0.b0, %1, %2, %3' %1=-1 %2=0 %3=0x11223344 --both
  ptxscope trace 'asm("vmin4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(d) : ...)' %1=[1,2,3,4] %2=0 %3=0
  ptxscope trace 'vadd4.s32.s32.s32.sat d, a, b, c' a=0x7f b=1 c=0 -f svg -o t.svg \\
      --title 'Saturation' --note 'saturate=the clamp is why 128 becomes 127'
  ptxscope trace 'vmad.s32.s32.s32.sat.shr15 d, a, b, c' a=-9 b=7 c=1 -f pdf --slide \\
      --frames deck.pdf
"""


def arguments() -> Parser:
    """What it takes."""
    return _arguments(document=False)


def run(words: Sequence[str]) -> int:
    """Print the trace, or write it to a file."""
    chosen = parsed(arguments(), words)
    trace, options = _asked(chosen)
    if chosen.frames is not None:
        if chosen.output is not None:
            raise CommandError("error: --frames has a place of its own; -o can't be given too")
        write_frames(chosen.frames, trace, chosen.format, options)
        return 0
    made = made_of(trace, chosen.format, options)
    if chosen.output is None:
        put(made, chosen.format)
    else:
        write(chosen.output, made)
    return 0


def rendered(words: Sequence[str]) -> str:
    """The document that ``ptxscope trace WORDS`` prints; raises CommandError.

    Options that ask for something else than a document of text are none here.
    """
    chosen = parsed(_arguments(document=True), words)
    trace, options = _asked(chosen)
    text: str = export(trace, chosen.format, options)
    return text


def _arguments(*, document: bool) -> Parser:
    about = "Print an annotated trace of one evaluation."
    to = parser("trace", about, _EPILOG, add_help=not document)
    add_instruction(to)
    add_model(to)
    _add_options(to, TEXTS if document else FORMATS)
    if not document:
        to.add_argument("-o", "--output", metavar="FILE", help="write to a file")
        add_frames(to)
    return to


def _add_options(to: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    to.add_argument("-f", "--format", choices=formats, default="text", help="default: text")
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
    add_picture(to)
    part = to.add_mutually_exclusive_group()
    part.add_argument("--steps", metavar="1-4", help="only these steps, by number or name")
    part.add_argument("--until", metavar="STEP", help="only the steps up to this one")


def _asked(chosen: argparse.Namespace) -> tuple[Trace, Options]:
    """The trace with its annotations, and what is to be shown of it."""
    trace = traced(instruction(chosen.ptx), chosen.values, chosen_model(chosen.model))
    try:
        notes = tuple(parse_note(text, trace) for text in chosen.note)
        part = f"-{chosen.until}" if chosen.until else chosen.steps
        stages = stages_between(part, trace) if part else None
    except ValueError as error:
        raise CommandError(f"error: {printable(str(error))}") from None
    annotated = replace(trace, annotations=Annotations(chosen.title, chosen.caption, notes))
    options = Options(chosen.both, chosen.standalone, stages)
    return annotated, picture_options(chosen, options)
