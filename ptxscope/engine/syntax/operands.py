"""Parsing of operands: registers, immediates, selectors and negations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..isa.encodings import Range
from ..isa.entry import Entry, Operand, SlotPlace
from ..isa.form import Form
from ..isa.grammar import SLOT_NAMES, format_misprint, is_selector_slot
from ..isa.types import Destinations, Role, Selector, Type, parse_selector
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
_COMPARISON = "Comparison and selection"
_VIDEO = ("Scalar video", "SIMD video")
"""The groups whose operands may have selectors, and are no vectors' components."""
SPECIAL = re.compile(
    r"%(?:n?tid|n?ctaid|laneid|n?warpid|n?smid|gridid|n?clusterid|cluster_\w+|is_explicit_cluster|"
    r"lanemask_\w+|clock(?:64|_hi)?|pm\d(?:_64)?|envreg\d+|globaltimer(?:_lo|_hi)?|"
    r"reserved_smem_\w+|total_smem_size|aggr_smem_size|dynamic_smem_size|current_graph_exec)"
)


class ParsedOperands:
    """The operands that were recognised, with problems and notes."""

    def __init__(self) -> None:
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


def parse_operands(entry: Entry, statement: RawInstruction, partial: Form) -> ParsedOperands:
    """Parse the operands of a statement; ``partial`` has the modifiers that were recognised."""
    parsed_operands = ParsedOperands()
    operands = statement.operands
    sources = entry.written_sources
    min_count = 1 + len(sources) - entry.is_c_optional
    if not min_count <= len(operands) <= 1 + len(sources):
        roles = [entry.destination_pattern.replace("{|q}", "|q"), *(x.role for x in sources)]
        names = ", ".join(roles[:min_count]) + ("{, c}" if entry.is_c_optional else "")
        numbers = f"{min_count} or {min_count + 1}" if entry.is_c_optional else str(min_count)
        extra = operands[1 + len(sources) :]
        span = (extra[0][0].start, extra[-1][-1].end) if extra and extra[0] and extra[-1] else None
        end = statement.span[1]
        parsed_operands.add_problem(
            f"`{entry.opcode}` takes {numbers} operands; {format_existence(len(operands))}",
            span or (end, end),
            names,
        )
    for i, words in enumerate(operands[: 1 + len(sources)]):
        if not words:
            continue
        if i == 0:
            _parse_destination(entry, words, parsed_operands)
        else:
            operand = sources[i - 1]
            parsed_operands.spans[operand.role] = _get_span(words)
            if operand.role == "c":
                parsed_operands.values["c"] = True
            if operand.role is Role.TABLE:
                _parse_table(words, parsed_operands)
            else:
                _parse_source(entry, operand, words, partial, parsed_operands)
    if entry.needs_c:
        parsed_operands.values["c"] = True
    return parsed_operands


NAMED_OPERAND_MESSAGE = "nvcc 13.0 does not accept operands by name; clang does"
NUMBERED_OPERANDS = "%0, %1, …"


def _is_named(words: Sequence[Token]) -> bool:
    """Whether the operand is an asm operand by name: ``%[a]``."""
    return [word.text for word in words[:2]] == ["%", "["]


def _get_span(words: Sequence[Token]) -> Span:
    return words[0].start, words[-1].end


def _parse_destination(
    entry: Entry, words: tuple[Token, ...], parsed_operands: ParsedOperands
) -> None:
    parsed_operands.spans["d"] = _get_span(words)
    if words[0].text in ("-", "!"):
        parsed_operands.add_problem(f"a destination takes no `{words[0].text}`", words[0].span)
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
            span = _get_span(part) if part else parsed_operands.spans["d"]
            if _is_named(part):
                parsed_operands.add_problem(NAMED_OPERAND_MESSAGE, span, NUMBERED_OPERANDS)
            else:
                parsed_operands.add_problem(
                    "the destination must be a register", span, _format_destination_hint(entry)
                )
            return
        if _check_special_register(entry, part, parsed_operands):
            return
        is_predicate = entry.destinations[min(len(names), len(entry.destinations) - 1)].role != "d"
        name, suffix = _parse_register_name(entry, part, is_predicate=is_predicate)
        names.append(None if name == "_" else name)
        _parse_selectors(entry, SlotPlace.D, suffix, parsed_operands)
    parsed_operands.destinations = tuple(names)
    if entry.destination_pattern == "d|p":
        _check_word_and_predicate(entry, parts, parsed_operands)
        return
    if not entry.find_slot("dst"):
        if len(parts) > 1:
            parsed_operands.add_problem(
                f"`{entry.opcode}` has one destination", parsed_operands.spans["d"], "d"
            )
        elif names[0] is None:
            parsed_operands.add_problem(
                "`_` can be a destination of `setp`, and of `lop3` with a predicate",
                parsed_operands.spans["d"],
                "a register",
            )
        return
    parsed_operands.spans["p"] = _get_span(parts[0])
    if len(parts) > 1:
        parsed_operands.spans["q"] = _get_span(parts[1])
    if len(parts) > 2:
        parsed_operands.add_problem(
            "`setp` has two destinations at most", _get_span(parts[2]), "p or p|q"
        )
    elif names == [None, None]:
        parsed_operands.add_problem(
            "`_|_` keeps nothing", parsed_operands.spans["d"], "p|q, p|_, _|q or _", "_"
        )
    else:
        parsed_operands.values["dst"] = _DST[tuple(name is not None for name in names)]


def _check_word_and_predicate(
    entry: Entry, parts: list[list[Token]], parsed_operands: ParsedOperands
) -> None:
    """Check the destinations ``d|p`` of an instruction, the first of which may be ``_``."""
    names = parsed_operands.destinations
    mnemonic = f"{entry.opcode} with a Boolean operator"
    if len(names) != 2:
        parsed_operands.add_problem(
            f"`{mnemonic}` has two destinations", parsed_operands.spans["d"], "d|p or _|p"
        )
        return
    parsed_operands.spans["p"] = _get_span(parts[1])
    if names[1] is None:
        parsed_operands.add_problem(
            f"`{mnemonic}` must write p", parsed_operands.spans["p"], "d|p or _|p"
        )
        return
    parsed_operands.values["dst"] = Destinations.SINK_P if names[0] is None else Destinations.D_P


def _parse_table(words: tuple[Token, ...], parsed_operands: ParsedOperands) -> None:
    """Read the truth table of ``lop3``, of which ptxas takes the low eight bits (9.7.8.6)."""
    span = _get_span(words)
    hint = "an integer, 0 to 255"
    if not is_constant(words):
        table = _find_formula_table(words)
        message = "the truth table must be a literal"
        if table is None:
            parsed_operands.add_problem(message, span, hint)
        else:
            text = f"{table:#04x}"
            parsed_operands.add_problem(
                f"{message}; that of the function {quote_word(_join_words(words))} is {text}",
                span,
                text,
                text,
            )
        return
    from .constants import BadConstantError, evaluate_constant  # loaded late, as below

    try:
        value = evaluate_constant(words)
    except BadConstantError as error:
        parsed_operands.problems.append(error.problem)
        return
    if not isinstance(value.value, int):
        parsed_operands.add_problem("the truth table must be an integer", span, hint)
        return
    parsed_operands.values["lut"] = value.value & 0xFF
    if not 0 <= value.value <= 0xFF or value.is_truncated:
        parsed_operands.notes.append(
            f"the truth table {quote_word(_join_words(words))} is not in 0 to 255; ptxas takes "
            f"its low eight bits, {value.value & 0xFF:#04x}"
        )


_MAX_FORMULA_WORDS = 64


def _find_formula_table(words: Sequence[Token]) -> int | None:
    """Return the truth table of a formula of a, b and c in its place; None if it is none."""
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


def _format_destination_hint(entry: Entry) -> str:
    pair_hints = {"p{|q}": "p, p|q, p|_, _|q or _", "d|p": "d|p or _|p"}
    return pair_hints.get(entry.destination_pattern, "a register")


def _parse_source(
    entry: Entry,
    operand: Operand,
    words: tuple[Token, ...],
    partial: Form,
    parsed_operands: ParsedOperands,
) -> None:
    place = SlotPlace(operand.role)
    written_type = operand.written_type or operand.type
    type_ = written_type if isinstance(written_type, Type) else partial.get(written_type)
    prefix = words[0] if words[0].text in ("-", "!") else None
    negates = entry.find_slot(f"neg{place}")
    is_negated = False
    if prefix and prefix.text == "!" and type_ is not Type.PRED:
        negates = None  # `!1` is a constant expression
    if prefix and negates and prefix.text == negates.word and _is_negation(prefix, words[1:]):
        parsed_operands.values[negates.name] = True
        parsed_operands.spans[negates.name] = prefix.span
        words = words[1:]
        is_negated = True
    elif prefix and len(words) > 1 and not is_constant(words):
        _add_prefix_problem(entry, operand, prefix, parsed_operands)
        words = words[1:]
    if is_constant(words):
        _parse_immediate(entry, operand, words, type_, parsed_operands)
        return
    first_word = words[0]
    if _is_named(words):
        parsed_operands.add_problem(NAMED_OPERAND_MESSAGE, _get_span(words), NUMBERED_OPERANDS)
        return
    if first_word.kind is not TokenKind.NAME or first_word.text == "_":
        message = {
            "[": "a memory operand is not allowed here",
            "{": "a vector operand is not allowed here",
            "_": "`_` discards a result; it can't be read",
        }.get(first_word.text, f"{quote_word(first_word.text)} can't begin an operand")
        kinds = "a register or a literal" if entry.can_take_immediates else "a register"
        parsed_operands.add_problem(message, _get_span(words), kinds)
        return
    if _check_special_register(entry, words, parsed_operands):
        return
    has_addend = len(words) > 2 and words[1].text == "+" and not is_negated
    if has_addend and _is_sum(entry, operand, type_, words[2:]):
        parsed_operands.problems.append(
            Problem(
                f"ptxas takes the sum {quote_word(_join_words(words))} here; ptxscope "
                "does not compute it",
                parsed_operands.spans[operand.role],
                "the sum in a register",
                unread=True,
            )
        )
        return
    name, suffix = _parse_register_name(entry, words, is_predicate=type_ is Type.PRED)
    parsed_operands.sources.append(Register(name))
    _parse_selectors(entry, place, suffix, parsed_operands)


def _parse_register_name(
    entry: Entry, words: Sequence[Token], *, is_predicate: bool
) -> tuple[str, Sequence[Token]]:
    """Return the name of a register or of a vector register's component, and the words after it."""
    name = words[0].text
    component = COMPONENTS.get(words[1].text) if len(words) > 1 else None
    if component is None or name == "_" or is_predicate or entry.group in _VIDEO:
        return name, words[1:]
    return name + component, words[2:]


def _is_sum(entry: Entry, operand: Operand, type_: object, addend: Sequence[Token]) -> bool:
    """Whether ptxas accepts a register or address plus a constant as the operand.

    ptxas 13.0 adds the constant, modulo the width, for every source but those of video
    instructions, where it does so for the c of a scalar one, and of 64-bit divisions, which it
    expands as text.
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


def _add_prefix_problem(
    entry: Entry, operand: Operand, prefix: Token, parsed_operands: ParsedOperands
) -> None:
    if prefix.text == "!":
        message = "`!` negates predicates"
        if operand.type is not Type.PRED:
            message += f"; {operand.role} of `{entry.opcode}` is not one"
        else:
            message += ", and this one takes no negation"
    else:
        message = f"operands of `{entry.opcode}` can't be negated; only those of `vmad` can"
    parsed_operands.add_problem(message, prefix.span, "the operand without its sign", "")
    parsed_operands.spans.setdefault(f"neg{operand.role}", prefix.span)


def _parse_immediate(
    entry: Entry,
    operand: Operand,
    words: tuple[Token, ...],
    type_: object,
    parsed_operands: ParsedOperands,
) -> None:
    from .constants import BadConstantError, convert_constant, evaluate_constant

    span = _get_span(words)
    try:
        value = evaluate_constant(words)
    except BadConstantError as error:
        parsed_operands.problems.append(error.problem)
        return
    if not entry.can_take_immediates:
        parsed_operands.add_problem(
            f"`{entry.opcode}` takes no literal: dual and quad forms read registers only",
            span,
            "a register",
        )
    elif isinstance(type_, Type) and type_.is_half:
        parsed_operands.add_problem(f"an `.{type_}` operand takes no literal", span, "a register")
    elif operand.literal_range and not _is_in_range(value, operand.literal_range):
        low, high = operand.literal_range
        parsed_operands.add_problem(
            f"{operand.role} of `{entry.opcode}` as a literal is {low} to {high}",
            span,
            f"an integer from {low} to {high}, or a register",
        )
    elif isinstance(type_, Type):
        bits = convert_constant(value, type_)
        text = " ".join(word.text for word in words) if len(words) > 2 else _join_words(words)
        if isinstance(bits, str):
            parsed_operands.add_problem(
                f"a literal of this kind does not fit `.{type_}`", span, bits
            )
        else:
            parsed_operands.sources.append(Immediate(bits, text))
            parsed_operands.notes += _iter_immediate_notes(value, type_, text)


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


def _check_special_register(
    entry: Entry, words: Sequence[Token], parsed_operands: ParsedOperands
) -> bool:
    is_special = SPECIAL.fullmatch(words[0].text) is not None
    if is_special:
        name, hint = quote_word(words[0].text), "an ordinary register"
        message = f"the special register {name} can't be an operand here"
        if entry.is_move:  # legal, but the values of a thread are unknown
            message = f"ptxscope has no value for the special register {name}"
        else:
            hint += "; copy it with `mov.u32` first"
        parsed_operands.add_problem(message, _get_span(words), hint)
    return is_special


def _parse_selectors(
    entry: Entry, place: SlotPlace, words: Sequence[Token], parsed_operands: ParsedOperands
) -> None:
    if not words:
        return
    span = _get_span(words)
    slot = next((s for s in entry.slots if s.place is place and is_selector_slot(s)), None)
    if len(words) > 1 or words[0].kind is not TokenKind.DOTTED:
        extra = words[1] if words[0].kind is TokenKind.DOTTED else words[0]
        parsed_operands.add_problem(
            f"{quote_word(extra.text)} does not belong to this operand", extra.span, "a comma"
        )
        return
    text = words[0].text[1:]
    match = _SELECTOR.fullmatch(text)
    if slot is None:
        parsed_operands.spans[f"{place}sel"] = span
        parsed_operands.add_problem(
            _format_no_selector(entry, place), span, "the operand alone", ""
        )
        return
    parsed_operands.spans[slot.name] = span
    value = parse_selector(text) if match else None
    if value is not None and value in slot.values:
        parsed_operands.values[slot.name] = value
        return
    _add_selector_problem(entry, slot.name, text, value, span, parsed_operands)


def _format_no_selector(entry: Entry, place: SlotPlace) -> str:
    if entry.group == _COMPARISON:
        return "selectors belong to the video instructions; this operand takes none"
    if place is SlotPlace.C:
        return "c is read whole: it takes no selector"
    if place is not SlotPlace.D:
        return f"`{entry.opcode}` takes no selector at {place}"
    return f"`{entry.opcode}` writes the whole of d: it takes no destination selector"


def _add_selector_problem(
    entry: Entry,
    slot: str,
    text: str,
    value: Selector | None,
    span: Span,
    parsed_operands: ParsedOperands,
) -> None:
    unit = {1: "b0 .b1 .b2 .b3 .h0 .h1", 2: "h10", 4: "b3210"}[entry.lanes]
    message = f"{quote_word(f'.{text}')} is not a {SLOT_NAMES[slot]}"
    fix = None
    if slot == "mask":
        hint = (
            ".h0 .h1 .h10" if entry.lanes == 2 else ".b and lane numbers 3-0, strictly descending"
        )
        if value and value.unit == 32 // entry.lanes:
            lanes = tuple(sorted({lane for lane in value.lanes if lane < entry.lanes}))
            if lanes:
                fix = f".{Selector(value.unit, lanes)}"
                message += ": its lane numbers must descend, each once and below " + str(
                    entry.lanes
                )
        message += format_misprint(entry, text)
    elif entry.lanes == 1:
        hint = f".{unit}"
        if text in ("b01", "b12", "b23"):
            message += " (some assemblers know it internally, by oversight)"
    else:
        top = 2 * entry.lanes - 1
        hint = (
            f".{unit[0]} and {entry.lanes} digits 0-{top}: a holds 0-{entry.lanes - 1}, b the rest"
        )
    parsed_operands.add_problem(message, span, hint, fix)
