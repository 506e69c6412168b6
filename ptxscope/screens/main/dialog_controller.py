"""Dialogs and files of the main screen: explanations, sweeps, notes, exports, help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...engine.syntax.errors import make_printable
from ...engine.tracing.lane_text import format_result
from ...engine.tracing.step_text import format_title
from ...state import edits
from ...state.explorer_state import ExplorerState
from ...state.setup import trace_of
from ...state.state_store import StateStore
from ...widgets.base.explorer_app import get_explorer_app
from .edit_controller import EditController
from .explorer_view import ExplorerView

if TYPE_CHECKING:
    from ...engine.diagnosis.explanations import Explanation
    from ...engine.tracing.annotations import Annotations

HELP_SECTIONS = {
    "lanes": "lanes",
    "operands": "operands",
    "value": "operands",
    "modifiers": "modifiers",
    "modifier-row": "modifiers",
    "line": "line",
    "browser": "find",
    "listing": "listing",
    "machine": "machine code",
    "lesson-view": "lessons",
}
"""The section of Help about a widget, by the widget's id."""


class DialogController:
    """Opens dialogs, and applies what they return."""

    def __init__(
        self,
        state: ExplorerState,
        view: ExplorerView,
        store: StateStore | None,
        edits: EditController,
    ) -> None:
        self._state, self._view, self._store, self._edits = state, view, store, edits
        self._observed_text = ""
        """The observed result as typed."""

    def toggle_pin(self) -> None:
        """Pin this evaluation to compare later edits with it, or unpin it."""
        if self._state.toggle_pin():
            self._view.show_session()
        else:
            self._view.show_step()
        if self._state.pin:
            key = self._view.get_key("pin")
            hint = f"Pinned: later edits are compared with it · {key} unpins it"
            self._view.show_hint(hint)
        else:
            self._view.show_hint("Unpinned")

    def explain(self) -> None:
        """Ask for the cause of a result, and compare the documented evaluation with it."""
        from ..dialogs.explain_dialog import ExplainDialog

        setup = edits.with_model(self._state.setup, "isa")

        def on_close(answer: tuple[str, Explanation | Mapping[str, int] | None] | None) -> None:
            self._observed_text, explanation = answer or (self._observed_text, None)
            if isinstance(explanation, Mapping):
                self._observed_text = ""  # the result on other operands is to be observed
                self._edits.edit(edits.with_registers(self._state.setup, explanation))
                self._view.notify_user("To try next", "the result on these operands decides")
            elif explanation is not None:
                self._state.pin_for_explanation(setup, explanation)
                self._edits.edit(edits.with_explanation(setup, explanation))
                if explanation.instruction.opcode != setup.instruction.opcode:
                    return  # the pin waits, as a hint has said
                message = "the documented evaluation; you see the explanation"
                self._view.notify_user("Pinned", message)

        is_of_another = setup.error is not None
        dialog = ExplainDialog(trace_of(setup), self._observed_text, of_another=is_of_another)
        self._view.screen.app.push_screen(dialog, on_close)

    def sweep(self) -> None:
        """Plot the results over all values of an operand; moves in the plot are one edit."""
        from ..sweep_screen import SweepScreen, can_sweep

        state, view = self._state, self._view
        if state.is_predicting:
            key = view.get_key("predict")
            view.show_hint(f"A sweep would reveal the answer · {key} stops predicting")
            return
        if not can_sweep(state.setup.instruction):
            view.show_hint("There is no operand to sweep, or no result to show")
            return
        first, has_moved = state.setup, False

        def move(role: str, bits: int) -> None:
            nonlocal has_moved
            before = state.setup
            self._edits.edit(edits.with_value(before, role, bits), coalesce=has_moved)
            has_moved = has_moved or state.setup != before

        def take_back() -> bool:
            nonlocal has_moved
            if state.setup == first:
                return False
            self._edits.undo()
            has_moved = False
            return True

        def on_close(_: None) -> None:
            view.follower = None
            if has_moved:
                state.session.drop_empty_edit()

        screen = SweepScreen(lambda: state.trace, move, take_back)
        view.follower = screen.follow_session
        view.screen.app.push_screen(screen, on_close)

    def copy(self, subject: str) -> None:
        """Copy the result, or the command that reproduces the current trace."""
        from ...documents.content.command_words import format_command

        trace, screen = self._state.trace, self._view.screen
        shown = self._state.block_trace or trace
        text = format_command(shown) if subject == "command" else format_result(trace)
        screen.app.copy_to_clipboard(text)
        if subject == "result" and self._state.is_result_hidden:
            text = "the result, which is hidden here"
        screen.notify(make_printable(text), title="Copied", markup=False)

    def edit_note(self) -> None:
        """Edit the note on the current step."""
        from ..dialogs.text_prompt import TextPrompt

        trace = self._state.trace
        step = trace.steps[max(self._state.step, 1) - 1]
        notes = [note.text for note in trace.annotations.get_notes(step.stage)]

        def on_close(text: str | None) -> None:
            if text is not None:
                self._edits.edit(edits.with_step_note(self._state.setup, step.stage, text))

        title = f"A note on step {step.number} {format_title(step)}"
        hint = "what a reader should see here"
        prompt = TextPrompt(title, "note", "".join(notes[:1]), hint, "keep it", "export")
        self._view.screen.app.push_screen(prompt, on_close)

    def export(self) -> None:
        """Export the trace as a document."""
        from ..dialogs.export_dialog import ExportDialog

        def on_close(annotations: Annotations | None) -> None:
            if annotations is not None:
                self._edits.edit(edits.with_annotations(self._state.setup, annotations))

        self._view.screen.app.push_screen(
            ExportDialog(self._state.trace, self._state.block_trace), on_close
        )

    def show_help(self) -> None:
        """Show help on every key, stage and glyph, at the pane with the focus."""
        screen = self._view.screen
        ids = [node.id for node in screen.focused.ancestors_with_self] if screen.focused else []
        section = next((HELP_SECTIONS[id_] for id_ in ids if id_ in HELP_SECTIONS), "")
        if section == "lanes" and self._state.is_predicting:
            section = "predict"
        get_explorer_app(screen).show_help(section)
