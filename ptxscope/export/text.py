"""A trace as plain text of at most 80 columns: for bug reports, e-mail and terminals."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from .. import __version__
from ..engine.errors import printable
from ..engine.micro import Clamp, Compare, Extend, Merge, Micro, Select
from ..engine.models import Model
from ..engine.parting import partings
from ..engine.stages import about, title
from ..engine.trace import Flag, RowTrace, Step, Trace
from ..engine.values import hex_text
from ..engine.words import reading, result_text, words

WIDTH = 80
_INDENT = 14
_TOLD = {Flag.SIGN_EXTENDED, Flag.ZERO_EXTENDED}
"""Flags that the step's own sentence already tells."""


def render(trace: Trace) -> str:
    """Instruction, operands, every step with its numbers, result, and where answers part."""
    lines = [*_header(trace), "", *_operands(trace), ""]
    for step in trace.steps:
        lines += _step(trace, step)
    lines += ["", *_results(trace)]
    for note in trace.notes:
        lines += ["", *_wrapped(f"Note: {note}.", "", "  ")]
    lines += [*_two_answers(trace), "", *_footer(trace)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def command(trace: Trace) -> str:
    """The shell command that prints this trace."""
    parts = ["ptxscope trace", _quoted(str(trace.instruction))]
    for needed in trace.instruction.inputs:
        bits = hex_text(trace.operands[needed.roles[0]], needed.type.bits)
        parts.append(_quoted(f"{needed.name}={bits}"))
    if trace.model.errata:
        parts.append(f"--model {trace.model.name}")
    return " ".join(parts)


def _quoted(word: str) -> str:
    safe = all(char.isalnum() or char in "%_=.,:/-+@" for char in word)
    return word if safe else "'" + word.replace("'", "'\\''") + "'"


def _header(trace: Trace) -> Iterator[str]:
    text, model = printable(str(trace.instruction)), f"model: {trace.model.name}"
    if len(text) + len(model) + 2 <= WIDTH:
        yield text + model.rjust(WIDTH - len(text))
    else:
        yield from (text, model.rjust(WIDTH))


def _operands(trace: Trace) -> Iterator[str]:
    ins = trace.instruction
    names = ins.names | {role: str(source) for role, source in ins.roles.items()}
    roles = [source.role for source in sorted(trace.plan.sources, key=lambda s: s.role)]
    width = max(len(printable(names[role])) for role in roles)
    for role in roles:
        label = role if role in "abc" else "old" if role in "dpq" else "@"
        bits = hex_text(trace.operands[role], ins.type_of(role).bits)
        name = "" if names[role] == label else printable(names[role])
        meant = reading(ins, role, trace.operands[role])
        yield f"  {label:<4}{name:<{width + 2}}{bits}  {meant}"


def _step(trace: Trace, step: Step) -> Iterator[str]:
    lead = f"{step.number} {title(step)}".ljust(_INDENT)
    yield from _wrapped(about(trace, step), lead, " " * _INDENT)
    for row in step.rows:
        if len(row.lanes) > 1:
            yield from _lanes(trace, row)
        else:
            yield from _single(trace, row)


def _single(trace: Trace, row: RowTrace) -> Iterator[str]:
    flags = ", ".join(flag for flag in row.lanes[0].flags if flag not in _TOLD)
    text = words(trace, row, 0).formula + (f"   [{flags}]" if flags else "")
    yield from _wrapped(text, f"  {row.row.name}".ljust(_INDENT), " " * _INDENT)


def _lanes(trace: Trace, row: RowTrace) -> Iterator[str]:
    width = (WIDTH - _INDENT) // len(row.lanes)
    order = range(len(row.lanes) - 1, -1, -1)
    cells = [cell_text(trace, row, lane)[: width - 1].ljust(width) for lane in order]
    yield f"  {row.row.name}".ljust(_INDENT) + "".join(cells)
    quiet = _TOLD if trace.instruction.entry.lanes > 1 else {*_TOLD, Flag.MASKED_OUT}
    told = [", ".join(f for f in row.lanes[lane].flags if f not in quiet) for lane in order]
    if any(told):
        yield " " * _INDENT + "".join(f"{text:<{width}}" for text in told)


def cell_text(trace: Trace, row: RowTrace, lane: int) -> str:
    """A lane of several in few characters: its value and what it came from."""
    value, before = row.lanes[lane].value, row.inputs[0]
    micro: Micro = row.row.micro
    formula = words(trace, row, lane).formula
    match micro:
        case Select(unit, _):
            return f"{hex_text(value, unit)[2:]} {formula.partition(' = ')[0]}"
        case Extend():
            return str(value)
        case Clamp():
            return str(value) if value == before[lane] else f"{before[lane]} -> {value}"
        case Merge(unit, lanes, _, _) if lane not in lanes:
            return f"{formula.partition(' = ')[0]} -> {hex_text(value, unit)[2:]}"
        case Merge():
            return formula.replace("0x", "")
        case Compare():
            return formula.replace("(", "").replace(")", "")
    return formula


def _results(trace: Trace) -> Iterator[str]:
    for role, name in trace.instruction.results.items():
        bits = trace.result[name]
        shown = hex_text(bits, trace.instruction.type_of(role).bits)
        yield f"{printable(name)} = {shown}  {reading(trace.instruction, role, bits)}"


def _two_answers(trace: Trace) -> Iterator[str]:
    found = partings(trace)
    if not found:
        return
    yield from ("", "Two answers")
    yield f"  {'isa, as documented':<30}{result_text(found[0].isa)}"
    for parting in found:
        ids = ", ".join(erratum.id for erratum in parting.errata)
        label = f"ptxas {_versions(parting.other.model)}, sm_70+"
        yield f"  {label:<30}{result_text(parting.other)}  {ids}"
    step = next(s for s in found[0].isa.steps + found[0].other.steps if s.stage is found[0].stage)
    yield f"  They part at the step `{title(step)}`."
    for erratum in {e.id: e for parting in found for e in parting.errata}.values():
        yield from _wrapped(erratum.sentence, f"  {erratum.id:<5}", " " * 7)


def _versions(model: Model) -> str:
    return "11.8 to 13.2" if any(e.repaired for e in model.errata) else "11.8 to 13.5"


def _footer(trace: Trace) -> Iterator[str]:
    entry = trace.instruction.entry
    target = "any target" if entry.target == "any" else f"{entry.target} and later"
    yield f"PTX ISA {entry.section} (PTX {entry.ptx_isa}, {target}); ptxscope {__version__}"
    lines = textwrap.wrap("$ " + command(trace), WIDTH - 2, break_on_hyphens=False)
    yield " \\\n    ".join(lines)


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        printable(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
    )
