"""The machine code of the current line, from the tools that are installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from ...documents.formats.report import write_report
from ...engine.cancellation import IsStopped, Stopped, never
from ...engine.syntax.instruction import Instruction
from ..prove.solver import load_bitwuzla
from .form_verdict import VerdictOutcome
from .kernel_source import KernelSource, make_kernel_source
from .machine_report import CodeLine, iter_listing_blocks, iter_sentences, make_code_lines
from .row_matches import MachineListing, count_instructions, list_machine_code
from .toolchain import (
    DEFAULT_ARCH,
    NVDISASM,
    PTXAS,
    Compiled,
    Tool,
    ToolError,
    compile_kernels,
    find_tool,
    format_tools,
    list_targets,
)

OLDEST_ARCH = 70
"""The number of the oldest target whose machine code is understood."""
SECONDS = 10.0
"""The time for each proof."""
ResultT = TypeVar("ResultT")


class MachineCode(NamedTuple):
    """The machine code of a line for one target."""

    line: str
    listing: MachineListing
    tools: str
    """The assembler and the disassembler with their versions."""
    targets: tuple[str, ...] = (DEFAULT_ARCH,)
    """The targets that the assembler knows, except targets of only one family or chip."""

    @property
    def arch(self) -> str:
        """The target."""
        return self.listing.arch

    @property
    def text(self) -> str:
        """All of it as text."""
        return write_report(iter_listing_blocks(self.line, [self.listing], self.tools))

    @property
    def summary(self) -> str:
        """The models that the code equals, in few words."""
        verdict = self.listing.verdict
        if verdict.outcome is not VerdictOutcome.PROVED:
            return str(verdict.outcome)
        equal = f"= {', '.join(verdict.models)} for all operands"
        departing = verdict.is_as_documented is False
        return f"{equal} · ≠ isa ({', '.join(verdict.errata)})" if departing else equal

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentences on the code as a whole."""
        return tuple(iter_sentences(self.listing, with_time=False))

    @property
    def lines(self) -> list[CodeLine]:
        """The instructions that do not compute addresses."""
        return make_code_lines(self.listing)


def find_machine_code(ins: Instruction, arch: str, is_stopped: IsStopped = never) -> MachineCode:
    """Return the machine code of an instruction; for a target that ptxas knows if it can be.

    Without a target, it is for the default one.

    Raise ValueError if a tool is missing or refuses the line, ImportError without the solver, and
    Stopped when ``is_stopped`` returns true.
    """
    ptxas, nvdisasm = _use_tools(lambda: (find_tool(PTXAS), find_tool(NVDISASM)))
    targets = tuple(x for x in _use_tools(lambda: list_targets(ptxas)) if _is_whole(x))
    if targets and arch not in targets:
        arch = DEFAULT_ARCH if DEFAULT_ARCH in targets else targets[-1]
    arch = arch or DEFAULT_ARCH
    source = make_kernel_source(ins)
    kernel = _compile(ptxas, nvdisasm, arch, source)
    if isinstance(kernel, str):
        raise ValueError(f"ptxas {ptxas.build} refuses the line for {arch}: {kernel}")
    if is_stopped():
        raise Stopped
    line = str(ins).removesuffix(";")
    listing = list_machine_code(line, source, kernel, arch, timeout=SECONDS)
    tools = format_tools(ptxas, nvdisasm)
    return MachineCode(line, listing, tools, targets or (arch,))


def has_tools() -> bool:
    """Return whether there are an assembler, a disassembler and the solver."""
    try:
        load_bitwuzla()
        _use_tools(lambda: (find_tool(PTXAS), find_tool(NVDISASM)))
    except (ImportError, ValueError):
        return False
    return True


def count_machine_code(ins: Instruction, arch: str) -> str:
    """Return the number of machine instructions as ``lower`` counts them, ``?`` if unknown.

    Raise ValueError if a tool is missing.
    """
    ptxas, nvdisasm = _use_tools(lambda: (find_tool(PTXAS), find_tool(NVDISASM)))
    source = make_kernel_source(ins)
    kernel = _compile(ptxas, nvdisasm, arch, source)
    count = None if isinstance(kernel, str) else count_instructions(source, kernel)
    return "?" if count is None else str(count)


def _is_whole(target: str) -> bool:
    """Whether a target is one that ptxscope reads, and not specific to a chip, like ``sm_90a``."""
    number = target.removeprefix("sm_")
    return number.isdecimal() and int(number) >= OLDEST_ARCH


def _compile(ptxas: Tool, nvdisasm: Tool, arch: str, source: KernelSource) -> Compiled:
    (kernel,) = _use_tools(lambda: compile_kernels(ptxas, nvdisasm, arch, [source]))
    return kernel


def _use_tools(work: Callable[[], ResultT]) -> ResultT:
    try:
        return work()
    except ToolError as error:
        raise ValueError(str(error)) from None
