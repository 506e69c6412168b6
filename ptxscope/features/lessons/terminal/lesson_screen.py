"""A lesson: the card above, the trace that it is about below, nothing else."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from ....engine.isa.encodings import format_hex
from ....engine.syntax.errors import make_printable
from ....engine.tracing.step_text import format_title
from ....engine.tracing.trace import Trace
from ....learn.question import get_visible_operands
from ....screens.main.action_runner import ActionRunner
from ....state.explorer_state import ExplorerState
from ....state.requests import Transition
from ....widgets.base.explorer_app import get_explorer_app
from ....widgets.base.form_fields import PlainInput
from ....widgets.footer import FooterKey
from ....widgets.lanes.lane_layout import LanesState
from ....widgets.lanes.lanes_pane import LanesPane
from ....widgets.result_bar import ResultBar
from ..lesson_position import LessonPosition, Outcome
from ..lesson_text import describe_anchor, describe_question, list_aims
from ..text_templates import TemplatePiece
from ..transitions import (
    get_play,
    give_hint,
    leave,
    open_line,
    reveal_answer,
    take_answer,
    turn_card,
)
from .lesson_card import LessonCard, LessonParagraph
from .titled_screen import TitledScreen

_ANSWER_CHARS = r"[0-9a-fA-FxXtniy_\-+.\[\], ]*"
"""The characters of an answer, without the keys ``s`` and ``?``."""
_FEEDBACK_STYLES = {Outcome.WRONG: "surprise", Outcome.HINT: "quiet", Outcome.RIGHT: "right"}
_NOTATIONS = "any notation: 12  0x0c  0b1100"
_HIGH_LINES = 30
"""Lines from which every card has room for the sentence of its cell and the line of C."""
_NARROW_COLUMNS = 70
"""Columns below which notations have no room beside the field."""


class _Key(NamedTuple):
    """A key of the footer."""

    name: str
    action: str
    label: str
    is_of_question: bool | None = None
    """Whether it applies only to an open question, or only without one."""


_KEYS = (
    _Key("Enter", "check", "check", is_of_question=True),
    _Key("?", "hint", "hint", is_of_question=True),
    _Key("s", "reveal", "show", is_of_question=True),
    _Key("PgDn", "turn(1)", "skip", is_of_question=True),
    _Key("Enter", "turn(1)", "next", is_of_question=False),
    _Key("PgUp", "turn(-1)", "back"),
    _Key("o", "open_line", "open the line", is_of_question=False),
    _Key("?", "app.do('help')", "keys", is_of_question=False),
    _Key("^p", "app.do('palette')", "keys", is_of_question=True),
)
_LEAVE = FooterKey((("Esc", "leave"),), "leave")


class AnswerField(PlainInput):
    """The field of an answer; its keys are characters that no answer has."""

    BINDING_GROUP_TITLE = "Lesson"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "screen.hint", "Hint", show=False, priority=True),
        Binding("s", "screen.reveal", "Show the answer", show=False, priority=True),
        Binding("pagedown", "screen.turn(1)", "Skip", show=False, priority=True),
        Binding("pageup", "screen.turn(-1)", "Back", show=False, priority=True),
    ]

    def __init__(self) -> None:
        super().__init__(id="lesson-answer", restrict=_ANSWER_CHARS, select_on_focus=False)


class LessonScreen(TitledScreen[None]):
    """Plays the open lesson; the explorer below is unchanged."""

    BINDING_GROUP_TITLE = "Lesson"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,n,right,pagedown", "turn(1)", "Next", show=False),
        Binding("N,b,left,backspace,pageup", "turn(-1)", "Back", show=False),
        Binding("o", "open_line", "Open the line in the explorer", show=False),
        Binding("up", "scroll_lanes(-1)", "Scroll up", show=False),
        Binding("down", "scroll_lanes(1)", "Scroll down", show=False),
    ]
    DEFAULT_CSS = """
    LessonScreen {
        & #lesson-question { height: 1; padding: 0 1; display: none;
            & > Static { width: auto; }
            & > Input { border: none; height: 1; padding: 0; width: 20; margin: 0 1; }
            & > Input:focus { border: none; height: 1; background: $surface-lighten-1; }
        }
        & #lesson-question.-open { display: block; }
        & #lesson-label { color: $focus; text-style: bold; }
        & #lesson-verdict { padding: 0 2; color: $quiet; &.-wrong { color: $surprise; } }
        & #lesson-feedback { border: none; max-height: 30%; }
        & #lanes { height: 1fr; min-height: 3; }
        & #lesson-registers { height: 1; padding: 0 1; margin-bottom: 1; }
    }
    """

    def __init__(self, state: ExplorerState) -> None:
        super().__init__()
        self._state = state
        self._play = get_play(state)
        assert self._play.card_state
        self._card, self._feedback = LessonCard(), LessonCard("lesson-feedback")
        self._label, self._verdict = Static(id="lesson-label"), Static(id="lesson-verdict")
        self.field = AnswerField()
        """The field of the answer."""
        self._lanes = LanesPane(self._play.card_state.trace)
        self._result = ResultBar(self._play.card_state.trace)
        self._registers = Static(id="lesson-registers")

    @property
    def position(self) -> LessonPosition:
        """The card and the answers."""
        assert self._play.position
        return self._play.position

    def compose_body(self) -> ComposeResult:
        """Yield the card, the question and the lanes."""
        self._lanes.can_focus = self._card.can_focus = self._feedback.can_focus = False
        with Vertical():
            yield self._card
            with Horizontal(id="lesson-question"):
                yield self._label
                yield self.field
                yield self._verdict
            yield self._feedback
            yield self._lanes
            yield self._result
            yield self._registers

    def on_mount(self) -> None:
        """Show the card."""
        super().on_mount()
        self.show_card()

    # --- contents --------------------------------------------------------------------------

    def show_card(self) -> None:
        """Show another card."""
        self._show_text()
        self.field.value = self.position.take_text() if self.position.is_open else ""
        self.field.cursor_position = len(self.field.value)
        if self.position.is_open:
            self._label.update(Content(f"{describe_question(self.position.card)} ="))
        self.follow_answer()
        self.set_focus(self.field if self.position.is_open else None)

    def _show_text(self) -> None:
        """Show the text of the card; the first one begins with the aim and the line of C.

        If there is room, every card ends with the sentence of its cell.
        """
        card, head = self.position.card, self.position.lesson.head
        paragraphs = [LessonParagraph(card.text)]
        if self.size.height >= _HIGH_LINES and (about := describe_anchor(card)):
            paragraphs.append(LessonParagraph((TemplatePiece(about),), "quiet"))
        if not self.position.index:
            aims = (LessonParagraph(text, "quiet") for text in list_aims(head))
            paragraphs = [*aims, *paragraphs]
        self._card.set_title(make_printable(card.title))
        self._card.show(paragraphs)

    def on_resize(self) -> None:
        """Show the text for the new size."""
        if self._play.position is not None:
            self._show_text()

    def follow_answer(self) -> None:
        """Show the feedback on an answer, and the step that it reveals."""
        position, state = self.position, self._play.card_state
        assert state
        head, count = position.lesson.head, len(position.lesson.cards)
        self.show_title(head.title, f"{position.marks}  {position.index + 1} of {count}")
        feedback = position.feedback
        style_name = _FEEDBACK_STYLES.get(feedback.outcome, "") if feedback else ""
        text = feedback.signed_text if feedback else ()
        self._feedback.show([LessonParagraph(text, style_name)])
        self._feedback.display = position.feedback is not None or position.is_answered
        self._show_verdict("")
        step, last = state.step, state.last_step
        title = f"step {step} of {last}" if step else f"before step 1 of {last}"
        if step:
            title += f", {format_title(state.trace.steps[step - 1])}"
        self._lanes.set_title(make_printable(f"{state.setup.line.strip()} · {title}"))
        lanes = LanesState(state.trace, step, deviation=state.session.deviation)
        self._lanes.show_trace(lanes._replace(question_lane=position.asked_place))
        self._result.show(state.trace, state.session.deviations, None)
        self._result.display = state.is_at_end
        self._registers.update(Content(_format_registers(state.trace)))
        if not position.is_open and self.focused is self.field:
            self.set_focus(None)
        self.query_one("#lesson-question").set_class(position.is_open, "-open")
        self._show_keys()
        self.call_after_refresh(self._point_out)

    def _point_out(self) -> None:
        """Highlight the cell that the card is about, once the lanes have their size."""
        if self._play.position is not None:
            self._lanes.move_cursor_to(self.position.anchor[1])

    def _show_verdict(self, text: str) -> None:
        is_wide = self.size.width >= _NARROW_COLUMNS
        self._verdict.set_class(bool(text), "-wrong")
        self._verdict.update(Content(text or (_NOTATIONS if is_wide else "")))

    def _show_keys(self) -> None:
        position = self.position
        labels = {"turn(1)": "end"} if position.is_last else {}
        keys = [
            FooterKey(((key.name, key.action),), labels.get(key.action, key.label))
            for key in _KEYS
            if key.is_of_question in (None, position.is_open)
            and not (key.action == "turn(-1)" and position.index == 0)
        ]
        self.key_bar.show(keys, (_LEAVE,))

    # --- actions ---------------------------------------------------------------------------

    async def _run(self, transition: Transition, *arguments: object) -> None:
        await get_explorer_app(self).perform(transition, *arguments)

    async def action_turn(self, delta: int) -> None:
        """Go to another card, and keep an unfinished answer."""
        if self.position.is_open:
            self.position.keep_text(self.field.value)
        await self._run(turn_card, delta)

    async def action_hint(self) -> None:
        """Show the next hint."""
        give_hint(self._state)
        self.follow_answer()

    async def action_reveal(self) -> None:
        """Show the answer."""
        reveal_answer(self._state)
        self.follow_answer()

    async def action_check(self) -> None:
        """Check the answer, as Enter in its field."""
        await self.field.action_submit()

    async def action_open_line(self) -> None:
        """Open the line of the card in the explorer."""
        await self._run(open_line)

    async def action_leave(self) -> None:  # type: ignore[override]
        """Leave the lesson at its card."""
        await self._run(leave)

    def action_scroll_lanes(self, delta: int) -> None:
        """Scroll the lanes by a row."""
        self._lanes.scroll_relative(y=delta, animate=False)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Grade the answer, or say why it is no value."""
        event.stop()
        await self._run(take_answer, event.value)
        if self._play.position is not None:
            self.follow_answer()
            if self.position.is_open:
                self._show_verdict(f"✗ not {make_printable(event.value.strip())}")
                self.field.select_all()  # new text replaces it

    def on_input_changed(self, event: Input.Changed) -> None:
        """Clear the verdict on another answer."""
        event.stop()
        self._show_verdict("")


def _format_registers(trace: Trace) -> str:
    """Return the operands with all their bits: ``a = 0xfac87805  b = 0x0a0a0a0a``."""
    bits = get_visible_operands(trace)
    inputs = (x for x in trace.instruction.inputs if x.roles[0] in bits)
    texts = (f"{x.name} = {format_hex(bits[x.roles[0]], x.type.bits)}" for x in inputs)
    return make_printable("  ".join(texts))


# --- requests of transitions -------------------------------------------------------------------


def show_lesson(runner: ActionRunner) -> None:
    """Show the card of the open lesson, on its screen."""
    app = runner.view.screen.app
    if isinstance(app.screen, LessonScreen):
        app.screen.show_card()
    else:
        app.push_screen(LessonScreen(runner.state))


def close_lesson(runner: ActionRunner) -> None:
    """Close the screen of a lesson."""
    screen = runner.view.screen.app.screen
    if isinstance(screen, LessonScreen):
        screen.dismiss()
