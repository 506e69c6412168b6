"""Exercises without end, drawn from the catalog: what comes out, which line, which operands.

The exercise of a number follows from seed, level and family alone, unless a tally bends the
draw towards what was got wrong. Every one is checked by the engine: of the lines to choose from
just one gives the result; operands that make the answers part are known to exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import count

from ..engine.isa.catalog import CATALOG
from ..engine.isa.entry import Group, Slot
from ..engine.isa.form import Form
from ..engine.isa.legality import remarks, violations
from ..engine.isa.types import Type
from ..engine.lazy_patterns import pattern
from ..engine.records import NamedTuple, replace
from ..engine.semantics.errata import ERRATA
from ..engine.semantics.micro_operation import Flag
from ..engine.semantics.models import ISA_MODEL, PTXAS_MODELS, Model
from ..engine.semantics.plan_execution import result
from ..engine.syntax.errors import Problem, PtxError, quoted
from ..engine.syntax.instruction import Guard, Instruction
from ..engine.syntax.parser import parse
from ..engine.syntax.values import hex_text, parse_value
from ..engine.tracing.evaluation import bind, plan_of
from ..engine.tracing.lane_text import bits_text, reading
from ..engine.tracing.trace import Trace
from . import grader as judging
from .seeded_random import EASY, Draw, form, instruction, operands
from .tally import Kind, Tally

QUESTIONS = {
    Kind.RESULT: "What comes out?",
    Kind.MODIFIER: "Which line gives this?",
    Kind.PART: "Which operands make the answers part?",
}
GROUPS = {"compare": Group.COMPARE, "scalar": Group.SCALAR, "simd": Group.SIMD}
_KINDS = {Kind.RESULT: 5, Kind.MODIFIER: 3, Kind.PART: 2}
"""How often each is asked."""
_TRIES = 24
"""Forms that are drawn until one makes an exercise of its kind."""
_ERRATA_FROM = 2
"""The lowest level at which errata touch much of what is drawn."""
_WITNESSES = 60
"""Operands that are tried for two answers that part."""
_HAPPENS = frozenset((Flag.CLAMPED_HIGH, Flag.CLAMPED_LOW, Flag.WRAPPED, Flag.NAN, Flag.FLUSHED))


class Challenge(NamedTuple):
    """One exercise."""

    number: int
    """From 1."""
    kind: Kind
    level: int
    trace: Trace
    """The right line on its operands; where operands are asked, on some that do."""
    choices: tuple[Instruction, ...] = ()
    """Lines of which one gives the trace's result."""
    other: Model = ISA_MODEL
    """Whose answer differs from the documented one."""

    @property
    def opcode(self) -> str:
        """What it is about."""
        return self.trace.instruction.opcode

    @property
    def question(self) -> judging.Question:
        """Where the result is asked."""
        return judging.Question(self.trace, next(iter(self.trace.instruction.results)))

    @property
    def right(self) -> int:
        """The number of the line that is right, from 1."""
        return self.choices.index(self.trace.instruction) + 1


class Verdict(NamedTuple):
    """An answer to an exercise, judged."""

    is_right: bool
    said: tuple[str, ...]
    """Why, where it is wrong; what it shows, where it is right."""


def families() -> dict[str, tuple[str, ...]]:
    """The opcodes of each family: a group, an operation in all its widths, one instruction."""
    found = {
        name: tuple(x.opcode for x in CATALOG.values() if x.group is group)
        for name, group in GROUPS.items()
    }
    for opcode, entry in CATALOG.items():
        found.setdefault(entry.same_as, ())
        found[entry.same_as] += (opcode,)
    return found | {opcode: (opcode,) for opcode in CATALOG if opcode not in found}


def challenges(
    seed: str, level: int = 1, family: str = "", tally: Tally | None = None
) -> Iterator[Challenge]:
    """Exercises without end; a tally makes what was got wrong come more often.

    Raises KeyError for a family that ``families`` does not have.
    """
    opcodes = families()[family] if family else tuple(CATALOG)
    bias = tally or Tally()
    weights = {opcode: bias.weight(opcode) for opcode in opcodes}
    kinds = {kind: often * bias.weight(kind) for kind, often in _KINDS.items()}
    for number in count(1):
        yield challenge(Draw(f"{seed}/{level}/{family}/{number}"), number, level, weights, kinds)


def challenge(
    draw: Draw,
    number: int,
    level: int,
    weights: Mapping[str, int],
    kinds: Mapping[Kind, int] = _KINDS,
) -> Challenge:
    """The exercise that is drawn; how often is told by opcode, and by kind."""
    kind = draw.weighted(kinds)
    if kind is Kind.PART:
        parting = {x: y for x, y in weights.items() if any(x in e.opcodes for e in ERRATA)}
        if not parting:
            kind = Kind.RESULT
        weights = parting or weights
    opcode = draw.weighted(weights)
    make = {Kind.MODIFIER: _modifier, Kind.PART: _part}.get(kind)
    for _ in range(_TRIES if make else 0):
        if make and (made := make(draw, number, level, opcode)):
            return made
    return _result(draw, number, level, opcode)


# --- the three kinds ---------------------------------------------------------------------


def _traced(draw: Draw, ins: Instruction, level: int) -> Trace:
    """The instruction on operands; such as something happens to, where that is soon found."""
    found = [Trace(ins, ISA_MODEL, bind(ins, operands(draw, ins, level))) for _ in range(1 + level)]
    happens = (x for x in found if any(_HAPPENS.intersection(step.flags) for step in x.steps))
    return next(happens, found[0])


def _result(draw: Draw, number: int, level: int, opcode: str) -> Challenge:
    ins = instruction(form(draw, opcode, level))
    return Challenge(number, Kind.RESULT, level, _traced(draw, ins, level))


def _modifier(draw: Draw, number: int, level: int, opcode: str) -> Challenge | None:
    ins = instruction(form(draw, opcode, level))
    trace = _traced(draw, ins, level)
    seen, others = {_bits(trace)}, list[Instruction]()
    for changed in _changed(draw, ins.form, level):
        other = instruction(changed)
        bits = _bits(Trace(other, ISA_MODEL, trace.operands))
        if bits not in seen:
            seen.add(bits)
            others.append(other)
        if len(others) == 3:
            break
    if len(others) < 2:
        return None
    choices = tuple(draw.shuffled((ins, *others)))
    return Challenge(number, Kind.MODIFIER, level, trace, choices)


def _changed(draw: Draw, found: Form, level: int) -> Iterator[Form]:
    """Legal forms that differ in one slot and read the same operands, in some order."""
    for slot in draw.shuffled(_varied(found, level)):
        for value in _values(draw, slot):
            changed = found._replace(**{slot.name: value})  # type: ignore[arg-type]
            now = found.get(slot.name)
            if isinstance(now, Type) and isinstance(value, Type) and now.bits != value.bits:
                continue
            if value != now and not violations(changed) and not remarks(changed):
                yield changed


def _varied(found: Form, level: int) -> list[Slot]:
    """The slots in which lines to choose from differ: what is written, no destination."""
    slots = (x for x in CATALOG[found.opcode].slots if x.name not in ("c", "dst"))
    return [x for x in slots if x.size() > 1 and (level > 1 or not x.optional or x.name in EASY)]


def _values(draw: Draw, slot: Slot) -> Iterator[object]:
    if slot.optional:
        yield slot.absent
    for _ in range(min(len(slot.values), 6)):
        yield slot.values[draw.below(len(slot.values))]


def _part(draw: Draw, number: int, level: int, opcode: str) -> Challenge | None:
    ins = instruction(form(draw, opcode, max(level, _ERRATA_FROM)))
    if not ins.errata:  # one shows only under a guard
        ins = replace(ins, guard=Guard("g", negated=bool(draw.below(2))))
    if not ins.errata or "d" not in ins.results:
        return None
    isa = plan_of(ins)
    others = [(model, plan_of(ins, model.rules(ins.form))) for model in PTXAS_MODELS]
    others = [(model, plan) for model, plan in others if plan != isa]
    for _ in range(_WITNESSES):
        bits = bind(ins, operands(draw, ins, 3))
        documented = result(isa, bits)
        for model, plan in others:
            if result(plan, bits) != documented:
                return Challenge(number, Kind.PART, level, Trace(ins, ISA_MODEL, bits), other=model)
    return None


def _bits(trace: Trace) -> tuple[tuple[str, int], ...]:
    return tuple(trace.result.items())


# --- what is told of one -----------------------------------------------------------------


def asked(found: Challenge) -> tuple[str, ...]:
    """The exercise in lines of text, its question first."""
    trace, ins = found.trace, found.trace.instruction
    lines = [QUESTIONS[found.kind]]
    if found.kind is not Kind.MODIFIER:
        lines.append(f"  {ins}")
    if found.kind is Kind.PART:
        return (*lines, f"  find operands for which isa (documented) and {found.other.name} differ")
    lines += [f"  {line}" for line in values_of(trace, found.choices)]
    if found.kind is Kind.MODIFIER:
        lines.append(f"  result: {_results(trace)}")
        lines += [f"  {at}) {choice}" for at, choice in enumerate(found.choices, 1)]
    return tuple(lines)


def prompt(found: Challenge) -> str:
    """What an answer is typed behind."""
    if found.kind is Kind.RESULT:
        return f"{next(iter(found.trace.instruction.results.values()))} = "
    if found.kind is Kind.MODIFIER:
        return f"1 to {len(found.choices)}: "
    return " ".join(f"{x.name}=?" for x in found.trace.instruction.inputs) + " : "


def values_of(trace: Trace, choices: Iterable[Instruction] = ()) -> tuple[str, ...]:
    """A line for each operand that one of the lines reads: its bits, and what they are to it."""
    ins = trace.instruction
    read = {x.name: x for line in (ins, *choices) for x in line.inputs}
    return tuple(
        f"{name} = {hex_text(bits, x.type.bits)}  {reading(ins, x.roles[0], bits)}"
        for name, x in sorted(read.items())
        for bits in [trace.operands[x.roles[0]]]
    )


def _results(trace: Trace) -> str:
    ins = trace.instruction
    return bits_text(ins, {role: trace.result[name] for role, name in ins.results.items()})


def solution(found: Challenge) -> str:
    """The right answer."""
    if found.kind is Kind.RESULT:
        ins, key = found.trace.instruction, found.question.key
        bits = judging.expected(found.question)
        shown = hex_text(bits, ins.type_of(key).bits)
        return f"{ins.results[key]} = {shown}  {reading(ins, key, bits)}"
    if found.kind is Kind.MODIFIER:
        return f"{found.right}) {found.trace.instruction}"
    return "for example " + _given(found.trace)


def _given(trace: Trace) -> str:
    ins = trace.instruction
    return " ".join(
        f"{x.name}={hex_text(trace.operands[x.roles[0]], x.type.bits)}" for x in ins.inputs
    )


def hints(found: Challenge) -> tuple[str, ...]:
    """What leads to the answer, one after the other; the last says it."""
    if found.kind is Kind.RESULT:
        return judging.hints(found.question)
    if found.kind is Kind.MODIFIER:
        wrong = (x for x in found.choices if x != found.trace.instruction)
        return (*(_gives(found, x) for x in wrong), f"It is {solution(found)}")
    changed = Trace(found.trace.instruction, found.other, found.trace.operands).changed_by
    return (*(f"{e.id}: {e.sentence}" for e in changed), f"{solution(found)}".capitalize())


def _gives(found: Challenge, choice: Instruction) -> str:
    trace = Trace(choice, ISA_MODEL, found.trace.operands)
    return f"{found.choices.index(choice) + 1}) gives {_results(trace)}."


# --- answers -----------------------------------------------------------------------------

_WORD = pattern(r"[^\s,;]\S*+")
_LONGEST = 4096
"""Characters of an answer that are read."""


def answer(found: Challenge, text: str) -> Verdict:
    """Judge an answer; raises PtxError for what is none."""
    if len(text) > _LONGEST:
        problem = Problem("the answer is too long", (0, 1), f"{_LONGEST} characters")
        raise PtxError(text[:_LONGEST], (problem,))
    if found.kind is Kind.RESULT:
        judged = judging.judge(found.question, text)
        return Verdict(judged.is_right, judged.why)
    if found.kind is Kind.MODIFIER:
        return _chosen(found, text)
    return _parting(found, text)


def told(found: Challenge, verdict: Verdict) -> tuple[str, ...]:
    """What is said of an answer."""
    if verdict.is_right:
        return ("Right.", *verdict.said)
    return ("Wrong.", *verdict.said, solution(found))


def skipped(found: Challenge) -> tuple[str, ...]:
    """What is said where there was none."""
    return (f"Skipped. {solution(found)}",)


def _chosen(found: Challenge, text: str) -> Verdict:
    word = text.strip().rstrip(").")
    most = len(found.choices)
    if word.isascii() and word.isdecimal() and len(word) < 3 and 1 <= int(word) <= most:
        choice = found.choices[int(word) - 1]
    else:
        choice = _written(found, text)
    if choice == found.trace.instruction:
        return Verdict(True, ())
    said = f"{_gives(found, choice)[:-1]}, not {_results(found.trace)}."
    return Verdict(False, (said,))


def _written(found: Challenge, text: str) -> Instruction:
    """A choice that was written out; raises PtxError for anything else."""
    with suppress(PtxError):
        choice = parse(text)
        if choice in found.choices:
            return choice
    start = len(text) - len(text.lstrip())
    span = (start, max(len(text.rstrip()), start + 1))
    problem = Problem("this is none of the lines", span, f"1 to {len(found.choices)}")
    raise PtxError(text, (problem,))


def _parting(found: Challenge, text: str) -> Verdict:
    ins = found.trace.instruction
    bits = bind(ins, _assigned(ins, text))
    isa, other = Trace(ins, ISA_MODEL, bits), Trace(ins, found.other, bits)
    if isa.result == other.result:
        return Verdict(False, (f"Both give {_results(isa)}.",))
    said = [f"The documentation has {_results(isa)}, {found.other.name} {_results(other)}."]
    return Verdict(True, (*said, *(f"{e.id}: {e.sentence}" for e in other.changed_by)))


def _assigned(ins: Instruction, text: str) -> dict[str, int]:
    """``a=1 b=0xff``: a value for each register that is read; raises PtxError."""
    types = {x.name: x.type for x in ins.inputs}
    wanted = " ".join(f"{name}=1" for name in types)
    values: dict[str, int] = {}
    for match in _WORD.finditer(text):
        name, equals, value = match[0].rstrip(",;").partition("=")
        span = (match.start(), match.start() + max(len(name), 1))
        if not equals or name not in types or name in values:
            twice = f"{quoted(name)} is given twice"
            message = twice if name in values else f"{quoted(match[0])} gives no operand a value"
            raise PtxError(text, (Problem(message, span, wanted),))
        try:
            values[name] = parse_value(value, types[name])
        except PtxError as error:
            raise error.within(text, match.start() + len(name) + 1) from None
    for name in types:
        if name not in values:
            span = (0, max(len(text.rstrip()), 1))
            raise PtxError(text, (Problem(f"no value for {name}", span, wanted),))
    return values
