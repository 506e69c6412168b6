"""Findings as SARIF 2.1.0, which GitHub and others show beside the lines they are about.

The log is written piece by piece, so that a long listing takes no memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from .. import __version__
from ..engine.listings.lint import RULES, Finding, Found
from .data import dumps

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(found: Iterable[Found]) -> Iterator[str]:
    """The log in pieces: everything but what is simply legal."""
    head = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "ptxscope", "version": __version__, "rules": _RULES}},
                "columnKind": "unicodeCodePoints",
                "results": [],
            }
        ],
    }
    begin, end = json.dumps(head).rsplit("[]", 1)
    yield f"{begin}["
    comma = "\n"
    for item in found:
        for finding in item.findings:
            yield comma + dumps(_result(item, finding))
            comma = ",\n"
    yield f"]{end}\n"


_RULES: list[dict[str, Any]] = [
    {
        "id": id_,
        "shortDescription": {"text": about},
        "defaultConfiguration": {"level": str(severity)},
    }
    for id_, (severity, about) in RULES.items()
]
_INDEX = {id_: index for index, id_ in enumerate(RULES)}


def _result(item: Found, finding: Finding) -> dict[str, Any]:
    place = finding.place
    region = {
        "startLine": place.line,
        "startColumn": place.column,
        "endColumn": place.column + max(place.width, 1),
        "snippet": {"text": place.excerpt},
    }
    # a colon in the first part of a relative path would be taken for a scheme
    uri = quote(os.fsencode(item.file.replace("\\", "/")), safe="/")
    location = {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}
    return {
        "ruleId": finding.rule,
        "ruleIndex": _INDEX[finding.rule],
        "level": str(finding.severity),
        "message": {"text": _message(item, finding)},
        "locations": [location],
    }


def _message(item: Found, finding: Finding) -> str:
    parts = [finding.message]
    if finding.hint:
        parts.append(f"Allowed: {finding.hint}")
    if finding.rule in item.errata and item.example:
        example = item.example
        given = " ".join(f"{name}={bits:#010x}" for name, bits in example.values.items())
        parts.append(
            f"For example, with {given} the documentation gives {example.isa:#010x}, "
            f"{example.model.name} {example.ptxas:#010x}."
        )
        if item.replacement:
            parts.append("As documented, in plain PTX:\n" + "\n".join(item.replacement))
    return "\n".join(parts)
