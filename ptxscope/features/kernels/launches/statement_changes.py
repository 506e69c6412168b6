"""Changes of single statements that may explain a wrong result of a run, and missing statements.

Statements that the catalog lacks get another constant, register, guard or modifier. A function may
lack a register that is set to 0 at first, or a barrier.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, product
from typing import NamedTuple

from ....engine.isa.catalog import MOVES
from ....engine.isa.types import CARRY_REGISTER
from ....engine.program.program import Program
from ....engine.program.statement import Statement, StatementKind
from ....engine.program.statement_operands import (
    TYPE_BITS,
    ConstantOperand,
    MemoryOperand,
    Operand,
    RegisterOperand,
    SpecialOperand,
    VectorOperand,
)
from ....engine.semantics.models import Model
from ....engine.syntax.errors import format_count
from ....engine.syntax.opcodes import ATOMICS, BARRIERS, COLLECTIVES, JUMPS, LOADS, STORES
from .device_code import DeviceCode
from .instruction_changes import (
    CONSTANT_COSTS,
    REGISTER_COST,
    ChangeKind,
    StatementChange,
    fits_registers,
    iter_instruction_changes,
    list_far_names,
    list_near_names,
    show_names,
)
from .literal_changes import iter_constants, iter_near_literals
from .register_names import count_written_operands, iter_read_names, iter_written_names
from .thread_blocks import find_thread_blocks
from .thread_log import ACCESSES

_GUARD_COST = 3
_MODIFIER_COST = 2
_SPECIAL_COST = 3
_PARTS_COST = 2
_OFFSET_COST = 5
_OFFSET_COUNT = 6
"""Distances of other addresses in each direction: a wrong stride is often one of twice another."""
_LABEL_COST = 5
_VECTOR_OPCODES = MOVES | LOADS | STORES
"""The opcodes with an operand in braces whose parts have one type."""
_NEAR_LABELS = 2
"""Number of labels before and after one that may have been meant."""
_SPECIAL_REGISTERS = (
    *(f"%{x}.{axis}" for x in ("tid", "ctaid", "ntid", "nctaid") for axis in "xyz"),
    *("%laneid", "%warpid"),
)
_SIGNS = tuple((f"u{x}", f"s{x}") for x in (8, 16, 32, 64))
_CONFUSABLE_MODIFIERS: dict[str, tuple[tuple[str, ...], ...]] = {
    **dict.fromkeys(LOADS, _SIGNS[:3]),
    **dict.fromkeys(ATOMICS, (("add", "min", "max", "and", "or", "xor"), *_SIGNS[2:])),
    "shfl": (("up", "down", "bfly", "idx"),),
    "vote": (("all", "any"),),
    "cvt": (("rn", "rz", "rm", "rp"), ("rni", "rzi", "rmi", "rpi"), *_SIGNS[:3]),
}
"""Modifiers, one instead of the other; those of ``cvt`` are for floats, which the catalog lacks."""
_OPTIONAL_MODIFIERS = {"ldmatrix": ("trans", "shared")}
"""A modifier that an opcode may have, and the one before which it stands."""
_CONFUSABLE_FLOAT_OPCODES = (("add", "sub"), ("min", "max"), ("neg", "abs"), ("mul", "div"))
_ZEROS = {"f32": "0f00000000", "f64": "0d0000000000000000"}


def iter_changes(function: Program, model: Model, kind: ChangeKind) -> Iterator[StatementChange]:
    """Yield the changes of all statements of a function, in order, without missing statements."""
    far_names = list_far_names(function)
    instructions = (x.instruction for x in function.statements if x.instruction)
    has_carries = any(CARRY_REGISTER in x.names.values() for x in instructions)
    for index, statement in enumerate(function.statements):
        if statement.instruction:
            changes = iter_instruction_changes(
                function, index, far_names, model, kind, has_carries=has_carries
            )
            if kind is ChangeKind.LIKELY:
                changes = chain(changes, iter_near_literals(statement, model))
        else:
            changes = _iter_other_changes(function, index, far_names, kind)
        yield from (change for change in changes if fits_registers(change, function))


# --- statements that the catalog lacks ---------------------------------------------------


def _iter_other_changes(
    function: Program, index: int, far_names: Sequence[str], kind: ChangeKind
) -> Iterator[StatementChange]:
    statement = function.statements[index]
    if kind is ChangeKind.LIKELY:
        yield from _iter_guard_changes(statement)
        yield from _iter_modifier_changes(statement)
        yield from _iter_special_changes(statement)
        yield from _iter_exchanged_parts(statement)
    elif kind is ChangeKind.UNLIKELY:
        yield from _iter_offset_changes(statement)
        yield from _iter_label_changes(function, statement)
        yield from _iter_operand_changes(function, index, far_names)
    if (
        kind in (ChangeKind.LIKELY, ChangeKind.UNLIKELY)
        and statement.opcode in ACCESSES | COLLECTIVES
    ):
        yield from _iter_constant_changes(statement, kind)


_READ_BITS = {("shfl", 2): 0x1F, ("shfl", 3): 0x1F1F}
"""The bits that an opcode reads of a constant, by its place among the operands."""


def _iter_constant_changes(statement: Statement, kind: ChangeKind) -> Iterator[StatementChange]:
    """Yield other constants near the written one, or with one other bit."""
    for index, x in enumerate(statement.operands):
        if isinstance(x, ConstantOperand) and isinstance(x.value, int):
            read_bits = _READ_BITS.get((statement.opcode, index), 0xFFFFFFFF)
            others = (y & read_bits for y in iter_constants(x.value & 0xFFFFFFFF, 32, kind))
            for bits in dict.fromkeys(y for y in others if y != x.value & read_bits):
                phrase = f"with `{bits}` rather than `{x.value}`"
                operand = ConstantOperand(bits)
                yield _replace_operand(statement, index, operand, phrase, CONSTANT_COSTS[kind])


def _iter_guard_changes(statement: Statement) -> Iterator[StatementChange]:
    """Yield the guard with the opposite sense."""
    guard = statement.guard
    if guard:
        old, new = f"@{guard.name}", f"@!{guard.name}"
        if guard.negated:
            old, new = new, old
        text = statement.text.replace(old, new, 1)
        changed = statement._replace(guard=guard._replace(negated=not guard.negated), text=text)
        phrase = f"with `{new}` rather than `{old}`"
        yield StatementChange(statement, changed, None, phrase, _GUARD_COST)


def _iter_modifier_changes(statement: Statement) -> Iterator[StatementChange]:
    """Yield modifiers and opcodes that are easily confused with the written ones."""
    modifiers = statement.modifiers
    for family in _CONFUSABLE_MODIFIERS.get(statement.opcode, ()):
        for index, old in enumerate(modifiers):
            for new in family if old in family else ():
                if new != old:
                    names = (*modifiers[:index], new, *modifiers[index + 1 :])
                    changed = _rename(statement, statement.opcode, names)
                    phrase = f"with `.{new}` rather than `.{old}`"
                    yield StatementChange(statement, changed, None, phrase, _MODIFIER_COST)
    optional, following = _OPTIONAL_MODIFIERS.get(statement.opcode, ("", ""))
    if optional in modifiers:
        names = tuple(x for x in modifiers if x != optional)
        changed = _rename(statement, statement.opcode, names)
        yield StatementChange(statement, changed, None, f"without `.{optional}`", _MODIFIER_COST)
    elif index := _find_family(modifiers, following):
        names = (*modifiers[:index], optional, *modifiers[index:])
        changed = _rename(statement, statement.opcode, names)
        yield StatementChange(statement, changed, None, f"with `.{optional}`", _MODIFIER_COST)
    for family in _CONFUSABLE_FLOAT_OPCODES if "f32" in modifiers else ():
        for new in family if statement.opcode in family else ():
            if new != statement.opcode:
                changed = _rename(statement, new, modifiers)
                phrase = f"with `{new}` rather than `{statement.opcode}`"
                yield StatementChange(statement, changed, None, phrase, _MODIFIER_COST)


def _find_family(modifiers: tuple[str, ...], family: str) -> int:
    """Return the place of a modifier such as ``shared``, or ``shared::cta``; 0 if none is there."""
    families = [x.partition("::")[0] for x in modifiers]
    return families.index(family) if family in families else 0


def _rename(statement: Statement, opcode: str, modifiers: tuple[str, ...]) -> Statement:
    changed = statement._replace(opcode=opcode, modifiers=modifiers)
    return changed._replace(text=statement.text.replace(statement.name, changed.name, 1))


def _iter_special_changes(statement: Statement) -> Iterator[StatementChange]:
    for index, x in enumerate(statement.operands):
        if not isinstance(x, SpecialOperand):
            continue
        for name in _SPECIAL_REGISTERS:
            if name != x.name:
                phrase = f"with `{name}` rather than `{x.name}`"
                operand = SpecialOperand(name)
                yield _replace_operand(statement, index, operand, phrase, _SPECIAL_COST)


def _iter_exchanged_parts(statement: Statement) -> Iterator[StatementChange]:
    """Yield two parts of a vector exchanged: the halves of a register, or adjacent elements."""
    for index, x in enumerate(statement.operands if statement.opcode in _VECTOR_OPCODES else ()):
        if not isinstance(x, VectorOperand):
            continue
        for i, j in combinations(range(len(x.parts)), 2):
            parts = list(x.parts)
            parts[i], parts[j] = parts[j], parts[i]
            operand = VectorOperand(tuple(parts))
            if operand != x:
                old, new = (_format_operand(y, "") for y in (x, operand))
                phrase = f"with `{new}` rather than `{old}`"
                yield _replace_operand(statement, index, operand, phrase, _PARTS_COST)


def _iter_operand_changes(
    function: Program, index: int, far_names: Sequence[str]
) -> Iterator[StatementChange]:
    """Yield another register nearby, of the same type, for each source and each address."""
    statement = function.statements[index]
    first = count_written_operands(statement)
    for place, x in enumerate(statement.operands[first:], first):
        register = x.base if isinstance(x, MemoryOperand) else x
        if not isinstance(register, RegisterOperand):
            continue
        type_ = function.registers.get(register.name)
        for name in list_near_names(function, index, far_names):
            if name == register.name or function.registers.get(name) != type_:
                continue
            new = register._replace(name=name)
            operand = x._replace(base=new) if isinstance(x, MemoryOperand) else new
            phrase = show_names(f"with `{name}` rather than `{register.name}`")
            yield _replace_operand(statement, place, operand, phrase, REGISTER_COST)


def _iter_offset_changes(statement: Statement) -> Iterator[StatementChange]:
    """Yield the addresses that are 1, 2, 4 … elements before or after."""
    width = next((TYPE_BITS[x] // 8 for x in statement.modifiers[::-1] if x in TYPE_BITS), 0)
    if statement.opcode not in ACCESSES or not width:
        return
    for index, x in enumerate(statement.operands):
        if isinstance(x, MemoryOperand) and isinstance(x.base, RegisterOperand):
            sizes = (width << i for i in range(_OFFSET_COUNT))
            for size, sign in product(sizes, (1, -1)):
                distance = sign * size
                bytes_ = format_count(size, "byte")
                phrase = f"at an address {bytes_} {'higher' if distance > 0 else 'lower'}"
                operand = x._replace(offset=x.offset + distance)
                yield _replace_operand(statement, index, operand, phrase, _OFFSET_COST)


def _iter_label_changes(function: Program, statement: Statement) -> Iterator[StatementChange]:
    """Yield the labels before and after the one to which a statement branches."""
    if statement.opcode not in JUMPS or not statement.targets:
        return
    old, labels = statement.targets[0], sorted(function.labels)
    place = labels.index(old)
    for index in labels[max(place - _NEAR_LABELS, 0) : place + _NEAR_LABELS + 1]:
        if index != old:
            name = function.labels[index]
            text = f"{statement.text.rpartition(' ')[0]} {name}"
            phrase = f"with `{name}` rather than `{function.labels[old]}`"
            changed = statement._replace(targets=(index,), text=text)
            yield StatementChange(statement, changed, None, phrase, _LABEL_COST)


def _replace_operand(
    statement: Statement, index: int, operand: Operand, phrase: str, cost: int
) -> StatementChange:
    operands = (*statement.operands[:index], operand, *statement.operands[index + 1 :])
    text = _replace_operand_text(statement, index, operand)
    return StatementChange(
        statement, statement._replace(operands=operands, text=text), None, phrase, cost
    )


def _replace_operand_text(statement: Statement, index: int, operand: Operand) -> str:
    """Return the text of a statement with another operand in a place."""
    start = statement.text.find(statement.name) + len(statement.name)
    parts, depth = [""], 0
    for character in statement.text[start:]:
        depth += (character in "[{(") - (character in ")}]")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    if index < len(parts):
        blanks = parts[index][: len(parts[index]) - len(parts[index].lstrip())]
        parts[index] = blanks + _format_operand(operand, parts[index].strip())
    return statement.text[:start] + ",".join(parts)


def _format_operand(operand: Operand, old: str) -> str:
    """Return an operand as written; ``old`` if it is of a kind that is not changed."""
    if isinstance(operand, MemoryOperand) and isinstance(operand.base, RegisterOperand):
        offset = f"{operand.offset:+d}" if operand.offset else ""
        return f"[{_get_written_name(operand.base.name)}{offset.replace('-', '+-')}]"
    if isinstance(operand, RegisterOperand):
        return ("!" if operand.is_negated else "") + _get_written_name(operand.name)
    if isinstance(operand, ConstantOperand):
        return str(operand.value)
    if isinstance(operand, VectorOperand):
        return f"{{{', '.join(_format_operand(x, '_') for x in operand.parts)}}}"
    return operand.name if isinstance(operand, SpecialOperand) else old


def _get_written_name(name: str) -> str:
    """Return a register's name as written, without the number that makes it unique."""
    return name.partition("#")[0]


# --- missing statements


class MissingStatement(NamedTuple):
    """A statement that may be missing in a function."""

    function: Program
    place: Statement
    """The statement of the function that is named."""
    statement: Statement
    phrase: str
    """Completion of "line 114 …": ``with a barrier before it``."""
    position: int
    """The statement before which it is inserted."""
    is_before_label: bool
    """Whether it is inserted before the labels there, so branches to them skip it."""

    def insert(self, code: DeviceCode) -> DeviceCode:
        """Return code that has the statement."""
        function = insert_statement(
            self.function, self.position, self.statement, is_before_label=self.is_before_label
        )
        return code._replace(functions={**code.functions, function.name: function})


def insert_statement(
    function: Program, position: int, statement: Statement, *, is_before_label: bool
) -> Program:
    """Return a function with another statement before one of its own, and before its labels."""
    first_moved = position + (not is_before_label)
    old = [x._replace(targets=tuple(y + (y >= first_moved) for y in x.targets))
           for x in function.statements]  # fmt: skip
    labels = {i + (i >= first_moved): x for i, x in function.labels.items()}
    new = (*old[:position], statement, *old[position:])
    return function._replace(statements=new, labels=labels)


def iter_missing_statements(function: Program, *, has_shared: bool) -> Iterator[MissingStatement]:
    """Yield the statements that may be missing; with shared memory also barriers."""
    if not function.statements:  # absent from the text
        return
    yield from _iter_initial_values(function)
    if has_shared:
        yield from _iter_barriers(function)


def _iter_initial_values(function: Program) -> Iterator[MissingStatement]:
    """Yield zeros for registers that may be read before they are written, or that a loop updates.

    The former are set at the start of the function, the latter before each of the loops.
    """
    statements = function.statements
    loops = {(y, i) for i, x in enumerate(statements) for y in x.targets if y <= i}
    statements_by_place: dict[tuple[int, str], Statement] = {}
    for name, statement in _iter_unwritten(function):
        statements_by_place.setdefault((0, name), statement)
    for i, statement in enumerate(statements):
        starts = sorted({start for start, end in loops if start <= i <= end})
        for name in sorted({*iter_read_names(statement)} & {*iter_written_names(statement)}):
            # without a write, the start of the function serves for the outermost loop
            for start in starts[(0, name) in statements_by_place :]:
                statements_by_place.setdefault((start, name), statements[start])
    for (index, name), place in statements_by_place.items():
        type_, visible_name = function.registers.get(name, "pred"), name.partition("#")[0]
        if 8 < TYPE_BITS.get(type_, 128) < 128:
            text = f"mov.{type_} {visible_name}, {_ZEROS.get(type_, '0')}"
            operands = RegisterOperand(name), ConstantOperand(0)
            kind = StatementKind.PLAIN_INSTRUCTION
            statement = Statement(kind, place.line, text, "mov", (type_,), operands)
            where = "before the loop that begins here" if index else "at the start of the function"
            phrase = f"with `{visible_name}` set to 0 {where}"
            yield MissingStatement(function, place, statement, phrase, index, is_before_label=True)


def _iter_unwritten(function: Program) -> Iterator[tuple[str, Statement]]:
    """Yield the registers that some path through a function reads before it writes them."""
    statements = function.statements
    blocks = find_thread_blocks(statements, function.labels)
    writes = [frozenset(() if x.guard else iter_written_names(x)) for x in statements]
    entries: dict[int, frozenset[str]] = {0: frozenset(x.name for x in function.parameters)}
    pending = [0]
    while pending:
        number = pending.pop()
        block = blocks[number]
        names = entries[number].union(*writes[block.start : block.end])
        for x in sorted(set(block.following)):
            entry = entries.get(x, names) & names
            if entry != entries.get(x):
                entries[x] = entry
                pending.append(x)
    for number, entry in sorted(entries.items()):
        known_names = set(entry)
        for i in range(blocks[number].start, blocks[number].end):
            statement = statements[i]
            kept_names = set(iter_written_names(statement)) if statement.guard else set[str]()
            for name in sorted((kept_names | {*iter_read_names(statement)}) - known_names):
                if name.partition(".")[0] not in known_names:
                    yield name, statement
            known_names |= writes[i]


def _iter_barriers(function: Program) -> Iterator[MissingStatement]:
    """Yield barriers between reads and writes of shared memory, and at the first after a label."""
    last = ""
    for index, statement in enumerate(function.statements):
        if index in function.labels:
            last = ""
        if statement.opcode in BARRIERS:
            last = statement.opcode
        if "shared" not in [x.partition("::")[0] for x in statement.modifiers]:
            continue
        if last not in BARRIERS and last != statement.opcode:
            kind, operands = StatementKind.UNKNOWN, (ConstantOperand(0),)
            new = Statement(kind, statement.line, "bar.sync 0", "bar", ("sync",), operands)
            phrase = "with a barrier before it"
            yield MissingStatement(function, statement, new, phrase, index, is_before_label=False)
        last = statement.opcode
