"""The page before Python is ready: frames of its example, and the moves from one to another.

A frame is the page after some actions; a move is the action of an element in it. The
same functions draw the frames when the site is written, and the page later.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

from ...documents.elements import Child
from ...state.actions import GROUPS
from .explorer_page import open_example, perform_event
from .page_picture import drop_style
from .page_state import PageState
from .page_view import describe_step, draw_page, make_view
from .tool_table import map_places

_PLACES = {"explore", "gallery", *map_places().values()}
_MOVES = {"step", "result", "predict", *(x.id for x in GROUPS["Steps"]), *_PLACES}
"""The actions that are moves: they edit nothing, so there are few frames."""
_UNREAD = frozenset({"trace", "options", "slow"})
"""The parts of a view that no frame needs."""


class Move(NamedTuple):
    """The action of an element, with the argument that differs between elements."""

    action: str
    argument: tuple[str, str | bool] | None = None

    @property
    def name(self) -> str:
        """The words by which JavaScript knows it: ``step 3``, ``result true``."""
        value = self.argument[1] if self.argument else ""
        return f"{self.action} {json.dumps(value) if value in (True, False) else value}".rstrip()


class Opening(NamedTuple):
    """The frames to which moves lead; the first is the page as it opens.

    Parts, pictures and lines are stored once; frames and pictures have their numbers.
    """

    names: tuple[str, ...]
    """The names of a frame's parts: the regions of a view, and the sentences on its step."""
    parts: list[object]
    pictures: list[list[int]]
    """The numbers of each picture's lines."""
    lines: list[str]
    frames: list[OpeningFrame]


class OpeningFrame(NamedTuple):
    """The page after moves."""

    parts: list[int]
    pictures: tuple[int, int]
    """The numbers of a wide picture and of a compact one."""
    moves: Mapping[str, int]
    """The frames that its elements lead to, by the names of moves."""


@cache
def make_opening() -> Opening:
    """Return the frames of the page's example."""
    names: tuple[str, ...] = ()
    parts, pictures, lines, numbers = _Table(), _Table(), _Table(), _Table()
    paths: list[tuple[Move, ...]] = [()]
    numbers.add(_identify(_follow(())))
    frames = []
    for path in paths:  # it grows
        page = _follow(path)
        view = make_view(page)
        moves = {}
        for move in _iter_moves(view):
            moves[move.name] = numbers.add(_identify(_follow((*path, move))))
            if moves[move.name] == len(paths):
                paths.append((*path, move))
        contents = {x: y for x, y in view.items() if x not in _UNREAD}
        contents["spoken"] = describe_step(page)
        names = (*contents,)
        wide, compact = (
            pictures.add(
                (page.trace_key, str(page.options._replace(compact=is_compact))),
                partial(_draw, page, is_compact, lines),
            )
            for is_compact in (False, True)
        )
        frames.append(
            OpeningFrame(
                [*map(parts.add, map(json.dumps, contents.values()))], (wide, compact), moves
            )
        )
    shared = [*map(json.loads, parts.values)]
    return Opening(names, shared, pictures.values, lines.values, frames)


def format_opening() -> str:
    """Return the frames of the page's example as JSON."""
    opening = make_opening()
    frames = [frame._asdict() for frame in opening.frames]
    return json.dumps({**opening._asdict(), "frames": frames}, separators=(",", ":"))


class _Table:
    """Numbered values, each stored once."""

    def __init__(self) -> None:
        self._numbers = dict[Hashable, int]()
        self.values: list[Any] = []

    def add(self, key: Hashable, make: Callable[[], object] | None = None) -> int:
        """Return the number of a value, which is made of its key the first time."""
        if key not in self._numbers:
            self._numbers[key] = len(self.values)
            self.values.append(make() if make else key)
        return self._numbers[key]


def _follow(path: tuple[Move, ...]) -> PageState:
    """Return the page after moves."""
    page = open_example()
    for action, argument in path:
        perform_event(page, action, dict([argument]) if argument else {})
    return page


def _identify(page: PageState) -> str:
    return json.dumps(make_view(page))


def _draw(page: PageState, is_compact: bool, lines: _Table) -> list[int]:
    page.is_compact = is_compact
    return [*map(lines.add, drop_style(draw_page(page).svg).split("\n"))]


def _iter_moves(view: Mapping[str, Any]) -> Iterator[Move]:
    """Yield the moves of the buttons and boxes that a view has."""
    names = ("#places",) if view["layout"] else ("#places", "#steps")
    for name in names:
        yield from _iter_moves_of(view[name])


def _iter_moves_of(children: list[Child]) -> Iterator[Move]:
    for child in children:
        if isinstance(child, str):
            continue
        _, attributes, *inner = child
        action = attributes.get("data-do") or attributes.get("data-on", "")
        if action in _MOVES and attributes.get("aria-disabled") != "true":
            argument: tuple[str, str | bool] | None = None
            if "data-number" in attributes:
                argument = "number", attributes["data-number"]
            elif attributes.get("type") == "checkbox":
                argument = "checked", "checked" not in attributes
            yield Move(action, argument)
        yield from _iter_moves_of(inner)
