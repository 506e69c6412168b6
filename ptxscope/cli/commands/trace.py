"""``ptxscope trace``: an annotated trace of one evaluation."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from itertools import zip_longest

from ...documents import FORMATS, export
from ...documents.content.annotated_trace import annotate_trace
from ...documents.options import OPTIONS, DocumentSubject, Options, make_options
from ...engine.isa.encodings import format_hex
from ...engine.tracing.basic_block import BasicBlock, make_block
from ...engine.tracing.trace import Trace
from ..support.arguments import (
    Parser,
    add_format,
    add_instruction,
    add_model,
    choose_model,
    make_command_parser,
    parse_words,
    split_words,
)
from ..support.picture_output import (
    add_options,
    add_output,
    choose_format,
    is_printed,
    output_document,
    print_document,
    reject_idle_options,
    reject_other_subjects,
    render_document,
    warn_about_suffix,
    write_frames,
)
from ..support.ptx_arguments import build_trace, complete_example, parse_instruction, parse_ptx
from ..support.streams import CommandError, print_message, report_errors

_EPILOG = """\
examples:
  ptxscope trace vadd4                  # the example of an instruction
  ptxscope trace 'vset4.s32.u32.lt.add %r1, %r2, %r3, %r0' %r2=0x80ff7f01 %r3=0x01010101 %r0=5
  ptxscope trace 'vadd.u32.s32.s32.sat %0.b0, %1, %2, %3' %1=-1 %2=0 %3=0x11223344 --both
  ptxscope trace 'd = __vabsdiffu4(x, y);' x=[1,2,3,4] y=[4,3,2,1]
  ptxscope trace 'asm("vmin4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(d) : ...)' %1=[1,2,3,4] %2=0 %3=0
  ptxscope trace 'vadd4.s32.s32.s32.sat d, a, b, c' a=0x7f b=1 c=0 -f svg -o t.svg \\
      --title 'Saturation' --note 'saturate=the clamp is why 128 becomes 127'
  ptxscope trace '{ prmt.b32 t, a, b, 0x5410; vadd2.s32.s32.s32.sat d, t, c, c; }' \\
      a=0x11223344 b=0x8899aabb c=0x7fff --fold 1
  ptxscope trace kernel.ptx:10-17 %r1=3 %r2=4
  ptxscope trace 'vmad.s32.s32.s32.sat.shr15 d, a, b, c' a=-9 b=7 c=1 -f pdf --frames deck.pdf
"""
_OPTIONAL = {f"--{x.name}": (x.otherwise, re.compile(x.pattern)) for x in OPTIONS if x.otherwise}
"""Options with an implicit value: the value, and a pattern of explicit ones."""
_ASSIGNMENT = re.compile(r"[^=]++=[^=]")
"""A word of ``--beside`` with a value."""


def make_parser() -> Parser:
    """Return the command's parser."""
    return _make_trace_parser(is_document=False)


def run(words: Sequence[str]) -> int:
    """Print the trace, or write it to a file; with ``--alt``, print its description."""
    arguments = complete_example(parse_words(make_parser(), _complete_values(words)))
    choose_format(arguments, FORMATS, "svg" if arguments.alt else "text")
    reject_idle_options(arguments)
    if arguments.alt and arguments.output is not None and is_printed(arguments.output):
        raise CommandError("error: --alt prints a description; its picture needs a file: -o FILE")
    trace, options = _annotate_request(arguments, parse_ptx(arguments.ptx))
    if arguments.output is not None:
        warn_about_suffix(arguments.output, arguments.format)
    warn_about_hidden_notes(trace, options)
    if arguments.frames is not None:
        if arguments.output is not None:
            raise CommandError("error: --frames names its own output; -o cannot be given too")
        frames = write_frames(arguments.frames, trace, arguments.format, options)
        if arguments.alt:
            is_short = arguments.alt == "short"
            texts = (f"{x.name}: {x.short_alt if is_short else x.alt}\n" for x in frames)
            print_document("".join(texts), "text")
        return 0
    if arguments.output is not None or not arguments.alt:
        document = render_document(trace, arguments.format, options)
        output_document(document, arguments.format, arguments.output)
    if arguments.alt:
        print_document(_format_alt(trace, options, arguments.alt), "text")
    return 0


def warn_about_hidden_notes(trace: Trace, options: Options) -> None:
    """Warn about each note on a hidden step."""
    shown_places = {
        step.place
        for step in trace.steps
        if options.shows(step.place) and step.statement not in options.folded
    }
    for note in trace.annotations.notes:
        if note.stage is not None and (note.statement, note.stage) not in shown_places:
            target = trace.format_target(note)
            print_message(f"note: the note on {target} is not shown, because its step is not")


def _complete_values(words: Sequence[str]) -> list[str]:
    """Return the words, with implicit values of options, which PTX may follow."""
    completed = []
    for word, next_word in zip_longest(words, words[1:]):
        value, pattern = _OPTIONAL.get(word, ("", None))
        is_alone = pattern is not None and not pattern.fullmatch(next_word or "")
        completed.append(f"{word}={value}" if is_alone else word)
    return completed


def render_request(words: Sequence[str]) -> str:
    """Return the document of ``ptxscope trace WORDS``. Raise CommandError if invalid."""
    trace, options, arguments = parse_request(words)
    with report_errors(ValueError):
        text: str = export(trace, arguments.format, options)
    return text


def parse_request(
    words: Sequence[str], format_: str = "text", *, strict: bool = False
) -> tuple[Trace, Options, argparse.Namespace]:
    """Return the trace and the options of ``ptxscope trace WORDS``. Raise CommandError if invalid.

    Options of only the command are invalid. ``format_`` is the default format. If ``strict``,
    options without an effect are rejected even in the default format.
    """
    parser = _make_trace_parser(is_document=True)
    arguments = complete_example(parse_words(parser, _complete_values(words)))
    choose_format(arguments, FORMATS, format_)
    if strict:
        reject_idle_options(arguments)
    return (*_annotate_request(arguments, parse_ptx(arguments.ptx)), arguments)


def _make_trace_parser(*, is_document: bool) -> Parser:
    about = "Show each step of one evaluation, as text, as a picture or as a document."
    usage = "PTX [name=value ...]"
    parser = make_command_parser("trace", about, _EPILOG, usage=usage, add_help=not is_document)
    add_instruction(parser)
    add_model(parser)
    add_format(parser, FORMATS, "text")
    add_output(parser)
    add_options(parser, DocumentSubject.LINE | DocumentSubject.BLOCK, is_document=is_document)
    return parser


def _annotate_request(arguments: argparse.Namespace, block: BasicBlock) -> tuple[Trace, Options]:
    """Return the trace with its annotations, and the options of its document."""
    for name in ("steps", "until"):
        if getattr(arguments, name) is not None and not getattr(arguments, name).strip():
            raise CommandError(f"error: --{name} is empty; it names steps, as in --{name} 2")
    trace = build_trace(block, arguments.values, choose_model(arguments.model))
    reject_other_subjects(
        arguments, DocumentSubject.LINE if len(trace.parts) == 1 else DocumentSubject.BLOCK
    )
    options = make_options(vars(arguments))._replace(format=arguments.format)
    if arguments.beside is not None:
        options = options._replace(beside=_trace_beside(trace, arguments.beside))
    texts = {
        "title": arguments.title,
        "caption": arguments.caption,
        "steps": arguments.steps or "",
        "until": arguments.until or "",
        "folded": arguments.fold or "",
    }
    shows_result = not arguments.no_result
    with report_errors(ValueError):
        return annotate_trace(trace, options, **texts, notes=arguments.note, result=shows_result)


def _trace_beside(trace: Trace, text: str) -> Trace:
    """Return the trace of ``PTX``, ``name=value …`` or both; the rest is as in ``trace``."""
    with report_errors(ValueError, prefix="error: --beside: "):
        words = split_words(text)
    values = [word for word in words if _ASSIGNMENT.match(word)]
    ptx = " ".join(word for word in words if word not in values)
    block = make_block(parse_instruction(ptx)) if ptx else trace.block
    names = {x.name for x in block.inputs} - {value.partition("=")[0] for value in values}
    common_values = {  # by name: a register may have several roles
        name: f"{name}={format_hex(trace.operands[role], trace.block.type_of(role).bits)}"
        for role, name in trace.block.names.items()
        if name in names and role in trace.operands
    }
    return build_trace(block, [*common_values.values(), *values], trace.model)


def _format_alt(trace: Trace, options: Options, length: str) -> str:
    from ...documents.content.alt_text import format_alt_text, format_short_alt
    from ...documents.content.document_builder import build_document

    describe = format_short_alt if length == "short" else format_alt_text
    return describe(build_document(trace, options)) + "\n"
