"""The manual: `python3 dev.py docs` builds it into docs/_build."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ptxscope import __version__
from ptxscope.documents.svg.svg_colours import PALETTE
from ptxscope.feature import Service, find_services
from tools.markdown_parser import ENGINE_FOLDER, MarkdownParser

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "ptxscope"
author = "ptxscope developers"
copyright = "2026, ptxscope developers"  # noqa: A001
release = version = __version__
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "dev/architecture.md", "dev/releasing.md"]
smartquotes = False  # of `--` in a sentence they would make a dash
highlight_language = "none"
html_theme = "furo"
html_title = f"ptxscope {release}"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["manual.css", "themes.css"]
html_js_files = ["manual.js"]


def write_themes(app: Sphinx) -> None:
    """Write a style sheet by which pictures follow the theme that a reader has chosen."""
    rules = []
    for index, theme in enumerate(("light", "dark")):
        colours = "".join(f"--px-{name}:{pair[index]};" for name, pair in PALETTE.items())
        rules.append(f'body[data-theme="{theme}"] .px-svg.px-auto{{{colours}}}\n')
    (Path(app.srcdir) / "_static" / "themes.css").write_text("".join(rules), encoding="utf-8")


def write_engine(app: Sphinx, error: Exception | None) -> None:
    """Write what the live figures of the instructions load."""
    if error is None and app.builder.format == "html":
        for write in find_services(Service.WRITE_LIVE_ENGINE):
            write(Path(app.outdir) / "_static" / ENGINE_FOLDER, None)


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.add_source_parser(MarkdownParser)
    app.connect("builder-inited", write_themes)
    app.connect("build-finished", write_engine)
