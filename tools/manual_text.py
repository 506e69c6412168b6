"""Markdown for the generated pages of the manual."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ptxscope.documents.formats.markdown import escape_span, fence_text, format_code


def format_text(text: str) -> str:
    """Return a sentence of the engine as Markdown: `code` stays code, all else is escaped."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # a lone backtick
        return escape_span(text)
    return "".join(
        format_code(piece) if index % 2 else escape_span(piece)
        for index, piece in enumerate(pieces)
        if piece
    )


def format_sentence(text: str) -> str:
    """Return a text with a full stop, and with a capital if it begins with a word."""
    first = text.partition(" ")[0].rstrip(",:;")
    is_word = first.isalpha() and len(first) > 1
    return format_text(text[0].upper() + text[1:] if is_word else text).removesuffix(".") + "."


def format_link(text: str, target: str) -> str:
    """Return a link; the text is Markdown."""
    return f"[{text}]({target})"


def make_heading(text: str, level: int = 1) -> list[str]:
    """Return the lines of a heading; the text is Markdown."""
    return [f"{'#' * level} {text}", ""]


def make_list(texts: Iterable[str]) -> list[str]:
    """Return the lines of a list; none for an empty one."""
    lines = [f"- {text}" for text in texts]
    return [*lines, ""] if lines else []


def make_code_block(language: str, lines: Iterable[str]) -> list[str]:
    """Return the lines of a fenced block."""
    return [*fence_text("\n".join(lines), language).split("\n"), ""]


def make_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table. Without a head, the first column has the headings."""
    lines = [_format_row(head or ("", "")), _format_row(["---"] * (len(head) or 2))]
    return [*lines, *map(_format_row, rows), ""]


def _format_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("\n", " ") for cell in cells) + " |"


def format_cell_code(text: str) -> str:
    """Return a code span for a table, where a bar would end the cell."""
    return format_code(text).replace("|", "\\|")


def make_picture(description: str, path: str) -> list[str]:
    """Return the lines that show a picture."""
    return [f"![{escape_span(description)}]({path})", ""]


def list_assignments(values: Mapping[str, str]) -> list[str]:
    """Return ``name=bits`` for each value."""
    return [f"{name}={bits}" for name, bits in values.items()]
