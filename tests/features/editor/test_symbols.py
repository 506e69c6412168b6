"""The names of PTX in an editor: definitions, places, new names, the outline, completions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ptxscope.engine.syntax.opcodes import ALL_OPCODES
from ptxscope.features.editor.source_answers import SourceText
from ptxscope.features.editor.symbols import SymbolKind
from tests.reference_data import DATA

MARKED = """
.version 8.0
.target sm_75
.address_size 64
.shared .align 4 .b8 tile[64];
.func (.reg .b32 result) twice(.reg .b32 x)
{
  add.u32 result, x, x;
  ret;
}
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<3>;
  .reg .b32 %r<9>, sum;
  ld.param.u32 %r1, [n];
  mov.u32 sum, 0;                  // first
LOOP:
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  add.u32 sum, sum, %r1;           // second
  @%p2 mov.u32 sum, tile;          // third
  sub.u32 %r1, %r1, 1;
  bra LOOP;
DONE:
  {
    .reg .b32 sum;
    mov.u32 sum, 7;                // inner
    mov.u32 %r2, sum;
  }
  st.shared.u32 [tile], sum;
  ret;
}
"""


def read(text: str, name: str = "a.ptx") -> SourceText:
    return SourceText(text, name)


def find_line(span: tuple[int, int], text: str = MARKED) -> str:
    """The line of a span, without its comment."""
    start = text.rfind("\n", 0, span[0]) + 1
    return " ".join(text[start:].split("\n")[0].split())


def define(pattern: str, text: str = MARKED, name: str = "a.ptx") -> list[str]:
    """The lines of the definitions of the name at the start of a pattern's last group."""
    match = re.search(pattern, text)
    assert match
    offset = match.start(match.lastindex or 0)
    symbols = read(text, name).find_symbols(offset)
    return [find_line(x, text) for x in symbols.find_definitions(offset)] if symbols else []


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [
        # in the loop: before it, or from its end; the guarded write keeps the one before it
        (
            r"add.u32 sum, (sum)",
            [
                "mov.u32 sum, 0; // first",
                "add.u32 sum, sum, %r1; // second",
                "@%p2 mov.u32 sum, tile; // third",
            ],
        ),
        (r"mov.u32 %r2, (sum)", ["mov.u32 sum, 7; // inner"]),
        (
            r"\[tile\], (sum)",
            [
                "mov.u32 sum, 0; // first",
                "add.u32 sum, sum, %r1; // second",
                "@%p2 mov.u32 sum, tile; // third",
            ],
        ),
        (r"eq.u32 %p1, (%r1)", ["ld.param.u32 %r1, [n];", "sub.u32 %r1, %r1, 1;"]),
        (r"add.u32 result, (x)", [".func (.reg .b32 result) twice(.reg .b32 x)"]),
        (r"@(%p2)", [".reg .pred %p<3>;"]),  # nothing writes it
        (r"ld.param.u32 (%r1)", [".reg .b32 %r<9>, sum;"]),  # a write: its declaration
        (r"bra (LOOP)", ["LOOP:"]),
        (r"bra (DONE)", ["DONE:"]),
        (r"(tile)\], sum", [".shared .align 4 .b8 tile[64];"]),
        (r"\[(n)\]", [".visible .entry k(.param .u64 out, .param .u32 n)"]),
        (r"(ld).param", []),
    ],
)
def test_a_definition_is_what_a_read_may_see(pattern: str, lines: list[str]) -> None:
    assert define(pattern) == lines


ASM = """int f(int a) {
  int d;
  asm("{.reg .u32 t; vadd4.u32.u32.u32 t, %1, %1, %1;\\n\\t add.u32 %0, t, 1;}" : "=r"(d) : "r"(a));
  return __vabsdiffu4(d, a);
}
"""


def test_names_in_an_asm_statement() -> None:
    offset = ASM.index(", t, 1") + 2
    symbols = read(ASM, "a.cu").find_symbols(offset)
    assert symbols
    places = [(ASM[x.span[0] - 4 : x.span[1]], x.is_write) for x in symbols.list_places(offset)]
    assert places == [("u32 t", False), ("u32 t", True), ("%0, t", False)]
    (write,) = symbols.find_definitions(offset)
    assert ASM[: write[0]].endswith("vadd4.u32.u32.u32 ")
    edits = symbols.rename(offset, "total", ASM)
    assert apply(edits, ASM) == re.sub(r"\bt\b(?=[;,])", "total", ASM)
    with pytest.raises(ValueError, match="`%1` is not declared here"):
        symbols.rename(ASM.index("%1"), "x", ASM)
    assert read(ASM, "a.cu").find_symbols(ASM.index("return")) is None


def apply(edits: object, text: str) -> str:
    for span, new in sorted(edits, reverse=True):  # type: ignore[call-overload]
        text = text[: span[0]] + new + text[span[1] :]
    return text


def rename(pattern: str, name: str) -> str:
    offset = re.search(pattern, MARKED).start(1)  # type: ignore[union-attr]
    symbols = read(MARKED).find_symbols(offset)
    assert symbols
    return apply(symbols.rename(offset, name, MARKED), MARKED)


def test_a_new_name_is_given_in_its_braces_only() -> None:
    head, inner, tail = re.split(r"(  \{\n    .reg.*?\n  \})", MARKED, flags=re.DOTALL)
    renamed = re.sub(r"\bsum\b", "total", head) + inner + re.sub(r"\bsum\b", "total", tail)
    assert rename(r"add.u32 (sum)", "total") == renamed
    renamed = head + re.sub(r"\bsum\b", "total", inner) + tail
    assert rename(r"mov.u32 %r2, (sum)", "total") == renamed


def test_one_of_many_registers_gets_a_declaration() -> None:
    renamed = MARKED.replace("%r1", "count").replace("%r<9>, sum;", "%r<9>, sum, count;")
    assert rename(r"sub.u32 (%r1)", "count") == renamed


@pytest.mark.parametrize(
    ("pattern", "name", "message"),
    [
        (r"bra (LOOP)", "1st", "not a name of PTX"),
        (r"bra (LOOP)", "DONE", "`DONE` is already a name here"),
        (r"add.u32 (sum)", "%r77", "`%r77` is already a name here"),
        (r"add.u32 (sum)", "%tid", "`%tid` has a meaning in PTX"),
        (r"add.u32 (sum)", "vset4", "`vset4` has a meaning in PTX"),
        (r"(%r)<9>", "%s", "declares many registers"),
        (r"(ret);", "x", "no name of PTX is here"),
    ],
)
def test_a_new_name_that_is_not_possible_says_why(pattern: str, name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rename(pattern, name)


def test_every_name_is_a_place_of_itself() -> None:
    """In real listings: each register belongs to a declaration, and no place is lost."""
    for file in ("video.ptx", "kernels.ptx"):
        text = (DATA / file).read_text("utf-8")
        registers = list(re.finditer(r"%(?:rd|rs|r|p|f)\d+\b", text))
        source = read(text, file)
        parts = {source.find_symbols(x.start()) for x in registers}
        places = {
            x.span[0] + part.span[0]: x.symbol
            for part in parts
            if part
            for x in part.table.occurrences
        }
        for register in registers:
            symbol = places[register.start()]
            assert symbol.name == register[0]
            assert symbol.declared_end > 0


def test_the_outline_has_functions_with_their_variables_and_labels() -> None:
    entries = read(MARKED).list_outline()
    assert [(x.name, x.kind, [y.name for y in x.children]) for x in entries] == [
        ("tile", SymbolKind.VARIABLE, []),
        ("twice", SymbolKind.FUNCTION, []),
        ("k", SymbolKind.KERNEL, ["out", "n", "LOOP", "DONE"]),
    ]
    assert MARKED[slice(*entries[2].span)].startswith(".visible .entry k(")
    assert MARKED[slice(*entries[2].span)].endswith("ret;\n}")


def test_registers_and_intrinsics_are_completed() -> None:
    offset = MARKED.index("sum, %r1; ") + len("sum, %r")
    completions, span = read(MARKED[:offset] + MARKED[offset + 1 :]).complete(offset)
    assert MARKED[slice(*span)] == "%r"
    assert {x.text for x in completions} >= {"%r1", "%r2"}
    assert not {x.text for x in completions} & {"x", "sum", "%p1"}
    text = ASM.replace("__vabsdiffu4", "__vabsd")
    offset = text.index("__vabsd") + 7
    completions, span = read(text, "a.cu").complete(offset)
    assert text[slice(*span)] == "__vabsd"
    assert {"__vabsdiffu4", "__vabsdiffs2"} <= {x.text for x in completions}


def test_every_opcode_and_intrinsic_is_described() -> None:
    for opcode in ALL_OPCODES:
        text = f".version 8.0\n.target sm_90\n.entry k() {{\n  {opcode}.x %r1, %r2;\n}}\n"
        about = read(text).describe(text.index(f"{opcode}.x"))
        assert about.startswith(f"### {opcode}"), opcode
        assert re.search(r"\n\n\S", about), opcode
    floats = "abs add cvt.rni.s32 div.rn fma.rn mad.rn max min mul.rn neg sub.rn".split()
    for name in [*(f"{x}.f32" for x in floats), "cp.async.wait_group", "wgmma.fence.sync.aligned"]:
        text = f".version 8.0\n.target sm_90\n.entry k() {{\n  {name} %r1, %r2, %r3, %r4;\n}}\n"
        about = read(text).describe(text.index(name))
        assert about.startswith(f"### {name.partition('.')[0]}"), name
        assert re.search(r"\n\n\S.*\.\Z", about.strip()), name
        assert not re.search("Copies|Multiplies matrices", about)
    about = read(ASM, "a.cu").describe(ASM.index("__vabsdiffu4"))
    assert "__vabsdiffu4(a, b)" in about.replace("\\", "")
    assert "vabsdiff4.u32.u32.u32 d, a, b, " in about


def test_the_sentences_name_opcodes_that_the_catalog_lacks() -> None:
    from ptxscope.engine.isa.catalog import ENTRIES
    from ptxscope.features.editor import source_answers

    sentences = source_answers.read_sentences()
    opcodes = {x for x in sentences if "." not in x}
    assert ALL_OPCODES - {x.opcode for x in ENTRIES} <= opcodes <= ALL_OPCODES
    assert {x.partition(".")[0] for x in sentences} == opcodes
    assert all(x.endswith(".") for x in sentences.values())


def test_a_long_file_has_no_symbols(tmp_path: Path) -> None:
    text = MARKED + "//" * 500_001
    assert read(text).find_symbols(10) is None
    assert read(text).list_outline() == []
