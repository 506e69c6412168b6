"""The recorded machine code of the errata's examples, with the value of each instruction."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

CODE = Path(__file__).with_name("machine_code.csv")
"""The record, which ``tools/errata_code.py`` writes."""


class CodeRow(NamedTuple):
    """A machine instruction of the kernel of a report."""

    erratum: str
    ptxas: str
    """The release."""
    nvdisasm: str
    arch: str
    offset: str
    text: str
    value: str
    """The value that it writes for the example's operands; empty if the code is not interpreted."""
    meaning: str
    """The meaning of the value: an operand, a result, or a value of a step."""
    documented: str
    """The documented value, if it differs."""
    mark: str
    """``1`` for the first instruction whose value is not the documented one."""


@cache
def load_code() -> Mapping[str, tuple[CodeRow, ...]]:
    """Return the instructions by erratum, in order."""
    with CODE.open(encoding="utf-8", newline="") as stream:
        rows = [CodeRow(**row) for row in csv.DictReader(stream)]
    return {
        id_: tuple(x for x in rows if x.erratum == id_) for id_ in dict.fromkeys(x[0] for x in rows)
    }
