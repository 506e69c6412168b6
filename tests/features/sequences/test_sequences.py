"""Sequences that compute an intrinsic: all that nvcc writes are named, and nothing else is.

What an intrinsic gives is computed from CUDA's documentation, as in ``test_intrinsics``.
"""

from __future__ import annotations

import re
from random import Random
from time import perf_counter

import pytest

from ptxscope.blocks.block_parser import parse_block, trace_block
from ptxscope.blocks.execution import execute
from ptxscope.blocks.intrinsic_sequence import (
    IntrinsicSequence,
    find_sequences,
    may_have_sequences,
)
from ptxscope.engine.isa.intrinsics import map_intrinsics
from ptxscope.features.sequences.dataflow import find_flow
from ptxscope.features.sequences.patterns import Pattern, get_patterns, write_ptx
from ptxscope.sources.source_programs import load
from tests.driving.feature_tables import needs
from tests.engine.test_intrinsics import BITING, expected
from tests.features.sequences.text_sequences import find_text_sequences
from tests.reference_data import read_lines
from tests.tiers import ci_only, sampled, whole
from tools.intrinsic_sequences import MIN_OPERATIONS, SIMD
from tools.nvcc_intrinsics import STORED, map_kernels, map_loads, read_stored_ptx

KERNELS = {
    (name, architecture): kernel
    for architecture in STORED
    for name, kernel in map_kernels(read_stored_ptx(architecture)).items()
    if SIMD.fullmatch(name)
}
LONE = re.compile(r"^\s*(?!ld|st|mov|cvta|ret|\.|//|\{|\}|\))[a-z]\w*\.[^{;]*;", re.MULTILINE)
"""Statements that compute something."""


def words(rng: Random, count: int) -> list[int]:
    return [rng.choice(BITING) if rng.random() < 0.4 else rng.getrandbits(32) for _ in range(count)]


def values_of(call: str, values: dict[str, int]) -> list[int]:
    """The values of a call's arguments."""
    texts = re.findall(r"[%\w]+", call.partition("(")[2])
    return [int(x, 16) if x.startswith("0x") else values[x] for x in texts]


def is_true(sequence: IntrinsicSequence, values: dict[str, int], result: int) -> bool:
    """Whether the intrinsic gives a result for the values of a call's arguments."""
    return expected(sequence.intrinsic, *values_of(sequence.call, values)) == result


@pytest.mark.parametrize(("name", "architecture"), list(KERNELS))
@whole
def test_the_sequence_of_nvcc_for_an_intrinsic_is_named(name: str, architecture: str) -> None:
    kernel = KERNELS[name, architecture]
    sequences = find_text_sequences(kernel, "k.ptx")
    if len(LONE.findall(kernel)) < MIN_OPERATIONS:
        assert not sequences
        return
    (sequence,) = sequences
    letters = map_loads(kernel)
    by_letter = {letter: register for register, letter in letters.items()}
    registers = [by_letter[x] for x in map_intrinsics()[name].parameters]
    assert sequence.result == re.findall(r"st\.global\.u32\s+\[%rd\d+\], (%r\d+);", kernel)[0]
    # greater is also less of swapped operands: any true name will do
    rng = Random(name)
    for _ in range(8):
        values = dict(zip(registers, words(rng, len(registers)), strict=True))
        result = expected(name, *(values[x] for x in registers))
        assert is_true(sequence, values, result), sequence
    moves = re.findall(r"\bmov\.b32 [^;\n]*\{[^;\n]*;", kernel)
    count = len(LONE.findall(kernel)) + len(moves)
    assert len(sequence.statements) == count - (name == "__vnegss4")  # it computes an `and` twice


def test_most_intrinsics_are_in_the_table() -> None:
    named = {x.intrinsic for x in get_patterns()}
    without = {
        name
        for (name, architecture), kernel in KERNELS.items()
        if name not in named and len(LONE.findall(kernel)) >= MIN_OPERATIONS
    }
    # `a < b` is `b > a`
    assert without <= {
        f"__v{kind}{relation}{sign}{lanes}"
        for kind in ("set", "cmp")
        for relation in ("lt", "le")
        for sign in "su"
        for lanes in "24"
    }
    assert len(named) > 75


@whole
@pytest.mark.parametrize("pattern", get_patterns(), ids=lambda x: x.intrinsic)
def test_each_sequence_computes_the_documented_intrinsic(pattern: Pattern) -> None:
    rng, block = Random(str(pattern)), parse_block(write_ptx(pattern))
    for _ in range(20):
        values = words(rng, len(pattern.parameters))
        inputs = dict(zip(pattern.parameters, values, strict=True))
        assert trace_block(block, inputs).result["d"] == expected(pattern.intrinsic, *values)


CHANGES = (
    (r"\b2139062143\b", "2139062142"),
    (r"-2139062144\b", "-2139062143"),
    (r"0xba98\b", "0xba89"),
    (r"0xbb99\b", "0xbb98"),
    (r"\bxor\b", "or"),
    (r"\band\.b32\b", "or.b32"),
    (r"\bor\.b32\b", "xor.b32"),
    (r"\badd\.s32\b", "sub.s32"),
    (r"\bsub\.s32\b", "add.s32"),
    (r"\bnot\.b32\b", "neg.s32"),
    (r"0x8E\b", "0x8F"),
    (r"\bshr\.u32\b", "shr.s32"),
    (r"\b1;", "2;"),
    (r"\b7;", "15;"),
    (r"65536\b", "65537"),
    (r"%r2\b", "%r3"),
)


@ci_only
def test_a_changed_sequence_has_no_false_name() -> None:
    rng, named, changed = Random(27), 0, 0
    for (name, _), kernel in KERNELS.items():
        start = kernel.index(";", kernel.rindex("ld.global"))
        for old, new in rng.sample(CHANGES, 4):
            places = [x for x in re.finditer(old, kernel) if x.start() > start]
            if not places:
                continue
            place = rng.choice(places)
            text = kernel[: place.start()] + new + kernel[place.end() :]
            changed += 1
            (program,) = load(text, "k.ptx")
            loaded = map_loads(text)
            for sequence in find_sequences(program):
                named += 1
                for _ in range(6):
                    values = dict(zip(loaded, words(rng, len(loaded)), strict=True))
                    known = dict(values)
                    for step in execute(program, values).steps:
                        if step.statement is sequence.statements[-1]:
                            (result,) = step.writes.values()
                            assert result is not None
                            assert is_true(sequence, known, result), (name, old, new, sequence.call)
                        # an argument that is given may be overwritten before the end
                        known |= {
                            register: bits
                            for register, bits in step.writes.items()
                            if bits is not None and register not in loaded
                        }
    assert changed > 250
    assert named > 20


HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
ADD = (
    "xor.b32 %r3, %r1, %r2;",
    "and.b32 %r4, %r1, 0x7f7f7f7f;",
    "and.b32 %r5, %r2, 0x7f7f7f7f;",
    "add.u32 %r6, %r4, %r5;",
    "and.b32 %r7, %r3, 0x80808080;",
    "xor.b32 %r8, %r6, %r7;",
)


def kernel(*lines: str) -> str:
    declared = ".reg .b32 %r<40>; .reg .pred %p<9>;"
    return f"{HEAD}.entry k() {{ {declared}\n" + "\n".join(lines) + "\nret; }\n"


def found(*lines: str) -> list[str]:
    return [x.call for x in find_text_sequences(kernel(*lines), "k.ptx")]


def test_a_sequence_is_described() -> None:
    (sequence,) = find_text_sequences(kernel(*ADD[:2], "bar.sync 0;", *ADD[2:]), "k.ptx")
    assert str(sequence) == "lines 5–6, 8–11 compute `__vadd4(%r1, %r2)` → %r8"
    assert sequence.line_ranges == (range(5, 7), range(8, 12))
    (sequence,) = find_text_sequences(kernel(" ".join(ADD)), "k.ptx")
    assert str(sequence) == "line 5 computes `__vadd4(%r1, %r2)` → %r8"


def expand(statements: str) -> str:
    """Statements with the sum's statements for their numbers, as <1-6>."""
    return re.sub(
        r"<(\d)-?(\d?)>", lambda x: " ".join(ADD[int(x[1]) - 1 : int(x[2] or x[1])]), statements
    )


@pytest.mark.parametrize(("statements", "calls"), read_lines("dataflows.txt", 2))
def test_only_this_dataflow_is_named(statements: str, calls: str) -> None:
    assert "; ".join(found(expand(statements))) == calls


def test_the_order_and_the_names_of_registers_do_not_matter() -> None:
    rng = Random(3)
    first = [x.replace("%r", "%x") for x in ADD]
    second = [line.replace("%r", "%y") for line in ADD]
    for _ in range(50):
        lines, places = [], [0, 0]
        while places != [len(ADD)] * 2:
            side = rng.randrange(2)
            if places[side] < len(ADD):
                lines.append((first, second)[side][places[side]])
                places[side] += 1
        text = f"{HEAD}.entry k() {{ .reg .b32 %x<9>, %y<9>;\n" + "\n".join(lines) + "\nret; }\n"
        calls = {x.call for x in find_text_sequences(text, "k.ptx")}
        assert calls == {"__vadd4(%x1, %x2)", "__vadd4(%y1, %y2)"}
    swapped = [re.sub(r"^((?:and|xor|add)\S+ %r\d), (\S+), (\S+);", r"\1, \3, \2;", x) for x in ADD]
    assert found(*swapped) in (["__vadd4(%r1, %r2)"], ["__vadd4(%r2, %r1)"])


def test_a_register_of_an_inner_block_is_distinct_from_its_namesake() -> None:
    text = "mov.b32 t, 5; { .reg .b32 t; mov.b32 t, 7; }\nadd.u32 d, t, 1;"
    (program,) = load(text, is_excerpt=True)
    nodes = find_flow(program.statements).nodes
    (total,) = (x for x in nodes if x.operation.startswith("add"))
    assert {nodes[i].arguments for i in total.arguments} == {(5,), (1,)}


@needs("languages")
def test_a_label_inside_a_partial_function_may_be_an_entry() -> None:
    for lines, count in (((*ADD, "L:"), 1), ((ADD[1], "L:", ADD[0], *ADD[2:]), 0)):
        text = f'ASM = """{" ".join(lines)} vadd4.u32.u32.u32 %r9, %r9, %r9, %r9;"""'
        assert len(find_text_sequences(text, "x.py")) == count


def _measure(text: str) -> float:
    (program,) = load(text, "k.ptx")
    times = []
    for _ in range(3):
        start = perf_counter()
        find_sequences(program)
        times.append(perf_counter() - start)
    return min(times)


@sampled
@pytest.mark.parametrize(
    "unit",
    [
        " ".join(ADD),
        " ".join(ADD).replace("%r8", "%r1"),
        " ".join([*ADD[:-1], *[ADD[-1].replace("%r8", f"%r{n}") for n in range(20, 40)]]),
        "and.b32 %r1, %r1, %r1; xor.b32 %r2, %r1, %r1; or.b32 %r1, %r1, %r2;",
        "xor.b32 %r1, %r1, 0x80808080; and.b32 %r2, %r1, %r2; or.b32 %r1, %r1, %r2;",
        f"@%p1 bra E; {' '.join(ADD)}",
    ],
)
def test_time_is_linear(unit: str) -> None:
    small, large = (_measure(kernel(*[unit] * n, "E: mov.b32 %r1, 0x7f7f7f7f;")) for n in (60, 240))
    assert large < 9 * small + 0.1


@ci_only
def test_deep_loops_and_long_chains_are_read() -> None:
    count = 3000
    lines = [f"@%p1 bra E; {x}" for x in ADD] + ["@%p1 bra E;"] * count + ["E:"]
    assert found(*lines) == ["__vadd4(%r1, %r2)"] or found(*lines) == []
    nested = [f"L{n}:" for n in range(300)] + list(ADD) + [f"@%p1 bra L{n};" for n in range(300)]
    assert found(*nested) == ["__vadd4(%r1, %r2)"]


def test_sequences_are_found_in_asm_statements() -> None:
    body = "\\n".join(ADD).replace("%r1", "%1").replace("%r2", "%2").replace("%r8", "%0")
    body = re.sub("%r(.)", r"t\1", body)
    text = f'asm("{{ .reg .b32 t<9>; {body} }}" : "=r"(d) : "r"(x), "r"(y));'
    (sequence,) = find_text_sequences(text, "k.cu")
    assert str(sequence) == "line 1 computes `__vadd4(%1, %2)` → %0"


def test_texts_with_a_sequence_have_a_hint() -> None:
    for pattern in get_patterns():
        assert may_have_sequences(write_ptx(pattern)), pattern
    for (name, _), text in KERNELS.items():
        if len(LONE.findall(text)) >= MIN_OPERATIONS:
            assert may_have_sequences(text), name
