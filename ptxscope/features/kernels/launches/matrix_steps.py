"""Products of matrices of integers, and loads of matrices, by a warp (PTX ISA 9.7.14.5).

The threads of a warp hold the elements of a matrix together. ``mma`` is modelled on ``s8``, ``u8``,
``s4`` and ``u4``, and ``ldmatrix`` on matrices of 8 by 8 elements of 16 bits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....engine.program.statement import Statement
from ....engine.program.statement_operands import Operand, VectorOperand
from .conflicts import Mask
from .fidelity import Causes
from .launch import WARP
from .memory import Bits
from .memory_regions import AccessError, Numbers
from .memory_steps import SHARED_SPACES, Address, MemoryForm
from .move_steps import by_warp, spread, unite_by_warp
from .thread_state import (
    CallFrame,
    Step,
    ThreadGroup,
    ThreadValues,
    UnmodelledError,
    get_operands,
    require,
    write_values,
)

_SHAPE = re.compile(r"m(8|16)n8k(\d{1,3})")
_INTEGERS = re.compile(r"([su])([48])")
_DEPTHS = {(8, 8): (16,), (16, 8): (16, 32), (8, 4): (32,), (16, 4): (32, 64)}
"""The columns of the first matrix, by its rows and the bits of an element."""
_LANES = np.arange(WARP)
_GROUP, _PLACE = _LANES >> 2, _LANES & 3
"""The group of four threads that each lane is in, and its place there."""
_COLUMNS = 8
_WORD_BITS = 32
_ABSENCE = "not all threads of the warp execute it"
Matrix = npt.NDArray[np.int64]
"""A matrix for each warp."""


class _Fragment(NamedTuple):
    """The elements of a matrix that each register holds, the lowest first."""

    rows: Numbers
    """By register, lane and element."""
    columns: Numbers
    bits: int
    """Bits of an element."""
    is_signed: bool

    def gather(self, registers: Sequence[Bits], shape: tuple[int, int]) -> Matrix:
        """Return the matrix of each warp."""
        places = np.arange(self.rows.shape[-1])
        matrix = np.zeros((len(registers[0]) // WARP, *shape), np.int64)
        for rows, columns, words in zip(self.rows, self.columns, registers, strict=True):
            numbers = by_warp(words.astype(np.int64))[:, :, np.newaxis] >> places * self.bits
            numbers &= (1 << self.bits) - 1
            if self.is_signed:
                numbers -= (numbers >> self.bits - 1) << self.bits
            matrix[:, rows, columns] = numbers
        return matrix


def _make_factors(
    row_count: int, depth: int, types: Sequence[tuple[str, int]]
) -> tuple[_Fragment, _Fragment]:
    """Return the fragments of both factors, whose elements have a sign and a number of bits."""
    fragments = []
    for is_first, (sign, bits) in zip((True, False), types, strict=True):
        count = _WORD_BITS // bits
        height = row_count if is_first else _COLUMNS
        registers = np.arange(height * depth // (WARP * count))[:, np.newaxis, np.newaxis]
        halves = height // 8
        inner = _PLACE[:, np.newaxis] * count + np.arange(count)
        inner = inner + 4 * count * (registers // halves)
        outer = _GROUP[:, np.newaxis] + 8 * (registers % halves) + np.zeros_like(inner)
        rows, columns = (outer, inner) if is_first else (inner, outer)
        fragments.append(_Fragment(rows, columns, bits, sign == "s"))
    return fragments[0], fragments[1]


def _make_sum_fragment(row_count: int) -> _Fragment:
    """Return the fragment of the sum: a register for each number."""
    registers = np.arange(row_count * _COLUMNS // WARP)[:, np.newaxis, np.newaxis]
    lanes = np.zeros((1, WARP, 1), np.int64)
    rows = _GROUP[:, np.newaxis] + 8 * (registers >> 1) + lanes
    columns = 2 * _PLACE[:, np.newaxis] + (registers & 1) + lanes
    return _Fragment(rows, columns, _WORD_BITS, is_signed=True)


def _get_registers(frame: CallFrame, operand: Operand | None, count: int) -> list[ThreadValues]:
    """Return the registers of a vector; one register may stand alone."""
    parts = operand.parts if isinstance(operand, VectorOperand) else (operand,)
    registers = [frame.get_destination(x) for x in parts]
    if len(registers) != count or any(x.bits.dtype != np.uint32 for x in registers):
        raise UnmodelledError
    return registers


def _find_absent(cause: np.uint64, mask: Mask) -> Causes | None:
    """Return a cause for the threads of each warp that lacks some; None if no warp does."""
    is_whole: Mask = np.all(by_warp(mask), axis=1)
    is_partial = ~spread(is_whole) & mask
    return np.where(is_partial, cause, np.uint64(0)) if is_partial.any() else None


def make_product(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``mma`` on matrices of integers."""
    match = require(next(filter(None, map(_SHAPE.fullmatch, statement.modifiers)), None))
    row_count, depth = map(int, match.groups())
    *flags, sum_type, first, second, last_type = statement.modifiers
    types = [require(_INTEGERS.fullmatch(x)) for x in (first, second)]
    known = {"sync", "aligned", "row", "col", "satfinite", match[0]}
    (bits,) = {int(x[2]) for x in types} if len({x[2] for x in types}) == 1 else (0,)
    if (sum_type, last_type) != ("s32", "s32") or not known.issuperset(flags):
        raise UnmodelledError
    if depth not in _DEPTHS.get((row_count, bits), ()):
        raise UnmodelledError
    fragments = (
        *_make_factors(row_count, depth, [(x[1], int(x[2])) for x in types]),
        _make_sum_fragment(row_count),
    )
    target, *operands = get_operands(statement, 4, is_exact=True)
    results = _get_registers(frame, target, len(fragments[2].rows))
    sources = [
        _get_registers(frame, x, len(y.rows)) for x, y in zip(operands, fragments, strict=True)
    ]
    shapes = (row_count, depth), (depth, _COLUMNS), (row_count, _COLUMNS)
    is_clamped = "satfinite" in flags
    absence = frame.state.fidelity.get_cause(statement, _ABSENCE)

    def act(group: ThreadGroup) -> None:
        a, b, c = (
            fragment.gather([x.bits for x in registers], shape)
            for fragment, registers, shape in zip(fragments, sources, shapes, strict=True)
        )
        total = a @ b + c
        if is_clamped:
            total = np.clip(total, -(1 << _WORD_BITS - 1), (1 << _WORD_BITS - 1) - 1)
        causes = _find_absent(absence, group.mask)
        for values in (x for registers in sources for x in registers):
            united = unite_by_warp(values, group.mask)
            if united is not None:
                causes = united if causes is None else causes | united
        rows, columns = fragments[2].rows[:, :, 0], fragments[2].columns[:, :, 0]
        words = total.astype(np.uint32)
        for result, i, j in zip(results, rows, columns, strict=True):
            write_values(result, words[:, i, j].reshape(-1), group, causes)

    return act


_COUNTS = {"x1": 1, "x2": 2, "x4": 4}
_ROW_WORDS = 4


def make_matrix_load(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``ldmatrix`` on elements of 16 bits (PTX ISA 9.7.14.5.15).

    Eight threads after each other have the addresses of the rows of a matrix.
    """
    known = {"sync", "aligned", "m8n8", "trans", "shared", "shared::cta", "b16", *_COUNTS}
    counts = [_COUNTS[x] for x in statement.modifiers if x in _COUNTS]
    if not known.issuperset(statement.modifiers) or len(counts) != 1:
        raise UnmodelledError
    count, is_transposed = counts[0], "trans" in statement.modifiers
    if not {"m8n8", "b16"} <= {*statement.modifiers}:
        raise UnmodelledError
    target, source = get_operands(statement, 2, is_exact=True)
    results = _get_registers(frame, target, count)
    space = "shared" if "shared" in " ".join(statement.modifiers) else ""
    address = Address(frame, source, MemoryForm(space, "b32", _ROW_WORDS))
    state = frame.state
    absence = state.fidelity.get_cause(statement, _ABSENCE)
    lane_ids = np.tile(_LANES, state.wave.lane_count // WARP)

    def load(group: ThreadGroup) -> None:
        reading = group.narrow(lane_ids < 8 * count)
        absent = _find_absent(absence, group.mask)
        words = np.zeros((len(lane_ids), _ROW_WORDS), np.uint32)
        causes = np.zeros((len(lane_ids), _ROW_WORDS), np.uint64)
        known_group = reading and address.find_known(reading)
        if reading and address.base is not None and address.base.causes is not None:
            causes[reading.lanes] = address.base.causes[reading.lanes, np.newaxis]
        if known_group:
            try:
                _read_rows(address, statement, known_group.lanes, words, causes)
            except AccessError as error:
                state.fail(statement, error.lanes, f"reads {error}")
        for matrix, result in enumerate(results):
            bits, cause_rows = _choose_words(words, causes, matrix, is_transposed=is_transposed)
            united = cause_rows if absent is None else cause_rows | absent
            write_values(result, bits, group, united if united.any() else None)

    return load


def _read_rows(
    address: Address, statement: Statement, lanes: Numbers, words: Bits, causes: Causes
) -> None:
    """Read a row for each of some threads, with the causes of its words."""
    state = address.state
    for target in address.iter_targets(lanes):
        rows = lanes[target.positions]
        for i, x in enumerate(target.space.load(target.access, target.instances)):
            words[rows, i] = x.bits
            if x.causes is not None:
                causes[rows, i] |= x.causes
        if target.space.name in SHARED_SPACES and state.accessors.finds_conflicts:
            conflict = target.space.note_reads(
                target.access, target.instances, state.accessors, statement.line
            )
            state.note_conflict(statement, conflict)


def _choose_words(
    words: Bits, causes: Causes, matrix: int, *, is_transposed: bool
) -> tuple[Bits, Causes]:
    """Return the word of a matrix for each lane, and its causes."""
    first = np.repeat(np.arange(0, len(words), WARP), WARP) + 8 * matrix
    group, place = (np.tile(x, len(words) // WARP) for x in (_GROUP, _PLACE))
    if not is_transposed:
        return words[first + group, place], causes[first + group, place]
    shift = (16 * (group & 1)).astype(np.uint32)
    low, high = (first + 2 * place + i for i in (0, 1))
    halves = [words[x, group >> 1] >> shift & np.uint32(0xFFFF) for x in (low, high)]
    united: Causes = causes[low, group >> 1] | causes[high, group >> 1]
    return halves[0] | halves[1] << np.uint32(16), united
