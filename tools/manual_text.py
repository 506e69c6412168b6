"""reStructuredText, written: what the pages that are made of data are put together with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

_SPECIAL = re.compile(r"[\\*_|`<>]")
_GLUED = re.compile(r"[^\s\-(\[{]")


def said(text: str) -> str:
    """A sentence of the engine's: its `code` as literals, all else as it stands."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a lone backtick
        return _escaped(text)
    written = ""
    for at, part in enumerate(parts):
        if at % 2 == 0:
            glue = "\\ " if at and part[:1].isalnum() else ""
            written += glue + _escaped(part)
        elif part:
            written += ("\\ " if _GLUED.match(written[-1:]) else "") + code(part)
    return written


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: "\\" + found[0], text)


def code(text: str) -> str:
    """A literal."""
    return f"``{text}``"


def sentence(text: str) -> str:
    """With a capital, where it begins with a word, and a full stop."""
    first = text.partition(" ")[0]
    word = first.isalpha() and len(first) > 1
    return said((text[0].upper() + text[1:]) if word else text).removesuffix(".") + "."


def heading(text: str, line: str) -> list[str]:
    """A heading and an empty line."""
    return [text, line * len(text), ""]


def points(texts: Iterable[str]) -> list[str]:
    """A list with a point a text, and an empty line; nothing for no text."""
    lines = [f"- {text}" for text in texts]
    return [*lines, ""] if lines else []


def block(language: str, lines: Iterable[str]) -> list[str]:
    """A block of code."""
    return [f".. code-block:: {language}", "", *(f"   {line}".rstrip() for line in lines), ""]


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, widths: str = "auto", css: str = ""
) -> list[str]:
    """A table; without a head its first column is one."""
    lines = [".. list-table::", f"   :widths: {widths}"]
    lines.append("   :header-rows: 1" if head else "   :stub-columns: 1")
    if css:
        lines.append(f"   :class: {css}")
    lines.append("")
    for row in (head, *rows) if head else rows:
        lines += [f"   {'*' if at == 0 else ' '} - {cell}" for at, cell in enumerate(row)]
    return [*lines, ""]


def operands(values: Mapping[str, str]) -> str:
    """Values by name, quoted as a shell wants them."""
    return " ".join(f"'{x}'" if set(x) & set("%$|_") else x for x in pairs(values))


def pairs(values: Mapping[str, str]) -> list[str]:
    """A word a value."""
    return [f"{name}={bits}" for name, bits in values.items()]


def trace_block(ptx: str, values: Mapping[str, str], *options: str) -> list[str]:
    """A ``ptx-trace`` directive; an option is ``both`` or ``title: …``."""
    lines = [f".. ptx-trace:: {ptx}"]
    lines += [f"   :operands: {operands(values)}"] * bool(values)
    for option in options:
        name, _, value = option.partition(": ")
        lines.append(f"   :{name}: {value}".rstrip())
    return [*lines, ""]


def hidden_contents(pages: Iterable[str]) -> list[str]:
    """A table of contents that is shown at the side only."""
    return [".. toctree::", "   :hidden:", "", *(f"   {page}" for page in pages), ""]
