"""The declarations of a reader that checks statements, and the flow of the carry flag."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from weakref import WeakKeyDictionary

from ...engine.syntax.scopes import (
    NO_REGISTERS,
    RegisterDeclaration,
    Scope,
    Scopes,
    split_number,
)


class CheckedScopes(Scopes):
    """``Scopes`` of a reader that also reports labels, branches and uses of the carry flag."""

    def __init__(
        self,
        operand_types: Mapping[str, str] | None = None,
        file_scopes: Scopes | None = None,
        *,
        is_closed: bool = False,
        is_partial: bool = False,
    ) -> None:
        super().__init__(operand_types, file_scopes, is_closed=is_closed, is_partial=is_partial)
        self._labels = WeakKeyDictionary[Scope, dict[str, int]]()
        self._carry_scope: Scope | None = None
        """The scope of the function that last wrote the carry flag."""
        self._carry_opcode = ""
        self.carry_guard = ""
        """The guard of all writes of the carry flag in that function; empty if one is unguarded."""
        self._last_carry_guard = ""
        """The guard of the last write."""
        self._branch_scope: Scope | None = None
        """The scope of the function that had the last branch."""
        self._has_label_since_carry = False
        self._unread_carry_opcode = ""
        self.ending_carry_opcode = ""
        """The opcode of the last sum that read the carry flag without writing it."""

    def copy_module(self) -> CheckedScopes:
        """Return the same declarations, at a position outside of all functions."""
        other = CheckedScopes()
        other.version, other.target = self.version, self.target
        other.target_suffix, other.address_bits = self.target_suffix, self.address_bits
        other.functions = dict(self.functions)
        scope = other.outermost_scope
        scope.names, scope.numbered = dict(self.scope.names), dict(self.scope.numbered)
        scope.has_registers = self.scope.has_registers
        return other

    # --- updates by the reader

    def write_carry(self, opcode: str = "", guard: str = "") -> None:
        """Note that a statement writes the carry flag; ``opcode`` is empty if it is unknown.

        Writes with different guards count as unguarded.
        """
        if self._carry_scope is not self.function_scope:
            self.carry_guard = guard
        elif guard != self.carry_guard:
            self.carry_guard = ""
        self._carry_scope, self._carry_opcode = self.function_scope, opcode
        self._last_carry_guard, self._has_label_since_carry = guard, False
        self._unread_carry_opcode = "" if guard else opcode
        self.ending_carry_opcode = ""

    def read_carry(self, ending_opcode: str = "") -> None:
        """Note a read of the carry flag; ``ending_opcode`` if its sum writes no carry."""
        self._unread_carry_opcode = ""
        self.ending_carry_opcode = ending_opcode

    def add_label(self, name: str, position: int) -> None:
        """Note a label: the next statement may be reached from elsewhere."""
        self._labels.setdefault(self.function_scope, {}).setdefault(name, position)
        self._has_label_since_carry = True
        self._unread_carry_opcode = self.ending_carry_opcode = ""

    def add_branch(self) -> None:
        """Note a branch: it may determine a guard's value after it, and lead elsewhere."""
        self._branch_scope = self.function_scope
        self._unread_carry_opcode = self.ending_carry_opcode = ""

    # --- queries

    @property
    def function_scope(self) -> Scope:
        """The scope of the function's body; outside of functions, that of the text."""
        return self._scopes[1 if len(self._scopes) > 1 else 0]

    def list_types(self, names: Iterable[str]) -> tuple[str, ...] | None:
        """Return the declared types of registers; None if one is a vector or undeclared."""
        types = []
        scope = self._scopes[-1]
        for name in names:
            stem, number = split_number(name)
            count, declaration = scope.numbered.get(stem, NO_REGISTERS)  # the fast path
            if not -1 < number < count or name in scope.names:
                declaration = self.find_declaration(name)
            if declaration is None or declaration.vector or not declaration.is_register:
                return None
            types.append(declaration.type)
        return tuple(types)

    @property
    def has_carry(self) -> bool:
        """Whether an earlier statement of the same function may have written the carry flag."""
        return self.is_partial or self._carry_scope is self.function_scope

    @property
    def has_label(self) -> bool:
        """Whether an earlier statement of the same function may be reached from elsewhere."""
        return self.function_scope in self._labels

    @property
    def labels(self) -> Mapping[str, int]:
        """The positions of the labels of the function so far, in order."""
        return self._labels.get(self.function_scope, {})

    @property
    def has_branch(self) -> bool:
        """Whether an earlier branch of the same function may determine a guard's value here."""
        return self._branch_scope is self.function_scope

    @property
    def unread_carry_opcode(self) -> str:
        """The opcode that wrote a carry earlier in the same function that nothing can have read."""
        return self._unread_carry_opcode if self.has_carry and not self.is_partial else ""

    def find_carry_opcode(self, guard: str) -> str:
        """Return the opcode that last wrote the carry flag in the same function.

        It is empty if unknown: after a label or under a guard, the carry may come from another one.
        ``guard`` is the reader's.
        """
        is_certain = self.has_carry and not self.is_partial and not self._has_label_since_carry
        has_run = self._last_carry_guard in ("", guard)
        return self._carry_opcode if is_certain and has_run else ""

    def find_duplicate(self, registers: Sequence[RegisterDeclaration]) -> str:
        """Return the first register that the innermost scope already declares, or an empty string.

        Outside all braces, an assembler sees only a module or an asm statement as one text.
        """
        if self._extra_depth or (
            len(self._scopes) == 1 and self.version is None and not self.is_closed
        ):
            return ""
        if len(registers) == 1:
            name, count, _ = registers[0]
            return name if self.scope.has_register(name, count) else ""
        directive_scope = Scope()
        for name, count, declaration in registers:
            if self.scope.has_register(name, count) or directive_scope.has_register(name, count):
                return name
            directive_scope.add_register(name, count, declaration)
        return ""
