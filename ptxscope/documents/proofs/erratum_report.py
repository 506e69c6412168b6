"""A draft of a report to NVIDIA: the kernel, its machine code, documented and obtained results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...engine.isa.encodings import format_hex
from ...engine.tracing.step_text import describe_step, format_title
from ...engine.tracing.trace import trace as make_trace
from ...proof.differences import Difference
from ...sass.kernel_source import KernelSource, format_module


class ErratumReport(NamedTuple):
    """What a report says."""

    title: str
    sentence: str
    """What differs, in a sentence; empty if nobody has said it yet."""
    forms: str
    """The affected forms in words; empty if they are not known."""
    source: KernelSource
    arch: str
    versions: str
    """The releases of ptxas that show it."""
    ptxas: tuple[int, int]
    operands: Mapping[str, int]
    """Operands by register."""
    documented: Mapping[str, int]
    """Results by role."""
    obtained: Mapping[str, int]
    tools: str
    """The assembler and disassembler that made the machine code."""
    code: Sequence[str]
    """The machine code, a line each."""
    difference: Difference | None
    remark: str = ""


def render_report(report: ErratumReport) -> str:
    """Render a report as Markdown."""
    return "\n".join(_report_lines(report)) + "\n"


def _report_lines(report: ErratumReport) -> Iterator[str]:
    ins = report.source.ins
    line = str(ins).removesuffix(";")
    yield f"# {report.title}"
    yield ""
    yield f"`{line}` does not compute what the PTX ISA, {ins.entry.section}, documents."
    if report.sentence:
        yield f"{report.sentence}"
    yield ""
    yield f"- Assembler: ptxas {report.versions}"
    yield f"- Target: {report.arch}"
    if report.forms:
        yield f"- Affected forms: {report.forms}"
    yield ""
    yield "| operand | value |"
    yield "|---|---|"
    for slot in report.source.inputs:
        yield f"| {slot.name} | `{_format(report.operands.get(slot.name, 0), slot.type.bits)}` |"
    yield ""
    yield "| result | documented | obtained |"
    yield "|---|---|---|"
    for slot in report.source.results:
        pair = (x.get(slot.role, 0) for x in (report.documented, report.obtained))
        texts = " | ".join(f"`{_format(x, slot.type.bits)}`" for x in pair)
        yield f"| {slot.name} | {texts} |"
    yield ""
    if report.difference and (condition := _describe_condition(report.difference)):
        yield condition
        yield from _iter_terms(report, condition)
        yield ""
    if report.remark:
        yield report.remark
        yield ""
    yield "## Kernel"
    yield ""
    yield "Each thread loads its operands, 64 bytes apart, and stores its results."
    yield ""
    yield "```ptx"
    yield format_module([("repro", report.source)], report.arch, report.ptxas).rstrip()
    yield "```"
    yield ""
    yield f"`ptxas -arch={report.arch} repro.ptx -o repro.cubin && nvdisasm repro.cubin`"
    yield ""
    yield "## Machine code"
    yield ""
    yield f"Of {report.tools}:"
    yield ""
    yield "```"
    yield from report.code
    yield "```"
    yield ""
    yield (
        "The obtained result is that of this code, by the meaning of its opcodes. It was not "
        "run on a GPU."
    )


def _iter_terms(report: ErratumReport, condition: str) -> Iterator[str]:
    """Yield what the names in a condition stand for, a sentence each."""
    ins, inputs = report.source.ins, report.source.inputs
    trace = make_trace(ins, {ins.names[x.role]: report.operands.get(x.name, 0) for x in inputs})
    for step in trace.steps:
        for row in step.rows:
            if re.search(rf"\b{re.escape(row.key)}\b", condition):
                about = describe_step(step)
                title = format_title(step)
                yield f"`{row.key}` is {row.name} of the documented step *{title}*: {about}"
    for suffix, sentence in _SUFFIXES.items():
        if re.search(rf"\b[a-e]\.{suffix}(?:\d|\b)", condition):
            yield sentence


_SUFFIXES = {
    "signed": "`.signed` is the operand as a signed number.",
    "b": "`.b0`, `.b1` … are the bytes of the operand, the least significant first.",
    "h": "`.h0`, `.h1` … are the half-words of the operand, the least significant first.",
}
"""Sentences on the suffixes of operands."""


def _format(bits: int, width: int) -> str:
    return str(bits) if width == 1 else format_hex(bits, width)


def _describe_condition(difference: Difference) -> str:
    part = f"Byte {difference.part[1:]} of the results differs" if difference.part else ""
    subject = part or "The results differ"
    if difference.condition:
        manner = "exactly where" if difference.is_exact else "only where"
        return f"{subject} {manner} `{difference.condition}`."
    if difference.number:
        names = " and ".join(difference.parts)
        return f"{subject} for {difference.number:,} of the {difference.total:,} values of {names}."
    return ""
