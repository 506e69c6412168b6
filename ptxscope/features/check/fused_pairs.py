"""Warnings of ``check`` about two statements that ptxas combines wrongly (errata E19 to E25).

Others, and copies of the register, may be between the two. Statements before the first count if
they exclude the values for which the results differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from ...blocks.block_parser import parse_block
from ...engine.isa.types import Type
from ...engine.program.fusions import FusedPair, PairMember, Value, find_fused_pairs
from ...engine.program.program import Program
from ...engine.program.statement import Statement
from ...engine.semantics.models import ISA_MODEL, PTXAS_MODELS
from ...engine.semantics.plan import compute_results
from ...engine.semantics.rules import FUSION_ERRATA
from ...engine.syntax.instruction import Immediate, Register
from ...engine.tracing.probe_operands import draw_operands
from ...sources.source_location import LineIndex, SourceLocation
from .counterexample import Counterexample
from .diagnostic import CheckedInstruction, Diagnostic
from .replacement import make_replacement
from .statement_checks import format_for_asm

_NARROWING = frozenset("and shr cvt bfe min max popc clz set selp".split())
"""The opcodes whose results can lack the values for which the results of a pair differ."""
_HALF = "half"
"""The register of the low half of a result."""
_MAX_SETS = 4000
"""Sets of operands that are tried for each pair."""


def find_fusion_warnings(
    program: Program, name: str, lines: LineIndex, lines_before: int = 0
) -> Iterator[CheckedInstruction]:
    """Yield the second statements of the pairs in a program of a file, with their warnings.

    ``lines`` are those of the program's text, ``lines_before`` the file's lines before it.
    """
    for pair in find_fused_pairs(program.statements):
        if warning := _make_warning(pair, program, name, lines, lines_before):
            yield warning


def _make_warning(
    pair: FusedPair, program: Program, name: str, lines: LineIndex, lines_before: int
) -> CheckedInstruction | None:
    """Return the warning about a pair, or None if the results never differ."""
    statement, first = program.statements[pair.reader.place], program.statements[pair.writer.place]
    names, example = _find_example(pair, program)
    if example is None:
        return None
    (erratum,) = example.errata
    ins = replace(pair.reader.ins, form=pair.reader.ins.form._replace(fusions=(pair.fusion,)))
    location = _locate_opcode(statement, lines)
    location = location._replace(line=location.line + lines_before)
    message = (
        f"{erratum.id}: with ptxas {erratum.versions} on {erratum.targets}, combined with "
        f"`{first.name}` in line {first.line + lines_before}: {erratum.sentence}"
    )
    if ins.form.stype is Type.S64:  # the remark is on these
        message += f" {erratum.remark}"
    replacement = make_replacement(ins) or ()
    if program.name.startswith("asm"):
        replacement = tuple(map(format_for_asm, replacement))
    values = {names[x]: bits for x, bits in example.values.items()}
    return CheckedInstruction(
        name,
        location,
        str(pair.reader.ins),
        (Diagnostic(erratum.id, message, location),),
        example=example._replace(values=values),
        replacement=replacement,
        is_common=True,
    )


def _locate_opcode(statement: Statement, lines: LineIndex) -> SourceLocation:
    """Return the place of a statement's opcode, or of all of it if the text has it otherwise."""
    start, end = statement.span
    location = lines.locate(start, end)
    offset = location.excerpt.find(statement.name, location.span[0]) - location.span[0]
    return (
        lines.locate(start + offset, start + offset + len(statement.name))
        if offset >= 0
        else location
    )


# --- operands for which the results differ -----------------------------------------------------


def _find_example(
    pair: FusedPair, program: Program
) -> tuple[Mapping[str, str], Counterexample | None]:
    """Return operands for which the results differ, and the registers by the names in them."""
    narrowing = [x for x in _iter_definitions(pair, program) if x.ins.opcode in _NARROWING]
    for limits in [narrowing, []] if narrowing else [[]]:
        names: dict[Value, str] = {}
        lines = [_write(x, names) for x in (*limits, pair.writer)]
        role, half = pair.fusion.role, None
        if _get_register_bits(pair.reader, role) < pair.writer.ins.type_of("d").bits:
            half = pair.reader.operands[role]
            lines.append(f"cvt.u16.u32 {_HALF}, {names[half]};")
        example = _find_difference(" ".join((*lines, _write(pair.reader, names, "d", half))))
        if example is None:
            break
    return {x: value[0] for value, x in names.items()}, example


def _iter_definitions(pair: FusedPair, program: Program) -> Iterator[PairMember]:
    """Yield the instructions that write the operands of the first statement."""
    for name, place in dict.fromkeys(pair.writer.operands.values()):
        ins = program.statements[place].instruction if name and place >= 0 else None
        if ins and not ins.guard:
            sources = {role: (x, -1) for role, x in ins.names.items() if role not in ins.results}
            literals = {role: ("", bits) for role, bits in ins.constants.items()}
            yield PairMember(place, ins, {**sources, **literals})


def _get_register_bits(x: PairMember, role: str) -> int:
    return max(16, x.ins.form.read_bits or x.ins.type_of(role).bits)


def _write(
    x: PairMember, names: dict[Value, str], target: str = "", half: Value | None = None
) -> str:
    """Return an instruction without its guard, with a name for each value, and for its result.

    A half-word operand with the value ``half`` is the low half of this word.
    """

    def name(value: Value) -> str:
        return names.setdefault(value, f"v{len(names)}")

    def make_source(role: str) -> Register | Immediate:
        value = x.operands[role]
        if not value[0]:
            return Immediate(value[1], hex(value[1]))
        is_half = value == half and _get_register_bits(x, role) == 16
        return Register(_HALF if is_half else name(value))

    sources = map(make_source, x.ins.roles)
    first, *others = (y and name((y, x.place)) for y in x.ins.destinations)
    targets = ((target or first), *others)
    return str(replace(x.ins, sources=tuple(sources), destinations=targets, guard=None))


@lru_cache(1 << 10)
def _find_difference(text: str) -> Counterexample | None:
    """Return operands for which ptxas and the documentation give other results for a block."""
    block = parse_block(text)
    errata = tuple(x for x in FUSION_ERRATA if x in block.errata)
    types = {x.name: x.type for x in block.inputs}
    plans = {model: block.make_plan(model) for model in (ISA_MODEL, *PTXAS_MODELS)}
    for values in islice(draw_operands(types), _MAX_SETS):
        bits = {role: values[name] for role, name in block.names.items() if name in values}
        results = {
            model: compute_results(plan, {**bits, **block.constants})
            for model, plan in plans.items()
        }
        for model in PTXAS_MODELS:
            for place in block.outputs.values():
                documented, compiled = results[ISA_MODEL][place.key], results[model][place.key]
                if documented != compiled:
                    widths = (*(types[x].bits for x in values), block.type_of(place.key).bits)
                    found = tuple(x for x in errata if x in model.errata)[:1]
                    return Counterexample(found, values, documented, compiled, model, widths)
    return None
