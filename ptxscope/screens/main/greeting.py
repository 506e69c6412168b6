"""The first line that the explorer says: where the picture comes from, and which keys go on."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto


class Start(Enum):
    """Where the line and its values come from."""

    EXAMPLE = auto()
    """The user named nothing, and nothing was kept."""
    LINE = auto()
    """The user named a line without values."""
    VALUES = auto()
    """The user named a line and values."""
    KEPT = auto()
    """The explorer was left so."""


def greeting(start: Start, key: Callable[[str], str], *, at_end: bool) -> str:
    """The line; ``key`` names the key of an action, ``at_end`` the last step."""
    learn = f"{key('lessons')} learn"
    rewind = f"{key('step.first')} first step · {learn}"
    further = f"{key('step.next')} next step · {learn}"
    match start:
        case Start.EXAMPLE:
            return (
                f"ptxscope shows PTX step by step · {further} · "
                f"{key('step.result')} its result · {key('go.find')} another instruction · "
                f"{key('go.line')} your own line"
            )
        case Start.LINE:
            return (
                f"No values yet: {key('go.operands')} types them · {further} · "
                f"{key('step.last')} last step"
            )
        case Start.VALUES:
            return f"Every step is shown · {rewind}"
        case Start.KEPT:
            return f"As you left it · {rewind if at_end else further}"
