"""Compilation of a plan's calls into one machine-code loop; needs llvmlite.

The steps are those for NumPy, on vectors of a few results instead of arrays of many: a register is
a vector, and a view with other lanes is a bitcast. So intermediate values never pass through
memory.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from ..extras import format_install_hint
from ..isa.types import Type
from ..semantics.plan import Plan
from .array_program import RunBuffers
from .call_sequence import (
    ArrayCall,
    Buffer,
    BufferKind,
    CallConstant,
    CallSequence,
    Dtype,
    Function,
    LaneView,
    clip,
    copy,
)
from .demand import prepare_plan
from .instruction_selection import select_calls

Array = npt.NDArray[Any]
_VECTOR_SIZE = 16
"""The number of results in a vector; the rest is computed one at a time."""


class MachineCode:
    """The computation of a plan as a machine-code function. Any number of threads may run it."""

    block = 1 << 20
    """The number of results in a block: copies of operands take a few MB."""

    def __init__(self, plan: Plan, code: Any, name: str) -> None:
        self.plan = plan
        self._order = [Buffer(BufferKind.OPERAND, x.role) for x in plan.sources]
        self._order += [Buffer(BufferKind.RESULT, x.role) for x in plan.results]
        self._code = code  # keeps the memory of the function alive
        pointers = [ctypes.c_void_p] * len(self._order)
        function = ctypes.CFUNCTYPE(None, *pointers, ctypes.c_size_t)
        self._function = function(code.get_function_address(name))

    def run(self, buffers: RunBuffers) -> None:
        """Compute all results, as ``ArrayProgram.run`` does."""
        arrays = {**buffers.blocked, **buffers.broadcast}
        places = [
            (arrays[place].ctypes.data, arrays[place].itemsize * (place in buffers.blocked))
            for place in self._order
        ]
        for start, end in buffers.iter_blocks():
            self._function(*(address + start * step for address, step in places), end - start)


def compile_plans(*plans: Plan) -> list[MachineCode]:
    """Compile plans; compiling many together takes a fifth less time."""
    plans_by_name = {f"run{index}": plan for index, plan in enumerate(plans)}
    code = _compile_module(_write_module(plans_by_name))
    return [MachineCode(plan, code, name) for name, plan in plans_by_name.items()]


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


@cache
def _get_processor() -> Mapping[str, str]:
    """Return the name and the features of this machine's processor."""
    llvm = load_llvm()
    return {"cpu": llvm.get_host_cpu_name(), "features": llvm.get_host_cpu_features().flatten()}


def _compile_module(text: str) -> Any:
    """Compile a module and return its execution engine, which owns the functions.

    The text is close to machine code: a single pass gives code as fast as all of LLVM's passes, in
    a third of the time.
    """
    llvm = load_llvm()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(opt=3, jit=True, **_get_processor())
    module = llvm.parse_assembly(text)
    module.verify()
    passes = llvm.create_new_module_pass_manager()
    passes.add_instruction_combine_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


# --- the text of the module --------------------------------------------------------------


def _write_module(plans: Mapping[str, Plan]) -> str:
    """Return the text of a module with one function per plan, by name."""
    declarations, lines = set[str](), list[str]()
    for name, plan in plans.items():
        steps = select_calls(prepare_plan(plan))
        bodies = [_Body(plan, steps, size) for size in (_VECTOR_SIZE, 1)]
        declarations.update(*(body.declarations for body in bodies))
        lines += _write_function(plan, name, *bodies)
    return "\n".join([*sorted(declarations), *lines])


def _write_function(plan: Plan, name: str, vector_body: _Body, scalar_body: _Body) -> Iterator[str]:
    """Yield a function that takes pointers to operands and results, and the number of results."""
    roles = [f"ptr noalias %a.{x.role}" for x in plan.sources]
    roles += [f"ptr noalias %r.{x.role}" for x in plan.results]
    yield f"define void @{name}({', '.join(roles)}, i64 %size) {{"
    yield "start:"
    yield f"  %whole = and i64 %size, {-_VECTOR_SIZE}"
    yield "  br label %test16"
    yield from _write_loop(vector_body, "16", "start", "0", "%whole", "test1")
    yield from _write_loop(scalar_body, "1", "test16", "%whole", "%size", "end")
    yield from ("end:", "  ret void", "}")


def _write_loop(
    body: _Body, name: str, previous_block: str, start: str, end: str, next_block: str
) -> Iterator[str]:
    """Yield a loop that runs a body from ``start`` until the index reaches ``end``."""
    index = f"%at{name}"
    yield f"test{name}:"
    yield f"  {index} = phi i64 [ {start}, %{previous_block} ], [ %next{name}, %body{name} ]"
    yield f"  %more{name} = icmp ult i64 {index}, {end}"
    yield f"  br i1 %more{name}, label %body{name}, label %{next_block}"
    yield f"body{name}:"
    yield from (f"  {line}" for line in body.lines)
    yield f"  %next{name} = add i64 {index}, {body.size}"
    yield f"  br label %test{name}"


class _Body:
    """The instructions for ``size`` results."""

    def __init__(self, plan: Plan, steps: CallSequence, size: int) -> None:
        self.size = size
        self.lines: list[str] = []
        self.declarations: set[str] = set()
        self._names = count()
        self._vectors: dict[int | Buffer, tuple[str, str]] = {}
        """The name and type of the vector that holds each register."""
        for source in plan.sources:
            vector = _format_vector(_get_bits(source.type), size)
            name = self.append_instruction(
                f"load {vector}, ptr {self._place('a', source.role, source.type)}, align 1"
            )
            self._vectors[Buffer(BufferKind.OPERAND, source.role)] = name, vector
        for step in steps.steps:
            value = _INSTRUCTIONS[step.function](self, step)
            self._vectors[step.out.register] = value, self.format_type(step.out)
        for result in plan.results:
            vector = _format_vector(_get_bits(result.type), size)
            value = self._convert_register(steps.results[result.role].register, vector)
            place = self._place("r", result.role, result.type)
            self.lines.append(f"store {vector} {value}, ptr {place}, align 1")

    def _place(self, kind: str, role: str, type_: Type) -> str:
        step = f"getelementptr i{_get_bits(type_)}, ptr %{kind}.{role}, i64 %at{self.size}"
        return self.append_instruction(step)

    def append_instruction(self, instruction: str) -> str:
        """Append an instruction and return the name of its value."""
        name = f"%v{self.size}.{next(self._names)}"
        self.lines.append(f"{name} = {instruction}")
        return name

    def format_type(self, x: LaneView) -> str:
        """Return the type of a view's vector."""
        return _format_vector(x.bits, x.lanes * self.size)

    def _convert_register(self, register: int | Buffer, vector: str) -> str:
        name, held_vector = self._vectors[register]
        return (
            name
            if held_vector == vector
            else self.append_instruction(f"bitcast {held_vector} {name} to {vector}")
        )

    def format_input(self, x: LaneView | CallConstant, template: LaneView) -> str:
        """Return an input as a vector without its type; a constant fills ``template``'s lanes."""
        if isinstance(x, LaneView):
            return self._convert_register(x.register, self.format_type(x))
        lane = f"i{template.bits} {x.value}"
        return f"<{', '.join([lane] * (template.lanes * self.size))}>"

    def write_intrinsic(self, name: str, template: LaneView, *values: str) -> str:
        """Append a call of an LLVM intrinsic on vectors of one type."""
        vector, flag = self.format_type(template), name == "abs"
        whole = f"@llvm.{name}.v{template.lanes * self.size}i{template.bits}"
        kinds = [vector] * len(values) + ["i1"] * flag
        self.declarations.add(f"declare {vector} {whole}({', '.join(kinds)})")
        arguments = [f"{vector} {x}" for x in values] + ["i1 false"] * flag
        return self.append_instruction(f"call {vector} {whole}({', '.join(arguments)})")


def _get_bits(type_: Type) -> int:
    return 8 if type_ is Type.PRED else type_.bits


def _format_vector(bits: int, lanes: int) -> str:
    return f"<{lanes} x i{bits}>"


# --- an instruction for each function ----------------------------------------------------


def _format_sign(dtype: Dtype) -> str:
    return "s" if dtype.kind == "i" else "u"


def _make_binary_writer(operation: str) -> Callable[[_Body, ArrayCall], str]:
    def write(b: _Body, step: ArrayCall) -> str:
        x, y = (b.format_input(x, step.out) for x in step.inputs)
        return b.append_instruction(f"{operation} {b.format_type(step.out)} {x}, {y}")

    return write


def _make_extremum_writer(operation: str) -> Callable[[_Body, ArrayCall], str]:
    def write(b: _Body, step: ArrayCall) -> str:
        values = [b.format_input(x, step.out) for x in step.inputs]
        return b.write_intrinsic(_format_sign(step.out.dtype) + operation, step.out, *values)

    return write


def _write_clip(b: _Body, step: ArrayCall) -> str:
    x, low, high = (b.format_input(x, step.out) for x in step.inputs)
    sign = _format_sign(step.out.dtype)
    return b.write_intrinsic(
        f"{sign}min", step.out, b.write_intrinsic(f"{sign}max", step.out, x, low), high
    )


def _write_negative(b: _Body, step: ArrayCall) -> str:
    (x,) = step.inputs
    return b.append_instruction(
        f"sub {b.format_type(step.out)} zeroinitializer, {b.format_input(x, step.out)}"
    )


def _write_absolute(b: _Body, step: ArrayCall) -> str:
    (x,) = step.inputs
    value = b.format_input(x, step.out)
    return b.write_intrinsic("abs", step.out, value) if _format_sign(x.dtype) == "s" else value


def _make_shift_writer(is_left: bool) -> Callable[[_Body, ArrayCall], str]:
    """Make a writer of shifts with NumPy's behaviour: large distances leave 0, or the sign."""

    def write(b: _Body, step: ArrayCall) -> str:
        out = step.out
        x, y = (b.format_input(x, out) for x in step.inputs)
        signed = _format_sign(out.dtype) == "s"
        vector = b.format_type(out)
        limit = b.format_input(CallConstant(out.bits - 1, out.dtype), out)
        operation = "shl" if is_left else "ashr" if signed else "lshr"
        shifted = b.append_instruction(
            f"{operation} {vector} {x}, {b.write_intrinsic('umin', out, y, limit)}"
        )
        if operation == "ashr":
            return shifted
        in_range = b.append_instruction(f"icmp ule {vector} {y}, {limit}")
        truths = _format_vector(1, out.lanes * b.size)
        return b.append_instruction(
            f"select {truths} {in_range}, {vector} {shifted}, {vector} zeroinitializer"
        )

    return write


def _make_comparison_writer(relation: str) -> Callable[[_Body, ArrayCall], str]:
    def write(b: _Body, step: ArrayCall) -> str:
        view = next(x for x in step.inputs if isinstance(x, LaneView))
        x, y = (b.format_input(x, view) for x in step.inputs)
        sign = "" if relation in ("eq", "ne") else _format_sign(view.dtype)
        truth = b.append_instruction(f"icmp {sign}{relation} {b.format_type(view)} {x}, {y}")
        truths = _format_vector(1, view.lanes * b.size)
        return b.append_instruction(f"zext {truths} {truth} to {b.format_type(step.out)}")

    return write


def _write_copy(b: _Body, step: ArrayCall) -> str:
    (x,) = step.inputs
    assert isinstance(x, LaneView)
    value = b.format_input(x, x)
    if x.bits == step.out.bits:
        return value
    wider = "sext" if _format_sign(x.dtype) == "s" else "zext"
    operation = "trunc" if x.bits > step.out.bits else wider
    return b.append_instruction(
        f"{operation} {b.format_type(x)} {value} to {b.format_type(step.out)}"
    )


_INSTRUCTIONS: Mapping[Function, Callable[[_Body, ArrayCall], str]] = {
    np.add: _make_binary_writer("add"),
    np.subtract: _make_binary_writer("sub"),
    np.multiply: _make_binary_writer("mul"),
    np.bitwise_and: _make_binary_writer("and"),
    np.bitwise_or: _make_binary_writer("or"),
    np.bitwise_xor: _make_binary_writer("xor"),
    np.negative: _write_negative,
    np.absolute: _write_absolute,
    np.minimum: _make_extremum_writer("min"),
    np.maximum: _make_extremum_writer("max"),
    clip: _write_clip,
    np.left_shift: _make_shift_writer(is_left=True),
    np.right_shift: _make_shift_writer(is_left=False),
    np.less: _make_comparison_writer("lt"),
    np.less_equal: _make_comparison_writer("le"),
    np.greater: _make_comparison_writer("gt"),
    np.greater_equal: _make_comparison_writer("ge"),
    np.equal: _make_comparison_writer("eq"),
    np.not_equal: _make_comparison_writer("ne"),
    copy: _write_copy,
}
