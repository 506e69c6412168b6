"""``ptxscope check``: legal and illegal instructions in listings and sources, with the reasons."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from ....cli.support.arguments import (
    Parser,
    add_format,
    make_command_parser,
    parse_count,
    parse_words,
)
from ....cli.support.inputs import open_text
from ....cli.support.streams import CommandError, ProgressBar, report_errors
from ....documents.formats.json_text import format_json
from ....engine.semantics.rules import TARGETS
from ....sources.preprocessor import Definitions
from ....sources.source_language import Language, find_language
from ..check_report import (
    StreamFormat,
    count_items,
    format_summary,
    item_to_json,
    iter_item_lines,
    iter_sarif_results,
    make_sarif_format,
)
from ..check_rules import Severity
from ..check_settings import (
    CheckSettings,
    join_settings,
    make_settings,
    read_settings,
)
from ..checked_files import count_processes, find_size, list_files
from ..diagnostic import CheckedInstruction
from ..line_markers import LineMarkers
from ..lint import check_source
from ..listing_checks import check_listing
from ..listing_sources import name_source_lines
from ..sequence_notes import Prove, SequenceSearch

if TYPE_CHECKING:
    from ..parallel_files import FileWork

Pieces = Callable[[CheckedInstruction], Iterable[str]]
"""Function that returns the texts on an instruction."""

_EPILOG = """\
examples:
  ptxscope check kernel.ptx
  ptxscope check -f json kernel.cu other.cuh
  ptxscope check -f sarif src > ptxscope.sarif
  ptxscope check -D __CUDA_ARCH__=900 kernel.cu
  ptxscope check --fix --write src/*.cu
  ptxscope check -q --verify --arch sm_90 src
  cuobjdump -ptx a.out | ptxscope check -
  nvcc -E kernel.cu | ptxscope check -

The input is .ptx files; asm statements and strings of PTX in .c, .cpp, .cu, .cuh, .h, .cl, .hip,
.py, .pyx, .rs, .jl, .ll and .mlir files; the cells of .ipynb files; fenced code in .md files and
<pre> in .html files. The language of any other file is recognised by its beginning. A folder stands
for all files with such names in it, at any depth, outside hidden folders. Several large files are
checked in parallel.

In every asm statement, it warns of a register that is read before it is written, of an output that
may share the register of an input, and of an input that is written; constraints of the wrong width
and operands that do not exist are errors. It also warns of errata, of bit instructions (prmt, lop3,
bfe, shf, …) that a shorter line can replace, and of operands and literal bits that they ignore.
Notes say what nvcc generates for CUDA's intrinsics (__vadd4, __byte_perm, …) in a .cu, .cuh or .h
file, and which statements form a sequence that computes an intrinsic on lanes.

Macros defined in the same file or by -D are expanded in asm statements; a macro whose asm depends
on an argument is expanded where it is called. With -D or -U, C's #if is evaluated as far as its
condition is known; otherwise all branches are read. `#line` markers set the reported positions. A
statement is reported as unchecked if part of it is another macro or an expression, or if it is in
`#if 0`. If such a macro holds the operands of an asm statement, their types are not checked. If a
constraint is a macro with a definition in each branch of an #if, it is checked with each; a message
that holds for one branch alone names it.

The comment `ptxscope: ignore[E3]` suppresses diagnostics of that rule on its line or, on a line of
its own, on the next one; without a rule, it suppresses all. Settings are read from the table
[check] of ptxscope.toml, or [tool.ptxscope.check] of pyproject.toml, in this folder or a parent:
ignore (rules), define, undefine, paths (patterns of the files to check if none are named) and
exclude are arrays of strings; model (ptxas-12.9, isa) is a string, and only its errata are
reported; fail-on, min-severity and force-exclude are like the options.

With --verify, ptxas compiles each asm statement and each run of statements of a listing. A solver
proves that the machine code has the documented results, or those of known errata; a run whose code
has neither is an error. One line says what could not be verified. Verdicts are saved by statements
and release. `ptxscope verify FILE` has a line for each run.

The severities are error, warning, note and remark. Remarks state what most readers know. Remarks,
and notes on minor matters, are shown once per file.

Exit status: 0 if all instructions are legal, 1 if one is illegal (or has a diagnostic of the
severity --fail-on), 2 if a file cannot be read.
"""
_CHUNK = 1 << 18
"""Characters of a listing per read."""


def make_parser() -> Parser:
    """Return the command's parser."""
    about = "Find illegal lines, and lines that an erratum can change, in listings and sources."
    parser = make_command_parser("check", about, _EPILOG, usage="[FILE ...]")
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        help="file (.ptx, .cu, …) or folder; - is standard input",
    )
    add_format(parser, ("text", "json", "sarif"), "text", has_file=False)
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="omit instructions without diagnostics"
    )
    parser.add_argument(
        "--fix", action="store_true", help="show the available fixes as a unified diff"
    )
    parser.add_argument(
        "--write", action="store_true", help="with --fix: apply the fixes to the files"
    )
    parser.add_argument(
        "--ignore",
        metavar="RULES",
        action="append",
        default=[],
        help="ignore diagnostics of these rules: E3,shorter",
    )
    severities = [str(x) for x in Severity]
    parser.add_argument(
        "--fail-on",
        metavar="LEVEL",
        choices=severities,
        help="lowest severity with exit status 1 (default: error)",
    )
    parser.add_argument(
        "--min-severity",
        metavar="LEVEL",
        choices=severities,
        help="lowest severity to report (default: note)",
    )
    parser.add_argument(
        "--force-exclude", action="store_true", help="also exclude files named on the command line"
    )
    parser.add_argument(
        "-D",
        metavar="NAME[=VALUE]",
        dest="defined",
        action="append",
        default=[],
        help="define a macro and evaluate #if",
    )
    parser.add_argument(
        "-U",
        metavar="NAME",
        dest="undefined",
        action="append",
        default=[],
        help="undefine a macro and evaluate #if",
    )
    parser.add_argument("--prove", action="store_true", help="prove each sequence again")
    parser.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=parse_count,
        help="files to check in parallel (default: the fastest number)",
    )
    parser.add_argument(
        "--verify", action="store_true", help="verify the machine code by ptxas, too"
    )
    parser.add_argument(
        "--arch",
        action="append",
        default=[],
        metavar="ARCH",
        help=f"target, {TARGETS}; repeatable (default: sm_90)",
    )
    return parser


def _load_prover() -> Prove:
    from ....feature import Service, find_services

    for load in find_services(Service.LOAD_PROVER):
        with report_errors(ImportError):
            prover: Prove = load()
            return prover
    raise CommandError("error: --prove: no feature proves sequences here")


def run(words: Sequence[str]) -> int:
    """Check files and print the diagnostics."""
    arguments = parse_words(make_parser(), words)
    options = make_settings(arguments.ignore, None, arguments.defined, arguments.undefined)
    settings = _add_options(join_settings(read_settings(Path.cwd()), options), arguments)
    if not (arguments.files or settings.paths):
        raise CommandError("error: no FILE is named, and no settings have `paths`")
    verify = _find_verifier(arguments)
    files, read_errors = list_files(arguments.files or settings.paths, settings)
    _require_single_stdin(files)
    if arguments.fix or arguments.write:
        return _fix(files, read_errors, settings, arguments)
    frame, pieces = _choose_stream_format(arguments.format)
    work = partial(
        _check_file,
        pieces=pieces,
        separator=frame.separator,
        is_quiet=arguments.quiet,
        settings=settings,
        prove=_load_prover() if arguments.prove else None,
    )
    with ProgressBar() as bar:
        if arguments.format != "text":  # the output of the other formats does not end with a line
            bar.begin_printing()
        output = _ReportWriter(frame, bar)
        output.read_errors += read_errors
        sys.stdout.write(frame.head)
        sizes = [*map(find_size, files)]
        number = count_processes(arguments.jobs, [size for size in sizes if size is not None])
        bar.begin("checking", *_estimate_total(sizes))
        if number > 1:
            shared = [size is not None for size in sizes]
            _check_in_processes(files, shared, number, work, output)
        else:
            for name in files:
                output.finish_file(work(name, output.write, on_read=output.read))
    sys.stdout.write(frame.tail if output.has_output else frame.empty)
    if arguments.format == "text":
        print(format_summary(output.counts, settings.fail_on))
    is_wrong = False
    if verify:
        sys.stdout.flush()
        lines, is_wrong = verify([x for x in files if x != "-"], arguments.arch, arguments.jobs)
        print("\n".join(lines))
    if output.read_errors:
        sys.stdout.flush()
        raise CommandError("\n".join(output.read_errors))
    return int(is_wrong or output.counts["failing"] > 0)


Verify = Callable[[Sequence[str], Sequence[str], int | None], tuple[list[str], bool]]
"""Returns lines on the machine code of files, and whether some of it is wrong."""


def _find_verifier(arguments: argparse.Namespace) -> Verify | None:
    """Return the service that verifies machine code, if the arguments ask for it."""
    if not arguments.verify:
        if arguments.arch:
            raise CommandError("error: --arch needs --verify")
        return None
    if arguments.format != "text" or arguments.fix:
        raise CommandError("error: --verify is for the text of a report alone")
    from ....feature import Service, find_services

    for verify in find_services(Service.VERIFY_FILES):
        found: Verify = verify
        return found
    raise CommandError("error: --verify: no feature verifies machine code here")


def _add_options(settings: CheckSettings, arguments: argparse.Namespace) -> CheckSettings:
    return settings._replace(
        forces_exclude=arguments.force_exclude or settings.forces_exclude,
        fail_on=Severity(arguments.fail_on or settings.fail_on),
        min_severity=Severity(arguments.min_severity or settings.min_severity),
    )


def _fix(
    files: Sequence[str],
    read_errors: Sequence[str],
    settings: CheckSettings,
    arguments: argparse.Namespace,
) -> int:
    from .fixed_files import fix_files  # most runs only report

    if arguments.write and not arguments.fix:
        raise CommandError("error: --write needs --fix")
    if arguments.format != "text":
        raise CommandError("error: --fix shows a diff: it has no other format")
    return fix_files(files, settings, read_errors, writes=arguments.write)


class CheckOutcome(NamedTuple):
    """The outcome of checking a file."""

    counts: Counter[str]
    read_error: str = ""
    """The reason why it cannot be read."""


class _ReportWriter:
    """Writes the report on the files so far."""

    def __init__(self, frame: StreamFormat, bar: ProgressBar) -> None:
        self.frame, self.bar = frame, bar
        self.in_its_way = sys.stdout.isatty()
        self.size = 0
        """Characters read by this process."""
        self.elsewhere: Callable[[], int] = int
        """Returns the characters read by other processes."""
        self.has_output = False
        """Whether any text has been printed."""
        self.counts = Counter[str]()
        self.read_errors: list[str] = []
        """The reasons why files cannot be read."""

    def write(self, text: str) -> None:
        """Print a text, if it is not empty; a separator comes before all but the first."""
        if not text:
            return
        if not self.has_output:
            self.has_output = True
            text = self.frame.first + text.removeprefix(self.frame.separator)
        if self.in_its_way:
            self.bar.hide()
        sys.stdout.write(text)

    def read(self, size: int = 0) -> None:
        """Count characters that are read, or checked."""
        self.size += size
        self.bar.advance_to(self.size + self.elsewhere())

    def finish_file(self, outcome: CheckOutcome) -> None:
        """Record the outcome of a file."""
        self.counts.update(outcome.counts)
        if outcome.read_error:
            self.read_errors.append(outcome.read_error)


def _choose_stream_format(format_: str) -> tuple[StreamFormat, Pieces]:
    """Return the stream's frame, and the function that writes an instruction."""
    if format_ == "json":
        return StreamFormat(first="[", separator=",", tail="\n]\n", empty="[]\n"), _json_pieces
    if format_ == "sarif":
        return make_sarif_format(), iter_sarif_results
    return StreamFormat(), _iter_text_lines


def _iter_text_lines(item: CheckedInstruction) -> Iterator[str]:
    yield "\n".join(iter_item_lines(item)) + "\n"


def _json_pieces(item: CheckedInstruction) -> Iterator[str]:
    yield f"\n {format_json(item_to_json(item))}"


# --- several files ------------------------------------------------------------------------


def _estimate_total(sizes: Sequence[int | None]) -> tuple[int | None, str]:
    """Return the total to read and its unit.

    It is approximate: a character has one or more bytes.
    """
    total = [size for size in sizes if size]
    return (sum(total), "") if len(total) == len(sizes) else (None, "characters")


def _check_in_processes(
    names: Sequence[str],
    shared: Sequence[bool],
    number: int,
    work: FileWork[CheckOutcome],
    output: _ReportWriter,
) -> None:
    """Check files here and in other processes at once; the output is the same as from one.

    ``shared`` marks the files that other processes can read.
    """
    from ..parallel_files import start_processes

    # The first is printed while it is checked.
    names_by_index = {index: name for index, name in enumerate(names) if index and shared[index]}
    with start_processes(work, names_by_index, number - 1) as (result, output.elsewhere):
        for index, name in enumerate(names):
            if (outcome_and_texts := result(index, output.read)) is None:
                output.finish_file(work(name, output.write, on_read=output.read))
                continue
            outcome, texts = outcome_and_texts
            for text in texts:
                output.write(text)
            output.finish_file(outcome)


# --- one file -----------------------------------------------------------------------------


def _check_file(
    name: str,
    write: Callable[[str], object],
    *,
    pieces: Pieces,
    separator: str,
    is_quiet: bool,
    settings: CheckSettings,
    prove: Prove | None,
    on_read: Callable[[int], object],
) -> CheckOutcome:
    counts = Counter[str]()
    try:
        items = settings.filter_items(_check(name, settings.definitions, prove, on_read))
        for item in count_items(items, counts):
            if item.diagnostics:
                counts["failing"] += settings.is_failure(item)
            if item.diagnostics or not is_quiet:
                write("".join(separator + piece for piece in pieces(item)))
    except CommandError as error:
        return CheckOutcome(counts, str(error))
    return CheckOutcome(counts)


def _check(
    name: str, definitions: Definitions, prove: Prove | None, on_read: Callable[[int], object]
) -> Iterator[CheckedInstruction]:
    with open_text(name) as file:
        head = file.read(_CHUNK)
        language, search = find_language(name, head), SequenceSearch(name, prove)
        if language is Language.PTX:
            chunks = _iter_chunks(head, file, on_read)
            yield from name_source_lines(
                chunks, lambda x: search.merge(check_listing(search.record_chunks(x), name))
            )
        else:
            text = head + file.read()
            lines, counted_chars = text.count("\n") + 1, 0
            if language is not Language.C or not LineMarkers(text).markers:
                search.search(text)
            for item in search.merge(check_source(text, name, language, definitions)):
                if (so_far := len(text) * item.location.line // lines) > counted_chars + _CHUNK:
                    on_read(so_far - counted_chars)
                    counted_chars = so_far
                yield item
            on_read(len(text) - counted_chars)


def _require_single_stdin(names: Sequence[str]) -> None:
    """Raise CommandError if standard input would be read twice."""
    if names.count("-") > 1:
        raise CommandError("error: `-` is given twice; standard input can be read once")


def _iter_chunks(head: str, file: IO[str], on_read: Callable[[int], object]) -> Iterator[str]:
    while head:
        on_read(len(head))
        yield head
        head = file.read(_CHUNK)
