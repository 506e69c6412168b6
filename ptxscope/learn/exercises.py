"""Endless exercises drawn from the catalog: predict a result, pick a line, find operands.

The exercise of a number depends only on seed, level and family, unless a tally shifts the draw
towards earlier mistakes. The engine checks every exercise: exactly one of the lines to choose from
gives the result, and operands for which the models differ are known to exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from ..engine.isa.catalog import CATALOG, get_entry
from ..engine.isa.entry import Group, Slot
from ..engine.isa.form import Form
from ..engine.isa.legality import find_remarks, find_violations
from ..engine.isa.types import Type
from ..engine.isa.value_text import format_hex
from ..engine.micro_operations.properties import Flag
from ..engine.semantics.errata import ERRATA
from ..engine.semantics.models import ISA_MODEL, PTXAS_MODELS, Model
from ..engine.semantics.plan_execution import compute_results
from ..engine.syntax.errors import Problem, PtxError, quote_word
from ..engine.syntax.instruction import Guard, Instruction
from ..engine.syntax.parser import parse
from ..engine.syntax.values import parse_value
from ..engine.tracing.evaluation import make_plan
from ..engine.tracing.lane_text import format_result_bits, interpret_bits
from ..engine.tracing.operand_bits import bind_values
from ..engine.tracing.trace import Trace
from . import grader
from .seeded_random import EASY, SeededRandom, draw_form, draw_operands, make_instruction
from .tally import ExerciseKind, Tally

QUESTIONS = {
    ExerciseKind.RESULT: "What is the result?",
    ExerciseKind.MODIFIER: "Which line gives this?",
    ExerciseKind.PART: "Which operands make the answers differ?",
}
GROUPS = {
    "compare": Group.COMPARE,
    "scalar": Group.SCALAR,
    "simd": Group.SIMD,
    "permute": Group.PERMUTE,
    "fields": Group.FIELDS,
    "packed": Group.PACKED,
    "common": Group.COMMON,
}
_KINDS = {ExerciseKind.RESULT: 5, ExerciseKind.MODIFIER: 3, ExerciseKind.PART: 2}
"""Weight of each kind."""
_TRIES = 24
"""Number of forms drawn before giving up on an exercise of a kind."""
_ERRATA_FROM = 2
"""Lowest level at which errata affect most of the forms drawn."""
_WITNESSES = 60
"""Number of operands tried to make two models differ."""
_EVENT_FLAGS = frozenset(
    (Flag.CLAMPED_HIGH, Flag.CLAMPED_LOW, Flag.WRAPPED, Flag.NAN, Flag.FLUSHED)
)


class Exercise(NamedTuple):
    """One exercise."""

    number: int
    """Number, from 1."""
    kind: ExerciseKind
    level: int
    trace: Trace
    """The right line on its operands; for operands to find, on some that answer the question."""
    choices: tuple[Instruction, ...] = ()
    """Lines to choose from; exactly one gives the result of the trace."""
    other_model: Model = ISA_MODEL
    """Model whose answer differs from the documented one."""

    @property
    def opcode(self) -> str:
        """Opcode that the exercise is about."""
        return self.trace.instruction.opcode

    @property
    def question(self) -> grader.Question:
        """The question about the result."""
        return grader.Question(self.trace, next(iter(self.trace.instruction.results)))

    @property
    def right_number(self) -> int:
        """Number of the right line, from 1."""
        return self.choices.index(self.trace.instruction) + 1


class Verdict(NamedTuple):
    """The grade of an answer to an exercise."""

    is_right: bool
    sentences: tuple[str, ...]
    """The reason if the answer is wrong; a remark if it is right."""


def map_families() -> dict[str, tuple[str, ...]]:
    """Return the opcodes of each family: a group, an operation of all widths, or one opcode."""
    families = {
        name: tuple(x.opcode for x in CATALOG.values() if x.group is group)
        for name, group in GROUPS.items()
    }
    for opcode, entry in CATALOG.items():
        families.setdefault(entry.base_opcode, ())
        families[entry.base_opcode] += (opcode,)
    return families | {opcode: (opcode,) for opcode in CATALOG if opcode not in families}


def iter_exercises(
    seed: str, level: int = 1, family: str = "", tally: Tally | None = None
) -> Iterator[Exercise]:
    """Yield exercises without end; a tally makes earlier mistakes come up more often.

    Instructions that stand in all code come up only in their own families.

    Raise KeyError if ``map_families`` has no such family.
    """
    uncommon = (x.opcode for x in CATALOG.values() if x.group is not Group.COMMON)
    opcodes = map_families()[family] if family else tuple(uncommon)
    bias = tally or Tally()
    weights = {opcode: bias.compute_weight(opcode) for opcode in opcodes}
    kinds = {kind: weight * bias.compute_weight(kind) for kind, weight in _KINDS.items()}
    for number in count(1):
        yield make_exercise(
            SeededRandom(f"{seed}/{level}/{family}/{number}"), number, level, weights, kinds
        )


def make_exercise(
    draw: SeededRandom,
    number: int,
    level: int,
    weights: Mapping[str, int],
    kinds: Mapping[ExerciseKind, int] = _KINDS,
) -> Exercise:
    """Draw an exercise with weights by opcode and by kind."""
    kind = draw.pick_weighted(kinds)
    if kind is ExerciseKind.PART:
        erratum_weights = {x: y for x, y in weights.items() if any(x in e.opcodes for e in ERRATA)}
        if not erratum_weights:
            kind = ExerciseKind.RESULT
        weights = erratum_weights or weights
    opcode = draw.pick_weighted(weights)
    make_kind = {
        ExerciseKind.MODIFIER: _make_modifier_exercise,
        ExerciseKind.PART: _make_divergence_exercise,
    }.get(kind)
    for _ in range(_TRIES if make_kind else 0):
        if make_kind and (exercise := make_kind(draw, number, level, opcode)):
            return exercise
    return _make_result_exercise(draw, number, level, opcode)


# --- the three kinds ---------------------------------------------------------------------


def _make_trace(draw: SeededRandom, ins: Instruction, level: int) -> Trace:
    """Return a trace on operands that raise a flag, if a few draws find some."""
    traces = [
        Trace.of(ins, ISA_MODEL, bind_values(ins, draw_operands(draw, ins, level)))
        for _ in range(1 + level)
    ]
    eventful_traces = (
        x for x in traces if any(_EVENT_FLAGS.intersection(step.flags) for step in x.steps)
    )
    return next(eventful_traces, traces[0])


def _make_result_exercise(draw: SeededRandom, number: int, level: int, opcode: str) -> Exercise:
    ins = make_instruction(draw_form(draw, opcode, level))
    return Exercise(number, ExerciseKind.RESULT, level, _make_trace(draw, ins, level))


def _make_modifier_exercise(
    draw: SeededRandom, number: int, level: int, opcode: str
) -> Exercise | None:
    ins = make_instruction(draw_form(draw, opcode, level))
    trace = _make_trace(draw, ins, level)
    known_results, other_lines = {_list_result_bits(trace)}, list[Instruction]()
    for changed in _iter_changed_forms(draw, ins.form, level):
        other_line = make_instruction(changed)
        bits = _list_result_bits(Trace.of(other_line, ISA_MODEL, trace.operands))
        if bits not in known_results:
            known_results.add(bits)
            other_lines.append(other_line)
        if len(other_lines) == 3:
            break
    if len(other_lines) < 2:
        return None
    choices = tuple(draw.shuffle((ins, *other_lines)))
    return Exercise(number, ExerciseKind.MODIFIER, level, trace, choices)


def _iter_changed_forms(draw: SeededRandom, form: Form, level: int) -> Iterator[Form]:
    """Yield legal forms that differ in one slot and read the same operands, in random order."""
    for slot in draw.shuffle(_list_varied_slots(form, level)):
        for value in _iter_values(draw, slot):
            changed_form = form._replace(**{slot.name: value})  # type: ignore[arg-type]
            old_value = form.get(slot.name)
            if (
                isinstance(old_value, Type)
                and isinstance(value, Type)
                and old_value.bits != value.bits
            ):
                continue
            if (
                value != old_value
                and get_entry(changed_form) is get_entry(form)
                and not find_violations(changed_form)
                and not find_remarks(changed_form)
            ):
                yield changed_form


def _list_varied_slots(form: Form, level: int) -> list[Slot]:
    """Return the slots in which lines to choose from differ, without c and the destinations."""
    slots = (x for x in get_entry(form).slots if x.name not in ("c", "dst"))
    return [
        x
        for x in slots
        if x.count_choices() > 1 and (level > 1 or not x.is_optional or x.name in EASY)
    ]


def _iter_values(draw: SeededRandom, slot: Slot) -> Iterator[object]:
    if slot.is_optional:
        yield slot.absent
    for _ in range(min(len(slot.values), 6)):
        yield slot.values[draw.random_below(len(slot.values))]


def _make_divergence_exercise(
    draw: SeededRandom, number: int, level: int, opcode: str
) -> Exercise | None:
    ins = make_instruction(draw_form(draw, opcode, max(level, _ERRATA_FROM)))
    if not ins.errata:  # one of them shows only under a guard
        ins = replace(ins, guard=Guard("g", negated=bool(draw.random_below(2))))
    if not ins.errata or "d" not in ins.results:
        return None
    isa = make_plan(ins)
    model_plans = [(model, make_plan(ins, model.make_rules(ins.form))) for model in PTXAS_MODELS]
    model_plans = [(model, plan) for model, plan in model_plans if plan != isa]
    for attempt in range(_WITNESSES):
        bits = bind_values(ins, draw_operands(draw, ins, 3))
        if attempt % 2:  # some errata show for few operands only
            bits = _mix_with_example(draw, ins, bits)
        documented = compute_results(isa, bits)
        for model, plan in model_plans:
            if compute_results(plan, bits) != documented:
                return Exercise(
                    number,
                    ExerciseKind.PART,
                    level,
                    Trace.of(ins, ISA_MODEL, bits),
                    other_model=model,
                )
    return None


def _mix_with_example(
    draw: SeededRandom, ins: Instruction, bits: Mapping[str, int]
) -> dict[str, int]:
    """Return operands of which about half are those of an erratum's example."""
    ptx, values, *_ = draw.pick(ins.errata).example
    names = parse(ptx).names
    return {
        role: values[names[role]] & (1 << ins.type_of(role).bits) - 1
        if names.get(role) in values and draw.random_below(2)
        else number
        for role, number in bits.items()
    }


def _list_result_bits(trace: Trace) -> tuple[tuple[str, int], ...]:
    return tuple(trace.result.items())


# --- text of an exercise -----------------------------------------------------------------


def question_lines(exercise: Exercise) -> tuple[str, ...]:
    """Return the exercise as lines of text, the question first."""
    trace, ins = exercise.trace, exercise.trace.instruction
    lines = [QUESTIONS[exercise.kind]]
    if exercise.kind is not ExerciseKind.MODIFIER:
        lines.append(f"  {ins}")
    if exercise.kind is ExerciseKind.PART:
        return (
            *lines,
            f"  find operands for which isa (documented) and {exercise.other_model.name} differ",
        )
    lines += [f"  {line}" for line in format_operands(trace, exercise.choices)]
    if exercise.kind is ExerciseKind.MODIFIER:
        lines.append(f"  result: {_format_results(trace)}")
        lines += [f"  {number}) {choice}" for number, choice in enumerate(exercise.choices, 1)]
    return tuple(lines)


def format_prompt(exercise: Exercise) -> str:
    """Return the prompt for an answer."""
    if exercise.kind is ExerciseKind.RESULT:
        return f"{next(iter(exercise.trace.instruction.results.values()))} = "
    if exercise.kind is ExerciseKind.MODIFIER:
        return f"1 to {len(exercise.choices)}: "
    return " ".join(f"{x.name}=?" for x in exercise.trace.instruction.inputs) + " : "


def format_operands(trace: Trace, choices: Iterable[Instruction] = ()) -> tuple[str, ...]:
    """Return a line for each operand that the lines read: its bits and their meaning."""
    ins = trace.instruction
    inputs = {x.name: x for line in (ins, *choices) for x in line.inputs}
    return tuple(
        f"{name} = {format_hex(bits, x.type.bits)}  {interpret_bits(ins, x.roles[0], bits)}"
        for name, x in sorted(inputs.items())
        for bits in [trace.operands[x.roles[0]]]
    )


def _format_results(trace: Trace) -> str:
    ins = trace.instruction
    return format_result_bits(ins, {role: trace.result[name] for role, name in ins.results.items()})


def format_solution(exercise: Exercise) -> str:
    """Format the right answer."""
    if exercise.kind is ExerciseKind.RESULT:
        ins, key = exercise.trace.instruction, exercise.question.key
        bits = grader.compute_expected(exercise.question)
        digits = format_hex(bits, ins.type_of(key).bits)
        return f"{ins.results[key]} = {digits}  {interpret_bits(ins, key, bits)}"
    if exercise.kind is ExerciseKind.MODIFIER:
        return f"{exercise.right_number}) {exercise.trace.instruction}"
    return "for example " + _format_values(exercise.trace)


def _format_values(trace: Trace) -> str:
    ins = trace.instruction
    return " ".join(
        f"{x.name}={format_hex(trace.operands[x.roles[0]], x.type.bits)}" for x in ins.inputs
    )


def list_hints(exercise: Exercise) -> tuple[str, ...]:
    """Return hints in order; the last one is the answer."""
    if exercise.kind is ExerciseKind.RESULT:
        return grader.list_hints(exercise.question)
    if exercise.kind is ExerciseKind.MODIFIER:
        wrong_lines = (x for x in exercise.choices if x != exercise.trace.instruction)
        return (
            *(_format_choice_result(exercise, x) for x in wrong_lines),
            f"It is {format_solution(exercise)}",
        )
    errata = Trace.of(
        exercise.trace.instruction, exercise.other_model, exercise.trace.operands
    ).changed_by
    return (*(f"{e.id}: {e.sentence}" for e in errata), f"{format_solution(exercise)}".capitalize())


def _format_choice_result(exercise: Exercise, choice: Instruction) -> str:
    trace = Trace.of(choice, ISA_MODEL, exercise.trace.operands)
    return f"{exercise.choices.index(choice) + 1}) gives {_format_results(trace)}."


# --- answers -----------------------------------------------------------------------------

_WORD = re.compile(r"[^\s,;]\S*+")
_LONGEST = 4096
"""Longest answer in characters."""


def grade_answer(exercise: Exercise, text: str) -> Verdict:
    """Grade an answer; raise PtxError if it is not one."""
    if len(text) > _LONGEST:
        problem = Problem("the answer is too long", (0, 1), f"{_LONGEST} characters")
        raise PtxError(text[:_LONGEST], (problem,))
    if exercise.kind is ExerciseKind.RESULT:
        graded_answer = grader.grade_answer(exercise.question, text)
        return Verdict(graded_answer.is_right, graded_answer.sentences)
    if exercise.kind is ExerciseKind.MODIFIER:
        return _grade_choice(exercise, text)
    return _grade_operands(exercise, text)


def feedback_lines(exercise: Exercise, verdict: Verdict) -> tuple[str, ...]:
    """Return the feedback on an answer."""
    if verdict.is_right:
        return ("Right.", *verdict.sentences)
    return ("Wrong.", *verdict.sentences, format_solution(exercise))


def skipped_lines(exercise: Exercise) -> tuple[str, ...]:
    """Return the feedback on a skipped exercise."""
    return (f"Skipped. {format_solution(exercise)}",)


def _grade_choice(exercise: Exercise, text: str) -> Verdict:
    word = text.strip().rstrip(").")
    choice_count = len(exercise.choices)
    if word.isascii() and word.isdecimal() and len(word) < 3 and 1 <= int(word) <= choice_count:
        choice = exercise.choices[int(word) - 1]
    else:
        choice = _parse_written_choice(exercise, text)
    if choice == exercise.trace.instruction:
        return Verdict(True, ())
    sentence = (
        f"{_format_choice_result(exercise, choice)[:-1]}, not {_format_results(exercise.trace)}."
    )
    return Verdict(False, (sentence,))


def _parse_written_choice(exercise: Exercise, text: str) -> Instruction:
    """Parse a choice that was written out; raise PtxError if it is none of the lines."""
    with suppress(PtxError):
        choice = parse(text)
        if choice in exercise.choices:
            return choice
    start = len(text) - len(text.lstrip())
    span = (start, max(len(text.rstrip()), start + 1))
    problem = Problem("this is not one of the lines", span, f"1 to {len(exercise.choices)}")
    raise PtxError(text, (problem,))


def _grade_operands(exercise: Exercise, text: str) -> Verdict:
    ins = exercise.trace.instruction
    bits = bind_values(ins, _parse_assignments(ins, text))
    isa_trace, other_trace = (
        Trace.of(ins, ISA_MODEL, bits),
        Trace.of(ins, exercise.other_model, bits),
    )
    if isa_trace.result == other_trace.result:
        return Verdict(False, (f"Both give {_format_results(isa_trace)}.",))
    sentences = [
        f"The documentation has {_format_results(isa_trace)}, {exercise.other_model.name} "
        f"{_format_results(other_trace)}."
    ]
    return Verdict(True, (*sentences, *(f"{e.id}: {e.sentence}" for e in other_trace.changed_by)))


def _parse_assignments(ins: Instruction, text: str) -> dict[str, int]:
    """Parse ``a=1 b=0xff``: a value for each register that is read; raise PtxError."""
    types = {x.name: x.type for x in ins.inputs}
    example = " ".join(f"{name}=1" for name in types)
    values: dict[str, int] = {}
    for match in _WORD.finditer(text):
        name, equals, value = match[0].rstrip(",;").partition("=")
        span = (match.start(), match.start() + max(len(name), 1))
        if not equals or name not in types or name in values:
            repetition = f"{quote_word(name)} is given twice"
            message = (
                repetition if name in values else f"{quote_word(match[0])} gives no operand a value"
            )
            raise PtxError(text, (Problem(message, span, example),))
        try:
            values[name] = parse_value(value, types[name])
        except PtxError as error:
            raise error.shift_into(text, match.start() + len(name) + 1) from None
    for name in types:
        if name not in values:
            span = (0, max(len(text.rstrip()), 1))
            raise PtxError(text, (Problem(f"no value for {name}", span, example),))
    return values
