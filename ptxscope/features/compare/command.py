"""The kernels that ``ptxscope prove`` compares."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from shutil import get_terminal_size
from time import monotonic

from ...cli.support.arguments import Parser, choose_model, print_report
from ...cli.support.streams import CommandError, ProgressBar, report_errors
from ...documents.formats.text import WIDTH
from ...engine.semantics.models import Model
from ...engine.syntax.opcodes import STORES
from ..prove.commands.programs import parse_program, parse_same
from ..prove.commands.prove import STATUS
from .block_report import block_comparison_to_json, iter_block_blocks
from .comparison import MEMORY_MEGABYTES, KernelComparison, compare_kernels
from .comparison_json import comparison_to_json
from .comparison_report import iter_comparison_blocks
from .file_kernel import FileKernel
from .float_blocks import BlockPair, read_block
from .kernel_files import KernelPlace


def add_comparison(parser: Parser) -> Callable[[argparse.Namespace], int | None]:
    """Add the options of kernels to the parser of ``prove``; return their comparison."""
    group = parser.add_argument_group(
        "two kernels",
        "If A and B are FILE:KERNEL and store, they are equal if they leave the same bytes in "
        "memory. Parameters are paired by position: param0, … in --where. nvcc compiles .cu files.",
    )
    group.add_argument(
        "--may-alias",
        action="store_true",
        help="the buffers of pointers may overlap (default: they do not)",
    )
    group.add_argument(
        "--memory",
        type=int,
        default=MEMORY_MEGABYTES,
        metavar="MB",
        help=f"memory limit of the solver (default: {MEMORY_MEGABYTES})",
    )
    group.add_argument(
        "--open",
        action="store_true",
        help="if they differ, open both runs side by side in the explorer",
    )
    return _compare


def _compare(arguments: argparse.Namespace) -> int | None:
    """Compare the two kernels that arguments name; return None if they name none."""
    texts = (arguments.a, arguments.a if arguments.b is None else arguments.b)
    places = [KernelPlace(x) for x in texts]
    if not all(x.is_kernel for x in places):
        if arguments.open:
            raise CommandError("error: --open is for kernels, FILE:KERNEL")
        return _compare_blocks(arguments, texts)
    if arguments.same or arguments.carry:
        option = "--same" if arguments.same else "--carry"
        raise CommandError(f"error: {option} is for registers; parameters are paired by position")
    models = _choose_models(arguments)
    with ProgressBar() as bar, report_errors(ValueError, ImportError):
        a, b = (x.read(model) for x, model in zip(places, models, strict=True))
        if not any(x.opcode in STORES for y in (a, b) for x in y.kernel.statements):
            return None  # kernels without stores leave results in registers
        comparison = _decide(arguments, bar, a, b, may_alias=arguments.may_alias)
    if arguments.open and comparison.has_runs:
        _open_runs(comparison)
    columns = get_terminal_size().columns if sys.stdout.isatty() else WIDTH
    blocks = iter_comparison_blocks(comparison, is_brief=arguments.brief, columns=columns)
    print_report(arguments.format, blocks, lambda: comparison_to_json(comparison))
    return STATUS[comparison.verdict]


def _decide(
    arguments: argparse.Namespace,
    bar: ProgressBar,
    a: FileKernel,
    b: FileKernel,
    *,
    operands: Sequence[tuple[str, str]] = (),
    may_alias: bool = False,
) -> KernelComparison:
    """Compare two kernels within the limits of arguments, with a bar."""
    progress = _Progress(bar, arguments.timeout)
    comparison = compare_kernels(
        a,
        b,
        where=arguments.where,
        operands=operands,
        may_alias=may_alias,
        timeout=arguments.timeout,
        memory_megabytes=arguments.memory,
        on_progress=progress.advance,
        is_stopped=progress.note_time,
    )
    bar.begin_printing()
    return comparison


def _open_runs(comparison: KernelComparison) -> None:
    """Open both runs of a counterexample in the explorer, until the user leaves it."""
    from ...cli.commands.open import open_explorer
    from .run_pair import run_comparison
    from .transitions import open_pair

    model = comparison.kernels[0].model.name
    open_explorer(model=model, opening=partial(open_pair, pair=run_comparison(comparison)))


def _choose_models(arguments: argparse.Namespace) -> list[Model]:
    models = [choose_model(x or arguments.model) for x in (arguments.model_a, arguments.model_b)]
    if arguments.b is None and models[0] == models[1]:
        raise CommandError("error: give B, or two models: --model-b ptxas")
    return models


def _compare_blocks(arguments: argparse.Namespace, texts: tuple[str, str]) -> int | None:
    """Compare two blocks; return None unless one of them has floats."""
    first, second = (read_block(x) for x in texts)
    if not any(x and x.has_floats for x in (first, second)):
        return None
    if first is None or second is None:
        parse_program(texts[first is not None])  # which reports why it is no block
        return None
    if arguments.carry:
        raise CommandError("error: --carry is for blocks without floats")
    models = _choose_models(arguments)
    with ProgressBar() as bar, report_errors(ValueError, ImportError):
        pair = BlockPair((first, second), parse_same(arguments.same))
        operands = [(x, pair.find_type(x)) for x in pair.operands]
        comparison = _decide(arguments, bar, *pair.make_kernels(models), operands=operands)
    blocks_of_report = iter_block_blocks(pair, comparison)
    print_report(
        arguments.format, blocks_of_report, lambda: block_comparison_to_json(pair, comparison)
    )
    return STATUS[comparison.verdict]


class _Progress:
    """The progress of a comparison, as a line on the terminal."""

    def __init__(self, bar: ProgressBar, timeout: float) -> None:
        self._bar, self._timeout = bar, timeout
        self._start, self._activity = monotonic(), ""

    def advance(self, activity: str, count: int) -> None:
        """Show an activity and the number of its executed statements, or seconds if it is 0."""
        if activity != self._activity:
            self._activity = activity
            if count:
                self._bar.begin(activity, None, "statements")
            else:
                self._bar.begin(activity, round(self._timeout), "seconds")
        elif count:
            self._bar.advance_to(count)

    def note_time(self) -> bool:
        """Show the time that has passed, without an end to the search."""
        if self._activity and not self._activity.startswith("executing"):
            self._bar.advance_to(round(monotonic() - self._start))
        return False
