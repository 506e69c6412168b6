"""Entry points of publish, for the test of linear time."""

from __future__ import annotations

from collections.abc import Callable

from ptxscope.features.publish.markdown_markers import find_doubtful
from ptxscope.features.publish.trace_changes import describe_change
from tests.features.publish.renewal import updated

_ADD = "vadd4.s32.s32.s32.sat d, a, b, c;"


def _marked(text: str) -> str:
    return updated(f"{text}\n<!-- ptxscope trace '{_ADD}' a=1 b=2 c=3 -->\n<!-- /ptxscope -->\n")


ENTRIES: dict[str, Callable[[str], object]] = {
    "markers": updated,
    "markers around": _marked,
    "doubtful markers": find_doubtful,
    "marked arguments": lambda text: updated(f"<!-- ptxscope trace {text} -->\n<!-- /ptxscope -->"),
    "changes": lambda text: describe_change(text, f"{text}1", ["d"]),
}
