"""The lock-step executor: the threads at the lowest place of the code go first, all at once.

A group of threads executes a basic block as arrays over the lanes of a wave. Functions go before
their callers, so that diverged threads reconverge.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ....engine.program.control_flow import CodeBlock
from ....engine.program.program import Program
from ....engine.program.statement import Statement
from ....engine.syntax.opcodes import BARRIERS
from .barriers import Barriers
from .jumps import Leaving, leave_frame, make_branch, make_call, make_indexed_branch
from .launch import WARP
from .statement_steps import make_step, with_observer
from .thread_blocks import find_thread_blocks, is_collective, is_leaving
from .thread_state import CallFrame, Step, ThreadGroup, ThreadValues, WaveState, join_steps

_TURNS = 256
"""After this many turns of the lowest place, the highest has one."""


class StepLimitError(Exception):
    """The run has reached its limit of steps."""


class _Place(NamedTuple):
    """A basic block of a frame; the lowest goes first."""

    depth: int
    """0 for the kernel, -1 for a function that it calls."""
    frame_number: int
    block: int


class _BoundBlock(NamedTuple):
    """A basic block in a frame."""

    steps: tuple[Step, ...]
    size: int
    leave: Leaving
    """The way in which the threads leave the steps."""
    members: ThreadValues | None
    """The lanes that must come together before the first step, or None."""


class Lockstep:
    """Runs the threads of one wave to their ends."""

    def __init__(
        self,
        state: WaveState,
        kernel: Program,
        step_count: int,
        max_steps: int,
        on_progress: Callable[[int], None] | None,
    ) -> None:
        """Begin at ``step_count``, the steps of earlier waves; ``max_steps`` includes them."""
        self.state, self.max_steps, self.on_progress = state, max_steps, on_progress
        self.step_count = step_count
        """Statements executed, counted for each thread."""
        self.group: ThreadGroup | None = None
        """The threads that go to a block, or are in it."""
        self.ready: dict[_Place, ThreadGroup] = {}
        self.parked: dict[_Place, ThreadGroup] = {}
        """Groups before an exchange in which other threads of their warps take part."""
        self.barriers = Barriers(state)
        self.frames: list[CallFrame] = []
        """The frames by their numbers."""
        self._code_blocks: dict[str, tuple[CodeBlock, ...]] = {}
        self._blocks: dict[_Place, _BoundBlock] = {}
        self._frames_by_depth: dict[tuple[str, int], CallFrame] = {}
        frame = self.get_frame(kernel, 0)
        self.send(frame, 0, ThreadGroup(state.live.copy(), state.live_count, state))

    def run(self) -> None:
        """Run all threads. Raise LaunchError, or StepLimitError."""
        ready, blocks, turn = self.ready, self._blocks, 0
        while True:
            if not ready and not self._resume():
                return
            if len(ready) > 1:
                turn += 1  # a thread may wait in a loop for one that is after it
                place = min(ready) if turn % _TURNS else max(ready)
            else:
                place = next(iter(ready))
            self.group = group = ready.pop(place)
            if place not in blocks:
                blocks[place] = self._bind(place)
            block = blocks[place]
            if block.members is not None:
                complete = self._take_complete(place, block.members, group)
                if complete is None:
                    continue
                self.group = group = complete
            for step in block.steps:
                step(group)
            if block.steps:
                self.barriers.note_work(group)
            self.count_steps(group, block.size)
            if self.step_count > self.max_steps:
                block.leave(group)
                raise StepLimitError
            if self.on_progress:
                self.on_progress(self.step_count)
            block.leave(group)

    def close(self) -> None:
        """Drop the steps, which refer to the executor: its memory is free then at once."""
        self._blocks.clear()
        self.state.print_text = None

    def count_steps(self, group: ThreadGroup, size: int) -> None:
        """Count the statements that threads have executed."""
        self.step_count += group.count * size

    def list_positions(self) -> list[tuple[int, int]]:
        """Return the lines at which threads are, each with their number."""
        positions = Counter[int]()
        for place, group in (*self.ready.items(), *self.parked.items()):
            if statements := self._get_statements(place):
                positions[statements[0].line] += group.count
        return sorted((positions + self.barriers.count_by_line()).items())

    def get_frame(self, function: Program, depth: int) -> CallFrame:
        """Return the frame of a function at a depth of calls; all calls there share it."""
        frame = self._frames_by_depth.get((function.name, depth))
        if frame is None:
            frame = self._frames_by_depth[function.name, depth] = CallFrame(
                self.state, function, depth
            )
            frame.number = len(self.frames)
            self.frames.append(frame)
        return frame

    def _get_blocks(self, function: Program) -> tuple[CodeBlock, ...]:
        if function.name not in self._code_blocks:
            blocks = find_thread_blocks(function.statements, function.labels)
            self._code_blocks[function.name] = blocks
        return self._code_blocks[function.name]

    def send(self, frame: CallFrame, block: int, group: ThreadGroup) -> None:
        """Let threads go on at the start of a block."""
        place = _Place(-frame.depth, frame.number, block)
        if self.ready or self.parked:
            for other in (self.ready.pop(place, None), self.parked.pop(place, None)):
                if other:
                    mask, count = group.mask | other.mask, group.count + other.count
                    group = ThreadGroup(mask, count, self.state)
        self.ready[place] = group

    def _resume(self) -> bool:
        """Return whether threads can continue when none is ready.

        Raise LaunchError if some wait for each other, or for threads that have ended.
        """
        self._send_released()
        if self.ready:
            return True
        for place, group in list(self.parked.items()):
            members = self._blocks[place].members
            assert members is not None
            if self._find_complete(members, group) is not None:
                del self.parked[place]
                self.send(self.frames[place.frame_number], place.block, group)
        if self.ready:
            return True
        if self.parked:
            place, group = next(iter(self.parked.items()))
            statement = self._get_statements(place)[0]
            message = "waits for threads of its warp that never arrive here"
            self.state.fail(statement, group.lanes, message)
        self.barriers.check_nobody_waits()
        return False

    def _get_statements(self, place: _Place) -> tuple[Statement, ...]:
        function = self.frames[place.frame_number].function
        block = self._get_blocks(function)[place.block]
        return function.statements[block.start : block.end]

    # --- exchanges in warps

    def _take_complete(
        self, place: _Place, members: ThreadValues, group: ThreadGroup
    ) -> ThreadGroup | None:
        """Return the threads whose warps are complete; the others wait."""
        complete = self._find_complete(members, group)
        if complete is None or complete.count < group.count:
            mask = group.mask if complete is None else group.mask & ~complete.mask
            self.parked[place] = ThreadGroup(mask, int(np.count_nonzero(mask)), self.state)
        return complete

    def _find_complete(self, members: ThreadValues, group: ThreadGroup) -> ThreadGroup | None:
        if group.has_all:
            return group
        rows = group.mask.reshape(-1, WARP)
        live = self.state.live.reshape(-1, WARP)
        words = np.where(group.mask, members.bits, 0).reshape(-1, WARP)
        lanes_of_warps = np.bitwise_or.reduce(words.astype(np.int64), axis=1)
        is_wanted = (lanes_of_warps[:, np.newaxis] >> np.arange(WARP) & 1).astype(bool)
        is_complete = ~(is_wanted & live & ~rows).any(axis=1)
        return group.narrow(np.repeat(is_complete, WARP))

    # --- blocks

    def _bind(self, place: _Place) -> _BoundBlock:
        """Make the steps of a block that is reached for the first time."""
        frame = self.frames[place.frame_number]
        statements = list(self._get_statements(place))
        if not statements:  # after the last one
            return _BoundBlock((), 0, lambda group: self._return(frame, group), None)
        members = None
        if is_collective(statements[0]) and statements[0].operands:
            members = frame.find_source(statements[0].operands[-1], "b32")
        size = len(statements)
        next_block = place.block + 1
        if is_leaving(statements[-1]):
            last = statements.pop()
            leave = self.make_leaving(frame, last, next_block)
            leave = with_observer(frame, last, leave, is_leaving=True)
        else:

            def leave(group: ThreadGroup) -> None:
                self.send(frame, next_block, group)

        steps = tuple(join_steps(self.make_step(frame, x) for x in statements))
        return _BoundBlock(steps, size, leave, members)

    def make_step(self, frame: CallFrame, statement: Statement) -> Step:
        """Return the step of a statement that stays in its block."""
        return make_step(frame, statement)

    def make_leaving(self, frame: CallFrame, statement: Statement, next_block: int) -> Leaving:
        """Return the act of threads at a statement that ends a block, with its guard."""
        makers: dict[str, Callable[[], Leaving]] = {  # the lowerings of these opcodes
            "bra": lambda: make_branch(self, frame, statement),
            "brx": lambda: make_indexed_branch(self, frame, statement),
            "call": lambda: make_call(self, frame, statement, next_block),
            "ret": lambda: partial(self._return, frame),
            "exit": lambda: self._exit,
            "trap": lambda: lambda group: self.state.fail(statement, group.lanes, "executes trap"),
            **dict.fromkeys(BARRIERS, lambda: self._make_barrier(frame, statement, next_block)),
        }
        act = makers[statement.opcode]()
        if statement.guard is None:
            return act
        guard, is_negated = frame.get_register(statement.guard.name), statement.guard.negated
        fidelity = self.state.fidelity

        def leave(group: ThreadGroup) -> None:
            if guard.causes is not None:
                count = int(np.count_nonzero(guard.causes[group.mask]))
                if count:
                    fidelity.note_decision(statement, "the branch", count)
            acting = group.choose(guard.bits, is_negated=is_negated)
            if acting is group:
                act(group)
                return
            if acting is None:
                self.send(frame, next_block, group)
                return
            rest = group.mask & ~acting.mask
            act(acting)  # may fail; no thread has continued then
            self.send(frame, next_block, ThreadGroup(rest, group.count - acting.count, self.state))

        return leave

    # --- statements that end blocks

    def find_targets(self, frame: CallFrame, statement: Statement) -> list[int]:
        """Return the numbers of the blocks to which a statement branches."""
        starts = [block.start for block in self._get_blocks(frame.function)]
        return [bisect_left(starts, x) for x in statement.targets]

    def _exit(self, group: ThreadGroup) -> None:
        self.barriers.note_exit(group)
        self.state.live &= ~group.mask
        self.state.live_count -= group.count
        self.barriers.update()
        self._send_released()

    def _send_released(self) -> None:
        """Let the threads continue for which a barrier has opened."""
        for frame, block, group in self.barriers.take_released():
            self.send(frame, block, group)

    def _make_barrier(self, frame: CallFrame, statement: Statement, next_block: int) -> Leaving:
        arrive = self.barriers.make_arrival(frame, statement, next_block)

        def wait(group: ThreadGroup) -> None:
            arrive(group)
            self._send_released()

        return wait

    def _return(self, frame: CallFrame, group: ThreadGroup) -> None:
        if frame.depth:
            leave_frame(self, frame, group)
        else:
            self._exit(group)
