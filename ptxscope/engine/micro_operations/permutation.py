"""The micro-operations of ``prmt`` and ``lop3``: permuted bytes, and functions of three bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..isa.encodings import format_hex, format_part
from ..isa.truth_tables import TruthFormula, find_formulas, find_ignored_variables, format_function
from ..isa.types import PermuteMode
from .arithmetic import Arithmetic, Inputs, Picks, V, fill
from .base import LaneView, MicroOperation, RowTrace
from .drawings import ByteChoice, BytePermutation, TruthTable
from .properties import (
    InputBits,
    LaneText,
    Notation,
    format_short_name,
    make_equation,
    map_bits,
    name_operands,
)

_BYTE = 8
_BYTES = 4
MAJORITY = 0xE8
"""The table of ``lop3`` that is 1 if at least two inputs are."""
_SOURCE_BYTES = 8
"""The bytes that ``prmt`` permutes: a's are 0 to 3, b's are 4 to 7."""


def _make_picks(numbers: Iterable[int]) -> Picks:
    """Return the picks of bytes numbered from a's lowest to b's highest."""
    return tuple((number // _BYTES, number % _BYTES) for number in numbers)


@dataclass(frozen=True)
class SelectDigits(MicroOperation):
    """The low four hexadecimal digits of x, one in each lane."""

    is_reversed: bool = False
    """Whether the last digit is in the highest lane: a mistake."""
    formula = "digits({x})"
    notation = Notation(4, is_number=True)

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        x = v[0]
        places = [*range(_BYTES)][:: -1 if self.is_reversed else 1]
        first, *others = (
            ar.bitand(ar.shift_right(x, 4 * place) if place else x, 15) for place in places
        )
        digits = ar.gather((first,), 8, ((0, 0),) * _BYTES)
        for lane, digit in enumerate(others, 1):
            digits = ar.keep(digit, digits, (lane,), 8)
        return digits

    @property
    def part_bits(self) -> int:
        return 4

    def count_output_lanes(self, input_lanes: int) -> int:
        return _BYTES

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        yield InputBits(0, 0, 4 * lane + low, 4 * lane + min(high, 4))

    def format_symbols(self, row: RowTrace, lane: int | None) -> str:
        name = row.inputs[0].symbol
        return f"digits of {name}" if lane is None else f"digit {lane} of {name}"

    def describe_lane(self, view: LaneView) -> LaneText:
        place, digit = f"digit {view.lane}", f"{view.value:x}"
        return LaneText(make_equation(place, digit), f"{place} of {view.names[0]} is {digit}")

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        sentence = "Takes the low four digits of {c}, one for each byte of {d}."
        return name_operands(sentence, rows[0].instruction)


class PermuteBytes(MicroOperation):
    """Pick a byte of y or z by each digit in x; a digit of 8 or more repeats its top bit."""

    formula = "byte {x}"
    about = (
        "Each digit picks a byte: 0 to 3 from {a}, 4 to 7 from {b}. With 8 added, the digit takes "
        "eight copies of that byte's top bit."
    )
    title = "permute"
    has_chosen_bits = True
    has_text_figure = True
    notation = Notation(8, is_number=False)

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        digits, *words = v
        index = ar.bitand(digits, 7)
        value = ar.gather(words, 8, _make_picks([0] * _BYTES))
        for number in range(1, _SOURCE_BYTES):
            byte = ar.gather(words, 8, _make_picks([number] * _BYTES))
            value = ar.where(ar.equal(index, number), byte, value)
        sign = ar.multiply(ar.equal(ar.less(value, 128), 0), 255)
        return ar.where(ar.less(digits, 8), value, sign)

    @property
    def part_bits(self) -> int:
        return _BYTE

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        digit = inputs[0][lane]
        word, start = 1 + digit % 8 // _BYTES, 8 * (digit % _BYTES)
        yield InputBits(0, lane, 0, 4)
        if digit < 8:
            yield InputBits(word, 0, start + low, start + min(high, 8))
        else:
            yield InputBits(word, 0, start + 7, start + 8)

    def find_rejected_bits(self, lane: int, inputs: Inputs) -> Iterable[InputBits]:
        return ()

    def make_figure(self, row: RowTrace) -> BytePermutation:
        choices = (ByteChoice(digit % 8, digit >= 8) for digit in row.inputs[0].values)
        return BytePermutation((1, 2), tuple(choices))

    def describe_lane(self, view: LaneView) -> LaneText:
        bits, digit = format_hex(view.value, 8), view.x
        name = view.names[1 + digit % 8 // _BYTES]
        part = format_part(name, 8, digit % _BYTES)
        if digit < 8:
            return LaneText(make_equation(part, bits), f"digit {digit} picks {part}: {bits}")
        sentence = (
            f"digit {digit:x} is 8 + {digit - 8}: the top bit of {part}, eight times, is {bits}"
        )
        return LaneText(make_equation(f"sign of {part}", bits), sentence)


@dataclass(frozen=True)
class PermuteByMode(MicroOperation):
    """Arrange four bytes of y and z by a mode and a number x from 0 to 3."""

    mode: PermuteMode
    formula = "{self.mode}({x})"
    about = "The mode arranges four bytes of {a} and {b} around byte n, the low two bits of {c}."
    title = "permute"
    has_chosen_bits = True
    has_text_figure = True
    notation = Notation(8, is_number=False)

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        number, *words = v
        value = ar.gather(words, 8, _make_picks(self.list_bytes(0)))
        number = ar.bitand(number, 3)  # so a number that is not truncated has the same effect
        wide_number = ar.gather((number,), 8, ((0, 0),) * _BYTES)
        for n in range(1, 4):
            arrangement = ar.gather(words, 8, _make_picks(self.list_bytes(n)))
            value = ar.where(ar.equal(wide_number, n), arrangement, value)
        return value

    def list_bytes(self, n: int) -> list[int]:
        """Return the number of the byte that each lane takes, lane 0 first."""
        return [_PERMUTATIONS[self.mode](n, lane) for lane in range(_BYTES)]

    def count_output_lanes(self, input_lanes: int) -> int:
        return _BYTES

    @property
    def part_bits(self) -> int:
        return _BYTE

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        ((word, index),) = _make_picks(self.list_bytes(inputs[0][0])[lane : lane + 1])
        yield InputBits(0, 0, 0, 2)
        yield InputBits(1 + word, 0, 8 * index + low, 8 * index + min(high, 8))

    def find_rejected_bits(self, lane: int, inputs: Inputs) -> Iterable[InputBits]:
        return ()

    def make_figure(self, row: RowTrace) -> BytePermutation:
        choices = map(ByteChoice, self.list_bytes(row.inputs[0].values[0]))
        return BytePermutation((1, 2), tuple(choices))

    def describe_lane(self, view: LaneView) -> LaneText:
        bits, number = format_hex(view.value, 8), self.list_bytes(view.x)[view.lane]
        part = format_part(view.names[1 + number // _BYTES], 8, number % _BYTES)
        sentence = f".{self.mode} with n = {view.x} puts {part} here: {bits}"
        return LaneText(make_equation(part, bits), sentence)

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        sentence = f"{_MODE_SENTENCES[self.mode]} Here n is the low two bits of {{c}}."
        return name_operands(sentence, rows[0].instruction)


_PERMUTATIONS: dict[PermuteMode, Callable[[int, int], int]] = {
    PermuteMode.F4E: lambda n, i: n + i,
    PermuteMode.B4E: lambda n, i: (n - i) % 8,
    PermuteMode.RC8: lambda n, _: n,
    PermuteMode.ECL: lambda n, i: max(i, n),
    PermuteMode.ECR: lambda n, i: min(i, n),
    PermuteMode.RC16: lambda n, i: n % 2 * 2 + i % 2,
}
"""The byte of a and b that lane i takes, by mode, for a number n."""
_MODE_SENTENCES = {
    PermuteMode.F4E: ".f4e takes bytes n to n + 3 of the pair {b}:{a}.",
    PermuteMode.B4E: ".b4e takes bytes n, n - 1, n - 2 and n - 3 of the pair {b}:{a}, modulo 8.",
    PermuteMode.RC8: ".rc8 takes byte n of {a} four times.",
    PermuteMode.ECL: ".ecl takes the bytes of {a}; those below byte n are replaced by byte n.",
    PermuteMode.ECR: ".ecr takes the bytes of {a}; those above byte n are replaced by byte n.",
    PermuteMode.RC16: ".rc16 takes a half-word of a twice: the upper one if n is odd.",
}


@dataclass(frozen=True)
class EvaluateTable(MicroOperation):
    """Look each triple of bits up in a truth table: bit 4x + 2y + z of it is the result."""

    table: int
    about = (
        "Each bit of {d} is the bit of the table at 4 times {a}'s bit + 2 times {b}'s bit + {c}'s "
        "bit."
    )
    title = "look up"
    has_passed_bits = True
    has_text_figure = True
    notation = Notation(32, is_number=False)

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        names = dict(zip("abc", v, strict=True))
        return _evaluate_formula(ar, find_formulas()[self.table], names)

    def find_origins(self, lane: int, low: int, high: int, inputs: Inputs) -> Iterable[InputBits]:
        return (map_bits(inputs, index, lane, low, min(high, 32)) for index in range(3))

    def make_figure(self, row: RowTrace) -> TruthTable:
        return TruthTable(self.table)

    def fill_formula(self, *terms: object) -> str:
        formula = str(find_formulas()[self.table])
        names = dict(zip("abc", map(str, terms), strict=True))
        return "".join(names.get(letter, letter) for letter in formula)

    def describe_lane(self, view: LaneView) -> LaneText:
        terms, bits = [format_hex(x, 32) for x in view.inputs], format_hex(view.value, 32)
        sentence = f"{self.fill_formula(*view.names)} is {bits}"
        return LaneText(make_equation(self.fill_formula(*terms), bits), sentence)

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        names = {x: format_short_name(rows[0].instruction, x) for x in "abc"}
        formula = format_function(self.table, names)
        sentence = f"The table {self.table:#04x} is the function {formula}, bit by bit."
        if self.table == MAJORITY:
            a, b, c = names.values()
            sentence = (
                f"The table {self.table:#04x} is the majority of {a}, {b} and {c}, {formula}."
            )
        if ignored := find_ignored_variables(self.table):
            sentence += f" It ignores {' and '.join(names[x] for x in ignored)}."
        return sentence


def _evaluate_formula(ar: Arithmetic[V], formula: TruthFormula, names: Mapping[str, V]) -> V:
    """Evaluate a formula on words."""
    sign = formula.operator
    if sign in names:
        return names[sign]
    if sign in "01":
        return fill(ar, names["a"], (1 << 32) - 1 if sign == "1" else 0)
    x, *y = (_evaluate_formula(ar, operand, names) for operand in formula.operands)
    if sign == "~":
        return ar.bitxor(x, (1 << 32) - 1)
    return {"&": ar.bitand, "|": ar.bitor, "^": ar.bitxor}[sign](x, *y)
