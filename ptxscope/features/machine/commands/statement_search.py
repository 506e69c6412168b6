"""``verify --pairs``: a search for statements that an assembler compiles wrongly together."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from random import Random

from ....cli.support.arguments import print_report
from ....cli.support.streams import CommandError
from ....engine.syntax.instruction import Instruction
from ..form_verdict import FormVerdict, VerdictOutcome
from ..kernel_source import find_ptx_version
from ..machine_report import VerdictCounts
from ..pair_report import iter_pair_blocks, pairs_to_json
from ..statement_pairs import list_pairs, list_triples
from ..tools import choose_archs, choose_tools
from ..verification import DEFAULT_LEVEL, Task
from .verdicts import check_opcodes, find_verdicts, format_title

_PAIR_TIMEOUT = 2.0
"""The default time for a proof of a pair of statements."""


def search(arguments: argparse.Namespace) -> int:
    """Print the pairs or triples that an assembler compiles wrongly; the status says if any is."""
    is_alone = arguments.ptx is None and not (arguments.all or arguments.family or arguments.gpu)
    if not is_alone or (arguments.pairs is not None and arguments.triples):
        raise CommandError("error: --pairs and --triples go with no other lines, and not together")
    opcodes = arguments.triples or [x for x in arguments.pairs if x]
    check_opcodes("--triples" if arguments.triples else "--pairs", opcodes)
    archs = choose_archs(arguments)
    ptxas, nvdisasm = choose_tools(arguments)
    version = find_ptx_version(ptxas.version)

    def is_supported(ins: Instruction) -> bool:
        minimum = ins.entry.compute_minimum(ins.form)
        return all(minimum.is_met(version, arch) for arch in archs)

    make = list_triples if arguments.triples else list_pairs
    lines = make(opcodes, is_supported)
    if arguments.sample and arguments.sample < len(lines):
        lines = Random(1).sample(lines, arguments.sample)  # noqa: S311 - not for security
    timeout = _PAIR_TIMEOUT if arguments.timeout is None else arguments.timeout
    tasks = [
        Task(ptxas, nvdisasm, arch, timeout, level)
        for arch in archs
        for level in dict.fromkeys(arguments.levels or [DEFAULT_LEVEL])
    ]
    found = find_verdicts(
        tasks, [lines] * len(tasks), arguments.jobs, "pairs", is_fresh=arguments.fresh
    )
    blocks = (
        block
        for task, verdicts in zip(tasks, found, strict=True)
        for block in iter_pair_blocks(verdicts, format_title(task, verdicts, noun="sequences"))
    )
    print_report(arguments.format, blocks, lambda: _search_to_json(tasks, found))
    outcomes = (x.outcome for verdicts in found for x in verdicts)
    return int(VerdictOutcome.DEPARTED in outcomes)


def _search_to_json(
    tasks: Sequence[Task], verdict_lists: Sequence[Sequence[FormVerdict]]
) -> dict[str, object]:
    return {
        "ptxas": tasks[0].ptxas.build,
        "nvdisasm": tasks[0].nvdisasm.build,
        "targets": [
            {
                "arch": task.arch,
                "level": task.level,
                "counts": VerdictCounts(verdicts).to_json(),
                "verdicts": pairs_to_json(verdicts),
            }
            for task, verdicts in zip(tasks, verdict_lists, strict=True)
        ],
    }
