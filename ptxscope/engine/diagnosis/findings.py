"""Why an instruction gave what was observed: every cause, and every pair, that explains it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, SupportsIndex, overload

from ..isa.entry import SlotPlace
from ..records import NamedTuple, Record, replace
from ..semantics.errata import Erratum
from ..semantics.models import ISA_MODEL, PTXAS_MODELS, Model, format_versions, parse_model
from ..semantics.plan_execution import compute_results
from ..syntax.instruction import Instruction
from ..syntax.parser import read
from ..tracing.evaluation import (
    Scalar,
    abbreviate_value,
    bind_values,
    check_names,
    convert_to_bits,
    make_plan,
)
from ..tracing.trace import Trace
from .cause_search import (
    MOST_CHANCE,
    CauseCombination,
    Search,
    apply_to_operands,
    compute_coincidence_cost,
    read_by,
    with_model,
)
from .causes import Bits, Cause, CauseKind, ObservedCase
from .form_causes import format_slot_change
from .observation import Observation, Observed, make_observed
from .selector_problem import SelectorMatches

_NEAREST = 3
"""How many near misses are told."""
_NEAR = 24
"""How many are looked at for that."""


class Finding(Record):
    """One explanation: the causes that together give what was observed."""

    causes: tuple[Cause, ...]
    """None where it is the documented result."""
    instruction: Instruction
    """As it would have to be written."""
    model: Model
    operands: tuple[Bits, ...]
    """For each observation, by the roles of ``instruction``."""
    sentence: str
    """Why, in words, where it explains every observation."""
    matched: int
    """How many observations it explains."""
    distance: int = 0
    """How many observed bits it misses, where it is only near."""
    fits: SelectorMatches | None = None
    """The selectors that fit, where they were solved."""
    shown: int = 0
    """The observation that ``trace`` is of."""

    @property
    def kind(self) -> CauseKind:
        """The kind of its one cause."""
        if len(self.causes) > 1:
            return CauseKind.COMBINATION
        return self.causes[0].kind if self.causes else CauseKind.DOCUMENTED

    @property
    def ptx(self) -> str:
        """The changed instruction, in canonical form."""
        return str(self.instruction)

    @property
    def weight(self) -> int:
        """How far-fetched it is, and how much it looks like chance."""
        return sum(cause.cost for cause in self.causes) + compute_coincidence_cost(self.fits)

    @cached_property
    def trace(self) -> Trace:
        """How it comes about, for the observation that is shown."""
        return Trace(self.instruction, self.model, self.operands[self.shown])

    @property
    def errata(self) -> tuple[Erratum, ...]:
        """The errata that make the result."""
        return tuple(e for e in self.trace.changed_by if e.id.startswith("E"))

    def get_result(self, index: int = 0) -> dict[str, int]:
        """What it gives for an observation, by role, as it would be read."""
        plan = make_plan(self.instruction, self.model.make_rules(self.instruction.form))
        found = compute_results(plan, self.operands[index])
        return dict(read_by(self.causes, found))


class Findings(tuple[Finding, ...]):
    """Findings, the likeliest first; a notebook shows them as a list."""

    __slots__ = ()

    @overload
    def __getitem__(self, at: SupportsIndex, /) -> Finding: ...
    @overload
    def __getitem__(self, at: slice, /) -> Findings: ...
    def __getitem__(self, at: SupportsIndex | slice, /) -> Finding | Findings:
        """One, or some of them, which are shown as all are."""
        return (
            Findings(super().__getitem__(at)) if isinstance(at, slice) else super().__getitem__(at)
        )

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """What a notebook shows."""
        return {mime: show(self) for mime, show in LISTED.items()}

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        """What IPython prints."""
        printer.text(LISTED["text/plain"](self) if LISTED else repr(self))

    def _repr_html_(self) -> str | None:
        """What an older notebook shows."""
        return LISTED["text/html"](self) if "text/html" in LISTED else None


LISTED: dict[str, Callable[[Findings], str]] = {}
"""How findings show themselves, by MIME type; ``ptxscope.notebook`` fills it in."""


class Diagnosis(NamedTuple):
    """What was asked, and everything that explains it."""

    instruction: Instruction
    seen: tuple[ObservedCase, ...]
    """The observations, each beside its documented result."""
    documented: Trace
    """The documented evaluation of the observation that is shown."""
    shown: int
    """The first observation that contradicts the documentation; else the first."""
    findings: Findings
    """The fewest causes first, then the most usual."""
    nearest: tuple[Finding, ...]
    """Where nothing explains it, what misses the fewest bits."""
    tried: int
    """How many combinations of causes were looked at."""


Got = Scalar | Observed | Mapping[str, Scalar | Observed]
"""The value of the one destination, or values by destination name."""


def diagnose(
    instruction: str | Instruction,
    values: Mapping[str, Scalar] | Sequence[Mapping[str, Scalar]],
    observed: Got | Sequence[Got],
) -> Findings:
    """What would have given an observed value, the likeliest first; empty where nothing does.

    ``values`` are by operand name, as ``evaluate`` takes them but for arrays; or several of them,
    with as many observed values, which all must be explained. Raises PtxError, and
    ValueError that names the operand.
    """
    ins = read(instruction)
    if isinstance(values, Mapping):
        values, observed = (values,), (observed,)  # type: ignore[assignment]
    elif not isinstance(values, Sequence):
        raise TypeError(
            f"values is {abbreviate_value(values)}; operands are given by name: {{'a': 1}}"
        )
    each = _list_observed(observed)
    if len(each) != len(values) or not values:
        raise ValueError("as many observed values are needed as there are sets of operands")
    seen = [make_observation(ins, x, got) for x, got in zip(values, each, strict=True)]
    return investigate(ins, seen).findings


def _list_observed(observed: Got | Sequence[Got]) -> Sequence[Got]:
    """Several observed values; none where it is only one, as an Observed is, though a tuple."""
    return observed if isinstance(observed, Sequence) and not isinstance(observed, Observed) else ()


def make_observation(
    ins: Instruction,
    values: Mapping[str, Scalar],
    observed: Got,
) -> Observation:
    """Values and results by name as an Observation by role; raises ValueError."""
    check_names(ins, values)
    if not isinstance(observed, Mapping):
        if not ins.results:
            raise ValueError(f"{ins} writes nothing that could be observed")
        if len(ins.results) != 1:
            raise ValueError(f"{ins} has {len(ins.results)} results; name the one observed")
        observed = {next(iter(ins.results.values())): observed}
    roles = {name: role for role, name in ins.results.items()}
    seen: dict[str, Observed] = {}
    for name, value in observed.items():
        if name not in roles:
            written = ", ".join(roles) or "nothing"
            line = str(ins).rstrip(";")
            raise ValueError(f"{name!s:.60} is not a destination of {line}; it writes {written}")
        type_ = ins.type_of(roles[name])
        seen[roles[name]] = (
            value
            if isinstance(value, Observed)
            else make_observed(convert_to_bits(value, type_, name), type_.bits)
        )
    if not any(value.known for value in seen.values()):
        raise ValueError("nothing was observed")
    return Observation(bind_values(ins, values), seen)


def investigate(ins: Instruction, observations: Sequence[Observation]) -> Diagnosis:
    """Every cause, and every pair of causes of which neither is enough, that explains them all."""
    plan = make_plan(ins)
    seen = [ObservedCase(x, compute_results(plan, x.operands)) for x in observations]
    # those that contradict the documentation tell the most
    order = sorted(seen, key=lambda x: x.observation.matches(x.documented))
    shown = seen.index(order[0])
    search = Search(ins, order)
    found = list(search.run())
    found.sort(key=lambda x: (len(x.causes) + x.is_chance, x.weight, *_compute_rank(ins, x)))
    findings = Findings(_make_finding(search, x, seen, shown) for x in found)
    return Diagnosis(
        ins,
        tuple(seen),
        Trace(ins, ISA_MODEL, observations[shown].operands),
        shown,
        findings,
        () if findings else tuple(_iter_near_misses(search, seen, shown)),
        search.tried,
    )


def _compute_rank(ins: Instruction, found: CauseCombination) -> tuple[int, int, int]:
    """What comes first among causes of one weight: what only leaves something out of the line,
    then what changes the fewest slots of it, then the plainest selectors."""
    made_up = changed = 0
    for cause in found.causes:
        slots = [(name, value) for name, value in cause.slots if value != ins.form.get(name)]
        changed += max(1, len(slots))
        made_up += not slots or any(value for _, value in slots)
    return made_up, changed, found.fits.plainness if found.fits else 0


class LaneVerdicts(NamedTuple):
    """Which lanes of d are as documented in every observation."""

    unit: int
    """The width of a lane in bits."""
    right: tuple[int, ...]
    wrong: tuple[int, ...] = ()
    """Lanes in which a known bit differs."""
    unknown: tuple[int, ...] = ()
    """The others, in which not every bit is known."""


def find_lane_verdicts(diagnosis: Diagnosis) -> LaneVerdicts:
    """Which lanes are as documented; none of 32 bits.

    The lanes are those of the instruction, or the bytes or half-words that ``dsel`` writes.
    """
    ins = diagnosis.instruction
    width = 32 // ins.entry.lanes if "d" in ins.results and ins.has_lanes("d") else 32
    unit = ins.form.dsel.unit if ins.form.dsel else width
    if unit == 32:
        return LaneVerdicts(32, ())
    differing, known = 0, (1 << 32) - 1
    for x in diagnosis.seen:
        differing |= x.observation.observed["d"].compute_difference(x.documented["d"])
        known &= x.observation.observed["d"].known
    field, lanes = (1 << unit) - 1, range(32 // unit)
    wrong = [lane for lane in lanes if differing >> unit * lane & field]
    right = [x for x in lanes if x not in wrong and known >> unit * x & field == field]
    unknown = [x for x in lanes if x not in wrong and x not in right]
    return LaneVerdicts(unit, tuple(right), tuple(wrong), tuple(unknown))


# --- an explanation in full --------------------------------------------------------------


def _make_finding(
    search: Search, found: CauseCombination, seen: Sequence[ObservedCase], shown: int
) -> Finding:
    """What was found, as an instruction, a model and operands that can be traced."""
    ins, chosen = search.ins, found.causes
    variant = search.make_variant(chosen)
    assert variant
    swap = any(cause.swap for cause in chosen)
    written = dict(ins.roles)
    written.update(x for cause in chosen for x in cause.literals)
    sources = list(written.values())
    if swap:
        sources[:2] = sources[1::-1]
    if not variant.form.c and ins.form.c:
        del sources[2:]
    if variant.form.c and len(sources) == 2:
        sources.append(sources[1])  # nothing reads it, but one has to be written
    guard = ins.guard
    if guard and variant.guard is not None:
        guard = guard._replace(negated=variant.guard)
    changed = replace(
        ins,
        form=variant.form,
        sources=tuple(sources),
        guard=guard,
        text="",
        spans={},
        notes=(),
    )
    having = _format_versions(search, chosen, seen[shown])
    told = tuple(_with_phrase(cause, changed, ins, having) for cause in chosen)
    whose = _make_model(chosen)
    operands = tuple(apply_to_operands(chosen, x) for x in seen)
    return Finding(
        told,
        changed,
        whose,
        operands,
        _format_sentence(told, found.fits, Trace(changed, whose, operands[shown])),
        len(seen),
        fits=found.fits,
        shown=shown,
    )


def _iter_near_misses(
    search: Search, seen: Sequence[ObservedCase], shown: int
) -> Iterator[Finding]:
    """What explains the most observations, and misses the fewest bits of the one shown.

    The documented result is always among them.
    """
    near = [_make_near_miss(search, x, seen, shown) for x in search.find_nearest(_NEAR)]
    near.sort(key=lambda x: (-x.matched, x.distance, len(x.causes), x.weight))
    told = list({_list_near_miss_sentences(x): x for x in reversed(near)}.values())[::-1]
    yield from told[:_NEAREST]
    yield from (x for x in told[_NEAREST:] if not x.causes)


def _list_near_miss_sentences(near: Finding) -> tuple[str, ...]:
    """What is told of a near miss."""
    return (near.ptx, str(near.operands), *(cause.phrase for cause in near.causes))


def _make_near_miss(
    search: Search, found: CauseCombination, seen: Sequence[ObservedCase], shown: int
) -> Finding:
    """A near miss, and by how much it misses."""
    finding = _make_finding(search, found, seen, shown)
    distance = seen[shown].observation.compute_distance(finding.get_result(shown))
    return replace(finding, matched=search.count_matches(found.causes), distance=distance)


def _format_versions(search: Search, chosen: tuple[Cause, ...], seen: ObservedCase) -> str:
    """The versions of ptxas by which the causes explain what was seen, or miss it as they do."""
    if not any(cause.model for cause in chosen):
        return ""
    each = [(x, with_model(chosen, x)) for x in PTXAS_MODELS]
    having = [x for x, causes in each if search.explains_all(causes)]
    gives = search.compute_result(chosen, seen)
    return format_versions(
        having or [x for x, causes in each if search.compute_result(causes, seen) == gives]
    )


def _with_phrase(cause: Cause, changed: Instruction, ins: Instruction, having: str) -> Cause:
    """A cause with its phrase as both lines have it: operands may be exchanged in the changed."""
    if cause.model:
        return cause._replace(phrase=cause.phrase.format(f"ptxas {having}".strip()))
    if cause.kind in (CauseKind.SELECTOR, CauseKind.MODIFIER) and len(cause.slots) == 1:
        ((name, value),) = cause.slots
        slot = ins.entry.find_slot(name)
        if slot and slot.place is not SlotPlace.MODIFIER:
            return cause._replace(
                phrase=format_slot_change(ins, slot, ins.form.get(name), value, changed)
            )
    return cause


def _make_model(chosen: Iterable[Cause]) -> Model:
    """The model of the causes; its name makes it again."""
    named = [x.model.name if x.model else e.id for x in chosen for e in x.errata]
    return parse_model("+".join(dict.fromkeys(named)) or "isa")


def count_of(fits: SelectorMatches) -> str:
    """How many selectors fit: ``1,024``, ``at least 320``."""
    return f"at least {fits.match_count:,}" if fits.is_truncated else f"{fits.match_count:,}"


def _format_sentence(chosen: tuple[Cause, ...], fits: SelectorMatches | None, trace: Trace) -> str:
    if not chosen:
        return "This is the documented result."
    misconceptions = [
        e for cause in chosen if cause.kind is CauseKind.MISCONCEPTION for e in cause.errata
    ]
    gives = "would give" if misconceptions else "gives"
    said = [f"The instruction {gives} this {' and '.join(cause.phrase for cause in chosen)}."]
    said += [misconception.sentence for misconception in misconceptions]
    said += [f"{e.id}: {e.sentence}" for e in trace.changed_by if e.id.startswith("E")]
    if fits and fits.match_count > 1:
        selectors = sum(cause.kind is CauseKind.SELECTOR for cause in chosen)
        what = "selectors" if selectors < 2 else "pairs of selectors"
        said.append(f"It is one of {count_of(fits)} {what} that fit, the plainest of them.")
        if compute_coincidence_cost(fits) == MOST_CHANCE:
            said.append("Where so many fit, it may be chance.")
    return " ".join(said)
