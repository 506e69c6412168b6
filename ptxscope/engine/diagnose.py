"""Why an instruction gave what was observed: every cause, and every pair, that explains it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from .causes import Bits, Cause, Kind, Seen, causes, changed_form
from .entry import Group
from .errata import Erratum
from .evaluate import bind, bits_of, check_names
from .form import Form
from .instruction import Instruction
from .legality import violations
from .lowering import lower
from .models import ISA_MODEL, PTXAS_MODELS, Model, model, versions
from .observation import Observation, Observed, whole
from .parser import parse
from .plan import Plan
from .rules import Rules
from .run import result
from .solve import Fits, solve
from .trace import Trace

_PROBES = 8
"""Observations that are tried one by one before all are."""
_ARRAYS = 64
"""Observations from which on NumPy is worth its import."""
_NEAREST = 3


@dataclass(frozen=True)
class Finding:
    """One explanation: the causes that together give what was observed."""

    causes: tuple[Cause, ...]
    """None where it is the documented result."""
    instruction: Instruction
    """As it would have to be written."""
    model: Model
    operands: tuple[Bits, ...]
    """For each observation, by the roles of ``instruction``."""
    sentence: str
    matched: int
    """How many observations it explains."""
    distance: int = 0
    """How many observed bits it misses, where it is only near."""
    fits: Fits | None = None
    """The selectors that fit, where they were solved."""

    @property
    def kind(self) -> Kind:
        """The kind of its one cause."""
        if len(self.causes) > 1:
            return Kind.COMBINATION
        return self.causes[0].kind if self.causes else Kind.DOCUMENTED

    @property
    def ptx(self) -> str:
        """The changed instruction, in canonical form."""
        return str(self.instruction)

    @property
    def weight(self) -> int:
        """How far-fetched it is."""
        return sum(cause.weight for cause in self.causes)

    @cached_property
    def trace(self) -> Trace:
        """How it comes about, for the first observation."""
        return Trace(self.instruction, self.model, self.operands[0])

    @property
    def errata(self) -> tuple[Erratum, ...]:
        """The errata that make the result."""
        return tuple(e for e in self.trace.changed_by if e.id.startswith("E"))

    def result(self, index: int = 0) -> dict[str, int]:
        """What it gives for an observation, by role, as it would be read."""
        plan = self.instruction.plan(self.model.rules(self.instruction.form))
        found = result(plan, self.operands[index])
        return dict(_read(self.causes, found))


class Diagnosis(NamedTuple):
    """What was asked, and everything that explains it."""

    instruction: Instruction
    observations: tuple[Observation, ...]
    documented: Trace
    """The documented evaluation of the first observation."""
    findings: tuple[Finding, ...]
    """The fewest causes first, then the most usual."""
    nearest: tuple[Finding, ...]
    """Where nothing explains it, what misses the fewest bits."""
    tried: int
    """How many combinations of causes were looked at."""


def diagnose(
    instruction: str | Instruction,
    values: Mapping[str, int],
    observed: int | Observed | Mapping[str, int | Observed],
) -> tuple[Finding, ...]:
    """What would have given an observed value, the likeliest first; empty where nothing does.

    ``values`` are integers by operand name, as ``evaluate`` takes them. ``observed`` is the
    value of the destination, or values by destination name. Raises PtxError, and ValueError
    that names the operand.
    """
    ins = parse(instruction) if isinstance(instruction, str) else instruction
    return investigate(ins, (observation(ins, values, observed),)).findings


def observation(
    ins: Instruction,
    values: Mapping[str, int],
    observed: int | Observed | Mapping[str, int | Observed],
) -> Observation:
    """Values and results by name as an Observation by role; raises ValueError."""
    check_names(ins, values)
    if isinstance(observed, (int, Observed)):
        if len(ins.results) != 1:
            raise ValueError(f"{ins} has {len(ins.results)} results; name the one observed")
        observed = {next(iter(ins.results.values())): observed}
    roles = {name: role for role, name in ins.results.items()}
    seen: dict[str, Observed] = {}
    for name, value in observed.items():
        if name not in roles:
            written = ", ".join(roles) or "nothing"
            raise ValueError(f"{name} is not a destination of {ins}; it writes {written}")
        type_ = ins.type_of(roles[name])
        seen[roles[name]] = (
            value if isinstance(value, Observed) else whole(bits_of(value, type_, name), type_.bits)
        )
    if not seen:
        raise ValueError("nothing was observed")
    return Observation(bind(ins, values), seen)


def investigate(ins: Instruction, observations: Sequence[Observation]) -> Diagnosis:
    """Every cause, and every pair of causes of which neither is enough, that explains them all."""
    plan = ins.plan()
    seen = [Seen(x, result(plan, x.operands)) for x in observations]
    # those that contradict the documentation tell the most
    order = sorted(seen, key=lambda x: x.observation.fits(x.documented))
    search = _Search(ins, order)
    found = list(search.run())
    found.sort(key=lambda x: (len(x.causes), x.weight, x.fits.changed if x.fits else 0))
    findings = tuple(search.finding(x, seen, len(seen)) for x in found)
    return Diagnosis(
        ins,
        tuple(observations),
        Trace(ins, ISA_MODEL, observations[0].operands),
        findings,
        () if findings else tuple(search.nearest(seen)),
        search.tried,
    )


def right_lanes(diagnosis: Diagnosis) -> tuple[int, tuple[int, ...]]:
    """The width of a lane in bits, and the lanes of d that are as documented every time.

    The lanes are those of the instruction, or the bytes or half-words that ``dsel`` writes.
    """
    ins = diagnosis.instruction
    unit = ins.form.dsel.unit if ins.form.dsel else 32 // ins.entry.lanes
    if unit == 32 or "d" not in ins.results or (ins.form.secop and ins.entry.lanes > 1):
        return 32, ()
    wrong = 0
    for x in diagnosis.observations:
        wrong |= x.observed["d"].difference(result(ins.plan(), x.operands)["d"])
    field = (1 << unit) - 1
    return unit, tuple(lane for lane in range(32 // unit) if not wrong >> unit * lane & field)


# --- the search --------------------------------------------------------------------------


class _Variant(NamedTuple):
    """What some causes make of the instruction: what decides its plan."""

    form: Form
    rules: Rules
    guard: bool | None

    @property
    def plan(self) -> Plan:
        return lower(self.form, self.rules, self.guard)


class _Found(NamedTuple):
    causes: tuple[Cause, ...]
    fits: Fits | None = None
    distance: int = 0

    @property
    def weight(self) -> int:
        return sum(cause.weight for cause in self.causes)


class _Search:
    """The combinations of up to two causes, each looked at once."""

    def __init__(self, ins: Instruction, seen: Sequence[Seen]) -> None:
        self.ins, self.seen, self.tried = ins, seen, 0
        self.roles = frozenset(seen[0].observation.operands)
        self.near: list[_Found] = []

    def run(self) -> Iterator[_Found]:
        """Those that explain every observation."""
        documented = self._explains(())
        if documented:
            yield _Found(())
        lacking: list[Cause] = []
        for cause in causes(self.ins, self.roles):
            idle = self._idle((cause,))
            if idle or not self._explains((cause,)):
                lacking.append(cause)
            elif not (documented and cause.kind is Kind.PTXAS):
                yield _Found((cause,))
        free = ["a", "b"] if self._solvable else []
        for role in tuple(free):
            if found := self._solved((), role):
                free.remove(role)
                yield found
        if not documented:
            yield from self._pairs(lacking, free)

    def _pairs(self, lacking: Sequence[Cause], free: Sequence[str]) -> Iterator[_Found]:
        """Pairs of causes, and of causes and selectors, of which neither is enough."""
        for pair in combinations(lacking, 2):
            if not (pair[0].axes & pair[1].axes or self._idle(pair)) and self._explains(pair):
                yield _Found(pair)
        for role in free:
            for cause in lacking:
                if found := self._solved((cause,), role):
                    yield found
        if len(free) == 2 and (found := self._solved((), "ab")):
            yield found

    @property
    def _solvable(self) -> bool:
        return self.ins.entry.group is Group.SIMD and {"a", "b"} <= self.roles

    def _variant(self, chosen: Iterable[Cause]) -> _Variant | None:
        """What the causes make of the instruction.

        None where that is illegal, or reads an operand whose value was not given.
        """
        ins = self.ins
        slots = {name: value for cause in chosen for name, value in cause.slots}
        form = changed_form(ins.form, slots, "c" in self.roles) if slots else ins.form
        if form is None or (slots and violations(form)):
            return None
        errata = tuple(e for cause in chosen for e in cause.errata)
        rules = Model("", errata).rules(form) if errata else Rules()
        guard = ins.guard.negated if ins.guard else None
        if any(cause.guard for cause in chosen):
            guard = not guard
        variant = _Variant(form, rules, guard)
        documented = lower(form, Rules(), guard)
        return variant if self._readable(variant.plan) and self._readable(documented) else None

    def _readable(self, plan: Plan) -> bool:
        return all(source.role in self.roles for source in plan.sources)

    def _idle(self, chosen: tuple[Cause, ...]) -> bool:
        """Whether the causes are impossible, or one of them changes nothing in any value."""
        if not any(cause.lowered for cause in chosen):
            return False
        variant = self._variant(chosen)
        if variant is None:
            return True
        rows = variant.plan.rows
        for cause in chosen:
            if cause.lowered:
                other = self._variant([x for x in chosen if x is not cause])
                if other and other.plan.rows == rows:
                    return True
        # the older of two versions that agree
        older = next((x for x in chosen if x.model is PTXAS_MODELS[-1]), None)
        if older is None:
            return False
        newest = older._replace(errata=PTXAS_MODELS[0].errata, model=PTXAS_MODELS[0])
        other = self._variant([newest if x is older else x for x in chosen])
        return other is not None and other.plan.rows == rows

    def _explains(self, chosen: tuple[Cause, ...]) -> bool:
        variant = self._variant(chosen)
        if variant is None:
            return False
        self.tried += 1
        plan = variant.plan
        for x in self.seen[:_PROBES]:
            found = _read(chosen, result(plan, _operands(chosen, x)))
            if not x.observation.fits(found):
                if x is self.seen[0]:
                    self._note(_Found(chosen, distance=x.observation.distance(found)))
                return False
        return _explains_rest(plan, chosen, self.seen[_PROBES:])

    def _note(self, found: _Found) -> None:
        """Keep what comes nearest."""
        self.near.append(found)
        if len(self.near) > 64:
            self.near = _sifted(self.near)

    def _solved(self, chosen: tuple[Cause, ...], free: str) -> _Found | None:
        axes = {f"{role}sel" for role in free}
        if any(x.axes & axes or x.reading or "masked_from_b" in _rules(x) for x in chosen):
            return None
        if self.ins.form.secop and any("add_clamps" in _rules(x) for x in chosen):
            return None
        variant = None if self._idle(chosen) else self._variant(chosen)
        if variant is None:
            return None
        self.tried += 1
        cases = [(_operands(chosen, x), x.observation.observed["d"]) for x in self.seen]
        fits = solve(*variant, cases, free)
        if fits is None:
            return None
        named = [_selector_cause(self.ins, role, fits) for role in free]
        return _Found((*chosen, *named), fits)

    def nearest(self, seen: Sequence[Seen]) -> Iterator[Finding]:
        """What misses the fewest bits of the most telling observation."""
        for found in _sifted(self.near)[:_NEAREST]:
            finding = self.finding(found, seen, 0)
            matched = sum(x.observation.fits(finding.result(index)) for index, x in enumerate(seen))
            yield replace(finding, matched=matched, distance=found.distance)

    def finding(self, found: _Found, seen: Sequence[Seen], matched: int) -> Finding:
        """The explanation in full."""
        ins, chosen = self.ins, found.causes
        variant = self._variant(chosen)
        assert variant
        swap = any(cause.swap for cause in chosen)
        sources = list(ins.sources)
        if swap:
            sources[:2] = sources[1::-1]
        if not variant.form.c and ins.form.c:
            del sources[2:]
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
        whose = _model(chosen)
        operands = tuple(_operands(chosen, x) for x in seen)
        having = self._versions(chosen)
        return Finding(
            chosen,
            changed,
            whose,
            operands,
            _sentence(chosen, found, Trace(changed, whose, operands[0]), having),
            matched,
            fits=found.fits,
        )

    def _versions(self, chosen: tuple[Cause, ...]) -> str:
        """The versions of ptxas by which the causes explain what was observed."""
        if not any(cause.model for cause in chosen):
            return ""
        having = []
        for answer in PTXAS_MODELS:
            same = tuple(
                x._replace(errata=answer.errata, model=answer) if x.model else x for x in chosen
            )
            if self._explains(same):
                having.append(answer)
        return versions(having)


def _rules(cause: Cause) -> set[str]:
    return {name for erratum in cause.errata for name in erratum.rules}


def _operands(chosen: Iterable[Cause], seen: Seen) -> Bits:
    operands = seen.observation.operands
    for cause in chosen:
        if cause.operands:
            operands = cause.operands(operands, seen)
    return operands


def _read(chosen: Iterable[Cause], found: Bits) -> Bits:
    for cause in chosen:
        if cause.reading:
            found = cause.reading(found)
    return found


def _explains_rest(plan: Plan, chosen: tuple[Cause, ...], seen: Sequence[Seen]) -> bool:
    operands = [_operands(chosen, x) for x in seen]
    if len(seen) < _ARRAYS:
        results: Iterable[Bits] = (result(plan, x) for x in operands)
    else:
        from .arrays import results_of

        results = results_of(plan, operands)
    return all(
        x.observation.fits(_read(chosen, found)) for x, found in zip(seen, results, strict=True)
    )


def _sifted(near: Iterable[_Found]) -> list[_Found]:
    ordered = sorted(near, key=lambda x: (x.distance, len(x.causes), x.weight))
    return ordered[:_NEAREST]


def _model(chosen: Iterable[Cause]) -> Model:
    """The model of the causes; its name makes it again."""
    named = [x.model.name if x.model else e.id for x in chosen for e in x.errata]
    return model("+".join(dict.fromkeys(named)) or "isa")


def _selector_cause(ins: Instruction, role: str, fits: Fits) -> Cause:
    name = f"{role}sel"
    chosen = fits.asel if role == "a" else fits.bsel
    now = ins.form.get(name)
    written = f"`{role}.{now}`" if now else f"`{role}`"
    return Cause(
        Kind.SELECTOR,
        frozenset((name,)),
        f"with `{role}.{chosen}` rather than {written}",
        3,
        slots=((name, chosen),),
    )


def _sentence(chosen: tuple[Cause, ...], found: _Found, trace: Trace, having: str) -> str:
    if not chosen:
        return "This is the documented result."
    phrases = [cause.phrase.format(f"ptxas {having}") for cause in chosen]
    gives = "would give" if any(cause.kind is Kind.HABIT for cause in chosen) else "gives"
    said = f"The instruction {gives} this {' and '.join(phrases)}."
    told = [e for e in trace.changed_by if e.id.startswith("E")]
    for erratum in told:
        said += f" {erratum.id}: {erratum.sentence}"
    if found.fits and found.fits.ways > 1:
        what = "selectors" if len([c for c in chosen if c.kind is Kind.SELECTOR]) < 2 else "pairs"
        said += f" {found.fits.ways:,} {what} fit; this one changes the fewest digits."
    return said
