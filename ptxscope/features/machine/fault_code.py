"""The machine code of a kernel on some operands: the value of each instruction, and the first
wrong one.

An instruction is wrong if it computes a value of the plan that the code follows, and this value
differs in the documented plan. If no such instruction is known, it is the one whose value is
stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...engine.isa.encodings import format_hex
from ...engine.isa.types import WORD_BITS, Type
from ...engine.micro_operations.arithmetic import LaneValues
from ...engine.semantics.plan import Plan, compute_results, run_plan
from ...engine.tracing.basic_block import BasicBlock
from ...engine.tracing.step_text import format_stage_title
from ..prove.solver import load_bitwuzla
from .form_verdict import KNOWN_MODELS, MachineQuestion, group_models, run_on_numbers
from .kernel_source import KernelSource, ParameterSlot
from .machine_instruction import MachineKernel, parse_disassembly
from .machine_run import MachineEffect, MachineOrigin, MachineRun
from .machine_step import UnknownMachineCodeError
from .row_matches import MatchedInstruction, Purpose, match_rows, read_value
from .toolchain import DEFAULT_ARCH, NVDISASM, PTXAS, Tool, ToolError, compile_ptx, find_tool

Places = Iterable[tuple[str, str, Type, int]]
"""The roles, registers, types and offsets of operands or of results."""


class ValuedInstruction(NamedTuple):
    """A machine instruction with the value that it computes for some operands."""

    offset: str
    text: str
    value: str
    meaning: str
    """The meaning of the value: an operand, a result, or a value of a step."""
    documented: str
    """The documented value, if it differs."""
    is_wrong: bool
    """Whether it is the first whose value is not the documented one."""


class FaultCode(NamedTuple):
    """The machine code of a kernel."""

    ptxas: str
    nvdisasm: str
    arch: str
    results: Mapping[str, int]
    """The results' bits by register; empty if the code is not interpreted."""
    instructions: Sequence[ValuedInstruction]
    problem: str
    """The reason why the code is not interpreted; empty if it is."""


def find_fault_code(
    block: BasicBlock,
    ptx: str,
    places: tuple[Places, Places],
    operands: Mapping[str, int],
    arch: str = DEFAULT_ARCH,
    tools: tuple[Tool, Tool] | None = None,
    options: tuple[str, ...] = (),
) -> FaultCode:
    """Return the machine code of the kernel of a block, the only one of a module.

    ``places`` has the places of its operands and its results. By default, the installed tools make
    the code. Raise ValueError if a tool is missing, or refuses the kernel.
    """
    try:
        tools = tools or (find_tool(PTXAS), find_tool(NVDISASM))
        key = (ptx, arch, *tools, options, *operands.items())
        if key not in _kept:  # a preview repeats the request
            while len(_kept) >= _MAX_KEPT:
                del _kept[next(iter(_kept))]
            _kept[key] = _compile(block, ptx, places, operands, arch, tools, options)
        return _kept[key]
    except ToolError as error:
        raise ValueError(str(error)) from None


_MAX_KEPT = 16
_kept: dict[tuple[object, ...], FaultCode] = {}
"""The machine code of the last kernels."""


def _compile(
    block: BasicBlock,
    ptx: str,
    places: tuple[Places, Places],
    operands: Mapping[str, int],
    arch: str,
    tools: tuple[Tool, Tool],
    options: tuple[str, ...],
) -> FaultCode:
    ptxas, nvdisasm = tools
    (kernel,) = parse_disassembly(compile_ptx(ptxas, nvdisasm, ptx, arch, *options)).values()
    inputs, results = (tuple(ParameterSlot(*x) for x in group) for group in places)
    source = KernelSource(block, inputs, results, {}, thread=0)
    try:
        run, bits = run_on_numbers(source, kernel, operands)
    except UnknownMachineCodeError as error:
        instructions = [
            ValuedInstruction(f"{x.offset:04x}", x.text, "", "", "", is_wrong=False)
            for x in kernel.instructions
        ]
        return FaultCode(ptxas.build, nvdisasm.build, arch, {}, instructions, str(error))
    named_bits = {x.name: bits[x.role] for x in results}
    instructions = [*_Valuation(source, kernel, run, operands, bits).iter_instructions()]
    return FaultCode(ptxas.build, nvdisasm.build, arch, named_bits, instructions, "")


class _Valuation:
    """The values of a run, of the documented plan, and of the plan that the run follows."""

    def __init__(
        self,
        source: KernelSource,
        kernel: MachineKernel,
        run: MachineRun[LaneValues],
        operands: Mapping[str, int],
        results: Mapping[str, int],
    ) -> None:
        """``operands`` are the bits by register, ``results`` those of the run by role."""
        self.source, self.run, self.results = source, run, results
        program = source.program
        bits = {role: operands.get(name, 0) for role, name in program.names.items()}
        bits |= program.constants
        plans = [*group_models(source, KNOWN_MODELS)]
        plan_results = [compute_results(x, bits) for x in plans]
        followed_plans = (
            x for x, y in zip(plans, plan_results, strict=True) if results.items() <= y.items()
        )
        self.plan = next(followed_plans, plans[0])
        self.documented_rows = run_plan(plans[0], bits)
        self.documented_results = plan_results[0]
        results_by_key = {x.key: program.results[x.role] for x in self.plan.results}
        self.names = _name_rows(self.plan) if program.is_line else results_by_key
        self.matches = self._match(kernel)

    def _match(self, kernel: MachineKernel) -> Sequence[MatchedInstruction | None]:
        """Return the value of the plan that each instruction computes; None if it is unknown."""
        if any(self.run.iter_computations()):
            try:
                load_bitwuzla()
                return match_rows(MachineQuestion(self.source, kernel), self.plan)
            except ImportError:
                pass
        return [None] * len(self.run.effects)

    def iter_instructions(self) -> Iterator[ValuedInstruction]:
        """Yield the instructions that do not compute addresses."""
        pairs = [*zip(self.run.effects, self.matches, strict=True)]
        documented_values = [self._find_documented(x, match) for x, match in pairs]
        first = next(
            (i for i, x in enumerate(documented_values) if x and not pairs[i][0].is_store), -1
        )
        stored = None
        if first < 0 and (any(self.matches) or self._count_values() < 2):
            stores = (x for x in self.run.effects if self._find_wrong_result(x) and x.reads)
            if store := next(stores, None):
                first, stored = store.reads[-1], self._find_wrong_result(store)
        for index, (effect, match) in enumerate(pairs):
            if effect.origin is not MachineOrigin.ADDRESS:
                meaning = self._format_meaning(effect, match)
                documented = documented_values[index]
                if stored and index == first:
                    meaning = f"{meaning}, stored as {stored.name}".removeprefix(", ")
                    documented = self._format_documented(stored)
                yield ValuedInstruction(
                    f"{effect.ins.offset:04x}",
                    effect.ins.text,
                    self._format_value(effect),
                    meaning,
                    documented,
                    is_wrong=index == first,
                )

    def _count_values(self) -> int:
        """Return the number of instructions that compute values, not addresses."""
        return sum(
            x.origin is not MachineOrigin.ADDRESS and not (x.is_load or x.is_store)
            for x in self.run.effects
        )

    def _find_result(self, effect: MachineEffect[LaneValues]) -> ParameterSlot | None:
        return next((x for x in self.source.results if x.offset == effect.place), None)

    def _find_wrong_result(self, effect: MachineEffect[LaneValues]) -> ParameterSlot | None:
        """Return the result that an instruction stores, if it is wrong."""
        slot = self._find_result(effect) if effect.is_store else None
        is_wrong = slot and self.results[slot.role] != self.documented_results[slot.role]
        return slot if is_wrong else None

    def _format_documented(self, slot: ParameterSlot) -> str:
        return format_hex(self.documented_results[slot.role], slot.type.bits)

    def _find_documented(
        self, effect: MachineEffect[LaneValues], match: MatchedInstruction | None
    ) -> str:
        """Return the documented value of an instruction, if it differs from its own."""
        if slot := self._find_wrong_result(effect):
            return self._format_documented(slot)
        if (
            match is None
            or match.purpose is not Purpose.ROW
            or match.key not in self.documented_rows
        ):
            return ""
        row = self.documented_rows[match.key]
        for write in effect.writes:
            expected = read_value(row, match, write.bits)
            if expected is not None and expected != write.value[0]:
                return _format(expected, write.bits)
        return ""

    def _format_value(self, effect: MachineEffect[LaneValues]) -> str:
        if effect.is_store:
            slot = self._find_result(effect)
            return format_hex(self.results[slot.role], slot.type.bits) if slot else ""
        return _format_writes(effect)

    def _format_meaning(
        self, effect: MachineEffect[LaneValues], match: MatchedInstruction | None
    ) -> str:
        if effect.is_load:
            places = self.source.inputs
            return next((x.name for x in reversed(places) if x.offset <= effect.place), "")
        if effect.is_store:
            slot = self._find_result(effect)
            return slot.name if slot else ""
        if match is None or match.purpose is not Purpose.ROW:
            return ""
        name = self.names.get(match.key, "")
        lane = "" if match.lane is None else f", lane {match.lane}"
        return f"{name}{lane}{f', {match.reading}' if match.reading else ''}" if name else ""


def _name_rows(plan: Plan) -> Mapping[str, str]:
    """Return the name of each row, with its step's number in a trace: ``t of step 3 (add)``."""
    return {
        row.key: f"{row.name} of step {number} ({format_stage_title(stage, rows)})"
        for number, (stage, rows) in enumerate(plan.stages.items(), 1)
        for row in rows
    }


def list_values(
    source: KernelSource, kernel: MachineKernel, operands: Mapping[str, int]
) -> Mapping[int, str]:
    """Return the values that each instruction writes, by its offset.

    ``operands`` are the bits by register. The mapping is empty if the code is not interpreted.
    """
    try:
        run, _ = run_on_numbers(source, kernel, operands)
    except UnknownMachineCodeError:
        return {}
    return {x.ins.offset: _format_writes(x) for x in run.effects}


def _format_writes(effect: MachineEffect[LaneValues]) -> str:
    values = [_format(x.value[0], x.bits) for x in effect.writes]
    return ", ".join((*values, *(_format(x.value, x.bits) for x in effect.numbers)))


def _format(bits: int, width: int) -> str:
    """Return the value of a predicate, of a register or of a pair."""
    if width == 1:
        return "true" if bits else "false"
    return format_hex(bits, max(width, WORD_BITS))
