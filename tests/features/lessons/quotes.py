"""The numbers that a lesson's text takes from a trace, and whether a picture shows them."""

from __future__ import annotations

import re

from ptxscope.features.lessons.text_templates import TemplatePieceKind, Text

_HEX = re.compile(r"\b0[xX][0-9a-fA-F]+")
_BARE_HEX = re.compile(r"\b[0-9a-f]{2,16}\b")
"""As bytes stand in a lane: ``ff``, ``128 -> 80``."""
_DECIMAL = re.compile(r"(?<![\w])(?<!\d[.])-?\d+(?:\.\d+)?(?!\w)")


def quoted_numbers(text: Text) -> list[str]:
    """Every number in the values that a text quotes."""
    values = [piece.text for piece in text if piece.kind is TemplatePieceKind.VALUE]
    return [number for value in values for number in (*_HEX.findall(value), *_decimals(value))]


def missing_numbers(text: Text, shown: str) -> list[str]:
    """The quoted numbers that are not in a picture."""
    shown = shown.replace("\N{MINUS SIGN}", "-")
    hexes = {int(x, 16) for x in (*_HEX.findall(shown), *_BARE_HEX.findall(shown))}
    decimals = {float(x) for x in _decimals(shown)}
    return [
        number
        for number in quoted_numbers(text)
        if (int(number, 16) not in hexes if "x" in number else float(number) not in decimals)
    ]


def _decimals(text: str) -> list[str]:
    return _DECIMAL.findall(_HEX.sub(" ", text))
