"""When two computations differ: a short condition on the operands, and for how many values."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations

from ..arrays.exact_program import count_truths
from ..ir.recorded_plan import list_needed_nodes
from ..ir.tape import Node
from ..isa.integers import Range, cast
from ..micro_operations.arithmetic import is_different
from ..records import NamedTuple
from .bit_vectors import UNIT_BITS
from .question import Question
from .solver import Term, Undecided

_SECONDS = 1.0
"""The time in which a condition is sought."""
_QUERY_SECONDS = 0.5
_MAX_ATOMS = 2
"""The most comparisons of a short condition."""
_MAX_COUNTED_BITS = 16


Operands = Mapping[str, int]


class Difference(NamedTuple):
    """When results differ."""

    part: str
    """The part of the result to which this applies, ``b2``; empty for all results."""
    condition: str
    """A condition, in the syntax of ``read_condition``, that holds wherever they differ."""
    is_exact: bool
    """Whether they differ wherever it holds."""
    number: int = 0
    """For how many of the values of ``parts`` they differ; 0 if that is unknown."""
    parts: tuple[str, ...] = ()
    """The parts of operands on which this depends, of at most 16 bits in all."""

    @property
    def total(self) -> int:
        """The number of values of ``parts``."""
        return 1 << sum(8 if "." in part else 1 for part in self.parts)


class _Part(NamedTuple):
    """An operand or a part of it."""

    name: str
    suffix: str
    bits: int
    term: Term

    @property
    def label(self) -> str:
        return self.name + self.suffix


class _Atom(NamedTuple):
    """A comparison, and its truth for the solver."""

    text: str
    term: Term
    is_telling: bool
    """Whether it excludes enough operands to be worth saying even if it is not exact."""


def describe_difference(
    question: Question, pairs: Sequence[tuple[Node, Node]], operands: Operands
) -> Difference | None:
    """Return a short condition under which results differ: all, or else one part of one.

    ``pairs`` are the results that are compared, ``operands`` some for which they differ. None if
    neither a condition nor a count is found within seconds.
    """
    found = list(_describe_parts(question, pairs, operands))
    exact = [x for x in found if x.is_exact or x.number]
    return next(iter(exact or found), None)


def _describe_parts(
    question: Question, pairs: Sequence[tuple[Node, Node]], operands: Operands
) -> Iterator[Difference]:
    """Yield what is found for all results, then for the smallest part that differs."""
    for part, nodes in (("", pairs), *_find_part(question, pairs, operands)):
        differs = question.make_truth(make_difference(question, nodes))
        search = _Search(question, differs, operands)
        try:
            condition, is_exact = search.find_condition()
            number, parts = _count(question, nodes, differs)
        except Undecided:
            return
        if condition or number:
            yield Difference(part, condition, is_exact, number, parts)
        if is_exact:
            return


def make_difference(question: Question, pairs: Sequence[tuple[Node, Node]]) -> Node:
    """Return a node that is 1 if some of the pairs differ."""
    tape = question.tape
    return reduce(tape.maximum, (is_different(tape, *pair) for pair in pairs))


def _find_part(
    question: Question, pairs: Sequence[tuple[Node, Node]], operands: Operands
) -> Iterator[tuple[str, list[tuple[Node, Node]]]]:
    """Yield the lowest byte of a single result that differs for some operands, with its name."""
    if len(pairs) == 1:
        x, y = (question.compute(node, operands)[0] for node in pairs[0])
        index = (((x ^ y) & -(x ^ y)).bit_length() - 1) // UNIT_BITS
        if max(node.range.high for node in pairs[0]) >> UNIT_BITS:
            lanes = [question.tape.gather([x], UNIT_BITS, ((0, index),)) for x in pairs[0]]
            yield f"b{index}", [(lanes[0], lanes[1])]


class _Search:
    """Seeks comparisons that hold wherever results differ."""

    def __init__(self, question: Question, differs: Term, operands: Operands) -> None:
        self.question, self.solver, self.differs = question, question.solver, differs
        self.make, self.value = question.solver.terms.make, question.solver.terms.make_value
        self.end = self.solver.elapsed + _SECONDS
        self.examples = [operands]
        """Operands for which the results differ."""

    def is_possible(self, *conditions: Term) -> bool:
        left = self.end - self.solver.elapsed
        if left <= 0:
            raise Undecided
        return self.solver.is_possible(*conditions, seconds=min(left, _QUERY_SECONDS))

    def differs_where(self, condition: Term) -> bool:
        """Whether the results can differ where a condition holds; keep the example."""
        if not self.is_possible(self.differs, condition):
            return False
        self.examples.append(self.question.get_operands())
        return True

    def find_condition(self) -> tuple[str, bool]:
        """Return comparisons joined by ``and``, and whether they are the exact condition."""
        chosen: list[_Atom] = []
        for atom in self._iter_atoms():
            known = [x.term for x in chosen]
            if not self.is_possible(*known, self.make("NOT", atom.term)):
                continue
            if not self.is_possible(*known, atom.term, self.make("NOT", self.differs)):
                return self._join([*chosen, atom]), True
            chosen.append(atom)
        telling = [x for x in chosen if x.is_telling]
        return self._join(telling) if len(telling) <= _MAX_ATOMS else "", False

    def _join(self, atoms: Iterable[_Atom]) -> str:
        return " and ".join(atom.text for atom in atoms)

    def _iter_atoms(self) -> Iterator[_Atom]:
        parts = list(_iter_parts(self.question))
        for part in parts:
            yield from self._iter_bounds(part)
        for x, y in combinations(parts, 2):
            if x.name != y.name and (x.suffix, x.bits) == (y.suffix, y.bits):
                yield from self._iter_relations(x, y)

    def _iter_bounds(self, part: _Part) -> Iterator[_Atom]:
        """Yield the smallest and largest value of a part, unless it can have any."""
        for signed in (False, True):
            top = 1 << part.bits - 1 if signed else 0
            # signed values in the order of unsigned ones
            term = self.make("BV_XOR", part.term, self.value(top, part.bits))
            low, high = self._find_end(part, term, top, -1), self._find_end(part, term, top, 1)
            yield from self._compare_ends(part, term, Range(low, high), top)
            if low == high or part.bits == 1:
                return

    def _compare_ends(self, part: _Part, term: Term, ends: Range, top: int) -> Iterator[_Atom]:
        """Yield the ends of a part, or its only value; signed values have ``top`` added."""
        full, half = Range(0, (1 << part.bits) - 1), 1 << part.bits - 1
        low, high = (x - top for x in ends)
        if low == high:
            yield _Atom(
                f"{part.label} == {_format(low)}", self._compare(term, "EQUAL", ends.low), True
            )
        elif not top and half in (low, high + 1):
            text = f"{part.label}.signed {'<' if low else '>='} 0"
            kind, end = ("BV_UGE", half) if low else ("BV_ULT", half)
            yield _Atom(text, self._compare(term, kind, end), True)
        else:
            label = part.label + (".signed" if top else "")
            is_telling = ends.high - ends.low < half
            if ends.low > full.low:
                condition = self._compare(term, "BV_UGE", ends.low)
                yield _Atom(f"{label} >= {_format(low)}", condition, is_telling)
            if ends.high < full.high:
                condition = self._compare(term, "BV_ULE", ends.high)
                yield _Atom(f"{label} <= {_format(high)}", condition, is_telling)

    def _compare(self, term: Term, kind: str, value: int) -> Term:
        return self.make(kind, term, self.value(value, term.sort().bv_size()))

    def _find_end(self, part: _Part, term: Term, top: int, direction: int) -> int:
        """Return the smallest (-1) or largest (1) value of a part for which results differ."""
        last = 0 if direction < 0 else (1 << part.bits) - 1
        best = min if direction < 0 else max
        kind = "BV_ULE" if direction < 0 else "BV_UGE"

        def known() -> int:
            return best(self._get_part(part, x) ^ top for x in self.examples)

        if known() == last:
            return last
        if self.differs_where(self._compare(term, kind, last)):
            return last
        beyond = last
        """A value that no example reaches."""
        while abs((nearest := known()) - beyond) > 1:
            middle = (nearest + beyond) // 2
            if not self.differs_where(self._compare(term, kind, middle)):
                beyond = middle
        return nearest

    def _get_part(self, part: _Part, operands: Operands) -> int:
        low = int(part.suffix[2:] or 0) * part.bits
        return operands[part.name] >> low & (1 << part.bits) - 1

    def _iter_relations(self, x: _Part, y: _Part) -> Iterator[_Atom]:
        """Yield the comparisons of two parts that hold in every example."""
        for relation in _RELATIONS:
            term = self.make(relation.kind, x.term, y.term)
            is_usual = all(self._holds(relation, x, y, example) for example in self.examples)
            if is_usual and not self.differs_where(self.make("NOT", term)):
                ending = ".signed" if relation.signed else ""
                text = f"{x.label}{ending} {relation.text} {y.label}{ending}"
                yield _Atom(text, term, relation.compare is not operator.ne)

    def _holds(self, relation: _Relation, x: _Part, y: _Part, operands: Operands) -> bool:
        values = (cast(self._get_part(z, operands), z.bits, relation.signed) for z in (x, y))
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


def _iter_parts(question: Question) -> Iterator[_Part]:
    """Yield the operands, then their half-words, then their bytes."""
    cut = question.solver.terms.cut
    inputs = [
        (name, type_.bits, question.get_bits(name)) for name, type_ in question.inputs.items()
    ]
    yield from (_Part(name, "", bits, term) for name, bits, term in inputs)
    for letter, unit in (("h", 16), ("b", 8)):
        for name, bits, term in inputs:
            if bits > unit:
                for index in range(bits // unit):
                    part = cut(term, unit * index, unit * (index + 1))
                    yield _Part(name, f".{letter}{index}", unit, part)


# --- counting ------------------------------------------------------------------------------


def _count(
    question: Question, pairs: Sequence[tuple[Node, Node]], differs: Term
) -> tuple[int, tuple[str, ...]]:
    """Return for how many values of which parts results differ; (0, ()) if these are too many."""
    if question.has_conditions:
        return 0, ()
    names = find_variables(question.solver.simplify(differs))
    parts = [(role, int(index)) for role, _, index in (x.rpartition(".") for x in names)]
    widths = {x: min(question.inputs[x[0]].bits, UNIT_BITS) for x in parts}
    if sum(widths.values()) > _MAX_COUNTED_BITS:
        return 0, ()
    truth = make_difference(question, pairs)
    nodes = list_needed_nodes(question.tape.nodes, [truth])
    number = count_truths(nodes, truth, widths)
    labels = (_format_variable(question, *part) for part in parts)
    return number, tuple(labels)


def find_variables(term: Term) -> list[str]:
    """Return the names of the variables of a term, sorted."""
    names: set[str] = set()
    seen, pending = set[int](), [term]
    while pending:
        x = pending.pop()
        if x.id() not in seen:
            seen.add(x.id())
            if x.is_const():
                names.add(x.symbol())
            pending += x.children()
    return sorted(names)


def _format_variable(question: Question, role: str, index: int) -> str:
    return role if question.inputs[role].bits <= UNIT_BITS else f"{role}.b{index}"
