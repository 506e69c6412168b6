"""The words behind an opcode to the slots of its catalog entry."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from .catalog import CATALOG
from .entry import Entry, Slot
from .errors import Problem, Span, nearest
from .grammar import (
    SLOT_NAMES,
    allowed,
    is_type_slot,
    modifier_slots,
    modifier_syntax,
    vocabulary,
)
from .syntax import Token
from .types import Type

_TYPE_NAMES = frozenset(str(t) for t in Type if t is not Type.PRED)
_OTHER_TYPES = frozenset(("pred", "b8", "u8", "s8", "f16", "f16x2", "bf16", "b128", "s4", "u4"))
_PTX_MODIFIERS = frozenset(
    [
        "rn",
        "rz",
        "rm",
        "rp",
        "rni",
        "rzi",
        "rmi",
        "rpi",
        "approx",
        "full",
        "wide",
        "cc",
        "global",
        "shared",
        "local",
        "const",
        "param",
        "volatile",
        "relaxed",
        "acquire",
        "release",
        "sync",
        "aligned",
        "uni",
        "x2",
        "v2",
        "v4",
        "ca",
        "cg",
        "cs",
        "cv",
        "wb",
        "wt",
        "noftz",
        "xorsign",
        "abs",
        "satfinite",
        "relu",
    ]
)


class Modifiers(NamedTuple):
    """What was understood of the modifiers."""

    values: dict[str, object]
    spans: dict[str, Span]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


@cache
def _known_modifiers() -> frozenset[str]:
    known = {word for opcode in CATALOG for word in vocabulary(opcode)}
    return frozenset(known | _PTX_MODIFIERS)


def resolve(entry: Entry, words: tuple[Token, ...], end: int) -> Modifiers:
    """Assign each word to a slot, in any order; ``end`` is where a missing one would stand."""
    values: dict[str, object] = {}
    spans: dict[str, Span] = {}
    problems: list[Problem] = []
    notes: list[str] = []
    order: list[str] = []
    slots = modifier_slots(entry.opcode)
    types = [slot for slot in slots if is_type_slot(slot)]
    known = vocabulary(entry.opcode)
    for word in words:
        text = word.text[1:]
        if text in _TYPE_NAMES or text in _OTHER_TYPES:
            if not types:
                count = sum(map(is_type_slot, slots))
                problems.append(
                    Problem(
                        f"one type too many: `{entry.opcode}` takes {count}",
                        word.span,
                        modifier_syntax(entry.opcode),
                    )
                )
                continue
            slot = types.pop(0)
            if text in map(str, slot.values):
                values[slot.name] = Type(text)
            else:
                problems.append(_bad_type(entry, slot, word))
            spans[slot.name] = word.span
            order.append(slot.name)
        elif text in known:
            slot, value = known[text]
            if slot.name in spans and slot.name == "sat":
                notes.append("`.sat` is written twice; once is enough")
                continue
            if slot.name in spans:
                was = slot.text(values[slot.name])
                problems.append(
                    Problem(f"`.{text}` comes after `.{was}`: only one of them", word.span)
                )
                continue
            values[slot.name], spans[slot.name] = value, word.span
            order.append(slot.name)
        else:
            problem = _unknown(entry, word)
            problems.append(problem)
            # what was likely meant is not called missing as well
            meant = (problem.fix or ".")[1:]
            if meant in known:
                spans.setdefault(known[meant][0].name, word.span)
            elif meant and types:
                spans[types.pop(0).name] = word.span
    problems += [
        Problem(
            f"`{entry.opcode}` is missing its {SLOT_NAMES[slot.name]}", (end, end), allowed(slot)
        )
        for slot in slots
        if not slot.optional and slot.name not in spans
    ]
    if not problems and order != [slot.name for slot in slots if slot.name in spans]:
        notes.append("the modifiers are not in documented order; their meaning is the same")
    return Modifiers(values, spans, tuple(problems), tuple(notes))


def _bad_type(entry: Entry, slot: Slot, word: Token) -> Problem:
    text = word.text[1:]
    message = f"`.{text}` can't be the {SLOT_NAMES[slot.name]} of `{entry.opcode}`"
    if entry.opcode in ("vshl", "vshr") and slot.name == "btype":
        message = f"the shift amount of `{entry.opcode}` is unsigned: its btype is `.u32`"
    elif text == "pred" and entry.opcode in ("set", "setp"):
        message += " (some assemblers let it through by oversight)"
    fix = f".{slot.values[0]}" if len(slot.values) == 1 else None
    return Problem(message, word.span, allowed(slot), fix)


def _unknown(entry: Entry, word: Token) -> Problem:
    text = word.text[1:]
    known = vocabulary(entry.opcode)
    hint = f"{entry.opcode}{modifier_syntax(entry.opcode)}"
    if entry.opcode.startswith("vset") and text in ("lo", "ls", "hi", "hs"):
        return Problem(
            f"`.{text}` is not a comparison of `{entry.opcode}`: its operands carry their own "
            "signedness (assemblers for old targets let it through by oversight)",
            word.span,
            " ".join(f".{c}" for c in next(s for s in entry.slots if s.name == "cmp").values),
            {"lo": ".lt", "ls": ".le", "hi": ".gt", "hs": ".ge"}[text],
        )
    if entry.lanes > 1 and text in ("min", "max"):
        return Problem(
            f"`.{text}` is not a secondary operation of dual and quad forms: they have only "
            "`.add`. The example `vset4.u32.u32.ne.max` published in the PTX ISA is wrong: "
            "no assembler accepts it",
            word.span,
            ".add, or none",
        )
    if text in _known_modifiers():
        return Problem(f"`.{text}` is not a modifier of `{entry.opcode}`", word.span, hint)
    candidates = sorted(known) + sorted(_TYPE_NAMES)
    if text[:1] in ("b", "h") and text[1:].isdigit():
        return Problem(
            f"`.{text}` is a selector; it belongs behind an operand, not behind the opcode",
            word.span,
            hint,
        )
    close = nearest(text, candidates)
    message = f"unknown modifier `.{text}`" + (f"; did you mean `.{close}`?" if close else "")
    return Problem(message, word.span, hint, f".{close}" if close else None)
