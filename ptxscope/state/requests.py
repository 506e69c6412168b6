"""Requests of the explorer's transitions to the user interface, as data."""

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
    """The ids of follow-up actions, each with the effect of its key."""
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
    name: str
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
    """Its cell in the lanes, if that is the source of the request."""


class AskAnswer(NamedTuple):
    """Ask for an answer in the row of hints."""

    label: str
    parse: Callable[[str], int]
    start: str
    take: Transition
    """Called with ``about``, the text, and whether it was entered instead of left."""
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
    """Raises ValueError for a refused text.

    It runs in a thread, and calls its second argument with the number of executed instructions,
    which raises Stopped at the user's request.
    """
    is_suggestion: bool = False
    """Whether the text is selected for replacement."""


class MenuItem(NamedTuple):
    """An item of a menu, and a note on it."""

    label: str
    about: str = ""
    group: str = ""
    """The heading above it and its neighbours."""


class AskItem(NamedTuple):
    """Ask for one of several items; the answer is its index, or None."""

    title: str
    items: Sequence[MenuItem]
    first: int
    """The index of the item under the cursor."""


class Open(NamedTuple):
    """Open another dialog or screen; the answer is its result."""

    name: str
    """Its module and class in ``screens`` or a feature: ``dialogs.export_dialog:ExportDialog``."""
    values: tuple[object, ...]


class RunInThread(NamedTuple):
    """Run a function in a thread, which the user may stop; the answer is its result."""

    function: Callable[[IsStopped], object]


class Wait(NamedTuple):
    """Continue after some seconds; another request of this kind replaces this one."""

    seconds: float


class Act(NamedTuple):
    """Call a method of the screen, or a feature's function, by name.

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
"""The requests of a transition; answers are sent back to it."""
Transition = Callable[..., Requests | None]
"""A function of the state, and of arguments, that changes the state."""


def refuse(reason: object, *keys: tuple[str, str]) -> ShowHint:
    """Return a hint with the reason of a refusal."""
    return ShowHint(f"{REFUSED} {make_printable(str(reason))}", "", is_sticky=True, keys=keys)


def act(_: object, name: str, *values: object) -> Requests:
    """Call a method of the screen, whatever the state."""
    yield Act(name, values)
