"""The state of a page: the explorer's, and the tool beside the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...documents.elements import Child
from ...documents.options import DEFAULT, Options
from ...engine.isa.encodings import format_hex
from ...engine.syntax.errors import PtxError
from ...engine.syntax.instruction import Input
from ...engine.tracing.trace import Step, Trace
from ...scene.scene_model import LaneRef
from ...state.explorer_state import ExplorerState
from ...state.setup import FIRST_OPCODE, make_example
from .permalink import PageLink
from .tool_table import map_panels, map_places

if TYPE_CHECKING:
    from ...engine.tracing.basic_block import BasicBlock


class OpenTool(NamedTuple):
    """The tool beside the picture."""

    name: str = ""
    text: str = ""
    """The text typed in it."""


class PageState:
    """The state of a page; ``page_actions`` has the transitions."""

    def __init__(self) -> None:
        self.own = ExplorerState(make_example(FIRST_OPCODE))
        """The explorer's state that the reader edits."""
        self.explorer = self.own
        """The explorer's state that is shown: another one while a panel has something open."""
        self.pointed: LaneRef | None = None
        """The place in the picture that a panel's contents are about."""
        self.room = 0
        """The height of the picture, in its units, while a panel has contents."""
        self.is_compact = False
        """Whether the picture is drawn for a narrow screen."""
        self.is_gallery = False
        """Whether the gallery of instructions is open."""
        self.is_both = False
        """Whether the reader wants the steps of both answers."""
        self.query = ""
        """The words of the search for instructions."""
        self.message = ""
        """The report of the last action."""
        self.verdict = ""
        """The reply to a wrong answer, for screen readers; it is also beside the field."""
        self.value_errors: dict[str, tuple[str, PtxError]] = {}
        """The typed text that is not a value, with its error, by role."""
        self.typed_role = ""
        """The operand into whose field the last keys went; one undo reverts them together."""
        self.tool = OpenTool()
        """The tool beside the picture."""
        self.panel: list[Child] = []
        """The content of the open tool."""
        self.panel_key = ""
        """The key of the panel's trace."""
        self._other_traces: tuple[Trace | None, Trace | None] = None, None
        """A block's evaluation, and that under another model."""

    @property
    def layout(self) -> str:
        """The part that fills the page: a ``card`` beside the picture, a ``panel`` or the
        ``gallery`` alone. The explorer has none, or ``empty`` where a gallery is its picture.
        """
        if self.is_gallery:
            return "gallery"
        if self.explorer is not self.own:
            return "card"
        if self.tool.name in map_places():
            return "panel"
        return "" if self.line.strip() else "empty"

    @property
    def trace(self) -> Trace:
        """The evaluation of the instruction, or of the current statement of a block."""
        return self.explorer.trace

    @property
    def block_trace(self) -> Trace | None:
        """The evaluation of the block that the line is; None if it is one instruction."""
        return self.explorer.block_trace

    @property
    def shown_trace(self) -> Trace:
        """The evaluation that is drawn."""
        return self.explorer.shown_trace

    @property
    def target(self) -> BasicBlock:
        """The block that is evaluated."""
        return self.shown_trace.block

    @property
    def trace_key(self) -> str:
        """A text of everything that the trace depends on; two traces of one key are equal."""
        trace = self.shown_trace
        return f"{self.target} {sorted(trace.operands.items())} {trace.model.name}"

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, through all statements of a block."""
        return self.shown_trace.steps

    @property
    def last_step(self) -> int:
        """The number of the last step."""
        return len(self.steps)

    @property
    def current_step(self) -> int:
        """The number of the step that is predicted, or the last one that is drawn; 0 if none is."""
        return self.explorer.block_step

    @property
    def shown_step(self) -> int:
        """The last step that is drawn; 0 if none is."""
        return self.current_step - self.explorer.is_predicting

    @property
    def is_result_hidden(self) -> bool:
        """Whether the result is hidden: a step is not drawn, and the reader did not ask for it."""
        return self.shown_step < self.last_step and not self.explorer.is_revealed

    @property
    def other_block_trace(self) -> Trace | None:
        """The evaluation of the block under another model, if something differs there."""
        block = self.block_trace
        if block is not self._other_traces[0]:
            from ...documents.content.document_builder import find_other

            self._other_traces = block, find_other(block) if block else None
        return self._other_traces[1]

    @property
    def has_two_answers(self) -> bool:
        """Whether another model has another result, or other intermediate values."""
        if self.block_trace:
            return self.other_block_trace is not None
        return self.explorer.session.deviation is not None

    @property
    def options(self) -> Options:
        """The content of the picture, as options of ``ptxscope trace``."""
        has_numbers = not self.explorer.has_hidden_readings
        is_card = self.layout == "card"
        options = DEFAULT._replace(
            compact=self.is_compact,
            numbers=has_numbers,
            footer=not is_card,
            sentences=not (is_card and self.is_compact),
        )
        if self.is_both and self.has_two_answers:
            options = options._replace(both=True)
        if self.shown_step >= self.last_step:
            return options
        places = frozenset(step.place for step in self.steps[: self.shown_step])
        is_hidden = self.is_result_hidden
        return options._replace(steps=places, result=not is_hidden, is_early=is_hidden)

    @property
    def link(self) -> PageLink:
        """Everything that the page shows."""
        state, operands = self.explorer, self.shown_trace.operands
        is_at_end = self.current_step >= self.last_step
        flags = {
            "both": self.is_both,
            "predict": state.is_predicting,
            "result": state.is_revealed and not is_at_end,
        }
        return PageLink(
            self.line,
            {
                f"${operand.name}" if self.block_trace else operand.roles[0]: format_hex(
                    operands[operand.roles[0]], operand.type.bits
                )
                for operand in self.inputs
            },
            state.setup.model,
            0 if is_at_end and not state.is_predicting else self.current_step,
            frozenset(word for word, is_set in flags.items() if is_set),
            self.tool.name,
            self.tool.text,
        )

    @property
    def is_panel_stale(self) -> bool:
        """Whether the answer of the open tool is for another trace."""
        panel = map_panels().get(self.tool.name)
        return panel is not None and panel.is_of_trace and self.panel_key != self.trace_key

    @property
    def line(self) -> str:
        """The text of the line, or of an open block unless it has an error now."""
        setup, block = self.explorer.setup, self.block_trace
        return block.block.text if block and setup.error is None else setup.line

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The registers whose values the reader gives."""
        return tuple(x for x in self.target.inputs if x.roles[0] not in self.target.constants)

    def get_value_error(self, operand: Input) -> tuple[str, PtxError] | None:
        """Return the invalid text of an operand with its error, or None."""
        return self.value_errors.get(operand.roles[0])
