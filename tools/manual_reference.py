"""Generated pages on the command line, from its parsers, and on JSON, from its schema."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from ptxscope import export, parse, trace
from ptxscope.cli.support.arguments import (
    Parser,
    find_command_module,
    group_commands,
    make_top_parser,
    map_commands,
)
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.feature import load

from .manual_text import (
    format_cell_code,
    format_link,
    format_sentence,
    format_text,
    make_code_block,
    make_heading,
    make_table,
)

_COLUMNS = 80


def make_files() -> dict[str, str]:
    """Return pages by their paths under docs/reference/."""
    pages = {"commands.md": _make_command_page(), "json.md": _make_json_page()}
    return {path: "\n".join(lines).rstrip() + "\n" for path, lines in pages.items()}


def _make_command_page() -> list[str]:
    lines = make_heading("The command line")
    lines += [
        "Look up a command, its arguments and its exit status. `ptxscope COMMAND --help` prints "
        "the same in a terminal.",
        "",
    ]
    for group, commands in group_commands().items():
        rows = (
            (format_link(f"`ptxscope {name}`", f"#ptxscope-{name}"), format_sentence(about))
            for name, about in commands.items()
        )
        lines += make_table((group, "purpose"), rows)
    lines += _format_epilog(make_top_parser())
    lines += ["Files are read as UTF-8 or UTF-16, and written completely or not at all.", ""]
    for name in map_commands():
        lines += make_command_section(name)
    return lines


def make_command_section(name: str) -> list[str]:
    """Return the lines on one command."""
    parser: Parser = load(find_command_module(name)).make_parser()
    lines = make_heading(f"ptxscope {name}", 2)
    lines += [format_sentence(parser.description or map_commands()[name]), ""]
    lines += make_code_block("none", _format_usage(parser))
    for group in parser._action_groups:
        if group._group_actions:
            title = {"positional arguments": "argument", "options": "option"}
            head = (title.get(group.title or "", group.title or ""), "meaning")
            lines += make_table(head, map(_make_row, group._group_actions))
    return lines + _format_epilog(parser)


def _format_usage(parser: Parser) -> list[str]:
    formatter = argparse.HelpFormatter(parser.prog, width=_COLUMNS)
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, "")
    return formatter.format_help().strip().splitlines()


def _make_row(action: argparse.Action) -> tuple[str, str]:
    about = (action.help or "") % {
        "choices": ", ".join(map(str, action.choices or ())),
        "default": action.default,
        "about": getattr(action, "about", ""),
        "prog": "ptxscope",
    }
    texts = [format_sentence(about)] if about else []
    if action.choices and action.metavar is None:
        texts.insert(0, f"{', '.join(f'`{choice}`' for choice in action.choices)}.")
    value = "" if action.nargs == 0 else f" {_format_value_name(action)}"
    names = ", ".join(format_cell_code(name + value) for name in action.option_strings)
    return names or f"`{value.strip()}`", " ".join(texts)


def _format_value_name(action: argparse.Action) -> str:
    return action.metavar if isinstance(action.metavar, str) else action.dest.upper()


def _format_epilog(parser: Parser) -> list[str]:
    """Return the examples and remarks below a command's help."""
    lines: list[str] = []
    for part in filter(None, (parser.epilog or "").strip("\n").split("\n\n")):
        head, _, rest = part.partition("\n")
        if head.rstrip().endswith(":") and rest.startswith("  "):
            lines += [head.strip().capitalize(), ""]
            lines += make_code_block("sh", (line[2:] for line in rest.splitlines()))
        elif part.startswith("  "):
            lines += make_code_block("none", textwrap.dedent(part).splitlines())
        else:
            lines += [format_text(" ".join(part.split())), ""]
    return lines


# --- JSON --------------------------------------------------------------------------------------


def _make_json_page() -> list[str]:
    schema = _load_schema()
    lines = make_heading("JSON")
    lines += [
        "Read a trace in your own program, and check that a saved one is still right. "
        '`ptxscope trace … -f json` and `ptxscope.export(trace, "json")` write a trace as one '
        f"object. Its schema is `{schema['$id']}`; the number changes with the shape. "
        + format_text(schema["description"]),
        "",
        "`ptxscope.features.publish.json_reader.load(text)` reads it back as a `Trace`. It "
        "compares every field with a new computation, and names the first one that is missing or "
        "differs in type or value by its place: `steps[3].rows[0].values[0]`. "
        "Sentences may differ if another version wrote the file.",
        "",
        "The package contains the schema, as JSON Schema:",
        "",
    ]
    lines += make_code_block("python", [
        "from importlib.resources import files",
        "",
        'schema = files("ptxscope.documents").joinpath("trace.schema.json").read_text()',
    ])  # fmt: skip
    lines += make_heading("Fields", 2)
    rows = ((f"`{path}`", type_, about) for path, type_, about in _iter_fields(schema, ""))
    lines += make_table(("field", "type", "meaning"), rows)
    ptx, values = CATALOG["vset"].example
    lines += make_heading("Example", 2)
    return lines + make_code_block("json", export(trace(parse(ptx), values), "json").splitlines())


def _load_schema() -> dict[str, Any]:
    text = files("ptxscope.documents").joinpath("trace.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def _iter_fields(schema: dict[str, Any], path: str) -> Iterator[tuple[str, str, str]]:
    known_paths = dict[str, str]()
    for name, part in schema.get("properties", {}).items():
        yield from _iter_field(schema, part, f"{path}.{name}" if path else name, known_paths)


def _iter_field(
    root: dict[str, Any], part: dict[str, Any], path: str, known_paths: dict[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Yield a field and nested ones; a shared definition is described at its first use."""
    about = part.get("description", "")
    part = _resolve(root, part)
    type_ = _format_type(root, part)
    if part.get("type") == "array":
        inside, reference = f"{path}[]", part.get("items", {}).get("$ref", "")
        part = _resolve(root, part.get("items", {}))
        if "properties" not in part:
            reference = ""
        if reference in known_paths:
            yield (
                path,
                type_,
                f"{format_text(about)} Each as in `{known_paths[reference]}`.".strip(),
            )
            return
        if reference:
            known_paths[reference] = inside
    else:
        inside = path
    yield path, type_, format_text(about or part.get("description", ""))
    for one in (part, *part.get("anyOf", ())):
        for name, below in _resolve(root, one).get("properties", {}).items():
            yield from _iter_field(root, below, f"{inside}.{name}", known_paths)


def _resolve(root: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in part:
        at: Any = root
        for name in part["$ref"].removeprefix("#/").split("/"):
            at = at[name]
        part = at
    return part


def _format_type(root: dict[str, Any], part: dict[str, Any]) -> str:
    part = _resolve(root, part)
    if "const" in part:
        return f"`{json.dumps(part['const'])}`"
    if "enum" in part:
        return " ".join(format_cell_code(str(x)) for x in part["enum"])
    if "anyOf" in part:
        return " or ".join(dict.fromkeys(_format_type(root, x) for x in part["anyOf"]))
    named = part.get("type", "")
    named = " or ".join(named) if isinstance(named, list) else named
    return (
        f"array of {_format_type(root, part['items'])}"
        if named == "array" and "items" in part
        else named
    )
