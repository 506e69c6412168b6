"""Time to explain what was observed, against 1,000 plain evaluations in the same run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from ptxscope.diagnosis.explanations import investigate
from ptxscope.diagnosis.observation import Observation, make_observed
from ptxscope.engine.isa.catalog import CATALOG, pick_form
from ptxscope.engine.semantics.lowering import lower
from ptxscope.engine.semantics.plan import compute_results
from ptxscope.engine.syntax.instruction import Instruction
from ptxscope.engine.tracing.basic_block import make_block
from ptxscope.engine.tracing.evaluation import make_plan
from tests.strategies import instruction_of

from .measure import interleaved, process

LINE = ("vadd.u32.s32.s32.sat %0.b0, %1, %2, %3", "%1=-1", "%2=0", "%3=0x11223344")
MANY = 1000


def report() -> Iterator[str]:
    """The slowest family for one observation and for a thousand; then whole processes.

    Nothing explains the observations, so everything within two changes is looked at.
    """
    base = interleaved({"base": _evaluations}, 5)["base"]
    yield f"1,000 evaluations of vadd4: {base * 1e3:.1f} ms"
    for count, limit in ((1, 0.3), (MANY, 2.0)):
        cases = {opcode: _case(opcode, count) for opcode in CATALOG}
        runs = {opcode: _search(*case) for opcode, case in cases.items()}
        found = interleaved(runs, 3)
        slowest = max(found, key=lambda opcode: found[opcode])
        seconds = found[slowest]
        yield (
            f"{count:>5} observed: {slowest}, {seconds / base:5.1f} x, "
            f"{seconds * 1e3:.0f} ms (at most {limit * 1e3:.0f})"
        )
    words = ("-m", "ptxscope", "explain", *LINE, "--got", "0xdeadbeef")
    whole_ = interleaved({"python": process("-c", "import json"), "explain": _may_fail(words)}, 9)
    yield f"ptxscope explain: {whole_['explain'] / whole_['python']:.2f} x an empty process"


def _may_fail(words: tuple[str, ...]) -> Callable[[], None]:
    code = "import sys; from ptxscope.cli import main; main(sys.argv[1:])"
    return process("-c", code, *words[2:])


def _evaluations() -> None:
    ins = instruction_of(pick_form("vadd4", Random(1)))
    plan = make_plan(ins)
    for a in range(1000):
        compute_results(plan, {"a": a, "b": 7, "c": 9})


def _case(opcode: str, count: int) -> tuple[Instruction, list[Observation]]:
    rng = Random(opcode)
    ins = instruction_of(pick_form(opcode, rng))
    while not ins.results:
        ins = instruction_of(pick_form(opcode, rng))
    observations = []
    for _ in range(count):
        operands = {
            str(x.role): rng.getrandbits(ins.type_of(x.role).bits)
            for x in ins.entry.sources
            if x.role in ins.roles
        }
        widths = {role: ins.type_of(role).bits for role in ins.results}
        got = {role: make_observed(rng.getrandbits(bits), bits) for role, bits in widths.items()}
        observations.append(Observation(operands, got))
    return ins, observations


def _search(ins: Instruction, observations: list[Observation]) -> Callable[[], None]:
    def run() -> None:
        lower.cache_clear()
        investigate(make_block(ins), observations)

    return run
