"""The styles of the texts in pictures: of traces, plots and sweeps."""

from __future__ import annotations

from typing import NamedTuple, Self

from .svg_colours import SvgColour
from .text_fitting import Fitted, fit_text, measure_text, wrap_text

_BOLD = 1.12
"""Width of bold letters of the proportional font, in that of usual ones."""


class TextStyle(NamedTuple):
    """The letters of a kind of text."""

    size: float
    colour: SvgColour = SvgColour.INK
    leading: float = 0
    """Distance of the lines of a paragraph in px."""
    is_monospaced: bool = False
    is_bold: bool = False
    is_italic: bool = False

    def with_size(self, size: float) -> Self:
        """Return the style in another size."""
        return self._replace(size=size)

    def with_weight(self, is_bold: bool) -> Self:
        """Return the style in bold letters, or usual ones."""
        return self._replace(is_bold=is_bold)

    def measure(self, text: str) -> float:
        """Return an upper bound of the width of a text in px."""
        width = measure_text(text, self.size, self.is_monospaced)
        return width * _BOLD if self.is_bold and not self.is_monospaced else width

    def wrap(self, text: str, width: float) -> list[str]:
        """Wrap a text at a width."""
        is_wide = self.is_bold and not self.is_monospaced
        return wrap_text(text, width / _BOLD if is_wide else width, self.size, self.is_monospaced)

    def fit(self, text: str, width: float) -> Fitted:
        """Return a text, with the size at which it fits."""
        return fit_text(text, width, self.size, self.is_monospaced)


TITLE = TextStyle(21, leading=27, is_bold=True)
"""Title of the author."""
HEADING = TextStyle(17, is_bold=True)
"""Heading of a part of the page."""
SUBHEADING = TextStyle(14, leading=18, is_bold=True)
"""Heading of a step."""
STRONG = TextStyle(12, leading=16, is_bold=True)
"""Words that stand out: truth values, warnings."""
EMPHASIS = TextStyle(11, SvgColour.MARK, is_bold=True)
"""Flags and clamps of a number."""
BODY = TextStyle(12, leading=16)
"""Sentences below the picture."""
QUOTE = TextStyle(12, leading=17, is_italic=True)
"""Notes of the author."""
CAPTION = TextStyle(13, leading=19, is_italic=True)
"""Caption of the author."""
REMARK = TextStyle(11.5, SvgColour.DIM, leading=16)
"""Sentences that belong to the whole picture, and names of columns."""
NOTE = TextStyle(11, SvgColour.DIM, leading=14.5)
"""Sentences beside their subject."""
OMISSION = TextStyle(10.5, SvgColour.DIM, leading=13, is_italic=True)
"""Remarks on omitted parts."""
SMALL = TextStyle(10, SvgColour.DIM, leading=13)
"""The smallest words: sources, labels, names in corners."""

RESULT = TextStyle(26, is_monospaced=True, is_bold=True)
"""Bits of the result."""
VALUE = TextStyle(17, is_monospaced=True, is_bold=True)
"""Outcome of an operation."""
BITS = TextStyle(15, is_monospaced=True, is_bold=True)
"""Bits in a box, and the number that they mean."""
CODE = TextStyle(14, is_monospaced=True, is_bold=True)
"""The instruction."""
LABEL = TextStyle(13, is_monospaced=True, is_bold=True)
"""Names of registers, results and axes."""
NAME = TextStyle(12, is_monospaced=True, is_bold=True)
"""Names beside truth values and words."""
TAG = TextStyle(11, SvgColour.DIM, is_monospaced=True, is_bold=True)
"""Names above values, and ticks that count."""
FORMULA = TextStyle(13, SvgColour.DIM, is_monospaced=True)
"""The operation, and the meaning of its result."""
DATUM = TextStyle(11, SvgColour.DIM, is_monospaced=True)
"""Numbers beside a picture: values of registers, ticks, code."""
