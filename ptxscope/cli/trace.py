"""``ptxscope trace``: an annotated trace of one evaluation."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ..export import FORMATS, export
from . import CommandError
from .arguments import add_instruction, add_model, chosen_model, instruction, parsed, parser, traced

_EPILOG = """\
examples:
  ptxscope trace 'vset4.s32.u32.lt.add %r1, %r2, %r3, %r0' %r2=0x80ff7f01 %r3=0x01010101 %r0=5
  ptxscope trace 'vadd.u32.s32.s32.sat %0.b0, %1, %2, %3' %1=-1 %2=0 %3=0x11223344 --model ptxas
  ptxscope trace 'asm("vmin4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(d) : ...)' %1=[1,2,3,4] %2=0 %3=0
"""


def run(words: Sequence[str]) -> int:
    """Print the trace, or write it to a file."""
    arguments = parser("trace", "Print an annotated trace of one evaluation.", _EPILOG)
    add_instruction(arguments)
    add_model(arguments)
    arguments.add_argument("-f", "--format", choices=FORMATS, default="text", help="default: text")
    arguments.add_argument("-o", "--output", metavar="FILE", help="write to a file")
    chosen = parsed(arguments, words)
    model = chosen_model(chosen.model)
    document = export(traced(instruction(chosen.ptx), chosen.values, model), chosen.format)
    if chosen.output is None:
        sys.stdout.write(document)
        return 0
    try:
        from pathlib import Path

        Path(chosen.output).write_text(document, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"error: {chosen.output}: {error.strerror}") from None
    return 0
