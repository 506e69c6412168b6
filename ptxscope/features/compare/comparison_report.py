"""A comparison of kernels as a report and as JSON: the answer, its assumptions, both runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest

import numpy as np

from ...documents.formats.markup import Block, make_heading, make_paragraph, make_verbatim
from ...documents.formats.text import WIDTH, wrap_command, wrap_text
from ...engine.isa.encodings import format_float, format_hex
from ...engine.isa.types import Type
from ...engine.syntax.errors import format_count
from ..kernels.kernel_report import format_step, iter_origin_lines
from ..kernels.launches.float_operations import WIDE_TYPES
from ..kernels.launches.kernel_run import KernelRun
from ..kernels.launches.launch_text import Argument, Buffer, Structure, format_dtype
from ..kernels.launches.thread_log import ThreadLog
from ..prove.proof import Verdict
from ..prove.proof_report import format_seconds
from .comparison import KernelComparison
from .file_kernel import LETTERS
from .launch_registers import list_places
from .parameters import WORD_BYTES, iter_field_names, show_names
from .replay import Replay, make_launch
from .run_pair import RunPair, run_comparison

_ADVICE = "--timeout and --memory give it more; --where asks about fewer operands."
_MAX_DIFFERENCES = 6
_MAX_WORDS = 8
_FLOATS = {4: Type.F32, 8: Type.F64}
"""The type of a float by its bytes."""
_USUAL_BYTES = 4
"""The bytes of an element whose type is not named."""
_MAX_STEPS = 3
"""The steps that differ before the store."""
_MAX_LIST = 1024
"""The elements of a buffer in a command; a launch with more has none."""


def iter_comparison_blocks(
    comparison: KernelComparison,
    *,
    is_brief: bool = False,
    width: int = WIDTH,
    columns: int = WIDTH,
    advice: str = _ADVICE,
) -> Iterator[Block]:
    """Yield the answer, its assumptions and, unless brief, both runs and their commands.

    The runs stand side by side if ``columns`` are enough. ``advice`` is the advice for an
    undecided question.
    """
    for letter, kernel in zip(LETTERS, comparison.kernels, strict=True):
        model = f"  ({kernel.model.name})" if _has_models(comparison) else ""
        yield make_paragraph(f"{letter}  {kernel.label}{model}", "", "   ", is_close=True)
    show = partial(show_names, kernels=[x.kernel for x in comparison.kernels])
    yield make_paragraph(show(format_answer(comparison, advice)))
    yield from (make_paragraph(show(x)) for x in comparison.notes)
    if comparison.verdict is Verdict.DIFFERENT:
        yield make_verbatim(map(show, _iter_difference_lines(comparison)))
    if comparison.verdict is not Verdict.UNDECIDED:
        yield make_paragraph(f"Assumed: {'; '.join(list_assumptions(comparison))}.")
    if comparison.verdict is Verdict.DIFFERENT and not is_brief:
        yield from _iter_run_blocks(comparison, width, columns, show)


def _has_models(comparison: KernelComparison) -> bool:
    models = [x.model for x in comparison.kernels]
    return models[0] != models[1] or bool(models[0].errata)


def list_assumptions(comparison: KernelComparison) -> list[str]:
    """Return the assumptions of an answer on memory, threads and floats, as clauses."""
    if comparison.may_alias:
        assumptions = ["all pointers point to one memory", "accesses are aligned"]
    else:
        has_variables = not all(comparison.variables.values())
        owners = f"the buffers of pointers{' and variables' * has_variables}"
        assumptions = [
            f"{owners} do not overlap (--may-alias compares without this)",
            "each begins at its pointer, is aligned and has less than 2^31 bytes",
            "accesses are aligned and within buffers",
        ]
    assumptions.append("no thread reads what another writes")
    assumptions += [
        f"the constants of {name} have their initial values"
        if is_known
        else f"{name} of A is {name} of B"
        for name, is_known in comparison.variables.items()
    ]
    if comparison.has_dynamic_memory:
        assumptions.append("dynamic shared memory has the bytes that a thread accesses")
    return assumptions + list_float_assumptions(comparison)


def list_float_assumptions(comparison: KernelComparison) -> list[str]:
    """Return the assumptions of an answer on floats, as clauses."""
    assumptions = []
    if comparison.has_floats and not comparison.has_computed_floats:
        assumptions.append("float operations give equal results for equal operands")
    assumptions += [f"{x} gives equal results for equal operands" for x in comparison.float_names]
    if comparison.has_fusible_sums:
        assumptions.append("no sum without .rn is fused with a product")
    return assumptions


def format_answer(comparison: KernelComparison, advice: str = _ADVICE) -> str:
    """Return the sentence that answers."""
    seconds = format_seconds(comparison.seconds)
    if comparison.verdict is Verdict.EQUAL:
        space = "all parameters, threads and contents of memory"
        if comparison.where:
            space += f" with {comparison.where}"
        proved = f"Proved in {seconds} ({comparison.solver})."
        reason = "Both compute the same operations." if comparison.has_same_terms else proved
        return f"Equal for {space}. {reason}"
    if comparison.verdict is Verdict.UNDECIDED:
        return format_undecided(comparison, advice)
    answer = f"Different, for example for {_format_example(comparison)}. Found in {seconds}."
    run = comparison.replay
    assert run
    if run.is_confirmed:
        return f"{answer} A run of both gives:"
    return f"{answer} No run shows it: {run.obstacle}."


def format_undecided(comparison: KernelComparison, advice: str = _ADVICE) -> str:
    """Return the sentence of an undecided answer."""
    if comparison.reason:
        return f"Undecided: {comparison.reason}"
    return (
        f"Undecided: {comparison.solver} found neither a proof nor a counterexample in "
        f"{format_seconds(comparison.seconds)}. {advice}"
    )


def list_parameters(comparison: KernelComparison) -> dict[str, int]:
    """Return the parameters of the counterexample that are numbers."""
    example = comparison.counterexample
    assert example
    buffers = {name for name, _ in example.memory}
    names = (
        name
        for i, x in enumerate(comparison.kernels[0].kernel.parameters)
        for _, name in iter_field_names(i, x)
    )
    return {x: example.operands[x] for x in names if x in example.operands.keys() - buffers}


def _format_example(comparison: KernelComparison) -> str:
    example = comparison.counterexample
    assert example
    parameters = list_parameters(comparison).items()
    floats = _map_float_parameters(comparison)
    names = [
        f"{name} = {_format_number(value)}"
        + (f" ({format_float(value, type_)})" if value and (type_ := floats.get(name)) else "")
        for name, value in parameters
    ]
    places = list_places(example.operands)
    thread, block = (",".join(map(str, x)) for x in places)
    where = f"thread ({thread}) of block ({block})"
    return f"{', '.join(names)} in {where}" if names else where


def _map_float_parameters(comparison: KernelComparison) -> dict[str, Type | None]:
    """Return the types of the parameters that are floats; None if they are not in both kernels."""
    pairs = zip(*(x.kernel.parameters for x in comparison.kernels), strict=True)
    return {
        f"param{i}": Type(x.type) if x.type == y.type else None
        for i, (x, y) in enumerate(pairs)
        if WIDE_TYPES & {x.type, y.type}
    }


def _format_number(value: int) -> str:
    """Return a small number in decimal, a large one by its bits."""
    return str(value) if value < 1 << 16 else f"{value:#x}"


def _iter_difference_lines(comparison: KernelComparison) -> Iterator[str]:
    """Yield the launch, the words other than 0 that the thread reads, and the words that differ."""
    run, example = comparison.replay, comparison.counterexample
    assert run
    assert example
    grid, block = (",".join(map(str, x)) for x in (run.shape.grid, run.shape.block))
    yield f"  launch  grid {grid}, block {block}"
    words = [*_iter_words(comparison)]
    for label, value in words[:_MAX_WORDS]:
        yield f"  before  {label} = {value}"
    if len(words) > _MAX_WORDS:
        yield f"          and {format_count(len(words) - _MAX_WORDS, 'word')} more"
    for letter, result in zip(LETTERS, run.runs, strict=False):
        if isinstance(result, Exception):
            yield from wrap_text(f"fails: {result}", f"  {letter:<6}  ", " " * 10)
    for x in run.differences[:_MAX_DIFFERENCES]:
        for letter, source, word, line in zip(
            LETTERS, comparison.kernels, x.values, x.lines, strict=True
        ):
            written = source.format_line(line) if line else "not written"
            value = _format_word(word, x.bytes, is_float=x.buffer in run.floats)
            yield f"  {letter:<6}  {x.label} = {value}  ({written})"
    if len(run.differences) > _MAX_DIFFERENCES:
        count = len(run.differences) - _MAX_DIFFERENCES
        yield f"          and {format_count(count, 'word')} more"


def _iter_words(comparison: KernelComparison) -> Iterator[tuple[str, str]]:
    """Yield the words of the buffers that are not 0 at the start."""
    run, example = comparison.replay, comparison.counterexample
    assert run
    assert example
    buffers = dict(_iter_buffers(run.arguments))
    for (root, offset), value in sorted(example.memory.items()):
        if value and root not in buffers:
            yield f"{root}, byte {offset}", format_hex(value, 8)
    for name, array in buffers.items():
        for i in np.flatnonzero(array).tolist():
            size, is_float = array.itemsize, name in run.floats
            note = "" if is_float or size == _USUAL_BYTES else f"  (u{8 * size})"
            yield f"{name}[{i}]", _format_word(int(array[i]), size, is_float=is_float) + note


def _format_word(bits: int, size: int, *, is_float: bool) -> str:
    """Return ``0x3f800000``, of a float ``0x3f800000  1.0``."""
    text, type_ = format_hex(bits, 8 * size), _FLOATS.get(size) if is_float else None
    return f"{text}  {format_float(bits, type_)}" if type_ else text


def _format_float_exactly(bits: int, type_: Type | None) -> str:
    """Return a float as ``run`` takes it; the bits of a NaN, or if the type is not known."""
    text = format_float(bits, type_) if type_ else "NaN"
    return f"{bits:#x}" if "NaN" in text else text


def _iter_buffers(arguments: Mapping[str, Argument]) -> Iterator[tuple[str, Buffer]]:
    """Yield the buffers of a launch by their names."""
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            yield name, value
        elif isinstance(value, Structure):
            yield from ((f"{name}.{x.number}", x.array) for x in value.pointers)


# --- the commands that run it again ---------------------------------------------------------


def _iter_run_blocks(
    comparison: KernelComparison, width: int, columns: int, show: Callable[[str], str]
) -> Iterator[Block]:
    """Yield how each side computes the first word, side by side if that fits, and commands.

    ``show`` gives parameters their names.
    """
    run = comparison.replay
    assert run
    if not run.arguments:
        return
    if comparison.has_runs:
        pair = run_comparison(comparison)
        yield make_heading(f"Steps of {pair.thread_text} that differ")
        yield make_verbatim(map(show, _iter_step_lines(pair)), is_close=True)
    origins = [[*map(show, _iter_origin_lines(comparison, i))] for i in range(len(LETTERS))]
    rows = [*_join_columns(*origins)]
    is_beside = 0 < max(map(len, rows), default=0) <= columns
    if is_beside:
        yield make_heading("A and B")
        yield make_verbatim(rows, is_close=True)
    commands = list_commands(comparison) or [[] for _ in LETTERS]
    for letter, words, lines in zip(LETTERS, commands, origins, strict=True):
        if not is_beside:
            yield make_heading(letter)
        if lines and not is_beside:
            yield make_verbatim(lines, is_close=True)
        if words:
            yield make_verbatim(wrap_command(words, width), "sh", is_close=True)


def list_commands(comparison: KernelComparison) -> list[list[str]]:
    """Return the words of the command that runs each kernel on the counterexample.

    There are none for a launch that no command has.
    """
    run = comparison.replay
    assert run
    buffers = dict(_iter_buffers(run.arguments))
    is_whole = all(root in buffers or not x for (root, _), x in run.example.memory.items())
    is_short = all(len(x) <= _MAX_LIST or not x.any() for x in buffers.values())
    if not (run.arguments and is_whole and is_short):
        return []
    kernels = [x.kernel for x in comparison.kernels]
    floats = _map_float_parameters(comparison)
    arguments = []
    for name, x in run.arguments.items():
        if name in floats and isinstance(x, int):
            text = _format_float_exactly(x, floats[name])
        else:
            text = _format_argument(name, x, run)
        arguments.append(f"{show_names(name, kernels)}={text}")
    shapes = [
        word
        for option, shape in (("--grid", run.shape.grid), ("--block", run.shape.block))
        if shape != (1, 1, 1)
        for word in (option, ",".join(map(str, shape)))
    ]
    if run.shape.dynamic_shared_bytes:
        shapes += ["--shared", str(run.shape.dynamic_shared_bytes)]
    return [
        [
            *("ptxscope", "run", x.file, "--kernel", x.kernel.name, *shapes),
            *(("--model", x.model.name) if x.model.errata else ()),
            *arguments,
        ]
        for x in comparison.kernels
    ]


def _iter_step_lines(pair: RunPair) -> Iterator[str]:
    """Yield what both kernels write up to the store that first leaves other bytes, as pairs."""
    steps, last = pair.steps, pair.first_difference
    positions = [x for x in steps.differences if x < last][:_MAX_STEPS]
    skipped_count = sum(x < last for x in steps.differences) - len(positions)
    for position in [*positions, *range(last, min(last + 1, len(steps.pairs)))]:
        if position == last and skipped_count:
            yield f"          and {format_count(skipped_count, 'step')} more"
        for side, (run, index) in enumerate(zip(pair.runs, steps.pairs[position], strict=True)):
            text = "has failed" if pair.has_failed(side, position) else "has no such step"
            if index is not None:
                text = format_step(run, run.steps[index])
            yield f"  {LETTERS[side]}  {text}"


def _join_columns(first: Sequence[str], second: Sequence[str]) -> Iterator[str]:
    """Yield the lines of two columns side by side."""
    width = max(map(len, first), default=0)
    for x, y in zip_longest(first, second, fillvalue=""):
        yield f"{x:<{width}}  │  {y}".rstrip()


def _iter_origin_lines(comparison: KernelComparison, index: int) -> Iterator[str]:
    """Yield the computation of the first word that differs, by kernel 0 or 1."""
    run, kernel = comparison.replay, comparison.kernels[index]
    assert run
    if not run.differences:
        return
    difference = run.differences[0]
    element = difference.offset // difference.bytes
    result = run.runs[index]
    assert isinstance(result, KernelRun)
    name = difference.buffer
    thread = result.get_buffer(name).find_thread(element)
    if thread < 0:
        yield f"{name}[{element}] is not written"
        return
    log = ThreadLog(thread)
    make_launch(kernel, run).run(log=log)
    yield from iter_origin_lines(log, run.shape, name, element)


def _format_argument(name: str, value: Argument, run: Replay) -> str:
    """Return an argument as ``run`` takes it."""
    if isinstance(value, Structure):
        fields = list[str]()
        arrays = {x.offset: x.array for x in value.pointers}
        for start in range(0, len(value.data), WORD_BYTES):
            word = value.data[start : start + WORD_BYTES]
            if start in arrays:
                fields.append(_format_argument(f"{name}.{start}", arrays[start], run))
            elif len(word) == WORD_BYTES:
                number = int.from_bytes(word.tobytes(), "little")
                fields.append(f"{_format_number(number)}:u64")
            else:
                fields += [f"{x}:u8" for x in word.tolist()]
        return f"{{{','.join(fields)}}}"
    if not isinstance(value, np.ndarray):
        return str(value)
    float_type = _FLOATS.get(value.itemsize) if name in run.floats else None
    if name in run.signed and not float_type:
        value = value.view(f"i{value.itemsize}")
    type_ = float_type or format_dtype(value.dtype)
    if not value.any():
        return f"zeros:{type_}:{len(value)}"
    numbers = (_format_float_exactly(int(x), float_type) if float_type else x for x in value)
    return f"[{','.join(map(str, numbers))}]:{type_}"
