"""Modifiers and operands of each instruction in the words of the manual: effects and titles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ptxscope.engine.isa.catalog import CATALOG, list_shapes
from ptxscope.engine.isa.encodings import UNIT_NAMES
from ptxscope.engine.isa.entry import Entry, Group, Operand, Slot
from ptxscope.engine.isa.types import WORD_BITS, ProductWord, Role, Type


class Effect(NamedTuple):
    """The effect of a slot, and the behaviour without it."""

    text: str
    without: str = ""


_AMOUNT = "`.clamp`: an amount above {0} counts as {0}; `.wrap`: its low five bits count"
_GENERAL: dict[str, Effect] = {
    "cmp": Effect("the comparison"),
    "boolop": Effect("combines the comparison with the predicate c", "the comparison alone"),
    "po": Effect("adds 1 to the sum", "the sum alone"),
    "relu": Effect("makes a negative result 0", "the result as it is"),
    "cc": Effect("writes the carry to CC.CF", "CC.CF is not written"),
    "pack": Effect("packs two numbers into d"),
    "scale": Effect("shifts the sum right by 7 or 15 bits, rounding down", "no shift"),
    "sat": Effect("clamps the result to the range of its type", "keeps the low bits"),
    "byte_pair": Effect("the bytes of b: `.lo` is bytes 1 and 0, `.hi` bytes 3 and 2"),
    "direction": Effect(
        "`.l`: the high word of the pair, shifted left; `.r`: its low word, shifted right"
    ),
    "permute_mode": Effect(
        "arranges four bytes around byte n, the low two bits of c",
        "each digit of c picks a byte; 8 more repeats its top bit",
    ),
    "shiftamt": Effect(
        "the distance of a shift to the left that makes the bit the highest",
        "the position of the bit",
    ),
    "lut": Effect("the result for each of the eight triples of bits of a, b and c"),
    "nege": Effect("takes the opposite of e", "e as it is"),
    "ftz": Effect(
        "a subnormal operand counts as a zero of its sign", "subnormals count as they are"
    ),
    "mode": Effect(_AMOUNT.format(32)),
    "dtype": Effect("the type of the result"),
    "ctype": Effect("the type of c"),
    "stype": Effect("the type of the operands"),
}
"""The default effects of modifiers, which other tables override."""
_SCALAR: dict[str, Effect] = {
    "dtype": Effect("the range of `.sat`; how c is read with `.add`, `.min` and `.max`"),
    "sat": Effect(
        "clamps the result to the range of dtype; with a selector on d, to that of the part",
        "keeps the low bits",
    ),
    "secop": Effect(
        "`.add`: adds c; `.min`, `.max`: takes the smaller or larger of the result and c",
        "c is read only with a selector on d",
    ),
    "dsel": Effect(
        "the byte or half-word of d that takes the low bits of the result; c gives the others",
        "d takes all 32 bits",
    ),
}
_NEGATED = "negates the product, and c and the result are signed; with `-{}`, both cancel"
_VMAD: dict[str, Effect] = {
    "dtype": Effect("nothing: the types of a and b and the negations decide how all is read"),
    "sat": Effect("clamps the result to the range of `.s32` or `.u32`", "keeps the low 32 bits"),
    "nega": Effect(_NEGATED.format("b"), "the product as it is"),
    "negb": Effect(_NEGATED.format("a"), "the product as it is"),
    "negc": Effect("subtracts c, which is then signed, as the result is", "adds c"),
}
_SELP = Effect("the type of d, a and b; only its width counts")


def describe_slot(entry: Entry, slot: Slot) -> Effect:
    """Return the effect of a slot of an instruction."""
    if effect := _find_group_effects(entry).get(slot.name):
        return effect
    if slot.name in ("atype", "btype"):
        return _describe_type(entry, slot)
    if slot.name in ("asel", "bsel"):
        return Effect(f"takes that byte or half-word of {slot.name[0]}", "takes all 32 bits")
    if slot.name in ("nega", "negb", "negc"):
        return Effect(f"takes the opposite of {slot.name[-1]}", f"{slot.name[-1]} as it is")
    if slot.name == "boolop":  # of lop3
        return Effect("combines whether d is not 0 with the predicate e")
    if slot.name == "dst":
        return Effect("p is 1 if d is not 0, combined with e; `_` discards d")
    if slot.name == "stype" and any(isinstance(x, Type) and x.lanes > 1 for x in slot.values):
        return Effect("the type of the lanes")
    if slot.name == "product_word":
        return _describe_product(entry, slot)
    if slot.name == "cc" and entry.carry_noun == "borrow":
        return Effect("writes the borrow to CC.CF", "CC.CF is not written")
    if slot.name == "sat" and entry.find_slot("pack"):
        return Effect("clamps a and b to the range of dtype")
    if slot.name == "sat" and entry.find_slot("dtype"):
        return Effect("clamps the result to the range of dtype", "keeps the low bits")
    return _GENERAL[slot.name]


def _find_group_effects(entry: Entry) -> Mapping[str, Effect]:
    """Return the effects that differ from other groups'."""
    if entry.group is Group.SIMD:
        return _describe_lanes(entry)
    if entry.group is Group.COMPARE:
        return _describe_comparison(entry)
    if entry.group is not Group.SCALAR:
        return {}
    if entry.opcode in ("vshl", "vshr"):
        return {**_SCALAR, "btype": Effect("the amount is unsigned")}
    return _VMAD if entry.opcode == "vmad" else _SCALAR


def _describe_product(entry: Entry, slot: Slot) -> Effect:
    low, high = "its low word", "its high word"
    if entry.opcode.endswith("24"):
        low, high = "bits 31 to 0", "bits 47 to 16"
    text = f"the part of the product: `.lo` is {low}, `.hi` {high}"
    return Effect(f"{text}, `.wide` all of it" if ProductWord.WIDE in slot.values else text)


def _describe_type(entry: Entry, slot: Slot) -> Effect:
    operand = slot.name[0]
    if entry.opcode == "cvt":
        is_pair = operand == "a" and entry.find_slot("pack")
        return Effect("the type of a and b" if is_pair else f"the type of {operand}")
    if len(slot.values) == 1:
        return Effect(f"{operand} is unsigned")
    part = "each lane of " * (entry.lanes > 1)
    return Effect(f"`.s32`: sign-extends {part}{operand}; `.u32`: zero-extends it")


def _describe_lanes(entry: Entry) -> dict[str, Effect]:
    """Return the effects of the slots of a SIMD video instruction."""
    lanes, unit = entry.lanes, WORD_BITS // entry.lanes
    part, letter = UNIT_NAMES[unit], "b" if unit == 8 else "h"
    digits = "".join(map(str, reversed(range(2 * lanes))))
    picks = (
        f"for each lane, highest first, the number of a {part} of {{b, a}}: those from 0 are a's, "
        f"those from {lanes} to {2 * lanes - 1} b's"
    )
    return {
        "dtype": Effect("the range of `.sat`; how `.add` reads c"),
        "sat": Effect(
            f"clamps each lane to {unit} bits, signed if dtype is `.s32`",
            f"keeps the low {unit} bits of each lane",
        ),
        "secop": Effect(
            "adds the exact lanes of the mask to c, modulo 2^32; d is that sum",
            "each lane of d takes its result",
        ),
        "mask": Effect(
            "the lanes that take their result, or that `.add` adds; without `.add`, d keeps c's "
            "other lanes",
            "all lanes",
        ),
        "asel": Effect(picks, f"the lanes of a: `.{letter}{digits[lanes:]}`"),
        "bsel": Effect(picks, f"the lanes of b: `.{letter}{digits[:lanes]}`"),
    }


def _describe_comparison(entry: Entry) -> dict[str, Effect]:
    if entry.opcode == "selp":
        return {"stype": _SELP}
    if entry.opcode == "slct":
        return {
            "dtype": _SELP,
            "ftz": Effect(
                "a subnormal c counts as a zero of its sign, so d takes a",
                "a negative subnormal c takes b",
            ),
        }
    stype = entry.find_slot("stype")
    is_pair = any(isinstance(x, Type) and x.lanes > 1 for x in stype.values) if stype else False
    dst = entry.find_slot("dst")
    has_q = dst is not None and any("q" in str(x) for x in dst.values)
    return {
        "boolop": _GENERAL["boolop"],
        "stype": Effect("the type of a and b"),
        "dtype": Effect("what true is: 1.0 in a float, otherwise all ones; false is 0"),
        "dst": Effect(
            "p takes the result of the low halves, q that of the high halves"
            if is_pair
            else "p takes the result, q that of the opposite comparison; `_` discards one"
            if has_q
            else "p takes the result; `_` discards one"
        ),
    }


# --- operands --------------------------------------------------------------------------------


_OPERANDS: Mapping[str, Mapping[str, str]] = {
    "bfe": {
        "a": "the word with the field",
        "b": "the position of the field's lowest bit; its low byte counts",
        "c": "the length of the field; its low byte counts",
    },
    "bfi": {
        "a": "the new bits of the field, in its low bits",
        "b": "the word that gives the other bits",
        "c": "the position of the field's lowest bit; its low byte counts",
        "e": "the length of the field; its low byte counts",
    },
    "bmsk": {"a": "the lowest bit of the mask", "b": "the number of ones"},
    "szext": {"a": "one value", "b": "the number of low bits that count"},
    "prmt": {
        "a": "the low four of the eight bytes",
        "b": "the high four",
        "c": "a hex digit for each byte of d; with a mode, a number in its low two bits",
    },
    "lop3": {"lut": "the table, a literal: bit 4a + 2b + c is the result for these bits"},
    "shf": {
        "a": "the low word of the pair",
        "b": "the high word of the pair",
        "c": "the amount",
    },
    "fns": {
        "a": "the mask",
        "b": "the bit at which the search begins",
        "c": "the number of the 1: upwards, or downwards if it is negative",
    },
    "slct": {"c": "the number that is tested"},
    "selp": {"c": "the predicate that chooses"},
    "shl": {"b": "the amount"},
    "shr": {"b": "the amount"},
    "div": {"a": "the dividend", "b": "the divisor"},
    "rem": {"a": "the dividend", "b": "the divisor"},
    "mad": {"c": "the number that is added"},
    "mad24": {"c": "the number that is added"},
    "madc": {"c": "the number that is added"},
    "vmad": {"c": "the number that is added"},
    "dp4a": {"c": "the number to which the products are added"},
    "dp2a": {"c": "the number to which the products are added"},
    "cvt": {"c": "the word whose low bits move up, above a and b"},
    "sad": {"c": "the number to which the difference is added"},
}
"""The contents of operands that have a meaning of their own, by opcode and role."""


def describe_operand(entry: Entry, operand: Operand) -> str:
    """Describe the contents of an operand."""
    if text := _OPERANDS.get(entry.opcode, {}).get(str(operand.role)):
        return text
    lanes = f"{('', '', 'two', '', 'four')[entry.lanes]} lanes"
    if entry.group is Group.SIMD:
        if operand.role is Role.C:
            return (
                "with `.add`, the number to start from; with a mask, the lanes that d keeps; "
                "otherwise it is ignored, but it must be written"
            )
        return f"{lanes}; with `.add`, one number" if operand.role is Role.D else lanes
    if entry.group is Group.SCALAR and operand.role is Role.C and entry.opcode != "vmad":
        return (
            "with `.add`, `.min` or `.max`, the other operand; with a selector on d, the bits that "
            "d keeps; otherwise nothing reads it"
        )
    if operand.has_lanes:
        return lanes
    if operand.role in (Role.CARRY, Role.CARRY_OUT):
        return "the carry flag"
    if operand.type is Type.PRED:
        return "a predicate"
    if operand.role is Role.TABLE:
        return "a literal"
    if entry.find_slot(f"{operand.role}sel"):
        return "one number, or a byte or half-word of the register"
    return "one value"


def iter_described_slots(entry: Entry) -> Iterator[tuple[Slot, Effect]]:
    """Yield the slots that are modifiers or parts of operands, each with its effect."""
    for slot in entry.slots:
        if slot.name != "c":
            yield slot, describe_slot(entry, slot)


def format_shape_title(shape: Entry) -> str:
    """Return the title of a shape's section: ``With `.u16x2` or `.s16x2` ``."""
    words = _list_distinction(shape)
    if not words:
        others = [x for x in map(_list_distinction, list_shapes(shape.opcode)) if x]
        shortest: list[str] = min(others, key=len) if others else []
        return f"Without {_join_choices(shortest)}"
    first = CATALOG[shape.opcode]
    first_values = {x.format_value(value) for x in first.slots for value in x.values}
    missing = [str(x.role) for x in first.operands if x not in shape.operands]
    is_same = first_values.issuperset(words)
    suffix = f", without {' and '.join(missing)}" if is_same and missing else ""
    return f"With {_join_choices(words)}{suffix}"


def _list_distinction(shape: Entry) -> list[str]:
    """Return the modifiers by which a shape differs from others of its opcode."""
    words = (x.format_value(value) for x in shape.slots if x.name != "c" for value in x.values)
    return list(dict.fromkeys(x for x in words if x in shape.distinguishing_modifiers))


def _join_choices(words: Iterable[str]) -> str:
    return " or ".join(f"`.{word}`" for word in words)
