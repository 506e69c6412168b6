"""The manual: `python3 dev.py docs` builds it into docs/_build."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from ptxscope import PtxError, __version__, parse  # noqa: E402
from ptxscope.engine.semantics.errata import ERRATA, TARGETS, Erratum  # noqa: E402
from ptxscope.engine.text.instruction import Instruction  # noqa: E402
from ptxscope.engine.text.values import hex_text  # noqa: E402

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "ptxscope"
author = "the ptxscope team"
copyright = "2026, the ptxscope team"  # noqa: A001
release = __version__
extensions = ["ptxscope.sphinx"]
exclude_patterns = ["_build", "*.md"]
html_theme = "alabaster"
html_theme_options = {"page_width": "72rem", "description": "See, to the bit, what PTX does"}
html_show_sourcelink = False

MADE = Path(__file__).resolve().parent / "_made"
_BITING = {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0x11223344, "guard": 1}
_CORRECTIONS = {
    "vmin4.s32.u32.u32.add  r1.b00, r2.b0000, r3.b2222, r1;": (
        "A mask names each lane once, most significant first: b00 is none. With lane 0 alone:",
        "vmin4.s32.u32.u32.add  r1.b0, r2.b0000, r3.b2222, r1;",
    ),
    "vset4.u32.u32.ne.max  r1, r2, r3, r0;": (
        "The SIMD instructions have no secondary operation but .add:",
        "vset4.u32.u32.ne.add  r1, r2, r3, r0;",
    ),
}


def trace_block(ptx: str, values: dict[str, int], *options: str) -> list[str]:
    """A ``ptx-trace`` directive."""
    operands = " ".join(f"'{name}={bits:#x}'" for name, bits in values.items())
    lines = [f".. ptx-trace:: {ptx}", f"   :operands: {operands}"]
    return [*lines, *(f"   :{option}:" for option in options), ""]


def heading(text: str, line: str) -> list[str]:
    """A heading and an empty line."""
    return [text, line * len(text), ""]


def errata_page() -> str:
    """Every erratum with both traces."""
    lines = heading("Where ptxas and the documentation part", "=")
    lines += [
        f"On {TARGETS} NVIDIA's assembler emulates the scalar video instructions, and under a "
        "guard it guards only a part of some ``set``. In these ways the code it emits does not "
        "compute what the PTX ISA documents.",
        "",
    ]
    for erratum in ERRATA:
        lines += _erratum(erratum)
    return "\n".join(lines)


def _erratum(erratum: Erratum) -> list[str]:
    ptx, values, *_ = erratum.example
    return [
        *heading(f"{erratum.id}: {erratum.forms}", "-"),
        f"{erratum.sentence} ptxas {erratum.versions}. {erratum.remark}".strip(),
        "",
        *trace_block(ptx, values, "both"),
    ]


def published_page() -> str:
    """Every example printed in the PTX ISA, with what is wrong with two of them."""
    lines = heading("The published examples", "=")
    lines += [
        "Every example that the PTX ISA prints for these instructions, on values of ours.",
        "",
    ]
    listed = (ROOT / "tests/data/published.txt").read_text(encoding="utf-8").splitlines()
    for line in listed:
        if line.startswith("#"):
            continue
        text = line.partition("\t")[2]
        lines += heading("``" + " ".join(text.split()) + "``", "-")
        if text in _CORRECTIONS:
            why, corrected = _CORRECTIONS[text]
            lines += ["**As published it is not legal:**", "", "::", ""]
            lines += [f"   {said}" for said in _refusal(text).splitlines()]
            lines += ["", why, "", *trace_block(corrected, _values(parse(corrected)))]
        else:
            lines += trace_block(text, _values(parse(text)))
    return "\n".join(lines)


def _refusal(text: str) -> str:
    try:
        parse(text)
    except PtxError as error:
        return str(error)
    raise AssertionError(f"{text} is legal after all")


def _values(ins: Instruction) -> dict[str, int]:
    """Values that bite, for what an instruction reads."""
    found = {}
    for needed in ins.inputs:
        bits = _BITING.get(needed.roles[0], 0x55AA55AA) & ((1 << needed.type.bits) - 1)
        found[needed.name] = int(hex_text(bits, needed.type.bits), 0)
    return found


def make_pages(_: Sphinx) -> None:
    """Write the pages that are made from data."""
    MADE.mkdir(exist_ok=True)
    for name, text in (("errata", errata_page()), ("published", published_page())):
        path = MADE / f"{name}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("builder-inited", make_pages)
