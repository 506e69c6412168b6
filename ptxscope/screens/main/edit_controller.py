"""Edits on the main screen: in the line, the modifiers, the operands and the lanes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from ...engine.semantics.models import PTXAS_MODELS
from ...engine.syntax.errors import make_printable
from ...engine.syntax.instruction import Instruction
from ...engine.syntax.parser import parse
from ...engine.tracing.lane_text import format_operand_name
from ...state import edits
from ...state.explorer_state import Edit, ExplorerState
from ...state.figure_edits import with_nudge
from ...state.session import describe_edit
from ...state.setup import Setup
from ...widgets.base.hint_bar import REFUSED
from ...widgets.instruction_browser import InstructionBrowser
from ...widgets.lanes.lanes_pane import LanesPane
from ...widgets.operand_table import OperandField, OperandTable, explain_last_float
from .explorer_view import ExplorerView
from .focus_controller import FocusController
from .prediction_controller import PredictionController

if TYPE_CHECKING:
    from ...scene.scene_model import Place
    from ...state.open_listing import ListingCursor
    from ...widgets.form.modifier_row import ModifierRow


class EditController:
    """Applies edits, and undoes them."""

    def __init__(
        self,
        state: ExplorerState,
        view: ExplorerView,
        focus: FocusController,
        predictions: PredictionController,
    ) -> None:
        self._state, self._view = state, view
        self._focus, self._predictions = focus, predictions
        self._random = Random()  # noqa: S311

    def edit(self, setup: Setup, *, coalesce: bool = False) -> None:
        """Apply an edit and show its effect.

        With ``coalesce``, one undo reverts this edit and the last one together.
        """
        edit = self._state.edit(setup, coalesce=coalesce)
        if edit is not None:
            self.show_edit(edit)

    def show_edit(self, edit: Edit | None) -> None:
        """Show the session after an edit, and report what the edit did not do."""
        self._view.clear_hint()
        self._view.show_session()
        if edit is not None:
            self._report_pin(edit)
            self._report_computed_operand(edit)

    def _report_pin(self, edit: Edit) -> None:
        """Report that a pin cannot be compared with the opened instruction."""
        pin, before = self._state.pin, edit.old_setup.instruction.opcode
        now = self._state.setup.instruction.opcode
        if pin is not None and pin.instruction.opcode == before != now:
            self._view.show_hint(
                f"The pin waits for {before}: it is not compared with {now} · "
                f"{self._view.get_key('pin')} unpins it"
            )

    def _report_computed_operand(self, edit: Edit) -> None:
        """Report an operand that keeps the listing's computed value in spite of an edit."""
        cursor = self._state.cursor
        if cursor is not None and (name := self._state.find_computed_operand(edit)):
            self._refuse_edit(name, cursor)

    def _refuse_edit(self, name: str, cursor: ListingCursor) -> None:
        reason = "is computed by the listing: edit its inputs instead"
        if name in cursor.program_run.program.constants:
            reason = "is a constant of the asm statement"
        self._view.show_hint(f"{REFUSED} {name} {reason}", "changed", is_sticky=True)

    def ask_value(self, field: OperandField, start: str, place: Place | None = None) -> None:
        """Ask for an operand's value, unless a listing computes it."""
        cursor, setup = self._state.cursor, self._state.setup
        if cursor is not None and (name := cursor.find_computed_register(setup, field.role)):
            self._refuse_edit(name, cursor)
        else:
            self._focus.ask_value(field, start, place)

    # --- the line and the instruction ------------------------------------------------------

    def type_line(self, text: str, *, is_pasted: bool) -> None:
        """Apply the typed line as part of one edit."""
        edit = self._state.type_line(text, is_pasted=is_pasted)
        if edit is not None:
            self.show_edit(edit)
        self._view.show_status()

    def fix_line(self) -> None:
        """Replace the wrong word by the suggestion."""
        setup = self._state.setup
        for problem in setup.error.errors if setup.error else ():
            if problem.fix is not None:
                start, end = problem.span
                line = setup.line[:start] + problem.fix + setup.line[end:]
                self.edit(edits.with_line(setup, line))
                return

    def open_instruction(self, ins: Instruction) -> None:
        """Open an instruction."""
        self._state.add_recent(ins.opcode)
        self.edit(edits.with_instruction(self._state.setup, ins))

    def open_choice(self, event: InstructionBrowser.InstructionChosen) -> None:
        """Open an instruction, or the instruction of a CUDA intrinsic."""
        if event.intrinsic is None:
            self._state.add_recent(event.opcode)
            self.edit(edits.with_opcode(self._state.setup, event.opcode))
        else:
            self.open_instruction(parse(event.intrinsic.ptx))
            differs = event.intrinsic.differs or "it computes the same"
            title = event.intrinsic.name
            self._view.screen.notify(differs, title=title, markup=False, timeout=10)
        self._view.browser.clear()
        self._predictions.leave()

    def set_slot(self, slot: str, value: object) -> None:
        """Apply another modifier."""
        self.edit(edits.with_choice(self._state.setup, slot, value))

    def offer_modifiers(self, event: ModifierRow.ListRequested) -> None:
        """Offer a modifier's values."""
        from ..dialogs.choice_popup import ChoicePopup

        def on_close(index: int | None) -> None:
            if index is not None:
                event.control.choose(event.cell, event.options[index])

        popup = ChoicePopup(event.title, event.options, event.index, event.offset)
        self._view.screen.app.push_screen(popup, on_close)

    # --- operands --------------------------------------------------------------------------

    def set_value(self, role: str, bits: int) -> None:
        """Apply a value of an operand."""
        self.edit(edits.with_value(self._state.setup, role, bits))

    def refuse_value(self, reason: str) -> None:
        """Show why a value is unchanged, for as long as it takes to read."""
        self._view.show_hint(f"{REFUSED} {reason}", "changed", is_sticky=True)

    def offer_values(self, event: OperandTable.PresetListRequested) -> None:
        """Offer edge cases for an operand."""
        from ...widgets.base.menu import MenuItem
        from ..dialogs.menu_dialog import MenuDialog

        ins = self._state.setup.instruction
        edge_cases = edits.list_edge_cases(ins.type_of(event.role), ins.count_lanes(event.role))

        def on_close(index: int | None) -> None:
            if index is not None:
                self.set_value(event.role, edge_cases[index][1])

        items = [MenuItem(name, f"{bits:#x}") for name, bits in edge_cases]
        title = f"Edge cases for {format_operand_name(self._state.trace, event.role)}"
        self._view.screen.app.push_screen(MenuDialog(title, items, 0, "operands"), on_close)

    def randomize_values(self) -> None:
        """Set the source operands to random values."""
        self.edit(edits.randomize_values(self._state.setup, self._random))

    def swap_operands(self) -> None:
        """Exchange a and b."""
        self.edit(edits.swap_operands(self._state.setup))

    def switch_model(self) -> None:
        """Switch to the next answer: isa, ptxas, and an older ptxas if its answer differs."""
        setup, divergences = self._state.setup, self._state.session.divergences
        others = [divergence.other.model.name for divergence in divergences]
        names = ["isa", *dict.fromkeys([PTXAS_MODELS[0].name, *others])]
        index = names.index(setup.model) if setup.model in names else 0
        self.edit(edits.with_model(setup, names[(index + 1) % len(names)]))

    # --- the lanes -------------------------------------------------------------------------

    def nudge_lane(self, event: LanesPane.NudgeRequested) -> None:
        """Change a lane by a small amount; a float to a neighbouring one."""
        setup, role = self._state.setup, event.role
        changed = with_nudge(setup, role, event.low, event.width, event.delta)
        if changed is not None:
            self.edit(changed)
            return
        bits, type_ = self._state.trace.operands[role], setup.instruction.type_of(role)
        self._view.show_hint(explain_last_float(bits, type_), "changed")

    def ask_formula(self) -> None:
        """Ask for the formula of a truth table."""
        from ...engine.isa.truth_tables import find_formulas, parse_formula
        from ..dialogs.text_prompt import TextPrompt

        table = self._state.setup.instruction.form.lut
        if table is None:
            return

        def on_close(text: str | None) -> None:
            if text is not None and text.strip():
                self.set_slot("lut", parse_formula(text))

        hint = "& | ^ ~ and parentheses"
        formula = str(find_formulas()[table])
        title, does = "The function of a, b and c", "use it"
        prompt = TextPrompt(
            *(title, "d =", formula, hint, does, "lanes", lambda text, _: parse_formula(text)),
            is_suggestion=True,
        )
        self._view.screen.app.push_screen(prompt, on_close)

    def flip_mask(self, lane: int) -> None:
        """Toggle a lane of the mask."""
        self.edit(edits.with_mask_lane(self._state.setup, lane))

    def select_part(self, event: LanesPane.SourceChangeRequested) -> None:
        """Select another part."""
        setup = self._state.setup
        changed = edits.with_digit(setup, event.slot, event.lane, event.digit, event.unit)
        if changed is None:
            hint = f"{REFUSED} {event.slot} cannot take that part"
            self._view.show_hint(hint, "changed")
        else:
            self.edit(changed)

    def offer_parts(self, event: LanesPane.SourceListRequested) -> None:
        """Offer the parts for a lane."""
        from ...widgets.form.slot_choices import make_choice_list
        from ..dialogs.choice_popup import ChoicePopup

        form = self._state.setup.instruction.form
        title, options, now = make_choice_list(form, event.cell)

        def on_close(index: int | None) -> None:
            if index is not None and not options[index].why_not:
                self.set_slot(event.cell.slot, options[index].value)

        popup = ChoicePopup(title, options, now, event.offset)
        self._view.screen.app.push_screen(popup, on_close)

    # --- undo ------------------------------------------------------------------------------

    def undo(self) -> None:
        """Undo the last edit and describe it."""
        after = self._state.session.moment
        if self._move_history(self._state.undo):
            edit = describe_edit(self._state.session.moment, after)
            self._report_move("Took back", edit, f"{self._view.get_key('edit.redo')} restores it")
        else:
            self._view.show_hint("There is no edit to undo")

    def redo(self) -> None:
        """Redo the last undone edit and describe it."""
        before = self._state.session.moment
        if self._move_history(self._state.redo):
            edit = describe_edit(before, self._state.session.moment)
            self._report_move("Restored", edit, f"{self._view.get_key('edit.undo')} undoes it")
        else:
            self._view.show_hint("There is no edit to redo")

    def _report_move(self, title: str, edit: str, hint: str) -> None:
        self._view.notify_user(title, f"{make_printable(edit)} · {hint}")

    def _move_history(self, move: Callable[[], bool]) -> bool:
        """Undo or redo, and open or close the listing if the edit did.

        Return whether there was an edit.
        """
        before, view = self._state.cursor, self._view
        if not move():
            return False
        cursor = self._state.cursor
        view.clear_hint()
        if cursor is None:
            if view.listing.has_focus:
                self._focus.leave()
            view.show_listing(is_visible=False)
        elif before is None or before.listing.programs is not cursor.listing.programs:
            view.show_listing(is_visible=True)
        view.show_session()
        return True
