"""The record of a feature: all that it adds to the core, as data; and the features that are there.

A feature is a folder of ``features``, or a part of another package, which names its record as an
entry point. Its ``feature.py`` has a ``FEATURE``, a record of records of texts. Code is named as
``module:name`` and imported at its first use, so that reading a record loads nothing. The core
asks here for features, and knows none by its name.

A record that is wrong never ends a start: its feature is left out, and ``list_problems`` says why.
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
"""The group of entry points by which other packages add features."""


class FeatureError(ImportError):
    """A record of a feature is wrong, or what it names is missing. Its text is one line."""


class Service(StrEnum):
    """Work that a feature offers to the core, or to another feature, by a function.

    Whoever asks for it does without, if no feature offers it.
    """

    ASK_COMPUTED_VALUE = "ask computed value"
    """A transition ``(state, place, start)`` that asks what a computed cell shall be, and edits
    operands so that it is; ``start`` is the first character of the value.
    """
    OPEN_REFERENCE = "open reference"
    """The transition ``(state, text)`` that opens the erratum, or the section of the PTX ISA, that
    a text names."""
    GO_DEEPER = "go deeper"
    """``(state, place) -> Requests | None``: what Enter does at a computed cell, if anything but
    asking for another value."""
    TEACH_NEWCOMER = "teach newcomer"
    """The transition ``(state)`` that Enter runs at the first start, and that the greeting offers.
    """
    FOLLOW_EXPLANATION = "follow explanation"
    """``(diagnosis) -> Iterable[Block]``: say in two seconds what to do after several explanations.
    """
    TELL_EXPLANATIONS_APART = "tell explanations apart"
    """``(diagnosis, is_stopped) -> (operands, blocks)``: find operands for which the explanations
    give other results, as bits by register, and say what each result would mean.

    The operands are empty if there are none. Raises ImportError if something is not installed.
    """
    LOAD_PROVER = "load prover"
    """``() -> Prove``: load what proves that a sequence of statements computes its intrinsic.

    Raises ImportError if something is not installed.
    """
    MAKE_EVAL_PARSER = "make eval parser"
    """``() -> Parser``: the parser of ``ptxscope eval``, with the options of tables too."""
    EVALUATE_TABLE = "evaluate table"
    """``(block, model, arguments) -> bool``: evaluate a block for the rows that the arguments of
    ``ptxscope eval`` name; return whether they name any."""
    DESCRIBE_ENTRY = "describe entry"
    """``(entry) -> Iterable[Block]``: say more of an instruction, in ``ptxscope show OPCODE``."""
    LIST_RULES = "list rules"
    """``() -> Iterable[AddedRule]``: rules of diagnostics on PTX in files, each with the function
    that finds what is to be said about an instruction.
    """
    MAKE_RUN_PARSER = "make run parser"
    """``() -> Parser``: the parser of ``ptxscope run``, with the options of kernels too."""
    RUN_KERNEL = "run kernel"
    """``(words, text, name, bar) -> int | None``: run a kernel of a file's text from its parameters
    as the words of ``ptxscope run`` say; None if they are for a run from registers.
    """
    COMPILE_CUDA = "compile cuda"
    """``(file) -> str``: return the PTX that nvcc makes of a CUDA source, with its lines. Raises
    ValueError if it cannot."""
    MAKE_LIVE_FIGURE = "make live figure"
    """Return HTML in which a reader edits the operands: of a document, its trace, the arguments of
    ``trace`` that make it, the address of the engine's folder, and the attributes of a box around
    the document."""
    WRITE_LIVE_ENGINE = "write live engine"
    """Write what live figures load into a folder; takes the folder of a local Pyodide, or None."""
    FIND_FAULT_CODE = "find fault code"
    """``(block, ptx, places, operands, arch)``: assemble a kernel and return what each machine
    instruction computes. Raises ValueError if it cannot."""
    RENDER_FAULT = "render fault"
    """``(block, operands, compiled, arch, …) -> str``: the report of a fault that was found in the
    machine code of a line, as Markdown; ``check.fault_report`` says what it takes."""
    SET_UP_SPHINX = "set up sphinx"
    """``(Sphinx) -> dict[str, Any]``: register the extension, and return its metadata."""


class Placed(Protocol):
    """A record with a place among others."""

    @property
    def after(self) -> str:
        """The key of the record that it follows, of the core or of another feature."""


class Command(NamedTuple):
    """A command of the command line."""

    name: str
    summary: str
    """For the list of commands."""
    module: str
    """Has ``make_parser()`` and ``run(words)``; if it has a subject, ``render_request(words)``."""
    after: str
    group: str = "look up"
    """The part of the manual in which the help lists it."""
    subject: str = ""
    """The subject of its documents in Markdown pages, for alternative texts; may be empty."""
    old_spellings: Mapping[str, str] = MappingProxyType({})
    """Options that it had, or that a command of the core had (``trace --sass``), and what replaces
    each."""


class Completer(NamedTuple):
    """Completes a value of the command line in a shell."""

    metavar: str
    run: str
    """Returns words and their meanings for a prefix, the PTX before it, and the values after it."""


class Key(NamedTuple):
    """An action of the explorer, with its keys; ``state.actions.Action`` says what each is."""

    id: str
    group: str
    after: str
    keys: str
    label: str
    tooltip: str
    run: str
    """A transition."""
    check: str = ""
    """Says why it is not possible now."""
    footer: str = ""
    """The property of a widget by which the footer shows the key while the widget has the focus."""
    is_in_footer: bool = False
    """Whether the footer and the greeting show the key, as far as there is room."""
    widget_keys: Mapping[str, str] = MappingProxyType({})
    """Further keys while a widget has the focus, by its id: so far only ``listing``."""
    reveals: str = ""
    """The thing that it opens, such as ``A sweep``, if that shows the result."""
    is_everywhere: bool = False
    """Whether the keys work in dialogs and other screens, too."""


class ScreenPanel(NamedTuple):
    """A part of the explorer's screen, which follows the line, the step and the cursor."""

    name: str
    after: str
    """The part that it follows in the column beside the lanes: ``lanes`` is before all."""
    part: str
    """A ``ScreenPart``; in the column, a ``ColumnPane``."""
    columns: int = 0
    """The columns of the screen from which on there is room for it."""


class PagePanel(NamedTuple):
    """A tool beside the picture of a page in the browser."""

    name: str
    """In permalinks."""
    action: str
    """The action of the explorer's table that opens it. If that reveals the result, the panel is
    closed while the result is hidden."""
    after: str
    make: str
    """Returns its elements for the explorer's state and the text that is typed in it."""
    is_of_trace: bool = False
    """Whether its answer depends on the trace."""
    actions: Mapping[str, str] = MappingProxyType({})
    """Transitions that its elements name; each takes the data of its element and fields, too."""
    open_text: str = ""
    """Returns the transition that opens what the text of a permalink names; raises ValueError."""
    find_open: str = ""
    """Returns the text of what is open in it, such as a card, the explorer's state that the
    picture shows meanwhile, and the place that it is about; or None. The panel takes the whole
    page."""
    leave: str = ""
    """The transition that closes what is open in it."""


class DocumentFormat(NamedTuple):
    """A format of documents: text, without that of an author."""

    name: str
    render: str
    """Returns the document for a trace and ``Options``."""
    endings: tuple[str, ...]
    """The endings of file names; a new file gets the first."""
    after: str


class PictureLayout(NamedTuple):
    """A layout of pictures, beside the one from top to bottom."""

    name: str
    draw: str
    """Draws a document, with a prefix of ids and ``Options``: ``(document, prefix, options) ->
    (canvas, layout, height)``. Raises ValueError if it does not fit."""
    switch: str
    """Label in the export dialog."""


class Feature(NamedTuple):
    """A feature, and what it adds."""

    name: str
    needs: tuple[str, ...] = ()
    """The features from which it imports; without one of them, it is left out."""
    commands: tuple[Command, ...] = ()
    completers: tuple[Completer, ...] = ()
    keys: tuple[Key, ...] = ()
    screen_panels: tuple[ScreenPanel, ...] = ()
    page_panels: tuple[PagePanel, ...] = ()
    formats: tuple[DocumentFormat, ...] = ()
    layouts: tuple[PictureLayout, ...] = ()
    services: Mapping[Service, str] = MappingProxyType({})
    """The functions that do what the core or another feature asks for."""
    exports: Mapping[str, str] = MappingProxyType({})
    """Names of the package ``ptxscope``, and where each is."""

    def iter_names(self) -> Iterator[tuple[str, str]]:
        """Yield the kind and the name of all that can be there only once."""
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
    """Return the object that ``module:name`` names, or a module; raise FeatureError if it is gone.

    An import that fails in the module raises what Python raises.
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
    """Return a function that imports a function when it is called, and calls it."""

    def call(*arguments: object, **named: object) -> Any:
        return load(target)(*arguments, **named)

    return call


class FoundFeatures(NamedTuple):
    """The features that are there, by name, and what is wrong with others."""

    features: tuple[Feature, ...]
    problems: tuple[str, ...]
    """Lines for the user."""


def list_features() -> tuple[Feature, ...]:
    """Return the features that are there, without those whose record is wrong."""
    return find_features().features


refused_parts: dict[str, None] = {}
"""The parts left out of features whose other records are used, a line each."""


def list_problems() -> tuple[str, ...]:
    """Return what is wrong with features, a line each, as far as any were looked for."""
    return (
        (*find_features().problems, *refused_parts) if find_features.cache_info().currsize else ()
    )


def leave_out(part: str, record: object, reason: str = "ptxscope has its own") -> None:
    """Note that a part of a record of a feature is not used."""
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
        except Exception as error:  # whatever the code of another package raises
            reason = " ".join(str(error).split()) or type(error).__name__
            problems.append(f"the feature {name} is left out: {reason}")
    while incomplete := [x for x in features.values() if not features.keys() >= {*x.needs}]:
        for feature in incomplete:
            missing = next(need for need in feature.needs if need not in features)
            problems.append(f"the feature {feature.name} is left out: it needs {missing}")
            del features[feature.name]
    return FoundFeatures(tuple(features.values()), tuple(problems))


def _iter_folders() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the name of each folder of ``features`` with a record, and what reads the record."""
    from pkgutil import iter_modules

    # not `from . import`, which would ask the package's `__getattr__`, and that asks here
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
    with suppress(OSError):  # a folder or file that cannot be read
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
    """Return the functions of all features that offer a service, by the names of these."""
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
    """Yield keys and records, each added one after the one that it follows, or at the end.

    One whose key is the core's own is left out.
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
    while followers:  # what they follow is in a feature that is gone
        names = {key for rest in followers.values() for key, _ in rest}
        anchor = next((x for x in followers if x not in names), next(iter(followers)))
        for name, orphan in followers.pop(anchor):
            yield from iter_from(name, convert(orphan))
