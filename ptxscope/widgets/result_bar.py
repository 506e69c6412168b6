"""The bars: the result, and the keys."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.dom import DOMNode

from ..engine.syntax.errors import printable
from ..engine.syntax.values import hex_text
from ..engine.tracing.divergence import Divergence, divergence_of
from ..engine.tracing.lane_text import reading
from ..engine.tracing.trace import Trace
from .base.pane import Line, Pane, Piece
from .base.posted_message import Posted
from .footer_keys import Key, group_keys

VEIL = "▁"
"""Stands for each character of what is held back."""
_AGREE = "both answers agree"
_NAME_LENGTHS = (1 << 16, 16, 8, 4)
"""Characters of a destination's name, the first that leave room for its value."""


class ResultBar(Pane, can_focus=False):
    """The destinations' bits, and whether the answers part.

    One line, or two where a pin would not fit: as many whatever the values, pinned or not.
    """

    DEFAULT_CSS = """
    ResultBar { height: auto; border: none; padding: 0 1; overflow: hidden; background: $panel; }
    """

    class Asked(Posted):
        """What is held back is to be seen."""

        control: ResultBar

    def __init__(self, id: str = "result") -> None:  # noqa: A002
        super().__init__(id, "")
        self._trace: Trace | None = None
        self._divergences: tuple[Divergence, ...] = ()
        self._pin: Trace | None = None
        self._key = ""

    def show(
        self,
        trace: Trace,
        divergences: tuple[Divergence, ...],
        pin: Trace | None,
        held_back: str = "",
    ) -> None:
        """Show the result of a trace, how other models differ, and what is pinned.

        ``held_back`` names the key that shows them, where they are not to be seen yet.
        """
        self._trace, self._divergences, self._pin = trace, divergences, pin
        self._key = held_back
        self.redraw()

    def draw(self, width: int) -> list[Line]:
        """Names and bits on the left, the models on the right, or beneath."""
        if self._trace is None:
            return []
        high = self._height(self._trace, width)
        options = [
            (self._values(self._trace, length, readings), self._badge(self._trace, length))
            for length in _NAME_LENGTHS
            for readings in (True, False)
        ]
        fitting = (
            (values, badge)
            for values, badge in options
            if (_wide(values) <= width and _wide(badge) <= width)
            and (high == 2 or _wide(values) + _wide(badge) < width)
        )
        values, badge = next(fitting, options[-1])
        if high == 2:
            return [values, [Piece(" " * (width - _wide(badge))), *badge]]
        gap = width - _wide(values) - _wide(badge)
        return [[*values, Piece(" " * max(gap, 1)), *badge]]

    def _height(self, trace: Trace, width: int) -> int:
        """Lines that the result, a pin and another answer need at most; whatever they are."""
        ins = trace.instruction
        many = len(ins.results)
        names = sum(len(name) for name in ins.results.values())
        bits = sum(len(hex_text(0, ins.type_of(role).bits)) for role in ins.results)
        told = bits if many == 1 else names + bits + 5 * many
        ids = ", ".join(erratum.id for erratum in ins.errata)
        badge = len(f"isa ≠ ptxas-13.5  ({ids})") + told if ids else len(f"ptxas-13.5: {_AGREE}")
        needed = names + bits + 5 * many + len("pin ") + told + 1 + badge
        return 1 if needed <= width else 2

    def _values(self, trace: Trace, longest: int, readings: bool) -> Line:
        """The destinations with their bits, what they mean where that fits, and the pin."""
        ins = trace.instruction
        line: Line = []
        for role, name in ins.results.items():
            bits = trace.result[name]
            said = hex_text(bits, ins.type_of(role).bits)
            line.append(Piece(f"{_short(name, longest)} = ", "label"))
            line.append(self._bits(said, "value"))
            if readings and not self._key:
                line.append(Piece(f"  {reading(ins, role, bits)}", "dim"))
            line.append(Piece("   " if readings else "  "))
        if not line:
            line.append(Piece("nothing is kept: the destination is _  ", "dim"))
        elif self._key and readings:
            line.append(Piece("press ", "dim", "veil"))
            line.append(Piece(self._key, "current", "veil"))
            line.append(Piece(" to see it   ", "dim", "veil"))
        if self._pin:
            line.append(Piece("pin ", "changed"))
            line += self._told(self._pin, longest, "changed")
        elif line:
            line[-1] = line[-1]._replace(text=line[-1].text.rstrip())
        return line

    def _told(self, trace: Trace, longest: int, ink: str) -> Line:
        """A result in short: the bits, with names where there are several."""
        ins = trace.instruction
        line: Line = []
        for role, name in ins.results.items():
            if len(ins.results) > 1:
                line.append(Piece(f"{', ' if line else ''}{_short(name, longest)} = ", ink))
            line.append(self._bits(hex_text(trace.result[name], ins.type_of(role).bits), ink))
        return line

    def _bits(self, text: str, ink: str) -> Piece:
        return Piece(VEIL * len(text), "veil", "veil") if self._key else Piece(text, ink)

    def _badge(self, trace: Trace, longest: int) -> Line:
        model = trace.model.name
        if not self._divergences:
            return [Piece(_AGREE if model == "isa" else f"{model}: {_AGREE}", "good")]
        divergence = divergence_of(trace, self._divergences) or self._divergences[0]
        ids = ", ".join(erratum.id for erratum in divergence.errata)
        same = trace.result == divergence.isa.result
        other = divergence.other if same else divergence.isa
        first = Piece(f"{model} ≠ {other.model.name} ", "clamped")
        told = self._told(other, longest, "clamped")
        return [first, *told, Piece(f" ({ids})", "clamped")]

    def clicked(self, target: object) -> None:
        """Show what is held back."""
        self.Asked(self).tell()


def _wide(line: Line) -> int:
    return sum(len(piece.text) for piece in line)


def _short(name: str, longest: int) -> str:
    """A name, its middle left out where it is too long."""
    name = printable(name)
    if len(name) <= longest:
        return name
    return f"{name[: longest // 2]}…{name[len(name) - (longest - 1) // 2 :]}"


class KeyBar(Pane, can_focus=False):
    """The keys that act here; a click does what the key does."""

    DEFAULT_CSS = """
    KeyBar {
        dock: bottom; height: 1; border: none; padding: 0 1; overflow: hidden; background: $panel;
    }
    """
    LABELLED = (90, 70)
    """Columns from which on the last that always stands there is labelled, and the one before."""

    class Pressed(Posted):
        """A key of the bar was clicked."""

        control: KeyBar
        action: str
        node: DOMNode | None
        """Whose action it is; the screen's where none is said."""

    def __init__(self, id: str = "keys") -> None:  # noqa: A002
        super().__init__(id, "")
        self._here: Sequence[Key] = ()
        self._always: Sequence[Key] = ()

    def show(self, here: Sequence[Key], always: Sequence[Key]) -> None:
        """Show keys as room allows, and at the right those that are always there."""
        if (here, always) != (self._here, self._always):
            self._here, self._always = here, always
            self.redraw()

    def draw(self, width: int) -> list[Line]:
        """As many keys as there is room for, whole; then those that are always there.

        The screen's follow where all of the focus's have room. Where not all that belong to a
        group have room, those of one group share a label.
        """
        always = list(self._always)
        for at, room in enumerate(self.LABELLED, 1):
            if width < room and at < len(always):  # the first is the way out
                always[-at] = always[-at]._replace(label="")
        right = [piece for key in always for piece in _pieces(key)]
        if right:
            right[-1] = right[-1]._replace(text=right[-1].text.rstrip())
        room = width - _wide(right)
        least = max((at for at, key in enumerate(self._here, 1) if key.group), default=0)
        is_roomy = sum(key.width + 2 for key in self._here[:least]) <= room
        line: Line = []
        whole = True
        for key in self._here if is_roomy else group_keys(self._here):
            fits = _wide(line) + key.width + 2 <= room
            if fits and (whole or key.node):
                line += _pieces(key)
            whole = whole and fits
        return [[*line, Piece(" " * max(room - _wide(line), 0)), *right]]

    def clicked(self, target: object) -> None:
        """Do what the key does."""
        if isinstance(target, tuple):
            self.Pressed(self, *target).tell()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The tooltip of the key under the mouse."""
        target = self.target_at(event.x, event.y)
        keys = (*self._here, *self._always)
        tips = {(action, key.node): key.tooltip for key in keys for _, action in key.names}
        self.tooltip = tips.get(target) if isinstance(target, tuple) else None


def _pieces(key: Key) -> Line:
    """A key with two blanks behind it."""
    line: Line = []
    for name, action in key.names:
        if line and key.separator:
            line.append(Piece(key.separator, "dim"))
        line.append(Piece(name, "current", (action, key.node)))
    target = (key.names[-1][1], key.node)
    label = f" {key.label}  " if key.label else "  "
    return [*line, Piece(label, "dim", target)]
