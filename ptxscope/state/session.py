"""A session: the current setup, from which everything is computed, and the undo history.

A setup is an instruction with operand values; the open listing belongs to the session, too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ..engine.isa.catalog import CATALOG
from ..engine.isa.encodings import format_hex
from ..engine.isa.types import Role
from ..engine.isa.video_entries import C_BITS
from ..engine.records import FrozenRecord
from ..engine.semantics.models import parse_model
from ..engine.syntax.errors import PtxError, quote_word
from ..engine.syntax.instruction import Instruction
from ..engine.syntax.parser import parse
from ..engine.tracing.annotations import NOTHING, Annotations, Note
from ..engine.tracing.deviation import Deviation, find_deviation, find_deviations
from ..engine.tracing.trace import Trace, make_trace

if TYPE_CHECKING:
    from .open_listing import ListingCursor

FIRST_OPCODE = "vadd4"
"""The instruction whose example the first start shows, and a page without a permalink."""
MAX_UNDO_STEPS = 1000
"""Edits that can be undone."""
MAX_UNDO_CHARS = 8_000_000
"""Characters of their lines and listings together."""


class OperandOrigin(NamedTuple):
    """Where operands come from that are not those of the listing's run."""

    text: str
    """``thread (5,0,0) of block (0,0,0), step 18``."""
    values: Mapping[str, int]
    """The operands by role, as they were there."""


@dataclass(frozen=True, slots=True)
class Setup(FrozenRecord):
    """An instruction and operand values: the unit of editing and of undo."""

    instruction: Instruction
    line: str
    """The text of the line. While it is not legal, ``instruction`` is the last legal one."""
    values: Mapping[str, int]
    """Operand bits by role, including operands that the line does not mention now."""
    model: str = "isa"
    error: PtxError | None = field(default=None, compare=False, repr=False)
    """The error in the line; the same for the same line."""
    annotations: Annotations = NOTHING
    """The user's annotations, for exports."""
    place: tuple[int, int] | None = None
    """The program and the statement of the open listing that it shows."""
    is_detached: bool = False
    """Whether its operands come from an explanation rather than from the listing."""
    origin: OperandOrigin | None = None
    """Where they come from, if that is known."""


def trace_of(setup: Setup) -> Trace:
    """Return the evaluation of a setup on the operands that are read.

    A register in several roles has the value of the first.
    """
    ins = setup.instruction
    read_names = {x.name for x in ins.inputs}
    first: dict[str, int] = {}
    operands = dict(ins.constants)
    for role in map(str, Role):
        if ins.names.get(role) in read_names and role not in operands:
            width = (1 << ins.type_of(role).bits) - 1
            value = setup.values.get(role, make_unset_bits(setup, role)) & width
            operands[role] = first.setdefault(ins.names[role], value)
    trace = make_trace(ins, parse_model(setup.model), operands)
    notes = tuple(note for note in setup.annotations.notes if _is_in(note, trace))
    return trace.with_annotations(setup.annotations._replace(notes=notes))


def make_unset_bits(setup: Setup, role: str) -> int:
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


def _is_in(note: Note, trace: Trace) -> bool:
    """Whether the trace has a lane for the note at its step; an edit may restore it."""
    rows = [row for row in trace.rows.values() if note.stage in (None, row.stage)]
    return any(note.lane is None or note.lane < len(row.values) for row in rows)


def make_setup(ins: Instruction, bits_by_name: Mapping[str, int], model_name: str = "isa") -> Setup:
    """Return a setup of an instruction with values by register name; others are unset."""
    values = {role: bits_by_name[name] for role, name in ins.names.items() if name in bits_by_name}
    values |= find_register_constants(ins)
    return Setup(make_canonical(ins), str(ins), values, model_name)


def make_canonical(ins: Instruction) -> Instruction:
    """Return the instruction parsed from its canonical text; registers stay constants."""
    bits = {ins.names[role]: bits for role, bits in find_register_constants(ins).items()}
    return parse(str(ins)).with_constants(bits)


def find_register_constants(ins: Instruction) -> dict[str, int]:
    """Return the bits of the registers that are constants, by role."""
    return {role: bits for role, bits in ins.constants.items() if role in ins.names}


def make_setup_of_trace(trace: Trace) -> Setup:
    """Return a setup that evaluates to the same trace."""
    ins = trace.instruction
    return Setup(make_canonical(ins), str(ins), dict(trace.operands), trace.model.name)


def make_example(opcode: str) -> Setup:
    """Return the catalog's example of an instruction."""
    ptx, values = CATALOG[opcode].example
    return make_setup(parse(ptx), values)


# --- undo --------------------------------------------------------------------------------


class Moment(NamedTuple):
    """An entry of the undo history."""

    setup: Setup
    cursor: ListingCursor | None = None
    """The cursor in the open listing, with its inputs but without computed values."""


class History:
    """The latest moments, limited in number and in characters; at least one is always kept."""

    def __init__(self) -> None:
        self._moments = deque[tuple[Moment, int]]()
        self._size = 0

    def __len__(self) -> int:
        return len(self._moments)

    def push(self, moment: Moment) -> None:
        """Add a moment, and drop the oldest ones if a limit is exceeded."""
        size = len(moment.setup.line)
        last_cursor = self._moments[-1][0].cursor if self._moments else None
        listing = moment.cursor and moment.cursor.listing
        if listing and not (last_cursor and listing.programs is last_cursor.listing.programs):
            size += len(listing.text)
        self._moments.append((moment, size))
        self._size += size
        while len(self._moments) > 1 and (
            len(self._moments) > MAX_UNDO_STEPS or self._size > MAX_UNDO_CHARS
        ):
            self._size -= self._moments.popleft()[1]

    def pop(self) -> Moment:
        """Remove and return the latest moment."""
        moment, size = self._moments.pop()
        self._size -= size
        return moment

    def clear(self) -> None:
        """Remove all moments."""
        self._moments.clear()
        self._size = 0


class Session:
    """The current Setup and the open listing, with their undo and redo histories."""

    def __init__(self, setup: Setup, cursor: ListingCursor | None = None) -> None:
        self.setup = setup
        self.cursor = cursor
        """The cursor in the open listing."""
        self.undo_history = History()
        self.redo_history = History()
        self._trace: Trace | None = None
        self._deviations: tuple[Deviation, ...] | None = None

    @property
    def trace(self) -> Trace:
        """The evaluation of the current setup."""
        if self._trace is None:
            self._trace = trace_of(self.setup)
        return self._trace

    @property
    def deviations(self) -> tuple[Deviation, ...]:
        """Every known answer that differs from the documented one."""
        if self._deviations is None:
            self._deviations = find_deviations(self.trace)
        return self._deviations

    @property
    def deviation(self) -> Deviation | None:
        """The two answers that are shown; None if they agree."""
        return find_deviation(self.trace, self.deviations)

    def apply(
        self,
        setup: Setup,
        cursor: ListingCursor | None = None,
        *,
        coalesce: bool = False,
        is_closing: bool = False,
    ) -> bool:
        """Apply an edit and return whether it changed anything.

        A cursor makes the listing a part of the edit, ``is_closing`` closes it. With ``coalesce``,
        one undo reverts this edit and the last one together.
        """
        cursor = None if is_closing else cursor or self.cursor
        if setup == self.setup and cursor == self.cursor:
            return False
        if not coalesce:
            self.undo_history.push(self.moment)
        self.redo_history.clear()
        self._set_state(setup, cursor)
        return True

    def amend(self, setup: Setup, cursor: ListingCursor | None) -> None:
        """Replace the current setup and cursor as part of the last edit."""
        self._set_state(setup, cursor)

    def drop_empty_edit(self) -> None:
        """Drop the last edit if it changed nothing."""
        if self.undo_history:
            last = self.undo_history.pop()
            if last != self.moment:
                self.undo_history.push(last)

    def undo(self) -> bool:
        """Undo the last edit and return whether there was one."""
        return self._move_history(self.undo_history, self.redo_history)

    def redo(self) -> bool:
        """Redo an undone edit and return whether there was one."""
        return self._move_history(self.redo_history, self.undo_history)

    def _move_history(self, source: History, target: History) -> bool:
        if not source:
            return False
        target.push(self.moment)
        self._set_state(*source.pop())
        return True

    @property
    def moment(self) -> Moment:
        """The state that undo would return to."""
        return Moment(self.setup, self.cursor and self.cursor.without_caches())

    def _set_state(self, setup: Setup, cursor: ListingCursor | None) -> None:
        if setup != self.setup:
            self._trace = self._deviations = None
        self.setup, self.cursor = setup, cursor


def describe_edit(old_moment: Moment, new_moment: Moment) -> str:
    """Return a description of the largest change between two moments."""
    old, new = old_moment.cursor, new_moment.cursor
    if new is not None and (old is None or old.listing.programs is not new.listing.programs):
        return f"the listing {quote_word(new.listing.name)}"
    setup, cursor = new_moment.setup, new or old
    if cursor is not None and setup.place is not None and old_moment.setup.place != setup.place:
        return f"line {cursor.statement.line} of {quote_word(cursor.listing.name)}"
    if old_moment.setup.line != setup.line:
        return f"the line {quote_word(setup.line)}"
    parts = _value_texts(old_moment.setup, setup)
    if old_moment.setup.model != setup.model:
        parts.append(f"the model {setup.model}")
    if old_moment.setup.annotations != setup.annotations:
        parts.append("the notes for exports")
    return ", ".join(parts) or "the values of the listing"


def _value_texts(old_moment: Setup, new_moment: Setup) -> list[str]:
    old, new, ins = (
        trace_of(old_moment).operands,
        trace_of(new_moment).operands,
        new_moment.instruction,
    )
    values = {
        name: format_hex(new[role], ins.type_of(role).bits)
        for role, name in ins.names.items()
        if role in old and old[role] != new[role]
    }
    return [f"{name} = {value}" for name, value in values.items()]
