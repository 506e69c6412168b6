"""``ptxscope sweep``: the results over all values of one or two operands."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...cli.support.arguments import (
    Parser,
    add_format,
    add_instruction,
    add_model,
    choose_model,
    make_command_parser,
    parse_words,
)
from ...cli.support.picture_output import (
    add_options,
    add_output,
    choose_format,
    is_printed,
    output_document,
    reject_idle_options,
    render_picture,
)
from ...cli.support.ptx_arguments import (
    bind_operands,
    complete_example,
    parse_assignments,
    parse_ptx,
    print_folding_notes,
)
from ...cli.support.streams import CommandError, report_errors
from ...documents.options import PICTURES, DocumentSubject, Options, make_options, validate_options
from ...engine.syntax.errors import Problem, PtxError, format_install_hint
from ...engine.tracing.basic_block import BasicBlock
from .register_parts import (
    RegisterPart,
    choose_default_parts,
    choose_default_result,
    parse_result_part,
    parse_swept_part,
    with_read_order,
)

if TYPE_CHECKING:
    from .computation import Sweep

FORMATS = ("text", "words", "csv", *PICTURES)
_MAX_PLOT_COLUMNS = 160
"""Maximum columns of a plot in a terminal."""
_EPILOG = f"""\
examples:
  ptxscope sweep 'vadd4.s32.s32.s32.sat d, a, b, c' --x a.b0 a=0 b=100 c=0
  ptxscope sweep 'vadd4.s32.s32.s32.sat d, a, b, c' --x a.b0 --y b.b0 c=0 -f svg -o map.svg
  ptxscope sweep 'vadd.u32.s32.s32.sat d.b0, a, b, c' --x a --range -300:300 b=0 c=0 -f words
  ptxscope sweep 'setp.lt.f32 p, a, b' --x a b=1.0 -f words
  ptxscope sweep 'and.b32 t, a, 0xff; sub.s32 t, t, 100; max.s32 d, t, 0;' --x a.b0 a=0

The parts of a register a are the bytes a.b0 to a.b3 and the half-words a.h0 and a.h1. The swept
part needs no value; if it has one, its position is marked. Up to 65,536 values are all computed;
larger ranges are sampled evenly, with extra samples where the result changes. PNG and PDF need the
extra `images`: {format_install_hint("images")}.
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    about = (
        "Plot the results of an instruction, or of a block, over all values of one or two operands."
    )
    parser = make_command_parser("sweep", about, _EPILOG, usage="PTX [name=value ...]")
    add_instruction(parser)
    parser.add_argument("--x", metavar="PART", help="part to sweep: a, a.b0, %%r1.h1")
    parser.add_argument("--y", metavar="PART", help="second part to sweep, for a map of both")
    parser.add_argument(
        "--of",
        metavar="RESULT",
        help="result to show: d, d.b0, p (default: the part that the swept part goes to)",
    )
    parser.add_argument("--range", metavar="LO:HI", help="first and last value of x (default: all)")
    add_model(parser)
    add_format(parser, FORMATS, "text")
    add_output(parser)
    add_options(parser, DocumentSubject.PLOT)
    return parser


def run(words: Sequence[str]) -> int:
    """Print the sweep, or write it to a file."""
    document, arguments = render_request(words)
    output_document(document, arguments.format, arguments.output)
    return 0


def render_request(words: Sequence[str]) -> tuple[str | bytes, argparse.Namespace]:
    """Return the document of the arguments, and these. Raise CommandError if they are invalid."""
    arguments = complete_example(parse_words(make_parser(), _join_range_words(words)))
    choose_format(arguments, FORMATS)
    reject_idle_options(arguments, PICTURES)
    sweep = _make_sweep(arguments)
    with report_errors(ValueError):
        options = validate_options(make_options(vars(arguments)))
    return _render_sweep(sweep, arguments, options), arguments


def _join_range_words(words: Sequence[str]) -> list[str]:
    """Return the words, with a range that begins with a minus joined to its option."""
    joined_words: list[str] = []
    for word in words:
        if joined_words and joined_words[-1] == "--range" and ":" in word:
            word = f"{joined_words.pop()}={word}"
        joined_words.append(word)
    return joined_words


def _make_sweep(arguments: argparse.Namespace) -> Sweep:
    model = choose_model(arguments.model)
    ins = parse_ptx(arguments.ptx)
    print_folding_notes(ins, model)
    x, y, result = _choose_parts(ins, arguments)
    bounds = _parse_bounds(x, arguments.range) if arguments.range is not None else None
    inputs = parse_assignments(ins, arguments.values)
    swept_names = {lane.name for lane in (x, y) if lane}
    operands = bind_operands(ins, dict.fromkeys(swept_names, 0) | inputs)
    from .computation import compute_sweep

    with report_errors(ValueError):
        return compute_sweep(
            ins,
            operands,
            x,
            y,
            result_part=result,
            model=model,
            bounds=bounds,
            with_events=swept_names <= inputs.keys(),
        )


def _choose_parts(
    ins: BasicBlock, arguments: argparse.Namespace
) -> tuple[RegisterPart, RegisterPart | None, RegisterPart]:
    x = _parse_part(ins, "--x", arguments.x, parse_swept_part) or choose_default_parts(ins)[0]
    y = _parse_part(ins, "--y", arguments.y, parse_swept_part)
    if x is None:
        raise CommandError(f"error: {ins} reads no register to sweep")
    result = _parse_part(ins, "--of", arguments.of, parse_result_part) or choose_default_result(
        ins, x
    )
    if result is None:
        raise CommandError(f"error: {ins} has no result to show")
    return with_read_order(ins, x, result), y, result


def _parse_part(
    ins: BasicBlock, option: str, text: str | None, parse: Callable[[BasicBlock, str], RegisterPart]
) -> RegisterPart | None:
    if text is None:
        return None
    try:
        return parse(ins, text)
    except PtxError as error:
        raise CommandError(str(error.shift_into(f"{option} {text}", len(option) + 1))) from None


def _parse_bounds(x: RegisterPart, text: str) -> tuple[int, int]:
    low, colon, high = text.partition(":")
    start = len("--range ")
    try:
        if not colon:
            problem = Problem("this is not a range", (0, max(len(text), 1)), "LO:HI, as in -5:100")
            raise PtxError(text, (problem,))
        first = x.parse_bound(low)
        start += len(low) + 1
        last = x.parse_bound(high)
        start = len("--range ")
        if x.compute_rank(first) > x.compute_rank(last):
            message = f"{x.format_value(first)} is above {x.format_value(last)}"
            bounds = (
                f"from {x.format_value(x.get_value_at(0))} to "
                f"{x.format_value(x.get_value_at(x.values - 1))}"
            )
            hint = f"values of {x.text} in order, {bounds}"
            raise PtxError(text, (Problem(message, (0, len(text)), hint),))
    except PtxError as error:
        raise CommandError(str(error.shift_into(f"--range {text}", start))) from None
    return first, last


def _render_sweep(sweep: Sweep, arguments: argparse.Namespace, options: Options) -> str | bytes:
    format_ = arguments.format
    if format_ in PICTURES:
        from . import sweep_picture

        return render_picture(
            sweep_picture.render(sweep, options, arguments.title), format_, options
        )
    from . import sweep_text

    if format_ == "csv":
        return sweep_text.render_csv(sweep)
    to_terminal = is_printed(arguments.output) and sys.stdout.isatty()
    width = min(shutil.get_terminal_size().columns, _MAX_PLOT_COLUMNS) if to_terminal else 80
    width = max(width, 40)
    if format_ == "words":
        return sweep_text.render_words(sweep, width=width)
    encoding = sys.stdout.encoding if to_terminal else "utf-8"
    unicode = (encoding or "").lower().replace("-", "").startswith("utf")
    return sweep_text.render(sweep, width=width, is_unicode=unicode)
