"""Sequences of random kernels compute the intrinsics by which they are named."""

from __future__ import annotations

import re
from random import Random

import numpy as np
import pytest

from ptxscope.features.sequences.patterns import get_patterns, write_ptx
from tests.driving.feature_tables import needs
from tests.engine.test_intrinsics import expected
from tests.features.sequences.text_sequences import find_text_sequences
from tests.tiers import sampled

_SHORT_PATTERNS = [
    x for x in get_patterns() if x.operation_count < 9 and not re.search("vabsdiff|mov", str(x))
]
_KERNEL_HEAD = """\
.version 8.0
.target sm_90
.address_size 64
.entry k(.param .u64 given, .param .u64 out) {
.reg .b32 %a<4>, %v<4>, %c<400>, %t<2000>, %s<900>;
.reg .pred %p<400>;
.reg .b64 %d<4>;
ld.param.u64 %d1, [given];
ld.param.u64 %d2, [out];
"""


class _KernelWriter:
    """Writes a random kernel with branches and loops.

    The operations of several sequences are strewn over nested conditions and loops, between writes
    of their operands.
    """

    def __init__(self, rng: Random) -> None:
        self.rng, self.lines, self.count = rng, list[str](), 0
        for index in range(4):
            self.lines.append(f"ld.global.u32 %a{index}, [%d1+{4 * index}];")
            self.lines.append(f"ld.global.u32 %v{index}, [%d1+{16 + 4 * index}];")
        self.queues = [self._draw(n) for n in range(3)]
        self.write_block(0)
        for queue in self.queues:
            self.lines += queue
        self.lines.append("ret;")

    def _draw(self, number: int) -> list[str]:
        """Return the statements of a sequence, of random registers and into some of its own."""
        pattern = self.rng.choice(_SHORT_PATTERNS)
        names = {
            letter: f"%{self.rng.choice('aav')}{self.rng.randrange(4)}"
            for letter in pattern.parameters
        }
        base = 400 * number if self.rng.random() < 0.8 else 0  # else some are written twice

        def rename(match: re.Match[str]) -> str:
            name = match[0]
            return names.get(name) or f"%t{base + 100 * 'dct'.index(name[0]) + int(name[1:] or 0)}"

        return [re.sub(r"(?<= )[abcdt]\d*\b", rename, x) for x in write_ptx(pattern).split("\n")]

    def write_block(self, depth: int) -> None:
        for _ in range(self.rng.randrange(3, 9)):
            kind = self.rng.random()
            waiting = [x for x in self.queues if x]
            if kind < 0.62 and waiting:
                queue = self.rng.choice(waiting)
                for _ in range(min(self.rng.randrange(1, 5), len(queue))):
                    self.lines.append(queue.pop(0))
            elif kind < 0.75:
                index = self.rng.randrange(4)
                self.lines.append(f"mad.lo.u32 %v{index}, %v{index}, 1664525, 1013904223;")
            elif depth < 3:
                self.count += 1
                number = self.count
                if kind < 0.88:
                    self.lines.append(f"setp.lt.u32 %p{number}, %v{self.rng.randrange(4)}, "
                                      f"{self.rng.getrandbits(32)};")  # fmt: skip
                    self.lines.append(f"@%p{number} bra E{number};")
                    self.write_block(depth + 1)
                    if kind < 0.82:
                        self.lines += [f"bra J{number};", f"E{number}:"]
                        self.write_block(depth + 1)
                        self.lines.append(f"J{number}:")
                    else:
                        self.lines.append(f"E{number}:")
                else:
                    self.lines += [f"mov.u32 %c{number}, 3;", f"L{number}:"]
                    self.write_block(depth + 1)
                    self.lines += [
                        f"add.u32 %c{number}, %c{number}, -1;",
                        f"setp.ne.u32 %p{number}, %c{number}, 0;",
                        f"@%p{number} bra L{number};",
                    ]


def _check_random_kernel(rng: Random) -> tuple[int, int]:
    """Return how many sequences are named, and how many of these run and give their intrinsic.

    The kernel stores what each sequence is said to take, and its result.
    """
    lines = _KernelWriter(rng).lines
    text = _KERNEL_HEAD + "\n".join(lines) + "\n}\n"
    sequences = find_text_sequences(text, "k.ptx")
    first = _KERNEL_HEAD.count("\n") + 1
    before: dict[int, list[str]] = {}
    after: dict[int, list[str]] = {}
    for index, sequence in enumerate(sequences):
        end = sequence.lines[-1] - first
        for place, register in enumerate(sequence.arguments):
            copied = f"%s{8 * index + place}"
            for line in sequence.lines:
                if re.search(rf", {re.escape(register)}\b", lines[line - first]):
                    before.setdefault(line - first, []).append(f"mov.u32 {copied}, {register};")
            store = f"st.global.u32 [%d2+{16 * index + 4 * place}], {copied};"
            after.setdefault(end, []).append(store)
        place = len(sequence.arguments)
        store = f"st.global.u32 [%d2+{16 * index + 4 * place}], {sequence.result};"
        after.setdefault(end, []).append(store)
    stored = [y for n, x in enumerate(lines) for y in (*before.get(n, ()), x, *after.get(n, ()))]
    from ptxscope.features.kernels.launches.kernel_run import run_kernel

    run = run_kernel(
        _KERNEL_HEAD + "\n".join(stored) + "\n}\n",
        {
            "given": np.array([rng.getrandbits(32) for _ in range(8)], np.uint32),
            "out": np.zeros(4 * max(len(sequences), 1), np.uint32),
        },
    )
    out, ran = run.get_buffer("out"), 0
    assert run.is_complete
    for index, sequence in enumerate(sequences):
        kept = slice(4 * index, 4 * index + len(sequence.arguments) + 1)
        is_unknown = out.causes is not None and out.causes[kept].any()
        if not out.lines[kept].all() or is_unknown:
            continue  # the run takes another way
        *values, result = (int(x) for x in out.values[kept])
        ran += 1
        assert result == expected(sequence.intrinsic, *values), f"{sequence}\n{text}"
    return len(sequences), ran


@needs("kernels")
@sampled
@pytest.mark.parametrize("seed", range(6))
def test_a_run_computes_the_named_intrinsic(seed: int) -> None:
    counts = [_check_random_kernel(Random(f"{seed} {n}")) for n in range(5)]
    assert sum(named for named, _ in counts) >= 3
    assert sum(ran for _, ran in counts) >= 2
