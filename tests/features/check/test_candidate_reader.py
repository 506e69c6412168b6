"""Statements of listings: found wherever they stand, in chunks of any size, in bounded memory."""

from __future__ import annotations

import collections
import tracemalloc
from collections.abc import Iterator
from functools import partial
from random import Random

import pytest

from ptxscope.blocks.execution import execute
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.entry import Group
from ptxscope.engine.program.statement import StatementKind
from ptxscope.engine.syntax.opcodes import OTHER_OPCODES, is_unchecked
from ptxscope.engine.syntax.parser import scan
from ptxscope.engine.syntax.scopes import Scopes
from ptxscope.features.check import candidate_reader
from ptxscope.features.check.candidate_reader import CandidateReader
from ptxscope.features.check.lint import check_text
from ptxscope.features.check.listing_checks import check_listing
from ptxscope.sources.source_programs import load
from tests.reference_data import DATA, table, verdicts
from tests.tiers import ci_only, sampled, whole

VIDEO = (DATA / "video.ptx").read_text(encoding="utf-8")


def _cut(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def test_the_listing_reader_finds_the_statements_of_the_parser() -> None:
    found = list(CandidateReader(_cut(VIDEO, 100)))
    wanted = list(scan(VIDEO))
    assert len(wanted) == 37
    assert [x.start for x in found] == [x.span[0] for x in wanted]
    for statement, item in zip(found, wanted, strict=True):
        (again,) = scan(statement.text)
        assert again.instruction == item.instruction
        assert VIDEO.startswith(statement.text, statement.start)
        place = statement.locate(statement.opcode, len(statement.text))
        assert place.excerpt == VIDEO.splitlines()[place.line - 1]
        assert place.excerpt[place.column - 1 :].startswith(statement.text)
        assert place.excerpt[slice(*place.span)] == statement.text


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1000, 4096])
def test_chunks_may_end_anywhere(size: int) -> None:
    text = (
        "/* vadd; */ // set.\n" + VIDEO + '.file 1 "set.h"\n/* set.lt\n*/@%p1\nsetp.lt.s32 p,a,b;'
        "\nvabsdiff\n\t.s32.u32.u32\n.add d, a, b, c;"
    )

    def seen(chunks: Iterator[str]) -> list[tuple[object, ...]]:
        return [
            (x.text, x.opcode, x.start, x.line, x.column, x.preceding_text, x.scopes.target)
            for x in CandidateReader(chunks)
        ]

    whole = seen(iter([text]))
    assert len(whole) == 39
    assert seen(_cut(text, size)) == whole


def test_places_in_a_statement_of_several_lines() -> None:
    text = "x: @p vadd.s32.s32.s32\n\td,\n  a.b9, b; // end\n"
    (statement,) = CandidateReader([text])
    at = statement.text.index(".b9")
    place = statement.locate(at, at + 3)
    assert (place.line, place.column, place.excerpt) == (3, 4, "  a.b9, b; // end")
    assert place.excerpt[slice(*place.span)] == ".b9"
    assert (statement.line, statement.column, statement.opcode) == (1, 4, 3)


_ADD = "vadd.u32.u32.u32 d, a, b;"
_TYPES = _ADD.removeprefix("vadd")
_LONG = "; } x ; @p " * 90


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("vadd.u32 a /* ; } */, b; x", ["vadd.u32 a /* ; } */, b;"]),
        ("vadd.u32 a // ;\n, b; x", ["vadd.u32 a // ;\n, b;"]),
        ("{ set.lt.u32.u32 d, a, b }", ["set.lt.u32.u32 d, a, b "]),
        ("vadd.u32 a, b\n  @!p vsub.u32 a, b", ["vadd.u32 a, b", "@!p vsub.u32 a, b"]),
        (
            "@p selp.b32 a,b,c,d;@q\nslct.u32.s32 a;",
            ["@p selp.b32 a,b,c,d;", "@q\nslct.u32.s32 a;"],
        ),
        ("vadd .u32\n.s32 a;", ["vadd .u32\n.s32 a;"]),
        ("{a\n,b} { vadd\t.u32\n.s32 a;", ["vadd\t.u32\n.s32 a;"]),
        ("// vadd.u32 a;\n/* vadd.u32 a; */ vsub.u32 a;", ["vsub.u32 a;"]),
        ('.file 1 "vadd.u32 a;"', []),
        ("mov.u32 %set.x, vadd; st.u32 a; vote.sync.u32 a; sub.u32 v.x, v.y, %r1;", []),
        ("vad4.u32.u32.u32 a;", ["vad4.u32.u32.u32 a;"]),
        ("ld.v4.u32 {a, b}, [c]; setp.lt.s32 p, {a}, b;", ["setp.lt.s32 p, {a}, b;"]),
        ("set: mov.u32 set, vadd; vadd4 d, a; @p setp p|q, a;", ["vadd4 d, a;", "@p setp p|q, a;"]),
        ("a set; vadd the; .reg .u32 set , vset;", ["vadd the;"]),
        ("", []),
        ("vset2\n.u32 a >/set\n.u32 d;", ["vset2\n.u32 a >/set\n.u32 d;"]),
        ("vadd\n.u32 d // set\n, b;", ["vadd\n.u32 d // set\n, b;"]),
        # an opcode in a comment, before one, or where an operand stands
        ("/* never closed vadd.u32 a;", []),
        ("vadd /* never closed .u32 d, a, b;", []),
        ("add.u32 a, b;\n// is less: selp\n.u32 d;\n", []),
        ("add.u32 a, b;\nmov.b32 a, b; // set \n.u32 d;\n", []),
        ("add.u32 a, b;\nL: // \t vadd\t\n.u32 d;\n", []),
        ("mov.u32 d, set/* .lt */; ret; // set\n", []),
        ("add.u32 d, a, vadd // .u32\n;", []),
        ("set/* */: mov.b32 a, b;", []),
        ("// set /* */ .lt\n", []),
        # a statement without its end ends before the next opcode
        (
            f"vadd.u32 d, a\nvsub /* x\n*/ {_TYPES}",
            ["vadd.u32 d, a", f"vsub /* x\n*/ {_TYPES}"],
        ),
        # a guard is that of its own statement, and no comment is one
        *((f"{x}\n{_ADD}", [_ADD]) for x in ("@p bra L", "@p bra L;", "@p ret; }", "@p;")),
        ("@p { \n" + _ADD, ["@p {", _ADD]),
        (f"// see @p\n{_ADD} /* @q */ {_ADD}", [_ADD, _ADD]),
        (f"@q /* {_LONG}*/ {_ADD}", [f"@q /* {_LONG}*/ {_ADD}"]),
        # long comments
        (f"ret; vadd/* {_LONG} */{_TYPES} ret;", [f"vadd/* {_LONG} */{_TYPES}"]),
        (f"ret; vadd// {_LONG}\n{_TYPES} ret;", [f"vadd// {_LONG}\n{_TYPES}"]),
        (f"ret; vadd\n/*{_LONG}*/\n/*\n*/{_TYPES}", [f"vadd\n/*{_LONG}*/\n/*\n*/{_TYPES}"]),
        ("ret;\nvad/**/.u32 d; ret;\n", ["vad/**/.u32 d;"]),
    ],
)
def test_statements_are_found_in_text_wherever_a_chunk_ends(text: str, wanted: list[str]) -> None:
    whole = [(x.text, x.start, x.line, x.column) for x in CandidateReader([text])]
    assert [x for x, *_ in whole] == wanted
    for x, start, line, column in whole:
        assert text.startswith(x, start)
        assert (line, column) == (
            text.count("\n", 0, start) + 1,
            start - text.rfind("\n", 0, start),
        )
    step = 1 if len(text) < 200 else 97
    for size in range(1, len(text), step):
        chunks = CandidateReader(_cut(text, size))
        assert [(x.text, x.start, x.line, x.column) for x in chunks] == whole


def test_every_reference_line_is_found() -> None:
    for row in table("accept.csv"):
        (statement,) = CandidateReader([f"\tL: {row['ptx']};\n"])
        assert statement.text == f"{row['ptx']};"
    for legal, text in verdicts("lines.txt"):
        if legal and '"' not in text:
            assert len([*CandidateReader([text])]) == len(list(scan(text))), text


_BETWEEN = ["\n", " ", "\n\t// vadd.u32 a;\n", "/* ; } set.x */", "\nL1:\n\t", "{\n", "}\n", "\n\n"]
_BETWEEN += [
    "mov.b64 {%r1, %r2}, %rd1;\n",
    ".reg .pred p, q;\n",
    '.file 1 "set.h"\n',
    "@p bra L1;\n",
]


@sampled
@pytest.mark.parametrize("seed", range(40))
def test_a_random_listing_is_read_as_by_the_parser(seed: int) -> None:
    rng = Random(seed)
    accepted, rejected = table("accept.csv"), table("reject.csv")
    parts = []
    for _ in range(60):
        line = rng.choice(accepted)["ptx"]
        if rng.random() < 0.2:
            # what is wrong with the braces of a statement moves where the next one begins
            line = rng.choice(rejected)["ptx"]
            line = "vadd4.bad d, a" if set("{}()[]|") & set(line) or line[0] not in "sv" else line
        parts += [line, ";", rng.choice(_BETWEEN)]
    text = "".join(parts)
    wanted = [(x.span[0], x.instruction, [p.message for p in x.problems]) for x in scan(text)]
    found = [
        (statement.start + x.span[0], x.instruction, [p.message for p in x.problems])
        for statement in CandidateReader(_cut(text, rng.choice([1, 50, 10_000])))
        for x in scan(statement.text)
    ]
    assert found == wanted
    assert len(wanted) >= 55


_BITS = [
    *("set", "setp.lt.u32 p, a, b;", "vadd.u32.u32.u32 %r1, %r2, %r3;", "vad.u32 d, a, b;"),
    *("mov.u32 %r1, %ntid.x;", "ret;", "add", "ld.param.u64 %rd1, [k_param_0+4];", "bra L;"),
    *(".reg .b32 %r<9>;", ".entry k(.param .u64 a)", ".reg", ".loc 1 2 3", ".version 7.8\n"),
    *("{%r1, %r2}", "{", "}", '"', '"a.u32"', "//", "/*", "*/", "/", "%", "%%r1", "%.reg"),
    *("@%p1", "@", ".x", ".", "0f3F800000", "1.5", "_", "é", "set;", "set ;", "selp\n.u32"),
    *("L:", "x.u32", "..reg", "$.reg", "\\", ",", "vadd/**/.u32", "set/*", "setp//", "!"),
    *("@!!p", "@p /**/ vadd.u32 d;", "@p @q", "@ // ;\n"),
]


@whole
@pytest.mark.parametrize("seed", range(100))
def test_nothing_that_matters_is_skipped(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(seed)
    blanks = ["", " ", "\t", "\n", "\n\n"]
    text = "".join(rng.choice(_BITS) + rng.choice(blanks) for _ in range(80))

    def seen() -> list[tuple[object, ...]]:
        return [
            (x[:-3], x.scopes.version, x.scopes.find_type("%r1"), x.scopes.has_declarations)
            for x in CandidateReader(_cut(text, rng.choice([1, 30, 10_000])), is_strict=True)
        ]

    found = seen()
    # every statement is cut into tokens
    patterns = partial(candidate_reader.make_patterns, is_skipping=False)
    monkeypatch.setattr(candidate_reader, "make_patterns", patterns)
    assert seen() == found


SCOPES = """\
.version 7.8 // newer
.target sm_90a, sm_75, debug
.func (.reg .u32 %out) twice (.reg .f32 %in, .reg .b64 %wide) {
.reg .b32 %r<3>, x, %s<2>;
{ .reg .pred x; .reg .v4 .f32 v;
HERE
}
INNER
}
.entry k() { .reg .s16 %r<9>; THERE }
.version 1.3
AGAIN
"""


def _types(scopes: Scopes, names: str) -> list[str | None]:
    return [scopes.find_type(name) for name in names.split()]


def test_declarations_hold_in_their_scope() -> None:
    def at(word: str) -> Iterator[Scopes]:
        text = SCOPES.replace(word, "set.lt.u32.u32 d, a, b;")
        yield from (statement.scopes for statement in CandidateReader([text]))

    names = "%out %in %wide %r0 %r2 %r3 %s1 x v"
    here = next(at("HERE"))
    inner = ["u32", "f32", "b64", "b32", "b32", None, "b32"]
    assert _types(here, names) == [*inner, "pred", "f32"]
    assert (here.version, here.target) == ((7, 8), 75)
    assert _types(next(at("INNER")), names) == [*inner, "b32", None]
    assert _types(next(at("THERE")), names) == [None] * 3 + ["s16"] * 3 + [None] * 3
    again = next(at("AGAIN"))
    assert _types(again, names) == [None] * 9
    assert (again.version, again.target) == ((1, 3), None)


def test_a_long_listing_takes_little_memory() -> None:
    def listing() -> Iterator[str]:
        for _ in range(40):
            yield VIDEO[:4096] + "/*" + "x;" * 500 + "*/"

    tracemalloc.start()
    try:
        count = sum(1 for _ in CandidateReader(listing()))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 40 * sum(1 for _ in CandidateReader([VIDEO[:4096]]))
    assert peak < 1_000_000


@ci_only
def test_a_listing_of_one_line_or_one_comment_takes_little_memory() -> None:
    def line() -> Iterator[str]:
        for _ in range(60):
            yield "setp.lt.s32 p, a, b; add.u32 a, b, c; " * 200
        yield "/*"
        for _ in range(60):
            yield "never closed " * 1000

    tracemalloc.start()
    try:
        found = collections.deque(CandidateReader(line()), maxlen=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    (last,) = found
    assert (last.line, last.start) == (1, 60 * 200 * 38 - 38)
    assert last.column == last.start + 1
    assert peak < 12_000_000  # 24,000 statements take more


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
def test_check_and_run_refuse_a_line_in_the_same_words(
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
    message, hint = messages[0]
    assert step.note.startswith(f"{statement.name} is illegal: {message} (allowed: {hint}); ")


def test_check_and_run_take_an_undeclared_name_for_a_register() -> None:
    for text in (
        "vadd.u32.u32.u32 d, a, b;",
        'asm("vadd.u32.u32.u32 %0, %1, t;" : "=r"(d) : ARGS);',
    ):
        assert all(x.is_legal for x in check_text(text, "-"))
        assert not [problem for program in load(text) for problem in program.problems]
    two = 'asm(".reg .u32 t; vadd.u32.u32.u32 t, t, t;"); asm("vadd.u32.u32.u32 t, t, t;");'
    assert all(x.is_legal for x in check_text(two, "x.cu"))
    assert not [problem for program in load(two) for problem in program.problems]


def test_the_listing_reader_knows_every_opcode_of_the_catalog() -> None:
    for opcode in CATALOG:
        text = f"{opcode}.u32 d, a, b;\n"
        if opcode in OTHER_OPCODES:
            assert CATALOG[opcode].group is Group.COMMON
            assert not list(CandidateReader([text, f"{opcode}.cc.sat.u8x4 d, a, b;\n"]))
            continue
        if is_unchecked(opcode, ["u32"]):
            assert not list(CandidateReader([text]))
            text = f"{opcode}.cc.u32 d, a, b;\n"
        assert [x.text for x in CandidateReader([text])] == [text[:-1]], opcode
        for wrong in {f"{opcode[:-1]}x{opcode[-1]}", f"x{opcode}", opcode[1:] + opcode[0]}:
            meant = [x.span for x in scan(f"{wrong}.u32 d, a, b;")]
            found = [x.start for x in CandidateReader([f"{wrong}.u32 d, a, b;"])]
            assert len(found) == len(meant), wrong
    for opcode in ("varvg2", "varvg4", "wadd4", "zlct"):
        text = f"{opcode}.u32.u32.u32 d, a, b, c;"
        (item,) = check_listing([text], "x.ptx")
        assert not item.is_legal
        assert [x.message for x in item.diagnostics] == [
            problem.message for x in scan(text) for problem in x.problems
        ]
