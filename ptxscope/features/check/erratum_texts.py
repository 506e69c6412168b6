"""The hand-written texts of the report of a fault; the rest of it is computed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

TEXTS = Path(__file__).with_name("erratum_texts.toml")
"""The file of the texts; it begins with a description of each."""


class ErratumTexts(NamedTuple):
    """The texts on an erratum; an empty one is left out of the report."""

    title: str
    wrong: str
    levels: str
    cause: str = ""
    argument: tuple[str, ...] = ()
    siblings: tuple[str, ...] = ()
    counter: str = ""
    impact: str = ""
    tried: str = ""
    targets: str = ""
    forms: str = ""
    replacement: tuple[str, ...] = ()


@cache
def load_texts() -> Mapping[str, ErratumTexts]:
    """Return the texts on every erratum, by its id."""
    data: dict[str, Any] = tomllib.loads(TEXTS.read_text("utf-8"))
    levels = data.pop("levels")
    return {id_: _read(levels, fields) for id_, fields in data.items()}


def _read(levels: str, fields: Mapping[str, Any]) -> ErratumTexts:
    tuples = {name: tuple(x) for name, x in fields.items() if isinstance(x, list)}
    return ErratumTexts(**{"levels": levels, **fields, **tuples})
