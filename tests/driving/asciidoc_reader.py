"""A reading of the AsciiDoc that documents use: blocks, tables, code, emphasis, character numbers.

It is strict: whatever would be markup that is not known here, or a block that begins as none
should, is an error. Where Asciidoctor was at hand, it read the same.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_SPANS = re.compile(
    r"`\+(?P<code>.+?)\+`(?!\w)|``(?P<odd>(?:&#\d+;)+)``|&#(?P<number>\d+);"
    r"|(?<![\w*])\*(?P<strong>[^*]+)\*(?![\w*])|(?<![\w_])_(?P<emphasis>[^_]+)_(?![\w_])"
)
_MARKUP = re.compile(r"[][<>*_`#^~+{}|\\'@&]|::|;;|://|--|\.\.\.|\(\(|\$\$|\((?:C|R|TM)\)")
_STARTS = re.compile(r"[^\w&`*]|(?!_)\w+[.)](?:\s|$)|[A-Z]+:\s")


class Block(NamedTuple):
    """A block; ``rows`` is a table's."""

    kind: str
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


def inline(text: str) -> str:
    """What a reader sees of a line; raises AssertionError where it would be read otherwise."""
    seen, at = "", 0
    for found in _SPANS.finditer(text):
        seen += _plain(text[at : found.start()])
        at = found.end()
        if number := found["number"]:
            seen += chr(int(number))
            assert text[at : at + 1] != ";", text  # `;;` ends a term
        elif code := found["code"]:
            seen += code
        elif odd := found["odd"]:
            seen += "".join(chr(int(x)) for x in re.findall(r"\d+", odd))
        else:
            seen += inline(found["strong"] or found["emphasis"])
    return seen + _plain(text[at:])


def _plain(text: str) -> str:
    assert not _MARKUP.search(text), text
    return text


def blocks(document: str) -> list[Block]:
    found, lines, at = [], document.split("\n"), 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line or re.fullmatch(
            r'\[(discrete|source,\w+|%header%autowidth,cols="\d+\*")\]', line
        ):
            continue
        if re.fullmatch("-{4,}", line):
            end = lines.index(line, at)
            found.append(Block("code", "\n".join(lines[at:end])))
            at = end + 1
        elif line == "|===":
            end = lines.index(line, at)
            columns = re.search(r"(\d+)\*", lines[at - 2])
            assert columns
            found.append(Block("table", rows=_rows(lines[at:end], int(columns[1]))))
            at = end + 1
        elif heading := re.fullmatch(r"=+ (.*)", line):
            found.append(Block("heading", inline(heading[1])))
        else:
            found.append(_paragraph(line))
            assert at == len(lines) or lines[at][:2] in ("", "* ", ". "), lines[at]
    return found


def _paragraph(line: str) -> Block:
    for lead, kind in (("NOTE: ", "note"), ("* ", "item"), (". ", "item")):
        if line.startswith(lead):
            return Block(kind, inline(line.removeprefix(lead)))
    assert not _STARTS.match(line), line
    return Block("paragraph", inline(line))


def _rows(lines: list[str], columns: int) -> tuple[tuple[str, ...], ...]:
    _, *cells = re.split(r"(?<!\\)\|", "\n".join(lines))
    assert len(cells) % columns == 0, lines
    texts = [inline(cell.replace("\\|", "|").strip("\n")) for cell in cells]
    return tuple(tuple(texts[at : at + columns]) for at in range(0, len(texts), columns))
