"""What is legal in an asm statement, and what is not: as nvcc 13.0.88 has it (sm_90).

Every verdict here was asked of nvcc; tests/soak/test_nvcc.py asks again.
"""

from __future__ import annotations

import pytest

from ptxscope.sources.diagnostic import CheckedInstruction
from ptxscope.sources.lint import check_text

KERNEL = """\
__global__ void k(unsigned *o, unsigned a, unsigned b, unsigned long long l, float f, double g) {{
  const int N = 3;
  unsigned d;
  {}
}}
"""
_ADD = "vadd.u32.u32.u32 %0, %1, %2"
_RR = ': "=r"(d) : "r"(a), "r"(b)'


def _with(value: str, text: str) -> str:
    """A statement with a constant."""
    return f'asm volatile("{text}" : "=r"(d) : "r"(a), "n"({value}));'


def _rr(text: str) -> str:
    return f'asm volatile("{text}" {_RR});'


TAKEN = [
    *(_with(value, _ADD + ";") for value in ("5", "-5", "0x10u", "010", "sizeof(int)", "N", "'a'")),
    _with("5", "vadd.s32.s32.s32 %0, %1, -%2;"),
    _with("-5", "vadd.s32.s32.s32 %0, %1, -%2;"),
    _with("10", "vadd.s32.s32.s32 %0, %1, 0x%2;"),
    _with("5", "vadd.s32.s32.s32 %0, %1, (%2+1);"),
    _with("5", "vadd.s32.s32.s32 %0, %1, %2U;"),
    _with("3", "vadd.s32.s32.s32 %0, %1.b%2, %1;"),
    _with("3", "{ .reg .u32 t3; vadd.s32.s32.s32 %0, %1, t%2; }"),
    _with("32", "vadd.u%2.s32.s32 %0, %1, %1;"),
    _with("1", "selp.b32 %0, %1, %1, %2;"),
    _with("N", "selp.b32 %0, %1, %1, !%2;"),
    _with("5", "vmad.s32.s32.s32 %0, -%2, %1, %1;"),
    'asm volatile("selp.b32 %0, %1, %2, 1;" : "=f"(f) : "f"(f), "n"(1));',
    *map(_rr, (f"{_ADD}; // why", f"{_ADD}; /* ; */", f"{{ {_ADD}; }}", f"L: {_ADD};")),
    _rr(f"{{ .reg .b64 t; mov.b64 t, {{%1, %2}}; {_ADD}; }}"),
    _rr(f"mov.u32 %0, %1; {_ADD};\\n"),
    _rr("{ .reg .u32 %%t; vadd.u32.u32.u32 %0, %%t, %1; }"),
    _rr("{ .reg .u32 %%2; vadd.u32.u32.u32 %0, %1, %%2; }"),
    'asm volatile("{ .reg .u32 %t; vadd.u32.u32.u32 %t, %t, %t; }");',
    'asm volatile("{ .reg .u32 %t; vadd.u32.u32.u32 %t, %t, %t; }" ::: "memory");',
    'asm volatile(".reg .u32 t;"); ' + _rr("vadd.u32.u32.u32 %0, t, %1;"),
    'asm volatile("{ .reg .u32 t;"); ' + _rr("vadd.u32.u32.u32 %0, t, %1;") + ' asm volatile("}");',
    'asm volatile("selp.f32 %0, %1, %2, 1;" : "=f"(f) : "r"(a), "f"(f));',
    'asm volatile("selp.f64 %0, %1, %2, 1;" : "=d"(g) : "l"(l), "d"(g));',
    # instructions that the catalog lacks
    'asm volatile("mov.b32 %0, %1;" : "=r"(d) : "f"(f));',
    'asm volatile("mov.f32 %0, %1;" : "=r"(d) : "f"(f));',
    'asm volatile("add.f64 %0, %1, %1;" : "=d"(g) : "l"(l));',
    'asm volatile("add.f16x2 %0, %1, %1;" : "=r"(d) : "r"(a));',
    'asm volatile("and.b32 %0, %1, %1;" : "=f"(f) : "f"(f));',
    'asm volatile("mov.b64 %0, {%1, %2};" : "=l"(l) : "r"(a), "r"(b));',
    'asm volatile("mov.b64 {%0, _}, %1;" : "=r"(d) : "l"(l));',
    'asm volatile("mov.b64 %0, {%1, %2};" : "=l"(l) : "r"(a), "f"(f));',
    'asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=l"(l), "=l"(l) : "l"(o));',
    'asm volatile("mul.wide.u32 %0, %1, %1;" : "=l"(l) : "r"(a));',
    'asm volatile("popc.b64 %0, %1;" : "=r"(d) : "l"(l));',
    'asm volatile("shl.b64 %0, %1, %2;" : "=l"(l) : "l"(l), "r"(a));',
    'asm volatile("cvt.u32.u64 %0, %1;" : "=l"(l) : "l"(l));',
    'asm volatile("cvt.rn.f32.s32 %0, %1;" : "=r"(d) : "r"(a));',
    'asm volatile("cvt.rn.f16.f32 %0, %1;" : "=r"(d) : "f"(f));',
    'asm volatile("ld.global.u32 %0, [%1];" : "=l"(l) : "l"(o));',
    'asm volatile("ld.global.u8 %0, [%1];" : "=r"(d) : "l"(o));',
    'asm volatile("ld.global.f32 %0, [%1];" : "=r"(d) : "l"(o));',
    'asm volatile("ld.global.b32 %0, [%1];" : "=f"(f) : "l"(o));',
    'asm volatile("ld.shared.u32 %0, [%1];" : "=r"(d) : "r"(a));',
    'asm volatile("st.global.u32 [%0], %1;" :: "l"(o), "l"(l));',
    'asm volatile("atom.global.add.f32 %0, [%1], %2;" : "=r"(d) : "l"(o), "r"(a));',
    'asm volatile("mov.u32 %0, %tid.x;" : "=r"(d));',
    _rr("xor.b32 %0, %0, %0;"),
]
_UNLISTED = next(i for i, x in enumerate(TAKEN) if '"mov.b32 %0' in x)
"""The first statement without an instruction of the catalog."""
_CLOSED = "is not closed"
_END = "`;` is missing"
_EMPTY = "rejects empty statements"
_UNKNOWN = "is not declared"
_FOUR = "vadd4.u32.u32.u32 %0, %1, %2, %1;"
REFUSED = {
    _with("5", _FOUR): "takes no literal",
    _with("sizeof(int)", _FOUR): "takes no literal",
    _with("5", "vadd.u32.u32.u32 %0, %1, %2.b0;"): "no selector",
    _with("N", "vadd.u32.u32.u32 %0, %1, %2.b0;"): "no selector",
    _with("5", "vadd.u32.u32.u32 %2, %1, %1;"): "must be a register",
    _with("N", "vadd.u32.u32.u32 %2, %1, %1;"): "operand d is a register",
    _with("1", "@%2 vadd.u32.u32.u32 %0, %1, %1;"): "predicate",
    _with("N", "@%2 vadd.u32.u32.u32 %0, %1, %1;"): "the guard is a register",
    _with("1", "slct.u32.f32 %0, %1, %1, %2;"): "does not fit `.f32`",
    _with("N", "slct.u32.f32 %0, %1, %1, %2;"): "operand c is .f32",
    _with("4", "vadd.s32.s32.s32 %0, %1.b%2, %1;"): "not a selector",
    _with("64", "vadd.u%2.s32.s32 %0, %1, %1;"): "can't be the destination type",
    _rr(_ADD): _END,
    _rr(f"{_ADD} // ;"): _END,
    _rr(f"{{ {_ADD} }}"): _END,
    _rr(f"{_ADD}; mov.u32 %0, %1"): _END,
    _rr(f"mov.u32 %0, %1\\n {_ADD};"): _END,
    _rr(f"{_ADD}\\n {_ADD};"): _END,
    _rr(f"{_ADD};;"): _EMPTY,
    _rr(f"{_ADD}; /* why */ ;"): _EMPTY,
    _rr(f"; {_ADD};"): _EMPTY,
    _rr(f"mov.u32 %0, %1;; {_ADD};"): _EMPTY,
    _rr(f"{{ {_ADD}; }};"): _EMPTY,
    _rr(f"{{; {_ADD}; }}"): _EMPTY,
    _rr(f"L:; {_ADD};"): _EMPTY,
    _rr(f"{_ADD}; /* why"): _CLOSED,
    _rr(f"{_ADD}; // \u00e9"): "ASCII",
    _rr(f"{_ADD}; ,;"): "`,` can't begin",
    _rr(f"~{_ADD};"): "`~` can't begin",
    _rr("vadd.u32.u32.u32 %0, foo, %1;"): _UNKNOWN,
    _rr("@foo vadd.u32.u32.u32 %0, %1, %1;"): _UNKNOWN,
    _rr("vadd.u32.u32.u32 %0, %%t, %1;"): _UNKNOWN,
    _rr("vadd.u32.u32.u32 %0, %1, %%2;"): _UNKNOWN,
    _rr("vadd.u32.u32.u32 %0, %1, %%7;"): _UNKNOWN,
    'asm volatile("vadd.u32.u32.u32 t, t, t;");': _UNKNOWN,
    'asm volatile("vadd.u32.u32.u32 %0, %1, %2;");': "has none",
    'asm volatile("{ .reg .u32 %%t; vadd.u32.u32.u32 %%t, %%t, %%t; }");': "not an escape",
    'asm volatile("{ .reg .u32 %%t; vadd.u32.u32.u32 %%t, %%t, %%t; }" ::);': "not an escape",
    _rr("vadd.u32.u32.u32 %0, %rd1, %1;"): "`%rd1` is",
    'asm volatile("vadd.u32.u32.u32 %0, %1, %1;" : "=f"(f) : "r"(a));': "by its constraint",
    'unsigned __int128 q = a; asm volatile("vadd.u32.u32.u32 %0, %1, %1;" : "=r"(d) : "q"(q));': (
        "by its constraint"
    ),
    # instructions that the catalog lacks
    **dict.fromkeys(
        (
            'asm volatile("mov.u32 %0, %1;" : "=l"(l) : "r"(a));',
            'asm volatile("mov.u32 %0, %1;" : "=r"(d) : "f"(f));',
            'asm volatile("add.u32 %0, %1, %1;" : "=f"(f) : "r"(a));',
            'asm volatile("add.u64 %0, %1, %1;" : "=l"(l) : "r"(a));',
            'asm volatile("add.f32 %0, %1, %1;" : "=f"(f) : "d"(g));',
            'asm volatile("fma.rn.f32 %0, %1, %1, %1;" : "=f"(f) : "l"(l));',
            'asm volatile("add.f16x2 %0, %1, %1;" : "=f"(f) : "r"(a));',
            'asm volatile("max.u16x2 %0, %1, %1;" : "=l"(l) : "r"(a));',
            'asm volatile("mov.b64 %0, {%1, %2};" : "=l"(l) : "r"(a), "l"(l));',
            'asm volatile("mov.b64 {%0, %1}, %2;" : "=r"(d), "=l"(l) : "l"(l));',
            'asm volatile("mov.b32 {%0, _}, %1;" : "=r"(d) : "r"(a));',
            'asm volatile("ld.global.v2.u64 {%0, %0}, [%1];" : "=r"(d) : "l"(o));',
            'asm volatile("ld.global.u32 %0, [%1];" : "=r"(d) : "d"(g));',
            'asm volatile("mul.wide.u32 %0, %1, %1;" : "=r"(d) : "r"(a));',
            'asm volatile("mad.wide.u32 %0, %1, %1, %2;" : "=l"(l) : "r"(a), "r"(b));',
            'asm volatile("mad.hi.u32 %0, %1, %1, %2;" : "=r"(d) : "r"(a), "l"(l));',
            'asm volatile("mul24.lo.u32 %0, %1, %1;" : "=r"(d) : "l"(l));',
            'asm volatile("sad.u32 %0, %1, %1, %2;" : "=r"(d) : "r"(a), "l"(l));',
            'asm volatile("popc.b64 %0, %1;" : "=l"(l) : "l"(l));',
            'asm volatile("bfind.u32 %0, %1;" : "=l"(l) : "r"(a));',
            'asm volatile("shl.b64 %0, %1, %2;" : "=l"(l) : "l"(l), "l"(l));',
            'asm volatile("cvt.u64.u32 %0, %1;" : "=r"(d) : "r"(a));',
            'asm volatile("cvt.u32.u64 %0, %1;" : "=r"(d) : "r"(a));',
            'asm volatile("cvt.rzi.u32.f32 %0, %1;" : "=f"(f) : "f"(f));',
            'asm volatile("cvta.to.shared.u64 %0, %1;" : "=r"(d) : "l"(o));',
            'asm volatile("ld.global.u64 %0, [%1];" : "=r"(d) : "l"(o));',
            'asm volatile("ld.global.u32 %0, [%1];" : "=f"(f) : "l"(o));',
            'asm volatile("ld.global.u16 %0, [%1];" : "=f"(f) : "l"(o));',
            'asm volatile("ld.global.nc.f32 %0, [%1];" : "=d"(g) : "l"(o));',
            'asm volatile("ld.global.u32 %0, [%1];" : "=r"(d) : "r"(a));',
            'asm volatile("st.global.u64 [%0], %1;" :: "l"(o), "r"(a));',
            'asm volatile("st.global.u32 [%0], %1;" :: "l"(o), "f"(f));',
            'asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=l"(l) : "l"(o), "r"(a));',
            'asm volatile("atom.global.cas.b32 %0, [%1], %2, %2;" : "=r"(d) : "l"(o), "l"(l));',
            'asm volatile("red.global.add.u64 [%0], %1;" :: "l"(o), "r"(a));',
            'asm volatile("ex2.approx.f32 %0, %1;" : "=d"(g) : "f"(f));',
        ),
        "by its constraint",
    ),
    _rr("mov.u32 %0, %3;"): "beyond the operands",
    _rr("mov.u32 %0, %r1;"): "`%r1` is",
    'asm volatile("mov.u32 %0, %tid.x;");': "has none",
    'asm volatile("mov.u32 t, %%tid.x;");': "not an escape",
}


def _checked(statement: str, name: str = "x.cu") -> list[CheckedInstruction]:
    return list(check_text(KERNEL.format(statement), name))


@pytest.mark.parametrize("statement", TAKEN)
def test_what_nvcc_takes_is_legal(statement: str) -> None:
    items = _checked(statement)
    assert items or statement in TAKEN[_UNLISTED:]
    assert [item.message for item in items if not item.is_legal] == []


@pytest.mark.parametrize("statement", REFUSED)
def test_what_nvcc_refuses_is_illegal(statement: str) -> None:
    said = "; ".join(item.message for item in _checked(statement))
    assert REFUSED[statement] in said


def test_a_constant_is_shown_as_nvcc_writes_it() -> None:
    # asked of nvcc: 32 bits of it as a signed number
    for written, value in {"5": "5", "3000000000u": "-1294967296", "0xffffffff": "-1"}.items():
        (item,) = _checked(_with(written, _ADD + ";"))
        assert item.ptx == f"vadd.u32.u32.u32 %0, %1, {value};"
    for written in ("3000000000", "4294967295ull"):
        text = "{ .reg .pred p; setp.eq.u64 p, 0, %2; selp.u32 %0, %1, %1, p; }"
        item, _ = _checked(_with(written, text))
        assert item.ptx == f"setp.eq.u64 p, 0, {written.rstrip('ul')};"


def test_what_stands_at_a_constant_points_at_its_placeholder() -> None:
    (item,) = _checked(_with("5", _FOUR))
    (finding,) = item.diagnostics
    assert finding.location.excerpt[slice(*finding.location.span)] == "%2"


def test_a_register_that_an_included_file_may_declare_is_warned_of() -> None:
    text = KERNEL.format(_rr("vadd.u32.u32.u32 %0, foo, %1;"))
    glued = '#define DECLARE(x) asm(".reg .u32 " #x ";")\n'
    for head in ('#include "own.cuh"\n', glued):
        (item,) = check_text(head + text, "x.cu")
        assert item.is_legal
        assert [(x.rule, x.severity) for x in item.diagnostics] == [("unseen", "warning")]
    for name in ("x.cuh", "x.h", "-"):
        (item,) = check_text(text, name)
        assert [(x.rule, x.severity) for x in item.diagnostics] == [("unseen", "warning")]
    (item,) = check_text("#include <cstdint>\n" + text, "x.cu")
    assert not item.is_legal


@pytest.mark.parametrize("reg", [".reg.pred %below;", ".reg .pred %below;", ".reg\t.pred %below;"])
def test_a_register_may_be_declared_without_blanks(reg: str) -> None:
    # as published code has it, the braces and the declaration in asm statements of their own
    declared = f'asm("{{"); asm("{reg}");'
    text = declared + _rr("setp.lt.u32 %below, %2, %1;") + 'asm("}");'
    assert all(item.diagnostics == () for item in check_text(KERNEL.format(text), "x.cu"))


def test_a_constant_of_which_nothing_is_known_keeps_what_is_beside_it_unread() -> None:
    for text in ("vadd.u32.u32.u32 %0, %1.b%2, %1;", "vadd.u32.u32.u32 %0, %1, (%2 + 1);"):
        (item,) = _checked(_with("N", text))
        assert (item.is_legal, item.is_unreadable) == (True, True)


def test_a_name_of_an_operand_is_noted_for_nvcc_does_not_know_it() -> None:
    # "symbolic operand reference not supported!"; clang takes it
    (item,) = _checked('asm("vadd4.u32.u32.u32 %[d], %1, %1, %1;" : [d] "=r"(d) : "r"(a));')
    (finding,) = item.diagnostics
    assert (finding.rule, "by name" in finding.message) == ("note", True)
    assert finding.location.excerpt[slice(*finding.location.span)] == "%[d]"


MODULE = ".version 8.0\n.target sm_75\n.entry k() {{\n.reg .b32 d, a, b, c;\n{}\nret;\n}}\n"
_LINE = "vadd4.u32.u32.u32 d, a, b, c"
LISTED = {
    f"{_LINE};": True,
    f"{_LINE}; // ;": True,
    f"{{{_LINE};}}": True,
    f"{_LINE}": False,
    f"{_LINE} // ;": False,
    f"{{{_LINE}}}": False,
    f"{_LINE}\n{_LINE};": False,
    f"{_LINE};;": False,
    f"{_LINE}; /* */ ;": False,
}


@pytest.mark.parametrize("line", LISTED)
def test_the_end_of_a_statement_in_a_listing(line: str) -> None:
    items = list(check_text(MODULE.format(line), "x.ptx"))
    assert all(item.is_legal for item in items) == LISTED[line]


def test_the_last_line_of_what_is_no_module_may_lack_its_end() -> None:
    for text, name in ((_LINE, "x.ptx"), (f"{_LINE}\n", "-"), (f'"{_LINE}"', "-")):
        assert [item.diagnostics for item in check_text(text, name)] == [()]


def test_a_label_may_have_a_number_of_its_own() -> None:
    # nvcc writes a number for `%=`, so that labels of one text stand in many places
    text = "{ .reg .pred p; setp.lt.s32 p, %1, 0; @p bra X_%=; vadd.u32.u32.u32 %0, %2, %1; X_%=: }"
    for statement in (_rr(text), f'asm volatile(R"({text})" {_RR});'):
        assert [item.diagnostics for item in _checked(statement)] == [(), ()]


@pytest.mark.parametrize("count", ["3", "0x3", "0b11", "03", "3U"])
def test_the_number_of_registers_is_written_in_any_base(count: str) -> None:
    declared = f".reg.b32 t<{count}>;\nvadd.u32.u32.u32 t0, t1, t{{}};\n"
    legal = [
        [item.is_legal for item in check_text(MODULE.format(declared.format(at)), "x.ptx")]
        for at in (2, 3)
    ]
    assert legal == [[True], [False]]
