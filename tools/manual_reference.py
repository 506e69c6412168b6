"""The reference pages of the manual: the command line from its parsers, JSON from its schema."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import files
from typing import Any

from ptxscope import export, parse, trace
from ptxscope.cli.support.arguments import Parser
from ptxscope.cli.support.command_table import COMMANDS, make_top_parser
from ptxscope.engine.isa.catalog import CATALOG

from .manual_text import block, code, heading, hidden_contents, said, sentence, table

_COLUMNS = 80


def pages() -> dict[str, str]:
    """Every page by its path under docs/."""
    found = {"commands/index": _index(), "json": _json()}
    for name in COMMANDS:
        found[f"commands/{name}"] = _command(name)
    return {path: "\n".join(lines).rstrip() + "\n" for path, lines in found.items()}


def _index() -> list[str]:
    lines = heading("The command line", "=")
    rows = (
        (f":doc:`ptxscope {name} </commands/{name}>`", sentence(about))
        for name, about in COMMANDS.items()
    )
    lines += table(("command", "does"), rows, widths="34 66")
    lines += _epilog(make_top_parser())
    lines += ["Files are read as UTF-8 or UTF-16, and written whole or not at all.", ""]
    return lines + hidden_contents(COMMANDS)


def _command(name: str) -> list[str]:
    to: Parser = import_module(f"ptxscope.cli.commands.{name}").make_parser()
    lines = heading(f"ptxscope {name}", "=")
    lines += [sentence(to.description or COMMANDS[name]), ""]
    lines += block("none", _usage(to))
    for title, actions in (("Arguments", to.places), ("Options", _options(to))):
        if actions:
            lines += heading(title, "-")
            lines += table(("", "what it is"), map(_row, actions), widths="36 64")
    return lines + _epilog(to)


def _usage(to: Parser) -> list[str]:
    formatter = argparse.HelpFormatter(to.prog, width=_COLUMNS)
    formatter.add_usage(to.usage, to._actions, to._mutually_exclusive_groups, "")
    return formatter.format_help().strip().splitlines()


def _options(to: Parser) -> list[argparse.Action]:
    return list(dict.fromkeys(to.options.values()))


def _row(action: argparse.Action) -> tuple[str, str]:
    about = (action.help or "") % {"default": action.default, "prog": "ptxscope"}
    told = [sentence(about)] if about else []
    if action.choices and action.metavar is None:
        told.insert(0, f"{', '.join(map(code, map(str, action.choices)))}.")
    value = "" if action.nargs == 0 else f" {_called(action)}"
    spelled = ", ".join(code(name + value) for name in action.option_strings)
    return spelled or code(value.strip()), " ".join(told)


def _called(action: argparse.Action) -> str:
    """What stands for an argument's value."""
    if isinstance(action.metavar, str):
        return action.metavar
    return action.dest.upper()


def _epilog(to: Parser) -> list[str]:
    """What stands below a command's help: examples, and what is to be known."""
    parts = (to.epilog or "").strip("\n").split("\n\n")
    lines: list[str] = []
    for part in filter(None, parts):
        head, _, rest = part.partition("\n")
        if head.rstrip().endswith(":") and rest.startswith("  "):
            lines += [f"{head.strip().capitalize()}", ""]
            lines += block("none", (line[2:] for line in rest.splitlines()))
        elif part.startswith("  "):
            lines += block("none", textwrap.dedent(part).splitlines())
        else:
            lines += [said(" ".join(part.split())), ""]
    return lines


# --- JSON --------------------------------------------------------------------------------------


def _json() -> list[str]:
    schema = _schema()
    lines = heading("JSON", "=")
    lines += [
        '``ptxscope trace … -f json`` and ``ptxscope.export(trace, "json")`` write a trace as one '
        f"object. Its schema is called ``{schema['$id']}``; a change of its shape gets another "
        "number. " + said(schema["description"]),
        "",
        "``ptxscope trace --from FILE.json`` and "
        "``ptxscope.export.formats.json.load(text)`` read it back. "
        "What stands there is held, field by field, against what is computed anew; the first that "
        "is missing, of another type or of another value is named with its place, as in "
        "``steps[3].rows[0].lanes[0].value``. Where another version wrote it, its words may "
        "differ.",
        "",
        "The schema itself is in the package, as JSON Schema:",
        "",
    ]
    lines += block("python", [
        "from importlib.resources import files",
        "",
        'schema = files("ptxscope.export").joinpath("trace.schema.json").read_text()',
    ])  # fmt: skip
    lines += heading("Fields", "-")
    rows = ((code(path), type_, about) for path, type_, about in _fields(schema, ""))
    lines += table(("field", "type", "what it is"), rows, widths="44 22 34")
    ptx, values = CATALOG["vset"].example
    lines += heading("An example", "-")
    shown = export(trace(parse(ptx), values), "json")
    return lines + block("json", shown.rstrip().splitlines())


def _schema() -> dict[str, Any]:
    text = files("ptxscope.export").joinpath("trace.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _fields(schema: dict[str, Any], path: str) -> Iterator[tuple[str, str, str]]:
    told = dict[str, str]()
    for name, part in schema.get("properties", {}).items():
        yield from _field(schema, part, f"{path}.{name}" if path else name, told)


def _field(
    root: dict[str, Any], part: dict[str, Any], path: str, told: dict[str, str]
) -> Iterator[tuple[str, str, str]]:
    """A field and those in it; what is defined once is told where it comes first."""
    about = part.get("description", "")
    part = _resolved(root, part)
    type_ = _type(root, part)
    if part.get("type") == "array":
        inside, reference = f"{path}[]", part.get("items", {}).get("$ref", "")
        part = _resolved(root, part.get("items", {}))
        if "properties" not in part:
            reference = ""
        if reference in told:
            yield path, type_, f"{said(about)} Each as in {code(told[reference])}.".strip()
            return
        if reference:
            told[reference] = inside
    else:
        inside = path
    yield path, type_, said(about or part.get("description", ""))
    for one in (part, *part.get("anyOf", ())):
        for name, below in _resolved(root, one).get("properties", {}).items():
            yield from _field(root, below, f"{inside}.{name}", told)


def _resolved(root: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in part:
        at: Any = root
        for name in part["$ref"].removeprefix("#/").split("/"):
            at = at[name]
        part = at
    return part


def _type(root: dict[str, Any], part: dict[str, Any]) -> str:
    part = _resolved(root, part)
    if "const" in part:
        return code(json.dumps(part["const"]))
    if "enum" in part:
        return " ".join(code(str(x)) for x in part["enum"])
    if "anyOf" in part:
        return " or ".join(dict.fromkeys(_type(root, x) for x in part["anyOf"]))
    named = part.get("type", "")
    named = " or ".join(named) if isinstance(named, list) else named
    return (
        f"array of {_type(root, part['items'])}" if named == "array" and "items" in part else named
    )
