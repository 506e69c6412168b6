"""A change in an editor, against the check of the whole text: CUDA C++ with asm, and a listing."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from ptxscope.features.check.check_cache import CheckCache
from ptxscope.features.check.check_settings import CheckSettings
from ptxscope.features.editor.source_answers import SourceText

from .check import generate

ASM = 200
LINES_BETWEEN = 19
LISTING_CHARS = 140_000
CHANGES = 60
STATEMENTS = (
    "vadd4.u32.u32.u32 %0, %1, %2, %3;",
    "vset4.s32.u32.lt.add %0, %1, %2, %3;",
    "vmad.s32.u32.u32 %0, %1.h0, %2.h1, %3;",
    "vabsdiff2.u32.u32.u32.sat %0, %1, %2, %3;",
)


def report() -> Iterator[str]:
    """Yield the times of the whole check and of a change, and the quotient."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.ptx"
        generate(path, LISTING_CHARS, few=False)
        listing = path.read_text("utf-8")
    for name, text in (("a.cu", make_source()), ("a.ptx", listing)):
        whole, changes = measure(name, text)
        median, slow = statistics.median(changes), sorted(changes)[int(len(changes) * 0.95)]
        yield (
            f"{name:<6} {text.count(chr(10)):,} lines  whole {whole * 1e3:6.1f} ms  "
            f"change {median * 1e3:5.1f} ms, 95% {slow * 1e3:5.1f} ms  ÷ {whole / median:.1f}"
        )


def make_source() -> str:
    """Return a CUDA source of 5,000 lines with 200 asm statements."""
    lines = ["#include <cstdint>"]
    for i in range(ASM):
        lines.append(f"__device__ uint32_t f{i}(uint32_t a, uint32_t b, uint32_t c{i}) {{")
        lines += [f"  a = (a * {j}u) ^ (b >> {j}); // step {j}" for j in range(LINES_BETWEEN)]
        operands = f'"=r"(d) : "r"(a), "r"(b), "r"(c{i})'
        asm = f'  asm("{STATEMENTS[i % len(STATEMENTS)]}" : {operands});'
        lines += ["  uint32_t d;", asm, "  return d;", "}", ""]
    return "\n".join(lines)


def measure(name: str, text: str) -> tuple[float, list[float]]:
    """Return the seconds of the whole check, and those after each of some changes."""
    draw, cache, lines = random.Random(1), CheckCache(), text.split("\n")
    check(name, text, cache)
    whole, changes = list[float](), list[float]()
    for _ in range(CHANGES):
        number = draw.randrange(len(lines))
        lines[number] = lines[number].replace(" ", "  ", 1) or " "
        text = "\n".join(lines)
        changes.append(check(name, text, cache))
        if len(whole) < CHANGES // 6:
            whole.append(check(name, text, None))
    return statistics.median(whole), changes


def check(name: str, text: str, cache: CheckCache | None) -> float:
    """Check a text; return the seconds of this thread."""
    start = time.thread_time()
    for _ in SourceText(text, name, cache).check(CheckSettings()):
        pass
    return time.thread_time() - start
