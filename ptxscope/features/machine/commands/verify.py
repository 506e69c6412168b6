"""``ptxscope verify``: the model that an assembler follows, proved from its machine code."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

from ....cli.support.arguments import (
    Parser,
    add_format,
    choose_model,
    make_command_parser,
    parse_count,
    parse_words,
    print_report,
)
from ....cli.support.inputs import open_text
from ....cli.support.ptx_arguments import PLACE, is_file, parse_instruction, read_place
from ....cli.support.streams import CommandError, print_message, report_errors
from ....documents.formats.report import REPORT_FORMATS
from ....engine.semantics.rules import ERRATA
from ....engine.syntax.errors import format_count, format_install_hint, make_printable
from ....engine.syntax.instruction import Instruction, make_instruction
from ....engine.syntax.parser import parse
from ....engine.tracing.basic_block import make_block
from ....feature import Service, find_services
from ...prove.commands.programs import add_timeout, parse_program
from ...prove.equivalence import TIMEOUT
from ..form_verdict import (
    FormVerdict,
    VerdictOutcome,
    drop_optimizer_errata,
    find_equal_model,
    iter_forms,
    list_verified_opcodes,
)
from ..kernel_source import find_ptx_version, make_kernel_source
from ..machine_report import (
    ExpectedModel,
    VerdictCounts,
    code_to_json,
    iter_verdict_blocks,
)
from ..run_report import iter_run_blocks, pair_runs, run_to_json
from ..statement_runs import FileRuns, list_runs
from ..tools import (
    TOOL_HELP,
    add_tools,
    choose_archs,
    choose_tools,
    format_line,
    report_tool_errors,
)
from ..verification import (
    DEFAULT_LEVEL,
    Program,
    RenderFault,
    Task,
    render_deviations,
)
from .verdicts import check_opcodes, find_verdicts, format_title

_FILE_TIMEOUT = 10.0
"""The default time for a proof of a run of a file, which has many."""
_ISSUE = "issue"
"""The format of reports for a tracker."""
_MODEL = re.compile(r"isa|ptxas(?:-\d{1,3}\.\d{1,3})?")
_EPILOG = f"""\
Each line or block is assembled in a kernel of its own, its machine code is interpreted as formulas,
and a solver proves that they agree with a model for all operands. If they do not, it finds operands
for which they differ, and the numbers are computed again. The proof assumes the meaning of some
eighty opcodes, and that the hardware implements it.

A block is a list of statements that run one after the other, without memory or branches: the
results are the registers that no later statement reads. ptxas sees the block alone, so it can
optimize it differently than within a kernel.

In a file, or a part of one, each run of statements is a block: the statements between loads,
stores, branches and others that are not computed. Its results are the registers that other
statements read, or that none reads. A proof of a run has {_FILE_TIMEOUT:.0f} s unless --timeout
gives another time.

-f issue writes a report for a tracker on each deviation from the documentation: its smallest form,
a kernel, the machine code with its values, and when the results differ.

--all takes every form of the {len(list_verified_opcodes())} comparisons, selections and video
instructions, in registers, and the examples of the errata; SIMD forms without selectors and with
randomly chosen ones. --family also takes every other opcode. Verdicts are saved, so the same
command continues after Ctrl-C.

--pairs searches for two statements that ptxas compiles correctly one by one, but not together: the
second reads the result of the first. They are the integer forms of the catalog in registers, or
with a literal in one of them. With opcodes, at least one of the two has such an opcode; --triples
takes three statements of some opcodes. A search can take hours; the same command continues it.

--gpu runs a kernel for each line on 1,024 operand sets, and compares the results with the models.
It needs the extra `gpu`: {format_install_hint("gpu")}.

{TOOL_HELP}

examples:
  ptxscope verify 'vadd.u32.s32.s32.sat d.b0, a, b, c' --model isa
  ptxscope verify '{{ neg.s16 t, a; cvt.s32.s16 d, t; }}' -O0 -O3
  ptxscope verify kernels.ptx:histogram --arch sm_75
  ptxscope verify --pairs neg --pairs prmt --sample 2000
  ptxscope verify --family vadd4 --arch sm_75 --arch sm_90
  ptxscope verify --all --sample 500 --model isa
  ptxscope verify 'vadd.u32.s32.s32.sat d.b0, a, b, c' -f issue > report.md
  ptxscope verify --gpu --all --sample 500 --write-inputs batch
  ptxscope verify --gpu --results batch/results.npz

Needs ptxas, nvdisasm and the solver, of the extra `sass`: {format_install_hint("sass")}.

Exit status: 0 if every line is proved to follow the model, 1 if one does not or ptxas refuses it, 2
if the request is invalid or a tool is missing, 3 if one is undecided or not interpreted.
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    about = "Prove which model an assembler follows, from the machine code of lines or of a block."
    parser = make_command_parser("verify", about, _EPILOG, usage="[PTX]")
    parser.add_argument(
        "ptx",
        metavar="PTX",
        nargs="?",
        help="instruction, asm statement or statements in braces; or FILE, FILE:KERNEL, "
        "FILE:FIRST-LAST",
    )
    parser.add_argument("--all", action="store_true", help="every form of the 27 instructions")
    parser.add_argument(
        "--family",
        action="append",
        default=[],
        metavar="OPCODE",
        help="every form of an opcode, such as bfe; repeatable",
    )
    parser.add_argument(
        "--pairs",
        action="append",
        nargs="?",
        const="",
        metavar="OPCODE",
        help="every pair of statements, or those with an opcode; repeatable",
    )
    parser.add_argument(
        "--triples",
        action="append",
        default=[],
        metavar="OPCODE",
        help="triples of statements of this opcode and others; repeatable",
    )
    parser.add_argument(
        "--sample", type=parse_count, metavar="N", help="only N of the forms, the same each time"
    )
    add_tools(parser)
    parser.add_argument(
        "-O",
        action="append",
        type=int,
        choices=range(4),
        metavar="LEVEL",
        dest="levels",
        help=f"optimization level of ptxas, 0 to 3; repeatable (default: {DEFAULT_LEVEL})",
    )
    parser.add_argument(
        "--model",
        metavar="MODEL",
        help="expected model: isa, ptxas or ptxas-MAJOR.MINOR (default: by the assembler's "
        "version)",
    )
    add_timeout(parser)
    parser.set_defaults(timeout=None)
    parser.add_argument(
        "--jobs",
        type=parse_count,
        metavar="N",
        help="parallel processes (default: one for each processor)",
    )
    parser.add_argument("--fresh", action="store_true", help="discard saved verdicts")
    add_format(parser, (*REPORT_FORMATS, "json", _ISSUE), "text", has_file=False)
    parser.add_argument(
        "--gpu", action="store_true", help="run the lines on this machine's GPU instead"
    )
    parser.add_argument(
        "--write-inputs",
        metavar="FOLDER",
        help="with --gpu: write files that another machine can run",
    )
    parser.add_argument(
        "--results", metavar="FILE", help="with --gpu: results that another machine computed"
    )
    return parser


def run(words: Sequence[str]) -> int:
    """Print the verdicts; return whether all are as expected, as the exit status."""
    arguments = parse_words(make_parser(), words)
    _check_options(arguments)
    if arguments.pairs is not None or arguments.triples:
        from .statement_search import search

        return search(arguments)
    if arguments.gpu or arguments.write_inputs or arguments.results:
        return _run_on_device(arguments)
    is_list = bool(arguments.all or arguments.family)
    file_runs = find_file_runs(arguments.ptx) if arguments.ptx and not is_list else None
    lines = file_runs.blocks if file_runs else list_programs(arguments)
    if arguments.timeout is None:
        arguments.timeout = _FILE_TIMEOUT if file_runs else TIMEOUT
    archs = choose_archs(arguments)
    levels = dict.fromkeys(arguments.levels or [DEFAULT_LEVEL])
    ptxas, nvdisasm = choose_tools(arguments)
    tasks = [
        Task(ptxas, nvdisasm, arch, arguments.timeout, level) for arch in archs for level in levels
    ]
    models = [_choose_expected(arguments.model, x, lines) for x in tasks]
    chosen = [_keep_assembled(task, lines) if is_list else lines for task in tasks]
    found = find_verdicts(tasks, chosen, arguments.jobs, is_fresh=arguments.fresh)
    if arguments.format == _ISSUE:
        render = _find_renderer()
        for task, kept, verdicts in zip(tasks, chosen, found, strict=True):
            with report_tool_errors():
                programs = [x for x in kept if not isinstance(x, str)]
                sys.stdout.write(render_deviations(task, programs, verdicts, render))
    else:
        blocks = (
            block
            for task, verdicts, expected in zip(tasks, found, models, strict=True)
            for title in [format_title(task, verdicts, file_runs)]
            for block in (
                iter_run_blocks(file_runs, verdicts, title, expected)
                if file_runs
                else iter_verdict_blocks(verdicts, title, expected)
            )
        )
        print_report(arguments.format, blocks, lambda: _to_json(tasks, found, models[0], file_runs))
    pairs = zip(found, models, strict=True)
    statuses = [_get_status(x, expected) for verdicts, expected in pairs for x in verdicts]
    return max(statuses, default=0) or 3 * any(
        x.reason for x in (file_runs.runs if file_runs else ())
    )


def _check_options(arguments: argparse.Namespace) -> None:
    if arguments.format == _ISSUE and (arguments.gpu or arguments.results):
        raise CommandError(f"error: -f {_ISSUE} is for machine code, not for --gpu")
    if arguments.levels and arguments.gpu:
        raise CommandError("error: -O is for machine code, not for --gpu")
    if arguments.ptx is not None and arguments.sample:
        raise CommandError("error: --sample is for --all and --family")


def _run_on_device(arguments: argparse.Namespace) -> int:
    """Report on a GPU's results, or write files that another GPU's machine can run."""
    from . import device_runs

    if not arguments.gpu or (arguments.write_inputs and arguments.results):
        raise CommandError(
            "error: --write-inputs and --results each go with --gpu, and not together"
        )
    if arguments.results:
        if arguments.ptx or arguments.all or arguments.family:
            raise CommandError("error: --results contains its own lines; name no others")
        return device_runs.report_results(arguments.results, format_=arguments.format)
    lines = list_lines(arguments)
    if arguments.write_inputs:
        return device_runs.write_lines(lines, arguments.write_inputs, choose_archs(arguments)[0])
    return device_runs.run_lines(lines, format_=arguments.format)


def _find_renderer() -> RenderFault:
    """Return the function that writes the report of a fault."""
    renderers = find_services(Service.RENDER_FAULT)
    if not renderers:
        raise CommandError(f"error: -f {_ISSUE} needs a feature that writes reports of faults")
    return renderers[0]


def _get_status(verdict: FormVerdict, expected: ExpectedModel) -> int:
    if expected.is_followed(verdict):
        return 0
    return 3 if verdict.outcome in (VerdictOutcome.UNDECIDED, VerdictOutcome.UNKNOWN) else 1


def list_programs(arguments: argparse.Namespace) -> Sequence[Program]:
    """Return the instructions to verify, or the block."""
    if arguments.ptx is None or arguments.all or arguments.family:
        return list_lines(arguments)
    return [read_verified(arguments.ptx)]


def find_file_runs(text: str) -> FileRuns | None:
    """Return the runs of the file, or of the part of one, that a text names; None for PTX."""
    place = PLACE.fullmatch(text)
    if not place and not is_file(text):
        return None
    path = text if is_file(text) else place["file"] if place else ""
    if not is_file(path):
        return None
    kernel, lines = "", None
    if path == text or not place:
        with open_text(path) as stream:
            source = stream.read()
    else:
        source, numbers = read_place(place)
        kernel, lines = place["kernel"] or "", numbers or None
    with report_errors(ValueError):
        file_runs = list_runs(source, Path(path).name, program_name=kernel, lines=lines)
    if not file_runs.runs:
        raise CommandError(f"error: {make_printable(text)} has no statements that are computed")
    return file_runs


def read_verified(text: str) -> Program:
    """Return the line or the block in a text; another text ends the command with status 2."""
    program = parse_program(text)
    notes = program.instruction.notes if program.is_line else program.notes
    for note in notes:
        print_message(f"note: {make_printable(note)}")
    if program.is_line:
        return parse_instruction(text, illegal_status=2).with_role_names()
    with report_errors(ValueError):
        make_kernel_source(program)
    return program


def list_lines(arguments: argparse.Namespace) -> list[Instruction]:
    """Return the instructions to verify."""
    chosen = [arguments.ptx is not None, arguments.all, bool(arguments.family)]
    if sum(chosen) != 1:
        hint = ", one of them" if any(chosen) else ""
        raise CommandError(f"error: give an instruction, --all, or --family OPCODE{hint}")
    if arguments.ptx is not None:
        return [parse_instruction(arguments.ptx, illegal_status=2).with_role_names()]
    check_opcodes("--family", arguments.family)
    opcodes = arguments.family or list_verified_opcodes()
    forms = [form for x in opcodes for form in iter_forms(x)]
    if arguments.sample and arguments.sample < len(forms):
        rng = Random(1)  # noqa: S311 - not for security
        forms = rng.sample(forms, arguments.sample)
    lines = [make_instruction(form) for form in forms]
    return [*dict.fromkeys([*_list_examples(), *lines])] if arguments.all else lines


def _list_examples() -> list[Instruction]:
    """Return the examples of the errata of these instructions, guards included."""
    opcodes = set(list_verified_opcodes())
    return [parse(x.example[0]) for x in ERRATA if opcodes.issuperset(x.opcodes)]


def _choose_expected(name: str | None, task: Task, lines: Sequence[Program]) -> ExpectedModel:
    """Return the model of a name, or of the assembler's version.

    Without optimization, an assembler folds no field (E15) and combines no statements (E19 to E25).
    """
    if name and not _MODEL.fullmatch(name):
        shown = make_printable(name)
        raise CommandError(f"error: --model {shown}: write isa, ptxas or ptxas-MAJOR.MINOR")
    model = choose_model(name or "ptxas-{}.{}".format(*task.ptxas.version))
    if not task.level:
        model = drop_optimizer_errata(model)
    blocks = [
        make_block(x) if isinstance(x, Instruction) else x for x in lines if not isinstance(x, str)
    ]
    names = {format_line(x): find_equal_model(x, model).name for x in blocks}
    return ExpectedModel(model.name, names)


def _keep_assembled(task: Task, lines: Sequence[Program]) -> Sequence[Program]:
    """Return the lines that exist for a target and an assembler; print how many do not."""
    version = find_ptx_version(task.ptxas.version)
    kept = [
        x
        for x in lines
        if not isinstance(x, Instruction)
        or x.entry.compute_minimum(x.form).is_met(version, task.arch)
    ]
    if missing := len(lines) - len(kept):
        language = f"{task.arch} with PTX {version[0]}.{version[1]}"
        if not kept:
            raise CommandError(f"error: {language} supports none of the lines")
        print_message(f"note: {language} does not support {format_count(missing, 'line')}")
    return kept


def _to_json(
    tasks: Sequence[Task],
    verdict_lists: Sequence[Sequence[FormVerdict]],
    expected: ExpectedModel,
    file_runs: FileRuns | None = None,
) -> dict[str, object]:
    omitted = {"omitted": dict(file_runs.omitted)} if file_runs else {}
    return {
        **omitted,
        "ptxas": tasks[0].ptxas.build,
        "nvdisasm": tasks[0].nvdisasm.build,
        "model": expected.name,
        "targets": [
            {
                "arch": task.arch,
                "level": task.level,
                "counts": VerdictCounts(verdicts).to_json(),
                **(
                    {"runs": [run_to_json(x, y) for x, y in pair_runs(file_runs, verdicts)]}
                    if file_runs
                    else {"verdicts": [code_to_json(x) for x in verdicts]}
                ),
            }
            for task, verdicts in zip(tasks, verdict_lists, strict=True)
        ],
    }
