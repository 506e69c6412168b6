"""Edits on the main screen: in the line, the modifiers, the operands and where lanes are drawn."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from ...engine.listings.asm_bindings import pasted
from ...engine.semantics.models import PTXAS_MODELS
from ...engine.syntax.errors import PtxError, printable
from ...engine.syntax.parser import parse, scan
from ...engine.syntax.values import next_float
from ...engine.tracing.lane_text import operand_name
from ...state import session as edits
from ...widgets.base.hint_bar import REFUSED, HintBar
from ...widgets.instruction_browser import Browser
from ...widgets.lanes.lanes_pane import Lanes
from ...widgets.operand_table import Operands, no_next
from .edit_text import describe_edit
from .screen_mixin import Part

if TYPE_CHECKING:
    from textual import events

    from ...engine.syntax.instruction import Instruction
    from ...scene.scene_model import Place
    from ...state.open_listing import ListingCursor
    from ...state.session import Setup
    from ...widgets.form.form_pane import FormPane
    from ...widgets.form.modifier_row import ModifierRow
    from ...widgets.operand_table import Field
    from ...widgets.ptx_line import PtxLine
    from ...widgets.value_field import ValueField

_RECENT = 5
"""Instructions that the browser keeps on top."""


class Editing(Part):
    """What the main screen does with edits."""

    asked_from: Place | None = None
    """The cell of the lanes that is being typed over."""
    made_value_field: ValueField | None = None
    """Where a value is typed, once one was."""
    typed: Setup | None = None
    """What typing in the line made, while it goes on."""

    def __init__(self) -> None:
        super().__init__()
        self._random = Random()  # noqa: S311

    @property
    def _setup(self) -> Setup:
        return self._main.session.setup

    def edit(
        self, setup: Setup, cursor: ListingCursor | None = None, *, joined: bool = False
    ) -> None:
        """Apply an edit, of the listing too where one is given, and show what it made.

        One that is ``joined`` is taken back together with the last.
        """
        stay, before = self.staying(), self._setup.instruction.opcode
        if self._main.session.apply(setup, cursor, joined=joined):
            self._main.pause()
        elif cursor is None:
            return
        self._main.clear_hint()
        if self._setup.instruction.opcode != before:
            self._main.asked = False
        stay()
        self._main.show_session()
        self._tell_of_pin(before)
        self._tell_of_computed(setup)

    def _tell_of_pin(self, before: str) -> None:
        """Say where a pin goes that can't be compared with the instruction that was opened."""
        pin, now = self._main.pin, self._setup.instruction.opcode
        if pin is not None and pin.instruction.opcode == before != now:
            self._main.say(
                f"The pin waits for {before}: it is not compared with {now} · "
                f"{self._main.key('pin')} lets it go"
            )

    def _tell_of_computed(self, setup: Setup) -> None:
        """Say which operand keeps what the listing computes, where another value was given."""
        for role, name in setup.instruction.names.items():
            given = setup.values.get(role)
            if given is not None and self._setup.values.get(role) != given:
                cursor = self._main.listing_cursor
                if cursor and name in cursor.run.program.constants:
                    why = "is a constant of the asm statement"
                else:
                    why = "is computed in the listing: type over what it is computed from"
                self._main.say(f"{REFUSED} {name} {why}", "changed", firm=True)
                return

    def staying(self) -> Callable[[], None]:
        """What keeps the step where it is, at the end at the end, when there is another trace."""
        at_end = self._main.step >= len(self._main.session.trace.steps)

        def stay() -> None:
            count = len(self._main.session.trace.steps)
            self._main.step = count if at_end else min(self._main.step, count)

        return stay

    def on_ptx_line_edited(self, event: PtxLine.Edited) -> None:
        """What is typed in the line is an edit as long as it goes on."""
        if event.text == event.control.value:  # else more was typed, and is on its way
            goes_on = self.typed is self._setup and not event.pasted
            self.edit(edits.with_line(self._setup, event.text), joined=goes_on)
            self.typed = None if event.pasted else self._setup
            self._main.show_status()

    def on_paste(self, event: events.Paste) -> None:
        """A paste where no field has the focus is an instruction."""
        self.paste(event.text)

    def on_ptx_line_pasted(self, event: PtxLine.Pasted) -> None:
        """What is pasted into the line may be more than a line."""
        self.paste(event.text)

    def paste(self, text: str) -> None:
        """Open what was pasted: an instruction, or several as a listing; or say what is wrong."""
        from ...state.open_listing import LONGEST

        if len(text) > LONGEST:
            said = f"more than {LONGEST:,} characters; `ptxscope check` reads a file of any length"
            self._main.notify(said, title="Not pasted", markup=False, severity="warning")
            return
        text = text.replace("\r\n", "\n").replace("\r", "\n")  # as terminals hand lines over
        found = list(scan(text))
        if len(found) > 1 and any(item.instruction for item in found):
            self._main.open_listing(text, "pasted")
            return
        try:
            self._open(pasted(text))
        except PtxError:
            self.edit(edits.with_line(self._setup, " ".join(printable(text).split())))
            self._main.action_focus_on("line")

    def _open(self, ins: Instruction) -> None:
        self.used(ins.opcode)
        self.edit(edits.with_instruction(self._setup, ins))

    def action_fix(self) -> None:
        """Put what is likely meant in place of what is wrong."""
        setup = self._setup
        for problem in setup.error.errors if setup.error else ():
            if problem.fix is not None:
                start, end = problem.span
                line = setup.line[:start] + problem.fix + setup.line[end:]
                self.edit(edits.with_line(setup, line))
                return

    def on_browser_chosen(self, event: Browser.Chosen) -> None:
        """Open an instruction, or what CUDA's intrinsic of a name computes."""
        setup = self._setup
        if event.intrinsic is None:
            self.used(event.opcode)
            self.edit(edits.with_opcode(setup, event.opcode))
        else:
            self._open(parse(event.intrinsic.ptx))
            differs = event.intrinsic.differs or "it computes the same"
            self._main.notify(differs, title=event.intrinsic.name, markup=False, timeout=10)
        self._main.query_one(Browser).clear()
        self._main.action_leave()

    def used(self, opcode: str) -> None:
        """Put an instruction on top of those lately used."""
        rest = [other for other in self._main.recent if other != opcode]
        self._main.recent[:] = [opcode, *rest][:_RECENT]

    def on_form_pane_changed(self, event: FormPane.Changed) -> None:
        """Take another modifier."""
        self.edit(edits.with_choice(self._setup, event.slot, event.value))

    def on_modifier_row_asked(self, event: ModifierRow.Asked) -> None:
        """Offer a modifier's values."""
        from ..dialogs.choice_popup import ChoiceScreen

        def chosen(index: int | None) -> None:
            if index is not None:
                event.control.choose(event.cell, event.options[index])

        asked = ChoiceScreen(event.title, event.options, event.index, event.at)
        self._main.app.push_screen(asked, chosen)

    def on_operands_changed(self, event: Operands.Changed) -> None:
        """Give an operand a value."""
        self.edit(edits.with_value(self._setup, event.role, event.bits))

    def on_operands_edit(self, event: Operands.Edit) -> None:
        """Ask for a value that is typed over an operand's."""
        event.control.type_over(True)
        self._open_value(event.field, event.start)

    def _open_value(self, field: Field, start: str) -> None:
        """Ask for an operand's value where hints stand."""
        ins, role = self._setup.instruction, field.role
        self.value_field.open(
            field,
            operand_name(self._main.session.trace, role),
            ins.type_of(role),
            32 // ins.entry.lanes,
            self._main.session.trace.operands[role],
            start,
        )

    def on_lanes_edit(self, event: Lanes.Edit) -> None:
        """Ask for a value that is typed over a chip."""
        self.asked_from = event.control.place
        self._open_value(event.field, event.start)

    def on_lanes_nudged(self, event: Lanes.Nudged) -> None:
        """Make a lane a little more, or less; a float the next one."""
        bits, mask = self._main.session.trace.operands[event.role], (1 << event.width) - 1
        type_ = self._setup.instruction.type_of(event.role)
        if type_.is_float:
            following = next_float(bits, type_.bits, event.by)
            if following is None:
                self._main.say(no_next(bits, type_.bits), "changed")
            else:
                self.edit(edits.with_value(self._setup, event.role, following))
            return
        part = (bits >> event.low) + event.by & mask
        bits = bits & ~(mask << event.low) | part << event.low
        self.edit(edits.with_value(self._setup, event.role, bits))

    def on_lanes_flipped(self, event: Lanes.Flipped) -> None:
        """Switch a lane of the mask."""
        self.edit(edits.with_mask_lane(self._setup, event.lane))

    def on_lanes_reselected(self, event: Lanes.Reselected) -> None:
        """Have another part selected."""
        setup = self._setup
        changed = edits.with_digit(setup, event.slot, event.lane, event.digit, event.unit)
        if changed is None:
            self._main.say(f"× there is no such part for {event.slot} to take", "changed")
        else:
            self.edit(changed)

    def on_lanes_choosing(self, event: Lanes.Choosing) -> None:
        """Offer what a lane may take."""
        from ...widgets.form.slot_choices import listed
        from ..dialogs.choice_popup import ChoiceScreen

        title, options, now = listed(self._setup.instruction.form, event.cell)

        def chosen(index: int | None) -> None:
            if index is not None and not options[index].why_not:
                slot, value = event.cell.slot, options[index].value
                self.edit(edits.with_choice(self._setup, slot, value))

        self._main.app.push_screen(ChoiceScreen(title, options, now, event.at), chosen)

    @property
    def value_field(self) -> ValueField:
        """Where a value is typed; made when the first is."""
        from ...widgets.value_field import ValueField

        if self.made_value_field is None:
            self.made_value_field = ValueField()
            self._main.mount(self.made_value_field, before="#keys")
        return self.made_value_field

    def on_value_field_entered(self, event: ValueField.Entered) -> None:
        """Give the operand what was typed."""
        if not event.moved_on:
            self.go_back()
        self.edit(edits.with_value(self._setup, event.role, event.bits))

    def on_value_field_refused(self, event: ValueField.Refused) -> None:
        """Say what stays as it is, for as long as it takes to be seen."""
        self._main.is_told = False
        self._main.query_one(HintBar).say(f"{REFUSED} {event.why}", "changed", firm=True)

    def on_value_field_left(self) -> None:
        """Nothing was entered."""
        self.go_back()

    def go_back(self) -> None:
        """To where a value was asked for."""
        if self._main.tour and self.value_field.about is self._main.tour:
            self._main.set_focus(self._main.tour.strip)
            return
        where, self.asked_from = self.asked_from, None
        self._main.action_focus_on("operands" if where is None else "lanes")
        if where is not None:
            self._main.query_one(Lanes).stand_on(where)

    def on_operands_presets(self, event: Operands.Presets) -> None:
        """Offer values for an operand."""
        ins = self._setup.instruction
        found = edits.presets(ins.type_of(event.role), ins.lanes_of(event.role))

        def chosen(index: int | None) -> None:
            if index is not None:
                self.edit(edits.with_value(self._setup, event.role, found[index][1]))

        from ...widgets.base.menu import Item

        items = [Item(name, f"{bits:#x}") for name, bits in found]
        name = operand_name(self._main.session.trace, event.role)
        self._main.ask(f"Values that bite, for {name}", items, chosen, "operands")

    def action_random(self) -> None:
        """Give what is read random values."""
        self.edit(edits.randomized(self._setup, self._random))

    def action_swap(self) -> None:
        """Exchange a and b."""
        self.edit(edits.swapped(self._setup))

    def action_toggle_model(self) -> None:
        """Go to the next answer: isa, ptxas, and an older ptxas where it has one of its own."""
        setup = self._setup
        others = [divergence.other.model.name for divergence in self._main.session.divergences]
        names = ["isa", *dict.fromkeys([PTXAS_MODELS[0].name, *others])]
        at = names.index(setup.model) if setup.model in names else 0
        self.edit(edits.with_model(setup, names[(at + 1) % len(names)]))

    def action_undo(self) -> None:
        """Take back the last edit, and say what that was."""
        main, after = self._main, self._main.session.moment
        if self._went(main.session.undo):
            edit = describe_edit(main.session.moment, after)
            main.tell("Took back", f"{printable(edit)} · {main.key('edit.redo')} restores it")
        else:
            main.say("There is no edit to take back")

    def action_redo(self) -> None:
        """Make an edit again that was taken back, and say what that was."""
        main, before = self._main, self._main.session.moment
        if self._went(main.session.redo):
            edit = describe_edit(before, main.session.moment)
            main.tell("Restored", f"{printable(edit)} · {main.key('edit.undo')} takes it back")
        else:
            main.say("There is no edit to restore")

    def _went(self, go: Callable[[], bool]) -> bool:
        """Undo or redo; a listing that this opens or closes comes and goes with it.

        Returns whether there was an edit.
        """
        before, stay = self._main.listing_cursor, self.staying()
        if not go():
            return False
        self._main.pause()
        self._main.clear_hint()
        stay()
        if self._main.listing_cursor is None:
            if self._main.listing().has_focus:
                self._main.action_leave()
            self._main.query_one("#side").remove_class("-listing")
        elif (
            before is None
            or before.listing.programs is not self._main.listing_cursor.listing.programs
        ):
            self._main.query_one("#side").add_class("-listing")
        self._main.show_session()
        return True

    def end_typing(self) -> None:
        """Close the field in which a value is typed; what was typed is entered."""
        self.asked_from = None
        if self.made_value_field is not None:
            self.made_value_field.close()
        self._main.query_one(Operands).type_over(False)
