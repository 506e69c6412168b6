"""The lessons as pages of the manual: the list, and each to be read."""

from __future__ import annotations

from ptxscope.learn.lesson import Card, Lesson, list_files, list_headings, load_lesson
from ptxscope.learn.lesson_text import format_answer, picture_lines
from ptxscope.learn.text_templates import TemplatePieceKind, Text

from .manual_text import block, code, heading, hidden_contents, said, table

_PLAYED = """\
A lesson is a short tour over real traces, and ends in predictions: you say what comes out, and a
wrong answer is told by the mistake that gives it. In a terminal ``ptxscope lesson lanes`` plays
one, over ssh and through pipes too; ``ptxscope lesson lanes --explorer`` plays it on the real
picture, where :kbd:`L` lists them all. It goes on where it was left. What follows here is for
reading; each has its answers at the end."""


def pages() -> dict[str, str]:
    """Every page by its path under docs/."""
    found = {"lessons/index": _index()}
    for name in list_files():
        found[f"lessons/{name}"] = _page(load_lesson(name))
    return {path: "\n".join(lines).rstrip() + "\n" for path, lines in found.items()}


def _index() -> list[str]:
    rows = (
        (f":doc:`/lessons/{head.name}`", f"{head.minutes} min", f"{said(head.summary)}.")
        for head in list_headings()
    )
    lines = [*heading("Lessons", "="), *_PLAYED.splitlines(), ""]
    lines += table(("lesson", "takes", "about"), rows, widths="40 10 50")
    return lines + hidden_contents(list_files())


def _page(of: Lesson) -> list[str]:
    lines = heading(of.head.title, "=")
    lines += [f"{of.head.minutes} minutes: {said(of.head.summary)}.", ""]
    lines += block("console", [f"$ ptxscope lesson {of.head.name}"])
    before: Card | None = None
    for number, card in enumerate(of.cards, 1):
        lines += heading(f"{number}. {card.title}", "-")
        lines += [*block("none", picture_lines(card, before)), _marked(card.text), ""]
        before = card
    lines += heading("Answers", "-")
    for number, card in enumerate(of.cards, 1):
        if card.ask:
            lines += [f"**{number}.** {code(format_answer(card))}. {_marked(card.remark)}", ""]
    return lines


def _marked(text: Text) -> str:
    """As the manual's texts are written; what is taken from the trace is code too."""
    return said(
        "".join(
            piece.text if piece.kind is TemplatePieceKind.PLAIN else f"`{piece.text}`"
            for piece in text
            if piece.text
        )
    )
