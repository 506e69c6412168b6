"""The report of a run, statement by statement: effects, registers, differences."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...blocks.execution import execute
from ...blocks.intrinsic_sequence import find_sequences
from ...blocks.program_run import (
    MissingInput,
    Run,
    RunStep,
    StopReason,
    Value,
    find_culprits,
    find_first_culprit,
    find_origins,
)
from ...diagnosis.observation import Observed
from ...documents.formats.json_text import Fields, convert_to_json
from ...engine.isa.encodings import format_hex, format_value
from ...engine.isa.types import Type
from ...engine.program.program import Program
from ...engine.program.statement import Statement
from ...engine.semantics.models import ISA_MODEL, PTXAS_MODELS, Model
from ...engine.syntax.errors import format_names, make_printable
from ...engine.syntax.instruction import Instruction
from ...engine.tracing.deviation import Deviation, find_deviation, find_deviations
from ...engine.tracing.trace import Trace
from ...sources.source_lines import read_source_lines
from .streams import ProgressBar

_WIDTH = 52
"""Columns of a statement in the listing; longer statements have their effect on the next line."""
_MAX_ORIGINS = 12


def iter_run_lines(
    program_run: Run, watched: tuple[str, ...], arguments: argparse.Namespace, bar: ProgressBar
) -> Iterator[str]:
    """Yield the statements with their effects, then the registers."""
    if not arguments.quiet:
        yield f"{make_printable(program_run.program.name)}, model {program_run.model.name}"
    program = program_run.program
    yield from (format_omission(x, program) for x in program.omitted_statements)
    writes = {(name, step.number) for name in watched for step in program_run.find_writes(name)}
    held_bits: dict[str, int | None] = {}
    sequences = () if arguments.quiet else find_sequences(program_run.program)
    sequence_ends = {x.statements[-1].number: x for x in sequences}
    folded = {x.number for sequence in sequences for x in sequence.statements}
    for step in bar.track(program_run.steps):
        sequence = sequence_ends.get(step.statement.number)
        if arguments.fold and sequence:
            text = f"{sequence.call}  [{sequence.format_lines()}]"
            yield from _iter_stage_lines(program_run, step, make_printable(text))
        elif not arguments.quiet and not (arguments.fold and step.statement.number in folded):
            yield from _iter_stage_lines(program_run, step)
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
        if program_run.ending is StopReason.BREAK:
            yield f"stopped before {_name_line(program_run.program, arguments.stop)}"
        yield ""
    yield from _iter_register_lines(program_run)


def _name_line(program: Program, line: int) -> str:
    """Return ``line 12 (sad.cu:5)``, or without a source (``.loc``) ``line 12``."""
    return read_source_lines(program.text).format_line(line)


def format_omission(x: Statement, program: Program) -> str:
    """Return a line on an omitted statement, with the reason."""
    return make_printable(f"not run: {_name_line(program, x.line)}: {x.text} ({x.omission})")


def iter_folding_notes(statements: Iterable[Statement], model: Model) -> Iterator[str]:
    """Yield a note on each statement with incorrectly folded constants, under models of ptxas.

    A register is a constant if only a ``mov`` of a literal writes it.
    """
    statements = [x for x in statements if x.instruction]
    if not model.errata or all(not ins.constants for _, ins in _list_instructions(statements)):
        return
    from ...engine.tracing.folding_bugs import list_folding_notes

    counts = Counter(name for x in statements for name in x.writes)
    constants = {
        name: ins.constants["a"]
        for x, ins in _list_instructions(statements)
        if x.is_copy and not x.guard and ins.constants
        for name in x.writes
        if counts[name] == 1
    }
    for x, ins in _list_instructions(statements):
        for note in list_folding_notes([ins.with_constants(constants)], model):
            yield f"line {x.line}: {note}"


def _list_instructions(statements: Iterable[Statement]) -> list[tuple[Statement, Instruction]]:
    return [(x, x.instruction) for x in statements if x.instruction]


def _iter_stage_lines(program_run: Run, step: RunStep, text: str = "") -> Iterator[str]:
    """Yield a statement, or a replacing text, and its effects."""
    text = text or make_printable(step.text)
    effect = ", ".join(
        _format_register(program_run, name, bits) for name, bits in step.writes.items()
    )
    if step.note and not (step.statement.may_become_unknown and None in step.writes.values()):
        effect = "  ".join(filter(None, (effect, f"({make_printable(step.note)})")))
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
    return find_deviation(step.trace, find_deviations(step.trace)) if step.trace else None


def _format_results(trace: Trace) -> str:
    ins = trace.instruction
    return ", ".join(
        f"{make_printable(name)} = {format_hex(trace.result[name], ins.type_of(role).bits)}"
        for role, name in ins.results.items()
    )


def _format_register(program_run: Run, name: str, bits: int | None, width: int = 0) -> str:
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


def _iter_register_lines(program_run: Run) -> Iterator[str]:
    registers = {name: x.bits for name, x in program_run.registers.items() if x.bits is not None}
    width = max(map(len, registers), default=0)
    for name, bits in registers.items():
        yield _format_register(program_run, name, bits, width)
    unknown = [make_printable(name) for name, x in program_run.registers.items() if x.bits is None]
    if unknown:
        yield f"unknown: {', '.join(unknown)}"


# --- expectations ------------------------------------------------------------------------


def find_wrong_registers(program_run: Run, expected: Mapping[str, Observed]) -> dict[str, Observed]:
    """Return the registers whose final values are not as expected, with the expected results."""
    bits = {name: value.bits for name, value in program_run.registers.items()}
    return {
        name: observed
        for name, observed in expected.items()
        if (held := bits.get(name)) is None or not observed.matches(held)
    }


def iter_verdict_lines(
    program_run: Run,
    values: Mapping[str, int],
    expected_results: Mapping[str, Observed],
    stop_line: int | None,
) -> Iterator[str]:
    """Yield notes on unused inputs, and the differences from expected values."""
    if stop_line is not None and program_run.ending is not StopReason.BREAK:
        yield f"note: the run ended before line {stop_line}"
    if program_run.unused and program_run.ending is not StopReason.BREAK:
        unused = make_printable(", ".join(program_run.unused))
        yield f"note: no computed line read the values of {unused}"
    wrong_registers = find_wrong_registers(program_run, expected_results)
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
        yield from _iter_blame_lines(
            program_run, step, names if len(wrong_registers) > 1 else [], expected_results
        )
    if unwritten_names := [name for name in wrong_registers if name not in culprits]:
        yield f"No line of the run wrote {_format_registers(unwritten_names)}"
    if wrong_registers:
        yield from _iter_other_model_lines(program_run, values, expected_results, stop_line)


def _format_registers(names: Sequence[str]) -> str:
    return format_names([make_printable(x) for x in names])


def _iter_blame_lines(
    program_run: Run, first: RunStep, names: Sequence[str], expected_results: Mapping[str, Observed]
) -> Iterator[str]:
    """Yield the instruction behind wrong values, its inputs and their origins.

    ``names`` are its wrong registers, if others also differ.
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
    program = program_run.program
    yield f"{did} at {_name_line(program, first.line)}: {make_printable(first.text)}"
    for source_name, value in first.reads.items():
        yield (
            f"  it read {_format_register(program_run, source_name, value.bits)}  "
            f"({_format_origin(program, value, source_name, expected_results)})"
        )
    origins = list(find_origins(program_run, first))
    for step in origins[:_MAX_ORIGINS]:
        effect = ", ".join(
            _format_register(program_run, name, bits) for name, bits in step.writes.items()
        )
        yield f"  {_name_line(program, step.line)}: {make_printable(step.text)}  {effect}"
    if len(origins) > _MAX_ORIGINS:
        yield f"  and {len(origins) - _MAX_ORIGINS} earlier"


def _format_origin(
    program: Program, value: Value, name: str, expected_results: Mapping[str, Observed]
) -> str:
    location_text = "given" if value.is_input else "constant"
    if value.writer:
        location_text = _name_line(program, value.writer.line)
    places = expected_results.get(name)
    is_expected = places is not None and value.bits is not None and places.matches(value.bits)
    return location_text + (", as observed" if is_expected else "")


def _iter_other_model_lines(
    program_run: Run,
    values: Mapping[str, int],
    expected_results: Mapping[str, Observed],
    stop_line: int | None,
) -> Iterator[str]:
    """Yield the other models that meet all expectations, and their differing statements."""
    for model in (ISA_MODEL, *PTXAS_MODELS):
        if model.errata == program_run.model.errata:
            continue
        other_run = execute(program_run.program, values, model, stop_line=stop_line)
        if not find_wrong_registers(other_run, expected_results):
            yield f"Under {model.name} everything is as observed; the models differ at"
            for step in program_run.steps:
                deviation = _find_deviation(step)
                if deviation:
                    ids = ", ".join(erratum.id for erratum in deviation.errata)
                    place = _name_line(program_run.program, step.line)
                    yield f"  {place}: {make_printable(step.text)}  ({ids})"
            return


# --- JSON --------------------------------------------------------------------------------


_FIELDS: Fields = {
    Run: "program=program.name model=model.name unread=program.omitted_statements ending",
    Statement: "line text why=omission",
    RunStep: "line text kind=statement.kind",
    MissingInput: "name give=key type line=reader.line unknown_since=clobbered_by.line",
    Type: str,
}


def run_to_json(
    program_run: Run, expected_results: Mapping[str, Observed], bar: ProgressBar
) -> dict[str, Any]:
    """Return a run as JSON."""
    types = program_run.program.types

    def format_values(values: Mapping[str, int | None]) -> dict[str, str | None]:
        return {
            name: None if bits is None else format_hex(bits, types[name].bits)
            for name, bits in values.items()
        }

    first = find_first_culprit(program_run, expected_results)
    wrong = find_wrong_registers(program_run, expected_results)
    return {
        **convert_to_json(program_run, _FIELDS),
        "steps": [
            {
                **convert_to_json(step, _FIELDS),
                "reads": format_values({name: value.bits for name, value in step.reads.items()}),
                "writes": format_values(step.writes),
                "note": step.note,
                "errata": [x.id for x in deviation.errata]
                if (deviation := _find_deviation(step))
                else [],
            }
            for step in bar.track(program_run.steps)
        ],
        "sequences": [
            {
                "intrinsic": sequence.intrinsic,
                "arguments": sequence.arguments,
                "result": sequence.result,
                "lines": [(lines[0], lines[-1]) for lines in sequence.line_ranges],
            }
            for sequence in find_sequences(program_run.program)
        ],
        "registers": format_values(
            {name: value.bits for name, value in program_run.registers.items()}
        ),
        "needed": convert_to_json(program_run.missing_inputs, _FIELDS),
        "expected": {
            name: {
                "observed": expected_result.format_bits(types[name].bits),
                "holds": name not in wrong,
            }
            for name, expected_result in expected_results.items()
        },
        "first_wrong": first.line if first else None,
    }
