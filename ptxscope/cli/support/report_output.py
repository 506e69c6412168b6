"""Output of reports: the option ``-f``, and a report in the chosen format or as JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable

from ...documents.formats.json_text import format_json
from ...documents.formats.markup import Block
from ...documents.formats.report import REPORT_FORMATS, write_report
from ...documents.formats.text import WIDTH
from .arguments import add_format


def add_report_format(parser: argparse._ActionsContainer) -> None:
    """Add the option ``-f`` of a report."""
    add_format(parser, (*REPORT_FORMATS, "json"), "text", has_file=False)


def print_report(
    format_: str, blocks: Iterable[Block], make_data: Callable[[], object], width: int = WIDTH
) -> None:
    """Print a report in a format; as JSON, its data."""
    if format_ == "json":
        print(format_json(make_data(), indent=1))
    else:
        sys.stdout.write(write_report(blocks, format_, width))
