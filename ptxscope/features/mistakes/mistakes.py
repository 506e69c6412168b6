"""Explanations of wrong answers, by comparison with the value of every single mistake.

Mistakes are of three sorts: a mutated row, the same row under another form, rule or operand (causes
of the diagnosis), and the value of another lane. If no mistake explains a destination, each lane
may have a separate one. Unlikely mistakes explain nothing: they fit by coincidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...diagnosis.causes import Cause, CauseKind, ObservedCase, Variant, Variants
from ...diagnosis.form_causes import iter_form_causes
from ...diagnosis.observation import Observation
from ...diagnosis.value_causes import iter_value_causes
from ...engine.isa.encodings import cast
from ...engine.isa.types import DESTINATIONS, Type
from ...engine.micro_operations.arithmetic import LaneValues
from ...engine.micro_operations.base import LaneView, RowTrace
from ...engine.micro_operations.properties import Stage, name_operands
from ...engine.micro_operations.selection import Extend
from ...engine.semantics.lowering import lower
from ...engine.semantics.models import PTXAS_MODELS, Model, format_versions
from ...engine.semantics.plan import Plan, Row, Source, run_plan
from ...engine.syntax.instruction import Instruction
from ...engine.tracing.evaluation import make_plan
from ...engine.tracing.step_text import get_part_name
from ...engine.tracing.trace import Trace, make_trace
from ...learn.grader import MistakeExplanation
from ...learn.question import (
    AnswerLocation,
    Question,
    get_visible_operands,
    locate_answer,
    measure_destination,
)
from . import bit_mutations  # noqa: F401  it registers its mutations
from .number_mutations import iter_early_narrowings
from .row_mutations import (
    PREVIOUS_RESULT,
    MutationSite,
    RowMutation,
    append_sentence,
    explain_sign,
    iter_row_mutations,
)

_MIN_UNLIKELY_COST = 4
"""Minimum cost of causes that are not plausible mistakes in a prediction."""
_MIN_FAR_COST = 3
"""Minimum cost of mistakes that explain an answer only if no other one does."""


def make_explanation(sentence: str) -> MistakeExplanation:
    """Return an explanation that does not contain the answer."""
    return MistakeExplanation(sentence, sentence)


class Mistake(NamedTuple):
    """A single mistake and its value."""

    cost: int
    explanation: MistakeExplanation
    value: int
    """Value at the location in question."""
    id: str = ""
    """Id of the misconception or erratum."""

    @property
    def sentence(self) -> str:
        """The mistake, with the right value."""
        return self.explanation.sentence


def iter_mistakes(question: Question) -> Iterator[Mistake]:
    """Yield every single mistake that changes the answer."""
    location = locate_answer(question)
    if _measure_lanes(question, location)[0] == 1:
        question = question._replace(lane=None)  # earlier rows have no lane in question
    expected = location.get_value(run_plan(question.trace.plan, question.trace.operands))
    for iter_kind in (
        _iter_model_mistakes,
        _iter_mutations,
        _iter_cause_mistakes,
        _iter_neighbour_mistakes,
        _iter_part_mistakes,
    ):
        for mistake in iter_kind(question, location):
            if mistake.value != expected:
                yield mistake


def explain_answer(
    question: Question, value: int, is_pattern: bool
) -> tuple[MistakeExplanation, ...]:
    """Return the most likely mistake behind a wrong answer, typed as bits or as a number.

    If no single mistake explains all lanes, return one for each lane.
    """
    return find_likely_mistakes(question, value, is_pattern=is_pattern)[:1] or tuple(
        _explain_by_lane(question, locate_answer(question), value)
    )


def find_likely_mistakes(
    question: Question, value: int, *, is_pattern: bool = True
) -> tuple[MistakeExplanation, ...]:
    """Return the single mistakes with a wrong answer's value, the most likely first.

    Several unlikely mistakes are coincidences and are left out.
    """
    location = locate_answer(question)
    matches = [
        mistake
        for mistake in iter_mistakes(question)
        if location.is_accepted(mistake.value, value, is_pattern=is_pattern)
    ]
    costs: dict[MistakeExplanation, int] = {}
    for mistake in sorted(matches, key=lambda x: x.cost):
        costs.setdefault(mistake.explanation, mistake.cost)
    explanations, lowest = tuple(costs), min(costs.values(), default=0)
    if len(costs) > 1 and lowest >= _MIN_FAR_COST:
        return ()
    if [*costs.values()].count(lowest) > 1:
        return (explanations[0].with_doubt(), *explanations[1:])
    return explanations


def _explain_by_lane(
    question: Question, location: AnswerLocation, value: int
) -> Iterator[MistakeExplanation]:
    """Yield an explanation for each wrong lane of a destination, or nothing if one lacks it.

    An explanation of only some lanes may be a coincidence.
    """
    trace, role = question.trace, question.key
    is_whole = question.lane is None and role in DESTINATIONS
    if not is_whole or trace.instruction.entry.lanes == 1:
        return
    count, unit = measure_destination(trace, role)
    expected = location.get_value(run_plan(trace.plan, trace.operands))
    lane_explanations: list[MistakeExplanation] = []
    for lane in range(count) if count > 1 else ():
        lane_question, mask = Question(trace, role, lane), (1 << unit) - 1
        if (value ^ expected) >> unit * lane & mask:
            explanations = find_likely_mistakes(lane_question, value >> unit * lane & mask)[:1]
            if not explanations:
                return
            lane_explanations += [explanations[0].with_lane(lane)]
    yield from lane_explanations


# --- mutated rows ------------------------------------------------------------------------


def _iter_mutations(question: Question, location: AnswerLocation) -> Iterator[Mistake]:
    trace = question.trace
    for key in _list_ancestors(trace, location.key):
        row = trace.rows[key]
        # the picture of an earlier step shows its selections
        distance = 0 if key == location.key else 2 if row.stage is Stage.SELECT else 1
        for mutation in iter_mutations(trace, row, question.lane):
            plan = with_mutation(trace.plan, key, mutation)
            try:
                values = run_plan(plan, trace.operands)
            except ValueError:  # a later row cannot shift by a negative distance
                continue
            explanation = _format_mutation(question, row, mutation, values)
            yield Mistake(mutation.cost + distance, explanation, location.get_value(values))


def _list_ancestors(trace: Trace, key: str) -> list[str]:
    """Return the keys of a row and of all rows that it depends on, the nearest first."""
    ancestors: dict[str, None] = {}
    pending = [key]
    while pending:
        current_key = pending.pop(0)
        if current_key in trace.rows and current_key not in ancestors:
            ancestors[current_key] = None
            pending += trace.rows[current_key].input_keys
    return [*ancestors]


def _list_changed_lanes(
    question: Question, row: RowTrace, values: Mapping[str, LaneValues]
) -> list[int]:
    """Return the lanes that a mutation changes: the one asked about, or all."""
    pairs = zip(row.values, values[row.key], strict=True)
    changed_lanes = [lane for lane, (right, wrong) in enumerate(pairs) if right != wrong]
    return [question.lane] if question.lane in changed_lanes else changed_lanes or [0]


def _format_mutation(
    question: Question, row: RowTrace, mutation: RowMutation, values: Mapping[str, LaneValues]
) -> MistakeExplanation:
    lane, *others = _list_changed_lanes(question, row, values)
    view = LaneView(row, lane)
    wrong_value = values[row.key][lane]
    if isinstance(row.micro, Extend):
        sentences = explain_sign(row.micro, view, wrong_value)
    else:
        is_one_of_many = question.lane is None and len(row.values) > 1
        suffix = f" ({get_part_name(row)} {lane})" if is_one_of_many else ""
        description = name_operands(mutation.description, row.instruction)
        start = f"You {description}{mutation.instead}{suffix}"
        sentence = append_sentence(start, row.micro.describe_lane(view).sentence)
        sentences = f"You {description}{'' if others else suffix}.", sentence
    return MistakeExplanation(*sentences)


# --- other forms, rules and operands -----------------------------------------------------


def _iter_model_mistakes(question: Question, location: AnswerLocation) -> Iterator[Mistake]:
    """Yield the answers of the other models: the documentation, and assemblers."""
    trace = question.trace
    ins, model = trace.instruction, trace.model
    if model.errata:
        name = f"The documentation has that; {model.name} does not."
        sentence = " ".join([name, *(f"{e.id}: {e.sentence}" for e in trace.changed_by)])
        yield from _iter_plan_mistakes(
            question, location, make_plan(ins), 0, MistakeExplanation(name, sentence)
        )
    models_by_value: dict[int, list[Model]] = {}
    for other_model in PTXAS_MODELS:
        if ins.errata and other_model.errata != model.errata:
            plan = make_plan(ins, other_model.make_rules(ins.form))
            for mistake in _iter_plan_mistakes(question, location, plan, 0, make_explanation("")):
                models_by_value.setdefault(mistake.value, []).append(other_model)
    for value, models in models_by_value.items():
        errata = make_trace(ins, models[0], trace.operands).changed_by
        name = f"ptxas {format_versions(models, ins.form)} has that."
        sentence = " ".join([name, *(f"{e.id}: {e.sentence}" for e in errata)])
        yield Mistake(2, MistakeExplanation(name, sentence), value, "+".join(e.id for e in errata))


def _is_known(plan: Plan, known_roles: frozenset[str]) -> bool:
    """Whether a plan reads only visible operands."""
    return all(source.role in known_roles for source in plan.sources)


def _iter_plan_mistakes(
    question: Question,
    location: AnswerLocation,
    plan: Plan,
    cost: int,
    explanation: MistakeExplanation,
) -> Iterator[Mistake]:
    counterpart = _find_counterpart(question.trace.plan, plan, location)
    if counterpart and _is_known(plan, frozenset(get_visible_operands(question.trace))):
        values = run_plan(plan, question.trace.operands)
        yield Mistake(cost, explanation, counterpart.get_value(values))


def _iter_cause_mistakes(question: Question, location: AnswerLocation) -> Iterator[Mistake]:
    """Yield the value at the same location under every single cause of the diagnosis."""
    trace = question.trace
    ins = trace.instruction
    known_roles = frozenset(get_visible_operands(trace))
    variants = Variants(ins, known_roles)
    observed_case = ObservedCase(Observation(get_visible_operands(trace), {}), {})
    for cause in _iter_causes(ins, known_roles):
        variant = variants.make_variant((cause,))
        if variant is None:
            continue
        plan = _make_variant_plan(variant, trace.model, cause)
        counterpart = _find_counterpart(trace.plan, plan, location)
        if counterpart is None or not _is_known(plan, known_roles):
            continue
        operands = (
            cause.operands(trace.operands, observed_case) if cause.operands else trace.operands
        )
        value = counterpart.get_value(run_plan(plan, operands))
        id_ = "".join(erratum.id for erratum in cause.errata)
        yield Mistake(_compute_cost(cause), _format_cause(cause), value, id_)
    if "c" in known_roles:
        value = location.get_value(run_plan(trace.plan, {**trace.operands, "c": 0}))
        yield Mistake(
            2, make_explanation(f"That would be right with {ins.format_operand('c')} = 0."), value
        )


def _iter_causes(ins: Instruction, known_roles: frozenset[str]) -> Iterator[Cause]:
    for cause in (*iter_form_causes(ins, has_nan=True), *iter_value_causes(ins, known_roles)):
        if _is_predictable(cause) and all(_is_confusable(ins, *x) for x in cause.slots):
            yield cause


def _is_confusable(ins: Instruction, name: str, value: object) -> bool:
    """Whether a person could misread a slot's value in the line.

    Nobody sees an absent modifier, or a type that is neither signed nor unsigned.
    """
    present_value = ins.form.get(name)
    if isinstance(value, Type) and isinstance(present_value, Type):
        return f"{value}".translate(_NO_SIGN) == f"{present_value}".translate(_NO_SIGN)
    return bool(present_value)


_NO_SIGN = str.maketrans("us", "  ")


def _is_predictable(cause: Cause) -> bool:
    """Whether a person could make this mistake in a prediction.

    That excludes the behaviour of assemblers, unseen registers, and the notation of results. Rows
    have mutations for other operations.
    """
    unlikely_kinds = (CauseKind.PTXAS, CauseKind.READING, CauseKind.OPCODE)
    if cause.kind in unlikely_kinds or cause.cost >= _MIN_UNLIKELY_COST:
        return False
    if "lut" in cause.changed_aspects:  # some other table fits any value
        return False
    return cause.operands is None or cause.is_swap


def _compute_cost(cause: Cause) -> int:
    return -1 if cause.kind is CauseKind.MISCONCEPTION else cause.cost + 1


def _format_cause(cause: Cause) -> MistakeExplanation:
    name = f"That would be right {cause.phrase.replace('stype ', '')}."
    return MistakeExplanation(name, " ".join([name, *(x.sentence for x in cause.errata)]))


def _make_variant_plan(variant: Variant, model: Model, cause: Cause) -> Plan:
    """Return the plan of a variant under the trace's own model and the cause's errata."""
    if not model.errata:
        return variant.plan
    rules = Model("", (*model.errata, *cause.errata)).make_rules(variant.form)
    return lower(variant.form, rules, variant.guard)


def _find_counterpart(
    plan: Plan, other_plan: Plan, location: AnswerLocation
) -> AnswerLocation | None:
    """Return the same location in another plan, or None.

    Destinations correspond by role, last rows of a stage by stage, and other rows by key.
    """
    row = {other_row.key: other_row for other_row in plan.rows}[location.key]
    rows = {other_row.key: other_row for other_row in other_plan.rows}
    results = {x.key: x.role for x in plan.results}
    if location.key in results:
        other_key = next((x.key for x in other_plan.results if x.role == results[location.key]), "")
    elif row is _find_last_row(plan, row):
        ends = [other_row.key for other_row in other_plan.rows if other_row.stage is row.stage]
        other_key = ends[-1] if ends else ""
    else:
        other_key = row.key
    other_row = rows.get(other_key)
    if other_row is None or (
        other_row.lanes != row.lanes and other_row.lanes <= (location.lane or 0)
    ):
        return None
    return location._replace(key=other_key)


def _find_last_row(plan: Plan, row: Row) -> Row:
    return [candidate for candidate in plan.rows if candidate.stage is row.stage][-1]


# --- other lanes -------------------------------------------------------------------------


def _iter_neighbour_mistakes(question: Question, location: AnswerLocation) -> Iterator[Mistake]:
    """Yield the values of the other lanes."""
    if question.lane is None:
        return
    values = run_plan(question.trace.plan, question.trace.operands)
    count, unit = _measure_lanes(question, location)
    for lane in range(count):
        if lane != question.lane:
            value = location._replace(lane=lane, shift=unit * lane).get_value(values)
            text = f"That is lane {lane}'s value"
            if lane == count - 1 - question.lane:  # 0 and 1 occur in many lanes
                cost = 3 if value in (0, 1) else 1
                yield Mistake(cost, make_explanation(f"{text}: lane 0 is the rightmost."), value)
            else:
                yield Mistake(3, make_explanation(f"{text}."), value)


def _measure_lanes(question: Question, location: AnswerLocation) -> tuple[int, int]:
    """Return the number of lanes of the answer, and their width in its row, or 0."""
    if question.key in DESTINATIONS:
        return measure_destination(question.trace, question.key)
    return len(question.trace.rows[location.key].values), 0


def _iter_part_mistakes(question: Question, location: AnswerLocation) -> Iterator[Mistake]:
    """Yield each lane of a destination, for a question about the whole destination."""
    trace = question.trace
    role = next((x.role for x in trace.plan.results if x.key == location.key), "")
    count, unit = measure_destination(trace, role) if role else (1, 0)
    if trace.instruction.entry.lanes == 1 or count == 1 or location.width != unit * count:
        return
    bits = location.get_value(run_plan(trace.plan, trace.operands))
    for lane in range(count):
        part = bits >> unit * lane & (1 << unit) - 1
        name = f"That is lane {lane} alone: the answer is all {location.width} bits."
        cost = 3 if part in (0, 1) else 1
        for value in {part, cast(part, unit, signed=True) & (1 << location.width) - 1}:
            yield Mistake(cost, make_explanation(name), value)


def iter_mutations(trace: Trace, row: RowTrace, lane: int | None) -> Iterator[RowMutation]:
    """Yield the plausible mutations of a row, which read only visible operands."""
    site, visible_operands = MutationSite(row, lane), get_visible_operands(trace)
    for mutation in iter_row_mutations(row.micro, site):
        if all(name in visible_operands for name in _list_inputs(mutation).intersection("abc")):
            yield mutation
    if row.micro.is_exact:
        yield from iter_early_narrowings(site)


def _list_inputs(mutation: RowMutation) -> set[str]:
    return {name for _, inputs in mutation.operations for name in inputs}


def with_mutation(plan: Plan, key: str, mutation: RowMutation) -> Plan:
    """Return the plan with a mutated row; the mutation may read any operand."""
    rows: list[Row] = []
    for row in plan.rows:
        if row.key != key:
            rows.append(row)
            continue
        previous_key = ""
        for number, (micro, inputs) in enumerate(mutation.operations, 1):
            own_key = key if number == len(mutation.operations) else f"{key} {number}"
            input_keys = tuple(previous_key if name == PREVIOUS_RESULT else name for name in inputs)
            rows.append(row._replace(key=own_key, micro=micro, inputs=input_keys))
            previous_key = own_key
    new_roles = _list_inputs(mutation) - {source.role for source in plan.sources}
    new_sources = tuple(Source(role, Type.U32) for role in sorted(new_roles.intersection("ab")))
    return plan._replace(rows=tuple(rows), sources=plan.sources + new_sources)
