"""`ptxscope mcp`, in a process, asked by the client of the `mcp` package."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from ptxscope import evaluate
from ptxscope.cli import main
from ptxscope.cli.support.arguments import find_command_module
from tests.tiers import ci_only

SERVER = StdioServerParameters(command=sys.executable, args=["-m", "ptxscope", "mcp"])
VSET4 = "vset4.u32.u32.lt d, a, b, c"
VADD = "vadd.u32.s32.s32.sat d.b0, a, b, c"


@asynccontextmanager
async def open_session() -> AsyncIterator[ClientSession]:
    async with stdio_client(SERVER) as (reader, writer), ClientSession(reader, writer) as session:
        await session.initialize()
        yield session


async def call(session: ClientSession, tool: str, **arguments: Any) -> tuple[bool, Any, str]:
    """Whether a call failed, its structured answer, and its text."""
    answer = await session.call_tool(tool, arguments)
    (content, *_) = answer.content
    return bool(answer.is_error), answer.structured_content, getattr(content, "text", "")


async def test_a_model_that_asks_why_vset4_gave_0xff_gets_the_cause() -> None:
    async with open_session() as session:
        values = {"a": "0x01020304", "b": "0x01020308", "c": "0"}  # only the lowest byte is less
        _, answer, _ = await call(session, "explain", ptx=VSET4, operands=values, observed="0xff")
        first = answer["explanations"][0]
        assert "`vset` writes 1 if the comparison is true; it is `set`" in first["sentence"]
        assert answer["documented"] == "d=0x00000001"
        _, answer, _ = await call(session, "explain", ptx=VSET4, operands=values, observed="0x123")
        assert answer == {"documented": "d=0x00000001", "explanations": []}


@ci_only
async def test_an_evaluation_has_the_result_of_each_model() -> None:
    line, values = "vmad.u32.u32.u32.sat d, a, b, c", {"a": -1, "b": [0, 1], "c": "0x1"}
    numbers = {"a": 0xFFFFFFFF, "b": 1, "c": 1}
    async with open_session() as session:
        _, answer, _ = await call(session, "evaluate", ptx=line, operands=values)
    assert answer.keys() == {"isa", "ptxas"}
    for model, text in answer.items():
        assert int(text.removeprefix("d="), 0) == evaluate(line, numbers, model=model)["d"]
    assert answer["isa"] != answer["ptxas"]  # E10


@ci_only
async def test_an_error_has_the_caret_of_the_command() -> None:
    async with open_session() as session:
        is_error, _, text = await call(
            session, "evaluate", ptx="vadd4.s32.s32.s23 d, a, b, c", operands={}
        )
        assert is_error
        line, caret = text.splitlines()[1:3]
        assert line[caret.index("^") :].startswith(".s23")
        for ptx, operands in (
            (VSET4, {"a": "--help"}),
            ("--help", {}),
            (VSET4, {"--output": "/dev/stdout"}),
        ):
            is_error, _, text = await call(session, "trace", ptx=ptx, operands=operands)
            assert is_error
            assert "--help" in text or "--output` is not an operand" in text


TOOLS = {
    "evaluate": "eval",
    "trace": "trace",
    "explain": "explain",
    "check": "check",
    "prove": "prove",
    "find": "find",
}
"""The command of each tool."""


def needs(command: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not find_command_module(command), reason=f"no {command} here")


@ci_only
async def test_every_command_that_is_there_has_its_tool_and_a_trace_is_a_record() -> None:
    async with open_session() as session:
        tools = (await session.list_tools()).tools
        assert {x.name for x in tools} == {x for x, y in TOOLS.items() if find_command_module(y)}
        _, trace, _ = await call(
            session, "trace", ptx=VADD, operands={"a": "-1", "b": "0", "c": "0"}
        )
        assert trace["schema"] == "ptxscope.trace/1"


@ci_only
@needs("prove")
async def test_proofs_and_searches_are_records() -> None:
    async with open_session() as session:
        _, proof, _ = await call(session, "prove", first=VADD, second=VADD, second_model="ptxas")
        assert proof["verdict"] == "different"
        _, search, _ = await call(session, "find", ptx=VADD, conditions=["d.b0 == 7", "b == 3"])
        (found,) = search["answers"]
        assert evaluate(VADD, {"c": 0} | found["operands"])["d"] & 0xFF == 7


@ci_only
@needs("check")
async def test_the_findings_of_a_source_are_records() -> None:
    async with open_session() as session:
        for name, source in (("", f".reg .b32 a, b, c, d;\n{VADD};"), ("a.py", f"x = '{VADD};'")):
            _, found, _ = await call(session, "check", source=source, file_name=name)
            (item,) = found["instructions"]
            assert item["errata"] == ["E3"]
        _, found, _ = await call(session, "check", source="")
        assert found == {"instructions": []}


def test_a_server_without_its_package_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "ptxscope.features.assistant.tool_server", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    assert main(["mcp"]) == 2
    assert "[editor]" in capsys.readouterr().err


async def test_evaluate_and_prove_name_a_constant_that_ptxas_folds_wrongly() -> None:
    line, text = "slct.s32.s32 d, a, b, 0x80000000", "takes a, not b as documented"
    models = ["isa", "ptxas-13.0"]
    async with open_session() as session:
        values = {"a": 11, "b": 22}
        _, answer, _ = await call(session, "evaluate", ptx=line, operands=values, models=models)
        assert [text in answer[model] for model in models] == [False, True]
        if find_command_module("prove"):
            pytest.importorskip("bitwuzla")
            models_ = {"first_model": "isa", "second_model": "ptxas-13.0"}
            _, answer, _ = await call(session, "prove", first=line, second=line, **models_)
            notes = [" ".join(x["notes"]) for x in answer["programs"]]
            assert [text in x for x in notes] == [False, True]
