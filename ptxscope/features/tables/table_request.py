"""A request for many evaluations: the arguments of ``eval`` that name a file."""

from __future__ import annotations

from argparse import Namespace
from functools import partial

from ...cli.support.ptx_arguments import parse_assignments
from ...cli.support.streams import CommandError
from ...engine.semantics.models import Model
from ...engine.tracing.basic_block import BasicBlock
from ...engine.tracing.evaluation import evaluate_plan


def evaluate_table(ins: BasicBlock, model: Model, arguments: Namespace) -> None:
    """Print the rows of a CSV file with their results, or write the results of arrays to a file."""
    if (arguments.arrays is None) != (arguments.output is None):
        raise CommandError(
            "error: --arrays and --output must be given together; "
            "the results of --csv are printed, so redirect them with >"
        )
    evaluate = partial(evaluate_plan, ins, ins.make_plan, model=model)
    if arguments.arrays is None:
        from .csv_results import print_rows

        inputs = parse_assignments(ins, arguments.values)
        print_rows(ins, evaluate, arguments.csv, inputs)
        return
    if arguments.csv is not None:
        raise CommandError("error: operands come from --csv or from --arrays, not from both")
    from .array_results import evaluate_file

    evaluate_file(ins, evaluate, arguments.values, arguments.arrays, arguments.output)
