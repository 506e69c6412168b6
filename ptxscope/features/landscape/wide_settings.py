"""The room for words in a wide picture, and the error if a document does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ...documents.svg.page_layout import Area, Layout


class LayoutError(ValueError):
    """A document does not fit in a wide picture; the text has a remedy."""


class NoRoomError(Exception):
    """A figure needs more height than its lane has."""


def require_height(area: Area, height: float) -> None:
    """Raise NoRoomError if a lane has not the height in px that a figure needs."""
    if area.width < height:
        raise NoRoomError


class Settings(NamedTuple):
    """The room for the words of a picture."""

    formula_room: float = 230
    """Width in px at which a formula is wrapped."""
    caption_y: float = 84
    """Top of the words above the steps."""
    has_arc_words: bool = True
    """Whether words say that an arc clamps a number."""
    has_select_words: bool = True
    """Whether words are above the lines that select bits."""
    note_room: float = 210
    """Width in px of the words above a step; 0 without words."""
    bar_y: float = 0
    """Top of the bar below the words of the newest step of frames."""
    has_captions: bool = True
    """Whether the columns have words above them; those of another line may be above both."""
    starts: Mapping[str, float] = MappingProxyType({})
    """Least x of the columns of steps, by stage."""


def get_settings(layout: Layout) -> Settings:
    """Return the settings of a wide layout."""
    settings = layout.turned_parts.settings if layout.turned_parts else None
    return settings if isinstance(settings, Settings) else Settings()


def change_settings(layout: Layout, **fields: Any) -> Layout:
    """Return a wide layout with other settings."""
    if layout.turned_parts is None:
        return layout
    settings = get_settings(layout)._replace(**fields)
    return layout._replace(turned_parts=layout.turned_parts._replace(settings=settings))
