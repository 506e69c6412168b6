"""A live figure in a browser: ``ptxscope trace`` on operands that a reader edits."""

from __future__ import annotations

import json
from functools import partial

from ...cli.commands.trace import parse_request
from ...cli.support.streams import CommandError
from ...documents import export
from ...documents.media.frames import render_for_column
from ...engine.syntax.errors import make_printable_lines


class LiveFigure:
    """The arguments of ``ptxscope trace`` that make a figure, without the operands."""

    def __init__(self, words: str) -> None:
        """Take the arguments as a list in JSON."""
        self._words: list[str] = json.loads(words)
        _, _, arguments = parse_request(self._words)
        self._fixed_words = [word for word in self._words if word not in arguments.values]

    def render(self, values: str) -> str:
        """Return the document for operands by name, typed texts in JSON.

        The answer is JSON: ``document``, or ``error`` if a text is no value.
        """
        assigned = [f"{name}={text}" for name, text in json.loads(values).items()]
        try:
            trace, options, arguments = parse_request([*self._fixed_words, *assigned])
            is_svg = arguments.format == "svg"
            render = render_for_column if is_svg else partial(export, format=arguments.format)
            document = str(render(trace, options=options))
        except CommandError as error:
            return json.dumps({"error": make_printable_lines(str(error))})
        return json.dumps({"document": document})
