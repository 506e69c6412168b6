"""The Model Context Protocol: commands as tools of a language model.

Each call runs the command in a process of its own, which is bounded in time and in the size of its
answer. An error of the command, with its caret, is the error of the call.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Annotated, BinaryIO, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field, TypeAdapter, WithJsonSchema

from ... import __version__
from ...cli.support.arguments import find_command_module
from ...cli.support.ptx_arguments import build_trace, parse_ptx
from ...engine.semantics.models import parse_model

MAX_SECONDS = 60
MAX_ANSWER_CHARS = 200_000
BRIEF_BYTES = 4000
"""Maximum length of an answer without ``with_all``: a language model pays for each word."""
_END_BYTES = 1500
"""The bytes of a brief answer for its end, if that has the verdict or the explanation."""
SERVER = MCPServer(
    "ptxscope",
    version=__version__,
    log_level="CRITICAL",
    instructions=(
        "Exact results of NVIDIA PTX instructions. Check every claim about the result of a PTX "
        "instruction with these tools instead of computing it. Two models give an answer: `isa` "
        "is the documentation, `ptxas` is the code that NVIDIA's assembler generates."
    ),
)
Ptx = Annotated[
    str,
    Field(description="an instruction, statements in braces, an asm statement, or an intrinsic"),
]
_SCHEMA = TypeAdapter(str | int | float | bool | list[str | int | float]).json_schema()
Value = Annotated[object, WithJsonSchema(_SCHEMA)]
"""The value of an operand; the command checks it, and reports all faults in one error."""
Operands = Annotated[
    dict[str, Value],
    Field(
        description="values by register: {'a': '0x80ff7f01', 'b': -5, 'x': 1.5, 'c': [1, 2, 3, 4]}"
        "; a list has the value of each lane, the highest lane first"
    ),
]
ModelName = Annotated[
    str,
    Field(
        description="isa (the documentation), ptxas (the results of the newest "
        "assembler's code), ptxas-12.4 (an older one), or some errata: E3+E6"
    ),
]
Conditions = Annotated[
    list[str],
    Field(
        description="such as 'b <= 255' or 'd.b0 > a.b0'; registers and their parts are unsigned, "
        "'d.signed < 0' reads one as signed"
    ),
]
WithAll = Annotated[
    bool, Field(description=f"the whole answer, instead of at most {BRIEF_BYTES:,} bytes")
]
ToolT = TypeVar("ToolT", bound=Callable[..., str])
_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)", re.DOTALL)
"""An escape in a string of JSON; the group is half of a character, which is not JSON."""
_processes = set[subprocess.Popen[str]]()
"""The commands that are running."""


def _offer_with(command: str) -> Callable[[ToolT], ToolT]:
    """Make a function a tool, if its command is there; its answer is sent once, as text."""
    is_there = find_command_module(command)
    return SERVER.tool(structured_output=False) if is_there else lambda tool: tool


@_offer_with("eval")
def evaluate(
    ptx: Ptx,
    operands: Operands,
    models: list[ModelName] = ["isa", "ptxas"],  # noqa: B006 - the schema needs the value
    with_all: WithAll = False,
) -> str:
    """Return the results of one evaluation under each model, and the errata where they differ.

    A note below a result says if ptxas computes another one from these constants.
    """
    arguments = [ptx, *_format_operands(operands)]
    answers = {model: _run_process("eval", arguments, f"--model={model}") for model in models}
    results = {model: ", ".join(answer.stdout.split()) for model, answer in answers.items()}
    lines = []
    for model, result in results.items():
        lines += [f"{model}: {result}", *answers[model].stderr.splitlines()]
    if len(set(results.values())) > 1:
        lines += _list_errata(ptx, arguments[1:], models)
    return _cut("\n".join(lines), with_all=with_all)


def _list_errata(ptx: str, values: Sequence[str], models: Sequence[str]) -> list[str]:
    """Return a line for each erratum that changes the result under some, not all, of the models."""
    block = parse_ptx(ptx)
    changes = [build_trace(block, values, parse_model(model)).changed_by for model in models]
    errata = dict.fromkeys(chain.from_iterable(changes))
    shared_errata = set.intersection(*map(set, changes))
    return [f"They differ by {x.id}: {x.sentence}" for x in errata if x not in shared_errata]


@_offer_with("trace")
def trace(ptx: Ptx, operands: Operands, model: ModelName = "isa", with_all: WithAll = False) -> str:
    """Return every step of one evaluation: lanes, values, flags, and the answers of all models."""
    answer = _run("trace", [ptx, *_format_operands(operands)], f"--model={model}")
    return _cut(answer, with_all=with_all)


@_offer_with("explain")
def explain(
    ptx: Ptx,
    operands: Operands,
    observed: Annotated[str, Field(description="the result; ? for unknown digits: 0x1122??ff")],
    with_all: Annotated[bool, Field(description="also list the less likely explanations")] = False,
) -> str:
    """Return the documented result, and the changes of a line that explain an observed one.

    The likeliest comes first. If there are none, the answer lists the attempts, and suggests
    others.
    """
    arguments = [ptx, *_format_operands(operands)]
    extent = ["--all"] if with_all else []
    answer = _run("explain", arguments, f"--got={observed}", "--brief", *extent)
    return _cut(answer, with_all=with_all)


@_offer_with("check")
def check(
    source: Annotated[str, Field(description="the text of a PTX listing, or of a source with PTX")],
    file_name: Annotated[str, Field(description="such as a.cu: its ending is the language")] = "",
    with_all: Annotated[bool, Field(description="also list instructions without findings")] = False,
) -> str:
    """Return the illegal instructions of a source, those that an erratum changes, and others."""
    options = () if with_all else ("--quiet",)
    answer = _run_on_file("check", source, file_name, (), *options)
    return _cut(answer, with_all=with_all, end_bytes=200)


@_offer_with("run")
def run(
    source: Annotated[str, Field(description="a PTX listing, CUDA C++, or statements of PTX")],
    values: Annotated[
        dict[str, Value],
        Field(
            description="values by name: of a kernel's parameters, {'a': '[1,2,3]:u32', 'out': "
            "'zeros:u32:64', 'n': 3}, or of registers, {'%r1': '0x80ff7f01'}"
        ),
    ],
    file_name: Annotated[str, Field(description="such as a.cu: its ending is the language")] = "",
    kernel: Annotated[str, Field(description="its name, if the source has several")] = "",
    grid: Annotated[str, Field(description="blocks: X[,Y[,Z]]")] = "",
    block: Annotated[str, Field(description="threads of a block: X[,Y[,Z]]")] = "",
    expected: Annotated[
        list[str],
        Field(description="such as 'out[3]=0x7f', 'out=[1,2,?]' or '%r4=5': what was wanted"),
    ] = [],  # noqa: B006 - the schema needs the value
    model: ModelName = "isa",
    with_all: WithAll = False,
) -> str:
    """Run a kernel from its parameters, or statements from registers, without a GPU.

    Return the buffers or registers that changed. If one is not as expected, also return what its
    value was computed from; with the block of a kernel, the lines where one change gives all that
    was expected.
    """
    options = [f"--model={model}", *(f"--expect={x}" for x in expected)]
    shape = {"kernel": kernel, "grid": grid, "block": block}
    options += [f"--{name}={text}" for name, text in shape.items() if text]
    if expected and (grid or block):
        options += ["--explain", f"--timeout={MAX_SECONDS // 2}"]
    arguments = _format_operands(values)
    if any("@" in x.partition("=")[2] for x in (*arguments, *expected)):
        raise ToolError("a value that begins with @ names a file, and no file is read here")
    answer = _run_on_file("run", source, file_name or "source.ptx", arguments, *options)
    return _cut(answer, with_all=with_all, end_bytes=_END_BYTES)


@_offer_with("prove")
def prove(
    first: Ptx,
    second: Ptx,
    first_model: ModelName = "isa",
    second_model: ModelName = "isa",
    conditions: Conditions = [],  # noqa: B006 - the schema needs the value
    with_all: WithAll = False,
) -> str:
    """Prove that two computations are equal for all operands, or return a counterexample."""
    models = (f"--model-a={first_model}", f"--model-b={second_model}")
    options = (*models, *_format_conditions(conditions), f"--timeout={MAX_SECONDS // 2}")
    answer = _run("prove", [first, second], "--brief", *options)
    return _cut(answer, with_all=with_all, end_bytes=_END_BYTES)


@_offer_with("verify")
def verify(
    ptx: Ptx,
    targets: Annotated[list[str], Field(description="such as sm_75")] = ["sm_90"],  # noqa: B006
    with_all: WithAll = False,
) -> str:
    """Prove which model the machine code follows that the assembler here makes of an instruction.

    It needs NVIDIA's ptxas and nvdisasm, and no GPU.
    """
    options = (*(f"--arch={x}" for x in targets), f"--timeout={MAX_SECONDS // 2}")
    answer = _run("verify", [ptx], *options)
    return _cut(answer, with_all=with_all, end_bytes=_END_BYTES)


@_offer_with("find")
def find(
    ptx: Ptx,
    conditions: Conditions,
    count: Annotated[int, Field(description="how many sets of operands at most")] = 1,
    with_all: WithAll = False,
) -> str:
    """Return operands for which all conditions hold, or prove that there are none."""
    options = (*_format_conditions(conditions), f"-n={count}", f"--timeout={MAX_SECONDS // 2}")
    return _cut(_run("find", [ptx], *options), with_all=with_all)


def _cut(answer: str, *, with_all: bool, end_bytes: int = 0) -> str:
    """Return an answer, or its beginning and its last lines, in ``end_bytes``.

    Raise ToolError if the whole answer is too long.
    """
    if with_all and len(answer) > MAX_ANSWER_CHARS:
        raise ToolError(f"the answer has more than {MAX_ANSWER_CHARS:,} characters")
    if with_all or len(answer.encode()) <= BRIEF_BYTES:
        return answer
    lines, end = answer.splitlines(), list[str]()
    while len("\n".join(end).encode()) + len(lines[-1].encode()) < end_bytes:
        end.insert(0, lines.pop())
    tail = "".join(f"\n{x}" for x in end)
    room = BRIEF_BYTES - len(tail.encode()) - 80
    start = "\n".join(lines).encode()[:room].decode(errors="ignore")
    whole_lines, _, part = start.rpartition("\n")
    if len(part) > len(whole_lines):  # most of it is one long line
        return f"{start}…\n… this is the beginning; with_all returns the rest{tail}"
    count = len(lines) - whole_lines.count("\n") - 1
    return f"{whole_lines}\n… {count:,} more lines; with_all returns them{tail}"


def _run_on_file(
    command: str, source: str, file_name: str, arguments: Sequence[str], *options: str
) -> str:
    """Run a command on a source, which a file has meanwhile; the answer has its name."""
    with TemporaryDirectory() as folder:
        path = Path(folder, f"source{Path(file_name).suffix}")
        try:
            path.write_text(source, encoding="utf-8")
        except (OSError, ValueError):  # too long, or with a NUL
            raise ToolError(f"{file_name!r} is not the name of a file") from None
        answer = _run(command, [str(path), *arguments], *options)
        return answer.replace(str(path), file_name or path.name)


def _format_operands(operands: Operands) -> list[str]:
    return [f"{name}={_format_value(value)}" for name, value in operands.items()]


def _format_value(value: object) -> str:
    if isinstance(value, list):
        return f"[{','.join(map(_format_value, value))}]"
    return str(int(value) if isinstance(value, bool) else value)


def _format_conditions(conditions: list[str]) -> list[str]:
    return ["--where=" + " and ".join(f"({x})" for x in conditions)] if conditions else []


def _run(command: str, arguments: Sequence[str], *options: str) -> str:
    return _run_process(command, arguments, *options).stdout.strip()


def _run_process(
    command: str, arguments: Sequence[str], *options: str
) -> subprocess.CompletedProcess[str]:
    """Return the output of a command. Raise ToolError with its message if it fails.

    No argument is read as an option, which might write a file.
    """
    words = [sys.executable, "-m", "ptxscope", command, *options, "--", *arguments]
    try:
        process = _complete_process(words)
    except subprocess.TimeoutExpired:
        raise ToolError(f"`{command}` took longer than {MAX_SECONDS} seconds") from None
    except (OSError, ValueError) as error:  # too long, or with a NUL
        why = getattr(error, "strerror", None) or error
        raise ToolError(f"`{command}` can't be run with these arguments: {why}") from None
    if process.returncode not in (0, 1, 3) or not process.stdout:
        message = process.stderr.strip() or f"`{command}` failed"
        raise ToolError(message.encode()[:BRIEF_BYTES].decode(errors="ignore"))
    return process


def _complete_process(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command, which ends with the server."""
    with subprocess.Popen(  # noqa: S603 - ptxscope itself
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:  # fmt: skip
        _processes.add(process)
        try:
            output, errors = process.communicate(timeout=MAX_SECONDS)
        finally:
            _processes.discard(process)
            process.kill()
    return subprocess.CompletedProcess(words, process.returncode, output, errors)


def serve() -> None:
    """Serve until standard input ends. Raise KeyboardInterrupt on Ctrl-C.

    The server waits for a line before it ends, so it reads a pipe, which Ctrl-C closes.
    """
    source = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    reader, writer = os.pipe()
    os.dup2(reader, sys.stdin.fileno())
    os.close(reader)
    pipe = os.fdopen(writer, "wb", buffering=0)

    def end(*_: object) -> None:
        pipe.close()
        for process in [*_processes]:
            process.kill()
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, end)
    Thread(target=_relay_lines, args=(source, pipe), daemon=True).start()
    SERVER.run()


def _relay_lines(source: BinaryIO, pipe: BinaryIO) -> None:
    """Write each line to a pipe, with U+FFFD for half of a character.

    Otherwise, the server would not reply to the line.
    """
    with suppress(OSError, ValueError):  # closed
        for line in source:
            rest = memoryview(_ESCAPE.sub(lambda x: rb"\ufffd" if x[1] else x[0], line))
            while rest:
                rest = rest[pipe.write(rest) or 0 :]
    pipe.close()
