"""The explorer's actions, in one table: keys, palette, footer and help are made from it."""

from __future__ import annotations

from typing import NamedTuple

from textual.binding import Binding, BindingType


class Action(NamedTuple):
    """Something a person can do in the explorer."""

    id: str
    """What a keymap calls it."""
    keys: str
    action: str
    label: str
    """One or two words, for the footer."""
    tooltip: str
    """A sentence, for help and palette."""
    group: str
    footer: bool = False
    display: str = ""
    """How the footer names the key, where not by its character."""


ACTIONS = (
    Action("step.next", "n,right", "step(1)", "next", "Reveal the next step", "Steps", True),
    Action("step.back", "p,left", "step(-1)", "back", "Go back a step", "Steps", True),
    Action("step.first", "home", "step_to('first')", "first", "Go to the first step", "Steps"),
    Action("step.last", "end", "step_to('last')", "last", "Go to the last step", "Steps"),
    Action(
        "step.play", "space", "play", "play", "Play the steps at a reader's pace, or pause", "Steps"
    ),
    Action("step.all", "a", "step_to('last')", "all", "Reveal every step", "Steps", True),
    Action(
        "go.instructions",
        "slash",
        "focus_on('filter')",
        "find",
        "Find an instruction",
        "Go to",
        True,
        "/",
    ),
    Action("go.line", "i", "focus_on('line')", "line", "Edit the PTX line", "Go to", True),
    Action(
        "go.operands", "o", "focus_on('operands')", "operands", "Edit operand values", "Go to", True
    ),
    Action(
        "go.modifiers",
        "m",
        "focus_on('modifiers')",
        "modifiers",
        "Change the modifiers",
        "Go to",
        True,
    ),
    Action("go.lanes", "l", "focus_on('lanes')", "lanes", "Move a cursor over the lanes", "Go to"),
    Action(
        "go.steps",
        "escape",
        "focus_on('steps')",
        "steps",
        "Leave a field; go to the steps",
        "Go to",
    ),
    Action("model", "t", "toggle_model", "model", "Switch between isa and ptxas", "Answers", True),
    Action("edit.undo", "u", "undo", "undo", "Undo the last edit", "Edit"),
    Action("edit.redo", "ctrl+r", "redo", "redo", "Redo what was undone", "Edit"),
    Action(
        "edit.random", "r", "random", "random", "Random operand values, some of them nasty", "Edit"
    ),
    Action("edit.swap", "s", "swap", "swap", "Exchange the values of a and b", "Edit"),
    Action(
        "copy.command",
        "y",
        "copy('command')",
        "copy",
        "Copy the shell command that prints this trace",
        "Copy",
    ),
    Action("copy.result", "Y", "copy('result')", "copy result", "Copy the result", "Copy"),
    Action(
        "help",
        "question_mark",
        "help",
        "help",
        "What every key, stage and glyph means",
        "Program",
        True,
        "?",
    ),
    Action("quit", "q", "app.quit", "quit", "Leave the explorer", "Program", True),
)
"""In the order in which help lists them."""


def bindings() -> list[BindingType]:
    """The table as Textual bindings."""
    groups = {action.group: Binding.Group(action.group) for action in ACTIONS}
    return [
        Binding(
            action.keys,
            action.action,
            action.label,
            show=action.footer,
            key_display=action.display or None,
            tooltip=action.tooltip,
            id=action.id,
            group=groups[action.group],
        )
        for action in ACTIONS
    ]
