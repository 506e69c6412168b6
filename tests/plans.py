"""Random plans of every micro-operation, freely combined, whether or not a lowering makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random

from ptxscope import parse
from ptxscope.engine.ir.tape import Node, Tape
from ptxscope.engine.isa.encodings import Range
from ptxscope.engine.isa.types import BoolOp, Cmp, PermuteMode, Type
from ptxscope.engine.micro_operations import (
    bitwise,
    comparison,
    counts,
    fields,
    logic,
    merge,
    numbers,
    permutation,
    saturation,
    selection,
    shifts,
)
from ptxscope.engine.micro_operations.base import MicroOperation
from ptxscope.engine.micro_operations.properties import Stage
from ptxscope.engine.semantics.plan import Builder, Plan

FORM = parse("vadd.s32.s32.s32 d, a, b").form
_ROLES = ("a", "b", "c", "guard")
_SOURCES = (Type.B32, Type.B32, Type.B32, Type.S32, Type.U64, Type.B16, Type.B64)
_RESULTS = (Type.B32, Type.B32, Type.S32, Type.B64, Type.B16, Type.PRED)
_WIDTHS = (1, 8, 8, 16, 16, 17, 32, 32, 33, 34, 64)
_LARGEST = Range(-1 << 200, 1 << 200)


class _Draw:
    """A plan under way, with the range and the lanes of each value."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        types = {role: rng.choice(_SOURCES) for role in "abc"} | {"guard": Type.PRED}
        self.builder = Builder(types)
        self.tape = Tape({})
        self.nodes: dict[str, Node] = {
            role: self.tape.add_source(role, types[role]) for role in _ROLES
        }

    def add(self, stage: Stage, micro: MicroOperation, *keys: str) -> str:
        value = micro.run(self.tape, *(self.nodes[key] for key in keys))
        for key in keys:
            self.builder.get_range(key)
        key = self.builder.add_row(stage, f"t{len(self.builder.rows)}", micro, *keys)
        row = self.builder.rows[key]
        # RANGES has no lanes: a word of more than 32 bits is wider than it says
        self.builder.rows[key] = row._replace(range=value.range, lanes=value.lanes)
        self.nodes[key] = value
        return key

    def keys(self, lanes: int | None = None, within: Range = _LARGEST) -> list[str]:
        """The values with a number of lanes and in a range; mostly the latest ones."""
        found = [
            key
            for key, x in self.nodes.items()
            if lanes in (None, x.lanes) and within.contains(x.range)
        ]
        return found[-4:] if self.rng.random() < 0.7 else found

    def key(self, lanes: int | None = None, within: Range = _LARGEST) -> str:
        found = self.keys(lanes, within)
        return self.rng.choice(found or self.keys(lanes, within) or ["guard"])

    def pair(self) -> tuple[str, str]:
        x = self.key()
        return x, self.key(self.nodes[x].lanes)

    def bits(self) -> tuple[int, bool]:
        return self.rng.choice(_WIDTHS), self.rng.random() < 0.5

    def unit(self, largest: int = 32) -> int:
        return self.rng.choice([x for x in (8, 8, 16, 32) if x <= largest])


def _unsigned(bits: int) -> Range:
    return Range(0, (1 << bits) - 1)


Drawn = tuple[MicroOperation, tuple[str, ...]]


def _select(d: _Draw) -> Drawn:
    words = tuple(d.key(1) for _ in range(d.rng.choice((1, 1, 2))))
    unit, lanes = d.unit(), d.rng.choice((1, 2, 4))
    parts = [(word, part) for word in range(len(words)) for part in range(64 // unit)]
    near = [x for x in parts if x[1] < 32 // unit]
    kept = near if d.rng.random() < 0.8 else parts
    return selection.Select(unit, tuple(d.rng.choice(kept) for _ in range(lanes))), words


def _shift(micro: MicroOperation) -> Callable[[_Draw], Drawn | None]:
    def draw(d: _Draw) -> Drawn | None:
        y = d.keys(None, Range(0, 64))
        if not y:
            return _limit(d)
        amount = d.rng.choice(y)
        return micro, (d.key(d.nodes[amount].lanes), amount)

    return draw


def _limit(d: _Draw) -> Drawn | None:
    micro = shifts.LimitAmount(d.rng.random() < 0.5, d.rng.choice((16, 32, 64)))
    return micro, (d.key(None, _unsigned(64)),)


def _clamp(d: _Draw) -> Drawn:
    x = d.key()
    low, high = d.nodes[x].range
    ends = sorted(
        d.rng.choice((low, high, 0, -1, 127, 255, -128, (1 << 31) - 1, d.rng.randint(low, high)))
        for _ in "lh"
    )
    missing = d.rng.random()
    return saturation.Clamp(
        None if missing < 0.2 else ends[0], None if missing > 0.8 else ends[1]
    ), (x,)


def _merge(d: _Draw) -> Drawn | None:
    unit = d.unit(16)
    count = 32 // unit
    lanes = tuple(sorted(d.rng.sample(range(count), d.rng.randint(1, count))))
    t, c = d.keys(d.rng.choice((1, count))), d.key(1)
    if not t:
        return None
    x = d.rng.choice(t)
    kept = (c,) if len(lanes) < count or d.nodes[x].lanes == 1 or d.rng.random() < 0.5 else ()
    return merge.Merge(unit, lanes, d.rng.random() < 0.5, d.rng.random() < 0.2), (x, *kept)


def _pack(d: _Draw) -> Drawn | None:
    unit = d.unit()
    found = [x for x in d.keys(None, _unsigned(unit)) if d.nodes[x].lanes > 1]
    return (merge.Pack(unit), (d.rng.choice(found),)) if found else None


def _accumulate(d: _Draw) -> Drawn:
    x = d.key()
    count = d.nodes[x].lanes
    lanes = tuple(sorted(d.rng.sample(range(count), d.rng.randint(1, count))))
    return numbers.Accumulate(lanes, count), (x, d.key(1))


def _compare(d: _Draw) -> Drawn | None:
    integers = (Type.B16, Type.B32, Type.B64, Type.S16, Type.U32, Type.S64)
    floats = (Type.F16, Type.BF16, Type.F32, Type.F64)
    type_ = d.rng.choice((None, None, *integers, *floats))
    is_float = type_ is not None and type_.is_float
    found = d.keys(None, _unsigned(type_.bits) if type_ and is_float else _LARGEST)
    if not found:
        return None
    x = d.rng.choice(found)
    others = [y for y in d.keys(d.nodes[x].lanes) if y in found or not is_float]
    keys = (x, d.rng.choice(others)) if others and d.rng.random() < 0.8 else (x,)
    cmp = d.rng.choice([y for y in Cmp if is_float or len(y) == 2])
    return comparison.Compare(cmp, type_), keys


def _truth(d: _Draw, lanes: int | None = None) -> str | None:
    found = d.keys(lanes, Range(0, 1)) or ["guard"] * (lanes in (None, 1))
    return d.rng.choice(found) if found else None


def _combine(d: _Draw) -> Drawn | None:
    x = _truth(d)
    y = _truth(d, d.nodes[x].lanes) if x else None
    return (logic.Combine(d.rng.choice(list(BoolOp))), (x, y)) if x and y else None


def _choose(d: _Draw) -> Drawn | None:
    x, y = d.pair()
    condition = _truth(d, d.nodes[x].lanes)
    return (logic.Choose(), (condition, x, y)) if condition else None


def _encode(d: _Draw) -> Drawn | None:
    x = _truth(d)
    true = d.rng.choice((1, 0xFF, 0x3F80_0000, 0xFFFF_FFFF))
    return (logic.Encode(true), (x,)) if x else None


def _spread_truth(d: _Draw) -> Drawn | None:
    x = _truth(d, 1)
    return (logic.SpreadTruth(d.rng.choice((2, 4))), (x,)) if x else None


def _take_lane(d: _Draw) -> Drawn:
    x = d.key()
    lanes = d.nodes[x].lanes
    return logic.TakeLane(d.rng.randrange(lanes), lanes), (x,)


def _to_float(d: _Draw) -> Drawn | None:
    type_ = d.rng.choice((Type.F32, Type.F16, Type.BF16))
    if type_ is Type.F32:
        found = d.keys(None, Range(-1 << 31, (1 << 31) - 1)) + d.keys(None, _unsigned(32))
    else:
        found = d.keys(None, _unsigned(16))
    return (logic.ToFloat(type_), (d.rng.choice(found),)) if found else None


def _flush(d: _Draw) -> Drawn | None:
    type_ = d.rng.choice((Type.F32, Type.F16))
    found = d.keys(None, _unsigned(type_.bits))
    return (logic.Flush(type_), (d.rng.choice(found),)) if found else None


def _within(
    make: Callable[[_Draw], MicroOperation], *ranges: Range, lanes: int | None = None
) -> Callable[[_Draw], Drawn | None]:
    """Draws inputs of as many lanes each, one within each range."""

    def draw(d: _Draw) -> Drawn | None:
        first = d.keys(lanes, ranges[0])
        if not first:
            return None
        keys = [d.rng.choice(first)]
        for values in ranges[1:]:
            found = d.keys(d.nodes[keys[0]].lanes, values)
            if not found:
                return None
            keys.append(d.rng.choice(found))
        return make(d), tuple(keys)

    return draw


def _permute_bytes(d: _Draw) -> Drawn | None:
    digits = d.keys(4, _unsigned(8))
    if not digits:
        return permutation.SelectDigits(), (d.key(1, _unsigned(64)),)
    return permutation.PermuteBytes(), (d.rng.choice(digits), *_words(d))


def _permute_by_mode(d: _Draw) -> Drawn | None:
    number = d.keys(1, _unsigned(2))
    mode = permutation.PermuteByMode(d.rng.choice(list(PermuteMode)))
    return (mode, (d.rng.choice(number), *_words(d))) if number else None


def _words(d: _Draw) -> tuple[str, str]:
    return d.key(1, _unsigned(32)), d.key(1, _unsigned(32))


_AMOUNT = Range(0, 32)
_WORD = _unsigned(32)
_LONG = _unsigned(64)
_NUMBER = Range(-1 << 63, (1 << 63) - 1)


DRAWS: dict[type[MicroOperation], Callable[[_Draw], Drawn | None]] = {
    selection.Select: _select,
    selection.Extend: lambda d: (selection.Extend(*d.bits()), (d.key(),)),
    numbers.Add: lambda d: (numbers.Add(), d.pair()),
    numbers.Subtract: lambda d: (numbers.Subtract(), d.pair()),
    numbers.Multiply: lambda d: (numbers.Multiply(), d.pair()),
    numbers.AbsoluteDifference: lambda d: (numbers.AbsoluteDifference(), d.pair()),
    numbers.Minimum: lambda d: (numbers.Minimum(), d.pair()),
    numbers.Maximum: lambda d: (numbers.Maximum(), d.pair()),
    shifts.Average: lambda d: (shifts.Average(), d.pair()),
    shifts.LimitAmount: _limit,
    shifts.ShiftLeft: _shift(shifts.ShiftLeft()),
    shifts.ShiftRight: _shift(shifts.ShiftRight()),
    shifts.ScaleDown: lambda d: (shifts.ScaleDown(d.rng.randint(0, 32)), (d.key(),)),
    numbers.Negate: lambda d: (numbers.Negate(), (d.key(),)),
    bitwise.Magnitude: lambda d: (bitwise.Magnitude(d.bits()[0]), (d.key(),)),
    bitwise.ToBits: lambda d: (bitwise.ToBits(d.bits()[0]), (d.key(),)),
    logic.ToFloat: _to_float,
    numbers.PlusOne: lambda d: (numbers.PlusOne(), (d.key(),)),
    saturation.Clamp: _clamp,
    saturation.Wrap: lambda d: (saturation.Wrap(*d.bits()), (d.key(),)),
    selection.Truncate: lambda d: (selection.Truncate(*d.bits()), (d.key(),)),
    merge.Merge: _merge,
    merge.Pack: _pack,
    numbers.Accumulate: _accumulate,
    logic.Flush: _flush,
    comparison.Compare: _compare,
    logic.Not: lambda d: (logic.Not(), (_truth(d) or "guard",)),
    logic.Combine: _combine,
    logic.Choose: _choose,
    logic.Encode: _encode,
    logic.SpreadTruth: _spread_truth,
    logic.TakeLane: _take_lane,
    fields.FoldField: lambda d: (fields.FoldField(), (d.key(),)),
    permutation.SelectDigits: lambda d: (permutation.SelectDigits(), (d.key(1, _unsigned(64)),)),
    permutation.PermuteBytes: _permute_bytes,
    permutation.PermuteByMode: _permute_by_mode,
    permutation.EvaluateTable: _within(
        lambda d: permutation.EvaluateTable(d.rng.randrange(256)), _WORD, _WORD, _WORD
    ),
    bitwise.CombineBits: _within(
        lambda d: bitwise.CombineBits(64, d.rng.choice(list(BoolOp))), _LONG, _LONG
    ),
    shifts.Divide: _within(lambda d: shifts.Divide(*d.bits()), _NUMBER, _NUMBER),
    shifts.Remainder: _within(lambda d: shifts.Remainder(*d.bits()), _NUMBER, _NUMBER),
    bitwise.InvertBits: _within(lambda _: bitwise.InvertBits(64), _LONG),
    bitwise.ClearBits: _within(lambda d: bitwise.ClearBits(64, d.rng.getrandbits(64)), _LONG),
    fields.ExtendField: _within(
        lambda d: fields.ExtendField(d.rng.choice((32, 64)), d.rng.random() < 0.5),
        _LARGEST,
        _AMOUNT,
    ),
    fields.ReadField: _within(
        lambda d: fields.ReadField(d.rng.choice((32, 64)), d.rng.random() < 0.5),
        _LARGEST,
        _AMOUNT,
        _AMOUNT,
    ),
    fields.InsertField: _within(
        lambda d: fields.InsertField(d.rng.choice((32, 64))), _WORD, _WORD, _AMOUNT, _AMOUNT
    ),
    fields.FieldMask: _within(lambda d: fields.FieldMask(d.rng.choice((32, 64))), _AMOUNT, _AMOUNT),
    bitwise.JoinFields: _within(
        lambda d: bitwise.JoinFields(d.rng.choice((2, 4, 8))), _NUMBER, _NUMBER, _WORD
    ),
    bitwise.JoinWords: _within(lambda _: bitwise.JoinWords(), _WORD, _WORD),
    bitwise.TakeWord: _within(lambda _: bitwise.TakeWord(), _unsigned(64), _AMOUNT),
    bitwise.TakeBits: lambda d: (
        bitwise.TakeBits(d.rng.choice((0, 16, 32, 64)), d.rng.choice((1, 32))),
        (d.key(),),
    ),
    fields.LimitField: _within(
        lambda d: fields.LimitField(bits=d.rng.choice((32, 64)), wrap=d.rng.random() < 0.5),
        _unsigned(32),
    ),
    counts.SubtractFrom: lambda d: (
        counts.SubtractFrom(d.rng.choice((0, 31, 32, 63, 64))),
        (d.key(),),
    ),
    counts.ReverseBits: _within(lambda d: counts.ReverseBits(d.rng.choice((32, 64))), _WORD),
    counts.CountOnes: _within(lambda d: counts.CountOnes(d.rng.choice((32, 64))), _WORD),
    counts.CountLeadingZeros: _within(
        lambda d: counts.CountLeadingZeros(d.rng.choice((32, 64))), _WORD
    ),
    counts.InvertNegative: _within(
        lambda d: counts.InvertNegative(d.rng.choice((32, 64))), Range(-1 << 31, (1 << 31) - 1)
    ),
    counts.ReplaceValue: lambda d: (counts.ReplaceValue(d.rng.choice((0, 1, 32)), -1), (d.key(),)),
    counts.FindNthOne: _within(
        lambda d: counts.FindNthOne(d.rng.random() < 0.5),
        _WORD,
        _WORD,
        Range(-1 << 31, (1 << 31) - 1),
    ),
}
"""For each kind, how to draw it and its inputs within what ``Arithmetic`` states; or None."""


def _measure_bits(d: _Draw, keys: Iterable[str]) -> int:
    return sum(abs(end).bit_length() for key in keys for end in d.nodes[key].range)


def draw_plan(rng: Random, rows: int = 10) -> Plan:
    """A plan of one or two results, of micro-operations that no lowering need combine."""
    d = _Draw(rng)
    for _ in range(rng.randint(1, rows)):
        drawn = DRAWS[rng.choice(list(DRAWS))](d)
        if drawn and _measure_bits(d, drawn[1]) < 300:
            d.add(Stage.OPERATE, drawn[0], *drawn[1])
    results = dict(_results(d))
    return d.builder.build_plan(FORM, results)


def _results(d: _Draw) -> Iterator[tuple[str, str]]:
    for role in ("p", "q")[: d.rng.randint(1, 2)]:
        type_ = d.rng.choice(_RESULTS)
        d.builder.types[role] = type_
        key = d.key()
        if d.nodes[key].lanes > 1:
            lanes = tuple(range(d.nodes[key].lanes))
            key = d.add(Stage.ACCUMULATE, numbers.Accumulate(lanes, len(lanes)), key, "a")
        yield role, d.add(Stage.WRITE, selection.Truncate(type_.bits, signed=False), key)
