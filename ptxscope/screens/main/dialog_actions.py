"""What the main screen opens beside itself, and what comes back from there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...engine.syntax.errors import printable
from ...engine.tracing.lane_text import result_text
from ...engine.tracing.step_text import title
from ...state import session as edits
from ...state.session import trace_of
from .screen_mixin import Part

if TYPE_CHECKING:
    from ...engine.diagnosis.findings import Finding
    from ...engine.tracing.annotations import Annotations
    from ...engine.tracing.trace import Trace
    from ...widgets.base.menu import Item

Chosen = Callable[[int | None], None]

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


class Asking(Part):
    """What the main screen does with dialogs and files."""

    shown_too: Callable[[], None] | None = None
    """What shows the session beside this screen."""
    _got = ""
    """What was typed as observed."""
    _model_before = ""
    """The model that a comparison under ``isa`` took the place of."""

    def action_pin(self) -> None:
        """Pin this evaluation, so that what is edited next is compared with it; or let it go."""
        setup = self._main.session.setup
        self._main.pin = setup if self._main.pin is None else None
        model, self._model_before = self._model_before, ""
        if model and self._main.pin is None and setup.model == "isa":
            self._main.edit(edits.with_model(setup, model))
        self._main.show_step()
        key = self._main.key("pin")
        if self._main.pin:
            self._main.say(f"Pinned: what you edit now is shown against it · {key} lets it go")
        else:
            self._main.say("Unpinned: nothing is compared")

    def action_explain(self) -> None:
        """Ask what explains a result, and compare the documented evaluation with that."""
        from ..dialogs.explain_dialog import ExplainScreen

        model = self._main.session.setup.model
        setup = edits.with_model(self._main.session.setup, "isa")

        def left(answer: tuple[str, Finding | None] | None) -> None:
            self._got, finding = answer or (self._got, None)
            if finding is not None:
                self._main.pin = setup
                self._model_before = model if finding.model.name == "isa" else ""
                self._main.edit(edits.with_finding(setup, finding))
                if finding.instruction.opcode != setup.instruction.opcode:
                    return  # the pin waits, which was said
                said = "the documented evaluation; shown is what explains the result"
                self._main.tell("Pinned", said)

        asked = ExplainScreen(trace_of(setup), self._got, of_another=setup.error is not None)
        self._main.app.push_screen(asked, left)

    def action_challenge(self) -> None:
        """Ask exercises; then show the steps of one, where that is wanted."""
        from ..dialogs.exercise_dialog import ChallengeScreen

        def left(found: Trace | None) -> None:
            if found is not None:
                self._main.step = len(self._main.session.trace.steps)
                self._main.used(found.instruction.opcode)
                self._main.edit(edits.of_trace(found))

        self._main.app.push_screen(ChallengeScreen(getattr(self._main.app, "store", None)), left)

    def action_sweep(self) -> None:
        """Show all values of an operand; moving through them is one edit."""
        from ..sweep_screen import SweepScreen, can_sweep

        if self._main.is_predicting:
            self._main.say(
                f"A sweep would tell what is asked · {self._main.key('predict')} stops asking"
            )
            return
        if not can_sweep(self._main.session.setup.instruction):
            self._main.say("There is no operand to sweep, or no result to look at")
            return
        moved = False

        def move(role: str, bits: int) -> None:
            nonlocal moved
            before = self._main.session.setup
            self._main.edit(edits.with_value(before, role, bits), joined=moved)
            moved = moved or self._main.session.setup != before

        came = self._main.session.setup

        def take_back() -> bool:
            nonlocal moved
            if self._main.session.setup == came:
                return False
            self._main.action_undo()
            moved = False
            return True

        def left(_: None) -> None:
            self.shown_too = None
            if moved:
                self._main.session.settle()

        screen = SweepScreen(lambda: self._main.session.trace, move, take_back)
        self.shown_too = screen.follow
        self._main.app.push_screen(screen, left)

    def action_copy(self, what: str) -> None:
        """Copy the command that reproduces what is shown, or the result."""
        from ...export.content.document import command

        trace = self._main.session.trace
        text = command(trace) if what == "command" else result_text(trace)
        self._main.app.copy_to_clipboard(text)
        hidden = what == "result" and self._main.is_held_back
        said = "the result, which is held back here" if hidden else text
        self._main.notify(printable(said), title="Copied", markup=False)

    def action_note(self) -> None:
        """Write a note on the current step."""
        from ..dialogs.text_prompt import AskScreen

        step = self._main.session.trace.steps[max(self._main.step, 1) - 1]
        known = [note.text for note in self._main.session.trace.annotations.at(step.stage)]

        def written(text: str | None) -> None:
            if text is not None:
                self._main.edit(edits.with_step_note(self._main.session.setup, step.stage, text))

        asked = f"A note on step {step.number} {title(step)}"
        hint = "what a reader should see here"
        self._main.app.push_screen(
            AskScreen(asked, "note", "".join(known[:1]), hint, "keep it", "export"), written
        )

    def action_export(self) -> None:
        """Take the trace out as a document."""
        from ..dialogs.export_dialog import ExportScreen

        def left(annotations: Annotations | None) -> None:
            if annotations is not None:
                self._main.edit(edits.with_annotations(self._main.session.setup, annotations))

        self._main.app.push_screen(ExportScreen(self._main.session.trace), left)

    def action_help(self) -> None:
        """Show what every key, stage and glyph means, from the panel with the focus on."""
        from ..dialogs.help_dialog import HelpScreen

        focus = self._main.focused
        ids = [node.id for node in focus.ancestors_with_self] if focus else []
        section = next((_HELP_SECTIONS[id_] for id_ in ids if id_ in _HELP_SECTIONS), "")
        if section == "lanes" and self._main.is_predicting:
            section = "predict"
        self._main.app.push_screen(HelpScreen(section))

    def ask(self, title: str, items: list[Item], chosen: Chosen, help_section: str) -> None:
        """Have one of some items chosen."""
        from ..dialogs.menu_dialog import MenuScreen

        self._main.app.push_screen(MenuScreen(title, items, 0, help_section), chosen)
