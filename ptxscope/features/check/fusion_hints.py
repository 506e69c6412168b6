"""Hints that a text may have two statements that ptxas combines wrongly (errata E19 to E25)."""

from __future__ import annotations

import re

_HINTS = tuple(
    (re.compile(first), re.compile(second))
    for first, second in (
        (r"\b(?:neg|abs|sub)\.s16\b", r"\.s16\b"),
        (r"\b(?:neg|abs|sub)\.s32\b", r"\b(?:cvt\.sat|slct)\."),
        (r"\babs\.s(?:32|64)\b", r"\bslct\.|\bsetp?\.(?:lt|ge|gt|le)\.(?:\w{1,9}\.)?s(?:32|64)\b"),
        (r"\b(?:add|sub)\.sat\.s32\b", r"\b(?:add|sub)\.[su]32\b"),
        (
            # a selector with a digit from 8 to 11, a decimal one, or a register
            r"\bprmt\.b32\b[^;]{1,200},\s*(?:0[xX]\w*[89abAB]\w*|[1-9]\d+|[%$_a-zA-Z][\w$]*)\s*;",
            r"\band\.b32\b|\bcvt\.[su]\d\d?\.[su](?:8|16|32)\b",
        ),
    )
)
"""Patterns of the first and of the second statement of each pair."""


def may_have_fusions(text: str) -> bool:
    """Return whether a text has both statements of some pair, perhaps unrelated."""
    return any(first.search(text) and second.search(text) for first, second in _HINTS)
