"""The pane of machine code: it follows the line, and the tools run in threads."""

from __future__ import annotations

import asyncio
from functools import partial

from textual.timer import Timer

from ....engine.syntax.errors import make_printable
from ....engine.syntax.instruction import Instruction
from ....screens.main.action_runner import ActionRunner
from ....screens.screen_part import ScreenPart
from ....screens.thread_search import ThreadSearch
from ....state.requests import ShowHint, refuse
from ...prove.solver import load_bitwuzla
from ..kept_code import PAUSE, KeptMachineCode
from ..machine_code import (
    MachineCode,
    count_machine_code,
    find_machine_code,
)
from ..toolchain import DEFAULT_ARCH
from .machine_pane import MachinePane

_ASSEMBLING = "assembling… · Esc stops"


class MachineController(ScreenPart):
    """Opens and closes the pane, and keeps it up to date."""

    def __init__(self, runner: ActionRunner) -> None:
        self._runner = runner
        self._state, self._view, self._pane = runner.state, runner.view, MachinePane()
        self._view.mount_side(self._pane)
        self.follow_step()
        self._search = ThreadSearch(self._view.screen)
        self._kept = runner.state.get_attached(KeptMachineCode)
        self._kept.arch = self._kept.arch or DEFAULT_ARCH
        self._counts: dict[str, dict[str, str]] = {}
        """Counts of instructions by line and target."""
        self._asked_line = ""
        """The line whose code is shown, or is being made."""
        self._timer: Timer | None = None

    # --- opening and closing ----------------------------------------------------------------

    async def toggle(self) -> None:
        """Open the pane and go to it; if the focus is there, close it."""
        if self._pane.has_focus:
            self._runner.leave_focus()
            self._view.show_side(None)
            return
        try:
            load_bitwuzla()
        except ImportError as error:
            self._refuse(error)
            return
        if self._is_open:
            self._runner.move_to("machine")
        await self._ask()

    def stop(self) -> bool:
        """Stop waiting for the tools; return whether they ran."""
        is_running = self._search.is_running
        if is_running:
            self._search.stop()
            self._asked_line = ""
            self._view.show_hint(ShowHint("The search is stopped"))
            if self._is_open:
                self._refuse("The search is stopped; an edit, or another target, starts a new one")
        return is_running

    # --- contents ----------------------------------------------------------------------

    async def choose_target(self, target: str) -> None:
        """Show the machine code for another target."""
        self._kept.arch = target
        await self._ask()

    @property
    def _is_open(self) -> bool:
        """Whether machine code takes the place of the instructions."""
        return self._view.is_side_open(self._pane)

    def follow_step(self) -> None:
        """Mark the machine instructions that compute the current step."""
        steps, number = self._state.trace.steps, self._state.step
        rows = steps[number - 1].rows if number else ()
        self._pane.mark_rows(frozenset(x.key for x in rows))

    def follow_edit(self) -> None:
        """Make new machine code, if the pane is visible and the line has changed."""
        if str(self._state.setup.instruction) == self._asked_line:
            return
        if not self._view.is_side_visible(self._pane):
            return
        if self._timer is not None:
            self._timer.stop()
        self._pane.show_search()
        self._timer = self._view.screen.set_timer(PAUSE, self._ask)

    async def _ask(self) -> None:
        ins = self._state.setup.instruction
        self._asked_line = str(ins)
        code = self._kept.get(ins)
        if code is not None:
            self._search.stop()
            self._take(ins, code)
            return
        if self._is_open:
            self._pane.show_search()
        await self._search.start(
            partial(find_machine_code, ins, self._kept.arch), partial(self._take, ins), self._refuse
        )
        if self._search.is_running and not self._is_open:
            self._view.show_hint(ShowHint(_ASSEMBLING, "strong"))

    def _take(self, ins: Instruction, code: MachineCode) -> None:
        if self._state.hint.text == _ASSEMBLING:
            self._view.clear_hint()
        if ins != self._state.setup.instruction:
            return  # it is of the line before the last edit; a new request follows
        self._kept.keep(ins, code)
        pane, screen = self._pane, self._view.screen
        counts = self._counts.setdefault(str(ins), {})
        counts[code.arch] = str(code.listing.instruction_count)
        pane.show_code(code)
        pane.show_counts(counts)
        if not self._is_open and screen.app.screen is screen:
            self._view.show_side(self._pane)
            self._runner.move_to("machine")
        screen.run_worker(self._count(ins, code), group="counts", exclusive=True)

    async def _count(self, ins: Instruction, code: MachineCode) -> None:
        """Count the instructions for the other targets, one after the other."""
        counts = self._counts[str(ins)]
        for target in code.targets:
            if target in counts:
                continue
            try:
                count = await asyncio.to_thread(count_machine_code, ins, target)
            except ValueError:  # the disassembler may not know a target
                count = "?"
            counts[target] = count
            if self._pane.code is code:
                self._pane.show_counts(counts)

    def _refuse(self, reason: object) -> None:
        text = make_printable(str(reason))
        if self._is_open:
            self._pane.show_problem(text, self._kept.arch)
        else:
            self._view.show_hint(refuse(text))


async def toggle(runner: ActionRunner) -> None:
    """Open the pane of machine code, or close it."""
    await runner.get_part(MachineController).toggle()


async def show_target(runner: ActionRunner, target: str) -> None:
    """Show the machine code for another target."""
    await runner.get_part(MachineController).choose_target(target)
