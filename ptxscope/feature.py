"""What a feature adds to the core, as data; and which features there are.

A feature is a folder of ``features``. Its ``feature.py`` has a ``FEATURE``, a record of records of
texts. Code is named as ``module:name`` and imported when it is needed, so that reading a record
loads nothing. The core asks here what there is, and knows no feature by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

ENTRY_POINTS = "ptxscope.features"
"""The group of entry points by which other packages add features."""


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
    subject: str = ""
    """What its documents in Markdown pages show, for their alternative texts; empty if it has none.
    """
    old_spellings: Mapping[str, str] = MappingProxyType({})
    """Options that it had, and what replaces each."""


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


class HelpPanel(NamedTuple):
    """A section of the explorer's help."""

    name: str
    after: str
    text: str
    classes: tuple[str, ...]
    """The widgets and screens with its keys."""
    widget_ids: tuple[str, ...] = ()
    """The widgets whose focus opens help there."""


class PagePanel(NamedTuple):
    """A tool beside the picture of a page in the browser."""

    name: str
    """In permalinks."""
    action: str
    """The action of the explorer's table that opens it."""
    after: str
    make: str
    """Returns its elements for the state of the page and the text that is typed in it."""
    is_of_trace: bool = False
    """Whether its answer depends on the trace."""
    reveals_answer: bool = False
    """Whether it is closed while the reader predicts."""


class Feature(NamedTuple):
    """A feature, and what it adds."""

    name: str
    needs: tuple[str, ...] = ()
    """The features from which it imports; without one of them, it is left out."""
    commands: tuple[Command, ...] = ()
    completers: tuple[Completer, ...] = ()
    keys: tuple[Key, ...] = ()
    help_panels: tuple[HelpPanel, ...] = ()
    page_panels: tuple[PagePanel, ...] = ()
    sections: Mapping[str, str] = MappingProxyType({})
    """What makes the section that an option of ``trace`` adds, of the trace and the arguments."""
    exports: Mapping[str, str] = MappingProxyType({})
    """Names of the package ``ptxscope``, and where each is."""


def load(target: str) -> Any:
    """Return the object that ``module:name`` names, or a module."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


def make_call(target: str) -> Callable[..., Any]:
    """Return a function that imports a function when it is called, and calls it."""

    def call(*arguments: object, **named: object) -> Any:
        return load(target)(*arguments, **named)

    return call


@cache
def list_features() -> tuple[Feature, ...]:
    """Return the features that are there, by name, without those that need a missing one."""
    from pkgutil import iter_modules

    # not `from . import`, which would ask the package's `__getattr__`, and that asks here
    package = import_module(f"{__package__}.features")
    found = {
        x.name: load(f"{package.__name__}.{x.name}.feature:FEATURE")
        for x in iter_modules(package.__path__)
        if x.ispkg
    }
    while missing := [x.name for x in found.values() if not found.keys() >= {*x.needs}]:
        for name in missing:
            del found[name]
    return tuple(found.values())


def find_command(name: str, *, is_anywhere: bool = False) -> Command | None:
    """Return a command of a feature; if ``is_anywhere``, of another package too, which is slow."""
    own = (command for feature in list_features() for command in feature.commands)
    found = next((x for x in own if x.name == name), None)
    if found is None and is_anywhere:
        from importlib.metadata import entry_points

        others = (y for x in entry_points(group=ENTRY_POINTS) for y in x.load().commands)
        found = next((x for x in others if x.name == name), None)
    return found


RecordT = TypeVar("RecordT")
PlacedT = TypeVar("PlacedT", bound=Placed)


def arrange(
    own: Iterable[tuple[str, RecordT]],
    added: Sequence[tuple[str, PlacedT]],
    convert: Callable[[PlacedT], RecordT],
) -> Iterator[tuple[str, RecordT]]:
    """Yield keys and records, each added one after that which it follows, or at the end."""
    followers: dict[str, list[tuple[str, PlacedT]]] = {}
    for entry in added:
        followers.setdefault(entry[1].after, []).append(entry)

    def iter_from(key: str, record: RecordT) -> Iterator[tuple[str, RecordT]]:
        yield key, record
        for other, follower in followers.pop(key, ()):
            yield from iter_from(other, convert(follower))

    for key, record in own:
        yield from iter_from(key, record)
    while followers:  # what they follow is in a feature that is gone
        names = {key for rest in followers.values() for key, _ in rest}
        anchor = next((x for x in followers if x not in names), next(iter(followers)))
        for name, orphan in followers.pop(anchor):
            yield from iter_from(name, convert(orphan))
