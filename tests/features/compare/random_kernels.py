"""Small random kernels, and changes to them that may keep what they compute or not."""

from __future__ import annotations

from random import Random

REGISTERS = "abcd"
_OPERATIONS = (
    "add.s32",
    "sub.s32",
    "mul.lo.s32",
    "and.b32",
    "or.b32",
    "xor.b32",
    "min.s32",
    "max.u32",
)
_COMMUTATIVE = frozenset(_OPERATIONS) - {"sub.s32"}
_COMPARISONS = ("lt.s32", "ge.u32", "eq.s32", "ne.u32")

Body = list[list[str]]
"""Statements, each as its words: an opcode and operands."""


def draw_body(rng: Random) -> Body:
    """Statements that load, compute, branch forward and store."""
    body: Body = [["ld.global.u32", x, f"[X+{4 * i}]"] for i, x in enumerate(REGISTERS)]
    for number in range(rng.randrange(3, 8)):
        body += _draw_statements(rng, number)
    body.append(["st.global.u32", "[Y]", rng.choice(REGISTERS)])
    return body


def _draw_statements(rng: Random, number: int) -> Body:
    x, y, z = (rng.choice(REGISTERS) for _ in range(3))
    value = rng.choice([y, str(rng.randrange(9)), "0xffffffff", "t", "n0"])
    operation = [rng.choice(_OPERATIONS), x, z, value]
    comparison = [f"setp.{rng.choice(_COMPARISONS)}", "p", x, value]
    place = rng.choice(["[Y]", "[Y+4]", "[X]", "[X+8]"])
    kind = rng.randrange(8)
    if kind == 0:
        return [comparison, ["@p " + operation[0], *operation[1:]]]
    if kind == 1:
        return [comparison, [f"@!p bra L{number}"], operation, [f"L{number}:"]]
    if kind == 2:
        return [["st.global.u32", place, x]]
    if kind == 3:
        return [["ld.global.u32", x, place]]
    if kind == 4:  # a place that depends on data
        index = [["and.b32", "m", x, "3"], ["mul.wide.u32", "z", "m", "4"]]
        return [*index, ["add.s64", "z", "O", "z"], ["st.global.u32", "[z]", y]]
    if kind == 5:  # a part of a word
        return [[f"ld.global.{rng.choice(['u8', 's8', 'u16'])}", x, place]]
    return [operation]


def change(body: Body, rng: Random) -> Body:
    """Return a body that may compute the same: with operands, or neighbours, exchanged."""
    body = [[*x] for x in body]
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(body) - 1)
        words = body[at]
        kind = rng.randrange(4)
        if kind == 0 and words[0] in _COMMUTATIVE and words[3] in REGISTERS:
            words[2:4] = words[3], words[2]
        elif kind == 1 and not any(_is_fixed(x) for x in body[at : at + 2]):
            body[at : at + 2] = body[at + 1], words
        elif kind == 2 and words[0] == "mul.lo.s32" and words[3] == "2":
            words[0], words[3] = "shl.b32", "1"
        elif kind == 3 and rng.randrange(3) == 0 and words[0] in _OPERATIONS:
            words[0] = rng.choice(_OPERATIONS)
    return body


def _is_fixed(words: list[str]) -> bool:
    """Whether a statement is a branch or a label, or computes an address."""
    return words[0][0] in "@L" or bool({"z", "m", "[z]"} & {*words})


def format_body(body: Body) -> str:
    """Return the statements, of a thread with four words to read and two to write."""
    lines = [
        ".reg .b64 X, Y, z; .reg .b32 m;",
        "mul.wide.u32 z, t, 16; add.s64 X, I, z;",
        "mul.wide.u32 z, t, 8; add.s64 Y, O, z;",
    ]
    for opcode, *operands in body:
        is_label = opcode.endswith(":")
        lines.append(opcode if is_label else f"{opcode} {', '.join(operands)};")
    return "\n".join(lines)
