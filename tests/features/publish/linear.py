"""Entry points of publish, for the test of linear time."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress

from ptxscope import export
from ptxscope.features.publish.json_reader import load
from ptxscope.features.publish.markdown_markers import find_doubtful
from ptxscope.features.publish.trace_changes import describe_change
from tests.driving.samples import E3
from tests.features.publish.renewal import updated

_ADD = "vadd4.s32.s32.s32.sat d, a, b, c;"


def _marked(text: str) -> str:
    return updated(f"{text}\n<!-- ptxscope trace '{_ADD}' a=1 b=2 c=3 -->\n<!-- /ptxscope -->\n")


_JSON = export(E3, "json")


def _read(text: str) -> None:
    """Read it as it is, and as anybody's words in a trace."""
    for whole in (text, _JSON.replace('"title": ""', f'"title": {json.dumps(text)}')):
        with suppress(ValueError):
            load(whole)


ENTRIES: dict[str, Callable[[str], object]] = {
    "markers": updated,
    "markers around": _marked,
    "doubtful markers": find_doubtful,
    "marked arguments": lambda text: updated(f"<!-- ptxscope trace {text} -->\n<!-- /ptxscope -->"),
    "changes": lambda text: describe_change(text, f"{text}1", ["d"]),
    "a trace in JSON": _read,
}
