"""A kernel's run in the explorer: the execution of one thread, statement by statement.

The run is a list of steps, so a move is another position in it and computes nothing. This module
is independent of the terminal.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from ...engine.isa.encodings import format_hex
from ...engine.program.statement import Statement
from ...engine.records import FrozenRecord
from ...engine.syntax.errors import format_count
from ...engine.syntax.instruction import Instruction
from ...sources.source_lines import SourceLines, read_source_lines
from .launch_request import KernelLaunch
from .launches.expected_elements import find_differences
from .launches.kernel_run import KernelRun
from .launches.launch_text import parse_thread
from .launches.memory_regions import Region, WriteJournal, describe_address
from .launches.run_diagnosis import RunDiagnosis
from .launches.run_explanations import explain_run
from .launches.thread_log import ThreadLog, ThreadStep
from .launches.thread_state import LaunchError
from .step_history import (
    MAX_PLACES,
    StatementPlace,
    StepHistory,
    ThreadState,
    find_place,
    iter_stored,
)

OnProgress = Callable[..., None]


class KernelRow(NamedTuple):
    """A statement in the list."""

    place: StatementPlace
    line: int
    text: str
    is_next: bool
    """Whether the thread executes it next."""
    has_cursor: bool
    is_suspect: bool
    """Whether ``≠`` marks it."""
    result: str
    """The values that the thread wrote there last."""
    source: str
    """The line of CUDA C++ that it was compiled from: ``sad.cu:5``."""


class ShownValue(NamedTuple):
    """A register, or a place in memory that the thread has accessed."""

    name: str
    bits: int | None
    width: int
    """In bits."""
    is_changed: bool
    """Whether the last step wrote it."""
    place: str = ""
    """The place of an address: ``param0[5]``."""


class Evaluation(NamedTuple):
    """An instruction with the values that a thread has in its registers."""

    instruction: Instruction
    values: Mapping[str, int]
    """Bits by register."""
    line: int
    origin: str
    """The thread and the step."""


@dataclass(frozen=True)
class ThreadRun(FrozenRecord):
    """A position in the execution of one thread."""

    launch: KernelLaunch
    thread: int
    """The number of the thread, of all threads of the grid."""
    steps: tuple[ThreadStep, ...]
    history: StepHistory = field(compare=False, repr=False)
    message: str = ""
    """The fault of the run: its error, or the first element that is not as expected."""
    position: int = 0
    """The number of steps that the thread has executed."""
    cursor: StatementPlace = (0, 0, 0)
    """The place of the statement under the cursor."""
    result: KernelRun | None = field(default=None, compare=False, repr=False)
    """The whole run; None if it failed."""
    diagnosis: RunDiagnosis | None = field(default=None, compare=False, repr=False)
    journals: Mapping[str, WriteJournal] = field(default_factory=dict, compare=False, repr=False)
    """All writes to global memory, and to the shared memory of the block, by space."""
    regions: Mapping[str, tuple[Region, ...]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """The buffers and variables in these spaces."""
    is_cut: bool = False
    """Whether steps, or writes, after the last one are missing."""
    suspects: frozenset[StatementPlace] = frozenset()
    """The statements that explain the expected elements, or differ from another run."""
    fault: StatementPlace | None = None
    """The place of the statement at which the thread fails."""
    different_steps: frozenset[int] = field(default=frozenset(), compare=False, repr=False)
    """The numbers of the steps that write other values than those of another run."""

    # --- contents ------------------------------------------------------------------------

    @property
    def next_step(self) -> ThreadStep | None:
        """The step that the thread executes next; None at the end."""
        return self.steps[self.position] if self.position < len(self.steps) else None

    @property
    def last_step(self) -> ThreadStep | None:
        """The step that the thread has executed last."""
        return self.steps[self.position - 1] if self.position else None

    @property
    def title(self) -> str:
        """The thread and the position."""
        thread = self.launch.shape.format_thread(self.thread)
        count = format_count(len(self.steps), "step")
        return f"{thread} · {self.position:,} of {'the first ' if self.is_cut else ''}{count}"

    @property
    def limit_text(self) -> str:
        """A sentence on the steps that a limit left out; often empty."""
        if self.is_cut:
            return f"The thread continues, but only {len(self.steps):,} of its steps are kept."
        if self.result and not self.result.is_complete:
            return f"The run ends at {self.result.step_count:,} instructions; --steps sets a limit."
        return ""

    @property
    def line(self) -> int:
        """The line under the cursor."""
        return self.cursor[0]

    @property
    def place_text(self) -> str:
        """The line under the cursor: ``line 12``, or ``line 12 (sad.cu:5)``."""
        return self.sources.format_line(self.line)

    @property
    def sources(self) -> SourceLines:
        """The lines of the sources of the code."""
        return read_source_lines(self.launch.code.text)

    @property
    def pass_text(self) -> str:
        """``pass 3 of 25`` if the thread comes to the next statement several times, else empty."""
        step = self.next_step
        if step is None:
            return ""
        same = self.history.list_passes(find_place(step.statement))
        number = bisect_right(same, self.position)
        return f"pass {number:,} of {len(same):,}" if len(same) > 1 else ""

    @cached_property
    def _state(self) -> ThreadState:
        return self.history.read_state(self.position)

    @cached_property
    def rows(self) -> tuple[KernelRow, ...]:
        """The statements, with the values that the thread wrote there last."""
        results = self._state.results
        next_place = find_place(self.next_step.statement) if self.next_step else None
        statements = {find_place(x): x for x in self.launch.statements}
        return tuple(
            KernelRow(
                place,
                statement.line,
                statement.text,
                place == next_place,
                place == self.cursor,
                place in self.suspects or place == self.fault,
                self._format_results(results[place]) if place in results else "",
                self.sources.find(statement.line),
            )
            for place, statement in statements.items()
        )

    def _format_results(self, step: ThreadStep) -> str:
        """Return the values that a step wrote to registers and places, except to parameters.

        An address is its place; ``≠`` stands before values that differ from another run.
        """
        is_different = step.number in self.different_steps
        texts = [self._format_bits(x.bits, x.width) for x in step.writes if x.depth <= step.depth]
        for name, contents in iter_stored(step):
            value = self._format_bits(*contents)
            texts.append(f"{name} = {value}" if is_different else value)
        if not step.is_active:
            texts = ["guard false"]
        elif not texts and step.statement.guard:
            texts = ["guard true"]
        return " ".join(["≠", *texts] if is_different else texts)

    def _format_bits(self, bits: int | None, width: int) -> str:
        if bits is None:
            return "?"
        return self._describe_place(bits, width) or f"{bits:#0{width // 4 + 2}x}"

    @cached_property
    def registers(self) -> tuple[ShownValue, ...]:
        """The registers of the function that the thread is in, in the order of their names."""
        frames = self._state.frames
        current = self.next_step or self.last_step
        depth = current.depth if current else 0
        values = frames[depth] if depth < len(frames) else {}
        writes = self.last_step.writes if self.last_step else ()
        changed = {x.name for x in writes if x.depth == depth}
        names = sorted(values, key=lambda x: (len(x), x))
        return tuple(
            ShownValue(name, *values[name], name in changed, self._describe_place(*values[name]))
            for name in names
        )

    def _describe_place(self, bits: int | None, width: int) -> str:
        is_address = bits is not None and width == 64
        return describe_address(self.regions, bits or 0) if is_address else ""

    @cached_property
    def places(self) -> tuple[ShownValue, ...]:
        """The places in memory that the thread has accessed, the latest first, at most 256."""
        values = dict(list(self._state.places.items())[-MAX_PLACES:])
        changed = [x.name for x in self.last_step.places] if self.last_step else []
        return tuple(
            ShownValue(name, *value, name in changed) for name, value in reversed(values.items())
        )

    @property
    def older_place_count(self) -> int:
        """The number of places accessed before the ones that are shown."""
        return self.history.count_places(self.position) - len(self.places)

    @property
    def step_at_cursor(self) -> ThreadStep | None:
        """The next step if the cursor is there, or the thread's last one there, or else its first.

        None if it never comes there.
        """
        positions = self.history.list_passes(self.cursor)
        index = max(bisect_right(positions, self.position) - 1, 0)
        return self.steps[positions[index]] if positions else None

    @property
    def evaluation(self) -> Evaluation | None:
        """The statement under the cursor as the explorer shows it; None if it can't."""
        step = self.step_at_cursor
        if step is None or step.statement.instruction is None:
            return None
        values = {x.name: x.bits for x in step.reads if x.bits is not None}
        thread = self.launch.shape.format_thread(self.thread)
        origin = f"{thread}, step {step.number:,}"
        return Evaluation(step.statement.instruction, values, step.statement.line, origin)

    # --- moves ---------------------------------------------------------------------------

    def move_to(self, position: int) -> ThreadRun:
        """Return the run after so many steps, with the cursor at the next statement."""
        position = min(max(position, 0), len(self.steps))
        moved = replace(self, position=position)
        if self.fault and moved.next_step is None:
            return replace(moved, cursor=self.fault)
        step = moved.next_step or moved.last_step
        return replace(moved, cursor=find_place(step.statement) if step else self.cursor)

    def move_to_end(self) -> ThreadRun:
        """Return the run after the last step."""
        return self.move_to(len(self.steps))

    def move_into(self) -> ThreadRun:
        """Return the run one step on, inside of a function that it calls."""
        return self.move_to(self.position + 1)

    def move_back(self) -> ThreadRun:
        """Return the run one step before."""
        return self.move_to(self.position - 1)

    def move_over(self) -> ThreadRun:
        """Return the run at the next statement of this function or of its caller."""
        step = self.next_step
        depth = step.depth if step else 0
        later = range(self.position + 1, len(self.steps))
        return self.move_to(
            next((i for i in later if self.steps[i].depth <= depth), len(self.steps))
        )

    def move_to_explained(self, delta: int) -> ThreadRun:
        """Return the run at the next or previous instruction that the explorer explains."""
        places: Iterable[int] = range(self.position + 1, len(self.steps))
        if delta < 0:
            places = range(self.position - 1, -1, -1)
        positions = (i for i in places if _is_explained(self.steps[i].statement))
        return self.move_to(next(positions, self.position))

    def move_to_cursor(self) -> ThreadRun:
        """Return the run where the thread reaches the cursor next, or else where it last did."""
        positions = self.history.list_passes(self.cursor)
        after, before = (f(positions, self.position) for f in (bisect_right, bisect_left))
        earlier, later = positions[max(before - 1, 0) : before], positions[after : after + 1]
        return self.move_to(*(later or earlier or (self.position,)))

    def move_cursor(self, delta: int) -> ThreadRun:
        """Return the run with the cursor moved by some statements."""
        places = [find_place(x) for x in self.launch.statements]
        index = places.index(self.cursor) if self.cursor in places else 0
        return replace(self, cursor=places[min(max(index + delta, 0), len(places) - 1)])

    def move_cursor_to(self, place: StatementPlace) -> ThreadRun:
        """Return the run with the cursor at a statement."""
        return replace(self, cursor=place)

    def with_diagnosis(self, diagnosis: RunDiagnosis) -> ThreadRun:
        """Return the run with its explanations, and the cursor at the likeliest one."""
        places = (find_place(x.statement) for x in diagnosis.explanations if x.statement)
        suspects = frozenset(find_place(y) for x in diagnosis.explanations for y in x.statements)
        return replace(
            self, diagnosis=diagnosis, suspects=suspects, cursor=next(places, self.cursor)
        )

    @property
    def thread_count(self) -> int:
        """The threads of the grid."""
        return self.launch.shape.thread_count


def _is_explained(statement: Statement) -> bool:
    ins = statement.instruction
    return ins is not None and not ins.entry.is_common


# --- runs --------------------------------------------------------------------------------


def run_thread(
    launch: KernelLaunch, thread: int | None = None, on_progress: OnProgress | None = None
) -> ThreadRun:
    """Run a kernel, and follow the launch's thread, or the first with a wrong element.

    The run begins at the store of that element, at the statement that can't go on, or else at the
    first. Raise ValueError
    for arguments that do not fit, and PtxError for illegal PTX.
    """
    message, wrong_element = "", ("", 0)
    thread = launch.thread if thread is None else thread
    is_chosen = thread is not None
    if thread is None:
        thread, wrong_element, message = _find_wrong_element(launch, on_progress)
    log = ThreadLog(thread, keeps_memory=True)
    result: KernelRun | None = None
    fault: StatementPlace | None = None
    try:
        result = launch.make_launch().run(on_progress, log)
    except LaunchError as error:
        message = str(error)
        if error.statement and error.thread_number in (None, thread):
            fault = find_place(error.statement)
        if not is_chosen and error.thread_number is not None:
            return run_thread(launch, error.thread_number, on_progress).move_to_end()
    steps = tuple(log.steps)
    run = ThreadRun(
        launch,
        thread,
        steps,
        StepHistory(steps),
        message,
        result=result,
        journals=log.journals,
        regions=log.regions,
        is_cut=log.is_cut or any(x.is_cut for x in log.journals.values()),
        fault=fault,
    ).move_to(0)
    store = log.find_store(*wrong_element)
    return run.move_to(store.number - 1) if store else run


def follow_thread(run: ThreadRun, thread: int, on_progress: OnProgress | None = None) -> ThreadRun:
    """Return the run of another thread, at the same statement if it comes there."""
    other = run_thread(run.launch, thread, on_progress)
    passes = other.history.list_passes(find_place(run.next_step.statement)) if run.next_step else ()
    message = run.message or other.message
    return replace(
        other.move_to(passes[0] if passes else 0),
        message=message,
        diagnosis=run.diagnosis,
        suspects=run.suspects,
    )


def parse_thread_number(run: ThreadRun, text: str) -> int:
    """Return the number of the thread ``5,0,0@1``. Raise ValueError if none exists."""
    return parse_thread(text, run.launch.shape)


def explain_thread_run(run: ThreadRun, on_progress: OnProgress | None = None) -> RunDiagnosis:
    """Return the changes that give all expected elements; the second time, unlikely ones too.

    Raise ValueError without expected elements, or if the run gives all of them.
    """
    launch, result = run.launch, run.result
    if not launch.expected:
        raise ValueError("nothing is expected: run with --expect NAME[INDEX]=… or NAME=@FILE")
    if result and not any(find_differences(result, *x) for x in launch.expected.items()):
        raise ValueError("all is as expected: there is nothing to explain")
    return explain_run(
        launch.make_launch(),
        result,
        launch.expected,
        on_progress,
        tries_all=run.diagnosis is not None,
    )


def _find_wrong_element(
    launch: KernelLaunch, on_progress: OnProgress | None
) -> tuple[int, tuple[str, int], str]:
    """Return the thread, the buffer and the position of the first wrong element, and a message."""
    if not launch.expected:
        return 0, ("", 0), ""
    try:
        result = launch.make_launch().run(on_progress)
    except LaunchError as error:
        return 0, ("", 0), str(error)
    for name, elements in launch.expected.items():
        for index, observed in find_differences(result, name, elements).items():
            buffer = result.get_buffer(name)
            width = 8 * buffer.data.dtype.itemsize
            value_text = "unknown"
            if buffer.is_known(index):
                word = buffer.words[index]
                value_text = format_hex(int(word), width)
            thread = max(buffer.find_thread(index), 0)
            message = f"{buffer.label}[{index}] is {value_text}, not {observed.format_bits(width)}"
            return thread, (buffer.label, index), message
    return 0, ("", 0), "all is as expected"
