"""Comments where few write them: behind an opcode, within a guard, in front of an asm's text.

Each verdict is that of ptxas 13.0.88 (sm_75), or of nvcc 13.0.88 for a source.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ptxscope.engine.listings.lint import check_listing, check_text
from ptxscope.engine.listings.reading import statements
from ptxscope.engine.text.parser import scan

MODULE = """\
.version 8.0
.target sm_75
.entry k() {{
.reg .b32 d, a, b, c; .reg .pred p, q;
{}
ret;
}}
"""
KERNEL = """\
__global__ void k(unsigned *o) {{
  unsigned r = 0, x = o[1], y = o[2];
  {}
  o[0] = r;
}}
"""


def _cut(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


_OPERANDS = "d, a, b;"
_TYPES = ".u32.u32.u32"
BEHIND_AN_OPCODE = {
    f"vadd/*x*/{_TYPES} {_OPERANDS}": True,
    f"vadd /**/{_TYPES} {_OPERANDS}": True,
    f"vadd //x\n{_TYPES} {_OPERANDS}": True,
    f"vadd/* ; }} */ // ;\n\n/*\n*/ {_TYPES} {_OPERANDS}": True,
    f"mov.b32 a, b; vadd/**/{_TYPES} {_OPERANDS}": True,
    "setp/**/.lt.u32 p, a, b;": True,
    f"vadd/**/.u32.u32 {_OPERANDS}": False,
    f"vadd//\n.u32.u32 {_OPERANDS}": False,
    f"vadd/**/ {_OPERANDS}": False,
    "vadd/**/;": False,
    "setp/**/.lt p, a, b;": False,
}


@pytest.mark.parametrize("line", BEHIND_AN_OPCODE)
def test_an_instruction_is_found_with_a_comment_behind_its_opcode(line: str) -> None:
    text = MODULE.format(line)
    for size in (len(text), 1, 7):
        (item,) = check_listing(_cut(text, size), "x.ptx")
        assert item.legal == BEHIND_AN_OPCODE[line]


@pytest.mark.parametrize(
    ("text", "legal"),
    [
        ("vadd/*x*/.u32.u32.u32 %0, %1, %2;", True),
        ("vadd//x\\n.u32.u32.u32 %0, %1, %2;", True),
        ("vadd/*x*/.u32.u32 %0, %1, %2;", False),
        ("vadd4/* lanes */.u32.u32 %0, %1, %2, %1;", False),
    ],
)
def test_the_same_in_an_asm_statement(text: str, legal: bool) -> None:
    asm = f'asm volatile("{text}" : "=r"(r) : "r"(x), "r"(y));'
    (item,) = check_text(KERNEL.format(asm), "x.cu")
    assert item.legal == legal


def test_an_erratum_is_found_with_a_comment_behind_the_opcode() -> None:
    (plain,) = check_text(MODULE.format("vmad.u32.u32.u32.sat d, a, b, -c;"), "x.ptx")
    (noted,) = check_text(MODULE.format("vmad/* - */.u32.u32.u32.sat d, a, b, -c;"), "x.ptx")
    assert plain.errata
    assert (noted.ptx, noted.errata) == (plain.ptx, plain.errata)


@pytest.mark.parametrize(
    "text",
    [
        "mov.u32 d, set/* .lt */; ret; // set\n",
        "add.u32 d, a, vadd // .u32\n;",
        "set/* */: mov.b32 a, b;",
        "// set /* */ .lt\n",
        "vadd /* never closed .u32 d, a, b;",
    ],
)
def test_what_is_no_opcode_is_none_with_a_comment_behind_it(text: str) -> None:
    for size in range(1, len(text) + 1):
        assert not list(statements(_cut(text, size)))


@pytest.mark.parametrize("gap", ["/* {} */", "// {}\n", "\n/*{}*/\n/*\n*/"])
def test_what_follows_a_long_comment_is_seen_wherever_a_chunk_ends(gap: str) -> None:
    text = f"ret;\nvadd{gap.format('; } x ' * 500)}.u32.u32.u32 d, a, b;\nvad/**/.u32 d; ret;\n"
    wanted = [(x.text, x.start, x.line, x.column) for x in statements([text])]
    assert [text.startswith(x, at) for x, at, _, _ in wanted] == [True, True]
    assert [at for _, at, _, _ in wanted] == [x.span[0] for x in scan(text)]
    for size in (1, 5, 100, 2999):
        found = [(x.text, x.start, x.line, x.column) for x in statements(_cut(text, size))]
        assert found == wanted


def test_a_statement_without_its_end_ends_before_an_opcode_with_a_comment_behind_it() -> None:
    text = "vadd.u32.u32.u32 d, a, b\nvsub /* x\n*/ .u32.u32.u32 d, a, b;"
    assert [x.text for x in statements([text])] == text.split("\n", 1)
