"""The recorded costs of typical forms: machine instructions, and the cheapest equal form.

`tools/costs.py` writes the file. A count is of the instructions that compute from operands, without
loads, stores, addresses and constants.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from ...engine.isa.types import Form
from ...engine.syntax.instruction import make_instruction

PATH = Path(__file__).with_name("costs.csv")
ARCHITECTURES = ("sm_75", "sm_90", "sm_120")
MANY = 5
"""Machine instructions that a much cheaper form saves on every architecture."""
RARE_SLOTS = ("asel", "bsel", "nega", "negb", "negc", "nege", "boolop", "ftz")
"""Slots that a typical form omits."""
COLUMNS = ("line", *ARCHITECTURES, "documented", "cheaper")


class FormCost(NamedTuple):
    """The cost of a form."""

    line: str
    counts: tuple[int, ...]
    """The machine instructions for each architecture."""
    verdict: str
    """``yes`` if all machine code is proved to give the documented result, otherwise the errata."""
    cheaper: str
    """The cheapest line of the same opcode that is proved equal for all operands; may be empty."""

    @property
    def opcode(self) -> str:
        """The opcode of the line."""
        return self.line.partition(".")[0]

    @property
    def subject(self) -> str:
        """The line without its sources, and without a destination that is one whole register."""
        name, _, _ = self.line.partition(",")
        return name.removesuffix(" d").removesuffix(" p")


class CostTable(NamedTuple):
    """All recorded costs."""

    tools: str
    """The releases: ``ptxas 13.0.88, nvdisasm 13.3.33``."""
    costs: Mapping[str, FormCost]
    """The costs by line."""

    @property
    def ptxas(self) -> str:
        """The assembler: ``ptxas 13.0.88``."""
        return format_assembler(self.tools)


def format_assembler(tools: str) -> str:
    """Return the assembler of some tools."""
    return tools.partition(",")[0]


@cache
def _read_text() -> str:
    try:
        return PATH.read_text(encoding="utf-8")
    except OSError:
        return ""


@cache
def read_table() -> CostTable:
    """Return the recorded costs; none if the file is missing."""
    _, _, *rows = _read_text().splitlines() or ["", ""]
    costs = map(_parse_row, rows)
    return CostTable(read_tools(), {x.line: x for x in costs})


def read_tools() -> str:
    """Return the releases of the tools: ``ptxas 13.0.88, nvdisasm 13.3.33``."""
    return _read_text().partition("\n")[0].removeprefix("# ")


def _parse_row(text: str) -> FormCost:
    """Parse a row, without the module csv: the explorer reads one when it starts."""
    _, line, rest = text.split('"', 2)
    _, *counts, documented, cheaper = rest.split(",", len(ARCHITECTURES) + 2)
    return FormCost(line, tuple(map(int, counts)), documented, cheaper.strip('"'))


def _find_row(line: str) -> FormCost | None:
    """Return the cost of a line, without reading the others."""
    text = _read_text()
    start = text.find(f'\n"{line}",') + 1
    return _parse_row(text[start : text.index("\n", start)]) if start else None


def find_cheaper(cost: FormCost) -> FormCost | None:
    """Return the equal form that is cheaper on every architecture; None if there is none."""
    other = _find_row(cost.cheaper) if cost.cheaper else None
    if other is None or cost.verdict not in ("yes", "no"):  # an erratum changes the bits
        return None
    return other if compute_saving(cost, other) > 0 else None


def compute_saving(cost: FormCost, cheap: FormCost) -> int:
    """Return the machine instructions that a form saves at least on every architecture."""
    return min(x - y for x, y in zip(cost.counts, cheap.counts, strict=True))


@lru_cache(maxsize=1 << 12)
def find_cost(form: Form) -> FormCost | None:
    """Return the cost of a form; None if it is not recorded."""
    return _find_row(format_line(form))


def format_line(form: Form) -> str:
    """Return the line of a form in the table: with the names of roles, without the semicolon."""
    return str(make_instruction(form)).removesuffix(";")


def format_saving(cost: FormCost, cheap: FormCost) -> str:
    """Return ``5 instead of 27``, or ``5 instead of 34 for sm_75, 5 instead of 31 for sm_90``."""
    pairs = list(zip(cheap.counts, cost.counts, strict=True))
    texts = [f"{cheap_count} instead of {count}" for cheap_count, count in pairs]
    if len({*texts}) == 1:
        return texts[0]
    pairs_by_arch = zip(texts, ARCHITECTURES, strict=True)
    return ", ".join(f"{text} for {arch}" for text, arch in pairs_by_arch)
