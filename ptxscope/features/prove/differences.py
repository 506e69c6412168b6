"""When two computations differ: a short condition on the operands, and the number of values."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial, reduce
from itertools import combinations
from random import Random
from typing import NamedTuple

from ...engine.ir.tape import Node, list_needed_nodes
from ...engine.isa.encodings import Range, cast
from ...engine.micro_operations.arithmetic import LaneValues, is_different
from .bit_vectors import UNIT_BITS
from .proof_question import ProofQuestion, compute_nodes, count_differing
from .solver import Term, Undecided

_SECONDS = 2.0
"""The time in which a condition is sought."""
_QUERY_SECONDS = 0.3
_DRAWN = 100
_SMALL = 8
"""Operands are often below this, so that a condition that excludes these values is worth saying."""
_MAX_ATOMS = 2
"""The most comparisons of a short condition."""


Operands = Mapping[str, int]


class Difference(NamedTuple):
    """The condition under which results differ."""

    part: str
    """The part of the result to which this applies, ``b2``; empty for all results."""
    condition: str
    """A condition, in the syntax of ``read_condition``, that holds whenever they differ."""
    is_exact: bool
    """Whether they differ whenever it holds."""
    number: int = 0
    """The number of values of ``parts`` for which they differ; 0 if it is unknown."""
    total: int = 0
    """The number of values of ``parts``; 0 if ``number`` is unknown."""
    parts: tuple[str, ...] = ()
    """The parts of operands on which this depends, of at most 16 bits in all."""


class _Example:
    """Operands, and the rows that they give."""

    def __init__(self, operands: Operands, nodes: Sequence[Node]) -> None:
        self.operands = operands
        self._nodes = nodes

    @cached_property
    def rows(self) -> Mapping[Node, LaneValues]:
        return compute_nodes(self._nodes, self.operands)


class _ValuePart(NamedTuple):
    """An operand, a part of it, or a lane of a row."""

    label: str
    bits: int
    term: Term
    read: Callable[[_Example], int]
    """Returns its bits in an example."""
    readings: tuple[bool, ...] = (False, True)
    """Whether it is read as signed; an operand, in both ways."""
    size: int = 0
    """The number of values of a row's lane; 0 for an operand, which can have any bits."""
    place: str = ""
    """The place in its operand: ``.b0``. Values of one place are compared with each other."""

    @property
    def is_row(self) -> bool:
        return self.size > 0

    def is_telling(self, ends: Range, *, signed: bool) -> bool:
        """Whether the ends exclude half of its values, those of one sign, or all small ones."""
        half = 1 << self.bits - 1
        has_one_sign = self.readings == (True,) and not ends.low < half <= ends.high
        is_large = not signed and not self.is_row and ends.low >= _SMALL
        return has_one_sign or is_large or ends.high - ends.low < (self.size or 2 * half) // 2

    def name(self, *, signed: bool) -> str:
        """Return its name in a condition."""
        return f"{self.label}.signed" if signed and not self.is_row else self.label


class _Atom(NamedTuple):
    text: str
    term: Term
    is_telling: bool
    """Whether it excludes enough operands to be worth saying even if it is not exact."""


def describe_difference(
    question: ProofQuestion,
    pairs: Sequence[tuple[Node, Node]],
    operands: Operands,
    rows: Mapping[str, Node],
    restriction: Node | None = None,
) -> Difference | None:
    """Return a short condition under which results differ: all, or else one part of one.

    ``pairs`` are the results that are compared, ``operands`` some for which they differ, ``rows``
    those that both computations have, ``restriction`` what operands must satisfy. None if neither a
    condition nor a count is found in a second.
    """
    descriptions = list(_describe_parts(question, pairs, operands, rows, restriction))
    exact = [x for x in descriptions if x.is_exact or x.number]
    return next(iter(exact or descriptions), None)


def _describe_parts(
    question: ProofQuestion,
    pairs: Sequence[tuple[Node, Node]],
    operands: Operands,
    rows: Mapping[str, Node],
    restriction: Node | None,
) -> Iterator[Difference]:
    """Yield the findings for all results, then for the smallest part that differs."""
    for part, nodes in (("", pairs), *_find_part(question, pairs, operands)):
        differs_node = make_difference(question, nodes)
        differs = question.make_truth(differs_node)
        examples = _draw_examples(question, differs_node, operands, restriction)
        try:
            condition, is_exact = _ComparisonSearch(
                question, differs, examples, rows
            ).find_condition()
        except Undecided:
            condition, is_exact = "", False
        number, total, parts = count_differing(question, differs_node, differs)
        if condition or number:
            yield Difference(part, condition, is_exact, number, total, parts)
        if is_exact:
            return


def make_difference(question: ProofQuestion, pairs: Sequence[tuple[Node, Node]]) -> Node:
    """Return a node that is 1 if some of the pairs differ."""
    tape = question.tape
    return reduce(tape.maximum, (is_different(tape, *pair) for pair in pairs))


def _find_part(
    question: ProofQuestion, pairs: Sequence[tuple[Node, Node]], operands: Operands
) -> Iterator[tuple[str, list[tuple[Node, Node]]]]:
    """Yield the lowest byte of a single result that differs for some operands, with its name."""
    if len(pairs) == 1:
        x, y = (question.compute(node, operands)[0] for node in pairs[0])
        index = (((x ^ y) & -(x ^ y)).bit_length() - 1) // UNIT_BITS
        if max(node.range.high for node in pairs[0]) >> UNIT_BITS:
            lanes = [question.tape.gather([x], UNIT_BITS, ((0, index),)) for x in pairs[0]]
            yield f"b{index}", [(lanes[0], lanes[1])]


def _draw_examples(
    question: ProofQuestion, differs: Node, operands: Operands, restriction: Node | None
) -> tuple[list[Operands], list[Operands]]:
    """Return operands for which results differ, these first, and others for which they agree."""
    rng = Random(1)  # noqa: S311 - not for security
    is_allowed = question.make_test(*filter(None, [restriction]))
    holds = question.make_test(differs)
    examples: tuple[list[Operands], list[Operands]] = [operands], []
    for _ in range(_DRAWN):
        operand_bits = {
            name: rng.choice((operands[name], 0, -1, rng.getrandbits(64), *_list_edges(type_.bits)))
            & (1 << type_.bits) - 1
            for name, type_ in question.inputs.items()
        }
        if restriction is None or is_allowed(operand_bits):
            examples[not holds(operand_bits)].append(operand_bits)
    return examples


def _list_edges(bits: int) -> tuple[int, int, int]:
    return 1, 1 << bits - 1, (1 << bits - 1) - 1


class _ComparisonSearch:
    """Searches for comparisons that hold whenever results differ."""

    def __init__(
        self,
        question: ProofQuestion,
        differs: Term,
        samples: tuple[list[Operands], list[Operands]],
        rows: Mapping[str, Node],
    ) -> None:
        self.question, self.solver, self.differs = question, question.solver, differs
        self.make, self.value = question.solver.terms.make, question.solver.terms.make_value
        self.end = self.solver.elapsed + _SECONDS
        self.parts = list(_iter_operand_parts(question))
        self.lanes = list(_iter_row_lanes(question, rows))
        self._nodes = list_needed_nodes(question.tape.nodes, rows.values())
        self.examples = list(map(self._make_example, samples[0]))
        self.can_be_exact = not self._satisfy_all(map(self._make_example, samples[1]))
        """Whether some comparisons may exclude all operands for which the results are equal."""

    def _satisfy_all(self, others: Iterable[_Example]) -> bool:
        """Whether one of other examples satisfies every comparison that all examples satisfy."""
        candidates = list(others)
        for part in self.parts:
            candidates = self._keep_inside(part, candidates)
        for x, y in self._iter_pairs():
            for relation in _RELATIONS:
                if candidates and all(self._holds(relation, x, y, z) for z in self.examples):
                    candidates = [z for z in candidates if self._holds(relation, x, y, z)]
        for part in self.lanes:
            candidates = self._keep_inside(part, candidates)
        return bool(candidates)

    def _keep_inside(self, part: _ValuePart, others: list[_Example]) -> list[_Example]:
        """Return those in which a part lies between its ends in all examples."""
        for signed in part.readings if others else ():
            top = 1 << part.bits - 1 if signed else 0
            low, high = self._measure(part, top)
            others = [x for x in others if low <= part.read(x) ^ top <= high]
        return others

    def _measure(self, part: _ValuePart, top: int) -> Range:
        """Return the smallest and the largest value of a part in the examples."""
        values = [part.read(x) ^ top for x in self.examples]
        return Range(min(values), max(values))

    def _make_example(self, operands: Operands) -> _Example:
        return _Example(operands, self._nodes)

    def is_possible(self, *conditions: Term) -> bool:
        seconds = min(self.end - self.solver.elapsed, _QUERY_SECONDS)
        if seconds <= 0:
            raise Undecided
        return self.solver.is_possible(*conditions, seconds=seconds)

    def differs_where(self, condition: Term) -> bool:
        """Whether the results can differ when a condition holds; keep the example."""
        if not self.is_possible(self.differs, condition):
            return False
        self.examples.append(self._make_example(self.question.get_operands()))
        return True

    def find_condition(self) -> tuple[str, bool]:
        """Return comparisons joined by ``and``, and whether they are the exact condition."""
        chosen: list[_Atom] = []
        for atom in self._iter_atoms():
            chosen_terms = [x.term for x in chosen]
            if not self.is_possible(*chosen_terms, self.make("NOT", atom.term)):
                continue
            if self.can_be_exact:
                if self._is_exact(atom.term):
                    return atom.text, True
                if self._is_exact(*chosen_terms, atom.term):
                    return self._join(self._shorten([*chosen, atom])), True
            chosen.append(atom)
            if not self.can_be_exact and len(chosen) > _MAX_ATOMS:
                break
        telling_parts = [x for x in chosen if x.is_telling]
        return self._join(telling_parts) if len(telling_parts) <= _MAX_ATOMS else "", False

    def _shorten(self, atoms: list[_Atom]) -> list[_Atom]:
        """Return the fewest of the comparisons that are still exact together."""
        for atom in atoms[:-1]:
            others = [x for x in atoms if x is not atom]
            if self._is_exact(*(x.term for x in others)):
                atoms = others
        return atoms

    def _is_exact(self, *conditions: Term) -> bool:
        return not self.is_possible(*conditions, self.make("NOT", self.differs))

    def _join(self, atoms: Iterable[_Atom]) -> str:
        return " and ".join(atom.text for atom in atoms)

    def _iter_atoms(self) -> Iterator[_Atom]:
        """Yield comparisons; unless they can be exact, only telling ones."""
        for part in (*self.parts, *self.lanes):
            yield from self._iter_bounds(part)
        for x, y in self._iter_pairs():
            yield from self._iter_relations(x, y)

    def _iter_pairs(self) -> Iterator[tuple[_ValuePart, _ValuePart]]:
        """Yield the parts to compare with each other."""
        for x, y in combinations(self.parts, 2):
            if x.label != y.label and (x.place, x.bits) == (y.place, y.bits):
                yield x, y

    def _iter_bounds(self, part: _ValuePart) -> Iterator[_Atom]:
        """Yield the smallest and largest value of a part, unless it can have any."""
        for signed in part.readings:
            top = 1 << part.bits - 1 if signed else 0
            # signed values in the order of unsigned ones
            term = self.make("BV_XOR", part.term, self.value(top, part.bits))
            ends = self._measure(part, top)
            if self.can_be_exact or part.is_telling(ends, signed=top > 0):
                ends = ends._replace(low=self._find_end(part, term, top, -1, ends.low))
            if self.can_be_exact or part.is_telling(ends, signed=top > 0):
                ends = ends._replace(high=self._find_end(part, term, top, 1, ends.high))
                yield from self._compare_ends(part, term, ends, top)
                if ends.low == ends.high or part.bits == 1:
                    return

    def _compare_ends(self, part: _ValuePart, term: Term, ends: Range, top: int) -> Iterator[_Atom]:
        """Yield the ends of a part, or its only value; signed values have ``top`` added."""
        full, half = Range(0, (1 << part.bits) - 1), 1 << part.bits - 1
        low, high = (x - top for x in ends)
        name = part.name(signed=top > 0)
        if low == high:
            text = f"{part.name(signed=low < 0)} == {_format(low)}"
            yield _Atom(text, self._compare(term, "EQUAL", ends.low), True)
        elif (top == 0) != part.is_row and half in (ends.low, ends.high + 1):
            is_negative = (ends.low == half) == (top == 0)
            kind = "BV_UGE" if ends.low == half else "BV_ULT"
            text = f"{part.name(signed=True)} {'<' if is_negative else '>='} 0"
            yield _Atom(text, self._compare(term, kind, half), True)
        else:
            is_telling = part.is_telling(ends, signed=top > 0)
            if ends.low > full.low:
                condition = self._compare(term, "BV_UGE", ends.low)
                yield _Atom(f"{name} >= {_format(low)}", condition, is_telling)
            if ends.high < full.high:
                condition = self._compare(term, "BV_ULE", ends.high)
                yield _Atom(f"{name} <= {_format(high)}", condition, is_telling)

    def _compare(self, term: Term, kind: str, value: int) -> Term:
        return self.make(kind, term, self.value(value, term.sort().bv_size()))

    def _find_end(
        self, part: _ValuePart, term: Term, top: int, direction: int, nearest: int
    ) -> int:
        """Return the smallest (-1) or largest (1) value of a part for which results differ.

        ``nearest`` is the value in the examples.
        """
        last = 0 if direction < 0 else (1 << part.bits) - 1
        kind = "BV_ULE" if direction < 0 else "BV_UGE"
        beyond = last + direction
        """A value that no example reaches."""
        target = last
        while nearest != last and abs(nearest - beyond) > 1:
            if self.differs_where(self._compare(term, kind, target)):
                nearest = part.read(self.examples[-1]) ^ top
            else:
                beyond = target
            target = nearest + direction if target == last else (nearest + beyond) // 2
        return nearest

    def _iter_relations(self, x: _ValuePart, y: _ValuePart) -> Iterator[_Atom]:
        """Yield the comparisons of two parts that hold in every example."""
        for relation in _RELATIONS if self.can_be_exact else _RELATIONS[:-1]:
            term = self.make(relation.kind, x.term, y.term)
            is_usual = all(self._holds(relation, x, y, example) for example in self.examples)
            if is_usual and not self.differs_where(self.make("NOT", term)):
                names = [z.name(signed=relation.signed) for z in (x, y)]
                text = f"{names[0]} {relation.text} {names[1]}"
                yield _Atom(text, term, relation.compare is not operator.ne)

    def _holds(self, relation: _Relation, x: _ValuePart, y: _ValuePart, example: _Example) -> bool:
        values = (cast(z.read(example), z.bits, relation.signed) for z in (x, y))
        return relation.compare(*values)


class _Relation(NamedTuple):
    text: str
    kind: str
    compare: Callable[[int, int], bool]
    signed: bool = False


_RELATIONS = (
    _Relation("==", "EQUAL", operator.eq),
    _Relation("<", "BV_ULT", operator.lt),
    _Relation(">", "BV_UGT", operator.gt),
    _Relation("<", "BV_SLT", operator.lt, signed=True),
    _Relation(">", "BV_SGT", operator.gt, signed=True),
    _Relation("!=", "DISTINCT", operator.ne),
)


def _format(value: int) -> str:
    return str(value) if -10 < value < 10 else f"{value:#x}"


def _iter_operand_parts(question: ProofQuestion) -> Iterator[_ValuePart]:
    """Yield the operands, then their half-words, then their bytes."""
    for letter, unit in (("", 0), ("h", 16), ("b", 8)):
        for name, type_ in question.inputs.items():
            bits = unit or type_.bits
            for index in range(type_.bits // bits if not unit or type_.bits > unit else 0):
                place = f".{letter}{index}" if unit else ""
                term = question.solver.terms.cut(
                    question.get_bits(name), bits * index, bits * (index + 1)
                )
                read = partial(_read_operand, name, bits * index, bits)
                yield _ValuePart(name + place, bits, term, read, place=place)


def _read_operand(name: str, low: int, bits: int, example: _Example) -> int:
    return example.operands[name] >> low & (1 << bits) - 1


def _iter_row_lanes(question: ProofQuestion, rows: Mapping[str, Node]) -> Iterator[_ValuePart]:
    for key, node in rows.items():
        question.encode(node)
        bits = node.range.bits
        for lane, term in enumerate(question.vectors[node]):
            label = f"{key}[{lane}]" if node.lanes > 1 else key
            read = partial(_read_lane, node, lane)
            size = node.range.high - node.range.low + 1
            yield _ValuePart(label, bits, term, read, (node.range.low < 0,), size)


def _read_lane(node: Node, lane: int, example: _Example) -> int:
    return example.rows[node][lane] & (1 << node.range.bits) - 1
