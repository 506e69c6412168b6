"""Kernels of tests: a file has several, each a module of its own with a name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path


@cache
def read_kernels(file: Path) -> Mapping[str, str]:
    """The PTX below each ``// --- name`` of a file."""
    _, *parts = re.split(r"^// --- (.+)\n", file.read_text("utf-8"), flags=re.MULTILINE)
    return {name: x.strip() + "\n" for name, x in zip(parts[::2], parts[1::2], strict=True)}


def replace_words(ptx: str, words: str) -> str:
    """Replace words, as ``FIRST=bar.sync 0 & SECOND;=``; - for none."""
    for pair in words.split(" & ") if words != "-" else ():
        word, _, text = pair.partition("=")
        assert word in ptx
        ptx = ptx.replace(word, text)
    return ptx


def is_like(text: str, expected: str) -> bool:
    """Whether a text is as expected, where ``…`` is any text."""
    return re.fullmatch(re.escape(expected).replace("…", ".*"), text) is not None
