"""The state of the explorer: one instruction, its values, and the undo history.

This module is independent of the terminal. Every edit makes a new Setup, so undo is a list; an open
listing is part of an edit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from ..engine.isa.catalog import C_BITS, CATALOG, get_entry
from ..engine.isa.entry import Entry
from ..engine.isa.form import Form
from ..engine.isa.integers import cast
from ..engine.isa.legality import find_violations, with_slot
from ..engine.isa.roles import SOURCES, Role
from ..engine.isa.types import Destinations, Selector, Type
from ..engine.listings.asm_bindings import parse_pasted
from ..engine.records import NamedTuple, Record, replace
from ..engine.semantics.micro_operation import Flag
from ..engine.semantics.models import parse_model
from ..engine.semantics.plan import Stage
from ..engine.syntax.constants import decode_float, encode_float
from ..engine.syntax.errors import PtxError
from ..engine.syntax.instruction import Guard, Immediate, Instruction, Register
from ..engine.syntax.parser import parse
from ..engine.tracing.annotations import NOTHING, Annotations, Note
from ..engine.tracing.divergence import Divergence, find_divergence, find_divergences
from ..engine.tracing.lane_text import format_lane_sentence
from ..engine.tracing.step_text import describe_step
from ..engine.tracing.trace import RowTrace, Step, Trace

if TYPE_CHECKING:
    from random import Random

    from ..engine.diagnosis.findings import Finding
    from .open_listing import ListingCursor

Sources = Mapping[str, Register | Immediate]

_EDGE_CASES = {
    1: (0, 1),
    16: (0x7FFF, 0x8000, 0xFFFF, 0x0080),
    32: (0x7F7F7F7F, 0x80808080, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x80FF7F01),
    64: (0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF),
}
"""Integer edge cases, by width in bits; ``list_edge_cases`` names them."""


class Setup(Record):
    """An instruction and operand values: the unit of editing and of undo."""

    instruction: Instruction
    line: str
    """The text of the line. While it is not legal, ``instruction`` is the last legal one."""
    values: Mapping[str, int]
    """Operand bits by role, including operands that the line does not mention now."""
    model: str = "isa"
    error: PtxError | None = None
    """The error in the line."""
    annotations: Annotations = NOTHING
    """The user's annotations, for exports."""
    place: tuple[int, int] | None = None
    """The program and the statement of the open listing that it shows."""
    is_detached: bool = False
    """Whether its operands come from a finding rather than from the listing."""


MAX_UNDO_STEPS = 1000
"""Edits that can be undone."""
MAX_UNDO_CHARS = 8_000_000
"""Characters of their lines and listings together."""


class Moment(NamedTuple):
    """An entry of the undo history."""

    setup: Setup
    cursor: ListingCursor | None = None
    """The cursor in the open listing, with its inputs but without computed values."""


class History:
    """The latest moments, limited in number and in characters; at least one is always kept."""

    def __init__(self) -> None:
        self._moments = deque[tuple[Moment, int]]()
        self._held = 0

    def __len__(self) -> int:
        return len(self._moments)

    def push(self, moment: Moment) -> None:
        """Add a moment, and drop the oldest ones if a limit is exceeded."""
        size = len(moment.setup.line)
        before = self._moments[-1][0].cursor if self._moments else None
        here = moment.cursor and moment.cursor.listing
        if here and not (before and here.programs is before.listing.programs):
            size += len(here.text)
        self._moments.append((moment, size))
        self._held += size
        while len(self._moments) > 1 and (
            len(self._moments) > MAX_UNDO_STEPS or self._held > MAX_UNDO_CHARS
        ):
            self._held -= self._moments.popleft()[1]

    def pop(self) -> Moment:
        """Remove and return the latest moment."""
        moment, size = self._moments.pop()
        self._held -= size
        return moment

    def clear(self) -> None:
        """Remove all moments."""
        self._moments.clear()
        self._held = 0


class Session:
    """The current Setup and the open listing, with their undo and redo histories."""

    def __init__(self, setup: Setup, cursor: ListingCursor | None = None) -> None:
        self.setup = setup
        self.cursor = cursor
        """The cursor in the open listing."""
        self.past = History()
        self.future = History()
        self._trace: Trace | None = None
        self._divergences: tuple[Divergence, ...] | None = None

    @property
    def trace(self) -> Trace:
        """The evaluation of the current setup."""
        if self._trace is None:
            self._trace = trace_of(self.setup)
        return self._trace

    @property
    def divergences(self) -> tuple[Divergence, ...]:
        """Every known answer that differs from the documented one."""
        if self._divergences is None:
            self._divergences = find_divergences(self.trace)
        return self._divergences

    @property
    def divergence(self) -> Divergence | None:
        """The two answers that are shown; None if they agree."""
        return find_divergence(self.trace, self.divergences)

    def apply(
        self, setup: Setup, cursor: ListingCursor | None = None, *, coalesce: bool = False
    ) -> bool:
        """Apply an edit and return whether it changed anything.

        A cursor makes the listing a part of the edit. With ``coalesce``, one undo reverts this edit
        and the last one together.
        """
        cursor = cursor or self.cursor
        if setup == self.setup and cursor == self.cursor:
            return False
        if not coalesce:
            self.past.push(self.moment)
        self.future.clear()
        self._show(setup, cursor)
        return True

    def amend(self, setup: Setup, cursor: ListingCursor | None) -> None:
        """Replace the current setup and cursor as part of the last edit."""
        self._show(setup, cursor)

    def drop_empty_edit(self) -> None:
        """Drop the last edit if it changed nothing."""
        if self.past:
            last = self.past.pop()
            if last != self.moment:
                self.past.push(last)

    def undo(self) -> bool:
        """Undo the last edit and return whether there was one."""
        return self._move_history(self.past, self.future)

    def redo(self) -> bool:
        """Redo an undone edit and return whether there was one."""
        return self._move_history(self.future, self.past)

    def _move_history(self, source: History, target: History) -> bool:
        if not source:
            return False
        target.push(self.moment)
        self._show(*source.pop())
        return True

    @property
    def moment(self) -> Moment:
        """The state that undo would return to."""
        return Moment(self.setup, self.cursor and self.cursor.without_caches())

    def _show(self, setup: Setup, cursor: ListingCursor | None) -> None:
        if setup != self.setup:
            self._trace = self._divergences = None
        self.setup, self.cursor = setup, cursor


def trace_of(setup: Setup) -> Trace:
    """Return the evaluation of a setup. A register in several roles has the value of the first."""
    ins = setup.instruction
    first: dict[str, int] = {}
    operands = dict(ins.constants)
    for role in Role:
        if role in ins.names and role not in operands:
            width = (1 << ins.type_of(role).bits) - 1
            value = setup.values.get(role, _make_unset_bits(setup, role)) & width
            operands[role] = first.setdefault(ins.names[role], value)
    trace = Trace(ins, parse_model(setup.model), operands)
    notes = tuple(note for note in setup.annotations.notes if _is_in(note, trace))
    return replace(trace, annotations=setup.annotations._replace(notes=notes))


_WORD, _GLANCE, _LONGEST = 0.15, 1.5, 8.0
"""Seconds to read a word, and the least and most seconds that a step is displayed."""
_QUIET = {Flag.SIGN_EXTENDED, Flag.ZERO_EXTENDED}


def select_notable_flags(row: RowTrace, lane: int) -> list[Flag]:
    """Return the flags of a lane that are worth a sentence."""
    return [flag for flag in row.lanes[lane].flags if flag not in _QUIET]


def compute_reading_seconds(
    trace: Trace, step: Step, divergence: Divergence | None = None
) -> float:
    """Return the seconds to read the sentences on a step in their short form."""
    texts = [describe_step(trace, step)]
    for row in step.rows:
        lanes = (lane for lane in range(len(row.lanes)) if select_notable_flags(row, lane))
        texts += [format_lane_sentence(trace, row, lane) for lane in lanes]
    texts += [note.text for note in trace.annotations.get_notes(step.stage)]
    if divergence and divergence.stage is step.stage:
        texts += [erratum.sentence for erratum in divergence.errata]
    return estimate_seconds(sum(len(text.split()) for text in texts))


def estimate_seconds(words: int) -> float:
    """Return the seconds that a step with this many words is displayed during playback."""
    return min(max(_WORD * words, _GLANCE), _LONGEST)


def _make_unset_bits(setup: Setup, role: str) -> int:
    """Return the bits of a register without a value. A listing shows every unknown value as 0."""
    if role == Role.GUARD:
        return 1
    form, entry = setup.instruction.form, setup.instruction.entry
    keeps = (
        role == Role.C
        and (entry.find_slot("mask") or entry.find_slot("dsel"))
        and form.secop is None
    )
    return C_BITS if keeps and setup.place is None else 0


def _is_c_kept(form: Form) -> bool:
    """Whether bits of c appear unchanged in the result."""
    return form.secop is None and (form.dsel is not None or form.mask is not None)


@cache
def _list_example_bits() -> frozenset[int]:
    """Return 0 and the values of c in the examples that add it or compare with it."""
    examples = [entry.example for entry in CATALOG.values()]
    return frozenset(
        {0} | {values.get("c", 0) for ptx, values in examples if not _is_c_kept(parse(ptx).form)}
    )


def _with_new_c(setup: Setup, before: Form) -> Setup:
    """Drop c's example value once bits of c are kept, so that c becomes recognisable."""
    if _is_c_kept(before) or not _is_c_kept(setup.instruction.form) or setup.place is not None:
        return setup
    if setup.values.get("c") not in _list_example_bits():
        return setup
    return replace(setup, values={role: x for role, x in setup.values.items() if role != "c"})


def _is_in(note: Note, trace: Trace) -> bool:
    """Whether the trace has a lane for the note at its step; an edit may restore it."""
    rows = [row for row in trace.rows.values() if note.stage in (None, row.stage)]
    return any(note.lane is None or note.lane < len(row.lanes) for row in rows)


def make_setup(ins: Instruction, bits_by_name: Mapping[str, int], model_name: str = "isa") -> Setup:
    """Return a setup of an instruction with values by register name; others are unset."""
    values = {role: bits_by_name[name] for role, name in ins.names.items() if name in bits_by_name}
    values |= _find_register_constants(ins)
    return Setup(_make_canonical(ins), str(ins), values, model_name)


def _make_canonical(ins: Instruction) -> Instruction:
    """Return the instruction parsed from its canonical text; registers stay constants."""
    bits = {ins.names[role]: bits for role, bits in _find_register_constants(ins).items()}
    return parse(str(ins)).with_constants(bits)


def _find_register_constants(ins: Instruction) -> dict[str, int]:
    """Return the bits of the registers that are constants, by role."""
    return {role: bits for role, bits in ins.constants.items() if role in ins.names}


def make_setup_of_trace(trace: Trace) -> Setup:
    """Return a setup that evaluates to the same trace."""
    ins = trace.instruction
    return Setup(_make_canonical(ins), str(ins), dict(trace.operands), trace.model.name)


def make_example(opcode: str) -> Setup:
    """Return the catalog's example of an instruction."""
    ptx, values = CATALOG[opcode].example
    return make_setup(parse(ptx), values)


def with_line(setup: Setup, text: str) -> Setup:
    """Return the setup with another line and, if the line is legal, its instruction."""
    try:
        ins = parse_pasted(text)
    except PtxError as error:
        return replace(setup, line=text, error=error)
    values = {**setup.values, **_find_register_constants(ins)}
    changed = replace(setup, instruction=ins, line=text, values=values, error=None)
    return _with_new_c(changed, setup.instruction.form)


def with_instruction(setup: Setup, ins: Instruction) -> Setup:
    """Return the setup with another instruction and its canonical line."""
    return _with_new_c(_on_line(setup, ins), setup.instruction.form)


def _on_line(setup: Setup, ins: Instruction) -> Setup:
    return replace(setup, instruction=_make_canonical(ins), line=str(ins), error=None)


def with_form(setup: Setup, form: Form) -> Setup:
    """Return the setup with another form of the same instruction; the operands are unchanged."""
    ins = setup.instruction
    instruction = make_instruction(form, ins.destinations, ins.roles, ins.guard)
    return with_instruction(setup, instruction)


def with_choice(setup: Setup, slot: str, value: object) -> Setup:
    """Return the setup with one slot of the form changed."""
    return with_form(setup, with_slot(setup.instruction.form, slot, value))


def with_mask_lane(setup: Setup, lane: int) -> Setup:
    """Return the setup with a lane of the mask toggled; at least one lane remains."""
    form = setup.instruction.form
    entry = get_entry(form)
    if all(slot.name != "mask" for slot in entry.slots):
        return setup
    mask = form.get("mask")
    before = set(mask.lanes) if isinstance(mask, Selector) else set(range(entry.lanes))
    lanes = before ^ {lane}
    if not lanes:
        return setup
    return with_choice(setup, "mask", Selector(32 // entry.lanes, tuple(sorted(lanes))))


def with_digit(setup: Setup, slot: str, lane: int, digit: int, unit: int = 0) -> Setup | None:
    """Return the setup with another byte or half-word for a lane of ``asel`` or ``bsel``.

    A digit counts the parts of a first, then those of b. For a scalar instruction it counts those
    of the operand itself, of ``unit`` bits or, if 0, of the current width. Return None if there is
    no such part.
    """
    form = setup.instruction.form
    count, now = get_entry(form).lanes, form.get(slot)
    if count == 1:
        unit = unit or (now.unit if isinstance(now, Selector) else 8)
        chosen = Selector(unit, (digit,))
        legal = next(x for x in get_entry(form).slots if x.name == slot).values
        return with_choice(setup, slot, chosen) if chosen in legal else None
    if digit >= 2 * count:
        return None
    first = count if slot == "bsel" else 0
    lanes = list(now.lanes) if isinstance(now, Selector) else list(range(first, first + count))
    lanes[lane] = digit
    return with_choice(setup, slot, Selector(32 // count, tuple(lanes)))


def with_opcode(setup: Setup, opcode: str) -> Setup:
    """Return the setup with another instruction, which keeps every choice that it also has.

    An instruction of another shape opens on its example, and so does any instruction after an
    unedited example.
    """
    old, entry = setup.instruction, CATALOG[opcode]
    if old.opcode == opcode:
        return setup
    untouched = setup == replace(make_example(old.opcode), model=setup.model)
    if untouched or (old.entry.group, old.entry.lanes) != (entry.group, entry.lanes):
        return replace(make_example(opcode), model=setup.model)
    form = adapt_form(old.form, entry)
    same_sort = (form.dst is None) == (old.form.dst is None)
    names = old.destinations if same_sort else ()
    try:
        changed = with_instruction(setup, make_instruction(form, names, old.roles, old.guard))
    except PtxError:  # a register cannot have the type that the instruction needs
        return replace(make_example(opcode), model=setup.model)
    return _with_example_values(changed, old)


def _with_example_values(setup: Setup, old: Instruction) -> Setup:
    """Return the setup with example values for operands without a value or of a changed type.

    In a listing the setup is unchanged, because unknown values are shown as 0.
    """
    if setup.place is not None:
        return setup
    ins = setup.instruction
    ptx, example_bits = ins.entry.example
    example = parse(ptx)
    fresh: dict[str, int] = {
        role: _refit_bits(example_bits[role], example.type_of(role), ins.type_of(role))
        for role in SOURCES
        if role in ins.names and role in example_bits and not _is_value_kept(setup, old, role)
    }
    return replace(setup, values={**setup.values, **fresh}) if fresh else setup


def _is_value_kept(setup: Setup, old: Instruction, role: Role) -> bool:
    """Whether an operand's value, or its literal, has the same meaning in a new instruction."""
    now, value = setup.instruction.type_of(role), setup.values.get(role)
    if value is None:
        return _make_unset_bits(setup, role) != 0
    fits = value >> now.bits == 0
    if role not in old.roles:
        return fits and not now.is_float
    before = old.type_of(role)
    if now.is_float or before.is_float:
        return now.is_float and before.is_float and now.bits == before.bits
    return fits and (now is Type.PRED) == (before is Type.PRED)


def _refit_bits(bits: int, before: Type, now: Type) -> int:
    """Return a number of one type in another; an integer or a predicate as its bits."""
    if not now.is_float or now is before:
        return bits & ((1 << now.bits) - 1)
    number = (
        decode_float(bits, before.bits)
        if before.is_float
        else float(cast(bits, before.bits, before.signed))
    )
    return encode_float(number, now.bits)


def adapt_form(form: Form, entry: Entry) -> Form:
    """Return a form of an entry with every choice of another form that is legal there.

    Choices that are required and missing come from the entry's example.
    """
    choices = parse(entry.example[0]).form
    for slot in entry.slots:
        if slot.is_optional:
            choices = with_slot(choices, slot.name, slot.absent)
    for slot in entry.slots:
        value = form.get(slot.name)
        if value == slot.absent if slot.is_optional else value not in slot.values:
            continue
        changed = with_slot(choices, slot.name, value)
        if not find_violations(changed):
            choices = changed
    return choices


def make_instruction(
    form: Form,
    destinations: tuple[str | None, ...],
    sources: Sources,
    guard: Guard | None,
) -> Instruction:
    """Return an instruction of a form; operands without a name are named after their role."""
    entry = get_entry(form)
    names = iter([name for name in destinations if name is not None])
    if form.dst is None:
        written: tuple[str | None, ...] = (next(names, "d"),)
    else:
        roles = {
            Destinations.P: "p",
            Destinations.P_Q: "pq",
            Destinations.P_SINK: "p_",
            Destinations.SINK_Q: "_q",
            Destinations.SINK: "_",
        }[form.dst]
        written = tuple(None if role == "_" else next(names, role) for role in roles)
    operands = []
    for operand in entry.sources:
        if operand.role != "c" or form.c:
            source = sources.get(operand.role) or Register(operand.role)
            literal = isinstance(source, Immediate)
            operands.append(
                Register(operand.role) if literal and not entry.can_take_immediates else source
            )
    return Instruction(form, written, tuple(operands), guard)


def with_value(setup: Setup, role: str, bits: int) -> Setup:
    """Return the setup with another value of an operand, and of every role of its register."""
    names = setup.instruction.names
    same = [x for x, name in names.items() if name == names.get(role)] or [role]
    return replace(setup, values={**setup.values, **dict.fromkeys(same, bits)})


def with_annotations(setup: Setup, annotations: Annotations) -> Setup:
    """Return the setup with another title, caption and notes."""
    return replace(setup, annotations=annotations)


def with_step_note(setup: Setup, stage: Stage, text: str) -> Setup:
    """Return the setup with this note instead of those on a step; an empty text removes them."""
    others = [x for x in setup.annotations.notes if x.stage is not stage or x.lane is not None]
    fresh = [Note(text.strip(), stage)] if text.strip() else []
    return with_annotations(setup, setup.annotations._replace(notes=(*others, *fresh)))


def with_model(setup: Setup, name: str) -> Setup:
    """Return the setup under another model."""
    return replace(setup, model=name)


def with_finding(setup: Setup, finding: Finding) -> Setup:
    """Return the setup of an explanation: its instruction, model and operands."""
    values = {**setup.values, **finding.operands[finding.shown_index]}
    changed = replace(setup, values=values, model=finding.model.name, is_detached=True)
    return _on_line(changed, finding.instruction)


def swap_operands(setup: Setup) -> Setup:
    """Return the setup with the values of a and b exchanged."""
    values = {**setup.values}
    values["a"], values["b"] = values.get("b", 0), values.get("a", 0)
    return replace(setup, values=values)


def randomize_values(setup: Setup, rng: Random) -> Setup:
    """Return the setup with random source values: any bits, or edge cases."""
    values = {**setup.values}
    for needed in setup.instruction.inputs:
        width = needed.type.bits
        bits = rng.getrandbits(width)
        if rng.random() < 0.3:
            bits = rng.choice(_EDGE_CASES[width])
        values |= dict.fromkeys(needed.roles, bits)
    return replace(setup, values=values)


def list_edge_cases(type_: Type, lanes: int) -> tuple[tuple[str, int], ...]:
    """Return named edge cases for an operand of a type and a number of lanes."""
    if type_ is Type.PRED:
        return (("false", 0), ("true", 1))
    width = type_.bits
    top = 1 << (width - 1)
    if type_.is_float:
        fraction = 23 if width == 32 else 52
        infinity = (top - 1) >> fraction << fraction
        one = ((1 << (width - 2 - fraction)) - 1) << fraction
        return (
            ("0.0", 0),
            ("-0.0", top),
            ("1.0", one),
            ("-1.0", top | one),
            ("smallest subnormal", 1),
            ("largest subnormal", (1 << fraction) - 1),
            ("negative subnormal", top | 1),
            ("inf", infinity),
            ("-inf", top | infinity),
            ("NaN", infinity | 1 << (fraction - 1)),
            ("signalling NaN", infinity | 1),
        )
    unit = width // lanes
    ones = sum(1 << unit * lane for lane in range(lanes))
    high = 1 << (unit - 1)
    prefix = "each lane " if lanes > 1 else ""
    return (
        ("0", 0),
        (f"{prefix}1", ones),
        (f"{prefix}{high - 1:#x}", ones * (high - 1)),
        (f"{prefix}{high:#x}", ones * high),
        (f"{prefix}{2 * high - 1:#x}", ones * (2 * high - 1)),
        *((("0x80ff7f01", 0x80FF7F01),) if lanes == 4 else ()),
    )
