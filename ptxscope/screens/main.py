"""The explorer's main screen: owns the session, and tells the widgets what to show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.timer import Timer
from textual.widget import Widget

from .. import session as edits
from ..engine.semantics.models import PTXAS_MODELS
from ..engine.semantics.plan import Stage
from ..engine.text.errors import PtxError, printable
from ..engine.text.instruction import Instruction
from ..engine.text.parser import parse, scan
from ..engine.tracing.annotations import Annotations
from ..engine.tracing.provenance import Cell, provenance
from ..engine.tracing.stages import title
from ..engine.tracing.trace import Trace
from ..engine.tracing.words import operand_name, result_text
from ..keys import bindings, key_names
from ..scene.records import Place
from ..session import Session, Setup, reading_time, trace_of
from ..widgets.bars import KeyBar, ResultBar
from ..widgets.box import Box
from ..widgets.browser import Browser
from ..widgets.footer import footer_keys
from ..widgets.form_pane import FormPane
from ..widgets.hints import REFUSED, Hint, HintBar
from ..widgets.inks import InkScreen
from ..widgets.lanes import Lanes
from ..widgets.line import LineStatus, PtxLine
from ..widgets.modifiers import Modifiers
from ..widgets.operands import Field, Operands
from .aside import MessagesAside
from .listings import Listings
from .predicting import Predicting
from .touring import Touring

if TYPE_CHECKING:
    from ..engine.diagnosis.diagnose import Finding
    from ..listing_cursor import ListingCursor
    from ..widgets.menu import Item
    from ..widgets.modifier_row import ModifierRow
    from ..widgets.value_field import ValueField

Chosen = Callable[[int | None], None]

_PACE = 1.0
"""How slowly the steps are played; 1 is a reader's pace."""
_RECENT = 5
"""Instructions that the browser keeps on top."""


class MainScreen(Predicting, Touring, Listings, MessagesAside, InkScreen[None]):
    """Line, lanes, steps and operands; instructions and modifiers beside them."""

    BINDINGS: ClassVar[list[BindingType]] = bindings()
    AUTO_FOCUS = ""
    NORMAL = 110
    """Columns from which on there is room beside the lanes."""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NORMAL, "-normal"), (200, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (18, "-low"), (32, "-high")]  # noqa: RUF012
    DEFAULT_CSS = """
    MainScreen {
        layers: base over;
        & #top { height: auto; border-top: solid $surface-lighten-2; border-title-style: bold;
            border-title-color: $foreground; border-title-background: $background; }
        & #modifier-row { display: none; }
        & #body { layout: horizontal; margin-bottom: 1; }
        & #side { width: 31; }
        & #lanes { height: 1fr; min-height: 3; }
        & #operands { height: auto; max-height: 8; }
        & #modifiers { height: auto; max-height: 60%; }
        & #side.-listing > Browser { display: none; }
        & #side.-listing > Listing { display: block; }
        &.-low #operands, &.-tiny #operands {
            display: none; max-height: 5;
            &.-used { display: block; }
        }
        &.-tiny {
            & #status { display: none; }
            & #lanes { min-height: 2; }
            & #body { margin-bottom: 0; }
            & #hint { display: none; }
            & #hint.-refused { display: block; }
        }
        &.-narrow {
            & #side { display: none; width: 40; layer: over; background: $surface; }
            & #side.-used, & #side:focus-within { display: block; }
            & #modifiers { display: none; }
            & #modifier-row { display: block; }
        }
        &.-wide #side { width: 44; }
    }
    """

    def __init__(
        self,
        setup: Setup,
        pin: Setup | None,
        step: int,
        recent: list[str],
        *,
        asked: bool = False,
        welcome: bool = False,
        guesses: Sequence[object] = (),
        predicting: bool = False,
    ) -> None:
        super().__init__(guesses, predicting=predicting, left_at=int(step < 0))
        self.session = Session(setup)
        self.pin = pin
        """What is compared with."""
        self.step = max(step, 0) if step else len(self.session.trace.steps)
        """The step up to which the trace is revealed, from 1; at 0 none is."""
        self.recent = recent
        """Opcodes that were opened, the latest first."""
        self.asked_from: Place | None = None
        """The cell of the lanes that is being typed over."""
        self.asked = asked
        """The result is to be seen before its step."""
        self._welcome = welcome
        self._was_seen = False
        self._value_field: ValueField | None = None
        self._got = ""
        """What was typed as observed."""
        self._random = Random()  # noqa: S311
        self._playing: Timer | None = None
        self._is_told = False
        """That this is the last step was said; the next key starts over."""
        self._shown_too: Callable[[], None] | None = None
        """What shows the session beside this screen."""
        self._typed: Setup | None = None
        """What typing in the line made, while it goes on."""

    @property
    def is_held_back(self) -> bool:
        """Whether the result is not to be seen: a step is veiled, and nobody asked."""
        is_veiled = self.is_predicting or self.step < len(self.session.trace.steps)
        return is_veiled and not self.asked

    def compose(self) -> ComposeResult:
        """The widgets, each once."""
        self._fit()
        with Vertical(id="top") as top:
            top.border_title = "PTX"
            yield PtxLine()
            yield LineStatus()
        with Box(id="body"):
            with Box(id="side"):
                yield Browser()
                yield Modifiers()
            with Box(id="center"):
                yield Lanes()
                yield ResultBar()
                yield Operands()
        yield HintBar()
        yield KeyBar()

    def _fit(self) -> None:
        """Be laid out for the terminal's size from the first paint on."""
        breaks = (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS)
        for have, steps in zip(self.app.size, breaks, strict=True):
            self.add_class([name for least, name in steps if least <= have][-1], update=False)

    def on_resize(self, event: events.Resize) -> None:
        """A narrow screen has the modifiers in a row of their own, made when it first is one."""
        if event.size.width < self.NORMAL and not self.query("#modifier-row"):
            from ..widgets.modifier_row import ModifierRow

            row = ModifierRow()
            self.mount(row, after="#top")
            row.show(self.session.setup.instruction.form)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """What comes to the screen for the first time was given its styles a moment ago."""
        event.refresh_styles, self._was_seen = self._was_seen, True

    def _extend_compose(self, widgets: list[Widget]) -> None:
        """What Textual adds to a screen comes after the first paint, unseen. Part of Textual."""

    def _mount_unseen(self) -> None:
        """Mount what is not seen yet, before the first key asks for it."""
        added: list[Widget] = []
        super()._extend_compose(added)
        self.mount(*added, before=0)
        self.app._refresh_notifications()
        _ = self.value_field

    def on_mount(self) -> None:
        """Show the session, and in a few words what it is, where that is new."""
        self.call_after_refresh(self._mount_unseen)
        self.show_keys()
        self.show_session()
        if self._welcome:
            self.say(
                f"An example of PTX · {self.key('step.next')} next step · "
                f"{self.key('step.result')} its result · {self.key('lessons')} lessons · "
                f"{self.key('go.find')} another instruction · "
                f"{self.key('go.line')} type or paste your own"
            )
        self.call_after_refresh(self.begin_as_kept)

    def say(self, text: str, ink: str = "dim", *, firm: bool = False) -> None:
        """Say something in the hint's row, until the next edit or step."""
        self._is_told = False
        self.query_one(HintBar).say(text, ink, firm=firm)

    def _no_hint(self) -> None:
        self._is_told = False
        self.query_one(HintBar).clear()
        self.query_one(LineStatus).say()  # of a line that is still wrong

    def show_keys(self) -> None:
        """The footer says which keys act now."""
        self.query_one(KeyBar).show(*footer_keys(self))

    # --- showing -------------------------------------------------------------------

    def show_session(self) -> None:
        """Let every widget show the session as it is now."""
        self.follow_listing()
        setup, trace = self.session.setup, self.session.trace
        least = 0 if self.tour else self.least_step  # a lesson may show the operands alone
        self.step = min(max(self.step, least), len(trace.steps))
        self.follow_prediction()
        self.query_one(PtxLine).show(setup.line, setup.instruction, setup.error)
        of = " · of the last legal line" if setup.error else ""
        self.query_one(Operands).entitle(f"Operands{of}")
        self.query_one(Modifiers).entitle(f"Modifiers{of}")
        self.query_one(Browser).show(setup.instruction.opcode, self.recent)
        for pane in self.query(FormPane):
            pane.show(setup.instruction.form)
        self.query_one(Operands).show(trace)
        if self._value_field is not None:
            self._value_field.follow(trace.operands)
        self.show_status()
        self.show_step()
        if self._shown_too is not None:
            self._shown_too()

    def show_step(self, *, moving: bool = False) -> None:
        """Let the lanes and the result show the session's step."""
        session, lanes, pin = self.session, self.query_one(Lanes), self._pinned()
        lanes.entitle(self._step_title())
        bar = self.query_one(ResultBar)
        bar.show(session.trace, session.divergences, pin, self._held_back_by())
        asks_numbers = self.guesses is not None and session.trace.steps[self.step - 1].stage in (
            Stage.SELECT,
            Stage.EXTEND,
        )
        self.query_one(Operands).untell(untold=asks_numbers)
        if self.guesses is not None:  # another answer, or a pin, would tell what is asked
            lanes.show(session.trace, self.step, guesses=self.guesses)
            return
        lanes.show(session.trace, self.step, session.divergence, pin, moving=moving)

    def _step_title(self) -> str:
        trace = self.session.trace
        count = len(trace.steps)
        parts = [f"Before step 1 of {count}"]
        if self.step:
            parts = [f"Step {self.step} of {count}", title(trace.steps[self.step - 1])]
        if self._playing is not None:
            parts.append("playing")
        if self.is_predicting:
            parts.append("predict")
        if self.session.setup.error:
            parts.append("of the last legal line")
        return " · ".join(parts)

    def _held_back_by(self) -> str:
        """The key that shows the result, while that is held back."""
        id_ = "step.last" if self.is_predicting else "step.result"
        return self.key(id_) if self.is_held_back else ""

    def _pinned(self) -> Trace | None:
        """The pinned evaluation, where it is of the same instruction."""
        if self.pin is None:
            return None
        same = self.pin.instruction.opcode == self.session.setup.instruction.opcode
        return trace_of(self.pin) if same else None

    def show_status(self) -> None:
        """Let the line say what is to be said of it."""
        setup, trace = self.session.setup, self.session.trace
        # what the manual says two ways would stand in place of the summary, always
        notes = trace.notes[: len(trace.notes) - len(trace.contradictions)]
        if self.is_predicting:
            notes = ()  # some say what comes out
        line = self.query_one(PtxLine)
        self.query_one(LineStatus).show(
            setup.instruction,
            setup.error,
            (*(self.listing_cursor.notes(setup) if self.listing_cursor else ()), *notes),
            line.candidates if line.has_focus else (),
            line.candidate,
            first=line.scroll_offset.x,
        )

    def edit(
        self, setup: Setup, cursor: ListingCursor | None = None, *, joined: bool = False
    ) -> None:
        """Apply an edit, of the listing too where one is given, and show what it made.

        One that is ``joined`` is taken back together with the last.
        """
        stay, before = self._staying(), self.session.setup.instruction.opcode
        if self.session.apply(setup, cursor, joined=joined):
            self.pause()
        elif cursor is None:
            return
        self._no_hint()
        if self.session.setup.instruction.opcode != before:
            self.asked = False
        stay()
        self.show_session()

    def _staying(self) -> Callable[[], None]:
        """What keeps the step where it is, at the end at the end, when there is another trace."""
        at_end = self.step >= len(self.session.trace.steps)

        def stay() -> None:
            count = len(self.session.trace.steps)
            self.step = count if at_end else min(self.step, count)

        return stay

    # --- steps ---------------------------------------------------------------------

    def action_step(self, by: int) -> None:
        """Go to the next step, or back; at the last say so, and then start over."""
        self.pause()
        if by < 0 or self.step < len(self.session.trace.steps):
            self._go_to(self.step + by)
        elif self.is_predicting:
            self.stop_predicting(step=self.step)
        elif self._is_told:
            self.asked = False
            self._go_to(1)
        else:
            self.say(f"That was the last step · {self.key('step.next')} starts over", "strong")
            self._is_told = True

    def action_step_to(self, where: str | int) -> None:
        """Go to the first or the last step, or to that of a number."""
        self.pause()
        count = len(self.session.trace.steps)
        if isinstance(where, int) and where > count:
            self.say(f"There are {count} steps" if count > 1 else "There is one step")
            return
        if self.is_predicting and where == "last":
            self.stop_predicting(step=count)
            return
        self._go_to({"first": 1, "last": count}[where] if isinstance(where, str) else where)

    def key(self, id_: str) -> str:
        """What the first key of an action is called."""
        return key_names(self.app)[id_][0]

    def _go_to(self, step: int) -> None:
        step = min(max(step, min(self.step, 1)), len(self.session.trace.steps))
        self._no_hint()
        if step != self.step:
            moving = step == self.step + 1
            self.step = step
            self.show_step(moving=moving)
            self.prediction_moved()

    def action_motion(self) -> None:
        """Let steps be drawn bit by bit, or at once."""
        moves = self.app.animation_level == "full"
        self.app.animation_level = "none" if moves else "full"
        self.say("Steps are drawn at once" if moves else "Steps are drawn bit by bit")

    def action_result(self) -> None:
        """Show the result before its step, or hold it back again."""
        if self.is_predicting:
            self._result_refused()
            return
        if self.step >= len(self.session.trace.steps):
            self.say("Every step is revealed: the result is not held back")
            return
        self.asked = not self.asked
        self.show_step()

    @on(ResultBar.Asked)
    def _result_asked(self) -> None:
        if self.is_predicting:
            self._result_refused()
            return
        self.asked = True
        self.show_step()

    def _result_refused(self) -> None:
        self.say(f"The result would tell what is asked · {self.key('predict')} stops asking")

    def action_play(self) -> None:
        """Play the steps from here, from the start where all are seen; or pause."""
        if self._playing is not None:
            self.pause()
            return
        if self.is_predicting:
            self.stop_predicting()
        if not 0 < self.step < len(self.session.trace.steps):
            self._go_to(1)
        self._play_on()
        self.show_step()

    def _play_on(self) -> None:
        """Let the step stay until it is read."""
        if self.step >= len(self.session.trace.steps):
            self.pause()
            return
        trace = self.session.trace
        step = trace.steps[self.step - 1]
        seconds = _PACE * reading_time(trace, step, self.session.divergence)
        self._playing = self.set_timer(seconds, self._play_next)

    def _play_next(self) -> None:
        if self._playing is not None:  # else it was paused when its time had come
            self._go_to(self.step + 1)
            self._play_on()

    def pause(self) -> None:
        """Play no more."""
        if self._playing is not None:
            self._playing.stop()
            self._playing = None
            self.show_step()

    @on(Lanes.StepChosen)
    def _step_chosen(self, event: Lanes.StepChosen) -> None:
        self.pause()
        self._go_to(event.number)

    # --- the line ------------------------------------------------------------------

    @on(PtxLine.Edited)
    def _line_edited(self, event: PtxLine.Edited) -> None:
        if event.text == event.control.value:  # else more was typed, and is on its way
            goes_on = self._typed is self.session.setup and not event.pasted
            self.edit(edits.with_line(self.session.setup, event.text), joined=goes_on)
            self._typed = None if event.pasted else self.session.setup
            self.show_status()

    @on(PtxLine.CandidateMoved)
    def _candidate_moved(self) -> None:
        self.show_status()

    def on_paste(self, event: events.Paste) -> None:
        """A paste where no field has the focus is an instruction."""
        self.paste(event.text)

    @on(PtxLine.Pasted)
    def _line_pasted(self, event: PtxLine.Pasted) -> None:
        self.paste(event.text)

    def paste(self, text: str) -> None:
        """Open what was pasted: an instruction, or several as a listing; or say what is wrong."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")  # as terminals hand lines over
        found = list(scan(text))
        if len(found) > 1 and any(item.instruction for item in found):
            self.open_listing(text, "pasted")
            return
        try:
            self._open(parse(text))
        except PtxError:
            self.edit(edits.with_line(self.session.setup, " ".join(printable(text).split())))
            self.action_focus_on("line")

    def _open(self, ins: Instruction) -> None:
        self.used(ins.opcode)
        self.edit(edits.with_instruction(self.session.setup, ins))

    def action_fix(self) -> None:
        """Put what is likely meant in place of what is wrong."""
        setup = self.session.setup
        for problem in setup.error.errors if setup.error else ():
            if problem.fix is not None:
                start, end = problem.span
                line = setup.line[:start] + problem.fix + setup.line[end:]
                self.edit(edits.with_line(setup, line))
                return

    # --- instruction, modifiers, operands --------------------------------------------

    @on(Browser.Chosen)
    def _instruction_chosen(self, event: Browser.Chosen) -> None:
        setup = self.session.setup
        if event.intrinsic is None:
            self.used(event.opcode)
            self.edit(edits.with_opcode(setup, event.opcode))
        else:
            self._open(parse(event.intrinsic.ptx))
            differs = event.intrinsic.differs or "it computes the same"
            self.notify(differs, title=event.intrinsic.name, markup=False, timeout=10)
        self.query_one(Browser).clear()
        self.action_leave()

    @on(Browser.Emptied)
    def _filter_emptied(self) -> None:
        self.show_keys()

    def used(self, opcode: str) -> None:
        """Put an instruction on top of those lately used."""
        rest = [other for other in self.recent if other != opcode]
        self.recent[:] = [opcode, *rest][:_RECENT]

    @on(FormPane.Changed)
    def _modifier_changed(self, event: FormPane.Changed) -> None:
        self.edit(edits.with_choice(self.session.setup, event.slot, event.value))

    def on_modifier_row_asked(self, event: ModifierRow.Asked) -> None:
        """Offer a modifier's values."""
        from .choices import ChoiceScreen

        def chosen(index: int | None) -> None:
            if index is not None:
                event.control.choose(event.cell, event.options[index])

        asked = ChoiceScreen(event.title, event.options, event.index, event.at)
        self.app.push_screen(asked, chosen)

    @on(Hint)
    def _hinted(self, event: Hint) -> None:
        self.query_one(HintBar).hint(event)

    @on(Operands.Changed)
    def _operand_changed(self, event: Operands.Changed) -> None:
        self.edit(edits.with_value(self.session.setup, event.role, event.bits))

    @on(Operands.Edit)
    def _operand_edit(self, event: Operands.Edit) -> None:
        event.control.type_over(True)
        self._open_value(event.field, event.start)

    def _open_value(self, field: Field, start: str) -> None:
        """Ask for an operand's value where hints stand."""
        ins, role = self.session.setup.instruction, field.role
        self.value_field.open(
            field,
            operand_name(self.session.trace, role),
            ins.type_of(role),
            32 // ins.entry.lanes,
            self.session.trace.operands[role],
            start,
        )

    @on(Lanes.Edit)
    def _chip_edit(self, event: Lanes.Edit) -> None:
        self.asked_from = event.control.place
        self._open_value(event.field, event.start)

    @on(Lanes.Nudged)
    def _chip_nudged(self, event: Lanes.Nudged) -> None:
        bits, mask = self.session.trace.operands[event.role], (1 << event.width) - 1
        part = (bits >> event.low) + event.by & mask
        bits = bits & ~(mask << event.low) | part << event.low
        self.edit(edits.with_value(self.session.setup, event.role, bits))

    @on(Lanes.Flipped)
    def _mask_flipped(self, event: Lanes.Flipped) -> None:
        self.edit(edits.with_mask_lane(self.session.setup, event.lane))

    @on(Lanes.Reselected)
    def _reselected(self, event: Lanes.Reselected) -> None:
        setup = self.session.setup
        changed = edits.with_digit(setup, event.slot, event.lane, event.digit, event.unit)
        if changed is None:
            self.say(f"× there is no such part for {event.slot} to take", "changed")
        else:
            self.edit(changed)

    @property
    def value_field(self) -> ValueField:
        """Where a value is typed; made when the first is."""
        from ..widgets.value_field import ValueField

        if self._value_field is None:
            self._value_field = ValueField()
            self.mount(self._value_field, before="#keys")
        return self._value_field

    def on_value_field_entered(self, event: ValueField.Entered) -> None:
        """Give the operand what was typed."""
        if not event.moved_on:
            self.go_back()
        self.edit(edits.with_value(self.session.setup, event.role, event.bits))

    def on_value_field_refused(self, event: ValueField.Refused) -> None:
        """Say what stays as it is, for as long as it takes to be seen."""
        self._is_told = False
        self.query_one(HintBar).say(f"{REFUSED} {event.why}", "changed", firm=True)

    def on_value_field_left(self) -> None:
        """Nothing was entered."""
        self.go_back()

    def go_back(self) -> None:
        """To where a value was asked for."""
        if self.tour and self.value_field.about is self.tour:
            self.set_focus(self.tour.strip)
            return
        where, self.asked_from = self.asked_from, None
        self.action_focus_on("operands" if where is None else "lanes")
        if where is not None:
            self.query_one(Lanes).stand_on(where)

    @on(Operands.Presets)
    def _operand_presets(self, event: Operands.Presets) -> None:
        ins = self.session.setup.instruction
        found = edits.presets(ins.type_of(event.role), ins.lanes_of(event.role))

        def chosen(index: int | None) -> None:
            if index is not None:
                self.edit(edits.with_value(self.session.setup, event.role, found[index][1]))

        from ..widgets.menu import Item

        items = [Item(name, f"{bits:#x}") for name, bits in found]
        name = operand_name(self.session.trace, event.role)
        self._ask(f"Values that bite, for {name}", items, chosen)

    def action_random(self) -> None:
        """Give what is read random values."""
        self.edit(edits.randomized(self.session.setup, self._random))

    def action_swap(self) -> None:
        """Exchange a and b."""
        self.edit(edits.swapped(self.session.setup))

    # --- answers -------------------------------------------------------------------

    def action_toggle_model(self) -> None:
        """Go to the next answer: isa, ptxas, and an older ptxas where it has one of its own."""
        setup = self.session.setup
        others = [divergence.other.model.name for divergence in self.session.divergences]
        names = ["isa", *dict.fromkeys([PTXAS_MODELS[0].name, *others])]
        at = names.index(setup.model) if setup.model in names else 0
        self.edit(edits.with_model(setup, names[(at + 1) % len(names)]))

    def action_pin(self) -> None:
        """Pin this evaluation, so that what is edited next is compared with it; or let it go."""
        self.pin = self.session.setup if self.pin is None else None
        self.show_step()
        key = self.key("pin")
        if self.pin:
            self.say(f"Pinned: what you edit now is shown against it · {key} lets it go")
        else:
            self.say("Unpinned: nothing is compared")

    def action_explain(self) -> None:
        """Ask what explains a result, and compare the documented evaluation with that."""
        from .explain import ExplainScreen

        setup = edits.with_model(self.session.setup, "isa")

        def left(answer: tuple[str, Finding | None] | None) -> None:
            self._got, finding = answer or (self._got, None)
            if finding is not None:
                self.pin = setup
                self.edit(edits.with_finding(setup, finding))
                said = "the documented evaluation; shown is what explains the result"
                self.notify(said, title="Pinned", markup=False)

        self.app.push_screen(ExplainScreen(trace_of(setup), self._got), left)

    def action_challenge(self) -> None:
        """Ask exercises; then show the steps of one, where that is wanted."""
        from .challenge import ChallengeScreen

        def left(found: Trace | None) -> None:
            if found is not None:
                self.step = len(self.session.trace.steps)
                self.used(found.instruction.opcode)
                self.edit(edits.of_trace(found))

        self.app.push_screen(ChallengeScreen(getattr(self.app, "store", None)), left)

    def action_sweep(self) -> None:
        """Show all values of an operand; moving through them is one edit."""
        from .sweep import SweepScreen, can_sweep

        if self.is_predicting:
            self.say(f"A sweep would tell what is asked · {self.key('predict')} stops asking")
            return
        if not can_sweep(self.session.setup.instruction):
            self.say("There is no operand to sweep, or no result to look at")
            return
        moved = False

        def move(role: str, bits: int) -> None:
            nonlocal moved
            before = self.session.setup
            self.edit(edits.with_value(before, role, bits), joined=moved)
            moved = moved or self.session.setup != before

        came = self.session.setup

        def take_back() -> bool:
            nonlocal moved
            if self.session.setup == came:
                return False
            self.action_undo()
            moved = False
            return True

        def left(_: None) -> None:
            self._shown_too = None
            if moved:
                self.session.settle()

        screen = SweepScreen(lambda: self.session.trace, move, take_back)
        self._shown_too = screen.follow
        self.app.push_screen(screen, left)

    def action_undo(self) -> None:
        """Take back the last edit."""
        self._went(self.session.undo)

    def action_redo(self) -> None:
        """Make an edit again that was taken back."""
        self._went(self.session.redo)

    def _went(self, go: Callable[[], bool]) -> None:
        """Undo or redo; a listing that this opens or closes comes and goes with it."""
        before, stay = self.listing_cursor, self._staying()
        if not go():
            return
        self.pause()
        self._no_hint()
        stay()
        if self.listing_cursor is None:
            if self.listing().has_focus:
                self.action_leave()
            self.query_one("#side").remove_class("-listing")
        elif before is None or before.listing.programs is not self.listing_cursor.listing.programs:
            self.query_one("#side").add_class("-listing")
        self.show_session()

    # --- focus, copying, help --------------------------------------------------------

    def action_leave(self) -> None:
        """Give the focus up: the screen's keys act again."""
        if self.is_predicting and self.focused in (None, self.query_one(Lanes)):
            self.stop_predicting()
        self.set_focus(None)  # before what has it is hidden, else Textual finds another
        self._end_typing()
        self._mark_used(None)

    def action_page(self, by: int) -> None:
        """Scroll the lanes by what is seen of them."""
        lanes = self.query_one(Lanes)
        lanes.scroll_relative(y=by * lanes.scrollable_content_region.height, animate=False)

    def action_focus_on(self, id_: str) -> None:
        """Put the focus on a widget."""
        self._end_typing()
        if id_ == "listing" and self.listing_cursor is None:
            self.action_open_file()
            return
        if id_ == "modifiers" and self.has_class("-narrow"):
            id_ = "modifier-row"  # the pane is hidden there
        if id_ in ("listing", "filter"):
            self.query_one("#side").set_class(id_ == "listing", "-listing")
        target = self.query_one(f"#{id_}")
        self._mark_used(target)
        if target.focusable:
            self.set_focus(target)  # at once: the next key is already meant for it
        else:
            target.focus()  # when it has been laid out

    def _mark_used(self, target: Widget | None) -> None:
        """Mark what a small screen shows only while it is used."""
        way = target.ancestors_with_self if target else ()
        for hidden in ("operands", "side"):
            panel = self.query_one(f"#{hidden}")
            panel.set_class(panel in way, "-used")

    def action_copy(self, what: str) -> None:
        """Copy the command that reproduces what is shown, or the result."""
        from ..export.document import command

        trace = self.session.trace
        text = command(trace) if what == "command" else result_text(trace)
        self.app.copy_to_clipboard(text)
        hidden = what == "result" and self.is_held_back
        said = "the result, which is held back here" if hidden else text
        self.notify(printable(said), title="Copied", markup=False)

    def action_note(self) -> None:
        """Write a note on the current step."""
        from .ask import AskScreen

        step = self.session.trace.steps[max(self.step, 1) - 1]
        known = [note.text for note in self.session.trace.annotations.at(step.stage)]

        def written(text: str | None) -> None:
            if text is not None:
                self.edit(edits.with_step_note(self.session.setup, step.stage, text))

        asked = f"A note on step {step.number} {title(step)}"
        hint = "what a reader should see here"
        self.app.push_screen(AskScreen(asked, "note", "".join(known[:1]), hint, "keep it"), written)

    def action_export(self) -> None:
        """Take the trace out as a document."""
        from .export import ExportScreen

        def left(annotations: Annotations | None) -> None:
            if annotations is not None:
                self.edit(edits.with_annotations(self.session.setup, annotations))

        self.app.push_screen(ExportScreen(self.session.trace), left)

    def action_help(self) -> None:
        """Show what every key, stage and glyph means."""
        from .help import HelpScreen

        self.app.push_screen(HelpScreen())

    def _ask(self, title: str, items: list[Item], chosen: Chosen) -> None:
        from .menu import MenuScreen

        self.app.push_screen(MenuScreen(title, items), chosen)

    @on(Lanes.CursorMoved)
    def _cursor_moved(self, event: Lanes.CursorMoved) -> None:
        self.query_one(Operands).light(self._origin(event.cell) if event.cell else {})
        self.query_one(HintBar).hint(Hint(event.control, event.said))
        if self.is_predicting:  # digits are keys on what is not asked
            self.show_keys()

    def _origin(self, cell: Cell) -> dict[str, int]:
        """The operand bits that a cell came from: a mask by role."""
        masks: dict[str, int] = {}
        for role, low, high in provenance(self.session.trace, *cell):
            masks[role] = masks.get(role, 0) | (1 << high) - (1 << low)
        return masks

    @on(KeyBar.Pressed)
    async def _key_pressed(self, event: KeyBar.Pressed) -> None:
        await self.app.run_action(event.action, event.node or self)

    def _end_typing(self) -> None:
        """Close the field in which a value is typed; what was typed is entered."""
        self.asked_from = None
        if self._value_field is not None:
            self._value_field.close()
        self.query_one(Operands).type_over(False)

    def on_descendant_focus(self) -> None:
        """The status line helps while the PTX line is edited; the footer follows."""
        if self._value_field is None or self.focused is not self._value_field.input:
            self._end_typing()
        self.show_status()
        self.show_keys()

    def on_descendant_blur(self) -> None:
        """The status line stops helping; what was typed in the line is one edit."""
        if self._typed is self.session.setup:
            self.session.settle()
        self._typed = None
        if self.focused is None:
            self.query_one(HintBar).left()
        self.show_status()
        self.show_keys()
