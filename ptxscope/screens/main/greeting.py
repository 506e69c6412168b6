"""The explorer's first lines: the origin of the trace, and the keys to continue with."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto


class Start(Enum):
    """The origin of the line and its values."""

    EXAMPLE = auto()
    """Neither a line nor a saved state: an example."""
    LINE = auto()
    """A line without values, which has those of an example."""
    VALUES = auto()
    """A line and values."""
    KEPT = auto()
    """The saved state."""


def greeting(start: Start, key: Callable[[str], str], *, at_end: bool) -> str:
    """Return the text; ``key`` names the key of an action, ``at_end`` is true at the last step."""
    learn, next_step = key("lessons"), f"{key('step.next')} next step"
    match start:
        case Start.EXAMPLE:
            return (
                "ptxscope shows what PTX instructions compute, step by step\n"
                f"{next_step} · {key('step.back')} back · {key('step.result')} the result · "
                f"{key('edit.random')} other values\n"
                f"{learn}: begin with the first · "
                f"{key('go.find')} another instruction · {key('go.line')} your own line"
            )
        case Start.LINE:
            return (
                f"These values are an example · {key('edit.random')} draws others · "
                f"{key('go.operands')} types yours · {next_step} · {learn}"
            )
        case Start.VALUES:
            return f"Every step is shown · {key('step.first')} first step · {learn}"
        case Start.KEPT:
            first = f"{key('step.first')} first step"
            return f"As you left it · {first if at_end else next_step} · {learn}"
