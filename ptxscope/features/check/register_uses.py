"""The registers of statements that the catalog does not explain, against their declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import chain, islice

from ...engine.syntax.errors import quote_word
from ...engine.syntax.opcodes import ALL_OPCODES, BRANCHES
from ...engine.syntax.operands import SPECIAL
from ...engine.syntax.register_checks import find_name_problem
from ...engine.syntax.scopes import CONSTANT, Scopes
from ...engine.syntax.tokens import RawInstruction, find_statements
from .candidate_reader import Candidate
from .diagnostic import Diagnostic
from .listing_flow import ListingFlow
from .statement_checks import Locator
from .statement_registers import ANY_INTEGER, find_operand_problem, find_widths, list_names
from .statement_templates import (
    StatementTemplate,
    make_template,
    read_template,
    split_registers,
)

_LETTERS = {"b16": "h", "b32": "r", "b64": "l", "f32": "f", "f64": "d", "b128": "q"}
_DECLARED_TYPES = "pred b16 b32 b64 b128 f16 f32 f64 u16 u32 u64 s16 s32 s64".split()


def check_uses(
    statement: RawInstruction,
    scopes: Scopes,
    locator: Locator,
    former_names: Set[str] = frozenset(),
) -> Iterator[Diagnostic]:
    """Yield diagnostics about registers whose declarations do not suit a statement.

    In a text that is neither a module nor an asm statement, an undeclared register may be declared
    around it. ``former_names`` are the registers of blocks that have ended.
    """
    if problem_here := find_operand_problem(statement):
        location = locator.locate(*problem_here.span)
        yield Diagnostic("illegal", problem_here.message, location, problem_here.hint)
    unchecked = {x.text: x for x in list_names(statement)}
    opcode = ".".join((statement.opcode.text, *statement.modifier_names))
    for width in find_widths(statement):
        name, location = width.register.text, locator.locate(*width.register.span)
        unchecked.pop(name, None)
        declaration = scopes.find_declaration(name)
        if declaration is None or not declaration.is_register:
            is_name = declaration is not None or (name[0] != "%" and name not in former_names)
            is_address = width.can_be_address and is_name
            is_whole = scopes.version is not None or scopes.is_closed
            may_be_elsewhere = declaration is None and not is_whole
            if is_address or may_be_elsewhere or SPECIAL.fullmatch(name):
                continue
            if problem := find_name_problem(scopes, name, width.declared_type):
                yield Diagnostic(problem.kind.value, problem.message, location, problem.hint)
            continue
        type_ = declaration.type
        is_unchecked = type_ == CONSTANT or declaration.vector > 0
        is_unchecked |= width.is_pointer and width.type == "u64" and scopes.address_bits < 64
        if is_unchecked or width.accepts(type_):
            continue
        origin = f".{type_} by its constraint" if declaration.is_operand else f"declared .{type_}"
        role = "the guard is a predicate"
        if width.register is not statement.guard:
            role = f"this operand of `{opcode}` is .{width.type}"
            if width.type == ANY_INTEGER and width.is_pointer:
                role = f"the address of `{opcode}` is an integer"
        suitable_types = [x for x in _DECLARED_TYPES if width.accepts(x)]
        hint = " ".join(f".{x}" for x in suitable_types)
        if declaration.is_operand:
            hint = " ".join(f'"{_LETTERS[x]}"' for x in suitable_types if x in _LETTERS)
        message = f"{quote_word(name)} is {origin}, but {role}"
        yield Diagnostic("register-type", message, location, hint)
    for name, word in unchecked.items() if scopes.version is not None else ():
        is_register = name[0] == "%" and not SPECIAL.fullmatch(name)
        if is_register and (problem := find_name_problem(scopes, name, "b32")):
            yield Diagnostic(problem.kind.value, problem.message, locator.locate(*word.span))


_LITERAL = re.compile(r"(?<=[\s,+\-])(?:0[fFdDxX][\da-fA-F]++|\d++)(?=[\s,;\]U])", re.ASCII)
_JUMPS = tuple(f"{opcode}{end}" for opcode in sorted(BRANCHES) for end in ". \t")
_TARGET = re.compile(r"(?<=[\s,])[\w$]++\s*+;\Z", re.ASCII)
"""The label at the end of a jump."""
_MAX_TEMPLATES = 1 << 14
_MAX_TEMPLATE_CHARS = 1 << 10
_MAX_DIAGNOSTICS = 8
"""Maximum number of diagnostics about the registers of one statement."""
_MAX_TYPES = 1 << 6


Templates = dict[tuple[object, ...], StatementTemplate]
"""The templates of statements, by their texts without numbered registers."""


class ListingRegisters:
    """Checks the registers of a listing's statements."""

    def __init__(self, file: str, templates: Templates | None = None) -> None:
        self.flow = ListingFlow(file)
        self._templates = {} if templates is None else templates

    def follow(self, statement: Candidate) -> None:
        """Note the reads and writes of a statement."""
        self.flow.read_statement(statement, *self._find_template(statement))

    def check(self, statement: Candidate) -> Sequence[Diagnostic]:
        """Return diagnostics about the registers of a statement, and follow it."""
        scopes = statement.scopes
        if not scopes.has_declarations:
            return ()
        template, registers = self._find_template(statement)
        self.flow.read_statement(statement, template, registers)
        types = scopes.list_types(registers)
        key: tuple[object, ...] | None = None
        if types is not None:
            declarations = map(scopes.find_declaration, template.names)
            key = (scopes.address_bits, scopes.version is None, *types, *declarations)
        if key is not None and key in template.accepted_types:
            return ()
        raw_statements = find_statements(statement.text, ALL_OPCODES)
        problems = chain.from_iterable(check_uses(x, scopes, statement) for x in raw_statements)
        diagnostics = [*islice(problems, _MAX_DIAGNOSTICS)]
        if not diagnostics and key is not None and len(template.accepted_types) < _MAX_TYPES:
            template.accepted_types.add(key)
        return diagnostics

    def _find_template(self, statement: Candidate) -> tuple[StatementTemplate, Sequence[str]]:
        """Return the template of a statement, and its numbered registers."""
        text = statement.text
        if text.startswith(_JUMPS, statement.opcode):
            text = _TARGET.sub(" _;", text)
        key, registers = split_registers(text)
        template = self._templates.get(key)
        if template is None:
            text = make_template(text, registers)
            is_alike = statement.is_sound and not text.startswith("bar", statement.opcode)
            common_key = (_LITERAL.sub("0", text) if is_alike else text,)
            template = self._templates.get(common_key) or read_template(text, registers)
            if len(self._templates) >= _MAX_TEMPLATES:
                self._templates.clear()
            if len(text) <= _MAX_TEMPLATE_CHARS:
                self._templates[key] = self._templates[common_key] = template
        return template, registers
