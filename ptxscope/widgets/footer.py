"""The rows at the bottom of the screen: the keys for the focus, and hints."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, takewhile
from time import monotonic
from typing import Any, NamedTuple

from textual import events
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import key_to_character
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from ..state.actions import ACTIONS, FIXED_FOOTER_ACTIONS, FOOTER, FOOTER_GROUPS, format_key
from ..state.requests import REFUSED, WRONG
from .base.explorer_app import Hint, PostedMessage, get_explorer_app
from .base.pane import Pane, StyledLine, StyledText, measure_line


class FooterKey(NamedTuple):
    """A key in the footer, or several with similar effects."""

    names: tuple[tuple[str, str], ...]
    """The displayed name of each key, and its action."""
    label: str
    tooltip: str = ""
    node: DOMNode | None = None
    """The node of the action; None for the screen."""
    group: str = ""
    """The label shared with its neighbours if there is little room."""

    @property
    def separator(self) -> str:
        """The separator between names: a blank between letters, nothing between arrows."""
        return " " if all(name.isalnum() for name, _ in self.names) else ""

    @property
    def is_arrows(self) -> bool:
        """Whether the keys are arrows, which users try anyway."""
        return all(name in "←→↑↓" for name, _ in self.names)

    @property
    def width(self) -> int:
        """The width in columns."""
        names = self.separator.join(name for name, _ in self.names)
        return len(names) + 1 + len(self.label)


_PACKAGE = __name__.partition(".")[0]
_EVERYWHERE = frozenset({"pageup", "pagedown"})
"""Well-known keys."""
_ARROWS = frozenset({"up", "down", "left", "right"})


def list_footer_keys(screen: Screen[Any]) -> tuple[tuple[FooterKey, ...], tuple[FooterKey, ...]]:
    """Return the keys for a screen's focus, and the permanent keys on the right.

    The focus's keys come first, then the screen's. The permanent keys include the one that leaves
    the focus.
    """
    keys, focus = get_explorer_app(screen).action_keys, screen.focused

    def make_named_key(id_: str, key: str) -> FooterKey:
        action = ACTIONS[id_]
        name = ((format_key(key), action.format_call()),)
        return FooterKey(name, action.label, action.tooltip, group=FOOTER_GROUPS.get(id_, ""))

    def list_acting_keys(*ids: str) -> list[FooterKey]:
        shortcut = (next((k for k in keys[id_] if _reaches_screen(focus, k)), None) for id_ in ids)
        return [make_named_key(id_, key) for id_, key in zip(ids, shortcut, strict=True) if key]

    own_keys = list_keys(focus) if focus else []
    exit_keys = [key for key in own_keys if key.names[0][0] == format_key("escape")]
    if focus and not exit_keys:
        exit_keys = list_acting_keys("go.picture")
    own_keys = sorted(
        (key for key in own_keys if key not in exit_keys), key=lambda key: key.is_arrows
    )
    # a key that would be typed is left out or replaced
    reached_keys = [
        next((x for x in action_ids if not (focus and _is_consumed(focus, keys[x][0]))), None)
        for action_ids in FIXED_FOOTER_ACTIONS
    ]
    permanent_keys = [make_named_key(id_, keys[id_][0]) for id_ in reached_keys if id_]
    taken_keys = {name for key in own_keys for name, _ in key.names}
    permanent_keys = [key for key in permanent_keys if key.names[0][0] not in taken_keys]
    own_keys += list_acting_keys(
        *(x.id for x in ACTIONS.values() if x.footer and getattr(focus, x.footer, False))
    )
    return (*own_keys, *list_acting_keys(*FOOTER)), (*exit_keys, *permanent_keys)


def group_keys(keys: Sequence[FooterKey]) -> list[FooterKey]:
    """Combine neighbouring keys of one group."""
    groups: list[FooterKey] = []
    for label, group in groupby(keys, lambda key: key.group):
        members = list(group)
        if label and len(members) > 1:
            names = tuple(name for key in members for name in key.names)
            tooltip = "; ".join(key.tooltip for key in members)
            members = [FooterKey(names, label, tooltip, group=label)]
        groups += members
    return groups


def list_keys(focus: Widget, *, is_whole: bool = False) -> list[FooterKey]:
    """Return the keys of a focused widget and its ancestors for the footer, or all keys.

    Keys for the directions of one action are combined: ``↑↓ move``. All keys include the screen's.
    """
    groups: dict[tuple[DOMNode, str], list[Binding]] = {}
    for binding, node in _iter_own_bindings(focus, is_whole):
        name = binding.action.partition("(")[0]
        name = "scroll" if name.startswith("scroll_") else name
        group = groups.setdefault((node, name), [])
        if all(binding.action != other.action for other in group):
            group.append(binding)
    keys: list[FooterKey] = []
    for (node, name), group in groups.items():
        is_short = all(
            (binding.key in _ARROWS) if is_whole else len(format_key(binding.key)) == 1
            for binding in group
        )
        parts = [group] if is_short else [[binding] for binding in group]
        keys += (_make_key(name, part, node) for part in parts)
    if isinstance(focus, Input) and all(key.names[0][0] != "Enter" for key in keys):
        keys.append(FooterKey((("Enter", "submit"),), "done", "Accept this text", focus))
    return keys


def _iter_own_bindings(focus: Widget, is_whole: bool) -> Iterator[tuple[Binding, DOMNode]]:
    """Yield the explorer's own bindings from a widget up to its screen, and their nodes.

    If a class shows some of its bindings, only those and arrows count. With ``is_whole``, all
    count, including the screen's, except bindings of every screen.
    """
    taken_keys: set[str] = set(_EVERYWHERE)
    for node in (*_iter_ancestors(focus), *([focus.screen] if is_whole else ())):
        for cls in type(node).__mro__:
            if cls.__module__.partition(".")[0] != _PACKAGE:
                continue
            bindings = [x for x in cls.__dict__.get("BINDINGS", ()) if isinstance(x, Binding)]
            if isinstance(node, Screen):
                bindings = [binding for binding in bindings if binding.id is None]
            has_shown = not is_whole and any(binding.show for binding in bindings)
            for binding in bindings:
                keys = [key.strip() for key in binding.key.split(",")]
                free_keys = [key for key in keys if key not in taken_keys]
                if node is not focus:
                    free_keys = [key for key in free_keys if not _is_consumed(focus, key)]
                taken_keys.update(keys)
                is_listed = binding.show or not has_shown or keys[0] in _ARROWS
                label = _format_label(node, binding)
                if free_keys and label and is_listed:
                    yield replace(binding, key=free_keys[0], description=label), node
            if not cls.__dict__.get("_inherit_bindings", True):
                break


def _format_label(node: DOMNode, binding: Binding) -> str:
    """Return a binding's current label, possibly from its node; empty without an effect."""
    format_label: Callable[[str, str], str] | None = getattr(node, "format_key_label", None)
    return (
        format_label(binding.action, binding.description) if format_label else binding.description
    )


def _reaches_screen(focus: Widget | None, key: str) -> bool:
    """Whether a key reaches the screen from the focus."""
    if focus is None:
        return True
    if _is_consumed(focus, key):
        return False
    return all(key not in node._bindings.key_to_bindings for node in _iter_ancestors(focus))


def _iter_ancestors(focus: Widget) -> Iterator[DOMNode]:
    """Yield the nodes from a widget up to its screen, which is excluded."""
    return takewhile(lambda node: not isinstance(node, Screen), focus.ancestors_with_self)


def _is_consumed(widget: Widget, key: str) -> bool:
    """Whether a widget takes a key as text."""
    name = format_key(key)
    sign = name if len(name) == 1 and name.isascii() else key_to_character(key)
    return widget.check_consume_key(key, sign)


def _make_key(name: str, group: Sequence[Binding], node: DOMNode) -> FooterKey:
    names = tuple((format_key(binding.key), binding.action) for binding in group)
    descriptions = [binding.description for binding in group]
    label = (
        descriptions[0][:1].lower() + descriptions[0][1:]
        if len(descriptions) == 1
        else _format_common_words(descriptions, name)
    )
    tooltip = group[0].tooltip or ", ".join(descriptions)
    key = FooterKey(names, label, tooltip, node)
    return key._replace(tooltip=label[:1].upper() + label[1:]) if key.is_arrows else key


def _format_common_words(descriptions: Sequence[str], name: str) -> str:
    """Return the common last words of descriptions, or else the action's name."""
    common_words: list[str] = []
    for words in zip(*(reversed(text.split()) for text in descriptions), strict=False):
        if len(set(words)) > 1:
            break
        common_words.insert(0, words[0])
    return " ".join(common_words) or name.replace("_", " ")


class KeyBar(Pane, can_focus=False):
    """The keys that apply now; a click has the effect of the key."""

    DEFAULT_CSS = """
    KeyBar {
        dock: bottom; height: 1; border: none; padding: 0 1; overflow: hidden; background: $panel;
    }
    """

    class Pressed(PostedMessage):
        """Posted when a key of the bar is clicked."""

        control: KeyBar
        action: str
        node: DOMNode | None
        """The node of the action; None for the screen."""

    def __init__(self) -> None:
        super().__init__("keys", "")
        self._focus_keys: Sequence[FooterKey] = ()
        self._permanent_keys: Sequence[FooterKey] = ()

    def show(self, keys: Sequence[FooterKey], permanent_keys: Sequence[FooterKey]) -> None:
        """Show the keys that fit, and the permanent keys on the right."""
        if (keys, permanent_keys) != (self._focus_keys, self._permanent_keys):
            self._focus_keys, self._permanent_keys = keys, permanent_keys
            self.redraw_lines()

    def draw(self, width: int) -> list[StyledLine]:
        """Return as many whole keys as fit, then the permanent keys.

        The screen's keys follow if all of the focus's fit; a key that does not fit is left out. If
        not all keys of a group fit, they share a label.
        """
        right_pieces = [piece for key in self._permanent_keys for piece in _make_key_pieces(key)]
        if right_pieces:
            right_pieces[-1] = right_pieces[-1]._replace(text=right_pieces[-1].text.rstrip())
        room = width - measure_line(right_pieces)
        minimum = max(
            (index for index, key in enumerate(self._focus_keys, 1) if key.group), default=0
        )
        is_roomy = sum(key.width + 2 for key in self._focus_keys[:minimum]) <= room
        line: StyledLine = []
        is_complete = True
        for key in self._focus_keys if is_roomy else group_keys(self._focus_keys):
            has_room = measure_line(line) + key.width + 2 <= room
            if has_room and (is_complete or key.node):
                line += _make_key_pieces(key)
            is_complete = is_complete and (has_room or key.node is None)
        return [[*line, StyledText(" " * max(room - measure_line(line), 0)), *right_pieces]]

    def handle_click(self, target: object) -> None:
        """Perform the key's action."""
        if isinstance(target, tuple):
            self.post_message(self.Pressed(self, *target))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Show the tooltip of the key under the mouse."""
        target = self.find_target(event.x, event.y)
        keys = (*self._focus_keys, *self._permanent_keys)
        tips = {(action, key.node): key.tooltip for key in keys for _, action in key.names}
        self.tooltip = tips.get(target) if isinstance(target, tuple) else None


def _make_key_pieces(key: FooterKey) -> StyledLine:
    """Return a key with two blanks after it."""
    line: StyledLine = []
    for name, action in key.names:
        if line and key.separator:
            line.append(StyledText(key.separator, "quiet"))
        line.append(StyledText(name, "focus", (action, key.node)))
    target = (key.names[-1][1], key.node)
    return [*line, StyledText(f" {key.label}  ", "quiet", target)]


class HintBar(Pane, can_focus=False):
    """A permanent row, so that nothing moves when a hint appears.

    Last parts of a line that do not fit are left out. A single part that needs more rows covers the
    rows above; a text of several lines has separate rows.
    """

    DEFAULT_CSS = """
    HintBar {
        dock: bottom; layer: over; margin-bottom: 1;
        height: auto; min-height: 1; border: none; padding: 0 1; overflow: hidden;
    }
    """
    SEPARATOR = " · "
    FIRM = 4.0
    """Seconds during which the focus's hints do not replace a sticky hint."""
    READING_SECONDS = 1.0
    """Seconds during which only messages replace it, because a click may also cause an edit."""

    def __init__(self) -> None:
        super().__init__("hint", "")
        self._message = ("", "")
        self._message_source: Widget | None = None
        self._firm_since = -self.FIRM

    def show_message(
        self,
        text: str,
        style: str = "quiet",
        widget: Widget | None = None,
        *,
        is_sticky: bool = False,
    ) -> None:
        """Show a text; its most important part comes first."""
        self._message_source = widget
        self._firm_since = monotonic() if is_sticky else -self.FIRM
        if (text, style) != self._message:
            self._message = text, style
            self.set_class(text.startswith((REFUSED, WRONG)), "-refused")
            self.screen.set_class("\n" in text, "-greeting")
            self.redraw_lines()

    def show_widget_hint(self, hint: Hint) -> None:
        """Show a widget's hint; only the widget that posted a hint withdraws it."""
        if not hint.text and hint.control is not self._message_source:
            return
        if self._age >= self.FIRM or hint.text.startswith((REFUSED, WRONG)):
            self.show_message(hint.text, "", hint.control)

    def clear_widget_hint(self) -> None:
        """Clear a widget's hint when nothing has the focus."""
        if self._message_source is not None:
            self.clear()

    def clear(self) -> None:
        """Clear the hint; a new hint stays for a while, because a click may cause an edit."""
        if self._age >= self.READING_SECONDS:
            self.show_message("")
        else:
            self.set_timer(self.FIRM - self._age, partial(self._clear_hint_since, self._firm_since))

    def _clear_hint_since(self, firm_since: float) -> None:
        """Clear the hint of a time, unless another has replaced it."""
        if firm_since == self._firm_since:
            self.show_message("")

    @property
    def _age(self) -> float:
        """Seconds since a sticky hint was shown."""
        return monotonic() - self._firm_since

    def draw(self, width: int) -> list[StyledLine]:
        """Return the parts of each line that fit; the first is wrapped if necessary."""
        text, style_name = self._message
        rows: list[str] = []
        for line in text.split("\n"):
            parts = line.split(self.SEPARATOR)
            while len(parts) > 1 and len(self.SEPARATOR.join(parts)) > width:
                parts.pop()
            line = self.SEPARATOR.join(parts)
            rows += textwrap.wrap(line, max(width, 12), break_on_hyphens=False)
        return [[StyledText(row, style_name)] for row in rows or [""]]
