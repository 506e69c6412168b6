"""PTX is read in one way: ``check``, which streams, and ``run``, which loads, find the same.

The same statements at the same places, and registers declared as the same, over all texts there
are here and over listings put together at random.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import NamedTuple

import pytest

from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.entry import Group
from ptxscope.engine.kernels.execution import execute
from ptxscope.engine.listings.asm_operands import read_operands
from ptxscope.engine.listings.lint import check_listing, check_text
from ptxscope.engine.listings.statement_reader import StatementReader
from ptxscope.engine.program.program_loader import load
from ptxscope.engine.program.statement import StatementKind
from ptxscope.engine.syntax.opcodes import is_other_opcode, is_passed_over
from ptxscope.engine.syntax.parser import scan
from ptxscope.engine.syntax.scopes import Scopes
from ptxscope.engine.syntax.source import find_asm_texts, find_fragments
from tests.reference_data import DATA, golden_forms, table, verdicts
from tests.tiers import sampled

VIDEO = (DATA / "video.ptx").read_text(encoding="utf-8")
INTRINSICS = (DATA / "intrinsics.ptx").read_text(encoding="utf-8")


class Seen(NamedTuple):
    """One of the 27, as a reader found it."""

    span: tuple[int, int]
    ptx: str
    line: int
    declared: dict[str, str | None]
    """What its registers were declared as."""


def streamed(text: str, size: int = 1 << 14) -> Iterator[Seen]:
    """What ``check`` reads: every legal instruction."""
    every = [
        (x.fragment, read_operands(text, x.end, len(text)).types) for x in find_asm_texts(text)
    ]
    for fragment, registers in every or [(x, {}) for x in find_fragments(text)]:
        ptx = fragment.ptx
        chunks = (ptx[at : at + size] for at in range(0, len(ptx), size))
        for found in StatementReader(chunks, Scopes(registers)):
            for item in scan(found.text):
                if item.instruction:
                    start, end = (found.start + x for x in item.span)
                    span = fragment.find_origin(start, end)
                    names = sorted({x.partition(".")[0] for x in item.instruction.names.values()})
                    declared = {x: found.scopes.find_type(x) for x in names}
                    line = text.count("\n", 0, span[0]) + 1
                    yield Seen(span, str(item.instruction), line, declared)


def loaded(text: str) -> Iterator[Seen]:
    """What ``run`` and the explorer read."""
    for program in load(text):
        for x in program.statements:
            if x.explained:
                found = {name.partition(".")[0]: type_ for name, type_ in x.declared}
                declared = {name: found[name] for name in sorted(found)}
                yield Seen(x.explained.spans["line"], str(x.explained), x.line, declared)


def agrees(text: str, size: int = 1 << 14) -> list[Seen]:
    """Both find the same; returns it."""
    found = list(loaded(text))
    assert list(streamed(text, size)) == found
    return found


def test_the_listings_of_nvcc_are_read_alike() -> None:
    assert len(agrees(VIDEO)) == 37
    found = agrees(INTRINSICS)
    assert len([x for x in found if x.ptx.startswith("v")]) == 7
    assert all(x.declared and None not in x.declared.values() for x in found)


def test_sources_and_pasted_lines_are_read_alike() -> None:
    assert len(agrees((DATA / "video.cu").read_text(encoding="utf-8"))) > 10
    for name in ("lines.txt", "published.txt"):
        for legal, text in verdicts(name):
            assert len(agrees(text)) >= legal, text


def _kernel(lines: list[str], name: str = "k") -> str:
    body = "".join(f"    {line};\n" for line in lines)
    return f".version 8.0\n.target sm_75\n.entry {name}(.param .u64 at) {{\n{body}    ret;\n}}\n"


def test_every_line_that_an_assembler_took_is_read_alike() -> None:
    # the lines declare nothing, so no version is told: nothing is undeclared
    lines = [row["ptx"] for row in table("accept.csv")] + [ptx for ptx, _ in golden_forms()[::7]]
    text = _kernel(lines).partition("\n")[2]
    assert len(agrees(text)) == len(lines)


_ODD = [
    '.file 1 "set.h {"',
    "// vadd.u32 a; {",
    "/* ; } set.x { */",
    "mov.b64 {%r0, %r1}, %rd0;",
    "mov.b32 {%h0, _}, %r1;",
    "L1:",
    ".shared .align 4 .b32 room[2];",
    '.loc 1 2 3 // "',
    "ld .global .u32 %r1, [%rd1];",
    "@%p0 bra L1;",
    '.pragma "nounroll";',
    "@!%p0 st.global.u32 [%rd0+4], %r1;",
    "call (%r0), f, (%r1, 5);",
    "mad.lo.s32 %r0, %r1, %r1, 3; add.u32 %r0,\n\t%r0, 1;",
]
_TYPES = ["b32", "u32", "s32"]


def _body(rng: Random, depth: int, vectors: bool) -> Iterator[str]:
    """Declarations with counts, vectors, blocks in blocks, and instructions on what is declared."""
    if rng.random() < 0.7 or not depth:
        count = rng.randint(4, 20)
        yield f".reg .{rng.choice(_TYPES)} %r<{count}>, x{depth};"
        yield f".reg .pred %p<{rng.randint(2, 4)}>, q /* {{ ; */, n; // .reg .f32 x0;"
        yield ".reg .b64 %rd<4>; .reg .b16 %h<2>;"
        if vectors:
            yield f".reg .v4 .{rng.choice(_TYPES)} v;"
    for _ in range(rng.randint(2, 8)):
        kind = rng.random()
        names = [*(f"%r{rng.randint(0, 3)}" for _ in range(4)), "x0"]
        d, a, b, c = rng.sample(names, 4)
        guard = rng.choice(["", "@%p0 ", "@!q "])
        if kind < 0.4:
            yield f"{guard}vadd4.s32.s32.u32.sat {d}, {a}, {b}, {c};"
        elif kind < 0.5:
            yield f"{guard}setp.lt.u32\n  %p1|n, {a}, {'v.x' if vectors else b};"
        elif kind < 0.6:
            yield f"{guard}vabsdiff.u32.u32.u32.add {d}, {a}.b0 /* ; */, {b}, {c};"
            yield f"selp.b32 {d}, 1, {a}, q"
            yield ";"
        elif kind < 0.8 or depth > 5:
            yield rng.choice(_ODD)
        else:
            yield "{"
            yield from _body(rng, depth + 1, vectors)
            yield "}"


@sampled
@pytest.mark.parametrize("seed", range(60))
def test_listings_with_scopes_in_scopes_are_read_alike(seed: int) -> None:
    rng = Random(seed)
    parts = [".version 7.8", ".target sm_90a, sm_75, debug", ".address_size 64"]
    parts.append(".extern .func (.reg .b32 r) f (.reg .b32 x, .reg .f32 %r0);")
    parts.append(".global .align 4 .b32 table[2] = {1, 2};")
    for number in range(rng.randint(1, 4)):
        head = [
            f".visible .entry k{number}(\n\t.param .u64 .ptr .global .align 4 at,\n.param .u32 n)",
            f".func (.reg .u32 %out{number}) g{number} (.reg .b32 x0, .reg .b64 %wide)",
            f".entry k{number}()\n.maxntid 32, 1, 1",
        ]
        parts += [rng.choice(head), "{", *_body(rng, 0, rng.random() < 0.5), "ret;", "}"]
    text = rng.choice(["\n", "\n\t", " \n\n"]).join(parts) + "\n"
    found = agrees(text, rng.choice([1, 7, 100, 1 << 14]))
    assert found
    assert any(x.declared.values() for x in found)


def _at(text: str) -> dict[str, dict[str, str | None]]:
    """What registers are declared as, by instruction; both readers asked."""
    return {x.ptx.split()[0].partition(".")[0]: x.declared for x in agrees(text)}


def test_counts_scopes_vectors_and_parameters_are_as_ptx_says() -> None:
    text = """.func (.reg .u32 %out) f (.reg .s32 %in) {
        .reg .b32 %r<3>; .reg .pred %p<2>; .reg .v2 .u32 v;
        { .reg .u32 %r<2>; vadd.u32.u32.u32 %out, %r1, %r2; }
        vsub.u32.u32.u32 %r1, %in, %in;
        setp.lt.u32 %p1, v.x, v.y;
        set.lt.u32.u32 %r2, %r2, %r2; }
        .reg .f32 %r<9>;
        .entry k() { slct.b32.s32 %r8, %r8, %r8, %in; }"""
    declared = _at(text.replace("slct.b32.s32 %r8, %r8, %r8, %in", "slct.f32.s32 %r8, %r8, %r8, 1"))
    assert declared == {
        "vadd": {"%out": "u32", "%r1": "u32", "%r2": "b32"},
        "vsub": {"%in": "s32", "%r1": "b32"},
        "setp": {"%p1": "pred", "v": "u32"},
        "set": {"%r2": "b32"},
        "slct": {"%r8": "f32"},
    }


@pytest.mark.parametrize(
    ("declared", "line", "wrong"),
    [
        (".reg .b32 %r<3>;", "vadd.u32.u32.u32 %r1, %r2, %r7", "%r7"),
        (".reg .f32 %r<3>;", "set.lt.u32.f32 %r7, %r1, %r2", "%r7"),
        (".reg .b32 a, b;", "vadd.u32.u32.u32 a, b, c", "c"),
        (".reg .b32 %r<3>; .shared .b32 c;", "vadd.u32.u32.u32 %r1, %r2, c", "c"),
        (".reg .v2 .b32 c; .reg .b32 a;", "slct.b32.s32 a, a, a, c", "c"),
    ],
)
def test_what_check_refuses_run_refuses_in_the_same_words(
    declared: str, line: str, wrong: str
) -> None:
    text = f"{declared}\n{line};\n"
    (found,) = check_text(text, "x.ptx")
    messages = [(x.message, x.hint) for x in found.diagnostics if x.rule == "undeclared"]
    (program,) = load(text)
    (statement,) = program.statements
    assert statement.kind is StatementKind.UNKNOWN
    assert [(x.message, x.hint) for x in statement.problems] == messages
    assert len(messages) == 1
    (problem,) = program.problems
    assert text[slice(*problem.span)] == wrong
    (step,) = execute(program, {}).steps
    assert step.note == f"illegal: {messages[0][0]}"


def test_what_is_declared_nowhere_is_taken_for_a_register_by_both() -> None:
    for text in (
        "vadd.u32.u32.u32 d, a, b;",
        'asm("vadd.u32.u32.u32 %0, %1, t;" : "=r"(d) : ARGS);',
    ):
        assert all(x.is_legal for x in check_text(text, "-"))
        assert not [problem for program in load(text) for problem in program.problems]
    two = 'asm("{ .reg .u32 t; vadd.u32.u32.u32 t, t, t; }"); asm("vadd.u32.u32.u32 t, t, t;");'
    assert all(x.is_legal for x in check_text(two, "x.cu"))
    assert not [problem for program in load(two) for problem in program.problems]


def test_a_prototype_keeps_nothing_of_what_follows() -> None:
    text = """.version 7.8
        .extern .func f (.param .b32 x);
        .shared .b32 room[4];
        .entry k() { .reg .b32 a; vadd.u32.u32.u32 a, a, room; }"""
    (found,) = check_text(text, "x.ptx")
    assert "a .shared variable" in found.message


def test_opcodes_are_asked_of_the_catalog() -> None:
    for opcode in CATALOG:
        text = f"{opcode}.u32 d, a, b;\n"
        if is_other_opcode(opcode):
            assert CATALOG[opcode].group is Group.COMMON
            assert not list(StatementReader([text, f"{opcode}.cc.sat.u8x4 d, a, b;\n"]))
            continue
        if is_passed_over(opcode, ["u32"]):
            assert not list(StatementReader([text]))
            text = f"{opcode}.cc.u32 d, a, b;\n"
        assert [x.text for x in StatementReader([text])] == [text[:-1]], opcode
        for wrong in {f"{opcode[:-1]}x{opcode[-1]}", f"x{opcode}", opcode[1:] + opcode[0]}:
            meant = [x.span for x in scan(f"{wrong}.u32 d, a, b;")]
            found = [x.start for x in StatementReader([f"{wrong}.u32 d, a, b;"])]
            assert len(found) == len(meant), wrong
    for opcode in ("varvg2", "varvg4", "wadd4", "zlct"):
        text = f"{opcode}.u32.u32.u32 d, a, b, c;"
        (item,) = check_listing([text], "x.ptx")
        assert not item.is_legal
        assert [x.message for x in item.diagnostics] == [
            problem.message for x in scan(text) for problem in x.problems
        ]


def test_a_text_is_cut_into_words_once_however_long_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from ptxscope.engine.syntax import tokens

    seen: list[int] = []
    real = tokens.tokenize

    def counted(text: str) -> list[tokens.Token]:
        seen.append(len(text))
        return real(text)

    monkeypatch.setattr(tokens, "tokenize", partial(counted))
    for module in ("ptxscope.engine.syntax.parser", "ptxscope.engine.program.program_loader"):
        monkeypatch.setattr(f"{module}.tokens", counted, raising=False)
    load(VIDEO)
    assert sum(seen) == len(VIDEO)
