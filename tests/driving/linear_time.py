"""Whatever reads text takes linear time: for twice the text three times the time at most.

Every entry point meets every family of texts that a careless pattern or loop stumbles over. What
is judged is growth, never speed: a text is made four times as long until the reading takes long
enough to be measured, and the last two times are compared. It is this process's CPU time, the
least of a few, so that a busy machine does not matter, and what looks bad is measured again, and
on a longer text, before it is believed.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import process_time
from types import FrameType

from ptxscope import PtxError
from ptxscope.cli.support.streams import CommandError

SMALLEST, LARGEST = 1 << 10, 1 << 20
GROWTH = 9.0
"""Four times the text: twice three times the time."""
FAST = 0.1
"""Seconds of CPU for the largest text below which it is fast, however it grows: the system's
handing out of memory takes about as long."""
TRIES = 3
CEILING = 10.0
"""Seconds of CPU that one reading may take, as it is not asked for more than a moment's work."""


def return_errors(read: Callable[[str], object]) -> Callable[[str], object]:
    """The same, an error told in full."""

    def run(text: str) -> object:
        try:
            return read(text)
        except (PtxError, CommandError, ValueError) as error:
            return str(error)

    return run


_ATOMS = [
    *"/#*\"'\\{}()[].,-;:|!%_@<>=?+~a0 \n\t",
    "//", "/*", "*/", "/**/", "/*/", "// \n", "\\\n", "\\\\", "'\\", "'\\\\", '"\\', '\\"', "\\x",
    '"""', "'''", '"""\\', "'''\\", 'R"(', 'R"a(', ')a"', 'f"{', '""', '" "', "'a'", '"a" ', "r'",
    "asm(", "asm(/*", 'asm("', 'asm("x":', 'asm("x");', "asm ", "asm volatile ", 'asm(R"(', "{{",
    "@ ", "@!", "@p ", "\n@", "\n@ ", "[ ", "[ \n", " ]", "] ", "{ ", "{a,", "a.", "a.b0|", "a,",
    ".u32", ".foo", ".u32.foo", ".sat", ". ", ".loc;", ".loc ", ".reg ", ".reg .b32 ", ".v2",
    ".target ", ".version ", ".version 1", ".entry ", ".entry a{", ".reg .b32 a;", "s ", "s\n",
    "vadd", "vadd.", "vadd ", "vadd.u32 ", "vadd.u32\n", "vadd{", "vadd.u32{", "vadd.u32;", "vadd;",
    "set.f16 ", "set\n.", "é", "\x00", "\x1b", "0x0?", "0x", "0?", "1.", ".1", "1e", "lane ",
    "lane 1", "<!--", "<!-- ptxscope trace ", "<!-- /ptxscope", "<!-- /ptxscope -->", "-->", "a=1,",
    "a=", "E3+", "{.reg .b32 a;", "{.reg .b32 %r<9>;", "{.reg .b32 a;}", ".reg .b32 %r<9>;",
    "import a\n", "%%", "mov.b32 a, a;", "@p bra a;", "a: ", "add.u32 a, -", "(1+", "1+", "-(",
    "1?1:", '" \\\n"', "x'", "#define A A A\n", "#define A(x) x x #x\n", "#define a a,a\n",
    "#undef A\n", "A(A", "a(a)", "// ptxscope: ignore[", "ptxscope: ignore\n",
    "# ptxscope: ignore[E3, ", "E3, ", "#else\n", "#endif\n", "#elif A\n", "#if 1\n",
    "#if defined(A) && \\\n", "#if (", "#if !", '# 1 "a"\n', '#line 1 "a\\"\n', '# 1 "a" 3\n',
    "asm(A", 'asm(A "x" : A(x) : A);\n', 'asm("add.u32 %0,%0,%1;":"=r"(a):"r"(b));',
    "add.u32 %0,%1,%2;", '"=r"(a),', '"r"(a),', "#if A\n", "#", 'M("', '"x" M ', 'asm("x" M ',
    "\ufffc",
    "```\n", "```ptx\n", "<pre>", "llvm.inline_asm ", "nvvm.inline_ptx ", "-> (", "ro(", "ro(a:",
    "{$r0}", '"=r,r" ', "$(", "$(", "@asmcall", '@asmcall("$0 ', '{"', '["a",', '"a":',
    '"source":["', '"code"},{', "$$", "\\$", "&lt;", "asm!(", 'r#"', "'a", 'asm "', "${0}", "${",
    "%[a]", "vadd.u32.u32.u32 d, a, b;", "vadd.u32.u32.u32 d, a, b;\n", "vadd.f32 d, ,,,;",
    "vad.u32 d;\n", "vadd.u32.u32.u32 d, a, b\n", "vadd.u32.u32.u32 d, a, b /*",
    "vadd.u32.u32.u32 d, a, b /**/\n",
    'asm("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));\n',
    '"vadd.u32.u32.u32 a,b,c;"\n', 'asm("vadd.f32 %0;"',
    'asm("vadd.u32.u32.u32 %0, %1, %2;":"=r"(d), ', '"vadd.u32 a, b;" //////\n',
    '"a" /////////////////////////////////////////\n/***********************************/ "b"\n',
    '"a" # #########################################\n ########################### \\\n "b"\n',
    ".visible .entry k() {\n.reg .b32 %r<9>;\nvadd.u32.u32.u32 %r1, %r2, %r3;\nret;\n}\n",
    "{ .reg .b32 t; vadd.u32.u32.u32 t, a, b; }\n",
]  # fmt: skip
_HEADS = [
    "", "vadd", "vadd.u32.u32.u32", "vadd.u32.u32.u32 d, a, ", "vadd.u32.u32.u32 d, a, 1", "@", '"',
    "'", '"""', 'x = "', 'asm("', 'asm("" : ', "asm(", "/*", "//", ".reg ", ".reg .b32 ", "[",
    '#include "x"\nasm("', 'import a\nx = """', '"" ', "{", ".entry k {\n", "0x", "-", "set", "s",
    "#define a(b) b b #b a##b\nasm(", "#define A B\n#define B A\n#if A\n", '# 1 "a"\n',
    'llvm.inline_asm "', 'nvvm.inline_ptx "" ', '@asmcall("', '@asmcall("", ',
    '{"cells":[{"source":[', "__vadd4(", "__vadd4(a, b)", "__vadd4(a,b);", "= __vadd4(",
    "d = __vneg4(a);", "__", "vadd4.s32.s32.s32.sat d, ", "// ptxscope trace",
    "<!-- ptxscope trace ", "d=", "a=",
]  # fmt: skip
NUMBERED = {
    "different words": "s{}x.u32 d;\n",
    "different registers": "vadd.u32.u32.u32 d{0}, a{0}, b;\n",
    "braces that declare": "{{.reg .b32 a{0}; vadd.u32.u32.u32 a{0}, b{0}, c;\n",
    "kernels": ".entry k{0}() {{ .reg .b32 a{0}; vadd.u32.u32.u32 a{0}, b, c; ret; }}\n",
    "asm statements": 'asm("vadd.u32.u32.u32 %0, %{0}, %2;" : "=r"(d) : "r"(a), "r"(b));\n',
    "registers of all": ".reg .b32 a{0}; .entry k{0}() {{ vadd.u32.u32.u32 a{0}, b, c; }}\n",
    "blocks": "{{ .reg .b32 t; vadd.u32.u32.u32 t, a{0}, b; }}\n",
    "numbered blocks": "{{ .reg .b32 %r<9>; vadd.u32.u32.u32 %r{0}, %r1, %r2; }}\n",
    "macros": "#define A{0} A{0} x\nasm(A{0});\n",
    "macros of macros": '#define A{0} "x" A\n#undef A\n#define A A{0}\nasm(A);\n',
    "declared registers": ".reg .b32 t{0}; add.u32 t{0}, t{0}, %0;",
    "outputs": 'asm("add.u32 %0, %1, %{0}; add.u32 %0, %0, %1;" : "=r"(d), "=r"(a) : "r"(b));\n',
    "constants": "mov.u32 %r{0}, 5; vabsdiff4.u32.u32.u32.sat d, %r{0}, %r1, %r2;\n",
    "assignments": "a{}=1,",
    "intrinsics": "d{0} = __vadd4(a{0}, b);\n",
    "intrinsics of casts": "d{0} = __vadd4((int)a{0}, (unsigned int) (int)b);\n",
    "intrinsics inside of others": "d{0} = __vadd4(__vneg4(a{0}), __vneg4(b));\n",
}
"""Texts whose parts differ."""


class Family:
    """Texts of one kind and any length: a head, and a part again and again."""

    def __init__(self, head: str, part: str, tail: str = "") -> None:
        self.head, self.part, self.tail = head, part, tail

    def __repr__(self) -> str:
        return f"{self.head!r} + {self.part!r}*n + {self.tail!r}"

    def text(self, size: int) -> str:
        """About as many characters."""
        return self.head + self.part * (size // len(self.part)) + self.tail


class Numbered(Family):
    """The parts have numbers."""

    def text(self, size: int) -> str:
        return self.head + "".join(map(self.part.format, range(size // len(self.part)))) + self.tail


SINGLE: list[Family] = [
    *(Family("", part) for part in _ATOMS),
    *(Numbered("", part) for part in NUMBERED.values()),
]
_TAILS = ["", "x", "\n", ";", '"', "*/", ");", "}", "'", "]", " x;\n"]
EVERY = [Family(h, p, t) for p in _ATOMS for h in _HEADS for t in _TAILS]
EVERY += [Numbered(h, p, t) for p in NUMBERED.values() for h in _HEADS for t in _TAILS]
MIXED = [Family("", a + b) for a in _ATOMS for b in _ATOMS]


class _TooLong(BaseException):
    """A reading went over the ceiling; no reader catches it."""


@contextmanager
def _ceiling(seconds: float) -> Iterator[None]:
    """Ends what takes longer, by this process's CPU time, also within a pattern."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def measure(
    read: Callable[[str], object], text: str, repeats: int = 1, ceiling: float = CEILING
) -> float:
    least = ceiling
    for _ in range(repeats):
        with _ceiling(ceiling):
            start = process_time()
            read(text)
            least = min(least, process_time() - start)
    return least


def find_fault(
    read: Callable[[str], object], family: Family, enough: float, ceiling: float = CEILING
) -> str:
    """What is wrong with how the time grows; empty where nothing is.

    ``enough`` is how many seconds a reading must take to be judged; what takes less for the
    largest text is fast.
    """
    read = return_errors(read)
    size, before = SMALLEST, -1.0
    try:
        measure(read, family.text(size), 1, ceiling)  # what is made once
        taken = measure(read, family.text(size), 2, ceiling)
        while (taken < enough and size < LARGEST) or before < 0:
            size, before = 4 * size, taken
            taken = measure(read, family.text(size), 1, ceiling)
        for repeats in range(2, 2 + TRIES):
            if _fine(size, before, taken, enough):
                return ""
            if repeats >= TRIES:  # where a fixed cost or a cache is near, longer texts tell
                size *= 2
            before = measure(read, family.text(size // 4), repeats, ceiling)
            taken = measure(read, family.text(size), repeats, ceiling)
    except _TooLong:
        return f"{family}: {size} characters take more than {ceiling:g} s"
    if _fine(size, before, taken, enough):
        return ""
    return f"{family}: {size // 4} characters {before:.4f} s, {size} characters {taken:.4f} s"


def _fine(size: int, before: float, taken: float, enough: float) -> bool:
    fast = size >= LARGEST and taken < FAST
    return fast or taken < enough or taken <= GROWTH * before
