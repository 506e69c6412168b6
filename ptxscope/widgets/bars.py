"""The bars: the result, and the keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from textual import events
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import key_to_character
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from ..engine.text.errors import printable
from ..engine.text.values import hex_text
from ..engine.tracing.divergence import Divergence, divergence_of
from ..engine.tracing.trace import Trace
from ..engine.tracing.words import reading
from ..keys import key_name
from .pane import Line, Pane, Piece

VEIL = "▁"
"""Stands for each character of what is held back."""
_NAME_LENGTHS = (1 << 16, 16, 8, 4)
"""Characters of a destination's name, the first that leave room for its value."""


class ResultBar(Pane, can_focus=False):
    """The destinations' bits, and whether the answers part.

    One line, or two where a pin would not fit: as many whatever the values, pinned or not.
    """

    DEFAULT_CSS = """
    ResultBar { height: auto; border: none; padding: 0 1; overflow: hidden; background: $panel; }
    """

    class Asked(Message):
        """What is held back is to be seen."""

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
            (self._values(self._trace, length, readings), self._badge(self._trace, length, models))
            for length in _NAME_LENGTHS
            for readings in (True, False)
            for models in ("model ", "")
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
        badge = len(f"isa ≠ ptxas-13.5  ({ids})") + told if ids else len("ptxas-13.5 = isa")
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
            line.append(Piece(f"{self._key} ", "current", "veil"))
            line.append(Piece("shows it   ", "dim", "veil"))
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

    def _badge(self, trace: Trace, longest: int, lead: str) -> Line:
        model = trace.model.name
        if not self._divergences:
            said = f"{lead}{model}; isa = ptxas" if lead else f"{model} = isa"
            return [Piece("isa = ptxas" if said == "isa = isa" else said, "good")]
        divergence = divergence_of(trace, self._divergences) or self._divergences[0]
        ids = ", ".join(erratum.id for erratum in divergence.errata)
        same = trace.result == divergence.isa.result
        other = divergence.other if same else divergence.isa
        first = Piece(f"{lead}{model} ≠ {other.model.name} ", "clamped")
        told = self._told(other, longest, "clamped")
        return [first, *told, Piece(f" ({ids})", "clamped")]

    def clicked(self, target: object) -> None:
        """Show what is held back."""
        self.post_message(self.Asked())


def _wide(line: Line) -> int:
    return sum(len(piece.text) for piece in line)


def _short(name: str, longest: int) -> str:
    """A name, its middle left out where it is too long."""
    name = printable(name)
    if len(name) <= longest:
        return name
    return f"{name[: longest // 2]}…{name[len(name) - (longest - 1) // 2 :]}"


class Key(NamedTuple):
    """A key, or several that do much the same, in the footer."""

    names: tuple[tuple[str, str], ...]
    """How each is called, and the action it means."""
    label: str
    tooltip: str = ""
    node: DOMNode | None = None
    """Whose action it is; None: the screen's."""

    @property
    def is_arrows(self) -> bool:
        """Whether it is arrows, which one tries anyway."""
        return all(name in "←→↑↓" for name, _ in self.names)

    @property
    def width(self) -> int:
        """Columns that it takes."""
        return sum(len(name) for name, _ in self.names) + 1 + len(self.label)


class KeyBar(Pane, can_focus=False):
    """The keys that act here; a click does what the key does."""

    DEFAULT_CSS = """
    KeyBar {
        dock: bottom; height: 1; border: none; padding: 0 1; overflow: hidden; background: $panel;
    }
    """
    LABELLED = (90, 70)
    """Columns from which on the last that always stands there is labelled, and the one before."""

    class Pressed(Message):
        """A key of the bar was clicked."""

        def __init__(self, action: str, node: DOMNode | None) -> None:
            super().__init__()
            self.action, self.node = action, node

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

        The screen's follow where all of the focus's have room.
        """
        always = list(self._always)
        for at, room in enumerate(self.LABELLED, 1):
            if width < room and at <= len(always):
                always[-at] = always[-at]._replace(label="")
        right = [piece for key in always for piece in _pieces(key)]
        if right:
            right[-1] = right[-1]._replace(text=right[-1].text.rstrip())
        room = width - _wide(right)
        line: Line = []
        whole = True
        for key in self._here:
            fits = _wide(line) + key.width + 2 <= room
            if fits and (whole or key.node):
                line += _pieces(key)
            whole = whole and fits
        return [[*line, Piece(" " * max(room - _wide(line), 0)), *right]]

    def clicked(self, target: object) -> None:
        """Do what the key does."""
        if isinstance(target, tuple):
            self.post_message(self.Pressed(*target))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The tooltip of the key under the mouse."""
        target = self.target_at(event.x, event.y)
        keys = (*self._here, *self._always)
        tips = {(action, key.node): key.tooltip for key in keys for _, action in key.names}
        self.tooltip = tips.get(target) if isinstance(target, tuple) else None


def _pieces(key: Key) -> Line:
    """A key with two blanks behind it."""
    line = [Piece(name, "current", (action, key.node)) for name, action in key.names]
    target = (key.names[-1][1], key.node)
    label = f" {key.label}  " if key.label else "  "
    return [*line, Piece(label, "dim", target)]


# --- which keys act where something has the focus ----------------------------------------

_PACKAGE = __name__.partition(".")[0]
_EVERYWHERE = frozenset({"pageup", "pagedown"})
"""Keys that nobody needs to be told of."""
_ARROWS = frozenset({"up", "down", "left", "right"})


def keys_of(focus: Widget) -> list[Key]:
    """The keys that a widget with the focus, and those around it, have of their own.

    Signs of one action that take different ways stand together: ``↑↓ move``.
    """
    groups: dict[tuple[DOMNode, str], list[Binding]] = {}
    for binding, node in _own_bindings(focus):
        name = binding.action.partition("(")[0]
        name = "scroll" if name.startswith("scroll_") else name
        group = groups.setdefault((node, name), [])
        if all(binding.action != other.action for other in group):
            group.append(binding)
    found: list[Key] = []
    for (node, name), group in groups.items():
        together = all(len(key_name(binding.key)) == 1 for binding in group)
        parts = [group] if together else [[binding] for binding in group]
        found += (_key(name, part, node) for part in parts)
    if isinstance(focus, Input) and all(key.names[0][0] != "Enter" for key in found):
        found.append(Key((("Enter", "submit"),), "done", "That is what was meant", focus))
    return found


def _own_bindings(focus: Widget) -> Iterator[tuple[Binding, DOMNode]]:
    """The explorer's own bindings on the way from a widget up to its screen, and whose they are.

    Where a class shows some of its bindings, those alone, and arrows.
    """
    taken: set[str] = set(_EVERYWHERE)
    for node in _way(focus):
        for cls in type(node).__mro__:
            if cls.__module__.partition(".")[0] != _PACKAGE:
                continue
            given = [x for x in cls.__dict__.get("BINDINGS", ()) if isinstance(x, Binding)]
            some = any(binding.show for binding in given)
            for binding in given:
                keys = [key.strip() for key in binding.key.split(",")]
                free = [key for key in keys if key not in taken]
                if node is not focus:
                    free = [key for key in free if not _consumes(focus, key)]
                taken.update(keys)
                is_told = binding.show or not some or keys[0] in _ARROWS
                if free and binding.description and is_told:
                    yield Binding(free[0], binding.action, binding.description), node


def acts_behind(focus: Widget | None, key: str) -> bool:
    """Whether a key comes to the screen from what has the focus."""
    if focus is None:
        return True
    if _consumes(focus, key):
        return False
    return all(key not in node._bindings.key_to_bindings for node in _way(focus))


def _way(focus: Widget) -> Iterator[DOMNode]:
    """From a widget up to its screen, which is left out."""
    return takewhile(lambda node: not isinstance(node, Screen), focus.ancestors_with_self)


def _consumes(widget: Widget, key: str) -> bool:
    """Whether a widget takes a key as text."""
    name = key_name(key)
    sign = name if len(name) == 1 and name.isascii() else key_to_character(key)
    return widget.check_consume_key(key, sign)


def _key(name: str, group: Sequence[Binding], node: DOMNode) -> Key:
    names = tuple((key_name(binding.key), binding.action) for binding in group)
    said = [binding.description for binding in group]
    label = said[0][:1].lower() + said[0][1:] if len(said) == 1 else _common(said, name)
    return Key(names, label, ", ".join(said), node)


def _common(said: Sequence[str], name: str) -> str:
    """The words that descriptions end in; else the action's name."""
    kept: list[str] = []
    for words in zip(*(reversed(text.split()) for text in said), strict=False):
        if len(set(words)) > 1:
            break
        kept.insert(0, words[0])
    return " ".join(kept) or name.replace("_", " ")
