"""Registers of a listing's function that are read and have no value.

A read is reported if no path from the start of the function to it writes the register. Compilers
write nothing on paths on which a value is not needed, so no more can be said. If LLVM leaves a
register without a value on purpose, a comment names it: ``// implicit-def: %r5``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...engine.syntax.errors import quote_word
from ...engine.syntax.scopes import Scope
from .candidate_reader import Candidate
from .checked_scopes import CheckedScopes
from .diagnostic import CheckedInstruction, Diagnostic
from .statement_templates import StatementTemplate

_UNDEFINED = re.compile(r"//[ \t]*+implicit-def:[ \t]*+([%\w$]++)", re.ASCII)
_TARGET = re.compile(r"([\w$]++)\s*+;?+\Z", re.ASCII)


class _Suspect(NamedTuple):
    """The first read of a register that no statement before it in the text writes."""

    name: str
    start: int
    """The position of the statement in the listing."""
    item: CheckedInstruction
    """The statement, with a diagnostic whose message is not known yet."""


def find_undefined_registers(text: str) -> Sequence[str]:
    """Return the registers that comments of LLVM declare to have no value."""
    return _UNDEFINED.findall(text) if "implicit-def" in text else ()


class ListingFlow:
    """Follows the registers of a listing's functions, one after the other."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.scope: Scope | None = None
        """The scope of the function, or the scope outside of functions."""
        self._is_followed = False
        self.undefined_registers = set[str]()
        """The registers that comments of the listing so far mention."""
        self._written = set[str]()
        """The registers that need no more attention."""
        self._suspects: list[_Suspect] = []
        """Suspects to which no jump from a later statement leads, in order."""
        self._looped_suspects: list[_Suspect] = []
        """Suspects that a loop may reach after a later write."""
        self._has_later_write: dict[str, bool] = {}
        """Whether a statement after its first read writes a register, for each suspect."""

    def record_chunks(self, chunks: Iterable[str]) -> Iterator[str]:
        """Yield the text of chunks of whole lines, after reading their comments."""
        for chunk in chunks:
            self.undefined_registers.update(find_undefined_registers(chunk))
            yield chunk

    @property
    def has_suspects(self) -> bool:
        """Whether a read so far may have to be reported at the end of the function."""
        return bool(self._has_later_write)

    def enter_function(self, scopes: CheckedScopes | None) -> list[CheckedInstruction]:
        """Return the diagnostics of the function so far, and begin the next one.

        ``scopes`` has its declarations; None at the end of the listing.
        """
        items = [self._describe(x) for x in self._suspects]
        items += [
            self._describe(x) for x in self._looped_suspects if not self._has_later_write[x.name]
        ]
        self.scope = scopes.function_scope if scopes else None
        self._is_followed = (
            scopes is not None
            and scopes.version is not None
            and self.scope is not scopes.outermost_scope
        )
        self._written = set(self.scope.parameters) if self.scope else set()
        self._drop_suspects()
        return items

    def _drop_suspects(self) -> None:
        self._suspects, self._looped_suspects, self._has_later_write = [], [], {}

    def read_statement(
        self, statement: Candidate, template: StatementTemplate, registers: Sequence[str]
    ) -> None:
        """Note the reads and writes of the function's next statement."""
        if not self._is_followed:
            return
        if not template.has_known_accesses:
            self._is_followed = False
            self._drop_suspects()
            return
        reads, writes = template.list_reads(registers), template.list_writes(registers)
        if not self._written.issuperset(reads):
            self._note_reads(statement, reads)
        if self._has_later_write:
            for name in writes:
                if name in self._has_later_write:
                    self._has_later_write[name] = True
        self._written.update(writes)
        if template.is_branch and self._suspects:
            self._note_jump(statement)

    def _note_reads(self, statement: Candidate, reads: Sequence[str]) -> None:
        scopes = statement.scopes
        for name in reads:
            if name in self._written:
                continue
            self._written.add(name)
            scope, declaration = scopes.find_scope(name), scopes.find_declaration(name)
            is_register = declaration is not None and declaration.is_register
            if scope is not self.scope or not is_register or name in self.undefined_registers:
                continue
            span = statement.opcode, len(statement.text)
            for match in re.finditer(rf"(?<![%\w$]){re.escape(name)}(?![\w$])", statement.text):
                span = match.span()  # the first may be the destination
            location = statement.locate(statement.opcode, len(statement.text))
            diagnostic = Diagnostic("unwritten", quote_word(name), statement.locate(*span))
            ptx = " ".join(statement.text.split())
            item = CheckedInstruction(self._file, location, ptx, (diagnostic,), is_common=True)
            self._suspects.append(_Suspect(name, statement.start, item))
            self._has_later_write[name] = False

    def _note_jump(self, statement: Candidate) -> None:
        """Set apart the suspects that a jump from the text so far may reach."""
        labels = statement.scopes.labels
        match = _TARGET.search(statement.text)
        target = labels.get(match[1]) if match else None
        if target is not None and statement.text.startswith("brx", statement.opcode):
            target = next(iter(labels.values()))  # the label names a list of labels
        while target is not None and self._suspects and self._suspects[-1].start >= target:
            self._looped_suspects.append(self._suspects.pop())

    def _describe(self, suspect: _Suspect) -> CheckedInstruction:
        (diagnostic,) = suspect.item.diagnostics
        place = "before" if self._has_later_write[suspect.name] else "in this function"
        message = f"{diagnostic.message} is read here, and nothing {place} writes it"
        return suspect.item._replace(diagnostics=(diagnostic._replace(message=message),))
