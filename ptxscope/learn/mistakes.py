"""What a wrong answer comes of: every single mistake, run, and what it gives at the place asked.

Three sorts, none computed here: a row worked otherwise (``slips``), the same row under another
form, rule or operand (the diagnosis' causes), another lane's value. Where nothing of that gives
an answer at a destination, the diagnosis looks for two causes together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from ..engine.diagnosis.causes import Cause, CauseKind, ObservedCase
from ..engine.diagnosis.findings import investigate
from ..engine.diagnosis.form_causes import iter_form_causes
from ..engine.diagnosis.observation import Observation, Observed
from ..engine.diagnosis.value_causes import iter_value_causes
from ..engine.diagnosis.variants import Variant, Variants
from ..engine.isa.roles import DESTINATIONS
from ..engine.records import NamedTuple
from ..engine.semantics import micro_operations as m
from ..engine.semantics.arithmetic import LaneValues
from ..engine.semantics.lowering import lower
from ..engine.semantics.micro_operation import get_lane
from ..engine.semantics.models import ISA_MODEL, PTXAS_MODELS, Model, format_versions
from ..engine.semantics.plan import Plan, Row
from ..engine.semantics.plan_execution import run_plan
from ..engine.syntax.instruction import Instruction
from ..engine.syntax.values import format_hex
from ..engine.tracing.evaluation import make_plan
from ..engine.tracing.lane_text import describe_lane, get_part_name
from ..engine.tracing.trace import RowTrace, Trace
from .question import (
    AnswerLocation,
    Question,
    get_visible_operands,
    locate_answer,
    measure_destination,
)
from .row_mutations import RowMutation, iter_mutations, with_slip

_FAR_FETCHED = 5
"""Causes from this weight on are none of somebody who predicts."""
_BY_CHANCE = frozenset((CauseKind.OPCODE, CauseKind.SELECTOR))
"""What explains nearly anything when it is one of two causes."""


class Explanation(NamedTuple):
    """What is said of a wrong answer."""

    name: str
    """What was done, without the right answer."""
    said: str
    """What was done, and what is right."""
    has_result: bool = False
    """``said`` has the right answer in it."""

    def in_lane(self, lane: int) -> Explanation:
        """The same of one lane of a whole."""
        name, said = (f"In lane {lane} {x[:1].lower()}{x[1:]}" for x in (self.name, self.said))
        return Explanation(name, said)

    def behind(self, lead: str) -> Explanation:
        """The same behind another sentence."""
        return self._replace(name=f"{lead} {self.name}", said=f"{lead} {self.said}")


def explain(said: str) -> Explanation:
    """A sentence that tells no answer."""
    return Explanation(said, said)


class Mistake(NamedTuple):
    """One way to another answer."""

    weight: int
    explanation: Explanation
    value: int
    """What it gives at the place that is asked about."""
    id: str = ""
    """The misconception's or erratum's."""

    @property
    def said(self) -> str:
        """What was done, and what is right."""
        return self.explanation.said


def iter_mistakes(question: Question) -> Iterator[Mistake]:
    """Every single mistake that gives another answer than the right one."""
    where = locate_answer(question)
    right = where.get_value(_run_plan(question.trace.plan, question.trace.operands))
    for sort in (
        _iter_misconceptions,
        _iter_mutations,
        _iter_cause_mistakes,
        _iter_neighbour_mistakes,
    ):
        for mistake in sort(question, where):
            if mistake.value != right:
                yield mistake


def explain_answer(question: Question, given: int, *, bits: bool) -> tuple[Explanation, ...]:
    """What is told of a wrong answer, typed as bits or as a number: the likeliest mistake.

    For a whole of lanes of which no single mistake explains all, one for each lane that it does;
    where there is none either, two together.
    """
    where = locate_answer(question)
    return (
        _likely(question, given, bits=bits)[:1]
        or tuple(_explain_by_lane(question, where, given))
        or tuple(islice(_explain_by_two_causes(question, where, given), 1))
    )


def find_likely_mistakes(question: Question, given: int, *, bits: bool = True) -> tuple[str, ...]:
    """The single mistakes that give an answer, the likeliest first; they contradict each other."""
    return tuple(x.said for x in _likely(question, given, bits=bits))


def _likely(question: Question, given: int, *, bits: bool = True) -> tuple[Explanation, ...]:
    where = locate_answer(question)
    found = [x for x in iter_mistakes(question) if where.is_accepted(x.value, given, bits=bits)]
    return tuple(dict.fromkeys(x.explanation for x in sorted(found, key=lambda x: x.weight)))


def _explain_by_lane(
    question: Question, where: AnswerLocation, given: int
) -> Iterator[Explanation]:
    """Each wrong lane of a destination by itself; none if a wrong lane has no explanation.

    Without the others, a lane that a mistake explains may be so by chance.
    """
    trace, role = question.trace, question.key
    is_whole = question.lane is None and role in DESTINATIONS
    if not is_whole or trace.instruction.entry.lanes == 1:
        return
    count, unit = measure_destination(trace, role)
    right = where.get_value(_run_plan(trace.plan, trace.operands))
    said: list[Explanation] = []
    for lane in range(count) if count > 1 else ():
        own, mask = Question(trace, role, lane), (1 << unit) - 1
        if (given ^ right) >> unit * lane & mask:
            found = _likely(own, given >> unit * lane & mask)[:1]
            if not found:
                return
            said += [found[0].in_lane(lane)]
    yield from said


def _run_plan(plan: Plan, operands: Mapping[str, int]) -> dict[str, LaneValues]:
    return run_plan(plan, operands)


# --- a row worked otherwise --------------------------------------------------------------


def _iter_mutations(question: Question, where: AnswerLocation) -> Iterator[Mistake]:
    trace = question.trace
    for key in _list_ancestors(trace, where.key):
        row = trace.rows[key]
        far = 0 if key == where.key else 1
        for slip in iter_mutations(trace, row, question.lane):
            plan = with_slip(trace.plan, key, slip)
            values = _run_plan(plan, trace.operands)
            said = _format_mutation(question, row, slip, values)
            yield Mistake(slip.weight + far, said, where.get_value(values))


def _list_ancestors(trace: Trace, key: str) -> list[str]:
    """A row and every row that it comes from, the nearest first."""
    found: dict[str, None] = {}
    waiting = [key]
    while waiting:
        now = waiting.pop(0)
        if now in trace.rows and now not in found:
            found[now] = None
            waiting += trace.rows[now].input_keys
    return [*found]


def _choose_lane(question: Question, row: RowTrace, values: Mapping[str, LaneValues]) -> int:
    """The lane of a row by which a slip is told: the one asked about, else the first it changes."""
    if len(row.lanes) == 1:
        return 0
    if question.lane is not None and question.lane < len(row.lanes):
        return question.lane
    changed = (x for x, value in enumerate(row.values) if values[row.key][x] != value)
    return next(changed, 0)


def _format_mutation(
    question: Question, row: RowTrace, slip: RowMutation, values: Mapping[str, LaneValues]
) -> Explanation:
    trace, lane = question.trace, _choose_lane(question, row, values)
    if isinstance(row.micro, m.Extend):
        name, said = _format_wrong_extension(trace, row, lane, values[row.key][lane])
        return Explanation(name, said, _tells(question, row))
    is_one_of_many = question.lane is None and len(row.lanes) > 1
    which = f" ({get_part_name(trace, row)} {lane})" if is_one_of_many else ""
    right = describe_lane(trace, row, lane).sentence
    said = f"You {slip.description}{slip.instead}{which}{_colon(right)}{right}."
    return Explanation(f"You {slip.description}{which}.", said, _tells(question, row))


def _colon(sentence: str) -> str:
    """What separates a mistake from a sentence, so that one colon is in both."""
    return "; " if ": " in sentence else ": "


def _tells(question: Question, row: RowTrace) -> bool:
    """Whether a row's sentence has the answer: it is the row that is asked about."""
    return row.key == locate_answer(question).key and question.key not in DESTINATIONS


def _format_wrong_extension(trace: Trace, row: RowTrace, lane: int, wrong: int) -> tuple[str, str]:
    """``You read 0xff as unsigned.``; ``You kept 0xff as 255: atype is s32, so it is -1.``"""
    assert isinstance(row.micro, m.Extend)
    bits = format_hex(get_lane(row.inputs[0], lane), row.micro.bits)
    did = "kept" if row.micro.signed else "read"
    right = row.lanes[lane].value
    ins, role = trace.instruction, row.name
    written = ins.type_of(role) if role in "abc" else None
    has_slot = ins.entry.find_slot(f"{role}type") is not None
    name = f"You read {bits} as {'unsigned' if row.micro.signed else 'signed'}."
    if written is None or not has_slot or written.signed != row.micro.signed:
        sentence = describe_lane(trace, row, lane).sentence
        return name, f"You {did} {bits} as {wrong}{_colon(sentence)}{sentence}."
    return name, f"You {did} {bits} as {wrong}: {role}type is {written}, so it is {right}."


# --- another form, rule or operand -------------------------------------------------------


def _iter_misconceptions(question: Question, where: AnswerLocation) -> Iterator[Mistake]:
    """What the documentation, and the assemblers, make of it where another was asked."""
    trace = question.trace
    ins, model = trace.instruction, trace.model
    if model.errata:
        name = f"The documentation has that; {model.name} does not."
        said = " ".join([name, *(f"{e.id}: {e.sentence}" for e in trace.changed_by)])
        yield from _iter_plan_mistakes(question, where, make_plan(ins), 0, Explanation(name, said))
    having: dict[int, list[Model]] = {}
    for other in PTXAS_MODELS:
        if ins.errata and other.errata != model.errata:
            plan = make_plan(ins, other.make_rules(ins.form))
            for mistake in _iter_plan_mistakes(question, where, plan, 0, explain("")):
                having.setdefault(mistake.value, []).append(other)
    for value, models in having.items():
        changed = Trace(ins, models[0], trace.operands).changed_by
        name = f"ptxas {format_versions(models)} has that."
        said = " ".join([name, *(f"{e.id}: {e.sentence}" for e in changed)])
        yield Mistake(2, Explanation(name, said), value, "+".join(e.id for e in changed))


def _is_known(plan: Plan, known: frozenset[str]) -> bool:
    """Whether a plan reads nothing but what is shown."""
    return all(source.role in known for source in plan.sources)


def _iter_plan_mistakes(
    question: Question, where: AnswerLocation, plan: Plan, weight: int, said: Explanation
) -> Iterator[Mistake]:
    moved = _find_counterpart(question.trace.plan, plan, where)
    if moved and _is_known(plan, frozenset(get_visible_operands(question.trace))):
        values = _run_plan(plan, question.trace.operands)
        yield Mistake(weight, said, moved.get_value(values))


def _iter_cause_mistakes(question: Question, where: AnswerLocation) -> Iterator[Mistake]:
    """The same place under every single cause that the diagnosis knows."""
    trace = question.trace
    ins = trace.instruction
    known = frozenset(get_visible_operands(trace))
    variants = Variants(ins, known)
    seen = ObservedCase(Observation(get_visible_operands(trace), {}), {})
    for cause in _iter_causes(ins, known):
        variant = variants.make_variant((cause,))
        if variant is None:
            continue
        plan = _make_variant_plan(variant, trace.model, cause)
        moved = _find_counterpart(trace.plan, plan, where)
        if moved is None or not _is_known(plan, known):
            continue
        operands = cause.operands(trace.operands, seen) if cause.operands else trace.operands
        value = moved.get_value(_run_plan(plan, operands))
        id_ = "".join(erratum.id for erratum in cause.errata)
        yield Mistake(_compute_cost(cause), _format_cause(cause), value, id_)
    if "c" in known:
        value = where.get_value(_run_plan(trace.plan, {**trace.operands, "c": 0}))
        yield Mistake(2, explain(f"That would be right with {ins.format_operand('c')} = 0."), value)


def _iter_causes(ins: Instruction, known: frozenset[str]) -> Iterator[Cause]:
    for cause in (*iter_form_causes(ins, has_nan=True), *iter_value_causes(ins, known)):
        if _is_predictable(cause):
            yield cause


def _is_predictable(cause: Cause) -> bool:
    """Whether somebody who predicts can have it in mind.

    That is not what an assembler does, nor what else was in a register, nor how it was printed.
    """
    if cause.kind in (CauseKind.PTXAS, CauseKind.READING) or cause.cost >= _FAR_FETCHED:
        return False
    return cause.operands is None or cause.swap


def _compute_cost(cause: Cause) -> int:
    return -1 if cause.kind is CauseKind.MISCONCEPTION else cause.cost + 1


def _format_cause(cause: Cause) -> Explanation:
    name = f"That would be right {cause.phrase}."
    return Explanation(name, " ".join([name, *(x.sentence for x in cause.errata)]))


def _make_variant_plan(variant: Variant, model: Model, cause: Cause) -> Plan:
    """The variant's plan under the trace's own model too."""
    if not model.errata:
        return variant.plan
    rules = Model("", (*model.errata, *cause.errata)).make_rules(variant.form)
    return lower(variant.form, rules, variant.guard)


def _find_counterpart(plan: Plan, other: Plan, where: AnswerLocation) -> AnswerLocation | None:
    """The same place in another plan: a destination's row, the end of a step, or the same key."""
    own = {row.key: row for row in plan.rows}[where.key]
    rows = {row.key: row for row in other.rows}
    results = {x.key: x.role for x in plan.results}
    if where.key in results:
        found = next((x.key for x in other.results if x.role == results[where.key]), "")
    elif own is _find_last_row(plan, own):
        ends = [row.key for row in other.rows if row.stage is own.stage]
        found = ends[-1] if ends else ""
    else:
        found = own.key
    row = rows.get(found)
    if row is None or (row.lanes != own.lanes and row.lanes <= (where.lane or 0)):
        return None
    return where._replace(key=found)


def _find_last_row(plan: Plan, own: Row) -> Row:
    """The last row of a row's stage."""
    return [row for row in plan.rows if row.stage is own.stage][-1]


# --- another lane; two causes ------------------------------------------------------------


def _iter_neighbour_mistakes(question: Question, where: AnswerLocation) -> Iterator[Mistake]:
    """Another lane's value in this one."""
    if question.lane is None:
        return
    values = _run_plan(question.trace.plan, question.trace.operands)
    role = question.key if question.key in DESTINATIONS else ""
    count, unit = measure_destination(question.trace, role) if role else (0, 0)
    count = count or len(values[where.key])
    for lane in range(count):
        if lane != question.lane:
            value = where._replace(lane=lane, shift=unit * lane).get_value(values)
            said = f"That is lane {lane}'s value"
            if lane == count - 1 - question.lane:  # 0 and 1 are what many lanes have
                weight = 3 if value in (0, 1) else 1
                yield Mistake(weight, explain(f"{said}: lane 0 is the rightmost."), value)
            else:
                yield Mistake(3, explain(f"{said}."), value)


def _explain_by_two_causes(
    question: Question, where: AnswerLocation, given: int
) -> Iterator[Explanation]:
    """What the diagnosis finds for a destination, two causes together."""
    trace = question.trace
    if question.key not in trace.instruction.results or trace.model != ISA_MODEL:
        return
    mask = (1 << where.width) - 1
    seen = Observed((given & mask) << where.shift, mask << where.shift)
    observation = Observation(get_visible_operands(trace), {question.key: seen})
    for finding in investigate(trace.instruction, [observation]).findings:
        causes = finding.causes
        is_likely = all(map(_is_predictable, causes)) and not _BY_CHANCE.intersection(
            cause.kind for cause in causes
        )
        if causes and is_likely and finding.weight < _FAR_FETCHED:
            phrases = " and ".join(cause.phrase for cause in finding.causes)
            yield explain(f"That would be right {phrases}.")
