"""The explorer's actions, in one table: keys, palette, footer and help are made from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.binding import Binding, BindingType

if TYPE_CHECKING:
    from textual.app import App


class Action(NamedTuple):
    """Something a person can do in the explorer."""

    id: str
    """What a keymap calls it."""
    keys: str
    """Keys that do it, Textual's names, with commas between."""
    action: str
    label: str
    """One or two words, for the footer."""
    tooltip: str
    """A sentence, for help and palette."""


GROUPS: dict[str, tuple[Action, ...]] = {
    "Steps": (
        Action("step.next", "n,right", "step(1)", "next", "Reveal the next step"),
        Action("step.back", "p,left", "step(-1)", "back", "Go back a step"),
        Action("step.first", "home", "step_to('first')", "first", "Go to the first step"),
        Action("step.last", "end", "step_to('last')", "last", "Go to the last step"),
        Action("step.play", "space", "play", "play", "Play the steps at a reader's pace, or pause"),
        Action("step.all", "a", "step_to('last')", "all", "Reveal every step"),
    ),
    "Go to": (
        Action("go.find", "slash", "focus_on('filter')", "find", "Find an instruction"),
        Action("go.line", "i", "focus_on('line')", "line", "Edit the PTX line"),
        Action("go.operands", "o", "focus_on('operands')", "operands", "Edit operand values"),
        Action("go.modifiers", "m", "focus_on('modifiers')", "modifiers", "Change modifiers"),
        Action("go.lanes", "l", "focus_on('lanes')", "lanes", "Move a cursor over the lanes"),
        Action("go.steps", "escape", "focus_on('steps')", "steps", "Leave a field, to the steps"),
    ),
    "Listings": (
        Action("listing.open", "ctrl+o", "open_file", "open file", "Open a listing or a source"),
        Action("listing.go", "g", "focus_on('listing')", "listing", "Go to the listing"),
        Action("listing.expect", "f", "expect", "expect", "Find the line that wrote other bits"),
        Action("check", "c", "check", "check", "What is wrong here, and where an erratum can bite"),
        Action(
            "listing.next",
            "alt+down,right_square_bracket",
            "statement(1)",
            "next",
            "Next instruction",
        ),
        Action(
            "listing.back", "alt+up,left_square_bracket", "statement(-1)", "back", "The one before"
        ),
    ),
    "Answers": (
        Action("model", "t", "toggle_model", "model", "Switch between isa and ptxas"),
        Action("explain", "x", "explain", "why?", "Say what explains a result that you got"),
        Action("pin", "equals_sign", "pin", "pin", "Pin this evaluation, or let it go"),
    ),
    "Edit": (
        Action("edit.undo", "u", "undo", "undo", "Undo the last edit"),
        Action("edit.redo", "ctrl+r", "redo", "redo", "Redo what was undone"),
        Action("edit.random", "r", "random", "random", "Random operand values, some of them nasty"),
        Action("edit.swap", "s", "swap", "swap", "Exchange the values of a and b"),
        Action("edit.fix", "f2", "fix", "fix", "Apply the fix that an error offers"),
    ),
    "Documents": (
        Action("note", "w", "note", "note", "Write a note on this step, for exports"),
        Action(
            "export", "e", "export", "export", "Take the trace out: text, Markdown, HTML, SVG …"
        ),
        Action("copy.command", "y", "copy('command')", "copy", "Copy the command for this trace"),
        Action("copy.result", "Y", "copy('result')", "copy result", "Copy the result"),
    ),
    "Program": (
        Action("help", "question_mark", "help", "help", "What every key, stage and glyph means"),
        Action("quit", "q", "app.quit", "quit", "Leave the explorer"),
    ),
}
"""What can be done, as help lists it."""

ACTIONS = tuple(action for group in GROUPS.values() for action in group)
FOOTER = (
    *("step.next", "step.back", "step.all", "go.find", "go.line", "go.operands", "go.modifiers"),
    *("model", "explain", "pin", "export", "help", "quit"),
)
"""The actions whose keys are always shown."""

_NAMES = {
    "slash": "/",
    "question_mark": "?",
    "equals_sign": "=",
    "alt+down": "Alt+↓",
    "alt+up": "Alt+↑",
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "right": "→",
    "left": "←",
    "escape": "Esc",
    "home": "Home",
    "end": "End",
    "f2": "F2",
}


def _name(key: str) -> str:
    return _NAMES.get(key.strip(), key.strip().replace("ctrl+", "^"))


def bindings() -> list[BindingType]:
    """The table as Textual bindings."""
    return [
        Binding(
            action.keys,
            action.action,
            action.label,
            show=action.id in FOOTER,
            key_display=_name(action.keys.partition(",")[0]),
            tooltip=action.tooltip,
            id=action.id,
            group=Binding.Group(name),
        )
        for name, group in GROUPS.items()
        for action in group
    ]


def keys_by_id(app: App[object]) -> dict[str, tuple[str, ...]]:
    """The keys of each action as Textual calls them, with what the user's keymap changed."""
    keymap = getattr(app, "user_keymap", {})
    return {
        action.id: tuple(key.strip() for key in keymap.get(action.id, action.keys).split(","))
        for action in ACTIONS
    }


def key_names(app: App[object]) -> dict[str, tuple[str, ...]]:
    """How each action's keys are called, by id, with what the user's keymap changed."""
    keymap = getattr(app, "user_keymap", {})
    return {
        action.id: tuple(map(_name, keymap.get(action.id, action.keys).split(",")))
        for action in ACTIONS
    }
