"""The diagnostics of ``check`` as SARIF 2.1.0, which GitHub and others show next to the source.

The log is written piece by piece, so that a long listing needs little memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from ... import __version__
from ...sources.counterexample import format_counterexample
from ...sources.diagnostic import (
    CHECK_RULES,
    CheckedInstruction,
    Diagnostic,
    Severity,
    TextEdit,
)
from .json_text import StreamFormat, format_json

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def make_stream_format() -> StreamFormat:
    """Return the text around the results of a log."""
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
    start, tail = json.dumps(head).rsplit("[]", 1)
    return StreamFormat(f"{start}[", "\n", ",\n", f"]{tail}\n", f"]{tail}\n")


def iter_results(item: CheckedInstruction) -> Iterator[str]:
    """Yield a result for each diagnostic; a legal instruction has none."""
    return (format_json(_make_result(item, diagnostic)) for diagnostic in item.diagnostics)


_RULES: list[dict[str, Any]] = [
    {
        "id": id_,
        "shortDescription": {"text": about},
        "defaultConfiguration": {"level": str(severity)},
    }
    for id_, (severity, about) in CHECK_RULES.items()
]
_INDEX = {id_: index for index, id_ in enumerate(CHECK_RULES)}


_LEVELS = {Severity.REMARK: Severity.NOTE}
"""The levels of severities that SARIF does not have."""


def _make_result(item: CheckedInstruction, diagnostic: Diagnostic) -> dict[str, Any]:
    place = diagnostic.location
    region = {
        "startLine": place.line,
        "startColumn": place.column,
        "endColumn": place.column + max(place.width, 1),
        "snippet": {"text": place.excerpt},
    }
    # a colon in the first segment of a relative path would be read as a scheme
    artifact = {"uri": quote(os.fsencode(item.file.replace("\\", "/")), safe="/")}
    location = {"physicalLocation": {"artifactLocation": artifact, "region": region}}
    return {
        "ruleId": diagnostic.rule,
        "ruleIndex": _INDEX[diagnostic.rule],
        "level": str(_LEVELS.get(diagnostic.severity, diagnostic.severity)),
        "message": {"text": _format_message(item, diagnostic)},
        "locations": [location],
        **({"fixes": [_make_fix(diagnostic.fix, artifact)]} if diagnostic.fix else {}),
    }


def _make_fix(fix: TextEdit, artifact: dict[str, str]) -> dict[str, Any]:
    place = fix.location
    region = {
        "startLine": place.line,
        "startColumn": place.column,
        "endColumn": place.column + place.width,
    }
    replacement = {"deletedRegion": region, "insertedContent": {"text": fix.text}}
    change = {"artifactLocation": artifact, "replacements": [replacement]}
    return {"description": {"text": f"Write: {fix.text}"}, "artifactChanges": [change]}


def _format_message(item: CheckedInstruction, diagnostic: Diagnostic) -> str:
    parts = [diagnostic.message]
    if diagnostic.hint:
        parts.append(f"Allowed: {diagnostic.hint}")
    if diagnostic.rule in item.errata and item.example:
        example = item.example
        texts = format_counterexample(example)
        assignments = " ".join(f"{name}={bits}" for name, bits in texts.values.items())
        parts.append(
            f"For example, with {assignments} the documentation gives {texts.isa}, "
            f"{example.model.name} {texts.ptxas}."
        )
        if item.replacement:
            parts.append("As documented, in plain PTX:\n" + "\n".join(item.replacement))
    return "\n".join(parts)
