"""`ptxscope mcp`, asked by the client of the `mcp` package: once in a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from ptxscope.cli import main
from ptxscope.cli.support.arguments import find_command_module
from ptxscope.feature import Service, find_services
from ptxscope.features.assistant.tool_server import SERVER
from tests.tiers import ci_only

PROCESS = StdioServerParameters(command=sys.executable, args=["-m", "ptxscope", "mcp"])
VSET4 = "vset4.u32.u32.lt d, a, b, c"
VADD = "vadd.u32.s32.s32.sat d.b0, a, b, c"


@asynccontextmanager
async def open_process() -> AsyncIterator[ClientSession]:
    async with stdio_client(PROCESS) as (reader, writer), ClientSession(reader, writer) as session:
        await session.initialize()
        yield session


def open_session() -> Client:
    """Return a client of the server in this process: `start_server` and one test begin another."""
    return Client(SERVER)


async def call(session: Client | ClientSession, tool: str, **arguments: Any) -> tuple[bool, str]:
    """Whether a call failed, and its answer, which is one text."""
    answer = await session.call_tool(tool, arguments)
    (content,) = answer.content
    assert answer.structured_content is None
    return bool(answer.is_error), getattr(content, "text", "")


async def test_a_model_that_asks_why_vset4_gave_0xff_gets_the_cause() -> None:
    async with open_process() as session:
        values = {"a": "0x01020304", "b": "0x01020308", "c": "0"}  # only the lowest byte is less
        _, answer = await call(session, "explain", ptx=VSET4, operands=values, observed="0xff")
        assert "`vset` writes 1 if the comparison is true; it is `set`" in " ".join(answer.split())
        assert "documented  0x00000001" in answer
        assert len(answer.splitlines()) < 16
        _, answer = await call(session, "explain", ptx=VSET4, operands=values, observed="0x123")
        assert "documented  0x00000001" in answer
        assert "write ? for digits that are not certain" in " ".join(answer.split())


async def test_an_evaluation_has_the_result_of_each_model_and_names_the_erratum() -> None:
    line, values = "vmad.u32.u32.u32.sat d, a, b, c", {"a": -1, "b": [0, 1], "c": "0x1"}
    block = "{ vadd.u32.s32.s32.sat t.b0, a, b, c; add.u32 d, t, 1; }"
    async with open_session() as session:
        _, answer = await call(session, "evaluate", ptx=line, operands=values)
        isa, ptxas, erratum = answer.splitlines()
        # (2^32 - 1) * 1 + 1 is clamped; as signed numbers, -1 * 1 + 1
        assert (isa, ptxas) == ("isa: d=0xffffffff", "ptxas: d=0x00000000")
        assert erratum.startswith("They differ by E10: ")
        values = {"a": -1, "b": 0, "c": 0}  # 0 or 255, and 1
        _, answer = await call(session, "evaluate", ptx=block, operands=values)
        isa, ptxas, erratum = answer.splitlines()
        assert (isa, ptxas) == ("isa: d=0x00000001", "ptxas: d=0x00000100")
        assert erratum.startswith("They differ by E3: ")
        same = {"a": 1, "b": 0, "c": 0}
        _, answer = await call(session, "evaluate", ptx=block, operands=same)
        assert answer.splitlines() == ["isa: d=0x00000002", "ptxas: d=0x00000002"]


async def test_a_float_operand_is_read_or_is_one_error() -> None:
    async with open_session() as session:
        is_error, answer = await call(
            session,
            "evaluate",
            ptx="set.lt.u32.f32 d, a, b",
            operands={"a": 1.5, "b": "0f40000000"},
        )
        assert not is_error
        assert answer.splitlines() == ["isa: d=0xffffffff", "ptxas: d=0xffffffff"]
        is_error, answer = await call(session, "evaluate", ptx=VADD, operands={"a": 1.5})
        assert is_error
        assert answer.count("error: ") == 1
        assert "`1.5` is a float; the operand is `.s32`" in answer


async def test_what_is_no_value_is_one_error() -> None:
    async with open_session() as session:
        for value, text in ((None, "`None`"), ({"b0": 1}, "`{'b0': 1}`"), ([None], "`None`")):
            is_error, answer = await call(session, "evaluate", ptx=VADD, operands={"a": value})
            assert is_error
            assert answer.count("error: ") == 1
            assert f"{text} is not a value" in answer
        values = {"a": 7, "b": 8, "p": True}
        _, answer = await call(session, "evaluate", ptx="selp.b32 d, a, b, p", operands=values)
        assert answer.startswith("isa: d=0x00000007\n")


@ci_only
async def test_an_error_has_the_caret_of_the_command() -> None:
    async with open_session() as session:
        is_error, text = await call(
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
            is_error, text = await call(session, "trace", ptx=ptx, operands=operands)
            assert is_error
            assert "--help" in text or "--output` is not an operand" in text


TOOLS = {
    "evaluate": "eval",
    "trace": "trace",
    "explain": "explain",
    "check": "check",
    "prove": "prove",
    "find": "find",
    "run": "run",
    "verify": "verify",
}
"""The command of each tool."""


def needs(command: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not find_command_module(command), reason=f"no {command} here")


@ci_only
async def test_every_command_that_is_there_has_its_tool_and_a_trace_has_its_steps() -> None:
    async with open_session() as session:
        tools = (await session.list_tools()).tools
        assert {x.name for x in tools} == {x for x, y in TOOLS.items() if find_command_module(y)}
        assert not any(x.output_schema for x in tools)
        _, trace = await call(session, "trace", ptx=VADD, operands={"a": "-1", "b": "0", "c": "0"})
        assert "clamp(-1, 0..255) = 0   [clamped low]" in trace
        assert "E3" in trace  # the answer of ptxas


@ci_only
@needs("prove")
async def test_proofs_and_searches_have_hexadecimal_operands() -> None:
    async with open_session() as session:
        _, proof = await call(session, "prove", first=VADD, second=VADD, second_model="ptxas")
        example = re.search(
            "Different, for example for a = (.*), b = (.*), c = (.*)\\. Found", proof
        )
        assert example
        assert all(x == "0" or re.fullmatch("0x[0-9a-f]{8}", x) for x in example.groups())
        a, b, c = (int(x, 0) for x in example.groups())
        assert (a + b) >> 31 & 1 or (a >> 31 and b >> 31)  # a negative sum
        assert f"d = {c & ~0xFF:#010x}" in proof
        assert f"d = {c | 0xFF:#010x}" in proof
        assert "They differ exactly where operate.t < 0." in proof
        _, search = await call(session, "find", ptx=VADD, conditions=["d.b0 == 7", "b == 3"])
        found = re.search("a = (\\S+), b = 0x00000003, c = (\\S+)  ->  d = (0x\\S+)", search)
        assert found
        assert int(found[1], 0) + 3 == int(found[3], 0) & 0xFF == 7


KERNEL = """
.version 8.0
.target sm_75
.address_size 64
.visible .entry double(.param .u64 out, .param .u32 n)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r2, 3, %r1;
  mul.wide.u32 %d2, %r2, 4;
  add.u64 %d3, %d1, %d2;
  st.global.u32 [%d3], %r3;
  ret;
}
"""
"""It stores 3 * i + n."""


async def test_a_brief_answer_ends_at_a_line_and_says_how_much_is_left() -> None:
    statements = "".join(f"vadd4.u32.u32.u32 t{i}, a, b, c; " for i in range(12))
    block = f"{{ {statements}add.u32 d, t0, t11; }}"
    given = {"ptx": block, "operands": dict.fromkeys("abc", 1)}
    async with open_session() as session:
        _, whole = await call(session, "trace", **given, with_all=True)
        _, brief = await call(session, "trace", **given)
    assert len(brief) <= 4000 < len(whole)
    *kept, note = brief.splitlines()
    lines = whole.splitlines()
    assert kept == lines[: len(kept)]
    assert note == f"… {len(lines) - len(kept)} more lines; with_all returns them"


@ci_only
async def test_a_kernel_runs_and_what_is_wrong_is_explained() -> None:
    async with open_session() as session:
        values = {"%r2": 2, "%r1": 5}
        line = "mad.lo.u32 %r3, %r2, 3, %r1;"
        _, answer = await call(session, "run", source=line, values=values)
        assert "%r3 = 0x0000000b" in answer
        is_error, answer = await call(session, "run", source=line, values={"%r2": "@/etc/passwd"})
        assert is_error
        assert "no file is read" in answer
        if not find_services(Service.RUN_KERNEL):
            return
        given = {"source": KERNEL, "values": {"out": "zeros:u32:4", "n": 1}, "block": "4"}
        _, answer = await call(session, "run", **given)
        assert "[0]  1  4  7 10" in answer
        _, answer = await call(session, "run", **given, expected=["out=[1,3,5,7]"])
        assert "line 11" in answer
        assert "2" in answer.partition("line 11")[2]  # 3 shall be 2


@ci_only
@needs("check")
async def test_only_the_findings_of_a_source_are_listed() -> None:
    right = "vadd4.u32.u32.u32 d, a, b, c;"
    async with open_session() as session:
        source = f".reg .b32 a, b, c, d;\n{VADD};\n{right}\n"
        _, answer = await call(session, "check", source=source)
        assert answer.startswith("source:2:1: warning: E3: ")
        assert right not in answer
        _, answer = await call(session, "check", source=source, with_all=True)
        assert f"source:3:1: ok: {right}" in answer
        _, answer = await call(session, "check", source=f"x = '{VADD};'", file_name="a.py")
        assert answer.startswith("a.py:1:6: warning: E3: ")
        _, answer = await call(session, "check", source="")
        assert answer == "0 instructions, 0 illegal, 0 that an erratum can change"


def test_a_server_without_its_package_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "ptxscope.features.assistant.tool_server", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    assert main(["mcp"]) == 2
    assert "[editor]" in capsys.readouterr().err


async def test_evaluate_and_prove_name_a_constant_that_ptxas_folds_wrongly() -> None:
    line, text = "slct.s32.s32 d, a, b, 0x80000000", "takes a, not b as documented"
    async with open_session() as session:
        values = {"a": 11, "b": 22}
        for model in ("isa", "ptxas-13.0"):
            arguments = {"ptx": line, "operands": values, "models": [model]}
            _, answer = await call(session, "evaluate", **arguments)
            assert (text in answer) == (model != "isa")
        if find_command_module("prove"):
            pytest.importorskip("bitwuzla")
            models = {"first_model": "isa", "second_model": "ptxas-13.0"}
            _, answer = await call(session, "prove", first=line, second=line, **models)
            of_first, of_second = " ".join(answer.split()).split(" B ", 1)
            assert text not in of_first
            assert text in of_second


@contextmanager
def start_server() -> Iterator[subprocess.Popen[bytes]]:
    words = (sys.executable, "-m", "ptxscope", "mcp")
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        client = {"name": "test", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        try:
            send(process, "initialize", 0, **params)
            assert read(process)["id"] == 0
            send(process, "notifications/initialized")
            yield process
        finally:
            process.kill()


def send(process: subprocess.Popen[bytes], method: str, *number: int, **params: Any) -> None:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    message |= dict(zip(["id"], number, strict=False))
    assert process.stdin
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def read(process: subprocess.Popen[bytes]) -> Any:
    assert process.stdout
    return json.loads(process.stdout.readline())


@pytest.mark.skipif(os.name != "posix", reason="no signals")
def test_half_a_character_has_a_reply_and_ctrl_c_ends_the_server() -> None:
    with start_server() as process:
        for number, text in enumerate(
            (r"\ud800 \\", "\ud800", "\udc00\ud83d", "\ud83d\ude00", "\0")
        ):
            arguments = {"ptx": f"abs.s32 d, {text}", "operands": {}}
            send(process, "tools/call", number, name="evaluate", arguments=arguments)
            reply = read(process)
            assert reply["id"] == number
            said = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            about = reply["result"]["content"][0]["text"]
            assert said.strip("\0")[:1] in about
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=5)
        assert (process.returncode, errors) == (130, b"")


@ci_only
@pytest.mark.skipif(os.name != "posix", reason="no signals")
@needs("prove")
def test_ctrl_c_ends_the_server_and_the_command_that_runs() -> None:
    pytest.importorskip("bitwuzla")
    hard = [
        "{ mul.lo.u32 t, a, b; mul.lo.u32 d, t, c; }",
        "{ mul.lo.u32 t, b, c; mul.lo.u32 d, t, a; }",
    ]
    with start_server() as process:
        arguments = dict(zip(("first", "second"), hard, strict=True))
        send(process, "tools/call", 1, name="prove", arguments=arguments)
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=5)  # its output is the command's, too
        assert (process.returncode, errors) == (130, b"")


@ci_only
def test_ctrl_c_twice_at_a_terminal_ends_the_server_without_a_word(tmp_path: Path) -> None:
    pseudo_terminal = pytest.importorskip("tests.driving.pseudo_terminal")
    with pseudo_terminal.Explorer(tmp_path, words=("mcp",)) as terminal:
        time.sleep(4)  # it is waiting for a line by then
        terminal.type(b"\x03\x03")
        assert terminal.process.wait(10) == 130
        assert terminal.read(1).replace(b"^C", b"").strip() == b""


@ci_only
async def test_a_brief_answer_has_the_verdict_on_long_blocks() -> None:
    block = "".join(f"add.u32 %r{i + 1}, %r{i}, {i}; " for i in range(200))
    other = block.replace("199;", "198;")
    async with open_session() as session:
        _, answer = await call(session, "prove", first=f"{{{block}}}", second=f"{{{other}}}")
    assert "Different" in answer
    assert "They differ for all operands." in answer  # the sums differ by 1
    assert "more lines; with_all returns them" in answer
    assert len(answer.encode()) <= 4000
