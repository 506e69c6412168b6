"""Two runs of a counterexample: one thread in both kernels, step by step together.

This module is independent of the terminal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ...engine.isa.encodings import format_hex
from ...engine.records import FrozenRecord
from ...engine.syntax.errors import format_count
from ..kernels.launch_request import KernelLaunch
from ..kernels.launches.kernel_run import KernelRun
from ..kernels.launches.thread_state import LaunchError
from ..kernels.step_history import StatementPlace, find_place
from ..kernels.thread_memory import ShownBuffer, list_buffer_names, show_buffer
from ..kernels.thread_run import OnProgress, ThreadRun, run_thread
from .comparison import KernelComparison
from .file_kernel import LETTERS
from .launch_registers import list_places
from .replay import Replay, WordDifference, make_launch
from .step_pairs import PairedSteps

Runs = tuple[ThreadRun, ThreadRun]


@dataclass(frozen=True)
class RunPair(FrozenRecord):
    """A position in the execution of one thread in two kernels."""

    runs: Runs
    labels: tuple[str, str]
    """The names of the kernels, ``k.ptx:f``."""
    differences: tuple[WordDifference, ...]
    """The words that the two launches leave with different bits."""
    steps: PairedSteps = field(compare=False, repr=False)
    first_difference: int = 0
    """The position of the store that first leaves other bytes, or of the end of a kernel that
    fails."""
    position: int = 0
    """The number of pairs of steps that the thread has executed."""
    side: int = 0
    """The kernel that has the cursor: 0 for A, 1 for B."""

    # --- contents ------------------------------------------------------------------------

    @property
    def run(self) -> ThreadRun:
        """The run that has the cursor."""
        return self.runs[self.side]

    @property
    def thread_text(self) -> str:
        """``thread (5,0,0) of block (1,0,0)``."""
        return self.run.launch.shape.format_thread(self.run.thread)

    @property
    def title(self) -> str:
        """The thread and the position."""
        count = format_count(len(self.steps.pairs), "step")
        return f"{self.thread_text} · {self.position:,} of {count}"

    @property
    def buffer_names(self) -> tuple[str, ...]:
        """The buffers and variables of both kernels."""
        names = (y for x in self.runs for y in list_buffer_names(x))
        return tuple(dict.fromkeys(names))

    def format_side(self, side: int) -> str:
        """Return ``A · 12 of 16 · waits · k.ptx:f``, with the pass of a loop."""
        run, note = self.runs[side], self.runs[side].pass_text
        if self.has_failed(side, self.position):
            note = "has failed"
        elif self.position < len(self.steps.pairs) and (
            self.steps.pairs[self.position][side] is None
        ):
            note = "waits"
        place = f"{LETTERS[side]} · {run.position:,} of {len(run.steps):,}"
        return " · ".join(filter(None, (place, note, self.labels[side])))

    def has_failed(self, side: int, position: int) -> bool:
        """Return whether a kernel fails before a position."""
        return self.runs[side].result is None and position >= self.steps.find_end(side)

    def show_buffers(self, name: str) -> tuple[ShownBuffer | None, ShownBuffer | None]:
        """Return a buffer of both runs at this step; elements that differ are marked.

        None for a kernel that has no buffer of this name.
        """
        first, second = (
            show_buffer(x, name) if name in list_buffer_names(x) else None for x in self.runs
        )
        if first is None or second is None:
            return first, second
        return first.compare(second), second.compare(first)

    # --- moves ---------------------------------------------------------------------------

    def move_to(self, position: int) -> RunPair:
        """Return both runs after so many pairs of steps; only a run that moves shows changes."""
        position = min(max(position, 0), len(self.steps.pairs))
        first, second = (
            run.move_to(count)
            for run, count in zip(self.runs, self.steps.counts[position], strict=True)
        )
        return replace(self, runs=(first, second), position=position)

    def move_to_end(self) -> RunPair:
        """Return both runs after the last step."""
        return self.move_to(len(self.steps.pairs))

    def move_into(self) -> RunPair:
        """Return both runs one step on, inside of a function that they call.

        A kernel waits if only the other has such a step.
        """
        return self.move_to(self.position + 1)

    def move_back(self) -> RunPair:
        """Return both runs one step before."""
        return self.move_to(self.position - 1)

    def move_over(self) -> RunPair:
        """Return both runs at the next step of this function or of its caller."""
        end = len(self.steps.pairs)
        if self.position == end:
            return self
        depth = self._find_depth(self.position)
        later = range(self.position + 1, end)
        return self.move_to(next((i for i in later if self._find_depth(i) <= depth), end))

    def _find_depth(self, position: int) -> int:
        """Return the number of calls around a pair of steps."""
        pair = zip(self.runs, self.steps.pairs[position], strict=True)
        return max(run.steps[i].depth for run, i in pair if i is not None)

    def move_to_difference(self, delta: int) -> RunPair:
        """Return both runs at the next or previous step that writes other values."""
        positions = self.steps.differences
        if delta > 0:
            found = next((x for x in positions if x > self.position), self.position)
        else:
            found = next((x for x in reversed(positions) if x < self.position), self.position)
        return self.move_to(found)

    def move_to_first_difference(self) -> RunPair:
        """Return both runs at the store that first leaves other bytes."""
        return self.move_to(self.first_difference)

    def move_to_cursor(self) -> RunPair:
        """Return both runs where the thread reaches the cursor next, or else where it last did."""
        step = self.run.move_to_cursor().position
        return self.move_to(self.steps.find_position(self.side, step))

    def move_cursor(self, delta: int) -> RunPair:
        """Return the runs with the cursor moved by some statements."""
        return self._with_run(self.run.move_cursor(delta))

    def move_cursor_to(self, place: StatementPlace) -> RunPair:
        """Return the runs with the cursor at a statement of its kernel."""
        return self._with_run(self.run.move_cursor_to(place))

    def with_side(self, side: int) -> RunPair:
        """Return the runs with the cursor in a kernel."""
        return replace(self, side=side)

    def _with_run(self, run: ThreadRun) -> RunPair:
        return replace(self, runs=(run, self.runs[1]) if self.side == 0 else (self.runs[0], run))


# --- runs --------------------------------------------------------------------------------


def run_comparison(comparison: KernelComparison) -> RunPair:
    """Run both kernels on the counterexample of a comparison, at its thread.

    Raise ValueError if no run shows the difference.
    """
    ready = comparison.replay
    if ready is None or not comparison.has_runs:
        reason = f": {ready.obstacle}" if ready and ready.obstacle else ""
        raise ValueError(f"no run shows a difference{reason}")
    thread = _find_thread(ready)
    launches = []
    for source in comparison.kernels:
        launch = make_launch(source, ready)
        launches.append(
            KernelLaunch(
                *(launch.code, launch.kernel, launch.arguments, launch.shape, {}),
                *(launch.model.name, "", thread, launch.max_steps),
            )
        )
    first, second = (x.label.rpartition("/")[2] for x in comparison.kernels)
    if first == second:
        first, second = (f"{first} ({x.model})" for x in launches)
    return _pair_runs((launches[0], launches[1]), (first, second), ready.differences, thread)


def follow_pair(pair: RunPair, thread: int, on_progress: OnProgress | None = None) -> RunPair:
    """Return the runs of another thread, at its first difference."""
    first, second = pair.runs
    launches = first.launch, second.launch
    return replace(
        _pair_runs(launches, pair.labels, pair.differences, thread, on_progress), side=pair.side
    )


def _find_thread(ready: Replay) -> int:
    """Return the thread of a counterexample, or another one that fails or writes a difference."""
    for x in ready.runs:
        if isinstance(x, LaunchError) and x.thread_number is not None:
            return x.thread_number
    (tx, ty, tz), (bx, by, bz) = list_places(ready.example.operands)
    thread = ready.shape.find_thread_number((tx, ty, tz), (bx, by, bz))
    writers = [
        run.get_buffer(x.buffer).find_thread(x.offset // x.bytes)
        for x in ready.differences
        for run in ready.runs
        if isinstance(run, KernelRun)
    ]
    return thread if thread in writers else next((x for x in writers if x >= 0), thread)


def _pair_runs(
    launches: tuple[KernelLaunch, KernelLaunch],
    labels: tuple[str, str],
    differences: tuple[WordDifference, ...],
    thread: int,
    on_progress: OnProgress | None = None,
) -> RunPair:
    """Run two launches, and mark the statements that leave other bytes."""
    first, second = (run_thread(x, thread, on_progress) for x in launches)
    runs: Runs = (first, second)
    steps = PairedSteps(first.steps, second.steps)
    stores = [_find_stores(x, differences) for x in runs]
    words = [x for x in differences if any(x in own for own in stores)]
    positions = {
        word: min(
            steps.find_position(side, own[word]) for side, own in enumerate(stores) if word in own
        )
        for word in words
    }
    word = min(words, key=lambda x: positions[x], default=None)
    position = positions[word] if word else 0
    for side, run in enumerate(runs):
        if run.result is None:
            word, position = None, steps.find_end(side)
    marked = []
    for side, (run, own) in enumerate(zip(runs, stores, strict=True)):
        places = {find_place(run.steps[x].statement) for x in own.values()}
        if word and (step := steps.pairs[position][side]) is not None:
            places.add(find_place(run.steps[step].statement))
        text = run.message
        if run.result is not None:
            has_failed = runs[1 - side].result is None
            text = (
                f"{LETTERS[1 - side]} fails." if has_failed else _describe(side, word, len(words))
            )
        marked.append(
            replace(
                run,
                suspects=run.suspects | places,
                message=text,
                different_steps=frozenset(steps.different_steps[side]),
            )
        )
    pair = RunPair((marked[0], marked[1]), labels, differences, steps, position)
    return pair.move_to_first_difference()


def _describe(side: int, word: WordDifference | None, count: int) -> str:
    """Return what a kernel leaves in the word that differs first, out of some."""
    other = LETTERS[1 - side]
    if word is None:
        return "The thread leaves the same bytes in both."
    own, others = (format_hex(word.values[x], 8 * word.bytes) for x in (side, 1 - side))
    more = ""
    if count > 1:
        verb = "differs" if count == 2 else "differ"
        more = f" {format_count(count - 1, 'other word')} of this thread {verb}, too."
    if not word.lines[side]:
        return f"{word.label} stays {own}; {other} writes {others}.{more}"
    return f"{word.label} is {own} at the end; {other} leaves {others}.{more}"


def _find_stores(
    run: ThreadRun, differences: Sequence[WordDifference]
) -> dict[WordDifference, int]:
    """Return the last step of the thread that writes each word that differs."""
    last = {
        start: i
        for i, step in enumerate(run.steps)
        for place in step.places
        if place.space == "global"
        for start in range(place.start, place.start + place.size)
    }
    starts = {x.name: x.start for x in run.regions.get("global", ())}
    stores: dict[WordDifference, int] = {}
    for x in differences:
        start = starts.get(x.buffer, 0) + x.offset
        steps = [last[y] for y in range(start, start + x.bytes) if y in last]
        if steps:
            stores[x] = max(steps)
    return stores
