"""What ``check`` found in a file, as text and as plain objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ...engine.listings.counterexample import Counterexample
from ...engine.listings.lint import Checked, Diagnostic
from ...engine.listings.statement_scanner import Place
from ...engine.syntax.errors import Problem, pointed, printable


def described(item: Checked) -> dict[str, object]:
    """One instruction as JSON."""
    return {
        "file": item.file,
        "line": item.place.line,
        "column": item.place.column,
        "ptx": item.ptx,
        "legal": None if item.unread else item.legal,
        "message": item.message,
        "notes": item.notes,
        "errata": item.errata,
        "findings": [
            {
                "rule": diagnostic.rule,
                "severity": diagnostic.severity,
                "line": diagnostic.place.line,
                "column": diagnostic.place.column,
                "message": diagnostic.message,
                "hint": diagnostic.hint,
            }
            for diagnostic in item.diagnostics
        ],
        "example": item.example
        and {
            "values": {name: f"{bits:#010x}" for name, bits in item.example.values.items()},
            "isa": f"{item.example.isa:#010x}",
            "ptxas": f"{item.example.ptxas:#010x}",
            "model": item.example.model.name,
        },
        "replacement": item.replacement,
    }


def told(item: Checked) -> Iterator[str]:
    """One instruction as lines of text: what is said of it, where, and what to do."""
    if not item.diagnostics:
        yield f"{_at(item.file, item.place)}: ok: {printable(item.ptx)}"
    for index, diagnostic in enumerate(item.diagnostics):
        message = printable(diagnostic.message)
        yield f"{_at(item.file, diagnostic.place)}: {diagnostic.severity}: {message}"
        if diagnostic.place != _after(item, index):
            yield from _shown(diagnostic)
    if item.example:
        yield from _example(item.example)
        if item.replacement:
            yield "    as documented, in plain PTX:"
            yield from (f"      {printable(line)}" for line in item.replacement)


def _after(item: Checked, index: int) -> object:
    """Where the next diagnostic is: what both are about is shown once, behind the last."""
    return item.diagnostics[index + 1].place if index + 1 < len(item.diagnostics) else None


def _at(file: str, place: Place) -> str:
    return f"{printable(file)}:{place.line}:{place.column}"


def _shown(diagnostic: Diagnostic) -> Iterator[str]:
    """The line with a caret, and what is allowed there."""
    problem = Problem("", diagnostic.place.span, diagnostic.hint)
    yield from (f"  {line}" for line in pointed(diagnostic.place.excerpt, problem))


def _example(example: Counterexample) -> Iterator[str]:
    given = " ".join(f"{name}={bits:#010x}" for name, bits in example.values.items())
    yield f"    for example {printable(given)}"
    yield f"      isa {example.isa:#010x}   {example.model.name} {example.ptxas:#010x}"


def counted(found: Iterable[Checked], counts: Counter[str]) -> Iterator[Checked]:
    """The same, counted: ``found``, ``illegal``, ``warned``, ``unread``."""
    for item in found:
        if not item.diagnostics:
            counts["found"] += 1
        elif item.unread:
            counts["unread"] += 1
        else:
            counts["found"] += 1
            counts["illegal"] += not item.legal
            counts["warned"] += bool(item.errata)
        yield item


def summary(counts: Counter[str]) -> str:
    """The counts in a line."""
    many = "instruction" if counts["found"] == 1 else "instructions"
    said = f"{counts['found']} {many}, {counts['illegal']} illegal, "
    said += f"{counts['warned']} that an erratum can change"
    return said + (f"; {counts['unread']} not checked" if counts["unread"] else "")
