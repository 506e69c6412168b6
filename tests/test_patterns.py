"""Patterns mean the same on every Python that is supported.

CPython 3.11.0 to 3.11.4 do not go back to where a possessive repeat of more than one character
began its last, failing round: ``(?:ab+){0,2}+`` takes a letter of ``ac`` (gh-106052). Until 3.12.8
its groups may also keep what such a round found (gh-101955). An atomic group around a greedy
repeat, ``(?>(?:ab+){0,2})``, means the same and is right everywhere, also around groups that
capture; so is a possessive repeat of one character or class.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tiers import ci_only

ROOT = Path(__file__).parent.parent
SOURCES = [*ROOT.glob("ptxscope/**/*.py"), *ROOT.glob("tools/**/*.py")]
_INSERTED = "\0"
"""What an f-string fills in: a group, as far as a reader can know."""
_REPEATED_GROUP = re.compile(rf"(?<!\\)(?:\\\\)*[){_INSERTED}](?:[*+?]|\{{[0-9]*,?[0-9]*\}})\+")


def _iter_texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of every string, adjacent ones as one, and those within one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [x.value if isinstance(x, ast.Constant) else _INSERTED for x in node.values]
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def _find_repeated_groups(source: str) -> set[int]:
    return {line for line, text in _iter_texts(ast.parse(source)) if _REPEATED_GROUP.search(text)}


@ci_only
def test_no_group_is_repeated_possessively() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{line}"
        for path in SOURCES
        for line in _find_repeated_groups(path.read_text(encoding="utf-8"))
    }
    assert not found


@pytest.mark.parametrize(
    "pattern",
    [
        "r'(?:a|b)*+'",
        "r'(a)?+b'",
        "r'(?:ab){0,2}+'",
        "rf'{A}++'",
        "rf'(?:a){{2,}}+'",
        "r'(a' r')*+'",
    ],
)
def test_a_possessive_group_is_found(pattern: str) -> None:
    assert _find_repeated_groups(f"A = re.compile({pattern})") == {1}


@pytest.mark.parametrize("pattern", [r"r'[a-z()]*+\)*+\w{1,2}+'", "r'(?>(?:a|b)*)+'", "rf'{A}+'"])
def test_other_repeats_are_allowed(pattern: str) -> None:
    assert not _find_repeated_groups(f"A = re.compile({pattern})")


@pytest.mark.parametrize(
    ("pattern", "text", "spans"),
    [
        (r"(?>(?:bb+){0,2})", "bccb", [(0, 0)]),
        (r"(?>(?:ab?c)*)", "acabcabd", [(0, 5)]),
        (r"(?>((x)|y|z)*)", "xyz", [(0, 3), (2, 3), (0, 1)]),
        (r"(?>(a)b|)(?:(c)|a)", "ac", [(0, 1), (-1, -1), (-1, -1)]),
        (r"(?>(?P<name>\w++)=|)(\w++)", "ab", [(0, 2), (-1, -1), (0, 2)]),
    ],
)
def test_the_running_python_matches_atomic_groups_as_documented(
    pattern: str, text: str, spans: list[tuple[int, int]]
) -> None:
    found = re.match(pattern, text)
    assert found is not None
    assert list(found.regs) == spans
