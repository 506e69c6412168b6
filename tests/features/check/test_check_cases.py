"""What `check` says of the texts in the folder cases: all that their files know, and no more."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import pytest

from ptxscope.features.check.check_rules import list_added_rules
from ptxscope.features.check.diagnostic import CheckedInstruction, TextEdit
from ptxscope.features.check.lint import check_text
from ptxscope.features.check.listing_checks import check_listing
from ptxscope.features.check.suppressions import filter_items
from tests.features.check.check_cases import CASES, Case

_CONTEXT_CHARS = 8
UNWRITTEN_CASES = "unwritten_registers.ptx"
"""Only these listings are about registers without a value: others read such ones."""
CHUNK_SIZES = (1, 3, 10, 64)


def list_facts(item: CheckedInstruction, case: Case) -> dict[str, Any]:
    """Return all that the files may have of an item."""
    return {
        "line": item.location.line + case.start,
        "ptx": item.ptx,
        "findings": [
            {
                "rule": x.rule,
                "at": x.location.excerpt[slice(*x.location.span)],
                "before": x.location.excerpt[x.location.span[1] :][:_CONTEXT_CHARS],
                "message": x.message,
                "hint": x.hint,
                "fix": x.fix.text if x.fix else "",
                "fixed": _fix_line(x.fix, case.text) if x.fix else "",
                "severity": str(x.severity),
            }
            for x in item.diagnostics
        ],
    }


def _fix_line(edit: TextEdit, text: str) -> str:
    """Return the line of a text that an edit changes, after it."""
    line, start = text.split("\n")[edit.location.line - 1], edit.location.column - 1
    return line[:start] + edit.text + line[start + edit.location.width :]


def _is_like(facts: dict[str, Any], known: dict[str, Any]) -> bool:
    """Return whether facts are as known; some texts are known only in part."""
    findings = zip_longest(facts["findings"], known.get("findings", []))
    return (
        facts["line"] == known["line"]
        and facts["ptx"].startswith(known["ptx"])
        and all(x and y and x | y | {"message": x["message"]} == x for x, y in findings)
        and all(
            y.get("message", "") in x["message"]
            for x, y in zip(facts["findings"], known.get("findings", []), strict=True)
        )
    )


FILES: dict[str, dict[str, Case]] = {}
"""The cases of each file."""
for _name, _case in CASES.items():
    FILES.setdefault(_name.rpartition(":")[0], {})[_name] = _case


@pytest.mark.parametrize("path", FILES)
def test_check_reports_exactly_the_items_of_the_case_file(path: str) -> None:
    added = {rule.id for rule in list_added_rules()}  # other features' rules
    wrong = []
    for name, case in FILES[path].items():
        items = check_text(case.text, case.name, case.definitions)
        if case.name.endswith(".ptx") and path != UNWRITTEN_CASES:
            items = filter_items(items, lambda x: x.rule == "unwritten")
        found = [list_facts(x, case) for x in filter_items(items, lambda x: x.rule in added)]
        pairs = list(zip_longest(found, case.items))
        if not all(x and y and _is_like(x, y) for x, y in pairs):
            wrong.append(f"{name}: {found}\nknown: {case.items}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", FILES)
def test_a_listing_is_the_same_in_chunks_of_any_size(path: str) -> None:
    for name, case in FILES[path].items():
        if case.name.endswith(".ptx"):
            whole = list(check_listing([case.text], "x.ptx"))
            for size in CHUNK_SIZES:
                chunks = (case.text[at : at + size] for at in range(0, len(case.text), size))
                assert list(check_listing(chunks, "x.ptx")) == whole, name
