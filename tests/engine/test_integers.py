"""Integer instructions beside the 27: verdicts of ptxas, a second formulation."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import (
    PtxError,
    diagnose,
    evaluate,
    evaluate_block,
    parse,
    parse_all,
    parse_block,
    trace,
    trace_block,
)
from ptxscope.blocks.execution import execute
from ptxscope.engine.isa.catalog import (
    CATALOG,
    ENTRIES,
    count_entry_forms,
    list_shapes,
    pick_entry_form,
)
from ptxscope.engine.isa.entry import Entry, Group
from ptxscope.engine.isa.intrinsics import find_successor
from ptxscope.engine.isa.truth_tables import (
    find_formulas,
    find_ignored_variables,
    format_function,
    parse_formula,
)
from ptxscope.engine.tracing.step_text import describe_step, interpret_bits
from ptxscope.sources.source_programs import load
from tests.reference_data import read_lines, table
from tests.reference_integers import OPCODES, compute
from tests.strategies import bits, instruction_of
from tests.tiers import examples


def test_the_verdict_on_instructions_of_all_code_is_that_of_ptxas() -> None:
    """Registers are as wide as the types; ptxas takes wider ones for ``cvt``, too."""
    rows = table("common_verdicts.csv")
    accepted = {row["ptx"] for row in rows if row["ptxas_13_0"] == "accept"}
    parsed_lines = set[str]()
    for row in rows:
        with suppress(PtxError):
            assert parse(str(parse(f"{row['ptx']};"))).mnemonic == row["ptx"].split()[0]
            parsed_lines.add(row["ptx"])
    assert parsed_lines == accepted
    assert len(accepted) == sum(count_entry_forms(x) for x in ENTRIES if x.group is Group.COMMON)


@pytest.mark.parametrize(
    "entry", [x for x in ENTRIES if x.group is Group.COMMON], ids=lambda x: x.opcode
)
def test_a_result_of_an_instruction_of_all_code_is_explained(entry: Entry) -> None:
    rng = Random(entry.opcode)
    for _ in range(3):
        ins = instruction_of(pick_entry_form(entry, rng))
        values = {x.name: rng.getrandbits(x.type.bits) for x in ins.inputs}
        (right,) = evaluate(ins, values).values()
        assert not diagnose(ins, values, int(right))[0].causes
        assert all(x.causes for x in diagnose(ins, values, int(right) ^ 1))


@pytest.mark.parametrize("model", ["isa", "ptxas-13.0"])
@given(st.sampled_from(OPCODES), st.integers(0, 2**32), st.data())
@examples(600)
def test_a_second_formulation_agrees(
    model: str, opcode: str, seed: int, data: st.DataObject
) -> None:
    entry = data.draw(st.sampled_from(list_shapes(opcode)))
    ins = instruction_of(pick_entry_form(entry, Random(seed)))
    operands = {str(x.role): data.draw(bits(ins.type_of(x.role))) for x in ins.entry.sources}
    if opcode == "fns":
        operands["b"] %= 32  # the manual leaves other bases undefined
    negated = {role for role in "abe" if role in operands and ins.form.get(f"neg{role}")}
    written = {role: 1 - x if role in negated else x for role, x in operands.items()}
    values = list(written.values())
    if ins.form.lut is not None:
        values.insert(3, ins.form.lut)
    expected = compute(ins.mnemonic, *values, ptxas=model != "isa")
    if ins.form.dst == "_|p":
        expected = expected[1:]
    names = {ins.names[role]: value for role, value in operands.items()}
    found = evaluate(ins, names, model=model)
    assert tuple(found.values()) == expected


_COUNTS = """
    prmt 7, lop3 2304, bfe 4, bfi 2, shf 4, szext 4, bmsk 2, brev 2, clz 2, popc 2, bfind 8,
    fns 1, dp4a 4, dp2a 8, sad 6, add 20, sub 15, min 13, max 13, neg 4, addc 8, subc 8, mad 25,
    madc 16, mov 13, and 7, or 7, xor 7, not 5, shl 3, shr 9, mul 16, mul24 4, mad24 5, cvt 110,
    div 6, rem 6, abs 3, cnot 3
"""


def test_the_forms_are_counted() -> None:
    """The table of PLAIN.md, with 256 truth tables, and `!e` and `_|p` of predicate forms.

    The links of chains are of four types each, with and without ``.cc`` where that is optional.
    """
    counts = {x: sum(map(count_entry_forms, list_shapes(x))) for x in OPCODES}
    assert counts == {x: int(count) for x, count in map(str.split, _COUNTS.split(","))}
    assert list(CATALOG)[27:] == list(OPCODES)


@pytest.mark.parametrize(("ptx", "minimum"), read_lines("minimums.txt", 2))
def test_the_minimum_version_is_that_of_ptxas(ptx: str, minimum: str) -> None:
    ins = parse(ptx)
    assert str(ins.entry.compute_minimum(ins.form)) == minimum


def test_the_carry_is_an_operand_and_a_result() -> None:
    values = {"a": 0xFFFFFFFF, "b": 1}
    assert evaluate("add.cc.u32 d, a, b", values) == {"d": 0, "CC.CF": 1}
    assert evaluate("addc.u32 d, a, b", values | {"cc": 1}) == {"d": 1}
    assert evaluate("addc.u32 d, a, b", values | {"CC.CF": 1}) == {"d": 1}
    found = trace("addc.cc.u32 d, a, b", values)
    assert found.result == {"d": 0, "CC.CF": 1}
    assert any("CC.CF=1" in note for note in found.notes)
    assert not any(
        "CC.CF=1" in note for note in trace("addc.u32 d, a, b", values | {"cc": 0}).notes
    )
    # a register may have that name
    assert evaluate("addc.u32 d, a, cc", {"a": 1, "cc": 5}) == {"d": 6}
    assert evaluate("addc.u32 d, a, cc", {"a": 1, "cc": 5, "CC.CF": 1}) == {"d": 7}


@given(st.integers(0, 2**128 - 1), st.integers(0, 2**128 - 1), st.sampled_from("+-"))
@examples(50)
def test_a_chain_computes_numbers_of_128_bits(x: int, y: int, sign: str) -> None:
    opcode, carry, found = ("add" if sign == "+" else "sub"), 0, 0
    for place in range(0, 128, 32):
        line = f"{opcode}{'c' if place else ''}.cc.u32 d, a, b"
        values = {"a": x >> place & 0xFFFFFFFF, "b": y >> place & 0xFFFFFFFF, "cc": carry}
        if not place:
            del values["cc"]
        results = evaluate(line, values)
        carry = int(results["CC.CF"])
        found |= int(results["d"]) << place
    exact = x + y if sign == "+" else x - y
    assert found == exact % 2**128
    assert carry == (exact >= 2**128 or exact < 0)


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
@examples(50)
def test_the_product_that_the_manual_prints(x: int, y: int) -> None:
    """The example of 9.7.2.6 of the PTX ISA: a product of 128 bits, as one program."""
    text = """{ mad.lo.cc.u32 r1, r5, r6, r1; madc.hi.u32 r2, r5, r6, 0;
        mad.lo.cc.u32 r1, r4, r7, r1; madc.hi.cc.u32 r2, r4, r7, r2; addc.u32 r3, 0, 0;
        mad.lo.cc.u32 r2, r5, r7, r2; madc.hi.u32 r3, r5, r7, r3; }"""
    (program,) = load(text, "x.ptx")
    (x1, x0), (y1, y0) = divmod(x, 2**32), divmod(y, 2**32)
    r1, r0 = divmod(x0 * y0, 2**32)
    run = execute(program, {"r1": r1, "r4": x0, "r5": x1, "r6": y0, "r7": y1})
    words = [r0, *(run.registers[name].bits or 0 for name in ("r1", "r2", "r3"))]
    assert sum(word << 32 * place for place, word in enumerate(words)) == x * y


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.data())
@examples(200)
def test_a_successor_computes_the_video_instruction(a: int, b: int, data: st.DataObject) -> None:
    opcode = data.draw(st.sampled_from([x for x in CATALOG if find_successor(x)]))
    successor = find_successor(opcode)
    assert successor
    name, _, lanes = successor.mnemonic.partition(".")
    signed, flagged = data.draw(st.booleans()), data.draw(st.booleans())
    type_ = "s32" if signed else "u32"
    kind = f"{'s' if signed else 'u'}{lanes[1:]}"
    video, packed = f"{opcode}.{type_}.{type_}.{type_}", f"{name}.{kind}"
    if flagged and successor.flag == "sat":
        video, packed = f"{video}.sat", f"{name}.sat.{kind}"
    elif flagged and signed:
        video, packed = f"{opcode}.u32.s32.s32.sat", f"{name}.relu.{kind}"
    if data.draw(st.booleans()):
        video = f"{opcode}.s32.s32.s32.add"
        first, total = ("dp4a", 0x01010101) if opcode[-1] == "4" else ("dp2a.lo", 0x0101)
        lanes_ = {"a": evaluate(f"{opcode}.s32.s32.s32 d, a, b, c", {"a": a, "b": b})["d"]}
        if opcode in ("vmin4", "vmax4", "vmin2", "vmax2"):  # results that fit their lanes
            expected = evaluate(f"{first}.s32.s32 d, a, b, c", lanes_ | {"b": total, "c": 7})
            assert evaluate(f"{video} d, a, b, c", {"a": a, "b": b, "c": 7}) == expected
        return
    expected = evaluate(f"{packed} d, a, b", {"a": a, "b": b})
    assert evaluate(f"{video} d, a, b, c", {"a": a, "b": b}) == expected


@pytest.mark.parametrize("type_", ["u16", "u32", "u64", "s16", "s32", "s64"])
@pytest.mark.parametrize("opcode", ["div", "rem"])
def test_a_division_by_zero_gives_all_ones_and_a_remark_on_the_manual(
    opcode: str, type_: str
) -> None:
    """The code of ptxas 13.0 for sm_90 ends in a choice of all ones, predicated on b = 0."""
    found = trace(f"{opcode}.{type_} d, a, b", {"a": 5, "b": 0})
    assert found.result == {"d": 2 ** int(type_[1:]) - 1}
    said = [describe_step(step) for step in found.steps]
    assert any("leaves the result of a division by 0 open" in x for x in said)


UNEXPLAINED = ("add.f16 d, a, b", "min.f32 d, a, b", "mad.rn.f32 d, a, b, c", "neg.f64 d, a")


@pytest.mark.parametrize("ptx", UNEXPLAINED)
def test_an_unexplained_instruction_of_a_known_opcode_is_not_illegal(ptx: str) -> None:
    with pytest.raises(
        PtxError, match="a PTX instruction that ptxscope does not explain"
    ) as caught:
        parse(ptx)
    assert all(problem.unread for problem in caught.value.errors)
    assert [x.opcode for x in parse_all(f"{ptx}; vadd.u32.u32.u32 d, a, b;")] == ["vadd"]


def test_a_common_instruction_is_parsed_if_it_is_the_only_one() -> None:
    assert parse("add.u32 d, a, b;").opcode == "add"
    (video,) = parse_all("add.u32 d, a, b; vadd.u32.u32.u32 d, a, b;")
    (clamped,) = parse_all("add.sat.s32 d, a, b; add.u32 d, a, b;")
    assert (video.opcode, clamped.opcode, clamped.form.sat) == ("vadd", "add", True)


def test_every_truth_table_equals_its_formula() -> None:
    assert len(find_formulas()) == 256
    for number, formula in find_formulas().items():
        if number not in (0, 255):
            assert parse_formula(str(formula)) == number
            value = eval(str(formula), {"a": 0xF0, "b": 0xCC, "c": 0xAA})
            assert value & 255 == number


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0xCA, "a ? b : c"),
        (0xAC, "a ? c : b"),
        (0xD8, "c ? b : a"),
        (0x3A, "a ? ~b : c"),
        (0x35, "a ? ~b : ~c"),
        (0xE8, None),
    ],
)
def test_a_table_that_chooses_is_named_so(number: int, text: str | None) -> None:
    """The bit of 4a + 2b + c is that of the operand which the first one chooses."""
    assert format_function(number) == (text or str(find_formulas()[number]))
    if text:
        chooser, chosen = text.split(" ? ")
        words = [x.replace("~", "1 - ") for x in (chooser, *chosen.split(" : "))]
        for index in range(8):
            bits = {"a": index >> 2, "b": index >> 1 & 1, "c": index & 1}
            x, yes, no = (eval(word, bits) for word in words)
            assert number >> index & 1 == (yes if x else no)


@pytest.mark.parametrize(("number", "names"), [(0xF0, "bc"), (0x3C, "c"), (0x96, ""), (0, "abc")])
def test_ignored_variables(number: int, names: str) -> None:
    assert find_ignored_variables(number) == (*names,)


@pytest.mark.parametrize(
    ("text", "number"),
    [("a & b", 0xC0), ("(a & b) | c", 0xEA), ("a ^ b ^ c", 0x96), ("!a", 0x0F), ("a|b&c", 0xF8)],
)
def test_a_formula_is_parsed_to_its_truth_table(text: str, number: int) -> None:
    assert parse_formula(text) == number


@pytest.mark.parametrize(
    "text",
    [
        *("", "a &", "a b", "x", "(a", "a)", "&a", "a & & b"),
        "(" * 999 + "a" + ")" * 999,
        "~" * 9999 + "a",
    ],
)
def test_a_wrong_formula_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"formula|missing|operand"):
        parse_formula(text)


def test_the_offset_of_fns_is_signed() -> None:
    one = trace("fns.b32 d, a, b, c", {"a": 0xFF, "b": 7, "c": -3})
    assert interpret_bits(one.instruction, "c", one.operands["c"]) == "-3"


@pytest.mark.parametrize(("line", "a", "d"), read_lines("conversions.txt", 3))
def test_conversions_take_wider_registers(line: str, a: str, d: str) -> None:
    """Without declarations, a register is as wide as the wider of the types that it has."""
    declared = ".reg .b32 a32, d32; .reg .b64 a64, d64; " * ("x, x" not in line)
    block = parse_block(f"{declared}{line};")
    values = {x.name: int(a, 0) for x in block.inputs} | ({"p": 1} if line[0] == "@" else {})
    assert [*trace_block(block, values).result.values()] == [int(d, 0)]
    assert [*evaluate_block(block, values).values()] == [int(d, 0)]


REGISTERS = (
    ".reg .pred p, q, r, s; .reg .b16 h0, h1, h2, h3; .reg .b32 a, b, c, d; .reg .u32 ua;"
    " .reg .s32 sa, sd; .reg .f32 fa, fb, fd; .reg .b64 x, y, z; .reg .f64 dx, dy;"
    " .reg .b128 w, v; .reg .u8 ub; .reg .s8 sb; .reg .b8 bb; "
)


def test_the_verdict_on_operands_is_that_of_ptxas() -> None:
    """Wider and 8-bit registers of ``cvt``, moves of lists, and sums, which are not modelled."""
    rows = table("operand_verdicts.csv")
    assert {row["ptxas_13_0"] for row in rows} == {"accept", "reject"}
    for row in rows:
        try:
            parse_block(f"{REGISTERS}{row['ptx']};")
        except PtxError:
            try:
                parse(f"{row['ptx']};")
            except PtxError as error:
                is_sum = "+" in row["ptx"] and all(x.unread for x in error.errors)
                assert row["ptxas_13_0"] == ("accept" if is_sum else "reject"), row
            else:  # illegal with the registers' declared types
                assert row["ptxas_13_0"] == "reject", row
        else:
            assert row["ptxas_13_0"] == "accept", row


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_misconceptions_compute_the_results_of_other_languages(bits: int) -> None:
    """Python's division and modulo round down; C on x86 takes amounts modulo the width."""
    rng, ones = Random(bits), (1 << bits) - 1
    edges = [0, 1, ones, ones >> 1, 1 << bits - 1]
    for _ in range(60):
        a, b = (rng.choice([*edges, rng.getrandbits(bits), rng.getrandbits(4)]) for _ in "ab")
        x, y = (number - (number >> bits - 1 << bits) for number in (a, b))
        amount = rng.randrange(2 * bits)
        cases = [
            (f"shl.b{bits}", "H12", amount, a << amount % bits),
            (f"shr.s{bits}", "H12", amount, x >> amount % bits),
            (f"shr.s{bits}", "H14", amount, -(-x >> amount) if x < 0 else x >> amount),
        ]
        if b:
            cases += [(f"div.s{bits}", "H13", b, x // y), (f"rem.s{bits}", "H13", b, x % y)]
        for opcode, model, other, expected in cases:
            found = evaluate(f"{opcode} d, a, b", {"a": a, "b": other}, model=model)
            assert found == {"d": expected & ones}, (opcode, model, a, other)
        clamped = {"d": min(abs(x), ones >> 1)}
        assert evaluate(f"abs.s{bits} d, a", {"a": a}, model="H16") == clamped
