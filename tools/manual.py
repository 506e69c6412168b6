"""Write the pages of the manual that are made of data: `python3 dev.py docs` has it done.

They are made anew whenever Sphinx starts, into docs/, where git passes over them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ptxscope.export.svg.svg_colours import PALETTE

from . import manual_lessons, manual_pages, manual_reference

FOLDERS: Final = ("instructions", "errata", "commands", "lessons")
"""Those of docs/ in which nothing is written by hand."""
FILES: Final = ("expectations", "json", "published")
"""The pages beside these folders that are made too."""

STYLE: Final = "themes.css"


def pages() -> dict[str, str]:
    """Every page that is made, by its path under docs/ without its ending."""
    return manual_pages.pages() | manual_reference.pages() | manual_lessons.pages()


def themes() -> str:
    """A style sheet: pictures follow the theme that a reader has chosen, whatever the system's."""
    rules = []
    for at, theme in enumerate(("light", "dark")):
        inks = "".join(f"--px-{ink}:{colours[at]};" for ink, colours in PALETTE.items())
        rules.append(f'body[data-theme="{theme}"] .px-svg.px-auto{{{inks}}}\n')
    return "".join(rules)


def make(docs: Path) -> None:
    """Write what is new, and remove pages that are made no longer."""
    made = pages()
    (docs / "_static" / STYLE).write_text(themes(), encoding="utf-8")
    for path, text in made.items():
        file = docs / f"{path}.rst"
        file.parent.mkdir(exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
    for folder in FOLDERS:
        for file in (docs / folder).glob("*.rst"):
            if f"{folder}/{file.stem}" not in made:
                file.unlink()
