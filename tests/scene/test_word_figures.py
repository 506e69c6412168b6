"""Bars of bytes, truth tables and windows say what plain arithmetic says of the same operands."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ptxscope import parse
from ptxscope.engine.isa.types import PermuteMode
from ptxscope.engine.tracing.provenance import find_provenance
from ptxscope.engine.tracing.trace import trace
from ptxscope.scene.scene_builder import build_scene
from ptxscope.scene.scene_model import (
    BitRulers,
    LaneRef,
    PermutationFigure,
    RowFigure,
    SpanKind,
    TableFigure,
)
from tests.reference_integers import compute
from tests.tiers import examples, whole

WORDS = st.integers(0, 2**32 - 1)
LENGTHS = st.integers(0, 40)


def figure(line: str, **operands: int) -> RowFigure | None:
    return build_scene(trace(line, operands)).rows["operate.t"].figure


def permutation(line: str, **operands: int) -> PermutationFigure:
    found = figure(line, **operands)
    assert isinstance(found, PermutationFigure)
    return found


def source_bytes(a: int, b: int) -> bytes:
    return a.to_bytes(4, "little") + b.to_bytes(4, "little")


@examples(200)
@given(WORDS, WORDS, WORDS)
def test_a_lane_takes_the_byte_that_its_digit_names(a: int, b: int, c: int) -> None:
    bar = permutation("prmt.b32 d, a, b, c", a=a, b=b, c=c)
    taken_bytes = source_bytes(a, b)
    assert [(x.number, x.text) for x in reversed(bar.sources)] == [
        (number, f"{byte:02x}") for number, byte in enumerate(taken_bytes)
    ]
    for lane, taken in enumerate(reversed(bar.lane_bytes)):
        digit = c >> 4 * lane & 15
        number = digit % 8
        assert taken.source
        assert (taken.digit_text, taken.is_sign) == (f"{digit:x}", digit >= 8)
        assert taken.source.place == LaneRef("ab"[number // 4], number % 4)
        byte = taken_bytes[number]
        assert int(taken.text, 16) == (byte if digit < 8 else 0xFF if byte >= 0x80 else 0)
    assert {x.number for x in bar.sources if x.is_taken} == {
        (c >> 4 * i & 15) % 8 for i in range(4)
    }
    assert (bar.selector, bar.selector_name) == (f"0x{c & 0xFFFF:04x}", "c")


@examples(100)
@given(WORDS, WORDS, WORDS)
def test_links_and_provenance_lead_to_the_selected_byte_only(a: int, b: int, c: int) -> None:
    one = trace("prmt.b32 d, a, b, c", {"a": a, "b": b, "c": c})
    links = build_scene(one).rows["operate.t"].links
    assert all(link.is_taken for link in links)
    for lane in range(4):
        digit = c >> 4 * lane & 15
        place = LaneRef("ab"[digit % 8 // 4], digit % 4)
        sources = {x.source for x in links if x.target == LaneRef("operate.t", lane)}
        assert sources == {place, LaneRef("select.c", lane)}
        low = 8 * place.lane
        bits = (low, low + 8) if digit < 8 else (low + 7, low + 8)
        digit_bits = ("c", 4 * lane, 4 * lane + 4)
        assert set(find_provenance(one, "operate.t", lane)) == {(place.key, *bits), digit_bits}


@pytest.mark.parametrize(("mode", "n"), [*product(PermuteMode, range(4))])
def test_a_mode_of_prmt_names_the_equivalent_selector(mode: PermuteMode, n: int) -> None:
    a, b = 0x33221180, 0xF7665544
    bar = permutation(f"prmt.b32.{mode} d, a, b, c", a=a, b=b, c=n)
    by_selector = compute("prmt.b32", a, b, int(bar.selector, 16))
    assert by_selector == compute(f"prmt.b32.{mode}", a, b, n)
    assert "".join(x.text for x in bar.lane_bytes) == f"{by_selector[0]:08x}"
    assert not bar.selector_name


def table(line: str, **operands: int) -> TableFigure:
    found = figure(line, **operands)
    assert isinstance(found, TableFigure)
    return found


@examples(200)
@given(st.integers(0, 255), WORDS, WORDS, WORDS)
def test_each_bit_uses_the_entry_of_its_three_bits(lut: int, a: int, b: int, c: int) -> None:
    drawn = table(f"lop3.b32 d, a, b, c, {lut}", a=a, b=b, c=c)
    assert [x.number for x in drawn.entries] == [7, 6, 5, 4, 3, 2, 1, 0]
    assert "".join(str(x.value) for x in drawn.entries) == f"{lut:08b}"
    assert [x.digits for x in (*drawn.words, drawn.result)] == [
        f"{x:032b}" for x in (a, b, c, compute("lop3.b32", a, b, c, lut)[0])
    ]
    for bit in range(32):
        bits = tuple(x >> bit & 1 for x in (a, b, c))
        entry = drawn.find_entry(bit)
        assert (entry.bits, entry.number) == (bits, int("".join(map(str, bits)), 2))
        assert entry.value == int(drawn.result.digits[31 - bit])
        assert bit in drawn.get_entry(entry.number).positions
    assert sum(len(x.positions) for x in drawn.entries) == 32


def evaluate_formula(formula: str, bits: dict[str, int]) -> int:
    """The last bit of a formula of words, ``a ? b : c`` being a choice bit by bit."""
    condition, is_choice, words = formula.partition(" ? ")
    value = int(eval(condition, {}, bits)) & 1
    return evaluate_formula(words.split(" : ")[1 - value], bits) if is_choice else value


@pytest.mark.parametrize("lut", range(256))
@whole
def test_the_formula_of_a_truth_table_is_its_function(lut: int) -> None:
    drawn = table(f"lop3.b32 d, a, b, c, {lut}", a=0, b=0, c=0)
    results: dict[tuple[int, ...], int] = {
        (a, b, c): evaluate_formula(drawn.formula, {"a": a, "b": b, "c": c})
        for a, b, c in product((0, 1), repeat=3)
    }
    assert [results[entry.bits] for entry in drawn.entries] == [x.value for x in drawn.entries]
    for index, word in enumerate(drawn.words):
        pairs = [
            (results[bits], results[(*bits[:index], 1, *bits[index + 1 :])])
            for bits in results
            if not bits[index]
        ]
        assert word.is_ignored == all(x == y for x, y in pairs)


def digits(drawn: RowFigure | None, number: int, *kinds: SpanKind) -> str:
    assert isinstance(drawn, BitRulers)
    runs = drawn.rulers[number].runs
    return "".join(x.text.replace(" ", "") for x in runs if not kinds or x.kind in kinds)


@examples(200)
@given(WORDS, LENGTHS, LENGTHS, st.sampled_from(["s32", "u32"]))
@example(0xFF, 3, 0, "s32")
@example(0xFF, 32, 8, "u32")
def test_a_window_over_a_shows_the_field(a: int, b: int, c: int, kind: str) -> None:
    drawn = figure(f"bfe.{kind} d, a, b, c", a=a, b=b, c=c)
    position, length = min(b, 32), min(c, 32)
    window = digits(drawn, 0, SpanKind.CHIP)
    inside = f"{a:032b}"[::-1][position : position + length][::-1]
    assert window == inside
    word = digits(drawn, 0)[-32:]
    assert word == f"{a:032b}"
    above = digits(drawn, 0, SpanKind.SIGN, SpanKind.ZERO)
    sign = str(a >> 31) if kind == "s32" else "0"
    assert above == sign * (length - len(inside))
    result = compute(f"bfe.{kind}", a, b, c)[0]
    assert digits(drawn, 1) == f"{result:032b}"
    assert digits(drawn, 1, SpanKind.CHIP) == inside  # above the top of a, there is no bit of it
    assert isinstance(drawn, BitRulers)
    outside = [run.text for run in drawn.rulers[0].runs if run.kind is SpanKind.OUTSIDE]
    assert inside or len(outside) == 1
    assert length or not any(run.label for ruler in drawn.rulers for run in ruler.runs)


@examples(200)
@given(WORDS, WORDS, LENGTHS, LENGTHS)
def test_an_inserted_field_has_the_colour_of_its_operand(a: int, b: int, c: int, e: int) -> None:
    drawn = figure("bfi.b32 d, a, b, c, e", a=a, b=b, c=c, e=e)
    assert isinstance(drawn, BitRulers)
    position = min(c, 32)
    count = min(min(e, 32), 32 - position)
    result = compute("bfi.b32", a, b, c, e)[0]
    assert [digits(drawn, 0), digits(drawn, 1), digits(drawn, 2)] == [
        f"{x:032b}" for x in (a, b, result)
    ]
    runs = [x for x in drawn.rulers[2].runs if x.tint and x.tint.role == "a"]
    field = "".join(x.text.replace(" ", "") for x in runs)
    assert field == (f"{a:032b}"[-count:] if count else "")
    replaced = digits(drawn, 1, SpanKind.LOST)
    assert replaced == f"{b:032b}"[::-1][position : position + count][::-1]


@examples(200)
@given(WORDS, WORDS, WORDS, st.sampled_from("lr"), st.sampled_from(["wrap", "clamp"]))
def test_the_window_over_a_pair_is_the_result(a: int, b: int, c: int, way: str, mode: str) -> None:
    drawn = figure(f"shf.{way}.{mode}.b32 d, a, b, c", a=a, b=b, c=c)
    assert isinstance(drawn, BitRulers)
    assert digits(drawn, 0) == f"{b:032b}{a:032b}"
    assert digits(drawn, 0, SpanKind.CHIP) == f"{compute(f'shf.{way}.{mode}.b32', a, b, c)[0]:032b}"
    by_role = {x.tint.role: x.text for x in drawn.rulers[0].runs[1:3] if x.tint}
    assert set(by_role) <= {"a", "b"}


@examples(100)
@given(LENGTHS, LENGTHS, st.sampled_from(["wrap", "clamp"]))
def test_a_mask_is_a_window_of_ones(a: int, b: int, mode: str) -> None:
    drawn = figure(f"bmsk.{mode}.b32 d, a, b", a=a, b=b)
    result = compute(f"bmsk.{mode}.b32", a, b)[0]
    assert digits(drawn, 0) == f"{result:032b}"
    assert digits(drawn, 0, SpanKind.CHIP) == "1" * result.bit_count()


def labels(drawn: RowFigure | None, number: int) -> list[str]:
    assert isinstance(drawn, BitRulers)
    return [x.label for x in drawn.rulers[number].runs if x.label]


@examples(200)
@given(WORDS | st.integers(0, 12).map(lambda x: 1 << x))
def test_counted_bits_are_drawn(a: int) -> None:
    word, zeros = f"{a:032b}", len(f"{a:032b}".split("1")[0])
    drawn = figure("popc.b32 d, a", a=a)
    assert digits(drawn, 0) == word
    assert sum(map(int, labels(drawn, 0))) == word.count("1")
    assert digits(drawn, 0, SpanKind.CHIP).count("1") == word.count("1")
    drawn = build_scene(trace("clz.b32 d, a", {"a": a})).rows["operate.t"].figure
    assert digits(drawn, 0) == word
    assert digits(drawn, 0, SpanKind.CHIP) == word[: zeros + 1]
    highest = [f"bit {31 - zeros}"] if a else []
    counted = [f"{zeros} zero{'s' * (zeros != 1)}"] if zeros else []
    assert labels(drawn, 0) == counted + highest
    rows = build_scene(trace("bfind.s32 d, a", {"a": a})).rows
    pattern = word.translate({48: 49, 49: 48}) if a >> 31 else word
    assert digits(rows["operate.zeros"].figure, 0) == pattern


@examples(200)
@given(WORDS)
def test_a_reversed_word_is_drawn_with_the_word(a: int) -> None:
    drawn = figure("brev.b32 d, a", a=a)
    assert [digits(drawn, 0), digits(drawn, 1)] == [f"{a:032b}", f"{a:032b}"[::-1]]
    assert labels(drawn, 0) == ["31:24", "23:16", "15:8", "7:0"]
    assert labels(drawn, 1) == ["a[0:7]", "a[8:15]", "a[16:23]", "a[24:31]"]


@examples(300)
@given(WORDS, st.integers(0, 33), st.integers(-9, 9) | st.just(-(1 << 31)))
def test_the_searched_bits_are_drawn(a: int, b: int, c: int) -> None:
    """From bit b as far as the last 1 that is counted, or to the end of the word."""
    word, direction = f"{a:032b}"[::-1], 1 if c > 0 else -1
    searched = [b] if c == 0 else [*range(b, 32)] if c > 0 else [*range(b, -1, -1)]
    ones = [at for at in searched if b < 32 and word[at] == "1"]
    if 0 < abs(c) <= len(ones):
        searched = [*range(b, ones[abs(c) - 1] + direction, direction)]
    searched = searched if b < 32 else []
    for model in ("isa", "ptxas"):  # by E17, it is another result of the same search
        shown = trace("fns.b32 d, a, b, c", {"a": a, "b": b, "c": c % 2**32}, model=model)
        drawn = build_scene(shown).rows["operate.t"].figure
        assert digits(drawn, 0) == f"{a:032b}"
        window = "".join(word[at] for at in sorted(searched, reverse=True))
        assert digits(drawn, 0, SpanKind.CHIP) == window
        count = window.count("1")
        expected = [f": {count} one{'s' * (count != 1)}"] if window else []
        assert [x[x.index(": ") :] for x in labels(drawn, 0)] == expected


OPERANDS = {"a": 0xA53C96F1, "b": 0x5A0F7B2D, "c": 9, "e": 7}


@pytest.mark.parametrize("line", [
    "bfe.s32 d, a, 9, 7", "bfe.s32 d, a, 28, 9", "bfe.u32 d, a, 3, 29", "bfe.s64 d, a, 20, 30",
    "bfi.b32 d, a, b, 9, 7", "bfi.b32 d, a, b, 28, 9", "shf.l.wrap.b32 d, a, b, 9",
    "shf.r.clamp.b32 d, a, b, 31", "szext.clamp.s32 d, a, 9", "lop3.b32 d, a, b, c, 0xca",
    "prmt.b32 d, a, b, 0x94e0",
])  # fmt: skip
def test_bits_without_a_link_change_nothing(line: str) -> None:
    """Of each bit of d, a bit of an operand that is not among its origins can be flipped."""
    values = {x.name: OPERANDS[x.name] for x in parse(line).inputs}
    one = trace(line, values)
    bits = one.instruction.type_of("d").bits
    origins = [find_provenance(one, "write.d", 0, bit, bit + 1) for bit in range(bits)]
    for role, flipped in product(values, range(bits)):
        other = trace(line, {**values, role: values[role] ^ 1 << flipped})
        changed = one.result["d"] ^ other.result["d"]
        for bit in (x for x in range(bits) if changed >> x & 1):
            is_origin = [x.role == role and x.low <= flipped < x.high for x in origins[bit]]
            assert any(is_origin), (role, flipped, bit)
