"""The erratum and the machine code of the present step, in the column of a wide screen."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from ....engine.cancellation import IsStopped, Stopped
from ....engine.micro_operations.properties import Stage
from ....engine.syntax.instruction import Instruction
from ....engine.tracing.step_text import format_title
from ....engine.tracing.trace import Step
from ....scene.scene_model import Place
from ....screens.main.action_runner import ActionRunner
from ....screens.main.column_pane import PANE_WIDTH, ColumnPane
from ....state.explorer_state import ExplorerState
from ....widgets.base.pane import StyledLine, StyledText, wrap_sentence
from ..kept_code import PAUSE, KeptMachineCode

if TYPE_CHECKING:
    from ..machine_code import MachineCode

_NONE_MATCHED = "No instruction is matched to this step alone."


class ShownStep(NamedTuple):
    """The step, or the lane of one, whose instructions are listed."""

    title: str
    keys: frozenset[str]
    lane: int | None = None


def find_shown_step(state: ExplorerState, place: Place | None) -> ShownStep | None:
    """Return the lane under the cursor, or the present step; None before the first one."""
    steps = state.trace.steps[: state.step]
    for step in steps:
        row = next((x for x in step.rows if place is not None and x.key == place.key), None)
        if row is not None and place is not None:
            lane = place.lane if len(row.values) > 1 else None
            suffix = "" if lane is None else f", lane {lane}"
            return ShownStep(_format_step(step) + suffix, frozenset({row.key}), lane)
    if not steps:
        return None
    keys = frozenset(x.key for x in steps[-1].rows)
    return ShownStep(_format_step(steps[-1]), keys)


def _format_step(step: Step) -> str:
    return f"{step.number} {format_title(step)}"


def draw_machine_code(
    code: MachineCode, step: ShownStep | None, width: int, pinned: MachineCode | None = None
) -> list[StyledLine]:
    """Return the instructions of a step, the count of all, and the tools."""
    from ..machine_report import format_instruction_count, make_code_lines

    lines: list[StyledLine] = []
    if step is not None and code.listing.is_interpreted:
        lines.append([StyledText(step.title, "strong")])
        matched = [x for x in code.listing.instructions if x.key in step.keys]
        matched = [x for x in matched if step.lane is None or x.lane in (None, step.lane)]
        for x in make_code_lines(code.listing._replace(instructions=matched)):
            first, *others = wrap(x.text, width - 8, break_on_hyphens=False) or [""]
            lines.append([StyledText(f"  {x.offset}  ", "quiet"), StyledText(first)])
            lines += [[StyledText(f"{'':10}{other}")] for other in others]
        if not matched:
            lines += wrap_sentence(_NONE_MATCHED, width, "quiet")
    count = f"The line: {format_instruction_count(code.listing)}"
    if pinned is not None and pinned.line != code.line:
        count += f"; the pinned one: {pinned.listing.instruction_count}"
    for text in (count, code.tools, code.summary):
        lines += wrap_sentence(text, width, "quiet")
    return lines


def draw_erratum(state: ExplorerState, width: int) -> Iterator[StyledLine]:
    """Yield the effect of the errata, once their step is shown."""
    deviation, order = state.session.deviation, [*Stage]
    if deviation is None or state.is_predicting or not state.step:
        return
    stage = state.trace.steps[state.step - 1].stage
    if order.index(stage) >= order.index(deviation.stage):
        for erratum in deviation.errata:
            text = f"{erratum.id}: {erratum.sentence}"
            yield from wrap_sentence(f"≠ {text}", width, "surprise")
            yield from wrap_sentence(f"ptxas {erratum.versions}", width, "quiet")


def has_tools() -> bool:
    """Return whether there are tools. Call it in a thread: it loads the module that needs them."""
    from .. import machine_code

    return machine_code.has_tools()


def find_machine_code(ins: Instruction, arch: str, is_stopped: IsStopped) -> MachineCode:
    """Return the machine code of a line; see ``machine_code``."""
    from .. import machine_code

    return machine_code.find_machine_code(ins, arch, is_stopped)


class MachineColumnPane(ColumnPane):
    """The erratum of the present step and its machine code, if there are tools to make it.

    The tools run in a thread, once for each line, in a pause between keystrokes. Machine code may
    reveal a hidden result only if an operand is a literal, which may have been folded.
    """

    def __init__(self, runner: ActionRunner) -> None:
        super().__init__(runner, "column-machine", "Machine code")
        self._kept = self.state.get_attached(KeptMachineCode)
        self._has_tools: bool | None = None
        """Whether there are tools; None until a thread has looked for them."""
        self._asked_line = ""
        """The line of the last request for machine code."""

    async def find_lines(self) -> list[StyledLine]:
        """Return the lines, with the machine code once it is made."""
        state = self.state
        ins = state.setup.instruction
        lines = [*draw_erratum(state, PANE_WIDTH)]
        self.set_title("Erratum")
        if state.is_result_hidden and ins.constants:
            return lines
        code = self._kept.get(ins)
        if code is None:
            if self._has_tools is not False and str(ins) != self._asked_line:
                self._asked_line = str(ins)
                self.run_worker(self._make(ins), group="machine code", exclusive=True)
            return lines
        pinned = self._kept.get(state.pin.instruction) if state.pin else None
        step = find_shown_step(state, self.view.lanes.place)
        self.set_title(f"{'Erratum and machine' if lines else 'Machine'} code · {code.arch}")
        lines += [[]] if lines else []
        return lines + draw_machine_code(code, step, PANE_WIDTH, pinned)

    async def _make(self, ins: Instruction) -> None:
        """Make the machine code of a line and show it, unless the line has changed."""

        def is_stopped() -> bool:
            return self.state.setup.instruction != ins

        if self._has_tools is None:
            self._has_tools = await asyncio.to_thread(has_tools)
        if not self._has_tools:
            return
        await asyncio.sleep(PAUSE)
        with suppress(Stopped, ValueError, MemoryError):  # a tool may refuse the line
            code = await asyncio.to_thread(find_machine_code, ins, self._kept.arch, is_stopped)
            self._kept.keep(ins, code)
            self.follow_cursor()
