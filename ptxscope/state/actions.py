"""The table of the explorer's actions; keys, palette, footer and help are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from textual.binding import Binding, BindingType

from ..engine.records import FrozenDict


class Action(NamedTuple):
    """An action of the explorer's user."""

    id: str
    """The id of the action in a key map."""
    keys: str
    """The keys that trigger it, as Textual names them, separated by commas; none for a rare one."""
    action: str
    label: str
    """One or two words, for the footer."""
    tooltip: str
    """A sentence, for help and palette."""

    @property
    def is_numbered(self) -> bool:
        """Whether each of its keys passes a number, from 1, as ``{n}``."""
        return "{n}" in self.action

    @property
    def is_command(self) -> bool:
        """Whether the palette lists it: every action but the palette itself and numbered ones."""
        return not self.is_numbered and self.id != "palette"


GROUPS: dict[str, tuple[Action, ...]] = {
    "Steps": (
        Action("step.next", "n,right", "step(1)", "next", "Reveal the next step"),
        Action("step.back", "N,left", "step(-1)", "back", "Go back a step"),
        Action("step.first", "home", "step_to('first')", "first", "Go to the first step"),
        Action("step.play", "space", "play", "play", "Play the steps at a reader's pace, or pause"),
        Action("step.last", "a,end", "step_to('last')", "all", "Reveal every step"),
        Action("step.number", "1,2,3,4,5,6,7,8,9", "step_to({n})", "step", "Go to that step"),
        Action(
            "step.result",
            "d",
            "result",
            "result",
            "Show the result before its step, or hide it",
        ),
        Action("step.motion", "", "motion", "motion", "Draw each step bit by bit, or at once"),
    ),
    "Go to": (
        Action("go.find", "slash", "focus_on('filter')", "find", "Find an instruction"),
        Action("go.line", "i", "focus_on('line')", "line", "Edit the PTX line"),
        Action("go.operands", "o", "focus_on('operands')", "operands", "Edit operand values"),
        Action("go.modifiers", "m", "focus_on('modifiers')", "modifiers", "Change modifiers"),
        Action("go.lanes", "l", "focus_on('lanes')", "lanes", "Move a cursor over the lanes"),
        Action("lanes.page", "pagedown,pageup", "page({n})", "page", "Scroll the lanes down or up"),
        Action("go.picture", "escape", "leave", "leave", "Leave a field or a panel"),
    ),
    "Listings": (
        Action("listing.open", "", "open_file", "open file", "Open a listing or a source"),
        Action(
            "listing.go", "g", "focus_on('listing')", "listing", "Go to the listing, or open one"
        ),
        Action(
            "listing.expect", "", "expect", "expect", "Find the line that wrote unexpected bits"
        ),
        Action("listing.run", "f5", "run_kernel", "run", "Run a kernel with arguments, by threads"),
        Action("check", "", "check", "check", "Show errors, and errata that can change a result"),
        Action(
            "listing.move",
            "right_square_bracket,left_square_bracket",
            "statement({n})",
            "instruction",
            "Go to the next or the previous instruction",
        ),
    ),
    "Learn": (
        Action("predict", "P", "predict", "predict", "Predict each lane, step by step"),
        Action("lessons", "", "lessons", "lessons", "Play a lesson: a short tour with questions"),
        Action(
            "predict.another",
            "",
            "predict_another",
            "another one",
            "Predict another line of this family; harder ones after three right ones",
        ),
        Action("predict.hint", "", "hint", "hint", "Show a hint during a prediction"),
    ),
    "Answers": (
        Action("model", "t", "toggle_model", "model", "Switch between isa and ptxas"),
        Action("explain", "x", "explain", "why?", "Explain an unexpected result"),
        Action("sweep", "v", "sweep", "sweep", "Show the results over all values of an operand"),
        Action("pin", "equals_sign", "pin", "pin", "Pin this evaluation, or unpin it"),
        Action(
            "prove",
            "",
            "prove",
            "prove",
            "Prove this instruction equal to the pinned one, or show where it differs",
        ),
        Action(
            "machine_code",
            "",
            "machine_code",
            "SASS",
            "Show the machine instructions, and what each computes",
        ),
    ),
    "Edit": (
        Action("edit.undo", "u", "undo", "undo", "Undo the last edit"),
        Action("edit.redo", "ctrl+r", "redo", "redo", "Redo the last undone edit"),
        Action("edit.random", "r", "random", "random", "Random operand values, often edge cases"),
        Action("edit.swap", "", "swap", "swap", "Exchange the values of a and b"),
        Action("edit.fix", "", "fix", "fix", "Apply the fix that an error offers"),
    ),
    "Documents": (
        Action("note", "", "note", "note", "Write a note on this step, for exports"),
        Action("export", "e", "export", "export", "Export the trace: text, Markdown, HTML, SVG …"),
        Action("copy.command", "y", "copy('command')", "copy", "Copy the command for this trace"),
        Action("copy.result", "", "copy('result')", "copy result", "Copy the result"),
    ),
    "Program": (
        Action(
            "palette",
            "ctrl+p",
            "app.command_palette",
            "palette",
            "Find an action or instruction by name",
        ),
        Action("help", "question_mark,f1", "help", "help", "Explain every key, stage and glyph"),
        Action("quit", "q", "app.quit", "quit", "Leave the explorer; ^z suspends it, fg resumes"),
    ),
}
"""All actions, grouped and ordered as in help."""

ACTIONS = tuple(action for group in GROUPS.values() for action in group)
FOOTER = (
    *("step.next", "step.back", "step.result", "go.find", "go.line", "go.operands"),
    *("go.modifiers", "model", "explain", "step.last", "pin", "export"),
)
"""The actions whose keys the footer shows while they apply, as far as there is room."""
FOOTER_GROUPS = {
    **dict.fromkeys(("step.next", "step.back"), "step"),
    **dict.fromkeys(("go.line", "go.operands", "go.modifiers"), "edit"),
    "model": "model",
    "explain": "why?",
}
"""The labels of the actions in the footer at 80 columns; actions with the same label share it."""
FIXED_FOOTER_ACTIONS = ("help", "quit", "palette")
"""Actions that the footer shows wherever they apply."""

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
    """Return the displayed name of a key, given Textual's name."""
    key = key.strip()
    for prefix, sign in _MODIFIER_KEYS.items():
        if key.startswith(prefix):
            return sign + format_key(key.removeprefix(prefix))
    if key[:1] == "f" and key[1:].isdecimal():
        return key.upper()
    return _NAMES.get(key, key)


def make_bindings() -> list[BindingType]:
    """Return the table as Textual bindings."""
    return [
        Binding(
            keys,
            action.action.format(n=n),
            action.label,
            show=action.id in FOOTER,
            key_display=format_key(keys.partition(",")[0]) if action.keys else None,
            tooltip=action.tooltip,
            id=f"{action.id}.{n}" if action.is_numbered else action.id,
            group=Binding.Group(name),
        )
        for name, group in GROUPS.items()
        for action in group
        for n, keys in enumerate(split_keys(action, action.keys), 1)
    ]


def split_keys(action: Action, keys: str) -> list[str]:
    """Return groups of keys with one effect: all keys, or single ones if they are numbered.

    An action without a key gets a name that no key has, which the user's key map can replace.
    """
    if not keys:
        return [f"no key: {action.id}"]
    return keys.split(",") if action.is_numbered else [keys]


def make_keymap(user: Mapping[str, str]) -> dict[str, str]:
    """Return the user's key map as Textual's, by binding id."""
    keymap = dict(user)
    for action in ACTIONS:
        if action.is_numbered and action.id in keymap:
            for n, key in enumerate(keymap.pop(action.id).split(","), 1):
                keymap[f"{action.id}.{n}"] = key
    return keymap


def map_keys(keymap: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    """Return Textual's key names by action id, with the changes of the user's key map."""
    return FrozenDict(
        (action.id, tuple(filter(None, map(str.strip, keys.split(",")))))
        for action in ACTIONS
        for keys in [keymap.get(action.id, action.keys)]
    )


def map_key_names(keys: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
    """Return the displayed key names by action id, for the keys that ``map_keys`` returns.

    An action without a key has the palette's key and its own label.
    """
    names = {id_: tuple(map(format_key, keys)) for id_, keys in keys.items()}
    for action in ACTIONS:
        if not names[action.id]:
            names[action.id] = (f"{names['palette'][0]} {action.label}",)
        elif action.is_numbered:
            numbers = names[action.id]
            separator = " … " if action.keys.count(",") > 1 else " "
            names[action.id] = (f"{numbers[0]}{separator}{numbers[-1]}",)
    return FrozenDict(names)
