"""What a page shows: the state of the explorer, and the tool beside the picture."""

from __future__ import annotations

from ..engine.isa.value_text import format_hex
from ..engine.records import NamedTuple
from ..engine.syntax.errors import PtxError
from ..engine.syntax.instruction import Input
from ..engine.tracing.trace import Trace
from ..export.options import DEFAULT, Options
from ..state.explorer_state import ExplorerState
from ..state.setup import make_example
from .elements import Child
from .permalink import PageLink

FIRST_OPCODE = "vadd4"
"""The instruction whose example a page without a permalink shows."""
_TRACE_TOOLS = frozenset({"explain", "sweep", "prove"})
"""Tools whose answer depends on the trace."""


class OpenTool(NamedTuple):
    """The tool beside the picture."""

    name: str = ""
    text: str = ""
    """What is typed in it."""
    feedback: tuple[str, ...] = ()


class PageState:
    """What a page shows; ``ExplorerPage`` has the transitions."""

    def __init__(self) -> None:
        self._state = ExplorerState(make_example(FIRST_OPCODE))
        self._is_compact = self._is_both = False
        self._query = ""
        self._tool = OpenTool()
        self._message = ""
        """What an action reports."""
        self._value_errors: dict[str, tuple[str, PtxError]] = {}
        """The typed text that is no value, with its error, by role."""
        self._panel: list[Child] = []
        self._panel_key = ""
        """The key of the trace that the panel is about."""

    @property
    def state(self) -> ExplorerState:
        """The state of the explorer."""
        return self._state

    @property
    def trace(self) -> Trace:
        """The evaluation that is shown."""
        return self._state.trace

    @property
    def trace_key(self) -> str:
        """What the trace depends on; two traces of one key are equal."""
        trace = self.trace
        return f"{trace.instruction} {sorted(trace.operands.items())} {trace.model.name}"

    @property
    def shown_step(self) -> int:
        """The last step that is drawn; 0 if none is."""
        return self._state.step - self._state.is_predicting

    @property
    def options(self) -> Options:
        """What the picture shows, as options of ``ptxscope trace``."""
        state, options = self._state, DEFAULT._replace(compact=self._is_compact)
        if self._is_both and state.session.divergence:
            options = options._replace(both=True)
        if self.shown_step >= state.last_step:
            return options
        stages = frozenset(step.stage for step in self.trace.steps[: self.shown_step])
        is_hidden = state.is_result_hidden
        return options._replace(stages=stages, result=not is_hidden, is_early=is_hidden)

    @property
    def link(self) -> PageLink:
        """Everything that is shown."""
        state, setup = self._state, self._state.setup
        flags = {
            "both": self._is_both,
            "predict": state.is_predicting,
            "result": state.is_revealed and not state.is_at_end,
        }
        return PageLink(
            setup.line,
            {
                x.roles[0]: format_hex(self.trace.operands[x.roles[0]], x.type.bits)
                for x in setup.instruction.inputs
                if x.roles[0] not in setup.instruction.constants
            },
            setup.model,
            0 if state.is_at_end and not state.is_predicting else state.step,
            frozenset(word for word, is_set in flags.items() if is_set),
            self._tool.name,
            self._tool.text,
        )

    @property
    def panel(self) -> list[Child]:
        """The open tool, with its answer for the trace on which it was asked."""
        return self._panel

    @property
    def is_panel_stale(self) -> bool:
        """Whether the answer of the open tool is for another trace."""
        return self._tool.name in _TRACE_TOOLS and self._panel_key != self.trace_key

    @property
    def line(self) -> str:
        """The text of the line."""
        return self._state.setup.line

    @property
    def tool(self) -> OpenTool:
        """The tool beside the picture."""
        return self._tool

    @property
    def message(self) -> str:
        """What the last action reports."""
        return self._message

    @property
    def query(self) -> str:
        """The words of the search for instructions."""
        return self._query

    @property
    def is_both(self) -> bool:
        """Whether the steps of both answers are wanted."""
        return self._is_both

    def get_value_error(self, operand: Input) -> tuple[str, PtxError] | None:
        """Return the typed text of an operand that is no value, with its error, or None."""
        return self._value_errors.get(operand.roles[0])
