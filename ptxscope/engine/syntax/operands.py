"""Parsing of operands: registers, immediates, selectors and negations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..isa.encodings import Range
from ..isa.entry import Entry, Group, Operand, SlotPlace
from ..isa.grammar import SLOT_NAMES, format_misprint, is_selector_slot
from ..isa.types import Destinations, Form, Role, Selector, Type, parse_selector
from .errors import Problem, Span, format_existence, quote_word
from .instruction import Immediate, Register
from .tokens import RawInstruction, Token, TokenKind, is_constant

if TYPE_CHECKING:
    from .constants import Constant

_SELECTOR = re.compile(r"[bh]\d{1,4}")
COMPONENTS = {
    **dict.fromkeys((".x", ".r"), ".x"),
    **dict.fromkeys((".y", ".g"), ".y"),
    **dict.fromkeys((".z", ".b"), ".z"),
    **dict.fromkeys((".w", ".a"), ".w"),
}
"""The spellings of vector components, mapped to their names."""
_VIDEO = (Group.SCALAR, Group.SIMD)
"""The groups whose operands may have selectors but are not components of vectors."""
SPECIAL = re.compile(
    r"%(?:n?tid|n?ctaid|laneid|n?warpid|n?smid|gridid|n?clusterid|cluster_\w+|is_explicit_cluster|"
    r"lanemask_\w+|clock(?:64|_hi)?|pm\d(?:_64)?|envreg\d+|globaltimer(?:_lo|_hi)?|"
    r"reserved_smem_\w+|total_smem_size|aggr_smem_size|dynamic_smem_size|current_graph_exec)"
)


class ParsedOperands:
    """The parsed operands of a statement, with their problems and notes."""

    def __init__(self, entry: Entry, partial: Form) -> None:
        """``partial`` has the recognised modifiers."""
        self.entry, self.partial = entry, partial
        self.values: dict[str, object] = {}
        """The slots of the form: selectors, negations, ``dst``, ``c``."""
        self.spans: dict[str, Span] = {}
        self.destinations: tuple[str | None, ...] = ()
        self.sources: list[Register | Immediate] = []
        self.problems: list[Problem] = []
        self.notes: list[str] = []

    def add_problem(self, message: str, span: Span, hint: str = "", fix: str | None = None) -> None:
        """Record a problem."""
        self.problems.append(Problem(message, span, hint, fix))

    def parse_operands(self, statement: RawInstruction) -> None:
        """Parse the destination and the sources."""
        entry, operands, sources = self.entry, statement.operands, self.entry.written_sources
        min_count = 1 + len(sources) - entry.is_c_optional
        if not min_count <= len(operands) <= 1 + len(sources):
            roles = [entry.destination_pattern.replace("{|q}", "|q"), *(x.role for x in sources)]
            names = ", ".join(roles[:min_count]) + ("{, c}" if entry.is_c_optional else "")
            numbers = f"{min_count} or {min_count + 1}" if entry.is_c_optional else str(min_count)
            message = (
                f"`{entry.opcode}` takes {numbers} operands; {format_existence(len(operands))}"
            )
            extra, end = operands[1 + len(sources) :], statement.span[1]
            has_span = extra and extra[0] and extra[-1]
            span = (extra[0][0].start, extra[-1][-1].end) if has_span else (end, end)
            self.add_problem(message, span, names)
        if operands and operands[0]:
            self._parse_destination(operands[0])
        for operand, words in zip(sources, operands[1:], strict=False):
            if not words:
                continue
            self.spans[operand.role] = _get_span(words)
            if operand.role == "c":
                self.values["c"] = True
            if operand.role is Role.TABLE:
                self._parse_table(words)
            else:
                self._parse_source(operand, words)
        if entry.needs_c:
            self.values["c"] = True

    def _parse_destination(self, words: tuple[Token, ...]) -> None:
        entry = self.entry
        self.spans["d"] = _get_span(words)
        if words[0].text in ("-", "!"):
            self.add_problem(f"a destination takes no `{words[0].text}`", words[0].span)
            words = words[1:]
        parts: list[list[Token]] = [[]]
        for word in words:
            if word.text in ("|", "||"):
                parts.append([])
            else:
                parts[-1].append(word)
        names: list[str | None] = []
        for part in parts:
            if not part or part[0].kind is not TokenKind.NAME:
                span = _get_span(part) if part else self.spans["d"]
                if _is_named(part):
                    self.add_problem(NAMED_OPERAND_MESSAGE, span, NUMBERED_OPERANDS)
                else:
                    hint = _DESTINATION_HINTS.get(entry.destination_pattern, "a register")
                    self.add_problem("the destination must be a register", span, hint)
                return
            if self._check_special_register(part):
                return
            destination = entry.destinations[min(len(names), len(entry.destinations) - 1)]
            name, suffix = self._split_register(part, is_predicate=destination.role != "d")
            names.append(None if name == "_" else name)
            self._parse_selectors(SlotPlace.D, suffix)
        self.destinations = tuple(names)
        if entry.destination_pattern == "d|p":
            self._check_word_and_predicate(parts)
            return
        if not entry.find_slot("dst"):
            if len(parts) > 1:
                self.add_problem(f"`{entry.opcode}` has one destination", self.spans["d"], "d")
            elif names[0] is None:
                message = "`_` can be a destination of `setp`, and of `lop3` with a predicate"
                self.add_problem(message, self.spans["d"], "a register")
            return
        self.spans["p"] = _get_span(parts[0])
        if len(parts) > 1:
            self.spans["q"] = _get_span(parts[1])
        if len(parts) > 2:
            self.add_problem("`setp` has two destinations at most", _get_span(parts[2]), "p or p|q")
        elif names == [None, None]:
            self.add_problem("`_|_` keeps nothing", self.spans["d"], "p|q, p|_, _|q or _", "_")
        else:
            self.values["dst"] = _DST[tuple(name is not None for name in names)]

    def _check_word_and_predicate(self, parts: list[list[Token]]) -> None:
        """Check the destinations ``d|p`` of an instruction; the first may be ``_``."""
        names = self.destinations
        mnemonic = f"{self.entry.opcode} with a Boolean operator"
        if len(names) != 2:
            self.add_problem(f"`{mnemonic}` has two destinations", self.spans["d"], "d|p or _|p")
            return
        self.spans["p"] = _get_span(parts[1])
        if names[1] is None:
            self.add_problem(f"`{mnemonic}` must write p", self.spans["p"], "d|p or _|p")
        else:
            dst = Destinations.SINK_P if names[0] is None else Destinations.D_P
            self.values["dst"] = dst

    def _parse_table(self, words: tuple[Token, ...]) -> None:
        """Read the truth table of ``lop3``; ptxas takes its low eight bits (9.7.8.6)."""
        span = _get_span(words)
        hint = "an integer, 0 to 255"
        if not is_constant(words):
            table = _find_formula_table(words)
            message = "the truth table must be a literal"
            if table is None:
                self.add_problem(message, span, hint)
            else:
                text = f"{table:#04x}"
                message += f"; that of the function {quote_word(_join_words(words))} is {text}"
                self.add_problem(message, span, text, text)
            return
        value = self._evaluate_constant(words)
        if value is None:
            return
        if not isinstance(value.value, int):
            self.add_problem("the truth table must be an integer", span, hint)
            return
        self.values["lut"] = value.value & 0xFF
        if not 0 <= value.value <= 0xFF or value.is_truncated:
            self.notes.append(
                f"the truth table {quote_word(_join_words(words))} is not in 0 to 255; ptxas takes "
                f"its low eight bits, {value.value & 0xFF:#04x}"
            )

    def _evaluate_constant(self, words: Sequence[Token]) -> Constant | None:
        """Return the value of a constant; record its problem if it has one."""
        from .constants import BadConstantError, evaluate_constant  # few lines have one

        try:
            return evaluate_constant(words)
        except BadConstantError as error:
            self.problems.append(error.problem)
            return None

    def _parse_source(self, operand: Operand, words: tuple[Token, ...]) -> None:
        place = SlotPlace(operand.role)
        written_type = operand.written_type or operand.type
        type_ = written_type if isinstance(written_type, Type) else self.partial.get(written_type)
        prefix = words[0] if words[0].text in ("-", "!") else None
        negates = self.entry.find_slot(f"neg{place}")
        is_negated = False
        if prefix and prefix.text == "!" and type_ is not Type.PRED:
            negates = None  # `!1` is a constant expression
        if prefix and negates and prefix.text == negates.word and _is_negation(prefix, words[1:]):
            self.values[negates.name] = True
            self.spans[negates.name] = prefix.span
            words = words[1:]
            is_negated = True
        elif prefix and len(words) > 1 and not is_constant(words):
            self._add_prefix_problem(operand, prefix)
            words = words[1:]
        if is_constant(words):
            self._parse_immediate(operand, words, type_)
            return
        first_word = words[0]
        if _is_named(words):
            self.add_problem(NAMED_OPERAND_MESSAGE, _get_span(words), NUMBERED_OPERANDS)
            return
        if first_word.kind is not TokenKind.NAME or first_word.text == "_":
            message = {
                "[": "a memory operand is not allowed here",
                "{": "a vector operand is not allowed here",
                "_": "`_` discards a result; it can't be read",
            }.get(first_word.text, f"{quote_word(first_word.text)} can't begin an operand")
            kinds = "a register or a literal" if self.entry.can_take_immediates else "a register"
            self.add_problem(message, _get_span(words), kinds)
            return
        if self._check_special_register(words):
            return
        has_addend = len(words) > 2 and words[1].text == "+" and not is_negated
        if has_addend and _is_sum(self.entry, operand, type_, words[2:]):
            total = quote_word(_join_words(words))
            message = f"ptxas takes the sum {total} here; ptxscope does not compute it"
            span = self.spans[operand.role]
            self.problems.append(Problem(message, span, "the sum in a register", unread=True))
            return
        name, suffix = self._split_register(words, is_predicate=type_ is Type.PRED)
        self.sources.append(Register(name))
        self._parse_selectors(place, suffix)

    def _split_register(
        self, words: Sequence[Token], *, is_predicate: bool
    ) -> tuple[str, Sequence[Token]]:
        """Return the name of a register or of a vector's component, and the words after it."""
        name = words[0].text
        component = COMPONENTS.get(words[1].text) if len(words) > 1 else None
        if component is None or name == "_" or is_predicate or self.entry.group in _VIDEO:
            return name, words[1:]
        return name + component, words[2:]

    def _add_prefix_problem(self, operand: Operand, prefix: Token) -> None:
        opcode = self.entry.opcode
        if prefix.text != "!":
            message = f"operands of `{opcode}` can't be negated; only those of `vmad` can"
        elif operand.type is not Type.PRED:
            message = f"`!` negates predicates; {operand.role} of `{opcode}` is not one"
        else:
            message = "`!` negates predicates, and this one takes no negation"
        self.add_problem(message, prefix.span, "the operand without its sign", "")
        self.spans.setdefault(f"neg{operand.role}", prefix.span)

    def _parse_immediate(self, operand: Operand, words: tuple[Token, ...], type_: object) -> None:
        from .constants import convert_constant

        span, opcode = _get_span(words), self.entry.opcode
        value = self._evaluate_constant(words)
        if value is None:
            return
        if not self.entry.can_take_immediates:
            message = f"`{opcode}` takes no literal: dual and quad forms read registers only"
            self.add_problem(message, span, "a register")
        elif isinstance(type_, Type) and type_.is_half:
            self.add_problem(f"an `.{type_}` operand takes no literal", span, "a register")
        elif operand.literal_range and not _is_in_range(value, operand.literal_range):
            low, high = operand.literal_range
            message = f"{operand.role} of `{opcode}` as a literal is {low} to {high}"
            self.add_problem(message, span, f"an integer from {low} to {high}, or a register")
        elif isinstance(type_, Type):
            bits = convert_constant(value, type_)
            text = " ".join(word.text for word in words) if len(words) > 2 else _join_words(words)
            if isinstance(bits, str):
                self.add_problem(f"a literal of this kind does not fit `.{type_}`", span, bits)
            else:
                self.sources.append(Immediate(bits, text))
                self.notes += _iter_immediate_notes(value, type_, text)

    def _check_special_register(self, words: Sequence[Token]) -> bool:
        if not SPECIAL.fullmatch(words[0].text):
            return False
        name, hint = quote_word(words[0].text), "an ordinary register"
        message = f"the special register {name} can't be an operand here"
        if self.entry.is_move:  # legal, but a thread's values are unknown
            message = f"ptxscope has no value for the special register {name}"
        else:
            hint += "; copy it with `mov.u32` first"
        self.add_problem(message, _get_span(words), hint)
        return True

    def _parse_selectors(self, place: SlotPlace, words: Sequence[Token]) -> None:
        if not words:
            return
        span = _get_span(words)
        slot = next((s for s in self.entry.slots if s.place is place and is_selector_slot(s)), None)
        if len(words) > 1 or words[0].kind is not TokenKind.DOTTED:
            extra = words[1] if words[0].kind is TokenKind.DOTTED else words[0]
            self.add_problem(
                f"{quote_word(extra.text)} does not belong to this operand", extra.span, "a comma"
            )
            return
        text = words[0].text[1:]
        match = _SELECTOR.fullmatch(text)
        if slot is None:
            self.spans[f"{place}sel"] = span
            self.add_problem(_format_no_selector(self.entry, place), span, "the operand alone", "")
            return
        self.spans[slot.name] = span
        value = parse_selector(text) if match else None
        if value is not None and value in slot.values:
            self.values[slot.name] = value
            return
        self._add_selector_problem(slot.name, text, value, span)

    def _add_selector_problem(
        self, slot: str, text: str, value: Selector | None, span: Span
    ) -> None:
        lanes, fix = self.entry.lanes, None
        message = f"{quote_word(f'.{text}')} is not a {SLOT_NAMES[slot]}"
        if slot == "mask":
            hint = ".h0 .h1 .h10" if lanes == 2 else ".b and lane numbers 3-0, strictly descending"
            numbers = {x for x in value.lanes if x < lanes} if value else ()
            if value and numbers and value.unit == 32 // lanes:
                fix = f".{Selector(value.unit, tuple(sorted(numbers)))}"
                message += f": its lane numbers must descend, each once and below {lanes}"
            message += format_misprint(self.entry, text)
        elif lanes == 1:
            hint = ".b0 .b1 .b2 .b3 .h0 .h1"
            if text in ("b01", "b12", "b23"):
                message += " (some assemblers know it internally, by oversight)"
        else:
            digits = f"{lanes} digits 0-{2 * lanes - 1}"
            hint = (
                f".{'h' if lanes == 2 else 'b'} and {digits}: 0-{lanes - 1} are a's, the rest b's"
            )
        self.add_problem(message, span, hint, fix)


NAMED_OPERAND_MESSAGE = "nvcc 13.0 does not accept operands by name; clang does"
NUMBERED_OPERANDS = "%0, %1, …"


def _is_named(words: Sequence[Token]) -> bool:
    """Whether the operand is an asm operand by name: ``%[a]``."""
    return [word.text for word in words[:2]] == ["%", "["]


def _get_span(words: Sequence[Token]) -> Span:
    return words[0].start, words[-1].end


_MAX_FORMULA_WORDS = 64


def _find_formula_table(words: Sequence[Token]) -> int | None:
    """Return the truth table of a formula of a, b and c; None for other words."""
    if not 1 < len(words) <= _MAX_FORMULA_WORDS:
        return None
    from ..isa.truth_tables import parse_formula  # loaded late: only lop3 has a formula

    try:
        return parse_formula(" ".join(word.text for word in words))
    except ValueError:
        return None


_DST = {
    (True,): Destinations.P,
    (True, True): Destinations.P_Q,
    (True, False): Destinations.P_SINK,
    (False, True): Destinations.SINK_Q,
    (False,): Destinations.SINK,
}


_DESTINATION_HINTS = {"p{|q}": "p, p|q, p|_, _|q or _", "d|p": "d|p or _|p"}


def _is_sum(entry: Entry, operand: Operand, type_: object, addend: Sequence[Token]) -> bool:
    """Whether ptxas accepts a register or address plus a constant as the operand.

    ptxas 13.0 adds the constant, modulo the width, for every source. The exceptions are 64-bit
    divisions, which it expands as text, and video instructions, except for the c of scalar ones.
    """
    is_allowed = entry.group not in _VIDEO or (entry.lanes == 1 and operand.role == "c")
    if entry.is_expanded_at_64_bits and type_ in (Type.U64, Type.S64):
        return False
    if not is_allowed or not is_constant(addend):
        return False
    from .constants import BadConstantError, evaluate_constant

    try:
        return isinstance(evaluate_constant(addend).value, int)
    except BadConstantError:
        return False


def _is_negation(prefix: Token, words: tuple[Token, ...]) -> bool:
    """Whether the prefix negates an operand, as in ``!5`` and ``-a``; ``-5`` is a literal."""
    return bool(words) and (
        prefix.text == "!" or (words[0].kind is TokenKind.NAME and words[0].text != "WARP_SZ")
    )


def _is_in_range(value: Constant, range_: Range) -> bool:
    number = value.value
    return (
        isinstance(number, int) and range_.low <= number <= range_.high and not value.is_truncated
    )


def _iter_immediate_notes(value: Constant, type_: Type, text: str) -> Iterator[str]:
    if value.is_truncated:
        yield f"{quote_word(text)} has more than 64 bits; ptxas keeps the low ones"
    if type_ is Type.F64 and value.pattern is not None and value.width == 32:
        yield f"ptxas takes {quote_word(text)} for `.f64` as its bits, not as its value"


def _join_words(words: tuple[Token, ...]) -> str:
    return "".join(word.text for word in words)


def _format_no_selector(entry: Entry, place: SlotPlace) -> str:
    if entry.group is Group.COMPARE:
        return "selectors belong to the video instructions; this operand takes none"
    if place is SlotPlace.C:
        return "c is read whole: it takes no selector"
    if place is not SlotPlace.D:
        return f"`{entry.opcode}` takes no selector at {place}"
    return f"`{entry.opcode}` writes the whole of d: it takes no destination selector"
