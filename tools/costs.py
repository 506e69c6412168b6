"""`python3 -m tools.costs`: the machine instructions of typical forms, and cheaper equal forms.

Needs ptxas, nvdisasm and the solver. Writes ptxscope/features/costs/costs.csv. A count is of the
instructions that compute from operands, without loads, stores, addresses and constants. Forms are
equal if the solver has proved their results equal for all operands. With a number of seconds, as
`python3 -m tools.costs 30`, it retries missing proofs with more time each.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from random import Random
from typing import NamedTuple

from ptxscope.engine.isa.catalog import ENTRIES, find_violations, get_entry, make_blank_form, with_c
from ptxscope.engine.isa.entry import Entry, Slot
from ptxscope.engine.isa.grammar import is_selector_slot, is_type_slot
from ptxscope.engine.isa.types import Form
from ptxscope.engine.semantics.lowering import lower
from ptxscope.engine.semantics.plan import Plan, compute_results
from ptxscope.engine.syntax.instruction import make_instruction
from ptxscope.engine.syntax.parser import parse
from ptxscope.features.costs.cost_table import (
    ARCHITECTURES,
    COLUMNS,
    PATH,
    RARE_SLOTS,
    format_line,
    read_table,
)
from ptxscope.features.machine.form_verdict import (
    FormVerdict,
    VerdictOutcome,
    decide_line,
)
from ptxscope.features.machine.kernel_source import make_kernel_source
from ptxscope.features.machine.toolchain import NVDISASM, PTXAS, compile_kernels, find_tool
from ptxscope.features.prove.equivalence import prove

_SAMPLES = {"lut": (0xCA,), "cmp": ("eq", "lt")}
"""Typical values of slots with many values."""
_SECONDS = 2.0
"""The time for one proof."""
_DRAWS = 150
_CHUNK = 64
_EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x80808080, 0x7F7F7F7F)


class MeasuredForm(NamedTuple):
    """A form with its counts, and the verdict on its machine code for each architecture."""

    form: Form
    counts: tuple[int, ...]
    verdict: str
    """``yes`` if all its machine code is proved to be as documented, its errata, or ``no``."""


def list_forms() -> list[Form]:
    """Return the forms: all types, alternatives and comparisons, with at most one optional slot."""
    return list(dict.fromkeys(form for entry in ENTRIES for form in _iter_forms(entry)))


def _iter_forms(entry: Entry) -> Iterator[Form]:
    required = [x for x in entry.slots if not x.is_optional or is_type_slot(x)]
    optional = [x for x in entry.slots if x not in required and x.name not in ("c", *RARE_SLOTS)]
    for values in product(*map(_list_values, required)):
        names = [x.name for x in required]
        base = _fill(make_blank_form(entry), dict(zip(names, values, strict=True)))
        choices = [{x.name: value} for x in optional for value in _list_values(x)]
        for choice in ({}, *choices):
            form = with_c(_fill(base, choice))
            if not find_violations(form) and get_entry(form) is entry:
                yield form


def _fill(form: Form, values: dict[str, object]) -> Form:
    return form._replace(**values)  # type: ignore[arg-type]


def _list_values(slot: Slot) -> Sequence[object]:
    """Return the values of a slot, or a sample of many."""
    if slot.name in _SAMPLES and len(slot.values) > 6:
        return [x for x in slot.values if x in _SAMPLES[slot.name]]
    if is_selector_slot(slot):
        return (slot.values[len(slot.values) // 3],)
    return slot.values


def measure(forms: Sequence[Form], arch: str, seconds: float = _SECONDS) -> list[FormVerdict]:
    """Compile forms for an architecture, count their instructions, and prove their results."""
    ptxas, nvdisasm = find_tool(PTXAS), find_tool(NVDISASM)
    sources = [make_kernel_source(make_instruction(form)) for form in forms]
    kernels = compile_kernels(ptxas, nvdisasm, arch, sources)
    return [
        decide_line(str(source.program), source, kernel, timeout=seconds)
        for source, kernel in zip(sources, kernels, strict=True)
    ]


def _report(text: str, found: list[FormVerdict]) -> list[FormVerdict]:
    print(text, file=sys.stderr, flush=True)
    return found


def _measure_all(forms: list[Form], pool: ProcessPoolExecutor) -> list[MeasuredForm]:
    chunks = [forms[at : at + _CHUNK] for at in range(0, len(forms), _CHUNK)]
    verdicts = {
        arch: [
            x
            for at, part in enumerate(pool.map(partial(measure, arch=arch), chunks))
            for x in _report(f"{arch} {at + 1}/{len(chunks)}", part)
        ]
        for arch in ARCHITECTURES
    }
    costs = []
    for form, *found in zip(forms, *verdicts.values(), strict=True):
        if not all(x.instruction_count for x in found):
            print(
                form.opcode, *(f"{x.line} {x.outcome} {x.reason}" for x in found), file=sys.stderr
            )
            continue
        costs.append(MeasuredForm(form, tuple(x.instruction_count for x in found), _judge(found)))
    return costs


def _judge(found: Sequence[FormVerdict]) -> str:
    """Return the verdict of all architectures."""
    if all(x.is_as_documented for x in found):
        return "yes"
    is_decided = all(x.outcome is VerdictOutcome.PROVED for x in found)
    return " ".join(dict.fromkeys(x for y in found for x in y.errata)) if is_decided else "no"


# --- equal forms -----------------------------------------------------------------------------


def _compute(plan: Plan, seed: int) -> tuple[object, ...]:
    """Return the results of a plan for operands that depend only on their roles."""
    rng = Random(seed)
    values = {role: rng.choice((rng.getrandbits(64), rng.choice(_EDGES))) for role in "abce"}
    bits = {x.role: values.get(x.role, 0) & ((1 << x.type.bits) - 1) for x in plan.sources}
    return tuple(sorted(compute_results(plan, bits).items()))


def find_equal(costs: Sequence[MeasuredForm]) -> dict[Form, Form]:
    """Map each form to the cheapest form proved equal, if that is cheaper."""
    groups: dict[object, list[MeasuredForm]] = {}
    for cost in costs:
        plan, entry = lower(cost.form), get_entry(cost.form)
        types = tuple(x.get_type(cost.form).bits for x in entry.operands)
        results = tuple(_compute(plan, seed) for seed in range(_DRAWS))
        groups.setdefault((cost.form.opcode, cost.form.c, types, results), []).append(cost)
    found = {}
    for group in groups.values():
        for cost in group:
            for other in sorted(group, key=lambda x: (max(x.counts), _count_slots(x.form))):
                if other.verdict != "yes" or not _is_cheaper(other, cost):
                    continue
                lines = [str(make_instruction(x.form)) for x in (cost, other)]
                if prove(*lines, timeout=_SECONDS).verdict == "equal":
                    found[cost.form] = other.form
                    break
    return found


def _is_cheaper(x: MeasuredForm, y: MeasuredForm) -> bool:
    return all(a < b for a, b in zip(x.counts, y.counts, strict=True))


def _count_slots(form: Form) -> int:
    return sum(bool(x) for x in form)


def write_table(costs: Sequence[MeasuredForm], equal: dict[Form, Form], tools: str) -> str:
    """Return the file."""
    stream = io.StringIO()
    stream.write(f"# {tools}\n")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for cost in costs:
        line = format_line(cost.form)
        other = format_line(equal[cost.form]) if cost.form in equal else ""
        writer.writerow((line, *cost.counts, cost.verdict, other))
    return stream.getvalue()


def decide_again(seconds: float, pool: ProcessPoolExecutor) -> None:
    """Retry missing proofs of machine code, with more time each."""
    table = read_table()
    open_lines = [x.line for x in table.costs.values() if x.verdict == "no"]
    forms = [parse(line).form for line in open_lines]
    tasks = [(form, arch) for form in forms for arch in ARCHITECTURES]
    found = pool.map(_measure_one, tasks, [seconds] * len(tasks))
    decided: dict[str, list[FormVerdict]] = {}
    for (form, arch), verdict in zip(tasks, found, strict=True):
        line = format_line(form)
        print(line, arch, verdict.outcome, round(verdict.seconds, 1), file=sys.stderr, flush=True)
        decided.setdefault(line, []).append(verdict)
    text = PATH.read_text(encoding="utf-8")
    for line, verdicts in decided.items():
        counts = ",".join(str(x.instruction_count) for x in verdicts)
        assert f'"{line}",{counts},no,' in text
        text = text.replace(f'"{line}",{counts},no,', f'"{line}",{counts},{_judge(verdicts)},')
    PATH.write_text(text, encoding="utf-8")


def _measure_one(task: tuple[Form, str], seconds: float) -> FormVerdict:
    form, arch = task
    (verdict,) = measure([form], arch, seconds)
    return verdict


def main() -> None:
    """Write the file; with a number of seconds, retry its missing proofs."""
    with ProcessPoolExecutor(2) as pool:
        if sys.argv[1:]:
            decide_again(float(sys.argv[1]), pool)
            return
        forms = list_forms()
        costs = _measure_all(forms, pool)
    ptxas, nvdisasm = find_tool(PTXAS), find_tool(NVDISASM)
    tools = f"ptxas {ptxas.build}, nvdisasm {nvdisasm.build}"
    PATH.write_text(write_table(costs, find_equal(costs), tools), encoding="utf-8")


if __name__ == "__main__":
    main()
