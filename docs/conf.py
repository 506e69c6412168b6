"""The manual: `python3 dev.py docs` builds it into docs/_build."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from ptxscope import __version__  # noqa: E402
from tools import manual, manual_pictures  # noqa: E402
from tools.manual_text import said  # noqa: E402

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "ptxscope"
author = "ptxscope developers"
copyright = "2026, ptxscope developers"  # noqa: A001
release = version = __version__
extensions = ["ptxscope.sphinx", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "*.md"]
default_role = "code"
smartquotes = False  # of `--` in a sentence it would make a dash
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
autodoc_member_order = "bysource"
highlight_language = "none"
html_theme = "furo"
html_title = f"ptxscope {release}"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["manual.css", manual.STYLE]
html_js_files = ["manual.js"]

_CODE = re.compile(r"``[^`]++``|`[^`]++`")


def make_pages(app: Sphinx) -> None:
    """Write the pages and pictures that are made of data."""
    manual.make(Path(app.srcdir))
    manual_pictures.make(Path(app.srcdir) / manual_pictures.FOLDER)


def as_rst(
    _app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Make reStructuredText of a docstring: code in it stands in single or double backticks."""
    if lines and lines[0].startswith("Alias for field number"):  # of a field without one
        lines.clear()
    for at, line in enumerate(lines):
        code = [found[0].strip("`") for found in _CODE.finditer(line)]
        plain = _CODE.split(line)
        mixed = [f"{text}`{literal}`" for text, literal in zip(plain, code, strict=False)]
        indent = line[: len(line) - len(line.lstrip())]
        lines[at] = indent + said("".join((*mixed, plain[-1])).lstrip())


def makes(
    _app: Sphinx, _what: str, name: str, _object: object, _skip: bool, _options: object
) -> bool | None:
    """Pass over how a record is made: its fields are told."""
    return True if name in ("__init__", "__new__") else None


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("builder-inited", make_pages)
    app.connect("autodoc-process-docstring", as_rst)
    app.connect("autodoc-skip-member", makes)
