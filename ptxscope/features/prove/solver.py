"""The solver of bit vectors, bitwuzla: loading, a time limit, and questions that can be stopped."""

from __future__ import annotations

import signal
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from ...engine.cancellation import IsStopped, Stopped, never
from ...engine.isa.types import WORD_BITS
from ...engine.syntax.errors import format_install_hint

Term = Any
"""A formula of the solver: a bit vector, or a truth."""


@cache
def load_bitwuzla() -> ModuleType:
    """Return bitwuzla; raise ImportError with the install command if it is missing."""
    try:
        return import_module("bitwuzla")
    except ImportError:
        raise ImportError(
            f"proofs need bitwuzla, which is not installed: {format_install_hint('prove')}"
        ) from None


def get_solver_name() -> str:
    """Return the solver's name and version: ``bitwuzla 0.9.1``."""
    return f"bitwuzla {load_bitwuzla().version()}"


class Undecided(Exception):  # noqa: N818 - an answer, not an error
    """The time for a question has passed without an answer."""


class Solver:
    """A solver of conditions on bit vectors, with one time limit for all its questions."""

    def __init__(
        self,
        timeout: float,
        is_stopped: IsStopped = never,
        memory_megabytes: int = 0,
        terms: TermFactory | None = None,
    ) -> None:
        """Ask within a time in seconds, and within some memory for a question; 0 for any.

        ``terms`` are those of another solver, whose terms are then terms of this one.
        """
        bitwuzla = load_bitwuzla()
        self.terms = terms or TermFactory(bitwuzla)
        self._memory_megabytes = memory_megabytes
        self._conditions: list[Term] = []
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.PRODUCE_MODELS, True)
        options.set(bitwuzla.Option.MEMORY_LIMIT, memory_megabytes)
        self._solver = bitwuzla.Bitwuzla(self.terms.manager, options)
        # Python finds no cycle through the solver: it must not refer to its owner
        self_reference = weakref.ref(self)

        def is_over() -> bool:
            solver = self_reference()
            return solver is None or solver._is_over()

        self._solver.configure_terminator(is_over)
        self._results = bitwuzla.Result
        self._start = time.monotonic()
        self._deadline = self._start + timeout
        self._limit = self._deadline
        self._is_interrupted = False
        self._is_stopped = is_stopped

    def _is_over(self) -> bool:
        is_over = self._is_interrupted or time.monotonic() > self._limit
        return is_over or self._is_stopped()

    @contextmanager
    def _note_interrupts(self) -> Iterator[None]:
        """Raise KeyboardInterrupt after a question: the solver swallows it in its callback."""

        def note(*_: object) -> None:
            self._is_interrupted = True

        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler or (
            threading.current_thread() is not threading.main_thread()
        ):
            yield
            return
        signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if self._is_interrupted:
            raise KeyboardInterrupt

    @property
    def elapsed(self) -> float:
        """The seconds since the solver was made."""
        return time.monotonic() - self._start

    @property
    def remaining(self) -> float:
        """The seconds until the time is up."""
        return max(self._deadline - time.monotonic(), 0)

    def check_time(self) -> None:
        """Raise Undecided if the time is up, and Stopped if the answer is no longer wanted."""
        if self._is_stopped():
            raise Stopped
        if time.monotonic() > self._deadline:
            raise Undecided

    def add(self, condition: Term) -> None:
        """Add a condition that holds in every further question."""
        self._solver.assert_formula(condition)
        self._conditions.append(condition)

    def copy(self) -> Solver:
        """Return a solver of the same terms, with the conditions added so far.

        A question makes the later ones of its solver slower, but not those of a copy.
        """
        other = Solver(self.remaining, self._is_stopped, self._memory_megabytes, self.terms)
        for condition in self._conditions:
            other.add(condition)
        return other

    def is_possible(self, *conditions: Term, seconds: float | None = None) -> bool:
        """Whether values exist for which conditions hold, together with the added ones.

        Raise Undecided if neither is known when the time, or ``seconds`` for this question, is up,
        and Stopped if the answer is no longer wanted.
        """
        if self._is_stopped():
            raise Stopped
        now = time.monotonic()
        self._limit = self._deadline if seconds is None else min(self._deadline, now + seconds)
        if now > self._limit:
            raise Undecided
        with self._note_interrupts():
            if self.terms.products and self._is_impossible_for_any_products(conditions):
                return False
            answer = self._solver.check_sat(*conditions)
        if self._is_stopped():
            raise Stopped
        if answer == self._results.UNKNOWN:
            raise Undecided
        return bool(answer == self._results.SAT)

    def _is_impossible_for_any_products(self, conditions: Sequence[Term]) -> bool:
        """Whether conditions exclude each other whatever the products of words are."""
        manager, products = self.terms.manager, self.terms.products
        general = [manager.substitute_term(x, products) for x in conditions]
        return bool(self._solver.check_sat(*general) == self._results.UNSAT)

    def simplify(self, term: Term) -> Term:
        """Return an equal term that is simpler."""
        return self._solver.simplify_term(term)

    def get_value(self, term: Term) -> int:
        """Return the value of a bit vector in the values found by the last question."""
        return int(self._solver.get_value(term).value(2), 2)

    def is_true(self, truth: Term) -> bool:
        """Whether a truth holds in the values found by the last question."""
        return bool(self._solver.get_value(truth).value())


_FREE_MANAGERS: list[Any] = []
"""Managers of terms that no factory uses any more."""


def _make_manager(bitwuzla: ModuleType) -> Any:
    """Return a manager of terms that is never destroyed, because it must outlive its terms."""
    from ctypes import py_object, pythonapi

    manager = bitwuzla.TermManager()
    pythonapi.Py_IncRef(py_object(manager))
    return manager


def _get_value(x: Term) -> int:
    return int(x.value(2), 2)


_MAX_ADDENDS = 32
"""The terms of a sum up to which their order does not matter."""


class TermFactory:
    """Makes the terms of one solver."""

    def __init__(self, bitwuzla: ModuleType) -> None:
        self.manager = _FREE_MANAGERS.pop() if _FREE_MANAGERS else _make_manager(bitwuzla)
        self.kinds = bitwuzla.Kind
        self._roundings = bitwuzla.RoundingMode.__members__
        self.products: dict[Term, Term] = {}
        """Products of words, and for each a variable of its width."""
        self._addends: dict[Term, tuple[Term, ...]] = {}
        """The terms of each sum of few."""
        weakref.finalize(self, _FREE_MANAGERS.append, self.manager).atexit = False

    def make(self, kind: str, *terms: Term, indices: Sequence[int] = ()) -> Term:
        """Return a term by the name of its kind: ``BV_ADD``."""
        return self.manager.mk_term(getattr(self.kinds, kind), list(terms), list(indices))

    def make_value(self, value: int, bits: int) -> Term:
        """Return the low bits of an integer as a bit vector."""
        return self.manager.mk_bv_value(self.manager.mk_bv_sort(bits), value & (1 << bits) - 1)

    def make_variable(self, bits: int, name: str) -> Term:
        """Return a bit vector of unknown value."""
        return self.manager.mk_const(self.manager.mk_bv_sort(bits), name)

    def make_rounding(self, name: str) -> Term:
        """Return a rounding of floats: ``RNE``, ``RTZ``, ``RTN``, ``RTP``."""
        return self.manager.mk_rm_value(self._roundings[name])

    def make_float(self, value: int, exponent_bits: int, digits: int) -> Term:
        """Return an integer as a float of some format, rounded."""
        sort = self.manager.mk_fp_sort(exponent_bits, digits)
        return self.manager.mk_fp_value(sort, self.make_rounding("RNE"), str(value))

    def make_float_nan(self, exponent_bits: int, digits: int) -> Term:
        """Return the NaN of some format; the theory has only one."""
        return self.manager.mk_fp_nan(self.manager.mk_fp_sort(exponent_bits, digits))

    def is_set(self, x: Term) -> Term:
        """Return the truth of a bit vector of one bit."""
        return self.make("EQUAL", x, self.make_value(1, 1))

    def join(self, kind: str, terms: Sequence[Term]) -> Term:
        """Return the conjunction (``AND``) or disjunction (``OR``) of one or several truths."""
        return terms[0] if len(terms) == 1 else self.make(kind, *terms)

    def cut(self, x: Term, low: int, high: int) -> Term:
        """Return bits low..high-1; the bits of a constant are one."""
        if x.is_value():
            return self.make_value(_get_value(x) >> low, high - low)
        return self.make("BV_EXTRACT", x, indices=(high - 1, low))

    def resize(self, x: Term, bits: int, width: int, signed: bool) -> Term:
        """Return a bit vector of ``bits``, truncated or extended to a width."""
        if x.is_value():
            value = _get_value(x)
            return self.make_value(value - (signed and value >> bits - 1 << bits), width)
        x, bits, signed = self._find_core(x, bits, signed or width < bits)
        if width < bits:
            return self.cut(x, 0, width)
        if width == bits:
            return x
        extension = "BV_SIGN_EXTEND" if signed else "BV_ZERO_EXTEND"
        return self.make(extension, x, indices=(width - bits,))

    def _find_core(self, x: Term, bits: int, signed: bool) -> tuple[Term, int, bool]:
        """Return the operand of an extension, its width and whether it is signed; else x itself.

        A signed reading of a vector that is extended by zeros is the vector's.
        """
        kind = x.kind()
        if x.is_value() and bits > 2 * WORD_BITS:
            value = _get_value(x)
            is_negative = bool(value >> bits - 1)
            rest = value >> 2 * WORD_BITS - is_negative  # the sign, if the low bits are signed
            if rest in (0, (1 << bits - 2 * WORD_BITS + 1) - 1):
                return self.cut(x, 0, 2 * WORD_BITS), 2 * WORD_BITS, is_negative
        if kind == self.kinds.BV_ZERO_EXTEND or (kind == self.kinds.BV_SIGN_EXTEND and signed):
            return x.children()[0], bits - x.indices()[0], kind == self.kinds.BV_SIGN_EXTEND
        return x, bits, signed

    def add(self, x: Term, y: Term) -> Term:
        """Return the sum; sums of the same few terms in any order are one term.

        So a solver need not find that the products of two sums are equal.
        """
        addends = [z for part in (x, y) for z in self._addends.get(part, (part,))]
        if len(addends) > _MAX_ADDENDS:
            return self.make("BV_ADD", x, y)
        addends.sort(key=lambda z: (not z.is_value(), z.id()))
        total = addends[0]
        for z in addends[1:]:
            total = self.make("BV_ADD", total, z)
        self._addends[total] = tuple(addends)
        return total

    def multiply(self, x: Term, y: Term) -> Term:
        """Return the product, computed no wider than the operands of the factors' extensions need.

        So the same product in two widths is one term. Factors of two words are multiplied word by
        word, as machine code does it.
        """
        width = x.sort().bv_size()
        factors = [self._find_core(z, width, signed=True) for z in (x, y)]
        needed = min(sum(bits for _, bits, _ in factors), width)
        if any(bits == 2 * WORD_BITS for _, bits, _ in factors):
            product = self._multiply_words(factors, needed)
        elif needed == width:
            return self.make("BV_MUL", x, y)
        else:
            product = self.make(
                "BV_MUL", *(self.resize(*factor[:2], needed, factor[2]) for factor in factors)
            )
        return self.resize(product, needed, width, any(signed for _, _, signed in factors))

    def _multiply_words(self, factors: Sequence[tuple[Term, int, bool]], width: int) -> Term:
        """Return the product of two bit vectors, signed or not, from those of their words.

        ``width`` is at most the sum of theirs.
        """
        total = self.make_value(0, width)
        (x, x_bits, _), (y, y_bits, _) = factors
        for i in range(0, x_bits, WORD_BITS):
            for j in range(0, min(y_bits, width - i), WORD_BITS):
                word_x = self.cut(x, i, min(i + WORD_BITS, x_bits))
                word_y = self.cut(y, j, min(j + WORD_BITS, y_bits))
                total = self.make(
                    "BV_ADD", total, self._place_product(word_x, word_y, i + j, width)
                )
        for (x, x_bits, is_signed), (y, y_bits, _) in (factors, factors[::-1]):
            if is_signed and x_bits < width:  # a negative x is less by 2**x_bits than its bits say
                is_negative = self.is_set(self.cut(x, x_bits - 1, x_bits))
                rest = width - x_bits
                excess = self.resize(y, y_bits, rest, signed=False)
                excess = self.make("ITE", is_negative, excess, self.make_value(0, rest))
                high = self.make("BV_SUB", self.cut(total, x_bits, width), excess)
                total = self.make("BV_CONCAT", high, self.cut(total, 0, x_bits))
        return total

    def _place_product(self, x: Term, y: Term, place: int, width: int) -> Term:
        """Return the product of two unsigned words from a bit up, in a width."""
        factors = [(z, z.sort().bv_size()) for z in (x, y)]
        needed = min(sum(bits for _, bits in factors), width - place)
        words = (self.resize(z, bits, needed, signed=False) for z, bits in factors)
        product = self.make("BV_MUL", *words)
        if product not in self.products:
            self.products[product] = self.make_variable(needed, f"product.{len(self.products)}")
        return self._shift(self.resize(product, needed, width, signed=False), place)

    def _shift(self, x: Term, distance: int) -> Term:
        bits = x.sort().bv_size()
        if distance == 0:
            return x
        kept = self.cut(x, 0, bits - distance)
        return self.make("BV_CONCAT", kept, self.make_value(0, distance))
