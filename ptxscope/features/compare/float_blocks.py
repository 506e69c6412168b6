"""Blocks with floats, as kernels that load the operands and store the results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...cli.support.ptx_arguments import PLACE, is_file, read_place
from ...cli.support.streams import CommandError
from ...engine.program.statement import Statement, StatementKind
from ...engine.program.statement_operands import (
    Operand,
    RegisterOperand,
    SymbolOperand,
    VectorOperand,
)
from ...engine.semantics.models import Model
from ...engine.syntax.asm_text import find_asm_openings
from ...engine.syntax.errors import make_printable
from ...engine.syntax.opcodes import ATOMICS, LOADS, STORES
from ...sources.embedded_ptx import find_ptx
from ...sources.source_language import Language, find_language
from ...sources.source_programs import load
from ..kernels.launches.device_code import load_device_code
from ..kernels.launches.float_operations import FORMATS, WIDE_TYPES
from ..kernels.launches.register_names import iter_read_names, iter_written_names
from .file_kernel import FileKernel
from .kernel_memory import get_held_bits
from .kernel_values import FLOAT_OPCODES, FLOAT_TYPES

_ASM_OPERAND = re.compile(r"%(\d+)")
_OWN = "ptxscope_"
"""The beginning of the names of registers that carry operands and results."""
RESULT_BYTES = 8
"""The distance of results in the buffer of a kernel."""


class Use(NamedTuple):
    """A use of a register by a statement."""

    name: str
    bits: int
    type: str
    is_weak: bool = False
    """Whether the register may be wider."""


class FloatBlock(NamedTuple):
    """A straight line of statements, of which one or the other block has floats."""

    label: str
    """The text, as it was written."""
    ptx: str
    """Its PTX, with its lines at their places."""
    uses: tuple[Use, ...]
    """The uses of registers that it does not declare itself."""
    has_floats: bool
    names: Mapping[str, str] = {}
    """The names of the operands of an asm statement for users."""
    literals: Mapping[str, int] = {}
    """The bits of registers that are literals."""
    outputs: tuple[str, ...] = ()
    """The registers that an asm statement writes."""

    def get_name(self, register: str) -> str:
        """Return the name of a register for users."""
        return self.names.get(register, register)


# --- reading -----------------------------------------------------------------------------


def read_block(text: str) -> FloatBlock | None:
    """Return the block in an argument of ``prove``, or None for any other argument."""
    match = PLACE.fullmatch(text)
    lines: range | None = None
    source, name = text, ""
    if match and is_file(match["file"]):
        if match["kernel"]:
            return None
        source, lines = read_place(match)
        name = match["file"]
        if find_language(name, source) is not Language.PTX:
            return None
    programs = [
        (x, chosen)
        for x in load(source, name, is_excerpt=not name)
        if (chosen := [y for y in x.statements if lines is None or y.line in lines])
    ]
    if len(programs) != 1:
        return None
    program, statements = programs[0]
    if any(x.problems for x in statements):
        return None
    has_floats = any(map(_is_float, statements))
    uses = tuple(y for x in statements for y in _iter_uses(x))
    if lines is not None:
        excerpt = "\n".join(source.split("\n")[lines.start - 1 : lines.stop - 1])
        declared = ((x, program.registers[x]) for x in program.registers if x.isprintable())
        known = {x: Use(x, get_held_bits(type_), type_) for x, type_ in declared}
        uses = tuple(known.get(x.name, x) for x in uses)
        return FloatBlock(text, "\n" * (lines.start - 1) + excerpt, uses, has_floats)
    if next(find_asm_openings(text), None) is not None:
        return _read_asm(text, has_floats)
    declared_names = {name for x in statements for name, type_ in x.declared if type_}
    uses = tuple(x for x in uses if x.name not in declared_names)
    return FloatBlock(text, text, uses, has_floats)


def _read_asm(text: str, has_floats: bool) -> FloatBlock | None:
    """Return the block of an asm statement, with names for its operands that PTX allows."""
    piece = next(find_ptx(text, Language.C), None)
    if piece is None or piece.operands is None or piece.gaps:
        return None
    operands = piece.operands
    registers = {x.name: f"{_OWN}{x.name[1:]}" for x in operands.expressions}
    types = {x: operands.types.get(x, "b32") for x in registers}
    literals = {y: operands.literals[x] for x, y in registers.items() if x in operands.literals}
    return FloatBlock(
        text,
        _ASM_OPERAND.sub(rf"{_OWN}\1", piece.flatten().ptx),
        tuple(Use(registers[x], get_held_bits(y), y) for x, y in types.items()),
        has_floats,
        {
            registers[x.name]: x.text.strip() if x.text.strip().isidentifier() else x.name
            for x in operands.expressions
        },
        literals,
        tuple(registers[x.name] for x in operands.expressions if x.is_output),
    )


def _iter_uses(x: Statement) -> Iterator[Use]:
    """Yield the uses of registers by a statement."""
    if x.guard:
        yield Use(x.guard.name, 1, "pred")
    if ins := x.instruction:
        for role, name in ins.names.items():
            type_ = ins.type_of(role)
            bits = get_held_bits(type_)
            yield Use(name, bits, type_, ins.entry.can_have_wider_registers)
    elif x.move:
        for name, type_ in (*x.move.iter_source_types(), *x.move.iter_target_types()):
            yield Use(name, type_.bits, type_)
    elif x.modifiers:
        types = [x.modifiers[-1]] * len(x.operands)
        if x.opcode == "cvt" and len(x.modifiers) > 1:
            types[0] = x.modifiers[-2]
        for operand, written_type in zip(x.operands, types, strict=True):
            is_weak = x.opcode == "cvt" and written_type not in FORMATS
            for name in _iter_names(operand):
                yield Use(name, get_held_bits(written_type), written_type, is_weak)


def _iter_names(operand: Operand | None) -> Iterator[str]:
    if isinstance(operand, (RegisterOperand, SymbolOperand)):
        yield operand.name
    elif isinstance(operand, VectorOperand):
        for part in operand.parts:
            yield from _iter_names(part)


def _is_float(x: Statement) -> bool:
    is_known = x.instruction is not None
    return not is_known and x.opcode in FLOAT_OPCODES and bool(FLOAT_TYPES & {*x.modifiers})


# --- two blocks as kernels ------------------------------------------------------------------


class BlockPair:
    """Two blocks as kernels: the operands are parameters, the results are stored."""

    def __init__(self, blocks: Sequence[FloatBlock], same: Mapping[str, str]) -> None:
        """``same`` maps registers of the first block to those of the second.

        Raise CommandError if a block is no straight line, or if results can't be matched.
        """
        self.blocks = blocks
        self._renamings = [same, {}]
        self._bits = self._unite_widths()
        """The bits of each register, by its name."""
        sides = [self._find_operands(i) for i in range(2)]
        self.operands = {self.get_key(i, x): None for i in range(2) for x in sides[i][0]}
        """The names of all operands."""
        self.results = self._pair_results([x[1] for x in sides])
        """The registers of each pair of results."""

    def get_key(self, index: int, register: str) -> str:
        """Return the name of a register in both blocks: of an operand, the name that B has."""
        name = self.blocks[index].get_name(register)
        return self._renamings[index].get(name, name)

    def _unite_widths(self) -> dict[str, int]:
        bits: dict[str, int] = {}
        for is_weak in (False, True):
            found: dict[str, int] = {}
            for i, block in enumerate(self.blocks):
                for use in block.uses:
                    key = self.get_key(i, use.name)
                    if use.is_weak != is_weak or key in bits:
                        continue
                    known = found.setdefault(key, use.bits)
                    if known != use.bits and not is_weak:
                        raise CommandError(
                            f"error: {make_printable(key)} has {known} bits in one use and "
                            f"{use.bits} in another"
                        )
                    found[key] = max(use.bits, known)
            bits |= found
        return bits

    def get_bits(self, name: str) -> int:
        """Return the bits of an operand, or of a register of B."""
        return self._bits[name]

    def find_type(self, name: str) -> str:
        """Return the type of floats that a register holds; empty if it is used as none."""
        uses = (
            use.type
            for i, block in enumerate(self.blocks)
            for use in block.uses
            if name in (self.get_key(i, use.name), block.get_name(use.name))
        )
        return next((x for x in uses if x in FORMATS), "")

    def _list_registers(self, index: int) -> dict[str, int]:
        """Return the bits of the registers that a block does not declare."""
        uses = self.blocks[index].uses
        return {x.name: self._bits[self.get_key(index, x.name)] for x in uses}

    def _find_operands(self, index: int) -> tuple[list[str], list[str]]:
        """Return the operands and the results of a block."""
        block, registers = self.blocks[index], self._list_registers(index)
        code = load_device_code(self._write(index, "", "", ""))
        (kernel,) = code.kernels
        for problem in (y for x in kernel.statements for y in x.problems):
            label = make_printable(block.label)
            raise CommandError(f"error: `{label}`: {problem.message}")
        read, written = dict[str, None](), dict[str, bool]()
        for x in kernel.statements[:-1]:
            if x.kind is StatementKind.BRANCH or x.opcode in LOADS | STORES | ATOMICS:
                raise CommandError(
                    f"error: `{make_printable(x.name)}` in a block with floats: only a straight "
                    "line without memory is compared; give kernels as FILE:KERNEL"
                )
            names, targets = [*iter_read_names(x)], [*iter_written_names(x)]
            read |= dict.fromkeys(y for y in names if y not in written)
            if x.guard:
                read |= dict.fromkeys(y for y in targets if y not in written)
            written |= dict.fromkeys((y for y in names if y in written), False)
            written |= dict.fromkeys(targets, True)
        results = [y for y in block.outputs or registers if block.outputs or written.get(y)]
        if not results:
            raise CommandError(f"error: `{make_printable(block.label)}` has no result")
        read |= dict.fromkeys(y for y in results if y not in written)
        return [y for y in registers if y in read and y not in block.literals], results

    def _pair_results(self, results: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
        """Return the pairs of results of equal names, or at equal positions."""
        first, second = ([self.blocks[i].get_name(x) for x in results[i]] for i in range(2))
        order = list(range(len(second)))
        if {*first} == {*second}:
            order = [second.index(x) for x in first]
        elif len(first) != len(second):
            names = [", ".join(map(make_printable, x)) for x in (first, second)]
            raise CommandError(f"error: A has the results {names[0]}, and B has {names[1]}")
        pairs = [(x, results[1][i]) for x, i in zip(results[0], order, strict=True)]
        for pair in pairs:
            bits = [self._bits[self.get_key(i, x)] for i, x in enumerate(pair)]
            if bits[0] != bits[1]:
                raise CommandError(
                    f"error: the results have {bits[0]} bits in A and {bits[1]} in B"
                )
        return pairs

    def make_kernels(self, models: Sequence[Model]) -> tuple[FileKernel, FileKernel]:
        """Return both kernels; the last parameter points to the results."""
        names = [*self.operands]
        types = [self.find_type(x) for x in names]  # runs try floats
        parameters = ", ".join(
            f".param .{type_ if type_ in WIDE_TYPES else f'b{max(self._bits[x], 16)}'} {_OWN}p{i}"
            for i, (x, type_) in enumerate(zip(names, types, strict=True))
        )
        kernels = []
        for index, (block, model) in enumerate(zip(self.blocks, models, strict=True)):
            loads, stores = list[str](), [f"ld.param.u64 {_OWN}address, [{_OWN}out];"]
            for register, bits in self._list_registers(index).items():
                key = self.get_key(index, register)
                if register in block.literals:
                    value = block.literals[register] & (1 << bits) - 1
                    loads.append(f"mov.b{bits} {register}, {value:#x};")
                elif key in self.operands:
                    loads.append(_write_load(register, bits, f"[{_OWN}p{names.index(key)}]"))
            for i, pair in enumerate(self.results):
                bits = self._bits[self.get_key(index, pair[index])]
                place = f"[{_OWN}address+{RESULT_BYTES * i}]"
                stores.append(_write_store(pair[index], bits, place))
            parameter = f"{parameters}, .param .u64 {_OWN}out".removeprefix(", ")
            text = self._write(index, parameter, " ".join(loads), " ".join(stores))
            code = load_device_code(text)
            (kernel,) = code.kernels
            kernels.append(FileKernel(block.label, "", code, kernel, model))
        return kernels[0], kernels[1]

    def _write(self, index: int, parameters: str, loads: str, stores: str) -> str:
        """Return a kernel of a block, whose lines are at their places."""
        ptx = self.blocks[index].ptx
        lines = ptx.lstrip("\n")
        start, body = "\n" * (len(ptx) - len(lines)), lines.rstrip()
        registers = " ".join(
            f".reg .{'pred' if bits == 1 else f'b{bits}'} {name};"
            for name, bits in self._list_registers(index).items()
        )
        own = f".reg .b64 {_OWN}address; .reg .b16 {_OWN}truth;"
        end = "" if body.endswith((";", "}")) else ";"
        head = f".visible .entry block({parameters}) {{ {own} {registers} {loads}"
        return f"{start}{head} {body}{end} {stores} ret; }}\n"


def _write_load(name: str, bits: int, place: str) -> str:
    if bits == 1:
        return f"ld.param.u16 {_OWN}truth, {place}; setp.ne.u16 {name}, {_OWN}truth, 0;"
    return f"ld.param.b{bits} {name}, {place};"


def _write_store(name: str, bits: int, place: str) -> str:
    if bits == 1:
        return f"selp.u16 {_OWN}truth, 1, 0, {name}; st.global.u16 {place}, {_OWN}truth;"
    return f"st.global.b{bits} {place}, {name};"
