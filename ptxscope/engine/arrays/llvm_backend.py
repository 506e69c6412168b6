"""Compilation of the calls for NumPy into one machine-code loop; needs llvmlite.

The calls are made on vectors of a few results instead of arrays of many: a register is a vector,
and a view with other lanes is a bitcast. So intermediate values never pass through memory.
"""

from __future__ import annotations

import ctypes
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from ..extras import format_install_hint
from ..isa.types import Type
from ..semantics.plan import Plan, Result, Source
from .array_program import RunBuffers
from .call_sequence import (
    ArrayCall,
    ArrayView,
    Buffer,
    BufferKind,
    CallConstant,
    CallSequence,
    clip,
    copy,
)
from .demand import prepare_plan
from .instruction_selection import select_calls

_VECTOR_SIZE = 16
"""The number of results in a vector; the rest is computed one at a time."""


class MachineCode:
    """The computation of a plan as a machine-code function. Any number of threads may run it."""

    block = 1 << 20
    """The number of results in a block: copies of operands take a few MB."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._order = [Buffer(BufferKind.OPERAND, x.role) for x in plan.sources]
        self._order += [Buffer(BufferKind.RESULT, x.role) for x in plan.results]
        self._code = _compile_module(_write_module(plan))  # keeps the function's memory alive
        pointers = [ctypes.c_void_p] * len(self._order)
        function = ctypes.CFUNCTYPE(None, *pointers, ctypes.c_size_t)
        self._function = function(self._code.get_function_address("run"))

    def run(self, buffers: RunBuffers) -> None:
        """Compute all results, as ``ArrayProgram.run`` does."""
        arrays = {**buffers.blocked, **buffers.broadcast}
        places = [
            (arrays[place].ctypes.data, arrays[place].itemsize * (place in buffers.blocked))
            for place in self._order
        ]
        for start, end in buffers.iter_blocks():
            self._function(*(address + start * step for address, step in places), end - start)


@cache
def load_llvm() -> Any:
    """Return llvmlite, initialised; raise ImportError with the install command if it is missing."""
    try:
        llvm = import_module("llvmlite.binding")
    except ImportError:
        raise ImportError(
            f"the engine llvm needs llvmlite, which is not installed: {format_install_hint('llvm')}"
        ) from None
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


def _compile_module(text: str) -> Any:
    """Compile a module and return its execution engine, which owns the functions.

    The text is close to machine code: a single pass gives code as fast as all of LLVM's passes, in
    a third of the time.
    """
    llvm = load_llvm()
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(cpu=cpu, features=features, opt=3, jit=True)
    module = llvm.parse_assembly(text)
    module.verify()
    passes = llvm.create_new_module_pass_manager()
    passes.add_instruction_combine_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


_FUNCTION = """
define void @run({pointers}, i64 %size) {{
start:
  %whole = and i64 %size, -{vector.size}
  br label %test{vector.size}
{vector_loop}
{scalar_loop}
end:
  ret void
}}"""
_LOOP = """\
test{body.size}:
  %at{body.size} = phi i64 [ {start}, %{before} ], [ %next{body.size}, %body{body.size} ]
  %more{body.size} = icmp ult i64 %at{body.size}, {end}
  br i1 %more{body.size}, label %body{body.size}, label %{after}
body{body.size}:
{lines}
  %next{body.size} = add i64 %at{body.size}, {body.size}
  br label %test{body.size}"""
"""A loop that runs a body from ``start`` until the index reaches ``end``."""


def _write_module(plan: Plan) -> str:
    """Return a module whose function takes pointers to operands and results, and their number."""
    steps = select_calls(prepare_plan(plan))
    vector, scalar = (_Body(plan, steps, size) for size in (_VECTOR_SIZE, 1))
    pointers = [f'ptr noalias %"a.{x.role}"' for x in plan.sources]
    pointers += [f'ptr noalias %"r.{x.role}"' for x in plan.results]
    text = _FUNCTION.format(
        vector=vector,
        pointers=", ".join(pointers),
        vector_loop=vector.write_loop("start", "0", "%whole", "test1"),
        scalar_loop=scalar.write_loop(f"test{vector.size}", "%whole", "%size", "end"),
    )
    return "\n".join(sorted(vector.declarations | scalar.declarations)) + text


class _Body:
    """The instructions for ``size`` results."""

    def __init__(self, plan: Plan, steps: CallSequence, size: int) -> None:
        self.size = size
        self.lines: list[str] = []
        self.declarations: set[str] = set()
        self._vectors: dict[int | Buffer, tuple[str, str]] = {}
        """The name and type of the vector that holds each register."""
        for source in plan.sources:
            vector = _format_vector(_get_bits(source.type), size)
            name = self._append(f"load {vector}, ptr {self._place('a', source)}, align 1")
            self._vectors[Buffer(BufferKind.OPERAND, source.role)] = name, vector
        for step in steps.steps:
            self._vectors[step.out.register] = self._write_call(step), self._format_type(step.out)
        for result in plan.results:
            vector = _format_vector(_get_bits(result.type), size)
            value = self._read_register(steps.results[result.role].register, vector)
            place = self._place("r", result)
            self.lines.append(f"store {vector} {value}, ptr {place}, align 1")

    def write_loop(self, before: str, start: str, end: str, after: str) -> str:
        """Return the loop from one index to another, between two basic blocks."""
        text = "\n".join(self.lines)
        return _LOOP.format(body=self, before=before, start=start, end=end, after=after, lines=text)

    def _place(self, kind: str, operand: Source | Result) -> str:
        pointer = f'ptr %"{kind}.{operand.role}", i64 %at{self.size}'
        return self._append(f"getelementptr i{_get_bits(operand.type)}, {pointer}")

    def _append(self, instruction: str) -> str:
        """Append an instruction and return the name of its value."""
        name = f"%v{self.size}.{len(self.lines)}"
        self.lines.append(f"{name} = {instruction}")
        return name

    def _format_type(self, x: ArrayView) -> str:
        return _format_vector(x.bits, x.lanes * self.size)

    def _read_register(self, register: int | Buffer, vector: str) -> str:
        name, held_vector = self._vectors[register]
        same = held_vector == vector
        return name if same else self._append(f"bitcast {held_vector} {name} to {vector}")

    def _read(self, x: ArrayView | CallConstant, template: ArrayView) -> str:
        """Return an input as a vector without its type; a constant fills ``template``'s lanes."""
        if isinstance(x, ArrayView):
            return self._read_register(x.register, self._format_type(x))
        lane = f"i{template.bits} {x.value}"
        return f"<{', '.join([lane] * (template.lanes * self.size))}>"

    def _call(self, name: str, template: ArrayView, *values: str) -> str:
        """Append a call of an LLVM intrinsic on vectors of one type."""
        vector = self._format_type(template)
        whole = f"@llvm.{name}.v{template.lanes * self.size}i{template.bits}"
        self.declarations.add(f"declare {vector} {whole}({', '.join([vector] * len(values))})")
        return self._append(f"call {vector} {whole}({', '.join(f'{vector} {x}' for x in values)})")

    def _write_call(self, step: ArrayCall) -> str:
        """Append the instructions of a call and return the name of its value."""
        function, out = step.function, step.out
        converts = function is copy or function in _RELATIONS
        view = next(x for x in step.inputs if isinstance(x, ArrayView)) if converts else out
        values = [self._read(x, view) for x in step.inputs]
        vector, sign = self._format_type(view), "s" if view.dtype.kind == "i" else "u"
        if function is copy:
            wider = "sext" if sign == "s" else "zext"
            conversion = "trunc" if view.bits > out.bits else wider
            text = f"{conversion} {vector} {values[0]} to {self._format_type(out)}"
            return values[0] if view.bits == out.bits else self._append(text)
        if relation := _RELATIONS.get(function):
            relation = relation if relation in ("eq", "ne") else sign + relation
            truth = self._append(f"icmp {relation} {vector} {', '.join(values)}")
            truths = _format_vector(1, view.lanes * self.size)
            return self._append(f"zext {truths} {truth} to {self._format_type(out)}")
        if function in (np.left_shift, np.right_shift):
            return self._write_shift(out, sign, *values, is_left=function is np.left_shift)
        if function is clip:
            x, low, high = values
            return self._call(f"{sign}min", out, self._call(f"{sign}max", out, x, low), high)
        if extremum := _EXTREMA.get(function):
            return self._call(sign + extremum, out, *values)
        if function is np.floor_divide:  # of numbers that are not negative
            return self._append(f"{sign[0]}div {vector} {', '.join(values)}")
        if operation := _OPERATIONS.get(function):
            return self._append(f"{operation} {vector} {', '.join(values)}")
        assert function in (np.negative, np.absolute), function
        negative = self._append(f"sub {vector} zeroinitializer, {values[0]}")
        return negative if function is np.negative else self._call("smax", out, *values, negative)

    def _write_shift(self, out: ArrayView, sign: str, x: str, y: str, *, is_left: bool) -> str:
        """Append a shift with NumPy's behaviour: large distances leave 0, or the sign."""
        vector = self._format_type(out)
        limit = self._read(CallConstant(out.bits - 1, out.dtype), out)
        operation = "shl" if is_left else "ashr" if sign == "s" else "lshr"
        amount = self._call("umin", out, y, limit)
        shifted = self._append(f"{operation} {vector} {x}, {amount}")
        if operation == "ashr":
            return shifted
        fits = self._append(f"icmp ule {vector} {y}, {limit}")
        condition = f"{_format_vector(1, out.lanes * self.size)} {fits}"
        return self._append(f"select {condition}, {vector} {shifted}, {vector} zeroinitializer")


def _get_bits(type_: Type) -> int:
    return 8 if type_ is Type.PRED else type_.bits


def _format_vector(bits: int, lanes: int) -> str:
    return f"<{lanes} x i{bits}>"


_RING = (np.add, np.subtract, np.multiply, np.bitwise_and, np.bitwise_or, np.bitwise_xor)
_OPERATIONS = dict[Any, str](zip(_RING, ("add", "sub", "mul", "and", "or", "xor"), strict=True))
_EXTREMA: dict[Any, str] = {np.minimum: "min", np.maximum: "max"}
_COMPARISONS = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)
_RELATIONS = dict[Any, str](zip(_COMPARISONS, ("lt", "le", "gt", "ge", "eq", "ne"), strict=True))
