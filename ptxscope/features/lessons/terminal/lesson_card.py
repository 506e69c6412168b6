"""The card of a lesson: its title and its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from ....widgets.base.pane import Pane, StyledLine, StyledText
from ..text_templates import TemplatePieceKind, Text
from .titled_screen import MAX_COLUMNS

_STYLE_NAMES = {
    TemplatePieceKind.PLAIN: "",
    TemplatePieceKind.CODE: "strong",
    TemplatePieceKind.VALUE: "strong",
}
_UNBROKEN_CHARS = 20
"""Length up to which code, or a value, stays on one line."""


class LessonParagraph(NamedTuple):
    """A paragraph of a card."""

    text: Text
    style_name: str = ""
    """The style of its plain text."""


class LessonCard(Pane):
    """Paragraphs under a title. Its screen has the keys."""

    DEFAULT_CSS = """
    LessonCard { height: auto; max-height: 45%; overflow-y: auto; }
    """

    def __init__(self, id: str = "lesson-card") -> None:  # noqa: A002
        super().__init__(id, "Lesson")
        self._paragraphs: Sequence[LessonParagraph] = ()

    def show(self, paragraphs: Sequence[LessonParagraph]) -> None:
        """Show paragraphs, from the first."""
        self._paragraphs = paragraphs
        self.redraw_lines()
        self.refresh(layout=True)
        self.scroll_home(animate=False)

    def draw(self, width: int) -> list[StyledLine]:
        """Return the paragraphs, wrapped."""
        return [
            line
            for paragraph in self._paragraphs
            for line in _wrap_paragraph(paragraph, min(width, MAX_COLUMNS))
        ]


def _wrap_paragraph(paragraph: LessonParagraph, width: int) -> Iterator[StyledLine]:
    """Yield a paragraph in lines: words remain whole if they fit."""
    line, column = StyledLine(), 0
    for word in _iter_words(paragraph):
        if not word:
            yield from (line, [])
            line, column = [], 0
            continue
        word_width = sum(cell_len(piece.text) for piece in word)
        if column and column + word_width - word[-1].text.endswith(" ") > width:
            yield line
            line, column = [], 0
        if word_width - 1 > width:  # longer than any line
            for piece in word:
                yield from (
                    [StyledText(part, piece.style_name)] for part in _split_text(piece.text, width)
                )
            continue
        line += word
        column += word_width
    if line:
        yield line


def _split_text(text: str, width: int) -> list[str]:
    return [text[index : index + width] for index in range(0, len(text), max(width, 1))]


def _iter_words(paragraph: LessonParagraph) -> Iterator[StyledLine]:
    """Yield words with the blank after them, except at the end."""
    word: StyledLine = []
    for piece in paragraph.text:
        if piece.text == "\n\n":
            yield from (word, [])
            word = []
            continue
        style_name = _STYLE_NAMES[piece.kind] or paragraph.style_name
        is_whole = piece.kind is not TemplatePieceKind.PLAIN and len(piece.text) <= _UNBROKEN_CHARS
        *whole_words, last = (piece.text,) if is_whole else piece.text.split(" ")
        for part in whole_words:
            yield [*word, StyledText(f"{part} ", style_name)]
            word = []
        if last:
            word.append(StyledText(last, style_name))
    if word:
        yield word
