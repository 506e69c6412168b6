"""Operands for tests of compilers, emulators and ports, with every model's results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import NamedTuple

from ...engine.ir.tape import Node, list_needed_nodes
from ...engine.isa.types import Type
from ...engine.records import FrozenRecord
from ...engine.semantics.models import ISA_MODEL, PTXAS_MODELS, Model
from ...engine.semantics.plan import compute_results
from ...engine.semantics.rules import Erratum
from ...engine.tracing.basic_block import BasicBlock
from ...engine.tracing.probe_operands import draw_operands
from .differences import make_difference
from .equivalence import TIMEOUT
from .operand_conditions import get_flag_name, iter_flags
from .proof import bind_names
from .proof_question import ProofQuestion, Side, compute_nodes, find_simple_operands
from .solver import Undecided, get_solver_name

MAX_VECTORS = 100_000


class Goal(NamedTuple):
    """An event that may happen in an evaluation."""

    text: str
    """A condition, ``clamped_high(saturate.t[2])`` or ``not compare.t``; or an erratum, ``E3``."""
    node: Node
    """A node that is 1 if it happens."""


@dataclass(frozen=True, slots=True)
class Vectors(FrozenRecord):
    """Sets of operands, with the results of every model."""

    program: BasicBlock
    models: tuple[Model, ...]
    inputs: Mapping[str, Type]
    outputs: Mapping[str, Type]
    operands: tuple[Mapping[str, int], ...]
    """Bits by register; the sets that cover the goals come first."""
    covers: tuple[tuple[str, ...], ...]
    """The goals that each of the covering sets reaches."""
    impossible: tuple[str, ...]
    """The goals that no operands reach, as proved."""
    undecided: tuple[str, ...]
    """The goals that were given up when the time was up."""
    is_fewest: bool
    """Whether it is proved that fewer sets can't cover the goals."""
    seconds: float
    solver: str

    def compute(self, model: Model, operands: Mapping[str, int]) -> dict[str, int]:
        """Return the results of a model by register."""
        plan = self.program.make_plan(model)
        missing = dict.fromkeys((source.role for source in plan.sources), 0)
        roles = compute_results(plan, {**missing, **bind_names(self.program, operands)})
        return {name: roles[role] for role, name in self.program.results.items()}


def make_vectors(
    program: BasicBlock, count: int, *, is_covering: bool = False, timeout: float = TIMEOUT
) -> Vectors:
    """Return ``count`` sets of operands, always the same; the covering ones, if requested, first.

    Raise ImportError if the solver is needed and missing, and ValueError for a block with guards.
    """
    if program.guards:
        raise ValueError("a block with branches to its end has no vectors")
    inputs = {x.name: x.type for x in program.inputs}
    cover = _Cover(program, timeout) if is_covering else None
    sets = [dict(x) for x in cover.sets] if cover else []
    known_sets = {tuple(x.values()) for x in sets}
    for drawn in draw_operands(inputs):
        if len(sets) >= count:
            break
        if tuple(drawn.values()) not in known_sets:
            known_sets.add(tuple(drawn.values()))
            sets.append(drawn)
    return Vectors(
        program,
        (ISA_MODEL, *_list_other_models(program)),
        inputs,
        {name: program.type_of(role) for role, name in program.results.items()},
        tuple(sets),
        tuple(cover.reached) if cover else (),
        tuple(cover.impossible) if cover else (),
        tuple(cover.undecided) if cover else (),
        cover.is_fewest if cover else False,
        cover.question.solver.elapsed if cover else 0.0,
        get_solver_name() if cover else "",
    )


def _list_other_models(program: BasicBlock) -> Iterator[Model]:
    """Yield the assemblers whose plans differ from the documented one."""
    documented = program.make_plan(ISA_MODEL)
    yield from (x for x in PTXAS_MODELS if program.make_plan(x) != documented)


# --- goals -----------------------------------------------------------------------------------


def iter_goals(question: ProofQuestion, program: BasicBlock) -> Iterator[Goal]:
    """Yield each flag of each row, both sides of each choice, and each erratum."""
    side = question.add_side(program, ISA_MODEL)
    for row in side.plan.rows:
        for flag, truth in iter_flags(question, side, row):
            yield from _iter_lane_goals(question, f"{get_flag_name(flag)}({{}})", row.key, truth)
        if row.micro.is_choice:
            condition = side.values[row.inputs[0]]
            yield from _iter_lane_goals(question, "{}", row.inputs[0], condition)
            negated = question.tape.equal(condition, 0)
            yield from _iter_lane_goals(question, "not {}", row.inputs[0], negated)
    for erratum in program.errata:
        if node := _make_erratum_node(question, program, side, erratum):
            yield Goal(erratum.id, node)


def _iter_lane_goals(question: ProofQuestion, text: str, key: str, truth: Node) -> Iterator[Goal]:
    if truth.lanes == 1:
        yield Goal(text.format(key), truth)
        return
    for lane in range(truth.lanes):
        node = question.tape.sum_lanes(truth, (lane,), truth.lanes)
        yield Goal(text.format(f"{key}[{lane}]"), node)


def _make_erratum_node(
    question: ProofQuestion, program: BasicBlock, documented: Side, erratum: Erratum
) -> Node | None:
    """Return whether an erratum changes a result, alone or with the others; None if never."""
    errata = program.errata
    others = tuple(x for x in errata if x is not erratum)
    models = [Model("", (erratum,)), Model("", errata), Model("", others)]
    alone, every, rest = (question.add_side(program, model) for model in models)
    nodes = []
    for x, y in ((documented, alone), (every, rest)):
        pairs = [(x.results[name][0], y.results[name][0]) for name in x.results]
        unequal = [pair for pair in pairs if pair[0] is not pair[1]]
        if unequal:
            nodes.append(make_difference(question, unequal))
    return reduce(question.tape.maximum, nodes) if nodes else None


# --- cover -----------------------------------------------------------------------------------


class _Cover:
    """Sets of operands that reach all goals that can be reached."""

    def __init__(self, program: BasicBlock, timeout: float) -> None:
        self.question = ProofQuestion(timeout)
        goals = list(iter_goals(self.question, program))
        self.impossible: list[str] = []
        self.undecided: list[str] = []
        self.sets: list[dict[str, int]] = []
        open_goals: list[Goal] = []
        for goal in goals:
            if (is_possible := self._is_possible(goal)) is None:
                self.undecided.append(goal.text)
            elif is_possible:
                open_goals.append(goal)
            else:
                self.impossible.append(goal.text)
        self._nodes = list_needed_nodes(self.question.tape.nodes, [x.node for x in open_goals])
        self.reached: list[tuple[str, ...]] = []
        self._find_sets(open_goals)
        self.is_fewest = not self.undecided and self._are_all_needed(open_goals)

    def _is_possible(self, *goals: Goal) -> bool | None:
        """Whether some operands reach goals; None if that is not known in time."""
        try:
            return self.question.solver.is_possible(
                *(self.question.make_truth(goal.node) for goal in goals)
            )
        except Undecided:
            return None

    def _find_sets(self, goals: Sequence[Goal]) -> None:
        """Find sets, each of which reaches as many open goals as can be added one by one."""
        open_goals = list(goals)
        while open_goals:
            chosen: list[Goal] = []
            for goal in open_goals:
                if self._is_possible(*chosen, goal):
                    chosen.append(goal)
            truths = [self.question.make_truth(goal.node) for goal in chosen]
            try:
                holds = self.question.make_test(*(goal.node for goal in chosen))
                operands = find_simple_operands(self.question, truths, holds) if chosen else None
            except Undecided:
                operands = None
            if operands is None:
                self.undecided += [goal.text for goal in open_goals]
                return
            self.sets.append(operands)
            values = compute_nodes(self._nodes, operands)
            self.reached.append(tuple(x.text for x in goals if values[x.node][0]))
            open_goals = [x for x in open_goals if not values[x.node][0]]
        self._drop_idle_sets({goal.text for goal in goals})

    def _drop_idle_sets(self, texts: set[str]) -> None:
        """Drop each set whose goals the others reach."""
        for index in reversed(range(len(self.sets))):
            others = self.reached[:index] + self.reached[index + 1 :]
            if texts <= {text for goals in others for text in goals}:
                del self.sets[index], self.reached[index]

    def _are_all_needed(self, goals: Sequence[Goal]) -> bool:
        """Whether it is proved that fewer sets do not reach all goals."""
        if len(self.sets) <= 1:
            return True
        if self._is_possible(*goals) is not False:
            return False
        return len(self.sets) == 2 or len(self.sets) <= self._count_exclusive(goals)

    def _count_exclusive(self, goals: Sequence[Goal]) -> int:
        """Return the number of goals found of which no two can be reached at once."""
        exclusive = {
            frozenset((x.text, y.text))
            for x, y in combinations(goals, 2)
            if self._is_possible(x, y) is False
        }
        largest = 1
        for first in goals:
            chosen = [first]
            for goal in goals:
                if all(frozenset((goal.text, x.text)) in exclusive for x in chosen):
                    chosen.append(goal)
            largest = max(largest, len(chosen))
        return largest
