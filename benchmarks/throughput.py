"""Results a second of `evaluate` on arrays, against plain C loops that gcc compiles here.

`python3 dev.py bench throughput` prints the table, and with `--page` writes docs/dev/benchmarks.md.
"""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import ptxscope
from ptxscope import evaluate, parse
from ptxscope.engine.syntax.instruction import Input

Array = npt.NDArray[Any]
SIZE = 1 << 22
ROUNDS = 11
LEVELS = {"-O2": ("-O2",), "-O3 -march=native": ("-O3", "-march=native")}
PAGE = Path(__file__).parent.parent / "docs" / "dev" / "benchmarks.md"


class Form(NamedTuple):
    """A form, the C function that computes it, and how fast we want to be."""

    ptx: str
    goal: float | None = None
    """Times the speed of `gcc -O2`."""

    @property
    def function(self) -> str:
        """Called like the opcode."""
        return self.ptx.partition(".")[0]


FORMS = (
    Form("vadd4.s32.s32.u32.sat d, a, b, c", 3.5),
    Form("vabsdiff4.s32.s32.u32 d.b310, a.b7022, b.b1365, c", 1.5),
    Form("vset4.s32.u32.lt.add d, a, b, c", 2.0),
    Form("vavrg2.s32.s32.s32 d, a, b, c", 0.8),
    Form("vmin2.s32.s32.s32 d.h0, a, b, c", 0.65),
    Form("vadd.s32.s32.u32.sat.max d, a.h1, b, c", 0.65),
    Form("vmad.s32.s32.s32.sat.shr15 d, a, b, c", 0.5),
    Form("setp.ltu.and.ftz.f32 p|q, a, b, c", 0.33),
    Form("vsub4.s32.s32.s32.sat d, a, b, c"),
    Form("vmax4.s32.u32.s32 d, a, b, c"),
    Form("vshl.u32.u32.u32.clamp.add d, a, b, c"),
    Form("vshr.s32.s32.u32.wrap d.b0, a, b, c"),
    Form("vset.s32.u32.lt.min d, a, b, c"),
    Form("set.le.f32.s32 d, a, b"),
    Form("selp.b32 d, a, b, c"),
    Form("slct.u32.s32 d, a, b, c"),
)
"""Eight that differ in what they cost, and one of each other family."""


class Measured(NamedTuple):
    """Of one form, in one run."""

    form: Form
    nanoseconds: Mapping[str, float]
    """Of thread CPU time a result, by who computes it."""
    slow: float
    """How many times as fast as C at the lower level we are: median of the rounds' quotients."""
    fast: float
    """And as C at the higher level."""


def compiled(folder: Path) -> dict[str, ctypes.CDLL]:
    """loops.c at each level."""
    source, found = Path(__file__).with_name("loops.c"), {}
    for number, (level, options) in enumerate(LEVELS.items()):
        library = folder / f"loops{number}.so"
        subprocess.run(
            ["gcc", *options, "-Wall", "-shared", "-fPIC", "-o", str(library), str(source)],
            check=True,
        )
        found[level] = ctypes.CDLL(str(library))
    return found


def _filled(form: Form, needed: Input) -> str:
    """Which operands a register has: truths, shifts by few bits, or any bits."""
    if needed.type.bits == 1:
        return "truths"
    return "amounts" if needed.name == "b" and form.function in ("vshl", "vshr") else needed.name


def measured(
    form: Form, libraries: Mapping[str, ctypes.CDLL], operands: Mapping[str, Array]
) -> Measured:
    """Time one form; raises AssertionError where C and we differ."""
    ins = parse(form.ptx)
    given = {x.name: operands[_filled(form, x)] for x in ins.inputs}
    truths = {name: ins.type_of(role).bits == 1 for role, name in ins.results.items()}
    ours = {name: np.empty(SIZE, bool if truth else np.uint32) for name, truth in truths.items()}
    theirs = {name: np.empty_like(x) for name, x in ours.items()}
    arrays = [given.get(name, operands["c"]) for name in "abc"] + list(theirs.values())
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in arrays]
    runs: dict[str, Callable[[], object]] = {
        level: partial(getattr(library, form.function), *pointers, ctypes.c_size_t(SIZE))
        for level, library in libraries.items()
    }
    runs["ptxscope"] = partial(evaluate, ins, given, out=ours)
    runs["without out="] = partial(evaluate, ins, given)
    for name, run in runs.items():
        run()
        if name not in libraries:
            assert all(np.array_equal(ours[x], theirs[x]) for x in ours), (form.ptx, name)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            start = time.thread_time()
            run()
            seconds[name].append(time.thread_time() - start)

    def times(ours: str, theirs: str) -> float:
        rounds = zip(seconds[theirs], seconds[ours], strict=True)
        return statistics.median(theirs / ours for theirs, ours in rounds)

    least, most = libraries
    nanoseconds = {name: statistics.median(x) / SIZE * 1e9 for name, x in seconds.items()}
    return Measured(form, nanoseconds, times("ptxscope", least), times("ptxscope", most))


def one_element() -> float:
    """Microseconds of one call on arrays of one element."""
    ins = parse(FORMS[0].ptx)
    values = {x.name: np.ones(1, np.uint32) for x in ins.inputs}
    seconds = []
    for _ in range(2000):
        start = time.thread_time()
        evaluate(ins, values)
        seconds.append(time.thread_time() - start)
    return statistics.median(seconds) * 1e6


def every() -> list[Measured]:
    """All forms."""
    rng = np.random.default_rng(15)
    operands: dict[str, Array] = {
        name: rng.integers(0, 1 << 32, SIZE, dtype=np.uint32) for name in "abc"
    }
    operands["amounts"] = operands["b"] & 63
    operands["truths"] = rng.integers(0, 2, SIZE).astype(bool)
    with tempfile.TemporaryDirectory() as folder:
        libraries = compiled(Path(folder))
        return [measured(form, libraries, operands) for form in FORMS]


def report() -> Iterator[str]:
    """A Markdown table, a row a form."""
    if shutil.which("gcc") is None:
        yield "gcc is not installed: there is nothing to compare with"
        return
    yield from _table(every())
    yield ""
    yield f"One call on arrays of one element takes {one_element():.0f} µs."


_COLUMNS = (
    *("form", "`-O2`, ns", "`-O3 -march=native`, ns", "ptxscope, ns", "without `out=`, ns"),
    *("÷ `-O2`", "goal", "÷ `-O3`"),
)


def _table(rows: list[Measured]) -> Iterator[str]:
    yield _row(_COLUMNS)
    yield _row(["---", *["---:"] * (len(_COLUMNS) - 1)])
    for x in rows:
        goal = "" if x.form.goal is None else f"{x.form.goal:g}"
        name = x.form.ptx.replace("|", "\\|")
        times = [f"{value:.2f}" for value in x.nanoseconds.values()]
        yield _row([f"`{name}`", *times, f"**{x.slow:.2f}**", goal, f"{x.fast:.2f}"])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def renew_page() -> None:
    """Write the section on arrays of docs/dev/benchmarks.md."""
    _, separator, rest = PAGE.read_text("utf-8").partition("## Explorer")
    PAGE.write_text(f"{_format_section()}\n{separator}{rest}", "utf-8")


def _format_section() -> str:
    gcc = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True)
    lines = "\n".join(report())
    return f"""\
# Benchmarks

Compare the speed of `evaluate` on arrays with C, the start of the explorer with other programs, and
runs of kernels with plain Python.

## Arrays

The table compares ptxscope, on one thread, with plain C loops (`benchmarks/loops.c`) on arrays of
{SIZE:,} elements. All results are compared with those of C.

- **ns**: nanoseconds of thread CPU time per result, the median of {ROUNDS} rounds in which all
  take turns. `-O2` and `-O3 -march=native` are C compiled by gcc.
- **÷**: the time of C divided by the time of ptxscope, the median over all rounds. Above 1,
  ptxscope is faster than C.
- **without `out=`**: NumPy allocates new memory for the results, which costs page faults.
- **goal**: the smallest acceptable ÷ of NumPy over `-O2`.

{lines}

{_machine()}; {gcc.stdout.splitlines()[0]}; Python {platform.python_version()}, NumPy
{np.__version__}, ptxscope {ptxscope.__version__}. Figures vary more between runs than within
one. To repeat the measurement, run `python3 dev.py bench throughput --page`.
"""


def _machine() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{(names or [platform.processor()])[0]}, {os.cpu_count()} cores, {platform.system()}"
