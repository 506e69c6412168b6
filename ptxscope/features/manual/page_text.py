"""A page of the manual as lines of text, wrapped to a width."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, zip_longest
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token


class PagePiece(NamedTuple):
    """Text in one style of the terminal, and the address of its link."""

    text: str
    style_name: str = ""
    href: str = ""


PageLine = list[PagePiece]


class PageText(NamedTuple):
    """The lines of a page, and the first line of each heading by its anchor."""

    lines: list[PageLine]
    anchors: dict[str, int]


_CODE_INDENT = "  "
_GAP = "  "
"""Blanks between the columns of a table."""
_MIN_COLUMNS = 6
"""Minimum columns of the last column of a table."""


def make_anchor(heading: str) -> str:
    """Return the anchor of a heading, as GitHub writes it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@lru_cache(8)
def lay_out_page(markdown: str, width: int) -> PageText:
    """Return a page as lines, without the first heading, which is the title of the screen."""
    page = PageText([], {})
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    leads = [""]
    """The blanks before the lines of each list around a block, the innermost last."""
    mark, number = "", 0
    rows: list[list[PageLine]] = []
    for index, token in enumerate(tokens):
        pieces = list(_iter_pieces(token.children or ()))
        match token.type:
            case "inline" if tokens[index - 1].type == "heading_open":
                heading = "".join(x.text for x in pieces)
                if page.anchors or page.lines:
                    _end_block(page)
                    page.anchors[make_anchor(heading)] = len(page.lines)
                    page.lines.append([PagePiece(heading, "strong")])
                else:
                    page.anchors[make_anchor(heading)] = 0
            case "inline" if tokens[index - 1].type in ("th_open", "td_open"):
                rows[-1].append(pieces)
            case "inline":
                if mark == "":
                    _end_block(page)
                first, mark = leads[-1][: len(leads[-1]) - len(mark)] + mark, ""
                page.lines.extend(_wrap(pieces, width, first, leads[-1]))
            case "bullet_list_open" | "ordered_list_open":
                _end_block(page)
                number = int(token.attrGet("start") or 1)
            case "list_item_open":
                mark = f"{number}. " if token.markup in (".", ")") else "• "
                number += 1
                leads.append(leads[-1] + " " * len(mark))
            case "list_item_close":
                leads.pop()
            case "fence" | "code_block":
                _end_block(page)
                page.lines.extend(_draw_code(token.content, leads[-1] + _CODE_INDENT, width))
            case "table_open":
                rows = []
            case "tr_open":
                rows.append([])
            case "table_close":
                _end_block(page)
                page.lines.extend(_draw_table(rows, width))
    return page


def _end_block(page: PageText) -> None:
    if page.lines and page.lines[-1]:
        page.lines.append([])


def _iter_pieces(tokens: Iterable[Token]) -> Iterator[PagePiece]:
    """Yield the text of a paragraph, with keys and links in the style of the focus."""
    href, is_key, is_strong = "", False, False
    for token in tokens:
        style_name = "focus" if href or is_key else "strong" if is_strong else ""
        match token.type:
            case "text":
                yield PagePiece(token.content, style_name, href)
            case "code_inline":
                yield PagePiece(token.content, style_name or "strong", href)
            case "softbreak" | "hardbreak":
                yield PagePiece(" ", style_name, href)
            case "image":
                words = (child.content or " " for child in token.children or ())
                yield PagePiece(f"[{' '.join(''.join(words).split())}]", "quiet")
            case "link_open":
                href = str(token.attrGet("href") or "")
            case "link_close":
                href = ""
            case "strong_open" | "strong_close":
                is_strong = token.type == "strong_open"
            case "html_inline" if "kbd" in token.content:
                is_key = not token.content.startswith("</")


def _split_words(pieces: Iterable[PagePiece]) -> Iterator[PageLine]:
    """Yield words, each with the pieces that touch each other."""
    word: PageLine = []
    for piece in pieces:
        for part in re.split(r"( +)", piece.text):
            if part.strip():
                word.append(piece._replace(text=part))
            elif part and word:
                yield word
                word = []
    if word:
        yield word


def _measure(line: Sequence[PagePiece]) -> int:
    return sum(len(x.text) for x in line)


def _wrap(
    pieces: Iterable[PagePiece], width: int, first: str = "", lead: str = ""
) -> Iterator[PageLine]:
    """Yield pieces as lines of whole words, with a lead before the first and the other lines."""
    line, is_empty = [PagePiece(first)], True
    room = max(width - len(lead), 1)
    for word in chain.from_iterable(_break_word(x, room) for x in _split_words(pieces)):
        if not is_empty and _measure(line) + 1 + _measure(word) > width:
            yield line
            line, is_empty = [PagePiece(lead)], True
        if not is_empty:
            joint = PagePiece(" ")
            if word[0].href and word[0].href == line[-1].href:
                joint = word[0]._replace(text=" ")
            line.append(joint)
        line += word
        is_empty = False
    yield line


def _break_word(word: PageLine, room: int) -> Iterator[PageLine]:
    """Yield a word in parts that each fit in a line."""
    part: PageLine = []
    for piece in word:
        text = piece.text
        while text:
            size = room - _measure(part)
            part.append(piece._replace(text=text[:size]))
            text = text[size:]
            if _measure(part) == room:
                yield part
                part = []
    if part:
        yield part


def _draw_code(code: str, lead: str, width: int) -> Iterator[PageLine]:
    for line in code.expandtabs(4).splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        room = max(width - len(lead), 12)
        parts = textwrap.wrap(
            _narrow_gap(line, room), room,
            subsequent_indent=indent[: room // 2], break_on_hyphens=False,
        )  # fmt: skip
        yield from ([PagePiece(f"{lead}{part}", "")] for part in parts or [""])


def _narrow_gap(line: str, room: int) -> str:
    """Return a line whose longest gap is shorter if the line is too long.

    A command puts words at the right edge of 80 columns.
    """
    gap = max(re.findall(r"(?<=\S) +", line), default="")
    if len(line) <= room or len(gap) < len(_GAP):
        return line
    before, _, after = line.rpartition(gap)
    return before + " " * max(len(_GAP), len(gap) - len(line) + room) + after


def _draw_table(rows: Sequence[Sequence[PageLine]], width: int) -> Iterator[PageLine]:
    """Yield the rows of a table; if there is too little room, the last column gets most of it."""
    columns = [max(map(_measure, cells)) for cells in zip(*rows, strict=False)]
    room = width - len(_GAP) * (len(columns) - 1)
    if sum(columns) > room:
        share = room // (len(columns) + 1)
        words = [
            max((_measure(word) for cell in cells for word in _split_words(cell)), default=0)
            for cells in zip(*rows, strict=False)
        ]
        columns = [min(x, max(share, word)) for x, word in zip(columns, words, strict=True)][:-1]
        columns.append(max(room - sum(columns), _MIN_COLUMNS))
    for number, row in enumerate(rows):
        cells = [list(_wrap(x, n)) for x, n in zip(row, columns, strict=False)]
        for parts in zip_longest(*cells, fillvalue=list[PagePiece]()):
            line: PageLine = []
            for part, column in zip(parts, columns, strict=True):
                if number == 0:
                    part = [x._replace(style_name="quiet") for x in part]
                line += [*part, PagePiece(" " * (column - _measure(part)) + _GAP)]
            yield line
        if max(map(len, cells)) > 1:
            yield []
