"""Generated page on the Python interface, from its signatures and docstrings."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import ptxscope
from ptxscope.documents import export
from ptxscope.documents.options import Motion, Options
from ptxscope.documents.theme import Theme
from ptxscope.notebook import Figure

from .manual_text import format_text, make_code_block, make_heading, make_list

_ROOT = Path(ptxscope.__file__).parent
_SECTIONS: tuple[tuple[str, tuple[tuple[object, Sequence[str]], ...]], ...] = (
    (
        "Parsing",
        (
            (ptxscope.parse, ()),
            (ptxscope.parse_all, ()),
            (
                ptxscope.Instruction,
                ("opcode", "entry", "roles", "names", "results", "inputs", "errata", "mnemonic",
                 "type_of"),
            ),
            (ptxscope.PtxError, ()),
            (ptxscope.Problem, ("message", "span", "hint")),
        ),
    ),
    (
        "Evaluating",
        (
            (ptxscope.evaluate, ()),
            (ptxscope.trace, ()),
            (
                ptxscope.Trace,
                ("plan", "steps", "rows", "result", "floats", "notes",
                 "contradictions", "errata",
                 "changed_by", "figure"),
            ),
            (ptxscope.replay, ()),
        ),
    ),
    (
        "Blocks",
        (
            (ptxscope.parse_block, ()),
            (
                ptxscope.BasicBlock,
                ("statements", "outputs", "lines", "inputs", "constants", "results", "make_plan"),
            ),
            (ptxscope.evaluate_block, ()),
            (ptxscope.trace_block, ()),
            (
                ptxscope.Trace,
                ("parts", "plan", "steps", "rows", "result", "with_model", "with_annotations"),
            ),
        ),
    ),
    (
        "Kernels",
        (
            ("run_kernel", ()),
            ("KernelRun", ("get_buffer", "is_exact", "printed", "lost_print_count")),
            ("explain_kernel", ()),
            ("RunDiagnosis", ("_fields",)),
            ("RunExplanation", ("_fields",)),
            ("LaunchError", ()),
        ),
    ),
    ("Explaining", ((ptxscope.diagnose, ()),)),
    (
        "Proving",
        (
            ("prove", ()),
            (
                "Proof",
                ("verdict", "operands", "results", "traces", "difference", "inputs", "pairs",
                 "has_same_plan", "seconds", "solver", "get_values"),
            ),
            ("prove_kernels", ()),
            ("KernelComparison", ("verdict", "reason", "notes", "counterexample", "replay")),
            ("find", ()),
            (
                "OperandSearch",
                ("answers", "is_complete", "is_undecided", "inputs", "given", "make_trace"),
            ),
        ),
    ),
    (
        "Documents",
        (
            (export, ()),
            (Options, Options._fields),
            (Motion, tuple(Motion.__members__)),
            (Theme, tuple(Theme.__members__)),
            (Figure, ("svg", "html", "alt", "save")),
        ),
    ),
)  # fmt: skip
"""The documented objects, with the members of classes; names of a feature are texts."""
_COLUMNS = 88
_CODE = re.compile(r"``([^`]++)``")


def make_files() -> dict[str, str]:
    """Return the page by its path under docs/reference/."""
    lines = make_heading("The Python interface")
    lines += [
        "Look up a function, its arguments and the exceptions that it raises. "
        "[Python](../python.md) shows them in use.",
        "",
    ]
    for title, objects in _SECTIONS:
        object_lines = [_format_object(_find(x), members) for x, members in objects if _find(x)]
        if object_lines:
            lines += make_heading(title, 2)
            lines += chain.from_iterable(object_lines)
    return {"python.md": "\n".join(lines).rstrip() + "\n"}


def _find(thing: object) -> object:
    """Return the documented object; None for a name of a missing feature."""
    return getattr(ptxscope, thing, None) if isinstance(thing, str) else thing


def _format_object(thing: Any, members: Sequence[str]) -> list[str]:
    members = thing._fields if members == ("_fields",) else members
    lines = make_heading(f"`{_get_path(thing)}`", 3)
    if inspect.isroutine(thing):
        lines += make_code_block("python", [_format_signature(thing)])
    lines += _format_docstring_lines(thing)
    lines += make_list(_format_member(thing, name) for name in members)
    return lines


def _get_path(thing: Any) -> str:
    """Return the import path of an object."""
    name = str(thing.__name__)
    return f"ptxscope.{name}" if name in ptxscope.__all__ else f"{thing.__module__}.{name}"


def _format_signature(function: Any, *, is_wrapped: bool = True) -> str:
    """Return the name, parameters and result of a function, with annotations as written."""
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body
    assert isinstance(node, ast.FunctionDef)
    parameters = [text for text in _iter_parameters(node.args) if text != "self"]
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"{node.name}({', '.join(parameters)}){result}"
    if len(line) <= _COLUMNS or not is_wrapped:
        return line
    lines = "".join(f"    {text},\n" for text in parameters)
    return f"{node.name}(\n{lines}){result}"


def _iter_parameters(arguments: ast.arguments) -> Iterator[str]:
    """Yield each parameter with its annotation and default."""
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = [None] * (len(positional) - len(arguments.defaults))
    for arg, default in zip(positional, [*missing, *arguments.defaults], strict=True):
        yield _format_parameter(arg, default)
    if arguments.vararg:
        yield f"*{ast.unparse(arguments.vararg)}"
    elif arguments.kwonlyargs:
        yield "*"
    for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _format_parameter(arg, default)
    if arguments.kwarg:
        yield f"**{ast.unparse(arguments.kwarg)}"


def _format_parameter(arg: ast.arg, default: ast.expr | None) -> str:
    return ast.unparse(arg) + (f" = {ast.unparse(default)}" if default else "")


def _format_docstring_lines(thing: Any) -> list[str]:
    """Return a docstring: its paragraphs are text, its indented blocks are code."""
    lines: list[str] = []
    for paragraph in (inspect.getdoc(thing) or "").split("\n\n"):
        if paragraph.startswith("    "):
            lines += make_code_block("python", textwrap.dedent(paragraph).split("\n"))
        elif paragraph:
            lines += [_format_docstring(paragraph), ""]
    return lines


def _format_docstring(text: str) -> str:
    return format_text(_CODE.sub(r"`\1`", " ".join(text.split())))


def _format_member(owner: Any, name: str) -> str:
    """Return a list item on a field, a property, a method or a member of an enumeration."""
    member = inspect.getattr_static(owner, name, None)
    if inspect.isfunction(member):
        label = _format_signature(member, is_wrapped=False)
        return f"`{label}`: {_format_docstring(inspect.getdoc(member) or '')}"
    annotation, text = _read_fields(owner).get(name, ("", ""))
    if isinstance(member, (property, cached_property)):
        text = inspect.getdoc(member) or ""
    type_ = f" (`{annotation}`)" if annotation else ""
    return f"`{name}`{type_}" + (f": {_format_docstring(text)}" if text else "")


@cache
def _read_fields(owner: Any) -> dict[str, tuple[str, str]]:
    """Return the annotation and the docstring of each field that a class defines."""
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
    assert isinstance(node, ast.ClassDef)
    fields: dict[str, tuple[str, str]] = {}
    for statement, following in zip(node.body, [*node.body[1:], None], strict=True):
        name, annotation = _read_definition(statement)
        if name:
            fields[name] = annotation, _read_text(following)
    return fields


def _read_definition(statement: ast.stmt) -> tuple[str, str]:
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id, ast.unparse(statement.annotation)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id, ""
    return "", ""


def _read_text(statement: ast.stmt | None) -> str:
    """Return the text of a statement that is a docstring, or nothing."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return str(statement.value.value)
    return ""
