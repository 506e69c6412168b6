"""Machine code: its reading, the meaning of its opcodes, and proofs about it."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ptxscope import parse
from ptxscope.documents.formats.report import write_report
from ptxscope.engine.ir.tape import Node
from ptxscope.engine.isa.catalog import find_violations, get_entry, with_c
from ptxscope.engine.isa.types import Type
from ptxscope.engine.micro_operations.arithmetic import EXACT
from ptxscope.engine.semantics.models import ISA_MODEL, Model, parse_model
from ptxscope.engine.semantics.rules import ERRATA
from ptxscope.engine.tracing.basic_block import make_block
from ptxscope.engine.tracing.evaluation import make_model_plan
from ptxscope.features.machine.form_verdict import (
    MachineQuestion,
    VerdictOutcome,
    compute_machine_results,
    compute_plan_results,
    decide_line,
    find_machine_deviation,
    find_smallest_form,
)
from ptxscope.features.machine.kernel_source import find_ptx_version, make_kernel_source
from ptxscope.features.machine.machine_instruction import (
    MachineInstruction,
    MachineOperand,
    OperandKind,
    parse_disassembly,
    parse_machine_instruction,
)
from ptxscope.features.machine.machine_report import iter_listing_blocks
from ptxscope.features.machine.machine_run import OPCODES, find_opcode
from ptxscope.features.machine.machine_step import MachineStep, Opcode, UnknownMachineCodeError
from ptxscope.features.machine.row_matches import list_machine_code
from ptxscope.features.prove.proof import Verdict
from ptxscope.features.prove.proof_question import ProofQuestion
from tests.driving.kernel_texts import is_like
from tests.reference_data import golden_rows
from tests.tiers import ci_only, some, whole
from tools.machine_code import ARCHITECTURES, COUNTED_LINES, Sample, read_samples

pytest.importorskip("bitwuzla")

_DATA = Path(__file__).parent / "data"
PTXAS = parse_model("ptxas-13.0")
"""The model of the assembler that made the samples."""
MASK = (1 << 32) - 1
EDGES = [
    int(x, 16)
    for x in (
        "0 1 2 1f 20 21 7f 80 ff 7fff 8000 ffff 7fffffff 80000000 ffffffff 7f800000 "
        "7f800001 ff800000 400000 80400000 80ff7f01 "
    ).split()
]


@cache
def samples(arch: str) -> list[Sample]:
    return read_samples(arch)


def draw_word(rng: Random) -> int:
    return rng.choice((rng.choice(EDGES), rng.getrandbits(32), rng.getrandbits(32)))


def test_an_instruction_is_read() -> None:
    ins = parse_machine_instruction("@!P1 IADD3.X R7, -R2, ~R3, 0x10, P0, !PT")
    assert ins.opcode == "IADD3.X"
    assert ins.guard == MachineOperand(OperandKind.PREDICATE, 1, "!")
    assert ins.operands == (
        MachineOperand(OperandKind.REGISTER, 7),
        MachineOperand(OperandKind.REGISTER, 2, "-"),
        MachineOperand(OperandKind.REGISTER, 3, "~"),
        MachineOperand(OperandKind.IMMEDIATE, 16),
        MachineOperand(OperandKind.PREDICATE, 0),
        MachineOperand(OperandKind.PREDICATE, 7, "!"),
    )


def _format_code(lines: Sequence[str]) -> str:
    code = "".join(f"        /*{16 * at:04x}*/   {x} ;\n" for at, x in enumerate(lines))
    return f"\t.section\t.text.k\n{code}"


# what ptxas 13.0.88 puts before every kernel for sm_87
BARRIER_SETUP = [
    "ISETP.NE.U32.AND P0, PT, RZ, UR2, PT",
    "@P0 BRA `(.L_x_0)",
    "BMOV.32 B0, 0xffffffff",
    *(f"BMOV.32.CLEAR B{x + 1}, B{x}" for x in range(15)),
    "BMOV.32 B15, 0x0",
    "UMOV UR2, 0x1",
]


def test_the_barrier_setup_of_sm_87_is_skipped() -> None:
    rest = ["MOV R1, RZ", "EXIT"]
    kernel = parse_disassembly(_format_code([*BARRIER_SETUP, *rest]))["k"]
    assert [x.text for x in kernel.instructions] == rest
    assert [x.offset for x in kernel.instructions] == [0x140, 0x150]
    for at in range(len(BARRIER_SETUP)):  # anything else is not understood, so it stays
        other = [*BARRIER_SETUP[:at], "FADD R1, R2, R3", *BARRIER_SETUP[at + 1 :], *rest]
        kernel = parse_disassembly(_format_code(other))["k"]
        assert [x.text for x in kernel.instructions] == other


def test_uninterpreted_code_has_no_purposes() -> None:
    source = make_kernel_source(parse("clz.b32 d, a"))
    lines = ["LDG.E R4, [R4.64]", "MUFU.RCP R0, R4", "STG.E [R2.64], R0", "EXIT"]
    kernel = parse_disassembly(_format_code(lines))["k"]
    listing = list_machine_code("clz.b32 d, a", source, kernel, "sm_90")
    assert not listing.is_interpreted
    assert {x.purpose for x in listing.instructions} == {"unknown"}
    text = write_report(iter_listing_blocks("clz.b32 d, a", [listing], "tools"))
    assert "sm_90: 4 instructions, loads and stores included\n" in text
    assert "Not interpreted: " in text
    assert "unused" not in text
    assert text.endswith("  0010  MUFU.RCP R0, R4\n  0020  STG.E [R2.64], R0\n  0030  EXIT\n")


def test_a_kernel_is_read_up_to_its_end() -> None:
    kernel = parse_disassembly(
        """
\t.section\t.nv.constant2.k,"a",@progbits
        /*0000*/ \t.byte\t0x01, 0x02, 0x03, 0x04
        /*0004*/ \t.word\t0x08070605
\t.section\t.text.k,"ax",@progbits
.text.k:
        /*0000*/                   MOV R1, c[0x2][0x4] ;
.L_x_1:
        /*0010*/              @!PT LDG.E R0, desc[UR4][R2.64+-0x8] ;
        /*0020*/                   FADD R1, |R0|.reuse, -1.5e-03 ;
        /*0030*/                   EXIT ;
.L_x_0:
        /*0040*/                   BRA `(.L_x_0);
"""
    )["k"]
    assert [x.offset for x in kernel.instructions] == [0, 16, 32, 48]
    assert kernel.constants == {2: bytes(range(1, 9))}
    load = kernel.instructions[1].operands[1]
    assert (load.kind, load.bank, load.number) == (OperandKind.MEMORY, 2, -8)
    assert [x.kind for x in kernel.instructions[2].operands] == [
        OperandKind.REGISTER,
        OperandKind.UNKNOWN,
        OperandKind.FLOAT,
    ]


@pytest.mark.parametrize(
    ("ptxas", "ptx"),
    [((11, 8), (7, 8)), ((12, 4), (8, 4)), ((12, 8), (8, 7)), ((12, 9), (8, 8)), ((13, 0), (9, 0))],
)
def test_a_release_of_ptxas_has_its_version_of_ptx(
    ptxas: tuple[int, int], ptx: tuple[int, int]
) -> None:
    assert find_ptx_version(ptxas) == ptx  # PTX ISA, release notes


OTHER_SPELLINGS, REFUSED_SPELLINGS = (
    part.splitlines()[1:]
    for part in (_DATA / "machine_spellings.txt").read_text("utf-8").split("\n\n")
)
"""Spellings that the samples lack, and spellings without a known meaning."""


def list_spellings() -> Iterator[tuple[str, Opcode]]:
    """An instruction of each spelling and layout of the samples, and those above, if computed."""
    code = (x for arch in ARCHITECTURES for sample in samples(arch)
            for x in sample.kernel.instructions)  # fmt: skip
    texts = {(x.opcode, x.layout): x.text for x in code}.values()
    for text in sorted({*texts, *OTHER_SPELLINGS}):
        with suppress(UnknownMachineCodeError):
            yield text, find_opcode(parse_machine_instruction(text))[0]


SPELLINGS = dict(list_spellings())


def test_every_machine_opcode_has_a_tested_spelling() -> None:
    tested = {*map(id, SPELLINGS.values())}
    assert [x.spelling.pattern for x in OPCODES if id(x) not in tested] == []


def _name(x: MachineOperand) -> str:
    return f"{x.kind.value}{x.bank}_{x.number}"


def compute_exactly(ins: MachineInstruction, values: dict[str, int]) -> list[int]:
    """Return what an instruction writes, on numbers."""
    opcode, match, outputs = find_opcode(ins)

    def read(x: MachineOperand, bits: int) -> tuple[int, ...]:
        return (read_value(x, bits, values),)

    step = MachineStep(EXACT, lambda x: (x,), ins, outputs, read)
    opcode.meaning(step, match)
    return [write.value[0] for write in step.writes]


def read_value(x: MachineOperand, bits: int, values: dict[str, int]) -> int:
    if x.kind is OperandKind.IMMEDIATE:
        return x.number & (1 << bits) - 1
    if x.is_sink and x.kind is not OperandKind.CONSTANT:
        return int(bits == 1)
    if bits == 64:
        high = x._replace(number=x.number + 1)
        return values[_name(high)] << 32 | values[_name(x)]
    return values[_name(x)]


def draw_values(ins: MachineInstruction, rng: Random) -> dict[str, int]:
    values: dict[str, int] = {}
    for x in ins.operands:
        is_predicate = x.kind in (OperandKind.PREDICATE, OperandKind.UNIFORM_PREDICATE)
        for number in (x.number, x.number + 1):
            values[_name(x._replace(number=number))] = (
                rng.getrandbits(1) if is_predicate else draw_word(rng)
            )
    return values


class Encoded:
    """What an instruction writes, as bit vectors."""

    def __init__(self, ins: MachineInstruction) -> None:
        self.question = ProofQuestion(20)
        opcode, match, outputs = find_opcode(ins)
        tape = self.question.tape

        def read(x: MachineOperand, bits: int) -> Node:
            if x.kind is OperandKind.IMMEDIATE or (
                x.is_sink and x.kind is not OperandKind.CONSTANT
            ):
                return self.question.make_constant(read_value(x, bits, {}))
            if bits == 1:
                return self.question.add_input(_name(x), Type.PRED)
            words = [
                self.question.add_input(_name(x._replace(number=number)), Type.B32)
                for number in range(x.number, x.number + bits // 32)
            ]
            return (
                words[0] if bits == 32 else tape.pack(tape.gather(words, 32, ((0, 0), (1, 0))), 32)
            )

        step = MachineStep(tape, self.question.make_constant, ins, outputs, read)
        opcode.meaning(step, match)
        self.nodes = [write.value for write in step.writes]
        self.question.encode(*self.nodes)

    def check(self, values: dict[str, int], expected: list[int]) -> bool:
        """Whether the bit vectors can have no other values than those expected."""
        terms, vectors = self.question.solver.terms, self.question.vectors
        given = [
            terms.make("EQUAL", self.question.get_bits(name), terms.make_value(values[name], bits))
            for name, type_ in self.question.inputs.items()
            for bits in [type_.bits]
        ]
        wrong = [
            terms.make("DISTINCT", vectors.resize(node, 0, 64), terms.make_value(value, 64))
            for node, value in zip(self.nodes, expected, strict=True)
        ]
        return not self.question.solver.is_possible(*given, terms.join("OR", wrong))


@whole
@pytest.mark.parametrize("text", SPELLINGS)
def test_machine_opcodes_agree_on_numbers_and_bit_vectors(text: str) -> None:
    ins = parse_machine_instruction(text)
    encoded, rng = Encoded(ins), Random(text)
    for _ in range(25):
        values = draw_values(ins, rng)
        assert encoded.check(values, compute_exactly(ins, values)), (text, values)


def signed(x: int, bits: int = 32) -> int:
    return x - (x >> bits - 1 << bits)


def permute(a: int, selector: int, b: int) -> int:
    pair = (b << 32 | a).to_bytes(8, "little")
    picked = [(pair[selector >> 4 * i & 7], selector >> 4 * i & 8) for i in range(4)]
    values = (((255 if x >> 7 else 0) if sign else x) for x, sign in picked)
    return int.from_bytes(values, "little")


def read_bfloat(bits: int) -> float:
    return float(struct.unpack("<f", ((bits & 0xFFFF) << 16).to_bytes(4, "little"))[0])


def encode_half(number: int) -> int:
    try:
        return int.from_bytes(struct.pack("<e", float(number)), "little")
    except OverflowError:
        return 0xFC00 if number < 0 else 0x7C00


def encode_bfloat(number: int) -> int:
    """The bfloat below or above a number that is nearer, or of two the even one."""
    pattern = int.from_bytes(struct.pack("<f", abs(number)), "little") >> 16
    nearest = min(
        (pattern, pattern + 1),
        key=lambda x: (abs(read_bfloat(x) - abs(number)), x & 1),
    )
    return nearest | (number < 0) << 15


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "u": lambda x: x & MASK,
    "s": signed,
    "signed": signed,
    "pair": lambda high, low: high << 32 | low,
    "halves": lambda x: [signed(x & 0xFFFF, 16), signed(x >> 16, 16)],
    "bytes_of": lambda x: x.to_bytes(4),
    "clamp": lambda x, low, high: max(low, min(x, high)),
    "permute": permute,
    "half": lambda x: struct.unpack("<e", (x & 0xFFFF).to_bytes(2, "little"))[0],
    "bfloat": read_bfloat,
    "single": lambda x: struct.unpack("<f", x.to_bytes(4, "little"))[0],
    "double": lambda x: struct.unpack("<d", x.to_bytes(8, "little"))[0],
    "to_half": encode_half,
    "to_bfloat": encode_bfloat,
    "isnan": math.isnan,
}
"""What the formulas of the file call."""
FORMULAS = dict(
    line.split(" := ")
    for line in (_DATA / "machine_formulas.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
)


@pytest.mark.parametrize("text", FORMULAS)
def test_an_opcode_computes_its_formula(text: str) -> None:
    ins, rng = parse_machine_instruction(text), Random(text)
    formula = compile(f"[{FORMULAS[text]}]", text, "eval")
    for _ in range(60):
        a, b, c, p = *(draw_word(rng) for _ in range(3)), rng.getrandbits(1)
        values = {"R0_1": a, "R0_2": b, "R0_3": c, "P0_0": p}
        names = {**FUNCTIONS, "a": a, "b": b, "c": c, "p": p}
        expected = eval(formula, names)
        assert compute_exactly(ins, values) == expected, (a, b, c, p)


@pytest.mark.parametrize("text", REFUSED_SPELLINGS)
def test_a_machine_instruction_without_known_meaning_is_refused_by_name(text: str) -> None:
    sample = samples("sm_90")[0]
    first, *others = sample.kernel.instructions
    strange = parse_machine_instruction(text)._replace(offset=first.offset)
    kernel = sample.kernel._replace(instructions=(first, strange, *others))
    verdict = decide_line(sample.line, sample.source, kernel)
    assert verdict.outcome is VerdictOutcome.UNKNOWN
    assert verdict.opcode == strange.opcode
    assert verdict.reason.startswith(strange.text)
    assert "address" not in verdict.reason  # it is not refused for what happens to be in registers


@pytest.mark.parametrize(
    ("texts", "outcome"),
    [
        # the stack pointer, in a result and in what no result depends on
        (("IADD3 R{result}, R1, R{result}, RZ",), VerdictOutcome.DEPARTED),
        (("IADD3 R0, R1, R{result}, RZ",), VerdictOutcome.PROVED),
        (("LOP3.LUT R0, R1, RZ, RZ, 0xc0, !PT", "IADD3 R{result}, R0, R{result}, RZ"), "proved"),
        # the address of the results, as a pair, under a predicate of an operand
        (
            (
                "ISETP.EQ.AND P0, PT, R{result}, RZ, PT",
                "@P0 IADD3 R{result}, R{pointer}, RZ, RZ",
            ),
            VerdictOutcome.DEPARTED,
        ),
        (("S2UR UR4, SR_TID.X", "R2UR UR5, R{result}"), VerdictOutcome.UNKNOWN),
    ],
)
def test_an_address_that_meets_an_operand_is_any_number(texts: Sequence[str], outcome: str) -> None:
    sample = samples("sm_90")[0]
    *code, end = sample.kernel.instructions
    at = next(i for i, x in enumerate(code) if x.opcode.startswith("STG"))
    numbers = {"result": code[at].operands[1].number, "pointer": code[at].operands[0].bank}
    mixed = (parse_machine_instruction(x.format(**numbers)) for x in texts)
    kernel = sample.kernel._replace(instructions=(*code[:at], *mixed, *code[at:], end))
    verdict = decide_line(sample.line, sample.source, kernel)
    assert verdict.outcome == outcome
    if outcome == VerdictOutcome.DEPARTED:
        assert verdict.documented != verdict.obtained


def test_a_constant_has_a_place_of_a_constant_register() -> None:
    """``-O0`` reads parameters so; a place that depends on an operand is refused."""
    sample = samples("sm_90")[0]
    *code, end = sample.kernel.instructions
    at = next(i for i, x in enumerate(code) if x.opcode.startswith("STG"))
    result = code[at].operands[1].number
    for lines, outcome in (
        (("MOV R0, 0x8", "MOV R0, c[0x3][R0+0x4]", "IADD3 R{}, R0, R{}, -0x6"), "proved"),
        (("MOV R0, 0x4", "MOV R0, c[0x3][R0+0x4]", "IADD3 R{}, R0, R{}, -0x6"), "departs"),
        (("MOV R0, c[0x3][R{}+0x4]",), "not interpreted"),
    ):
        texts = [parse_machine_instruction(x.format(result, result)) for x in lines]
        kernel = sample.kernel._replace(
            instructions=(*code[:at], *texts, *code[at:], end),
            constants={**sample.kernel.constants, 3: struct.pack("<4I", 9, 8, 7, 6)},
        )
        assert decide_line(sample.line, sample.source, kernel).outcome == outcome, lines


@pytest.mark.parametrize("arch", some(ARCHITECTURES))
def test_machine_code_computes_the_golden_results(arch: str) -> None:
    count, by_line = 0, {x.line: x for x in samples(arch)}
    for row in golden_rows():
        if sample := by_line.get(row.ptx.rstrip(";")):
            results = compute_machine_results(sample.source, sample.kernel, row.values)
            assert (*results.values(),) == row.results["ptxas-13.0"], row
            count += 1
    assert count > 400


@pytest.mark.parametrize(
    "part", some([("sm_90", 4, 9), *((x, at, 3) for at, x in enumerate(ARCHITECTURES))]), ids=str
)
def test_machine_code_equals_the_model_of_its_assembler(part: tuple[str, int, int]) -> None:
    arch, first, step = part
    for sample in samples(arch)[first::step]:
        verdict = decide_line(sample.line, sample.source, sample.kernel)
        assert verdict.outcome is VerdictOutcome.PROVED, verdict
        assert PTXAS.name in verdict.models, verdict
        # a deviation from the documentation is exactly where errata are known
        assert verdict.is_as_documented is not bool(sample.source.ins.errata), verdict
        assert verdict.errata == tuple(x.id for x in sample.source.ins.errata), verdict


@ci_only
def test_the_machine_code_of_every_erratum_contradicts_the_documentation() -> None:
    lines = {x.id: x.example[0].rstrip(";") for x in ERRATA}
    by_line = {sample.line: sample for sample in samples("sm_90")}
    shown = {id_: by_line[line] for id_, line in lines.items() if line in by_line}
    assert set(lines) - set(shown) == {"E17"}  # fns has branches
    for id_, sample in shown.items():
        verdict = decide_line(sample.line, sample.source, sample.kernel)
        assert id_ in verdict.errata
        plan = make_model_plan(sample.source.ins, ISA_MODEL)
        expected = compute_plan_results(sample.source.ins, plan, verdict.operands)
        assert verdict.documented == expected != verdict.obtained


@pytest.mark.parametrize(("line", "count"), COUNTED_LINES.items())
def test_an_emulated_line_has_its_count(line: str, count: int) -> None:
    sample = next(x for x in samples("sm_90") if x.line == line)
    listing = list_machine_code(line, sample.source, sample.kernel, "sm_90")
    assert listing.instruction_count == count


def test_each_machine_instruction_is_listed_with_its_purpose() -> None:
    line = "vadd.u32.s32.s32.sat d.b0, a, b, c"
    sample = next(x for x in samples("sm_90") if x.line == line)
    listing = list_machine_code(line, sample.source, sample.kernel, "sm_90")
    keys = {x.text.split()[0]: (str(x.purpose), x.key) for x in listing.instructions}
    assert keys["IADD3"] == ("row", "operate.t")
    assert keys["LEA.HI.X.SX32"] == ("row", "operate.t")
    assert keys["ISETP.GT.U32.AND"] == ("part", "saturate.t")
    assert keys["LDG.E"][0] == "load"
    assert keys["STG.E"] == ("store", "d")
    assert all(x.is_proved for x in listing.instructions if x.purpose == "row")
    assert listing.missing_rows[0] == "saturate.t"  # E3: the documented clamp is nowhere


def draw_planted_error(rng: Random) -> Sample:
    """The machine code of a sample beside its line with one slot changed."""
    while True:
        sample = rng.choice(samples("sm_90"))
        ins = sample.source.ins
        slot = rng.choice(get_entry(ins.form).slots)
        value = rng.choice(list(slot.iter_choices()))
        form = with_c(ins.form._replace(**{slot.name: value}))  # type: ignore[arg-type]
        if form == ins.form or (form.c, form.dst) != (ins.form.c, ins.form.dst):
            continue
        if find_violations(form):
            continue
        changed = replace(ins, form=form)
        inputs = {x.role: x.type.bits for x in sample.source.inputs}
        sources = make_model_plan(changed, PTXAS).sources
        if all(inputs.get(x.role) == x.type.bits for x in sources):
            return sample._replace(source=sample.source._replace(program=make_block(changed)))


@pytest.mark.parametrize("count", some([40, 100]))
def test_planted_errors_are_refuted_or_harmless(count: int) -> None:
    rng, refuted, equal = Random(28), 0, 0
    for _ in range(count):
        sample = draw_planted_error(rng)
        ins = sample.source.ins
        machine = MachineQuestion(sample.source, sample.kernel, 60)
        plan = make_model_plan(ins, PTXAS)
        proof = machine.prove(plan)
        assert proof.verdict is not Verdict.UNDECIDED, str(ins)
        if proof.verdict is Verdict.DIFFERENT:
            assert proof.counterexample  # replayed on numbers by `prove`
            refuted += 1
            continue
        equal += 1
        for _ in range(40):  # the two lines are the same by another way
            operands = {x.name: draw_word(rng) % (1 << x.type.bits) for x in sample.source.inputs}
            results = compute_machine_results(sample.source, sample.kernel, operands)
            assert results == compute_plan_results(ins, plan, operands), (str(ins), operands)
    assert refuted + equal == count
    assert refuted > 2 * equal


def test_a_new_deviation_is_found_with_its_smallest_form_and_condition() -> None:
    """To a reader who knows no erratum, E3 is new."""
    known = (Model("isa"),)
    form = parse("vadd.u32.s32.s32.sat d.b0, a, b, c").form
    sample = next(x for x in samples("sm_90") if x.source.ins.form == form)
    verdict = decide_line(sample.line, sample.source, sample.kernel, models=known)
    assert verdict.outcome is VerdictOutcome.DEPARTED
    assert verdict.obtained != verdict.documented
    deviation = find_machine_deviation(sample.source, sample.kernel)
    assert deviation
    assert deviation.difference
    assert deviation.difference.condition == "operate.t < 0"
    assert deviation.difference.is_exact
    # what the compiler is known to do with the other forms: only .sat with d.b0 departs
    larger = parse("vadd.u32.s32.s32.sat d.b0, a.h1, b.b3, c").form
    smallest = find_smallest_form(
        larger, lambda forms: [x.sat and x.dsel is not None for x in forms]
    )
    assert smallest == form


_ADDRESSES = [
    "S2R R2, SR_TID.X",
    "MOV R3, 0x40",
    "IMAD.WIDE.U32 R4, R2, R3, c[0x0][0x168]",
    "IMAD.WIDE.U32 R2, R2, R3, c[0x0][0x160]",
]
"""What ptxas 13.0.88 writes for sm_75: R2 points to the results, R4 to the operands."""


def read_listings() -> Iterator[Any]:
    """The blocks of a file: PTX, then machine code; the products take long."""
    text = re.sub("^#.*\n", "", (_DATA / "machine_rows.txt").read_text("utf-8"), flags=re.M)
    for block in text.strip().split("\n\n"):
        ptx, *code = block.strip().split("\n")
        yield pytest.param(ptx, code, marks=ci_only if "mul.lo" in ptx else ())


@pytest.mark.parametrize(("ptx", "code"), [*read_listings()])
def test_each_instruction_is_listed_as_what_is_proved_of_it(ptx: str, code: list[str]) -> None:
    line = ptx.removeprefix("departs ")
    texts = [*_ADDRESSES, *(x.partition(" ; ")[0] for x in code), "EXIT"]
    kernel = parse_disassembly(_format_code(texts))["k"]._replace(constants={0: bytes(0x170)})
    listing = list_machine_code(line, make_kernel_source(parse(line)), kernel, "sm_75")
    if line != ptx:
        assert listing.verdict.outcome is VerdictOutcome.DEPARTED
        return
    assert listing.verdict.outcome is VerdictOutcome.PROVED, listing.verdict
    for x, text in zip(listing.instructions[len(_ADDRESSES) :], code, strict=False):
        if " ; " in text:
            wanted = text.partition(" ; ")[2]
            lane = f"[{x.lane}]" if "[" in wanted else ""
            facts = f"{x.purpose} {x.key}{lane} {x.reading}".strip()
            assert is_like(facts, wanted), text
