"""``ptxscope run``: a kernel or a block of inline assembly, statement by statement."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from ...blocks.execution import execute
from ...blocks.program_run import (
    Run,
    StopReason,
    UnknownSites,
    find_unknown_sites,
    get_register_name,
    make_initial_key,
)
from ...diagnosis.observation import Observed, parse_observed
from ...documents.formats.json_text import format_json
from ...engine.isa.encodings import format_hex
from ...engine.program.program import Program
from ...engine.program.statement import Statement
from ...engine.syntax.errors import (
    Problem,
    PtxError,
    abbreviate_names,
    find_closest_spelling,
    make_printable,
)
from ...engine.syntax.values import parse_value
from ...sources.source_lines import read_source_lines
from ...sources.source_programs import load
from ..support.arguments import (
    Parser,
    add_format,
    add_model,
    add_values,
    choose_model,
    make_command_parser,
    parse_own_words,
)
from ..support.file_arguments import InputName
from ..support.inputs import open_text
from ..support.ptx_arguments import PLACE, is_file, parse_named_values, parse_register
from ..support.run_report import (
    find_wrong_registers,
    format_omission,
    iter_folding_notes,
    iter_run_lines,
    iter_verdict_lines,
    run_to_json,
)
from ..support.streams import CommandError, ProgressBar, print_message, report_errors

RUN_HELP = """\
The run computes the instructions that `ptxscope show` lists, and mov between a word and a list of
registers. Any other instruction makes the registers that it writes unknown. A product, a conversion
or a common 64-bit instruction, usually for an index or an address, does the same if it reads an
unknown register. If any other instruction reads one, the run stops and asks for its value; supply
it as name=value. The value is used once: if the register, or another of its name, becomes unknown
again later, supply name@line=value for the line that writes it. Write t@1#2=value for the second
time that line 1 makes t unknown, and t@0=value for the start. A taken branch ends the run.

A value has the type of its register: x=5 is an integer for a .b32 and 5.0 for an .f32. If the
register is not declared, its use gives the type.
"""
RUN_EXAMPLES = """\
  ptxscope run kernel.ptx --kernel sad_stereo %r1=0 %r2=1 %r7=0x01020304 %r8=0x04030201 …
  ptxscope run 'asm("{ .reg .u32 t; vadd4.u32.u32.u32 t, %1, %2, %2; not.b32 %0, t; }" …)' %1=1 %2=2
  ptxscope run kernel.ptx %r1=5 --watch %r7 --break 48
  ptxscope run kernel.ptx %r1=5 --expect %r7=0x7f
"""
_EPILOG = f"""\
{RUN_HELP}
examples:
{RUN_EXAMPLES}
Exit status: 0 for success, 1 if a value is not as expected, 2 if the request is invalid.
"""
_MAX_OMISSIONS = 12
_MIN_BAR_CHARS = 1 << 21
"""Minimum characters of a text that takes more than a second to load."""


def run(words: Sequence[str]) -> int:
    """Run the program and print its effects."""
    with ProgressBar() as bar:
        return _run_words(words, bar)


def _run_words(words: Sequence[str], bar: ProgressBar) -> int:
    own_parser = make_register_parser(add_help=False)
    arguments, has_other_options = parse_own_words(own_parser, make_parser, words)
    for option in ("trace", "fold"):
        if arguments.format == "json" and getattr(arguments, option):
            raise CommandError(f"error: --{option} is for text: -f json has every step")
    text, name = _read_program_text(arguments.file, bar)
    is_for_services = has_other_options or may_be_launch(arguments, text)
    services = _find_services() if is_for_services else ()
    for run_kernel in services:
        status = run_kernel(words, text, name, bar)
        if status is not None:
            return status
    bar.begin("loading", len(text), "characters", is_slow=len(text) > _MIN_BAR_CHARS)
    loaded = load(text, name, bar.advance_to)
    program = _choose_program(loaded, arguments.kernel, is_cuda="__global__" in text)
    if program.problems:
        error = PtxError(program.text, program.problems)
        raise CommandError(error.format_with_lines(f"{make_printable(program.name)}, "), 1)
    if is_for_services and not services:
        _refuse_parameters(program, arguments.values)
    values = parse_inputs(program, arguments.values)
    expected_results = _parse_expected(program, arguments.expect)
    watched = _find_watched(program, arguments.watch)
    bar.begin("running", len(program.statements), "statements")
    model = choose_model(arguments.model)
    program_run = execute(
        program, values, model, stop_line=arguments.stop, on_progress=bar.advance_to
    )
    spare = (name for name in list_names(arguments.values) if _is_spare(program, name))
    program_run = program_run._replace(unused=(*program_run.unused, *spare))
    for note in iter_folding_notes(program.statements, model):
        print_message(f"note: {note}")
    bar.begin("printing", len(program_run.steps), "steps")
    bar.begin_printing()
    request = program_run.ending is StopReason.MISSING_INPUT
    if arguments.format == "json":
        data = run_to_json(program_run, {} if request else expected_results, bar)
        data = read_source_lines(program_run.program.text).name_lines(data)
        print(format_json(data, indent=1))
    else:
        for line in iter_run_lines(program_run, watched, arguments, bar):
            print(line)
        if not request:
            for line in iter_verdict_lines(program_run, values, expected_results, arguments.stop):
                print(line)
    if request:
        sys.stdout.flush()
        raise CommandError(_format_request(program_run) + _suggest_parameters(program))
    return int(bool(find_wrong_registers(program_run, expected_results)))


def _find_services() -> tuple[Callable[..., int | None], ...]:
    """Return features' functions that run a kernel."""
    from ...feature import Service, find_services

    return find_services(Service.RUN_KERNEL)


def may_be_launch(arguments: argparse.Namespace, text: str) -> bool:
    """Return whether the values may be for a kernel's parameters, not for registers."""
    names = list_names(arguments.values)
    is_kernel = ".entry" in text or "__global__" in text
    return is_kernel and bool(names) and not any(name.startswith("%") for name in names)


def list_names(texts: Sequence[str]) -> list[str]:
    """Return the names in ``name=value`` arguments."""
    return [text.partition("=")[0].strip() for text in texts]


def _refuse_parameters(program: Program, texts: Sequence[str]) -> None:
    """Raise CommandError for the value of a parameter, which no feature supports."""
    parameters = {x.name for x in program.parameters}
    parameters |= {f"param{i}" for i in range(len(program.parameters))}
    for name in list_names(texts):
        if name in parameters:
            raise CommandError(
                f"error: {name} is a parameter of {make_printable(program.name)}; no feature here "
                "runs a kernel from its parameters: give the values of registers"
            )


def make_parser() -> Parser:
    """Return the command's parser, with the options of a feature for kernels."""
    from ...feature import Service, find_services  # a run of lines needs no feature

    makers = find_services(Service.MAKE_RUN_PARSER)
    parser: Parser = makers[0]() if makers else make_register_parser()
    return parser


def make_register_parser(
    epilog: str = _EPILOG,
    add_options: Callable[[Parser, argparse._ArgumentGroup], None] | None = None,
    *,
    add_help: bool = True,
) -> Parser:
    """Return the parser of runs from registers.

    ``add_options`` adds options for debugging, and later groups.
    """
    about = "Run a kernel, or a block line by line, and find the line that is wrong."
    usage = "FILE [name=value ...]"
    parser = make_command_parser("run", about, epilog, usage=usage, add_help=add_help)
    parser.add_argument(
        "file",
        type=InputName,
        metavar="FILE",
        help="listing or source (.ptx, .cu, .py, …), or PTX; - is standard input",
    )
    add_values(parser)
    parser.add_argument("--kernel", metavar="NAME", help="kernel to run, if the file has several")
    add_model(parser)
    debugging = parser.add_argument_group("debugging")
    debugging.add_argument(
        "--break", dest="stop", type=int, metavar="LINE", help="line of the file to stop before"
    )
    debugging.add_argument(
        "--watch",
        action="append",
        default=[],
        metavar="NAME",
        help="register whose changes are shown; repeatable",
    )
    debugging.add_argument(
        "--expect",
        type=InputName,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="observed value of a register at the end; repeatable",
    )
    if add_options:
        add_options(parser, debugging)
    group = parser.add_argument_group("output")
    output = group.add_mutually_exclusive_group()
    output.add_argument(
        "--trace",
        action="store_true",
        help="show the whole trace of each instruction that ptxscope explains",
    )
    output.add_argument("--quiet", action="store_true", help="show only the registers at the end")
    output.add_argument(
        "--fold",
        action="store_true",
        help="show a sequence that computes a SIMD intrinsic (__vaddss4) as one line",
    )
    add_format(group, ("text", "json"), "text", has_file=False)
    return parser


# --- arguments ----------------------------------------------------------------------


def _read_program_text(name: str, bar: ProgressBar) -> tuple[str, str]:
    """Return a file's text and its name; for PTX, the argument itself and an empty name."""
    if name != "-" and set(name) & set("; \t\n") and not is_file(name):
        return name, ""
    if not name:
        raise CommandError("error: there is nothing to run here")
    if (place := PLACE.fullmatch(name)) and not is_file(name) and is_file(place["file"]):
        _refuse_lines(place)
    bar.begin("reading")
    with open_text(name, bar=bar) as file:
        return file.read(), name


def _refuse_lines(place: re.Match[str]) -> None:
    """Raise CommandError with the option that selects the program at a place of a file."""
    file, wanted = place["file"], place["first"] or place["kernel"]
    with open_text(file) as source:
        text = source.read()
    programs = _list_programs(load(text, file))
    names = sorted((x.name for x in programs), key=lambda x: _get_short_name(x) != wanted)
    advice = f"choose a program of {file} with --kernel: {abbreviate_names(names)}"
    if not names:
        advice = f"{file} has no instruction that ptxscope can run"
    raise CommandError(make_printable(f"error: {place[0]} is no file; {advice}"))


def _list_programs(loaded: Sequence[Program]) -> list[Program]:
    """Return the programs that can be run, or are illegal."""
    return [x for x in loaded if x.problems or any(map(_is_known, x.statements))]


def _get_short_name(name: str) -> str:
    """Return the name of a program, or its line, ``asm:10``."""
    return name.removeprefix("asm:").removeprefix("block:")


def _choose_program(loaded: Sequence[Program], name: str | None, *, is_cuda: bool) -> Program:
    programs = _list_programs(loaded)
    program_names = make_printable(abbreviate_names([x.name for x in programs]))
    if not programs:
        omissions = [format_omission(x, y) for y in loaded for x in y.omitted_statements]
        message = "error: there is no instruction here that ptxscope can run"
        if is_cuda:
            message += "; `nvcc -ptx` makes a listing with the kernels of a CUDA source"
        raise CommandError("\n".join([message, *omissions[:_MAX_OMISSIONS]]))
    if name is None and len(programs) > 1:
        raise CommandError(
            f"error: there are {len(programs)} programs here; choose one with --kernel: "
            f"{program_names}"
        )
    for program in programs:
        if name in (None, program.name, _get_short_name(program.name)):
            return program
    raise CommandError(
        f"error: there is no {make_printable(str(name))} here; choose one with --kernel: "
        f"{program_names}"
    )


def _is_known(statement: Statement) -> bool:
    return bool(statement.instruction or statement.move)


def _register(program: Program, name: str) -> str:
    """Return an observed register. Raise PtxError for an unknown name."""
    return _find_registers(program, name, is_at_end=True)[0]


def _find_registers(program: Program, name: str, *, is_at_end: bool = False) -> tuple[str, ...]:
    """Return the registers with a name. Raise PtxError for an unknown name."""
    if registers := program.find_registers(name, is_at_end=is_at_end):
        return registers
    other_names = list(program.types)
    message = f"`{name}` is declared in {program.name}, but no instruction there names it"
    if not program.is_declared(name):
        suggestion = find_closest_spelling(name, other_names)
        meant = f"; did you mean `{suggestion}`?" if suggestion else ""
        message = f"`{name}` is not a register of {program.name}{meant}"
    raise PtxError(name, (Problem(message, (0, len(name)), abbreviate_names(other_names)),))


def parse_inputs(program: Program, texts: Sequence[str]) -> dict[str, int]:
    """Return register bits from ``name=value`` and ``name@line=value`` arguments."""
    sites = find_unknown_sites(program)

    def parse(key: str, value: str) -> int:
        name, statement = get_register_name(key), sites.statements.get(key)
        type_ = program.find_value_type(name, statement)
        bits = parse_register(name, value, type_, program.text)
        others = _read_elsewhere(program, sites, name, value) if statement is None else ()
        if any(bits != other for other in others):
            key_names = abbreviate_names([make_initial_key(name), *sites.list_keys(name)])
            message = f"{value} is not the same in each block that declares `{name}`"
            raise PtxError(value, (Problem(message, (0, len(value)), key_names),))
        return bits

    return parse_named_values(texts, partial(_find_input_sites, program, sites), parse)


def _read_elsewhere(
    program: Program, sites: UnknownSites, name: str, value: str
) -> Iterator[int | None]:
    """Yield a value's bits in each other register with a name; None if it is not a value there."""
    for key in sites.list_keys(name):
        try:
            yield parse_value(value, program.find_value_type(name, sites.statements[key]))
        except PtxError:
            yield None


def _is_spare(program: Program, name: str) -> bool:
    """Return whether a register is declared but unused."""
    return program.is_declared(name) and not program.find_registers(name)


def _find_input_sites(program: Program, sites: UnknownSites, text: str) -> tuple[str, ...]:
    """Return the inputs of a name: registers, or one at a line, ``u@17``.

    Raise PtxError if there are none.
    """
    value_name, separator, line = text.partition("@")
    name, constants = value_name.strip(), program.constants
    if constant := next((x for x in program.find_registers(name) if x in constants), None):
        bits = format_hex(constants[constant], program.types[constant].bits)
        message = f"`{name}` is the constant {bits} here: it takes no other value"
        raise PtxError(text, (Problem(message, (0, len(value_name))),))
    if not separator:
        return () if _is_spare(program, name) else _find_registers(program, name)
    name = program.register(name) or _find_registers(program, name)[0]
    key = f"{name}@{line.strip()}"
    if sites.has_key(key):
        return (key,)
    message = f"nothing at that line makes `{name}` unknown"
    key_names = abbreviate_names([make_initial_key(name), *sites.list_keys(name)])
    raise PtxError(text, (Problem(message, (0, len(text)), key_names),))


def _parse_expected(program: Program, texts: Sequence[str]) -> dict[str, Observed]:
    return parse_named_values(
        texts,
        lambda x: (_register(program, x),),
        lambda x, value: parse_observed(value, program.find_value_type(x)),
    )


def _find_watched(program: Program, names: Sequence[str]) -> tuple[str, ...]:
    with report_errors():
        return tuple(_register(program, name) for name in names)


def _format_request(program_run: Run) -> str:
    sources = read_source_lines(program_run.program.text)
    lines = [
        f"error: {make_printable(need.describe(sources))}: give {make_printable(need.key)}=…"
        for need in program_run.missing_inputs
    ]
    if len(lines) > 1:
        example = " ".join(f"{need.key}=…" for need in program_run.missing_inputs)
        lines.append(f"all values needed: {make_printable(example)}")
    return "\n".join(lines)


def _suggest_parameters(program: Program) -> str:
    """Return a line on how to run a kernel from its parameters; empty if impossible."""
    if not (program.is_kernel and program.parameters and _find_services()):
        return ""
    values = " ".join(f"param{i}=…" for i in range(len(program.parameters)))
    return f"\nor give its parameters instead: {values}"
