"""The rows of a plan as expressions of pseudocode, in terms of a form's slots if these decide.

A row has several true expressions: ``s32(x)``, and ``atype(x)`` if atype is ``.s32``. The one that
holds in most forms is shown. Those in terms of a single form come last.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ...engine.isa.encodings import UNIT_NAMES, Range, encode_float, format_integer_type, get_limits
from ...engine.isa.entry import Entry
from ...engine.isa.grammar import is_type_slot
from ...engine.isa.types import Form, Selector, Type
from ...engine.micro_operations import bitwise, counts, fields, logic, merge, numbers, permutation
from ...engine.micro_operations.base import MicroOperation
from ...engine.micro_operations.comparison import Compare
from ...engine.micro_operations.saturation import Clamp, Wrap
from ...engine.micro_operations.selection import Extend, Select, Truncate
from ...engine.micro_operations.shifts import Average, Divide, LimitAmount, Remainder
from ...engine.semantics.plan import Row

RESULT = "="
"""The prefix of an expression that assigns to parts of d, or that is several statements."""
_ARRANGEMENTS: dict[str, Callable[[int, int], int]] = {
    "n + i": lambda n, i: n + i,
    "(n - i) & 7": lambda n, i: (n - i) & 7,
    "n": lambda n, _: n,
    "max(n, i)": max,
    "min(n, i)": min,
    "2 * (n & 1) + (i & 1)": lambda n, i: 2 * (n & 1) + (i & 1),
}
"""The byte of lane i by its expression; n is the number that c gives."""


class Site(NamedTuple):
    """A row of the plan of a form."""

    entry: Entry
    form: Form
    row: Row
    names: Sequence[str]
    """The names of the inputs."""
    ranges: Sequence[Range]

    @property
    def types(self) -> dict[str, Type]:
        """The types of the form, by the names of their slots or of the rules that derive them."""
        slots = {x.name for x in self.entry.slots if is_type_slot(x)}
        others = {x.type for x in self.entry.operands if not isinstance(x.type, Type)}
        types = {name: getattr(self.form, name) for name in sorted(slots) + sorted(others - slots)}
        return {name.removesuffix("_type"): x for name, x in types.items() if x}

    @property
    def integer_types(self) -> dict[str, Type]:
        """The types of whole integers, by the same names."""
        types = self.types.items()
        return {name: x for name, x in types if not x.is_float and x.lanes == 1}

    def find_types(self, bits: int, signed: bool) -> list[str]:
        """Return the names of the integer types of a width and a sign."""
        types = self.integer_types.items()
        return [name for name, x in types if (x.bits, x.signed) == (bits, signed)]


def list_expressions(site: Site) -> list[str]:
    """Return the expressions of a row, those in terms of slots or values before vague ones."""
    return list(dict.fromkeys(_iter_expressions(site, site.row.micro)))


def _iter_expressions(site: Site, micro: MicroOperation) -> Iterator[str]:
    x, y, z, *others = (*site.names, "", "", "")
    form, row = site.form, site.row
    match micro:
        case Select():
            yield from _iter_parts(site, micro)
        case Extend() | Wrap():
            yield f"{format_integer_type(micro.signed, micro.bits)}({x})"
            yield from (f"{name}({x})" for name in site.find_types(micro.bits, micro.signed))
            if isinstance(micro, Extend) and row.inputs[0].startswith("select."):
                yield f"{_format_sign(micro.signed)}({x})"
        case numbers.Accumulate():
            mask = form.mask.lanes if form.mask else tuple(range(micro.input_lanes))
            if site.entry.find_slot("mask") and mask == micro.lanes:
                yield f"{y} + sum of {x} for i in mask"
            yield " + ".join([y, *(x.replace("[i]", f"[{i}]") for i in reversed(micro.lanes))])
        case merge.Merge(high=False):
            yield from _iter_merged(site, micro)
        case merge.Pack():
            yield ":".join(x.replace("[i]", f"[{i}]") for i in reversed(range(32 // micro.unit)))
        case Truncate():
            if site.ranges[0].fits_in(micro.bits, signed=False):
                yield x
            if micro.bits > 1:
                yield f"low {micro.bits} bits of {_bracket(x)}"
                yield f"low bits of {_bracket(x)}"
        case Clamp(low=int(low), high=int(high)):
            limits = Range(low, high)
            yield f"clamp({x}, {low}..{high})"
            for name, type_ in site.integer_types.items():
                if limits == get_limits(type_.bits, type_.signed):
                    yield f"clamp({x}, range of {name})"
        case Compare():
            yield from _iter_relations(site, micro)
        case logic.Combine() | bitwise.CombineBits():
            if micro.boolop is form.boolop:
                yield f"{x} boolop {y}"
            yield micro.fill_formula(x, y)
        case logic.Choose():
            yield f"{x} ? {y} : {z}"
        case logic.Not():
            yield f"not {x}"
        case logic.Encode():
            for name, type_ in site.types.items():
                one = encode_float(1.0, micro.type) if micro.type.is_float else None
                if type_.lane_type == micro.type and micro.true == one:
                    yield f"{x} ? {name}(1.0) : 0"
            yield f"{x} ? {micro.true if micro.true < 10 else hex(micro.true)} : 0"
        case logic.TakeLane():
            yield x.replace("[i]", f"[{micro.lane}]")
        case LimitAmount():
            yield micro.fill_formula(x)
            yield from (
                f"min({x}, width of {name})"
                for name, type_ in site.types.items()
                if type_.bits == micro.bits and not micro.wrap
            )
        case Average():
            yield f"round(({x} + {y}) / 2)"
        case Divide() | Remainder():
            if row.range.low == 0 and isinstance(micro, Divide):
                yield f"{y} == 0 ? {row.range.high:#x} : {micro.fill_formula(x, y)}"
            yield f"{y} == 0 ? -1 : {micro.fill_formula(x, y)}"
        case _:
            yield from _iter_field_expressions(site, micro, x, y, z, *others)


def _bracket(x: str) -> str:
    return x if x.replace("[", "").replace("]", "").isidentifier() else f"({x})"


def _format_sign(signed: bool) -> str:
    return "signed" if signed else "unsigned"


def _iter_field_expressions(
    site: Site, micro: MicroOperation, x: str, y: str, z: str, *others: str
) -> Iterator[str]:
    match micro:
        case bitwise.TakeBits(low=0):
            yield f"low {micro.bits} bits of {x}"
        case bitwise.TakeBits():
            top = micro.low + micro.bits - 1
            yield f"bits {top}..{micro.low} of {x}" if micro.bits > 1 else f"bit {top} of {x}"
        case bitwise.Magnitude():
            yield f"s{micro.bits}(|{x}|)"
            yield from (f"{name}(|{x}|)" for name in site.find_types(micro.bits, signed=True))
        case bitwise.JoinWords():
            yield f"{{{y}, {x}}}"
        case bitwise.TakeWord():
            yield f"low 32 bits of ({x} >> {y})"
        case bitwise.JoinFields():
            yield (
                f"low 32 bits of ({z} << {2 * micro.unit})" * bool(z)
                + " + " * bool(z)
                + (f"(u{micro.unit}({y}) << {micro.unit}) + u{micro.unit}({x})")
            )
        case counts.CountLeadingZeros():
            yield f"leading zeros of {x} in {micro.bits} bits"
        case counts.ReverseBits():
            yield f"reverse {micro.bits} bits of {x}"
        case counts.ReplaceValue():
            yield f"{x} == {micro.old} ? {micro.new} : {x}"
        case counts.FindNthOne(overflows=False):
            yield f"find one {z} of {x} from bit {y}"
        case fields.ExtendField():
            yield f"{_format_sign(micro.signed)}(low {y} bits of {x})"
        case fields.ReadField():
            yield f"{_format_sign(micro.signed)}(low {z} bits of ({x} >> {y}))"
        case fields.InsertField():
            yield f"{y} with low {others[0]} bits of {x} at bit {z}"
        case fields.FieldMask():
            yield f"low {micro.bits} bits of (((1 << {y}) - 1) << {x})"
        case permutation.SelectDigits(is_reversed=False):
            yield f"hex digit i of {x}"
        case permutation.PermuteBytes():
            byte = f"byte ({x} & 7) of {{{z}, {y}}}"
            yield f"{x} < 8 ? {byte} : {byte} < 128 ? 0 : 255"
        case permutation.PermuteByMode():
            for text, place in _ARRANGEMENTS.items():
                if all(micro.list_bytes(n) == [place(n, i) for i in range(4)] for n in range(4)):
                    number = re.sub(r"\bn\b", x, text)
                    yield f"byte {_bracket(number)} of {{{z}, {y}}}"
        case permutation.EvaluateTable():
            yield f"lut({x}, {y}, {z})"
        case _ if micro.formula or type(micro).fill_formula is not MicroOperation.fill_formula:
            yield micro.fill_formula(*site.names)


def _iter_parts(site: Site, micro: Select) -> Iterator[str]:
    """Yield the part that a selection takes: ``a.asel``, ``byte asel[i] of {b, a}``."""
    lanes, part = len(micro.picks), UNIT_NAMES[micro.unit]
    slot = f"{site.row.name}sel"
    selector = site.form.get(slot) if site.entry.find_slot(slot) else None
    roles = [site.row.inputs[index] for index, _ in micro.picks]
    part_numbers = tuple(number for _, number in micro.picks)
    if site.entry.lanes > 1 and site.entry.find_slot(slot):
        places = tuple(
            number + lanes * (role == "b") for role, number in zip(roles, part_numbers, strict=True)
        )
        own = get_own_lanes(slot, lanes)
        if places == (selector.lanes if isinstance(selector, Selector) else own):
            yield f"{part} {slot}[i] of {{b, a}}"
        if selector is None and len({*roles}) == 1:
            yield f"{part} i of {site.names[0]}"
        return
    if len(set(roles)) > 1:
        return
    name = site.names[0]
    if lanes > 1:
        first = part_numbers[0]
        if part_numbers == tuple(range(first, first + lanes)):
            yield f"{part} {f'i + {first}' if first else 'i'} of {name}"
    elif micro.unit >= 32:
        yield name
    elif selector == Selector(micro.unit, part_numbers):
        yield f"{name}.{slot}"
        yield f"{name}.{selector}"
    else:
        yield f"{part} {part_numbers[0]} of {name}"


def get_own_lanes(slot: str, lanes: int) -> tuple[int, ...]:
    """Return the lanes of {b, a} that an operand takes without its selector."""
    first = lanes * (slot == "bsel")
    return tuple(range(first, first + lanes))


def _iter_merged(site: Site, micro: merge.Merge) -> Iterator[str]:
    """Yield assignments of lanes to d, or of one part of it."""
    t, c = (*site.names, "")[:2]
    part, lanes = UNIT_NAMES[micro.unit], tuple(range(32 // micro.unit))
    if site.form.dsel == Selector(micro.unit, micro.lanes):
        yield f"{RESULT}d = {c}\nd.dsel = low bits of {t}"
        yield f"{RESULT}d = {c}\nd.{site.form.dsel} = low {micro.unit} bits of {t}"
    elif site.entry.find_slot("mask"):
        mask = site.form.mask.lanes if site.form.mask else lanes
        if mask == micro.lanes:
            taken = f"low {micro.unit} bits of {t}"
            yield f"{RESULT}{part} i of d = i in mask ? {taken} : {part} i of c"
        if micro.lanes == lanes:
            yield f"{RESULT}{part} i of d = low {micro.unit} bits of {t}"
    elif micro.lanes == lanes:
        yield f"{RESULT}{part} i of d = low {micro.unit} bits of {t}"


def _iter_relations(site: Site, micro: Compare) -> Iterator[str]:
    """Yield a comparison, of numbers or of bits that are read as a type."""
    x, y = (*site.names, "0")[:2]
    readings = [""]
    if micro.type is not None:
        own = [name for name, type_ in site.types.items() if type_.lane_type == micro.type]
        readings = [*own, str(micro.type)]
        is_number = not micro.type.is_float and not micro.type.signed
        if is_number and all(x.fits_in(micro.type.bits, signed=False) for x in site.ranges):
            readings.insert(0, "")
    for reading in readings:
        left, right = (f"{reading}({x})" if reading and x != "0" else x for x in (x, y))
        if micro.cmp is site.form.cmp:
            yield f"{left} cmp {right}"
        if not (micro.type and micro.type.is_float and y != "0"):
            yield Compare(micro.cmp).fill_formula(left, right)
