"""Actions of the main screen that open dialogs or files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...engine.syntax.errors import make_printable
from ...engine.tracing.lane_text import format_result
from ...engine.tracing.step_text import format_title
from ...state import edits
from ...state.setup import make_setup_of_trace, trace_of
from ...widgets.base.explorer_app import get_explorer_app
from .screen_mixin import MainScreenMixin

if TYPE_CHECKING:
    from ...engine.diagnosis.findings import Finding
    from ...engine.tracing.annotations import Annotations
    from ...engine.tracing.trace import Trace
    from ...widgets.base.menu import MenuItem

OnItemChosen = Callable[[int | None], None]

_HELP_SECTIONS = {
    "lanes": "lanes",
    "operands": "operands",
    "value": "operands",
    "modifiers": "modifiers",
    "modifier-row": "modifiers",
    "line": "line",
    "browser": "find",
    "listing": "listing",
    "tour-strip": "lessons",
}
"""The section of Help about a widget, by the widget's id."""


class DialogActions(MainScreenMixin):
    """The main screen's actions on dialogs and files."""

    shown_too: Callable[[], None] | None = None
    """Called to update another screen that shows the session."""
    _got = ""
    """The observed result as typed."""
    _model_before = ""
    """The model before a comparison under ``isa`` replaced it."""

    def action_pin(self) -> None:
        """Pin this evaluation to compare later edits with it, or unpin it."""
        setup = self.main_screen.session.setup
        self.main_screen.pin = setup if self.main_screen.pin is None else None
        model, self._model_before = self._model_before, ""
        if model and self.main_screen.pin is None and setup.model == "isa":
            self.main_screen.edit(edits.with_model(setup, model))
        self.main_screen.show_step()
        key = self.main_screen.key("pin")
        if self.main_screen.pin:
            self.main_screen.show_hint(
                f"Pinned: what you edit now is shown against it · {key} lets it go"
            )
        else:
            self.main_screen.show_hint("Unpinned: nothing is compared")

    def action_explain(self) -> None:
        """Ask for the cause of a result, and compare the documented evaluation with it."""
        from ..dialogs.explain_dialog import ExplainDialog

        model = self.main_screen.session.setup.model
        setup = edits.with_model(self.main_screen.session.setup, "isa")

        def on_close(answer: tuple[str, Finding | None] | None) -> None:
            self._got, finding = answer or (self._got, None)
            if finding is not None:
                self.main_screen.pin = setup
                self._model_before = model if finding.model.name == "isa" else ""
                self.main_screen.edit(edits.with_finding(setup, finding))
                if finding.instruction.opcode != setup.instruction.opcode:
                    return  # the pin waits, as a hint has said
                message = "the documented evaluation; shown is what explains the result"
                self.main_screen.notify_user("Pinned", message)

        dialog = ExplainDialog(trace_of(setup), self._got, of_another=setup.error is not None)
        self.main_screen.app.push_screen(dialog, on_close)

    def action_challenge(self) -> None:
        """Ask exercises, then show the steps of one on request."""
        from ..dialogs.exercise_dialog import ExerciseDialog

        def on_close(trace: Trace | None) -> None:
            if trace is not None:
                self.main_screen.step = len(self.main_screen.session.trace.steps)
                self.main_screen.add_recent(trace.instruction.opcode)
                self.main_screen.edit(make_setup_of_trace(trace))

        self.main_screen.app.push_screen(
            ExerciseDialog(getattr(self.main_screen.app, "store", None)), on_close
        )

    def action_sweep(self) -> None:
        """Plot the results over all values of an operand; moves in the plot are one edit."""
        from ..sweep_screen import SweepScreen, can_sweep

        if self.main_screen.is_predicting:
            self.main_screen.show_hint(
                f"A sweep would reveal the answer · {self.main_screen.key('predict')} stops asking"
            )
            return
        if not can_sweep(self.main_screen.session.setup.instruction):
            self.main_screen.show_hint("There is no operand to sweep, or no result to look at")
            return
        moved = False

        def move(role: str, bits: int) -> None:
            nonlocal moved
            before = self.main_screen.session.setup
            self.main_screen.edit(edits.with_value(before, role, bits), coalesce=moved)
            moved = moved or self.main_screen.session.setup != before

        came = self.main_screen.session.setup

        def take_back() -> bool:
            nonlocal moved
            if self.main_screen.session.setup == came:
                return False
            self.main_screen.action_undo()
            moved = False
            return True

        def on_close(_: None) -> None:
            self.shown_too = None
            if moved:
                self.main_screen.session.drop_empty_edit()

        screen = SweepScreen(lambda: self.main_screen.session.trace, move, take_back)
        self.shown_too = screen.follow_session
        self.main_screen.app.push_screen(screen, on_close)

    def action_copy(self, subject: str) -> None:
        """Copy the result, or the command that reproduces the current trace."""
        from ...export.content.document import format_command

        trace = self.main_screen.session.trace
        text = format_command(trace) if subject == "command" else format_result(trace)
        self.main_screen.app.copy_to_clipboard(text)
        hidden = subject == "result" and self.main_screen.is_result_hidden
        message = "the result, which is held back here" if hidden else text
        self.main_screen.notify(make_printable(message), title="Copied", markup=False)

    def action_note(self) -> None:
        """Edit the note on the current step."""
        from ..dialogs.text_prompt import TextPrompt

        step = self.main_screen.session.trace.steps[max(self.main_screen.step, 1) - 1]
        notes = [
            note.text for note in self.main_screen.session.trace.annotations.get_notes(step.stage)
        ]

        def on_close(text: str | None) -> None:
            if text is not None:
                self.main_screen.edit(
                    edits.with_step_note(self.main_screen.session.setup, step.stage, text)
                )

        prompt = f"A note on step {step.number} {format_title(step)}"
        hint = "what a reader should see here"
        self.main_screen.app.push_screen(
            TextPrompt(prompt, "note", "".join(notes[:1]), hint, "keep it", "export"), on_close
        )

    def action_export(self) -> None:
        """Export the trace as a document."""
        from ..dialogs.export_dialog import ExportDialog

        def on_close(annotations: Annotations | None) -> None:
            if annotations is not None:
                self.main_screen.edit(
                    edits.with_annotations(self.main_screen.session.setup, annotations)
                )

        self.main_screen.app.push_screen(ExportDialog(self.main_screen.session.trace), on_close)

    def action_help(self) -> None:
        """Show help on every key, stage and glyph, at the pane with the focus."""
        focus = self.main_screen.focused
        ids = [node.id for node in focus.ancestors_with_self] if focus else []
        section = next((_HELP_SECTIONS[id_] for id_ in ids if id_ in _HELP_SECTIONS), "")
        if section == "lanes" and self.main_screen.is_predicting:
            section = "predict"
        get_explorer_app(self.main_screen).show_help(section)

    def ask(
        self, title: str, items: list[MenuItem], chosen: OnItemChosen, help_section: str
    ) -> None:
        """Ask for one of several items."""
        from ..dialogs.menu_dialog import MenuDialog

        self.main_screen.app.push_screen(MenuDialog(title, items, 0, help_section), chosen)
