"""Requests of a transition of the explorer to its user interface, as data."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..engine.syntax.errors import make_printable

if TYPE_CHECKING:
    from ..engine.cancellation import IsStopped
    from ..scene.scene_model import Place

REFUSED, WRONG = "×", "✗"
"""The first characters of hints that explain a refusal, and a wrong answer."""


class ShowHint(NamedTuple):
    """Show a hint until the next edit or step; an empty one clears it at once."""

    text: str = ""
    style: str = "quiet"
    is_sticky: bool = False
    """Whether other hints do not replace it for some seconds."""
    keys: tuple[tuple[str, str], ...] = ()
    """The ids of actions that go on from here, each with what its key does."""
    on_enter: Transition | None = None
    """The action of Enter while the hint is visible and nothing has the focus."""


class ShowOutcome(NamedTuple):
    """Show an outcome, as a hint or, where hints have no row, as a message."""

    title: str
    text: str
    keys: tuple[tuple[str, str], ...] = ()


class Notify(NamedTuple):
    """Show a message for some seconds."""

    text: str
    title: str = ""
    severity: str = "information"
    seconds: float | None = None


class CopyText(NamedTuple):
    """Copy a text; the answer is None."""

    text: str
    shown: str
    """The name of the text in the message."""


class Focus(NamedTuple):
    """Focus a widget."""

    id: str


class PlaceCursor(NamedTuple):
    """Put the cursor of the lanes on a cell."""

    place: Place


class AskValue(NamedTuple):
    """Ask for an operand's value in the row of hints."""

    field: Any
    start: str
    place: Place | None
    """Its cell in the lanes, if the request came from there."""


class AskAnswer(NamedTuple):
    """Ask for an answer in the row of hints."""

    label: str
    parse: Callable[[str], int]
    start: str
    take: Transition
    """Called with ``about``, the text, and whether it was entered rather than left."""
    about: object
    place: Place
    """The cell to return to."""
    keys: str = "Enter checks it"


class AskText(NamedTuple):
    """Ask for a line of text; the answer is None if the prompt was left."""

    title: str
    label: str
    text: str
    hint: str
    does: str
    check: Callable[[str, Callable[..., None]], object] | None = None
    """Raises ValueError for a text that it refuses. It runs in a thread, and calls its second
    argument with the number of the instructions that it has run, which raises Stopped if the user
    has stopped it."""
    is_suggestion: bool = False
    """Whether the text is selected, so that a new one replaces it."""


class MenuItem(NamedTuple):
    """An item of a menu, and a note on it."""

    label: str
    about: str = ""
    group: str = ""
    """The heading above it, which it shares with its neighbours."""


class AskItem(NamedTuple):
    """Ask for one of several items; the answer is its index, or None."""

    title: str
    items: Sequence[MenuItem]
    first: int
    """The index of the item under the cursor."""


class Open(NamedTuple):
    """Open another dialog or screen; the answer is what it returns."""

    name: str
    """Its module and class in ``screens``: ``dialogs.export_dialog:ExportDialog``; a feature's has
    its package too."""
    values: tuple[object, ...]


class RunInThread(NamedTuple):
    """Run a function in a thread, which the user may stop; the answer is what it returns."""

    function: Callable[[IsStopped], object]


class Wait(NamedTuple):
    """Go on after some seconds; another request of this kind takes the place of this one."""

    seconds: float


class Act(NamedTuple):
    """Do what only the screen can, by the name of one of its methods, or of a feature's function.

    The function, ``module:name``, is called with the ``ActionRunner``.
    """

    name: str
    values: tuple[object, ...] = ()


Request = (
    ShowHint
    | ShowOutcome
    | Notify
    | CopyText
    | Focus
    | PlaceCursor
    | AskValue
    | AskAnswer
    | AskText
    | AskItem
    | Open
    | RunInThread
    | Wait
    | Act
)
Requests = Generator[Request, Any, None]
"""The requests of a transition, to which the answers are sent."""
Transition = Callable[..., Requests | None]
"""A function of the state, and of arguments, that changes the state."""


def refuse(reason: object, *keys: tuple[str, str]) -> ShowHint:
    """Return a hint that says why something is not done."""
    return ShowHint(f"{REFUSED} {make_printable(str(reason))}", "", is_sticky=True, keys=keys)


def act(_: object, name: str, *values: object) -> Requests:
    """Ask for what only the screen can do, whatever the state is."""
    yield Act(name, values)
