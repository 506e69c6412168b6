"""The one-line bars: the result, and the keys."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.message import Message

from ..engine.text.values import hex_text
from ..engine.tracing.divergence import Divergence, divergence_of
from ..engine.tracing.trace import Trace
from ..engine.tracing.words import reading, result_text
from .pane import Line, Pane, Piece


class ResultBar(Pane, can_focus=False):
    """The destinations' bits, and whether the answers part."""

    DEFAULT_CSS = """
    ResultBar { height: 1; border: none; padding: 0 1; overflow: hidden; background: $panel; }
    """

    def __init__(self, id: str = "result") -> None:  # noqa: A002
        super().__init__(id, "")
        self._trace: Trace | None = None
        self._divergences: tuple[Divergence, ...] = ()
        self._pin: Trace | None = None

    def show(self, trace: Trace, divergences: tuple[Divergence, ...], pin: Trace | None) -> None:
        """Show the result of a trace, how other models differ, and what is pinned."""
        self._trace, self._divergences, self._pin = trace, divergences, pin
        self.redraw()

    def draw(self, width: int) -> list[Line]:
        """Names and bits on the left, the models on the right."""
        if self._trace is None:
            return []
        ins = self._trace.instruction
        line: Line = []
        for role, name in ins.results.items():
            bits = self._trace.result[name]
            line.append(Piece(f"{name} = ", "label"))
            line.append(Piece(hex_text(bits, ins.type_of(role).bits), "value"))
            line.append(Piece(f"  {reading(ins, role, bits)}   ", "dim"))
        if not line:
            line.append(Piece("nothing is kept: the destination is _ ", "dim"))
        if self._pin:
            line.append(Piece(f"pin {result_text(self._pin)}   ", "changed"))
        badge = self._badge(self._trace)
        used = sum(len(piece.text) for piece in line)
        gap = width - used - len(badge.text)
        return [[*line, Piece(" " * max(gap, 1)), badge]]

    def _badge(self, trace: Trace) -> Piece:
        model = trace.model.name
        if not self._divergences:
            return Piece(f"model {model}; isa = ptxas", "good")
        divergence = divergence_of(trace, self._divergences) or self._divergences[0]
        ids = ", ".join(erratum.id for erratum in divergence.errata)
        same = trace.result == divergence.isa.result
        other = divergence.other if same else divergence.isa
        said = f"model {model} ≠ {other.model.name} {result_text(other)} ({ids})"
        return Piece(said, "clamped")


class KeyBar(Pane, can_focus=False):
    """The keys worth knowing now; a click does what the key does."""

    DEFAULT_CSS = """
    KeyBar {
        dock: bottom; height: 1; border: none; padding: 0 1; overflow: hidden; background: $panel;
    }
    """

    class Pressed(Message):
        """A key of the bar was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, id: str = "keys") -> None:  # noqa: A002
        super().__init__(id, "")
        self._keys: Sequence[tuple[str, str, str, str]] = ()

    def show(self, keys: Sequence[tuple[str, str, str, str]]) -> None:
        """Show keys: how the key is called, what it does, the action, a sentence on it."""
        self._keys = keys
        self.redraw()

    def draw(self, width: int) -> list[Line]:
        """As many keys as there is room for."""
        line: Line = []
        used = 0
        for key, label, action, _ in self._keys:
            text = f"{key} {label}  "
            if used + len(text) > width + 2:
                break
            line += [Piece(f"{key} ", "current", action), Piece(f"{label}  ", "dim", action)]
            used += len(text)
        return [line]

    def clicked(self, target: object) -> None:
        """Do what the key does."""
        self.post_message(self.Pressed(str(target)))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The tooltip of the key under the mouse."""
        target = self.target_at(event.x, event.y)
        tips = {action: tooltip for _, _, action, tooltip in self._keys}
        self.tooltip = tips.get(str(target))
