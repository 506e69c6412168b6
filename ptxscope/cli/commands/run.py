"""``ptxscope run``: a kernel or a block of inline assembly, statement by statement."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ...diagnosis.observation import Observed, parse_observed
from ...documents.formats.json_text import Fields, convert_to_json, format_json
from ...engine.isa.types import Type
from ...engine.isa.value_text import format_hex, format_value
from ...engine.program.program import Program
from ...engine.program.statement import Statement
from ...engine.semantics.models import ISA_MODEL, PTXAS_MODELS, Model
from ...engine.syntax.errors import (
    Problem,
    PtxError,
    find_closest_spelling,
    format_names,
    make_printable,
)
from ...engine.syntax.values import parse_value
from ...engine.tracing.deviation import Deviation, find_deviation, find_deviations
from ...engine.tracing.trace import Trace
from ...kernels.program_runs.execution import execute
from ...kernels.program_runs.program_run import (
    MissingInput,
    Run,
    RunStep,
    StopReason,
    UnknownSites,
    Value,
    find_culprits,
    find_first_culprit,
    find_origins,
    find_unknown_sites,
    make_initial_key,
    register_of,
)
from ...kernels.sequences import may_have_sequences
from ...sources.source_programs import load
from ..support.arguments import (
    VALUES_HELP,
    Parser,
    add_format,
    add_model,
    choose_model,
    is_file,
    make_command_parser,
    parse_named_values,
    parse_seconds,
    parse_words,
)
from ..support.inputs import open_text
from ..support.progress_bar import ProgressBar
from ..support.streams import CommandError, command_errors

if TYPE_CHECKING:
    from ...kernels.sequences.intrinsic_sequences import IntrinsicSequence

_EPILOG = """\
The run computes the instructions that `ptxscope list` names, and mov between a word and a list of
registers. Any other instruction makes the registers that it writes unknown. So does a 64-bit
product or common 64-bit instruction, mostly for an index or an address, if it reads an unknown
register. If any other instruction reads an unknown register, the run stops and asks for its value;
supply it as name=value. The value is used once: if the register, or another of its name, becomes
unknown again later, supply name@line=value for the line that writes it. t@1#2=value is for the
second time that line 1 makes t unknown, and t@0=value for the start. A taken branch ends the run.

A value has the type of its register: x=5 is an integer for a .b32 and 5.0 for an .f32. If the
register is not declared, its use gives the type.

A kernel whose parameters have values runs from them to its stores, over a grid of blocks: give each
by its name, or as param0, param1, … A pointer takes a buffer: @a.npy, @a.bin:u32, zeros:u32:64,
random:s16:100:SEED, [1,2,3] or [1,2,3]:u8. The run shows the buffers that changed and whether they
are exact: an element is unknown, shown as ?, if an instruction that is not modelled may have
changed it. For such a run, --expect takes param2[3]=0x7f, param2[3]=0x??7f, param2=[1,?,3] or
param2=@expected.npy, and --explain names the lines where one change gives all expected values.

examples:
  ptxscope run kernel.ptx --block 32 param0=@a.npy param1=zeros:u32:64 --save param1=out.npy
  ptxscope run kernel.ptx param0=@a.npy param1=zeros:u32:64 --expect param1=@b.npy --explain
  ptxscope run kernel.ptx --kernel sad_stereo %r1=0 %r2=1 %r7=0x01020304 %r8=0x04030201 …
  ptxscope run 'asm("{ .reg .u32 t; vadd4.u32.u32.u32 t, %1, %2, %2; not.b32 %0, t; }" …)' %1=1 %2=2
  ptxscope run kernel.ptx %r1=5 --watch %r7 --break 48
  ptxscope run kernel.ptx %r1=5 --expect %r7=0x7f

Exit status: 0 for success, 1 if a value is not as expected or a kernel cannot continue, 2 if the
request is invalid.
"""
_WIDTH = 52
"""Columns of a statement in the listing; the effect of a longer one is on the next line."""
_MAX_ORIGINS = 12
_MAX_NAMES = 12
_MIN_BAR_CHARS = 1 << 21
"""Characters that certainly take more than a second to load."""


def run(words: Sequence[str]) -> int:
    """Run the program and print its effects."""
    with ProgressBar() as bar:
        return _run_file(parse_words(make_parser(), words), bar)


def _run_file(arguments: argparse.Namespace, bar: ProgressBar) -> int:
    text, name = _read_program_text(arguments.file, bar)
    if _is_launch(arguments, text, name):
        from ..support.kernel_launch import launch_kernel  # NumPy

        return launch_kernel(arguments, text, name, choose_model(arguments.model), bar)
    bar.begin("loading", len(text), "characters", is_slow=len(text) > _MIN_BAR_CHARS)
    loaded = load(text, name, bar.advance_to)
    program = _choose_program(loaded, arguments.kernel, is_cuda="__global__" in text)
    if program.problems:
        number = program.text.count("\n", 0, program.problems[0].span[0]) + 1
        message = str(PtxError(program.text, program.problems))
        raise CommandError(f"{make_printable(program.name)}, line {number}:\n{message}", 1)
    values = parse_inputs(program, arguments.values)
    expected_results = _parse_expected(program, arguments.expect)
    watched = _find_watched(program, arguments.watch)
    bar.begin("running", len(program.statements), "statements")
    model = choose_model(arguments.model)
    program_run = execute(
        program, values, model, stop_line=arguments.stop, on_progress=bar.advance_to
    )
    names = (text.partition("=")[0].strip() for text in arguments.values)
    spare = (name for name in names if _is_spare(program, name))
    program_run = program_run._replace(unused=(*program_run.unused, *spare))
    bar.begin("printing", len(program_run.steps), "steps")
    bar.begin_printing()
    request = program_run.ending is StopReason.MISSING_INPUT
    if arguments.format == "json":
        print(
            format_json(
                _run_to_json(program_run, {} if request else expected_results, bar), indent=1
            )
        )
    else:
        for line in _run_lines(program_run, watched, arguments, bar):
            print(line)
        if not request:
            for line in _verdict_lines(program_run, values, expected_results, arguments.stop):
                print(line)
    if request:
        sys.stdout.flush()
        raise CommandError(_format_request(program_run) + _suggest_parameters(program, text, name))
    return int(
        any(
            not _is_as_expected(program_run, name, expected_result)
            for name, expected_result in expected_results.items()
        )
    )


def _is_launch(arguments: argparse.Namespace, text: str, name: str) -> bool:
    """Return whether to run a kernel from its parameters, not from registers."""
    options = (arguments.grid, arguments.block, arguments.shared, arguments.steps, arguments.save)
    if arguments.thread or arguments.explain or arguments.explain_all or any(options):
        return True
    names = {value.partition("=")[0].strip() for value in arguments.values}
    if ".entry" not in text or not names or any(name.startswith("%") for name in names):
        return False
    from ..support.kernel_launch import has_parameter  # NumPy

    return has_parameter(text, name, names)


def make_parser() -> Parser:
    """Return the command's parser."""
    about = "Run a kernel or a block of inline assembly, line by line."
    parser = make_command_parser("run", about, _EPILOG, usage="FILE [name=value ...]")
    parser.add_argument(
        "file",
        metavar="FILE",
        help="listing or source (.ptx, .cu, .py, …), or PTX; - is standard input",
    )
    parser.add_argument("values", metavar="name=value", nargs="*", help=VALUES_HELP)
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
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="observed value of a register at the end; repeatable",
    )
    debugging.add_argument(
        "--explain",
        action="store_true",
        help="with --expect, try one change at each instruction of a kernel with parameters",
    )
    debugging.add_argument(
        "--explain-all",
        action="store_true",
        help="like --explain, but try unlikely changes even if a likely one explains everything",
    )
    debugging.add_argument(
        "--timeout",
        type=parse_seconds,
        default=60.0,
        metavar="SECONDS",
        help="time limit of --explain (default: 60)",
    )
    launch = parser.add_argument_group("kernels with parameters")
    launch.add_argument("--grid", metavar="X[,Y[,Z]]", help="blocks (default: 1)")
    launch.add_argument("--block", metavar="X[,Y[,Z]]", help="threads in a block (default: 1)")
    launch.add_argument(
        "--shared", type=int, metavar="BYTES", help="dynamic shared memory of a block"
    )
    launch.add_argument(
        "--save",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="file for a buffer: .npy, or plain bytes; repeatable",
    )
    launch.add_argument(
        "--steps", metavar="COUNT", help="limit of instructions over all threads (default: 1e8)"
    )
    launch.add_argument(
        "--thread",
        metavar="X[,Y[,Z]][@BLOCK]",
        help="thread whose steps are shown (default block: 0)",
    )
    output = parser.add_argument_group("output").add_mutually_exclusive_group()
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
    add_format(output, ("text", "json"), "text", has_file=False)
    return parser


# --- arguments ----------------------------------------------------------------------


def _read_program_text(name: str, bar: ProgressBar) -> tuple[str, str]:
    """Return a file's text and its name; for PTX, the argument itself and an empty name."""
    if name != "-" and set(name) & set("; \t\n") and not is_file(name):
        return name, ""
    if not name:
        raise CommandError("error: there is nothing to run here")
    bar.begin("reading")
    with open_text(name, bar=bar) as file:
        return file.read(), name


def _choose_program(loaded: Sequence[Program], name: str | None, *, is_cuda: bool) -> Program:
    programs = [x for x in loaded if x.problems or any(map(_is_known, x.statements))]
    program_names = make_printable(_format_some([x.name for x in programs]))
    if not programs:
        omissions = [_format_omission(x) for program in loaded for x in program.omitted_statements]
        message = "error: there is no instruction here that ptxscope can run"
        if is_cuda:
            message += "; `nvcc -ptx` makes a listing with the kernels of a CUDA source"
        raise CommandError("\n".join([message, *omissions[:_MAX_NAMES]]))
    if name is None and len(programs) > 1:
        raise CommandError(
            f"error: there are {len(programs)} programs here; choose one with --kernel: "
            f"{program_names}"
        )
    for program in programs:
        line = program.name.removeprefix("asm:").removeprefix("block:")
        if name in (None, program.name, line):
            return program
    raise CommandError(
        f"error: there is no {make_printable(str(name))} here; choose one with --kernel: "
        f"{program_names}"
    )


def _is_known(statement: Statement) -> bool:
    return bool(statement.instruction or statement.move)


def _register(program: Program, name: str) -> str:
    """Return an observed register. Raise PtxError if there is none of this name."""
    return _find_registers(program, name, is_at_end=True)[0]


def _find_registers(program: Program, name: str, *, is_at_end: bool = False) -> tuple[str, ...]:
    """Return the registers of a name. Raise PtxError for a name without one."""
    if registers := program.find_registers(name, is_at_end=is_at_end):
        return registers
    suggestion = find_closest_spelling(name, list(program.types))
    other_names = list(program.types)
    if program.is_declared(name):
        message = f"`{name}` is declared in {program.name}, but no instruction there names it"
        raise PtxError(name, (Problem(message, (0, len(name)), _format_some(other_names)),))
    meant = f"; did you mean `{suggestion}`?" if suggestion else ""
    message = f"`{name}` is not a register of {program.name}{meant}"
    raise PtxError(name, (Problem(message, (0, len(name)), _format_some(other_names)),))


def _format_some(names: Sequence[str]) -> str:
    """Return the first names and the count of the others."""
    rest_count = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + rest_count


def parse_inputs(program: Program, texts: Sequence[str]) -> dict[str, int]:
    """Return register bits from ``name=value`` and ``name@line=value`` arguments."""
    sites = find_unknown_sites(program)

    def parse(key: str, value: str) -> int:
        name, statement = register_of(key), sites.statements.get(key)
        bits = parse_value(value, program.find_value_type(name, statement))
        if statement is None and any(
            bits != x for x in _read_elsewhere(program, sites, name, value)
        ):
            key_names = _format_some([make_initial_key(name), *sites.list_keys(name)])
            message = f"{value} is not the same in each block that declares `{name}`"
            raise PtxError(value, (Problem(message, (0, len(value)), key_names),))
        return bits

    return parse_named_values(texts, partial(_find_input_sites, program, sites), parse)


def _read_elsewhere(
    program: Program, sites: UnknownSites, name: str, value: str
) -> Iterator[int | None]:
    """Yield a value's bits in each other register of a name; None if it has none there."""
    for key in sites.list_keys(name):
        try:
            yield parse_value(value, program.find_value_type(name, sites.statements[key]))
        except PtxError:
            yield None


def _is_spare(program: Program, name: str) -> bool:
    """Return whether a register is declared and no statement names it."""
    return program.is_declared(name) and not program.find_registers(name)


def _find_input_sites(program: Program, sites: UnknownSites, text: str) -> tuple[str, ...]:
    """Return the inputs that a name supplies: registers, or one at a line, ``u@17``.

    Raise PtxError if there are none.
    """
    value_name, separator, line = text.partition("@")
    constants = program.constants
    if constant := next(
        (x for x in program.find_registers(value_name.strip()) if x in constants), None
    ):
        bits = format_hex(constants[constant], program.types[constant].bits)
        message = f"`{value_name.strip()}` is the constant {bits} here: it takes no other value"
        raise PtxError(text, (Problem(message, (0, len(value_name))),))
    if not separator and _is_spare(program, value_name.strip()):
        return ()
    if not separator:
        return _find_registers(program, value_name.strip())
    name = program.register(value_name.strip()) or _find_registers(program, value_name.strip())[0]
    key = f"{name}@{line.strip()}"
    if sites.has_key(key):
        return (key,)
    message = f"nothing at that line makes `{name}` unknown"
    key_names = _format_some([make_initial_key(name), *sites.list_keys(name)])
    raise PtxError(text, (Problem(message, (0, len(text)), key_names),))


def _parse_expected(program: Program, texts: Sequence[str]) -> dict[str, Observed]:
    return parse_named_values(
        texts,
        lambda x: (_register(program, x),),
        lambda x, value: parse_observed(value, program.find_value_type(x)),
    )


def _find_watched(program: Program, names: Sequence[str]) -> tuple[str, ...]:
    with command_errors():
        return tuple(_register(program, name) for name in names)


def _format_request(program_run: Run) -> str:
    """Return a request for every missing value, by name and line."""
    lines = [
        f"error: {make_printable(need.message)}: give {make_printable(need.key)}=…"
        for need in program_run.missing_inputs
    ]
    if len(lines) > 1:
        example = " ".join(f"{need.key}=…" for need in program_run.missing_inputs)
        lines.append(f"all values needed: {make_printable(example)}")
    return "\n".join(lines)


def _suggest_parameters(program: Program, text: str, file: str) -> str:
    """Return a line on how to run a kernel from its parameters; empty if it has none."""
    if ".entry" not in text:
        return ""
    from ..support.kernel_launch import describe_kernel  # NumPy

    description = describe_kernel(text, file, program.name)
    return f"\nor give its parameters instead: {make_printable(description)}" if description else ""


# --- text --------------------------------------------------------------------------------


def _run_lines(
    program_run: Run, watched: tuple[str, ...], arguments: argparse.Namespace, bar: ProgressBar
) -> Iterator[str]:
    if not arguments.quiet:
        yield f"{make_printable(program_run.program.name)}, model {program_run.model.name}"
    yield from map(_format_omission, program_run.program.omitted_statements)
    writes = {(name, step.number) for name in watched for step in program_run.find_writes(name)}
    held_bits: dict[str, int | None] = {}
    sequences = () if arguments.quiet else _find_sequences(program_run.program)
    sequence_ends = {x.statements[-1].number: x for x in sequences}
    folded = {x.number for sequence in sequences for x in sequence.statements}
    for step in bar.track(program_run.steps):
        sequence = sequence_ends.get(step.statement.number)
        if arguments.fold and sequence:
            yield from _step_lines(program_run, step, make_printable(_format_folded(sequence)))
        elif not arguments.quiet and not (arguments.fold and step.statement.number in folded):
            yield from _step_lines(program_run, step)
            if sequence:
                yield f"      {make_printable(str(sequence))}"
        for name in watched:
            if name in step.reads:
                held_bits[name] = step.reads[name].bits
            if (name, step.number) in writes:
                change = _format_change(program_run, name, held_bits.get(name), step.writes[name])
                yield f"      watch {change}"
                held_bits[name] = step.writes[name]
        if arguments.trace and step.trace:
            from ...documents.formats.text import render

            yield from ("", render(step.trace))
    if not arguments.quiet:
        yield from (
            [f"stopped before line {arguments.stop}"]
            if program_run.ending is StopReason.BREAK
            else []
        )
        yield ""
    yield from _register_lines(program_run)


def _format_omission(x: Statement) -> str:
    """Return a line on a statement that is not run, and the reason."""
    return make_printable(f"not run: line {x.line}: {x.text} ({x.omission})")


def _find_sequences(program: Program) -> tuple[IntrinsicSequence, ...]:
    """Return the sequences of a program that compute an intrinsic."""
    if not may_have_sequences(program.text):
        return ()
    from ...kernels.sequences.intrinsic_sequences import find_sequences  # most programs have none

    return find_sequences(program)


def _format_folded(sequence: IntrinsicSequence) -> str:
    """Return the call of a sequence, and its lines."""
    return f"{sequence.call}  [{sequence.format_lines()}]"


def _step_lines(program_run: Run, step: RunStep, text: str = "") -> Iterator[str]:
    """Yield a statement, or a text in its place, and its effects."""
    text = text or make_printable(step.text)
    effect = ", ".join(
        _format_register(program_run, name, bits) for name, bits in step.writes.items()
    )
    if step.note and not (step.statement.may_become_unknown and None in step.writes.values()):
        effect = (
            f"{effect}  ({make_printable(step.note)})"
            if effect
            else f"({make_printable(step.note)})"
        )
    lead = f"{step.line:>5} "
    if len(text) < _WIDTH:
        yield f"{lead}{text:<{_WIDTH}}{effect}".rstrip()
    else:
        yield lead + text
        if effect:
            yield " " * (len(lead) + _WIDTH) + effect
    deviation = _find_deviation(step)
    if deviation:
        isa_is_shown = not program_run.model.errata
        other_trace = deviation.other if isa_is_shown else deviation.isa
        ids = ", ".join(erratum.id for erratum in deviation.errata)
        results = f"{other_trace.model.name} gives {_format_results(other_trace)}"
        yield f"    ! with these operands {results} ({ids})"


def _find_deviation(step: RunStep) -> Deviation | None:
    """Return the step's deviation between the documentation and an assembler."""
    return find_deviation(step.trace, find_deviations(step.trace)) if step.trace else None


def _format_results(trace: Trace) -> str:
    ins = trace.instruction
    return ", ".join(
        f"{make_printable(name)} = {format_hex(trace.result[name], ins.type_of(role).bits)}"
        for role, name in ins.results.items()
    )


def _format_register(program_run: Run, name: str, bits: int | None, width: int = 0) -> str:
    """``%r1 = 0x0000007f  127``."""
    if bits is None:
        return f"{make_printable(name)} unknown"
    type_ = program_run.program.types[name]
    return (
        f"{make_printable(name):<{width}} = {format_hex(bits, type_.bits)}  "
        f"{format_value(bits, type_)}"
    )


def _format_change(program_run: Run, name: str, old_bits: int | None, new_bits: int | None) -> str:
    width = program_run.program.types[name].bits

    def format_bits(bits: int | None) -> str:
        return "unknown" if bits is None else format_hex(bits, width)

    return f"{make_printable(name)}: {format_bits(old_bits)} -> {format_bits(new_bits)}"


def _register_lines(program_run: Run) -> Iterator[str]:
    registers = {name: x.bits for name, x in program_run.registers.items() if x.bits is not None}
    width = max(map(len, registers), default=0)
    for name, bits in registers.items():
        yield _format_register(program_run, name, bits, width)
    unknown = [make_printable(name) for name, x in program_run.registers.items() if x.bits is None]
    if unknown:
        yield f"unknown: {', '.join(unknown)}"


# --- expectations ------------------------------------------------------------------------


def _is_as_expected(program_run: Run, name: str, expected_result: Observed) -> bool:
    held_bits = program_run.registers.get(name)
    return (
        held_bits is not None
        and held_bits.bits is not None
        and expected_result.matches(held_bits.bits)
    )


def _verdict_lines(
    program_run: Run,
    values: Mapping[str, int],
    expected_results: Mapping[str, Observed],
    stop_line: int | None,
) -> Iterator[str]:
    """Yield the differences from given or expected values."""
    if stop_line is not None and program_run.ending is not StopReason.BREAK:
        yield f"note: the run ended before line {stop_line}"
    if program_run.unused and program_run.ending is not StopReason.BREAK:
        unused = make_printable(", ".join(program_run.unused))
        yield f"note: no line that is computed read the values given for {unused}"
    wrong_registers = {
        name: expected_result
        for name, expected_result in expected_results.items()
        if not _is_as_expected(program_run, name, expected_result)
    }
    for name, expected_result in expected_results.items():
        width = program_run.program.types[name].bits
        if name not in wrong_registers:
            yield f"{make_printable(name)} is as observed"
            continue
        held_bits = program_run.registers.get(name)
        differences = held_bits and held_bits.bits is not None and format_hex(held_bits.bits, width)
        yield (
            f"{make_printable(name)} is {differences or 'unknown'}; you observed "
            f"{expected_result.format_bits(width)}"
        )
    culprits = find_culprits(program_run, wrong_registers)
    for _, step in sorted({x.number: x for x in culprits.values()}.items()):
        names = [name for name, x in culprits.items() if x is step]
        yield from _blame_lines(
            program_run, step, names if len(wrong_registers) > 1 else [], expected_results
        )
    if unwritten_names := [name for name in wrong_registers if name not in culprits]:
        yield f"No line of the run wrote {_format_registers(unwritten_names)}"
    if wrong_registers:
        yield from _other_model_lines(program_run, values, expected_results, stop_line)


def _format_registers(names: Sequence[str]) -> str:
    return format_names([make_printable(x) for x in names])


def _blame_lines(
    program_run: Run, first: RunStep, names: Sequence[str], expected_results: Mapping[str, Observed]
) -> Iterator[str]:
    """Yield the instruction that changed a value, its inputs and their origin.

    ``names`` are the registers that it changed, if others differ too.
    """
    unknown = None in first.writes.values()
    if names:
        was = "were" if len(names) > 1 else "was"
        results, bits = (
            f"{_format_registers(names)} {was} made unknown",
            f"The bits of {_format_registers(names)} that",
        )
    else:
        results, bits = "It was made unknown", "The bits that"
    did = results if unknown else f"{bits} differ were written"
    yield f"{did} at line {first.line}: {make_printable(first.text)}"
    for source_name, value in first.reads.items():
        yield (
            f"  it read {_format_register(program_run, source_name, value.bits)}  "
            f"({_format_origin(value, source_name, expected_results)})"
        )
    origins = list(find_origins(program_run, first))
    for step in origins[:_MAX_ORIGINS]:
        effect = ", ".join(
            _format_register(program_run, x, bits) for x, bits in step.writes.items()
        )
        yield f"  line {step.line}: {make_printable(step.text)}  {effect}"
    if len(origins) > _MAX_ORIGINS:
        yield f"  and {len(origins) - _MAX_ORIGINS} earlier"


def _format_origin(value: Value, name: str, expected_results: Mapping[str, Observed]) -> str:
    location_text = (
        f"line {value.writer.line}" if value.writer else "given" if value.is_input else "constant"
    )
    places = expected_results.get(name)
    is_expected = places is not None and value.bits is not None and places.matches(value.bits)
    return location_text + (", as observed" if is_expected else "")


def _other_model_lines(
    program_run: Run,
    values: Mapping[str, int],
    expected_results: Mapping[str, Observed],
    stop_line: int | None,
) -> Iterator[str]:
    """Yield the other models that meet all expectations, and where they differ."""
    for model in _list_distinct_models(program_run.model):
        other_run = execute(program_run.program, values, model, stop_line=stop_line)
        if all(
            _is_as_expected(other_run, name, expected_result)
            for name, expected_result in expected_results.items()
        ):
            yield f"Under {model.name} everything is as observed; the models differ at"
            for step in program_run.steps:
                deviation = _find_deviation(step)
                if deviation:
                    ids = ", ".join(erratum.id for erratum in deviation.errata)
                    yield f"  line {step.line}: {make_printable(step.text)}  ({ids})"
            return


def _list_distinct_models(known_models: Model) -> tuple[Model, ...]:
    return tuple(x for x in (ISA_MODEL, *PTXAS_MODELS) if x.errata != known_models.errata)


# --- JSON --------------------------------------------------------------------------------


_FIELDS: Fields = {
    Run: "program=program.name model=model.name unread=program.omitted_statements ending",
    Statement: "line text why=omission",
    RunStep: "line text kind=statement.kind",
    MissingInput: "name give=key type line=reader.line unknown_since=clobbered_by.line",
    Type: str,
}


def _run_to_json(
    program_run: Run, expected_results: Mapping[str, Observed], bar: ProgressBar
) -> dict[str, Any]:
    types = program_run.program.types

    def hexed(values: Mapping[str, int | None]) -> dict[str, str | None]:
        return {
            name: None if bits is None else format_hex(bits, types[name].bits)
            for name, bits in values.items()
        }

    first = find_first_culprit(program_run, expected_results)
    return {
        **convert_to_json(program_run, _FIELDS),
        "steps": [
            {
                **convert_to_json(step, _FIELDS),
                "reads": hexed({name: value.bits for name, value in step.reads.items()}),
                "writes": hexed(step.writes),
                "note": step.note,
                "errata": [x.id for x in deviation.errata]
                if (deviation := _find_deviation(step))
                else [],
            }
            for step in bar.track(program_run.steps)
        ],
        "sequences": [
            {
                "intrinsic": x.intrinsic,
                "arguments": x.arguments,
                "result": x.result,
                "lines": [(lines[0], lines[-1]) for lines in x.line_ranges],
            }
            for x in _find_sequences(program_run.program)
        ],
        "registers": hexed({name: value.bits for name, value in program_run.registers.items()}),
        "needed": convert_to_json(program_run.missing_inputs, _FIELDS),
        "expected": {
            name: {
                "observed": expected_result.format_bits(types[name].bits),
                "holds": _is_as_expected(program_run, name, expected_result),
            }
            for name, expected_result in expected_results.items()
        },
        "first_wrong": first.line if first else None,
    }
