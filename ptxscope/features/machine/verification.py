"""Many lines, compiled and proved in worker processes; verdicts are kept between runs.

And the reports on lines whose machine code departs from the documentation, in smallest forms.
"""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import NamedTuple

from ...blocks.block_parser import parse_block
from ...cli.support.streams import print_message
from ...cli.support.worker_pool import CONTEXT, PATIENCE, open_pool
from ...engine.isa.types import Form
from ...engine.semantics.models import get_erratum
from ...engine.syntax.errors import PtxError, quote_word
from ...engine.syntax.instruction import Instruction, make_instruction
from ...engine.tracing.basic_block import BasicBlock
from ...files import is_there
from .fault_code import find_fault_code
from .form_verdict import (
    FormVerdict,
    VerdictOutcome,
    decide_line,
    find_machine_deviation,
    find_smallest_form,
    make_code_digest,
)
from .kernel_source import KernelSource, make_kernel_source
from .machine_instruction import MachineKernel
from .machine_report import describe_condition
from .smallest_block import find_smallest_block
from .toolchain import Tool, ToolError, compile_kernels
from .tools import format_line

DEFAULT_LEVEL = 3
"""The default optimization level of ptxas."""
Program = Instruction | BasicBlock | str
"""A line, a block or the text of one, which is parsed where it is compiled."""
CHUNK_LINES = 60
"""The lines of one module."""


class Task(NamedTuple):
    """The subject of a verification, and its tools."""

    ptxas: Tool
    nvdisasm: Tool
    arch: str
    timeout: float
    """The seconds for each proof."""
    level: int = DEFAULT_LEVEL
    """The optimization level of ptxas."""

    @property
    def options(self) -> tuple[str, ...]:
        """The options of ptxas."""
        return () if self.level == DEFAULT_LEVEL else (f"-O{self.level}",)

    @property
    def target(self) -> str:
        """The target, and the options: ``sm_90 -O0``."""
        return " ".join((self.arch, *self.options))

    @property
    def identity(self) -> str:
        """The files of the tools and the options, for which a verdict on a line holds."""
        return "; ".join((self.ptxas.identity, self.nvdisasm.identity, *self.options))


Found = tuple[str, FormVerdict]
"""The digest of machine code (empty for none), and the verdict."""


_code_verdicts: Mapping[str, FormVerdict] = {}
"""In a process that verifies: known verdicts by the digest of the machine code."""
_queue: SimpleQueue[list[Found]] | None = None
"""In a worker process: the queue to the main one, for verdicts before all its lines are done."""


def remember_verdicts(
    code_verdicts: Mapping[str, FormVerdict], queue: SimpleQueue[list[Found]] | None = None
) -> None:
    """Set the known verdicts of this process, and the queue to the main one, if it has one."""
    global _code_verdicts, _queue
    _code_verdicts, _queue = code_verdicts, queue


def make_key(program: Program) -> str:
    """Return a line or a text; for a block, a digest of its kernel, whose text leaves out types."""
    if isinstance(program, Instruction | str) or program.is_line:
        return format_line(program)
    try:
        text = make_kernel_source(program).format_ptx("")
    except ValueError:
        text = str(program)
    return f"block {sha256(text.encode()).hexdigest()}"


def iter_line_verdicts(task: Task, lines: Sequence[Program]) -> Iterator[Found]:
    """Compile lines and blocks in one module and yield the verdict on each; raise ToolError.

    The line of a verdict is the program's ``make_key``.
    """
    sources: list[KernelSource | str] = [_make_source(x) for x in lines]
    kernels = iter(
        compile_kernels(
            task.ptxas,
            task.nvdisasm,
            task.arch,
            [x for x in sources if isinstance(x, KernelSource)],
            *task.options,
        )
    )
    for program, source in zip(lines, sources, strict=True):
        line = make_key(program)
        if isinstance(source, str):
            yield "", FormVerdict(line, VerdictOutcome.UNKNOWN, reason=source)
            continue
        kernel = next(kernels)
        digest = "" if isinstance(kernel, str) else make_code_digest(source, kernel)
        verdict = _code_verdicts.get(digest)
        if verdict is None:
            verdict = decide_line(line, source, kernel, timeout=task.timeout)
        yield digest, verdict._replace(line=line)


def verify_in_process(task: Task, lines: Sequence[Program]) -> list[Found]:
    """Decide lines: send the verdicts in batches, and return the last batch."""
    found, start = list[Found](), time.monotonic()
    for x in iter_line_verdicts(task, lines):
        found.append(x)
        if _queue and time.monotonic() - start > PATIENCE:
            _queue.put(found)
            found, start = [], time.monotonic()
    return found


def _make_source(program: Program) -> KernelSource | str:
    try:
        return make_kernel_source(parse_block(program) if isinstance(program, str) else program)
    except PtxError as error:
        return error.message
    except ValueError as error:
        return str(error)


def iter_verdicts(
    task: Task, lines: Sequence[Program], jobs: int, code_verdicts: Mapping[str, FormVerdict]
) -> Iterator[list[Found]]:
    """Yield the verdicts on lines, some at once, as they come, from some processes.

    The processes end with the iteration. Raise ToolError if the tools fail.
    """
    chunks = [lines[at : at + CHUNK_LINES] for at in range(0, len(lines), CHUNK_LINES)]
    if jobs < 2 or len(chunks) < 2:
        remember_verdicts(code_verdicts)
        for chunk in chunks:
            for found in iter_line_verdicts(task, chunk):
                yield [found]
        return
    number = min(jobs, len(chunks))
    queue: SimpleQueue[list[Found]] = CONTEXT.SimpleQueue()
    waiting: set[Future[list[Found]]] = set()
    remaining = chunks[::-1]
    try:
        with (
            _note_interrupts() as interrupts,
            open_pool(number, remember_verdicts, code_verdicts, queue) as pool,
        ):
            while (remaining or waiting) and not interrupts:
                while remaining and len(waiting) < 2 * jobs:
                    waiting.add(pool.submit(verify_in_process, task, remaining.pop()))
                done, waiting = wait(waiting, PATIENCE, FIRST_COMPLETED)
                while not queue.empty():
                    yield queue.get()
                for future in done:
                    yield future.result()
    except BrokenProcessPool:
        raise ToolError(
            "a process was killed, or cannot be started; --jobs 1 takes less memory"
        ) from None


@contextmanager
def _note_interrupts() -> Iterator[list[int]]:
    """Note Ctrl-C, and raise KeyboardInterrupt at the end.

    Anywhere else, it would break the locks of the pool, whose threads then wait for ever.
    """
    interrupts: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield interrupts
        return
    handler = signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, handler)
    if interrupts:
        raise KeyboardInterrupt


# --- known verdicts ------------------------------------------------------------------------------


_FIELD_TYPES = (str, str, list, list, bool | None, str, str, int, float, dict, dict, dict)
"""The types of the fields of a verdict in JSON."""


class VerdictStore:
    """The verdicts of earlier runs, one a line in a file of the user's cache folder.

    They hold for this version of ptxscope's engine only: the file's name is a digest of it.
    """

    def __init__(self, folder: Path | None, name: str = "verdicts") -> None:
        """Read the store of a name; without a folder, it keeps nothing."""
        self._path = folder and folder / f"{name}-{make_engine_digest()}.jsonl"
        self._lines: dict[tuple[str, str, str], FormVerdict] = {}
        self.code_verdicts: dict[str, FormVerdict] = {}
        with self._tolerate_failures():
            if self._path and is_there(self._path):
                for text in self._path.read_text("utf-8", errors="replace").splitlines():
                    self._add(text)

    @contextmanager
    def _tolerate_failures(self) -> Iterator[None]:
        """Keep nothing if the file cannot be read or written."""
        try:
            yield
        except OSError as error:
            print_message(f"warning: verdicts are not saved: {self._path}: {error.strerror}")
            self._path = None

    def _add(self, text: str) -> None:
        try:
            (tools, arch, digest), verdict = _read_verdict(text)
        except (ValueError, TypeError, LookupError):
            return  # a line of an interrupted run, or of another program
        self._lines[tools, arch, verdict.line] = verdict
        if digest:
            self.code_verdicts[digest] = verdict

    def get_verdicts(self, task: Task, lines: Iterable[str]) -> dict[str, FormVerdict]:
        """Return the known verdicts on lines, for the tools and the target of a task."""
        tools = task.identity
        found = ((line, self._lines.get((tools, task.arch, line))) for line in lines)
        return {line: verdict for line, verdict in found if verdict is not None}

    def keep(self, task: Task, verdicts: Sequence[Found]) -> None:
        """Add verdicts to the file, unless more time may decide them."""
        tools = task.identity
        texts = [
            json.dumps([tools, task.arch, digest, *verdict])
            for digest, verdict in verdicts
            if verdict.outcome is not VerdictOutcome.UNDECIDED
        ]
        for text in texts:
            self._add(text)
        with self._tolerate_failures():
            if self._path:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with self._path.open("a", encoding="utf-8") as stream:
                    # an interrupted run may have left an incomplete line
                    stream.write("".join(f"\n{text}\n" for text in texts))


def _read_verdict(text: str) -> tuple[tuple[str, str, str], FormVerdict]:
    """Return the tools, the target and the digest of a kept verdict, and the verdict.

    Raise ValueError, TypeError or LookupError for any other text.
    """
    tools, arch, digest, *fields = json.loads(text)
    verdict = FormVerdict(*fields)
    values: Sequence[object] = (tools, arch, digest, *verdict)
    for value, type_ in zip(values, (str, str, str, *_FIELD_TYPES), strict=True):
        if not isinstance(value, type_):
            raise TypeError("no verdict")
    return (tools, arch, digest), verdict._replace(
        outcome=VerdictOutcome(verdict.outcome),
        models=tuple(verdict.models),
        errata=tuple(get_erratum(x).id for x in verdict.errata),
    )


DECIDING_FOLDERS = (
    *("engine/isa", "engine/micro_operations", "engine/semantics", "engine/ir"),
    *("engine/program", "blocks"),
    *("features/prove", "features/machine"),
)
"""The folders of the modules that decide a verdict."""


@cache
def make_engine_digest() -> str:
    """Return a digest of the modules that decide a verdict."""
    root = Path(__file__).parents[2]
    digest = sha256()
    for folder in DECIDING_FOLDERS:
        for path in sorted((root / folder).glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


OnVerdicts = Callable[[Sequence[FormVerdict]], object]
"""Function that takes verdicts as they are found."""


def verify_all(
    task: Task,
    lines: Sequence[Program],
    store: VerdictStore,
    jobs: int,
    on_verdicts: OnVerdicts,
) -> list[FormVerdict]:
    """Return the verdict on each line or block, in order; known ones come from the store."""
    keys = [make_key(x) for x in lines]
    verdicts_by_line = store.get_verdicts(task, keys)
    on_verdicts([*verdicts_by_line.values()])
    missing = {key: x for key, x in zip(keys, lines, strict=True) if key not in verdicts_by_line}
    for found in iter_verdicts(task, [*missing.values()], jobs, store.code_verdicts):
        store.keep(task, found)
        verdicts = [verdict for _, verdict in found]
        verdicts_by_line |= {verdict.line: verdict for verdict in verdicts}
        on_verdicts(verdicts)
    return [
        verdicts_by_line[key]._replace(line=format_line(program))
        for key, program in zip(keys, lines, strict=True)
    ]


# --- reports on deviations ----------------------------------------------------------------------

RenderFault = Callable[..., str]
"""The service that renders the report of a fault."""


def render_deviations(
    task: Task,
    programs: Sequence[Instruction | BasicBlock],
    verdicts: Sequence[FormVerdict],
    render: RenderFault,
) -> str:
    """Return a report for each kind of deviation among lines and blocks; raise ToolError.

    Lines with the same known errata, or of one opcode with a new deviation, have one report, and
    so have blocks with a known erratum.
    """
    groups: dict[object, Instruction | BasicBlock] = {}
    for program, verdict in sorted(
        zip(programs, verdicts, strict=True), key=lambda x: len(str(x[0]))
    ):
        if verdict.is_as_documented is False and isinstance(program, Instruction):
            groups.setdefault(verdict.errata or program.opcode, program)
        elif verdict.is_as_documented is False:
            kinds: list[object] = [(x,) for x in verdict.errata] or [str(program)]
            groups |= {x: program for x in kinds if x not in groups}
    reports = (_report(task, program, kind, render) for kind, program in groups.items())
    return "\n".join(reports) if groups else "Nothing deviates from the documentation.\n"


def _report(
    task: Task, program: Instruction | BasicBlock, kind: object, render: RenderFault
) -> str:
    """Return the report on a line, or on an erratum of a block, in the smallest form that has it.

    A line whose form does not depart in registers alone, but with its literals, is kept.
    """
    if isinstance(program, BasicBlock):
        erratum = kind[0] if isinstance(kind, tuple) else ""

        def has_erratum(blocks: list[BasicBlock]) -> list[bool]:
            return [
                x.is_as_documented is False and (erratum in x.errata if erratum else not x.errata)
                for x in _decide(task, blocks)
            ]

        program = find_smallest_block(program, has_erratum)
        if not program.is_line:
            return _make_report(task, program, render)
        program = program.instruction
    ins, errata_of_line = program, _decide(task, [program])[0].errata

    def has_departure(forms: list[Form]) -> list[bool]:
        decided = _decide(task, [_make_line(ins, form) for form in forms])
        return [x.is_as_documented is False and x.errata == errata_of_line for x in decided]

    if all(has_departure([ins.form])):
        ins = _make_line(ins, find_smallest_form(ins.form, has_departure))
    return _make_report(task, ins, render)


def _make_line(ins: Instruction, form: Form) -> Instruction:
    return replace(make_instruction(form), guard=ins.guard)


def _decide(task: Task, lines: Sequence[Program]) -> list[FormVerdict]:
    return [verdict for _, verdict in iter_line_verdicts(task, lines)]


def _make_report(task: Task, program: Instruction | BasicBlock, render: RenderFault) -> str:
    """Return the report on a line or block that departs; raise ToolError if it is not compiled."""
    source = make_kernel_source(program)
    (kernel,) = compile_kernels(task.ptxas, task.nvdisasm, task.arch, [source], *task.options)
    deviation = (
        find_machine_deviation(source, kernel) if isinstance(kernel, MachineKernel) else None
    )
    if deviation is None:
        return f"{format_line(program)} does not deviate from the documentation.\n"
    (verdict,) = _decide(task, [program])
    results = deviation.example.machine_results
    return render(
        source.program,
        deviation.example.operands,
        {x.name: results[x.role] for x in source.results},
        task.arch,
        model=verdict.models[0] if verdict.models else "",
        condition=describe_condition(deviation),
        ptxas=task.ptxas.build,
        find_fault_code=partial(
            find_fault_code, tools=(task.ptxas, task.nvdisasm), options=task.options
        ),
        command=" ".join(
            ("verify", quote_word(format_line(program)), "--arch", task.target, "-f issue")
        ),
        options=task.options,
    )
