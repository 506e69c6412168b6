"""The operation of the line, in the column of a wide screen, with the present step marked."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap

from ....engine.syntax.instruction import Instruction
from ....screens.main.action_runner import ActionRunner
from ....screens.main.column_pane import PANE_WIDTH, ColumnPane
from ....widgets.base.pane import StyledLine, StyledText
from ..pseudocode import list_line_code

_MARK = "▸"


def draw_operation(ins: Instruction, stages: Iterable[str], width: int) -> list[StyledLine]:
    """Return the pseudocode of a line; the lines of the last stage that has any are marked."""
    code = list_line_code(ins)
    stage = next((x for x in reversed([*stages]) if any(line.stage == x for line in code)), "")
    lines: list[StyledLine] = []
    for line in code:
        text = line.text.lstrip()
        indent = " " * (len(line.text) - len(text))
        is_present = bool(stage) and line.stage == stage
        mark, style_name = (_MARK, "focus") if is_present else (" ", "")
        room = max(width - 2 - len(indent), 16)
        for part in wrap(text, room, subsequent_indent="  ", break_on_hyphens=False):
            lines.append([StyledText(f"{mark} {indent}{part}", style_name)])
            mark = " "
    return lines


class OperationColumnPane(ColumnPane):
    """The pseudocode of the line, with the lines of the present step marked."""

    def __init__(self, runner: ActionRunner) -> None:
        key = runner.view.get_key("operation")
        super().__init__(runner, "column-operation", f"Operation · {key} all forms")

    async def find_lines(self) -> list[StyledLine]:
        """Return the pseudocode; nothing if there is none."""
        state = self.state
        stages = (str(x.stage) for x in state.trace.steps[: state.step])
        return draw_operation(state.setup.instruction, stages, PANE_WIDTH)
