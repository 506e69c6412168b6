"""Blocks in every format; the functions in C and Python compute the idioms."""

from __future__ import annotations

import ctypes
import json
import shlex
import shutil
import subprocess
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import ptxscope
from ptxscope import PtxError, parse_block, trace_block
from ptxscope.cli import main
from ptxscope.documents.content.command_words import format_folded, parse_folded
from ptxscope.documents.formats import json_reader as trace_json
from ptxscope.documents.options import Options
from ptxscope.documents.svg.text_fitting import measure_text
from ptxscope.documents.svg.trace_picture import draw_trace
from ptxscope.documents.svg.zones import find_relations
from tests.block_idioms import IDIOMS, Idiom
from tests.engine.test_blocks import EVERY_IDIOM, draw_values
from tests.tiers import ci_only, sampled

DEQUANT = (
    "{ .reg .b32 t; prmt.b32 t, a, b, 0x5410; and.b32 t, t, 0xff00ff;"
    " vadd2.s32.s32.s32.sat d, t, c, c; }"
)
VALUES = {"a": 0x11223344, "b": 0x8899AABB, "c": 0x7FFF}


@sampled
@EVERY_IDIOM
def test_python(idiom: Idiom) -> None:
    rng = Random(idiom.name)
    names: dict[str, Callable[..., Any]] = {}
    for _ in range(10):
        values = draw_values(idiom, rng)
        trace = trace_block(idiom.ptx, values)
        exec(ptxscope.export(trace, "python"), names)
        got = names["block"](*(values[name] for name in values))
        results = [*idiom.compute(**values).items()]
        expected = [dict(results)[name] for name in trace.block.outputs]
        assert (got if isinstance(got, tuple) else (got,)) == tuple(expected)


@ci_only
@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_c(tmp_path: Path) -> None:
    sources, cases = [], []
    for number, idiom in enumerate(IDIOMS):
        rng = Random(idiom.name)
        rows = [draw_values(idiom, rng) for _ in range(20)]
        code = ptxscope.export(trace_block(idiom.ptx, rows[0]), "c")
        sources.append(code.replace(" block(", f" block{number}("))
        cases.append((f"block{number}", idiom, rows))
    (tmp_path / "blocks.c").write_text("\n".join(sources))
    library = tmp_path / "blocks.so"
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", library, tmp_path / "blocks.c"], check=True)
    functions = ctypes.CDLL(str(library))
    for name, idiom, rows in cases:
        for values in rows:
            outputs = [*parse_block(idiom.ptx).outputs]
            function = functions[name]
            words = [ctypes.c_uint32(x) for x in values.values()]
            if len(outputs) == 1:
                function.restype = ctypes.c_uint32
                results = [function(*words)]
            else:
                places = [ctypes.c_uint32() for _ in outputs]
                function(*words, *map(ctypes.byref, places))
                results = [x.value for x in places]
            assert dict(zip(outputs, results, strict=True)) == idiom.compute(**values)


def test_text_numbers_steps_through_and_names_sources() -> None:
    text = ptxscope.export(trace_block(DEQUANT, VALUES), "text")
    lines = text.splitlines()
    steps = [int(x.split()[0]) for x in lines if x[:1].isdigit() and x.split()[0].isdigit()]
    assert steps[1:] == [*range(1, 12)]  # the first line counts the statements
    assert "1. prmt.b32 t, a, b, 0x5410" in lines
    assert "  a   t         0xaabb3344  2864395076, of statement 1" in lines
    assert "2. and.b32 t, t, 0xff00ff" in lines
    assert "d = 0x00bb7fff  [187, 32767]" in lines
    assert max(map(len, lines[:-3])) <= 80


@pytest.mark.parametrize("format_", ["text", "markdown", "rst", "asciidoc", "html"])
def test_folded_statements_show_their_results_only(format_: str) -> None:
    trace = trace_block(DEQUANT, VALUES)
    whole, folded = (
        ptxscope.export(trace, format_, Options(folded=frozenset(x))) for x in ((), (1, 2))
    )
    assert "Each digit picks a byte" in whole
    assert "Each digit picks a byte" not in folded
    for bits in ("0xaabb3344", "0x00bb0044", "0x00bb7fff"):
        assert bits in folded
    assert "--fold=but-last" in folded
    assert len(folded) < len(whole)


@pytest.mark.parametrize("format_", ["text", "html", "svg", "c"])
@pytest.mark.parametrize("line", ["vadd4.s32.s32.s32.sat d, a, b, c", "@!%p sub.u32 d, a, 7"])
def test_a_line_in_braces_is_a_line(line: str, format_: str) -> None:
    values = {x.name: 5 % (1 << x.type.bits) for x in ptxscope.parse(line).inputs}
    alone, block = ptxscope.trace(line, values), trace_block(f"{{ {line}; }}", values)
    assert ptxscope.export(block, format_) == ptxscope.export(alone, format_)


def test_picture() -> None:
    trace = trace_block(DEQUANT, VALUES)
    drawing = draw_trace(trace)
    nodes = {zone.node for zone in drawing.canvas.zones}
    links = drawing.canvas.links
    assert {("s1.", "t =", 0), ("s2.", "a", 0), ("s3.", "d =", 0)} <= nodes
    # wires run from the result of a statement to the parts of the register that reads it
    assert links[("s1.", "t =", 0), ("s2.", "a", 0)]
    for lane in (0, 1):
        assert links[("s2.", "t =", 0), ("s3.", "a", lane)]
    relations = find_relations(drawing.canvas)
    sources = relations.ancestors["s3.", "d =", 0]
    assert {("s1.", "a", 0), ("s1.", "b", 0), ("s3.", "b", 0), ("s3.", "b", 1)} <= sources
    heights = [
        draw_trace(trace, Options(folded=frozenset(folded))).height
        for folded in ((), (1,), (1, 2), (1, 2, 3))
    ]
    assert heights == sorted(heights, reverse=True)


@ci_only
def test_a_folded_block_of_eight_is_wider_than_high() -> None:
    lines = " ".join(f"shf.l.wrap.b32 t, t, t, {x};" for x in range(1, 9))
    trace = trace_block(lines, {"t": 1})
    drawing = draw_trace(trace, Options(folded=frozenset(range(1, 9))))
    assert drawing.height / drawing.layout.width < 0.8
    for format_ in ("svg", "html", "png", "pdf"):
        assert ptxscope.export(trace, format_)


@sampled
@EVERY_IDIOM
def test_every_idiom_is_drawn(idiom: Idiom) -> None:
    trace = trace_block(idiom.ptx, draw_values(idiom, Random(1)))
    for options in (Options(), Options(compact=True)):
        root = ET.fromstring(ptxscope.export(trace, "svg", options))
        words = " ".join(text for x in root.iter() if (text := (x.text or "").strip()))
        for name in trace.block.outputs:
            assert f"{name} =" in words
        ids = [x.attrib["id"] for x in root.iter() if "id" in x.attrib]
        assert len(ids) == len({*ids})


def test_json() -> None:
    trace = trace_block(DEQUANT, VALUES)
    data = json.loads(ptxscope.export(trace, "json"))
    assert data["schema"] == "ptxscope.block/1"
    schemas = [
        Resource.from_contents(json.loads(files("ptxscope.documents").joinpath(name).read_text()))
        for name in ("block.schema.json", "trace.schema.json")
    ]
    registry = Registry().with_resources([(str(x.id()), x) for x in schemas])
    Draft202012Validator(schemas[0].contents, registry=registry).validate(data)
    assert [x["name"] for x in data["operands"]] == ["a", "b", "c"]
    assert [x["reads"].get("a") for x in data["statements"]] == [
        {"statement": 0, "name": "a"},
        {"statement": 1, "name": "d"},
        {"statement": 2, "name": "d"},
    ]
    (result,) = data["results"]
    assert (result["name"], result["bits"], result["statement"]) == ("d", 0x00BB7FFF, 3)
    assert {x["name"] for x in result["from"]} == {"a", "b", "c"}
    for statement, part in zip(data["statements"], trace.parts, strict=True):
        assert trace_json.load(json.dumps(statement["trace"])).result == part.result


def test_the_command_reproduces_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    text = ptxscope.export(trace_block(DEQUANT, VALUES), "text", Options(folded=frozenset({2})))
    command = text[text.index("\n$ ptxscope trace") + 3 :].replace("\\\n", " ")
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out == text


def test_models_that_differ_are_told() -> None:
    ptx = "vadd.u32.s32.s32.sat t.b0, a, b, c; prmt.b32 d, t, 0, 0x0123;"
    trace = trace_block(ptx, {"a": -1, "b": 0, "c": 0x11223344})
    text = " ".join(ptxscope.export(trace, "text").split())
    assert "gives d = 0xff332211: statement 1 is the first that differs, by E3" in text


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("2-4,6", {2, 3, 4, 6}), ("all", {*range(1, 9)}), ("but-last", {*range(1, 8)}), ("3", {3})],
)
def test_folded_numbers(text: str, numbers: set[int]) -> None:
    assert parse_folded(text, 8) == numbers
    assert parse_folded(format_folded(frozenset(numbers), 8), 8) == numbers


@pytest.mark.parametrize("text", ["0", "9", "4-2", "x", "", "1,,2", "2-9"])
def test_wrong_folded_numbers(text: str) -> None:
    with pytest.raises(ValueError, match="is not a statement; there are 1 to 8"):
        parse_folded(text, 8)


def test_commands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    listing = tmp_path / "k.ptx"
    listing.write_text(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
        "  .reg .b32 %r<9>;\n  prmt.b32 %r2, %r1, 0, 0x0123;\n"
        "  vadd4.u32.u32.u32 %r3, %r2, %r1, %r2;\n  ret;\n}\n"
    )
    assert main(["eval", f"{listing}:7-8", "r1=0x01020304"]) == 0
    assert capsys.readouterr().out == "%r3=0x05050505\n"
    asm = 'asm("prmt.b32 %0, %1, 0, 0x0123; brev.b32 %0, %0;" : "=r"(y) : "r"(x));'
    assert main(["eval", asm, "x=255"]) == 0
    assert capsys.readouterr().out == "%0=0x000000ff\n"
    assert main(["trace", DEQUANT, "a=1", "b=2", "c=3", "--fold"]) == 0
    assert "--fold=but-last" in capsys.readouterr().out
    assert main(["trace", DEQUANT, "a=1", "b=2", "c=3", "--until", "write"]) == 2
    assert "it has statements s1 to s3 and steps 1 to 11" in capsys.readouterr().err
    assert main(["trace", DEQUANT, "a=1", "b=2", "c=3", "--fold", "4"]) == 2
    assert "there are 1 to 3" in capsys.readouterr().err
    assert main(["trace", "prmt.b32 d, a, b, c;", "a=1", "b=2", "c=3", "--fold"]) == 2
    assert main(["trace", DEQUANT, "a=1"]) == 2
    assert "no value for b, c" in capsys.readouterr().err


def test_an_instruction_beside_ones_that_a_block_lacks_is_traced_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["eval", "ld.global.u32 b, [x]; prmt.b32 d, a, b, 0x3210;", "a=1", "b=2"]) == 0
    assert capsys.readouterr().out == "d=0x00000001\n"


def test_notebooks_show_a_block() -> None:
    shown = trace_block(DEQUANT, VALUES)._repr_mimebundle_()
    assert shown["text/html"] == ptxscope.export(trace_block(DEQUANT, VALUES), "html")
    assert "text/plain" in shown


def test_other_formats_refuse_what_is_no_trace() -> None:
    with pytest.raises(TypeError, match="is not a Trace"):
        ptxscope.export(parse_block(DEQUANT))  # type: ignore[call-overload]
    with pytest.raises(PtxError):
        parse_block("prmt.b32 d, a;")


def test_a_compact_block_says_which_steps_it_leaves_out() -> None:
    shown = trace_block("vadd4.s32.s32.s32 t, x, y, z; vadd.s32.s32.s32.sat u, t, w;",
                        {"x": 1, "y": 2, "w": 4})  # fmt: skip
    said = " ".join(ET.fromstring(ptxscope.export(shown, "svg", Options(compact=True))).itertext())
    wanted = (
        "Not drawn, because they change nothing: 1 select, 4 merge, 6 select, 9 saturate, 10 write."
        " Drawn beside the operands: 2 extend, 7 extend."
    )
    assert wanted in " ".join(said.split())
    assert "Not drawn" not in ptxscope.export(shown, "svg")


@pytest.mark.parametrize("model", ["isa", "ptxas-13.5"])
@pytest.mark.parametrize("compact", [False, True])
def test_the_registers_do_not_run_into_the_model(model: str, compact: bool) -> None:
    trace = trace_block(
        "{ vadd.u32.s32.s32.sat t, a, b; vadd.u32.s32.s32.sat d.b0, t, b, c; }",
        {"a": 1 << 31, "b": 5, "c": 0},
        model=model,
    )
    svg = ET.fromstring(ptxscope.export(trace, "svg", Options(compact=compact)))
    texts = [x for x in svg.iter("{http://www.w3.org/2000/svg}text") if x.text]
    right = next((x for x in texts if x.text == f"model {model}"), None)
    if right is None:  # a compact picture has no name of the documentation
        assert (compact, model) == (True, "isa")
        return
    left = next(x for x in texts if (x.text or "").startswith("a = "))
    end = float(left.get("x", "")) + measure_text(left.text or "", 12.5 if compact else 14, True)
    start = float(right.get("x", "")) - measure_text(right.text or "", 11)
    assert abs(float(left.get("y", "")) - float(right.get("y", ""))) <= 1
    assert end <= start
