"""`python3 -m tools.errata_evidence NVDISASM PTXAS…`: ptxas's code for the errata's examples.

Writes evidence.csv of the feature `check`, a row for each erratum, release and answer:

- proved: the machine code of the example equals the model of the release for all operands.
- computed: the machine code has this result on the example's operands.
- executed: results of tests/data, by a separate interpreter, that the erratum changes.
- device: a published result of a GPU (docs/semantics.md, 4).
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ptxscope import parse, parse_block
from ptxscope.engine.semantics.models import PTXAS_MODELS, Model
from ptxscope.engine.semantics.rules import ERRATA, FLAG_ERRATUM, SEQUENCE_ERRATA, Erratum
from ptxscope.engine.tracing.folding_bugs import FOLDING_BUGS, FoldingBug
from ptxscope.engine.tracing.operand_bits import bind_values
from ptxscope.engine.tracing.trace import make_trace
from ptxscope.features.check.erratum_evidence import RECORD, EvidenceRow
from ptxscope.features.check.known_errata import KNOWN_ERRATA, KnownErratum
from ptxscope.features.machine.form_verdict import (
    VerdictOutcome,
    compute_machine_results,
    decide_line,
)
from ptxscope.features.machine.kernel_source import (
    KernelSource,
    make_block_source,
    make_kernel_source,
)
from ptxscope.features.machine.machine_instruction import MachineKernel
from ptxscope.features.machine.machine_step import UnknownMachineCodeError
from ptxscope.features.machine.toolchain import (
    NVDISASM,
    PTXAS,
    Tool,
    ToolError,
    compile_kernels,
    find_tool,
    list_targets,
)

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
TARGETS = [f"sm_{x}" for x in (75, 80, 86, 89, 90, 100, 103, 110, 120, 121)]
_TIMEOUT = 60.0
_METHODS = ("proved", "computed", "executed", "device")
_DEVICE_ROW = EvidenceRow("E2", "device", "ptxas", "", "", 1)


class Answer(NamedTuple):
    """The result of an example's machine code."""

    method: str
    result: str
    """The result of a model: ``isa`` or ``ptxas``."""


def _decide(
    x: KnownErratum, line: str, source: KernelSource, kernel: MachineKernel | str
) -> Answer | None:
    """Return the answer of machine code; None if unknown."""
    verdict = decide_line(line, source, kernel, timeout=_TIMEOUT)
    if verdict.outcome is VerdictOutcome.PROVED and isinstance(x, Erratum):
        if verdict.is_as_documented:
            return Answer("proved", "isa")
        if x.id in verdict.errata or x is FLAG_ERRATUM:
            return Answer("proved", "ptxas")
    if isinstance(kernel, str):
        return None
    _, values, *results = x.example
    try:
        (bits,) = compute_machine_results(source, kernel, values).values()
    except UnknownMachineCodeError:
        return None
    answers = {y: name for name, y in zip(("isa", "ptxas"), results, strict=True)}
    return Answer("computed", answers[bits])


def _iter_answers(
    ptxas: Tool, nvdisasm: Tool, target: str
) -> Iterator[tuple[KnownErratum, Answer]]:
    lines: list[KnownErratum] = [*ERRATA, FOLDING_BUGS[0], *SEQUENCE_ERRATA, FOLDING_BUGS[1]]
    blocks = [*(x.example[0] for x in SEQUENCE_ERRATA), _format_constants(FOLDING_BUGS[1])]
    sources = [make_kernel_source(parse(x.example[0])) for x in lines[: -len(blocks)]]
    sources += (make_block_source(parse_block(x)) for x in blocks)
    kernels = compile_kernels(ptxas, nvdisasm, target, sources)
    for x, source, kernel in zip(lines, sources, kernels, strict=True):
        if answer := _decide(x, x.example[0], source, kernel):
            yield x, answer


def _format_constants(bug: FoldingBug) -> str:
    """Return the example of constants: each register is a literal."""
    ptx, values, *_ = bug.example
    moves = (f"mov.b32 {name}, {bits:#x};" for name, bits in values.items())
    return " ".join((*moves, f"{ptx};"))


def list_machine_rows(nvdisasm: Tool, releases: Sequence[Tool]) -> list[EvidenceRow]:
    """Return the rows of machine code."""
    targets: dict[tuple[str, Answer, str], list[str]] = {}
    for ptxas in releases:
        for target in (x for x in TARGETS if x in list_targets(ptxas)):
            try:
                for x, answer in _iter_answers(ptxas, nvdisasm, target):
                    targets.setdefault((x.id, answer, ptxas.build), []).append(target)
            except ToolError as error:
                print(error, file=sys.stderr)
    return [
        EvidenceRow(id_, answer.method, answer.result, build, " ".join(names), 1)
        for (id_, answer, build), names in targets.items()
    ]


def list_executed_rows() -> list[EvidenceRow]:
    """Return the rows of the results in tests/data."""
    counts = Counter[tuple[str, str]]()
    for name in ("golden", "errata", "guarded", "plain"):
        with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                for version in ("13.0", "13.5"):
                    executed = row.get(f"ptxas_{version.replace('.', '_')}")
                    if executed and row["isa"] and executed != row["isa"]:
                        counts.update((x, version) for x in _list_ids(row, version, executed))
    return [
        EvidenceRow(id_, "executed", "ptxas", version, "", count)
        for (id_, version), count in counts.items()
    ]


def _list_ids(row: Mapping[str, str], version: str, executed: str) -> list[str]:
    """Return the errata that change a result; raise ValueError if the model has another one."""
    ins = parse(row["ptx"])
    names = {"d": "d_old"}
    values = {x.name: int(row[names.get(x.name, x.name)], 16) for x in ins.inputs}
    model: Model = next(x for x in PTXAS_MODELS if x.name == f"ptxas-{version}")
    trace = make_trace(ins, model, bind_values(ins, values))
    if [*trace.result.values()] != [int(x, 16) for x in executed.split("|")]:
        raise ValueError(f"{row} is not as the model says")
    return [x.id for x in trace.changed_by]


def main() -> None:
    """Write the file."""
    disassembler, *paths = sys.argv[1:]
    nvdisasm = find_tool(NVDISASM, disassembler)
    rows = list_machine_rows(nvdisasm, [find_tool(PTXAS, x) for x in paths])
    rows += [*list_executed_rows(), _DEVICE_ROW]
    order = [x.id for x in KNOWN_ERRATA]
    rows.sort(key=lambda x: (order.index(x.erratum), _METHODS.index(x.method)))
    with RECORD.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(EvidenceRow._fields)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
