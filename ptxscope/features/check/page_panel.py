"""The web explorer's panel that checks a pasted listing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

from ...documents.elements import (
    Child,
    Element,
    make_element,
    make_field,
    make_report,
    make_words,
)
from ...state.explorer_state import ExplorerState
from .check_report import count_items, format_summary, iter_item_lines
from .lint import check_text
from .sequence_notes import SequenceSearch
from .suppressions import hide_remarks

MAX_LISTING_CHARS = 200_000
"""Maximum characters of a pasted listing."""


def make_panel(_: ExplorerState, text: str) -> list[Child]:
    """Return the diagnostics of a pasted listing."""
    label = "PTX, CUDA, or anything that has PTX in it"
    form = make_element(
        "form",
        make_field(label, text, key="check", rows="8", has_focus=not text.strip()),
        make_element("button", "Check", type="submit"),
        data_do="tool_text",
    )
    if not text.strip():
        return [form]
    if len(text) > MAX_LISTING_CHARS:
        error = f"error: more than {MAX_LISTING_CHARS:,} characters"
        return [form, make_report(make_element("p", error))]
    counts = Counter[str]()
    search = SequenceSearch("pasted")
    search.search(text)
    items = count_items(hide_remarks(search.merge(check_text(text, "pasted"))), counts)
    lines = [line for item in items for line in iter_item_lines(item)]
    summary = make_element("p", *make_words(format_summary(counts)), class_="summary")
    return [form, summary, make_report(*_list_elements(lines)) if lines else ""]


def _list_elements(lines: Iterable[str]) -> Iterator[Element]:
    """Yield the lines of a report: messages as paragraphs, indented lines unchanged."""
    for is_indented, group in groupby(lines, lambda line: line.startswith(" ")):
        if is_indented:
            yield make_element("pre", "\n".join(group))
        else:
            yield from (make_element("p", *make_words(line)) for line in group)
