"""The check of a text after a change, against the check of the whole text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope.engine.syntax import c_lexer
from ptxscope.engine.syntax.source import Fragment
from ptxscope.features.check.check_cache import CheckCache
from ptxscope.features.check.diagnostic import CheckedInstruction
from ptxscope.features.check.lint import check_text
from ptxscope.features.editor.language_server import encode_parts
from ptxscope.features.editor.source_answers import SourceText
from ptxscope.features.editor.symbol_answers import ListingSymbols, PieceSymbols

SOURCE = r"""#include <cstdint>
#define ADD(x) "vadd4.u32.u32.u32 %0, %1, %2, " x ";"
#ifdef WIDE
#define PTR "l"
#else
#define PTR "r"
#endif
constexpr int kShift = 7;
namespace {
__device__ uint32_t add(uint32_t a, uint32_t b) {
  uint32_t d;  // it's a comment with a quote
  asm("vadd4.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(0));
  if (a > 1'000) {
    asm volatile(ADD("%3") : "=r"(d) : "r"(a), "r"(b), "r"(b));
  }
  return d;
}
}

/* a function
}
*/
__device__ void load(const void *p, uint32_t &d) {
  asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %1, 0;\n"
               " @p ld.global.u32 %0, [%2];\n}\n" : "=r"(d) : "r"(d), PTR(p));
  asm("add.cc.u32 %0, %0, %1;" : "+r"(d) : "n"(kShift));
  asm("addc.u32 %0, %0, 0;" : "+r"(d));
  const char *text = R"(
.version 8.0
.reg .b32 x;
vmin4.u32.u32.u32 x, x, x, x;
}
)";
  char c = '"';
  d = __vaddus4(d, d);  // ptxscope: ignore[intrinsic]
}

struct S {
  __device__ int f(int a) {
    asm("{ .reg .b32 t; shr.u32 t, %0, 3;" : "+r"(a));
    asm("mov.u32 %0, t; }" : "=r"(a));
    return a;
  };
};
#if 0
__device__ void dead() { asm("vsub4.u32 %0, %1;" ::); }
#endif
"""
LISTING = """//
.version 8.0
.target sm_75
.address_size 64
.extern .func (.param .b32 r) other(.param .b32 a);
.global .align 4 .b8 table[4] = {1, 2, 3, 4};
.reg .b32 shared;
.visible .func (.reg .b32 result) twice(.reg .b32 x)
{
  add.u32 result, x, x; // it's
  add.u32 shared, result, undeclared;
  ret;
}
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  ld.param.u32 %r1, [n];
LOOP:
  .loc 1 5 0
  vadd4.u32.u32.u32 %r2, %r1, %r1, %r3;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  bra LOOP;
DONE:
  {
    .reg .b32 t;
    call.uni (t), twice, (%r1);
}
  st.global.u32 [table], %r2;
  ret;
}

/* a comment
}
*/
.entry last(.param .u32 n)
{
  .reg .b32 %r<9>;
  addc.u32 %r1, %r1, table;
  vmin4.u32.u32.u32 %r4, %r1, shared, 0; // ptxscope: ignore
  ret;
}
.file 1 "a.cu"
"""
LISTING_PARTS = (
    *'"/*{}();:%\n\t .,',
    *("//", "/*", "*/", "}\n", "\n}\n", "{\n", "ret;\n", "  {\n", "%r1", "%r7", "table", "x"),
    *(".version 7.0\n", ".target sm_90\n", ".reg .b32 %r<2>;", ".entry e()\n", ".func f;\n"),
    *(
        "// implicit-def: %r3\n",
        "L:\n",
        "bra L;\n",
        "add.cc.u32 %r1, %r1, %r1;\n",
        "mov.u32 %r1, 3;",
    ),
    *(
        "// ptxscope: ignore[E3]\n",
        "vadd4.u32.u32.u32",
        ".address_size 32\n",
        ".section .debug {\n",
    ),
)
PARTS = (
    *"\"'\\/*{}();:%\n\t .",
    *("//", "/*", "*/", 'R"(', ')"', "\\\n", "\n}\n", "\n  };\n", 'asm("', "1'0", "u8'", "asm /*"),
    *("#define X(a) a\n", "#define PTR 1\n", "#if 0\n", "#else\n", "#endif\n", "#include <x>\n"),
    *("vadd4.u32.u32.u32", ".reg .b32 t;", "volatile", "%0", '"+r"(a)', "// ptxscope: ignore\n"),
    *("const int kShift = 3;\n", 'asm(ADD("%0") : "=r"(d));\n', '"\n"', '"abc" +'),
)


@st.composite
def edits(draw: st.DrawFn, parts: Sequence[str] = PARTS) -> list[tuple[float, int, str]]:
    """Places in a text from 0 to 1, characters that go there, and those that come."""
    change = st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.sampled_from((0, 0, 0, 1, 1, 2, 9, 60)),
        st.one_of(st.just(""), st.sampled_from(parts)),
    )
    return draw(st.lists(change, min_size=1, max_size=4))


def change(text: str, place: float, count: int, added: str) -> str:
    """Replace some characters of a text."""
    position = int(place * len(text))
    return text[:position] + added + text[position + count :]


@contextmanager
def one_part() -> Iterator[None]:
    """Let C be read in one part, as if no function had an end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(c_lexer, "PART_END", re.compile("(?!)"))
        yield


def check_whole(text: str, name: str) -> list[CheckedInstruction]:
    """Check a text of which nothing is known."""
    with one_part():
        return [*check_text(text, name, with_line_markers=False)]


def recheck(text: str, name: str, changes: list[tuple[float, int, str]]) -> None:
    """Check a text after each change, and compare."""
    cache = CheckCache()
    for place in ((0.0, 0, ""), *changes):
        text = change(text, *place)
        items = [*check_text(text, name, with_line_markers=False, cache=cache)]
        assert items == check_whole(text, name), text


@given(edits())
def test_a_changed_source_is_checked_like_a_new_one(changes: list[tuple[float, int, str]]) -> None:
    """A check after changes finds in C what a check of the whole text finds."""
    recheck(SOURCE, "a.cu", changes)


@given(edits(LISTING_PARTS))
def test_a_changed_listing_is_checked_like_a_new_one(changes: list[tuple[float, int, str]]) -> None:
    """A check after changes finds in a listing what a check of the whole listing finds."""
    recheck(LISTING, "a.ptx", changes)


def read_places(names: ListingSymbols | PieceSymbols, text: str) -> Iterator[object]:
    """Yield what an editor asks about each name of a listing."""
    parts = names.parts if isinstance(names, ListingSymbols) else [names]
    yield sorted(x for part in parts for x in part.list_outline())
    functions = PieceSymbols(Fragment(text)).table.functions
    for word in re.finditer(r"[%\w$]+", text):
        offset = word.start()
        part = next(x for x in parts if x.span[0] <= offset < x.span[1])
        yield word[0], sorted(part.list_places(offset)), sorted(part.find_definitions(offset))
        is_inside = any(x.span[0] <= offset < x.span[1] for x in functions)
        if is_inside and part.list_places(offset):
            yield {*part.list_registers(offset)}


@given(edits(LISTING_PARTS))
def test_names_of_a_changed_listing_are_current(
    changes: list[tuple[float, int, str]],
) -> None:
    """The names of a listing's functions are those of the whole listing."""
    text = LISTING
    for place in ((0.0, 0, ""), *changes):
        text = change(text, *place)
        whole = PieceSymbols(Fragment(text))
        assert [*read_places(ListingSymbols(text), text)] == [*read_places(whole, text)], text


@given(edits(LISTING_PARTS))
def test_tokens_of_a_changed_listing_are_current(
    changes: list[tuple[float, int, str]],
) -> None:
    """The tokens of a listing's functions, from one to the next, are those of the listing."""
    text = LISTING
    for place in changes:
        text = change(text, *place)
    source = SourceText(text, "a.ptx")
    starts = [0, *(x.end() for x in re.finditer("\n", text))]
    data, spans, line, column = [*encode_parts(source.list_token_parts())], [], 0, 0
    for lines, moved, width, *_ in zip(*[iter(data)] * 5, strict=True):
        line, column = line + lines, moved + (0 if lines else column)
        spans.append((starts[line] + column, starts[line] + column + width))
    assert spans == [x.span for x in source.list_tokens()]
