"""Permalinks: the explorer's view as a readable fragment of an address.

``#vadd4.s32.s32.s32.sat+d,+a,+b,+c&a=0x80ff7f01&model=ptxas&step=3&v=1``: the line, the operands by
role, or by a block's registers as in ``&$q=0x12``, and the view. Everything in it is data: text
parsed as a line or as a value, a number, or a word of a list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote_plus, unquote_plus

from ...engine.isa.types import Role
from ...engine.syntax.errors import quote_word

MAX_PERMALINK_CHARS = 2000
"""Maximum characters of a permalink after ``#``."""
_VERSION = 1
_MAX_STEP = 999
_READABLE = "@!$*,;:/[]"
"""Unescaped characters besides letters, digits and ``_.-~``."""
_ROLES = frozenset(map(str, Role))
_TOOL_NAME = re.compile(r"[a-z][a-z_-]*+")
_FLAGS = ("both", "result", "predict")
"""Words of the view, each absent or ``1``."""


class PageLink(NamedTuple):
    """The content of a permalink."""

    line: str
    values: Mapping[str, str] = {}
    """Operands as written, by role; for a block by register, with a ``$`` before its name."""
    model: str = "isa"
    step: int = 0
    """Step from 1; 0 is the last one."""
    flags: frozenset[str] = frozenset()
    """Words of ``both`` (the steps of both answers), ``result`` (before its step), ``predict``."""
    tool: str = ""
    """The open tool; may be empty. An explorer may lack it."""
    text: str = ""
    """The text typed in it."""


def format_permalink(link: PageLink) -> str:
    """Return the fragment without ``#``; empty if it would be too long."""
    pairs = [*link.values.items()]
    pairs += [("model", link.model)] if link.model != "isa" else []
    pairs += [("step", str(link.step))] if link.step else []
    pairs += [(word, "1") for word in _FLAGS if word in link.flags]
    pairs += [(link.tool, link.text)] if link.tool else []
    pairs.append(("v", str(_VERSION)))
    parts = [_quote(link.line), *(f"{_quote(name)}={_quote(text)}" for name, text in pairs)]
    fragment = "&".join(parts)
    return fragment if len(fragment) <= MAX_PERMALINK_CHARS else ""


def format_line_permalink(line: str, values: Mapping[str, str]) -> str:
    """Return the fragment for a line with operands as written, by role."""
    return format_permalink(PageLink(line, values))


def parse_permalink(fragment: str) -> PageLink:
    """Parse a fragment without ``#``; raise ValueError, with the reason, for an invalid one."""
    if len(fragment) > MAX_PERMALINK_CHARS:
        raise ValueError(f"it has {len(fragment)} characters; the limit is {MAX_PERMALINK_CHARS:,}")
    line, *parts = fragment.split("&")
    pairs: dict[str, str] = {}
    for part in parts:
        name, equals, text = part.partition("=")
        name = _unquote(name)
        if not equals or name in pairs:
            reason = f"{name} is given twice" if equals else f"{quote_word(part)} is not name=value"
            raise ValueError(reason if part else "nothing follows an `&`")
        pairs[name] = _unquote(text)
    version = pairs.pop("v", str(_VERSION))
    if version != str(_VERSION):
        raise ValueError(f"its version is {quote_word(version)}; this page reads {_VERSION}")
    link = PageLink(_unquote(line))
    for name, text in pairs.items():
        link = _with_pair(link, name, text)
    return link


def _with_pair(link: PageLink, name: str, text: str) -> PageLink:
    if name in _ROLES or name.startswith("$"):
        return link._replace(values={**link.values, name: text})
    if name == "model":
        return link._replace(model=text)
    if name == "step":
        if text.isascii() and text.isdecimal() and int(text[:9]) <= _MAX_STEP:
            return link._replace(step=int(text))
        raise ValueError(f"step is {quote_word(text)}; it is a number up to {_MAX_STEP}")
    if name in _FLAGS:
        if text == "1":
            return link._replace(flags=link.flags | {name})
        raise ValueError(f"{name} is {quote_word(text)}; it is 1 or left out")
    if _TOOL_NAME.fullmatch(name):
        if not link.tool:
            return link._replace(tool=name, text=text)
        raise ValueError(f"it opens {link.tool} and {name}; one tool is open at a time")
    raise ValueError(f"{quote_word(name)} is not a name that it can have")


def _quote(text: str) -> str:
    return quote_plus(text, safe=_READABLE)


def _unquote(text: str) -> str:
    """Decode a text; raise ValueError unless it is UTF-8 without control characters."""
    try:
        decoded = unquote_plus(text, errors="strict")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    if any(ord(char) < 32 and char not in "\n\t" for char in decoded):
        raise ValueError("it has control characters")
    return decoded
