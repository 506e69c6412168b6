"""Reports on lines whose machine code departs from the documentation, each in its smallest form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...documents.proofs.erratum_report import ErratumReport, render_report
from ...engine.isa.form import Form
from ...engine.semantics.models import get_erratum
from ...engine.syntax.instruction import Instruction
from ...sass.disassembly import MachineKernel
from ...sass.form_verdict import FormVerdict, decide_line, make_instruction
from ...sass.kernel_source import make_kernel_source
from ...sass.machine_deviation import MachineDeviation, find_machine_deviation, find_smallest_form
from ...sass.nvidia.compilation import compile_kernels
from .line_code import format_line
from .tools import format_tools
from .verification import Task


def render_deviations(
    task: Task, lines: Sequence[Instruction], verdicts: Sequence[FormVerdict]
) -> str:
    """Return a report for each kind of deviation among some lines; raise ToolError.

    Lines with the same known errata, or of one opcode with a new deviation, have one report.
    """
    groups: dict[object, Instruction] = {}
    for ins, verdict in sorted(zip(lines, verdicts, strict=True), key=lambda x: len(str(x[0]))):
        if verdict.is_as_documented is False:
            groups.setdefault(verdict.errata or ins.opcode, ins)
    reports = (_report(task, ins) for ins in groups.values())
    return "\n".join(reports) if groups else "Nothing deviates from the documentation.\n"


def _report(task: Task, ins: Instruction) -> str:
    """Return the report on a line, in the smallest form that has the same errata.

    A line whose form does not depart in registers alone, but with its literals, is kept.
    """
    errata = _decide(task, [ins])[0].errata

    def has_departure(forms: list[Form]) -> list[bool]:
        decided = _decide(task, [_make_line(ins, form) for form in forms])
        return [x.is_as_documented is False and x.errata == errata for x in decided]

    if not all(has_departure([ins.form])):
        return make_report(task, ins, errata)
    smallest = _make_line(ins, find_smallest_form(ins.form, has_departure))
    return make_report(task, smallest, errata)


def _make_line(ins: Instruction, form: Form) -> Instruction:
    return replace(make_instruction(form), guard=ins.guard)


def _decide(task: Task, lines: Sequence[Instruction]) -> list[FormVerdict]:
    sources = [make_kernel_source(x) for x in lines]
    kernels = compile_kernels(task.ptxas, task.nvdisasm, task.arch, sources)
    return [
        decide_line(format_line(ins), source, kernel, timeout=task.timeout)
        for ins, source, kernel in zip(lines, sources, kernels, strict=True)
    ]


def make_report(task: Task, ins: Instruction, errata: Sequence[str]) -> str:
    """Return the report on a line that departs; raise ToolError if it is not compiled."""
    source = make_kernel_source(ins)
    (kernel,) = compile_kernels(task.ptxas, task.nvdisasm, task.arch, [source])
    deviation = (
        find_machine_deviation(source, kernel) if isinstance(kernel, MachineKernel) else None
    )
    if deviation is None:
        return f"{format_line(ins)} does not deviate from the documentation.\n"
    return _render(task, deviation, errata)


def _render(task: Task, deviation: MachineDeviation, errata: Sequence[str]) -> str:
    source = deviation.source
    known = [get_erratum(id_) for id_ in errata]
    name = f"{', '.join(errata)}: " if errata else ""
    return render_report(
        ErratumReport(
            title=f"{name}`{source.ins.mnemonic}` deviates from the PTX ISA",
            sentence=" ".join(x.sentence for x in known),
            forms="; ".join(x.forms for x in known),
            source=source,
            arch=task.arch,
            versions=task.ptxas.build,
            ptxas=task.ptxas.version,
            operands=deviation.example.operands,
            documented=deviation.example.model_results,
            obtained=deviation.example.machine_results,
            tools=format_tools(task.ptxas, task.nvdisasm),
            code=format_code(deviation.kernel),
            difference=deviation.difference,
            remark=" ".join(x.remark for x in known if x.remark),
        )
    )


def format_code(kernel: MachineKernel) -> list[str]:
    """Return the instructions of a kernel with their offsets, a line each."""
    return [f"/*{x.offset:04x}*/  {x.text} ;" for x in kernel.instructions]
