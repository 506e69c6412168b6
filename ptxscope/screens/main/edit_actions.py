"""Edits on the main screen: in the line, the modifiers, the operands and the lanes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from ...engine.listings.asm_bindings import parse_pasted
from ...engine.semantics.models import PTXAS_MODELS
from ...engine.syntax.errors import PtxError, make_printable
from ...engine.syntax.parser import parse, scan
from ...engine.syntax.values import step_float
from ...engine.tracing.lane_text import format_operand_name
from ...state import edits
from ...widgets.base.hint_bar import REFUSED, HintBar
from ...widgets.instruction_browser import InstructionBrowser
from ...widgets.lanes.lanes_pane import LanesPane
from ...widgets.operand_table import OperandTable, explain_last_float
from .edit_text import describe_edit
from .screen_mixin import MainScreenMixin

if TYPE_CHECKING:
    from textual import events

    from ...engine.syntax.instruction import Instruction
    from ...scene.scene_model import LaneRef
    from ...state.open_listing import ListingCursor
    from ...state.setup import Setup
    from ...widgets.form.form_pane import FormPane
    from ...widgets.form.modifier_row import ModifierRow
    from ...widgets.operand_table import OperandField
    from ...widgets.ptx_line import PtxLine
    from ...widgets.value_field import ValueField

_RECENT = 5
"""Maximum recent instructions at the top of the browser."""


class EditActions(MainScreenMixin):
    """The main screen's actions on edits."""

    asked_from: LaneRef | None = None
    """The cell of the lanes that is edited."""
    made_value_field: ValueField | None = None
    """The field for values, once it has been created."""
    typed: Setup | None = None
    """The setup produced by the typing in progress in the line."""

    def __init__(self) -> None:
        super().__init__()
        self._random = Random()  # noqa: S311

    @property
    def _setup(self) -> Setup:
        return self.main_screen.session.setup

    def edit(
        self, setup: Setup, cursor: ListingCursor | None = None, *, coalesce: bool = False
    ) -> None:
        """Apply an edit, of the listing too if a cursor is passed, and show its effect.

        With ``coalesce``, one undo reverts this edit and the last one together.
        """
        stay, before = self.make_step_restorer(), self._setup.instruction.opcode
        if self.main_screen.session.apply(setup, cursor, coalesce=coalesce):
            self.main_screen.pause_playing()
        elif cursor is None:
            return
        self.main_screen.clear_hint()
        if self._setup.instruction.opcode != before:
            self.main_screen.asked = False
        stay()
        self.main_screen.show_session()
        self._report_pin(before)
        self._report_computed_operand(setup)

    def _report_pin(self, before: str) -> None:
        """Report that a pin cannot be compared with the opened instruction."""
        pin, now = self.main_screen.pin, self._setup.instruction.opcode
        if pin is not None and pin.instruction.opcode == before != now:
            self.main_screen.show_hint(
                f"The pin waits for {before}: it is not compared with {now} · "
                f"{self.main_screen.key('pin')} lets it go"
            )

    def _report_computed_operand(self, setup: Setup) -> None:
        """Report an operand that keeps the listing's computed value in spite of an edit."""
        for role, name in setup.instruction.names.items():
            bits = setup.values.get(role)
            if bits is not None and self._setup.values.get(role) != bits:
                cursor = self.main_screen.listing_cursor
                if cursor and name in cursor.run.program.constants:
                    why = "is a constant of the asm statement"
                else:
                    why = "is computed by the listing: edit its inputs instead"
                self.main_screen.show_hint(f"{REFUSED} {name} {why}", "changed", is_sticky=True)
                return

    def make_step_restorer(self) -> Callable[[], None]:
        """Return a function that restores the step in another trace; the last stays the last."""
        at_end = self.main_screen.step >= len(self.main_screen.session.trace.steps)

        def stay() -> None:
            count = len(self.main_screen.session.trace.steps)
            self.main_screen.step = count if at_end else min(self.main_screen.step, count)

        return stay

    def on_ptx_line_edited(self, event: PtxLine.Edited) -> None:
        """Apply the typed line as part of one edit."""
        if event.text == event.control.value:  # otherwise a later event brings the newer text
            goes_on = self.typed is self._setup and not event.pasted
            self.edit(edits.with_line(self._setup, event.text), coalesce=goes_on)
            self.typed = None if event.pasted else self._setup
            self.main_screen.show_status()

    def on_paste(self, event: events.Paste) -> None:
        """Treat a paste outside fields as an instruction."""
        self.paste_text(event.text)

    def on_ptx_line_pasted(self, event: PtxLine.Pasted) -> None:
        """Handle a paste into the line, which may be more than a line."""
        self.paste_text(event.text)

    def paste_text(self, text: str) -> None:
        """Open a pasted instruction, or several as a listing, or report what is wrong."""
        from ...state.open_listing import LONGEST

        if len(text) > LONGEST:
            problem = (
                f"more than {LONGEST:,} characters; `ptxscope check` reads a file of any length"
            )
            self.main_screen.notify(problem, title="Not pasted", markup=False, severity="warning")
            return
        text = text.replace("\r\n", "\n").replace("\r", "\n")  # as terminals pass lines on
        statements = list(scan(text))
        if len(statements) > 1 and any(item.instruction for item in statements):
            self.main_screen.open_listing(text, "pasted")
            return
        try:
            self._open(parse_pasted(text))
        except PtxError:
            self.edit(edits.with_line(self._setup, " ".join(make_printable(text).split())))
            self.main_screen.action_focus_on("line")

    def _open(self, ins: Instruction) -> None:
        self.add_recent(ins.opcode)
        self.edit(edits.with_instruction(self._setup, ins))

    def action_fix(self) -> None:
        """Replace the wrong word by the suggestion."""
        setup = self._setup
        for problem in setup.error.errors if setup.error else ():
            if problem.fix is not None:
                start, end = problem.span
                line = setup.line[:start] + problem.fix + setup.line[end:]
                self.edit(edits.with_line(setup, line))
                return

    def on_instruction_browser_instruction_chosen(
        self, event: InstructionBrowser.InstructionChosen
    ) -> None:
        """Open an instruction, or the instruction of a CUDA intrinsic."""
        setup = self._setup
        if event.intrinsic is None:
            self.add_recent(event.opcode)
            self.edit(edits.with_opcode(setup, event.opcode))
        else:
            self._open(parse(event.intrinsic.ptx))
            differs = event.intrinsic.differs or "it computes the same"
            self.main_screen.notify(differs, title=event.intrinsic.name, markup=False, timeout=10)
        self.main_screen.query_one(InstructionBrowser).clear()
        self.main_screen.action_leave()

    def add_recent(self, opcode: str) -> None:
        """Add an instruction to the top of the recent ones."""
        others = [x for x in self.main_screen.recent if x != opcode]
        self.main_screen.recent[:] = [opcode, *others][:_RECENT]

    def on_form_pane_slot_changed(self, event: FormPane.SlotChanged) -> None:
        """Apply another modifier."""
        self.edit(edits.with_choice(self._setup, event.slot, event.value))

    def on_modifier_row_list_requested(self, event: ModifierRow.ListRequested) -> None:
        """Offer a modifier's values."""
        from ..dialogs.choice_popup import ChoicePopup

        def chosen(index: int | None) -> None:
            if index is not None:
                event.control.choose(event.cell, event.options[index])

        popup = ChoicePopup(event.title, event.options, event.index, event.at)
        self.main_screen.app.push_screen(popup, chosen)

    def on_operand_table_value_changed(self, event: OperandTable.ValueChanged) -> None:
        """Apply a value of an operand."""
        self.edit(edits.with_value(self._setup, event.role, event.bits))

    def on_operand_table_field_edit_requested(self, event: OperandTable.FieldEditRequested) -> None:
        """Ask for a new value of an operand."""
        event.control.type_over(True)
        self._open_value(event.field, event.start)

    def _open_value(self, field: OperandField, start: str) -> None:
        """Ask for an operand's value in the row of the hints."""
        ins, role = self._setup.instruction, field.role
        self.value_field.open(
            field,
            format_operand_name(self.main_screen.session.trace, role),
            ins.type_of(role),
            32 // ins.entry.lanes,
            self.main_screen.session.trace.operands[role],
            start,
        )

    def on_lanes_pane_register_edit_requested(self, event: LanesPane.RegisterEditRequested) -> None:
        """Ask for a new value of a register in the lanes."""
        self.asked_from = event.control.place
        self._open_value(event.field, event.start)

    def on_lanes_pane_nudged(self, event: LanesPane.Nudged) -> None:
        """Change a lane by a small amount; a float to a neighbouring one."""
        bits, mask = self.main_screen.session.trace.operands[event.role], (1 << event.width) - 1
        type_ = self._setup.instruction.type_of(event.role)
        if type_.is_float:
            following = step_float(bits, type_.bits, event.delta)
            if following is None:
                self.main_screen.show_hint(explain_last_float(bits, type_.bits), "changed")
            else:
                self.edit(edits.with_value(self._setup, event.role, following))
            return
        part = (bits >> event.low) + event.delta & mask
        bits = bits & ~(mask << event.low) | part << event.low
        self.edit(edits.with_value(self._setup, event.role, bits))

    def on_lanes_pane_flipped(self, event: LanesPane.Flipped) -> None:
        """Toggle a lane of the mask."""
        self.edit(edits.with_mask_lane(self._setup, event.lane))

    def on_lanes_pane_reselected(self, event: LanesPane.Reselected) -> None:
        """Select another part."""
        setup = self._setup
        changed = edits.with_digit(setup, event.slot, event.lane, event.digit, event.unit)
        if changed is None:
            self.main_screen.show_hint(
                f"× there is no such part for {event.slot} to take", "changed"
            )
        else:
            self.edit(changed)

    def on_lanes_pane_choosing(self, event: LanesPane.Choosing) -> None:
        """Offer the parts for a lane."""
        from ...widgets.form.slot_choices import make_choice_list
        from ..dialogs.choice_popup import ChoicePopup

        title, options, now = make_choice_list(self._setup.instruction.form, event.cell)

        def chosen(index: int | None) -> None:
            if index is not None and not options[index].why_not:
                slot, value = event.cell.slot, options[index].value
                self.edit(edits.with_choice(self._setup, slot, value))

        self.main_screen.app.push_screen(ChoicePopup(title, options, now, event.offset), chosen)

    @property
    def value_field(self) -> ValueField:
        """The field for values, created on first use."""
        from ...widgets.value_field import ValueField

        if self.made_value_field is None:
            self.made_value_field = ValueField()
            self.main_screen.mount(self.made_value_field, before="#keys")
        return self.made_value_field

    def on_value_field_value_entered(self, event: ValueField.ValueEntered) -> None:
        """Apply the typed value to the operand."""
        if not event.moved_on:
            self.go_back()
        self.edit(edits.with_value(self._setup, event.role, event.bits))

    def on_value_field_refused(self, event: ValueField.Refused) -> None:
        """Show why a value is unchanged, for as long as it takes to read."""
        self.main_screen.is_told = False
        self.main_screen.query_one(HintBar).show_message(
            f"{REFUSED} {event.reason}", "changed", is_sticky=True
        )

    def on_value_field_cancelled(self) -> None:
        """Return without a value."""
        self.go_back()

    def go_back(self) -> None:
        """Return the focus to the widget that asked for a value."""
        if self.main_screen.tour and self.value_field.about is self.main_screen.tour:
            self.main_screen.set_focus(self.main_screen.tour.strip)
            return
        place, self.asked_from = self.asked_from, None
        self.main_screen.action_focus_on("operands" if place is None else "lanes")
        if place is not None:
            self.main_screen.query_one(LanesPane).move_cursor_to(place)

    def on_operand_table_presets(self, event: OperandTable.Presets) -> None:
        """Offer edge cases for an operand."""
        ins = self._setup.instruction
        edge_cases = edits.list_edge_cases(ins.type_of(event.role), ins.count_lanes(event.role))

        def chosen(index: int | None) -> None:
            if index is not None:
                self.edit(edits.with_value(self._setup, event.role, edge_cases[index][1]))

        from ...widgets.base.menu import MenuItem

        items = [MenuItem(name, f"{bits:#x}") for name, bits in edge_cases]
        name = format_operand_name(self.main_screen.session.trace, event.role)
        self.main_screen.ask(f"Values that bite, for {name}", items, chosen, "operands")

    def action_random(self) -> None:
        """Set the source operands to random values."""
        self.edit(edits.randomize_values(self._setup, self._random))

    def action_swap(self) -> None:
        """Exchange a and b."""
        self.edit(edits.swap_operands(self._setup))

    def action_toggle_model(self) -> None:
        """Switch to the next answer: isa, ptxas, and an older ptxas if its answer differs."""
        setup = self._setup
        others = [
            divergence.other.model.name for divergence in self.main_screen.session.divergences
        ]
        names = ["isa", *dict.fromkeys([PTXAS_MODELS[0].name, *others])]
        index = names.index(setup.model) if setup.model in names else 0
        self.edit(edits.with_model(setup, names[(index + 1) % len(names)]))

    def action_undo(self) -> None:
        """Undo the last edit and describe it."""
        main, after = self.main_screen, self.main_screen.session.moment
        if self._move_history(main.session.undo):
            edit = describe_edit(main.session.moment, after)
            main.notify_user(
                "Took back", f"{make_printable(edit)} · {main.key('edit.redo')} restores it"
            )
        else:
            main.show_hint("There is no edit to take back")

    def action_redo(self) -> None:
        """Redo the last undone edit and describe it."""
        main, before = self.main_screen, self.main_screen.session.moment
        if self._move_history(main.session.redo):
            edit = describe_edit(before, main.session.moment)
            main.notify_user(
                "Restored", f"{make_printable(edit)} · {main.key('edit.undo')} takes it back"
            )
        else:
            main.show_hint("There is no edit to restore")

    def _move_history(self, go: Callable[[], bool]) -> bool:
        """Undo or redo, and open or close the listing if the edit did.

        Return whether there was an edit.
        """
        before, stay = self.main_screen.listing_cursor, self.make_step_restorer()
        if not go():
            return False
        self.main_screen.pause_playing()
        self.main_screen.clear_hint()
        stay()
        if self.main_screen.listing_cursor is None:
            if self.main_screen.get_listing_pane().has_focus:
                self.main_screen.action_leave()
            self.main_screen.query_one("#side").remove_class("-listing")
        elif (
            before is None
            or before.listing.programs is not self.main_screen.listing_cursor.listing.programs
        ):
            self.main_screen.query_one("#side").add_class("-listing")
        self.main_screen.show_session()
        return True

    def end_typing(self) -> None:
        """Apply the typed value and close its field."""
        self.asked_from = None
        if self.made_value_field is not None:
            self.made_value_field.close()
        self.main_screen.query_one(OperandTable).type_over(False)
