"""Help on every key, stage and glyph, made from the explorer's own tables."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ...engine.micro_operations.properties import Flag
from ...engine.micro_operations.stage import Stage
from ...engine.tracing.step_text import list_stage_names
from ...scene.scene_cells import GLYPHS
from ...state.actions import ACTIONS, GROUPS
from ...widgets.base.explorer_app import get_explorer_app
from ...widgets.base.form_fields import ENDS
from ...widgets.base.pane import Pane, StyledLine, StyledText
from .dialog import Dialog, DialogFrame

STAGES = {
    Stage.FLUSH: "With .ftz, subnormal binary32 inputs become zeros of the same sign.",
    Stage.SELECT: "Bytes, half-words or the whole word are taken from the registers. "
    "`▐80▌ a.b3`: 0x80, byte 3 of a. A source in another colour comes from another lane than its "
    "own.",
    Stage.EXTEND: "What was taken is read as a signed or unsigned number. `▒ff▐80▌ = -128`: the "
    "bits above 80 are copies of its top bit; `░00▐80▌ = 128`: they are zeros.",
    Stage.OPERATE: "The operation, on exact numbers: nothing wraps here.",
    Stage.COMPARE: "The comparison: ✓ 1 where it holds, ✗ 0 where it does not.",
    Stage.BOOLEAN: "The comparison is combined with the predicate c.",
    Stage.CHOOSE: "▶ marks the operand that is chosen.",
    Stage.SUM: "vmad: c is read, negated where asked, and added to the product.",
    Stage.SCALE: "vmad: .shr7 or .shr15 shifts the sum right.",
    Stage.SATURATE: "The clamp. `254 ▸ 127`: 254 lay above the range and became 127. Below it a "
    "number line: ├──●──┤ the exact result lies in the range; `●◂╌╌○`: it lay outside, so far and "
    "on that side, and is moved to the end.",
    Stage.SECONDARY: "The secondary operation with c: .add, .min or .max.",
    Stage.MERGE: "`■ ▐7f▌`: the lane takes the result, cut to its width; `□ ▐22▌ c.b2`: it "
    "keeps c's bits.",
    Stage.ACCUMULATE: "A running sum from c over the lanes of the mask.",
    Stage.WRITE: "The destination's bits.",
    Stage.GUARD: "@p: where the predicate forbids, the destination keeps its old value; with "
    "ptxas some `set` convert it (E14).",
}
"""The purpose of each stage."""

_GLYPH_WORDS = {
    Flag.CLAMPED_LOW: "it lay below the range and was moved up",
    Flag.CLAMPED_HIGH: "it lay above the range and was moved down",
    Flag.WRAPPED: "high bits were cut off that mattered",
    Flag.MASKED_OUT: "the lane keeps c's bits",
    Flag.FLUSHED: "a subnormal became zero",
    Flag.ROUNDED: "a float has too few bits for the number",
    Flag.NAN: "an input is not a number",
}
_PANES = {
    "lanes": (
        "arrows move a cursor; what its bits came from is underlined, what they went to is "
        "in italics, and the operands highlight the exact bits; type over a chip of a register, "
        "< and > nudge it, a float to the next; a digit chooses a lane's source, as does a wire "
        "that is dragged from a chip to it, and Enter lists the sources; space or a click "
        "toggles a lane of the mask; a click on a title goes to that step"
    ),
    "predict": (
        "the next step is hidden: type the value of each lane, Enter checks it; h gives a hint, n "
        "shows the step, Esc leaves and keeps what was typed"
    ),
    "operands": (
        "arrows move between values, lanes and bits; type or Enter edits, < and > nudge, "
        "space toggles the bit, v lists edge cases; Esc leaves"
    ),
    "modifiers": (
        "arrows move, Enter chooses; × is illegal here, and says why; on a selector "
        "a digit, < or > picks the lane's source, on the mask space toggles the lane; in the row "
        "of a small screen ^← and ^→ go from slot to slot, Enter lists the values and Del removes "
        "one; a left click chooses the next value, a right click the previous one, as does the "
        "wheel"
    ),
    "line": (
        "Tab takes a completion, up and down walk through them; F2 applies a fix; "
        "Enter or Esc leaves, and u takes back all that was typed"
    ),
    "all values": (
        "arrows move the current point and change the operand, with ^ far, Home and End to the "
        "ends; u takes it back; Tab goes to x, y and the result, whose lanes arrows then choose; "
        "w describes the whole sweep in words"
    ),
    "find": (
        "names or words: average four bytes, clamp, mask, absolute difference; up and down "
        "move, Enter opens"
    ),
    "listing": (
        "arrows go from one of the 27 instructions to the next, Enter goes to its steps; ✗ marks "
        "an illegal line, ≠ an erratum that changes its result; a value that a register is given "
        "runs on to the lines below; f finds the line with unexpected bits, c checks all lines"
    ),
    "check": (
        "arrows move between the findings, Enter opens one on operands that show it, Tab goes to "
        "the text, ^y copies it"
    ),
    "why?": (
        "type the result that you got, with ? for each digit that you don't know; Enter goes to "
        "the explanations, Enter there compares one with the documented steps"
    ),
    "export": (
        "arrows and Enter choose a format and the switches; Tab goes to the fields and the "
        "preview; Enter in a field saves, ^s saves from anywhere, ^y copies"
    ),
    "lessons": (
        "n and p turn the cards; type an answer, Enter judges it; ? gives a hint, s shows the "
        "answer; Esc leaves, and the lesson goes on there the next time"
    ),
    "exercises": (
        "Enter judges the answer, or skips where the field is empty, and then asks the next; ? "
        "gives a hint, ^l goes to the next level, ^t shows the steps"
    ),
}
"""The keys of each pane. Help opens at the pane that has the focus."""


_MARKS = {
    "▐7f▌": "bits that travel as one; of a in blue, of b in green, of c in violet",
    "▒ff": "copies of the sign that are put above",
    "░00": "zeros that are put above",
    "1╳": "bits that fall off, on the side where they stood",
    "■ □": "a lane that is in the mask, and one that keeps c's bits",
    "├─●─┤": "a range, and where a number lies in it; what lies outside goes to an end",
    "━⊕": "a running sum takes a lane",
    "▁▁▁": "a result that is held back until its step",
}


class HelpDialog(Dialog[None]):
    """A page of text, opened at a section; any of the usual keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter", "leave", "Leave", show=False),
    ]

    def __init__(self, section: str = "") -> None:
        super().__init__()
        self._text = HelpText(section)

    def compose(self) -> ComposeResult:
        """Yield the text."""
        with DialogFrame("Help", "↑ ↓ PgUp PgDn Home End · Esc leave", page=True):
            yield self._text

    def action_leave(self) -> None:
        """Return to the explorer."""
        self.close_with(None)


class HelpText(Pane):
    """Keys, panes, stages and glyphs."""

    BINDINGS: ClassVar[list[BindingType]] = ENDS
    DEFAULT_CSS = """
    HelpText { height: 1fr; border: none; &:focus { border: none; } }
    """

    def __init__(self, section: str = "") -> None:
        super().__init__("help", "")
        self._section = section
        self._section_row = 0

    def on_mount(self) -> None:
        """Scroll to the section."""
        self.call_after_refresh(self._show_section)

    def _show_section(self) -> None:
        if self.visible_lines:
            self.scroll_to(y=self._section_row, animate=False)

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lines of the whole page."""
        lines: list[StyledLine] = []
        names = get_explorer_app(self).key_names
        for group, actions in GROUPS.items():
            lines += [[], [StyledText(group, "current")]]
            for action in actions:
                lines += _entry_lines(" ".join(names[action.id]), action.tooltip, width)
        lines += [[], [StyledText("In the panels", "current")]]
        for name, text in _PANES.items():
            if name == self._section:
                self._section_row = len(lines) - 1  # the first line is left out
            lines += _entry_lines(
                name, text, width, "current" if name == self._section else "strong"
            )
        lines += [[], [StyledText("The stages", "current")]]
        for stage, text in STAGES.items():
            first, *others = list_stage_names(stage)
            also = f" Or {', '.join(others)}." if others else ""
            lines += _entry_lines(f"{first} …" if others else first, text + also, width)
        lines += [[], [StyledText("Glyphs", "current")]]
        for flag, text in _GLYPH_WORDS.items():
            lines += _entry_lines(GLYPHS[flag], f"{flag}: {text}", width)
        lines += _entry_lines("≠", "the two answers, or the pinned evaluation, differ here", width)
        for glyph, text in _MARKS.items():
            lines += _entry_lines(glyph, text, width)
        lines += [[], *_wrap_text(_KEYMAP, width)]
        return lines[1:]


_KEYMAP = (
    'Keys can be changed: write a line such as  step.next = "j"  for an action\'s id into '
    "keys.toml in ptxscope's configuration folder. The ids are: "
    + ", ".join(action.id for action in ACTIONS)
    + "."
)


_BESIDE = 36
"""Minimum columns for a description beside its name."""


def _entry_lines(name: str, text: str, width: int, ink: str = "strong") -> Iterator[StyledLine]:
    if width < _BESIDE:
        yield [StyledText(f"  {name}", ink)]
        yield from ([StyledText(f"    {line}")] for line in textwrap.wrap(text, max(width - 4, 12)))
        return
    for i, line in enumerate(textwrap.wrap(text, width - 16)):
        yield [StyledText(f"  {name if i == 0 else '':<13} ", ink), StyledText(line)]


def _wrap_text(text: str, width: int) -> Iterator[StyledLine]:
    for line in textwrap.wrap(text, max(width, 12)):
        yield [StyledText(line, "dim")]
