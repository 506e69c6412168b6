"""The diagnostics of ``check`` as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ...engine.syntax.errors import Problem, caret_lines, format_count, make_printable
from ...sources.counterexample import Counterexample, format_counterexample
from ...sources.diagnostic import CheckedInstruction, Diagnostic, Severity, TextEdit
from ...sources.source_location import SourceLocation
from .json_text import Fields, convert_to_json


def item_to_json(item: CheckedInstruction) -> dict[str, object]:
    """Return the JSON form of an instruction."""
    is_judged = not (item.is_unreadable or item.is_intrinsic or item.sequence)
    return {
        **convert_to_json(item, _PLACE),
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


def item_lines(item: CheckedInstruction) -> Iterator[str]:
    """Yield the lines of an instruction: its diagnostics, their locations, and a replacement."""
    if not item.diagnostics:
        yield f"{_format_location(item.file, item.location)}: ok: {make_printable(item.ptx)}"
    # the example is about the errata: nothing stands between them and it
    diagnostics = sorted(item.diagnostics, key=lambda x: x.rule in item.errata)
    for index, diagnostic in enumerate(diagnostics):
        location_text = _format_location(item.file, diagnostic.location)
        message = make_printable(diagnostic.message)
        yield f"{location_text}: {diagnostic.severity}: {message}"
        if diagnostic.location != _find_next_location(diagnostics, index):
            yield from _excerpt_lines(diagnostic)
    if item.example:
        yield from _example_lines(item.example)
        if item.replacement:
            yield "    as documented, in plain PTX:"
            yield from (f"      {make_printable(line)}" for line in item.replacement)


def _find_next_location(diagnostics: Sequence[Diagnostic], index: int) -> object:
    """Return the place of the next diagnostic, because a shared excerpt is shown only once."""
    return diagnostics[index + 1].location if index + 1 < len(diagnostics) else None


def _format_location(file: str, location: SourceLocation) -> str:
    return f"{make_printable(file)}:{location.line}:{location.column}"


def _excerpt_lines(diagnostic: Diagnostic) -> Iterator[str]:
    """Yield the line with a caret, and the allowed text."""
    problem = Problem("", diagnostic.location.span, diagnostic.hint)
    yield from (f"  {line}" for line in caret_lines(diagnostic.location.excerpt, problem))


def _example_lines(example: Counterexample) -> Iterator[str]:
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
