"""Settings of ``check``: from ``ptxscope.toml`` or ``pyproject.toml``, and from options."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

from ...cli.support.streams import CommandError, report_errors
from ...engine.semantics.models import parse_model
from ...engine.semantics.rules import ERRATA
from ...engine.syntax.errors import make_printable
from ...files import read
from .check_rules import Severity, map_rules
from .diagnostic import CheckedInstruction, Diagnostic
from .suppressions import filter_items

_MAX_BYTES = 1 << 20
_ERRATA_RULES = frozenset((*(x.id for x in ERRATA), "F2"))


class CheckSettings(NamedTuple):
    """Settings of the files to check, and of the findings to report."""

    ignored_rules: frozenset[str] = frozenset()
    definitions: Mapping[str, str | None] = {}
    """C macros by name; None for an undefined one."""
    paths: tuple[str, ...] = ()
    """The files to check by default."""
    excluded: tuple[str, ...] = ()
    """Patterns of files that are excluded unless they are named."""
    forces_exclude: bool = False
    """Whether excluded files stay excluded even if they are named."""
    fail_on: Severity = Severity.ERROR
    """The lowest severity for which the exit status is 1."""
    min_severity: Severity = Severity.NOTE
    """The lowest severity that is reported."""
    folder: Path = Path()
    """The folder of the settings, for the patterns."""

    def is_excluded(self, path: Path) -> bool:
        """Whether a pattern excludes a file."""
        name = Path(os.path.relpath(path, self.folder)).as_posix()
        return any(fnmatch(name, x) for x in self.excluded)

    def filter_items(self, items: Iterable[CheckedInstruction]) -> Iterator[CheckedInstruction]:
        """Yield the instructions without the diagnostics that the settings suppress."""
        return filter_items(items, self._is_ignored)

    def _is_ignored(self, diagnostic: Diagnostic) -> bool:
        is_below = diagnostic.severity.rank > self.min_severity.rank
        return is_below or diagnostic.rule in self.ignored_rules

    def is_failure(self, item: CheckedInstruction) -> bool:
        """Whether an instruction makes the exit status 1."""
        return any(x.severity.rank <= self.fail_on.rank for x in item.diagnostics)


def read_settings(folder: Path) -> CheckSettings:
    """Return the settings of the nearest file that has some, in a folder or its parents.

    ``ptxscope.toml`` has a table ``[check]``, ``pyproject.toml`` a table ``[tool.ptxscope.check]``.
    Raise CommandError if the file cannot be read or a setting is wrong.
    """
    for parent in (folder, *folder.parents):
        for name, keys in (("ptxscope.toml", ()), ("pyproject.toml", ("tool", "ptxscope"))):
            path = parent / name
            if not _is_readable(path):
                continue
            table = _read_table(path)
            for key in keys:
                table = table.get(key) if isinstance(table, dict) else None
            if isinstance(table, dict) and "check" in table:
                return _parse_settings(table["check"], path)
            if name == "ptxscope.toml":
                return CheckSettings()
    return CheckSettings()


def _is_readable(path: Path) -> bool:
    """Return whether a file exists and its folder can be searched."""
    try:
        return path.is_file()
    except OSError:
        return False


def _read_table(path: Path) -> Any:
    import tomllib  # few folders have such a file

    try:
        return tomllib.loads(read(path, _MAX_BYTES).decode("utf-8-sig"))
    except RecursionError:
        raise _make_error(path, "arrays or tables are nested too deeply") from None
    except (OSError, ValueError) as error:
        raise _make_error(path, str(error)) from None


def _make_error(path: Path, message: str) -> CommandError:
    return CommandError(f"error: {make_printable(str(path))}: {make_printable(message)}")


def _parse_settings(table: object, path: Path) -> CheckSettings:
    if not isinstance(table, dict):
        raise _make_error(path, "`check` is not a table")
    readers: dict[str, Callable[[Any], object]] = {
        "ignore": _parse_words,
        "model": lambda value: value if isinstance(value, str) else _refuse("a string"),
        "define": _parse_words,
        "undefine": _parse_words,
        "paths": _parse_words,
        "exclude": _parse_words,
        "force-exclude": lambda value: (
            value if isinstance(value, bool) else _refuse("true or false")
        ),
        "fail-on": _parse_severity,
        "min-severity": _parse_severity,
    }
    values = dict[str, Any]()
    for key, value in table.items():
        if key not in readers:
            raise _make_error(path, f"{key!r} is not a setting; use: {' '.join(readers)}")
        try:
            values[key] = readers[key](value)
        except ValueError as error:
            raise _make_error(path, f"{key}: {error}") from None
    try:
        settings = make_settings(
            values.get("ignore", ()),
            values.get("model"),
            values.get("define", ()),
            values.get("undefine", ()),
        )
    except CommandError as error:
        raise _make_error(path, str(error).removeprefix("error: ")) from None
    settings = settings._replace(
        excluded=values.get("exclude", ()),
        forces_exclude=values.get("force-exclude", False),
        fail_on=values.get("fail-on", settings.fail_on),
        min_severity=values.get("min-severity", settings.min_severity),
        folder=path.parent,
    )
    files = _find_files(settings, values.get("paths", ()))
    return settings._replace(paths=tuple(files))


def _parse_words(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
        _refuse("an array of strings")
        return ()
    return tuple(value)


def _parse_severity(value: object) -> Severity:
    if value not in [*Severity]:
        _refuse(" or ".join(f'"{x}"' for x in Severity))
    return Severity(str(value))


def _refuse(expected: str) -> str:
    raise ValueError(f"{expected} is expected")


def _find_files(settings: CheckSettings, patterns: Sequence[str]) -> Iterator[str]:
    """Yield the files that match one of the patterns and are not excluded, in order.

    A pattern that is a folder's name yields the folder, which stands for its contents.
    """
    folder, found = settings.folder, dict[Path, None]()
    for pattern in patterns:
        try:
            if pattern and (folder / pattern).is_dir():
                found[folder / pattern] = None
            else:
                found |= dict.fromkeys(sorted(x for x in folder.glob(pattern) if x.is_file()))
        except (ValueError, NotImplementedError) as error:
            raise _make_error(folder, f"paths: {pattern!r}: {error}") from None
    yield from (_shorten(path) for path in found if not settings.is_excluded(path))


def _shorten(path: Path) -> str:
    """Return a path relative to the current folder, if it is in it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def make_settings(
    ignored: Sequence[str], model: str | None, defined: Sequence[str], undefined: Sequence[str]
) -> CheckSettings:
    """Return the settings of options. Raise CommandError for a wrong rule, model or macro."""
    rules = {word for text in ignored for word in text.replace(",", " ").split()}
    if unknown := sorted(rules - map_rules().keys()):
        allowed = " ".join(map_rules())
        raise CommandError(f"error: {unknown[0]!r} is not a rule; use: {allowed}")
    if model is not None:
        with report_errors(ValueError):
            parsed_model = parse_model(model)
        model_rules = {x.id for x in parsed_model.errata} | ({"F2"} if model != "isa" else set())
        rules |= _ERRATA_RULES - model_rules
    definitions = dict[str, str | None](dict.fromkeys(undefined))
    for text in defined:
        name, sign, value = text.partition("=")
        definitions[name] = value if sign else "1"
    for name in definitions:
        if not (name.isascii() and name.isidentifier()):
            raise CommandError(f"error: {name!r} is not the name of a macro")
    return CheckSettings(frozenset(rules), definitions)


def join_settings(first: CheckSettings, second: CheckSettings) -> CheckSettings:
    """Return the first settings with the second's rules and macros, which may redefine macros."""
    return first._replace(
        ignored_rules=first.ignored_rules | second.ignored_rules,
        definitions={**first.definitions, **second.definitions},
    )
