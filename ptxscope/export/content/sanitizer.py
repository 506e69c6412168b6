"""A writer's own text, kept as it is but for what could do something where it is shown.

Documents keep what scripts and typesetting need: blanks that do not break, joiners, soft hyphens,
writing from right to left. What a terminal is shown is made stricter where it is written to it.
"""

from __future__ import annotations

import re
from functools import cache

_BLANK = "\t\n\v\f\r\x85\u2028\u2029"
"""Ends of lines and the like: a title is one line."""
_MARK = "\N{REPLACEMENT CHARACTER}"
_CONTROLS = "\0-\x1f\x7f-\x9f\u2028\u2029"
_NONE = "\ud800-\udfff\ufdd0-\ufdef"
"""Half characters, and what is no character; so are the last two of each plane."""
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
    """The text with every control, half character and unpaired change of direction made visible.

    Ends of lines become blanks. Markup is left to the format to escape.
    """
    if text.isascii() and text.isprintable():
        return text
    return _make_control_pattern().sub(_make_visible, _pair_directions(text))


def _make_visible(found: re.Match[str]) -> str:
    char = found[0]
    if char in _BLANK:
        return " "
    return chr(0x2400 + ord(char)) if char < " " else "\u2421" if char == "\x7f" else _MARK


def _pair_directions(text: str) -> str:
    """The text without changes of direction that nothing ends, or ends of none."""
    unpaired: set[int] = set()
    opened: list[int] = []  # isolates, and the embeddings within them
    isolates = 0
    for found in _make_direction_pattern().finditer(text):
        at, char = found.start(), found[0]
        if char in _EMBEDDINGS or char in _ISOLATES:
            opened.append(at)
            isolates += char in _ISOLATES
        elif char == _END_EMBEDDING and opened and text[opened[-1]] in _EMBEDDINGS:
            opened.pop()
        elif char == _END_ISOLATE and isolates:
            while text[opened[-1]] in _EMBEDDINGS:  # ended with the isolate that they stand in
                unpaired.add(opened.pop())
            opened.pop()
            isolates -= 1
        else:
            unpaired.add(at)
    unpaired.update(opened)
    if not unpaired:
        return text
    return "".join(_MARK if at in unpaired else char for at, char in enumerate(text))
