"""The search for what explains observations: every cause, and every pair of causes.

Nothing here is worded or ranked; ``diagnose`` does that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import isnan

from ..isa.catalog import get_entry
from ..records import NamedTuple
from ..semantics.models import PTXAS_MODELS, Model
from ..semantics.plan import Plan
from ..semantics.plan_execution import compute_results
from ..syntax.constants import decode_float
from ..syntax.instruction import Instruction
from .causes import Bits, Cause, CauseKind, ObservedCase
from .form_causes import (
    DEFAULT_SELECTOR,
    WEIGHTS,
    find_folded_selections,
    find_lost_differences,
    format_slot_change,
    iter_form_causes,
)
from .lane_solver import solve
from .selector_problem import SelectorMatches
from .selector_simplicity import FEW, MANY
from .value_causes import iter_value_causes
from .variants import Variant, Variants

_PROBES = 8
"""Observations that are tried one by one before all are."""
_ARRAYS = 64
"""Observations from which on NumPy is worth its import."""
_NEAR = 64
"""How many that come near are kept before the nearest of them are picked."""


class CauseCombination(NamedTuple):
    """Causes that together explain the observations, or come near."""

    causes: tuple[Cause, ...]
    fits: SelectorMatches | None = None
    """The selectors, where they were solved."""
    explained: int = 0
    """How many of the first observations they explain, where not all."""
    distance: int = 0
    """How many bits of the next one they miss."""

    @property
    def weight(self) -> int:
        """How far-fetched they are, and how much they look like chance."""
        return sum(cause.cost for cause in self.causes) + compute_coincidence_cost(self.fits)

    @property
    def is_chance(self) -> bool:
        """Whether so many selectors fit that they say next to nothing."""
        return compute_coincidence_cost(self.fits) == MOST_CHANCE


class Search:
    """The combinations of up to two causes, each looked at once.

    A pair is of causes of which neither is enough alone, that decide different things (they
    share no axis), and that both change something.
    """

    def __init__(self, ins: Instruction, seen: Sequence[ObservedCase]) -> None:
        self.ins, self.seen, self.tried = ins, seen, 0
        self.roles = frozenset.intersection(*(frozenset(x.observation.operands) for x in seen))
        self.near: list[CauseCombination] = []
        self._variants = Variants(ins, self.roles)

    def run(self) -> Iterator[CauseCombination]:
        """Those that explain every observation."""
        documented = self._was_tried(())
        if documented:
            yield CauseCombination(())
        lacking: list[Cause] = []
        lines: set[Variant | None] = set()
        for cause in self._iter_causes():
            if self._variants.is_redundant((cause,)) or not self._was_tried((cause,)):
                lacking.append(cause)
            elif documented and cause.kind is CauseKind.PTXAS:
                continue  # it is as documented there too
            elif not self._is_explained_by_newest((cause,)):
                yield CauseCombination((cause,))
                lines.update(self._make_line_variants((cause,)))
        free = ["a", "b"] if self._is_solvable else []
        has_chance = False
        for role in tuple(free):
            if found := self._solve_selectors((), role):
                free.remove(role)
                has_chance |= found.is_chance
                yield found
        if not documented:
            for found in self._iter_pairs(lacking, free, has_chance=has_chance):
                if lines.isdisjoint(self._make_line_variants(found.causes)):
                    yield found

    def _make_line_variants(self, chosen: tuple[Cause, ...]) -> Iterator[Variant | None]:
        """The line that the causes come to, where they change nothing else."""
        if not any(x.operands or x.reading or x.errata for x in chosen):
            yield self.make_variant(chosen)

    def _iter_causes(self) -> Iterator[Cause]:
        """Every single cause, but the selectors that are solved."""
        yield from iter_form_causes(self.ins, self._has_nan_comparison)
        operands = [x.observation.operands for x in self.seen]
        yield from find_folded_selections(self.ins, operands)
        yield from find_lost_differences(self.ins, operands)
        yield from iter_value_causes(self.ins, self.roles)

    def _iter_pairs(
        self, lacking: Sequence[Cause], free: Sequence[str], *, has_chance: bool
    ) -> Iterator[CauseCombination]:
        """Pairs of causes, and of causes and selectors, of which neither is enough.

        ``has_chance``: one selector fits, but by chance. Then two plain ones are a pair too.
        """
        for pair in combinations(lacking, 2):
            if pair[0].decided_axes & pair[1].decided_axes or self._variants.is_redundant(pair):
                continue
            if self._was_tried(pair) and not self._is_explained_by_newest(pair):
                yield CauseCombination(pair)
        for role in free:
            for cause in lacking:
                if found := self._solve_selectors((cause,), role):
                    yield found
        if len(free) == 2 or has_chance:
            found = self._solve_selectors((), "ab")
            if found and found.fits and (not has_chance or found.fits.plainness in FEW):
                yield found

    def _was_tried(self, chosen: tuple[Cause, ...]) -> bool:
        self.tried += 1
        return self.explains_all(chosen)

    @property
    def _has_nan_comparison(self) -> bool:
        """Whether a NaN was compared where the result is not the documented one."""
        stype = self.ins.form.stype
        if not (stype and stype.is_float and self.ins.form.cmp):
            return False
        return any(
            isnan(decode_float(x.observation.operands[role], stype.bits))
            for x in self.seen
            if not x.observation.matches(x.documented)
            for role in "ab"
        )

    @property
    def _is_solvable(self) -> bool:
        """Whether there are selectors of several lanes, and what they select from is known."""
        return self.ins.entry.has_lane_selectors and {"a", "b"} <= self.roles

    def make_variant(self, chosen: Iterable[Cause]) -> Variant | None:
        """What the causes make of the instruction; None where that is impossible."""
        return self._variants.make_variant(chosen)

    def _is_explained_by_newest(self, chosen: tuple[Cause, ...]) -> bool:
        """Whether an older ptxas is among the causes, and the newest explains it as well.

        That combination is found for the newest, and names both versions.
        """
        newest = with_model(chosen, PTXAS_MODELS[0])
        return newest != chosen and self.explains_all(newest)

    def explains_all(self, chosen: tuple[Cause, ...]) -> bool:
        """Whether the causes together give every observation; else how near they come is kept.

        Most combinations fail at the first few, which are tried one by one.
        """
        variant = self.make_variant(chosen)
        if variant is None:
            return False
        plan = variant.plan
        for index, x in enumerate(self.seen[:_PROBES]):
            found = read_by(chosen, compute_results(plan, apply_to_operands(chosen, x)))
            if not x.observation.matches(found):
                self._note_near_miss(
                    CauseCombination(chosen, None, index, x.observation.compute_distance(found))
                )
                return False
        if all(_fit(plan, chosen, self.seen[_PROBES:])):
            return True
        self._note_near_miss(CauseCombination(chosen, None, _PROBES))
        return False

    def compute_result(self, chosen: tuple[Cause, ...], seen: ObservedCase) -> Bits | None:
        """What the causes together make of an observation's operands."""
        variant = self.make_variant(chosen)
        return variant and read_by(
            chosen, compute_results(variant.plan, apply_to_operands(chosen, seen))
        )

    def count_matches(self, chosen: tuple[Cause, ...]) -> int:
        """How many observations the causes together give."""
        variant = self.make_variant(chosen)
        return sum(_fit(variant.plan, chosen, self.seen)) if variant else 0

    def _note_near_miss(self, found: CauseCombination) -> None:
        """Keep what comes near; only the nearest where it grows too long."""
        self.near.append(found)
        if len(self.near) > _NEAR:
            self.near = self.find_nearest(_NEAR // 2)

    def find_nearest(self, count: int) -> list[CauseCombination]:
        """What explains the most, then misses the fewest bits; the documented one always."""
        ordered = sorted(
            self.near, key=lambda x: (-x.explained, x.distance, len(x.causes), x.weight)
        )
        return ordered[:count] + [x for x in ordered[count:] if not x.causes]

    def _solve_selectors(self, chosen: tuple[Cause, ...], free: str) -> CauseCombination | None:
        """The causes with selectors of a, b or both that explain every observation.

        None where there are none, or where a lane of d depends on more than its own digits,
        so that selectors can't be solved lane by lane.
        """
        axes = {f"{role}sel" for role in free}
        if any(x.decided_axes & axes or x.reading or _get_rules(x) & _ENTANGLED for x in chosen):
            return None
        if self._variants.is_redundant(chosen):
            return None
        variant = self.make_variant(chosen)
        if variant is None or not get_entry(variant.form).has_lane_selectors:
            return None
        self.tried += 1
        cases = [(apply_to_operands(chosen, x), x.observation.observed["d"]) for x in self.seen]
        fits = solve(*variant, cases, free)
        if fits is None:
            return None
        named = [_make_selector_cause(self.ins, role, fits) for role in free]
        return CauseCombination((*chosen, *named), fits)


def compute_coincidence_cost(fits: SelectorMatches | None) -> int:
    """How much less selectors say where so many fit that some would fit anything."""
    if fits is None or fits.plainness in FEW:
        return 0
    ways = fits.match_count // fits.redundancy
    return next((weight for most, weight in _CHANCE if ways >= most), 0)


MOST_CHANCE = 4
"""More than any plain cause weighs beyond selectors."""
_CHANCE = ((MANY, MOST_CHANCE), (10, 1))
"""From how many that fit on selectors weigh more, and how much."""
_ENTANGLED = frozenset(("masked_from_b", "add_clamps"))
"""Rules by which a lane of d depends on more than its own two digits."""


def with_model(chosen: tuple[Cause, ...], model: Model) -> tuple[Cause, ...]:
    """The causes with another ptxas, where there is one among them."""
    return tuple(x._replace(errata=model.errata, model=model) if x.model else x for x in chosen)


def _get_rules(cause: Cause) -> set[str]:
    """The rules that a cause sets."""
    return {name for erratum in cause.errata for name in erratum.rules}


def apply_to_operands(chosen: Iterable[Cause], seen: ObservedCase) -> Bits:
    """An observation's operands by role, as the causes have them."""
    operands = seen.observation.operands
    for cause in chosen:
        if cause.operands:
            operands = cause.operands(operands, seen)
    return operands


def read_by(chosen: Iterable[Cause], found: Bits) -> Bits:
    """A result by role, as the causes have it read."""
    for cause in chosen:
        if cause.reading:
            found = cause.reading(found)
    return found


def _fit(plan: Plan, chosen: tuple[Cause, ...], seen: Sequence[ObservedCase]) -> Iterator[bool]:
    """Whether the causes give each of some observations."""
    operands = [apply_to_operands(chosen, x) for x in seen]
    if len(seen) < _ARRAYS:
        results: Iterable[Bits] = (compute_results(plan, x) for x in operands)
    else:
        from ..arrays.block_runner import compute_batch

        results = compute_batch(plan, operands)
    for x, found in zip(seen, results, strict=True):
        yield x.observation.matches(read_by(chosen, found))


def _make_selector_cause(ins: Instruction, role: str, fits: SelectorMatches) -> Cause:
    """The cause that is a solved selector of a or b."""
    name = f"{role}sel"
    slot = ins.entry.find_slot(name)
    assert slot
    chosen = fits.asel if role == "a" else fits.bsel
    phrase = format_slot_change(ins, slot, ins.form.get(name), chosen)
    weight = WEIGHTS[name] if chosen else DEFAULT_SELECTOR
    return Cause(CauseKind.SELECTOR, frozenset((name,)), phrase, weight, slots=((name, chosen),))
