"""The machine code of the line beside the trace: each instruction, and the value it computes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from ....engine.syntax.errors import make_printable
from ....state.requests import act
from ....widgets.base.form_fields import LINE_END_BINDINGS
from ....widgets.base.pane import Pane, StyledLine, StyledText

if TYPE_CHECKING:
    from ..machine_code import MachineCode
    from ..machine_report import CodeLine

_MIN_CODE = 24
"""Columns that an instruction has at least, beside the value that it computes."""
_GAP = 2
_MARK = "▸"


class MachinePane(Pane):
    """The instructions that an assembler makes of the line for a target, and counts for others."""

    BINDING_GROUP_TITLE = "SASS"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "choose(-1)", "Previous target"),
        Binding("right", "choose(1)", "Next target"),
        Binding("ctrl+y", "copy", "Copy"),
        *LINE_END_BINDINGS,
        Binding("enter", "leave", "To the steps", show=False),
        Binding("delete", "screen.do('machine_code')", "Close"),
    ]
    DEFAULT_CSS = """
    MachinePane { height: 1fr; display: none; }
    """

    def __init__(self) -> None:
        super().__init__("machine", "Machine code")
        self._code: MachineCode | None = None
        self._problem = ""
        self._targets: tuple[str, ...] = ()
        self._target = ""
        """The target that is shown, or that has no code."""
        self._counts: Mapping[str, str] = {}
        self._keys: Collection[str] = ()

    @property
    def code(self) -> MachineCode | None:
        """The machine code that is shown."""
        return self._code

    def show_code(self, code: MachineCode) -> None:
        """Show machine code."""
        self._code, self._problem = code, ""
        self._targets, self._target = code.targets, code.arch
        self.set_title(f"Machine code · {code.tools}")
        self.redraw_lines()

    def show_search(self) -> None:
        """Say that machine code is being made."""
        self.set_title("Machine code · assembling…")

    def show_problem(self, reason: str, target: str) -> None:
        """Show why there is no machine code for a target."""
        self._code, self._problem = None, make_printable(reason)
        self._target = target
        self.set_title("Machine code")
        self.redraw_lines()

    def show_counts(self, counts: Mapping[str, str]) -> None:
        """Show the count of instructions for some targets, by the target."""
        self._counts = dict(counts)
        self.redraw_lines()

    def mark_rows(self, keys: Collection[str]) -> None:
        """Mark the instructions that compute some rows of the trace, by key, and show one."""
        if keys == self._keys:
            return
        self._keys = keys
        self.redraw_lines()
        marked = [y for y, line in enumerate(self.visible_lines) if line and line[0].text == _MARK]
        if marked and self.size:
            self.show_line(marked[-1])
            self.show_line(marked[0])

    # --- drawing --------------------------------------------------------------------------

    def draw(self, width: int) -> list[StyledLine]:
        """Return the targets, the instructions, and the sentences on them."""
        code, lines = self._code, list(self._draw_targets(width))
        if code is None:
            return lines + [[StyledText(x)] for x in wrap(self._problem, width)]
        lines += [[StyledText(x, "strong")] for x in wrap(code.summary, width)]
        lines += [[], *self._draw_instructions(code.lines, width), []]
        for sentence in code.sentences:
            lines += [[StyledText(x)] for x in wrap(sentence, width, subsequent_indent="  ")]
        return lines

    def _draw_targets(self, width: int) -> Iterator[StyledLine]:
        """Yield the targets with their counts; a click on one shows its code."""
        line: StyledLine = []
        used_columns = 0
        for target in self._targets:
            is_shown = target == self._target
            text = f"{_MARK if is_shown else ' '}{target} {self._counts.get(target, '…')}"
            text += " instructions" if is_shown else ""
            if line and used_columns + len(text) + 1 > width:
                yield line
                line, used_columns = [], 0
            line.append(StyledText(f"{text} ", "focus" if is_shown else "quiet", target))
            used_columns += len(text) + 1
        yield line

    def _draw_instructions(self, rows: Sequence[CodeLine], width: int) -> Iterator[StyledLine]:
        purposes = max((len(x.purpose) for x in rows), default=0)
        offsets = len(rows[0].offset) + _GAP if rows else 0
        codes = max((len(x.text) for x in rows), default=0)
        room = width - 1 - purposes - _GAP
        has_offsets = offsets + codes <= room
        room = max(room - (offsets if has_offsets else 0), _MIN_CODE)
        codes = min(codes, room)
        for row in rows:
            is_marked = row.key in self._keys
            style_name = "focus" if is_marked else "" if row.is_counted else "quiet"
            offset = f"{row.offset}  " if has_offsets else ""
            texts = wrap(row.text, codes, subsequent_indent="  ", break_on_hyphens=False)
            for index, text in enumerate(texts):
                is_last = index == len(texts) - 1
                purpose = f"{text:<{codes}}{' ' * _GAP}{row.purpose}" if is_last else text
                yield [
                    StyledText(_MARK if is_marked and not index else " ", style_name),
                    StyledText(" " * len(offset) if index else offset, "quiet"),
                    StyledText(purpose.rstrip(), style_name),
                ]

    # --- keys -----------------------------------------------------------------------------

    def action_choose(self, delta: int) -> None:
        """Show the machine code for the target before or after this one."""
        if targets := self._targets:
            index = targets.index(self._target) if self._target in targets else 0
            self._choose(targets[(index + delta) % len(targets)])

    def _choose(self, target: str) -> None:
        self.do(act, f"{__package__}.machine_controller:show_target", target)

    def handle_click(self, target: object) -> None:
        """Show the machine code for the target that is clicked."""
        self._choose(str(target))

    def action_leave(self) -> None:
        """Return to the steps."""
        self.do(act, "leave")

    def action_copy(self) -> None:
        """Copy the machine code as text."""
        if self._code is not None:
            self.app.copy_to_clipboard(self._code.text)
            self.notify("the machine code", title="Copied", markup=False)
