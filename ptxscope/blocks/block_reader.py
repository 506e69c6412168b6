"""Basic blocks from the statements of a program: their inputs, results and stores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..engine.isa.catalog import MOVES
from ..engine.isa.types import DESTINATIONS, Type
from ..engine.program.control_flow import WritePlace, follow_places, make_initial_place
from ..engine.program.program import Program
from ..engine.program.statement import MoveStep, Statement, StatementKind, VectorMove
from ..engine.program.statement_operands import (
    ConstantOperand,
    Operand,
    RegisterOperand,
    SymbolOperand,
)
from ..engine.syntax.errors import Problem, PtxError, Span, quote_word
from ..engine.syntax.instruction import Immediate, Instruction, Register
from ..engine.syntax.opcodes import ADDRESS_CONVERSIONS, LOADS, RETURNS
from ..engine.syntax.operands import SPECIAL
from ..engine.syntax.parser import OMISSION_PREFIX, parse
from ..engine.syntax.register_checks import with_register_widths
from ..engine.tracing.basic_block import (
    STORED,
    BasicBlock,
    BlockGuard,
    BlockStatement,
    OuterAccess,
    ValuePlace,
)
from .needless_guards import drop_needless_guards
from .stores import Store, find_store, is_effect_free

_OUTSIDE = {**dict.fromkeys(LOADS, "loaded"), **dict.fromkeys(ADDRESS_CONVERSIONS, "an address")}
"""Instructions whose results come from outside a block with memory, and the kinds of these."""
_SPECIAL_REGISTER = "a special register"


class _Contents(NamedTuple):
    """The contents of a register while a block is read."""

    place: ValuePlace
    type: Type
    bits: int | None = None
    """The bits of a constant, else None."""


class BlockReader:
    """Reads the statements of a program, with the contents of its registers."""

    def __init__(self, text: str, program: Program, with_memory: bool, max_statements: int) -> None:
        self.text, self.program, self.with_memory = text, program, with_memory
        self.max_statements = max_statements
        self.guards: list[BlockGuard] = []
        self.places: dict[str, WritePlace] = {x: make_initial_place(x) for x in program.constants}
        """The place of the current contents of each register."""
        self.contents: dict[WritePlace, _Contents] = {
            self.places[name]: _Contents(ValuePlace(0, name), program.types[name], bits)
            for name, bits in program.constants.items()
        }
        """The contents of the registers, by place."""
        self.written: dict[str, _Contents] = {}
        """The results so far of the current statement."""
        self.statements: list[BlockStatement] = []
        self.written_lines: list[str] = []
        self.unused_results: dict[ValuePlace, str] = {}
        """The results not read yet, with their registers."""
        self.notes = [*program.notes]
        self.kinds: dict[str, str] = {}
        """The kind of each input register's value: ``loaded``."""
        self.outer_accesses: list[OuterAccess] = []
        self.stored: dict[str, ValuePlace] = {}
        """The stored computed values, by their registers."""
        self.stored_bytes: list[tuple[object, range]] = []
        """The bytes that stores write, relative to each base."""
        self.own_results: dict[str, ValuePlace] = {}
        """The results of inner blocks, by their local registers."""
        self.cut_values: dict[tuple[ValuePlace, int], ValuePlace] = {}
        """The low bits of values that a statement stores only in part."""
        self.open_blocks: list[Statement] = []
        self.declarations: dict[str, Statement | None] = {}
        """The inner block that declares each input register, if any."""

    def read(self, statements: list[Statement]) -> BasicBlock:
        """Return the block of the statements."""
        followed = follow_places(statements, self.places)
        for _, (original, statement, note) in zip(
            followed, drop_needless_guards(statements), strict=True
        ):
            self.notes += filter(None, [note])
            self.written.clear()
            match statement.kind:
                case StatementKind.BLOCK_START:
                    self.open_blocks.append(statement)
                    declared = (f".reg .{type_} {name};" for name, type_ in statement.declared)
                    self.written_lines.append(" ".join(("{", *declared)))
                case StatementKind.BLOCK_END:
                    self._leave_block(self.open_blocks.pop())
                    if self.written_lines[-1][0] == "{":  # nothing in it is selected
                        self.written_lines.pop()
                    else:
                        self.written_lines.append("}")
                case StatementKind.INSTRUCTION | StatementKind.PLAIN_INSTRUCTION:
                    self._check_count(statement)
                    self.written_lines.append(f"{statement.text};")
                    if statement.is_copy and not original.guard:
                        self._move(statement)
                    else:
                        self._add(statement)
                case StatementKind.BRANCH if statement.guard:
                    self._add_guard(statement, statements)
                case _:
                    self._skip(statement, statements)
            # if a guard fails, or nothing is computed, a register keeps its contents
            for name in () if statement.is_brace else statement.writes:
                if contents := self._find_contents(name):
                    self.contents[WritePlace(statement.number, name)] = contents
        places = (place for x in self.statements for place in x.reads.values())
        read = {place.role for place in places if not place.statement}
        for kind in (*dict.fromkeys(_OUTSIDE.values()), _SPECIAL_REGISTER):
            if names := [name for name, x in self.kinds.items() if x == kind and name in read]:
                self.notes.append(f"{kind}, so treated as input: {', '.join(names)}")
        if self.stored:
            self.notes.append(f"stored, at any address: {', '.join(self.stored)}")
        spans = [x.span for x in statements if x.span != (0, 0)]
        span = (min(start for start, _ in spans), max(end for _, end in spans))
        outputs, lines = self._find_outputs(), tuple(self.written_lines)
        return BasicBlock(
            tuple(self.statements),
            outputs,
            _drop_outer_braces(lines) if len(self.unused_results) == len(outputs) else lines,
            self.text,
            {"line": span},
            tuple(dict.fromkeys(self.notes)),
            self._find_read_values(outputs),
            tuple(self.guards),
            tuple(self.outer_accesses),
        )

    def _leave_block(self, block: Statement) -> None:
        """Note the results in an inner block's local registers, and forget these registers."""
        for name in block.writes:
            contents = self._find_contents(name)
            self.places.pop(name, None)
            if contents and self.unused_results.get(contents.place) == name:
                self.own_results[name] = contents.place

    def _find_contents(self, name: str) -> _Contents | None:
        """Return the contents of a register, if the block has used it."""
        place = self.places.get(name) or make_initial_place(name)
        return self.written.get(name) or self.contents.get(place)

    def _check_count(self, statement: Statement) -> None:
        if len(self.statements) == self.max_statements:
            self._fail(f"a block has at most {self.max_statements} statements", statement.span)

    def _fail(self, message: str, span: Span, hint: str = "") -> None:
        raise PtxError(self.text, (Problem(message, span, hint),))

    def _add_guard(self, statement: Statement, statements: Sequence[Statement]) -> None:
        """Note the guard of a branch to the end of the block; raise PtxError for another branch."""
        has_effects = any(x.kind in ("", STORED) for x in self.outer_accesses)
        if has_effects or not _leads_to_end(statement, statements):
            opcode = quote_word(statement.name)
            hint = "a guarded branch to its end, before anything is stored"
            self._fail(f"{opcode} leaves the block, which is a straight line", statement.span, hint)
        assert statement.guard
        contents = self._read_register(statement.guard.name, Type.PRED, statement.span)
        self.unused_results.pop(contents.place, None)
        guard = BlockGuard(
            contents.place, statement.guard.name, staying_value=statement.guard.negated
        )
        self.guards.append(guard)
        text = quote_word(statement.text)
        self.notes.append(f"{text} is not taken: this is for threads with {guard.condition}")

    def _skip(self, statement: Statement, statements: Sequence[Statement]) -> None:
        """Skip a statement that changes no register; raise PtxError for any other."""
        if statement.problems:
            raise PtxError(self.text, statement.problems)
        store = find_store(statement) if self.with_memory else None
        if store and self._add_store(statement, store):
            return
        opcode = quote_word(statement.name or statement.text)
        is_return = statement.opcode in RETURNS and _has_only_ends(
            x for x in statements if x.number > statement.number
        )
        if statement.kind is StatementKind.BRANCH and not is_return:
            self._fail(f"{opcode} leaves the block, which is a straight line", statement.span)
        elif statement.omission:
            self._fail(f"a block needs every statement; this one is {statement.omission}",
                       statement.span)  # fmt: skip
        elif kind := self._find_outer_kind(statement):
            self.kinds.update(dict.fromkeys(statement.writes, kind))
            access = OuterAccess(statement.text, statement.line, kind, statement.writes)
            self.outer_accesses.append(access)
        elif statement.writes:
            self._fail(
                f"{opcode} is not computed here: {statement.writes[0]} would be unknown",
                statement.span,
                "an instruction of the catalog",
            )
        elif statement.kind is StatementKind.UNKNOWN:
            self.notes.append(f"{OMISSION_PREFIX}{quote_word(statement.text)}")
            if not is_effect_free(statement):
                self.outer_accesses.append(OuterAccess(statement.text, statement.line, ""))

    def _find_outer_kind(self, statement: Statement) -> str:
        """Return the kind of a statement's values from outside the block, or an empty string."""
        if not self.with_memory or any(map(self._find_contents, statement.writes)):
            return ""
        source = statement.text.rpartition(",")[2].strip().partition(".")[0]
        if statement.opcode in MOVES and SPECIAL.fullmatch(source):
            return _SPECIAL_REGISTER
        return _OUTSIDE.get(statement.opcode, "")

    def _add_store(self, statement: Statement, store: Store) -> bool:
        """Note the values that a store writes; return whether all are known."""
        names = [self._find_stored_name(x, store.bits, statement) for x in store.values]
        if not all(names):
            return False
        for name in names:
            if (contents := self._find_contents(name)) and contents.place.statement:
                place = self._cut(name, contents, store.bits, statement)
                if self.stored.setdefault(name, place) != place:
                    message = f"{quote_word(name)} is stored twice, with two values"
                    self._fail(message, statement.span)
        base, start = store.address.base, store.address.offset
        place_of_base = None if isinstance(base, ConstantOperand) else self.places.get(base.name)
        written = range(start, start + len(names) * store.bits // 8)
        is_apart = all(
            x == (base, place_of_base) and not {*y}.intersection(written)
            for x, y in self.stored_bytes
        )
        self.stored_bytes.append(((base, place_of_base), written))
        access = OuterAccess(statement.text, statement.line, STORED, tuple(names), store.form)
        self.outer_accesses.append(access._replace(is_apart=is_apart))
        return True

    def _find_stored_name(self, value: Operand, bits: int, statement: Statement) -> str:
        """Return the value of a store as in ``OuterAccess``; empty if unknown."""
        if isinstance(value, ConstantOperand):
            pattern = value.value if value.pattern is None else value.pattern
            return f"={pattern & (1 << bits) - 1:#x}" if isinstance(pattern, int) else ""
        if not isinstance(value, (RegisterOperand, SymbolOperand)):  # a symbol is undeclared
            return ""
        if value not in (RegisterOperand(value.name), SymbolOperand(value.name)):
            return ""
        type_ = self.program.types.get(value.name)
        contents = self._find_contents(value.name)
        if contents is None and type_:
            contents = self._read_register(value.name, type_, statement.span)
        if contents is None or contents.type.bits < bits:
            return ""
        if contents.place.statement:
            return value.name
        if contents.bits is not None:
            return f"={contents.bits & (1 << bits) - 1:#x}"
        return f"={contents.place.role}"

    def _cut(self, name: str, contents: _Contents, bits: int, statement: Statement) -> ValuePlace:
        """Return the place of the low bits of a register that a statement stores."""
        held_bits = contents.type.bits
        if bits >= held_bits:
            return contents.place
        key = (contents.place, bits)
        if key not in self.cut_values:
            cut = f"and.b{held_bits} d, a, 255" if bits == 8 else f"cvt.u{bits}.u{held_bits} d, a"
            self._compute(statement, MoveStep(cut, f"{name}.{bits}", (name,)))
            self.cut_values[key] = self.written[f"{name}.{bits}"].place
        return self.cut_values[key]

    def _move(self, statement: Statement) -> None:
        """Give a register's contents, or a literal, another name."""
        ins = statement.instruction
        assert ins
        ((_, target),), source, type_ = ins.results.items(), ins.sources[0], ins.type_of("a")
        if isinstance(source, Register):
            contents = self._read_register(source.name, type_, statement.span)
            self.written[target] = contents
            if contents.place in self.unused_results:
                self.unused_results[contents.place] = target
        else:
            bits = ins.constants["a"]
            self.written[target] = _Contents(ValuePlace(0, target), type_, bits)

    def _add(self, statement: Statement) -> None:
        if statement.move:
            self._add_move(statement, statement.move)
        elif ins := statement.instruction:
            self._add_instruction(statement, ins)

    def _add_move(self, statement: Statement, move: VectorMove) -> None:
        """Add the instructions that are equal to a move between a word and its parts."""
        if move.part_bits == 8:
            self._fail("a block can't take a `mov` with a list of bytes", statement.span,
                       "prmt joins bytes")  # fmt: skip
        for step in move.iter_steps():
            self._compute(statement, step, is_guarded=step.target in move.targets)

    def _compute(self, statement: Statement, step: MoveStep, *, is_guarded: bool = False) -> None:
        """Add an instruction that is a part of a statement."""
        self._check_count(statement)
        ins = parse(step.line)
        sources: list[Register | Immediate] = [
            Immediate(source & (1 << ins.type_of(role).bits) - 1, f"{source:#x}")
            if isinstance(source, int)
            else Register(source)
            for role, source in zip("ab", step.sources, strict=False)
        ]
        ins = replace(
            ins,
            destinations=(step.target,),
            sources=(*sources, *ins.sources[len(sources) :]),
            guard=statement.guard if is_guarded else None,
            text="",
            spans={},
        )
        self._add_instruction(statement, ins, str(ins).rstrip(";"))

    def _add_instruction(self, statement: Statement, ins: Instruction, part: str = "") -> None:
        """Add an instruction with its inputs; ``part`` is its text as part of a statement."""
        spans = ins.spans
        if ins.entry.can_have_wider_registers:
            names = ((role, self._find_contents(name)) for role, name in ins.names.items())
            widths = {role: x.type.bits for role, x in names if x and role == "a"}
            ins = with_register_widths(ins, widths)
        sources: dict[str, _Contents] = {}
        for role, name in ins.names.items():
            if role not in DESTINATIONS or ins.guard:
                span = spans.get(role, statement.span)
                sources[role] = self._read_register(name, ins.type_of(role), span)
        constants = {ins.names[role]: x.bits for role, x in sources.items() if x.bits is not None}
        ins = ins.with_constants(constants)
        reads = {x: y.place for x, y in sources.items() if x not in ins.constants}
        if old := next((x for x in reads if x in DESTINATIONS and sources[x].bits is not None), ""):
            self._fail(
                "a block can't keep a constant under a guard", spans.get(old, statement.span)
            )
        for place in reads.values():
            self.unused_results.pop(place, None)
        number = len(self.statements) + 1
        texts = (part, statement.text) if part else (statement.text, "")
        added = BlockStatement(number, texts[0], statement.line, ins, reads, texts[1])
        self.statements.append(added)
        for role, name in ins.results.items():
            place = ValuePlace(number, role)
            self.written[name] = _Contents(place, ins.type_of(role))
            self.unused_results[place] = name

    def _read_register(self, name: str, type_: Type, span: Span) -> _Contents:
        """Return the contents of a register; raise PtxError if it has another width."""
        contents = self._find_contents(name)
        if contents is None:
            contents = _Contents(ValuePlace(0, name), type_)
            self.contents[self.places.setdefault(name, make_initial_place(name))] = contents
            blocks = (x for x in reversed(self.open_blocks) if name in x.writes)
            declaration = next(blocks, None)
            if self.declarations.setdefault(name, declaration) is not declaration:
                message = f"{quote_word(name)} is two registers, both read before they are written"
                self._fail(message, span)
        if contents.type.bits != type_.bits:
            kinds = ["a predicate" if kind is Type.PRED else f"a {kind.bits}-bit register"
                     for kind in (contents.type, type_)]  # fmt: skip
            self._fail(f"{quote_word(name)} is {kinds[0]} here, not {kinds[1]}", span)
        return contents

    def _find_outputs(self) -> Mapping[str, ValuePlace]:
        """Return the results by name: an asm statement's outputs, or else the unread results."""
        named = {name for names in self.program.bound.outputs.values() for name in names}
        outputs = self.stored or {
            name: place
            for name, place in self._iter_results()
            if (name in named if named else self.unused_results.get(place) == name)
        }
        outputs = outputs or self.own_results
        if len({*outputs.values()}) < len(outputs) or not outputs:
            problem = "two outputs are one value here" if outputs else "this block has no result"
            self._fail(problem, (0, len(self.text.rstrip())))
        return dict(sorted(outputs.items(), key=lambda item: item[1].statement))

    def _find_read_values(self, outputs: Mapping[str, ValuePlace]) -> Mapping[str, ValuePlace]:
        """Return the contents of the other registers that were written, unless they are stored."""
        if self.stored:
            return {}
        return {name: place for name, place in self._iter_results() if name not in outputs}

    def _iter_results(self) -> Iterator[tuple[str, ValuePlace]]:
        """Yield the registers that finally contain a statement's result, and its place."""
        for name, place in self.places.items():
            contents = self.contents.get(place)
            if contents and contents.place.statement:
                yield name, contents.place


def _leads_to_end(branch: Statement, statements: Sequence[Statement]) -> bool:
    """Whether a branch leads to the end of the block, or ends the thread."""
    if branch.opcode in RETURNS:
        return True
    start = min(branch.targets, default=0)
    return start > branch.number and _has_only_ends(x for x in statements if x.number >= start)


def _has_only_ends(statements: Iterable[Statement]) -> bool:
    """Whether statements only end the thread."""
    return all(
        x.kind in (StatementKind.LABEL, StatementKind.BLOCK_END)
        or (x.kind is StatementKind.BRANCH and x.opcode in RETURNS)
        for x in statements
    )


def _drop_outer_braces(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lines without braces around all of them."""
    is_around_all = lines[0][0] == "{" and lines[-1] == "}"
    return lines[1:-1] if is_around_all and sum(x[0] == "{" for x in lines) == 1 else lines
