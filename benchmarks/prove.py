"""Time to prove or refute, over the pairs of tests/proof_pairs and random mutations."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random
from statistics import median, quantiles

from ptxscope.engine.tracing.basic_block import BasicBlock
from ptxscope.features.prove.equivalence import prove_equal, read_program
from ptxscope.features.prove.proof import Verdict
from tests.features.prove.proof_pairs import PAIRS
from tests.features.prove.test_proofs import mutate_constant, mutate_form

MUTATIONS = 200


def report() -> Iterator[str]:
    """The processor times of whole proofs, counterexamples simplified and described."""
    pairs = [(read_program(x.a), read_program(x.b), x.where) for x in PAIRS]
    yield _measure("pairs", pairs)
    rng = Random(7)
    makers = (mutate_form, mutate_constant)
    mutations = [makers[index % 2](rng) for index in range(MUTATIONS)]
    yield _measure("mutations", [(a, b, "") for a, b in mutations])


def _measure(title: str, questions: list[tuple[BasicBlock, BasicBlock, str]]) -> str:
    times: dict[str, list[float]] = {verdict: [] for verdict in Verdict}
    for a, b, where in questions:
        start = time.process_time()
        try:
            proof = prove_equal(a, b, where=where)
        except ValueError:  # the two can't be compared
            continue
        times[proof.verdict].append(time.process_time() - start)
    every = sorted(x for found in times.values() for x in found)
    parts = [f"{len(found)} {verdict}" for verdict, found in times.items()]
    each = [
        f"{verdict} median {median(found) * 1e3:.0f} ms"
        for verdict, found in times.items()
        if found
    ]
    last = quantiles(every, n=20)[-1]
    return (
        f"{title}: {', '.join(parts)}; median {median(every) * 1e3:.0f} ms, "
        f"95 % under {last:.2f} s, longest {every[-1]:.2f} s; {', '.join(each)}"
    )
