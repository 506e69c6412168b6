"""The menu of keys: every key and action, a filter, and a legend of signs and colours."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Input

from ...state.actions import ACTIONS, GROUPS, Action
from ...state.requests import MenuItem
from ...widgets.base.explorer_app import PostedMessage, get_explorer_app
from ...widgets.base.form_fields import LabelledInput, Menu
from ...widgets.base.pane import Pane, StyledLine, StyledText, measure_line
from ...widgets.base.theme_styles import COLOUR_ROLES
from ...widgets.footer import FooterKey, list_keys
from ..screen_part import ScreenPart
from .dialog import Dialog, DialogFrame

if TYPE_CHECKING:
    from ...state.explorer_state import ExplorerState


class KeyItem(NamedTuple):
    """A key, keys with one effect, or an action without a key."""

    group: str
    keys: str
    label: str
    sentence: str
    call: str
    """The action of the first key, in Textual's syntax."""
    node: DOMNode
    """The node of the action."""
    refusal: str = ""
    """The reason why it is not possible now."""


def list_items(main: Screen[None], state: ExplorerState) -> list[KeyItem]:
    """Return the keys of the focus and of the top screen, then the actions of the table.

    Over a screen that does not show their effects, only the program's actions are listed.
    """
    screen: Screen[object] = main.app.screen
    keys = list_keys(screen.focused or screen, is_whole=True)
    items = [_make_panel_item(key, key.node) for key in keys if key.node and key.node is not main]
    has_effects = screen is main or isinstance(screen, ScreenPart)
    for group, actions in GROUPS.items():
        if has_effects or group == "Program":
            others = (x for x in actions if x.id not in ("help", "palette"))
            items += (_make_table_item(group, x, main, state) for x in others)
    return items


def _make_panel_item(key: FooterKey, node: DOMNode) -> KeyItem:
    id_ = re.search(r"do\('([\w.]+)'", key.names[0][1])
    sentence = ACTIONS[id_[1]].tooltip if id_ else key.tooltip
    if sentence.casefold() == key.label.casefold():
        sentence = ""
    names = key.separator.join(name for name, _ in key.names)
    titles = (type(x).BINDING_GROUP_TITLE for x in node.ancestors_with_self)
    group = next(filter(None, titles), "Here")
    return KeyItem(group, names, key.label, sentence, key.names[0][1], node)


def _make_table_item(
    group: str, action: Action, main: Screen[None], state: ExplorerState
) -> KeyItem:
    app = get_explorer_app(main)
    names = " ".join(app.key_names[action.id]) if app.action_keys[action.id] else ""
    call = action.format_call(1 if action.is_numbered else 0)
    refusal = action.find_refusal(state)
    why = refusal.text if refusal else ""
    return KeyItem(group, names, action.label, action.tooltip, call, main, why)


def filter_items(items: Sequence[KeyItem], query: str) -> list[KeyItem]:
    """Return the items whose name and sentence contain all words of a query, in order."""
    words = query.casefold().split()
    return [x for x in items if all(y in f"{x.label} {x.sentence}".casefold() for y in words)]


def find_best(items: Sequence[KeyItem], query: str) -> int:
    """Return the index of the item with the name most similar to a query, by default the first.

    Ties favour actions that are possible now.
    """
    name = " ".join(query.casefold().split())
    labels = [(x.label.casefold(), not x.refusal) for x in items]
    ranks = [(x == name, x.startswith(name), name in x, possible) for x, possible in labels]
    return ranks.index(max(ranks)) if name and ranks else 0


_WIDE_COLUMNS = 60
"""Minimum columns for an item's sentence beside its name."""
_KEY_COLUMNS = 10
"""Maximum columns of keys beside a name; longer ones move it."""


class KeyList(Menu, can_focus=False):
    """The items by group; Enter in the filter runs the item under the cursor."""

    class CallChosen(PostedMessage):
        """Posted when an action is chosen."""

        control: KeyList
        action: str
        node: DOMNode

    def __init__(self, items: Sequence[KeyItem]) -> None:
        super().__init__("", ())
        self._all_items, self._query = items, ""
        self.key_items: Sequence[KeyItem] = ()
        """The items that match the filter."""
        self.filter("")

    def filter(self, query: str) -> None:
        """Show the items that match a query, with the cursor on the best."""
        self.key_items = filter_items(self._all_items, query)
        self.items = [MenuItem(x.label) for x in self.key_items]
        self.index = find_best(self.key_items, query)
        self.set_title(f"{len(self.items)} of {len(self._all_items)}")
        self.redraw_lines()
        if self.is_mounted:
            self.scroll_to(y=0, animate=False)
            self.show_target(self.index)

    def draw(self, width: int) -> list[StyledLine]:
        """Return a row for each item, or several rows if its sentence does not fit."""
        is_wide = width >= _WIDE_COLUMNS
        group_columns = max((len(x.group) for x in self._all_items), default=0) + 2
        key_columns = min(max((len(x.keys) for x in self._all_items), default=0), _KEY_COLUMNS)
        label_columns = max((len(x.label) for x in self._all_items if x.sentence), default=0)
        text_column = group_columns + key_columns + label_columns + 5 if is_wide else 4
        lines: list[StyledLine] = []
        heading = ""
        for index, item in enumerate(self.key_items):
            group, heading = "" if item.group == heading else item.group, item.group
            if group and not is_wide:
                lines.append([StyledText(group, "strong")])
            is_chosen = index == self.index
            mark = "▸" if is_chosen else " "
            lead = group.ljust(group_columns - 1) if is_wide else " "
            style_name = f"{'off' if item.refusal else 'strong'} {'cursor' * is_chosen}".strip()
            line = [
                StyledText(mark, "focus", index),
                StyledText(lead, "quiet", index),
                StyledText(item.keys.ljust(key_columns if is_wide else 0) + " ", "focus", index),
                StyledText("×" if item.refusal else " ", "quiet", index),
                StyledText(item.label, style_name, index),
            ]
            is_refused = is_chosen and bool(item.refusal)
            text, text_style = item.sentence, "quiet"
            if is_refused:
                text, text_style = f"× {item.refusal.removeprefix('× ')}", ""
            parts = textwrap.wrap(text, max(width - text_column, 8))
            if is_wide and parts:
                room = max(text_column - measure_line(line), 1)
                line += [
                    StyledText(" " * room, "", index),
                    StyledText(parts.pop(0), text_style, index),
                ]
            lines.append(line)
            blank = StyledText(" " * text_column)
            lines += ([blank, StyledText(part, text_style, index)] for part in parts)
        return lines or [[StyledText("nothing fits", "quiet")]]

    def action_choose(self) -> None:
        """Choose the item under the cursor, if it is possible now."""
        if self.items and not (item := self.key_items[self.index]).refusal:
            self.post_message(self.CallChosen(self, item.call, item.node))


_KEYS = "↑↓ choose · Enter run it · Esc {}"
_LEGEND = (
    *((((x.signs[0], x.name),), x.name, x.meaning) for x in COLOUR_ROLES if x.signs),
    ((("▐64▌", "chip-a2"), ("▐64▌", "chip-b2"), ("▐64▌", "chip-c")), "abc", "parts of a, b and c"),
    ((("▒ff", ""),), "sign", "copies of the sign, added above"),
    ((("░00", ""),), "zeros", "zeros, added above"),
)
"""Signs in their styles, with short names and meanings."""


class Legend(Pane, can_focus=False):
    """The meaning of signs and colours: a column, or their names in a row."""

    COLUMNS = 28
    """Columns of the column."""

    def __init__(self) -> None:
        super().__init__("legend", "Colours")

    def draw(self, width: int) -> list[StyledLine]:
        """Return the roles of colours, then the parts of pictures."""
        lines: list[StyledLine] = [[]]
        for signs, name, about in _LEGEND:
            sign = [StyledText(text, style_name) for text, style_name in signs]
            if width > self.COLUMNS:
                if measure_line(lines[-1]) + measure_line(sign) + len(name) + 1 > width:
                    lines.append([])
                lines[-1] += [*sign, StyledText(f" {name}  ")]
            else:
                lines.append([*sign, StyledText(f" {name}")])
                texts = textwrap.wrap(about, max(width - 2, 8))
                lines += [[StyledText(f"  {text}", "quiet")] for text in texts]
        return lines


class KeyMenu(Dialog[tuple[str, DOMNode]]):
    """The keys of the focus, then all actions; it returns an action to run, and its node.

    Typing filters them; the listed keys have no effect here.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(ACTIONS[x].keys, "close", "Leave", show=False, id=x)
            for x in ("help", "palette")
        ),
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("pageup", "move(-10)", "Far up", show=False),
        Binding("pagedown", "move(10)", "Far down", show=False),
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (50, "-normal"), (110, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-high")]  # noqa: RUF012
    DEFAULT_CSS = """
    KeyMenu {
        & DialogFrame { height: 94%; }
        & KeyList, & Legend { width: 1fr; height: 1fr; }
        & Legend { height: auto; }
        &.-wide #keys-body { layout: horizontal; }
        &.-wide Legend { width: 30; height: 100%; }
        &.-narrow Legend, &.-low Legend { display: none; }
    }
    """

    def __init__(self, items: Sequence[KeyItem]) -> None:
        super().__init__()
        self._items = items

    def compose(self) -> ComposeResult:
        """Yield the filter, the list and the legend."""
        with DialogFrame("Keys", _KEYS.format("leave")):
            yield LabelledInput("filter", "filter-keys", hint="words of a name, or of a sentence")
            with Vertical(id="keys-body"):
                yield KeyList(self._items)
                yield Legend()

    def on_mount(self) -> None:
        """Focus the filter."""
        super().on_mount()
        self.set_focus(self.query_one(Input))

    def action_move(self, delta: int) -> None:
        """Move the cursor of the list."""
        self.query_one(KeyList).action_move(delta)

    def action_leave(self) -> None:
        """Clear the filter, or close."""
        filter_input = self.query_one(Input)
        if not filter_input.value:
            self.action_close()
        filter_input.value = ""

    def action_close(self) -> None:
        """Close without an action."""
        self.close_with(None)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter the list."""
        self.query_one(KeyList).filter(event.value)
        keys = _KEYS.format("clear" if event.value else "leave")
        self.query_one(DialogFrame).border_subtitle = keys

    def on_input_submitted(self) -> None:
        """Choose the item under the cursor."""
        self.query_one(KeyList).action_choose()

    def on_key_list_call_chosen(self, event: KeyList.CallChosen) -> None:
        """Return the action."""
        self.close_with((event.action, event.node))
