"""The explorer's first line: the origin of the trace, and the keys to continue with."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto


class Start(Enum):
    """The origin of the line and its values."""

    EXAMPLE = auto()
    """Neither a line nor a saved state: an example."""
    LINE = auto()
    """A line without values."""
    VALUES = auto()
    """A line and values."""
    KEPT = auto()
    """The saved state."""


def greeting(start: Start, key: Callable[[str], str], *, at_end: bool) -> str:
    """Return the line; ``key`` names the key of an action, ``at_end`` is true at the last step."""
    learn = key("lessons")
    rewind = f"{key('step.first')} first step · {learn}"
    next_step = f"{key('step.next')} next step · {learn}"
    match start:
        case Start.EXAMPLE:
            return (
                f"ptxscope shows PTX step by step · {next_step} · "
                f"{key('step.result')} its result · {key('go.find')} another instruction · "
                f"{key('go.line')} your own line"
            )
        case Start.LINE:
            return (
                f"No values yet: {key('go.operands')} types them · {next_step} · "
                f"{key('step.last')} last step"
            )
        case Start.VALUES:
            return f"Every step is shown · {rewind}"
        case Start.KEPT:
            return f"As you left it · {rewind if at_end else next_step}"
