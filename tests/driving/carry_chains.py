"""Chains of additions and subtractions with a carry, and their flag in the machine and the manual.

What ptxas makes of them is described in ``tests/engine/test_flag_senses``.
"""

from __future__ import annotations

from random import Random

_WORD = (1 << 32) - 1
CHAINS = (
    "sub.cc addc",
    "sub.cc madc",
    "add.cc subc",
    "mad.cc subc",
    "sub.cc subc",
    "sub.cc subc.cc addc.cc subc.cc subc",
    "add.cc addc.cc subc.cc addc",
    "sub.cc madc.cc addc.cc subc",
)
MIXED_CHAINS = [x for x in CHAINS if x != "sub.cc subc"]


def make_lines(chain: str) -> list[str]:
    lines = []
    for i, name in enumerate(chain.split()):
        opcode, dot, carry = name.partition(".")
        is_product = opcode.startswith("mad")
        head = f"{opcode}{'.lo' * is_product}{dot}{carry}.u32"
        lines.append(f"{head} %r{20 + i}, %r{10 + i}, %r{11 + i}{', %r19' * is_product};")
    return lines


def run_hardware(chain: str, words: list[int], is_manual: bool = False) -> list[int]:
    """The results with the machine's flag, or with that of the manual."""
    flag, results = 0, []
    for i, name in enumerate(chain.split()):
        opcode = name.removesuffix(".cc")
        a, b, c = words[i], words[i + 1], words[9]
        is_first = not opcode.endswith("c")
        if opcode.startswith("sub"):
            if is_manual:
                total = a - b - (0 if is_first else flag)
                flag = int(total < 0)
            else:
                total = a + (_WORD - b) + (1 if is_first else flag)
                flag = total >> 32
        else:
            x, y = (a * b & _WORD, c) if opcode.startswith("mad") else (a, b)
            total = x + y + (0 if is_first else flag)
            flag = total >> 32
        results.append(total & _WORD)
    return results


def draw_words(rng: Random) -> list[int]:
    return [rng.choice((0, 1, _WORD, rng.getrandbits(32))) for _ in range(10)]
