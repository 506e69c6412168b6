"""The section of a trace that ``trace --sass`` adds."""

from __future__ import annotations

import argparse

from ...cli.support.streams import CommandError
from ...documents.options import MachineSection
from ...engine.tracing.trace import Trace
from ...proof.equivalence import TIMEOUT
from .machine_report import make_machine_section
from .tools import check_arch, choose_tools, format_tools, list_line_code, make_line_source


def make_section(trace: Trace, arguments: argparse.Namespace) -> MachineSection:
    """Return the machine code of a line, and what each instruction computes."""
    if arguments.beside:
        raise CommandError("error: --sass and --beside do not go together: choose one of them")
    if arguments.live:
        raise CommandError("error: --sass and --live do not go together: a browser has no ptxas")
    check_arch(arguments.sass, "--sass")
    tools = choose_tools(arguments)
    source = make_line_source(trace.instruction)
    (listing,) = list_line_code(source, [arguments.sass], tools, TIMEOUT)
    return make_machine_section(listing, format_tools(*tools))
