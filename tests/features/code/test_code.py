"""The generated functions, run: Python by exec, C through gcc where there is one."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import Instruction, Trace, evaluate, export, parse, trace, trace_block
from ptxscope.documents.content.document_builder import build_document
from ptxscope.documents.options import Options
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.encodings import Range
from ptxscope.engine.semantics.plan import Row
from ptxscope.engine.tracing.operand_bits import bind_values
from ptxscope.features.code.functions import make_function_name, name_parameters
from tests.driving.block_idioms import IDIOMS, Idiom
from tests.driving.samples import E3
from tests.engine.test_blocks import EVERY_IDIOM, draw_values
from tests.reference import reference
from tests.reference_data import Golden, golden_forms, golden_opcodes
from tests.strategies import evaluations
from tests.tiers import ci_only, sampled, some, thorough

MODELS = ("isa", "ptxas-13.0")


def compiled(text: str, name: str) -> Callable[..., object]:
    scope: dict[str, Callable[..., object]] = {}
    exec(compile(text, name, "exec"), scope)
    return scope[name]


def first_trace(ptx: str, rows: tuple[Golden, ...], model: str) -> Trace:
    return trace(ptx, rows[0].values, model=model)


def chosen(per_opcode: int) -> Iterator[tuple[str, tuple[Golden, ...]]]:
    """The first forms of each opcode, and every form of the errata's rows among them."""
    key = lambda form: re.split(r"[. ]", form[0].strip())[0]  # noqa: E731
    for _, forms in itertools.groupby(sorted(golden_forms(), key=key), key=key):
        listed = list(forms)
        step = max(len(listed) // per_opcode, 1)
        yield from listed[::step]


def taken_roles(shown: Trace) -> list[str]:
    return list({name: role for role, name in name_parameters(shown).items()}.values())


@pytest.mark.parametrize("step", [60, pytest.param(7, marks=thorough)])
@pytest.mark.parametrize("model", MODELS)
def test_python_agrees_with_every_golden_row(model: str, step: int) -> None:
    for ptx, rows in golden_forms()[::step]:
        shown = first_trace(ptx, rows, model)
        function = compiled(export(shown, "python"), make_function_name(shown))
        roles = taken_roles(shown)
        for row in rows:
            operands = bind_values(shown.instruction, row.values)
            found = function(*(operands[role] for role in roles))
            found = found if isinstance(found, tuple) else (found,)
            assert found == row.results[model], (ptx, row.values)


@given(evaluations(), st.sampled_from(MODELS))
def test_python_agrees_with_the_engine(
    evaluation: tuple[Instruction, dict[str, int]], model: str
) -> None:
    ins, values = evaluation
    shown = trace(ins, values, model=model)
    function = compiled(export(shown, "python"), make_function_name(shown))
    found = function(*(shown.operands[role] for role in taken_roles(shown)))
    expected = tuple(evaluate(ins, values, model=model).values())
    if len(expected) == 1:
        assert (found,) == expected
    else:
        assert found == (expected or None)


@sampled
@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc here")
@pytest.mark.parametrize("model", MODELS)
@ci_only
def test_c_agrees_with_golden_rows(model: str, tmp_path: Path) -> None:
    functions, checks, opcodes = [], [], set()
    for number, (ptx, rows) in enumerate(chosen(5)):
        shown = first_trace(ptx, rows, model)
        opcodes.add(shown.instruction.opcode)
        name = f"f{number}"
        text = export(shown, "c")
        functions.append(text.replace(f" {make_function_name(shown)}(", f" {name}(", 1))
        roles = taken_roles(shown)
        for row in rows[:40]:
            operands = bind_values(shown.instruction, row.values)
            given_ = [operands[role] for role in roles]
            checks.append(call_c(name, given_, row.results[model], "int"))
    assert opcodes == golden_opcodes()
    run_checks(functions, checks, tmp_path)


def call_c(
    name: str, values: Sequence[int], results: Sequence[int], result_type: str = "uint32_t"
) -> str:
    """A call of a function in C that checks what it gives."""
    given_ = [f"UINT64_C({bits})" for bits in values]
    if len(results) == 1:
        return f"ok({name}({', '.join(given_)}) == UINT64_C({results[0]}));"
    places = ", ".join(f"r{i}" for i in range(len(results)))
    call = ", ".join([*given_, *(f"&r{i}" for i in range(len(results)))])
    same = " && ".join(f"r{i} == {bits}" for i, bits in enumerate(results))
    return f"{{ {result_type} {places or 'r0'}; {name}({call}); ok({same or 1}); }}"


def run_checks(functions: Sequence[str], checks: Sequence[str], folder: Path) -> None:
    """Compile functions and run calls of them, each of which must hold."""
    main = (
        "#include <stdint.h>\n#include <stdio.h>\n"
        + "\n".join(functions)
        + "\nstatic int bad = 0, at = 0;\n"
        + 'static void ok(int good) { if (!good) { bad++; printf("check %d\\n", at); } at++; }\n'
        + f"int main(void) {{\n{chr(10).join(checks)}\nreturn bad != 0;\n}}\n"
    )
    (folder / "t.c").write_text(main)
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsanitize=undefined"]
    program = str(folder / "t")
    subprocess.run(["gcc", *flags, "-o", program, str(folder / "t.c")], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


_ONES = (1 << 64) - 1


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc here")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mul.hi.u64 d, a, b", _ONES - 1),
        ("mul.lo.u64 d, a, b", 1),
        ("mad.hi.u64 d, a, b, c", 4),
        ("mad.lo.u64 d, a, b, c", 7),
        ("mul.hi.s64 d, a, b", 0),
    ],
)
def test_c_defines_products_of_64_bits(line: str, expected: int, tmp_path: Path) -> None:
    values = {"a": _ONES, "b": _ONES} | ({"c": 6} if ", c" in line else {})
    shown = trace(line, values)
    operands = [values[role] for role in taken_roles(shown)]
    run_checks([export(shown, "c")], [call_c(make_function_name(shown), operands, [expected])],
               tmp_path)  # fmt: skip


@sampled
@EVERY_IDIOM
def test_python_computes_the_idioms(idiom: Idiom) -> None:
    rng = Random(idiom.name)
    for _ in range(10):
        values = draw_values(idiom, rng)
        shown = trace_block(idiom.ptx, values)
        found = compiled(export(shown, "python"), "block")(*values.values())
        expected = idiom.compute(**values)
        results = tuple(expected[name] for name in shown.block.outputs)
        assert (found if isinstance(found, tuple) else (found,)) == results


@ci_only
@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc here")
def test_c_computes_the_idioms(tmp_path: Path) -> None:
    functions, checks = [], []
    for number, idiom in enumerate(IDIOMS):
        rng = Random(idiom.name)
        for values in [draw_values(idiom, rng) for _ in range(20)]:
            shown = trace_block(idiom.ptx, values)
            expected = idiom.compute(**values)
            results = [expected[name] for name in shown.block.outputs]
            checks.append(call_c(f"block{number}", [*values.values()], results))
        functions.append(export(shown, "c").replace(" block(", f" block{number}("))
    run_checks(functions, checks, tmp_path)


@ci_only
@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc here")
@pytest.mark.parametrize(("guard", "acts"), [("@g", (0, 1)), ("@!g", (1, 0))])
def test_generated_c_keeps_both_predicates_under_a_false_guard(
    guard: str, acts: tuple[int, int], tmp_path: Path
) -> None:
    line = "setp.lt.and.u32 p|q, a, b, c"
    shown = trace(f"{guard} {line}", dict.fromkeys("abcgpq", 0))
    checks = []
    for bits in itertools.product((1, 2), (1, 2), (0, 1), (0, 1), (0, 1), (0, 1)):
        values = dict(zip("abcgpq", bits, strict=True))
        new = reference(line, {name: values[name] for name in "abc"}, "isa")
        wanted = [(new if acts[values["g"]] else values)[name] for name in "pq"]
        assert [*evaluate(shown.instruction, values).values()] == wanted
        given_ = [values[role.replace("guard", "g")] for role in taken_roles(shown)]
        checks.append(call_c(make_function_name(shown), given_, wanted, "int"))
    run_checks([export(shown, "c")], checks, tmp_path)


@pytest.mark.parametrize("format_", ["c", "python"])
def test_both_answers_are_two_functions(format_: str) -> None:
    text = export(E3, format_, Options(both=True))
    assert "vadd_u32_s32_s32_sat_dsel_b0(" in text
    assert "vadd_u32_s32_s32_sat_dsel_b0_ptxas_13_5(" in text


@pytest.mark.parametrize("opcode", [x for x in CATALOG if parse(CATALOG[x].example[0]).form.c])
@pytest.mark.parametrize("format_", ["c", "python"])
def test_a_generated_function_takes_the_operands_in_order(opcode: str, format_: str) -> None:
    shown = trace(*CATALOG[opcode].example)
    text = export(shown, format_)
    (head,) = re.findall(rf"\b{make_function_name(shown)}\((.*)\)", text)
    taken = re.findall(r"\b([abc])\b", head)
    assert taken == sorted(set(taken))
    assert set(taken) == {x.role for x in shown.plan.sources} & set("abc")


@pytest.mark.parametrize(
    ("line", "taken"),
    [
        ("slct.b64.s32 d, a, b, c", "a b c"),
        ("selp.u32 d, a, b, c", "a b c"),
        ("@g selp.u32 d, a, b, c", "a b c g d"),
        ("@!g setp.lt.and.s32 p|q, a, b, !c", "a b c g p q"),
        ("vadd.s32.s32.s32 d.b1, a, b, c", "a b c"),
        ("add.u32 d, %max, %max", "_max"),
        ("add.u32 d, x, 5", "x"),
    ],
)
def test_guard_and_old_values_are_the_last_parameters(line: str, taken: str) -> None:
    shown = trace(line, {x.name: 0 for x in parse(line).inputs})
    (head,) = re.findall(rf"def {make_function_name(shown)}\((.*)\)", export(shown, "python"))
    assert head.replace(": int", "").split(", ") == taken.split()
    (head,) = re.findall(rf"\b{make_function_name(shown)}\((.*)\)", export(shown, "c"))
    assert re.findall(r"\w+", re.sub(r"\w+ \*\w+|int|uint\w+_t", "", head)) == taken.split()


@pytest.mark.parametrize("step", some([90, 31]))
def test_nothing_follows_a_return(step: int) -> None:
    for ptx, rows in golden_forms()[::step]:
        for model in MODELS:
            shown = first_trace(ptx, rows, model)
            for format_, end in (("c", "}"), ("python", "")):
                lines = export(shown, format_).splitlines()
                returns = [at for at, x in enumerate(lines) if x.lstrip().startswith("return")]
                for at in returns:
                    assert [*lines, ""][at + 1] == end, lines


@pytest.mark.parametrize("step", some([70, 7]))
def test_generated_c_uses_128_bits_only_if_needed(step: int) -> None:
    for ptx, rows in golden_forms()[::step]:
        for model in MODELS:
            shown = first_trace(ptx, rows, model)
            ranges = {row.key: row.range for row in shown.plan.rows}
            ranges |= {x.role: Range(0, (1 << x.type.bits) - 1) for x in shown.plan.sources}

            def holds(row: Row, bits: tuple[int, int], ranges: dict[str, Range] = ranges) -> bool:
                each = (row.range, *(ranges[key] for key in row.inputs))
                return all(bits[0] <= x.low and x.high <= bits[1] for x in each)

            # an operation on numbers of which some are below 0 and others 2**63 and more
            needed = any(
                not holds(row, (-(1 << 63), (1 << 63) - 1)) and not holds(row, (0, (1 << 64) - 1))
                for row in shown.plan.rows
            )
            assert needed or "__int128" not in export(shown, "c"), ptx


@pytest.mark.parametrize(
    "line",
    ["slct.b64.s32 d, a, b, c", "selp.f64 d, a, b, c", "setp.lt.s64 p, a, b",
     "setp.geu.f64 p|q, a, b", "set.hi.f32.u64 d, a, b", "vshl.u32.u32.u32.clamp d, a, b",
     "vmad.s32.u32.u32.po.sat d, a, b, c"],
)  # fmt: skip
def test_these_need_no_128_bits(line: str) -> None:
    assert "__int128" not in export(trace(line, dict.fromkeys("abc"[: line.count(",")], 0)), "c")


@pytest.mark.parametrize(
    ("ptx", "python", "in_c"),
    [
        ("vsub.u32.u32.u32.sat d, a, b",
         "min(max(operate_t, 0), 0xffffffff)",
         "operate_t < 0 ? 0 : (operate_t > INT64_C(0xffffffff) ? INT64_C(0xffffffff) : operate_t)"),
        ("vabsdiff4.s32.u32.u32.sat d, a, b, c",  # no distance is below 0
         "min(max(operate_t0, -128), 127)",
         "operate_t0 < -128 ? -128 : (operate_t0 > 127 ? 127 : operate_t0)"),
    ],
)  # fmt: skip
def test_generated_code_keeps_unreachable_bounds_of_a_clamp(
    ptx: str, python: str, in_c: str
) -> None:
    shown = trace(ptx, {x.name: 1 for x in parse(ptx).inputs})
    assert f" = {python}\n" in export(shown, "python")
    assert f" = {in_c};\n" in export(shown, "c")


def test_generated_c_casts_signed_bits() -> None:
    text = export(trace("vadd.s32.s32.s32 d, a, b.b1", {"a": 1, "b": 2}), "c")
    assert " extend_a = (int32_t)select_a;\n" in text
    assert " extend_b = (int8_t)select_b;\n" in text


@pytest.mark.parametrize("format_", ["c", "python"])
def test_comments_in_code_have_the_step_titles_of_documents(format_: str) -> None:
    one = trace("vmad.s32.s32.s32.sat.shr7 d, a, b, c", {"a": 1, "b": 2, "c": 3})
    several = trace_block("vmax.s32.s32.s32.min t, a, b, c; vadd.s32.s32.s32.add d, t, b, c;",
                          {"a": 1, "b": 2, "c": 3})  # fmt: skip
    for shown in (one, several):
        comments = re.findall(r"^ +(?:/\*|#) (?:\d.*: )?([a-z ]+?)(?: \*/)?$",
                              export(shown, format_), re.MULTILINE)  # fmt: skip
        assert comments == [step.title for step in build_document(shown).steps]


@pytest.mark.parametrize("line", ["vadd4.s32.s32.s32.sat d, a, b, c", "@!%p sub.u32 d, a, 7"])
def test_a_line_in_braces_is_a_line(line: str) -> None:
    values = {x.name: 5 % (1 << x.type.bits) for x in parse(line).inputs}
    alone, block = trace(line, values), trace_block(f"{{ {line}; }}", values)
    assert export(block, "c") == export(alone, "c")
