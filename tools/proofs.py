"""`python3 dev.py prove`: proofs of ptxscope's claims by the solver, for all operands.

Writes docs/dev/evidence.md with `--page`. `--all` proves every form instead of a seeded draw.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, product
from math import inf
from pathlib import Path
from random import Random
from typing import NamedTuple

from ptxscope import parse
from ptxscope.blocks.block_parser import parse_block
from ptxscope.engine.arrays.array_program import ArrayProgram
from ptxscope.engine.arrays.narrowing import PASSES, WidthError
from ptxscope.engine.ir.tape import Node, record_plan, rewrite_plan
from ptxscope.engine.isa.catalog import CATALOG, find_violations, pick_form, with_c
from ptxscope.engine.isa.intrinsics import Intrinsic, map_intrinsics
from ptxscope.engine.isa.types import Form
from ptxscope.engine.semantics.models import ISA_MODEL, PTXAS_MODELS, Model
from ptxscope.engine.semantics.plan import Plan
from ptxscope.engine.semantics.rules import ERRATA, Erratum
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.engine.syntax.instruction import Guard, Instruction
from ptxscope.engine.tracing.basic_block import make_block
from ptxscope.features.check.replacement import make_replacement
from ptxscope.features.prove.bit_vectors import PROOF_RULES
from ptxscope.features.prove.differences import make_difference
from ptxscope.features.prove.equivalence import prove_equal, read_program
from ptxscope.features.prove.operand_conditions import make_scope, read_condition
from ptxscope.features.prove.proof import Proof, Verdict
from ptxscope.features.prove.proof_question import ProofQuestion, Side
from ptxscope.features.prove.solver import Undecided, get_solver_name
from tests.plans import draw_plan
from tests.strategies import instruction_of

from .nvcc_intrinsics import (
    ARCHITECTURES,
    STORED,
    compile_ptx,
    find_version,
    has_nvcc,
    map_kernels,
    map_loads,
    read_stored_ptx,
)
from .symbolic_calls import run_calls
from .symbolic_ptx import PlainPtx, UnknownInstructionError
from .verified import format_section

PAGE = Path(__file__).resolve().parent.parent / "docs" / "dev" / "evidence.md"
TIMEOUT = 10.0
DRAWN = {"intrinsics": 400, "replacements": 250, "models": 600, "rewrites": 150, "programs": 300}
"""Cases of each part to prove without --all."""
MANY = 20_000
"""Maximum cases of a part with --all."""
SHOWN = 12
"""Maximum undecided cases listed."""


class Part(NamedTuple):
    """A proved claim."""

    title: str
    claim: str
    counts: Mapping[str, int]
    seconds: float
    exceptions: Sequence[str]
    """The cases that are undecided or refuted."""
    total: int = 0
    """The number of cases, if time was up before the last."""


def main() -> None:
    """Prove every part and print, or write, the results; fail if a claim is refuted."""
    to = argparse.ArgumentParser(prog="dev.py prove", description=__doc__)
    to.add_argument("--all", action="store_true", help="every affected form: hours")
    to.add_argument("--minutes", type=float, default=inf, help="time for all parts")
    to.add_argument("--seed", type=int, default=1)
    to.add_argument("--page", action="store_true", help="write docs/dev/evidence.md")
    chosen = to.parse_args()
    parts, end = [], time.monotonic() + 60 * chosen.minutes
    for index, (name, prove) in enumerate(PARTS.items()):
        seconds = (end - time.monotonic()) / (len(PARTS) - index)
        count = None if chosen.all else DRAWN[name]
        parts.append(part := prove(count, Random(chosen.seed), seconds))
        print(_format_part(part), flush=True)
    conditions = list(_prove_conditions())
    for row in conditions:
        print(*row, sep=" | ", flush=True)
    if chosen.page:
        PAGE.write_text(_format_page(parts, conditions, chosen), "utf-8")
    refuted = [x for part in parts for x in part.exceptions if x.startswith("refuted")]
    sys.exit(1 if refuted or any(row.verdict == "refuted" for row in conditions) else 0)


class Case(NamedTuple):
    """A question."""

    name: str
    decide: Callable[[], str]
    """Returns the verdict."""


def _count(title: str, claim: str, cases: Iterable[Case], total: int, seconds: float) -> Part:
    """Decide cases until the time is up."""
    counts: Counter[str] = Counter()
    exceptions: list[str] = []
    start = time.monotonic()
    for name, decide in cases:
        try:
            verdict = decide()
        except Undecided:
            verdict = "undecided"
        counts[verdict] += 1
        if verdict in ("undecided", "refuted", "not expressed", "not readable"):
            exceptions.append(f"{verdict}: {name}")
        if time.monotonic() - start > seconds:
            break
    used = time.monotonic() - start
    is_whole = sum(counts.values()) == total
    return Part(title, claim, counts, used, exceptions, 0 if is_whole else total)


def _count_drawn(
    title: str, claim: str, draw: Callable[[], Case], total: int, seconds: float
) -> Part:
    """Decide drawn cases."""
    return _count(title, claim, (draw() for _ in range(total)), total, seconds)


# --- replacements ----------------------------------------------------------------------------


def _prove_replacements(count: int | None, rng: Random, seconds: float = inf) -> Part:
    forms = list(_iter_forms(_AFFECTED)) if count is None else []
    rng.shuffle(forms)
    every = (_with_guard(form, rng) for form in forms)
    cases = every if count is None else islice(_draw_affected(rng), count)
    return _count(
        "Replacements",
        "The plain PTX that `check` prints for an affected form computes the documented result.",
        (Case(str(ins), partial(prove_replacement, ins)) for ins in cases),
        len(forms) if count is None else count,
        seconds,
    )


_AFFECTED = sorted({opcode for x in ERRATA for opcode in x.opcodes})


def _draw_affected(rng: Random) -> Iterator[Instruction]:
    """Yield different instructions with an erratum that have a replacement, endlessly."""
    seen: set[Instruction] = set()
    while True:
        ins = _with_guard(pick_form(rng.choice(_AFFECTED), rng), rng)
        if ins not in seen and ins.errata and make_replacement(ins):
            seen.add(ins)
            yield ins


def _with_guard(form: Form, rng: Random) -> Instruction:
    """Return the instruction of a form; ``set``, whose erratum is that of a guard, with one."""
    guard = Guard("p", rng.random() < 0.5) if form.opcode == "set" else None
    ins = instruction_of(form)
    return Instruction(ins.form, ins.destinations, ins.sources, guard)


def _iter_forms(opcodes: Sequence[str]) -> Iterator[Form]:
    """Yield all forms of opcodes."""
    for opcode in opcodes:
        slots = CATALOG[opcode].slots
        for values in product(*(slot.iter_choices() for slot in slots)):
            named = dict(zip((slot.name for slot in slots), values, strict=True))
            form = Form(opcode, c=CATALOG[opcode].needs_c)._replace(**named)  # type: ignore[arg-type]
            if form == with_c(form) and not find_violations(form):
                yield form


def prove_replacement(ins: Instruction) -> str:
    """Return whether an instruction's replacement computes the documented result."""
    lines = make_replacement(ins) if ins.errata else None
    if lines is None:
        return "no replacement" if ins.errata else "unaffected"
    question = ProofQuestion(TIMEOUT)
    side = question.add_side(make_block(ins), ISA_MODEL)
    machine = PlainPtx(question, ins)
    try:
        found = machine.run(lines)
    except UnknownInstructionError:
        return "not expressed"
    ((node, type_),) = side.results.values()
    return _decide_equal(question, node, question.tape.cast(found, type_.bits, signed=False))


def _decide_equal(question: ProofQuestion, x: Node, y: Node) -> str:
    if x is y:
        return "the same operations"
    differs = question.make_truth(make_difference(question, [(x, y)]))
    return "refuted" if question.solver.is_possible(differs) else "proved"


# --- models ----------------------------------------------------------------------------------


def _prove_models(count: int | None, rng: Random, seconds: float = inf) -> Part:
    def draw() -> Case:
        ins = instruction_of(pick_form(rng.choice(_OPCODES), rng))
        guard = Guard("p", negated=False) if rng.random() < 0.2 else None
        ins = Instruction(ins.form, ins.destinations, ins.sources, guard)
        return Case(str(ins), partial(_compare_models, ins))

    return _count_drawn(
        "Models",
        "`isa` equals `ptxas` for a form without errata; for any other, operands tell them apart.",
        draw,
        count or MANY,
        seconds,
    )


_OPCODES = sorted(CATALOG)


def _compare_models(ins: Instruction) -> str:
    is_affected = bool(ins.errata)
    for model in PTXAS_MODELS:
        question = ProofQuestion(TIMEOUT)
        sides = [question.add_side(make_block(ins), x) for x in (ISA_MODEL, model)]
        pairs = [
            pair
            for name in sides[0].results
            if (pair := tuple(side.results[name][0] for side in sides))[0] is not pair[1]
        ]
        if not pairs:
            continue
        differs = make_difference(question, [(x, y) for x, y in pairs])
        if question.solver.is_possible(question.make_truth(differs)):
            if not question.make_test(differs)(question.get_operands()):
                return "refuted"
            return "affected, with a counterexample" if is_affected else "refuted"
    return "refuted" if is_affected else "unaffected, proved"


# --- rewrites --------------------------------------------------------------------------------


def _prove_rewrites(count: int | None, rng: Random, seconds: float = inf) -> Part:
    """Compare plans before and after the rules of the array back end."""
    return _count_drawn(
        "Rewrites",
        "A random plan of all micro-operations, rewritten and narrowed for arrays, is equivalent.",
        lambda: Case("a random plan", partial(_prove_rewritten, draw_plan(rng))),
        count or MANY,
        seconds,
    )


def _prove_rewritten(plan: Plan) -> str:
    question = ProofQuestion(TIMEOUT)
    for source in plan.sources:
        question.inputs[source.role] = source.type
    before = record_plan(plan, PROOF_RULES)
    after = before
    for rules in PASSES:
        after = rewrite_plan(after, rules)
    question.vectors.encode(before.nodes)
    question.vectors.encode(after.nodes)
    terms = question.solver.terms
    unequal = []
    for role, (x, _) in before.results.items():
        y = after.results[role][0]
        width = max(x.range.bits, y.range.bits) + 1
        pair = (question.vectors.resize(z, 0, width) for z in (x, y))
        unequal.append(terms.make("DISTINCT", *pair))
    return "refuted" if question.solver.is_possible(terms.join("OR", unequal)) else "proved"


# --- programs ----------------------------------------------------------------------------------


def _prove_programs(count: int | None, rng: Random, seconds: float = inf) -> Part:
    """Compare plans with the calls of NumPy functions that compute them on arrays."""

    def draw() -> Case:
        if rng.random() < 0.5:
            return Case("a random plan", partial(prove_program, draw_plan(rng)))
        ins = instruction_of(pick_form(rng.choice(_OPCODES), rng))
        model = rng.choice((ISA_MODEL, *PTXAS_MODELS))
        plan = make_block(ins).make_plan(model)
        return Case(f"{ins} ({model.name})", partial(prove_program, plan))

    return _count_drawn(
        "NumPy programs",
        "The NumPy calls for a plan, with the machine types and the scratch memory that they use, "
        "give the results of the plan: for forms of all instructions and for random plans.",
        draw,
        count or MANY,
        seconds,
    )


def prove_program(plan: Plan) -> str:
    """Return whether the NumPy calls of a plan compute its results."""
    try:
        program = ArrayProgram(plan)
    except WidthError:
        return "computed on Python's integers"
    question = ProofQuestion(TIMEOUT)
    for source in plan.sources:
        question.inputs[source.role] = source.type
    recording = record_plan(plan, PROOF_RULES)
    question.vectors.encode(recording.nodes)
    terms, found = question.solver.terms, run_calls(question, program)
    unequal = []
    for role, (node, _) in recording.results.items():
        width = found[role].sort().bv_size()
        unequal.append(terms.make("DISTINCT", question.vectors.resize(node, 0, width), found[role]))
    return "refuted" if question.solver.is_possible(terms.join("OR", unequal)) else "proved"


# --- intrinsics --------------------------------------------------------------------------------


def _prove_intrinsics(count: int | None, rng: Random, seconds: float = inf) -> Part:
    """Compare the meaning of intrinsics with nvcc's code, stored if there is no nvcc."""
    is_new = has_nvcc()
    listings = (
        {x: compile_ptx(x) for x in ARCHITECTURES}
        if is_new
        else {x: read_stored_ptx(x) for x in STORED}
    )
    cases = [
        Case(f"{name} ({x})", partial(_decide_intrinsic, map_intrinsics()[name], kernel))
        for x, ptx in listings.items()
        for name, kernel in map_kernels(ptx).items()
    ]
    chosen = cases if count is None or count >= len(cases) else rng.sample(cases, count)
    version = find_version(next(iter(listings.values())))
    origin = "" if is_new else " No nvcc was found: the kernels are those in tests/data."
    return _count(
        "CUDA's intrinsics",
        f"A call of an intrinsic equals the kernel that nvcc {version} generates for it, for "
        f"{', '.join(listings)}.{origin}",
        chosen,
        len(chosen),
        seconds,
    )


def prove_intrinsic(intrinsic: Intrinsic, kernel: str, timeout: float = 60.0) -> Proof:
    """Decide whether a kernel stores the result of the intrinsic's call, for all operands.

    Raise PtxError if the kernel has a statement that a block can't have.
    """
    call = f"d = {intrinsic.name}({', '.join(intrinsic.parameters)});"
    same = map_loads(kernel)
    return prove_equal(
        parse_block(kernel, with_memory=True), read_program(call), same=same, timeout=timeout
    )


def _decide_intrinsic(intrinsic: Intrinsic, kernel: str) -> str:
    try:
        proof = prove_intrinsic(intrinsic, kernel, TIMEOUT)
    except (PtxError, ValueError):
        return "not readable"
    if proof.verdict is Verdict.EQUAL:
        return "the same operations" if proof.has_same_plan else "proved"
    return "refuted" if proof.verdict is Verdict.DIFFERENT else "undecided"


PARTS: Mapping[str, Callable[..., Part]] = {
    "intrinsics": _prove_intrinsics,
    "models": _prove_models,
    "rewrites": _prove_rewrites,
    "programs": _prove_programs,
    "replacements": _prove_replacements,
}
"""The functions that take the number of cases (None: all), randomness, and seconds."""


# --- the conditions of the errata --------------------------------------------------------------


class ConditionRow(NamedTuple):
    """The condition on which an erratum changes a line's result."""

    erratum: str
    line: str
    condition: str
    verdict: str
    """``exactly``, ``only``, or ``refuted``."""


CONDITIONS = {
    "E1": "operate.t.h0 != operate.t.h1",
    "E2": "operate.t > 0xffffffff",
    "E3": "operate.t < 0",
    "E4": "operate.t > 255 and operate.t.b0 != 255",
    "E5": "operate.t > 0xffffffff and not 0xffffffff <= (operate.t & 0x3ffffffff) < 0x200000000",
    "E6": "0x80000000 <= operate.t < c or "
    "0x100000000 <= operate.t < 0x180000000 and operate.t - 0x100000000 < c",
    "E7": "operate.t < 0 and c != operate.t + 0x100000000",
    "E8": "operate.t >= 0x80000000 and c > operate.t",
    "E9": "c >= 0x80000000",
    "E10": "a.signed < 0 < b.signed or b.signed < 0 < a.signed or "
    "a.signed < 0 and b.signed < 0 and a.signed * b.signed + c < 0xffffffff",
    "E11": "c >= 0x80000000 and sum.t < 0x1ffffffff",
    "E12": "sum.t >= 0x8000000000000000",
    "E13": "a >= 0x80000000 and b >= 32 and c > 0",
    "E14": "p == 0 and old.d != 0 and old.d != 0x4e9d3a75",
    "E15": "a < 0x80000000",
    "E16": "b > 255 or c > 255",
    "E17": "c == 0x80000000",
}
"""For the line of each erratum, when the two results differ; written by hand, proved here."""
LINES = {"E12": "vmad.u32.u32.u32.sat d, a, b, c"}
"""Lines instead of an erratum's example, which E12 affects only beside E10 and E11."""


def _prove_conditions() -> Iterator[ConditionRow]:
    for erratum in ERRATA:
        condition = CONDITIONS.get(erratum.id, "")
        line = _get_line(erratum)
        if condition:
            yield ConditionRow(erratum.id, line, condition, decide_condition(erratum, condition))


def decide_condition(erratum: Erratum, condition: str) -> str:
    """Return whether the results differ exactly under a condition, only under it, or otherwise."""
    ins = parse(_get_line(erratum))
    question = ProofQuestion(TIMEOUT)
    sides = [question.add_side(make_block(ins), x) for x in (ISA_MODEL, Model("", (erratum,)))]
    differs = _make_difference(question, sides)
    holds = read_condition(question, condition, make_scope(question, sides[0]))
    if _is_possible(question, differs, holds) is not False:
        return "refuted"
    is_idle = _is_possible(question, holds, differs)
    return {True: "only", False: "exactly", None: "only (exactly: undecided)"}[is_idle]


def _get_line(erratum: Erratum) -> str:
    return LINES.get(erratum.id, erratum.example[0])


def _make_difference(question: ProofQuestion, sides: Sequence[Side]) -> Node:
    x, y = sides
    return make_difference(
        question, [(x.results[name][0], y.results[name][0]) for name in x.results]
    )


def _is_possible(question: ProofQuestion, holds: Node, fails: Node) -> bool | None:
    """Whether one condition can hold without another; None if that is undecided."""
    terms = [question.make_truth(x) for x in (holds, question.tape.equal(fails, 0))]
    try:
        return question.solver.is_possible(*terms)
    except Undecided:
        return None


# --- the page ----------------------------------------------------------------------------------


def _format_part(part: Part) -> str:
    counts = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(part.counts.items()))
    lines = [f"{part.title}: {counts}. {_describe_extent(part)}"]
    return "\n".join([*lines, *(f"  {x}" for x in part.exceptions)])


def _describe_extent(part: Part) -> str:
    count = sum(part.counts.values())
    cases = (
        f"{count:,} of {part.total:,} cases, in random order," if part.total else f"{count:,} cases"
    )
    return f"{cases} in {part.seconds:.0f} s."


def _format_page(
    parts: Sequence[Part], conditions: Sequence[ConditionRow], chosen: argparse.Namespace
) -> str:
    words = " --all" if chosen.all else f" --seed {chosen.seed}"
    words += f" --minutes {chosen.minutes:g}" if chosen.minutes < inf else ""
    lines = [
        "<!-- feature: prove -->",
        "# Evidence",
        "",
        "Look up which claims about ptxscope are proved, and what is only sampled or assumed. "
        f"The bit-vector solver {get_solver_name()} proves the claims for all operands. "
        f"`python3 dev.py prove{words} --page` repeats the proofs and writes this page.",
        "",
        "## Claims",
        "",
    ]
    for part in parts:
        lines += [f"### {part.title}", "", part.claim, "", "| verdict | cases |", "|---|---|"]
        lines += [f"| {verdict} | {count:,} |" for verdict, count in sorted(part.counts.items())]
        listed = sorted(part.exceptions, key=lambda x: not x.startswith("refuted"))
        more = len(listed) - SHOWN
        lines += ["", _describe_extent(part), ""]
        lines += [f"- {x}" for x in listed[:SHOWN]]
        lines += [f"- {more:,} more"] if more > 0 else []
        lines += [""]
    lines += [
        "## When each erratum shows",
        "",
        "Each erratum is considered alone, on the line beside it. *Exactly* means that the results "
        "differ if and only if the condition holds; *only*, that they differ only if it holds. The "
        "conditions are in the syntax of [`find`](../prove.md#conditions).",
        "",
        "| erratum | line | condition | |",
        "|---|---|---|---|",
    ]
    lines += [f"| {x.erratum} | `{x.line}` | `{x.condition}` | {x.verdict} |" for x in conditions]
    lines += ["", *format_section()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


if __name__ == "__main__":
    main()
