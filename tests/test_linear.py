"""Whatever reads text takes linear time: for twice the text three times the time at most.

Every entry point meets every family of texts that a careless pattern or loop stumbles over. What
is judged is growth, never speed: a text is made four times as long until the reading takes long
enough to be measured, and the last two times are compared. It is this process's CPU time, the
least of a few, so that a busy machine does not matter, and what looks bad is measured again, and
on a longer text, before it is believed.
"""

from __future__ import annotations

import gc
import json
import re
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from random import Random
from time import process_time
from types import FrameType

import pytest

from ptxscope import PtxError, parse, parse_all, trace
from ptxscope.cli.commands.run import run
from ptxscope.cli.commands.trace import render_request
from ptxscope.cli.support.inputs import parse_cell, read_rows
from ptxscope.cli.support.markdown_markers import find_doubtful
from ptxscope.cli.support.ptx_arguments import is_file_name, parse_instruction, parse_ptx
from ptxscope.cli.support.streams import CommandError
from ptxscope.diagnosis.observation import parse_got, parse_observed
from ptxscope.documents import export
from ptxscope.documents.formats.check_report import item_lines, item_to_json, iter_sarif_results
from ptxscope.documents.formats.json_reader import load as load_trace
from ptxscope.engine.isa.types import Type
from ptxscope.engine.program.variables import Variable
from ptxscope.engine.semantics.models import parse_model
from ptxscope.engine.syntax.completions import find_completions
from ptxscope.engine.syntax.parser import find_pasted_fragments
from ptxscope.engine.syntax.values import parse_integer, parse_value
from ptxscope.engine.tracing.basic_block import make_block
from ptxscope.engine.tracing.note_targets import parse_note, parse_steps
from ptxscope.engine.tracing.trace import make_trace
from ptxscope.features.kernels.launches.device_code import load_device_code
from ptxscope.features.kernels.launches.launch_text import parse_argument
from ptxscope.features.kernels.launches.printed_text import format_text
from ptxscope.features.machine.machine_instruction import (
    parse_disassembly,
    parse_machine_instruction,
)
from ptxscope.features.sweep.register_parts import parse_swept_part
from ptxscope.kernels.blocks.block_parser import parse_block
from ptxscope.kernels.sequences.sequence_notes import SequenceSearch
from ptxscope.learn.lesson import Lesson, LessonSource
from ptxscope.learn.question import Question, locate_answer
from ptxscope.learn.text_templates import fill_template
from ptxscope.sources.diagnostic import CheckedInstruction
from ptxscope.sources.lint import check_listing, check_source, check_text
from ptxscope.sources.source_language import Language, language_of
from ptxscope.sources.source_programs import load
from ptxscope.state.instruction_search import search_instructions
from ptxscope.state.open_listing import open_listing
from tests.driving.command_line import updated
from tests.reference_data import DATA
from tests.tiers import ci_only, some

SMALLEST, LARGEST = 1 << 10, 1 << 20
GROWTH = 9.0
"""Four times the text: twice three times the time."""
FAST = 0.1
"""Seconds of CPU for the largest text below which it is fast, however it grows: the system's
handing out of memory takes about as long."""
TRIES = 3
CEILING = 10.0
"""Seconds of CPU that one reading may take, as it is not asked for more than a moment's work."""


_POINTER = Variable("a", "param", "u64", 8, 8)
_ADD = "vadd4.s32.s32.s32.sat d, a, b, c;"
_TRACE = make_trace(parse_all(_ADD)[0], parse_model("isa"), {"a": 1, "b": 2, "c": 3})
_JSON = export(_TRACE, "json")


def _refused(read: Callable[[str], object]) -> Callable[[str], object]:
    """The same, an error told in full."""

    def run(text: str) -> object:
        try:
            return read(text)
        except (PtxError, CommandError, ValueError) as error:
            return str(error)

    return run


def _check(name: str) -> Callable[[str], object]:
    def run(text: str) -> int:
        size = 0
        found = list(check_text(text, name))
        for item in found:
            size += sum(map(len, item_lines(item))) + len(json.dumps(item_to_json(item)))
        return size + _logged(found)

    return run


def _logged(found: Iterable[CheckedInstruction]) -> int:
    """How many characters the results of a log are."""
    return sum(len(result) for item in found for result in iter_sarif_results(item))


def _check_defined(text: str) -> int:
    definitions = {"A": "1 || A", "B": None, "a": '"x" a'}
    return len(list(check_source(text, "x.cu", Language.C, definitions)))


def _check_text(text: str) -> int:
    return sum(len(list(item_lines(item))) for item in check_source(text, "-", Language.TEXT))


def _check_in_chunks(text: str) -> int:
    size = 1 << 15
    chunks = (text[at : at + size] for at in range(0, len(text), size))
    return len(list(check_listing(chunks, "x.ptx")))


def _find_sequences(text: str) -> int:
    search = SequenceSearch("x.ptx")
    whole = f"// 0x7f7f7f7f\n.entry k() {{\n{text}\n}}\n.entry l() {{ {text} }}"
    return len(list(search.merge(check_listing(search.record_chunks([whole]), "x.ptx"))))


def _run(text: str) -> int:
    with redirect_stdout(StringIO()):
        return run([f"\n{text}"])


def _open(text: str) -> int:
    cursor = open_listing(text, "x.cu") or open_listing(text, "x.ptx")
    return len(cursor.rows) if cursor else 0


def _notes(text: str) -> object:
    _refused(lambda x: parse_steps(x, _TRACE))(text)
    return parse_note(f"{text}=x", _TRACE)


def _values(text: str) -> object:
    for type_ in Type:
        _refused(lambda x, type_=type_: parse_value(x, type_))(text)  # type: ignore[misc]
    _refused(lambda x: parse_integer(x, 32))(text)
    return parse_cell(text, 1, "a", lambda x: parse_value(x, Type.U32))


def _observations(text: str) -> object:
    _refused(lambda x: parse_got(_TRACE.instruction, x))(text)
    _refused(lambda x: parse_got(_TRACE.instruction, f"d={x}"))(text)
    return parse_observed(text, Type.U32)


def _shown(text: str) -> object:
    """An instruction that is legal is shown in every format, whatever its operands are called."""
    for format_ in ("text", "markdown", "rst", "asciidoc", "html", "json", "svg"):
        render_request([text, "a=1", "b=2", "c=3", "-f", format_])
    return None


def _titled(text: str) -> object:
    """What a writer wrote is escaped in every format that is written with marks."""
    for format_ in ("text", "markdown", "rst", "asciidoc", "json"):
        words = [_ADD, "a=1", "b=2", "c=3", f"--title={text}", f"--note=lane 0={text}."]
        render_request([*words, "-f", format_])
    return None


def read_lesson(text: str) -> Lesson:
    return LessonSource(text, "x.md", "x").lesson


def _lesson(text: str) -> object:
    """A whole file; a card's text, what it takes from a trace, its fields."""
    head = "# A\n\nminutes: 3\nsummary: b\ngroup: g\n\n## C\n\n```card\nptx: " + _ADD
    _refused(lambda x: fill_template(x, _TRACE))(text)
    _refused(lambda x: read_lesson(f"{head}\nwith: {x}\n```\n"))(text)
    _refused(lambda x: read_lesson(f"{head}\nwith: a=1 b=2\nat: {x}\n```\n"))(text)
    _refused(lambda x: read_lesson(f"{head}\nwith: a=1 b=2\n```\n\n{x}"))(text)
    return read_lesson(text)


def _recorded(text: str) -> None:
    """As it is, and as what a trace may hold of anybody's words."""
    for whole in (text, _JSON.replace('"title": ""', f'"title": {json.dumps(text)}')):
        _refused(load_trace)(whole)


def _marked(text: str) -> str:
    return updated(f"{text}\n<!-- ptxscope trace '{_ADD}' a=1 b=2 c=3 -->\n<!-- /ptxscope -->\n")


_ASKED = trace("vadd4.s32.s32.s32.sat d, a, b, c", {"a": 1, "b": 2, "c": 3})
_KEYS = (("select.a", 0), ("saturate", 1), ("d", None))
_PLACES = tuple(locate_answer(Question(_ASKED, *key)) for key in _KEYS)


def _answered(text: str) -> None:
    """A text as the answer to a lane and to a result."""
    for where in _PLACES:
        _refused(where.parse_answer)(text)


def _lane(text: str) -> object:
    with suppress(PtxError):
        return parse_swept_part(make_block(parse(_ADD)), text)
    return None


def _disassembled(text: str) -> None:
    """A text as an instruction, as operands, and as the lines of a section."""
    parse_machine_instruction(text)
    parse_machine_instruction(f"@P0 MOV {text}")
    parse_disassembly(f"\t.section\t.text.k,x\n/*0000*/ MOV {text}\n")
    parse_disassembly(f"\t.section\t.nv.constant2.k,x\n/*0000*/ .byte {text.split(',')[0]}\n{text}")


ENTRIES: dict[str, Callable[[str], object]] = {
    "parse": parse_all,
    "instruction of an argument": parse_instruction,
    "block": _refused(parse_block),
    "instruction or block of an argument": parse_ptx,
    "fragments": lambda text: list(find_pasted_fragments(text)),
    "check a listing": _check("x.ptx"),
    "check C": _check("x.cu"),
    "check C with definitions": _check_defined,
    "check Python": _check("x.py"),
    "check what is not known": _check("-"),
    "check pasted text": _check_text,
    "check in chunks": _check_in_chunks,
    "sequences": _find_sequences,
    "check Rust": _check("x.rs"),
    "check Markdown": _check("x.md"),
    "check HTML": _check("x.html"),
    "check LLVM": _check("x.ll"),
    "check MLIR": _check("x.mlir"),
    "check Julia": _check("x.jl"),
    "check a notebook": _check("x.ipynb"),
    "language": lambda text: language_of("-", text),
    "load": load,
    "load C": lambda text: load(text, "x.cu"),
    "load Python": lambda text: load(text, "x.py"),
    "device code": lambda text: load_device_code(f".entry k() {{ {text}"),
    "formats of printf": lambda text: format_text(text, lambda _, count: bytes(count), 0),
    "arguments of kernels": _refused(lambda text: parse_argument(text, _POINTER)),
    "machine code": _disassembled,
    "run": _run,
    "open": _open,
    "complete": find_completions,
    "values": _values,
    "observations": _observations,
    "assignments": lambda text: render_request([_ADD, text]),
    "several assignments": lambda text: render_request([_ADD, "a=1", *text.split(",")]),
    "notes": _notes,
    "models": parse_model,
    "markers": updated,
    "markers around": _marked,
    "doubtful markers": find_doubtful,
    "marked arguments": lambda text: updated(f"<!-- ptxscope trace {text} -->\n<!-- /ptxscope -->"),
    "file or instruction": is_file_name,
    "search": search_instructions,
    "lessons": _lesson,
    "show": _shown,
    "titles": _titled,
    "a trace in JSON": _recorded,
    "answers": _answered,
    "lanes": _lane,
}
"""By what a reader would call it; CSV files have a test of their own."""


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
_NUMBERED = {
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
    *(Numbered("", part) for part in _NUMBERED.values()),
]
_TAILS = ["", "x", "\n", ";", '"', "*/", ");", "}", "'", "]", " x;\n"]
EVERY = [Family(h, p, t) for p in _ATOMS for h in _HEADS for t in _TAILS]
EVERY += [Numbered(h, p, t) for p in _NUMBERED.values() for h in _HEADS for t in _TAILS]
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


def _time(
    read: Callable[[str], object], text: str, repeats: int = 1, ceiling: float = CEILING
) -> float:
    least = ceiling
    for _ in range(repeats):
        with _ceiling(ceiling):
            start = process_time()
            read(text)
            least = min(least, process_time() - start)
    return least


def fault(
    read: Callable[[str], object], family: Family, enough: float, ceiling: float = CEILING
) -> str:
    """What is wrong with how the time grows; empty where nothing is.

    ``enough`` is how many seconds a reading must take to be judged; what takes less for the
    largest text is fast.
    """
    read = _refused(read)
    size, before = SMALLEST, -1.0
    try:
        _time(read, family.text(size), 1, ceiling)  # what is made once
        taken = _time(read, family.text(size), 2, ceiling)
        while (taken < enough and size < LARGEST) or before < 0:
            size, before = 4 * size, taken
            taken = _time(read, family.text(size), 1, ceiling)
        for repeats in range(2, 2 + TRIES):
            if _fine(size, before, taken, enough):
                return ""
            if repeats >= TRIES:  # where a fixed cost or a cache is near, longer texts tell
                size *= 2
            before = _time(read, family.text(size // 4), repeats, ceiling)
            taken = _time(read, family.text(size), repeats, ceiling)
    except _TooLong:
        return f"{family}: {size} characters take more than {ceiling:g} s"
    if _fine(size, before, taken, enough):
        return ""
    return f"{family}: {size // 4} characters {before:.4f} s, {size} characters {taken:.4f} s"


def _fine(size: int, before: float, taken: float, enough: float) -> bool:
    fast = size >= LARGEST and taken < FAST
    return fast or taken < enough or taken <= GROWTH * before


def _faults(entry: str, families: list[Family], enough: float) -> list[str]:
    gc.collect()
    gc.disable()
    try:
        return [found for family in families if (found := fault(ENTRIES[entry], family, enough))]
    finally:
        gc.enable()


_ONCE = {
    entry: [Family(*parts) for parts in rows]
    for entry, rows in json.loads((DATA / "slow_texts.json").read_text("utf-8")).items()
}
_ONCE["load"] += [
    Numbered("", "{{ .reg .b32 a{0};"),
    *(Numbered("", _NUMBERED[name]) for name in ("numbered blocks", "registers of all")),
]
_ONCE["run"] = [Numbered("", _NUMBERED[name]) for name in ("asm statements", "kernels")]
"""What took quadratic or exponential time, or is near to it: a head, a part, a tail."""


@ci_only
@pytest.mark.parametrize("entry", some(ENTRIES))
def test_twice_the_text_takes_three_times_the_time_at_most(entry: str) -> None:
    rng = Random(entry)
    drawn = [rng.choice(SINGLE), rng.choice(EVERY)]
    assert not _faults(entry, _ONCE.get(entry, []), 0.02)
    assert not _faults(entry, drawn, 0.01)


@pytest.mark.soak
@pytest.mark.parametrize("entry", ENTRIES)
def test_every_family_of_texts_is_read_in_linear_time(entry: str) -> None:
    rng = Random(entry)
    families = [*SINGLE, *_ONCE.get(entry, []), *rng.sample(EVERY, 400), *rng.sample(MIXED, 200)]
    assert not _faults(entry, families, 0.1)


@ci_only
def test_functions_of_a_run_are_read_in_linear_time() -> None:
    """A list comprehension over all blocks, once for each function, showed from 5,000 on."""
    family = Numbered("", ".func f{0}() {{ .reg .b32 a{0}; vadd.u32.u32.u32 a{0}, b, c; ret; }}\n")
    assert not fault(load, family, 2)


@pytest.mark.parametrize("part", [",", '"', '"a', "a,1\n", '""', "\n", "1", '"a"b', " "])
def test_csv_files_are_read_in_linear_time(part: str, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"

    def read(text: str) -> int:
        file.write_text(text, encoding="utf-8")
        return sum(len(row) for _, row in read_rows(str(file)))

    assert not fault(read, Family("", part), 0.02)


@pytest.mark.parametrize(
    "text", ["/" * 44, "/" * 60, "// " * 30, "#" * 60, "/*" + "*" * 60 + "*/", "\\" * 60]
)
@pytest.mark.parametrize("name", ["x.cu", "x.py", "x.ptx", "x"])
def test_a_banner_between_string_literals_is_read_in_linear_time(text: str, name: str) -> None:
    line = f'f("a" {text}\n + "vadd.u32.u32.u32 d, a, b;" {text}\n "b");\n'
    assert _time(_refused(_check(name)), line) < CEILING


@ci_only
def test_quadratic_growth_fails_the_test_of_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    # by a clock that counts steps, a microsecond each: another's load does not make it go wrong
    steps = 0

    def quadratic(text: str) -> None:
        nonlocal steps
        steps += len(text) ** 2 // 1000

    def linear(text: str) -> None:
        nonlocal steps
        steps += len(text)

    def exponential(text: str) -> object:
        return re.fullmatch(r"(?:a|aa)*b", text)

    family = Family("", "a")
    assert "more than 0.5 s" in fault(exponential, family, 0.008, 0.5)
    monkeypatch.setitem(globals(), "process_time", lambda: steps / 1e6)
    assert fault(quadratic, family, 0.008)
    assert not fault(linear, family, 0.008)


def test_a_statement_reports_a_limited_number_of_errors() -> None:
    with pytest.raises(PtxError) as caught:
        parse_all("vadd" + ".foo" * 100_000 + " d, a, b;")
    *told_, last = caught.value.errors
    assert [x.span for x in told_] == [(4 + 4 * i, 8 + 4 * i) for i in range(11)]
    # every unknown word, and the three types that are missing
    assert last.message == f"there are {100_000 + 3 - len(told_)} more errors in this statement"
    assert last.span == (4 + 4 * len(told_), 8 + 4 * len(told_))


def test_a_text_reports_a_limited_number_of_errors() -> None:
    with pytest.raises(PtxError) as caught:
        parse_all("vadd.f32 d;\n" * 1000)
    assert len(caught.value.errors) >= 1000
    said = str(caught.value)
    assert said.count("\n") < 200
    assert said.splitlines()[-1] == f"there are {len(caught.value.errors) - 23} more errors"


@ci_only
def test_a_log_is_not_much_larger_than_the_text() -> None:
    commas = "vadd.u32.u32.u32 d" + "," * 20_000 + ";"
    line = "vadd.f32 d, a; " * 1500
    for text in (commas, line):
        assert _logged(check_text(text, "x.ptx")) < 500 * len(text)
    assert _logged(check_text(commas, "x.ptx")) < 50_000


def test_the_excerpt_of_a_long_word_is_short_and_its_columns_are_exact() -> None:
    word = "x" * 5000
    for name, text in (
        ("x.ptx", f"vadd.u32.u32.u32.{word} d, a, b;"),
        ("x.cu", f'asm("vadd.u32.u32.u32.{word} %0, %1, %2;" :);'),
    ):
        (item,) = check_text(text, name)
        start = text.index(f".{word}")
        place = item.diagnostics[0].location
        assert (place.column, place.width) == (start + 1, len(word) + 1)
        assert len(place.excerpt) < 1500
        assert set(place.excerpt[slice(*place.span)]) == {".", "x"}
        result, *_ = map(json.loads, iter_sarif_results(item))
        region = result["locations"][0]["physicalLocation"]["region"]
        assert (region["startColumn"], region["endColumn"]) == (start + 1, start + 5002)
