"""Memory in proofs: an array of the solver for each root, its loads and its stores.

A root is the target of a pointer: the buffer of a parameter, or a variable of a thread. Roots do
not overlap, unless all buffers are one array.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from ...engine.ir.tape import Node
from ...engine.isa.types import Type
from ...engine.program.statement import Statement
from ...engine.program.statement_operands import TYPE_BITS
from ..prove.proof_question import ProofQuestion
from ..prove.solver import Term
from .equal_places import ADDRESS_BITS, EqualPlaces
from .float_terms import FloatFunctions

LIMIT = 1 << 31
"""Bytes that exceed those of any buffer."""
DYNAMIC_LIMIT = 227 << 10
"""The bytes of the largest dynamic shared memory."""
COMMON = "global memory"
"""The name of the array of all buffers, if they may overlap, which no variable has."""
_MAX_FORWARDED = 64
"""Stores among which the one that wrote a loaded element is looked for."""
_SOURCE_TYPES = {1: Type.U8, 2: Type.B16, 4: Type.B32, 8: Type.B64}


class Root(NamedTuple):
    """A buffer or a variable, from whose start addresses are counted."""

    name: str
    """``param0``, the position of the parameter that points to a buffer."""
    space: str = "global"
    is_generic: bool = True
    """Whether an address of it is a generic one; in global memory, each address is."""
    bytes: int = LIMIT
    """The size of a variable; the limit of that of a buffer."""
    is_own: bool = False
    """Whether only one of the kernels has it."""
    is_open: bool = True
    """Whether a launch gives it as many bytes as it needs, up to the limit."""


class RootAddress(NamedTuple):
    """The address of an access."""

    root: Root
    distance: Node
    """The bytes from the start of the root; the address itself if all buffers are one array."""


class RootAccess(NamedTuple):
    """A load or a store."""

    statement: Statement
    root: Root
    distance: Term
    bytes: int
    condition: Term | None
    """Whether the thread does it; None if it always does."""
    is_store: bool
    legal: tuple[Term, ...] = ()
    """Facts that hold if it is aligned and, in a variable, within it."""
    inside: tuple[Term, ...] = ()
    """Facts that hold if it is within a buffer below the limit."""


class RootStore(NamedTuple):
    """A word that is stored."""

    array: str
    index: Term
    word: Term
    condition: Term | None


class NeedBytes(Exception):  # noqa: N818 - a request, not an error
    """The words in which a root is accessed have several widths: its array must be of bytes."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name
        """The name of the array."""


class InitialMemory:
    """The contents of memory at the start: an array for each root, and the loaded words."""

    def __init__(self, question: ProofQuestion, byte_roots: Set[str], *, may_alias: bool) -> None:
        self.question, self.terms = question, question.solver.terms
        self.may_alias, self.places = may_alias, EqualPlaces(question)
        self._units = dict.fromkeys(byte_roots, 1)
        self.contents: dict[str, bytes] = {}
        """The bytes of variables that are known."""
        self.arrays: dict[str, Term] = {}
        self.memories: list[KernelMemory] = []
        """The memories that began as this one."""
        self._loads: dict[tuple[Term, int], Node] = {}
        self.floats = FloatFunctions(question)

    def get_name(self, root: Root) -> str:
        """Return the name of the array that has a root."""
        return COMMON if self.may_alias and root.space == "global" else root.name

    def get_unit(self, root: str) -> int:
        """Return the bytes of an element of an array."""
        return self._units[root]

    def get_array(self, root: Root, width: int) -> Term:
        """Return the array of a root; raise NeedBytes if its elements are of another width."""
        name = self.get_name(root)
        unit = self._units.setdefault(name, width)
        if unit not in (1, width):
            raise NeedBytes(name)
        if name not in self.arrays:
            self.arrays[name] = self._make_array(name, ADDRESS_BITS - _count_bits(unit), unit)
        return self.arrays[name]

    def _make_array(self, name: str, index_bits: int, unit: int) -> Term:
        """Return an array of words, unknown or with the contents of a variable."""
        manager, terms = self.terms.manager, self.terms
        sorts = (manager.mk_bv_sort(x) for x in (index_bits, 8 * unit))
        sort, data = manager.mk_array_sort(*sorts), self.contents.get(name)
        if data is None:
            return manager.mk_const(sort, f"memory.{name}")
        array = manager.mk_const_array(sort, terms.make_value(0, 8 * unit))
        for start in range(0, len(data), unit):
            word = int.from_bytes(data[start : start + unit], "little")
            if word:
                place = terms.make_value(start // unit, index_bits)
                array = terms.make("ARRAY_STORE", array, place, terms.make_value(word, 8 * unit))
        return array

    def make_index(self, name: str, distance: Term) -> Term:
        """Return the index of an aligned distance in an array."""
        return self.terms.cut(distance, _count_bits(self._units[name]), ADDRESS_BITS)

    def step(self, index: Term, count: int) -> Term:
        """Return the index of a later element."""
        if not count:
            return index
        width = index.sort().bv_size()
        if index.is_value():
            return self.terms.make_value(int(index.value(2), 2) + count, width)
        return self.terms.make("BV_ADD", index, self.terms.make_value(count, width))

    def read(self, array: Term, index: Term, count: int) -> Term:
        """Return some elements of an array as one number, the first in the lowest bits."""
        return self._join([self._select(array, self.step(index, i)) for i in range(count)])

    def _join(self, parts: Sequence[Term]) -> Term:
        return parts[0] if len(parts) == 1 else self.terms.make("BV_CONCAT", *reversed(parts))

    def _select(self, array: Term, index: Term) -> Term:
        """Return an element of an array; if it was stored at this index, the stored term.

        So what is computed from it is the same as without memory.
        """
        kinds, inner, parts = self.terms.kinds, array, self._split_index(index)
        for _ in range(_MAX_FORWARDED):
            if inner.kind() != kinds.ARRAY_STORE:
                break
            older, place, value = inner.children()
            if place == index:
                return value
            base, distance = self._split_index(place)
            is_same_base = base is parts[0] or (base and parts[0] and base == parts[0])
            if not is_same_base or distance == parts[1]:
                break
            inner = older
        if inner.kind() == kinds.CONST_ARRAY:
            return inner.children()[0]
        return self.terms.make("ARRAY_SELECT", array, index)

    def _split_index(self, index: Term) -> tuple[Term | None, int]:
        """Return the unknown part of an index, None for a number, and the number added to it."""
        if index.is_value():
            return None, int(index.value(2), 2)
        if index.kind() == self.terms.kinds.BV_ADD:
            x, y = index.children()
            for one, other in ((x, y), (y, x)):
                if one.is_value():
                    return other, int(one.value(2), 2)
        return index, 0

    def load(self, array: Term, indices: Sequence[Term], width: int) -> Node:
        """Return the word of some elements; the same word of an array is one node."""
        term = self._join([self._select(array, x) for x in indices])
        if term.is_value():
            return self.question.make_constant(int(term.value(2), 2))
        key = (term, width)
        if key not in self._loads:
            name = f"load.{len(self._loads)}"
            self.question.vectors.variables[name] = term
            self._loads[key] = self.question.tape.add_source(name, _SOURCE_TYPES[width])
        return self._loads[key]

    def note_word(self, word: Term, width: int, value: Node) -> None:
        """Note what a stored word of some bytes is, so that a load of it is the same node."""
        self._loads.setdefault((word, width), value)


class KernelMemory:
    """The memory of one kernel during its execution, and the facts on which its accesses rely."""

    def __init__(self, initial: InitialMemory) -> None:
        self.initial = initial
        initial.memories.append(self)
        self._question, self._terms = initial.question, initial.terms
        self.arrays: dict[str, Term] = {}
        """The arrays that stores have changed."""
        self.accesses: list[RootAccess] = []
        self.stores: list[RootStore] = []
        self.is_legal: list[Term] = []
        """Facts that hold if all accesses are aligned, and all of variables are within them."""
        self.is_inside: list[Term] = []
        """Facts that hold if all accesses are within buffers below their limits."""

    def load(
        self,
        statement: Statement,
        address: RootAddress,
        width: int,
        count: int,
        active: Node | None,
    ) -> list[Node]:
        """Return the words that a statement loads; ``active`` is whether the thread does it."""
        array, _, indices = self._find(statement, address, width, count, active, is_store=False)
        step = len(indices) // count
        starts = range(0, len(indices), step)
        return [self.initial.load(array, indices[x : x + step], width) for x in starts]

    def store(
        self,
        statement: Statement,
        address: RootAddress,
        width: int,
        values: Sequence[Node],
        active: Node | None,
    ) -> None:
        """Store words, if the thread does it."""
        terms = self._terms
        old, name, indices = self._find(
            statement, address, width, len(values), active, is_store=True
        )
        array, unit = old, self.initial.get_unit(name)
        condition, count = self.accesses[-1].condition, width // unit
        for i, value in enumerate(values):
            self._question.encode(value)
            word = self._question.vectors.resize(value, 0, 8 * width)
            self.initial.note_word(word, width, value)
            for j in range(count):
                part = terms.cut(word, 8 * unit * j, 8 * unit * (j + 1)) if count > 1 else word
                place = indices[i * count + j]
                array = terms.make("ARRAY_STORE", array, place, part)
                self.stores.append(RootStore(name, place, part, condition))
        if condition is not None:
            array = terms.make("ITE", condition, array, old)
        self.arrays[name] = array

    def _find(
        self,
        statement: Statement,
        address: RootAddress,
        width: int,
        count: int,
        active: Node | None,
        *,
        is_store: bool,
    ) -> tuple[Term, str, list[Term]]:
        """Return the array of an access, its name and the indices of its elements.

        Note what the access relies on.
        """
        terms, root, size = self._terms, address.root, width * count
        initial_array = self.initial.get_array(root, width)
        name = self.initial.get_name(root)
        self._question.encode(address.distance)
        distance = self._question.vectors.resize(address.distance, 0, ADDRESS_BITS)
        condition = None if active is None else self._question.make_truth(active)
        legal, inside = list[Term](), list[Term]()
        if size > 1:
            low = terms.cut(distance, 0, _count_bits(size))
            fact = terms.make("EQUAL", low, terms.make_value(0, _count_bits(size)))
            legal.append(self._imply(condition, fact))
        if name != COMMON:
            end = terms.make_value(max(root.bytes - size, 0), ADDRESS_BITS)
            fact = terms.make("BV_ULE", distance, end)
            if size > root.bytes:
                fact = terms.manager.mk_false()
            fact = self._imply(condition, fact)
            (inside if root.is_open else legal).append(fact)
        self.is_legal += legal
        self.is_inside += inside
        known = (tuple(legal), tuple(inside))
        self.accesses.append(
            RootAccess(statement, root, distance, size, condition, is_store, *known)
        )
        array, index = self.arrays.get(name, initial_array), self.initial.make_index(name, distance)
        unit = self.initial.get_unit(name)
        steps = [self.initial.step(index, i) for i in range(size // unit)]
        # not the other's: whether this kernel alone has only legal accesses is asked, too
        facts = [*self.is_legal, *(y for x in self.initial.memories for y in x.is_inside)]
        facts += [] if condition is None else [condition]
        return array, name, self.initial.places.unify(name, address.distance, steps, facts, unit)

    def _imply(self, condition: Term | None, fact: Term) -> Term:
        return fact if condition is None else self._terms.make("IMPLIES", condition, fact)


def _count_bits(size: int) -> int:
    """Return the number of bits of the distances within a power of two."""
    return size.bit_length() - 1


def get_held_bits(type_: str) -> int:
    """Return the bits of a register of a type: 1, 16, 32 or 64; 0 for one of another kind."""
    bits = TYPE_BITS.get(type_, 0)
    return 0 if bits > ADDRESS_BITS else bits if bits == 1 else max(bits, 16) if bits else 0
