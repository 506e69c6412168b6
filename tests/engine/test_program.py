"""Programs: kernels and inline assembly run statement by statement."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope.blocks.execution import execute
from ptxscope.blocks.program_run import (
    MissingInput,
    Run,
    StopReason,
    find_first_culprit,
)
from ptxscope.diagnosis.observation import make_observed
from ptxscope.engine.program.program import Program
from ptxscope.engine.program.statement import StatementKind
from ptxscope.engine.syntax.instruction import Immediate
from ptxscope.sources.source_programs import load
from tests.driving.block_idioms import signed
from tests.reference import reference
from tests.reference_data import DATA, MODELS, golden_rows, verdicts
from tests.tiers import some

VIDEO = {x.name: x for x in load((DATA / "video.ptx").read_text(encoding="utf-8"))}
WORD = 0xFFFFFFFF
WORDS = st.one_of(st.sampled_from([0, 1, 31, 32, 33, 0x80000000, WORD]), st.integers(0, WORD))


def block(text: str) -> Program:
    (program,) = load(text)
    return program


# What a statement computes, said again in other words: by bits as text, by numbers.
DIRECT: dict[str, Callable[[int, int], int]] = {
    "mov.u32": lambda x, _: x,
    "not.b32": lambda x, _: WORD - x,
    "and.b32": lambda x, y: (x + y - (x ^ y)) // 2,
    "or.b32": lambda x, y: (x + y + (x ^ y)) // 2,
    "xor.b32": lambda x, y: (x | y) - (x & y),
    "add.s32": lambda x, y: (x + y) % 2**32,
    "add.u32": lambda x, y: (x + y) % 2**32,
    "sub.s32": lambda x, y: (x - y) % 2**32,
    "sub.u32": lambda x, y: (x - y) % 2**32,
    "add.sat.s32": lambda x, y: sorted((-(2**31), signed(x) + signed(y), 2**31 - 1))[1] % 2**32,
    "sub.sat.s32": lambda x, y: sorted((-(2**31), signed(x) - signed(y), 2**31 - 1))[1] % 2**32,
    "shl.b32": lambda x, y: x * 2 ** min(y, 32) % 2**32,
    "shr.u32": lambda x, y: x // 2 ** min(y, 32),
    "shr.s32": lambda x, y: signed(x) // 2 ** min(y, 32) % 2**32,
}
STATEMENTS = st.tuples(
    st.sampled_from(sorted(DIRECT)),
    st.integers(0, 5),
    st.integers(0, 5),
    st.one_of(st.integers(0, 5).map(lambda n: f"%r{n}"), WORDS.map(str)),
    st.sampled_from(["", "@%p0 ", "@!%p0 ", "@%p1 "]),
)


@given(st.lists(STATEMENTS, max_size=25), st.lists(WORDS, min_size=6, max_size=6))
def test_straight_line_code_agrees_with_direct_arithmetic(
    program: list[tuple[str, int, int, str, str]], start: list[int]
) -> None:
    lines, held = [], {f"%r{n}": value for n, value in enumerate(start)}
    values = {**held, "%p0": 1, "%p1": 0}
    for opcode, d, a, b, guard in program:
        two = "" if opcode[:3] in ("mov", "not") else f", {b}"
        lines.append(f"{guard}{opcode} %r{d}, %r{a}{two};")
        if guard in ("", "@%p0 "):
            held[f"%r{d}"] = DIRECT[opcode](held[f"%r{a}"], held[b] if "%" in b else int(b))
    declared = ".reg .b32 %r<6>; .reg .pred %p<2>; mov.b32 %r0, %r0;"
    made = block("\n".join([declared, *lines, "st.global.u32 [x], %r0;"]))
    run = execute(made, {name: x for name, x in values.items() if name in made.types})
    assert not run.missing_inputs
    for name, value in run.registers.items():
        assert value.bits == {**values, **held}[name]


@pytest.mark.parametrize(
    "line",
    ["and.u32 a, b, b;", "shl.b32 a, b, h;", "mul.lo.b32 a, b, b;", "mov.u32 a, f;",
     "mov.b32 a, {h, h, h};", "mov.u32 a, {h, h};", "mov.u32 a, %tid.x;", "mov.u32 a, buffer;",
     "mov.b32 {h, 1}, a;", "add.f32 a, f, f;", "add;"],
)  # fmt: skip
def test_other_forms_of_common_statements_are_unknown(line: str) -> None:
    declared = ".reg .b32 a, b; .reg .b16 h; .reg .f32 f; .global .b32 buffer;"
    (statement,) = block(f"{declared} {line}").statements
    assert (statement.kind, statement.problems) == (StatementKind.UNKNOWN, ())


ADDRESSES = """.entry k(.param .u64 p) { .reg .b64 %rd<5>; .reg .b32 %r<5>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [p];
    add.s64 %rd2, %rd1, 8;
    @%p1 mov.u64 %rd4, %rd2;
    shl.b64 %rd3, %rd2, 1; shl.b64 %rd3, %rd3, 1;
    ld.global.u32 %r1, [%rd2];
    vadd.u32.u32.u32 %r2, %r1, %r1;
    bfe.u64 %rd4, %rd3, 0, 8; }"""


def test_an_unknown_address_stays_unknown_until_an_explained_instruction_reads_it() -> None:
    program = block(ADDRESSES)
    needs = execute(program, {}).missing_inputs
    assert [(x.key, x.reader.line) for x in needs] == [("%r1", 7), ("%rd3", 8)]
    run = execute(program, {"%r1": 3, "%rd3@5#2": 0x180})
    assert (run.ending, run.missing_inputs, run.unused) == (StopReason.END, (), ())
    assert (run.registers["%r2"].bits, run.registers["%rd4"].bits) == (6, 0x80)
    notes = {step.line: step.note for step in run.steps if step.note}
    assert notes[3] == "makes %rd2 unknown"
    run = execute(program, {"%r1": 3, "%rd1": 0x1058})  # all of it can be computed from here
    assert (run.missing_inputs, run.registers["%rd4"].bits) == ((), 0x1060 * 4 & 0xFF)


def asked(program: Program, answer: Callable[[MissingInput, Run], int], **values: int) -> Run:
    """Run a program, each time giving the first value that it asks for."""
    given_: dict[str, int] = {f"%{name}": value for name, value in values.items()}
    while True:
        run = execute(program, given_)
        if not run.missing_inputs:
            return run
        need = run.missing_inputs[0]
        assert need.key not in given_
        given_[need.key] = answer(need, run)


@pytest.mark.parametrize("name", VIDEO)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("count", some([1, 20]))
def test_video_kernels_agree_with_the_second_formulation(name: str, model: str, count: int) -> None:
    rng = Random(name)
    for _ in range(count):
        program = VIDEO[name]
        needs = execute(program, {}).missing_inputs
        values = {x.name: rng.getrandbits(x.type.bits) for x in needs}
        values |= {"%r1": 1, needs[1].name: 2}  # within the bounds: the branch is not taken
        run = execute(program, values, model)
        assert (run.ending, run.missing_inputs, run.unused) == (StopReason.BRANCH_TAKEN, (), ())
        assert [x.line for x in run.steps] == [x.line for x in program.statements]
        held: dict[str, int] = dict(values)
        explained = 0
        for step in run.steps:
            if step.trace:
                literals = {x: int(x[2:], 16) for x in re.findall(r"0d[0-9A-F]{16}", step.text)}
                wanted = reference(step.text, held | literals, model)
                assert step.writes == wanted, step.text
                explained += 1
            held |= {x: bits for x, bits in step.writes.items() if bits is not None}
        assert explained == sum(x.kind is StatementKind.INSTRUCTION for x in program.statements) > 1


SOURCE = load((DATA / "video.cu").read_text(encoding="utf-8"))
LINES = [text for legal, text in verdicts("lines.txt") if legal]


@pytest.mark.parametrize("program", [*SOURCE, *(x for text in LINES for x in load(text))])
def test_real_programs_agree_with_the_second_formulation(program: Program) -> None:
    rng = Random(program.name)
    # guards hold, and what they let be computed is compared without them
    run = asked(program, lambda x, _: 1 if x.type.bits == 1 else rng.getrandbits(x.type.bits))
    explained = 0
    for step in run.steps:
        if step.instruction and step.trace:
            ins = replace(step.instruction, guard=None)
            held = dict.fromkeys(ins.names.values(), 0)
            held |= {name: x.bits for name, x in step.reads.items() if x.bits is not None}
            held |= {str(x): x.bits for x in ins.sources if isinstance(x, Immediate)}
            assert step.writes == reference(str(ins), held, "isa"), step.text
            explained += 1
    assert explained == sum(x.kind is StatementKind.INSTRUCTION for x in program.statements) > 0


def test_sad_stereo_adds_sixteen_distances() -> None:
    rng = Random(1)
    pairs = [(rng.getrandbits(32), rng.getrandbits(32)) for _ in range(4)]
    values = dict(zip(("%r7", "%r11", "%r15", "%r19"), (x for x, _ in pairs), strict=True))
    values |= dict(zip(("%r8", "%r12", "%r16", "%r20"), (y for _, y in pairs), strict=True))
    run = execute(VIDEO["sad_stereo"], {"%r1": 0, "%r2": 1, **values})
    wanted = sum(
        abs(i - j) for x, y in pairs for i, j in zip(x.to_bytes(4), y.to_bytes(4), strict=True)
    )
    assert run.registers["%r18"].bits == wanted


def test_a_run_asks_for_an_unknown_register_by_name_and_line() -> None:
    text = ".reg .b32 %r<9>;\nld.param.u32 %r7, [p];\n\nvadd.u32.u32.u32 %r1, %r7, %r6;\n"
    run = execute(block(text), {})
    assert run.ending is StopReason.MISSING_INPUT
    assert [x.message for x in run.missing_inputs] == [
        "%r7 is read at line 4, but its value is unknown (ld.param.u32 at line 2 made it unknown)",
        "%r6 is read at line 4, but its value is unknown",
    ]
    assert [x.line for x in run.steps] == [2]


def test_a_stopped_run_has_the_registers_at_its_stop() -> None:
    run = execute(block("mov.b32 a, 1; vadd.u32.u32.u32 b, a, c; mov.b32 a, 2;"), {})
    assert {name: x.bits for name, x in run.registers.items()} == {"a": 1}


def test_a_run_asks_for_all_missing_inputs_at_once() -> None:
    run = execute(block("add.u32 t, a, b; not.b32 t, t; ld.u32 t, [x]; xor.b32 u, t, c;"), {})
    assert [x.name for x in run.missing_inputs] == ["a", "b", "t", "c"]
    values = {x.name: 1 for x in run.missing_inputs}
    assert execute(block("add.u32 t, a, b; not.b32 t, t;"), {"a": 1, "b": 1}).missing_inputs == ()
    assert execute(run.program, values).registers["u"].bits == 0


def test_an_input_value_does_not_replace_a_computed_register() -> None:
    run = execute(block("mov.b32 a, 5; mov.b32 x, a; ld.u32 a, [p]; mov.b32 y, a;"), {"a": 7})
    assert [run.registers[name].bits for name in "xy"] == [5, 7]
    assert execute(block("mov.b32 a, 5; mov.b32 x, a;"), {"a": 7}).unused == ("a",)


LOADED = "ld.u32 a, [p];\nmov.b32 x, a;\nld.u32 a, [q];\nmov.b32 y, a;"


def test_an_input_value_serves_one_load_only() -> None:
    run = execute(block(LOADED), {"a": 7})
    (need,) = run.missing_inputs
    assert (need.name, need.key, need.reader.line) == ("a", "a@3", 4)
    assert "ld.u32 at line 3 made it unknown; a=… is its value from line 1 on" in need.message
    for values in ({"a": 7, "a@3": 8}, {"a@1": 7, "a": 8}, {"a@1": 7, "a@3": 8}):
        run = execute(block(LOADED), values)
        assert (run.missing_inputs, run.unused) == ((), ())
        assert [run.registers[name].bits for name in "xya"] == [7, 8, 8]
        assert [step.writes for step in run.steps] == [{"a": 7}, {"x": 7}, {"a": 8}, {"y": 8}]


def test_an_unread_load_does_not_consume_an_input_value() -> None:
    run = execute(block("ld.u32 a, [p]; ld.u32 a, [a]; mov.b32 x, a;"), {"a": 7})
    assert [step.writes for step in run.steps] == [{"a": None}, {"a": 7}, {"x": 7}]
    run = execute(block("ld.u32 a, [p];"), {"a": 7})
    assert (run.registers["a"].bits, run.unused) == (7, ("a",))


def test_the_same_name_in_another_block_is_another_register() -> None:
    text = """.reg .u32 x, y, z; { .reg .u32 u;
    ld.u32 u, [p]; mov.b32 x, u; }
    { .reg .u32 u;
    ld.u32 u, [q]; mov.b32 y, u; }
    { .reg .u32 u; mov.b32 z, u; }"""
    run = execute(block(text), {"u": 7})
    assert [need.key for need in run.missing_inputs] == ["u@4", "u@5"]
    run = execute(block(text), {"u": 7, "u@4": 8, "u@5": 9})
    assert [run.registers[name].bits for name in "xyz"] == [7, 8, 9]


def test_an_initial_value_is_distinct_from_a_later_one() -> None:
    text = "@p bra L;\ntestp.finite.f32 p, h;\nselp.b32 x, 1, 2, p;\nL:"
    (need,) = execute(block(text), {}).missing_inputs
    assert need.key == "p@2"  # p=1 would leave at line 1
    run = execute(block(text), {"p": 0, "p@2": 1})
    assert (run.ending, run.registers["x"].bits) == (StopReason.END, 1)
    assert execute(block(text), {"p@0": 1}).ending is StopReason.BRANCH_TAKEN


@st.composite
def blocks_that_load(draw: st.DrawFn) -> list[str]:
    """Lines of loads and sums of two registers, in blocks that may declare their own."""
    lines, depth = list[str](), 0
    for _ in range(draw(st.integers(1, 14))):
        kinds = ["{ .reg .u32 u;", "{ .reg .u32 v;", "{ .reg .u32 u, v;", "}"]
        line = draw(st.sampled_from([*kinds, *["ld.u32 u, [p];", "ld.u32 v, [p];"] * 2, *SUMS * 2]))
        if line != "}" or depth:
            lines.append(line)
            depth += {"{": 1, "}": -1}.get(line[0], 0)
    return [*lines, *["}"] * depth]


SUMS = ["add.u32 u, u, v;", "add.u32 v, u, 1;", "add.u32 w, w, u;", "add.u32 w, v, w;"]


@given(blocks_that_load())
def test_every_load_and_every_register_of_a_block_has_a_value_of_its_own(lines: list[str]) -> None:
    scopes, wanted = [dict.fromkeys("uvw", 1000)], list[int]()
    for number, line in enumerate(lines, 1):
        words = line.replace(",", "").replace(";", "").split()
        holding = {name: scope for scope in scopes for name in scope}
        if line == "}":
            scopes.pop()
        elif words[0] == "{":
            scopes.append(dict.fromkeys(words[3:], number))
        elif words[0] == "ld.u32":
            holding[words[1]][words[1]] = number
        else:
            a, b = (int(x) if x.isdigit() else holding[x][x] for x in words[2:])
            holding[words[1]][words[1]] = (a + b) % 2**32
            wanted.append((a + b) % 2**32)
    program = block("\n".join([".reg .u32 u, v, w;", *lines]))

    def own(need: MissingInput, run: Run) -> int:
        if need.key != need.name:
            line = int(need.key.partition("@")[2]) - 1
        else:
            line = need.clobbered_by.line - 1 if need.clobbered_by else opened_at(need, program)
        return line if line > 0 else 1000

    run = asked(program, own)
    sums = [step for step in run.steps if step.statement.kind is StatementKind.PLAIN_INSTRUCTION]
    assert [*(bits for step in sums for bits in step.writes.values())] == wanted


def opened_at(need: MissingInput, program: Program) -> int:
    """The line before that of the block whose register a statement reads that nothing wrote."""
    open_ = list[tuple[int, tuple[str, ...]]]()
    for statement in program.statements:
        if statement is need.reader:
            break
        if statement.kind is StatementKind.BLOCK_START:
            open_.append((statement.line - 1, statement.writes))
        elif statement.kind is StatementKind.BLOCK_END:
            open_.pop()
    return next((line for line, names in reversed(open_) if need.name in names), 0)


@pytest.mark.parametrize("key", ["a@2", "a@9", "a@", "a@1#2", "a@x"])
def test_a_line_that_makes_nothing_unknown_takes_no_value(key: str) -> None:
    with pytest.raises(ValueError, match="nothing there makes a unknown"):
        execute(block(LOADED), {key: 1})


@pytest.mark.parametrize(("values", "error"), [({"z": 1}, "z is not"), ({"a": 2**32}, "32 bits")])
def test_values_that_do_not_fit_are_refused(values: dict[str, int], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        execute(block("mov.b32 x, a;"), values)


@pytest.mark.parametrize(
    ("text", "used", "given"),
    [
        (".reg .b32 x, d; set.lt.f32.f32 d, x, x;", "f32", "b32"),
        (".reg .f32 x; .reg .b32 d; .reg .pred p; selp.b32 d, x, 0, p;", "b32", "f32"),
        ("set.lt.f32.f32 d, x, x;", "f32", "f32"),
        (".reg .b32 x, d; set.lt.f32.f32 d, x, x; vadd.s32.s32.s32 d, x, x;", "b32", "b32"),
        (".reg .b32 x<9>; set.lt.f32.s32 x6, a, b; vadd.s32.s32.s32 d, x6, a;", "b32", "b32"),
    ],
)
def test_a_value_is_read_by_the_declared_type_if_there_is_one(
    text: str, used: str, given: str
) -> None:
    program = block(text)
    name = next(x for x in program.types if x[0] == "x")
    assert (str(program.types[name]), str(program.find_value_type(name))) == (used, given)


def test_guards_are_obeyed() -> None:
    text = "@p mov.b32 a, 1; @!p mov.b32 b, 2; @p vadd.u32.u32.u32 c, a, a; @!p ld.u32 a, [x];"
    run = execute(block(text), {"p": 1})
    assert {name: x.bits for name, x in run.registers.items()} == {"p": 1, "a": 1, "c": 2}
    assert run.steps[1].writes == run.steps[3].writes == {}
    run = execute(block(text), {"p": 0})
    assert {name: x.bits for name, x in run.registers.items()} == {"p": 0, "b": 2, "a": None}


def test_a_false_guard_asks_for_nothing_and_a_true_one_not_for_the_old_value() -> None:
    text = "@p vadd.u32.u32.u32 d, a, b;"
    assert [x.name for x in execute(block(text), {"p": 1}).missing_inputs] == ["a", "b"]
    assert not execute(block(text), {"p": 0}).missing_inputs
    assert [x.name for x in execute(block(text), {}).missing_inputs] == ["a", "b", "p"]
    run = execute(block(text), {"p": 0, "a": 1, "b": 2, "d": 9})
    assert (run.registers["d"].bits, run.steps[0].writes) == (9, {})


@pytest.mark.parametrize("leave", ["bra L", "bra.uni L", "ret", "exit", "trap"])
def test_a_branch_that_is_taken_ends_the_run(leave: str) -> None:
    text = f"mov.b32 a, 1; @p {leave}; mov.b32 a, 2; L: mov.b32 b, 3;"
    run = execute(block(text), {"p": 1})
    assert (run.ending, run.registers["a"].bits) == (StopReason.BRANCH_TAKEN, 1)
    run = execute(block(text), {"p": 0})
    assert (run.ending, run.registers["a"].bits, run.steps[1].note) == (
        StopReason.END,
        2,
        "@p is false: not taken",
    )
    run = execute(block(text), {})
    assert (run.ending, run.missing_inputs, run.registers["b"].bits) == (StopReason.END, (), 3)
    assert run.steps[1].note == "p is unknown: the run continues as if the branch were not taken"


def test_registers_of_an_inner_block_hide_outer_registers() -> None:
    text = """{ .reg .u32 t, u; mov.b32 t, 1;
        { .reg .u32 t, %v<4>; mov.b32 t, 2; mov.b32 u, t; mov.b32 %v1, 5; }
        { .reg .u32 %v<4>; add.u32 u, u, t; } }"""
    run = execute(block(text), {})
    assert (run.registers["t"].bits, run.registers["u"].bits) == (1, 3)
    again = execute(block(text.replace("add.u32 u, u, t", "mov.b32 u, %v1")), {})
    assert [x.name for x in again.missing_inputs] == ["%v1"]


def test_a_run_stops_before_a_line() -> None:
    run = execute(block("mov.b32 a, 1;\nmov.b32 a, 2;\nmov.b32 a, b;\n"), {}, stop_line=2)
    assert (run.ending, run.registers["a"].bits, run.missing_inputs) == (StopReason.BREAK, 1, ())


def test_illegal_instructions_are_problems_at_their_place() -> None:
    text = "mov.b32 a, 1;\nvadd.u32.u32.s64 d, a, a;\n"
    program = block(text)
    (problem,) = program.problems
    assert text[slice(*problem.span)] == ".s64"
    assert execute(program, {}).registers["d"].bits is None


def test_kernels_and_functions_are_separate_programs() -> None:
    text = """.func (.reg .b32 r) f (.reg .b32 x);
    .func (.reg .b32 r) f (.reg .b32 x) { .reg .b32 t; add.u32 t, x, 1; mov.b32 r, t; ret; }
    .visible .entry g() .maxntid 32, 1, 1 { .reg .b64 %d<2>; mov.u64 %d1, f; ret; }"""
    function, kernel = load(text)
    assert [(x.name, len(x.statements)) for x in (function, kernel)] == [("f", 3), ("g", 2)]
    assert sorted(function.types) == ["r", "t", "x"]
    assert execute(function, {"x": 4}).registers["r"].bits == 5
    assert list(kernel.types) == ["%d1"]  # a function is no register
    assert kernel.statements[0].kind is StatementKind.UNKNOWN


def test_a_declaration_holds_in_its_kernel_only() -> None:
    kernels = (f".entry k{n}() {{ .reg .b{n} x; ld.b{n} x, [p]; ret; }}" for n in (32, 64, 16))
    assert [program.types["x"].value for program in load(" ".join(kernels))] == [
        "b32",
        "b64",
        "b16",
    ]


def test_inline_assembly_is_named_by_its_line() -> None:
    source = (DATA / "video.cu").read_text(encoding="utf-8")
    programs = load(source)
    lines = [at for at, line in enumerate(source.splitlines(), 1) if 'asm("' in line]
    assert [x.name for x in programs] == [f"asm:{at}" for at in lines]
    assert [x.statements[0].line for x in programs] == lines
    one = load('asm("mov.b32 %0, 1;"); asm("mov.b32 %0, 2;");')
    assert [x.name for x in one] == ["asm:1", "asm:1#2"]


def test_the_step_that_made_a_value_differ_is_found_behind_copies_and_merges() -> None:
    text = """mov.b32 r, 0;
vadd.u32.u32.u32.sat r.b0, a, b, r;
vadd.u32.u32.u32.sat r.b1, a, b, r;
mov.b32 s, r;
mov.b32 t, 9;
"""
    run = execute(block(text), {"a": 200, "b": 100})
    assert run.registers["s"].bits == 0xFFFF
    for observed, line in ((0xFF2C, 2), (0x2CFF, 3), (0x1FFFF, 1)):
        step = find_first_culprit(run, {"s": make_observed(observed, 32)})
        assert step is not None
        assert step.line == line
    both = find_first_culprit(run, {"s": make_observed(0x2CFF, 32), "t": make_observed(8, 32)})
    assert both is not None
    assert both.line == 3
    assert (
        find_first_culprit(run, {"s": make_observed(0xFFFF, 32), "t": make_observed(9, 32)}) is None
    )


FRAGMENTS = st.lists(
    st.sampled_from(
        [
            ".entry", ".func", "k", "(", ")", "{", "}", ";", ",", "@", "!", "%p1", "%r1", "%r<9>",
            ".reg", ".b32", ".pred", ".b128", "mov.b32", "vadd.u32.u32.u32", "L:", "[", "]", "ret",
            "0x1f", "1.5", "add.u32", "%tid.x", "\n", 'asm("', '"', "setp.eq.u32", "|", "_", "<",
        ]
    ),
    max_size=40,
).map(" ".join)  # fmt: skip


@given(FRAGMENTS)
def test_any_text_is_loaded_and_run(text: str) -> None:
    for program in load(text):
        run = execute(program, {})
        assert len(run.steps) <= len(program.statements)
        assert bool(run.missing_inputs) == (run.ending is StopReason.MISSING_INPUT)
        given_ = {x.key: 1 for x in run.missing_inputs}
        assert all(x.key not in given_ for x in execute(program, given_).missing_inputs)


@pytest.mark.parametrize("model", MODELS)
def test_the_old_d_under_a_false_guard_follows_the_model(model: str) -> None:
    for row in golden_rows():
        if row.file == "guarded.csv":
            run = execute(block(f"{row.ptx};"), {**row.values, "p": 0}, model)
            (step,) = run.steps
            assert run.registers["d"].bits == row.results[model][0], row
            assert step.writes == ({} if model == "isa" else {"d": row.results[model][0]})
            assert ("E14" in step.note) == (model != "isa"), row
            # what the comparison reads does not matter, and need not be known
            alone = execute(block(f"{row.ptx};"), {"p": 0, "d": row.values["d"]}, model)
            assert not alone.missing_inputs
            assert alone.registers["d"].bits == row.results[model][0], row


def test_an_unknown_d_stays_unknown_under_a_false_guard() -> None:
    text = "@p set.lt.f32.s32 d, a, b; @p set.lt.u32.s32 e, a, b;"
    run = execute(block(text), {"p": 0, "e": 5}, "ptxas")
    assert [step.writes for step in run.steps] == [{"d": None}, {}]
    assert run.registers["e"].bits == 5
    assert not run.missing_inputs
    run = execute(block(text), {"p": 1, "a": 1, "b": 2, "d": 5, "e": 5}, "ptxas")
    assert [step.writes for step in run.steps] == [{"d": 0x3F800000}, {"e": 0xFFFFFFFF}]


def test_a_text_is_split_into_tokens_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from ptxscope.engine.syntax import tokens

    seen: list[int] = []
    real = tokens.tokenize

    def counted(text: str) -> list[tokens.Token]:
        seen.append(len(text))
        return real(text)

    monkeypatch.setattr(tokens, "tokenize", counted)
    for module in ("ptxscope.engine.syntax.parser", "ptxscope.engine.program.program_loader"):
        monkeypatch.setattr(f"{module}.tokens", counted, raising=False)
    text = (DATA / "video.ptx").read_text(encoding="utf-8")
    load(text)
    assert sum(seen) == len(text)
