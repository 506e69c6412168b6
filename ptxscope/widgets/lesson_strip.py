"""The strip of a lesson: a card's text, its question and the answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType

from ..learn.text_templates import TemplatePieceKind, Text
from ..state.lesson_transitions import (
    ask_answer,
    give_card_hint,
    go_on,
    leave_card,
    reveal_answer,
    turn_card,
)
from .base.pane import Pane, StyledLine, StyledText

_STYLE_NAMES = {
    TemplatePieceKind.PLAIN: "",
    TemplatePieceKind.CODE: "strong",
    TemplatePieceKind.VALUE: "value",
}
_CARD_TRANSITIONS: dict[str, tuple[Any, ...]] = {
    "next": (turn_card, 1),
    "back": (turn_card, -1),
    "enter": (go_on,),
    "reveal": (reveal_answer,),
    "leave": (leave_card,),
}
"""The transitions of the keys, with their arguments."""
_START_CHARS = "0123456789-+[."
"""The first characters of every answer."""


class LessonParagraph(NamedTuple):
    """A paragraph of the strip."""

    text: Text
    style_name: str = ""
    """The style of its plain text."""


class StripCard(NamedTuple):
    """A card as the strip shows it."""

    titles: tuple[str, ...]
    """Of these the first that fits stands above."""
    paragraphs: tuple[LessonParagraph, ...] = ()
    is_asking: bool = False
    """Whether one may answer."""
    is_first: bool = True
    letters: str = ""
    """The letters with which an answer may begin, unless they are keys of the lesson."""


class LessonStrip(Pane):
    """A card of a lesson. Its keys move between cards, wherever the picture is."""

    BINDING_GROUP_TITLE = "Lesson"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,right", "card('next')", "next", id="step.next"),
        Binding("N,left", "card('back')", "back", id="step.back"),
        Binding("b,backspace", "card('back')", "back", show=False),
        Binding("enter", "card('enter')", "go on"),
        Binding("question_mark,h", "hint", "hint"),
        Binding("s", "card('reveal')", "show it"),
        Binding("escape", "card('leave')", "leave", key_display="Esc"),
    ]
    DEFAULT_CSS = """
    LessonStrip { height: auto; max-height: 55%; background: $surface; overflow-y: auto; }
    """

    def __init__(self) -> None:
        super().__init__("lesson-view", "Lesson")
        self._card = StripCard(("Lesson",))

    def show_card(self, card: StripCard) -> None:
        """Show a card."""
        self._card = card
        self.redraw_lines()
        self.refresh(layout=True)

    def end(self) -> None:
        """Scroll to the latest text."""
        self.scroll_end(animate=False)

    def draw(self, width: int) -> list[StyledLine]:
        """Return the paragraphs, wrapped."""
        fitting = (title for title in self._card.titles if cell_len(title) < width)
        title = next(fitting, self._card.titles[-1])
        if title != self.border_title:
            self.border_title = title
        lines: list[StyledLine] = []
        for paragraph in self._card.paragraphs:
            lines += _wrap_paragraph(paragraph, width)
        return lines

    # --- keys ------------------------------------------------------------------------------

    def label_of(self, action: str, label: str) -> str:
        """Return a key's label on this card; empty if it has no effect of its own."""
        if action in ("hint", "card('reveal')") and not self._card.is_asking:
            return ""
        if action == "card('back')" and self._card.is_first:
            return ""
        return "answer" if action == "card('enter')" and self._card.is_asking else label

    def on_key(self, event: events.Key) -> None:
        """Start an answer with its first character."""
        if event.character and self.check_consume_key(event.key, event.character):
            event.stop()
            event.prevent_default()
            self.do(ask_answer, event.character)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key starts an answer. Overrides Textual."""
        keys = self._bindings.key_to_bindings
        letters = _START_CHARS + "".join(x for x in self._card.letters if x not in keys)
        return self._card.is_asking and bool(character and character in letters)

    def action_card(self, name: str) -> None:
        """Turn the card, answer it, show its result or leave the lesson."""
        self.do(*_CARD_TRANSITIONS[name])

    async def action_hint(self) -> None:
        """Show a hint or, without a question, help on the keys."""
        if self._card.is_asking:
            self.do(give_card_hint)
        else:
            await self.run_action("screen.do('help')")


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
        *whole_words, last = piece.text.split(" ")
        for part in whole_words:
            yield [*word, StyledText(f"{part} ", style_name)]
            word = []
        if last:
            word.append(StyledText(last, style_name))
    if word:
        yield word
