"""Branches of threads: ``bra``, and ``brx`` by an index (PTX ISA 9.7.12.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from ...engine.program.statement import Statement
from .device_code import Function
from .thread_state import CallFrame, LaunchError, ThreadGroup, WaveState

Leaving = Callable[[ThreadGroup], None]
"""The act of threads at a statement that ends a block."""


class Machine(Protocol):
    """The executor of the threads of a wave."""

    state: WaveState

    def send(self, frame: CallFrame, block: int, group: ThreadGroup) -> None:
        """Let threads go on at the start of a block."""

    def get_frame(self, function: Function, depth: int) -> CallFrame:
        """Return the frame of a function at a depth of calls."""

    def find_targets(self, frame: CallFrame, statement: Statement) -> list[int]:
        """Return the numbers of the blocks to which a statement branches."""


def make_branch(machine: Machine, frame: CallFrame, statement: Statement) -> Leaving:
    """Return what threads do at ``bra``."""
    if not statement.targets:
        raise LaunchError("there is no such label", statement)
    target = machine.find_targets(frame, statement)[0]
    return lambda group: machine.send(frame, target, group)


def make_indexed_branch(machine: Machine, frame: CallFrame, statement: Statement) -> Leaving:
    """Return what threads do at ``brx``."""
    index = frame.find_source(next(iter(statement.operands), None), "u32")
    targets = machine.find_targets(frame, statement)
    if index is None or not targets:
        raise LaunchError("there is no such list of labels", statement)

    def branch(group: ThreadGroup) -> None:
        if index.causes is not None and index.causes[group.mask].any():
            count = int(np.count_nonzero(index.causes[group.mask]))
            machine.state.fidelity.note_decision(statement, "the branch", count)
        values = index.bits[group.lanes]
        is_wrong = values >= len(targets)
        if is_wrong.any():
            message = f"the index is {values[is_wrong][0]}, of {len(targets)} labels"
            machine.state.fail(statement, group.lanes[is_wrong], message)
        for value in np.unique(values).tolist():
            part = group.narrow(index.bits == value)
            assert part
            machine.send(frame, targets[value], part)

    return branch
