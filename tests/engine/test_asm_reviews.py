"""What is wrong with the operands of an asm statement, whatever its instructions.

What is expected follows GCC's documentation of extended asm, which nvcc's "Inline PTX Assembly"
refers to: an operand with ``=`` has no value at the start and may share the register of an input
unless it has ``&``; an input must keep its value. nvcc 13.0 does give ``y`` and ``x`` one register
in ``for (…) { asm("add.u32 %0, %1, 1; add.u32 %0, %0, %1;" : "=r"(y) : "r"(x)); x = y; }``.
"""

from __future__ import annotations

import pytest

from ptxscope.sources.diagnostic import CheckedInstruction, Diagnostic
from ptxscope.sources.lint import check_text

IN = ' : "r"(a), "r"(b)'


def check(statement: str, name: str = "x.cu") -> list[CheckedInstruction]:
    return list(check_text(f"__device__ void f() {{\n{statement}\n}}", name))


def review(statement: str, name: str = "x.cu") -> list[tuple[str, str, str]]:
    """What is said: the rule, the text at its place, the text after the fix."""
    return [
        (
            x.rule,
            x.location.excerpt[slice(*x.location.span)],
            x.fix.text if x.fix else "",
        )
        for item in check(statement, name)
        for x in item.diagnostics
    ]


def fixed(statement: str, diagnostic: Diagnostic) -> str:
    """The line after the fix."""
    assert diagnostic.fix
    place, text = diagnostic.fix
    lines = f"__device__ void f() {{\n{statement}\n}}".split("\n")
    line, start = lines[place.line - 1], place.column - 1
    return line[:start] + text + line[start + place.width :]


UNWRITTEN = {
    # reads %0, to which "=" gives no value
    f'asm("add.u32 %0, %0, %1;" : "=r"(d){IN});': ("%0", "+r"),
    f'asm("@p add.u32 %0, %0, %1;" : "=&r"(d){IN});': ("%0", "+r"),
    'asm("st.global.u32 [%1], %0;" : "=r"(d) : "l"(p));': ("%0", "+r"),
    'asm("fma.rn.f32 %0, %1, %1, %0;" : "=f"(d) : "f"(a));': ("%0", "+f"),
    'asm volatile("{ .reg .b64 t; mov.b64 t, {%0, %1}; }" : "=r"(d), "+r"(e));': ("%0", "+r"),
    'asm("mad.lo.u32 %0, %1, %1, %0;" : "=r"(d) : "r"(a));': ("%0", "+r"),
    # a register of its own that nothing has written
    f'asm("{{ .reg .pred p; setp.lt.and.u32 p, %1, 3, p; selp.u32 %0, 1, 2, p; }}"'
    f' : "=r"(d){IN});': ("p", ""),
    f'asm("{{ .reg .pred q; @q mov.u32 %0, %1; @!q mov.u32 %0, 1; }}" : "=r"(d){IN});': ("q", ""),
    f'asm("{{ .reg .b32 t; add.u32 %0, t, %1; mov.u32 t, 1; }}" : "=r"(d){IN});': ("t", ""),
    'asm("{ .reg .b128 t; ld.relaxed.gpu.b128 [%2], t; }" : "=l"(x), "=l"(y) : "l"(p));': ("t", ""),
    f'asm("{{ .reg .b32 t<3>; mov.b32 t0, 1; add.u32 %0, t1, t0; }}" : "=r"(d){IN});': ("t1", ""),
    f'asm("{{ .reg .b32 t; prmt.b32 %0, %1, t, 0x3214; }}" : "=r"(d){IN});': ("t", ""),
    # without the guard, nothing is written: __cuda_is_local of CCCL 2.8 has it
    'asm("{ .reg .pred p; isspacep.local p, %1; @p mov.s32 %0, 1; }" : "=r"(d) : "l"(x));': (
        "%0",
        "+r",
    ),
    f'asm("{{ .reg .pred p; setp.ne.u32 p, %1, 0; @!p mov.u32 %0, %2; }}" : "=&r"(d){IN});': (
        "%0",
        "+r",
    ),
}


@pytest.mark.parametrize("statement", UNWRITTEN)
def test_a_register_that_nothing_has_written_is_named(statement: str) -> None:
    place, fix = UNWRITTEN[statement]
    assert review(statement)[0] == ("unwritten", place, fix)
    assert len([x for x in review(statement) if x[0] == "unwritten"]) == 1


CLOBBERED = {
    f'asm("add.u32 %0, %1, 1; add.u32 %0, %0, %2;" : "=r"(d){IN});': "=&r",
    f'asm("add.u32 %0, %1, 1; add.u32 %0, %0, %1;" : "=r"(d){IN});': "=&r",
    f'asm("mov.u32 %0, 1; @p add.u32 %0, %0, %2;" : "=r"(d){IN});': "=&r",
    f'asm("@p mov.u32 %0, 1; @p add.u32 %0, %0, %2; @!p mov.u32 %0, 0;" : "=r"(d){IN});': "=&r",
    f'asm("mov.u32 %0, %1; add.u32 %0, %0, %2;" : "=r"(d){IN});': "=&r",
    f'asm("mov.u32 %0, %1; add.u32 %0, %0, 1; xor.b32 %0, %0, %1;" : "=r"(d){IN});': "=&r",
    f'asm("vadd.u32.u32.u32 %0, %1, 1; vadd.u32.u32.u32 %0, %0, %2;" : "=r"(d){IN});': "=&r",
    'asm("mov.b64 {%0, %1}, %2; st.global.u32 [%3], %0; st.global.u32 [%3], %4;"'
    ' : "=r"(d), "=&r"(e) : "l"(x), "l"(p), "r"(a));': "=&r",
    # as __vibmax_s16x2 of CUDA 13.0 has it
    'asm("{.reg .pred pv; .reg .s16 s0, s1, s2, s3; max.s16x2 %0, %2, %3; mov.b32 {s0, s1}, %0;'
    ' mov.b32 {s2, s3}, %2; setp.eq.s16 pv, s0, s2; selp.b32 %1, 1, 0, pv;}"'
    ' : "=r"(d), "=r"(e) : "r"(a), "r"(b));': "=&r",
}


@pytest.mark.parametrize("statement", CLOBBERED)
def test_an_output_that_may_share_the_register_of_an_input_is_named(statement: str) -> None:
    assert review(statement) == [("clobber", "%0", CLOBBERED[statement])]
    (diagnostic,) = (x for item in check(statement) for x in item.diagnostics)
    assert fixed(statement, diagnostic) == statement.replace('"=r"(d)', '"=&r"(d)')


SILENT = [
    # written, then read; read and written by one instruction; the last instruction writes
    f'asm("add.u32 %0, %1, %2;" : "=r"(d){IN});',
    f'asm("mov.u32 %0, 1; add.u32 %0, %0, 1;" : "=r"(d){IN});',
    f'asm("{{ .reg .b32 t; add.u32 t, %1, %2; add.u32 %0, t, %1; }}" : "=r"(d){IN});',
    'asm("add.u32 %0, %0, %1; add.u32 %0, %0, %1;" : "+r"(d) : "r"(a));',
    'asm("add.u32 %0, %1, 1; add.u32 %0, %0, %2;" : "=&r"(d) : "r"(a), "r"(b));',
    # a read of a register of another kind, or of a constant, which no output shares
    'asm("mov.u32 %0, 1; st.global.u32 [%1], %0;" : "=r"(d) : "l"(p));',
    'asm("mov.u32 %0, 1; mov.b32 %1, %2;" : "=r"(d), "=f"(e) : "f"(a));',
    'asm("mov.u32 %0, 1; add.u32 %0, %0, %1;" : "=r"(d) : "n"(3));',
    'asm("mov.u32 %0, 1; add.u32 %0, %0, %1;" : "=r"(d) : "r"(3));',
    # guards of which one excludes the other
    f'asm("{{ .reg .pred p; setp.ne.u32 p, %1, 0; @p mov.u32 %0, %1; @!p mov.u32 %0, %2; }}"'
    f' : "=r"(d){IN});',
    f'asm("{{ .reg .pred p, q; setp.ne.u32 p|q, %1, 0; @p mov.u32 %0, %1; @q mov.u32 %0, %2; }}"'
    f' : "=r"(d){IN});',
    'asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p ld.global.u32 %0, [%2]; }"'
    ' : "=r"(d) : "r"(a), "l"(x));',  # what is loaded may not be needed otherwise
    'asm("{ .reg .pred p; mov.u32 %0, 0; setp.ne.u32 p, %1, 0; @p mov.u32 %0, 1; }"'
    ' : "=&r"(d) : "r"(a));',
    f'asm("{{ .reg .b32 t<3>; mov.b32 t0, %1; {{ .reg .b32 t<3>; add.u32 %0, t1, 1; }} }}"'
    f' : "=r"(d){IN});',  # declared twice: not followed
    # branches and labels
    f'asm("@p bra L; mov.u32 %0, %1; bra M; L: mov.u32 %0, %2; M:" : "=r"(d){IN});',
    f'asm("{{ .reg .b32 t; bra L; K: add.u32 %0, t, 1; bra M; L: mov.u32 t, %1; bra K; M: }}"'
    f' : "=r"(d){IN});',
    # a copy of the input that is read later changes nothing, if it is the same register
    'asm("mov.u32 %0, %1; st.global.u32 [%2], %1;" : "=r"(d) : "r"(a), "l"(p));',
    # legal: a predicate is read before the instruction writes it
    f'asm("{{ .reg .pred p; setp.eq.u32 p, %1, 1; setp.lt.and.u32 p, %1, 3, p;'
    f' selp.u32 %0, 1, 2, p; }}" : "=r"(d){IN});',
    # the value does not matter
    'asm("xor.b32 %0, %0, %0;" : "=r"(d));',
    'asm("sub.u32 %0, %0, %0;" : "=r"(d));',
    'asm("{ .reg .b8 t, u; cvt.rn.satfinite.e4m3x2.f32 t, %1, %1; mov.b32 %0, {t, u}; }"'
    ' : "=r"(d) : "f"(f));',
    # two of one name, in blocks of their own
    f'asm("{{ .reg .b32 t; mov.u32 t, 1; }} {{ .reg .b32 t; mov.u32 t, %1; mov.u32 %0, t; }}"'
    f' : "=r"(d){IN});',
    # what is not the first operand of these is read, what is is not written
    'asm volatile("red.global.add.u32 [%0], %1;" :: "l"(p), "r"(a));',
    'asm volatile("bar.sync %0, %1;" :: "r"(a), "r"(b));',
    'asm volatile("bar.red.popc.u32 %0, 0, p;" : "=r"(d));',
    'asm volatile("call (%0), f, (%1);" : "=r"(d) : "r"(a));',
    'asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(a), "l"(p));',
    # its second operand is the least or greatest of the values (PTX ISA 9.7.16.8.2)
    'asm volatile("tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%0, %1}, %2, [%3];"'
    ' : "=r"(a), "=r"(b), "=r"(c) : "r"(t));',
    'asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" :: "r"(a), "r"(b));',
    'asm("mov.b64 {%0, _}, %1;" : "=r"(d) : "l"(x));',
    'asm("mov.b64 %0, {%1, %2};" : "=l"(x) : "r"(a), "f"(f));',
    'asm("mov.b64 %0, {%1, %2, %1, %2};" : "=l"(x) : "h"(a), "h"(b));',
    'asm("ld.global.v2.u32 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p));',  # wider is legal
    'asm("st.global.v4.f32 [%0], {%1, %1, %2, %2};" :: "l"(p), "f"(f), "r"(a));',
    f'asm("{{ .reg .b32 t; prmt.b32 %0, %1, t, 0x3120; }}" : "=r"(d){IN});',  # t does not matter
    'asm volatile("mbarrier.try_wait.b64 p|q, v, [%0], %1;" :: "r"(a), "r"(b));',
    # assembly of other processors
    'asm("movl %1, %0; addl %2, %0" : "=r"(d) : "r"(a), "r"(b));',
    'asm("add %0, %0, %1; add %0, %0, %2" : "=r"(d) : "r"(a), "r"(b));',
    'asm volatile("rdtsc; shl $32, %0" : "=a"(d), "=d"(e));',
    # parts that are unknown
    'asm("add.u32 %0, %0, %1;" : OUT("=r", d), "=r"(e) : "r"(a));',
    f'asm("mov.u32 %0, 1;" MORE "add.u32 %0, %0, %2;" : "=r"(d){IN});',
    f'asm("{{.reg .u32 %%1; mov.u32 %%1, %2; mov.u32 %0, %%1;}}" : "=r"(d){IN});',
    'asm("mov.u32 %0, %%tid.x;" : "=r"(d));',
    'asm("mov.u32 %tid, 1;");',
    'asm("mov.bf16 {%0, %1}, %2;" : "=h"(d), "=h"(e) : "r"(a));',
]


@pytest.mark.parametrize("statement", SILENT)
def test_what_may_be_right_is_not_warned_of(statement: str) -> None:
    assert [x for x in review(statement) if x[0] not in ("unread", "note")] == []


def test_an_input_that_is_written_is_named() -> None:
    (found,) = review('asm("add.u32 %1, %1, 1; mov.u32 %0, %1;" : "=r"(d) : "r"(a));')
    assert found == ("input", "%1", "")
    assert review('asm("add.u32 %1, %1, 1; mov.u32 %0, %1;" : "=r"(d), "+r"(a));') == []


WIDTHS = {
    # as nvcc 13.0 refuses them (tests/engine/test_asm_verdicts.py asks it)
    'asm("mov.u32 %0, %1;" : "=l"(x) : "r"(a));': "%0",
    'asm("mov.u32 %0, %1;" : "=r"(d) : "f"(f));': "%1",
    'asm("mul.wide.u32 %0, %1, %1;" : "=r"(d) : "r"(a));': "%0",
    'asm("ld.global.u64 %0, [%1];" : "=r"(d) : "l"(p));': "%0",
    'asm("ld.global.u32 %0, [%1];" : "=r"(d) : "r"(a));': "%1",
    'asm("mov.b64 %0, {%1, %2};" : "=l"(x) : "r"(a), "l"(y));': "%2",
    'asm("mov.b64 {%0, %1}, %2;" : "=r"(d), "=h"(e) : "l"(x));': "%1",
    'asm("mov.b32 {%0, %1}, %2;" : "=h"(d), "=h"(e) : "l"(x));': "%2",
    'asm("st.global.v2.u64 [%0], {%1, %2};" :: "l"(p), "l"(x), "r"(a));': "%2",
}
HINTS = {
    'asm("ld.global.u32 %0, [%1];" : "=r"(d) : "r"(a));': '"l"',
    'asm("ld.global.v2.u32 {%0, %1}, [%2];" : "=h"(d), "=r"(e) : "l"(p));': '"r" "l" "q"',
    'asm("mov.b64 %0, {%1, %2};" : "=l"(x) : "r"(a), "l"(y));': '"r" "f"',
}


@pytest.mark.parametrize("statement", WIDTHS)
def test_a_constraint_that_does_not_suit_is_named(statement: str) -> None:
    assert review(statement) == [("register-type", WIDTHS[statement], "")]


@pytest.mark.parametrize("statement", HINTS)
def test_the_constraints_that_suit_are_named(statement: str) -> None:
    # ptxas 13.0 refuses an address of .f64
    (diagnostic,) = (x for item in check(statement) for x in item.diagnostics)
    assert diagnostic.hint == HINTS[statement]


def test_placeholders_of_every_instruction_are_checked() -> None:
    (found,) = review('asm("mov.u32 %0, %3;" : "=r"(d) : "r"(a));')
    assert found == ("undeclared", "%3", "")
    (found,) = review('asm("mov.u32 %0, %r1;" : "=r"(d) : "r"(a));')
    assert found == ("undeclared", "%r1", "%%r1")
    (found,) = review('asm("mov.u32 %0, %tid.x;" : "=r"(d) : "r"(a));')
    assert found == ("note", "%tid", "%%tid")
    (found,) = review('asm("mov.u32 t, %%tid.x;");')
    assert found == ("illegal", "%%tid", "%tid")


def test_a_literal_whose_value_is_not_known_is_not_checked() -> None:
    text = 'asm("lop3.b32 %0, %1, %1, %1, {};" : "=r"(d) : "r"(a), [lut] "n"((x & y) | z));'
    for name in ("%2", "%[lut]"):
        (item,) = check(text.format(name))
        assert item.is_unreadable
    (item,) = check(text.format("%2").replace("lop3.b32", "lop3.u32"))
    assert not item.is_legal


def test_a_statement_that_is_checked_has_each_finding_once() -> None:
    (item,) = check('asm("vadd.u32.u32.u32 %0, %0, %7;" : "=r"(d));')
    assert sorted(x.rule for x in item.diagnostics) == ["undeclared", "unwritten"]


def test_rust_and_llvm_are_reviewed_in_their_own_words() -> None:
    text = 'asm!("add.u32 {d}, {d}, {a};", d = OUT(reg32) d, a = in(reg32) a);'
    (item,) = check_text(text.replace("OUT", "out"), "x.rs")
    assert item.ptx == "add.u32 {d}, {d}, {a};"
    (diagnostic,) = item.diagnostics
    assert diagnostic.rule == "unwritten"
    assert "`out(reg32)` passes no value in" in diagnostic.message
    assert diagnostic.hint == "`inout(reg32)`"
    assert list(check_text(text.replace("OUT", "inout"), "x.rs")) == []
    two = text.replace("{d}, {d}, {a};", '{d}, {a}, 1;", "add.u32 {d}, {d}, {a};')
    assert list(check_text(two.replace("OUT", "out"), "x.rs")) == []  # late outputs only share
    (item,) = check_text(two.replace("OUT", "lateout"), "x.rs")
    assert [(x.rule, x.hint) for x in item.diagnostics] == [("clobber", "`out(reg32)`")]
    text = '%r = call i32 asm "add.u32 $0, $1, 1; add.u32 $0, $0, $1;", "=r,r"(i32 %a)'
    (item,) = check_text(text, "x.ll")
    assert [x.rule for x in item.diagnostics] == ["clobber"]
    assert list(check_text(text.replace("=r", "=&r"), "x.ll")) == []
    tied = '%r = call i32 asm "add.u32 $0, $0, $1;", "=r,r,0"(i32 %a, i32 %b)'
    assert list(check_text(tied, "x.ll")) == []


@pytest.mark.parametrize(
    ("comments", "is_ignored"),
    [
        (("// ptxscope: ignore[clobber]", "", ""), True),  # where it is written
        (("", "// ptxscope: ignore[clobber]", ""), True),  # where the constraint is
        (("// x\n// ptxscope: ignore", "", ""), True),
        (("", "// ptxscope: ignore[input]", ""), False),
        (("", "", "// ptxscope: ignore[clobber]"), False),
    ],
)
def test_a_rule_is_ignored_at_the_write_and_at_the_constraint(
    comments: tuple[str, str, str], is_ignored: bool
) -> None:
    lines = ('asm("add.u32 %0, %1, 1; add.u32 %0, %0, %2;"', ': "=r"(d)', ': "r"(a), "r"(b));')
    text = "\n".join(f"{line} {comment}" for line, comment in zip(lines, comments, strict=True))
    found = {x.rule for item in check_text(text, "x.cu") for x in item.diagnostics}
    assert ("clobber" not in found) == is_ignored


def test_an_erratum_of_large_positions_is_a_note_where_the_position_is_small() -> None:
    def check_severities(*operands: str) -> list[str]:
        line = 'asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), {});'
        text = "\n".join(line.format(x) for x in operands)
        return [x.severity for item in check_text(text, "x.cu") for x in item.diagnostics]

    for small in (
        "p * 8",
        "(8 * p)",
        "p << 3",
        "p & 63",
        "p % 64u",
        "sizeof(int)",
        "POS",
        "kPos",
        "i * 8 + 4",
        "(unsigned)(p * 8)",
    ):
        assert check_severities(f'"r"({small}), "r"(8)') == ["note"], small
    for unknown in (
        "p",
        "p * q",
        "p & q",
        "p * 999",
        "p << 9",
        "*p",
        "&p",
        "p && 1",
        "p + 1",
        "f(p * 8)",
    ):
        assert check_severities(f'"r"({unknown}), "r"(8)') == ["warning"], unknown
    assert check_severities('"r"(p * 8), "r"(8)', '"r"(q * 8), "r"(n)') == ["note", "warning"]
    assert check_severities('"r"(p * 8), "r"(8)', '"r"(q * 8), "r"(16)') == ["note"]
    smalls = ("and.b32 %r1, %r2, 63", "shl.b32 %r1, %r2, 3", "mul.lo.u32 %r1, %r2, 8")
    others = (
        *("mul.hi.u32 %r1, %r2, 8", "@%p1 and.b32 %r1, %r2, 3", "and.b32 %r1, %r2, 256"),
        *("shl.b32 %r1, %r2, %r3", "cvt.u32.u16 %r1, %r2", "shl.b32 %r1, %r2, 3; mov.u32 %r1, %r2"),
        "and.b32 %r1, %r2, 3; L: mov.b32 %r3, %r2",
    )
    registers = ".reg .b64 %d<3>; .reg .b32 %r<4>; .reg .pred %p<2>;"
    for line in (*smalls, "cvt.u32.u8 %r1, %r2", *others):
        text = f"{{ {registers} {line}; bfe.u64 %d1, %d2, %r1, 8; }}"
        severities = [y.severity for x in check_text(text, "x.ptx") for y in x.diagnostics]
        assert severities == ["warning" if line in others else "note"], line
    moved = "{.reg .b64 %d<3>; .reg .b32 %r<3>; mov.u32 %r1, 16; bfe.u64 %d1, %d2, %r1, 8; }"
    assert [x.diagnostics for x in check_text(moved, "x.ptx") if "bfe" in x.ptx] == [()]
