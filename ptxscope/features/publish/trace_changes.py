"""Changes of a trace that is rendered again: of its results, its steps or only its looks."""

from __future__ import annotations

import re
from collections.abc import Iterable

_MARKUP = re.compile(r"<style>[^<]*+</style>|<[^>]*+>|[`*\\]|(?<=`)\+|\+(?=`)")
_FOOTER = re.compile(r"^.*(?:PTX ISA|ptxscope trace).*$", re.MULTILINE)
"""Lines with an edition, a version or a command."""
_NUMBER = re.compile(r"(?<![\w.%$])-?+\d\w*+")


def describe_change(old: str, new: str, names: Iterable[str] = ()) -> str:
    """Return how a new text of a trace with these results differs from the old one.

    The texts include the descriptions of pictures.
    """
    if not old.strip(" \t\r\n>"):
        return "there is no trace yet"
    old, new = (_MARKUP.sub("", text) for text in (old, new))
    results = [(name, _find_result(old, name), _find_result(new, name)) for name in names]
    changes = [f"{name} was {was}, is {is_}" for name, was, is_ in results if was and was != is_]
    if changes:
        return "; ".join(changes)
    if _list_numbers(old) == _list_numbers(new):
        return "only the drawing or the wording changed"
    has_results = bool(results) and all(was for _, was, _ in results)
    return "the steps changed, the result did not" if has_results else "the values changed"


def _find_result(text: str, name: str) -> str:
    """Return the last value of a destination in a text; may be empty."""
    values = re.findall(rf"(?<![\w%$]){re.escape(name)}\s*+=\s*+(0x[0-9a-f]++|[01]\b)", text)
    return str(values[-1]) if values else ""


def _list_numbers(text: str) -> list[str]:
    return _NUMBER.findall(_FOOTER.sub("", text))
