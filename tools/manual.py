"""Renew the manual: `python3 dev.py docs --renew`; with --check, list stale files instead.

docs/reference/ is generated. In the other pages, the output and the pictures of commands are
renewed, and so are the pictures of the explorer.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from typing import Final

from . import (
    manual_api,
    manual_pages,
    manual_pictures,
    manual_reference,
    manual_shown,
    notebook,
)
from .manual_text import format_link, format_text, make_heading, make_table

ROOT: Final = Path(__file__).resolve().parent.parent
REFERENCE: Final = ROOT / "docs" / "reference"
_LESSON_INTRODUCTION = """\
Learn these instructions by predicting what they compute. A lesson is a short tour over real traces
that ends in questions, and a wrong answer is explained by the mistake behind it.

Play a lesson with `ptxscope lesson lanes`, or press <kbd>L</kbd> in the explorer. Through a pipe,
and with `--plain`, it is played line by line. A lesson resumes where you left off. The pages below
are for reading; each ends with its answers."""


def make_files() -> dict[str, str]:
    """Return every generated file by its path under docs/reference/."""
    return (
        manual_pages.make_files()
        | manual_reference.make_files()
        | manual_api.make_files()
        | notebook.make_files()
        | _make_lessons()
    )


def _make_lessons() -> dict[str, str]:
    from ptxscope.features.lessons.lesson import list_files, list_headings, load_lesson
    from ptxscope.features.lessons.lesson_text import render

    lines = [*make_heading("Lessons"), _LESSON_INTRODUCTION, ""]
    for group, heads in groupby(list_headings(), lambda head: head.group):
        rows = (
            (
                format_link(head.title, f"lessons/{head.name}.md"),
                f"{head.minutes} min",
                format_text(head.summary),
            )
            for head in heads
        )
        lines += [*make_heading(group, 2), *make_table(("lesson", "time", "topic"), rows)]
    lessons = {f"lessons/{name}.md": render(load_lesson(name), "markdown") for name in list_files()}
    return {"lessons.md": "\n".join(lines)} | lessons


def find_stale_files() -> list[Path]:
    """Return the generated files that are stale or left over."""
    files = {REFERENCE / path: text for path, text in make_files().items()}
    stale = [
        path
        for path, text in files.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    return stale + [x for x in REFERENCE.rglob("*") if x.is_file() and x not in files]


def _renew_reference() -> None:
    files = make_files()
    for path in find_stale_files():
        text = files.get(path.relative_to(REFERENCE).as_posix())
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        print(f"renewed {path.relative_to(ROOT)}")


def main() -> None:
    """Renew the manual, or fail if a part is stale."""
    if "--check" in sys.argv:
        stale = find_stale_files()
        sys.exit("\n".join(f"stale: {path.relative_to(ROOT)}" for path in stale))
    notebook.write_notebook()
    _renew_reference()
    manual_shown.main()
    manual_pictures.renew_pictures()


if __name__ == "__main__":
    main()
