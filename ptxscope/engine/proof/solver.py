"""The solver of bit vectors, bitwuzla: loading, a time limit, and questions that can be stopped."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from ..extras import format_install_hint

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


class Stopped(Exception):  # noqa: N818 - a request, not an error
    """The answer is no longer wanted."""


IsStopped = Callable[[], bool]
"""Whether the answer is no longer wanted: what another thread says to a solver at work."""


def never() -> bool:
    """Return False: the answer stays wanted."""
    return False


class Solver:
    """A solver of conditions on bit vectors, with one time limit for all its questions."""

    def __init__(self, timeout: float, is_stopped: IsStopped = never) -> None:
        bitwuzla = load_bitwuzla()
        self.terms = TermFactory(bitwuzla)
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.PRODUCE_MODELS, True)
        self._solver = bitwuzla.Bitwuzla(self.terms.manager, options)
        self._solver.configure_terminator(self._is_over)
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

    def add(self, condition: Term) -> None:
        """Add a condition that holds in every further question."""
        self._solver.assert_formula(condition)

    def is_possible(self, *conditions: Term, seconds: float | None = None) -> bool:
        """Whether values exist for which conditions hold, with those added before.

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
            answer = self._solver.check_sat(*conditions)
        if self._is_stopped():
            raise Stopped
        if answer == self._results.UNKNOWN:
            raise Undecided
        return bool(answer == self._results.SAT)

    def simplify(self, term: Term) -> Term:
        """Return an equal term that is simpler."""
        return self._solver.simplify_term(term)

    def get_value(self, term: Term) -> int:
        """Return the value of a bit vector in the values found by the last question."""
        return int(self._solver.get_value(term).value(2), 2)


class TermFactory:
    """Makes the terms of one solver."""

    def __init__(self, bitwuzla: ModuleType) -> None:
        self.manager = bitwuzla.TermManager()
        self.kinds = bitwuzla.Kind

    def make(self, kind: str, *terms: Term, indices: Sequence[int] = ()) -> Term:
        """Return a term by the name of its kind: ``BV_ADD``."""
        return self.manager.mk_term(getattr(self.kinds, kind), list(terms), list(indices))

    def make_value(self, value: int, bits: int) -> Term:
        """Return the low bits of an integer as a bit vector."""
        return self.manager.mk_bv_value(self.manager.mk_bv_sort(bits), value & (1 << bits) - 1)

    def make_variable(self, bits: int, name: str) -> Term:
        """Return a bit vector of unknown value."""
        return self.manager.mk_const(self.manager.mk_bv_sort(bits), name)

    def is_set(self, x: Term) -> Term:
        """Return the truth of a bit vector of one bit."""
        return self.make("EQUAL", x, self.make_value(1, 1))

    def join(self, kind: str, terms: Sequence[Term]) -> Term:
        """Return the conjunction (``AND``) or disjunction (``OR``) of one or several truths."""
        return terms[0] if len(terms) == 1 else self.make(kind, *terms)

    def cut(self, x: Term, low: int, high: int) -> Term:
        """Return bits low..high-1."""
        return self.make("BV_EXTRACT", x, indices=(high - 1, low))

    def resize(self, x: Term, bits: int, width: int, signed: bool) -> Term:
        """Return a bit vector of ``bits``, truncated or extended to a width."""
        x, bits, signed = self._find_core(x, bits, signed or width < bits)
        if width < bits:
            return self.cut(x, 0, width)
        if width == bits:
            return x
        extension = "BV_SIGN_EXTEND" if signed else "BV_ZERO_EXTEND"
        return self.make(extension, x, indices=(width - bits,))

    def _find_core(self, x: Term, bits: int, signed: bool) -> tuple[Term, int, bool]:
        """Return what an extension extends, its width and whether it is signed; else x itself.

        A signed reading of a vector that is extended by zeros is that of the vector.
        """
        kind = x.kind()
        if kind == self.kinds.BV_ZERO_EXTEND or (kind == self.kinds.BV_SIGN_EXTEND and signed):
            return x.children()[0], bits - x.indices()[0], kind == self.kinds.BV_SIGN_EXTEND
        return x, bits, signed

    def multiply(self, x: Term, y: Term) -> Term:
        """Return the product, computed no wider than what the factors extend needs.

        So the same product in two widths is one term.
        """
        width = x.sort().bv_size()
        factors = [self._find_core(z, width, signed=True) for z in (x, y)]
        needed = sum(bits for _, bits, _ in factors)
        if needed >= width:
            return self.make("BV_MUL", x, y)
        product = self.make(
            "BV_MUL", *(self.resize(*factor[:2], needed, factor[2]) for factor in factors)
        )
        return self.resize(product, needed, width, any(signed for _, _, signed in factors))
