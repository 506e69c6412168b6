"""The recorded costs of typical forms: machine instructions, and the cheapest equal form.

`tools/costs.py` writes the file. A count is of the instructions that compute from operands, without
loads, stores, addresses and constants.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from ...engine.isa.types import Form
from ...engine.syntax.instruction import make_instruction

PATH = Path(__file__).with_name("costs.csv")
ARCHITECTURES = ("sm_75", "sm_90", "sm_120")
_MIN_SAVING = 5
"""Machine instructions that a cheaper form must save on every architecture to be named."""
RARE_SLOTS = ("asel", "bsel", "nega", "negb", "negc", "nege", "boolop", "ftz")
"""Slots that a typical form omits."""
COLUMNS = ("line", *ARCHITECTURES, "documented", "cheaper")


class FormCost(NamedTuple):
    """The cost of a form."""

    line: str
    counts: tuple[int, ...]
    """The machine instructions for each architecture."""
    verdict: str
    """``yes`` if all machine code is proved to compute what is documented, otherwise the errata."""
    cheaper: str
    """The cheapest line of the same opcode that is proved equal for all operands; may be empty."""

    @property
    def opcode(self) -> str:
        """The opcode of the line."""
        return self.line.partition(".")[0]

    @property
    def mnemonic(self) -> str:
        """The line without its operands."""
        return self.line.partition(" ")[0]


class CostTable(NamedTuple):
    """All recorded costs."""

    tools: str
    """The releases: ``ptxas 13.0.88, nvdisasm 13.3.33``."""
    costs: Mapping[str, FormCost]
    """The costs by line."""

    @property
    def ptxas(self) -> str:
        """The assembler: ``ptxas 13.0.88``."""
        return self.tools.partition(",")[0]


@cache
def read_table() -> CostTable:
    """Return the recorded costs; none if the file is missing."""
    try:
        first, *rows = PATH.read_text(encoding="utf-8").splitlines()
    except OSError:
        return CostTable("", {})
    costs = {}
    for row in csv.DictReader(rows):
        counts = tuple(int(row[arch]) for arch in ARCHITECTURES)
        costs[row["line"]] = FormCost(row["line"], counts, row["documented"], row["cheaper"])
    return CostTable(first.removeprefix("# "), costs)


def find_cheaper(cost: FormCost) -> FormCost | None:
    """Return the cheaper equal form; None if no form saves much."""
    other = read_table().costs.get(cost.cheaper)
    if other is None or cost.verdict not in ("yes", "no"):  # an erratum changes the bits
        return None
    pairs = zip(cost.counts, other.counts, strict=True)
    return other if all(x - y >= _MIN_SAVING for x, y in pairs) else None


@lru_cache(maxsize=1 << 12)
def find_cost(form: Form) -> FormCost | None:
    """Return the cost of a form; None if it is not recorded."""
    return read_table().costs.get(format_line(form))


def format_line(form: Form) -> str:
    """Return the line of a form in the table: with the names of roles, without the semicolon."""
    return str(make_instruction(form)).removesuffix(";")


def format_saving(cost: FormCost, cheap: FormCost) -> str:
    """Return ``5 instead of 27``, or ``5 instead of 34 for sm_75, 5 instead of 31 for sm_90``."""
    pairs = list(zip(cheap.counts, cost.counts, strict=True))
    texts = [f"{few} instead of {many}" for few, many in pairs]
    if len({*texts}) == 1:
        return texts[0]
    named = zip(texts, ARCHITECTURES, strict=True)
    return ", ".join(f"{text} for {arch}" for text, arch in named)
