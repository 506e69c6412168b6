"""The table of the explorer's actions; keys, menu and footer are made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..engine.records import FrozenDict
from ..feature import FeatureError, Key, arrange, leave_out, list_features, load
from . import answer_transitions as answers
from . import edit_transitions as changes
from . import listing_transitions as listings
from . import step_transitions as steps
from .explorer_state import ExplorerState
from .requests import Focus, Requests, ShowHint, Transition, act, refuse


def _allow(_: ExplorerState) -> None:
    """The condition of an action that is always possible."""


class Action(NamedTuple):
    """An action of the explorer's user."""

    id: str
    """The id of the action in a key map."""
    keys: str
    """The keys that trigger it, in Textual's names, separated by commas; empty for a rare one."""
    label: str
    """One or two words, for the footer."""
    tooltip: str
    """A sentence, for the menu of keys."""
    run: Transition
    """Changes the state, and returns requests to the user interface."""
    arguments: tuple[object, ...] = ()
    is_numbered: bool = False
    """Whether each of its keys passes its number, from 1."""
    check: Callable[[ExplorerState], ShowHint | None] = _allow
    """The condition of the action: returns why it is not possible now, or None."""
    footer: str = ""
    """The property of a widget by which the footer shows the key while the widget has the focus."""
    reveals: str = ""
    """The part that it opens, such as ``A sweep``, if that reveals the result.

    It is then refused during a prediction, and otherwise reveals a hidden result.
    """
    is_everywhere: bool = False
    """Whether its keys also work in dialogs and other screens."""

    def perform(self, state: ExplorerState, number: int = 0) -> Requests:
        """Run it, or explain why it is not possible; ``number`` is its key's, if it is numbered."""
        if why := self.find_refusal(state):
            yield why
        else:
            if self.reveals:
                state.reveal_hidden_result()
            yield from self.run(state, *((number,) if number else self.arguments)) or ()

    def find_refusal(self, state: ExplorerState) -> ShowHint | None:
        """Return why it is not possible now; None if it is."""
        if self.reveals and state.is_predicting:
            text = f"{self.reveals} would reveal the answer"
            return ShowHint(text, keys=(steps.STOP_PREDICTING,))
        return self.check(state)

    def format_call(self, number: int = 0) -> str:
        """Return Textual's call of the action; ``number`` is its key's."""
        return f"do('{self.id}', {number})" if number else f"do('{self.id}')"


def _focus(state: ExplorerState, id_: str) -> Requests:
    if state.hint.text:  # of something else
        yield ShowHint()
    yield Focus(id_)


def _turn(take: Transition) -> Transition:
    """Return a transition with the number of a key: the first goes forward, the second back."""
    return lambda state, number: take(state, {1: 1, 2: -1}[number])


_OWN_GROUPS: dict[str, tuple[Action, ...]] = {
    "Steps": (
        Action("step.next", "n,right", "next", "Reveal the next step", steps.move_by, (1,)),
        Action("step.back", "N,left", "back", "Go back a step", steps.move_by, (-1,)),
        Action("step.first", "home", "first", "Go to the first step", steps.go_to_block_step, (1,)),
        Action(
            "step.play",
            "space",
            "play",
            "Play the steps at a reader's pace, or pause",
            steps.toggle_playing,
        ),
        Action("step.last", "a,end", "all", "Reveal every step", steps.go_to_end),
        Action(
            "step.number",
            "1,2,3,4,5,6,7,8,9",
            "step",
            "Go to that step",
            steps.go_to_step,
            is_numbered=True,
        ),
        Action(
            "step.result",
            "d",
            "result",
            "Show the result before its step, or hide it",
            steps.toggle_result,
            check=steps.check_result,
        ),
        Action(
            "step.motion",
            "",
            "motion",
            "Draw each step bit by bit, or at once",
            act,
            ("toggle_motion",),
        ),
    ),
    "See": (
        Action("go.lanes", "l", "lanes", "Move a cursor over the lanes", _focus, ("lanes",)),
        Action(
            "lanes.page",
            "pagedown,pageup",
            "page",
            "Scroll the lanes down or up",
            _turn(lambda state, delta: act(state, "scroll_lanes", delta)),
            is_numbered=True,
        ),
        Action("model", "t", "model", "Switch between isa and ptxas", changes.switch_model),
        Action(
            "explain",
            "x",
            "why?",
            "Explain an unexpected result",
            answers.explain,
            reveals="An explanation",
        ),
        Action("pin", "equals_sign", "pin", "Pin this evaluation, or unpin it", answers.toggle_pin),
    ),
    "Edit": (
        Action("go.find", "slash", "find", "Find an instruction", _focus, ("filter",)),
        Action("go.line", "i", "line", "Edit the PTX line", _focus, ("line",)),
        Action("go.operands", "o", "operands", "Edit operand values", _focus, ("operands",)),
        Action("go.modifiers", "m", "modifiers", "Change modifiers", _focus, ("modifiers",)),
        Action(
            "edit.undo", "u", "undo", "Undo the last edit", changes.undo, check=changes.check_undo
        ),
        Action(
            "edit.redo",
            "ctrl+r",
            "redo",
            "Redo the last undone edit",
            changes.redo,
            check=changes.check_redo,
        ),
        Action(
            "edit.random",
            "r",
            "random",
            "Random operand values, often edge cases",
            changes.randomize_values,
        ),
        Action("edit.swap", "", "swap", "Swap the values of a and b", changes.swap_operands),
        Action(
            "edit.fix",
            "",
            "fix",
            "Apply the fix that an error offers",
            changes.fix_line,
            check=changes.check_fix,
        ),
        Action("go.picture", "escape", "leave", "Leave a field or a panel", act, ("escape",)),
    ),
    "Learn": (
        Action(
            "predict", "P", "predict", "Predict each lane, step by step", steps.toggle_predicting
        ),
        Action(
            "predict.another",
            "",
            "another one",
            "Predict another line of this family; harder ones after three right ones",
            steps.predict_another,
        ),
        Action(
            "predict.hint",
            "",
            "hint",
            "Show a hint during a prediction",
            steps.give_hint,
            check=steps.check_hint,
        ),
    ),
    "Share": (
        Action("note", "", "note", "Write a note on this step, for exports", answers.write_note),
        Action(
            "export",
            "e",
            "export",
            "Export the trace: text, Markdown, HTML, SVG …",
            answers.export,
            reveals="A document",
        ),
        Action(
            "copy.command", "y", "copy", "Copy the command for this trace", answers.copy_command
        ),
        Action("copy.result", "", "copy result", "Copy the result", answers.copy_result),
    ),
    "Listings": (
        Action("listing.open", "", "open file", "Open a listing or a source", listings.ask_file),
        Action(
            "listing.go", "g", "listing", "Go to the listing, or open one", listings.focus_listing
        ),
        Action(
            "listing.expect",
            "",
            "expect",
            "Find the line that wrote unexpected bits",
            listings.ask_observation,
            check=listings.check_listing,
        ),
        Action(
            "listing.move",
            "right_square_bracket,left_square_bracket",
            "instruction",
            "Go to the next or the previous instruction",
            _turn(listings.go_by),
            is_numbered=True,
        ),
    ),
    "Program": (
        Action(
            "help",
            "question_mark",
            "keys",
            "Show the keys of this panel, and every action",
            act,
            ("open_key_menu",),
            is_everywhere=True,
        ),
        Action(
            "palette",
            "ctrl+p",
            "keys",
            "Find an action by name",
            act,
            ("open_key_menu",),
            is_everywhere=True,
        ),
        Action("theme", "", "theme", "Choose the colours", act, ("choose_theme",)),
        Action(
            "quit", "q", "quit", "Leave the explorer; ^z suspends it, fg resumes", act, ("quit",)
        ),
    ),
}


def make_action(key: Key) -> Action:
    """Return the action of a feature's key; it is refused if its target is missing."""

    def run(state: ExplorerState, *arguments: object) -> Requests:
        try:
            transition: Transition = load(key.run)
        except FeatureError as error:
            yield refuse(error)
        else:
            yield from transition(state, *arguments) or ()

    def check(state: ExplorerState) -> ShowHint | None:
        try:
            condition: Callable[[ExplorerState], ShowHint | None] = load(key.check)
        except FeatureError as error:
            return refuse(error)
        return condition(state)

    allows = check if key.check else _allow
    return Action(
        *(key.id, key.keys, key.label, key.tooltip, run),
        check=allows,
        footer=key.footer,
        reveals=key.reveals,
        is_everywhere=key.is_everywhere,
    )


def _list_added_keys() -> list[Key]:
    """Return the keys of features, without any ids and keys of the core."""
    own = [action for actions in _OWN_GROUPS.values() for action in actions]
    own_ids = {action.id for action in own}
    own_keys = {key for action in own for key in action.keys.split(",")}
    added = []
    for record in (key for feature in list_features() for key in feature.keys):
        keys = record.keys.split(",")
        if record.id in own_ids:
            leave_out(f"action {record.id}", record)
        elif record.group not in _OWN_GROUPS:
            leave_out(f"action {record.id}", record, f"there is no group {record.group}")
        else:
            for key in own_keys.intersection(keys) - {""}:
                leave_out(f"key {key}", record)
            free = (key for key in keys if key not in own_keys)
            added.append(record._replace(keys=",".join(free)))
    return added


def make_groups() -> dict[str, tuple[Action, ...]]:
    """Return the actions of the core and of features, by group."""
    added = _list_added_keys()
    groups = {}
    for group, actions in _OWN_GROUPS.items():
        own = [(action.id, action) for action in actions]
        followers = [(key.id, key) for key in added if key.group == group]
        groups[group] = tuple(x for _, x in arrange(own, followers, make_action))
    return groups


GROUPS = make_groups()
"""All actions, grouped and ordered as in the menu of keys."""

ACTIONS = {action.id: action for group in GROUPS.values() for action in group}
"""All actions by id."""
ADDED_FOOTER = tuple(
    x.id for feature in list_features() for x in feature.keys if x.is_in_footer and x.id in ACTIONS
)
"""The actions of features whose keys the footer and the greeting show."""
FOOTER = (
    *("step.next", "step.back", "step.result", "go.find", "go.line", "go.operands"),
    *("go.modifiers", "model", "explain", *ADDED_FOOTER, "step.last", "pin", "export"),
)
"""The actions whose keys the footer shows while they apply, if there is room."""
FOOTER_GROUPS = {
    **dict.fromkeys(("step.next", "step.back"), "step"),
    **dict.fromkeys(("go.line", "go.operands", "go.modifiers"), "edit"),
    "model": "model",
    "explain": "why?",
}
"""The labels of the actions in the footer at 80 columns; actions with the same label share it."""
FIXED_FOOTER_ACTIONS = (("help", "palette"), ("quit",))
"""Actions that the footer always shows: the first applicable one of each group."""

_NAMES = {
    "slash": "/",
    "question_mark": "?",
    "equals_sign": "=",
    "plus": "+",
    "minus": "-",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "full_stop": ".",
    "comma": ",",
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "right": "→",
    "left": "←",
    "up": "↑",
    "down": "↓",
    "escape": "Esc",
    "enter": "Enter",
    "tab": "Tab",
    "space": "Space",
    "delete": "Del",
    "backspace": "Backspace",
    "home": "Home",
    "end": "End",
    "pageup": "PgUp",
    "pagedown": "PgDn",
}
_MODIFIER_KEYS = {"ctrl+": "^", "alt+": "Alt+", "shift+": "Shift+"}


def format_key(key: str) -> str:
    """Return the displayed name of a key by Textual's name."""
    key = key.strip()
    for prefix, sign in _MODIFIER_KEYS.items():
        if key.startswith(prefix):
            return sign + format_key(key.removeprefix(prefix))
    if key[:1] == "f" and key[1:].isdecimal():
        return key.upper()
    return _NAMES.get(key, key)


def split_keys(action: Action, keys: str) -> list[str]:
    """Return groups of keys with one effect: all keys, or single ones if they are numbered.

    An action without a key gets a placeholder, which the user's key map can replace.
    """
    if not keys:
        return [f"no key: {action.id}"]
    return keys.split(",") if action.is_numbered else [keys]


def make_keymap(user: Mapping[str, str]) -> dict[str, str]:
    """Convert the user's key map to Textual's, by binding id."""
    keymap = dict(user)
    for action in ACTIONS.values():
        if action.is_numbered and action.id in keymap:
            for n, key in enumerate(keymap.pop(action.id).split(","), 1):
                keymap[f"{action.id}.{n}"] = key
    return keymap


def map_keys(keymap: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    """Return Textual's key names by action id, with the changes of the user's key map."""
    return FrozenDict(
        (action.id, tuple(filter(None, map(str.strip, keys.split(",")))))
        for action in ACTIONS.values()
        for keys in [keymap.get(action.id, action.keys)]
    )


def map_key_names(keys: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
    """Return the displayed key names by action id, for the keys that ``map_keys`` returns.

    An action without a key has the key that opens the menu's filter, and its own label.
    """
    names = {id_: tuple(map(format_key, keys)) for id_, keys in keys.items()}
    for action in ACTIONS.values():
        if not names[action.id]:
            names[action.id] = (f"{names['palette'][0]} {action.label}",)
        elif action.is_numbered:
            numbers = names[action.id]
            separator = " … " if action.keys.count(",") > 1 else " "
            names[action.id] = (f"{numbers[0]}{separator}{numbers[-1]}",)
    return FrozenDict(names)
