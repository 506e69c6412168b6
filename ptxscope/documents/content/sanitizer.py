"""The author's text, safe for display and otherwise unchanged.

Documents preserve the characters that scripts and typesetting need: non-breaking spaces, joiners,
soft hyphens, right-to-left writing. Output to a terminal is stricter.
"""

from __future__ import annotations

import re
from functools import cache

_BLANK = "\t\n\v\f\r\x85\u2028\u2029"
"""Characters that become blanks: line ends and the like, because a title is one line."""
_MARK = "\N{REPLACEMENT CHARACTER}"
_CONTROLS = "\0-\x1f\x7f-\x9f\u2028\u2029"
_NONE = "\ud800-\udfff\ufdd0-\ufdef"
"""Surrogates and noncharacters, including the last two of each plane."""
_EMBEDDINGS, _ISOLATES = "\u202a\u202b\u202d\u202e", "\u2066\u2067\u2068"
_END_EMBEDDING, _END_ISOLATE = "\u202c", "\u2069"


@cache
def _make_control_pattern() -> re.Pattern[str]:
    ends = (chr(plane << 16 | end) for plane in range(17) for end in (0xFFFE, 0xFFFF))
    return re.compile(f"[{_CONTROLS}{_NONE}{''.join(ends)}]")


@cache
def _make_direction_pattern() -> re.Pattern[str]:
    return re.compile("[\u202a-\u202e\u2066-\u2069]")


def sanitize_text(text: str) -> str:
    """Make every control character, surrogate and unpaired change of direction visible.

    Line ends become blanks. Each format escapes its own markup.
    """
    if text.isascii() and text.isprintable():
        return text
    return show_controls(_pair_directions(text))


def show_controls(text: str) -> str:
    """Replace each control and noncharacter by a visible one, and line ends by spaces."""
    return _make_control_pattern().sub(_make_visible, text)


def _make_visible(match: re.Match[str]) -> str:
    char = match[0]
    if char in _BLANK:
        return " "
    return chr(0x2400 + ord(char)) if char < " " else "\u2421" if char == "\x7f" else _MARK


def _pair_directions(text: str) -> str:
    """Mark unclosed changes of direction, and ends without a beginning."""
    unpaired: set[int] = set()
    open_indices: list[int] = []  # isolates, and the embeddings within them
    isolates = 0
    for match in _make_direction_pattern().finditer(text):
        index, char = match.start(), match[0]
        if char in _EMBEDDINGS or char in _ISOLATES:
            open_indices.append(index)
            isolates += char in _ISOLATES
        elif char == _END_EMBEDDING and open_indices and text[open_indices[-1]] in _EMBEDDINGS:
            open_indices.pop()
        elif char == _END_ISOLATE and isolates:
            while (
                text[open_indices[-1]] in _EMBEDDINGS
            ):  # the end of an isolate ends its embeddings
                unpaired.add(open_indices.pop())
            open_indices.pop()
            isolates -= 1
        else:
            unpaired.add(index)
    unpaired.update(open_indices)
    if not unpaired:
        return text
    return "".join(_MARK if index in unpaired else char for index, char in enumerate(text))
