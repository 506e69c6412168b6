"""The values of each statement of a kernel as nodes of a tape, by the plan of its instruction.

A register holds a number, or the address of a root plus a number. Moves and sums keep the root; any
other use takes the address as an unknown number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from ...engine.ir.tape import Node
from ...engine.isa.types import CARRY_REGISTER, Type
from ...engine.program.program import Program
from ...engine.program.statement import Statement, make_vector_move
from ...engine.program.statement_operands import (
    TYPE_BITS,
    ConstantOperand,
    Operand,
    RegisterOperand,
    SinkOperand,
    SpecialOperand,
    SymbolOperand,
    VectorOperand,
    convert_constant_operand,
)
from ...engine.program.variables import Variable
from ...engine.semantics.models import Model
from ...engine.semantics.plan import Plan
from ...engine.syntax.instruction import Instruction
from ...engine.syntax.opcodes import ADDRESS_CONVERSIONS
from ...engine.syntax.parser import parse
from ...engine.tracing.evaluation import make_plan
from ..prove.proof_question import ProofQuestion
from .kernel_memory import DYNAMIC_LIMIT, KernelMemory, Root, get_held_bits
from .launch_registers import LAUNCH_REGISTERS, add_launch_register
from .parameters import BUFFER_NAME, get_part_bytes, is_part
from .refusals import Refused

FLOAT_OPCODES = frozenset(
    """
    abs add copysign cos cvt div ex2 fma lg2 mad max min mul neg rcp rsqrt set setp sin sqrt sub
    tanh testp
    """.split()
)
"""The opcodes of floats, as ``float_terms`` has them."""
FLOAT_TYPES = frozenset(("f16", "f16x2", "bf16", "bf16x2", "tf32", "f32", "f64"))
_COMMUTATIVE = frozenset(("add", "fma", "mad", "max", "min", "mul"))
_ADDITIVE: Mapping[str, str] = {"add": "ab", "mad": "c", "sub": "a"}
"""The operands whose root the sum keeps, by opcode."""
_WHOLE_SUMS = frozenset(("hi", "lo", "wide", "s16", "s32", "s64", "u16", "u32", "u64"))
"""The modifiers of sums that wrap around as a whole, which addresses do."""

_VARIABLE_SPACES = frozenset(("const", "global", "local", "shared"))
_MAX_KNOWN_ELEMENTS = 1 << 12
"""Maximum elements of a constant variable with known contents."""
VariablePair = tuple[Mapping[str, Variable], Mapping[str, Variable]]


class Content(NamedTuple):
    """The contents of a register: a number, counted from the address of a root if there is one."""

    number: Node
    root: Root | None = None
    is_pointer: bool = False
    """Whether it is surely an address, not a number of 64 bits that is a parameter."""


class Join(NamedTuple):
    """The contents of a register where paths have met, computed when it is read."""

    choice: Node
    """Whether it is the first."""
    values: tuple[Content | Join | None, Content | Join | None]
    """The contents of the register on each path; None for unwritten ones."""


Registers = dict[str, Content | Join]


class ValueScope:
    """The variables, question, memory and model that a kernel and its functions share."""

    def __init__(
        self,
        letter: str,
        variables: VariablePair,
        model: Model,
        question: ProofQuestion,
        memory: KernelMemory,
    ) -> None:
        """``variables`` are those of the kernel's module, and of the other kernel's."""
        self.letter, self.model = letter, model
        self.question, self.memory = question, memory
        self.module, self.other_module = variables
        self.unwritten: dict[str, str] = {}
        """The registers that may be read before they are written, by their names as operands."""
        self.has_floats = False
        self.variables: dict[str, bool] = {}
        """The variables of the module that are used, and whether their contents are known."""
        self._call_count = 0

    def name_call(self, function: str) -> str:
        """Return a name for one execution of a function."""
        self._call_count += 1
        return f"{self.letter}:{function}#{self._call_count}"


class StatementValues:
    """The values that the statements of a kernel or of a function read and write."""

    def __init__(self, name: str, function: Program, scope: ValueScope) -> None:
        """``name`` is the kernel's letter, or that of an execution of a function."""
        self._name, self._function, self._scope = name, function, scope
        self._question, self._memory = scope.question, scope.memory
        self._tape = scope.question.tape

    # --- registers

    def get_bits(self, name: str) -> int:
        """Return the bits that a register holds."""
        if is_part(name):
            return max(8 * get_part_bytes(name), 16)
        return get_held_bits(self._function.registers.get(name, "pred"))

    def read(self, name: str, registers: Registers) -> Content:
        """Return the contents of a register; an unwritten one may hold anything."""
        value = registers[name] = self._resolve(name, registers.get(name))
        return value

    def _resolve(self, name: str, x: Content | Join | None) -> Content:
        if isinstance(x, Content):
            return x
        if x is None:
            operand = f"{name} of {self._name}"
            self._scope.unwritten[operand] = name
            return Content(self._add_input(operand, self.get_bits(name)))
        first, second = (self._resolve(name, y) for y in x.values)
        if first.root != second.root:
            bits = self.get_bits(name)
            numbers = (self._fit(self.get_number(y), bits) for y in (first, second))
            first, second = map(Content, numbers)
        if first.number is second.number:
            return first
        number = self._tape.where(x.choice, first.number, second.number)
        return first._replace(number=number, is_pointer=first.is_pointer and second.is_pointer)

    def get_number(self, value: Content) -> Node:
        """Return the contents of a register as a number: the address of a root is an operand."""
        if value.root is None:
            return value.number
        name = value.root.name
        if value.root.space != "global":
            name = f"{'generic ' * value.root.is_generic}address of {name}"
        base = self._add_input(name, 64)
        return self._fit(self._tape.add(base, value.number), 64)

    def _fit(self, x: Node, bits: int) -> Node:
        """Return the low bits of a number; a constant is one node, however it is computed."""
        low, high = x.range
        if low >= 0 and high < 1 << bits:
            return self._question.make_constant(low) if low == high else x
        return self._tape.cast(x, bits, signed=False)

    def _add_input(self, name: str, bits: int) -> Node:
        return self._question.add_input(name, Type(f"b{bits}") if bits > 1 else Type.PRED)

    def _read_operand(
        self, statement: Statement, operand: Operand | None, registers: Registers, type_: str
    ) -> Content:
        if isinstance(operand, RegisterOperand):
            value = self.read(operand.name, registers)
            if operand.is_negated:
                return Content(self._tape.equal(value.number, 0))
            return value
        if isinstance(operand, ConstantOperand) and type_ in TYPE_BITS:
            return Content(self._question.make_constant(convert_constant_operand(operand, type_)))
        raise Refused(statement)

    # --- computations

    def compute(
        self, statement: Statement, registers: Registers, guard: Node | None
    ) -> tuple[Mapping[str, Content], Node | None]:
        """Return the results of a statement in registers, and the guard of these writes."""
        if statement.opcode in ADDRESS_CONVERSIONS:
            return self._convert_address(statement, registers), guard
        if statement.opcode == "mov":
            return self._move(statement, registers), guard
        ins = statement.instruction
        if ins is not None:
            rules = self._scope.model.make_rules(ins.form)
            if rules.old_converted:  # its plan has the guard (E14)
                return self._run_plan(statement, ins, make_plan(ins, rules), registers), None
            ins = replace(ins, guard=None)
            return self._run_plan(statement, ins, make_plan(ins, rules), registers), guard
        if statement.opcode in FLOAT_OPCODES and FLOAT_TYPES & {*statement.modifiers}:
            return self._apply(statement, registers), guard
        raise Refused(statement)

    def _run_plan(
        self, statement: Statement, ins: Instruction, plan: Plan, registers: Registers
    ) -> dict[str, Content]:
        read = {
            x.role: self.read(ins.names[x.role], registers)
            for x in plan.sources
            if x.role not in ins.constants
        }
        for x in plan.sources:
            if x.role in read and self.get_bits(ins.names[x.role]) != get_held_bits(x.type):
                raise Refused(statement, "reads a register of another width")
        base, kept = self._find_root(statement, plan, read)
        values: dict[str, Node] = {}
        for role, type_ in plan.sources:
            if role in ins.constants:
                values[role] = self._question.make_constant(ins.constants[role])
                continue
            number = read[role].number if role in kept else self.get_number(read[role])
            values[role] = self._fit(number, type_.bits)
        for row in plan.rows:
            values[row.key] = row.micro.run(self._tape, *(values[key] for key in row.inputs))
        written = {}
        for role, type_, key in plan.results:
            name = ins.results.get(role)
            if name is None:
                continue
            bits = self.get_bits(name)
            if bits != get_held_bits(type_) or (name != CARRY_REGISTER and type_.bits == 8):
                raise Refused(statement, "writes a register of another width")
            number = self._fit(values[key], bits)
            written[name] = base._replace(number=number) if base else Content(number)
        return written

    def _find_root(
        self, statement: Statement, plan: Plan, read: Mapping[str, Content]
    ) -> tuple[Content | None, frozenset[str]]:
        """Return the address that a result is counted from, and the operands taken without roots.

        So is an address in a sum, and both where only their distance counts.
        """
        rooted = {role: x for role, x in read.items() if x.root}
        opcode, modifiers = statement.opcode, statement.modifiers
        if len(plan.results) != 1 or not rooted:
            return None, frozenset()
        if opcode == "cvt":
            return self._find_converted_root(read["a"], modifiers)
        if {*rooted} == {"a", "b"} and read["a"].root == read["b"].root:
            if opcode == "selp":
                is_pointer = read["a"].is_pointer and read["b"].is_pointer
                return read["a"]._replace(is_pointer=is_pointer), frozenset(rooted)
            is_test = opcode == "setp" and bool({"eq", "ne"} & {*modifiers})
            is_distance = opcode == "sub" and {*modifiers} <= _WHOLE_SUMS
            return None, frozenset(rooted if is_distance or is_test else ())
        roles = [x for x in rooted if x in _ADDITIVE.get(opcode, "")]
        if len(rooted) > 1:  # the other is a number
            roles = [x for x in roles if read[x].is_pointer]
        if {*modifiers} <= _WHOLE_SUMS and len(roles) == 1:
            return read[roles[0]], frozenset(roles)
        return None, frozenset()

    def _find_converted_root(
        self, value: Content, modifiers: tuple[str, ...]
    ) -> tuple[Content | None, frozenset[str]]:
        """Return the address that a converted one is counted from, as ``_find_root`` does.

        Addresses of variables of a thread have at most 32 bits in their own spaces.
        """
        root, none = value.root, (None, frozenset[str]())
        if root is None or root.is_generic:
            return none
        low, high = value.number.range
        is_narrow = modifiers == ("u32", "u64")
        is_wide = modifiers == ("u64", "u32") and low >= 0 and high <= root.bytes
        return (value, frozenset("a")) if is_narrow or is_wide else none

    def _apply(self, statement: Statement, registers: Registers) -> dict[str, Content]:
        """Return the result of a float operation, which is a function of its operands' bits."""
        target, *operands = statement.operands
        if not isinstance(target, RegisterOperand) or not operands:
            raise Refused(statement)
        self._scope.has_floats = True
        type_, arguments = statement.modifiers[-1], []
        for x in operands:
            value = self._read_operand(statement, x, registers, type_)
            number = self.get_number(value)
            bits = self.get_bits(x.name) if isinstance(x, RegisterOperand) else TYPE_BITS[type_]
            self._question.encode(number)
            arguments.append(self._question.vectors.resize(number, 0, bits))
        if statement.opcode in _COMMUTATIVE and type_ != "f64":
            arguments[:2] = sorted(arguments[:2], key=lambda x: x.id())
        bits = self.get_bits(target.name)
        result = self._memory.initial.floats.apply(statement, bits, arguments)
        return {target.name: Content(result)}

    # --- moves

    def _move(self, statement: Statement, registers: Registers) -> dict[str, Content]:
        if len(statement.operands) != 2:
            raise Refused(statement)
        target, source = statement.operands
        if isinstance(target, VectorOperand) or isinstance(source, VectorOperand):
            return self._move_parts(statement, target, source, registers)
        if not isinstance(target, RegisterOperand):
            raise Refused(statement)
        bits, type_ = self.get_bits(target.name), "".join(statement.modifiers[-1:])
        if isinstance(source, SpecialOperand):
            special = self._read_special(statement, source)
            return {target.name: Content(self._fit(special, bits))}
        if isinstance(source, SymbolOperand):
            value = self._find_variable(statement, source)
            if bits not in (32, 64) or (bits == 32 and value.root and value.root.is_generic):
                raise Refused(statement, "takes a part of an address")
            return {target.name: value._replace(number=self._fit(value.number, bits))}
        value = self._read_operand(statement, source, registers, type_)
        if isinstance(source, RegisterOperand) and self.get_bits(source.name) != bits:
            raise Refused(statement, "moves between registers of several widths")
        return {target.name: value}

    def _move_parts(
        self,
        statement: Statement,
        target: Operand | None,
        source: Operand | None,
        registers: Registers,
    ) -> dict[str, Content]:
        """Return the results of ``mov.b64 d, {a, b}``, of the reverse, or of ``mov.v2.b32``."""
        targets, sources = (
            x.parts if isinstance(x, VectorOperand) else (x,) for x in (target, source)
        )
        names = tuple(
            "_" if isinstance(x, SinkOperand) else getattr(x, "name", "") for x in targets
        )
        numbers = {
            f"source {i}": self._read_operand(statement, x, registers, "b64")
            for i, x in enumerate(sources)
        }
        move = make_vector_move(".".join(statement.modifiers), names, tuple(numbers))
        if move is None or move.part_bits == 8 or not all(names):
            raise Refused(statement)
        values: dict[str, Content] = dict(numbers)
        for step in move.iter_steps():
            ins = parse(step.line)
            plan = make_plan(ins)
            read = [values[x] for x in step.sources if isinstance(x, str)]
            nodes = {
                x.role: self._fit(self.get_number(y), x.type.bits)
                for x, y in zip(
                    (x for x in plan.sources if x.role not in ins.constants), read, strict=True
                )
            }
            nodes |= {role: self._question.make_constant(x) for role, x in ins.constants.items()}
            for row in plan.rows:
                nodes[row.key] = row.micro.run(self._tape, *(nodes[key] for key in row.inputs))
            (result,) = plan.results
            values[step.target] = Content(self._fit(nodes[result.key], result.type.bits))
        return {name: values[name] for name in names if name != "_"}

    def _read_special(self, statement: Statement, source: SpecialOperand) -> Node:
        if source.name not in LAUNCH_REGISTERS:
            raise Refused(statement, f"reads {source.name}, which is not compared")
        return add_launch_register(self._question, source.name)

    def _convert_address(self, statement: Statement, registers: Registers) -> dict[str, Content]:
        target, source = statement.operands[:2]
        names = [x.partition("::")[0] for x in statement.modifiers]
        space = next((x for x in names if x in _VARIABLE_SPACES), "")
        if not isinstance(target, RegisterOperand) or names[-1:] != ["u64"] or not space:
            raise Refused(statement)
        if isinstance(source, SymbolOperand):
            value = self._find_variable(statement, source)
        else:
            value = self._read_operand(statement, source, registers, "u64")
        if space == "global" and (value.root is None or value.root.space == "global"):
            return {target.name: value._replace(is_pointer=True)}
        is_generic = "to" not in names
        if value.root is None or value.root.space != space or value.root.is_generic == is_generic:
            raise Refused(statement, f"converts an address that is not of {space} memory")
        return {target.name: value._replace(root=value.root._replace(is_generic=is_generic))}

    def _find_variable(self, statement: Statement, symbol: SymbolOperand) -> Content:
        """Return the address of a variable in its space."""
        own = self._function.variables.get(symbol.name)
        variable = own or self._scope.module.get(symbol.name)
        name, is_open = symbol.name, False
        if variable and variable.space == "shared" and not variable.bytes:
            name, is_open = "dynamic shared memory", True
        if variable is None or variable.space not in _VARIABLE_SPACES:
            raise Refused(statement, f"takes the address of {name}, which is not compared")
        size = DYNAMIC_LIMIT if is_open else variable.bytes
        if not size:
            raise Refused(statement, f"takes the address of {name}, which has no size here")
        is_global = variable.space == "global"
        owner = self._scope.letter
        if own and not is_open:  # all dynamic shared memory is one
            owner = self._name if variable.space == "local" else f"{owner}:{self._function.name}"
        root = Root(f"{owner}:{name}", variable.space, is_global, size, True, is_open)
        if variable.space in ("const", "global"):
            if own:  # it may hide a variable of the module
                raise Refused(statement, f"takes the address of {name}, which is declared in a "
                              "function")  # fmt: skip
            root = self._find_module_variable(statement, variable, root)
        return Content(self._question.make_constant(symbol.offset), root)

    def _find_module_variable(self, statement: Statement, variable: Variable, own: Root) -> Root:
        """Return the root of a variable: of both kernels, unless its contents are known."""
        name = variable.name
        if variable.space == "const" and 0 < len(variable.values) <= _MAX_KNOWN_ELEMENTS:
            if not all(isinstance(x, int) for x in variable.values):
                raise Refused(statement, f"reads {name}, which has addresses")
            width = variable.element_bytes
            data = b"".join(
                (int(x) & (1 << 8 * width) - 1).to_bytes(width, "little")  # type: ignore[arg-type]
                for x in variable.values
            )
            self._memory.initial.contents[own.name] = data[: variable.bytes]
            self._scope.variables[name] = True
            return own
        if self._scope.other_module.get(name, variable) != variable or BUFFER_NAME.fullmatch(name):
            raise Refused(statement, f"takes the address of {name}, which is another variable in "
                          "the other kernel")  # fmt: skip
        self._scope.variables[name] = False
        return own._replace(name=name, is_own=False)
