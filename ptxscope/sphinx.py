"""A Sphinx extension: ``.. ptx-trace::`` puts a trace into a manual.

    .. ptx-trace:: vadd4.s32.s32.s32.sat d, a, b, c
       :operands: a=0x7f80ff01 b=0x01ff0280 c=0
       :format: svg
       :title: Saturation
       :notes: saturate=the clamp is why 128 becomes 127

HTML builders show it as HTML or as SVG; others show the text form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from . import __version__
from .cli import CommandError
from .cli.arguments import split_words
from .cli.trace import rendered

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

_FORMATS = ("html", "svg", "text")
_log = logging.getLogger(__name__)


def _format(text: str) -> str:
    return directives.choice(text, _FORMATS)


class TraceDirective(SphinxDirective):
    """One evaluation, traced."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {
        "operands": directives.unchanged_required,
        "format": _format,
        "model": directives.unchanged_required,
        "steps": directives.unchanged_required,
        "until": directives.unchanged_required,
        "notes": directives.unchanged_required,
        "title": directives.unchanged_required,
        "caption": directives.unchanged_required,
        "both": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        """The trace for HTML builders, and its text for the others."""
        format_ = self.options.get("format", "html")
        try:
            words = self._words()
            shown = rendered([*words, "-f", format_])
            text = shown if format_ == "text" else rendered([*words, "-f", "text"])
        except (CommandError, ValueError) as error:
            _log.warning("ptx-trace: %s", error, location=self.get_location(), type="ptxscope")
            return [nodes.literal_block(self.block_text, self.block_text, language="none")]
        if format_ == "text":
            return [nodes.literal_block(shown, shown, language="none")]
        figure = f'<div class="ptx-trace">\n{shown}</div>\n'
        return [
            addnodes.only("", nodes.raw("", figure, format="html"), expr="html"),
            addnodes.only("", nodes.literal_block(text, text, language="none"), expr="not html"),
        ]

    def _words(self) -> list[str]:
        """The arguments of ``ptxscope trace``."""
        options = self.options
        words = [self.arguments[0].replace("\n", " "), *split_words(options.get("operands", ""))]
        words += [
            f"--{name}={' '.join(options[name].split())}"
            for name in ("model", "steps", "until", "title", "caption")
            if name in options
        ]
        notes = options.get("notes", "").splitlines()
        words += [f"--note={note.strip()}" for note in notes if note.strip()]
        return words + ["--both"] * ("both" in options)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("ptx-trace", TraceDirective)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}
