"""An interpreter of plain PTX for the solver, with only the instructions of replacements.

It is written from the PTX ISA, like ``tests/features/check/plain_ptx.py``, which runs them on
arrays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ptxscope.engine.ir.tape import Node, Op
from ptxscope.engine.semantics.models import PTXAS_MODELS
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.engine.syntax.instruction import Instruction
from ptxscope.engine.syntax.parser import parse
from ptxscope.engine.tracing.basic_block import make_block
from ptxscope.features.prove.proof_question import ProofQuestion

_LINE = re.compile(r"    (?:@(!?)(\S+) )?([\w.]+) ([^;]+);")
_DECLARATION = re.compile(r"    \.reg \.(?:b64|b32|pred) \w+<\d+>;")
_RELATIONS = {
    "eq": Op.EQUAL,
    "ne": Op.NOT_EQUAL,
    "lt": Op.LESS,
    "le": Op.LESS_EQUAL,
    "gt": Op.GREATER,
    "ge": Op.GREATER_EQUAL,
}
_BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul.lo": "multiply",
    "min": "minimum",
    "max": "maximum",
    "and": "bitand",
    "or": "bitor",
    "xor": "bitxor",
}


_CATALOGUED = ("set", "fns")


def _has_variable_field(operation: str, values: Sequence[Node]) -> bool:
    """Whether a bit field's position or length is in a register."""
    return operation.startswith("bf") and any(x.range.low != x.range.high for x in values[-2:])


class UnknownInstructionError(Exception):
    """This interpreter lacks an instruction."""


def _parse_type(text: str) -> tuple[int, bool]:
    """Return the bits of a type and whether it is signed."""
    return (1, False) if text == "pred" else (int(text[1:]), text[0] == "s")


class PlainPtx:
    """Runs the lines of one block on the tape of a question; every value is 64 bits, unsigned."""

    def __init__(self, question: ProofQuestion, ins: Instruction) -> None:
        self.question, self.tape = question, question.tape
        self.registers = {x.name: question.add_input(x.name, x.type) for x in ins.inputs}
        self.result = ins.names["d"]
        self.carry: Node | None = None

    def run(self, lines: Sequence[str]) -> Node:
        """Return the final value of the destination."""
        for line in lines[1:-1]:
            if _DECLARATION.fullmatch(line):
                continue
            parts = _LINE.fullmatch(line)
            if parts is None:
                raise UnknownInstructionError(line)
            negation, guard, operation, operands = parts.groups()
            target, *sources = operands.split(", ")
            value = self._execute_line(line, operation, sources)
            if guard:
                allowed = self.registers[guard]
                allowed = self.tape.equal(allowed, 0) if negation else allowed
                value = self.tape.where(allowed, value, self._read(target))
            self.registers[target] = value
        return self.registers[self.result]

    def _execute_line(self, line: str, operation: str, sources: Sequence[str]) -> Node:
        if operation.partition(".")[0] in _CATALOGUED:
            return self._run_instruction(line)
        values = [self._read(x) for x in sources]
        if _has_variable_field(operation, values):
            return self._run_instruction(line)
        return self.execute(operation, values)

    def _run_instruction(self, line: str) -> Node:
        """Run an instruction of the catalog as the newest ptxas does."""
        try:
            ins = parse(line.strip())
        except PtxError as error:
            raise UnknownInstructionError(line) from error
        plan = make_block(ins).make_plan(PTXAS_MODELS[0])
        values: dict[str, Node] = {}
        for role, type_ in plan.sources:
            text = str(ins.constants[role]) if role in ins.constants else ins.names[role]
            values[role] = self.tape.cast(self._read(text), type_.bits, signed=False)
        for row in plan.rows:
            values[row.key] = row.micro.run(self.tape, *(values[key] for key in row.inputs))
        ((_, _, key),) = plan.results
        return values[key]

    def _read(self, text: str) -> Node:
        if text in self.registers:
            return self.registers[text]
        return self.question.make_constant(int(text, 0) % (1 << 64))

    def execute(self, operation: str, x: Sequence[Node]) -> Node:
        """Return the value of an operation, its name with its types, of values."""
        name, _, type_ = operation.rpartition(".")
        kind, *more = name.split(".")
        bits, signed = _parse_type(type_) if re.fullmatch(r"[sub]\d+|pred", type_) else (64, False)

        def read(index: int) -> Node:
            return self.tape.cast(x[index], bits, signed)

        if kind == "mov":
            value = read(0)
        elif kind == "cvt" and operation != "cvt.rn.f32.s64":
            value = self.tape.cast(read(0), *_parse_type(more[0]))
        elif kind == "bfe":
            value = self._extract(x, bits, signed)
        elif kind == "bfi":
            value = self._insert(x)
        elif kind == "setp":
            value = self.tape.emit(_RELATIONS[more[0]], read(0), read(1))
        elif kind == "selp":
            value = self.tape.where(x[2], read(0), read(1))
        elif kind in ("shl", "shr"):
            amount = self.tape.minimum(self.tape.cast(x[1], 32, signed=False), bits)
            shift = self.tape.shift_left if kind == "shl" else self.tape.shift_right
            value = shift(self.tape.cast(x[0], bits, signed and kind == "shr"), amount)
            value = self.tape.cast(value, bits, signed=False)
        elif kind == "neg":
            value = self.tape.negative(read(0))
        elif name == "mul.wide":
            value = self.tape.multiply(read(0), read(1))
        elif operation == "not.pred":
            value = self.tape.equal(x[0], 0)
        elif kind == "abs":
            value = self.tape.absolute(read(0))
        elif operation in ("add.cc.s64", "add.cc.u64", "addc.s64", "addc.u64"):
            value = self._add(x, self.carry if kind == "addc" else None)
        elif operation in ("sub.cc.s64", "sub.cc.u64", "subc.s64", "subc.u64"):
            value = self._subtract(x, self.carry if kind == "subc" else None)
        elif name in _BINARY:
            value = getattr(self.tape, _BINARY[name])(read(0), read(1))
            value = self.tape.cast(value, bits, signed)
        else:
            raise UnknownInstructionError(operation)
        return self.tape.cast(value, 64, signed=False)

    def _extract(self, x: Sequence[Node], bits: int, signed: bool) -> Node:
        start, length = (y.range.low for y in x[1:])
        if start + length > bits:
            raise UnknownInstructionError("bfe beyond the register")
        shifted = self.tape.shift_right(self.tape.cast(x[0], bits, signed=False), start)
        return self.tape.cast(shifted, length, signed)

    def _insert(self, x: Sequence[Node]) -> Node:
        start, length = (y.range.low for y in x[2:])
        if start + length > 32:
            raise UnknownInstructionError("bfi beyond the register")
        field = self.tape.multiply(self.tape.cast(x[0], length, signed=False), 1 << start)
        mask = (1 << 32) - 1 ^ ((1 << length) - 1 << start)
        return self.tape.add(self.tape.bitand(x[1], mask), field)

    def _add(self, x: Sequence[Node], carry: Node | None) -> Node:
        total = self.tape.add(x[0], x[1])
        total = total if carry is None else self.tape.add(total, carry)
        self.carry = self.tape.shift_right(total, 64)
        return total

    def _subtract(self, x: Sequence[Node], borrow: Node | None) -> Node:
        total = self.tape.subtract(x[0], x[1])
        total = total if borrow is None else self.tape.subtract(total, borrow)
        self.carry = self.tape.less(total, 0)
        return total
