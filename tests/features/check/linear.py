"""Entry points of check, for the test of linear time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from ptxscope.features.check.check_report import item_to_json, iter_item_lines, iter_sarif_results
from ptxscope.features.check.diagnostic import CheckedInstruction
from ptxscope.features.check.lint import check_source, check_text
from ptxscope.features.check.listing_checks import check_listing
from ptxscope.features.check.references import find_references
from ptxscope.features.check.sequence_notes import SequenceSearch
from ptxscope.sources.source_language import Language


def check(name: str) -> Callable[[str], object]:
    def run(text: str) -> int:
        size = 0
        found = list(check_text(text, name))
        for item in found:
            size += sum(map(len, iter_item_lines(item))) + len(json.dumps(item_to_json(item)))
        return size + measure_log(found)

    return run


def measure_log(found: Iterable[CheckedInstruction]) -> int:
    """How many characters the results of a log are."""
    return sum(len(result) for item in found for result in iter_sarif_results(item))


def _check_defined(text: str) -> int:
    definitions = {"A": "1 || A", "B": None, "a": '"x" a'}
    return len(list(check_source(text, "x.cu", Language.C, definitions)))


def _check_text(text: str) -> int:
    return sum(len(list(iter_item_lines(item))) for item in check_source(text, "-", Language.TEXT))


def _check_in_chunks(text: str) -> int:
    size = 1 << 15
    chunks = (text[at : at + size] for at in range(0, len(text), size))
    return len(list(check_listing(chunks, "x.ptx")))


def _find_sequences(text: str) -> int:
    search = SequenceSearch("x.ptx")
    whole = f"// 0x7f7f7f7f\n.entry k() {{\n{text}\n}}\n.entry l() {{ {text} }}"
    return len(list(search.merge(check_listing(search.record_chunks([whole]), "x.ptx"))))


ENTRIES: dict[str, Callable[[str], object]] = {
    "check a listing": check("x.ptx"),
    "check C": check("x.cu"),
    "check C with definitions": _check_defined,
    "check Python": check("x.py"),
    "check what is not known": check("-"),
    "check pasted text": _check_text,
    "check in chunks": _check_in_chunks,
    "sequences": _find_sequences,
    "references": find_references,
    "check Rust": check("x.rs"),
    "check Markdown": check("x.md"),
    "check HTML": check("x.html"),
    "check LLVM": check("x.ll"),
    "check MLIR": check("x.mlir"),
    "check Julia": check("x.jl"),
    "check a notebook": check("x.ipynb"),
}
