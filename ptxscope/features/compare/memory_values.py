"""Loads and stores of a kernel: addresses by their roots, elements by their types, parameters."""

from __future__ import annotations

from collections.abc import Sequence

from ...engine.ir.tape import Node
from ...engine.program.statement import Statement
from ...engine.program.statement_operands import (
    ConstantOperand,
    MemoryOperand,
    Operand,
    RegisterOperand,
    SinkOperand,
    SymbolOperand,
    VectorOperand,
)
from ..kernels.launches.memory_steps import MemoryForm, parse_memory_form
from ..kernels.launches.thread_state import UnmodelledError
from .kernel_memory import COMMON, Root, RootAddress
from .kernel_values import Content, Registers, StatementValues
from .parameters import (
    WORD_BYTES,
    find_parts,
    get_field_name,
    get_part_bytes,
    get_part_start,
    is_structure,
    name_part,
)
from .refusals import Refused


class KernelValues(StatementValues):
    """The values of a kernel, and the values that it exchanges with memory."""

    def _read_form(self, statement: Statement) -> MemoryForm:
        try:
            form = parse_memory_form(statement)
        except UnmodelledError:
            raise Refused(statement) from None
        if form.space not in ("", "const", "global", "local", "shared", "param"):
            raise Refused(statement, f"accesses .{form.space} memory, which is not compared")
        return form

    @staticmethod
    def _list_sources(statement: Statement) -> Sequence[Operand | None]:
        """Return the operands of the elements that a store writes."""
        source = statement.operands[1]
        return source.parts if isinstance(source, VectorOperand) else (source,)

    def _find_address(
        self, statement: Statement, form: MemoryForm, operand: Operand | None, registers: Registers
    ) -> RootAddress:
        if not isinstance(operand, MemoryOperand) or isinstance(operand.base, ConstantOperand):
            raise Refused(statement, "has an address that is no register")
        bits = 64
        if isinstance(operand.base, SymbolOperand):
            value = self._find_variable(statement, operand.base)
        else:
            value = self.read(operand.base.name, registers)
            bits = self.get_bits(operand.base.name)
            if bits != 64 and value.root is None:
                raise Refused(statement, "has an address of 32 bits that is from no variable")
        total = self._tape.add(value.number, operand.offset) if operand.offset else value.number
        number = self._fit(total, bits)
        root = value.root
        may_alias = self._memory.initial.may_alias
        if may_alias and form.space in ("", "global") and (root is None or root.space == "global"):
            return RootAddress(root or Root(COMMON), self.get_number(Content(number, root)))
        if root is None:
            hint = "" if may_alias else "; --may-alias takes any address"
            raise Refused(statement, f"has an address that is from no pointer parameter{hint}")
        if form.space != (
            "" if root.is_generic and root.space != "global" else root.space
        ) and not (root.space == "global" and form.space == ""):
            raise Refused(statement, f"accesses .{form.space or 'generic'} memory by an address of "
                          f"{root.space} memory")  # fmt: skip
        return RootAddress(root, number)

    def load(
        self, statement: Statement, registers: Registers, active: Node | None
    ) -> dict[str, Content]:
        """Return the register values of a load; ``active`` is whether the thread does it."""
        form = self._read_form(statement)
        target, source = statement.operands[:2]
        targets = target.parts if isinstance(target, VectorOperand) else (target,)
        if len(targets) != form.element_count:
            raise Refused(statement)
        if form.space == "param":
            values = self._load_parameter(statement, form, source, registers)
        else:
            address = self._find_address(statement, form, source, registers)
            loaded = self._memory.load(statement, address, form.width, form.element_count, active)
            values = [Content(x) for x in loaded]
        written: dict[str, Content] = {}
        for x, value in zip(targets, values, strict=True):
            if isinstance(x, RegisterOperand):
                written[x.name] = self._extend(value, form, self.get_bits(x.name))
            elif not isinstance(x, SinkOperand):
                raise Refused(statement)
        return written

    def _extend(self, value: Content, form: MemoryForm, bits: int) -> Content:
        """Return an element as wide as a register, by its sign if its type has one."""
        if value.root:
            return value
        number = value.number
        if form.type.startswith("s"):
            number = self._tape.cast(number, 8 * form.width, signed=True)
        return Content(self._fit(number, bits))

    def _load_parameter(
        self, statement: Statement, form: MemoryForm, source: Operand | None, registers: Registers
    ) -> list[Content]:
        name, places = self._find_parameter(statement, form, source)
        names = [x.name for x in self._function.parameters]
        if self._function.is_kernel and name in names:
            position = names.index(name)
            return [self._read_field(statement, position, x, form.width) for x in places]
        parts = [name_part(name, x, form.width) for x in places]
        if not registers.keys() >= {*parts}:
            raise Refused(statement, "reads parts of a parameter that are not passed as such")
        return [self.read(x, registers) for x in parts]

    def _find_parameter(
        self, statement: Statement, form: MemoryForm, operand: Operand | None
    ) -> tuple[str, range]:
        """Return the name of a variable in ``.param`` memory, and the places of elements in it."""
        base = operand.base if isinstance(operand, MemoryOperand) else None
        name = base.name if isinstance(base, SymbolOperand) else ""
        variable = self._function.variables.get(name)
        if variable is None or variable.space != "param":
            raise Refused(statement, "is no access to a parameter by its name")
        assert isinstance(operand, MemoryOperand)
        assert isinstance(base, SymbolOperand)
        offset = base.offset + operand.offset
        end = offset + form.width * form.element_count
        if offset < 0 or end > variable.bytes:
            raise Refused(statement, "is an access beyond the parameter")
        return name, range(offset, end, form.width)

    def _read_field(self, statement: Statement, position: int, offset: int, width: int) -> Content:
        """Return some bytes of a parameter; each of its words of 8 bytes is an operand."""
        parameter, place = self._function.parameters[position], offset % WORD_BYTES
        if place + width > WORD_BYTES:
            raise Refused(statement, "reads parts of two words of a structure")
        name, bits = get_field_name(position, parameter, offset), 64
        if not is_structure(parameter):
            bits = max(8 * parameter.bytes, 16)
        if width == WORD_BYTES:
            return Content(self._question.make_constant(0), Root(name))
        part = self._tape.shift_right(self._add_input(name, bits), 8 * place)
        return Content(self._fit(part, 8 * width))

    def store(
        self, statement: Statement, registers: Registers, active: Node | None
    ) -> dict[str, Content]:
        """Store the contents of registers, if the thread does it.

        Return the parts of arguments and results that are written.
        """
        form = self._read_form(statement)
        if form.space == "const" or len(statement.operands) != 2:
            raise Refused(statement)
        target = statement.operands[0]
        sources = self._list_sources(statement)
        if len(sources) != form.element_count:
            raise Refused(statement)
        values = [self._read_operand(statement, x, registers, form.type) for x in sources]
        if form.space == "param":
            return self._store_parameter(statement, form, values, registers)
        words = [self._fit(self.get_number(x), 8 * form.width) for x in values]
        address = self._find_address(statement, form, target, registers)
        self._memory.store(statement, address, form.width, words, active)
        return {}

    # --- arguments and results of functions: registers, one for each element that is stored

    def _store_parameter(
        self,
        statement: Statement,
        form: MemoryForm,
        values: Sequence[Content],
        registers: Registers,
    ) -> dict[str, Content]:
        name, places = self._find_parameter(statement, form, statement.operands[0])
        for part in find_parts(name, registers):
            start, size = get_part_start(part), get_part_bytes(part)
            is_same = start in places and size == form.width
            if not is_same and start < places.stop and start + size > places.start:
                del registers[part]
        written = {}
        for place, source, value in zip(places, self._list_sources(statement), values, strict=True):
            bits = self.get_bits(source.name) if isinstance(source, RegisterOperand) else 0
            if value.root is None or bits != 8 * form.width:
                value = Content(self._fit(self.get_number(value), 8 * form.width))
            written[name_part(name, place, form.width)] = value
        return written

    def copy_parts(self, name: str, registers: Registers, other: str) -> dict[str, Content]:
        """Return the parts of a variable as those of another one."""
        return {
            name_part(other, get_part_start(x), get_part_bytes(x)): self.read(x, registers)
            for x in find_parts(name, registers)
        }
