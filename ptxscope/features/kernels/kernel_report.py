"""The report of a kernel's run: buffers, expectations, explanations, the steps of one thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ...diagnosis.observation import Observed
from ...documents.formats.json_text import Fields, convert_to_json
from ...engine.isa.encodings import format_float, format_hex
from ...engine.isa.types import Type
from ...engine.program.statement import Statement
from ...engine.syntax.errors import abbreviate_names, format_count
from ...sources.source_lines import SourceLines, read_source_lines
from .launches.conflicts import ConflictKind, KernelConflict
from .launches.expected_elements import Expectations, find_differences
from .launches.fidelity import ModelDifference, UnknownDecision
from .launches.kernel_run import KernelBuffer, KernelRun, Launch
from .launches.launch import LaunchShape
from .launches.launch_text import format_dtype, has_bits
from .launches.memory_regions import describe_address
from .launches.printed_text import iter_lines_of_texts
from .launches.run_diagnosis import RunDiagnosis, RunExplanation
from .launches.thread_log import ThreadLog, ThreadStep
from .launches.thread_state import LaunchError, PrintedText

if TYPE_CHECKING:
    from ...blocks.intrinsic_sequence import IntrinsicSequence
    from .launches.unoptimized import UnoptimizedDiagnosis
    from .thread_run import ThreadRun


_MAX_VALUES = 16
"""Elements of a buffer that are shown."""
_MAX_JSON_VALUES = 1 << 12
"""Elements of a buffer in JSON; a larger buffer is saved instead."""
_MAX_DIFFERENCES = 8
_MAX_EXPLANATIONS = 8
_COLUMNS = 8
"""Elements in a line, unless they are too wide."""
_WIDTH = 100
"""Columns of a line of elements."""
_VERBS = {
    ConflictKind.READ_AFTER_WRITE: ("reads", "writes"),
    ConflictKind.WRITE_AFTER_READ: ("writes", "reads"),
    ConflictKind.UPDATE_AFTER_WRITE: ("updates", "writes"),
    ConflictKind.READ_AFTER_UPDATE: ("reads", "updates"),
    ConflictKind.WRITE_AFTER_UPDATE: ("writes", "updates"),
}
"""The verbs of the thread that acts last and of the other one."""


def iter_lines(result: KernelRun, *, is_quiet: bool, stop_reason: str) -> Iterator[str]:
    """Yield the buffers that changed, and the report of fidelity.

    ``stop_reason`` is the reason why the run stopped if it is not complete.
    """
    if not is_quiet:
        grid, block = (",".join(map(str, x)) for x in (result.shape.grid, result.shape.block))
        threads = result.shape.thread_count
        yield f"{result.kernel.name}, grid {grid}, block {block}, model {result.model.name}"
        yield (
            f"{format_count(threads, 'thread')} executed "
            f"{format_count(result.step_count, 'instruction')}"
        )
    for buffer in result.buffers.values():
        if buffer.is_changed:
            yield from ("", f"{_name_buffer(buffer)}: {_describe_fidelity(result, buffer)}")
            yield from _iter_value_lines(buffer)
    unchanged = [
        buffer.label
        for buffer in result.buffers.values()
        if not buffer.is_changed and buffer.position is not None
    ]
    if unchanged and not is_quiet:
        limit = " as far as is known" if result.fidelity.decisions else ""
        yield from ("", f"unchanged{limit}: {', '.join(unchanged)}")
    yield from _iter_report_lines(result, stop_reason)
    yield from iter_printed_lines(result.printed, result.lost_print_count)


def iter_printed_lines(texts: Sequence[PrintedText], lost_count: int = 0) -> Iterator[str]:
    """Yield the texts that threads printed, in the order of the threads."""
    if texts:
        yield from ("", "printed, in the order of the threads:")
    yield from (f"  {x}" for x in iter_lines_of_texts(texts))
    if lost_count:
        yield f"  and the output of {format_count(lost_count, 'later call')} of printf"


def _name_buffer(buffer: KernelBuffer) -> str:
    """Return ``param2 out (u32 × 64)``."""
    names = [buffer.label] + ([buffer.name] if buffer.position is not None else [])
    return f"{' '.join(names)} ({format_dtype(buffer.data.dtype)} × {buffer.data.size:,})"


def _describe_fidelity(result: KernelRun, buffer: KernelBuffer) -> str:
    """Return whether a buffer is exact, or which lines made how many elements unknown."""
    if buffer.causes is None:
        if result.fidelity.decisions:
            return "not certain"
        done = "exact" if result.is_complete else "exact so far"
        return f"{done}, no unknown value took part"
    count = int(np.count_nonzero(buffer.causes))
    has_foreign = any(x.reason for x in result.fidelity.decisions)
    writer = "nothing modelled" if has_foreign else "nothing"
    causes = list(result.fidelity.iter_causes(buffer.all_causes))
    reasons = [f"memory or a register that {writer} has written"] if None in causes else []
    names = (result.format_line(x.statement.line) for x in causes if x)
    lines = [x.removeprefix("line ") for x in names]
    if lines:
        reasons.append(f"{'line' if len(lines) == 1 else 'lines'} {', '.join(lines)}")
    why = " and of ".join(reasons)
    return f"{count:,} of {buffer.data.size:,} unknown because of {why}"


def _iter_value_lines(buffer: KernelBuffer) -> Iterator[str]:
    """Yield the elements around the first that changed; ``?`` stands for an unknown one."""
    values = buffer.data.reshape(-1)
    columns = _COLUMNS
    first = (buffer.find_first_written() or 0) // columns * columns
    last = min(first + _MAX_VALUES, values.size)
    texts = [_format_element(buffer, i) for i in range(first, last)]
    width = max(map(len, texts), default=0)
    while columns > 1 and columns * (width + 1) > _WIDTH:
        columns //= 2
    digits = len(str(first + (len(texts) - 1) // columns * columns))
    for start in range(0, len(texts), columns):
        row = " ".join(f"{x:>{width}}" for x in texts[start : start + columns])
        yield f"  {f'[{first + start}]':<{digits + 2}} {row}"
    if last < values.size:
        yield f"  and {values.size - last:,} more"


def _format_element(buffer: KernelBuffer, index: int) -> str:
    if not buffer.is_known(index):
        return "?"
    if has_bits(buffer.data.dtype):
        return format_hex(int(buffer.words[index]), 8 * buffer.data.dtype.itemsize)
    return str(buffer.data.reshape(-1)[index])


def _iter_report_lines(result: KernelRun, stop_reason: str) -> Iterator[str]:
    """Yield inexact values with their reasons, conflicts, and the place where the run stopped."""
    causes = 0
    for buffer in result.buffers.values():
        causes |= buffer.all_causes
    fidelity = result.fidelity
    remarks: list[tuple[Statement | KernelConflict, str]] = [
        *((cause.statement, cause.reason) for cause in fidelity.iter_causes(causes) if cause),
        *(
            (decision.statement, f"{_describe_decision(decision)}; no result is certain")
            for decision in fidelity.decisions
        ),
        *((statement, _ORDER_REMARK) for statement in fidelity.ordered_statements.values()),
        *((x.statement, _format_model_difference(x)) for x in fidelity.model_differences.values()),
        *(
            (x, f"{_format_conflict(result, x)} without a barrier between them")
            for x in result.conflicts
        ),
    ]
    lines = [f"{result.format_line(x.line)}: {x.text}: {remark}" for x, remark in remarks]
    if not result.is_complete:
        where = ", ".join(
            f"{format_count(count, 'thread')} at {result.format_line(line)}"
            for line, count in result.positions
        )
        lines.append(f"stopped by {stop_reason}: {where}")
    if lines:
        yield ""
        yield from lines


_ORDER_REMARK = "it depends on the order of threads; here that is the order of their numbers"


def _format_model_difference(x: ModelDifference) -> str:
    """Return ``isa gives %r4 = 0x00000000, ptxas-13.5 0x000000ff (E3), first in thread …``."""
    isa, other, errata, _ = x.deviation
    types = {name: isa.instruction.type_of(role) for role, name in isa.instruction.results.items()}
    values = [
        f"{name} = {format_hex(isa.result[name], type_.bits)}, {other.model.name} "
        f"{format_hex(other.result[name], type_.bits)}"
        for name, type_ in types.items()
        if isa.result[name] != other.result[name]
    ]
    ids = ", ".join(erratum.id for erratum in errata)
    return f"isa gives {', '.join(values)} ({ids}), first in {x.thread}"


def _describe_decision(decision: UnknownDecision) -> str:
    if decision.reason:
        return f"{decision.reason}, so {decision.effect} is unknown"
    times = format_count(decision.thread_count, "time")
    return f"an unknown value decided {decision.effect}, {times}"


def _format_conflict(result: KernelRun, x: KernelConflict) -> str:
    where = f" at {result.format_line(x.other_line)}" if x.other_line != x.line else ""
    if x.kind in _VERBS:
        verb, other_verb = _VERBS[x.kind]
        return f"{x.thread} {verb} {x.place}, which {x.other_thread} {other_verb}{where},"
    return f"{x.thread} and{where and f', {where.strip()},'} {x.other_thread} {x.kind} {x.place}"


# --- expectations ------------------------------------------------------------------------


def iter_difference_lines(result: KernelRun, expected: Expectations) -> Iterator[str]:
    """Yield the elements that differ, with the line that wrote each."""
    if expected:
        yield ""
    for name, elements in expected.items():
        buffer, differences = result.get_buffer(name), find_differences(result, name, elements)
        name = buffer.label
        if not differences:
            yield f"{name}: {format_count(len(elements), 'element')} as expected"
            continue
        yield f"{name}: {len(differences):,} of {len(elements):,} are not as expected"
        for index, observed in islice(differences.items(), _MAX_DIFFERENCES):
            line = buffer.find_line(index)
            origin = f"written at {result.format_line(line)}" if line else "never written"
            held, wanted = _format_difference(buffer, index, observed)
            yield f"  {name}[{index}] is {held}, not {wanted}: {origin}"
        if len(differences) > _MAX_DIFFERENCES:
            yield f"  and {len(differences) - _MAX_DIFFERENCES:,} more"


def _format_difference(buffer: KernelBuffer, index: int, observed: Observed) -> tuple[str, str]:
    """Format an element and its expected value: as numbers, or as bits if some are unknown."""
    dtype, width = buffer.data.dtype, 8 * buffer.data.dtype.itemsize
    held = _format_element(buffer, index)
    if observed.known_mask == (1 << width) - 1 and not has_bits(dtype):
        return held, str(np.array([observed.bits], f"u{dtype.itemsize}").view(dtype)[0])
    if held != "?":
        word = buffer.words[index]
        held = format_hex(int(word), width)
    return held, observed.format_bits(width)


# --- explanations ------------------------------------------------------------------------


def iter_explanation_lines(
    diagnosis: RunDiagnosis, text: str, other: UnoptimizedDiagnosis | None = None
) -> Iterator[str]:
    """Yield the changes of a listing that give all expected elements, or else the nearest ones.

    Those of the listing that nvcc does not optimize, ``other``, are first.
    """
    parts = [_iter_diagnosis(diagnosis, text)]
    if other:
        place = " in the listing of `nvcc -G`, which is not optimized and gives the same values"
        part = _iter_diagnosis(other.diagnosis, other.text, place)
        parts.insert(0, part)
    return chain.from_iterable(parts)


def _iter_diagnosis(diagnosis: RunDiagnosis, text: str, place: str = "") -> Iterator[str]:
    """Yield the changes of one listing; ``place`` tells which, if it is not the one that ran."""
    count, tried = diagnosis.element_count, format_count(diagnosis.try_count, "change")
    values = "the expected value" if count == 1 else f"all {count:,} expected values"
    explanations = diagnosis.explanations
    if explanations:
        verdict = f"{len(explanations)} {'gives' if len(explanations) == 1 else 'give'} {values}"
    else:
        verdict = f"none gives {values}"
        verdict += "; the nearest:" if diagnosis.near_misses else ""
    yield from ("", f"{tried} tried{place}: {verdict}")
    for x in (*explanations, *diagnosis.near_misses)[:_MAX_EXPLANATIONS]:
        yield from _iter_explanation(x, count, read_source_lines(text))
    if len(explanations) > _MAX_EXPLANATIONS:
        yield f"  and {len(explanations) - _MAX_EXPLANATIONS:,} more"
    if diagnosis.untried:
        yield f"not tried within the time limit (--timeout): {diagnosis.untried}"
    elif diagnosis.has_untried:
        yield "less likely changes were not tried; --explain-all tries them"


def _iter_explanation(x: RunExplanation, count: int, sources: SourceLines) -> Iterator[str]:
    """Yield ``line 28 with `.u32` rather than `.s32` explains all 64 values``, and the line."""
    share = "all" if x.match_count == count else f"{x.match_count:,} of"
    values = "the value" if count == 1 else f"{share} {count:,} values"
    if x.statement is None:
        yield f"  the whole kernel {x.phrase} explains {values}"
        return
    yield f"  {format_statements(x.statements, sources)} {x.phrase} explains {values}"
    if x.changed_text != x.statement.text:
        yield f"    {x.changed_text}"


def format_statements(statements: Sequence[Statement], sources: SourceLines) -> str:
    """Return ``line 12 (sad.cu:5)``, and the lines of its copies, or the number of unseen ones."""
    first, *copies = statements
    place = sources.format_line(first.line)
    if not copies:
        return place
    if sources.is_unseen:
        count = len(copies)
        return f"{place} and its " + (f"{count} copies" if count > 1 else "copy")
    lines = abbreviate_names([str(x.line) for x in copies])
    plural = "s" if len(copies) > 1 else ""
    return f"{place} and its cop{'ies' if plural else 'y'} in line{plural} {lines}"


# --- JSON --------------------------------------------------------------------------------


_LAUNCH = "kernel=kernel.name model=model.name grid=shape.grid block=shape.block"
_FIELDS: Fields = {
    KernelRun: f"{_LAUNCH} instructions=step_count complete=is_complete exact=is_exact",
    Launch: _LAUNCH,
    RunDiagnosis: "tried=try_count expected=element_count explanations has_untried untried "
    "near_misses",
    RunExplanation: lambda x: {
        "line": x.statement and x.statement.line,
        "text": x.statement and x.statement.text,
        "copies": [copy.line for copy in x.copies],
        "changed": x.changed_text or None,
        "phrase": x.phrase,
        "explained": x.match_count,
    },
}


def run_to_json(
    result: KernelRun, expected: Expectations, diagnosis: RunDiagnosis | None
) -> dict[str, Any]:
    """Return a run and its explanations as JSON."""
    return {
        **convert_to_json(result, _FIELDS),
        "buffers": [_buffer_to_json(result, x) for x in result.buffers.values()],
        "decisions": [
            {
                "line": decision.statement.line,
                "text": decision.statement.text,
                "effect": decision.effect,
                "reason": decision.reason or None,
            }
            for decision in result.fidelity.decisions
        ],
        "model_differences": [
            {
                "line": x.statement.line,
                "text": x.statement.text,
                "errata": [erratum.id for erratum in x.deviation.errata],
                "thread": x.thread,
                "results": {
                    trace.model.name: {
                        name: format_hex(trace.result[name], trace.instruction.type_of(role).bits)
                        for role, name in trace.instruction.results.items()
                    }
                    for trace in (x.deviation.isa, x.deviation.other)
                },
            }
            for x in result.fidelity.model_differences.values()
        ],
        "order_dependent": [x.line for x in result.fidelity.ordered_statements.values()],
        **convert_to_json(result, {KernelRun: "conflicts printed lost_prints=lost_print_count"}),
        "expected": {
            result.get_buffer(name).label: {
                "holds": not (differences := find_differences(result, name, elements)),
                "different": [
                    {"index": i, "line": result.get_buffer(name).find_line(i)} for i in differences
                ],
            }
            for name, elements in expected.items()
        },
        "explained": convert_to_json(diagnosis, _FIELDS),
    }


def unoptimized_to_json(unoptimized: UnoptimizedDiagnosis | None) -> dict[str, Any]:
    """Return the changes of the listing that nvcc does not optimize as JSON; empty for none."""
    if not unoptimized:
        return {}
    data = convert_to_json(unoptimized.diagnosis, _FIELDS)
    return {"explained_unoptimized": read_source_lines(unoptimized.text).name_lines(data)}


def failure_to_json(
    launch: Launch, error: LaunchError, diagnosis: RunDiagnosis | None
) -> dict[str, Any]:
    """Return a run that failed, and its explanations, as JSON."""
    return {
        **convert_to_json(launch, _FIELDS),
        "complete": False,
        "error": str(error),
        "printed": convert_to_json(error.printed, _FIELDS),
        "explained": convert_to_json(diagnosis, _FIELDS),
    }


def _buffer_to_json(result: KernelRun, buffer: KernelBuffer) -> dict[str, Any]:
    unknown = [] if buffer.causes is None else np.flatnonzero(buffer.causes).tolist()
    is_small = buffer.data.size <= _MAX_JSON_VALUES
    words = buffer.words
    digits = 2 * words.dtype.itemsize
    return {
        "name": buffer.name,
        "parameter": buffer.position,
        "type": format_dtype(buffer.data.dtype),
        "count": buffer.data.size,
        "changed": buffer.is_changed,
        "unknown": unknown if is_small else len(unknown),
        "because_of": [
            cause.statement.line if cause else None
            for cause in result.fidelity.iter_causes(buffer.all_causes)
        ],
        "bits": [f"0x{x:0{digits}x}" for x in words.tolist()] if is_small else None,
    }


_FLOAT_TYPES = {str(x): x for x in (Type.F16, Type.BF16, Type.F32, Type.F64)}
_CONVERSIONS = frozenset(("cvt", "set", "slct"))
"""The opcodes whose last modifier is not the type of the result."""
_STATEMENT_COLUMNS = 44
"""Columns of a statement; the effect of a longer one follows it."""
_MAX_ORIGINS = 24
_MAX_INDENTS = 12


def iter_thread_lines(
    log: ThreadLog,
    shape: LaunchShape,
    stop_line: int | None,
    watched: Set[str],
    sequences: Sequence[IntrinsicSequence] = (),
    *,
    is_folded: bool = False,
) -> Iterator[str]:
    """Yield the steps up to a line; with watched registers, only the steps that write one.

    ``sequences`` are the file's; folded, each takes one line.
    """
    ends = {x.statements[-1].span: x for x in sequences}
    inner_spans = {y.span for x in sequences for y in x.statements} if is_folded else set()
    yield shape.format_thread(log.thread)
    for step in log.steps:
        if step.statement.line == stop_line:
            yield f"stopped before {log.sources.format_line(stop_line)}"
            return
        span = step.statement.span
        sequence = ends.get(span)
        if watched:
            if not watched.isdisjoint(x.name for x in step.writes):
                yield format_step(log, step)
        elif sequence and is_folded:
            yield format_step(log, step, f"{sequence.call}  [{sequence.format_lines()}]")
        elif span not in inner_spans:
            yield format_step(log, step)
            if sequence:
                yield f"      {sequence}"
    if log.is_cut:
        yield f"and more after {len(log.steps):,} steps"
    elif stop_line is not None:
        yield f"never reached {log.sources.format_line(stop_line)}"


def iter_origin_lines(log: ThreadLog, shape: LaunchShape, name: str, index: int) -> Iterator[str]:
    """Yield the computation of the last value of a buffer's element, as a tree."""
    store = log.find_store(name, index)
    if store is None:
        return
    yield f"{name}[{index}] was written by {shape.format_thread(log.thread)}:"
    for count, (depth, step) in enumerate(log.find_origins(store)):
        if count == _MAX_ORIGINS:
            yield "  and earlier steps"
            return
        indent = 2 * min(depth, _MAX_INDENTS)
        yield " " * indent + format_step(log, step, width=_STATEMENT_COLUMNS - indent)


def format_step(
    log: ThreadLog | ThreadRun, step: ThreadStep, text: str = "", width: int = _STATEMENT_COLUMNS
) -> str:
    """Return ``   12 add.u32 %r1, %r2, %r3    %r1 = 0x00000005  5``, or a text instead."""
    type_ = _find_float_type(step.statement)
    effects = [f"{x.name} = {_format_bits(log, x.bits, x.width, type_)}" for x in step.writes]
    effects += [
        f"writes {x.name} = {_format_bits(log, x.bits, 8 * x.size, type_)}" for x in step.places
    ]
    effects += [f"from {x.name} ({x.writer})" for x in step.reads if x.writer]
    if not step.is_active:
        effects = ["(its guard is false)"]
    text = text or step.statement.text
    line = log.sources.format_number(step.statement.line)
    return f"{line} {text:<{width}} {', '.join(effects)}".rstrip()


def _find_float_type(statement: Statement) -> Type | None:
    """Return the type of the results of a statement if they are floats."""
    modifiers = (
        statement.modifiers[:-1] if statement.opcode in _CONVERSIONS else statement.modifiers
    )
    return _FLOAT_TYPES.get(modifiers[-1]) if modifiers else None


def _format_bits(
    log: ThreadLog | ThreadRun, bits: int | None, width: int, float_type: Type | None
) -> str:
    """Return ``0x00000005  5``, or a float or the place of an address instead of the integer."""
    if bits is None:
        return "?"
    if width == 1:
        return str(bool(bits)).lower()
    if float_type and float_type.bits == width:
        return f"{format_hex(bits, width)}  {format_float(bits, float_type)}"
    place = describe_address(log.regions, bits) if width == 64 else ""
    return f"{format_hex(bits, width)}  {place or bits}"
