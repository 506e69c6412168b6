"""Explanations of an observed result: every cause, and every pair, ranked and in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import repeat
from typing import Any, NamedTuple, SupportsIndex, overload

from ..engine.isa.entry import SlotPlace
from ..engine.isa.types import Form
from ..engine.semantics.models import ISA_MODEL, PTXAS_MODELS, Model, format_versions, parse_model
from ..engine.semantics.plan import compute_results
from ..engine.semantics.rules import Erratum
from ..engine.syntax.instruction import Instruction
from ..engine.syntax.parser import read_instruction
from ..engine.tracing.basic_block import BasicBlock, make_block
from ..engine.tracing.evaluation import Scalar, make_plan
from ..engine.tracing.operand_bits import abbreviate_value
from ..engine.tracing.trace import Trace, make_trace
from .cause_search import (
    CauseCombination,
    Search,
    apply_readings,
    apply_to_operands,
    compute_coincidence_cost,
    is_coincidence,
    with_model,
)
from .causes import Bits, Cause, CauseKind, ObservedCase, change_instruction
from .form_causes import format_slot_change
from .line_changes import iter_carry_trials
from .model_checks import ModelCheck
from .observation import Observation, Observed, ObservedResult, make_observation, observe_statement
from .selector_matches import SelectorMatches

_MAX_REPORTED_MISSES = 3
"""Maximum reported near misses."""
_MAX_EXAMINED_MISSES = 24
"""Maximum near misses examined for the report."""
_SUBJECT = "The instruction"
"""The default subject of an explanation's sentence; others name a statement."""


def _read_known(pairs: tuple[tuple[Bits, Bits], ...], result: Bits) -> Bits:
    """Return a misread result from a table, which can be pickled, unlike the function."""
    return next(read for recorded_result, read in pairs if recorded_result == result)


@dataclass(frozen=True)
class Explanation:
    """One explanation: causes that together produce the observed result."""

    causes: tuple[Cause, ...]
    """The causes; empty for the documented result."""
    instruction: Instruction
    """The changed instruction."""
    model: Model
    operands: tuple[Bits, ...]
    """Operands of each observation, by the roles of ``instruction``."""
    sentence: str
    """The explanation in words."""
    match_count: int
    """Number of observations that it explains."""
    distance: int = 0
    """For a near miss, the number of observed bits that differ."""
    matches: SelectorMatches | None = None
    """The solved selectors, if any."""
    shown_index: int = 0
    """Index of the observation that ``trace`` shows."""
    statement: int = 1
    """The number of the changed statement."""
    failure: str = ""
    """The versions of ptxas with another result, and that result; may be empty."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields, with tables for functions, which cannot be pickled."""
        causes = []
        plan = make_plan(self.instruction, self.model.make_rules(self.instruction.form))
        results: list[Bits] = [compute_results(plan, x) for x in self.operands]
        for cause in self.causes:
            if cause.reading:
                read = list(map(cause.reading, results))
                pairs = tuple(zip(results, read, strict=True))
                cause, results = cause._replace(reading=partial(_read_known, pairs)), read
            causes.append(cause._replace(operands=None))
        values = {x.name: getattr(self, x.name) for x in fields(self)}
        return {**values, "causes": tuple(causes)}

    def __repr__(self) -> str:
        return f"<Explanation: {self.sentence} {self.ptx}>"

    @property
    def kind(self) -> CauseKind:
        """The kind of its only cause, or ``combination``."""
        if len(self.causes) > 1:
            return CauseKind.COMBINATION
        return self.causes[0].kind if self.causes else CauseKind.DOCUMENTED

    @property
    def ptx(self) -> str:
        """The changed instruction, in canonical form."""
        return str(self.instruction)

    @property
    def cost(self) -> int:
        """Cost: how unlikely the causes are, plus a penalty for a likely coincidence."""
        return sum(cause.cost for cause in self.causes) + compute_coincidence_cost(self.matches)

    @property
    def rank(self) -> tuple[int, int]:
        """The order of explanations: fewest causes first, then lowest cost."""
        return len(self.causes) + self.is_coincidence, self.cost

    @property
    def is_coincidence(self) -> bool:
        """Whether it is probably a coincidence, because many selectors fit."""
        return is_coincidence(self.matches)

    @cached_property
    def trace(self) -> Trace:
        """The trace of the statement for the observation shown."""
        return make_trace(self.instruction, self.model, self.operands[self.shown_index])

    @property
    def errata(self) -> tuple[Erratum, ...]:
        """The errata behind the result."""
        return tuple(e for e in self.trace.changed_by if e.id.startswith("E"))

    def get_result(self, index: int = 0) -> dict[str, int]:
        """Return the result for an observation, by role, including misreadings."""
        plan = make_plan(self.instruction, self.model.make_rules(self.instruction.form))
        result = compute_results(plan, self.operands[index])
        return dict(apply_readings(self.causes, result))


class Explanations(tuple[Explanation, ...]):
    """Explanations, most likely first; notebooks show them as a list."""

    __slots__ = ()

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice, /) -> Explanations: ...
    def __getitem__(self, index: SupportsIndex | slice, /) -> Explanation | Explanations:
        """Return one explanation, or a slice as Explanations."""
        return (
            Explanations(super().__getitem__(index))
            if isinstance(index, slice)
            else super().__getitem__(index)
        )

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {mime: format_findings(self) for mime, format_findings in FORMATTERS.items()}

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        printer.text(FORMATTERS["text/plain"](self) if FORMATTERS else repr(self))

    def _repr_html_(self) -> str | None:
        """Return the HTML for older notebooks."""
        return FORMATTERS["text/html"](self) if "text/html" in FORMATTERS else None


FORMATTERS: dict[str, Callable[[Explanations], str]] = {}
"""Display functions of explanations by MIME type; ``ptxscope.notebook`` fills this table."""


class Diagnosis(NamedTuple):
    """An instruction or a block, its observations, and their explanations."""

    block: BasicBlock
    cases: tuple[ObservedCase, ...]
    """The observations, each with its documented result."""
    documented: Trace
    """The documented trace of the observation shown."""
    shown_index: int
    """Index of the first observation that contradicts the documentation, or 0."""
    explanations: Explanations
    """The explanations: fewest causes first, then lowest cost."""
    near_misses: tuple[Explanation, ...]
    """Near misses, if nothing explains the observations of an instruction."""
    try_count: int
    """Number of tried combinations."""

    @property
    def likeliest(self) -> tuple[Explanation, ...]:
        """The explanations with as few causes as the first."""
        first = self.explanations[:1]
        return tuple(x for x in self.explanations if len(x.causes) == len(first[0].causes))


def diagnose(
    instruction: str | Instruction,
    values: Mapping[str, Scalar] | Sequence[Mapping[str, Scalar]],
    observed: ObservedResult | Sequence[ObservedResult],
) -> Explanations:
    """Return the explanations of an observed value, most likely first; may be empty.

    ``values`` are by operand name, as in ``evaluate`` but without arrays. For several observations
    at once, pass a sequence of them and as many observed values; each explanation covers all.

    Raise PtxError if the instruction is invalid, and ValueError if a value is; the message names
    the operand.
    """
    ins = read_instruction(instruction)
    if isinstance(values, Mapping):
        values, observed = (values,), (observed,)  # type: ignore[assignment]
    elif not isinstance(values, Sequence):
        raise TypeError(f"values is {abbreviate_value(values)}; pass operands by name: {{'a': 1}}")
    observed_values = _list_observed_results(observed)
    if len(observed_values) != len(values) or not values:
        raise ValueError("the number of observed values differs from the number of operand sets")
    observations = [
        make_observation(ins, own_values, value)
        for own_values, value in zip(values, observed_values, strict=True)
    ]
    return investigate(make_block(ins), observations).explanations


def _list_observed_results(
    observed: ObservedResult | Sequence[ObservedResult],
) -> Sequence[ObservedResult]:
    """Return the observed values in a sequence; an ``Observed``, although a tuple, is one value."""
    return observed if isinstance(observed, Sequence) and not isinstance(observed, Observed) else ()


def investigate(block: BasicBlock, observations: Sequence[Observation]) -> Diagnosis:
    """Try every cause, and every pair of insufficient causes, on all observations.

    In a block, each statement is tried with single causes and the documented evaluation of the
    others. Selectors are tried with one other digit, truth tables with one other entry; if only the
    statement's results are observed, all selectors and tables are tried.
    """
    is_single = len(block.statements) == 1
    bits = [{**block.constants, **x.operands} for x in observations]
    cases = tuple(map(ObservedCase, observations, (compute_results(block.plan, x) for x in bits)))
    traces = [Trace(block, ISA_MODEL, x.operands) for x in observations]
    # most combinations fail on observations that contradict the documentation
    order = sorted(
        range(len(cases)), key=lambda i: cases[i].observation.matches(cases[i].documented)
    )
    shown_index, try_count = order[0], 0
    explanations, near_misses = list[Explanation](), tuple[Explanation, ...]()
    for statement in block.statements:
        ins, number = statement.instruction, statement.number
        subject = _SUBJECT if is_single else f"Statement {number}"
        own = list(map(observe_statement, repeat(statement), traces, observations))
        own_cases = [ObservedCase(x, compute_results(make_plan(ins), x.operands)) for x in own]
        search = Search(ins, [own_cases[i] for i in order], 1 + is_single)
        combinations = sorted(search.run(), key=partial(_compute_rank, ins))
        explanations += (
            _make_explanation(search, combination, own_cases, shown_index, number, subject)
            for combination in combinations
            if combination.causes or statement is block.statements[-1]
        )
        try_count += search.try_count
        if not is_single:
            tried = list(iter_carry_trials(block, statement, observations))
            try_count += len(tried)
            for change, operands in filter(None, tried):
                causes, changed = (change.cause,), change.instruction
                sentence = _format_sentence(subject, causes)
                explanations.append(
                    Explanation(
                        causes,
                        changed,
                        ISA_MODEL,
                        operands,
                        sentence,
                        len(cases),
                        statement=number,
                        shown_index=shown_index,
                    )
                )
        elif not explanations:
            near_misses = tuple(_iter_near_misses(search, own_cases, shown_index))
    ordered_cases = [cases[i] for i in order]
    explanations = [_with_failure(block, x, ordered_cases) for x in explanations]
    explanations.sort(key=lambda x: x.rank)
    return Diagnosis(
        block,
        cases,
        traces[shown_index],
        shown_index,
        Explanations(explanations),
        near_misses,
        try_count,
    )


def _with_failure(
    block: BasicBlock, explanation: Explanation, cases: Sequence[ObservedCase]
) -> Explanation:
    """Return an explanation with the models under which its result differs from the observation."""
    causes = explanation.causes
    if not causes or explanation.model.errata:
        return explanation
    check = ModelCheck(block, explanation.statement, explanation.instruction, causes)
    failure = check.find_failure(cases)
    return replace(explanation, failure=failure) if failure else explanation


def _compute_rank(ins: Instruction, combination: CauseCombination) -> tuple[int, int, int]:
    """Return the sort key among explanations of the same cost.

    Omissions from the line come first, then the fewest changed slots, then the simplest selectors.
    """
    addition_count = change_count = 0
    for cause in combination.causes:
        slots = [(name, value) for name, value in cause.slots if value != ins.form.get(name)]
        change_count += max(1, len(slots))
        addition_count += not slots or any(value for _, value in slots)
    return (
        addition_count,
        change_count,
        combination.matches.simplicity if combination.matches else 0,
    )


# --- an explanation in full --------------------------------------------------------------


def _make_explanation(
    search: Search,
    combination: CauseCombination,
    cases: Sequence[ObservedCase],
    shown_index: int,
    number: int = 1,
    subject: str = _SUBJECT,
) -> Explanation:
    """Convert a combination to an instruction, a model and operands that can be traced."""
    ins, causes = search.ins, combination.causes
    variant = search.make_variant(causes)
    assert variant
    instruction = change_instruction(ins, causes, variant)
    versions = _format_versions(search, causes, cases[shown_index], instruction.form)
    phrased_causes = tuple(_with_phrase(cause, instruction, ins, versions) for cause in causes)
    model = _make_model(causes)
    operands = tuple(apply_to_operands(causes, x) for x in cases)
    return Explanation(
        phrased_causes,
        instruction,
        model,
        operands,
        _format_sentence(
            subject,
            phrased_causes,
            combination.matches,
            make_trace(instruction, model, operands[shown_index]).changed_by,
        ),
        len(cases),
        matches=combination.matches,
        shown_index=shown_index,
        statement=number,
    )


def _iter_near_misses(
    search: Search, cases: Sequence[ObservedCase], shown_index: int
) -> Iterator[Explanation]:
    """Yield near misses: they explain the most observations, then miss the fewest bits.

    The bits are counted in the observation shown. The documented result is always included; causes
    that only reproduce it are not.
    """
    misses = [
        _make_near_miss(search, miss, cases, shown_index)
        for miss in search.find_nearest_misses(_MAX_EXAMINED_MISSES)
    ]
    documented = next((x.get_result(shown_index) for x in misses if not x.causes), None)
    candidates = [x for x in misses if not x.causes or x.get_result(shown_index) != documented]
    candidates.sort(key=lambda x: (-x.match_count, x.distance, len(x.causes), x.cost))
    explanations = list({_list_near_miss_sentences(x): x for x in reversed(candidates)}.values())[
        ::-1
    ]
    yield from explanations[:_MAX_REPORTED_MISSES]
    yield from (x for x in explanations[_MAX_REPORTED_MISSES:] if not x.causes)


def _list_near_miss_sentences(near: Explanation) -> tuple[str, ...]:
    """Return the sentences for the comparison of near misses."""
    return (near.ptx, str(near.operands), *(cause.phrase for cause in near.causes))


def _make_near_miss(
    search: Search, combination: CauseCombination, cases: Sequence[ObservedCase], shown_index: int
) -> Explanation:
    explanation = _make_explanation(search, combination, cases, shown_index)
    distance = cases[shown_index].observation.compute_distance(explanation.get_result(shown_index))
    return replace(
        explanation, match_count=search.count_matches(combination.causes), distance=distance
    )


def _format_versions(
    search: Search, causes: tuple[Cause, ...], case: ObservedCase, form: Form
) -> str:
    """Return the versions of ptxas under which the causes have the same result."""
    if not any(cause.model for cause in causes):
        return ""
    causes_by_model = [(x, with_model(causes, x)) for x in PTXAS_MODELS]
    models = [x for x, changed_causes in causes_by_model if search.explains_all(changed_causes)]
    result = search.compute_result(causes, case)
    return format_versions(
        models
        or [
            model
            for model, changed_causes in causes_by_model
            if search.compute_result(changed_causes, case) == result
        ],
        form,
    )


def _with_phrase(
    cause: Cause, changed_instruction: Instruction, ins: Instruction, versions: str
) -> Cause:
    """Return a cause with its final phrase: operands of the changed line may be exchanged."""
    if cause.model:
        return cause._replace(phrase=cause.phrase.format(f"ptxas {versions}".strip()))
    if cause.kind in (CauseKind.SELECTOR, CauseKind.MODIFIER) and len(cause.slots) == 1:
        ((name, value),) = cause.slots
        slot = ins.entry.find_slot(name)
        if slot and slot.place not in (SlotPlace.MODIFIER, SlotPlace.TABLE):
            return cause._replace(
                phrase=format_slot_change(ins, slot, ins.form.get(name), value, changed_instruction)
            )
    return cause


def _make_model(causes: Iterable[Cause]) -> Model:
    """Return the model of the causes; ``parse_model`` reads its name."""
    names = [x.model.name if x.model else e.id for x in causes for e in x.errata]
    return parse_model("+".join(dict.fromkeys(names)) or "isa")


def format_match_count(matches: SelectorMatches) -> str:
    """Return the number of selectors that fit: ``1,024``, ``at least 320``."""
    return (
        f"at least {matches.match_count:,}" if matches.is_truncated else f"{matches.match_count:,}"
    )


def _format_sentence(
    subject: str,
    causes: tuple[Cause, ...],
    matches: SelectorMatches | None = None,
    errata: Iterable[Erratum] = (),
) -> str:
    if not causes:
        return "This is the documented result."
    misconceptions = [
        e for cause in causes if cause.kind is CauseKind.MISCONCEPTION for e in cause.errata
    ]
    verb = "would give" if misconceptions else "gives"
    sentences = [f"{subject} {verb} this {' and '.join(cause.phrase for cause in causes)}."]
    sentences += [misconception.sentence for misconception in misconceptions]
    sentences += [f"{e.id}: {e.sentence}" for e in errata if e.id.startswith("E")]
    if matches and matches.match_count > 1:
        selectors = sum(cause.kind is CauseKind.SELECTOR for cause in causes)
        noun = "selectors" if selectors < 2 else "pairs of selectors"
        sentences.append(f"It is the simplest of {format_match_count(matches)} {noun} that fit.")
        if is_coincidence(matches):
            sentences.append("With so many, the match may be a coincidence.")
    return " ".join(sentences)
