"""The state of the explorer: a session, its view, and the transitions between states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from random import Random
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from ..engine.micro_operations.properties import Stage
from ..engine.tracing.trace import Trace
from ..feature import Service, find_services
from ..scene.scene_model import LaneRef
from .edits import find_changed_registers, with_line, with_model
from .requests import ShowHint
from .saved_listing import reopen_listing, save_listing
from .session import LISTING_KEY, Session
from .setup import Setup, evaluate_setup
from .state_store import SavedState, StateStore

if TYPE_CHECKING:
    from ..diagnosis.explanations import Explanation
    from ..learn.practice import Practice
    from ..learn.prediction import Guess, Prediction
    from .open_listing import ListingCursor

AttachedT = TypeVar("AttachedT")
_MAX_RECENT = 5
"""Maximum recent instructions at the top of the browser."""


class Mode(Enum):
    """The mode of showing the steps."""

    READING = auto()
    """The user goes from step to step."""
    PLAYING = auto()
    """The steps follow each other at a reader's pace."""
    PREDICTING = auto()
    """The user predicts the current step: right predictions are drawn."""


class Edit(NamedTuple):
    """An edit that changed something."""

    old_setup: Setup
    requested_setup: Setup
    """The edited setup; the listing may replace values of its operands."""


class ExplorerState:
    """The state of the explorer; its methods are the transitions.

    Each leaves the state consistent: an open listing has run on the operands, and step and
    predictions are the trace's.
    """

    def __init__(
        self, setup: Setup, saved: SavedState | None = None, store: StateStore | None = None
    ) -> None:
        saved = saved or SavedState()
        setup, *cursors = reopen_listing(saved.listing, setup)
        self.session = Session(setup, *cursors)
        self.store = store
        """The saved state on disk; None saves nothing."""
        self.random = Random()  # noqa: S311
        self.hint = ShowHint()
        """The last hint, until it is cleared."""
        self.drafts: dict[str, str] = {}
        """The last text of each prompt by its title, or, for *why?*, by the instruction."""
        self._attached: dict[type[object], object] = {}
        """The data that features keep while the explorer runs, by class."""
        self.saved_parts = dict(saved.parts)
        """The data that features save between runs, in JSON by key."""
        self.pin = saved.pin
        """The evaluation to compare with."""
        self.recent = [*saved.recent]
        """Opcodes of recent instructions, the latest first."""
        self.is_revealed = saved.is_result_revealed
        """Whether the result is shown before its step."""
        self.mode = Mode.READING
        self.practice: Practice | None = None
        """The progress in predicting lines of a family; None before the first line is done."""
        self.is_prediction_pending = saved.predicting
        """Whether the user was predicting when the state was saved, and has not resumed."""
        self.prediction: Prediction | None = None
        """The guesses at a trace, kept after predicting ends; None at first."""
        self._left_at = int(saved.step < 0)
        """The step to predict when the user stopped, or 0."""
        self._first_trace, self._saved_guesses = self.trace, saved.guesses
        self.edited_register = ""
        """The register with the user's last change."""
        self._setup_before_typing = setup
        self._typed_setup: Setup | None = None
        """The setup of the current typing in the line."""
        self._is_stepping = bool(saved.listing and saved.listing.is_stepping)
        """Whether the user steps through a block without having seen all of it."""
        self._model_before = ""
        """The model before a comparison under ``isa`` replaced it."""
        self.step = 0
        """The last revealed step, from 1; 0 reveals none. While predicting, the step to predict."""
        self._restore_step(saved.step)

    def get_attached(self, kind: type[AttachedT]) -> AttachedT:
        """Return a feature's object of a class, created on first use."""
        return cast("AttachedT", self._attached.setdefault(kind, kind()))

    # --- the view ----------------------------------------------------------------------

    @property
    def setup(self) -> Setup:
        """The current setup."""
        return self.session.setup

    @property
    def trace(self) -> Trace:
        """The evaluation of the current setup."""
        return self.session.trace

    @property
    def cursor(self) -> ListingCursor | None:
        """The cursor in the open listing."""
        return cast("ListingCursor | None", self.session.extras.get(LISTING_KEY))

    @property
    def last_step(self) -> int:
        """The number of the last step."""
        return len(self.trace.steps)

    @property
    def is_at_end(self) -> bool:
        """Whether the last step is shown, or to be predicted."""
        return self.step >= self.last_step

    @property
    def is_playing(self) -> bool:
        """Whether the steps play."""
        return self.mode is Mode.PLAYING

    @property
    def is_predicting(self) -> bool:
        """Whether the user predicts the current step."""
        return self.mode is Mode.PREDICTING

    @property
    def is_result_hidden(self) -> bool:
        """Whether the result is hidden.

        It is hidden while a step is unrevealed and the user has not revealed the result.
        """
        return (self.is_predicting or not self.is_at_end) and not self.is_revealed

    @property
    def first_hidden_statement(self) -> int | None:
        """The first statement of the listing with a hidden result, or None."""
        cursor = self.cursor
        if cursor is not None and self.is_result_hidden:
            return cursor.index
        if cursor is not None and self._is_stepping and not self.is_revealed:
            return cursor.index + 1 if cursor.listing.block else None
        return None

    @property
    def guesses(self) -> Mapping[LaneRef, Guess] | None:
        """The predictions of the current step; None if the step is shown."""
        prediction = self.prediction
        return prediction.guesses if self.is_predicting and prediction else None

    @property
    def has_hidden_readings(self) -> bool:
        """Whether the operands as numbers would reveal the answers."""
        if self.guesses is None:
            return False
        return self.trace.steps[self.step - 1].stage in (Stage.SELECT, Stage.EXTEND)

    @property
    def comparable_pin(self) -> Trace | None:
        """The pinned evaluation, if it is of the same instruction."""
        if self.pin is None or self.pin.instruction.opcode != self.setup.instruction.opcode:
            return None
        return evaluate_setup(self.pin)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes on the line, without notes that would reveal a predicted result."""
        trace, cursor = self.trace, self.cursor
        # A contradiction of the manual would always replace the summary.
        notes = trace.notes[: len(trace.notes) - len(trace.contradictions)]
        listing_notes = cursor.list_notes(self.setup) if cursor else ()
        if self.is_predicting:
            return listing_notes
        added = (x for list_ in find_services(Service.LIST_NOTES) for x in list_(trace.instruction))
        return *listing_notes, *notes, *added

    @property
    def marks(self) -> tuple[object, ...]:
        """The view apart from the session: equal marks are drawn equally."""
        view = self.step, self.mode, self.is_revealed, self._is_stepping
        return *view, id(self.pin), id(self.prediction)

    def make_saved_state(self, theme: str = "") -> SavedState:
        """Return the state to save."""
        step = self.step
        if not self.is_predicting:
            step = 0 if self.is_at_end else step or -1
        return SavedState(
            self.setup,
            self.pin,
            step,
            self.recent,
            theme,
            self.is_revealed,
            self._make_saved_guesses(),
            self.is_predicting,
            save_listing(self.cursor, self.setup, is_stepping=self._is_stepping),
            self.saved_parts,
        )

    # --- steps -------------------------------------------------------------------------

    def go_to_step(self, step: int) -> bool:
        """Show the steps up to the nearest existing one; return whether that changed the step.

        The state before the first step is only kept, never entered.
        """
        old_step, self.step = self.step, min(max(step, min(self.step, 1)), self.last_step)
        if not self.is_predicting:
            self._drop_revealed_prediction()
        self._is_stepping |= not self.is_at_end
        return self.step != old_step

    def end_stepping(self) -> bool:
        """Also show the results of a block's later statements; return whether they were hidden."""
        was_stepping, self._is_stepping = self._is_stepping, False
        return was_stepping

    def go_to_statement(self, delta: int) -> bool:
        """Go to the next statement of an open block, or back; return whether it exists.

        Its first or last step is shown. It is a separate edit only if it drops notes, which belong
        to one statement: otherwise only the view of the block changes.
        """
        cursor = self.cursor
        if cursor is None or cursor.listing.block is None:
            return False
        neighbour = cursor.move_by(delta)
        if neighbour.index == cursor.index:
            return False
        setup = neighbour.make_setup(self.setup)
        if setup.annotations == self.setup.annotations:
            self.session.amend(setup, neighbour)
        else:
            self.session.apply(setup, neighbour)
        self.add_recent(self.setup.instruction.opcode)
        self._follow_session(is_at_end=False)
        self.step = 1 if delta > 0 else self.last_step
        return True

    @property
    def block_statement(self) -> int:
        """The number of the statement of an open block that is shown unchanged, or 0."""
        cursor = self.cursor
        if cursor is None or cursor.block_trace is None or self.setup.is_detached:
            return 0
        is_shown = self.setup.instruction == cursor.make_setup(self.setup).instruction
        return cursor.statement_number if is_shown else 0

    @property
    def block_trace(self) -> Trace | None:
        """The evaluation of an open block while one of its statements is shown unchanged."""
        return self.cursor.block_trace if self.cursor and self.block_statement else None

    @property
    def shown_trace(self) -> Trace:
        """The evaluation of an open block, or else of the instruction."""
        return self.block_trace or self.trace

    @property
    def block_step(self) -> int:
        """The number of the step, counted through all statements of an open block."""
        block = self.block_trace
        earlier = block.parts[: self.block_statement - 1] if block else ()
        return sum(len(part.steps) for part in earlier) + self.step

    def enter_statement(self, block_step: int) -> int:
        """Go to the statement with a step of an open block; return the step's number there."""
        block = self.block_trace
        if block is None:
            return block_step
        step = block.steps[min(block_step, len(block.steps)) - 1]
        self.go_to_statement(step.statement - self.block_statement)
        return sum(x.statement == step.statement for x in block.steps[: step.number])

    def reveal_result(self, *, is_revealed: bool = True) -> bool:
        """Reveal the result before its step, or hide it again.

        Return False while the user predicts, because it would reveal the answer.
        """
        if not self.is_predicting:
            self.is_revealed = is_revealed
        return not self.is_predicting

    def reveal_hidden_result(self) -> None:
        """Reveal the result and the results of later statements."""
        if self.is_result_hidden or self.first_hidden_statement is not None:
            self.reveal_result()

    def play(self) -> None:
        """Play the steps."""
        self.mode = Mode.PLAYING

    def pause(self) -> bool:
        """Stop playing the steps; return whether they played."""
        if not self.is_playing:
            return False
        self.mode = Mode.READING
        return True

    def _restore_step(self, saved_step: int) -> None:
        """Show the step of a saved state: 0 is the last one, -1 before the first."""
        self.step = max(saved_step, 0) if saved_step else self.last_step
        self._follow_session(is_at_end=False)

    # --- edits -------------------------------------------------------------------------

    def edit(
        self,
        setup: Setup,
        cursor: ListingCursor | None = None,
        *,
        coalesce: bool = False,
        is_closing: bool = False,
    ) -> Edit | None:
        """Apply an edit, with ``cursor`` also of the listing; return None if nothing changed.

        With ``coalesce``, one undo reverts this edit and the last one together; ``is_closing``
        closes the listing. If the last step was shown, it still is; another instruction hides its
        result. After typing that emptied the line, an edit joins the typing.
        """
        is_at_end, old_setup = self.is_at_end, self.setup
        joins = coalesce or (self._is_typing and not old_setup.line.strip())
        removed_key = LISTING_KEY if is_closing else ""
        if not self.session.apply(setup, cursor, coalesce=joins, removed_key=removed_key):
            return None
        self.pause()
        if self.setup.instruction.opcode != old_setup.instruction.opcode:
            self.is_revealed = False
        if names := find_changed_registers(old_setup, setup):
            self.edited_register = names[-1]
        self._follow_session(is_at_end=is_at_end)
        if not coalesce:
            self.session.drop_empty_edit()  # a listing keeps the values that it computes
        return Edit(old_setup, setup)

    def type_line(self, text: str, *, is_pasted: bool = False) -> Edit | None:
        """Apply a typed line; further typing joins this edit.

        A legal line is one edit of the line before the typing: intermediate lines drop neither
        values nor notes.
        """
        goes_on = self._is_typing and not is_pasted
        if not goes_on:
            self._setup_before_typing = self.setup
        setup = with_line(self._setup_before_typing, text)
        if setup.error is not None:
            setup = with_line(self.setup, text)
        edit = self.edit(setup, coalesce=goes_on)
        self._typed_setup = None if is_pasted else self.setup
        return edit

    @property
    def _is_typing(self) -> bool:
        return self._typed_setup is self.setup

    def type_setup(self, setup: Setup, cursor: ListingCursor | None) -> None:
        """Apply a typed line, or a typed block at its last step; further typing joins this edit."""
        self.edit(setup, cursor, coalesce=self._is_typing, is_closing=cursor is None)
        if cursor is not None and setup.error is None:
            self.end_stepping()
            self.step = self.last_step
        self._typed_setup = self.setup

    def end_typing(self) -> None:
        """End the typing in the line, which is one edit or, without a change, none."""
        if self._is_typing:
            self.session.drop_empty_edit()
        self._typed_setup = None

    def show_statement(self, cursor: ListingCursor) -> Edit | None:
        """Show the last step of the statement at a listing's cursor."""
        self.pause()
        return self.show_last_step(cursor.make_setup(self.setup), cursor)

    def show_last_step(self, setup: Setup, cursor: ListingCursor | None = None) -> Edit | None:
        """Show the last step of another setup and, with a cursor, of another listing."""
        self.end_stepping()
        self.add_recent(setup.instruction.opcode)
        self.step = self.last_step
        return self.edit(setup, cursor)

    def find_computed_operand(self, edit: Edit) -> str:
        """Return an operand that keeps the listing's value despite an edit; may be empty."""
        values = edit.requested_setup.values
        return next(
            (
                name
                for role, name in edit.requested_setup.instruction.names.items()
                if role in values and self.setup.values.get(role) != values[role]
            ),
            "",
        )

    def add_recent(self, opcode: str) -> None:
        """Add an instruction to the top of the recent ones."""
        self.recent[:] = [opcode, *(x for x in self.recent if x != opcode)][:_MAX_RECENT]

    def undo(self) -> bool:
        """Undo the last edit and return whether there was one."""
        return self._move_history(self.session.undo)

    def redo(self) -> bool:
        """Redo the last undone edit and return whether there was one."""
        return self._move_history(self.session.redo)

    def _move_history(self, move: Callable[[], bool]) -> bool:
        is_at_end = self.is_at_end
        if not move():
            return False
        self.pause()
        self._follow_session(is_at_end=is_at_end)
        return True

    def _follow_session(self, *, is_at_end: bool) -> None:
        """Make the listing's run, the step and the predictions agree with the session."""
        self.session.follow_setup()
        # The operands are shown alone while the first step is still to be predicted.
        first_step = 0 if self._left_at == 1 else 1
        last = self.last_step
        self.step = last if is_at_end else min(max(self.step, first_step), last)
        if self.is_predicting:
            self._follow_prediction()

    # --- the pin -----------------------------------------------------------------------

    def toggle_pin(self) -> bool:
        """Pin this evaluation, or unpin; return whether unpinning restored an earlier model."""
        self.pin = self.setup if self.pin is None else None
        model, self._model_before = self._model_before, ""
        if not model or self.pin is not None or self.setup.model != "isa":
            return False
        return self.edit(with_model(self.setup, model)) is not None

    def pin_for_explanation(self, setup: Setup, explanation: Explanation) -> None:
        """Pin the documented evaluation, to compare an explanation with it."""
        self._model_before = self.setup.model if explanation.model.name == "isa" else ""
        self.pin = setup

    # --- predictions -------------------------------------------------------------------

    def resume_predicting(self) -> None:
        """Predict the step where the user stopped or, if it is shown, the next one.

        After the last step, predict the first.
        """
        left_at = self._left_at if self._follow_prediction() else 0
        if left_at:
            self.begin_predicting(left_at)
        elif not self.is_at_end:
            self.begin_predicting(self.step + 1)
        else:
            self.begin_predicting(1 if self.go_to_statement(1) else self.enter_statement(1))

    def begin_predicting(self, step: int) -> None:
        """Predict a step and those after it."""
        self.is_prediction_pending = False
        self._follow_prediction()
        self.mode, self.is_revealed = Mode.PREDICTING, False
        self.step = min(max(step, 1), self.last_step)

    def stop_predicting(self, step: int | None = None) -> None:
        """Stop predicting and show a step; by default, the one before the predicted step."""
        self._left_at = self.step
        self.mode = Mode.READING
        self.step = self.step - 1 if step is None else step
        self._drop_revealed_prediction()

    @property
    def is_prediction_left(self) -> bool:
        """Whether a prediction was left at a step that is still hidden."""
        return self._left_at > 0

    def _drop_revealed_prediction(self) -> None:
        """End the prediction that was left at a step that is now shown."""
        if 0 < self._left_at <= self.step:
            self.prediction, self._left_at = None, 0

    def finish_predicting(self) -> tuple[Guess, ...]:
        """End predicting at the last step and return the right guesses."""
        from ..learn.practice import Practice, find_family

        self.mode = Mode.READING
        guesses = self.prediction.guesses.values() if self.prediction else ()
        right_guesses = tuple(guess for guess in guesses if guess.is_right)
        self.prediction, self._left_at = None, 0
        family = find_family(self.setup.instruction.opcode)
        if self.practice is None or self.practice.family != family:
            self.practice = Practice(family)
        is_right = all(guess.wrong == guess.hints == 0 for guess in right_guesses)
        self.practice = self.practice.with_answer(is_right=is_right)
        return right_guesses

    def find_next_lane(self, previous_lane: LaneRef | None = None) -> LaneRef | None:
        """Return the next lane of the current step without a right guess."""
        return self.prediction and self.prediction.find_next_location(self.step, previous_lane)

    def _follow_prediction(self) -> bool:
        """Restart if the predictions are of another trace; return whether they continue."""
        from ..learn.prediction import from_json

        old = self.prediction
        if old is not None and _is_same(old.trace, self.trace):
            return True
        saved = self._saved_guesses if _is_same(self._first_trace, self.trace) else ()
        self.prediction, self._saved_guesses = from_json(self.trace, saved), ()
        return False

    def _make_saved_guesses(self) -> Sequence[object]:
        """Return the guesses at the current trace in saved form."""
        if self.prediction is None:
            return self._saved_guesses if _is_same(self._first_trace, self.trace) else ()
        from ..learn.prediction import to_json

        return to_json(self.prediction) if _is_same(self.prediction.trace, self.trace) else ()


def _is_same(trace: Trace, other: Trace) -> bool:
    return (trace.instruction, trace.model, dict(trace.operands)) == (
        other.instruction,
        other.model,
        dict(other.operands),
    )
