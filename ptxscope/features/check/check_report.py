"""The diagnostics of ``check`` as text, as JSON and as SARIF 2.1.0.

GitHub and others show SARIF next to the source; the log is written piece by piece, so that a long
listing needs little memory.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from ... import __version__
from ...documents.formats.json_text import Fields, convert_to_json, format_json
from ...engine.syntax.errors import Problem, format_count, make_printable, mark_problem
from ...sources.source_location import SourceLocation
from .check_rules import Severity, map_rules
from .counterexample import Counterexample
from .diagnostic import CheckedInstruction, Diagnostic, TextEdit
from .example_text import format_counterexample


def item_to_json(item: CheckedInstruction) -> dict[str, object]:
    """Return the JSON form of an instruction."""
    is_judged = not (item.is_unreadable or item.is_intrinsic or item.sequence)
    return {
        **convert_to_json(item, _PLACE),
        **({"source": item.source} if item.source else {}),
        "legal": item.is_legal if is_judged else None,
        **convert_to_json(item, _FIELDS),
        **({"sequence": item.sequence._asdict()} if item.sequence else {}),
    }


_POSITION = "line=location.line column=location.column"
_PLACE: Fields = {CheckedInstruction: f"file {_POSITION} ptx"}
_FIELDS: Fields = {
    CheckedInstruction: "message notes errata findings=diagnostics example replacement",
    Diagnostic: f"rule severity {_POSITION} message hint fix",
    TextEdit: f"{_POSITION} width=location.width text",
    Counterexample: lambda x: {**format_counterexample(x)._asdict(), "model": x.model.name},
}


def iter_item_lines(item: CheckedInstruction) -> Iterator[str]:
    """Yield the lines on an instruction: its diagnostics, their locations, and a replacement."""
    source = f" ({make_printable(item.source)})" if item.source else ""
    if not item.diagnostics:
        ptx = make_printable(item.ptx)
        yield f"{_format_location(item.file, item.location)}: ok: {ptx}{source}"
    # the example is about the errata: nothing stands between them and it
    diagnostics = sorted(item.diagnostics, key=lambda x: x.rule in item.errata)
    for index, diagnostic in enumerate(diagnostics):
        location_text = _format_location(item.file, diagnostic.location)
        message = make_printable(diagnostic.message)
        yield f"{location_text}: {diagnostic.severity}: {message}{source}"
        if diagnostic.location != _find_next_location(diagnostics, index):
            yield from _iter_excerpt_lines(diagnostic)
    if item.example:
        yield from _iter_example_lines(item.example)
        if item.replacement:
            yield "    as documented, in plain PTX:"
            yield from (f"      {make_printable(line)}" for line in item.replacement)


def _find_next_location(diagnostics: Sequence[Diagnostic], index: int) -> object:
    """Return the place of the next diagnostic, because a shared excerpt is shown only once."""
    return diagnostics[index + 1].location if index + 1 < len(diagnostics) else None


def _format_location(file: str, location: SourceLocation) -> str:
    return f"{make_printable(file)}:{location.line}:{location.column}"


def _iter_excerpt_lines(diagnostic: Diagnostic) -> Iterator[str]:
    """Yield the line with a caret, and the allowed text."""
    problem = Problem("", diagnostic.location.span, diagnostic.hint)
    yield from (f"  {line}" for line in mark_problem(diagnostic.location.excerpt, problem))


def _iter_example_lines(example: Counterexample) -> Iterator[str]:
    texts = format_counterexample(example)
    assignments = " ".join(f"{name}={bits}" for name, bits in texts.values.items())
    yield f"    for example {make_printable(assignments)}"
    yield f"      isa {texts.isa}   {example.model.name} {texts.ptxas}"


def count_items(
    items: Iterable[CheckedInstruction], counts: Counter[str]
) -> Iterator[CheckedInstruction]:
    """Yield the items and count them.

    The counts are ``checked``, ``illegal``, ``affected``, ``unread``, ``intrinsics`` and
    ``sequences``.
    """
    for item in items:
        if item.sequence:
            counts["sequences"] += 1
        elif not item.diagnostics:
            counts["checked"] += 1
        elif item.is_intrinsic:
            counts["intrinsics"] += 1
        elif item.is_comment:
            pass
        elif item.is_unreadable:
            counts["unread"] += 1
        else:
            counts["checked"] += 1
            counts["illegal"] += not item.is_legal
            counts["affected"] += bool(item.errata)
        yield item


def format_summary(counts: Counter[str], fail_on: Severity = Severity.ERROR) -> str:
    """Format the counts in a line."""
    noun = "instruction" if counts["checked"] == 1 else "instructions"
    summary = f"{counts['checked']} {noun}, {counts['illegal']} illegal, "
    summary += f"{counts['affected']} that an erratum can change"
    if counts["unread"]:
        summary += f"; {counts['unread']} not checked"
    if counts["intrinsics"]:
        summary += f"; {format_count(counts['intrinsics'], 'use')} of intrinsics"
    if counts["sequences"]:
        verb = "computes" if counts["sequences"] == 1 else "compute"
        summary += f"; {format_count(counts['sequences'], 'sequence')} that {verb} an intrinsic"
    if fail_on is not Severity.ERROR and counts["failing"]:
        summary += f"; {counts['failing']} of severity {fail_on} or above"
    return summary


_LEVELS = {Severity.REMARK: Severity.NOTE}
"""The levels of severities that SARIF does not have."""
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class StreamFormat(NamedTuple):
    """The text around the pieces of a format."""

    head: str = ""
    first: str = ""
    """Text before the first piece."""
    separator: str = ""
    """Text before every other piece."""
    tail: str = ""
    empty: str = ""
    """End of an output without pieces."""


def make_sarif_format() -> StreamFormat:
    """Return the text around the results of a log."""
    rules = [
        {
            "id": id_,
            "shortDescription": {"text": about},
            "defaultConfiguration": {"level": str(_LEVELS.get(severity, severity))},
        }
        for id_, (severity, about) in map_rules().items()
    ]
    head = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "ptxscope", "version": __version__, "rules": rules}},
                "columnKind": "unicodeCodePoints",
                "results": [],
            }
        ],
    }
    start, tail = json.dumps(head).rsplit("[]", 1)
    return StreamFormat(f"{start}[", "\n", ",\n", f"]{tail}\n", f"]{tail}\n")


def iter_sarif_results(item: CheckedInstruction) -> Iterator[str]:
    """Yield a result for each diagnostic; a legal instruction has none."""
    return (format_json(_make_result(item, diagnostic)) for diagnostic in item.diagnostics)


@cache
def number_rules() -> Mapping[str, int]:
    """Return the place of each rule in the list of a log, by its id."""
    return {id_: index for index, id_ in enumerate(map_rules())}


def _make_result(item: CheckedInstruction, diagnostic: Diagnostic) -> dict[str, Any]:
    from urllib.parse import quote  # loaded late: few ask for SARIF

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
        "ruleIndex": number_rules()[diagnostic.rule],
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
    parts = [f"{diagnostic.message} ({item.source})" if item.source else diagnostic.message]
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
