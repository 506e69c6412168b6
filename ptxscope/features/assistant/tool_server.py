"""The Model Context Protocol: commands as tools of a language model.

Each call runs the command in a process of its own, which is bounded in time and in the size of its
answer. An error of the command, with its caret, is the error of the call.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from ... import __version__
from ...cli.support.arguments import find_command_module

MAX_SECONDS = 60
MAX_ANSWER_CHARS = 200_000
SERVER = MCPServer(
    "ptxscope",
    version=__version__,
    log_level="CRITICAL",
    instructions=(
        "Exact results of NVIDIA PTX instructions. Check every claim about the result of a PTX "
        "instruction with these tools instead of computing it. Two models give an answer: `isa` "
        "is the documentation, `ptxas` is what NVIDIA's assembler makes of the instruction."
    ),
)
Ptx = Annotated[
    str,
    Field(description="an instruction, statements in braces, an asm statement, or an intrinsic"),
]
Operands = Annotated[
    dict[str, str | int | list[int]],
    Field(
        description="values by register: {'a': '0x80ff7f01', 'b': -5, 'c': [1, 2, 3, 4]}; a list "
        "has the value of each lane, the highest lane first"
    ),
]
ModelName = Annotated[
    str,
    Field(
        description="isa (the documentation), ptxas (what the code of the newest assembler "
        "computes), ptxas-12.4 (an older one), or some errata: E3+E6"
    ),
]
Conditions = Annotated[
    list[str],
    Field(
        description="such as 'b <= 255' or 'd.b0 > a.b0'; registers and their parts are unsigned, "
        "'d.signed < 0' reads one as signed"
    ),
]
ToolT = TypeVar("ToolT", bound=Callable[..., Any])


def _offer_with(command: str) -> Callable[[ToolT], ToolT]:
    """Make a function a tool, if its command is there."""
    return SERVER.tool() if find_command_module(command) else lambda tool: tool


@_offer_with("eval")
def evaluate(
    ptx: Ptx,
    operands: Operands,
    models: list[ModelName] = ["isa", "ptxas"],  # noqa: B006 - the schema needs the value
) -> dict[str, str]:
    """Return the results of one evaluation, under each model. They differ where an erratum acts.

    A note below a result says where ptxas computes another one from these constants.
    """
    arguments = [ptx, *_format_operands(operands)]
    return {model: _run_with_notes("eval", arguments, f"--model={model}") for model in models}


@_offer_with("trace")
def trace(ptx: Ptx, operands: Operands, model: ModelName = "isa") -> dict[str, Any]:
    """Return every step of one evaluation: lanes, values, flags, and the answers of all models."""
    return _run_record("trace", [ptx, *_format_operands(operands)], f"--model={model}")


@_offer_with("explain")
def explain(
    ptx: Ptx,
    operands: Operands,
    observed: Annotated[str, Field(description="the result; ? for unknown digits: 0x1122??ff")],
) -> dict[str, Any]:
    """Return the documented result, and the changes of a line that explain an observed one.

    The likeliest comes first. If there are none, no change of the line gives the observed result.
    """
    arguments = [ptx, *_format_operands(operands)]
    explanations = _run_json("explain", arguments, f"--got={observed}")
    return {"documented": _run("eval", arguments).strip(), "explanations": explanations}


@_offer_with("check")
def check(
    source: Annotated[str, Field(description="the text of a PTX listing, or of a source with PTX")],
    file_name: Annotated[str, Field(description="such as a.cu: its ending is the language")] = "",
) -> dict[str, Any]:
    """Return the instructions of a source, with illegal ones and those that an erratum changes."""
    with TemporaryDirectory() as folder:
        path = Path(folder, f"source{Path(file_name).suffix}")
        path.write_text(source, encoding="utf-8")
        return {"instructions": _run_json("check", [str(path)])}


@_offer_with("prove")
def prove(
    first: Ptx,
    second: Ptx,
    first_model: ModelName = "isa",
    second_model: ModelName = "isa",
    conditions: Conditions = [],  # noqa: B006 - the schema needs the value
) -> dict[str, Any]:
    """Prove that two computations are equal for all operands, or return a counterexample."""
    models = (f"--model-a={first_model}", f"--model-b={second_model}")
    options = (*models, *_format_conditions(conditions), f"--timeout={MAX_SECONDS // 2}")
    return _run_record("prove", [first, second], *options)


@_offer_with("find")
def find(
    ptx: Ptx,
    conditions: Conditions,
    count: Annotated[int, Field(description="how many sets of operands at most")] = 1,
) -> dict[str, Any]:
    """Return operands for which all conditions hold, or prove that there are none."""
    options = (*_format_conditions(conditions), f"-n={count}", f"--timeout={MAX_SECONDS // 2}")
    return _run_record("find", [ptx], *options)


def _format_operands(operands: Operands) -> list[str]:
    return [f"{name}={value}" for name, value in operands.items()]


def _format_conditions(conditions: list[str]) -> list[str]:
    return ["--where=" + " and ".join(f"({x})" for x in conditions)] if conditions else []


def _run_record(command: str, arguments: Sequence[str], *options: str) -> dict[str, Any]:
    record: dict[str, Any] = _run_json(command, arguments, *options)
    return record


def _run_json(command: str, arguments: Sequence[str], *options: str) -> Any:
    return json.loads(_run(command, arguments, *options, "--format=json"))


def _run(command: str, arguments: Sequence[str], *options: str) -> str:
    return _run_process(command, arguments, *options).stdout


def _run_with_notes(command: str, arguments: Sequence[str], *options: str) -> str:
    """Return what a command prints, and its notes."""
    done = _run_process(command, arguments, *options)
    return f"{done.stdout.strip()}\n{done.stderr.strip()}".strip()


def _run_process(
    command: str, arguments: Sequence[str], *options: str
) -> subprocess.CompletedProcess[str]:
    """Return what a command prints. Raise ToolError with its message if it fails.

    No argument is read as an option, which might write a file.
    """
    try:
        done = subprocess.run(  # noqa: S603 - ptxscope itself
            [sys.executable, "-m", "ptxscope", command, *options, "--", *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=MAX_SECONDS,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ToolError(f"`{command}` took longer than {MAX_SECONDS} seconds") from None
    if done.returncode not in (0, 1, 3) or not done.stdout:
        raise ToolError(done.stderr.strip() or f"`{command}` failed")
    if len(done.stdout) > MAX_ANSWER_CHARS:
        raise ToolError(f"the answer has more than {MAX_ANSWER_CHARS:,} characters")
    return done
