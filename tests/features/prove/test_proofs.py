"""Proofs and counterexamples: known verdicts, mutations, conditions; replayed by exact integers."""

# ruff: noqa: ARG005

from __future__ import annotations

import gc
import re
import signal
import time
import warnings
from collections.abc import Callable, Mapping
from random import Random
from threading import Timer
from weakref import ref

import pytest

from ptxscope import parse
from ptxscope.engine.isa.catalog import CATALOG, find_violations, pick_form, with_slot
from ptxscope.engine.isa.encodings import Range
from ptxscope.engine.semantics.models import ISA_MODEL, Model
from ptxscope.engine.semantics.plan import compute_results
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.engine.tracing.basic_block import BasicBlock, make_block
from ptxscope.features.prove.bit_vectors import find_multiplier
from ptxscope.features.prove.equivalence import prove, read_program
from ptxscope.features.prove.operand_conditions import make_scope, read_condition
from ptxscope.features.prove.operand_search import find, find_operands
from ptxscope.features.prove.proof import Proof, Verdict
from ptxscope.features.prove.proof_question import ProofQuestion
from ptxscope.features.prove.solver import Solver
from tests.driving.block_idioms import IDIOMS
from tests.engine.test_tape import operand
from tests.features.prove.proof_pairs import DATA, PAIRS, Pair
from tests.reference_data import read_lines
from tests.strategies import instruction_of
from tests.tiers import ci_only, some, thorough, whole

pytest.importorskip("bitwuzla")


def run_exactly(program: BasicBlock, model: Model, values: Mapping[str, int]) -> list[int]:
    """The results of a program, in order, by the micro-operations on integers."""
    operands = {role: values.get(name, 0) for role, name in program.names.items()}
    results = compute_results(program.make_plan(model), {**operands, **program.constants})
    return [results[role] for role in program.results]


def check(proof: Proof, rng: Random) -> None:
    """A counterexample gives two results; an equality holds on operands that bite."""
    if proof.verdict is Verdict.DIFFERENT:
        values = [proof.get_values(index) for index in (0, 1)]
        found = [
            run_exactly(*side) for side in zip(proof.programs, proof.models, values, strict=True)
        ]
        assert found[0] != found[1]
        return
    assert proof.verdict is Verdict.EQUAL
    for _ in range(20 if not proof.where else 0):
        drawn = {name: operand(rng, type_) for name, type_ in proof.inputs.items()}
        sides = zip(proof.programs, proof.models, proof.names, strict=True)
        one, other = (
            run_exactly(program, model, {own: drawn[name] for own, name in names.items()})
            for program, model, names in sides
        )
        assert one == other, drawn


def test_the_table_has_enough_pairs_of_each_verdict() -> None:
    assert len({x.name for x in PAIRS}) == len(PAIRS) >= 60
    assert sum(x.equal for x in PAIRS) > 25 < sum(not x.equal for x in PAIRS)


@whole
@pytest.mark.parametrize(
    "pair",
    [
        pytest.param(x, id=x.name, marks=[thorough] * (x.name == "sevenths of a word"))
        for x in PAIRS
    ],
)
def test_a_pair_has_its_verdict(pair: Pair) -> None:
    proof = prove(pair.a, pair.b, where=pair.where)
    assert proof.verdict is (Verdict.EQUAL if pair.equal else Verdict.DIFFERENT), proof.operands
    check(proof, Random(pair.name))


def mutate_form(rng: Random) -> tuple[BasicBlock, BasicBlock]:
    """A random instruction, and the same with one modifier or selector changed."""
    while True:
        form = pick_form(rng.choice(list(CATALOG)), rng)
        other = pick_form(form.opcode, rng)
        slots = [x for x in form._fields if form.get(x) != other.get(x) and x != "dst"]
        if not slots:
            continue
        changed = with_slot(form, slot := rng.choice(slots), other.get(slot))
        if not find_violations(changed) and changed != form:
            return make_block(instruction_of(form)), make_block(instruction_of(changed))


def mutate_constant(rng: Random) -> tuple[BasicBlock, BasicBlock]:
    """A block, and the same with a digit of a number, or an opcode, changed."""
    while True:
        text = rng.choice(IDIOMS).ptx
        digits = [x.start() for x in re.finditer(r"(?<=[ x\da-f])[\da-f](?=[;,\da-f])", text)]
        if not digits or "asm" in text:
            continue
        at = rng.choice(digits)
        changed = text[:at] + rng.choice("0123456789abcdef") + text[at + 1 :]
        try:
            programs = read_program(text), read_program(changed)
        except PtxError:
            continue
        names = [[x.name for x in program.inputs] for program in programs]
        is_same_shape = programs[0].results.keys() == programs[1].results.keys()
        if changed != text and is_same_shape and set(names[0]) & set(names[1]):
            return programs


@pytest.mark.parametrize("seed", some(range(3)))
@pytest.mark.parametrize("mutate", [mutate_form, mutate_constant])
def test_a_mutation_is_refuted_or_equal(
    mutate: Callable[[Random], tuple[BasicBlock, BasicBlock]], seed: int
) -> None:
    rng = Random(f"{mutate.__name__} {seed}")
    verdicts = set()
    for _ in range(15 if seed else 5):
        a, b = mutate(rng)
        try:
            proof = prove(a, b, timeout=5)
        except ValueError as error:  # the two can't be compared
            reasons = "say which are the same|the numbers differ|bits in one|different widths"
            assert re.search(reasons, str(error))
            continue
        if proof.verdict is not Verdict.UNDECIDED:
            check(proof, rng)
        verdicts.add(proof.verdict)
    assert Verdict.DIFFERENT in verdicts


def test_a_proof_finds_the_condition_of_an_erratum() -> None:
    proof = prove("vadd.u32.s32.s32.sat d.b0, a, b, c", model_b="ptxas")
    assert proof.difference == ("", "operate.t < 0", True, 0, 0, ())
    assert prove("vadd.u32.s32.s32.sat d.b0, a, b, c", model="ptxas").has_same_plan
    where = "operate.t >= 0"
    assert prove("vadd.u32.s32.s32.sat d.b0, a, b, c", model_b="ptxas", where=where).bits == 96


def test_a_difference_has_the_amounts_that_only_one_shift_wraps() -> None:
    # PTX ISA: vshl.wrap keeps the low five bits of b; shl clamps b to 32
    proof = prove("shl.b32 d, a, b", "vshl.u32.u32.u32.wrap d, a, b")
    assert proof.difference is not None
    assert (proof.difference.condition, proof.difference.is_exact) == ("b >= 0x20", False)


def test_a_difference_counts_the_pairs_of_bytes() -> None:
    proof = prove("vmin4.s32.s32.s32 d, a, b, c", "vmin4.u32.u32.u32 d, a, b, c")
    # of two bytes, those with one in each half of the range: 2 * 128 * 128
    assert proof.difference is not None
    assert proof.difference[3:] == (2 * 128 * 128, 2**16, ("a.b0", "b.b0"))
    assert proof.operands == {"a": 0x80, "b": 0}


def test_a_carry_has_two_values() -> None:
    proof = prove("addc.u32 d, a, b", "add.u32 d, a, b")
    assert proof.difference == ("", "CC.CF == 1", True, 1, 2, ("CC.CF",))


def test_a_counterexample_is_simple() -> None:
    proof = prove("add.u32 d, a, b", "or.b32 d, a, b")
    assert proof.operands == {"a": 1, "b": 1}
    proof = prove("vadd.s32.s32.s32 d, a, b", "vadd.s32.s32.s32.sat d, a, b")
    assert {bits.bit_count() for bits in proof.operands.values()} == {1}


def test_operands_are_matched_by_name_and_then_by_position() -> None:
    line, other = "sad.u32 d, a, b, c", "sad.u32 %0, %1, %2, %3"
    with pytest.raises(ValueError, match="A reads a, b, c, and B reads %1, %2, %3; say which"):
        prove(line, other)
    same = {"a": "%2", "b": "%1", "c": "%3"}
    assert prove(line, other, same=same).verdict is Verdict.EQUAL
    assert prove(line, "sad.u32 %d, %a, %b, %c").verdict is Verdict.EQUAL
    with pytest.raises(ValueError, match="x is not read by A"):
        prove(line, other, same={"x": "%1"})
    with pytest.raises(ValueError, match="different widths"):
        prove("selp.b32 d, a, b, p", "selp.b64 d, x, y, p")
    # by name first, the others by position
    proof = prove("not.b32 x, a; not.b32 y, b;", "not.b32 e, b; not.b32 x, a;")
    assert proof.pairs == (("x", "x"), ("y", "e"))
    assert proof.verdict is Verdict.EQUAL
    assert prove("add.u32 d, 1, 2", "add.u32 e, 2, 1").verdict is Verdict.EQUAL
    assert prove("add.u32 d, 1, 2", "add.u32 e, 2, 2").results == ((3, 4),)
    # what only one of them writes must be as before
    kept = prove("add.u32 x, x, y", "add.u32 x, x, y; or.b32 y, y, y;")
    assert kept.verdict is Verdict.EQUAL
    renamed = prove(
        "add.u32 x, a, b", "add.u32 x, %1, %2; not.b32 %1, %2;", same={"a": "%1", "b": "%2"}
    )
    assert (renamed.verdict, renamed.pairs) == (Verdict.DIFFERENT, (("x", "x"), ("", "%1")))
    assert renamed.results[1] == (renamed.operands["a"], 2**32 - 1 - renamed.operands["b"])
    proof = prove("add.u32 x, x, y", "add.u32 x, x, y; not.b32 z, y;")
    assert proof.verdict is Verdict.DIFFERENT
    assert proof.pairs == (("x", "x"), ("", "z"))


_LEFT = "setp.{}.u32 p, i, n; @p bra END; {} END: ret;"


def test_a_branch_to_the_end_is_a_condition() -> None:
    # i is below 8 where the thread stays, so three bits are all of it
    guarded = _LEFT.replace("n;", "8;").format("ge", "shl.b32 d, i, 29; shr.u32 d, d, 29;")
    proof = prove(guarded, "mov.b32 d, i;")
    assert (proof.verdict, proof.restriction) == (Verdict.EQUAL, "not p")
    assert prove("mov.b32 d, i;", guarded).verdict is Verdict.EQUAL
    proof = prove(guarded.replace("29", "30"), "mov.b32 d, i;")
    assert proof.verdict is Verdict.DIFFERENT
    assert proof.operands["i"] < 8
    assert proof.results == ((proof.operands["i"] & 3, proof.operands["i"]),)
    # a thread that ends is like one that goes to the end
    assert prove(guarded.replace("bra END", "exit"), "mov.b32 d, i;").verdict is Verdict.EQUAL
    assert not find(guarded, where="i >= 8").answers
    assert find(guarded, where="i >= 7").answers[0]["i"] == 7


def test_a_proof_compares_blocks_with_branches_to_their_ends() -> None:
    body = "add.u32 d, i, n;"
    a = _LEFT.format("ge", body)
    assert prove(a, _LEFT.format("ge", "sub.u32 m, 0, n; sub.u32 d, i, m;")).restriction == "not p"
    inverse = a.replace("@p", "@!q").replace("ge.u32 p", "lt.u32 q")
    assert prove(a, inverse).verdict is Verdict.EQUAL
    assert prove(a, inverse.replace("@!q", "@q")).verdict is Verdict.DIFFERENT
    proof = prove(a, _LEFT.format("gt", body))
    assert (proof.verdict, proof.pairs[0]) == (Verdict.DIFFERENT, ("not p", "not p"))
    assert proof.results[0] == (0, 1)
    assert proof.operands["i"] == proof.operands["n"]
    given = prove(f"@q exit; {body}", f"@!p exit; {body}")
    assert (given.verdict, given.pairs[0]) == (Verdict.DIFFERENT, ("not q", "p"))
    assert given.operands["p"] == given.operands["q"]
    with pytest.raises(ValueError, match="no operands satisfy the guards"):
        prove("setp.ge.u32 p, i, 0; @p exit; not.b32 d, i;", "not.b32 d, i;")


@ci_only
def test_a_chain_of_100_statements_is_proved() -> None:
    # twice a number of 100 words is the number shifted by one bit
    opcodes = ["add.cc", *["addc.cc"] * 98, "addc"]
    chain = "".join(f"{x}.u32 d{i}, a{i}, a{i};" for i, x in enumerate(opcodes))
    shifts = "".join(f"shf.l.wrap.b32 d{i}, a{i - 1}, a{i}, 1;" for i in range(1, 100))
    assert prove(chain, f"shl.b32 d0, a0, 1; {shifts}").verdict is Verdict.EQUAL
    assert prove(chain, f"shl.b32 d0, a0, 1; {shifts}", model="ptxas").verdict is Verdict.EQUAL


def test_a_result_that_the_other_block_writes_and_reads_again() -> None:
    carry = "add.cc.u32 d, a, b; addc.u32 e, 0, 0;"
    wraps = "add.u32 d, a, b; setp.lt.u32 p, d, {}; selp.u32 e, 1, 0, p;"
    assert prove(carry, wraps.format("a")).verdict is Verdict.EQUAL
    assert prove(wraps.format("b"), carry).verdict is Verdict.EQUAL
    proof = prove(carry, wraps.format("1"))
    a, b = proof.operands["a"], proof.operands["b"]
    total = a + b & 0xFFFFFFFF
    assert proof.pairs == (("d", "d"), ("e", "e"))
    assert proof.results == ((total, total), (a + b >> 32, int(total < 1)))
    # one that it declares is its own
    own = prove("not.b32 e, a; add.u32 d, a, b;", "{ .reg .b32 d; not.b32 d, a; mov.b32 e, d; }")
    assert own.pairs == (("e", "e"), ("d", ""))


PRODUCT = 0xDE053771ED25C283 * 0xAD0C7FD47A4EBF83
_FACTORED = (
    "mul.hi.u64 u, a, b; mul.lo.u64 v, a, b; "
    f"setp.eq.u64 p, u, {PRODUCT >> 64:#x}; setp.eq.and.u64 q, v, {PRODUCT & 2**64 - 1:#x}, p; "
)
HARD = (f"{_FACTORED} selp.u32 d, 1, 0, q;", f"{_FACTORED} selp.u32 d, 0, 0, q;")
"""They differ for the prime factors of a product of 128 bits, which no solver finds."""


def test_nothing_is_guessed() -> None:
    assert prove(*HARD, timeout=0.05).verdict is Verdict.UNDECIDED
    assert prove(*HARD, timeout=1e-9).verdict is Verdict.UNDECIDED
    with pytest.raises(ValueError, match="no operands satisfy a < b and b < a"):
        prove("vmin.u32.u32.u32 d, a, b", "vmax.u32.u32.u32 d, a, b", where="a < b and b < a")


def test_ctrl_c_ends_a_proof() -> None:
    timer = Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        prove(*HARD, timeout=30)
    assert time.monotonic() - start < 25
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@ci_only
def test_solvers_are_freed_after_a_proof() -> None:
    solvers, managers = [], set()
    for _ in range(4):
        question = ProofQuestion(20)
        question.add_side(read_program("add.u32 d, a, b"), ISA_MODEL)
        question.itself = question  # type: ignore[attr-defined]  # a cycle, as a run of code has
        solvers.append(ref(question.solver))
        managers.add(id(question.solver.terms.manager))
        del question
        gc.collect()
    assert [x() for x in solvers] == [None] * 4
    assert len(managers) == 1


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("width", [64, 96, 136])
@pytest.mark.parametrize("bits", [(64, 64), (64, 32), (16, 64), (64, 40)])
@whole
def test_the_product_of_two_registers_is_exact(
    bits: tuple[int, int], width: int, *, signed: bool
) -> None:
    solver, rng = Solver(20), Random(width)
    terms = solver.terms
    x, y = (terms.make_variable(size, f"x.{index}") for index, size in enumerate(bits))
    factors = (terms.resize(z, size, width, signed) for z, size in zip((x, y), bits, strict=True))
    product = terms.multiply(*factors)
    for _ in range(20):
        patterns = [rng.getrandbits(size) for size in bits]
        expected = 1
        for pattern, size in zip(patterns, bits, strict=True):
            expected *= pattern - (pattern >> size - 1 << size) * signed
        equal = [
            terms.make("EQUAL", z, terms.make_value(pattern, size))
            for z, pattern, size in zip((x, y), patterns, bits, strict=True)
        ]
        wrong = terms.make("DISTINCT", product, terms.make_value(expected, width))
        assert not solver.is_possible(*equal, wrong)
        assert solver.is_possible(*equal)


SATURATED = "vadd4.s32.s32.s32.sat d, a, b, c"
CONDITIONS = (
    (SATURATED, "d == 0x7f7f7f7f", lambda v, d: d == 0x7F7F7F7F),
    (SATURATED, "d == -1 and a.b0.signed < -5", lambda v, d: d == 2**32 - 1 and v["a"] % 256 > 127),
    (SATURATED, "clamped(saturate.t[2])", lambda v, d: d >> 16 & 255 in (0x7F, 0x80)),
    (SATURATED, "clamped_low(saturate.t)", lambda v, d: 0x80 in d.to_bytes(4, "little")),
    (SATURATED, "operate.t[1] > 200", lambda v, d: d >> 8 & 255 == 0x7F),
    (SATURATED, "a + b == 2**5 or a * 3 - b == 7" .replace("2**5", "32"),
     lambda v, d: v["a"] + v["b"] == 32 or v["a"] * 3 - v["b"] == 7),
    (SATURATED, "(a & 0xff) << 8 == b ^ 0x1 and not a == 0",
     lambda v, d: v["a"] and (v["a"] & 255) << 8 == v["b"] ^ 1),
    (SATURATED, "3 < a.h1 < b.h0 <= 9", lambda v, d: 3 < v["a"] >> 16 < v["b"] % 65536 <= 9),
    ("vmad.s32.s32.s32.sat.shr15 d, a, b, c", "d == 0x12345678 and a == b",
     lambda v, d: d == 0x12345678 and v["a"] == v["b"]),
    ("setp.lt.f32 p, a, b", "p and a > b", lambda v, d: d and v["a"] > v["b"]),
    ("@p set.lt.u32.s32 d, a, b", "d == old.d + 1 and not p",  None),
    ("@p set.lt.u32.s32 d, a, b", "d == old.d == 5 and not p", lambda v, d: d == v["d"] == 5),
)  # fmt: skip


@pytest.mark.parametrize(("ptx", "where", "holds"), CONDITIONS, ids=[x[1] for x in CONDITIONS])
def test_find_returns_only_operands_that_satisfy_the_condition(
    ptx: str, where: str, holds: object
) -> None:
    search = find(ptx, where, count=4)
    if holds is None:
        assert (search.answers, search.is_complete) == ((), True)
        return
    assert callable(holds)
    assert search.answers
    assert len(set(map(str, search.answers))) == len(search.answers)
    for values in search.answers:
        (result,) = search.make_trace(values).result.values()
        assert holds(values, result), values


def test_find_by_a_register_that_a_later_statement_reads() -> None:
    block = "{ add.u32 %d, a, b; shr.u32 e, %d, 4; add.u32 %d, %d, 1; xor.b32 f, %d, e; }"
    (answer,) = find(block, "%d == 0x1235 and a > b").answers
    assert (answer["a"] + answer["b"] + 1) & 0xFFFFFFFF == 0x1235
    assert answer["a"] > answer["b"]
    # what a block reads first has its value from before
    (answer,) = find("{ add.u32 a, a, b; not.b32 d, a; }", "a == 7 and d == 3").answers
    assert answer == {"a": 7, "b": (~3 - 7) & 0xFFFFFFFF}
    with pytest.raises(PtxError, match="nothing here is called `t`"):
        find("{ { .reg .b32 t; add.u32 t, a, b; shr.u32 e, t, 4; } not.b32 f, e; }", "t == 5")


def test_find_lists_all_operands_or_says_that_there_are_none() -> None:
    search = find("popc.b32 d, a", "d == 31", count=100)
    assert {x["a"] for x in search.answers} == {2**32 - 1 - (1 << bit) for bit in range(32)}
    assert search.is_complete
    found = find("vavrg4.u32.u32.u32 d, a, b, a", "d.b0 > a.b0 and d.b0 > b.b0")
    assert found.answers == ()
    assert found.is_complete
    assert find(SATURATED, "d == 5", given={"a": 5, "b": 0}, count=2).is_complete


@pytest.mark.parametrize(
    ("where", "message", "blamed"),
    [
        *read_lines(DATA / "wrong_conditions.txt", 3),
        ("(" * 300 + "a" + ")" * 300, "", ""),
        ("a" + " + a" * 300, "a condition has at most 1000 characters", "a"),
        ("-" * 990 + "a", "", ""),
    ],
)
def test_a_wrong_condition_has_an_error(where: str, message: str, blamed: str) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        with pytest.raises(PtxError) as raised:
            find(SATURATED, where)
    assert not found
    assert message in raised.value.message
    start, end = raised.value.span
    assert blamed in where[start:end]


def test_a_condition_may_name_registers_with_a_percent_sign() -> None:
    search = find("vadd.u32.u32.u32 %r1, %r2, %3", "%r1 == 5 and %r2.b0 == %3 + 1")
    assert search.answers == ({"%r2": 3, "%3": 2},)
    assert parse(str(search.program)) == search.program.instruction


@ci_only
def test_every_row_can_be_named_in_a_condition() -> None:
    rng = Random("rows")
    keys: set[str] = set()
    for opcode in CATALOG:
        for _ in range(30):
            ins = instruction_of(pick_form(opcode, rng))
            question = ProofQuestion(1)
            side = question.add_side(make_block(ins), ISA_MODEL)
            scope = make_scope(question, side)
            for row in side.plan.rows:
                lane = "[0]" if side.values[row.key].lanes > 1 else ""
                read_condition(question, f"{row.key}{lane} == 1", scope)
                keys.add(row.key)
    assert "boolean.not" in keys


def test_a_condition_may_name_a_row_like_a_python_word() -> None:
    search = find("setp.lt.and.s32 p|q, a, b, c", "boolean.not == 1 and q and not p")
    (values,) = search.answers
    assert (values["a"] ^ 1 << 31) >= (values["b"] ^ 1 << 31)
    with pytest.raises(PtxError) as raised:
        find("setp.lt.and.s32 p|q, a, b, c", "a == 5 and boolean.is == 1")
    assert "`boolean.is`" in raised.value.message


def test_a_mask_fixes_some_bits_of_a_register() -> None:
    ins = parse(SATURATED)
    given = {"a": 0x01020304, "b": 0x10203040}
    where = "d == 0x11227fff"
    free = find_operands(
        make_block(ins), where, fixed_values=given, masks={"b": 0xFFFF0000}, count=5
    )
    found = {x["b"] for x in free.answers}
    # lane 1: 3 + x >= 127, lane 0: 4 + x = -1
    assert found == {0x102000FB | x << 8 for x in (124, 125, 126, 127)}
    assert free.is_complete
    assert not find_operands(
        make_block(ins), where, fixed_values=given, masks={"b": 0xFFFFFF00}
    ).answers


@pytest.mark.parametrize("width", [64, 96, 128])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize(
    "factor", [0, 5, -3, 1 << 31, 1 << 63, -(1 << 63), (1 << 64) - 1, 1 << 64, -1 - (1 << 64)]
)
@whole
def test_the_product_of_a_register_pair_and_a_constant_is_exact(
    factor: int, signed: bool, width: int
) -> None:
    solver = Solver(20)
    terms = solver.terms
    pair = terms.make_variable(64, "a")
    product = terms.multiply(terms.resize(pair, 64, width, signed), terms.make_value(factor, width))
    for a in (0, 1, 7, (1 << 63) - 1, 1 << 63, (1 << 64) - 2, 0x8000000180000001):
        number = a - (a >> 63 << 64) if signed else a
        is_other = terms.make("DISTINCT", product, terms.make_value(number * factor, width))
        assert not solver.is_possible(terms.make("EQUAL", pair, terms.make_value(a, 64)), is_other)


@pytest.mark.parametrize(
    "dividends", [Range(0, 255), Range(0, 200), Range(-128, 127), Range(-9, 3)]
)
def test_a_multiplier_gives_every_quotient(dividends: Range) -> None:
    for divisor in set(range(3, 300)) - {1 << n for n in range(9)}:
        factor, shift = find_multiplier(dividends, divisor)
        for x in range(dividends.low, dividends.high + 1):
            product = x * factor >> shift
            assert (~product if x < 0 else product) == abs(x) // divisor, (x, divisor)


@pytest.mark.parametrize("bits", [16, 32, 64])
@pytest.mark.parametrize("sign", ["s", "u"])
def test_the_solver_divides_by_a_constant(sign: str, bits: int) -> None:
    rng, signed = Random(bits), sign == "s"
    for _ in range(12):
        divisor = rng.randrange(2, 1 << rng.randrange(2, bits))
        divisor = -divisor if signed and rng.random() < 0.3 else divisor
        a = rng.choice((rng.getrandbits(bits), 1 << bits - 1, (1 << bits) - 1, abs(divisor) - 1))
        x = a - (1 << bits) if signed and a >> bits - 1 else a
        quotient = abs(x) // abs(divisor) * (-1 if (x < 0) != (divisor < 0) else 1)
        for line, result in (("div", quotient), ("rem", x - quotient * divisor)):
            text = f"{line}.{sign}{bits} d, a, {divisor}"
            expected = result & (1 << bits) - 1
            search = find(text, f"d != {expected}", given={"a": a})
            assert search.is_complete, (text, a)
            assert not search.answers, (text, a)
