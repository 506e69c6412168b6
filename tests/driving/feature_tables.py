"""Tables of the core's tests, as the tests of features extend them.

A feature's folder of tests may have ``command_lines.py`` with ``COMMAND_LINES``, ``INPUTS``,
``FILES``, ``FIRST_SCREENS``, ``CONDITIONS``, ``QUESTIONS`` and ``REPORTS``, ``linear.py`` with
``ENTRIES``, ``readers.py`` with ``READERS``, ``dialogs.py`` with ``DIALOGS`` and ``SCREENS`` (which
have no frame), ``slow_texts.json``, ``sessions.txt``, and a folder ``requests``.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from ptxscope.feature import list_features

FOLDER = Path(__file__).parents[1] / "features"
NAMES = tuple(feature.name for feature in list_features())


def extend_table(own: dict[str, Any], module: str, name: str) -> dict[str, Any]:
    """Return a table with the rows that tables in modules of features' tests add."""
    table = dict(own)
    for path in sorted(FOLDER.glob(f"*/{module}.py")):
        added = getattr(import_module(f"tests.features.{path.parent.name}.{module}"), name, {})
        assert not table.keys() & added.keys(), path
        table |= added
    return table


def iter_paths(own: Path, pattern: str) -> Iterator[Path]:
    """Yield a file of the core's tests, and matching files of features' tests."""
    yield own
    yield from sorted(FOLDER.glob(f"*/{pattern}"))


def needs(*features: str) -> pytest.MarkDecorator:
    """Return the mark of a test that is skipped if a feature is gone."""
    gone = [name for name in features if name not in NAMES]
    return pytest.mark.skipif(bool(gone), reason=f"without {', '.join(gone)}")
