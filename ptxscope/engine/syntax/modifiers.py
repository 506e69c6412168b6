"""Assignment of the words after an opcode to the slots of its catalog entry."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ..isa.catalog import ENTRIES, list_shapes
from ..isa.entry import Entry, Slot
from ..isa.grammar import (
    SLOT_NAMES,
    format_allowed_values,
    format_misprint,
    is_type_slot,
    list_modifier_slots,
    map_spellings,
)
from ..isa.types import Type
from .errors import MAX_PROBLEMS, Problem, Span, find_closest_spelling, quote_word
from .tokens import Token

_TYPE_NAMES = frozenset(str(t) for t in Type if t is not Type.PRED)
_OTHER_TYPES = frozenset(("pred", "b8", "b128"))
_PTX_MODIFIERS = frozenset(
    """
    rn rz rm rp rni rzi rmi rpi approx full wide cc global shared local const param volatile relaxed
    acquire release sync aligned uni x2 v2 v4 ca cg cs cv wb wt noftz xorsign abs satfinite relu
    """.split()
)
_REPEATABLE = frozenset(("sat", "shiftamt", "relu", "cc"))
"""The flags that ptxas takes more than once."""


@cache
def _list_known_modifiers() -> frozenset[str]:
    words = {word for entry in ENTRIES for word in map_spellings(entry)}
    return frozenset(words | _PTX_MODIFIERS)


class ParsedModifiers:
    """The words after an opcode, assigned to slots; collects their values, problems and notes."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.types = [slot for slot in list_modifier_slots(entry) if is_type_slot(slot)]
        """The slots that still need a type."""
        self.values: dict[str, object] = {}
        self.spans: dict[str, Span] = {}
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        self.unknown_count = 0
        """The number of unknown words that are not among the problems."""

    def parse_modifiers(self, words: tuple[Token, ...], end: int) -> None:
        """Assign the words, in any order; ``end`` is the position of missing modifiers."""
        for index, word in enumerate(words):
            self._read_modifier(word, index)
        slots = list_modifier_slots(self.entry)
        for slot in slots:
            if not slot.is_optional and slot.name not in self.spans:
                message = f"`{self.entry.opcode}` is missing its {SLOT_NAMES[slot.name]}"
                self.problems.append(Problem(message, (end, end), format_allowed_values(slot)))
        documented = [slot.name for slot in slots if slot.name in self.spans]
        if not self.problems and list(self.spans) != documented:
            self.notes.append(
                "the modifiers are not in documented order; their meaning is the same"
            )

    def _read_modifier(self, word: Token, index: int) -> None:
        text = word.text[1:]
        spellings = map_spellings(self.entry)
        if text in _TYPE_NAMES or text in _OTHER_TYPES:
            self._read_type(word)
        elif text in spellings:
            slot, value = spellings[text]
            if slot.name not in self.spans:
                self.values[slot.name], self.spans[slot.name] = value, word.span
                if slot.is_leading and index:
                    message = f"`.{text}` must directly follow `{self.entry.opcode}`"
                    self.problems.append(Problem(message, word.span, f"{self.entry.opcode}.{text}"))
            elif slot.word in _REPEATABLE:
                note = f"`.{text}` is written twice; once is enough"
                self.notes += [note] if note not in self.notes else []
            else:
                message = f"`.{text}` is one {SLOT_NAMES[slot.name]} too many: only one of them"
                self.problems.append(Problem(message, word.span, format_allowed_values(slot)))
        elif len(self.problems) >= MAX_PROBLEMS:
            self.unknown_count += 1
        else:
            problem = _make_unknown_problem(self.entry, word, self.types)
            self.problems.append(problem)
            # do not also report the modifier that was likely meant: it is not missing
            likely_word = (problem.fix or ".")[1:]
            if likely_word in spellings:
                self.spans.setdefault(spellings[likely_word][0].name, word.span)
            elif likely_word and self.types:
                self.spans[self.types.pop(0).name] = word.span

    def _read_type(self, word: Token) -> None:
        opcode = self.entry.opcode
        if not self.types:
            count = sum(map(is_type_slot, list_modifier_slots(self.entry)))
            message = f"one type too many: `{opcode}` takes {count}"
            self.problems.append(Problem(message, word.span, self.entry.modifier_syntax))
            return
        slot = self.types.pop(0)
        self.spans[slot.name] = word.span
        if word.text[1:] in map(str, slot.values):
            self.values[slot.name] = Type(word.text[1:])
        else:
            self.problems.append(_make_type_problem(self.entry, slot, word))


def _make_type_problem(entry: Entry, slot: Slot, word: Token) -> Problem:
    text = word.text[1:]
    message = f"`.{text}` can't be the {SLOT_NAMES[slot.name]} of `{entry.opcode}`"
    if slot.values == (Type.U32,) and slot.name == "btype":
        message = f"the shift amount of `{entry.opcode}` is unsigned: its btype is `.u32`"
    elif text == "pred" and slot.name in ("dtype", "stype") and entry.find_slot("cmp"):
        message += " (some assemblers accept it by oversight)"
    fix = f".{slot.values[0]}" if len(slot.values) == 1 else None
    slots = (x.find_slot(slot.name) for x in list_shapes(entry.opcode))
    allowed = (y for x in slots if x for y in format_allowed_values(x).split() if y != word.text)
    hint = " ".join(dict.fromkeys(allowed))
    return Problem(message, word.span, hint, fix)


def _make_unknown_problem(entry: Entry, word: Token, types: Sequence[Slot]) -> Problem:
    """Return the problem with an unknown word; ``types`` are the slots that still need a type."""
    text = word.text[1:]
    spellings = map_spellings(entry)
    hint = f"{entry.opcode}{entry.modifier_syntax}"
    if entry.find_slot("cmp") and entry.find_slot("atype") and text in ("lo", "ls", "hi", "hs"):
        return Problem(
            f"`.{text}` is not a comparison of `{entry.opcode}`: its operands carry their own "
            "signedness (assemblers for old targets accept it by oversight)",
            word.span,
            " ".join(f".{c}" for c in next(s for s in entry.slots if s.name == "cmp").values),
            {"lo": ".lt", "ls": ".le", "hi": ".gt", "hs": ".ge"}[text],
        )
    if entry.find_slot("secop") and text in ("min", "max"):
        message = f"`.{text}` is not a secondary operation of dual and quad forms, only `.add` is"
        message += format_misprint(entry, text)
        return Problem(message, word.span, ".add, or none")
    if text in _list_known_modifiers():
        return Problem(f"`.{text}` is not a modifier of `{entry.opcode}`", word.span, hint)
    if text[:1] in ("b", "h") and text[1:].isdigit():
        return Problem(
            f"{quote_word(word.text)} is a selector; it belongs after an operand", word.span, hint
        )
    candidates = [*sorted(spellings), *(str(x) for slot in types[:1] for x in slot.values)]
    close = find_closest_spelling(text, candidates, with_distant=True)
    message = f"unknown modifier {quote_word(word.text)}" + (
        f"; did you mean `.{close}`?" if close else ""
    )
    return Problem(message, word.span, hint, f".{close}" if close else None)
