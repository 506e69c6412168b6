"""The worked examples of an instruction: found in the catalog and the engine, never typed.

Three of each: the catalog's example; an edge case, in which a value is clamped, cut, rounded,
flushed or NaN; and one for which the documentation and ptxas differ or, if they never do, one with
a negation, or with a mask and selectors. If no such example exists, other values.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import NamedTuple

from ptxscope import parse
from ptxscope.engine.isa.catalog import find_remarks, find_violations, get_entry, with_slot
from ptxscope.engine.isa.entry import Entry
from ptxscope.engine.isa.types import BoolOp, Destinations, Form, Selector, Type
from ptxscope.engine.isa.video_entries import C_BITS
from ptxscope.engine.micro_operations.base import RowTrace
from ptxscope.engine.micro_operations.logic import Choose
from ptxscope.engine.micro_operations.properties import Flag
from ptxscope.engine.micro_operations.shifts import Average
from ptxscope.engine.semantics.models import ISA_MODEL
from ptxscope.engine.semantics.rules import ERRATA
from ptxscope.engine.syntax.instruction import Input, Instruction
from ptxscope.engine.tracing.deviation import find_deviations
from ptxscope.engine.tracing.operand_bits import bind_values
from ptxscope.engine.tracing.step_text import format_lane_sentence
from ptxscope.engine.tracing.trace import Trace, make_trace
from ptxscope.state.edits import adapt_form, make_instruction


class WorkedExample(NamedTuple):
    """An example, with its purpose and its evaluation."""

    title: str
    trace: Trace

    @property
    def has_two_answers(self) -> bool:
        """Whether the documentation and an assembler give different results."""
        return bool(find_deviations(self.trace))


EXPECTED_FLAGS = {Flag.SIGN_EXTENDED, Flag.ZERO_EXTENDED, Flag.MASKED_OUT}
"""Flags of expected effects."""
HALVES = "halves"
"""The rounding of an odd sum's average."""
TITLES = {
    Flag.CLAMPED_LOW: "A clamp at the low end",
    Flag.CLAMPED_HIGH: "A clamp at the high end",
    Flag.WRAPPED: "Bits that do not fit",
    Flag.FLUSHED: "A subnormal is flushed",
    Flag.ROUNDED: "An integer that no float is",
    Flag.NAN: "A NaN",
    HALVES: "A half is rounded",
}
_LANES = {
    2: (0x80017FFF, 0x0002FFFF, 0x7FFE8000, 0x0005FFFB, 0x12348765),
    4: (0x80FF7F01, 0x01FF0280, 0x7F80FF01, 0x05FB10F0, 0x12348765),
}
"""Words with different lanes, by their number."""
_AMOUNTS = (40, 33, 31, 4)
_POOL: dict[Type | int, tuple[int, ...]] = {
    Type.PRED: (1, 0),
    Type.F32: (0x3F800000, 0x7FC00000, 0x80000001, 0xC0490FDB, 0x00000000),
    Type.F64: (0x3FF0000000000000, 0x7FF8000000000000, 0xC000000000000000, 0),
    16: (0x8000, 0x7FFF, 0xFFFF, 1),
    32: (0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x80FF7F01, 1, 5, 1000),
    64: (0xFFFFFFFFFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 1, 0),
}
"""Edge cases by an operand's type or width."""
_DRAWS = 40
"""Number of sets of values to try on a form."""


def find_examples(entry: Entry) -> tuple[WorkedExample, ...]:
    """Return the examples of an instruction, the catalog's first."""
    ptx, values = entry.example
    first = parse(ptx)
    bits = {x.name: values.get(x.name, 0) for x in first.inputs}
    found = [WorkedExample("To begin with", make_trace(first, ISA_MODEL, bind_values(first, bits)))]
    for search in (_find_edge_case, _find_special_case):
        earlier_traces = [x.trace for x in found]
        example = search(entry, earlier_traces)
        if example is None or example.title in [x.title for x in found]:
            example = _find_other_result(entry, earlier_traces) or example
        if example:
            found.append(example)
    return tuple(found)


def _find_other_result(entry: Entry, earlier_traces: list[Trace]) -> WorkedExample | None:
    """Return another result, by other values or else by another modifier."""
    first, *_ = earlier_traces
    for is_new_result in (True, False):
        for form in _iter_near_forms(entry, first.instruction.form):
            for trace in _iter_traces(form, first.instruction):
                results = [x.result for x in earlier_traces] * is_new_result
                if trace.result not in results and all(
                    trace.operands != x.operands for x in earlier_traces
                ):
                    is_other_form = trace.instruction.form != first.instruction.form
                    return WorkedExample(
                        "Another modifier" if is_other_form else "Other values", trace
                    )
    return None


def find_events(trace: Trace) -> dict[str, list[tuple[RowTrace, int]]]:
    """Return the unexpected effects in an evaluation, and their lanes."""
    found: dict[str, list[tuple[RowTrace, int]]] = {}
    for row in trace.rows.values():
        for lane, flags in enumerate(row.flags):
            for flag in flags:
                if flag not in EXPECTED_FLAGS:
                    found.setdefault(flag, []).append((row, lane))
            if isinstance(row.micro, Average) and sum(x.values[lane] for x in row.inputs) % 2:
                found.setdefault(HALVES, []).append((row, lane))
    return found


def describe_events(trace: Trace) -> list[str]:
    """Return the sentences of lanes with unexpected effects, or else of the operation."""
    told = [place for places in find_events(trace).values() for place in places]
    if not told:
        step = next((x for x in trace.steps if any(row.name == "t" for row in x.rows)), None)
        step = step or trace.steps[-1]
        told = [(row, lane) for row in step.rows for lane in range(len(row.values))]
    order = {key: at for at, key in enumerate(trace.rows)}
    told.sort(key=lambda place: (order[place[0].key], -place[1]))
    return list(dict.fromkeys(format_lane_sentence(row, lane) for row, lane in told))


def _iter_near_forms(entry: Entry, form: Form) -> Iterator[Form]:
    """Return a form, and every documented one that differs in one choice."""
    yield form
    for slot in entry.slots:
        if slot.name == "c" or isinstance(slot.values[0], Selector):
            continue
        for value in slot.iter_choices():
            changed = with_slot(form, slot.name, value)
            if (
                value != form.get(slot.name)
                and get_entry(changed) == entry
                and not find_violations(changed)
                and not find_remarks(changed)
            ):
                yield changed


def _iter_traces(form: Form, first: Instruction) -> Iterator[Trace]:
    ins = parse(str(make_instruction(form, (), first.roles, None)))
    rng = Random(str(ins))
    for _ in range(_DRAWS):
        bits = {x.name: rng.choice(_list_values(x, ins)) for x in ins.inputs}
        yield make_trace(ins, ISA_MODEL, bind_values(ins, bits))


def _list_values(needed: Input, ins: Instruction) -> tuple[int, ...]:
    if "c" in needed.roles and (ins.form.mask or ins.form.dsel):
        return (C_BITS,)
    if ins.has_lanes(needed.roles[0]):
        return _LANES[ins.entry.lanes]
    if ins.form.mode and "b" in needed.roles:
        return _AMOUNTS
    return _POOL.get(needed.type) or _POOL[needed.type.bits]


def _find_edge_case(entry: Entry, earlier_traces: list[Trace]) -> WorkedExample | None:
    """Return an evaluation with a new effect."""
    first = earlier_traces[0]
    known = {kind for trace in earlier_traces for kind in find_events(trace)}
    forms = list(_iter_near_forms(entry, first.instruction.form))
    for old in (known, set[str]()):
        for form in forms:
            tried = _iter_traces(form, first.instruction)
            best = max(tried, key=lambda trace: _rate(trace, set(find_events(trace)) - old))
            kinds = set(find_events(best)) - old
            if kinds and best.operands != first.operands:
                return WorkedExample(TITLES[next(x for x in TITLES if x in kinds)], best)
    return _find_other_choice(first)


def _rate(trace: Trace, kinds: set[str]) -> tuple[int, bool]:
    """Return how instructive an evaluation is: its effects, and a lane without them."""
    told = {lane for kind in kinds for _, lane in find_events(trace)[kind]}
    return len(kinds), len(told) < trace.instruction.entry.lanes


def _find_other_choice(first: Trace) -> WorkedExample | None:
    """For a selection, return the example of the other choice."""
    for trace in islice(_iter_traces(first.instruction.form, first.instruction), _DRAWS):
        rows = [row for row in trace.rows.values() if isinstance(row.micro, Choose)]
        if rows and any(
            (row.inputs[0].values[0] < 0) != (first.rows[row.key].inputs[0].values[0] < 0)
            or bool(row.inputs[0].values[0]) != bool(first.rows[row.key].inputs[0].values[0])
            for row in rows
        ):
            return WorkedExample("The other choice", trace)
    return None


def _find_special_case(entry: Entry, earlier_traces: list[Trace]) -> WorkedExample | None:
    """Return an example with two answers, a negation, a mask and selectors, or another effect."""
    parted = (
        _find_two_answers(entry, earlier_traces)
        or _find_negation(entry, earlier_traces)
        or _find_mask(entry, earlier_traces)
    )
    return parted or _find_edge_case(entry, earlier_traces)


def _find_two_answers(entry: Entry, earlier_traces: list[Trace]) -> WorkedExample | None:
    from ptxscope.features.check.counterexample import find_counterexample

    told = {
        x.id for trace in earlier_traces for parted in find_deviations(trace) for x in parted.errata
    }
    touching = [x for x in ERRATA if entry.opcode in x.opcodes]
    touching.sort(
        key=lambda x: (x.id in told, bool(x.repaired_in), parse(x.example[0]).entry != entry)
    )
    for erratum in touching:
        ptx, values, *_ = erratum.example
        ins = parse(ptx)
        if ins.entry != entry:
            forms = (
                adapt_form(ins.form, entry),
                *_iter_near_forms(entry, earlier_traces[0].instruction.form),
            )
            form = next(filter(erratum.touches, forms), None)
            if form is None:
                continue
            ins = parse(str(make_instruction(form, ins.destinations, ins.roles, ins.guard)))
            shown = find_counterexample(ins)
            if shown is None:
                continue
            values = shown.values
        trace = make_trace(ins, ISA_MODEL, bind_values(ins, values))
        parted = find_deviations(trace)
        if parted:
            return WorkedExample(f"Two answers: {', '.join(x.id for x in parted[0].errata)}", trace)
    return None


def _find_negation(entry: Entry, earlier_traces: list[Trace]) -> WorkedExample | None:
    slot = entry.find_slot("negc")
    if slot is None:
        return None
    form = earlier_traces[0].instruction.form
    if entry.find_slot("boolop"):
        form = with_slot(form, "boolop", form.boolop or BoolOp.AND)
    if entry.find_slot("dst"):
        form = with_slot(form, "dst", Destinations.P_Q)
    form = with_slot(form, "negc", True)
    if find_violations(form):
        return None
    plain = min(
        _iter_traces(form, earlier_traces[0].instruction),
        key=lambda x: (len(find_events(x)), x.operands["c"]),
    )
    return WorkedExample("A negation", plain)


def _find_mask(entry: Entry, earlier_traces: list[Trace]) -> WorkedExample | None:
    if entry.find_slot("mask") is None:
        return None
    unit, lanes = 32 // entry.lanes, entry.lanes
    mask = Selector(unit, tuple(range(0, lanes, 2)))
    reversed_ = Selector(unit, tuple(reversed(range(lanes))))
    both = Selector(unit, tuple(range(1, 2 * lanes, 2)))
    form = with_slot(earlier_traces[0].instruction.form, "secop", None)
    for name, value in (("mask", mask), ("asel", reversed_), ("bsel", both)):
        form = with_slot(form, name, value)
    trace = max(_iter_traces(form, earlier_traces[0].instruction), key=_measure_spread)
    return WorkedExample("A mask and selectors", trace)


def _measure_spread(trace: Trace) -> tuple[int, int]:
    """Return how different the lanes are, which shows their origins."""
    picked = [row.values for row in trace.steps[0].rows]
    return sum(len(set(values)) for values in picked), len(find_events(trace))
