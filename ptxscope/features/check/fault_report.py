"""The report of a fault as an issue in Markdown, for the tracker of an assembler or a library.

It has the parts that the page of an erratum has. The steps are folded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ... import __version__
from ...documents.formats.markdown import escape_text
from ...documents.formats.markup import Block, Heading, make_heading
from ...documents.formats.report import write_report
from ...documents.options import DEFAULT, Options
from ...engine.syntax.errors import quote_word
from ...engine.tracing.basic_block import BasicBlock
from ...engine.tracing.trace import Trace
from .compiler_fault import (
    CompilerFault,
    FaultListing,
    FindFaultCode,
    LineProof,
    find_code,
    iter_line_faults,
    make_example_fault,
    make_proved_fault,
)
from .fault_blocks import (
    DOCUMENTED_STEPS,
    STEPS,
    iter_step_blocks,
    iter_summary_blocks,
    iter_verdict_blocks,
    list_fault_parts,
    make_title,
)
from .known_errata import KnownErratum

_OPTIONS = Options(heading_level=1)


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Render the report of the fault that a trace shows; raise ValueError if it shows none."""
    if not options.result:
        raise ValueError("the report of a fault shows the result, which is hidden")
    fault, listing = _choose_fault(iter_line_faults(trace))
    values = " ".join(f"{name}={bits:#x}" for name, bits in fault.values.items())
    return _write(fault, listing, f"trace {quote_word(fault.line)} {values} --both -f issue")


def _choose_fault(faults: Iterator[CompilerFault]) -> tuple[CompilerFault, FaultListing]:
    """Return the first fault that the installed assembler has, or else the first one."""
    pairs = ((fault, find_code(fault)) for fault in faults)
    first = next(pairs)
    return first if first[1].rows else next((x for x in pairs if x[1].rows), first)


def render_erratum(x: KnownErratum) -> str:
    """Render the report of an erratum."""
    fault = make_example_fault(x)
    return _write(fault, find_code(fault), f"errata {x.id} -f issue")


def render_proved_fault(
    block: BasicBlock,
    values: Mapping[str, int],
    compiled: Mapping[str, int],
    arch: str,
    *,
    model: str,
    condition: str,
    ptxas: str,
    find_fault_code: FindFaultCode,
    command: str,
    options: tuple[str, ...] = (),
) -> str:
    """Render the report of a line whose machine code is proved to be wrong.

    ``values`` are operands for which it shows, ``compiled`` the results of the machine code, all
    as bits by register. ``model`` is the known model with the same results for all operands, or
    empty; ``condition`` is a text on when they differ, ``command`` what made the report, and
    ``options`` are those of the assembler.
    """
    proof = LineProof(model, condition, ptxas, options)
    fault = make_proved_fault(block, values, compiled, arch, proof)
    return _write(fault, find_code(fault, find_fault_code), command)


def _write(fault: CompilerFault, listing: FaultListing, command: str) -> str:
    blocks: list[Block] = [make_heading(make_title(fault))]
    blocks += (*iter_summary_blocks(fault), *iter_verdict_blocks(fault, listing))
    for part in list_fault_parts(fault, listing):
        blocks += (Heading(1, make_heading(part.title).line), *part.blocks)
    text = write_report(blocks, "markdown", options=_OPTIONS)
    if steps := [*iter_step_blocks(fault)]:
        folded = write_report(steps, "markdown")
        title = STEPS if fault.deviation else DOCUMENTED_STEPS
        text += f"\n<details>\n<summary>{title}</summary>\n\n{folded}\n</details>\n"
    origin = f"Drafted with ptxscope {__version__}: ptxscope {command}"
    return f"{text}\n<sub>{escape_text(origin)}</sub>\n"
