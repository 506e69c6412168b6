"""Diagnostics: findings about an instruction."""

from __future__ import annotations

from typing import NamedTuple

from ...sources.source_location import SourceLocation
from .check_rules import Severity, map_rules
from .counterexample import Counterexample


class TextEdit(NamedTuple):
    """Text of one line of a file, and its replacement."""

    location: SourceLocation
    text: str


def make_edit(location: SourceLocation, former_text: str, text: str) -> TextEdit | None:
    """Return an edit if a file has the former text literally at a location, not by a macro."""
    source = location.excerpt[slice(*location.span)]
    is_literal = source == former_text and len(source) == location.width
    return TextEdit(location, text) if is_literal else None


class Diagnostic(NamedTuple):
    """One diagnostic about an instruction."""

    rule: str
    """A key of ``map_rules``."""
    message: str
    location: SourceLocation
    hint: str = ""
    """Allowed text or a remedy."""
    fix: TextEdit | None = None
    """An edit that resolves it."""
    is_minor: bool = False
    """Whether it is minor here: it is reported once per file, one severity lower."""
    constraint_lines: tuple[int, ...] = ()
    """Further lines where it can be ignored: the lines of the constraint concerned."""

    @property
    def severity(self) -> Severity:
        """Severity of the rule, or the one below."""
        severity = map_rules()[self.rule][0]
        return severity.next_lower if self.is_minor else severity

    def move(self, lines: int) -> Diagnostic:
        """Return the same diagnostic, some lines further down."""
        fix = self.fix and self.fix._replace(location=_move(self.fix.location, lines))
        constraint_lines = tuple([x + lines for x in self.constraint_lines])
        return self._replace(
            location=_move(self.location, lines), fix=fix, constraint_lines=constraint_lines
        )


def _move(location: SourceLocation, lines: int) -> SourceLocation:
    return location._replace(line=location.line + lines)


class SequenceSummary(NamedTuple):
    """Several instructions that compute an intrinsic of CUDA."""

    intrinsic: str
    """The intrinsic's name: ``__vaddss4``."""
    arguments: tuple[str, ...]
    """Registers or constants, in the order of C's parameters."""
    result: str
    """The register that holds the result."""
    lines: tuple[tuple[int, int], ...]
    """The first and the last line of each part."""
    is_proved: bool | None = None
    """Whether this occurrence was proved equal, too; None without a request."""


class CheckedInstruction(NamedTuple):
    """One instruction of a file, legal or not, with its diagnostics."""

    file: str
    location: SourceLocation
    """Location of the opcode, or of the first problem of an illegal instruction."""
    ptx: str
    """The instruction in canonical form; as written if it is illegal; the name of an intrinsic."""
    diagnostics: tuple[Diagnostic, ...] = ()
    notes: tuple[str, ...] = ()
    example: Counterexample | None = None
    """Operands for which an erratum shows, by the register names of the file."""
    replacement: tuple[str, ...] | None = None
    """Lines of equivalent PTX with the documented result, if an erratum shows."""
    sequence: SequenceSummary | None = None
    """The instructions concerned, if there are several."""
    is_common: bool = False
    """Whether ``check`` does not explain the statement, but lists it for its diagnostics."""

    source: str = ""
    """The line of CUDA C++ that it was compiled from: ``sad.cu:5``; empty if it is unknown."""

    def move(self, lines: int) -> CheckedInstruction:
        """Return the same item, some lines further down."""
        return self._replace(
            location=_move(self.location, lines),
            diagnostics=tuple([x.move(lines) for x in self.diagnostics]),
        )

    @property
    def is_legal(self) -> bool:
        """Whether it will assemble."""
        return all(diagnostic.severity is not Severity.ERROR for diagnostic in self.diagnostics)

    @property
    def message(self) -> str:
        """The error messages, or an empty string."""
        errors = (x.message for x in self.diagnostics if x.severity is Severity.ERROR)
        return "; ".join(errors)

    @property
    def errata(self) -> tuple[str, ...]:
        """Ids of the errata that can change its result on sm_70 and later."""
        return tuple(x.id for x in self.example.errata) if self.example else ()

    @property
    def is_intrinsic(self) -> bool:
        """Whether it is not an instruction but the use of an intrinsic."""
        return any(diagnostic.rule == "intrinsic" for diagnostic in self.diagnostics)

    @property
    def is_comment(self) -> bool:
        """Whether it is not an instruction but a comment that asks to ignore diagnostics."""
        return any(diagnostic.rule == "comment" for diagnostic in self.diagnostics)

    @property
    def is_instruction(self) -> bool:
        """Whether it was checked as one instruction, and is not only the subject of a note."""
        is_other = self.is_intrinsic or self.is_comment or self.is_unreadable
        return not (is_other or self.is_common or self.sequence)

    @property
    def is_unreadable(self) -> bool:
        """Whether it is legal as far as it was read, and a part could not be read."""
        return self.is_legal and any(diagnostic.rule == "unread" for diagnostic in self.diagnostics)


def make_item(file: str, text: str, *diagnostics: Diagnostic) -> CheckedInstruction:
    """Return an item for some diagnostics, at the location of the first."""
    ptx = " ".join(text.split())
    return CheckedInstruction(file, diagnostics[0].location, ptx, diagnostics)
