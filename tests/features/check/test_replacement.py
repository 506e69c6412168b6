"""Replacements in plain PTX: run here by an interpreter of just the instructions they use."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from ptxscope import Instruction, evaluate, parse
from ptxscope.engine.isa.catalog import CATALOG, pick_form
from ptxscope.engine.semantics.models import find_errata
from ptxscope.engine.semantics.rules import ERRATA, Erratum
from ptxscope.engine.syntax.instruction import Guard, Register
from ptxscope.features.check.replacement import make_replacement
from tests.features.check.check_cases import CHECK_DATA
from tests.features.check.plain_ptx import Machine, Words
from tests.reference import reference
from tests.reference_data import golden_forms, read_lines
from tests.strategies import instruction_of
from tests.tiers import ci_only, sampled

EMULATED = [x for x in ERRATA if x.opcodes != ("set",)]
"""The errata whose replacements the interpreter runs."""
IDS = [x.id for x in EMULATED]

_EDGES = (
    *(0, 1, 2, 5, 7, 8, 15, 16, 31, 32, 33, 127, 128, 255, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF),
    *(0x80000000, 0x80000001, 0xC0000000, 0xFFFFFF7F, 0xFFFFFFFE, 0xFFFFFFFF),
)


def _operands(ins: Instruction, count: int, seed: int) -> dict[str, Words]:
    """Random words, half of them edges."""
    rng = np.random.default_rng(seed)
    found: dict[str, Words] = {}
    for needed in ins.inputs:
        if needed.type.bits == 1:
            found[needed.name] = rng.integers(0, 2, count).astype(bool)
            continue
        if ins.opcode == "fns" and "b" in needed.roles:  # other bases are undefined
            found[needed.name] = rng.integers(0, 32, count, dtype=np.uint32)
            continue
        if needed.type.bits == 64:
            found[needed.name] = rng.integers(0, 2**64, count, dtype=np.uint64)
            continue
        words = rng.integers(0, 2**32, count, dtype=np.uint32)
        edges = rng.choice(np.array(_EDGES, np.uint32), count)
        found[needed.name] = np.where(rng.integers(0, 2, count) == 1, words, edges)
    return found


def _agree(ins: Instruction, count: int, seed: int) -> None:
    lines = make_replacement(ins)
    assert lines, ins
    values = _operands(ins, count, seed)
    (wanted,) = evaluate(ins, values).values()
    machine = Machine({name: words.astype(np.uint64) for name, words in values.items()})
    d = ins.names["d"]
    machine.registers.setdefault(d, np.zeros(1, np.uint64))
    machine.run(lines)
    mask = np.uint64((1 << ins.type_of("d").bits) - 1)
    found = np.broadcast_to(machine.registers[d] & mask, (count,))
    wrong = np.flatnonzero(found != wanted)
    assert not len(wrong), (str(ins), {k: hex(v[wrong[0]]) for k, v in values.items()}, lines)


def draw_instructions(x: Erratum, count: int, seed: int) -> list[Instruction]:
    """Instructions that an erratum can change: its example, then random ones."""
    rng = Random(seed)
    found = [parse(x.example[0])]
    while len(found) < count:
        if x.id == "E15":
            ins = parse(f"bfe.s32 d, a, {rng.randint(32, 255)}, {rng.randint(1, 255)}")
        else:
            ins = instruction_of(pick_form(rng.choice(x.opcodes), rng))
        if x in ins.errata:
            found.append(ins)
    return found


@sampled
@pytest.mark.parametrize("x", EMULATED, ids=IDS)
def test_replacements_compute_the_documented_result(x: Erratum) -> None:
    for seed, ins in enumerate(draw_instructions(x, 6, 1)):
        _agree(ins, 100_000 if not seed else 20_000, seed)


@pytest.mark.soak
@pytest.mark.parametrize("x", EMULATED, ids=IDS)
def test_replacements_of_many_forms_compute_the_documented_result(x: Erratum) -> None:
    for seed, ins in enumerate(draw_instructions(x, 60, 2)):
        _agree(ins, 100_000, seed)


@pytest.mark.parametrize("line", [x for (x,) in read_lines(CHECK_DATA / "replaced_lines.txt", 1)])
def test_replacements_support_guards_literals_names_and_wide_products(line: str) -> None:
    _agree(parse(line), 100_000, 3)


def guarded_sets(count: int, seed: int) -> Iterator[Instruction]:
    """Forms of ``set`` with guards under which E14 shows; a and b are called after their width."""
    rng = Random(seed)
    while count:
        form = pick_form("set", rng)
        guard = Guard("p", negated=rng.random() < 0.5)
        bits = form.stype.bits if form.stype else 0
        names = (f"a{bits}", f"b{bits}", *("q" * form.c))
        ins = Instruction(form, ("d",), tuple(map(Register, names)), guard)
        if ins.errata:
            count -= 1
            yield ins


def test_the_replacement_of_a_guarded_set_writes_a_temporary_first() -> None:
    rng = Random(7)
    for ins in guarded_sets(120, 8):
        lines = make_replacement(ins)
        assert lines
        begin, declared, set_, move, end = lines
        assert (begin, declared, end) == ("{", "    .reg .b32 w<1>;", "}")
        assert parse(set_).guard is None
        assert parse(set_).form == ins.form
        assert parse(set_).errata == ()
        assert move == f"    {ins.guard} mov.b32 d, w0;"
        assert ins.guard
        for guard in (0, 1):
            values = {x.name: rng.getrandbits(x.type.bits) for x in ins.inputs} | {"p": guard}
            for model in ("isa", "ptxas-13.0", "ptxas-13.5"):
                moved = reference(set_.strip(), values, model)["w0"]
                d = moved if guard != ins.guard.negated else values["d"]
                assert {"d": d} == reference(str(ins), values, "isa"), (str(ins), values)


def test_the_register_beside_d_has_a_name_of_its_own() -> None:
    lines = make_replacement(parse("@w1 set.lt.f32.s32 w0, xw3, b"))
    assert lines == (
        "{",
        "    .reg .b32 xxw<1>;",
        "    set.lt.f32.s32 xxw0, xw3, b;",
        "    @w1 mov.b32 w0, xxw0;",
        "}",
    )
    assert make_replacement(parse("@p set.lt.u32.s32 d, a, b")) is None
    assert make_replacement(parse("set.lt.f32.s32 d, a, b")) is None


@ci_only
def test_every_form_with_an_erratum_has_a_replacement() -> None:
    rng = Random(4)
    for opcode in sorted({opcode for x in EMULATED for opcode in x.opcodes}):
        for _ in range(300):
            form = pick_form(opcode, rng)
            if find_errata(form):
                assert make_replacement(instruction_of(form)), form


def test_instructions_without_errata_have_no_replacement() -> None:
    for opcode, entry in CATALOG.items():
        if entry.lanes > 1 or not opcode.startswith(("v", "fns")):
            assert make_replacement(parse(entry.example[0])) is None


LENGTHS = {
    "vabsdiff": (24, 276, 13),
    "vadd": (87, 962, 13),
    "vmad": (89, 1184, 20),
    "vmax": (47, 521, 13),
    "vmin": (67, 739, 12),
    "vset": (44, 569, 14),
    "vshl": (122, 1633, 16),
    "vshr": (71, 945, 15),
    "vsub": (90, 1013, 13),
}
"""For each opcode, how many erratum forms tests/data has, and the most lines that their
replacements may take together, and each. This is what they took when they were written by
micro-operations."""


@ci_only
def test_replacements_stay_short() -> None:
    lengths: dict[str, list[int]] = {}
    for ptx, rows in golden_forms():
        if find_errata(rows[0].instruction.form):
            lines = make_replacement(rows[0].instruction)
            assert lines, ptx
            lengths.setdefault(rows[0].instruction.opcode, []).append(len(lines))
    assert lengths.keys() == LENGTHS.keys()
    for opcode, (count, total, largest) in LENGTHS.items():
        assert len(lengths[opcode]) == count
        assert sum(lengths[opcode]) <= total
        assert max(lengths[opcode]) <= largest


def test_the_replacement_under_a_false_guard() -> None:
    """PLAIN.md, P4."""
    assert make_replacement(parse("@!g set.lt.f16.s64 d, a, b")) == (
        "{",
        "    .reg .b16 w<1>;",
        "    set.lt.f16.s64 w0, a, b;",
        "    @!g mov.b16 d, w0;",
        "}",
    )
