"""What a solver answers: operands that give a wanted value, and whether two instructions are equal.

The explorer waits for an answer, so each has a short time limit.
"""

from __future__ import annotations

from functools import partial

from ...engine.isa.value_text import format_hex
from ...engine.proof.solver import load_bitwuzla
from ...engine.syntax.errors import PtxError, make_printable
from ...engine.syntax.instruction import Input
from ...scene.scene_model import Place
from ...state import edits
from ...state.backward_edit import Goal, find_sources
from ...state.explorer_state import ExplorerState
from ...state.pin_proof import prove_pin, take_counterexample
from ...widgets.base.hint_bar import REFUSED
from ...widgets.base.menu import MenuItem
from .edit_controller import EditController
from .explorer_view import ExplorerView
from .focus_controller import FocusController


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
        goal = Goal(self._state.trace, place)
        if not self._state.setup.instruction.inputs:
            self._refuse("this is computed from constants only")
        elif self._is_solver_there():
            back = partial(self._focus.move_to_lane, place)
            keys = "Enter finds operands that give it"
            self._focus.ask_answer(goal.name, goal.parse_value, start, goal, back, keys=keys)

    def take_answer(self, goal: object, text: str) -> None:
        """Ask which operand shall give a typed value, and set it."""
        if not isinstance(goal, Goal) or goal.trace is not self._state.trace:
            return
        self._focus.go_back()
        inputs = self._state.setup.instruction.inputs
        if len(inputs) == 1:
            self._search(goal, text, inputs[0])
        else:
            self._offer_sources(goal, text, inputs)

    def _offer_sources(self, goal: Goal, text: str, inputs: tuple[Input, ...]) -> None:
        from ..dialogs.menu_dialog import MenuDialog

        operands = goal.trace.operands
        items = [
            MenuItem(x.name, f"now {format_hex(operands[x.roles[0]], x.type.bits)}") for x in inputs
        ]
        names = [x.name for x in inputs]
        edited = self._state.edited_register
        index = names.index(edited) if edited in names else 0

        def on_close(index: int | None) -> None:
            if index is not None:
                self._search(goal, text, (*inputs, None)[index])

        title = f"Which operand shall give {goal.name} = {make_printable(text.strip())}?"
        items.append(MenuItem("any of them", "the simplest operands"))
        self._view.screen.app.push_screen(MenuDialog(title, items, index, "lanes"), on_close)

    def _search(self, goal: Goal, text: str, source: Input | None) -> None:
        """Set an operand, or all, so that a place has a typed value."""
        try:
            finding = find_sources(goal, goal.make_condition(text), source)
        except PtxError:  # a condition can't name the row, such as boolean.not
            self._refuse(f"{goal.name} can't be edited backwards: type over the result")
            return
        sentence = finding.describe(goal, text)
        if not finding.operands:
            self._refuse(sentence)
            return
        setup = edits.with_registers(self._state.setup, finding.operands)
        self._edits.edit(setup)
        if self._state.setup.values == setup.values:  # a listing may have kept its own
            hint = f"{sentence} · {self._view.get_key('edit.undo')} undoes it"
            self._view.show_hint(hint, "good", is_sticky=True)

    # --- the pin ---------------------------------------------------------------------------

    def prove(self) -> None:
        """Prove the pinned and the current instruction equal, or show where they differ."""
        from ..dialogs.proof_dialog import ProofDialog

        pin, setup = self._state.pin, self._state.setup
        if pin is None:
            key = self._view.get_key("pin")
            self._refuse(f"nothing is pinned: {key} pins this instruction, then change it")
            return
        if self._state.is_predicting:
            key = self._view.get_key("predict")
            self._view.show_hint(f"A proof would reveal the answer · {key} stops predicting")
            return
        try:
            proof = prove_pin(pin, setup)
        except (ValueError, ImportError) as error:
            self._refuse(error)
            return

        def on_close(is_taken: bool | None) -> None:
            if is_taken:
                self._state.pin, changed = take_counterexample(proof, pin, setup)
                self._edits.edit(changed)
                self._view.show_session()

        self._view.screen.app.push_screen(ProofDialog(proof), on_close)
