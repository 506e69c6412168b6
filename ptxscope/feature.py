"""The record of a feature, all its additions to the core as data; and the available features.

A feature is a folder of ``features``, or a part of another package with an entry point for its
record. Its ``feature.py`` has a ``FEATURE``, a record of records of texts. Code is named as
``module:name`` and imported at its first use, so that reading a record loads nothing. The core
finds features here, and contains no feature's name.

A wrong record never prevents a start: its feature is left out, and ``list_problems`` reports why.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "ptxscope.features"
"""The group of other packages' entry points for features."""


class FeatureError(ImportError):
    """A feature's record is wrong, or its target is missing. The message is one line."""


class Service(StrEnum):
    """A function that a feature offers to the core or to another feature.

    The caller does without it if no feature offers it.
    """

    ASK_COMPUTED_VALUE = "ask computed value"
    """The transition ``(state, place, start)`` that asks for another value of a computed cell.

    It edits operands to fit; ``start`` is the value's first character.
    """
    OPEN_REFERENCE = "open reference"
    """The transition ``(state, text)`` that opens the erratum or the PTX ISA section in a text."""
    GO_DEEPER = "go deeper"
    """``(state, place) -> Requests | None``: Enter at a computed cell; None asks for a value."""
    TEACH_NEWCOMER = "teach newcomer"
    """The transition ``(state)`` that the greeting offers and Enter runs at the first start."""
    EXPLAIN_ANSWER = "explain answer"
    """``(question, value, is_pattern) -> Iterable[MistakeExplanation]``: explain a wrong answer."""
    EXPLAIN_BLOCK = "explain block"
    """``(block, observations, index) -> Iterable[Explanation]``: explain it by other texts."""
    SOLVE_SELECTORS = "solve selectors"
    """``(form, rules, guard, cases, roles) -> SelectorMatches | None``: fit selectors to cases."""
    FOLLOW_EXPLANATION = "follow explanation"
    """``(diagnosis) -> Iterable[Block]``: suggest within two seconds how to proceed."""
    SEPARATE_EXPLANATIONS = "separate explanations"
    """``(diagnosis, is_stopped) -> (operands, blocks)``: find operands that separate explanations.

    The explanations have different results for these operands, bits by register, and the blocks
    describe what each result would mean. The operands are empty if none exist. Raises ImportError
    if a package is not installed.
    """
    LIST_POSSIBLE_ERRATA = "list possible errata"
    """``(ins) -> Sequence[Erratum]``: list those that change a result for some operands."""
    FIND_SEQUENCES = "find sequences"
    """``(program) -> Iterable[IntrinsicSequence]``: find statements that compute an intrinsic."""
    LOAD_PROVER = "load prover"
    """``() -> Prove``: load a prover that the results of two texts are equal, ``(a, b) -> bool``.

    Raises ImportError if a package is not installed.
    """
    COMPARE_KERNELS = "compare kernels"
    """``(parser) -> Compare``: add options to ``prove``; return the comparison of kernels."""
    MAKE_EVAL_PARSER = "make eval parser"
    """``() -> Parser``: the parser of ``ptxscope eval``, including the options of tables."""
    EVALUATE_TABLE = "evaluate table"
    """``(block, model, arguments) -> bool``: evaluate a block for rows of ``ptxscope eval``.

    Returns whether there are any rows.
    """
    DESCRIBE_ENTRY = "describe entry"
    """``(entry) -> Iterable[Block]``: add to an instruction's page, ``ptxscope show OPCODE``."""
    LIST_RULES = "list rules"
    """``() -> Iterable[AddedRule]``: rules of diagnostics on PTX in files.

    Each has a function that checks an instruction.
    """
    LIST_NOTES = "list notes"
    """``(ins) -> Iterable[str]``: notes on the explorer's line, in addition to its parser's."""
    MAKE_RUN_PARSER = "make run parser"
    """``() -> Parser``: the parser of ``ptxscope run``, including the options of kernels."""
    RUN_KERNEL = "run kernel"
    """``(words, text, name, bar) -> int | None``: run a kernel of a text from its parameters.

    ``words`` are the arguments of ``ptxscope run``. Returns None if they are for a run from
    registers.
    """
    READ_BLOCKS = "read blocks"
    """``(text, language, gaps) -> Iterator[Block]``: read the strings and the code of a source."""
    READ_MACROS = "read macros"
    """``(text, definitions) -> MacroExpander``: read the macros of a C source to expand them."""
    COMPILE_CUDA = "compile cuda"
    """``(file, *, is_optimized=True) -> str``: return the PTX that nvcc makes of a CUDA source,
    with its lines. Raises ValueError if it cannot."""
    FORMAT_PERMALINK = "format permalink"
    """``(line, values) -> str``: format a line as the fragment of the web explorer's address."""
    MAKE_LIVE_FIGURE = "make live figure"
    """Return HTML with editable operands for a document.

    The arguments are the document, its trace, the arguments of ``trace`` that produce it, the
    address of the engine's folder, and the attributes of a box around the document.
    """
    WRITE_LIVE_ENGINE = "write live engine"
    """Write the files that live figures load; takes the folder of a local Pyodide, or None."""
    FIND_FAULT_CODE = "find fault code"
    """``(block, ptx, places, operands, arch)``: return the results of machine instructions.

    Assembles the kernel. Raises ValueError on failure.
    """
    VERIFY_FILES = "verify files"
    """``(names, archs, jobs) -> (lines, is_wrong)``: verify the machine code of files."""
    RENDER_FAULT = "render fault"
    """``(block, operands, compiled, arch, …) -> str``: the report of a fault in the machine code.

    The report is Markdown; ``check.fault_report`` documents the arguments.
    """
    SET_UP_SPHINX = "set up sphinx"
    """``(Sphinx) -> dict[str, Any]``: register the extension, and return its metadata."""


class Placed(Protocol):
    """A record with a position among others."""

    @property
    def after(self) -> str:
        """The key of the previous record, of the core or of another feature."""


class Command(NamedTuple):
    """A command of the command line."""

    name: str
    summary: str
    """For the list of commands."""
    module: str
    """Has ``make_parser()`` and ``run(words)``; if it has a subject, ``render_request(words)``."""
    after: str
    group: str = "look up"
    """The part of the manual that groups it in the help."""
    subject: str = ""
    """The subject of its documents in Markdown pages, for alternative texts; may be empty."""
    old_spellings: Mapping[str, str] = MappingProxyType({})
    """Former options, also of core commands (``trace --sass``), and their replacements."""


class Completer(NamedTuple):
    """Completes a value of the command line in a shell."""

    metavar: str
    run: str
    """Returns words and their meanings for a prefix, the PTX before it, and the values after it."""


class Key(NamedTuple):
    """An action of the explorer, with its keys; ``state.actions.Action`` documents the fields."""

    id: str
    group: str
    after: str
    keys: str
    label: str
    tooltip: str
    run: str
    """A transition."""
    check: str = ""
    """Returns why the action is not possible now."""
    footer: str = ""
    """The property of a widget by which the footer shows the key while the widget has the focus."""
    is_in_footer: bool = False
    """Whether the footer and the greeting show the key if there is room."""
    widget_keys: Mapping[str, str] = MappingProxyType({})
    """Further keys while a widget has the focus, by its id: so far only ``listing``."""
    reveals: str = ""
    """The part that it opens, such as ``A sweep``, if that reveals the result."""
    is_everywhere: bool = False
    """Whether the keys also work in dialogs and other screens."""


class ScreenPanel(NamedTuple):
    """A part of the explorer's screen, which follows the line, the step and the cursor."""

    name: str
    after: str
    """The previous part in the column beside the lanes; ``lanes`` for the first."""
    part: str
    """A ``ScreenPart``; in the column, a ``ColumnPane``."""
    columns: int = 0
    """The minimum columns of the screen for it."""


class PagePanel(NamedTuple):
    """A tool beside the picture of a page in the browser."""

    name: str
    """In permalinks."""
    action: str
    """The action of the explorer that opens it.

    If the action reveals the result, the panel is closed while the result is hidden.
    """
    after: str
    make: str
    """Returns its elements for the explorer's state and the text typed in it."""
    is_of_trace: bool = False
    """Whether its answer depends on the trace."""
    actions: Mapping[str, str] = MappingProxyType({})
    """Transitions of its elements; each also takes the data of its element and fields."""
    open_text: str = ""
    """Returns the transition for the text of a permalink; raises ValueError."""
    find_open: str = ""
    """Returns the text, state and place of an open part, such as a card, or None.

    The picture then shows this state of the explorer, and the panel takes the whole page.
    """
    leave: str = ""
    """The transition that closes the open part."""


class DocumentFormat(NamedTuple):
    """A text format of documents, without author's texts."""

    name: str
    render: str
    """Returns the document for a trace and ``Options``."""
    endings: tuple[str, ...]
    """The endings of file names; new files get the first."""
    after: str


class PictureLayout(NamedTuple):
    """A layout of pictures, beside the one from top to bottom."""

    name: str
    draw: str
    """Draws a document, with a prefix of ids and ``Options``: ``(document, prefix, options) ->
    (canvas, layout, height)``. Raises ValueError if it does not fit."""
    switch: str
    """Label in the export dialog."""
    about: str
    """Its direction and its use in a few words, for the help."""


class Feature(NamedTuple):
    """A feature and its additions."""

    name: str
    needs: tuple[str, ...] = ()
    """The features that it imports from; without them, it is left out."""
    commands: tuple[Command, ...] = ()
    completers: tuple[Completer, ...] = ()
    keys: tuple[Key, ...] = ()
    screen_panels: tuple[ScreenPanel, ...] = ()
    page_panels: tuple[PagePanel, ...] = ()
    formats: tuple[DocumentFormat, ...] = ()
    layouts: tuple[PictureLayout, ...] = ()
    services: Mapping[Service, str] = MappingProxyType({})
    """The functions that it offers to the core and to other features."""
    exports: Mapping[str, str] = MappingProxyType({})
    """Names in the package ``ptxscope``, with their targets."""

    def iter_names(self) -> Iterator[tuple[str, str]]:
        """Yield the kind and the name of every unique addition."""
        for command in self.commands:
            yield "command", command.name
        for completer in self.completers:
            yield "metavar", completer.metavar
        for key in self.keys:
            yield "action", key.id
            yield from (("key", x) for x in key.keys.split(",") if x)
            for widget, keys in key.widget_keys.items():
                yield from ((f"key of {widget}", x) for x in keys.split(","))
        for screen_panel in self.screen_panels:
            yield "part of the screen", screen_panel.name
        for page_panel in self.page_panels:
            yield "tool of the web explorer", page_panel.name
            yield from (("action of the web explorer", x) for x in page_panel.actions)
        for format_ in self.formats:
            yield "format", format_.name
            yield from (("ending", x) for x in format_.endings)
        yield from (("layout", x.name) for x in self.layouts)
        for name in self.exports:
            yield "name of the package", name


def load(target: str) -> Any:
    """Return a module, or the object ``module:name``; raise FeatureError if it is missing.

    Errors of imports within the module are raised unchanged.
    """
    module, _, name = target.partition(":")
    try:
        loaded = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise FeatureError(f"a feature names the module {module}, which is missing") from None
    if name and not hasattr(loaded, name):
        raise FeatureError(f"a feature names {target}, but {module} has no {name}")
    return getattr(loaded, name) if name else loaded


def make_call(target: str) -> Callable[..., Any]:
    """Return a function that imports another one at its first call, and calls it."""

    def call(*arguments: object, **named: object) -> Any:
        return load(target)(*arguments, **named)

    return call


class FoundFeatures(NamedTuple):
    """The available features by name, and the problems of others."""

    features: tuple[Feature, ...]
    problems: tuple[str, ...]
    """Lines for the user."""


def list_features() -> tuple[Feature, ...]:
    """Return the available features; wrong records are left out."""
    return find_features().features


refused_parts: dict[str, None] = {}
"""The parts left out of used features, a line each."""


def list_problems() -> tuple[str, ...]:
    """Return the problems of features found so far, a line each."""
    return (
        (*find_features().problems, *refused_parts) if find_features.cache_info().currsize else ()
    )


def leave_out(part: str, record: object, reason: str = "ptxscope has its own") -> None:
    """Note that a part of a feature's record is not used."""
    fields = ((x.name, field) for x in list_features() for field in x if isinstance(field, tuple))
    owner = next((name for name, field in fields if record in field), "")
    refused_parts[f"the {part} of the feature {owner} is left out: {reason}"] = None


@cache
def find_features() -> FoundFeatures:
    """Find the features in the folder ``features`` and in installed packages."""
    features: dict[str, Feature] = {}
    problems = []
    added = ((x.name, x.load) for x in find_entry_points())
    for name, read in (*_iter_folders(), *added):
        try:
            feature = read()
            if not isinstance(feature, Feature):
                raise FeatureError("its record is not a Feature")
            if feature.name in features:
                raise FeatureError(f"{feature.name} is the name of another")
            _check_names(feature, features.values())
            features[feature.name] = feature
        except Exception as error:  # another package's code may raise anything
            reason = " ".join(str(error).split()) or type(error).__name__
            problems.append(f"the feature {name} is left out: {reason}")
    while incomplete := [x for x in features.values() if not features.keys() >= {*x.needs}]:
        for feature in incomplete:
            missing = next(need for need in feature.needs if need not in features)
            problems.append(f"the feature {feature.name} is left out: it needs {missing}")
            del features[feature.name]
    return FoundFeatures(tuple(features.values()), tuple(problems))


def _iter_folders() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the name of each folder of ``features`` with a record, and a function that reads it."""
    from pkgutil import iter_modules

    # not `from . import`: the package's `__getattr__` would call this module
    package = f"{__package__}.features"
    for module in sorted(iter_modules(import_module(package).__path__), key=lambda x: x.name):
        yield module.name, partial(load, f"{package}.{module.name}.feature:FEATURE")


def find_entry_points() -> tuple[EntryPoint, ...]:
    """Return the entry points of installed packages that add features."""
    if not any(map(_has_features, sys.path)):  # reading all metadata takes 30 ms
        return ()
    from importlib.metadata import entry_points

    return tuple(entry_points(group=ENTRY_POINTS))


def _has_features(folder: str) -> bool:
    """Return whether a package in a folder names features."""
    with suppress(OSError):  # an unreadable folder or file
        for file in Path(folder).glob("*.dist-info/entry_points.txt"):
            if ENTRY_POINTS.encode() in file.read_bytes():
                return True
    return False


def _check_names(feature: Feature, others: Iterable[Feature]) -> None:
    """Raise FeatureError if another feature has a name, or this one has it twice."""
    owners = {names: other.name for other in others for names in other.iter_names()}
    for kind, name in feature.iter_names():
        if owner := owners.get((kind, name)):
            raise FeatureError(f"its {kind} {name} is that of {owner}")
        owners[kind, name] = feature.name


def find_command(name: str) -> Command | None:
    """Return a command of a feature."""
    commands = (command for feature in list_features() for command in feature.commands)
    return next((x for x in commands if x.name == name), None)


def find_services(service: Service) -> tuple[Callable[..., Any], ...]:
    """Return the functions that offer a service, by their features' names."""
    targets = (x.services[service] for x in list_features() if service in x.services)
    return tuple(map(make_call, targets))


_KINDS: Mapping[type, str] = {
    Command: "command",
    ScreenPanel: "part of the screen",
    PagePanel: "tool of the web explorer",
    DocumentFormat: "format",
}
RecordT = TypeVar("RecordT")
PlacedT = TypeVar("PlacedT", bound=Placed)


def arrange(
    own: Iterable[tuple[str, RecordT]],
    added: Sequence[tuple[str, PlacedT]],
    convert: Callable[[PlacedT], RecordT],
) -> Iterator[tuple[str, RecordT]]:
    """Yield keys and records; added records follow the record that they name, or come last.

    Records with a key of the core are left out.
    """
    own_records = dict(own)
    followers: dict[str, list[tuple[str, PlacedT]]] = {}
    for key, placed in added:
        if key in own_records:
            leave_out(f"{_KINDS.get(type(placed), '')} {key}".lstrip(), placed)
        else:
            followers.setdefault(placed.after, []).append((key, placed))

    def iter_from(key: str, record: RecordT) -> Iterator[tuple[str, RecordT]]:
        yield key, record
        for other, follower in followers.pop(key, ()):
            yield from iter_from(other, convert(follower))

    for key, record in own_records.items():
        yield from iter_from(key, record)
    while followers:  # the feature with their previous record is missing
        names = {key for rest in followers.values() for key, _ in rest}
        anchor = next((x for x in followers if x not in names), next(iter(followers)))
        for name, orphan in followers.pop(anchor):
            yield from iter_from(name, convert(orphan))
