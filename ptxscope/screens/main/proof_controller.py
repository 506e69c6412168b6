"""Questions to the solver: operands for a wanted value, and the proof of a pin.

Each question has a time limit. The explorer can be used while it waits; an answer to something that
has changed by then is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from ...engine.isa.value_text import format_hex
from ...engine.proof.equivalence import Proof
from ...engine.proof.solver import IsStopped, load_bitwuzla
from ...engine.syntax.errors import make_printable
from ...engine.syntax.instruction import Input
from ...scene.scene_model import Place
from ...state import edits
from ...state.backward_edit import EditTarget, Finding, find_sources
from ...state.explorer_state import ExplorerState
from ...state.pin_proof import prove_pin, take_counterexample
from ...state.setup import Setup
from ...widgets.base.hint_bar import REFUSED
from ...widgets.base.menu import MenuItem
from ..solver_search import SolverSearch
from .edit_controller import EditController
from .explorer_view import ExplorerView
from .focus_controller import FocusController

AnswerT = TypeVar("AnswerT")
_SEARCHING = "searching… · Esc stops"


def _make_question(pin: Setup, setup: Setup) -> tuple[object, ...]:
    """Return what a proof is about: the values of registers do not matter."""
    return pin.instruction, pin.model, setup.instruction, setup.model


class ProofController:
    """Asks the solver, and applies what it finds."""

    def __init__(
        self,
        state: ExplorerState,
        view: ExplorerView,
        focus: FocusController,
        edits: EditController,
    ) -> None:
        self._state, self._view, self._focus, self._edits = state, view, focus, edits
        self._search = SolverSearch(view.screen)
        self._answer: tuple[tuple[object, ...], Proof] | None = None
        """The last proof about a pin."""

    def stop(self) -> bool:
        """Stop waiting for an answer; return whether one was awaited."""
        is_running = self._search.is_running
        if is_running:
            self._search.stop()
            self._view.show_hint("The search is stopped")
        return is_running

    async def _ask(
        self, ask: Callable[[IsStopped], AnswerT], take: Callable[[AnswerT], None]
    ) -> None:
        """Ask the solver, and say that it searches if that takes more than a moment."""

        def end(answer: AnswerT) -> None:
            if self._view.hint == _SEARCHING:
                self._view.clear_hint()
            take(answer)

        await self._search.start(ask, end, self._refuse)
        if self._search.is_running:
            self._view.show_hint(_SEARCHING, "strong")

    def _refuse(self, reason: object) -> None:
        hint = f"{REFUSED} {make_printable(str(reason))}"
        self._view.show_hint(hint, "changed", is_sticky=True)

    def _is_solver_there(self) -> bool:
        """Whether the solver is installed; if not, a hint says how to install it."""
        try:
            load_bitwuzla()
        except ImportError as error:
            self._refuse(error)
            return False
        return True

    # --- editing backwards -----------------------------------------------------------------

    def ask_value(self, place: Place, start: str) -> None:
        """Ask what a computed value shall be."""
        target = EditTarget(self._state.trace, place)
        if not self._state.setup.instruction.inputs:
            self._refuse("this is computed from constants only")
        elif self._is_solver_there():
            back = partial(self._focus.move_to_lane, place)
            keys = "Enter finds operands that give it"
            self._focus.ask_answer(target.name, target.parse_value, start, target, back, keys=keys)

    async def take_answer(self, target: object, text: str) -> None:
        """Ask which operand shall give a typed value, and set it."""
        if not isinstance(target, EditTarget) or target.trace is not self._state.trace:
            return
        self._focus.go_back()
        inputs = self._state.setup.instruction.inputs
        if len(inputs) == 1:
            await self._find(target, text, inputs[0])
        else:
            self._offer_sources(target, text, inputs)

    def _offer_sources(self, target: EditTarget, text: str, inputs: tuple[Input, ...]) -> None:
        from ..dialogs.menu_dialog import MenuDialog

        operands = target.trace.operands
        items = [
            MenuItem(x.name, f"now {format_hex(operands[x.roles[0]], x.type.bits)}") for x in inputs
        ]
        names = [x.name for x in inputs]
        edited = self._state.edited_register
        index = names.index(edited) if edited in names else 0

        async def on_close(index: int | None) -> None:
            if index is not None:
                await self._find(target, text, (*inputs, None)[index])

        title = f"Which operand shall give {target.name} = {make_printable(text.strip())}?"
        items.append(MenuItem("any of them", "the simplest operands"))
        self._view.screen.app.push_screen(MenuDialog(title, items, index, "lanes"), on_close)

    async def _find(self, target: EditTarget, text: str, source: Input | None) -> None:
        """Set an operand, or all, so that a place has a typed value."""
        await self._ask(
            partial(find_sources, target, target.make_condition(text), source),
            partial(self._take_finding, target, text),
        )

    def _take_finding(self, target: EditTarget, text: str, finding: Finding) -> None:
        if target.trace is not self._state.trace:
            self._refuse(f"nothing is set: what was to give {target.name} has changed")
            return
        sentence = finding.describe(target, text)
        if not finding.operands:
            self._refuse(sentence)
            return
        setup = edits.with_registers(self._state.setup, finding.operands)
        self._edits.edit(setup)
        if self._state.setup.values == setup.values:  # a listing may have kept its own
            hint = f"{sentence} · {self._view.get_key('edit.undo')} undoes it"
            self._view.show_hint(hint, "good", is_sticky=True)

    # --- the pin ---------------------------------------------------------------------------

    async def prove(self) -> None:
        """Prove the pinned and the current instruction equal, or show where they differ."""
        pin, setup = self._state.pin, self._state.setup
        if pin is None:
            key = self._view.get_key("pin")
            self._refuse(f"nothing is pinned: {key} pins this instruction, then change it")
            return
        if self._state.is_predicting:
            key = self._view.get_key("predict")
            self._view.show_hint(f"A proof would reveal the answer · {key} stops predicting")
            return
        if self._answer and self._answer[0] == _make_question(pin, setup):
            self._show(self._answer[1], pin, setup)
        else:
            await self._ask(partial(prove_pin, pin, setup), partial(self._take_proof, pin, setup))

    def _take_proof(self, pin: Setup, setup: Setup, proof: Proof) -> None:
        self._answer = _make_question(pin, setup), proof
        pin_now, setup_now, screen = self._state.pin, self._state.setup, self._view.screen
        if pin_now is None or _make_question(pin_now, setup_now) != self._answer[0]:
            self._refuse("the proof is of other instructions than those shown now")
        elif self._state.is_predicting or screen.app.screen is not screen:
            self._view.show_hint(f"The proof is done · {self._view.get_key('prove')} shows it")
        else:
            self._show(proof, pin_now, setup_now)

    def _show(self, proof: Proof, pin: Setup, setup: Setup) -> None:
        """Show a proof, whose counterexample the explorer may take over."""
        from ..dialogs.proof_dialog import ProofDialog

        def on_close(is_taken: bool | None) -> None:
            if is_taken:
                self._state.pin, changed = take_counterexample(proof, pin, setup)
                self._edits.edit(changed)
                self._view.show_session()

        self._view.screen.app.push_screen(ProofDialog(proof), on_close)
