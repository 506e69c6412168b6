"""A fault of the compiler, in a report: an erratum's example, or a line that becomes wrong code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ...engine.semantics.models import parse_model
from ...engine.semantics.rules import Erratum
from ...engine.syntax.parser import parse
from ...engine.tracing.basic_block import BasicBlock, make_block
from ...engine.tracing.deviation import (
    Deviation,
    find_deviation,
    find_deviations,
    find_first_difference,
)
from ...engine.tracing.folding_bugs import FOLDING_BUGS, FoldingBug, describe_folding
from ...engine.tracing.trace import Trace, trace_program
from ...feature import Service, find_services
from .known_errata import (
    KnownErratum,
    find_replacement,
    make_block_replacement,
    read_example,
    trace_example,
)
from .recorded_code import CodeRow, load_code
from .repro_kernel import OLDEST_LANGUAGE, ReproKernel, make_repro_kernel

DEFAULT_ARCH = "sm_90"
_ARCHS = {"F2": "sm_120"}
"""The target of the machine code by erratum, if the default one does not have the fault."""
_OLDER_TARGETS = ("sm_70", "sm_72")
"""Those for which code for the oldest target that was measured is not assembled."""
_SIMPLE_NAME = re.compile(r"[a-z]\d?")


class LineProof(NamedTuple):
    """A proof that the machine code of a line does not always give the documented result."""

    model: str
    """The model whose results it gives for all operands; empty if no known one has them."""
    condition: str
    """When the results differ, in Markdown; empty if that is unknown."""
    ptxas: str
    """The release of the assembler."""
    options: tuple[str, ...] = ()
    """The options of the assembler, such as ``-O0``."""


@dataclass(frozen=True)
class CompilerFault:
    """A difference between the documented and the compiled result."""

    errata: tuple[KnownErratum, ...]
    """The errata that cause it."""
    block: BasicBlock
    line: str
    values: Mapping[str, int]
    """The operands' bits by register."""
    documented: Mapping[str, int]
    """The bits of the results by register."""
    compiled: Mapping[str, int]
    kernel: ReproKernel
    deviation: Deviation | None
    """Both traces; None for constants, of which no model has the result."""
    replacement: tuple[str, ...]
    """Plain PTX with the documented result."""
    arch: str
    """The target for which it is compiled."""
    proof: LineProof | None = None
    """A proof about the machine code of this line; None if only recorded ones exist."""

    @property
    def is_example(self) -> bool:
        """Whether it is the example of its only erratum, for which the evidence is recorded."""
        if len(self.errata) != 1:
            return False
        ptx, values, *_ = self.errata[0].example
        return ptx == self.line and values == self.values

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the assembler."""
        return self.proof.options if self.proof else ()

    @property
    def level(self) -> str:
        """The level of optimization, in Markdown."""
        return f"`{' '.join(self.options)}`" if self.options else "default `-O3`"

    @property
    def documented_trace(self) -> Trace:
        """The documented answer."""
        return self.deviation.isa if self.deviation else trace_program(self.block, self.values)


def make_example_fault(x: KnownErratum) -> CompilerFault:
    """Return the fault that the example of an erratum shows."""
    ptx, values, documented, compiled = x.example
    block = read_example(x)
    deviations = find_deviations(trace_example(x)) if isinstance(x, Erratum) else ()
    kernel = make_repro_kernel(
        block,
        values,
        {"d": (documented, compiled)},
        has_constants=isinstance(x, FoldingBug) and not parse(ptx).constants,
    )
    return CompilerFault(
        (x,),
        block,
        ptx,
        values,
        {"d": documented},
        {"d": compiled},
        kernel,
        deviations[0] if deviations else None,
        find_replacement(x),
        _find_arch(x),
    )


def _find_arch(x: KnownErratum) -> str:
    return _ARCHS.get(x.id, DEFAULT_ARCH)


def make_proved_fault(
    block: BasicBlock,
    values: Mapping[str, int],
    compiled: Mapping[str, int],
    arch: str,
    proof: LineProof,
) -> CompilerFault:
    """Return the fault of a line whose machine code is proved to have one.

    ``values`` are operands for which it shows, ``compiled`` the results of the machine code, all
    as bits by register. The example of a known erratum is shown with its own operands.
    """
    isa = trace_program(block, values)
    deviation, errata = None, tuple[KnownErratum, ...]()
    if proof.model:
        other = isa.with_model(parse_model(proof.model))
        errata = other.changed_by
        deviation = Deviation(isa, other, other.changed_by, find_first_difference(isa, other))
    else:
        instructions = [x.instruction for x in block.statements]
        opcodes = {x.opcode for x in instructions if any(describe_folding(x))}
        errata = tuple(x for x in FOLDING_BUGS if parse(x.example[0]).opcode in opcodes)
    line = _format_line(block)
    if len(errata) == 1 and errata[0].example[0] == line:
        return replace(make_example_fault(errata[0]), arch=arch, proof=proof)
    results = {name: (isa.result[name], compiled[name]) for name in isa.result}
    target = arch if arch in _OLDER_TARGETS else OLDEST_LANGUAGE[1]
    return CompilerFault(
        errata,
        block,
        line,
        values,
        isa.result,
        compiled,
        make_repro_kernel(block, values, results, target=target),
        deviation,
        make_block_replacement(block),
        arch,
        proof,
    )


def _format_line(block: BasicBlock) -> str:
    return str(block).removesuffix(";")


def iter_line_faults(trace: Trace) -> Iterator[CompilerFault]:
    """Return the faults of a line, the newest release first.

    A trace under a model of ptxas has only its own fault. Raise ValueError if there is none.
    """
    if not trace.block.is_line:
        raise ValueError("the report of a fault is on one instruction; here are several")
    deviations = find_deviations(trace)
    if trace.model.errata:
        deviation = find_deviation(trace, deviations)
        deviations = (deviation,) if deviation else ()
    deviations = tuple(x for x in deviations if x.errata)
    if not deviations:
        raise ValueError(
            "no fault is known for these operands: the documented result is the compiled one"
        )
    return map(_make_line_fault, deviations)


def _make_line_fault(deviation: Deviation) -> CompilerFault:
    ins = deviation.isa.block.instruction
    if not all(map(_SIMPLE_NAME.fullmatch, ins.names.values())):
        deviation = _rename_registers(deviation)
    block = deviation.isa.block
    inputs = {role: name for role, name in block.names.items() if role in deviation.isa.operands}
    values = {name: deviation.isa.operands[role] for role, name in inputs.items()}
    documented, compiled = deviation.isa.result, deviation.other.result
    results = {name: (documented[name], compiled[name]) for name in documented}
    return CompilerFault(
        deviation.errata,
        block,
        _format_line(block),
        values,
        documented,
        compiled,
        make_repro_kernel(block, values, results),
        deviation,
        make_block_replacement(block),
        _find_arch(deviation.errata[0]),
    )


def _rename_registers(deviation: Deviation) -> Deviation:
    """Return both traces with the roles as the names of the registers."""
    old = deviation.isa.block.instruction
    block = make_block(old.with_role_names())
    names = {role: block.names[role] for role in old.names}
    values = {names[role]: bits for role, bits in deviation.isa.operands.items() if role in names}
    isa, other = (
        trace_program(block, values, model=x.model) for x in (deviation.isa, deviation.other)
    )
    return deviation._replace(isa=isa, other=other)


FindFaultCode = Callable[..., Any]
"""The service that assembles the kernel of a fault and runs its machine code."""


@dataclass(frozen=True)
class FaultListing:
    """The machine code of a fault's kernel."""

    rows: Sequence[CodeRow]
    """Empty if there is none."""
    is_recorded: bool = False
    remark: str = ""
    """The reason why the code is recorded or missing."""


def find_recorded_code(fault: CompilerFault, remark: str = "") -> FaultListing:
    """Return the recorded machine code of an erratum's example."""
    rows = load_code()[fault.errata[0].id] if fault.is_example and not fault.proof else ()
    return FaultListing(rows, is_recorded=True, remark=remark)


def find_code(fault: CompilerFault, find_fault_code: FindFaultCode | None = None) -> FaultListing:
    """Return the machine code that a function finds, or else the recorded code.

    By default, the installed tools make the code.
    """
    kernel = fault.kernel
    found_services = find_services(Service.FIND_FAULT_CODE)
    for find in (find_fault_code,) if find_fault_code else found_services:
        places = kernel.inputs, kernel.results
        try:
            code = find(fault.block, kernel.ptx, places, fault.values, fault.arch)
        except ValueError as error:
            # the remaining lines name the program, or the package to install
            return find_recorded_code(fault, str(error).partition(":")[0])
        if code.results and code.results != {
            x.name: fault.compiled[x.name] for x in kernel.results
        }:
            reason = f"ptxas {code.ptxas}, which is at hand, has another result for {code.arch}"
            return find_recorded_code(fault, reason)
        tools = ("", code.ptxas, code.nvdisasm, code.arch)
        return FaultListing(
            [CodeRow._make((*tools, *x[:-1], "1" * x.is_wrong)) for x in code.instructions]
        )
    return find_recorded_code(fault, "nothing that interprets machine code is installed")
