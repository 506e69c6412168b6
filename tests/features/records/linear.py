"""Entry points of records, for the test of linear time."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress

from ptxscope import export
from ptxscope.features.records.json_reader import load
from tests.driving.samples import E3

_JSON = export(E3, "json")


def _read(text: str) -> None:
    """Read it as it is, and as anybody's words in a trace."""
    for whole in (text, _JSON.replace('"title": ""', f'"title": {json.dumps(text)}')):
        with suppress(ValueError):
            load(whole)


ENTRIES: dict[str, Callable[[str], object]] = {"a trace in JSON": _read}
