"""The controllers of the main screen."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...state.explorer_state import ExplorerState
from ...state.state_store import StateStore
from .dialog_controller import DialogController
from .edit_controller import EditController
from .explorer_view import ExplorerView
from .focus_controller import FocusController
from .lesson_controller import LessonController
from .listing_controller import ListingController
from .prediction_controller import PredictionController
from .step_controller import StepController

if TYPE_CHECKING:
    from .machine_controller import MachineController
    from .proof_controller import ProofController


class Controllers:
    """The controllers of one screen, which share its state and its view."""

    def __init__(self, state: ExplorerState, view: ExplorerView, store: StateStore | None) -> None:
        self._state, self._view = state, view
        self.focuses = FocusController(state, view)
        self.predictions = PredictionController(state, view, self.focuses)
        self.steps = StepController(state, view, self.predictions)
        self.edits = EditController(state, view, self.focuses, self.predictions)
        self.listings = ListingController(state, view, self.focuses, self.edits)
        self.lessons = LessonController(
            state, view, store, self.focuses, self.predictions, self.steps
        )
        self.dialogs = DialogController(state, view, store, self.edits)

    @cached_property
    def proofs(self) -> ProofController:
        """The controller of what a solver answers, loaded on first use."""
        from .proof_controller import ProofController

        return ProofController(self._state, self._view, self.focuses, self.edits)

    @cached_property
    def machines(self) -> MachineController:
        """The controller of the pane of machine code, loaded on first use."""
        from .machine_controller import MachineController

        return MachineController(self._state, self._view, self.focuses)

    def stop_search(self) -> bool:
        """Stop a search by the solver, or the tools; return whether there was one."""
        is_search = "proofs" in self.__dict__ and self.proofs.stop()
        return is_search or ("machines" in self.__dict__ and self.machines.stop())
