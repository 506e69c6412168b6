"""Lines that say more than they compute: every shorter line that `check` proposes is evaluated.

Both lines are computed by the second formulation of `tests/reference_integers.py`, and `mov` and
its like by the arithmetic here.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from itertools import islice, product
from random import Random

import pytest

from ptxscope.engine.syntax.parser import parse
from ptxscope.features.check.check_report import iter_sarif_results, make_sarif_format
from ptxscope.features.check.check_rules import Severity
from ptxscope.features.check.diagnostic import CheckedInstruction
from ptxscope.features.check.lint import check_text
from ptxscope.features.check.verdict_cache import Redundancy, find_redundancies
from tests.features.check.check_cases import CHECK_DATA
from tests.reference_data import read_lines
from tests.reference_integers import compute
from tests.tiers import some

BITWISE: dict[str, Callable[..., int]] = {
    "mov": lambda x: x,
    "not": operator.invert,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}
NAMES = "abcepq"
BITING = (0, 1, 31, 32, 33, 0x80, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def run(line: str, values: dict[str, int], width: int) -> tuple[int, ...]:
    """The results of a line, without its guard."""
    match = re.fullmatch(r"(?:@!?\w+ )?([\w.]+) (.+?);?", line)
    assert match, line
    mnemonic, operands = match[1], match[2].split(", ")[1:]
    bits = [
        values[x.strip("!")] ^ x.startswith("!") if x.strip("!") in values
        else int(x, 0) & (1 << 64) - 1
        for x in operands
    ]  # fmt: skip
    opcode = mnemonic.partition(".")[0]
    if opcode in BITWISE:
        assert re.fullmatch(rf"\w+\.b{width}", mnemonic)
        return (BITWISE[opcode](*bits) & (1 << width) - 1,)
    assert parse(line).opcode == opcode
    return compute(mnemonic, *(x & (1 << max(width, 32)) - 1 for x in bits))


def draw(rng: Random, width: int) -> dict[str, int]:
    numbers = {
        name: rng.choice(BITING) if rng.random() < 0.3 else rng.getrandbits(width) for name in NAMES
    }
    return {**numbers, "e": rng.getrandbits(1), "p": rng.getrandbits(1)}


def is_field_wide(ins: str) -> int:
    return 64 if re.search(r"(?:bfe|bfi|brev)\.\w64", ins) else 32


LITERALS = (0, 1, 8, 31, 32, 40, 64, 0xFF)
SELECTORS = (0x3210, 0x7654, 0x0123, 0x5410, 0xBA98, 0x4444, 0x13210, 0x125410, 0xFFFF3210, 0, 5)


def iter_lines() -> Iterator[str]:
    others = ("a, a, c", "a, b, 0", "0xff, b, c", "a, -1, 0x0f0f", "b, b, b")
    for table in range(256):
        yield f"lop3.b32 d, a, b, c, {table:#x}"
        yield f"lop3.b32 d, {others[table * 7 % 5]}, {table:#x}"
    yield from (f"lop3.or.b32 d|p, a, b, c, {table}, !e" for table in range(0, 256, 5))
    for selector, operands in product(SELECTORS, ("a, b", "a, a", "a, 0", "7, b")):
        for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
            yield f"prmt.b32{mode} d, {operands}, {selector:#x}"
    for x, y in product(LITERALS, LITERALS):
        yield from (f"bfe.{t} d, a, {x}, {y}" for t in ("u32", "s32", "u64", "s64"))
        yield from (f"bfi.{t} d, a, b, {x}, {y}" for t in ("b32", "b64"))
        yield from (f"bmsk.{m}.b32 d, {x}, {y}" for m in ("clamp", "wrap"))
    for x, way, mode in product(LITERALS, "lr", ("clamp", "wrap")):
        yield f"shf.{way}.{mode}.b32 d, a, b, {x}"
        yield f"shf.{way}.{mode}.b32 d, a, a, {x}"
        yield f"szext.{mode}.{'su'[way == 'l']}32 d, a, {x}"
        yield f"dp4a.u32.s32 d, a, {x}, c"
        yield f"sad.u32 d, {x}, b, c"
    yield from ("sad.s32 d, a, a, c", "dp2a.lo.s32.s32 d, 0, b, c", "clz.b32 d, 5")
    yield from ("@e lop3.b32 d, a, b, c, 0xc0", "@!e shf.l.wrap.b32 d, a, b, 0")


def find(line: str) -> list[Redundancy]:
    return list(find_redundancies(parse(line)))


@pytest.mark.parametrize("step", some([9, 3]))
def test_shorter_lines_are_equivalent_and_complete(step: int) -> None:
    rng, counts = Random(25), {"shorter": 0, "ignored": 0}
    for line in islice(iter_lines(), 0, None, step):
        width, found = is_field_wide(line), find(line)
        rows = [draw(rng, width) for _ in range(16)]
        results = [run(line, row, width) for row in rows]
        for item in found:
            counts[item.rule] += 1
            for row, result in zip(rows, results, strict=True):
                assert run(item.line, row, width) == result, (line, item)
        if "|" in line or line.startswith("@"):
            continue
        moved = [
            x for x in "abc" if all(r == (row[x],) for row, r in zip(rows, results, strict=True))
        ]
        if moved and re.search(rf"\b{moved[0]}\b", line.partition(",")[2]):
            assert [x.rule for x in found] == ["shorter"], line
        if len(set(results)) == 1:
            assert [x.rule for x in found] == ["shorter"], line
    assert counts["shorter"] > 350 // step
    assert counts["ignored"] > 100 // step


@pytest.mark.parametrize(
    ("line", "rule", "message"),
    [
        *read_lines(CHECK_DATA / "redundancies.txt", 3),
        ("lop3.b32 d, a, 0xff, c, 0xfc", "shorter",
         "this is a | 0xff: `or.b32 d, a, 0xff;` does the same"),
    ],
)  # fmt: skip
def test_a_redundant_line_has_its_rule_and_message(line: str, rule: str, message: str) -> None:
    assert [(x.rule, x.message) for x in find(line)] == [(rule, message)] * (rule != "-")


def check(text: str) -> list[CheckedInstruction]:
    return list(check_text(text, "k.ptx"))


def test_check_warns_of_redundancy_in_a_legal_instruction() -> None:
    (item,) = check(".reg .b32 %r<9>;\nlop3.b32 %r1, %r2, %r3, %r4, 0xc0;\n")
    (diagnostic,) = item.diagnostics
    assert (diagnostic.rule, diagnostic.severity) == ("shorter", Severity.WARNING)
    assert diagnostic.message == "this is %r2 & %r3: `and.b32 %r1, %r2, %r3;` does the same"
    assert item.is_legal
    assert '"shorter"' in next(iter_sarif_results(item))
    assert '"id": "ignored"' in make_sarif_format().head


def test_the_same_register_twice_is_one_operand() -> None:
    text = ".reg .b32 %r<9>;\nlop3.b32 %r1, %r2, %r{}, %r4, 0x80;\n"
    assert not check(text.format(3))[0].diagnostics
    assert "%r2 & %r4" in check(text.format(2))[0].diagnostics[0].message


def test_a_constant_of_an_asm_statement_counts() -> None:
    text = 'asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "n"(0x3210));'
    (item,) = check_text(text, "k.cu")
    assert [x.message for x in item.diagnostics] == [
        "this moves %1: `mov.b32 %0, %1;` does the same"
    ]


_LISTING = """\
.visible .entry k() { .reg .u32 %r<9>; .reg .pred %p;
STATEMENTS
}
.visible .entry other() { .reg .u32 %r<9>;
addc.u32 %r1, %r2, %r3;
}
"""


@pytest.mark.parametrize(
    ("statements", "lines"),
    [*read_lines(CHECK_DATA / "carries.txt", 2), ("st.u32 [%r4], %r5; // a: b\nREAD", "3 6")],
)
def test_paths_decide_which_carry_is_read(statements: str, lines: str) -> None:
    for word, opcode in (("ADD", "add.cc"), ("SUB", "sub.cc"), ("READ", "addc")):
        statements = statements.replace(word, f"{opcode}.u32 %r1, %r2, %r3;")
    items = check(_LISTING.replace("STATEMENTS", statements))
    found = [x.location.line for x in items if "carry" in {y.rule for y in x.diagnostics}]
    assert found == [*map(int, lines.split())]
