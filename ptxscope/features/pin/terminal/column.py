"""The differences between a trace and a pinned one, in the column of a wide screen."""

from __future__ import annotations

from collections.abc import Iterator

from ....engine.isa.encodings import format_hex
from ....engine.syntax.errors import make_printable
from ....engine.tracing.step_text import format_title
from ....engine.tracing.trace import Step, Trace
from ....scene.row_pairs import find_outcome_span, hide_equal_cells, iter_pairs
from ....scene.scene_cells import build_cells
from ....scene.scene_model import Cell
from ....screens.main.action_runner import ActionRunner
from ....screens.main.column_pane import PANE_WIDTH, ColumnPane
from ....widgets.base.pane import StyledLine, StyledText, measure_line, pad_line, wrap_sentence
from ....widgets.lanes.lane_cells import draw_cell_pieces

_MAX_STEP_LINES = 12
"""Maximum differences in steps; if there are more, only the present step's are listed."""
_Row = tuple[StyledLine, StyledLine, StyledLine]
"""A name, the present value and the pinned one."""


def draw_pin(
    trace: Trace, pin: Trace, step: int, width: int, *, is_result_hidden: bool = False
) -> list[StyledLine]:
    """Return the pinned line and the present one, and the values that differ up to a step."""
    lines: list[StyledLine] = []
    for label, one in (("pinned", pin), ("now", trace)):
        model = f" · {one.model.name}" if trace.model != pin.model else ""
        text = make_printable(f"{one.instruction}{model}")
        for line in wrap_sentence(text, width - 8):
            lines.append([StyledText(f"{label:<8}", "quiet"), *line])
            label = ""
    differences = {x: [*_compare_step(trace, pin, x)] for x in trace.steps[:step]}
    steps = [x for x in differences if differences[x]]
    is_long = sum(map(len, differences.values())) > _MAX_STEP_LINES
    rows = [*_compare_registers(trace, pin, is_result=False)]
    rows += [row for x in steps if x.number == step or not is_long for row in differences[x]]
    rows += [] if is_result_hidden else _compare_registers(trace, pin, is_result=True)
    if not rows and not steps:
        return [*lines, *wrap_sentence("no value differs so far", width, "quiet")]
    names, values = (max((measure_line(x[i]) for x in rows), default=0) + 2 for i in (0, 1))
    for name, own, pinned in rows:
        line, other = [*pad_line(name, names), *own], [StyledText("≠ ", "pin"), *pinned]
        if names + values + measure_line(other) <= width:
            lines.append([*pad_line(line, names + values), *other])
        else:
            lines += [line, [StyledText(" " * (names - 2)), *other]]
    earlier = [format_title(x) for x in steps if x.number < step and is_long]
    note = f"≠ in {', '.join(earlier)}, too" if earlier else ""
    return lines + (wrap_sentence(note, width, "quiet") if note else [])


def _compare_registers(trace: Trace, pin: Trace, *, is_result: bool) -> Iterator[_Row]:
    """Yield the operands or the results that differ."""
    ins = trace.instruction
    own, pinned = (
        {role: x.result[name] for role, name in x.instruction.results.items()}
        if is_result
        else x.operands
        for x in (trace, pin)
    )
    for role in own:
        if pinned.get(role, own[role]) != own[role]:
            first, second = (format_hex(x[role], ins.type_of(role).bits) for x in (own, pinned))
            yield [StyledText(role, "quiet")], [StyledText(first)], [StyledText(second, "pin")]


def _compare_step(trace: Trace, pin: Trace, step: Step) -> Iterator[_Row]:
    """Yield the lanes of a step that differ in rows that both have."""
    unit = "lane " if trace.instruction.entry.lanes > 1 else "b"
    for pair in iter_pairs(trace, pin, step.stage):
        if pair.isa is None or pair.other is None:
            continue
        cells = build_cells(pair.isa)
        name = format_title(step) + (f" {pair.isa.name}" if len(step.rows) > 1 else "")
        for cell, other in zip(
            cells, hide_equal_cells(build_cells(pair.other), cells), strict=False
        ):
            if other.spans:
                lane = cell.place.lane if len(pair.isa.values) > 1 else cell.part
                label = f"{name}{'' if lane is None else f' {unit}{lane}'}"
                pinned = [x._replace(style_name="pin") for x in _draw_outcome(other)]
                yield [StyledText(label, "quiet")], _draw_outcome(cell), pinned


def _draw_outcome(cell: Cell) -> StyledLine:
    index = find_outcome_span(cell) or 0
    pieces = draw_cell_pieces(cell._replace(spans=cell.spans[index : index + 1]))
    return [piece._replace(target=None) for piece in pieces]


class PinColumnPane(ColumnPane):
    """The pinned line and the present one, and their differences up to the present step."""

    def __init__(self, runner: ActionRunner) -> None:
        key = runner.view.get_key("pin")
        super().__init__(runner, "column-pin", f"Pin · only what differs · {key} unpins")

    async def find_lines(self) -> list[StyledLine]:
        """Return the lines, if something is pinned."""
        state = self.state
        pin = None if state.is_predicting else state.comparable_pin
        if pin is None:
            return []
        is_hidden = state.is_result_hidden
        return draw_pin(state.trace, pin, state.step, PANE_WIDTH, is_result_hidden=is_hidden)
